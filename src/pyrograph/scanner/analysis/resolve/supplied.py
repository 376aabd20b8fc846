"""What a framework passes from one function of a file to another: ``getServerSideProps`` of Next to the page's props.

No call joins the two. Packs say what stands for such data, a type that they give to a parameter or the result of a
call, and which function that the same file exports returns it (``[type] supplied``).

Linear in the values that stand for such data, times the functions that the export of their file may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.numbers import PARAMETER_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION
from pyrograph.scanner.analysis.resolve.solver import Solver


def link_supplied(solver: Solver) -> None:
    """Let data flow from what the exports return to what stands for it."""
    supplied = {language: apis.conventions.supplied for language, apis in solver.apis.items()}
    if not any(supplied.values()):
        return
    done: set[tuple[int, int, int]] = set()
    exporting = exporting_files(solver)
    in_function = solver.program.tables["values"]["function"]
    for value, node in solver.resolution.api_values:
        paths = supplied[solver.files.language_of(value)].get(node, ())
        files = {int(solver.program.file_of_value[value])} if paths else set()
        if paths and solver.op[value] == PARAMETER_OP:  # of a wrapper that another file makes
            files |= exporting.get(int(in_function[value]), set())
        for path, file in ((path, file) for path in paths for file in sorted(files)):
            at = path.index(CALL)
            key = solver.program.intern(path[at + 1]) if path[at + 1 :] else NONE
            for function in exported_functions(solver, file, path[:at]):
                result = solver.functions.result[function]
                row = (result, value, key)
                if row in done:
                    continue
                done.add(row)
                if key == NONE:
                    solver.resolution.flows.context_free_edges.append((result, value))
                else:
                    solver.resolution.flows.loads.append((value, result, key))


def exporting_files(solver: Solver) -> dict[int, set[int]]:
    """By function: the files that export it."""
    found: dict[int, set[int]] = {}
    for (file, _), values in solver.names.exports.items():
        for value in values:
            for function in subjects(solver.points.states[solver.points.reps[value]], FUNCTION):
                found.setdefault(function, set()).add(file)
    return found


def exported_functions(solver: Solver, file: int, path: Sequence[str]) -> Iterator[int]:
    """The functions that a file exports under a name, or has in what it exports under it."""
    program = solver.program
    name, *members = (program.string_ids.get(each, NONE) for each in path)
    modules = language_of(program.files[file].language).traits.modules
    whole = program.string_ids.get(modules.module_object, NONE) if modules.module_object else NONE
    found = [solver.points.reps[value] for value in solver.names.exports.get((file, name), ())]
    if path[0] == modules.default_export:
        found += [solver.points.reps[value] for value in solver.names.exports.get((file, whole), ())]
    for key in members:
        found = [each for node in found for each in held(solver, node, key)]
    for node in found:
        yield from subjects(solver.points.states[node], FUNCTION)


def held(solver: Solver, node: int, key: int) -> Iterator[int]:
    """The nodes of what is kept under a key in the object, function or class that a node may be."""
    for state in solver.points.states[node]:
        cell = solver.points.cells.get((state, key), NONE)
        if cell != NONE:
            yield cell
        if state & KIND == CLASS:
            for owner in solver.classes.lineage(state >> KIND_BITS):
                for value in solver.classes.members.get(owner, {}).get(key, ()):
                    yield solver.points.reps[value]
