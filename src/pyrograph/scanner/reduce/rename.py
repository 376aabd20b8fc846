"""Replaces identifiers, words in texts and names of files by meaningless ones, wherever the program fails all the same.

A word is renamed everywhere at once: as an identifier, inside a text (``"./helper"``), in a template, in a path. So
imports still lead to their files. Which words must keep their name (those that rules or the language know) is found by
delta debugging; no list of names is needed. Keywords and numbers are never touched.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from pyrograph.parsers.trees import parse
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.minimal import minimal
from pyrograph.scanner.reduce.engine import Reducer
from pyrograph.scanner.reduce.program import Edit, Mark, Program

_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_HOLDS_WORDS = re.compile(  # kinds of nodes
    r"identifier\Z|identifier_pattern\Z|string_(literal_)?content\Z|string_fragment\Z|comment\Z|jsx_text\Z|regex_pattern\Z"
)
_KEPT_SUFFIXES = re.compile(r"(?:\.[A-Za-z0-9]+)+\Z")  # decide what a file is


def rename(reducer: Reducer) -> Program:
    """Rename what can be renamed in ``reducer.best``; the marks of the program move along."""
    program = reducer.best
    words = sorted({word for path in program.files for word in _words(program, path)})
    taken = {word for text in program.files.values() for word in _WORD.findall(text)}
    fresh = _fresh({*taken, *words})
    names = {word: next(fresh) for word in words}

    def fails(kept: list[bytes]) -> bool:
        stay = set(kept)
        renamed = _renamed(program, {word: name for word, name in names.items() if word not in stay})
        return renamed is not None and reducer.adopts(renamed)

    minimal(words, fails)
    reducer.report_progress("names")
    return reducer.best


def _fresh(taken: set[bytes]) -> Iterator[bytes]:
    """``a``, ``b``, ..., ``aa``, ...: words that no file holds, and no keyword of any language."""
    for length in itertools.count(1):
        for letters in itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=length):
            word = "".join(letters).encode()
            if length > 1:
                word += b"1"  # no keyword ends in a digit
            if word not in taken:
                yield word


def _words(program: Program, path: str) -> Iterator[bytes]:
    for _, word in _places(program.files[path], path):
        yield word
    for name in path.split("/"):
        yield from _WORD.findall(_stem(name).encode("utf-8", "surrogateescape"))


def _stem(name: str) -> str:
    """A file's name without its suffixes; of ``.gitignore`` and the like, nothing."""
    return _KEPT_SUFFIXES.sub("", name)


def _places(text: bytes, path: str) -> Iterator[tuple[int, bytes]]:
    """Where words may be renamed in a file: (offset, word). Everywhere in what has no grammar."""
    language = language_of_name(path)
    if language is None:
        yield from _found(text, 0, len(text))
        return
    syntax = parse(text, language)
    children = syntax.children()
    for node, kind in enumerate(syntax.kinds):
        if not _HOLDS_WORDS.search(kind):
            continue
        at = syntax.starts[node]
        for child in children[node]:  # escape sequences
            yield from _found(text, at, syntax.starts[child])
            at = syntax.ends[child]
        yield from _found(text, at, syntax.ends[node])


def _found(text: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    for match in _WORD.finditer(text, start, end):
        yield match.start(), match.group()


def _renamed(program: Program, names: dict[bytes, bytes]) -> Program | None:
    """The program with other names; None where two files would have one path."""
    marks = list(program.marks)
    files: dict[str, bytes] = {}
    for path, text in program.files.items():
        edits = [Edit(at, at + len(word), names[word]) for at, word in _places(text, path) if word in names]
        target = _path(path, names)
        if target in files:
            return None
        pieces: list[bytes] = []
        at = 0
        for edit in edits:
            pieces += (text[at : edit.start], edit.text)
            at = edit.end
        pieces.append(text[at:])
        files[target] = b"".join(pieces)
        for index, mark in enumerate(program.marks):
            if mark.path == path:
                shift = sum(len(e.text) - (e.end - e.start) for e in edits if e.end <= mark.offset)
                marks[index] = Mark(target, mark.offset + shift)
    return Program(files, tuple(marks))


def _path(path: str, names: dict[bytes, bytes]) -> str:
    parts = []
    for name in path.split("/"):
        stem = _stem(name)
        new = _WORD.sub(lambda word: names.get(word[0], word[0]), stem.encode("utf-8", "surrogateescape"))
        parts.append(new.decode("utf-8", "surrogateescape") + name[len(stem) :])
    return "/".join(parts)
