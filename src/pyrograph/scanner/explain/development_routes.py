"""Handlers of routers that are mounted where the program is developed only.

``if (process.env.NODE_ENV === "test") app.use("/test", router)``. ``Development`` knows the branch and what is
registered in it; here the mount of the router, in whatever file, counts for all handlers that are registered on it. All
known uses of a handler, and all mounts of its router, have to stand in such branches. A function that is exported,
returned or kept in an object may have others.
"""

from __future__ import annotations

from typing import Final

from pyrograph.scanner.explain.callers import SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.development import Development
from pyrograph.scanner.explain.questions import Question

NOBODY: Final = Question(
    "operators",
    asks=lambda code: False,
    is_named=lambda name: False,
    is_group=lambda name: False,
    refuses=None,
    exempts=lambda code, side: False,
    is_setting=lambda code: False,
    trusts_words=False,
)
"""A question that no check answers: only the place where something is registered does."""


class DevelopmentRoutes(Callers):
    """Whether handlers are reached where the program is developed only."""

    development: Development

    @classmethod
    def of(cls, callers: Callers, development: Development) -> DevelopmentRoutes:
        other = cls.__new__(cls)
        other.__dict__.update(callers.about(NOBODY, {}).__dict__)
        other.development = development
        return other

    def is_only(self, value: int) -> bool:
        """Whether the function that computes ``value`` is reached so only."""
        return self.evidence(int(self.function[value])) == SHOWN

    def _evidence(self, function: int) -> int:
        return UNKNOWN if function in self.development.kept else super()._evidence(function)

    def is_gate(self, function: int) -> bool:
        return False

    def evidence_at(self, value: int) -> int:
        return SHOWN if self.development.is_in_branch(value) else max(UNKNOWN, self.evidence(int(self.function[value])))

    def of_place(self, value: int) -> int:
        return SHOWN if self.development.is_in_branch(value) else UNKNOWN
