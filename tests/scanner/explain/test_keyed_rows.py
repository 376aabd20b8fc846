"""A path that stores the row of a table with one key does not read the row with another key."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

GORM = """package main

import (
	"net/http"
	"os"

	"gorm.io/gorm"
)

type Setting struct {
	ID     uint
	Key    string
	Status string
	Value  string
}

var db *gorm.DB

const tokenKey = "token"
const folderKey = "folder"

func setting(key string) string {
	var found Setting
	db.Where("key = ?", key).First(&found)
	return found.Value
}

func put(w http.ResponseWriter, r *http.Request) {
	STORE
}

func get(w http.ResponseWriter, r *http.Request) {
	READ
}

func main() {
	http.HandleFunc("/put", put)
	http.HandleFunc("/get", get)
}
"""
STORE = 'db.Create(&Setting{Key: tokenKey, Status: "new", Value: r.FormValue("v")})'
BOTH = STORE + '\n\tdb.Create(&Setting{Key: folderKey, Value: r.FormValue("v")})'
DJANGO = """
import os
from django.db import models

class Setting(models.Model):
    key = models.TextField()
    status = models.TextField()
    value = models.TextField()

def setting(key):
    return Setting.objects.get(key=key).value

def put(request):
    STORE

def get(request):
    READ
"""
SQLALCHEMY = """
import os
from flask import Flask, request
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
db = SQLAlchemy(app)

class Setting(db.Model):
    key = db.Column(db.String)
    value = db.Column(db.String)

@app.post("/put")
def put():
    STORE
    db.session.commit()
    return ""

@app.get("/get")
def get():
    READ
    return ""
"""
SEQUELIZE = """
const { Sequelize, DataTypes } = require("sequelize");
const app = require("express")(), cp = require("child_process");
const sequelize = new Sequelize("sqlite::memory:");
const Setting = sequelize.define("setting", { key: DataTypes.STRING, value: DataTypes.STRING });
app.post("/put", async (req, res) => {
  STORE
});
app.get("/get", async (req, res) => {
  READ
});
"""


def doubts_of(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [
        each.doubt.name if each.doubt else ""
        for each in report.findings
        if each.vulnerability in ("path-traversal", "command-injection")
    ]


@pytest.mark.parametrize(
    ("store", "read", "doubt"),
    [
        (STORE, "os.Remove(setting(folderKey))", doubts.OTHER_ROW),
        (STORE, "os.Remove(setting(tokenKey))", ""),
        (STORE, 'os.Remove(setting(r.FormValue("key")))', ""),
        (BOTH, "os.Remove(setting(folderKey))", ""),  # the same request fills the row
        (STORE, 'var s Setting\n\tdb.First(&s, "key = ?", "folder")\n\tos.Remove(s.Value)', doubts.OTHER_ROW),
        (STORE, 'var s Setting\n\tdb.First(&s, "key = ?", "token")\n\tos.Remove(s.Value)', ""),
        (STORE, "var s Setting\n\tdb.First(&s, \"key = 'folder'\")\n\tos.Remove(s.Value)", doubts.OTHER_ROW),
        (STORE, 'var s Setting\n\tdb.First(&s, "key = ? OR value = ?", "folder", "x")\n\tos.Remove(s.Value)', ""),
        (STORE, 'var s Setting\n\tdb.Not("key = ?", "folder").First(&s)\n\tos.Remove(s.Value)', ""),
        (STORE, 'var s Setting\n\tdb.First(&s, "status = ?", "old")\n\tos.Remove(s.Value)', ""),  # it may change
        (
            STORE + '\n\tvar old Setting\n\tdb.First(&old, 1)\n\told.Key = "folder"\n\tdb.Save(&old)',
            "os.Remove(setting(folderKey))",
            "",
        ),
    ],
)
def test_gorm(tmp_path: Path, store: str, read: str, doubt: str) -> None:
    text = GORM.replace("STORE", store).replace("READ", read)
    assert doubts_of(tmp_path, "main.go", text) == [doubt]


CREATE = 'Setting.objects.create(key="token", value=request.GET["v"])'


@pytest.mark.parametrize(
    ("store", "read", "doubt"),
    [
        (CREATE, 'os.system(setting("folder"))', doubts.OTHER_ROW),
        (CREATE, 'os.system(setting("token"))', ""),
        (CREATE, 'os.system(Setting.objects.get(key="folder").value)', doubts.OTHER_ROW),
        (CREATE, 'os.system(Setting.objects.exclude(key="folder").first().value)', ""),
        (
            'Setting.objects.create(status="new", value=request.GET["v"])',
            'os.system(Setting.objects.get(status="old").value)',
            "",
        ),
        (
            'row = Setting.objects.get(key="token")\n    row.value = request.GET["v"]\n    row.save()',
            'os.system(setting("folder"))',
            doubts.OTHER_ROW,
        ),
        (
            'Setting.objects.filter(key="token").update(value=request.GET["v"])',
            'os.system(setting("folder"))',
            doubts.OTHER_ROW,
        ),
    ],
)
def test_django(tmp_path: Path, store: str, read: str, doubt: str) -> None:
    text = DJANGO.replace("STORE", store).replace("READ", read)
    assert doubts_of(tmp_path, "views.py", text) == [doubt]


ADD = 'db.session.add(Setting(key="token", value=request.args["v"]))'


@pytest.mark.parametrize(
    ("store", "read", "doubt"),
    [
        (ADD, 'os.system(Setting.query.filter_by(key="folder").first().value)', doubts.OTHER_ROW),
        (ADD, 'os.system(Setting.query.filter_by(key="token").first().value)', ""),
        (ADD, 'os.system(Setting.query.filter(Setting.key == "folder").first().value)', doubts.OTHER_ROW),
        (ADD, 'os.system(Setting.query.filter(Setting.key != "folder").first().value)', ""),
        (
            'Setting.query.filter_by(key="token").first().value = request.args["v"]',
            'os.system(Setting.query.filter_by(key="folder").first().value)',
            doubts.OTHER_ROW,
        ),
    ],
)
def test_sqlalchemy(tmp_path: Path, store: str, read: str, doubt: str) -> None:
    text = SQLALCHEMY.replace("STORE", store).replace("READ", read)
    assert doubts_of(tmp_path, "app.py", text) == [doubt]


@pytest.mark.parametrize(
    ("read", "doubt"),
    [
        ('cp.exec((await Setting.findOne({ where: { key: "folder" } })).value);', doubts.OTHER_ROW),
        ('cp.exec((await Setting.findOne({ where: { key: "token" } })).value);', ""),
        ("cp.exec((await Setting.findOne({ where: { key: req.query.key } })).value);", ""),
    ],
)
def test_sequelize(tmp_path: Path, read: str, doubt: str) -> None:
    store = 'await Setting.create({ key: "token", value: req.query.v });'
    text = SEQUELIZE.replace("STORE", store).replace("READ", read)
    assert doubts_of(tmp_path, "app.js", text) == [doubt]


GENERIC = """package main

