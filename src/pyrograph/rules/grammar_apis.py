"""The rule language: APIs, parameters and ports, of which entries are made; see ``grammar``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Final

from pyrograph.model.languages import RuleSyntax, rule_syntax_of, title_of
from pyrograph.rules.entries import (
    Api,
    Parameters,
    Port,
)
from pyrograph.rules.reader import NAME, Reader

METHOD_PREFIX = re.compile(r"[\w$]*\*")  # all methods whose names begin so
NUMBER = re.compile(r"\d+")
VULNERABILITY = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.[a-z]+)?")  # or an aspect: "path.absolute"
KEY = re.compile(r"[^\[\]\x00-\x1f]*")
QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
BACKQUOTED = re.compile(r"`([^`\x00-\x1f]+)`")
SCOPE = re.compile(r"@[\w.~-]+/")  # "@nestjs/": an API where roots have scopes, else a decorator
MAJOR_VERSION = re.compile(r"/v\d+(?=/|$)")


def tilde(r: Reader) -> bool:
    low = r.take("~")
    if low:
        r.blanks()
    return low


def api(r: Reader, *, called: bool = False) -> Api:
    """``api``: a root and its steps; stops before anything that is no step. ``called``: the instance that it ends with
    may be what is called, ``axios.AxiosInstance#(0)``.
    """
    return (root(r), *steps(r, called=called))


@cache
def _root_of(language: str) -> tuple[RuleSyntax, re.Pattern[str]]:
    syntax = rule_syntax_of(language)
    return syntax, re.compile(syntax.root)


def root(r: Reader) -> str:
    start = r.at
    if quoted_root := r.find(BACKQUOTED):
        return quoted_root[1:-1]
    syntax, pattern = _root_of(r.language)
    found = r.find(pattern)
    if not found:
        r.fail(f"an API is missing {r.instead()}", "begin with a module, package or import path")
    if syntax.import_paths and (version := MAJOR_VERSION.search(found)):
        r.fail(f"import paths are matched without '{version.group()}'", "leave it out", start + version.start())
    return found.removeprefix("node:")


def steps(r: Reader, *, called: bool = False) -> Api:
    found: list[str] = []
    while True:
        character = r.next()
        if character == ".":
            r.at += 1
            found.append(r.name("."))
        elif character == "#":
            r.at += 1
            found.append("#")
            if r.next() not in ("[", "("):
                found.append(r.name("#"))
            elif r.next() == "(" and not (called or r.text.startswith("()", r.at)):
                r.fail("an instance is called without '()'", "write '#()' for calling an instance")
        elif character == "[":
            r.at += 1
            key = r.find(KEY)
            r.expect("]", "close the key")
            found.append(f"[{key}]")
        elif character == "(" and r.take("()"):
            found.append("()")
        else:
            return tuple(found)


def parameters(r: Reader) -> Parameters | None:
    """``parameter`` and ``returned``, or None (and nothing read) when a plain API stands here."""
    for word, read in FORMS.items():
        if r.take(word):
            return read(r)
    syntax = rule_syntax_of(r.language)
    if r.next() == "@" and not (syntax.scopes and SCOPE.match(r.text, r.at)):
        return _decorated(r, syntax)
    return _overriding(r)


def _declared_type(r: Reader) -> Parameters:
    """``type app.Form#body``: parameters that are declared to be of a type."""
    r.blanks()
    typed = api(r)
    split = typed.index("#") if "#" in typed else len(typed)
    return Parameters("type", typed[:split], steps=typed[split + 1 :])


def _param(r: Reader) -> Parameters:
    """``param user_input``: parameters with a name."""
    r.blanks()
    name = r.find(NAME)
    if not name:
        r.fail(f"a name is missing {r.instead()}", "write the parameter's name: 'param user_input'")
    return Parameters("name", (), which=name)


def _literal(r: Reader) -> Parameters:
    """``literal 'text'``: text literals with this content."""
    r.blanks()
    return Parameters("literal", (), method=quoted(r))


