"""Cloning: small functions that call, pass on or look up by their arguments get a copy for each kind of use.

Summaries keep the *data* of two calls apart, not the *functions* that travel as data: in ``traced(fn)`` each use would
call the functions of all uses. So a function whose parameter is called, in it or in a closure it makes, is copied with
the closures inside it, once for each function that is passed to it; and one that looks up by a parameter, once for each
constant, which becomes the key (``table[name]`` of a registry). In a copy the callee is the function that was passed,
and not the parameter's default.

Copies are rows of the program, after all others. The calls that may run a function are only guessed here, by names;
resolution decides, and no call runs a copy for a call of something else. Calls inside copies are looked at again,
``MAX_COPY_DEPTH`` times; a function that passes its parameter to itself stays in its copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pyrograph.ir.codes import NONE, CallFlag
from pyrograph.ir.packed import FIRST_CONSTANT
from pyrograph.policy.limits.resolution import (
    MAX_ADDED,
    MAX_COPIED,
    MAX_COPY_DEPTH,
    MAX_COPY_SIZE,
    MAX_KEYED,
    MAX_RARE_COPIED,
    MAX_RARE_COPY_SIZE,
    MAX_STATES,
    MIN_ADDED,
)
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.clone_calls import CallFinder, CloneCall
from pyrograph.scanner.analysis.resolve.clone_facts import CALLED, KEY, PARAMETER, PASSED, CloneFacts, Ints
from pyrograph.scanner.analysis.resolve.clone_rows import Copies, Layout, RowCopier
from pyrograph.scanner.analysis.resolve.returned_wrappers import returned_wrappers


def clone_functions(program: Program, representative: Ints, apis: Mapping[str, Apis]) -> tuple[Ints, Copies]:
    """Copy what is worth it; the tables of ``program`` grow.

    Returns:
        The representatives of all values, and what was copied. Time linear in the program, with few and short loops.
    """
    cloner = _Cloner(program, representative, apis)
    cloner.run()
    return cloner.facts.rep, cloner.copies


class _Cloner:
    """Chooses what is copied for which calls, within the limits, and records it."""

    def __init__(self, program: Program, representative: Ints, apis: Mapping[str, Apis]) -> None:
        self.program = program
        self.facts = CloneFacts(program, representative)
        self.copies = Copies()
        self.rows = RowCopier(self.facts, self.copies)
        self.copied_from: dict[int, int] = {}  # copy -> function
        self.known: dict[tuple[int, int], dict[int, int]] = {}  # (function, call) -> parameter -> string
        self.too_large: set[int] = set()  # functions with more copies than their size allows
        self.filled: dict[tuple[int, int], list[int]] = {}  # the same -> parameters that get no default
        self.inside: dict[int, list[CloneCall]] = {}  # function -> calls in it
        self.following: list[CloneCall] = []  # calls in copies, for the next iteration
        self.finder = CallFinder(self.facts, apis)

    def run(self) -> None:
        """Copies for all calls of the program, then for the calls inside these copies, and so on."""
        concerned = self.concerned()
        if not concerned:
            return
        every = self.finder.find_uses(concerned)
        uses = [use for use in every if self.facts.size[use.function] <= MAX_RARE_COPY_SIZE]
        if uses:
            self.copy_for(uses)
        self.pass_through(every)

    def copy_for(self, uses: list[CloneCall]) -> None:
        self.inside = self.uses_inside(uses)
        self.rows.prepare({use.function for use in uses})
        budgets = self.budgets()
        for _ in range(MAX_COPY_DEPTH):
            chosen: dict[int, list[list[int]]] = {}
            wanted = self.wanted(uses)
            for function, by_key in sorted(
                wanted.items(), key=lambda each: int(self.facts.size[each[0]]) * len(each[1])
            ):
                cost = int(self.facts.size[function]) * len(by_key)
                kinds = {what < 0 for key in by_key for _, what in key}
                if len(by_key) == 1 and True not in kinds and not self.replaces_default(function, by_key):
                    continue  # the function itself is for this one
                keyed = False not in kinds
                if self.facts.size[function] > MAX_COPY_SIZE and (keyed or cost > MAX_RARE_COPIED):
                    self.too_large.add(function)
                    continue
                language = self.program.files[self.facts.home[function]].language
                if cost > min(budgets[language], MAX_KEYED if keyed else MAX_COPIED):
                    self.copies.left_out.append(function)
                    continue
                budgets[language] -= cost
                chosen[function] = list(by_key.values())
            if not chosen:
                break
            while chosen:  # those inside others after these
                outermost = {
                    function: chosen[function] for function in chosen if not self.facts.lies_in(function, chosen)
                }
                self.copy(outermost)
                chosen = {function: groups for function, groups in chosen.items() if function not in outermost}
            self.rows.grow()
            uses, self.following = self.following, []
        if self.rows.added:
            self.rows.append()

    def budgets(self) -> dict[str, int]:
        """How many values the copies may have, by language: a program's own scripts and the libraries that its pages
        load would take what its server needs.
        """
        values = np.bincount(self.program.file_of_value, minlength=len(self.program.files)).tolist()
        found: dict[str, int] = {}
        for file, number in zip(self.program.files, values, strict=True):
            found[file.language] = found.get(file.language, 0) + number
        return {language: max(MIN_ADDED, number * MAX_ADDED // 100) for language, number in found.items()}

    def pass_through(self, uses: Sequence[CloneCall]) -> None:
        """Let decorators return what they decorate, if they call it, decorate many functions and were not copied.
        So do functions that return a wrapper of what they are given, besides that: it may use a request itself.

        What such a wrapper calls may be any of these functions, so that no call of them would have a target.
        """
        flags, arguments = self.program.tables["calls"]["flags"], self.program.tables["arguments"]
        left_out = {*self.copies.left_out, *self.too_large}
        left = [
            use
            for use in uses
            if (use.function in left_out or self.facts.size[use.function] > MAX_RARE_COPY_SIZE)
            and all(kinds & (CALLED | KEY) == CALLED for _, kinds, _ in use.given)
        ]
        wrapped = returned_wrappers(self.facts, {use.function for use in left})
        calls: dict[int, dict[int, list[int]]] = {}
        for use in left:
            if flags[use.call] & CallFlag.DECORATOR:
                given = arguments["value"][self.facts.argument_rows(use.call)].tolist()
            else:
                given = [value for row, _, value in use.given if row in wrapped]
            if given and (use.call, use.function) not in self.copies.of:
                calls.setdefault(use.function, {})[use.call] = given
        for found in calls.values():
            if len(found) > MAX_STATES:
                self.copies.passing.update(found)
                self.copies.wrapping.update(call for call in found if not flags[call] & CallFlag.DECORATOR)

    def concerned(self) -> dict[int, list[int]]:
        """Functions that are worth a copy, or too large for one and call what they are given; and the rows of the
        parameters they are worth it for.
        """
        functions = self.program.tables["parameters"]["function"]
        is_small = self.facts.size[functions] <= MAX_RARE_COPY_SIZE
        rows = np.flatnonzero((self.facts.uses > 0) & (is_small | (self.facts.uses & CALLED > 0)))
        found: dict[int, list[int]] = {}
        for row in rows.tolist():
            found.setdefault(int(functions[row]), []).append(row)
        return found

    def uses_inside(self, uses: Sequence[CloneCall]) -> dict[int, list[CloneCall]]:
        """The calls in each function, its closures included: they are there again in each of its copies."""
        found: dict[int, list[CloneCall]] = {}
        for use in uses:
            function = int(self.facts.around[self.facts.call_result[use.call]])
            while function != NONE:
                if self.facts.size[function] <= MAX_RARE_COPY_SIZE:
                    found.setdefault(function, []).append(use)
                function = int(self.facts.parent[function])
        return found

    def wanted(self, uses: Sequence[CloneCall]) -> dict[int, dict[tuple[tuple[int, int], ...], list[int]]]:
        """By function and by what is given to it, the calls that give it."""
        found: dict[int, dict[tuple[tuple[int, int], ...], list[int]]] = {}
        copied = self.copied_from
        for use in uses:
            key = []
            for row, kinds, value in use.given:
                root = int(self.facts.root[value])
                kind = int(self.facts.op[root])
                what = self.facts.matters(root, kind, kinds)
                if what is not None:
                    key.append((row, self.facts.named_once(what) if what >= 0 else what))
                elif kinds & (CALLED | PASSED) and kind == PARAMETER and int(self.facts.in_function[root]) in copied:
                    key.append((row, root))  # what its copy was given
            if key and not self.is_inside(use):
                found.setdefault(use.function, {}).setdefault(tuple(key), []).append(use.call)
                formal = self.program.tables["parameters"]["value"]
                self.known[use.function, use.call] = {
                    int(formal[row]): FIRST_CONSTANT - what for row, what in key if what < 0
                }
                self.filled[use.function, use.call] = [
                    int(formal[row]) for row, what in key if what < 0 or self.facts.is_given(what)
                ]
        return found

    def replaces_default(self, function: int, by_key: Mapping[tuple[tuple[int, int], ...], Sequence[int]]) -> bool:
        """Whether calls give a function in place of a default: the function itself is for the calls that do not."""
        calls = (call for group in by_key.values() for call in group)
        return any(value in self.facts.with_default for call in calls for value in self.filled[function, call])

    def is_inside(self, use: CloneCall) -> bool:
        """Whether a call stands in the function that it calls, or in a copy of that."""
        function = int(self.facts.in_function[self.facts.call_result[use.call]])
        while function != NONE:
            if self.copied_from.get(function, function) == use.function:
                return True
            function = int(self.facts.parent[function])
        return False

    def copy(self, chosen: Mapping[int, Sequence[Sequence[int]]]) -> None:
        """Copy functions, none of which lies in another, once for each of their groups of calls."""
        functions = sorted(chosen)
        constants = [self.known[function, group[0]] for function in functions for group in chosen[function]]
        filled = [self.filled[function, group[0]] for function in functions for group in chosen[function]]
        self.record(functions, chosen, self.rows.copy(chosen, constants, filled))

    def record(
        self, functions: Sequence[int], chosen: Mapping[int, Sequence[Sequence[int]]], layout: Mapping[str, Layout]
    ) -> None:
        """Which calls run the copies, and which calls in the copies may want copies themselves."""
        formal = self.program.tables["parameters"]["value"]
        number = 0
        for function in functions:
            inside = self.inside.get(function, ())
            calls = np.array([use.call for use in inside], np.int32)
            given = np.array([value for use in inside for _, _, value in use.given], np.int32)
            for group in chosen[function]:
                mine = int(layout["functions"].place(np.array([function]), np.array([number]))[0])
                self.copied_from[mine] = function
                self.copies.of.update(dict.fromkeys([(call, function) for call in group], mine))
                moved = layout["calls"].place(calls, np.full(len(calls), number)).tolist()
                values = layout["values"].to_copy(given, number).tolist()
                number += 1
                at = 0
                for use, call in zip(inside, moved, strict=True):
                    now = values[at : at + len(use.given)]
                    at += len(use.given)
                    if use.function != function:
                        passed = [(row, kinds, value) for (row, kinds, _), value in zip(use.given, now, strict=True)]
                        self.following.append(CloneCall(call, use.function, passed))
                    elif all(self.facts.root[value] == formal[row] for row, _, value in use.given):
                        self.copies.of[call, function] = mine
