"""Who may call: whether code runs for certain users only, as far as the program shows it. They are administrators, or
people with an account; a ``Question`` says which.

A function runs for them only if all its known uses do: calls from code that only they reach, and registrations behind a
check. A *check* stands in a decorator, a wrapper, the list of middleware of a route, of a group of routes or of the
place where a router is mounted, in the builder of a procedure, a base class, an attribute of the class, or the default
of a parameter. Nothing here knows a library: an argument of the registering call, or of a call on the receiver of the
registering call, is a check if its code or its name says so.

Evidence has three degrees. ``SHOWN``: the code of the check asks for such a user and turns others away, or a pack says
that it does. ``NAMED``: only its name says so. For administrators, logging in is no evidence: often any visitor can
make an account (``registration``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits import (
    MAX_GUARD_CALLERS,
    MAX_GUARD_CODE,
    MAX_GUARD_DEPTH,
    MAX_GUARD_STEPS,
    MAX_GUARD_TEXT,
    MAX_GUARD_USES,
)
from pyrograph.policy.names import CONTINUES, DECIDING, MOUNTS, PERMISSIONS, REFUSES, ROLES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey, rows_of
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.questions import Question
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.texts import shortened

UNKNOWN: Final = 0
NAMED: Final = 1
SHOWN: Final = 2

NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?=\W*$)")
ALTERNATIVE: Final = re.compile(r"\bor\b|\|\|")
CHOICE: Final = re.compile(r"\b(?:if|for|while|switch|match|next)\b")
TEXT: Final = re.compile(r""""[^"\n]*"|'[^'\n]*'|`[^`]*`""")
GIVEN: Final = (Op.FUNCTION, Op.LOAD, Op.IMPORT, Op.GLOBAL)  # what an argument that is a function is written as
NAMES: Final = frozenset(
    (Op.LOAD, Op.IMPORT, Op.GLOBAL, Op.CELL, Op.PARAMETER, Op.PHI, Op.PI, Op.POST, Op.FUNCTION, Op.CLASS)
)


