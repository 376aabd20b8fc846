"""What the builder remembers of a function while it is lowered, and the words that front ends speak with."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits import LONG_TEXT, LONG_TEXTS

Constant = str | int | float | bool | None
# A variable, (object, key), ("in", value) for what a parameter held, or, at exits, ("now", value) for what its variable
# holds.
Name = str | tuple[int, int] | tuple[str, int]
State = dict[Name, int]  # names written since some point, with their values
# A state whose values only pass through: each number that compiled code looks at it makes anew to hand it on.
Passing = dict[Name, Any]


class Overrun(Exception):
    """A function, or the file, takes more steps than are allowed; what was lowered before holds."""


UNKNOWN_TRUTH: Final = -1  # of an exit: what is returned there may be true or false


class Span(Protocol):
    """Anything with a place in the source, in bytes: a syntax node, or ``Range``.

    The bytes are numbers, which only pass through on their way to the tables.
    """

    @property
    def start_byte(self) -> Any: ...
    @property
    def end_byte(self) -> Any: ...


# Classes of which there are many have constructors of their own: those that ``dataclass`` writes are never compiled.


class Range:
    def __init__(self, start_byte: int, end_byte: int) -> None:
        self.start_byte = start_byte
        self.end_byte = end_byte


class Source:
    """The file that is lowered, in bytes (UTF-8)."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._long = LONG_TEXTS * len(data) + 1_000_000  # bytes of long texts that may still be read
        self._texts: dict[bytes, str] = {}  # most of what is asked for are names, and asked for often

    def text(self, at: Span) -> str:
        """What is written at a place; bytes that are no UTF-8 are replaced."""
        start: int = at.start_byte
        end: int = at.end_byte
        piece = self.data[start:end]
        text = self._texts.get(piece)
        if text is None:
            text = piece.decode("utf-8", "replace")
            if end - start > LONG_TEXT:  # names are short: this is syntax that was asked for in case it is one
                self._long -= end - start
                if self._long < 0:
                    raise Overrun
            else:
                self._texts[piece] = text
        return text


class Contents:
    """All that a container holds, in order: ``(key, value)``; the keys of a sequence are its indices."""

    def __init__(self, items: tuple[tuple[int, int], ...], sequence: bool) -> None:
        self.items = items
        self.sequence = sequence

    @property
    def values(self) -> tuple[int, ...]:
        return tuple([value for _, value in self.items])


class Argument:
    """One argument of a call; ``position`` NONE for a keyword or a spread of keywords."""

    def __init__(self, value: int, position: int, at: Span, keyword: str | None = None, flags: int = 0) -> None:
        self.value = value
        self.position = position
        self.at = at
        self.keyword = keyword
        self.flags = flags


class Outcome:
    """What a condition leaves behind: writes where it holds, where it does not; None: that side cannot happen."""

    def __init__(self, true: State | None, false: State | None, condition: int = NONE, side: int = 1) -> None:
        self.true = true
        self.false = false
        self.condition = condition
        self.side = side  # the side of ``condition`` on which it holds

    def inverted(self) -> Outcome:
        return Outcome(self.false, self.true, self.condition, 1 - self.side)


@dataclass(slots=True)
class Loop:
    row: int
    start: int  # values below are older than the loop
    log: int  # depth of the log that holds what the loop changes
    label: str | None
    header: int  # block
    breakable_only: bool = False  # a switch: ``break`` leaves it, ``continue`` does not see it
    carries: dict[Name, int] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)  # carry -> where its row in carries begins
    breaks: list[State] = field(default_factory=list)
    break_blocks: list[int] = field(default_factory=list)  # where each of ``breaks`` comes from
    continues: list[State] = field(default_factory=list)
    continue_blocks: list[int] = field(default_factory=list)
    leaving: list[State] = field(default_factory=list)  # of ways from inside to outer loops
    body_log: int = 0


class Mark:
    """How deep in arms, loops and protected regions a function is, to come back to (``Names.recover``)."""

    def __init__(self, frame: Frame, of: Frame | None = None) -> None:
        """``of``: the function, if ``frame`` is one that looks as that did when it began."""
        self.frame = of or frame
        self.logs = len(frame.logs)
        self.loops = len(frame.loops)
        self.attempts = len(frame.attempts)
        self.loop_start = frame.loop_start
        self.own = frame.own
        self.block = frame.block


@dataclass(slots=True)
class Attempt:
    """A protected region: every version a name had in it may be the one a handler sees."""

    exception: int
    versions: dict[Name, list[int]] = field(default_factory=dict)


class Parameter:
    def __init__(self, row: int, value: int) -> None:
        self.row = row
        self.value = value


