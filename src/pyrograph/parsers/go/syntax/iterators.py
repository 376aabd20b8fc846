"""Iterators: ``func(yield func(K, V) bool) { ... }`` as a value is a container of what it yields.

So ``range``, ``slices.Collect`` and functions of the program that take an iterator read it like any other container.
The literal is called where it stands, and its result holds what it yields, as that of a generator does. Where functions
in it may yield, it is called with a function that keeps what it is given. A single value lies under any key and among
the keys, because a loop with one name reads the keys where it does not know what it runs over.
"""

from __future__ import annotations

from tree_sitter import Node

from pyrograph.ir.codes import KEYS, UNKNOWN_KEY, FunctionFlag
from pyrograph.parsers.builder import Argument
from pyrograph.parsers.go.syntax.loops import Loops
from pyrograph.parsers.nodes import children_of


class Iterators(Loops):
    """Function literals that are iterators."""

    def yield_name(self, node: Node) -> str:
        """The parameter with which a function literal hands out values; "" if it is no iterator, or if functions in it
        may hand them out.
        """
        body = node.child_by_field_id(self.BODY)
        parameter = self._yielding(node)
        if parameter is None or body is None or self.source.find(b"func", body.start_byte, body.end_byte) >= 0:
            return ""
        return self.text(parameter)

    def iterator(self, node: Node, value: int) -> int:
        """The value of a function literal; with what it yields in it, if it is an iterator."""
        b = self.b
        if self.yield_name(node):
            made = b.call(node, value, [Argument(b.constant(None, node), 0, node)])
            return b.container(node, [], [value, made])
        if self._yielding(node) is None:
            return value
        first, last = b.cell(node, "yield"), b.cell(node, "yield")

        def keep() -> None:
            given = [b.parameter(f"value{index}", node, index) for index in range(2)]
            b.same(given[0], first)
            for each in given:
                b.same(each, last)
            b.return_(b.constant(True, node))

        b.call(node, value, [Argument(b.function(node, "yield", keep, flags=int(FunctionFlag.LAMBDA)), 0, node)])
        return b.container(node, [(b.key(KEYS), first), (UNKNOWN_KEY, last)], [value])

    def _yielding(self, node: Node) -> Node | None:
        """The only parameter of a function literal, if it is ``yield func(...) bool`` with one or two values."""
        parameters = node.child_by_field_id(self.PARAMETERS)
        if parameters is None or node.child_by_field_id(self.RESULT) is not None:
            return None
        declared = children_of(parameters)
        type_node = declared[0].child_by_field_id(self.TYPE) if len(declared) == 1 else None
        names = [] if not declared else declared[0].children_by_field_name("name")
        if type_node is None or type_node.type != "function_type" or len(names) != 1:
            return None
        result, given = type_node.child_by_field_id(self.RESULT), type_node.child_by_field_id(self.PARAMETERS)
        if given is None or result is None or self.text(result) != "bool":
            return None
        count = sum(max(1, len(each.children_by_field_name("name"))) for each in children_of(given))
        return names[0] if count in (1, 2) else None
