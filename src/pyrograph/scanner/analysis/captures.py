"""Flow into captured variables of closures, and back out, with calls and returns matched.

A captured variable is a hidden parameter. Three cases, the most precise first:

* **Called where it was made** (callbacks of ``map`` and ``then``, executors, deferred and local functions): the
  captured variable is an argument of each of these calls, and its version at exit returns from them. A closure
  without a known call is assumed to be called where it was made.
* **Passed, returned or captured by others, and called there**: a function value is an object. It holds
  each captured variable under a key of its own; a call loads them from the callee's value. So two closures that one
  function made for two callers stay apart.
* **Stored in an object, a class, a table**: calls are found by points-to sets, not by the path of the
  data, so this flow is context-insensitive.

Flow out of a closure is context-insensitive as soon as one call of it is in another function. A variable that closures
write is a cell of the function that declares it; flow into and out of the cell is matched with calls only for closures
that are only called where they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.kernels.arrays import distinct
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, OBJECT, Resolution

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Callers:
    """Call sites of closures. Closures without a known call get a synthetic site."""

    local_sites: dict[int, list[int]]  # closure -> sites in the function that made it
    other_sites: dict[int, list[tuple[int, int]]]  # closure -> (callee's value or NONE, site)
    synthetic_site: int  # closure + this number: its synthetic site, in the function that made it

    def matched(self, closure: int) -> Sequence[int]:
        """The sites of a closure that is called only where it was made; none for another."""
        if closure in self.other_sites:
            return ()
        return self.local_sites.get(closure, (self.synthetic_site + closure,))


def callers(program: Program, resolution: Resolution) -> Callers:
    t = program.tables
    parent = t["functions"]["parent"].tolist()
    callee = t["calls"]["callee"]
    around = t["values"]["function"][t["calls"]["result"]].tolist()
    nested = (t["functions"]["parent"][t["functions"]["parent"]] != NONE) & (t["functions"]["parent"] != NONE)
    is_closure = nested.tolist()
    local_sites: dict[int, list[int]] = {}
    other_sites: dict[int, list[tuple[int, int]]] = {}
    backs = {(back.call, back.function) for back in resolution.callbacks if is_closure[back.function]}
    for site, closure in resolution.targets:
        if is_closure[closure] and (site, closure) not in backs:
            if around[site] == parent[closure]:
                local_sites.setdefault(closure, []).append(site)
            else:
                other_sites.setdefault(closure, []).append((int(callee[site]), site))
    for site, call, closure, value in resolution.callbacks:
        if is_closure[closure]:
            if around[call] == parent[closure]:
                local_sites.setdefault(closure, []).append(site)
            else:
                other_sites.setdefault(closure, []).append((value, site))
    return Callers(local_sites, other_sites, resolution.num_sites)


@dataclass(frozen=True, slots=True)
class Captures:
    """Rows of the table of captures by the kind of flow; a row may have several."""

    at_calls: Ints  # (n, 2): row, site; in with the call, out with the return
    stored_in_closure: Ints  # rows: the variable is stored in the function value
    loaded_at_call: Ints  # (n, 3): row, callee's value, site; the variable is loaded from the callee's value
    context_free_in: Ints  # rows: in, context-insensitive
    context_free_out: Ints  # rows: out, context-insensitive


def captures(program: Program, resolution: Resolution, known: Callers) -> Captures:
    """Sort the rows of the table."""
    stored = _stored(program, resolution, known.other_sites)
    at_calls: list[tuple[int, int]] = []
    stored_in_closure: list[int] = []
    loaded_at_call: list[tuple[int, int, int]] = []
    context_free_in: list[int] = []
    context_free_out: list[int] = []
    for row, closure in enumerate(program.tables["captures"]["function"].tolist()):
        others = known.other_sites.get(closure, ())
        if others and (closure in stored or any(value == NONE for value, _ in others)):
            context_free_in.append(row)
            context_free_out.append(row)
            continue
        at_calls += [(row, site) for site in (known.local_sites.get(closure, ()) if others else known.matched(closure))]
        if others:
            stored_in_closure.append(row)
            loaded_at_call += [(row, value, site) for value, site in others]
            context_free_out.append(row)
    return Captures(
        np.array(at_calls, np.int32).reshape(-1, 2),
        np.array(stored_in_closure, np.int32),
        np.array(loaded_at_call, np.int32).reshape(-1, 3),
        np.array(context_free_in, np.int32),
        np.array(context_free_out, np.int32),
    )


def _stored(program: Program, resolution: Resolution, closures: Iterable[int]) -> set[int]:
    """Which of these functions an object or a class may hold, or a collection that lies in one."""
    wanted = {pack_state(FUNCTION, closure) for closure in closures}
    if not wanted:
        return set()
    stores, members = program.tables["stores"]["value"], program.tables["members"]["value"]
    held = np.concatenate([stores[stores >= 0], members[members >= 0]])
    states = resolution.states
    found: set[int] = set()
    collections: set[int] = set()
    for value in distinct(resolution.representative[held]).tolist():
        found |= wanted.intersection(states[value])
        collections.update(state for state in states[value] if state & KIND == OBJECT)
    for (state, _), cell in resolution.cells.items():
        if state in collections:
            found |= wanted.intersection(states[cell])
    return {state >> KIND_BITS for state in found}


def cells(
    program: Program, known: Callers, origin: Ints, target: Ints
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Ints]:
    """Flow into and out of variables that closures write.

    Returns:
        Which of the edges (origin, target) are into or out of a closure that is only called where the variable is,
        one row for each such call; whether it goes in; and the call's site.
    """
    t = program.tables
    op, function = t["values"]["op"], t["values"]["function"]
    enters = op[origin] == Op.CELL
    crossing = (enters != (op[target] == Op.CELL)) & (function[origin] != function[target])
    closure = np.where(enters, function[target], function[origin])
    outer = np.where(enters, function[origin], function[target])
    rows = np.flatnonzero(crossing & (t["functions"]["parent"][closure] == outer))
    found = [
        (row, site)
        for row, each in zip(rows.tolist(), closure[rows].tolist(), strict=True)
        for site in known.matched(each)
    ]
    pairs = np.array(found, np.int64).reshape(-1, 2)
    return pairs[:, 0], enters[pairs[:, 0]].astype(np.int64), pairs[:, 1].astype(np.int32)


def captured_as(program: Program, reps: Sequence[int]) -> dict[int, int]:
    """The outer value of each captured variable, by the representative of the inner one."""
    rows = program.tables["captures"]
    pairs = zip(rows["inner"].tolist(), rows["outer"].tolist(), strict=True)
    return {reps[inner]: outer for inner, outer in pairs if reps[inner] != reps[outer]}
