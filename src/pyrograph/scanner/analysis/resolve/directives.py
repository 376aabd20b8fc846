"""Functions that a text at their beginning, or at that of their file, makes entry points: ``"use server"``.

Such a statement at the top of a file is about the functions that the file exports; in a function, about this one.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import DIRECTIVE, NONE, FunctionFlag, Op
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.api_roles import parameters_of
from pyrograph.scanner.analysis.resolve.entry_points import EntryPointListener, add_entry_point
from pyrograph.scanner.analysis.resolve.solver import Solver


def listen_to_directives(solver: Solver) -> None:
    """Add the entry points of the packs' directives. Linear in the exports, for each directive that the program has."""
    values = solver.program.tables["values"]
    for language, apis in solver.apis.items():
        for entry in apis.conventions.directives:
            text = solver.program.string_ids.get(DIRECTIVE + parameters_of(entry).method, NONE)
            if text == NONE:
                continue
            for value in np.flatnonzero((values["op"] == int(Op.CONST)) & (values["data"] == text)).tolist():
                if solver.files.language_of(value) != language:
                    continue
                function = int(values["function"][value])
                if not solver.functions.flags[function] & FunctionFlag.MODULE:
                    add_entry_point(solver, entry, function, NONE)
                    continue
                file = int(solver.files.file_of[value])
                exports = [
                    (solver.strings[name], each)
                    for (exporting, name), exported in solver.names.exports.items()
                    for each in (exported if exporting == file else ())
                ]
                for _, each in language_of(language).offered(exports):
                    solver.listen(each, EntryPointListener(entry))
