"""Branches that run where the program is developed or tested only: ``if (process.env.NODE_ENV === "development")``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import EXPORTED, NONE, FunctionFlag, Op, Test
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.kernels.arrays import distinct
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import ModuleTraits
from pyrograph.policy.limits.explanation import MAX_ALTERNATIONS, MAX_GUARD_STEPS, MAX_GUARD_USES
from pyrograph.policy.names.settings import DEVELOPING, ENVIRONMENT, PRODUCING, UNDER_DEVELOPMENT, UNDER_PRODUCTION
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.uses import Uses
from pyrograph.scanner.explain.written import is_plain, is_written

TEXT: Final = "'"  # the first character of a constant text


class Development:
    """Answers for one program, kept by function. O(blocks and conditions of a function, and its uses)."""

    def __init__(self, uses: Uses, named: Callable[[int], str | None]) -> None:
        """``named``: the constant that a value is, with ``TEXT`` before a text, where another file may declare it."""
        self.uses = uses
        self.named = named
        self.regions: Regions = uses.regions
        self.strings = uses.program.strings
        self.made = uses.program.tables["functions"]["value"]
        self.only: dict[int, bool] = {}  # by value: ``is_only``
        self.registered: dict[int, bool] = {}  # by function: ``is_registered_only``
        self.sides: dict[int, int] = {}  # by value: ``stated``
        self.asked: dict[int, int] = {}  # by value that went through conditions: what they ask about
        self.used: dict[int, dict[int, int] | None] = {}  # by function: the blocks that users reach; None: all

    def is_only(self, value: int) -> bool:
        """Whether ``value`` is computed in such a branch, or in a function that is made, or registered, in one."""
        known = self.only.get(value)
        if known is None:  # paths share most of their values
            known = self.is_in_branch(value) or any(map(self.is_registered_only, self.around(value)))
            self.only[value] = known
        return known

    def is_in_branch(self, value: int) -> bool:
        for function in self.around(value):
            if function not in self.used:
                self.used[function] = self.blocks(function)
            reached = self.used[function]
            if reached is not None and self.regions.block_of(value) not in reached:
                return True
            value = int(self.made[function])
        return False

    def around(self, value: int) -> Iterator[int]:
        """The function of a value, and those around it."""
        while value != NONE:  # a function is made in the one around it
            function = int(self.regions.function[value])
            yield function
            value = int(self.made[function])

    def is_made_only(self, owner: int) -> bool:
        """Whether all objects of a class are made in such branches: ``if (env === "dev") return new FileStorage();``.

        The program has to show where they are made: no class derives from it, and no field is declared to hold one,
        which some languages make with the object that has the field.
        """
        made = self.uses.makers.get(owner, ())
        if not 0 < len(made) <= MAX_GUARD_USES or owner in self.derived or owner in self.held:
            return False
        return all(map(self.is_only, made))

    @cached_property
    def held(self) -> frozenset[int]:
        """Classes of which a field, or a variable of a module, is declared to hold an object."""
        tables, states = self.regions.program.tables, self.regions.resolution
        types = tables["types"]
        declared = types["type"][tables["values"]["op"][types["value"]] == int(Op.FIELD)].tolist()
        return frozenset(each for value in declared for each in subjects(states.states_of(value), CLASS))

    @cached_property
    def derived(self) -> frozenset[int]:
        """Classes from which others derive."""
        states, bases = self.regions.resolution, self.regions.program.tables["bases"]["base"].tolist()
        return frozenset(each for base in bases for each in subjects(states.states_of(base), CLASS))

    def is_registered_only(self, function: int) -> bool:
        """Whether all that a function is used for is to be given to calls in such branches: nothing calls, keeps,
        returns or exports it. Where it is registered in a function, that one's callers are not asked.
        """
        known = self.registered.get(function)
        if known is None:
            given = self.uses.uses_of(function)
            known = 0 < len(given) <= MAX_GUARD_USES and not self.is_used_otherwise(function)
            if known:
                results = self.regions.program.tables["calls"]["result"]
                known = all(self.is_in_branch(int(results[call])) for call, _ in given)
            self.registered[function] = known
        return known

    def is_used_otherwise(self, function: int) -> bool:
        table = self.regions.program.tables["functions"]
        is_method = table["owner"][function] != NONE or table["flags"][function] & int(FunctionFlag.METHOD)
        if is_method or len(self.uses.callers.of(function)) > 0 or function in self.kept:
            return True
        value = int(self.made[function])
        original = int(self.uses.program.original[value]) if value != NONE else value
        return original != value and self.is_used_otherwise(self.regions.data[original])

    @cached_property
    def kept(self) -> frozenset[int]:
        """The functions that are written into objects, returned or exported, or of which a member is read."""
        tables = self.regions.program.tables
        values = tables["values"]
        is_result = np.zeros(len(values["op"]), np.bool_)
        is_result[tables["functions"]["result"]] = True
        returned = tables["flows"]["origin"][is_result[tables["flows"]["target"]]]
        used = np.concatenate(
            [returned, self.exported, tables["stores"]["value"], tables["loads"]["object"], tables["calls"]["receiver"]]
        ).astype(np.int64)
        reps = distinct(self.regions.resolution.representative[used[used >= 0]]).tolist()
        states = self.regions.resolution.states
        kept = set[int]().union(*filter(None, map(states.__getitem__, reps)))  # many values are the same few functions
        return frozenset(each >> KIND_BITS for each in kept if each & KIND == FUNCTION)

    @cached_property
    def exported(self) -> list[int]:
        """The values that files give to code outside of the program."""
        program = self.regions.program
        exports = program.tables["exports"]
        modules = [language_of(file.language).traits.modules for file in program.files]
        names, values = (exports[name].tolist() for name in ("name", "value"))
        files = program.file_of_value[exports["value"]].tolist()
        return [
            value
            for name, value, file in zip(names, values, files, strict=True)
            if is_exported(self.strings[name], modules[file])
        ]

    def blocks(self, function: int) -> dict[int, int] | None:
        regions = self.regions
        if function not in regions.blocks or not any(
            self.side_of(each) != NONE for each in regions.conditions_in(function)
        ):
            return None
        results = regions.program.tables["calls"]["result"]
        ending = [int(results[call]) for call in regions.calls_in(function) if call in regions.non_returning]
        return regions.reach(function, {regions.block_of(each): each for each in reversed(ending)}, self.implies)

    def implies(self, condition: int, side: int, depth: int = 0) -> bool:
        """Whether a condition has ``side`` under development only; ``depth``: of alternations in conjunctions."""
        if self.side_of(condition) == side:
            return True
        if depth == MAX_ALTERNATIONS or condition not in self.regions.conjunctions:
            return False
        parts = self.regions.conjuncts(condition)
        if side:
            return any(self.implies(part, wanted, depth + 1) for part, wanted in parts)
        return all(self.implies(part, 1 - wanted, depth + 1) for part, wanted in parts)

    def side_of(self, condition: int) -> int:
        """The side that a condition has under development only, or NONE."""
        table = self.regions.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if test == Test.TRUTH:
            name = self.code(left)
            return 1 if UNDER_DEVELOPMENT.search(name) else 0 if UNDER_PRODUCTION.search(name) else self.stated(left)
        if test != Test.EQUAL or NONE in (left, right):
            return NONE
        for value, other in ((left, right), (right, left)):
            text = self.constant(value)
            if text and ENVIRONMENT.search(self.code(other)):
                return 1 if DEVELOPING.search(text) else 0 if PRODUCING.search(text) else NONE
        return NONE

    def stated(self, value: int) -> int:
        """``side_of`` of the one comparison that a variable is, in whatever file: ``const isLocal = ...``."""
        known = self.sides.get(value)
        if known is None:
            known = self.sides[value] = self._stated(value)
        return known

    def _stated(self, value: int) -> int:
        for _ in range(MAX_GUARD_STEPS):
            if value == NONE or self.regions.op[value] == Op.EXPRESSION:
                break
            value = self.uses.before(value)
        else:
            return NONE
        if value == NONE:
            return NONE
        place = self.regions.span(value)
        table = self.regions.program.tables["conditions"]
        found = self.regions.conditions_within(value)
        if len(found) != 1 or table["test"][found[0]] != Test.EQUAL:
            return NONE
        piece = self.regions.texts.piece(*place)
        is_whole = place[1:] == (int(table["start"][found[0]]), int(table["end"][found[0]]))
        if not is_whole or not is_plain(Test.EQUAL, piece):
            return NONE
        side = self.side_of(found[0])
        return side if side == NONE or is_written(Test.EQUAL, 1, piece) else 1 - side

    def code(self, value: int) -> str:
        """The code that reads a value, whatever conditions it went through: ``env === "a" || env === "b"``."""
        passed = []
        while value != NONE and self.regions.op[value] == Op.PI:  # each is made of an earlier value
            known = self.asked.get(value)
            if known is not None:
                value = known
                break
            passed.append(value)
            value = self.uses.before(value)
        self.asked.update(dict.fromkeys(passed, value))  # thousands of checks in a row ask about one value
        return self.regions.texts.text(*self.regions.span(value), 80) if value != NONE else ""

    def constant(self, value: int) -> str:
        rep = self.regions.resolution.reps[value]
        text = self.strings[self.regions.data[rep]] if self.regions.op[rep] == Op.CONST else self.named(value) or ""
        return text.removeprefix(TEXT) if text.startswith(TEXT) else ""


def is_exported(name: str, modules: ModuleTraits) -> bool:
    """Whether a statement, or its letters, make a name of a module one that code outside may name."""
    if modules.exported_by_case:
        return name[:1].isupper()
    return name.startswith(EXPORTED) or name in (modules.module_object, modules.default_export)
