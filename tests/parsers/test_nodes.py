"""Comments and line continuations stand between any two tokens and mean nothing.

Every program of the fixtures is lowered twice: as it is written, and with a comment (in Python, a line continuation)
before every token. The listings must be equal, but for the positions that name partial functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scanner.specification import sections
from tree_sitter import Node, Parser

from pyrograph.ir.text import listing
from pyrograph.parsers import front_end, lower, syntaxes
from pyrograph.parsers.nodes import is_element

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
BETWEEN = {
    "python": b" \\\n ",
    "javascript": b" /* f(x) */ ",
    "typescript": b" /* x */ ",
    "tsx": b" /* x */ ",
    "go": b" /* f */ ",
}
# One token for a reader, though the grammar has nodes in them.
ATOMS = frozenset(
    {
        *("string", "template_string", "template_literal_type", "regex", "jsx_element", "jsx_self_closing_element"),
        *("interpreted_string_literal", "raw_string_literal", "rune_literal", "comment", "line_continuation"),
        *("dotted_name", "decorator"),  # names that are read as one text
    }
)
POSITION = re.compile(r"(?<=\bbind )\d+")  # a front end names what ``bind`` makes by where it stands


def programs() -> Iterator[tuple[str, str, str]]:
    """Name, language and code of each program of the fixtures."""
    for section in sections(FIXTURES):
        for number, block in enumerate(section.blocks):
            if block.language in syntaxes():
                yield f"{section}, {block.language} {number}", block.language, block.code


def tokens(root: Node) -> Iterator[Node]:
    """The leaves of the tree in order, strings and their like whole."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in ATOMS or not node.child_count:
            if node.end_byte > node.start_byte:
                yield node
        else:
            stack.extend(reversed(node.children))


def interspersed(code: bytes, language: str) -> bytes:
    """``code`` with something that means nothing before each token but the first of a line."""
    front = front_end(language)
    front.prepare()
    pieces, at, row = [], 0, -1
    for token in tokens(front._parser.parse(code).root_node):
        pieces.append(code[at : token.start_byte])
        if token.start_point[0] == row and token.type.strip():  # Go's line ends are tokens, too
            pieces.append(BETWEEN[language])
        pieces.append(code[token.start_byte : token.end_byte])
        at, row = token.end_byte, token.end_point[0]
    return b"".join([*pieces, code[at:]])


@pytest.mark.parametrize(("language", "code"), [pytest.param(*each, id=name) for name, *each in programs()])
def test_a_comment_between_any_two_tokens_changes_nothing(language: str, code: str) -> None:
    plain = lower(code.encode(), language)
    commented = lower(interspersed(code.encode(), language), language)
    assert commented.problems == plain.problems
    assert POSITION.sub("", listing(commented)) == POSITION.sub("", listing(plain))


@pytest.mark.parametrize(
    ("language", "code", "kind", "expected"),
    [
        ("javascript", "TABLE[name]", "subscript_expression", True),
        ("javascript", "TABLE['name']", "subscript_expression", False),
        ("javascript", "TABLE[name.length]", "subscript_expression", False),
        ("go", "package p\nvar v = table[name]", "index_expression", True),
        ("go", "package p\nvar v = table[name[:2]]", "index_expression", False),
    ],
)
def test_an_element_under_a_name_is_one(language: str, code: str, kind: str, expected: bool) -> None:
    work = [Parser(front_end(language).grammar()).parse(code.encode()).root_node]
    while work:
        node = work.pop()
        if node.type == kind:
            assert is_element(node) == expected
            return
        work += reversed(node.children)
    raise AssertionError(f"no {kind} in {code}")
