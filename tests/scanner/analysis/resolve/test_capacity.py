"""How many states a node may hold, by what they are and by what the node is."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.packed import KIND_BITS
from pyrograph.policy.limits.resolution import (
    MAX_ALIKE,
    MAX_HANDLERS,
    MAX_REGISTERED,
    MAX_REGISTERED_STATES,
    MAX_RELATED_STATES,
    MAX_STATES,
)
from pyrograph.scanner.analysis.resolve.capacity import Capacity
from pyrograph.scanner.analysis.resolve.concerns import CALLS
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF, OBJECT

NODE = 0
OBJECTS = tuple(each << KIND_BITS | OBJECT for each in range(MAX_HANDLERS))


def function(number: int) -> int:
    return number << KIND_BITS | FUNCTION


@pytest.fixture
def capacity() -> Capacity:
    """Of a program in which the classes 1 and 2 have the base 0, and the class 3 none."""
    solver = parts("", "python")
    solver.classes.bases.update({1: [0], 2: [0]})
    return Capacity(solver.classes, bytearray(4), set())


def test_a_node_of_no_kind_holds_few_states(capacity: Capacity) -> None:
    assert capacity.limit(NODE, OBJECTS[:MAX_STATES], OBJECTS[-1]) == MAX_STATES


def test_a_node_of_a_table_holds_handlers_and_a_registration_more(capacity: Capacity) -> None:
    few, full = OBJECTS[:MAX_STATES], OBJECTS
    capacity.handlers.add(NODE)
    assert capacity.limit(NODE, few, OBJECTS[-1]) == MAX_HANDLERS
    assert capacity.limit(NODE, full, OBJECTS[-1]) == MAX_STATES, "the table is full"
    capacity.registered.add(NODE)
    assert capacity.limit(NODE, full, OBJECTS[-1]) == MAX_REGISTERED
    capacity.registered_states = MAX_REGISTERED_STATES
    assert capacity.limit(NODE, full, OBJECTS[-1]) == MAX_STATES, "as many as all registrations may have"
    assert capacity.limit(NODE, few, OBJECTS[-1]) == MAX_REGISTERED


def test_functions_of_one_arity_are_alike_where_a_compiler_checks_it(capacity: Capacity) -> None:
    states = tuple(map(function, range(MAX_STATES)))
    assert capacity.limit(NODE, states, function(20)) != MAX_ALIKE
    capacity.arities = {MAX_STATES - 1: 2, 20: 2, 21: 3}
    capacity.function_owner = [-1] * 30
    assert not capacity.is_alike(states[:1], function(20))
    capacity.arities = {0: 2, 20: 2, 21: 3}
    assert capacity.limit(NODE, states, function(20)) == MAX_ALIKE
    assert not capacity.is_alike(states, function(21))
    assert not capacity.takes_no_more(NODE, states[:1] + OBJECTS[: MAX_HANDLERS - 1])


def test_classes_with_a_base_in_common_are_related_and_methods_where_they_are_called(capacity: Capacity) -> None:
    one, two, other = 1, 2, 3
    assert capacity.is_related(NODE, (one << KIND_BITS | INSTANCE_OF,), two << KIND_BITS | CLASS)
    assert not capacity.is_related(NODE, (one << KIND_BITS | INSTANCE_OF,), other << KIND_BITS | CLASS)
    capacity.function_owner = [one, two, other, -1]
    assert not capacity.is_related(NODE, (function(0),), function(1)), "nothing calls what is here"
    capacity.concerned[NODE] |= CALLS
    assert capacity.is_related(NODE, (function(0),), function(1))
    assert not capacity.is_related(NODE, (function(0),), function(2))
    assert not capacity.is_related(NODE, (function(0),), function(3))


def test_relatives_are_asked_for_until_the_bound(capacity: Capacity) -> None:
    states = (1 << KIND_BITS | INSTANCE_OF,) * MAX_STATES
    assert capacity.limit(NODE, states, 2 << KIND_BITS | INSTANCE_OF) == MAX_HANDLERS
    capacity.related_asked = MAX_RELATED_STATES
    assert capacity.limit(NODE, states, 2 << KIND_BITS | INSTANCE_OF) == MAX_STATES
    assert capacity.takes_no_more(NODE, states)


def test_what_a_node_takes_no_more_is_what_no_limit_lets_in(capacity: Capacity) -> None:
    for states in (OBJECTS[:MAX_STATES], OBJECTS[: MAX_HANDLERS - 1], OBJECTS):
        assert capacity.takes_no_more(NODE, states) == (len(states) == MAX_HANDLERS)
    capacity.collecting.add(NODE)
    assert not capacity.takes_no_more(NODE, OBJECTS)
    assert capacity.limit(NODE, OBJECTS, OBJECTS[0]) == MAX_HANDLERS + 1
