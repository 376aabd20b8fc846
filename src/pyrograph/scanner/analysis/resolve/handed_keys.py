"""Keys of messages that callers give: ``def publish(topic, data)`` sends ``data`` with a key that is its parameter.

At the library's call the key is a parameter, and so no constant. It is one where ``publish`` is called: that call sends
the message, if all that is sent are parameters, too, and else the library's call does, with each key that callers
give. The same holds for ``def subscribe(topic, handler)``. Functions that call such a function are found in the same
way, to a bound.

Linear in the calls of such functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_KEY_FUNCTIONS
from pyrograph.rules.entries import CallFlow, Handle, Port, Send
from pyrograph.scanner.analysis.numbers import NORMAL_KIND, VARARG_KIND
from pyrograph.scanner.analysis.resolve.computed_imports import spellings
from pyrograph.scanner.analysis.resolve.handed_statements import Behind
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.topics import join


@dataclass(frozen=True, slots=True)
class HandedKey:
    """A call that sends or handles messages, with a key whose next part is a value that callers give."""

    row: int
    flow: Handle | Send
    topic: tuple[str, ...]  # the parts that are known
    value: int
    depth: int = 0  # functions between the library's call and this one


def join_handed_keys(solver: Solver) -> None:
    """Let calls of functions that send and handle messages meet, by the keys that they give these functions."""
    work = [HandedKey(*each) for each in solver.models.handed_keys]
    seen = set(work)
    behind = Behind(solver) if work else None
    for each in work:  # grows by calls of functions, to a bound of depth
        assert behind is not None
        found = behind.parameter(each.value)
        function = NONE if found == NONE else solver.functions.param_function[found]
        sites = behind.sites.get(function, ())
        if not sites or each.depth == MAX_KEY_FUNCTIONS:
            join(solver, each.row, each.flow, (*each.topic, ""))
            continue
        passed = moved(solver, behind, each, function) if len(each.topic) == len(each.flow.key) else None
        for site in sites:
            row, flow = (each.row, each.flow) if passed is None else (site, passed)
            for value in port_values(solver, site, behind.port(found)):
                texts = spellings(solver, value)
                for text in texts:
                    join(solver, row, flow, (*each.topic, text.removeprefix("'")))
                further = HandedKey(row, flow, each.topic, value, each.depth + 1)
                if not texts and further not in seen:
                    seen.add(further)
                    work.append(further)


def moved(solver: Solver, behind: Behind, handed: HandedKey, function: int) -> Handle | Send | None:
    """What a call of ``function`` does if all that the call in it sends, or what handles, are parameters of it."""
    key = handed.row, handed.flow, function
    known = solver.models.moved_flows
    if key not in known:
        known[key] = _moved(solver, behind, handed, function)
    return known[key]


def _moved(solver: Solver, behind: Behind, handed: HandedKey, function: int) -> Handle | Send | None:
    flow = handed.flow
    if isinstance(flow, Handle):
        ports = _ports(solver, behind, handed.row, flow.handler, function)
        return replace(flow, handler=ports[0]) if ports is not None and len(ports) == 1 else None
    if flow.call.target is not None or flow.call.receiver is not None:
        return None
    arguments: list[Port] = []
    for port in flow.call.arguments:
        ports = _ports(solver, behind, handed.row, port, function)
        if ports is None:
            return None
        arguments += ports
    call: CallFlow = replace(flow.call, arguments=tuple(arguments))
    return replace(flow, call=call)


def _ports(solver: Solver, behind: Behind, row: int, port: Port, function: int) -> list[Port] | None:
    """Where calls of ``function`` give what the call ``row`` in it has at a port; None if some of it is made there."""
    functions = solver.functions
    found: list[Port] = []
    for value in port_values(solver, row, replace(port, path=(), under="")):
        parameter = behind.parameter(value)
        if parameter == NONE or functions.param_function[parameter] != function:
            return None
        if functions.param_kind[parameter] not in (NORMAL_KIND, VARARG_KIND):
            return None
        found.append(replace(behind.port(parameter), path=port.path, under=port.under))
    return found
