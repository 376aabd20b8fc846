"""The worst-case time of a backtracking matcher with a pattern, and a text that shows it.

Two analyses check each other. The automaton's ambiguity (``ambiguity``) gives words that can be read in more and more
ways. Each is put into texts ``prefix + word * n + suffix`` that should fail, and the counting matcher (``matcher``)
measures how the steps grow. Only what both find is reported: a pattern that accepts any text after its loop is
harmless, and so is one whose lookahead rejects all such texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from pyrograph.policy.limits.patterns import (
    ALL_TRIAL_STEPS,
    DEGREE_AT,
    EXPLOSIVE_TEXT,
    EXPONENTIAL_AT,
    EXPONENTIAL_GROWTH,
    MAX_AMBIGUITY_WORK,
    MAX_LOOPS,
    MAX_REPEAT_COPIES,
    MAX_SUFFIXES,
    SURE_AT,
    SURE_STEPS,
    TRIAL_STEPS,
    UNREADABLE_STEPS,
)
from pyrograph.scanner.analysis.patterns import ambiguity, automaton, charset
from pyrograph.scanner.analysis.patterns.alphabet import Alphabet
from pyrograph.scanner.analysis.patterns.ambiguity import Budget, Loop, OutOfBudget
from pyrograph.scanner.analysis.patterns.automaton import Automaton
from pyrograph.scanner.analysis.patterns.dialect import RE, Dialect
from pyrograph.scanner.analysis.patterns.matcher import Kind, Matcher
from pyrograph.scanner.analysis.patterns.parse import (
    Atomic,
    BackReference,
    Either,
    Group,
    Look,
    Node,
    One,
    Repeat,
    Sequence,
    Unreadable,
    parse,
)

NOWHERE: Final = "\ue000"  # stands for a back-reference that fails: no text that is tried has it


@dataclass(frozen=True, slots=True)
class Growth:
    """What matching takes at worst, for texts of growing length."""

    order: Literal["linear", "polynomial", "exponential", "unknown"]
    degree: int = 1  # of the polynomial, as far as one repeated word shows it; 0 if exponential or unknown
    prefix: str = ""  # prefix + word * n + suffix takes so long, for growing n
    word: str = ""
    suffix: str = ""
    reason: str = ""  # why it is unknown
    cost: int = field(default=0, compare=False, repr=False)  # steps that finding out took, about a microsecond each


@lru_cache(maxsize=4096)
def growth(
    pattern: str, flags: str = "", dialect: Dialect = RE, kind: Kind = "search", *, polynomial: bool = True
) -> Growth:
    """How the time of ``kind`` with this pattern grows, at worst.

    Args:
        pattern: What ``re.compile`` is given, or what stands between the slashes.
        flags: Letters, see ``parse``.
        polynomial: Whether to look for polynomial growth; otherwise it counts as linear, which is quicker.

    Never raises; what is too large, or not looked at (set operations), is "unknown" with a reason. So is a pattern with
    a back-reference, unless what stands before it grows. Milliseconds; a pattern that is suspicious takes up to a tenth
    of a second, for it is tried.

    >>> growth("(a+)+$"), growth("(a+)+").order, growth("a+$").degree
    (Growth(order='exponential', degree=0, prefix='a', word='a', suffix='x', reason=''), 'linear', 2)
    """
    try:
        node = parse(pattern, flags, dialect)
        if not repeats(node):
            return Growth("linear")
        question = _Question(node, dialect, kind)
        answer = question.answer(polynomial=polynomial)
        return replace(answer, cost=question.tried + question.compared)
    except BackReference as reference:
        return _growth_before(reference, dialect, kind, polynomial=polynomial)
    except Unreadable as unreadable:
        return Growth("unknown", 0, reason=str(unreadable), cost=UNREADABLE_STEPS)


def _growth_before(reference: BackReference, dialect: Dialect, kind: Kind, *, polynomial: bool) -> Growth:
    """The growth of what stands before a back-reference: "unknown" where that is linear.

    A text that it does not match is no match of the whole either, and takes the same steps. Nor is one that it matches
    in many ways, if nothing that the reference may repeat stands in the repeated word or behind it.
    """
    cost = UNREADABLE_STEPS
    for failing in (False, True):
        node = Sequence((reference.before, One(charset.codes(NOWHERE)))) if failing else reference.before
        if not repeats(node) or (failing and not _has_text(reference.referred)):
            break
        question = _Question(node, dialect, "match" if kind == "fullmatch" else kind)
        answer = question.answer(polynomial=polynomial)
        cost += question.tried + question.compared
        if answer.order in ("exponential", "polynomial") and not (
            failing and _may_stand_in(reference.referred, answer.word + answer.suffix)
        ):
            return replace(answer, cost=cost)
    return Growth("unknown", 0, reason=str(reference), cost=cost)


def _has_text(node: Node | None) -> bool:
    """Whether what a node matches has one character at least."""
    if isinstance(node, Sequence):
        return any(_has_text(item) for item in node.items)
    if isinstance(node, Either):
        return all(_has_text(item) for item in node.items)
    if isinstance(node, Repeat):
        return node.least > 0 and _has_text(node.item)
    return isinstance(node, One) or (isinstance(node, (Group, Atomic)) and _has_text(node.item))


def _may_stand_in(node: Node | None, text: str) -> bool:
    """Whether a character that a node matches stands in a text."""
    if isinstance(node, (Sequence, Either)):
        return any(_may_stand_in(item, text) for item in node.items)
    if isinstance(node, (Group, Atomic, Repeat, Look)):
        return _may_stand_in(node.item, text)
    return isinstance(node, One) and any(low <= ord(c) <= high for low, high in node.chars for c in text)


def repeats(node: Node) -> bool:
    """Whether something in the tree is repeated often."""
    if isinstance(node, Repeat):
        return node.most is None or node.most > MAX_REPEAT_COPIES or repeats(node.item)
    if isinstance(node, (Sequence, Either)):
        return any(repeats(item) for item in node.items)
    return isinstance(node, (Group, Atomic, Look)) and repeats(node.item)


class Tired(Exception):
    """All trials together took more steps than are given to a pattern."""


class _Question:
    def __init__(self, node: Node, dialect: Dialect, kind: Kind) -> None:
        self.kind: Kind = kind
        self.tried = 0  # steps of the matcher
        self.compared = 0  # of the ambiguity's
        self.matched: bool | None = False  # what the last trial said
        self.alphabet = Alphabet(node)
        self.matcher = Matcher(node, dialect, self.alphabet)
        self.automata = [(automaton.build(part, self.alphabet), before) for part, before in pieces(node)]
        self.parts = [(each, self._way_to(before)) for each, before in self.automata]

    def _way_to(self, before: Node) -> str:
        """A short text that leads to a part that is matched on its own."""
        built = automaton.build(before, self.alphabet)
        found = [ambiguity.path(built, 0, end) for end in sorted(built.accepting)]
        return min((each for each in found if each is not None), key=len, default="")

    def answer(self, *, polynomial: bool) -> Growth:
        budget = Budget()
        try:
            return self._answer(budget, polynomial=polynomial)
        finally:
            self.compared = MAX_AMBIGUITY_WORK - budget.left

    def _answer(self, budget: Budget, *, polynomial: bool) -> Growth:
        components = [ambiguity.components(automat) for automat, _ in self.parts]
        self.worst = Growth("linear")
        reason = ""
        for search in (self._exponential, self._polynomial) if polynomial else (self._exponential,):
            for (automat, before), component in zip(self.parts, components, strict=True):
                try:
                    search(automat, before, component, budget)
                except OutOfBudget:
                    reason = "too many ways to compare"
                except Tired:
                    reason = "too many texts to try"
                if self.worst.order == "exponential":
                    return self.worst
        return Growth("unknown", 0, reason=reason) if reason and self.worst.order == "linear" else self.worst

    def _exponential(self, automat: Automaton, before: str, component: list[int], budget: Budget) -> None:
        for loop in first_loops(ambiguity.exponential(automat, component, budget)):
            for prefix, suffix, at_start in self._texts(automat, before, loop):
                if self._explodes(prefix, loop.word, suffix, at_start=at_start):
                    self.worst = Growth("exponential", 0, prefix, loop.word, suffix)
                    return

    def _polynomial(self, automat: Automaton, before: str, component: list[int], budget: Budget) -> None:
        searched = self.kind == "search" and not before and not automat.anchored
        for loop in first_loops(ambiguity.polynomial(automat, component, budget, searched=searched)):
            for prefix, suffix, _ in self._texts(automat, before, loop):
                degree = self._degree(prefix, loop.word, suffix)
                if degree > self.worst.degree:
                    self.worst = Growth("polynomial", degree, prefix, loop.word, suffix)
                if degree > 1:
                    break

    def _explodes(self, prefix: str, word: str, suffix: str, *, at_start: bool) -> bool:
        """Whether steps grow with the repetitions as only those of very high polynomials do.

        ``at_start``: the word is reached from where the text begins; no other start is looked at.
        """
        kind: Kind = "match" if at_start and self.kind == "search" else self.kind
        steps: list[int] = []
        text = ""
        for times in EXPONENTIAL_AT:
            text = prefix + word * times + suffix
            steps.append(self._steps(text, kind))
            if steps[-1] == TRIAL_STEPS:
                break
        if steps[-1] == TRIAL_STEPS:
            steps.pop()
            if self._steps(prefix + word * SURE_AT + suffix, kind, SURE_STEPS) < SURE_STEPS:
                return False  # many, and no more with a longer text
        if len(steps) < 3:  # too many at once: more than any pattern takes for so short a text
            return len(text) <= EXPLOSIVE_TEXT
        more = [later - earlier for earlier, later in pairwise(steps)]  # what the way to the word takes is in all
        return all(later >= EXPONENTIAL_GROWTH * earlier > 0 for earlier, later in pairwise(more[-3:]))

    def _degree(self, prefix: str, word: str, suffix: str) -> int:
        """The degree that the steps show when a text becomes twice as long; at least that, where they hit the limit."""
        steps: list[int] = []
        for times in DEGREE_AT:
            steps.append(self._steps(prefix + word * times + suffix))
            if steps[-1] == TRIAL_STEPS:
                break
        if len(steps) < 3:
            return 1
        if steps[-1] == TRIAL_STEPS and len(steps) > 4:
            steps.pop()
        first, second, third = steps[-3:]
        return round(math.log2(max(1, third - second) / max(1, second - first)))

    def _steps(self, text: str, kind: Kind | None = None, limit: int = TRIAL_STEPS) -> int:
        steps, self.matched = self.matcher.steps(text, kind or self.kind, limit)
        self.tried += steps
        if self.tried > ALL_TRIAL_STEPS:
            raise Tired
        return steps

    def _texts(self, automat: Automaton, before: str, loop: Loop) -> Iterator[tuple[str, str, bool]]:
        """What to put before and behind the word so that matching should fail, and whether the first of it belongs to
        the way to the word.
        """
        way = ambiguity.path(automat, 0, loop.state)
        if way is None:
            return
        for suffix in self._suffixes(automat, way, loop.word):
            yield before + way, suffix, True
            if self.matched and suffix and self.kind == "search" and not automat.anchored:
                yield suffix + before + way, suffix, False  # something else matched at the start

    def _suffixes(self, automat: Automaton, prefix: str, word: str) -> list[str]:
        """Short texts after which no way is left, or none that may end there; best first."""
        moving = 0 if self.kind != "search" or automat.anchored else 1
        states = frozenset([0])
        for letter in self.alphabet.letters(prefix + word * 3):
            states = self._move(automat, states, letter, moving)
        ends = automat.accepting | automat.ending
        if self.kind == "fullmatch":
            ends = ends | automat.accepting
        found: list[str] = []
        again: list[str] = []
        for letter in self.alphabet.order:
            after = self._move(automat, states, letter, moving)
            if not (after - {0}) & ends:
                sample = self.alphabet.samples[letter]
                (again if after - {0} else found).append(sample)
                if sample == "\n":
                    found[-1:] = ["\n\n"] if found[-1:] == ["\n"] else found[-1:]
        if not states & ends:
            again.insert(0, "")
        return [*found[: MAX_SUFFIXES - 2], *again[:2], *found[MAX_SUFFIXES - 2 :]][:MAX_SUFFIXES]

    def _move(self, automat: Automaton, states: frozenset[int], letter: int, moving: int) -> frozenset[int]:
        masks = automat.masks
        reached = {s for state in states for s in automat.successors[state] if masks[s] >> letter & 1}
        return frozenset(reached | {0}) if moving else frozenset(reached)


def pieces(node: Node) -> Iterator[tuple[Node, Node]]:
    """What is matched on its own, with what stands before: the pattern, and lookaheads and atomic groups in it."""
    yield node, Sequence(())
    work: list[tuple[Node, tuple[Node, ...]]] = [(node, ())]
    while work:
        at, before = work.pop()
        if isinstance(at, Sequence):
            work += [(item, (*before, *at.items[:index])) for index, item in enumerate(at.items)]
        elif isinstance(at, Either):
            work += [(item, before) for item in at.items]
        elif isinstance(at, (Group, Repeat)):
            work.append((at.item, before))
        elif isinstance(at, (Look, Atomic)):
            if not (isinstance(at, Look) and at.behind) and repeats(at.item):
                yield at.item, Sequence(before)
            work.append((at.item, before))


def first_loops(loops: Iterator[Loop]) -> Iterator[Loop]:
    """The first few candidates, each word but once for a state."""
    seen: set[Loop] = set()
    for loop in loops:
        if loop not in seen:
            seen.add(loop)
            yield loop
        if len(seen) >= MAX_LOOPS:
            return
