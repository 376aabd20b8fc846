"""Verification: whether what one stage hands to the next keeps every promise of its docstrings.

One function a structure: ``program``, ``resolution``, ``labels``, ``flow_graph``, ``hits``; units have theirs in
``ir.verify``. Each returns the broken promises as sentences, each with the table, row and column; an empty list says
that all is well formed. ``kept`` makes an error of them that names the stage.

Cost: linear in the structure, in NumPy columns, but for ``hits``, which searches the graph once for each of the first
``MAX_VERIFIED_HITS`` pairs. Nothing here runs in a scan that does not ask for it (``ScanOptions.verify``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, FunctionFlag, Op
from pyrograph.ir.packed import ASCENDING, FIRST_CAPTURE_KEY, KIND, KIND_BITS, LAYERS
from pyrograph.ir.schema import COLUMNS, STRINGS, Row, columns_of
from pyrograph.ir.verify import Promises, Tables
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits import MAX_SHOWN_HITS, MAX_STATES, MAX_VERIFIED_HITS
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
)
from pyrograph.scanner.analysis.schema import (
    APIS,
    FILES,
    LABELS,
    MASKS,
    NODES,
    RESOLUTION,
    SITES,
    VULNERABILITIES,
    Edge,
)
from pyrograph.scanner.analysis.search import Hit, Projection

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.integer]


class BrokenPromise(Exception):
    """What a stage made is not well formed: an error of ours, whatever was scanned."""

    def __init__(self, stage: str, texts: Sequence[str]) -> None:
        shown = "; ".join(texts[:3])
        more = f"; and {len(texts) - 3:,} more" if len(texts) > 3 else ""
        super().__init__(f"{stage} broke its promises: {shown}{more}")
        self.stage = stage
        self.texts = tuple(texts)


def kept(stage: str, broken: Sequence[str]) -> None:
    """Raise BrokenPromise if a stage's result is ``broken``."""
    if broken:
        raise BrokenPromise(stage, broken)


class _Rows(Promises):
    """Promises of tuples, by the list they stand in."""

    def columns(self, name: str, rows: Collection[tuple[int, ...]], width: int) -> tuple[Longs, ...]:
        """The columns of a list of tuples of ``width`` numbers; none if a row has another width."""
        wrong = [row for row in rows if len(row) != width]
        if not self.say(not wrong, f"{name}: {wrong[:1]} has not {width} numbers"):
            rows = []
        whole = np.array(list(rows), np.int64).reshape(-1, width)
        return tuple(whole.T)

    def table(
        self, name: str, rows: Collection[tuple[int, ...]], kind: type[Row], counts: Mapping[str, int]
    ) -> tuple[Longs, ...]:
        """The columns of a table, whose numbers are those that ``kind`` allows; ``counts`` of what they refer to."""
        columns = columns_of(kind)
        found = self.columns(name, rows, len(columns))
        for column, cells in zip(columns, found, strict=True):
            of = column.cells
            end = counts[of.to] if of.to else of.most + 1
            self.within(name, column.name, cells, of.least if of.absent is None else of.absent, end)
        return found

    def within(self, name: str, column: str, cells: Numbers, least: int, end: int) -> bool:
        """Whether all ``cells`` lie in ``range(least, end)``."""
        return self.hold(name, column, cells, (cells < least) | (cells >= end), f"not in {least} … {end - 1}")

    def hold(self, name: str, column: str, cells: Numbers, broken: Mask, why: str) -> bool:
        return self.check(np.asarray(broken), why, lambda row: f"{name}[{row}].{column} = {cells[row]}")


# -- the program -------------------------------------------------------------------------------------------------------