class Callers:
    """Answers to one question, kept by function and by call."""

    def __init__(self, regions: Regions, args: Arguments, checks: dict[str, frozenset[int]]) -> None:
        """``checks``: by language, the API nodes of checks that packs describe."""
        self.regions = regions
        self.question = regions.question
        self.program = regions.program
        self.resolution: Resolution = regions.resolution
        self.reps = self.resolution.reps
        self.tables = self.program.tables
        self.texts = regions.texts
        self.args = args
        self.checks = checks
        self.op, self.data, self.function = regions.op, regions.data, regions.function
        self.known: dict[int, int] = {}  # function -> evidence; NONE while it is asked
        self.nesting = 0  # functions that are being asked, each for the sake of the one before
        self.gates: dict[int, int] = {}
        self.applied: dict[int, tuple[str, int]] = {}  # by call on a group of routes: its path and evidence
        self.strings = self.program.strings
        self.route: tuple[str, str] = "", ""  # path and name of the handler that is asked about
        self.written: dict[int, frozenset[str]] = {}  # by check: the texts in its code

    def about(self, question: Question, checks: dict[str, frozenset[int]]) -> Callers:
        """The same for another question; what both need of the program is shared."""
        other = copy(self)
        other.regions, other.question, other.checks = self.regions.about(question), question, checks
        other.known, other.gates, other.written, other.applied, other.nesting = {}, {}, {}, {}, 0
        return other

    # -- Code

    def evidence_at(self, value: int) -> int:
        """Whether ``value`` is computed for such users only."""
        return SHOWN if self.regions.is_protected(value) else max(UNKNOWN, self.evidence(int(self.function[value])))

    def evidence(self, function: int) -> int:
        """Whether a function runs for such users only; NONE while that is being asked."""
        known = self.known.get(function)
        if known is None:
            if self.nesting == MAX_GUARD_CALLERS:
                return UNKNOWN
            self.known[function] = NONE
            self.nesting += 1
            known = self.known[function] = self._evidence(function)
            self.nesting -= 1
        return known

    def _evidence(self, function: int) -> int:
        functions = self.tables["functions"]
        parent = int(functions["parent"][function])
        if parent == NONE:
            return UNKNOWN
        name = self.strings[int(functions["name"][function])]
        before, self.route = self.route, ("", name)
        own = max(self.of_class(int(functions["owner"][function])), self.of_defaults(function))
        self.route = before
        made = int(functions["value"][function])
        if own < SHOWN and made != NONE and int(functions["parent"][parent]) != NONE:
            own = max(own, self.evidence_at(made))
        if own == SHOWN:
            return own
        given, listed, called = self.uses_of(function), self.holding(function), self.direct_sites(function)
        if not 0 < len(given) + len(listed) + len(called) <= MAX_GUARD_USES:
            return own
        found = SHOWN
        for call, row in given:
            self.route = self.route_of(call), name
            found = min(found, self.of_use(call, row, 0))
            if found == UNKNOWN:
                break  # one use is enough
        self.route = before
        if found == UNKNOWN:
            return own
        for literal in listed:
            found = min(found, self.of_listed(literal, function))
        for site in called:
            if found == UNKNOWN:
                return own
            found = min(found, self.evidence_at(site))
        return max(own, found)

    # -- Uses of a function

    def uses_of(self, function: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where the function is given to a call."""
        found = self.given.get(function, [])
        value = int(self.tables["functions"]["value"][function])
        if value != NONE:
            original = int(self.program.original[value])
            if original != value:
                found = [*found, *self.given.get(self.data[original], ())]
        return sorted(set(found))

    @cached_property
    def given(self) -> dict[int, list[tuple[int, int]]]:
        """By function: the arguments that are it, as (call, row)."""
        arguments = self.tables["arguments"]
        reps = self.resolution.representative[arguments["value"]]
        ops = self.tables["values"]["op"][reps]
        rows = np.flatnonzero(among(ops, [int(op) for op in (*GIVEN, Op.CALL)]))
        rows = rows[arguments["position"][rows] != RECEIVER]
        converted = self.conversions(arguments["value"][ops == int(Op.EXPRESSION)])
        wrapped = np.flatnonzero((ops == int(Op.EXPRESSION)) & among(arguments["value"], converted))
        found: dict[int, list[tuple[int, int]]] = {}
        functions: dict[int, list[int]] = {}
        for row, rep, call in zip(rows.tolist(), reps[rows].tolist(), arguments["call"][rows].tolist(), strict=True):
            meant = functions.get(rep)
            if meant is None:
                meant = functions[rep] = self.functions_in(rep)
            for each in meant:
                found.setdefault(each, []).append((call, row))
        for row in wrapped.tolist():
            for state in self.resolution.states_of(converted[int(arguments["value"][row])]):
                if state & KIND == FUNCTION:
                    found.setdefault(state >> KIND_BITS, []).append((int(arguments["call"][row]), row))
        return found

    def functions_in(self, rep: int) -> list[int]:
        """The functions that a value may be; of what a call returns those that it makes, not those that it is given."""
        found = [each >> KIND_BITS for each in self.resolution.states[rep] if each & KIND == FUNCTION]
        if found and self.op[rep] == Op.CALL:
            given = [self.args.value[row] for row in self.args.of(self.data[rep])]
            handed = {state for value in given for state in self.resolution.states_of(value)}
            found = [each for each in found if each << KIND_BITS | FUNCTION not in handed]
        return found

    def conversions(self, values: npt.NDArray[np.int32]) -> dict[int, int]:
        """What is made of a single name, such as a function that is converted to a type: the name by the result."""
        flows = self.tables["flows"]
        is_wanted = np.zeros(len(self.op), np.bool_)
        is_wanted[values] = True
        rows = np.flatnonzero(is_wanted[flows["target"]])
        counts = np.bincount(flows["target"][rows], minlength=len(self.op))
        single = rows[counts[flows["target"][rows]] == 1]
        single = single[among(self.tables["values"]["op"][flows["origin"][single]], [int(op) for op in GIVEN])]
        return dict(zip(flows["target"][single].tolist(), flows["origin"][single].tolist(), strict=True))

    def holding(self, function: int) -> list[int]:
        """The literals that a function is written into, such as the description of a route, and those around them."""
        work, found = list(self.listed.get(function, ())), []
        for each in work:  # grows by the literals around it, to the bound
            if self.arguments_of(each):
                found.append(each)
            rows = self.by_stored.of(each)
            objects = self.resolution.representative[self.tables["stores"]["object"][rows]]
            around = [outer for outer in distinct(objects).tolist() if self.op[outer] == Op.NEW and outer not in work]
            work += around[: max(0, MAX_GUARD_USES - len(work))]
        return found

    @cached_property
    def listed(self) -> dict[int, list[int]]:
        """By function: the literals that it is written into."""
        stores, reps = self.tables["stores"], self.resolution.representative
        rows = np.flatnonzero(stores["value"] >= 0)
        values, objects = reps[stores["value"][rows]], reps[stores["object"][rows]]
        ops = self.tables["values"]["op"]
        chosen = np.flatnonzero(
            among(ops[values], [int(op) for op in (*GIVEN, Op.CALL)]) & (ops[objects] == int(Op.NEW))
        )
        found: dict[int, list[int]] = {}
        for value, literal in sorted(set(zip(values[chosen].tolist(), objects[chosen].tolist(), strict=True))):
            for each in self.functions_in(value):
                found.setdefault(each, []).append(literal)
        return found

    @cached_property
    def by_stored(self) -> RowsByKey:
        """Stores by the representative of the value."""
        values = self.tables["stores"]["value"]
        return RowsByKey(np.where(values >= 0, self.resolution.representative[values], np.int32(NONE)))

    def of_listed(self, literal: int, function: int) -> int:
        """Evidence from what else stands in a literal with a handler, and from the calls that it is given to."""
        values = self.stored_in(literal)
        own = function << KIND_BITS | FUNCTION
        others = [each for each in values if own not in self.resolution.states_of(each)]
        if len(others) == len(values):
            others = []  # a list of such literals, which says nothing about one of them
        found = max((self.of_check(each, 0) for each in others[:MAX_GUARD_USES]), default=UNKNOWN)
        uses = [self.of_use(call, row, 0) for call, row in self.arguments_of(literal)]
        return max(found, min(uses, default=UNKNOWN))

    def direct_sites(self, function: int) -> list[int]:
        """The results of the calls that name the function; where it is a parameter, the one who gave it is asked."""
        calls = self.tables["calls"]
        name = self.strings[int(self.tables["functions"]["name"][function])]
        found = []
        for site in self.resolution.rows("targets")[self.callers.of(function), 0].tolist():
            if site < len(calls["result"]):
                callee = int(calls["callee"][site])
                written = NAME.search(self.called(site))
                if self.op[self.reps[callee]] == Op.FUNCTION or (written is not None and written[0] == name):
                    found.append(int(calls["result"][site]))
        return found

    @cached_property
    def callers(self) -> RowsByKey:
        """The call graph by the function that is called."""
        return RowsByKey(self.resolution.rows("targets")[:, 1])

    def of_use(self, call: int, row: int, depth: int) -> int:
        """Evidence from a call that a function, or what a call made of it, is given to as the argument ``row``."""
        calls = self.tables["calls"]
        result = int(calls["result"][call])
        found = max(self.of_callee(call), self.of_arguments(call, row))
        if found < SHOWN:
            found = max(found, self.of_receiver(call), self.of_given_groups(call, row), self.evidence_at(result))
        if found == SHOWN or depth == MAX_GUARD_DEPTH:
            return found
        further = [self.of_use(above, each, depth + 1) for above, each in self.arguments_of(result) if above != call]
        return max(found, min(further, default=UNKNOWN))

    def arguments_of(self, value: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where ``value`` is given to a call, as it is."""
        arguments = self.tables["arguments"]
        rows = self.by_value.of(self.reps[value])[:MAX_GUARD_USES]
        found = [(int(arguments["call"][row]), int(row)) for row in rows]
        return [(call, row) for call, row in found if self.args.position[row] != RECEIVER]

    @cached_property
    def by_value(self) -> RowsByKey:
        """Arguments by the representative of their value."""
        return RowsByKey(self.resolution.representative[self.tables["arguments"]["value"]])

    # -- What a call says

    def of_callee(self, call: int) -> int:
        """Evidence from what is called: ``admin_required(view)``, ``UseGuards(AdminGuard)(controller)``."""
        callee = int(self.tables["calls"]["callee"][call])
        if self.op[self.reps[callee]] == Op.CALL:
            inner = self.data[self.reps[callee]]
            return max(self.of_check(callee, 0), self.of_receiver(inner))
        return self.of_named(self.called(call), self.regions.functions_of(call), self.nodes(callee), callee)

    def of_given_groups(self, call: int, but: int) -> int:
        """Evidence from a group that a call of the program is given with a handler: ``register(group, handlers)``."""
        found = UNKNOWN
        if self.regions.functions_of(call):
            for row in self.args.of(call):
                value = self.args.value[row]
                if row != but and found < SHOWN and self.op[value] in NAMES and self.args.position[row] != RECEIVER:
                    found = max(found, self.of_group(value, "", set(), 1))
        return found

    def of_arguments(self, call: int, but: int) -> int:
        """Evidence from the other arguments of a call."""
        found = UNKNOWN
        for row in self.args.of(call):
            if row != but and self.args.position[row] != RECEIVER and found < SHOWN:
                found = max(found, self.of_check(self.args.value[row], 0))
        return found

    def of_check(self, value: int, depth: int) -> int:
        """Whether an expression is a check, or is made with one."""
        if depth > MAX_GUARD_DEPTH:
            return UNKNOWN
        rep = value if self.op[value] == Op.CALL else self.reps[value]
        op = self.op[rep]
        if op == Op.CALL:
            call = self.data[rep]
            functions = self.regions.functions_of(call)
            found = self.of_named(self.call_text(call), functions, self.nodes(rep), rep)
            for row in self.args.of(call):
                if found < SHOWN and self.args.position[row] != RECEIVER:
                    found = max(found, self.of_check(self.args.value[row], depth + 1))
            return found
        if op == Op.NEW:
            stores = self.stored_in(rep)
            return max((self.of_check(each, depth + 1) for each in stores[:MAX_GUARD_USES]), default=UNKNOWN)
        if op not in NAMES:
            return UNKNOWN
        states = self.resolution.states_of(value)
        functions = [each >> KIND_BITS for each in states if each & KIND == FUNCTION]
        classes = [each >> KIND_BITS for each in states if each & KIND == CLASS]
        code = self.text(value)
        if self.op[value] == Op.FUNCTION:
            code = self.strings[int(self.tables["functions"]["name"][self.data[value]])]
        found = self.of_named(code, functions, self.nodes(value), value)
        for each in classes:
            found = max(found, self.of_guarding_class(each))
        return found

    def of_named(self, code: str, functions: Sequence[int], nodes: Iterable[int], value: int) -> int:
        """Evidence from the code that names or calls a check, from its functions and from what packs say of it."""
        language = self.program.files[int(self.program.file_of_value[value])].language
        if not self.checks.get(language, frozenset()).isdisjoint(nodes):
            return SHOWN
        functions = functions[:MAX_GUARD_USES]
        if any(self.is_gate(each) and not self.is_exempted(each) for each in functions):
            return SHOWN
        name = NAME.search(code.partition("(")[0])
        question = self.question
        if not (
            (name and question.is_named(name[0])) or (question.trusts_words and "(" in code and question.asks(code))
        ):
            return UNKNOWN
        if not question.trusts_words:
            return UNKNOWN if functions else NAMED
        return SHOWN if any(self.turns_away(each) for each in functions) else NAMED

    # -- Functions that check

    def is_gate(self, function: int) -> bool:
        """Whether a function, or one that it makes, lets only such users through to what it runs before."""
        known = self.gates.get(function)
        if known is None:
            self.gates[function] = False
            known = self.gates[function] = any(self.guards(each) for each in self.nest(function))
        return bool(known)

    def is_exempted(self, function: int) -> bool:
        """Whether the code of a check names the handler that is asked about: by its path, or by its own name."""
        if self.question.refuses is None:
            return False
        if function not in self.written:
            around = [each for inner in self.nest(function) for each in (inner, *self.asked_by(inner))]
            self.written[function] = frozenset(text for each in around for text in self.texts_of(each))
        path, name = self.route
        texts = self.written[function]
        if name and (name in texts or any(text.endswith(f".{name}") for text in texts)):
            return True
        paths = [text.rstrip("*/") for text in texts if text.startswith("/") and len(text) > 1]
        return len(path) > 1 and any(f"{path}/".startswith(each + "/") or each.endswith(path) for each in paths if each)

    def asked_by(self, function: int) -> list[int]:
        """The functions whose results the conditions of a function test."""
        table = self.tables["conditions"]
        operands = [
            int(table[side][each]) for each in self.regions.conditions_in(function) for side in ("left", "right")
        ]
        called = [self.reps[each] for each in operands if each != NONE and self.op[self.reps[each]] == Op.CALL]
        sites = [self.data[value] for value in called if not self.continues(self.data[value])]
        return [each for site in sites for each in self.regions.functions_of(site)][:MAX_GUARD_USES]

    def texts_of(self, function: int) -> list[str]:
        """The constant texts in the code of a function, and in the collections that its conditions look into."""
        functions = self.tables["functions"]
        file = int(self.program.file_of_value[int(functions["result"][function])])
        code = self.texts.text(file, int(functions["start"][function]), int(functions["end"][function]), MAX_GUARD_CODE)
        found = [text[1:-1] for text in TEXT.findall(code)]
        table = self.tables["conditions"]
        for condition in self.regions.conditions_in(function):
            for side in ("left", "right"):
                value = self.reps[int(table[side][condition])] if table[side][condition] != NONE else NONE
                if value != NONE and self.op[value] == Op.NEW:
                    found += [self.constant(each) for each in self.stored_in(value)[:MAX_GUARD_USES]]
        return found

    def nest(self, function: int) -> list[int]:
        """A function and those inside it."""
        found = [function]
        for each in found:  # grows by the tree of functions, to its bound
            if len(found) < MAX_GUARD_USES:
                found += self.inside.get(each, ())
        return found[:MAX_GUARD_USES]

    @cached_property
    def inside(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for function, parent in enumerate(self.tables["functions"]["parent"].tolist()):
            if parent != NONE:
                found.setdefault(parent, []).append(function)
        return found

    def guards(self, function: int) -> bool:
        opened = self.regions.open_blocks(function, 0)
        if opened is None:
            return self.is_predicate(function)
        results = self.tables["calls"]["result"]
        going_on = [int(results[call]) for call in self.regions.calls_in(function) if self.continues(call)]
        if going_on and all(self.regions.is_protected(each) for each in going_on):
            return True
        if self.question.refuses is not None:
            passed = self.regions.lets_pass(function)
            if going_on:
                return all(self.regions.block_of(each) not in passed for each in going_on)
            raising = self.regions.raising.get(function, ())
            ends = [each for each in passed if each not in raising and self.regions.is_exit(each)]
            return not ends or self.is_predicate(function)
        if going_on:
            return False
        return self.regions.ensures(function, 0) or self.refuses(function) or self.is_predicate(function)

    def continues(self, call: int) -> bool:
        """Whether a call lets the request through: of a function that was handed over, or of its method."""
        calls = self.tables["calls"]
        name = int(calls["name"][call])
        if name != NONE:
            return self.strings[name] in CONTINUES
        callee = self.reps[int(calls["callee"][call])]
        return self.op[callee] == Op.PARAMETER

    def refuses(self, function: int) -> bool:
        """Whether a function turns away who is none."""
        return any(REFUSES.search(self.call_text(call)) for call in self.regions.refusals(function))

    def is_predicate(self, function: int) -> bool:
        """Whether a short function returns whether the user is one: ``lambda user: user.is_superuser``."""
        functions = self.tables["functions"]
        result = int(functions["result"][function])
        file = int(self.program.file_of_value[result])
        start, end = int(functions["start"][function]), int(functions["end"][function])
        if end - start > MAX_GUARD_TEXT or result not in self.returning:
            return False
        code = self.texts.text(file, start, end, MAX_GUARD_TEXT)
        body = re.split(r"\)\s*(?:->[^:]+)?[:{]|=>|:", code, maxsplit=1)[-1]
        if not self.question.trusts_words:
            if function in self.inside or CHOICE.search(body) or body.count("return") > 1:
                return False
            body = body.rpartition("return")[2]
        return self.question.asks(body) and ALTERNATIVE.search(body) is None

    @cached_property
    def returning(self) -> frozenset[int]:
        """The results of functions that return something."""
        flows, results = self.tables["flows"], self.tables["functions"]["result"]
        is_result = np.zeros(len(self.op), np.bool_)
        is_result[results] = True
        return frozenset(distinct(flows["target"][is_result[flows["target"]]]).tolist())

    def turns_away(self, function: int) -> bool:
        """Whether the code of a function that is named after a check checks something of the user: what it asks for,
        or a role that it is given.
        """
        for each in self.nest(function):
            for inner in (each, *self.callees(each)):
                for condition in self.regions.conditions_in(inner):
                    code = self.regions.condition_text(condition)
                    if self.question.asks(code) or any(
                        not ROLES.isdisjoint(words(name)) for name in re.findall(r"[\w$]+", code)
                    ):
                        return True
        return False

    def callees(self, function: int) -> list[int]:
        found = {each for call in self.regions.calls_in(function) for each in self.regions.functions_of(call)}
        return [inner for each in sorted(found)[:MAX_GUARD_USES] for inner in self.nest(each)][:MAX_GUARD_USES]

    # -- Classes and parameters

    def of_class(self, owner: int) -> int:
        """Evidence from the class that a handler is a method of: bases, attributes, decorators."""
        if owner == NONE:
            return UNKNOWN
        found = UNKNOWN
        for each in self.resolution.lineage(owner)[:MAX_GUARD_STEPS]:
            found = max(found, self.of_deciding_methods(each))
            for base in self.bases.get(each, ()):
                name = NAME.search(self.text(base))
                if not self.checks.get(self.language(base), frozenset()).isdisjoint(self.nodes(base)):
                    found = SHOWN
                elif name is not None and self.question.is_named(name[0]):
                    found = max(found, NAMED)
            for key, values in self.resolution.class_members.get(each, {}).items():
                if PERMISSIONS.search(self.strings[key]):
                    found = max([found, *(self.of_check(value, 0) for value in values[:MAX_GUARD_USES])])
        for call in self.class_decorators.get(owner, ()):
            found = max(found, self.of_callee(call))
        return found

    @cached_property
    def bases(self) -> dict[int, list[int]]:
        """By class: its bases."""
        table = self.tables["bases"]
        found: dict[int, list[int]] = {}
        for owner, base in zip(table["owner"].tolist(), table["base"].tolist(), strict=True):
            found.setdefault(owner, []).append(base)
        return found

    @cached_property
    def class_decorators(self) -> dict[int, list[int]]:
        """By class: the calls that decorate it."""
        found: dict[int, list[int]] = {}
        for call in np.flatnonzero(self.tables["calls"]["flags"] & int(CallFlag.DECORATOR)).tolist():
            for row in self.args.of(call):
                for state in self.resolution.states_of(self.args.value[row]):
                    if state & KIND == CLASS:
                        found.setdefault(state >> KIND_BITS, []).append(call)
        return found

    def of_guarding_class(self, owner: int) -> int:
        """Evidence from a class that is given as a check: a guard, a permission."""
        name = self.strings[int(self.tables["owners"]["name"][owner])]
        lineage = self.resolution.lineage(owner)[:MAX_GUARD_STEPS]
        found = max((self.of_deciding_methods(each) for each in lineage), default=UNKNOWN)
        return max(found, NAMED if self.question.is_named(name) else UNKNOWN)

    def of_deciding_methods(self, owner: int) -> int:
        for key, values in self.resolution.class_members.get(owner, {}).items():
            if DECIDING.fullmatch(self.strings[key]):
                for value in values:
                    states = self.resolution.states_of(value)
                    if any(self.is_gate(each >> KIND_BITS) for each in states if each & KIND == FUNCTION):
                        return SHOWN
        return UNKNOWN

    def of_defaults(self, function: int) -> int:
        """Evidence from a parameter that a framework fills with the result of a check: ``Depends(require_admin)``."""
        origins = self.defaults.get(function, ())
        return max((self.of_check(each, 0) for each in origins if self.op[self.reps[each]] == Op.CALL), default=UNKNOWN)

    @cached_property
    def defaults(self) -> dict[int, list[int]]:
        """By function: what flows into its parameters where they are declared."""
        flows = self.tables["flows"]
        is_parameter = self.tables["values"]["op"] == int(Op.PARAMETER)
        rows = np.flatnonzero(is_parameter[flows["target"]])
        found: dict[int, list[int]] = {}
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            found.setdefault(int(self.function[target]), []).append(origin)
        return found

    # -- Groups of routes

    def of_receiver(self, call: int) -> int:
        """Evidence from the object on which a handler is registered: what was called on it before, what it was made
        with, and where it is mounted.
        """
        receiver = int(self.tables["calls"]["receiver"][call])
        return UNKNOWN if receiver == NONE else self.of_group(receiver, self.path_of(call), set(), 0)

    def of_group(self, value: int, path: str, seen: set[int], depth: int) -> int:
        found = UNKNOWN
        calls = self.tables["calls"]
        while value not in seen and len(seen) < MAX_GUARD_STEPS:  # ``seen`` grows
            seen.add(value)
            op, data = self.op[value], self.data[value]
            found = max(found, self.of_hooks(value))
            if op == Op.POST:
                call = int(self.tables["arguments"]["call"][data])
                if self.args.position[data] == RECEIVER:
                    found = max(found, self.of_applied(call, path))
                value = self.args.value[data]
            elif op == Op.CALL:
                found = max(found, self.of_arguments(data, NONE), self.of_builder(data))
                found = max(found, self.of_mounts(value, seen, depth))
                value = int(calls["receiver"][data])
            elif op == Op.PARAMETER:
                found = max(found, self.of_handed_over(value, path, seen, depth))
                value, made = self.outside(value)
                found = max(found, made)
            else:
                if op in NAMES:
                    name = NAME.search(self.text(value))
                    if name is not None and self.question.is_group(name[0]):
                        found = max(found, NAMED)
                value = self.before(value)
            if value == NONE or found == SHOWN:
                break
        return found

    def of_handed_over(self, parameter: int, path: str, seen: set[int], depth: int) -> int:
        """Evidence from all groups that calls of a function give to its parameter."""
        function = int(self.function[parameter])
        position = self.positions.get(parameter)
        if depth >= MAX_GUARD_DEPTH or position is None:
            return UNKNOWN
        sites = [self.data[each] for each in self.direct_sites(function)]
        groups = [
            self.args.value[row] for call in sites for row in self.args.of(call) if self.args.position[row] == position
        ]
        if not 0 < len(sites) == len(groups) <= MAX_GUARD_USES:
            return UNKNOWN
        return min((self.of_group(each, path, set(seen), depth + 1) for each in groups), default=UNKNOWN)

    @cached_property
    def positions(self) -> dict[int, int]:
        """By parameter: its position."""
        table = self.tables["parameters"]
        rows = np.flatnonzero(table["position"] >= 0)
        return dict(zip(table["value"][rows].tolist(), table["position"][rows].tolist(), strict=True))

    def of_builder(self, call: int) -> int:
        """Evidence from a function of the program that makes a group or a builder."""
        name = NAME.search(self.called(call))
        return NAMED if name is not None and self.question.is_group(name[0]) else UNKNOWN

    def of_applied(self, call: int, path: str) -> int:
        """Evidence from a call on the group before: of a check alone, for all that is registered later."""
        known = self.applied.get(call)
        if known is None:
            known = self.applied[call] = self._of_applied(call)
        prefix, found = known
        if found and prefix.startswith("/") and not f"{path}/".startswith(prefix.rstrip("*/") + "/"):
            return UNKNOWN
        return found

    def _of_applied(self, call: int) -> tuple[str, int]:
        """The path that a call on a group names, and the evidence for what is registered under it later."""
        rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
        if not rows or self.reps[int(self.tables["calls"]["result"][call])] in self.used:
            return "", UNKNOWN  # what is called on its result is behind the check, and nothing else
        prefix = self.constant(self.args.value[rows[0]])
        if len(rows) > 1 and self.of_check(self.args.value[rows[-1]], 0) == UNKNOWN:
            return "", UNKNOWN  # what follows a check in one call is what is checked
        checks = [self.args.value[row] for row in (rows[1:] if prefix else rows)]
        going_on = [each for each in checks if not prefix.startswith("/") or self.may_continue(each)]
        return prefix, max((self.of_check(each, 0) for each in going_on), default=UNKNOWN)

    @cached_property
    def used(self) -> frozenset[int]:
        """The representatives of all receivers of calls, and of what is kept in fields."""
        values = np.concatenate([self.tables["calls"]["receiver"], self.tables["stores"]["value"]])
        return frozenset(distinct(self.resolution.representative[values[values >= 0]]).tolist())

    def of_hooks(self, made: int) -> int:
        """Evidence from functions that a method of the group decorates: ``@blueprint.before_request``."""
        places = self.places_of(self.reps[made]) if self.hooks else ()
        rows = [self.args.of(call) for place in places for call in self.hooks.get(place, ())[:MAX_GUARD_USES]]
        return max((self.of_check(self.args.value[row], 0) for each in rows for row in each), default=UNKNOWN)

    @cached_property
    def hooks(self) -> dict[int, list[int]]:
        """By object: the calls of its methods, without arguments of their own, as decorators."""
        calls, loads = self.tables["calls"], self.tables["loads"]
        found: dict[int, list[int]] = {}
        for call in np.flatnonzero(calls["flags"] & int(CallFlag.DECORATOR)).tolist():
            callee = self.reps[int(calls["callee"][call])]
            if self.op[callee] == Op.LOAD:
                found.setdefault(self.reps[int(loads["object"][self.data[callee]])], []).append(call)
        return found

    def may_continue(self, value: int) -> bool:
        """Whether what is registered for a path goes on to what follows, as middleware does and a handler does not."""
        if self.op[self.reps[value]] == Op.CALL:
            return True
        functions = [each >> KIND_BITS for each in self.resolution.states_of(value) if each & KIND == FUNCTION]
        inside = [inner for each in functions for inner in self.nest(each)]
        return not functions or any(self.continues(call) for each in inside for call in self.regions.calls_in(each))

    def of_mounts(self, made: int, seen: set[int], depth: int) -> int:
        """Evidence from all places where a router is mounted."""
        if depth == MAX_GUARD_DEPTH:
            return UNKNOWN
        found = []
        uses = [use for value in self.places_of(self.reps[made]) for use in self.arguments_of(value)]
        mounts = [use for use in uses if MOUNTS.search(self.called(use[0]).rpartition(".")[2])]
        for call, row in mounts or uses:
            mounted = max(self.of_arguments(call, row), self.of_callee(call))
            receiver = int(self.tables["calls"]["receiver"][call])
            if mounted < SHOWN and receiver != NONE:
                mounted = max(mounted, self.of_group(receiver, self.path_of(call), set(seen), depth + 1))
            found.append(mounted)
        return min(found, default=UNKNOWN)

    def places_of(self, value: int) -> list[int]:
        """The values that read ``value`` under a name, in any file."""
        found = [value]
        for each in found:  # to the bound
            for target in self.named[self.by_origin.of(each), 1].tolist():
                if len(found) < MAX_GUARD_STEPS and self.reps[target] not in found:
                    found.append(self.reps[target])
        return found

    @cached_property
    def named(self) -> npt.NDArray[np.int32]:
        """(n, 2) origin and target of flow through names and attributes."""
        return rows_of(self.resolution.context_free_edges, 2)

    @cached_property
    def by_origin(self) -> RowsByKey:
        """``named`` by the representative of the origin."""
        return RowsByKey(self.resolution.representative[self.named[:, 0]])

    @cached_property
    def by_target(self) -> RowsByKey:
        """``named`` by target."""
        return RowsByKey(self.named[:, 1])

    def before(self, value: int) -> int:
        """What a name, a version or a field is, where there is one such value; else NONE."""
        op, data = self.op[value], self.data[value]
        if op == Op.PI:
            return int(self.tables["pis"]["input"][data])
        if op == Op.STORE:
            return int(self.tables["stores"]["object"][data])
        if op == Op.CARRY:
            return min(self.carried.get(value, [NONE]))  # what it is before the loop
        if self.reps[value] != value:
            return self.reps[value]
        if op == Op.LOAD:
            kept = self.kept_in(int(self.tables["loads"]["key"][data]))
            if kept != NONE:
                return kept
        origins = self.named[self.by_target.of(value), 0].tolist()
        made = {self.reps[each] for each in origins}
        return max(origins) if len(made) == 1 else NONE  # of several versions the last

    @cached_property
    def carried(self) -> dict[int, list[int]]:
        """By version at a loop's header: what it joins, of which the first is from before the loop."""
        flows = self.tables["flows"]
        rows = np.flatnonzero(self.tables["values"]["op"][flows["target"]] == int(Op.CARRY))
        found: dict[int, list[int]] = {}
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            found.setdefault(target, []).append(origin)
        return found

    def outside(self, value: int) -> tuple[int, int]:
        """What a captured variable, or the parameter of a callback, is outside; and evidence from who calls back."""
        captured = self.captured.get(value)
        if captured is not None:
            return captured, UNKNOWN
        function = int(self.function[value])
        uses = self.uses_of(function)
        if len(uses) != 1:
            return NONE, UNKNOWN
        call, row = uses[0]
        return int(self.tables["calls"]["receiver"][call]), self.of_arguments(call, row)

    @cached_property
    def captured(self) -> dict[int, int]:
        captures = self.tables["captures"]
        return dict(zip(captures["inner"].tolist(), captures["outer"].tolist(), strict=True))

    # -- Small things

    def route_of(self, call: int) -> str:
        """The same, also where the call is of what a registering call made: ``@app.route("/a")``."""
        callee = self.reps[int(self.tables["calls"]["callee"][call])]
        return self.path_of(call) or (self.path_of(self.data[callee]) if self.op[callee] == Op.CALL else "")

    def path_of(self, call: int) -> str:
        """The path that a registering call names, or ""."""
        rows = [row for row in self.args.of(call) if self.args.position[row] == 0]
        return self.constant(self.args.value[rows[0]]) if rows else ""

    def constant(self, value: int) -> str:
        value = self.reps[value]
        return self.strings[self.data[value]].removeprefix("'") if self.op[value] == Op.CONST else ""

    def kept_in(self, key: int) -> int:
        """The one value that the program keeps in fields of a name; NONE if there are several, or none."""
        values = self.tables["stores"]["value"]
        rows = self.by_field.of(key).tolist() if key >= 0 else ()
        if len(rows) > MAX_GUARD_USES:
            return NONE
        found = [int(values[row]) for row in rows if not self.resolution.is_part(self.program, row)]
        return found[0] if len(found) == 1 else NONE

    @cached_property
    def by_field(self) -> RowsByKey:
        """Stores by key."""
        return RowsByKey(self.tables["stores"]["key"])

    def stored_in(self, rep: int) -> list[int]:
        values = self.tables["stores"]["value"][self.by_object.of(rep)]
        found: list[int] = values[values >= 0].tolist()
        return found

    @cached_property
    def by_object(self) -> RowsByKey:
        """Stores by the representative of the object."""
        return RowsByKey(self.resolution.representative[self.tables["stores"]["object"]])

    def text(self, value: int) -> str:
        return self.texts.text(*self.regions.span(value), MAX_GUARD_TEXT)

    def call_text(self, call: int) -> str:
        """The code of a call without the functions and calls that it is given."""
        calls, arguments = self.tables["calls"], self.tables["arguments"]
        at, end = int(calls["start"][call]), int(calls["end"][call])
        content = self.texts.content(int(self.program.file_of_value[calls["result"][call]]))
        pieces = []
        for row in self.args.of(call):
            if self.args.position[row] != RECEIVER and self.op[self.args.value[row]] in (Op.CALL, Op.FUNCTION):
                first, last = int(arguments["start"][row]), int(arguments["end"][row])
                if at <= first <= last <= end:
                    pieces.append(content[at:first])
                    at = last
        return shortened(b" ".join([*pieces, content[at:end]]), MAX_GUARD_TEXT)

    def called(self, call: int) -> str:
        """The code that names what is called."""
        return self.call_text(call).partition("(")[0]

    def nodes(self, value: int) -> list[int]:
        return [each >> KIND_BITS for each in self.resolution.states_of(value) if each & KIND == API]

    def language(self, value: int) -> str:
        return self.program.files[int(self.program.file_of_value[value])].language
