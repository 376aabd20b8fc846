"""The JavaScript and TypeScript front end: tree-sitter's syntax in the builder's words.

* ``this`` is an ordinary variable: the receiver parameter of every function that is no arrow, captured by arrows.
* A class's instance fields are stores into ``this`` at the start of its constructor, made up where there is none.
* ``await v`` is ``v``, and an async function returns what it returns: a promise and its value are one.
* Types are read where they name something: parameters, variables, fields and results are declared to be instances of
  what their type's name resolves to; everything else about types is skipped without a look.
* ``module`` and ``exports`` are objects of the module; ``module.exports`` at its end is the export of that name.

``var`` and function declarations are hoisted; names that nested functions assign are found by one query beforehand.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from tree_sitter import Language, Node, Query, QueryCursor

from pyrograph.ir.unit import (
    EXPORTED,
    NONE,
    RAISED,
    RECEIVER,
    UNKNOWN_KEY,
    ArgumentFlag,
    CallFlag,
    FunctionFlag,
    Op,
    Operator,
    ParameterKind,
    Test,
    Unit,
)
from pyrograph.parsers.builder import Argument, Builder, Constant, Outcome, Span, trips
from pyrograph.parsers.frontend import FrontEnd, on

EQUALITIES = {"===": False, "==": False, "!==": True, "!=": True}  # whether negated
ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EQUALS: dict[str, Callable[[Any, Any], bool]] = {
    "===": operator.eq,
    "==": operator.eq,
    "!==": operator.ne,
    "!=": operator.ne,
}
EXCHANGED = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``
COMPARISONS = frozenset([*EQUALITIES, *ORDERS, "in", "instanceof"])
LOGICAL = frozenset(["&&", "||"])


def _int32(number: float) -> int:
    """What bitwise operators see of a number."""
    return ((int(number) + 2**31) % 2**32) - 2**31


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": math.fmod,
    "**": lambda a, b: a**b if abs(a) < 2**32 and abs(b) < 64 else None,
    "&": lambda a, b: _int32(a) & _int32(b),
    "|": lambda a, b: _int32(a) | _int32(b),
    "^": lambda a, b: _int32(a) ^ _int32(b),
    "<<": lambda a, b: _int32(_int32(a) << (_int32(b) & 31)),
    ">>": lambda a, b: _int32(a) >> (_int32(b) & 31),
    ">>>": lambda a, b: (_int32(a) % 2**32) >> (_int32(b) & 31),
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
UNARY = {"-": Operator.NEGATE, "~": Operator.INVERT}
SIGNS: dict[str, Callable[[Any], Any]] = {"+": operator.pos, "-": operator.neg, "~": lambda number: ~_int32(number)}

# Methods of constant text with constant arguments: pure and cheap.
TEXT_METHODS: dict[str, Callable[..., Constant]] = {
    "toUpperCase": lambda s: s.upper(),
    "toLowerCase": lambda s: s.lower(),
    "trim": lambda s: s.strip(),
    "trimStart": lambda s: s.lstrip(),
    "trimEnd": lambda s: s.rstrip(),
    "toString": lambda s: s,
    "valueOf": lambda s: s,
    "slice": lambda s, a=0, b=None: s[a:b],
    "substring": lambda s, a, b=None: s[slice(*sorted((max(a, 0), len(s) if b is None else max(b, 0))))],
    "charAt": lambda s, i=0: s[i] if 0 <= i < len(s) else "",
    "at": lambda s, i=0: s[i],
    "indexOf": lambda s, t: s.find(t),
    "lastIndexOf": lambda s, t: s.rfind(t),
    "includes": lambda s, t: t in s,
    "startsWith": lambda s, t: s.startswith(t),
    "endsWith": lambda s, t: s.endswith(t),
    "repeat": lambda s, n: s * n if 0 <= n * len(s) <= 4096 else _refuse(),
    "replace": lambda s, a, b: s.replace(a, b, 1) if "$" not in b and not _is_pattern(a) else _refuse(),
    "replaceAll": lambda s, a, b: s.replace(a, b) if "$" not in b and not _is_pattern(a) else _refuse(),
    "padStart": lambda s, n, t=" ": s.rjust(n, t) if n <= 4096 else _refuse(),
    "padEnd": lambda s, n, t=" ": s.ljust(n, t) if n <= 4096 else _refuse(),
}

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)

ASSIGNED = r"(?<![\w$.])NAME\s*(?:\+\+|--|(?:[-+*/%&|^]|\*\*|<<|>>|\?\?|&&|\|\|)?=(?!=))|(?:\+\+|--)\s*NAME(?![\w$])"

ARRAY_METHODS = frozenset(["slice", "at", "reverse", "toReversed", "pop", "shift", "push", "unshift", "join"])
NO_RECEIVERS = frozenset(["string", "template_string", "number", "arrow_function", "function_expression"])
BOUND_PARAMETERS = 4  # parameters that a bound function passes on

# Types whose first argument is what the value is: a promise and its value are one.
WRAPPERS = frozenset(
    [
        *("Promise", "PromiseLike", "Awaited", "Observable", "Ref", "InstanceType", "NonNullable"),
        *("Readonly", "Partial", "Required", "DeepPartial", "Omit", "Pick"),
    ]
)
PREDEFINED = {"number": "Number", "string": "String", "boolean": "Boolean", "bigint": "BigInt", "symbol": "Symbol"}
ALWAYS_TRUE = frozenset([Op.NEW, Op.FUNCTION, Op.CLASS])
PROPERTY_MODIFIERS = frozenset(["accessibility_modifier", "override_modifier", "readonly"])

FUNCTIONS = (
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
)

# What a function assigns, declares and contains, found before lowering.
NAMES = """
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function)
 (method_definition)] @function