def program(linked: Program) -> list[str]:
    """The broken promises of a program: those of its tables, and of its files, strings and copies."""
    promises = Promises()
    for name, columns in COLUMNS.items():
        table = linked.tables.get(name, {})
        if promises.say(tuple(table) == columns, f"{name}: its columns are {', '.join(table)}"):
            lengths = {len(cells) for cells in table.values()}
            promises.say(len(lengths) == 1, f"{name}: columns of different lengths: {sorted(lengths)}")
            wrong = [each for each, cells in table.items() if cells.dtype != np.int32]
            promises.say(not wrong, f"{name}: {', '.join(wrong)} of other numbers than 32 bits")
    if promises.broken:
        return promises.broken
    tables = Tables(linked.tables, len(linked.strings))
    promises = tables.promises
    n = linked.num_values
    _files(linked, promises)
    promises.say(len(linked.string_ids) == len(linked.strings), "strings: not as many as string_ids")
    bad = [text for at, text in enumerate(linked.strings) if linked.string_ids.get(text) != at]
    promises.say(not bad, f"string_ids: {len(bad)} strings have another number there, {bad[:1]}")
    tables.references()
    if tables.is_sound():
        original = linked.original
        functions = linked.tables["functions"]
        copied = original[functions["result"]] != functions["result"]
        kinds = linked.tables["values"]["op"]
        changed = kinds != kinds[original]
        constant = changed & (kinds == Op.CONST) & (kinds[original] == Op.PARAMETER)
        promises.check(
            changed & ~constant, "not of its original's kind", lambda row: f"values[{row}].op = {kinds[row]}"
        )
        tables.definitions(copied, constant, original)
        promises.check(
            (functions["flags"] & FunctionFlag.MODULE != 0) & copied,
            "a module is copied",
            lambda row: f"functions[{row}]",
        )
    if tables.is_sound():
        tables.places()
    for (of, column), numbers in linked._numbers.items():
        whole = linked.file_of_value if (of, column) == ("values", "file") else linked.tables[of][column]
        promises.say(len(numbers) == len(whole), f"numbers({of}, {column}): {len(numbers)} of {len(whole)} rows")
    promises.say(len(linked.file_of_value) == n, "file_of_value: not one for each value")
    return promises.broken


def _files(linked: Program, promises: Promises) -> None:
    """Files follow each other without a gap; each value before the copies is of the file whose range holds it."""
    n, end = linked.num_values, 0
    for at, file in enumerate(linked.files):
        if not promises.say(file.first == end <= file.last, f"files[{at}] {file.path}: {file.first} … {file.last}"):
            return
        end = file.last
    if promises.say(len(linked.original) == n, "original: not one for each value"):
        own = np.arange(end)
        promises.say(bool((linked.original[:end] == own).all()), "original: a value of a file is no copy")
        later = linked.original[end:]
        bad = (later < 0) | (later >= end)
        promises.check(bad, "a copy of no value of a file", lambda row: f"original[{end + row}] = {later[row]}")
    if promises.say(len(linked.file_of_value) == n, "file_of_value: not one for each value") and not promises.broken:
        expected = np.repeat(np.arange(len(linked.files)), [file.last - file.first for file in linked.files])
        bad = linked.file_of_value != expected[linked.original]
        promises.check(bad, "not the value's file", lambda row: f"file_of_value[{row}]")


# -- resolution --------------------------------------------------------------------------------------------------------


def resolution(linked: Program, found: Resolution, apis: Mapping[str, Apis] | None = None) -> list[str]:
    """The broken promises of a resolution; ``apis`` as ``resolve`` was given them."""
    return _Resolved(linked, found, apis or {}).broken()


