"""The state of one function while it is lowered: ``Frame``, and its parts with one purpose each.

``Frame`` itself holds the environment and where control is. ``Scope`` says whose variable a name is, ``Captures`` what
nested functions share with it, ``ObjectVersions`` and ``Refinements`` record
versions of objects and values, and ``Boundary`` lists what enters and leaves the function.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from pyrograph.ir.codes import NONE
from pyrograph.parsers.builder.data import Name, Writes


@dataclass(slots=True)
class Loop:
    """A loop, or another region that ``break`` leaves, while it is lowered."""

    row: int
    start: int  # values below are older than the loop
    log: int  # depth of the log that holds what the loop changes
    label: str | None
    header: int  # block
    breakable_only: bool = False  # a switch: ``break`` leaves it, ``continue`` ignores it
    carries: dict[Name, int] = field(default_factory=dict)  # name -> its header phi
    rows: dict[int, int] = field(default_factory=dict)  # carry -> where its row in carries begins
    breaks: list[Writes] = field(default_factory=list)
    break_blocks: list[int] = field(default_factory=list)  # where each of ``breaks`` comes from
    continues: list[Writes] = field(default_factory=list)
    continue_blocks: list[int] = field(default_factory=list)
    leaving: list[Writes] = field(default_factory=list)  # writes at jumps from inside to outer loops
    body_log: int = 0


class Mark:
    """Depth in arms, loops and protected regions at some point of a function, to return to it (``Arms.recover``)."""

    def __init__(self, frame: Frame, of: Frame | None = None) -> None:
        """``of``: the function, if ``frame`` is a new frame that stands for its beginning."""
        self.frame = of or frame
        self.logs = len(frame.logs)
        self.loops = len(frame.loops)
        self.attempts = len(frame.attempts)
        self.loop_start = frame.loop_start
        self.own = frame.scope.own
        self.block = frame.block


@dataclass(slots=True)
class Attempt:
    """A protected region: every version a name had in it may be the one a handler sees."""

    exception: int
    versions: dict[Name, list[int]] = field(default_factory=dict)
    raising: list[tuple[int, str]] = field(default_factory=list)  # (block that ends in ``raise``, name of the class)


class Parameter:
    """A parameter: its row in parameters and its value."""

    def __init__(self, row: int, value: int) -> None:
        self.row = row
        self.value = value


class Scope:
    """Names of a function: the slot of the environment that each one stands for, and whose variable it is.

    A name that shadows one of an enclosing block has a slot of its own, ``name\\0number``; so has a name of a class
    body, ``name\\1number``.
    """

    def __init__(self) -> None:
        self.blocks: list[dict[str, str | None]] = []  # of each open block: names declared in it -> slot before
        self.declared: set[str] = set()
        self.renamed: dict[str, str] = {}  # name -> its slot, where that is not the name
        self.is_shared = False  # whether nested functions hold ``renamed`` as it is: see ``own_renamed``
        self.shadows = 0  # slots made so far
        self.own: dict[str, str] | None = None  # names of a class body, which nothing outside sees -> slot
        self.by_value: set[str] = set()  # slots of text and numbers: passed by value, so no callee changes them
        self.globals: set[str] = set()  # names declared to be the module's
        self.outer: set[str] = set()  # names declared to be an enclosing function's
        self.outer_renamed: dict[str, str] = {}  # ``renamed`` of the parent where this function is created

    def share_renamed(self) -> dict[str, str]:
        """``renamed`` as it is now, for a nested function: thousands of them may be created before it changes."""
        self.is_shared = True
        return self.renamed

    def own_renamed(self) -> dict[str, str]:
        """``renamed``, to be changed."""
        if self.is_shared:
            self.renamed = dict(self.renamed)
            self.is_shared = False
        return self.renamed


class Captures:
    """Variables that a function shares with its nested functions, and those that it reads of enclosing ones."""

    def __init__(self) -> None:
        self.num_functions = 0  # functions created here so far
        self.changed: set[Name] = set()  # names bound since the last function was created here
        # name -> (function numbers, value from that one on, versions there were then)
        self.history: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self.versions: dict[str, list[int]] = {}  # slot -> all values it was bound to
        self.captured: dict[str, int] = {}  # name of an enclosing function -> inner value
        # (row in captures, inner value, slot of the enclosing function, name)
        self.rows: list[tuple[int, int, str, str]] = []
        # slot of an object that nested functions change -> the number of values there were when one was created, or
        # when the slot was written after that; older versions have not seen what the functions do
        self.exposed: dict[str, int] = {}
        self.effects: dict[str, int] = {}  # the same slots -> the cell of the states that these functions leave
        self.cells: dict[str, int] = {}  # slot -> the value that joins what nested functions write
        self.deferred_cells: dict[str, int] = {}  # the same for functions that run when this one leaves
        self.joined: dict[tuple[int, int], int] = {}  # (version, cell) -> phi
        self.version_of: dict[int, int] = {}  # such a phi -> the version, which the variable is bound to
        self.joined_later: dict[str, dict[int, int]] = {}  # slot -> position in its versions -> phi of those from there
        self.own_writes: dict[str, tuple[int, int]] = {}  # name -> (version, when it was written), until a merge
        self.clock = 0  # writes of names that nested functions write, and pauses, so far
        self.paused = 0  # by the clock, when other functions may have run last

    def number_function(self, env: dict[Name, int]) -> int:
        """Note what names are bound to where a function is created, and return the function's number.

        Takes time for the names bound since the last one.
        """
        number = self.num_functions
        self.num_functions += 1
        for name in self.changed:
            if type(name) is str:
                numbers, values, counts = self.history.setdefault(name, ([], [], []))
                numbers.append(number)
                values.append(env.get(name, NONE))
                counts.append(len(self.versions.get(name, ())))
        self.changed.clear()
        return number

    def add_version(self, name: str, value: int) -> None:
        """``name`` was bound to ``value``."""
        if self.joined_later:
            self.joined_later.pop(name, None)
        versions = self.versions.get(name)
        if versions is None:
            self.versions[name] = [value]
        else:
            versions.append(value)

    def versions_at(self, name: str, number: int) -> int:
        """How many versions of ``name`` there were when function ``number`` was created."""
        numbers, _values, counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return counts[at - 1] if at else 0

    def value_at(self, name: str, number: int) -> int:
        """The value of ``name`` where function ``number`` was created, or NONE."""
        numbers, values, _counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return values[at - 1] if at else NONE


class ObjectVersions:
    """Versions of objects, and the places that values were loaded from."""

    def __init__(self) -> None:
        self.updated: dict[int, int] = {}  # version of an object -> the version that replaced it
        self.loaded: dict[int, tuple[int, int]] = {}  # load result -> (object, key)
        self.tested_parts: dict[int, list[tuple[int, int]]] = {}  # object -> (key, pi) of parts that a condition tests
        self.seen_as: dict[int, int] = {}  # a super value -> the receiver it is a view of
        self.sizes: dict[int, int] = {}  # how much an object holds -> the object
        self.emptied: set[int] = set()  # objects that were made with nothing in them
        self.filled: set[int] = set()  # states of objects to which something was added just before
        self.mappings: set[int] = set()  # values that are mappings, as the code declares or uses them
        self.set_by_calls: set[int] = set()  # of the module: keys for which a class of the file has a setter


class Refinements:
    """Versions of values under conditions and behind merges."""

    def __init__(self) -> None:
        self.computed_from: dict[int, tuple[int, ...]] = {}  # value -> values read to compute it
        self.gathered: set[int] = set()  # containers that a loop over others filled
        self.pis: dict[int, int] = {}  # version -> its pi where a condition holds; the next value is the other side's
        self.merge_roots: dict[int, int] = {}  # a phi of versions of one value -> that value
        self.merged: dict[int, list[int]] = {}  # a phi behind arms -> its versions
        self.merged_into: dict[int, int] = {}  # version -> the phi of it and other versions of the same value
        self.copies: dict[int, int] = {}  # a copy of an object -> the object
        # a phi of some of whose versions something is known, a constant or whether it holds anything -> its versions,
        # the state merged with it, and of which versions
        self.choices: dict[int, tuple[tuple[int, ...], Writes, list[tuple[Name, tuple[int, ...]]]]] = {}


class Boundary:
    """Values that enter and leave a function."""

    def __init__(self) -> None:
        self.parameters: list[Parameter] = []
        self.exits: list[tuple[int, Writes]] = []  # (1, 0 or UNKNOWN_TRUTH, the versions of parameters there)
        self.returns: list[int] = []
        self.raises: list[int] = []
        self.result = NONE  # the value that joins ``returns``
        self.raised = NONE  # the value that joins ``raises``


class Frame:
    """One function while it is lowered; nested functions, which are lowered later, read it too."""

    def __init__(self, index: int, parent: Frame | None, flags: int) -> None:
        self.index = index  # row in functions
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1  # functions around this one
        self.flags = flags
        self.number = 0  # the position of this function among those created in its parent
        self.late = False  # runs when its parent leaves
        self.has_late = False  # a function created here is ``late``
        self.catches = False  # a function that runs when this one leaves handles what it raises
        self.pending: list[tuple[Frame, Callable[[], None]]] = []  # functions created here
        # environment
        self.env: dict[Name, int] = {}
        self.names_of: dict[int, list[Name]] = {}  # value -> names that were bound to it
        self.logs: list[dict[Name, int]] = []  # of each open arm: names written in it -> value before
        # control
        self.attempts: list[Attempt] = []
        self.loops: list[Loop] = []
        self.loop_start = 0  # start of the innermost loop, 0 outside
        self.block = 0
        self.reachable = True
        # parts
        self.scope = Scope()
        self.captures = Captures()
        self.objects = ObjectVersions()
        self.refinements = Refinements()
        self.boundary = Boundary()
