"""Code of a function that runs only for requests with a header that no link adds.

    const token = req.headers.authorization;
    if (!token) return res.sendStatus(401);

A page behind such a check is shown to nobody whom a link leads there: a browser that follows a link adds no such
header. A value is *brought* where it is true only if the header is there: the header itself, a part of it, what a
library's call makes of it, a field that holds nothing else. A login that browsers repeat by themselves (``Basic``) is
none of these checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Flow, Op, Test
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.explanation import (
    MAX_BROUGHT_DEPTH,
    MAX_BROUGHT_ORIGINS,
    MAX_BROUGHT_VALUES,
    MAX_GUARD_CODE,
    MAX_GUARD_TEXT,
)
from pyrograph.policy.names.administrators import DECIDING as DECIDING_NAMES
from pyrograph.policy.names.keys import ERRORS
from pyrograph.policy.names.requests import (
    AUTHORIZING_HEADERS,
    BROUGHT_BY_BROWSERS,
    HEADER_HOLDERS,
    LOGIN_LIBRARIES,
    SENT_BY_BROWSERS,
    VERIFIES_TOKEN,
)
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.explain.callers import SHOWN, UNKNOWN
from pyrograph.scanner.explain.key_holders import KeyHolders
from pyrograph.scanner.explain.key_regions import KeyRegions

ABSENT: Final = frozenset({"null", "undefined", "nil", "false", "'"})  # what stands for a header that is not there
OFF: Final = frozenset({"false"})
NO_TYPES: Final = frozenset({"'undefined"})  # what a value that is not there is asked to be
NO: Final = 0
YES: Final = 1
ASKED: Final = 2
JOINING: Final = (Op.PHI, Op.CARRY, Op.EXPRESSION)  # each of what they join may be it: ``a && b``


class HeaderRegions(KeyRegions):
    """The blocks of functions that run without such a header: everything else is ``is_protected``."""

    brought: dict[int, int]  # by value: ``degree``
    left: int = MAX_BROUGHT_VALUES  # values that the question at hand may still ask about
    open: int = 0  # questions that wait for this one: whether a return is reached asks for other conditions

    @classmethod
    def of_headers(cls, regions: KeyRegions) -> HeaderRegions:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(KeyRegions.of(regions).__dict__)
        other.brought = {}
        return other

    # -- Conditions and calls

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = (int(table[side][condition]) for side in ("left", "right"))
        if left == NONE or (test != Test.TRUTH and right == NONE):
            return NONE
        if test == Test.TRUTH and self.is_error_of(left):
            return 0
        if test == Test.IS and self.is_text(right, NO_TYPES):
            return 0 if self.is_brought(left) else NONE
        if test in (Test.TRUTH, Test.PREFIX, Test.IS):
            return 1 if self.is_brought(left) else NONE
        if test == Test.IN:
            return 1 if self.is_brought(right) else NONE
        if test != Test.EQUAL:
            return NONE
        for one, other in ((left, right), (right, left)):
            if self.is_text(other, ABSENT):
                if self.is_error_of(one):
                    return 1
                return 0 if self.is_brought(one) else NONE
        return 1 if self.is_brought(left) or self.is_brought(right) else NONE

    def is_gate(self, call: int, depth: int) -> bool:
        """Whether a call raises for requests without the header: it verifies what they bring, or is such a function."""
        if not self.functions_of(call) and VERIFIES_TOKEN.search(self.texts_of_callee(call)):
            return any(map(self.is_brought, self.given_to(call, with_receiver=False)))
        return super().is_gate(call, depth)

    def is_error_of(self, value: int) -> bool:
        """Whether a value is the error of a call of a library that is given what the header holds."""
        rep = self.resolution.reps[value]
        if self.op[rep] != Op.LOAD or ERRORS.search(self.texts.text(*self.span(value), MAX_GUARD_TEXT)) is None:
            return False
        made = self.resolution.reps[int(self.program.tables["loads"]["object"][self.data[rep]])]
        if self.op[made] != Op.CALL or self.functions_of(self.data[made]):
            return False
        return any(map(self.is_brought, self.given_to(self.data[made])))

    # -- Values

    def is_brought(self, value: int) -> bool:
        """Whether a value is true only where the request has such a header."""
        return self.asked_about([value]) == YES

    def asked_about(self, values: Iterable[int]) -> int:
        """``degree_of_all`` as a question of its own. Values that are made of each other are asked about again on each
        way that leads to them, so that their number is bounded.
        """
        if self.open == MAX_BROUGHT_DEPTH:
            return NO
        before, self.left = self.left, MAX_BROUGHT_VALUES
        self.open += 1
        found = self.degree_of_all(values, 0)
        self.open -= 1
        self.left = before
        return found

    def degree(self, value: int, depth: int) -> int:
        """``YES``, ``NO``, or ``ASKED`` for a value that is made of values which are being asked about alone."""
        if self.is_text(value, ABSENT):
            return ASKED  # true nowhere
        known = self.brought.get(value)
        if known is None:
            if depth == MAX_BROUGHT_DEPTH or self.left == 0:
                return NO
            self.left -= 1
            self.brought[value] = ASKED
            known = self._degree(value, depth + 1)
            if known == ASKED:
                del self.brought[value]
            else:
                self.brought[value] = known
        return known

    def _degree(self, value: int, depth: int) -> int:
        rep = self.resolution.reps[value]
        op, data = self.op[rep], self.data[rep]
        if op in (Op.LOAD, Op.CALL) and self.is_header(rep):
            return NO if self.is_of_browser(rep) else YES
        if op == Op.PI:
            return self.degree(int(self.program.tables["pis"]["input"][data]), depth)
        if op == Op.POST:
            return self.degree(int(self.program.tables["arguments"]["value"][data]), depth) if data >= 0 else NO
        if op in JOINING:
            flows, rows = self.program.tables["flows"], self.returned.of(rep)
            if (flows["kind"][rows] != Flow.SAME).any():
                return NO
            return self.degree_of_all(flows["origin"][rows].tolist(), depth)
        if op == Op.PARAMETER and self.is_filled(rep):
            return YES
        if op == Op.PARAMETER:
            outer = self.outer.get(value, self.outer.get(rep, NONE))
            given = [outer] if outer != NONE else self.bindings[self.bound.of(rep), 1].tolist()
            return self.degree_of_all(given, depth) if given else NO
        if op == Op.LOAD:
            return self.degree_of_part(rep, depth)
        return self.degree_of_call(data, depth) if op == Op.CALL else NO

    def degree_of_all(self, values: Iterable[int], depth: int) -> int:
        """``YES`` where one of these is brought, and each other one is true nowhere, or made of those asked about."""
        given = list(dict.fromkeys(values))
        if len(given) > MAX_BROUGHT_ORIGINS:
            return NO
        found = set()
        for each in given:
            found.add(self.degree(each, depth))
            if NO in found:
                return NO
        return YES if YES in found else ASKED

    def degree_of_part(self, load: int, depth: int) -> int:
        """Of a member: whether it is read of a brought value, or all that the program keeps under its name is brought,
        or is put there only where the header is.
        """
        table, row = self.program.tables["loads"], self.data[load]
        key = int(table["key"][row])
        if self.degree(int(table["object"][row]), depth) == YES:
            return YES
        if key < 0 or self.has_other_logins:
            return NO
        stores = self.program.tables["stores"]
        rows = self.stored_under.of(key).tolist()
        if not 0 < len(rows) <= MAX_BROUGHT_ORIGINS:
            return NO
        found = set()
        for each in rows:
            value, result = int(stores["value"][each]), int(stores["result"][each])
            known = self.degree(value, depth)
            found.add(YES if known == NO and self.is_behind(result) else known)
            if NO in found:
                return NO
        return YES if YES in found else ASKED

    def is_behind(self, value: int) -> bool:
        """Whether a value is computed only where the header is, by what its function or one around it asks."""
        functions = self.program.tables["functions"]
        for _ in range(MAX_BROUGHT_DEPTH):
            if value == NONE:
                return False
            if self.is_protected(value):
                return True
            value = int(functions["value"][int(self.function[value])])
        return False

    def degree_of_call(self, call: int, depth: int) -> int:
        """Of a call: whether it gives what it makes of a brought value; of functions of the program, in each return."""
        functions = self.functions_of(call)
        if functions:
            results = [each for function in functions for each in self.returned_by(function)]
            if len(results) > MAX_BROUGHT_ORIGINS:
                return NO
            return self.degree_of_all([each for each in results if not self.is_protected(each)], depth)
        code = self.call_text(int(self.program.tables["calls"]["result"][call]))
        if SENT_BY_BROWSERS.search(code):
            return NO
        found = {self.degree(each, depth) for each in self.given_to(call)}
        return YES if YES in found else NO

    def gives(self, function: int) -> bool:
        """Whether what a function returns is true only where the header is there."""
        return self.asked_about(self.returned_by(function)) == YES

    # -- Headers

    def is_header(self, rep: int) -> bool:
        """Whether a value is read of a request's headers under a name by which clients prove who they are."""
        if self.op[rep] == Op.LOAD:
            table, row = self.program.tables["loads"], self.data[rep]
            key = int(table["key"][row])
            holder = self.texts.text(*self.span(int(table["object"][row])), MAX_GUARD_TEXT)
            is_named = key >= 0 and AUTHORIZING_HEADERS.fullmatch(self.program.strings[key].lstrip("'")) is not None
            return is_named and HEADER_HOLDERS.search(holder) is not None
        call = self.data[rep]
        if HEADER_HOLDERS.search(self.texts_of_callee(call)) is None:
            return False
        given = self.given_to(call, with_receiver=False)[:1]
        return any(
            self.op[each] == Op.CONST and AUTHORIZING_HEADERS.fullmatch(self.program.strings[self.data[each]][1:])
            for each in map(self.resolution.reps.__getitem__, given)
        )

    def is_filled(self, parameter: int) -> bool:
        """Whether a framework fills a parameter with such a header: ``authorization: str = Header(None)``."""
        row = self.data[parameter]
        name = int(self.program.tables["parameters"]["name"][row]) if row >= 0 else NONE
        if name < 0 or AUTHORIZING_HEADERS.fullmatch(self.program.strings[name]) is None:
            return False
        defaults = self.program.tables["flows"]["origin"][self.returned.of(parameter)].tolist()
        calls = [self.data[self.resolution.reps[each]] for each in defaults if self.call_text(each)]
        return any(HEADER_HOLDERS.search(self.texts_of_callee(each)) for each in calls) and not self.is_of_browser(
            parameter
        )

    def is_of_browser(self, value: int) -> bool:
        """Whether the function that reads a header speaks of a login that browsers do by themselves."""
        functions, function = self.program.tables["functions"], int(self.function[value])
        file = int(self.program.file_of_value[value])
        start, end = int(functions["start"][function]), int(functions["end"][function])
        return BROUGHT_BY_BROWSERS.search(self.texts.text(file, start, end, MAX_GUARD_CODE)) is not None

    @cached_property
    def has_other_logins(self) -> bool:
        """Whether the program imports a library that finds out by a cookie who sends a request, and may keep it under
        the same names.
        """
        rows = np.unique(self.program.tables["imports"]["module"]).tolist()
        return any(LOGIN_LIBRARIES.search(self.program.strings[each]) for each in rows if each >= 0)


