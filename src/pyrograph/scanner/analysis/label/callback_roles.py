"""Functions of libraries that are passed to libraries: ``names.forEach(exec)``, ``parts.map(decodeURIComponent)``.

The call that passes one is the place of its sinks, and of its flow. No call of it is seen: conditions are asked of the
call that passes it, where that hands on the arguments which they are about (``to_thread(run, line, shell=True)``).
Entries with other conditions do not count.
"""

from __future__ import annotations

from dataclasses import replace

from pyrograph.ir.codes import NONE
from pyrograph.rules.entries import CallFlow, EntryCondition, Port, Sink
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.borrowed import callback_port
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow, SinkRole


def library_callback(facts: Facts, call: int, flow: CallFlow) -> None:
    """Sinks and flow of a library function that is passed as a callback."""
    for row in facts.args.at(call, flow.callee):
        for node in facts.resolution.api_nodes(facts.arg_value[row]):
            apis = facts.apis[facts.language(facts.arg_value[row])]
            roles = apis.roles.get(node)
            if roles is not None and flow.target is not None and not (flow.where or flow.later):
                callback_flow(facts, call, flow, flow.target, node)
            for sink in roles.sinks if roles is not None else ():
                if sink.vulnerability not in facts.wanted.bits or sink.assignment:
                    continue
                asked = passed_conditions(flow, sink.conditions)
                if asked is None or not holds(facts, asked, call):
                    continue
                for port in sink.ports:
                    passed = callback_port(flow, port.position) if port.kind == "position" else None
                    if passed is not None:
                        passed = replace(passed, path=passed.path + port.path)
                        callback_sink(facts, call, passed, sink, apis.text(node), row)


def passed_conditions(flow: CallFlow, conditions: tuple[EntryCondition, ...]) -> tuple[EntryCondition, ...] | None:
    """Conditions of an entry of what is called, as conditions of the call that passes it, which hands on its further
    arguments; None where one is about something else.
    """
    if not conditions:
        return ()
    if not flow.arguments or flow.arguments[-1].kind != "from":
        return None
    asked = []
    for condition in conditions:
        tests = []
        for test in condition.tests:
            port = test.port
            if test.via or test.here or port.kind not in ("position", "keyword"):
                return None
            if port.kind == "position":
                passed = callback_port(flow, port.position)
                if passed is None or passed.kind != "position":
                    return None
                port = replace(passed, names=port.names, path=passed.path + port.path)
            tests.append(replace(test, port=port))
        asked.append(replace(condition, tests=tuple(tests)))
    return tuple(asked)


def callback_flow(facts: Facts, call: int, flow: CallFlow, target: Port, node: int) -> None:
    """Flow through the library function ``node``, which ``call`` calls, to where its results go."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    sanitizers = [
        each for at in (node, *apis.step(node, CALL)) if at in apis.roles for each in apis.roles[at].sanitizers
    ]
    harmless = 0
    for sanitizer in sanitizers:
        if not (sanitizer.ports or sanitizer.assignment or sanitizer.conditions):
            harmless |= facts.wanted.cleaned_by(sanitizer.vulnerability)
    targets = [facts.call_result[call]] if target.kind == "ret" else []
    put = facts.keys(call, target.path)
    moves = [each for one in apis.roles[node].propagators if not one.conditions for each in one.flows]
    for move in moves:
        if not isinstance(move, ModelFlow) or move.target.kind != "ret":
            continue
        if move.target.path or move.pattern is not None:
            continue
        without = harmless | (facts.wanted.mask_of_all(move.without) if move.without else 0)
        for passed in passed_ports(flow, move.origin):
            take = (*facts.keys(call, passed.path), *facts.keys(call, move.origin.path))
            for value in callback_values(facts, call, passed):
                for made in targets if not facts.is_inert(value) else ():
                    moved = DataFlow(value, made, take, put, not (take or put), without)
                    facts.labels.flows.append(moved)
                    if move.decoding:
                        facts.conditions.decodings.append(moved)


def passed_ports(flow: CallFlow, origin: Port) -> list[Port]:
    """The ports of the call that passes a callback whose values the callback gets at ``origin``: all for ``*``."""
    if origin.kind == "position":
        passed = callback_port(flow, origin.position)
        return [] if passed is None or passed.kind == "ret" else [passed]
    return [each for each in flow.arguments if each.kind == "position"] if origin.kind == "all" else []


def callback_values(facts: Facts, call: int, port: Port) -> list[int]:
    """The values that a library passes to a callback, or that hold them."""
    if port.kind == "this" and facts.call_receiver[call] != NONE:
        return [facts.call_receiver[call]]
    return [facts.arg_value[each] for each in facts.args.at(call, port)]


def callback_sink(facts: Facts, call: int, port: Port, sink: Sink, text: str, row: int) -> None:
    """A sink for each value that a library passes to the callback in the argument ``row``."""
    values = callback_values(facts, call, port)
    place = (
        facts.places.file_of[facts.call_result[call]],
        int(facts.places.arg_start[row]),
        int(facts.places.arg_end[row]),
    )
    keys, given = facts.keys(call, port.path), facts.arg_value[row]
    for value in values:
        for bit in facts.wanted.bits_at(sink) if not facts.is_inert(value) else ():
            low = sink.low or bit in facts.wanted.low
            facts.labels.sinks.append(SinkRole(int(value), bit, text, *place, keys, low, call=call, given=given))
