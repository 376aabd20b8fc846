"""Findings made by hand, for tests of what an editor shows."""

from __future__ import annotations

from pyrograph.model.finding import Argument, Finding, Report, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import Severity, Vulnerability


def place_of(text: str, part: str, path: str = "app.py") -> Place:
    """The place of the only ``part`` in ``text``."""
    assert text.count(part) == 1, part
    start = text.index(part)
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    end_line = line + part.count("\n")
    end_column = column + len(part) if end_line == line else len(part) - part.rfind("\n")
    return Place(path, line, column, end_line, end_column)


def finding_at(
    *places: Place, source: Place | None = None, call: Place | None = None, severity: Severity = "high"
) -> Finding:
    """A finding whose arguments stand at the places; its paths lead from ``source`` to the call around them."""
    first, *others = places
    begin = Step(source or first, "source", "read from the request: `flask.Request#args`")
    traces = tuple(
        Trace("http", "flask.Request#args", (begin, Step(call or place, "sink", "reaches `execute`")), number)
        for number, place in enumerate(places)
    )
    arguments = tuple(Argument(place, "x", f"print{number}") for number, place in enumerate(others, start=1))
    return Finding(
        "python/sql-injection", "sql-injection", severity, "high", "Data from the request is in the SQL text.", first,
        "view", "execute", traces, len(traces), "print0", arguments,
    )  # fmt: skip


VULNERABILITY = Vulnerability(
    "sql-injection", "SQL injection", (89,), "high", 8.0, "high", "", "## Why it matters\n\nAnybody reads all.\n"
)


def report_of(*findings: Finding, sources: dict[str, bytes]) -> Report:
    return Report(findings, (), {"sql-injection": VULNERABILITY}, Statistics(), sources=sources)
