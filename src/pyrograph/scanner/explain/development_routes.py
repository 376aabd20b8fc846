"""Handlers of routers that are mounted where the program is developed only.

``if (process.env.NODE_ENV === "test") app.use("/test", router)``. ``Development`` knows the branch and what is
registered in it; here the mount of the router, in whatever file, counts for all handlers that are registered on it. All
known uses of a handler, and all mounts of its router, have to stand in such branches. A function that is exported,
returned or kept in an object may have others, and so may a router that is kept in an object, but for one of exports.
"""

from __future__ import annotations

from functools import cached_property

from pyrograph.parsers import language_of
from pyrograph.scanner.explain.callers import SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.development import Development
from pyrograph.scanner.explain.questions import UNASKED


class DevelopmentRoutes(Callers):
    """Whether handlers are reached where the program is developed only."""

    development: Development

    @classmethod
    def of(cls, callers: Callers, development: Development) -> DevelopmentRoutes:
        other = cls.__new__(cls)
        other.__dict__.update(callers.about(UNASKED, {}).__dict__)
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

    def mounts_of(self, made: int) -> list[tuple[int, int]]:
        """All calls that are given the router, whatever their names; none where something else may mount it."""
        return [] if self.is_kept(made) else self.arguments_anywhere(made)

    def is_kept(self, made: int) -> bool:
        """Whether a router is written into an object that is not what a file exports: ``[["/tools", tools]]``."""
        objects = self.tables["stores"]["object"]
        return any(
            self.reps[each] not in self.exporting
            for place in self.places_of(self.reps[made])
            for each in objects[self.by_stored.of(place)].tolist()
        )

    @cached_property
    def exporting(self) -> frozenset[int]:
        """Representatives of what files export, and of the objects that they write it into: ``module.exports = f``."""
        exports = self.tables["exports"]
        columns = (exports[name].tolist() for name in ("name", "value"))
        found = set(self.development.exported)
        for name, value in zip(*columns, strict=True):
            exporting = language_of(self.language(value)).traits.modules.module_object.partition(".")[0]
            if exporting and self.strings[name] == exporting:
                found.add(value)
        return frozenset(self.reps[each] for each in found)

    def of_place(self, value: int) -> int:
        return SHOWN if self.development.is_in_branch(value) else UNKNOWN
