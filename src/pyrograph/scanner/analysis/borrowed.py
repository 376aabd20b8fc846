"""Functions that are called through a method of theirs: ``slice.call(list, 1)``, ``path.join.apply(path, parts)``.

Packs say what a function does with its receiver and its arguments, and what ``Function#call`` and ``Function#apply``
pass on as such. Both together say what a call of ``globalThis.Array#slice.call`` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from pyrograph.rules.entries import (
    CallFlow,
    Drop,
    EntryCondition,
    Flow,
    Port,
    Propagator,
)
from pyrograph.scanner.analysis.api_roles import Roles

ARGUMENT_KEY = re.compile(r"\$(\d+)(.*)", re.DOTALL)  # a key that an argument names


def callback_port(flow: CallFlow, position: int) -> Port | None:
    """The port whose value a callback gets at a position; a port "from n" covers all positions after its own."""
    for at, port in enumerate(flow.arguments[: position + 1]):
        if port.kind == "from" and not port.path:
            return Port("position", port.position + position - at)
    return flow.arguments[position] if position < len(flow.arguments) else None


def callers(propagators: Iterable[Propagator]) -> dict[str, CallFlow]:
    """What methods of functions pass on to the function that they call, its receiver included, by their names."""
    found: dict[str, CallFlow] = {}
    for each in propagators:
        for flow in each.flows:
            if isinstance(flow, CallFlow) and flow.callee == Port("this") and flow.receiver is not None:
                found[each.api[-1]] = flow
    return found


def borrowed(roles: Roles, through: CallFlow) -> Roles | None:
    """The roles of the function that calls one with ``roles`` as ``through`` says; None: nothing is known of it."""
    made = Roles(never=roles.never)
    for sink in roles.sinks:
        ports = [each for port in sink.ports for each in _ports(port, through)]
        conditions = _conditions(sink.conditions, through)
        if ports and conditions is not None and not sink.assignment:
            made.sinks.append(replace(sink, ports=tuple(ports), conditions=conditions))
    for sanitizer in roles.sanitizers:
        ports = [each for port in sanitizer.ports for each in _ports(port, through)]
        conditions = _conditions(sanitizer.conditions, through)
        if len(ports) == len(sanitizer.ports) and conditions is not None and not sanitizer.assignment:
            made.sanitizers.append(replace(sanitizer, ports=tuple(ports), conditions=conditions))
    for propagator in roles.propagators:
        conditions = _conditions(propagator.conditions, through)
        if conditions is None:
            continue
        flows: list[Flow | CallFlow | Drop] = []
        for flow in propagator.flows:
            if isinstance(flow, Flow):
                flows += _moves(flow, through)
            elif isinstance(flow, CallFlow):
                flows += _calls(flow, through)
            elif isinstance(flow, Drop):
                flows += [Drop(each) for each in _ports(flow.port, through) if each.path != ("",)]
        made.propagators.append(replace(propagator, flows=tuple(flows), conditions=conditions))
    return made if made.sinks or made.sanitizers or made.propagators or made.never else None


def _ports(port: Port, through: CallFlow) -> list[Port]:
    """Where the call through a method has what the function has at ``port``; several for one of many arguments."""
    found: Port | None = None
    arguments = through.arguments
    if port.kind == "ret":
        return [replace(port, path=_path(port.path, through))]
    if port.kind == "this":
        found = through.receiver
    elif port.kind == "position":
        found = callback_port(through, port.position)
    elif port.kind in ("from", "all") and arguments:
        last = arguments[-1]
        first = max(port.position, 0)
        if last.kind == "from":
            found = Port("from", last.position + max(first - len(arguments) + 1, 0))
        elif last.path and all(each.position == last.position for each in arguments):  # elements of one list
            found = replace(last, path=("",)) if not first else None
            if first:
                return [replace(each, path=each.path + _path(port.path, through)) for each in arguments[first:]]
    elif port.kind == "end" and arguments and arguments[-1].kind == "from":
        found = port
    if found is None:
        return []
    own = found.path if port.kind != "end" else ()
    return [replace(found, path=own + _path(port.path, through), under=port.under)]


def _path(path: tuple[str, ...], through: CallFlow) -> tuple[str, ...]:
    """A path into a port, in which arguments that name keys stand where the call through a method has them."""
    keys = []
    for key in path:
        named = ARGUMENT_KEY.fullmatch(key)
        if named is not None:
            passed = callback_port(through, int(named[1]))
            key = "" if passed is None or passed.path else f"${passed.position}{named[2]}"
        keys.append(key)
    return tuple(keys)


def _conditions(conditions: tuple[EntryCondition, ...], through: CallFlow) -> tuple[EntryCondition, ...] | None:
    """The conditions of an entry, asked of the call through a method; None: one cannot be asked there."""
    asked = []
    for condition in conditions:
        tests = []
        for test in condition.tests:
            ports = [test.port] if test.via or test.here else _ports(test.port, through)
            if len(ports) != 1:
                return None
            tests.append(replace(test, port=ports[0]))
        asked.append(replace(condition, tests=tuple(tests)))
    return tuple(asked)


def _moves(flow: Flow, through: CallFlow) -> list[Flow]:
    further: dict[str, Port] = {}
    for name, port in (("pattern", flow.pattern), ("replacement", flow.replacement), ("schema", flow.schema)):
        if port is not None:
            found = _ports(port, through)
            if not found:
                return []
            further[name] = found[0]
    return [
        replace(
            flow,
            origin=origin,
            target=target,
            pattern=further.get("pattern"),
            replacement=further.get("replacement"),
            schema=further.get("schema"),
        )
        for origin in _ports(flow.origin, through)
        for target in _ports(flow.target, through)
    ]


def _calls(flow: CallFlow, through: CallFlow) -> list[CallFlow]:
    arguments: list[Port] = []
    for port in flow.arguments:
        found = _ports(port, through)
        if not found:
            break
        arguments.append(found[0])
    targets = [None] if flow.target is None else _ports(flow.target, through)
    receivers = _ports(flow.receiver, through) if flow.receiver is not None else []
    receiver = receivers[0] if receivers else None
    return [
        replace(flow, callee=callee, arguments=tuple(arguments), target=target, receiver=receiver)
        for callee in _ports(flow.callee, through)
        for target in targets[:1]
    ]
