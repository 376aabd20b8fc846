"""Statements that functions of the program run for others: ``def query(sql, args)`` gives its parameters to a driver.

At the driver's call the text is a parameter, and so no constant. It is one where ``query`` is called: that call runs
the statement, what it gives for ``args`` are the parameters, and the rows are in its result, or in what it is given to
call with them. How the function packs the rows (one of them, a list, a list beside other fields) is not looked up: they
may lie at each of these places that what is read from the result does not exclude. Functions that call such a function
are found in the same way, to a bound.

Linear in the calls of such functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.policy.limits.resolution import MAX_HANDED_STATEMENTS, MAX_STATEMENT_FUNCTIONS
from pyrograph.rules.entries import Execute, Port
from pyrograph.scanner.analysis.numbers import NORMAL_KIND, PARAMETER_OP, VARARG_KIND
from pyrograph.scanner.analysis.resolve.computed_imports import same_values, spellings
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver

# Where rows may lie in a result: a list of them, one, a list beside other fields.
PLAIN: Final = (("",), (), ("rows", ""))


def run_handed_statements(solver: Solver) -> None:
    """Let the callers of functions run the statements that these are given."""
    work = [(*each, 0) for each in solver.models.statements.handed]
    behind = Behind(solver) if work else None
    for row, flow, topic, text, depth in work:  # grows by calls of functions, to a bound of depth
        assert behind is not None
        found = behind.parameter(text)
        if found == NONE:
            continue
        for site, handed in behind.callers(row, flow, found):
            for value in port_values(solver, site, behind.port(found)):
                for each in spellings(solver, value):
                    solver.models.statements.known[site, handed, (*topic, each.removeprefix("'"))] = None
                if depth < MAX_STATEMENT_FUNCTIONS:
                    work.append((site, handed, topic, value, depth + 1))


class Behind:
    """The parameters of functions that values are, and the calls that give them."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.same = same_values(solver)
        self.sites: dict[int, list[int]] = {}
        targets = solver.calls.targets.array()
        is_own = (targets[:, 0] >= 0) & (targets[:, 0] < len(solver.program.tables["calls"]["result"]))
        for site, function in targets[is_own].tolist():
            self.sites.setdefault(function, []).append(site)

    def parameter(self, value: int) -> int:
        """The row of the parameter that a value is, or that it is by default; of a function around it, too; or NONE."""
        points, op, data = self.solver.points, self.solver.op, self.solver.data
        work = [points.reps[value]]
        for node in work:  # grows by values that are new in it, to a bound
            if op[node] == PARAMETER_OP and data[node] != NONE:
                return data[node]
            outer = self.same.outer.get(node)
            further = self.same.before(node) if outer is None else [outer]
            for each in further:
                if points.reps[each] not in work and len(work) < MAX_HANDED_STATEMENTS:
                    work.append(points.reps[each])
        return NONE

    def port(self, parameter: int) -> Port:
        """Where calls of the function give a parameter."""
        functions = self.solver.functions
        function, position = functions.param_function[parameter], functions.param_position[parameter]
        if functions.param_kind[parameter] == NORMAL_KIND:
            others = functions.parameters_of.get(function, ())
            position = sum(
                functions.param_kind[each] == NORMAL_KIND and functions.param_position[each] < position
                for each in others
            )
            name = functions.param_name[parameter]
            return Port("position", position, (self.solver.strings[name],) if name != NONE else ())
        return Port(
            "from", sum(functions.param_kind[each] == NORMAL_KIND for each in functions.parameters_of[function])
        )

    def callers(self, row: int, flow: Execute, text: int) -> Iterator[tuple[int, Execute]]:
        """The calls of the function that has the parameter ``text``, and how each of them runs the statement."""
        functions = self.solver.functions
        function = functions.param_function[text]
        given: list[Port] = []
        for port in flow.given:
            parameters = {self.parameter(value) for value in port_values(self.solver, row, replace(port, path=()))}
            given += [
                self.port(each)
                for each in sorted(parameters - {NONE})
                if functions.param_function[each] == function
                and functions.param_kind[each] in (NORMAL_KIND, VARARG_KIND)
            ]
        ways = [
            replace(flow, given=tuple(dict.fromkeys(given)), target=target, parameter=which)
            for target, which in arriving(flow)
        ]
        listed = self.returned_list(row, flow, function)
        for site in self.sites.get(function, ()):
            hidden = self.unlikely_path(site)
            if listed is not None and hidden == listed:
                hidden = ()  # ``query(sql)[0]`` is a row
            for way in ways:
                if way.target is None or way.target.kind != "ret" or way.target.path != hidden:
                    yield site, way

    def returned_list(self, row: int, flow: Execute, function: int) -> tuple[str, ...] | None:
        """Where the rows lie in what ``function`` returns, if that is the list which the call ``row`` returns."""
        reps = self.solver.points.reps
        returned = reps[self.solver.functions.result[function]] == reps[self.solver.calls.result[row]]
        is_list = flow.target is not None and flow.target.kind == "ret" and flow.target.path == ("",)
        return ("",) if returned and is_list else None

    def unlikely_path(self, site: int) -> tuple[str, ...] | None:
        """Where in its result a call has no row, by what is read from there: a row has columns, and a list has rows."""
        accesses, reps = self.solver.accesses, self.solver.points.reps
        read = accesses.loads_of.get(reps[self.solver.calls.result[site]], ())
        parts = [reps[accesses.load_result[row]] for row in read]
        if any(part in accesses.loads_of for part in parts):
            return ()
        methods = any(part in self.solver.calls.of_callee for part in parts)
        return ("",) if parts and not methods and UNKNOWN_KEY not in [accesses.load_key[row] for row in read] else None


def arriving(flow: Execute) -> list[tuple[Port | None, int]]:
    """Where rows are after a call of a function that hands a statement on: at a port, and in which parameter of what
    lies there.
    """
    if flow.target is None:
        return [(None, -1)]
    paths = dict.fromkeys((flow.target.path, *PLAIN))
    found: list[tuple[Port | None, int]] = [(Port("ret", path=each), -1) for each in paths]
    if flow.parameter >= 0:  # a driver that calls back is mostly wrapped by a function that does
        found.append((Port("end", 1, path=flow.target.path), flow.parameter))
    return found
