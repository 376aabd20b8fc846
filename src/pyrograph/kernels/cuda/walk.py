"""The search itself, on the device: a source walks its graph level by level, by one block or by several.

A node's *record* is four 32-bit words. Up to four successors stand in the record itself, so that nearly every node of
a program costs one read of 16 bytes; a node with more says where its edges begin and how many they are. A successor's
word carries two flags: whether it is reported when reached, and whether anything leaves it.

A level's frontier is a queue of nodes. Those of even levels grow from the start of a block's slab, those of odd levels
from its end: together they hold every node at most once, so ``n`` slots are enough and the part in use stays small.

All threads of a warp walk together: their new nodes enter the queue behind one atomic operation for the whole warp.

The device functions stand beside the kernels because Numba's disk cache looks at the time of this file alone.
"""

# Numba reads what follows as it stands: module constants are constants there.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from pyrograph.kernels.cuda.device import SIMULATED, WARP, cuda, inlined, kernel

SINK = np.uint32(1 << 31)  # flag of a successor: it is reported
ON = np.uint32(1 << 30)  # flag of a successor: something leaves it
NODE = np.uint32((1 << 30) - 1)
NONE = np.uint32(0xFFFFFFFF)  # no successor stands here
ELSEWHERE = np.uint32(0xFFFFFFFE)  # in the last place of a record: its first word is an edge, its second how many
MAX_NODES = (1 << 30) - 2
MAX_EDGES = 1 << 32
INLINE = 4  # successors that a record holds

WIDE = np.uint32(1024)  # successors from which on all threads walk a node's edges, instead of one warp
SLOTS = 240  # noted nodes of a level, those with more successors than a record holds
WIDE_SLOTS = 16  # noted nodes of a level with ``WIDE`` successors or more; what finds no room is walked by one thread
NOTES = SLOTS + WIDE_SLOTS

# The counters of a block or gang. Each kind has three, taken in turn by the levels.
PUSHED = np.uint32(0)  # nodes of the next level
NOTED = np.uint32(3)  # noted nodes
WIDES = np.uint32(6)  # noted nodes of ``WIDE`` successors or more
COUNTERS = 9
ARRIVED = 9  # of a gang: how often its blocks have arrived at a barrier
TAKEN = 10  # of a gang: the source it is at
STATE = 32  # words of state: one cache line, so that gangs do not disturb each other


# ---- what Numba has no words for, each with a twin for the simulator, which has no warps and no machine code

if SIMULATED:

    @inlined
    def _shared(array):
        """Where an array in shared memory begins."""
        return array

    @inlined
    def _global(array):
        """Where an array in global memory begins."""
        return array

    @inlined
    def _record(record, node):
        """The four words of a node's record."""
        first = 4 * int(node)
        return record[first], record[first + 1], record[first + 2], record[first + 3]

    @inlined
    def _visit_shared(visited, a, b, c, d):
        """Visit four successors in a bitmap in shared memory: those that are new, 0 for others and for ``NONE``."""
        return _visit(visited, a), _visit(visited, b), _visit(visited, c), _visit(visited, d)

    @inlined
    def _visit_global(visited, a, b, c, d):
        """As ``_visit_shared``, in a bitmap in global memory that other blocks change too."""
        return _visit(visited, a), _visit(visited, b), _visit(visited, c), _visit(visited, d)

    @inlined
    def _visit(visited, word):
        place, bit = int(word & NODE) >> 5, np.uint32(1 << int(word & np.uint32(31)))
        if word == NONE or cuda.atomic.or_(visited, place, bit) & bit != 0:
            return np.uint32(0)
        return word

    @inlined
    def _push_shared(tail, turn, queue, origin, step, a, b, c, d):
        """Put those of four nodes that go on at the end of the queue, behind ``tail[turn]`` others.

        The queue begins at ``origin`` and goes up or down with ``step``. Every thread of the warp must come along.
        """
        for word in (a, b, c, d):
            if word & ON:
                at = int(cuda.atomic.add(tail, turn, np.uint32(1)))
                queue[int(origin) + (at if step == 1 else -at)] = word & NODE

    @inlined
    def _push_global(tail, turn, queue, origin, step, a, b, c, d):
        """As ``_push_shared``, with the counters in global memory."""
        _push_shared(tail, turn, queue, origin, step, a, b, c, d)

    @inlined
    def _fresh(array, i):
        """An element as other blocks left it."""
        return array[i]

