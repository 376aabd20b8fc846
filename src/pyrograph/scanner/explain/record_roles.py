"""A handler beside the role that it needs, in a record for a function that compares that role with the user's.

    serve({ role: "admin", run: (req, res) => ... });

where ``serve`` calls ``options.run`` only behind a comparison of ``options.role`` with the role of the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_STEPS, MAX_GUARD_USES
from pyrograph.policy.names.administrators import ROLES
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.route_groups import RouteGroups

Side = tuple[int, int]  # condition, side


class RecordRoles:
    def __init__(self, checks: RouteGroups) -> None:
        self.checks = checks
        self.tables = checks.tables
        self.record = NONE  # the parameter that is asked about
        self.compared: dict[tuple[int, int, int], bool] = {}  # by parameter, key of the role and of the handler

    def shows(self, literal: int, function: int) -> bool:
        """Whether all functions that get a record with a function run it for the role alone that the record names, and
        that is the administrators'.
        """
        checks, stores = self.checks, self.tables["stores"]
        if not checks.question.trusts_words:
            return False
        rows = [row for row in checks.by_object.of(literal)[:MAX_GUARD_USES].tolist() if stores["key"][row] >= 0]
        values = {int(stores["key"][row]): int(stores["value"][row]) for row in rows if stores["value"][row] != NONE}
        roles = [key for key, value in values.items() if self.is_role(key, value)]
        handlers = [key for key, value in values.items() if function in checks.functions_in(checks.reps[value])]
        if not roles or not handlers:
            return False
        uses = checks.arguments_of(literal)
        records = [self.parameters_of(call, row) for call, row in uses]
        return bool(records) and all(
            any(self.compares(each, role, handler) for role in roles for handler in handlers)
            for each in [one for found in records for one in found or [NONE]][:MAX_GUARD_USES]
        )

    def parameters_of(self, call: int, row: int) -> list[int]:
        """The parameters by which functions of the program get an argument."""
        checks, parameters = self.checks, self.tables["parameters"]
        rows = [
            each for function in checks.regions.functions_of(call) for each in checks.by_owner.of(function).tolist()
        ]
        position = checks.args.position[row]
        return [int(parameters["value"][each]) for each in rows if int(parameters["position"][each]) == position >= 0]

    def is_role(self, key: int, value: int) -> bool:
        """Whether a field is named after a role, and holds that of administrators."""
        name = self.checks.strings[key]
        text = self.checks.constant(value)
        code = f'"{text}"' if text else self.checks.text(value)
        return not ROLES.isdisjoint(words(name)) and self.checks.question.asks(f"{name} == {code}")

    def compares(self, record: int, role: int, handler: int) -> bool:
        """Whether the function of a parameter, or one inside it, calls the field ``handler`` of that only behind a
        comparison with the field ``role``.
        """
        name = record, role, handler
        if name not in self.compared:
            self.record = record
            self.compared[name] = record != NONE and self._compares(role, handler)
        return self.compared[name]

    def _compares(self, role: int, handler: int) -> bool:
        regions, calls = self.checks.regions, self.tables["calls"]
        found = 0
        for each in self.checks.nest(int(self.checks.function[self.record])):
            if each not in regions.blocks:
                continue
            for call in regions.calls_in(each):
                receiver = int(calls["receiver"][call])
                is_method = int(calls["name"][call]) == handler and receiver != NONE and self.is_record(receiver)
                if is_method or self.is_about(int(calls["callee"][call]), handler):
                    found += 1
                    if found > MAX_GUARD_USES or not self.is_behind(each, int(calls["result"][call]), role):
                        return False
        return found > 0

    def is_field(self, value: int, key: int) -> bool:
        """Whether a value is read under a key of the record."""
        at, loads = self.checks.reps[value], self.tables["loads"]
        if self.checks.op[at] != Op.LOAD or int(loads["key"][self.checks.data[at]]) != key:
            return False
        return self.is_record(int(loads["object"][self.checks.data[at]]))

    def is_record(self, value: int) -> bool:
        """Whether a value is the record, in a function that gets it or in one inside that."""
        checks = self.checks
        for _ in range(MAX_GUARD_DEPTH + 1):
            at = checks.first_of(value)
            if at == self.record:
                return True
            copied = checks.origins(at) if checks.op[at] == Op.EXPRESSION else []
            value = copied[0] if len(copied) == 1 else checks.captured.get(at, NONE)
            if value == NONE:
                return False
        return False

    def is_behind(self, function: int, value: int, role: int) -> bool:
        """Whether ``value`` is computed only on one side of a comparison with the role, where there is a role."""
        regions = self.checks.regions
        conditions = regions.conditions_in(function)[:MAX_GUARD_STEPS]
        absent = [(each, self.absent_side(each, role)) for each in conditions]
        missing = [(each, side) for each, side in absent if side != NONE]
        block = regions.block_of(value)
        for each in conditions:
            if self.is_comparison(each, role):
                for side in (0, 1):
                    if block not in regions.reach_without(function, frozenset([*missing, (each, side)])):
                        return True
        return False

    def absent_side(self, condition: int, role: int) -> int:
        """The side of a condition on which there is no role; NONE where it does not ask that."""
        table = self.tables["conditions"]
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test == Test.TRUTH and self.is_about(left, role):
            return 0
        if test == Test.LESS and right != NONE and self.is_length(right, role):
            return 0
        if test == Test.EQUAL and NONE not in (left, right):
            for one, other in ((left, right), (right, left)):
                if self.checks.op[self.checks.reps[other]] in (Op.CONST, Op.GLOBAL) and (
                    self.is_about(one, role) or self.is_length(one, role)
                ):
                    return 1
        return NONE

    def is_about(self, value: int, role: int) -> bool:
        """Whether a value is the field of the role, or a name for it."""
        return any(self.is_field(each, role) for each in self.versions(value))

    def is_length(self, value: int, role: int) -> bool:
        """Whether a value is made of the field of the role alone, such as its length."""
        at = self.checks.reps[value]
        if self.checks.op[at] == Op.LOAD:
            return self.is_about(int(self.tables["loads"]["object"][self.checks.data[at]]), role)
        return self.checks.op[at] == Op.CALL and len(given := self.given(at)) == 1 and self.is_about(given[0], role)

    def is_comparison(self, condition: int, role: int) -> bool:
        """Whether a condition compares the field of the role with something else that is no constant."""
        table = self.tables["conditions"]
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test in (Test.EQUAL, Test.IN, Test.LESS) and NONE not in (left, right):
            return self.are_compared((left, right), role)
        if test != Test.TRUTH or left == NONE:
            return False
        return any(
            self.are_compared(self.given(at), role)
            for at in (self.checks.reps[each] for each in self.versions(left))
            if self.checks.op[at] == Op.CALL
        )

    def are_compared(self, values: Sequence[int], role: int) -> bool:
        about = [self.is_about(each, role) for each in values]
        others = [each for each, is_role in zip(values, about, strict=True) if not is_role]
        return any(about) and any(self.checks.op[self.checks.reps[each]] != Op.CONST for each in others)

    def given(self, call: int) -> list[int]:
        """What a call is given, its receiver included where that is a value of the program."""
        args, number = self.checks.args, self.checks.data[call]
        return [args.value[row] for row in args.of(number)]

    def versions(self, value: int) -> Iterable[int]:
        """A value, and what it is a version of, to the bound."""
        work = [value]
        for each in work:  # grows, to the bound
            at = self.checks.reps[each]
            further = [self.checks.captured.get(at, NONE)]
            if self.checks.op[at] in (Op.PI, Op.PHI, Op.EXPRESSION):
                further += self.checks.origins(at)
            further += [self.checks.before(at)] if self.checks.op[at] in (Op.PI, Op.POST, Op.CELL) else []
            work += [one for one in further if one != NONE and one not in work][: max(0, MAX_GUARD_USES - len(work))]
        return work
