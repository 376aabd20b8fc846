"""Suppression comments as they are written: ``# pyrograph: ignore[rule, rule] reason``, and those of other scanners."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from pyrograph.model.comment import Comment
from pyrograph.model.finding import Finding
from pyrograph.model.problem import Problem

HINTS = ("nosec", "nosemgrep")  # other scanners' comments that can be accepted while moving from them

_OPENER = r"(?:\#|//|/\*)\s*"
_DIRECTIVE = re.compile(
    _OPENER + r"pyrograph:\s*(?P<word>(?:ignore|disable|skip|suppress)[\w-]*)(?P<rest>[^\n]*)", re.I
)
_RULES = re.compile(r"\s*\[(?P<rules>[^\]]*)\]")
_RULE = re.compile(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)?")
_HINT = re.compile(_OPENER + r"(?P<hint>nosec|nosemgrep)\b(?P<rest>[^\n]*)", re.I)
_REASON_START = re.compile(r"^[\s:-]+")


@dataclass(slots=True)
class SuppressionComment:
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


def comments_of(
    path: str, written: Sequence[Comment], hints: Collection[str], problems: list[Problem]
) -> Iterator[SuppressionComment]:
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
                yield SuppressionComment(path, line, lines, rules, reason, ours=True)
        line, at = first, 0
        for match in _HINT.finditer(text) if hints else ():
            line += text.count("\n", at, match.start())
            at = match.start()
            if match["hint"].lower() in hints:
                reason = f"{match['hint'].lower()}{_without_end(match['rest'])}"
                yield SuppressionComment(path, line, lines, (), reason, ours=False)


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
