"""Suppression comments: ``# pyrograph: ignore[rule, rule] reason``, in Python, JavaScript, TypeScript and Go.

A comment behind code speaks for the statement that its line belongs to; one that stands alone speaks for the statement
that begins on the next line with code. Without brackets it speaks for every rule. What it hides stays in the report as
suppressed, with the reason; a comment that hides nothing, or that cannot be read, is a problem: a suppression must not
outlive its finding unseen. ``suppression_comments`` reads the comments, ``unused_suppressions`` words the problems.

Only comments count: those that the front end found (``Report.comments``). A string with the same text hides nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from pyrograph.model.finding import Finding, Report, Suppressed
from pyrograph.model.problem import Problem
from pyrograph.policy.limits.parsing import MAX_STATEMENT_LINES
from pyrograph.scanner.faults import fault_of, internal_error
from pyrograph.scanner.triage.suppression_comments import HINTS, SuppressionComment, comments_of
from pyrograph.scanner.triage.unused_suppressions import unused_rules


def apply_suppressions(
    report: Report, *, require_reason: bool = False, hints: Collection[str] = (), rules: Collection[str] | None = None
) -> Report:
    """Move the findings that comments hide into ``suppressed``; report comments without effect.

    Reads ``report.comments`` alone: the comments of a file that was not analysed neither hide anything nor are unused.

    Args:
        report: What the scan found.
        require_reason: A comment without a reason hides nothing.
        hints: Names from ``HINTS``: these comments hide every rule on their line and are never called unused.
        rules: Ids of the rules that ran, if not all did: only comments that name one of them can be unused then.

    Raises:
        ValueError: A hint that is not in ``HINTS``.
    """
    if unknown := sorted(set(hints) - set(HINTS)):
        raise ValueError(f"unknown suppression hint {unknown[0]!r}; known are {', '.join(HINTS)}")
    ran = None if rules is None else {*rules, *(rule.rpartition("/")[2] for rule in rules)}
    problems: list[Problem] = []
    comments: dict[tuple[str, int], list[SuppressionComment]] = defaultdict(list)
    everything: list[SuppressionComment] = []
    for path, written in report.comments.items():
        try:
            found = list(comments_of(path, written, hints, problems))
        except Exception as error:
            if isinstance(error, MemoryError):
                raise
            cost = "the comments of this file suppress nothing"
            problems.append(internal_error(fault_of("suppress", error), path, cost))
            continue
        for comment in found:
            if require_reason and comment.ours and not comment.reason:
                message = (
                    "`pyrograph: ignore` without a reason suppresses nothing (require-reason); write a reason after it"
                )
                problems.append(Problem("suppression", path, comment.line, message))
            else:
                everything.append(comment)
                for line in comment.lines[:MAX_STATEMENT_LINES]:
                    comments[path, line].append(comment)
    kept: list[Finding] = []
    hidden: list[Suppressed] = []
    for finding in report.findings:
        matches = [
            [
                (comment, rule)
                for line in lines
                for comment in comments.get((finding.place.path, line), ())
                if (rule := comment.matching(finding)) is not None
            ]
            for lines in lines_of(finding)
        ]
        for comment, rule in chain.from_iterable(matches):
            comment.used.add(rule)
        if all(matches):
            hidden.append(Suppressed(finding, "comment", matches[0][0][0].reason))
        else:
            kept.append(finding)
    for comment in everything:
        if comment.ours:
            problems += unused_rules(comment, ran, report.vulnerabilities)
    return replace(
        report,
        findings=tuple(kept),
        suppressed=(*report.suppressed, *hidden),
        problems=tuple(sorted({*report.problems, *problems})),
    )


def lines_of(finding: Finding) -> list[list[int]]:
    """For each argument, lines whose comments may speak for it: its own, and that of the call where its path ends.

    A finding is hidden if each of its arguments is.
    """
    found = []
    for number, place in enumerate((finding.place, *(argument.place for argument in finding.arguments))):
        # An argument may be a text of any length; comments can stand in its first line and in its last.
        lines = {place.line, max(place.line, place.end_line)}
        nearest = next((trace for trace in finding.traces if trace.argument == number), None)
        if nearest is not None and nearest.steps and nearest.steps[-1].place.path == place.path:
            lines.add(nearest.steps[-1].place.line)
        found.append(sorted(lines))
    return found
