"""Unexported fields, in languages where the name decides: a library that fills a whole object cannot fill them.

Only stores of the program itself taint such a field, not taint of the whole object. A type that is decoded by a method
of its own is filled by the program, and keeps the taint.
"""

from __future__ import annotations

from functools import cached_property

from pyrograph.ir.codes import Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, Resolution


class Unexported:
    """Answers for the few values that pruning leaves; cached."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.resolution = resolution
        self.known: dict[int, bool] = {}

    def reads(self, value: int) -> bool:
        """Whether ``value`` is read from a field that no other package can name, and so no decoder can fill."""
        known = self.known.get(value)
        if known is None:
            known = self.known[value] = self._reads(value)
        return known

    def _reads(self, value: int) -> bool:
        tables = self.program.tables
        if tables["values"]["op"][value] != Op.LOAD:
            return False
        file = self.program.files[int(self.program.file_of_value[value])]
        if not language_of(file.language).traits.modules.exported_by_case:
            return False
        row = int(tables["values"]["data"][value])
        key = int(tables["loads"]["key"][row])
        if key < 0 or self.program.strings[key][:1].isupper():
            return False
        states = self.resolution.states_of(int(tables["loads"]["object"][row]))
        methods = language_of(file.language).traits.modules.decoding_methods
        owners = [state >> KIND_BITS for state in states if state & KIND == INSTANCE_OF]
        return any(self.declares(each, key) and not self.decodes(each, methods) for each in owners)

    def decodes(self, owner: int, methods: frozenset[str]) -> bool:
        """Whether a type has one of these methods, its own or a promoted one: they fill all of its fields."""
        names = [self.program.string_ids[each] for each in methods if each in self.program.string_ids]
        members = self.resolution.class_members
        return any(name in members.get(each, {}) for each in self.resolution.lineage(owner) for name in names)

    def declares(self, owner: int, key: int) -> bool:
        """Whether a type has a field of this name, its own or a promoted one, which is no embedded type."""
        op, names = self.program.tables["values"]["op"], self.owner_names
        for each in self.resolution.lineage(owner):
            values = self.resolution.class_members.get(each, {}).get(key, ())
            if values:
                bases = self.resolution.class_bases.get(each, ())
                return all(op[value] == Op.FIELD for value in values) and all(names[base] != key for base in bases)
        return False

    @cached_property
    def owner_names(self) -> list[int]:
        names: list[int] = self.program.tables["owners"]["name"].tolist()
        return names
