"""Functions of a program that escape a text character by character, or by a table, in a way that no rule describes.

What a replacement by a constant proves is known to labelling. A loop that puts a backslash before each character of a
list, and one that replaces what a table names, prove as much in most programs, but only the name of the function says
that they mean to. ``policy.names`` has the names.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.functions import ESCAPING_NAMES, KEY_QUESTIONS, OF_SHELL_NAMES, REPLACING_NAMES
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution


class Escapers:
    """The functions of a program that are named after escaping, and what they do; answers are kept."""

    def __init__(self, program: Program, resolution: Resolution) -> None:
        self.program = program
        self.reps = resolution.representative
        self.ops = program.tables["values"]["op"]
        self.owner = program.tables["values"]["function"]
        self.known: dict[int, bool] = {}

    @cached_property
    def named(self) -> npt.NDArray[np.bool_]:
        """For each function whether its name says that it escapes."""
        names = self.program.tables["functions"]["name"]
        chosen = {name for name in set(names.tolist()) if name != NONE and is_named(self.program.strings[name])}
        return among(names, chosen)

    def escapes(self, function: int) -> bool:
        """Whether a function that is named after escaping looks at single characters, or at a table."""
        known = self.known.get(function)
        if known is None:
            known = self.known[function] = self._escapes(function)
        return known

    def _escapes(self, function: int) -> bool:
        parents = self.program.tables["functions"]["parent"]
        inside = np.append(np.flatnonzero(parents == function), function)
        values = np.concatenate([self.values.of(each) for each in inside.tolist()])
        loads = values[self.ops[values] == int(Op.LOAD)]
        keys = self.program.tables["loads"]["key"][self.program.tables["values"]["data"][loads]]
        is_inner = (self.ops[values] == int(Op.PARAMETER)) & (self.owner[values] != function)
        single = {*loads[keys < 0].tolist(), *values[is_inner].tolist()}
        looked_up = self.keys_of(keys.tolist()) - self.keys_of(self.keys_written(values))
        if not {int(self.reps[each]) for each in single}.isdisjoint(looked_up):
            return True  # ``TABLE[character]``; what is also written under the key is no table
        name = self.program.strings[int(self.program.tables["functions"]["name"][function])]
        is_of_shell = OF_SHELL_NAMES.search(name) is not None
        return self.decides_by(single, inside) or self.replaces(values, is_anything=is_of_shell)

    def keys_of(self, keys: Iterable[int]) -> set[int]:
        """Representatives of the values that are keys."""
        return {int(self.reps[key_value(each)]) for each in keys if each <= FIRST_VALUE_KEY}

    def keys_written(self, values: npt.NDArray[np.int64]) -> list[int]:
        """The keys of the stores among some values."""
        rows = self.program.tables["values"]["data"][values[self.ops[values] == int(Op.STORE)]]
        found: list[int] = self.program.tables["stores"]["key"][rows].tolist()
        return found

    @cached_property
    def values(self) -> RowsByKey:
        """Values by function."""
        return RowsByKey(self.owner)

    def decides_by(self, single: set[int], inside: npt.NDArray[np.int64]) -> bool:
        """Whether a condition of these functions asks for one of the values, itself or by a call that is given it.

        A question about the type of a value (``typeof part === "string"``) says that the function walks through an
        object: all characters of a text have the same type and size.
        """
        tables, reps = self.program.tables, self.reps
        conditions, arguments = tables["conditions"], tables["arguments"]
        wanted = {int(reps[each]) for each in single}
        sites = arguments["call"][among(reps[arguments["value"]], wanted)].tolist()
        asked = tables["calls"]["result"][[each for each in sites if not asks_for_kind(self.program, each)]]
        wanted.update(reps[asked].tolist())
        rows = np.flatnonzero(among(conditions["function"], inside.tolist()) & (conditions["test"] != int(Test.IS)))
        operands = np.concatenate([conditions[side][rows] for side in ("left", "right")])
        return not wanted.isdisjoint(reps[operands[operands != NONE]].tolist())

    def replaces(self, values: npt.NDArray[np.int64], *, is_anything: bool) -> bool:
        """Whether a call among these values replaces a text that is no constant, ``for k in TABLE: x.replace(k, ...)``,
        or anything.
        """
        tables = self.program.tables
        calls = values[self.ops[values] == int(Op.CALL)]
        for call in tables["values"]["data"][calls].tolist():
            name = int(tables["calls"]["name"][call])
            if name == NONE or REPLACING_NAMES.fullmatch(self.program.strings[name]) is None:
                continue
            if is_anything:
                return True
            rows = self.arguments.of(call)
            given = rows[tables["arguments"]["position"][rows] != RECEIVER]
            replaced = self.reps[tables["arguments"]["value"][given]]
            if among(self.ops[replaced], [int(Op.LOAD), int(Op.PHI)]).any():
                return True
        return False

    @cached_property
    def arguments(self) -> RowsByKey:
        """Arguments by call."""
        return RowsByKey(self.program.tables["arguments"]["call"])


def asks_for_kind(program: Program, call: int) -> bool:
    """Whether the name of the method, or global function, that is called says that it asks what kind of object it
    is given, or how large it is: ``isinstance(part, str)``.
    """
    calls, values = program.tables["calls"], program.tables["values"]
    name, callee = int(calls["name"][call]), int(calls["callee"][call])
    if name == NONE and callee != NONE and values["op"][callee] == int(Op.GLOBAL):
        name = int(values["data"][callee])
    return name != NONE and KEY_QUESTIONS.fullmatch(program.strings[name]) is not None


def is_named(name: str) -> bool:
    """Whether the name of a function says that it escapes, and not for which of two languages.

    >>> names = ("escapeLDAPValue", "shell_quote", "quoteIdent", "unescape", "escapeHtml", "quotes")
    >>> [is_named(name) for name in names]
    [True, True, True, False, False, False]
    """
    return ESCAPING_NAMES.search(name) is not None