def _export(r: Reader) -> Parameters:
    """``export 'route.ts' GET:0 not with POST``: functions that files of a name export."""
    r.blanks()
    files = quoted(r)
    if not files:
        r.fail("the file pattern is missing", "write '*' for any file, or 'route.{ts,js}'")
    r.expect(" ", "write the name that the file exports after its pattern")
    r.blanks()
    exported = r.find(NAME)
    if not exported:
        r.fail(f"the exported name is missing {r.instead()}", "write it after the file: export 'route.ts' GET:0")
    inside = Port("ret", path=path(r))
    others: list[str] = []
    while r.take("," if others else " not with "):
        r.blanks()
        others.append(r.name("," if len(others) else " not with "))
    returning = None
    if r.take(" not where "):
        function = r.name(" not where ")
        r.expect("().", "write what a function beside it returns: 'not where config().cached == true'")
        key = r.name("().")
        r.expect(" == ", "write the constant that lies there: 'not where config().cached == true'")
        returning = (function, key, r.name(" == "))
    which, members = _which(r)
    return Parameters(
        "export",
        (),
        method=exported,
        port=inside,
        which=which,
        steps=members,
        files=files,
        others=tuple(others),
        returning=returning,
    )


def _directive(r: Reader) -> Parameters:
    """``directive 'use server'``: functions in the scope of such a text."""
    r.blanks()
    text = quoted(r)
    which, members = _which(r)
    return Parameters("directive", (), method=text, which=which, steps=members)


def _named(r: Reader, *, outermost: bool = False) -> Parameters:
    """``function (req, res):0``: functions whose parameters have these names; ``outermost``: in no other function."""
    r.blanks()
    r.expect("(", "write the names of the parameters: 'function (req, res)'")
    names: list[str] = []
    while not names or r.take(","):
        r.blanks()
        names.append(r.name("("))
        r.blanks()
    r.expect(")", "close the names of the parameters")
    imported = (root(r),) if r.take(" of ") else ()
    beside = root(r) if r.take(" beside ") else ""
    which, members = _which(r)
    text = ",".join(names)
    return Parameters("names", imported, text, which=which, steps=members, outermost=outermost, beside=beside)


def _method(r: Reader) -> Parameters:
    """``method RoundTrip (net/http.Request):0``: methods of a name, with parameters of these types."""
    r.blanks()
    name = r.name("method ")
    r.blanks()
    r.expect("(", "write the types of the parameters: 'method RoundTrip (net/http.Request):0'")
    return _typed(r, name)


def _typed(r: Reader, method: str = "") -> Parameters:
    """``handler (echo.Context):1``, from the types on: functions whose first parameters have these types."""
    types: list[Api] = []
    while not types or r.take(","):
        r.blanks()
        types.append(api(r))
        r.blanks()
    r.expect(")", "close the types of the first parameters: 'handler (echo.Context):1'")
    absent: list[Api] = []
    while method and r.take(" not beside "):
        absent.append((root(r), *steps(r)))
    which, members = _which(r)
    further = tuple(types[1:])
    return Parameters("types", types[0], method, which=which, steps=members, further=further, absent=tuple(absent))


def _answering(r: Reader) -> Parameters:
    """``answering app.Response:0``: functions that return an instance of a type."""
    r.blanks()
    answer = api(r)
    which, members = _which(r)
    return Parameters("answer", answer, which=which, steps=members)


def _callback(r: Reader) -> Parameters:
    """``cb app.get(1):0``: functions that a call is given."""
    r.blanks()
    registers = api(r)
    r.expect("(", "say which argument the function is: 'cb api(0)'")
    argument = port(r)
    r.expect(")", "say which argument the function is: 'cb api(0)'")
    taken = _types(r, "close the types of the first parameters: 'cb api(0[]) taking (app.Context):1'")
    which, members = _which(r)
    return Parameters("callback", registers, port=argument, which=which, steps=members, further=taken)


def _decorated(r: Reader, syntax: RuleSyntax) -> Parameters:
    """``@app.route:0``: decorated functions."""
    if not syntax.decorators:
        r.fail(f"{title_of(r.language)} has no decorators", "use 'cb api(0)' or 'type api'")
    r.at += 1
    decorator = api(r)
    which, members = _which(r)
    return Parameters("decorator", decorator, which=which, steps=members)


def _overriding(r: Reader) -> Parameters | None:
    """``app.Server!on_*:0``: methods that override those of a type; None (and nothing read) without the ``!``."""
    start = r.at
    overridden = api(r, called=True)
    if not r.take("!"):
        r.at = start
        return None
    method = r.find(METHOD_PREFIX) or r.name("!")
    taken = _types(r, "close the types of the first parameters: 'app.Server!on_* taking (app.Context)'")
    which, members = _which(r)
    return Parameters("override", overridden, method=method, which=which, steps=members, further=taken)


