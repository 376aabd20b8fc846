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

What a closure leaves in a variable comes back with the context forgotten as soon as one call stands elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.ir.unit import NONE
from pyrograph.scanner.link import Program
from pyrograph.scanner.resolve.resolution import FUNCTION, Resolution

Ints = npt.NDArray[np.int32]

FIRST_KEY = -4  # of what a function value holds: FIRST_KEY - row in captures; above are hidden keys of objects


@dataclass(frozen=True, slots=True)
class Captures:
    """Rows of the table of captures by the way they take; a row may take several."""

    at_calls: Ints  # (n, 2): row, site; in with the call, out with the return
    held: Ints  # rows whose function value holds the variable
    taken: Ints  # (n, 3): row, callee's value, site
    forgotten: Ints  # rows that go in whatever the context
    leaving: Ints  # rows that come out whatever the context


def captures(program: Program, resolution: Resolution, num_sites: int) -> Captures:
    """Sort the rows. Sites from ``num_sites`` on are free: closures that nobody calls get one each."""
    t = program.tables
    function = t["captures"]["function"]
    empty = np.empty(0, np.int32)
    if not len(function):
        return Captures(empty.reshape(0, 2), empty, empty.reshape(0, 3), empty, empty)
    closures = np.unique(function)
    is_closure = np.zeros(len(t["functions"]["value"]), bool)
    is_closure[closures] = True
    parent = t["functions"]["parent"]
    callee, result = t["calls"]["callee"], t["calls"]["result"]
    around = t["values"]["function"]
    own: dict[int, list[int]] = {}  # closure -> sites in the function that made it
    elsewhere: dict[int, list[tuple[int, int]]] = {}  # closure -> (callee's value, site)
    backs = {(back.call, back.function) for back in resolution.callbacks}
    for each in resolution.targets:
        if is_closure[each.function] and each not in backs:
            if around[result[each.site]] == parent[each.function]:
                own.setdefault(each.function, []).append(each.site)
            else:
                elsewhere.setdefault(each.function, []).append((int(callee[each.site]), each.site))
    for site, call, closure, value in resolution.callbacks:
        if is_closure[closure]:
            if around[result[call]] == parent[closure]:
                own.setdefault(closure, []).append(site)
            else:
                elsewhere.setdefault(closure, []).append((value, site))
    stored = _stored(program, resolution) if elsewhere else set()
    at_calls: list[tuple[int, int]] = []
    held: list[int] = []
    taken: list[tuple[int, int, int]] = []
    forgotten: list[int] = []
    leaving: list[int] = []
    for row, closure in enumerate(function.tolist()):
        sites = own.get(closure, ())
        others = elsewhere.get(closure, ())
        if others and (closure in stored or any(value == NONE for value, _ in others)):
            forgotten.append(row)
            leaving.append(row)
            continue
        at_calls += [(row, site) for site in sites]
        if others:
            held.append(row)
            taken += [(row, value, site) for value, site in others]
            leaving.append(row)
        elif not sites:
            at_calls.append((row, num_sites + closure))
    return Captures(
        np.array(at_calls, np.int32).reshape(-1, 2),
        np.array(held, np.int32),
        np.array(taken, np.int32).reshape(-1, 3),
        np.array(forgotten, np.int32),
        np.array(leaving, np.int32),
    )


def _stored(program: Program, resolution: Resolution) -> set[int]:
    """Which functions lie in an object or a class somewhere."""
    stores, members = program.tables["stores"]["value"], program.tables["members"]["value"]
    held = np.concatenate([stores[stores >= 0], members[members >= 0]])
    found: set[int] = set()
    for value in np.unique(resolution.representative[held]).tolist():
        for state in resolution.states.get(value, ()):
            if state & 7 == FUNCTION:
                found.add(state >> 3)
    return found
