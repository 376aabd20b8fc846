"""What ``label`` finds out: roles of values, and flow that models say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.model.problem import Problem

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Dialect, Growth


class SourceRole(NamedTuple):
    value: int
    kind: str  # taint kind
    api: str  # as the rule language writes it
    keyed: bool = False  # its keys are the program's own, only what lies under them is untrusted


class Written(NamedTuple):
    """Where a template writes a value as it is."""

    path: str = ""
    start: int = 0  # bytes
    end: int = 0


NOWHERE: Final = Written()


class SinkRole(NamedTuple):
    value: int
    vulnerability: int  # bit
    api: str
    file: int
    start: int  # bytes of the argument
    end: int
    keys: tuple[int, ...]  # the part of the value that must be tainted; () any part
    low: bool
    exact: bool = False  # what is stored in it does not count: a response's headers are not its body
    shown: bool = False  # it is shown as text, in which what is stored in it is quoted
    written: Written = NOWHERE  # by the template that is given it


class DataFlow(NamedTuple):
    """``target.put`` gets ``origin.take``; derived: the target is made from the origin and everything in it."""

    origin: int
    target: int
    take: tuple[int, ...]
    put: tuple[int, ...]
    derived: bool
    harmless: int = 0  # mask of vulnerabilities to which it does no harm
    shown: bool = False  # the target is text that shows the origin


@dataclass(slots=True)
class Labels:
    vulnerabilities: tuple[str, ...]  # bit -> id
    sources: list[SourceRole] = field(default_factory=list)
    sinks: list[SinkRole] = field(default_factory=list)
    clean: dict[int, int] = field(default_factory=dict)  # value -> mask of vulnerabilities it is clean for
    flows: list[DataFlow] = field(default_factory=list)
    harmless: dict[tuple[int, int], int] = field(default_factory=dict)  # (part, text) -> mask it does no harm to there
    assumed: list[tuple[int, int]] = field(default_factory=list)  # (origin, target): an unknown callee may pass it on
    assumed_whole: list[tuple[int, int]] = field(default_factory=list)  # the same, where all of the origin is tainted
    checked: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # pi -> (call, callee's state, side)
    doubted: dict[int, int] = field(default_factory=dict)  # pi -> the condition, a check that nothing here understands
    validated: set[int] = field(default_factory=set)  # reads of fields that a validator of the program checks
    never: set[int] = field(default_factory=set)  # calls that do not return
    numbers: set[int] = field(default_factory=set)  # parameters whose type, which a compiler checks, carries no text
    encodings: set[int] = field(default_factory=set)  # keys under which text is encoded: harmless until it is decoded
    modelled: set[int] = field(default_factory=set)  # calls some pack says something about
    declared: dict[int, frozenset[int]] = field(default_factory=dict)  # keyed source -> keys of no attacker's text
    asking: dict[str, frozenset[int]] = field(default_factory=dict)  # language -> states of arguments of such calls
    quoted: int = 0  # mask of vulnerabilities to which text that shows what is quoted there does no harm
    quoted_values: set[int] = field(default_factory=set)  # what text shows quoted, by its type: representatives
    dropped: dict[int, int] = field(default_factory=dict)  # argument's state after a call -> the key that is gone
    # (values,) whether a value is on some path from a source to a sink; guards and assumed steps are only known inside
    chop: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))
    problems: list[Problem] = field(default_factory=list)  # limits that were hit
    patterns: dict[tuple[str, str, Dialect, str, bool], Growth] = field(
        default_factory=dict
    )  # regular expressions -> growth
    pattern_steps: int = 0  # that these took
    workings: Any = None  # what found all this, as in ``Resolution``
