"""Services that are given to generated code: ``pb.RegisterShopServer(server, &shop{})``.

The function is generated from a description of the service, and its file is not read. Its name says that the methods of
what it is given answer requests: those that other modules see and that the program itself does not call.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import subjects
from pyrograph.scanner.analysis.api_roles import parameters_of
from pyrograph.scanner.analysis.resolve.conventions import is_public_method
from pyrograph.scanner.analysis.resolve.entry_points import add_entry_point
from pyrograph.scanner.analysis.resolve.library_objects import called_functions
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def entry_points_by_registrations(solver: Solver) -> bool:
    """Make the methods of objects entry points that are given to an unseen function of a certain name.

    Returns whether there are some. Linear in the calls of the program.
    """
    found = False
    wanted = {
        language: apis.conventions.by_calls for language, apis in solver.apis.items() if apis.conventions.by_calls
    }
    matching: dict[tuple[str, int], list[int]] = {}  # (language, name) -> the entries, by their places, that name it
    called: set[int] | None = None
    for row, callee in enumerate(solver.calls.callee) if wanted else ():
        if callee == NONE or (row in solver.calls.known and row not in solver.resolution.external):
            continue
        language, name = solver.files.language_of(callee), solver.program.last_name(callee)
        if name < 0 or language not in wanted:
            continue
        places = matching.get((language, name))
        if places is None:
            patterns = [parameters_of(entry).api[0] for entry in wanted[language]]
            text = solver.strings[name]
            places = [at for at, pattern in enumerate(patterns) if fnmatchcase(text, pattern)]
            matching[language, name] = places
        for entry in [wanted[language][at] for at in places]:
            port = parameters_of(entry).port
            assert port is not None
            for function in methods_of(solver, port_values(solver, row, port)):
                if called is None:
                    called = called_functions(solver)
                if function not in called and is_public_method(solver, function, language):
                    found = True
                    add_entry_point(solver, entry, function, row)
    return found


def methods_of(solver: Solver, values: list[int]) -> Iterator[int]:
    """The methods of the program that objects have, each name as the class that is asked first has it."""
    for value in values:
        for owner in subjects(solver.points.states_of(value), INSTANCE_OF):
            seen: set[int] = set()
            for each in solver.classes.lineage(owner):
                members = solver.classes.members.get(each, {})
                for name, found in members.items():
                    if name not in seen:
                        for member in found:
                            yield from subjects(solver.points.states_of(member), FUNCTION)
                seen.update(members)
