"""A function that checks some members of an object says nothing of the others."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """\
import os, json
from flask import Flask, request, abort
app = Flask(__name__)

def is_valid(form):
    if form['kind'] not in ('a', 'b'):
        return False
    return True

def is_valid_keys(obj, keys):
    if not isinstance(obj, dict):
        return False, 'x'
    have = set(obj.keys())
    for k in have - set(keys):
        obj.pop(k)
    if not obj:
        return False, 'y'
    if len(have) < 2:
        return False, 'z'
    return True, None

def is_valid_all(form):
    for k, v in form.items():
        if ';' in v:
            return False
    return True

def validate(obj):
    if obj.get('name') == 'root':
        raise ValueError()
    check_more(obj)

def check_more(obj):
    if obj['size'] not in ('1', '2'):
        raise ValueError()

@app.route('/1', methods=['POST'])
def a():
    form = request.form.copy()
    if not is_valid(form):
        abort(400)
    os.system(form['text']) # found
    os.system(form['kind'])
    return ''
@app.route('/2', methods=['POST'])
def b():
    obj = json.loads(request.data)
    ok, err = is_valid_keys(obj, ['x'])
    if ok:
        os.system(obj['x']) # found
    return ''
@app.route('/3', methods=['POST'])
def c():
    form = request.json
    if not is_valid_all(form):
        abort(400)
    os.system(form['text'])
    return ''
@app.route('/4', methods=['POST'])
def d():
    obj = request.json
    validate(obj)
    os.system(obj['text']) # found
    os.system(obj['size'])
    os.system(obj['name'])
    return ''


class Kept:
    def __init__(self, form):
        self.form = form


@app.route('/5', methods=['POST'])
def e():
    form = request.form.copy()
    if not is_valid(form):
        abort(400)
    kept = Kept(form)
    os.system(kept.form['kind'])
    os.system(kept.form['text']) # found
    return ''


def validated(form):
    kind = form.get('kind')
    if kind not in known_kinds():
        raise ValueError(kind)
    form['size'] = str(form['size'])
    return form


def validated_all(form):
    for key, value in form.items():
        if value in known_kinds():
            raise ValueError(key)
    return form


def known_kinds():
    return open('kinds').read().split()


@app.route('/6', methods=['POST'])
def f():
    form = validated(request.form.to_dict())
    os.system(form['kind'])
    os.system(form['text']) # found
    return ''


@app.route('/7', methods=['POST'])
def g():
    form = validated_all(request.form.to_dict())
    os.system(form['text'])
    return ''
"""

JAVASCRIPT = """\
const express = require('express');
const { execSync } = require('child_process');
const app = express();
app.use(express.json());
function validateBody(b) {
  if (!b.kind || !/^[a-z]+$/.test(b.kind)) throw new Error('x');
}
function isValid(b) {
  if (typeof b !== 'object') return false;
  const { kind, size } = b;
  return ['a', 'b'].includes(kind) && size === '1';
}
app.post('/1', (req, res) => {
  validateBody(req.body);
  execSync(req.body.text); // found
  execSync(req.body.kind);
});
app.post('/2', (req, res) => {
  const body = req.body;
  if (!isValid(body)) return res.status(400).end();
  execSync(body.text); // found
  execSync(body.kind);
});
function validated(b) {
  if (!known().includes(b.kind)) throw new Error('x');
  return b;
}
function known() {
  return require('fs').readFileSync('kinds', 'utf8').split(' ');
}
app.post('/3', (req, res) => {
  const body = validated(req.body);
  execSync(body.text); // found
  execSync(body.kind);
});
"""

GO = """\
package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os/exec"
	"strings"
)

type Req struct {
	Name string
	Kind string
	Text string
}

func (r *Req) Validate() error {
	if r.Kind != "a" && r.Kind != "b" {
		return errors.New("x")
	}
	if strings.Contains(r.Name, "x") {
		return errors.New("x")
	}
	return nil
}

func valid(r Req) bool {
	return r.Kind == "a"
}

func h(w http.ResponseWriter, r *http.Request) {
	var q Req
	json.NewDecoder(r.Body).Decode(&q)
	if err := q.Validate(); err != nil {
		return
	}
	exec.Command("sh", "-c", q.Text).Run() // found
}

func g(w http.ResponseWriter, r *http.Request) {
	var q Req
	json.NewDecoder(r.Body).Decode(&q)
	if !valid(q) {
		return
	}
	exec.Command("sh", "-c", q.Text).Run() // found
}

func main() {
	http.HandleFunc("/", h)
	http.HandleFunc("/g", g)
	http.ListenAndServe(":1", nil)
}
"""


def test_a_check_is_about_the_members_that_it_looks_at(tmp_path: Path) -> None:
    wanted = set()
    for name, text in (("app.py", PYTHON), ("app.js", JAVASCRIPT), ("app.go", GO)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        wanted |= {(name, at) for at, line in enumerate(text.splitlines(), 1) if line.endswith(" found")}
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {(each.place.path, each.place.line) for each in found if each.vulnerability == "command-injection"} == wanted
