"""Which routes calls register handlers for: the path that a call states, after those of the groups that it stands in.

A *group* is an object on which handlers are registered: a router, a blueprint. Its prefix is what it was made with and
where it is mounted, in any file. A list of routes has the prefix of the calls that it is given to.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_STEPS, MAX_GUARD_USES, MAX_PREFIXES
from pyrograph.policy.names.requests import MOUNTS
from pyrograph.policy.routes import COMMON_PREFIX
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.resolve.resolution import CLASS
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.stated_routes import TEXT, Route, StatedRoutes, joined


class Routing(StatedRoutes):
    """Answers for one program; the prefixes of groups are kept."""

    def __init__(
        self,
        callers: Callers,
        stating: dict[str, dict[int, Port]],
        default_methods: dict[str, dict[int, str]],
        dangerous: dict[str, frozenset[int]],
    ) -> None:
        super().__init__(callers, stating, default_methods, dangerous)
        self.known: dict[int, tuple[str, ...]] = {}  # by group: its prefixes
        self.registered: dict[int, list[Route]] = {}  # by call: ``routes``
        self.first: dict[int, int] = {}  # ``first_version``

    def routes(self, call: int) -> list[Route]:
        """What a call that is given a handler registers it for; none where the call states no route."""
        known = self.registered.get(call)
        if known is None:
            known = self.registered[call] = self._routes(call)
        return known

    def _routes(self, call: int) -> list[Route]:
        callee = self.callers.reps[int(self.tables["calls"]["callee"][call])]
        if self.callers.op[callee] == Op.CALL:  # ``@app.route("/a")``
            call = self.callers.data[callee]
        own = self.own(call)
        if own is None and self.callers.op[callee] == Op.CALL and self.named_methods(call):  # ``@Post("a")``
            own = Route(next(self.leading_text(call), ""))
        if own is None:
            return []
        methods = own.methods or self.named_methods(call)
        return [Route(joined(prefix, own.path), methods) for prefix in self.before(call)]

    def builds_group(self, function: int) -> bool:
        """Whether a function registers handlers on what it is given: ``r.Route("/a", func(r chi.Router) { ... })``."""
        for call in self.callers.regions.calls_in(function):
            value = self.first_version(int(self.tables["calls"]["receiver"][call]))
            if (
                value != NONE
                and self.callers.op[value] == Op.PARAMETER
                and int(self.callers.function[value]) == function
                and self.beginning(call) is not None
            ):
                return True
        return False

    def first_version(self, value: int) -> int:
        """What a value was before calls changed it."""
        later = []
        while value != NONE and self.callers.op[value] == Op.POST and value not in self.first:
            later.append(value)
            value = self.args.value[self.callers.data[value]]
        value = self.first.get(value, value)
        self.first.update(dict.fromkeys(later, value))
        return value

    def before(self, call: int) -> tuple[str, ...]:
        """The prefixes of what a call registers: of the object that it is made on, else of what it is given to."""
        receiver = int(self.tables["calls"]["receiver"][call])
        found = self.of_group(receiver, 0) if receiver != NONE else ()
        if any(found) or receiver != NONE:
            return found or ("",)
        return self.of_list(call, 0) or ("",)

    def of_group(self, value: int, depth: int) -> tuple[str, ...]:
        """The prefixes of all that is registered on a value."""
        rep = self.callers.reps[value]
        known = self.known.get(rep)
        if known is None:
            self.known[rep] = ()  # a group in itself
            known = self._of_group(value, depth)
            if depth == 0:
                self.known[rep] = known
            else:
                del self.known[rep]
        return known

    def _of_group(self, value: int, depth: int) -> tuple[str, ...]:
        callers = self.callers
        ends = ""  # what is between the group and what was registered
        for _ in range(MAX_GUARD_STEPS):
            op, data = callers.op[value], callers.data[value]
            if op == Op.POST:
                value = self.args.value[data]
            elif op == Op.CALL:
                ends = joined(self.prefix_of(data), ends)
                receiver = int(self.tables["calls"]["receiver"][data])
                mounts = self.of_mounts(value, depth)
                if mounts:
                    return tuple(joined(each, ends) for each in mounts)
                if receiver == NONE:
                    return (ends,)
                value = receiver
            elif op == Op.PARAMETER:
                captured = callers.captured.get(value)
                if captured is not None:
                    value = captured
                    continue
                outer = (*self.of_callback(value, depth), *self.of_parameter(value, depth))
                return tuple(sorted({joined(each, ends) for each in outer})) or (ends,)
            else:
                before = callers.before(value)
                if before in (NONE, value):
                    mounts = self.of_mounts(value, depth)
                    return tuple(joined(each, ends) for each in mounts) or (ends,)
                value = before
        return (ends,)

    def of_mounts(self, value: int, depth: int) -> tuple[str, ...]:
        """The prefixes of the places where a group is mounted; none where it is mounted nowhere."""
        if depth == MAX_GUARD_DEPTH:
            return ()
        return self.of_uses(self.callers.arguments_anywhere(value), depth)

    def of_uses(self, uses: Iterable[tuple[int, int]], depth: int) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for call, row in sorted(set(uses)):
            prefix = self.mounted_at(call, row)
            if prefix is None:
                continue
            receiver = int(self.tables["calls"]["receiver"][call])
            for each in (self.of_group(receiver, depth + 1) or ("",)) if receiver != NONE else self.above(call, depth):
                found[joined(each, prefix)] = None
        return tuple(sorted(found))[:MAX_PREFIXES]

    def above(self, call: int, depth: int) -> tuple[str, ...]:
        return self.of_list(call, depth + 1) or ("",)

    def mounted_at(self, call: int, row: int) -> str | None:
        """What a call that is given a group puts before it; None where the call mounts nothing."""
        for each in self.args.of(call):
            if each != row and (prefix := self.prefix_in(each)) is not None:
                return prefix
        text = self.beginning(call)
        has_receiver = int(self.tables["calls"]["receiver"][call]) != NONE
        if text is not None and (has_receiver or self.port(call) is not None):
            return text
        name = self.name_of(call)
        is_mount = has_receiver and MOUNTS.search(name) and not name.startswith("init")  # ``extension.init_app(app)``
        return "" if is_mount else None

    def of_callback(self, value: int, depth: int) -> tuple[str, ...]:
        """The prefixes of the groups on which a callback is registered that gets one of its own:
        ``r.Route("/a", func(r chi.Router) { ... })``, ``app.register(users, { prefix: "/a" })``.
        """
        if depth == MAX_GUARD_DEPTH:
            return ()
        found: dict[str, None] = {}
        for call, row in self.callers.uses_of(int(self.callers.function[value]))[:MAX_GUARD_USES]:
            receiver = int(self.tables["calls"]["receiver"][call])
            if receiver == NONE:
                continue
            stated = [text for each in self.args.of(call) if each != row and (text := self.prefix_in(each)) is not None]
            text = next(iter(stated or self.leading_text(call)), "")
            own = text if stated or text.startswith("/") else ""
            found.update((joined(each, own), None) for each in self.of_group(receiver, depth + 1) or ("",))
        return tuple(sorted(found))[:MAX_PREFIXES]

    def of_parameter(self, value: int, depth: int) -> tuple[str, ...]:
        """The prefixes of what the program gives to a parameter: ``register(app.group("/a"))``."""
        position = self.callers.positions.get(value)
        if depth == MAX_GUARD_DEPTH or position is None:
            return ()
        sites = [self.callers.data[each] for each in self.callers.direct_sites(int(self.callers.function[value]))]
        given = [
            self.args.value[row]
            for call in sites[:MAX_GUARD_USES]
            for row in self.args.of(call)
            if self.args.position[row] == position
        ]
        return tuple(sorted({each for value in given for each in self.of_group(value, depth + 1)}))[:MAX_PREFIXES]

    def of_list(self, call: int, depth: int) -> tuple[str, ...]:
        """The prefixes of a route that a call makes and a list holds: of the calls that the list, or the name of the
        module that it stands in, is given to.
        """
        if depth == MAX_GUARD_DEPTH:
            return ()
        result = int(self.tables["calls"]["result"][call])
        uses = list(self.callers.arguments_of(result))
        for row in self.callers.by_stored.of(self.callers.reps[result])[:MAX_GUARD_USES].tolist():
            uses += self.callers.arguments_anywhere(int(self.tables["stores"]["object"][row]))
        uses += self.given_modules.get(int(self.program.file_of_value[result]), ())
        found: dict[str, None] = {}
        for including, row in uses:
            own = self.mounted_at(including, row)
            if own:
                found.update((joined(each, own), None) for each in self.above(including, depth))
                continue
            made = int(self.tables["calls"]["result"][including])
            for mounting, at in self.callers.arguments_of(made):
                prefix = self.mounted_at(mounting, at)
                if prefix is not None and mounting != including:
                    found.update((joined(each, prefix), None) for each in self.above(mounting, depth))
        return tuple(sorted(found))[:MAX_PREFIXES]

    @cached_property
    def given_modules(self) -> dict[int, list[tuple[int, int]]]:
        """By file: the calls that are given the name of its module as a text, ``include("shop.urls")``."""
        endings: dict[str, list[int]] = {}
        for number, each in enumerate(self.program.files):
            stem = each.path.rpartition(".")[0].removesuffix("/__init__").split("/")
            for first in range(max(0, len(stem) - MAX_GUARD_DEPTH - 2), len(stem)):
                endings.setdefault(".".join(stem[first:]), []).append(number)
        values = self.tables["values"]
        found: dict[int, list[tuple[int, int]]] = {}
        texts: dict[int, list[int]] = {}
        for number, text in enumerate(self.program.strings):
            if text[:1] == TEXT and "." in text and (files := endings.get(text[1:])) is not None:
                texts[number] = files
        if texts:
            is_name = (values["op"] == int(Op.CONST)) & among(values["data"], list(texts))
            for value in np.flatnonzero(is_name).tolist():
                own = int(self.program.file_of_value[value])
                for file in texts[int(values["data"][value])]:
                    if file != own:
                        found.setdefault(file, []).extend(self.callers.arguments_of(value))
        return {file: sorted(set(uses)) for file, uses in found.items()}

    @cached_property
    def common(self) -> str:
        """The beginning of all routes of classes: ``app.setGlobalPrefix("api")``; "" where none is stated."""
        names = [number for number, name in enumerate(self.program.strings) if COMMON_PREFIX.match(name)]
        calls = np.flatnonzero(among(self.tables["calls"]["name"], names)).tolist() if names else ()
        return next((text for call in calls for text in self.leading_text(call)), "")

    def of_class(self, owner: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where a class is given to a call, as it is or as its handler."""
        return self.given_classes.get(owner, [])

    @cached_property
    def given_classes(self) -> dict[int, list[tuple[int, int]]]:
        """By class: the arguments that are it, or made of it by one of its methods: ``View.as_view()``."""
        callers = self.callers
        found: dict[int, list[tuple[int, int]]] = {}
        positions, calls = self.tables["arguments"]["position"], self.tables["arguments"]["call"]
        rows = np.flatnonzero(positions != RECEIVER)
        reps = callers.resolution.representative[self.tables["arguments"]["value"]][rows]
        owners = {rep: classes for rep in distinct(reps).tolist() if (classes := self.classes_in(rep))}
        for row in rows[among(reps, list(owners))].tolist():
            for each in owners[int(callers.resolution.representative[self.tables["arguments"]["value"][row]])]:
                found.setdefault(each, []).append((int(calls[row]), row))
        return found

    def classes_in(self, rep: int) -> list[int]:
        found = subjects(self.callers.resolution.states_of(rep), CLASS)
        if not found and self.callers.op[rep] == Op.CALL:
            receiver = int(self.tables["calls"]["receiver"][self.callers.data[rep]])
            if receiver != NONE:
                found = subjects(self.callers.resolution.states_of(receiver), CLASS)
        return found
