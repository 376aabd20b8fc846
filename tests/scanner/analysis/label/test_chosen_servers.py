"""Statements, commands and paths on a server that a request chooses have low confidence, in each language."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os
import paramiko
import psycopg2
import pymysql
from django.db import models
from flask import request

HOST = os.environ["DB_HOST"]

class Server(models.Model):
    host = models.TextField()

class Database:
    def __init__(self, host, name):
        self.host, self.name = host, name

    def open(self):
        self.connection = psycopg2.connect("host='{0}' dbname='{1}'".format(self.host, self.name))
        self.cursor = self.connection.cursor()

    def query(self, text):
        self.open()
        self.cursor.execute(text)

def host_of(name):
    print(name)
    return HOST

def view(name):
    body = request.json
    """
JAVASCRIPT = """
const express = require("express");
const mysql = require("mysql2/promise");
const Sftp = require("ssh2-sftp-client");
const app = express();
app.use(express.json());
app.post("/", async (req, res) => {
  const body = req.body;
  """
GO = """
package main

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

func connect(host string) (*sftp.Client, *ssh.Client, error) {
	conn, err := ssh.Dial("tcp", net.JoinHostPort(host, "22"), &ssh.ClientConfig{})
	if err != nil {
		return nil, nil, err
	}
	client, err := sftp.NewClient(conn)
	return client, conn, err
}

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		"""


def reported(name: str, text: str, folder: Path) -> set[tuple[str, str]]:
    """Class and doubt of what is found, but for the connections themselves."""
    (folder / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(None, ())).findings
    return {
        (each.vulnerability, each.doubt.name if each.doubt else "")
        for each in found
        if not each.vulnerability.startswith("ssrf")
    }


DOUBTED = "chosen-server"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("psycopg2.connect(host=body['h']).cursor().execute(body['q'])", ("sql-injection", DOUBTED)),
        ("psycopg2.connect(host=HOST).cursor().execute(body['q'])", ("sql-injection", "")),
        ("psycopg2.connect(host=HOST, dbname=body['d']).cursor().execute(body['q'])", ("sql-injection", "")),
        (
            "pymysql.connect(host=Server.objects.get(id=body['id']).host).cursor().execute(body['q'])",
            ("sql-injection", DOUBTED),
        ),
        ("pymysql.connect(host=Server.objects.get(id=1).host).cursor().execute(body['q'])", ("sql-injection", "")),
        ("Database(body['h'], name).query(body['q'])", ("sql-injection", DOUBTED)),
        ("Database(HOST, name).query(body['q'])", ("sql-injection", "")),
        ("Database(HOST, body['d']).query(body['q'])", ("sql-injection", "")),
        (
            "c = psycopg2.connect(host='db') if name else psycopg2.connect(host=body['h'])\n"
            "    c.cursor().execute(body['q'])",
            ("sql-injection", ""),
        ),
        ("psycopg2.connect('host=db').cursor().execute(body['q'])", ("sql-injection", "")),
        ("psycopg2.connect(host=host_of(body['h'])).cursor().execute(body['q'])", ("sql-injection", "")),
        (
            "c = paramiko.SSHClient()\n    c.connect(body['h'])\n    c.exec_command(body['q'])",
            ("command-injection", DOUBTED),
        ),
        ("c = paramiko.SSHClient()\n    c.connect(HOST)\n    c.exec_command(body['q'])", ("command-injection", "")),
        (
            "c = paramiko.SSHClient()\n    c.connect(body['h'])\n    c.open_sftp().listdir(body['q'])",
            ("path-traversal", DOUBTED),
        ),
        (
            "c = paramiko.SSHClient()\n    c.connect(body['h'])\n    c.open_sftp().get('a', body['q'])",
            ("path-traversal", ""),
        ),
    ],
)
def test_python(body: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert reported("a.py", PYTHON + body + "\n", tmp_path) == {expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "const c = await mysql.createConnection({ host: body.h }); await c.query(body.q);",
            ("sql-injection", DOUBTED),
        ),
        (
            "const c = await mysql.createConnection({ host: process.env.H }); await c.query(body.q);",
            ("sql-injection", ""),
        ),
        (
            "const c = await mysql.createConnection({ host: process.env.H, database: body.d }); await c.query(body.q);",
            ("sql-injection", ""),
        ),
        ("const c = new Sftp(); await c.connect({ host: body.h }); await c.list(body.q);", ("path-traversal", DOUBTED)),
        (
            "const c = new Sftp(); await c.connect({ host: process.env.H }); await c.list(body.q);",
            ("path-traversal", ""),
        ),
    ],
)
def test_javascript(body: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert reported("a.js", JAVASCRIPT + body + "\n});\n", tmp_path) == {expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('c, _, _ := connect(r.FormValue("h")); c.ReadDir(r.FormValue("q"))', ("path-traversal", DOUBTED)),
        ('c, _, _ := connect(os.Getenv("H")); c.ReadDir(r.FormValue("q"))', ("path-traversal", "")),
        (
            'd, _ := sql.Open("mysql", fmt.Sprintf("u:p@tcp(%s)/%s", r.FormValue("h"), r.FormValue("d")))\n'
            'd.Query(r.FormValue("q"))',
            ("sql-injection", DOUBTED),
        ),
        (
            'd, _ := sql.Open("mysql", fmt.Sprintf("u:p@tcp(%s)/%s", os.Getenv("H"), r.FormValue("d")))\n'
            'd.Query(r.FormValue("q"))',
            ("sql-injection", ""),
        ),
    ],
)
def test_go(body: str, expected: tuple[str, str], tmp_path: Path) -> None:
    used = "\n\t\t_, _ = fmt.Sprint(), os.Getenv\n\t\tvar _ *sql.DB\n"
    assert reported("a.go", GO + body + used + "\t})\n}\n", tmp_path) == {expected}
