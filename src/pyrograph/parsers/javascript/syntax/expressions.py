"""Literals, operators, conditions."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Operator, Test
from pyrograph.parsers.builder import Constant, Outcome, Span
from pyrograph.parsers.folding import power
from pyrograph.parsers.frontend import on
from pyrograph.parsers.javascript.syntax.names import Names

EQUALITIES = {"===": False, "==": False, "!==": True, "!=": True}  # whether negated
ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EXCHANGED = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``
COMPARISONS = frozenset([*EQUALITIES, *ORDERS, "in", "instanceof"])
LOGICAL = frozenset(["&&", "||"])


def int32(number: float) -> int:
    """A number as bitwise operators see it."""
    return ((int(number) + 2**31) % 2**32) - 2**31


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": math.fmod,
    "**": power,
    "&": lambda a, b: int32(a) & int32(b),
    "|": lambda a, b: int32(a) | int32(b),
    "^": lambda a, b: int32(a) ^ int32(b),
    "<<": lambda a, b: int32(int32(a) << (int32(b) & 31)),
    ">>": lambda a, b: int32(a) >> (int32(b) & 31),
    ">>>": lambda a, b: (int32(a) % 2**32) >> (int32(b) & 31),
}
OPERATORS = {
    "-": Operator.SUBTRACT,
    "*": Operator.MULTIPLY,
    "/": Operator.DIVIDE,
    "%": Operator.REMAINDER,
    "**": Operator.POWER,
    "&": Operator.AND,
    "|": Operator.OR,
    "^": Operator.XOR,
    "<<": Operator.SHIFT_LEFT,
    ">>": Operator.SHIFT_RIGHT,
}

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
ALWAYS_TRUE = frozenset([Op.NEW, Op.FUNCTION, Op.CLASS])


class Expressions(Names):
    """Expressions of names, literals and operators, and conditions."""

    @on("identifier", "shorthand_property_identifier", "type_identifier", "this")
    def identifier(self, node: Node) -> int:
        return self.b.read(self.text(node), node)

    @on("undefined", "null")
    def nothing_at_all(self, node: Node) -> int:
        return self.b.constant(None, node)

    @on("number")
    def number(self, node: Node) -> int:
        text = self.text(node).replace("_", "").rstrip("n")
        try:
            return self.b.constant(int(text, 0), node)
        except ValueError:
            pass
        try:
            real = float(text)
        except ValueError:
            return self.b.opaque(node)
        return self.b.constant(int(real) if real.is_integer() else real, node)

    @on("string")
    def string(self, node: Node) -> int:
        return self.b.constant(self._string_text(node), node)

    def _string_text(self, node: Node) -> str:
        return _unescape(self.source[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "replace"))

    @on("regex")
    def regex(self, node: Node) -> int:
        return self.b.constant(self.text(node), node)

    @on("template_string")
    def template_string(self, node: Node) -> int:
        texts, values = self._template(node)
        parts: list[int] = []
        for index, text in enumerate(texts):
            if text:
                parts.append(self.b.constant(text, node))
            if index < len(values):
                parts.append(values[index])
        return self.b.text(node, parts)

    def _template(self, node: Node) -> tuple[list[str], list[int]]:
        """The fixed texts around and between the holes, and the holes' values."""
        texts: list[str] = []
        values: list[int] = []
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type == "template_substitution":
                texts.append(_unescape(self.source[at : child.start_byte].decode("utf-8", "replace")))
                items = self._items(child)
                values.append(self.value(items[0] if items else child))
                at = child.end_byte
        texts.append(_unescape(self.source[at : node.end_byte - 1].decode("utf-8", "replace")))
        return texts, values

    @on("template_substitution")
    def template_substitution(self, node: Node) -> int:
        return self.parts(node)

    @on("array")
    def array(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        known = True
        for index, child in enumerate(self._items(node)):
            if child.type == "spread_element":
                value = self._spread(child)
                contents = b.contents(value) if known else None
                if contents is not None and contents.sequence:
                    items += [(b.key(len(items) + at), each) for at, each in enumerate(contents.values)]
                    continue
                if index == 0:
                    spreads.append(value)
                else:
                    items.append((UNKNOWN_KEY, b.load(value, UNKNOWN_KEY, child)))
                known = False
            else:
                items.append((b.key(len(items)) if known else UNKNOWN_KEY, self.value(child)))
        return b.container(node, items, spreads, sequence=True if known else None)

    def _spread(self, node: Node) -> int:
        items = self._items(node)
        return self.value(items[0] if items else None)

    @on("spread_element")
    def spread_element(self, node: Node) -> int:
        return self._spread(node)

    def _key(self, node: Node | None) -> int:
        """The key that a property's name stands for."""
        if node is None:
            return UNKNOWN_KEY
        kind = node.type
        if kind == "computed_property_name":
            items = self._items(node)
            return self.b.key_of(self.value(items[0])) if items else UNKNOWN_KEY
        if kind == "string":
            return self.b.key(self._string_text(node))
        if kind == "number":
            return self.b.key_of(self.number(node))
        return self.b.key(self.text(node))

    # -- conditions

    def condition(self, node: Node) -> Outcome:
        return self._condition(node, None)

    def _condition(self, node: Node, leaves: list[int] | None) -> Outcome:
        """The outcome of a condition; ``leaves`` takes the operands that may be its value."""
        b = self.b
        kind = node.kind_id
        if kind == self._parenthesized:
            items = self._items(node)
            if items:
                return self._condition(items[0], leaves)
        elif kind == self._unary:
            sign = self._sign(node)
            argument = node.child_by_field_id(self.ARGUMENT)
            if sign == "!" and argument is not None:
                return self._condition(argument, None).inverted()
        elif kind == self._binary:
            sign = self._sign(node)
            if sign in COMPARISONS:
                return self._comparison(node, sign)
            left = node.child_by_field_id(self.LEFT)
            right = node.child_by_field_id(self.RIGHT)
            if sign in LOGICAL and left is not None and right is not None:
                if sign == "&&":
                    return self.control.both(self._condition(left, None), lambda: self._condition(right, leaves))
                return self.control.either(self._condition(left, leaves), lambda: self._condition(right, leaves))
        mark = b.mark()
        value = self.value(node)
        if leaves is not None:
            leaves.append(value)
        return b.known(True) if b.ops[value] in ALWAYS_TRUE else b.truth(value, node, mark)

    def _comparison(self, node: Node, sign: str) -> Outcome:
        b = self.b
        mark = b.mark()
        left_node = node.child_by_field_id(self.LEFT)
        right_node = node.child_by_field_id(self.RIGHT)
        if sign in EQUALITIES:
            outcome = self._type_test(left_node, right_node, node, mark)
            if outcome is None:
                left = self.value(left_node)
                outcome = self._equal(left, self.value(right_node), node, mark, strict=len(sign) == 3)
            return outcome.inverted() if EQUALITIES[sign] else outcome
        left = self.value(left_node)
        right = self.value(right_node)
        if sign == "instanceof":
            return b.test(Test.IS, left, right, node, mark)
        if sign == "in":
            return b.test(Test.IN, left, right, node, mark)
        first, second = b.constants.get(left), b.constants.get(right)
        if (is_number(first) and is_number(second)) or (isinstance(first, str) and isinstance(second, str)):
            return b.known(ORDERS[sign](first, second))
        if sign in EXCHANGED:
            sign, left, right = EXCHANGED[sign], right, left
        outcome = b.test(Test.LESS, left, right, node, mark)
        return outcome if sign == "<" else outcome.inverted()

    def _type_test(self, left: Node | None, right: Node | None, node: Node, mark: int) -> Outcome | None:
        """``typeof x === "string"``, either way round."""
        for one, other in ((left, right), (right, left)):
            if other is not None and other.type in ("string", "template_string"):
                value = self._typeof(one)
                if value is not None:
                    return self.b.test(Test.IS, value, self.value(other), node, mark)
        return None

    def _typeof(self, node: Node | None) -> int | None:
        """The operand of ``typeof x``."""
        while node is not None and node.kind_id == self._parenthesized:
            items = self._items(node)
            node = items[0] if items else None
        if node is None or node.kind_id != self._unary or self._sign(node) != "typeof":
            return None
        return self.value(node.child_by_field_id(self.ARGUMENT))

    def _equal(self, left: int, right: int, node: Span, mark: int, *, strict: bool = True) -> Outcome:
        b = self.b
        first, second = b.constants.get(left, b), b.constants.get(right, b)
        if left == right and first is b and b.ops[left] != Op.CALL and not self._same_text(node):
            return b.known(True)
        if first is not b and second is not b:
            same_kind = type(first) is type(second) or (is_number(first) and is_number(second))
            if same_kind and first is not None:
                return b.known(bool(first == second))
            if not same_kind and (strict or first is None or second is None):
                return b.known(False)
        return b.test(Test.EQUAL, left, right, node, mark)

    def _same_text(self, node: Span) -> bool:
        """``x === x``: a test for what is no number."""
        if not isinstance(node, Node):
            return True
        left, right = node.child_by_field_id(self.LEFT), node.child_by_field_id(self.RIGHT)
        return left is None or right is None or self.text(left) == self.text(right)

    # -- operators

    @on(
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "instantiation_expression",
    )
    def same_value(self, node: Node) -> int:
        items = self._items(node)
        return self.value(items[0] if items else None)

    @on("sequence_expression")
    def sequence(self, node: Node) -> int:
        value = NONE
        for child in self._items(node):
            value = self.value(child)
        return self.b.opaque(node) if value == NONE else value

    @on("binary_expression")
    def binary(self, node: Node) -> int:
        b = self.b
        sign = self._sign(node)
        if sign == "+":
            return self._plus(node)
        if sign in COMPARISONS:
            return b.boolean(self._comparison(node, sign), node)
        if sign in LOGICAL:
            return self._logical(node)
        left_node = node.child_by_field_id(self.LEFT)
        right_node = node.child_by_field_id(self.RIGHT)
        if sign == "??":
            mark = b.mark()
            left = self.value(left_node)
            if left_node is not None and left_node.kind_id == self._binary:
                mark = b.mark()  # a chain: what its first operands read says nothing of this test
            outcome = self._is_null(left, node, mark)
            return self.control.choose(outcome, lambda: self.value(right_node), lambda: left, node)
        left = self.value(left_node)
        return self._arithmetic(sign, left, self.value(right_node), node)

    def _is_null(self, value: int, node: Node, mark: int) -> Outcome:
        b = self.b
        constant = b.constants.get(value, b)
        if constant is not b:
            return b.known(constant is None)
        return b.test(Test.EQUAL, value, b.constant(None, node), node, mark)

    def _arithmetic(self, sign: str, left: int, right: int, node: Node) -> int:
        """A number: no text of anyone's is left in it, though it may be of anyone's choice."""
        function = ARITHMETIC.get(sign)
        folded = None if function is None else self._fold_numbers(function, left, right, node)
        if folded is not None:
            return folded
        value = self.b.number(node, (left, right))
        return self.b.computed(value, OPERATORS[sign], (left, right)) if sign in OPERATORS else value

    def _fold_numbers(self, function: Callable[[Any, Any], Any], left: int, right: int, node: Node) -> int | None:
        constants = self.b.constants
        if not (is_number(constants.get(left)) and is_number(constants.get(right))):
            return None

        def apply(a: Any, b: Any) -> Constant:
            result = function(a, b)
            if isinstance(result, int):
                return result
            if not isinstance(result, float):
                return refuse()
            return int(result) if result.is_integer() else result

        return self.b.fold(apply, (left, right), node)

    def _plus(self, node: Node) -> int:
        """``a + b + c + …`` is one text made of all of them, or the sum of constant numbers."""
        operands: list[Node | None] = []
        at: Node | None = node
        while at is not None and at.kind_id == self._binary:
            sign = at.child_by_field_id(self.OPERATOR)
            if sign is None or sign.type != "+":
                break
            operands.append(at.child_by_field_id(self.RIGHT))
            at = at.child_by_field_id(self.LEFT)
        parts = [self.value(at)]
        while operands:
            self._add(parts, self.value(operands.pop()), node)
        return parts[0] if len(parts) == 1 else self.b.computed(self.b.text(node, parts), Operator.ADD, parts)

    def _add(self, parts: list[int], value: int, node: Node) -> None:
        """Append ``value`` to a sum; two numbers at its start are added."""
        if len(parts) == 1:
            folded = self._fold_numbers(operator.add, parts[0], value, node)
            if folded is not None:
                parts[0] = folded
                return
        parts.append(value)

    def _logical(self, node: Node) -> int:
        """``a && b``: ``b``, or something false that carries nothing; ``a || b``: one of them."""
        b = self.b
        leaves: list[int] = []
        outcome = self._condition(node, leaves)
        value = b.boolean(outcome, node)
        if value in b.constants and leaves:
            return b.phi(leaves, node)
        for leaf in leaves:
            if b.ops[leaf] != Op.CONST:
                b.same(leaf, value)
        return value

    @on("ternary_expression")
    def ternary(self, node: Node) -> int:
        condition = node.child_by_field_id(self.CONDITION)
        then = node.child_by_field_id(self.CONSEQUENCE)
        otherwise = node.child_by_field_id(self.ALTERNATIVE)
        outcome = self.condition(condition if condition is not None else node)
        return self.control.choose(outcome, lambda: self.value(then), lambda: self.value(otherwise), node)

    @on("yield_expression")
    def yield_(self, node: Node) -> int:
        items = self._items(node)
        value = self.value(items[0]) if items else self.b.opaque(node)
        is_read = bool(items) and node.parent is not None and node.parent.type != "expression_statement"
        if any(child.type == "*" for child in node.children):
            return self.b.yield_from(value, node, is_read=is_read)
        return self.b.yield_(value, node, is_read=is_read)


def is_number(constant: object) -> bool:
    return isinstance(constant, (int, float)) and not isinstance(constant, bool)


def refuse() -> Constant:
    """Fold nothing."""
    raise ValueError


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    return ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "ux" and len(code) > 1:
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return ESCAPES.get(code, code)
