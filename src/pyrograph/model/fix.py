"""Fixes: edits that make a finding disappear, as reports show them."""

from __future__ import annotations

from dataclasses import dataclass

from pyrograph.model.place import Place


@dataclass(frozen=True, slots=True)
class Replacement:
    """``text`` replaces what stands at ``place``; an insertion where ``place`` is empty."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The edit of one finding. A scan of the program with it finds neither this finding nor a new one."""

    title: str  # "replace `yaml.load` by `yaml.safe_load`"
    replacements: tuple[Replacement, ...]  # by place; they do not overlap
    requires: tuple[str, ...] = ()  # libraries that the program did not import before
