"""Summary edges as one program of ``cudagraph``: which results of a call each argument reaches through the callee.

A row is a (node, formal) pair of one procedure; its word says for which vulnerabilities the formal reaches the node.
Rows are ragged: a node has as many as its procedure has formals, so that they take the space of what can be true.
Every call with a return of the same site is a *candidate*; it becomes a summary edge, bit by bit, as its formal
reaches its exit, and then carries what has reached the argument, also what comes later. Recursion is no special case.

A level is two kernels. The first settles what has arrived; the second offers it to edges and candidates, and may rely
on every row being settled: a candidate that grows takes along all that its argument holds, and a row that grows
meets every candidate that grew in an earlier level, so nothing is lost between the two.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.arrays import Numbers, Words
from pyrograph.kernels.levels import kernels
from pyrograph.kernels.levels import parameters as k
from pyrograph.kernels.levels.programs import MAX_BLOCKS
from pyrograph.kernels.levels.runs import Runner, run_default


class Edges(NamedTuple):
    """Edges within procedures; parallel arrays."""

    origin: Numbers
    target: Numbers
    mask: Words  # the bits that pass


class Sites(NamedTuple):
    """Call edges (argument to formal) or return edges (exit to result), each with the number of its call."""

    origin: Numbers
    target: Numbers
    site: Numbers
    mask: Words


class Prepared(NamedTuple):
    """Inputs of the program, and the ends of its candidates."""

    inputs: dict[str, npt.NDArray[Any]]
    origin: npt.NDArray[np.intp]  # (c,) argument of each candidate
    target: npt.NDArray[np.intp]
    site: npt.NDArray[np.intp]


def summaries(procedure: Numbers, edges: Edges, calls: Sites, returns: Sites, *, run: Runner = run_default) -> Sites:
    """The summary edges of a program, by (origin, target, site); those with an empty mask are left out.

    Args:
        procedure: (n,) the procedure of each node; ``edges`` never leave one.

    Raises:
        LimitError: The rows do not fit the device.

    Time: each bit of each row once over the edges of its node. Space: 28 bytes a row, 32 a candidate.
    """
    made = prepare(procedure, edges, calls, returns)
    if not len(made.origin):
        none = np.empty(0, np.intp)
        return Sites(none, none, none, np.empty(0, np.uint64))
    read, _ = run(summarising(), made.inputs, {"found": len(made.origin)})
    found = read("found", len(made.origin))
    some = np.flatnonzero(found)
    order = some[np.lexsort((made.site[some], made.target[some], made.origin[some]))]
    names = np.stack([made.origin[order], made.target[order], made.site[order]])
    first = np.flatnonzero(np.any(np.diff(names, prepend=-1), axis=0))
    mask = np.bitwise_or.reduceat(found[order], first) if len(first) else found[:0]
    return Sites(names[0, first], names[1, first], names[2, first], mask)


def prepare(procedure: Numbers, edges: Edges, calls: Sites, returns: Sites) -> Prepared:
    """Number the rows, join calls with returns, and group edges and candidates by the nodes they begin at."""
    n = len(procedure)
    home = procedure.astype(np.intp)
    formals = np.unique(calls.target).astype(np.intp)
    by_home = formals[np.argsort(home[formals], kind="stable")]
    count = np.bincount(home[by_home], minlength=int(home.max(initial=-1)) + 1)
    number = np.zeros(n, np.int32)  # of each formal within its procedure
    number[by_home] = np.arange(len(by_home)) - (np.cumsum(count) - count)[home[by_home]]
    width = count[home]
    base = np.zeros(n + 1, np.int64)
    np.cumsum(width, out=base[1:])

    call, back = _joined(
        home[calls.target.astype(np.intp)], calls.site, home[returns.origin.astype(np.intp)], returns.site
    )
    order = np.argsort(calls.origin[call], kind="stable")
    call, back = call[order], back[order]
    origin, exit_node = calls.origin[call].astype(np.intp), returns.origin[back].astype(np.intp)
    by_exit = np.argsort(exit_node, kind="stable")
    near = np.argsort(edges.origin, kind="stable")
    target = returns.target[back].astype(np.intp)
    inputs: dict[str, npt.NDArray[Any]] = {
        "base": base,
        "row_node": np.repeat(np.arange(n, dtype=np.uint32), width),
        "seeds": base[by_home] + number[by_home],
        "offsets": _offsets(edges.origin, n),
        "targets": _some(edges.target[near].astype(np.uint32)),
        "masks": _some(edges.mask[near].astype(np.uint64)),
        "leaving": _offsets(origin, n),
        "through": target.astype(np.uint32),
        "argument": origin.astype(np.uint32),
        "ending": _offsets(exit_node, n),
        "at_exit": by_exit.astype(np.uint32),
        "formal": number[calls.target[call].astype(np.intp)],
        "allowed": (calls.mask[call] & returns.mask[back]).astype(np.uint64),
    }
    return Prepared(inputs, origin, target, calls.site[call].astype(np.intp))


def _joined(
    call_home: Numbers, call_site: Numbers, back_home: Numbers, back_site: Numbers
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Every (call, return) of one site whose formal and exit belong to one procedure."""
    homes = int(max(call_home.max(initial=0), back_home.max(initial=0))) + 1
    call_key = call_site.astype(np.int64) * homes + call_home
    back_key = back_site.astype(np.int64) * homes + back_home
    order = np.argsort(back_key, kind="stable")
    first = np.searchsorted(back_key[order], call_key, "left")
    count = np.searchsorted(back_key[order], call_key, "right") - first
    call = np.repeat(np.arange(len(call_key)), count)
    step = np.arange(len(call)) - np.repeat(np.cumsum(count) - count, count)
    return call, order[np.repeat(first, count) + step]


