"""Templates put values into their own scripts: ``let notes = {{ notes|tojson }};``.

In the program of the script a name stands for the tag (``parsers/pages``), to which nothing is assigned. Each call that
fills the template moves the part of its values to this name that the tag writes. Linear in the values, once, and in the
tags of each template that is filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.policy.limits.templates import MAX_INLINED
from pyrograph.rules.entries import Rendering
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import Move
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.templates import Templates

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Path

PLACEHOLDER: Final = "____"  # what the name begins with


class Inlined:
    """The values that stand for tags in the scripts of templates."""

    def __init__(self, solver: Solver, templates: Templates) -> None:
        self.solver = solver
        self.templates = templates
        self.known: set[Move] = set()
        self.tags: dict[str, list[tuple[int, Path]]] = {}  # by the path of the file: values, and what they are
        names = [number for text, number in solver.program.string_ids.items() if text.startswith(PLACEHOLDER)]
        values = solver.program.tables["values"]
        is_tag = (values["op"] == Op.GLOBAL) & np.isin(values["data"], np.array(names, np.int64))
        for value in np.flatnonzero(is_tag).tolist() if names else ():
            self.read(value, int(values["start"][value]), int(values["end"][value]))

    def read(self, value: int, start: int, end: int) -> None:
        """Note what the tag writes that stands at the place of a name."""
        from pyrograph.parsers.pages.inlined import path_of_literal, path_of_text

        file = self.solver.program.files[int(self.solver.files.file_of[value])].path
        text = self.templates.text(file) if file in self.templates.files else None
        tag = b"" if text is None else text[start:end]
        path = path_of_text(tag[1:-1]) if tag[:1] in (b"'", b'"') else path_of_literal(tag)
        if path is not None:
            self.tags.setdefault(file, []).append((value, path))

    def fill(self, row: int, rendering: Rendering, file: str) -> None:
        """Move what a call gives a template to the names in the scripts of its file."""
        solver = self.solver
        for target, path in self.tags.get(file, ()):
            for port in rendering.values:
                inside = tuple([key or None for key in port.path])
                if port.kind != "all":
                    for value in port_values(solver, row, port):
                        self.move(value, target, inside + path)
                    continue
                for argument in solver.calls.args.at(row, port):
                    keyword = solver.calls.arg_keyword[argument]
                    if keyword == NONE:
                        self.move(solver.calls.arg_value[argument], target, inside + path)
                    elif path[:1] == (solver.strings[keyword],):
                        self.move(solver.calls.arg_value[argument], target, path[1:])

    def move(self, value: int, target: int, path: Path) -> None:
        keys = tuple([UNKNOWN_KEY if key is None else self.solver.program.intern(key) for key in path])
        found = Move(value, target, keys)
        if found not in self.known and len(self.known) < MAX_INLINED:
            self.known.add(found)
            self.solver.resolution.flows.moves.append(found)
            self.solver.resolution.flows.inlined.add(target)
