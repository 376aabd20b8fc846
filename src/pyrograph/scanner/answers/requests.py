"""The requests that scripts make (``[type] requests``): where the address stands, and where the answer arrives.

An address is put together of texts: ``API + "/notes/" + id``. Names of constants are looked up in any file. A function
of the program that completes an address which it is given, ``get(path) { return fetch(BASE + path) }``, asks once for
each of its calls, and the answer arrives at their results, or in the function where that returns nothing. Linear in the
calls, times bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.resolution import (
    MAX_ADDRESS_PARTS,
    MAX_ADDRESSES,
    MAX_ASKING_CALLS,
    MAX_ASKING_DEPTH,
    MAX_ASKING_STEPS,
)
from pyrograph.policy.names.markup import EVENT_ATTRIBUTES, EVENT_TARGETS
from pyrograph.policy.routes import METHOD_KEYS, METHODS, METHODS_OF_PAGES, NAMED_ROUTE, TEMPLATE_TAGS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.answers.addresses import HOLE, NAMED
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.routing import Routing

MASKED: Final = re.compile(r"_{4,}|\s{4,}")  # what stands in a page's script for a tag of a template

Piece = str | int  # constant text, or a value that is none


class Place(NamedTuple):
    """Where an answer arrives: below a value, under these keys."""

    value: int
    keys: tuple[int, ...]


class Request(NamedTuple):
    call: int
    address: str  # with ``HOLE`` for what is not constant
    methods: frozenset[str]  # empty: any
    places: tuple[Place, ...]
    # a function is called, on no client that may have an address of its own, with a path: there is no host of which a
    # server would ask for it, so a browser does
    is_of_page: bool = False


class Requests:
    """Reads the requests of one program."""

    def __init__(self, callers: Callers, routing: Routing, apis: dict[str, Apis]) -> None:
        self.callers = callers
        self.routing = routing
        self.program = callers.program
        self.tables = callers.tables
        self.args = callers.args
        texts = self.program.tables["texts"]
        self.texts: dict[int, str] = {
            value: self.program.strings[text]
            for value, text in zip(texts["value"].tolist(), texts["text"].tolist(), strict=True)
        }
        self.left = 0  # steps for one request that may still be taken
        self.asking: dict[int, list[tuple[Port, Port]]] = {}  # by call
        # keys of answers: functions that get all answers return what lies there
        self.unwrapped: set[int] = set()
        files = self.program.file_of_value
        for call, node in callers.resolution.api_calls:
            known = apis.get(self.program.files[int(files[int(self.tables["calls"]["result"][call])])].language)
            roles = known.roles.get(node) if known is not None else None
            if roles is not None and roles.exchanges.requests:
                found = self.asking.setdefault(call, [])
                found += [each for each in roles.exchanges.requests if each not in found]
            for port in roles.exchanges.unwraps if roles is not None else ():
                self.unwrapped.update(self.keys_returned(call, port))

    def all(self) -> Iterator[Request]:
        """The requests, by the order of their calls."""
        for call, entries in sorted(self.asking.items()):
            by_address: dict[Port, list[Port]] = {}
            for address, arrives in entries:
                by_address.setdefault(address, []).append(arrives)
            for address, ports in by_address.items():
                yield from self.of_call(call, address, ports)

    def of_call(self, call: int, address: Port, ports: list[Port]) -> Iterator[Request]:
        """The requests of one call."""
        methods = self.methods_of(call)
        places = tuple(place for port in ports for place in self.places(call, port))
        before = self.base_of(call)
        self.left = MAX_ASKING_STEPS
        for value in self.values_at(call, address):
            for pieces in self.pieces(value, 0):
                handed = list(self.handed((before, *pieces), call, methods, 0))
                if handed:
                    keys = dict.fromkeys([(), *(each.keys for each in places)])
                    is_kept = self.is_kept((before, *pieces))
                    for site, text, stated in handed:
                        is_of_page = self.is_of_page(call, text)
                        if is_kept:
                            yield Request(call, text, stated, places, is_of_page)
                            continue
                        result = int(self.tables["calls"]["result"][site])
                        arrives = tuple(Place(result, each) for each in keys)
                        yield Request(site, text, stated, arrives, is_of_page)
                else:
                    text = text_of((before, *pieces))
                    yield Request(call, text, methods, places, self.is_of_page(call, text))

    def is_of_page(self, call: int, text: str) -> bool:
        """Whether a call asks for a path without saying of whom; a client, ``api.get("/notes")``, may know a host."""
        return int(self.tables["calls"]["receiver"][call]) == NONE and text[:1] == "/"

    def is_kept(self, pieces: tuple[Piece, ...]) -> bool:
        """Whether the functions that are given parts of an address return nothing, so that they use the answer."""
        parameters = [self.parameter(each) for each in pieces if isinstance(each, int)]
        results = self.tables["functions"]["result"]
        functions = dict.fromkeys(int(self.callers.function[each]) for each in parameters if each >= 0)
        origins = [one for each in functions for one in self.callers.origins(int(results[each]))]
        return all(self.callers.op[each] == Op.CONST for each in origins)

    def handed(
        self, pieces: tuple[Piece, ...], call: int, methods: frozenset[str], depth: int
    ) -> Iterator[tuple[int, str, frozenset[str]]]:
        """(call, address, methods) of the calls of the function around ``call`` that complete an address by a text
        which they give to its parameter, or which they are given in turn.
        """
        holes = {
            each: parameter for each in pieces if isinstance(each, int) and (parameter := self.parameter(each)) >= 0
        }
        if not holes or depth == MAX_ASKING_DEPTH:
            return
        function = int(self.callers.function[next(iter(holes.values()))])
        positions = {
            hole: self.callers.positions[parameter]
            for hole, parameter in holes.items()
            if int(self.callers.function[parameter]) == function
        }
        for site in self.sites(function):
            self.left -= 1
            if self.left < 0:
                return
            given = {self.args.position[row]: self.args.value[row] for row in self.args.of(site)}
            fillings = {hole: self.pieces(given[at], 0)[0] for hole, at in positions.items() if at in given}
            if not fillings:
                continue
            found = [fillings.get(each, (each,)) if isinstance(each, int) else (each,) for each in pieces]
            whole = tuple(piece for one in found for piece in one)
            stated = self.methods_in(site) or methods
            further = list(self.handed(whole, site, stated, depth + 1))
            yield from further
            is_completed = any(isinstance(each, str) and each.strip("/") for one in fillings.values() for each in one)
            if not further and is_completed:
                yield site, text_of(whole), stated

    def parameter(self, value: int) -> int:
        """The parameter that a value is, also where an inner function captured it; NONE for other values."""
        for _ in range(MAX_ADDRESS_PARTS):
            value = self.callers.captured.get(value, self.callers.reps[value])
            if self.callers.op[value] == Op.PARAMETER and value not in self.callers.captured:
                return value if value in self.callers.positions else NONE
            before = self.callers.before(value)
            if before in (NONE, value):
                break
            value = before
        return NONE

    def sites(self, function: int) -> list[int]:
        """The calls of a function, to the bound."""
        sites = self.callers.resolution.rows("targets")[self.callers.callers.of(function), 0]
        return [site for site in sites.tolist() if site < len(self.tables["calls"]["result"])][:MAX_ASKING_CALLS]

    def keys_returned(self, call: int, port: Port) -> Iterator[int]:
        """The keys under which a function that a call is given reads what it returns of its first parameter."""
        functions, loads = self.tables["functions"], self.tables["loads"]
        values = [self.args.value[row] for row in self.args.at(call, port)]
        for function in [
            self.callers.data[rep] for each in values if self.callers.op[rep := self.callers.reps[each]] == Op.FUNCTION
        ]:
            work = list(self.callers.origins(int(functions["result"][function])))
            for each in work[:MAX_ASKING_STEPS]:
                rep = self.origin(each)
                if self.callers.op[rep] != Op.LOAD:
                    continue
                row = self.callers.data[rep]
                held = self.origin(int(loads["object"][row]))
                if self.callers.positions.get(held) == 0 and int(self.callers.function[held]) == function:
                    yield int(loads["key"][row])

    def origin(self, value: int) -> int:
        """What a value is a version of."""
        for _ in range(MAX_ADDRESS_PARTS):
            before = self.callers.before(value)
            if self.callers.op[value] in (Op.LOAD, Op.CALL, Op.PARAMETER) or before in (NONE, value):
                break
            value = before
        return value

    def places(self, call: int, port: Port) -> Iterator[Place]:
        """Where the answer to a call arrives."""
        keys = tuple(self.program.intern(hidden(key)) for key in port.path)
        if port.kind == "ret":
            result = int(self.tables["calls"]["result"][call])
            yield Place(result, keys)
            if keys and keys[-1] in self.unwrapped:
                yield Place(result, keys[:-1])
        for row in self.args.at(call, port) if port.kind != "ret" else ():
            if self.args.post[row] != NONE:
                yield Place(self.args.post[row], keys)
            if port.kind == "this":
                yield from self.listening(self.args.value[row], keys)

    def listening(self, asking: int, keys: tuple[int, ...]) -> Iterator[Place]:
        """Where the functions get an object which it runs when the answer is there, ``request.onload = function ...``:
        as their receiver, and as the target of the event.
        """
        first, stores = self.callers.first_of(asking), self.tables["stores"]
        for row in self.callers.by_object.of(first)[:MAX_ASKING_CALLS].tolist():
            name = int(stores["key"][row])
            if name < 0 or EVENT_ATTRIBUTES.match(self.program.strings[name]) is None:
                continue
            stored = self.callers.reps[int(stores["value"][row])]
            if self.callers.op[stored] != Op.FUNCTION:
                continue
            for value, position in self.parameters_of(self.callers.data[stored]):
                if position == RECEIVER:
                    yield Place(value, keys)
                elif not position:
                    yield from (Place(value, (self.program.intern(each), *keys)) for each in EVENT_TARGETS)

    def parameters_of(self, function: int) -> list[tuple[int, int]]:
        """(value, position) of a function's parameters."""
        parameters = self.tables["parameters"]
        rows = self.by_function.of(function).tolist()
        return [(int(parameters["value"][row]), int(parameters["position"][row])) for row in rows]

    @cached_property
    def by_function(self) -> RowsByKey:
        """Parameters by function."""
        return RowsByKey(self.tables["parameters"]["function"])

    def values_at(self, call: int, port: Port) -> list[int]:
        """The values at a port, and under the keys of its path in a literal."""
        found = [self.args.value[row] for row in self.args.at(call, port)]
        for key in port.path:
            literals = [self.callers.reps[each] for each in found]
            found = [
                value
                for each in literals
                if self.callers.op[each] == Op.NEW
                for name, value in self.routing.entries(each)
                if name == key
            ]
        return found

    def base_of(self, call: int) -> str:
        """The beginning of addresses that what makes the call was made with: ``axios.create({ baseURL: "/api" })``."""
        value = int(self.tables["calls"]["receiver"][call])
        if value == NONE:
            value = int(self.tables["calls"]["callee"][call])
        for _ in range(MAX_ADDRESS_PARTS):
            made = self.callers.reps[value]
            if self.callers.op[made] == Op.CALL:
                rows = self.args.of(self.callers.data[made])
                stated = [text for row in rows if (text := self.routing.prefix_in(row)) is not None]
                return stated[0].replace("{", HOLE).replace("}", "") if stated and "{" not in stated[0] else ""
            before = self.callers.captured.get(value, self.callers.before(value))
            if before in (NONE, value):
                break
            value = before
        return ""

    def methods_of(self, call: int) -> frozenset[str]:
        """The methods of a request: those that its arguments or its name state, else GET; none, for any, where an
        argument may hold one.
        """
        stated = self.methods_in(call) or frozenset(words(self.routing.name_of(call))) & METHODS
        if stated:
            return stated
        rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
        given = [self.callers.reps[self.args.value[row]] for row in rows[1:]]
        is_open = any(self.callers.op[each] != Op.NEW or self.states_method(each) for each in given)
        return frozenset() if is_open else METHODS_OF_PAGES

    def states_method(self, options: int) -> bool:
        """Whether a literal has a key for a method: of ``{ method }``, a parameter says which one."""
        return any(key in METHOD_KEYS or key == "type" for key, _ in self.routing.entries(options))

    def methods_in(self, call: int) -> frozenset[str]:
        """The methods that the arguments of a call state."""
        for row in self.args.of(call):
            value = self.callers.reps[self.args.value[row]]
            text = self.callers.constant(value).lower()
            if text in METHODS:
                return frozenset((text,))
            if self.callers.op[value] == Op.NEW:
                for key, each in self.routing.entries(value):
                    if key in METHOD_KEYS or key == "type":
                        text = self.callers.constant(each).lower()
                        return frozenset((text,)) if text in METHODS else frozenset()
        return frozenset()

    def pieces(self, value: int, depth: int) -> list[tuple[Piece, ...]]:
        """What a text is put together of: one for each text that it may be, to the bound."""
        callers = self.callers
        rep = callers.reps[value]
        if callers.op[rep] == Op.CONST:
            text = callers.strings[callers.data[rep]]
            return [(self.with_tags(rep, text[1:]),)] if text[:1] == "'" else [(value,)]
        self.left -= 1
        if depth == MAX_ASKING_DEPTH or self.left < 0:
            return [(value,)]
        if callers.op[rep] == Op.FUNCTION:  # asked for again once it changes: ``useFetch(() => `/notes/${id}`)``
            return self.pieces(int(self.tables["functions"]["result"][callers.data[rep]]), depth + 1)
        made = value if value in self.texts else rep
        text = self.texts.get(made, "")
        if text:
            return self.filled(made, text, depth)
        if callers.op[rep] == Op.PHI:
            sides = [each for origin in callers.origins(rep)[:MAX_ADDRESSES] for each in self.pieces(origin, depth + 1)]
            return list(dict.fromkeys(sides))[:MAX_ADDRESSES] or [(value,)]
        before = callers.captured.get(rep, callers.before(rep))
        if before in (NONE, rep, value):
            return [(value,)]
        found = self.pieces(before, depth + 1)
        return found if any(isinstance(each, str) for one in found for each in one) else [(value,)]

    def fillings(self, made: int) -> list[int]:
        """What fills the holes of a text, also in the texts that it is put together of, to the bound."""
        found: list[int] = []
        work = [made]
        while work and len(found) <= MAX_ADDRESS_PARTS:  # parts are values before their text, so this ends
            each = work.pop()
            if each == made or each in self.texts:
                parts = [one for one in self.callers.origins(each) if self.callers.op[one] != Op.CONST]
                work += reversed(parts)
            else:
                found.append(each)
        return found

    def with_tags(self, value: int, text: str) -> str:
        """A constant text of a script that stands in a page: with ``HOLE`` for tags of the template, or ``NAMED`` and
        the name of the route whose address a tag writes.
        """
        if MASKED.search(text) is None:
            return text
        written = self.callers.text(value)
        tags = TEMPLATE_TAGS.findall(written)
        if not tags:
            return text
        names = [match["name"] for tag in tags if (match := NAMED_ROUTE.search(tag)) is not None]
        return f"{NAMED}{names[0]}" if names else MASKED.sub(HOLE, text)

    def filled(self, made: int, text: str, depth: int) -> list[tuple[Piece, ...]]:
        """A text with holes, each filled with what stands there."""
        tagged = self.with_tags(made, text)
        if tagged.startswith(NAMED):
            return [(tagged,)]
        if tagged != text:
            return [(tagged,)]
        origins = self.fillings(made)
        if len(origins) != text.count(HOLE) or len(origins) > MAX_ADDRESS_PARTS:
            return [tuple(piece for part in text.split(HOLE) for piece in (part, made))[:-1]]
        found: list[tuple[Piece, ...]] = [()]
        for at, part in enumerate(text.split(HOLE)):
            fillings = self.pieces(origins[at], depth + 1) if at < len(origins) else [()]
            found = [(*each, part, *filling) for each in found for filling in fillings][:MAX_ADDRESSES]
        return found


def text_of(pieces: tuple[Piece, ...]) -> str:
    """The text of an address: that of a base and what follows it have one slash between them."""
    text = ""
    for at, each in enumerate(pieces):
        piece = HOLE if isinstance(each, int) else each
        if at == 1 and text and piece and not text.endswith("/") and piece[0] != "/" and "://" not in piece:
            text += "/"
        text += piece.lstrip("/") if at == 1 and text.endswith("/") else piece
    return text


def hidden(key: str) -> str:
    """A key of a port's path as programs have it: those in angle brackets are no names of members."""
    return f"{HOLE}{key}" if key[:1] == "<" else key
