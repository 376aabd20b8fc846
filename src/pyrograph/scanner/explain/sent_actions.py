"""Functions that a text at the beginning of their file makes entry points, and that no page can know.

The framework gives such a function an address when code that runs in browsers names it, or when the server hands it on
as a value: ``<form action={save}>``, ``save.bind(null, id)``. One that only code on the server calls, or that nothing
imports, has an address that nobody learns. Code that runs in browsers is in files that begin with a text that says so
(``policy.names``), and in all that these import. Imports that are computed are not seen.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import DIRECTIVE, NONE, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.requests import IN_BROWSERS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, Resolution

QUOTE: Final = "'"  # the first character of a source that is such a text


class SentActions:
    """Answers for one program. The first question costs a pass over its imports."""

    def __init__(self, program: Program, resolution: Resolution, sources: Collection[SourceRole]) -> None:
        self.program = program
        self.resolution = resolution
        self.sources = sources
        self.function = program.tables["values"]["function"]
        self.sent: dict[int, bool] = {}  # by function

    def is_unsent(self, value: int) -> bool:
        """Whether ``value`` is computed in such a function that no page knows."""
        function = int(self.function[value])
        if function not in self.actions:
            return False
        known = self.sent.get(function)
        if known is None:
            known = self.sent[function] = self.is_sent(function)
        return not known

    @cached_property
    def actions(self) -> frozenset[int]:
        """The functions of a module that its first text makes entry points."""
        functions = self.program.tables["functions"]
        found = {int(self.function[each.value]) for each in self.sources if each.api.startswith(QUOTE)}
        parents = {each: int(functions["parent"][each]) for each in found}
        return frozenset(
            each
            for each, parent in parents.items()
            if parent != NONE and functions["flags"][parent] & FunctionFlag.MODULE
        )

    def is_sent(self, function: int) -> bool:
        """Whether code in browsers names a function, or any code outside of tests uses it but for calling it."""
        files = self.program.file_of_value
        for value in self.named(function):
            if TEST_PATHS.search(self.program.files[int(files[value])].path):
                continue
            if self.is_handed_on[value] or int(files[value]) in self.in_browsers:
                return True
        return False

    def named(self, function: int) -> list[int]:
        """The values in other places that are the function: its name, an import of it, a member of its module."""
        tables = self.program.tables
        name = int(tables["functions"]["name"][function])
        values, loads = tables["values"], tables["loads"]
        read = np.full(len(values["op"]), NONE, np.int64)
        is_global, is_load = (values["op"] == int(op) for op in (Op.GLOBAL, Op.LOAD))
        read[is_global] = values["data"][is_global]
        read[is_load] = loads["key"][values["data"][is_load]]
        by_name = np.flatnonzero(read == name).tolist() if name != NONE else []
        wanted = pack_state(FUNCTION, function)
        imported = [each for each in self.imports if wanted in self.resolution.states_of(each)]
        return [*by_name, *imported]

    @cached_property
    def imports(self) -> list[int]:
        found: list[int] = np.flatnonzero(self.program.tables["values"]["op"] == int(Op.IMPORT)).tolist()
        return found

    @cached_property
    def is_handed_on(self) -> npt.NDArray[np.bool_]:
        """For each value whether code passes it, stores it, returns it or reads something of it."""
        tables = self.program.tables
        columns = (("arguments", "value"), ("stores", "value"), ("flows", "origin"), ("loads", "object"))
        rows = distinct(np.concatenate([tables[table][column] for table, column in columns]))
        found = np.zeros(self.program.num_values, bool)
        found[rows[rows >= 0]] = True
        return found

    @cached_property
    def begun(self) -> frozenset[int]:
        """The files that begin with a text which says that their code runs in browsers."""
        texts = [each for text in IN_BROWSERS if (each := self.program.string_ids.get(DIRECTIVE + text)) is not None]
        values = self.program.tables["values"]
        rows = np.flatnonzero((values["op"] == int(Op.CONST)) & among(values["data"], texts))
        return frozenset(self.program.file_of_value[rows].tolist())

    @cached_property
    def in_browsers(self) -> frozenset[int]:
        """The files whose code runs in browsers. Linear in the imports of the program."""
        imported: dict[int, set[int]] = {}  # by file: those that it imports
        for value in self.imports:
            for state in self.resolution.states_of(value):
                if (made := self.made_at(state)) != NONE:
                    imported.setdefault(int(self.program.file_of_value[value]), set()).add(
                        int(self.program.file_of_value[made])
                    )
        work = sorted(self.begun)
        found = set(work)
        for file in work:  # grows, each file once
            further = sorted(imported.get(file, set()) - found)
            found.update(further)
            work += further
        return frozenset(found)

    def made_at(self, state: int) -> int:
        """The value that a function or class of the program is; NONE for other things that a name may stand for."""
        if state & KIND == FUNCTION:
            return int(self.program.tables["functions"]["value"][state >> KIND_BITS])
        if state & KIND == CLASS:
            return int(self.program.tables["owners"]["value"][state >> KIND_BITS])
        return NONE
