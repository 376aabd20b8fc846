"""Hypothesis strategies for programs that use every construct of the front ends.

A grammar (``grammars/*.txt``) has productions for each symbol. Names come from small pools, so that functions recurse,
variables are aliased, classes inherit from each other in rings, and files import each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

GRAMMARS = Path(__file__).parent / "grammars"
MAX_DEPTH = 9  # productions in productions, from where on the shortest ones are taken
MAX_PARTS = 250  # symbols of one file, from where on the shortest productions are taken

_SYMBOL = re.compile(r"\$(\w+)(>?)")
_ESCAPE = re.compile(r"\\([nt\\])")
_ESCAPED = {"n": "\n", "t": "\t", "\\": "\\"}
_ENDINGS = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}
_PAGES = ("templates/page.html", "views/page.ejs", "views/page.hbs", "views/page.pug", "page.njk")

Grammar = Mapping[str, tuple[str, ...]]


@cache
def grammar(language: str) -> Grammar:
    """Productions by symbol; TypeScript's are added to JavaScript's or replace them."""
    found: dict[str, tuple[str, ...]] = dict(grammar("javascript")) if language == "typescript" else {}
    symbol = ""
    for line in (GRAMMARS / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if re.fullmatch(r"\w+", line):
            symbol = line
            found[symbol] = ()
        else:
            found[symbol] += (_ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], line.strip()),)
    return found


@cache
def _shortest(language: str) -> Mapping[str, str]:
    """For each symbol the production that ends soonest. Ends because each iteration adds a symbol."""
    productions = grammar(language)
    chosen: dict[str, str] = {}
    while len(chosen) < len(productions):
        ready = {
            symbol: production
            for symbol, candidates in productions.items()
            if symbol not in chosen
            for production in candidates
            if all(name in chosen for name, _ in _SYMBOL.findall(production))
        }
        if not ready:
            raise ValueError(f"{language}: these symbols never end: {sorted(productions.keys() - chosen.keys())}")
        chosen |= ready
    return chosen


@st.composite
def texts(draw: Any, language: str) -> str:
    """One file."""
    productions, shortest = grammar(language), _shortest(language)
    left = MAX_PARTS

    def expand(symbol: str, depth: int) -> str:
        nonlocal left
        left -= 1
        candidates = productions[symbol]
        if (depth >= MAX_DEPTH or left <= 0) and len(_SYMBOL.findall(shortest[symbol])):
            production = shortest[symbol]
        else:
            plain = [each for each in candidates if "$" not in each] if depth >= MAX_DEPTH or left <= 0 else []
            production = draw(st.sampled_from(plain or candidates))
        return _filled(production, lambda symbol: expand(symbol, depth + 1))

    return expand("program", 0) + "\n"


def _filled(production: str, expand: Callable[[str], str]) -> str:
    """A production with a text for each of its symbols."""
    pieces: list[str] = []
    at = 0
    for match in _SYMBOL.finditer(production):
        pieces.append(production[at : match.start()])
        text = expand(match[1])
        if match[2]:
            text = "    " + text.replace("\n", "\n    ")
        else:  # further lines of it stand where this line begins
            line = "".join(pieces).rpartition("\n")[2]
            indent = line[: len(line) - len(line.lstrip())]
            text = text.replace("\n", "\n" + indent)
        pieces.append(text)
        at = match.end()
    return "".join([*pieces, production[at:]])


def covering(language: str) -> list[str]:
    """Programs that together use every production: each is the shortest around one of them."""
    productions, shortest = grammar(language), _shortest(language)

    def plain(symbol: str) -> str:
        return _filled(shortest[symbol], plain)

    around: dict[str, tuple[str, str]] = {}  # symbol -> the symbol and the production that it is met in first
    level = ["program"]
    while level:  # each round is of symbols that were not met before
        following: list[str] = []
        for symbol in level:
            for production in productions[symbol]:
                for name, _ in _SYMBOL.findall(production):
                    if name not in around and name != "program":
                        around[name] = symbol, production
                        following.append(name)
        level = following
    found: list[str] = []
    for symbol, candidates in productions.items():
        if symbol != "program" and symbol not in around:
            continue  # TypeScript does not use it
        for production in candidates:
            text, inside = _filled(production, plain), symbol
            while inside != "program":
                outer, holder = around[inside]
                left = iter([text])  # for the first place; the others get the shortest text
                text = _filled(holder, _first(inside, left, plain))
                inside = outer
            found.append(text + "\n")
    return found


def _first(symbol: str, texts: Iterator[str], plain: Callable[[str], str]) -> Callable[[str], str]:
    return lambda name: next(texts, None) or plain(name) if name == symbol else plain(name)


@st.composite
def programs(draw: Any) -> dict[str, bytes]:
    """Files that import each other, with templates that they fill."""
    language = draw(st.sampled_from(sorted(_ENDINGS)))
    files: dict[str, str] = {}
    for number in range(draw(st.integers(1, 3))):
        name = f"m{number}/m{number}.go" if language == "go" else f"m{number}.{_ENDINGS[language]}"
        files[name] = draw(texts(language))
    if language == "go":
        files["go.mod"] = "module example.com/x\n\ngo 1.22\n"
    else:
        files[draw(st.sampled_from(_PAGES))] = draw(texts("template"))
    return {path: text.encode() for path, text in files.items()}
