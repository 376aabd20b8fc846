"""Loads and stores: the rows of the program, those that resolution adds, and those that found nothing yet."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.tables import grouped


class Accesses:
    """Loads by the node of their object, stores likewise. A (load, state) pair is looked up once, until it is found.

    Loads of the text come first; further ones (``Solver.read_from``) are appended. Stores never change.
    """

    def __init__(self, program: Program, rep: npt.NDArray[np.int32]) -> None:
        loads, stores = program.tables["loads"], program.tables["stores"]
        self.load_result = list(program.numbers("loads", "result"))
        self.load_object = list(program.numbers("loads", "object"))
        self.load_key = list(program.numbers("loads", "key"))
        self.loads_of = grouped(program, rep[loads["object"]])
        self.store_key = program.numbers("stores", "key")
        self.store_object = program.numbers("stores", "object")
        self.store_value = program.numbers("stores", "value")
        self.stores_of = grouped(program, np.where(stores["value"] >= 0, rep[stores["object"]], NONE))
        self.set_by_calls: dict[tuple[int, int], None] = {}  # (store, setter that it calls)
        self.read_methods: list[tuple[int, int]] = []  # (object, method that is read of it as a value)
        self.done_loads: set[int] = set()  # load << PAIR_BITS | state
        # name -> those of them that load it from a class or an instance
        self.done_by_name: dict[int, list[int]] = {}
        self.unread: deque[tuple[int, int]] = deque()  # (load, state) of loads that were added in ``loop.propagate``
        self.added_loads: set[tuple[int, int, int]] = set()  # (result, object, key) that are no rows of the program
        # (result, object, name), values: a member of an object that is read by a computed name, in the order of finding
        self.computed_reads: dict[tuple[int, int, int], None] = {}
        # load << PAIR_BITS | state, or (FIRST_CONSTRUCTION - call) << PAIR_BITS | state of the class
        self.failed_loads: list[int] = []
        # (state of the object, key), without what is read and put back behind a call
        self.set_by_name: set[tuple[int, int]] = set()
        # (state of the object, key, node): nothing was stored under the key by name; see ``loads.link_unknown_keys``
        self.unnamed_loads: list[tuple[int, int, int]] = []
        self.beginnings: dict[int, str] | None = None  # see ``computed_names.beginnings``; None: not computed yet
        self.mirrored: dict[int, dict[int, None]] = {}  # state -> states that hold what it holds: ``containers``
        self.prototype_data: dict[tuple[int, int], list[int]] = {}  # (PROTOTYPE state, key) -> data stored there
        self.prototype_loads: dict[tuple[int, int], list[int]] = {}  # the same -> results of loads from instances
