"""The syntax tree of one file, to look up what stands at a place and around it."""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.parsers.trees import parse


class Tree:
    """Nodes are numbers, as in ``parsers.trees.Syntax``: 0 is the file."""

    def __init__(self, text: bytes, syntax: str) -> None:
        self.text = text
        self.syntax = parse(text, syntax)
        self.children = self.syntax.children()

    def kind(self, node: int) -> str:
        return self.syntax.kinds[node]

    def start(self, node: int) -> int:
        return self.syntax.starts[node]

    def end(self, node: int) -> int:
        return self.syntax.ends[node]

    def source(self, node: int) -> str:
        """The code of a node."""
        return self.between(self.start(node), self.end(node))

    def between(self, start: int, end: int) -> str:
        """The code between two offsets."""
        return self.text[start:end].decode("utf-8", "surrogateescape")

    def named(self, node: int) -> list[int]:
        """The named children without comments, in order."""
        syntax = self.syntax
        return [each for each in self.children[node] if syntax.named[each] and "comment" not in syntax.kinds[each]]

    def child(self, node: int, field: str) -> int | None:
        """The first child in a role."""
        return next((each for each in self.children[node] if self.syntax.fields[each] == field), None)

    def above(self, node: int) -> Iterator[int]:
        """The nodes around a node, innermost first."""
        while (node := self.syntax.parents[node]) >= 0:
            yield node

    def parent(self, node: int) -> int:
        return self.syntax.parents[node]

    def at(self, start: int, end: int) -> int | None:
        """The outermost node that covers these bytes exactly; without one, the innermost that holds them.

        Time O(nodes). None for an empty stretch.
        """
        if start >= end:
            return None
        syntax = self.syntax
        around = 0
        for node, (first, last) in enumerate(zip(syntax.starts, syntax.ends, strict=True)):
            if first == start and last == end:
                return node
            if first <= start and end <= last and syntax.named[node]:
                around = node
        return around

    def below(self, node: int) -> Iterator[int]:
        """The node and all that lie in it, parents before children."""
        stack = [node]
        while stack:
            each = stack.pop()
            yield each
            stack.extend(reversed(self.children[each]))

    def has_name(self, name: str) -> bool:
        """Whether an identifier of the file is spelled so, as a variable, a member or otherwise."""
        kinds = self.syntax.kinds
        return any("identifier" in kinds[node] and self.source(node) == name for node in range(len(kinds)))
