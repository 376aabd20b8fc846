"""``pyrograph triage``: people say which findings are true, and the file of their marks hides those that are not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from pyrograph.cli.errors import CLEAN, Refusal, refusing
from pyrograph.cli.given import Given, decisions_of, options_of
from pyrograph.cli.scan import defaults, scan, scanned
from pyrograph.model.finding import Finding, Report
from pyrograph.scanner.triage.decisions import decided
from pyrograph.scanner.triage.marks import FILE, VERDICTS, Mark, Verdict, marked, read_marks, verdict_on, write_marks
from pyrograph.scanner.triage.modelling import rule_lines

SHORT = 10  # characters of a fingerprint that ``list`` shows
# Options of ``scan`` about reports and exit codes.
_NOT_SHARED = frozenset(
    {"formats", "output", "color", "stats", "quiet", "verbose", "show_paths", "fail_on", "exit_zero", "strict"}
    | {"allow_empty", "write_baseline", "include_suppressed", "category", "fixes", "paths"}
)


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a scan, those that are marked false included, and the file of marks."""

    report: Report
    marks: dict[str, Mark]
    path: Path  # of the file of marks

    def named(self, id: str) -> Finding:
        """The finding whose fingerprint begins with ``id``.

        Raises:
            Refusal: There is none, or are several.
        """
        found = [each for each in self.report.findings if any(one.startswith(id) for one in each.fingerprints)]
        if len(found) == 1:
            return found[0]
        trouble = "no finding has" if not found else f"{len(found)} findings have"
        raise Refusal(f"{trouble} a fingerprint that begins with {id!r}; `pyrograph triage list` shows them")


class _Triage(click.Group):
    """A group whose first argument may be a path: then it is ``walk``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = ["walk", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Triage, context_settings={"help_option_names": ["-h", "--help"]})
def triage() -> None:
    """Go through findings and mark each as true, false (with a reason) or later.

    Marks are kept in pyrograph-triage.json at the root. Findings that are marked false are left out of every report and
    of the exit code; if their path changes, they come back.

    \b
    pyrograph triage walk src                           go through findings on the full screen (needs Textual)
    pyrograph triage list src                           list findings with their ids and verdicts
    pyrograph triage mark 5f0e8a9d3b false --reason "..."

    The commands take the options of `scan`. Exit codes: 0 done; 2 wrong usage, or nothing that is named so.
    """


def _with_scan_options(command: click.Command) -> click.Command:
    command.params += [each for each in scan.params if each.name not in _NOT_SHARED]
    return command


_PATHS = click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))


@triage.command("list")
@_PATHS
@click.option("--verdict", type=click.Choice([*VERDICTS, "none"]), help="Only findings with this verdict, or without.")
def list_(verdict: str | None, **typed: Any) -> int:
    """List the findings in PATHS with their ids and verdicts."""
    found = _findings(typed)
    for each in found.report.findings:
        given = verdict_on(found.marks, each) or "none"
        if verdict in (None, given):
            place = f"{each.place.path}:{each.place.line}:{each.place.column}"
            click.echo(f"{each.fingerprint[:SHORT]}  {given:<5}  {each.severity:<8}  {each.rule_id}  {place}")
    return CLEAN


@triage.command()
@click.argument("id")
@click.argument("verdict", type=click.Choice(VERDICTS))
@_PATHS
@click.option("--reason", default="", metavar="TEXT", help="Why; a finding is not marked false without one.")
@click.option("--step", type=click.IntRange(min=1), metavar="N", help="Print rule lines that model step N of the path.")
def mark(id: str, verdict: Verdict, reason: str, step: int | None, **typed: Any) -> int:
    """Mark the finding ID (the beginning of a fingerprint) with VERDICT."""
    found = _findings(typed)
    finding = found.named(id)
    if step is not None and step > len(finding.trace.steps):
        raise Refusal(f"the path of this finding has {len(finding.trace.steps)} steps; choose one of them")
    record(found, finding, verdict, reason)
    click.echo(f"{finding.rule_id} at {finding.place.path}:{finding.place.line} is marked {verdict}")
    if step is not None:
        click.echo(lines_of(found.report, finding, step - 1), nl=False)
    return CLEAN


@triage.command()
@_PATHS
@click.option("--all", "everything", is_flag=True, help="Also findings that have a verdict.")
def walk(everything: bool, **typed: Any) -> int:
    """Go through the findings in PATHS on the full screen, each with its path."""
    if find_spec("textual") is None:
        raise Refusal(
            "the full-screen walk needs Textual: install pyrograph-scan[triage]; "
            "`pyrograph triage list` and `pyrograph triage mark` work without it"
        )
    from pyrograph.cli.walk import Walk

    found = _findings(typed)
    open_ = [each for each in found.report.findings if everything or verdict_on(found.marks, each) in (None, "later")]
    if not open_:
        click.echo("no finding is left to judge")
        return CLEAN
    marks = dict(found.marks)

    def keep(finding: Finding, verdict: Verdict, reason: str) -> None:
        marks.update(record(replace(found, marks=marks), finding, verdict, reason))

    ended = Walk(found.report, open_, keep, partial(lines_of, found.report))
    ended.run()
    for text in ended.rule_lines:
        click.echo(text, nl=False)
    return CLEAN


for _command in (list_, mark, walk):
    _with_scan_options(_command)


def record(found: Findings, finding: Finding, verdict: Verdict, reason: str) -> dict[str, Mark]:
    """Write the file of marks with a further verdict; all marks."""
    with refusing():
        marks = marked(found.marks, finding, verdict, reason)
        write_marks(found.path, marks.values())
    return marks


def lines_of(report: Report, finding: Finding, step: int) -> str:
    """Rule lines for a step of a finding's path."""
    place = finding.trace.steps[step].place
    rows = report.sources.get(place.path, b"").decode("utf-8", "replace").split("\n")
    return rule_lines(finding, finding.trace, step, rows[place.line - 1] if place.line <= len(rows) else "")


def _findings(typed: dict[str, Any]) -> Findings:
    given = Given.typed(defaults() | typed)
    options, config = options_of(given)
    path = given.triage.marks.resolve() if given.triage.marks else options.root / FILE
    unmarked = replace(decisions_of(given, options, config), marks={})
    return Findings(decided(scanned(options, given), unmarked, options), read_marks(path), path)
