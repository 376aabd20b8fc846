"""Children of syntax nodes by their position.

Comments and Python's line continuations are *extra* nodes: they can stand between any two tokens, as children of
whatever node these belong to. Code that picks a child by its position, or counts children, asks here.
"""

from __future__ import annotations

from tree_sitter import Node


def children_of(node: Node) -> list[Node]:
    """The named children of ``node`` without comments and line continuations, which can stand between any two tokens.

    A front end that picks a child by its position, or counts children, picks from these.
    """
    return [child for child in node.named_children if not child.is_extra or child.is_error]


def first_of(node: Node) -> Node:
    """The first of ``children_of(node)``; a comment only where a broken tree has nothing else.

    Raises:
        IndexError: ``node`` has no named child.
    """
    children = node.named_children
    return next((child for child in children if not child.is_extra or child.is_error), children[0])