class Frame:
    """One function while it is lowered, and what its nested functions ask of it afterwards."""

    def __init__(self, index: int, parent: Frame | None, flags: int) -> None:
        self.index = index
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1  # functions around this one
        self.flags = flags
        self.env: dict[Name, int] = {}
        self.number = 0  # which of the functions created in its parent this is
        self.num_functions = 0  # functions created here so far
        self.changed: set[Name] = set()  # names bound since the last function was created here
        # name -> (function numbers, value from that one on, versions there were then)
        self.history: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self.outer_renamed: dict[str, str] = {}
        self.created = NONE  # the function value in the parent
        self.logs: list[dict[Name, int]] = []
        self.loops: list[Loop] = []
        self.loop_start = 0  # start of the innermost loop, 0 outside
        self.attempts: list[Attempt] = []
        self.names_of: dict[int, list[Name]] = {}
        self.tested_parts: dict[int, list[tuple[int, int]]] = {}  # object -> (key, pi) of parts that a condition tests
        self.seen_as: dict[int, int] = {}  # a super value -> the receiver it is a view of
        self.loaded: dict[int, tuple[int, int]] = {}  # load result -> (object, key)
        self.updated: dict[int, int] = {}  # state -> the state that replaced it
        self.made_from: dict[int, tuple[int, ...]] = {}
        self.refined: dict[int, int] = {}  # version -> its pi where a condition holds, then the other side's
        self.merges: dict[int, int] = {}  # a phi of versions of one value -> that value
        self.merged: dict[int, int] = {}  # version -> the phi that it and other versions of the same value went into
        # a phi some of whose versions are constants -> its versions, what was merged with it, and of which versions
        self.choices: dict[int, tuple[tuple[int, ...], State, list[tuple[Name, tuple[int, ...]]]]] = {}
        self.versions: dict[str, list[int]] = {}
        self.declared: set[str] = set()
        self.plain: set[str] = set()  # names whose values nothing changes: text and numbers, handed on by value
        self.scopes: list[dict[str, str | None]] = []
        self.renamed: dict[str, str] = {}
        self.shadows = 0
        self.own: dict[str, str] | None = None  # names of a body that nobody outside sees, with their slots
        self.globals: set[str] = set()  # names declared to be the module's
        self.outer: set[str] = set()  # names declared to be an enclosing function's
        self.captured: dict[str, int] = {}  # name -> inner value
        self.capture_rows: list[tuple[int, int]] = []  # (row in captures, inner value)
        self.cells: dict[str, int] = {}
        self.late_cells: dict[str, int] = {}  # what functions that run when this one leaves write
        self.catches = False  # a function that runs when this one leaves handles what it raises
        self.late = False  # runs when its parent leaves
        self.has_late = False
        self.own_writes: dict[str, tuple[int, int]] = {}  # name -> (version, when it was written), until a merge
        self.clock = 0  # writes of names that nested functions write, and pauses, so far
        self.paused = 0  # by the clock, when other functions may have run last
        self.joined: dict[tuple[int, int], int] = {}  # (version, cell) -> phi
        self.parameters: list[Parameter] = []
        self.exits: list[tuple[int, State]] = []  # (1, 0 or UNKNOWN_TRUTH, the states of parameters there)
        self.returns: list[int] = []
        self.raises: list[int] = []
        self.reachable = True
        self.block = 0
        self.pending: list[tuple[Frame, Callable[[], None]]] = []  # functions created here
        self.result = NONE
        self.raised = NONE
        self.locals_only = False

    def number_function(self) -> int:
        """Note what names are bound to where a function is created; takes time for the names bound since the last
        one.
        """
        number = self.num_functions
        self.num_functions += 1
        for name in self.changed:
            if type(name) is str:
                numbers, values, counts = self.history.setdefault(name, ([], [], []))
                numbers.append(number)
                values.append(self.env.get(name, NONE))
                counts.append(len(self.versions.get(name, ())))
        self.changed.clear()
        return number

    def add_version(self, name: str, value: int) -> None:
        versions = self.versions.get(name)
        if versions is None:
            self.versions[name] = [value]
        else:
            versions.append(value)

    def versions_after(self, name: str, number: int) -> list[int]:
        """The versions that ``name`` got after function ``number`` was created."""
        numbers, _values, counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return self.versions.get(name, [])[counts[at - 1] if at else 0 :]

    def value_at(self, name: str, number: int) -> int:
        """What ``name`` was bound to where function ``number`` was created, or NONE."""
        numbers, values, _counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return values[at - 1] if at else NONE
