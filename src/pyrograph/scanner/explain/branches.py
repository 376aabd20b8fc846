"""Branches that a path cannot take: a call on it passes a constant to the parameter that decides them.

``find(name)`` calls ``lookup(name, fetch=False)``, and ``lookup`` sends a request only ``if fetch``. Texts decide such
branches, too (``if kind == "shell"``), and so does an object where nothing is asked for. The search has
contexts for data and none for what conditions hold, so this is seen only once a path is known. Constants are passed
on by any number of calls of the path. Only the calls that the path enters and does not leave again, and the sink, are
asked for: what is computed between them may be computed on another branch as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Flow, FunctionFlag, Op, ParameterKind, Test
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import Traits
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
UNSTORED: Final = 2  # ``data`` of a literal of which too many constants are not stored
NULL: Final = frozenset({"null", "nil"})
NOTHING: Final = "null"
TEXT: Final = "'"  # the first character of a constant text; alone: a text whose content is not kept, or an empty one
FILLED: Final = "'\0"  # a text that is not empty, and of which nothing else is known

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
    if TEXT in (left, right) or (FILLED in (left, right) and left.startswith(TEXT) and right.startswith(TEXT)):
        return None
    if left in TRUTH and right in TRUTH:
        return left == right
    if left.startswith(TEXT) and right.startswith(TEXT):
        return left == right
    return False if left in NULL or right in NULL else None  # "1" == 1 in some languages


def common(texts: Sequence[str | None]) -> str | None:
    """What is known of a value that is one of these constants: the constant, that it is a text, or one that is not
    empty.

    >>> common(["'read", "'read"]), common(["'read", "'"]), common(["'read", "null"]), common([])
    ("'read", "'", None, None)
    >>> is_true(common(["'read", "'write"])), are_equal(common(["'read", "'write"]), "'read")
    (True, None)
    """
    if len(set(texts)) == 1:
        return texts[0]
    if not texts or not all(text is not None and text.startswith(TEXT) for text in texts):
        return None
    return TEXT if TEXT in texts else FILLED


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
        # what calls pass where nothing is known of the function around them, as on most paths: ``passed``, ``given``
        self.passing: dict[tuple[int, int, int], Known] = {}
        self.giving: dict[tuple[int, int], Known] = {}

    def is_possible(self, edges: Sequence[Row], sink: SinkRole) -> bool:
        """Whether no call that leads to the sink, nor the sink, lies on a branch that constants exclude."""
        return not self.excluded_calls(edges, sink)

    def excluded_calls(self, edges: Sequence[Row], sink: SinkRole) -> list[int]:
        """The edges by which a path enters the calls that lead to one that constants exclude, outermost first, and the
        excluded one, or NONE for the sink, at the end; none if constants exclude none.
        """
        entered: list[tuple[int, int, int]] = []  # (call, function, edge), outermost first
        for edge in edges:
            context = self.context[edge.row]
            if context == Context.CALL:
                function = int(self.control_flow.function[self.flow.value[edge.target]])
                entered.append((self.site[edge.row], function, edge.row))
            elif context == Context.RETURN and entered:
                entered.pop()
            elif context == Context.HEAP:
                entered.clear()
        known: Known = {}
        around = NONE
        for count, (call, function, _) in enumerate(entered, 1):
            if known and not (self.runs(call, around, known) and self.is_made(call, function, around, known)):
                return [row for _, _, row in entered[:count]]
            known = {**self.passed(call, function, around, known), **self.captured(function, around, known)}
            around = function
        if not known or sink.call == NONE or self.runs(sink.call, around, known):
            return []
        return [*(row for _, _, row in entered), NONE]

    def is_made(self, call: int, closure: int, function: int, known: Known) -> bool:
        """Whether ``function`` may make a closure that a library calls back; True if that is not known: it is no
        function literal among the arguments of a call.
        """
        made = self.closures.of(closure).tolist()
        if 0 <= call < len(self.results) or len(made) != 1:
            return True
        rows = self.handed.of(made[0]).tolist()
        if len(rows) != 1:
            return True
        result = self.results[int(self.program.tables["arguments"]["call"][rows[0]])]
        (file, start, end), around = self.control_flow.span(made[0]), self.control_flow.span(result)
        is_literal = around[0] == file and around[1] <= start and end <= around[2]
        return not is_literal or self.computes(result, function, known)

    @cached_property
    def closures(self) -> RowsByKey:
        """Values that are functions, by the function."""
        values = self.program.tables["values"]
        return RowsByKey(np.where(values["op"] == int(Op.FUNCTION), values["data"], NONE))

    @cached_property
    def handed(self) -> RowsByKey:
        """Arguments by the value."""
        return RowsByKey(self.program.tables["arguments"]["value"])

    def captured(self, closure: int, function: int, known: Known) -> dict[int, str]:
        """The constants that variables of ``function`` have which a closure in it captures."""
        if not known or int(self.program.tables["functions"]["parent"][closure]) != function:
            return {}
        table = self.program.tables["captures"]
        found: dict[int, str] = {}
        for row in self.captures.of(closure).tolist():
            text = self.constant(int(table["outer"][row]), known)
            if text is not None:
                found[self.reps[int(table["inner"][row])]] = text
        return found

    @cached_property
    def captures(self) -> RowsByKey:
        """Captured variables by the closure."""
        return RowsByKey(self.program.tables["captures"]["function"])

    def runs(self, call: int, function: int, known: Known) -> bool:
        """Whether a call in ``function`` may run; True if it lies elsewhere."""
        return not 0 <= call < len(self.results) or self.computes(self.results[call], function, known)

    def computes(self, value: int, function: int, known: Known) -> bool:
        """Whether ``function`` may compute a value; True if it lies elsewhere."""
        control_flow = self.control_flow
        if function not in control_flow.blocks or control_flow.function[value] != function:
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
        decided = self.decided(condition, known)
        return decided is not None and decided != bool(side)

    def decided(self, condition: int, known: Known) -> bool | None:
        """The truth of a condition where it follows from constants."""
        parts = self.control_flow.conjunctions.get(condition)
        if parts is not None:  # conjunctions are made of conditions before them
            found = [(self.decided(part, known), bool(wanted)) for part, wanted in parts]
            if any(truth is not None and truth != wanted for truth, wanted in found):
                return False
            return None if any(truth is None for truth, _ in found) else True
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        if test == Test.IS:
            return self.is_of_type(int(table["left"][condition]), int(table["right"][condition]), known)
        if test == Test.TRUTH and (asked := self.asked_type(int(table["left"][condition]))):
            return self.is_of_type(*asked, known)
        if test not in (Test.TRUTH, Test.EQUAL):
            return None
        left = self.constant(int(table["left"][condition]), known)
        if test == Test.TRUTH or left is None:
            return None if left is None else is_true(left)
        right = self.constant(int(table["right"][condition]), known)
        return None if right is None else are_equal(left, right)

    def asked_type(self, value: int) -> tuple[int, int] | None:
        """What the call of a built-in function asks for the type of, and for which; None for other values."""
        rep = self.reps[value]
        if self.control_flow.op[rep] != Op.CALL:
            return None
        rows = self.type_test(self.control_flow.data[rep])
        return (self.args.value[rows[0]], self.args.value[rows[1]]) if len(rows) == 2 else None

    def type_test(self, call: int) -> list[int]:
        """The arguments of a call that asks for a type; none for other calls."""
        names = self.traits_of(self.results[call]).questions.of_type
        callee = int(self.program.tables["calls"]["callee"][call])
        if not names or callee == NONE or self.control_flow.op[self.reps[callee]] != Op.GLOBAL:
            return []
        is_one = self.program.strings[self.control_flow.data[self.reps[callee]]] in names
        return list(self.args.of(call)) if is_one else []

    def is_of_type(self, value: int, kind: int, known: Known) -> bool | None:
        """Whether a value is of a type, or of one of several; None where that does not follow from what is known."""
        while self.control_flow.op[value] == Op.POST and self.control_flow.data[value] >= 0:
            row = self.control_flow.data[value]
            if not self.type_test(int(self.program.tables["arguments"]["call"][row])):
                break
            value = self.args.value[row]  # a question changes nothing
        text = self.constant(value, known)
        if text is None or not (text == OBJECT or text.startswith(TEXT)):
            return None
        traits, names = self.traits_of(value).texts, self.type_names(kind)
        if not names:
            return None
        if text == OBJECT:
            return False if names <= traits.types else None
        if not names.isdisjoint(traits.types):
            return True
        return False if all(re.fullmatch(traits.other_types, name) for name in names) else None

    def type_names(self, kind: int) -> frozenset[str]:
        """The names of built-in types that a value stands for; none where it may be another one."""
        rep = self.reps[kind]
        if self.control_flow.op[rep] == Op.NEW:
            held = self.held(kind)
            names = [self.type_names(each) for each in (held or {}).values() if self.control_flow.op[each] != Op.NEW]
            return frozenset().union(*names) if held and len(names) == len(held) and all(names) else frozenset()
        if self.control_flow.op[rep] not in (Op.CONST, Op.GLOBAL):
            return frozenset()
        return frozenset({self.program.strings[self.control_flow.data[rep]].removeprefix(TEXT)})

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
        if op == Op.EXPRESSION and value in self.texts:
            return TEXT
        if value in known or depth == MAX_ASKED_DEPTH:
            return known.get(value)
        if op == Op.LOAD:
            return self.returned(value, known, depth)
        return common([self.constant(each, known, depth + 1) for each in self.joined(value, op)])

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
        if outer:
            return self._passed(call, function, around, outer)
        name = call, function, around
        known = self.passing.get(name)
        if known is None:
            known = self.passing[name] = self._passed(call, function, around, outer)
        return known

    def _passed(self, call: int, function: int, around: int, outer: Known) -> Known:
        found = self.given(call, function, outer)
        caller = int(self.control_flow.function[self.results[call]])
        for other in self.control_flow.calls_in(caller) if found else ():
            if other != call and function in self.control_flow.functions_of(other) and self.runs(other, around, outer):
                also = self.given(other, function, outer)
                shared = {value: common((text, also.get(value))) for value, text in found.items()}
                found = {value: text for value, text in shared.items() if text is not None}
        return found

    def given(self, call: int, function: int, outer: Known) -> Known:
        """The constants that a call passes, and those that it leaves to the defaults; none if that is not certain."""
        if outer:
            return self._given(call, function, outer)
        known = self.giving.get((call, function))
        if known is None:
            known = self.giving[call, function] = self._given(call, function, outer)
        return known

    def _given(self, call: int, function: int, outer: Known) -> dict[int, str]:
        if not self.is_named(call, function) or any(self.args.flags[row] for row in self.args.of(call)):
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
            text = common([self.constant(each, outer) for each in values])
            if not rows and not values and self.is_nothing(function):
                text = NOTHING
            if text is not None:
                found[self.reps[parameter]] = text
                if text == OBJECT and len(values) == 1:
                    found.update(self.members(values[0], parameter, function, outer))
        return found

    def members(self, given: int, parameter: int, function: int, outer: Known) -> dict[int, str]:
        """The constants that reads of members of a parameter give in ``function``, where a call passes it the object
        literal ``given``.
        """
        held = self.held(given)
        if held is None:
            return {}
        loads = self.program.tables["loads"]
        found: dict[int, str] = {}
        for row in self.loads.of(self.reps[parameter]).tolist()[:MAX_ASKED_VALUES]:
            read, key = int(loads["result"][row]), int(loads["key"][row])
            if key < 0 or self.reps[read] != read or self.control_flow.function[read] != function:
                continue
            if not self.is_version(int(loads["object"][row]), parameter):
                continue  # the function may have changed it
            absent = NOTHING if self.is_nothing(function) else None
            text = self.constant(held[key], outer) if key in held else absent
            if text is not None:
                found[read] = text
        return found

    def held(self, value: int) -> dict[int, int] | None:
        """The members of an object literal that nothing has changed since, by key; None where some are not known."""
        stores, made = self.program.tables["stores"], self.reps[value]
        if self.control_flow.op[made] != Op.NEW or self.control_flow.data[made] == UNSTORED:
            return None
        if len(self.control_flow.returned.of(made)):
            return None  # it holds the members of another object, too
        found: dict[int, int] = {}
        while self.control_flow.op[value] == Op.STORE:  # each is a version of an earlier one
            row = self.control_flow.data[value]
            key = int(stores["key"][row])
            if key < 0 or stores["value"][row] == NONE:
                return None
            found.setdefault(key, int(stores["value"][row]))
            value = int(stores["object"][row])
        return found if self.control_flow.op[value] == Op.NEW else None

    def is_version(self, value: int, parameter: int) -> bool:
        """Whether a value is a parameter, or versions of it that conditions make alone."""
        work = [value]
        for at in work:  # grows, to the bound
            op = self.control_flow.op[at]
            if op == Op.PI:
                before = [int(self.program.tables["pis"]["input"][self.control_flow.data[at]])]
            elif op == Op.PHI:
                rows = self.control_flow.returned.of(at)
                before = self.program.tables["flows"]["origin"][rows].tolist()
            elif at == parameter:
                continue
            else:
                return False
            work += [each for each in dict.fromkeys(before) if each not in work]
            if len(work) > MAX_ASKED_VALUES:
                return False
        return True

    @cached_property
    def loads(self) -> RowsByKey:
        """Loads by the object, whatever its version."""
        return RowsByKey(self.resolution.representative[self.program.tables["loads"]["object"]])

    def is_named(self, call: int, function: int) -> bool:
        """Whether what a call names is a function, or the one that it is a copy of."""
        callee = int(self.program.tables["calls"]["callee"][call])
        states = self.resolution.states_of(callee) if callee != NONE else ()
        if pack_state(FUNCTION, function) in states:
            return True
        own = self.original(function)
        if any(each & KIND == FUNCTION and self.original(each >> KIND_BITS) == own for each in states):
            return True
        return self.is_constructor(function) and any(each & KIND == CLASS for each in states)

    @cached_property
    def outer(self) -> dict[int, int]:
        """Variables of the function around a closure, by the representative of what the closure captures."""
        table = self.program.tables["captures"]
        pairs = zip(table["inner"].tolist(), table["outer"].tolist(), strict=True)
        return {self.reps[inner]: outer for inner, outer in pairs}

    def is_constructor(self, function: int) -> bool:
        """Whether a function runs where a class is called."""
        return bool(self.program.tables["functions"]["flags"][function] & int(FunctionFlag.CONSTRUCTOR))

    def original(self, function: int) -> int:
        """The same number for a function and its copies."""
        return int(self.program.original[self.program.tables["functions"]["result"][function]])

    def is_nothing(self, function: int) -> bool:
        """Whether a parameter of a function for which a call gives no argument is nothing."""
        return self.traits_of(int(self.program.tables["functions"]["result"][function])).left_out_is_nothing

    def traits_of(self, value: int) -> Traits:
        """Those of the language of a value's file."""
        return language_of(self.program.files[int(self.program.file_of_value[value])].language).traits

    @cached_property
    def texts(self) -> frozenset[int]:
        """The values that are texts, put together of parts."""
        return frozenset(self.program.tables["texts"]["value"].tolist())

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
