"""The best path to a sink: which hit a finding shows first, and the rating that the finding gets from it.

A scan and ``pyrograph explain`` both choose by these functions, so that both say the same of a sink. They choose in
this order:

1. ``likeliest``: one hit for each source;
2. ``possible_first``: a path that no run takes is not the first one if another path is possible;
3. ``best_first``: the hit with the best rating of the first ``MAX_RATED`` ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy import doubts
from pyrograph.policy.confidence import MIN_SOURCES_CROWDED
from pyrograph.policy.limits.explanation import MAX_IMPOSSIBLE, MAX_RATED
from pyrograph.rules.kinds import CROWDED
from pyrograph.scanner.analysis.label import SinkRole
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.rating import Rater, Rating, rating_without_steps

MayWalk = Callable[[Hit], bool]  # whether the bound on work still lets the steps of a path be inspected


def likeliest(rater: Rater, hits: Iterable[Hit]) -> list[Hit]:
    """The likeliest hit of each source, the likeliest first; a value and its copies are one source."""
    found: dict[int, Hit] = {}
    for hit in sorted(hits, key=rater.order):
        value = rater.steps.labels.sources[hit.source_role].value
        found.setdefault(int(rater.steps.program.original[value]), hit)
    return list(found.values())


def possible_first(rater: Rater, chosen: Sequence[Hit], may_walk: MayWalk) -> Sequence[Hit]:
    """The hits in the same order, but those last whose paths no run takes, if they come first."""
    for count, hit in enumerate(chosen[:MAX_IMPOSSIBLE]):
        if not may_walk(hit) or rater.is_possible(hit):
            return [*chosen[count:], *chosen[:count]]
    return chosen


def shown_alike(rater: Rater, chosen: Sequence[Hit], first: Hit) -> Sequence[Hit]:
    """The hits of the same sink: a template has one for each of the names that it writes, at the same place."""
    sinks = rater.steps.labels.sinks
    sink = sinks[first.sink_role]
    if not sink.template.path:
        return chosen
    alike = [(sinks[hit.sink_role].keys, sinks[hit.sink_role].template) for hit in chosen]
    return [hit for hit, shown in zip(chosen, alike, strict=True) if shown == (sink.keys, sink.template)]


def best_first(rater: Rater, chosen: Sequence[Hit], sink: SinkRole, may_walk: MayWalk) -> tuple[list[Hit], Rating]:
    """The hits with the best rated one first, and the rating of a finding with these hits.

    Args:
        rater: Of the search that found the hits.
        chosen: At least one hit, all of the same rule and sink; ``possible_first`` of them.
        sink: The sink of the likeliest hit, which says whether the finding has low confidence whatever the path.
        may_walk: Is asked of a hit before its steps are inspected.

    Inspects the steps of at most ``MAX_RATED`` hits.
    """
    first = chosen[0]
    vulnerability = rater.vulnerabilities[rater.steps.labels.vulnerabilities[sink.vulnerability]]
    rating = rater.rating(first, vulnerability) if may_walk(first) else rating_without_steps(first)
    first, rating = otherwise(rater, first, vulnerability, rating, may_walk)
    for hit in chosen[1:MAX_RATED]:
        if rating.confidence == "high" and rating.party == "remote":
            break
        better = rater.rating_above(hit, vulnerability, rating) if may_walk(hit) else None
        if better is not None:
            hit, better = otherwise(rater, hit, vulnerability, better, may_walk)
            if better.rank > rating.rank:
                first, rating = hit, better
    if sink.low:
        rating = rating._replace(confidence="low", doubt=rater.doubt_of_sink(sink))
    of_sink = shown_alike(rater, chosen, first)
    is_crowded = CROWDED in vulnerability.doubtful and is_crowd(rater, of_sink) and not sink.shown_by
    # many handlers may write the column that one handler reads and shows: the sink is no helper of them
    if rating.confidence == "high" and is_crowded and not rater.shape.is_shown_where_read(first, sink):
        rating = rating._replace(confidence="medium", doubt=doubts.CROWDED)
    name = first.source_role, first.sink_role
    return [first, *(hit for hit in chosen if (hit.source_role, hit.sink_role) != name)], rating


def is_crowd(rater: Rater, hits: Sequence[Hit]) -> bool:
    """Whether data from many sources reaches a sink, which makes it look like a helper of many handlers. What handlers
    wrote into a file that one place reads does not count.

    Inspects as many paths as it takes, where the program has such files.
    """
    if len(hits) < MIN_SOURCES_CROWDED or not rater.steps.resolution.stored.files:
        return len(hits) >= MIN_SOURCES_CROWDED
    counted = 0
    for hit in hits:
        counted += not any(map(rater.shape.is_put_in_file, rater.steps.edges(hit)))
        if counted == MIN_SOURCES_CROWDED:
            return True
    return False


def otherwise(
    rater: Rater, hit: Hit, vulnerability: Vulnerability, rating: Rating, may_walk: MayWalk
) -> tuple[Hit, Rating]:
    """A hit and its rating; or those of another path of the same data, if that ranks above because its code runs for
    anybody.
    """
    if rating.party != "remote" and rating.confidence != "low":
        for other in rater.other_ways(hit, rating):
            better = rater.rating_above(other, vulnerability, rating) if may_walk(other) else None
            if better is not None and better.rank > rating.rank:
                return other, better
    return hit, rating
