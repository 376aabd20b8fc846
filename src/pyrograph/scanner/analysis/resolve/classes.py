"""The classes of the program: members, bases, lineages, and what was found in them so far."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import INTERFACE, NO_STRING, NONE, Flow, Op
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import FIELD_OP
from pyrograph.scanner.analysis.resolve.files import Files
from pyrograph.scanner.analysis.resolve.lineages import Lineages
from pyrograph.scanner.analysis.resolve.resolution import Resolution
from pyrograph.scanner.analysis.resolve.tables import grouped


class Member:
    """The result of looking one name up in a class or its instances, valid up to a number of changes of classes."""

    def __init__(self, node: int, changes: int) -> None:
        self.node = node  # gathers the states of all that it may be
        self.changes = changes
        self.found = False
        self.values: list[int] = []  # of the class, or of the nearest base that has something of this name
        self.data: list[int] = []  # class attributes that hold data
        self.getters: list[int] = []
        self.methods: list[int] = []  # those that keep the object that they are read from
        self.apis: list[int] = []


class DeclaredTypes:
    """The table of values' types: what the program declares."""

    def __init__(self, program: Program, rep: npt.NDArray[np.int32]) -> None:
        self.rows = grouped(program, rep[program.tables["types"]["type"]])  # by the node whose states are the type
        self.values = program.numbers("types", "value")  # of each row
        self.of = dict(zip(self.values, program.numbers("types", "type"), strict=True))  # value -> its type
        self.asserted = asserted_values(program, rep)
        self.interface_mark = program.string_ids.get(INTERFACE, NO_STRING)  # member that marks an interface


def asserted_values(program: Program, rep: npt.NDArray[np.int32]) -> set[int]:
    """Nodes of values that are another value under a type that an assertion or a conversion gives it, and no other
    type: ``users, ok := part.(*Users)``. In languages in which a value is of the type that it is declared to be of.
    """
    values, flows, types = program.tables["values"], program.tables["flows"], program.tables["types"]
    same = np.zeros(program.num_values, bool)
    same[flows["target"][flows["kind"] == Flow.SAME]] = True
    typed = rep[types["value"]]
    times = np.bincount(typed, minlength=program.num_values)
    holds = np.array([language_of(file.language).traits.declared_types_hold for file in program.files], bool)
    own = typed == types["value"]  # not a version of it under a condition
    chosen = typed[own & same[typed] & (values["op"][typed] == Op.EXPRESSION) & (times[typed] == 1)]
    return set(program.interned(chosen[holds[program.file_of_value[chosen]]]))


