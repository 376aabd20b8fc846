"""Which constraints a graph breaks, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pyrograph.ir.dataflow.graph import FLOW, Graph, Literal, Operation
from pyrograph.ir.dataflow.types import I1, INDEX, Type

_COUNTS: Final = {  # operands, results
    "dataflow.carry": (3, 1),
    "dataflow.invariant": (2, 1),
    "dataflow.stream": (3, 2),
    "dataflow.gate": (2, 2),
}
# Operands that an operation does not wait for before its first result: only through these may a graph be cyclic.
LATER: Final = {"dataflow.carry": (0, 2), "dataflow.invariant": (0,)}


def verify(graph: Graph) -> list[str]:
    """Return every broken constraint of ``graph``; an empty list means that it is well formed.

    Checked are what each operation says of its operands and results, that each value has one definition and one type,
    and that every cycle goes through a control or fed-back operand, so that a first token exists.
    """
    problems: list[str] = []
    defined: dict[int, str] = dict.fromkeys(graph.arguments, "an argument")
    for operation in graph.operations:
        for value in operation.results:
            if value in defined:
                problems.append(f"%{graph.names[value]} is defined twice")
            defined[value] = operation.name
    for value in graph.results:
        if value not in defined:
            problems.append(f"the result %{graph.names[value]} is defined nowhere")
    for operation in graph.operations:
        where = f"{operation.name} %{graph.names[operation.results[0]]}" if operation.results else operation.name
        problems += [f"{where}: {trouble}" for trouble in _troubles(graph, operation, defined)]
    if not problems and (cycle := _cycle(graph)):
        names = ", ".join(f"%{graph.names[value]}" for value in cycle)
        problems.append(f"{names}: a cycle without a carry, in which no token is the first")
    return problems


def _troubles(graph: Graph, operation: Operation, defined: dict[int, str]) -> Iterator[str]:
    for operand, type_ in zip(operation.operands[-len(operation.types) :], operation.types, strict=False):
        if isinstance(operand, Literal):
            if operation.name.startswith("dataflow."):
                yield f"the operand {operand.text} is no value"
        elif operand not in defined:
            yield f"the operand %{graph.names[operand]} is defined nowhere"
        elif graph.types[operand] != type_:
            yield f"the operand %{graph.names[operand]} is of type {graph.types[operand]}, not {type_}"
    for value, type_ in zip(operation.results, operation.result_types, strict=False):
        if graph.types[value] != type_:
            yield f"the result %{graph.names[value]} is of type {graph.types[value]}, not {type_}"
    counts = _COUNTS.get(operation.name)
    if operation.name == "flow.constant":
        yield from _constant(operation)
    elif counts is not None:
        given = (len(operation.operands), len(operation.results))
        if given != counts:
            yield f"it has {given[0]} operands and {given[1]} results, but must have {counts[0]} and {counts[1]}"
        elif len(operation.types) != counts[0]:
            yield f"it has types for {len(operation.types)} of {counts[0]} operands"
        else:
            yield from _DIALECT[operation.name](operation.types, operation.result_types)
    elif operation.name in FLOW:
        yield from _flow(operation)
    else:
        yield "there is no such operation"


def _carry(types: tuple[Type, ...], results: tuple[Type, ...]) -> Iterator[str]:
    if types[0] != I1:
        yield f"the control stream must be i1, not {types[0]}"
    if not types[1] == types[2] == results[0]:
        yield "initial value, loop-carried value and result must have the same type"


def _invariant(types: tuple[Type, ...], results: tuple[Type, ...]) -> Iterator[str]:
    if types[0] != I1:
        yield f"the control stream must be i1, not {types[0]}"
    if types[1] != results[0]:
        yield "value and result must have the same type"


def _stream(types: tuple[Type, ...], results: tuple[Type, ...]) -> Iterator[str]:
    if any(type_ != INDEX for type_ in types):
        yield "start, step and bound must be index"
    if results != (INDEX, I1):
        yield "the results must be index and i1"


def _gate(types: tuple[Type, ...], results: tuple[Type, ...]) -> Iterator[str]:
    if types[1] != I1:
        yield f"the condition before must be i1, not {types[1]}"
    if types[0] != results[0]:
        yield "the values before and after must have the same type"
    if results[1] != I1:
        yield f"the condition after must be i1, not {results[1]}"


_DIALECT: Final[dict[str, Callable[[tuple[Type, ...], tuple[Type, ...]], Iterator[str]]]] = {
    "dataflow.carry": _carry,
    "dataflow.invariant": _invariant,
    "dataflow.stream": _stream,
    "dataflow.gate": _gate,
}


def _constant(operation: Operation) -> Iterator[str]:
    operands = operation.operands
    if not operands or not isinstance(operands[0], Literal):
        yield "it must begin with a constant"
    elif len(operands) > 2 or any(isinstance(each, Literal) for each in operands[1:]):
        yield "after the constant there may be one value, for each token of which it is repeated"
    if len(operation.types) != len(operands) - 1 or len(operation.results) != 1:
        yield "it must have one result, and types for what follows the constant"


def _flow(operation: Operation) -> Iterator[str]:
    operands, results = FLOW[operation.name]
    if len(operation.results) != len(results):
        yield f"it must have {len(results)} results"
    if len(operation.types) != len(operation.operands):
        yield f"it has types for {len(operation.types)} of {len(operation.operands)} operands"
        return
    if operands == "*":
        return
    if len(operation.operands) != len(operands):
        yield f"it has {len(operation.operands)} operands, but must have {len(operands)}"
        return
    general = set()
    for kind, type_ in zip(operands + results, operation.types + operation.result_types, strict=False):
        if kind == "v":
            general.add(type_)
        elif type_ != I1:
            yield f"a truth value must be i1, not {type_}"
    if len(general) > 1:
        yield "operands and result must have the same type"


def _cycle(graph: Graph) -> list[int]:
    """Values on cycles that nothing starts, and values that depend on these alone."""
    waits: dict[int, int] = {}
    users: dict[int, list[Operation]] = {}
    ready = list(graph.arguments)
    for operation in graph.operations:
        later = LATER.get(operation.name, ())
        needed = {
            each for at, each in enumerate(operation.operands) if not isinstance(each, Literal) and at not in later
        }
        waits[id(operation)] = len(needed)
        for value in needed:
            users.setdefault(value, []).append(operation)
        if not needed:
            ready += operation.results
    done = set()
    while ready:
        value = ready.pop()
        done.add(value)
        for operation in users.get(value, ()):
            waits[id(operation)] -= 1
            if waits[id(operation)] == 0:
                ready += operation.results
    return [value for operation in graph.operations for value in operation.results if value not in done]
