"""Suppression comments: ``# pyrograph: ignore[rule, rule] reason``, in Python, JavaScript, TypeScript and Go.

A comment behind code speaks for the statement that its line belongs to; one that stands alone speaks for the statement
that begins on the next line with code. Without brackets it speaks for every rule. What it hides stays in the report as
suppressed, with the reason; a comment that hides nothing, or that cannot be read, is a problem: a suppression must not
outlive its finding unseen.

Only comments count: those that the front end found (``Report.comments``). A string with the same text hides nothing.
"""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from pyrograph.model.comment import Comment
from pyrograph.model.finding import Finding, Report, Suppressed
from pyrograph.model.languages import rule_id_of, rule_languages
from pyrograph.model.problem import Problem
from pyrograph.policy.limits.parsing import MAX_STATEMENT_LINES
from pyrograph.scanner.faults import fault_of, internal_error

HINTS = ("nosec", "nosemgrep")  # other scanners' comments that can be accepted while moving from them


@dataclass(slots=True)
class _Comment:
    """One suppression comment and what became of it."""

    path: str
    line: int  # where it stands
    lines: range  # those it speaks for
    rules: tuple[str, ...]  # empty: every rule
    reason: str
    ours: bool  # not another scanner's
    used: set[str] = field(default_factory=set)  # rules that matched; "" for a comment without rules

    def matching(self, finding: Finding) -> str | None:
        """The rule of this comment that names ``finding``; "" if it names none and means all; None: not meant."""
        if not self.rules:
            return ""
        names = (finding.rule_id, finding.vulnerability)
        return next((rule for rule in self.rules if rule in names), None)


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
    comments: dict[tuple[str, int], list[_Comment]] = defaultdict(list)
    everything: list[_Comment] = []
    for path, written in report.comments.items():
        try:
            found = list(_comments_of(path, written, hints, problems))
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
            problems += _unused(comment, ran, report.vulnerabilities)
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


def _unused(comment: _Comment, ran: Collection[str] | None, known: Collection[str]) -> Iterator[Problem]:
    if not comment.rules:
        if not comment.used and ran is None:
            message = "`pyrograph: ignore` matches no finding; remove it"
            yield Problem("suppression", comment.path, comment.line, message)
    else:
        for rule in comment.rules:
            if rule not in comment.used and (ran is None or rule in ran):
                close = _misspelt(rule, known)
                remedy = f"did you mean `{close}`?" if close else "remove it"
                message = f"`pyrograph: ignore[{rule}]` matches no finding; {remedy}"
                yield Problem("suppression", comment.path, comment.line, message)


def _misspelt(rule: str, known: Collection[str]) -> str:
    """The rule id that ``rule`` was probably meant to be; "" if it is one, or resembles none."""
    language, slash, name = rule.rpartition("/")
    languages = rule_languages()
    close = [name] if name in known else difflib.get_close_matches(name, known, n=1)
    close_languages = [language] if not slash or language in languages else _language_like(language, languages)
    meant = f"{close_languages[0]}{slash}{close[0]}" if close and close_languages else ""
    return meant if meant != rule else ""


def _language_like(language: str, languages: Collection[str]) -> list[str]:
    """The language with rules that is meant: ``typescript`` has those of JavaScript."""
    shared = rule_id_of(language)
    return [shared] if shared in languages else difflib.get_close_matches(language, languages, n=1)


# -- reading comments

_OPENER = r"(?:\#|//|/\*)\s*"
_DIRECTIVE = re.compile(
    _OPENER + r"pyrograph:\s*(?P<word>(?:ignore|disable|skip|suppress)[\w-]*)(?P<rest>[^\n]*)", re.I
)
_RULES = re.compile(r"\s*\[(?P<rules>[^\]]*)\]")
_RULE = re.compile(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)?")
_HINT = re.compile(_OPENER + r"(?P<hint>nosec|nosemgrep)\b(?P<rest>[^\n]*)", re.I)
_REASON_START = re.compile(r"^[\s:-]+")


def _comments_of(
    path: str, written: Sequence[Comment], hints: Collection[str], problems: list[Problem]
) -> Iterator[_Comment]:
    for first, begin, end, text in written:
        lines = range(begin, end + 1)
        line, at = first, 0
        for match in _DIRECTIVE.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            try:
                rules, reason = _read(match["word"], match["rest"])
            except ValueError as error:
                problems.append(Problem("suppression", path, line, str(error)))
            else:
                yield _Comment(path, line, lines, rules, reason, ours=True)
        line, at = first, 0
        for match in _HINT.finditer(text) if hints else ():
            line += text.count("\n", at, match.start())
            at = match.start()
            if match["hint"].lower() in hints:
                reason = f"{match['hint'].lower()}{_without_end(match['rest'])}"
                yield _Comment(path, line, lines, (), reason, ours=False)


def _read(word: str, rest: str) -> tuple[tuple[str, ...], str]:
    """Rules and reason of one directive.

    Raises:
        ValueError: It cannot be read; the message says why and what to write.
    """
    if word.lower() != "ignore":
        raise ValueError(f"`pyrograph: {word}` is not known; write `pyrograph: ignore[rule] reason`")
    rules: tuple[str, ...] = ()
    if rest.lstrip().startswith("["):
        match = _RULES.match(rest)
        if match is None:
            raise ValueError(
                "`pyrograph: ignore[` without `]` suppresses nothing; write `pyrograph: ignore[rule] reason`"
            )
        rules = tuple(dict.fromkeys(rule.strip() for rule in match["rules"].split(",") if rule.strip()))
        bad = next((rule for rule in rules if not _RULE.fullmatch(rule)), None)
        if not rules or bad is not None:
            raise ValueError(
                f"`pyrograph: ignore[{(bad or '')[:80]}]` names no rule and suppresses nothing; write ids such as "
                "sql-injection or python/sql-injection, separated by commas"
            )
        rest = rest[match.end() :]
    return rules, _REASON_START.sub("", _without_end(rest)).strip()


def _without_end(text: str) -> str:
    return text.rstrip().removesuffix("*/").rstrip()