class _Resolved:
    def __init__(self, linked: Program, found: Resolution, apis: Mapping[str, Apis]) -> None:
        self.program = linked
        self.found = found
        self.apis = apis
        self.rows = _Rows()
        self.n = linked.num_values
        self.num_calls = len(linked.tables["calls"]["result"])
        self.num_functions = len(linked.tables["functions"]["result"])
        self.num_nodes = max((len(each.paths) for each in apis.values()), default=1 << 31)

    def broken(self) -> list[str]:
        self._values()
        self._ranges()
        if not self.rows.broken:
            self._calls()
            self._states()
        return self.rows.broken

    def _values(self) -> None:
        """Every value has a representative, which is its own."""
        rows, rep, n = self.rows, self.found.representative, self.n
        if rows.say(len(rep) == n, f"representative: {len(rep)} of {n} values"):
            if rows.within("representative", "value", rep, 0, n):
                rows.hold("representative", "value", rep, rep[rep] != rep, "not its own representative")
            rows.say(self.found.reps == rep.tolist(), "reps: not the list of representative")
        rows.say(len(self.found.states) >= n, f"states: {len(self.found.states)} of {n} values")
        rows.say(self.found.num_sites >= self.num_calls, "num_sites: fewer than calls")

    def _ranges(self) -> None:
        found = self.found
        members = found.class_members.items()
        rows: dict[str, Collection[tuple[int, ...]]] = {name: getattr(found, name) for name in RESOLUTION}
        rows["originals"] = tuple(found.originals.items())
        rows["fully_resolved"] = [(each,) for each in found.fully_resolved]
        rows["external"] = [(each,) for each in found.external]
        rows["entry_points"] = [(use.function, use.call) for use in found.entry_points]
        rows["decorated"] = [row[1:] for row in found.decorated]
        rows["cells"] = [(node,) for node in found.cells.values()]
        rows["class_members"] = [(o, k, v) for o, names in members for k, vs in names.items() for v in vs]
        rows["class_bases"] = [(owner, base) for owner, bases in found.class_bases.items() for base in bases]
        counts = {**_counts(self.program), SITES: found.num_sites, APIS: self.num_nodes, NODES: len(found.states)}
        for name, kind in RESOLUTION.items():
            self.rows.table(name, rows[name], kind, counts)
        sites = np.array([row.site for row in found.callbacks], np.int64)
        self.rows.within("callbacks", "site", sites, self.num_calls, found.num_sites)

    def _calls(self) -> None:
        """Bindings join an argument of the call to a parameter of its callee; what a callee leaves comes back to it."""
        t, found, rows = self.program.tables, self.found, self.rows
        function, op, data = t["values"]["function"], t["values"]["op"], t["values"]["data"]
        calls, arguments = t["calls"], t["arguments"]
        around = np.full(found.num_sites, NONE, np.int64)  # of each site: the function it stands in, where known
        around[: self.num_calls] = function[calls["result"]]
        sites, functions = rows.columns("targets", found.targets, 2)
        pairs = sites * self.num_functions + functions
        site, call, callee, _ = rows.columns("callbacks", found.callbacks, 4)
        rows.hold("callbacks", "function", callee, ~among(call * self.num_functions + callee, pairs), "no target")
        around[site] = function[calls["result"][call]]
        pairs = np.concatenate([pairs, site * self.num_functions + callee])
        made = np.concatenate([sites, site])  # sites whose callees are listed; the others are of getters and the like
        listed = np.zeros(found.num_sites, bool)
        listed[made] = True
        call_of = np.arange(found.num_sites)
        call_of[site] = call

        site, argument, parameter, _, _ = rows.columns("bindings", found.bindings, 5)
        is_parameter = (op[parameter] == Op.PARAMETER) & (data[parameter] >= 0)
        constant = (op[parameter] == Op.CONST) & (self.program.original[parameter] != parameter)
        rows.hold("bindings", "parameter", parameter, ~(is_parameter | constant), "no parameter")
        names = {file.language: number for number, file in enumerate(self.program.files)}
        file = np.clip(self.program.file_of_value, 0, len(self.program.files) - 1)  # ``program`` reports others
        language = np.array([names[each.language] for each in self.program.files], np.int32)[file]
        bad = language[argument] != language[parameter]
        rows.hold("bindings", "parameter", parameter, bad, "of another language than its argument")
        bad = listed[site] & ~among(site * self.num_functions + function[parameter], pairs)
        rows.hold("bindings", "parameter", parameter, bad, "no parameter of a callee of this site")
        wanted = listed[site] & (call_of[site] < self.num_calls)
        receivers = np.where(calls["receiver"] < 0, calls["callee"], calls["receiver"])
        held = np.concatenate(
            [
                arguments["call"].astype(np.int64) * self.n + arguments["value"],
                np.arange(self.num_calls) * self.n + receivers,
                np.arange(self.num_calls) * self.n + calls["callee"],
                np.arange(self.num_calls) * self.n + calls["result"],
                self._holders(),
            ]
        )
        bad = wanted & ~among(call_of[site] * self.n + argument, held)
        rows.hold("bindings", "argument", argument, bad, "no argument of the call")

        site, origin, target = rows.columns("returns", found.returns, 3)
        known = around[site] != NONE
        rows.hold("returns", "target", target, known & (function[target] != around[site]), "not in the caller")
        bad = listed[site] & ~among(site * self.num_functions + function[origin], pairs)
        rows.hold("returns", "origin", origin, bad, "of no callee of this site")
        self._leaves("returns", site, origin)
        site, origin, target, _ = rows.columns("element_returns", found.element_returns, 4)
        bad = listed[site] & ~among(site * self.num_functions + function[origin], pairs)
        rows.hold("element_returns", "origin", origin, bad, "of no callee of this site")
        origin, target = rows.columns("copy_edges", found.copy_edges, 2)
        rows.hold("copy_edges", "target", target, function[origin] != function[target], "in another function")
        exact = np.array(sorted(found.fully_resolved), np.int64)
        rows.hold("fully_resolved", "call", exact, ~among(exact, sites), "without a target")
        parameters = np.array([row[1] for row in found.decorated], np.int64)
        rows.hold("decorated", "parameter", parameters, op[parameters] != Op.PARAMETER, "no parameter")

    def _holders(self) -> Longs:
        """What the callees of calls are loaded from: the receivers of calls that do not name them so."""
        t = self.program.tables
        op, data = t["values"]["op"], t["values"]["data"]
        callee = t["calls"]["callee"]
        rows = np.flatnonzero(op[callee] == Op.LOAD)
        return rows.astype(np.int64) * self.n + t["loads"]["object"][data[callee[rows]]]

    def _leaves(self, name: str, site: Longs, origin: Longs) -> None:
        """What comes back is what a function returns or raises, or the state of a parameter at an exit."""
        t = self.program.tables
        leaves = np.zeros(self.n, bool)
        for column in ("result", "raised"):
            leaves[t["functions"][column]] = True
        for column in ("value", "out", "true", "false"):
            cells = t["parameters"][column]
            leaves[cells[cells >= 0]] = True
        self.rows.hold(name, "origin", origin, ~leaves[origin], "not what a function returns, raises or leaves")

    def _states(self) -> None:
        """What a value may be: at most ``MAX_STATES`` states, each once, of things that there are."""
        rows, states = self.rows, self.found.states
        counts = np.fromiter(map(len, states), np.int64, len(states))
        rows.hold("states", "number", counts, counts > MAX_STATES, f"more than {MAX_STATES}")
        every = np.fromiter((state for each in states for state in each), np.int64, int(counts.sum()))
        where = np.repeat(np.arange(len(states)), counts)
        ends = {
            FUNCTION: self.num_functions,
            CLASS: len(self.program.tables["owners"]["value"]),
            INSTANCE_OF: len(self.program.tables["owners"]["value"]),
            API: self.num_nodes,
            MODULE: len(self.program.strings),
            OBJECT: self.n,
            PROTOTYPE: self.num_functions,
            MADE_BY: self.num_functions,
        }
        for kind, end in ends.items():
            bad = (every & KIND == kind) & ((every < 0) | (every >> KIND_BITS >= end))
            rows.hold("states", "state", every, bad, f"a state of kind {kind} of nothing")
        order = np.lexsort((every, where))
        twice = np.zeros(len(every), bool)
        twice[1:] = (every[order][1:] == every[order][:-1]) & (where[order][1:] == where[order][:-1])
        rows.hold("states", "state", every[order], twice, "twice at one node")


