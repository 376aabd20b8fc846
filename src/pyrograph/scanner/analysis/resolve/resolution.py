"""The result of resolution: the call graph, and what every value may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import KEYS, NONE, RAISED
from pyrograph.ir.packed import KIND_BITS, subjects
from pyrograph.ir.schema import columns_of
from pyrograph.policy.limits.resolution import MAX_IMPLEMENTATIONS, MAX_STATES
from pyrograph.rules.entries import KEYS_PART, RAISED_PART
from pyrograph.scanner.analysis.api_roles import Entry
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.bounds import BoundReached
from pyrograph.scanner.analysis.columns import Rows, rows_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import LOAD_OP
from pyrograph.scanner.analysis.schema import RESOLUTION, Binding, Callback, FilledField, Return, Step, Target
from pyrograph.scanner.analysis.templates import Write

Ints = npt.NDArray[np.int32]

HIDDEN_PARTS: Final = {KEYS_PART: KEYS, RAISED_PART: RAISED}  # of a port's path: the keys that stand for them

# Kinds of states (``ir.packed``), and what the subject of each is where it is not a row of the table of that name.
FUNCTION: Final = 0  # a function itself
CLASS: Final = 1  # a class itself (owners)
INSTANCE_OF: Final = 2  # of a class
API: Final = 3  # a node of the language's ``Apis``
MODULE: Final = 4  # of the program (string: language, colon, name)
OBJECT: Final = 5  # made by a literal or a library: the value where it was made
PROTOTYPE: Final = 6  # what instances of a function of JavaScript share
MADE_BY: Final = 7  # by ``new`` with a function of JavaScript

EXTERNAL_API: Final = EXTERNAL << KIND_BITS | API  # a member of a library that no pack describes


class EntryPoint(NamedTuple):
    """A function that a framework calls: decorated, registered, or overriding."""

    entry: Entry
    function: int
    call: int  # the call of the API, or NONE


class Move(NamedTuple):
    """Data flows from what lies below one value to below another one."""

    origin: int
    target: int
    take: tuple[int, ...] = ()  # the keys of what is taken; none for the value itself
    put: tuple[int, ...] = ()  # the keys under which it is put
    is_checked: bool = False  # a check of unknown effect is on the way
    site: int = NONE  # the calling context in which it flows; NONE for every one


@dataclass(slots=True)
class Reached:
    """What resolution leaves out where a bound is reached."""

    overflown: set[int] = field(default_factory=set)  # values and cells with more than MAX_STATES states
    # results of functions that call their arguments, and are too large or called too often for clones
    not_cloned: list[int] = field(default_factory=list)
    # results of calls of methods with more than MAX_IMPLEMENTATIONS implementations; they have no target
    ambiguous_calls: list[int] = field(default_factory=list)
    reported: dict[tuple[str, str, int], None] = field(default_factory=dict)  # (message, path, line), in order, as keys


@dataclass(slots=True)
class Flows:
    """Data flows that resolution finds beside those of calls and of the units."""

    context_free_edges: Rows[Step] = field(default_factory=lambda: Rows(Step, 2))  # data flows in every calling context
    moves: list[Move] = field(default_factory=list)
    inlined: set[int] = field(default_factory=set)  # values that stand for tags in the scripts of templates
    # (call that fills a template, name) -> the functions that the template calls by it
    in_templates: dict[tuple[int, str], tuple[int, ...]] = field(default_factory=dict)
    methods_in_templates: dict[tuple[int, tuple[str | None, ...]], tuple[int, ...]] = field(
        default_factory=dict
    )  # (call that fills a template, path of what a method returns) -> the methods
    kills: list[tuple[int, int, int]] = field(default_factory=list)  # (origin, target, key that the target lacks)
    copy_edges: list[tuple[int, int]] = field(default_factory=list)  # (origin, target): data flows in one function
    element_returns: list[tuple[int, int, int, int]] = field(default_factory=list)  # (site, origin, target, key)
    replaced_stores: list[int] = field(default_factory=list)  # stores that do nothing but call setters
    loads: list[tuple[int, int, int]] = field(default_factory=list)  # further loads (result, object, key)
    # methods that are read as values: (object, value, key under which it keeps the object)
    method_values: list[tuple[int, int, int]] = field(default_factory=list)
    # their receivers where they are called: (site, value, receiver, key)
    method_receivers: list[tuple[int, int, int, int]] = field(default_factory=list)
    # parameter -> the decorator, a value, whose call of the program's function gives the parameter what it returns
    made_by_decorators: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Stored:
    """Objects that outlive a request, and records of tables."""

    tables: dict[int, str] = field(default_factory=dict)  # cell of a table of records -> the table's name
    lasting: dict[int, str] = field(default_factory=dict)  # cell of objects that outlive a request -> their class' name
    # (state of an object where a method or a function leaves it, cell of its class or what a module made)
    left_states: list[tuple[int, int]] = field(default_factory=list)
    # (cell of a field that a form keeps, the calls that declare what each of the forms admits there)
    declared_cells: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    # (cell of a field that forms keep, the classes of these, a method of each of which checks all fields, the field)
    checked_cells: list[tuple[int, tuple[int, ...], int]] = field(default_factory=list)
    # records of a table, as a state -> (what declares its columns, the key under which a column has its type, or NONE)
    columns: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    record_classes: set[int] = field(default_factory=set)  # classes whose records such tables keep
    records: dict[int, int] = field(default_factory=dict)  # cell of a table -> state of its records
    answers: dict[tuple[int, int], str] = field(default_factory=dict)  # (sent, where it arrives) -> route of a handler
    files: dict[int, str] = field(default_factory=dict)  # cell of a file of the program -> the file's name
    foreign_tables: set[int] = field(default_factory=set)  # cells of tables whose class the program does not have
    # language -> API nodes of queues, and of what each thread has of its own
    channels: dict[str, set[int]] = field(default_factory=dict)
    # (call, function): the function finishes an object whose fields the call has filled, as ``__post_init__`` does
    finished: set[tuple[int, int]] = field(default_factory=set)


@dataclass(slots=True)
class Resolution:
    """The call graph, frozen, and which value is which API.

    A site is a call, a library's call of its argument, or a load that is a call (a property).
    """

    targets: Rows[Target] = field(default_factory=lambda: Rows(Target, 2))
    bindings: Rows[Binding] = field(default_factory=lambda: Rows(Binding, 5))
    returns: Rows[Return] = field(default_factory=lambda: Rows(Return, 3))
    callbacks: list[Callback] = field(default_factory=list)
    api_calls: list[tuple[int, ...]] = field(default_factory=list)  # (call, node)
    # those that only the name of a built-in type's method shows
    guessed_calls: set[tuple[int, ...]] = field(default_factory=set)
    api_values: list[tuple[int, int]] = field(default_factory=list)  # (value, node) where an API arises
    written: dict[int, tuple[Write, ...]] = field(default_factory=dict)  # call that fills a template -> what it writes
    handled_errors: set[int] = field(default_factory=set)  # values that are exceptions which a framework caught
    fully_resolved: set[int] = field(default_factory=set)  # calls all of whose targets are known
    named_calls: set[int] = field(default_factory=set)  # known by a name alone that libraries have, too
    external: set[int] = field(default_factory=set)  # calls of library functions that no pack describes
    entry_points: list[EntryPoint] = field(default_factory=list)
    decorated: list[tuple[Entry, int, int]] = field(default_factory=list)  # (entry, parameter, call)
    fields: Rows[FilledField] = field(default_factory=lambda: Rows(FilledField, 4))
    originals: dict[int, int] = field(default_factory=dict)  # decorating call -> the function under all decorators
    flows: Flows = field(default_factory=Flows)
    stored: Stored = field(default_factory=Stored)
    num_sites: int = 0
    reached: Reached = field(default_factory=Reached)
    states: list[tuple[int, ...]] = field(default_factory=list)  # points-to sets of values' nodes, then of cells
    representative: npt.NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))  # node of a value
    reps: list[int] = field(default_factory=list)  # the same, to look up one by one
    cells: dict[tuple[int, int], int] = field(default_factory=dict)  # (state, key) -> node of what is there
    cells_of: dict[int, list[int]] = field(default_factory=dict)  # state -> its keys
    class_members: dict[int, dict[int, list[int]]] = field(default_factory=dict)  # class -> name -> values
    class_bases: dict[int, list[int]] = field(default_factory=dict)  # class -> classes
    keys: dict[int, str] = field(default_factory=dict)  # argument that is a model's key -> its text
    _rows: dict[str, Ints] = field(default_factory=dict)
    keep_alive: Any = None  # the solver, kept because freeing it takes time: see ``MAX_KEPT``

    def rows(self, name: Literal["targets", "bindings", "returns", "callbacks"]) -> Ints:
        """One of the lists as an array, (n, numbers in each); made once, when all of it is known."""
        found = self._rows.get(name)
        if found is None:
            tuples: Sequence[tuple[int, ...]] = getattr(self, name)
            found = self._rows[name] = rows_of(tuples, len(columns_of(RESOLUTION[name])))
        return found

    def table(self, name: str) -> Any:
        """What the table ``name`` of ``schema.RESOLUTION`` describes."""
        return getattr(self.flows if hasattr(self.flows, name) else self, name)

    def bounds_reached(self) -> list[BoundReached]:
        """The bounds that were reached, and where."""
        found = [
            BoundReached(
                f"a value may refer to more than {MAX_STATES} functions, classes or APIs; the others are ignored",
                len(self.reached.overflown),
                self.reached.overflown,
            ),
            BoundReached(
                f"a method has more than {MAX_IMPLEMENTATIONS} implementations; the call is not resolved",
                len(self.reached.ambiguous_calls),
                self.reached.ambiguous_calls,
            ),
            BoundReached(
                "a function that calls or looks up its arguments is called in too many ways to analyse each separately",
                len(self.reached.not_cloned),
                self.reached.not_cloned,
            ),
        ]
        return [each for each in found if each.occurrences]

    def report(self, what: str, path: str, line: int) -> None:
        """Note that a bound was met at ``path`` and ``line`` (0: the file as a whole), once each."""
        self.reached.reported[what, path, line] = None

    def states_of(self, value: int) -> Sequence[int]:
        return self.states[self.reps[value]]

    def lineage(self, owner: int, most: int | None = None) -> list[int]:
        """A class and all its bases, nearest first; at most ``most`` of them if that is given."""
        found = {owner: None}
        for each in (work := [owner]):  # grows
            if most is not None and len(found) >= most:
                break
            fresh = [base for base in dict.fromkeys(self.class_bases.get(each, ())) if base not in found]
            found.update(dict.fromkeys(fresh))
            work += fresh
        return work[:most]

    def is_part(self, program: Program, store: int) -> bool:
        """Whether a store puts a value back where it was loaded: only a part of the value has changed."""
        stores, loads, values = (program.tables[name] for name in ("stores", "loads", "values"))
        value = int(stores["value"][store])
        part = self.reps[value]
        if value < 0 or int(values["op"][part]) != LOAD_OP:
            return False
        load = int(values["data"][part])
        return bool(
            loads["key"][load] == stores["key"][store]
            and self.reps[loads["object"][load]] == self.reps[stores["object"][store]]
        )

    def api_nodes(self, value: int) -> list[int]:
        """The API nodes that ``value`` may be."""
        return subjects(self.states_of(value), API)
