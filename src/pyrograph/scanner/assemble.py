"""Assembly: the graph that is searched, built only where a source and a sink can meet.

Three steps, each exact and each smaller than the one before:

1. **Coarse pruning.** All data flow as one graph over values, fields and calling contexts ignored: keep what some
source reaches and what
   reaches some sink. This is the only step that looks at the whole program, and it is columnar.
2. **Expansion.** What is left is expanded, forwards from the sources, into nodes (value, path): ``value.path`` *is
tainted*, but for the keys
   that were overwritten since. A strong store feeds its own key and passes on all others. Only what is really stored
   makes a path, so that
   this is far smaller than asking, backwards from the sinks, for whatever is loaded somewhere.
3. **Summaries and layers.** For each formal of each procedure, which of its results it reaches without leaving: one
monotone search whose
   rows are (node, formal) with a mask of vulnerabilities. Summary edges close the calls; two layers keep calls and
   returns matched.

Source of the construction: Reps, Horwitz, Sagiv (POPL 1995); Shi, Wang, Yao, Zhang (OOPSLA 2022); DESIGN, section 6.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from pyrograph.ir.unit import KEYS, NONE, OPEN, RAISED, UNKNOWN_KEY, Flow, Op, direct
from pyrograph.scanner.captures import FIRST_KEY, captures
from pyrograph.scanner.effects import Effects, effects
from pyrograph.scanner.label import Labels, SinkRole
from pyrograph.scanner.link import Program
from pyrograph.scanner.reach import reached
from pyrograph.scanner.resolve.resolution import NO_KEY, WHOLE, Resolution

MAX_PATH = 16  # keys in a path
MAX_REPEATS = 2  # of one key in a path
MAX_EXCLUDED = 4  # overwritten keys that are remembered
MAX_PATHS = 16  # of one value
MAX_NODES = 500_000

Ints = npt.NDArray[np.int32]
Path = tuple[
    int | frozenset[int], ...
]  # of keys; a set is "any key but these"; keys below UNKNOWN_KEY are in no such set

# In paths and edges, what "any key" does not mean: the keys of an object; what a promise was rejected with.
OWN_KEYS, REJECTED = -2, -3
SOME_PART: Path = (frozenset(),)  # what an object with too many tainted paths has: parts, no matter which


@direct
class Context(IntEnum):
    """Where an edge leads, in terms of calls."""

    INTRA = 0
    CALL = 1
    RETURN = 2
    HEAP = 3  # the calling context is forgotten
    SUMMARY = 4


@direct
class Kind(IntEnum):
    """How an edge moves paths."""

    SAME = 0
    DERIVED = 1  # the target is made of the origin and everything in it
    TAKE = 2  # target = origin[keys]
    PUT = 3  # target[keys] = origin, and only that
    KEEP = 4  # target = origin without key
    MOVE = 5  # target[put] = origin[take]
    SLICE = 6  # target = origin[start:end]
    TEXT = 8  # the target is text made of the origin: of its elements, not of the fields of an object
    WHOLE = 7  # the target is made of the origin, where all of that is tainted


@dataclass(slots=True)
class Edges:
    """Data flow between values, as parallel columns."""

    origin: list[Ints] = field(default_factory=list)
    target: list[Ints] = field(default_factory=list)
    kind: list[Ints] = field(default_factory=list)
    key: list[Ints] = field(default_factory=list)  # of TAKE, PUT, KEEP; row in ``moves`` for MOVE, in slices for SLICE
    context: list[Ints] = field(default_factory=list)
    site: list[Ints] = field(default_factory=list)
    assumed: list[Ints] = field(default_factory=list)
    moves: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    spared: dict[int, int] = field(default_factory=dict)  # row in ``moves`` -> mask of what it does no harm to

    def add(
        self,
        origin: npt.ArrayLike,
        target: npt.ArrayLike,
        kind: Kind,
        *,
        key: npt.ArrayLike = NONE,
        context: npt.ArrayLike = Context.INTRA,
        site: npt.ArrayLike = NONE,
        assumed: int = 0,
    ) -> None:
        origins = np.asarray(origin, np.int32)
        count = len(origins)
        if not count:
            return
        self.origin.append(origins)
        self.target.append(np.asarray(target, np.int32))
        for column, value in (
            (self.kind, int(kind)),
            (self.key, key),
            (self.context, context),
            (self.site, site),
            (self.assumed, assumed),
        ):
            column.append(np.broadcast_to(np.asarray(value, np.int32), (count,)))

    def rename(self, key: int, other: int) -> None:
        """Call ``key`` another name wherever it stands."""
        self.key = [
            np.where((keys == key) & (kinds < Kind.MOVE), np.int32(other), keys)
            for keys, kinds in zip(self.key, self.kind, strict=True)
        ]
        self.moves = [
            (tuple(other if k == key else k for k in take), tuple(other if k == key else k for k in put))
            for take, put in self.moves
        ]


@dataclass(slots=True)
class FlowGraph:
    """The expanded graph: nodes are (value, path), edges carry the vulnerabilities that survive them.

    ``edges`` holds the intra-procedural, call, return, heap and summary edges; ``graph.bfs`` sees them in two layers.
    """

    value: list[int]  # of each node
    path: list[Path]
    origin: Ints  # of each edge: nodes
    target: Ints
    mask: npt.NDArray[np.int64]  # vulnerabilities that flow on
    context: Ints
    site: Ints
    assumed: npt.NDArray[np.bool_]
    kind: Ints
    key: Ints
    sinks: dict[int, list[int]]  # node -> rows of labels.sinks
    sources: dict[int, list[int]]  # node -> rows of labels.sources
    limits: list[tuple[str, int]]  # (what was cut, how many)
    num_edges_before: int = 0


def assemble(program: Program, resolution: Resolution, labels: Labels) -> FlowGraph:
    """Build the graph; see the module's text. Cost: linear in the program for step 1, in what is left for the
    others.
    """
    edges = data_flow(program, resolution, labels)
    return expand(program, labels, edges)


def data_flow(program: Program, resolution: Resolution, labels: Labels) -> Edges:
    """All data flow between values."""
    t = program.tables
    op = t["values"]["op"]
    function = t["values"]["function"]
    edges = Edges()
    flows = t["flows"]
    origin, target, kind = flows["origin"], flows["target"], flows["kind"]
    dead = _dead(program, labels)
    if dead:
        live = np.array([pair not in dead for pair in zip(origin.tolist(), target.tolist(), strict=True)], bool)
        origin, target, kind = origin[live], target[live], kind[live]
    returns = np.array(resolution.returns, np.int32).reshape(-1, 3)
    effect = effects(program, resolution, labels, returns)
    state = np.isin(op, (Op.POST, Op.STORE)) & ~effect.changed  # says nothing that the state before did not
    told = ~(state[origin] & (op[target] == Op.CELL))
    origin, target, kind = origin[told], target[told], kind[told]
    heap = (function[origin] != function[target]) | (op[origin] == Op.CELL) | (op[target] == Op.CELL)
    context = np.where(heap, Context.HEAP, Context.INTRA)
    checks = {pi: check for pi, check in labels.checked.items() if effect.changed[pi]}
    checked = np.isin(target, list(checks)) if checks else np.zeros(len(target), bool)
    written = (kind == Kind.DERIVED) & np.isin(target, t["texts"]["value"])
    written &= op[resolution.representative[origin]] != Op.NEW
    kind = np.where(written, np.int32(Kind.TEXT), kind)
    for one in (Kind.SAME, Kind.DERIVED, Kind.TEXT):
        chosen = (kind == one) & ~checked
        edges.add(origin[chosen], target[chosen], one, context=context[chosen])
    counted = kind == Flow.COUNTED  # followed as the steps of unknown callees are: only for what was not found without
    edges.add(origin[counted], target[counted], Kind.DERIVED, context=context[counted], assumed=1)

    pis = t["pis"]
    plain = ~np.isin(pis["value"], list(checks)) if checks else np.ones(len(pis["value"]), bool)
    doubted = np.isin(pis["value"], list(labels.doubted))
    for assumed in (False, True):
        chosen = plain & (doubted == assumed)
        edges.add(pis["input"][chosen], pis["value"][chosen], Kind.SAME, assumed=int(assumed))
    if checks:
        rows = [(state, pi, site) for pi, (site, state, _) in checks.items()]
        states, values, sites = np.array(rows, np.int32).T
        doubted = np.isin(values, list(labels.doubted))
        for assumed in (False, True):
            row = doubted == assumed
            edges.add(
                *(states[row], values[row], Kind.SAME), context=Context.RETURN, site=sites[row], assumed=int(assumed)
            )

    loads = t["loads"]
    key = np.where(loads["key"] < UNKNOWN_KEY, UNKNOWN_KEY, loads["key"])
    edges.add(loads["object"], loads["result"], Kind.TAKE, key=key)
    if resolution.loads:
        results, objects, keys = np.array(resolution.loads, np.int32).T
        edges.add(objects, results, Kind.TAKE, key=keys, context=Context.HEAP)

    stores = t["stores"]
    key = np.where(stores["key"] < UNKNOWN_KEY, UNKNOWN_KEY, stores["key"])
    idle = effect.idle_stores
    edges.add(stores["object"][idle], stores["result"][idle], Kind.SAME)
    edges.add(stores["object"][~idle], stores["result"][~idle], Kind.KEEP, key=key[~idle])
    has_value = (stores["value"] >= 0) & ~idle
    edges.add(stores["value"][has_value], stores["result"][has_value], Kind.PUT, key=key[has_value])
    named = stores["key"] < UNKNOWN_KEY
    edges.add(-2 - stores["key"][named], stores["result"][named], Kind.PUT, key=OWN_KEYS)

    slices = t["slices"]
    edges.add(slices["object"], slices["result"], Kind.SLICE, key=np.arange(len(slices["result"])))

    _calls(program, resolution, labels, edges, returns, effect)

    _captured(program, resolution, edges, effect)
    if resolution.heap:
        origins, targets = np.array(resolution.heap, np.int32).T
        told = ~(state[origins] & (op[resolution.representative[origins]] == Op.GLOBAL))
        edges.add(origins[told], targets[told], Kind.SAME, context=Context.HEAP)
    if resolution.same:
        origins, targets = np.array(resolution.same, np.int32).T
        edges.add(origins, targets, Kind.SAME)
    derived = [(flow.origin, flow.target) for flow in labels.flows if flow.derived and not flow.harmless]
    same = [(f.origin, f.target) for f in labels.flows if not (f.derived or f.take or f.put or f.harmless)]
    for kind_, pairs in ((Kind.DERIVED, derived), (Kind.SAME, same)):
        if pairs:
            origins, targets = np.array(pairs, np.int32).T
            edges.add(origins, targets, kind_)
    moved = [flow for flow in labels.flows if (not flow.derived and (flow.take or flow.put)) or flow.harmless]
    if moved:
        first = len(edges.moves)
        edges.moves += [(flow.take, flow.put) for flow in moved]
        edges.spared = {first + i: flow.harmless for i, flow in enumerate(moved) if flow.harmless}
        ends = np.array([(flow.origin, flow.target) for flow in moved], np.int32)
        edges.add(ends[:, 0], ends[:, 1], Kind.MOVE, key=np.arange(first, len(edges.moves)))
    for kind_, pairs in ((Kind.DERIVED, labels.assumed), (Kind.WHOLE, labels.assumed_whole)):
        if pairs:
            origins, targets = np.array(pairs, np.int32).T
            edges.add(origins, targets, kind_, assumed=1)
    for name, hidden in ((KEYS, OWN_KEYS), (RAISED, REJECTED)):
        if (number := program.string_ids.get(name)) is not None:
            edges.rename(number, hidden)
    return edges


def _captured(program: Program, resolution: Resolution, edges: Edges, effect: Effects) -> None:
    """What closures capture, and what they leave in it."""
    t = program.tables
    ways = captures(program, resolution, resolution.num_sites)
    outer, inner, out = (t["captures"][column] for column in ("outer", "inner", "out"))
    made = t["functions"]["value"][t["captures"]["function"]]
    changed = (out != inner) & effect.changed[out]
    row, site = ways.at_calls.T
    edges.add(outer[row], inner[row], Kind.SAME, context=Context.CALL, site=site)
    back = changed[row]
    edges.add(out[row][back], outer[row][back], Kind.SAME, context=Context.RETURN, site=site[back])
    edges.add(outer[ways.held], made[ways.held], Kind.PUT, key=FIRST_KEY - ways.held)
    row, callee, site = ways.taken.T
    edges.add(callee, inner[row], Kind.TAKE, key=FIRST_KEY - row, context=Context.CALL, site=site)
    edges.add(outer[ways.forgotten], inner[ways.forgotten], Kind.SAME, context=Context.HEAP)
    leaving = ways.leaving[changed[ways.leaving]]
    edges.add(out[leaving], outer[leaving], Kind.SAME, context=Context.HEAP)


def _dead(program: Program, labels: Labels) -> set[tuple[int, int]]:
    """Phi inputs (version, phi) that never arrive: the arm they come from ends in a call that does not return."""
    if not labels.never:
        return set()
    t = program.tables
    calls = t["calls"]["result"][np.array(sorted(labels.never), np.int64)]
    function = t["values"]["function"]
    blocks, joins = t["blocks"], t["joins"]
    order = np.lexsort((blocks["first"], blocks["function"]))
    keys = blocks["function"][order].astype(np.int64) << 32 | blocks["first"][order]
    at = np.searchsorted(keys, function[calls].astype(np.int64) << 32 | calls, side="right") - 1
    ended = np.zeros(len(order), bool)
    ended[order[at[at >= 0]]] = True
    live: set[tuple[int, int]] = set()
    dead: set[tuple[int, int]] = set()
    for value, version, block in zip(
        joins["value"].tolist(), joins["version"].tolist(), joins["block"].tolist(), strict=True
    ):
        (dead if ended[block] else live).add((version, value))
    return dead - live


def _calls(
    program: Program, resolution: Resolution, labels: Labels, edges: Edges, returns: Ints, effect: Effects
) -> None:
    """Arguments to parameters, results and states at exit back, and what passes a call unchanged."""
    t = program.tables
    arguments = t["arguments"]
    bindings = [b for b in resolution.bindings if b.parameter not in labels.numbers]
    whole = [b for b in bindings if b.key == NO_KEY and b.element == WHOLE]
    if whole:
        rows = np.array([(b.site, b.argument, b.parameter) for b in whole], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.SAME, context=Context.CALL, site=rows[:, 0])
    put = [b for b in bindings if b.key != NO_KEY and b.element == WHOLE]
    if put:
        rows = np.array([(b.site, b.argument, b.parameter, b.key) for b in put], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.PUT, key=rows[:, 3], context=Context.CALL, site=rows[:, 0])
    taken = [b for b in bindings if b.key == NO_KEY and b.element != WHOLE]
    if taken:
        rows = np.array([(b.site, b.argument, b.parameter, b.element) for b in taken], np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.TAKE, key=rows[:, 3], context=Context.CALL, site=rows[:, 0])
    for b in bindings:
        if b.key != NO_KEY and b.element != WHOLE:
            edges.moves.append(((b.element,), (b.key,)))
            edges.add(
                [b.argument],
                [b.parameter],
                Kind.MOVE,
                key=len(edges.moves) - 1,
                context=Context.CALL,
                site=b.site,
            )
    returned: dict[tuple[int, int], int] = {}
    post = t["values"]["op"][returns[:, 2]] == Op.POST
    returns = returns[~post | effect.changed[returns[:, 2]]]
    if len(returns):
        rows = np.unique(returns, axis=0)
        edges.add(rows[:, 1], rows[:, 2], Kind.SAME, context=Context.RETURN, site=rows[:, 0])
        for site, _, target in rows.tolist():
            returned[(site, target)] = returned.get((site, target), 0) + 1
    if resolution.fields:
        rows = np.array(sorted(set(resolution.fields)), np.int32)
        edges.add(rows[:, 1], rows[:, 2], Kind.PUT, key=rows[:, 3])
    for site, origin, target, key in resolution.element_returns:
        edges.add([origin], [target], Kind.PUT, key=key, context=Context.RETURN, site=site)
    # A state after the call comes only from the callees' states at exit when all of them are known.
    targets: dict[int, int] = {}
    for each in resolution.targets:
        targets[each.site] = targets.get(each.site, 0) + 1
    replaced = np.array(
        [
            row
            for row in np.flatnonzero(arguments["post"] >= 0).tolist()
            if int(arguments["call"][row]) in resolution.exact
            and returned.get((int(arguments["call"][row]), int(arguments["post"][row])), 0)
            >= targets.get(int(arguments["call"][row]), 1)
        ],
        np.int64,
    )
    passing = arguments["post"] >= 0
    passing[replaced] = False
    if labels.dropped:
        lost = passing & np.isin(arguments["post"], list(labels.dropped))
        passing &= ~lost
        keys = np.array([labels.dropped[post] for post in arguments["post"][lost].tolist()], np.int32)
        kept = keys != UNKNOWN_KEY
        edges.add(arguments["value"][lost][kept], arguments["post"][lost][kept], Kind.KEEP, key=keys[kept])
    value = arguments["value"][passing]
    edges.add(value, arguments["post"][passing], Kind.SAME)


# -- step 1: coarse pruning
# ------------------------------------------------------------------------------------------------------


def _matched(
    num_values: int, origin: Ints, target: Ints, context: Ints, site: Ints, sources: Ints, sinks: Ints
) -> npt.NDArray[np.bool_]:
    """Which edges lie on a way from a source to a sink that matches calls and returns, fields ignored."""
    if not len(origin):
        return np.zeros(0, bool)
    values = np.unique(np.concatenate([origin, target]))
    number = np.full(num_values, -1, np.int32)
    number[values] = np.arange(len(values), dtype=np.int32)
    u, v = number[origin], number[target]
    once = np.unique(np.stack([u, v, context, site], 1), axis=0)
    ones = np.ones(len(once), np.int64)
    flat = FlowGraph(
        [],
        [],
        once[:, 0],
        once[:, 1],
        ones,
        once[:, 2],
        once[:, 3],
        np.zeros(len(once), bool),
        once[:, 2],
        once[:, 3],
        {},
        {},
        [],
    )
    through = summarise(flat, assumed=True)
    heads, tails, rows = two_layers(u, v, context, through)
    starts, ends = number[sources], number[sinks]
    starts, ends = starts[starts >= 0], ends[ends >= 0]
    num = 2 * len(values)
    live = reached(num, heads, tails, 2 * starts) & reached(num, tails, heads, np.concatenate([2 * ends, 2 * ends + 1]))
    useful = np.zeros(len(origin), bool)
    passing = (live[heads] & live[tails]) & (rows >= 0)
    useful[rows[passing]] = True
    # What a summary stands for lies inside a callee: keep the ways through every callee that is passed.
    crossed = live[heads] & live[tails] & (rows < 0)
    sites = np.unique(through.site[-1 - rows[crossed]])
    inside = np.isin(site, sites) & ((context == Context.CALL) | (context == Context.RETURN))
    while True:
        useful |= inside
        entered = v[inside & (context == Context.CALL)]
        left = u[inside & (context == Context.RETURN)]
        level = context == Context.INTRA
        heads = np.concatenate([u[level], through.origin])
        tails = np.concatenate([v[level], through.target])
        between = reached(len(values), heads, tails, entered) & reached(len(values), tails, heads, left)
        useful |= level & between[u] & between[v]
        crossed = between[through.origin] & between[through.target]
        more = np.union1d(sites, through.site[crossed])
        if len(more) == len(sites):
            return useful
        sites = more
        inside = np.isin(site, sites) & ((context == Context.CALL) | (context == Context.RETURN))


def two_layers(
    u: Ints,
    v: Ints,
    context: Ints,
    through: Summaries,
    *,
    rows: npt.NDArray[np.integer] | None = None,
    summary_rows: npt.NDArray[np.integer] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The two-layer graph: (origin, target, row) with node 2u in layer A and 2u + 1 in layer D.

    Args:
        rows, summary_rows: Numbers to tell edges and summaries by; their places in the columns when absent.

    Returns:
        ``row`` is an edge's number, or -1 - the number of a summary.
    """
    rows = np.arange(len(u)) if rows is None else rows
    summaries = -1 - (np.arange(len(through.origin)) if summary_rows is None else summary_rows)
    intra, call = context == Context.INTRA, context == Context.CALL
    returns, heap = context == Context.RETURN, context == Context.HEAP
    origins, targets, numbers = [], [], []
    for chosen, before, after in (
        (intra, 0, 0),
        (intra, 1, 1),
        (call, 0, 1),
        (call, 1, 1),
        (returns, 0, 0),
        (heap, 0, 0),
        (heap, 1, 0),
    ):
        origins.append(2 * u[chosen].astype(np.int64) + before)
        targets.append(2 * v[chosen].astype(np.int64) + after)
        numbers.append(rows[chosen].astype(np.int64))
    for layer in (0, 1):
        origins.append(2 * through.origin.astype(np.int64) + layer)
        targets.append(2 * through.target.astype(np.int64) + layer)
        numbers.append(summaries)
    return np.concatenate(origins), np.concatenate(targets), np.concatenate(numbers)


