"""Calls: of functions, methods, built-in functions, and conversions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import KEYS, NONE, SENT, UNKNOWN_KEY, CallFlag, Op
from pyrograph.parsers.builder import Argument, Constant
from pyrograph.parsers.frontend import on
from pyrograph.parsers.go.syntax.expressions import Expressions
from pyrograph.parsers.go.syntax.names import NUMERIC, TEXTUAL, first_of
from pyrograph.parsers.nodes import children_of

# Standard functions after which control does not come back.
NEVER_RETURN: Final = {
    "os": frozenset(("Exit",)),
    "log": frozenset(("Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln")),
    "runtime": frozenset(("Goexit",)),
}
# Functions whose result is an error, never nil, by import path without its version. A name alone does not say so: a
# package of the program may have a ``NewError`` that returns nil, and so may one that wraps the error it is given.
NEVER_NIL: Final = {
    "errors": frozenset(("New",)),
    "fmt": frozenset(("Errorf",)),
    "golang.org/x/xerrors": frozenset(("New", "Errorf")),
    "github.com/pkg/errors": frozenset(("New", "Errorf")),
    "github.com/labstack/echo": frozenset(("NewHTTPError",)),
    "github.com/gofiber/fiber": frozenset(("NewError",)),
    "connectrpc.com/connect": frozenset(("NewError",)),
}
# The same, unless the first argument, a code, says that all is well.
NEVER_NIL_BY_CODE: Final = {"google.golang.org/grpc/status": frozenset(("Error", "Errorf"))}
_WELL: Final = "OK"
# Functions of ``fmt`` that fill a format: the position of the format.
FORMATTING: Final = {"Sprintf": 0, "Printf": 0, "Errorf": 0, "Fprintf": 1, "Appendf": 1}
_VERSION = re.compile(r"/v[0-9]+$")
NUMBER_VERBS: Final = "dboOxXeEfFgGtp"  # numbers, truth values, addresses; "%x" of a text are digits, too
_VERB = re.compile(r"%[-+# 0]*[0-9]*(?:\.[0-9]+)?[%a-zA-Z]")
_INDEXED = re.compile(r"%[-+# 0-9.*]*[\[*]")  # "%[2]s" names its argument, "%*d" takes two


class Calls(Expressions):
    """Calls, and what is written like one."""

    @on("call_expression")
    def call(self, node: Node) -> int:
        return self._call(node, 0)

    def _call(self, node: Node, flags: int) -> int:
        function = node.child_by_field_id(self.FUNCTION)
        arguments = node.child_by_field_id(self.ARGUMENTS)
        if function is None:
            return self.parts(node)
        nodes = [] if arguments is None else children_of(arguments)
        value = self._call_parts(node, function, nodes, flags)
        return value if flags & CallFlag.MULTI else self._of_type_argument(value, node)

    def _of_type_argument(self, value: int, node: Node) -> int:
        """What ``f[T](x)`` returns is a T where ``f`` says so."""
        static = self._instantiated_results(node, 1)[0]
        return value if static is None else self._typed(value, static.type)

    def _yield(self, node: Node, function: Node, nodes: Sequence[Node]) -> int:
        """An iterator hands out values: it calls its parameter, and they are elements of what it returns. The answer is
        that more are wanted.
        """
        b = self.b
        values = [self.value(each) for each in nodes]
        arguments = [Argument(value, index, at) for index, (value, at) in enumerate(zip(values, nodes, strict=True))]
        b.call(node, b.read(self.text(function), function), arguments)
        if values:
            b.yield_(values[0], node, key=b.key(KEYS))
            b.yield_(values[-1], node)
        return b.constant(True, node)

    def _call_parts(self, node: Node, function: Node, nodes: Sequence[Node], flags: int) -> int:
        b = self.b
        kind = function.type
        while kind == "parenthesized_expression" and (inner := first_of(function)) is not None:
            function = inner
            kind = function.type
        if kind == "index_expression" and (inner := self._instantiated(function)) is not None:
            function = inner
            kind = function.type
        if kind == "identifier" or kind == "type_identifier":
            name = self.text(function)
            if (name in _BUILTINS or name in self.named) and not self._is_variable(name):
                special = _BUILTINS.get(name, Calls._named_conversion)
                result = special(self, node, function, nodes)
                if result is not None:
                    return result
            if name == self.here.yields != "":
                return self._yield(node, function, nodes)
            mark = len(b.reads)
            is_local = name in self.variables or self._is_local(name)
            callee = b.read(name, function) if is_local else self._fixed(name, function)
            del b.reads[mark:]  # which function is called is nothing that a condition says
            arguments = self._arguments(nodes, 0 if is_local else self.wanted.get(("function_declaration", name), 0))
            if name == "append" and self._appends(nodes, arguments):
                known = b.contents(arguments[0].value)
                assert known is not None
                return b.sequence(node, [*known.values, *(each.value for each in arguments[1:])])
            result = b.call(node, callee, arguments, flags=flags)
            if name == "append" and len(nodes) > 1 and nodes[-1].type != "variadic_argument":
                b.fill(result)
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

    def _appends(self, nodes: Sequence[Node], arguments: Sequence[Argument]) -> bool:
        """Whether a call of the built-in ``append`` adds single values to a list whose elements are known."""
        if self._is_variable("append") or len(nodes) < 2 or len(arguments) != len(nodes):
            return False
        if any(each.type == "variadic_argument" for each in nodes):
            return False
        known = self.b.contents(arguments[0].value)
        return known is not None and known.sequence

    def _instantiated(self, node: Node) -> Node | None:
        """``f`` of ``f[int]`` where that must be a function's instantiation."""
        operand = node.child_by_field_id(self.OPERAND)
        if operand is None:
            return None
        if operand.type == "identifier" and self._is_generic(operand):
            return operand
        index = node.child_by_field_id(self.INDEX)
        if index is None:
            return None
        if index.type.endswith("_type") or self.text(index) in NUMERIC | TEXTUAL:
            return operand
        return operand if self._is_of_package(operand) and self._names_type(index) else None

    def _is_of_package(self, node: Node) -> bool:
        """Whether ``f`` or ``pkg.f`` is declared by a package, and is no variable of this file."""
        if node.type == "selector_expression":
            package = node.child_by_field_id(self.OPERAND)
            return package is not None and self._package(package) is not None
        name = self.text(node)
        return node.type == "identifier" and not self._is_local(name) and name not in self.variables

    def _names_type(self, node: Node) -> bool:
        """Whether the index of what a package declares is a type: a table of functions there is indexed by a variable,
        or by a constant of this file.
        """
        if node.type == "selector_expression":
            package, field = node.child_by_field_id(self.OPERAND), node.child_by_field_id(self.FIELD)
            if package is None or field is None or self._package(package) is None:
                return False
            return self.text(field)[:1].isupper()
        if node.type != "identifier":
            return False
        name = self.text(node)
        if name in self.named:
            return not self._is_variable(name)
        if self._is_local(name) or name in self.variables:
            return False
        known = self.b.current(name)
        return known == NONE or self.b.ops[known] == Op.GLOBAL

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
            arguments = self._arguments(nodes, self.wanted.get(("method_declaration", name), 0))
            result = b.call(node, callee, arguments, receiver=obj, name=name, flags=flags, receiver_at=operand)
            self._sent_by_callee(nodes)
            return result
        callee = self._qualified(operand, name_node, function)
        arguments = self._arguments(nodes)
        if path == "fmt" and name in FORMATTING:
            arguments = self._quoted(nodes, arguments, FORMATTING[name])
        result = b.call(node, callee, arguments, flags=flags)
        if path in NEVER_RETURN and name in NEVER_RETURN[path] and not flags & CallFlag.DEFERRED:
            b.raise_(None)
        elif path == "fmt" and name == "Sprintf" and nodes:
            self._describe_template(result, nodes, arguments)
        elif self._makes_error(path, name, nodes):
            b.truths[result] = b.known(True)
        return result

    def _makes_error(self, path: str, name: str, nodes: Sequence[Node]) -> bool:
        """Whether a function of a package makes an error, never nil."""
        path = _VERSION.sub("", path)
        if name in NEVER_NIL.get(path, ()):
            return True
        if not nodes or name not in NEVER_NIL_BY_CODE.get(path, ()) or nodes[0].type != "selector_expression":
            return False
        package, code = (nodes[0].child_by_field_id(field) for field in (self.OPERAND, self.FIELD))
        if package is None or code is None or self._package(package) is None:
            return False
        return self.text(code) != _WELL

    def _describe_template(self, result: int, nodes: Sequence[Node], arguments: Sequence[Argument]) -> None:
        """The text that ``fmt.Sprintf`` makes, where its format is constant and takes its arguments in order.

        A format with a name may be the constant of another file: it is a hole as well, which linking may fill.
        """
        if any(node.type == "variadic_argument" for node in nodes) or len(arguments) != len(nodes):
            return
        raw = self.b.constants.get(arguments[0].value)
        if not isinstance(raw, str):
            if nodes[0].type in ("identifier", "selector_expression"):
                self.b.describe(result, "\0" * len(nodes))
            return
        skeleton = _VERB.sub(lambda verb: "%" if verb.group() == "%%" else "\0", raw)
        if not _INDEXED.search(raw) and skeleton.count("\0") == len(nodes) - 1:
            self.b.describe(result, skeleton)

    def _quoted(self, nodes: Sequence[Node], arguments: list[Argument], at: int) -> list[Argument]:
        """The ``arguments``, as the constant format at ``at`` writes each: by "%q" as a literal, by "%d" as a number.

        A text that such a format is given as a number is an error that ``go vet`` finds, and no attack.
        """
        raw = self.b.constants.get(arguments[at].value) if len(arguments) == len(nodes) > at else None
        if not isinstance(raw, str) or "%" not in raw or _INDEXED.search(raw):
            return arguments
        verbs = [verb.group() for verb in _VERB.finditer(raw) if verb.group() != "%%"]
        quoted = list(arguments)
        for index, verb in enumerate(verbs, at + 1):
            if index >= len(nodes) or nodes[index].type == "variadic_argument":
                break
            function = "Quote" if verb[-1] == "q" else "FormatInt" if verb[-1] in NUMBER_VERBS else ""
            if function:
                written = self._converted(function, arguments[index].value, nodes[index])
                quoted[index] = Argument(written, arguments[index].position, nodes[index])
        return quoted

    def _converted(self, function: str, value: int, node: Node) -> int:
        """``value`` as a function of ``strconv`` writes it."""
        convert = self.b.import_(node, "strconv", function)
        return self.b.call(node, convert, [Argument(value, 0, node)], changes=False)

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

    def _arguments(self, nodes: Sequence[Node], wanted: int = 0) -> list[Argument]:
        """``wanted``: how many arguments the callee takes, where that is known."""
        arguments: list[Argument] = []
        if len(nodes) == 1 and nodes[0].type == "call_expression":
            several = self._several(nodes[0], wanted)
            if several is not None:
                return several
        for node in nodes:
            if node.type == "variadic_argument":
                arguments += self.spread(self.value(first_of(node)), len(arguments), node)
            else:
                value = self.value(node)
                if value in self.b.constants:
                    self._declare_constant(value, self._type_of_constant(node))
                arguments.append(Argument(value, len(arguments), node))
        return arguments

    def _several(self, node: Node, wanted: int) -> list[Argument] | None:
        """``f(g())`` where ``g`` returns several values: each is an argument, as many as ``f`` wants."""
        function = node.child_by_field_id(self.FUNCTION)
        count = wanted
        if function is not None and function.type == "identifier" and not self._is_local(self.text(function)):
            count = self.results.get(self.text(function), wanted)
        if count < 2:
            return None
        b = self.b
        result = self._call(node, int(CallFlag.MULTI))
        return [Argument(b.load(result, b.key(i), node), i, node) for i in range(count)]

    # -- built-in functions and conversions

    def _named_conversion(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        if len(nodes) != 1:
            return None
        return self._convert(function, self.value(nodes[0]), node)

    def _len(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """The length of a constant is known; otherwise an ordinary call, which changes nothing."""
        if len(nodes) != 1:
            return None
        b = self.b
        value = self.value(nodes[0])
        folded = b.fold(_length, (value,), node)
        if folded is not None:
            return folded
        size = b.call(node, self._fixed("len", function), [Argument(value, 0, nodes[0])], changes=False)
        b.measure(size, value)
        return size

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
            b.same(parent.boundary.raised, value)
        return value

    def _make(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """A new object of the type; ``new`` and ``make`` differ in nothing that is seen here, but for values."""
        b = self.b
        sizes = [Argument(self.value(other), i, other) for i, other in enumerate(nodes[1:], 1)]
        if any(size.value not in b.constants for size in sizes):
            b.call(node, self._fixed("make", function), sizes)
        value = b.container(node, [])
        type_node = nodes[0] if nodes else None
        if type_node is not None and type_node.type == "channel_type":
            self.channels.add(value)
            value = b.store(value, UNKNOWN_KEY, b.cell(node, SENT), node)
        type_value = self.type_value(type_node)
        if type_value != NONE:
            b.declare_type(value, type_value)
        return value

    def _new(self, node: Node, function: Node, nodes: Sequence[Node]) -> int | None:
        """``new(T)``, or since Go 1.26 a pointer to a copy of a value, ``new(x.Name)``."""
        value = self._value_in(nodes[0]) if len(nodes) == 1 else NONE
        if value == NONE:
            return self._make(node, function, nodes)
        return self.b.container(node, []) if value in self.b.constants else self._copy(value, node)

    def _value_in(self, node: Node) -> int:
        """The value of an argument that the grammar may have read as a type; NONE if it is a type."""
        b = self.b
        while node.type == "pointer_type" and (inner := first_of(node)) is not None:
            node = inner
        kind = node.type
        if kind == "type_identifier":
            name = self.text(node)
            return b.read(name, node) if self._is_variable(name) else NONE
        if kind == "qualified_type":
            parts = children_of(node)
            name = self.text(parts[0]) if len(parts) == 2 else ""
            if not self._is_variable(name):
                return NONE
            return b.load(b.read(name, parts[0]), b.key(self.text(parts[1])), node)
        return NONE if kind.endswith("_type") else self.value(node)

    @on("type_conversion_expression")
    def type_conversion(self, node: Node) -> int:
        """``[]byte(x)``; the grammar also reads the calls ``f[T](x)`` and ``table[name](x)`` so."""
        type_node = node.child_by_field_id(self.TYPE)
        operand = node.child_by_field_id(self.OPERAND)
        if type_node is not None and type_node.type == "generic_type":
            inner = type_node.child_by_field_id(self.TYPE)
            if inner is not None and operand is not None:
                callee = self._element_called(type_node, inner)
                if callee is not None:
                    return self.b.call(node, callee, self._arguments([operand]))
                if self._base_name(inner) not in self.named:
                    return self._of_type_argument(self._call_parts(node, inner, [operand], 0), node)
        return self._convert(type_node, self.value(operand), node)

    def _element_called(self, indexed: Node, holder: Node) -> int | None:
        """``table[name]`` of ``table[name](x)``, where the table or the name is a variable."""
        b = self.b
        index = children_of(indexed)[-1]
        while len(inner := children_of(index)) == 1:
            index = inner[0]
        if index.type != "type_identifier" or holder.type not in ("type_identifier", "qualified_type"):
            return None
        names = [self.text(part) for part in children_of(holder) or [holder]]
        key = self.text(index)
        first = names[0]
        if not (self._is_local(key) or self._is_local(first) or first in self.variables):
            return None
        value = b.read(first, holder)
        for name in names[1:]:
            value = b.load(value, b.key(name), holder)
        return b.load(value, b.key_of(b.read(key, index)), indexed)


_BUILTINS: Final[dict[str, Callable[[Calls, Node, Node, Sequence[Node]], int | None]]] = {
    "delete": Calls._delete,
    "len": Calls._len,
    "panic": Calls._panic,
    "recover": Calls._recover,
    "make": Calls._make,
    "new": Calls._new,
    **dict.fromkeys(sorted(NUMERIC | TEXTUAL), Calls._named_conversion),
}


def _length(value: Constant) -> Constant:
    if not isinstance(value, str):
        raise TypeError("no text")
    return len(value.encode("utf-8", "surrogatepass"))
