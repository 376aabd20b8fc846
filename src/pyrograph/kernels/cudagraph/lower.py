"""Region outputs: a fill of zeros before each region that is the first to write a buffer.

A body that never runs would leave such a buffer undefined. External buffers are the caller's and stay as they are; the
buffers of a region's own block are out of sight.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pyrograph.kernels.cudagraph.program import Block, Fill, For, Node, Program, Region, buffers, touched


def lower(program: Program) -> Program:
    """The program with its zero fills written out; a second time it changes nothing."""
    external = {name for name, buffer in buffers(program).items() if buffer.lifetime == "external"}
    return replace(program, block=_block(program.block, external))


def outputs(region: Region, written: Set[str]) -> list[str]:
    """Buffers that a region writes and nobody wrote before, by name; the index of a For is the loop's own affair."""
    own = {region.index} if isinstance(region, For) else set()
    return sorted(touched(region).writes - written - own)


def _block(block: Block, written: Set[str]) -> Block:
    known = set(written)
    nodes: list[Node] = []
    for node in block.nodes:
        if isinstance(node, Region):
            for name in outputs(node, known):
                nodes.append(Fill(f"zero {name} for {node.name}", name, 0, node.after))
                known.add(name)
            known |= touched(node).writes
            node = replace(node, body=_block(node.body, known))
        nodes.append(node)
        known |= touched(node).writes
    return Block(block.buffers, tuple(nodes))
