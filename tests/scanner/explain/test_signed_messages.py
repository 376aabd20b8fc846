"""Who has the key with which a message is signed composed it: what it names is no outsider's choice."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.options import ScanOptions

FLASK = """
import hashlib, hmac, os, sqlite3
import requests
from flask import Flask, abort, request

app = Flask(__name__)
SECRET = os.environ["HOOK_SECRET"]


def sign(body):
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def sign_name(name):
    return hmac.new(SECRET.encode(), name, hashlib.sha256).hexdigest()


def is_signed(body, given):
    return hmac.compare_digest(sign(body), given)


def ensure_signed():
    if not is_signed(request.get_data(), request.headers["X-Signature"]):
        abort(403)


@app.post("/hook")
def hook():
    %s
    message = request.get_json()
    requests.get("https://" + message["host"])
    requests.get("https://" + message["text"])
    sqlite3.connect("a.db").execute("SELECT * FROM t WHERE name = '" + message["name"] + "'")
"""
EXPRESS = """
const crypto = require('crypto');
const express = require('express');
const Validator = require('sns-validator');
const axios = require('axios');
const stripe = require('stripe')(process.env.STRIPE_KEY);
const app = express();
const secret = process.env.HOOK_SECRET;

function signed(req, res, next) {
  const digest = 'sha256=' + crypto.createHmac('sha256', secret).update(req.rawBody).digest('hex');
  if (!crypto.timingSafeEqual(Buffer.from(digest), Buffer.from(req.get('x-signature')))) return res.sendStatus(403);
  next();
}
function compared(req, res, next) {
  const digest = crypto.createHmac('sha256', secret).update(JSON.stringify(req.body)).digest('hex');
  if (digest !== req.get('x-signature')) { res.sendStatus(403); return; }
  next();
}
function logs(req, res, next) {
  const digest = crypto.createHmac('sha256', secret).update(JSON.stringify(req.body)).digest('hex');
  if (digest !== req.get('x-signature')) console.log('unsigned');
  next();
}
const ofTenant = async (req, res, next) => {
  const tenant = await db.tenants.findOne({ id: req.params.id });
  const digest = crypto.createHmac('sha256', tenant.secret).update(JSON.stringify(req.body)).digest('hex');
  if (digest !== req.get('x-signature')) return res.sendStatus(403);
  next();
};
function validated(message) {
  return new Promise((resolve, reject) => {
    new Validator().validate(message, (err, valid) => {
      if (err) { reject(err); return; }
      resolve();
    });
  });
}

app.post('/hook', %s async (req, res) => {
  %s
  await axios.get(req.body.url);
});
"""
GO = """
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
)

type Message struct {
	Url string
}

func authenticate(secret string, given string, body string) error {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + body))
	computed := []byte("v0=" + hex.EncodeToString(mac.Sum(nil)))
	if !hmac.Equal(computed, []byte(given)) {
		return errors.New("invalid signature")
	}
	return nil
}

func hook(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var message Message
	json.Unmarshal(body, &message)
	%s
	http.Get(message.Url)
}

func main() {
	http.HandleFunc("/hook", hook)
	http.ListenAndServe(":80", nil)
}
"""
AUTHENTICATED = """secret := os.Getenv("HOOK_SECRET")
	if err := authenticate(secret, r.Header.Get("X-Signature"), string(body)); err != nil {
		return
	}"""


@cache
def rules() -> Rules:
    return load_rules(None, ())


def graded(root: Path, name: str, code: str) -> list[tuple[str, str]]:
    (root / name).write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, rules()).findings
    return [(each.vulnerability, each.doubt.name if each.doubt else each.confidence) for each in found]


@pytest.mark.parametrize(
    ("check", "doubt"),
    [
        ("ensure_signed()", "signed"),
        ("if not is_signed(request.data, request.headers['X-Signature']): abort(403)", "signed"),
        ("if sign(request.data) != request.headers['X-Signature']: abort(403)", "signed"),
        ("if not is_signed(request.data, request.headers['X-Signature']): print('unsigned')", "high"),
        ("if sign_name(request.args['name']) != request.headers['X-Signature']: abort(403)", "high"),
    ],
)
def test_addresses_in_signed_messages_are_doubted(check: str, doubt: str, tmp_path: Path) -> None:
    assert graded(tmp_path, "app.py", FLASK % check) == [
        ("ssrf", doubt),
        ("ssrf", "high"),
        ("sql-injection", "high"),
    ]


@pytest.mark.parametrize(
    ("middleware", "check", "doubt"),
    [
        ("signed,", "", "signed"),
        ("compared,", "", "signed"),
        ("", "await validated(req.body);", "signed"),
        ("", "stripe.webhooks.constructEvent(req.body, req.get('stripe-signature'), secret);", "signed"),
        ("logs,", "", "high"),
        ("ofTenant,", "", "high"),
        ("", "", "high"),
    ],
)
def test_middleware_and_calls_that_verify(middleware: str, check: str, doubt: str, tmp_path: Path) -> None:
    assert graded(tmp_path, "app.js", EXPRESS % (middleware, check)) == [("ssrf", doubt)]


@pytest.mark.parametrize(("check", "doubt"), [(AUTHENTICATED, "signed"), ("", "high")])
def test_errors_that_a_function_of_the_program_returns(check: str, doubt: str, tmp_path: Path) -> None:
    assert graded(tmp_path, "main.go", GO % check) == [("ssrf", doubt)]
