"""The fleet file: which repositories are scanned, with which limits. TOML; docs/fleet.md is its reference.

The file belongs to whoever runs the fleet, and is trusted: paths may lead anywhere. Relative ones begin at the file.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyrograph.fleet.address import shown
from pyrograph.fleet.errors import FleetError
from pyrograph.model.toml import DEEP_KEY
from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES
from pyrograph.policy.limits.fleet import FLEET_SECONDS, MAX_FLEET_FILE

KINDS: Final = ("path", "url", "directory", "glob")  # what a [[repository]] names; exactly one of them
# Options of ``pyrograph scan`` that the file may set, for all or for some: key -> choices; () for lists of names, None
# for a file.
OPTIONS: Final[dict[str, tuple[str, ...] | None]] = {
    "profile": PROFILES,
    "severity": SEVERITIES,
    "confidence": CONFIDENCES,
    "select": (),
    "ignore": (),
    "threat-model": (),
    "config": None,
}
_LIMITS: Final = ("memory", "time")
_UNITS: Final = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_TIMES: Final = {"": 1, "s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``[[repository]]``."""

    kind: str  # one of ``KINDS``
    value: str  # as it is written
    name: str  # "" where the file gives none
    revisions: tuple[str, ...]  # ("",) where the file gives none
    memory: int  # bytes; 0 where the file says nothing
    seconds: int
    options: tuple[str, ...]  # of ``pyrograph scan``
    libraries: tuple[str, ...] = ()  # directories, relative to the tree


@dataclass(frozen=True, slots=True)
class Fleet:
    """The file as data."""

    path: Path  # absolute
    store: str  # path or address; absolute
    entries: tuple[Entry, ...]


def read_fleet(path: Path) -> Fleet:
    """Read a fleet file.

    Raises:
        FleetError: It cannot be read, or does not mean anything; file, place, trouble and remedy.
    """
    file = path.absolute()
    try:
        content = file.read_bytes()
    except OSError as error:
        raise FleetError(f"{file}: cannot read the fleet file: {error.strerror or error}") from None
    if len(content) > MAX_FLEET_FILE:
        remedy = "name directories or globs instead of repositories"
        raise FleetError(f"{file}: more than {MAX_FLEET_FILE:,} bytes; {remedy}")
    try:
        text = content.decode("utf-8")
        if DEEP_KEY.search(text):
            raise FleetError(f"{file}: a key has too many parts; no key of a fleet file has a dot")
        document = tomllib.loads(text)
    except FleetError:
        raise
    except (ValueError, RecursionError) as error:
        raise FleetError(f"{file}: not valid TOML: {error}") from None
    return _Reader(file).fleet(document)


