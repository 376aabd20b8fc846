"""One finding for each call and vulnerability: untrusted data often reaches several arguments of one call. For some
vulnerabilities (``together``), one for each function and value: ``os.rename(path, old)``, then ``open(path)``.

``open(folder + name, mode)`` with two untrusted parts is one mistake to mend, and so is a path that is used twice and
checked nowhere. The finding is that of the argument with the highest confidence, the first of these; the others are
listed with their places, paths and fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pyrograph.model.finding import Argument, Finding
from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.policy.limits.explanation import MAX_NAMED_ARGUMENTS
from pyrograph.scanner.explain.same_value import Identity

Spot = tuple[str, str, int, int]  # rule, path, and the bytes of a call, or of a sink that is no call


class Reached(NamedTuple):
    """The finding of one argument."""

    finding: Finding
    spot: Spot  # the same for all arguments of a call
    text: str  # the argument as it is written, on one line
    sources: frozenset[int]  # values
    passed: frozenset[tuple[str, int, int]] = frozenset()  # path and bytes of the calls that pass the data on to it
    value: Identity = ()  # of the rule, the function and what it is about; (): the spot says what is one finding
    readers: frozenset[int] = frozenset()  # the functions that the sources stand in


def merged(found: Iterable[Reached]) -> list[Finding]:
    """One finding for each spot, or for each value of a function, in the order in which these are met.

    A call with two such values is one finding with all places of both. Linear in ``found``.
    """
    spots: dict[Spot, list[Reached]] = {}
    for each in found:
        spots.setdefault(each.spot, []).append(each)
    groups: list[list[Reached]] = []
    of_value: dict[Identity, int] = {}  # the group that has it
    for members in spots.values():
        values = [each.value for each in members if each.value]
        at = next((of_value[value] for value in values if value in of_value), len(groups))
        if at == len(groups):
            groups.append([])
        groups[at] += members
        for value in values:
            of_value.setdefault(value, at)
    return [group[0].finding if len(group) == 1 else _merged(group) for group in groups]


def _merged(group: Sequence[Reached]) -> Finding:
    ordered = sorted(group, key=lambda each: (-CONFIDENCES.index(each.finding.confidence), each.finding.place))
    first = ordered[0].finding
    others = sorted(ordered[1:], key=lambda each: each.finding.place)
    traces = list(first.traces)
    for number, other in enumerate(others, start=1):
        traces += [replace(trace, argument=number) for trace in other.finding.traces]
    return replace(
        first,
        message=f"{first.message} {_also(others, ordered[0].spot)}",
        traces=tuple(traces),
        num_sources=len(frozenset().union(*(each.sources for each in group))),
        arguments=tuple(
            Argument(each.finding.place, each.text, each.finding.fingerprint, each.finding.likeness) for each in others
        ),
    )


def _also(others: Sequence[Reached], spot: Spot) -> str:
    """What else is reached: the arguments of the call by their texts, those of other calls with their lines."""
    is_one_call = all(each.spot == spot for each in others)
    named = [
        f"`{each.text}`" if is_one_call else f"`{each.text}` in line {each.finding.place.line}"
        for each in others[:MAX_NAMED_ARGUMENTS]
    ]
    if more := len(others) - len(named):
        named.append(f"{more:,} more")
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Untrusted data also reaches {listed}{' in this call' if is_one_call else ''}."
