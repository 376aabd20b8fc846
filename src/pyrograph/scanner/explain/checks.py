"""Checks on a path that no rule describes, and unknown calls on it that most likely do not return their argument."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, CallFlag, Flow, Op, Test
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.policy.names.functions import CHECKING_NAMES, CLEANING_NAMES, DISCARDING_NAMES
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.explain.escapers import Escapers, asks_for_kind
from pyrograph.scanner.explain.looked_at import LookedAt
from pyrograph.scanner.explain.named_hosts import NamedHosts
from pyrograph.scanner.explain.open_answers import OpenAnswers
from pyrograph.scanner.explain.outcomes import Outcomes
from pyrograph.scanner.explain.paths import CALL, LOAD, RETURN, Edge, PathFinder
from pyrograph.scanner.explain.texts import Texts
from pyrograph.scanner.explain.whole_results import WholeResults


class Checks(PathFinder):
    """Doubts about a path."""

    def __init__(self, program: Program, resolution: Resolution, labels: Labels, flow: FlowGraph, texts: Texts) -> None:
        super().__init__(program, resolution, labels, flow, texts)
        self.character_cache: dict[int, bool] = {}  # by function: ``validates_characters``
        self.check_cache: dict[int, tuple[bool, bool]] = {}  # by row: ``is_check``, ``is_unknown``
        self.statement_cache: dict[int, bool] = {}  # by row: ``passes_statement``

    def is_checked(
        self, edges: Sequence[Edge], harm: int, *, is_executed: bool = False, hosts: NamedHosts | None = None
    ) -> bool:
        """Whether the data passes a check that no rule describes. ``harm``: the bits of what arrives.
        ``is_executed``: an interpreter runs what arrives, so that words around it change nothing. ``hosts``: what
        arrives decides where a request goes, so that names which are refused change nothing.
        """
        raising = unknown = False
        entered: set[int] = set()
        sites = self.flow.site.data
        for number, edge in enumerate(edges):
            row = edge.row
            context = self.context[row]
            if context == CALL:
                entered.add(sites[row])
            known = self.check_cache.get(row)
            if known is None:
                known = self.check_cache[row] = self.is_check(edge), self.is_unknown(edge)
            # the body of a function that reads the data itself, "safe_get(request, name)", shows what it checks
            unknown |= known[1]
            if known[0] and not (context == RETURN and sites[row] not in entered and not unknown):
                later = edges[number + 1 :]
                if not (
                    self.is_forgotten(edge, later)
                    or self.is_thrown(edge, later)
                    or self.is_of_others(edge, later, edges[:number])
                    or self.is_let_through(edge, later, harm)
                    or (is_executed and self.returns_all(edge))
                    or (hosts is not None and self.is_about_names(edge, hosts))
                ):
                    return True
            # a whole record is most often asked for required fields
            is_statement = self.statement_cache.get(row)
            if is_statement is None:
                is_statement = self.statement_cache[row] = self.passes_statement(edge)
            raising = is_statement or (raising and self.kind[row] != LOAD)
        return raising

    def is_unknown(self, edge: Edge) -> bool:
        """Whether the value itself was passed to, or returned by, a call of which nothing is known: it may check it."""
        value = self.flow.value[edge.target]
        if self.op[value] not in (Op.POST, Op.CALL):
            return False
        is_post = self.op[value] == Op.POST
        call = int(self.program.tables["arguments"]["call"][self.data[value]]) if is_post else self.data[value]
        return call not in self.labels.modelled and call not in self.called

    @cached_property
    def called(self) -> frozenset[int]:
        """The calls that may call functions of the program."""
        return frozenset(self.resolution.rows("targets")[:, 0].tolist())

    def is_check(self, edge: Edge) -> bool:
        """Whether the data passes such a check on this edge."""
        value = self.flow.value[edge.target]
        is_assumed = value in self.labels.checks.unverified_guards or value in self.labels.checks.validated_fields
        is_known = is_assumed and value not in self.labels.checks.likely
        return (is_known and self.assumed[edge.row]) or self.passes_check(edge)

    def passes_check(self, edge: Edge) -> bool:
        """Whether the value itself was passed to a function of the program that is named after checking and tests
        something. It may raise, return whether the value is valid, or return its valid part. The same holds for a
        function that tests each character and returns its argument unchanged, and for one that escapes.
        """
        flow, tables = self.flow, self.program.tables
        value = flow.value[edge.target]
        if flow.access_path[edge.target] or self.op[value] not in (Op.POST, Op.CALL):
            return False
        is_post = self.op[value] == Op.POST
        if not is_post and self.context[edge.row] != Context.RETURN:
            return False
        call = int(tables["arguments"]["call"][self.data[value]]) if is_post else self.data[value]
        wanted = CHECKING_NAMES if is_post else CLEANING_NAMES
        result = int(tables["calls"]["result"][call])
        if call in self.labels.checks.pending:
            return False
        return any(
            wanted.search(self.program.strings[tables["functions"]["name"][each]])
            and (self.throwing[each] or self.used[result] if is_post else self.choosing[each])
            for each in self.testing.get(call, ())
        ) or (
            not is_post
            and (
                any(self.validates_characters(each) for each in self.testing.get(call, ()))
                or any(map(self.escapers.escapes, self.called_by.get(call, ())))
            )
        )

    def returns_all(self, edge: Edge) -> bool:
        """Whether the value comes back from functions that are named after cleaning, and that return all of what they
        are given (``whole_results.py``).
        """
        value = self.flow.value[edge.target]
        if self.op[value] != Op.CALL or self.context[edge.row] != RETURN or self.assumed[edge.row]:
            return False
        call = self.data[value]
        if call not in self.resolution.fully_resolved or self.called_by.get(call):
            return False
        results = self.program.tables["functions"]["result"]
        return all(
            not self.throwing[each]
            and not self.validates_characters(each)
            and self.whole_results.returns_all(each, self.returned.get(int(results[each]), ()))
            for each in self.testing.get(call, ())
        )

    def is_about_names(self, edge: Edge, hosts: NamedHosts) -> bool:
        """Whether the check on an edge refuses hosts by their names alone."""
        value = self.flow.value[edge.target]
        if self.op[value] == Op.CALL:
            return self.context[edge.row] == RETURN and hosts.asked_by(self.data[value])
        call, _ = self.asked_about(value)
        return call != NONE and hosts.asked_by(call)

    @cached_property
    def whole_results(self) -> WholeResults:
        return WholeResults(self.program, self.resolution, self.labels, self.args)

    def is_forgotten(self, edge: Edge, later: Sequence[Edge]) -> bool:
        """Whether the path goes on behind either outcome of a check: ``if not is_valid(x): log.warning("bad")``."""
        value = self.flow.value[edge.target]
        if self.op[value] != Op.POST:
            return False
        call = int(self.program.tables["arguments"]["call"][self.data[value]])
        if any(self.throwing[each] for each in self.testing.get(call, ())):
            return False
        merges = self.outcomes.joined.get(value, ())
        met = {self.flow.value[each.target] for each in later} if merges else ()
        return any(merge in met and self.outcomes.change_nothing(merge, condition) for merge, condition in merges)

    def harm_along(self, edges: Sequence[Edge], vulnerability: int) -> int:
        """The bits of what a path does harm by; ``vulnerability``: one of them."""
        return self.open_answers.harm_along((self.flow.value[each.target] for each in edges), vulnerability)

    def is_let_through(self, edge: Edge, later: Sequence[Edge], harm: int) -> bool:
        """Whether the check gives the answer behind which the path goes on for some harmful text as well."""
        value = self.flow.value[edge.target]
        if self.op[value] == Op.PI:
            call, side = self.tested_by(value)
            given = int(self.program.tables["pis"]["input"][self.data[value]])
            rows = (
                [each for each in self.args.of(call) if self.is_same(self.args.value[each], given)] if side >= 0 else []
            )
            return bool(rows) and all(self.open_answers.lets_through(call, each, side, harm) for each in rows)
        if self.op[value] != Op.POST:
            return False
        call = int(self.program.tables["arguments"]["call"][self.data[value]])
        versions = (self.flow.value[each.target] for each in later)
        tests = (self.tested_by(each) for each in versions if self.op[each] == Op.PI)
        side = next((side for tested, side in tests if tested == call), NONE)
        return side >= 0 and self.open_answers.lets_through(call, self.data[value], side, harm)

    def is_open_check(self, edge: Edge, harm: int) -> bool:
        """Whether an edge leads into the version behind a check that lets harmful texts through."""
        value = self.flow.value[edge.target]
        is_check = value in self.labels.checks.unverified_guards and self.op[value] == Op.PI
        return is_check and self.is_let_through(edge, (), harm)

    def tested_by(self, version: int) -> tuple[int, int]:
        """The call whose truth the condition before a version asks for, and the answer behind it; or (NONE, NONE)."""
        pis, conditions = self.program.tables["pis"], self.program.tables["conditions"]
        condition = int(pis["condition"][self.data[version]])
        left = int(conditions["left"][condition])
        made = self.resolution.reps[left] if left != NONE else NONE
        if int(conditions["test"][condition]) != Test.TRUTH or made == NONE or self.op[made] != Op.CALL:
            return NONE, NONE
        return self.data[made], int(pis["side"][self.data[version]])

    def is_same(self, value: int, other: int) -> bool:
        return self.resolution.reps[value] == self.resolution.reps[other]

    def is_thrown(self, edge: Edge, later: Sequence[Edge]) -> bool:
        """Whether the answer of a check is no on the path, which leaves the function with what it raises then:
        ``if (!isKnown(name)) throw new Error(`bad name ${name}`)``.
        """
        value, tables = self.flow.value[edge.target], self.program.tables
        if self.op[value] != Op.PI:
            return False
        row, function = self.data[value], int(self.function[value])
        test = int(tables["conditions"]["test"][int(tables["pis"]["condition"][row])])
        if test != Test.TRUTH or int(tables["pis"]["side"][row]) != 0:
            return False
        targets = (self.flow.value[each.target] for each in later)
        return any(self.op[each] == Op.RAISED and int(self.function[each]) == function for each in targets)

    def is_of_others(self, edge: Edge, later: Sequence[Edge], before: Sequence[Edge]) -> bool:
        """Whether a function of the program checks an object of which the path goes on with a member that this function
        does not look at: ``validate(form)`` that tests ``form.kind`` only, also if it hands the object back.
        """
        # a load from an object that contains this one reads no member of it
        kind, paths = self.kind, self.flow.access_path
        read = next((each for each in later if kind[each.row] == LOAD and not paths[each.origin]), None)
        value = self.flow.value[edge.target]
        loaded = self.flow.value[read.target] if read is not None else NONE
        if loaded == NONE or self.op[loaded] != Op.LOAD:
            return False
        key = int(self.program.tables["loads"]["key"][self.data[loaded]])
        call, given = self.handed_back(edge, before) if self.op[value] == Op.CALL else self.asked_about(value)
        if key < 0 or call == NONE:
            return False
        members = self.looked_at.by_call(call, given)
        return members is not None and key not in members

    def handed_back(self, edge: Edge, before: Sequence[Edge]) -> tuple[int, int]:
        """The call that a path comes back from, and the argument by which it entered; or (NONE, NONE)."""
        site = self.flow.site.data[edge.row]
        entering = (each for each in reversed(before) if self.context[each.row] == CALL)
        entered = next((each for each in entering if self.flow.site.data[each.row] == site), None)
        if entered is None or self.context[edge.row] != RETURN:
            return NONE, NONE
        return self.data[self.flow.value[edge.target]], self.flow.value[entered.origin]

    def asked_about(self, value: int) -> tuple[int, int]:
        """The call that a version of an object comes from, or whose result is tested before it, and its argument."""
        tables = self.program.tables
        if self.op[value] == Op.POST:
            row = self.data[value]
            return int(tables["arguments"]["call"][row]), self.args.value[row]
        condition = self.labels.checks.unverified_guards.get(value, NONE)
        if condition == NONE:
            return NONE, NONE
        answer = int(tables["conditions"]["left"][condition])
        answer = self.resolution.reps[answer] if answer != NONE else NONE
        if answer != NONE and self.op[answer] == Op.LOAD:  # one of several results
            answer = self.resolution.reps[int(tables["loads"]["object"][self.data[answer]])]
        return (self.data[answer], value) if answer != NONE and self.op[answer] == Op.CALL else (NONE, NONE)

    @cached_property
    def open_answers(self) -> OpenAnswers:
        return OpenAnswers(self.program, self.resolution, self.labels, self.args)

    @cached_property
    def looked_at(self) -> LookedAt:
        return LookedAt(self.program, self.resolution, self.args)

    @cached_property
    def outcomes(self) -> Outcomes:
        return Outcomes(self.program, self.resolution, self.labels.non_returning, self.texts)

    def passes_statement(self, edge: Edge) -> bool:
        """Whether the value itself was passed to a function of a library that no pack describes, that is named after
        checking, and with whose result nothing is done: it raises.
        """
        value = self.flow.value[edge.target]
        if self.flow.access_path[edge.target] or self.op[value] != Op.POST:
            return False
        tables = self.program.tables
        call = int(tables["arguments"]["call"][self.data[value]])
        if call not in self.resolution.external:
            return False
        result = int(tables["calls"]["result"][call])
        file = int(self.program.file_of_value[result])
        if language_of(self.program.files[file].language).traits.multiple_results or self.taken[result]:
            return False  # errors are results
        name = self.source_text(int(tables["calls"]["callee"][call])).rpartition(".")[2]
        return CHECKING_NAMES.match(name) is not None

    @cached_property
    def taken(self) -> npt.NDArray[np.bool_]:
        """For each value whether anything is done with it."""
        found = self.used.copy()
        for table, column in (("arguments", "value"), ("flows", "origin"), ("conditions", "right")):
            values = self.program.tables[table][column]
            found[values[values >= 0]] = True
        return found

    def validates_characters(self, function: int) -> bool:
        """Whether a function tests the single characters of a parameter and returns that parameter."""
        known = self.character_cache.get(function)
        if known is not None:
            return known
        tables, reps = self.program.tables, self.resolution.representative
        loads, conditions = tables["loads"], tables["conditions"]
        returned = distinct(reps[self.returned.get(int(tables["functions"]["result"][function]), [])])
        is_own = [self.op[each] == Op.PARAMETER and self.function[each] == function for each in returned.tolist()]
        returned = returned[np.array(is_own, bool)]
        if not len(returned):
            self.character_cache[function] = False
            return False
        file = int(self.program.file_of_value[tables["functions"]["value"][function]])
        counting = language_of(self.program.files[file].language).traits.texts.texts_are_indexed
        single = (loads["key"] < 0 if counting else loads["key"] == UNKNOWN_KEY) & among(
            reps[loads["object"]], returned
        )
        found = set(reps[loads["result"][single]].tolist())
        if not found:
            self.character_cache[function] = False
            return False
        arguments, calls = tables["arguments"], tables["calls"]
        sites = arguments["call"][among(reps[arguments["value"]], found)]
        sites = sites[[not asks_for_kind(self.program, each) for each in sites.tolist()]]
        asked = calls["result"][sites]
        found.update(reps[asked].tolist())
        found.update(reps[loads["result"][among(reps[loads["object"]], asked)]].tolist())
        here = (conditions["function"] == function) & (conditions["test"] != int(Test.IS))  # not what kind a part is
        tested = reps[np.concatenate([conditions[side][here & (conditions[side] >= 0)] for side in ("left", "right")])]
        self.character_cache[function] = not found.isdisjoint(tested.tolist())
        return self.character_cache[function]

    @cached_property
    def returned(self) -> dict[int, list[int]]:
        """The values that a function returns, by the value that stands for its results."""
        flows = self.program.tables["flows"]
        is_result = np.zeros(len(self.op), np.bool_)
        results = self.program.tables["functions"]["result"]
        is_result[results[results >= 0]] = True
        rows = np.flatnonzero(is_result[flows["target"]] & (flows["kind"] == Flow.SAME))
        found: dict[int, list[int]] = {}
        for result, value in zip(flows["target"][rows].tolist(), flows["origin"][rows].tolist(), strict=True):
            found.setdefault(result, []).append(value)
        return found

    @cached_property
    def escapers(self) -> Escapers:
        return Escapers(self.program, self.resolution)

    @cached_property
    def called_by(self) -> dict[int, list[int]]:
        """By call: the functions that it may call and that are named after escaping."""
        sites, functions = self.resolution.rows("targets")[:, :2].T
        named = self.escapers.named
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero(named[functions]).tolist():
            found.setdefault(int(sites[row]), []).append(int(functions[row]))
        return found

    @cached_property
    def testing(self) -> dict[int, list[int]]:
        """By call: the named functions that it may call and that test something, themselves or in a direct callee."""
        tables, (sites, functions) = self.program.tables, self.resolution.rows("targets").T
        testing = self.labels.checks.telling & (tables["functions"]["name"] != NONE)
        chosen = np.flatnonzero(testing[functions])
        found: dict[int, list[int]] = {}
        for site, function in zip(sites[chosen].tolist(), functions[chosen].tolist(), strict=True):
            found.setdefault(site, []).append(function)
        return found

    @property
    def choosing(self) -> npt.NDArray[np.bool_]:
        """For each function whether what it tests may choose what it returns."""
        return self.labels.checks.choosing_results

    def or_right_below(self, functions: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """These functions and their direct callers."""
        sites, targets = self.resolution.rows("targets").T
        calls = self.program.tables["calls"]["result"]
        around = self.function[calls[sites[functions[targets] & (sites < len(calls))]]]
        found = functions.copy()
        found[around[around >= 0]] = True
        return found

    @cached_property
    def throwing(self) -> npt.NDArray[np.bool_]:
        """For each function whether it, or a direct callee, raises something."""
        tables = self.program.tables
        fed = np.zeros(len(self.op) + 1, np.bool_)  # the last: of functions that raise nothing
        fed[tables["flows"]["target"]] = True
        return self.or_right_below(fed[tables["functions"]["raised"]])

    @cached_property
    def used(self) -> npt.NDArray[np.bool_]:
        """For each value whether it is loaded from, tested, or stored."""
        tables = self.program.tables
        found = np.zeros(len(self.op), np.bool_)
        for table, column in (("loads", "object"), ("conditions", "left"), ("pis", "input"), ("stores", "value")):
            values = tables[table][column]
            found[values[values >= 0]] = True
        return found

    def is_doubtful(self, edge: Edge, value: int) -> bool:
        """Whether an unknown callee most likely does not return its argument.

        An awaited result was fetched from elsewhere, and so was the result of a call that gets a context object or is
        named after fetching. A function named after cleaning cleans its argument.
        """
        if self.op[value] != Op.CALL:
            return False
        call, calls = self.data[value], self.program.tables["calls"]
        if int(calls["flags"][call]) & CallFlag.AWAIT or value in self.awaited or self.is_external_query(call):
            return True
        name = self.source_text(int(calls["callee"][call])).rpartition(".")[2]
        return DISCARDING_NAMES.match(name) is not None and not self.is_accessor(call, name)

    def is_external_query(self, call: int) -> bool:
        """Whether an argument's type shows that the call queries something external, where its result comes from."""
        tables = self.program.tables
        file = self.program.files[int(self.program.file_of_value[tables["calls"]["result"][call]])]
        asking = self.labels.asking.get(file.language, frozenset())
        given = self.args.of(call) if asking else ()
        return any(not asking.isdisjoint(self.resolution.states_of(self.args.value[row])) for row in given)

    def is_accessor(self, call: int, name: str) -> bool:
        """Whether the call is ``message.GetName()`` on a parameter: it reads a field of a remote call's message."""
        receiver = int(self.program.tables["calls"]["receiver"][call])
        return (
            name.startswith("Get")
            and receiver != NONE
            and self.op[self.resolution.reps[receiver]] == Op.PARAMETER
            and all(self.args.position[row] == RECEIVER for row in self.args.of(call))
        )

    @cached_property
    def awaited(self) -> set[int]:
        """Results of calls on which a promise's methods are called."""
        calls = self.program.tables["calls"]
        methods = {
            method for file in self.program.files for method in language_of(file.language).traits.promise_methods
        }
        names = [self.program.string_ids[name] for name in sorted(methods) if name in self.program.string_ids]
        return set(calls["receiver"][among(calls["name"], names)].tolist())
