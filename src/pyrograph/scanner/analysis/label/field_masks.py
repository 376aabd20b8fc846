"""For what a part of an object is clean at some version of it, by the checks that lead there.

``FieldMasks`` goes back through the versions of objects: conditions, calls, stores, merges, parameters. Where a
function of the program was asked, the versions of its parameter at its exits answer; where a loop or a function went
through all elements, ``element_checks`` does. A mask has one bit for each vulnerability, or for each of its aspects.

Answers are tabled: a part of a version that several questions come to is looked at once. An answer that took something
for granted, that which is being asked at a loop's back edge or what lies behind a bound, holds for its question only
(the completeness test of tabled evaluation: Chen and Warren, "Tabled evaluation with delaying", JACM 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Final

from pyrograph.ir.codes import KEYS, NONE, RAISED, UNKNOWN_KEY
from pyrograph.policy.limits.labels import (
    MAX_CHECKED_CALLS,
    MAX_CHECKED_KEYS,
    MAX_PARTS_OPEN,
    MAX_VERSIONS_BACK,
)
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.label.element_checks import Keys, LoopChecks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.field_links import FieldLinks
from pyrograph.scanner.analysis.label.stored_parts import StoredParts
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CELL_OP,
    CONST_OP,
    EXPRESSION_OP,
    LOAD_OP,
    NEW_OP,
    OUT_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    RESULT_OP,
    STORE_OP,
)

Side = tuple[int, int]  # a condition, and whether it holds
Part = tuple[int, Keys]  # a version of an object, and keys below it
MERGES: Final = (PHI_OP, CARRY_OP, CELL_OP, OUT_OP, RESULT_OP)
COMPLETE: Final = 1 << 62  # later than all times: nothing was taken for granted


def may_meet(target: Keys, keys: Keys) -> bool:
    """Whether what is put under ``target`` may lie under ``keys``, in it or around it. An unknown key is any."""
    pairs = zip(target, keys, strict=False)
    return all(put == asked or UNKNOWN_KEY in (put, asked) for put, asked in pairs)


@dataclass(slots=True)
class Question:
    """What is known while one question is answered, or one about a function inside it."""

    left: int  # parts that it may still look at
    known: dict[Part, int]  # complete answers
    seen: dict[Part, tuple[int, int]] = field(default_factory=dict)  # others, and the time from which on they depend
    taken: list[Part] = field(default_factory=list)  # parts whose answers in ``seen`` took something for granted


class FieldMasks:
    """Answers for what parts of objects are clean, and what loops ask of elements (``element_checks.Answers``)."""

    def __init__(
        self,
        facts: Facts,
        guarded: dict[int, int],
        everything: int,
        proofs: Iterable[tuple[int, Side, int]],
        loops: LoopChecks,
        links: CallLinks,
    ) -> None:
        """``guarded``: masks of versions; ``everything``: the mask of what holds without a check; ``proofs``: (value,
        side of a condition, mask) also where no version stands behind the condition.
        """
        self.facts = facts
        self.loops = loops
        self.guarded = guarded
        self.everything = everything
        # keys that are no element of an object
        self.hidden = {facts.program.string_ids.get(each, NONE) for each in (KEYS, RAISED)}
        self.parts = StoredParts(facts, links)
        self.origins = FieldLinks(facts, links, loops.blocks)
        numbers = facts.program.numbers
        self.pi_input = self.parts.pi_input
        self.pi_condition = numbers("pis", "condition")
        self.pi_side = numbers("pis", "side")
        self.first: dict[int, int] = {}  # version -> the one before all calls and conditions
        # (condition, side) -> (representative of an object, keys below it, mask of what that field is clean for there)
        self.checked: dict[Side, list[tuple[int, Keys, int]]] = {}
        behind = [
            (self.pi_input[row], (self.pi_condition[row], self.pi_side[row]), mask)
            for pi, mask in guarded.items()
            if facts.op[pi] == PI_OP
            for row in (facts.data[pi],)
        ]
        for value, side, mask in dict.fromkeys([*behind, *proofs]):
            for root, keys in self.holders(value):
                self.checked.setdefault(side, []).append((root, keys, mask))
        for side, fields in facts.guards.fields.items():
            for value, below, mask in fields:
                for root, keys in self.holders(value):
                    self.checked.setdefault(side, []).append((root, (*keys, *below), mask))
        # (representative, keys below it, mask) of what is checked by calls that raise otherwise
        self.passed_on = [
            (root, (*keys, *below), mask)
            for row, behind in facts.guards.passed.items()
            for root, keys in self.holders(facts.arg_value[row])
            for below, mask in behind.items()
        ]
        # (representative, keys below it, version of the parameter where a function gave this answer about that part)
        self.asked: dict[Side, list[tuple[int, Keys, int]]] = {}
        for side, answers in facts.guards.answers.items():
            for value, below, version in answers:
                for root, keys in self.holders(value):
                    self.asked.setdefault(side, []).append((root, (*keys, *below), version))
                alone = wrapped(facts, self.version_before(value)) if below[:1] == (UNKNOWN_KEY,) else NONE
                if alone != NONE:
                    self.asked.setdefault(side, []).extend([(alone, below, version), (alone, below[1:], version)])
        # keys of members whose elements are checked
        self.collections = {
            keys[-2] for _, keys, _ in chain(*self.asked.values()) if keys[1:] and keys[-1] == UNKNOWN_KEY
        }
        self.collections |= loops.collections
        every = chain(*self.checked.values(), *self.asked.values())
        asks_all = bool(loops.roots or loops.by_empty) or any(UNKNOWN_KEY in keys for _, keys, _ in every)
        # positions of which what holds of all elements is known, ``rows[0]``; none where nothing asks about all
        positions = facts.program.string_ids.items() if asks_all else ()
        self.positions = {key for text, key in positions if text.isdigit()}
        # what objects that outlive a request, tables and templates give to a parameter stands in no call of the program
        steps = rows_of(facts.resolution.flows.context_free_edges, 2)[:, 1].tolist()
        moves = [each.target for each in facts.resolution.flows.moves]
        self.given_elsewhere = {facts.rep[target] for target in (*steps, *moves)} | facts.guards.untrusted
        # what a library fills with data from outside
        self.filled = {source.value for source in facts.labels.sources if facts.op[source.value] == POST_OP}
        # what held nothing yet, ``var text string``, is what a modelled call has put there, ``rows.Scan(&text)``
        put = {each.target for each in facts.labels.flows} | {each.target for each in facts.resolution.flows.moves}
        posts = [each for each in sorted(put) if facts.op[each] == POST_OP]
        self.filled |= {each for each in posts if self.was_constant(self.version_before(each))}
        self.by_call = facts.labels.checks.checked_by_call
        # complete answers: about parts anywhere, and as far as a function that was asked has checked them itself
        self.outside: dict[Part, int] = {}
        self.inside: dict[Part, int] = {}
        self.question = Question(0, self.outside)
        self.given: dict[Part, tuple[int, int]] = {}  # ``passed``
        self.unsure: list[Part] = []  # of these, what holds for this question only
        self.depth = 0  # of questions within questions
        self.open = 0  # parts that are being looked at, of all of these questions
        self.time = 0  # counts what was asked
        self.since = COMPLETE  # the earliest time at which something was asked whose answer was taken for granted

    def holders(self, value: int) -> Iterator[tuple[int, Keys]]:
        """Representatives of a value and of the objects that it was loaded from, with the keys below each."""
        facts = self.facts
        keys: Keys = ()
        while True:  # each is loaded from an earlier value
            value = self.version_before(value)
            yield facts.rep[value], keys
            if facts.op[value] != LOAD_OP or facts.load_key[facts.data[value]] < 0 or len(keys) == MAX_CHECKED_KEYS:
                return
            keys = (facts.load_key[facts.data[value]], *keys)
            value = facts.load_object[facts.data[value]]

    def was_constant(self, value: int) -> bool:
        """Whether a value is a constant, or a variable that is declared with one."""
        made = self.facts.flows.same_as(value) if self.facts.op[value] == EXPRESSION_OP else [value]
        return len(made) == 1 and self.facts.op[made[0]] == CONST_OP

    def version_before(self, value: int) -> int:
        """``rounds.version_before``, remembered: checks in a row are a chain of versions, and each is walked once."""
        facts = self.facts
        chain: list[int] = []
        while value not in self.first and facts.op[value] in (POST_OP, PI_OP):  # each is made of an earlier value
            chain.append(value)
            row = facts.data[value]
            value = facts.arg_value[row] if facts.op[value] == POST_OP else self.pi_input[row]
        value = self.first.get(value, value)
        for each in chain:
            self.first[each] = value
        return value

    def is_below(self, value: int, roots: set[int]) -> bool:
        """Whether ``value`` was loaded, through any number of keys and captures, from one of ``roots``."""
        facts = self.facts
        for _ in range(MAX_CHECKED_KEYS):
            rep = facts.rep[value]
            if rep in roots:
                return True
            if rep in facts.flows.captured:
                value = facts.flows.captured[rep]
            else:
                value = self.version_before(value)
                if facts.op[value] == PHI_OP:  # versions of one object, that nested functions may have changed
                    before = [origin for origin, _ in facts.flows.origins_of(value) if facts.op[origin] != CELL_OP]
                    firsts = {self.version_before(origin) for origin in before}
                    if len(firsts) != 1:  # the member was read once more on one of the ways
                        return bool(firsts) and all([self.is_read_from(each, roots) for each in firsts])
                    (value,) = firsts
                    continue
                if facts.op[value] in (PARAMETER_OP, EXPRESSION_OP, CALL_OP, CARRY_OP):
                    return True  # what callers pass, what a call hands on, what a loop puts together
                if facts.op[value] != LOAD_OP:
                    return False
                value = facts.load_object[facts.data[value]]
        return facts.rep[value] in roots

    def is_read_from(self, value: int, roots: set[int]) -> bool:
        """Whether ``value`` is a member of one of ``roots``."""
        facts = self.facts
        return facts.op[value] == LOAD_OP and facts.rep[facts.load_object[facts.data[value]]] in roots

    def mask(self, state: int, keys: Keys, user: int = NONE) -> int:
        """The vulnerabilities for which the field ``keys`` of this object version is clean, by checks on the way to it.

        At a phi only what holds on all arms counts. A call keeps the mask unless a function that it may call stores
        under one of the keys: another object in place of one on the way changes the field, too; or a library fills the
        object. ``user`` is what uses the version, where that is known: behind a loop more is known of it than inside.
        """
        if self.facts.op[state] != CARRY_OP:
            return self.tabled(state, keys)
        return self.loops.mask(state, keys, user, self) | self.tabled(state, keys)

    def tabled(self, state: int, keys: Keys) -> int:
        """``mask`` but for what a loop has proven; each part is looked at once, or once in each question."""
        part = (state, keys)
        question = self.question
        found = question.known.get(part)
        if found is not None:
            return found
        known = question.seen.get(part)
        if known is not None:
            self.since = min(self.since, known[1])
            return known[0]
        if not question.left or self.open == MAX_PARTS_OPEN:
            return self.cut()
        question.left -= 1
        before = self.since
        self.time += 1
        start = self.since = self.time
        question.seen[part] = (self.everything, start)  # at a loop's back edge: what holds before the loop decides
        self.open += 1
        found = self.before(state, keys)
        self.open -= 1
        if self.since < start:
            question.seen[part] = (found, self.since)
            question.taken.append(part)
            self.since = min(before, self.since)
        else:
            question.known[part] = found
            taken = question.taken
            while taken and question.seen.get(taken[-1], (0, NONE))[1] >= start:  # they took this one for granted
                del question.seen[taken.pop()]
            self.since = before
        return found

    def cut(self) -> int:
        """The answer behind a bound: nothing is clean, and no answer made of this one is complete."""
        self.since = NONE
        return 0

    def before(self, state: int, keys: Keys) -> int:
        """``tabled``, from the answers for the versions before this one."""
        facts = self.facts
        op, row = facts.op[state], facts.data[state]
        found = 0
        if op == PI_OP:
            found = self.behind(state, row, keys)
        elif op == POST_OP:
            call = facts.calls.call_of_argument[row]
            found = facts.guards.passed.get(row, {}).get(keys, 0)
            if state in self.parts.changed_later:
                return found
            found |= self.returned(call, facts.arg_value[row], keys)
            moved = keys and self.parts.moves(row, keys[0])
            if state not in self.filled and not moved and not self.parts.replaces(row, keys):
                before = self.mask(facts.arg_value[row], keys, state)
                found |= self.added(call, row, keys, state, before) if before and keys else before
        elif op in MERGES:
            found = self.merged(state, keys)
        elif op == STORE_OP:
            found = self.stored_to(row, keys, state)
        elif op == LOAD_OP and len(keys) < MAX_CHECKED_KEYS:
            key, holder = facts.load_key[row], facts.load_object[row]
            found = self.mask(holder, (max(key, UNKNOWN_KEY), *keys), state)
            if key in self.positions and keys:
                found |= self.mask(holder, (UNKNOWN_KEY, *keys), state)
        elif op == NEW_OP:
            found = self.everything if keys[:1] == (UNKNOWN_KEY,) else 0  # what is stored into it later decides
            for each in facts.flows.same_as(state) if found else ():  # and what the objects hold that it was made of
                found &= self.mask(each, keys, state)
        elif op == CONST_OP and facts.is_inert(state):
            found = self.everything  # a constant, such as a list that does not exist yet
        elif facts.rep[state] in facts.flows.captured:
            outer = facts.flows.captured[facts.rep[state]]
            # nobody has filled it yet where it is captured: other functions do
            is_empty = facts.op[outer] == NEW_OP and keys[:1] == (UNKNOWN_KEY,)
            found = 0 if is_empty else self.mask(outer, keys)
        elif op == PARAMETER_OP:
            # inside a function that was asked, what callers pass to it is of no interest
            found = self.passed(facts.rep[state], keys) if self.question.known is self.outside else 0
        elif op == CALL_OP:
            found = self.handed_on(row, keys, state)
        elif op == EXPRESSION_OP and len(copied := facts.flows.same_as(state)) == 1:
            found = self.mask(copied[0], keys, state)
        return found

    def behind(self, state: int, row: int, keys: Keys) -> int:
        """``mask`` of the version under a condition, the row of a pi."""
        facts = self.facts
        side = (self.pi_condition[row], self.pi_side[row])
        found = self.by_side(side, {facts.rep[state]}, keys) | (0 if keys else self.guarded.get(state, 0))
        held = self.pi_input[row] if side in self.checked or side in self.asked else NONE
        for number, key in enumerate(keys, 1):
            if held == NONE:
                break
            held = self.parts.held_by(held, key)
            found |= self.by_side(side, {facts.rep[held]}, keys[number:]) if held != NONE else 0
        above, below = self.version_before(state), keys
        while facts.op[above] == LOAD_OP and facts.load_key[facts.data[above]] >= 0 and len(below) < MAX_CHECKED_KEYS:
            below = (facts.load_key[facts.data[above]], *below)  # the same member, read once more before the condition
            above = self.version_before(facts.load_object[facts.data[above]])
            found |= self.by_side(side, {facts.rep[above]}, below)
        if state in self.by_call:  # the parameter, where the function that was asked returns with this outcome
            found |= self.answer(self.by_call[state][1], keys)
        found |= self.loops.mask_at_exit(side, facts.rep[state], keys, self)
        return found | self.mask(self.pi_input[row], keys, state)

    def merged(self, state: int, keys: Keys) -> int:
        """``mask`` of what all inputs of a merge have in common. What is checked on one way may be replaced on another
        one by a constant: ``if ok(o.a): pass; else: o.a = "/"``.
        """
        inputs = [each for each in self.origins.inputs(state) if not self.is_replaced(each, keys)]
        found = self.everything if inputs else 0
        for each in inputs:
            if not found:
                break
            found &= self.mask(each, keys, state)
        return found

    def is_replaced(self, state: int, keys: Keys) -> bool:
        """Whether a state is that behind a store of a constant under the one key."""
        row = self.facts.data[state]
        if self.facts.op[state] != STORE_OP or len(keys) != 1 or self.parts.store_key[row] != keys[0]:
            return False
        value = self.parts.store_value[row]
        return keys[0] >= 0 and value != NONE and self.facts.op[self.facts.rep[value]] == CONST_OP

    def stored_to(self, row: int, keys: Keys, state: int) -> int:
        """``mask`` of the state behind a store."""
        parts = self.parts
        key, value, holder = parts.store_key[row], parts.store_value[row], parts.store_object[row]
        if key < 0 and keys[:1] == (UNKNOWN_KEY,) and value != NONE:  # one element more, or another one
            found = self.mask(holder, keys, state)
            return found & self.mask(value, keys[1:], state) if found else 0
        if not keys or key != keys[0]:
            return self.mask(holder, keys, state) if key >= 0 and keys[:1] != (UNKNOWN_KEY,) else 0
        if value == NONE:
            return 0
        return self.mask(value, keys[1:], state) if len(keys) > 1 else self.stored_back(value, holder, keys)

    def by_side(self, side: Side, roots: set[int], keys: Keys) -> int:
        """The mask of what a condition with this side proves of a part of an object, one of ``roots``."""
        found = 0
        for root, part, mask in self.checked.get(side, ()):
            if part == keys and root in roots:
                found |= mask
        for root, above, version in self.asked.get(side, ()):
            if keys[: len(above)] == above and root in roots:
                found |= self.answer(version, keys[len(above) :])
        return found

    def answer(self, version: int, keys: Keys) -> int:
        """``mask`` of a parameter's version at exits of a function, as far as the function itself has checked it: what
        its caller has checked is known where the call stands.
        """
        asking = self.question
        self.question = Question(asking.left, self.inside)
        found = self.mask(version, keys)
        asking.left = self.question.left
        self.question = asking
        return found

    def by_condition(self, condition: int, side: int, elements: set[int], keys: Keys) -> int:
        """``Answers.by_condition``."""
        return self.aside(lambda: self.by_side((condition, side), elements, keys))

    def by_return(self, call: int, elements: set[int], keys: Keys) -> int:
        """``Answers.by_return``."""

        def asked() -> int:
            found = 0
            for argument in self.facts.args.of(call):
                for root, above in self.holders(self.facts.arg_value[argument]):
                    if root in elements and keys[: len(above)] == above:
                        found |= self.returned(call, self.facts.arg_value[argument], keys[len(above) :])
            return found

        return self.aside(asked)

    def aside(self, question: Callable[[], int]) -> int:
        """The answer to a question of its own, with a bound of its own; 0 if too many are open."""
        if self.depth == MAX_CHECKED_CALLS:
            return self.cut()
        asking = self.question
        self.question = Question(MAX_VERSIONS_BACK, self.outside)
        self.depth += 1
        found = question()
        self.depth -= 1
        self.question = asking
        return found

    def returned(self, call: int, argument: int, keys: Keys) -> int:
        """The mask of a part of an argument where the functions that are given it, or each element of it, returned."""
        exits = self.origins.exits(call, argument)
        found = self.everything if exits else 0
        for version, is_whole, asks_all in exits:
            if version == NONE or not (is_whole or (asks_all and keys[:1] == (UNKNOWN_KEY,))):
                return 0
            found &= self.answer(version, keys if is_whole else keys[1:])
            if not found:
                break
        return found

    def added(self, call: int, row: int, keys: Keys, state: int, before: int) -> int:
        """``before``, as far as it holds of what a modelled call puts into this argument as well."""
        for flow in self.origins.into_arguments(call):
            target = flow.target
            if keys[:1] == (UNKNOWN_KEY,) and target and target[0] not in self.hidden:
                target = (UNKNOWN_KEY, *target[1:])  # any element is asked for: this is one
            if row not in flow.rows or (target[:1] != keys[:1] and target[:1] not in ((), (UNKNOWN_KEY,))):
                continue  # into another one, or under another key
            if not flow.same or target != keys[: len(target)]:
                return 0
            for value in flow.values:
                before &= self.mask(value, flow.origin + keys[len(target) :], state)
        return before

    def handed_on(self, call: int, keys: Keys, state: int) -> int:
        """The mask of a part of what a call returns: results of functions, elements that a model hands on."""
        facts = self.facts
        if call not in facts.resolution.fully_resolved and call not in facts.calls.apis_of:
            return 0
        parts = [(origin, keys, NONE) for origin in self.parts.links.results.get(state, ())]
        for origin, key in self.parts.links.elements.get(state, ()):
            if keys and may_meet((key,), keys):
                parts.append((origin, keys[1:], NONE))
        for flow in self.origins.into_result(call):
            target = flow.target
            if not may_meet(target, keys):
                continue  # it goes elsewhere
            if not flow.same or len(target) > len(keys):
                return 0
            parts += [(value, flow.origin + keys[len(target) :], state) for value in flow.values]
        found = self.everything if parts else 0
        for value, below, user in parts:
            found &= self.mask(value, below, user)
            if not found:
                break
        return found

    def passed(self, parameter: int, keys: Keys) -> int:
        """The mask of a field of what all calls of the program pass; 0 if somebody else passes something, too."""
        known = self.given.get((parameter, keys))
        if known is not None:
            self.since = min(self.since, known[1])
            return known[0]
        given = self.origins.given(parameter)
        if not given or parameter in self.given_elsewhere:
            return 0
        found = self.everything
        before = self.since
        self.time += 1
        start = self.since = self.time
        self.given[parameter, keys] = (found, start)  # a function that calls itself: what others pass decides
        for each, above in given:
            found &= self.aside(partial(self.mask, each, above + keys))
            if not found:
                break
        if self.since < start:  # of this question only
            self.given[parameter, keys] = (found, self.since)
            self.unsure.append((parameter, keys))
            self.since = min(before, self.since)
        else:
            self.given[parameter, keys] = (found, COMPLETE)
            self.since = before
        return found

    def fresh(self, state: int, keys: Keys, user: int = NONE) -> int:
        """``mask`` with all of its bound, which no later question exceeds."""
        self.question = Question(MAX_VERSIONS_BACK, self.outside)
        self.since = COMPLETE
        for each in self.unsure:
            del self.given[each]
        self.unsure = []
        found = self.mask(state, keys, user)
        asked = self.question
        if (state, keys) in asked.seen:
            asked.known.setdefault((state, keys), asked.seen[state, keys][0])
        return found

    def stored_back(self, part: int, holder: int, keys: Keys) -> int:
        """The mask of a field to which a later version of its own value is stored: ``x.a = changed(x.a)``; else 0."""
        facts = self.facts
        found = 0
        while facts.op[part] in (POST_OP, PI_OP):  # each is made of an earlier value
            row = facts.data[part]
            found |= self.guarded.get(part, 0)
            part = facts.arg_value[row] if facts.op[part] == POST_OP else self.pi_input[row]
        if facts.op[part] != LOAD_OP or not self.parts.is_stored_back(part, holder, keys[0]):
            return 0
        return found | self.mask(holder, keys)


def wrapped(facts: Facts, value: int) -> int:
    """The representative of what is a list, or else the only element of a list: ``isinstance(x, list) ? x : [x]``; or
    NONE.
    """
    if facts.op[value] != PHI_OP:
        return NONE
    ways = {facts.rep[each] for each in facts.flows.same_as(value)}
    lists = {each for each in ways if facts.op[each] == NEW_OP and facts.shape(each) == "list"}
    others = ways - lists
    if len(lists) != 1 or len(others) != 1:
        return NONE
    rows = facts.flows.stores_into(lists.pop())
    stored = {facts.rep[each] for each in (int(facts.tables["stores"]["value"][row]) for row in rows) if each >= 0}
    return others.pop() if stored == others else NONE