FORMS: Final[dict[str, Callable[[Reader], Parameters]]] = {  # the first word -> what reads the rest
    "type ": _declared_type,
    "param ": _param,
    "literal ": _literal,
    "export ": _export,
    "directive ": _directive,
    "module function ": partial(_named, outermost=True),
    "function ": _named,
    "method ": _method,
    "handler (": _typed,
    "answering ": _answering,
    "cb ": _callback,
}


def _types(r: Reader, missing: str) -> tuple[Api, ...]:
    """The types that the first parameters of a registered function have; none if nothing is said of them."""
    types: list[Api] = []
    if r.take(" taking ("):
        while not types or r.take(","):
            r.blanks()
            types.append(api(r))
            r.blanks()
        r.expect(")", missing)
    return tuple(types)


def _which(r: Reader) -> tuple[int | str, Api]:
    which: int | str = "*"
    if r.take(":"):
        if number := r.find(NUMBER):
            which = int(number)
        elif not r.take("*"):
            which = r.find(NAME)
            if not which:
                r.fail(
                    f"a parameter is missing after ':' {r.instead()}", "write its position, its name, '*' or 'return'"
                )
    return which, steps(r)


def ports(r: Reader) -> tuple[Port, ...]:
    """``ports``: at least one."""
    found = []
    while True:
        r.blanks()
        each = port(r)
        if r.take(" as "):
            r.blanks()
            each = dataclasses.replace(each, under=r.name("as"))
        found.append(each)
        r.blanks()
        if not r.take(","):
            return tuple(found)


def port(r: Reader) -> Port:
    start = r.at
    if number := r.find(NUMBER):
        if r.take("+"):
            return Port("from", int(number), path=path(r))
        names = []
        while r.take("|"):
            names.append(r.name("|"))
            r.take("=")
        if names:
            _keywords_exist(r, start, names[0])
        return Port("position", int(number), tuple(names), path(r))
    if r.take("-"):
        number = r.find(NUMBER)
        if not number or int(number) < 1:
            r.fail("a number is missing after '-'", "write -1 for the last argument, -2 for the one before")
        return Port("end", int(number), path=path(r))
    if r.take("*"):
        return Port("all", path=path(r))
    name = r.find(NAME)
    if not name:
        r.fail(f"an argument is missing {r.instead()}", "write a position from 0, 'name=', this, ret or *")
    if r.next() == "=" and not r.text.startswith(("==", "=>"), r.at):
        r.at += 1
        _keywords_exist(r, start, name)
        return Port("keyword", names=(name,), path=path(r))
    if name == "this" or name == "ret":
        return Port(name, path=path(r))  # type: ignore[arg-type]
    r.fail(f"'{name}' is not an argument", f"write '{name}=' for the keyword, or the position from 0", start)


def _keywords_exist(r: Reader, at: int, name: str) -> None:
    if not rule_syntax_of(r.language).keyword_arguments:
        r.fail(
            f"{title_of(r.language)} has no keyword arguments",
            f"write the position; '0[{name}]' is a member of argument 0",
            at,
        )


def path(r: Reader) -> tuple[str, ...]:
    """The keys after a port: ``[key]``, ``[]``, ``[$0]``, ``.name``."""
    keys = []
    while True:
        if r.take("["):
            start = r.at
            key = r.find(KEY)
            r.expect("]", "close the key")
            if key == "*":
                r.fail("any element of an argument is written []", "leave out the '*'", start)
            keys.append(key)
        elif r.take("."):
            keys.append(r.name("."))
        else:
            return tuple(keys)


def without(r: Reader) -> tuple[str, ...]:
    """`` without NAME, NAME``, or nothing."""
    found = names_after(r, " without ")
    if found and r.at and r.text[r.at - 1] == " ":
        r.at -= 1  # conditions begin with it
    return found


def names_after(r: Reader, word: str) -> tuple[str, ...]:
    """The vulnerabilities and aspects that follow ``word``, or none where it does not stand here."""
    found: list[str] = []
    while r.take(word if not found else ","):
        r.blanks()
        name = r.find(VULNERABILITY)
        if not name:
            r.fail(f"a vulnerability is missing {r.instead()}", "write its id: 'this[Path] -> ret without ssrf'")
        found.append(name)
        r.blanks()
    return tuple(found)


def quoted(r: Reader) -> str:
    found = QUOTED.match(r.text, r.at)
    if found is None:
        r.fail("a quoted text is missing or not closed", "write 'text' or \"text\"")
    r.at = found.end()
    return found.group(1) if found.group(1) is not None else found.group(2)
