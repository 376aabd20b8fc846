"""The difference of two reports: which findings are new, moved, unchanged and fixed.

Findings are compared argument by argument, because several untrusted arguments of one call are one finding. Arguments
match one to one, in this order:

1. equal fingerprints: rule, file, functions and code are the same; lines do not matter;
2. equal likeness in the same file and function: the code was formatted anew;
3. equal likeness in the same file: a function was renamed, or code was moved within the file;
4. equal likeness in a function of the same name: a file was renamed;
5. equal likeness anywhere.

A finding is new if one of its arguments has no match, moved if one matches by likeness alone, else unchanged. A finding
of the earlier state is fixed if none of its arguments has a match. So new and moved findings together are exactly those
that ``triage.baseline`` would not know. Linear in the number of arguments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace

from pyrograph.model.finding import Difference, Finding, Moved, Report
from pyrograph.model.place import Place


@dataclass(slots=True, eq=False)
class _Argument:
    """One argument of a finding, and what it matches in the other state."""

    finding: Finding
    place: Place
    fingerprint: str
    likeness: str
    match: _Argument | None = None
    is_moved: bool = False


Key = Callable[[_Argument], Hashable]

# Keys that match; "" never does.
_STEPS: tuple[Key, ...] = (
    lambda each: each.likeness and (each.likeness, each.place.path, each.finding.function),
    lambda each: each.likeness and (each.likeness, each.place.path),
    lambda each: each.likeness and (each.likeness, each.finding.function),
    lambda each: each.likeness,
)


def compare(before: Report, after: Report, *, base: str, commit: str, head: str = "") -> Report:
    """The report ``after`` with new findings alone, and what became of the others. ``base`` ...: see ``Difference``.

    Findings that ``after`` suppresses are in neither, and are not fixed. Those that ``before`` suppresses count as not
    there: who removes a comment that hides a finding gets to see it.
    """
    old = [_arguments(finding) for finding in before.findings]
    new = [_arguments(finding) for finding in after.findings]
    hidden = [_arguments(each.finding) for each in after.suppressed]
    # Equal fingerprints first, everywhere. What is reported goes before what is hidden.
    for one_side in (new, hidden):
        _match(old, one_side, lambda each: each.fingerprint, is_moved=False)
    for key in _STEPS:
        for one_side in (new, hidden):
            _match(old, one_side, key, is_moved=True)
    fresh: list[Finding] = []
    unchanged: list[Finding] = []
    moved: list[Moved] = []
    for arguments in new:
        finding = arguments[0].finding
        first = next((each for each in arguments if each.is_moved), None)
        if any(each.match is None for each in arguments):
            fresh.append(finding)
        elif first is not None and first.match is not None:
            moved.append(Moved(finding, first.match.finding.place))
        else:
            unchanged.append(finding)
    fixed = [arguments[0].finding for arguments in old if all(each.match is None for each in arguments)]
    named = {step.place.path for finding in fixed for trace in finding.traces for step in trace.steps}
    named |= {finding.place.path for finding in fixed}
    difference = Difference(
        base,
        commit,
        head,
        tuple(_sorted(unchanged)),
        tuple(sorted(moved, key=lambda each: _order(each.finding))),
        tuple(_sorted(fixed)),
        tuple(_sorted(each[0].finding for each in hidden if any(one.match is None for one in each))),
        {path: text for path, text in before.sources.items() if path in named},
    )
    return replace(
        after,
        findings=tuple(_sorted(fresh)),
        vulnerabilities={**before.vulnerabilities, **after.vulnerabilities},
        difference=difference,
    )


def _arguments(finding: Finding) -> list[_Argument]:
    places = (finding.place, *(argument.place for argument in finding.arguments))
    columns = zip(places, finding.fingerprints, finding.likenesses, strict=True)
    return [_Argument(finding, place, fingerprint, likeness) for place, fingerprint, likeness in columns]


def _match(old: Iterable[list[_Argument]], new: Iterable[list[_Argument]], key: Key, *, is_moved: bool) -> None:
    """Pair arguments of equal keys that have no match yet, in the order of their places."""
    waiting: dict[Hashable, list[_Argument]] = defaultdict(list)
    for each in _unmatched(old):
        name = key(each)
        if name != "":
            waiting[name].append(each)
    for found in waiting.values():
        found.reverse()
    for each in _unmatched(new):
        if found := waiting.get(key(each), []):
            other = found.pop()
            each.match, other.match = other, each
            each.is_moved = is_moved


def _unmatched(findings: Iterable[list[_Argument]]) -> list[_Argument]:
    free = [each for arguments in findings for each in arguments if each.match is None]
    return sorted(free, key=lambda each: (each.place, each.fingerprint))


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=_order)


def _order(finding: Finding) -> tuple[Place, str, str]:
    return finding.place, finding.rule_id, finding.fingerprint
