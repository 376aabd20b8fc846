"""Collections of which a loop replaces every element: ``for i in range(len(names)): names[i] = clean(names[i])``.

Behind the loop all elements are what its rounds stored. So the version that the loop's header makes of the collection
is as clean as these values, if each round stores one under its own position, nothing else changes the collection, and
the loop ends only where nothing is left. Inside the loop, the element of a round is still the one from before the loop:
flow from there is added. Of a table, whose keys stay as they were, only what is read behind the loop is marked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.policy.limits.labels import MAX_CLEANED_DEPTH, MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.definitions import results_of
from pyrograph.scanner.analysis.label.element_checks import Keys, LoopChecks, flows_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow
from pyrograph.scanner.analysis.label.rounds import Loop, version_before
from pyrograph.scanner.analysis.label.table_uses import is_key_of
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CONST_OP,
    LOAD_OP,
    OUT_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    RESULT_OP,
    STORE_OP,
)


def overwritten_elements(facts: Facts) -> None:
    """Mark the collections at the headers of such loops. Needs what sanitizers and guards have marked.

    Time linear in the carried versions of the chop, and in the uses of those that stores into them make.
    """
    carries = facts.tables["carries"]
    chosen = with_parts(facts)[carries["value"]] & (carries["initial"] >= 0) & (carries["fed"] >= 0)
    checks: LoopChecks | None = None
    for row in np.flatnonzero(chosen).tolist():
        carried, initial, fed, number = (int(carries[name][row]) for name in ("value", "initial", "fed", "loop"))
        if facts.op[version_before(facts, fed)] not in (STORE_OP, PHI_OP):
            continue
        stores = stores_between(facts, carried, initial, fed)
        if not stores:
            continue
        if checks is None:
            checks = LoopChecks(facts)
        Overwriting(facts, checks, carried, initial, number).mark(stores)


def stores_between(facts: Facts, carried: int, initial: int, fed: int) -> list[int]:
    """The stores that make ``fed`` of a version at a loop's header; none if anything else changes the collection. A
    call that is given an element leaves a store of it where it was: this is none, unless it follows the others.
    """
    stores, pis = facts.tables["stores"], facts.tables["pis"]
    before_loop = {carried, initial, version_before(facts, initial)}
    found: dict[int, None] = {}
    seen, work = {(fed, False)}, [(fed, False)]  # (version, whether a store of the round replaces what it holds)
    for at, is_replaced in work:  # grows, each once
        row = facts.data[at]
        if at in before_loop:
            continue
        if facts.op[at] == STORE_OP:
            key, value = int(stores["key"][row]), int(stores["value"][row])
            if key >= 0 or value < 0:
                return []
            if not (is_replaced and is_put_back(facts, value)) and not is_read_again(facts, value):
                found[row] = None
                is_replaced = True
            before = [int(stores["object"][row])]
        elif facts.op[at] == PI_OP:
            before = [int(pis["input"][row])]
        elif facts.op[at] == PHI_OP:
            before = facts.flows.same_as(at)
        else:
            return []
        if not before or len(seen) > MAX_DEFINITIONS:
            return []
        fresh = dict.fromkeys((each, is_replaced) for each in before if (each, is_replaced) not in seen)
        seen.update(fresh)
        work += fresh
    return list(found)


def is_put_back(facts: Facts, value: int) -> bool:
    """Whether a value is the state of an element behind a call that was given it."""
    read = version_before(facts, value)
    return facts.op[value] == POST_OP and facts.op[read] == LOAD_OP and facts.load_key[facts.data[read]] < 0


def is_read_again(facts: Facts, value: int) -> bool:
    """The same of an element that was read behind a store under its own key."""
    if not is_put_back(facts, value):
        return False
    row = facts.data[version_before(facts, value)]
    holder, key = facts.load_object[row], facts.load_key[row]
    if facts.op[holder] != STORE_OP or key > FIRST_VALUE_KEY:
        return False
    return int(facts.tables["stores"]["key"][facts.data[holder]]) == key


class Overwriting:
    """One collection at the header of one loop."""

    def __init__(self, facts: Facts, checks: LoopChecks, carried: int, initial: int, number: int) -> None:
        self.facts = facts
        self.checks = checks
        self.carried = carried
        self.initial = initial
        self.loop: Loop = checks.loop(number)
        counted = checks.counted_over(number)
        self.over = counted if counted != NONE else checks.over_of(number)
        self.counter = int(facts.tables["loops"]["induction"][number])
        self.number = number
        # from what each round is given to its element; the version at the header may be what is gone over itself
        self.below = self.place()

    def place(self) -> Keys | None:
        """Where what a round is given holds its element; None if the loop goes over another collection."""
        if self.over == NONE:
            return None
        before = self.checks.before_loops(self.carried)
        places = self.checks.places(self.over)
        held = [*places.get(before, ()), *places.get(self.facts.rep[self.carried], ())]
        return next((below for above, below in held if above == (UNKNOWN_KEY,)), None)

    def mark(self, stores: list[int]) -> None:
        facts, columns = self.facts, self.facts.tables["stores"]
        if self.below is None:
            return
        keys = [FIRST_VALUE_KEY - int(columns["key"][row]) for row in stores if columns["key"][row] <= FIRST_VALUE_KEY]
        if len(keys) < len(stores) or not all(map(self.is_key, keys)):
            return
        if not self.stores_always({self.checks.block_of(int(columns["result"][row])) for row in stores}):
            return
        mask = facts.wanted.all
        for row in stores:
            mask &= cleaned(facts, int(columns["value"][row]))
        versions = self.versions() if mask else {}
        elements = self.elements(versions)
        if elements is None:
            return
        if all(map(self.is_position, keys)):
            for each in elements:
                facts.labels.flows.append(DataFlow(self.initial, each, (UNKNOWN_KEY,), (), derived=False))
            facts.mark_clean(self.carried, mask)
            return
        for version in versions:
            for each in facts.flows.loads_from(facts.rep[version]):
                if facts.op[each] != LOAD_OP or self.is_inside(each, version):
                    continue
                if self.is_value(facts.load_key[facts.data[each]], gives_keys=any(map(self.is_name, keys))):
                    facts.mark_clean(each, mask)

    def is_key(self, key: int) -> bool:
        """Whether a store's key is that of the round, which each round has another one of."""
        return self.checks.is_counter(key, self.over, self.counter) or self.is_handed_key(key) or self.is_name(key)

    def is_name(self, key: int) -> bool:
        """Whether the rounds are given the keys of a table as its elements."""
        return is_key_of(self.facts, version_before(self.facts, key), self.facts.rep[self.over])

    def is_position(self, key: int) -> bool:
        """Whether a key is a number: a collection whose keys are the program's own."""
        facts = self.facts
        at = version_before(facts, key)
        return (self.counter != NONE and facts.rep[at] == facts.rep[self.counter]) or (
            self.is_handed_key(key) and not any(True for _ in self.handed_to_keys())
        )

    def is_handed_key(self, key: int) -> bool:
        """Whether a call hands on pairs of a key and an element, and this is the key: ``enumerate``, ``d.items()``."""
        facts = self.facts
        first = facts.program.string_ids.get("0", NONE)
        at = version_before(facts, key)
        if first == NONE or not self.below or facts.op[at] != LOAD_OP or facts.load_key[facts.data[at]] != first:
            return False
        pair = version_before(facts, facts.load_object[facts.data[at]])
        if facts.rep[pair] not in self.checks.elements_of(self.number):
            return False
        strings = facts.program.strings
        second = self.below[0] >= 0 and strings[self.below[0]] == "1" and len(self.below) == 1
        hidden = all(path[:1] and path[0] >= 0 and strings[path[0]][:1] == "\0" for path in self.handed_to_keys())
        return second and hidden

    def handed_to_keys(self) -> Iterator[Keys]:
        """From where the call that the loop goes over takes the keys of the pairs."""
        facts = self.facts
        made = version_before(facts, self.over)
        first = facts.program.string_ids.get("0", NONE)
        for flow in flows_of(facts, facts.data[made]) if facts.op[made] == CALL_OP else ():
            target = facts.keys(facts.data[made], flow.target.path) if flow.target.kind == "ret" else ()
            if target[1:2] == (first,):
                yield facts.keys(facts.data[made], flow.origin.path)

    def stores_always(self, storing: set[int]) -> bool:
        """Whether each round comes to one of these blocks, and the loop ends only at its header."""
        loop = self.loop
        if not all(loop.body <= each < loop.exit for each in storing):
            return False
        inside = range(loop.header + 1, loop.exit)
        if any(not loop.header <= to < loop.exit for each in inside for to, _, _ in self.checks.ways(loop, each)):
            return False
        seen, work = {loop.body}, [loop.body]
        for block in work:  # grows, each block once
            for target, _, side in self.checks.ways(loop, block):
                if block in storing and side != EXCEPTIONAL:
                    continue
                if target == loop.header:
                    return False
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return True

    def versions(self) -> dict[int, None]:
        """The version at the header, and those that conditions and merges make of it."""
        facts, rows = self.facts, self.checks.blocks.rows
        pis, flows = facts.tables["pis"]["value"], facts.tables["flows"]["target"]
        found = {self.carried: None}
        work = [self.carried]
        for at in work:  # grows, each version once
            made = [int(pis[row]) for row in rows("pis", "input", at)]
            made += [int(flows[row]) for row in rows("flows", "origin", at) if facts.op[int(flows[row])] == PHI_OP]
            fresh = [each for each in made if each not in found]
            found.update(dict.fromkeys(fresh))
            work += fresh
            if len(found) > MAX_DEFINITIONS:
                return {}
        return found

    def elements(self, versions: dict[int, None]) -> list[int] | None:
        """The loads of a round's element from these versions; None if a round uses a collection in another way."""
        facts = self.facts
        found: list[int] = []
        for version in versions:
            if self.checks.blocks.rows("captures", "outer", version):
                return None
            for user in self.checks.users_of(version):
                if user in versions or not self.is_inside(user, version):
                    continue
                if facts.op[user] != LOAD_OP or not self.is_own(facts.load_key[facts.data[user]]):
                    return None
                found.append(user)
        return found if versions else None

    def is_own(self, key: int) -> bool:
        """Whether what a round reads under a key is its own element."""
        if key <= FIRST_VALUE_KEY:
            return self.is_key(FIRST_VALUE_KEY - key)
        return key == UNKNOWN_KEY and self.loop.over == self.over

    def is_inside(self, user: int, used: int) -> bool:
        """Whether a round makes ``user`` of a version."""
        if self.facts.op[user] in (OUT_OP, RESULT_OP, CARRY_OP):
            return False
        return any(self.loop.body <= block < self.loop.exit for block in self.checks.blocks_of_use(user, used))

    def is_value(self, key: int, *, gives_keys: bool) -> bool:
        """Whether what is read under a key is an element of a table, and none of its keys."""
        if key == UNKNOWN_KEY:
            return not gives_keys
        return key < 0 or self.facts.program.strings[key][:1] != "\0"


def cleaned(facts: Facts, value: int, depth: int = 0) -> int:
    """For what a value is clean: by what marked it, or all that it may be."""
    found = facts.labels.clean.get(value, 0)
    op = facts.op[value]
    if op == CONST_OP:
        return facts.wanted.all
    if op == PI_OP:
        found |= facts.labels.clean.get(version_before(facts, value), 0)
    before: list[int] = []
    if op == PHI_OP:
        before = facts.flows.same_as(value)
    elif op == CALL_OP and facts.data[value] in facts.resolution.fully_resolved:
        before = results_of(facts, facts.data[value])
    if not before or depth == MAX_CLEANED_DEPTH:
        return found
    common = facts.wanted.all
    for each in before:
        common &= cleaned(facts, each, depth + 1)
    return found | common
