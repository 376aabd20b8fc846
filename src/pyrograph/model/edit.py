"""Edits of a text by byte offsets, and what becomes of offsets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple


class Edit(NamedTuple):
    """``text`` replaces the bytes from ``start`` to ``end``; an insertion where both are equal."""

    start: int
    end: int
    text: bytes = b""


def merged(edits: Iterable[Edit]) -> list[Edit] | None:
    """The edits in order, equal ones once; None where two contradict each other.

    Edits contradict where they overlap, and where both insert at one place, unless they insert whole lines.
    """
    found = sorted(set(edits))
    for one, other in pairwise(found):
        if other.start < one.end:
            return None
        lines = one.text.endswith(b"\n") and other.text.endswith(b"\n")
        if one.start == one.end == other.start == other.end and not lines:
            return None
    return found


def edited(text: bytes, edits: Sequence[Edit]) -> bytes:
    """The text after ``edits``, which are in order and do not overlap. Time linear in the text."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    pieces.append(text[at:])
    return b"".join(pieces)


def before(edits: Sequence[Edit], at: int) -> tuple[int, int]:
    """Where the byte ``at`` of the edited text stood: one offset twice, or the stretch whose replacement holds it."""
    shift = 0  # how much longer the edited text is up to here
    for edit in edits:
        start = edit.start + shift
        if at < start:
            break
        if at < start + len(edit.text):
            return edit.start, edit.end
        shift += len(edit.text) - (edit.end - edit.start)
    return at - shift, at - shift
