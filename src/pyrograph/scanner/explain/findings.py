"""Findings: one for each rule and call, or value of a function, with the confidence of its best path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from pyrograph.ir.codes import NONE, Op
from pyrograph.model.entry import EntryPoint, Parameter, Surface
from pyrograph.model.finding import Doubt, Finding, Trace, Withheld
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import Confidence, Party, Severity, Vulnerability
from pyrograph.model.words import parameter_of, source_in_words
from pyrograph.policy import doubts
from pyrograph.policy.confidence import MAX_STEPS_WITHIN
from pyrograph.policy.limits.explanation import MAX_FINDINGS, MAX_WALKED
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.assemble import FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.arguments import Reached, Spot, merged
from pyrograph.scanner.explain.best_path import best_first, likeliest, possible_first
from pyrograph.scanner.explain.explained import Explained, Unexplained
from pyrograph.scanner.explain.further_calls import FurtherCalls
from pyrograph.scanner.explain.further_writes import further_writes
from pyrograph.scanner.explain.lesser import without_lesser
from pyrograph.scanner.explain.passed_on import without_repeats
from pyrograph.scanner.explain.rating import Rater
from pyrograph.scanner.explain.same_value import Identity, value_of
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.texts import Texts
from pyrograph.scanner.explain.uses import qualified_name

FINGERPRINT_SIZE = 16  # bytes


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
    surface: bool = False,
) -> Explained:
    """One finding for each (rule, call), nearest source first; sorted by place and rule.

    ``suspects``: parties that may be attackers, too, so that nobody asks whether they alone may call. ``surface``:
    whether to list all entry points of the program, too.
    A finding whose explanation raises is left out and is returned as ``Unexplained``.
    """
    explainer = Explainer(program, resolution, labels, flow, vulnerabilities, texts, max_traces, suspects, needed)
    found = explainer.findings(hits)
    return found._replace(surface=explainer.surface(found.findings)) if surface else found


class Explainer:
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
        self.steps = Steps(program, resolution, labels, flow, texts)
        self.rater = Rater(self.steps, vulnerabilities, suspects)
        self.further_calls = FurtherCalls(self.steps)
        self.program = program
        self.labels = labels
        self.texts = texts
        self.needed = needed
        self.withheld: dict[tuple[tuple[str, ...], str, Severity], set[Spot]] = {}  # by options, rule and severity
        self.vulnerabilities = vulnerabilities
        self.max_traces = max_traces
        self.spent: dict[int, int] = {}  # file -> edges of the paths to its sinks
        self.without_steps: dict[str, tuple[int, int]] = {}  # path -> first such line, and findings without their steps

    def findings(self, hits: Sequence[Hit]) -> Explained:
        groups: dict[Spot, list[Hit]] = {}
        for hit in hits:
            sink = self.labels.sinks[hit.sink_role]
            file = self.program.files[sink.file]
            rule = f"{file.language}/{self.labels.vulnerabilities[sink.vulnerability]}"
            groups.setdefault((rule, file.path, sink.start, sink.end), []).append(hit)
        counts: dict[str, int] = {}
        found: list[Reached] = []
        unexplained = []
        names = self.within_limit(sorted(groups, key=lambda n: (n[1], n[2], n[3], n[0])), groups)
        for name in names:
            self.steps.forget()
            chosen = likeliest(self.rater, groups[name])
            spot = self.spot(name, chosen[0])
            try:
                finding = self.finding(name[0], chosen, counts, spot, groups[name])
            except Exception as error:
                if isinstance(error, MemoryError):
                    raise
                line = self.texts.content(self.labels.sinks[chosen[0].sink_role].file).count(b"\n", 0, name[2]) + 1
                unexplained.append(Unexplained(name[1], line, error))
                continue
            if finding is not None:
                sink = self.labels.sinks[chosen[0].sink_role]
                values = (self.labels.sources[hit.source_role].value for hit in chosen)
                sources = frozenset(int(self.program.original[value]) for value in values)
                text = self.texts.text(sink.file, sink.start, sink.end)
                value = self.value_of(name[0], chosen)
                readers = frozenset(int(self.steps.function[source]) for source in sources)
                found.append(Reached(finding, spot, text, sources, self.passed(chosen), value, readers))
        for path, (line, count) in self.without_steps.items():
            what = f"the paths of {count:,} findings are too long to analyse; only source and sink are shown"
            self.steps.resolution.report(what, path, line)
        reported = {each.spot for each in found}
        withheld = [
            Withheld(rule, severity, options, len(spots - reported))
            for (options, rule, severity), spots in sorted(self.withheld.items())
            if spots - reported
        ]
        return Explained(
            sorted(
                merged(without_lesser(without_repeats(found), self.vulnerabilities)), key=lambda f: (f.place, f.rule_id)
            ),
            unexplained,
            withheld,
        )

    def within_limit(self, names: Iterable[Spot], groups: Mapping[Spot, Sequence[Hit]]) -> list[Spot]:
        """The first sinks of each file; ``names`` in the order of their places. Reports how many others there are."""
        found = []
        for path, group in groupby(names, key=lambda name: name[1]):
            own = list(group)
            found += own[:MAX_FINDINGS]
            if len(own) > MAX_FINDINGS:
                sink = self.labels.sinks[groups[own[MAX_FINDINGS]][0].sink_role]
                line = self.texts.place(sink.file, sink.start, sink.end, one_line=True).line
                number = len(own) - MAX_FINDINGS
                what = (
                    f"more than {MAX_FINDINGS:,} findings; the {number:,} findings from this line on are not analysed"
                )
                self.steps.resolution.report(what, path, line)
        return found

    def spot(self, name: Spot, hit: Hit) -> Spot:
        """What is one finding with the sink ``name`` (rule, path, bytes): all arguments of its call."""
        call = self.labels.sinks[hit.sink_role].call
        if call == NONE:
            return name
        value = int(self.program.tables["calls"]["result"][call])
        return (name[0], name[1], int(self.steps.start[value]), int(self.steps.end[value]))

    def value_of(self, rule: str, chosen: Sequence[Hit]) -> Identity:
        """The key by which hits of one function become one finding; () if the call alone is the key."""
        vulnerability = self.labels.vulnerabilities[self.labels.sinks[chosen[0].sink_role].vulnerability]
        if not self.vulnerabilities[vulnerability].together or chosen[0].depth > MAX_STEPS_WITHIN:
            return ()
        found = value_of(chosen[0], self.steps, self.rater.callers)
        return (rule, *found) if found else ()

    def passed(self, chosen: Sequence[Hit]) -> frozenset[tuple[str, int, int]]:
        """The calls whose results the paths that are shown go through; not where the data names the server: its
        answer is other data.
        """
        steps, answered = self.steps, self.labels.checks.answered
        values = {
            value
            for hit in chosen[: self.max_traces]
            if hit.depth <= MAX_STEPS_WITHIN
            for edge in steps.edges(hit)
            if steps.op[value := steps.flow.value[edge.target]] == Op.CALL
            and (steps.flow.value[edge.origin], value) not in answered
        }
        files = self.program.files
        return frozenset(
            (files[int(self.program.file_of_value[value])].path, int(steps.start[value]), int(steps.end[value]))
            for value in values
        )

    def finding(
        self, rule: str, chosen: Sequence[Hit], counts: dict[str, int], spot: Spot, group: Sequence[Hit]
    ) -> Finding | None:
        """The finding of the hits ``chosen`` among all of one sink, ``group``; None if this scan does not report it."""
        labels = self.labels
        sink = labels.sinks[chosen[0].sink_role]
        vulnerability = self.vulnerabilities[labels.vulnerabilities[sink.vulnerability]]
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        before = self.steps.edges_walked - self.spent.get(sink.file, 0)

        def may_walk(hit: Hit) -> bool:
            return self.is_within_budget(hit, before)

        chosen = possible_first(self.rater, chosen, may_walk)
        if not may_walk(chosen[0]):
            line, number = self.without_steps.get(place.path, (place.line, 0))
            self.without_steps[place.path] = line, number + 1
        chosen, (confidence, party, doubt) = best_first(self.rater, chosen, sink, may_walk)
        first = chosen[0]
        source = labels.sources[first.source_role]
        words = source_in_words(source.kind, source.api)
        origin = words if parameter_of(source.api)[1] else f"data from {words}"
        message = vulnerability.message.format(source=origin, sink=f"`{sink.api}`")
        message = message[:1].upper() + message[1:]
        source_file = int(self.program.file_of_value[source.value])
        start, end = int(self.steps.start[source.value]), int(self.steps.end[source.value])
        sink_code = self.texts.text(sink.file, sink.start, sink.end, 2000)
        source_code = self.texts.text(source_file, start, end, 2000)
        identity = "\0".join(
            (rule, place.path, self.function_name(sink.value), sink_code, self.function_name(source.value), source_code)
        )
        count = counts[identity] = counts.get(identity, 0) + 1
        needed = self.needed(rule, vulnerability, confidence, party)
        if needed is None or needed:
            if needed:
                self.withheld.setdefault((tuple(needed), rule, vulnerability.severity), set()).add(spot)
            self.spent[sink.file] = self.steps.edges_walked - before
            return None
        # a lone surrogate stands for a byte of a path that is no UTF-8, or is written in a name
        counted = f"{identity}\0{count}".encode("utf-8", "surrogatepass")
        fingerprint = hashlib.blake2b(counted, digest_size=FINGERPRINT_SIZE).hexdigest()
        shown = chosen[: self.max_traces]
        traces = [self.trace(hit, before) for hit in shown]
        for hit, call in self.further_calls.of(shown, sorted(group, key=self.rater.order), may_walk):
            traces.append(replace(self.trace(hit, before), call=self.call_place(call)))
        if sink.template.path:

            def is_reported(hit: Hit) -> bool:
                if not may_walk(hit) or not self.rater.is_possible(hit):
                    return False
                rating = self.rater.rating(hit, vulnerability)
                return rating.confidence == confidence and rating.party == party

            for hit in further_writes(shown, sorted(group, key=self.rater.order), labels.sinks, is_reported):
                further = self.trace(hit, before)
                traces.append(replace(further, call=further.steps[-1].place))
        self.spent[sink.file] = self.steps.edges_walked - before
        return Finding(
            rule,
            vulnerability.id,
            vulnerability.severity,
            confidence,
            message,
            place,
            self.function_name(sink.value),
            sink.api,
            tuple(traces),
            len(chosen),
            fingerprint,
            doubt=Doubt(doubt, doubts.WORDS[doubt]) if doubt else None,
            likeness=_likeness(rule, sink.api, sink_code, source_code),
        )

    def trace(self, hit: Hit, before: int) -> Trace:
        """The path of a hit, and how requests reach its source; source and sink alone where the budget is spent."""
        is_walked = self.is_within_budget(hit, before)
        trace = self.steps.trace(hit) if is_walked else self.steps.ends(hit)
        if is_walked:
            trace = replace(trace, checks=self.rater.passed_checks.of(hit))
        source = self.labels.sources[hit.source_role]
        if source.kind not in REQUEST_KINDS:
            return trace
        parameter = self.rater.entries.parameter(source, self.rater.name_read(hit, source) if is_walked else "")
        return replace(trace, entries=self.rater.entries.of_value(source.value), parameter=parameter)

    def call_place(self, value: int) -> Place:
        """Where the call with this result stands."""
        start, end = int(self.steps.start[value]), int(self.steps.end[value])
        return self.texts.place(int(self.program.file_of_value[value]), start, end, one_line=True)

    def surface(self, findings: Sequence[Finding]) -> list[Surface]:
        """All entry points of the program, with what code behind them reads and which findings they lead to."""
        rows: dict[EntryPoint, tuple[set[Parameter], set[str]]] = {}
        by_route: dict[tuple[str, tuple[str, ...]], list[EntryPoint]] = {}
        for _, entries in self.rater.entries.all():
            for entry in entries:
                rows[entry] = set(), set()
                by_route.setdefault((entry.route, entry.methods), []).append(entry)

        def handlers(entries: Iterable[EntryPoint]) -> set[EntryPoint]:
            """What runs before a handler counts as the handler of the same route."""
            found = [[each] if each in rows else by_route.get((each.route, each.methods), []) for each in entries]
            return {handler for each in found for handler in each}

        for source in self.labels.sources:
            if source.kind in REQUEST_KINDS and int(self.program.original[source.value]) == source.value:
                for entry in handlers(self.rater.entries.of_value(source.value)):
                    rows[entry][0].add(self.rater.entries.parameter(source))
        for finding in findings:
            for entry in handlers(entry for trace in finding.traces for entry in trace.entries):
                rows[entry][1].add(finding.fingerprint)
        return [
            Surface(entry, tuple(sorted(parameters)), tuple(sorted(reached)))
            for entry, (parameters, reached) in sorted(rows.items())
        ]

    def is_within_budget(self, hit: Hit, before: int) -> bool:
        """Whether the path of a hit may be inspected; ``before``: edges walked for sinks of other files."""
        return self.steps.edges_walked - before + hit.depth <= MAX_WALKED

    def function_name(self, value: int) -> str:
        """The qualified name of the function around ``value``; "" at module level."""
        return qualified_name(self.program, int(self.steps.function[value]))


_LAYOUT = str.maketrans("", "", " \\'\"`(),;")


def _likeness(rule: str, sink: str, *code: str) -> str:
    """The same for code that was moved, renamed around or formatted anew: without spaces, quotes and brackets."""
    data = "\0".join((rule, sink, *(each.translate(_LAYOUT) for each in code)))
    return hashlib.blake2b(data.encode("utf-8", "surrogatepass"), digest_size=FINGERPRINT_SIZE).hexdigest()
