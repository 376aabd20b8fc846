"""Where a pattern may read one text in many ways: loops of its automaton that are candidates for backtracking.

A backtracking matcher that fails has gone every way the automaton can go. By Weber and Seidl ("On the degree of
ambiguity of finite automata", 1991) there are exponentially many exactly where a state has two different loops over one
word (EDA), and polynomially many where a state with a loop leads over the same word to another with a loop (IDA); that
matching time follows is from Weideman, van der Merwe, Berglund and Watson, "Analyzing Matching Time Behavior of
Backtracking Regular Expression Matchers by Using Ambiguity of NFA" (CIAA 2016). Both are searches in products of the
automaton with itself, inside its strong components; ``Budget`` bounds them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from pyrograph.policy.limits.patterns import MAX_AMBIGUITY_WORK, MAX_WORD, STATES_PER_STEP
from pyrograph.scanner.analysis.patterns.automaton import Automaton


class Loop(NamedTuple):
    """A word that can be read again and again from ``state``, in more ways each time."""

    state: int
    word: str


class OutOfBudget(Exception):
    """The products are too large."""


class Budget:
    def __init__(self, work: int = MAX_AMBIGUITY_WORK) -> None:
        self.left = work

    def spend(self, work: int = 1) -> None:
        self.left -= work
        if self.left < 0:
            raise OutOfBudget


def components(automaton: Automaton) -> list[int]:
    """(n,) the number of each state's strong component, or -1 for a state that is on no loop (Tarjan 1972)."""
    successors = automaton.successors
    size = len(successors)
    order, low, found = [-1] * size, [0] * size, [-1] * size
    on_stack = [False] * size
    stack: list[int] = []
    counter = number = 0
    for root in range(size):
        if order[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            state, at = work.pop()
            if at == 0:
                order[state] = low[state] = counter
                counter += 1
                stack.append(state)
                on_stack[state] = True
            descended = False
            for index in range(at, len(successors[state])):
                following = successors[state][index]
                if order[following] < 0:
                    work += [(state, index + 1), (following, 0)]
                    descended = True
                    break
                if on_stack[following]:
                    low[state] = min(low[state], order[following])
            if descended:
                continue
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[state])
            if low[state] == order[state]:
                members = []
                while True:
                    member = stack.pop()
                    on_stack[member] = False
                    members.append(member)
                    if member == state:
                        break
                if len(members) > 1 or state in successors[state]:
                    for member in members:
                        found[member] = number
                    number += 1
    return found


def exponential(automaton: Automaton, component: list[int], budget: Budget) -> Iterator[Loop]:
    """States with two different loops over one word, the word with each; at most one for a pair of ways.

    Raises:
        OutOfBudget: The product was too large; what came before holds.
    """
    masks, sample = automaton.masks, automaton.alphabet.sample
    for origin, target in sorted(automaton.twice):
        if component[origin] == component[target] >= 0:
            back = path(automaton, target, origin, component[origin], component)
            if back is not None:
                yield Loop(origin, sample(masks[target]) + back)
    inside = [
        [each for each in following if component[each] == component[state] >= 0]
        for state, following in enumerate(automaton.successors)
    ]
    dead: set[tuple[int, int]] = set()
    looked: set[tuple[int, ...]] = set()
    for state, following in enumerate(inside):
        if len(following) < 2 or tuple(following) in looked:
            continue
        looked.add(tuple(following))
        for pair in overlapping(following, masks, budget):
            if pair not in dead and (word := joined(automaton, inside, pair, dead, budget)) is not None:
                letters, meeting = word
                back = path(automaton, meeting, state, component[state], component)
                first = sample(masks[pair[0]] & masks[pair[1]])
                if back is not None and len(letters) + len(back) < MAX_WORD:
                    yield Loop(state, first + letters + back)


