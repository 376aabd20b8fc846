"""The rule language: the conditions of entries; see ``grammar``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar

from pyrograph.rules.entries import (
    OPERATORS,
    Constant,
    EntryCondition,
    Port,
    TestOf,
)
from pyrograph.rules.grammar_apis import api, port, quoted
from pyrograph.rules.reader import NAME, Reader

T = TypeVar("T")

VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,5}")
NUMERIC = re.compile(r"-?\d+(?:\.\d+)?(?![\w.])")
TYPE_WORDS = ("string", "list", "dict", "mapping", "number", "constant", "function", "concatenated", "file")
CONSTANTS: dict[str, Constant] = {"true": True, "false": False, "null": None}
FOREIGN_CONSTANTS = {"True": "true", "False": "false", "None": "null", "nil": "null", "undefined": "null"}


def conditions(r: Reader) -> tuple[EntryCondition, ...]:
    found = []
    while r.next():
        start = r.at
        r.blanks()
        word = r.word("when", "unless") if r.text[r.at - 1] == " " else ""
        if not word:
            r.fail(f"cannot read '{r.text[r.at :]}' here", "conditions begin with ' when ' or ' unless '", start)
        tests = [test_of(r)]
        r.blanks()
        while r.word("and"):
            tests.append(test_of(r))
            r.blanks()
        found.append(EntryCondition(word == "unless", tuple(tests)))
    return tuple(found)


def at_end(r: Reader) -> bool:
    """Whether a test of a guard ends here."""
    return r.text.startswith("and ", r.at) or at_condition(r)


def at_condition(r: Reader) -> bool:
    return r.text.startswith(("when ", "unless ", " when ", " unless "), r.at)


def test_of(r: Reader) -> TestOf:
    r.blanks()
    if r.word("via"):
        return dataclasses.replace(test_of(r), via=True)
    if r.word("here"):
        return given_here(r)
    if r.word("secret"):
        return secret(r)
    if r.word("imported"):
        r.blanks()
        return TestOf(Port("ret"), "imported", choices(r, quoted) if r.next() == "(" else (quoted(r),))
    if r.word("version"):
        return version(r)
    start = r.at
    tested = port(r)
    spelled = r.text[start : r.at]
    r.blanks()
    if r.take("=="):
        return TestOf(tested, "==", (constant(r),))
    if r.take("!="):
        return TestOf(tested, "!=", (constant(r),))
    start = r.at
    operator = r.find(NAME)
    r.blanks()
    if operator == "in":
        return TestOf(tested, "in", choices(r, constant))
    if operator in ("present", "absent", "invoked", "enclosed", "decides"):
        return TestOf(tested, operator)  # type: ignore[arg-type]
    if operator == "converts":
        return TestOf(tested, "converts", (quoted(r),))
    if operator in ("backtracks", "slow"):
        kind = r.word("match", "fullmatch", "search")
        if not kind:
            r.fail("the kind of match is missing", f"write '{operator} match', 'fullmatch' or 'search'")
        return TestOf(tested, operator, (kind,))  # type: ignore[arg-type]
    if operator == "called":
        method = r.name("called")
        r.expect("(", "write the method's call: called setFeature(true)")
        arguments = () if r.next() == ")" else (constant(r),)
        r.expect(")", "close the list of arguments")
        return TestOf(tested, "called", (method, *arguments))
    if operator == "opens":
        pattern = quoted(r)
        try:
            re.compile(pattern)
        except re.error as error:
            r.fail(f"the pattern cannot be compiled: {error}", "write a regular expression of Python")
        return TestOf(tested, "opens", (pattern,))
    if operator in ("prefix", "begins", "contains", "lacks"):
        values = choices(r, quoted) if r.next() == "(" else (quoted(r),)
        return TestOf(tested, operator, values)  # type: ignore[arg-type]
    if operator == "given":
        return TestOf(tested, "given", choices(r, quoted) if r.next() == "(" else (quoted(r),))
    if operator == "is":
        return TestOf(tested, "is", type=r.word(*TYPE_WORDS) or api(r))
    remedy = f"use {', '.join(OPERATORS[:-1])} or {OPERATORS[-1]}"
    if operator:
        near = get_close_matches(operator, OPERATORS, 1)
        r.fail(f"'{operator}' is not a test", f"did you mean '{near[0]}'?" if near else remedy, start)
    r.fail(f"the test of '{spelled}' is missing", remedy, start)


def version(r: Reader) -> TestOf:
    """``version 'lxml' < '5'``"""
    r.blanks()
    library = quoted(r)
    r.blanks()
    r.expect("<", "say below which version the library must be: version 'lxml' < '5'")
    r.blanks()
    start = r.at
    limit = quoted(r)
    if not VERSION.fullmatch(limit):
        r.fail(f"'{limit}' is not a version", "write numbers with dots between them: '4.17.12'", start)
    return TestOf(Port("ret"), "version", (library, limit))


def given_here(r: Reader) -> TestOf:
    """``here bottle.response given 'text/plain'``"""
    r.blanks()
    of_library = api(r)
    r.blanks()
    if not r.word("given"):
        r.fail("'given' is missing", "write what the object was given: here bottle.response given 'text/plain'")
    r.blanks()
    values = choices(r, quoted) if r.next() == "(" else (quoted(r),)
    return TestOf(Port("ret"), "given", values, here=of_library)


def secret(r: Reader) -> TestOf:
    """``secret hmac.new(0|key)``"""
    r.blanks()
    made_by = api(r)
    r.expect("(", "write which argument is the key: secret hmac.new(0|key)")
    tested = port(r)
    r.expect(")", "close the port")
    return TestOf(tested, "secret", here=made_by)


def choices(r: Reader, read: Callable[[Reader], T]) -> tuple[T, ...]:
    """``( a, b, ... )``: any of these."""
    r.expect("(", "write the choices in parentheses: ('a', 'b')")
    found = []
    while True:
        r.blanks()
        found.append(read(r))
        r.blanks()
        if r.take(")"):
            return tuple(found)
        r.expect(",", "separate the choices by commas and close the parenthesis")


def constant(r: Reader) -> Constant:
    r.blanks()
    start = r.at
    if r.next() in ("'", '"'):
        return quoted(r)
    if number := r.find(NUMERIC):
        return float(number) if "." in number else int(number)
    name = r.find(NAME)
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in FOREIGN_CONSTANTS:
        r.fail(f"'{name}' is not a constant of the rule language", f"write {FOREIGN_CONSTANTS[name]}", start)
    r.fail("a constant is missing", "write a quoted text, a number, true, false or null", start)
