"""The syntax tree of one file as columns, for tools that cut, replace or rename syntax nodes.

Nothing that lowers a file imports this package, so that a change here leaves cached units valid.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Parser

from pyrograph.parsers import code, front_end


@dataclass(frozen=True, slots=True)
class Syntax:
    """The nodes of one file, parents before their children, siblings in source order; node 0 is the file.

    The columns have one length. A node that the parser had to invent (it is missing in the text) is empty.
    """

    kinds: list[str]  # as the grammar calls them
    starts: list[int]  # bytes
    ends: list[int]  # bytes
    parents: list[int]  # -1 for the file
    named: list[bool]  # False: punctuation and keywords
    fields: list[str]  # the grammar's name of the node's role in its parent, or ""
    errors: int  # stretches that did not parse, and nodes that are missing

    def children(self) -> list[list[int]]:
        """The children of each node, in source order. Time O(nodes)."""
        found: list[list[int]] = [[] for _ in self.kinds]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(node)
        return found


def parse(source: bytes, language: str) -> Syntax:
    """Parse one file's text; ``language`` is one of ``parsers.syntaxes``. Never raises on bad input.

    Time and space linear in the tree; nothing recurses on it.
    """
    text, syntax_id = code(source, language)
    tree = Parser(front_end(syntax_id).grammar()).parse(text)
    syntax = Syntax([], [], [], [], [], [], 0)
    kinds, starts, ends, parents, named = syntax.kinds, syntax.starts, syntax.ends, syntax.parents, syntax.named
    fields = syntax.fields
    errors = 0
    cursor = tree.walk()
    above: list[int] = []
    while True:
        node = cursor.node
        assert node is not None
        parents.append(above[-1] if above else -1)
        above.append(len(kinds))
        kinds.append(node.type)
        starts.append(node.start_byte)
        ends.append(node.end_byte)
        named.append(node.is_named)
        fields.append(cursor.field_name or "")
        errors += node.is_error or node.is_missing
        if cursor.goto_first_child():
            continue
        above.pop()
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return Syntax(kinds, starts, ends, parents, named, fields, errors)
            above.pop()


def error_count(source: bytes, language: str) -> int:
    """How many stretches of a text do not parse; much cheaper than ``parse`` where there is none."""
    text, syntax_id = code(source, language)
    tree = Parser(front_end(syntax_id).grammar()).parse(text)
    if not tree.root_node.has_error:
        return 0
    return parse(source, language).errors


__all__ = ["Syntax", "error_count", "parse"]
