"""Explanation: hits become findings with a path that a person can follow, step by step.

A trace is found again by one search from its source in the graph of its vulnerability; a summary edge in it is
expanded, under the same vulnerability, into the way through the callee. A step is shown where something happens: data
is read, passed, returned, stored, joined into text.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.ir.unit import NONE, RECEIVER, UNKNOWN_KEY, CallFlag, Flow, Op, Test
from pyrograph.model.finding import Finding, Step, StepKind, Trace
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES, Confidence, Vulnerability
from pyrograph.scanner.assemble import Context, FlowGraph, Kind, Summaries
from pyrograph.scanner.captures import FIRST_KEY
from pyrograph.scanner.handed import Handed
from pyrograph.scanner.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.link import Program
from pyrograph.scanner.resolve import Resolution
from pyrograph.scanner.search import Hit, Layered

MAX_NESTING = 12  # summary edges inside summary edges that are expanded
MAX_STEPS = 200

# Before a finding is one of low confidence: assumed steps on its path, each of which may be wrong, and all steps of a
# path with an assumed one: what is guessed early must hold for all that follows.
MAX_ASSUMED = 2
MAX_STEPS_ASSUMED = 8
MAX_STEPS_SELDOM = 4  # of a path from a kind of source that does this harm in few places only
# Calls that a path enters: those into another file, and all where there are such. What is true of each step is seldom
# true of so many, where one of them is inexact: of 60 findings beyond these in ten applications of Go ten were real.
MAX_CALLS_OUT = 4
MAX_CALLS = 6
MAX_STEPS_APART = 20  # steps of a path through several files: of 40 longer ones in ten applications none was real
# Of a path that leaves each call where it was entered: of twelve that are longer than the others may be, in ten
# applications of Go, ten were real.
MAX_CALLS_OUT_EXACT = 8
MAX_STEPS_EXACT = 45
MAX_STEPS_WITHIN = 80  # and of one through a single file: somewhere among so many one does not follow
MAX_RATED = 4  # sources whose paths are looked at while the nearest gives low confidence
FINGERPRINT_SIZE = 16  # bytes

FAR: Final = "far"  # what a vulnerability calls unlikely: all that comes a long way
PROMISED: Final = ("then", "catch", "finally")
OTHERWISE: Final = re.compile(
    r"_?(?i:escape|sanitize|sanitise|purify|encode|validate|hash|is|has|get|find|fetch|load|lookup|open|stat)(_|$|[A-Z])"
)
# What a function is called that throws unless a value is right, and one that returns what is right of it.
CHECKS: Final = re.compile(r"(?i:valid|verif|check|assert|ensure|allow|permit|forbid|exists)")
CLEANERS: Final = re.compile(r"(?i:valid|verif|saniti[sz]e|clean|secure|safe)")
# Files that look as if they held tests: what other files give them, and get from them, they do when these run.
TESTS: Final = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.\w+$")


class Texts:
    """Source texts and places in them; read once a file."""

    def __init__(self, program: Program, read: Mapping[str, bytes]) -> None:
        self.program = program
        self.read = read
        self.lines: dict[int, list[int]] = {}

    def content(self, file: int) -> bytes:
        return self.read.get(self.program.files[file].path, b"")

    def place(self, file: int, start: int, end: int, *, one_line: bool = False) -> Place:
        """Bytes ``start:end`` as lines and columns in code points; ``one_line`` ends it with its first line."""
        content = self.content(file)
        starts = self.lines.get(file)
        if starts is None:
            starts = [0]
            at = content.find(b"\n")
            while at >= 0:
                starts.append(at + 1)
                at = content.find(b"\n", at + 1)
            self.lines[file] = starts
        if one_line:
            line_end = content.find(b"\n", start)
            end = min(end, len(content) if line_end < 0 else line_end)
        line, column = _position(content, starts, start)
        end_line, end_column = _position(content, starts, max(end, start))
        return Place(self.program.files[file].path, line, column, end_line, end_column)

    def text(self, file: int, start: int, end: int, limit: int = 60) -> str:
        """The text on one line, shortened."""
        text = " ".join(self.content(file)[start:end].decode("utf-8", "replace").split())
        return text if len(text) <= limit else text[: limit - 1] + "…"


def _position(content: bytes, starts: Sequence[int], at: int) -> tuple[int, int]:
    line = bisect_right(starts, at) - 1
    return line + 1, len(content[starts[line] : at].decode("utf-8", "replace")) + 1


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
    wanted: Callable[[str, Vulnerability, Confidence], bool] = lambda rule, vulnerability, confidence: True,
) -> list[Finding]:
    """One finding for each (rule, sink place), nearest source first; sorted by place and rule.

    ``wanted``: asked by rule, vulnerability and confidence; what is not wanted is left out before all its traces are
    made.
    """
    explainer = Explainer(program, resolution, labels, flow, vulnerabilities, texts, max_traces)
    return explainer.findings(hits, wanted)


@dataclass(frozen=True, slots=True)
class Edge:
    origin: int  # node of the flow graph
    target: int
    row: int  # of the flow graph
    depth: int  # calls deep


class Explainer:
    def __init__(
        self,
        program: Program,
        resolution: Resolution,
        labels: Labels,
        flow: FlowGraph,
        vulnerabilities: Mapping[str, Vulnerability],
        texts: Texts,
        max_traces: int,
    ) -> None:
        self.program = program
        self.resolution = resolution
        self.labels = labels
        self.flow = flow
        self.vulnerabilities = vulnerabilities
        self.texts = texts
        self.max_traces = max_traces
        values = program.tables["values"]
        self.op = program.numbers("values", "op")  # lists: a NumPy number compared with an enumeration is slow
        self.data = program.numbers("values", "data")
        self.function = values["function"]
        self.start, self.end = values["start"], values["end"]
        self.context: list[int] = flow.context.tolist()
        self.kind: list[int] = flow.kind.tolist()
        self.assumed: list[bool] = flow.assumed.tolist()
        self.trees: dict[tuple[int, int], engine.Tree] = {}
        self.ways: dict[tuple[int, int], list[Edge]] = {}  # by source and sink role
        self.levels: dict[int, _Level] = {}  # by the summaries they were made with
        self.looking: dict[int, bool] = {}  # see ``looks_through``
        self.handed = Handed(program, resolution, flow)

    # -- findings ------------------------------------------------------------------------------------------------------

    def findings(self, hits: Sequence[Hit], wanted: Callable[[str, Vulnerability, Confidence], bool]) -> list[Finding]:
        groups: dict[tuple[str, str, int, int], list[Hit]] = {}
        for hit in hits:
            sink = self.labels.sinks[hit.sink_role]
            file = self.program.files[sink.file]
            rule = f"{file.language}/{self.labels.vulnerabilities[sink.vulnerability]}"
            groups.setdefault((rule, file.path, sink.start, sink.end), []).append(hit)
        counts: dict[str, int] = {}
        found = []
        for name in sorted(groups, key=lambda n: (n[1], n[2], n[3], n[0])):
            finding = self.finding(name[0], groups[name], counts, wanted)
            if finding is not None:
                found.append(finding)
        return sorted(found, key=lambda f: (f.place, f.rule_id))

    def finding(
        self,
        rule: str,
        hits: Sequence[Hit],
        counts: dict[str, int],
        wanted: Callable[[str, Vulnerability, Confidence], bool],
    ) -> Finding | None:
        labels = self.labels
        nearest: dict[int, Hit] = {}
        for hit in sorted(hits, key=self.order):
            value = labels.sources[hit.source_role].value
            nearest.setdefault(int(self.program.original[value]), hit)
        chosen = list(nearest.values())
        first = chosen[0]
        sink = labels.sinks[first.sink_role]
        vulnerability = self.vulnerabilities[labels.vulnerabilities[sink.vulnerability]]
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        ratings = {first.source_role: self.rating(first, vulnerability)}
        for hit in chosen[1:MAX_RATED] if "low" in ratings.values() else ():
            ratings[hit.source_role] = self.rating(hit, vulnerability)
        first = max(chosen[: len(ratings)], key=lambda hit: CONFIDENCES.index(ratings[hit.source_role]))
        chosen = [first, *(hit for hit in chosen if hit is not first)]
        confidence = ratings[first.source_role]
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
        if not wanted(rule, vulnerability, confidence):
            return None
        fingerprint = hashlib.blake2b(f"{identity}\0{count}".encode(), digest_size=FINGERPRINT_SIZE).hexdigest()
        traces = tuple(self.trace(hit) for hit in chosen[: self.max_traces])
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

    def rating(self, hit: Hit, vulnerability: Vulnerability) -> Confidence:
        """The confidence in one way; what a check or an unlikely source decides needs no steps to look at."""
        source, sink = self.labels.sources[hit.source_role], self.labels.sinks[hit.sink_role]
        edges = self.edges(hit)
        if is_unlikely(source, sink, vulnerability) or self.is_checked(edges) or not self.handed.agree(edges):
            return "low"
        is_exact = all(self.context[edge.row] != Context.HEAP and not self.assumed[edge.row] for edge in edges)
        return rate(self.trace(hit), vulnerability, sink.api, is_exact=is_exact)

    def order(self, hit: Hit) -> tuple[bool, bool, bool, int, int, int]:
        """What is likely first: no sink by its name alone, no kind of source that seldom does harm, no assumed step, a
        short path.
        """
        sink = self.labels.sinks[hit.sink_role]
        vulnerability = self.labels.vulnerabilities[sink.vulnerability]
        rating = self.vulnerabilities[vulnerability]
        unlikely = self.labels.sources[hit.source_role].kind in (*rating.unlikely, *rating.seldom)
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

    # -- traces --------------------------------------------------------------------------------------------------------

    def trace(self, hit: Hit) -> Trace:
        source = self.labels.sources[hit.source_role]
        sink = self.labels.sinks[hit.sink_role]
        edges = self.edges(hit)
        steps = [self.source_step(source.value, source.kind, source.api)]
        for edge in edges:
            step = self.step(edge)
            if step is not None:
                _append(steps, step)
        depth = steps[-1].depth if len(steps) > 1 else 0
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        steps = steps[: MAX_STEPS - 1]
        if len(steps) > 1 and steps[-1].place == place and steps[-1].kind not in ("call", "assumed"):
            steps.pop()
        steps.append(Step(place, "sink", f"reaches `{sink.api}`", depth))
        return Trace(source.kind, source.api, tuple(steps))

    def is_checked(self, edges: Sequence[Edge]) -> bool:
        """Whether the data passes a check that nothing here understands."""
        checked = self.labels.doubted.keys() | self.labels.validated
        return any(
            (self.assumed[edge.row] and self.flow.value[edge.target] in checked) or self.passes_check(edge)
            for edge in edges
        )

    def edges(self, hit: Hit) -> list[Edge]:
        """The edges of the canonical shortest path, those inside the callees that it passes included."""
        known = self.ways.get((hit.source_role, hit.sink_role))
        if known is not None:
            return known
        edges: list[Edge] = []
        self.ways[hit.source_role, hit.sink_role] = edges
        for row, depth in self.rows(hit):
            if row >= 0:
                edges.append(Edge(int(self.flow.origin[row]), int(self.flow.target[row]), row, depth))
            else:
                self.expand(hit.layered, -1 - row, depth, edges, 0)
        return edges

    def rows(self, hit: Hit) -> list[tuple[int, int]]:
        """The edges of the canonical shortest path: (row, calls deep)."""
        layered = hit.layered
        key = (id(layered), hit.source)
        tree = self.trees.get(key)
        if tree is None:
            tree = self.trees[key] = engine.parents(layered.graph, hit.source)
        path = tree.path(hit.sink)
        graph = layered.graph
        found = []
        depth = 0
        for u, v in pairwise(path):
            first, last = int(graph.offsets[u]), int(graph.offsets[u + 1])
            at = first + int(graph.targets[first:last].searchsorted(v))
            row = int(layered.rows[at])
            context = Context.SUMMARY if row < 0 else self.context[row]
            if context == Context.RETURN:
                depth = max(0, depth - 1)
            found.append((row, depth))
            if context == Context.CALL:
                depth += 1
        return found

    def expand(self, layered: Layered, summary: int, depth: int, edges: list[Edge], nesting: int) -> None:
        """The way through the callee that a summary edge stands for."""
        summaries = layered.summaries
        argument, result = int(summaries.origin[summary]), int(summaries.target[summary])
        site = int(summaries.site[summary])
        found = self.through(layered, argument, result, site) if nesting < MAX_NESTING else None
        if found is None:
            return
        enter, inside, leave = found
        flow = self.flow
        edges.append(Edge(int(flow.origin[enter]), int(flow.target[enter]), enter, depth))
        for row in inside:
            if row >= 0:
                edges.append(Edge(int(flow.origin[row]), int(flow.target[row]), row, depth + 1))
            else:
                self.expand(layered, -1 - row, depth + 1, edges, nesting + 1)
        edges.append(Edge(int(flow.origin[leave]), int(flow.target[leave]), leave, depth))

    def through(self, layered: Layered, argument: int, result: int, site: int) -> tuple[int, list[int], int] | None:
        """A shortest same-level way from ``argument`` into the callee of ``site`` and back to ``result``."""
        graph = self.level(layered.summaries)
        calls, returns = self.crossings
        flow, bit = self.flow, layered.bit
        masks = layered.summaries.mask

        def passes(row: int) -> bool:
            if row >= 0 and self.assumed[row] and not layered.assumed:
                return False
            mask = int(flow.mask[row]) if row >= 0 else int(masks[-1 - row])
            return bool(mask >> bit & 1)

        entries = [(row, int(flow.target[row])) for row in calls.get((argument, site), ()) if passes(row)]
        leaves = {int(flow.origin[row]): row for row in reversed(returns.get((result, site), ())) if passes(row)}
        for enter, formal in entries:
            before: dict[int, tuple[int, int]] = {formal: (-1, 0)}
            queue = deque([formal])
            while queue:
                node = queue.popleft()
                if node in leaves:
                    rows = []
                    at = node
                    while at != formal:
                        at, row = before[at]
                        rows.append(row)
                    return enter, rows[::-1], leaves[node]
                for row, target in graph.following(node):
                    if target not in before and passes(row):
                        before[target] = (node, row)
                        queue.append(target)
        return None

    def level(self, summaries: Summaries) -> _Level:
        """Same-level edges by origin: intra-procedural ones, then summaries."""
        known = self.levels.get(id(summaries))
        if known is not None:
            return known
        flow = self.flow
        inside = np.flatnonzero(flow.context == Context.INTRA)
        origin = np.concatenate([flow.origin[inside], summaries.origin])
        order = np.argsort(origin, kind="stable")
        rows = np.concatenate([inside, -1 - np.arange(len(summaries.origin))])[order]
        target = np.concatenate([flow.target[inside], summaries.target])[order]
        first = np.concatenate([[0], np.cumsum(np.bincount(origin, minlength=len(flow.value)))])
        level = self.levels[id(summaries)] = _Level(first.tolist(), rows.tolist(), target.tolist())
        return level

    @cached_property
    def crossings(self) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], list[int]]]:
        """Edges into callees by (argument, site), and out of them by (result, site)."""
        flow = self.flow
        found: list[dict[tuple[int, int], list[int]]] = []
        for context, ends in ((Context.CALL, flow.origin), (Context.RETURN, flow.target)):
            rows = np.flatnonzero(flow.context == context)
            by_site: dict[tuple[int, int], list[int]] = {}
            for row, end, site in zip(rows.tolist(), ends[rows].tolist(), flow.site[rows].tolist(), strict=True):
                by_site.setdefault((end, site), []).append(row)
            found.append(by_site)
        return found[0], found[1]

    # -- steps ---------------------------------------------------------------------------------------------------------

    def place(self, value: int) -> Place:
        return self.texts.place(
            int(self.program.file_of_value[value]), int(self.start[value]), int(self.end[value]), one_line=True
        )

    def source_step(self, value: int, kind: str, api: str) -> Step:
        what = "parameter that receives" if self.op[value] == Op.PARAMETER else "read from"
        return Step(self.place(value), "source", f"{what} {SOURCES.get(kind, kind)}: `{api}`", 0)

    def step(self, edge: Edge) -> Step | None:
        """What a reader should see of an edge, or None."""
        flow = self.flow
        value = flow.value[edge.target]
        origin = flow.value[edge.origin]
        context, kind, assumed = self.context[edge.row], self.kind[edge.row], self.assumed[edge.row]
        op = self.op[value]
        named = op in (Op.GLOBAL, Op.IMPORT, Op.LOAD, Op.PARAMETER) and self.end[value] > self.start[value]
        captured = self.is_captured(edge)
        if edge.row in flow.widened:
            said = "taken to be any part, of more than are told apart"
            return Step(self.place(value), "assumed", said, edge.depth, doubtful=True)
        if assumed and value in self.labels.validated:
            said = f"taken to pass the validator of `{self.source_text(value)}`"
            return Step(self.place(value), "assumed", said, edge.depth)
        if assumed and value in self.labels.doubted:
            return self.check_step(self.labels.doubted[value], edge.depth)
        if captured and named:
            return Step(self.place(value), "flow", f"read as `{self.source_text(value)}`", edge.depth)
        if captured:
            return None
        if context == Context.CALL:
            site = int(flow.site[edge.row])
            place, name = self.call_place(site, origin, value)
            return Step(place, "call", f"passed to `{name}`", edge.depth)
        if context == Context.RETURN:
            if op == Op.POST:
                name = self.callee_name(origin)
                return Step(self.place(value), "return", f"left in the argument by `{name}`", edge.depth)
            return Step(self.place(value), "return", f"returned by `{self.callee_name(origin)}`", edge.depth)
        if assumed:
            call = self.data[value]
            callee = int(self.program.tables["calls"]["callee"][call]) if op == Op.CALL else value
            name = self.source_text(callee)
            said = f"taken to pass through `{name}`"
            return Step(self.place(value), "assumed", said, edge.depth, self.is_doubtful(edge, value))
        if kind == Kind.PUT or (kind == Kind.MOVE and op == Op.POST):
            if op == Op.NEW or op == Op.STORE:
                return Step(self.place(value), "store", f"stored in `{self.source_text(value)}`", edge.depth)
            return Step(self.place(value), "store", f"stored by `{self.source_text(value)}`", edge.depth)
        if kind == Kind.TAKE or kind == Kind.MOVE:
            return Step(self.place(value), "load", f"read from `{self.source_text(origin)}`", edge.depth)
        if kind == Kind.DERIVED or (kind >= Kind.SHOWN and op == Op.CALL):
            if op == Op.CALL:
                callee = int(self.program.tables["calls"]["callee"][self.data[value]])
                return Step(self.place(value), "flow", f"through `{self.source_text(callee)}`", edge.depth)
            if op == Op.POST:
                return Step(self.place(value), "flow", f"into `{self.source_text(value)}`", edge.depth)
            return Step(self.place(value), "flow", f"becomes part of `{self.source_text(value)}`", edge.depth)
        if context == Context.HEAP and named:
            return Step(self.place(value), "flow", f"read as `{self.source_text(value)}`", edge.depth)
        return None

    def check_step(self, condition: int, depth: int) -> Step:
        """A check that nothing here understands, which is taken to let the data through."""
        conditions = self.program.tables["conditions"]
        test, left = int(conditions["test"][condition]), int(conditions["left"][condition])
        text = self.source_text(left)
        if test in (Test.EQUAL, Test.IN):
            text += f" {'==' if test == Test.EQUAL else 'in'} {self.source_text(int(conditions['right'][condition]))}"
        return Step(self.place(left), "assumed", f"taken to pass the check `{text}`", depth)

    def is_captured(self, edge: Edge) -> bool:
        """Whether a variable goes into a closure that captures it, or comes out again."""
        flow = self.flow
        if self.kind[edge.row] in (Kind.PUT, Kind.TAKE) and int(flow.key[edge.row]) <= FIRST_KEY:
            return True
        origin, target = flow.value[edge.origin], flow.value[edge.target]
        context = self.context[edge.row]
        if context == Context.CALL:
            return self.op[target] == Op.PARAMETER and self.data[target] == NONE
        return context == Context.RETURN and (origin, target) in self.changed_captures

    def passes_check(self, edge: Edge) -> bool:
        """Whether the value itself was given to a function of the program that is named after checking and tests
        something: it may throw, or say whether the value is right, or return only what is right of it. So does one
        that looks at each character and returns its argument as it is.
        """
        flow, tables = self.flow, self.program.tables
        value = flow.value[edge.target]
        if flow.path[edge.target] or self.op[value] not in (Op.POST, Op.CALL):
            return False
        is_post = self.op[value] == Op.POST
        if not is_post and self.context[edge.row] != Context.RETURN:
            return False
        call = int(tables["arguments"]["call"][self.data[value]]) if is_post else self.data[value]
        wanted = CHECKS if is_post else CLEANERS
        result = int(tables["calls"]["result"][call])
        return any(
            wanted.search(self.program.strings[tables["functions"]["name"][each]])
            and (not is_post or each in self.throwing or self.used[result])
            for each in self.testing.get(call, ())
        ) or (not is_post and any(self.looks_through(each) for each in self.testing.get(call, ())))

    def looks_through(self, function: int) -> bool:
        """Whether a function tests the single characters of a parameter, and returns it where nothing was wrong."""
        known = self.looking.get(function)
        if known is not None:
            return known
        tables, reps = self.program.tables, self.resolution.representative
        flows, loads, conditions = tables["flows"], tables["loads"], tables["conditions"]
        is_returned = (flows["target"] == tables["functions"]["result"][function]) & (flows["kind"] == Flow.SAME)
        returned = np.unique(reps[flows["origin"][is_returned]])
        is_own = [self.op[each] == Op.PARAMETER and self.function[each] == function for each in returned.tolist()]
        returned = returned[np.array(is_own, bool)]
        file = int(self.program.file_of_value[tables["functions"]["value"][function]])
        counting = self.program.files[file].language == "go"  # elsewhere one goes through a text without an index
        single = (loads["key"] < 0 if counting else loads["key"] == UNKNOWN_KEY) & np.isin(
            reps[loads["object"]], returned
        )
        found = set(reps[loads["result"][single]].tolist())
        arguments, calls = tables["arguments"], tables["calls"]
        asked = calls["result"][arguments["call"][np.isin(reps[arguments["value"]], list(found))]]
        found.update(reps[asked].tolist())
        found.update(reps[loads["result"][np.isin(reps[loads["object"]], asked)]].tolist())
        here = conditions["function"] == function
        tested = reps[np.concatenate([conditions[side][here & (conditions[side] >= 0)] for side in ("left", "right")])]
        self.looking[function] = bool(found) and not found.isdisjoint(tested.tolist())
        return self.looking[function]

    @cached_property
    def testing(self) -> dict[int, list[int]]:
        """The named functions that a call may call in which, or right below which, something is tested."""
        tables, targets = self.program.tables, self.resolution.targets
        testing = set(tables["conditions"]["function"].tolist())
        around = self.function[tables["calls"]["result"]].tolist()
        testing |= {around[site] for site, function in targets if function in testing and site < len(around)}
        found: dict[int, list[int]] = {}
        for site, function in targets:
            if function in testing and tables["functions"]["name"][function] != NONE:
                found.setdefault(site, []).append(function)
        return found

    @cached_property
    def throwing(self) -> set[int]:
        """The functions that raise something, and those that call them."""
        tables, targets = self.program.tables, self.resolution.targets
        fed = set(tables["flows"]["target"].tolist())
        found = {each for each, raised in enumerate(tables["functions"]["raised"].tolist()) if raised in fed}
        around = self.function[tables["calls"]["result"]].tolist()
        return found | {around[site] for site, function in targets if function in found and site < len(around)}

    @cached_property
    def used(self) -> npt.NDArray[np.bool_]:
        """For each value whether something is read or asked of it, or it is put together with others."""
        tables = self.program.tables
        found = np.zeros(len(self.op), np.bool_)
        for table, column in (("loads", "object"), ("conditions", "left"), ("pis", "input"), ("stores", "value")):
            values = tables[table][column]
            found[values[values >= 0]] = True
        return found

    def is_doubtful(self, edge: Edge, value: int) -> bool:
        """Whether an unknown callee most likely does not return what it was given.

        What one waits for was fetched by it, as was what is given a context to wait with, and what a getter's name
        tells; what is named after cleaning cleans.
        """
        if self.op[value] != Op.CALL:
            return False
        call, calls = self.data[value], self.program.tables["calls"]
        if int(calls["flags"][call]) & CallFlag.AWAIT or value in self.awaited or self.asks(call):
            return True
        name = self.source_text(int(calls["callee"][call])).rpartition(".")[2]
        return OTHERWISE.match(name) is not None and not self.is_accessor(call, name)

    def asks(self, call: int) -> bool:
        """Whether an argument's type tells that the call asks something else, which its result comes from."""
        tables, arguments = self.program.tables, self.program.tables["arguments"]
        file = self.program.files[int(self.program.file_of_value[tables["calls"]["result"][call]])]
        asking = self.labels.asking.get(file.language, frozenset())
        given = arguments["value"][arguments["call"] == call].tolist() if asking else ()
        return any(not asking.isdisjoint(self.resolution.states_of(each)) for each in given)

    def is_accessor(self, call: int, name: str) -> bool:
        """``message.GetName()`` of a parameter, without arguments: what the message of a remote call holds."""
        receiver = int(self.program.tables["calls"]["receiver"][call])
        arguments = self.program.tables["arguments"]
        given = arguments["position"][arguments["call"] == call]
        return (
            name.startswith("Get")
            and receiver != NONE
            and self.op[self.resolution.reps[receiver]] == Op.PARAMETER
            and bool((given == RECEIVER).all())
        )

    @cached_property
    def changed_captures(self) -> set[tuple[int, int]]:
        """What closures leave in captured variables, and the variables outside."""
        rows = self.program.tables["captures"]
        return set(zip(rows["out"].tolist(), rows["outer"].tolist(), strict=True))

    @cached_property
    def awaited(self) -> set[int]:
        """Results of calls on which a promise's methods are called."""
        calls = self.program.tables["calls"]
        names = {self.program.string_ids[name] for name in PROMISED if name in self.program.string_ids}
        rows = zip(calls["receiver"].tolist(), calls["name"].tolist(), strict=True)
        return {receiver for receiver, name in rows if name in names}

    def source_text(self, value: int) -> str:
        return self.texts.text(int(self.program.file_of_value[value]), int(self.start[value]), int(self.end[value]))

    def callee_name(self, value: int) -> str:
        tables = self.program.tables
        function = int(self.function[value])
        return self.program.strings[tables["functions"]["name"][function]] or "function"

    def call_place(self, site: int, argument: int, parameter: int) -> tuple[Place, str]:
        """Where ``argument`` stands at a call, and the callee's name."""
        tables = self.program.tables
        name = self.callee_name(parameter)
        calls = tables["calls"]["result"]
        if site < len(calls):
            arguments = tables["arguments"]
            first, last = arguments["call"].searchsorted(np.array([site, site + 1], np.int32)).tolist()
            for row in range(first, last):
                if int(arguments["value"][row]) == argument and int(arguments["position"][row]) != RECEIVER:
                    file = int(self.program.file_of_value[calls[site]])
                    start, end = int(arguments["start"][row]), int(arguments["end"][row])
                    return self.texts.place(file, start, end, one_line=True), name
            return self.place(int(calls[site])), name
        return self.place(parameter), name


