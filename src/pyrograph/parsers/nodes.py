"""Children of syntax nodes by their position.

Comments and Python's line continuations are *extra* nodes: they can stand between any two tokens, as children of
whatever node these belong to. Code that picks a child by its position, or counts children, asks here.
"""

from __future__ import annotations

from tree_sitter import Node

from pyrograph.policy.limits.languages import DEPTH_SAMPLES, MAX_QUERY_DEPTH, MIN_WALKED_NODES


def children_of(node: Node) -> list[Node]:
    """The named children of ``node`` without comments and line continuations, which can stand between any two tokens.

    A front end that picks a child by its position, or counts children, picks from these.
    """
    children = node.named_children
    for child in children:
        if child.is_extra:  # seldom: else the list is as good as a copy
            return [child for child in children if not child.is_extra or child.is_error]
    return children


def first_of(node: Node) -> Node:
    """The first of ``children_of(node)``; a comment only where a broken tree has nothing else.

    Raises:
        IndexError: ``node`` has no named child.
    """
    children = node.named_children
    return next((child for child in children if not child.is_extra or child.is_error), children[0])


def is_costly_to_query(root: Node) -> bool:
    """Whether a query below ``root`` may take quadratic time: in trees that are deep, or have errors, and are large."""
    if root.descendant_count < MIN_WALKED_NODES:
        return False
    if root.has_error:
        return True
    cursor = root.walk()
    for sample in range(1, DEPTH_SAMPLES):
        cursor.goto_descendant(root.descendant_count * sample // DEPTH_SAMPLES)
        if cursor.depth > MAX_QUERY_DEPTH:
            return True
    return False


def is_element(node: Node) -> bool:
    """Whether a node reads an element under a key that is a name, or the result of a call, ``TABLE[x]`` and
    ``TABLE[lower(x)]``, in JavaScript and Go.
    """
    if node.type not in ("index_expression", "subscript_expression"):
        return False
    index = node.child_by_field_name("index")
    return index is not None and index.type in ("identifier", "call_expression")
