"""Where the values of some functions are used: the edges of the flow graph by the value that they leave.

An index of the whole program would take longer than the few questions that are asked: the rows of the chosen functions
alone are put together.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import POST_OP

MADE: Final = 0  # the target is made of the value, or is a version of it
TAKEN: Final = 1  # something else holds it from now on: an object, a closure, a function that is called, a name

Rows = npt.NDArray[np.int32]  # of ``flows_of_packs``


class Use(NamedTuple):
    """One use of a value."""

    kind: int  # MADE or TAKEN
    target: int  # where the data goes
    at: int  # a value that stands where the use does; NONE: it is not known where that is
    call: int = NONE  # of which it is an argument


class ValueUses:
    """The uses that lead to a value of the chop, by value; others end on no sink.

    Time linear in the rows of the tables for the selection, and in the rows of the functions for the index.
    """

    def __init__(self, facts: Facts, functions: npt.NDArray[np.bool_], stated: Rows) -> None:
        """``functions``: (functions,) those whose values are asked about; ``stated``: ``flows_of_packs``."""
        self.facts = facts
        self.inside = functions[facts.function_of]  # (values,)
        self.uses: dict[int, list[Use]] = {}
        t, resolution = facts.tables, facts.resolution
        copies = rows_of(resolution.flows.copy_edges, 2)
        flows, loads, slices, stores, pis = (t[name] for name in ("flows", "loads", "slices", "stores", "pis"))
        carries, captures, arguments = t["carries"], t["captures"], t["arguments"]
        for origin, target in (
            (flows["origin"], flows["target"]),
            (loads["object"], loads["result"]),
            (slices["object"], slices["result"]),
            (pis["input"], pis["value"]),
            (carries["initial"], carries["value"]),
            (carries["fed"], carries["value"]),
            (arguments["value"], arguments["post"]),
            (copies[:, 0], copies[:, 1]),
        ):
            self._add(MADE, origin, target, target)
        computed = stores["key"] < UNKNOWN_KEY
        self._add(TAKEN, stores["value"], stores["result"], stores["result"])
        self._add(
            TAKEN, FIRST_VALUE_KEY - stores["key"][computed], stores["result"][computed], stores["result"][computed]
        )
        # an object that is stored into is no text
        self._add(TAKEN, stores["object"], stores["result"], stores["result"])
        made = t["functions"]["value"]
        self._add(TAKEN, captures["outer"], captures["inner"], made[captures["function"]])
        nowhere = np.full(1, NONE, np.int32)
        for rows, before, after in (
            (rows_of(resolution.flows.context_free_edges, 2), 0, 1),
            (rows_of([row[:2] for row in resolution.flows.moves], 2), 0, 1),
            (rows_of(resolution.flows.kills, 3), 0, 1),
            (resolution.rows("returns"), 1, 2),
            (rows_of(resolution.flows.loads, 3), 1, 0),
        ):
            self._add(TAKEN, rows[:, before], rows[:, after], np.broadcast_to(nowhere, len(rows)))
        results = t["calls"]["result"]
        self._add_calls(arguments["value"], results[arguments["call"]], arguments["call"])
        bindings = resolution.rows("bindings")
        own = bindings[:, 0] < len(results)  # else a library calls it
        sites = np.where(own, bindings[:, 0], 0)
        at = np.where(own, results[sites], NONE) if len(results) else np.full(len(bindings), NONE)
        self._add(TAKEN, bindings[:, 1], bindings[:, 2], at)
        for rows in (rows_of(resolution.flows.element_returns, 4), rows_of(resolution.fields, 4)):
            self._add(TAKEN, rows[:, 1], rows[:, 2], rows[:, 2])
        for row in self._chosen(stated[:, 0], stated[:, 1]):
            given, result = int(stated[row, 0]), int(stated[row, 1])
            is_other = facts.op[result] == POST_OP and facts.arg_value[facts.data[result]] != given
            self.uses.setdefault(given, []).append(Use(TAKEN if is_other else MADE, result, result))

    def of(self, value: int) -> list[Use]:
        """The uses of one version."""
        return self.uses.get(value, [])

    def _chosen(self, origin: npt.NDArray[np.int32], target: npt.NDArray[np.int32]) -> list[int]:
        rows = np.flatnonzero(self.inside[origin])
        known = (origin[rows] >= 0) & (target[rows] >= 0) & self.facts.labels.chop[target[rows]]
        found: list[int] = rows[known].tolist()
        return found

    def _add(
        self, kind: int, origin: npt.NDArray[np.int32], target: npt.NDArray[np.int32], at: npt.NDArray[np.int32]
    ) -> None:
        for row in self._chosen(origin, target):
            use = Use(kind, int(target[row]), int(at[row]))
            self.uses.setdefault(int(origin[row]), []).append(use)

    def _add_calls(
        self, origin: npt.NDArray[np.int32], target: npt.NDArray[np.int32], calls: npt.NDArray[np.int32]
    ) -> None:
        """What calls of unknown functions return may be made of their arguments; what others return is."""
        chosen = self._chosen(origin, target)
        known = are_known(self.facts, calls[chosen])
        for row, is_known in zip(chosen, known, strict=True):
            if not is_known:
                use = Use(MADE, int(target[row]), int(target[row]), int(calls[row]))
                self.uses.setdefault(int(origin[row]), []).append(use)


def are_known(facts: Facts, calls: npt.NDArray[np.int32]) -> list[bool]:
    """Of each call, whether packs or the call graph say where its arguments go."""
    targets = facts.resolution.rows("targets")[:, 0]
    found: list[bool] = (among(calls, facts.labels.modelled) | among(calls, set(targets.tolist()))).tolist()
    return found


def flows_of_packs(facts: Facts) -> Rows:
    """(n, 2) Origin and target of each flow that packs state."""
    flows = facts.labels.flows
    return np.fromiter((each for flow in flows for each in flow[:2]), np.int32, 2 * len(flows)).reshape(-1, 2)
