"""TypeScript: types that name something, and what only TypeScript declares."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Language, Node

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.parsers.builder import Argument, Builder, Constant
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.modules import Script
from pyrograph.parsers.javascript.syntax.unparsed import with_plain_text, without_types

WRAPPERS = frozenset(
    [
        *("Promise", "PromiseLike", "Awaited", "Observable", "Ref", "InstanceType", "NonNullable"),
        *("Readonly", "Partial", "Required", "DeepPartial", "Omit", "Pick"),
    ]
)
# Which type argument is the type of the elements.
COLLECTIONS = {
    "Array": 0,
    "ReadonlyArray": 0,
    "Set": 0,
    "ReadonlySet": 0,
    "Iterable": 0,
    "AsyncIterable": 0,
    "Record": 1,
}
PREDEFINED = {"number": "Number", "string": "String", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol"}


class TypeScript(Script):
    """Lowers one file of TypeScript."""

    ignored = (
        *Script.ignored,
        "function_signature",
        "method_signature",
        "abstract_method_signature",
        "index_signature",
        "ambient_declaration",
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "accessibility_modifier",
        "override_modifier",
    )

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_typescript())

    def start(self, root: Node) -> Builder:
        self._types: set[int] = set()  # values of declared types
        return super().start(root)

    def parseable(self, source: bytes, root: Node) -> bytes:
        return without_types(with_plain_text(source, root))

    def _type(self, node: Node) -> int:
        kind = node.type
        if kind in ("type_identifier", "identifier", "nested_type_identifier"):
            return self.value(node)
        if kind == "predefined_type":
            name = PREDEFINED.get(self.text(node))
            return NONE if name is None else self.b.read(name, node)
        items = self._items(node)
        if kind in ("type_annotation", "parenthesized_type", "readonly_type", "optional_type") and items:
            return self._type(items[-1])
        if kind == "generic_type" and items:
            arguments = node.child_by_field_id(self.TYPE_ARGUMENTS)
            inner = [] if arguments is None else self._items(arguments)
            if inner and self.text(items[0]) in WRAPPERS:
                return self._type(inner[0])
            base = self._type(items[0])
            at = COLLECTIONS.get(self.text(items[0]), len(inner))
            return self._collection(node, base, inner[at]) if at < len(inner) else base
        if kind == "array_type" and items:
            return self._collection(node, NONE, items[0])
        if kind == "union_type":
            return self._union(node)
        if kind == "object_type" and any(self._names_type(each.child_by_field_id(self.TYPE)) for each in items):
            value, _ = self.b.class_(node, "", [])
            self._typed_fields(value, [each for each in items if self._names_type(each.child_by_field_id(self.TYPE))])
            return value
        return NONE

    def _collection(self, node: Node, base: int, element: Node) -> int:
        """``T[]`` and ``Array<T>``, where T is a class, an interface or a collection; ``number[]`` says nothing: an
        element may be a text at run time.
        """
        named = element.type in ("type_identifier", "nested_type_identifier", "generic_type", "array_type")
        type_value = self._type(element) if named or element.type == "parenthesized_type" else NONE
        return base if type_value == NONE else self.b.collection_type(node, base, [type_value])

    def _state_function_type(self, value: int, type_value: int, at: Node) -> None:
        if self.b.ops[value] == Op.FUNCTION and type_value != NONE:
            given = [Argument(value, 0, at)]
            self.b.call(at, type_value, given, flags=int(CallFlag.DECORATOR), changes=False)

    def _written_type(self, node: Node) -> int:
        items = self._items(node)
        if not items or items[-1].type != "object_type":
            return self._type(node)
        value, _ = self.b.class_(node, "", [])
        self._typed_fields(value, self._items(items[-1]))
        return value

    def _names_type(self, node: Node | None) -> bool:
        """Whether a member's type is one of the program's or of a library's: of a literal only these are told."""
        items = [] if node is None else self._items(node)
        return bool(items) and items[-1].type in ("type_identifier", "nested_type_identifier", "generic_type")

    def _union(self, node: Node) -> int:
        """``T | null``: ``T``; a union of several types says nothing."""
        sides: list[Node] = []
        stack = [node]
        while stack:
            for side in self._items(stack.pop()):
                if side.type == "union_type":
                    stack.append(side)
                elif self.text(side) not in ("null", "undefined", "void"):
                    sides.append(side)
        return self._type(sides[0]) if len(sides) == 1 else NONE

    @on("as_expression", "satisfies_expression")
    def cast(self, node: Node) -> int:
        """``x as T``: the same value, declared to be a ``T``."""
        b = self.b
        items = self._items(node)
        if not items:
            return b.opaque(node)
        value = self.value(items[0])
        if len(items) > 1 and b.ops[value] == Op.FUNCTION:
            self._state_function_type(value, self._type(items[1]), items[1])
        elif (
            len(items) > 1
            and b.ops[value] != Op.CONST
            and items[1].type in ("type_identifier", "nested_type_identifier")
        ):
            b.declare_type(value, self._type(items[1]))
        return value

    @on("type_assertion")
    def type_assertion(self, node: Node) -> int:
        items = self._items(node)
        return self.value(items[-1] if items else None)

    @on("interface_declaration")
    def interface(self, node: Node) -> None:
        bases = [
            base
            for child in self._items(node)
            if child.type in ("extends_type_clause", "extends_clause")
            for part in self._items(child)
            if (base := self._type(part)) != NONE
        ]
        self._declared_type(node, node.child_by_field_id(self.BODY), bases)

    @on("type_alias_declaration")
    def type_alias(self, node: Node) -> None:
        value = node.child_by_field_id(self.VALUE)
        name = self._declared_name(node)
        if value is None or name is None:
            return
        if value.type == "object_type":
            self._declared_type(node, value, [])
            return
        if value.type == "intersection_type":
            bases = [base for part in self._items(value) if (base := self._type(part)) != NONE]
            objects = [part for part in self._items(value) if part.type == "object_type"]
            self._declared_type(node, objects[0] if objects else None, bases)
            return
        type_value = self._type(value)
        if type_value != NONE:
            self._bind_type(name, type_value)

    def _bind_type(self, name: str, value: int) -> None:
        """A type and a variable of the same name are two things, of which this front end knows one: the variable,
        ``const Query = z.object({ ... })``, from which types are mostly made, ``type Query = z.infer<typeof Query>``.
        """
        here = self.b.declared_here(name)
        if here == NONE or here in self._types:
            self._bind(name, value, "let")
            self._types.add(value)

    def _declared_type(self, node: Node, body: Node | None, bases: list[int]) -> None:
        """A type with typed fields."""
        b = self.b
        name = self._declared_name(node) or ""
        value, _ = b.class_(node, name, bases)
        self._bind_type(name, value)
        self._typed_fields(value, [] if body is None else self._items(body))

    def _typed_fields(self, value: int, members: Sequence[Node]) -> None:
        b = self.b
        for child in members:
            if child.type == "property_signature":
                type_node = child.child_by_field_id(self.TYPE)
                type_value = NONE if type_node is None else self._type(type_node)
                field = self._member_name(child.child_by_field_id(self.NAME))
                if field is not None and type_value != NONE:
                    b.field(value, field, type_value, child)

    @on("enum_declaration")
    def enum(self, node: Node) -> int:
        b = self.b
        body = node.child_by_field_id(self.BODY)
        items: list[tuple[int, int]] = []
        following: Constant = 0
        for child in [] if body is None else self._items(body):
            if child.type == "enum_assignment":
                value = self.value(child.child_by_field_id(self.VALUE))
                key = self._key(child.child_by_field_id(self.NAME))
            else:
                value = b.opaque(child) if following is None else b.constant(following, child)
                key = self._key(child)
            constant = b.constants.get(value)
            following = constant + 1 if isinstance(constant, int) else None
            items.append((key, value))
        result = b.container(node, items)
        name = self._declared_name(node)
        if name is not None:
            self._bind(name, result, "let")
        return result

    @on("internal_module", "module")
    def namespace(self, node: Node) -> None:
        """A namespace is an object of the names that it exports."""
        b = self.b
        name_node = node.child_by_field_id(self.NAME)
        body = node.child_by_field_id(self.BODY)
        if name_node is None or body is None or name_node.type == "string":
            return
        names = self.text(name_node).split(".")
        with b.scope():
            statements = self._items(body)
            self.statements(statements)
            b.label()
            exported = [name for statement in statements for name in self._exported_names(statement)]
            items = [(b.key(name), value) for name in exported if (value := b.current(name)) != NONE]
        before = b.current(names[0]) if b.is_declared(names[0]) else NONE
        value = b.container(node, items, [] if before == NONE or len(names) > 1 else [before])
        for name in reversed(names[1:]):
            value = b.container(node, [(b.key(name), value)])
        self._bind(names[0], value, "var")

    @on("import_alias")
    def import_alias(self, node: Node) -> None:
        items = self._items(node)
        if len(items) == 2:
            self._bind(self.text(items[0]), self.value(items[1]), "let")


class Tsx(TypeScript):
    """Lowers one file of TypeScript with JSX."""

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_tsx())
