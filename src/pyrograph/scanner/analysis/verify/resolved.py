"""The promises of a resolution: points-to sets, call edges, bindings and returns."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_ALIKE
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
)
from pyrograph.scanner.analysis.schema import APIS, NODES, RESOLUTION, SITES
from pyrograph.scanner.analysis.verify.rows import Rows, counts_of

Longs = npt.NDArray[np.int64]


def resolution(linked: Program, found: Resolution, apis: Mapping[str, Apis] | None = None) -> list[str]:
    """The broken promises of a resolution; ``apis`` as ``resolve`` was given them."""
    return _Resolved(linked, found, apis or {}).broken()


class _Resolved:
    def __init__(self, linked: Program, found: Resolution, apis: Mapping[str, Apis]) -> None:
        self.program = linked
        self.found = found
        self.apis = apis
        self.rows = Rows()
        self.n = linked.num_values
        self.num_calls = len(linked.tables["calls"]["result"])
        self.num_functions = len(linked.tables["functions"]["result"])
        self.num_nodes = max((len(each.paths) for each in apis.values()), default=1 << 31)

    def broken(self) -> list[str]:
        self._tries()
        self._values()
        self._ranges()
        if not self.rows.broken:
            self._calls()
            self._states()
        return self.rows.broken

    def _tries(self) -> None:
        """No two languages have a node in common: sets of nodes, and of states, hold those of all languages."""
        numbers = {id(each.paths) for each in self.apis.values()}
        self.rows.say(len(numbers) < 2, "apis: languages number their nodes by themselves")

    def _values(self) -> None:
        """Every value has a representative, which is its own."""
        rows, rep, n = self.rows, self.found.representative, self.n
        if rows.say(len(rep) == n, f"representative: {len(rep)} of {n} values"):
            if rows.within("representative", "value", rep, 0, n):
                rows.hold("representative", "value", rep, rep[rep] != rep, "not its own representative")
            rows.say(self.found.reps == rep.tolist(), "reps: not the list of representative")
        rows.say(len(self.found.states) >= n, f"states: {len(self.found.states)} of {n} values")
        rows.say(self.found.num_sites >= self.num_calls, "num_sites: fewer than calls")

    def _ranges(self) -> None:
        found = self.found
        members = found.class_members.items()
        rows: dict[str, Collection[tuple[int, ...]]] = {name: found.table(name) for name in RESOLUTION}
        rows["originals"] = tuple(found.originals.items())
        rows["fully_resolved"] = [(each,) for each in found.fully_resolved]
        rows["named_calls"] = [(each,) for each in found.named_calls]
        rows["external"] = [(each,) for each in found.external]
        rows["entry_points"] = [(use.function, use.call) for use in found.entry_points]
        rows["decorated"] = [row[1:] for row in found.decorated]
        rows["cells"] = [(node,) for node in found.cells.values()]
        rows["class_members"] = [(o, k, v) for o, names in members for k, vs in names.items() for v in vs]
        rows["class_bases"] = [(owner, base) for owner, bases in found.class_bases.items() for base in bases]
        counts = {**counts_of(self.program), SITES: found.num_sites, APIS: self.num_nodes, NODES: len(found.states)}
        for name, kind in RESOLUTION.items():
            self.rows.table(name, rows[name], kind, counts)
        sites = np.array([row.site for row in found.callbacks], np.int64)
        self.rows.within("callbacks", "site", sites, self.num_calls, found.num_sites)

    def _calls(self) -> None:
        """Bindings join an argument of the call to a parameter of its callee; what a callee leaves comes back to it."""
        t, found, rows = self.program.tables, self.found, self.rows
        function, op, data = t["values"]["function"], t["values"]["op"], t["values"]["data"]
        calls, arguments = t["calls"], t["arguments"]
        around = np.full(found.num_sites, NONE, np.int64)  # of each site: the function it stands in, where known
        around[: self.num_calls] = function[calls["result"]]
        sites, functions = rows.columns("targets", found.targets, 2)
        pairs = sites * self.num_functions + functions
        site, call, callee, _ = rows.columns("callbacks", found.callbacks, 4)
        rows.hold("callbacks", "function", callee, ~among(call * self.num_functions + callee, pairs), "no target")
        around[site] = function[calls["result"][call]]
        pairs = np.concatenate([pairs, site * self.num_functions + callee])
        made = np.concatenate([sites, site])  # sites whose callees are listed; the others are of getters and the like
        listed = np.zeros(found.num_sites, bool)
        listed[made] = True
        call_of = np.arange(found.num_sites)
        call_of[site] = call

        site, argument, parameter, _, _ = rows.columns("bindings", found.bindings, 5)
        is_parameter = (op[parameter] == Op.PARAMETER) & (data[parameter] >= 0)
        constant = (op[parameter] == Op.CONST) & (self.program.original[parameter] != parameter)
        rows.hold("bindings", "parameter", parameter, ~(is_parameter | constant), "no parameter")
        names = {file.language: number for number, file in enumerate(self.program.files)}
        file = np.clip(self.program.file_of_value, 0, len(self.program.files) - 1)  # ``program`` reports others
        language = np.array([names[each.language] for each in self.program.files], np.int32)[file]
        bad = language[argument] != language[parameter]
        rows.hold("bindings", "parameter", parameter, bad, "of another language than its argument")
        bad = listed[site] & ~among(site * self.num_functions + function[parameter], pairs)
        rows.hold("bindings", "parameter", parameter, bad, "no parameter of a callee of this site")
        wanted = listed[site] & (call_of[site] < self.num_calls)
        receivers = np.where(calls["receiver"] < 0, calls["callee"], calls["receiver"])
        held = np.concatenate(
            [
                arguments["call"].astype(np.int64) * self.n + arguments["value"],
                np.arange(self.num_calls) * self.n + receivers,
                np.arange(self.num_calls) * self.n + calls["callee"],
                np.arange(self.num_calls) * self.n + calls["result"],
                self._holders(),
            ]
        )
        bad = wanted & ~among(call_of[site] * self.n + argument, held)
        rows.hold("bindings", "argument", argument, bad, "no argument of the call")

        site, origin, target = rows.columns("returns", found.returns, 3)
        known = around[site] != NONE
        rows.hold("returns", "target", target, known & (function[target] != around[site]), "not in the caller")
        bad = listed[site] & ~among(site * self.num_functions + function[origin], pairs)
        rows.hold("returns", "origin", origin, bad, "of no callee of this site")
        self._leaves("returns", site, origin)
        site, origin, target, _ = rows.columns("element_returns", found.flows.element_returns, 4)
        bad = listed[site] & ~among(site * self.num_functions + function[origin], pairs)
        rows.hold("element_returns", "origin", origin, bad, "of no callee of this site")
        origin, target = rows.columns("copy_edges", found.flows.copy_edges, 2)
        rows.hold("copy_edges", "target", target, function[origin] != function[target], "in another function")
        exact = np.array(sorted(found.fully_resolved), np.int64)
        rows.hold("fully_resolved", "call", exact, ~among(exact, sites), "without a target")
        parameters = np.array([row[1] for row in found.decorated], np.int64)
        neither = (op[parameters] != Op.PARAMETER) & (op[parameters] != Op.CALL)
        rows.hold("decorated", "parameter", parameters, neither, "no parameter, and not made of a class")

    def _holders(self) -> Longs:
        """Objects that callees are loaded from: the receivers of calls that do not name them so."""
        t = self.program.tables
        op, data = t["values"]["op"], t["values"]["data"]
        callee = t["calls"]["callee"]
        rows = np.flatnonzero(op[callee] == Op.LOAD)
        return rows.astype(np.int64) * self.n + t["loads"]["object"][data[callee[rows]]]

    def _leaves(self, name: str, site: Longs, origin: Longs) -> None:
        """What comes back is what a function returns or raises, or the state of a parameter at an exit."""
        t = self.program.tables
        leaves = np.zeros(self.n, bool)
        for column in ("result", "raised"):
            leaves[t["functions"][column]] = True
        for column in ("value", "out", "true", "false"):
            cells = t["parameters"][column]
            leaves[cells[cells >= 0]] = True
        self.rows.hold(name, "origin", origin, ~leaves[origin], "not what a function returns, raises or leaves")

    def _states(self) -> None:
        """A value has at most ``MAX_ALIKE`` states, each once, of things that exist."""
        rows, states = self.rows, self.found.states
        counts = np.fromiter(map(len, states), np.int64, len(states))
        rows.hold("states", "number", counts, counts > MAX_ALIKE, f"more than {MAX_ALIKE}")
        every = np.fromiter((state for each in states for state in each), np.int64, int(counts.sum()))
        where = np.repeat(np.arange(len(states)), counts)
        ends = {
            FUNCTION: self.num_functions,
            CLASS: len(self.program.tables["owners"]["value"]),
            INSTANCE_OF: len(self.program.tables["owners"]["value"]),
            API: self.num_nodes,
            MODULE: len(self.program.strings),
            OBJECT: self.n,
            PROTOTYPE: self.num_functions,
            MADE_BY: self.num_functions,
        }
        for kind, end in ends.items():
            bad = (every & KIND == kind) & ((every < 0) | (every >> KIND_BITS >= end))
            rows.hold("states", "state", every, bad, f"a state of kind {kind} of nothing")
        order = np.lexsort((every, where))
        twice = np.zeros(len(every), bool)
        twice[1:] = (every[order][1:] == every[order][:-1]) & (where[order][1:] == where[order][:-1])
        rows.hold("states", "state", every[order], twice, "twice at one node")
