"""Types: as far as the names in them go, and what elements and fields are declared to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import ALIAS, ANSWERS, INTERFACE, NONE, SIDES, TAGS, TYPES, UNKNOWN_TYPE, CallFlag
from pyrograph.parsers.builder import Argument, Constant
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.names import NUMERIC, PREDECLARED, Named, Names, Static, first_of
from pyrograph.parsers.go.syntax.tags import checks
from pyrograph.parsers.nodes import children_of
from pyrograph.policy.limits.languages import MAX_TYPE_DEPTH

NO_NAMES: Final = ("_", "")  # the blank identifier, and one that the parser put where it missed one

_CHARACTERS: Final = ("byte", "rune", "uint8", "int32")
_SAME_TYPES: Final = {"any": "interface{}", "byte": "uint8", "rune": "int32"}
_NO_TYPES: Final = ("any", "comparable")  # say nothing of a value

_WRAPPED_TYPES = frozenset(
    ("pointer_type", "parenthesized_type", "unary_expression", "parenthesized_expression", "type_elem")
)


class Types(Names):
    """Facts about values from their types."""

    def _is_plain_type(self, type_node: Node | None) -> bool:
        if type_node is None or type_node.type == "pointer_type":
            return False
        underlying = self._underlying(type_node)
        if underlying is None or underlying.type not in ("type_identifier", "identifier"):
            return False
        name = self.text(underlying)
        return (name == "string" or name in NUMERIC) and name not in self.here.generics

    def _is_plain(self, value: int, static: Static | None) -> bool:
        """Whether a new variable is text or a number: by its type, or by what it is made of."""
        if static is not None:
            return not static.pointer and self._is_plain_type(static.type)
        b = self.b
        return value in b.texts or b.constants.get(value) is not None

    def _declare(self, node: Node, value: int, static: Static | None = None) -> None:
        """A new variable named by ``node``."""
        name = self.text(node)
        if name in NO_NAMES:
            return
        b = self.b
        b.declare(name)
        frame = b.frame
        slot = frame.scope.renamed.get(name, name)
        if name in self.constant_names:
            self.constants.pop((frame.index, slot), None)
        if static is not None:
            self.statics[frame.index, slot] = static
        if frame.parent is not None and self._is_plain(value, static):
            b.pass_by_value(name)
        b.write(name, value)

    def _typed(self, value: int, type_node: Node | None) -> int:
        if type_node is not None and value not in self.b.constants:
            type_value = self.type_value(type_node)
            if type_value != NONE:
                self.b.declare_type(value, type_value)
        return value

    def _operand(self, node: Node) -> int:
        """A value that is assigned: structs are copied, so that the copy's changes stay its own."""
        kind = node.type
        value = self.value(node)
        if kind == "identifier":
            if value in self.b.constants:
                self._declare_constant(value, self._type_of_constant(node))
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
        return b.copied(value, at)

    def _type_of(self, node: Node) -> Node | None:
        static = self._static(node)
        return None if static is None else static.type

    def _type_of_constant(self, node: Node) -> Node | None:
        """The type that a constant has by its name, where this file declares it."""
        if node.type == "identifier" and self.constant_types:
            for slot in self._slots(self.text(node)):
                return self.constant_types.get(slot)
        return None

    def _type_converted_to(self, node: Node) -> Node | None:
        """The type of a conversion, where this file declares it."""
        function = node.child_by_field_id(self.FUNCTION) if node.type == "call_expression" else None
        is_type = function is not None and function.type == "identifier" and self.text(function) in self.named
        return function if is_type else None

    def _retyped(self, value: int, type_node: Node | None, at: Node) -> int:
        """The constant ``value`` as one of a type of the program: other names of it keep the type that they have."""
        if self.b.constants[value] is None or self._base_name(type_node) in ("", *PREDECLARED):
            return value
        underlying = self._underlying(type_node)
        if (underlying is not None and underlying.type == "interface_type") or self.type_value(type_node) == NONE:
            return value  # it keeps its own type
        made = self.b.fold(_unchanged, (value,), at)
        if made is None:
            return value
        self._declare_constant(made, type_node)
        return made

    def _declare_constant(self, value: int, type_node: Node | None) -> None:
        """A constant has a type of the program: it equals constants of this type only."""
        if type_node is not None and self._base_name(type_node) not in PREDECLARED:
            type_value = self.type_value(type_node)
            if type_value != NONE:
                self.b.declare_type(value, type_value)
                self.typed_constants.add(value)

    def type_value(self, node: Node | None) -> int:
        """The value of the type's name, through pointers and type arguments; NONE for a type without one."""
        b = self.b
        mark = b.mark()
        value = self._named_type(node, 0)
        del b.reads[mark:]  # a type's name is no variable that a condition could say something about
        return value

    def carried_type(self, node: Node | None) -> int:
        """``type_value``; of slices, arrays and maps of numbers, that of the numbers: no text can lie in these."""
        value = self.type_value(node)
        if value != NONE or node is None:
            return value
        for _ in range(MAX_TYPE_DEPTH):
            underlying = self._underlying(node)
            if underlying is not None and underlying.type == "map_type":
                key = underlying.child_by_field_id(self.KEY)
                if not self._is_number(key):
                    return NONE
            element = self._element(node)
            if element is None:
                return self.type_value(node) if self._is_number(node) else NONE
            node = element
        return NONE

    def _is_number(self, node: Node | None) -> bool:
        """Whether the type is one of numbers that are no characters: a slice of bytes is text."""
        underlying = self._underlying(node)
        if underlying is None or underlying.type not in ("type_identifier", "identifier"):
            return False
        name = self.text(underlying)
        return name in NUMERIC and name not in _CHARACTERS and name not in self.here.generics

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
                node = first_of(node)
            elif kind == "interface_type":
                return self._interface(node)
            elif kind == "struct_type":
                return self.struct_value(node) if next(self._field_declarations(node), None) is not None else NONE
            elif kind == "unary_expression" or kind == "index_expression":
                node = node.child_by_field_id(self.OPERAND)
            elif kind == "type_constraint" or kind == "type_elem":
                children = children_of(node)
                node = children[0] if len(children) == 1 else None
            else:
                return NONE
        return NONE

    def _interface(self, node: Node) -> int:
        """The class of an interface without a name; NONE of one without methods, which every value has."""
        if not any(child.type == "method_elem" for child in node.named_children):
            return NONE
        value, owner = self.b.class_(node, "")
        self._type_body(node, Named(node, value, owner))
        return value

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
                node = first_of(node)
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
                node = first_of(node)
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
        """The declared type of an expression, as far as this file states it, without evaluating anything."""
        if node is None or depth > MAX_TYPE_DEPTH:
            return None
        depth += 1
        kind = node.type
        if kind == "identifier":
            for slot in self._slots(self.text(node)):
                return self.statics.get(slot)
        if kind == "composite_literal" or kind == "type_assertion_expression":
            type_node = node.child_by_field_id(self.TYPE)
            return None if type_node is None else Static(type_node, type_node.type == "pointer_type")
        if kind == "selector_expression":
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            name = node.child_by_field_id(self.FIELD)
            if base is None or name is None:
                return None
            return static_of(self._field_type(base.type, self.text(name)))
        if kind == "index_expression":
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            return None if base is None else static_of(self._element(base.type))
        if kind == "unary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            base = self._static(node.child_by_field_id(self.OPERAND), depth)
            if base is None or operator is None:
                return None
            if operator.type == "&":
                return Static(base.type, True)
            if operator.type == "*":
                return Static(base.type, False)
            return static_of(self._element(base.type)) if operator.type == "<-" else None
        if kind == "slice_expression" or kind == "parenthesized_expression":
            return self._static(first_of(node), depth)
        if kind == "type_conversion_expression":
            return self._instantiated_results(node, 1)[0] or static_of(node.child_by_field_id(self.TYPE))
        return self._static_call(node, depth) if kind == "call_expression" else None

    def _static_call(self, node: Node, depth: int) -> Static | None:
        function = node.child_by_field_id(self.FUNCTION)
        if function is None or function.type != "identifier":
            return self._instantiated_results(node, 1)[0]
        name = self.text(function)
        if (name == "string" or name in NUMERIC) and not self._is_local(name):
            return Static(function)
        if name == "make" or name == "new" or name == "append":
            arguments = node.child_by_field_id(self.ARGUMENTS)
            first = None if arguments is None else first_of(arguments)
            if name == "append":
                return self._static(first, depth)
            return None if first is None else Static(first, name == "new")
        declaration = self.signatures.get(name)
        if declaration is None or self._is_local(name):
            return None
        result = declaration.child_by_field_id(self.RESULT)
        return None if result is None or result.type == "parameter_list" else static_of(result)

    def _instantiated_results(self, call: Node, count: int) -> list[Static | None]:
        """The types of the ``count`` results of ``f[T](x)``: those that ``f`` declares as a type parameter are the type
        argument. A function that another file declares is taken to return its first type argument first: most decode
        or look up a value of that type.
        """
        statics: list[Static | None] = [None] * count
        function, given = type_arguments(call)
        if function is None or not given:
            return statics
        declaration = self.signatures.get(self.text(function))
        parameters = None if declaration is None else declaration.child_by_field_id(self.TYPE_PARAMETERS)
        if declaration is None or parameters is None:
            if (
                declaration is None
                and self.text(function) not in self.named
                and not self._is_local(self._root_name(function))
            ):
                statics[0] = Static(given[0], True)
            return statics
        bound = dict(zip(self._generics(parameters), given, strict=False))
        for i, type_node in enumerate(result_types(declaration)[:count]):
            argument = bound.get(self._base_name(type_node))
            if argument is not None and type_node.type in ("type_identifier", "pointer_type"):
                statics[i] = Static(argument, "pointer_type" in (type_node.type, argument.type))
        return statics

    def _fields_of(self, type_node: Node) -> dict[str, Node]:
        name = self._base_name(type_node)
        known = self.named.get(name)
        if known is None:
            return self._fields(type_node)
        if known.fields is None:
            known.fields = self._fields(known.type)
        return known.fields

    def _field_type(self, type_node: Node, name: str, depth: int = 0) -> Node | None:
        """The type of a field, its own or one that an embedded struct promotes, as far as this file states it."""
        fields = self._fields_of(type_node)
        if name in fields or depth == MAX_TYPE_DEPTH:
            return fields.get(name)
        for base, embedded in fields.items():
            if base == self._base_name(embedded) and (found := self._field_type(embedded, name, depth + 1)) is not None:
                return found
        return None

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
            if kind == "type_alias":
                b.signature(value, ALIAS, "")
            self.named[name] = known
            if b.frame.parent is None:
                self.fixed.add(name)
            self._declare(name_node, value)
            later.append((spec, known))
        for spec, known in later:
            self._type_body(spec, known)

    def struct_value(self, node: Node | None) -> int:
        """The class of a struct type without a name, one in each function: its fields are declared as others are."""
        if node is None:
            return NONE
        place = self.b.frame.index, node.id
        known = self.unnamed.get(place)
        if known is None:
            known, owner = self.b.class_(node, "")
            self.unnamed[place] = known
            self._type_body(node, Named(node, known, owner))
        return known

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
                value = self.type_value(type_node) if name is None else self.carried_type(type_node)
                if name is None:
                    if value != NONE:
                        b.base(known.owner, value)
                    b.field(known.value, self._base_name(type_node), value, type_node)
                else:
                    self._tagged(b.field(known.value, self.text(name), value, name), name)
        elif node.type == "interface_type":
            b.field(known.value, INTERFACE, NONE, node)
            for child in node.named_children:
                if child.type == "method_elem":
                    name = child.child_by_field_id(self.NAME)
                    if name is not None:
                        b.field(known.value, self.text(name), NONE, name)
                        b.signature(known.value, self.text(name), self.signature_types(child, self.here.generics))
                        self._answer(known, child, self.text(name))
                elif child.type == "type_elem" and (value := self.type_value(child)) != NONE:
                    b.base(known.owner, value)
        elif (value := self.type_value(node)) != NONE:
            b.base(known.owner, value)
        self.here.generics = outer

    def _tagged(self, field: int, name: Node) -> None:
        """Each check that the tag of a field names is a decorator of the field, which gets the word."""
        tag = name.parent.child_by_field_id(self.TAG) if name.parent is not None else None
        if tag is None:
            return
        type_node = self._underlying(name.parent.child_by_field_id(self.TYPE)) if name.parent is not None else None
        is_list = type_node is not None and type_node.type in ("slice_type", "array_type")
        for key, word in checks(self.text(tag), is_list):
            decorator = self.b.import_(tag, TAGS, key)
            given = [Argument(field, 0, tag), Argument(self.b.constant(word, tag), 1, tag)]
            self.b.call(tag, decorator, given, flags=int(CallFlag.DECORATOR), changes=False)

    def _answer(self, known: Named, method: Node, name: str) -> None:
        """What a method of an interface returns first, if it is of another package: it tells whose method is meant."""
        result = method.child_by_field_id(self.RESULT)
        if result is not None and result.type == "parameter_list":
            declaration = first_of(result)
            result = None if declaration is None else declaration.child_by_field_id(self.TYPE)
        while result is not None and result.type in ("pointer_type", "parenthesized_type"):
            result = first_of(result)
        if result is not None and result.type == "qualified_type" and (value := self.type_value(result)) != NONE:
            self.b.field(known.value, ANSWERS + name, value, result)

    def signature_types(self, method: Node, generics: Mapping[str, Node | None]) -> str:
        """The types of the parameters and of the results: ``signatures.py`` of resolution compares them."""
        result = method.child_by_field_id(self.RESULT)
        sides = []
        for node in (method.child_by_field_id(self.PARAMETERS), result):
            if node is None:
                sides.append("")
            elif node.type != "parameter_list":
                sides.append(self._type_words(node, generics, 0))
            else:
                types = []
                for declaration in children_of(node):
                    words = self._type_words(declaration.child_by_field_id(self.TYPE), generics, 0)
                    if declaration.type == "variadic_parameter_declaration":
                        words = f"... {words}"
                    types += [words] * (len(declaration.children_by_field_name("name")) or 1)
                sides.append(TYPES.join(types))
        return SIDES.join(sides)

    def _type_words(self, node: Node | None, generics: Mapping[str, Node | None], depth: int) -> str:
        """A type in prefix notation, ``map string * example.com/app.User``; ``?`` is a type of which nothing is known,
        and a name without a package is one of this package.
        """
        while node is not None and node.type in ("parenthesized_type", "generic_type"):
            node = node.child_by_field_id(self.TYPE) if node.type == "generic_type" else first_of(node)
        if node is None or depth > MAX_TYPE_DEPTH:
            return UNKNOWN_TYPE
        kind = node.type
        if kind == "type_identifier":
            name = self.text(node)
            if name in generics:
                return UNKNOWN_TYPE
            if name not in self.named and (name in PREDECLARED or name in _NO_TYPES):
                return _SAME_TYPES.get(name, name)
            return f".{name}"
        if kind == "qualified_type":
            package, name_node = node.child_by_field_id(self.PACKAGE), node.child_by_field_id(self.NAME)
            path = None if package is None else self.imports.get(self.text(package))
            return UNKNOWN_TYPE if path is None or name_node is None else f"{path}.{self.text(name_node)}"
        if kind == "pointer_type":
            return f"* {self._type_words(first_of(node), generics, depth + 1)}"
        if kind in ("slice_type", "array_type"):
            return f"{kind} {self._type_words(node.child_by_field_id(self.ELEMENT), generics, depth + 1)}"
        if kind in ("map_type", "channel_type"):
            value = self._type_words(node.child_by_field_id(self.VALUE), generics, depth + 1)
            if kind == "channel_type":
                return f"chan {value}"
            return f"map {self._type_words(node.child_by_field_id(self.KEY), generics, depth + 1)} {value}"
        if kind == "interface_type" and not node.named_children:
            return _SAME_TYPES["any"]
        return kind if kind in ("function_type", "struct_type", "interface_type") else UNKNOWN_TYPE

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


