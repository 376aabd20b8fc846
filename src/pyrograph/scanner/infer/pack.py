"""Entries as a rule file: compact, sorted, with the place in the library that proves each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pyrograph.scanner.infer.entries import Entry
from pyrograph.scanner.infer.interface import Interface

SECTIONS: Final = ("source", "sink", "propagator", "type")


@dataclass(frozen=True, slots=True)
class Inferred:
    """The model of one library."""

    library: str
    language: str  # of the rules
    version: str  # "" where no manifest states one
    text: str  # the rule file
    entries: int  # without those about types
    functions: tuple[str, ...]  # APIs of all public functions, with or without entries


def pack_of(
    library: str, language: str, version: str, interface: Interface, entries: Sequence[Entry], places: dict[int, str]
) -> Inferred:
    """The rule file. ``places``: function -> file and line. Time linear, but for sorting."""
    kept = _useful(entries, interface)
    apis = {each.function: each.api for each in interface.functions}
    roles = [each for each in kept if each.section != "type"]
    useful = {_class(apis[each.function]) for each in kept} | {apis[each.function] for each in roles}
    useful |= {each.text.rpartition(" : ")[2] for each in kept if each.section == "type"}
    lines = [
        f"# Inferred from the source of {library}{' ' + version if version else ''} by `pyrograph rules infer`.",
        f"library = {json.dumps(library)}",
        f"language = {json.dumps(language)}",
        f"inferred = {json.dumps(version or 'unknown')}",
    ]
    tables: dict[tuple[str, str], list[str]] = {}
    for entry in kept:
        tables.setdefault((entry.section, entry.key), []).append(entry.text)
    if "propagator" in {section for section, _ in tables}:
        tables["propagator", "flow"] = _joined(tables["propagator", "flow"])
    names = [f"{other} : {name}" for other, name in interface.aliases if name in useful]
    bases = [f"{name} : {base}" for name, base in interface.bases if base in useful]
    members = [f"{name} : {made}" for name, made in interface.members if made in useful]
    for key, found in (("alias", names), ("extends", bases), ("members", members)):
        if found:
            tables["type", key] = found
    for section in SECTIONS:
        keys = sorted(key for each, key in tables if each == section)
        if keys:
            lines += ["", f"[{section}]"]
        for key in keys:
            lines += [f"{key} = [", *(f"    {json.dumps(text)}," for text in sorted(set(tables[section, key]))), "]"]
    lines += ["", "[proof]"] if roles else []
    proofs = {apis[each.function]: places[each.function] for each in roles}
    lines += [f"{json.dumps(api)} = {json.dumps(place)}" for api, place in sorted(proofs.items())]
    functions = tuple(sorted(set(apis.values())))
    return Inferred(library, language, version, "\n".join(lines) + "\n", len(roles), functions)


def _joined(flows: Iterable[str]) -> list[str]:
    """The flows of one API as one entry."""
    found: dict[str, list[str]] = {}
    for text in sorted(flows):
        api, _, flow = text.partition(": ")
        found.setdefault(api, []).append(flow)
    return [f"{api}: {'; '.join(each)}" for api, each in found.items()]


def _useful(entries: Sequence[Entry], interface: Interface) -> list[Entry]:
    """All entries but those about the types of results about whose members the pack says nothing."""
    apis = {each.function: each.api for each in interface.functions}
    useful = {_class(apis[each.function]) for each in entries if each.section != "type"}
    types = [(each, *each.text.partition("() : ")[::2]) for each in entries if each.section == "type"]
    grown = True
    while grown:  # ends: ``useful`` grows in each round, and there are finitely many classes
        before = len(useful)
        useful |= {name for name, base in interface.bases if base in useful}
        useful |= {_class(api) for _, api, made in types if made in useful}
        useful.discard("")
        grown = len(useful) > before
    kept = {each for each, _, made in types if made in useful}
    return [each for each in entries if each.section != "type" or each in kept]


def _class(api: str) -> str:
    """The class that an API is a member of, or that it constructs; "" for functions.

    >>> _class("shop.Job#run"), _class("shop.run")
    ('shop.Job', 'shop.run')
    """
    return re.sub(r"[#][\w$]+$", "", api)
