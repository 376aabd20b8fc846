"""Methods of another class: ``Users(name).fetch()`` runs ``Query.fetch``, and ``self.build()`` there that of ``Users``.

Inside a method of a base class, resolution knows the object as an instance of any subclass of which some code calls the
method. So a path may enter ``fetch`` with one class and go on in a method of another. Such a path cannot happen; this
can be seen only once the path is known. The classes of the object are those of the receiver at the call of the path by
which it became ``self``, if all targets of this call are known; each call of the object's own methods leaves those
whose method it enters.

Where nothing is known of the object, the call is resolved by the method's name alone, and a class that nothing makes is
none of those that the object may be of (``never_made.py``).

The shortest path takes any of several calls. So another path is searched that does without the call in question, and
the data is only said not to arrive where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import FIRST_SUMMARY, KIND, KIND_BITS, subjects
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import Traits
from pyrograph.policy.limits.explanation import MAX_OTHER_PATHS
from pyrograph.scanner.analysis.assemble import Context
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.numbers import RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.never_made import NeverMade
from pyrograph.scanner.explain.paths import PathFinder
from pyrograph.scanner.explain.texts import Texts

OBJECT: Final = (CLASS, INSTANCE_OF)


class Entered(NamedTuple):
    """A call that a path entered and has not left."""

    function: int
    classes: frozenset[int] | None  # that the receiver may be an instance of; None: any
    row: int  # of the flow graph: the call by which the receiver became ``self``


class Receivers:
    """Answers for one program."""

    def __init__(self, control_flow: ControlFlow, steps: PathFinder, texts: Texts) -> None:
        self.control_flow = control_flow
        self.steps = steps
        flow = steps.flow
        self.program, self.resolution = control_flow.program, control_flow.resolution
        self.reps = control_flow.resolution.reps
        self.flow = flow
        self.context, self.site = flow.context.data, flow.site.data
        self.origin, self.target = flow.origin.data, flow.target.data
        calls, parameters = self.program.tables["calls"], self.program.tables["parameters"]
        self.receiver, self.name, self.callee = calls["receiver"], calls["name"], calls["callee"]
        self.result = self.program.numbers("calls", "result")
        own = parameters["kind"] == RECEIVER_KIND
        values, functions = parameters["value"][own].tolist(), parameters["function"][own].tolist()
        self.own = {function: self.reps[value] for value, function in zip(values, functions, strict=True)}
        self.never_made = NeverMade(self.program, self.resolution, texts)
        self.targets: RowsByKey | None = None  # of the call graph, by call
        self.unmade: dict[int, list[int]] = {}  # by function: ``like``
        self.below: dict[int, set[int]] | None = None  # class -> classes that extend it, and itself
        self.methods: dict[tuple[int, int], frozenset[int] | None] = {}  # (class, name) -> texts of functions

    def possible(self, hit: Hit, rows: Sequence[int]) -> Sequence[int] | None:
        """The edges of a path from the source to the sink that enters only methods that its objects have: the shortest
        such path that is found; None if there is none.

        ``rows``: those of the shortest path of all, which is taken to be possible where too many others are not. Of the
        functions that a call comes back from (summaries, which are below zero) only the first is looked at.
        """
        blocked: set[int] = set()
        found: Sequence[int] = rows
        for _ in range(MAX_OTHER_PATHS):
            entry = self.wrong_entry(hit, found)
            if entry == NONE:
                return found
            blocked.update(self.like(entry))
            other = self.steps.rows_without(hit, blocked)
            if other is None:
                return None
            found = other
        return rows

    def wrong_entry(self, hit: Hit, rows: Sequence[int]) -> int:
        """The call edge by which an object became ``self`` that has not the method which the path enters later, or
        NONE.
        """
        entered: list[Entered] = []
        for row in rows:
            context = self.context[row] if row >= 0 else Context.SUMMARY
            around = entered[-1] if entered else None
            if context == Context.SUMMARY:
                if around is not None and around.classes and not self.comes_back(hit, FIRST_SUMMARY - row, around):
                    return around.row
            elif context == Context.CALL:
                found = self.enter(row, around)
                if found.classes is not None and not found.classes:
                    return found.row
                entered.append(found)
            elif context == Context.RETURN and entered:
                entered.pop()
            elif context == Context.HEAP:
                entered.clear()
        return NONE

    def enter(self, row: int, around: Entered | None) -> Entered:
        """What is known of the receiver behind the call edge ``row``; no class where the path cannot go on so."""
        call, function = int(self.site[row]), self.function_at(self.target[row])
        unknown = Entered(function, None, row)
        receiver = int(self.receiver[call]) if 0 <= call < len(self.receiver) else NONE
        if receiver == NONE or self.traits(receiver).dispatch.bases_are_parts:
            return unknown
        caller = self.function_at(self.origin[row])
        is_super = self.control_flow.op[receiver] == Op.SUPER
        if not is_super and self.own.get(caller) != self.reps[receiver]:
            classes = self.classes_of(call, receiver)
            if classes is None and self.is_of_none(call, receiver, function):
                classes = frozenset()
            return Entered(function, classes, row)
        if around is None or around.function != caller or around.classes is None:
            return unknown
        if is_super or not self.is_method(function, int(self.name[call])):
            return Entered(function, around.classes, around.row)
        text = self.text(function)
        kept = []
        for each in around.classes:
            methods = self.methods_of(each, int(self.name[call]))
            if methods is None or text in methods:
                kept.append(each)
        return Entered(function, frozenset(kept), around.row)

    def comes_back(self, hit: Hit, summary: int, around: Entered) -> bool:
        """Whether a call enters a method that the object has, of those that a summary may stand for."""
        summaries = hit.projection.summaries
        calls, _ = self.steps.call_edges
        rows = calls.at(int(summaries.origin[summary]), int(summaries.site[summary]))
        found = [self.enter(row, around).classes for row in rows]
        return not found or any(classes is None or bool(classes) for classes in found)

    def classes_of(self, call: int, receiver: int) -> frozenset[int] | None:
        """The classes of the receiver of a call; None where it may be something else."""
        states = self.resolution.states_of(receiver)
        is_known = bool(states) and all([state & KIND in OBJECT for state in states])
        if not is_known or call not in self.resolution.fully_resolved:
            return None
        owners = {state >> KIND_BITS for state in states}
        if self.is_new(receiver):
            return frozenset(owners)
        return frozenset(each for owner in owners for each in self.extending(owner))

    def is_of_none(self, call: int, receiver: int, function: int) -> bool:
        """Whether a call on an object of which nothing is known enters a method of a class that nothing makes."""
        owner = self.never_made.owner_of(function)
        if owner == NONE or self.resolution.states_of(receiver):
            return False
        table = self.resolution.rows("targets")
        if self.targets is None:
            self.targets = RowsByKey(table[:, 0])
        functions = table[self.targets.of(call), 1].tolist()
        return self.never_made.leaves([self.never_made.owner_of(each) for each in functions], owner)

    def like(self, row: int) -> list[int]:
        """A call edge by which no path can go on; where it enters a method of a class that nothing makes, all edges
        that do so. Each function is looked up once, by a pass over the edges.
        """
        if not self.is_lost(row):
            return [row]
        function = self.function_at(self.target[row])
        found = self.unmade.get(function)
        if found is None:
            rows = np.flatnonzero(self.flow.context == int(Context.CALL)).tolist()
            rows = [each for each in rows if self.function_at(self.target[each]) == function]
            found = self.unmade[function] = list(filter(self.is_lost, rows))
        return found

    def is_lost(self, row: int) -> bool:
        """Whether a call edge enters a method of a class that nothing makes, on an object of which nothing is known."""
        call, function = int(self.site[row]), self.function_at(self.target[row])
        receiver = int(self.receiver[call]) if 0 <= call < len(self.receiver) else NONE
        return receiver != NONE and self.is_of_none(call, receiver, function)

    def is_new(self, value: int) -> bool:
        """Whether a value is what a class of the program makes, ``Users(name)``, and no instance of a subclass."""
        rep = self.reps[value]
        if self.control_flow.op[rep] != Op.CALL:
            return False
        callee = int(self.callee[self.control_flow.data[rep]])
        states = self.resolution.states_of(callee) if callee != NONE else ()
        return bool(states) and all(state & KIND == CLASS for state in states)

    def extending(self, owner: int) -> set[int]:
        """The classes that extend a class, and itself. Linear in the classes and their lineages, once."""
        if self.below is None:
            self.below = {}
            for each in self.resolution.class_members.keys() | self.resolution.class_bases.keys():
                for above in self.resolution.lineage(each):
                    self.below.setdefault(above, set()).add(each)
        return self.below.get(owner, {owner}) | {owner}

    def methods_of(self, owner: int, name: int) -> frozenset[int] | None:
        """What a class has as its method of this name, by ``text``; None where that is not known."""
        key = owner, name
        if key not in self.methods:
            self.methods[key] = self._methods_of(owner, name)
        return self.methods[key]

    def _methods_of(self, owner: int, name: int) -> frozenset[int] | None:
        for each in self.resolution.lineage(owner):
            values = self.resolution.class_members.get(each, {}).get(name)
            if values:
                states = [self.resolution.states_of(value) for value in values]
                if not all([any([state & KIND == FUNCTION for state in group]) for group in states]):
                    return None
                return frozenset(self.text(function) for group in states for function in subjects(group, FUNCTION))
        return None

    def is_method(self, function: int, name: int) -> bool:
        """Whether a function is a method that its class has by this name."""
        owner = int(self.program.tables["functions"]["owner"][function])
        methods = self.methods_of(owner, name) if owner != NONE else None
        return methods is not None and self.text(function) in methods

    def function_at(self, node: int) -> int:
        """The function in which a node of the flow graph lies."""
        return int(self.control_flow.function[self.flow.value[node]])

    def text(self, function: int) -> int:
        """The same number for a function and its copies."""
        return int(self.program.original[self.program.tables["functions"]["result"][function]])

    def traits(self, value: int) -> Traits:
        return language_of(self.program.files[int(self.program.file_of_value[value])].language).traits
