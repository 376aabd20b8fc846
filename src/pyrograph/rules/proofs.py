"""Proofs: which APIs that the built-in packs name were found in the library itself, and in which version.

``verified/<language>.json`` is written by ``tools/verify_models.py``: for each root the version that was looked at,
the APIs that were found, those that were found elsewhere (another version, documentation) with the place, and those
that were not found with the reason. Entries that name one of the last are off by default.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyrograph.rules.entries import (
    CALL_TESTS,
    Api,
    Guard,
    Pack,
    Parameters,
    ParameterType,
    Propagator,
    Rendering,
    Route,
    Sanitizer,
    Sink,
    Source,
    TypeFact,
)

Entry = Source | Sink | Sanitizer | Guard | Propagator | Rendering | Route | TypeFact | ParameterType

ROLES = ("sources", "sinks", "sanitizers", "guards", "propagators", "renderings", "routes", "types", "parameter_types")
NOT_YET = "not looked at yet"  # a new entry, which is on until somebody looks
FOLDER = Path(__file__).parent / "verified"


def load(language: str) -> dict[str, dict[str, Any]]:
    """Root -> {"version": text, "verified": [API], "elsewhere": {API: place}, "unverified": {API: reason}}.

    Empty when there is no record.
    """
    try:
        found: dict[str, dict[str, Any]] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    except OSError:
        return {}
    for row in found.values():
        row.setdefault("elsewhere", {})
    return found


def unverified(language: str) -> frozenset[str]:
    """The APIs of the record that were looked for and found nowhere, as ``spelled_path`` spells them."""
    return frozenset(
        name for row in load(language).values() for name, reason in row["unverified"].items() if reason != NOT_YET
    )


def entries_of(pack: Pack) -> Iterator[Entry]:
    for role in ROLES:
        yield from getattr(pack, role)


def apis_of(pack: Pack) -> Iterator[Api]:
    """Every API that the pack's entries name, as often as they do; nothing for entries that name none."""
    for entry in entries_of(pack):
        yield from apis_of_entry(entry)


def apis_of_entry(entry: Entry) -> Iterator[Api]:
    if isinstance(entry, Source | Sink | Rendering):
        if isinstance(entry.target, Parameters):
            yield from _named(entry.target)
        else:
            yield entry.target
    elif isinstance(entry, Sanitizer | Propagator | Route):
        yield entry.api
    elif isinstance(entry, Guard):
        if entry.api:
            yield (*entry.api, "()", *entry.steps) if entry.test not in CALL_TESTS and entry.steps else entry.api
    elif isinstance(entry, TypeFact):
        if "*" not in entry.left[0]:  # a pattern names no API
            yield entry.left
        if entry.right and entry.relation != "folders":
            yield entry.right
    else:
        yield from _named(entry.parameters)
        yield entry.type


def split(pack: Pack, missing: Collection[str]) -> tuple[Pack, Pack]:
    """The pack without the entries that name a missing API, and with these alone; examples stay with the first."""
    on: dict[str, tuple[Entry, ...]] = {}
    off: dict[str, tuple[Entry, ...]] = {}
    for role in ROLES:
        entries: tuple[Entry, ...] = getattr(pack, role)
        lacking = [any(spelled_path(api) in missing for api in apis_of_entry(entry)) for entry in entries]
        on[role] = tuple(entry for entry, lacks in zip(entries, lacking, strict=True) if not lacks)
        off[role] = tuple(entry for entry, lacks in zip(entries, lacking, strict=True) if lacks)
    return replace(pack, **on), replace(pack, **off, examples=())  # type: ignore[arg-type]


def _named(parameters: Parameters) -> Iterator[Api]:
    # An overriding method need not stand in the base class: frameworks ask for it by its name.
    if parameters.by in ("callback", "override") and "*" in parameters.api[0]:
        return
    if parameters.by in ("decorator", "callback", "override"):
        yield parameters.api
    elif parameters.by == "type":
        yield (*parameters.api, "#", *parameters.steps) if parameters.steps else parameters.api
    elif (parameters.by == "names" and parameters.api) or parameters.by in ("types", "answer"):
        yield from (each for each in (parameters.api, *parameters.further) if "*" not in each[0])


def spelled_path(api: Api) -> str:
    """The API as the rule language spells it, its root always as it is.

    >>> spelled_path(("net/http", "Request", "#", "FormValue", "()"))
    'net/http.Request#FormValue()'
    """
    text = "".join(step if step[0] in "#[(" else f".{step}" for step in api[1:])
    return api[0] + text.replace("#.", "#")
