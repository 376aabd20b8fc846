"""The automaton of a pattern, without empty steps: a state for each character of the pattern (Glushkov).

Its steps are counted: where a matcher has two ways from one character to the next without reading anything between
(``(a*)*``, from ``a`` to ``a``), the step has two ways, for an engine tries both. What an empty round of a loop adds
is left out, as engines stop there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from pyrograph.policy.limits.patterns import MAX_AUTOMATON_STATES, MAX_AUTOMATON_STEPS, MAX_REPEAT_COPIES
from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.matcher import is_word
from pyrograph.scanner.analysis.patterns.parse import (
    Atomic,
    Either,
    Group,
    Look,
    Node,
    One,
    Place,
    Repeat,
    Sequence,
    Unreadable,
)

# What has to be true between two characters, as bits.
START, LINE_START, END, LINE_END, BOUNDARY, NO_BOUNDARY, LOOK = (1 << bit for bit in range(7))
PLACES: Final = {
    "start": START,
    "line start": LINE_START,
    "end": END,
    "end or last line": END,
    "line end": LINE_END,
    "boundary": BOUNDARY,
    "no boundary": NO_BOUNDARY,
}

Key = TypeVar("Key", int, tuple[int, int])
Bag = dict[tuple[int, int], int]  # (state, what has to be true on the way) -> ways, 2 for more
Ways = dict[int, int]  # what has to be true for the empty text -> ways


@dataclass(slots=True)
class Automaton:
    """State 0 is before the text; states from 1 have just read a character of theirs."""

    alphabet: Alphabet
    masks: list[int]  # (n,) the letters that lead to a state; 0 for state 0
    successors: list[list[int]]  # (n,) ascending, each once
    twice: set[tuple[int, int]]  # steps with more than one way
    accepting: set[int]  # a match may end here, whatever follows
    ending: set[int]  # or here, at the end of the text (of a line)
    anchored: bool  # no match begins anywhere but at the start (of a line)


@dataclass(slots=True)
class Parts:
    """How a pattern begins and ends, with what has to be true there (``START``, ``END``, ..., as bits)."""

    masks: list[int]  # (n,) as in ``Automaton``
    successors: list[set[int]]  # (n,) those of state 0 are none
    empty: list[int]  # what has to be true for the empty text to match; () where it never does
    first: list[tuple[int, int]]  # (state, what has to be true before)
    last: list[tuple[int, int]]  # (state, what has to be true behind)


def parts(node: Node, alphabet: Alphabet) -> Parts:
    """The beginnings and ends of a tree.

    Raises:
        Unreadable: as ``build``.
    """
    return _Builder(alphabet).ends(node)


def build(node: Node, alphabet: Alphabet) -> Automaton:
    """The automaton of a tree.

    Raises:
        Unreadable: It has more than ``MAX_AUTOMATON_STATES`` states or ``MAX_AUTOMATON_STEPS`` steps.
    """
    return _Builder(alphabet).build(node)


class _Builder:
    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.masks = [0]
        self.steps: dict[tuple[int, int, int], int] = {}
        self.visited = 0

    def build(self, node: Node) -> Automaton:
        empty, first, last = self._parts(node)
        self._connect({(0, 0): 1}, first)
        ways: dict[tuple[int, int], int] = {}
        for (origin, target, needs), count in self.steps.items():
            if self._possible(origin, target, needs):
                ways[origin, target] = ways.get((origin, target), 0) + count
        successors: list[list[int]] = [[] for _ in self.masks]
        for origin, target in sorted(ways):
            successors[origin].append(target)
        ends = [*last, *((0, needs) for needs in empty)]
        return Automaton(
            self.alphabet,
            self.masks,
            successors,
            {step for step, count in ways.items() if count > 1},
            {state for state, needs in ends if not needs},
            {state for state, needs in ends if needs & (END | LINE_END) and not needs & LOOK},
            all(needs & (START | LINE_START) for _, needs in first) and bool(first),
        )

    def ends(self, node: Node) -> Parts:
        empty, first, last = self._parts(node)
        successors: list[set[int]] = [set() for _ in self.masks]
        for origin, target, needs in self.steps:
            if self._possible(origin, target, needs):
                successors[origin].add(target)
        return Parts(self.masks, successors, list(empty), list(first), list(last))

    def _possible(self, origin: int, target: int, needs: int) -> bool:
        """Whether what has to be true between two characters may be; lookarounds may always."""
        if not needs or not origin:
            return True
        if needs & (START | END):
            return False
        before, after = self.masks[origin], self.masks[target]
        lines = 1 << self.alphabet.letter("\n")
        if (needs & LINE_START and not before & lines) or (needs & LINE_END and not after & lines):
            return False
        if needs & (BOUNDARY | NO_BOUNDARY):
            kinds = {(is_word(a), is_word(b)) for a in self._samples(before) for b in self._samples(after)}
            wanted = bool(needs & BOUNDARY)
            return any((a != b) == wanted for a, b in kinds)
        return True

    def _samples(self, mask: int) -> list[str]:
        return [sample for letter, sample in enumerate(self.alphabet.samples) if mask >> letter & 1]

    def _connect(self, origins: Bag, targets: Bag) -> None:
        steps = self.steps
        if len(steps) + len(origins) * len(targets) > MAX_AUTOMATON_STEPS * 2:
            raise Unreadable("too many ways from one character to the next")
        for (origin, before), ways in origins.items():
            for (target, after), more in targets.items():
                step = origin, target, before | after
                steps[step] = min(2, steps.get(step, 0) + ways * more)
        if len(steps) > MAX_AUTOMATON_STEPS:
            raise Unreadable("too many ways from one character to the next")

    def _parts(self, node: Node) -> tuple[Ways, Bag, Bag]:
        """How it matches nothing, what it begins with, what it ends with."""
        self.visited += 1
        if self.visited > 10 * MAX_AUTOMATON_STATES:
            raise Unreadable("too much that is repeated")
        if isinstance(node, One):
            mask = self.alphabet.mask(node.chars)
            self.masks.append(mask)
            if len(self.masks) > MAX_AUTOMATON_STATES:
                raise Unreadable(f"more than {MAX_AUTOMATON_STATES} characters, with what is repeated")
            bag: Bag = {(len(self.masks) - 1, 0): 1} if mask else {}
            return {}, bag, dict(bag)
        if isinstance(node, Place):
            return {PLACES[node.kind]: 1}, {}, {}
        if isinstance(node, Look):
            return {LOOK: 1}, {}, {}
        if isinstance(node, (Group, Atomic)):
            return self._parts(node.item)
        if isinstance(node, Either):
            parts = [self._parts(item) for item in node.items]
            empty: Ways = {}
            first: Bag = {}
            last: Bag = {}
            for part in parts:
                _add(empty, part[0])
                _add(first, part[1])
                _add(last, part[2])
            return empty, first, last
        if isinstance(node, Sequence):
            return self._row([self._parts(item) for item in node.items])
        return self._repeated(node)

    def _row(self, parts: list[tuple[Ways, Bag, Bag]]) -> tuple[Ways, Bag, Bag]:
        empty: Ways = {0: 1}
        first: Bag = {}
        last: Bag = {}
        for each, begins, ends in parts:
            self._connect(last, begins)
            _add(first, _through(begins, empty))
            last = _through(last, each)
            _add(last, ends)
            both: Ways = {}
            for needs, ways in empty.items():
                for more, count in each.items():
                    both[needs | more] = min(2, both.get(needs | more, 0) + ways * count)
            empty = both
        return empty, first, last

    def _repeated(self, node: Repeat) -> tuple[Ways, Bag, Bag]:
        if node.most == 0:
            return {0: 1}, {}, {}
        least, most = node.least, node.most
        if most is not None and most > MAX_REPEAT_COPIES and most > least:
            most = None
        if most is not None:
            most = min(most, 5 * MAX_REPEAT_COPIES)
            least = min(least, most)
            copies = [self._parts(node.item) for _ in range(most)]
            return self._optional_row(copies, least)
        copies = [self._parts(node.item) for _ in range(max(1, min(least, MAX_REPEAT_COPIES)))]
        _, first, last = copies[-1]
        self._connect(last, first)
        if least == 0:
            copies[-1] = {0: 1}, first, last
        return self._row(copies)

    def _optional_row(self, copies: list[tuple[Ways, Bag, Bag]], least: int) -> tuple[Ways, Bag, Bag]:
        """``x{2,4}``: two and then ``(x(x)?)?``, so that a way out is the same after each."""
        rest: tuple[Ways, Bag, Bag] = {0: 1}, {}, {}
        for copy in reversed(copies[least:]):
            _, first, last = self._row([({}, copy[1], copy[2]), rest])
            rest = {0: 1}, first, last
        return self._row([*copies[:least], rest])


def _add(into: dict[Key, int], more: dict[Key, int]) -> None:
    for key, ways in more.items():
        into[key] = min(2, into.get(key, 0) + ways)


def _through(bag: Bag, empty: Ways) -> Bag:
    """What stays of a bag where something that may be empty lies before or behind."""
    found: Bag = {}
    for (state, needs), ways in bag.items():
        for more, count in empty.items():
            key = state, needs | more
            found[key] = min(2, found.get(key, 0) + ways * count)
    return found
