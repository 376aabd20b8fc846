"""The texts that a program writes into a value, through branches, names, functions and lists."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled, vulnerability

from pyrograph.scanner.analysis.label.written_texts import written_texts

RULES = (
    SOURCE
    + """
[sink]
danger = ["web.run(0)"]

[propagator]
flow = [
    "builtins.str#join: this -> ret; 0 -> ret",
    "builtins.str#strip: this -> ret",
    "builtins.list#append: 0 -> this[]",
]

[type]
builtin = ["builtins.str", "builtins.list"]
"""
)
BEFORE = """
import web
x = web.get()
def given(text):
    web.run(text)
def made():
    return "a " + x
class Store:
    def __init__(self):
        self.text = "a " + x
    def go(self):
        %s
"""


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("web.run('a ' + x)", {"a \0"}),
        ("t = 'a'; t = t + ' ' + x if x else t; web.run(t)", {"a", "a \0"}),
        ("t = ('a' if x else 'b'); web.run(t + ' ' + x)", {"a \0", "b \0"}),
        ("web.run(made())", {"a \0"}),
        ("web.run(self.text)", {"a \0"}),
        ("web.run(('a ' + x).strip())", {"a \0"}),
        ("web.run(' '.join(['a', x]))", {"a \0"}),
        ("t = ['a']; t.append(x); web.run(' '.join(t))", {"a \0"}),
        ("web.run(x)", {"\0"}),
        ("given('a'); given('b ' + x)", {"a", "b \0"}),
        ("t = 'a'\n        while x: t = t + ' ' + x\n        web.run(t)", {"a", "a \0", "a \0 \0"}),
    ],
)
def test_texts_are_those_of_all_definitions(code: str, texts: set[str]) -> None:
    found = labelled(BEFORE.replace("%s", code), RULES, "python", vulnerabilities=(vulnerability("danger"),))
    sinks = [each.value for each in found.labels.sinks if (found.text(each.value) == "text") == ("given" in code)]
    assert len(sinks) == 1
    written = set(written_texts(found.facts, sinks[0]))
    assert texts <= written
    assert texts == written or "while" in code