def overlapping(states: list[int], masks: list[int], budget: Budget) -> Iterator[tuple[int, int]]:
    """Pairs of these states that have a letter in common."""
    for at, one in enumerate(states):
        budget.spend(1 + (len(states) - at) // STATES_PER_STEP)
        mask = masks[one]
        for other in states[at + 1 :]:
            if mask & masks[other]:
                yield one, other


def joined(
    automaton: Automaton,
    inside: list[list[int]],
    pair: tuple[int, int],
    dead: set[tuple[int, int]],
    budget: Budget,
) -> tuple[str, int] | None:
    """The shortest word over which two states come to one and the same, and that one; what never does is ``dead``."""
    masks = automaton.masks
    came: dict[tuple[int, int], tuple[int, int] | None] = {pair: None}
    queue = deque([pair])
    while queue:
        one, other = at = queue.popleft()
        for first in inside[one]:
            mask = masks[first]
            budget.spend(1 + len(inside[other]) // STATES_PER_STEP)
            for second in inside[other]:
                if not mask & masks[second]:
                    continue
                reached = (first, second) if first <= second else (second, first)
                if reached in came or reached in dead:
                    continue
                came[reached] = at
                if first == second:
                    return spelled(automaton, came, reached, pair), first
                queue.append(reached)
    dead.update(came)
    return None


def spelled(
    automaton: Automaton,
    came: dict[tuple[int, ...], tuple[int, ...] | None] | dict[tuple[int, int], tuple[int, int] | None],
    end: tuple[int, ...],
    start: tuple[int, ...],
) -> str:
    """The word on the way from ``start`` to ``end``."""
    letters = []
    at: tuple[int, ...] | None = end
    while at is not None and at != start:
        mask = -1
        for state in at:
            mask &= automaton.masks[state]
        letters.append(automaton.alphabet.sample(mask))
        at = came[at]  # type: ignore[index]
    return "".join(reversed(letters))


def path(
    automaton: Automaton, origin: int, target: int, within: int = -1, component: list[int] | None = None
) -> str | None:
    """The shortest word from one state to another, in one strong component if that is given; None: there is none."""
    came: dict[int, int] = {origin: -1}
    queue = deque([origin])
    while queue and target not in came:
        state = queue.popleft()
        for following in automaton.successors[state]:
            if following not in came and (component is None or component[following] == within):
                came[following] = state
                queue.append(following)
    if target not in came:
        return None
    letters = []
    while target != origin:
        letters.append(automaton.alphabet.sample(automaton.masks[target]))
        target = came[target]
    return "".join(reversed(letters))


def polynomial(automaton: Automaton, component: list[int], budget: Budget, *, searched: bool) -> Iterator[Loop]:
    """Loops after which another loop can read on over the same word; where it is ``searched``, the search for where a
    match begins is a loop before all: state 0.

    Raises:
        OutOfBudget: The product was too large; what came before holds.
    """
    masks = automaton.masks
    members: dict[int, list[int]] = {}
    for state, number in enumerate(component):
        if number >= 0:
            members.setdefault(number, []).append(state)
    letters = {number: union_of(masks, states) for number, states in members.items()}
    origins = [0] if searched else []
    if len(members) > 1:
        origins += [state for states in members.values() for state in states]
    reached: set[int] = set()
    before: int | None = None
    for origin in origins:
        if component[origin] != before:
            before, reached = component[origin], reachable(automaton, origin)
        budget.spend(len(members))
        for number, states in members.items():
            if number == component[origin] or states[0] not in reached:
                continue
            if origin and not letters[number] & letters[component[origin]]:
                continue
            for state in states:
                word = bridge(automaton, component, origin, state, budget)
                if word is not None:
                    yield Loop(origin, word)
                    break


def union_of(masks: list[int], states: list[int]) -> int:
    found = 0
    for state in states:
        found |= masks[state]
    return found


def reachable(automaton: Automaton, origin: int) -> set[int]:
    seen = {origin}
    work = [origin]
    while work:
        for following in automaton.successors[work.pop()]:
            if following not in seen:
                seen.add(following)
                work.append(following)
    return seen


def bridge(automaton: Automaton, component: list[int], origin: int, target: int, budget: Budget) -> str | None:
    """A word that leads from ``origin`` to itself, from it to ``target``, and from ``target`` to itself."""
    masks, successors = automaton.masks, automaton.successors
    everything = -1
    start, goal = (origin, origin, target), (origin, target, target)
    came: dict[tuple[int, int, int], tuple[int, int, int] | None] = {start: None}
    spoken: dict[tuple[int, int, int], int] = {start: everything}
    queue = deque([start])
    while queue:
        first, middle, last = at = queue.popleft()
        around = [0] if not origin else [s for s in successors[first] if component[s] == component[origin]]
        ends = [s for s in successors[last] if component[s] == component[target]]
        between = [*successors[middle], *([0] if not middle and not origin else [])]
        for one in around:
            budget.spend()
            mask = masks[one] if origin else everything
            for two in between:
                both = mask & masks[two] if two else mask
                if not both:
                    continue
                for three in ends:
                    reached = one, two, three
                    shared = both & masks[three]
                    if shared and reached not in came:
                        budget.spend()
                        came[reached], spoken[reached] = at, shared
                        queue.append(reached)
        if goal in came:
            letters = []
            step: tuple[int, int, int] | None = goal
            while step is not None and step != start:
                letters.append(automaton.alphabet.sample(spoken[step]))
                step = came[step]
            return "".join(reversed(letters)) if len(letters) <= MAX_WORD else None
    return None
