"""What a framework makes of a class that the body of a handler's class names, and hands to its methods.

``class Edit(FormView): form_class = EditForm``, and ``form_valid(self, form)`` gets an instance of ``EditForm``. Packs
say so of the parameter: ``FormView!form_valid:0 : Form made by this[form_class]``. A method that other classes inherit
gets what their bodies name as well. Linear in such methods times the classes of the program.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND_BITS, subjects
from pyrograph.rules.entries import ParameterType
from pyrograph.scanner.analysis.resolve.records import member_values
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def type_made_arguments(solver: Solver) -> None:
    """Let parameters be instances of these classes, once all overriding methods are entry points."""
    for each in solver.resolution.entry_points:
        entry = each.entry
        owner = solver.functions.owner[each.function]
        if not isinstance(entry, ParameterType) or not entry.made or owner == NONE:
            continue
        names = [solver.program.string_ids.get(key, NONE) for key in entry.made]
        first = int(solver.is_bound_late(each.function))
        rows = solver.functions.chosen_parameters(each.function, entry.parameters.which, first)
        made = made_classes(solver, owner, names) if rows and NONE not in names else []
        for row in rows:
            node = solver.points.reps[solver.functions.param_value[row]]
            for each_class in made:
                solver.points.add(node, each_class << KIND_BITS | INSTANCE_OF)


def made_classes(solver: Solver, owner: int, names: list[int]) -> list[int]:
    """The classes that stand under ``names`` in a class, and in those that extend it."""
    heirs = [other for other in solver.classes.members if owner in solver.classes.lineage_set(other)]
    found: dict[int, None] = {}
    for heir in dict.fromkeys([owner, *heirs]):
        for value in member_values(solver, heir, names):
            found.update(dict.fromkeys(subjects(solver.points.states_of(value), CLASS)))
    return list(found)
