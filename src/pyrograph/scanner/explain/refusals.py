"""Checks on a path that are known by what they do: the program asks a function of its own about the value, and on one
answer it does not get to where the path goes on.

``if not is_known(name): abort(404)`` before ``open(name)``: whether the names that are known do harm was not found out.
What the function's body asks (``asking``) decides, not its name. The path has at most medium confidence then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.parsers import language_of
from pyrograph.policy.names.questions import BIND_NAMES
from pyrograph.scanner.analysis.assemble import FlowGraph
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.explain.asking import Asking
from pyrograph.scanner.explain.missing import KeyedRead
from pyrograph.scanner.explain.named_hosts import NamedHosts
from pyrograph.scanner.explain.opened_elements import OpenedElements
from pyrograph.scanner.explain.paths import CALL, LOAD, RETURN, UNCHANGED, Edge
from pyrograph.scanner.explain.recorded_refusals import Question, Recorded, RecordedRefusals
from pyrograph.scanner.explain.refusing_answers import RefusingAnswers
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.subjects import Subject
from pyrograph.scanner.explain.texts import Texts

NOWHERE: Final = (Op.PHI, Op.CARRY, Op.RESULT, Op.OUT, Op.RAISED, Op.CELL, Op.PARAMETER)  # of no certain block


class Activation(NamedTuple):
    """What a path goes through in one call of a function."""

    values: list[int]  # in order
    texts: set[int]  # those that are untrusted as a whole, but for the parts of which only a part is read
    parts: set[tuple[int, int]]  # (representative of an object, key of the part that is read)
    hands_back: bool = False  # the function returns the object that it was given, and then the path reads a part of it


class RefusalCheck:
    def __init__(self, asking: Asking, regions: Regions, flow: FlowGraph, texts: Texts) -> None:
        """``regions`` is the control flow that ``asking`` looks at."""
        self.asking = asking
        self.answers = RefusingAnswers(regions)
        self.texts = texts
        self.control_flow = asking.control_flow
        self.flow = flow
        self.reps = asking.reps
        self.context, self.site = flow.context.data, flow.site.data
        self.results = asking.program.numbers("calls", "result")
        self.harmed: dict[int, set[int]] = {}  # by vulnerability: the calls that it is about
        for each in asking.labels.sinks:
            if each.call == NONE or not BIND_NAMES.search(asking.name_of(each.call)):
                self.harmed.setdefault(each.vulnerability, set()).add(each.call)
        self.known: dict[tuple[int, int, Subject, int], bool] = {}  # ``is_refused_in``
        self.called: dict[int, tuple[dict[int, int], dict[int, list[int]]]] = {}  # by function: ``outcomes``
        self.hosts: NamedHosts | None = None  # where the vulnerability is about hosts, which ``known`` is kept by

    def is_refused(self, edges: Sequence[Edge], source: int, sink: SinkRole, hosts: NamedHosts | None = None) -> bool:
        """Whether a function that the path goes through asks about the value, and goes on for some answers only.
        ``hosts``: what arrives decides where a request goes, so that names which are refused change nothing.
        """
        if self.is_checked_field(edges, source):
            return True
        noted: dict[int, frozenset[Recorded]] = {}  # by call that the path has left: what it recorded
        self.hosts = hosts
        for run, site in self.activations(edges, source, sink):
            if site != NONE and hosts is not None and self.is_by_name(run, hosts):
                continue
            if self.is_refused_in(run, sink.vulnerability):
                return True
            if site != NONE and not self.is_raised(run) and self.is_refused_whole(run):
                return True
            if self.is_recorded_in(run, site, sink.vulnerability, noted):
                return True
        return False

    def is_by_name(self, run: Activation, hosts: NamedHosts) -> bool:
        """Whether the function that a path comes back from refuses hosts by their names alone."""
        return bool(run.values) and hosts.refuses_by_name(int(self.control_flow.function[run.values[-1]]))

    def is_recorded_in(
        self, run: Activation, site: int, vulnerability: int, noted: dict[int, frozenset[Recorded]]
    ) -> bool:
        """Whether one function gets to the last of these values only where no check recorded that they are bad."""
        function = int(self.control_flow.function[run.values[-1]]) if run.values else NONE
        if function not in self.control_flow.blocks or not self.may_look_into(function):
            return False
        texts = frozenset(self.reps[each] for each in run.texts if self.control_flow.function[each] == function)
        question = Question(Subject(texts, frozenset(run.parts)), 1 << vulnerability)
        if site != NONE:
            noted[site] = self.recorded.recorded_by(function, question, 0)
        last = self.last_of(run)
        if last == NONE:
            return False
        calls = {call: found for call, found in noted.items() if found and self.is_call_in(call, function)}
        return self.recorded.is_refused(function, self.control_flow.block_behind(last), question, calls)

    def is_call_in(self, call: int, function: int) -> bool:
        return 0 <= call < len(self.results) and int(self.control_flow.function[self.results[call]]) == function

    @cached_property
    def recorded(self) -> RecordedRefusals:
        return RecordedRefusals(self.asking)

    def is_checked_field(self, edges: Sequence[Edge], source: int) -> bool:
        """Whether the path reads a field that a function of the program checked, which raises for some values."""
        checks = self.asking.labels.checks.field_checks
        if not checks:
            return False
        read = (checks.get(value, ()) for value in (source, *(self.flow.value[edge.target] for edge in edges)))
        return any(self.asking.refuses_field(check) for found in read for check in found)

    def activations(self, edges: Sequence[Edge], source: int, sink: SinkRole) -> Iterator[tuple[Activation, int]]:
        """What a path goes through in each call of a function, and whether it returned from there: those that it
        returned from first, in order.
        """
        function, flow = self.control_flow.function.data, self.flow
        values, kinds, keys, contexts = flow.value, flow.kind.data, flow.key.data, self.context
        ahead = self.parts_ahead(edges)
        whole = [False]  # by activation: whether the path goes through it with the object that was passed in
        open_ = [Activation([source], {source}, set())]
        entered = [(NONE, NONE)]  # by activation: representatives of the argument and the parameter by which it began
        same = [[source]]  # by activation: the last values that are one object, which calls handed back
        for number, edge in enumerate(edges):
            value, before = values[edge.target], values[edge.origin]
            context, here = contexts[edge.row], open_[-1]
            is_same = kinds[edge.row] in UNCHANGED
            whole[-1] = whole[-1] and is_same
            if not is_same:
                same[-1].clear()
            read = self.asking.part_reads.get(value, (NONE, NONE))  # by a call: ``query.get("a")``
            key = keys[edge.row] if kinds[edge.row] == LOAD else read[1] if read[0] == self.reps[before] else NONE
            if kinds[edge.row] == LOAD or key != NONE:
                opened = self.opened(here, self.reps[before])
                here.texts.difference_update([each for each in here.texts if self.reps[each] in opened])
                here.parts.update((each, key) for each in opened)
                if not flow.access_path[edge.origin]:
                    self.open_arguments(open_, entered, self.reps[before], key)
            if context == CALL:
                site = self.site[edge.row]
                if 0 <= site < len(self.results) and function[self.results[site]] == function[here.values[-1]]:
                    here.values.append(self.results[site])
                open_.append(Activation([], set(), set()))
                entered.append((self.reps[before], self.reps[value]))
                whole.append(is_same)
                same.append([])
            elif context == RETURN:
                run, is_whole, last = open_.pop(), whole.pop(), same.pop()
                if is_whole and ahead[number] != NONE:  # of what comes back, the path reads this part alone
                    run.parts.update((self.reps[each], ahead[number]) for each in run.texts)
                    run = Activation(run.values, set(), run.parts, hands_back=True)
                elif last and ahead[number] != NONE and is_same:  # the same of an object that was made or read there
                    run.parts.update((self.reps[each], ahead[number]) for each in last)
                    run.texts.difference_update(last)
                    run = run._replace(hands_back=True)
                yield run, self.site[edge.row]
                entered.pop()
                if not open_:
                    open_.append(Activation([], set(), set()))
                    entered.append((NONE, NONE))
                    whole.append(False)
                    same.append([])
                whole[-1] = whole[-1] and is_whole
                if not is_whole:
                    same[-1].clear()
            elif function[value] != function[here.values[-1]]:
                open_.append(Activation([], set(), set()))
                entered.append((NONE, NONE))
                whole.append(False)
                same.append([])
            open_[-1].values.append(value)
            path = flow.access_path[edge.target]
            if not path:
                open_[-1].texts.add(value)
                same[-1].append(value)
            elif isinstance(path[0], int) and path[0] >= 0:
                open_[-1].parts.add((self.reps[value], path[0]))  # ``args`` with the data in ``args.order``
        here = open_[-1]
        if sink.call != NONE and function[self.results[sink.call]] == function[here.values[-1]]:
            here.values.append(self.results[sink.call])
        for each in open_:
            yield each, NONE

    def parts_ahead(self, edges: Sequence[Edge]) -> list[int]:
        """By edge: the key of the part that the path reads of the object which it goes on with; NONE where it makes
        something else of it first.
        """
        flow, values = self.flow, self.flow.value
        found, key = [NONE] * len(edges), NONE
        for number in range(len(edges) - 1, -1, -1):
            found[number], edge = key, edges[number]
            if flow.kind.data[edge.row] not in UNCHANGED:
                before = values[edge.origin]
                read = self.asking.part_reads.get(values[edge.target], (NONE, NONE))
                key = flow.key.data[edge.row] if flow.kind.data[edge.row] == LOAD else NONE
                key = read[1] if key == NONE and read[0] == self.reps[before] else key
            if flow.access_path[edge.origin]:
                key = NONE
        return found

    def open_arguments(self, runs: list[Activation], entered: list[tuple[int, int]], rep: int, key: int) -> None:
        """Where a part of a parameter, ``rep``, is read: in the functions around, too, it is this part of the argument
        alone that the path goes on with.
        """
        for at in range(len(runs) - 1, 0, -1):
            argument, parameter = entered[at]
            if rep != parameter and rep not in self.asking.copies.get(parameter, ()):
                return
            rep, outer = argument, runs[at - 1]
            outer.texts.difference_update([each for each in outer.texts if self.reps[each] == rep])
            outer.parts.add((rep, key))

    def opened(self, run: Activation, rep: int) -> Set[int]:
        """What is read from where the path reads a part of ``rep``: ``rep`` itself; if that was read as a part of
        another object, all reads of this part, of which no more than the new part counts.
        """
        if self.asking.op[rep] != Op.LOAD:
            return {rep}
        loads, row = self.asking.program.tables["loads"], self.asking.data[rep]
        outer = self.reps[int(loads["object"][row])], int(loads["key"][row])
        if outer not in run.parts:
            return {rep}
        run.parts.discard(outer)
        return self.asking.reads(*outer)

    def is_refused_in(self, run: Activation, vulnerability: int) -> bool:
        """Whether one function asks about these values of it before it gets to the last one."""
        function, last = int(self.control_flow.function[run.values[-1]]), self.last_of(run)
        if last == NONE:
            return False
        texts = frozenset(self.reps[each] for each in run.texts if self.control_flow.function[each] == function)
        name = function, last, Subject(texts - {self.reps[last]}, frozenset(run.parts)), vulnerability
        if name not in self.known:
            self.known[name] = self.may_look_into(function) and self._is_refused_in(*name)
        return self.known[name]

    def may_look_into(self, function: int) -> bool:
        """Whether there is room for a question that is put to every condition of a function."""
        budget = self.asking.budget
        if not budget.spend(function, 0):
            return False
        conditions, calls = self.control_flow.conditions_in(function), self.asking.demanding(function)
        return budget.spend(function, len(conditions) + len(calls))

    def last_of(self, run: Activation) -> int:
        """The last of these values that stands in a certain block of the function; or NONE."""
        function = int(self.control_flow.function[run.values[-1]]) if run.values else NONE
        last = next((each for each in reversed(run.values) if self.asking.op[each] not in NOWHERE), NONE)
        if last == NONE or function not in self.control_flow.blocks or self.control_flow.function[last] != function:
            return NONE
        return last

    def is_raised(self, run: Activation) -> bool:
        """Whether the path leaves the function with what it raises: ``throw new Error(`bad name ${name}`)``.

        That function does not come back for the values that it refuses, and the path is one of theirs.
        """
        return bool(run.values) and self.asking.op[run.values[-1]] == Op.RAISED

    def is_refused_whole(self, run: Activation) -> bool:
        """Whether a function that the path comes back from does so only where its argument says something certain, or
        leads to certain addresses only.
        """
        function = int(self.control_flow.function[run.values[-1]]) if run.values else NONE
        texts = frozenset(self.reps[each] for each in run.texts if self.control_flow.function[each] == function)
        blocks = self.control_flow.blocks.get(function)
        if not (texts or run.hands_back) or blocks is None or not self.may_look_into(function):
            return False
        if self.asking.raises(function, Subject(texts, frozenset(run.parts)), 0):
            return True
        raising = self.control_flow.raising.get(function, set())
        ends = {each for each in blocks[0] if self.control_flow.is_exit(each)} - raising
        ends.difference_update(self.control_flow.stops(function))
        return bool(ends and texts) and self.asking.refuses_address(function, Subject(texts), ends)

    def _is_refused_in(self, function: int, last: int, subject: Subject, vulnerability: int) -> bool:
        asking, block = self.asking, self.control_flow.block_behind(last)
        if asking.refuses_address(function, subject, (block,)):
            return True
        asked: set[int] = set()
        choosing = asking.labels.checks.choosing
        carried = {holder for holder, _ in subject.parts}  # a call that returns one hands the data over: no question
        for call in (each for each in asking.calls_given(function, subject) if each not in choosing):
            if self.hosts is not None and self.hosts.asked_by(call):
                continue
            result = self.results[call]
            held = self.reps[result]
            if result == last or held in subject.texts or held in carried or not asking.given(call, subject):
                continue
            is_before = result < last and asking.is_raising(call, subject, 0)
            if is_before and block not in asking.past(function, call):
                return True
            if asking.asks(call, subject, 0):
                asked.add(call)
        stops, tests = self.outcomes(function)
        conditions = {each for call in asked for each in tests.get(call, ())}
        if any(
            block not in asking.without(function, condition, side, stops)
            and not self.answers.is_refusal(block, condition, side)
            and not self.is_thrown(function, block, condition, side)
            for condition in sorted(conditions)
            for side in asking.open_sides(condition, subject, 0)
        ):
            return True
        return self.is_behind_row(function, last, subject, self.harmed.get(vulnerability, set()))

    def is_thrown(self, function: int, block: int, condition: int, side: int) -> bool:
        """Whether a block raises something because the answer was no: ``if not known(x): raise Bad(x)``."""
        test = int(self.asking.program.tables["conditions"]["test"][condition])
        return side == 0 and test == Test.TRUTH and block in self.control_flow.raising.get(function, ())

    def is_behind_row(self, function: int, last: int, subject: Subject, harmed: Set[int]) -> bool:
        """Whether a function gets to a value only where a look-up of its own found a row with the subject.

        One of ``harmed`` is no look-up: what is asked for there is what the value makes of the query.
        """
        asking, flow, block = self.asking, self.control_flow, self.control_flow.block_behind(last)
        stops, _ = self.outcomes(function)
        for call in asking.demanding(function):
            if self.results[call] >= last or not harmed.isdisjoint(asking.chain(call)):
                continue
            if asking.looks_up(call, subject) and block not in asking.past(function, call):
                return True
        if self.is_behind_missing(function, last, subject, harmed, stops):
            return True
        for condition in flow.conditions_in(function):
            side = asking.found_side(condition, subject, 0)
            if side == NONE or block in asking.without(function, condition, side, stops):
                continue
            calls = asking.calls_of(condition)
            if harmed.isdisjoint(each for call in calls for each in asking.chain(call)) and all(
                self.reps[self.results[call]] not in subject.texts for call in calls
            ):
                return True
        return False

    def is_behind_missing(
        self, function: int, last: int, subject: Subject, harmed: Set[int], stops: dict[int, int]
    ) -> bool:
        """Whether a function gets to a value only where a look-up found something under, or for, the subject as a
        whole: otherwise it raises, or reading a member of the row does.
        """
        asking, block = self.asking, self.control_flow.block_behind(last)
        looked_up = [read.result for read in asking.missing.keyed_reads(function) if self.is_table(read, subject)]
        for call in asking.missing.refused_calls(function):
            rows = [row for row in asking.args.of(call) if asking.args.position[row] != RECEIVER]
            if call not in harmed and any(asking.is_whole(asking.args.value[row], subject) for row in rows):
                looked_up.append(self.results[call])
        for call, member in asking.missing.opened_rows(function):
            if (
                harmed.isdisjoint(asking.chain(call))
                and asking.looks_up(call, subject)
                and not self.is_optional(call, member)
            ):
                looked_up.append(member)
        looked_up += [
            each.read
            for each in self.elements.opened(function)
            if self.is_looked_up(each.table, each.key, subject) and not self.is_optional_read(each.made, each.read)
        ]
        return any(
            value < last
            and asking.reps[value] not in subject.texts
            and asking.budget.spend(function, len(self.control_flow.blocks[function][0]))
            and block not in asking.before_value(function, value, stops)
            for value in looked_up
        )

    def is_optional(self, call: int, member: int) -> bool:
        """Whether a member of what a call returns is read only where there is something."""
        return self.is_optional_read(self.results[call], member)

    def is_optional_read(self, made: int, member: int) -> bool:
        """Whether a member of a value is read only where there is something."""
        flow = self.control_flow
        file, _, start = flow.span(made)
        _, _, end = flow.span(member)
        operator = language_of(self.asking.program.files[file].language).traits.optional_member
        return bool(operator) and operator in self.texts.text(file, start, end)

    def is_table(self, read: KeyedRead, subject: Subject) -> bool:
        """Whether what is read is a table that the program writes down, which has what it has: nothing is stored there
        under a key that is not constant, and no method is called on it. What a call made may give something for each
        key.
        """
        asking, table = self.asking, self.reps[read.table]
        is_written_down = asking.op[table] in (Op.NEW, Op.STORE) and not self.growing[table]
        return is_written_down and self.is_looked_up(read.table, read.key, subject)

    @cached_property
    def elements(self) -> OpenedElements:
        return OpenedElements(self.asking)

    def is_looked_up(self, table: int, key: int, subject: Subject) -> bool:
        """Whether ``key`` is the subject as a whole, and ``table`` is what the program has: made neither of the subject
        nor of something else that a request sends.
        """
        asking = self.asking
        return (
            asking.is_whole(key, subject)
            and not asking.is_about(table, subject)
            and self.sources.isdisjoint(asking.made_of(table))
        )

    @cached_property
    def growing(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """By representative: whether an object gets something under an unknown key, or a method of it is called."""
        stores, calls = (self.asking.program.tables[name] for name in ("stores", "calls"))
        representative = self.control_flow.resolution.representative
        found = np.zeros(len(representative), np.bool_)
        found[representative[stores["object"][stores["key"] < 0]]] = True
        found[representative[calls["receiver"][calls["receiver"] >= 0]]] = True
        return found

    @cached_property
    def sources(self) -> frozenset[int]:
        """Representatives of what requests send."""
        return frozenset(self.reps[each.value] for each in self.asking.labels.sources)

    def outcomes(self, function: int) -> tuple[dict[int, int], dict[int, list[int]]]:
        """What the calls of one function lead to: by block, the call that does not return; by call, the conditions that
        test its outcome.
        """
        known = self.called.get(function)
        if known is None:
            stops = self.control_flow.stops(function)
            tests: dict[int, list[int]] = {}
            for condition in self.control_flow.conditions_in(function):
                for call in self.asking.calls_of(condition):
                    tests.setdefault(call, []).append(condition)
            known = self.called[function] = stops, tests
        return known
