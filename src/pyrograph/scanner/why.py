"""Why, or why not: how far data gets from one line to another, and what stops it.

The question is put to the graph that a scan searches, with the values of the first line as sources and what the second
line calls as sinks. Where nothing arrives, it is put again to graphs that let more and more through, each with calls
and returns matched up to the last:

1. no sanitizer, guard, clean type or encoding holds anything back;
2. also, fields and elements are not told apart;
3. also, a call that passes nothing on gives what it was given, a comparison what it compares (first with fields, then
   without);
4. also, the functions of the program do so;
5. instead, calls and returns are not matched.

The first that has a way shows where the data could have gone. All values on that way are then sinks of the first, true
graph: the last one that is reached is how far the data gets, and the step behind it, which the true graph does not
take, is what stops it. So an answer never rests on a guess about what might have blocked.

Cost: an assembly and a search for each graph that is asked; nothing is lowered or labelled twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.ir.unit import NONE, RECEIVER, UNKNOWN_KEY, Op, Test
from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.rules import DEFAULT_KINDS
from pyrograph.scanner.assemble import Context, Edges, FlowGraph, Kind, data_flow, expand
from pyrograph.scanner.assemble import Path as KeyPath
from pyrograph.scanner.explain import Explainer, rate
from pyrograph.scanner.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.pipeline import Understood
from pyrograph.scanner.reach import reached
from pyrograph.scanner.search import Hit, search

Ints = npt.NDArray[np.int32]

Reason = Literal[
    "sanitizer",  # a call whose result, or whose argument afterwards, is clean
    "guard",  # a test, behind which the value is clean
    "type",  # what is declared with it carries no text
    "safe-text",  # where it stands in a text it does no harm
    "encoding",  # it is encoded, and not decoded before the sink
    "model",  # a modelled call that passes nothing on
    "unknown-call",  # a call that no model knows, and that is not assumed to pass this on
    "function",  # a function of the program that passes nothing on
    "constant",  # what is there is constant
    "comparison",  # the value only chooses, or is compared
    "field",  # another field or element
    "overwritten",  # something else was stored there since
    "calls",  # the ways in and out of a function do not belong to one call
    "branch",  # code that never runs, or whose end is never reached
    "limit",  # the way is longer than the scan may go
    "no-sink",  # it arrives, but no rule says that this is dangerous
    "no-way",  # nothing leads from the one to the other
]

# What a line's own values are: what is read, called or made there, not what is only mentioned.
OWN = (Op.PARAMETER, Op.EXPRESSION, Op.CALL, Op.LOAD, Op.NEW, Op.EXCEPTION)
MAX_ROOTS = 5  # origins of a sink's argument that are named
CALLED = re.compile(r"[\w\])]\s*\(")
KEYWORD = re.compile(r"\b(?:if|while|for|switch|return|catch|with|and|or|not|in|def|func|function|elif)\s*\(")
DECLARED = re.compile(
    r"(?:export |default |async |static |public |private |protected |@)*(?:def|func|function|class|type"
    r"|interface|import|from|package|var|const|let)\b|[\])}]"
)
ANYWHERE = Vulnerability("", "a sink of no rule", (), "low", 0.1, "low", "{source} reaches {sink}", "")


class Unanswerable(ValueError):
    """The question names a place of which nothing can be said; the message says which, and what to ask instead."""


@dataclass(frozen=True, slots=True)
class Line:
    """One end of the question."""

    path: str  # relative to the scan root
    line: int  # from 1


@dataclass(frozen=True, slots=True)
class Stop:
    """What holds the data back: one cause at one place."""

    reason: Reason
    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one vulnerability; "" where the line has no sink of a rule."""

    vulnerability: str
    sink: str  # the API, as the rule language writes it
    reaches: bool  # whether a scan that looks for everything reports it
    steps: tuple[Step, ...]  # how far the data gets; to the sink when it reaches it
    stop: Stop | None  # None exactly when it reaches the sink
    notes: tuple[str, ...] = ()  # what a scan with default options would say otherwise


@dataclass(frozen=True, slots=True)
class Answer:
    source: str  # what was taken as untrusted, and by which rule
    verdicts: tuple[Verdict, ...]  # by vulnerability, at least one
    notes: tuple[str, ...]  # limits that were hit

    @property
    def reaches(self) -> bool:
        """Whether the data arrives at a sink of some vulnerability."""
        return any(verdict.reaches for verdict in self.verdicts)


