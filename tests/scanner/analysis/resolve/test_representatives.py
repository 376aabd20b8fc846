"""Chains of versions end in one representative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.scanner.analysis.resolve.representatives import _jump


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), max_size=40))
def test_chains_are_followed_to_their_ends(back: list[int]) -> None:
    parent = np.array([max(at - steps, 0) for at, steps in enumerate(back)], np.intp)
    ends = []
    for end in range(len(parent)):
        while parent[end] != end:
            end = int(parent[end])
        ends.append(end)
    _jump(parent, np.arange(len(parent)))
    assert parent.tolist() == ends


@pytest.mark.parametrize("mark", ["@classmethod\n    ", ""])
def test_what_super_leaves_is_the_receiver_in_class_methods(mark: str) -> None:
    code = f"class C(B):\n    {mark}def f(cls):\n        super().f()\n        cls.x = 1\n"
    solver = parts(code, "python")
    reps, [store] = solver.points.reps, solver.accesses.store_object
    [receiver] = [reps[value] for value in solver.functions.param_value]
    assert (reps[store] == receiver) == bool(mark)


@pytest.mark.parametrize("length", range(1, 40))
def test_a_chain_of_any_length_is_followed_to_its_end(length: int) -> None:
    parent = np.maximum(np.arange(length + 1, dtype=np.intp) - 1, 0)
    _jump(parent, np.arange(1, length + 1))
    assert parent.tolist() == [0] * (length + 1)
