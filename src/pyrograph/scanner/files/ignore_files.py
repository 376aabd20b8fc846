"""The ignore files of a tree: which of them hold in a directory, and what they say of a path.

Ignore files are read once. Those of one name form layers: the nearest one that has a word on a path decides.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, field

from pyrograph.model.problem import Problem
from pyrograph.policy.limits.files import MAX_IGNORE_FILE, MAX_WILDCARDS
from pyrograph.scanner.files.ignore import IgnoreRules

OWN_FILE = ".pyrographignore"
GIT_FILE = ".gitignore"


@dataclass(frozen=True, slots=True)
class Layer:
    """One ignore file and those above it."""

    base: str  # where its patterns start: "" for the ignore root, else ending in "/"
    rules: IgnoreRules
    above: Layer | None
    room: int  # what the patterns of files below may cost

    def verdict(self, path: str, *, directory: bool) -> bool | None:
        layer: Layer | None = self
        while layer is not None:
            verdict = layer.rules.verdict(path[len(layer.base) :], directory=directory)
            if verdict is not None:
                return verdict
            layer = layer.above
        return None


@dataclass(frozen=True, slots=True)
class Scope:
    """The ignore files that hold in one directory."""

    own: Layer | None = None  # .pyrographignore
    git: Layer | None = None  # .gitignore


@dataclass(slots=True)
class IgnoreFiles:
    """Reads ignore files as a walk comes to them."""

    gitignore: bool  # whether those of git count
    from_ignore_root: str  # the scan root relative to the top of the repository: "" or ending in "/"
    problems: list[Problem] = field(default_factory=list)
    rules: dict[tuple[str, int], IgnoreRules] = field(default_factory=dict)  # by absolute path and room

    def enter(self, scope: Scope, base: str, directory: str, names: Container[str]) -> Scope:
        """The scope in a directory with these names; ``base`` is relative to the ignore root."""
        own = self.layer(scope.own, base, directory, OWN_FILE) if OWN_FILE in names else scope.own
        git = scope.git
        if self.gitignore and GIT_FILE in names:
            git = self.layer(scope.git, base, directory, GIT_FILE)
        return scope if own is scope.own and git is scope.git else Scope(own, git)

    def layer(self, above: Layer | None, base: str, directory: str, name: str) -> Layer:
        room = MAX_WILDCARDS if above is None else above.room
        key = (os.path.join(directory, name), room)
        rules = self.rules.get(key)
        if rules is None:
            rules = self.rules[key] = self.read(base + name, *key)
        return Layer(base, rules, above, room - rules.cost)

    def read(self, path: str, absolute: str, room: int) -> IgnoreRules:
        """The patterns of an ignore file; none where it is a link (as in git), no file, or cannot be read."""
        if os.path.islink(absolute) or not os.path.isfile(absolute):
            return IgnoreRules(())
        try:
            with open(absolute, encoding="utf-8-sig", errors="surrogateescape") as file:
                text = file.read(MAX_IGNORE_FILE + 1)
        except OSError:
            return IgnoreRules(())
        shown = path.removeprefix(self.from_ignore_root)
        if len(text) > MAX_IGNORE_FILE:
            message = f"an ignore file with more than {MAX_IGNORE_FILE:,} characters is not used; shorten it"
            self.problems.append(Problem("limit", shown, 0, message))
            return IgnoreRules(())
        rules = IgnoreRules(text.split("\n"), room)
        self.report_left_out(shown, rules)
        return rules

    def report_left_out(self, path: str, rules: IgnoreRules) -> None:
        if rules.left_out:
            where = "this ignore file" if path else "--include or --exclude"
            message = (
                f"too many patterns with wildcards: the first {rules.left_out:,} patterns of {where} are not used; "
                "use names without wildcards, or fewer patterns"
            )
            self.problems.append(Problem("limit", path, 0, message))
