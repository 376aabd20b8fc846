"""Checks whose maker says for whom they ask."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
package main

import (
	"net/http"
	"os/exec"

	"github.com/gin-gonic/gin"
)

type Role int

const (
	RoleUser Role = iota
	RoleAdmin
)

func fail(c *gin.Context) { c.AbortWithStatusJSON(http.StatusForbidden, gin.H{}) }

func require(role Role) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.GetString("user") == "" {
			fail(c)
			return
		}
		isAdmin := c.GetString("group") == "admins"
		if role == RoleUser {
			return
		}
		if !isAdmin {
			c.AbortWithStatus(http.StatusForbidden)
		}
	}
}

func strict(name string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Query("v") == name {
			fail(c)
			return
		}
		if !c.GetBool("is_admin") {
			c.AbortWithStatus(http.StatusForbidden)
		}
	}
}

func user(c *gin.Context)   { exec.Command("sh", "-c", c.Query("a")).Run() }
func admin(c *gin.Context)  { exec.Command("sh", "-c", c.Query("b")).Run() }
func always(c *gin.Context) { exec.Command("sh", "-c", c.Query("c")).Run() }

func main() {
	r := gin.Default()
	r.POST("/user", require(RoleUser), user)
	r.POST("/admin", require(RoleAdmin), admin)
	r.POST("/always", strict("1"), always)
}
"""


def test_a_check_that_is_made_for_a_role_asks_for_that_role(tmp_path: Path) -> None:
    (tmp_path / "main.go").write_text(CODE)
    rules = load_rules(["go"], cache_folder=tmp_path / "cache")
    found = {}
    for parties in (frozenset(), frozenset({"operator"})):
        options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", threat_models=parties)
        found[len(parties)] = {finding.function for finding in scanner.scan(options, rules).findings}
    assert found == {0: {"user"}, 1: {"user", "admin", "always"}}


OWNED = """\
import os
from django.contrib.auth.mixins import UserPassesTestMixin
from django.shortcuts import get_object_or_404
from django.views import View
from .models import Project

class Owners(UserPassesTestMixin, View):
    def test_func(self):
        if self.request.user.is_superuser:
            return True
        project = get_object_or_404(Project, pk=self.kwargs["pk"])
        if project.owner == self.request.user:
            return {answer}

    def get(self, request):
        os.system(request.GET["q"])
"""


@pytest.mark.parametrize(("answer", "reported"), [("True", 1), ("False", 0)])
def test_a_test_that_says_yes_to_owners_is_none_for_administrators(answer: str, reported: int, tmp_path: Path) -> None:
    (tmp_path / "views.py").write_text(OWNED.format(answer=answer))
    rules = load_rules(["python"], cache_folder=tmp_path / "cache")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert len(scanner.scan(options, rules).findings) == reported