class _Reader:
    """Checks each table, and names the place of what is wrong."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def refused(self, where: str, trouble: str) -> FleetError:
        return FleetError(f"{self.file}: {where}{': ' if where else ''}{trouble}")

    def fleet(self, document: dict[str, Any]) -> Fleet:
        self.known(document, ("store", "repository", *_LIMITS, *OPTIONS), "")
        store = self.text(document, "store", "") or "fleet.db"
        if "://" not in store:
            store = os.path.join(self.file.parent, os.path.expanduser(store))
        tables = document.get("repository")
        if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
            raise self.refused("", 'names no repository; add a table [[repository]] with path = "..."')
        defaults = {key: document[key] for key in (*_LIMITS, *OPTIONS) if key in document}
        return Fleet(
            self.file,
            store,
            tuple(self.entry(each, defaults, f"repository {number}") for number, each in enumerate(tables, start=1)),
        )

    def entry(self, table: dict[str, Any], defaults: dict[str, Any], where: str) -> Entry:
        self.known(table, (*KINDS, "name", "revision", "revisions", "library", *_LIMITS, *OPTIONS), where)
        kinds = [kind for kind in KINDS if kind in table]
        if len(kinds) != 1:
            raise self.refused(where, f"give exactly one of {', '.join(KINDS)}")
        value = self.text(table, kinds[0], where)
        where = f"{where} ({shown(value)})"
        if not value:
            raise self.refused(where, f"{kinds[0]} is empty; name something")
        if kinds[0] == "url" and (value.startswith("-") or "\0" in value):
            raise self.refused(where, "this is no address of a repository")
        name = self.text(table, "name", where)
        if name and kinds[0] in ("directory", "glob"):
            raise self.refused(where, f"a {kinds[0]} has many repositories and no name; remove it")
        merged = {**defaults, **table}
        return Entry(
            kinds[0],
            value,
            name,
            self.revisions(table, where),
            self.amount(merged["memory"], _UNITS, f"{where}: memory", '"4 GB"') if "memory" in merged else 0,
            self.amount(merged["time"], _TIMES, f"{where}: time", '"30 min"') if "time" in merged else FLEET_SECONDS,
            tuple(part for key in OPTIONS if key in merged for part in self.option(merged, key, where)),
            self.libraries(table, where),
        )

    def revisions(self, table: dict[str, Any], where: str) -> tuple[str, ...]:
        if "revision" in table and "revisions" in table:
            raise self.refused(where, "give revision or revisions, and not both")
        found = table.get("revisions", [table.get("revision", "")])
        if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
            raise self.refused(where, 'revisions is a list of branches, tags or commits, such as ["main"]')
        for each in found:
            if each.startswith("-") or "\0" in each or ":" in each:
                raise self.refused(where, f"{each!r} is not a git revision; give a branch, a tag or a commit")
        return tuple(dict.fromkeys(found))

    def libraries(self, table: dict[str, Any], where: str) -> tuple[str, ...]:
        """The directories of the libraries in a tree: all of it, or those that are named."""
        found = table.get("library", False)
        if isinstance(found, bool):
            return (".",) * found
        named = [found] if isinstance(found, str) else found
        if not isinstance(named, list) or not named or not all(isinstance(each, str) and each for each in named):
            raise self.refused(where, 'library is true, or a list of directories such as ["packages/shop"]')
        for each in named:
            if "\0" in each or os.path.isabs(each) or ".." in each.replace("\\", "/").split("/"):
                raise self.refused(where, f"library names {each!r}, which is not below the tree")
        return tuple(dict.fromkeys(named))

    def option(self, table: dict[str, Any], key: str, where: str) -> list[str]:
        """The flag that an option becomes."""
        value, choices = table[key], OPTIONS[key]
        if choices == ():
            names = [value] if isinstance(value, str) else value
            if not isinstance(names, list) or not all(isinstance(each, str) and each for each in names):
                raise self.refused(where, f"{key} is a list of names")
            return [f"--{key}={','.join(names)}"]
        text = self.text(table, key, where)
        if choices is None:
            return [f"--{key}={os.path.join(self.file.parent, os.path.expanduser(text))}"]
        if text not in choices:
            raise self.refused(where, f"{key} = {text!r} is not known; choose one of {', '.join(choices)}")
        return [f"--{key}={text}"]

    def amount(self, value: Any, units: dict[str, int], where: str, example: str) -> int:
        """A number with a unit; whole numbers alone are bytes or seconds."""
        match = (
            re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)\s*([a-zA-Z]*)", str(value)) if type(value) in (str, int) else None
        )
        factor = units.get(match[2].lower()) if match else None
        amount = int(float(match[1]) * factor) if match and factor else 0
        if amount < 1:
            named = ", ".join(unit for unit in units if unit)
            raise self.refused(where, f"{value!r} is not an amount; write such as {example} (units: {named})")
        return amount

    def text(self, table: dict[str, Any], key: str, where: str) -> str:
        value = table.get(key, "")
        if not isinstance(value, str) or "\0" in value:
            raise self.refused(where, f"{key} is a text")
        return value

    def known(self, table: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
        for key in table:
            if key not in keys:
                close = difflib.get_close_matches(key, keys, n=1)
                remedy = f"did you mean {close[0]}?" if close else f"known are {', '.join(keys)}"
                raise self.refused(where, f"unknown key {key!r}; {remedy}")
