"""Freezing: the call graph becomes tables, without the calls that may mean anything."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from pyrograph.graph import reached
from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import first_of_equals
from pyrograph.policy.limits.resolution import MAX_OTHERS, MAX_STATES
from pyrograph.scanner.analysis.api_roles import parameters_of
from pyrograph.scanner.analysis.columns import Rows
from pyrograph.scanner.analysis.numbers import SUPER_OP
from pyrograph.scanner.analysis.resolve.channels import link_channels
from pyrograph.scanner.analysis.resolve.entry_points import is_seen, override
from pyrograph.scanner.analysis.resolve.framework_objects import pass_objects_on
from pyrograph.scanner.analysis.resolve.keeping_views import kept_by_views
from pyrograph.scanner.analysis.resolve.kept_files import link_files
from pyrograph.scanner.analysis.resolve.kept_reads import extends_library
from pyrograph.scanner.analysis.resolve.lasting import link_lasting
from pyrograph.scanner.analysis.resolve.made_arguments import type_made_arguments
from pyrograph.scanner.analysis.resolve.method_values import link_method_values
from pyrograph.scanner.analysis.resolve.module_states import Exported, link_module_states
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.raised import link_raised
from pyrograph.scanner.analysis.resolve.records import link_records
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.sealed import link_sealed
from pyrograph.scanner.analysis.resolve.setters import link_setters
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.statement_tables import link_statements
from pyrograph.scanner.analysis.resolve.supplied import link_supplied
from pyrograph.scanner.analysis.resolve.taken_out import link_taken_out


def freeze(solver: Solver) -> None:
    """Add overriding methods as entry points, number the sites of properties, and mark fully resolved calls."""
    base_names = (
        solver.program.names_of_bases(solver.points.reps)
        if any(apis.conventions.bases for apis in solver.apis.values())
        else {}
    )
    for owner in dict.fromkeys((*solver.classes.members, *solver.classes.apis, *solver.classes.bases)):
        members = solver.classes.members.get(owner, {})
        value = int(solver.program.tables["owners"]["value"][owner])
        apis = solver.apis.get(solver.files.language_of(value))
        if apis is None:
            continue
        lineage = solver.classes.lineage(owner) if apis.conventions.overrides else []
        bases = dict.fromkeys(base for each in lineage for base in solver.classes.apis.get(each, ()))
        own: set[int] = set()  # names that a class before it in the lineage has
        for each in lineage if bases else ():
            known = solver.classes.members.get(each, {})
            if each == owner or not extends_api(solver, each):
                first = {name: values for name, values in known.items() if name not in own}
                for base in bases:
                    for method, entries in apis.conventions.overrides.get(base, {}).items():
                        for entry in entries:
                            override(solver, first, method, entry)
            own.update(known)
        for base_name, base in base_names.get(owner, ()) if apis.conventions.bases else ():
            for entry in apis.conventions.bases:
                parameters = parameters_of(entry)
                if fnmatchcase(solver.strings[base_name], parameters.api[0]):
                    override(solver, members, parameters.method, entry, unseen=not is_seen(solver, base))
    type_made_arguments(solver)
    run_to_fixpoint(solver)
    pass_objects_on(solver)
    drop_overflown(solver)
    solver.points.settle()
    link_channels(solver)
    link_records(solver, kept_by_views(solver))
    link_statements(solver)
    link_files(solver)
    link_sealed(solver)
    link_setters(solver)
    link_supplied(solver)
    link_lasting(solver)
    link_method_values(solver)
    exported = Exported(solver)
    link_module_states(solver, exported)
    link_taken_out(solver, exported)
    raise_through(solver)
    link_raised(solver)
    found = solver.resolution
    sites: dict[int, int] = {}
    found.targets, found.bindings = solver.calls.targets, solver.calls.bindings
    number_getters(solver, found.bindings, sites)
    number_getters(solver, found.returns, sites)
    found.named_calls = {row for row in found.named_calls if not is_of_class(solver, row)}
    own = {solver.points.reps[value] for value in solver.guesses.own_names}
    found.named_calls.update([row for row in solver.guesses.calls_by_object if is_ambiguous(solver, row, own)])
    found.fully_resolved = solver.calls.bound - {call for call, _ in found.api_calls} - found.external
    found.reached.ambiguous_calls = [
        solver.calls.result[row] for row in sorted(solver.calls.ambiguous - solver.calls.bound)
    ]


def is_of_class(solver: Solver, row: int) -> bool:
    """Whether the receiver of a call is known to be an instance of a class of the program."""
    receiver = solver.calls.receiver[row]
    if receiver == NONE or solver.op[receiver] == SUPER_OP:
        return True
    return any(state & KIND == INSTANCE_OF for state in solver.points.states[solver.points.reps[receiver]])


def is_ambiguous(solver: Solver, row: int, own: Collection[int]) -> bool:
    """Whether the receiver of a call may be several objects of the program with such a method, or a library's object:
    libraries have a method of this name, and one of them has a member of the name under which the receiver was read
    (``own``: nodes that were read under other names).
    """
    receiver, name = solver.calls.receiver[row], solver.calls.name[row]
    states = solver.points.states_of(receiver) if receiver != NONE else ()
    instances = [state for state in states if state & KIND == INSTANCE_OF]
    having = [state for state in instances if has_member(solver, state >> KIND_BITS, name)]
    if len(having) + sum([state & KIND == OBJECT for state in states]) > 1:
        return True
    if any([state not in having and not extends_library(solver, state >> KIND_BITS) for state in instances]):
        return False
    if receiver != NONE and solver.points.reps[receiver] in own:
        return False
    apis = solver.apis.get(solver.files.language_of(solver.calls.result[row]))
    return name != NONE and apis is not None and bool(apis.methods_named(solver.strings[name]))


def has_member(solver: Solver, owner: int, name: int) -> bool:
    """Whether a class of the program, or one of its bases, has a member ``name``."""
    return any([name in solver.classes.members.get(each, ()) for each in solver.classes.lineage(owner)])


def extends_api(solver: Solver, owner: int) -> bool:
    """Whether a class extends a library's: else it is mixed with one, and its methods override that one's, too."""
    return any(each in solver.classes.apis for each in solver.classes.lineage(owner))


def number_getters(solver: Solver, rows: Rows[Any], sites: dict[int, int]) -> None:
    """Give the loads that are calls numbers of sites, in the order in which ``rows`` name them first.

    ``sites``: the numbers given so far, by what stands for the load while the call graph is built.
    """
    table = rows.array()
    getters = np.flatnonzero(table[:, 0] < 0)
    for row, site in zip(getters.tolist(), table[getters, 0].tolist(), strict=True):
        if site not in sites:
            sites[site] = solver.resolution.num_sites
            solver.resolution.num_sites += 1
        table[row, 0] = sites[site]
    if len(getters):
        rows.replace(table)


def drop_overflown(solver: Solver) -> None:
    """Remove the targets of calls whose callee has more states than are kept: a few of many would be arbitrary; and of
    callees that were to come from a table of handlers, but are a mixture.
    """
    mixed = [node for node in solver.points.capacity.handlers if is_mixture(solver, node)]
    solver.points.overflown.update(mixed)
    overfull = {
        call
        for node in solver.points.overflown
        for call in solver.calls.of_callee.get(node, ())
        if call in solver.calls.bound
    }
    if not overfull:
        return
    solver.calls.bound -= overfull
    r = solver.resolution
    for rows in (solver.calls.targets, solver.calls.bindings, r.returns):
        rows.drop(overfull)
    r.flows.element_returns = [each for each in r.flows.element_returns if each[0] not in overfull]


def is_mixture(solver: Solver, node: int) -> bool:
    """Whether a callee is more than ``MAX_STATES`` things of several kinds: handlers of a table are all functions, or
    all classes, but for a default.
    """
    states = solver.points.states[node]
    if len(states) <= MAX_STATES or node not in solver.calls.of_callee:
        return False
    kinds = [state & KIND for state in states]
    return len(states) - max(kinds.count(FUNCTION), kinds.count(CLASS)) > MAX_OTHERS


def raise_through(solver: Solver) -> None:
    """Pass exceptions from callees to callers, up to a call with a handler around it.

    Only below such calls, and only above functions that raise: no handler sees other exceptions.
    """
    tables, num_functions = solver.program.tables, len(solver.functions.raised)
    flows = tables["flows"]["target"]
    op, data = tables["values"]["op"], tables["values"]["data"]
    raising = data[flows[op[flows] == Op.RAISED]]
    call, callee = solver.calls.targets.array().T
    caller = tables["values"]["function"][tables["calls"]["result"]][call]
    handled = np.zeros(len(tables["calls"]["result"]), bool)
    handled[list(solver.calls.handlers_of)] = True
    plain = ~handled[call]
    below = reached(num_functions, caller[plain], callee[plain], callee[~plain])
    plain &= below[caller]
    above = reached(num_functions, callee[plain], caller[plain], raising[below[raising]])
    plain &= above[callee]
    raised = solver.functions.raised
    sites, functions, around = call[plain], callee[plain], caller[plain]
    order = np.lexsort((functions, sites))  # a call has one caller
    sites, functions, around = sites[order], functions[order], around[order]
    first = first_of_equals(sites, functions)
    for site, function, where in zip(
        sites[first].tolist(), functions[first].tolist(), around[first].tolist(), strict=True
    ):
        solver.resolution.returns.append((site, raised[function], raised[where]))
