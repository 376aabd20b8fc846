"""Methods that are called on another object than the one that they are read from: ``[].slice.call(arguments, 1)``.

* ``[].map``, ``"".trim`` and ``{}.toString`` that are not called at once are read from the prototype:
  ``Array.prototype.map``.
* ``list.push.apply(list, more)`` is ``list.push(...more)``, and ``list.push.call(list, a)`` is ``list.push(a)``.
* ``slice.call(list, n)`` is a slice of the list, where ``slice`` is that of arrays.
* ``(async () => {}).constructor`` is read from the function's prototype: it is ``Function``.
* ``JSON.parse(JSON.stringify(value))`` is ``structuredClone(value)``.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import OPEN
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.javascript.syntax.compiled import Compiled

PROTOTYPES: Final = {"array": "Array", "string": "String", "object": "Object"}  # of literals
FUNCTIONS: Final = frozenset(
    ["function_expression", "arrow_function", "generator_function", "function", "function_declaration"]
)  # written as values
VARIABLES: Final = frozenset(["identifier", "this"])
ADDING: Final = frozenset(["push", "unshift", "add", "set"])  # afterwards, the receiver is not empty


class Borrowed(Compiled):
    """Reads and calls of methods that are not called on the object that they are read from."""

    _slices: frozenset[int] = frozenset()  # values that are the method ``slice`` of arrays

    def prototype(self, literal: Node | None, at: Node) -> int | None:
        """The prototype of an empty literal, or None: the members of ``[]`` are those of ``Array.prototype``."""
        literal = self._inside(literal)
        kind = None if literal is None else PROTOTYPES.get(literal.type)
        if literal is None or kind is None or self.b.is_own(kind):
            return None
        if literal.end_byte - literal.start_byte > 2 if literal.type == "string" else self._items(literal):
            return None
        return self.b.load(self.b.read(kind, at), self.b.key("prototype"), at)

    def constructor(self, obj: Node, name: str | None, at: Node) -> int | None:
        """The constructor of functions, which compiles text, where it is reached by a function that is written here:
        ``(async () => {}).constructor``, ``Object.getPrototypeOf(function* () {}).constructor``; else None.
        """
        if name != "constructor" or self.b.is_own("Function"):
            return None
        inner = self._inside(obj)
        if inner is not None and inner.type == "call_expression" and not self.b.is_own("Object"):
            function, arguments = inner.child_by_field_id(self.FUNCTION), inner.child_by_field_id(self.ARGUMENTS)
            items = [] if arguments is None else self._items(arguments)
            asked = len(items) == 1 and self._is_named(function, "Object", "getPrototypeOf")
            inner = self._inside(items[0]) if asked else None
        return self.b.read("Function", at) if inner is not None and inner.type in FUNCTIONS else None

    def copied(self, function: Node, arguments: Node, at: Node) -> int | None:
        """A copy by way of JSON, ``JSON.parse(JSON.stringify(value))``, whose fields hold what those of the value hold;
        else None. A call with a function that changes values on the way is none.
        """
        items = self._items(arguments)
        if len(items) != 1 or items[0].type != "call_expression" or not self._is_named(function, "JSON", "parse"):
            return None
        written, given = items[0].child_by_field_id(self.FUNCTION), items[0].child_by_field_id(self.ARGUMENTS)
        values = [] if given is None else self._items(given)
        b = self.b
        if not self._is_named(written, "JSON", "stringify") or len(values) != 1 or b.is_own("JSON"):
            return None
        if values[0].type == "spread_element" or b.is_own("structuredClone"):
            return None
        return b.call(at, b.read("structuredClone", function), [Argument(self.value(values[0]), 0, values[0])])

    def _is_named(self, function: Node | None, obj: str, member: str) -> bool:
        """Whether a member of a variable is named, ``JSON.parse``, comments or not."""
        if function is None or function.type != "member_expression":
            return False
        holder, name = function.child_by_field_id(self.OBJECT), function.child_by_field_id(self.PROPERTY)
        is_held = holder is not None and holder.type == "identifier" and self.text(holder) == obj
        return is_held and name is not None and self.text(name) == member

    def _inside(self, node: Node | None) -> Node | None:
        """What the parentheses hold, if ``node`` is in some."""
        while node is not None and node.type == "parenthesized_expression":
            items = self._items(node)
            node = items[0] if len(items) == 1 else None
        return node

    def note_slice(self, value: int, obj: Node) -> None:
        """``value`` is the member ``slice`` of ``obj``."""
        if self._is_of_arrays(obj):
            self._slices |= {value}

    def _is_of_arrays(self, obj: Node) -> bool:
        """Whether members of ``obj`` are methods of arrays: ``[]``, ``Array.prototype``."""
        if obj.type == "member_expression":
            array, prototype = obj.child_by_field_id(self.OBJECT), obj.child_by_field_id(self.PROPERTY)
            if array is None or prototype is None or self.text(prototype) != "prototype":
                return False
            return self.text(array) == "Array" and not self.b.is_own("Array")
        return obj.type == "array" and not self._items(obj)

    def is_slice(self, callee: Node) -> bool:
        """Whether a callee is the method ``slice`` of arrays: as it is written, or by the variable that holds it."""
        if callee.type == "identifier":
            versions = self.b.versions(self.text(callee)) if self._slices else []
            return bool(versions) and self._slices.issuperset(versions)
        if callee.type != "member_expression":
            return False
        method, of = callee.child_by_field_id(self.PROPERTY), callee.child_by_field_id(self.OBJECT)
        return method is not None and of is not None and self.text(method) == "slice" and self._is_of_arrays(of)

    def slice_of(self, callee: Node, items: list[Node], at: Node) -> int | None:
        """``callee.call(list, n)`` as a slice; None where it is none, or begins at a place that is not known."""
        if not 0 < len(items) < 3 or items[0].type == "spread_element" or not self.is_slice(callee):
            return None
        start = self.bound_of(items[1]) if len(items) == 2 else 0
        return self.b.slice(self.value(items[0]), start, OPEN, at)

    def call_own(self, callee: Node, caller: str, items: list[Node], at: Node) -> int | None:
        """``list.push.apply(list, more)`` as the call of the method that it is; None where it is none."""
        b = self.b
        if callee.type != "member_expression" or len(items) < 2 or (caller == "apply" and len(items) != 2):
            return None
        obj, method = callee.child_by_field_id(self.OBJECT), callee.child_by_field_id(self.PROPERTY)
        if (
            obj is None
            or method is None
            or any(item.type == "spread_element" for item in items[: len(items) if caller == "apply" else 1])
        ):
            return None
        inner: Node | None = obj
        while inner is not None and inner.type == "member_expression":
            inner = inner.child_by_field_id(self.OBJECT)
        if inner is None or inner.type not in VARIABLES or self.text(obj) != self.text(items[0]):
            return None
        receiver, name = self.value(obj), self.text(method)
        called = b.method(receiver, name, callee)
        arguments: list[Argument] = []
        for item in items[1:]:
            if caller == "apply" or item.type == "spread_element":
                value = self.value(item) if caller == "apply" else self._spread(item)
                arguments += self.spread(value, len(arguments), item)
            else:
                arguments.append(Argument(self.value(item), len(arguments), item))
        result = b.call(at, called, arguments, receiver=receiver, name=name, receiver_at=obj)
        if name in ADDING:
            b.fill(receiver)
        return result

    def bound_of(self, node: Node) -> int | None:
        """The whole number that an argument is, or None."""
        if node.type == "unary_expression" and self._sign(node) == "-":
            inner = self._number_now(node.child_by_field_id(self.ARGUMENT))
            return -inner if isinstance(inner, int) else None
        number = self._number_now(node)
        return number if isinstance(number, int) else None
