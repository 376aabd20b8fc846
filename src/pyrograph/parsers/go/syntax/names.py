"""Names: of packages, of the file, of functions; what is known of them beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from tree_sitter import Language, Node, Query, QueryCursor

from pyrograph.ir.codes import NONE, Op
from pyrograph.parsers.builder import Builder, Constant, Mark
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.fields import Fields
from pyrograph.parsers.go.syntax.unparsed import with_plain_calls
from pyrograph.parsers.nodes import children_of, is_costly_to_query

# Conversions to these cannot carry text; to the others they keep their operand.
NUMERIC: Final = frozenset(
    (
        *("bool", "byte", "rune", "uintptr", "complex64", "complex128", "float32", "float64"),
        *("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"),
    )
)
TEXTUAL: Final = frozenset(("string", "any", "error"))
PREDECLARED: Final = (NUMERIC | TEXTUAL) | frozenset(
    ("append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min")
)
VERSION = re.compile(r"v\d+$")
VERSION_SUFFIX = re.compile(r"\.v\d+$")

_MUTATIONS = """
(func_literal) @literal
(assignment_statement left: (expression_list (_) @target))
(inc_statement (_) @target)
(dec_statement (_) @target)
(range_clause left: (expression_list (_) @target))
(receive_statement left: (expression_list (_) @target))
(send_statement channel: (_) @target)
(short_var_declaration left: (expression_list (identifier) @declared))
(range_clause left: (expression_list (identifier) @declared) ":=")
(receive_statement left: (expression_list (identifier) @declared) ":=")
(var_spec name: (identifier) @declared)
(parameter_declaration name: (identifier) @declared)
(variadic_parameter_declaration name: (identifier) @declared)
"""
_POSTFIX = frozenset(("selector_expression", "index_expression", "slice_expression", "unary_expression"))


def _walked(root: Node) -> dict[str, list[Node]]:
    """Matches of the query ``_MUTATIONS``, in time linear in the tree."""
    literals: list[Node] = []
    targets: list[Node] = []
    declared: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        kind = node.type
        if kind == "func_literal":
            literals.append(node)
        elif kind in ("assignment_statement", "range_clause", "receive_statement", "short_var_declaration"):
            left = node.child_by_field_name("left")
            names = left.named_children if left is not None and left.type == "expression_list" else []
            if kind != "short_var_declaration":
                targets += names
            if kind == "short_var_declaration" or (
                kind != "assignment_statement" and any(child.type == ":=" for child in node.children)
            ):
                declared += [name for name in names if name.type == "identifier"]
        elif kind in ("inc_statement", "dec_statement"):
            targets += node.named_children
        elif kind == "send_statement":
            targets += node.children_by_field_name("channel")
        elif kind in ("var_spec", "parameter_declaration", "variadic_parameter_declaration"):
            declared += [name for name in node.children_by_field_name("name") if name.type == "identifier"]
        stack += node.named_children
    return {"literal": literals, "target": targets, "declared": declared}


@dataclass(frozen=True, slots=True)
class Static:
    """The declared type of a variable, if the file states it: its syntax, and whether the variable points to one."""

    type: Node
    pointer: bool = False


@dataclass(slots=True)
class Named:
    """A type declared in this file."""

    type: Node  # what it is declared to be
    value: int
    owner: int  # row in owners
    fields: dict[str, Node] | None = None  # of a struct, in order of declaration; read on first use


@dataclass(slots=True)
class Here:
    """Facts about a function that its statements need."""

    cells: frozenset[str] = frozenset()  # names that its function literals change
    targets: dict[str, list[int]] = field(default_factory=dict)  # labels that gotos name, and where the gotos stand
    recovers: bool = False  # a panic may end in a normal return
    generics: dict[str, Node | None] = field(default_factory=dict)  # type parameters, with their constraints
    results: list[tuple[str, Node]] = field(default_factory=list)  # named results, with the name's place
    last: str = ""  # text of the last result's type
    types: list[Node] = field(default_factory=list)  # of the results, where there are several
    together: int = NONE  # the one object that all returns of several values give a state to, however many there are
    breaks: list[str] = field(default_factory=list)  # labels of what ``break`` and ``continue`` leave
    continues: list[str] = field(default_factory=list)
    addressed: set[str] = field(default_factory=set)  # variables whose address was taken
    yields: str = ""  # of an iterator: the parameter that it calls with each value; else ""


class Names(Fields):
    """Meanings of names, and questions about nodes that every module of the package asks."""

    _mutations: ClassVar[Query]

    def _context(self) -> list[Any]:
        here = self.here
        return [here, here.targets, len(here.breaks), len(here.continues)]

    def _go_on(self, mark: Mark, context: list[Any], start: int, message: str) -> None:
        super()._go_on(mark, [], start, message)
        here = self.here = context[0]
        here.targets, self.late = context[1], False
        del here.breaks[context[2] :]
        del here.continues[context[3] :]

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_go

        return Language(tree_sitter_go.language())

    @classmethod
    def prepare(cls) -> None:
        if "_table" in cls.__dict__:
            return
        super().prepare()
        cls._mutations = Query(cls._grammar, _MUTATIONS)

    def parseable(self, source: bytes, root: Node) -> bytes:
        return with_plain_calls(source)

    def start(self, root: Node) -> Builder:
        self.here = Here()
        self.named: dict[str, Named] = {}
        self.unnamed: dict[tuple[int, int], int] = {}  # (function, id of a struct type without a name) -> its class
        self.imports: dict[str, str] = {}  # bound name -> path
        self.results: dict[str, int] = {}  # package-level function -> number of results
        self.wanted: dict[tuple[str, str], int] = {}  # (kind of declaration, name) -> number of parameters
        self.signatures: dict[str, Node] = {}  # package-level function -> its declaration
        self.statics: dict[tuple[int, str], Static] = {}  # (function, variable) -> declared type
        self.constants: dict[tuple[int, str], Constant] = {}  # (function, name) -> value of a const declaration
        self.constant_types: dict[tuple[int, str], Node] = {}  # (function, name) -> type of a const declaration
        self.constant_names: set[str] = set()
        self.typed_constants: set[int] = set()  # values of constants with a type of the program
        self.fixed = set(PREDECLARED)  # package-level names that nothing assigns: packages, types, functions
        self.variables: set[str] = set()  # package-level variables of this file
        self.globals: dict[tuple[int, str], int] = {}  # (function, fixed name) -> its value there
        self.members: dict[tuple[int, int], int] = {}  # (package's value, key) -> what is read from it
        self.iota = 0
        self.label: str | None = None  # label of the statement that comes next
        self.inits: list[tuple[int, Node]] = []
        self.late = False  # the function literal that comes next is deferred
        self.channels: set[int] = set()  # channels where they are made
        return Builder(self.language, declares=True, package_scope=True)

    @on("identifier", "package_identifier")
    def name(self, node: Node) -> int:
        name = self.text(node)
        if name in self.constant_names:
            constant = self._constant_named(name)
            if constant is not self:
                return self.b.constant(constant, node)  # type: ignore[arg-type]
        if name in self.fixed:
            return self._fixed(name, node)
        return self.b.read(name, node)

    def _fixed(self, name: str, at: Node) -> int:
        """A package, type or function by name: one value a function, that no loop changes and no condition is about."""
        b = self.b
        frame = b.frame
        if frame.parent is None:
            value = b.read(name, at)
            b.reads.pop()
            return value
        if self._is_local(name):
            return b.read(name, at)
        known = self.globals.get((frame.index, name))
        if known is None:
            known = self.globals[frame.index, name] = b.new(Op.GLOBAL, at, b.string(name))
        return known

    def _qualified(self, package: Node, name: Node, at: Node) -> int:
        """``package.Name``."""
        b = self.b
        obj = self._fixed(self.text(package), package)
        key = b.key(self.text(name))
        member = self.members.get((obj, key))
        if member is None:
            mark = len(b.reads)
            member = b.load(obj, key, at)
            if b.ops[obj] in (Op.GLOBAL, Op.IMPORT):  # not a version that a loop outside functions makes
                self.members[obj, key] = member
            del b.reads[mark:]
        return member

    @on("blank_identifier")
    def blank(self, node: Node) -> int:
        return self.b.opaque(node)

    @on("iota")
    def iota_value(self, node: Node) -> int:
        return self.b.constant(self.iota, node)

    def _slots(self, name: str) -> Iterator[tuple[int, str]]:
        """Where what is known of ``name`` here is kept: in the function that declares it."""
        frame = self.b.frame
        slot = frame.scope.renamed.get(name, name)
        while True:
            if frame.parent is None or name in frame.scope.declared:
                yield frame.index, slot
                return
            slot = frame.scope.outer_renamed.get(name, name)
            frame = frame.parent

    def _constant_named(self, name: str) -> object:
        """The value of the constant ``name``; ``self`` where the name is something else here."""
        for slot in self._slots(name):
            return self.constants.get(slot, self)
        return self

    def _is_local(self, name: str) -> bool:
        """Whether a function around here declares ``name``."""
        frame = self.b.frame
        while frame.parent is not None:
            if name in frame.scope.declared:
                return True
            frame = frame.parent
        return False

    def _package(self, node: Node) -> str | None:
        """The import path, where ``node`` names an imported package."""
        kind = node.type
        if kind != "identifier" and kind != "package_identifier":
            return None
        name = self.text(node)
        path = self.imports.get(name)
        return None if path is None or self._is_local(name) else path

    def _label_of(self, node: Node) -> str | None:
        for child in node.named_children:
            if child.type == "label_name":
                return self.text(child)
        return None

    def _mutated(self, root: Node) -> dict[str, list[Node]]:
        """Function literals, targets of assignments and declared names below ``root``, each list in no order."""
        return _walked(root) if is_costly_to_query(root) else QueryCursor(self._mutations).captures(root)

    def _root_name(self, node: Node) -> str:
        """``x`` of ``x``, ``x.f``, ``x[i].g``, ``*x``."""
        found: Node | None = node
        while found is not None:
            kind = found.type
            if kind == "identifier":
                return self.text(found)
            if kind in _POSTFIX:
                found = found.child_by_field_id(self.OPERAND)
            elif kind == "parenthesized_expression":
                found = first_of(found)
            else:
                return ""
        return ""

    def _changed_outside(self, name: str) -> None:
        """A store into an object of an enclosing function's variable is seen there."""
        if name and name in self.here.cells:
            b = self.b
            if name not in b.frame.scope.declared and b.frame.parent is not None:
                value = b.current(name)
                if value != NONE:
                    b.write(name, value)

    def _goto_targets(self, node: Node) -> dict[str, list[int]]:
        targets: dict[str, list[int]] = {}
        stack = [node]
        while stack:
            found = stack.pop()
            if found.type == "goto_statement":
                targets.setdefault(self._label_of(found) or "", []).append(found.start_byte)
            stack.extend(found.named_children)
        return targets


def package_name(path: str) -> str:
    """The name that an import without one binds, guessed from its path: the package clause is in another repository.

    >>> [package_name(path) for path in ("net/http", "x.org/echo/v4", "gopkg.in/yaml.v2", "x.org/go-b", "x.org/jwt-go")]
    ['http', 'echo', 'yaml', 'b', 'jwt']
    >>> package_name("resty.dev/v3")  # a module at the root of a host
    'resty'
    """
    parts = path.rstrip("/").split("/")
    name = parts.pop()
    if VERSION.match(name) and parts:
        name = parts.pop()
    if not parts and "." in name:
        return name.partition(".")[0].replace("-", "_")
    name = VERSION_SUFFIX.sub("", name)
    for prefix in ("go-", "go."):
        if name.startswith(prefix) and len(name) > len(prefix):
            name = name[len(prefix) :]
    for suffix in ("-go", ".go"):
        if name.endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
    return name.replace("-", "_").replace(".", "_")


def first_of(node: Node) -> Node | None:
    """The first of ``children_of(node)``, if there is one."""
    return next(iter(children_of(node)), None)
