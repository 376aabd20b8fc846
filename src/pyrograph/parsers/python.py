"""The Python front end: tree-sitter-python's syntax in the builder's words.

Assigning makes a name local; a class body's names are seen by nobody but the body itself; decorators are calls;
comprehensions are loops
that fill a container. Names are read as late as Python reads them: a function's body is lowered when the body around
it is done.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import tree_sitter_python
from tree_sitter import Language, Node

from pyrograph.ir.unit import (
    NONE,
    OPEN,
    RECEIVER,
    UNKNOWN_KEY,
    ArgumentFlag,
    CallFlag,
    FunctionFlag,
    Op,
    Operator,
    ParameterKind,
    Test,
)
from pyrograph.parsers.builder import Argument, Builder, Constant, Contents, Outcome
from pyrograph.parsers.frontend import FrontEnd, on

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

SIGNS = {"-": Operator.NEGATE, "~": Operator.INVERT}

EXCHANGED = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``

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
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, b: a << b if b < 256 else None,
    ">>": operator.rshift,
    "**": lambda a, b: a**b if abs(a) < 2**32 and abs(b) < 64 else None,
}

OUTER_NAMES = re.compile(rb"\b(?:global|nonlocal)[ \t\\]+[^\W\d]")  # where a statement may be that declares them

# Methods of constant text that are folded: pure, cheap, and result in a constant.
TEXT_METHODS = frozenset(
    [
        "upper",
        "lower",
        "strip",
        "lstrip",
        "rstrip",
        "title",
        "capitalize",
        "swapcase",
        "replace",
        "startswith",
        "endswith",
        "find",
        "index",
        "count",
        "isdigit",
        "isalpha",
        "isalnum",
        "islower",
        "isupper",
        "removeprefix",
        "removesuffix",
        "zfill",
    ]
)

# Annotations that wrap the type of interest: Optional[T], Annotated[T, ...].
WRAPPERS = frozenset(
    {"Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Awaitable", "Coroutine", "Type"}
)
TYPING_ONLY = frozenset({"Any", "Union", "Callable", "Literal", "List", "Dict", "Set", "Tuple", "Iterable", "Sequence"})


# Built-in functions that are looked at here, where nothing else has their name.
BUILT_IN = frozenset({"len", "list", "tuple", "dict", "reversed", "range", "getattr", "setattr", "delattr"})
GETTERS = frozenset({"get", "getlist", "get_all", "getvalue", "getfirst", "get_argument", "get_query_argument"})
# Functions and methods that say yes or no.
PREDICATES = frozenset(
    [
        *("startswith", "endswith", "isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isidentifier"),
        *("isspace", "issubset", "issuperset", "isdisjoint"),
        *("isinstance", "issubclass", "hasattr", "callable", "any", "all", "bool"),
    ]
)
QUESTIONS = ("is_", "has_", "can_", "should_")  # names of functions that say so, too, begin with these
MAX_UNROLLED = 4  # elements of a literal that a comprehension goes through one by one
MAX_TRIPS = 1 << 30  # rounds of a loop that are counted
MAX_FOLLOWED = 16  # elements of a container whose methods are followed


class Python(FrontEnd):
    """Lowers one Python file."""

    language = "python"
    made_of_parts = ("dotted_name", "type", "generic_type", "union_type")
    ignored = ("comment", "pass_statement", "line_continuation", "future_import_statement", "type_alias_statement")

    _class: tuple[int, int] | None = None  # (class value, owner row) of the body being lowered
    _class_name: str = ""
    _fields: dict[str, list[str]]  # class -> what positional patterns of it stand for
    _given: dict[int, tuple[int, ...]]  # the arguments of calls of ``range``
    _outer_class: tuple[int, int] | None = None  # of the method being lowered

    @classmethod
    def grammar(cls) -> Language:
        return Language(tree_sitter_python.language())

    def start(self, root: Node) -> Builder:
        self._given = {}
        self._fields = {}
        cells: frozenset[str] = frozenset()
        if OUTER_NAMES.search(self.source):
            cells = frozenset(self._outer_names(root))
        return Builder("python", declares=False, cells=cells)

    def _outer_names(self, root: Node) -> set[str]:
        """The names that some function declares to be an enclosing one's or the module's."""
        names: set[str] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node.type in ("nonlocal_statement", "global_statement"):
                names.update(self.text(child) for child in node.named_children)
            else:
                stack.extend(node.named_children)
        return names

    # -- names and literals
    # ------------------------------------------------------------------------------------------------------

    @on("identifier")
    def identifier(self, node: Node) -> int:
        return self.b.read(self.source[node.start_byte : node.end_byte].decode("utf-8", "replace"), node)

    @on("string")
    def string(self, node: Node) -> int:
        parts: list[int] = []
        b = self.b
        raw = b""
        for child in node.children:
            kind = child.type
            if kind == "string_start":
                raw = self.source[child.start_byte : child.end_byte].lower()
            elif kind == "interpolation":
                parts.append(self.interpolation(child))
            elif kind == "string_content":
                parts.append(self._content(child, raw))
        if not parts:
            return b.constant("", node)
        if len(parts) == 1 and parts[0] in b.constants:
            return parts[0]
        return b.text(node, parts)

    def _content(self, node: Node, prefix: bytes) -> int:
        text = self.text(node)
        if "\\" in text and b"r" not in prefix:
            text = _unescape(text)
        if b"f" in prefix:
            text = text.replace("{{", "{").replace("}}", "}")
        return self.b.constant(text, node)

    @on("interpolation")
    def interpolation(self, node: Node) -> int:
        value = NONE
        parts: list[int] = []
        for child in node.named_children:
            if child.type == "format_specifier":
                parts.extend(self.value(c) for c in child.named_children)
            elif child.type != "type_conversion":
                value = self.value(child)
        if value == NONE:
            value = self.b.opaque(node)
        return self.b.text(node, [value, *parts]) if parts else value

    @on("concatenated_string")
    def concatenated_string(self, node: Node) -> int:
        return self.b.text(node, [self.value(child) for child in node.named_children if child.type == "string"])

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

    @on("true")
    def true(self, node: Node) -> int:
        return self.b.constant(True, node)

    @on("false")
    def false(self, node: Node) -> int:
        return self.b.constant(False, node)

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
        for child in node.named_children:
            if child.type == "comment":
                continue
            if child.type == "list_splat":
                value = self.value(child.named_children[0])
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
        return b.container(node, items, spreads, sequence=True if ordered and not spreads else None)

    @on("dictionary")
    def dictionary(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for child in node.named_children:
            if child.type == "pair":
                key = self.value(child.child_by_field_name("key"))
                items.append((b.key_of(key), self.value(child.child_by_field_name("value"))))
            elif child.type == "dictionary_splat":
                value = self.value(child.named_children[0])
                known = b.contents(value)
                if known is not None and not known.sequence:
                    items += known.items
                else:  # it overwrites what stands before it
                    spreads = [b.container(node, items, spreads), value] if items else [*spreads, value]
                    items = []
        return b.container(node, items, spreads, sequence=False if not spreads else None)

    @on("parenthesized_expression")
    def parenthesized(self, node: Node) -> int:
        for child in node.named_children:
            if child.type != "comment":
                return self.value(child)
        return self.b.opaque(node)

    @on("expression_list", "pattern_list")
    def expression_list(self, node: Node) -> int:
        return self.sequence(node)

    @on("list_splat", "dictionary_splat")
    def splat(self, node: Node) -> int:
        return self.value(node.named_children[0])

    # -- operators
    # ---------------------------------------------------------------------------------------------------------------

    @on("binary_operator")
    def binary(self, node: Node) -> int:
        left = self.value(node.child_by_field_name("left"))
        right = self.value(node.child_by_field_name("right"))
        sign = node.child_by_field_name("operator")
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
        if sign == "-":  # numbers apart, what is left of a set is a part of the left operand
            value = b.expression(node, (left,) if left not in b.constants else (left, right))
            return b.computed(value, Operator.SUBTRACT, (left, right))
        if sign == "/" and right not in b.constants:  # paths are joined so
            callee = b.method(left, "__truediv__", node)
            return b.call(node, callee, [Argument(right, 0, node)], receiver=left, name="__truediv__")
        value = b.expression(node, (left, right))
        return b.computed(value, OPERATORS[sign], (left, right)) if sign in OPERATORS else value

    def _percent(self, left: int, right: int, node: Node) -> int:
        """``"..." % x``: text with a hole for each conversion."""
        pieces = str(self.b.constants[left]).split("%s")
        parts: list[int] = []
        for index, piece in enumerate(pieces):
            parts.append(self.b.constant(piece, node))
            if index < len(pieces) - 1 or len(pieces) == 1:
                parts.append(right)
        return self.b.text(node, parts)

    @on("unary_operator")
    def unary(self, node: Node) -> int:
        operand = self.value(node.child_by_field_name("argument"))
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
        left_node = node.child_by_field_name("left")
        right_node = node.child_by_field_name("right")
        left = self.value(left_node)
        outcome = b.truth(left, node, mark)
        if node.children[1].type == "and":  # what counts as false holds no text: only the right one matters
            return b.choose(outcome, lambda: self.value(right_node), lambda: b.constant(None, node), node)
        return b.choose(outcome, lambda: left, lambda: self.value(right_node), node)

    def _is_truth(self, node: Node) -> bool:
        """Whether an expression is true or false, or something that counts as false and holds nothing."""
        kind = node.type
        if kind in ("comparison_operator", "not_operator", "true", "false"):
            return True
        if kind == "parenthesized_expression" and node.named_child_count == 1:
            return self._is_truth(node.named_children[0])
        if kind == "boolean_operator":
            both = node.children[1].type == "and"
            return self._is_truth(_field(node, "right")) and (both or self._is_truth(_field(node, "left")))
        if kind == "call":
            function = _field(node, "function")
            named = _field(function, "attribute") if function.type == "attribute" else function
            return self.text(named) in PREDICATES or self.text(named).lstrip("_").startswith(QUESTIONS)
        return False

    @on("conditional_expression")
    def conditional(self, node: Node) -> int:
        then, test, otherwise = [child for child in node.named_children if child.type != "comment"][:3]
        return self.b.choose(self.condition(test), lambda: self.value(then), lambda: self.value(otherwise), node)

    def condition(self, node: Node) -> Outcome:
        b = self.b
        kind = node.type
        if kind == "parenthesized_expression" and node.named_child_count == 1:
            return self.condition(node.named_children[0])
        if kind == "not_operator":
            return self.condition(node.named_children[-1]).inverted()
        if kind == "boolean_operator":
            left = self.condition(_field(node, "left"))
            right = _field(node, "right")
            if node.children[1].type == "and":
                return b.both(left, lambda: self.condition(right))
            return b.either(left, lambda: self.condition(right))
        if kind == "comparison_operator":
            return self._comparison(node)
        mark = b.mark()
        return b.truth(self.value(node), node, mark)

    def _comparison(self, node: Node) -> Outcome:
        """``a < b < c``: both comparisons; the middle operand is evaluated once."""
        b = self.b
        mark = b.mark()
        operands = node.named_children
        signs = [" ".join(self.text(child).split()) for child in node.children if not child.is_named]
        left = self.value(operands[0])
        right = self.value(operands[1])
        outcome = self._compare(signs[0] if signs else "==", left, right, node, mark)
        for sign, operand in zip(signs[1:], operands[2:], strict=False):
            left, node_right = right, operand

            def more(sign: str = sign, left: int = left, operand: Node = node_right) -> Outcome:
                return self._compare(sign, left, self.value(operand), node, mark)

            outcome = b.both(outcome, more)
        return outcome

    def _compare(self, sign: str, left: int, right: int, node: Node, mark: int) -> Outcome:
        b = self.b
        function = COMPARE.get(sign)
        if function is not None and left in b.constants and right in b.constants:
            try:
                return b.known(bool(function(b.constants[left], b.constants[right])))
            except TypeError:
                pass
        if sign in EXCHANGED:
            sign, left, right = EXCHANGED[sign], right, left
        test, negated = COMPARISONS.get(sign, (Test.LESS, False))
        outcome = b.test(test, left, right, node, mark)
        return outcome.inverted() if negated else outcome

    @on("named_expression")
    def walrus(self, node: Node) -> int:
        value = self.value(node.child_by_field_name("value"))
        self._assign(_field(node, "name"), value)
        return value

    @on("await")
    def await_(self, node: Node) -> int:
        value = self.value(node.named_children[0])
        self.b.pause()
        return value

    @on("yield")
    def yield_(self, node: Node) -> int:
        children = node.named_children
        if not children:
            return self.b.yield_(self.b.opaque(node), node)
        value = self.value(children[0])
        if any(child.type == "from" for child in node.children):
            return self.b.yield_from(value, node)
        return self.b.yield_(value, node)

    # -- members, elements, calls
    # ------------------------------------------------------------------------------------------------

    @on("attribute")
    def attribute(self, node: Node) -> int:
        obj = self.value(node.child_by_field_name("object"))
        name = node.child_by_field_name("attribute")
        return self.b.load(obj, self.b.key(self.text(name)) if name is not None else UNKNOWN_KEY, node)

    @on("subscript")
    def subscript(self, node: Node) -> int:
        b = self.b
        base = _field(node, "value")
        keys = node.children_by_field_name("subscript")
        if keys and self.text(base).rpartition(".")[2] == "Annotated":
            return self._annotated(node, keys)
        obj = self.value(base)
        text = b.constants.get(obj)
        if len(keys) == 1 and keys[0].type == "slice":
            return self._slice(obj, text, keys[0], node)
        if isinstance(text, str):
            index = self.value(keys[0]) if len(keys) == 1 else NONE
            folded = b.fold(operator.getitem, (obj, index), node) if index != NONE else None
            if folded is not None:
                return folded
        return b.load(obj, self._subscript_key(node, obj), node)

    def _slice(self, obj: int, text: Constant, bounds: Node, node: Node) -> int:
        """``obj[start:end]``; a step makes the bounds unknown."""
        start, end, step = self._bounds(bounds)
        if isinstance(text, str) and start is not None and end is not None and not step:
            return self.b.constant(text[None if start == OPEN else start : None if end == OPEN else end], node)
        return self.b.slice(obj, None, None, node) if step else self.b.slice(obj, start, end, node)

    def _bounds(self, node: Node) -> tuple[int | None, int | None, bool]:
        """The bounds of a slice as ``Builder.slice`` wants them, and whether there is a step."""
        places: list[int | None] = [OPEN, OPEN, OPEN]
        at = 0
        for child in node.children:
            if child.type == ":":
                at = min(at + 1, 2)
            elif child.is_named and child.type != "comment":
                constant = self.b.constants.get(self.value(child))
                places[at] = constant if type(constant) is int else None
        return places[0], places[1], places[2] != OPEN

    def _subscript_key(self, node: Node, obj: int) -> int:
        b = self.b
        keys = node.children_by_field_name("subscript")
        if len(keys) != 1 or keys[0].type == "slice":
            for key in keys:
                self.value(key)
            return UNKNOWN_KEY
        index = self.value(keys[0])
        constant = b.constants.get(index)
        if isinstance(constant, int) and not isinstance(constant, bool) and constant < 0:
            length = self._length(obj)
            return b.key(length + constant) if length is not None and length + constant >= 0 else UNKNOWN_KEY
        return b.key_of(index)

    def _length(self, obj: int) -> int | None:
        """The number of elements, where all of them are known."""
        known = self.b.contents(obj)
        return None if known is None else len(known.items)

    @on("slice")
    def slice(self, node: Node) -> int:
        for child in node.named_children:
            self.value(child)
        return self.b.opaque(node)

    @on("call")
    def call(self, node: Node) -> int:
        b = self.b
        function = _field(node, "function")
        arguments_node = _field(node, "arguments")
        arguments: list[Argument] | None = None
        receiver = NONE
        name: str | None = None
        receiver_at: Node | None = None
        if function.type == "attribute":
            receiver_at = _field(function, "object")
            receiver = self.value(receiver_at)
            name = self.text(_field(function, "attribute"))
            text = b.constants.get(receiver)
            known = b.contents(receiver)
            if isinstance(text, str) or known is not None:
                arguments = self._arguments(arguments_node)
                if known is None:
                    folded = self._text_method(str(text), name, arguments, node)
                else:
                    folded = self._container_method(receiver, known, name, arguments, node)
                if folded is not None:
                    return folded
            callee = b.method(receiver, name, function)
        elif function.type == "identifier":
            built_in = self.text(function)
            if built_in == "super" and self._outer_class is not None:
                return self._super(node, arguments_node)
            callee = b.read(built_in, function)
            if built_in in BUILT_IN and b.ops[callee] == Op.GLOBAL and built_in not in b.module.versions:
                arguments = self._arguments(arguments_node)
                folded = self._built_in(built_in, arguments, node)
                if folded is not None:
                    return folded
                result = b.call(node, callee, arguments, changes=built_in != "range")
                if built_in == "range":
                    self._given[result] = tuple(_plain(arguments) or ())
                return result
        else:
            callee = self.value(function)
        if arguments is None:
            arguments = self._arguments(arguments_node)
        if name in GETTERS:
            return self._get_again(node, callee, arguments, receiver, name, receiver_at)
        return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)

    def _get_again(
        self, node: Node, callee: int, arguments: list[Argument], receiver: int, name: str, receiver_at: Node | None
    ) -> int:
        """A look-up under constants: asked again, it gives the same, and what a condition says of the first answer
        holds for the second.
        """
        b = self.b
        constants = [b.constants.get(a.value, self) for a in arguments if a.keyword is None and not a.flags]
        if len(constants) != len(arguments) or self in constants:
            return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        place = b.place(receiver)
        if place is None:
            return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        slot = (place[0], b.string(f"{place[1]}\0{name}{constants!r}"))
        tested = b.tested(slot)
        if tested != NONE:
            return tested
        result = b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)
        b.remember(slot, result)
        return result

    def _arguments(self, node: Node) -> list[Argument]:
        if node.type == "generator_expression":
            return [Argument(self.value(node), 0, node)]
        arguments: list[Argument] = []
        position = 0
        for child in node.named_children:
            kind = child.type
            if kind == "comment":
                continue
            if kind == "keyword_argument":
                value = self.value(child.child_by_field_name("value"))
                arguments.append(Argument(value, NONE, _field(child, "value"), self.text(_field(child, "name"))))
            elif kind == "list_splat":
                value = self.value(child.named_children[0])
                arguments.append(Argument(value, position, child, flags=int(ArgumentFlag.SPREAD)))
                position += 1
            elif kind == "dictionary_splat":
                value = self.value(child.named_children[0])
                arguments.append(Argument(value, NONE, child, flags=int(ArgumentFlag.SPREAD_KEYWORDS)))
            else:
                arguments.append(Argument(self.value(child), position, child))
                position += 1
        return arguments

    def _text_method(self, text: str, name: str, arguments: Sequence[Argument], node: Node) -> int | None:
        """A method of constant text with constant arguments; ``format`` and ``join`` as text with holes."""
        b = self.b
        if name == "format":
            return self._format(text, arguments, node)
        plain = _plain(arguments)
        if plain is None:
            return None
        if name == "join" and len(plain) == 1:
            known = b.contents(plain[0])
            if known is None or not known.sequence:
                return None
            parts: list[int] = []
            for index, element in enumerate(known.values):
                parts += [b.constant(text, node), element] if index and text else [element]
            return b.text(node, parts)
        given = [b.constants.get(value, self) for value in plain]
        if name not in TEXT_METHODS or self in given:
            return None
        try:
            return b.constant(getattr(text, name)(*given), node)
        except (TypeError, ValueError):
            return None

    def _container_method(
        self, obj: int, known: Contents, name: str, arguments: Sequence[Argument], node: Node
    ) -> int | None:
        """A method of a list or dict all of whose contents are known, where it is known what it does."""
        method = (LIST_METHODS if known.sequence else DICT_METHODS).get(name)
        if method is None:
            return None
        if name == "update" and all(a.flags == 0 for a in arguments):
            return self._update(obj, arguments, node)
        plain = _plain(arguments)
        return None if plain is None else method(self, obj, known, plain, node)

    def _append(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if len(given) != 1 or len(known.items) >= MAX_FOLLOWED:
            return None
        return self._now(obj, (*known.values, given[0]), node)

    def _extend(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        more = self.b.contents(given[0]) if len(given) == 1 else None
        if more is None or not more.sequence or len(known.items) + len(more.items) > MAX_FOLLOWED:
            return None
        return self._now(obj, known.values + more.values, node)

    def _insert(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        at = self.b.constants.get(given[0]) if len(given) == 2 else None
        if type(at) is not int or len(known.items) >= MAX_FOLLOWED:
            return None
        values = list(known.values)
        values.insert(at, given[1])
        return self._now(obj, values, node)

    def _pop(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        at = self.b.constants.get(given[0]) if given else -1
        if type(at) is not int or not -len(known.items) <= at < len(known.items):
            return None
        values = list(known.values)
        popped = values.pop(at)
        self._now(obj, values, node)
        self.b.reads.append(popped)
        return popped

    def _remove(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        """The first element that equals the argument, where constants tell which that is."""
        b = self.b
        wanted = b.constants.get(given[0], self) if len(given) == 1 else self
        for index, element in enumerate(known.values):
            constant = b.constants.get(element, self)
            if (given and element == given[0]) or (constant is not self and constant == wanted):
                return self._now(obj, known.values[:index] + known.values[index + 1 :], node)
            if constant is self or wanted is self:
                return None
        return None

    def _reverse(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        return self._now(obj, known.values[::-1], node) if not given else None

    def _clear(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given:
            return None
        self.b.replace(obj, (), node)
        return self.b.constant(None, node)

    def _copy(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        return self.b.container(node, known.items, sequence=known.sequence) if not given else None

    def _now(self, obj: int, values: Sequence[int], node: Node) -> int:
        self.b.replace_elements(obj, values, node)
        return self.b.constant(None, node)

    def _entry(self, known: Contents, given: Sequence[int]) -> tuple[int, int] | None:
        """The key that the first argument is, and the value under it, or NONE where there is none."""
        b = self.b
        if not 1 <= len(given) <= 2 or given[0] not in b.constants:
            return None
        key = b.key_of(given[0])
        return key, dict(known.items).get(key, NONE)

    def _get(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value != NONE:
            return self.b.load(obj, key, node)
        return given[1] if len(given) == 2 else self.b.constant(None, node)

    def _pop_entry(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value == NONE:
            return given[1] if len(given) == 2 else None
        popped = self.b.load(obj, key, node)
        self.b.replace(obj, [item for item in known.items if item[0] != key], node)
        return popped

    def _setdefault(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        entry = self._entry(known, given)
        if entry is None:
            return None
        key, value = entry
        if value != NONE:
            return self.b.load(obj, key, node)
        default = given[1] if len(given) == 2 else self.b.constant(None, node)
        self.b.store(obj, key, default, node)
        return default

    def _update(self, obj: int, arguments: Sequence[Argument], node: Node) -> int | None:
        """``update`` with keywords and mappings whose contents are known: a store for each."""
        b = self.b
        items: list[tuple[int, int]] = []
        for argument in arguments:
            if argument.keyword is not None:
                items.append((b.key(argument.keyword), argument.value))
                continue
            more = b.contents(argument.value)
            if more is None or more.sequence:
                return None
            items += more.items
        if len(items) > MAX_FOLLOWED:
            return None
        for key, value in items:
            obj = b.store(obj, key, value, node)
        return b.constant(None, node)

    def _key_texts(self, known: Contents, node: Node) -> list[int]:
        return [self.b.constant(self.b.unit.strings[key], node) for key, _ in known.items]

    def _keys(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED:
            return None
        return self.b.sequence(node, self._key_texts(known, node))

    def _values(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED:
            return None
        return self.b.sequence(node, known.values)

    def _items(self, obj: int, known: Contents, given: Sequence[int], node: Node) -> int | None:
        if given or len(known.items) > MAX_FOLLOWED:
            return None
        pairs = zip(self._key_texts(known, node), known.values, strict=True)
        return self.b.sequence(node, [self.b.sequence(node, pair) for pair in pairs])

    def _built_in(self, name: str, arguments: Sequence[Argument], node: Node) -> int | None:
        """A built-in function whose result is known here."""
        b = self.b
        if name == "dict" and all(a.keyword is not None for a in arguments):
            items = [(b.key(a.keyword), a.value) for a in arguments if a.keyword is not None]
            return b.container(node, items, sequence=False)
        plain = _plain(arguments)
        if not plain:
            if name in ("list", "dict") and plain is not None:
                return b.container(node, (), sequence=name == "list")
            return None
        if name in ("getattr", "setattr", "delattr"):
            return self._attribute_by_name(name, plain, node)
        if len(plain) != 1:
            return None
        known = b.contents(plain[0])
        if name == "len":
            folded = b.fold(len, plain, node)
            return folded if folded is not None or known is None else b.constant(len(known.items), node)
        if known is None or len(known.items) > MAX_FOLLOWED or name == "range":
            return None
        if name == "dict":
            return None if known.sequence else b.container(node, known.items, sequence=False)
        values = list(known.values if known.sequence else self._key_texts(known, node))
        return b.sequence(node, values[::-1] if name == "reversed" else values)

    def _attribute_by_name(self, name: str, given: Sequence[int], node: Node) -> int | None:
        """``getattr(x, "name")`` and its like with a constant name: ``x.name``."""
        b = self.b
        attribute = b.constants.get(given[1]) if len(given) > 1 else None
        if not isinstance(attribute, str):
            return None
        key = b.key(attribute)
        if name == "getattr":
            value = b.load(given[0], key, node)
            return value if len(given) < 3 else b.phi([value, given[2]], node)
        b.store(given[0], key, given[2] if len(given) > 2 else b.opaque(node), node)
        return b.constant(None, node)

    def _format(self, template: str, arguments: Sequence[Argument], node: Node) -> int:
        pieces = template.split("{}")
        positional = [a.value for a in arguments if a.keyword is None]
        if len(pieces) - 1 != len(positional) or len(positional) != len(arguments):
            return self.b.text(node, [self.b.constant(template.partition("{")[0], node), *(a.value for a in arguments)])
        parts: list[int] = []
        for index, piece in enumerate(pieces):
            parts.append(self.b.constant(piece, node))
            if index < len(positional):
                parts.append(positional[index])
        return self.b.text(node, parts)

    def _super(self, node: Node, arguments: Node) -> int:
        """``super()``: the receiver, seen as an instance of the base classes."""
        for child in arguments.named_children:
            self.value(child)
        assert self._outer_class is not None
        receiver = self.b.current(self._self_name) if self._self_name else NONE
        return self.b.super_(node, self._outer_class[1], self.b.opaque(node) if receiver == NONE else receiver)

    _self_name: str = ""

    # -- assignments
    # -------------------------------------------------------------------------------------------------------------

    @on("assignment")
    def assignment(self, node: Node) -> int | None:
        target = _field(node, "left")
        declared = node.child_by_field_name("type")
        value_node = node.child_by_field_name("right")
        if value_node is None:
            if declared is not None and target.type == "identifier":
                value = self.b.new(Op.FIELD, target)
                self._declare_type(value, declared)
                self._declare_field(target, value)
                self.b.write(self.text(target), value)
            return None
        value = self.value(value_node)
        if declared is not None and value_node.type != "assignment":
            self._declare_type(value, declared)
            self._declare_field(target, NONE)
        self._assign(target, value)
        return value

    def _declare_field(self, target: Node, field: int) -> None:
        """An annotated name of a class body is a field, with or without a default; their order is the order of
        positional arguments.
        """
        if self._class is not None and self.b.frame.own is not None and target.type == "identifier":
            name = self.text(target)
            self.b.member(self._class[0], name, self.b.new(Op.FIELD, target) if field == NONE else field)
            self._fields.setdefault(self._class_name, []).append(name)

    @on("augmented_assignment")
    def augmented_assignment(self, node: Node) -> None:
        target = _field(node, "left")
        sign = _field(node, "operator")
        left = self.value(target)
        right = self.value(node.child_by_field_name("right"))
        first, second = self.b.contents(left), self.b.contents(right)
        if sign.type == "+=" and first is not None and second is not None and first.sequence and second.sequence:
            self.b.replace_elements(left, first.values + second.values, node)  # in place: aliases see it
            return
        self._assign(target, self._binary(sign.type.rstrip("="), left, right, node))

    def _assign(self, target: Node, value: int) -> None:
        kind = target.type
        b = self.b
        if kind == "identifier":
            b.write(self.text(target), value)
        elif kind == "attribute":
            obj = self.value(target.child_by_field_name("object"))
            b.store(obj, b.key(self.text(_field(target, "attribute"))), value, target)
        elif kind == "subscript":
            obj = self.value(target.child_by_field_name("value"))
            b.store(obj, self._subscript_key(target, obj), value, target)
        elif kind in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            self._unpack(target, value)
        elif kind in ("parenthesized_expression", "list_splat_pattern", "list_splat"):
            self._assign(target.named_children[0], value)
        else:
            self.value(target)

    def _unpack(self, target: Node, value: int) -> None:
        b = self.b
        names = [child for child in target.named_children if child.type != "comment"]
        known = b.contents(value)
        if known is not None and not known.sequence:
            value = b.sequence(target, self._key_texts(known, target))
            known = b.contents(value)
        rests = [i for i, name in enumerate(names) if name.type in ("list_splat_pattern", "list_splat")]
        if known is not None and len(rests) == 1 and len(known.items) >= len(names) - 1:
            at, after = rests[0], len(names) - 1 - rests[0]
            end = len(known.items) - after
            for position, name in enumerate(names):
                if position < at:
                    self._assign(name, b.load(value, b.key(position), name))
                elif position == at:
                    self._assign(name.named_children[0], b.sequence(name, known.values[at:end]))
                else:
                    self._assign(name, b.load(value, b.key(end + position - at - 1), name))
            return
        for position, name in enumerate(names):
            if position in rests[:1]:
                end_ = OPEN if position == len(names) - 1 else position - len(names) + 1
                self._assign(name.named_children[0], b.slice(value, position, end_, name))
            else:
                key = UNKNOWN_KEY if rests and position > rests[0] else b.key(position)
                self._assign(name, b.load(value, key, name))

    @on("delete_statement")
    def delete(self, node: Node) -> None:
        for child in node.named_children:
            for target in child.named_children if child.type == "expression_list" else [child]:
                if target.type == "identifier":
                    self.b.write(self.text(target), self.b.opaque(target))
                elif target.type == "attribute":
                    self._assign(target, self.b.opaque(target))
                elif target.type == "subscript" and not self._delete_known(target):
                    obj = self.value(target.child_by_field_name("value"))
                    key = self._subscript_key(target, obj)
                    if key >= 0:
                        self.b.store(obj, key, self.b.opaque(target), target)

    def _delete_known(self, target: Node) -> bool:
        """``del x[key]`` and ``del x[a:b]`` where the contents of ``x`` are known."""
        b = self.b
        obj = self.value(target.child_by_field_name("value"))
        known = b.contents(obj)
        keys = target.children_by_field_name("subscript")
        if known is None or len(keys) != 1:
            return False
        if keys[0].type == "slice":
            start, end, step = self._bounds(keys[0])
            if not known.sequence or start is None or end is None or step:
                return False
            values = list(known.values)
            del values[None if start == OPEN else start : None if end == OPEN else end]
            b.replace_elements(obj, values, target)
            return True
        key = b.constants.get(self.value(keys[0]))
        if known.sequence:
            if type(key) is not int or not -len(known.items) <= key < len(known.items):
                return False
            values = list(known.values)
            del values[key]
            b.replace_elements(obj, values, target)
        elif key is not None:
            b.replace(obj, [item for item in known.items if item[0] != b.key(key)], target)
        else:
            return False
        return True

    @on("global_statement")
    def global_(self, node: Node) -> None:
        if self.b.frame.parent is not None:
            self.b.frame.globals.update(self.text(child) for child in node.named_children)

    @on("nonlocal_statement")
    def nonlocal_(self, node: Node) -> None:
        self.b.outer_names(self.text(child) for child in node.named_children)

    def _declare_type(self, value: int, node: Node) -> None:
        type_value = self._type(node)
        if type_value != NONE and self.b.ops[value] != Op.CONST:
            self.b.declare_type(value, type_value)

    def _type(self, node: Node | None) -> int:
        """The value that names a declared type, or NONE where it says nothing of use."""
        if node is None:
            return NONE
        kind = node.type
        if kind == "type" and node.named_child_count:
            return self._type(node.named_children[0])
        if kind == "string":
            return self._quoted_type(node)
        if kind == "identifier":
            return NONE if self.text(node) in TYPING_ONLY else self.value(node)
        if kind == "attribute":
            return self.value(node)
        if kind == "generic_type":
            name = self.text(node.named_children[0])
            arguments = node.named_children[1].named_children if node.named_child_count > 1 else []
            if name == "Annotated" and arguments:
                return self._annotated(node, arguments)
            if name in WRAPPERS and arguments:
                return self._type(arguments[0])
            return NONE if name in TYPING_ONLY else self.value(node.named_children[0])
        if kind == "subscript":
            base = _field(node, "value")
            name = self.text(base).rpartition(".")[2]
            keys = node.children_by_field_name("subscript")
            if name == "Annotated" and keys:
                return self._annotated(node, keys)
            if name in WRAPPERS and keys:
                return self._type(keys[0])
            return NONE if name in TYPING_ONLY else self.value(base)
        if kind == "binary_operator" or kind == "union_type":
            sides = [side for side in node.named_children if self.text(side) != "None"]
            return self._type(sides[0]) if len(sides) == 1 else NONE
        return NONE

    def _annotated(self, node: Node, parts: Sequence[Node]) -> int:
        """``Annotated[T, x]``: an instance of it is an instance of T, and what packs say of x holds for it."""
        b = self.b
        metadata = [p.named_children[0] if p.type == "type" and p.named_child_count else p for p in parts[1:]]
        values = [self._type(parts[0]), *(self.value(each) for each in metadata)]
        result = b.new(Op.EXPRESSION, node)
        for value in values:
            if value != NONE and b.ops[value] != Op.CONST:
                b.same(value, result)
        return result

    def _quoted_type(self, node: Node) -> int:
        """``x: "Request"``: a dotted name in quotes."""
        text = self.text(node).strip("\"'")
        names = text.split(".")
        if not all(name.isidentifier() for name in names):
            return NONE
        value = self.b.read(names[0], node)
        for name in names[1:]:
            value = self.b.load(value, self.b.key(name), node)
        return value

    # -- statements
    # --------------------------------------------------------------------------------------------------------------

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            self.handle(child)

    @on("block", "module")
    def block(self, node: Node) -> None:
        self.statements(node.named_children)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        children = [child for child in node.named_children if child.type != "comment"]
        self.b.return_(self.value(children[0]) if children else None)

    @on("raise_statement")
    def raise_(self, node: Node) -> None:
        children = node.named_children
        self.b.raise_(self.value(children[0]) if children else None)

    @on("assert_statement")
    def assert_(self, node: Node) -> None:
        outcome = self.condition(node.named_children[0])
        self.b.branch(outcome, lambda: None, lambda: self.b.raise_(None))

    @on("print_statement", "exec_statement")
    def python2(self, node: Node) -> int:
        """Python 2's ``print x`` and ``exec code``: calls of the functions that replaced them."""
        name = "print" if node.type == "print_statement" else "exec"
        values = [child for child in node.named_children if child.type != "chevron"]
        arguments = [Argument(self.value(child), index, child) for index, child in enumerate(values)]
        return self.b.call(node, self.b.read(name, node), arguments)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        self._if(node, node.children_by_field_name("alternative"), 0)

    def _if(self, node: Node, alternatives: list[Node], at: int) -> None:
        then = node.child_by_field_name("consequence")
        outcome = self.condition(_field(node, "condition"))

        def otherwise() -> None:
            if at < len(alternatives):
                following = alternatives[at]
                if following.type == "elif_clause":
                    self._if(following, alternatives, at + 1)
                else:
                    self.statement(_field(following, "body"))

        self.b.branch(outcome, lambda: self.statement(then) if then is not None else None, otherwise)

    @on("while_statement")
    def while_(self, node: Node) -> None:
        condition, body = _field(node, "condition"), _field(node, "body")
        otherwise = self._else_of(node)
        if self._is_false(condition):
            if otherwise is not None:
                otherwise()
            return
        self.b.loop(node, lambda: self.condition(condition), lambda: self.statement(body), otherwise=otherwise)

    def _is_false(self, node: Node) -> bool:
        """Whether a comparison of constants does not hold when a loop is entered; nothing is lowered."""
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self._is_false(node.named_children[0])
        if node.type != "comparison_operator" or node.named_child_count != 2:
            return node.type == "false"
        sign = COMPARE.get(" ".join(self.text(child) for child in node.children if not child.is_named))
        known = [self._known(child) for child in node.named_children]
        if sign is None or any(constant is self for constant in known):
            return False
        try:
            return not sign(*known)
        except TypeError:
            return False

    def _known(self, node: Node) -> Any:
        """The constant that a name or a literal stands for now, or ``self``."""
        if node.type == "identifier":
            return self.b.constants.get(self.b.current(self.text(node)), self)
        return self.b.constants.get(self.value(node), self) if node.type in ("integer", "string") else self

    def _else_of(self, node: Node) -> Callable[[], None] | None:
        clause = node.child_by_field_name("alternative")
        if clause is None:
            return None
        body = _field(clause, "body")
        return lambda: self.statement(body)

    @on("for_statement")
    def for_(self, node: Node) -> None:
        target, body = _field(node, "left"), _field(node, "body")
        iterable_node = _field(node, "right")
        b = self.b
        iterable = self.value(iterable_node)
        counted = self._counted(iterable, iterable_node)
        rounds = self._trips(iterable_node, iterable)

        def round_() -> None:
            if counted is None:
                value = self._element(iterable, target)
            elif rounds == 1:
                value = counted[0]
            else:
                value = b.new(Op.EXPRESSION, target)
                b.set_index(value)
            self._assign(target, value)
            self.statement(body)

        b.loop(node, None, round_, otherwise=self._else_of(node), trips=rounds, over=iterable, counted=counted)

    def _counted(self, iterable: int, at: Node) -> tuple[int, int, int] | None:
        """Start, step and bound of ``range(...)``."""
        given = self._given.get(iterable, ())
        if not 1 <= len(given) <= 3:
            return None
        start = given[0] if len(given) > 1 else self.b.constant(0, at)
        step = given[2] if len(given) == 3 else self.b.constant(1, at)
        return start, step, given[min(len(given), 2) - 1]

    def _trips(self, node: Node, iterable: int) -> int:
        """How many elements there are, where that is known: of a container, or of ``range`` with constants."""
        length = self._length(iterable)
        if length is not None:
            return length
        if node.type != "call" or self.text(_field(node, "function")) != "range":
            return NONE
        bounds = [self.b.constants.get(v) for v in self._given.get(iterable, ())]
        if not bounds or not all(type(bound) is int for bound in bounds):
            return NONE
        try:
            return min(len(range(*bounds)), MAX_TRIPS)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return NONE

    def _element(self, iterable: int, at: Node) -> int:
        """What an iteration gives: an element, or a key of a mapping."""
        known = self.b.contents(iterable)
        if known is not None and not known.sequence:
            return self.b.phi(self._key_texts(known, at) or [self.b.opaque(at)], at)
        element = self.b.load(iterable, UNKNOWN_KEY, at)
        return self.b.phi([element, self.b.keys(iterable, at)], at) if self.b.has_value_keys(iterable) else element

    @on("break_statement")
    def break_(self, node: Node) -> None:
        self.b.break_()

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        self.b.continue_()

    @on("try_statement")
    def try_(self, node: Node) -> None:
        body = _field(node, "body")
        handlers: list[Callable[[int], None]] = []
        otherwise: Callable[[], None] | None = None
        final: Callable[[], None] | None = None
        for child in node.named_children:
            kind = child.type
            if kind in ("except_clause", "except_group_clause"):
                handlers.append(lambda exception, child=child: self._except(child, exception))  # type: ignore[misc]
            elif kind == "else_clause":
                otherwise = lambda child=child: self.statement(_field(child, "body"))  # noqa: E731
            elif kind == "finally_clause":
                final = lambda child=child: self.statements(child.named_children)  # noqa: E731
        self.b.attempt(node, lambda: self.statement(body), handlers, otherwise, final)

    def _except(self, node: Node, exception: int) -> None:
        for child in node.named_children:
            if child.type == "block":
                self.statement(child)
            elif child.type == "as_pattern":
                self.value(child.named_children[0])
                alias = child.child_by_field_name("alias")
                if alias is not None:
                    self.b.write(self.text(alias), exception)
            elif child.type != "comment":
                self.value(child)

    @on("with_statement")
    def with_(self, node: Node) -> None:
        for clause in node.named_children:
            if clause.type == "with_clause":
                for item in clause.named_children:
                    self._with_item(item)
        self.statement(_field(node, "body"))

    def _with_item(self, item: Node) -> None:
        value_node = item.child_by_field_name("value") or item
        if value_node.type == "as_pattern":
            value = self._entered(value_node.named_children[0])
            alias = value_node.child_by_field_name("alias")
            if alias is not None:
                target = alias.named_children[0] if alias.named_child_count else alias
                self._assign(target, value)
        else:
            self._entered(value_node)

    def _entered(self, node: Node) -> int:
        """What ``with`` binds: the result of ``__enter__``, which is nearly always the manager itself, or what a
        generator yields.
        """
        b = self.b
        manager = self.value(node)
        callee = b.method(manager, "__enter__", node)
        entered = b.call(node, callee, [], receiver=manager, name="__enter__", receiver_at=node)
        return b.phi([manager, entered, b.load(manager, UNKNOWN_KEY, node)], node)

    @on("as_pattern")
    def as_pattern(self, node: Node) -> int:
        value = self.value(node.named_children[0])
        alias = node.child_by_field_name("alias")
        if alias is not None:
            target = alias.named_children[0] if alias.named_child_count else alias
            self._assign(target, value)
        return value

    @on("match_statement")
    def match(self, node: Node) -> None:
        subjects = node.children_by_field_name("subject")
        mark = self.b.mark()
        if len(subjects) == 1:
            subject = self.value(subjects[0])
        else:
            subject = self.b.container(node, [(self.b.key(i), self.value(s)) for i, s in enumerate(subjects)])
        body = _field(node, "body")
        cases = [child for child in body.named_children if child.type == "case_clause"]
        self._case(cases, 0, subject, mark)

    def _case(self, cases: list[Node], at: int, subject: int, mark: int) -> None:
        if at == len(cases):
            return
        case = cases[at]
        patterns = [child for child in case.named_children if child.type == "case_pattern"]
        guard = case.child_by_field_name("guard")
        consequence = _field(case, "consequence")
        reads = list(self.b.reads[mark:])

        def test() -> Outcome:
            outcome = self.b.known(True) if not patterns else self._patterns(patterns, subject, case, mark)
            if guard is not None:
                outcome = self.b.both(outcome, lambda: self.condition(guard.named_children[0]))
            return outcome

        outcome = test()
        self.b.reads[mark:] = reads
        self.b.branch(outcome, lambda: self.statement(consequence), lambda: self._case(cases, at + 1, subject, mark))

    def _patterns(self, patterns: list[Node], subject: int, case: Node, mark: int) -> Outcome:
        if len(patterns) == 1:
            return self._pattern(patterns[0], subject, mark)
        outcome = self.b.known(True)
        for index, pattern in enumerate(patterns):
            element = self.b.load(subject, self.b.key(index), pattern)
            outcome = self.b.both(outcome, lambda p=pattern, e=element: self._pattern(p, e, mark))  # type: ignore[misc]
        return outcome

    def _pattern(self, node: Node, subject: int, mark: int) -> Outcome:
        """What is known when ``subject`` matches; names in the pattern are bound."""
        b = self.b
        kind = node.type
        children = [child for child in node.named_children if child.type != "comment"]
        if kind == "case_pattern":
            if not children:
                if self.text(node) == "_":
                    return b.known(True)
                return Outcome({}, {})
            return self._pattern(children[0], subject, mark)
        if kind == "dotted_name" and len(children) == 1:
            name = self.text(node)
            if name != "_":
                b.write(name, subject)
            return b.known(True)
        if kind in ("string", "integer", "float", "true", "false", "none", "dotted_name", "concatenated_string"):
            right = self.value(node) if kind != "dotted_name" else self._dotted(node)
            return self._compare("==", subject, right, node, mark)
        if kind == "union_pattern":
            outcome = self._pattern(children[0], subject, mark)
            for child in children[1:]:
                outcome = b.either(outcome, lambda child=child: self._pattern(child, subject, mark))  # type: ignore[misc]
            return outcome
        if kind == "as_pattern":
            outcome = self._pattern(children[0], subject, mark)
            b.write(self.text(children[-1]), subject)
            return outcome
        self._bind_pattern(node, subject)
        return Outcome({}, {})

    def _bind_pattern(self, node: Node, subject: int) -> None:
        """Bind the names of a structural pattern to the parts of ``subject``."""
        b = self.b
        kind = node.type
        children = [child for child in node.named_children if child.type != "comment"]
        if kind == "case_pattern" and len(children) == 1:
            self._bind_pattern(children[0], subject)
        elif kind in ("list_pattern", "tuple_pattern"):
            self._bind_elements(children, subject)
        elif kind == "dict_pattern":
            keys = node.children_by_field_name("key")
            values = node.children_by_field_name("value")
            taken = [b.key_of(self.value(key)) for key in keys]
            for key, value in zip(taken, values, strict=False):
                self._bind_pattern(value, b.load(subject, key, value))
            for child in children:
                if child.type == "splat_pattern" and child.named_child_count:
                    rest = b.container(child, [(key, b.opaque(child)) for key in taken if key >= 0], [subject])
                    b.write(self.text(child.named_children[0]), rest)
        elif kind == "class_pattern":
            fields = self._fields.get(self.text(children[0]), [])
            for index, child in enumerate(children[1:]):
                if child.named_child_count and child.named_children[0].type == "keyword_pattern":
                    self._bind_pattern(child, subject)
                else:
                    key = b.key(fields[index]) if index < len(fields) else UNKNOWN_KEY
                    self._bind_pattern(child, b.load(subject, key, child))
        elif kind == "keyword_pattern":
            self._bind_pattern(children[-1], b.load(subject, b.key(self.text(children[0])), node))
        elif kind == "splat_pattern" and children:
            b.write(self.text(children[0]), subject)
        elif kind == "as_pattern":
            self._bind_pattern(children[0], subject)
            b.write(self.text(children[-1]), subject)
        elif (kind == "dotted_name" and len(children) == 1 and self.text(node) != "_") or kind == "identifier":
            b.write(self.text(node), subject)
        elif kind == "union_pattern":
            for child in children:
                self._bind_pattern(child, subject)

    def _bind_elements(self, patterns: Sequence[Node], subject: int) -> None:
        """The patterns of a sequence, of which one may stand for the rest."""
        b = self.b
        star = next((i for i, p in enumerate(patterns) if _is_star(p)), len(patterns))
        for index, pattern in enumerate(patterns):
            if index < star:
                self._bind_pattern(pattern, b.load(subject, b.key(index), pattern))
            elif index == star:
                end = OPEN if index == len(patterns) - 1 else index - len(patterns) + 1
                self._bind_pattern(pattern, b.slice(subject, index, end, pattern))
            else:
                self._bind_pattern(pattern, b.load(subject, UNKNOWN_KEY, pattern))

    def _dotted(self, node: Node) -> int:
        names = [self.text(child) for child in node.named_children]
        value = self.b.read(names[0], node)
        for name in names[1:]:
            value = self.b.load(value, self.b.key(name), node)
        return value

    # -- comprehensions
    # ----------------------------------------------------------------------------------------------------------

    @on("list_comprehension", "set_comprehension", "generator_expression", "dictionary_comprehension")
    def comprehension(self, node: Node) -> int:
        """A loop that fills a container; its variables are its own."""
        b = self.b
        clauses = [c for c in node.named_children if c.type in ("for_in_clause", "if_clause")]
        body = _field(node, "body")
        if len(clauses) == 1 and body.type != "pair":
            result = self._unrolled(node, clauses[0], body)
            if result != NONE:
                return result
        result_name = f"\0result{node.start_byte}"
        b.write(result_name, b.new(Op.NEW, node, 0))

        def fill() -> None:
            if body.type == "pair":
                key = self.value(body.child_by_field_name("key"))
                value = self.value(body.child_by_field_name("value"))
                b.store(b.current(result_name), b.key_of(key), value, body)
            else:
                value = self.value(body)
                b.store(b.current(result_name), UNKNOWN_KEY, value, body)

        saved = {name: b.current(name) for name in self._targets(clauses)}
        self._clauses(clauses, 0, fill, node)
        for name, value in saved.items():
            if value != NONE:
                b.write(name, value)
        return b.current(result_name)

    def _unrolled(self, node: Node, clause: Node, body: Node) -> int:
        """A comprehension over a few known elements, with no condition: its elements one by one; else NONE."""
        b = self.b
        right = _field(clause, "right")
        if right.type not in ("identifier", "list", "tuple", "attribute", "parenthesized_expression"):
            return NONE
        known = b.contents(b.current(self.text(right)) if right.type == "identifier" else self.value(right))
        if known is None or not known.sequence or not 0 < len(known.items) <= MAX_UNROLLED:
            return NONE
        saved = {name: b.current(name) for name in self._targets([clause])}
        values = []
        for element in known.values:
            self._assign(_field(clause, "left"), element)
            values.append(self.value(body))
        for name, value in saved.items():
            if value != NONE:
                b.write(name, value)
        return (
            b.sequence(node, values)
            if node.type != "set_comprehension"
            else b.container(node, [(UNKNOWN_KEY, value) for value in values])
        )

    def _targets(self, clauses: list[Node]) -> list[str]:
        names = []
        for clause in clauses:
            if clause.type == "for_in_clause":
                target = _field(clause, "left")
                names += [self.text(target)] if target.type == "identifier" else []
        return names

    def _clauses(self, clauses: list[Node], at: int, fill: Callable[[], None], node: Node) -> None:
        if at == len(clauses):
            fill()
            return
        clause = clauses[at]
        if clause.type == "if_clause":
            outcome = self.condition(clause.named_children[0])
            self.b.branch(outcome, lambda: self._clauses(clauses, at + 1, fill, node))
            return
        iterable = self.value(_field(clause, "right"))

        def round_() -> None:
            target = _field(clause, "left")
            self._assign(target, self._element(iterable, target))
            self._clauses(clauses, at + 1, fill, node)

        self.b.loop(node, None, round_, over=iterable)

    # -- functions and classes
    # ---------------------------------------------------------------------------------------------------

    @on("function_definition")
    def function_definition(self, node: Node) -> None:
        self._bind_definition(node, self._function(node, [], None), node)

    @on("decorated_definition")
    def decorated_definition(self, node: Node) -> None:
        b = self.b
        decorators = [child.named_children[0] for child in node.named_children if child.type == "decorator"]
        definition = _field(node, "definition")
        values = [(self.value(decorator), decorator) for decorator in decorators]
        names = [self.text(decorator) for decorator in decorators]
        if definition.type == "class_definition":
            value = self._class_value(definition)
        else:
            value = self._function(definition, names, self._class)
        if self._class is not None and any(name.endswith((".setter", ".deleter")) for name in names):
            return  # the name stays what reading it calls
        if self._class is None or not _is_plain_accessor(names):
            for (decorator, at), name in reversed(list(zip(values, names, strict=True))):
                if name in ("staticmethod", "classmethod", "property", "override", "typing.override"):
                    continue
                value = b.call(at, decorator, [Argument(value, 0, definition)], flags=int(CallFlag.DECORATOR))
        self._bind_definition(definition, value, node)

    def _bind_definition(self, node: Node, value: int, at: Node) -> None:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        name = self.text(name_node)
        self.b.forget_reads()
        self.b.write(name, value)

    def _function(self, node: Node, decorators: list[str], _: object) -> int:
        b = self.b
        name = self.text(_field(node, "name")) if node.child_by_field_name("name") else ""
        flags = 0
        in_class = self._class
        if in_class is not None:
            flags |= FunctionFlag.METHOD
            if "staticmethod" in decorators:
                flags = flags & ~FunctionFlag.METHOD | FunctionFlag.STATIC
            elif "classmethod" in decorators or name in ("__new__", "__init_subclass__", "__class_getitem__"):
                flags |= FunctionFlag.CLASS_METHOD
            if name == "__init__":
                flags |= FunctionFlag.CONSTRUCTOR
            for decorator in decorators:
                if decorator == "property" or decorator.endswith(("cached_property", ".getter")):
                    flags |= FunctionFlag.PROPERTY
                elif decorator.endswith(".setter"):
                    flags |= FunctionFlag.SETTER
        if node.children[0].type == "async":
            flags |= FunctionFlag.ASYNC
        parameters = node.child_by_field_name("parameters")
        defaults = self._defaults(parameters)
        returns = self._type(node.child_by_field_name("return_type"))
        body = _field(node, "body")
        outer_class = in_class or self._outer_class

        def lower() -> None:
            saved = self._class, self._outer_class, self._self_name
            self._class, self._outer_class, self._self_name = None, outer_class, ""
            self._parameters(parameters, defaults, bool(flags & FunctionFlag.METHOD))
            if returns != NONE:
                b.declare_type(b.frame.result, returns)
            self.statement(body)
            self._class, self._outer_class, self._self_name = saved

        return b.function(
            node,
            name,
            lower,
            flags=int(flags),
            owner=NONE if in_class is None else in_class[1],
            name_at=node.child_by_field_name("name") or node,
        )

    def _defaults(self, parameters: Node | None) -> dict[int, tuple[int, int]]:
        """Default values and declared types, evaluated where the function is created: parameter's start -> (default,
        type).
        """
        found: dict[int, tuple[int, int]] = {}
        for child in parameters.named_children if parameters is not None else ():
            default = child.child_by_field_name("value")
            declared = child.child_by_field_name("type")
            if default is not None or declared is not None:
                value = NONE if default is None else self.value(default)
                found[child.start_byte] = (value, self._type(declared))
        return found

    def _parameters(self, node: Node | None, defaults: dict[int, tuple[int, int]], method: bool) -> None:
        position = 0
        keyword_only = False
        for child in node.named_children if node is not None else ():
            kind = child.type
            if kind == "comment":
                continue
            if kind == "keyword_separator":
                keyword_only = True
                continue
            if kind == "positional_separator":
                continue
            default, declared = defaults.get(child.start_byte, (NONE, NONE))
            name_node = child
            if kind in ("default_parameter", "typed_default_parameter"):
                name_node = _field(child, "name")
            elif kind == "typed_parameter":
                name_node = child.named_children[0]
            role = ParameterKind.KEYWORD_ONLY if keyword_only else ParameterKind.NORMAL
            if name_node.type == "list_splat_pattern":
                role, keyword_only = ParameterKind.VARARG, True
                name_node = name_node.named_children[0] if name_node.named_child_count else name_node
            elif name_node.type == "dictionary_splat_pattern":
                role = ParameterKind.KEYWORDS
                name_node = name_node.named_children[0]
            name = self.text(name_node)
            if method and position == 0 and role == ParameterKind.NORMAL:
                self._self_name = name
                self.b.parameter(name, name_node, RECEIVER, kind=ParameterKind.RECEIVER, type_value=declared)
                method = False
                continue
            self.b.parameter(name, name_node, position, kind=role, default=default, type_value=declared)
            position += 1

    @on("lambda")
    def lambda_(self, node: Node) -> int:
        parameters = node.child_by_field_name("parameters")
        defaults = self._defaults(parameters)
        body = _field(node, "body")
        saved_class = self._outer_class
        saved_self = self._self_name

        def lower() -> None:
            saved = self._class, self._outer_class, self._self_name
            self._class, self._outer_class, self._self_name = None, saved_class, saved_self
            self._parameters(parameters, defaults, False)
            self.b.return_(self.value(body))
            self._class, self._outer_class, self._self_name = saved

        return self.b.function(node, "", lower, flags=int(FunctionFlag.LAMBDA))

    @on("class_definition")
    def class_definition(self, node: Node) -> None:
        self._bind_definition(node, self._class_value(node), node)

    def _class_value(self, node: Node) -> int:
        b = self.b
        bases: list[int] = []
        arguments = node.child_by_field_name("superclasses")
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "keyword_argument":
                self.value(child.child_by_field_name("value"))
            elif child.type == "subscript":
                bases.append(self.value(_field(child, "value")))
            elif child.type != "comment":
                bases.append(self.value(child))
        name = self.text(_field(node, "name"))
        value, owner = b.class_(node, name, bases)
        saved, saved_name = self._class, self._class_name
        self._class, self._class_name = (value, owner), name
        body = _field(node, "body")
        with b.own_names() as names:
            self.statement(body)
        for name, member in names.items():
            b.member(value, name, member)
        if "__match_args__" in names and (known := b.contents(names["__match_args__"])) is not None:
            texts = [b.constants.get(element) for element in known.values]
            self._fields[self._class_name] = [text for text in texts if isinstance(text, str)]
        self._class, self._class_name = saved, saved_name
        return value

    # -- imports
    # -----------------------------------------------------------------------------------------------------------------

    @on("import_statement")
    def import_(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "aliased_import":
                module = self.text(_field(child, "name"))
                value = self.b.import_(child, module)
                self.b.write(self.text(_field(child, "alias")), value)
            elif child.type == "dotted_name":
                module = self.text(child)
                root = module.partition(".")[0]
                self.b.import_(child, module)  # the submodule is loaded, the name bound is the root's
                self.b.write(root, self.b.import_(child, root))

    @on("import_from_statement")
    def import_from(self, node: Node) -> None:
        module_node = _field(node, "module_name")
        level = 0
        module = self.text(module_node)
        if module_node.type == "relative_import":
            level = len(module) - len(module.lstrip("."))
            module = module.lstrip(".").strip()
        for child in node.named_children[1:]:
            if child.type == "wildcard_import":
                self.b.export("*", self.b.import_(child, module, "*", level))
            elif child.type == "aliased_import":
                name = self.text(_field(child, "name"))
                self.b.write(self.text(_field(child, "alias")), self.b.import_(child, module, name, level))
            elif child.type == "dotted_name":
                name = self.text(child)
                self.b.write(name, self.b.import_(child, module, name, level))


ContainerMethod = Callable[[Python, int, Contents, Sequence[int], Node], int | None]

LIST_METHODS: dict[str, ContainerMethod] = {
    "append": Python._append,
    "extend": Python._extend,
    "insert": Python._insert,
    "pop": Python._pop,
    "remove": Python._remove,
    "reverse": Python._reverse,
    "clear": Python._clear,
    "copy": Python._copy,
}

DICT_METHODS: dict[str, ContainerMethod] = {
    "get": Python._get,
    "pop": Python._pop_entry,
    "setdefault": Python._setdefault,
    "update": Python._copy,  # told apart by its arguments
    "clear": Python._clear,
    "copy": Python._copy,
    "keys": Python._keys,
    "values": Python._values,
    "items": Python._items,
}


def _field(node: Node, name: str) -> Node:
    """A field that the grammar promises; a broken tree may lack it, and then the node itself stands in."""
    child = node.child_by_field_name(name)
    return node if child is None else child


def _add(left: Any, right: Any) -> Constant:
    if isinstance(left, str) != isinstance(right, str):
        raise TypeError
    result: Constant = left + right
    return result


def _is_star(pattern: Node) -> bool:
    while pattern.type == "case_pattern" and pattern.named_child_count == 1:
        pattern = pattern.named_children[0]
    return pattern.type == "splat_pattern"


def _plain(arguments: Sequence[Argument]) -> list[int] | None:
    """The values of arguments that are all positional, else None."""
    if any(a.keyword is not None or a.flags for a in arguments):
        return None
    return [a.value for a in arguments]


def _is_plain_accessor(names: list[str]) -> bool:
    return any(name == "property" or name.endswith((".setter", ".deleter", ".getter")) for name in names)


def _unescape(text: str) -> str:
    try:
        unescaped = ast.literal_eval('"""' + text.replace('"', '\\"') + '"""')
    except (ValueError, SyntaxError):
        return text
    return unescaped if isinstance(unescaped, str) else text
