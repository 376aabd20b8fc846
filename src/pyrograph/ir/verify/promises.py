"""Broken promises, collected as sentences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pyrograph.policy.limits.lowering import MAX_SHOWN_ROWS

Mask = npt.NDArray[np.bool_]


class Promises:
    """Broken promises, as sentences."""

    def __init__(self) -> None:
        self.broken: list[str] = []

    def check(self, broken: Mask, why: str, show: Callable[[int], str]) -> bool:
        """Note the rows where ``broken`` holds, ``MAX_SHOWN_ROWS`` of them one by one; whether there are none.

        ``show`` says which cell a row's number stands for, and what it holds.
        """
        (rows,) = broken.nonzero()
        if not len(rows):
            return True
        self.broken += [f"{show(row)}: {why}" for row in rows[:MAX_SHOWN_ROWS].tolist()]
        if len(rows) > MAX_SHOWN_ROWS:
            self.broken.append(f"… and {len(rows) - MAX_SHOWN_ROWS:,} more rows: {why}")
        return False

    def say(self, holds: bool, text: str) -> bool:
        """Note ``text`` unless ``holds``."""
        if not holds:
            self.broken.append(text)
        return holds
