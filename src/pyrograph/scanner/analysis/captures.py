"""How what a function captures gets into it, and back, with calls and returns matched.

What a closure captures is a hidden parameter. Three ways, the nearest first:

* **Called where it was made** (callbacks of ``map`` and ``then``, executors, deferred and local functions): the
  captured variable is an argument of each of these calls, and what the closure leaves in it comes back from them. A
  closure that no known call runs is taken to be called where it was made.
* **Passed, returned or captured by others, and called there**: a function value is an object. It holds what it
  captures under a key of its own for each variable; the callee's side of a call takes it out again. So two closures
  that one function made for two callers stay apart, however far they travel.
* **Stored in an object, a class, a table**: calls are found by what such a place may hold, not by the way the data
  took, so the calling context is forgotten.

What a closure leaves in a variable comes back with the context forgotten as soon as one call stands elsewhere. A
variable that closures write is a cell of the function that has it: what goes in and out there goes with the calls of a
closure that is only called where it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND_BITS
from pyrograph.kernels.arrays import distinct
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, Resolution

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Callers:
    """Where functions that others make are called. Sites of those that nobody is seen to call are made up."""

    own: dict[int, list[int]]  # closure -> sites in the function that made it
    elsewhere: dict[int, list[tuple[int, int]]]  # closure -> (callee's value or NONE, site)
    free: int  # sites from here on are nobody's: closure + free stands for a call where it was made

    def matched(self, closure: int) -> Sequence[int]:
        """The sites of a closure that is called only where it was made; none for another."""
        if closure in self.elsewhere:
            return ()
        return self.own.get(closure, (self.free + closure,))


def callers(program: Program, resolution: Resolution) -> Callers:
    t = program.tables
    parent = t["functions"]["parent"].tolist()
    callee = t["calls"]["callee"]
    around = t["values"]["function"][t["calls"]["result"]].tolist()
    nested = (t["functions"]["parent"][t["functions"]["parent"]] != NONE) & (t["functions"]["parent"] != NONE)
    is_closure = nested.tolist()
    own: dict[int, list[int]] = {}
    elsewhere: dict[int, list[tuple[int, int]]] = {}
    backs = {(back.call, back.function) for back in resolution.callbacks if is_closure[back.function]}
    for site, closure in resolution.targets:
        if is_closure[closure] and (site, closure) not in backs:
            if around[site] == parent[closure]:
                own.setdefault(closure, []).append(site)
            else:
                elsewhere.setdefault(closure, []).append((int(callee[site]), site))
    for site, call, closure, value in resolution.callbacks:
        if is_closure[closure]:
            if around[call] == parent[closure]:
                own.setdefault(closure, []).append(site)
            else:
                elsewhere.setdefault(closure, []).append((value, site))
    return Callers(own, elsewhere, resolution.num_sites)


@dataclass(frozen=True, slots=True)
class Captures:
    """Rows of the table of captures by the way they take; a row may take several."""

    at_calls: Ints  # (n, 2): row, site; in with the call, out with the return
    held: Ints  # rows whose function value holds the variable
    taken: Ints  # (n, 3): row, callee's value, site
    forgotten: Ints  # rows that go in whatever the context
    leaving: Ints  # rows that come out whatever the context


def captures(program: Program, resolution: Resolution, known: Callers) -> Captures:
    """Sort the rows of the table."""
    stored = _stored(program, resolution, known.elsewhere)
    at_calls: list[tuple[int, int]] = []
    held: list[int] = []
    taken: list[tuple[int, int, int]] = []
    forgotten: list[int] = []
    leaving: list[int] = []
    for row, closure in enumerate(program.tables["captures"]["function"].tolist()):
        others = known.elsewhere.get(closure, ())
        if others and (closure in stored or any(value == NONE for value, _ in others)):
            forgotten.append(row)
            leaving.append(row)
            continue
        at_calls += [(row, site) for site in (known.own.get(closure, ()) if others else known.matched(closure))]
        if others:
            held.append(row)
            taken += [(row, value, site) for value, site in others]
            leaving.append(row)
    return Captures(
        np.array(at_calls, np.int32).reshape(-1, 2),
        np.array(held, np.int32),
        np.array(taken, np.int32).reshape(-1, 3),
        np.array(forgotten, np.int32),
        np.array(leaving, np.int32),
    )


def _stored(program: Program, resolution: Resolution, closures: Iterable[int]) -> set[int]:
    """Which of these functions lie in an object or a class somewhere."""
    wanted = {closure << KIND_BITS | FUNCTION for closure in closures}
    if not wanted:
        return set()
    stores, members = program.tables["stores"]["value"], program.tables["members"]["value"]
    held = np.concatenate([stores[stores >= 0], members[members >= 0]])
    states = resolution.states
    found: set[int] = set()
    for value in distinct(resolution.representative[held]).tolist():
        found |= wanted.intersection(states[value])
    return {state >> KIND_BITS for state in found}


def cells(
    program: Program, known: Callers, origin: Ints, target: Ints
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Ints]:
    """How data goes into and out of variables that closures write.

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
    """What a closure captures, by the representative of what it is inside."""
    rows = program.tables["captures"]
    pairs = zip(rows["inner"].tolist(), rows["outer"].tolist(), strict=True)
    return {reps[inner]: outer for inner, outer in pairs if reps[inner] != reps[outer]}