# -- labels ------------------------------------------------------------------------------------------------------------


def labels(linked: Program, found: Resolution, roles: Labels) -> list[str]:
    """The broken promises of labels."""
    rows = _Rows()
    t, n, strings = linked.tables, linked.num_values, len(linked.strings)
    bits = len(roles.vulnerabilities)
    everything = (1 << bits) - 1
    op = t["values"]["op"]
    rows.say(bits <= 62, f"vulnerabilities: {bits}, and masks have 62 bits")
    rows.say(0 <= roles.quoted <= everything, f"quoted = {roles.quoted}: of vulnerabilities that are not looked for")
    if not rows.say(roles.chop.shape == (n,) and roles.chop.dtype == bool, "chop: not one truth a value"):
        return rows.broken
    found_rows: dict[str, Collection[tuple[int, ...]]] = {
        "sources": [(source.value,) for source in roles.sources],
        "sinks": [(sink.value, sink.vulnerability, sink.file, sink.start) for sink in roles.sinks],
        "clean": tuple(roles.clean.items()),
        "flows": [(flow.origin, flow.target, flow.harmless) for flow in roles.flows],
        "harmless_parts": [(part, text, mask) for (part, text), mask in roles.harmless_parts.items()],
        "assumed": roles.assumed,
        "assumed_if_whole": roles.assumed_if_whole,
        "checked_by_call": [(pi, *row) for pi, row in roles.checked_by_call.items()],
        "unverified_guards": tuple(roles.unverified_guards.items()),
        "clean_keys": [(v, key) for v, keys in roles.clean_keys.items() for key in keys],
        "deleted_keys": tuple(roles.deleted_keys.items()),
    }
    for name in ("validated_fields", "non_returning", "numeric_parameters", "encodings", "modelled", "quoted_values"):
        found_rows[name] = [(each,) for each in getattr(roles, name)]
    counts = {**_counts(linked), MASKS: everything + 1, VULNERABILITIES: bits, FILES: len(linked.files)}
    for name, row in LABELS.items():
        rows.table(name, found_rows[name], row, counts)
    masks = np.fromiter(roles.harmless_parts.values(), np.int64, len(roles.harmless_parts))
    rows.hold("harmless_parts", "mask", masks, masks == 0, "does harm to everything")
    _keys(rows, "sinks", [sink.keys for sink in roles.sinks], strings)
    _keys(rows, "flows.take", [flow.take for flow in roles.flows], strings)
    _keys(rows, "flows.put", [flow.put for flow in roles.flows], strings)
    rows.say(roles.sources == sorted(set(roles.sources)), "sources: not sorted, or one stands there twice")
    rows.say(roles.sinks == sorted(set(roles.sinks)), "sinks: not sorted, or one stands there twice")
    if rows.broken:
        return rows.broken
    for name, chosen, kind in (
        ("checked_by_call", roles.checked_by_call, Op.PI),
        ("unverified_guards", roles.unverified_guards, Op.PI),
        ("validated_fields", roles.validated_fields, Op.LOAD),
        ("deleted_keys", roles.deleted_keys, Op.POST),
    ):
        values = np.fromiter(chosen, np.int64, len(chosen))
        rows.hold(name, "value", values, op[values] != kind, f"no {kind.name}")
    quoted = np.fromiter(roles.quoted_values, np.int64, len(roles.quoted_values))
    rows.hold("quoted_values", "value", quoted, found.representative[quoted] != quoted, "no representative")
    starts = np.array([(sink.start, sink.end) for sink in roles.sinks], np.int64).reshape(-1, 2)
    rows.hold("sinks", "end", starts[:, 1], starts[:, 1] < starts[:, 0], "before its start")
    checked = np.array([(pi, row[0]) for pi, row in roles.checked_by_call.items()], np.int64).reshape(-1, 2)
    function = t["values"]["function"]
    bad = function[checked[:, 0]] != function[t["calls"]["result"][checked[:, 1]]]
    rows.hold("checked_by_call", "call", checked[:, 1], bad, "in another function than the version")
    return rows.broken


