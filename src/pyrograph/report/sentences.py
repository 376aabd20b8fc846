"""Sentences that end a report: what was left out, what other options would add, which files were skipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from pyrograph.model.finding import Report
from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.model.words import plural
from pyrograph.report.safe_text import visible

MAX_RULES_NAMED: Final = 6  # rules that a line about other options names


def cut_line(report: Report) -> str:
    """What readers have to know of problems: that code was left out, or that single values were not followed; or ""."""
    left_out = sum(problem.leaves_out for problem in report.problems)
    if left_out:
        return f"Because of {plural(left_out, 'problem')}, something was not analysed."
    if limits := sum(problem.incomplete for problem in report.problems):
        reached = f"{plural(limits, 'limit')} of precision reached"
        return f"All code that was read was analysed; {reached}, so flows through some calls may be missed."
    return ""


def withheld_lines(report: Report) -> list[str]:
    """Findings that other options would add: one line for each combination of options, single options first.

    Each line counts all that a scan with these options adds, also what fewer of them would: ``--confidence low`` adds
    the findings of medium confidence, too. Low confidence lets sinks match by name alone, which this scan did not look
    for, so its counts are estimates.
    """
    lines = []
    for options in sorted({each.options for each in report.withheld}, key=lambda o: (len(o), *map(_nearness, o))):
        counts: Counter[str] = Counter()
        worst = 0
        for each in report.withheld:
            if all(map(partial(_is_given, options), each.options)):
                counts[each.rule_id] += each.count
                worst += each.count if each.severity in ("critical", "high") else 0
        total = counts.total()
        grave = "" if not worst else ", critical or high" if total == 1 else f", {worst:,} of them critical or high"
        if worst == total > 1:
            grave = ", all critical or high"
        rules = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{count:,} {visible(rule)}" for rule, count in rules[:MAX_RULES_NAMED])
        if len(rules) > MAX_RULES_NAMED:
            named += f", {sum(count for _, count in rules[MAX_RULES_NAMED:]):,} others"
        about = "about " if "--confidence low" in options else ""
        lines.append(f"{about}{total:,} more with {visible(' and '.join(options))}{grave}: {named}")
    return lines


def _is_given(options: Sequence[str], option: str) -> bool:
    """Whether a scan with these options does what one option asks for."""
    return option in options or (option == "--confidence medium" and "--confidence low" in options)


def _nearness(option: str) -> tuple[str, int, str]:
    """Sorts options by name; of two levels of confidence, the one that adds less comes first."""
    name, _, value = option.partition(" ")
    return name, CONFIDENCES[::-1].index(value) if value in CONFIDENCES else 0, value


def skipped_line(skipped: Mapping[str, int]) -> str:
    """What a scan left out, by reason; some reasons count directories.

    >>> skipped_line({"minified files": 1, "directories matched by ignore files": 3})
    'left out: 3 directories matched by ignore files, 1 minified file'
    """
    parts = []
    for reason, count in sorted(skipped.items(), key=lambda item: (-item[1], item[0])):
        if count == 1:
            reason = re.sub(r"\b(?:(file)s|(director)ies)\b", lambda m: m[1] or f"{m[2]}y", reason, count=1)
        parts.append(f"{count:,} {visible(reason)}")
    return f"left out: {', '.join(parts)}"
