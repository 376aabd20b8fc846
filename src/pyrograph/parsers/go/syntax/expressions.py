"""Literals, operators, conditions, access to members and elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Operator, Test
from pyrograph.parsers.builder import Outcome
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.constants import (
    ARITHMETIC,
    ESCAPE,
    EXCHANGED,
    OPERATORS,
    ORDER,
    element_of,
    integer_of,
    slice_of,
    sum_of,
    unescaped,
)
from pyrograph.parsers.go.syntax.names import NUMERIC, first_of
from pyrograph.parsers.go.syntax.types import Types


class Expressions(Types):
    """Expressions that call nothing."""

    @on("interpreted_string_literal")
    def string(self, node: Node) -> int:
        raw = self.source[node.start_byte + 1 : node.end_byte - 1]
        if b"\\" in raw:
            raw = ESCAPE.sub(unescaped, raw)
        return self.b.constant(raw.decode("utf-8", "replace"), node)

    @on("raw_string_literal")
    def raw_string(self, node: Node) -> int:
        raw = self.source[node.start_byte + 1 : node.end_byte - 1]
        return self.b.constant(raw.replace(b"\r", b"").decode("utf-8", "replace"), node)

    @on("rune_literal")
    def rune(self, node: Node) -> int:
        raw = ESCAPE.sub(unescaped, self.source[node.start_byte + 1 : node.end_byte - 1])
        text = raw.decode("utf-8", "replace")
        return self.b.constant(ord(text[0]), node) if text else self.b.opaque(node)

    @on("int_literal")
    def integer(self, node: Node) -> int:
        number = integer_of(self.text(node))
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
        listed = kind in ("slice_type", "array_type", "implicit_length_array_type") and position == len(items)
        value = b.container(at, items, sequence=True if listed else None)
        if kind not in _PLAIN_LITERALS or (type_node is not None and type_node.type not in _PLAIN_LITERALS):
            is_struct = type_node is not None and type_node.type == "struct_type"
            type_value = self.struct_value(type_node) if is_struct else self.type_value(type_node)
            if type_value != NONE:
                b.declare_type(value, type_value)
        return value

    def _field_name(self, key: Node | None, kind: str) -> str | None:
        """The field that a key names; None where keys are values: in maps and arrays.

        No literal may name a field with a small first letter of a type of another package: ``squirrel.Eq{column: 1}``
        is a map.
        """
        if key is None or kind in _KEYS_ARE_VALUES:
            return None
        inner = first_of(key) if key.type == "literal_element" else key
        if inner is None or inner.type != "identifier":
            return None
        name = self.text(inner)
        return None if kind == "qualified_type" and not name[:1].isupper() else name

    def _literal_value(self, node: Node | None, type_node: Node | None) -> int:
        if node is not None and node.type == "literal_element":
            node = first_of(node)
        if node is None:
            return self.b.opaque(_NOWHERE)
        if node.type == "literal_value":
            return self._literal(node, type_node, node)
        return self._operand(node)

    # -- conditions

    def condition(self, node: Node) -> Outcome:
        b = self.b
        kind = node.type
        while kind == "parenthesized_expression" and (inner := first_of(node)) is not None:
            node = inner
            kind = node.type
        if kind == "binary_expression":
            operator = node.child_by_field_id(self.OPERATOR)
            left = node.child_by_field_id(self.LEFT)
            right = node.child_by_field_id(self.RIGHT)
            if operator is not None and left is not None and right is not None:
                symbol = operator.type
                if symbol == "&&":
                    return self.control.both(self.condition(left), lambda: self.condition(right))
                if symbol == "||":
                    return self.control.either(self.condition(left), lambda: self.condition(right))
                mark = b.mark()
                if symbol == "==":
                    return self._equal(self.value(left), self.value(right), node, mark)
                if symbol == "!=":
                    return self._equal(self.value(left), self.value(right), node, mark).inverted()
                if symbol in ORDER:
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
            return b.known(ORDER[symbol](first, second))
        if symbol in EXCHANGED:
            symbol, left, right = EXCHANGED[symbol], right, left
        outcome = b.test(Test.LESS, left, right, at, mark)
        return outcome if symbol == "<" else outcome.inverted()

    # -- operators

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
        folded = b.fold(sum_of, parts, at)
        return b.computed(b.expression(at, parts) if folded is None else folded, Operator.ADD, parts)

    def _combine(self, symbol: str, left: int, right: int, at: Node) -> int:
        if symbol == "+":
            return self._add((left, right), at)
        b = self.b
        function = ARITHMETIC.get(symbol)
        folded = None if function is None else b.fold(function, (left, right), at)
        if folded is not None:
            return folded
        value = b.expression(at, (left, right))
        return b.computed(value, OPERATORS[symbol], (left, right)) if symbol in OPERATORS else value

    @on("parenthesized_expression")
    def parenthesized(self, node: Node) -> int:
        return self.value(first_of(node))

    # -- access

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
        key = b.key(self.text(name))
        return b.load(obj, key, node)

    @on("index_expression")
    def index(self, node: Node) -> int:
        operand = node.child_by_field_id(self.OPERAND)
        b = self.b
        if operand is not None and operand.type == "identifier" and self._is_generic(operand):
            return self.value(operand)
        obj = self.value(operand)
        index = self.value(node.child_by_field_id(self.INDEX))
        folded = b.fold(element_of, (obj, index), node)
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
            folded = b.fold(slice_of, (obj, start) if end is None else (obj, start, end), node)
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
        piece = b.store(piece, UNKNOWN_KEY, b.load(obj, UNKNOWN_KEY, node), node)
        if static is not None and static.type.type in ("slice_type", "array_type"):
            b.frame.objects.loaded[piece] = (obj, UNKNOWN_KEY)  # the memory is the same: what fills it fills ``obj``
        return piece

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
                value = b.constant(chr(constant) if 0 <= constant < 0x110000 else "\ufffd", at)
            return self._retyped(value, type_node, at)
        if name in NUMERIC:
            return b.new(Op.EXPRESSION, at)
        if b.ops[value] == Op.FUNCTION:
            return value
        return self._typed(self._copy(value, at), type_node)

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
        type_value = self.struct_value(type_node) if kind == "struct_type" else self.type_value(type_node)
        if type_value != NONE:
            b.declare_type(value, type_value)
        return value


_NOWHERE: Final = type("Nowhere", (), {"start_byte": 0, "end_byte": 0})()


_KEYS_ARE_VALUES = frozenset(("map_type", "slice_type", "array_type", "implicit_length_array_type"))


_PLAIN_LITERALS = _KEYS_ARE_VALUES

_CONDITIONS = frozenset(("&&", "||", "==", "!=", *ORDER))
