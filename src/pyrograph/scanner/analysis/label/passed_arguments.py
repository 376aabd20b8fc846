"""Sinks whose conditions hold for what callers pass: ``run("sh", "-c", text)``, where ``run`` starts its arguments.

A function that hands its parameters to a library is called with the constants that the conditions of an entry ask for.
The call of the library is then looked at with the arguments of one caller in place of the parameters, so that
what another caller passes does not count. The sink is the caller's argument.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.policy.limits.labels import MAX_PASSED_DEPTH, MAX_PASSING_CALLS
from pyrograph.rules.entries import Port, Sink
from pyrograph.scanner.analysis.arguments import SPREAD, Passed
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.fixed_endings import ends_mildly
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.numbers import PARAMETER_OP
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

CONSTANT_TESTS: Final = frozenset({"==", "in", "prefix", "begins", "contains", "opens"})  # a constant can pass them

Given = dict[tuple[int, int], int]  # (representative of a parameter, key under which it holds the argument) -> argument


def passed_sinks(
    facts: Facts, untaken: Iterable[tuple[int, Sink, str]], taken: Collection[tuple[int, str, Port]]
) -> None:
    """Sinks of calls whose entries ask for constants.

    ``untaken``: (call, entry, API) whose conditions do not hold. ``taken``: (call, vulnerability, port) of the sinks
    that there are at the calls themselves.
    """
    asked = [each for each in untaken if asks_for_constants(each[1]) and not is_taken(each, taken)]
    calls = {call for call, _, _ in asked if any(is_parameter(facts, row) for row in facts.args.of(call))}
    if not calls:
        return
    callers = Callers(facts)
    for call, sink, text in asked:
        if call in calls:
            own = [
                Passed(facts.arg_value[row], facts.arg_position[row], facts.arg_keyword[row], facts.arg_flags[row], row)
                for row in facts.args.of(call)
                if facts.arg_position[row] != RECEIVER
            ]
            follow(facts, callers, call, own, sink, text, MAX_PASSED_DEPTH)


def is_taken(asked: tuple[int, Sink, str], taken: Collection[tuple[int, str, Port]]) -> bool:
    """Whether the arguments of the entry are sinks at the call already, whatever its callers pass."""
    call, sink, _ = asked
    return all((call, sink.vulnerability, port) in taken for port in sink.ports)


def asks_for_constants(sink: Sink) -> bool:
    tests = [test for condition in sink.conditions if not condition.unless for test in condition.tests]
    return any(test.operator in CONSTANT_TESTS and test.port.kind != "this" and not test.via for test in tests)


def is_parameter(facts: Facts, row: int) -> bool:
    return bool(facts.op[facts.rep[facts.arg_value[row]]] == PARAMETER_OP)


class Callers:
    """The calls of functions of the program, and what they bind to parameters."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.bindings = facts.resolution.rows("bindings")
        self.by_site = RowsByKey(self.bindings[:, 0])
        self._given: dict[int, Given] = {}  # a cache of ``given``

    def of(self, value: int) -> Sequence[int]:
        """The calls of the function that ``value`` is in; none if there are too many."""
        found = self.facts.calls.calls_of(int(self.facts.function_of[value]))
        return found if len(found) <= MAX_PASSING_CALLS else ()

    def given(self, site: int) -> Given:
        """What a call binds."""
        known = self._given.get(site)
        if known is None:
            rows = self.bindings[self.by_site.of(site), 1:].tolist()
            known = self._given[site] = {
                (self.facts.rep[parameter], key): argument
                for argument, parameter, key, element in rows
                if element == ENTIRE_ARGUMENT
            }
        return known

    def row_of(self, site: int, argument: int) -> int:
        """The row in which ``site`` passes ``argument``, or NONE."""
        return next((row for row in self.facts.args.of(site) if self.facts.arg_value[row] == argument), NONE)

    def decided(self, site: int, arguments: Sequence[Passed]) -> list[Passed]:
        """``arguments``, with what ``site`` passes in place of parameters."""
        facts, given = self.facts, self.given(site)
        found: list[Passed] = []
        for each in arguments:
            parameter = facts.rep[each.value]
            keys = [key for name, key in given if name == parameter]
            if not each.flags and NO_KEY in keys:
                found.append(self.moved(site, given[parameter, NO_KEY], each))
            elif each.flags & SPREAD and keys:
                for key in keys:
                    argument = given[parameter, key]
                    if key == NO_KEY:
                        found.append(self.moved(site, argument, each))
                    elif facts.program.strings[key].isdigit():
                        at = each.position + int(facts.program.strings[key])
                        found.append(self.moved(site, argument, replace(each, position=at, flags=0)))
            elif each.flags and keys:  # keywords
                for key in keys:
                    argument = given[parameter, key]
                    changed = each if key == NO_KEY else replace(each, keyword=key, flags=0)
                    found.append(self.moved(site, argument, changed))
            else:
                found.append(each)
        return found

    def moved(self, site: int, argument: int, each: Passed) -> Passed:
        return replace(each, value=argument, row=self.row_of(site, argument), moved=True)


def follow(
    facts: Facts, callers: Callers, call: int, arguments: Sequence[Passed], sink: Sink, text: str, depth: int
) -> None:
    """Sinks at the calls of the function around ``call``, and where their conditions do not hold yet, further out."""
    for site in callers.of(facts.call_result[call]):
        decided = callers.decided(site, arguments)
        if decided == list(arguments):
            continue
        facts.conditions.passed = decided
        applies = holds(facts, sink.conditions, call, fields=True)
        facts.conditions.passed = None
        if applies:
            for port in sink.ports:
                for each in facts.args.passed(decided, port):
                    if each.moved and each.row != NONE:
                        add_sink(facts, site, each, port, sink, text)
        elif depth > 1:
            follow(facts, callers, site, decided, sink, text, depth - 1)


def add_sink(facts: Facts, site: int, each: Passed, port: Port, sink: Sink, text: str) -> None:
    value = each.value
    if facts.is_inert(value):
        return
    file = int(facts.program.file_of_value[value])
    start, end = int(facts.places.arg_start[each.row]), int(facts.places.arg_end[each.row])
    keys = facts.keys(site, port.path)
    if each.flags & SPREAD:
        keys = (facts.program.intern(str(port.position - each.position)), *keys)
    for bit in facts.wanted.bits_at(sink):
        if not (facts.constants.positions.get(each.row, 0) >> bit & 1 or facts.is_safe_text(bit, value)):
            mild = ends_mildly(facts, value, bit)
            low = sink.low or mild or bit in facts.wanted.low
            exact = sink.whole or bit in facts.wanted.value_only
            role = SinkRole(value, bit, text, file, start, end, keys, low, exact, sink.shown, call=site, mild=mild)
            facts.labels.sinks.append(role)