@dataclass(frozen=True, slots=True)
class _Level:
    first: list[int]  # of each node: where its edges begin
    rows: list[int]
    targets: list[int]

    def following(self, node: int) -> Iterable[tuple[int, int]]:
        """(row, target) of the edges of a node."""
        first, last = self.first[node], self.first[node + 1]
        return zip(self.rows[first:last], self.targets[first:last], strict=True)


def is_unlikely(source: SourceRole, sink: SinkRole, vulnerability: Vulnerability) -> bool:
    """Whether data from such a source seldom does this harm at such a sink."""
    return not {source.kind, source.api, f"{source.api} at {sink.api}"}.isdisjoint(vulnerability.unlikely)


def rate(trace: Trace, vulnerability: Vulnerability, sink: str, *, is_exact: bool) -> Confidence:
    """How likely it is that data really goes this way, which no check is on, and does harm at ``sink``.

    ``is_exact``: the way leaves each call where it was entered, and nothing on it is assumed.
    """
    paths = {step.place.path for step in trace.steps}
    if any(is_test(path) for path in paths) or 0 < sum(TESTS.search(path) is not None for path in paths) < len(paths):
        return "low"
    entered = [after.place.path != step.place.path for step, after in pairwise(trace.steps) if step.kind == "call"]
    if len(entered) > 1 and f"far from {sink}" in vulnerability.unlikely:
        return "low"
    is_far = sum(entered) > MAX_CALLS_OUT or (sum(entered) > 1 and len(entered) > MAX_CALLS)
    is_far = is_far or (len(trace.steps) > MAX_STEPS_APART and len(paths) > 1)
    if is_far and (not is_exact or FAR in vulnerability.unlikely):
        return "low"
    if is_far and (sum(entered) > MAX_CALLS_OUT_EXACT or len(trace.steps) > MAX_STEPS_EXACT):
        return "low"
    if len(trace.steps) > MAX_STEPS_WITHIN:
        return "low"
    assumed = sum(step.kind == "assumed" for step in trace.steps)
    if trace.source_kind in vulnerability.seldom:
        return "low" if assumed or len(trace.steps) > MAX_STEPS_SELDOM else "medium"
    if not assumed:
        return "medium" if is_far else "high"
    if assumed > MAX_ASSUMED or len(trace.steps) > MAX_STEPS_ASSUMED or any(step.doubtful for step in trace.steps):
        return "low"
    return "medium"


def is_test(path: str) -> bool:
    """Whether a file is built for tests only, by the rules of its language."""
    return path.endswith("_test.go")


def _append(steps: list[Step], step: Step) -> None:
    """Add a step unless it says again what the last one said: same place, or a longer reading of the same
    expression.
    """
    last = steps[-1]
    if step.place == last.place and step.kind == last.kind:
        return
    quiet: tuple[StepKind, ...] = ("load",)
    same_start = (step.place.path, step.place.line, step.place.column) == (
        last.place.path,
        last.place.line,
        last.place.column,
    )
    if step.kind in quiet and same_start and last.kind in ("source", "load"):
        return
    steps.append(step)


SOURCES = {
    "http": "the request",
    "route": "the request's path",
    "header": "the request's headers",
    "cookie": "a cookie",
    "upload": "an upload",
    "ws": "a websocket message",
    "rpc": "a remote call",
    "event": "an event",
    "dom": "the page",
    "ipc": "another process",
    "net": "the network",
    "archive": "an archive",
    "response": "a response",
    "llm": "a language model",
    "db": "the database",
    "file": "a file",
    "env": "the environment",
    "cli": "the command line",
    "stdin": "standard input",
    "library": "arguments of the library's caller",
}
