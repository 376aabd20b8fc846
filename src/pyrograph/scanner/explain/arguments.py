"""One finding for each call and vulnerability: untrusted data often reaches several arguments of one call.

``open(folder + name, mode)`` with two untrusted parts is one mistake to mend. The finding is that of the argument with
the highest confidence, the first of these; the others are listed with their places, paths and fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pyrograph.model.finding import Argument, Finding
from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.policy.limits.explanation import MAX_NAMED_ARGUMENTS

Spot = tuple[str, str, int, int]  # rule, path, and the bytes of a call, or of a sink that is none


class Reached(NamedTuple):
    """The finding of one argument."""

    finding: Finding
    spot: Spot  # the same for all arguments of a call
    text: str  # the argument as it is written, on one line
    sources: frozenset[int]  # values
    passed: frozenset[tuple[str, int, int]] = frozenset()  # path and bytes of the calls that pass the data on to it


def merged(found: Iterable[Reached]) -> list[Finding]:
    """One finding for each spot, in the order in which the spots are met."""
    groups: dict[Spot, list[Reached]] = {}
    for each in found:
        groups.setdefault(each.spot, []).append(each)
    return [group[0].finding if len(group) == 1 else _merged(group) for group in groups.values()]


def _merged(group: Sequence[Reached]) -> Finding:
    ordered = sorted(group, key=lambda each: (-CONFIDENCES.index(each.finding.confidence), each.finding.place))
    first = ordered[0].finding
    others = sorted(ordered[1:], key=lambda each: each.finding.place)
    traces = list(first.traces)
    for number, other in enumerate(others, start=1):
        traces += [replace(trace, argument=number) for trace in other.finding.traces]
    return replace(
        first,
        message=f"{first.message} {_also([other.text for other in others])}",
        traces=tuple(traces),
        num_sources=len(frozenset().union(*(each.sources for each in group))),
        arguments=tuple(Argument(other.finding.place, other.text, other.finding.fingerprint) for other in others),
    )


def _also(texts: Sequence[str]) -> str:
    named = [f"`{text}`" for text in texts[:MAX_NAMED_ARGUMENTS]]
    if more := len(texts) - len(named):
        named.append(f"{more:,} more")
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Untrusted data also reaches {listed} in this call."