def _counts(linked: Program) -> dict[str, int]:
    """How many rows there are of what columns refer to."""
    lengths = {name: len(next(iter(columns.values()))) for name, columns in linked.tables.items()}
    return {**lengths, STRINGS: len(linked.strings)}


def _keys(rows: _Rows, name: str, keys: Iterable[tuple[int, ...]], strings: int) -> None:
    every = np.array([key for each in keys for key in each], np.int64)
    rows.within(name, "key", every, UNKNOWN_KEY, strings)


# -- the flow graph ----------------------------------------------------------------------------------------------------


def flow_graph(linked: Program, found: Resolution, roles: Labels, flow: FlowGraph) -> list[str]:
    """The broken promises of an assembled graph."""
    rows = _Rows()
    num, n, strings = len(flow.value), linked.num_values, len(linked.strings)
    everything = (1 << len(roles.vulnerabilities)) - 1
    columns = (flow.origin, flow.target, flow.mask, flow.context, flow.site, flow.assumed, flow.kind, flow.key)
    lengths = {len(column) for column in columns}
    if not rows.say(len(lengths) == 1, f"edges: columns of different lengths: {sorted(lengths)}"):
        return rows.broken
    rows.say(len(flow.access_path) == num, f"path: {len(flow.access_path)} of {num} nodes")
    rows.within("nodes", "value", np.array(flow.value, np.int64), 0, n)
    hidden = FIRST_CAPTURE_KEY - len(linked.tables["captures"]["inner"])  # the last of what function values hold
    keys = [
        key for path in flow.access_path for each in path for key in (each if isinstance(each, frozenset) else (each,))
    ]
    rows.within("nodes", "path", np.array(keys, np.int64), hidden, strings)
    counts = {NODES: num, MASKS: everything + 1}
    sound = True
    for column in columns_of(Edge):
        sound &= rows.within("edges", column.name, getattr(flow, column.name), 0, counts[column.cells.to])
    rows.hold("edges", "context", flow.context, ~among(flow.context, _members(Context)), "no context")
    rows.hold("edges", "kind", flow.kind, ~among(flow.kind, _members(Kind)), "no kind")
    crossing = (flow.context == Context.CALL) | (flow.context == Context.RETURN)
    made_up = found.num_sites + len(linked.tables["functions"]["result"])  # ``captures.Callers.free``
    bad = crossing & ((flow.site < 0) | (flow.site >= made_up))
    rows.hold("edges", "site", flow.site, bad, "enters or leaves no call")
    inside = flow.context == Context.INTRA
    rows.hold("edges", "site", flow.site, inside & (flow.site != NONE), "a site inside of a function")
    rows.say(flow.assumed.dtype == bool, "assumed: no truth values")
    widened = np.array(sorted(flow.widened), np.int64)
    if rows.within("widened", "edge", widened, 0, len(flow.origin)):
        rows.hold("widened", "edge", widened, ~flow.assumed[widened], "not assumed")
    for name, at_nodes, of in (
        ("sources", flow.sources, [source.value for source in roles.sources]),
        ("sinks", flow.sinks, [sink.value for sink in roles.sinks]),
    ):
        node, row = rows.columns(name, [(node, row) for node, each in at_nodes.items() for row in each], 2)
        if rows.within(name, "node", node, 0, num) and rows.within(name, "role", row, 0, len(of)):
            there = np.array(flow.value, np.int64)[node] if num else node
            rows.hold(name, "role", row, np.array(of, np.int64)[row] != there, "of another value than its node")
    if sound and num:
        _cell_functions(linked, flow, rows)
    return rows.broken


