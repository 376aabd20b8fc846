"""The lines of the statement around a byte of a file, without the statements inside it.

A comment above a call of several lines speaks for all of them, but not for the body of a function that is an argument
of the call: that consists of statements of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

from tree_sitter import Node

from pyrograph.policy.limits.parsing import MAX_STATEMENT_STEPS


class Statements:
    """Looks up statements of one tree; ``bodies`` are the kinds of nodes whose children are statements.

    The steps of all lookups are bounded (``MAX_STATEMENT_STEPS``); where they are used up, no lines are known.
    """

    def __init__(self, root: Node, bodies: Collection[str]) -> None:
        self.root = root
        self.bodies = bodies
        self.steps = 0
        self._inside: dict[int, list[tuple[int, int, int]]] = {}  # by the statement's node id
        self._children: dict[int, tuple[list[int], list[Node]]] = {}  # by node id: the children and their last bytes

    def around(self, at: int) -> tuple[int, int] | None:
        """First and last line (from 1) of the part of a statement that holds the byte ``at``."""
        path = self._path(at)
        return self._part(path[0], at) if path else None

    def begun(self, at: int) -> tuple[int, int] | None:
        """The same for the largest node that begins at the byte ``at``: a statement, or a call in one."""
        found = next((node for node in self._path(at) if node.start_byte == at), None)
        return self._part(found, at) if found is not None else None

    def _path(self, at: int) -> list[Node]:
        """The nodes that hold a byte, from the innermost statement inwards."""
        path: list[Node] = []
        node = self.root
        while self.steps < MAX_STATEMENT_STEPS:
            self.steps += 1
            child = self._child(node, at)
            if child is None or child.start_byte > at:
                return path
            if child.type in self.bodies:
                path.clear()
            else:
                path.append(child)
            node = child
        return []

    def _child(self, node: Node, at: int) -> Node | None:
        """The first child that ends after the byte ``at``.

        A cursor of tree-sitter tries one child after the other: a lookup for each line of a long file, whose lines are
        children of one node, would take time quadratic in the lines. This reads the children of a node once.
        """
        if node.id not in self._children:
            children = node.children
            self._children[node.id] = [each.end_byte for each in children], children
        ends, children = self._children[node.id]
        which = bisect_right(ends, at)
        return children[which] if which < len(children) else None

    def _part(self, node: Node, at: int) -> tuple[int, int]:
        first, last = node.start_point[0], node.end_point[0]
        for start_byte, start, end in self._bodies_in(node):
            if start_byte > at:
                last = start
                break
            first = end
        return first + 1, last + 1

    def _bodies_in(self, node: Node) -> list[tuple[int, int, int]]:
        """First byte, first and last row of each outermost body in a statement, in order."""
        if node.id in self._inside:
            return self._inside[node.id]
        found: list[tuple[int, int, int]] = []
        stack = [node]
        while stack and self.steps < MAX_STATEMENT_STEPS:
            self.steps += 1
            each = stack.pop()
            if each.type in self.bodies:
                found.append((each.start_byte, each.start_point[0], each.end_point[0]))
            else:
                stack.extend(reversed(each.children))
        if stack:  # cut: nothing after the last body is known
            found.append((stack[-1].start_byte, stack[-1].start_point[0], node.end_point[0]))
        self._inside[node.id] = found
        return found
