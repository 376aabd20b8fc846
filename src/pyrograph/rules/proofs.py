"""Proofs: which APIs that the built-in packs name were found in the library itself, and in which version.

``verified/<language>.json`` is written by ``tools/verify_models.py``: for each root the version that was looked at,
the APIs that were found, and those that were not with the reason. A scan reads none of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyrograph.rules.entries import Api, Pack, Parameters

FOLDER = Path(__file__).parent / "verified"


def load(language: str) -> dict[str, dict[str, Any]]:
    """Root -> {"version": text, "verified": [API], "unverified": {API: reason}}; empty when there is no record."""
    try:
        found: dict[str, dict[str, Any]] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    except OSError:
        return {}
    return found


def apis_of(pack: Pack) -> Iterator[Api]:
    """Every API that the pack's entries name, as often as they do; nothing for entries that name none."""
    for target in (*(source.target for source in pack.sources), *(sink.target for sink in pack.sinks)):
        if isinstance(target, Parameters):
            yield from _named(target)
        else:
            yield target
    yield from (sanitizer.api for sanitizer in pack.sanitizers)
    yield from (propagator.api for propagator in pack.propagators)
    for guard in pack.guards:
        if guard.api:
            yield (*guard.api, "()", *guard.steps) if guard.test != "call" and guard.steps else guard.api
    for fact in pack.types:
        yield fact.left
        if fact.right:
            yield fact.right
    for parameter_type in pack.parameter_types:
        yield from _named(parameter_type.parameters)
        yield parameter_type.type


def _named(parameters: Parameters) -> Iterator[Api]:
    # An overriding method need not stand in the base class: frameworks ask for it by its name.
    if parameters.by in ("decorator", "callback") or (parameters.by == "override" and "*" not in parameters.api[0]):
        yield parameters.api
    elif parameters.by == "type":
        yield (*parameters.api, "#", *parameters.steps) if parameters.steps else parameters.api
    elif parameters.by == "names" and parameters.api:
        yield parameters.api


def spelled_path(api: Api) -> str:
    """The API as the rule language spells it, its root always as it is.

    >>> spelled_path(("net/http", "Request", "#", "FormValue", "()"))
    'net/http.Request#FormValue()'
    """
    text = "".join(step if step[0] in "#[(" else f".{step}" for step in api[1:])
    return api[0] + text.replace("#.", "#")
