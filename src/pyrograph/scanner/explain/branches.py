"""Branches that a path cannot take: a call on it passes a constant to the parameter that decides them.

``find(name)`` calls ``lookup(name, fetch=False)``, and ``lookup`` sends a request only ``if fetch``. Texts decide such
branches, too (``if kind == "shell"``), and so does an object where nothing is asked for. The search has
contexts for data and none for what conditions hold, so this is seen only once a path is known. Constants are passed
on by any number of calls of the path. Only the calls that the path enters and does not leave again, and the sink, are
asked for: what is computed between them may be computed on another branch as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from pyrograph.ir.codes import NONE, Flow, Op, ParameterKind, Test
from pyrograph.ir.packed import KIND, pack_state
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_VALUES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY
from pyrograph.scanner.explain.callbacks import Row
from pyrograph.scanner.explain.control_flow import ControlFlow

TRUTH: Final = {"true": True, "false": False, "null": False, "nil": False}  # constants that decide, and how
MADE: Final = frozenset({Op.NEW, Op.FUNCTION, Op.CLASS})
NAMED: Final = frozenset({ParameterKind.NORMAL, ParameterKind.KEYWORD_ONLY})

OBJECT: Final = "\0object"  # stands for what the program made, so that it is not null; an empty list may be false
NULL: Final = frozenset({"null", "nil"})
NOTHING: Final = "null"
TEXT: Final = "'"  # the first character of a constant text; alone: a text whose content is not kept, or an empty one

Known = Mapping[int, str]  # constants by the representative of a parameter; ``OBJECT`` for an object


def is_true(text: str) -> bool | None:
    """The truth of a constant; None where languages differ, and for a text that is not kept.

    >>> [is_true(text) for text in ("'read", "false", OBJECT, "0", "'")]
    [True, False, None, None, None]
    """
    if text in TRUTH:
        return TRUTH[text]
    return True if text.startswith(TEXT) and text != TEXT else None


def are_equal(left: str, right: str) -> bool | None:
    """Whether two constants are equal; None where that is not known.

    >>> [are_equal("'read", each) for each in ("'read", "'write", "null", "1", "'")]
    [True, False, False, None, None]
    >>> are_equal(OBJECT, "null"), are_equal(OBJECT, OBJECT)
    (False, None)
    """
    if OBJECT in (left, right):
        return False if left in NULL or right in NULL else None
    if TEXT in (left, right):
        return None
    if left in TRUTH and right in TRUTH:
        return left == right
    if left.startswith(TEXT) and right.startswith(TEXT):
        return left == right
    return False if left in NULL or right in NULL else None  # "1" == 1 in some languages


class BranchCheck:
    def __init__(self, control_flow: ControlFlow, flow: FlowGraph, args: Arguments) -> None:
        self.control_flow = control_flow
        self.flow = flow
        self.args = args
        self.program = control_flow.program
        self.resolution = control_flow.resolution
        self.reps = control_flow.resolution.reps
        self.context, self.site = flow.context.data, flow.site.data
        self.results = control_flow.program.numbers("calls", "result")
        self.reached: dict[tuple[int, tuple[tuple[int, str], ...]], dict[int, int]] = {}  # by function and constants

    def is_possible(self, edges: Sequence[Row], sink: SinkRole) -> bool:
        """Whether no call that leads to the sink, nor the sink, lies on a branch that constants exclude."""
        entered: list[tuple[int, int]] = []  # (call, function), outermost first
        for edge in edges:
            context = self.context[edge.row]
            if context == Context.CALL:
                entered.append((self.site[edge.row], int(self.control_flow.function[self.flow.value[edge.target]])))
            elif context == Context.RETURN and entered:
                entered.pop()
            elif context == Context.HEAP:
                entered.clear()
        known: Known = {}
        around = NONE
        for call, function in entered:
            if known and not self.runs(call, around, known):
                return False
            known, around = self.passed(call, function, around, known), function
        return not known or sink.call == NONE or self.runs(sink.call, around, known)

    def runs(self, call: int, function: int, known: Known) -> bool:
        """Whether a call in ``function`` may run; True if it lies elsewhere."""
        control_flow = self.control_flow
        if not 0 <= call < len(self.results) or function not in control_flow.blocks:
            return True
        value = self.results[call]
        if control_flow.function[value] != function:
            return True
        name = function, tuple(sorted(known.items()))
        reached = self.reached.get(name)
        if reached is None:

            def is_excluded(condition: int, side: int) -> bool:
                return self.excludes(condition, side, known)

            reached = self.reached[name] = control_flow.reach(function, {}, is_excluded)
        return control_flow.block_of(value) in reached

    def excludes(self, condition: int, side: int, known: Known) -> bool:
        """Whether a condition cannot have ``side``."""
        decided = [(self.decided(leaf, known), wanted) for leaf, wanted in self.control_flow.conjuncts(condition)]
        if side:
            return any(found is not None and found != bool(wanted) for found, wanted in decided)
        return all(found is not None and found == bool(wanted) for found, wanted in decided)

    def decided(self, condition: int, known: Known) -> bool | None:
        """The truth of a condition where it follows from constants."""
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        if test not in (Test.TRUTH, Test.EQUAL):
            return None
        left = self.constant(int(table["left"][condition]), known)
        if test == Test.TRUTH or left is None:
            return None if left is None else is_true(left)
        right = self.constant(int(table["right"][condition]), known)
        return None if right is None else are_equal(left, right)

    def constant(self, value: int, known: Known, depth: int = 0) -> str | None:
        """The constant that a value is; where versions are joined, that which all are, and of the result of a function
        of the program, or one of several results, that which all its returns are.
        """
        if value == NONE:
            return None
        value = self.reps[value]
        op = self.control_flow.op[value]
        if op == Op.CONST:
            return self.program.strings[self.control_flow.data[value]]
        if op in MADE or self.is_instance(value, op):
            return OBJECT
        if value in known or depth == MAX_ASKED_DEPTH:
            return known.get(value)
        if op == Op.LOAD:
            return self.returned(value, known, depth)
        texts = {self.constant(each, known, depth + 1) for each in self.joined(value, op)}
        return texts.pop() if len(texts) == 1 else None

    def joined(self, value: int, op: int) -> list[int]:
        """The versions that a value joins, those that joins among them join included; none where something else than
        versions is joined, or there are more than ``MAX_ASKED_VALUES``.
        """
        flows = self.program.tables["flows"]
        found: list[int] = []
        work = [value] if op == Op.PHI else []
        for at in work:  # grows, to the bound
            rows = self.control_flow.returned.of(at)
            if len(work) + len(rows) > MAX_ASKED_VALUES or (flows["kind"][rows] != Flow.SAME).any():
                return []
            for each in dict.fromkeys(self.reps[origin] for origin in flows["origin"][rows].tolist()):
                if self.control_flow.op[each] != Op.PHI:
                    found.append(each)
                elif each not in work:
                    work.append(each)
        return found

    def returned(self, load: int, known: Known, depth: int) -> str | None:
        """The constant that is one of the results of a call, whichever return the function takes; that of a member of
        nothing.
        """
        row = self.control_flow.data[load]
        loads, functions = self.program.tables["loads"], self.program.tables["functions"]
        made, key = self.reps[int(loads["object"][row])], int(loads["key"][row])
        if made in known and known[made] in NULL:
            return NOTHING  # a member of nothing: it is nothing, or reading it raises
        if self.control_flow.op[made] != Op.CALL or key < 0 or not self.program.strings[key].isdigit():
            return None
        call = self.control_flow.data[made]
        called = self.control_flow.functions_of(call)
        if len(called) != 1:
            return None
        given = self.given(call, called[0], known)
        texts: set[str | None] = set()
        results = self.control_flow.returned.of(int(functions["result"][called[0]])).tolist()
        if len(results) > MAX_ASKED_VALUES + 1:
            return None
        stores = self.program.tables["stores"]
        for each in results:
            version = int(self.program.tables["flows"]["origin"][each])
            origin = self.reps[version]
            while self.control_flow.op[version] == Op.STORE:  # each is a version of an earlier one
                version = int(stores["object"][self.control_flow.data[version]])
            all_rows = self.stores.of(origin).tolist()
            rows = [at for at in all_rows if stores["key"][at] == key]
            held = int(stores["value"][rows[0]]) if len(rows) == 1 else NONE
            # nothing is known of it behind a call that is given it, nor of an element under a key that is not
            is_new = self.control_flow.op[version] == Op.NEW and all(stores["key"][at] >= 0 for at in all_rows)
            texts.add(self.constant(held, given, depth + 1) if is_new else None)
        return texts.pop() if len(texts) == 1 else None

    @cached_property
    def stores(self) -> RowsByKey:
        """Stores by the object, whatever its version."""
        return RowsByKey(self.resolution.representative[self.program.tables["stores"]["object"]])

    def is_instance(self, value: int, op: int) -> bool:
        """Whether a value is a new instance, or the instance that a module keeps under a name."""
        if op == Op.CALL:
            callee = int(self.program.tables["calls"]["callee"][self.control_flow.data[value]])
            return callee != NONE and any(each & KIND == CLASS for each in self.resolution.states_of(callee))
        states = self.resolution.states_of(value) if op in (Op.GLOBAL, Op.IMPORT) else ()
        return bool(states) and all(each & KIND == INSTANCE_OF for each in states)

    def passed(self, call: int, function: int, around: int, outer: Known) -> Known:
        """The constants that parameters of ``function`` have in the call: those that all calls of it pass which the
        caller may run, since the shortest path takes any of them.
        """
        if not 0 <= call < len(self.results):
            return {}
        found = self.given(call, function, outer)
        caller = int(self.control_flow.function[self.results[call]])
        for other in self.control_flow.calls_in(caller) if found else ():
            if other != call and function in self.control_flow.functions_of(other) and self.runs(other, around, outer):
                also = self.given(other, function, outer)
                found = {value: text for value, text in found.items() if also.get(value) == text}
        return found

    def given(self, call: int, function: int, outer: Known) -> dict[int, str]:
        """The constants that a call passes, and those that it leaves to the defaults; none if that is not certain."""
        callee = int(self.program.tables["calls"]["callee"][call])
        states = self.resolution.states_of(callee) if callee != NONE else ()
        if pack_state(FUNCTION, function) not in states or any(self.args.flags[row] for row in self.args.of(call)):
            return {}  # with arguments bound before, or as many as only the run shows
        bound: dict[int, list[list[int]]] = {}  # by parameter
        for row in self.resolution.rows("bindings")[self.by_site.of(call)].tolist():
            bound.setdefault(row[2], []).append(row)
        parameters = self.program.tables["parameters"]
        found: dict[int, str] = {}
        for row in self.by_function.of(function).tolist():
            if parameters["kind"][row] not in NAMED:
                continue
            parameter = int(parameters["value"][row])
            rows = bound.get(parameter, ())
            if any(each[3:] != [NO_KEY, ENTIRE_ARGUMENT] for each in rows):
                continue
            values = [each[1] for each in rows] if rows else self.defaults_of(parameter)
            texts = {self.constant(each, outer) for each in values}
            if not rows and not values and self.is_nothing(function):
                texts = {NOTHING}
            if len(texts) == 1 and (text := texts.pop()) is not None:
                found[self.reps[parameter]] = text
        return found

    def is_nothing(self, function: int) -> bool:
        """Whether a parameter of a function for which a call gives no argument is nothing."""
        result = int(self.program.tables["functions"]["result"][function])
        file = self.program.files[int(self.program.file_of_value[result])]
        return language_of(file.language).traits.left_out_is_nothing

    def defaults_of(self, parameter: int) -> list[int]:
        flows = self.program.tables["flows"]
        found: list[int] = flows["origin"][self.control_flow.returned.of(parameter)].tolist()
        return found

    @cached_property
    def by_site(self) -> RowsByKey:
        return RowsByKey(self.resolution.rows("bindings")[:, 0])

    @cached_property
    def by_function(self) -> RowsByKey:
        return RowsByKey(self.program.tables["parameters"]["function"])
