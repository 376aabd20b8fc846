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
from copy import copy
from functools import cached_property, partial
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op, ParameterKind
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.policy.limits.explanation import (
    MAX_GUARD_CALLERS,
    MAX_GUARD_DEPTH,
    MAX_GUARD_STEPS,
    MAX_GUARD_TEXT,
    MAX_GUARD_USES,
)
from pyrograph.policy.names.administrators import PERMISSIONS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF
from pyrograph.scanner.explain.access_checks import NAMED, SHOWN, UNKNOWN
from pyrograph.scanner.explain.asked_handler import Handler
from pyrograph.scanner.explain.questions import Question
from pyrograph.scanner.explain.record_roles import RecordRoles
from pyrograph.scanner.explain.route_groups import RouteGroups
from pyrograph.scanner.explain.uses import NAME

WRITTEN: Final = re.compile(r"""^(?:\w+\s*=\s*)?[A-Za-z]{0,2}["'`]""")  # of a text in code, also with a name


class Callers(RouteGroups):
    """Answers to one question, kept by function and by call."""

    def forget(self) -> None:
        super().forget()
        self.roles = RecordRoles(self)
        self.known: dict[int, int] = {}  # function -> evidence; NONE while it is asked
        self.classes: dict[tuple[int, Handler | None], int] = {}  # ``of_one_class``
        self.chosen: dict[tuple[int, int], int] = {}  # by call and function: ``of_choice``
        self.nesting = 0  # functions that are being asked, each for the sake of the one before

    def about(self, question: Question, checks: dict[str, frozenset[int]]) -> Callers:
        """The same for another question; what both need of the program is shared."""
        other = copy(self)
        other.regions, other.question, other.checks = self.regions.about(question), question, checks
        other.forget()
        return other

    def evidence_at(self, value: int) -> int:
        """Whether ``value`` is computed for such users only."""
        if self.op[value] == Op.CELL and (owner := self.class_at.get(self.regions.span(value)[:2])) is not None:
            return self.of_class(owner)
        return SHOWN if self.regions.is_protected(value) else max(UNKNOWN, self.evidence(int(self.function[value])))

    def of_choice(self, call: int, function: int) -> int:
        """Evidence from where the object was made whose method a call runs, or the function chosen, if it is one of
        several: ``h = Login{}; if session.Authenticated { h = Files{} }; h.Run(message)`` runs ``Files.Run`` for people
        with an account only.
        """
        known = self.chosen.get((call, function))
        if known is None:
            known = self.chosen[call, function] = SHOWN if self.is_chosen_behind_check(call, function) else UNKNOWN
        return known

    def sites_of_choice(self, function: int) -> list[int]:
        """The results of the calls of what may be the function or another one: ``(isOld ? show : list)(request)``."""
        calls = self.tables["calls"]
        sites = self.resolution.rows("targets")[self.callers.of(function), 0].tolist()
        sites = [site for site in sites if site < len(calls["result"]) and calls["receiver"][site] == NONE]
        return [int(calls["result"][site]) for site in sites if self.op[calls["callee"][site]] in (Op.PHI, Op.PI)]

    def is_chosen_behind_check(self, call: int, function: int) -> bool:
        calls, owner = self.tables["calls"], int(self.tables["functions"]["owner"][function])
        receiver = int(calls["receiver"][call])
        kinds = {pack_state(FUNCTION, function)}
        if owner != NONE:
            kinds.add(pack_state(INSTANCE_OF, owner))
        work = [(receiver if receiver != NONE else int(calls["callee"][call]), False)]
        is_meant = is_other = False
        for value, is_behind in work:  # grows by what ways join, to the bound
            if value == NONE or len(work) > MAX_GUARD_USES:
                return False
            if self.op[value] == Op.PI:
                further = [(self.before(value), is_behind)]
            elif self.op[value] == Op.PHI:
                further = [(version, is_behind or self.is_behind_check(block)) for version, block in self.ways(value)]
            elif kinds.isdisjoint(self.resolution.states_of(value)):
                further, is_other = [], True
            elif is_behind or (self.op[value] in (Op.CALL, Op.NEW) and self.regions.is_protected(value)):
                further, is_meant = [], True
            else:
                return False
            work += [each for each in further if each not in work]
        return is_meant and is_other

    def is_behind_check(self, block: int) -> bool:
        """Whether a block runs for such users only, by what its own function asks."""
        opened = self.regions.open_blocks(int(self.tables["blocks"]["function"][block]), 0)
        return opened is not None and block not in opened

    def ways(self, joined: int) -> list[tuple[int, int]]:
        """(version, block that control comes from) of a value that joins versions."""
        table, rows = self.tables["joins"], self.by_joined.of(joined)
        return list(zip(table["version"][rows].tolist(), table["block"][rows].tolist(), strict=True))

    @cached_property
    def by_joined(self) -> RowsByKey:
        """Joins by the value that they make."""
        return RowsByKey(self.tables["joins"]["value"])

    @cached_property
    def class_at(self) -> dict[tuple[int, int], int]:
        """By file and beginning: the class that stands there. What a view's class reads of requests by itself is a
        value with its place.
        """
        owners = self.tables["owners"]["value"]
        return {self.regions.span(value)[:2]: owner for owner, value in enumerate(owners.tolist()) if value != NONE}

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
        before, self.asked.handler = self.asked.handler, ("", name)
        own = self.of_class(int(functions["owner"][function]))
        made = int(functions["value"][function])
        if own < SHOWN and made != NONE and int(functions["parent"][parent]) != NONE:
            own = max(own, self.evidence_at(made))
        results = self.tables["calls"]["result"]
        given, is_test = self.uses_of(function), self.is_in_test(int(functions["result"][function]))
        given = [use for use in given if is_test or not self.is_in_test(int(results[use[0]]))]
        if own != UNKNOWN and any(self.is_routed(call, row, 0) for call, row in given[:MAX_GUARD_USES]):
            own = UNKNOWN
        own = max(own, self.of_defaults(function))
        self.asked.handler = before
        if own == SHOWN:
            return own
        described = [literal for literal in self.descriptions(function) if is_test or not self.is_in_test(literal)]
        if given:  # a loop that reads the handler out of its description gives it to a call
            described = [literal for literal in described if self.is_handed_on(literal)]
        tables = {each for literal in described for each in (literal, *self.around(literal))}
        listed = [literal for literal in self.holding(function) if literal not in tables]
        listed = [literal for literal in listed if is_test or not self.is_in_test(literal)]
        called = [*self.direct_sites(function), *self.sites_of_choice(function)]
        called = [site for site in called if is_test or not self.is_in_test(site)]
        if listed and all(self.roles.shows(literal, function) for literal in listed):
            called = [site for site in called if not self.is_read_of_record(site)]  # they are what the record is for
        if not 0 < len(given) + len(described) + len(listed) + len(called) <= MAX_GUARD_USES:
            return own
        found = SHOWN
        given.sort(key=lambda use: not self.is_decorator(use[0]))
        for call, row in given:
            self.asked.handler = self.route_around(call), name
            used = self.of_use(call, row, 0)
            found = min(found, used)
            if self.is_decorator(call):
                own = max(own, used)  # whoever has the function by its name has what its decorators made of it
            elif found == UNKNOWN:
                break  # one use is enough
        self.asked.handler = before
        if own == SHOWN:
            return own
        if found == UNKNOWN:
            return own
        for literal in described:
            found = min(found, self.of_description(literal, function))
        for literal in listed:
            found = min(found, self.of_listed(literal, function))
        for site in called:
            if found == UNKNOWN:
                return own
            found = min(found, max(self.evidence_at(site), self.of_choice(self.data[site], function)))
        return max(own, found)

    def of_listed(self, literal: int, function: int) -> int:
        """Evidence from what else stands in a literal with a handler, and from the calls that it is given to."""
        values = self.stored_in(literal)
        own = pack_state(FUNCTION, function)
        others = [each for each in values if own not in self.resolution.states_of(each)]
        if len(others) == len(values):
            others = []  # a list of such literals, which says nothing about one of them
        found = max((self.of_check(each, 0) for each in others[:MAX_GUARD_USES]), default=UNKNOWN)
        if found < SHOWN and self.roles.shows(literal, function):
            return SHOWN
        uses = [self.of_use(call, row, 0) for call, row in self.arguments_of(literal)]
        return max(found, min(uses, default=UNKNOWN))

    def is_read_of_record(self, site: int) -> bool:
        """Whether a call, by its result, calls what is read from an object under a name."""
        callee = int(self.tables["calls"]["callee"][self.data[site]])
        is_method = int(self.tables["calls"]["receiver"][self.data[site]]) != NONE
        return is_method or (callee != NONE and self.op[self.reps[callee]] == Op.LOAD)

    def is_handed_on(self, literal: int) -> bool:
        """Whether a call is given the description of a route, or a table with it."""
        return any(self.arguments_anywhere(each) for each in (literal, *self.around(literal)))

    def of_description(self, literal: int, function: int) -> int:
        """Evidence from what else stands in the description of a route, and from the calls that are given the
        description, or a table with it, in any file.
        """
        own = pack_state(FUNCTION, function)
        beside = []
        for each in self.stored_in(literal)[:MAX_GUARD_USES]:
            inner = self.stored_in(self.reps[each]) if self.op[self.reps[each]] == Op.NEW else []
            options = any(own in self.resolution.states_of(value) for value in inner)
            beside += inner if options else [each]
        checks = [each for each in beside if own not in self.resolution.states_of(each)][:MAX_GUARD_USES]
        found = max((self.of_check(each, 0) for each in checks), default=UNKNOWN)
        if found == SHOWN:
            return found
        uses = [use for each in (literal, *self.around(literal)) for use in self.arguments_anywhere(each)]
        return max(found, min((self.of_use(call, row, 0) for call, row in uses), default=UNKNOWN))

    def of_use(self, call: int, row: int, depth: int) -> int:
        """Evidence from a call that a function, or what a call made of it, is given to as the argument ``row``."""
        calls = self.tables["calls"]
        result = int(calls["result"][call])
        found = max(self.of_callee(call), self.of_arguments(call, row))
        if found < SHOWN:
            found = max(found, self.of_receiver(call), self.of_given_groups(call, row))
            around = self.evidence_at(result)
            if around > found and not (self.is_by_class(result) and self.is_routed(call, row, depth)):
                found = around
        if found == SHOWN or depth == MAX_GUARD_DEPTH:
            return found
        further = [self.of_use(above, each, depth + 1) for above, each in self.arguments_of(result) if above != call]
        return max(found, min(further, default=UNKNOWN))

    def is_by_class(self, value: int) -> bool:
        """Whether the class of a method, and no condition in it, says for whom ``value`` is computed."""
        owner = int(self.tables["functions"]["owner"][self.function[value]])
        return not self.regions.is_protected(value) and self.of_class(owner) != UNKNOWN

    def is_routed(self, call: int, row: int, depth: int) -> bool:
        """Whether a call, or one that gets its result, registers a function for a text: ``path("a", self.export)``.

        Whom the class lets through to its other methods then says nothing of this one.
        """
        if self.is_decorator(call):
            return False
        arguments, position = self.tables["arguments"], self.args.position
        file = int(self.program.file_of_value[self.tables["calls"]["result"][call]])
        for each in self.args.of(call):
            is_before = NONE in (position[each], position[row]) or position[each] < position[row]
            if each != row and position[each] != RECEIVER and is_before:
                span = int(arguments["start"][each]), int(arguments["end"][each])
                if self.constant(self.args.value[each]) or WRITTEN.search(self.texts.text(file, *span, MAX_GUARD_TEXT)):
                    return True
        further = self.arguments_of(int(self.tables["calls"]["result"][call])) if depth < MAX_GUARD_DEPTH else ()
        return any(self.is_routed(above, each, depth + 1) for above, each in further if above != call)

    def of_class(self, owner: int) -> int:
        """Evidence from the class that a handler is a method of: bases, attributes, decorators."""
        if owner == NONE:
            return UNKNOWN
        found = UNKNOWN
        for each in self.resolution.lineage(owner, MAX_GUARD_STEPS):
            found = max(found, self.asked.once(self.classes, each, partial(self.of_one_class, each)))
        for call in self.class_decorators.get(owner, ()):
            found = max(found, self.of_callee(call))
        return SHOWN if self.is_registered(owner) else max(found, self.of_service(owner))

    def is_registered(self, owner: int) -> bool:
        """Whether a check of a pack is given a class behind what that is for: ``site.register(Note, NoteAdmin)``."""
        value = int(self.tables["owners"]["value"][owner])
        if not self.checks or value == NONE:
            return False
        for call, row in self.arguments_anywhere(value):
            callee = int(self.tables["calls"]["callee"][call])
            checks = self.checks.get(self.language(callee), frozenset())
            if self.args.position[row] and not self.is_decorator(call) and not checks.isdisjoint(self.nodes(callee)):
                return True
        return False

    def of_service(self, owner: int) -> int:
        """Evidence from all servers that an object of a class is given to, as a service: their interceptors."""
        found = []
        for call, row in self.services.get(owner, ())[:MAX_GUARD_USES]:
            servers = [self.args.value[each] for each in self.args.of(call) if each != row]
            found.append(max((self.of_group(each, ("", ""), set(), 1) for each in servers), default=UNKNOWN))
        return min(found, default=UNKNOWN)

    def of_one_class(self, owner: int) -> int:
        """Evidence from a class without the classes that it is made from."""
        found = self.of_deciding_methods(owner)
        for base in self.bases.get(owner, ()):
            name = NAME.search(self.text(base))
            if not self.checks.get(self.language(base), frozenset()).isdisjoint(self.nodes(base)):
                found = SHOWN
            elif name is not None and self.question.is_named(name[0]):
                found = max(found, NAMED)
        for key, values in self.resolution.class_members.get(owner, {}).items():
            if PERMISSIONS.search(self.strings[key]):
                listed = [value for value in values[:MAX_GUARD_USES] if not self.takes_arguments(value)]
                found = max([found, *(self.of_check(value, 0) for value in listed)])
        return found

    def takes_arguments(self, value: int) -> bool:
        """Whether a member of a class is a method with parameters of its own, so that it does not list checks:
        ``get_roles(self, name)`` answers for one user.
        """
        states = self.resolution.states_of(value)
        rows = [row for each in states if each & KIND == FUNCTION for row in self.by_owner.of(each >> KIND_BITS)]
        return any(self.tables["parameters"]["kind"][row] == ParameterKind.NORMAL for row in rows)

    def of_defaults(self, function: int) -> int:
        """Evidence from a parameter that a framework fills with the result of a check: ``Depends(require_admin)``."""
        origins = self.defaults.get(function, ())
        return max((self.of_check(each, 0) for each in origins if self.op[self.reps[each]] == Op.CALL), default=UNKNOWN)


__all__ = ["NAMED", "SHOWN", "UNKNOWN", "Callers"]
