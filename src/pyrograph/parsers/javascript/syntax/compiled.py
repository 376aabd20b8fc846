"""Calls of helpers that compilers add to a file, lowered as what they do.

* ``_createClass(C, [{key: "m", value: f}], [statics])``: Babel's classes for engines without them. The helper defines
  the members in a loop over the list, so that no store names them.
* ``_interopRequireDefault(require("m"))``, ``__importDefault``, ``__importStar``: the module, or an object that holds
  it as ``default``. A file calls such a helper once for each import, so that its result would be all of them.
* ``__export(exports, {name: () => value})``, ``__webpack_require__.d(exports, {name: () => value})``,
  ``parcelHelpers.export(exports, "name", () => value)``, ``_export(exports, {get name() {...}})``: bundlers define what
  a module exports as getters, in a loop over the names, so that no store names them. ``__toCommonJS(exports)`` copies
  these.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from pyrograph.ir.codes import NONE
from pyrograph.parsers.javascript.syntax.expressions import Expressions
from pyrograph.parsers.nodes import children_of
from pyrograph.policy.limits.lowering import MAX_HELPER_BYTES

PREFIX = r"(?:^|\W)(?:_|babelHelpers\.)"  # no name of a helper stands without one
CLASS_MAKER = re.compile(PREFIX + r"""createClass\d*(?:\.default|\[["']default["']\])?\)?$""")
IMPORTING = re.compile(
    PREFIX + r"(?:interop(?:Require)?(?:Default|Wildcard|Namespace)\w*|interop_require_\w+|_import(?:Default|Star))\)?$"
)
EXPORTING = re.compile(r"(?:^|\W)(?:__?export(?:All)?|__webpack_require__\.d|\w*[pP]arcel(?:Helpers\.|\$)export)\)?$")
FUNCTIONS = ("arrow_function", "function_expression")
PLAIN_NAMES = ("property_identifier", "string")
COPYING = re.compile(r"(?:^|\W)__toCommonJS\)?$")


class Compiled(Expressions):
    """Expressions, and calls of helpers of a compiler."""

    def helped(self, function: Node, arguments_node: Node, node: Node) -> int | None:
        """The result of a call of a helper; None for any other call."""
        if function.end_byte - function.start_byte > MAX_HELPER_BYTES:
            return None
        called = self.text(function)
        if "createClass" in called and CLASS_MAKER.search(called):
            return self._compiled_class(children_of(arguments_node), node)
        if ("xport" in called or called.endswith(".d")) and EXPORTING.search(called) and b"enumerable" in self.source:
            return self._exported_getters(children_of(arguments_node), node)
        if "toCommonJS" in called and COPYING.search(called):
            items = children_of(arguments_node)
            return self.value(items[0]) if len(items) == 1 and items[0].type != "spread_element" else None
        if "mport" in called or "nterop" in called:
            items = children_of(arguments_node)
            if 0 < len(items) < 3 and items[0].type != "spread_element" and IMPORTING.search(called):
                module = self.value(items[0])
                return self.b.phi([module, self.b.container(node, [(self.b.key("default"), module)])], node)
        return None

    def _exported_getters(self, items: list[Node], node: Node) -> int | None:
        """The object of exports, with what each getter returns stored; None where the arguments are not those of the
        helper.
        """
        b = self.b
        if len(items) == 3 and items[1].type == "string" and items[2].type in FUNCTIONS:  # one name and its getter
            made, key = self.value(items[0]), b.key_of(self.value(items[1]))
            b.store(b.latest(made), key, b.call(node, self.value(items[2]), []), node)
            return b.latest(made)
        pairs = children_of(items[-1]) if 0 < len(items) < 3 and items[-1].type == "object" else []
        if not pairs or not all(self._is_getter(pair) for pair in pairs):
            return None
        made = self.value(items[0]) if len(items) > 1 else b.container(node, [])
        getters = self.value(items[-1])
        for pair in pairs:
            name = pair.child_by_field_id(self.KEY) or pair.child_by_field_id(self.NAME)
            assert name is not None  # ``_is_getter``
            key = b.key(self.text(name).strip("\"'"))
            stored = b.load(getters, key, pair)
            if pair.type == "pair":  # the others are lowered as what they return
                stored = b.call(pair, stored, [])
            b.store(b.latest(made), key, stored, pair)
        return b.latest(made)

    def _is_getter(self, pair: Node) -> bool:
        """Whether an entry of an object is ``name: () => value`` or ``get name() {...}``, under a known name."""
        name, value = pair.child_by_field_id(self.KEY), pair.child_by_field_id(self.VALUE)
        if pair.type == "method_definition":
            name = pair.child_by_field_id(self.NAME)
            return name is not None and name.type in PLAIN_NAMES and any(child.type == "get" for child in pair.children)
        return name is not None and name.type in PLAIN_NAMES and value is not None and value.type in FUNCTIONS

    def _compiled_class(self, items: list[Node], node: Node) -> int | None:
        """The class, with its members stored; None where the arguments are not those of the helper."""
        lists = [self._members_in(item) for item in items[1:3]]
        if None in lists or not any(lists):
            return None
        b = self.b
        made = self.value(items[0])
        for members, is_static in zip(lists, (False, True), strict=False):
            for member in members or ():
                name = b.key_of(self.value(member["key"]))
                stored = self.value(member["value"]) if "value" in member else NONE
                if "set" in member:
                    self.value(member["set"])
                getter = self.value(member["get"]) if "get" in member else NONE
                of = b.latest(made)
                holder = of if is_static else b.load(of, b.key("prototype"), node)
                if getter != NONE:  # the member is what it returns
                    stored = b.call(member["get"], getter, [], receiver=holder)
                if stored != NONE:
                    b.store(holder, name, stored, member.get("value", member["key"]))
        return b.latest(made)

    def _members_in(self, node: Node) -> list[dict[str, Node]] | None:
        """The items of ``[{key: "m", value: f}, {key: "n", get: f, set: f}]``; empty for ``null``; else None."""
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
                if name is None or value is None:
                    return None
                pairs[self.text(name)] = value
            if "key" not in pairs:
                return None
            found.append(pairs)
        return found


__all__ = ["Compiled"]
