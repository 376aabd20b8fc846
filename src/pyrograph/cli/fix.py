"""``pyrograph fix``: verified edits for findings, written to the files or printed as a diff."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import click

from pyrograph.cli.errors import CLEAN, FINDINGS, REFUSED, complain
from pyrograph.cli.given import Given, options_of, rules_for
from pyrograph.cli.scan import adopted, defaults, on_error, scan
from pyrograph.model.finding import Report
from pyrograph.model.languages import rule_id_of
from pyrograph.model.words import plural
from pyrograph.scanner.fix.apply import NotWritten, diff_of, write
from pyrograph.scanner.fix.propose import Proposal, propose
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.stages import FaultPolicy

# Options of ``scan`` about reports and exit codes; ``fix`` writes none.
_NOT_SHARED = frozenset(
    {"formats", "output", "color", "stats", "quiet", "verbose", "show_paths", "fail_on", "exit_zero", "strict"}
    | {"allow_empty", "write_baseline", "include_suppressed", "category", "fixes"}
)


@click.command()
@click.option("--diff", "show_diff", is_flag=True, help="Print the edits as a unified diff and change nothing.")
def fix(show_diff: bool, **typed: Any) -> int:
    """Fix findings in PATHS where the edit is mechanical.

    Takes the options of `scan`. An edit is made only if it was verified: a scan of the edited program, in memory, finds
    neither the finding, at any confidence, nor a new one. Files that changed since the scan are left alone.

    \b
    pyrograph fix --diff src              print the edits, change nothing
    pyrograph fix --select xss src        make the edits for one rule

    Exit codes: 0 no finding is left; 1 findings are left without a fix; 2 wrong usage, or a file was not written. With
    --diff, 0 and 1 say what would be left.
    """
    given = Given.typed(defaults() | typed)
    options, config = options_of(given)
    inputs = read_inputs(options)
    report = adopted(
        _scan(options, partial(rules_for, options), inputs, debug=given.display.debug), given, config, options
    )
    proposal = fixes_of(report, options, inputs, debug=given.display.debug)
    failed = False
    if show_diff:
        click.echo("".join(diff_of(proposal)), nl=False)
    else:
        for path in sorted(proposal.edits):
            try:
                write(proposal, path, inputs)
            except NotWritten as error:
                failed = True
                complain(str(error))
            else:
                click.echo(f"fixed {path}")
    _say(report, proposal, done="would be fixed" if show_diff else "fixed")
    if failed:
        return REFUSED
    return FINDINGS if len(proposal.fixes) < len(report.findings) else CLEAN


def fixes_of(report: Report, options: ScanOptions, inputs: Inputs, *, debug: bool) -> Proposal:
    """The verified fixes of a report of ``inputs``."""
    languages = sorted({rule_id_of(file.language) for file in inputs.found.files})
    rules = rules_for(options, languages)
    return propose(report, options, rules, inputs, partial(_scan, debug=debug))


def with_fixes(report: Report, given: Given, options: ScanOptions) -> Report:
    """The report of ``scan --fixes``. A tree that changed while it was scanned gets no fixes."""
    inputs = read_inputs(options)
    now = {file.path: text for file, (text, _) in zip(inputs.found.files, inputs.texts, strict=True)}
    if any(path in now and now[path] != text for path, text in report.sources.items()):
        complain("no fixes: files changed while they were scanned; run the command again")
        return replace(report, fixes={})
    return replace(report, fixes=fixes_of(report, options, inputs, debug=given.display.debug).fixes)


def _scan(options: ScanOptions, rules: Any, inputs: Inputs, *, debug: bool) -> Report:
    from pyrograph import scanner

    return scanner.scan(options, rules, None, FaultPolicy(on_error=on_error(debug=debug)), inputs=inputs)


def _say(report: Report, proposal: Proposal, *, done: str) -> None:
    """One line on standard error, and what a fix needs besides."""
    left = len(report.findings) - len(proposal.fixes)
    result = proposal.result
    parts = [f"{plural(len(proposal.fixes), 'finding')} {done} in {plural(len(proposal.edits), 'file')}"]
    parts.append(f"{plural(left, 'finding')} without a verified fix")
    complain("; ".join(parts))
    if result.failed:
        complain(f"of {plural(result.failed, 'finding')}, the edits did not pass the scan and were not made")
    if result.untried:
        complain(f"of {plural(result.untried, 'finding')}, the edits were not decided; run the command again")
    needed = sorted({name for each in proposal.fixes.values() for name in each.requires})
    if needed:
        complain(f"the fixes need {', '.join(needed)}: add it to the program's dependencies")


fix.params[:0] = [each for each in scan.params if each.name not in _NOT_SHARED]

__all__ = ["fix", "with_fixes"]
