"""Classes of which a program makes no object: nothing names them but their own definition.

    class Memory(Driver): ...      # nothing calls it, imports it or hands it on
    class Postgres(Driver): ...    # connection = Postgres(settings)
    connection.query(sql)          # of an object of which nothing is known

Resolution knows such a call by the method's name, and takes each class that has one. Where some of these classes are
made, the object is of one of them. Where none is, something that the scan does not see makes them, and nothing is
concluded. Nor is anything of a program that lists the classes below another one, or of a class whose module may be
asked for members by names that are not written.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.names.loading import LISTS_CLASSES, LISTS_SUBCLASSES
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import CLASS
from pyrograph.scanner.explain.importers import Importers
from pyrograph.scanner.explain.texts import Texts

TEXT: Final = "'"  # the first character of a constant text
DOTTED: Final = re.compile(r"'[\w.:/-]{0,200}[.:](\w{1,100})")  # the name of a module, and that of a member


class NeverMade:
    """Answers for one program. Linear in its values and strings, once."""

    def __init__(self, program: Program, resolution: Resolution, texts: Texts) -> None:
        self.program = program
        self.resolution = resolution
        self.texts = texts
        self.listed: dict[int, bool] = {}  # by class: ``is_listed``

    def leaves(self, owners: Collection[int], owner: int) -> bool:
        """Whether an object of one of ``owners`` is none of the class ``owner``: others of them are made."""
        if len(set(owners)) < 2 or owner in self.made or self.made.isdisjoint(owners):
            return False
        known = self.listed.get(owner)
        if known is None:
            known = self.listed[owner] = self.is_listed(owner)
        return not known

    @cached_property
    def made(self) -> frozenset[int]:
        """The classes that code names, those above them, and those whose name ends a text, behind that of a module."""
        found = set(self.named)
        owners, strings = self.program.tables["owners"]["name"].tolist(), self.program.strings
        dotted = filter(None, (DOTTED.fullmatch(text) for text in strings if text[:1] == TEXT))
        texts = {match[1] for match in dotted}
        found |= {owner for owner, name in enumerate(owners) if name >= 0 and strings[name] in texts}
        for each in self.resolution.class_members.keys() | self.resolution.class_bases.keys():
            if each in found:
                found.update(self.resolution.lineage(each))
        return frozenset(found)

    @cached_property
    def named(self) -> frozenset[int]:
        """The classes that are called, given to a call, kept, returned, imported, read as a member, or of which a
        member is read.
        """
        tables, resolution = self.program.tables, self.resolution
        ops = tables["values"]["op"]
        is_result = np.zeros(len(ops), np.bool_)
        is_result[tables["functions"]["result"]] = True
        returned = tables["flows"]["origin"][is_result[tables["flows"]["target"]]]
        read = np.flatnonzero(among(ops, [int(Op.IMPORT), int(Op.LOAD)]))
        calls, stores = tables["calls"], tables["stores"]
        used = np.concatenate(
            [
                *(calls["callee"], calls["receiver"], tables["arguments"]["value"]),
                *(stores["value"], tables["loads"]["object"], returned, read),
            ]
        ).astype(np.int64)
        reps = distinct(resolution.representative[used[used >= 0]]).tolist()
        states = set[int]().union(*filter(None, map(resolution.states.__getitem__, reps)))
        return frozenset(each >> KIND_BITS for each in states if each & KIND == CLASS)

    def is_listed(self, owner: int) -> bool:
        """Whether code may find a class without its name."""
        if not LISTS_SUBCLASSES.isdisjoint(self.program.strings):
            return True
        file = int(self.program.file_of_value[self.program.tables["owners"]["value"][owner]])
        return any(self.texts.has(each, LISTS_CLASSES) for each in (file, *self.importers.get(file, ())))

    @cached_property
    def importers(self) -> dict[int, set[int]]:
        """By file: the files that import its module."""
        return Importers(self.program).of_file

    def owner_of(self, function: int) -> int:
        """The class whose method a function is; ``NONE`` for others."""
        return int(self.program.tables["functions"]["owner"][function]) if function != NONE else NONE
