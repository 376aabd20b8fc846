"""The Go front end.

What holds of a lowered Go file:

* ``&x``, ``*p`` and ``x`` are one value. A store through a pointer makes a new state of the object, which every name
  bound to it sees; ``*p = v`` makes ``v`` the state of whatever ``p`` points to.
* A function that returns several values returns one container with the keys ``"0"``, ``"1"``, …; where a call's results
  are taken apart, the call says ``MULTI`` and the results are loads. A single-valued use takes the result itself.
* A channel, and whatever a ``range`` runs over, is an object whose elements are under ``UNKNOWN_KEY``.
* ``x == nil`` is the truth of ``x``, inverted: "this error is nil" and "this call did not fail" are one.
* A function whose last result is an ``error`` or a ``bool`` leaves by true or false exits, as that result is.
* Package-level names know no order: declarations are lowered before functions' bodies; names that other files may
  define stay ``GLOBAL``.

Types are read only as far as the names in them go: declared types of variables, parameters, fields and results become
``types`` rows. What the elements of a slice or map are is looked up in this file, because elements have no declaration
of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Final

from tree_sitter import Language, Node, Query, QueryCursor

from pyrograph.ir.unit import (
    INTERFACE,
    NONE,
    RECEIVER,
    UNKNOWN_KEY,
    CallFlag,
    FunctionFlag,
    Op,
    Operator,
    ParameterKind,
    Test,
)
from pyrograph.parsers.builder import Argument, Builder, Constant, Outcome, trips
from pyrograph.parsers.frontend import FrontEnd, on

_NO_NAMES: Final = ("_", "")  # the blank identifier, and one that the parser put where it missed one
MAX_FALLTHROUGH: Final = 16  # bodies that one case may fall through
MAX_TYPE_DEPTH: Final = 8  # steps: through named types to a composite one, through accesses to a declared one
MAX_SHIFT: Final = 256  # constant shifts beyond this are left alone
BACK: Final = "back to "  # the loop that backward gotos make of the statements after their label
FORWARD: Final = "on to "  # the region that forward gotos leave

# Conversions to these cannot carry text; to the others they keep their operand.
NUMERIC: Final = frozenset(
    (
        *("bool", "byte", "rune", "uintptr", "complex64", "complex128", "float32", "float64"),
        *("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"),
    )
)
TEXTUAL: Final = frozenset(("string", "any", "error"))

_NO_TYPES: Final = ("any", "comparable")  # say nothing of a value
_PREDECLARED: Final = (NUMERIC | TEXTUAL) | frozenset(
    ("append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min")
)

# Standard functions after which control does not come back.
NEVER_RETURN: Final = {
    "os": frozenset(("Exit",)),
    "log": frozenset(("Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln")),
    "runtime": frozenset(("Goexit",)),
}
# Standard functions whose result is an error, never nil.
NEVER_NIL: Final = {"errors": frozenset(("New",)), "fmt": frozenset(("Errorf",))}

_LITERAL = re.compile(rb"\bfunc\s*\(")
_ESCAPE = re.compile(rb"\\([abfnrtv\\'\"]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_SIMPLE_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_VERB = re.compile(r"%[-+# 0]*[0-9]*(?:\.[0-9]+)?[%a-zA-Z]")
_VERSION = re.compile(r"v\d+$")
_VERSION_SUFFIX = re.compile(r"\.v\d+$")

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

_WRAPPED_TYPES = frozenset(
    ("pointer_type", "parenthesized_type", "unary_expression", "parenthesized_expression", "type_elem")
)
_POSTFIX = frozenset(("selector_expression", "index_expression", "slice_expression", "unary_expression"))


@dataclass(frozen=True, slots=True)
class Static:
    """The declared type of a variable, as far as the file tells: its syntax, and whether the variable points to one."""

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
    """What the statements of one function need to know about it."""

    cells: frozenset[str] = frozenset()  # names that its function literals change
    targets: dict[str, list[int]] = field(default_factory=dict)  # labels that gotos name, and where the gotos stand
    recovers: bool = False  # a panic may end in a normal return
    generics: dict[str, Node | None] = field(default_factory=dict)  # type parameters, with their constraints
    results: list[tuple[str, Node]] = field(default_factory=list)  # named results, with the name's place
    last: str = ""  # text of the last result's type
    types: list[Node] = field(default_factory=list)  # of the results, where there are several
    breaks: list[str] = field(default_factory=list)  # labels of what ``break`` and ``continue`` leave
    continues: list[str] = field(default_factory=list)
    addressed: set[str] = field(default_factory=set)  # variables whose address was taken


@dataclass(slots=True)
class Case:
    """One clause of a switch: its values (empty: default) and statements."""

    at: Node
    values: list[Node]
    body: list[Node]
    falls: bool


@dataclass(frozen=True, slots=True)
class Target:
    """The left side of an assignment, its operands already evaluated."""

    at: Node
    name: str = ""  # a variable
    obj: int = NONE  # a field or element of this object …
    key: int = UNKNOWN_KEY
    pointer: bool = False  # … or what ``obj`` points to
    root: str = ""  # the variable that the object was reached from


class Go(FrontEnd):
    """Lowers one Go file."""

    language = "go"
    made_of_parts = (
        "expression_list",
        "argument_list",
        "literal_value",
        "literal_element",
        "keyed_element",
        "variadic_argument",
        "statement_list",
        "for_clause",
        "range_clause",
        "expression_case",
        "default_case",
        "type_case",
        "communication_case",
        "var_spec_list",
        "parameter_list",
        "field_declaration_list",
        "type_arguments",
        "type_parameter_list",
        "import_spec_list",
    )
    ignored = (
        "comment",
        "empty_statement",
        "dot",
        "label_name",
        "escape_sequence",
        "raw_string_literal_content",
        "interpreted_string_literal_content",
        "field_identifier",
        "fallthrough_statement",
        "parameter_declaration",
        "variadic_parameter_declaration",
        "type_parameter_declaration",
        "type_constraint",
        "type_elem",
        "method_elem",
        "field_declaration",
        "negated_type",
        "const_spec",
    )

    ALIAS: ClassVar[int]
    ALTERNATIVE: ClassVar[int]
    ARGUMENTS: ClassVar[int]
    BODY: ClassVar[int]
    CHANNEL: ClassVar[int]
    COMMUNICATION: ClassVar[int]
    CONDITION: ClassVar[int]
    CONSEQUENCE: ClassVar[int]
    ELEMENT: ClassVar[int]
    END: ClassVar[int]
    FIELD: ClassVar[int]
    FUNCTION: ClassVar[int]
    INDEX: ClassVar[int]
    INITIALIZER: ClassVar[int]
    KEY: ClassVar[int]
    LABEL: ClassVar[int]
    LEFT: ClassVar[int]
    NAME: ClassVar[int]
    OPERAND: ClassVar[int]
    OPERATOR: ClassVar[int]
    PACKAGE: ClassVar[int]
    PARAMETERS: ClassVar[int]
    PATH: ClassVar[int]
    RESULT: ClassVar[int]
    RIGHT: ClassVar[int]
    START: ClassVar[int]
    TYPE: ClassVar[int]
    TYPE_PARAMETERS: ClassVar[int]
    UPDATE: ClassVar[int]
    VALUE: ClassVar[int]
    _mutations: ClassVar[Query]

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_go

        return Language(tree_sitter_go.language())

    @classmethod
    def prepare(cls) -> None:
        if "_table" in cls.__dict__:
            return
        super().prepare()
        for name in Go.__annotations__:
            if name.isupper():
                number = cls._grammar.field_id_for_name(name.lower())
                assert number is not None, name
                setattr(cls, name, number)
        cls._mutations = Query(cls._grammar, _MUTATIONS)

    def start(self, root: Node) -> Builder:
        self.here = Here()
        self.named: dict[str, Named] = {}
        self.imports: dict[str, str] = {}  # bound name -> path
        self.results: dict[str, int] = {}  # package-level function -> number of results
        self.signatures: dict[str, Node] = {}  # package-level function -> its declaration
        self.statics: dict[tuple[int, str], Static] = {}  # (function, variable) -> declared type
        self.constants: dict[tuple[int, str], Constant] = {}  # (function, name) -> value of a const declaration
        self.constant_names: set[str] = set()
        self.fixed = set(_PREDECLARED)  # package-level names that nothing assigns: packages, types, functions
        self.variables: set[str] = set()  # package-level variables of this file
        self.globals: dict[tuple[int, str], int] = {}  # (function, fixed name) -> its value there
        self.members: dict[tuple[int, int], int] = {}  # (package's value, key) -> what is read from it
        self.iota = 0
        self.label: str | None = None  # label of the statement that comes next
        self.inits: list[tuple[int, Node]] = []
        self.late = False  # the function literal that comes next is deferred
        self.channels: set[int] = set()  # channels where they are made
        return Builder(self.language, declares=True, package_scope=True)

    # -- the file ------------------------------------------------------------------------------------------------------

    def program(self, root: Node) -> None:
        """Types first, then constants, functions and variables: a use may stand before its declaration."""
        types: list[Node] = []
        constants: list[Node] = []
        functions: list[Node] = []
        rest: list[Node] = []
        lists = {
            "type_declaration": types,
            "const_declaration": constants,
            "function_declaration": functions,
            "method_declaration": functions,
        }
        for child in root.named_children:
            kind = child.type
            if kind == "package_clause" or kind == "import_declaration":
                self.handle(child)
            else:
                lists.get(kind, rest).append(child)
        self._declare_types([spec for declaration in types for spec in declaration.named_children])
        for node in constants:
            self.statement(node)
        for node in functions:
            if node.type == "function_declaration":
                self._register(node)
        for node in functions:
            self.statement(node)
        for node in rest:
            self.b.label()
            self.statement(node)
        self.b.label()
        for function, node in self.inits:
            self.b.call(node, function, [])

    @on("package_clause")
    def package(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "package_identifier":
                self.b.unit.package = self.text(child)

    @on("import_declaration")
    def import_declaration(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "import_spec_list":
                for spec in child.named_children:
                    self.handle(spec)
            else:
                self.handle(child)

    @on("import_spec")
    def import_spec(self, node: Node) -> None:
        path_node = node.child_by_field_id(self.PATH)
        if path_node is None:
            return
        path = self.text(path_node)[1:-1]
        name_node = node.child_by_field_id(self.NAME)
        if name_node is None:
            name = package_name(path)
        elif name_node.type == "dot":
            self.b.export("*", self.b.import_(node, path, "*"))
            return
        else:
            name = self.text(name_node)
        value = self.b.import_(node, path)
        if name not in _NO_NAMES:
            self.imports[name] = path
            self.fixed.add(name)
            self.b.declare(name)
            self.b.write(name, value)

    # -- names ---------------------------------------------------------------------------------------------------------

    @on("identifier", "package_identifier")
    def name(self, node: Node) -> int:
        name = self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")
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
        key = b.key(self.source[name.start_byte : name.end_byte].decode("utf-8", "replace"))
        member = self.members.get((obj, key))
        if member is None:
            mark = len(b.reads)
            member = self.members[obj, key] = b.load(obj, key, at)
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
        slot = frame.renamed.get(name, name)
        while True:
            if frame.parent is None or name in frame.declared:
                yield frame.index, slot
                return
            slot = frame.outer_renamed.get(name, name)
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
            if name in frame.declared:
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

    def _declare(self, node: Node, value: int, static: Static | None = None) -> None:
        """A new variable named by ``node``."""
        name = self.text(node)
        if name in _NO_NAMES:
            return
        b = self.b
        b.declare(name)
        frame = b.frame
        slot = frame.renamed.get(name, name)
        if name in self.constant_names:
            self.constants.pop((frame.index, slot), None)
        if static is not None:
            self.statics[frame.index, slot] = static
        if frame.parent is not None and self._is_plain(value, static):
            b.plain(name)
        b.write(name, value)

    def _is_plain(self, value: int, static: Static | None) -> bool:
        """Whether a new variable is text or a number: by its type, or by what it is made of."""
        if static is not None:
            return not static.pointer and self._is_plain_type(static.type)
        b = self.b
        return value in b.texts or b.constants.get(value) is not None

    def _is_plain_type(self, type_node: Node | None) -> bool:
        if type_node is None or type_node.type == "pointer_type":
            return False
        underlying = self._underlying(type_node)
        if underlying is None or underlying.type not in ("type_identifier", "identifier"):
            return False
        name = self.text(underlying)
        return (name == "string" or name in NUMERIC) and name not in self.here.generics

    # -- types ---------------------------------------------------------------------------------------------------------

    def type_value(self, node: Node | None) -> int:
        """The value of the type's name, through pointers and type arguments; NONE for a type without one."""
        b = self.b
        mark = b.mark()
        value = self._named_type(node, 0)
        del b.reads[mark:]  # a type's name is no variable that a condition could say something about
        return value

    def _named_type(self, node: Node | None, depth: int) -> int:
        while node is not None:
            kind = node.type
            if kind == "type_identifier" or kind == "identifier":
                name = self.text(node)
                if name in _NO_TYPES:
                    return NONE
                generics = self.here.generics
                if name in generics:
                    return self._named_type(generics[name], depth + 1) if depth < MAX_TYPE_DEPTH else NONE
                return self._fixed(name, node)
            if kind == "qualified_type":
                package = node.child_by_field_id(self.PACKAGE)
                name_node = node.child_by_field_id(self.NAME)
                if package is None or name_node is None:
                    return NONE
                return self._qualified(package, name_node, node)
            if kind == "selector_expression":
                return self.value(node)
            if kind == "generic_type" or kind == "type_instantiation_expression":
                node = node.child_by_field_id(self.TYPE)
            elif kind == "pointer_type" or kind == "parenthesized_type" or kind == "parenthesized_expression":
                node = _first(node)
            elif kind == "unary_expression" or kind == "index_expression":
                node = node.child_by_field_id(self.OPERAND)
            elif kind == "type_constraint" or kind == "type_elem":
                children = node.named_children
                node = children[0] if len(children) == 1 else None
            else:
                return NONE
        return NONE

    def _base_name(self, node: Node | None) -> str:
        """The last name in a type: ``T`` of ``*pkg.T[int]``; empty for composite types."""
        while node is not None:
            kind = node.type
            if kind == "type_identifier" or kind == "identifier":
                return self.text(node)
            if kind == "qualified_type":
                node = node.child_by_field_id(self.NAME)
            elif kind == "generic_type":
                node = node.child_by_field_id(self.TYPE)
            elif kind in _WRAPPED_TYPES:
                node = _first(node)
            else:
                return ""
        return ""

    def _underlying(self, node: Node | None) -> Node | None:
        """The composite type that ``node`` stands for, through pointers and the names of this file."""
        for _ in range(MAX_TYPE_DEPTH):
            if node is None:
                return None
            kind = node.type
            if kind == "type_identifier" or kind == "identifier":
                known = self.named.get(self.text(node))
                if known is None:
                    return node
                node = known.type
            elif kind == "pointer_type" or kind == "parenthesized_type":
                node = _first(node)
            elif kind == "generic_type":
                node = node.child_by_field_id(self.TYPE)
            else:
                return node
        return None

    def _element(self, node: Node | None) -> Node | None:
        """The type of the elements of a slice, array, map or channel."""
        node = self._underlying(node)
        if node is None:
            return None
        kind = node.type
        if kind == "slice_type" or kind == "array_type" or kind == "implicit_length_array_type":
            return node.child_by_field_id(self.ELEMENT)
        if kind == "map_type" or kind == "channel_type":
            return node.child_by_field_id(self.VALUE)
        return None

    def _fields(self, node: Node | None) -> dict[str, Node]:
        """The fields of a struct type, in order; embedded ones by the name of their type."""
        node = self._underlying(node)
        if node is None or node.type != "struct_type":
            return {}
        fields: dict[str, Node] = {}
        for name, type_node in self._field_declarations(node):
            fields[self.text(name) if name is not None else self._base_name(type_node)] = type_node
        return fields

    def _field_declarations(self, struct: Node) -> Iterator[tuple[Node | None, Node]]:
        for block in struct.named_children:
            for declaration in block.named_children:
                if declaration.type != "field_declaration":
                    continue
                type_node = declaration.child_by_field_id(self.TYPE)
                if type_node is None:
                    continue
                names = declaration.children_by_field_name("name")
                if not names:
                    yield None, type_node
                for name in names:
                    yield name, type_node

    def _static(self, node: Node | None, depth: int = 0) -> Static | None:
        """The declared type of an expression, as far as this file tells without evaluating anything."""
        if node is None or depth > MAX_TYPE_DEPTH:
            return None
        depth += 1
        kind = node.type
        if kind == "identifier":
            for slot in self._slots(self.text(node)):
                return self.statics.get(slot)
        if kind == "composite_literal" or kind == "type_assertion_expression" or kind == "type_conversion_expression":
            type_node = node.child_by_field_id(self.TYPE)
            return None if type_node is None else Static(type_node, type_node.type == "pointer_type")
        if kind == "selector_expression":
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            name = node.child_by_field_id(self.FIELD)
            if base is None or name is None:
                return None
            return _static(self._fields_of(base.type).get(self.text(name)))
        if kind == "index_expression":
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            return None if base is None else _static(self._element(base.type))
        if kind == "unary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            if base is None or operator is None:
                return None
            if operator.type == "&":
                return Static(base.type, True)
            if operator.type == "*":
                return Static(base.type, False)
            return _static(self._element(base.type)) if operator.type == "<-" else None
        if kind == "slice_expression" or kind == "parenthesized_expression":
            return self._static(_first(node), depth)
        return self._static_call(node, depth) if kind == "call_expression" else None

    def _static_call(self, node: Node, depth: int) -> Static | None:
        function = node.child_by_field_id(self.FUNCTION)
        if function is None or function.type != "identifier":
            return None
        name = self.text(function)
        if (name == "string" or name in NUMERIC) and not self._is_local(name):
            return Static(function)
        if name == "make" or name == "new" or name == "append":
            arguments = node.child_by_field_id(self.ARGUMENTS)
            first = None if arguments is None else _first(arguments)
            if name == "append":
                return self._static(first, depth)
            return None if first is None else Static(first, name == "new")
        declaration = self.signatures.get(name)
        if declaration is None or self._is_local(name):
            return None
        result = declaration.child_by_field_id(self.RESULT)
        return None if result is None or result.type == "parameter_list" else _static(result)

    def _fields_of(self, type_node: Node) -> dict[str, Node]:
        name = self._base_name(type_node)
        known = self.named.get(name)
        if known is None:
            return self._fields(type_node)
        if known.fields is None:
            known.fields = self._fields(known.type)
        return known.fields

    def _is_struct(self, static: Static | None) -> bool:
        """Whether a variable of this type is a struct itself, so that assigning it copies."""
        if static is None or static.pointer or static.type.type == "pointer_type":
            return False
        underlying = self._underlying(static.type)
        return underlying is not None and underlying.type == "struct_type"

    @on("type_declaration")
    def type_declaration(self, node: Node) -> None:
        self._declare_types(node.named_children)

    def _declare_types(self, specs: Sequence[Node]) -> None:
        """All names first, because types of one block may name each other."""
        b = self.b
        later: list[tuple[Node, Named]] = []
        for spec in specs:
            name_node = spec.child_by_field_id(self.NAME)
            type_node = spec.child_by_field_id(self.TYPE)
            if name_node is None or type_node is None:
                continue
            name = self.text(name_node)
            kind = spec.type
            if kind == "type_alias" and self._base_name(type_node):
                value = self.type_value(type_node)
                if value != NONE:
                    self.named[name] = Named(type_node, value, NONE)
                    self._declare(name_node, value)
                continue
            value, owner = b.class_(name_node, name)
            known = Named(type_node, value, owner)
            self.named[name] = known
            if b.frame.parent is None:
                self.fixed.add(name)
            self._declare(name_node, value)
            later.append((spec, known))
        for spec, known in later:
            self._type_body(spec, known)

    def _type_body(self, spec: Node, known: Named) -> None:
        """Fields, methods and bases of a declared type."""
        b = self.b
        outer = self.here.generics
        parameters = spec.child_by_field_id(self.TYPE_PARAMETERS)
        if parameters is not None:
            self.here.generics = {**outer, **self._generics(parameters)}
        node = known.type
        if node.type == "struct_type":
            for name, type_node in self._field_declarations(node):
                value = self.type_value(type_node)
                if name is None:
                    if value != NONE:
                        b.base(known.owner, value)
                    b.field(known.value, self._base_name(type_node), value, type_node)
                else:
                    b.field(known.value, self.text(name), value, name)
        elif node.type == "interface_type":
            b.field(known.value, INTERFACE, NONE, node)
            for child in node.named_children:
                if child.type == "method_elem":
                    name = child.child_by_field_id(self.NAME)
                    if name is not None:
                        b.field(known.value, self.text(name), NONE, name)
                elif child.type == "type_elem" and (value := self.type_value(child)) != NONE:
                    b.base(known.owner, value)
        elif (value := self.type_value(node)) != NONE:
            b.base(known.owner, value)
        self.here.generics = outer

    def _generics(self, parameters: Node) -> dict[str, Node | None]:
        names: dict[str, Node | None] = {}
        for declaration in parameters.named_children:
            constraint = declaration.child_by_field_id(self.TYPE)
            for name in declaration.children_by_field_name("name"):
                names[self.text(name)] = constraint
        return names

    @on(
        "type_identifier",
        "qualified_type",
        "generic_type",
        "pointer_type",
        "array_type",
        "implicit_length_array_type",
        "slice_type",
        "map_type",
        "channel_type",
        "function_type",
        "struct_type",
        "interface_type",
        "parenthesized_type",
    )
    def type_as_value(self, node: Node) -> int:
        value = self.type_value(node)
        return self.b.opaque(node) if value == NONE else value

    @on("type_instantiation_expression")
    def instantiation(self, node: Node) -> int:
        """``f[int, string]`` is ``f``."""
        inner = node.child_by_field_id(self.TYPE)
        return self.b.opaque(node) if inner is None else self.value(inner)

    # -- functions -----------------------------------------------------------------------------------------------------

    def _register(self, node: Node) -> None:
        name = node.child_by_field_id(self.NAME)
        if name is not None:
            self.signatures[self.text(name)] = node
            self.results[self.text(name)] = self._count_results(node.child_by_field_id(self.RESULT))
            self.fixed.add(self.text(name))

    def _count_results(self, result: Node | None) -> int:
        if result is None:
            return 0
        if result.type != "parameter_list":
            return 1
        return sum(len(d.children_by_field_name("name")) or 1 for d in result.named_children if d.type != "comment")

    @on("function_declaration")
    def function_declaration(self, node: Node) -> None:
        name_node = node.child_by_field_id(self.NAME)
        if name_node is None:
            self.parts(node)
            return
        name = self.text(name_node)
        function = self._function(node, name, name_node, self._new_here(node))
        if name == "init":
            self.inits.append((function, node))
        else:
            self._declare(name_node, function)

    @on("method_declaration")
    def method_declaration(self, node: Node) -> None:
        name_node = node.child_by_field_id(self.NAME)
        receiver = node.child_by_field_id(self.RECEIVER)
        if name_node is None or receiver is None:
            self.parts(node)
            return
        here = self._new_here(node)
        declaration = _first(receiver)
        type_node = None if declaration is None else declaration.child_by_field_id(self.TYPE)
        here.generics.update(self._receiver_generics(type_node))
        name = self.text(name_node)
        known = self.named.get(self._base_name(type_node))
        owner = NONE if known is None else known.owner
        function = self._function(node, name, name_node, here, receiver, owner)
        type_value = self.type_value(type_node)
        if type_value != NONE:
            self.b.member(type_value, name, function)

    RECEIVER: ClassVar[int]

    def _receiver_generics(self, type_node: Node | None) -> dict[str, Node | None]:
        """The type parameters that ``func (r *List[T])`` brings in."""
        while type_node is not None and type_node.type in ("pointer_type", "parenthesized_type"):
            type_node = _first(type_node)
        if type_node is None or type_node.type != "generic_type":
            return {}
        arguments = type_node.child_by_field_name("type_arguments")
        names = [] if arguments is None else [self.text(child) for child in arguments.named_children]
        return dict.fromkeys(names)

    def _new_here(self, node: Node) -> Here:
        """What is to be known of a package-level function before its body is lowered."""
        here = Here()
        body = self.source[node.start_byte : node.end_byte]
        if _LITERAL.search(body, 5) is not None:
            here.cells = self._changed_by_literals(node)
        here.recovers = b"recover()" in body
        if b"goto" in body:
            here.targets = self._goto_targets(node)
        parameters = node.child_by_field_id(self.TYPE_PARAMETERS)
        if parameters is not None:
            here.generics = self._generics(parameters)
        return here

    def _function(
        self, node: Node, name: str, name_at: Node, here: Here, receiver: Node | None = None, owner: int = NONE
    ) -> int:
        parameters = node.child_by_field_id(self.PARAMETERS)
        result = node.child_by_field_id(self.RESULT)
        body = node.child_by_field_id(self.BODY)

        def lower() -> None:
            self.here = here
            self.label = None
            self.b.cell_names = here.cells
            self.b.frame.catches = here.recovers and self.b.frame.parent is self.b.module
            if receiver is not None:
                self._parameters(receiver, receiver=True)
            if parameters is not None:
                self._parameters(parameters)
            if result is not None:
                self._results(result)
            if body is not None:
                for child in body.named_children:
                    self.statements(child.named_children)
            if here.results and (self.b.reachable or here.recovers):
                self.b.label()
                self._return_named(node)

        flags = int(FunctionFlag.METHOD if receiver is not None else 0) | (0 if name else int(FunctionFlag.LAMBDA))
        late, self.late = self.late, False
        return self.b.function(node, name, lower, flags=flags, owner=owner, name_at=name_at, late=late)

    @on("func_literal")
    def function_literal(self, node: Node) -> int:
        outer = self.here
        recovers = self.source.find(b"recover()", node.start_byte, node.end_byte) >= 0
        here = Here(outer.cells, outer.targets, recovers, outer.generics)
        if self.b.frame.parent is None and _LITERAL.search(self.source, node.start_byte + 5, node.end_byte):
            here.cells = self._changed_by_literals(node, inner=True)
        return self._function(node, "", node, here)

    def _parameters(self, node: Node, receiver: bool = False) -> None:
        position = 0
        for declaration in node.named_children:
            kind = declaration.type
            if kind == "comment":
                continue
            variadic = kind == "variadic_parameter_declaration"
            type_node = declaration.child_by_field_id(self.TYPE)
            type_value = NONE if variadic else self.type_value(type_node)
            names: list[Node | None] = list(declaration.children_by_field_name("name"))
            for name in names or [None]:
                if receiver:
                    place, of_kind = RECEIVER, ParameterKind.RECEIVER
                else:
                    place, of_kind = position, ParameterKind.VARARG if variadic else ParameterKind.NORMAL
                    position += 1
                self._parameter(name, declaration, place, of_kind, type_node, type_value)

    def _parameter(
        self, node: Node | None, at: Node, position: int, kind: ParameterKind, type_node: Node | None, type_value: int
    ) -> None:
        b = self.b
        name = None if node is None else self.text(node)
        if name in _NO_NAMES:
            name = None
        value = b.parameter(name, node or at, position, kind=kind, type_value=type_value)
        if name is None or type_node is None:
            return
        static = Static(at if kind == ParameterKind.VARARG else type_node, type_node.type == "pointer_type")
        if kind != ParameterKind.VARARG:
            self.statics[b.frame.index, name] = static
            if self._is_plain_type(type_node):
                b.plain(name)
            if self._is_struct(static):
                b.write(name, self._copy(value, node or at))  # passed by value: the caller does not see changes

    def _results(self, node: Node) -> None:
        """Named results are variables, at first zero; the type of a single result is that of the function's."""
        here = self.here
        if node.type != "parameter_list":
            here.last = self.text(node)
            self._result_type(node)
            return
        declarations = [child for child in node.named_children if child.type == "parameter_declaration"]
        count = 0
        for declaration in declarations:
            type_node = declaration.child_by_field_id(self.TYPE)
            names = declaration.children_by_field_name("name")
            count += len(names) or 1
            here.last = "" if type_node is None else self.text(type_node)
            if type_node is not None:
                here.types += [type_node] * (len(names) or 1)
            for name in names:
                here.results.append((self.text(name), name))
                self._declare(name, self._zero(type_node, name), _static(type_node))
        if count == 1:
            self._result_type(declarations[0].child_by_field_id(self.TYPE))

    def _result_type(self, node: Node | None) -> None:
        value = self.type_value(node)
        if value != NONE:
            self.b.declare_type(self.b.frame.result, value)

    def _zero(self, type_node: Node | None, at: Node) -> int:
        """The zero value of a type; of a named type that may be a struct, an empty object."""
        b = self.b
        if type_node is None:
            return b.opaque(at)
        kind = type_node.type
        if kind == "type_identifier":
            name = self.text(type_node)
            if name == "string":
                return b.constant("", at)
            if name == "bool":
                return b.constant(False, at)
            if name == "error" or name == "any":
                return b.constant(None, at)
            if name in NUMERIC:
                return b.constant(0, at)
            underlying = self._underlying(type_node)
            if underlying is not None and underlying.type == "interface_type":
                return b.constant(None, at)
        elif kind in ("pointer_type", "interface_type", "function_type", "slice_type", "map_type", "channel_type"):
            return b.constant(None, at)
        value = b.container(at, [])
        type_value = self.type_value(type_node)
        if type_value != NONE:
            b.declare_type(value, type_value)
        return value

    def _changed_by_literals(self, node: Node, inner: bool = False) -> frozenset[str]:
        """Names that function literals inside ``node`` assign, or store into, without declaring them."""
        captures = QueryCursor(self._mutations).captures(node)
        literals = [(n.start_byte, n.end_byte) for n in captures.get("literal", ())]
        if inner:
            literals = [span for span in literals if span != (node.start_byte, node.end_byte)]
        if not literals:
            return frozenset()
        literals.sort()
        declared: dict[str, list[int]] = {}
        for found in captures.get("declared", ()):
            declared.setdefault(self.text(found), []).append(found.start_byte)
        changed: set[str] = set()
        for found in captures.get("target", ()):
            at = found.start_byte
            around = [span for span in literals if span[0] <= at < span[1]]
            if not around:
                continue
            name = self._root_name(found)
            first = around[-1][0]
            if name and name != "_" and not any(first <= place <= at for place in declared.get(name, ())):
                changed.add(name)
        return frozenset(changed)

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
                found = _first(found)
            else:
                return ""
        return ""

    def _goto_targets(self, node: Node) -> dict[str, list[int]]:
        targets: dict[str, list[int]] = {}
        stack = [node]
        while stack:
            found = stack.pop()
            if found.type == "goto_statement":
                targets.setdefault(self._label_of(found) or "", []).append(found.start_byte)
            stack.extend(found.named_children)
        return targets

    def _label_of(self, node: Node) -> str | None:
        for child in node.named_children:
            if child.type == "label_name":
                return self.text(child)
        return None

    # -- statements ----------------------------------------------------------------------------------------------------

    @on("block")
    def block(self, node: Node) -> None:
        with self.b.scope():
            for child in node.named_children:
                self.statements(child.named_children)

    def statements(self, nodes: Sequence[Node]) -> None:  # type: ignore[override]
        """Lower statements until control cannot go on; labels that a goto names start a region of their own."""
        targets = self.here.targets
        if targets:
            for i, node in enumerate(nodes):
                if node.type == "labeled_statement" and self._label_of(node) in targets:
                    self._from_label(nodes, i)
                    return
        b = self.b
        table = self._table
        kinds = len(table)
        for node in nodes:
            if not b.frame.reachable:
                break
            if b.reads:
                b.reads.clear()
            kind = node.kind_id
            if kind < kinds:
                table[kind](self, node)
            else:
                self.broken(node)

    def _from_label(self, nodes: Sequence[Node], i: int) -> None:
        """Forward gotos leave what stands before the label, backward gotos repeat what stands after it."""
        b = self.b
        node = nodes[i]
        label = self._label_of(node) or ""
        outer = self.here.targets
        repeats = any(place >= node.start_byte for place in outer[label])
        into = self._entered_from_outside(nodes, i) if repeats else NONE
        if into != NONE:
            self._enter_repeated(nodes, i, into)
            return
        self.here.targets = {name: places for name, places in outer.items() if name != label}
        with b.breakable(node, FORWARD + label):
            self.statements(nodes[:i])

        def body() -> None:
            self.statements(nodes[i:])
            if b.reachable:
                b.break_(BACK + label)

        if b.reachable:
            if repeats:
                b.loop(node, lambda: b.known(True), body, label=BACK + label)
            else:
                self.statements(nodes[i:])
        self.here.targets = outer

    def _entered_from_outside(self, nodes: Sequence[Node], i: int) -> int:
        """The later label among ``nodes`` that a goto before label ``i`` names, or NONE: a second way into what
        repeats.
        """
        start = nodes[i].start_byte
        for j in range(i + 1, len(nodes)):
            if nodes[j].type == "labeled_statement":
                places = self.here.targets.get(self._label_of(nodes[j]) or "", ())
                if any(nodes[0].start_byte <= place < start for place in places):
                    return j
        return NONE

    def _enter_repeated(self, nodes: Sequence[Node], i: int, j: int) -> None:
        """A goto from before label ``i``, which repeats what follows, to label ``j`` behind it: what stands there is
        lowered twice, once for that way in, where the goto back to ``i`` begins the repetition.
        """
        b = self.b
        node = nodes[i]
        label, entry = self._label_of(node) or "", self._label_of(nodes[j]) or ""
        outer = self.here.targets
        end = f"{BACK}{label} by {entry}"
        with b.breakable(node, end):
            with b.breakable(node, FORWARD + label):
                with b.breakable(node, FORWARD + entry):
                    self.here.targets = {n: places for n, places in outer.items() if n not in (label, entry)}
                    self.statements(nodes[:i])
                    if b.reachable:
                        b.break_(FORWARD + label)
                if b.reachable:
                    self.statements(nodes[j:])
                    if b.reachable:
                        b.break_(end)
            if b.reachable:
                self.here.targets = {
                    n: [place for place in places if n != entry or place >= node.start_byte]
                    for n, places in outer.items()
                }
                self._from_label(nodes[i:], 0)
        self.here.targets = outer

    @on("goto_statement")
    def goto(self, node: Node) -> None:
        label = self._label_of(node) or ""
        for loop in self.b.frame.loops:
            if loop.label == BACK + label:
                self.b.continue_(BACK + label)
                return
        self.b.break_(FORWARD + label)

    @on("labeled_statement")
    def labeled(self, node: Node) -> None:
        self.label = self._label_of(node)
        for child in node.named_children:
            if child.type != "label_name":
                self.statement(child)
        self.label = None

    @contextmanager
    def _breakable(self, node: Node, *, loop: bool) -> Iterator[str]:
        """A statement that ``break`` leaves, with the label that says so."""
        label = self.label or str(node.start_byte)
        self.label = None
        here = self.here
        here.breaks.append(label)
        if loop:
            here.continues.append(label)
        yield label
        here.breaks.pop()
        if loop:
            here.continues.pop()

    @on("break_statement")
    def break_(self, node: Node) -> None:
        breaks = self.here.breaks
        self.b.break_(self._label_of(node) or (breaks[-1] if breaks else None))

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        continues = self.here.continues
        self.b.continue_(self._label_of(node) or (continues[-1] if continues else None))

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            self.handle(child)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        initializer = node.child_by_field_id(self.INITIALIZER)
        if initializer is not None:
            with self.b.scope():
                self.statement(initializer)
                self._if(node)
        else:
            self._if(node)

    def _if(self, node: Node) -> None:
        condition = node.child_by_field_id(self.CONDITION)
        then = node.child_by_field_id(self.CONSEQUENCE)
        otherwise = node.child_by_field_id(self.ALTERNATIVE)
        b = self.b
        outcome = b.known(True) if condition is None else self.condition(condition)
        b.branch(outcome, lambda: self._maybe(then), None if otherwise is None else lambda: self._maybe(otherwise))

    def _maybe(self, node: Node | None) -> None:
        """A body; with few frames, because bodies nest as deep as a file likes."""
        if node is not None:
            self.b.forget_reads()
            kind = node.kind_id
            if kind < len(self._table):
                self._table[kind](self, node)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        b = self.b
        here = self.here
        values: list[int] = []
        nodes: list[Node] = []
        for child in node.named_children:
            if child.type == "expression_list":
                nodes = [n for n in child.named_children if n.type != "comment"]
                values = [self._operand(n) for n in nodes]
        if not values:
            if here.results:
                self._return_named(node)
            else:
                b.return_(None)
            return
        if here.results and any(name in here.cells for name, _ in here.results):
            self._write_results(node, values)
            self._return_named(node)
            return
        if len(values) == 1:
            value = values[0]
        else:
            for part, type_node in zip(values, here.types, strict=False):
                if b.ops[part] not in _TYPED_BY_THEMSELVES:
                    self._typed(part, type_node)
            value = self._tuple(node, values)
        self._say_truth(value, values[-1], nodes[-1])
        b.return_(value)

    def _tuple(self, node: Node, values: Sequence[int]) -> int:
        b = self.b
        return b.container(node, [(b.key(i), value) for i, value in enumerate(values)])

    def _write_results(self, node: Node, values: Sequence[int]) -> None:
        """Results that deferred functions may still change are assigned before they run."""
        names = [name for name, _ in self.here.results]
        if len(values) == 1 and len(names) > 1:
            values = [self.b.load(values[0], self.b.key(i), node) for i in range(len(names))]
        for name, value in zip(names, values, strict=False):
            if name not in _NO_NAMES:
                self.b.write(name, value)

    def _return_named(self, node: Node) -> None:
        b = self.b
        values = [b.opaque(node) if name == "_" else b.read_at_exit(name, node) for name, _ in self.here.results]
        value = values[0] if len(values) == 1 else self._tuple(node, values)
        self._say_truth(value, values[-1], None)
        b.return_(value)

    def _say_truth(self, value: int, last: int, node: Node | None) -> None:
        """The exit is true or false as the last result is, where that is an error or a boolean."""
        kind = self.here.last
        if kind != "error" and kind != "bool":
            return
        b = self.b
        if last in b.constants:
            if value != last:
                b.truths[value] = b.known(bool(b.constants[last]))
        elif last in b.truths:
            b.truths[value] = b.truths[last]
        else:
            known = self._known_truth(last)
            if known is None and kind == "error" and node is not None and self._is_package_level(node):
                known = True  # an error that a package declares is one
            if known is not None:
                b.truths[value] = b.known(known)

    def _known_truth(self, value: int) -> bool | None:
        """What the conditions around say of ``value``: an error inside ``if err != nil`` is one."""
        b = self.b
        tables = b.tables
        while b.ops[value] == Op.PI:
            row = 4 * tables["values"][5 * value + 4]
            _, value, condition, side = tables["pis"][row : row + 4]
            _, test, left = tables["conditions"][6 * condition : 6 * condition + 3]
            if test == Test.TRUTH and left == value:
                return bool(side)
        return None

    def _is_package_level(self, node: Node) -> bool:
        if node.type == "identifier":
            return not self._is_local(self.text(node))
        if node.type == "selector_expression":
            operand = node.child_by_field_id(self.OPERAND)
            return operand is not None and self._package(operand) is not None
        return False

    @on("go_statement", "defer_statement")
    def deferred(self, node: Node) -> None:
        """The call is taken where it stands: arguments are evaluated here, what it changes is seen from here on.

        What a deferred literal assigns to the variables around it is seen when the function has left.
        """
        for child in node.named_children:
            if child.type == "call_expression":
                function = child.child_by_field_id(self.FUNCTION)
                is_literal = function is not None and function.type == "func_literal"
                self.late = is_literal and node.type == "defer_statement"
                self._call(child, int(CallFlag.DEFERRED))
                self.late = False
            else:
                self.handle(child)

    @on("send_statement")
    def send(self, node: Node) -> None:
        channel = node.child_by_field_id(self.CHANNEL)
        value = self.value(node.child_by_field_id(self.VALUE))
        obj = self.value(channel)
        if self.channels:
            made = self.b.origin_of(obj)
            if made in self.channels:
                self.b.deposit(made, UNKNOWN_KEY, value, node)  # whoever it was handed to receives it
        self.b.store(obj, UNKNOWN_KEY, value, node)
        self.b.pause()
        self._changed_outside(self._root_name(channel) if channel is not None else "")

    def _changed_outside(self, name: str) -> None:
        """A store into an object of an enclosing function's variable is seen there."""
        if name and name in self.here.cells:
            b = self.b
            if name not in b.frame.declared and b.frame.parent is not None:
                value = b.current(name)
                if value != NONE:
                    b.write(name, value)

    # -- declarations and assignments ----------------------------------------------------------------------------------

    @on("const_declaration")
    def const_declaration(self, node: Node) -> None:
        """Constants are folded; a specification without values repeats the one before with the next ``iota``."""
        b = self.b
        previous: list[Node] = []
        outer, self.iota = self.iota, 0
        for spec in node.named_children:
            if spec.type != "const_spec":
                continue
            values = spec.child_by_field_id(self.VALUE)
            if values is not None:
                previous = [n for n in values.named_children if n.type != "comment"]
            names = [n for n in spec.children_by_field_name("name") if n.is_named]
            for i, name_node in enumerate(names):
                value = self.value(previous[i]) if i < len(previous) else b.opaque(name_node)
                name = self.text(name_node)
                self._declare(name_node, value)
                if b.frame.parent is None and name != "_":
                    b.export("const " + name, value)  # a name that nothing assigns, whatever calls leave in it
                if value in b.constants and name != "_":
                    frame = b.frame
                    self.constant_names.add(name)
                    self.constants[frame.index, frame.renamed.get(name, name)] = b.constants[value]
            self.iota += 1
        self.iota = outer

    @on("var_declaration")
    def var_declaration(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "var_spec_list":
                for spec in child.named_children:
                    self.statement(spec)
            else:
                self.handle(child)

    @on("var_spec")
    def var_spec(self, node: Node) -> None:
        b = self.b
        names = [n for n in node.children_by_field_name("name") if n.is_named]
        type_node = node.child_by_field_id(self.TYPE)
        values = node.child_by_field_id(self.VALUE)
        type_value = self.type_value(type_node)
        if b.frame.parent is None:
            self.variables.update(map(self.text, names))
        if values is None:
            for name in names:
                if b.frame.parent is None:
                    value = b.new(Op.FIELD, name)  # any function of the package may set it
                    if type_value != NONE:
                        b.declare_type(value, type_value)
                else:
                    value = self._zero(type_node, name)
                self._declare(name, value, _static(type_node))
            return
        sources = [n for n in values.named_children if n.type != "comment"]
        for name, (value, static) in zip(names, self._values(sources, len(names), node), strict=False):
            if type_value != NONE and value not in b.constants:
                b.declare_type(value, type_value)
            self._declare(name, value, _static(type_node) or static)

    @on("short_var_declaration")
    def short_var_declaration(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        if left is None or right is None:
            self.parts(node)
            return
        names = [n for n in left.named_children if n.type != "comment"]
        sources = [n for n in right.named_children if n.type != "comment"]
        if len(names) == 2 and len(sources) == 1 and self._comma_ok(names, sources[0], self._declare_one):
            return
        for name, (value, static) in zip(names, self._values(sources, len(names), node), strict=False):
            self._declare(name, value, static)

    def _declare_one(self, node: Node, value: int, static: Static | None) -> None:
        self._declare(node, value, static)

    def _assign_one(self, node: Node, value: int, static: Static | None) -> None:
        self._write(self._target(node), value)

    def _values(self, sources: Sequence[Node], count: int, node: Node) -> list[tuple[int, Static | None]]:
        """The values of the right side, one for each of ``count`` targets."""
        b = self.b
        if len(sources) == 1 and count > 1:
            call = sources[0]
            result = self._call(call, int(CallFlag.MULTI)) if call.type == "call_expression" else self.value(call)
            statics = self._result_statics(call, count)
            return [(b.load(result, b.key(i), node), statics[i]) for i in range(count)]
        return [(self._operand(source), self._static(source)) for source in sources]

    def _result_statics(self, call: Node, count: int) -> list[Static | None]:
        """The declared types of the results of a function of this file."""
        function = call.child_by_field_id(self.FUNCTION)
        declaration = None
        if function is not None and function.type == "identifier":
            declaration = self.signatures.get(self.text(function))
        result = None if declaration is None else declaration.child_by_field_id(self.RESULT)
        statics: list[Static | None] = []
        if result is not None and result.type == "parameter_list":
            for child in result.named_children:
                if child.type == "parameter_declaration":
                    static = _static(child.child_by_field_id(self.TYPE))
                    statics += [static] * (len(child.children_by_field_name("name")) or 1)
        return statics if len(statics) == count else [None] * count

    def _operand(self, node: Node) -> int:
        """A value that is assigned: structs are copied, so that the copy's changes stay its own."""
        kind = node.type
        value = self.value(node)
        if kind == "identifier":
            if self.text(node) in self.here.addressed or self._is_struct(self._static(node)):
                return self._copy(value, node)
        elif kind == "unary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            if operator is not None and operator.type == "*":
                return self._copy(value, node)
        return value

    def _copy(self, value: int, at: Node) -> int:
        b = self.b
        if value in b.constants:
            return value
        copy = b.new(Op.EXPRESSION, at)
        b.same(value, copy)
        return copy

    def _comma_ok(
        self, names: Sequence[Node], source: Node, assign: Callable[[Node, int, Static | None], None]
    ) -> bool:
        """``v, ok := m[k]``, ``v, ok := x.(T)``, ``v, ok := <-c``: ``ok`` is a condition on what is read."""
        b = self.b
        while source.type == "parenthesized_expression" and (inner := _first(source)) is not None:
            source = inner
        kind = source.type
        if kind == "index_expression":
            mark = b.mark()
            obj = self.value(source.child_by_field_id(self.OPERAND))
            index = self.value(source.child_by_field_id(self.INDEX))
            value = self._element_of(obj, b.key_of(index), source)
            assign(names[0], value, self._static(source))
            b.reads.append(value)
            outcome = b.test(Test.IN, index, obj, source, mark)
        elif kind == "type_assertion_expression":
            mark = b.mark()
            operand = self.value(source.child_by_field_id(self.OPERAND))
            type_node = source.child_by_field_id(self.TYPE)
            is_number = self._is_number(type_node)
            value = b.new(Op.EXPRESSION, source) if is_number else self._copy(operand, source)
            type_value = self.type_value(type_node)
            if type_value != NONE and value != operand:
                b.declare_type(value, type_value)
            assign(names[0], value, _static(type_node))
            b.reads.append(value)
            outcome = b.test(Test.IS, operand, self._type_or_text(type_node, type_value), source, mark)
        elif kind == "unary_expression" and self.source[source.start_byte : source.start_byte + 2] == b"<-":
            assign(names[0], self.value(source), self._static(source))
            assign(names[1], b.new(Op.EXPRESSION, source), None)
            return True
        else:
            return False
        assign(names[1], b.boolean(outcome, source), None)
        return True

    def _type_or_text(self, node: Node | None, value: int) -> int:
        if value != NONE or node is None:
            return value
        return self.b.constant(self.text(node), node)

    @on("assignment_statement")
    def assignment(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        operator = node.child_by_field_id(self.OPERATOR)
        if left is None or right is None or operator is None:
            self.parts(node)
            return
        targets = [n for n in left.named_children if n.type != "comment"]
        sources = [n for n in right.named_children if n.type != "comment"]
        kind = operator.type
        if kind != "=":
            if targets and sources:
                target = self._target(targets[0])
                old = self._read(target)
                self._write(target, self._combine(kind[:-1], old, self.value(sources[0]), node))
            return
        if len(targets) == 2 and len(sources) == 1 and self._comma_ok(targets, sources[0], self._assign_one):
            return
        values = self._values(sources, len(targets), node)
        for target_node, (value, _) in zip(targets, values, strict=False):
            self._write(self._target(target_node), value)

    @on("inc_statement", "dec_statement")
    def step(self, node: Node) -> None:
        operand = _first(node)
        if operand is None:
            return
        target = self._target(operand)
        one = self.b.constant(1, node)
        self._write(target, self._combine("+" if node.type == "inc_statement" else "-", self._read(target), one, node))

    def _target(self, node: Node) -> Target:
        """Evaluate the operands of a left side."""
        b = self.b
        kind = node.type
        if kind == "identifier" or kind == "blank_identifier":
            return Target(node, name=self.text(node) or "_")
        if kind == "selector_expression":
            name = node.child_by_field_id(self.FIELD)
            operand = node.child_by_field_id(self.OPERAND)
            key = UNKNOWN_KEY if name is None else b.key(self.text(name))
            return Target(node, obj=self.value(operand), key=key, root=self._root_name(node))
        if kind == "index_expression":
            operand = node.child_by_field_id(self.OPERAND)
            obj = self.value(operand)
            index = self.value(node.child_by_field_id(self.INDEX))
            key = b.key_of(index)
            return Target(
                node,
                obj=obj,
                key=key,
                root=self._root_name(node),
            )
        if kind == "unary_expression":
            operand = node.child_by_field_id(self.OPERAND)
            return Target(node, obj=self.value(operand), pointer=True, root=self._root_name(node))
        if kind == "parenthesized_expression" and (inner := _first(node)) is not None:
            return self._target(inner)
        self.value(node)
        return Target(node, name="_")

    def _read(self, target: Target) -> int:
        if target.name:
            return self.b.read(target.name, target.at)
        return target.obj if target.pointer else self.b.load(target.obj, target.key, target.at)

    def _write(self, target: Target, value: int) -> None:
        b = self.b
        name = target.name
        if name:
            if name in _NO_NAMES:
                return
            if name in self.here.addressed and (old := b.current(name)) != NONE:
                b.update(old, self._fresh(value, target.at), target.at)  # pointers to it see the new value
            else:
                b.write(name, value)
            return
        if target.pointer:
            b.update(target.obj, self._fresh(value, target.at), target.at)
        else:
            b.store(target.obj, target.key, value, target.at)
        self._changed_outside(target.root)

    def _fresh(self, value: int, at: Node) -> int:
        """``value`` as the state of a variable that pointers lead to: calls may change it, nothing else shares it."""
        fresh = self.b.new(Op.EXPRESSION, at)
        self.b.same(value, fresh)
        return fresh

    # -- loops ---------------------------------------------------------------------------------------------------------

    @on("for_statement")
    def for_(self, node: Node) -> None:
        body = node.child_by_field_id(self.BODY)
        header: Node | None = None
        for child in node.named_children:
            if child != body and child.type != "comment":
                header = child
                break
        b = self.b
        with self._breakable(node, loop=True) as label, b.scope():

            def run() -> None:
                self._maybe(body)

            kind = "" if header is None else header.type
            if header is None:
                b.loop(node, lambda: b.known(True), run, label=label)
            elif kind == "range_clause":
                self._range(node, header, run, label)
            elif kind == "for_clause":
                self._counted(node, header, body, run, label)
            else:
                condition = header
                b.loop(node, lambda: self._fresh_condition(condition), run, label=label)

    def _fresh_condition(self, node: Node) -> Outcome:
        self.b.forget_reads()
        return self.condition(node)

    def _counted(self, node: Node, clause: Node, block: Node | None, body: Callable[[], None], label: str) -> None:
        b = self.b
        initializer = clause.child_by_field_id(self.INITIALIZER)
        condition = clause.child_by_field_id(self.CONDITION)
        update = clause.child_by_field_id(self.UPDATE)
        if initializer is not None:
            self.statement(initializer)
        index, rounds = self._trips(condition, update, block)

        def test() -> Outcome:
            outcome = b.known(True) if condition is None else self._fresh_condition(condition)
            if index and (value := b.current(index)) != NONE:
                b.set_index(value)
            return outcome

        step = None if update is None else lambda: self._maybe(update)
        b.loop(node, test, body, step=step, label=label, trips=rounds)

    def _trips(self, condition: Node | None, update: Node | None, body: Node | None) -> tuple[str, int]:
        """The index variable of ``for i := a; i < b; i++`` (or ""), and how often the body runs (NONE: not constant).

        The count is that of the header, where the body does not assign the index; it may still leave by ``break``.
        """
        if condition is None or update is None or condition.type != "binary_expression":
            return "", NONE
        left = condition.child_by_field_id(self.LEFT)
        right = condition.child_by_field_id(self.RIGHT)
        operator = condition.child_by_field_id(self.OPERATOR)
        if left is None or right is None or operator is None or left.type != "identifier":
            return "", NONE
        name = self.text(left)
        step = 0
        changed = _first(update)
        if update.type == "assignment_statement":
            amount = update.child_by_field_id(self.RIGHT)
            sign = update.child_by_field_id(self.OPERATOR)
            changed = None if changed is None else _first(changed)
            if amount is not None and sign is not None and sign.type in ("+=", "-="):
                size = self._small_constant(_first(amount))
                step = 0 if size is None else size if sign.type == "+=" else -size
        elif update.type in ("inc_statement", "dec_statement"):
            step = 1 if update.type == "inc_statement" else -1
        if changed is None or changed.type != "identifier" or self.text(changed) != name:
            return "", NONE
        first = None if name in self.b.cell_names else self.b.constants.get(self.b.current(name))
        rounds = trips(first, step, self._small_constant(right), operator.type)
        return name, NONE if rounds > 0 and self._assigns(body, name) else rounds

    def _assigns(self, body: Node | None, name: str) -> bool:
        """Whether a loop's body assigns or takes the address of the index variable."""
        if body is None:
            return False
        targets = QueryCursor(self._mutations).captures(body).get("target", ())
        text = self.source[body.start_byte : body.end_byte]
        return b"&" + name.encode() in text or any(self.text(target) == name for target in targets)

    def _small_constant(self, node: Node | None) -> int | None:
        """An integer literal, a named constant or the length of one, without lowering anything."""
        if node is None:
            return None
        constant: object = None
        if node.type == "int_literal":
            constant = _integer(self.text(node))
        elif node.type == "identifier":
            name = self.text(node)
            constant = self._constant_named(name) if name in self.constant_names else None
        return constant if type(constant) is int else None

    def _range(self, node: Node, clause: Node, body: Callable[[], None], label: str) -> None:
        b = self.b
        left = clause.child_by_field_id(self.LEFT)
        right = clause.child_by_field_id(self.RIGHT)
        names = [] if left is None else [n for n in left.named_children if n.type != "comment"]
        declares = bool(names) and any(child.type == ":=" for child in clause.children)
        assign = self._declare_one if declares else self._assign_one
        b.forget_reads()
        over = self.value(right)
        limit = b.constants.get(over)
        counted = type(limit) is int
        rounds = trips(0, 1, limit)
        static = self._static(right)
        underlying = None if static is None else self._underlying(static.type)
        kind = "" if underlying is None else underlying.type
        if kind == "type_identifier" and underlying is not None and self.text(underlying) in NUMERIC:
            counted = True
        element = None if static is None else self._element(static.type)
        indexed = counted or kind in ("slice_type", "array_type", "implicit_length_array_type")

        def round_() -> None:
            if names and self.text(names[0]) != "_":
                if kind == "channel_type":
                    first = self._typed(b.load(over, UNKNOWN_KEY, names[0]), element)
                elif indexed:
                    first = b.new(Op.EXPRESSION, names[0])
                    b.set_index(first)
                else:
                    first = b.keys(over, names[0])
                assign(names[0], first, _static(element) if kind == "channel_type" else None)
            if len(names) > 1 and self.text(names[1]) != "_":
                value = self._typed(b.load(over, UNKNOWN_KEY, names[1]), element)
                assign(names[1], value, _static(element))
            body()

        if counted:
            stream = (b.constant(0, clause), b.constant(1, clause), over)
            b.loop(node, None, round_, label=label, trips=rounds, counted=stream)
        else:
            b.loop(node, None, round_, label=label, trips=rounds, over=over)

    def _typed(self, value: int, type_node: Node | None) -> int:
        if type_node is not None and value not in self.b.constants:
            type_value = self.type_value(type_node)
            if type_value != NONE:
                self.b.declare_type(value, type_value)
        return value

    # -- switches ------------------------------------------------------------------------------------------------------

    @on("expression_switch_statement")
    def switch(self, node: Node) -> None:
        b = self.b
        initializer = node.child_by_field_id(self.INITIALIZER)
        tag = node.child_by_field_id(self.VALUE)
        with self._breakable(node, loop=False) as label, b.scope(), b.breakable(node, label):
            if initializer is not None:
                self.statement(initializer)
            b.forget_reads()
            again: Callable[[], int] | None = None
            if tag is not None:
                again = self._repeatable(tag)
            self._cases(self._clauses(node), lambda case: self._case_holds(case, again))

    def _clauses(self, node: Node) -> list[Case]:
        cases: list[Case] = []
        for child in node.named_children:
            kind = child.type
            if kind not in ("expression_case", "type_case", "default_case"):
                continue
            body: list[Node] = []
            for part in child.named_children:
                if part.type == "statement_list":
                    body = list(part.named_children)
            if kind == "type_case":
                values = [n for n in child.children_by_field_name("type") if n.is_named]
            else:
                listed = child.child_by_field_id(self.VALUE)
                values = [] if listed is None else [n for n in listed.named_children if n.type != "comment"]
            real = [n for n in body if n.type != "comment"]
            falls = bool(real) and real[-1].type == "fallthrough_statement"
            cases.append(Case(child, values, body, falls))
        return cases

    def _repeatable(self, node: Node) -> Callable[[], int]:
        """Evaluate ``node`` once; each later use counts as a read of the same variables, in their versions by then."""
        b = self.b
        if node.type == "identifier":
            return lambda: self.value(node)
        mark = b.mark()
        value = self.value(node)
        env, names_of, updated = b.frame.env, b.frame.names_of, b.frame.updated
        names = []
        for read in b.reads[mark:]:
            while read in updated:
                read = updated[read]
            names += [name for name in names_of.get(read, ()) if env.get(name, NONE) == read]

        def again() -> int:
            b.reads.extend(env[name] for name in names if name in env)
            b.reads.append(value)
            return value

        return again

    def _case_holds(self, case: Case, again: Callable[[], int] | None) -> Outcome:
        b = self.b
        b.forget_reads()
        if again is None:
            outcome = self.condition(case.values[0])
            for other in case.values[1:]:
                outcome = self._or(outcome, other, self.condition)
            return outcome
        mark = b.mark()
        tag = again()
        values = [self.value(node) for node in case.values]
        if len(values) == 1:
            return self._equal(tag, values[0], case.at, mark)
        missing = object()
        constants = [b.constants.get(value, missing) for value in values]
        known = b.constants.get(tag, missing)
        if known is not missing and missing not in constants:
            return b.known(any(type(c) is type(known) and c == known for c in constants))
        return b.test(Test.IN, tag, self._tuple(case.at, values), case.at, mark)

    def _or(self, outcome: Outcome, node: Node, holds: Callable[[Node], Outcome]) -> Outcome:
        return self.b.either(outcome, lambda: holds(node))

    def _cases(self, cases: list[Case], holds: Callable[[Case], Outcome]) -> None:
        """Try the cases in order; the default, wherever it stands, is what is left."""
        ordered = [i for i, case in enumerate(cases) if case.values]
        default = next((i for i, case in enumerate(cases) if not case.values), None)

        def try_from(n: int) -> None:
            if n < len(ordered):
                i = ordered[n]
                self.b.branch(holds(cases[i]), lambda: self._case_body(cases, i), lambda: try_from(n + 1))
            elif default is not None:
                self._case_body(cases, default)

        try_from(0)

    def _case_body(self, cases: list[Case], i: int) -> None:
        for case in cases[i : i + MAX_FALLTHROUGH]:
            with self.b.scope():
                self.statements(case.body)
            if not case.falls or not self.b.reachable:
                break

    @on("type_switch_statement")
    def type_switch(self, node: Node) -> None:
        """Each case tests the type; inside, the value is an instance of it, by its old name and by the new one."""
        b = self.b
        initializer = node.child_by_field_id(self.INITIALIZER)
        alias = node.child_by_field_id(self.ALIAS)
        tag = node.child_by_field_id(self.VALUE)
        with self._breakable(node, loop=False) as label, b.scope(), b.breakable(node, label):
            if initializer is not None:
                self.statement(initializer)
            b.forget_reads()
            again = self._repeatable(tag) if tag is not None else lambda: b.opaque(node)
            name = "" if alias is None else self.text(alias)
            if alias is not None and name not in _NO_NAMES:
                value = again()
                b.declare(name)
                b.write(name, value if value not in b.constants else self._fresh(value, node))
            names = [name] if name else []
            if tag is not None and tag.type == "identifier":
                names.append(self.text(tag))
            cases = self._clauses(node)
            self._cases_of_types(cases, again, name, names)

    def _cases_of_types(self, cases: list[Case], again: Callable[[], int], name: str, names: Sequence[str]) -> None:
        b = self.b
        ordered = [i for i, case in enumerate(cases) if case.values]
        default = next((i for i, case in enumerate(cases) if not case.values), None)

        def holds(case: Case, type_node: Node) -> Outcome:
            mark = b.mark()
            value = again()
            if name not in _NO_NAMES:
                value = b.read(name, case.at)
            if type_node.type == "nil" or self.text(type_node) == "nil":
                return b.truth(value, type_node, mark).inverted()
            type_value = self._type_or_text(type_node, self.type_value(type_node))
            return b.test(Test.IS, value, type_value, type_node, mark)

        def run(i: int) -> None:
            case = cases[i]
            if case.values and all(map(self._is_number, case.values)):
                for n in names:
                    b.write(n, b.new(Op.EXPRESSION, case.at))
            elif len(case.values) == 1:
                type_value = self.type_value(case.values[0])
                found = {b.current(n) for n in names}
                for value in sorted(found):
                    if value != NONE and type_value != NONE and value not in b.constants:
                        b.declare_type(value, type_value)
                if name:
                    frame = b.frame
                    self.statics[frame.index, frame.renamed.get(name, name)] = Static(case.values[0])
            self._case_body(cases, i)

        def try_from(n: int) -> None:
            if n < len(ordered):
                i = ordered[n]
                case = cases[i]
                b.forget_reads()
                outcome = holds(case, case.values[0])
                for other in case.values[1:]:
                    outcome = self._or(outcome, other, lambda node: holds(case, node))
                b.branch(outcome, lambda: run(i), lambda: try_from(n + 1))
            elif default is not None:
                self._case_body(cases, default)

        try_from(0)

    @on("select_statement")
    def select(self, node: Node) -> None:
        b = self.b
        with self._breakable(node, loop=False) as label, b.breakable(node, label):
            arms: list[Callable[[], None]] = []
            for child in node.named_children:
                if child.type in ("communication_case", "default_case"):
                    arms.append(self._arm(child))
            if arms:
                b.branches(arms)

    def _arm(self, node: Node) -> Callable[[], None]:
        return lambda: self._communication(node)

    def _communication(self, node: Node) -> None:
        with self.b.scope():
            communication = node.child_by_field_id(self.COMMUNICATION)
            if communication is not None:
                self.statement(communication)
            for child in node.named_children:
                if child.type == "statement_list":
                    self.statements(child.named_children)

    @on("receive_statement")
    def receive_statement(self, node: Node) -> None:
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        names = [] if left is None else [n for n in left.named_children if n.type != "comment"]
        value = self.value(right)
        assign = self._declare_one if any(child.type == ":=" for child in node.children) else self._assign_one
        if names:
            assign(names[0], value, self._static(right))
        if len(names) > 1:
            assign(names[1], self.b.new(Op.EXPRESSION, node), None)

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self, node: Node) -> Outcome:
        b = self.b
        kind = node.type
        while kind == "parenthesized_expression" and (inner := _first(node)) is not None:
            node = inner
            kind = node.type
        if kind == "binary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            left = node.child_by_field_id(self.LEFT)
            right = node.child_by_field_id(self.RIGHT)
            if operator is not None and left is not None and right is not None:
                symbol = operator.type
                if symbol == "&&":
                    return b.both(self.condition(left), lambda: self.condition(right))
                if symbol == "||":
                    return b.either(self.condition(left), lambda: self.condition(right))
                mark = b.mark()
                if symbol == "==":
                    return self._equal(self.value(left), self.value(right), node, mark)
                if symbol == "!=":
                    return self._equal(self.value(left), self.value(right), node, mark).inverted()
                if symbol in _ORDER:
                    return self._less(symbol, self.value(left), self.value(right), node, mark)
        elif kind == "unary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            operand = node.child_by_field_id(self.OPERAND)
            if operator is not None and operand is not None and operator.type == "!":
                return self.condition(operand).inverted()
        elif kind == "index_expression" and self._is_set(node):
            mark = b.mark()
            obj = self.value(node.child_by_field_id(self.OPERAND))
            index = self.value(node.child_by_field_id(self.INDEX))
            return b.test(Test.IN, index, obj, node, mark)
        mark = b.mark()
        return b.truth(self.value(node), node, mark)

    def _is_set(self, node: Node) -> bool:
        """Whether ``m[k]`` asks a ``map[K]bool`` for membership."""
        static = self._static(node.child_by_field_id(self.OPERAND))
        underlying = None if static is None else self._underlying(static.type)
        if underlying is None or underlying.type != "map_type":
            return False
        value = underlying.child_by_field_id(self.VALUE)
        return value is not None and self.text(value) == "bool"

    def _equal(self, left: int, right: int, at: Node, mark: int) -> Outcome:
        """``left == right``; against nil and the booleans it is the truth of the other side."""
        b = self.b
        constants = b.constants
        if left in constants:
            if right in constants:
                first, second = constants[left], constants[right]
                return b.known(first == second and isinstance(first, bool) == isinstance(second, bool))
            left, right = right, left
        if right in constants:
            constant = constants[right]
            if constant is None or constant is False:
                return b.truth(left, at, mark).inverted()
            if constant is True:
                return b.truth(left, at, mark)
        return b.test(Test.EQUAL, left, right, at, mark)

    def _less(self, symbol: str, left: int, right: int, at: Node, mark: int) -> Outcome:
        b = self.b
        first, second = b.constants.get(left), b.constants.get(right)
        if isinstance(first, (int, float)) and isinstance(second, (int, float)):
            return b.known(_ORDER[symbol](first, second))
        if symbol in _EXCHANGED:
            symbol, left, right = _EXCHANGED[symbol], right, left
        outcome = b.test(Test.LESS, left, right, at, mark)
        return outcome if symbol == "<" else outcome.inverted()

    # -- operators -----------------------------------------------------------------------------------------------------

    @on("binary_expression")
    def binary(self, node: Node) -> int:
        operator = node.child_by_field_id(self.OPERATOR)
        left = node.child_by_field_id(self.LEFT)
        right = node.child_by_field_id(self.RIGHT)
        if operator is None or left is None or right is None:
            return self.parts(node)
        symbol = operator.type
        if symbol in _CONDITIONS:
            return self.b.boolean(self.condition(node), node)
        if symbol == "+":
            return self._sum(node, left, right)
        return self._combine(symbol, self.value(left), self.value(right), node)

    def _sum(self, node: Node, left: Node, right: Node) -> int:
        """A chain of ``+`` is one text, its parts in order."""
        rights = [right]
        while left.type == "binary_expression":
            operator = left.child_by_field_id(self.OPERATOR)
            first = left.child_by_field_id(self.LEFT)
            second = left.child_by_field_id(self.RIGHT)
            if operator is None or operator.type != "+" or first is None or second is None:
                break
            rights.append(second)
            left = first
        parts = [self.value(left)]
        while rights:
            parts.append(self.value(rights.pop()))
        return self._add(parts, node)

    def _add(self, parts: Sequence[int], at: Node) -> int:
        b = self.b
        constants = b.constants
        number = False
        for part in parts:
            constant = constants.get(part)
            if isinstance(constant, str):
                return b.computed(b.text(at, parts), Operator.ADD, parts)
            if constant is not None:
                number = True
        if not number:
            return b.computed(b.text(at, parts), Operator.ADD, parts)
        folded = b.fold(_total, parts, at)
        return b.computed(b.expression(at, parts) if folded is None else folded, Operator.ADD, parts)

    def _combine(self, symbol: str, left: int, right: int, at: Node) -> int:
        if symbol == "+":
            return self._add((left, right), at)
        b = self.b
        function = _ARITHMETIC.get(symbol)
        folded = None if function is None else b.fold(function, (left, right), at)
        if folded is not None:
            return folded
        value = b.expression(at, (left, right))
        return b.computed(value, _OPERATORS[symbol], (left, right)) if symbol in _OPERATORS else value

    @on("unary_expression")
    def unary(self, node: Node) -> int:
        b = self.b
        operator = node.child_by_field_id(self.OPERATOR)
        operand = node.child_by_field_id(self.OPERAND)
        if operator is None or operand is None:
            return self.parts(node)
        symbol = operator.type
        if symbol == "&":
            return self._address(operand)
        if symbol == "*":
            return self.value(operand)
        if symbol == "!":
            return b.boolean(self.condition(node), node)
        value = self.value(operand)
        if symbol == "<-":
            b.pause()
            static = self._static(operand)
            return self._typed(b.load(value, UNKNOWN_KEY, node), None if static is None else self._element(static.type))
        function = _SIGNS.get(symbol)
        folded = None if function is None else b.fold(function, (value,), node)
        if folded is not None:
            return folded
        result = b.expression(node, (value,))
        return b.computed(result, _UNARY[symbol], (value,)) if symbol in _UNARY else result

    def _address(self, node: Node) -> int:
        """``&x`` is ``x``; a variable that holds a constant becomes one that calls may change."""
        b = self.b
        while node.type == "parenthesized_expression" and (inner := _first(node)) is not None:
            node = inner
        kind = node.type
        if kind == "identifier":
            name = self.text(node)
            value = b.read(name, node)
            self.here.addressed.add(name)
            was_plain = b.is_plain(name)
            b.plain(name, changes=True)
            if was_plain or b.ops[value] == Op.CONST:
                value = self._typed(self._fresh(value, node), self._type_of(node))
                b.write(name, value)
            return value
        if kind == "selector_expression" or kind == "index_expression":
            target = self._target(node)
            value = self._read(target)
            if b.ops[value] == Op.CONST:
                value = self._typed(self._fresh(value, node), self._type_of(node))
                b.store(target.obj, target.key, value, node)
            return value
        return self.value(node)

    def _type_of(self, node: Node) -> Node | None:
        static = self._static(node)
        return None if static is None else static.type

    @on("parenthesized_expression")
    def parenthesized(self, node: Node) -> int:
        return self.value(_first(node))

    # -- access --------------------------------------------------------------------------------------------------------

    @on("selector_expression")
    def selector(self, node: Node) -> int:
        operand = node.child_by_field_id(self.OPERAND)
        name = node.child_by_field_id(self.FIELD)
        if name is None:
            return self.parts(node)
        if operand is not None and self._package(operand) is not None:
            return self._qualified(operand, name, node)
        b = self.b
        obj = self.value(operand)
        key = b.key(self.source[name.start_byte : name.end_byte].decode("utf-8", "replace"))
        return b.load(obj, key, node)

    @on("index_expression")
    def index(self, node: Node) -> int:
        operand = node.child_by_field_id(self.OPERAND)
        b = self.b
        if operand is not None and operand.type == "identifier" and self._is_generic(operand):
            return self.value(operand)
        obj = self.value(operand)
        index = self.value(node.child_by_field_id(self.INDEX))
        folded = b.fold(_item, (obj, index), node)
        return self._element_of(obj, b.key_of(index), node) if folded is None else folded

    def _is_generic(self, node: Node) -> bool:
        """Whether the name is a generic function of this file, so that an index is its type argument."""
        declaration = self.signatures.get(self.text(node))
        return (
            declaration is not None
            and declaration.child_by_field_id(self.TYPE_PARAMETERS) is not None
            and not self._is_local(self.text(node))
        )

    def _element_of(self, obj: int, key: int, node: Node) -> int:
        value = self.b.load(obj, key, node)
        static = self._static(node)
        return value if static is None else self._typed(value, static.type)

    @on("slice_expression")
    def slice(self, node: Node) -> int:
        """``x[:n]`` keeps elements where they are; else those that are known move, and others are anywhere."""
        b = self.b
        obj = self.value(node.child_by_field_id(self.OPERAND))
        start_node = node.child_by_field_id(self.START)
        end_node = node.child_by_field_id(self.END)
        start = b.constant(0, node) if start_node is None else self.value(start_node)
        end = None if end_node is None else self.value(end_node)
        if isinstance(b.constants.get(obj), str):
            folded = b.fold(_piece, (obj, start) if end is None else (obj, start, end), node)
            if folded is not None:
                return folded
        first = b.constants.get(start)
        if first == 0:
            return obj
        if type(first) is int:
            items: list[tuple[int, int]] = []
            while (obj, (key := b.key(first + len(items)))) in b.frame.env:
                items.append((b.key(len(items)), b.load(obj, key, node)))
            if items:
                return b.container(node, items, [obj])
        piece = self._copy(obj, node)
        static = self._static(node)
        if static is not None and self.text(static.type) == "string":
            return piece
        return b.store(piece, UNKNOWN_KEY, b.load(obj, UNKNOWN_KEY, node), node)

    @on("type_assertion_expression")
    def type_assertion(self, node: Node) -> int:
        type_node = node.child_by_field_id(self.TYPE)
        value = self.value(node.child_by_field_id(self.OPERAND))
        return self.b.new(Op.EXPRESSION, node) if self._is_number(type_node) else self._typed(value, type_node)

    def _is_number(self, type_node: Node | None) -> bool:
        """Whether values of the type are numbers or truths: no text is in them."""
        if type_node is None:
            return False
        underlying = self._underlying(type_node)
        return underlying is not None and underlying.type == "type_identifier" and self.text(underlying) in NUMERIC

    @on("type_conversion_expression")
    def type_conversion(self, node: Node) -> int:
        """``[]byte(x)``; the grammar also reads the call ``f[T](x)`` so."""
        type_node = node.child_by_field_id(self.TYPE)
        operand = node.child_by_field_id(self.OPERAND)
        if type_node is not None and type_node.type == "generic_type":
            inner = type_node.child_by_field_id(self.TYPE)
            if inner is not None and self._base_name(inner) not in self.named and operand is not None:
                return self._call_parts(node, inner, [operand], 0)
        return self._convert(type_node, self.value(operand), node)

    def _convert(self, type_node: Node | None, value: int, at: Node) -> int:
        """The value under another type; a number or a truth made of it has no text in it."""
        b = self.b
        name = ""
        underlying = self._underlying(type_node)
        if underlying is not None and underlying.type in ("type_identifier", "identifier"):
            name = self.text(underlying)
        if value in b.constants:
            constant = b.constants[value]
            if name == "string" and type(constant) is int:
                return b.constant(chr(constant) if 0 <= constant < 0x110000 else "\ufffd", at)
            return value
        if name in NUMERIC:
            return b.new(Op.EXPRESSION, at)
        if b.ops[value] == Op.FUNCTION:
            return value
        return self._typed(self._copy(value, at), type_node)

    # -- literals ------------------------------------------------------------------------------------------------------

    @on("interpreted_string_literal")
    def string(self, node: Node) -> int:
        raw = self.source[node.start_byte + 1 : node.end_byte - 1]
        if b"\\" in raw:
            raw = _ESCAPE.sub(_unescaped, raw)
        return self.b.constant(raw.decode("utf-8", "replace"), node)

    @on("raw_string_literal")
    def raw_string(self, node: Node) -> int:
        raw = self.source[node.start_byte + 1 : node.end_byte - 1]
        return self.b.constant(raw.replace(b"\r", b"").decode("utf-8", "replace"), node)

    @on("rune_literal")
    def rune(self, node: Node) -> int:
        raw = _ESCAPE.sub(_unescaped, self.source[node.start_byte + 1 : node.end_byte - 1])
        text = raw.decode("utf-8", "replace")
        return self.b.constant(ord(text[0]), node) if text else self.b.opaque(node)

    @on("int_literal")
    def integer(self, node: Node) -> int:
        number = _integer(self.text(node))
        return self.b.opaque(node) if number is None else self.b.constant(number, node)

    @on("float_literal")
    def float_(self, node: Node) -> int:
        try:
            return self.b.constant(float(self.text(node).replace("_", "")), node)
        except ValueError:
            return self.b.opaque(node)

    @on("imaginary_literal")
    def imaginary(self, node: Node) -> int:
        return self.b.opaque(node)

    @on("nil")
    def nil(self, node: Node) -> int:
        return self.b.constant(None, node)

    @on("true")
    def true(self, node: Node) -> int:
        return self.b.constant(True, node)

    @on("false")
    def false(self, node: Node) -> int:
        return self.b.constant(False, node)

    @on("composite_literal")
    def composite(self, node: Node) -> int:
        body = node.child_by_field_id(self.BODY)
        type_node = node.child_by_field_id(self.TYPE)
        return self.b.opaque(node) if body is None else self._literal(body, type_node, node)

    def _literal(self, body: Node, type_node: Node | None, at: Node) -> int:
        """``T{…}``; elements whose type is left out take it from ``T``."""
        b = self.b
        underlying = self._underlying(type_node)
        kind = "" if underlying is None else underlying.type
        fields = self._fields_of(type_node) if type_node is not None and kind == "struct_type" else {}
        order = list(fields)
        element = self._element(type_node)
        items: list[tuple[int, int]] = []
        position = 0
        for child in body.named_children:
            if child.type == "keyed_element":
                key_node = child.child_by_field_id(self.KEY)
                value_node = child.child_by_field_id(self.VALUE)
                name = self._field_name(key_node, kind)
                if name is not None:
                    items.append((b.key(name), self._literal_value(value_node, fields.get(name))))
                    continue
                key_value = self._literal_value(key_node, None)
                key = b.key_of(key_value)
                constant = b.constants.get(key_value)
                if type(constant) is int and kind != "map_type":
                    position = constant + 1
                items.append((key, self._literal_value(value_node, element)))
            elif child.type != "comment":
                name = order[position] if position < len(order) else str(position)
                items.append((b.key(name), self._literal_value(child, fields.get(name, element))))
                position += 1
        value = b.container(at, items)
        if kind not in _PLAIN_LITERALS or (type_node is not None and type_node.type not in _PLAIN_LITERALS):
            type_value = self.type_value(type_node)
            if type_value != NONE:
                b.declare_type(value, type_value)
        return value

    def _field_name(self, key: Node | None, kind: str) -> str | None:
        """The field that a key names; None where keys are values: in maps and arrays."""
        if key is None or kind in _KEYS_ARE_VALUES:
            return None
        inner = _first(key) if key.type == "literal_element" else key
        return self.text(inner) if inner is not None and inner.type == "identifier" else None

    def _literal_value(self, node: Node | None, type_node: Node | None) -> int:
        if node is not None and node.type == "literal_element":
            node = _first(node)
        if node is None:
            return self.b.opaque(_NOWHERE)
        if node.type == "literal_value":
            return self._literal(node, type_node, node)
        return self._operand(node)

    # -- calls ---------------------------------------------------------------------------------------------------------

    @on("call_expression")
    def call(self, node: Node) -> int:
        return self._call(node, 0)

    def _call(self, node: Node, flags: int) -> int:
        function = node.child_by_field_id(self.FUNCTION)
        arguments = node.child_by_field_id(self.ARGUMENTS)
        if function is None:
            return self.parts(node)
        nodes = [] if arguments is None else arguments.named_children
        return self._call_parts(node, function, nodes, flags)

    def _call_parts(self, node: Node, function: Node, nodes: Sequence[Node], flags: int) -> int:
        b = self.b
        kind = function.type
        while kind == "parenthesized_expression" and (inner := _first(function)) is not None:
            function = inner
            kind = function.type
        if kind == "index_expression" and (inner := self._instantiated(function)) is not None:
            function = inner
            kind = function.type
        if kind == "identifier" or kind == "type_identifier":
            name = self.text(function)
            if (name in _BUILTINS or name in self.named) and not self._is_variable(name):
                special = _BUILTINS.get(name, Go._named_conversion)
                result = special(self, node, function, nodes)
                if result is not None:
                    return result
            mark = len(b.reads)
            if name in self.variables or self._is_local(name):
                callee = b.read(name, function)
            else:
                callee = self._fixed(name, function)
            del b.reads[mark:]  # which function is called is nothing that a condition says
            result = b.call(node, callee, self._arguments(nodes), flags=flags)
            self._sent_by_callee(nodes)
            return result
        if kind == "selector_expression" or kind == "qualified_type":
            return self._call_member(node, function, nodes, flags)
        if kind == "unary_expression" and len(nodes) == 1 and function.start_byte < function.end_byte:
            operand = function.child_by_field_id(self.OPERAND)
            if operand is not None and self._is_type(operand):
                return self._convert(function, self.value(nodes[0]), node)  # (*T)(x)
        callee = self.value(function)
        return b.call(node, callee, self._arguments(nodes), flags=flags)

    def _instantiated(self, node: Node) -> Node | None:
        """``f`` of ``f[int]`` where that must be a function's instantiation."""
        operand = node.child_by_field_id(self.OPERAND)
        if operand is None:
            return None
        if operand.type == "identifier" and self._is_generic(operand):
            return operand
        index = node.child_by_field_id(self.INDEX)
        is_type = index is not None and (index.type.endswith("_type") or self.text(index) in NUMERIC | TEXTUAL)
        return operand if is_type else None

    def _is_type(self, node: Node) -> bool:
        """Whether ``T`` of ``(*T)(x)`` can only be a type: nobody calls what a package-level variable points to."""
        if node.type == "identifier":
            name = self.text(node)
            return not self._is_local(name) and name not in self.variables
        operand = node.child_by_field_id(self.OPERAND) if node.type == "selector_expression" else None
        return operand is not None and self._package(operand) is not None

    def _is_variable(self, name: str) -> bool:
        """Whether a built-in or type's name means something else here."""
        if name in self.named:
            known = self.b.current(name)
            return known != NONE and self.b.ops[known] not in (Op.CLASS, Op.GLOBAL) and self.b.frame.parent is not None
        return self._is_local(name) or name in self.signatures

    def _call_member(self, node: Node, function: Node, nodes: Sequence[Node], flags: int) -> int:
        b = self.b
        qualified = function.type == "qualified_type"
        operand = function.child_by_field_id(self.PACKAGE if qualified else self.OPERAND)
        name_node = function.child_by_field_id(self.NAME if qualified else self.FIELD)
        if operand is None or name_node is None:
            return b.call(node, self.value(function), self._arguments(nodes), flags=flags)
        name = self.text(name_node)
        path = self._package(operand)
        if path is None:
            mark = b.mark()
            obj = self.value(operand)
            callee = b.method(obj, name, function)
            if nodes:
                del b.reads[mark:]  # a condition on this call is one on its arguments
            arguments = self._arguments(nodes)
            result = b.call(node, callee, arguments, receiver=obj, name=name, flags=flags, receiver_at=operand)
            self._sent_by_callee(nodes)
            return result
        callee = self._qualified(operand, name_node, function)
        result = b.call(node, callee, self._arguments(nodes), flags=flags)
        if path in NEVER_RETURN and name in NEVER_RETURN[path] and not flags & CallFlag.DEFERRED:
            b.raise_(None)
        elif path == "fmt" and name == "Sprintf" and nodes:
            self._describe_template(result, nodes)
        elif path in NEVER_NIL and name in NEVER_NIL[path]:
            b.truths[result] = b.known(True)
        return result

    def _describe_template(self, result: int, nodes: Sequence[Node]) -> None:
        """The text that ``fmt.Sprintf`` makes, where its format is constant and takes its arguments in order."""
        if not nodes[0].type.endswith("string_literal") or any(node.type == "variadic_argument" for node in nodes):
            return
        raw = self.text(nodes[0])[1:-1]
        skeleton = _VERB.sub(lambda verb: "%" if verb.group() == "%%" else "\0", raw)
        if "\\" not in raw and "[" not in raw and skeleton.count("\0") == len(nodes) - 1:
            self.b.describe(result, skeleton)

    def _sent_by_callee(self, nodes: Sequence[Node]) -> None:
        """What a callee sent on a channel of this function, everybody who has the channel receives."""
        if not self.channels:
            return
        b = self.b
        for node in nodes:
            if node.type == "identifier" and (state := b.current(self.text(node))) != NONE:
                made = b.origin_of(state)
                if made in self.channels and b.ops[state] == Op.POST:
                    b.same(state, made)

    def _arguments(self, nodes: Sequence[Node]) -> list[Argument]:
        arguments: list[Argument] = []
        if len(nodes) == 1 and nodes[0].type == "call_expression":
            several = self._several(nodes[0])
            if several is not None:
                return several
        for node in nodes:
            kind = node.type
            if kind == "comment":
                continue
            if kind == "variadic_argument":
                arguments.append(Argument(self.value(_first(node)), len(arguments), node, None, 1))
            else:
                arguments.append(Argument(self.value(node), len(arguments), node))
        return arguments

    def _several(self, node: Node) -> list[Argument] | None:
        """``f(g())`` where ``g`` returns several values: each is an argument."""
        function = node.child_by_field_id(self.FUNCTION)
        if function is None or function.type != "identifier":
            return None
        name = self.text(function)
        count = self.results.get(name, 0)
        if count < 2 or self._is_local(name):
            return None
        b = self.b
        result = self._call(node, int(CallFlag.MULTI))
        return [Argument(b.load(result, b.key(i), node), i, node) for i in range(count)]

    # -- built-in functions and conversions ----------------------------------------------------------------------------

    def _named_conversion(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        if len(nodes) != 1:
            return None
        return self._convert(function, self.value(nodes[0]), node)

    def _len(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """The length of a constant is known; otherwise an ordinary call."""
        if len(nodes) != 1:
            return None
        b = self.b
        value = self.value(nodes[0])
        folded = b.fold(_length, (value,), node)
        if folded is not None:
            return folded
        return b.call(node, self._fixed("len", function), [Argument(value, 0, nodes[0])])

    def _delete(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """``delete(m, "k")``: nothing of what was put there is left; which key is deleted must be known for that."""
        if len(nodes) != 2:
            return None
        b = self.b
        obj = self.value(nodes[0])
        key = b.key_of(self.value(nodes[1]))
        nothing = b.constant(None, node)
        if key >= 0:
            b.store(obj, key, nothing, node)
            self._changed_outside(self._root_name(nodes[0]))
        return nothing

    def _panic(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        b = self.b
        b.raise_(self.value(nodes[0]) if nodes else None)
        return b.opaque(node)

    def _recover(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """What the function raised whose deferred literal this is."""
        b = self.b
        value = b.exception_value(node)
        parent = b.frame.parent
        if parent is not None and parent.parent is not None:
            b.same(parent.raised, value)
        return value

    def _make(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """A new object of the type; ``new`` and ``make`` differ in nothing that is seen here."""
        b = self.b
        sizes = [Argument(self.value(other), i, other) for i, other in enumerate(nodes[1:], 1)]
        if any(size.value not in b.constants for size in sizes):
            b.call(node, self._fixed("make", function), sizes)
        value = b.container(node, [])
        type_node = nodes[0] if nodes else None
        if type_node is not None and type_node.type == "channel_type":
            self.channels.add(value)
        type_value = self.type_value(type_node)
        if type_value != NONE:
            b.declare_type(value, type_value)
        return value


_TYPED_BY_THEMSELVES = frozenset((Op.CONST, Op.NEW, Op.FUNCTION, Op.CLASS))
_NOWHERE: Final = type("Nowhere", (), {"start_byte": 0, "end_byte": 0})()

_KEYS_ARE_VALUES = frozenset(("map_type", "slice_type", "array_type", "implicit_length_array_type"))
_PLAIN_LITERALS = _KEYS_ARE_VALUES

_BUILTINS: Final[dict[str, Callable[[Go, Node, Node, Sequence[Node]], int | None]]] = {
    "delete": Go._delete,
    "len": Go._len,
    "panic": Go._panic,
    "recover": Go._recover,
    "make": Go._make,
    "new": Go._make,
    **dict.fromkeys(sorted(NUMERIC | TEXTUAL), Go._named_conversion),
}


def package_name(path: str) -> str:
    """The name that an import without one binds, guessed from its path: the package clause is in another repository.

    >>> [package_name(path) for path in ("net/http", "x.org/echo/v4", "gopkg.in/yaml.v2", "x.org/go-b", "x.org/jwt-go")]
    ['http', 'echo', 'yaml', 'b', 'jwt']
    """
    parts = path.rstrip("/").split("/")
    name = parts.pop()
    if _VERSION.match(name) and parts:
        name = parts.pop()
    name = _VERSION_SUFFIX.sub("", name)
    for prefix in ("go-", "go."):
        if name.startswith(prefix) and len(name) > len(prefix):
            name = name[len(prefix) :]
    for suffix in ("-go", ".go"):
        if name.endswith(suffix) and len(name) > len(suffix):
            name = name[: -len(suffix)]
    return name.replace("-", "_").replace(".", "_")


def _first(node: Node) -> Node | None:
    """The first child that means something."""
    for child in node.named_children:
        if child.type != "comment":
            return child
    return None


def _static(node: Node | None) -> Static | None:
    return None if node is None else Static(node, node.type == "pointer_type")


def _integer(text: str) -> int | None:
    """A Go integer literal: ``0x_1F``, ``0b1``, ``0o17`` and also ``017``."""
    text = text.replace("_", "")
    try:
        if len(text) > 1 and text[0] == "0" and text[1].isdigit():
            return int(text, 8)
        return int(text, 0)
    except ValueError:
        return None


def _unescaped(match: re.Match[bytes]) -> bytes:
    escape = match.group(1)
    simple = _SIMPLE_ESCAPES.get(escape)
    if simple is not None:
        return simple
    if escape[:1] in b"\\'\"":
        return escape
    if escape[:1] == b"x":
        return bytes((int(escape[1:], 16),))
    if escape[:1] in b"uU":
        code = int(escape[1:], 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else b"\xef\xbf\xbd"
    return bytes((int(escape, 8) & 0xFF,))


def _total(*parts: Constant) -> Constant:
    total: int | float = 0
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, (int, float)):
            raise TypeError("no number")
        total += part
    return total


def _number(value: Constant) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("no number")
    return value


def _whole(value: Constant) -> int:
    if type(value) is not int:
        raise TypeError("no integer")
    return value


def _divide(left: Constant, right: Constant) -> Constant:
    """Integers are cut towards zero."""
    a, b = _number(left), _number(right)
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a / b


def _remainder(left: Constant, right: Constant) -> Constant:
    a, b = _whole(left), _whole(right)
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _shift_left(left: Constant, right: Constant) -> Constant:
    if not 0 <= _whole(right) <= MAX_SHIFT:
        raise ValueError("too far")
    return _whole(left) << _whole(right)


def _shift_right(left: Constant, right: Constant) -> Constant:
    return _whole(left) >> _whole(right)


def _length(value: Constant) -> Constant:
    if not isinstance(value, str):
        raise TypeError("no text")
    return len(value.encode("utf-8", "surrogatepass"))


def _item(value: Constant, index: Constant) -> Constant:
    if not isinstance(value, str) or _whole(index) < 0:
        raise TypeError("no text")
    return value.encode("utf-8", "surrogatepass")[_whole(index)]


def _piece(value: Constant, start: Constant, end: Constant = None) -> Constant:
    if not isinstance(value, str) or _whole(start) < 0 or (end is not None and _whole(end) < 0):
        raise TypeError("no text")
    data = value.encode("utf-8", "surrogatepass")
    return data[_whole(start) : len(data) if end is None else _whole(end)].decode("utf-8")


_ARITHMETIC: Final[dict[str, Callable[[Constant, Constant], Constant]]] = {
    "-": lambda a, b: _number(a) - _number(b),
    "*": lambda a, b: _number(a) * _number(b),
    "/": _divide,
    "%": _remainder,
    "<<": _shift_left,
    ">>": _shift_right,
    "&": lambda a, b: _whole(a) & _whole(b),
    "|": lambda a, b: _whole(a) | _whole(b),
    "^": lambda a, b: _whole(a) ^ _whole(b),
    "&^": lambda a, b: _whole(a) & ~_whole(b),
}
_SIGNS: Final[dict[str, Callable[[Constant], Constant]]] = {
    "-": lambda a: -_number(a),
    "+": lambda a: _number(a),
    "^": lambda a: ~_whole(a),
}
_ORDER: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_EXCHANGED: Final = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``

_OPERATORS: Final = {
    "+": Operator.ADD,
    "-": Operator.SUBTRACT,
    "*": Operator.MULTIPLY,
    "/": Operator.DIVIDE,
    "%": Operator.REMAINDER,
    "&": Operator.AND,
    "|": Operator.OR,
    "^": Operator.XOR,
    "<<": Operator.SHIFT_LEFT,
    ">>": Operator.SHIFT_RIGHT,
}
_UNARY: Final = {"-": Operator.NEGATE, "^": Operator.INVERT}

_CONDITIONS = frozenset(("&&", "||", "==", "!=", *_ORDER))
