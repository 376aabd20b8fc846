"""Answers that are kept for all handlers, or for one handler where they depend on it.

A check may let a handler pass that its code names: by the path of the route, or by the handler's own name. An answer
that looked at the handler holds for this one alone; an answer that did not look at it holds for every handler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Answer = TypeVar("Answer")
Handler = tuple[str, str]  # the path of its route, and its name


class AskedHandler:
    """The handler that is asked about, and whether an answer depends on it."""

    def __init__(self) -> None:
        self.handler: Handler = "", ""
        self.is_looked_at = False  # whether an answer since this was set to False called ``look``

    def look(self) -> Handler:
        """The handler; the answer that is being made depends on it."""
        self.is_looked_at = True
        return self.handler

    def once(self, answers: dict[tuple[Key, Handler | None], Answer], about: Key, ask: Callable[[], Answer]) -> Answer:
        """The result of ``ask``, kept in ``answers`` for all handlers, or for this one where ``ask`` looked at it."""
        known = answers.get((about, None))
        if known is not None:
            return known
        known = answers.get((about, self.handler))
        if known is None:
            before, self.is_looked_at = self.is_looked_at, False
            known = ask()
            answers[about, self.handler if self.is_looked_at else None] = known
            self.is_looked_at |= before
        else:
            self.is_looked_at = True
        return known
