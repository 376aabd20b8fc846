"""Run a graph: a network of machines that pass tokens, until none can go on.

The result does not depend on the order in which the machines run: each takes its tokens in order, and waits until it
has those it needs. Numbers are Python's, without a width, but for ``dataflow.stream``.
"""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pyrograph.ir.dataflow.errors import DataflowError
from pyrograph.ir.dataflow.graph import Graph, Literal, Operation
from pyrograph.ir.dataflow.streams import Carry, Gate, Invariant, Machine, Stream

Opaque = Callable[[str, str | None, tuple[Any, ...]], Any]  # operation, attribute, one token of each operand

MACHINES: Final[dict[str, type[Machine]]] = {
    "dataflow.carry": Carry,
    "dataflow.invariant": Invariant,
    "dataflow.stream": Stream,
    "dataflow.gate": Gate,
}


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


COMPUTED: Final[dict[str, Callable[..., Any]]] = {
    "flow.add": operator.add,
    "flow.subtract": operator.sub,
    "flow.multiply": operator.mul,
    "flow.divide": _toward_zero,  # what it is of whole numbers where they have a division of their own
    "flow.floor_divide": operator.floordiv,
    "flow.modulo": operator.mod,
    "flow.remainder": lambda a, b: a - b * _toward_zero(a, b),
    "flow.power": operator.pow,
    "flow.and": operator.and_,
    "flow.or": operator.or_,
    "flow.xor": operator.xor,
    "flow.shift_left": operator.lshift,
    "flow.shift_right": operator.rshift,
    "flow.negate": operator.neg,
    "flow.invert": operator.invert,
    "flow.less": operator.lt,
    "flow.equal": operator.eq,
    "flow.in": lambda a, b: a in b,
    "flow.truth": bool,
    "flow.both": lambda a, b: a and b,
    "flow.either": lambda a, b: a or b,
    "flow.not": operator.not_,
    "flow.select": lambda c, a, b: a if c else b,
    "flow.more": bool,
    "flow.element": lambda a: a[0],
    "flow.rest": lambda a: a[1:],
}


class _Unset:
    """The value of ``?``. It may be passed on; only a decision or a computation with it is an error."""

    def __repr__(self) -> str:
        return "?"

    def __bool__(self) -> bool:
        raise DataflowError("a decision is taken on a value that nothing set")


UNSET: Final = _Unset()


def interpret(
    graph: Graph,
    arguments: Mapping[str, Sequence[Any]],
    *,
    activations: int = 1,
    opaque: Opaque | None = None,
    max_steps: int = 1_000_000,
) -> list[list[Any]]:
    """The tokens of each result, for as many activations in a row.

    Args:
        arguments: The tokens of each argument, by name; one an activation.
        opaque: What calls, loads and other operations without a meaning of their own give.
        max_steps: Steps of machines after which the graph is taken to run for ever.

    Raises:
        ZeroStepError: As ``streams.stream``.
        DataflowError: A value that is not known is computed with, an operation has no meaning, or the graph goes on
            for more than ``max_steps``.
    """
    queues: list[list[deque[Any]]] = [[] for _ in graph.types]  # where each value's tokens go
    inputs: list[list[deque[Any]]] = []
    users: list[list[int]] = [[] for _ in graph.types]
    for at, operation in enumerate(graph.operations):
        taken: list[deque[Any]] = []
        for operand in operation.operands:
            if not isinstance(operand, Literal):
                queue: deque[Any] = deque()
                taken.append(queue)
                queues[operand].append(queue)
                users[operand].append(at)
        inputs.append(taken)
    collected: list[deque[Any]] = [deque() for _ in graph.results]
    for value, result in zip(graph.results, collected, strict=True):
        queues[value].append(result)
    steps = [_step_of(operation, opaque, activations) for operation in graph.operations]
    for value in graph.arguments:
        tokens = arguments[graph.names[value]]
        for queue in queues[value]:
            queue.extend(tokens)
    work = deque(range(len(steps)))
    waiting = set(work)
    count = 0
    while work:
        at = work.popleft()
        waiting.discard(at)
        operation = graph.operations[at]
        outputs: list[deque[Any]] = [deque() for _ in operation.results]
        while steps[at](inputs[at], outputs):
            count += 1
            if count > max_steps:
                raise DataflowError(f"@{graph.name} goes on after {max_steps} steps; is there a loop without end?")
        for value, tokens in zip(operation.results, outputs, strict=True):
            if tokens:
                for queue in queues[value]:
                    queue.extend(tokens)
                for user in users[value]:
                    if user not in waiting:
                        waiting.add(user)
                        work.append(user)
    return [list(result) for result in collected]


Step = Callable[[list[deque[Any]], list[deque[Any]]], bool]


def _step_of(operation: Operation, opaque: Opaque | None, activations: int) -> Step:
    name = operation.name
    if name in MACHINES:
        return MACHINES[name]().step
    if name == "flow.constant":
        return _constant(operation, activations)
    if name == "flow.leave":
        return _leave
    return _computed(operation, opaque)


def _leave(inputs: list[deque[Any]], outputs: list[deque[Any]]) -> bool:
    d, a = inputs
    if not (d and a):
        return False
    token = a.popleft()
    if not d.popleft():
        outputs[0].append(token)
    return True


def _constant(operation: Operation, activations: int) -> Step:
    literal = operation.operands[0]
    assert isinstance(literal, Literal)
    token = literal.value if literal.known else UNSET
    left = activations

    def once(inputs: list[deque[Any]], outputs: list[deque[Any]]) -> bool:
        nonlocal left
        outputs[0].extend([token] * left)
        left = 0
        return False

    def repeated(inputs: list[deque[Any]], outputs: list[deque[Any]]) -> bool:
        if not inputs[0]:
            return False
        inputs[0].popleft()
        outputs[0].append(token)
        return True

    return repeated if len(operation.operands) > 1 else once


def _computed(operation: Operation, opaque: Opaque | None) -> Step:
    name = operation.name
    operands = operation.operands
    function = COMPUTED.get(name)
    if all(isinstance(each, Literal) for each in operands):
        raise DataflowError(f"{name} has no operand that says when it is computed")

    def step(inputs: list[deque[Any]], outputs: list[deque[Any]]) -> bool:
        if not all(inputs):
            return False
        queues = iter(inputs)
        tokens = tuple(
            (each.value if each.known else UNSET) if isinstance(each, Literal) else next(queues).popleft()
            for each in operands
        )
        outputs[0].append(_apply(operation, function, opaque, tokens))
        return True

    return step


def _apply(
    operation: Operation, function: Callable[..., Any] | None, opaque: Opaque | None, tokens: tuple[Any, ...]
) -> Any:
    """The result of an operation; unset where it fails or has unset operands, because control may never ask for it."""
    name = operation.name
    if function is None:
        if opaque is None:
            raise DataflowError(f"{name} means nothing by itself; say what it gives by the argument opaque")
        return opaque(name, operation.attribute, tokens)
    if any(token is UNSET for token in tokens):
        if name == "flow.select" and tokens[0] is not UNSET:
            return tokens[1] if tokens[0] else tokens[2]
        decides = {"flow.both": False, "flow.either": True}.get(name)
        return decides if decides is not None and any(token is decides for token in tokens) else UNSET
    try:
        return function(*tokens)
    except (ArithmeticError, ValueError, LookupError):
        return UNSET