def _offsets(nodes: Numbers, n: int) -> npt.NDArray[np.int64]:
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(nodes.astype(np.intp), minlength=n), out=offsets[1:])
    return offsets


def _some(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array if len(array) else np.zeros(1, array.dtype)


@cache
def summarising() -> cg.Program:
    """The program of ``summaries``."""
    build = cg.Builder("summaries")
    for name, kind, shape in (
        ("base", k.I8, "[n + 1]"), ("row_node", k.U4, "[r]"), ("seeds", k.I8, "[s]"),
        ("offsets", k.I8, "[n + 1]"), ("targets", k.U4, "[m]"), ("masks", k.U8, "[m]"),
        ("leaving", k.I8, "[n + 1]"), ("through", k.U4, "[c]"), ("argument", k.U4, "[c]"), ("ending", k.I8, "[n + 1]"),
        ("at_exit", k.U4, "[c]"), ("formal", k.I4, "[c]"), ("allowed", k.U8, "[c]"), ("found", k.U8, "[c]"),
    ):  # fmt: skip
        build.external(name, kind, shape)
    known, arriving = build.buffer("known", k.U8, "[r]"), build.buffer("arriving", k.U8, "[2, r]")
    queues, fresh = build.buffer("queues", k.U4, "[2, r]"), build.buffer("fresh", k.U8, "[r]")
    control = build.buffer("control", k.I4, f"[{k.FIELDS}]")
    state: dict[str, Any] = {"arriving": arriving, "queues": queues, "control": control}
    whole: dict[str, Any] = {"blocks": cg.Cover("row_node", MAX_BLOCKS), "threads": k.THREADS}
    build.fill("found")
    build.fill(known)
    build.fill(arriving)
    build.fill(control)
    build.launch(kernels.START_FORMALS, seeds="seeds", **state, **{**whole, "blocks": cg.Cover("seeds", MAX_BLOCKS)})
    build.launch(kernels.TURN, control=control)
    graph = ("base", "row_node", "offsets", "targets", "masks", "leaving", "through", "argument", "ending", "at_exit")
    given: dict[str, Any] = {name: name for name in (*graph, "formal", "allowed", "found")}
    with build.loop(control, name="levels"):
        build.launch(kernels.SETTLE, known=known, fresh=fresh, **state, **whole)
        build.launch(kernels.OFFER, known=known, fresh=fresh, **given, **state, **whole)
    return build.program()
