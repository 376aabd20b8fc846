"""What data flow is written down as: edges between values, and the graph of nodes (value, path) that is searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, direct
from pyrograph.scanner.analysis.assemble.unexported import Unexported
from pyrograph.scanner.analysis.cuts import Cut

Ints = npt.NDArray[np.int32]
Path = tuple[int | frozenset[int], ...]  # of keys; a set is "any key but these", none of them below UNKNOWN_KEY
# Keys of paths and edges that "any key" does not mean. Below them are those of captures (``packed.FIRST_CAPTURE_KEY``).
OWN_KEYS: Final = -2  # the keys of an object
REJECTED: Final = -3  # what a promise was rejected with


@direct
class Context(IntEnum):
    """Where an edge leads, in terms of calls."""

    INTRA = 0
    CALL = 1
    RETURN = 2
    HEAP = 3  # the calling context is forgotten
    SUMMARY = 4


@direct
class Kind(IntEnum):
    """How an edge moves paths."""

    SAME = 0
    DERIVED = 1  # the target is made of the origin and everything in it
    TAKE = 2  # target = origin[keys]
    PUT = 3  # target[keys] = origin, and only that
    KEEP = 4  # target = origin without key
    MOVE = 5  # target[put] = origin[take]
    SLICE = 6  # target = origin[start:end]
    TEXT = 8  # the target is text made of the origin: of its elements, not of the fields of an object
    SHOWN = 9  # as DERIVED, where parts of the origin are quoted
    SHOWN_TEXT = 10  # as TEXT, where parts of the origin are quoted
    QUOTED = 11  # as DERIVED, where all of it is quoted
    WHOLE = 7  # the target is made of the origin, where all of that is tainted


@dataclass(slots=True)
class Edges:
    """Data flow between values, as parallel columns."""

    origin: list[Ints] = field(default_factory=list)
    target: list[Ints] = field(default_factory=list)
    kind: list[Ints] = field(default_factory=list)
    key: list[Ints] = field(default_factory=list)  # of TAKE, PUT, KEEP; row in ``moves`` for MOVE, in slices for SLICE
    context: list[Ints] = field(default_factory=list)
    site: list[Ints] = field(default_factory=list)
    assumed: list[Ints] = field(default_factory=list)
    moves: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    spared: dict[int, int] = field(default_factory=dict)  # row in ``moves`` -> mask of what it does no harm to
    unexported: Unexported | None = None

    def add(
        self,
        origin: npt.ArrayLike,
        target: npt.ArrayLike,
        kind: Kind,
        *,
        key: npt.ArrayLike = NONE,
        context: npt.ArrayLike = Context.INTRA,
        site: npt.ArrayLike = NONE,
        assumed: int = 0,
    ) -> None:
        origins = np.asarray(origin, np.int32)
        count = len(origins)
        if not count:
            return
        self.origin.append(origins)
        self.target.append(np.asarray(target, np.int32))
        for column, value in (
            (self.kind, int(kind)),
            (self.key, key),
            (self.context, context),
            (self.site, site),
            (self.assumed, assumed),
        ):
            column.append(np.broadcast_to(np.asarray(value, np.int32), (count,)))

    def rename(self, key: int, other: int) -> None:
        """Call ``key`` another name wherever it stands."""
        self.key = [
            np.where((keys == key) & (kinds < Kind.MOVE), np.int32(other), keys)
            for keys, kinds in zip(self.key, self.kind, strict=True)
        ]
        self.moves = [
            (tuple(other if k == key else k for k in take), tuple(other if k == key else k for k in put))
            for take, put in self.moves
        ]


@dataclass(slots=True)
class FlowGraph:
    """The expanded graph: nodes are (value, path), edges carry the vulnerabilities that survive them.

    ``edges`` holds the intra-procedural, call, return, heap and summary edges; ``graph.bfs`` sees them in two layers.
    """

    value: list[int]  # of each node
    path: list[Path]
    origin: Ints  # of each edge: nodes
    target: Ints
    mask: npt.NDArray[np.int64]  # vulnerabilities that flow on
    context: Ints
    site: Ints
    assumed: npt.NDArray[np.bool_]
    kind: Ints
    key: Ints
    sinks: dict[int, list[int]]  # node -> rows of labels.sinks
    sources: dict[int, list[int]]  # node -> rows of labels.sources
    cuts: list[Cut]  # what was left out
    num_edges_before: int = 0
    widened: frozenset[int] = frozenset()  # edges, assumed, to some part of a value that has too many, no matter which
    overrun: set[int] = field(default_factory=set)  # rows of labels.sinks of which ``search`` left out sources
