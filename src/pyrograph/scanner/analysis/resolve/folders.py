"""Objects whose members a framework makes of the files of a folder: ``app.controller.user``.

That is what ``app/controller/user.js`` exports. A file that exports a class gives an instance of it, one that exports a
function what this returns, and a folder in the folder an object of the same kind. Names are compared without case,
hyphens and underscores, which frameworks change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver

JOINTS: Final = re.compile(r"[-_]")


@dataclass(frozen=True, slots=True)
class MadeListener(Listener):
    """Makes an instance of each exported class, and of the class that an exported function returns, in ``result``."""

    result: int

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == CLASS:
            solver.points.add(solver.points.reps[self.result], state >> KIND_BITS << KIND_BITS | INSTANCE_OF)
        elif state & KIND == FUNCTION:
            solver.listen_node(solver.points.reps[solver.functions.result[state >> KIND_BITS]], self, call)
        else:
            solver.points.add(solver.points.reps[self.result], state)


def made_of_files(solver: Solver, result: int, node: int, name: str) -> None:
    """``result`` is the member ``name`` of an object that is made of a folder. O(files)."""
    language = solver.files.language_of(result)
    apis, traits = solver.apis[language], language_of(language).traits
    wanted = f"{apis.folders[node]}/{plain(name)}"
    exported = [
        solver.program.string_ids.get(each, NONE)
        for each in (traits.modules.default_export, traits.modules.module_object)
        if each
    ]
    for number, file in enumerate(solver.program.files):
        folder, _, last = file.path.rpartition("/")
        path = f"{folder}/{plain(last.partition('.')[0])}"
        if file.language == language and (path == wanted or path.endswith(f"/{wanted}")):
            for key in exported:
                for value in solver.names.exports.get((number, key), ()):
                    solver.listen(value, MadeListener(result))
        elif f"/{apis.folders[node]}/{name}/" in f"/{folder}/":
            solver.arise(result, apis.folder_within(node, name))


def plain(name: str) -> str:
    return JOINTS.sub("", name).lower()