# -- step 2: expansion
# -----------------------------------------------------------------------------------------------------------


def expand(program: Program, labels: Labels, edges: Edges) -> FlowGraph:
    """Nodes (value, path) that can reach a sink from a source, and the edges between them."""
    n = program.num_values
    empty = np.empty(0, np.int32)
    columns = [
        np.concatenate(column) if column else empty
        for column in (edges.origin, edges.target, edges.kind, edges.key, edges.context, edges.site, edges.assumed)
    ]
    origin, target, kind, key, context, site, assumed = columns
    sources = np.array([s.value for s in labels.sources], np.int32)
    sinks = np.array([s.value for s in labels.sinks], np.int32)
    alive = reached(n, origin, target, sources) & reached(n, target, origin, sinks)
    kept = np.flatnonzero(alive[origin] & alive[target])
    kept = kept[_matched(n, origin[kept], target[kept], context[kept], site[kept], sources, sinks)]
    order = kept[np.argsort(origin[kept], kind="stable")]
    outgoing: dict[int, list[int]] = {}
    for row, start in zip(order.tolist(), origin[order].tolist(), strict=True):
        outgoing.setdefault(start, []).append(row)
    expansion = _Expansion(program, labels, outgoing, edges.moves, target, kind, key)
    by_value: dict[int, list[int]] = {}
    for row, source in enumerate(labels.sources):
        if alive[source.value]:
            by_value.setdefault(source.value, []).append(row)
    source_nodes = {}
    for value, roles in by_value.items():
        keyed = all(labels.sources[row].keyed for row in roles)
        source_nodes[expansion.node(value, (), frozenset((OWN_KEYS,)) if keyed else frozenset())] = roles
    expansion.run()
    sinks_of: dict[int, list[int]] = {}
    for row, sink in enumerate(labels.sinks):
        if alive[sink.value]:
            sinks_of.setdefault(sink.value, []).append(row)
    sink_nodes: dict[int, list[int]] = {}
    for node, value in enumerate(expansion.values):
        found = [
            row
            for row in sinks_of.get(value, ())
            if _accepts(labels.sinks[row], expansion.paths[node], expansion.excluded[node])
            and expansion.encoding(expansion.paths[node]) is None
        ]
        if found:
            sink_nodes[node] = found
    heads = np.array(expansion.edge_origin, np.int32)
    tails = np.array(expansion.edge_target, np.int32)
    rows = np.array(expansion.edge_row, np.int64)
    num = len(expansion.values)
    useful = reached(num, tails, heads, np.array(sorted(sink_nodes), np.int32)) if num else np.zeros(0, bool)
    keep = useful[heads] & useful[tails] if len(heads) else np.zeros(0, bool)
    heads, tails, rows = heads[keep], tails[keep], rows[keep]
    everything = (1 << len(labels.vulnerabilities)) - 1
    mask = np.full(len(heads), everything, np.int64)
    if labels.clean and len(heads):
        values = np.array(expansion.values, np.int32)[tails]
        cleaned = np.isin(values, np.fromiter(labels.clean, np.int32))
        for position in np.flatnonzero(cleaned).tolist():
            mask[position] &= ~labels.clean[int(values[position])]
    _spare_harmless(labels, edges, expansion, (heads, tails, rows), (kind, key), mask)
    graph = FlowGraph(
        expansion.values,
        expansion.paths,
        heads,
        tails,
        mask,
        context[rows] if len(rows) else empty,
        site[rows] if len(rows) else empty,
        (assumed[rows] if len(rows) else empty).astype(bool),
        kind[rows] if len(rows) else empty,
        key[rows] if len(rows) else empty,
        sink_nodes,
        {node: found for node, found in source_nodes.items() if useful[node]},
        expansion.limits(),
        len(origin),
    )
    return graph


