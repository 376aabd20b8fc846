"""Programs of one tree: a repository may build several, and code of one never calls code that is only in another.

A program is a package with the name of one (``package main``) and all that it imports. Where a language has no such
packages, and for what no program imports, such as a library, nothing is known.
"""

from __future__ import annotations

from pyrograph.scanner.analysis.resolve.solver import Solver


def are_linked(solver: Solver, file: int, other: int) -> bool:
    """Whether two files may be parts of one program. Linear in the programs times their imports, when first called."""
    if solver.names.programs is None:
        solver.names.programs = _programs(solver)
    one, two = solver.names.programs.get(file, 0), solver.names.programs.get(other, 0)
    return not one or not two or bool(one & two)


def has_programs(solver: Solver) -> bool:
    """Whether the tree builds programs, so that files may not be linked."""
    if solver.names.programs is None:
        solver.names.programs = _programs(solver)
    return bool(solver.names.programs)


def _programs(solver: Solver) -> dict[int, int]:
    """For each file, the programs that it is a part of, one bit each."""
    found: dict[int, int] = {}
    mains: dict[str, int] = {}  # folder -> bit
    for number, file in enumerate(solver.program.files):
        if file.package not in solver.files.traits[number].program_packages or solver.files.tests[number]:
            continue
        bit = mains.setdefault(file.path.rpartition("/")[0], 1 << len(mains))
        for each in imported_from(solver, number):
            found[each] = found.get(each, 0) | bit
    return found


def imported_from(solver: Solver, file: int) -> set[int]:
    """The files that ``file`` imports, directly or not, and itself. Linear in these, once a file."""
    known = solver.names.import_closures.get(file)
    if known is not None:
        return known
    if solver.names.files_imported is None:
        solver.names.files_imported = {}
        for value in solver.names.imports:
            if members := solver.program.files_imported(value):
                solver.names.files_imported.setdefault(int(solver.files.file_of[value]), set()).update(members)
    known = {file}
    work = [file]
    while work:  # what is pushed is new in ``known``
        for other in solver.names.files_imported.get(work.pop(), ()):
            if other not in known:
                known.add(other)
                work.append(other)
    solver.names.import_closures[file] = known
    return known
