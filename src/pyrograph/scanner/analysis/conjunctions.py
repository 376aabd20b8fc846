"""Conditions that are made of others: ``a and b``, and by the law of De Morgan ``a or b``, whose parts both fail.

A condition of the table ``conjunctions`` holds if both of its parts have the sides that the table names.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyrograph.scanner.analysis.link import Program

Side = tuple[int, int]  # a condition and the side of it: 1 where it holds, else 0
Conjunctions = Mapping[int, list[Side]]  # by condition: the sides of its two parts where it holds


def conjunctions_of(program: Program) -> dict[int, list[Side]]:
    """The parts of all conditions that are made of others."""
    table = program.tables["conjunctions"]
    names = ("condition", "left", "left_side", "right", "right_side")
    return {
        at: [(left, left_side), (right, right_side)]
        for at, left, left_side, right, right_side in zip(*(table[name].tolist() for name in names), strict=True)
    }


def conjuncts(conjunctions: Conjunctions, condition: int, side: int = 1) -> list[Side]:
    """The sides that all hold where ``condition`` has ``side``: itself, or those of its parts.

    Of a conjunction that does not hold, nothing is known about either part: it stays whole.
    """
    found: list[Side] = []
    work = [(condition, side)]
    while work:  # conjunctions are made of conditions before them
        at, wanted = work.pop()
        parts = conjunctions.get(at) if wanted else None
        if parts is None:
            found.append((at, wanted))
        else:
            work += parts
    return found
