"""The part that all front ends share: parsing, dispatch by syntax kind, and the value of syntax that no method handles.

A front end is a class whose methods are registered by syntax kind with ``@on``; names are resolved to the grammar's
numbers once per process. A method gets the node and returns the value it denotes, or None for a statement. Syntax
without a method is "made of its parts": taint keeps flowing, and the node is counted. ``lower`` never raises on bad
input.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable
from contextlib import suppress
from inspect import get_annotations
from typing import Any, ClassVar, TypeVar

from tree_sitter import Language, Node, Parser

from pyrograph.ir.codes import NONE, ArgumentFlag
from pyrograph.ir.unit import Unit
from pyrograph.parsers.bounded import parse
from pyrograph.parsers.builder import Argument, Builder, Frame, Mark, Outcome, Overrun, Source
from pyrograph.parsers.comments import OURS, has_marker, marked_comments
from pyrograph.parsers.control import Control
from pyrograph.policy.limits.lowering import MAX_FILE_PROBLEMS, MAX_NESTED_FUNCTIONS, MAX_READ_NODES, RECURSION_LIMIT

Method = TypeVar("Method", bound=Callable[..., Any])
Handler = Callable[[Any, Node], int | None]

NO_FIELD = 65535  # of a grammar that does not have the field: no node has a child under it
TOO_DEEP = "nested too deeply; this part is not analysed; split it"
TOO_MANY_STEPS = (
    "analysing {function} takes too many steps (too many variables, branches and calls); "
    "the rest of it is not analysed; split it"
)
FILE_STEPS = "this and {count:,} more functions are not analysed, because the file takes too many steps; split it"
BURIED = (
    f"this and {{count:,}} more functions are not analysed: each is nested in more than {MAX_NESTED_FUNCTIONS} others; "
    "nest them less deeply"
)
NOT_READ = "suppression comments in this file are not read, because the file is not parsed"
NOT_PARSED = "not analysed: parsing takes too many steps; exclude the file if it is generated, or split it"


def on(*kinds: str) -> Callable[[Method], Method]:
    """Register a method for these syntax kinds."""

    def register(method: Method) -> Method:
        method.__dict__["kinds"] = kinds
        return method

    return register


class FrontEnd:
    """Lowers one file of one language; a new object for every file."""

    language: ClassVar[str]  # the unit's language: python, javascript, go
    # attributes that say where in the program a method is; they are what they were when a statement breaks off
    context: ClassVar[tuple[str, ...]] = ()
    made_of_parts: ClassVar[tuple[str, ...]] = ()  # kinds whose value is simply made from their parts
    ignored: ClassVar[tuple[str, ...]] = ("comment",)  # kinds that mean nothing
    bodies: ClassVar[frozenset[str]] = frozenset()  # kinds whose children are statements, or stand like them
    # Matches stores into objects and calls of methods: group 1 is the root's name, group 2 the last member's, group 3
    # the parenthesis of a call. None: what nested functions change is found in another way.
    changing: ClassVar[re.Pattern[bytes] | None] = None
    changing_methods: ClassVar[frozenset[bytes]] = frozenset()  # of built-in collections: they change the receiver
    _grammar: ClassVar[Language]
    _table: ClassVar[list[Handler]]
    _parser: ClassVar[Parser]

    source: bytes
    text: Callable[[Node], str]  # what is written where a node stands
    b: Builder
    control: Control
    _lowering: Frame | None  # the function one of whose statements is being lowered
    _home: list[Any]  # the context of the file's top level, and where functions begin
    _changes: tuple[list[int], list[str]] | None  # where ``changing`` matches in the file, and the names there
    _looked_through: int  # bytes of functions in which it was looked for, by themselves
    _cuts: list[tuple[int, str]]  # line and message of what was left out

    @classmethod
    def grammar(cls) -> Language:
        """The tree-sitter language; imported on first use."""
        raise NotImplementedError

    @classmethod
    def prepare(cls) -> None:
        """Resolve the registered kinds, and the fields that are declared in capitals, to the grammar's numbers: once
        per process and class.
        """
        if "_table" in cls.__dict__:
            return
        cls._grammar = cls.grammar()
        cls._parser = Parser(cls._grammar)
        by_name: dict[str, Handler] = {}
        for base in reversed(cls.__mro__):
            for method in list(vars(base).values()):
                for kind in getattr(method, "kinds", ()):
                    by_name[kind] = method
        for kind in cls.made_of_parts:
            by_name[kind] = FrontEnd.parts
        for kind in cls.ignored:
            by_name[kind] = FrontEnd.nothing
        by_name["ERROR"] = FrontEnd.broken
        grammar = cls._grammar
        table: list[Handler] = []
        for kind_id in range(grammar.node_kind_count):
            name = grammar.node_kind_for_id(kind_id) or ""
            table.append(
                by_name.get(name, FrontEnd.unhandled) if grammar.node_kind_is_named(kind_id) else FrontEnd.nothing
            )
        cls._table = table
        for name in cls.fields():
            setattr(cls, name, grammar.field_id_for_name(name.lower()) or NO_FIELD)

    @classmethod
    def fields(cls) -> list[str]:
        """The fields that are declared in capitals; a test checks them against the grammar."""
        return [name for base in cls.__mro__ for name in get_annotations(base) if name.isupper()]

    @classmethod
    def handled_kinds(cls) -> frozenset[str]:
        """Every kind a method, ``made_of_parts`` or ``ignored`` names; a test checks them against the grammar."""
        kinds = {
            kind for base in cls.__mro__ for method in vars(base).values() for kind in getattr(method, "kinds", ())
        }
        return frozenset(kinds | set(cls.made_of_parts) | set(cls.ignored))

    def lower(self, source: bytes) -> Unit:
        """Lower one file. Never raises on bad input: errors in the syntax become problems of the unit."""
        self.prepare()
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        try:
            return self._lower(source)
        finally:
            sys.setrecursionlimit(limit)  # code in C recurses on another stack, which is small

    def _lower(self, source: bytes) -> Unit:
        tree = parse(self._parser, source)
        if (
            tree is not None
            and tree.root_node.has_error
            and (parsed := self.parseable(source, tree.root_node)) is not source
        ):
            tree = parse(self._parser, parsed)
        if tree is None:
            unit = self._lower(b"")
            unit.problems.append(("not-parsed", 0, NOT_PARSED))
            if has_marker(source, (OURS,)):
                unit.problems.append(("suppression", 0, NOT_READ))
            return unit
        self.source = source
        self.text = Source(source).text
        self._lowering = None
        self._changes = None
        self._looked_through = 0
        self._cuts = []
        root = tree.root_node
        self.b = self.start(root)
        self.control = Control(self.b)
        self._home = self._context()
        unit = self.b.unit
        unit.lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
        unit.syntax_nodes = root.descendant_count
        unit.comments = marked_comments(source, root, self.bodies)
        if root.kind_id == 65535 or root.type == "ERROR":
            self.guard(lambda: self._broken_file(root))
        else:
            self.guard(lambda: self.program(root))
        self.b.finish(self.guard)
        if root.has_error:
            self._report_errors(root)
        self._report_cuts()
        return unit

    def parseable(self, source: bytes, root: Node) -> bytes:
        """A text to parse instead of one with errors: of the same length, without what is valid but unknown to the
        grammar, and means nothing here. ``source`` itself if there is nothing of that kind. ``root``: the
        tree of ``source``, with its errors.
        """
        return source

    def _broken_file(self, root: Node) -> None:
        self.broken(root)

    def start(self, root: Node) -> Builder:
        """A builder for this language; may look at the whole tree first."""
        raise NotImplementedError

    def changed_in(self, node: Node) -> set[str]:
        """The names of objects that a function's text may change, where another function encloses it.

        By the text alone: comments and names of its own are among them. Functions in functions are looked through one
        by one while that is less than the whole file twice; then the file is, once. So it is linear in the file and in
        what is found.
        """
        if self.changing is None or self.b.frame.parent is None:
            return set()
        start, end = node.start_byte, node.end_byte
        self._looked_through += end - start
        if self._looked_through <= 2 * len(self.source):
            return set(self._changes_between(start, end)[1])
        if self._changes is None:
            self._changes = self._changes_between(0, len(self.source))
        places, names = self._changes
        return set(names[bisect_left(places, start) : bisect_left(places, end)])

    def read_inside(self, node: Node) -> None:
        """Count the variables in a short function as read by the expression that it stands in, so that a condition on
        that expression is also one on what the function captures: ``roots.some(r => x.startsWith(r))``.
        """
        names: dict[str, None] = {}
        work, count = [node], 0
        while work:
            at = work.pop()
            count += 1
            if count > MAX_READ_NODES:
                return
            if at.type == "identifier":
                names[self.text(at)] = None
            else:
                work.extend(child for child in reversed(at.named_children) if not child.is_extra)
        for name in names:
            version = self.b.current(name)
            if version != NONE:
                self.b.reads.append(version)

    def _changes_between(self, start: int, end: int) -> tuple[list[int], list[str]]:
        """Where ``changing`` matches, and the names there."""
        assert self.changing is not None
        found = [
            (match.start(), match[1].decode("utf-8", "replace"))
            for match in self.changing.finditer(self.source, start, end)
            if not match[3] or match[2] in self.changing_methods
        ]
        return [at for at, _ in found], [name for _, name in found]

    def program(self, root: Node) -> None:
        """Lower the file's top level."""
        self.statements(root.named_children)

    # -- walking -------------------------------------------------------------------------------------------------------

    def handle(self, node: Node) -> int | None:
        try:
            method = self._table[node.kind_id]
        except IndexError:  # an error has the largest number there is
            return self.broken(node)
        return method(self, node)

    def value(self, node: Node | None) -> int:
        """The value of an expression; of something that has none, an opaque constant."""
        if node is None:
            return self.b.opaque(_NOWHERE)
        try:
            method = self._table[node.kind_id]  # as ``handle`` does, which half of all calls of it would come from
        except IndexError:
            return self.broken(node)
        result = method(self, node)
        return self.b.opaque(node) if result is None else result

    def statement(self, node: Node) -> None:
        self.b.forget_reads()
        self.handle(node)

    def statements(self, nodes: Iterable[Node]) -> None:
        """Lower statements until control cannot go on; a language with labels overrides this."""
        b = self.b
        if self._lowering is not b.frame:
            self.outermost(nodes)
            return
        for node in nodes:
            if not b.begin_statement():
                break
            self.handle(node)

    # -- what breaks off

    def outermost(self, nodes: Iterable[Node], *, always: bool = False) -> None:
        """Lower statements that stand in no other one of their function: where one is nested too deeply, it alone is
        left out.

        ``always``: also where control cannot be.
        """
        b = self.b
        frame = self._lowering = b.frame
        mark, context = Mark(frame), self._context()
        for node in nodes:
            if always:
                b.label()
            if not b.begin_statement():
                break
            mark.block = frame.block
            try:
                self.handle(node)
            except RecursionError:
                self._go_on(mark, context, node.start_byte, TOO_DEEP)
        self._lowering = None

    def guard(self, body: Callable[[], None]) -> None:
        """Lower the body of a function and end it: what breaks off is left out to the body's end."""
        b = self.b
        frame = b.frame
        block = frame.block
        try:
            body()
            b.end_function()
            return
        except (RecursionError, Overrun) as error:
            self._lowering = None
            deep = isinstance(error, RecursionError)
        name, start = b.name_and_start(frame.index)
        function = f"'{name}'" if name else "the top level of the file" if frame.parent is None else "a function"
        mark = Mark(Frame(frame.index, frame.parent, 0), frame)
        mark.block = block
        self._go_on(mark, self._home, start, TOO_DEEP if deep else TOO_MANY_STEPS.format(function=function))
        with suppress(Overrun):
            b.end_function()

    def _context(self) -> list[Any]:
        """Where in the program this is."""
        return [getattr(self, name) for name in self.context]

    def _go_on(self, mark: Mark, context: list[Any], start: int, message: str) -> None:
        for name, value in zip(self.context, context, strict=True):
            setattr(self, name, value)
        self.b.recover(mark)
        self._cuts.append((self.source.count(b"\n", 0, start) + 1, message))

    def _report_cuts(self) -> None:
        for left_out, message in ((self.b.budget.skipped, FILE_STEPS), (self.b.budget.too_deep, BURIED)):
            if left_out:
                start = self.b.name_and_start(left_out[0])[1]
                line = self.source.count(b"\n", 0, start) + 1
                self.b.problem("limit", line, message.format(count=len(left_out) - 1))
        for line, message in sorted(self._cuts)[:MAX_FILE_PROBLEMS]:
            self.b.problem("limit", line, message)
        if len(self._cuts) > MAX_FILE_PROBLEMS:
            line = sorted(self._cuts)[MAX_FILE_PROBLEMS][0]
            self.b.problem("limit", line, f"{len(self._cuts) - MAX_FILE_PROBLEMS} further parts are not analysed")

    def condition(self, node: Node) -> Outcome:
        """The outcome of a condition. Languages override it for their operators and fall back to truth."""
        mark = self.b.mark()
        return self.b.truth(self.value(node), node, mark)

    def spread(self, value: int, position: int, at: Node) -> list[Argument]:
        """The arguments that a spread value is, from ``position`` on: its elements, where all of them are known."""
        known = self.b.contents(value)
        if known is None or not known.sequence:
            return [Argument(value, position, at, flags=int(ArgumentFlag.SPREAD))]
        return [Argument(each, position + index, at) for index, each in enumerate(known.values)]

    # -- what is written alike in all languages ------------------------------------------------------------------------

    @on("true")
    def true(self, node: Node) -> int:
        return self.b.constant(True, node)

    @on("false")
    def false(self, node: Node) -> int:
        return self.b.constant(False, node)

    # -- fallbacks -----------------------------------------------------------------------------------------------------

    def parts(self, node: Node) -> int:
        """Made from its parts."""
        return self.b.expression(node, [v for child in node.named_children if (v := self.handle(child)) is not None])

    def nothing(self, node: Node) -> None:
        return None

    def unhandled(self, node: Node) -> int:
        self.b.unit.unhandled_nodes += 1
        return self.parts(node)

    def broken(self, node: Node) -> int:
        """A stretch that did not parse: what parsed inside it still counts."""
        self.b.unit.error_nodes += 1
        return self.parts(node)

    def _report_errors(self, root: Node) -> None:
        found = 0
        stack = [root]
        lines: list[int] = []
        last = max(self.b.unit.lines, 1)  # what is missing at the end stands behind it
        while stack:
            node = stack.pop()
            if node.is_error or node.is_missing:
                found += 1
                lines.append(min(node.start_point[0] + 1, last))
                continue
            stack.extend(child for child in node.children if child.has_error or child.is_missing)
        lines.sort()
        for line in lines[:MAX_FILE_PROBLEMS]:
            self.b.problem("syntax-error", line, "this part did not parse; the rest of the file was analysed")
        if found > MAX_FILE_PROBLEMS:
            self.b.problem(
                "syntax-error",
                lines[MAX_FILE_PROBLEMS],
                f"{found - MAX_FILE_PROBLEMS} further parts did not parse",
            )
        self.b.unit.error_nodes = max(self.b.unit.error_nodes, found)


class _Nowhere:
    start_byte = 0
    end_byte = 0


_NOWHERE = _Nowhere()