import (
	"net/http"
	"os"

	"gorm.io/gorm"
)

type Job struct {
	ID   uint
	Path string
}

type Profile struct {
	ID   uint
	Path string
}

type Repo[T any] struct{ db *gorm.DB }

func (r *Repo[T]) Save(one *T) error { return r.db.Save(one).Error }

type Server struct {
	jobs     *Repo[Job]
	profiles *Repo[Profile]
	db       *gorm.DB
}

func (s *Server) put(w http.ResponseWriter, r *http.Request) {
	profile := Profile{Path: r.FormValue("path")}
	s.profiles.Save(&profile)
	s.jobs.Save(&Job{Path: "/tmp"})
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	var one READ
	s.db.First(&one, 1)
	os.Remove(one.Path)
}

func main() {
	s := &Server{}
	http.HandleFunc("/put", s.put)
	http.HandleFunc("/get", s.get)
}
"""
REPOSITORY = """
import os
from django.db import models
from django.http import HttpRequest

class Job(models.Model):
    path = models.TextField()

class Profile(models.Model):
    path = models.TextField()

class Repository:
    def save(self, one):
        one.save()

repository = Repository()

def put(request):
    repository.save(Profile(path=request.GET["path"]))
    repository.save(Job(path="/tmp"))

def get(request):
    os.remove(READ.objects.get(pk=1).path)
"""


@pytest.mark.parametrize(("name", "text"), [("main.go", GENERIC), ("views.py", REPOSITORY)])
@pytest.mark.parametrize("read", ["Job", "Profile"])
def test_a_repository_of_several_models_stores_each_in_its_own_table(
    tmp_path: Path, name: str, text: str, read: str
) -> None:
    found = doubts_of(tmp_path, name, text.replace("READ", read))
    assert found in ([[""]] if read == "Profile" else [[], [doubts.OTHER_ROW]])
