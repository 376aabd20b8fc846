"""The result of explanation; apart from ``findings``, so that a scan without hits need not import what makes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyrograph.model.entry import Surface
from pyrograph.model.finding import Finding, Withheld


class Unexplained(NamedTuple):
    """The sink of a finding that could not be explained."""

    path: str
    line: int  # from 1
    error: Exception


class Explained(NamedTuple):
    """What became of the hits of one search."""

    findings: list[Finding]  # sorted by place and rule
    unexplained: list[Unexplained]
    withheld: list[Withheld]  # by options, then rule
    surface: Sequence[Surface] = ()  # sorted by entry point
