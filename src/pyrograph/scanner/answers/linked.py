"""The flow from what handlers answer with to where scripts get it, for addresses that match their routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.policy.limits.resolution import (
    MAX_ANSWER_MOVES,
    MAX_ANSWERING_HANDLERS,
    MAX_ROUTE_CANDIDATES,
    MAX_SCRIPT_REQUESTS,
)
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.policy.routes import ROUTE_NAMES
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import Move
from pyrograph.scanner.analysis.route_apis import dangerous, default_methods, no_requests, stating_routes
from pyrograph.scanner.answers.addresses import HOLE, NAMED, REST, Match, Path, matched, path_of_address
from pyrograph.scanner.answers.handlers import Answer, Handlers
from pyrograph.scanner.answers.renamed import read_renamed
from pyrograph.scanner.answers.requests import Request, Requests
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.importers import Importers
from pyrograph.scanner.explain.questions import ADMINISTRATORS
from pyrograph.scanner.explain.regions import Regions
from pyrograph.scanner.explain.routing import Routing
from pyrograph.scanner.explain.stated_routes import Route
from pyrograph.scanner.explain.texts import Texts


def link_answers(program: Program, resolution: Resolution, apis: dict[str, Apis], texts: Texts) -> None:
    """Let data flow from the answers of handlers to the scripts that ask for their routes."""
    asked = {
        name: {node for node, roles in each.roles.items() if roles.exchanges.requests} for name, each in apis.items()
    }
    files = program.file_of_value
    results = program.tables["calls"]["result"]

    def file_of(call: int) -> str:
        return program.files[int(files[int(results[call])])].path

    if not any(
        node in asked[program.files[int(files[int(results[call])])].language] for call, node in resolution.api_calls
    ):
        return
    regions = Regions(program, resolution, set(), texts, ADMINISTRATORS)
    callers = Callers(regions, Arguments(program), {})
    routing = Routing(callers, stating_routes(apis), default_methods(apis), dangerous(apis))
    requests: list[tuple[Request, Path | None]] = []
    for each in Requests(callers, routing, apis).all():
        path = path_of_address(each.address)
        if (path is None and not each.address.startswith(NAMED)) or is_development(file_of(each.call)):
            continue
        if len(requests) == MAX_SCRIPT_REQUESTS:
            resolution.report(TOO_MANY_REQUESTS, file_of(each.call), 0)
            break
        requests.append((each, path))
    if not requests:
        return
    handlers = Handlers(Entries(callers, callers, routing, no_requests(apis)), apis)
    answers = handlers.all()
    functions = program.tables["functions"]["result"]
    serving = server_files(Importers(program), {int(files[int(functions[each])]) for each in answers})
    requests = [
        (each, path) for each, path in requests if each.is_of_page or int(files[int(results[each.call])]) not in serving
    ]
    index = Index(handlers, answers)
    moves = resolution.flows.moves
    known: set[Move] = set()
    languages: set[str] = set()
    for request, path in requests:
        found = index.named(request) if path is None else index.find(path, request.methods)
        for handler, route in found:
            for move in moves_between(request, answers[handler]):
                if move in known:
                    continue
                if len(known) == MAX_ANSWER_MOVES:
                    resolution.report(TOO_MANY, program.files[int(files[move.target])].path, 0)
                    return
                known.add(move)
                moves.append(move)
                resolution.stored.answers[move.origin, move.target] = route
                languages.add(program.files[int(files[move.origin])].language)
    read_renamed(program, resolution, texts, sorted(languages), serving)


TOO_MANY: Final = (
    f"pages of the program ask for more than {MAX_ANSWER_MOVES} values of its own answers; the others are ignored"
)
TOO_MANY_REQUESTS: Final = (
    f"scripts of the program make more than {MAX_SCRIPT_REQUESTS} requests; the answers to the others are ignored"
)


def is_development(path: str) -> bool:
    """Whether a file is a test, an example or the like."""
    return DEVELOPMENT_PATHS.search(path) is not None


def moves_between(request: Request, answers: list[Answer]) -> list[Move]:
    return [
        Move(answer.value, place.value, put=(*place.keys, *answer.put))
        for place in request.places
        for answer in answers
    ]


def server_files(importers: Importers, answering: Iterable[int]) -> set[int]:
    """The files that answer requests, those that import them, and all that these import: what they ask is another
    server. Linear in the imports.
    """
    above = closure(answering, importers.of_file)
    return closure(above, importers.imports_of)


def closure(first: Iterable[int], edges: Mapping[int, set[int]]) -> set[int]:
    """What is reached along edges; each round adds files, of which there are finitely many."""
    found = set(first)
    work = sorted(found)
    for each in work:  # grows by what is new
        fresh = sorted(edges.get(each, set()) - found)
        found.update(fresh)
        work += fresh
    return found


class Index:
    """Routes of handlers, by their last part and by their names."""

    def __init__(self, handlers: Handlers, answering: Iterable[int]) -> None:
        self.handlers = handlers
        self.by_end: dict[str, list[tuple[Path, Route, int]]] = {}
        self.by_text: dict[str, list[tuple[Route, int]]] = {}
        for handler in answering:
            for route in handlers.of_function(handler):
                self.by_text.setdefault(route.path, []).append((route, handler))
                path = handlers.path_of(route)
                if path is not None:
                    self.by_end.setdefault(path.parts[-1], []).append((path, route, handler))

    @cached_property
    def by_name(self) -> dict[str, list[tuple[Route, int]]]:
        """By the name of a route, without that of its group: the handlers. What has no name has that of its function.

        Linear in the arguments of calls.
        """
        callers, routing = self.handlers.callers, self.handlers.entries.routing
        ids = [number for name in sorted(ROUTE_NAMES) if (number := callers.program.string_ids.get(name)) is not None]
        rows = np.flatnonzero(np.isin(callers.tables["arguments"]["keyword"], ids)).tolist() if ids else []
        found: dict[str, list[tuple[Route, int]]] = {}
        for row in rows:
            name = callers.constant(callers.args.value[row])
            stated = routing.routes(int(callers.tables["arguments"]["call"][row])) if name else []
            for route in stated:
                found.setdefault(last_part(name), []).extend(self.by_text.get(route.path, ()))
        names = callers.tables["functions"]["name"]
        for stated_routes in self.by_text.values():
            for route, handler in stated_routes:
                name = callers.strings[int(names[handler])]
                if name and last_part(name) not in found:
                    found.setdefault(f"{HOLE}{name}", []).append((route, handler))
        return found

    def named(self, request: Request) -> list[tuple[int, str]]:
        """The handlers, with their routes, of the name that a request is written with."""
        name = last_part(request.address.removeprefix(NAMED))
        found = {
            handler: route.path
            for route, handler in self.by_name.get(name, self.by_name.get(f"{HOLE}{name}", ()))
            if not (request.methods and route.methods) or not request.methods.isdisjoint(route.methods)
        }
        return sorted(found.items()) if len(found) <= MAX_ANSWERING_HANDLERS else []

    def find(self, address: Path, methods: frozenset[str]) -> list[tuple[int, str]]:
        """The handlers, with their routes, that an address matches best; none where they are too many to tell."""
        ends = [address.parts[-1], HOLE, REST]
        if address.parts[-1] == HOLE:
            ends = list(self.by_end)
        else:
            ends += [end for end in self.by_end if REST in end and end not in ends]
        best: Match | None = None
        found: dict[int, str] = {}
        known = [each for end in dict.fromkeys(ends) for each in self.by_end.get(end, [])[:MAX_ROUTE_CANDIDATES]]
        for path, route, handler in known[:MAX_ROUTE_CANDIDATES]:
            if methods and route.methods and methods.isdisjoint(route.methods):
                continue
            match = matched(address, path)
            if match is None or (best is not None and match < best):
                continue
            if best is None or match > best:
                best, found = match, {}
            found.setdefault(handler, route.path)
        if len(found) > (MAX_ANSWERING_HANDLERS if best is not None and best.is_whole else 1):
            return []
        return sorted(found.items())


def last_part(name: str) -> str:
    """The name of a route without that of its group: ``notes`` of ``api:notes`` and of ``api.notes``."""
    return re.split(r"[.:]", name)[-1]
