"""Rows of ``pyrograph rules list``: one for each rule, or one for each pack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pyrograph.cli.pack_pages import count_off, missing_apis
from pyrograph.model.words import plural

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.rules.entries import Pack


def rule_rows(packs: list[Pack], loaded: Rules) -> list[dict[str, object]]:
    """One row for each vulnerability that a language has sinks for."""
    ids = sorted({(pack.language, sink.vulnerability) for pack in packs for sink in pack.sinks})
    rows: list[dict[str, object]] = []
    for language, name in ids:
        vulnerability = loaded.vulnerabilities[name]
        rows.append(
            {
                "id": f"{language}/{name}",
                "severity": vulnerability.severity,
                "cwe": f"CWE-{vulnerability.cwe[0]}",
                "profile": vulnerability.profile,
                "title": vulnerability.title,
            }
        )
    return rows


def pack_rows(packs: list[Pack]) -> list[dict[str, object]]:
    """One row for each pack."""
    missing = missing_apis(packs)
    return [
        {
            "name": pack.name,
            "library": pack.library,
            "sources": plural(len(pack.sources), "source"),
            "sinks": plural(len(pack.sinks), "sink"),
            "off": f"{count} off" if (count := count_off(pack, missing)) else "",
        }
        for pack in packs
    ]


def print_table(rows: list[list[str]]) -> None:
    """Print cells in columns; there is a row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
