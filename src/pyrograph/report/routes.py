"""The list of a program's entry points, for ``pyrograph routes``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from pyrograph.model.entry import ACCESS_WORDS, EntryPoint, Parameter, Surface
from pyrograph.model.words import plural
from pyrograph.report.jsontext import write_json
from pyrograph.report.safe_text import visible, without_surrogates

SCHEMA_VERSION = 1
HEADS = ("method", "route", "handler", "checked for", "findings", "reads")
WIDEST = 48  # characters of a column; a longer cell moves the rest of its row


def write_routes_text(surface: Sequence[Surface], stream: TextIO) -> None:
    """A table with one row for each entry point. Time and memory O(entry points)."""
    if not surface:
        stream.write("no entry point found\n")
        return
    rows = [HEADS, *(_cells(each) for each in surface)]
    widths = [min(WIDEST, max(len(row[column]) for row in rows)) for column in range(len(HEADS))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        stream.write("  ".join(cells).rstrip() + "\n")
    reached = sum(bool(each.findings) for each in surface)
    unchecked = sum(each.entry.access == "anybody" for each in surface)
    stream.write(
        f"\n{plural(len(surface), 'entry point')}; {unchecked:,} without a visible check of who calls; "
        f"{reached:,} with findings\n"
    )


def write_routes_json(surface: Sequence[Surface], stream: TextIO) -> None:
    """All entry points as one JSON object."""
    rows = [
        {
            **entry_point(each.entry),
            "parameters": [parameter(one) for one in each.parameters],
            "findings": list(each.findings),
        }
        for each in surface
    ]
    write_json({"schema_version": SCHEMA_VERSION, "entry_points": rows}, stream)
    stream.write("\n")


def entry_point(entry: EntryPoint) -> dict[str, Any]:
    """An entry point as JSON has it."""
    return {
        "methods": list(entry.methods),
        "route": without_surrogates(entry.route),
        "handler": without_surrogates(entry.handler),
        "path": without_surrogates(entry.place.path),
        "line": entry.place.line,
        "access": entry.access,
        "access_is_shown": entry.is_shown,
    }


def parameter(read: Parameter) -> dict[str, str]:
    return {"where": read.where, "name": without_surrogates(read.name)}


def _cells(row: Surface) -> tuple[str, ...]:
    entry = row.entry
    checked = ACCESS_WORDS[entry.access] + ("" if entry.is_shown else " (by name)")
    return (
        "|".join(entry.methods) or "any",
        visible(entry.route) or "-",
        f"{visible(entry.handler)} {visible(entry.place.path)}:{entry.place.line}",
        checked or "-",
        f"{len(row.findings):,}" if row.findings else "-",
        ", ".join(_reads(row)) or "-",
    )


def _reads(row: Surface) -> Iterator[str]:
    named = {each.where for each in row.parameters if each.name}
    for each in row.parameters:
        if each.words and (each.name or each.where not in named):
            yield visible(each.words)
