"""Records that refer to another one, read from there: ``user.rules.all()`` where ``Rule`` has a field that names it.

``owner = ForeignKey(User, related_name="rules")`` in a model gives each ``User`` an attribute ``rules``, which no code
declares. Packs say which fields do so, and what the attribute is (``[type] related``). It is mostly read from an object
of a library, or of unknown type, so that the name decides: it has to be that of one model, nothing else may be known of
what is read, and a method of the attribute's type has to be called on it. What is found works like the manager of the
model: it is the class, seen by the library.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.numbers import CALL_OP
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.kept_reads import called_names, names_called_on
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS
from pyrograph.scanner.analysis.resolve.solver import Solver


def link_related(solver: Solver) -> None:
    """Put managers of models on reads of attributes that fields of these models declare. Linear in loads and calls."""
    declared = related_names(solver)
    called = called_names(solver) if declared else {}
    for row, key in enumerate(solver.accesses.load_key if declared else ()):
        found = declared.get(key, ())
        if len(found) != 1:
            continue
        (owner, manager) = found[0]
        value = solver.accesses.load_result[row]
        node = solver.points.reps[value]
        methods = solver.apis[solver.files.language_of(value)].children
        asked = [solver.strings[name] for name in names_called_on(solver, node, called)]
        if not any([(manager, name) in methods for name in asked]):
            continue
        if any([state & KIND != API or state >> KIND_BITS != EXTERNAL for state in solver.points.states[node]]):
            continue
        solver.points.add(node, manager << KIND_BITS | API)
        solver.points.add(node, owner << KIND_BITS | CLASS)


def related_names(solver: Solver) -> dict[int, list[tuple[int, int]]]:
    """By the name of an attribute: the classes (owners) with a field that declares it, and the API of the manager."""
    found: dict[int, list[tuple[int, int]]] = {}
    if not any([apis.has_related for apis in solver.apis.values()]):
        return found
    names = solver.program.tables["owners"]["name"]
    for owner, members in solver.classes.members.items():
        for values in members.values():
            for value in values:
                node = solver.points.reps[value]
                if solver.op[node] != CALL_OP:
                    continue
                call, apis = solver.data[node], solver.apis.get(solver.files.language_of(value))
                callee = solver.calls.callee[call]
                for state in solver.points.states[solver.points.reps[callee]] if callee != NONE and apis else ():
                    roles = apis.roles.get(state >> KIND_BITS) if apis is not None and state & KIND == API else None
                    for port, manager, suffix in roles.related if roles is not None else ():
                        given = [
                            constant(solver, solver.calls.arg_value[at]) for at in solver.calls.args.at(call, port)
                        ]
                        name = given[0] if given else f"{solver.strings[int(names[owner])].lower()}{suffix}"
                        key = solver.program.string_ids.get(name, NONE) if name else NONE
                        if key != NONE and (owner, manager) not in found.setdefault(key, []):
                            found[key].append((owner, manager))
    return found
