"""A breadth-first search with a queue of its own for each source, given up where it reaches too much.

Nothing is shared and nothing is cleared: a node is stamped with the number of the search that reached it. Memory per
thread: 8 bytes a node, of which only those reached are touched.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Block, Index, Numbers
from pyrograph.kernels.compiled import compiled, grown, in_groups

Queue = npt.NDArray[np.int32]
Walked = tuple[Numbers, Numbers, Numbers, Index]  # lane, node, depth; lanes that were given up


def walks(
    offsets: Index,
    targets: Queue,
    report: npt.NDArray[np.bool_],
    sources: Index,
    lanes: Index,
    max_depth: int,
    much: int,
) -> Generator[Block, None, Index]:
    """As ``vectorised.search`` for some lanes; returns lanes that reach ``much`` nodes or more, without hits of theirs.

    Time O(edges of the nodes reached), at most those of ``much`` nodes for a lane that is given up.
    """
    num_nodes = len(offsets) - 1

    def scratch() -> tuple[Queue, Queue]:
        return np.zeros(num_nodes, np.int32), np.empty(num_nodes, np.int32)

    def answer(first: int, last: int, mine: tuple[Queue, Queue]) -> Walked:
        return _walk(offsets, targets, report, sources, lanes[first:last], max_depth, much, *mine)

    given_up = [lanes[:0]]
    for lane, node, depth, left in in_groups(answer, scratch, len(lanes), len(targets)):
        given_up.append(left)
        yield Block(lane, node, depth, np.ones(len(lane), np.uint64))
    return np.concatenate(given_up)


@compiled
def _walk(
    offsets: Index,
    targets: Queue,
    report: npt.NDArray[np.bool_],
    sources: Index,
    lanes: Index,
    max_depth: int,
    much: int,
    stamp: Queue,
    queue: Queue,
) -> Walked:
    """The lanes one after the other. A stamp is the lane's number plus 1: there are fewer than 2**31 unique sources."""
    capacity = 1024
    out_lane = np.empty(capacity, np.uint32)
    out_node = np.empty(capacity, np.uint32)
    out_depth = np.empty(capacity, np.uint32)
    given_up = np.empty(lanes.size, np.int64)
    count = 0
    num_given_up = 0
    for lane in lanes:
        mine = lane + 1
        before = count
        stamp[sources[lane]] = mine
        queue[0] = sources[lane]
        begin = 0
        tail = 1
        depth = 0
        while begin < tail < much and depth < max_depth:
            depth += 1
            end = tail
            for place in range(begin, end):
                node = queue[place]
                for edge in range(offsets[node], offsets[node + 1]):
                    target = targets[edge]
                    if stamp[target] != mine:
                        stamp[target] = mine
                        queue[tail] = target
                        tail += 1
            begin = end
            if count + tail - begin > capacity:
                capacity = 2 * (count + tail - begin)
                out_lane = grown(out_lane, count, capacity)
                out_node = grown(out_node, count, capacity)
                out_depth = grown(out_depth, count, capacity)
            for place in range(begin, tail):
                if report[queue[place]]:
                    out_lane[count] = lane
                    out_node[count] = queue[place]
                    out_depth[count] = depth
                    count += 1
        if tail >= much:
            given_up[num_given_up] = lane
            num_given_up += 1
            count = before
    return (
        out_lane[:count].copy(),
        out_node[:count].copy(),
        out_depth[:count].copy(),
        given_up[:num_given_up].copy(),
    )
