"""Guesses from the names of methods that change a container."""

from __future__ import annotations

from typing import Final

CHANGING_METHODS: Final = frozenset(
    (
        *("push", "unshift", "splice", "set", "add"),
        *("append", "appendleft", "extend", "extendleft", "insert", "update", "setdefault"),
    )
)
"""The names of methods of built-in containers that put something into their receiver.

Means: such a method, called on what a file imports, leaves it in another state, which all that import it see. Other
methods leave it as it was: mostly these are functions of a library.
Errs: a class of the program whose methods have other names keeps what it gets (``lasting`` follows these, too).
Measured: nothing.
"""
