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


PSYCOPG = """
import os

import psycopg2
from flask import Flask, request

app = Flask(__name__)
connection = psycopg2.connect("")


@app.route("/put", methods=["POST"])
def put():
    cursor = connection.cursor()
    parts = []
    values = []
    for name, value in {"title": request.form["title"], "size": request.form["size"]}.items():
        parts.append(f"{name} = %s")
        values.append(value)
    if "note" in request.form:
        parts.append("note = %s")
        values.append(request.form["note"])
    if "file" in request.files:
        parts.append("file = %s")
        values.append("made.png")
    values.append(request.args["id"])
    cursor.execute(f"UPDATE books SET {', '.join(parts)} WHERE id = %s", values)
    return ""


@app.route("/get")
def get():
    cursor = connection.cursor()
    cursor.execute("SELECT COLUMN FROM books WHERE id = %s", (request.args["id"],))
    os.remove("/data/" + cursor.fetchone()[0])
    return ""
"""

MYSQL = """
const fs = require("fs");
const express = require("express");
const mysql = require("mysql2/promise");

const app = express();
const pool = mysql.createPool({});

app.post("/put", async (req, res) => {
  const parts = [];
  const values = [];
  for (const [name, value] of Object.entries({ title: req.body.title, size: req.body.size })) {
    parts.push(`${name} = ?`);
    values.push(value);
  }
  if (req.body.note) {
    parts.push("note = ?");
    values.push(req.body.note);
  }
  if (req.body.file) {
    parts.push("file = ?");
    values.push("made.png");
  }
  values.push(req.query.id);
  await pool.query(`UPDATE books SET ${parts.join(", ")} WHERE id = ?`, values);
});

app.get("/get", async (req, res) => {
  const [rows] = await pool.query("SELECT COLUMN FROM books WHERE id = ?", [req.query.id]);
  fs.unlinkSync("/data/" + rows[0].COLUMN);
});
"""

DATABASE_SQL = """package main

import (
	"database/sql"
	"net/http"
	"os"
	"strings"
)

var db *sql.DB

func put(w http.ResponseWriter, r *http.Request) {
	var parts []string
	var values []any
	if r.FormValue("note") != "" {
		parts = append(parts, "note = ?")
		values = append(values, r.FormValue("note"))
	}
	if r.FormValue("title") != "" {
		parts = append(parts, "title = ?")
		values = append(values, r.FormValue("title"))
	}
	if r.FormValue("file") != "" {
		parts = append(parts, "file = ?")
		values = append(values, "made.png")
	}
	db.Exec("UPDATE books SET "+strings.Join(parts, ", ")+" WHERE id = ?", values...)
}

func get(w http.ResponseWriter, r *http.Request) {
	var name string
	db.QueryRow("SELECT COLUMN FROM books WHERE id = ?", r.FormValue("id")).Scan(&name)
	os.Remove("/data/" + name)
}

func main() {
	http.HandleFunc("/put", put)
	http.HandleFunc("/get", get)
}
"""


@pytest.mark.parametrize(("name", "text"), [("app.py", PSYCOPG), ("app.js", MYSQL), ("main.go", DATABASE_SQL)])
@pytest.mark.parametrize("column", ["note", "file"])
def test_each_value_of_a_dynamic_update_is_stored_in_the_column_beside_it(
    tmp_path: Path, name: str, text: str, column: str
) -> None:
    assert ("" in doubts_of(tmp_path, name, text.replace("COLUMN", column))) == (column == "note")


ZIPPED = """
import sqlite3

from flask import Flask, request

app = Flask(__name__)
connection = sqlite3.connect("shop.db")


@app.route("/put", methods=["POST"])
def put():
    values = (request.form["note"], "made.png")
    connection.execute("INSERT INTO books (note, file) VALUES (?, ?)", values)
    return ""


@app.route("/get")
def get():
    cursor = connection.execute("SELECT * FROM books")
    names = [each[0] for each in cursor.description]
    for values in cursor.fetchall():
        row = dict(zip(names, values))
        open("/data/" + row["COLUMN"])
    return ""
"""


