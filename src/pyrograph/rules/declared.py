"""What libraries declare of their types: which type a function or a method returns, a member holds, a type extends, a
function that is passed gets.

A pack names the classes of a library whose methods matter. A program gets their instances in many ways
(``g.DB().Model("user")``, ``client.Database("shop").Collection("orders")``), which the library's source states and
nobody needs to write down: ``tools/declare_types.py`` reads it and keeps the facts that lead to a described class, in
``declared/<language>/<library>.json``. They are read only for libraries that a program imports, and what a pack states
by hand about the result of a call counts instead of them.

A file is an object: ``library``, ``version``, and under the name of each relation a list of groups. A group of
``returns`` and ``member`` is [owner, "#" or "", names, type]; one of ``parameter`` has the place of the function among
the arguments, and that of its parameter, in addition; one of ``extends`` and ``alias`` is [type, other type].
Owners and types are APIs, as lists of steps. ``index.json`` says in which file what of a root stands.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pyrograph.rules.entries import Origin, Pack, Parameters, ParameterType, Port, TypeFact

FOLDER = Path(__file__).parent / "declared"
GROUPED: tuple[Literal["returns", "member"], ...] = ("returns", "member")
SINGLE: tuple[Literal["extends", "alias"], ...] = ("extends", "alias")


def packs_of(language: str, roots: Collection[str]) -> list[Pack]:
    """The packs of the libraries that have one of these roots, by name; and of those whose types they lead to.

    Time O(facts of these libraries). Each file is read once in a process: they are parts of the program.
    """
    folder = FOLDER / language
    index = _index(folder)
    found: dict[str, Pack] = {}
    waiting = list(roots)
    for root in waiting:
        for name in index.get(root, ()):
            if name not in found:
                found[name] = _read(folder, name)
                waiting += {fact.right[0] for fact in found[name].types}
    return [found[name] for name in sorted(found)]


@lru_cache
def _index(folder: Path) -> Mapping[str, list[str]]:
    """Which files have facts about a root."""
    try:
        found: dict[str, list[str]] = json.loads((folder / "index.json").read_bytes())
    except FileNotFoundError:
        return {}
    return found


@lru_cache
def _read(folder: Path, name: str) -> Pack:
    return pack_of(folder.name, name, json.loads((folder / f"{name}.json").read_bytes()))


def pack_of(language: str, name: str, content: dict[str, Any]) -> Pack:
    origin = Origin(f"declared/{language}/{name}.json", 1, "")
    facts: list[TypeFact] = []
    for relation in GROUPED:
        for owner, mark, names, right in content.get(relation, ()):
            before, held = (*owner, *mark), tuple(right)
            after = ("()",) if relation == "returns" else ()
            facts += [TypeFact(relation, (*before, each, *after), held, origin) for each in names]
    for other in SINGLE:
        facts += [TypeFact(other, tuple(left), tuple(right), origin) for left, right in content.get(other, ())]
    passed = [
        ParameterType(
            Parameters("callback", (*owner, *mark, each), port=Port("position", position), which=which),
            tuple(right),
            origin,
        )
        for owner, mark, names, right, position, which in content.get("parameter", ())
        for each in names
    ]
    return Pack(
        f"{language}/declared/{name}",
        language,
        content["library"],
        types=tuple(facts),
        parameter_types=tuple(passed),
        inferred=content["version"],
    )