def _cell_functions(linked: Program, flow: FlowGraph, rows: _Rows) -> None:
    """An edge inside of a function stays in it."""
    function = linked.tables["values"]["function"]
    value = np.array(flow.value, np.int64)
    outside = function[value[flow.origin]] != function[value[flow.target]]
    inside = (flow.context == Context.INTRA) & outside & ~flow.assumed
    rows.hold("edges", "target", flow.target, inside, "in another function, though the edge enters and leaves none")


def _members(kind: type[Context] | type[Kind]) -> list[int]:
    return [int(member) for member in kind.__members__.values()]


# -- hits --------------------------------------------------------------------------------------------------------------


def hits(roles: Labels, flow: FlowGraph, found: Sequence[Hit]) -> list[str]:
    """The broken promises of hits: each joins a source to a sink of its vulnerability by a way of the graph.

    The graphs themselves are looked at once each; ways are looked for from the first ``MAX_VERIFIED_HITS`` hits.
    """
    rows = _Rows()
    graphs: dict[int, Projection] = {id(hit.projection): hit.projection for hit in found}
    for each in graphs.values():
        _projection(each, flow, rows)
    if rows.broken:
        return rows.broken
    for at, hit in enumerate(found):
        name = f"hits[{at}]"
        projection = hit.projection
        size = len(projection.nodes)
        if not rows.say(0 <= hit.source < size and 0 <= hit.sink < size, f"{name}: ends outside of its graph"):
            continue
        start, end = int(projection.nodes[hit.source]), int(projection.nodes[hit.sink])
        rows.say(start % LAYERS == ASCENDING, f"{name}: begins inside of a call")
        rows.say(hit.source_role in flow.sources.get(start // LAYERS, ()), f"{name}: begins at no such source")
        rows.say(hit.sink_role in flow.sinks.get(end // LAYERS, ()), f"{name}: ends at no such sink")
        known = 0 <= hit.sink_role < len(roles.sinks)
        if rows.say(known, f"{name}: sink_role = {hit.sink_role}"):
            rows.say(roles.sinks[hit.sink_role].vulnerability == projection.bit, f"{name}: of another vulnerability")
        if at < MAX_VERIFIED_HITS and not rows.broken:
            depth = _distance(projection, hit.source, hit.sink, hit.depth)
            rows.say(depth == hit.depth, f"{name}: {hit.depth} steps, the shortest way has {depth}")
    return rows.broken[:MAX_SHOWN_HITS]


def _projection(projection: Projection, flow: FlowGraph, rows: _Rows) -> None:
    graph, name = projection.graph, f"graph of vulnerability {projection.bit}"
    offsets = graph.offsets.astype(np.int64)
    size, num = len(projection.nodes), LAYERS * len(flow.value)
    if rows.say(len(offsets) == size + 1 and offsets[0] == 0, f"{name}: offsets of other nodes"):
        rows.hold(name, "offsets", offsets[1:], np.diff(offsets) < 0, "falls")
        rows.say(int(offsets[-1]) == len(graph.targets), f"{name}: offsets end before the edges, or behind them")
    rows.within(name, "targets", graph.targets.astype(np.int64), 0, size)
    rows.within(name, "nodes", projection.nodes, 0, num)
    rows.hold(name, "nodes", projection.nodes[1:], np.diff(projection.nodes) <= 0, "not ascending")
    summaries = projection.summaries
    rows.within(name, "rows", projection.rows, -len(summaries.origin), len(flow.origin))
    rows.say(len(projection.rows) == len(graph.targets), f"{name}: not one row an edge")
    for column in ("origin", "target"):
        rows.within("summaries", column, getattr(summaries, column), 0, len(flow.value))
    lengths = {len(summaries.origin), len(summaries.target), len(summaries.site), len(summaries.mask)}
    if rows.say(len(lengths) == 1, f"summaries: columns of different lengths: {sorted(lengths)}"):
        order = np.lexsort((summaries.site, summaries.target, summaries.origin))
        rows.say(bool((order == np.arange(len(order))).all()), "summaries: not sorted by origin, target and site")
        rows.hold("summaries", "mask", summaries.mask, summaries.mask <= 0, "lets nothing pass")


def _distance(projection: Projection, source: int, sink: int, limit: int) -> int:
    """The edges of the shortest way from ``source`` to ``sink``, -1 past ``limit``."""
    if source == sink:
        return 0
    offsets, targets = projection.graph.offsets, projection.graph.targets
    seen = np.zeros(len(projection.nodes), bool)
    level = np.array([source], np.int64)
    for depth in range(1, limit + 1):
        first, last = offsets[level].astype(np.int64), offsets[level + 1].astype(np.int64)
        count = last - first
        at = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        following = np.unique(targets[at].astype(np.int64))
        level = following[~seen[following]]
        seen[level] = True
        if seen[sink]:
            return depth
        if not len(level):
            break
    return -1


__all__ = ["BrokenPromise", "flow_graph", "hits", "kept", "labels", "program", "resolution"]
