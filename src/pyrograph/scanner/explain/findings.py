"""Findings: one for each rule and place, with the confidence of its best path."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, Op
from pyrograph.model.finding import Finding, Withheld
from pyrograph.model.vulnerability import CALLERS, CONFIDENCES, Confidence, Party, Severity, Vulnerability
from pyrograph.policy.confidence import MAX_STEPS_WITHIN
from pyrograph.policy.limits.explanation import MAX_MEASURED, MAX_RATED, MAX_WALKED
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.callbacks import CallbackCheck
from pyrograph.scanner.explain.callers import NAMED, SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.confidence import is_mostly_for_development, is_unlikely, rate
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.questions import ACCOUNTS, ADMINISTRATORS
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.registration import Accounts
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.texts import Texts

FINGERPRINT_SIZE = 16  # bytes
UNCHANGED: Final = frozenset({Kind.SAME, Kind.LOAD, Kind.STORE, Kind.KILL, Kind.MOVE})  # edges that make no new value


# Asked by rule, vulnerability, confidence and party: the options that a finding needs and the scan does not have; none
# where it is reported, None where the user excludes it. What is not reported is left out before its traces are made.
Needed = Callable[[str, Vulnerability, Confidence, Party], Sequence[str] | None]


def explain(
    program: Program,
    resolution: Resolution,
    labels: Labels,
    flow: FlowGraph,
    hits: Sequence[Hit],
    vulnerabilities: Mapping[str, Vulnerability],
    texts: Texts,
    *,
    max_traces: int,
    suspects: Collection[Party] = (),
    needed: Needed = lambda rule, vulnerability, confidence, party: (),
) -> Explained:
    """One finding for each (rule, sink place), nearest source first; sorted by place and rule.

    ``suspects``: parties that may be attackers, too, so that nobody asks whether they alone may call.
    A finding whose explanation raises is left out and is returned as ``Unexplained``.
    """
    explainer = Explainer(program, resolution, labels, flow, vulnerabilities, texts, max_traces, suspects, needed)
    return explainer.findings(hits)


class Rating(NamedTuple):
    """The confidence in one path, and who can send data along it."""

    confidence: Confidence
    party: Party

    @property
    def rank(self) -> tuple[int, int, int]:
        """What is reported first: what anybody can send, with more than low confidence."""
        reach = CALLERS.index(self.party)
        return (reach if self.confidence != "low" else 0, CONFIDENCES.index(self.confidence), reach)


def rating_without_steps(hit: Hit) -> Rating:
    """The rating of a path whose steps are not inspected; it has at least ``depth`` steps."""
    return Rating("low" if hit.assumed or hit.depth > MAX_STEPS_WITHIN else "medium", "remote")


class Unexplained(NamedTuple):
    """The sink of a finding that could not be explained."""

    path: str
    line: int  # from 1
    error: Exception


class Explained(NamedTuple):
    """What became of the hits of one search."""

    findings: list[Finding]  # sorted by place and rule
    unexplained: list[Unexplained]
    withheld: list[Withheld]  # by options, then rule


class Explainer(Steps):
    """Makes findings of the hits of one search."""

    def __init__(
        self,
        program: Program,
        resolution: Resolution,
        labels: Labels,
        flow: FlowGraph,
        vulnerabilities: Mapping[str, Vulnerability],
        texts: Texts,
        max_traces: int,
        suspects: Collection[Party] = (),
        needed: Needed = lambda rule, vulnerability, confidence, party: (),
    ) -> None:
        super().__init__(program, resolution, labels, flow, texts)
        self.operators = "operator" in suspects
        self.everybody = self.operators or "account" in suspects
        self.needed = needed
        self.withheld: Counter[tuple[tuple[str, ...], str, Severity]] = Counter()  # by options, rule and severity
        self.vulnerabilities = vulnerabilities
        self.max_traces = max_traces
        self.callbacks = CallbackCheck(program, resolution, flow, self.args)
        self.spent: dict[int, int] = {}  # file -> edges of the paths to its sinks
        self.without_steps: dict[str, tuple[int, int]] = {}  # path -> first such line, and findings without their steps

    def findings(self, hits: Sequence[Hit]) -> Explained:
        groups: dict[tuple[str, str, int, int], list[Hit]] = {}
        for hit in hits:
            sink = self.labels.sinks[hit.sink_role]
            file = self.program.files[sink.file]
            rule = f"{file.language}/{self.labels.vulnerabilities[sink.vulnerability]}"
            groups.setdefault((rule, file.path, sink.start, sink.end), []).append(hit)
        counts: dict[str, int] = {}
        found = []
        unexplained = []
        names = sorted(groups, key=lambda n: (n[1], n[2], n[3], n[0]))
        nearest = [self.nearest(groups[name]) for name in names]
        prepared = 0
        for place, (name, chosen) in enumerate(zip(names, nearest, strict=True)):
            if place == prepared:
                prepared = self.prepare(nearest, place)
            try:
                finding = self.finding(name[0], chosen, counts)
            except Exception as error:
                if isinstance(error, MemoryError):
                    raise
                line = self.texts.content(self.labels.sinks[chosen[0].sink_role].file).count(b"\n", 0, name[2]) + 1
                unexplained.append(Unexplained(name[1], line, error))
                continue
            if finding is not None:
                found.append(finding)
        for path, (line, count) in self.without_steps.items():
            what = f"the paths of {count:,} findings are too long to analyse; only source and sink are shown"
            self.resolution.report(what, path, line)
        withheld = [
            Withheld(rule, severity, options, count)
            for (options, rule, severity), count in sorted(self.withheld.items())
        ]
        return Explained(sorted(found, key=lambda f: (f.place, f.rule_id)), unexplained, withheld)

    def prepare(self, nearest: Sequence[Sequence[Hit]], first: int) -> int:
        """Measure for as many findings from ``first`` on as memory allows; returns the index after them."""
        self.forget()
        hits: list[Hit] = []
        known: set[tuple[int, int]] = set()
        room = MAX_MEASURED
        last = first
        while last < len(nearest) and (last == first or room > 0):  # ``last`` grows
            for hit in nearest[last][: max(MAX_RATED, self.max_traces)]:
                if (id(hit.projection), hit.source) not in known:
                    known.add((id(hit.projection), hit.source))
                    room -= 4 * hit.projection.graph.num_nodes
                hits.append(hit)
            last += 1
        with suppress(Exception):  # each finding measures what is missing, and its error is reported with it
            self.measure(hits)
        return last

    def nearest(self, hits: Sequence[Hit]) -> list[Hit]:
        """The likeliest hit of each source, the likeliest first; a value and its copies are one source."""
        found: dict[int, Hit] = {}
        for hit in sorted(hits, key=self.order):
            value = self.labels.sources[hit.source_role].value
            found.setdefault(int(self.program.original[value]), hit)
        return list(found.values())

    def finding(self, rule: str, chosen: Sequence[Hit], counts: dict[str, int]) -> Finding | None:
        labels = self.labels
        first = chosen[0]
        sink = labels.sinks[first.sink_role]
        vulnerability = self.vulnerabilities[labels.vulnerabilities[sink.vulnerability]]
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        before = self.edges_walked - self.spent.get(sink.file, 0)
        is_walked = self.is_within_budget(first, before)
        if not is_walked:
            line, number = self.without_steps.get(place.path, (place.line, 0))
            self.without_steps[place.path] = line, number + 1
        ratings = {first.source_role: self.rating(first, vulnerability) if is_walked else rating_without_steps(first)}
        if any(each.confidence != "high" or each.party != "remote" for each in ratings.values()):
            self.measure(hit for hit in chosen[1:MAX_RATED] if self.is_within_budget(hit, before))
            for hit in chosen[1:MAX_RATED]:
                if self.is_within_budget(hit, before):
                    ratings[hit.source_role] = self.rating(hit, vulnerability)
        rated = [hit for hit in chosen[:MAX_RATED] if hit.source_role in ratings]
        first = max(rated, key=lambda hit: ratings[hit.source_role].rank)
        chosen = [first, *(hit for hit in chosen if hit is not first)]
        confidence, party = ratings[first.source_role]
        if sink.low:
            confidence = "low"
        source = labels.sources[first.source_role]
        message = vulnerability.message.format(source=f"`{source.api}`", sink=f"`{sink.api}`")
        source_file = int(self.program.file_of_value[source.value])
        identity = "\0".join(
            (
                rule,
                place.path,
                self.function_name(sink.value),
                self.texts.text(sink.file, sink.start, sink.end, 2000),
                self.function_name(source.value),
                self.texts.text(source_file, int(self.start[source.value]), int(self.end[source.value]), 2000),
            )
        )
        count = counts[identity] = counts.get(identity, 0) + 1
        needed = self.needed(rule, vulnerability, confidence, party)
        if needed is None or needed:
            if needed:
                self.withheld[tuple(needed), rule, vulnerability.severity] += 1
            self.spent[sink.file] = self.edges_walked - before
            return None
        # a lone surrogate stands for a byte of a path that is no UTF-8, or is written in a name
        counted = f"{identity}\0{count}".encode("utf-8", "surrogatepass")
        fingerprint = hashlib.blake2b(counted, digest_size=FINGERPRINT_SIZE).hexdigest()
        self.measure(hit for hit in chosen[: self.max_traces] if self.is_within_budget(hit, before))
        traces = tuple(
            self.trace(hit) if self.is_within_budget(hit, before) else self.ends(hit)
            for hit in chosen[: self.max_traces]
        )
        self.spent[sink.file] = self.edges_walked - before
        return Finding(
            rule,
            vulnerability.id,
            vulnerability.severity,
            confidence,
            message,
            place,
            self.function_name(sink.value),
            sink.api,
            traces,
            len(chosen),
            fingerprint,
        )

    def is_within_budget(self, hit: Hit, before: int) -> bool:
        """Whether the path of a hit may be inspected; ``before``: edges walked for sinks of other files."""
        return self.edges_walked - before + hit.depth <= MAX_WALKED

    def rating(self, hit: Hit, vulnerability: Vulnerability) -> Rating:
        """The confidence in one path, and who can send data along it."""
        confidence = self.confidence(hit, vulnerability)
        evidence = UNKNOWN if self.operators or vulnerability.lured else self.evidence(hit)
        if evidence == SHOWN:
            return Rating(confidence, "operator")
        if evidence == NAMED:
            return Rating("low", "remote")
        if vulnerability.entrusted and not self.everybody and self.needs_account(hit):
            return Rating(confidence, "account")
        return Rating(confidence, "remote")

    def needs_account(self, hit: Hit) -> bool:
        """Whether only people with an account take a path, no visitor can make one, and all accounts are equal."""
        known = self.evidence(hit, self.members) != UNKNOWN
        return known and not self.accounts.are_open and self.accounts.are_equal

    def evidence(self, hit: Hit, callers: Callers | None = None) -> int:
        """Evidence that only an administrator's request, or that of another party, takes a path: some code on it runs
        for nobody else.
        """
        callers = callers or self.callers
        found = callers.evidence_at(self.labels.sources[hit.source_role].value)
        for edge in self.edges(hit):
            if found == SHOWN or self.context[edge.row] == Context.HEAP:  # another request may go on from there
                break
            found = max(found, callers.evidence_at(self.flow.value[edge.target]))
        return found

    @cached_property
    def callers(self) -> Callers:
        """Who are administrators."""
        regions = Regions(self.program, self.resolution, self.labels.non_returning, self.texts, ADMINISTRATORS)
        return Callers(regions, self.args, self.labels.operators)

    @cached_property
    def members(self) -> Callers:
        """Who have an account."""
        return self.callers.about(ACCOUNTS, self.labels.accounts)

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(self.labels.registering, (self.callers, self.members))

    def confidence(self, hit: Hit, vulnerability: Vulnerability) -> Confidence:
        """The confidence in one path. Steps are made only if no check and no unlikely source decides."""
        source, sink = self.labels.sources[hit.source_role], self.labels.sinks[hit.sink_role]
        if is_unlikely(source, sink, vulnerability):
            return "low"
        edges = self.edges(hit)
        if self.is_checked(edges) or not self.callbacks.is_consistent(edges):
            return "low"
        is_exact = all(self.context[edge.row] != Context.HEAP and not self.assumed[edge.row] for edge in edges)
        trace = self.trace(hit, with_texts=False)
        if sink.template.path:  # a template is no file that the data goes through
            trace = replace(trace, steps=trace.steps[:-1])
        is_unknown = sink.exact and self.is_unknown_result(edges)
        return rate(
            trace,
            vulnerability,
            sink.api,
            is_exact=is_exact,
            is_unknown=is_unknown,
            is_development=self.is_development,
            is_unsure=bool(source.unsure >> sink.vulnerability & 1),
        )

    @cached_property
    def is_development(self) -> bool:
        return is_mostly_for_development([file.path for file in self.program.files])

    def is_unknown_result(self, edges: Sequence[Edge]) -> bool:
        """Whether the value at the end of a path is the result of an unknown callee, unchanged."""
        for edge in reversed(edges):
            if self.assumed[edge.row]:
                return self.op[self.flow.value[edge.target]] == Op.CALL
            if self.kind[edge.row] not in UNCHANGED:
                return False
        return False

    def order(self, hit: Hit) -> tuple[bool, bool, bool, int, int, int]:
        """Sort key, likely hits first: no sink matched by name alone, no kind of source that seldom does harm, no
        assumed edge, a short path.
        """
        sink = self.labels.sinks[hit.sink_role]
        vulnerability = self.labels.vulnerabilities[sink.vulnerability]
        rating = self.vulnerabilities[vulnerability]
        source = self.labels.sources[hit.source_role]
        unlikely = source.kind in (*rating.unlikely, *rating.seldom) or bool(source.unsure >> sink.vulnerability & 1)
        return (sink.low, unlikely, hit.assumed, hit.depth, hit.source_role, hit.sink_role)

    def function_name(self, value: int) -> str:
        """The qualified name of the function around ``value``; "" at module level."""
        tables = self.program.tables
        names = []
        function = int(self.function[value])
        while function >= 0 and tables["functions"]["parent"][function] != NONE:
            name = self.program.strings[tables["functions"]["name"][function]] or "<anonymous>"
            owner = int(tables["functions"]["owner"][function])
            names.append(name if owner == NONE else f"{self.program.strings[tables['owners']['name'][owner]]}.{name}")
            function = int(tables["functions"]["parent"][function])
        return ".".join(reversed(names))
