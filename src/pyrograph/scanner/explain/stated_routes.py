"""What calls and literals say of the handlers that they are given: a route, methods of HTTP, the beginning of routes.

Nothing here knows a library: packs say which argument of a call is a route, and where none does, a text that begins
with a slash is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.explanation import (
    MAX_GUARD_TEXT,
    MAX_GUARD_USES,
)
from pyrograph.policy.routes import (
    CLIENTS,
    GROUPING,
    METHOD_KEYS,
    METHODS,
    PATH_KEYS,
    PREFIX_NAMES,
    QUERY,
    VERBS_OF_ACTIONS,
)
from pyrograph.rules.entries import Port
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.stated_methods import StatedMethods

ROUTE: Final = re.compile(r"[/^]|(?P<methods>[A-Za-z]+(?:,[A-Za-z]+)*)\s+(?P<path>\S*/.*)")  # at the start of a text
TEXT: Final = "'"  # the first character of a constant text
PIECE: Final = re.compile(  # of a text that is put together
    r"""[rfbRF]{0,2}(?P<text>"[^"\\]*"|'[^'\\]*'|`[^`\\]*`)|(?P<name>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)"""
)
QUOTES: Final = (b'"', b"'", b"`")
HOLE: Final = re.compile(r"\$?\{([\w.$]+)\}")
SUM: Final = re.compile(r"[\s+(),]+")
FILLED: Final = re.compile(r"%[sd]")


class Route(NamedTuple):
    """What one call, or one literal, says of a handler."""

    path: str
    methods: frozenset[str] = frozenset()  # lower case; empty: any, or not known


