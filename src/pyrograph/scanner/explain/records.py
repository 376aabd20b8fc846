"""What a function records in an object, and which recorded state a condition asks for: ``v.add_error("sort", "bad")``,
``errors.push(text)``, ``ok = false``; later ``if (v.has_errors())``, ``errors.length``, ``!ok``.

Members are told apart: what is stored under ``session.error`` is nothing that ``session.user`` asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_VALUES
from pyrograph.policy.names.questions import ADDING_NAMES, CLEARING_NAMES, GOOD_NAMES, RECORD_NAMES
from pyrograph.scanner.explain.asking import Asking
from pyrograph.scanner.explain.look_ups import results_in
from pyrograph.scanner.explain.subjects import MERGES, STATES, Subject

ANSWERS: Final = frozenset({"true", "false"})
NO_RECORD: Final = frozenset({"null", "undefined", "false", "0", "'"})  # what there is without a record
PASSING: Final = (Op.LOAD, Op.PI, Op.PHI, Op.CARRY)
WHOLE_OBJECT: Final = UNKNOWN_KEY  # as a key: the object itself is asked, or any member of it

State = tuple[int, int]  # value, key of the member that is asked for


class Records:
    """Answers are kept by function and parameter."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.flow = asking.control_flow
        self.tables = asking.program.tables
        self.op, self.data = asking.op, asking.data
        self.args = asking.args
        self.bindings = asking.control_flow.resolution.rows("bindings")
        self.changed: dict[int, frozenset[int]] = {}  # by parameter: ``changes``
        self.read: dict[int, frozenset[int]] = {}  # by parameter: ``reads``

    # -- What a condition depends on

    def states(self, wanted: Iterable[State], without: Set[int] = frozenset()) -> list[State]:
        """The states of objects and variables that ``wanted`` depend on within one function, each with the member that
        is asked for. Neither ``without``, representatives, nor what only these depend on is among them.
        """
        found = list(wanted)
        for state in found:  # grows, to the bound
            if self.asking.reps[state[0]] not in without:
                fresh = [each for each in dict.fromkeys(self.before(*state)) if each not in found]
                found += fresh[: MAX_ASKED_VALUES - len(found)]
        return [state for state in found if self.asking.reps[state[0]] not in without]

    def merged(self, states: Iterable[State]) -> set[int]:
        """What the merges among these states merge."""
        return {each for value, _ in states if self.op[value] in MERGES for each in self.asking.same_as(value)}

    def before(self, value: int, key: int) -> Iterator[State]:
        op, row = Op(self.op[value]), self.data[value]
        if op == Op.POST and CLEARING_NAMES.search(self.asking.name_of(int(self.tables["arguments"]["call"][row]))):
            return
        if op in (Op.PI, Op.POST) and row >= 0:
            table, column = STATES[op]
            yield int(self.tables[table][column][row]), key
        elif op == Op.LOAD:
            loads = self.tables["loads"]
            yield int(loads["object"][row]), max(int(loads["key"][row]), UNKNOWN_KEY)
        elif op == Op.STORE:
            stores = self.tables["stores"]
            yield int(stores["object"][row]), key
            stored = int(stores["value"][row])
            if stored != NONE and self.is_same_key(key, int(stores["key"][row])):
                yield stored, WHOLE_OBJECT
            elif stored != NONE and self.op[stored] in (Op.POST, Op.STORE):
                yield stored, key  # a method of an embedded object
        elif op == Op.CALL:
            yield from self.before_call(row)
        elif op == Op.EXPRESSION:
            conditions = self.tables["conditions"]
            for each in self.flow.conditions_within(value):
                for operand in (int(conditions["left"][each]), int(conditions["right"][each])):
                    if operand != NONE:
                        yield operand, WHOLE_OBJECT
        for row in self.flow.returned.of(value)[:MAX_ASKED_VALUES].tolist():
            origin = int(self.tables["flows"]["origin"][row])
            if self.flow.function[origin] == self.flow.function[value]:
                yield origin, key if op in MERGES else WHOLE_OBJECT

    def before_call(self, call: int) -> Iterator[State]:
        """What the result of a call depends on: the members of its arguments that its functions read."""
        functions = set(self.flow.functions_of(call))
        if not functions:
            for row in self.args.of(call):
                is_receiver = self.args.position[row] == RECEIVER
                key = self.asked_key(call) if is_receiver else WHOLE_OBJECT
                if key is not None:
                    yield self.args.value[row], key
            return
        for argument, parameter in self.given(call):
            for key in sorted(self.reads(parameter)):
                yield argument, key

    def asked_key(self, call: int) -> int | None:
        """The key that a call of a library asks its receiver for, ``session.get("user")``; the whole object where it
        names none; None: one that nothing of the program has.
        """
        first = next((row for row in self.args.of(call) if self.args.position[row] == 0), NONE)
        text = self.asking.constant(self.args.value[first]) if first != NONE else None
        if text is None or not text.startswith("'"):
            return WHOLE_OBJECT
        return self.args.string_ids.get(text.removeprefix("'"))

    def given(self, call: int) -> list[tuple[int, int]]:
        """(argument, parameter) of the functions that a call may call."""
        functions = set(self.flow.functions_of(call))
        rows = self.bindings[self.asking.by_site.of(call)]
        pairs = ((int(argument), int(parameter)) for argument, parameter in rows[:, 1:3].tolist())
        return [pair for pair in pairs if int(self.flow.function[pair[1]]) in functions]

    def is_same_key(self, asked: int, stored: int) -> bool:
        return WHOLE_OBJECT in (asked, stored) or asked == max(stored, UNKNOWN_KEY)

    # -- What a condition says of a record

    def recorded_side(self, condition: int, truths: Set[int]) -> int:
        """The side of a condition on which there is a record: ``err != nil``, ``errors.length > 0``, ``!ok``; NONE: it
        is not known. ``truths``: the truth values that were recorded.
        """
        table = self.tables["conditions"]
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test == Test.TRUTH:
            return self.truth_of(left, truths)
        if right == NONE:
            return NONE
        for one, other in ((left, right), (right, left)):
            constant = self.asking.constant(other)
            if constant is None:
                continue
            truth = self.truth_of(one, truths)
            if test == Test.LESS:
                return (int(one == right) if truth else NONE) if truth != NONE else NONE
            if test not in (Test.EQUAL, Test.IS) or truth == NONE:
                return NONE
            if constant in ANSWERS:
                return int((constant == "true") == bool(truth))
            return 0 if truth and constant in NO_RECORD else NONE
        return NONE

    def truth_of(self, value: int, truths: Set[int]) -> int:
        """Whether a value is true (1) or false (0) where there is a record; NONE: it is not known, or both may be."""
        found, work = set(truths), [value]
        for at in work:  # grows, to the bound
            op, row = self.op[at], self.data[at]
            if op == Op.EXPRESSION:
                return NONE  # it may be a negation
            if op == Op.CALL and not truths:
                name = self.asking.name_of(row)
                answers = any(self.answers(each) for each in self.flow.functions_of(row))
                if GOOD_NAMES.search(name):
                    found.add(0)
                elif answers and not RECORD_NAMES.search(name):
                    return NONE
            if op == Op.LOAD and not truths:
                key = int(self.tables["loads"]["key"][row])
                found |= {0} if key >= 0 and GOOD_NAMES.search(self.asking.program.strings[key]) else set()
            fresh = [each for each, _ in self.before(at, WHOLE_OBJECT)] if op in PASSING else []
            work += [each for each in dict.fromkeys(fresh) if each not in work][: MAX_ASKED_VALUES - len(work)]
        return NONE if len(found) > 1 else found.pop() if found else 1

    def answers(self, function: int) -> bool:
        """Whether a function returns a truth value, perhaps as one of several results, or what a call makes."""
        for value in self.asking.same_as(int(self.tables["functions"]["result"][function])):
            for each in (value, *(result for _, result in results_in(self.asking, value))):
                if self.op[each] == Op.EXPRESSION or self.asking.constant(each) in ANSWERS:
                    return True
                if self.op[each] == Op.CALL and self.op[value] != Op.NEW:
                    return True  # ``return bool(self.errors)``, perhaps
        return False

    # -- What records

    def is_record(self, value: int, key: int, subject: Subject) -> bool:
        """Whether a state is what something was recorded with: the member ``key`` of it has changed there.

        What was made of the subject itself is another form of it.
        """
        op, row = self.op[value], self.data[value]
        if op in (Op.CONST, Op.NEW):
            return True  # of a variable: what ways merge was made before they do
        if op == Op.STORE:
            return self.is_same_key(key, int(self.tables["stores"]["key"][row]))
        if op == Op.CALL:
            is_named = ADDING_NAMES.search(self.asking.name_of(row)) is not None
            return is_named or not self.asking.is_about(value, subject)
        return op == Op.POST and self.is_changed(row, key)

    def is_changed(self, row: int, key: int) -> bool:
        """Whether the call of an argument changes the member ``key`` of it."""
        call, value = int(self.tables["arguments"]["call"][row]), self.args.value[row]
        if self.flow.functions_of(call):
            changed = {
                each for given, parameter in self.given(call) if given == value for each in self.changes(parameter)
            }
            return any(self.is_same_key(key, each) for each in changed)
        if self.args.position[row] != RECEIVER:
            return False
        made = {self.op[each] for each in self.roots(value)}
        if made <= {Op.NEW, Op.CALL}:
            return True  # made in this function: no request, session or library that has other states
        asked = self.asking.program.strings[key] if key >= 0 else ""
        return RECORD_NAMES.search(self.asking.name_of(call)) is not None and RECORD_NAMES.search(asked) is not None

    def changes(self, parameter: int, depth: int = 0) -> frozenset[int]:
        """The members of a parameter, and of these, that its function stores into, or calls a method on."""
        known = self.changed.get(parameter)
        if known is not None:
            return known
        self.changed[parameter] = frozenset()  # a function that calls itself
        function, found = int(self.flow.function[parameter]), set[int]()
        stores = self.tables["stores"]
        for value in self.versions(parameter):
            states = [value]
            if self.op[value] == Op.STORE:
                found.add(max(int(stores["key"][self.data[value]]), UNKNOWN_KEY))
                states.append(int(stores["value"][self.data[value]]))  # a member that was changed, and stored back
            for post in states if depth < MAX_ASKED_DEPTH else ():
                if post != NONE and self.op[post] == Op.POST:
                    call = int(self.tables["arguments"]["call"][self.data[post]])
                    argument = self.args.value[self.data[post]]
                    for given, inner in self.given(call):
                        if given == argument and int(self.flow.function[inner]) != function:
                            found |= self.changes(inner, depth + 1)
        self.changed[parameter] = frozenset(found)
        return self.changed[parameter]

    def reads(self, parameter: int, depth: int = 0) -> frozenset[int]:
        """The members of a parameter that its function, or one that is given it, reads."""
        known = self.read.get(parameter)
        if known is not None:
            return known
        self.read[parameter] = frozenset()  # a function that calls itself
        loads, found = self.tables["loads"], set[int]()
        versions = set(self.versions(parameter))
        for value in sorted(versions):
            for row in self.asking.by_object.of(self.asking.reps[value]).tolist():
                found.add(max(int(loads["key"][row]), UNKNOWN_KEY))
        if depth < MAX_ASKED_DEPTH:
            for call in self.flow.calls_in(int(self.flow.function[parameter])):
                for argument, inner in self.given(call) if self.flow.functions_of(call) else ():
                    if argument in versions:
                        found |= self.reads(inner, depth + 1)
        self.read[parameter] = frozenset(found)
        return self.read[parameter]

    # -- States of one object

    @cached_property
    def parameters(self) -> dict[int, list[int]]:
        """By function: rows of its parameters."""
        found: dict[int, list[int]] = {}
        for row, function in enumerate(self.tables["parameters"]["function"].tolist()):
            found.setdefault(function, []).append(row)
        return found

    def versions(self, parameter: int) -> list[int]:
        """The states of a parameter's object in its function, as far as they are states at its exits."""
        if self.op[parameter] != Op.PARAMETER:  # in code that does not parse, what stands for one may be a constant
            return [parameter]
        row = self.data[parameter]
        out = int(self.tables["parameters"]["out"][row]) if row >= 0 else NONE
        return [parameter] if out == NONE else list(dict.fromkeys((parameter, *self.chain(out))))

    def chain(self, value: int) -> list[int]:
        """A state and those of the same object before it."""
        found = [value]
        for at in found:  # grows, to the bound
            found += [each for each in self.earlier(at) if each not in found and len(found) < MAX_ASKED_VALUES]
        return found

    def roots(self, value: int) -> Set[int]:
        """What the object was before the calls, stores and conditions of its function."""
        return {each for each in self.chain(value) if not self.earlier(each)}

    def earlier(self, value: int) -> list[int]:
        """The states of the same object that come before this one."""
        op, row = self.op[value], self.data[value]
        if op == Op.STORE:
            return [int(self.tables["stores"]["object"][row])]
        if op in (Op.PI, Op.POST) and row >= 0:
            table, column = STATES[Op(op)]
            return [int(self.tables[table][column][row])]
        return self.asking.same_as(value) if op in (Op.PHI, Op.CARRY, Op.OUT) else []
