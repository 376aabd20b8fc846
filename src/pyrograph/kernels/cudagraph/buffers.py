"""Where does each buffer live: offsets in one arena, which buffers that never live together share.

Nodes of a CUDA graph wait for edges only, not for levels. So where two buffers share memory, the nodes that use the
first must be made to run before the first node that uses the second: ``reuse`` holds these edges. They lead from a
lower to a higher level, hence make no circle.

Placing is done thrice, each time differently, and the smallest arena wins: large buffers first; early buffers first;
and, where no more than two live at a time, one from the bottom and one from the top, which is then as small as can be.
The best arrangement in general is hard to find (dynamic storage allocation is NP-hard).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyrograph.kernels.cudagraph.liveness import Range
from pyrograph.kernels.cudagraph.program import Block, Program, Region, blocks, touched
from pyrograph.kernels.cudagraph.schedule import Edge, Order, last_users

ALIGNMENT = 256  # bytes; what the driver's own allocator gives

Apart = Callable[[str, str], bool]  # whether two buffers must not share memory


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the buffers of a program lie in its arena."""

    offsets: Mapping[str, int]  # bytes from the arena's start; external buffers have none
    size: int  # bytes of the arena
    reuse: Mapping[str, tuple[Edge, ...]]  # for each block, the edges that sharing needs
    shared: frozenset[tuple[str, str]]  # buffers or scratches that share memory, the earlier first


def place(
    program: Program,
    orders: Mapping[str, Order],
    ranges: Mapping[str, Mapping[str, Range]],
    sizes: Mapping[str, int],
    like: Placement | None = None,
) -> Placement:
    """Lay out the arena of a program.

    Args:
        sizes: Bytes of each buffer.
        like: An earlier placement whose edges are built already: only what shares memory there may share it again.
    """
    layouts: dict[str, tuple[dict[str, int], int]] = {}
    reuse: dict[str, tuple[Edge, ...]] = {}
    shared: set[tuple[str, str]] = set()
    for region, block in reversed(list(blocks(program))):  # inner blocks first
        level = orders[region].level_of()
        live = dict(ranges[region])
        need = {name: aligned(sizes[name]) for name in live}
        for node in block.nodes:
            if isinstance(node, Region) and layouts[node.name][1]:
                live[scratch(node.name)] = Range(level[node.name], level[node.name])
                need[scratch(node.name)] = layouts[node.name][1]
        apart = _apart(live, like)
        offsets, size = arrange(need, live, apart)
        layouts[region] = offsets, size
        pairs = _sharing(offsets, need, live)
        shared |= set(pairs)
        reuse[region] = tuple(sorted(_edges(block, pairs, level))) if like is None else like.reuse[region]
    final: dict[str, int] = {}
    base = {"": 0}
    for region, block in blocks(program):
        offsets, _ = layouts[region]
        for name, offset in offsets.items():
            final[name] = base[region] + offset
        for node in block.nodes:
            if isinstance(node, Region):
                base[node.name] = final.get(scratch(node.name), 0)
    _, total = layouts[""]
    return Placement({name: at for name, at in sorted(final.items())}, total, reuse, frozenset(shared))


def aligned(size: int) -> int:
    """A number of bytes rounded up to the alignment; nothing becomes something, so that every buffer has an address."""
    return max(-(-size // ALIGNMENT), 1) * ALIGNMENT


def scratch(region: str) -> str:
    """The name under which a region's own buffers are placed in the block around it."""
    return f"{region} (scratch)"


def arrange(need: Mapping[str, int], live: Mapping[str, Range], apart: Apart) -> tuple[dict[str, int], int]:
    """Offsets for sizes, such that what must be apart does not overlap; and the bytes used. O(n^2 log n)."""
    by_size = sorted(need, key=lambda name: (-need[name], live[name].first, name))
    by_time = sorted(need, key=lambda name: (live[name].first, -need[name], name))
    choices = [_fitted(by_size, need, apart), _fitted(by_time, need, apart)]
    two_ended = _from_both_ends(by_time, need, apart)
    if two_ended is not None:
        choices.append(two_ended)
    return min(((offsets, _end(offsets, need)) for offsets in choices), key=lambda choice: choice[1])


def _fitted(names: Sequence[str], need: Mapping[str, int], apart: Apart) -> dict[str, int]:
    """Each in turn at the lowest place that is free."""
    offsets: dict[str, int] = {}
    for name in names:
        taken = sorted((offsets[other], offsets[other] + need[other]) for other in offsets if apart(name, other))
        at = 0
        for begin, end in taken:
            if at + need[name] <= begin:
                break
            at = max(at, end)
        offsets[name] = at
    return offsets


def _from_both_ends(names: Sequence[str], need: Mapping[str, int], apart: Apart) -> dict[str, int] | None:
    """Two colours, one from the bottom and one from the top; None where two colours are not enough."""
    near = {name: [other for other in names if other != name and apart(name, other)] for name in names}
    colour: dict[str, int] = {}
    for start in names:
        waiting = [] if start in colour else [start]
        colour.setdefault(start, 0)
        while waiting:
            name = waiting.pop()
            for other in near[name]:
                if other not in colour:
                    colour[other] = 1 - colour[name]
                    waiting.append(other)
                elif colour[other] == colour[name]:
                    return None
    height = max((need[name] + max((need[other] for other in near[name]), default=0) for name in names), default=0)
    return {name: height - need[name] if colour[name] else 0 for name in names}


def _end(offsets: Mapping[str, int], need: Mapping[str, int]) -> int:
    return max((at + need[name] for name, at in offsets.items()), default=0)


def _apart(live: Mapping[str, Range], like: Placement | None) -> Apart:
    if like is None:
        return lambda one, other: live[one].overlaps(live[other])
    return lambda one, other: (one, other) not in like.shared and (other, one) not in like.shared


def _sharing(offsets: Mapping[str, int], need: Mapping[str, int], live: Mapping[str, Range]) -> list[tuple[str, str]]:
    """Pairs that overlap in memory, the one that lives first in front."""
    found = []
    names = sorted(offsets, key=lambda name: (live[name].first, name))
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            if offsets[one] < offsets[other] + need[other] and offsets[other] < offsets[one] + need[one]:
                found.append((one, other))
    return found


def _edges(block: Block, pairs: Sequence[tuple[str, str]], level: Mapping[str, int]) -> set[Edge]:
    """From the last users of the first of each pair to the first user of the second."""
    regions = {scratch(node.name): node.name for node in block.nodes if isinstance(node, Region)}

    def last(name: str) -> list[str]:
        return [regions[name]] if name in regions else last_users(block, name)

    def first(name: str) -> str:
        if name in regions:
            return regions[name]
        return min(_users(block, name), key=level.__getitem__)  # a write: nothing else can come first

    return {(user, first(second)) for one, second in pairs for user in last(one)}


def _users(block: Block, buffer: str) -> list[str]:
    return [node.name for node in block.nodes if buffer in touched(node).reads | touched(node).writes]
