"""Objects of the program that a library hands out where no scanned code puts them there.

``request.app["store"].purge(names)`` reads what the part of the program stored that starts it, which may lie elsewhere:
in another repository, in a script, behind a name that is computed. The class is known all the same if exactly one class
of the program has the methods that are called there, and its name ends as the name does that is read (``store``:
``AttachmentStore``), or no pack knows a method of such a name. Only members that a program adds to a library's object
count (``api_members.is_shared_field``), and no parts of what clients send.

A round is linear in the loads, and for each name under which something is called in the classes with that method.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.scanner.analysis.apis import EXTERNAL, Apis
from pyrograph.scanner.analysis.numbers import FUNCTION_OP
from pyrograph.scanner.analysis.resolve.api_members import is_shared_field
from pyrograph.scanner.analysis.resolve.kept_by_name import counts
from pyrograph.scanner.analysis.resolve.kept_reads import called_names, is_open, names_called_on
from pyrograph.scanner.analysis.resolve.programs import are_linked
from pyrograph.scanner.analysis.resolve.resolution import API, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver

WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def read_unseen_objects(solver: Solver) -> None:
    """Put an instance of the one class that is meant on members that a program adds to a library's object."""
    called = called_names(solver)
    having = methods_of_classes(solver) if called else {}
    for row, key in enumerate(solver.accesses.load_key if called else ()):
        result, holder = solver.accesses.load_result[row], solver.accesses.load_object[row]
        if key < 0 or not is_open(solver, result, holder) or not is_added(solver, result, holder, key):
            continue
        node = solver.points.reps[result]
        names = names_called_on(solver, node, called)
        if names:
            owner = only_class(solver, result, key, names, having)
            if owner != NONE:
                solver.points.add(node, owner << KIND_BITS | INSTANCE_OF)


def is_added(solver: Solver, result: int, holder: int, key: int) -> bool:
    """Whether ``key`` is a member that a program adds to a library's object, which no client sent."""
    nodes = [state >> KIND_BITS for state in solver.points.states_of(holder) if state & KIND == API]
    apis = solver.apis[solver.files.language_of(result)]
    return EXTERNAL not in nodes and any(
        [is_shared_field(solver, result, node, key) and not is_sent(apis.paths[node], apis) for node in nodes]
    )


def is_sent(path: tuple[str, ...], apis: Apis) -> bool:
    """Whether an API is a source, or a part of one."""
    for length in range(1, len(path) + 1):
        roles = apis.roles.get(apis.node(path[:length]))
        if roles is not None and roles.sources:
            return True
    return False


def methods_of_classes(solver: Solver) -> dict[int, dict[int, None]]:
    """The classes of the program, without tests, by the names of their own methods."""
    found: dict[int, dict[int, None]] = {}
    for owner, members in solver.classes.members.items():
        if counts(solver, solver.classes.owner_value[owner]):
            for name, values in members.items():
                if any([solver.op[solver.undecorated(value)] == FUNCTION_OP for value in values]):
                    found.setdefault(name, {})[owner] = None
    return found


def only_class(solver: Solver, result: int, key: int, names: Iterable[int], having: dict[int, dict[int, None]]) -> int:
    """The one class that has all the methods ``names``, itself or from a base; NONE if it is not the one meant."""
    file, language = int(solver.files.file_of[result]), solver.files.language_of(result)
    found = [
        owner
        for owner in {each: None for name in names for each in having.get(name, ())}
        if solver.files.language_of(solver.classes.owner_value[owner]) == language
        and are_linked(solver, file, int(solver.files.file_of[solver.classes.owner_value[owner]]))
        and all([has_method(solver, owner, name, having) for name in names])
    ]
    called_so = [owner for owner in found if is_called(solver, owner, key)]
    if len(called_so) == 1:
        return called_so[0]
    apis = solver.apis[language]
    if len(found) == 1 and not any([apis.methods_named(solver.strings[name]) for name in names]):
        return found[0]
    return NONE


def has_method(solver: Solver, owner: int, name: int, having: dict[int, dict[int, None]]) -> bool:
    owners = having.get(name, {})
    return any([each in owners for each in solver.classes.lineage(owner)])


def is_called(solver: Solver, owner: int, key: int) -> bool:
    """Whether the name of a class ends as ``key`` does: ``UserStore`` is read under ``store`` or ``user_store``."""
    name = int(solver.program.tables["owners"]["name"][owner])
    wanted = "".join(words(solver.strings[key]))
    return name != NONE and wanted in tails(list(words(solver.strings[name])))


def words(text: str) -> Iterator[str]:
    return (each.lower() for each in WORD.findall(text))


def tails(parts: list[str]) -> Iterator[str]:
    return ("".join(parts[first:]) for first in range(len(parts)))
