"""A list that knows what is in it: for the few values that very many names stand for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Many(list[Any]):
    """Looking for an element takes constant time; who appends one adds it to ``known``, too."""

    __slots__ = ("known",)

    def __init__(self, elements: Iterable[Any]) -> None:
        super().__init__(elements)
        self.known = set(self)

    def __contains__(self, element: object) -> bool:
        return element in self.known
