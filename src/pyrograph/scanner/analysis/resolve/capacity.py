"""How many states a node of the points-to sets may hold.

``MAX_STATES`` in general; ``MAX_HANDLERS`` handlers of a table, or classes, instances and methods that are related;
``MAX_REGISTERED`` on the way from a table to a registration; ``MAX_ALIKE`` functions that the same call may mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import (
    MAX_ALIKE,
    MAX_HANDLERS,
    MAX_OTHERS,
    MAX_REGISTERED,
    MAX_REGISTERED_STATES,
    MAX_RELATED_STATES,
    MAX_STATES,
)
from pyrograph.scanner.analysis.resolve.classes import Classes
from pyrograph.scanner.analysis.resolve.concerns import CALLS
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF


class Capacity:
    """Answers for one program. What depends on how much was asked before is bounded in total."""

    def __init__(self, classes: Classes, concerned: bytearray, collecting: set[int]) -> None:
        """``concerned``: see ``concerns``; ``collecting``: nodes that are anything in an object. Both grow."""
        self.classes = classes
        self.concerned = concerned
        self.collecting = collecting
        self.handlers: set[int] = set()  # nodes between a table of handlers and a call: see ``handler_tables``
        self.kept: set[int] = set()  # nodes through which handlers come into a table: see ``kept_handlers``
        self.kept_keys: set[int] = set()  # keys of cells that are such nodes
        self.registered: set[int] = set()  # the same between a table and what registers each of them
        self.registered_states = 0  # states that these hold above ``MAX_HANDLERS``, see ``MAX_REGISTERED_STATES``
        self.function_owner: Sequence[int] = ()  # of each function: the class whose method it is, or NONE
        self.arities: Mapping[int, int] = {}  # by function: see ``Functions.arities``
        self.related_asked = 0  # states that ``is_related`` compared, see ``MAX_RELATED_STATES``

    def limit(self, node: int, states: tuple[int, ...], state: int) -> int:
        """The number of states up to which ``state`` may come to a node that has ``states``."""
        if node in self.registered and (len(states) < MAX_HANDLERS or self.registered_states < MAX_REGISTERED_STATES):
            self.registered_states += MAX_HANDLERS <= len(states) < MAX_REGISTERED
            return MAX_REGISTERED
        if state & KIND == FUNCTION and self.is_alike(states, state):
            return MAX_ALIKE
        if node in self.collecting:
            return MAX_HANDLERS + 1
        if len(states) >= MAX_HANDLERS:
            return MAX_STATES
        if node in self.handlers or (node in self.kept and state & KIND in (FUNCTION, CLASS)):
            return MAX_HANDLERS
        is_spent = self.related_asked >= MAX_RELATED_STATES
        return MAX_STATES if is_spent or not self.is_related(node, states, state) else MAX_HANDLERS

    def takes_no_more(self, node: int, states: tuple[int, ...]) -> bool:
        """Whether ``limit`` lets no state in at all, whatever it is, unless the node becomes one of a registration or
        of a table of handlers.
        """
        if self.arities and any(each & KIND == FUNCTION for each in states[: MAX_OTHERS + 1]):
            return False  # functions that are alike
        if len(states) > MAX_HANDLERS:
            return True
        if node in self.collecting or ((node in self.handlers or node in self.kept) and len(states) < MAX_HANDLERS):
            return False
        return len(states) == MAX_HANDLERS or self.related_asked >= MAX_RELATED_STATES

    def is_alike(self, states: tuple[int, ...], state: int) -> bool:
        """Whether ``state`` and one of the first of ``states`` are functions that the same call may mean: in a language
        in which a call gives as many arguments as there are parameters, functions with as many.
        """
        if state & KIND != FUNCTION:
            return False
        arity = self.arities.get(state >> KIND_BITS)
        return arity is not None and any(
            each & KIND == FUNCTION and self.arities.get(each >> KIND_BITS) == arity
            for each in states[: MAX_OTHERS + 1]
        )

    def is_related(self, node: int, states: tuple[int, ...], state: int) -> bool:
        """Whether ``state`` is a class, an instance or a called method of one, and the node, which has ``states``,
        holds another that has a class with it in common: commands, providers, strategies.
        """
        owner = self.class_of(node, state)
        if owner == NONE:
            return False
        self.related_asked += 1
        classes = self.classes
        lineage = classes.lineage(owner)
        sets = classes.lineages.sets
        is_called = self.concerned[node] & CALLS
        for other in states[:MAX_STATES]:
            kind = other & KIND
            if kind in (INSTANCE_OF, CLASS):
                own = other >> KIND_BITS
            elif kind == FUNCTION and is_called:
                own = self.function_owner[other >> KIND_BITS]
            else:
                continue
            if own == owner:
                return True
            if own != NONE:
                known = sets.get(own)
                if not (classes.lineage_set(own) if known is None else known).isdisjoint(lineage):
                    return True
        return False

    def class_of(self, node: int, state: int) -> int:
        """The class that ``state`` is, is an instance of or, where it is called, a method of; or NONE."""
        kind = state & KIND
        if kind in (INSTANCE_OF, CLASS):
            return state >> KIND_BITS
        if kind == FUNCTION and self.concerned[node] & CALLS:
            return self.function_owner[state >> KIND_BITS]
        return NONE
