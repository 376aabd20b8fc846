"""Operations on constants whose results can be far longer than what they are made of.

Scanned code says how often a text is repeated and what a number is raised to. Such a result is computed only where it
is short enough to be kept.
"""

from __future__ import annotations

from typing import Any

from pyrograph.policy.limits.lowering import MAX_CONSTANT_BITS, MAX_CONSTANT_TEXT


def times(left: Any, right: Any) -> Any:
    """``left * right``, where a text is repeated.

    Raises:
        TypeError: They cannot be multiplied.
        ValueError: The text would be longer than ``MAX_CONSTANT_TEXT``.
    """
    if isinstance(left, str):
        return repeated(left, right)
    return repeated(right, left) if isinstance(right, str) else left * right


def repeated(text: str, count: int) -> str:
    """``text`` several times; not at all for a negative ``count``. Raises as ``times`` does."""
    if len(text) * count > MAX_CONSTANT_TEXT:
        raise ValueError("too long")
    return text * count


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """``text.replace(old, new, count)``. Raises as ``times`` does."""
    found = text.count(old)
    if len(text) + (len(new) - len(old)) * (found if count < 0 else min(found, count)) > MAX_CONSTANT_TEXT:
        raise ValueError("too long")
    return text.replace(old, new, count)


def padded(text: str, width: int, fill: str = " ", *, left: bool = False) -> str:
    """``text.ljust(width, fill)``, or ``rjust`` for ``left``. Raises as ``times`` does."""
    if width > MAX_CONSTANT_TEXT:
        raise ValueError("too long")
    return text.rjust(width, fill) if left else text.ljust(width, fill)


def zero_filled(text: str, width: int) -> str:
    """``text.zfill(width)``. Raises as ``times`` does."""
    if width > MAX_CONSTANT_TEXT:
        raise ValueError("too long")
    return text.zfill(width)


def shifted(number: int, by: int) -> int:
    """``number << by``. Raises as ``times`` does, for more than ``MAX_CONSTANT_BITS``."""
    if by > MAX_CONSTANT_BITS:
        raise ValueError("too long")
    return number << by


def power(base: float, exponent: float) -> float:
    """``base ** exponent``. Raises as ``times`` does, for more than ``MAX_CONSTANT_BITS``, and for complex results."""
    if isinstance(base, int) and isinstance(exponent, int) and (base.bit_length() - 1) * exponent > MAX_CONSTANT_BITS:
        raise ValueError("too long")
    found: float | complex = base**exponent
    if isinstance(found, complex):
        raise TypeError("no real number")
    return found
