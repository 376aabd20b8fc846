"""State of resolution by name: unresolved calls, method sets, relatives, library objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import ANSWERS, INTERFACE
from pyrograph.scanner.analysis.link import Program


class Unresolved:
    """A call without a certain target, and its possible targets."""

    def __init__(
        self,
        row: int,
        name: int,
        language: str,
        nodes: Sequence[int] = (),
        registered: Sequence[int] = (),
        made: Sequence[int] = (),
    ) -> None:
        self.row = row
        self.name = name  # NONE: the call decorates
        self.language = language
        self.nodes = nodes  # APIs of built-in types with a method of this name
        self.registered = registered  # APIs that register functions by a method of this name
        self.made = made  # APIs that a method of this name returns, whatever its receiver


class Guesses:
    """State of ``fallbacks``, ``candidates``, ``library_objects`` and ``kept_by_name``.

    All but ``answers`` is computed when first used.
    """

    def __init__(self, program: Program) -> None:
        # method -> the member of an interface that says what it returns
        self.answers = {
            program.string_ids[text[len(ANSWERS) :]]: number
            for text, number in program.string_ids.items()
            if text.startswith(ANSWERS)
        }
        self.answering: dict[tuple[int, int], tuple[int, ...]] = {}  # (interface, method) -> APIs that it may be
        self.has_interfaces = INTERFACE in program.string_ids
        self.unresolved: list[Unresolved] = []
        self.implementing: dict[tuple[int, int], list[int]] = {}  # (interface, method) -> functions
        self.method_sets: dict[int, dict[int, list[int]]] = {}  # method -> type -> functions
        self.signatures: object | None = None  # what methods take and return, made by ``has_signatures``
        self.relatives: dict[int, set[int]] = {}  # class -> classes with a common lineage
        self.idle: set[int] | None = None  # ``overrides.idle_methods``
        self.library_objects: set[int] = set()  # nodes that may be an object of a library's type
        self.calls_by_object: set[int] = (
            set()
        )  # calls on objects that ``kept_reads`` and ``unseen_stores`` found by name
        self.own_names: list[int] = []  # values that are read under a name that no library's type has: ``kept_reads``
        self.tokens: dict[int, int] = {}  # node -> the name that it is, or NONE: see ``kept_by_name.name_of``
        # inputs of joins, and the joins, which are sorted
        self.joins: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None = None
