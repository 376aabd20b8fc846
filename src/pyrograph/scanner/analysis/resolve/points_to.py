"""Points-to sets: nodes, the states they hold, and the copy edges that states travel along.

A node is a representative value, or a place where states gather: a cell (what an object holds under a key) or a member
of a class. ``add`` puts a state on a node and queues it; ``loop.propagate`` takes it from the queue. Nothing is ever
removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS, PAIR_BITS, PAIR_LOW
from pyrograph.kernels.arrays import distinct
from pyrograph.policy.limits.resolution import (
    FEW_EDGES,
    MAX_HANDLERS,
    MAX_JOIN_EDGES,
    MAX_REGISTERED,
    MAX_RELATED_STATES,
    MAX_STATES,
)
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import NEW_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.capacity import Capacity
from pyrograph.scanner.analysis.resolve.classes import Classes
from pyrograph.scanner.analysis.resolve.concerns import concerned
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT, Resolution
from pyrograph.scanner.analysis.resolve.tables import runs

NO_STATES: Final[tuple[int, ...]] = ()
NOTHING_REFUSED: Final[dict[int, int]] = {}
FOREVER: Final = -2  # see ``PointsTo.refused_until``


class Joins:
    """Lists of origins from which many edges lead, by their identity: see ``PointsTo.share``."""

    def __init__(self) -> None:
        self.nodes: dict[int, int] = {}  # a value that has all of them
        self.edges: dict[int, int] = {}  # edges from the list so far


class PointsTo:
    """Points-to sets, as large as ``Capacity`` lets them be, and copy edges.

    Always: a state of a node either is in the queue or was sent along all edges of the node. A node that gets more
    states than the limit keeps the first ones and is in ``overflown``. A node of a method's receiver only gets
    instances of classes that have the method.
    """

    def __init__(self, program: Program, rep: npt.NDArray[np.int32], classes: Classes, resolution: Resolution) -> None:
        self.classes = classes
        self.op = program.numbers("values", "op")
        self.rep = resolution.representative = rep  # of each value: its node
        self.reps = resolution.reps = program.interned(rep)  # the same as a list
        self.states = resolution.states = [NO_STATES] * program.num_values
        self.first_cell = program.num_values  # all nodes from here on are cells, or collect what is in several
        self.captured_callees: dict[int, list[int]] = {}  # function -> captured variables that it calls
        self.may_register: set[int] = set()  # those variables
        # cell or such a node -> states that were too many so far -> how long they are: see ``refused_until``
        self.refused: dict[int, dict[int, int]] = {}
        self.num_known = 0  # nodes that have a state
        self.overflown = resolution.reached.overflown
        self.closed: set[int] = set()  # of those, nodes that were seen to refuse whatever comes: a cache
        self.full: set[int] = set()  # ... and those that refuse what is no function, class or instance: a cache
        self.no_successors: list[int] = []  # of all nodes without edges; never appended to
        # of each node: a list, or a dictionary if there are many, which keeps the order and finds one at once
        self.successors = _static_edges(program, rep, self.no_successors)
        # node with many edges -> those of them that do not lead to closed nodes, in their order: a cache
        self.open_targets: dict[int, list[int]] = {}
        self.queue: list[int] = []  # states that arrived and were not propagated yet, ...
        self.queue_nodes: list[int] = []  # ... and where
        self.concerned = concerned(program, rep)  # of each node: MEMBERS | BASES | ...
        self.cells = resolution.cells  # (state, key) -> node
        self.keys_of = resolution.cells_of  # state -> keys of its cells
        self.unknown_key_loads: dict[int, list[int]] = {}  # state -> nodes that are anything in the object
        self.contents: dict[int, int] = {}  # state -> a node that is anything in the object, if ``collect`` made one
        self.collecting: set[int] = set()  # those nodes
        self.capacity = Capacity(classes, self.concerned, self.collecting)
        self.context_free_edges = resolution.flows.context_free_edges
        self.joins = Joins()
        # receiver of a method -> the class of the method; value of an asserted type -> that class: ``stores.declare``
        self.receivers: dict[int, int] = {}
        self.filtered: set[tuple[int, int]] = set()  # (receiver, state) that are not of that class, as known so far
        self.filtered_version = 0  # of the lineages, when ``retry_filtered`` asked for all of these

    def states_of(self, value: int) -> Sequence[int]:
        return self.states[self.reps[value]]

    def add(self, node: int, state: Any) -> None:
        """Put ``state`` on ``node`` and queue it, unless the node has it or takes no more."""
        states: tuple[Any, ...] = self.states[node]
        if not states:
            self.num_known += 1
            self.states[node] = (state,)
            self.queue_nodes.append(node)
            self.queue.append(state)
        elif state in states:
            return
        else:
            self.extend(node, states, state)

    def extend(self, node: Any, states: tuple[Any, ...], state: Any) -> None:
        """``add`` for a node that has ``states``, at least one, and not ``state``.

        Typed Any, because compiled code would make the numbers anew for each set that is asked for them.
        """
        if len(states) < MAX_STATES:  # it is neither closed nor full, and has refused nothing but what is foreign
            if node in self.receivers and self.is_foreign(node, state):
                self.filtered.add((node, state))
                return
            at: int = node
            self.states[at] = (*states, state)
            self.queue_nodes.append(node)
            self.queue.append(state)
            return
        if node in self.closed:
            return
        number: int = state
        further = self.refused.get(node)
        if number & KIND > INSTANCE_OF:
            if node in self.full:
                if further is None:
                    return
                if len(further) < MAX_REGISTERED:
                    further[state] = NONE
                    return
        elif further is not None and self.is_refused_again(further, states, state):
            return
        if node in self.receivers and self.is_foreign(node, state):
            self.filtered.add((node, state))
        elif len(states) >= self.capacity.limit(node, states, state):
            if node not in self.collecting:  # nodes that read from a collecting node overflow themselves
                self.overflown.add(node)
            if number & KIND > INSTANCE_OF and self.is_full(node, len(states)):
                self.full.add(node)
            place: int = node
            if place >= self.first_cell or node in self.may_register or self.op[place] == PARAMETER_OP:
                if further is None:
                    further = self.refused[node] = {}
                if len(further) < MAX_REGISTERED:
                    further[state] = self.refused_until(node, states, state)
                    return
            if node not in self.receivers and self.capacity.takes_no_more(node, states):
                self.closed.add(node)
        else:
            at = node
            self.states[at] = (*states, state)
            self.queue_nodes.append(node)
            self.queue.append(state)

    def refused_until(self, node: int, states: tuple[int, ...], state: int) -> int:
        """How long a node that has ``states`` refuses ``state``, if its limit does not rise: FOREVER; until a further
        base becomes known, then the number of those known now; or NONE, if that is not certain.
        """
        kind, capacity = state & KIND, self.capacity
        if kind not in (CLASS, INSTANCE_OF) or node in capacity.registered or node in self.collecting:
            return NONE
        if len(states) >= MAX_HANDLERS:
            return FOREVER
        if node in capacity.handlers or (kind == CLASS and node in capacity.kept):
            return NONE
        return self.classes.lineages.version

    def is_refused_again(self, refused: dict[int, int], states: tuple[int, ...], state: int) -> bool:
        """Whether a node has refused ``state`` and would do so again. ``MAX_RELATED_STATES`` counts it all the same."""
        until = refused.get(state, NONE)
        if until == NONE or len(refused) >= MAX_REGISTERED:
            return False
        capacity = self.capacity
        if until == FOREVER or capacity.related_asked >= MAX_RELATED_STATES:  # then no set takes in relatives any more
            return True
        if until != self.classes.lineages.version or len(states) >= MAX_HANDLERS:
            return False
        capacity.related_asked += 1
        return True

    def is_foreign(self, node: int, state: int) -> bool:
        """Whether ``state`` is no instance of the class whose method has the receiver ``node``, but one of another
        class, or a list, a mapping or a generator of the program, where these have no methods of the program.

        An instance of an interface may be one of any class. Where the class is asserted, only the assertion counts.
        """
        kind = state & KIND
        if kind == OBJECT:
            made = state >> KIND_BITS
            if self.op[made] != NEW_OP:
                return False
            return not self.classes.lineages.files.traits_of(made).dispatch.literals_have_methods
        if kind != INSTANCE_OF:
            return False
        owner = state >> KIND_BITS
        known = self.classes.lineages.sets.get(owner)
        if self.receivers[node] in (self.classes.lineage_set(owner) if known is None else known):
            return False
        return node in self.classes.types.asserted or not self.classes.is_marked(owner)

    def retry_filtered(self) -> None:
        """Add the states that receivers of methods refused before bases of their class became known.

        Without a new base since the last time, nothing that was refused is let in.
        """
        version = self.classes.lineages.version
        if version == self.filtered_version:
            return
        self.filtered_version = version
        for node, state in sorted(self.filtered):
            if not self.is_foreign(node, state):
                self.filtered.discard((node, state))
                self.add(node, state)

    def is_full(self, node: int, count: int) -> bool:
        """Whether a node with ``count`` states, at least ``MAX_STATES``, takes no more of what is no function, class or
        instance, whatever is asked of it later, unless its limit becomes a higher one.
        """
        capacity = self.capacity
        if node in self.receivers or node in self.collecting or node in capacity.registered:
            return False
        return count >= MAX_HANDLERS or node not in capacity.handlers

    def edge(self, origin: int, target: int) -> None:
        """A copy edge between nodes: states of ``origin`` also reach ``target``."""
        if origin == target:
            return
        following = self.successors[origin]
        end: Any = target  # one object for all, as in ``extend``
        if not following:
            self.successors[origin] = [end]
        elif end in following:
            return
        elif isinstance(following, dict):
            following[end] = None
            if origin in self.open_targets:
                self.open_targets[origin].append(end)
        elif len(following) < FEW_EDGES:
            following.append(end)
        else:
            self.successors[origin] = dict.fromkeys((*following, end))
        states: list[tuple[Any, ...]] = self.states
        arriving = states[origin]
        if not arriving or end in self.closed:
            return
        takes_any = end not in self.receivers
        for state in arriving:
            known = states[target]
            if not known:
                self.num_known += 1
                states[target] = (state,)
                self.queue_nodes.append(end)
                self.queue.append(state)
            elif state in known:
                continue
            elif takes_any and len(known) < MAX_STATES:  # as in ``extend``, without a call
                states[target] = (*known, state)
                self.queue_nodes.append(end)
                self.queue.append(state)
            else:
                self.extend(end, known, state)

    def context_free_edge(self, origin: int, target: int) -> None:
        """Data and states of the value ``origin`` reach the value ``target`` in every calling context."""
        self.context_free_edges.append((origin, target))
        self.edge(self.reps[origin], self.reps[target])

    def share(self, origins: Sequence[int], target: int) -> None:
        """``context_free_edge`` from each of ``origins``, which all values that read one name have in common.

        ``origins``: a list that is neither copied nor changed. Where a name has many origins and many readers, the
        further readers get all from one that has all: what arrives where is the same, in as many edges as there are
        readers. Only paths that are shown have a step more.
        """
        name = id(origins)
        joins = self.joins
        join = joins.nodes.get(name, NONE)
        if join != NONE:
            self.context_free_edge(join, target)
            return
        for each in origins:
            if each != target:
                self.context_free_edge(each, target)
        if len(origins) < FEW_EDGES:
            return
        made = joins.edges[name] = joins.edges.get(name, 0) + len(origins)
        if made > MAX_JOIN_EDGES and target not in origins:
            joins.nodes[name] = target

    def new_node(self) -> int:
        self.states.append(NO_STATES)
        self.successors.append(self.no_successors)
        self.concerned.append(0)
        return len(self.states) - 1

    def collect(self, state: int) -> int:
        """A new node that is anything in an object, now and later.

        Where an object has many cells and many loads with an unknown key, further cells and loads are linked to this
        node instead of to each other: cells + loads edges, not cells x loads. It has one state more than any other, so
        that a load overflows where it would overflow without this node.
        """
        node = self.contents[state] = self.new_node()
        self.collecting.add(node)
        for reader in self.unknown_key_loads.get(state, ()):
            self.edge(node, reader)
        for key in self.keys_of.get(state, ()):
            self.edge(self.cells[(state, key)], node)
        return node

    def forget_closed(self, node: int) -> None:
        """Leave the edges to closed nodes out of ``open_targets``. Costs a step for each edge."""
        closed = self.closed
        self.open_targets[node] = [target for target in self.successors[node] if target not in closed]

    def settle(self) -> None:
        """Cut collecting nodes to ``MAX_STATES`` states, like all others: nothing arrives any more."""
        for node in self.collecting:
            self.states[node] = self.states[node][:MAX_STATES]

    def expect_handlers(self, node: int) -> None:
        """Let a node hold as many states as a table of handlers has."""
        handlers = self.capacity.handlers
        if node not in handlers:
            handlers.add(node)
            for state, until in self.refused.get(node, NOTHING_REFUSED).items():
                if until != FOREVER:
                    self.refused[node][state] = NONE
            self.unseal(node)

    def keep_handlers(self, node: int) -> None:
        """The same of functions and classes on their way into a table."""
        self.capacity.kept.add(node)
        self.reopen(node)

    def register(self, node: int) -> None:
        """Let a cell, or a captured variable that is called, hold as many states as a table of routes has handlers, and
        those that came before, too: each of them is registered.
        """
        self.capacity.registered.add(node)
        self.reopen(node)

    def reopen(self, node: int) -> None:
        """Let a node, whose limit is higher now, take what it refused."""
        self.unseal(node)
        if node in self.overflown:
            self.overflown.discard(node)
            for each in self.refused.pop(node, ()):
                self.add(node, each)

    def unseal(self, node: int) -> None:
        """Forget that a node was seen to refuse states: its limit is higher now."""
        self.full.discard(node)
        if node in self.closed:
            self.closed.discard(node)
            self.open_targets.clear()

    def take_any(self, state: int, node: int) -> None:
        """``node`` is anything in an object: a load with an unknown key."""
        readers = self.unknown_key_loads.setdefault(state, [])
        stored = self.keys_of.get(state, ())
        if node in self.capacity.registered:
            for key in stored:
                self.register(self.cells[(state, key)])
        everything = self.contents.get(state, NONE)
        if everything == NONE and len(readers) * len(stored) > MAX_JOIN_EDGES:
            everything = self.collect(state)
        readers.append(node)
        if everything != NONE:
            self.edge(everything, node)
            return
        for key in stored:
            self.edge(self.cells[(state, key)], node)


def _static_edges(program: Program, rep: npt.NDArray[np.int32], empty: list[int]) -> list[list[int] | dict[int, None]]:
    """The successors of each node by SAME flows, captures and slices; ``empty`` of those that have none.

    A flow into a view by ``super`` is no edge: the view has another type.
    """
    flows, captures, slices = (program.tables[name] for name in ("flows", "captures", "slices"))
    origin, target, kind = flows["origin"], flows["target"], flows["kind"]
    op = program.tables["values"]["op"]
    chosen = (kind == 0) & (op[target] != Op.SUPER)
    origins = np.concatenate([rep[origin[chosen]], rep[captures["outer"]], rep[slices["object"]]])
    targets = np.concatenate([rep[target[chosen]], rep[captures["inner"]], rep[slices["result"]]])
    different = origins != targets
    pairs = distinct(origins[different].astype(np.int64) << PAIR_BITS | targets[different])
    ends = program.interned(pairs & PAIR_LOW)
    keys, starts = runs(pairs >> PAIR_BITS)
    nodes = program.interned(keys)
    bounds: list[int] = starts.tolist()
    successors: list[list[int] | dict[int, None]] = [empty] * program.num_values
    for at, node in enumerate(nodes):
        successors[node] = ends[bounds[at] : bounds[at + 1]]
    return successors