def _spare_harmless(
    labels: Labels,
    edges: Edges,
    expansion: _Expansion,
    kept: tuple[Ints, Ints, npt.NDArray[np.int64]],
    columns: tuple[Ints, Ints],
    mask: npt.NDArray[np.int64],
) -> None:
    """Take from ``mask`` what a part of a text, or a flow of a model, does no harm to.

    ``kept``: the edges between nodes, with their rows in ``columns``.
    """
    heads, tails, rows = kept
    if not len(heads):
        return
    values = np.array(expansion.values, np.int32)
    if labels.harmless:
        into = np.isin(values[tails], np.array(sorted({text for _, text in labels.harmless}), np.int32))
        for position in np.flatnonzero(into).tolist():
            pair = int(values[heads[position]]), int(values[tails[position]])
            mask[position] &= ~labels.harmless.get(pair, 0)
    if edges.spared:
        kind, key = columns
        moved = (kind[rows] == Kind.MOVE) & np.isin(key[rows], np.array(sorted(edges.spared), np.int32))
        for position in np.flatnonzero(moved).tolist():
            mask[position] &= ~edges.spared[int(key[rows[position]])]


class _Expansion:
    """The worklist of step 2: from a tainted (value, path), what it taints."""

    def __init__(
        self,
        program: Program,
        labels: Labels,
        outgoing: dict[int, list[int]],
        moves: list[tuple[tuple[int, ...], tuple[int, ...]]],
        target: Ints,
        kind: Ints,
        key: Ints,
    ) -> None:
        self.program = program
        self.slices = program.tables["slices"]
        self.encodings = labels.encodings
        self.outgoing = outgoing
        self.moves = moves
        self.target = target
        self.kind = kind
        self.key = key
        everything = (1 << len(labels.vulnerabilities)) - 1
        self.blocked = {value for value, mask in labels.clean.items() if mask == everything}
        self.ids: dict[tuple[int, Path, frozenset[int]], int] = {}
        self.values: list[int] = []
        self.paths: list[Path] = []
        self.excluded: list[frozenset[int]] = []
        self.work: deque[int] = deque()
        self.edge_origin: list[int] = []
        self.edge_target: list[int] = []
        self.edge_row: list[int] = []
        self.paths_of: dict[int, int] = {}  # value -> nodes it has
        self.full: set[int] = set()  # values with more paths than are told apart

    def node(self, value: int, path: Path, excluded: frozenset[int]) -> int:
        """The number of a node; a path that grows without end stands for everything below its beginning.

        Where a value has too many paths, further ones are cut to some part of their first key, and then of the value.
        """
        if len(path) > 1 and (len(path) > MAX_PATH or _repeats(path)):
            path, excluded = path[: min(MAX_PATH, len(path) - 1)], frozenset()
        for length in range(len(path)):  # all of that part is tainted: its parts say nothing more
            if (value, path[:length], frozenset()) in self.ids:
                path, excluded = path[:length], frozenset()
                break
        if not path and excluded and (value, (), frozenset()) in self.ids:
            excluded = frozenset()
        name = (value, path, excluded)
        found = self.ids.get(name)
        if found is None:
            count = self.paths_of.get(value, 0)
            if count >= MAX_PATHS and ((len(path) > 1 and path[1:] != SOME_PART) or (path and excluded)):
                self.full.add(value)
                return self.node(value, path[:1] + SOME_PART if len(path) > 1 else path, frozenset())
            if (count >= 2 * MAX_PATHS or len(self.values) >= MAX_NODES) and (path or excluded) and path != SOME_PART:
                self.full.add(value)
                return self.node(value, SOME_PART if path and len(self.values) < MAX_NODES else (), frozenset())
            self.paths_of[value] = count + 1
            found = self.ids[name] = len(self.values)
            self.values.append(value)
            self.paths.append(path)
            self.excluded.append(excluded)
            self.work.append(found)
        return found

    def run(self) -> None:
        outgoing, blocked = self.outgoing, self.blocked
        while self.work:
            node = self.work.popleft()
            value, path, excluded = self.values[node], self.paths[node], self.excluded[node]
            for row in outgoing.get(value, ()):
                target = int(self.target[row])
                if target in blocked:
                    continue
                after = self.after(int(self.kind[row]), int(self.key[row]), path, excluded)
                if after is not None:
                    self.edge_origin.append(node)
                    self.edge_target.append(self.node(target, *after))
                    self.edge_row.append(row)

    def after(self, kind: int, key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
        """What is tainted of an edge's target when ``path`` of its origin is."""
        if kind == Kind.SAME:
            return path, excluded
        if kind == Kind.DERIVED:
            if _is_hidden(path):
                return None
            encoding = self.encoding(path)
            return ((), frozenset()) if encoding is None else ((encoding,), frozenset())
        if kind == Kind.WHOLE:
            return (path, frozenset()) if not path or path == (self.encoding(path),) else None
        if kind == Kind.TAKE:
            return self.taken(key, path, excluded)
        if kind == Kind.PUT:
            return (_element(key), *path), excluded
        if kind == Kind.TEXT:
            return self.written(path)
        if kind == Kind.KEEP:
            return keep_key(key, path, excluded)
        if kind == Kind.SLICE:
            return self.sliced(key, path, excluded)
        take, put = self.moves[key]
        found: Tainted | None = (path, excluded)
        for each in take:
            if found is not None:
                found = self.taken(each, *found)
        return None if found is None else ((*map(_element, put), *found[0]), found[1])

    def written(self, path: Path) -> Tainted | None:
        """Text shows the elements of what it is made of; what it shows of an object's fields is the object's affair."""
        if _is_hidden(path):
            return None
        head = path[0] if path else OWN_KEYS
        named = isinstance(head, int) and head >= 0 and head not in self.encodings
        if named and not self.program.strings[head].isdigit():  # type: ignore[index]
            return None
        encoding = self.encoding(path)
        return ((), frozenset()) if encoding is None else ((encoding,), frozenset())

    def encoding(self, path: Path) -> int | None:
        """The encoding that hides what is tainted at ``path``, if there is one."""
        if not self.encodings:
            return None
        for key in path:
            if key in self.encodings:
                return key
        return None

    def taken(self, key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
        """As ``take_key``; a part of encoded text is encoded."""
        if key < 0 and path and path[0] == self.encoding(path):
            return path, excluded
        return take_key(key, path, excluded)

    def sliced(self, row: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
        """What of ``object[start:end]`` is tainted when ``path`` of the object is: its elements move to the left."""
        if not path:
            return (), frozenset()
        start, end = int(self.slices["start"][row]), int(self.slices["end"][row])
        start = 0 if start == OPEN else start
        head = path[0]
        if isinstance(head, frozenset):
            return (frozenset(), *path[1:]), excluded
        text = self.program.strings[head]
        if not text.isdigit():
            return path, excluded
        index = int(text)
        if 0 <= end < OPEN and index >= end:
            return None
        if start < 0 or start >= OPEN:
            return (frozenset(), *path[1:]), excluded
        return None if index < start else ((self.program.intern(str(index - start)), *path[1:]), excluded)

    def limits(self) -> list[tuple[str, int]]:
        if not self.full:
            return []
        what = f"an object has more than {MAX_PATHS} tainted paths; its fields were no longer told apart there"
        return [(what, len(self.full))]


Tainted = tuple[Path, frozenset[int]]  # a path, and the keys right below it that were overwritten since


def _element(key: int) -> int | frozenset[int]:
    return frozenset() if key == UNKNOWN_KEY else key


def _is_hidden(path: Path) -> bool:
    """Whether what is tainted is no part of the value: what a promise was rejected with, what a function captures."""
    return path[:1] == (REJECTED,) or any(isinstance(key, int) and key <= FIRST_KEY for key in path)


def _repeats(path: Path) -> bool:
    return any(path.count(key) > MAX_REPEATS for key in set(path))


def take_key(key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
    """What of ``object[key]`` is tainted when ``path`` of the object is.

    >>> take_key(1, (1, 2), frozenset()), take_key(3, (1, 2), frozenset()), take_key(1, (), frozenset({1}))
    (((2,), frozenset()), None, None)
    """
    if not path:
        # what has declared keys has declared parts
        return None if key in excluded or key <= REJECTED else ((), excluded & {OWN_KEYS} if excluded else excluded)
    head = path[0]
    if isinstance(head, frozenset):
        found = key >= UNKNOWN_KEY and key not in head
    else:
        found = key == head or (key == UNKNOWN_KEY and head >= 0)
    return (path[1:], excluded) if found else None


def keep_key(key: int, path: Path, excluded: frozenset[int]) -> Tainted | None:
    """What of ``path`` is still tainted after a store under ``key``; an unknown key overwrites nothing for sure."""
    if key < 0:
        return path, excluded
    if not path:
        return (), excluded if len(excluded) >= MAX_EXCLUDED else excluded | {key}
    head = path[0]
    if isinstance(head, frozenset):
        return (head | {key}, *path[1:]), excluded
    return None if head == key else (path, excluded)


def _accepts(sink: SinkRole, path: Path, excluded: frozenset[int]) -> bool:
    """Whether taint at ``path`` matters to a sink that looks at ``sink.keys`` of the value."""
    if _is_hidden(path):
        return False
    state = (path, excluded)
    for key in sink.keys:
        below = take_key(key, *state)
        if below is None:
            return False
        state = below
    return not (sink.exact and state[0])


# -- step 3: summaries
# -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Summaries:
    """Same-level flow through calls: (argument's node, result's node, site, mask, assumed)."""

    origin: Ints
    target: Ints
    site: Ints
    mask: npt.NDArray[np.int64]


def summarise(graph: FlowGraph, *, assumed: bool) -> Summaries:
    """Which results each argument reaches through the callee, and for which vulnerabilities.

    One monotone worklist over (node, formal): a fact is the mask of vulnerabilities for which the formal reaches the
    node inside its procedure.
    Recursion needs no special case. ``assumed``: whether assumed edges are followed.
    """
    intra: dict[int, list[tuple[int, int]]] = {}
    calls_of: dict[int, dict[int, list[tuple[int, int]]]] = {}  # formal -> site -> (argument, mask)
    returns_of: dict[int, list[tuple[int, int, int]]] = {}  # state at exit -> (site, target, mask)
    for u, v, m, c, s, a in zip(
        graph.origin.tolist(),
        graph.target.tolist(),
        graph.mask.tolist(),
        graph.context.tolist(),
        graph.site.tolist(),
        graph.assumed.tolist(),
        strict=True,
    ):
        if a and not assumed:
            continue
        if c == Context.INTRA:
            intra.setdefault(u, []).append((v, m))
        elif c == Context.CALL:
            calls_of.setdefault(v, {}).setdefault(s, []).append((u, m))
        elif c == Context.RETURN:
            returns_of.setdefault(u, []).append((s, v, m))
    facts: dict[int, dict[int, int]] = {}
    work: deque[tuple[int, int, int]] = deque()

    def reach(node: int, formal: int, mask: int) -> None:
        known = facts.setdefault(node, {})
        new = mask & ~known.get(formal, 0)
        if new:
            known[formal] = known.get(formal, 0) | new
            work.append((node, formal, new))

    found: dict[tuple[int, int, int], int] = {}
    for formal in calls_of:
        reach(formal, formal, -1)
    while work:
        node, formal, mask = work.popleft()
        for target, passing in intra.get(node, ()):
            if mask & passing:
                reach(target, formal, mask & passing)
        sites = calls_of[formal]
        for site, target, passing in returns_of.get(node, ()):
            for argument, entering in sites.get(site, ()):
                through = mask & passing & entering
                name = (argument, target, site)
                new = through & ~found.get(name, 0)
                if not new:
                    continue
                found[name] = found.get(name, 0) | new
                intra.setdefault(argument, []).append((target, new))
                for outer, arrived in tuple(facts.get(argument, {}).items()):
                    if arrived & new:
                        reach(target, outer, arrived & new)
    if not found:
        empty = np.empty(0, np.int32)
        return Summaries(empty, empty, empty, np.empty(0, np.int64))
    names = sorted(found)
    rows = np.array(names, np.int32)
    return Summaries(rows[:, 0], rows[:, 1], rows[:, 2], np.array([found[name] for name in names], np.int64))
