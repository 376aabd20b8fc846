"""Functions, classes, and objects that hold functions."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, ArgumentFlag, CallFlag, FunctionFlag, Op, ParameterKind
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.statements import Statements
from pyrograph.parsers.nodes import is_element

PROPERTY_MODIFIERS = frozenset(["accessibility_modifier", "override_modifier", "readonly"])
FUNCTIONS_AND_TABLES = frozenset(["object", "array", "arrow_function", "function_expression"])


class Functions(Statements):
    """What has a body of its own."""

    def _named_value(self, node: Node | None, name: Node | None) -> int:
        """A value that gets a name where it is made: anonymous functions and classes are called so in reports."""
        if node is not None and name is not None:
            if node.kind_id in self._function_kinds and node.child_by_field_id(self.NAME) is None:
                return self._function(node, name=self.text(name))
            if node.type == "class":
                return self._class(node, [], self.text(name))
        return self.value(node)

    @on("object")
    def object_literal(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for child in self._items(node):
            kind = child.type
            if kind == "pair":
                value_node = child.child_by_field_id(self.VALUE)
                key_node = child.child_by_field_id(self.KEY)
                key = self._key(key_node)
                items.append((key, self._named_value(value_node, key_node)))
            elif kind == "shorthand_property_identifier":
                items.append((b.key(self.text(child)), self.identifier(child)))
            elif kind == "method_definition":
                value = self._method(child, NONE)
                name = child.child_by_field_id(self.NAME)
                if self._accessor(child) == "get":
                    value = b.call(child, value, [])
                items.append((self._key(name), value))
            elif kind == "spread_element":
                if items:
                    spreads = [b.container(node, items, spreads)]
                    items = []
                spreads.append(self._spread(child))
            else:
                value_or_none = self.handle(child)
                if value_or_none is not None:
                    items.append((UNKNOWN_KEY, value_or_none))
        return b.container(node, items, spreads)

    @on("function_declaration", "generator_function_declaration")
    def function_declaration(self, node: Node) -> int:
        """A declaration that was not hoisted, such as an exported one."""
        value = self._function(node)
        name = self._declared_name(node)
        if name is not None:
            self.b.declare(name)
            self.b.write(name, value)
        return value

    @on("function_expression", "generator_function", "arrow_function")
    def function_expression(self, node: Node) -> int:
        return self._function(node)

    def _function(
        self,
        node: Node,
        *,
        name: str | None = None,
        flags: int = 0,
        owner: int = NONE,
        prologue: Callable[[], None] | None = None,
        class_value: int = NONE,
    ) -> int:
        """The value of a function; ``prologue`` runs between its parameters and its body."""
        b = self.b
        name_node = node.child_by_field_id(self.NAME)
        if name is None:
            name = "" if name_node is None else self.text(name_node)
        kind = node.type
        arrow = kind == "arrow_function"
        if arrow:
            flags |= FunctionFlag.LAMBDA
        first = node.start_byte
        if kind.startswith("generator"):
            flags |= FunctionFlag.GENERATOR
        if self.source.startswith(b"async", first) or kind == "method_definition":
            for child in node.children:
                if child.is_named:
                    if child.type not in ("decorator", "accessibility_modifier", "override_modifier", "comment"):
                        break
                elif child.type == "async":
                    flags |= FunctionFlag.ASYNC
                elif child.type == "*":
                    flags |= FunctionFlag.GENERATOR
        body = node.child_by_field_id(self.BODY)
        parameters = node.child_by_field_id(self.PARAMETERS)
        only = node.child_by_field_id(self.PARAMETER)
        returns = node.child_by_field_id(self.RETURN_TYPE)
        context = owner if owner != NONE else self._owner
        cells = self._cells.get(first, b.cell_names)
        # An expression's own name is known inside alone; it is bound only where the body mentions it.
        named_inside = (
            name_node is not None
            and body is not None
            and kind in ("function_expression", "generator_function")
            and self.source.find(name.encode(), body.start_byte, body.end_byte) >= 0
        )

        def lower() -> None:
            saved, self._owner = self._owner, context
            if not arrow:
                b.parameter("this", name_node or node, RECEIVER, kind=ParameterKind.RECEIVER)
            if named_inside and name not in b.frame.scope.declared:
                b.declare(name)
                b.write(name, value)
            if first in self._vars:
                b.frame.scope.declared.update(self._vars[first])
            properties: list[tuple[str, int, Node]] = []
            if only is not None:
                b.parameter(self.text(only), only, 0)
            elif parameters is not None:
                properties = self._parameters(parameters, class_value)
            if not arrow and body is not None and self.source.find(b"arguments", body.start_byte, body.end_byte) >= 0:
                self._arguments_object(node)
            if returns is not None:
                type_value = self._type(returns)
                if type_value != NONE:
                    b.declare_type(b.frame.boundary.result, type_value)
            for variable in self._loop_vars.get(first, ()):
                if b.current(variable) == NONE:
                    b.write(variable, b.constant(None, node))
            block = body is not None and body.type == "statement_block"
            statements = body.named_children if body is not None and block else []
            # The base class makes the object before the constructor stores into it.
            above = _statements_through_super(statements) if properties or prologue is not None else 0
            below = statements[above:]
            if above:  # the functions declared below exist before it does
                hoisted = [each for each in below if each.kind_id in self._hoisted_kinds]
                below = [each for each in below if each.kind_id not in self._hoisted_kinds]
                self.statements([*statements[:above], *hoisted])
            for key, held, at in properties:
                b.store(b.read("this", at), b.key(key), held, at)
            if prologue is not None:
                prologue()
            self.statements(below)
            if body is not None and not block:
                b.return_(self.value(body), is_element=is_element(body))
            self._owner = saved

        def lower_with_cells() -> None:
            saved, b.cell_names = b.cell_names, cells
            try:
                lower()
            finally:
                b.cell_names = saved

        changes = self.changed_in(node)
        if not arrow:
            changes.discard("this")
        value = b.function(
            node, name, lower_with_cells, flags=int(flags), owner=owner, name_at=name_node or node, changes=changes
        )
        return value

    def _parameters(self, node: Node, class_value: int) -> list[tuple[str, int, Node]]:
        """Declare the parameters; those that are properties of the object, too, with their names and values."""
        b = self.b
        patterns: list[tuple[Node, int]] = []
        decorated: list[tuple[Node, int, Node]] = []
        properties: list[tuple[str, int, int, Node]] = []
        position = 0
        for child in self._items(node):
            kind = child.type
            target: Node | None = child
            default: Node | None = None
            type_value = NONE
            if kind in ("required_parameter", "optional_parameter"):
                target = child.child_by_field_id(self.PATTERN)
                default = child.child_by_field_id(self.VALUE)
                type_node = child.child_by_field_id(self.TYPE)
                if target is None or target.type == "this":
                    continue
                if type_node is not None:
                    is_decorated = any(part.type == "decorator" for part in child.named_children)
                    type_value = self._written_type(type_node) if is_decorated else self._type(type_node)
            elif kind == "assignment_pattern":
                target = child.child_by_field_id(self.LEFT)
                default = child.child_by_field_id(self.RIGHT)
            if target is None:
                continue
            role = ParameterKind.NORMAL
            if target.type == "rest_pattern":
                role = ParameterKind.VARARG
                items = self._items(target)
                if not items:
                    continue
                target = items[0]
            elif kind == "decorator":
                continue
            plain = target.kind_id == self._identifier
            value = b.parameter(
                self.text(target) if plain else None,
                target,
                position,
                kind=role,
                default=NONE if default is None else self._named_value(default, target if plain else None),
                type_value=type_value,
            )
            position += 1
            if not plain:
                patterns.append((target, value))
            if kind in ("required_parameter", "optional_parameter"):
                for part in child.named_children:
                    if part.type == "decorator":
                        decorated.append((part, value, target))
                if plain and any(part.type in PROPERTY_MODIFIERS for part in child.children):
                    properties.append((self.text(target), value, type_value, child))
        for target, value in patterns:
            self._destructure(target, value, "let")
        for decorator, value, target in decorated:
            self._decorate(decorator, value, target)
        for name, _, type_value, at in properties:
            if class_value != NONE and type_value != NONE:
                b.field(class_value, name, type_value, at)
        return [(name, value, at) for name, value, _, at in properties]

    def _arguments_object(self, node: Node) -> None:
        """``arguments``: what the parameters hold, and what was passed beyond them."""
        b = self.b
        if b.is_declared("arguments"):
            return
        known = [p.value for p in b.frame.boundary.parameters if b.current("this") != p.value]
        rest = b.parameter(None, node, len(known), kind=ParameterKind.VARARG)
        value = rest
        if known:
            items = [(b.key(index), value) for index, value in enumerate(known)]
            value = b.container(node, [*items, (UNKNOWN_KEY, b.load(rest, UNKNOWN_KEY, node))])
        b.declare("arguments")
        b.write("arguments", value)

    def _decorate(self, decorator: Node, value: int, at: Node) -> int:
        """``@d`` and ``@d(...)``: a call of the decorator with what it decorates."""
        items = self._items(decorator)
        if not items:
            return value
        callee = self.value(items[0])
        return self.b.call(items[0], callee, [Argument(value, 0, at)], flags=int(CallFlag.DECORATOR))

    @on("method_definition")
    def stray_method(self, node: Node) -> int:
        return self._method(node, NONE)

    def _accessor(self, node: Node) -> str:
        """``get``, ``set`` or nothing."""
        for child in node.children:
            if not child.is_named:
                if child.type in ("get", "set"):
                    return child.type
            elif child.type not in ("decorator", "accessibility_modifier", "override_modifier", "comment"):
                break
        return ""

    def _method(
        self, node: Node, owner: int, *, prologue: Callable[[], None] | None = None, class_value: int = NONE
    ) -> int:
        flags = int(FunctionFlag.METHOD)
        for child in node.children:
            if child.is_named:
                if child.type not in ("decorator", "accessibility_modifier", "override_modifier", "comment"):
                    break
            elif child.type == "static":
                flags = flags & ~FunctionFlag.METHOD | FunctionFlag.STATIC
            elif child.type == "get" and owner != NONE:  # that of a literal is called where the literal is made
                flags |= FunctionFlag.PROPERTY
            elif child.type == "set":
                flags |= FunctionFlag.SETTER
                self.b.assigned_by_call(self._declared_name(node) or "")
        if owner != NONE and self._declared_name(node) == "constructor":
            flags |= FunctionFlag.CONSTRUCTOR
        return self._function(node, flags=int(flags), owner=owner, prologue=prologue, class_value=class_value)

    # -- classes

    @on("class_declaration", "abstract_class_declaration")
    def class_declaration(self, node: Node) -> int:
        return self._class_declaration(node, [])

    def _class_declaration(self, node: Node, decorators: list[Node]) -> int:
        name = self._declared_name(node)
        if name is not None:
            self.b.declare(name)
        value = self._class(node, decorators, name or "")
        return value

    @on("class")
    def class_expression(self, node: Node) -> int:
        return self._class(node, [], "")

    def _class(self, node: Node, decorators: list[Node], name: str) -> int:
        """A class: its methods are members, its instance fields are stored when an instance is made."""
        b = self.b
        own_name = self._declared_name(node)
        heritage = [child for child in node.named_children if child.type == "class_heritage"]
        bases = self._bases(heritage[0]) if heritage else []
        value, owner = b.class_(node, own_name or name, bases)
        if own_name is not None:
            if node.type == "class":
                b.declare(own_name)
            b.write(own_name, value)
        body = node.child_by_field_id(self.BODY)
        fields: list[Node] = []
        constructor: Node | None = None
        pending: list[Node] = []  # decorators of the next member
        for child in [] if body is None else self._items(body):
            kind = child.type
            if kind == "decorator":
                pending.append(child)
                continue
            own = [*pending, *(part for part in child.named_children if part.type == "decorator")]
            pending = []
            if kind == "method_definition":
                if self._declared_name(child) == "constructor" and not _is_static(child):
                    constructor = child
                    continue
                self._class_method(child, value, owner, own)
            elif kind in ("field_definition", "public_field_definition"):
                if _is_static(child):
                    self._static_field(child, value)
                else:
                    fields.append(child)
                    self._declared_field(child, value, own)
            elif kind == "class_static_block":
                self._static_block(child, value)
        if constructor is not None or any(f.child_by_field_id(self.VALUE) is not None for f in fields):
            self._constructor(constructor, fields, value, owner, node, inherits=bool(bases))
        for decorator in reversed(
            [*decorators, *(child for child in node.named_children if child.type == "decorator")]
        ):
            value = b.phi([value, self._decorate(decorator, value, node)], node)
            if own_name is not None:
                b.write(own_name, value)
        return value

    def _bases(self, heritage: Node) -> list[int]:
        bases: list[int] = []
        for child in self._items(heritage):
            if child.type == "extends_clause":
                bases += [self.value(base) for base in child.children_by_field_id(self.VALUE)]
            elif child.type == "implements_clause":
                bases += [base for part in self._items(child) if (base := self._type(part)) != NONE]
            else:
                bases.append(self.value(child))
        return bases

    def _class_method(self, node: Node, class_value: int, owner: int, decorators: list[Node]) -> None:
        name = node.child_by_field_id(self.NAME)
        value = self._method(node, owner)
        text = self._member_name(name)
        if text is not None:
            self.b.member(class_value, text, value)
        for decorator in reversed(decorators):  # what a decorator returns takes the method's place
            value = self._decorate(decorator, value, name or node)
            if text is not None:
                self.b.member(class_value, text, value)

    def _member_name(self, node: Node | None) -> str | None:
        """The name of a class member, or None where it is computed at run time."""
        if node is None:
            return None
        key = self._key(node)
        return self.b.unit.strings[key] if key >= 0 else None

    def _field_name(self, node: Node) -> Node | None:
        return node.child_by_field_id(self.PROPERTY) or node.child_by_field_id(self.NAME)

    def _static_field(self, node: Node, class_value: int) -> None:
        name_node = self._field_name(node)
        value_node = node.child_by_field_id(self.VALUE)
        name = self._member_name(name_node)
        if name is not None and value_node is not None:
            self.b.member(class_value, name, self._named_value(value_node, name_node))

    def _declared_field(self, node: Node, class_value: int, decorators: list[Node]) -> None:
        """Declare an instance field when the class is made: its type and its decorators.

        ``handlers: Record<string, Handler> = { run: ... }`` shows what the field holds, which its type does not.
        """
        type_node = node.child_by_field_id(self.TYPE)
        given = node.child_by_field_id(self.VALUE)
        shown = given is not None and given.type in FUNCTIONS_AND_TABLES and bool(self._items(given))
        type_value = NONE if type_node is None or shown else self._type(type_node)
        if type_value == NONE and not decorators:
            return
        name = self._member_name(self._field_name(node))
        if name is None:
            return
        value = self.b.field(class_value, name, type_value, node)
        for decorator in decorators:
            self._decorate(decorator, value, node)

    def _static_block(self, node: Node, class_value: int) -> None:
        with self.b.scope():
            self.b.declare("this")
            self.b.write("this", class_value)
            self._body(node.child_by_field_id(self.BODY))

    def _constructor(
        self, node: Node | None, fields: list[Node], class_value: int, owner: int, at: Node, *, inherits: bool
    ) -> None:
        """The constructor with the fields' initial values; made up where there is none."""
        b = self.b

        def store_fields() -> None:
            for field in fields:
                value_node = field.child_by_field_id(self.VALUE)
                name_node = self._field_name(field)
                if value_node is None or name_node is None:
                    continue
                b.forget_reads()
                value = self._named_value(value_node, name_node)
                key = self._key(name_node)
                b.store(b.read("this", field), key, value, field)
                if key >= 0 and b.ops[value] == Op.FUNCTION:
                    b.member(class_value, b.unit.strings[key], value)
                type_node = field.child_by_field_id(self.TYPE)
                if type_node is not None and b.ops[value] == Op.FUNCTION:
                    self._state_function_type(value, self._type(type_node), name_node)

        if node is not None:
            value = self._method(node, owner, prologue=store_fields, class_value=class_value)
        else:

            def lower() -> None:
                saved, self._owner = self._owner, owner
                this = b.parameter("this", at, RECEIVER, kind=ParameterKind.RECEIVER)
                if inherits:
                    rest = b.parameter(None, at, 0, kind=ParameterKind.VARARG)
                    above = b.super_(at, owner, this)
                    passed = Argument(rest, 0, at, flags=int(ArgumentFlag.SPREAD))
                    b.call(at, b.method(above, "constructor", at), [passed], receiver=above, name="constructor")
                store_fields()
                self._owner = saved

            flags = FunctionFlag.METHOD | FunctionFlag.CONSTRUCTOR
            value = b.function(at, "constructor", lower, flags=int(flags), owner=owner, name_at=at)
        b.member(class_value, "constructor", value)

    @on("decorator")
    def decorator(self, node: Node) -> None:
        """A decorator of nothing that is lowered."""
        for child in self._items(node):
            self.value(child)


def _is_static(node: Node) -> bool:
    return any(child.type == "static" for child in node.children if not child.is_named)


def _statements_through_super(statements: list[Node]) -> int:
    """The number of statements up to the call of the base class's constructor; 0 if none of them is it."""
    for count, node in enumerate(statements, 1):
        call = node.named_children[0] if node.type == "expression_statement" and node.named_children else None
        callee = None if call is None or call.type != "call_expression" else call.named_children[0]
        if callee is not None and callee.type == "super":
            return count
    return 0
