"""Pages about a rule as text: ``pyrograph rules show ID``, ``pyrograph explain RULE``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from pyrograph.cli.errors import Refusal
from pyrograph.model.vulnerability import SEVERITIES, Vulnerability
from pyrograph.report.common import help_for

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.rules.entries import Origin, Pack

EXPECTATION: Final = re.compile(r"expect: [^\n]*")  # the comment of an example at a line that is reported


def rule_page(loaded: Rules, name: str, most: int, *, own: bool) -> None:
    """Print all about a rule or a vulnerability, with ``most`` entries of each section.

    Raises:
        Refusal: There is none of this name. ``own``: rules of the user's own are loaded.
    """
    vulnerability, packs = _found(loaded, name, own=own)
    _about(vulnerability, packs, name)
    kinds = sorted({source.kind for pack in packs for source in pack.sources})
    click.echo(f"Sources\n  every source of these kinds: {', '.join(kinds)}\n")
    for title, role in (("Sinks", "sinks"), ("Sanitizers", "sanitizers"), ("Guards", "guards")):
        origins = [
            entry.origin
            for pack in packs
            for entry in getattr(pack, role)
            if entry.vulnerability in (vulnerability.id, "any")
        ]
        show_entries(title, origins, most)


def brief_page(loaded: Rules, name: str, *, own: bool) -> None:
    """Print what a rule or a vulnerability means, an example and what to do, without its entries.

    Raises:
        Refusal: As ``rule_page``.
    """
    vulnerability, packs = _found(loaded, name, own=own)
    _about(vulnerability, packs, name)
    rows = (
        (f"pyrograph rules show {name}", "its sources, sinks, sanitizers and guards"),
        (f"pyrograph scan --select {name}", "its findings only"),
        (f"pyrograph: ignore[{vulnerability.id}] REASON", "in a comment: suppresses a finding on its line"),
    )
    width = max(len(command) for command, _ in rows)
    click.echo("## Next\n")
    for command, what in rows:
        click.echo(f"    {command:{width}}    {what}")


def _found(loaded: Rules, name: str, *, own: bool) -> tuple[Vulnerability, list[Pack]]:
    """The vulnerability of this name, and the packs of its language or all."""
    language, _, vulnerability = name.rpartition("/")
    packs = [pack for pack in loaded.packs if language in ("", pack.language)]
    if vulnerability not in loaded.vulnerabilities or not packs:
        import difflib

        known = [*loaded.vulnerabilities, *(pack.name for pack in loaded.packs)]
        close = difflib.get_close_matches(vulnerability, known, n=1) or difflib.get_close_matches(name, known, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
        hint = (
            ""
            if own
            else " For rules of your own, add --rules PATH."
            if close
            else "; for rules of your own, add --rules PATH"
        )
        raise Refusal(f"unknown rule {name!r}; {remedy}{hint}")
    return loaded.vulnerabilities[vulnerability], packs


def _about(vulnerability: Vulnerability, packs: Sequence[Pack], name: str) -> None:
    """Print what is wrong, how it is fixed, and the shortest example of the packs that is reported."""
    click.echo(f"{vulnerability.title} ({vulnerability.id})")
    weaknesses = ", ".join(f"CWE-{number}" for number in vulnerability.cwe)
    level = SEVERITIES.index(vulnerability.severity) + 1
    click.echo(
        f"{weaknesses}; severity {vulnerability.severity} ({level} of {len(SEVERITIES)}), "
        f"score {vulnerability.security_severity}; precision {vulnerability.precision}; "
        f"profile {vulnerability.profile}\n"
    )
    help = help_for(vulnerability.help, name) if "/" in name else vulnerability.help
    click.echo(f"{help.strip()}\n")
    if example := _example(vulnerability.id, packs):
        click.echo("## Example\n")
        click.echo("".join(f"    {line}".rstrip() + "\n" for line in example.splitlines()))


def _example(vulnerability: str, packs: Sequence[Pack]) -> str:
    """The shortest example of the packs of which a line is reported for a vulnerability; or ""."""
    expected = re.compile(rf"expect: {re.escape(vulnerability)}(?![\w-])")
    codes = (each.code.strip() for pack in packs for each in pack.examples if expected.search(each.code))
    found = min(codes, key=lambda code: (code.count("\n"), len(code), code), default="")
    return EXPECTATION.sub("reported", found)


def show_entries(title: str, origins: list[Origin], most: int) -> None:
    """The first ``most`` entries as they were written, each once: one line of a rule file may stand for many APIs."""
    written = list(dict.fromkeys((origin.file, origin.line, origin.text) for origin in origins))
    if not written:
        return
    click.echo(f"{title} ({len(written)})" if len(written) > 1 else title)
    shown = written if len(written) <= most + 1 else written[:most]  # a line that says "1 more" saves none
    for file, line, text in shown:
        click.echo(f"  {text}    {file}:{line}")
    if len(shown) < len(written):
        click.echo(f"  {len(written) - len(shown)} more; --long lists them")
    click.echo()
