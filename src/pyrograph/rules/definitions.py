"""Notations of texts that declare what the arguments of functions may hold, and their readers: data and parsers for
``label/declared_arguments.py``.

A text in the program, or a part of one, declares fields with arguments: ``boards(type: String!, kinds: [Kind]): Int``.
The library that reads it refuses arguments of other types. What is not understood is not guessed: a text whose
brackets do not match declares nothing, and a list of arguments with a hole declares arguments that are not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

NUMBERS: Final = "numbers"  # or truth values: no text
TEXTS: Final = "texts"  # any text, but no object
LISTED: Final = "listed"  # one of the names that the text declares
UNKNOWN: Final = "unknown"  # may hold anything

Arguments = Mapping[str, str]  # name -> name of the type, whether it is a list of it or not


class Definitions(NamedTuple):
    """What texts declare; None: arguments, or fields, that are not known."""

    fields: dict[str, list[Arguments | None]]  # name of a field -> its declarations
    scalars: dict[str, set[str]]  # name of a type -> what it holds, by each of its declarations
    objects: dict[str, list[Arguments | None]]  # name of a type -> the fields of objects, by each of its declarations


class Notation(NamedTuple):
    """How a library writes declarations."""

    meaning: str
    built_in: Mapping[str, str]  # name of a type -> what it holds
    declares: re.Pattern[str]  # is found in each text that declares something
    read: Callable[[str, Definitions], None]  # adds what a text declares; a hole is a NUL


TOKEN: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"'  # descriptions and values
    r"|\#[^\n]*"  # comments
    r"|[A-Za-z_\0][\w\0]*"  # names, and holes, which may be a part of one
    r"|[^\s,]"
)
NAME: Final = re.compile(r"[A-Za-z_]\w*")
PARTNERS: Final = {"(": ")", "[": "]", "{": "}"}


def read_sdl(text: str, found: Definitions) -> None:
    """The schema definition language of GraphQL, whole documents and parts of them. Time linear in the text."""
    tokens = [each for each in TOKEN.findall(text) if each[0] not in '"#']
    closing = partners(tokens)
    if closing is None:
        return
    for at, token in enumerate(tokens):
        end = closing.get(at, 0)
        if token == "(" and at and NAME.fullmatch(tokens[at - 1]) and tokens[end + 1 : end + 2] == [":"]:
            found.fields.setdefault(tokens[at - 1], []).append(arguments(tokens, at + 1, end, closing))
        elif token in ("enum", "input", "scalar") and NAME.fullmatch("".join(tokens[at + 1 : at + 2])):
            name = tokens[at + 1]
            if token == "input":
                end = closing[at + 2] if tokens[at + 2 : at + 3] == ["{"] else 0
                found.objects.setdefault(name, []).append(arguments(tokens, at + 3, end, closing) if end else None)
            else:
                found.scalars.setdefault(name, set()).add(LISTED if token == "enum" else UNKNOWN)


def partners(tokens: Sequence[str]) -> dict[int, int] | None:
    """Where each bracket is closed, if all of them match."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token in PARTNERS:
            opened.append(at)
        elif token in PARTNERS.values():
            if not opened or PARTNERS[tokens[opened[-1]]] != token:
                return None
            found[opened.pop()] = at
    return None if opened else found


def arguments(tokens: Sequence[str], at: int, end: int, closing: Mapping[int, int]) -> Arguments | None:
    """Arguments, or fields of an object, that stand between brackets: ``name: [Type!]! = value @directive(...)``."""
    found: dict[str, str] = {}
    while at < end:
        name = tokens[at]
        if not NAME.fullmatch(name) or tokens[at + 1] != ":":
            return None
        at += 2
        while at < end and tokens[at] == "[":
            at += 1
        if at >= end or not NAME.fullmatch(tokens[at]) or name in found:
            return None
        found[name] = tokens[at]
        at += 1
        while at < end and tokens[at] in ("]", "!"):
            at += 1
        while at < end and not (NAME.fullmatch(tokens[at]) and tokens[at + 1] == ":"):  # a value, directives
            if "\0" in tokens[at] or tokens[at] == ":":
                return None
            at = closing.get(at, at) + 1
    return found


DEFINITIONS: Final[dict[str, Notation]] = {
    "sdl": Notation(
        "the schema definition language of GraphQL, whole or in parts",
        MappingProxyType({"String": TEXTS, "ID": TEXTS, "Int": NUMBERS, "Float": NUMBERS, "Boolean": NUMBERS}),
        re.compile(r"\)\s*:|\b(?:enum|input|scalar)\s+\w"),
        read_sdl,
    ),
}
