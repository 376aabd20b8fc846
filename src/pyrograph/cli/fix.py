"""``pyrograph fix``: verified edits for findings, written to the files or printed as a diff."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from pyrograph.cli.attempt import fault_policy, mark_stage
from pyrograph.cli.errors import CLEAN, FINDINGS, REFUSED, complain
from pyrograph.cli.fixes import fixes_of, scan_inputs
from pyrograph.cli.given import Given, decisions_of, options_of, rules_for
from pyrograph.cli.scan import ABOUT_REPORTS, defaults, scan
from pyrograph.cli.supervise import WRITING
from pyrograph.model.finding import Report
from pyrograph.model.words import plural
from pyrograph.report.common import worst_first
from pyrograph.scanner.inputs import read_inputs
from pyrograph.scanner.triage.decisions import decided

if TYPE_CHECKING:
    from pyrograph.scanner.fix.propose import Proposal

_NOT_SHARED = ABOUT_REPORTS | {"device"}  # options of ``scan`` that ``fix`` does not have


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
    from pyrograph.scanner.fix.apply import NotWritten, diff_of, write  # loads parsers

    given = Given.typed(defaults() | typed)
    options, config = options_of(given)
    policy = fault_policy(debug=given.display.debug)
    mark_stage("discover")
    inputs = read_inputs(options)
    held = decisions_of(given, options, config)
    report = decided(scan_inputs(options, partial(rules_for, options), inputs, policy), held, options)
    proposal = fixes_of(report, options, inputs, policy)
    mark_stage(WRITING)
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


def _say(report: Report, proposal: Proposal, *, done: str) -> None:
    """One line on standard error, and what a fix needs besides."""
    left = len(report.findings) - len(proposal.fixes)
    result = proposal.result
    parts = [f"{plural(len(proposal.fixes), 'finding')} {done} in {plural(len(proposal.edits), 'file')}"]
    parts.append(f"{plural(left, 'finding')} without a verified fix")
    complain("; ".join(parts))
    by_hand = [each.rule_id for each in worst_first(report.findings) if each.fingerprint not in proposal.fixes]
    if by_hand:
        more = f" (and {plural(len({*by_hand}) - 1, 'other rule')})" if len({*by_hand}) > 1 else ""
        complain(f"how to fix the others by hand: `pyrograph rules show {by_hand[0]}`{more}")
    if result.failed:
        complain(f"of {plural(result.failed, 'finding')}, the edits did not pass the scan and were not made")
    if result.untried:
        complain(f"of {plural(result.untried, 'finding')}, the edits were not decided; run the command again")
    needed = sorted({name for each in proposal.fixes.values() for name in each.requires})
    if needed:
        complain(f"the fixes need {', '.join(needed)}: add it to the program's dependencies")


fix.params[:0] = [each for each in scan.params if each.name not in _NOT_SHARED]

__all__ = ["fix"]
