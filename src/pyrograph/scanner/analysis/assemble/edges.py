"""Data structures: edges between values, and the flow graph of nodes (value, access path) that is searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, direct
from pyrograph.scanner.analysis.assemble.unexported import Unexported
from pyrograph.scanner.analysis.bounds import BoundReached

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
AccessPath = tuple[int | frozenset[int], ...]  # of keys; a set is "any key but these", none of them below UNKNOWN_KEY
# Keys that "any key" does not match. Smaller numbers are the keys of captures (``packed.FIRST_CAPTURE_KEY``).
OWN_KEYS: Final = -2  # the keys of an object
REJECTED: Final = -3  # what a promise was rejected with


@direct
class Context(IntEnum):
    """The effect of an edge on the calling context."""

    INTRA = 0
    CALL = 1
    RETURN = 2
    HEAP = 3  # the calling context is forgotten
    SUMMARY = 4


@direct
class Kind(IntEnum):
    """The effect of an edge on access paths."""

    SAME = 0
    DERIVED = 1  # the target is made from the origin and everything in it
    LOAD = 2  # target = origin[keys]
    STORE = 3  # target[keys] = origin; the rest of the target comes by a KILL edge
    KILL = 4  # target = origin without key: a strong update
    MOVE = 5  # target[put] = origin[take]
    SLICE = 6  # target = origin[start:end]
    TEXT = 8  # the target is text made from the origin: from its elements, not from the fields of an object
    SHOWN = 9  # as DERIVED, where parts of the origin are quoted
    SHOWN_TEXT = 10  # as TEXT, where parts of the origin are quoted
    QUOTED = 11  # as DERIVED, where all of it is quoted
    IF_WHOLE = 7  # the target is made from the origin if all of the origin is tainted
    PART = 12  # the target is the origin if a part of it is tainted, and not all of it
    FILTERED = 13  # as DERIVED, harmless for some vulnerabilities


@dataclass(slots=True)
class Edges:
    """Data flow between values, as parallel columns."""

    origin: list[Ints] = field(default_factory=list)
    target: list[Ints] = field(default_factory=list)
    kind: list[Ints] = field(default_factory=list)
    key: list[Ints] = field(
        default_factory=list
    )  # of LOAD, STORE, KILL; row in ``transfers`` for MOVE and FILTERED, in slices for SLICE
    context: list[Ints] = field(default_factory=list)
    site: list[Ints] = field(default_factory=list)
    assumed: list[Ints] = field(default_factory=list)
    transfers: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    harmless_transfers: dict[int, int] = field(
        default_factory=dict
    )  # row in ``transfers`` -> mask of what it does no harm to
    lost_keys: dict[int, tuple[int, ...]] = field(
        default_factory=dict
    )  # row in ``transfers`` -> keys that do not get through
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
        """Replace ``key`` by ``other`` in all edges."""
        self.key = [
            np.where((keys == key) & (kinds < Kind.MOVE), np.int32(other), keys)
            for keys, kinds in zip(self.key, self.kind, strict=True)
        ]
        self.transfers = [
            (tuple(other if k == key else k for k in take), tuple(other if k == key else k for k in put))
            for take, put in self.transfers
        ]
        self.lost_keys = {row: tuple([other if k == key else k for k in keys]) for row, keys in self.lost_keys.items()}


@dataclass(slots=True)
class FlowGraph:
    """The expanded graph: nodes are (value, access path), edges have a mask of the vulnerabilities that survive them.

    Its edges are intra-procedural, call, return and heap edges. ``search`` adds summary edges and the two layers.
    """

    value: list[int]  # of each node
    access_path: list[AccessPath]
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
    bounds_reached: list[BoundReached]
    num_edges_before: int = 0
    widened: frozenset[int] = frozenset()  # edges, assumed, to some part of a value that has too many, no matter which
    chosen_keys: frozenset[tuple[int, AccessPath]] = frozenset()  # parts of sinks' values whose own keys are untrusted
    truncated_sinks: set[int] = field(default_factory=set)  # rows of labels.sinks for which ``search`` omits sources
