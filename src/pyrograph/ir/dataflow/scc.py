"""Strongly connected components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def strong_components(inputs: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of ``inputs`` (node -> its inputs), each after those it depends on.

    Inputs that are not keys are ignored.

    Tarjan's algorithm (SIAM Journal on Computing 1972) without recursion; time linear in keys and inputs.

    >>> strong_components({1: [2], 2: [1, 0], 3: [2]})
    [[2, 1], [3]]
    """
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for root in inputs:
        if root in order:
            continue
        stack = [(root, 0)]
        while stack:
            value, at = stack.pop()
            if at == 0:
                order[value] = lowest[value] = len(order)
                open_.append(value)
                is_open.add(value)
            origins = inputs[value]
            while at < len(origins):
                origin = origins[at]
                at += 1
                if origin not in inputs:
                    continue
                if origin not in order:
                    stack += [(value, at), (origin, 0)]
                    break
                if origin in is_open:
                    lowest[value] = min(lowest[value], order[origin])
            else:
                if lowest[value] == order[value]:
                    first = open_.index(value)
                    found.append(open_[first:][::-1])
                    is_open.difference_update(open_[first:])
                    del open_[first:]
                if stack:
                    outer = stack[-1][0]
                    lowest[outer] = min(lowest[outer], lowest[value])
    return found
