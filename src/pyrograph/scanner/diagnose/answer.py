"""Questions and answers: two lines, verdicts, and the causes that stop the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pyrograph.model.finding import Step
from pyrograph.model.place import Place

Ints = npt.NDArray[np.int32]

Reason = Literal[
    "sanitizer",  # a call whose result, or whose argument afterwards, is clean
    "guard",  # a test, behind which the value is clean
    "type",  # what is declared with it carries no text
    "safe-text",  # where it stands in a text it does no harm
    "encoding",  # it is encoded, and not decoded before the sink
    "model",  # a modelled call that passes nothing on
    "unknown-call",  # a call that no model knows, and that is not assumed to pass this on
    "function",  # a function of the program that passes nothing on
    "constant",  # what is there is constant
    "comparison",  # the value only chooses, or is compared
    "field",  # another field or element
    "overwritten",  # something else was stored there since
    "calls",  # the ways in and out of a function do not belong to one call
    "branch",  # code that never runs, or whose end is never reached
    "limit",  # the way is longer than the scan may go
    "no-sink",  # it arrives, but no rule says that this is dangerous
    "no-way",  # nothing leads from the one to the other
]


class Unanswerable(ValueError):
    """The question names a place of which nothing can be said; the message says which, and what to ask instead."""


@dataclass(frozen=True, slots=True)
class Line:
    """One end of the question."""

    path: str  # relative to the scan root
    line: int  # from 1


@dataclass(frozen=True, slots=True)
class Stop:
    """A cause that holds the data back, at one place."""

    reason: Reason
    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one vulnerability; "" where the line has no sink of a rule."""

    vulnerability: str
    sink: str  # the API, as the rule language writes it
    reaches: bool  # whether a scan that looks for everything reports it
    steps: tuple[Step, ...]  # how far the data gets; to the sink when it reaches it
    stop: Stop | None  # None exactly when it reaches the sink
    notes: tuple[str, ...] = ()  # what a scan with default options would say otherwise


@dataclass(frozen=True, slots=True)
class Answer:
    source: str  # what was taken as untrusted, and by which rule
    verdicts: tuple[Verdict, ...]  # by vulnerability, at least one
    notes: tuple[str, ...]  # limits that were hit

    @property
    def reaches(self) -> bool:
        """Whether the data arrives at a sink of some vulnerability."""
        return any(verdict.reaches for verdict in self.verdicts)
