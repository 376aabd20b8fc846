"""Calls of helpers that compilers add to a file, lowered as what they do.

* ``_createClass(C, [{key: "m", value: f}], [statics])``: Babel's classes for engines without them. The helper defines
  the members in a loop over the list, so that no store names them.
* ``_interopRequireDefault(require("m"))``, ``__importDefault``, ``__importStar``: the module, or an object that holds
  it as ``default``. A file calls such a helper once for each import, so that its result would be all of them.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from pyrograph.parsers.javascript.syntax.expressions import Expressions
from pyrograph.parsers.nodes import children_of
from pyrograph.policy.limits.lowering import MAX_HELPER_BYTES

HELPER = "createClass"  # ends the helper's name, or stands in that of the module's variable: `_createClass2.default`
IMPORTING = re.compile(
    r"(?:^|\W)_*(?:interop(?:Require)?(?:Default|Wildcard|Namespace)\w*|interop_require_\w+|import(?:Default|Star))\)?$"
)


class Compiled(Expressions):
    """Expressions, and calls of helpers of a compiler."""

    def helped(self, function: Node, arguments_node: Node, node: Node) -> int | None:
        """The result of a call of a helper; None for any other call."""
        if function.end_byte - function.start_byte > MAX_HELPER_BYTES:
            return None
        called = self.text(function)
        if HELPER in called:
            return self._compiled_class(children_of(arguments_node), node)
        if "mport" in called or "nterop" in called:
            items = children_of(arguments_node)
            if 0 < len(items) < 3 and items[0].type != "spread_element" and IMPORTING.search(called):
                module = self.value(items[0])
                return self.b.phi([module, self.b.container(node, [(self.b.key("default"), module)])], node)
        return None

    def _compiled_class(self, items: list[Node], node: Node) -> int | None:
        """The class, with its members stored; None where the arguments are not those of the helper."""
        lists = [self._members_in(item) for item in items[1:3]]
        if not lists or None in lists:
            return None
        b = self.b
        made = self.value(items[0])
        for members, is_static in zip(lists, (False, True), strict=False):
            for key, value in members or ():
                name, stored = b.key_of(self.value(key)), self.value(value)
                of = b.latest(made)
                b.store(of if is_static else b.load(of, b.key("prototype"), node), name, stored, value)
        return b.latest(made)

    def _members_in(self, node: Node) -> list[tuple[Node, Node]] | None:
        """The keys and values of ``[{key: "m", value: f}]``, without accessors; empty for ``null``; else None."""
        if node.type in ("null", "undefined"):
            return []
        if node.type != "array":
            return None
        found = []
        for item in children_of(node):
            if item.type != "object":
                return None
            pairs: dict[str, Node] = {}
            for child in children_of(item):
                name, value = child.child_by_field_id(self.KEY), child.child_by_field_id(self.VALUE)
                if name is not None and value is not None:
                    pairs[self.text(name)] = value
            if "key" not in pairs:
                return None
            if "value" in pairs:
                found.append((pairs["key"], pairs["value"]))
        return found


__all__ = ["Compiled"]