[(for_statement) (for_in_statement) (while_statement) (do_statement)] @loop
(variable_declaration (variable_declarator name: (_) @var))
(lexical_declaration (variable_declarator name: (_) @declared))
(formal_parameters (_) @declared)
(arrow_function parameter: (identifier) @declared)
(assignment_expression left: (_) @assigned)
(augmented_assignment_expression left: (_) @assigned)
(update_expression argument: (identifier) @assigned)
(for_in_statement kind: "var" left: (_) @var)
(for_in_statement kind: ["let" "const"] left: (_) @declared)
(for_in_statement !kind left: (_) @assigned)
"""


class JavaScript(FrontEnd):
    """Lowers one file of JavaScript or JSX."""

    language = "javascript"
    made_of_parts: ClassVar[tuple[str, ...]] = ()
    ignored: ClassVar[tuple[str, ...]] = (
        "comment",
        "hash_bang_line",
        "html_comment",
        "empty_statement",
        "debugger_statement",
        "jsx_text",
        "jsx_closing_element",
        "html_character_reference",
        "import_attribute",
    )
    names: ClassVar[str] = NAMES

    _names: ClassVar[Query]
    _comment: ClassVar[int]
    _hoisted_kinds: ClassVar[frozenset[int]]
    _function_kinds: ClassVar[frozenset[int]]
    _identifier: ClassVar[int]
    _parenthesized: ClassVar[int]
    _binary: ClassVar[int]
    _unary: ClassVar[int]

    _owner: int = NONE  # row in owners of the class whose method is being lowered
    _vars: dict[int, list[str]]  # function's first byte -> its ``var`` names
    _loop_vars: dict[int, list[str]]  # those declared inside a loop: they live from round to round

    @classmethod
    def grammar(cls) -> Language:
        import tree_sitter_javascript

        return Language(tree_sitter_javascript.language())

    @classmethod
    def prepare(cls) -> None:
        if "_names" in cls.__dict__:
            return
        super().prepare()
        grammar = cls._grammar

        def number(kind: str) -> int:
            return grammar.id_for_node_kind(kind, True) or -1

        cls._comment = number("comment")
        cls._hoisted_kinds = frozenset(map(number, ("function_declaration", "generator_function_declaration")))
        cls._function_kinds = frozenset(map(number, FUNCTIONS))
        cls._identifier = number("identifier")
        cls._parenthesized = number("parenthesized_expression")
        cls._binary = number("binary_expression")
        cls._unary = number("unary_expression")
        cls._names = Query(grammar, cls.names)

    def lower(self, source: bytes) -> Unit:
        """Lower one file; what does not parse as JavaScript may have types, of Flow or pasted from TypeScript."""
        unit = super().lower(source)
        if unit.error_nodes and type(self) is JavaScript:
            typed = Tsx().lower(source)
            if 2 * typed.error_nodes < unit.error_nodes:
                return typed
        return unit

    # -- before lowering -----------------------------------------------------------------------------------------------

    def start(self, root: Node) -> Builder:
        return Builder("javascript", declares=True, cells=self._find_names(root))

    def _find_names(self, root: Node) -> frozenset[str]:
        """The names that nested functions assign in an enclosing one; notes each function's ``var`` names too."""
        self._vars = {}
        self._loop_vars = {}
        captures = QueryCursor(self._names).captures(root)
        order = {"function": 0, "loop": 1}
        events = [
            (node.start_byte, order.get(kind, 2), kind, node) for kind, nodes in captures.items() for node in nodes
        ]
        events.sort(key=lambda event: event[:2])
        scopes: list[tuple[int, set[str], set[str]]] = [(NONE, set(), set())]  # (enclosing scope, declared, assigned)
        open_: list[tuple[int, int, int]] = [(root.end_byte + 1, 0, NONE)]  # (end, scope, the function's first byte)
        loops: list[int] = []
        for start, _, kind, node in events:
            while start >= open_[-1][0]:
                open_.pop()
            _, scope, function = open_[-1]
            if kind == "function":
                if node.kind_id in self._hoisted_kinds:
                    own = node.child_by_field_name("name")
                    if own is not None:
                        scopes[scope][1].add(self.text(own))
                open_.append((node.end_byte, len(scopes), start))
                scopes.append((scope, set(), set()))
            elif kind == "loop":
                while loops and start >= loops[-1]:
                    loops.pop()
                loops.append(node.end_byte)
            elif kind == "assigned":
                if len(open_) > 2:
                    scopes[scope][2].update(self._pattern_names(node))
            else:
                names = self._pattern_names(node)
                scopes[scope][1].update(names)
                if kind == "var" and function != NONE:
                    self._vars.setdefault(function, []).extend(names)
                    while loops and start >= loops[-1]:
                        loops.pop()
                    if loops and loops[-1] <= open_[-1][0]:
                        self._loop_vars.setdefault(function, []).extend(names)
        cells: set[str] = set()
        for outer, declared, assigned in scopes:
            for name in assigned - declared:
                at = outer
                while at > 0:
                    if name in scopes[at][1]:
                        cells.add(name)
                        break
                    at = scopes[at][0]
        return frozenset(cells)

    def _pattern_names(self, node: Node) -> list[str]:
        """The names that a pattern binds."""
        kind = node.type
        if kind in ("identifier", "shorthand_property_identifier_pattern"):
            return [self.text(node)]
        if kind in ("assignment_pattern", "object_assignment_pattern"):
            left = node.child_by_field_name("left")
            return [] if left is None else self._pattern_names(left)
        if kind == "pair_pattern":
            value = node.child_by_field_name("value")
            return [] if value is None else self._pattern_names(value)
        if kind in ("required_parameter", "optional_parameter"):
            pattern = node.child_by_field_name("pattern")
            return [] if pattern is None else self._pattern_names(pattern)
        if kind in ("object_pattern", "array_pattern", "rest_pattern", "parenthesized_expression"):
            names: list[str] = []
            for child in node.named_children:
                names += self._pattern_names(child)
            return names
        return []

    # -- the module ----------------------------------------------------------------------------------------------------

    def program(self, root: Node) -> None:
        b = self.b
        common = b"exports" in self.source
        if common:
            exports = b.new(Op.NEW, root, 0)
            b.write("exports", exports)
            b.write("module", b.container(root, [(b.key("exports"), exports)]))
        self.statements(root.named_children)
        if common:
            b.label()
            b.export("module.exports", b.load(b.read("module", root), b.key("exports"), root))

    def statements(self, nodes: Iterable[Node]) -> None:
        """Lower statements; the functions declared among them exist before the first one runs."""
        b = self.b
        hoisted = self._hoisted_kinds
        nodes = list(nodes)
        found = [node for node in nodes if node.kind_id in hoisted]
        if found:
            b.forget_reads()
            made = []
            for node in found:
                name = self._declared_name(node)
                if name is not None:
                    b.declare(name)
            for node in found:
                made.append((self._declared_name(node), self._function(node)))
            for name, value in made:
                if name is not None:
                    b.write(name, value)
        for node in nodes:
            if not b.frame.reachable:
                break
            if node.kind_id not in hoisted:
                b.forget_reads()
                self.handle(node)

    def _sign(self, node: Node) -> str:
        """The operator of an expression."""
        sign = node.child_by_field_name("operator")
        return "" if sign is None else sign.type

    def _declared_name(self, node: Node) -> str | None:
        name = node.child_by_field_name("name")
        return None if name is None else self.text(name)

    def _items(self, node: Node) -> list[Node]:
        """The named children that mean something."""
        comment = self._comment
        return [child for child in node.named_children if child.kind_id != comment]

    def _body(self, node: Node | None) -> None:
        """A statement or a block with its own scope."""
        if node is None:
            return
        with self.b.scope():
            self.statements(node.named_children if node.type == "statement_block" else [node])

    # -- names and literals --------------------------------------------------------------------------------------------

    @on("identifier", "shorthand_property_identifier", "type_identifier", "this")
    def identifier(self, node: Node) -> int:
        return self.b.read(self.source[node.start_byte : node.end_byte].decode("utf-8", "replace"), node)

    @on("undefined", "null")
    def nothing_at_all(self, node: Node) -> int:
        return self.b.constant(None, node)

    @on("true")
    def true(self, node: Node) -> int:
        return self.b.constant(True, node)

    @on("false")
    def false(self, node: Node) -> int:
        return self.b.constant(False, node)

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
                if index == 0:
                    spreads.append(value)
                else:
                    items.append((UNKNOWN_KEY, b.load(value, UNKNOWN_KEY, child)))
                known = False
            else:
                items.append((b.key(index) if known else UNKNOWN_KEY, self.value(child)))
        return b.container(node, items, spreads, sequence=True if known else None)

    def _spread(self, node: Node) -> int:
        items = self._items(node)
        return self.value(items[0] if items else None)

    @on("spread_element")
    def spread_element(self, node: Node) -> int:
        return self._spread(node)

    @on("object")
    def object_literal(self, node: Node) -> int:
        b = self.b
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for child in self._items(node):
            kind = child.type
            if kind == "pair":
                value_node = child.child_by_field_name("value")
                key_node = child.child_by_field_name("key")
                key = self._key(key_node)
                items.append((key, self._named_value(value_node, key_node)))
            elif kind == "shorthand_property_identifier":
                items.append((b.key(self.text(child)), self.identifier(child)))
            elif kind == "method_definition":
                value = self._method(child, NONE)
                name = child.child_by_field_name("name")
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

    def _named_value(self, node: Node | None, name: Node | None) -> int:
        """A value that gets a name where it is made: anonymous functions and classes are called so in reports."""
        if node is not None and name is not None:
            if node.kind_id in self._function_kinds and node.child_by_field_name("name") is None:
                return self._function(node, name=self.text(name))
            if node.type == "class":
                return self._class(node, [], self.text(name))
        return self.value(node)

    # -- operators -----------------------------------------------------------------------------------------------------

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
        left_node = node.child_by_field_name("left")
        right_node = node.child_by_field_name("right")
        if sign == "??":
            mark = b.mark()
            left = self.value(left_node)
            if left_node is not None and left_node.kind_id == self._binary:
                mark = b.mark()  # a chain: what its first operands read says nothing of this test
            outcome = self._is_null(left, node, mark)
            return b.choose(outcome, lambda: self.value(right_node), lambda: left, node)
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
        if not (_is_number(constants.get(left)) and _is_number(constants.get(right))):
            return None

        def apply(a: Any, b: Any) -> Constant:
            result = function(a, b)
            if isinstance(result, int):
                return result
            if not isinstance(result, float):
                return _refuse()
            return int(result) if result.is_integer() else result

        return self.b.fold(apply, (left, right), node)

    def _plus(self, node: Node) -> int:
        """``a + b + c + …`` is one text made of all of them, or the sum of constant numbers."""
        operands: list[Node | None] = []
        at: Node | None = node
        while at is not None and at.kind_id == self._binary:
            sign = at.child_by_field_name("operator")
            if sign is None or sign.type != "+":
                break
            operands.append(at.child_by_field_name("right"))
            at = at.child_by_field_name("left")
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
        condition = node.child_by_field_name("condition")
        then = node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        outcome = self.condition(condition if condition is not None else node)
        return self.b.choose(outcome, lambda: self.value(then), lambda: self.value(otherwise), node)

    @on("unary_expression")
    def unary(self, node: Node) -> int:
        b = self.b
        sign = self._sign(node)
        argument = node.child_by_field_name("argument")
        if sign == "!":
            return b.boolean(self.condition(node), node)
        if sign == "delete" and argument is not None:
            if argument.type in ("member_expression", "subscript_expression"):
                self._assign(argument, b.constant(None, node))
            else:
                self.value(argument)
            return b.opaque(node)
        value = self.value(argument)
        if sign == "void":
            return b.constant(None, node)
        if sign in "+-~" and _is_number(b.constants.get(value)):
            folded = b.fold(SIGNS[sign], (value,), node)
            if folded is not None:
                return folded
        result = b.number(node, [value]) if sign in "+-~" else b.expression(node, [])
        return b.computed(result, UNARY[sign], (value,)) if sign in UNARY else result

    @on("update_expression")
    def update(self, node: Node) -> int:
        argument = node.child_by_field_name("argument")
        sign = node.child_by_field_name("operator")
        old = self.value(argument)
        step = self.b.constant(1, node)
        down = sign is not None and sign.type == "--"
        folded = self._fold_numbers(operator.sub if down else operator.add, old, step, node)
        new = self.b.number(node, [old]) if folded is None else folded
        self.b.computed(new, Operator.SUBTRACT if down else Operator.ADD, (old, step))
        if argument is not None:
            self._assign(argument, new)
        return new if node.children[0].type in ("++", "--") else old

    @on("await_expression")
    def await_(self, node: Node) -> int:
        items = self._items(node)
        if not items:
            return self.b.opaque(node)
        if items[0].type == "call_expression":
            return self.call(items[0], int(CallFlag.AWAIT))
        value = self.value(items[0])
        self.b.pause()
        return value

    @on("yield_expression")
    def yield_(self, node: Node) -> int:
        items = self._items(node)
        value = self.value(items[0]) if items else self.b.opaque(node)
        if any(child.type == "*" for child in node.children):
            return self.b.yield_from(value, node)
        return self.b.yield_(value, node)

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self, node: Node) -> Outcome:
        return self._condition(node, None)

    def _condition(self, node: Node, leaves: list[int] | None) -> Outcome:
        """What a condition leaves behind; ``leaves`` takes the operands that may be its value."""
        b = self.b
        kind = node.kind_id
        if kind == self._parenthesized:
            items = self._items(node)
            if items:
                return self._condition(items[0], leaves)
        elif kind == self._unary:
            sign = self._sign(node)
            argument = node.child_by_field_name("argument")
            if sign == "!" and argument is not None:
                return self._condition(argument, None).inverted()
        elif kind == self._binary:
            sign = self._sign(node)
            if sign in COMPARISONS:
                return self._comparison(node, sign)
            left = node.child_by_field_name("left")
            right = node.child_by_field_name("right")
            if sign in LOGICAL and left is not None and right is not None:
                if sign == "&&":
                    return b.both(self._condition(left, None), lambda: self._condition(right, leaves))
                return b.either(self._condition(left, leaves), lambda: self._condition(right, leaves))
        mark = b.mark()
        value = self.value(node)
        if leaves is not None:
            leaves.append(value)
        return b.known(True) if b.ops[value] in ALWAYS_TRUE else b.truth(value, node, mark)

    def _comparison(self, node: Node, sign: str) -> Outcome:
        b = self.b
        mark = b.mark()
        left_node = node.child_by_field_name("left")
        right_node = node.child_by_field_name("right")
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
        if (_is_number(first) and _is_number(second)) or (isinstance(first, str) and isinstance(second, str)):
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
        return self.value(node.child_by_field_name("argument"))

    def _equal(self, left: int, right: int, node: Span, mark: int, *, strict: bool = True) -> Outcome:
        b = self.b
        first, second = b.constants.get(left, b), b.constants.get(right, b)
        if left == right and first is b and b.ops[left] != Op.CALL and not self._same_text(node):
            return b.known(True)
        if first is not b and second is not b:
            same_kind = type(first) is type(second) or (_is_number(first) and _is_number(second))
            if same_kind and first is not None:
                return b.known(bool(first == second))
            if not same_kind and (strict or first is None or second is None):
                return b.known(False)
        return b.test(Test.EQUAL, left, right, node, mark)

    def _same_text(self, node: Span) -> bool:
        """``x === x``: a test for what is no number."""
        if not isinstance(node, Node):
            return True
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return left is None or right is None or self.text(left) == self.text(right)

    # -- members, elements, calls --------------------------------------------------------------------------------------

    @on("member_expression", "nested_identifier", "nested_type_identifier")
    def member(self, node: Node) -> int:
        b = self.b
        obj_node = node.child_by_field_name("object")
        name = node.child_by_field_name("property")
        if obj_node is None:
            obj_node = node.child_by_field_name("module")
            name = node.child_by_field_name("name")
        obj = self.value(obj_node)
        if name is None:
            return b.load(obj, UNKNOWN_KEY, node)
        text = self.source[name.start_byte : name.end_byte].decode("utf-8", "replace")
        if text == "length":
            constant = b.constants.get(obj)
            if isinstance(constant, str):
                return b.constant(len(constant), node)
        return b.load(obj, b.key(text), node)

    @on("subscript_expression")
    def subscript(self, node: Node) -> int:
        obj = self.value(node.child_by_field_name("object"))
        index = node.child_by_field_name("index")
        key = UNKNOWN_KEY if index is None else self.b.key_of(self.value(index))
        return self.b.load(obj, key, node)

    @on("super")
    def super_(self, node: Node) -> int:
        receiver = self.b.read("this", node)
        return receiver if self._owner == NONE else self.b.super_(node, self._owner, receiver)

    @on("meta_property")
    def meta_property(self, node: Node) -> int:
        return self.b.new(Op.GLOBAL, node, self.b.string(self.text(node)))

    @on("import")
    def import_keyword(self, node: Node) -> int:
        return self.b.new(Op.GLOBAL, node, self.b.string("import"))

    @on("call_expression")
    def call_expression(self, node: Node) -> int:
        return self.call(node, 0)

    def call(self, node: Node, flags: int) -> int:
        b = self.b
        function = node.child_by_field_name("function")
        arguments_node = node.child_by_field_name("arguments")
        receiver = NONE
        name: str | None = None
        receiver_at: Node | None = None
        if function is None:
            return self.parts(node)
        kind = function.type
        if kind == "member_expression":
            receiver_at = function.child_by_field_name("object")
            property_node = function.child_by_field_name("property")
            if receiver_at is not None and receiver_at.type == "array" and arguments_node is not None:
                joined = self._join(receiver_at, property_node, arguments_node, node)
                if joined is not None:
                    return joined
            receiver = self.value(receiver_at)
            name = "" if property_node is None else self.text(property_node)
            if arguments_node is not None and (receiver in b.texts or isinstance(b.constants.get(receiver), str)):
                return self._text_method(receiver, name, arguments_node, node, function, receiver_at)
            if arguments_node is not None and name in ARRAY_METHODS:
                result = self._array_method(receiver, name, arguments_node, node)
                if result is not None:
                    return result
            callee = b.method(receiver, name, function)
            if function.child_by_field_name("optional_chain") is not None:
                flags |= CallFlag.OPTIONAL
        elif kind == "subscript_expression":
            receiver_at = function.child_by_field_name("object")
            receiver = self.value(receiver_at)
            index = function.child_by_field_name("index")
            key = UNKNOWN_KEY if index is None else b.key_of(self.value(index))
            if key >= 0:
                name = b.unit.strings[key]
            callee = b.load(receiver, key, function)
        elif kind == "super":
            receiver_at = function
            receiver = self.super_(function)
            name = "constructor"
            callee = b.method(receiver, name, function)
        elif kind == "import" or (kind == "identifier" and self._is_require(function)):
            module = self._constant_argument(arguments_node)
            if module is not None:
                return b.import_(node, module, "*" if kind == "import" else None)
            callee = self.value(function)
        else:
            callee = self.value(function)
        if node.child_by_field_name("optional_chain") is not None:
            flags |= CallFlag.OPTIONAL
        arguments = self._arguments(arguments_node)
        result = b.call(
            node, callee, arguments, receiver=receiver, name=name, flags=int(flags), receiver_at=receiver_at
        )
        if name == "bind" and arguments_node is not None and receiver_at is not None:
            return self._bound(receiver, arguments, result, node, arguments_node)
        return result

    def _bound(self, function: int, arguments: list[Argument], called: int, node: Node, arguments_node: Node) -> int:
        """``f.bind(receiver, a)``, if ``f`` is a function: one that calls ``f`` on that receiver with ``a`` first."""
        b = self.b
        if (
            not arguments
            or any(argument.flags for argument in arguments)
            or self._items(arguments_node)[0].type in NO_RECEIVERS
        ):
            return called
        names = [f"bind {node.start_byte} {index}" for index in range(len(arguments) + 1)]
        for name, value in zip(names, [function, *(argument.value for argument in arguments)], strict=True):
            b.declare(name)
            b.write(name, value)

        def call() -> None:
            given = [b.parameter(f"argument{index}", node, index) for index in range(BOUND_PARAMETERS)]
            callee, receiver, *first = [b.read(name, node) for name in names]
            passed = [Argument(value, index, node) for index, value in enumerate([*first, *given])]
            b.return_(b.call(node, callee, passed, receiver=receiver, receiver_at=node))

        return b.phi([called, b.function(node, "bound", call, flags=int(FunctionFlag.LAMBDA))], node)

    def _array_method(self, array: int, name: str, arguments_node: Node, node: Node) -> int | None:
        """A method of an array all of whose elements are known here."""
        b = self.b
        contents = b.contents(array)
        items = self._items(arguments_node)
        if contents is None or not contents.sequence or any(item.type == "spread_element" for item in items):
            return None
        elements = list(contents.values)
        bounds = [self._bound_of(item) for item in items]
        if name in ("slice", "at") and None in bounds[:2]:
            return None
        if name == "slice":
            first, last, *_ = [*bounds, None, None]
            return b.sequence(node, elements[first:last])
        if name == "at":
            index = bounds[0] if bounds else 0
            return elements[index] if index is not None and -len(elements) <= index < len(elements) else None
        if name in ("reverse", "toReversed"):
            elements.reverse()
            if name == "toReversed":
                return b.sequence(node, elements)
            return b.replace_elements(array, elements, node)
        if name in ("pop", "shift"):
            if not elements:
                return b.constant(None, node)
            taken = elements.pop(-1 if name == "pop" else 0)
            b.replace_elements(array, elements, node)
            return taken
        values = [self.value(item) for item in items]
        if name == "push":
            b.replace_elements(array, [*elements, *values], node)
        elif name == "unshift":
            b.replace_elements(array, [*values, *elements], node)
        elif name == "join" and len(values) < 2:
            separator = values[0] if values else b.constant(",", node)
            parts: list[int] = []
            for element in elements:
                parts += [separator, element] if parts else [element]
            return b.text(node, parts)
        return b.expression(node, [])

    def _bound_of(self, node: Node) -> int | None:
        """The whole number that an argument is, or None."""
        if node.type == "unary_expression" and self._sign(node) == "-":
            inner = self._number_now(node.child_by_field_name("argument"))
            return -inner if isinstance(inner, int) else None
        number = self._number_now(node)
        return number if isinstance(number, int) else None

    def _is_require(self, node: Node) -> bool:
        return self.source[node.start_byte : node.end_byte] == b"require" and not self.b.is_declared("require")

    def _constant_argument(self, node: Node | None) -> str | None:
        """The text of a call's first argument where it is constant."""
        items = [] if node is None else self._items(node)
        if items and items[0].type in ("string", "template_string", "binary_expression"):
            constant = self.b.constants.get(self.value(items[0]))
            if isinstance(constant, str):
                return constant
        return None

    def _arguments(self, node: Node | None) -> list[Argument]:
        if node is None:
            return []
        if node.type == "template_string":
            return self._tagged(node)
        arguments: list[Argument] = []
        comment = self._comment
        for child in node.named_children:
            if child.kind_id == comment:
                continue
            if child.type == "spread_element":
                arguments.append(Argument(self._spread(child), len(arguments), child, flags=int(ArgumentFlag.SPREAD)))
            else:
                arguments.append(Argument(self.value(child), len(arguments), child))
        return arguments

    def _tagged(self, node: Node) -> list[Argument]:
        """A tag is called with the fixed texts, then the holes."""
        b = self.b
        texts, values = self._template(node)
        strings = b.container(node, [(b.key(i), b.constant(text, node)) for i, text in enumerate(texts)])
        holes = [child for child in node.named_children if child.type == "template_substitution"]
        return [
            Argument(strings, 0, node),
            *(Argument(value, index + 1, hole) for index, (value, hole) in enumerate(zip(values, holes, strict=True))),
        ]

    def _text_method(
        self, receiver: int, name: str, arguments_node: Node, node: Node, function: Node, receiver_at: Node | None
    ) -> int:
        """A method of known text: folded where everything is constant; ``concat`` is text put together."""
        b = self.b
        arguments = self._arguments(arguments_node)
        values = [argument.value for argument in arguments]
        plain = not any(argument.flags for argument in arguments)
        if name == "concat" and plain:
            return b.text(node, [receiver, *values])
        method = TEXT_METHODS.get(name)
        if method is not None and plain:
            folded = b.fold(method, [receiver, *values], node)
            if folded is None:
                folded = self._cut(receiver, name, values, node)
            if folded is not None:
                return folded
        callee = b.method(receiver, name, function)
        return b.call(node, callee, arguments, receiver=receiver, name=name, receiver_at=receiver_at)

    def _cut(self, text: int, name: str, bounds: list[int], node: Node) -> int | None:
        """What is cut from the constant beginning of a text."""
        begins = self.b.texts.get(text, "").partition("\0")[0]
        numbers = [self.b.constants.get(bound) for bound in bounds]
        if name not in ("slice", "substring") or len(numbers) != 2:
            return None
        first, last = numbers
        if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last <= len(begins)):
            return None
        return self.b.constant(begins[first:last], node)

    def _join(self, array: Node, method: Node | None, arguments: Node, node: Node) -> int | None:
        """``[a, b].join(c)``: text put together."""
        if method is None or self.text(method) != "join" or arguments.type != "arguments":
            return None
        elements = self._items(array)
        separators = self._items(arguments)
        if any(child.type == "spread_element" for child in (*elements, *separators)) or len(separators) > 1:
            return None
        values = [self.value(child) for child in elements]
        separator = self.value(separators[0]) if separators else self.b.constant(",", node)
        parts: list[int] = []
        for value in values:
            if parts:
                parts.append(separator)
            parts.append(value)
        return self.b.text(node, parts)

    @on("new_expression")
    def new_expression(self, node: Node) -> int:
        constructor = node.child_by_field_name("constructor")
        callee = self.value(constructor)
        arguments = self._arguments(node.child_by_field_name("arguments"))
        result = self.b.call(node, callee, arguments, flags=int(CallFlag.NEW))
        if arguments and constructor is not None and self.text(constructor) == "Promise":
            return self._settled(arguments[0].value, result, node)
        return result

    def _settled(self, executor: int, promise: int, node: Node) -> int:
        """``new Promise(executor)``: the executor is called with functions that settle it; a promise and what it is
        settled with are one.
        """
        b = self.b
        if b.is_declared("Promise"):
            return promise
        held, rejected = b.cell(node, "Promise"), b.cell(node, "Promise")

        def settle(cell: int) -> Callable[[], None]:
            return lambda: b.same(b.parameter("value", node, 0), cell)

        resolve = b.function(node, "resolve", settle(held), flags=int(FunctionFlag.LAMBDA))
        reject = b.function(node, "reject", settle(rejected), flags=int(FunctionFlag.LAMBDA))
        b.call(node, executor, [Argument(resolve, 0, node), Argument(reject, 1, node)])
        return b.container(node, [(b.key(RAISED), rejected)], [promise, held])

    # -- declarations and assignments ----------------------------------------------------------------------------------

    @on("lexical_declaration", "variable_declaration", "using_declaration")
    def declaration(self, node: Node) -> None:
        kind = "var" if node.type == "variable_declaration" else "let"
        for child in node.named_children:
            if child.type == "variable_declarator":
                self._declarator(child, kind)

    def _declarator(self, node: Node, kind: str) -> None:
        b = self.b
        target = node.child_by_field_name("name")
        value_node = node.child_by_field_name("value")
        if target is None:
            return
        type_node = node.child_by_field_name("type")
        type_value = NONE if type_node is None else self._type(type_node)
        plain = target.kind_id == self._identifier
        if value_node is None:
            name = self.text(target)
            if kind == "var" and b.current(name) != NONE:
                return
            value = b.new(Op.FIELD, target) if type_value != NONE else b.constant(None, target)
        elif plain:
            value = self._named_value(value_node, target)
        else:
            value = self.value(value_node)
        if type_value != NONE and b.ops[value] != Op.CONST:
            b.declare_type(value, type_value)
        if plain:
            self._bind(self.text(target), value, kind)
        else:
            self._destructure(target, value, kind)

    def _bind(self, name: str, value: int, kind: str) -> None:
        """``kind``: ``let`` for a name of the innermost block, ``var`` for one of the function, ``=`` to assign."""
        b = self.b
        if kind == "let":
            b.declare(name)
        elif kind == "var" and not b.is_declared(name):
            b.frame.declared.add(name)
        b.write(name, value)

    def _destructure(self, target: Node, value: int, kind: str) -> None:
        """Take ``value`` apart into the names (or, in assignments, the places) of a pattern."""
        b = self.b
        shape = target.type
        if shape in ("identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"):
            self._bind(self.text(target), value, kind)
        elif shape in ("object_pattern", "object"):
            for child in self._items(target):
                self._destructure_property(child, value, kind)
        elif shape in ("array_pattern", "array"):
            position = 0
            for child in target.children:
                if not child.is_named:
                    position += child.type == ","
                elif child.type in ("rest_pattern", "spread_element"):
                    contents = b.contents(value)
                    if contents is not None and contents.sequence:
                        rest = b.sequence(child, contents.values[position:])
                    else:
                        rest = b.container(child, [(UNKNOWN_KEY, b.load(value, UNKNOWN_KEY, child))])
                    self._destructure(self._items(child)[0], rest, kind)
                elif child.kind_id != self._comment:
                    self._destructure(child, b.load(value, b.key(position), child), kind)
        elif shape in ("assignment_pattern", "assignment_expression"):
            left = target.child_by_field_name("left")
            if left is not None:
                self._destructure(left, self._defaulted(value, target.child_by_field_name("right"), target), kind)
        elif shape == "parenthesized_expression":
            for child in self._items(target):
                self._destructure(child, value, kind)
        else:
            self._assign(target, value)

    def _destructure_property(self, child: Node, value: int, kind: str) -> None:
        b = self.b
        shape = child.type
        if shape in ("pair_pattern", "pair"):
            part = b.load(value, self._key(child.child_by_field_name("key")), child)
            inner = child.child_by_field_name("value")
            if inner is not None:
                self._destructure(inner, part, kind)
        elif shape in ("rest_pattern", "spread_element"):
            items = self._items(child)
            if items:
                self._destructure(items[0], b.container(child, [], [value]), kind)
        elif shape in ("object_assignment_pattern", "assignment_pattern"):
            left = child.child_by_field_name("left")
            if left is not None:
                part = b.load(value, b.key(self.text(left)), left)
                self._destructure(left, self._defaulted(part, child.child_by_field_name("right"), child), kind)
        else:
            self._destructure(child, b.load(value, b.key(self.text(child)), child), kind)

    def _defaulted(self, value: int, default: Node | None, at: Node) -> int:
        """``value``, or the default where it is undefined."""
        constant = self.b.constants.get(value, self.b)
        if constant is None:
            return self.value(default)
        return self.b.phi([value, self.value(default)], at)

    @on("assignment_expression")
    def assignment(self, node: Node) -> int:
        target = node.child_by_field_name("left")
        value_node = node.child_by_field_name("right")
        name = target
        if target is not None and target.type == "member_expression":
            name = target.child_by_field_name("property")
        elif target is not None and target.kind_id != self._identifier:
            name = None
        value = self._named_value(value_node, name)
        if target is not None:
            self._assign(target, value)
        return value

    @on("augmented_assignment_expression")
    def augmented_assignment(self, node: Node) -> int:
        b = self.b
        target = node.child_by_field_name("left")
        right_node = node.child_by_field_name("right")
        sign_node = node.child_by_field_name("operator")
        sign = "+" if sign_node is None else sign_node.type[:-1]
        mark = b.mark()
        left = self.value(target)
        if sign in ("&&", "||", "??"):
            outcome = self._is_null(left, node, mark) if sign == "??" else b.truth(left, node, mark)
            if sign == "||":
                outcome = outcome.inverted()
            value = b.choose(outcome, lambda: self.value(right_node), lambda: left, node)
        elif sign == "+":
            parts = [left]
            self._add(parts, self.value(right_node), node)
            value = parts[0] if len(parts) == 1 else b.computed(b.text(node, parts), Operator.ADD, parts)
        else:
            value = self._arithmetic(sign, left, self.value(right_node), node)
        if target is not None:
            self._assign(target, value)
        return value

    def _assign(self, target: Node, value: int) -> None:
        """Assign to a name, a member, an element or a pattern."""
        b = self.b
        kind = target.type
        if kind == "identifier":
            b.write(self.text(target), value)
        elif kind == "member_expression":
            name = target.child_by_field_name("property")
            obj_node = target.child_by_field_name("object")
            obj = self.value(obj_node)
            state = b.store(obj, UNKNOWN_KEY if name is None else b.key(self.text(name)), value, target)
            if b.frame.parent is not None and obj_node is not None and obj_node.end_byte - obj_node.start_byte <= 14:
                self._export_from_inside(obj_node, name, value, state)
        elif kind == "subscript_expression":
            obj = self.value(target.child_by_field_name("object"))
            index = target.child_by_field_name("index")
            b.store(obj, UNKNOWN_KEY if index is None else b.key_of(self.value(index)), value, target)
        elif kind in ("object_pattern", "array_pattern", "object", "array", "assignment_pattern"):
            self._destructure(target, value, "=")
        elif kind in ("parenthesized_expression", "non_null_expression", "as_expression", "satisfies_expression"):
            items = self._items(target)
            if items:
                self._assign(items[0], value)
        else:
            self.value(target)

    def _export_from_inside(self, obj: Node, name: Node | None, value: int, state: int) -> None:
        """``module.exports = …`` and ``exports.a = …`` in a function, as wrappers for several module systems do."""
        text = self.text(obj)
        if self.b.is_declared(text.partition(".")[0]):
            return
        if text == "module" and name is not None and self.text(name) == "exports":
            self.b.export("module.exports", value)
        elif text in ("exports", "module.exports"):
            self.b.export("module.exports", state)

    # -- statements ----------------------------------------------------------------------------------------------------

    @on("expression_statement")
    def expression_statement(self, node: Node) -> None:
        for child in node.named_children:
            self.handle(child)

    @on("statement_block")
    def block(self, node: Node) -> None:
        self._body(node)

    @on("if_statement")
    def if_(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        then = node.child_by_field_name("consequence")
        otherwise = node.child_by_field_name("alternative")
        outcome = self.condition(condition if condition is not None else node)
        self.b.branch(outcome, lambda: self._body(then), None if otherwise is None else lambda: self.else_(otherwise))

    @on("else_clause")
    def else_(self, node: Node) -> None:
        for child in self._items(node):
            if child.type == "if_statement":
                self.b.forget_reads()
                self.if_(child)
            else:
                self._body(child)

    @on("while_statement")
    def while_(self, node: Node, label: str | None = None) -> None:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("body")
        trips = 0 if self._holds_first(condition) is False else NONE
        self.b.loop(node, self._tested(condition), lambda: self._body(body), label=label, trips=trips)

    @on("do_statement")
    def do_(self, node: Node, label: str | None = None) -> None:
        condition = node.child_by_field_name("condition")
        body = node.child_by_field_name("body")
        self.b.loop(node, self._tested(condition), lambda: self._body(body), label=label, body_first=True)

    def _tested(self, condition: Node | None) -> Callable[[], Outcome]:
        """A loop's condition; none is always true."""
        if condition is None or condition.type == "empty_statement":
            return lambda: self.b.known(True)
        if condition.type == "expression_statement":
            items = self._items(condition)
            return lambda: self.condition(items[0]) if items else self.b.known(True)
        return lambda: self.condition(condition)

    @on("for_statement")
    def for_(self, node: Node, label: str | None = None) -> None:
        initializer = node.child_by_field_name("initializer")
        increment = node.child_by_field_name("increment")
        body = node.child_by_field_name("body")
        with self.b.scope():
            if initializer is not None:
                self.statement(initializer)
            condition = node.child_by_field_name("condition")
            rounds = self._trips(condition, increment, body)
            tested = self._tested(condition)
            counter = None if increment is None else self._counter(condition)

            def test() -> Outcome:
                outcome = tested()
                if counter is not None and (value := self.b.current(counter)) != NONE:
                    self.b.set_index(value)
                return outcome

            self.b.loop(
                node,
                test,
                lambda: self._body(body),
                step=None if increment is None else lambda: self.statement(increment),
                label=label,
                trips=rounds,
            )

    def _counter(self, condition: Node | None) -> str | None:
        """The variable that a loop's condition compares with something."""
        items = [] if condition is None else self._items(condition)
        left = items[0].child_by_field_name("left") if items and items[0].kind_id == self._binary else None
        if condition is not None and condition.kind_id == self._binary:
            left = condition.child_by_field_name("left")
        return self.text(left) if left is not None and left.kind_id == self._identifier else None

    def _holds_first(self, condition: Node | None) -> bool | None:
        """Whether a loop's condition, a comparison of constants, holds when the loop is reached; None: not known."""
        while condition is not None and condition.type in ("parenthesized_expression", "expression_statement"):
            items = self._items(condition)
            condition = items[0] if items else None
        if condition is None or condition.kind_id != self._binary:
            return None
        compare = ORDERS.get(self._sign(condition)) or EQUALS.get(self._sign(condition))
        left = self._number_now(condition.child_by_field_name("left"))
        right = self._number_now(condition.child_by_field_name("right"))
        return None if compare is None or left is None or right is None else compare(left, right)

    def _number_now(self, node: Node | None) -> int | float | None:
        """The number that a variable holds here, or that a literal is."""
        if node is None:
            return None
        if node.type == "number":
            text = self.text(node)
            return int(text) if text.isdigit() and len(text) < 10 else None
        if node.kind_id != self._identifier or self.text(node) in self.b.cell_names:
            return None
        constant = self.b.constants.get(self.b.current(self.text(node)))
        return constant if isinstance(constant, (int, float)) and not isinstance(constant, bool) else None

    def _trips(self, condition: Node | None, increment: Node | None, body: Node | None) -> int:
        """How many rounds a counting loop takes if nothing breaks, NONE where it is not known."""
        first = self._holds_first(condition)
        if condition is None or first is None:
            return NONE
        if not first:
            return 0
        counter = condition.child_by_field_name("left")
        bound = self._number_now(condition.child_by_field_name("right"))
        start = self._number_now(counter)
        compare = ORDERS.get(self._sign(condition))
        if increment is None or counter is None or start is None or bound is None or compare is None or body is None:
            return NONE
        name = self.text(counter)
        step = self._step(increment, name)
        text = self.source[body.start_byte : body.end_byte].decode("utf-8", "replace")
        names = [name, *([self.text(right)] if (right := condition.child_by_field_name("right")) is not None else [])]
        if step is None or any(
            re.search(ASSIGNED.replace("NAME", re.escape(each)), text) for each in names if each.isidentifier()
        ):
            return NONE
        return trips(start, step, bound, self._sign(condition))

    def _step(self, increment: Node, name: str) -> int | float | None:
        """What ``i++`` or ``i += 2`` adds to ``name``."""
        target = increment.child_by_field_name("argument") or increment.child_by_field_name("left")
        if target is None or self.text(target) != name:
            return None
        sign = self._sign(increment)
        amount = self._number_now(increment.child_by_field_name("right"))
        steps = {"++": 1, "--": -1, "+=": amount, "-=": None if amount is None else -amount}
        return steps.get(sign)

    @on("for_in_statement")
    def for_in(self, node: Node, label: str | None = None) -> None:
        b = self.b
        target = node.child_by_field_name("left")
        kind_node = node.child_by_field_name("kind")
        kind = "=" if kind_node is None else "var" if kind_node.type == "var" else "let"
        sign = node.child_by_field_name("operator")
        right = self.value(node.child_by_field_name("right"))
        body = node.child_by_field_name("body")

        def round_() -> None:
            b.forget_reads()
            at = node if target is None else target
            over_keys = sign is not None and sign.type == "in"
            element = b.keys(right, at) if over_keys else b.load(right, UNKNOWN_KEY, at)
            if target is not None:
                self._destructure(target, element, kind)
            self._body(body)

        with b.scope():
            b.loop(node, None, round_, label=label, over=right)

    @on("labeled_statement")
    def labelled(self, node: Node) -> None:
        label_node = node.child_by_field_name("label")
        body = node.child_by_field_name("body")
        if label_node is None or body is None:
            return
        label = self.text(label_node)
        loops = {
            "for_statement": self.for_,
            "for_in_statement": self.for_in,
            "while_statement": self.while_,
            "do_statement": self.do_,
        }
        loop = loops.get(body.type)
        if loop is not None:
            loop(body, label)
            return
        with self.b.breakable(body, label):
            self._body(body)

    @on("break_statement")
    def break_(self, node: Node) -> None:
        label = node.child_by_field_name("label")
        self.b.break_(None if label is None else self.text(label))

    @on("continue_statement")
    def continue_(self, node: Node) -> None:
        label = node.child_by_field_name("label")
        self.b.continue_(None if label is None else self.text(label))

    @on("switch_statement")
    def switch(self, node: Node) -> None:
        b = self.b
        mark = b.mark()
        subject_node = node.child_by_field_name("value")
        typed = self._typeof(subject_node)
        subject = self.value(subject_node) if typed is None else typed
        reads = list(b.reads[mark:])
        body = node.child_by_field_name("body")
        cases = [] if body is None else [c for c in self._items(body) if c.type in ("switch_case", "switch_default")]
        outcomes: list[Outcome | None] = []
        possible = True
        with b.scope():
            for case in cases:
                value_node = case.child_by_field_name("value")
                if value_node is None:
                    outcomes.append(None)
                    continue
                outcome = Outcome(None, {})
                if possible:
                    b.reads[mark:] = reads
                    if b.constants.get(subject) is True:
                        outcome = self.condition(value_node)
                    elif typed is not None:
                        outcome = b.test(Test.IS, typed, self.value(value_node), case, mark)
                    else:
                        outcome = self._equal(subject, self.value(value_node), case, mark)
                    possible = outcome.false is not None
                outcomes.append(outcome)
            anything = Outcome({} if possible else None, {})
            arms = [
                (anything if outcome is None else outcome, lambda case=case: self._case(case))
                for outcome, case in zip(outcomes, cases, strict=True)
            ]
            b.switch(node, arms, complete=not possible or None in outcomes)

    def _case(self, case: Node) -> None:
        self.statements(case.children_by_field_name("body"))

    @on("try_statement")
    def try_(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        handler = node.child_by_field_name("handler")
        final = node.child_by_field_name("finalizer")

        def handle(exception: int) -> None:
            assert handler is not None
            parameter = handler.child_by_field_name("parameter")
            with self.b.scope():
                if parameter is not None:
                    self._destructure(parameter, exception, "let")
                self._body(handler.child_by_field_name("body"))

        def finish() -> None:
            assert final is not None
            self._body(final.child_by_field_name("body"))

        self.b.attempt(
            node,
            lambda: self._body(body),
            [] if handler is None else [handle],
            final=None if final is None else finish,
        )

    @on("throw_statement")
    def throw(self, node: Node) -> None:
        items = self._items(node)
        self.b.raise_(self.value(items[0]) if items else None)

    @on("return_statement")
    def return_(self, node: Node) -> None:
        items = self._items(node)
        self.b.return_(self.value(items[0]) if items else None)

    @on("with_statement")
    def with_(self, node: Node) -> None:
        self.value(node.child_by_field_name("object"))
        self._body(node.child_by_field_name("body"))

    # -- functions -----------------------------------------------------------------------------------------------------

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
        name_node = node.child_by_field_name("name")
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
        body = node.child_by_field_name("body")
        parameters = node.child_by_field_name("parameters")
        only = node.child_by_field_name("parameter")
        returns = node.child_by_field_name("return_type")
        context = owner if owner != NONE else self._owner
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
            if named_inside and name not in b.frame.declared:
                b.declare(name)
                b.write(name, value)
            if first in self._vars:
                b.frame.declared.update(self._vars[first])
            if only is not None:
                b.parameter(self.text(only), only, 0)
            elif parameters is not None:
                self._parameters(parameters, class_value)
            if not arrow and body is not None and self.source.find(b"arguments", body.start_byte, body.end_byte) >= 0:
                self._arguments_object(node)
            if returns is not None:
                type_value = self._type(returns)
                if type_value != NONE:
                    b.declare_type(b.frame.result, type_value)
            for variable in self._loop_vars.get(first, ()):
                if b.current(variable) == NONE:
                    b.write(variable, b.constant(None, node))
            if prologue is not None:
                prologue()
            if body is None:
                pass
            elif body.type == "statement_block":
                self.statements(body.named_children)
            else:
                b.return_(self.value(body))
            self._owner = saved

        value = b.function(node, name, lower, flags=int(flags), owner=owner, name_at=name_node or node)
        return value

    def _parameters(self, node: Node, class_value: int) -> None:
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
                target = child.child_by_field_name("pattern")
                default = child.child_by_field_name("value")
                type_node = child.child_by_field_name("type")
                if target is None or target.type == "this":
                    continue
                if type_node is not None:
                    type_value = self._type(type_node)
            elif kind == "assignment_pattern":
                target = child.child_by_field_name("left")
                default = child.child_by_field_name("right")
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
        for name, value, type_value, at in properties:
            b.store(b.read("this", at), b.key(name), value, at)
            if class_value != NONE and type_value != NONE:
                b.field(class_value, name, type_value, at)

    def _arguments_object(self, node: Node) -> None:
        """``arguments``: what the parameters hold, and what was passed beyond them."""
        b = self.b
        if b.is_declared("arguments"):
            return
        known = [p.value for p in b.frame.parameters if b.current("this") != p.value]
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
            elif child.type == "get":
                flags |= FunctionFlag.PROPERTY
            elif child.type == "set":
                flags |= FunctionFlag.SETTER
        if owner != NONE and self._declared_name(node) == "constructor":
            flags |= FunctionFlag.CONSTRUCTOR
        return self._function(node, flags=int(flags), owner=owner, prologue=prologue, class_value=class_value)

    # -- classes -------------------------------------------------------------------------------------------------------

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
        body = node.child_by_field_name("body")
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
        if constructor is not None or any(f.child_by_field_name("value") is not None for f in fields):
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
                bases += [self.value(base) for base in child.children_by_field_name("value")]
            elif child.type == "implements_clause":
                bases += [base for part in self._items(child) if (base := self._type(part)) != NONE]
            else:
                bases.append(self.value(child))
        return bases

    def _class_method(self, node: Node, class_value: int, owner: int, decorators: list[Node]) -> None:
        name = node.child_by_field_name("name")
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
        return node.child_by_field_name("property") or node.child_by_field_name("name")

    def _static_field(self, node: Node, class_value: int) -> None:
        name_node = self._field_name(node)
        value_node = node.child_by_field_name("value")
        name = self._member_name(name_node)
        if name is not None and value_node is not None:
            self.b.member(class_value, name, self._named_value(value_node, name_node))

    def _declared_field(self, node: Node, class_value: int, decorators: list[Node]) -> None:
        """What is known of an instance field when the class is made: its type, and who decorates it."""
        type_node = node.child_by_field_name("type")
        type_value = NONE if type_node is None else self._type(type_node)
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
            self._body(node.child_by_field_name("body"))

    def _constructor(
        self, node: Node | None, fields: list[Node], class_value: int, owner: int, at: Node, *, inherits: bool
    ) -> None:
        """The constructor with the fields' initial values; made up where there is none."""
        b = self.b

        def store_fields() -> None:
            for field in fields:
                value_node = field.child_by_field_name("value")
                name_node = self._field_name(field)
                if value_node is None or name_node is None:
                    continue
                b.forget_reads()
                value = self._named_value(value_node, name_node)
                key = self._key(name_node)
                b.store(b.read("this", field), key, value, field)
                if key >= 0 and b.ops[value] == Op.FUNCTION:
                    b.member(class_value, b.unit.strings[key], value)

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

    # -- modules -------------------------------------------------------------------------------------------------------

    @on("import_statement")
    def import_(self, node: Node) -> None:
        b = self.b
        source = node.child_by_field_name("source")
        for child in node.named_children:
            if child.type == "import_require_clause":
                required = child.child_by_field_name("source")
                items = self._items(child)
                if required is not None and items:
                    self._bind(self.text(items[0]), b.import_(child, self._string_text(required)), "let")
                return
        if source is None:
            return
        module = self._string_text(source)
        clauses = [child for child in node.named_children if child.type == "import_clause"]
        if not clauses:
            b.import_(node, module)
        for child in self._items(clauses[0]) if clauses else ():
            kind = child.type
            if kind == "identifier":
                self._bind(self.text(child), b.import_(child, module, "default"), "let")
            elif kind == "namespace_import":
                self._bind(self.text(self._items(child)[-1]), b.import_(child, module, "*"), "let")
            elif kind == "named_imports":
                for specifier in self._items(child):
                    name, alias = self._specifier(specifier)
                    if name is not None and alias is not None:
                        self._bind(alias, b.import_(specifier, module, name), "let")

    def _specifier(self, node: Node) -> tuple[str | None, str | None]:
        """``name as alias`` of an import or export."""
        name = node.child_by_field_name("name")
        alias = node.child_by_field_name("alias")
        if name is None:
            return None, None
        text = self._string_text(name) if name.type == "string" else self.text(name)
        if alias is None:
            return text, text
        return text, self._string_text(alias) if alias.type == "string" else self.text(alias)

    @on("export_statement")
    def export(self, node: Node) -> None:
        b = self.b
        default = any(child.type == "default" for child in node.children if not child.is_named)
        source = node.child_by_field_name("source")
        declaration = node.child_by_field_name("declaration")
        value_node = node.child_by_field_name("value")
        if declaration is not None:
            decorators = [child for child in node.named_children if child.type == "decorator"]
            if declaration.type in ("class_declaration", "abstract_class_declaration"):
                value: int | None = self._class_declaration(declaration, decorators)
            else:
                value = self.handle(declaration)
            if default and value is not None:
                b.export("default", value)
            for exported in self._exported_names(node):
                b.export(EXPORTED + exported, b.current(exported))
        elif value_node is not None:
            b.export("default", self._named_value(value_node, None))
        elif source is not None:
            self._reexport(node, self._string_text(source))
        else:
            for child in self._items(node):
                if child.type == "export_clause":
                    for specifier in self._items(child):
                        name, alias = self._specifier(specifier)
                        if name is not None and alias is not None:
                            value = b.read(name, specifier)
                            b.export(EXPORTED + alias, value)
                            if name != alias:
                                b.export(alias, value)
                elif any(part.type == "=" for part in node.children):
                    b.export("module.exports", self.value(child))

    def _exported_names(self, statement: Node) -> list[str]:
        if statement.type != "export_statement":
            return []
        declaration = statement.child_by_field_name("declaration")
        if declaration is None:
            return []
        name = self._declared_name(declaration)
        if name is not None:
            return [name.partition(".")[0]]
        return [
            name
            for child in declaration.named_children
            if child.type == "variable_declarator" and (target := child.child_by_field_name("name")) is not None
            for name in self._pattern_names(target)
        ]

    def _reexport(self, node: Node, module: str) -> None:
        b = self.b
        named = False
        for child in self._items(node):
            if child.type == "export_clause":
                named = True
                for specifier in self._items(child):
                    name, alias = self._specifier(specifier)
                    if name is not None and alias is not None:
                        value = b.import_(specifier, module, name)
                        b.export(alias, value)
                        b.export(EXPORTED + alias, value)
            elif child.type == "namespace_export":
                named = True
                target = self._items(child)[-1]
                name = self._string_text(target) if target.type == "string" else self.text(target)
                b.export(name, b.import_(child, module, "*"))
        if not named:
            b.export("*", b.import_(node, module, "*"))

    # -- JSX -----------------------------------------------------------------------------------------------------------

    @on("jsx_element", "jsx_self_closing_element")
    def jsx(self, node: Node) -> int:
        """An element is what its component makes of attributes and children; of a plain tag, an object with them."""
        b = self.b
        opening = node.child_by_field_name("open_tag") or node
        name = opening.child_by_field_name("name")
        items: list[tuple[int, int]] = []
        spreads: list[int] = []
        for attribute in opening.children_by_field_name("attribute"):
            self._jsx_attribute(attribute, items, spreads)
        if opening is not node:
            children = [
                value
                for child in self._items(node)
                if child.type not in ("jsx_opening_element", "jsx_closing_element")
                and (value := self.handle(child)) is not None
            ]
            if children:
                content = children[0]
                if len(children) > 1:
                    content = b.container(node, [(b.key(i), child) for i, child in enumerate(children)])
                items.append((b.key("children"), content))
        properties = b.container(opening, items, spreads)
        if name is None or (name.type == "identifier" and self.source[name.start_byte : name.start_byte + 1].islower()):
            if any(key == b.key("dangerouslySetInnerHTML") for key, _ in items):
                # what compilers make of an element: markup in it is the rules' business, as in a call of one's own
                runtime = b.import_(node, "react/jsx-runtime", "jsx")
                tag = b.constant(self.text(name) if name is not None else "", node)
                b.call(node, runtime, [Argument(tag, 0, opening), Argument(properties, 1, opening)])
            return properties
        if name.type == "jsx_namespace_name":
            return properties
        return b.call(node, self.value(name), [Argument(properties, 0, opening)])

    def _jsx_attribute(self, node: Node, items: list[tuple[int, int]], spreads: list[int]) -> None:
        b = self.b
        parts = self._items(node)
        if node.type == "jsx_expression":
            for part in parts:
                value = self.value(part)
                if items:
                    spreads[:] = [b.container(node, items, spreads)]
                    items.clear()
                spreads.append(value)
        elif parts:
            value = self.value(parts[1]) if len(parts) > 1 else b.constant(True, node)
            items.append((b.key(self.text(parts[0])), value))

    @on("jsx_expression")
    def jsx_expression(self, node: Node) -> int | None:
        value: int | None = None
        for child in self._items(node):
            value = self.handle(child)
        return value

    # -- types ---------------------------------------------------------------------------------------------------------

    def _type(self, node: Node) -> int:
        """The value that names a declared type, or NONE where it names nothing of use."""
        return NONE


class TypeScript(JavaScript):
    """Lowers one file of TypeScript."""

    ignored = (
        *JavaScript.ignored,
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
            arguments = node.child_by_field_name("type_arguments")
            inner = [] if arguments is None else self._items(arguments)
            if inner and self.text(items[0]) in WRAPPERS:
                return self._type(inner[0])
            return self._type(items[0])
        if kind == "union_type":
            return self._union(node)
        return NONE

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
        if (
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
        self._declared_type(node, node.child_by_field_name("body"), bases)

    @on("type_alias_declaration")
    def type_alias(self, node: Node) -> None:
        value = node.child_by_field_name("value")
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
            self._bind(name, type_value, "let")

    def _declared_type(self, node: Node, body: Node | None, bases: list[int]) -> None:
        """A type with typed fields."""
        b = self.b
        name = self._declared_name(node) or ""
        value, _ = b.class_(node, name, bases)
        self._bind(name, value, "let")
        for child in [] if body is None else self._items(body):
            if child.type == "property_signature":
                type_node = child.child_by_field_name("type")
                type_value = NONE if type_node is None else self._type(type_node)
                field = self._member_name(child.child_by_field_name("name"))
                if field is not None and type_value != NONE:
                    b.field(value, field, type_value, child)

    @on("enum_declaration")
    def enum(self, node: Node) -> int:
        b = self.b
        body = node.child_by_field_name("body")
        items: list[tuple[int, int]] = []
        following: Constant = 0
        for child in [] if body is None else self._items(body):
            if child.type == "enum_assignment":
                value = self.value(child.child_by_field_name("value"))
                key = self._key(child.child_by_field_name("name"))
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
        name_node = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
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


def _is_number(constant: object) -> bool:
    return isinstance(constant, (int, float)) and not isinstance(constant, bool)


def _is_pattern(text: object) -> bool:
    return isinstance(text, str) and len(text) > 1 and text.startswith("/")


def _is_static(node: Node) -> bool:
    return any(child.type == "static" for child in node.children if not child.is_named)


def _refuse() -> Constant:
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
