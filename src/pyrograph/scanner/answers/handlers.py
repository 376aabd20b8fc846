"""Handlers by their routes, and the values that they answer with.

An answer is what a call of a pack's list sends (``[type] answers``), ``res.json(notes)``, or what a handler returns.
A call in a helper belongs to the handlers that call it; where it sends a parameter of the helper, or a literal with one
in it, each call of the helper says what is sent. Linear in the calls that answer, times bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import (
    MAX_ADDRESS_PARTS,
    MAX_ANSWER_CALLERS,
    MAX_ANSWER_DEPTH,
    MAX_ANSWER_ROUTES,
    MAX_ANSWERING_HANDLERS,
    MAX_ASKING_CALLS,
    MAX_ASKING_STEPS,
)
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.label.literals import CONVERSION, INDEXED
from pyrograph.scanner.analysis.route_apis import taking_below
from pyrograph.scanner.answers.addresses import HOLE, REST, Path, path_of_route
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.stated_routes import Route

Keys = tuple[int, ...]

TOKEN: Final = re.compile(r"[\0\"{}\[\],:]|\\.|[^\0\"{}\[\],:\\]+", re.DOTALL)  # of JSON


class Answer(NamedTuple):
    """A value stands in the answer under these keys."""

    value: int
    put: Keys = ()


class Handlers:
    """Reads the handlers of one program."""

    def __init__(self, entries: Entries, apis: dict[str, Apis]) -> None:
        self.entries = entries
        self.apis = apis
        self.callers: Callers = entries.callers
        self.program = self.callers.program
        self.tables = self.callers.tables
        self.args = self.callers.args
        self.routes: dict[int, list[Route]] = {}  # by function: ``of_function``
        self.reached: dict[int, list[int]] = {}  # by function: ``reaching``
        self.left = 0  # steps for what is sent that may still be taken
        self.answering: dict[int, list[Port]] = {}  # by call
        self.encoding: dict[int, list[Port]] = {}  # calls that make JSON, and of what
        texts = self.program.tables["texts"]
        self.holes_of: dict[int, str] = {
            value: self.program.strings[text]
            for value, text in zip(texts["value"].tolist(), texts["text"].tolist(), strict=True)
        }
        self.texts = frozenset(self.holes_of)
        below: dict[str, None] = {}  # the ends of routes that take all paths below them
        taking = taking_below(apis)
        files = self.program.file_of_value
        for call, node in self.callers.resolution.api_calls:
            language = self.program.files[int(files[int(self.tables["calls"]["result"][call])])].language
            known = apis.get(language)
            roles = known.roles.get(node) if known is not None else None
            if roles is None:
                continue
            if node in taking[language]:
                route = entries.routing.own(call)
                if route is not None and route.path.endswith("/") and route.path.strip("/"):
                    below[route.path] = None
            if roles.exchanges.encodes:
                self.encoding[call] = roles.exchanges.encodes
            if roles.exchanges.answers:
                found = self.answering.setdefault(call, [])
                found += [each for each in roles.exchanges.answers if each not in found]
        self.below = tuple(below)

    def path_of(self, route: Route) -> Path | None:
        """The parts of a route, with ``REST`` where it takes all paths below it."""
        path = path_of_route(route.path)
        if path is not None and path.parts[-1] != REST and route.path.endswith(self.below):
            return path._replace(parts=(*path.parts, REST))
        return path

    def of_function(self, function: int) -> list[Route]:
        """The routes with a path for which a function is registered."""
        known = self.routes.get(function)
        if known is None:
            stated = self.entries.routes_of(function) or []
            if any(each.path for each in stated) and self.entries.is_development(function):
                stated = []
            known = self.routes[function] = sorted({each for each in stated if each.path}, key=_order)
        return known

    def reaching(self, function: int) -> list[int]:
        """The handlers that a function is, or stands in, or that call it; none where these are many."""
        known = self.reached.get(function)
        if known is not None:
            return known
        work, found = [function], list[int]()
        for each in work:  # grows by callers, to the bound
            if self.of_function(each):
                found.append(each)
                continue
            further = [one for one in self.entries.reaching(each) if one not in work]
            work += further[: max(0, MAX_ANSWER_CALLERS - len(work))]
        routes = sum(len(self.of_function(each)) for each in found)
        self.reached[function] = found if routes <= MAX_ANSWER_ROUTES else []
        return self.reached[function]

    def all(self) -> dict[int, list[Answer]]:
        """By handler: what it answers with."""
        found: dict[int, dict[Answer, None]] = {}
        for call, ports in sorted(self.answering.items()):
            for port in ports:
                for row in self.rows(call, port):
                    key = self.args.keyword[row] if port.kind == "all" else NONE
                    put = (key,) if key != NONE else ()
                    value, is_text = self.args.value[row], bool(port.path)
                    answers = [Answer(each, put) for each in self.given(value, is_text=is_text)]
                    answers = answers or (self.written(call, row, port.position) if is_text else [])
                    for each in answers:
                        for function, answer in self.sent(call, each, 0):
                            for handler in self.reaching(function):
                                found.setdefault(handler, {})[answer] = None
        for function, answer in self.assigned():
            for handler in self.reaching(function):
                found.setdefault(handler, {})[answer] = None
        for handler in self.entries.handlers():
            if self.of_function(handler):
                for answer in self.returned(handler):
                    found.setdefault(handler, {})[answer] = None
        return {handler: list(found[handler]) for handler in sorted(found)}

    def assigned(self) -> Iterator[tuple[int, Answer]]:
        """(function, answer) of what is assigned to a member that is sent: ``ctx.body = notes``."""
        sent = {
            name: {node for node, roles in known.roles.items() if roles.exchanges.is_answer}
            for name, known in self.apis.items()
        }
        names = {self.apis[name].paths[node][-1].strip("[]") for name, nodes in sent.items() for node in nodes}
        keys = {number: name for name in sorted(names) if (number := self.program.string_ids.get(name)) is not None}
        stores = self.tables["stores"]
        for row in np.flatnonzero(among(stores["key"], list(keys))).tolist() if keys else ():
            held, value = int(stores["object"][row]), int(stores["value"][row])
            language = self.callers.language(held)
            members = [
                each
                for node in self.callers.nodes(held)
                for each in self.apis[language].member(node, keys[int(stores["key"][row])])
            ]
            if value != NONE and not sent[language].isdisjoint(members):
                for each in self.given(value, is_text=False):
                    self.left = MAX_ASKING_STEPS
                    yield from self.handed(int(self.callers.function[value]), Answer(each), 0)

    def rows(self, call: int, port: Port) -> list[int]:
        """The arguments at a port of a call that writes to what the function around it was given, or on no object.

        A file may be written by the same call: ``json.NewEncoder(file).Encode(settings)``.
        """
        receiver = int(self.tables["calls"]["receiver"][call])
        made = self.callers.reps[receiver] if receiver != NONE else NONE
        if made != NONE and self.callers.op[made] == Op.CALL:
            given = [self.args.value[row] for row in self.args.of(self.callers.data[made])]
            inner = int(self.tables["calls"]["receiver"][self.callers.data[made]])
            if not any(map(self.is_given, [*given, *([inner] if inner != NONE else [])])):
                return []
        if receiver == NONE and port.path and port.position > 0:  # ``fmt.Fprintf(w, ...)``
            written_to = self.args.at(call, Port("position", 0))
            if not any(self.is_given(self.args.value[row]) for row in written_to):
                return []
        return self.args.at(call, Port(port.kind, port.position, port.names))

    def is_given(self, value: int) -> bool:
        """Whether a value is a parameter, or was captured."""
        rep = self.callers.reps[value]
        for _ in range(MAX_ANSWER_DEPTH):
            if rep in self.callers.captured or self.callers.op[rep] == Op.PARAMETER:
                return True
            if self.callers.op[rep] == Op.LOAD:
                rep = self.callers.reps[int(self.tables["loads"]["object"][self.callers.data[rep]])]
            elif self.callers.op[rep] == Op.CALL:
                receiver = int(self.tables["calls"]["receiver"][self.callers.data[rep]])
                if receiver == NONE:
                    return False
                rep = self.callers.reps[receiver]
            else:
                return False
        return False

    def given(self, value: int, *, is_text: bool) -> list[int]:
        """What is sent as JSON: a value, or where the text of an answer is sent, what that was made of."""
        made = self.encoders(value)
        if made:
            return [
                self.args.value[row]
                for each in made
                for port in self.encoding[each]
                for row in self.args.at(each, port)
            ]
        return [] if is_text or self.is_text(value) else [value]

    def written(self, call: int, row: int, position: int) -> list[Answer]:
        """What a text of JSON that the program writes itself holds, under the keys where it stands: ``'{"items": %s}'``
        with what JSON was made of, by ``+``, in a template, or in a format that the arguments behind it fill.
        """
        value = self.first(self.args.value[row])
        text, fillings = self.holes_of.get(value, ""), list[int]()
        if text and self.callers.op[value] == Op.CALL:  # a function that fills a format, and returns the text
            by_position = {
                self.args.position[each]: self.args.value[each] for each in self.args.of(self.callers.data[value])
            }
            fillings = [by_position[at] for at in sorted(by_position) if at > 0]
        elif text:
            fillings = [each for each in self.callers.origins(value) if self.callers.op[each] != Op.CONST]
        elif (format_ := self.callers.constant(value)) and not INDEXED.search(format_):
            by_position = {self.args.position[each]: self.args.value[each] for each in self.args.of(call)}
            fillings = [by_position[at] for at in sorted(by_position) if at > position]
            text = CONVERSION.sub(lambda verb: "%" if verb[0] == "%%" else HOLE, format_)
        if not fillings or len(fillings) > MAX_ADDRESS_PARTS or text.count(HOLE) != len(fillings):
            return []
        return [
            Answer(given, tuple(self.program.intern(key) if key else UNKNOWN_KEY for key in keys))
            for filling, keys in zip(fillings, places_in_json(text), strict=True)
            if keys is not None
            for given in self.given(filling, is_text=True)
        ]

    def encoders(self, value: int) -> list[int]:
        """The calls that made the JSON which a value may be; also those in functions that return it."""
        callers = self.callers
        found: dict[int, None] = {}
        work = [(value, 0)]
        seen = {value}
        for each, depth in work:  # grows by sides and results that are new, to the bound
            start = self.first(each)
            rep, key = self.first(callers.reps[start]), NONE
            further: list[int] = []
            if callers.op[rep] == Op.PHI:
                further = callers.origins(rep)
            elif callers.op[rep] == Op.LOAD:  # one of several results
                key = int(self.tables["loads"]["key"][callers.data[rep]])
                rep = callers.reps[int(self.tables["loads"]["object"][callers.data[rep]])]
            call = callers.data[rep] if callers.op[rep] == Op.CALL else NONE
            if call in self.encoding:
                found[call] = None
            elif call != NONE and depth < MAX_ANSWER_DEPTH:
                further = self.returned_json(call, key)
            fresh = [one for one in dict.fromkeys(further) if one not in seen]
            fresh = fresh[: max(0, MAX_ANSWER_CALLERS - len(work))]
            seen.update(fresh)
            work += [(one, depth + (call != NONE)) for one in fresh]
        return list(found)

    def first(self, value: int) -> int:
        """What a value is a version of, or converted from: ``string(body)``, a side of a condition."""
        callers = self.callers
        for _ in range(MAX_ADDRESS_PARTS):
            before = NONE
            if callers.op[value] == Op.EXPRESSION and value not in self.texts and len(callers.origins(value)) == 1:
                before = callers.origins(value)[0]
            elif callers.op[value] in (Op.PI, Op.POST):
                before = callers.first_of(value)
            elif callers.op[value] not in (Op.CALL, Op.LOAD):
                before = callers.before(value)
            if before in (NONE, value):
                break
            value = before
        return value

    def returned_json(self, call: int, key: int) -> list[int]:
        """What the functions that a call runs return, of several results those under ``key``, but for constants; none
        where they are many.
        """
        functions = sorted(self.callers.regions.functions_of(call))
        if len(functions) > MAX_ANSWERING_HANDLERS:
            return []
        found: dict[int, None] = {}
        stores = self.tables["stores"]
        for function in functions:
            for origin in self.callers.origins(int(self.tables["functions"]["result"][function])):
                stored = [origin]
                if key != NONE and self.callers.op[self.callers.reps[origin]] == Op.NEW:
                    rows = self.callers.by_object.of(self.callers.reps[origin]).tolist()
                    stored = [int(stores["value"][row]) for row in rows if int(stores["key"][row]) == key]
                found.update(
                    {each: None for each in stored if each >= 0 and self.callers.op[self.first(each)] != Op.CONST}
                )
        return list(found)

    def is_text(self, value: int) -> bool:
        """Whether a value is a text that the program put together, or a constant."""
        rep = self.callers.reps[value]
        return rep in self.texts or value in self.texts or self.callers.op[rep] == Op.CONST

    def sent(self, call: int, answer: Answer, depth: int) -> Iterator[tuple[int, Answer]]:
        """(function, answer): what is sent, by who calls the function around a call where that says what is sent."""
        self.left = MAX_ASKING_STEPS
        function = int(self.callers.function[int(self.tables["calls"]["result"][call])])
        yield from self.handed(function, answer, depth)

    def handed(self, function: int, answer: Answer, depth: int) -> Iterator[tuple[int, Answer]]:
        """The same for a function; ``depth``: helpers that were left."""
        self.left -= 1
        if self.left < 0:
            return
        value = self.callers.reps[answer.value]
        position = self.callers.positions.get(value) if self.callers.op[value] == Op.PARAMETER else None
        sites = self.sites(function, position) if position is not None and not self.of_function(function) else []
        if depth < MAX_ANSWER_DEPTH and sites:  # without any, a library calls it: ``all(sql, (error, rows) => ...)``
            for site, given in sites:
                around = int(self.callers.function[int(self.tables["calls"]["result"][site])])
                yield from self.handed(around, answer._replace(value=given), depth + 1)
            return
        yield function, answer
        if depth < MAX_ANSWER_DEPTH and self.callers.op[value] == Op.NEW and not self.of_function(function):
            stores = self.tables["stores"]
            for row in self.callers.by_object.of(value)[:MAX_ANSWER_CALLERS].tolist():
                stored, key = int(stores["value"][row]), int(stores["key"][row])
                if stored >= 0 and key >= 0 and self.callers.op[self.callers.reps[stored]] == Op.PARAMETER:
                    inner = Answer(stored, (*answer.put, key))
                    yield from self.handed(function, inner, depth + 1)

    def sites(self, function: int, position: int) -> list[tuple[int, int]]:
        """(call, argument) of the calls of a function, to the bound."""
        found: list[tuple[int, int]] = []
        for site in self.callers.resolution.rows("targets")[self.callers.callers.of(function), 0].tolist():
            if site < len(self.tables["calls"]["result"]):
                rows = [row for row in self.args.of(site) if self.args.position[row] == position]
                found += [(site, self.args.value[row]) for row in rows if not self.args.flags[row]]
        return found[:MAX_ASKING_CALLS]

    def returned(self, handler: int) -> Iterator[Answer]:
        """What a handler returns, but for answers that a call makes: those are known by what that is given."""
        result = int(self.tables["functions"]["result"][handler])
        for origin in dict.fromkeys(self.callers.origins(result)):
            rep = self.callers.reps[origin]
            is_answer = self.callers.op[rep] == Op.CALL and (
                self.callers.data[rep] in self.answering or self.is_response(rep)
            )
            for value in self.given(origin, is_text=False) if not is_answer else ():
                yield Answer(value)

    def is_response(self, rep: int) -> bool:
        """Whether a value is made by a call of a library that is given something of a program: a page, a response."""
        return bool(self.callers.nodes(rep)) and not any(
            self.args.position[row] == RECEIVER for row in self.args.of(self.callers.data[rep])
        )


def places_in_json(text: str) -> list[tuple[str, ...] | None]:
    """The keys of each ``HOLE`` in a text of JSON, "" for those of lists; None for one within quotes. Linear.

    >>> places_in_json('{"ok": true, "data": {"rows": [\\0]}, "name": "\\0"}')
    [('data', 'rows', ''), None]
    """
    found: list[tuple[str, ...] | None] = []
    around: list[str] = []  # the keys of the objects and lists around the place
    key, word, is_quoted = "", "", False
    for part in TOKEN.findall(text):
        if part == '"':
            is_quoted = not is_quoted
            if is_quoted:
                word = ""
        elif part == HOLE:
            found.append(None if is_quoted or len(around) > MAX_ADDRESS_PARTS else (*around[1:], key) if around else ())
        elif is_quoted:
            word += part
        elif part == ":":
            key = word
        elif part in "{[":
            around.append(key)
            key = ""
        elif part in "}]":
            key = around.pop() if around else ""
        elif part == "," and around:
            key = ""
    return found


def _order(route: Route) -> tuple[str, list[str]]:
    return route.path, sorted(route.methods)
