"""Unexported fields, in languages where the name decides: a library that fills a whole object cannot fill them.

Only stores of the program itself taint such a field, not taint of the whole object. A type may be decoded by a method
of its own: the library calls it, so no edge leads from the decoded text to the field. The field keeps the taint of the
whole object where that method puts there what it decodes, and checks it nowhere.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
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
        return any(self.is_closed(each, key, methods) for each in owners)

    def is_closed(self, owner: int, key: int, methods: frozenset[str]) -> bool:
        """Whether a type has a field of this name, its own or a promoted one, which is no embedded type, and the type
        that declares it has none of these methods that fills it.
        """
        op, names = self.program.tables["values"]["op"], self.owner_names
        for each in self.resolution.lineage(owner):
            values = self.resolution.class_members.get(each, {}).get(key, ())
            if values:
                bases = self.resolution.class_bases.get(each, ())
                is_field = all(op[value] == Op.FIELD for value in values) and all(names[base] != key for base in bases)
                return is_field and not self.decodes(each, key, methods)
        return False

    def decodes(self, owner: int, key: int, methods: frozenset[str]) -> bool:
        """Whether a type has one of these methods, and that fills the field ``key`` with what it decodes."""
        values = self.program.tables["values"]
        members = self.resolution.class_members.get(owner, {})
        for name in sorted(methods):
            for value in members.get(self.program.string_ids.get(name, NONE), ()):
                if values["op"][value] == Op.FUNCTION and self.fills(int(values["data"][value]), key):
                    return True
        return False

    def fills(self, method: int, key: int) -> bool:
        """Whether a method stores in the field ``key`` of its receiver what it decodes, which nothing checks: neither
        before, nor once it is in the object. Cost: one look at all values.
        """
        tables = self.program.tables
        values, stores = tables["values"], tables["stores"]
        own = np.flatnonzero(values["function"] == method)
        op = values["op"][own]
        rows = values["data"][own[op == Op.STORE]]
        rows = rows[stores["key"][rows] == key]
        if not any(self.is_of_receiver(int(stores["object"][row]), stored=True) for row in rows):
            return False
        loads = tables["loads"]
        read = values["data"][own[op == Op.LOAD]]
        if any(self.is_of_receiver(int(loads["object"][row])) for row in read[loads["key"][read] == key]):
            return False
        given = tables["arguments"]["value"][values["data"][own[op == Op.POST]]].tolist()
        tested = tables["pis"]["input"][values["data"][own[op == Op.PI]]].tolist()
        if any(self.is_of_receiver(value) for value in given):
            return False
        seen = {*given, *tested}
        return any(value not in seen and self.is_decoded(value) for value in stores["value"][rows].tolist())

    def is_of_receiver(self, value: int, stored: bool = False) -> bool:
        """Whether ``value`` is a state of its function's receiver: after a store, or any if ``stored``."""
        tables = self.program.tables
        values = tables["values"]
        while (op := values["op"][value]) != Op.PARAMETER:
            row = int(values["data"][value])
            if op == Op.STORE:
                value, stored = int(tables["stores"]["object"][row]), True
            elif op == Op.PI:
                value = int(tables["pis"]["input"][row])
            elif op == Op.POST:
                value = int(tables["arguments"]["value"][row])
            else:
                return False
        row = int(values["data"][value])
        return stored and row != NONE and bool(tables["parameters"]["position"][row] == RECEIVER)

    def is_decoded(self, value: int) -> bool:
        """Whether ``value`` is a parameter, converted or not, or what lies in an object that one call has filled; no
        condition and no call has seen it.
        """
        tables = self.program.tables
        values = tables["values"]
        if value != NONE and values["op"][value] == Op.EXPRESSION:
            parts = tables["flows"]["origin"][tables["flows"]["target"] == value]
            value = int(parts[0]) if len(parts) == 1 else NONE
        if value == NONE or values["op"][value] != Op.LOAD:
            return value != NONE and bool(values["op"][value] == Op.PARAMETER)
        row = int(values["data"][value])
        if tables["loads"]["key"][row] < 0:
            return False
        calls = 0
        value = int(tables["loads"]["object"][row])
        while (op := values["op"][value]) == Op.PI or op == Op.POST:
            if op == Op.POST:
                calls += 1
            name, column = ("pis", "input") if op == Op.PI else ("arguments", "value")
            value = int(tables[name][column][values["data"][value]])
        return calls == 1 and bool(op == Op.NEW)

    @cached_property
    def owner_names(self) -> list[int]:
        names: list[int] = self.program.tables["owners"]["name"].tolist()
        return names
