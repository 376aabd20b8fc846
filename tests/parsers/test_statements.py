"""The lines of the statement around a byte, in work linear in the file."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from pyrograph.parsers import front_end
from pyrograph.parsers.bounded import parse
from pyrograph.parsers.statements import Statements

LINES = 200


class Counted:
    """A node that counts how often its children are read, and has no cursor: that tries one child after the other."""

    reads: dict[int, int]

    def __init__(self, node: Node) -> None:
        self.node = node
        for name in ("id", "type", "start_byte", "end_byte", "start_point", "end_point"):
            setattr(self, name, getattr(node, name))

    @property
    def children(self) -> list[Counted]:
        self.reads[self.node.id] = self.reads.get(self.node.id, 0) + 1
        return [Counted(each) for each in self.node.children]


def test_each_line_has_its_statement_and_children_are_read_once() -> None:
    code = "".join(f"f{number:03}(\n    x)\n" for number in range(LINES)).encode()
    front = front_end("python")
    front.prepare()
    tree = parse(front._parser, code)
    assert tree is not None
    Counted.reads = {}
    root: Any = Counted(tree.root_node)
    statements = Statements(root, front.bodies)
    size = len(code) // LINES
    for number in range(LINES):
        for find in (statements.begun, statements.around):
            assert find(number * size) == (2 * number + 1, 2 * number + 2)
    assert statements.around(len(code)) is None
    assert Counted.reads[tree.root_node.id] == 1, "not once for each line"
    assert max(Counted.reads.values()) == 2, "once for the path to a byte, once for the bodies in a statement"
