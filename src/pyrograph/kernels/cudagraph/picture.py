"""A planned program for people: as text, and as a graph for Graphviz; levels, places in the arena, live ranges."""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.kernels.cudagraph.buffers import scratch
from pyrograph.kernels.cudagraph.planning import Plan
from pyrograph.kernels.cudagraph.program import (
    TOP,
    Block,
    Copy,
    Fill,
    For,
    If,
    Launch,
    Node,
    Region,
    While,
    blocks,
    buffers,
    touched,
)
from pyrograph.kernels.cudagraph.steps import grid_of


def to_text(plan: Plan) -> str:
    """Levels with their nodes, region by region, then every buffer with its place."""
    lines = [f"program {plan.program.name}: arena of {plan.placement.size:,} bytes"]
    lines += _levels(plan, TOP, plan.program.block, 1)
    lines.append("buffers")
    declared = buffers(plan.program)
    for region, block in blocks(plan.program):
        for name in (buffer.name for buffer in block.buffers):
            shape = "x".join(map(str, plan.shapes.get(name, ()))) or "?"
            text = f"  {name}: {declared[name].dtype} {shape}, {declared[name].lifetime}"
            live = plan.ranges[region].get(name)
            if live is not None:
                at = plan.placement.offsets[name]
                text += f", bytes {at:,}..{at + plan.nbytes(name):,}, levels {live.first}..{live.last}"
                text += f" of {region}" if region else ""
            lines.append(text)
    return "\n".join(lines) + "\n"


def to_dot(plan: Plan) -> str:
    """Nodes in boxes, regions as frames, one rank a level; dashed edges are there for shared memory alone."""
    lines = [f"digraph {_quoted(plan.program.name)} {{", "  compound=true; node [shape=box];"]
    lines += _frames(plan, TOP, plan.program.block, 1)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _levels(plan: Plan, region: str, block: Block, depth: int) -> Iterator[str]:
    nodes = {node.name: node for node in block.nodes}
    for number, level in enumerate(plan.orders[region].levels):
        yield "  " * depth + f"level {number}"
        for name in level:
            node = nodes[name]
            yield "  " * (depth + 1) + _described(plan, node)
            if isinstance(node, Region):
                yield from _levels(plan, name, node.body, depth + 2)


def _described(plan: Plan, node: Node) -> str:
    if isinstance(node, Launch):
        uses = touched(node)
        given = ", ".join(f"{name}={value}" for name, value in node.arguments.items())
        grid = grid_of(node, plan.shapes.__getitem__)
        written = ", ".join(sorted(uses.writes))
        return f"{node.name}: {node.kernel.name}[{grid}, {node.threads}]({given}) -> {written}"
    if isinstance(node, Copy):
        return f"{node.name}: {node.source} -> {node.target}"
    if isinstance(node, Fill):
        return f"{node.name}: {node.value} -> {node.target}"
    return f"{node.name}: {_header(node)}"


def _header(node: If | While | For) -> str:
    if isinstance(node, For):
        return f"{node.count} times, counted in {node.index}"
    return f"{'if' if isinstance(node, If) else 'while'} {node.condition}[0] != 0"


def _frames(plan: Plan, region: str, block: Block, depth: int) -> Iterator[str]:
    pad = "  " * depth
    scratches = plan.placement.offsets.get(scratch(region))
    for node in block.nodes:
        if isinstance(node, Region):
            note = "" if scratches is None else f"\\nscratch at {scratches:,}"
            yield f"{pad}subgraph {_quoted('cluster ' + node.name)} {{"
            yield f"{pad}  label={_quoted(node.name + ': ' + _header(node) + note)};"
            yield f"{pad}  {_quoted(node.name)} [shape=diamond];"
            yield from _frames(plan, node.name, node.body, depth + 1)
            yield f"{pad}}}"
        else:
            yield f"{pad}{_quoted(node.name)} [label={_quoted(_label(plan, node))}];"
    for level in plan.orders[region].levels:
        if len(level) > 1:
            yield f"{pad}{{ rank=same; {' '.join(_quoted(name) + ';' for name in level)} }}"
    for first, second in plan.orders[region].edges:
        yield f"{pad}{_quoted(first)} -> {_quoted(second)};"
    for first, second in sorted(set(plan.placement.reuse[region]) - set(plan.orders[region].edges)):
        yield f"{pad}{_quoted(first)} -> {_quoted(second)} [style=dashed];"


def _label(plan: Plan, node: Node) -> str:
    written = sorted(touched(node).writes)
    places = [f"{name} at {plan.placement.offsets[name]:,}" for name in written if name in plan.placement.offsets]
    return "\\n".join([node.name, *places])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'