def _unchanged(value: Constant) -> Constant:
    return value


def type_arguments(call: Node) -> tuple[Node | None, list[Node]]:
    """``f`` and the type arguments of ``f[T](x)``, as the grammar reads it: a call of an element, or a conversion."""
    function = call.child_by_field_name("function" if call.type == "call_expression" else "type")
    while function is not None and function.type == "parenthesized_expression":
        function = first_of(function)
    if function is None:
        return None, []
    if function.type == "index_expression":
        given = function.child_by_field_name("index")
        return function.child_by_field_name("operand"), [] if given is None else [plain_type(given)]
    if function.type == "type_instantiation_expression":
        return function.child_by_field_name("type"), [plain_type(each) for each in children_of(function)[1:]]
    if function.type == "generic_type":
        given = function.child_by_field_name("type_arguments")
        return function.child_by_field_name("type"), [] if given is None else [
            plain_type(each) for each in children_of(given)
        ]
    return None, []


def plain_type(node: Node) -> Node:
    """``T`` of ``*T`` and of what the grammar puts around a type."""
    while node.type in _WRAPPED_TYPES and (inner := first_of(node)) is not None:
        node = inner
    return node


def result_types(declaration: Node) -> list[Node]:
    """The types of the results of a function, one for each of them."""
    result = declaration.child_by_field_name("result")
    if result is None or result.type != "parameter_list":
        return [] if result is None else [result]
    types: list[Node] = []
    for child in result.named_children:
        type_node = child.child_by_field_name("type") if child.type == "parameter_declaration" else None
        if type_node is not None:
            types += [type_node] * (len(child.children_by_field_name("name")) or 1)
    return types


def static_of(node: Node | None) -> Static | None:
    return None if node is None else Static(node, node.type == "pointer_type")
