"""Valid TypeScript and JSX that the grammars cannot parse: what is left out so that the rest of the statement parses.

tree-sitter-typescript 0.23 has no rule for type arguments of a tagged template (`styled.div<Props>`...``) and for
``export type * from``. Both are types only. Neither it nor tree-sitter-javascript 0.25 takes an ampersand in the text
of JSX that begins no entity (``<p>Date & Time</p>``). They are replaced by blanks of the same length: places stay.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from pyrograph.policy.limits.parsing import MAX_BLANKED

TAGGED: Final = re.compile(rb">\s*`")
TYPE_STAR: Final = re.compile(rb"\bexport\s+(type)\s*\*")
NAME_END: Final = re.compile(rb"[\w$)\]]")
COMMENT: Final = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\r\n]*", re.DOTALL)  # an open one ends with the file
AMPERSAND: Final = re.compile(rb"&(?!#[xX][0-9a-fA-F]{1,6};|#[0-9]{1,5};|[A-Za-z]{1,30};)")  # begins no entity
TEXT: Final = re.compile(rb"[^<{]*")  # of JSX: a tag or an expression ends it
IN_TEXT: Final = ("jsx_", "html_character_reference")  # the beginning of kinds that text of JSX follows
LINE_ENDS: Final = frozenset(b"\r\n")


def without_types(source: bytes) -> bytes:
    """``source`` with blanks in place of these types; the same object if there are none.

    Time O(length): at most ``MAX_BLANKED`` bytes are read for each byte of the result that may end type arguments, and
    twice the length in all.
    """
    bare = COMMENT.sub(_blanks, source)  # comments stand between any two tokens; they stay
    spans = [match.span(1) for match in TYPE_STAR.finditer(bare)]
    room = 2 * len(source)
    for match in TAGGED.finditer(bare):
        end = match.start() + 1
        most = min(MAX_BLANKED, room)
        begin = _begin(bare, end, most)
        room -= most if begin < 0 else end - begin
        if begin > 0 and NAME_END.match(bare[max(begin - MAX_BLANKED, 0) : begin].rstrip()[-1:]):
            spans.append((begin, end))
    if not spans:
        return source
    text = bytearray(source)
    for begin, end in spans:
        for at in range(begin, end):
            if source[at] == bare[at] and source[at] not in LINE_ENDS:
                text[at] = 32
    return bytes(text)


def with_plain_text(source: bytes, root: Node) -> bytes:
    """``source`` with blanks in place of such ampersands; the same object if there are none. O(length + nodes).

    ``root``: its tree. What did not parse has the ampersand between the tags of an element, or behind one.
    """
    text = None
    stack = [(root, "")]  # with the kind of its parent, which ``Node.parent`` looks for from the root
    done = 0  # texts of JSX are looked through once: errors come in the order of the file
    while stack:
        node, kind = stack.pop()
        begin = _ampersand(node, kind) if node.is_error else -1
        if begin >= done:
            matched = TEXT.match(source, begin)
            done = matched.end() if matched else begin
            text = text or bytearray(source)
            text[begin:done] = AMPERSAND.sub(b" ", source[begin:done])
        kind = node.type
        stack.extend(reversed([(child, kind) for child in node.children if child.has_error]))
    return source if text is None else bytes(text)


def _ampersand(error: Node, parent: str) -> int:
    """Where an ampersand stands in what did not parse, behind a tag, text or an expression of JSX; -1 if none does.

    ``parent``: the kind of its parent.
    """
    before = "jsx_" if parent == "jsx_element" else ""
    for child in error.children:
        if child.type in ("&", "&&") and before.startswith(IN_TEXT):
            return child.start_byte
        before = child.type
    return -1


def _blanks(comment: re.Match[bytes]) -> bytes:
    return bytes(each if each in LINE_ENDS else 32 for each in comment[0])


def _begin(source: bytes, end: int, most: int) -> int:
    """Where the type arguments begin that end before ``end``; -1 if they do not within ``most`` bytes."""
    depth = 0
    for at in range(end - 1, max(end - 1 - most, -1), -1):
        character = source[at]
        if character == 62:  # >
            depth += source[at - 1 : at] != b"="  # of an arrow of a function type
        elif character == 60:  # <
            depth -= 1
            if not depth:
                return at
        elif character == 96:  # `: another template ends here
            return -1
    return -1
