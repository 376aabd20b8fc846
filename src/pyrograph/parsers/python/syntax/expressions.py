"""Names, operators, conditions, and literals but texts."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Operator, Test
from pyrograph.parsers.builder import Argument, Constant, Outcome
from pyrograph.parsers.folding import power, shifted, times
from pyrograph.parsers.frontend import on
from pyrograph.parsers.nodes import children_of, first_of
from pyrograph.parsers.python.syntax.fields import (
    ARGUMENT,
    ARGUMENTS,
    ATTRIBUTE,
    FUNCTION,
    KEY,
    LEFT,
    OPERATOR,
    RIGHT,
    VALUE,
    field_of,
)
from pyrograph.parsers.python.syntax.mappings import Used
from pyrograph.parsers.python.syntax.texts import Texts

COMPARISONS = {
    "==": (Test.EQUAL, False),
    "!=": (Test.EQUAL, True),
    "<>": (Test.EQUAL, True),
    "is": (Test.EQUAL, False),
    "is not": (Test.EQUAL, True),
    "in": (Test.IN, False),
    "not in": (Test.IN, True),
    "<": (Test.LESS, False),
    ">=": (Test.LESS, True),
}

EQUALITIES = ("==", "!=", "is", "is not")
CLASSES = ("identifier", "attribute", "tuple", "list")  # how classes are written that a type is compared with
VARIABLES = ("identifier", "attribute", "subscript")

SIGNS = {"-": Operator.NEGATE, "~": Operator.INVERT}

EXCHANGED = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``

# Of sets, the methods that the operators call; ``a >= b`` is ``b <= a``
SET_OPERATORS = {"-": "__sub__", "&": "__and__"}
SET_ORDER = ("<=", ">=")

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}

OPERATORS = {
    "+": Operator.ADD,
    "-": Operator.SUBTRACT,
    "*": Operator.MULTIPLY,
    "/": Operator.DIVIDE,
    "//": Operator.FLOOR_DIVIDE,
    "%": Operator.MODULO,
    "**": Operator.POWER,
    "&": Operator.AND,
    "|": Operator.OR,
    "^": Operator.XOR,
    "<<": Operator.SHIFT_LEFT,
    ">>": Operator.SHIFT_RIGHT,
}

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub,
    "*": times,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": shifted,
    ">>": operator.rshift,
    "**": power,
}
# Functions and methods that say yes or no.
PREDICATES = frozenset(
    [
        *("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isidentifier"),
        *("isspace", "issubset", "issuperset", "isdisjoint"),
        *("isinstance", "issubclass", "hasattr", "callable", "any", "all", "bool"),
    ]
)
QUESTIONS = ("is_", "has_", "can_", "should_")  # names of functions that say so, too, begin with these


class Expressions(Texts):
    """Expressions of names, literals and operators, and conditions."""

    _class: tuple[int, int] | None = None  # (class value, owner row) of the body being lowered
    _class_name: str = ""
    _fields: dict[str, list[str]]  # class -> what positional patterns of it stand for
    _given: dict[int, tuple[int, ...]]  # the arguments of calls of ``range``
    _sets: set[int]  # values that are sets, or the keys of a table, as they are written
    _used = Used()  # what the function being lowered uses as mappings
    _outer_class: tuple[int, int] | None = None  # of the method being lowered
    _self_name: str = ""
    _only_bases: dict[int, str]  # owner row -> the only base of this class, as it is written
    _injected: list[int]  # what calls in the metadata of the latest ``Annotated`` give
    _annotated_names: dict[str, list[Node]]  # ``Name = Annotated[T, call()]`` -> these calls

    @on("identifier")
    def identifier(self, node: Node) -> int:
        return self.b.read(self.text(node), node)

    @on("integer", "float")
    def number(self, node: Node) -> int:
        text = self.text(node)
        if text.isdecimal() and text.isascii() and len(text) < 20 and (text[0] != "0" or text == "0"):
            return self.b.constant(int(text), node)
        try:
            constant = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError):
            return self.b.opaque(node)
        return self.b.constant(constant, node) if isinstance(constant, (int, float)) else self.b.opaque(node)

    @on("none", "ellipsis")
    def none(self, node: Node) -> int:
        return self.b.constant(None, node)

    @on("list", "tuple", "set")
    def sequence(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        ordered = node.type != "set"
        position = 0
        for child in children_of(node):
            if child.type == "list_splat":
                value = self.value(first_of(child))
                known = b.contents(value) if ordered and position >= 0 else None
                if known is not None and known.sequence:
                    items += [(b.key(position + i), element) for i, element in enumerate(known.values)]
                    position += len(known.items)
                else:
                    spreads.append(value if position == 0 else b.slice(value, None, None, child))
                    position = -1
                continue
            value = self.value(child)
            items.append((b.key(position) if ordered and position >= 0 else UNKNOWN_KEY, value))
            if position >= 0:
                position += 1
        result = b.container(node, items, spreads, sequence=True if ordered and not spreads else None)
        if not ordered:
            self._sets.add(result)
        return result

    @on("dictionary")
    def dictionary(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for child in children_of(node):
            if child.type == "pair":
                key = self.value(child.child_by_field_id(KEY))
                items.append((b.key_of(key), self.value(child.child_by_field_id(VALUE))))
            elif child.type == "dictionary_splat":
                value = self.value(first_of(child))
                known = b.contents(value)
                if known is not None and not known.sequence:
                    items += known.items
                else:  # it overwrites what stands before it
                    spreads = [b.container(node, items, spreads), value] if items else [*spreads, value]
                    items = []
        return b.container(node, items, spreads, sequence=False if not spreads else None)

    @on("parenthesized_expression")
    def parenthesized(self, node: Node) -> int:
        children = children_of(node)
        return self.value(children[0]) if children else self.b.opaque(node)

    @on("expression_list", "pattern_list")
    def expression_list(self, node: Node) -> int:
        return self.sequence(node)

    @on("list_splat", "dictionary_splat")
    def splat(self, node: Node) -> int:
        return self.value(first_of(node))

    # -- operators

    @on("binary_operator")
    def binary(self, node: Node) -> int:
        left = self.value(node.child_by_field_id(LEFT))
        right = self.value(node.child_by_field_id(RIGHT))
        sign = node.child_by_field_id(OPERATOR)
        return self._binary(sign.type if sign is not None else "+", left, right, node)

    def _binary(self, sign: str, left: int, right: int, node: Node) -> int:
        b = self.b
        if sign == "+":
            folded = b.fold(_add, (left, right), node)
            if folded is not None:
                return folded
            first, second = b.contents(left), b.contents(right)
            if first is not None and second is not None and first.sequence and second.sequence:
                return b.sequence(node, first.values + second.values)
            if any(known is not None and known.sequence for known in (first, second)):
                return b.concatenation(left, right, node)
            if isinstance(b.constants.get(left), (int, float)) or isinstance(b.constants.get(right), (int, float)):
                return b.computed(b.expression(node, (left, right)), Operator.ADD, (left, right))
            return b.computed(b.text(node, (left, right)), Operator.ADD, (left, right))
        if sign == "%" and isinstance(b.constants.get(left), str):
            return self._percent(left, right, node)
        function = ARITHMETIC.get(sign)
        if function is not None:
            folded = b.fold(function, (left, right), node)
            if folded is not None:
                return folded
        if sign == "|":
            first, second = b.contents(left), b.contents(right)
            if second is not None and not second.sequence:  # what the right one holds hides what the left one does
                return b.container(node, second.items, [left], sequence=None)
            if first is not None and not first.sequence:
                return b.container(node, [], [left, right], sequence=None)
        if sign in SET_OPERATORS and (left in self._sets or right in self._sets):
            return self._of_sets(SET_OPERATORS[sign], left, right, node)
        if sign == "-":  # numbers apart, what is left of a set is a part of the left operand
            value = b.expression(node, (left,) if left not in b.constants else (left, right))
            return b.computed(value, Operator.SUBTRACT, (left, right))
        if sign == "/" and isinstance(b.constants.get(right, ""), str):  # paths are joined so
            callee = b.method(left, "__truediv__", node)
            return b.call(node, callee, [Argument(right, 0, node)], receiver=left, name="__truediv__")
        value = b.expression(node, (left, right))
        return b.computed(value, OPERATORS[sign], (left, right)) if sign in OPERATORS else value

    def _of_sets(self, method: str, left: int, right: int, node: Node) -> int:
        """``a - b`` of sets, which is ``a.difference(b)``: the methods behind operators say what is in the result."""
        b = self.b
        callee = b.method(left, method, node)
        result = b.call(node, callee, [Argument(right, 0, node)], receiver=left, name=method)
        if method in SET_OPERATORS.values():
            self._sets.add(result)
        return result

    @on("unary_operator")
    def unary(self, node: Node) -> int:
        operand = self.value(node.child_by_field_id(ARGUMENT))
        sign = node.children[0].type
        folded = self.b.fold(operator.neg, (operand,), node) if sign == "-" else None
        if folded is not None:
            return folded
        value = self.b.expression(node, (operand,))
        return self.b.computed(value, SIGNS[sign], (operand,)) if sign in SIGNS else value

    @on("not_operator", "comparison_operator")
    def logical(self, node: Node) -> int:
        return self.b.boolean(self.condition(node), node)

    @on("boolean_operator")
    def boolean(self, node: Node) -> int:
        """``a and b``, ``a or b``: one of the operands; of conditions, a condition."""
        b = self.b
        if self._is_truth(node):
            return b.boolean(self.condition(node), node)
        mark = b.mark()
        left_node = node.child_by_field_id(LEFT)
        right_node = node.child_by_field_id(RIGHT)
        left = self.value(left_node)
        outcome = b.truth(left, node, mark)
        if _is_and(node):  # what counts as false holds no text: only the right one matters
            return self.control.choose(outcome, lambda: self.value(right_node), lambda: b.constant(None, node), node)
        return self.control.choose(outcome, lambda: left, lambda: self.value(right_node), node)

    def _is_truth(self, node: Node) -> bool:
        """Whether an expression is true or false, or something that counts as false and holds nothing."""
        kind = node.type
        if kind in ("comparison_operator", "not_operator", "true", "false"):
            return True
        if kind == "parenthesized_expression" and len(children_of(node)) == 1:
            return self._is_truth(first_of(node))
        if kind == "boolean_operator":
            both = _is_and(node)
            return self._is_truth(field_of(node, RIGHT)) and (both or self._is_truth(field_of(node, LEFT)))
        if kind == "call":
            function = field_of(node, FUNCTION)
            named = field_of(function, ATTRIBUTE) if function.type == "attribute" else function
            return self.text(named) in PREDICATES or self.text(named).lstrip("_").startswith(QUESTIONS)
        return False

    @on("conditional_expression")
    def conditional(self, node: Node) -> int:
        then, test, otherwise = children_of(node)[:3]
        return self.control.choose(self.condition(test), lambda: self.value(then), lambda: self.value(otherwise), node)

    def condition(self, node: Node) -> Outcome:
        b = self.b
        kind = node.type
        if kind == "parenthesized_expression" and len(children_of(node)) == 1:
            return self.condition(first_of(node))
        if kind == "not_operator":
            return self.condition(children_of(node)[-1]).inverted()
        if kind == "boolean_operator":
            left = self.condition(field_of(node, LEFT))
            right = field_of(node, RIGHT)
            if _is_and(node):
                return self.control.both(left, lambda: self.condition(right))
            return self.control.either(left, lambda: self.condition(right))
        if kind == "comparison_operator":
            return self._comparison(node)
        mark = b.mark()
        return b.truth(self.value(node), node, mark)

    def _comparison(self, node: Node) -> Outcome:
        """``a < b < c``: both comparisons; the middle operand is evaluated once."""
        b = self.b
        mark = b.mark()
        operands = children_of(node)
        signs = [child.type for child in node.children if not child.is_named]  # "not in" is one, whatever is in it
        if len(operands) == 2 and signs and (tested := self._type_test(signs[0], operands[0], operands[1])) is not None:
            outcome = b.test(Test.TRUTH, tested, NONE, node, mark)
            return outcome.inverted() if COMPARISONS[signs[0]][1] else outcome
        left = self.value(operands[0])
        right = self.value(operands[1])
        outcome = self._compare(signs[0] if signs else "==", left, right, node, mark)
        for sign, operand in zip(signs[1:], operands[2:], strict=False):
            left, node_right = right, operand

            def more(sign: str = sign, left: int = left, operand: Node = node_right) -> Outcome:
                return self._compare(sign, left, self.value(operand), node, mark)

            outcome = self.control.both(outcome, more)
        return outcome

    def _type_test(self, sign: str, left: Node, right: Node) -> int | None:
        """``type(x) == C`` and ``type(x) in (A, B)`` as calls of ``isinstance``: subclasses make no difference."""
        b = self.b
        if sign not in EQUALITIES and not (sign in ("in", "not in") and right.type in ("tuple", "list")):
            return None
        given, written = self._typed(left), right
        if given is None and sign in EQUALITIES:
            given, written = self._typed(right), left
        if given is None or written.type not in CLASSES:
            return None
        arguments = [Argument(self.value(given), 0, given), Argument(self.value(written), 1, written)]
        return b.call(left, b.read("isinstance", left), arguments, changes=False)

    def _typed(self, node: Node) -> Node | None:
        """``x`` of ``type(x)``."""
        function = node.child_by_field_id(FUNCTION) if node.type == "call" else None
        if function is None or function.type != "identifier" or self.text(function) != "type":
            return None
        given = children_of(field_of(node, ARGUMENTS))
        is_own = self.b.ops[self.b.read("type", function)] != Op.GLOBAL
        return given[0] if len(given) == 1 and not is_own and given[0].type in VARIABLES else None

    def _compare(self, sign: str, left: int, right: int, node: Node, mark: int) -> Outcome:
        b = self.b
        function = COMPARE.get(sign)
        if function is not None and left in b.constants and right in b.constants:
            try:
                return b.known(bool(function(b.constants[left], b.constants[right])))
            except TypeError:
                pass
        if sign in SET_ORDER and (left in self._sets or right in self._sets):
            least, most = (left, right) if sign == "<=" else (right, left)
            return b.truth(self._of_sets("__le__", least, most, node), node, mark)
        if sign in EXCHANGED:
            sign, left, right = EXCHANGED[sign], right, left
        test, negated = COMPARISONS.get(sign, (Test.LESS, False))
        outcome = b.test(test, left, right, node, mark)
        return outcome.inverted() if negated else outcome

    @on("await")
    def await_(self, node: Node) -> int:
        value = self.value(first_of(node))
        self.b.wait(value)
        return value

    @on("yield")
    def yield_(self, node: Node) -> int:
        children = children_of(node)
        if not children:
            return self.b.yield_(self.b.opaque(node), node)
        value = self.value(children[0])
        is_read = node.parent is not None and node.parent.type != "expression_statement"
        if any(child.type == "from" for child in node.children):
            return self.b.yield_from(value, node, is_read=is_read)
        return self.b.yield_(value, node, is_read=is_read)


def _is_and(node: Node) -> bool:
    return field_of(node, OPERATOR).type == "and"


def _add(left: Any, right: Any) -> Constant:
    if isinstance(left, str) != isinstance(right, str):
        raise TypeError
    result: Constant = left + right
    return result
