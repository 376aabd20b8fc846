"""The settings in a project's own files: where they are found, what they may contain, and how errors are reported.

A project's configuration comes from the code that is scanned, so it is trusted with little: it may choose rules and
files, add rule files and a baseline inside the root, and set thresholds. It cannot write a file, run anything or name a
path outside the root. What it hides is listed in ``Config.notes``, which every report shows; ``--isolated`` reads none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pyrograph.model.toml import DEEP_KEY
from pyrograph.model.vulnerability import CONFIDENCES, PROFILES, SEVERITIES, Confidence, Profile, Severity
from pyrograph.policy.limits.files import MAX_CONFIGURATION, MAX_KEY_PARTS
from pyrograph.scanner.options import UnknownCalls

NAMES = (".pyrograph.toml", "pyrograph.toml", "pyproject.toml")  # in one directory, the first that speaks counts
TABLE = "tool.pyrograph"  # in pyproject.toml; the other files are this table themselves

Kind = Literal["names", "patterns", "path", "paths", "choice", "number", "switch"]


@dataclass(frozen=True, slots=True)
class Key:
    """One key that a configuration may hold."""

    kind: Kind
    summary: str  # for docs/configuration.md, which a test compares
    choices: tuple[str, ...] = ()


KEYS: Mapping[str, Key] = {
    "select": Key("names", "rules to use, all others are off"),
    "ignore": Key("names", "rules to leave out"),
    "include": Key("patterns", "scan only files that match"),
    "exclude": Key("patterns", "leave out files and directories that match"),
    "rules": Key("paths", "further rule files or directories, inside the root"),
    "baseline": Key("path", "file of known findings, inside the root, which are not reported"),
    "threat-model": Key("names", "taint kinds and [parties](threat-model.md) to switch on that are off by default"),
    "profile": Key("choice", "which rules are reported: those that usually want a fix, or all", PROFILES),
    "severity": Key("choice", "lowest severity that is reported", SEVERITIES),
    "confidence": Key("choice", "lowest confidence that is reported", CONFIDENCES),
    "fail-on": Key("choice", "lowest severity that makes the exit code 1", SEVERITIES),
    "unknown-calls": Key("choice", "whether unknown calls return the taint of their arguments", ("pass", "block")),
    "max-depth": Key("number", "longest path that is searched"),
    "max-file-size": Key("number", "largest file that is read, in bytes"),
    "max-sources": Key("number", "sources that are listed per finding"),
    "unverified": Key("switch", "use entries of built-in packs whose API was not found in its library, too"),
    "require-reason": Key("switch", "suppression comments without a reason suppress nothing"),
}


class ConfigError(ValueError):
    """A configuration that cannot be used: file, line, key, trouble and remedy in one line."""


@dataclass(frozen=True, slots=True)
class Config:
    """A project's settings; None and empty where it says nothing."""

    path: Path | None = None  # the file they were read from
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    rules: tuple[Path, ...] = ()  # absolute
    baseline: Path | None = None  # absolute; whether it is there is seen when it is read
    threat_model: tuple[str, ...] = ()
    profile: Profile | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    fail_on: Severity | None = None
    unknown_calls: UnknownCalls | None = None
    max_depth: int | None = None
    max_file_size: int | None = None
    max_sources: int | None = None
    unverified: bool = False
    require_reason: bool = False
    notes: tuple[str, ...] = ()  # what it hides, one sentence each


def find_config(start: Path, root: Path) -> Path | None:
    """The configuration that holds for ``start``: the nearest one in it or a directory above, up to ``root``.

    Args:
        start: An absolute directory, inside ``root``.
        root: Where the search ends: the repository's top, or the scan root where there is no repository.

    Raises:
        ConfigError: A file that speaks of pyrograph is not TOML.
    """
    for directory in (start, *start.parents):
        for name in NAMES:
            path = directory / name
            if _leads_out(path, root):
                continue
            if path.is_file() and (name != "pyproject.toml" or _speaks(path)):
                return path
        if directory == root:
            return None
    return None


def load_config(path: Path, root: Path, *, trusted: bool = False) -> Config:
    """Read one configuration file.

    Args:
        path: A ``pyproject.toml`` or a file of our own.
        root: What rule files must lie inside of, and what patterns and notes are relative to; absolute, resolved.
        trusted: The user named the file; its rule files may lie anywhere.

    Raises:
        ConfigError: The file cannot be read, is not TOML, or holds a key or value that means nothing.
    """
    reader = _Reader(path, _shown(path, root), _read(path), root, trusted)
    table = reader.table()
    values: dict[str, Any] = {name.replace("-", "_"): reader.value(name, value) for name, value in table.items()}
    notes = _notes(reader.shown, values)
    if "baseline" in values:
        notes.append(f"{reader.shown} leaves out the findings that {_shown(values['baseline'], root)} lists")
    return Config(path=path, notes=tuple(notes), **values)


