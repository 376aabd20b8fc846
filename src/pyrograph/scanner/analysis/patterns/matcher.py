"""A backtracking matcher that counts its steps, like the engines of Python and JavaScript without their shortcuts.

It confirms the analysis: a pattern is reported only if its steps grow here, on longer and longer texts. The tree
becomes a program for a machine with an explicit stack of alternatives; only lookarounds and atomic groups (at most
``MAX_PATTERN_DEPTH`` deep) call the machine again.
"""

from __future__ import annotations

from typing import Final, Literal

from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.dialect import Dialect
from pyrograph.scanner.analysis.patterns.parse import Atomic, Either, Group, Node, One, Place, Repeat, Sequence

Kind = Literal["match", "fullmatch", "search"]  # anchored at the start, at both ends, nowhere

# Rounds of the loops that are open: (rounds, where this one began, the loop around), or None.
Rounds = tuple[int, int, "Rounds"] | None

UNLIMITED: Final = -1  # rounds of a loop: as many as there are
NOT_BEGUN: Final = -1  # the position where a round began, before the first
DIRECTIONS: Final = 2  # a lookaround's operand: ``DIRECTIONS * body``, + 1 where it looks behind

ONE, SPLIT, JUMP, PLACE, LOOK, ATOMIC, ENTER, AGAIN, MATCH = range(9)


class TooMany(Exception):
    """The steps reached their limit."""


