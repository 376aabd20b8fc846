"""Lineages: a class and its bases in the order in which members are looked up.

Bases become known in any order, and only add to what is known. What was looked up before is looked up again
(``Classes.change``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_LINEAGE
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.files import Files
from pyrograph.scanner.analysis.resolve.resolution import Resolution

MANY_BASES: Final = f"a class and those above it are more than {MAX_LINEAGE}; those further away are ignored"


class Lineages:
    """The bases of classes, in the order of their declaration, and the lineages that follow from them."""

    def __init__(self, program: Program, resolution: Resolution, files: Files, owner_value: Sequence[int]) -> None:
        self.program, self.resolution, self.files = program, resolution, files
        self.owner_value = owner_value
        self.bases = resolution.class_bases  # class -> classes
        self.rows: dict[int, list[int]] = {}  # class -> for each of these, the row that declares it
        self.orders: dict[int, list[int]] = {}  # a cache, cleared when a base becomes known
        self.sets: dict[int, frozenset[int]] = {}  # the same as sets
        self.merges: dict[int, list[int]] = {}  # class -> its lineage in the C3 order; cleared as well
        self.version = 0  # how many bases are known
        self.last_change = 0  # of ``Classes.changes``, the last that was a new base, also one of a library

    def add(self, owner: int, base: int, row: int) -> None:
        """``row`` of the table of bases declares ``base`` as a base of ``owner``."""
        self.orders.clear()
        self.merges.clear()
        self.sets.clear()
        self.version += 1
        bases, rows = self.bases.setdefault(owner, []), self.rows.setdefault(owner, [])
        place = bisect_right(rows, row)
        bases.insert(place, base)
        rows.insert(place, row)

    def as_set(self, owner: int) -> frozenset[int]:
        """``of`` as a set."""
        known = self.sets.get(owner)
        if known is None:
            known = self.sets[owner] = frozenset(self.of(owner))
        return known

    def of(self, owner: int) -> list[int]:
        """The class and its bases in the order in which members are looked up; at most ``MAX_LINEAGE``.

        Where bases are parts of the object, the nearest come first. Elsewhere Python's order (C3): a class comes before
        its bases, and bases keep the order in which each class declares them. Where no order does both, a class comes
        before its bases, and so in a lineage that is cut.
        """
        order = self.orders.get(owner)
        if order is None:
            order = self.nearest_first(owner)
            is_chain = all([len(self.bases.get(each, ())) <= 1 for each in order])
            if not is_chain and not self.files.traits_of(self.owner_value[owner]).dispatch.bases_are_parts:
                topological = self.topological(owner, frozenset(order))
                # the order of a lineage that is cut is not Python's
                order = (self.merged(topological) if len(order) < MAX_LINEAGE else []) or topological
            self.orders[owner] = order
        return order

    def nearest_first(self, owner: int) -> list[int]:
        """The class and its bases by their distance."""
        order = [owner]
        for each in order:
            for base in self.bases.get(each, ()):
                if base in order:
                    continue
                if len(order) < MAX_LINEAGE:
                    order.append(base)
                else:
                    file = self.program.file_of_value[self.owner_value[owner]]
                    self.resolution.report(MANY_BASES, self.program.files[file].path, 0)
        return order

    def topological(self, owner: int, lineage: frozenset[int]) -> list[int]:
        """The classes of a lineage, each before its bases: those that a depth-first search leaves last come first. It
        enters the bases that are declared last first.
        """
        order: list[int] = []
        entered = {owner}
        work = [(owner, list(self.bases.get(owner, ())))]
        while work:  # a class is entered once, and each of its bases is taken once
            each, bases = work[-1]
            if not bases:
                order.append(each)
                work.pop()
            elif (base := bases.pop()) in lineage and base not in entered:
                entered.add(base)
                work.append((base, list(self.bases.get(base, ()))))
        return order[::-1]

    def merged(self, topological: list[int]) -> list[int]:
        """The C3 order of the first of these classes, which hold all their bases; empty if there is none, or if classes
        extend each other.
        """
        for each in reversed(topological):
            if each in self.merges:
                continue
            bases = self.bases.get(each, [])
            if not all([base in self.merges for base in bases]):
                return []
            rest = merge([*[self.merges[base] for base in bases], bases])
            if rest is None:
                return []
            self.merges[each] = [each, *rest]
        return self.merges[topological[0]]


def merge(orders: list[list[int]]) -> list[int] | None:
    """One order in which classes follow each other as in each of ``orders``: the first head that is nowhere behind
    another class comes next. None if there is none. O(length of all + length of the result * number of orders).
    """
    found: list[int] = []
    at = [0] * len(orders)  # where the rest of each order begins
    behind: dict[int, int] = {}  # class -> rests in which it stands behind their head
    for order in orders:
        for each in order[1:]:
            behind[each] = behind.get(each, 0) + 1
    left = sum([len(order) for order in orders])
    while left:
        head = NONE
        for number, order in enumerate(orders):
            if at[number] < len(order) and not behind.get(order[at[number]]):
                head = order[at[number]]
                break
        if head == NONE:
            return None
        found.append(head)
        for number, order in enumerate(orders):
            if at[number] < len(order) and order[at[number]] == head:
                at[number] += 1
                left -= 1
                if at[number] < len(order):
                    behind[order[at[number]]] -= 1
    return found
