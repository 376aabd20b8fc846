"""Which functions read a named part of a request: ``request.GET["next"]`` in a middleware and in a view is one part."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import NamedTuple

from pyrograph.ir.codes import NONE, Op, ParameterKind
from pyrograph.policy.limits.explanation import MAX_GUARD_USES, MAX_PART_CHAIN
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.explain.asking import Asking
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.entries import Entries


class Part(NamedTuple):
    """What is read of a request; equal for all code that reads the same."""

    language: str
    where: str  # "query", "body", …; where that is not known, the API
    name: str


class Reading(NamedTuple):
    """One place that reads a part."""

    value: int
    function: int


class RequestParts:
    """The readings of all sources of a program, by part. Linear in the sources and what is read of them, once."""

    def __init__(self, asking: Asking, entries: Entries) -> None:
        self.asking = asking
        self.entries = entries
        self.callers: Callers = entries.callers

    def part_of(self, source: SourceRole, name: str) -> Part:
        where = self.entries.parameter(source, name).where
        return Part(self.callers.language(source.value), where or source.api.partition("(")[0], name)

    @cached_property
    def readings(self) -> dict[Part, tuple[Reading, ...]]:
        """By part: where it is read, in order."""
        found: dict[Part, dict[Reading, None]] = {}
        for source in self.asking.labels.sources:
            if source.kind in REQUEST_KINDS:
                for name, value in self.named(source.value):
                    reading = Reading(value, int(self.callers.function[value]))
                    found.setdefault(self.part_of(source, name), {})[reading] = None
        return {part: tuple(readings) for part, readings in found.items()}

    @cached_property
    def passed_on(self) -> dict[str, tuple[Reading, ...]]:
        """By name: parameters of functions inside others, as of a decorator's wrapper, and what these read of their
        named arguments, ``kwargs["name"]``. Such a function may pass it on to a handler that it wraps. Linear in the
        parameters.
        """
        tables, strings = self.asking.program.tables, self.callers.strings
        parents, collecting = tables["functions"]["parent"], int(ParameterKind.KEYWORDS)
        found: dict[str, dict[Reading, None]] = {}
        columns = (tables["parameters"][each].tolist() for each in ("function", "value", "name", "kind"))
        for function, value, name, kind in zip(*columns, strict=True):
            around = int(parents[function])
            if around == NONE or int(parents[around]) == NONE or name < 0:
                continue
            if kind == collecting:
                for key, read in self.named(value):
                    found.setdefault(key, {})[Reading(read, function)] = None
            else:
                found.setdefault(strings[name], {})[Reading(value, function)] = None
        return {name: tuple(readings) for name, readings in found.items()}

    def named(self, value: int) -> list[tuple[str, int]]:
        """(name, value) of the parts that a function reads of a source by constant names; where none is, the source."""
        callers, op = self.callers, self.asking.op
        if op[value] == Op.CALL and (name := callers.path_of(self.asking.data[value])):
            return [(name, value)]
        found: list[tuple[str, int]] = []
        work = [(value, 0)]
        for at, depth in work:  # grows, to the bounds
            rep = callers.reps[at]
            for read in self.loads(rep):
                if name := callers.member_name(read):
                    found.append((name, read))  # a member of it is another part
                elif depth < MAX_PART_CHAIN:
                    work.append((read, depth + 1))
            for call in self.calls(rep):
                result = int(self.asking.program.tables["calls"]["result"][call])
                if name := callers.path_of(call):
                    found.append((name, result))
                elif depth < MAX_PART_CHAIN:
                    work.append((result, depth + 1))
            if len(work) > MAX_GUARD_USES:
                break
        return found

    def name_on_path(self, source: SourceRole, path: Collection[int]) -> str:
        """The name of the part of a source that one of the values of a path is; the last one read, or ""."""
        return next((name for name, value in reversed(self.named(source.value)) if value in path), "")

    def loads(self, rep: int) -> list[int]:
        loads = self.asking.program.tables["loads"]
        found: list[int] = loads["result"][self.asking.by_object.of(rep)[:MAX_GUARD_USES]].tolist()
        return found

    def calls(self, rep: int) -> list[int]:
        return self.by_receiver.get(rep, [])[:MAX_GUARD_USES]

    @cached_property
    def by_receiver(self) -> dict[int, list[int]]:
        """Calls by the representative of the object whose method they call."""
        receivers = self.asking.program.tables["calls"]["receiver"]
        found: dict[int, list[int]] = {}
        for call, receiver in enumerate(receivers.tolist()):
            if receiver != NONE:
                found.setdefault(self.callers.reps[receiver], []).append(call)
        return found
