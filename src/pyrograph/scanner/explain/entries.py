"""Entry points: by which handlers and routes requests reach code, and whom the program lets in there.

A function is a handler if a call registers it, a literal with a route holds it, a framework finds it by the file that
exports it, or it is a method of a class for which this is so. What is no handler itself is reached through its callers.
Computed for the functions around sources that are reported, so a scan without findings pays nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.kernels.arrays import among, distinct
from pyrograph.model.entry import Access, EntryPoint, Parameter, Where
from pyrograph.model.place import Place
from pyrograph.model.words import parameter_of
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import (
    MAX_ENTRIES,
    MAX_ENTRY_CALLERS,
    MAX_GUARD_DEPTH,
    MAX_GUARD_STEPS,
    MAX_GUARD_USES,
    SHARED_HANDLER,
)
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.policy.routes import (
    BODY_MEMBERS,
    COOKIE_MEMBERS,
    FILE_NAMES,
    FILE_ROOTS,
    GROUPING,
    HEADER_MEMBERS,
    METHODS,
    MIDDLEWARE,
    PATH_MEMBERS,
    QUERY_MEMBERS,
    UPLOAD_MEMBERS,
)
from pyrograph.rules.entries import Api, ParameterType, Sink, Source
from pyrograph.rules.kinds import MESSAGE_KINDS, REQUEST_KINDS
from pyrograph.scanner.analysis.api_roles import Entry, parameters_of
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION
from pyrograph.scanner.explain.callers import SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.routing import Routing
from pyrograph.scanner.explain.stated_routes import Route, joined, methods_of_action
from pyrograph.scanner.explain.uses import qualified_name

KINDS: dict[str, Where] = {
    "json": "body", "form": "body", "route": "path", "header": "header", "cookie": "cookie", "upload": "upload",
}  # fmt: skip
MEMBERS: tuple[tuple[re.Pattern[str], Where], ...] = (
    (UPLOAD_MEMBERS, "upload"),
    (COOKIE_MEMBERS, "cookie"),
    (HEADER_MEMBERS, "header"),
    (QUERY_MEMBERS, "query"),
    (BODY_MEMBERS, "body"),
    (PATH_MEMBERS, "path"),
)
READ = re.compile(  # behind a source, the name of the part that is read
    r"""(?:\??\.\s*(?:get\w*|Get\w*|value|Value|param|has|pop)\s*)?\(\s*["'`](?P<asked>[^"'`]+)["'`]"""
    r"""|(?:\?\.)?\[\s*["'`](?P<key>[^"'`]+)["'`]"""
    r"""|\??\.(?P<member>[A-Za-z_$][\w$]*)(?!\w*\()"""
)
GIVEN = re.compile(r"""\(\s*(?:[\w.$]+\s*,\s*)?["'`](?P<name>[^"'`]+)["'`]""")  # in a source that is a call


class Entries:
    """Answers for one program, kept by function."""

    def __init__(
        self, callers: Callers, members: Callers, routing: Routing, no_requests: frozenset[Api] = frozenset()
    ) -> None:
        """
        Args:
            callers: Who knows which code runs for administrators only.
            members: The same for people with an account.
            routing: Which routes calls register.
            no_requests: Types of parameters of exported functions that frameworks call for no request.
        """
        self.callers = callers
        self.members = members
        self.routing = routing
        self.no_requests = no_requests
        self.program = callers.program
        self.tables = callers.tables
        self.known: dict[int, tuple[EntryPoint, ...]] = {}
        self.registered: dict[int, list[Route]] = {}  # by call: ``through`` of it, asked at first
        self.stating: dict[int, list[Route]] = {}  # by literal: ``of_literal``
        self.calling: dict[int, list[int]] = {}  # by function: ``reaching``

    def of_value(self, value: int) -> tuple[EntryPoint, ...]:
        """The entry points from which requests reach the code that computes ``value``, nearest first."""
        found: dict[EntryPoint, None] = {}
        for function in self.outwards(int(self.callers.function[value])):
            found.update((each, None) for each in self.of_function(function))
            if len(found) >= MAX_ENTRIES:
                break
        return tuple(found)[:MAX_ENTRIES]

    def outwards(self, start: int) -> Iterator[int]:
        """A function and those from which it is reached, nearest first, to the bound; not past those with a route."""
        work, seen = [start], {start}
        for function in work:  # grows by callers, to the bound
            yield function
            if not self.of_function(function):
                further = [each for each in self.reaching(function) if each not in seen]
                further = further[: max(0, MAX_ENTRY_CALLERS - len(work))]
                work += further
                seen.update(further)

    def reaching(self, function: int) -> list[int]:
        """The functions that call a function; where none does, the one that it stands in."""
        known = self.calling.get(function)
        if known is None:
            known = self.calling[function] = self._reaching(function)
        return known

    def _reaching(self, function: int) -> list[int]:
        sites = self.callers.resolution.rows("targets")[self.callers.callers.of(function), 0].tolist()
        results = self.tables["calls"]["result"]
        found = {int(self.callers.function[int(results[site])]) for site in sites if site < len(results)}
        parent = int(self.tables["functions"]["parent"][function])
        if not found and parent != NONE:
            found = {parent}
        return sorted(found - {function})

    def all(self) -> list[tuple[int, tuple[EntryPoint, ...]]]:
        """All functions that requests reach at once, by number, with their entry points. Those of tests and examples
        are left out, unless nothing else is scanned.
        """
        found = [(function, self.of_function(function)) for function in self.handlers()]
        found = [(function, own) for function, own in found if own and self.is_listed(function, own)]
        of_users = [(function, own) for function, own in found if not self.is_development(function)]
        found = of_users or found
        # what runs before many handlers stands under all their routes
        routes = {function: len(own) for function, own in found}
        least: dict[tuple[str, tuple[str, ...]], int] = {}
        for function, own in found:
            for each in own:
                name = each.route, each.methods
                least[name] = min(least.get(name, routes[function]), routes[function])
        kept = [
            (
                function,
                tuple(each for each in own if routes[function] < SHARED_HANDLER * least[each.route, each.methods]),
            )
            for function, own in found
        ]
        return [(function, own) for function, own in kept if own]

    def handlers(self) -> list[int]:
        """The functions that may be handlers, ascending: a call or a literal registers them, a framework finds them, or
        their class is registered. Middleware and makers of handlers are left out.
        """
        owners = self.tables["functions"]["owner"]
        chosen = {each.function for each in self.callers.resolution.entry_points if each.function in self.by_function}
        chosen |= {function for function, calls in self.callers.given.items() if self.registers(calls)}
        chosen |= {function for function, literals in self.callers.listed.items() if self.describes(literals)}
        served = [owner for owner in distinct(owners).tolist() if owner != NONE and self.is_served(owner)]
        chosen |= set(np.flatnonzero(among(owners, served)).tolist())
        chosen = {each for each in chosen if not self.is_wrapper(each) and not self.makes_function(each)}
        return [each for each in sorted(chosen) if not self.is_middleware(each)]

    def is_development(self, function: int) -> bool:
        """Whether a function stands in a test, an example or the like."""
        functions = self.tables["functions"]
        file = self.program.files[int(self.program.file_of_value[int(functions["result"][function])])]
        return DEVELOPMENT_PATHS.search(file.path) is not None or language_of(file.language).is_test_file(file.path)

    def is_listed(self, function: int, own: Sequence[EntryPoint]) -> bool:
        """Whether an entry point has a route, a method, or takes messages of other kinds."""
        if any(each.route or each.methods for each in own):
            return True
        kinds = {entry.kind for entry, _ in self.by_function.get(function, ()) if isinstance(entry, Source)}
        return not kinds.isdisjoint(MESSAGE_KINDS)

    def is_wrapper(self, function: int) -> bool:
        """Whether a function is made around another one, as decorators and middleware do."""
        functions = self.tables["functions"]
        parent = int(functions["parent"][function])
        if parent == NONE or int(functions["parent"][parent]) == NONE:
            return False
        own = pack_state(FUNCTION, function)
        if own not in self.callers.resolution.states_of(int(functions["result"][parent])):
            return False
        sites = self.callers.resolution.rows("targets")[self.callers.callers.of(parent), 0].tolist()
        results = self.tables["calls"]["result"]
        return any(
            self.routing.is_code(row)
            for site in sites[:MAX_GUARD_USES]
            if site < len(results)
            for row in self.routing.args.of(site)
        )

    def makes_function(self, function: int) -> bool:
        """Whether a function returns one of its own that calls what it was given: a middleware, not a handler."""
        states = self.callers.resolution.states_of(int(self.tables["functions"]["result"][function]))
        inside = {pack_state(FUNCTION, each) for each in self.callers.inside.get(function, ())}
        if inside.isdisjoint(states):
            return False
        given = set(self.tables["parameters"]["value"][self.callers.by_owner.of(function)].tolist())
        return any(
            self.callers.captured.get(self.callee(call)) in given
            for each in self.callers.inside[function]
            for call in self.callers.regions.calls_in(each)
        )

    def callee(self, call: int) -> int:
        """What a call calls, or the object whose method it is."""
        calls = self.tables["calls"]
        receiver = int(calls["receiver"][call])
        return receiver if receiver != NONE else int(calls["callee"][call])

    def is_middleware(self, function: int) -> bool:
        """Whether all calls that register a function give it before the handler, or register no handlers."""
        uses = [use for use in self.callers.uses_of(function) if self.routing.routes(use[0])]
        return bool(uses) and all(
            MIDDLEWARE.search(self.routing.name_of(call))
            or GROUPING.search(self.routing.name_of(call))
            or any(self.may_be_handler(other) for other in self.routing.args.of(call) if other > row)
            for call, row in uses
        )

    def may_be_handler(self, row: int) -> bool:
        """Whether an argument may be a function: no constant, no literal, and not given by name."""
        value = self.callers.reps[self.routing.args.value[row]]
        if self.routing.args.keyword[row] != NONE or self.callers.op[value] in (Op.CONST, Op.NEW):
            return False
        functions = self.callers.functions_in(value)
        return not functions or not all(map(self.makes_function, functions))

    def registers(self, uses: Iterable[tuple[int, int]]) -> bool:
        return any(any(each.path for each in self.of_call(call)) for call in {call for call, _ in uses})

    def describes(self, literals: Sequence[int]) -> bool:
        return any(self.routing.of_literal(each) is not None for each in literals)

    def is_served(self, owner: int) -> bool:
        return bool(self.of_class(owner))

    def of_function(self, function: int) -> tuple[EntryPoint, ...]:
        """The entry points that a function is itself; none where no request reaches it at once."""
        known = self.known.get(function)
        if known is None:
            self.known[function] = ()
            known = self.known[function] = self._of_function(function)
        return known

    def _of_function(self, function: int) -> tuple[EntryPoint, ...]:
        routes = self.routes_of(function)
        if routes is None:
            return ()
        access, shown = self.access(function)
        named = qualified_name(self.program, function)
        place = self.place(function)
        stated = {each for each in routes if each.path} or set(routes) or {Route("")}
        found = {
            EntryPoint(readable(each.path), tuple(sorted(m.upper() for m in each.methods)), named, place, access, shown)
            for each in stated
        }
        return tuple(sorted(found))

    def routes_of(self, function: int) -> list[Route] | None:
        """What a function is registered for, or found by; None where it is no handler."""
        functions = self.tables["functions"]
        if int(functions["parent"][function]) == NONE or self.routing.builds_group(function):
            return None
        routes: list[Route] = []
        for call, _ in self.callers.uses_of(function):
            routes += self.of_call(call)
        for literal in dict.fromkeys((*self.callers.listed.get(function, ()), *self.callers.holding(function))):
            routes += self.of_literal(literal)
        owner = int(functions["owner"][function])
        name = self.callers.strings[int(functions["name"][function])] if functions["name"][function] >= 0 else ""
        if owner != NONE:
            is_known = function in self.by_function
            routes = self.in_class(owner, name, routes, is_known=is_known)
            # the route is not known, but the name of the method says which requests reach it, unless others do as well
            if not routes and is_known and methods_of_action(name) and not self.callers.direct_sites(function):
                routes = [Route("", methods_of_action(name))]
        is_handler = bool(routes)
        for entry, _ in self.by_function.get(function, ()):
            parameters = parameters_of(entry)
            if parameters.by == "export":
                path = self.program.files[int(self.program.file_of_value[int(functions["result"][function])])].path
                methods = methods_of_action(name) or self.routing.stated_methods.in_options(function)
                methods = methods or methods_of_file(path)
                routes.append(Route(route_of_file(path, parameters.files), methods))
            is_handler = True
        if not is_handler:
            return None
        decorated = self.routing.stated_methods.in_decorators(function)
        return [Route(each.path, each.methods or decorated) for each in routes]

    def of_call(self, call: int) -> list[Route]:
        """The routes for which a call registers what it is given; kept, since a call may register many classes."""
        found = self.registered.get(call)
        if found is None:
            found = self.registered[call] = self.through(call, 0)
        return found

    def through(self, call: int, depth: int) -> list[Route]:
        """The routes for which a call registers what it is given, or what it makes of it."""
        routes = self.routing.routes(call)
        is_stated = bool(routes) and (depth > 0 or any(each.path or each.methods for each in routes))
        if is_stated and not self.callers.is_decorator(call):
            return routes
        if depth < MAX_GUARD_DEPTH:
            result = int(self.tables["calls"]["result"][call])
            for place in self.callers.places_of(self.callers.reps[result]):
                for above, _ in self.callers.arguments_of(place):
                    if above != call and (not is_stated or self.callers.is_decorator(above)):  # ``@app.route`` twice
                        routes = routes + self.through(above, depth + 1)
                for literal in () if is_stated else self.literals_with(place):
                    routes = routes + self.of_literal(literal)
        return routes

    def literals_with(self, value: int) -> list[int]:
        rows = self.callers.by_stored.of(self.callers.reps[value])[:MAX_GUARD_USES]
        objects = {self.callers.reps[int(each)] for each in self.tables["stores"]["object"][rows].tolist()}
        return sorted(each for each in objects if self.callers.op[each] == Op.NEW)

    def of_literal(self, literal: int) -> list[Route]:
        """The routes of a literal that holds a handler: what it states itself, or the call that it is given to."""
        known = self.stating.get(literal)
        if known is None:
            known = self.stating[literal] = self._of_literal(literal)
        return known

    def _of_literal(self, literal: int) -> list[Route]:
        own = self.routing.of_literal(literal)
        uses = [use for each in (literal, *self.literals_with(literal)) for use in self.callers.arguments_of(each)]
        if own is None:
            return [route for call, _ in uses for route in self.routing.routes(call)]
        prefixes = {prefix for call, _ in uses for prefix in self.routing.before(call)} or {""}
        return [Route(joined(prefix, own.path), own.methods) for prefix in sorted(prefixes)]

    def in_class(self, owner: int, name: str, routes: Sequence[Route], *, is_known: bool) -> list[Route]:
        """The routes of a method: its own, below what decorates its class; else those of the class.

        ``is_known``: a pack says that requests reach the method, whatever it is called.
        """
        stated = [self.routing.decorating(call) for call in self.callers.class_decorators.get(owner, ())]
        prefixes = [each for each in stated if each]
        if routes:
            if prefixes or stated:
                prefixes = [joined(self.routing.common, each) for each in prefixes or [""]]
            return [Route(joined(prefix, each.path), each.methods) for prefix in prefixes or [""] for each in routes]
        methods = methods_of_action(name)
        if not is_known and name.lower() not in METHODS:
            return []
        return [Route(each.path, methods) for each in self.of_class(owner) if each.path]

    def of_class(self, owner: int) -> list[Route]:
        """The routes for which a class, or one derived from it, is registered."""
        found: list[Route] = []
        for each in self.derived.get(owner, (owner,))[:MAX_GUARD_STEPS]:
            for call, _ in self.routing.of_class(each):
                found += self.of_call(call)
            for literal in self.class_literals.get(each, ()):
                found += self.of_literal(literal)
        return found

    @cached_property
    def derived(self) -> dict[int, list[int]]:
        """By class: it and those that extend it."""
        found: dict[int, list[int]] = {}
        for each in range(len(self.tables["owners"]["name"])):
            for base in dict.fromkeys((each, *self.callers.resolution.lineage(each))):
                found.setdefault(base, []).append(each)
        return found

    @cached_property
    def class_literals(self) -> dict[int, list[int]]:
        """By class: the literals that it is written into: ``("/a", Handler)``."""
        stores, reps = self.tables["stores"], self.callers.resolution.representative
        rows = np.flatnonzero(stores["value"] >= 0)
        objects = reps[stores["object"][rows]]
        is_literal = self.tables["values"]["op"][objects] == int(Op.NEW)
        found: dict[int, list[int]] = {}
        values = reps[stores["value"][rows[is_literal]]].tolist()
        for value, literal in sorted(set(zip(values, objects[is_literal].tolist(), strict=True))):
            for state in self.callers.resolution.states_of(value):
                if state & KIND == CLASS:
                    found.setdefault(state >> KIND_BITS, []).append(literal)
        return found

    @cached_property
    def by_function(self) -> dict[int, list[tuple[Entry, int]]]:
        """By function: what makes it an entry point of requests, and the call that registers it or NONE."""
        found: dict[int, list[tuple[Entry, int]]] = {}
        for entry, function, call in self.callers.resolution.entry_points:
            if is_request(entry) and not (isinstance(entry, ParameterType) and entry.type in self.no_requests):
                found.setdefault(function, []).append((entry, call))
        return found

    def access(self, function: int) -> tuple[Access, bool]:
        """Whom the program lets in, and whether its code shows it."""
        asked: tuple[tuple[Callers, Access], ...] = ((self.callers, "operator"), (self.members, "account"))
        for callers, party in asked:
            evidence = callers.evidence(function)
            if evidence > UNKNOWN:
                return party, evidence == SHOWN
        return "anybody", True

    def place(self, function: int) -> Place:
        """Where a function begins."""
        functions = self.tables["functions"]
        file = int(self.program.file_of_value[int(functions["result"][function])])
        return self.callers.texts.place(
            file, int(functions["start"][function]), int(functions["end"][function]), one_line=True
        )

    # -- what a source reads

    def parameter(self, source: SourceRole, member: str = "") -> Parameter:
        """What a source reads of the request; ``member``: the part of it that the path goes on with, if known."""
        api, name = parameter_of(source.api)
        where = KINDS.get(source.kind, "")
        if not where:
            where = next((place for pattern, place in MEMBERS if pattern.search(api.partition("(")[0])), "")
        return Parameter(where, name or member or self.read_behind(source.value))

    def read_behind(self, value: int) -> str:
        """The name of the part that is read of a source, by the code behind it or in it."""
        file, start, end = self.callers.regions.span(value)
        content = self.callers.texts.content(file)
        if self.callers.op[value] == Op.CALL:
            match = GIVEN.search(content[start:end].decode("utf-8", "replace"))
            if match is not None:
                return match["name"]
        match = READ.match(content[end : end + 120].decode("utf-8", "replace"))
        return (match["asked"] or match["key"] or match["member"] or "") if match is not None else ""


def is_request(entry: Entry) -> bool:
    """Whether an entry of a pack says that requests reach a function: not that its result is a sink."""
    if isinstance(entry, Sink):
        return False
    if parameters_of(entry).by in ("name", "type", "names", "types"):
        return False  # what has such a parameter need not be registered
    return not isinstance(entry, Source) or entry.kind in REQUEST_KINDS


def route_of_file(path: str, pattern: str) -> str:
    """The route of a file that a framework finds by its path.

    >>> route_of_file("src/app/api/users/[id]/route.ts", "app/**/route.ts")
    '/api/users/[id]'
    >>> route_of_file("pages/api/run.js", "pages/api/**"), route_of_file("src/routes/(shop)/+page.server.ts", "")
    ('/api/run', '/')
    >>> route_of_file("server/routes/files/[...key].get.ts", "server/{api,routes}/**")
    '/files/[...key]'
    """
    parts = path.split("/")
    fixed = pattern.partition("/")[0]
    if fixed in parts[:-1]:
        parts = parts[parts.index(fixed) :]
    while len(parts) > 1 and parts[0] in FILE_ROOTS:
        parts = parts[1:]
    last = parts.pop() if parts else ""
    end = last.rfind("]") + 1  # the dots of ``[...rest].ts`` begin no suffix
    stem = last[:end] + last[end:].partition(".")[0]
    parts = [each for each in parts if not (each.startswith("(") and each.endswith(")"))]
    if not FILE_NAMES.match(stem):
        parts.append(stem)
    return "/" + "/".join(parts)


def methods_of_file(path: str) -> frozenset[str]:
    """The method that the name of a file states before its suffix.

    >>> sorted(methods_of_file("server/api/notes/[id].delete.ts")), sorted(methods_of_file("server/api/get.ts"))
    (['delete'], [])
    """
    words = path.rpartition("/")[2].split(".")
    return METHODS & frozenset(words[1:-1])


def readable(path: str) -> str:
    """A route with one slash in front, unless it is a regular expression or holds a host.

    >>> readable("users/<int:id>"), readable("/a"), readable("^b$"), readable("")
    ('/users/<int:id>', '/a', '^b$', '')
    """
    return path if not path or path[0] in "/^*{" or "://" in path else f"/{path}"
