"""Boolean functions of decisions: when control is where.

A function is a number: 0 is never, 1 always, any other a node of a reduced ordered decision diagram (Bryant, IEEE
Transactions on Computers 1986). Equal functions have equal numbers, so that "both arms of this test meet here" is seen
to be "always".
"""

from __future__ import annotations

from collections.abc import Hashable

from pyrograph.policy.limits.lowering import MAX_DECISION_NODES

NEVER, ALWAYS = 0, 1


class TooManyDecisions(Exception):
    """The functions of one loop need more than ``MAX_DECISION_NODES`` nodes."""


class Decisions:
    """Builds functions; atoms are numbered in the order in which they are first named."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int]] = [(-1, 0, 0), (-1, 1, 1)]  # (atom, where it holds, where not)
        self.atoms: list[Hashable] = []
        self._numbers: dict[tuple[int, int, int], int] = {}
        self._atom_numbers: dict[Hashable, int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}
        self._constrained: dict[tuple[int, int], int] = {}

    def atom(self, name: Hashable) -> int:
        """The function that holds where the decision ``name`` does."""
        number = self._atom_numbers.get(name)
        if number is None:
            number = self._atom_numbers[name] = len(self.atoms)
            self.atoms.append(name)
        return self._node(number, ALWAYS, NEVER, limited=False)

    def both(self, f: int, g: int) -> int:
        return self.choice(f, g, NEVER)

    def either(self, f: int, g: int) -> int:
        return self.choice(f, ALWAYS, g)

    def negation(self, f: int) -> int:
        return self.choice(f, NEVER, ALWAYS)

    def choice(self, f: int, g: int, h: int) -> int:
        """``g`` where ``f`` holds, else ``h``."""
        if f == ALWAYS or g == h:
            return g
        if f == NEVER:
            return h
        if (g, h) == (ALWAYS, NEVER):
            return f
        key = (f, g, h)
        found = self._chosen.get(key)
        if found is None:
            top = min(self.nodes[each][0] for each in key if each > ALWAYS)
            high = self.choice(*(self._part(each, top, 1) for each in key))
            low = self.choice(*(self._part(each, top, 2) for each in key))
            found = self._chosen[key] = self._node(top, high, low)
        return found

    def constrain(self, f: int, care: int) -> int:
        """A function, often smaller, that is ``f`` wherever ``care`` holds (Coudert and Madre, ICCAD 1990)."""
        if f <= ALWAYS or care == ALWAYS:
            return f
        if f == care or care == NEVER:
            return ALWAYS
        key = (f, care)
        found = self._constrained.get(key)
        if found is None:
            top = min(self.nodes[f][0], self.nodes[care][0])
            high, low = self._part(care, top, 1), self._part(care, top, 2)
            if high == NEVER:
                found = self.constrain(self._part(f, top, 2), low)
            elif low == NEVER:
                found = self.constrain(self._part(f, top, 1), high)
            else:
                found = self._node(
                    top, self.constrain(self._part(f, top, 1), high), self.constrain(self._part(f, top, 2), low)
                )
            self._constrained[key] = found
        return found

    def _part(self, f: int, atom: int, side: int) -> int:
        return self.nodes[f][side] if self.nodes[f][0] == atom else f

    def _node(self, atom: int, high: int, low: int, *, limited: bool = True) -> int:
        if high == low:
            return high
        key = (atom, high, low)
        number = self._numbers.get(key)
        if number is None:
            if limited and len(self.nodes) >= MAX_DECISION_NODES:
                raise TooManyDecisions
            number = self._numbers[key] = len(self.nodes)
            self.nodes.append(key)
        return number
