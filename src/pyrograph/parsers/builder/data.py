"""Plain data that front ends and the builder hand each other: places, texts, arguments, the outcome of a condition."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.lowering import LONG_TEXT, LONG_TEXTS

Constant = str | int | float | bool | None
# A variable, (object, key), ("in", value) for what a parameter held, or, at exits, (NOW - n, value) for what variables
# of it hold.
Name = str | tuple[int, int] | tuple[str, int]
Writes = dict[Name, int]  # names written since some point, with their values
# ``Writes`` whose values are only copied: typed Any, because compiled code unboxes each ``int`` and boxes it again.
Passing = dict[Name, Any]


class Overrun(Exception):
    """A function, or the file, takes more steps than are allowed; the rows made before stay valid."""


UNKNOWN_TRUTH: Final = -1  # of an exit: the value returned there may be true or false


class Span(Protocol):
    """Anything with a place in the source, in bytes: a syntax node, or ``Range``.

    Typed Any, because the numbers are only copied into the tables.
    """

    @property
    def start_byte(self) -> Any: ...
    @property
    def end_byte(self) -> Any: ...


# Classes of which there are many have constructors of their own: those that ``dataclass`` writes are never compiled.


class Range:
    """A place in the source, in bytes."""

    def __init__(self, start_byte: int, end_byte: int) -> None:
        self.start_byte = start_byte
        self.end_byte = end_byte


class Source:
    """The file that is lowered, in bytes (UTF-8)."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._long = LONG_TEXTS * len(data) + 1_000_000  # bytes of long texts that may still be read
        self._texts: dict[bytes, str] = {}  # most texts are names, which are read often

    def text(self, at: Span) -> str:
        """The text at a place; bytes that are not UTF-8 are replaced.

        Raises:
            Overrun: Texts longer than ``LONG_TEXT`` were read too often for the size of the file.
        """
        start: int = at.start_byte
        end: int = at.end_byte
        piece = self.data[start:end]
        text = self._texts.get(piece)
        if text is None:
            text = piece.decode("utf-8", "replace")
            if end - start > LONG_TEXT:  # names are short: this is syntax that was read in case it is one
                self._long -= end - start
                if self._long < 0:
                    raise Overrun
            else:
                self._texts[piece] = text
        return text


class Contents:
    """All items of a container, in order: ``(key, value)``; the keys of a sequence are its indices."""

    def __init__(self, items: tuple[tuple[int, int], ...], sequence: bool) -> None:
        self.items = items
        self.sequence = sequence

    @property
    def values(self) -> tuple[int, ...]:
        return tuple([value for _, value in self.items])


class Semantics(NamedTuple):
    """What a language means by names and truth."""

    declares: bool  # variables must be declared, and an assignment to an undeclared name writes an outer one
    package_scope: bool  # other files may define module-level names
    empty_is_false: bool  # an object that holds nothing is false


class Argument:
    """One argument of a call; ``position`` NONE for a keyword or a spread of keywords."""

    def __init__(self, value: int, position: int, at: Span, keyword: str | None = None, flags: int = 0) -> None:
        self.value = value
        self.position = position
        self.at = at
        self.keyword = keyword
        self.flags = flags


class Outcome:
    """A condition: the writes where it holds and where it does not; None: control cannot take that side."""

    def __init__(self, true: Writes | None, false: Writes | None, condition: int = NONE, side: int = 1) -> None:
        self.true = true
        self.false = false
        self.condition = condition
        self.side = side  # the side of ``condition`` on which it holds

    def inverted(self) -> Outcome:
        """The outcome of the negated condition."""
        return Outcome(self.false, self.true, self.condition, 1 - self.side)