else:
    from llvmlite import ir
    from numba.cuda import types as _types
    from numba.cuda.extending import intrinsic

    types: Any = _types  # has no type information

    _I32 = ir.IntType(32)
    _I64 = ir.IntType(64)
    _FOUR = ir.LiteralStructType([_I32] * 4)
    _U32 = types.uint32
    _U64 = types.uint64

    def _start(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        """Where an array begins, as a number, in the address space that takes in all."""
        return builder.ptrtoint(context.make_array(kind)(context, builder, value=array).data, _I64)

    def _four(context: Any, builder: Any, sig: Any, found: Any) -> Any:
        return context.make_tuple(builder, sig.return_type, [builder.extract_value(found, i) for i in range(4)])

    def _packed(code: str) -> str:
        return "{ " + " ".join(code.split()) + " }"

    @intrinsic
    def _shared(typingctx: Any, array: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            code = _packed(".reg .u64 at; cvta.to.shared.u64 at, $1; cvt.u32.u64 $0, at;")
            asm = ir.InlineAsm(ir.FunctionType(_I32, [_I64]), code, "=r,l")
            return builder.call(asm, [_start(context, builder, array, args[0])])

        return _U32(array), codegen

    @intrinsic
    def _global(typingctx: Any, array: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _start(context, builder, array, args[0])

        return _U64(array), codegen

    @intrinsic
    def _record(typingctx: Any, record: Any, node: Any) -> Any:
        # One read of 16 bytes, through the cache for what no kernel writes.
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            code = _packed("""
                .reg .u64 at; cvt.u64.u32 at, $5; shl.b64 at, at, 4; add.u64 at, at, $4;
                ld.global.nc.v4.u32 {$0, $1, $2, $3}, [at];
            """)
            asm = ir.InlineAsm(ir.FunctionType(_FOUR, [_I64, _I32]), code, "=r,=r,=r,=r,l,r")
            return _four(context, builder, sig, builder.call(asm, [_start(context, builder, record, args[0]), args[1]]))

        return types.UniTuple(_U32, 4)(record, _U32), codegen

    def _visitor(base: Any, *steps: str) -> Any:
        """Code that visits four words; a step is done for all four before the next, so that memory accesses overlap.

        ``$W`` is the word, ``$K`` its number, ``$8`` where the bitmap begins.
        """
        kind, letter = (_I32, "r") if base is _U32 else (_I64, "l")
        code = ".reg .u32 place;"
        for k in range(4):
            code += f".reg .pred p{k}; .reg .u32 bit{k}, old{k}; .reg .u{kind.width} at{k};"
        for step in steps:
            for k in range(4):
                code += step.replace("$W", f"${4 + k}").replace("$K", str(k))
        code = _packed(code)

        @intrinsic
        def visit(typingctx: Any, visited: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                form = "=&r,=&r,=&r,=&r,r,r,r,r," + letter + ",~{memory}"
                asm = ir.InlineAsm(ir.FunctionType(_FOUR, [_I32] * 4 + [kind]), code, form, side_effect=True)
                return _four(context, builder, sig, builder.call(asm, [*args[1:], args[0]]))

            return types.UniTuple(_U32, 4)(base, _U32, _U32, _U32, _U32), codegen

        return visit

    _BIT = """
        setp.ne.u32 p$K, $W, 0xFFFFFFFF;
        and.b32 bit$K, $W, 31; shl.b32 bit$K, 1, bit$K;
        shr.u32 place, $W, 3; and.b32 place, place, 0x07FFFFFC;
    """
    _NEW = "and.b32 old$K, old$K, bit$K; setp.eq.and.u32 p$K, old$K, 0, p$K; selp.b32 $$K, $W, 0, p$K;"
    _visit_shared = _visitor(
        _U32,
        _BIT + "add.u32 at$K, place, $8;",
        "@p$K atom.shared.or.b32 old$K, [at$K], bit$K;",
        _NEW,
    )
    _visit_global = _visitor(
        _U64,
        _BIT + "cvt.u64.u32 at$K, place; add.u64 at$K, at$K, $8;",
        "@p$K ld.global.cg.u32 old$K, [at$K];",
        "and.b32 old$K, old$K, bit$K; setp.eq.and.u32 p$K, old$K, 0, p$K;",
        "@p$K atom.global.or.b32 old$K, [at$K], bit$K;",
        _NEW,
    )

    def _pusher(base: Any, space: str) -> Any:
        """Code that writes nodes behind a counter; one atomic operation of the warp's last thread serves all.

        The last thread adds 0 to the counter's address and others would add more: the assembler, which would serve
        threads that add to one address by a sum over the warp, thereby learns that this has been done.
        """
        kind, letter = (_I32, "r") if base is _U32 else (_I64, "l")
        code = f"""
            .reg .pred p0, p1, p2, p3, last; .reg .u32 mask, upto, sum, all, place; .reg .u64 at;
            .reg .u{kind.width} where;
            mov.u32 upto, %lanemask_le;
            mov.u32 all, 0;
        """
        for k in range(4):
            code += f"and.b32 mask, ${5 + k}, 0x40000000; setp.ne.u32 p{k}, mask, 0;"
        for k in range(4):
            code += f"vote.sync.ballot.b32 mask, p{k}, 0xFFFFFFFF; and.b32 mask, mask, upto; popc.b32 sum, mask;"
            code += "add.u32 all, all, sum;"
        code += f"""
            setp.eq.u32 last, upto, 0xFFFFFFFF;
            {"mad.lo.u32" if base is _U32 else "mad.wide.u32"} where, $1, 4, $0;
            not.b32 mask, upto;
            {"" if base is _U32 else "cvt.u64.u32 at, mask;"}
            add.u{kind.width} where, where, {"mask" if base is _U32 else "at"};
            @last atom.{space}.add.u32 place, [where], all;
            shfl.sync.idx.b32 place, place, 31, 31, 0xFFFFFFFF;
            add.u32 place, place, all;
            mad.lo.u32 place, place, $4, $3;
        """
        for k in (3, 2, 1, 0):
            code += f"""
                @p{k} sub.u32 place, place, $4; and.b32 mask, ${5 + k}, 0x3FFFFFFF;
                cvt.u64.u32 at, place; shl.b64 at, at, 2; add.u64 at, at, $2; @p{k} st.global.u32 [at], mask;
            """
        code = _packed(code)

        @intrinsic
        def push(
            typingctx: Any, tail: Any, turn: Any, queue: Any, origin: Any, step: Any, a: Any, b: Any, c: Any, d: Any
        ) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
                form = letter + ",r,l,r,r,r,r,r,r,~{memory}"
                function = ir.FunctionType(ir.VoidType(), [kind, _I32, _I64] + [_I32] * 6)
                builder.call(ir.InlineAsm(function, code, form, side_effect=True), args, attrs=("convergent",))
                return context.get_dummy_value()

            return types.void(base, _U32, _U64, _U32, _U32, _U32, _U32, _U32, _U32), codegen

        return push

    _push_shared = _pusher(_U32, "shared")
    _push_global = _pusher(_U64, "global")

    @inlined
    def _fresh(array, i):
        return cuda.ldcg(array, i)


# ---- building records


@kernel()
def encode(offsets, targets, report, record, column):
    """Pack a graph in CSR form into records, and flag the successors in ``column``; (4 n,) and (m,) uint32."""
    n = np.uint64(offsets.size - 1)
    node = np.uint64(cuda.grid(1))
    while node < n:
        begin = offsets[node]
        count = np.uint32(offsets[node + np.uint64(1)] - begin)
        place = node * np.uint64(4)
        for k in range(INLINE):
            record[place + np.uint64(k)] = NONE
        for k in range(count):
            at = np.uint64(begin) + np.uint64(k)
            word = targets[at]
            there = np.uint64(word)
            if report[there]:
                word |= SINK
            if offsets[there + np.uint64(1)] != offsets[there]:
                word |= ON
            column[at] = word
            if count <= np.uint32(INLINE):
                record[place + np.uint64(k)] = word
        if count > np.uint32(INLINE):
            record[place] = begin
            record[place + np.uint64(1)] = count
            record[place + np.uint64(3)] = ELSEWHERE
        node += np.uint64(cuda.gridsize(1))


@kernel()
def number(reported, count, rank):
    """``rank[reported[i]] = i``."""
    for i in range(cuda.grid(1), count, cuda.gridsize(1)):
        rank[reported[i]] = i


# ---- one level, for a block or a gang of blocks


@inlined
def _plain(array, i):
    """An element that this block wrote."""
    return array[i]


@inlined
def _report(word, depth_of, rank, depth):
    """Note the depth of a new node, plus one, if it is reported."""
    if word & SINK != 0:
        depth_of[rank[word & NODE]] = np.uint32(depth + np.uint32(1))


@inlined
def _level(
    visit, push, get, bits, tails, slab, column, record, rank, queue, depth_of, depth, turn, width, counters, noted,
    thread, threads,
):  # fmt: skip
    """Visit the successors of one level's nodes; nodes with more than a record holds are only noted.

    Args:
        visit, push, get: How this kernel visits successors, adds nodes to a queue, and reads what it wrote.
        bits, tails, slab: Where the bitmap, ``counters`` and ``queue`` begin.
        depth: Of the successors; ``turn`` is the depth modulo 3 and says which counters count them.
        noted: (NOTES,) edges of noted nodes; the last are for nodes of ``WIDE`` successors or more.
    """
    one = np.uint32(1)
    inside = np.uint32(thread & np.uint32(WARP - 1))
    front, ahead, back, behind = _sides(queue, depth)
    i = np.uint32(thread)
    while np.uint32(i - inside) < width:
        a = NONE
        b = NONE
        c = NONE
        d = NONE
        if i < width:
            a, b, c, d = _record(record, get(queue, np.uint32(front + ahead * i)))
        if d == ELSEWHERE:
            entry = (np.uint64(b) << np.uint64(32)) | np.uint64(a)
            many = b
            a = NONE
            b = NONE
            d = NONE
            if many >= WIDE:
                slot = np.uint32(cuda.atomic.add(counters, WIDES + turn, one))
                if slot < WIDE_SLOTS:
                    noted[np.uint32(SLOTS + slot)] = entry
                    many = np.uint32(0)
            if many > 0:
                slot = np.uint32(cuda.atomic.add(counters, NOTED + turn, one))
                if slot < SLOTS:
                    noted[slot] = entry
                    many = np.uint32(0)
            k = np.uint32(0)
            while k < many:  # there is no room to note it
                word = column[np.uint64(np.uint32(entry)) + np.uint64(k)]
                word, _, _, _ = visit(bits, word, NONE, NONE, NONE)
                _report(word, depth_of, rank, depth)
                if word & ON != 0:
                    at = np.uint32(cuda.atomic.add(counters, PUSHED + turn, one))
                    queue[np.uint32(back + behind * at)] = word & NODE
                k = np.uint32(k + one)
        a, b, c, d = visit(bits, a, b, c, d)
        if (a | b | c | d) & SINK != 0:
            _report(a, depth_of, rank, depth)
            _report(b, depth_of, rank, depth)
            _report(c, depth_of, rank, depth)
            _report(d, depth_of, rank, depth)
        push(tails, turn, slab, back, behind, a, b, c, d)
        i = np.uint32(i + threads)


@inlined
def _rest(
    visit, push, get, bits, tails, slab, column, rank, queue, depth_of, depth, turn, counters, noted, thread, threads
):  # fmt: skip
    """Visit the successors of noted nodes: a warp for each node, or all threads for each wide one.

    Returns:
        Whether there were any.
    """
    none = np.uint32(0)
    inside = np.uint32(thread & np.uint32(WARP - 1))
    _, _, back, behind = _sides(queue, depth)
    warps = np.uint32(threads // np.uint32(WARP))
    some = min(np.uint32(get(counters, NOTED + turn)), np.uint32(SLOTS))
    end = np.uint32(SLOTS + min(np.uint32(get(counters, WIDES + turn)), np.uint32(WIDE_SLOTS)))
    if some == 0 and end == SLOTS:
        return False
    slot = np.uint32(thread // np.uint32(WARP))
    if slot >= some:
        slot = np.uint32(SLOTS)  # from here on every warp takes every node
    while slot < end:
        entry = get(noted, slot)
        begin = np.uint64(np.uint32(entry))
        many = np.uint32(entry >> np.uint64(32))
        i = inside if slot < SLOTS else np.uint32(thread)
        while np.uint32(i - inside) < many:
            word = NONE
            if i < many:
                word = column[begin + np.uint64(i)]
            word, _, _, _ = visit(bits, word, NONE, NONE, NONE)
            _report(word, depth_of, rank, depth)
            push(tails, turn, slab, back, behind, word, none, none, none)
            i = np.uint32(i + (np.uint32(WARP) if slot < SLOTS else threads))
        if slot >= SLOTS:
            slot = np.uint32(slot + np.uint32(1))
        else:
            slot = np.uint32(slot + warps)
            if slot >= some:
                slot = np.uint32(SLOTS)
    return True


@inlined
def _sides(queue, depth):
    """Where the level before ``depth`` begins in its slab and in which direction it goes, and the same of ``depth``.

    Even levels stand at the start of the slab, odd ones at its end.
    """
    end = np.uint32(queue.size - 1)
    up = np.uint32(1)
    if depth & up != 0:
        return np.uint32(0), up, end, NONE
    return end, NONE, np.uint32(0), up


@inlined
def _reset(counters, turn):
    """Set the counters of the next level to zero: nobody has read them since two barriers ago."""
    counters[PUSHED + turn] = 0
    counters[NOTED + turn] = 0
    counters[WIDES + turn] = 0


@kernel(registers=40)
def by_block(record, column, rank, sources, taken, queues, depths, words, max_depth):
    """Search from every source; a block takes one at a time.

    Args:
        record, column: A graph, from ``encode``.
        rank: (n,) which column of ``depths`` a reported node has.
        sources: (s,) uint32 nodes; flag SINK: the source itself is reported at depth 0.
        taken: (1,) how many sources were taken; 0 at first.
        queues: (blocks, n) scratch.
        depths: (s, reported nodes) zeros; a reached node's depth plus one is written here.
        words: Words of the bitmap, which is the dynamic shared memory.
    """
    visited = cuda.shared.array(0, numba.uint32)
    counters = cuda.shared.array(COUNTERS, numba.uint32)
    noted = cuda.shared.array(NOTES, numba.uint64)
    control = cuda.shared.array(1, numba.uint32)
    thread = np.uint32(cuda.threadIdx.x)
    threads = np.uint32(cuda.blockDim.x)
    queue = queues[cuda.blockIdx.x]
    bits = _shared(visited)
    tails = _shared(counters)
    slab = _global(queue)
    one = np.uint32(1)
    turn = np.uint32(0)  # goes on from source to source: the counters of the next turn are zero and nobody reads them
    if thread == 0:
        _reset(counters, turn)
    while True:
        if thread == 0:
            control[0] = cuda.atomic.add(taken, 0, one)
        cuda.syncthreads()
        lane = control[0]
        if lane >= sources.size:
            return
        i = thread
        while i < words:
            visited[i] = 0
            i = np.uint32(i + threads)
        cuda.syncthreads()
        depth_of = depths[lane]
        if thread == 0:
            start = sources[lane]
            _report(start, depth_of, rank, np.uint32(0))
            visited[(start & NODE) >> np.uint32(5)] = one << (start & np.uint32(31))
            queue[0] = start & NODE
        cuda.syncthreads()
        width = one
        depth = np.uint32(0)
        while width > 0 and depth < max_depth:
            depth = np.uint32(depth + one)
            after = np.uint32(turn + one) if turn < 2 else np.uint32(0)
            if thread == 0:
                _reset(counters, after)
            _level(
                _visit_shared, _push_shared, _plain, bits, tails, slab, column, record, rank, queue, depth_of, depth,
                turn, width, counters, noted, thread, threads,
            )  # fmt: skip
            cuda.syncthreads()
            more = _rest(
                _visit_shared, _push_shared, _plain, bits, tails, slab, column, rank, queue, depth_of, depth, turn,
                counters, noted, thread, threads,
            )  # fmt: skip
            if more:
                cuda.syncthreads()
            width = counters[PUSHED + turn]
            turn = after


# ---- a gang of blocks per source, the bitmap in global memory


@inlined
def _meet(state, size, arrivals):
    """Wait until all blocks of a gang are here; what they wrote is seen then.

    Args:
        arrivals: How many have arrived at the barriers before.

    Returns:
        How many have arrived now.
    """
    arrivals = np.uint32(arrivals + size)
    cuda.syncthreads()
    if size > 1:
        if cuda.threadIdx.x == 0:
            cuda.threadfence()
            cuda.atomic.add(state, ARRIVED, np.uint32(1))
            # Counters wrap around: compare their distance.
            while np.int32(np.uint32(cuda.atomic.add(state, ARRIVED, np.uint32(0)) - arrivals)) < 0:
                pass
            cuda.threadfence()
        cuda.syncthreads()
    return arrivals


@kernel(bounds=(512, 3))
def by_gang(record, column, rank, sources, taken, queues, bitmaps, states, lists, depths, size, max_depth):
    """As ``by_block``; ``size`` blocks in a row work on a source together.

    Args:
        queues: (gangs, n) scratch.
        bitmaps: (gangs, words) scratch.
        states: (gangs, STATE) zeros.
        lists: (gangs, NOTES) scratch.
    """
    gang = np.uint32(cuda.blockIdx.x // size)
    member = np.uint32(cuda.blockIdx.x % size)
    queue = queues[gang]
    visited = bitmaps[gang]
    noted = lists[gang]
    state = states[gang]
    bits = _global(visited)
    tails = _global(state)
    slab = _global(queue)
    thread = np.uint32(member * np.uint32(cuda.blockDim.x) + np.uint32(cuda.threadIdx.x))
    threads = np.uint32(size * np.uint32(cuda.blockDim.x))
    arrivals = np.uint32(0)
    one = np.uint32(1)
    turn = np.uint32(0)  # as in ``by_block``
    while True:
        if thread == 0:
            state[TAKEN] = cuda.atomic.add(taken, 0, one)
        i = thread
        while i < visited.size:
            visited[i] = 0
            i = np.uint32(i + threads)
        arrivals = _meet(state, size, arrivals)
        lane = _fresh(state, TAKEN)
        if lane >= sources.size:
            return
        depth_of = depths[lane]
        if thread == 0:
            start = sources[lane]
            _report(start, depth_of, rank, np.uint32(0))
            visited[(start & NODE) >> np.uint32(5)] = one << (start & np.uint32(31))
            queue[0] = start & NODE
        arrivals = _meet(state, size, arrivals)
        width = one
        depth = np.uint32(0)
        while width > 0 and depth < max_depth:
            depth = np.uint32(depth + one)
            after = np.uint32(turn + one) if turn < 2 else np.uint32(0)
            if thread == 0:
                _reset(state, after)
            _level(
                _visit_global, _push_global, _fresh, bits, tails, slab, column, record, rank, queue, depth_of, depth,
                turn, width, state, noted, thread, threads,
            )  # fmt: skip
            arrivals = _meet(state, size, arrivals)
            more = _rest(
                _visit_global, _push_global, _fresh, bits, tails, slab, column, rank, queue, depth_of, depth, turn,
                state, noted, thread, threads,
            )  # fmt: skip
            if more:
                arrivals = _meet(state, size, arrivals)
            width = _fresh(state, PUSHED + turn)
            turn = after


# ---- the specification's own algorithm


@kernel()
def by_thread(offsets, targets, report, rank, sources, queues, bitmaps, depths, max_depth):
    """One thread per source, with a queue and a row of the source-major bitmap of its own.

    What the others are measured against. Its queue holds every node, so that nothing is dropped.

    Args:
        offsets, targets: A graph in CSR form, uint32.
        report: (n,) whether a node is reported.
        queues: (s, n) scratch.
        bitmaps: (s, words) zeros.
        depths: As for ``by_block``.
    """
    lane = cuda.grid(1)
    if lane >= sources.size:
        return
    one = np.uint32(1)
    queue = queues[lane]
    visited = bitmaps[lane]
    depth_of = depths[lane]
    start = sources[lane]
    if start & SINK != 0:
        depth_of[rank[start & NODE]] = one
    start &= NODE
    visited[start >> np.uint32(5)] = one << (start & np.uint32(31))
    queue[0] = start
    head = np.uint32(0)
    tail = one
    last = one
    depth = np.uint32(1)
    while head < tail and depth <= max_depth:
        node = np.uint64(queue[head])
        head = np.uint32(head + one)
        for edge in range(offsets[node], offsets[node + np.uint64(1)]):
            target = targets[edge]
            place = target >> np.uint32(5)
            bit = np.uint32(one << (target & np.uint32(31)))
            if visited[place] & bit == 0:
                cuda.atomic.or_(visited, place, bit)
                queue[tail] = target
                tail = np.uint32(tail + one)
                if report[target]:
                    depth_of[rank[target]] = np.uint32(depth + one)
        if head == last:
            last = tail
            depth = np.uint32(depth + one)
