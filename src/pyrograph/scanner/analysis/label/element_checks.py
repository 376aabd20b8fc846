"""What loops prove of each element of a collection: ``for r in rs: if bad(r.url): return``, and then ``rs`` is used.

A loop proves what holds of its element wherever it goes on with the next one. It is said of the version that the loop's
header makes of the collection, where the loop was left because nothing was left of it: ``break`` makes a version of its
own if its condition is about an element, and otherwise (``if tired: break``) the code behind it knows nothing. Inside
the loop nothing is known of the collection. One without elements does no harm.

``LoopChecks`` finds the loops and walks their blocks. What one condition or call proves of an element is answered by
``field_masks``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, UNKNOWN_KEY, Operator
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_CHECKED_KEYS, MAX_DEFINITIONS, MAX_ROUND_STEPS
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.scanner.analysis.label.admitted import rest_mask
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.emptiness import emptied
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.flags import flags_of
from pyrograph.scanner.analysis.label.rounds import Loop, fill_conjunctions, version_before
from pyrograph.scanner.analysis.label.table_uses import holds_tables, is_table
from pyrograph.scanner.analysis.label.tested_characters import EVERYTHING, constant_texts, operands_of
from pyrograph.scanner.analysis.numbers import (
    BOTH_TEST,
    CALL_OP,
    CARRY_OP,
    IN_TEST,
    LESS_TEST,
    LOAD_OP,
    NEW_OP,
    OUT_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    STORE_OP,
    TRUTH_TEST,
)

Keys = tuple[int, ...]
COUNTED: Final = ("0", "1")  # where a loop over all positions begins, and its step


class Answers(Protocol):
    """Says for what a part of an element is clean, given the representatives of the element in this loop."""

    everything: int

    def by_condition(self, condition: int, side: int, elements: set[int], keys: Keys) -> int:
        """The mask of what this side of a single condition proves of the part ``keys``."""

    def by_return(self, call: int, elements: set[int], keys: Keys) -> int:
        """The mask of what holds of the part where the call returned."""


class Place(NamedTuple):
    """Where the elements of a loop lie: ``above`` an object, and ``below`` what the loop takes them from."""

    above: Keys  # from an object down to any of its elements
    below: Keys  # from what each round is given down to the element: of an entry of a map, the value


class LoopChecks:
    """The loops over collections that matter, by the versions at their headers."""

    def __init__(self, facts: Facts) -> None:
        """Time linear in the carried versions of the chop."""
        self.facts = facts
        self.blocks = shared_blocks(facts)
        self.by_carry: dict[int, list[tuple[int, list[Place]]]] = {}  # version at a header -> (loop, where it lies)
        self.by_exit: dict[
            tuple[int, int], list[tuple[int, dict[int, list[Place]]]]
        ] = {}  # (condition, side) at a header
        # (condition, side) where a list is empty that loops fill, or a flag not set that they set
        # -> (loop, where its elements lie, blocks that do so)
        self.by_empty: dict[tuple[int, int], list[tuple[int, dict[int, list[Place]], frozenset[int]]]] = {}
        self.roots: set[int] = set()  # representatives of these versions
        self.collections: set[int] = set()  # keys of members that loops go over
        self.loops: dict[int, Loop] = {}
        self.elements: dict[int, set[int]] = {}
        self.elsewhere: dict[tuple[int, int], set[int] | None] = {}
        self.proven: dict[tuple[int, Keys, frozenset[int]], int] = {}
        self.reads: dict[tuple[int, int, int], list[tuple[int, int]]] = {}  # ``reads_alike``
        self.keyed: dict[int, bool] = {}  # by representative: ``has_keys``
        self.headers: dict[int, dict[int, int]] = {}  # ``loop_at``
        self.goes_over_elements = False  # whether one of the loops goes over an element of another collection
        self.carried: dict[int, set[int]] = {}  # representative -> those of its versions at headers
        self.tables: dict[int, bool] = {}  # ``goes_over_tables``
        self.nested: dict[int, dict[int, list[Place]]] = {}  # loop -> where its elements lie: ``inner``
        self.calls: dict[int, dict[int, list[int]]] = {}  # loop -> block -> calls that are given an element
        carries = facts.tables["carries"]
        chosen = np.flatnonzero(with_parts(facts)[carries["value"]] & (carries["initial"] >= 0))
        if not len(chosen):
            return
        fill_conjunctions(facts)
        known: dict[int, dict[int, list[Place]]] = {}
        for row in chosen.tolist():
            value, number = int(carries["value"][row]), int(carries["loop"][row])
            if number not in known:
                over = self.over_of(number)
                known[number] = self.places(over) if over != NONE and not is_table(facts, facts.rep[over]) else {}
                if known[number] and (left := self.condition_of(number))[0] != NONE:
                    self.by_exit.setdefault(left, []).append((number, known[number]))
            if known[number]:
                self.goes_over_elements |= self.is_element(self.over_of(number))
            before = self.before_loops(value)
            self.carried.setdefault(before, set()).add(facts.rep[value])
            places = known[number].get(before)
            if places:
                self.by_carry.setdefault(value, []).append((number, places))
                self.roots.add(facts.rep[value])
                self.collections.update(above[-2] for above, _ in places if len(above) > 1)
        known = {number: places for number, places in known.items() if places}
        self.find_filled(known)
        for flag in flags_of(facts, self.blocks, known):
            side = flag.condition, flag.side
            self.by_empty.setdefault(side, []).append((flag.loop, known[flag.loop], flag.setting))

    def before_loops(self, carry: int) -> int:
        """The representative of what a version at a header was before all loops, if nothing else gets there: the
        versions of loops in one another are made of each other, so that each of them has a representative of its own.
        """
        facts, carries = self.facts, self.facts.tables["carries"]
        found: set[int] = set()
        seen, work = {facts.rep[carry]}, [facts.rep[carry]]
        for at in work:  # grows, each representative once
            fresh = facts.flows.same_as(at) if facts.op[at] == PHI_OP else []
            for row in self.blocks.rows("carries", "value", at) if facts.op[at] == CARRY_OP else ():
                fresh += [int(carries[name][row]) for name in ("initial", "fed") if carries[name][row] >= 0]
            if not fresh or len(seen) > MAX_DEFINITIONS:
                found.add(at)
            reps = {facts.rep[each] for each in fresh} - seen
            seen |= reps
            work += sorted(reps)
        return found.pop() if len(found) == 1 else facts.rep[carry]

    def find_filled(self, places: dict[int, dict[int, list[Place]]]) -> None:
        """Note the conditions that ask whether a list is empty that one of these loops alone fills."""
        facts, conditions = self.facts, self.facts.tables["conditions"]
        functions = {self.loop(number).function for number in places}
        tests, lefts, rights = (facts.program.numbers("conditions", name) for name in ("test", "left", "right"))
        for condition in np.flatnonzero(among(conditions["function"], functions)).tolist():
            test, left, right = tests[condition], lefts[condition], rights[condition]
            filled, when_false = emptied(facts, test, left, right) if left >= 0 and test != BOTH_TEST else (NONE, False)
            rep = facts.rep[filled] if filled != NONE else NONE
            if rep == NONE or facts.op[rep] != NEW_OP or facts.flows.same_as(rep):
                continue
            if any(facts.call_result[call] < left for call in facts.calls.methods_on(rep)):
                continue  # they may take elements out, or put others in
            stores = [int(facts.tables["stores"]["result"][row]) for row in facts.flows.stores_into(rep)]
            blocks = frozenset(self.block_of(each) for each in stores)
            for number, at in places.items() if blocks else ():
                loop = self.loop(number)
                if facts.function_of[rep] == loop.function and all(loop.body <= each < loop.exit for each in blocks):
                    side = condition, 1 - when_false
                    self.by_empty.setdefault(side, []).append((number, at, blocks))

    def over_of(self, number: int) -> int:
        """The collection that a loop goes over, or whose length it counts up to; or NONE."""
        over = int(self.facts.tables["loops"]["over"][number])
        return self.counted_over(number) if over == NONE else over

    def is_element(self, value: int) -> bool:
        """Whether a value was read from a collection under any key."""
        at = version_before(self.facts, value)
        return self.facts.op[at] == LOAD_OP and self.facts.load_key[self.facts.data[at]] == UNKNOWN_KEY

    def counted_over(self, number: int) -> int:
        """The collection whose length a loop counts up to from 0, or NONE."""
        facts, t = self.facts, self.facts.tables
        bound = NONE
        rows = self.blocks.rows("streams", "loop", number)
        if rows:
            start, step = (facts.constant(int(t["streams"][name][rows[0]])) for name in ("start", "step"))
            if (start, step) == COUNTED:
                bound = int(t["streams"]["bound"][rows[0]])
        else:
            condition, _ = self.condition_of(number)
            counter = int(t["loops"]["induction"][number])
            if condition != NONE and counter != NONE and t["conditions"]["test"][condition] == LESS_TEST:
                left, right = (int(t["conditions"][name][condition]) for name in ("left", "right"))
                bound = right if left == counter and self.counts(number, counter) else NONE
        if bound == NONE or facts.constant(bound) is not None:
            return NONE
        length = version_before(facts, bound)
        if facts.op[length] == LOAD_OP:
            return facts.load_object[facts.data[length]]
        given = (
            [facts.arg_value[row] for row in facts.args.of(facts.data[length])] if facts.op[length] == CALL_OP else []
        )
        return given[0] if len(given) == 1 else NONE

    def condition_of(self, number: int) -> tuple[int, int]:
        """The condition of a loop's header, with the side on which it is left; or (NONE, NONE)."""
        loops = self.facts.tables["loops"]
        header, exit_ = int(loops["header"][number]), int(loops["exit"][number])
        return next(((each, side) for target, each, side in self.blocks.edges(header) if target == exit_), (NONE, NONE))

    def counts(self, number: int, counter: int) -> bool:
        """Whether a counter begins with 0, and each round adds 1 to it."""
        facts, carries, computed = self.facts, self.facts.tables["carries"], self.facts.tables["computed"]
        for row in self.blocks.rows("carries", "value", counter):
            if int(carries["loop"][row]) == number and carries["initial"][row] >= 0 and carries["fed"][row] >= 0:
                steps = self.blocks.rows("computed", "value", int(carries["fed"][row]))
                operands = [facts.constant(int(computed["operand"][each])) for each in steps]
                adds = all(int(computed["operator"][each]) == Operator.ADD for each in steps)
                starts = facts.constant(int(carries["initial"][row])) == COUNTED[0]
                return starts and adds and len(operands) == 2 and COUNTED[1] in operands
        return False

    def places(self, over: int) -> dict[int, list[Place]]:
        """Where the elements of what is iterated over lie, by the representatives of the objects above."""
        facts = self.facts
        found: dict[int, list[Place]] = {}
        start = version_before(facts, over)
        for at, above, below in [(start, (UNKNOWN_KEY,), ()), *self.moved(start)]:
            found.setdefault(facts.rep[at], []).append(Place(above, below))
            while facts.op[at] == LOAD_OP and facts.load_key[facts.data[at]] >= 0 and len(above) < MAX_CHECKED_KEYS:
                above = (facts.load_key[facts.data[at]], *above)
                at = version_before(facts, facts.load_object[facts.data[at]])
                found.setdefault(facts.rep[at], []).append(Place(above, below))
        return found

    def moved(self, made: int) -> Iterator[tuple[int, Keys, Keys]]:
        """The collections whose elements a modelled call hands on: ``d.items()``, ``Object.values(d)``."""
        facts = self.facts
        if facts.op[made] != CALL_OP:
            return
        call = facts.data[made]
        for flow in flows_of(facts, call):
            if not flow.same or flow.target.kind != "ret":
                continue
            target, origin = facts.keys(call, flow.target.path), facts.keys(call, flow.origin.path)
            if not target and not origin:
                target = origin = (UNKNOWN_KEY,)  # the call hands on the collection itself
            if target[:1] == (UNKNOWN_KEY,) and origin:
                for row in facts.args.at(call, flow.origin):
                    yield version_before(facts, facts.arg_value[row]), origin, target[1:]

    def loop(self, number: int) -> Loop:
        if number not in self.loops:
            self.loops[number] = Loop(self.facts, self.blocks, number)
        return self.loops[number]

    def elements_of(self, number: int) -> set[int]:
        """Representatives of the element in a loop: what it reads under any key, or under its key or position."""
        if number in self.elements:
            return self.elements[number]
        facts, loop = self.facts, self.loop(number)
        counter = int(facts.tables["loops"]["induction"][number])
        over = loop.over if loop.over != NONE else self.counted_over(number)
        found = set()
        reads = self.reads_alike(over) if over != NONE else []
        for _, each in reads[bisect_left(reads, (loop.header, NONE)) : bisect_left(reads, (loop.exit, NONE))]:
            key = facts.load_key[facts.data[each]]
            if key == UNKNOWN_KEY or (key <= FIRST_VALUE_KEY and self.is_counter(FIRST_VALUE_KEY - key, over, counter)):
                found.add(each)
        self.elements[number] = found
        return found

    def reads_alike(self, over: int) -> list[tuple[int, int]]:
        """(block, representative) of what is read from a collection, or another load of the member; sorted, shared."""
        facts = self.facts
        at = version_before(facts, over)
        key = facts.load_key[facts.data[at]] if facts.op[at] == LOAD_OP else NONE
        holder = facts.rep[facts.load_object[facts.data[at]]] if key >= 0 else NONE
        name = facts.rep[over], holder, key
        known = self.reads.get(name)
        if known is None:
            same = {facts.rep[over]}
            beside = facts.flows.loads_from(holder) if key >= 0 else ()
            same.update(
                each for each in beside if facts.op[each] == LOAD_OP and facts.load_key[facts.data[each]] == key
            )
            loaded = {each for rep in same for each in facts.flows.loads_from(rep) if facts.op[each] == LOAD_OP}
            known = self.reads[name] = sorted((self.block_of(each), each) for each in loaded)
        return known

    def is_counter(self, key: int, over: int, counter: int) -> bool:
        """Whether a key is the position of the round, or a key of the collection, which the round is given."""
        facts = self.facts
        at = version_before(facts, key)
        if counter != NONE and facts.rep[at] == facts.rep[counter]:
            return True
        if facts.op[at] != LOAD_OP or facts.rep[facts.load_object[facts.data[at]]] != facts.rep[over]:
            return False
        name = facts.load_key[facts.data[at]]
        return name >= 0 and facts.program.strings[name][:1] == "\0"

    def block_of(self, value: int) -> int:
        """The block of a value that is made where it stands: no phi, no version of another one."""
        return self.blocks.block_of(int(self.facts.function_of[value]), value)

    def mask(self, carry: int, keys: Keys, user: int, answers: Answers) -> int:
        """For what the part ``keys`` of this version at a header is clean where ``user`` uses it (NONE: at an exit)."""
        found = 0
        for number, places in self.by_carry.get(carry, ()):
            for above, below in places:
                if keys[: len(above)] == above and self.is_behind(number, carry, user):
                    found |= self.rounds(number, below + keys[len(above) :], answers)
        return found

    def mask_at_exit(self, side: tuple[int, int], root: int, keys: Keys, answers: Answers) -> int:
        """The same of a version of ``root`` behind a loop whose header has a condition, on the side that leaves it."""
        found = 0
        for number, places in self.by_exit.get(side, ()):
            for above, below in places.get(root, ()):
                if keys[: len(above)] == above:
                    found |= self.rounds(number, below + keys[len(above) :], answers)
        for number, places, filling in self.by_empty.get(side, ()):
            for above, below in places.get(root, ()):
                if keys[: len(above)] == above:
                    found |= self.rounds(number, below + keys[len(above) :], answers, filling)
        return found

    def rounds(self, number: int, keys: Keys, answers: Answers, filling: frozenset[int] = frozenset()) -> int:
        """The mask of what each round that goes on has proven of its element, if it has not come to ``filling``."""
        name = number, keys, filling
        if name in self.proven:
            return self.proven[name]
        self.proven[name] = 0  # a check that asks for this loop again
        loop, elements = self.loop(number), self.elements_of(number)
        states = {loop.body: 0}
        ends: list[int] = []
        work = [loop.body] if elements and loop.body not in filling else []
        for count, block in enumerate(work):  # grows while a mask gets smaller
            if count == MAX_ROUND_STEPS:
                ends = []
                break
            called = 0
            for call in self.calls_in(number).get(block, ()):
                called |= answers.by_return(call, elements, keys)
            for target, condition, side in self.ways(loop, block):
                mask = states[block]
                if side != EXCEPTIONAL:
                    mask |= called | self.by_condition((condition, side), (number, block), keys, answers)
                    mask |= self.inner(number, block, target, keys, answers)
                if target == loop.header:
                    ends.append(mask)
                elif loop.header < target < loop.exit and target not in filling:
                    after = states.get(target, answers.everything) & mask
                    if after != states.get(target):
                        states[target] = after
                        work.append(target)
        found = answers.everything if ends else 0
        for each in ends:
            found &= each
        if found and not keys and not self.asks_words(loop, elements):
            chars = loop.characters()  # of a text, whose characters may do harm together that do none alone
            harmless = rest_mask(self.facts, chars) if chars != EVERYTHING else found
            found &= harmless | ~self.facts.wanted.all  # a bit beside those of vulnerabilities is not about characters
        self.proven[name] = found
        return found

    def inner(self, outer: int, block: int, target: int, keys: Keys, answers: Answers) -> int:
        """What a loop over the element of ``outer`` has proven where nothing is left of that: on the way from its
        header ``block`` to ``target``. It may stand in a condition, ``all(isinstance(v, float) for v in row)``.
        """
        number = self.loop_at(self.loop(outer).function, block)
        if number == NONE or self.loop(number).exit != target or len(keys) == MAX_CHECKED_KEYS:
            return 0
        if number not in self.nested:
            over = self.over_of(number)
            self.nested[number] = self.places(over) if over != NONE else {}
        found = 0
        for element in sorted(self.elements_of(outer) & self.nested[number].keys()):
            for above, below in self.nested[number][element]:
                if keys[: len(above)] == above and not self.goes_over_tables(outer):
                    found |= self.rounds(number, below + keys[len(above) :], answers)
        return found

    def goes_over_tables(self, number: int) -> bool:
        """Whether the elements of a loop are tables, of which a loop over one gets the keys."""
        if number not in self.tables:
            over = self.facts.rep[self.over_of(number)]
            self.tables[number] = holds_tables(self.facts, {over, *self.carried.get(over, ())})
        return self.tables[number]

    def loop_at(self, function: int, block: int) -> int:
        """The loop with this header, or NONE."""
        if function not in self.headers:
            loops = self.facts.tables["loops"]
            rows = self.blocks.rows("loops", "function", function)
            self.headers[function] = {int(loops["header"][row]): row for row in rows}
        return self.headers[function].get(block, NONE)

    def asks_words(self, loop: Loop, elements: set[int]) -> bool:
        """Whether a loop compares its element with the words of a list, so that it is no character of a text."""
        facts, conditions = self.facts, self.facts.tables["conditions"]
        asked = {condition for block in range(loop.body, loop.exit) for _, condition, _ in loop.edges(block)} - {NONE}
        for condition in sorted(each for one in asked for each, _ in loop.leaves(one, 1)):
            test, left, right = (int(conditions[name][condition]) for name in ("test", "left", "right"))
            if test == TRUTH_TEST and facts.op[facts.rep[left]] == CALL_OP:
                operands = operands_of(facts, facts.data[facts.rep[left]], "contains")
                right, left = operands if len(operands) == 2 else (NONE, left)
            elif test != IN_TEST:
                continue
            is_listed = right != NONE and facts.rep[left] in elements and facts.constant(right) is None
            if is_listed and any(len(text) > 1 for text in constant_texts(facts, right)):
                return True
        return False

    def ways(self, loop: Loop, block: int) -> list[tuple[int, int, int]]:
        """The ways on from a block, those of what is raised in it included."""
        control = self.facts.tables["control"]
        found = list(loop.edges(block))
        for row in self.blocks.rows("control", "origin", block):
            if control["side"][row] == EXCEPTIONAL:
                found.append((int(control["target"][row]), NONE, EXCEPTIONAL))
        return found

    def by_condition(self, tested: tuple[int, int], at: tuple[int, int], keys: Keys, answers: Answers) -> int:
        """The mask of what a condition at a block of a loop proves of its element on one side. It may be made of
        others: all of them hold, or one fails.
        """
        condition, side = tested
        if condition == NONE:
            return 0
        parts = self.facts.guards.conjunctions.get(condition)
        if parts is None:
            found = answers.by_condition(condition, side, self.elements_of(at[0]), keys)
            return found | (self.flagged(tested, at, keys, answers) if tested in self.by_empty else 0)
        found = 0 if side else answers.everything
        for part, wanted in parts:  # conjunctions are made of conditions before them
            mask = self.by_condition((part, wanted if side else 1 - wanted), at, keys, answers)
            found = found | mask if side else found & mask
        return found

    def flagged(self, tested: tuple[int, int], at: tuple[int, int], keys: Keys, answers: Answers) -> int:
        """What a loop over the element, which each way to the block of a condition passes, proves where the condition
        says that it has not set a flag, or has not filled a list.
        """
        outer, block = at
        found = 0
        for number, places, filling in self.by_empty[tested]:
            elements = self.elements_of(outer) & places.keys()
            if not elements or not self.is_passed(outer, number, block) or self.goes_over_tables(outer):
                continue
            for element in sorted(elements):
                for above, below in places[element]:
                    if keys[: len(above)] == above:
                        found |= self.rounds(number, below + keys[len(above) :], answers, filling)
        return found

    def is_passed(self, outer: int, number: int, block: int) -> bool:
        """Whether each way in a round of ``outer`` to a block leads through another loop, and that was left."""
        around, loop = self.loop(outer), self.loop(number)
        if not around.header < loop.header < around.exit or loop.header <= block < loop.exit:
            return False
        seen, work = {around.body}, [around.body]
        for each in work:  # grows, each block once
            if each == block:
                return False
            if each != loop.header:
                fresh = {target for target, _, _ in self.ways(around, each) if around.header < target < around.exit}
                work += sorted(fresh - seen)
                seen |= fresh
        return True

    def calls_in(self, number: int) -> dict[int, list[int]]:
        """The calls of a loop that are given the element or a part of it, by block."""
        if number not in self.calls:
            facts, loop = self.facts, self.loop(number)
            found: dict[int, list[int]] = {}
            given = set(self.elements_of(number))
            for each in sorted(given):
                given.update(facts.flows.loads_from(each))
            for each in sorted(given):
                for call in facts.calls.calls_with(each):
                    block = self.block_of(facts.call_result[call])
                    if loop.header <= block < loop.exit and facts.calls.functions_of(call):
                        found.setdefault(block, []).append(call)
            self.calls[number] = found
        return self.calls[number]

    def has_keys(self, rep: int) -> bool:
        """Whether the keys of a collection are read somewhere, of which a check of its elements says nothing."""
        known = self.keyed.get(rep)
        if known is None:
            facts = self.facts
            loads = [facts.data[each] for each in facts.flows.loads_from(rep) if facts.op[each] == LOAD_OP]
            names = [facts.load_key[row] for row in loads]
            known = self.keyed[rep] = any(name >= 0 and facts.program.strings[name][:1] == "\0" for name in names)
        return known

    # -- Where the loop is left

    def is_whole(self, carry: int) -> bool:
        """Whether all that uses a version of a collection at a header as a whole runs behind the loop."""
        facts = self.facts
        number = next((loop for loop, places in self.by_carry[carry] if ((UNKNOWN_KEY,), ()) in places), NONE)
        if number == NONE or self.loop(number).is_left_otherwise(carry):
            return False
        if self.has_keys(facts.rep[carry]):
            return False
        users = self.users_of(carry)
        return all(self.is_behind(number, carry, user) for user in users if facts.op[user] not in (OUT_OP, PI_OP))

    def users_of(self, carry: int) -> list[int]:
        """What calls, loads, stores and flows make of a value."""
        facts, rows = self.facts, self.facts.tables
        users = [
            facts.call_result[int(rows["arguments"]["call"][row])]
            for row in self.blocks.rows("arguments", "value", carry)
        ]
        users += [int(rows["loads"]["result"][row]) for row in self.blocks.rows("loads", "object", carry)]
        users += [int(rows["stores"]["result"][row]) for row in self.blocks.rows("stores", "value", carry)]
        users += [int(rows["flows"]["target"][row]) for row in self.blocks.rows("flows", "origin", carry)]
        return users

    def is_behind(self, number: int, carry: int, user: int) -> bool:
        """Whether ``user`` runs only after a loop that was left because nothing was left of the collection."""
        if user == NONE:
            return True
        facts, loop = self.facts, self.loop(number)
        if int(facts.function_of[user]) != loop.function:
            return True
        elsewhere = self.left_early(number, carry)
        return elsewhere is not None and not any(
            loop.header <= block < loop.exit or block in elsewhere for block in self.blocks_of_use(user, carry)
        )

    def blocks_of_use(self, user: int, used: int) -> list[int]:
        """The blocks in which ``user`` takes ``used``: of a phi, those that control comes from."""
        facts = self.facts
        op = facts.op[user]
        if op in (PHI_OP, CARRY_OP):
            joins = facts.tables["joins"]
            rows = self.blocks.rows("joins", "value", user)
            found = [int(joins["block"][row]) for row in rows if int(joins["version"][row]) == used]
            if not found and op == CARRY_OP:
                headers = facts.tables["loops"]["header"]
                rows = self.blocks.rows("carries", "value", user)
                found = [int(headers[int(facts.tables["carries"]["loop"][row])]) for row in rows]
            return found or [self.block_of(user)]
        at = user
        if op == PI_OP:  # it may be made long after its condition, but not before
            condition = int(facts.tables["pis"]["condition"][facts.data[user]])
            at = int(facts.tables["conditions"]["left"][condition])
        elif op == STORE_OP and facts.tables["stores"]["value"][facts.data[user]] >= 0:
            at = int(facts.tables["stores"]["value"][facts.data[user]])
            at = user if facts.op[at] not in (POST_OP, PI_OP) else at
        while at != NONE and facts.op[at] in (POST_OP, PI_OP):  # each is made of an earlier value
            row = facts.data[at]
            if facts.op[at] == POST_OP:
                at = facts.call_result[facts.calls.call_of_argument[row]]
            else:
                at = int(facts.tables["pis"]["input"][row])
        return [self.block_of(user if at == NONE else at)]

    def left_early(self, number: int, carry: int) -> set[int] | None:
        """The blocks that the version at the header also reaches from the middle of the loop; None if they are many."""
        key = (number, carry)
        if key in self.elsewhere:
            return self.elsewhere[key]
        facts, loop = self.facts, self.loop(number)
        joins = facts.tables["joins"]
        found: set[int] = set()
        work: list[int] = []
        for block in range(loop.header + 1, loop.exit):
            for target, _, _ in loop.edges(block):
                if loop.header <= target < loop.exit:
                    continue
                versions = [int(joins["version"][row]) for row in self.blocks.rows("joins", "block", block)]
                if not any(each != carry and facts.rep[each] == facts.rep[carry] for each in versions):
                    work.append(target)
        for block in work:  # grows, each block once
            if block in found or block == loop.header:
                continue
            found.add(block)
            if len(found) > MAX_ROUND_STEPS:
                self.elsewhere[key] = None
                return None
            work += [target for target, _, _ in loop.edges(block)]
        self.elsewhere[key] = found
        return found


def flows_of(facts: Facts, call: int) -> Iterator[ModelFlow]:
    """The flows at a call that the packs state, of entries whose conditions hold."""
    apis = facts.apis.get(facts.language(facts.call_result[call]))
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node) if apis is not None else None
        for propagator in roles.propagators if roles is not None else ():
            flows = [each for each in propagator.flows if isinstance(each, ModelFlow)]
            if flows and holds(facts, propagator.conditions, call):
                yield from flows
