"""``pyrograph triage``: people say which findings are true, and the file of their marks hides those that are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from pyrograph.cli.errors import CLEAN, Refusal, complain
from pyrograph.cli.given import Given, decisions_of, options_of
from pyrograph.cli.scan import ABOUT_REPORTS, defaults, scan, scanned
from pyrograph.model.finding import Finding, Report
from pyrograph.model.words import plural
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE, MAX_REPORT
from pyrograph.scanner.roots import find_root
from pyrograph.scanner.triage.decisions import decided
from pyrograph.scanner.triage.marks import FILE, VERDICTS, Mark, Verdict, marked, read_marks, verdict_on, write_marks
from pyrograph.scanner.triage.modelling import rule_lines

SHORT = 10  # characters of a fingerprint that ``list`` shows
REPORTS = (".json", ".sarif")  # suffixes of reports; no scan reads these files
OF_REPORTS = ("root", "marks", "jobs", "debug", "cache", "no_cache", "device")  # options that mean something with one
_NOT_SHARED = ABOUT_REPORTS | {"paths"}  # options of ``scan`` that ``triage`` does not have, or has in its own form


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of a scan or a report, those that are marked false included, and the file of marks."""

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
    pyrograph triage report.json                        go through the findings of a report

    PATHS may be one report that CI wrote with `--format json:FILE`: nothing is scanned then. Otherwise the commands
    take the options of `scan`. Exit codes: 0 done; 2 wrong usage, or nothing that is named so.
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
            "the full-screen walk needs Textual: pip install 'pyrograph-scan[triage]'; "
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

    ended = Walk(found.report, open_, keep, partial(lines_of, found.report), _words(found.marks, open_))
    ended.run()
    for text in ended.rule_lines:
        click.echo(text, nl=False)
    return CLEAN


def _words(marks: Mapping[str, Mark], findings: Iterable[Finding]) -> dict[str, str]:
    """Verdicts by fingerprint, as people read them."""
    found = {}
    for each in findings:
        if verdict := verdict_on(marks, each):
            reason = marks[each.fingerprint].reason
            found[each.fingerprint] = f"{verdict}: {reason}" if reason else verdict
    return found


for _command in (list_, mark, walk):
    _with_scan_options(_command)


def record(found: Findings, finding: Finding, verdict: Verdict, reason: str) -> dict[str, Mark]:
    """Write the file of marks with a further verdict; all marks."""
    marks = marked(found.marks, finding, verdict, reason)
    write_marks(found.path, marks.values())
    return marks


def lines_of(report: Report, finding: Finding, step: int) -> str:
    """Rule lines for a step of a finding's path."""
    place = finding.trace.steps[step].place
    rows = report.sources.get(place.path, b"").decode("utf-8", "replace").split("\n")
    return rule_lines(finding, finding.trace, step, rows[place.line - 1] if place.line <= len(rows) else "")


def _findings(typed: dict[str, Any]) -> Findings:
    paths: tuple[Path, ...] = typed["paths"]
    reports = [each for each in paths if each.suffix in REPORTS and each.is_file()]
    if len(reports) not in (0, len(paths)) or len(reports) > 1:
        raise Refusal(f"{reports[0]}: a report stands alone; name one report, or files and directories to scan")
    return _reported(reports[0], typed) if reports else _scanned(typed)


def _scanned(typed: dict[str, Any]) -> Findings:
    given = Given.typed(defaults() | typed)
    options, config = options_of(given)
    path = given.triage.marks.resolve() if given.triage.marks else options.root / FILE
    unmarked = replace(decisions_of(given, options, config), marks={})
    return Findings(decided(scanned(options, given), unmarked, options), read_marks(path), path)


def _reported(file: Path, typed: dict[str, Any]) -> Findings:
    """The findings of a report that was written earlier; marks and sources belong to the checkout around here."""
    from pyrograph.report.rereading import read_report

    usual = defaults()
    for name, value in typed.items():
        if name not in (*OF_REPORTS, "paths") and value != usual[name]:
            raise Refusal(
                f"{file}: --{name.replace('_', '-')} decides what a scan finds, and a report has been written; "
                "name files and directories to scan, or leave the option out"
            )
    root = typed["root"].resolve() if typed["root"] else find_root((Path(),), Path.cwd())
    report = read_report(file, MAX_REPORT)
    marked_false = (each.finding for each in report.suppressed if each.by == "triage")
    findings = tuple(sorted((*report.findings, *marked_false), key=lambda each: each.place))
    sources = dict(_sources(findings, root, file))
    path = typed["marks"].resolve() if typed["marks"] else root / FILE
    return Findings(replace(report, findings=findings, sources=sources), read_marks(path), path)


def _sources(findings: tuple[Finding, ...], root: Path, report: Path) -> Iterator[tuple[str, bytes]]:
    """The files below ``root`` that paths of findings lead through; those that are missing are named.

    Raises:
        Refusal: None of them is there: ``root`` is another program.
    """
    paths = sorted({step.place.path for each in findings for trace in each.traces for step in trace.steps})
    found = [(path, file) for path in paths if (file := _inside(root, path)) is not None]
    if paths and not found:
        raise Refusal(
            f"{report}: {root} has none of its {plural(len(paths), 'file')} ({paths[0]}, ...); run this in the "
            "checkout that was scanned, or name the directory that paths are relative to with --root"
        )
    if missing := sorted(set(paths) - {path for path, _ in found}):
        complain(f"{root} lacks {plural(len(missing), 'file')} of the report ({missing[0]}, ...): no code is shown")
    for path, file in found:
        with suppress(OSError):
            if file.stat().st_size <= DEFAULT_MAX_FILE_SIZE:
                yield path, file.read_bytes()


def _inside(root: Path, path: str) -> Path | None:
    """The file of a path in a report, unless it leads out of the root: a report is no more than data."""
    try:
        file = (root / path).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):
        return None
