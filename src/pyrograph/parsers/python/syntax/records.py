"""Classes that a call makes: ``Job = namedtuple("Job", "name command")`` is a class with these two fields."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from pyrograph.ir.codes import NONE
from pyrograph.parsers.nodes import children_of
from pyrograph.parsers.python.syntax.containers import Containers
from pyrograph.parsers.python.syntax.fields import ATTRIBUTE, VALUE, field_of

MAKERS: Final = frozenset(["namedtuple", "NamedTuple"])
LISTS: Final = frozenset(["list", "tuple"])


class Records(Containers):
    """Calls that make classes of records."""

    def record_class(self, function: Node, arguments: Node, at: Node) -> int | None:
        """The class that a call makes, if it is written down which fields that has; else None."""
        called = function if function.type == "identifier" else function.child_by_field_id(ATTRIBUTE)
        if called is None or self.text(called) not in MAKERS or arguments.type != "argument_list":
            return None
        items = children_of(arguments)
        if len(items) < 2 or items[0].type != "string":
            return None
        b = self.b
        name, fields = self._plain(items[0]), self._written(items[1])
        if name is None or fields is None:
            return None
        for item in items[2:]:
            if item.type == "keyword_argument":
                self.value(field_of(item, VALUE))
        value, _ = b.class_(at, name, [b.import_(at, "typing", "NamedTuple")])
        for field in fields:
            b.field(value, field, NONE, at)
        self._fields[name] = fields
        return value

    def _written(self, node: Node) -> list[str] | None:
        """The names of fields: ``"a b"``, ``"a, b"``, ``["a", "b"]``, ``[("a", str), ("b", int)]``."""
        if node.type == "string":
            text = self._plain(node)
            return None if text is None else text.replace(",", " ").split()
        if node.type not in LISTS:
            return None
        found: list[str] = []
        for item in children_of(node):
            inner = children_of(item)[0] if item.type == "tuple" and children_of(item) else item
            text = self._plain(inner) if inner.type == "string" else None
            if text is None:
                return None
            found.append(text)
        return found

    def _plain(self, node: Node) -> str | None:
        text = self.b.constants.get(self.value(node))
        return text if isinstance(text, str) else None
