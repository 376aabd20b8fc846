"""A JSON report that was written earlier, as findings again: ``report.json`` backwards, as far as people need it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pyrograph.model.check import Check, Outcome
from pyrograph.model.entry import Access, EntryPoint, Parameter, Where
from pyrograph.model.finding import Argument, Doubt, Finding, Report, Statistics, Step, StepKind, Suppressed, Trace
from pyrograph.model.place import Place
from pyrograph.model.refusal import Refusal
from pyrograph.model.vulnerability import CONFIDENCES, SEVERITIES
from pyrograph.report.json import SCHEMA_VERSION

T = TypeVar("T")
Row = Mapping[str, Any]

KINDS: Sequence[StepKind] = get_args(StepKind)
WHERE: Sequence[Where] = get_args(Where)
ACCESS: Sequence[Access] = get_args(Access)
OUTCOMES: Sequence[Outcome] = get_args(Outcome)
BY: Sequence[Literal["comment", "baseline", "triage"]] = ("comment", "baseline", "triage")
_MAJOR = SCHEMA_VERSION.partition(".")[0]
# Keys by which other files that pyrograph writes are known, and what they are.
_OTHERS = {
    "runs": "a SARIF log",
    "marks": "a file of marks",
    "entry_points": "a list of entry points",
    "vulnerabilities": "",
    "findings": "a baseline",
}


def read_report(file: Path, largest: int) -> Report:
    """The findings of a JSON report, and those that comments, a baseline and marks hid; nothing else of it.

    ``sources`` is empty: a report holds no code. ``largest``: bytes that
    are read. Time and memory O(bytes).

    Raises:
        Refusal: The file cannot be read, or is no such report; the message says what it is, where that is known.
    """
    document = _document(file, largest)
    findings = _each(document, "findings", file, _finding)
    suppressed = _each(document, "suppressed", file, _suppressed)
    return Report(tuple(findings), (), {}, Statistics(), tuple(suppressed))


def _document(file: Path, largest: int) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            content = stream.read(largest + 1)
    except OSError as error:
        raise Refusal(f"{file}: cannot read the report: {error.strerror or error}") from None
    if len(content) > largest:
        raise Refusal(f"{file}: more than {largest:,} bytes; scan fewer files at once")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        place = f"{file}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else str(file)
        raise Refusal(f"{place}: not valid JSON ({error}); write the report with `--format json:FILE`") from None
    version = document.get("schema_version") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(version, str):
        keys = document if isinstance(document, dict) else ()
        kind = next((name for key, name in _OTHERS.items() if key in keys), "") or "no report of pyrograph"
        raise Refusal(f"{file}: {kind}, not a JSON report of a scan; write one with `--format json:FILE`")
    if version.partition(".")[0] != _MAJOR:
        raise Refusal(
            f"{file}: version {version[:20]} of the report, and this pyrograph reads version {_MAJOR}; "
            "write the report with this pyrograph, or read it with the one that wrote it"
        )
    return document


def _each(document: Row, key: str, file: Path, read: Callable[[Any], T]) -> Sequence[T]:
    found = []
    rows = document.get(key)
    for number, row in enumerate(rows if isinstance(rows, list) else [None], start=1):
        try:
            found.append(read(row))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else "is not as a scan writes it"
            raise Refusal(f"{file}: number {number} of `{key}` {what}; write the report again") from None
    return found


def _finding(row: Row) -> Finding:
    arguments = tuple(Argument(_place(one), _text(one, "text"), _text(one, "fingerprint")) for one in row["arguments"])
    traces = tuple(
        Trace(
            _text(one, "source_kind"),
            _text(one, "source"),
            tuple(
                Step(_place(step), _one_of(KINDS, step["kind"]), _text(step, "message"), int(step["depth"]))
                for step in one["steps"]
            ),
            range(len(arguments) + 1)[one["argument"]],
            tuple(_entry(each) for each in one["entry_points"]),
            Parameter(_one_of(WHERE, one["parameter"]["where"]), _text(one["parameter"], "name")),
            tuple(_check(each) for each in one.get("checks", ())),  # since version 1.6
            _place(one["call"]) if "call" in one else None,  # since version 1.8
        )
        for one in row["traces"]
    )
    if not traces or not all(each.steps for each in traces):
        raise ValueError
    return Finding(
        _text(row, "rule"),
        _text(row, "vulnerability"),
        _one_of(SEVERITIES, row["severity"]),
        _one_of(CONFIDENCES, row["confidence"]),
        _text(row, "message"),
        _place(row),
        _text(row, "function"),
        _text(row, "sink"),
        traces,
        int(row["num_sources"]),
        _text(row, "fingerprint"),
        arguments,
        Doubt(_text(row, "doubt"), _text(row, "doubt_text")) if row.get("doubt") else None,
    )


def _entry(row: Row) -> EntryPoint:
    line = int(row["line"])
    methods = tuple(str(each) for each in row["methods"])
    place = Place(_text(row, "path"), line, 1, line, 1)
    return EntryPoint(
        _text(row, "route"),
        methods,
        _text(row, "handler"),
        place,
        _one_of(ACCESS, row["access"]),
        bool(row["access_is_shown"]),
    )


def _check(row: Row) -> Check:
    return Check(_place(row), _text(row, "text"), _one_of(OUTCOMES, row["outcome"]), _text(row, "remark"))


def _suppressed(row: Row) -> Suppressed:
    return Suppressed(_finding(row["finding"]), _one_of(BY, row["by"]), _text(row, "reason"))


def _one_of(known: Sequence[T], value: object) -> T:
    return known[known.index(value)]


def _place(row: Row) -> Place:
    return Place(_text(row, "path"), int(row["line"]), int(row["column"]), int(row["end_line"]), int(row["end_column"]))


def _text(row: Row, key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise TypeError
    return value