class HeaderSenders(KeyHolders):
    """The search for checks in front of a handler, where the check needs the header."""

    regions: HeaderRegions

    @classmethod
    def of_headers(cls, holders: KeyHolders, checks: dict[str, frozenset[int]]) -> HeaderSenders:
        """The same program; what both need of it is shared. ``checks``: those of libraries, by language."""
        other = cls.__new__(cls)
        other.__dict__.update(KeyHolders.of(holders).__dict__)
        other.regions = HeaderRegions.of_headers(holders.regions)
        other.checks = checks
        return other

    def of_named(self, code: str, functions: Sequence[int], nodes: Iterable[int], value: int, depth: int = 0) -> int:
        """Evidence as of any check; not where a false argument makes one of a library let others through."""
        made = self.made_before(value)
        if made != NONE and self.op[made] == Op.CALL:
            given = [self.args.value[row] for row in self.args.of(self.data[made])]
            if any(self.regions.is_text(each, OFF) for each in given):
                return UNKNOWN
        found = super().of_named(code, functions, nodes, value, depth)
        if found == UNKNOWN:  # an instance of a class that extends one of a library
            owners = subjects(self.resolution.states_of(value), INSTANCE_OF)[:MAX_BROUGHT_ORIGINS]
            found = max((self.of_bases(each) for each in owners), default=UNKNOWN)
        return found

    def of_bases(self, owner: int) -> int:
        """Evidence from the classes of libraries that a class extends."""
        lineage = self.resolution.lineage(owner, MAX_BROUGHT_DEPTH)
        bases = [base for each in lineage for base in self.bases.get(each, ())]
        known = [self.checks.get(self.language(each), frozenset()) for each in bases]
        found = [not nodes.isdisjoint(self.nodes(each)) for each, nodes in zip(bases, known, strict=True)]
        return SHOWN if any(found) else UNKNOWN

    def is_gate(self, function: int) -> bool:
        """Whether a function lets only such requests through, by its body, or since its parameters are filled by a
        check: ``def user(token=Depends(bearer))``.
        """
        return super().is_gate(function) or self.of_defaults(function) == SHOWN

    def is_predicate(self, function: int) -> bool:
        """Whether a method that decides for others returns something that is true only where the header is there."""
        name = int(self.tables["functions"]["name"][function])
        return name >= 0 and DECIDING_NAMES.fullmatch(self.strings[name]) is not None and self.regions.gives(function)
