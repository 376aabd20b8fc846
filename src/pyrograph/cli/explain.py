"""``pyrograph explain``: how far data gets from one line to another, and what stops it; or what a rule means."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pyrograph.cli.attempt import fault_policy
from pyrograph.cli.errors import CLEAN, FINDINGS, Refusal, refusing
from pyrograph.cli.given import rules_for
from pyrograph.cli.progress import progress_bar
from pyrograph.cli.scan import settings
from pyrograph.cli.shared import reading

if TYPE_CHECKING:
    from pyrograph.model.place import Place
    from pyrograph.scanner.diagnose import Answer, Line, Verdict


RULE: Final = re.compile(r"(?:[a-z]+/)?[\w-]+", re.IGNORECASE)  # or nearly one, which the answer corrects


class _At(click.ParamType[tuple[Path, int]]):
    """``FILE:LINE``; a column after it is left aside, so that places of a report can be pasted."""

    name = "file:line"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Path, int]:
        if isinstance(value, tuple):
            return value
        parts = str(value).rsplit(":", 2)
        numbers = [part for part in parts[1:] if part.isascii() and part.isdecimal()]
        if len(parts) == 3 and len(numbers) == 2 and not Path(":".join(parts[:2])).is_file():
            parts = parts[:2]
        name, _, line = ":".join(parts).rpartition(":")
        if not name or not (line.isascii() and line.isdecimal()):
            self.fail(f"{value!r} is not FILE:LINE; write, for example, app.py:12", param, ctx)
        if not Path(name).is_file():
            self.fail(f"{name}: there is no such file", param, ctx)
        return Path(name), int(line)


class _Asked(click.ParamType["tuple[Path, int] | str"]):
    """``FILE:LINE``, or the id of a rule or a vulnerability."""

    name = "file:line"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Path, int] | str:
        if isinstance(value, str) and RULE.fullmatch(value):
            return value
        return _At().convert(value, param, ctx)


@click.command()
@click.argument("source", type=_Asked(), metavar="RULE | SOURCE_FILE:LINE")
@click.argument("sink", type=_At(), metavar="SINK_FILE:LINE", required=False)
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--vulnerability", metavar="NAME", help="Only this vulnerability, by its id in `pyrograph rules list`.")
@reading
@click.option(
    "--unknown-calls",
    type=click.Choice(["pass", "block"]),
    help="Whether unknown calls return the taint of their arguments. [pass]",
)
@click.option("--max-depth", type=click.IntRange(min=1), help="Longest path to search. [no limit]")
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes. [as many as CPUs may be used]")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def explain(
    source: tuple[Path, int] | str,
    sink: tuple[Path, int] | None,
    paths: tuple[Path, ...],
    vulnerability: str | None,
    **typed: Any,
) -> int:
    """Show how far data gets from one line to another, and what stops it; or what a rule means.

    Data read on the first line is treated as untrusted, even if no rule names a source there. PATHS are analysed
    together with the two files. The default is the current directory if it contains both files, otherwise their common
    directory. With the id of a rule instead of two lines: why it matters, how to fix it, and an example.

    \b
    pyrograph explain views.py:12 db.py:40
    pyrograph explain views.py:12 db.py:40 --vulnerability sql-injection
    pyrograph explain python/sql-injection

    Exit codes: 0 the data reaches no sink; 1 it reaches a sink; 2 wrong usage, a file that was not scanned, or a line
    without data.
    """
    from pyrograph.rules import DEFAULT_KINDS
    from pyrograph.rules.kinds import OPTIONAL_KINDS
    from pyrograph.scanner.clock import Clock
    from pyrograph.scanner.diagnose import Line, Unanswerable, in_root, why
    from pyrograph.scanner.pipeline import analyse_to_labels
    from pyrograph.scanner.stages import NoFiles

    if isinstance(source, str):
        if sink is not None:
            raise Refusal(f"{source!r} is a rule and takes no line; write, for example, app.py:12 for a place")
        if vulnerability is not None:
            raise Refusal(f"{source!r} is a rule and takes no --vulnerability; leave one of them out")
        options, _ = settings(paths=paths, **typed)
        return _explain_rule(source, options.rule_paths)
    if sink is None:
        raise Refusal("a second FILE:LINE is missing: where the data is used; `pyrograph explain --help` has examples")
    ends = source[0], sink[0]
    options, _ = settings(paths=paths_with(paths, ends), **typed)
    kinds = frozenset(DEFAULT_KINDS) | options.threat_models
    options = options.asking_everything(frozenset(OPTIONAL_KINDS))
    policy = fault_policy(debug=typed["debug"])
    with progress_bar(wanted=True) as shown:
        known = analyse_to_labels(
            options, partial(_rules, options, vulnerability), Clock(shown), everywhere=True, policy=policy
        )
    if isinstance(known, NoFiles):
        raise Refusal("nothing to analyse: neither file is in Python, JavaScript, TypeScript or Go")
    try:
        first, last = (Line(in_root(path, options.root), line) for path, line in (source, sink))
        answer = why(known, first, last, vulnerability=vulnerability, max_depth=options.max_depth, default_kinds=kinds)
    except Unanswerable as error:
        raise Refusal(str(error)) from None
    click.echo(_text(answer, first, last, known.texts.read), nl=False)
    return FINDINGS if answer.reaches else CLEAN


def _explain_rule(name: str, paths: tuple[Path, ...]) -> int:
    from pyrograph.cli.rule_pages import brief_page
    from pyrograph.rules import load_rules

    with refusing():
        loaded = load_rules(None, paths, unverified=True)
    brief_page(loaded, name, own=bool(paths))
    return CLEAN


def paths_with(paths: tuple[Path, ...], ends: tuple[Path, Path]) -> tuple[Path, ...]:
    """The paths to analyse: those that were named, and the files of the two lines."""
    return (*(paths or _around(ends)), *ends)


def _around(files: tuple[Path, Path]) -> tuple[Path]:
    from pyrograph.report.safe_text import visible
    from pyrograph.scanner.roots import common_directory

    current = Path().resolve()
    if all(path.resolve().is_relative_to(current) for path in files):
        return (Path(),)
    try:
        shared = common_directory(files)
    except ValueError as error:
        raise Refusal(str(error)) from None
    click.echo(f"analysing {visible(str(shared))}, the directory of both files; name PATHS for another one", err=True)
    return (shared,)


def _rules(options: Any, vulnerability: str | None, languages: Any) -> Any:
    """The rules, once ``vulnerability`` is known to be one of theirs."""
    rules = rules_for(options, languages)
    if vulnerability is not None and vulnerability not in rules.vulnerabilities:
        import difflib

        close = difflib.get_close_matches(vulnerability, rules.vulnerabilities, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
        raise Refusal(f"unknown vulnerability {vulnerability!r}; {remedy}")
    return rules


def _text(answer: Answer, source: Line, sink: Line, read: Any) -> str:
    from pyrograph.report.common import SourceLines
    from pyrograph.report.safe_text import visible

    code = SourceLines(read)
    rows = [f"from {source.path}:{source.line} to {sink.path}:{sink.line}", f"  {answer.source}"]
    for verdict in answer.verdicts:
        rows.append("")
        rows += _verdict(verdict, code)
    if answer.notes:
        rows.append("")
        rows += [f"limit: {note}" for note in answer.notes]
    return "".join(f"{visible(row)}\n" for row in rows)


def _verdict(verdict: Verdict, code: Any) -> list[str]:
    at = f" at `{verdict.sink}`" if verdict.sink else ""
    rows = [f"{verdict.vulnerability or 'any sink'}{at}: {'reached' if verdict.reaches else 'not reached'}"]
    for step in verdict.steps:
        message = f"assumed: {step.message}" if step.kind == "assumed" else step.message
        rows += _place(step.place, message, code, "  " * step.depth)
    if verdict.stop is not None:
        rows += _place(verdict.stop.place, f"stopped ({verdict.stop.reason}): {verdict.stop.message}", code, "")
    rows += [f"  note: {note}" for note in verdict.notes]
    return rows


def _place(place: Place, message: str, code: Any, indent: str) -> list[str]:
    line = code.line(place.path, place.line)
    shown = f"  {indent}{(line or '').strip()[:100]}"
    return [f"  {place.path}:{place.line}:{place.column}{shown}", f"      {indent}{message}"]