def why(
    known: Understood,
    source: Line,
    sink: Line,
    *,
    vulnerability: str | None = None,
    max_depth: int | None = None,
    default_kinds: Iterable[str] = DEFAULT_KINDS,
) -> Answer:
    """How far data gets from ``source`` to ``sink``.

    Args:
        known: The program, labelled with all threat models and with entries of low confidence.
        source: A line whose sources, or else whose values, are taken as untrusted.
        sink: A line whose sinks, or else the arguments of whose calls, are asked for.
        vulnerability: Only this one; None for all that have a sink there.
        max_depth: The longest path that the scan may go.
        default_kinds: The taint kinds that the scan has on; of others it is said how to switch them on.

    Raises:
        Unanswerable: A file was not scanned, a line is out of range or holds nothing.
    """
    return _Question(known, vulnerability, max_depth, frozenset(default_kinds)).answer(source, sink)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Something that passes nothing on, as an edge."""

    reason: Reason
    call: int  # row in calls, or NONE


class _Question:
    def __init__(
        self, known: Understood, vulnerability: str | None, max_depth: int | None, kinds: frozenset[str]
    ) -> None:
        self.known = known
        self.program = known.program
        self.tables = known.program.tables
        self.resolution = known.resolution
        self.texts = known.texts
        self.vulnerability = vulnerability
        self.max_depth = max_depth
        self.kinds = kinds
        self.backend = engine.for_device("cpu")
        values = self.tables["values"]
        self.op, self.data, self.function = values["op"], values["data"], values["function"]
        self.start, self.end = values["start"], values["end"]
        self.labels = _with_any_sink(known.labels)
        self.any = len(known.labels.vulnerabilities)  # the bit of a sink that no rule knows
        self.gaps: dict[tuple[int, int], _Gap] = {}
        self.limits: dict[str, None] = {}

    # -- the two lines

    def answer(self, source: Line, sink: Line) -> Answer:
        seeds, told = self.seeds(source)
        verdicts: list[Verdict] = []
        ends = self.sinks(sink)
        if isinstance(ends, Stop):
            verdicts.append(Verdict(self.vulnerability or "", "", False, self.first(seeds), ends))
        elif isinstance(seeds, Stop):
            verdicts += [
                Verdict(self.name(bit), roles[0].api, False, (), seeds) for bit, roles in sorted(_by_bit(ends).items())
            ]
        else:
            verdicts += self.verdicts(seeds, ends)
        for what, count in self.resolution.limits():
            self.limits[f"{count:,} times: {what}"] = None
        return Answer(told, tuple(verdicts), tuple(self.limits))

    def first(self, seeds: list[SourceRole] | Stop) -> tuple[Step, ...]:
        if isinstance(seeds, Stop):
            return ()
        return (Step(self.place(seeds[0].value), "source", f"starts as `{self.text(seeds[0].value)}`"),)

    def name(self, bit: int) -> str:
        return self.labels.vulnerabilities[bit]

    def span(self, at: Line) -> tuple[int, int, int]:
        """(file, first byte, byte behind the last) of a line that holds something."""
        files = {file.path: number for number, file in enumerate(self.program.files)}
        number = files.get(at.path)
        if number is None:
            raise Unanswerable(
                f"{at.path}: was not scanned; name it, or a directory that holds it, among the paths, "
                "and see with `pyrograph scan` what was skipped"
            )
        lines = self.texts.content(number).splitlines(keepends=True)
        if not 1 <= at.line <= len(lines):
            raise Unanswerable(f"{at.path}:{at.line}: the file has {len(lines)} lines; count from 1")
        first = sum(map(len, lines[: at.line - 1]))
        text = lines[at.line - 1].decode("utf-8", "replace").strip()
        if not text or text.startswith(("#", "//")):
            raise Unanswerable(f"{at.path}:{at.line}: the line is empty or a comment; name a line of code")
        return number, first, first + len(lines[at.line - 1])

    def on(self, span: tuple[int, int, int]) -> list[int]:
        """The values that begin in a span, in order."""
        number, first, last = span
        file = self.program.files[number]
        inside = np.arange(file.first, file.last)
        chosen = (self.start[inside] >= first) & (self.start[inside] < last) & (self.end[inside] > self.start[inside])
        found: list[int] = inside[chosen].tolist()
        return found

    def seeds(self, at: Line) -> tuple[list[SourceRole] | Stop, str]:
        """The sources of a line, or else all of its own values; and what to say of them."""
        span = self.span(at)
        values = self.on(span)
        known = set(values)
        roles = [role for role in self.labels.sources if role.value in known]
        if roles:
            named = ", ".join(
                f"`{api}` ({kind}{'' if kind in self.kinds else f': only with --threat-model {kind}'})"
                for api, kind in dict.fromkeys((role.api, role.kind) for role in roles)
            )
            return roles, f"source: {named}"
        own = [value for value in values if self.is_own(value)]
        if own:
            what = self.what_is_called(own) or f"`{self.text(own[0])}`"
            told = f"no rule says that a source is on this line; its values are taken as untrusted: {what}"
            return [SourceRole(value, "http", self.text(value)) for value in own], told
        stop = self.lifeless(span, at)
        return stop, f"no source on this line: {stop.message}"

    def is_own(self, value: int) -> bool:
        return bool(self.op[value] in OWN and not (self.op[value] == Op.PARAMETER and self.data[value] == NONE))

    def lifeless(self, span: tuple[int, int, int], at: Line) -> Stop:
        """Why nothing on a line is data."""
        number, first, last = span
        place = self.texts.place(number, first, last, one_line=True)
        values = self.on(span)
        constants = [value for value in values if self.op[value] == Op.CONST]
        if constants:
            return Stop("constant", self.place(constants[0]), f"`{self.text(constants[0])}` is a constant")
        text = self.texts.text(number, first, last, 10_000)
        if not values and not self.is_part(span) and not DECLARED.match(text) and CALLED.search(KEYWORD.sub("", text)):
            message = "never runs: a condition around it is constant, or what stands before it does not come here"
            return Stop("branch", place, message)
        raise Unanswerable(
            f"{at.path}:{at.line}: nothing on this line is read, made or called; name the line where the value is "
            "read, or the call that it is given to"
        )

    def is_part(self, span: tuple[int, int, int]) -> bool:
        """Whether something goes on here that began before, in the same function: a long text, a chain of calls."""
        number, first, _ = span
        file = self.program.files[number]
        functions = self.tables["functions"]
        in_file = self.program.file_of_value[functions["result"]] == number
        around = in_file & (functions["start"] < first) & (functions["end"] > first)
        innermost = max(functions["start"][around].tolist(), default=-1)
        rows = slice(file.first, file.last)
        begun = (self.start[rows] > innermost) & (self.start[rows] < first) & (self.end[rows] > first)
        return bool((begun & np.isin(self.op[rows], (Op.CONST, Op.CALL, Op.NEW, Op.EXPRESSION, Op.LOAD))).any())

    def sinks(self, at: Line) -> list[SinkRole] | Stop:
        """The sinks of a line; else, as sinks of no rule, the arguments of its calls or its own values."""
        span = number, first, last = self.span(at)
        values = self.on(span)
        calls = [int(self.data[value]) for value in values if self.op[value] == Op.CALL]
        arguments = self.tables["arguments"]
        within = self.program.file_of_value[self.tables["calls"]["result"][arguments["call"]]] == number
        within &= (arguments["start"] >= first) & (arguments["start"] < last)
        rows = np.flatnonzero(np.isin(arguments["call"], calls) | within)  # of calls that began before, too
        calls = sorted({*calls, *arguments["call"][rows].tolist()})
        spans = set(zip(arguments["start"][rows].tolist(), arguments["end"][rows].tolist(), strict=True))
        roles = [
            role
            for role in self.labels.sinks
            if role.file == number and (first <= role.start < last or (role.start, role.end) in spans)
        ]
        self.others = sorted({self.name(role.vulnerability) for role in roles})
        if self.vulnerability is not None:
            roles = [role for role in roles if self.name(role.vulnerability) == self.vulnerability]
        if roles:
            return roles
        found: dict[int, SinkRole] = {}
        self.possible = sorted({name for call in calls for name in self.sinks_of(call)})
        named = {
            call: ", ".join(self.apis_of(call)) or self.text(int(self.tables["calls"]["callee"][call]))
            for call in calls
        }
        for row in rows.tolist():
            value, start, end = (int(arguments[column][row]) for column in ("value", "start", "end"))
            receiver = int(arguments["position"][row]) == RECEIVER
            if self.op[value] != Op.CONST and not receiver:
                name = named[int(arguments["call"][row])]
                found.setdefault(value, SinkRole(value, self.any, name, number, start, end, (), False))
        if found:
            return list(found.values())
        if len(rows) and any(int(arguments["position"][row]) != RECEIVER for row in rows.tolist()):
            row = next(row for row in rows.tolist() if int(arguments["position"][row]) != RECEIVER)
            start, end = int(arguments["start"][row]), int(arguments["end"][row])
            place = self.texts.place(number, start, end, one_line=True)
            return Stop("constant", place, f"`{self.texts.text(number, start, end)}` is a constant")
        own = [value for value in values if self.is_own(value) or self.op[value] == Op.STORE]
        if own:
            return [
                SinkRole(v, self.any, self.text(v), number, int(self.start[v]), int(self.end[v]), (), False)
                for v in own
            ]
        return self.lifeless(span, at)

    others: Sequence[str] = ()  # vulnerabilities that the second line has sinks for
    possible: Sequence[str] = ()  # those that its calls can be sinks for, if called with other arguments

    def sinks_of(self, call: int) -> set[str]:
        """The vulnerabilities that the APIs of a call are sinks for, whatever its arguments."""
        apis = self.known.apis[self.program.files[self.file(int(self.tables["calls"]["result"][call]))].language]
        roles = [apis.roles.get(node) for node in self.nodes_of.get(call, ())]
        return {sink.vulnerability for each in roles if each is not None for sink in each.sinks}

    def what_is_called(self, values: Sequence[int]) -> str:
        names = []
        for value in values:
            if self.op[value] == Op.CALL:
                apis = self.apis_of(int(self.data[value]))
                name = apis[0] if apis else self.text(int(self.tables["calls"]["callee"][self.data[value]]))
                names.append(f"`{name}` ({'modelled' if apis else 'in no model'})")
        return ", ".join(dict.fromkeys(names))

    # -- ways

    def verdicts(self, seeds: list[SourceRole], ends: list[SinkRole]) -> list[Verdict]:
        found: dict[int, Verdict] = {}
        flow, hits = self.ask(self.true_edges, self.labels, seeds, ends)
        for what, count in flow.limits:
            self.limits[f"{count:,} times: {what}"] = None
        for bit, hit in _nearest(hits, ends).items():
            found[bit] = self.arrived(flow, hit, seeds, ends)
        for graph, changed in self.open_graphs():
            left = [role for role in ends if role.vulnerability not in found]
            if not left:
                break
            relaxed = [role._replace(keys=(), exact=False) for role in left]
            flow, hits = self.ask(graph, changed, seeds, relaxed)
            for bit, hit in _nearest(hits, relaxed).items():
                explainer = self.explainer(flow, changed, seeds, relaxed)
                edges = explainer.edges(hit)
                origin = seeds[hit.source_role].value
                way = [origin, *(flow.value[edge.target] for edge in edges)]
                found[bit] = self.held_back(way, bit, seeds, left[hit.sink_role])
        for bit, roles in _by_bit(ends).items():
            if bit not in found:
                found[bit] = self.apart(bit, seeds, roles)
        return [found[bit] for bit in sorted(found)]

    def ask(
        self, edges: Edges, labels: Labels, seeds: list[SourceRole], ends: list[SinkRole]
    ) -> tuple[FlowGraph, list[Hit]]:
        asked = replace(labels, sources=seeds, sinks=ends)
        flow = expand(self.program, asked, edges)
        hits, _, _ = search(flow, asked, backend=self.backend, max_depth=None)
        return flow, hits

    def explainer(self, flow: FlowGraph, labels: Labels, seeds: list[SourceRole], ends: list[SinkRole]) -> Explainer:
        asked = replace(labels, sources=seeds, sinks=ends)
        known: Mapping[str, Vulnerability] = {**self.known.rules.vulnerabilities, "": ANYWHERE}
        return Explainer(self.program, self.resolution, asked, flow, known, self.texts, 1)

    @cached_property
    def true_edges(self) -> Edges:
        return data_flow(self.program, self.resolution, self.labels)

    @cached_property
    def opened(self) -> Labels:
        """The labels with nothing that holds anything back."""
        return replace(
            self.labels,
            clean={},
            harmless={},
            checked={},
            never=set(),
            numbers=set(),
            encodings=set(),
            dropped={},
            flows=[flow._replace(harmless=0) for flow in self.labels.flows],
        )

    def open_graphs(self) -> Iterable[tuple[Edges, Labels]]:
        """The graphs that let more and more through; made when they are asked for."""
        labels = self.opened
        edges = data_flow(self.program, self.resolution, labels)
        one_function = _without_fields(edges, calls=False)
        yield edges, labels
        yield _without_fields(edges), labels
        self.add_gaps(edges, self.passing_nothing())
        yield edges, labels
        yield _without_fields(edges), labels
        self.add_gaps(edges, self.through_functions())
        yield edges, labels
        yield _without_fields(edges), labels
        yield one_function, labels

    def add_gaps(self, edges: Edges, found: dict[tuple[int, int], _Gap]) -> None:
        self.gaps.update(found)
        if found:
            ends = np.array(sorted(found), np.int32)
            edges.add(ends[:, 0], ends[:, 1], Kind.DERIVED)

    @cached_property
    def targets(self) -> set[int]:
        return {target.site for target in self.resolution.targets}

    def passing_nothing(self) -> dict[tuple[int, int], _Gap]:
        """Arguments to results of calls that leave the program, keys to what they choose, parts to comparisons."""
        found: dict[tuple[int, int], _Gap] = {}
        arguments, calls = self.tables["arguments"], self.tables["calls"]
        modelled = self.labels.modelled
        for call, value in zip(arguments["call"].tolist(), arguments["value"].tolist(), strict=True):
            if call not in self.targets and self.op[value] != Op.CONST:
                reason: Reason = "model" if call in modelled else "unknown-call"
                found[value, int(calls["result"][call])] = _Gap(reason, call)
        loads = self.tables["loads"]
        computed = loads["key"] < UNKNOWN_KEY
        keys, results = -2 - loads["key"][computed], loads["result"][computed]
        for key, result in zip(keys.tolist(), results.tolist(), strict=True):
            found.setdefault((key, result), _Gap("comparison", NONE))
        found.update(self.compared())
        return found

    def compared(self) -> dict[tuple[int, int], _Gap]:
        """Values inside expressions that nothing flows into: comparisons, tests, conditions."""
        edges = self.true_edges
        entered = np.zeros(self.program.num_values, bool)
        for targets in edges.target:
            entered[targets] = True
        found: dict[tuple[int, int], _Gap] = {}
        order = np.lexsort((self.start, self.program.file_of_value))
        keys = self.program.file_of_value[order].astype(np.int64) << 32 | self.start[order]
        for value in np.flatnonzero((self.op == Op.EXPRESSION) & ~entered).tolist():
            file = int(self.program.file_of_value[value]) << 32
            low, high = np.searchsorted(keys, [file | int(self.start[value]), file | int(self.end[value])]).tolist()
            for part in order[low:high].tolist():
                inside = part != value and self.end[part] <= self.end[value] and self.end[part] > self.start[part]
                if inside and self.op[part] in (Op.LOAD, Op.CALL, Op.EXPRESSION):
                    found[part, value] = _Gap("comparison", NONE)
        conditions = self.tables["conditions"]
        by_place = {(int(self.start[v]), int(self.end[v]), int(self.function[v])): v for _, v in found} | {
            (int(self.start[v]), int(self.end[v]), int(self.function[v])): v
            for v in np.flatnonzero((self.op == Op.EXPRESSION) & ~entered).tolist()
        }
        for left, right, start, end, function in zip(
            *(conditions[column].tolist() for column in ("left", "right", "start", "end", "function")), strict=True
        ):
            value_ = by_place.get((start, end, function))
            for operand in (left, right):
                if value_ is not None and operand >= 0 and operand != value_ and self.op[operand] != Op.CONST:
                    found[operand, value_] = _Gap("comparison", NONE)
        return found

    def through_functions(self) -> dict[tuple[int, int], _Gap]:
        """Arguments to results of the program's own functions, and to what any call leaves in other arguments."""
        found: dict[tuple[int, int], _Gap] = {}
        arguments, results = self.tables["arguments"], self.tables["calls"]["result"]
        rows: dict[int, list[int]] = {}
        for row, call in enumerate(arguments["call"].tolist()):
            rows.setdefault(call, []).append(row)
        for call, mine in rows.items():
            reason: Reason = "unknown-call"
            if call in self.labels.modelled:
                reason = "model"
            elif call in self.targets:
                reason = "function"
            for row in mine:
                value = int(arguments["value"][row])
                if self.op[value] == Op.CONST:
                    continue
                ends = [int(results[call])] if call in self.targets else []
                ends += [int(arguments["post"][other]) for other in mine if other != row]
                for end in ends:
                    if end != NONE:
                        found.setdefault((value, end), _Gap(reason, call))
        return found

    # -- verdicts

    def arrived(self, flow: FlowGraph, hit: Hit, seeds: list[SourceRole], ends: list[SinkRole]) -> Verdict:
        role, source = ends[hit.sink_role], seeds[hit.source_role]
        trace = self.explainer(flow, self.labels, seeds, ends).trace(hit)
        steps = trace.steps
        bit = role.vulnerability
        if bit == self.any:
            stop = self.no_sink(role)
            return Verdict(self.vulnerability or "", role.api, False, steps, stop)
        if self.max_depth is not None and hit.depth > self.max_depth:
            message = f"the way has {hit.depth} edges, and --max-depth is {self.max_depth}"
            return Verdict(self.name(bit), role.api, False, steps, Stop("limit", steps[-1].place, message))
        notes = []
        if source.kind not in self.kinds:
            notes.append(f"a scan reports it only with --threat-model {source.kind}")
        assumed = sum(step.kind == "assumed" for step in steps)
        vulnerability = self.known.rules.vulnerabilities[self.name(bit)]
        if role.low or rate(trace, vulnerability) == "low":
            notes.append("a scan reports it only with --confidence low")
        if assumed:
            told = "step is" if assumed == 1 else "steps are"
            notes.append(f"{assumed} {told} assumed: calls that no model knows are taken to pass their arguments on")
        return Verdict(self.name(bit), role.api, True, steps, None, tuple(notes))

    def no_sink(self, role: SinkRole) -> Stop:
        """The data arrives where no rule sees a sink."""
        place = self.texts.place(role.file, role.start, role.end, one_line=True)
        wanted = [v for v in self.possible if self.vulnerability in (None, v)]
        texts = self.tables["texts"]
        rows = np.flatnonzero(np.isin(texts["value"], [role.value, self.resolution.reps[role.value]]))
        for name in wanted:
            pattern = self.known.rules.vulnerabilities[name].safe_text
            if pattern and any(re.match(pattern, self.program.strings[i]) for i in texts["text"][rows].tolist()):
                message = f"`{self.text(role.value)}` begins so that what follows does no harm for {name}"
                return Stop("safe-text", self.place(role.value), message)
        message = f"the data arrives, but no rule says that `{role.api}` is a sink"
        if wanted:
            message += f" for {', '.join(wanted)} as it is called here: another argument is, or a condition fails"
        elif self.vulnerability is not None:
            message += f" for {self.vulnerability}"
        if others := [name for name in self.others if name not in wanted]:
            message += f"; it is one for {', '.join(others)}"
        return Stop("no-sink", place, message)

    def held_back(self, way: list[int], bit: int, seeds: list[SourceRole], end: SinkRole) -> Verdict:
        """How far the true graph gets on ``way``, and why not further."""
        values = list(dict.fromkeys(way))
        asked = [
            SinkRole(v, bit, self.text(v), self.file(v), int(self.start[v]), int(self.end[v]), (), False)
            for v in values
        ]
        flow, hits = self.ask(self.true_edges, self.labels, seeds, asked)
        nearest: dict[int, Hit] = {}
        for hit in sorted(hits, key=lambda h: (h.assumed, h.depth, h.source_role, h.sink_role)):
            nearest.setdefault(values[hit.sink_role], hit)
        clean = bool(self.labels.clean.get(way[0], 0) >> bit & 1)
        at = max((i for i, value in enumerate(way) if value in nearest), default=-1 if clean else 0)
        name, api = self.name(bit) or (self.vulnerability or ""), end.api
        if at < 0:
            return Verdict(name, api, False, (), self.cleaned(way[0], bit))
        last = way[at]
        if last in nearest:
            steps = self.explainer(flow, self.labels, seeds, asked).trace(nearest[last]).steps
            if steps[-1].place == steps[0].place:
                steps = steps[:1]
            else:
                steps = (*steps[:-1], replace(steps[-1], kind="flow", message=f"gets to `{self.text(last)}`"))
        else:
            steps = self.first([role for role in seeds if role.value == last] or seeds)
        tainted = [flow.path[node] for node, value in enumerate(flow.value) if value == last]
        if at == len(way) - 1:
            return Verdict(name, api, False, steps, self.not_looked_at(last, end, tainted))
        return Verdict(name, api, False, steps, self.stopped(last, way[at + 1], bit, tainted))

    def not_looked_at(self, value: int, end: SinkRole, tainted: list[KeyPath]) -> Stop:
        """The data arrives in the value, but not in what the sink looks at."""
        place = self.texts.place(end.file, end.start, end.end, one_line=True)
        here = self.paths_text(tainted)
        if end.keys:
            wanted = ".".join(self.key_text(key) for key in end.keys)
            return Stop("field", place, f"`{end.api}` looks at `{wanted}` of it; untrusted is only {here}")
        return Stop("field", place, f"`{end.api}` looks at the value as a whole; untrusted is only {here}")

    def stopped(self, last: int, following: int, bit: int, tainted: list[KeyPath]) -> Stop:
        """Why the true graph does not go from ``last`` to ``following`` with what is tainted of ``last``."""
        mask = 1 << bit
        labels = self.labels
        if labels.clean.get(following, 0) & mask:
            return self.cleaned(following, bit)
        place, here = self.place(following), f"`{self.text(following)}`"
        named = f" for {self.name(bit)}" if self.name(bit) else ""
        if labels.harmless.get((last, following), 0) & mask:
            return Stop("safe-text", place, f"{here} begins so that what follows does no harm{named}")
        for flow in labels.flows:
            if (flow.origin, flow.target) != (last, following):
                continue
            if codes := [key for key in flow.put if key in labels.encodings]:
                message = f"{self.made_by(following)} encodes it ({self.key_text(codes[0])}), and nothing decodes it"
                return Stop("encoding", place, f"{message} before the sink")
            if flow.harmless & mask:
                return Stop("sanitizer", place, f"what {self.made_by(following)} makes of it does no harm{named}")
        if following in labels.checked:
            site = labels.checked[following][0]
            call = int(self.tables["calls"]["result"][site])
            return Stop("guard", self.place(call), f"behind the test `{self.text(call)}` it is clean{named}")
        if following in labels.numbers:
            return Stop("type", place, f"{here} is declared with a type that carries no text")
        if following in labels.dropped:
            return Stop("overwritten", place, f"{self.made_by(following)} removes it")
        kinds, contexts = self.between(last, following)
        if not kinds:
            return self.missing(last, following)
        untrusted = self.paths_text(tainted)
        if Kind.KEEP in kinds:
            return Stop("overwritten", place, f"{here} stores something else there; untrusted was {untrusted}")
        if kinds & {Kind.TAKE, Kind.MOVE, Kind.SLICE, Kind.TEXT}:
            return Stop("field", place, f"{here} reads another part; untrusted is only {untrusted}")
        if Kind.WHOLE in kinds:
            message = f"{self.made_by(following)} is in no model; untrusted is only {untrusted} of what it is given"
            return Stop("unknown-call", place, message)
        if contexts & {Context.CALL, Context.RETURN}:
            return Stop("calls", place, f"what comes back to {here} was passed in at another call")
        return Stop("no-way", place, f"nothing that is untrusted before {here} arrives there")

    def between(self, origin: int, target: int) -> tuple[set[int], set[int]]:
        """Kinds and contexts of the true edges between two values."""
        if self.columns is None:
            edges = self.true_edges
            self.columns = [np.concatenate(c) for c in (edges.origin, edges.target, edges.kind, edges.context)]
        origins, targets, kinds, contexts = self.columns
        rows = np.flatnonzero((origins == origin) & (targets == target))
        return set(kinds[rows].tolist()), set(contexts[rows].tolist())

    columns: list[Ints] | None = None

    def missing(self, last: int, following: int) -> Stop:
        """Why the true graph has no edge where an open one has."""
        gap = self.gaps.get((last, following))
        place, here = self.place(following), f"`{self.text(following)}`"
        if gap is None:
            return Stop("branch", place, "never arrives: the branch that brings it ends in a call that does not return")
        if gap.reason == "comparison":
            return Stop("comparison", place, f"{here} is chosen or decided by it, and made of something else")
        callee = self.made_by(following, gap.call)
        what = "its result" if self.op[following] == Op.CALL else "its other arguments"
        if gap.reason == "model":
            return Stop("model", place, f"the model of {callee} passes nothing of this on to {what}")
        if gap.reason == "function":
            return Stop("function", place, f"{callee} passes nothing of this on to {what}")
        if self.op[following] == Op.CALL and self.known_to_block(gap.call, last):
            return Stop("unknown-call", place, f"{callee} is in no model, and unknown calls pass nothing on here")
        message = f"{callee} is in no model; this is not assumed to reach {what}: write a rule for it"
        return Stop("unknown-call", place, message)

    def known_to_block(self, call: int, value: int) -> bool:
        labels = self.labels
        return not (labels.assumed or labels.assumed_whole) and call not in self.resolution.external and value >= 0

    def cleaned(self, value: int, bit: int) -> Stop:
        """What makes ``value`` clean."""
        named = f" for {self.name(bit)}" if self.name(bit) else ""
        op = int(self.op[value])
        if op == Op.PI:
            pis, conditions = self.tables["pis"], self.tables["conditions"]
            row = int(self.data[value])
            condition = int(pis["condition"][row])
            file, start, end = self.file(value), int(conditions["start"][condition]), int(conditions["end"][condition])
            place = self.texts.place(file, start, end, one_line=True)
            holds = "true" if pis["side"][row] else "false"
            test = self.texts.text(file, start, end)
            left = int(conditions["left"][condition])
            same = self.resolution.reps[left] == self.resolution.reps[int(pis["input"][row])]
            if conditions["test"][condition] == Test.TRUTH and not pis["side"][row] and same:
                return Stop("guard", place, f"`{test}` is false there, and what counts as false holds no text")
            return Stop("guard", place, f"`{test}` is {holds} there, which makes it clean{named}")
        if op in (Op.CALL, Op.POST):
            return Stop("sanitizer", self.place(value), f"{self.made_by(value)} cleans it{named}")
        if op == Op.LOAD:
            return Stop("type", self.place(value), f"`{self.text(value)}` holds nothing of an attacker's choice{named}")
        return Stop("sanitizer", self.place(value), f"`{self.text(value)}` is clean{named}")

    def apart(self, bit: int, seeds: list[SourceRole], roles: list[SinkRole]) -> Verdict:
        """Nothing leads from the source to the sink, whatever is let through: what the sink is made of instead."""
        edges = self.true_edges
        origins, targets = np.concatenate(edges.origin), np.concatenate(edges.target)
        num = self.program.num_values
        ends = np.array([role.value for role in roles], np.int32)
        before = reached(num, targets, origins, ends)
        entered = np.zeros(num, bool)
        entered[targets] = True
        roots = [value for value in np.flatnonzero(before & ~entered).tolist() if self.end[value] > self.start[value]]
        end = roles[0]
        place = self.texts.place(end.file, end.start, end.end, one_line=True)
        told = [f"`{self.text(v)}` at {_where(self.place(v))}" for v in roots if self.op[v] != Op.CONST]
        name = self.name(bit) or (self.vulnerability or "")
        if roots and not told:
            here = self.texts.text(end.file, end.start, end.end)
            return Verdict(name, end.api, False, self.first(seeds), Stop("constant", place, f"`{here}` is a constant"))
        more = f" and {len(told) - MAX_ROOTS} more" if len(told) > MAX_ROOTS else ""
        made_of = f"; it is made of {', '.join(told[:MAX_ROOTS])}{more}" if told else ""
        message = f"nothing leads there from the source{made_of}"
        return Verdict(name, end.api, False, self.first(seeds), Stop("no-way", place, message))

    # -- words

    def apis_of(self, call: int) -> list[str]:
        apis = self.known.apis[self.program.files[self.file(int(self.tables["calls"]["result"][call]))].language]
        return [apis.text(node) for node in self.nodes_of.get(call, ())]

    @cached_property
    def nodes_of(self) -> dict[int, list[int]]:
        """The API nodes that each call may mean."""
        found: dict[int, list[int]] = {}
        for call, node in dict.fromkeys(self.resolution.api_calls):
            found.setdefault(call, []).append(node)
        return found

    def made_by(self, value: int, call: int = NONE) -> str:
        """The call whose result or argument's state ``value`` is, in words."""
        if call == NONE:
            if self.op[value] == Op.CALL:
                call = int(self.data[value])
            elif self.op[value] == Op.POST:
                call = int(self.tables["arguments"]["call"][self.data[value]])
            else:
                return f"`{self.text(value)}`"
        names = self.apis_of(call)
        return f"`{names[0]}`" if names else f"`{self.text(int(self.tables['calls']['callee'][call]))}`"

    def file(self, value: int) -> int:
        return int(self.program.file_of_value[value])

    def place(self, value: int) -> Place:
        return self.texts.place(self.file(value), int(self.start[value]), int(self.end[value]), one_line=True)

    def text(self, value: int) -> str:
        return self.texts.text(self.file(value), int(self.start[value]), int(self.end[value]))

    def key_text(self, key: int) -> str:
        return self.program.strings[key].lstrip("\0") if key >= 0 else "*"

    def paths_text(self, paths: Iterable[KeyPath]) -> str:
        """Paths as a reader would write them; "" for a value as a whole."""
        told = dict.fromkeys(
            ".".join("*" if isinstance(key, frozenset) else self.key_text(key) for key in path) for path in paths
        )
        named = [f"`{path}`" for path in told if path]
        return ", ".join(named[:MAX_ROOTS]) if named else "what was not replaced since"


