"""Freezing: the call graph becomes tables, without the calls that may mean anything."""

from __future__ import annotations

from fnmatch import fnmatchcase

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.apis import parameters_of
from pyrograph.scanner.analysis.resolve.calls import Row
from pyrograph.scanner.analysis.resolve.entry_points import is_seen, override
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.resolution import named
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.schema import Binding, Target


def freeze(solver: Solver) -> None:
    """Add overriding methods as entry points, number the sites of properties, and mark fully resolved calls."""
    base_names = (
        solver.program.names_of_bases(solver.points.reps) if any(apis.bases for apis in solver.apis.values()) else {}
    )
    for owner, members in solver.classes.members.items():
        value = int(solver.program.tables["owners"]["value"][owner])
        apis = solver.apis.get(solver.files.language_of(value))
        if apis is None:
            continue
        for each in solver.classes.lineage(owner) if apis.overrides else ():
            for base in solver.classes.apis.get(each, ()):
                for method, entries in apis.overrides.get(base, {}).items():
                    for entry in entries:
                        override(solver, members, method, entry)
        for base_name, base in base_names.get(owner, ()) if apis.bases else ():
            for entry in apis.bases:
                parameters = parameters_of(entry)
                if fnmatchcase(solver.strings[base_name], parameters.api[0]):
                    override(solver, members, parameters.method, entry, unseen=not is_seen(solver, base))
    run_to_fixpoint(solver)
    drop_overflown(solver)
    solver.points.settle()
    raise_through(solver)
    found = solver.resolution
    sites: dict[int, int] = {}
    found.targets = named(Target, solver.calls.targets)
    found.bindings = named(Binding, [numbered(solver, sites, row) for row in solver.calls.bindings])
    found.returns = [numbered(solver, sites, row) for row in found.returns]
    found.fully_resolved = solver.calls.bound - {call for call, _ in found.api_calls} - found.external
    found.reached.ambiguous_calls = [
        solver.calls.result[row] for row in sorted(solver.calls.ambiguous - solver.calls.bound)
    ]


def numbered(solver: Solver, sites: dict[int, int], row: Row) -> Row:
    """A row of bindings or returns; that of a load gets the number of the load's site."""
    site = row[0]
    if site >= 0:
        return row
    if site not in sites:
        sites[site] = solver.resolution.num_sites
        solver.resolution.num_sites += 1
    return (sites[site], *row[1:])


def drop_overflown(solver: Solver) -> None:
    """Remove the targets of calls whose callee has more states than are kept: a few of many would be arbitrary."""
    overfull = {
        call
        for node in solver.points.overflown
        for call in solver.calls.of_callee.get(node, ())
        if call in solver.calls.bound
    }
    if not overfull:
        return
    solver.calls.bound -= overfull
    solver.calls.targets = [row for row in solver.calls.targets if row[0] not in overfull]
    solver.calls.bindings = [row for row in solver.calls.bindings if row[0] not in overfull]
    r = solver.resolution
    r.returns = [row for row in r.returns if row[0] not in overfull]
    r.element_returns = [each for each in r.element_returns if each[0] not in overfull]


def raise_through(solver: Solver) -> None:
    """Pass exceptions from callees to callers, up to a call with a handler around it.

    Only below such calls, and only above functions that raise: no handler sees other exceptions.
    """
    flows = solver.program.tables["flows"]["target"]
    op, data = solver.program.tables["values"]["op"], solver.program.tables["values"]["data"]
    raising = set(data[flows[op[flows] == Op.RAISED]].tolist())
    called: dict[int, list[tuple[int, int]]] = {}  # caller -> (call, callee), where no handler is around
    callers: dict[int, list[tuple[int, int]]] = {}
    handled: list[int] = []
    around: list[int] = solver.program.tables["values"]["function"][solver.program.tables["calls"]["result"]].tolist()
    for call, function in dict.fromkeys(solver.calls.targets):
        if call in solver.calls.handlers_of:
            handled.append(function)
        else:
            caller = around[call]
            called.setdefault(caller, []).append((call, function))
            callers.setdefault(function, []).append((call, caller))
    below = set(handled)
    work = list(below)
    while work:  # what is pushed is new in ``below``
        for _, function in called.get(work.pop(), ()):
            if function not in below:
                below.add(function)
                work.append(function)
    work = sorted(raising & below)
    while work:  # what is pushed is new in ``raising``
        function = work.pop()
        for call, caller in callers.get(function, ()):
            if caller not in below:
                continue
            solver.resolution.returns.append((call, solver.functions.raised[function], solver.functions.raised[caller]))
            if caller not in raising:
                raising.add(caller)
                work.append(caller)
