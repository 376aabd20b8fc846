"""The arguments of calls, and which of them the port of a model names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, ArgumentFlag
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.link import Program

SPREAD: Final = int(ArgumentFlag.SPREAD)


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument of a call; where it is a parameter of the function around the call, what one caller passes."""

    value: int
    position: int  # NONE: it has a name
    keyword: int  # a string, or NONE
    flags: int  # ``ArgumentFlag``
    row: int  # of the caller's argument; of the call's own where no caller decides it
    moved: bool = False  # whether a caller decides it


class Arguments:
    """The table of arguments as lists, each a row in it; the rows of a call follow each other, its receiver first."""

    def __init__(self, program: Program) -> None:
        self.string_ids = program.string_ids
        self.value = program.numbers("arguments", "value")
        self.position = program.numbers("arguments", "position")
        self.keyword = program.numbers("arguments", "keyword")
        self.flags = program.numbers("arguments", "flags")
        self.post = program.numbers("arguments", "post")
        calls = np.arange(len(program.tables["calls"]["result"]) + 1, dtype=np.int32)
        self.first: list[int] = np.searchsorted(program.tables["arguments"]["call"], calls).tolist()  # (calls + 1,)

    def of(self, call: int) -> range:
        """The rows of a call's arguments."""
        return range(self.first[call], self.first[call + 1])

    def at(self, call: int, port: Port) -> list[int]:
        """The rows that ``port`` names at ``call``: by keyword, by position, then those whose spread may reach it."""
        position = self.position
        first, last = self.first[call], self.first[call + 1]
        received = first < last and position[first] == RECEIVER
        if port.kind == "this":
            return [first] if received else []
        own = range(first + 1 if received else first, last)
        if port.kind == "all":
            return list(own)
        named: list[int] = []
        if port.names:
            names = {self.string_ids.get(name, NO_STRING) for name in port.names}
            named = [row for row in own if self.keyword[row] in names]
        if port.kind == "position":
            wanted = port.position
            spread: list[int] = []
            for row in own:
                if self.flags[row] & SPREAD and NONE < position[row] <= wanted:
                    spread.append(row)
                elif position[row] == wanted:
                    named.append(row)
            return named + spread
        if port.kind == "keyword":
            return named
        positional = [row for row in own if position[row] != NONE]
        if port.kind == "from":
            start = port.position
            return named + [row for row in positional if position[row] >= start or self.flags[row] & SPREAD]
        if port.kind == "end":
            last = max((position[row] for row in positional), default=-1) + 1 - port.position
            return [row for row in positional if position[row] == last]
        return []

    def passed(self, arguments: Sequence[Passed], port: Port) -> list[Passed]:
        """Those of ``arguments``, without a receiver, that ``port`` names; as ``at``."""
        if port.kind == "all":
            return list(arguments)
        names = {self.string_ids.get(name, NO_STRING) for name in port.names}
        named = [each for each in arguments if each.keyword in names and not each.flags]
        if port.kind == "position":
            here = [each for each in arguments if each.position == port.position and not each.flags]
            spread = [each for each in arguments if each.flags & SPREAD and NONE < each.position <= port.position]
            return [*named, *here, *spread]
        if port.kind == "from":
            spread = [each for each in arguments if each.flags & SPREAD and NONE < each.position < port.position]
            return [*named, *spread, *(each for each in arguments if each.position >= max(port.position, 0))]
        return named