class Classes:
    """Members and bases of classes. Both only grow; each growth is counted, so that caches know whether they hold."""

    def __init__(self, program: Program, rep: npt.NDArray[np.int32], resolution: Resolution, files: Files) -> None:
        tables, numbers = program.tables, program.numbers
        # rows of the tables, by the node whose states concern them
        self.member_rows = grouped(program, rep[tables["members"]["owner"]])
        self.base_rows = grouped(program, rep[tables["bases"]["base"]])
        self.types = DeclaredTypes(program, rep)
        self.member_name = numbers("members", "name")
        self.member_value = numbers("members", "value")
        self.base_owner = numbers("bases", "owner")
        self.owner_value = numbers("owners", "value")
        self.derived = set(self.base_owner)  # classes that declare a base
        self.super_views: dict[int, list[int]] = {}  # class -> values of ``super``
        values = tables["values"]
        for value in np.flatnonzero(values["op"] == Op.SUPER).tolist():
            self.super_views.setdefault(int(values["data"][value]), []).append(value)
        flows = tables["flows"]
        viewed = values["op"][flows["target"]] == Op.SUPER
        # a value of ``super`` -> the receiver that it shows as an instance of the base classes
        self.viewed: dict[int, int] = dict(
            zip(flows["target"][viewed].tolist(), flows["origin"][viewed].tolist(), strict=True)
        )
        self.resolution = resolution
        self.op = numbers("values", "op")
        # what is known so far
        self.members = resolution.class_members  # class -> name -> values
        self.having: dict[int, set[int]] = {}  # name -> the classes that have a member of this name
        self.lineages = Lineages(program, resolution, files, self.owner_value)
        self.apis: dict[int, list[int]] = {}  # class -> API nodes of its bases
        self.mixed_with: dict[int, list[int]] = {}  # class -> API nodes of bases beside it, of its subclasses
        self.unknown_bases: set[int] = set()  # classes with a base that no pack describes
        self.found: dict[tuple[int, int], Member] = {}  # (state, key) -> the last look-up
        self.declared: dict[int, tuple[int, list[int]]] = {}  # class -> the number of its last change, its own fields
        self.all_declared: dict[int, tuple[int, list[int]]] = {}  # class -> number of changes, fields of its lineage
        self.changes = 0  # of members and bases
        self.last_change: dict[int, int] = {}  # class -> the number of its last change
        self.last_change_of_bases: dict[int, int] = {}  # the same, new members left out
        self.changed_names: dict[int, int] = {}  # name -> the number of the last change that added it to some class
        self.retried = -1  # the number of changes when failed loads were looked up again
        # functions that lie in a class and are bound late (``Solver.is_bound_late``): on instances, on the class
        self.bound_to_instances: set[int] = set()
        self.bound_to_classes: set[int] = set()
        self.external_names: set[int] = set()  # names that were assigned to classes from outside since then
        self.data_edges: set[tuple[int, int]] = set()  # (class attribute, result of a load) that are linked

    @property
    def bases(self) -> dict[int, list[int]]:
        """Class -> classes that it extends, in the order of their declaration."""
        return self.lineages.bases

    def is_plain(self, owner: int) -> bool:
        """Whether the type has no base and declares no members: in Go, a name for a function, a map, a slice."""
        node = self.resolution.reps[self.owner_value[owner]]
        return owner not in self.derived and node not in self.member_rows

    def is_marked(self, owner: int) -> bool:
        """Whether the type says itself that it is an interface; ``type Named Interface`` does not."""
        return self.types.interface_mark in self.members.get(owner, ())

    def change(self, owner: int, name: int) -> None:
        """Count that ``owner`` has a new member ``name``; NONE: a new base."""
        self.changes += 1
        self.last_change[owner] = self.changes
        if name == NONE:
            self.last_change_of_bases[owner] = self.lineages.last_change = self.changes
        else:
            self.changed_names[name] = self.changes
            self.having.setdefault(name, set()).add(owner)

    def extends_library(self, owner: int) -> bool:
        """Whether the class, or one of its bases, extends a class of a library that packs describe."""
        return any([self.apis.get(each) for each in self.lineage(owner)])

    def declared_fields(self, owner: int) -> list[int]:
        """The names of the fields that the class and its bases declare, in the order of positional arguments."""
        known = self.all_declared.get(owner)
        if known is None or known[0] != self.changes:
            names = [name for each in reversed(self.lineage(owner)) for name in self.own_fields(each)]
            known = self.all_declared[owner] = (self.changes, names)
        return known[1]

    def own_fields(self, owner: int) -> list[int]:
        """The names of the fields that the class itself declares; looked up again when it has changed.

        Programs make thousands of objects of one class: its members are not read for each.
        """
        change = self.last_change.get(owner, 0)
        known = self.declared.get(owner)
        if known is None or known[0] != change:
            members = self.members.get(owner, {})
            names = [name for name, values in members.items() if any(self.op[value] == FIELD_OP for value in values)]
            known = self.declared[owner] = (change, names)
        return known[1]

    def add_base(self, owner: int, base: int, row: int) -> None:
        """``base`` is a class of the program, declared as a base by ``row`` of the table of bases."""
        self.change(owner, NONE)
        self.lineages.add(owner, base, row)

    def lineage_set(self, owner: int) -> frozenset[int]:
        """``lineage`` as a set."""
        return self.lineages.as_set(owner)

    def lineage(self, owner: int) -> list[int]:
        """The class and its bases in the order in which members are looked up; at most ``MAX_LINEAGE``."""
        known = self.lineages.orders.get(owner)
        return self.lineages.of(owner) if known is None else known

    def holders_of(self, owner: int, name: int) -> list[int]:
        """The classes of a lineage that have a member ``name``, in the order in which members are looked up."""
        having = self.having.get(name)
        return [] if having is None else [each for each in self.lineage(owner) if each in having]
