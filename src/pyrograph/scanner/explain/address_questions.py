"""Checks of where a host leads: ``if ipaddress.ip_address(gethostbyname(host)).is_private: raise``.

What the network says about a name is not made of its text, so labelling sees no relation between the condition and the
address of the request. Here the relation is any: the object that is asked was made, in the same function, by calls that
were given the value, however many. The name of the question (``ADDRESS_NAMES``) says what it is about. A condition
refuses if one of its sides does not get to where the path goes on. A question in a loop (each address of a host) is one
for the code behind the loop, too, although a path without an iteration leads there.
"""

from __future__ import annotations

from collections.abc import Container

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_VALUES
from pyrograph.policy.names.questions import ADDRESS_MAKER_NAMES, ADDRESS_NAMES, NETWORK_NAMES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.subjects import Origins, Subject


class AddressQuestions(Origins):
    """Conditions that ask what kind of address a value leads to."""

    def __init__(self, control_flow: ControlFlow, labels: Labels, args: Arguments) -> None:
        super().__init__(control_flow, labels, args)
        self.leading: dict[int, frozenset[int]] = {}  # ``led_from``

    def asks_address(self, condition: int, subject: Subject) -> bool:
        """Whether a condition asks this about the subject."""
        table = self.program.tables["conditions"]
        test, left = int(table["test"][condition]), int(table["left"][condition])
        if left == NONE or test not in (Test.TRUTH, Test.IN):
            return False
        if test == Test.IN:
            right = int(table["right"][condition])
            asked = right != NONE and not self.is_constant(right) and self.is_made_address(left)
            return asked and self.leads_from(left, subject)
        return self.answers_address(left, subject)

    def answers_address(self, value: int, subject: Subject) -> bool:
        """Whether a value is an answer to such a question about the subject."""
        is_answer = self.is_address_question(value) or self.is_network_question(value)
        return is_answer and self.leads_from(value, subject)

    def leads_from(self, value: int, subject: Subject) -> bool:
        """Whether a value was made from the subject."""
        led_from = self.led_from(value)
        return not subject.texts.isdisjoint(led_from) or any(
            not led_from.isdisjoint(self.reads(*each)) for each in subject.parts
        )

    def is_address_question(self, value: int) -> bool:
        """Whether a value is a member, or the result of a call, that is so named."""
        rep = self.reps[value]
        if self.op[rep] == Op.CALL:
            name = self.name_of(self.data[rep])
        elif self.op[rep] == Op.LOAD:
            key = int(self.program.tables["loads"]["key"][self.data[rep]])
            name = self.program.strings[key] if key >= 0 else ""
        else:
            return False
        return ADDRESS_NAMES.search(name) is not None

    def is_network_question(self, value: int) -> bool:
        """Whether a value is the answer of a network, or of a list of networks, that is asked about an address."""
        rep = self.reps[value]
        if self.op[rep] != Op.CALL or NETWORK_NAMES.search(self.name_of(self.data[rep])) is None:
            return False
        return any(self.is_made_address(self.args.value[row]) for row in self.args.of(self.data[rep]))

    def is_made_address(self, value: int) -> bool:
        """Whether a value comes from a call that makes network addresses of hosts."""
        return any(
            self.op[each] == Op.CALL and ADDRESS_MAKER_NAMES.search(self.name_of(self.data[each])) is not None
            for each in self.led_from(value)
        )

    def led_from(self, value: int) -> frozenset[int]:
        """Representatives of everything that a value was computed from in its function, to the bound."""
        start = self.reps[value]
        if start not in self.leading:
            found = {start}
            work = [start]
            for at in work:  # grows, to the bound
                if len(found) > MAX_ASKED_VALUES:
                    break
                given = list(self.before(at))
                if self.op[at] == Op.CALL:
                    given += [self.reps[self.args.value[row]] for row in self.args.of(self.data[at])]
                elif self.op[at] == Op.NEW:  # ``addresses = [ip_address(host)]``, each of which is asked
                    given += [self.reps[each] for each in self.held(at)]
                fresh = [each for each in dict.fromkeys(given) if each not in found]
                found.update(fresh)
                work += fresh
            self.leading[start] = frozenset(found)
        return self.leading[start]

    def refuses_address(self, function: int, subject: Subject, ends: Container[int]) -> bool:
        """Whether such a condition of ``function`` has a side from which none of the blocks ``ends`` is reached.

        Callers count the conditions.
        """
        flow = self.control_flow
        for condition in flow.conditions_in(function):
            if not self.asks_address(condition, subject):
                continue
            for each in (condition, *(whole for whole, _ in flow.wholes.get(condition, ()))):
                for row in flow.deciding.of(each).tolist():
                    table = flow.program.tables["control"]
                    if (
                        int(table["side"][row]) != EXCEPTIONAL
                        and self.budget.spend(function, len(flow.blocks[function][0]))
                        and self.is_past(function, int(table["target"][row]), ends)
                    ):
                        return True
        return False

    def is_past(self, function: int, block: int, ends: Container[int]) -> bool:
        """Whether none of ``ends`` is reached from ``block``; an exception that is raised and handled leads on, and a
        call that does not come back leads to what handles exceptions only.
        """
        flow = self.control_flow
        stops = flow.stops(function)
        seen = {block}
        work = [block]
        for at in work:  # grows, each block once
            if at in ends:
                return False
            following = flow.handlers_around(function, at) if at in stops else [edge.target for edge in flow.edges(at)]
            work += [each for each in dict.fromkeys(following) if each not in seen]
            seen.update(following)
        return True
