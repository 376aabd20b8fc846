"""The promises of an assembled graph: nodes of values, edges whose ends fit their context."""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import FIRST_CAPTURE_KEY
from pyrograph.ir.schema import columns_of
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.schema import MASKS, NODES, Edge
from pyrograph.scanner.analysis.verify.rows import Rows


def flow_graph(linked: Program, found: Resolution, roles: Labels, flow: FlowGraph) -> list[str]:
    """The broken promises of an assembled graph."""
    rows = Rows()
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


def _cell_functions(linked: Program, flow: FlowGraph, rows: Rows) -> None:
    """An edge inside of a function stays in it."""
    function = linked.tables["values"]["function"]
    value = np.array(flow.value, np.int64)
    outside = function[value[flow.origin]] != function[value[flow.target]]
    inside = (flow.context == Context.INTRA) & outside & ~flow.assumed
    rows.hold("edges", "target", flow.target, inside, "in another function, though the edge enters and leaves none")


def _members(kind: type[Context] | type[Kind]) -> list[int]:
    return [int(member) for member in kind.__members__.values()]