class Matcher:
    """A pattern that can be matched with texts, each step counted.

    >>> from pyrograph.scanner.analysis.patterns.dialect import RE
    >>> from pyrograph.scanner.analysis.patterns.parse import parse
    >>> matcher = Matcher(parse("(a+)+b", "", RE), RE)
    >>> [matcher.steps("a" * n, "match", 100_000)[0] for n in (4, 8, 12)]
    [140, 2300, 36860]
    """

    def __init__(self, node: Node, dialect: Dialect, alphabet: Alphabet | None = None) -> None:
        self.alphabet = alphabet if alphabet is not None else Alphabet(node)
        self.dialect = dialect
        self.program: list[tuple[int, int, int, bool]] = []  # what, two numbers, lazy or negated
        self.places: list[str] = []
        self.loops: dict[int, tuple[int, int]] = {}  # where AGAIN stands -> least and most rounds, or UNLIMITED
        self._emit(node)
        self.program.append((MATCH, 0, 0, False))
        self.text = ""
        self.letters: list[int] = []
        self.taken = 0
        self.limit = 0
        self.whole = False

    def steps(self, text: str, kind: Kind, limit: int) -> tuple[int, bool | None]:
        """How many steps one search takes, at most ``limit``, and whether it matches; None where the limit was hit."""
        self.text, self.letters = text, self.alphabet.letters(text)
        self.taken, self.limit, self.whole = 0, limit, kind == "fullmatch"
        try:
            for start in range(len(text) + 1 if kind == "search" else 1):
                if self._run(0, start, None, whole=self.whole) is not None:
                    return self.taken, True
        except TooMany:
            return limit, None
        return self.taken, False

    def _emit(self, node: Node) -> None:
        program = self.program
        if isinstance(node, One):
            program.append((ONE, self.alphabet.mask(node.chars), 0, False))
        elif isinstance(node, Sequence):
            for item in node.items:
                self._emit(item)
        elif isinstance(node, Either):
            ends = []
            for item in node.items[:-1]:
                split = len(program)
                program.append((SPLIT, 0, 0, False))
                self._emit(item)
                ends.append(len(program))
                program.append((JUMP, 0, 0, False))
                program[split] = (SPLIT, split + 1, len(program), False)
            self._emit(node.items[-1])
            for end in ends:
                program[end] = (JUMP, len(program), 0, False)
        elif isinstance(node, Group):
            self._emit(node.item)
        elif isinstance(node, Place):
            self.places.append(node.kind)
            program.append((PLACE, len(self.places) - 1, 0, False))
        elif isinstance(node, Repeat):
            if node.most == 0:
                return
            program.append((ENTER, 0, 0, False))
            head = len(program)
            program.append((AGAIN, 0, 0, False))
            most = UNLIMITED if node.most is None else node.most
            self.loops[head] = (node.least, most)
            self._emit(node.item)
            program.append((JUMP, head, 0, False))
            program[head] = (AGAIN, head + 1, len(program), node.lazy)
        else:
            at = len(program)
            program.append((LOOK, 0, 0, False))
            self._emit(node.item)
            program.append((MATCH, 0, 0, False))
            if isinstance(node, Atomic):
                program[at] = (ATOMIC, at + 1, len(program), False)
            else:
                program[at] = (LOOK, DIRECTIONS * (at + 1) + node.behind, len(program), node.negative)

    def _run(self, at: int, position: int, rounds: Rounds, *, whole: bool = False, end: int = -1) -> int | None:
        """Where the first match ends that begins at ``position`` with the instruction ``at``; None: there is none.

        ``end``: it must end there, for lookbehinds, whose steps are few and count once for each start.
        """
        program, letters, size = self.program, self.letters, len(self.letters)
        loops = self.loops
        stack: list[tuple[int, int, Rounds]] = []
        taken = self.taken
        while True:
            taken += 1
            if taken > self.limit:
                raise TooMany
            what, first, second, flag = program[at]
            failed = False
            if what == ONE:
                if position < size and first >> letters[position] & 1:
                    position += 1
                    at += 1
                else:
                    failed = True
            elif what == JUMP:
                at = first
            elif what == SPLIT:
                stack.append((second, position, rounds))
                at = first
            elif what == ENTER:
                rounds = (0, NOT_BEGUN, rounds)
                at += 1
            elif what == AGAIN:
                assert rounds is not None
                count, began, around = rounds
                least, most = loops[at]
                if count < least:
                    # rounds that match nothing would match nothing again
                    rounds, at = (count + 1 if began != position else least, position, around), first
                elif (most != UNLIMITED and count >= most) or (began == position and count):
                    if began == position and count > least and self.dialect.empty_rounds_fail:
                        failed = True  # a round beyond what is asked may not be empty
                    rounds, at = around, second
                elif flag:
                    stack.append((first, position, (count + 1, position, around)))
                    rounds, at = around, second
                else:
                    stack.append((second, position, around))
                    rounds, at = (count + 1, position, around), first
            elif what == PLACE:
                failed = not self._stands(self.places[first], position)
                at += 1
            elif what == MATCH:
                if (whole and position < size) or (end >= 0 and position != end):
                    failed = True
                else:
                    self.taken = taken
                    return position
            else:
                self.taken = taken
                if what == ATOMIC:
                    reached = self._run(first, position, None)
                    failed = reached is None
                    position = position if reached is None else reached
                else:
                    failed = self._looks(first, position) == flag
                taken = self.taken
                at = second
            if failed:
                if not stack:
                    self.taken = taken
                    return None
                at, position, rounds = stack.pop()

    def _looks(self, body: int, position: int) -> bool:
        first, behind = divmod(body, DIRECTIONS)
        if not behind:
            return self._run(first, position, None) is not None
        return any(self._run(first, start, None, end=position) is not None for start in range(position, -1, -1))

    def _stands(self, place: str, position: int) -> bool:
        text, size = self.text, len(self.text)
        lines = self.dialect.line_ends
        if place == "start":
            return position == 0
        if place == "line start":
            return position == 0 or text[position - 1] in lines
        if place == "end":
            return position == size
        if place == "end or last line":
            return position == size or (position == size - 1 and text[position] == "\n")
        if place == "line end":
            return position == size or text[position] in lines
        before = position > 0 and is_word(text[position - 1])
        after = position < size and is_word(text[position])
        return (before != after) == (place == "boundary")


def is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