@pytest.mark.parametrize(("column", "doubt"), [("note", ""), ("file", doubts.OTHER_ROW)])
def test_a_row_is_read_by_the_name_of_another_column(tmp_path: Path, column: str, doubt: str) -> None:
    assert doubt in doubts_of(tmp_path, "app.py", ZIPPED.replace("COLUMN", column))


FORMS_JS = """
const express = require("express"), cp = require("child_process"), sqlite3 = require("sqlite3");
const app = express();
const db = new sqlite3.Database("shop.db");
function all(sql, values) {
  return new Promise((resolve, reject) => {
    db.all(sql, values, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}
const first = (sql, values) => all(sql, values).then((rows) => rows[0]);
const add = ({ title, text, size }) => all("INSERT INTO notes (title, text, size) VALUES (?, ?, ?)", VALUES);
app.post("/put", async (req, res) => {
  await add(req.body);
});
app.get("/get", async (req, res) => {
  const note = await first("SELECT * FROM notes WHERE id = ?", [req.query.id]);
  cp.exec(note.text);
});
"""


@pytest.mark.parametrize(
    ("values", "is_found"), [("[title, text, size]", True), ('[title, "made", size]', False), ("[1, 2, size]", False)]
)
def test_of_the_columns_of_a_form_the_one_that_is_read_counts(tmp_path: Path, values: str, is_found: bool) -> None:
    """The shortest path stores any column of the form."""
    found = doubts_of(tmp_path, "app.js", FORMS_JS.replace("VALUES);", f"{values});"))
    assert ("" in found) == is_found


FORM_TS = """
import { Body, Controller, Get, Param, Post } from "@nestjs/common";
import { InjectRepository } from "@nestjs/typeorm";
import { exec } from "child_process";
import { Column, Entity, PrimaryGeneratedColumn, Repository } from "typeorm";

@Entity()
export class Item {
  @PrimaryGeneratedColumn() id: number;
  @Column() place: string;
}

@Entity()
export class Other {
  @PrimaryGeneratedColumn() id: number;
  @Column() place: string;
}

export class NewItem {
  place: string;
}

@Controller("items")
export class Items {
  constructor(@InjectRepository(Item) private readonly items: Repository<Item>) {}

  create(form: NewItem): Promise<Item> {
    return this.items.save(this.items.create(form));
  }

  @Post()
  add(@Body() form: NewItem): Promise<Item> {
    return this.create(form);
  }

  @Get(":id")
  async show(@Param("id") id: number): Promise<void> {
    const item = await this.items.findOneBy({ id });
    exec(item.place);
  }
}
"""


def test_a_repository_makes_a_record_of_a_form(tmp_path: Path) -> None:
    """The form's class is no class of records, so that it says nothing of the table."""
    assert doubts_of(tmp_path, "app.ts", FORM_TS) == [""]


RELATED = """
from flask import Flask, request
from sqlalchemy import Column, ForeignKey, Integer, String, create_engine
from sqlalchemy.orm import declarative_base, relationship, sessionmaker
import os

app, Base, Session = Flask(__name__), declarative_base(), sessionmaker(bind=create_engine("sqlite://"))


class Note(Base):
    __tablename__ = "note"
    id = Column(Integer, primary_key=True)
    text = Column(String)
    kind = Column(String)
    post_id = Column(Integer, ForeignKey("post.id"))


class Post(Base):
    __tablename__ = "post"
    id = Column(Integer, primary_key=True)
    notes = relationship("Note")


@app.post("/note")
def write():
    session = Session()
    session.add(Note(text=request.form["text"]))
    session.commit()
    return ""


@app.get("/<int:number>")
def show(number):
    os.system(Session().query(Note).filter(Note.id == number).all()[0].COLUMN)
    return ""
"""


@pytest.mark.parametrize(("column", "doubt"), [("text", ""), ("kind", doubts.OTHER_ROW)])
def test_columns_that_a_class_declares(tmp_path: Path, column: str, doubt: str) -> None:
    (tmp_path / "app.py").write_text(RELATED.replace("COLUMN", column), encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1), load_rules())
    found = [each for each in report.findings if each.vulnerability == "command-injection"]
    assert [each.doubt.name if each.doubt else "" for each in found] in ([[""]] if not doubt else [[], [doubt]])
