"""Verdicts: how far the data gets, for each vulnerability."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from pyrograph.graph import reached
from pyrograph.ir.codes import Op
from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.policy import doubts
from pyrograph.policy.limits.explanation import MAX_ROOTS, MAX_WALKED
from pyrograph.scanner.analysis.label import SinkRole, SourceRole
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.diagnose.answer import Answer, Line, Stop, Verdict
from pyrograph.scanner.diagnose.ends import sinks_on, sources_on
from pyrograph.scanner.diagnose.gaps import open_graphs
from pyrograph.scanner.diagnose.question import Question
from pyrograph.scanner.diagnose.stops import cleaned, no_sink, not_looked_at, stopped
from pyrograph.scanner.explain import Rater
from pyrograph.scanner.explain.best_path import best_first, likeliest, possible_first
from pyrograph.scanner.explain.rating import Rating


def answer(q: Question, source: Line, sink: Line) -> Answer:
    seeds, note = sources_on(q, source)
    verdicts: list[Verdict] = []
    ends = sinks_on(q, sink)
    if isinstance(ends, Stop):
        verdicts.append(Verdict(q.vulnerability or "", "", False, first(q, seeds), ends))
    elif isinstance(seeds, Stop):
        names = {q.name(bit): roles[0].api for bit, roles in sorted(by_bit(ends).items(), reverse=True)}
        verdicts += [Verdict(name, names[name], False, (), seeds) for name in sorted(names)]
    else:
        verdicts += verdicts_of(q, seeds, ends)
    for bound in q.resolution.bounds_reached():
        q.limits[bound.text(q.program)] = None
    return Answer(note, tuple(verdicts), tuple(q.limits))


def verdicts_of(q: Question, seeds: list[SourceRole], ends: list[SinkRole]) -> list[Verdict]:
    found: dict[int, Verdict] = {}
    flow, hits = q.ask(q.true_edges, q.labels, seeds, ends)
    for bound in flow.bounds_reached:
        q.limits[bound.text(q.program)] = None
    rater = q.rater(flow, q.labels, seeds, ends)
    for bit, arriving in _by_vulnerability(hits, ends).items():
        found[bit] = arrived(q, rater, arriving)
    for graph, changed in open_graphs(q):
        left = [role for role in ends if role.vulnerability not in found]
        if not left:
            break
        relaxed = [role._replace(keys=(), exact=False) for role in left]
        flow, hits = q.ask(graph, changed, seeds, relaxed)
        for bit, (hit, *_) in _by_vulnerability(hits, relaxed).items():
            rater = q.rater(flow, changed, seeds, relaxed)
            edges = rater.steps.edges(hit)
            origin = seeds[hit.source_role].value
            way = [origin, *(flow.value[edge.target] for edge in edges)]
            found[bit] = held_back(q, way, bit, seeds, left[hit.sink_role])
    for bit, roles in by_bit(ends).items():
        if bit not in found:
            found[bit] = apart(q, bit, seeds, roles)
    best: dict[str, Verdict] = {}  # by vulnerability: of its aspects the first that arrives, else the first
    for bit in sorted(found):
        earlier = best.setdefault(q.name(bit), found[bit])
        if found[bit].reaches and not earlier.reaches:
            best[q.name(bit)] = found[bit]
    return list(best.values())


def arrived(q: Question, rater: Rater, hits: list[Hit]) -> Verdict:
    """That data arrives, by the path that a scan shows, and which options a scan needs to report it.

    ``hits``: of one vulnerability, the nearest first; they may begin at several sources and end at several sinks.
    """
    labels = rater.steps.labels
    nearest = hits[0]
    role = labels.sinks[nearest.sink_role]
    if role.vulnerability == q.any:
        stop = no_sink(q, role)
        return Verdict(q.vulnerability or "", role.api, False, rater.steps.trace(nearest).steps, stop)
    name = q.name(role.vulnerability)
    shallow = [hit for hit in hits if q.max_depth is None or hit.depth <= q.max_depth]
    if not shallow:
        steps = rater.steps.trace(nearest).steps
        message = f"the path has {nearest.depth} edges; --max-depth is {q.max_depth}"
        return Verdict(name, role.api, False, steps, Stop("limit", steps[-1].place, message))
    reported = [hit for hit in shallow if labels.sources[hit.source_role].kind in q.kinds]
    hit, rating = _best(rater, reported or shallow)
    role, source = labels.sinks[hit.sink_role], labels.sources[hit.source_role]
    steps = rater.steps.trace(hit).steps
    notes = []
    if not reported:
        notes.append(f"a scan reports it only with --threat-model {source.kind}")
    if rating.confidence != "high":
        notes.append(f"a scan reports it only with --confidence {rating.confidence}: {doubts.WORDS[rating.doubt]}")
    if rating.party not in ("remote", *q.kinds):
        notes.append(f"a scan reports it only with --threat-model {rating.party}")
    assumed = sum(step.kind == "assumed" for step in steps)
    if assumed:
        phrase = "step is" if assumed == 1 else "steps are"
        notes.append(f"{assumed} {phrase} assumed, for example that an unknown call returns its argument")
    return Verdict(name, role.api, True, steps, None, tuple(notes))


def _best(rater: Rater, hits: list[Hit]) -> tuple[Hit, Rating]:
    """The best rated hit, chosen as a scan chooses it: for each sink first, then the sink that ranks highest."""
    sinks = rater.steps.labels.sinks
    groups: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        sink = sinks[hit.sink_role]
        groups.setdefault((sink.start, sink.end), []).append(hit)

    def may_walk(hit: Hit) -> bool:
        return rater.steps.edges_walked + hit.depth <= MAX_WALKED

    found: list[tuple[Hit, Rating]] = []
    for group in groups.values():
        chosen = likeliest(rater, group)
        sink = sinks[chosen[0].sink_role]
        chosen, rating = best_first(rater, possible_first(rater, chosen, may_walk), sink, may_walk)
        found.append((chosen[0], rating))
    return max(found, key=lambda each: each[1].rank)


def held_back(q: Question, way: list[int], bit: int, seeds: list[SourceRole], end: SinkRole) -> Verdict:
    """How far the true graph gets on ``way``, and why not further."""
    values = list(dict.fromkeys(way))
    asked = [SinkRole(v, bit, q.text(v), q.file(v), int(q.start[v]), int(q.end[v]), (), False) for v in values]
    flow, hits = q.ask(q.true_edges, q.labels, seeds, asked)
    nearest: dict[int, Hit] = {}
    for hit in sorted(hits, key=lambda h: (h.assumed, h.depth, h.source_role, h.sink_role)):
        nearest.setdefault(values[hit.sink_role], hit)
    clean = bool(q.labels.clean.get(way[0], 0) >> bit & 1)
    at = max((i for i, value in enumerate(way) if value in nearest), default=-1 if clean else 0)
    name, api = q.name(bit) or (q.vulnerability or ""), end.api
    if at < 0:
        return Verdict(name, api, False, (), cleaned(q, way[0], bit))
    last = way[at]
    if last in nearest:
        steps = q.rater(flow, q.labels, seeds, asked).steps.trace(nearest[last]).steps
        if steps[-1].place == steps[0].place:
            steps = steps[:1]
        else:
            steps = (*steps[:-1], replace(steps[-1], kind="flow", message=f"reaches `{q.text(last)}`"))
    else:
        steps = first(q, [role for role in seeds if role.value == last] or seeds)
    tainted = [flow.access_path[node] for node, value in enumerate(flow.value) if value == last]
    if at == len(way) - 1:
        return Verdict(name, api, False, steps, not_looked_at(q, end, tainted))
    return Verdict(name, api, False, steps, stopped(q, last, way[at + 1], bit, tainted))


def apart(q: Question, bit: int, seeds: list[SourceRole], roles: list[SinkRole]) -> Verdict:
    """Nothing leads from the source to the sink, whatever is let through: what the sink is made of instead."""
    edges = q.true_edges
    origins, targets = np.concatenate(edges.origin), np.concatenate(edges.target)
    num = q.program.num_values
    ends = np.array([role.value for role in roles], np.int32)
    before = reached(num, targets, origins, ends)
    entered = np.zeros(num, bool)
    entered[targets] = True
    roots = [value for value in np.flatnonzero(before & ~entered).tolist() if q.end[value] > q.start[value]]
    end = roles[0]
    place = q.texts.place(end.file, end.start, end.end, one_line=True)
    parts = [f"`{q.text(v)}` at {where(q.place(v))}" for v in roots if q.op[v] != Op.CONST]
    name = q.name(bit) or (q.vulnerability or "")
    if roots and not parts:
        here = q.texts.text(end.file, end.start, end.end)
        return Verdict(name, end.api, False, first(q, seeds), Stop("constant", place, f"`{here}` is a constant"))
    more = f" and {len(parts) - MAX_ROOTS} more" if len(parts) > MAX_ROOTS else ""
    made_of = f"; it is made of {', '.join(parts[:MAX_ROOTS])}{more}" if parts else ""
    message = f"no flow from the source reaches it{made_of}"
    return Verdict(name, end.api, False, first(q, seeds), Stop("no-way", place, message))


def first(q: Question, seeds: list[SourceRole] | Stop) -> tuple[Step, ...]:
    if isinstance(seeds, Stop):
        return ()
    return (Step(q.place(seeds[0].value), "source", f"source: `{q.text(seeds[0].value)}`"),)


def _by_vulnerability(hits: Iterable[Hit], ends: Sequence[SinkRole]) -> dict[int, list[Hit]]:
    """The hits of each vulnerability, the nearest first."""
    found: dict[int, list[Hit]] = {}
    for hit in sorted(hits, key=lambda h: (h.assumed, h.depth, h.source_role, h.sink_role)):
        found.setdefault(ends[hit.sink_role].vulnerability, []).append(hit)
    return found


def by_bit(roles: Iterable[SinkRole]) -> dict[int, list[SinkRole]]:
    found: dict[int, list[SinkRole]] = {}
    for role in roles:
        found.setdefault(role.vulnerability, []).append(role)
    return found


def where(place: Place) -> str:
    return f"{place.path}:{place.line}"
