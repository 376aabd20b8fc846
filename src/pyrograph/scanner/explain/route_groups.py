"""Groups of routes and routers: checks that hold for all that is registered on an object, or behind its mount."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import KIND, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_STEPS, MAX_GUARD_USES
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.requests import APPLIES, LATER_STAGES, MOUNTS, MOUNTS_ALONE, OF_PARAMETERS
from pyrograph.policy.routes import METHODS
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, MODULE
from pyrograph.scanner.explain.access_checks import NAMED, NAMES, SHOWN, UNKNOWN, AccessChecks
from pyrograph.scanner.explain.asked_handler import Handler
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.uses import NAME

REST: Final = re.compile(r"[*/]+$|/?(?:\{[*]\w+\}|[*]\w+|[{]\w+:path[}]|\(\.[*]\))/?$")  # any rest of a path
EXACT: Final = METHODS | {"all"}  # calls that register what they are given for one path
Route = tuple[str, str]  # the path under which something is registered, and the name of the call that does it


@dataclass(slots=True)
class _Answers:
    """What was found out for one question."""

    # by call on a group, and the handler where a check may let that one pass: ``_of_applied``
    applied: dict[tuple[int, Handler | None], tuple[tuple[str, ...], int]] = field(default_factory=dict)
    # ``of_handed_over``: by parameter, route and depth, and the handler where a check may let that one pass
    handed_over: dict[tuple[tuple[int, Route, int], Handler | None], int] = field(default_factory=dict)
    set_up: dict[tuple[int, int], list[int]] = field(default_factory=dict)  # by function and parameter: ``checks_in``
    by_default: dict[int, int] = field(default_factory=dict)  # by version that joins others: ``applied_by_default``
    plain: dict[int, int] = field(default_factory=dict)  # by version of a group: an earlier one that shows the same


class RouteGroups(AccessChecks):
    """Evidence from the object on which a handler is registered."""

    def __init__(self, regions: Regions, args: Arguments, checks: dict[str, frozenset[int]]) -> None:
        super().__init__(regions, args, checks)
        # for all questions
        self.mounts: dict[int, list[tuple[int, int]]] = {}  # by what makes a router: ``mounts_of``
        self.groups: dict[int, list[int]] = {}  # by parameter: ``groups_for``
        self.branched: dict[int, int] = {}  # by version that joins others: ``before_branches``

    def forget(self) -> None:
        super().forget()
        self.answers = _Answers()

    def route_of(self, call: int) -> str:
        """The path that a registering call names, below those of the groups on which it is made, as far as these are
        constants: ``app.Group("/api/mods").GET("/:id", show)``.
        """
        path = super().route_of(call)
        for _ in range(MAX_GUARD_DEPTH):
            receiver = int(self.tables["calls"]["receiver"][call])
            made = self.first_of(receiver) if receiver != NONE else NONE
            if made == NONE or self.op[made] != Op.CALL:
                break
            call = self.data[made]
            prefix = self.path_of(call)
            if prefix.startswith("/"):
                path = prefix.rstrip("/") + "/" + path.lstrip("/") if path else prefix
        return path

    def of_receiver(self, call: int, depth: int = 0) -> int:
        """Evidence from the object on which a handler is registered: what was called on it before, what it was made
        with, and where it is mounted.
        """
        receiver = int(self.tables["calls"]["receiver"][call])
        route = self.path_of(call), self.name_of(call).lower()
        return UNKNOWN if receiver == NONE else self.of_group(receiver, route, set(), depth)

    def of_given_groups(self, call: int, but: int) -> int:
        """Evidence from a group that a call of the program is given with a handler: ``register(group, handlers)``."""
        found = UNKNOWN
        if self.regions.functions_of(call):
            for row in self.args.of(call):
                value = self.args.value[row]
                if row != but and found < SHOWN and self.op[value] in NAMES and self.args.position[row] != RECEIVER:
                    found = max(found, self.of_group(value, ("", ""), set(), 1))
        return found

    def of_group(self, value: int, route: Route, seen: set[int], depth: int) -> int:
        """Evidence for what a call registers on a group under ``route``; ``seen``: the versions asked before."""
        found = UNKNOWN
        calls = self.tables["calls"]
        # ends: ``seen`` grows, but for versions whose call is plain, and those are made ever earlier
        while (value := self.before_plain(value)) not in seen and len(seen) < MAX_GUARD_STEPS:
            seen.add(value)
            op, data = self.op[value], self.data[value]
            is_library = op == Op.IMPORT and bool(self.nodes(value))  # whose decorators put nothing before handlers
            hooks = [] if is_library else self.hooks_on(value)
            found = max(found, max((self.of_check(each, 0) for each in hooks), default=UNKNOWN))
            if op == Op.POST:
                call = int(self.tables["arguments"]["call"][data])
                if self.args.position[data] == RECEIVER:
                    found = max(found, self.of_applied(call, route))
                    if not hooks and self.is_plain(call):
                        self.answers.plain[value] = self.args.value[data]
                        seen.discard(value)
                else:
                    found = max(found, self.of_setup(call, self.args.position[data], route))
                value = self.args.value[data]
            elif op == Op.CALL:
                found = max(found, self.of_all_arguments(data), self.of_builder(data))
                found = max(found, self.of_mounts(value, route[1], seen, depth))
                value = int(calls["receiver"][data])
            elif op == Op.PARAMETER:
                ask = partial(self.of_handed_over, value, route, depth)
                found = max(found, self.asked.once(self.answers.handed_over, (value, route, depth), ask))
                value, made = self.outside(value)
                found = max(found, made)
            elif op == Op.PHI and (applied := self.applied_by_default(value)) != NONE:
                value = applied
            else:
                if op in NAMES:
                    name = NAME.search(self.text(value))
                    if name is not None and self.question.is_group(name[0]):
                        found = max(found, NAMED)
                common = self.before_branches(value) if op == Op.PHI else NONE
                value = common if common != NONE else self.before(value)
                if value == NONE and op == Op.LOAD:  # ``app.router.add_get("/", show)``
                    of = int(self.tables["loads"]["object"][data])
                    value = of if self.nodes(of) else NONE
            if value == NONE or found == SHOWN:
                break
        return found

    def before_branches(self, joined: int) -> int:
        """The version of a group from which all come that are joined: what was applied on it holds whatever way was
        taken since, ``group.Use(isAdmin); if cfg.Audit { group.Use(audit) }``. NONE if it is not found.
        """
        known = self.branched.get(joined)
        if known is None:
            known = self.branched[joined] = self._before_branches(joined)
        return known

    def _before_branches(self, joined: int) -> int:
        seen = {joined}
        work = set(self.origins(joined)) - seen
        for _ in range(MAX_GUARD_STEPS):  # a version is made after those that it comes from, but in loops
            if len(work) < 2:
                break
            last = max(work)
            work.discard(last)
            seen.add(last)
            earlier = self.origins(last) if self.op[last] in (Op.PHI, Op.CARRY) else [self.version_before(last)]
            if NONE in earlier or not earlier:
                return NONE
            work.update(each for each in earlier if each not in seen)
        return work.pop() if len(work) == 1 else NONE

    def version_before(self, value: int) -> int:
        """The version of an object that a call or a store made another one of; NONE of other values."""
        if self.op[value] == Op.POST:
            return self.args.value[self.data[value]]
        return self.before(value) if self.op[value] in (Op.PI, Op.STORE) else NONE

    def applied_by_default(self, joined: int) -> int:
        """The version of a group on which a check is applied, where a setting that is on by default decides whether it
        is: ``login := true; ...; if login && tokens != nil { group.Use(required(tokens)) }``. NONE for others.
        """
        known = self.answers.by_default.get(joined)
        if known is None:
            known = self._applied_by_default(joined) if self.question.refuses is not None else NONE
            self.answers.by_default[joined] = known
        return known

    def _applied_by_default(self, joined: int) -> int:
        versions = [joined]
        for each in versions:  # grows by what ways join, to the bound
            if self.op[each] == Op.PHI and len(versions) <= MAX_GUARD_USES:
                versions += [one for one in self.origins(each) if one not in versions]
        applied = [each for each in versions if self.op[each] == Op.POST]
        last = max(applied, default=NONE)
        if last == NONE or self.args.position[self.data[last]] != RECEIVER:
            return NONE
        if len({self.first_of(each) for each in versions if self.op[each] != Op.PHI}) > 1:
            return NONE
        call = int(self.tables["arguments"]["call"][self.data[last]])
        return last if self.regions.runs_by_default(int(self.tables["calls"]["result"][call])) else NONE

    def before_plain(self, value: int) -> int:
        """The version of a group before the calls on it that are known to show nothing. Amortised: nearly constant."""
        walked = []
        while (before := self.answers.plain.get(value, NONE)) != NONE:  # each is made before the one that follows it
            walked.append(value)
            value = before
        for each in walked:
            self.answers.plain[each] = value
        return value

    def of_setup(self, call: int, position: int, route: Route) -> int:
        """Evidence from what a function of the program calls on the group that it is given before: ``setup(app)``."""
        functions = self.regions.functions_of(call)
        if len(functions) != 1 or position < 0:
            return UNKNOWN
        return max((self.of_applied(each, route) for each in self.checks_in(functions[0], position)), default=UNKNOWN)

    def checks_in(self, function: int, position: int) -> list[int]:
        """The calls on a parameter of ``function`` that apply a check to it. Linear in the function's calls, once."""
        known = self.answers.set_up.get((function, position))
        if known is None:
            known = self.answers.set_up[function, position] = []
            before, self.asked.handler = self.asked.handler, ("", "")
            parameters = self.tables["parameters"]
            rows = self.by_owner.of(function)
            versions = set(parameters["value"][rows[parameters["position"][rows] == position]].tolist())
            for call in self.regions.calls_in(function):
                for row in self.args.of(call):
                    if self.args.value[row] in versions:
                        versions.add(self.args.post[row])
                        if self.args.position[row] == RECEIVER and self._of_applied(call)[1] != UNKNOWN:
                            known.append(call)
            self.asked.handler = before
        return known

    def of_handed_over(self, parameter: int, route: Route, depth: int) -> int:
        """Evidence from all groups that calls of a function give to its parameter."""
        groups = self.groups_for(parameter) if depth < MAX_GUARD_DEPTH else ()
        found = SHOWN if groups else UNKNOWN
        for each in groups:
            if found > UNKNOWN:  # one open group is enough
                found = min(found, self.of_group(each, route, set(), depth + 1))
        return found

    def groups_for(self, parameter: int) -> list[int]:
        """What the calls of a function give to its parameter; nothing if one of them, or their number, is unknown."""
        known = self.groups.get(parameter)
        if known is None:
            position, function = self.positions.get(parameter), int(self.function[parameter])
            sites = self.direct_sites(function) or self.sites_by_key(function) if position is not None else []
            rows = [row for site in sites for row in self.args.of(self.data[site])]
            known = [self.args.value[row] for row in rows if self.args.position[row] == position]
            if not len(sites) == len(known) <= MAX_GUARD_USES:
                known = []
            self.groups[parameter] = known
        return known

    def sites_by_key(self, function: int) -> list[int]:
        """The results of the calls of what is kept under the names under which a function is kept, if nothing else is
        done with it: ``Module{Routes: register}``, where something calls ``module.Routes(group)``.
        """
        value, stores = int(self.tables["functions"]["value"][function]), self.tables["stores"]
        if value == NONE or self.uses_of(function):
            return []
        rows = [row for place in self.places_of(self.reps[value]) for row in self.by_stored.of(place).tolist()]
        keys = {int(stores["key"][row]) for row in rows[:MAX_GUARD_USES]}
        if not keys or min(keys) < 0:
            return []
        calls = self.tables["calls"]
        sites = np.flatnonzero(among(calls["name"], sorted(keys)) & (calls["receiver"] >= 0))
        own = [site for site in calls["result"][sites].tolist() if not self.is_in_test(site)]
        return own if len(own) <= MAX_GUARD_USES else []

    def of_builder(self, call: int) -> int:
        """Evidence from a function of the program that makes a group or a builder."""
        name = NAME.search(self.called(call))
        return NAMED if name is not None and self.question.is_group(name[0]) else UNKNOWN

    def of_applied(self, call: int, route: Route) -> int:
        """Evidence from a call on the group before: of a check alone, for all that is registered later."""
        paths, found = self.asked.once(self.answers.applied, call, partial(self._of_applied, call))
        if not found:
            return UNKNOWN
        path, by = route
        name = self.name_of(call).lower()
        if OF_PARAMETERS.search(name) or (name in METHODS and name != by):
            return UNKNOWN
        return found if not paths or any(covers(each, path, name in EXACT) for each in paths) else UNKNOWN

    def is_plain(self, call: int) -> bool:
        """Whether ``of_applied`` found that a call shows nothing, whatever is registered after it."""
        known = self.answers.applied.get((call, None))
        return known is not None and known[1] == UNKNOWN

    def _of_applied(self, call: int) -> tuple[tuple[str, ...], int]:
        """The paths that a call on a group names, none for all, and the evidence for what is registered there later."""
        rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
        if not rows or self.reps[int(self.tables["calls"]["result"][call])] in self.used:
            return (), UNKNOWN  # what is called on its result is behind the check, and nothing else
        if MOUNTS_ALONE.fullmatch(self.name_of(call)):
            return (), UNKNOWN  # what a router asks of its own handlers
        first = self.args.value[rows[0]]
        paths = self.paths_in(first)
        if any(map(LATER_STAGES.search, paths)):
            return (), UNKNOWN  # it runs when the handler is done
        applies = APPLIES.fullmatch(self.name_of(call)) is not None
        if len(rows) > 1 and not applies and self.of_check(self.args.value[rows[-1]], 0) == UNKNOWN:
            return (), UNKNOWN  # what follows a check in one call is what is checked
        if len(rows) > 1 and not paths and not self.may_be_middleware(first):
            return (), UNKNOWN  # a path that is not known
        if self.args.position[rows[-1]] == NONE and len(rows) > (2 if paths else 1):
            return (), UNKNOWN  # ``include_router(router, dependencies=[...])``: the check is that router's alone
        checks = [self.args.value[row] for row in (rows[1:] if paths else rows)]
        is_below = any(each.startswith("/") for each in paths)
        going_on = [each for each in checks if not is_below or self.may_continue(each)]
        return paths, max((self.of_check(each, 0) for each in going_on), default=UNKNOWN)

    def paths_in(self, value: int) -> tuple[str, ...]:
        """The constants that an argument is, or that are in a literal list."""
        rep = self.reps[value]
        members = self.stored_in(rep)[:MAX_GUARD_USES] if self.op[rep] == Op.NEW else [value]
        return tuple(text for text in map(self.constant, members) if text)

    def may_be_middleware(self, value: int) -> bool:
        """Whether the first of several arguments may be a function: one of the program, what a call returns, what
        another package holds, or a list of such. Other values are paths that the program puts together.
        """
        if any(state & KIND in (FUNCTION, CLASS) for state in self.resolution.states_of(value)):
            return True
        at = self.reps[value]
        if self.op[at] == Op.NEW:
            return all(self.may_be_middleware(each) for each in self.stored_in(at)[:MAX_GUARD_USES])
        is_called = False
        for _ in range(MAX_GUARD_STEPS):
            kept = self.kept_in_module(at)
            if kept != NONE:
                at = kept
            elif self.op[at] == Op.LOAD:
                at = self.reps[int(self.tables["loads"]["object"][self.data[at]])]
            elif self.op[at] == Op.CALL and not self.regions.functions_of(self.data[at]):
                is_called, at = True, self.reps[int(self.tables["calls"]["callee"][self.data[at]])]
            else:
                break
        if self.op[at] == Op.IMPORT:
            return not self.is_module(at)  # what a file of the program holds under a name is known, or no function
        return is_called and self.op[at] in NAMES

    def kept_in_module(self, value: int) -> int:
        """The one value that a file of the program holds under a name by which another file reads it; else NONE."""
        if self.op[value] == Op.LOAD and not self.is_module(int(self.tables["loads"]["object"][self.data[value]])):
            return NONE
        kept = self.before(value) if self.op[value] in (Op.LOAD, Op.IMPORT) else NONE
        return self.reps[kept] if kept not in (NONE, value) else NONE

    def is_module(self, value: int) -> bool:
        """Whether a value is a file of the program."""
        return any(state & KIND == MODULE for state in self.resolution.states_of(value))

    def hooks_on(self, made: int) -> list[int]:
        """The functions that a method of the group decorates: ``@blueprint.before_request``."""
        places = self.places_of(self.reps[made]) if self.hooks else ()
        calls = [call for place in places for call in self.hooks.get(place, ())[:MAX_GUARD_USES]]
        return [self.args.value[row] for call in calls if not self.is_of_handler(call) for row in self.args.of(call)]

    def is_of_handler(self, call: int) -> bool:
        """Whether a decorator stands above or below one that registers the same function at a path: it says something
        of that handler, ``@limiter.exempt``, and nothing runs before others.
        """
        results = self.tables["calls"]["result"]
        above = below = call
        for _ in range(MAX_GUARD_DEPTH):
            further = [each for each, _ in self.arguments_of(int(results[above])) if self.is_decorator(each)]
            given = [self.reps[self.args.value[row]] for row in self.args.of(below)]
            inner = [self.data[each] for each in given if self.op[each] == Op.CALL]
            inner = [each for each in inner if self.is_decorator(each)]
            if any(map(self.is_at_path, (*further, *inner))):
                return True
            if not further and not inner:
                return False
            above, below = (*further, above)[0], (*inner, below)[0]
        return False

    def is_at_path(self, decorator: int) -> bool:
        """Whether a decorator was made with a path: ``@app.route("/notes")``."""
        callee = self.reps[int(self.tables["calls"]["callee"][decorator])]
        return self.op[callee] == Op.CALL and self.path_of(self.data[callee]).startswith("/")

    def may_continue(self, value: int) -> bool:
        """Whether what is registered for a path goes on to what follows, as middleware does and a handler does not."""
        if self.op[self.reps[value]] == Op.CALL:
            return True
        functions = subjects(self.resolution.states_of(value), FUNCTION)
        inside = [inner for each in functions for inner in self.nest(each)]
        return not functions or any(self.continues(call) for each in inside for call in self.regions.calls_in(each))

    def of_mounts(self, made: int, by: str, seen: set[int], depth: int) -> int:
        """Evidence from all places where a router is mounted, for what the call named ``by`` registers on it."""
        if depth == MAX_GUARD_DEPTH:
            return UNKNOWN
        found = []
        for call, row in self.mounts_of(self.reps[made]):
            mounted = max(self.of_arguments(call, row), self.of_callee(call, depth + 1))
            mounted = max(mounted, self.of_place(int(self.tables["calls"]["result"][call])))
            receiver, result = (int(self.tables["calls"][name][call]) for name in ("receiver", "result"))
            if mounted < SHOWN and receiver != NONE:
                mounted = max(mounted, self.of_group(receiver, (self.path_of(call), by), set(seen), depth + 1))
            elif mounted < SHOWN and result not in seen:  # what a function made of the router is mounted
                mounted = max(mounted, self.of_mounts(result, by, seen | {result}, depth + 1))
            found.append(mounted)
        return min(found, default=UNKNOWN)

    def of_place(self, value: int) -> int:
        """Evidence from where a router is mounted; for users there is none: a mount runs before there are any."""
        return UNKNOWN

    def mounts_of(self, made: int) -> list[tuple[int, int]]:
        """(call, row of the argument) where a router is mounted; where it is given to any call, if none mounts it. A
        router that a function returns, ``app.use("/files", require("./files")())``, is what calls of it return.
        """
        known = self.mounts.get(made)
        if known is None:
            known = self.mounts[made] = self.direct_mounts(made) or self.returned_mounts(made)
            if not known:
                known = self.mounts[made] = self.arguments_anywhere(made)
        return known

    def direct_mounts(self, made: int) -> list[tuple[int, int]]:
        uses = self.arguments_anywhere(made)
        return [use for use in uses if MOUNTS.search(self.called(use[0]).rpartition(".")[2])]

    def returned_mounts(self, made: int) -> list[tuple[int, int]]:
        """Where what the calls return is mounted whose function returns ``made``; none where one of them is not."""
        found: list[tuple[int, int]] = []
        work = [made]
        for each in work:  # grows by calls, each once, to the bound
            sites = self.sites_returning(each)
            if not sites or len(work) + len(sites) > MAX_GUARD_USES:
                return []
            for site in sites:
                mounts = self.direct_mounts(site)
                found += mounts
                if not mounts and site not in work:
                    work.append(site)
        return found

    def sites_returning(self, made: int) -> list[int]:
        """The calls, by their results, of the function around ``made``, if it returns that and is called by its name
        alone; else none. Linear in the versions of what it returns.
        """
        function = int(self.function[made])
        versions = [self.first_of(each) for each in self.origins(int(self.tables["functions"]["result"][function]))]
        is_test, results = self.is_in_test(made), self.tables["calls"]["result"]
        given = [call for call, _ in self.uses_of(function) if is_test or not self.is_in_test(int(results[call]))]
        if made not in versions or given:
            return []
        sites = [self.reps[site] for site in self.direct_sites(function)]
        return sites if is_test else [site for site in sites if not self.is_in_test(site)]

    def is_in_test(self, value: int) -> bool:
        """Whether a value stands in a test: what one does with functions elsewhere says nothing about their callers."""
        return self.tests[int(self.program.file_of_value[value])]

    @cached_property
    def tests(self) -> list[bool]:
        """By file: whether it is a test."""
        return [TEST_PATHS.search(file.path) is not None for file in self.program.files]

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


def covers(prefix: str, path: str, is_exact: bool) -> bool:
    """Whether a check that is registered for ``prefix`` runs before what is registered for ``path``.

    >>> covers("/admin", "/admin/users", False), covers("/admin", "/admin/users", True), covers("/a", "/b", False)
    (True, False, False)
    """
    if not prefix.startswith("/"):
        return True
    whole = REST.sub("", prefix)
    if whole == prefix and is_exact:
        return path == prefix  # a route, of which what lies below is no part
    return f"{path}/".startswith(whole + "/")
