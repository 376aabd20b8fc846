"""Chains of versions end in one representative."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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
