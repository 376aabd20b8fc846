"""Programs in which one function of two parameters is defined, exported, imported and called in some way.

A cell is one small program. Each of its sources has a comment ``from N``, each of its sinks a comment ``to N``: the
argument N arrives at the parameter N and nowhere else, so a scan reports the pairs of equal numbers and no others. All
cells use the same names, so that a call that is resolved by its name alone is wrong in some cell.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MARK = re.compile(r"(?:#|//) (from|to) (\d)")


@dataclass(frozen=True, slots=True)
class Definition:
    """A way to define ``run``, a function of ``a`` and ``b``, and the expression that is this function."""

    name: str
    code: str  # module-level text; ``BODY`` stands for statements that pass ``a`` and ``b`` to sinks
    run: str  # an expression with ``NAME`` for what other files import
    exported: str  # the module-level name that other files import
    features: frozenset[str] = frozenset()  # what calls may need or must not meet; see ``Call``


@dataclass(frozen=True, slots=True)
class Import:
    """A way in which one file gets a name of another."""

    name: str
    files: Mapping[str, str]  # further files, or ``lib``'s text with ``CODE`` for the definition and ``X`` for the name
    imports: str  # text before the caller's function
    root: str  # the expression that is the imported name, ``X``
    local: str = ""  # text at the beginning of the caller's function


@dataclass(frozen=True, slots=True)
class Call:
    """A way to call ``F`` with ``x`` and ``y``."""

    name: str
    code: str  # statements; ``F`` is the function, ``RECEIVER`` what it is a member of, ``MEMBER`` its name there
    imports: str = ""
    needs: frozenset[str] = frozenset()  # features that the definition has
    refuses: frozenset[str] = frozenset()  # features that it has not
    before: str = ""  # module-level text of the calling file


@dataclass(frozen=True, slots=True)
class Cell:
    """One program, in a folder of its own."""

    name: str
    files: Mapping[str, str]


def fits(definition: Definition, call: Call) -> bool:
    return call.needs <= definition.features and not call.refuses & definition.features


def alternating(
    definitions: Iterable[Definition], calls: Sequence[Call], one: Import, imports: Sequence[Import], first: int = 0
) -> Iterator[tuple[int, Definition, Import, Call]]:
    """All definitions with all calls, in turn in one file and in two; these with the imports in turn. Numbered from
    ``first``.
    """
    number = first
    for at, definition in enumerate(definitions):
        for which, call in enumerate(call for call in calls if fits(definition, call)):
            yield number, definition, one if (at + which) % 2 else imports[number % len(imports)], call
            number += 1


def has(*features: str) -> frozenset[str]:
    return frozenset(features)


def block(text: str, **parts: str) -> str:
    """``text`` without its indentation and with ``parts`` in place of their names, indented like the name."""
    lines = []
    for line in textwrap.dedent(text).strip("\n").split("\n"):
        name = line.strip()
        if name in parts:
            lines.append(textwrap.indent(parts[name], line[: len(line) - len(line.lstrip())]))
        else:
            lines.append(re.sub(r"\b[A-Z]+\b", lambda match: parts.get(match[0], match[0]), line))
    return "\n".join(lines)


def marks(files: Mapping[str, str]) -> tuple[dict[tuple[str, int], str], dict[tuple[str, int], str]]:
    """The places, (file, line), of sources and of sinks, with their numbers."""
    sources: dict[tuple[str, int], str] = {}
    sinks: dict[tuple[str, int], str] = {}
    for name, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if mark := MARK.search(line):
                (sources if mark[1] == "from" else sinks)[name, number] = mark[2]
    return sources, sinks


def trouble(cell: Cell, found: Iterable[tuple[tuple[str, int], tuple[str, int]]]) -> str:
    """What is wrong with the flows of a cell, as "0>1 2>0" for wrong pairs and "-0" for missed ones; "" if nothing."""
    sources, sinks = marks(cell.files)
    pairs = {(sources.get(source, "?"), sinks.get(sink, "?")) for source, sink in found}
    wrong = [f"{one}>{other}" for one, other in sorted(pairs) if one != other]
    expected = {each for each in sinks.values() if each in sources.values()}
    missed = [f"-{each}" for each in sorted(expected) if (each, each) not in pairs]
    return " ".join(wrong + missed)