def _with_any_sink(labels: Labels) -> Labels:
    """The labels with one more bit, for sinks that no rule knows: clean for it is what is clean for everything."""
    everything = (1 << len(labels.vulnerabilities)) - 1
    more = 1 << len(labels.vulnerabilities)

    def widened(mask: int) -> int:
        return mask | more if mask == everything else mask

    return replace(
        labels,
        vulnerabilities=(*labels.vulnerabilities, ""),
        clean={value: widened(mask) for value, mask in labels.clean.items()},
    )


def _without_fields(edges: Edges, *, calls: bool = True) -> Edges:
    """The same edges, each of which taints all of its target; ``calls``: whether they remember the calls."""
    plain = Edges()
    for origin, target, context, site, assumed in zip(
        edges.origin, edges.target, edges.context, edges.site, edges.assumed, strict=True
    ):
        for one in (0, 1):
            rows = assumed == one
            around = context[rows] if calls else Context.INTRA
            plain.add(origin[rows], target[rows], Kind.DERIVED, context=around, site=site[rows], assumed=one)
    return plain


def _nearest(hits: Iterable[Hit], ends: Sequence[SinkRole]) -> dict[int, Hit]:
    """The nearest hit of each vulnerability."""
    found: dict[int, Hit] = {}
    for hit in sorted(hits, key=lambda h: (h.assumed, h.depth, h.source_role, h.sink_role)):
        found.setdefault(ends[hit.sink_role].vulnerability, hit)
    return found


def _by_bit(roles: Iterable[SinkRole]) -> dict[int, list[SinkRole]]:
    found: dict[int, list[SinkRole]] = {}
    for role in roles:
        found.setdefault(role.vulnerability, []).append(role)
    return found


def _where(place: Place) -> str:
    return f"{place.path}:{place.line}"


def in_root(path: Path, root: Path) -> str:
    """``path`` as the report writes it.

    Raises:
        Unanswerable: It lies outside the root.
    """
    try:
        return path.resolve().relative_to(root).as_posix()
    except ValueError:
        raise Unanswerable(f"{path}: lies outside the root {root}; name a root that holds it with --root") from None