class StatedRoutes:
    """Reads single calls and literals of one program; nothing is kept."""

    def __init__(
        self,
        callers: Callers,
        stating: dict[str, dict[int, Port]],
        default_methods: dict[str, dict[int, str]],
        dangerous: dict[str, frozenset[int]],
    ) -> None:
        """
        Args:
            callers: Has the tables of the program.
            stating: By language, the API nodes of calls that state a route, and which argument it is.
            default_methods: By language and API node of such a call, the method of HTTP where it states none.
            dangerous: By language, the API nodes of calls that send requests, open files, run programs.
        """
        self.callers = callers
        self.program = callers.program
        self.tables = callers.tables
        self.args = callers.args
        self.stating = stating
        self.default_methods = default_methods
        self.dangerous = dangerous
        self.stated_methods = StatedMethods(callers)

    def own(self, call: int) -> Route | None:
        """The route that a call states itself; None where it states none."""
        port = self.port(call)
        if port is not None:
            methods = self.methods_of(call) or self.named_methods(call) or self.default_method(call)
            return self.read(self.stated(call, port), methods, is_route=True)
        if self.is_client(call):
            return None
        methods = self.stated_methods.in_keywords(call) & METHODS
        for row in self.args.of(call):
            if self.args.position[row] == RECEIVER:
                continue
            keyword = self.keyword(row)
            if keyword and keyword not in PATH_KEYS:
                continue
            text = self.constant(self.args.value[row])
            if not text and self.args.position[row] == 0 and (path := self.in_table(call, row)):
                return self.read(path, methods | self.methods_of(call), is_route=True)
            if text.lower() in METHODS and not keyword:
                methods |= {text.lower()}
            elif text and (keyword or ROUTE.match(text)) and not self.is_pattern(row):
                return self.read(text, methods | self.methods_of(call), is_route=bool(keyword))
        text = self.computed(call)
        if QUERY.search(text):
            return None
        return Route(text, methods) if text or methods or self.follows_route(call) else None

    def in_table(self, call: int, row: int) -> str:
        """The route in the table that a call named after a method is given before its handlers, or "":
        ``server.get({path: "/a", name: "Show"}, show)``.
        """
        table = self.callers.reps[self.args.value[row]]
        if self.callers.op[table] != Op.NEW or not self.named_methods(call):
            return ""
        if not any(self.is_code(other) for other in self.args.of(call) if other > row):
            return ""
        paths = [value for key, value in self.entries(table) if key in PATH_KEYS]
        stated = (self.constant(value) or self.assembled(*self.callers.regions.span(value)) for value in paths)
        return next(stated, "")

    def is_client(self, call: int) -> bool:
        """Whether a call sends a request, or does something else with a path, by what packs say or by its name."""
        value = int(self.tables["calls"]["callee"][call])
        dangerous = self.dangerous.get(self.callers.language(value), frozenset())
        if not dangerous.isdisjoint((*self.callers.nodes(value), *self.api_nodes.get(call, ()))):
            return True
        receiver = int(self.tables["calls"]["receiver"][call])
        return receiver != NONE and CLIENTS.search(self.callers.text(receiver)) is not None

    def methods_of(self, call: int) -> frozenset[str]:
        return self.stated_methods.methods_of(call) & METHODS

    def default_method(self, call: int) -> frozenset[str]:
        """The method that a router takes where a call states none: ``@app.route("/a")`` is for GET in Flask."""
        if any(self.stated_methods.is_method_keyword(row) for row in self.args.of(call)):
            return frozenset()
        value = int(self.tables["calls"]["callee"][call])
        known = self.default_methods.get(self.callers.language(value), {})
        nodes = [*self.callers.nodes(value), *self.api_nodes.get(call, ())]
        return frozenset(known[node] for node in nodes if node in known)

    def computed(self, call: int) -> str:
        """The route that a call named after a method puts together: ``app.get(PREFIX + "/users", list)``; else ""."""
        rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
        if len(rows) < 2 or not self.named_methods(call) or not self.is_code(rows[-1]):
            return ""
        text = self.put_together(rows[0])
        return text if "/" in text else ""

    def decorating(self, call: int) -> str:
        """The beginning of routes that the decorator of a class states: ``@Controller("users")``."""
        callee = self.callers.reps[int(self.tables["calls"]["callee"][call])]
        if self.callers.op[callee] != Op.CALL:
            return ""
        own = self.own(self.callers.data[callee])
        return own.path if own is not None else next(self.leading_text(self.callers.data[callee]), "")

    def stated(self, call: int, port: Port) -> str:
        """The route that is an argument of a call; of several the first."""
        rows = self.args.at(call, Port(port.kind, port.position, port.names))
        for row in rows:
            for text in self.texts(self.args.value[row]):
                return text
        return next((text for row in rows if (text := self.put_together(row))), "")

    def put_together(self, row: int) -> str:
        """A route that is no constant, by its code: ``PREFIX + "/users"`` and ``"%s/users" % PREFIX`` are
        ``{PREFIX}/users``; else "".
        """
        arguments = self.tables["arguments"]
        file = int(self.program.file_of_value[self.args.value[row]])
        return self.assembled(file, int(arguments["start"][row]), int(arguments["end"][row]))

    def assembled(self, file: int, start: int, end: int) -> str:
        """The same for code at a place."""
        code = self.callers.texts.text(file, start, end, MAX_GUARD_TEXT)
        pieces = list(PIECE.finditer(code))
        rest = SUM.sub("", PIECE.sub("", code))
        if not any(piece["text"] for piece in pieces) or rest not in ("", "%"):
            return ""
        parts = [f"{{{last_of(piece['name'])}}}" if piece["name"] else piece["text"][1:-1] for piece in pieces]
        if rest:  # the names fill the first text
            names = iter(parts[1:])
            return FILLED.sub(lambda hole: next(names, hole[0]), parts[0]) if pieces[0]["text"] else ""
        return "".join(HOLE.sub(lambda hole: f"{{{last_of(hole[1])}}}", part) for part in parts)

    def follows_route(self, call: int) -> bool:
        """Whether a call is made on what states the route: ``app.route("/a").put(save)``."""
        receiver = int(self.tables["calls"]["receiver"][call])
        made = self.callers.reps[receiver] if receiver != NONE else NONE
        return (
            made != NONE
            and self.callers.op[made] == Op.CALL
            and bool(self.named_methods(call))
            and bool(self.prefix_of(self.callers.data[made]))
        )

    def is_pattern(self, row: int) -> bool:
        """Whether an argument is a regular expression."""
        file, start, _ = self.callers.regions.span(self.callers.reps[self.args.value[row]])
        content = self.callers.texts.content(file)
        return content[start : start + 1] == b"/" and content[start - 1 : start] not in QUOTES

    def read(self, text: str, methods: frozenset[str], *, is_route: bool) -> Route:
        match = ROUTE.match(text)
        if match is not None and match["path"] is not None:  # "POST /like"
            stated = frozenset(each.lower() for each in match["methods"].split(","))
            if stated <= METHODS:
                return Route(match["path"], stated)
        return Route(text, methods) if is_route or match is not None else Route("", methods)

    def of_literal(self, literal: int) -> Route | None:
        """The route that a literal with a handler in it states: ``{method: "GET", path: "/a", handler: show}``, or
        ``("/a", Handler)``. A path under a name without a method may be that of a page in the browser.
        """
        path, in_order, methods = "", False, set()
        for key, value in self.entries(literal):
            is_counted = not key or key.isdecimal()
            for text in self.texts(value):
                if text.lower() in METHODS and (key in METHOD_KEYS or is_counted):
                    methods.add(text.lower())
                elif not path and (key in PATH_KEYS or (is_counted and ROUTE.match(text))):
                    path, in_order = text, is_counted
        return Route(path, frozenset(methods)) if path and (methods or in_order) else None

    def entries(self, literal: int) -> list[tuple[str, int]]:
        """Keys and values of a literal."""
        stores = self.tables["stores"]
        rows = self.callers.by_object.of(literal)[:MAX_GUARD_USES].tolist()
        return [
            (
                self.callers.strings[int(stores["key"][row])] if stores["key"][row] >= 0 else "",
                int(stores["value"][row]),
            )
            for row in rows
            if stores["value"][row] >= 0
        ]

    def port(self, call: int) -> Port | None:
        """Which argument of a call packs call a route."""
        value = int(self.tables["calls"]["callee"][call])
        known = self.stating.get(self.callers.language(value), {})
        nodes = [*self.callers.nodes(value), *self.api_nodes.get(call, ())]
        return next((known[node] for node in nodes if node in known), None)

    @cached_property
    def api_nodes(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for call, node in self.callers.resolution.api_calls:
            found.setdefault(call, []).append(node)
        return found

    def keyword(self, row: int) -> str:
        number = self.args.keyword[row]
        return self.callers.strings[number] if number >= 0 else ""

    def constant(self, value: int) -> str:
        """A constant text; "" for other values, regular expressions among them."""
        rep = self.callers.reps[value]
        text = self.callers.strings[self.callers.data[rep]] if self.callers.op[rep] == Op.CONST else ""
        return text[1:] if text[:1] == TEXT else ""

    def texts(self, value: int) -> list[str]:
        """The constant texts that an argument is, or holds."""
        text = self.constant(value)
        if text:
            return [text]
        rep = self.callers.reps[value]
        stored = self.callers.stored_in(rep)[:MAX_GUARD_USES] if self.callers.op[rep] == Op.NEW else ()
        return [text for each in stored if (text := self.constant(each))]

    def named_methods(self, call: int) -> frozenset[str]:
        """The methods that the name of a registering call says: ``app.get``, ``add_post``, ``@Delete``."""
        return frozenset(words(self.name_of(call))) & METHODS

    def name_of(self, call: int) -> str:
        """The last part of what is called."""
        return self.callers.name_of(call).strip()

    def prefix_of(self, call: int) -> str:
        """What a call that makes a group puts before the routes in it; "" where it registers a handler itself."""
        if not GROUPING.search(self.name_of(call)) and any(self.is_code(row) for row in self.args.of(call)):
            return ""  # ``app.get("/a", show).get("/b", list)``
        for row in self.args.of(call):
            prefix = self.prefix_in(row)
            if prefix is not None:
                return prefix
        return self.beginning(call) or ""

    def prefix_in(self, row: int) -> str | None:
        """The beginning of routes that an argument states by name, or under a name in a literal: ``{prefix: "/a"}``;
        None where it states none.
        """
        if PREFIX_NAMES.search(self.keyword(row)):
            return self.constant(self.args.value[row]) or self.put_together(row)
        literal = self.callers.reps[self.args.value[row]]
        if self.callers.op[literal] == Op.NEW:
            for key, value in self.entries(literal):
                if PREFIX_NAMES.search(key):
                    return self.constant(value) or self.assembled(*self.callers.regions.span(value))
        return None

    def beginning(self, call: int) -> str | None:
        """The beginning of routes that a call states, by a pack or a text that begins with a slash; None: nothing."""
        port = self.port(call)
        if port is not None:
            return self.stated(call, port)
        text = next(iter(self.leading_text(call)), "")
        return text if text[:1] in ("/", "^") and text else None

    def leading_text(self, call: int) -> Iterator[str]:
        for row in self.args.of(call):
            if self.args.position[row] == 0 and (text := self.constant(self.args.value[row])):
                yield text

    def is_code(self, row: int) -> bool:
        """Whether an argument is a function or a class of the program."""
        if self.args.position[row] == RECEIVER:
            return False
        value = self.callers.reps[self.args.value[row]]
        return self.callers.op[value] in (Op.FUNCTION, Op.CLASS) or bool(self.callers.functions_in(value))


def joined(before: str, after: str) -> str:
    """Two parts of a route with one slash between them.

    >>> joined("/a/", "/b"), joined("", "b/"), joined("/a", ""), joined("^a/", "^b$")
    ('/a/b', 'b/', '/a', '^a/b$')
    """
    after = after.removeprefix("^") if before.startswith("^") else after
    if not before or not after:
        return before or after
    return f"{before.rstrip('/')}/{after.lstrip('/')}"


def last_of(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


def methods_of_action(name: str) -> frozenset[str]:
    """The methods of HTTP that reach a method of a class by its name."""
    if name.lower() in METHODS:
        return frozenset((name.lower(),))
    verb = VERBS_OF_ACTIONS.get(name)
    return frozenset((verb,)) if verb else frozenset()
