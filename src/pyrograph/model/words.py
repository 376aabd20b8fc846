"""Words for numbers: one spelling in every message and report."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """``1 file``, ``1,200 files``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
