"""Exact depths of many sources at once: a row of small integers per node, relaxed in a good order.

Words of bits (``numba``) share a visit among sources only where they arrive at a node in the same level, which on the
long thin graphs of programs two or three of 64 do. A row holds, for each of up to 512 sources, how *near* the node
is: ``top - depth``, and 0 where it is not reached. Then one visit serves all sources, whatever their levels: for every
edge u -> v, ``row[v] = max(row[v], row[u] - 1)``, not below 0, sixty-four sources to an instruction.

Nodes are numbered in reverse postorder and visited in ascending order, those whose row has changed since; what changes
behind the current node waits for the next sweep. Without cycles one sweep visits every node once. The flat graphs of
bench/graph_cpu.py, half of which is one cycle, take 8 to 15 sweeps and 4 to 8 visits a node, where 256 single searches
take 256. Whatever the order, the answer is the only fixpoint.

Rows are of bytes where no path is longer than 254, which is seen when they are done; else of 16 bits, for half as many
sources. Memory per thread: 64 to 512 bytes a node. Rows cost what 256 sources reach together, so they pay where these
reach the same nodes; ``multicore.search`` decides.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import core, types
from numba.extending import intrinsic

from pyrograph.kernels.arrays import Block, Index, Numbers
from pyrograph.kernels.compiled import compiled, in_threads
from pyrograph.kernels.machine import memory, threads

cgutils: Any = core.cgutils  # it has no type information
Rows = npt.NDArray[np.unsignedinteger]  # (n, lanes) of uint8 or uint16
Found = tuple[Numbers, Numbers, Numbers]  # lane, node, depth
Order = tuple[Index, Numbers, Numbers]  # offsets and targets of the renumbered graph; old node to new

PIECE = 64  # bytes of a row that are relaxed together, and what rows are aligned to
PIECES = 4  # of a row at most while all rows may stay in the cache: wider ones leave it sooner than they save visits
CACHE = 64 << 20  # bytes of rows beyond which they do not, and twice as wide ones cost a fifth less
ROWS_BYTES = 8 << 30  # of the rows of all threads; at most a quarter of the memory
DEEPEST_BYTE = 254  # the longest path that a byte can hold, and two
DEEPEST = 65_534


def fits(num_nodes: int) -> bool:
    """Whether the narrowest rows of a graph fit, for one thread."""
    return num_nodes * PIECE <= _room()


def _room() -> int:
    return min(ROWS_BYTES, memory() // 4)


def search(
    offsets: Index,
    targets: Numbers,
    report: npt.NDArray[np.bool_],
    sources: Index,
    lanes: Index,
    max_depth: int,
) -> Generator[Block, None, Index]:
    """As ``vectorised.search`` for some lanes; returns lanes with paths of more than ``DEEPEST`` edges, without hits.

    Time O(n + m) to renumber, then about 15 ns (rows in the cache) to 30 ns per edge and visit, for 256 sources.
    """
    num_nodes = len(offsets) - 1
    new_offsets, new_targets, rank = _renumbered(offsets, targets)
    reported = np.flatnonzero(report)
    start = rank[sources]
    order = lanes[np.argsort(start[lanes], kind="stable")]  # near sources reach the same nodes
    narrow = PIECE * max(num_nodes, 1)  # bytes of the narrowest rows
    workers = max(1, min(threads(), _room() // narrow))
    most = PIECES if narrow * PIECES <= CACHE else 2 * PIECES
    pieces = max(1, min(most, _room() // (narrow * workers), -(-len(order) // (PIECE * workers))))
    width = pieces * PIECE
    batches = [np.sort(order[first : first + width]) for first in range(0, len(order), width)]
    workers = min(workers, len(batches))
    idle = [_Scratch(num_nodes, pieces) for _ in range(workers)]
    bytes_do = True  # until a batch has shown otherwise

    def in_bytes(batch: Index, mine: _Scratch) -> Found | None:
        return mine.run(mine.bytes, new_offsets, new_targets, rank, reported, start, batch, max_depth, DEEPEST_BYTE)

    def answer(batch: Index) -> tuple[list[Found], list[Index]]:
        nonlocal bytes_do
        mine = idle.pop()
        try:
            if bytes_do:
                found = in_bytes(batch, mine)
                if found is not None:
                    return [found], []
                bytes_do = False
            answers, left = [], []
            for half in (batch[: width // 2], batch[width // 2 :]):
                found = mine.run(mine.pairs, new_offsets, new_targets, rank, reported, start, half, max_depth, DEEPEST)
                if found is None:
                    left.append(half)
                else:
                    answers.append(found)
            return answers, left
        finally:
            idle.append(mine)

    too_deep: list[Index] = [order[:0]]
    for answers, left in in_threads(answer, batches, workers):
        too_deep += left
        for lane, node, depth in answers:
            yield Block(lane, node, depth, np.ones(len(lane), np.uint64))
    return np.concatenate(too_deep)


class _Scratch:
    """The rows of one thread, all 0 between batches."""

    def __init__(self, num_nodes: int, pieces: int) -> None:
        size = num_nodes * pieces * PIECE
        room = np.zeros(size + PIECE, np.uint8)  # what is never touched is never fetched
        first = -room.ctypes.data % PIECE
        self.bytes = room[first : first + size].reshape(num_nodes, pieces * PIECE)
        self.pairs = room[first : first + size].view(np.uint16).reshape(num_nodes, pieces * PIECE // 2)
        self.changed = np.zeros(-(-num_nodes // 8) + 1, np.uint64)  # a byte per node

    def run(
        self,
        rows: Rows,
        offsets: Index,
        targets: Numbers,
        rank: Numbers,
        reported: Index,
        start: Numbers,
        batch: Index,
        max_depth: int,
        deepest: int,
    ) -> Found | None:
        """One batch of sources; None if some path may be longer than rows of this width can hold."""
        top = min(max_depth, deepest) + 1
        _relax_all(offsets, targets, rows, self.changed.view(np.uint8), self.changed, start[batch], top)
        found: Found = _collect(rows, rank, reported, batch, top)
        at_the_end = _clear(rows)
        return None if at_the_end and max_depth > deepest else found


def _vector(rows: Any) -> tuple[Any, Any, int]:
    """The vector type that holds ``PIECE`` bytes of a row, one 1 in each place, and how many places."""
    bits = rows.dtype.bitwidth
    count = PIECE * 8 // bits
    kind = ir.VectorType(ir.IntType(bits), count)
    return kind, ir.Constant(kind, [1] * count), count


def _relax(typing: Any, rows: Any, current: Any, target: Any) -> Any:
    """``row[target] = max(row[target], row[current] - 1)``, not below 0; whether anything changed."""
    kind, one, count = _vector(rows)
    size = ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        base = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        here, there = (builder.gep(base, [builder.mul(node, stride)]) for node in arguments[1:])
        minus = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(kind, [kind, kind]),
            f"llvm.usub.sat.v{count}i{kind.element.width}",
        )
        changed = cgutils.alloca_once_value(builder, cgutils.false_bit)
        with cgutils.for_range(builder, builder.udiv(stride, size(PIECE))) as loop:
            at = [builder.mul(loop.index, size(PIECE))]
            from_piece = builder.bitcast(builder.gep(here, at), kind.as_pointer())
            to_piece = builder.bitcast(builder.gep(there, at), kind.as_pointer())
            known = builder.load(to_piece, align=PIECE)
            arriving = builder.call(minus, [builder.load(from_piece, align=PIECE), one])
            nearer = builder.icmp_unsigned(">", arriving, known)
            some = builder.icmp_unsigned("!=", builder.bitcast(nearer, ir.IntType(count)), ir.IntType(count)(0))
            with builder.if_then(some):
                builder.store(builder.select(nearer, arriving, known), to_piece, align=PIECE)
                builder.store(cgutils.true_bit, changed)
        return builder.load(changed)

    return types.boolean(rows, types.int64, types.int64), generate


def _zero_row(typing: Any, rows: Any, node: Any) -> Any:
    """Set a row to 0; whether some place was 1."""
    kind, one, count = _vector(rows)
    size = ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        stride = builder.extract_value(array.strides, 0)
        base = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        row = builder.gep(base, [builder.mul(arguments[1], stride)])
        seen = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(count), 0))
        with cgutils.for_range(builder, builder.udiv(stride, size(PIECE))) as loop:
            piece = builder.bitcast(builder.gep(row, [builder.mul(loop.index, size(PIECE))]), kind.as_pointer())
            same = builder.icmp_unsigned("==", builder.load(piece, align=PIECE), one)
            builder.store(builder.or_(builder.load(seen), builder.bitcast(same, ir.IntType(count))), seen)
            builder.store(ir.Constant(kind, None), piece, align=PIECE)
        return builder.icmp_unsigned("!=", builder.load(seen), ir.IntType(count)(0))

    return types.boolean(rows, types.int64), generate


relax: Any = intrinsic(_relax)
zero_row: Any = intrinsic(_zero_row)


@compiled
def _relax_all(
    offsets: Index,
    targets: Numbers,
    rows: Rows,
    changed: npt.NDArray[np.uint8],
    eight: npt.NDArray[np.uint64],
    starts: Numbers,
    top: int,
) -> None:
    """Rows of 0 to their fixpoint; ``changed`` is 0 on entry and on exit, ``eight`` is the same memory."""
    num_nodes = offsets.size - 1
    first = num_nodes
    last = -1
    for lane in range(starts.size):
        node = int(starts[lane])
        rows[node, lane] = top
        changed[node] = 1
        first = min(first, node)
        last = max(last, node)
    while first <= last:
        node = first
        end = last
        first = num_nodes
        last = -1
        while node <= end:
            if node & 7 == 0:
                while node <= end and eight[node >> 3] == np.uint64(0):
                    node += 8
                if node > end:
                    break
            if changed[node] != 0:
                changed[node] = 0
                for edge in range(offsets[node], offsets[node + 1]):
                    target = int(targets[edge])
                    if relax(rows, node, target):
                        changed[target] = 1
                        if target > node:
                            end = max(end, target)
                        else:
                            first = min(first, target)
                            last = max(last, target)
            node += 1


@compiled
def _clear(rows: Rows) -> bool:
    """Set all rows to 0; whether some node was as far away as rows of this width can hold."""
    at_the_end = False
    for node in range(rows.shape[0]):
        at_the_end |= zero_row(rows, node)
    return at_the_end


@compiled
def _collect(rows: Rows, rank: Numbers, reported: Index, lanes: Index, top: int) -> Found:
    """(lane, node, depth) of every reported node at depth 1 or more, in the order of ``lanes``, then ``reported``."""
    begin = np.zeros(lanes.size + 1, np.int64)
    for i in range(reported.size):
        row = rows[rank[reported[i]]]
        for lane in range(lanes.size):
            near = np.int64(row[lane])
            begin[lane + 1] += np.int64((near != 0) & (near != top))
    for lane in range(lanes.size):
        begin[lane + 1] += begin[lane]
    count = begin[-1]
    out_lane = np.empty(count, np.uint32)
    out_node = np.empty(count, np.uint32)
    out_depth = np.empty(count, np.uint32)
    for i in range(reported.size):
        row = rows[rank[reported[i]]]
        for lane in range(lanes.size):
            near = np.int64(row[lane])
            if (near != 0) & (near != top):
                place = begin[lane]
                begin[lane] += 1
                out_lane[place] = lanes[lane]
                out_node[place] = reported[i]
                out_depth[place] = top - near
    return out_lane, out_node, out_depth


@compiled
def _renumbered(offsets: Index, targets: Numbers) -> Order:
    """The graph in reverse postorder of a depth-first walk: numbers ascend along every edge that closes no cycle."""
    num_nodes = offsets.size - 1
    rank = np.full(num_nodes, -1, np.int32)
    order = np.empty(num_nodes, np.int32)
    stack = np.empty(num_nodes, np.int32)
    edge_of = np.empty(num_nodes, np.int64)  # the next edge of each node on the stack
    free = num_nodes
    for root in range(num_nodes):
        if rank[root] != -1:
            continue
        rank[root] = -2
        stack[0] = root
        edge_of[0] = offsets[root]
        height = 1
        while height > 0:
            node = np.int64(stack[height - 1])
            edge = edge_of[height - 1]
            if edge < offsets[node + 1]:
                edge_of[height - 1] = edge + 1
                target = np.int64(targets[edge])
                if rank[target] == -1:
                    rank[target] = -2
                    stack[height] = target
                    edge_of[height] = offsets[target]
                    height += 1
            else:
                height -= 1
                free -= 1
                rank[node] = free
                order[free] = node
    new_offsets = np.empty(num_nodes + 1, np.int64)
    new_targets = np.empty(targets.size, np.int32)
    new_offsets[0] = 0
    count = 0
    for place in range(num_nodes):
        node = np.int64(order[place])
        for edge in range(offsets[node], offsets[node + 1]):
            new_targets[count] = rank[targets[edge]]
            count += 1
        new_offsets[place + 1] = count
    return new_offsets, new_targets, rank