def _leads_out(path: Path, root: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(root)


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_CONFIGURATION + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot read the configuration: {error.strerror}; make it readable") from None
    if len(raw) > MAX_CONFIGURATION:
        raise ConfigError(f"{path}: the configuration is larger than {MAX_CONFIGURATION:,} bytes; make it smaller")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: the configuration is not UTF-8; save it as UTF-8") from None


def _speaks(path: Path) -> bool:
    """Whether a pyproject.toml has our table; one that does not mention us is not even parsed."""
    try:
        text = _read(path)
    except ConfigError:
        return False  # somebody else's trouble
    if "pyrograph" not in text:
        return False
    tools = _parse(text, str(path)).get("tool")
    return isinstance(tools, dict) and "pyrograph" in tools


def _parse(text: str, shown: str) -> dict[str, Any]:
    import tomllib  # not before a file is there: importing it takes as long as walking a small project

    try:
        if deep := DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start()) + 1
            raise ConfigError(f"{shown}:{line}: a key of more than {MAX_KEY_PARTS} parts; write shorter ones")
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{shown}:1: arrays or tables are nested too deeply; write flatter ones") from None
    except tomllib.TOMLDecodeError as error:
        message = re.sub(r" \(at (?:line \d+, column \d+|end of document)\)$", "", str(error))
        place = re.search(r"at line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise ConfigError(f"{shown}:{line}: not valid TOML: {message}; correct the line") from None
    except ValueError as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{shown}:1: not valid TOML: a number of too many digits; write a shorter one") from None


@dataclass(frozen=True, slots=True)
class _Reader:
    path: Path
    shown: str  # the path in messages
    text: str
    root: Path
    trusted: bool

    def table(self) -> dict[str, Any]:
        """The settings as TOML gives them; every key is known."""
        table: Any = _parse(self.text, self.shown)
        if self.path.name == "pyproject.toml":
            for name in TABLE.split("."):
                table = table.get(name, {})
                if not isinstance(table, dict):
                    raise ConfigError(f"{self.shown}:{self.line(name)}: '{name}' is not a table; write [{TABLE}]")
        for name in table:
            if name not in KEYS:
                import difflib

                close = difflib.get_close_matches(name, KEYS, n=1)
                remedy = f"did you mean '{close[0]}'?" if close else f"known keys are {', '.join(KEYS)}"
                raise self.error(name, "unknown key", remedy)
        return dict(table)

    def value(self, name: str, value: object) -> object:
        """One setting, checked and in the type of its field in ``Config``."""
        return _CHECKS[KEYS[name].kind](self, name, value)

    def strings(self, name: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.error(name, f"{_said(value)} where a list of texts is wanted", f'write {name} = ["..."]')
        return tuple(value)

    def paths(self, name: str, value: object) -> tuple[Path, ...]:
        paths = []
        for text in self.strings(name, value):
            path = self.inside(name, text)
            if not path.exists():
                raise self.error(name, f"there is no '{text}'", "paths are relative to the configuration file")
            paths.append(path)
        return tuple(paths)

    def one_path(self, name: str, value: object) -> Path:
        if not isinstance(value, str) or not value:
            raise self.error(name, f"{_said(value)} where a path is wanted", f'write {name} = "..."')
        return self.inside(name, value)

    def inside(self, name: str, text: str) -> Path:
        """An absolute path, links resolved: a project's own file names none outside the root."""
        if "\0" in text:
            raise self.error(name, "a path with a NUL character", "remove the character")
        path = Path(os.path.realpath(self.path.parent / text))
        if not self.trusted and not path.is_relative_to(self.root):
            raise self.error(name, f"'{text}' leads out of the root", f"name it with --{name} on the command line")
        return path

    def choice(self, name: str, value: object) -> str:
        choices = KEYS[name].choices
        if not isinstance(value, str) or value not in choices:
            raise self.error(name, f"{_said(value)} is not a choice", f"choose one of {', '.join(choices)}")
        return value

    def number(self, name: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        raise self.error(name, f"{_said(value)} where a number is wanted", "write a whole number from 1")

    def switch(self, name: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.error(name, f"{_said(value)} where true or false is wanted", "write true or false")
        return value

    def error(self, name: str, trouble: str, remedy: str) -> ConfigError:
        return ConfigError(f"{self.shown}:{self.line(name)}: {name}: {trouble}; {remedy}")

    def line(self, name: str) -> int:
        """Where a key stands, from 1. TOML readers keep no places, so the text is searched: its table first."""
        lines = self.text.split("\n")
        quoted = rf"[\"']?{re.escape(name)}[\"']?"
        header = re.compile(r"\s*\[\s*tool\s*\.\s*[\"']?pyrograph[\"']?\s*\]")
        start = next((number for number, line in enumerate(lines) if header.match(line)), 0)
        for number in chain(range(start, len(lines)), range(start)):
            if re.match(rf"\s*+(?:\[|tool\s*+\.\s*+pyrograph\s*+\.)?\s*+{quoted}\s*+[=.\]]", lines[number]):
                return number + 1
        return start + 1


_CHECKS: Mapping[Kind, Callable[[_Reader, str, object], object]] = {
    "names": _Reader.strings,
    "patterns": _Reader.strings,
    "path": _Reader.one_path,
    "paths": _Reader.paths,
    "choice": _Reader.choice,
    "number": _Reader.number,
    "switch": _Reader.switch,
}


def _said(value: object) -> str:
    text = repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


def _notes(shown: str, values: Mapping[str, Any]) -> list[str]:
    """One sentence for everything in the configuration that can hide a finding."""
    notes = []
    for name, words in (
        ("select", "selects only the rules"),
        ("ignore", "excludes the rules"),
        ("include", "scans only"),
        ("exclude", "excludes"),
    ):
        if values.get(name):
            notes.append(f"{shown} {words} {', '.join(values[name])}")
    if values.get("severity", SEVERITIES[0]) != SEVERITIES[0]:
        notes.append(f"{shown} hides findings below {values['severity']} severity")
    if values.get("confidence") == "high":
        notes.append(f"{shown} hides findings below high confidence")
    if values.get("unknown_calls") == "block":
        notes.append(f"{shown} blocks taint at unknown calls")
    if "max_depth" in values:
        notes.append(f"{shown} ignores paths with more than {values['max_depth']} edges")
    if "max_file_size" in values:
        notes.append(f"{shown} sets the largest file that is read to {values['max_file_size']:,} bytes")
    if SEVERITIES.index(values.get("fail_on", "low")) > SEVERITIES.index("medium"):
        notes.append(f"{shown} fails only on findings of {values['fail_on']} severity or above")
    return notes
