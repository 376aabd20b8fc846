"""The lines of the statement around a byte of a file, without the statements inside it.

A comment above a call of several lines speaks for all of them, but not for the body of a function that is an argument
of the call: that consists of statements of its own.
"""

from __future__ import annotations

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
        cursor = self.root.walk()
        while self.steps < MAX_STATEMENT_STEPS:
            self.steps += 1
            if cursor.goto_first_child_for_byte(at) is None:
                return path
            node = cursor.node
            assert node is not None
            if node.start_byte > at:
                return path
            if node.type in self.bodies:
                path.clear()
            else:
                path.append(node)
        return []

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
