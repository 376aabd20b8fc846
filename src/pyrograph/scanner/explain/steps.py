"""Steps: the places of a path that a reader sees: where data is read, passed, returned, stored or joined into text."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import FIRST_CAPTURE_KEY
from pyrograph.model.finding import Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.words import origin_of, parameter_of
from pyrograph.policy.limits.explanation import MAX_MEMBER_EDGES, MAX_TAKING_EDGES, MAX_TRACE_STEPS
from pyrograph.policy.names.requests import QUERIES_OF_ADDRESSES
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.label.labels import NOWHERE, TemplatePlace
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.asked_names import AskedNames
from pyrograph.scanner.explain.checks import Checks
from pyrograph.scanner.explain.paths import CALL, Edge
from pyrograph.scanner.explain.texts import Texts

READS = frozenset((Op.LOAD, Op.EXPRESSION, Op.CALL))  # what has its operands written in it
TEXTS = frozenset((Kind.TEXT, Kind.SHOWN, Kind.SHOWN_TEXT, Kind.QUOTED))  # edges by which a value becomes part of text
JOINS = frozenset((Op.PHI, Op.CARRY))
INFERRED = "inferred from"  # in the message of a step through a model that was inferred from a library's source
SHOWN_PARTS = TEXTS - {Kind.TEXT}  # those where the value is converted to text first


class Steps(Checks):
    """The steps of a path."""

    def __init__(self, program: Program, resolution: Resolution, labels: Labels, flow: FlowGraph, texts: Texts) -> None:
        super().__init__(program, resolution, labels, flow, texts)
        self.steps: dict[tuple[int, int], Step | None] = {}  # by row and depth: ``step``

    def trace(self, hit: Hit, *, with_texts: bool = True) -> Trace:
        """The path as a reader sees it. ``with_texts``: with the steps that put text together in an expression.

        The thresholds of confidence were fitted to paths without these steps.
        """
        self.edges_walked += len(self.edges(hit))
        return self.uncounted_trace(hit, with_texts=with_texts)

    def uncounted_trace(self, hit: Hit, *, with_texts: bool = True) -> Trace:
        """``trace``, where somebody else counts the work, or it is little beside that of other questions."""
        source = self.labels.sources[hit.source_role]
        sink = self.labels.sinks[hit.sink_role]
        edges = self.edges(hit)
        steps = [self.source_step(source.value, source.kind, source.api)]
        for edge in edges:
            if len(steps) == 1 and (again := self.read_again(source.value, edge)) is not None:
                steps[0] = replace(steps[0], place=again)
            name = edge.row, edge.depth
            if name not in self.steps:
                self.steps[name] = self.proved(edge, self.step(edge))
            step = self.steps[name]
            if step is None and with_texts and self.kind[edge.row] in TEXTS:
                step = self.proved(edge, self.made_step(edge))
            if step is None and self.labels.checks.prefixed >> sink.vulnerability & 1:
                step = self.open_step(edge)
            if (
                step is not None
                and step.kind == "assumed"
                and self.is_open_check(edge, self.harm_along(edges, sink.vulnerability))
            ):
                step = replace(step, kind="flow")
            if step is not None:
                _append(steps, step)
        depth = 0
        if edges:
            depth = edges[-1].depth + (self.context[edges[-1].row] == Context.CALL)
        if len(steps) == 1 and (again := self.written_in(source.value, sink.file, sink.start, sink.end)) is not None:
            steps[0] = replace(steps[0], place=again)
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        steps = steps[: MAX_TRACE_STEPS - 1]
        repeated = len(steps) > 1 and steps[-1].place == place and steps[-1].kind not in ("call", "assumed")
        if repeated and INFERRED not in steps[-1].message:
            steps.pop()
        template = (self.shown_in(hit) or NOWHERE) if sink.shown_by else sink.template
        if template.path:
            path, start, end = template
            passed = "returned to" if sink.shown_by else "passed to"
            steps.append(Step(place, "flow", f"{passed} the template `{path}` by `{sink.api}`", depth))
            place = self.texts.place_in(path, start, end, one_line=True)
            text = self.texts.text_in(path, start, end)
            steps.append(Step(place, "sink", f"written without escaping: `{text}`", depth + 1))
        else:
            steps.append(Step(place, "sink", f"reaches `{sink.api}`{self.proof(sink.call)}", depth))
        return Trace(source.kind, source.api, tuple(steps))

    def shown_in(self, hit: Hit) -> TemplatePlace | None:
        """Where a template writes what a function returns, if the path enters the function by the call that fills such
        a template, or begins in it; else None.
        """
        sink = self.labels.sinks[hit.sink_role]
        function, values = self.function[sink.value], self.flow.value
        entering = [
            self.flow.site.data[edge.row]
            for edge in self.edges(hit)
            if self.context[edge.row] == CALL and self.function[values[edge.target]] == function
        ]
        return dict(sink.shown_by).get(entering[-1]) if entering else sink.shown_by[0][1]

    def member_read(self, hit: Hit) -> str:
        """The member of the source that the path goes on with, if it is read by name at once, from a copy, from the
        source or a default (``req.query || {}``), in a function that the source is passed to or that captures it, or
        in one that is given the name; else "". A call that takes the member out, ``data.get("url")``, reads it, too.
        """
        loads, reps = self.program.tables["loads"], self.resolution.reps
        source = reps[self.labels.sources[hit.source_role].value]
        left = MAX_MEMBER_EDGES
        for edge in self.edges(hit):
            value, before = self.flow.value[edge.target], self.flow.value[edge.origin]
            if reps[value] == source:
                continue  # a version of it
            left -= 1
            if left < 0:
                break
            if self.op[value] in (Op.PARAMETER, Op.EXPRESSION, Op.PHI, Op.PI) and reps[before] == source:
                source = reps[value]
            elif self.op[value] == Op.LOAD and reps[int(loads["object"][self.data[value]])] == source:
                key = int(loads["key"][self.data[value]])
                return self.program.strings[key] if key >= 0 else self.name_asked(hit)
            elif value in self.taken_by_calls and self.asked_names.received(value) == source:
                return self.program.strings[self.taken_by_calls[value]]
        return self.part_taken(hit) or self.name_asked(hit)

    def name_asked(self, hit: Hit) -> str:
        return self.asked_names.name(self.labels.sources[hit.source_role].value, self.edges(hit))

    @cached_property
    def asked_names(self) -> AskedNames:
        return AskedNames(self.program, self.resolution, self.flow, self.args)

    def part_taken(self, hit: Hit) -> str:
        """The name under which a call of a library, the first that does so, takes a part out of what it was given:
        "to" of ``new URL(request.url).searchParams.get("to")``, or the key that is read of the parsed query of an
        address: "to" of ``url.parse(request.url, true).query.to`` and of ``parse_qs(text)["to"]``. Only the parsed
        query is followed into functions, and what the program keeps it in: ``run({ query: parse(url).query })``; and
        a text that a function decodes which it is passed to: ``run(body)`` with ``json.loads(body)["to"]`` inside.
        """
        parsed, is_parsed, is_near = self.labels.checks.decoded, False, True
        for edge in self.edges(hit)[:MAX_TAKING_EDGES]:
            is_near = is_near and self.context[edge.row] == Context.INTRA
            if not is_near and not is_parsed:
                is_parsed = self.flow.value[edge.target] in parsed
                if not is_parsed and self.kind[edge.row] != Kind.SAME:
                    break
                continue
            if not is_near:
                known = self.flow.access_path[edge.origin][:1]  # a key under which the program put the data
                name = self.key_read(self.flow.value[edge.target])
                if name and not any(isinstance(key, int) and key >= 0 for key in known):
                    return name
                continue
            taken = self.taken_by_calls.get(self.flow.value[edge.target])
            if taken is not None and self.kind[edge.row] in (Kind.LOAD, Kind.MOVE):
                return self.program.strings[taken]
            value = self.flow.value[edge.target]
            if is_parsed and (name := self.key_read(value)):
                return name
            is_parsed = is_parsed or value in parsed or self.key_read(value) in QUERIES_OF_ADDRESSES
        return ""

    def key_read(self, value: int) -> str:
        """The key that an object is read under; "" if it is computed, or a position, or nothing is read."""
        if self.op[value] != Op.LOAD:
            return ""
        key = int(self.program.tables["loads"]["key"][self.data[value]])
        name = self.program.strings[key] if key >= 0 else ""
        return "" if name.isdigit() else name

    @cached_property
    def taken_by_calls(self) -> dict[int, int]:
        """By result of a call: the constant argument under which its model takes the result out of something. Time
        O(flows of models).
        """
        found: dict[int, int] = {}
        for flow in self.labels.flows:
            if self.op[flow.target] == Op.CALL and len(flow.take) == 1 and flow.take[0] >= 0 and not flow.put:
                name = "'" + self.program.strings[flow.take[0]]
                given = [self.args.value[row] for row in self.args.of(self.data[flow.target])]
                if any([self.op[each] == Op.CONST and self.program.strings[self.data[each]] == name for each in given]):
                    found[flow.target] = flow.take[0]
        return found

    @cached_property
    def put_back(self) -> set[tuple[int, int]]:
        """The pairs of a changed object and what it was read from."""
        return {(flow.origin, flow.target) for flow in self.labels.kept.reads}

    def ends(self, hit: Hit) -> Trace:
        """A trace without the steps between source and sink."""
        source = self.labels.sources[hit.source_role]
        sink = self.labels.sinks[hit.sink_role]
        place = self.texts.place(sink.file, sink.start, sink.end, one_line=True)
        steps = (
            self.source_step(source.value, source.kind, source.api),
            Step(place, "sink", f"reaches `{sink.api}`", 0),
        )
        return Trace(source.kind, source.api, steps)

    def place(self, value: int) -> Place:
        return self.texts.place(
            int(self.program.file_of_value[value]), int(self.start[value]), int(self.end[value]), one_line=True
        )

    def read_again(self, source: int, edge: Edge) -> Place | None:
        """Where the source is read once more in the expression that ``edge`` makes from it; None if it is not.

        What is read twice is one value, or, where it was passed to a call since, a version of it: `request.query` of
        the second statement is the first one's. The reader looks for the read that stands in the expression.
        """
        value, origin = self.flow.value[edge.target], self.flow.value[edge.origin]
        if self.op[value] not in READS or self.context[edge.row] == Context.CALL or self.unchanged(origin) != source:
            return None
        return self.written_in(
            source, int(self.program.file_of_value[value]), int(self.start[value]), int(self.end[value])
        )

    def written_in(self, source: int, file: int, start: int, end: int) -> Place | None:
        """Where the text of a source stands between two places of a file that do not contain the source itself."""
        first, last = int(self.start[source]), int(self.end[source])
        if self.op[source] != Op.LOAD:  # a parameter is declared once; a call is another value each time
            return None
        if file == int(self.program.file_of_value[source]) and start <= first < end:
            return None
        text = self.texts.content(int(self.program.file_of_value[source]))[first:last]
        found = re.search(rb"(?<![\w.])" + re.escape(text) + rb"(?!\w)", self.texts.content(file)[start:end])
        if not text or found is None:
            return None
        return self.texts.place(file, start + found.start(), start + found.end(), one_line=True)

    def unchanged(self, value: int) -> int:
        """The value that ``value`` is a later version of: before calls, stores and conditions."""
        for _ in range(MAX_TRACE_STEPS):
            column = self.versions.get(self.op[value])
            if column is None:
                return value
            before = int(column[self.data[value]])
            if before < 0 or before == value:
                return value
            value = before
        return value

    @cached_property
    def versions(self) -> dict[int, npt.NDArray[np.int32]]:
        """Operation -> column of what its value is a version of, by the value's ``data``."""
        tables = self.program.tables
        return {
            Op.POST: tables["arguments"]["value"],
            Op.PI: tables["pis"]["input"],
            Op.STORE: tables["stores"]["object"],
        }

    def source_step(self, value: int, kind: str, api: str) -> Step:
        if self.op[value] != Op.PARAMETER:
            call = self.data[value] if self.op[value] == Op.CALL else NONE
            said = f"read from {origin_of(kind)}: `{api}`{self.proof(call)}"
            return Step(self.place(value), "source", said, 0)
        handler, name = parameter_of(api)
        what = f"parameter `{name}`" if name else "parameter"
        return Step(self.place(value), "source", f"{what} with data from {origin_of(kind)}: `{handler}`", 0)

    def step(self, edge: Edge) -> Step | None:
        """The step that a reader sees for an edge, or None. ``made_step`` makes those for kinds in ``TEXTS``."""
        checks = self.labels.checks
        value = self.flow.value[edge.target]
        context, assumed = self.context[edge.row], self.assumed[edge.row]
        kept = self.kept_step(edge)
        if edge.row in self.flow.widened:
            said = "untrusted in an unknown part: too many parts to track separately"
            if kept is not None:
                return replace(kept, kind="assumed", message=f"{kept.message.partition(',')[0]}, {said}", doubtful=True)
            return Step(self.place(value), "assumed", said, edge.depth, doubtful=True)
        if kept is not None:
            return kept
        if assumed and value in checks.validated_fields:
            said = f"passes the validator of `{self.source_text(value)}`"
            return Step(self.place(value), "assumed", said, edge.depth)
        if assumed and value in checks.unverified_guards:
            return self.check_step(value, checks.unverified_guards[value], edge.depth)
        if self.is_captured(edge):
            return self.read_step(value, edge.depth)
        if context == Context.CALL:
            return self.call_step(edge)
        if context == Context.RETURN:
            return self.return_step(edge)
        if assumed:
            callee = (
                int(self.program.tables["calls"]["callee"][self.data[value]]) if self.op[value] == Op.CALL else value
            )
            said = f"passes through `{self.source_text(callee)}`"
            return Step(self.place(value), "assumed", said, edge.depth, self.is_doubtful(edge, value))
        return self.local_step(edge)

    def kept_step(self, edge: Edge) -> Step | None:
        """The step into or out of what outlives a request: a table, a file, an object of the whole program; or None."""
        origin, value = self.flow.value[edge.origin], self.flow.value[edge.target]
        stored = self.resolution.stored
        if value in stored.tables:
            said = f"stored in the table of `{stored.tables[value]}`"
            if self.assumed[edge.row]:
                said = f"{said}, if the form's own check lets it through"
                return Step(self.place(origin), "assumed", said, edge.depth)
            return Step(self.place(origin), "store", said, edge.depth)
        if origin in stored.tables:
            said = f"read from the table of `{stored.tables[origin]}`"
            return Step(self.place(value), "load", said, edge.depth, resumed=True)
        if value in stored.files:
            return Step(self.place(origin), "store", f"written to the file `{stored.files[value]}`", edge.depth)
        if origin in stored.files:
            said = f"read from the file `{stored.files[origin]}`"
            return Step(self.place(value), "load", said, edge.depth, resumed=True)
        if (origin, value) in stored.answers:
            said = f"answers the request for `{stored.answers[origin, value]}`"
            return Step(self.place(value), "load", said, edge.depth, resumed=True)
        if value in stored.lasting:
            said = f"kept in `{stored.lasting[value]}` for later requests"
            return Step(self.place(origin), "store", said, edge.depth)
        if origin in stored.lasting:
            said = f"read from what `{stored.lasting[origin]}` keeps"
            return Step(self.place(value), "load", said, edge.depth, resumed=True)
        return None

    def read_step(self, value: int, depth: int) -> Step | None:
        """The step at which a name in the text reads what lies in a variable or an object; None without a name."""
        is_named = self.op[value] in (Op.GLOBAL, Op.IMPORT, Op.LOAD, Op.PARAMETER)
        if not is_named or self.end[value] <= self.start[value]:
            return None
        return Step(self.place(value), "flow", f"read as `{self.source_text(value)}`", depth)

    def call_step(self, edge: Edge) -> Step:
        """The argument of a call becomes a parameter."""
        origin, value = self.flow.value[edge.origin], self.flow.value[edge.target]
        place, name = self.call_place(int(self.flow.site[edge.row]), origin, value)
        parameter = self.parameter_name(value)
        # scanner.fix.site reads the parameter's name
        said = f"passed to `{name}`" + (f" as `{parameter}`" if parameter else "")
        return Step(place, "call", said, edge.depth)

    def return_step(self, edge: Edge) -> Step:
        """A function returns the data, or has written it to an argument."""
        origin, value = self.flow.value[edge.origin], self.flow.value[edge.target]
        name = self.callee_name(origin)
        if self.op[value] == Op.POST:
            return Step(self.place(value), "return", f"written to the argument by `{name}`", edge.depth)
        inline = not self.own_name(origin)
        return Step(self.place(value), "return", f"returned by `{name}`", edge.depth, inline=inline)

    def local_step(self, edge: Edge) -> Step | None:
        """The step of an edge within a function, or through an object, of which nothing is assumed."""
        origin, value = self.flow.value[edge.origin], self.flow.value[edge.target]
        op, kind = self.op[value], self.kind[edge.row]
        if op == Op.CALL and (origin, value) in self.labels.checks.undone:
            step = self.made_step(edge)
            return replace(step, message=f"{step.message}, which undoes what was checked, escaped or cut before")
        if (origin, value) in self.put_back and op not in (Op.POST, Op.STORE):
            said = f"stored in what `{self.source_text(origin)}` was read from"
            return Step(self.place(origin), "store", said, edge.depth)
        if kind == Kind.STORE or (kind == Kind.MOVE and op == Op.POST):
            preposition = "in" if op in (Op.NEW, Op.STORE) or kind == Kind.MOVE else "by"
            return Step(self.place(value), "store", f"stored {preposition} `{self.source_text(value)}`", edge.depth)
        if kind in (Kind.LOAD, Kind.MOVE, Kind.IF_WHOLE):
            before = self.unchanged(origin)
            if self.op[before] in JOINS:  # the code has no text for it: its place is that of the condition around
                return Step(self.place(value), "load", f"read as `{self.source_text(value)}`", edge.depth)
            return Step(self.place(value), "load", f"read from `{self.source_text(before)}`", edge.depth)
        if kind in (Kind.DERIVED, Kind.FILTERED) or (kind in SHOWN_PARTS and op == Op.CALL):
            return self.made_step(edge)
        return self.read_step(value, edge.depth) if self.context[edge.row] == Context.HEAP else None

    def proof(self, call: int) -> str:
        """The place in a library from which the model of this call was inferred, as an addition to a message."""
        place = self.labels.inferred.get(call)
        return "" if place is None else f" ({INFERRED} {place})"

    def proved(self, edge: Edge, step: Step | None) -> Step | None:
        """The step of an edge, with the place that proves it where its model was inferred."""
        if step is None or not self.labels.inferred or self.context[edge.row] != Context.INTRA:
            return step
        value = self.flow.value[edge.target]
        call = NONE
        if self.op[value] == Op.CALL:
            call = self.data[value]
        elif self.op[value] == Op.POST:
            call = int(self.program.tables["arguments"]["call"][self.data[value]])
        proof = self.proof(call)
        if not proof:
            return step
        shown = self.made_step(edge) if step.kind == "load" else step
        return replace(shown, message=shown.message + proof)

    def made_step(self, edge: Edge) -> Step:
        """The target is made from the origin."""
        value = self.flow.value[edge.target]
        if self.op[value] == Op.CALL:
            callee = int(self.program.tables["calls"]["callee"][self.data[value]])
            message = f"passes through `{self.source_text(callee)}`"
            if (self.flow.value[edge.origin], value) in self.labels.checks.answered:
                message = f"chooses the server that answers `{self.source_text(callee)}`"
        elif self.op[value] == Op.POST:
            message = f"written to `{self.source_text(value)}`"
        else:
            message = f"becomes part of `{self.source_text(value)}`"
        return Step(self.place(value), "flow", message, edge.depth)

    def open_step(self, edge: Edge) -> Step | None:
        """The test of a prefix that the data passes because the prefix does not end in a separator; or None."""
        version = self.flow.value[edge.target]
        condition = self.labels.checks.open_prefixes.get(version)
        if condition is None:
            return None
        step = self.check_step(version, condition, edge.depth)
        said = f"{step.message}, whose prefix has no separator at its end: a sibling folder `<prefix>x/` passes, too"
        return replace(step, kind="flow", message=said)

    def check_step(self, version: int, condition: int, depth: int) -> Step:
        """A check with unknown effect, which is assumed to let the data through; ``version``: the value after it."""
        conditions = self.program.tables["conditions"]
        file = int(self.program.file_of_value[version])
        start, end = int(conditions["start"][condition]), int(conditions["end"][condition])
        place = self.texts.place(file, start, end, one_line=True)
        return Step(place, "assumed", f"passes the check `{self.texts.text(file, start, end)}`", depth)

    def is_captured(self, edge: Edge) -> bool:
        """Whether the edge leads into, or out of, a variable that a closure captures."""
        flow = self.flow
        if self.kind[edge.row] in (Kind.STORE, Kind.LOAD) and int(flow.key[edge.row]) <= FIRST_CAPTURE_KEY:
            return True
        origin, target = flow.value[edge.origin], flow.value[edge.target]
        context = self.context[edge.row]
        if context == Context.CALL:
            return self.op[target] == Op.PARAMETER and self.data[target] == NONE
        return context == Context.RETURN and (origin, target) in self.changed_captures

    @cached_property
    def changed_captures(self) -> set[tuple[int, int]]:
        """(version at the closure's exit, variable outside) of each captured variable."""
        rows = self.program.tables["captures"]
        return set(zip(rows["out"].tolist(), rows["outer"].tolist(), strict=True))

    def callee_name(self, value: int) -> str:
        return self.own_name(value) or "function"

    def own_name(self, value: int) -> str:
        """The name of the function that ``value`` is computed in; "" for one that is written in place."""
        name: str = self.program.strings[self.program.tables["functions"]["name"][int(self.function[value])]]
        return name

    def parameter_name(self, value: int) -> str:
        """The name of the parameter that ``value`` is; "" for other values and parameters without a name."""
        if self.op[value] != Op.PARAMETER or self.data[value] == NONE:
            return ""
        name = int(self.program.tables["parameters"]["name"][self.data[value]])
        return self.program.strings[name] if name != NONE else ""

    def call_place(self, site: int, argument: int, parameter: int) -> tuple[Place, str]:
        """Where ``argument`` stands at a call, and the callee's name."""
        tables = self.program.tables
        name = self.callee_name(parameter)
        calls = tables["calls"]["result"]
        if site < len(calls):
            arguments = tables["arguments"]
            for row in self.args.of(site):
                if self.args.value[row] == argument and self.args.position[row] != RECEIVER:
                    file = int(self.program.file_of_value[calls[site]])
                    start, end = int(arguments["start"][row]), int(arguments["end"][row])
                    return self.texts.place(file, start, end, one_line=True), name
            return self.place(int(calls[site])), name
        return self.place(parameter), name


def _append(steps: list[Step], step: Step) -> None:
    """Add a step unless it repeats the last one: the same place and kind, or another load of the same expression."""
    last = steps[-1]
    if step.place == last.place and step.kind == last.kind:
        return
    same_start = (step.place.path, step.place.line, step.place.column) == (
        last.place.path,
        last.place.line,
        last.place.column,
    )
    if step.kind == "load" and same_start and last.kind in ("source", "load"):
        return
    steps.append(step)
