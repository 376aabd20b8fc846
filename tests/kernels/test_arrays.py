"""Orders by packed numbers are the orders that NumPy's stable sorts give."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.kernels.arrays import FEW_KEYS, order_of, stable_order

TYPES: tuple[type[np.integer], ...] = (np.int32, np.int64, np.uint32, np.uint64, np.intp)
WIDE = 2**62  # such keys and a place do not fit into one number


@given(st.data())
def test_a_stable_order_is_that_of_numpy(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(TYPES))
    info = np.iinfo(dtype)
    edges = st.sampled_from((int(info.min), int(info.max), 0, min(WIDE, int(info.max))))
    few = data.draw(st.lists(st.integers(int(info.min), int(info.max)) | st.integers(0, 3) | edges, max_size=12))
    keys = np.array(few * data.draw(st.sampled_from((1, FEW_KEYS))), dtype)
    assert stable_order(keys).tolist() == keys.argsort(kind="stable").tolist()


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2**40), st.integers(0, 1)), max_size=12))
def test_an_order_of_columns_is_that_of_numpy(rows: list[tuple[int, int, int]]) -> None:
    many = rows * FEW_KEYS
    first, second, third = (np.array([row[at] for row in many], np.int64) for at in range(3))
    assert order_of(first, second, third).tolist() == np.lexsort((third, second, first)).tolist()
