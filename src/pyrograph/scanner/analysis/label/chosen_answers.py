"""Answers of servers that a request chose: ``page = requests.get(url).text``, where a visitor names ``url``.

Answers of other servers are data of a kind of their own, off by default. Who chooses the server writes its answer,
too. So the address flows into what the call returns, for the vulnerability that is there if the server is free
(``Wanted.choosing``), and for no other: where the host is fixed, nothing arrives. An address in that answer, which
the program then asks, is an address of the same attacker.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.rules.kinds import ANSWER
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow
from pyrograph.scanner.analysis.numbers import CALL_OP


def chosen_answers(facts: Facts) -> None:
    """Flow from addresses of requests to their answers. O(sinks + values that are APIs)."""
    made = {(flow.origin, flow.target) for flow in facts.labels.flows}  # the call makes a request, and sends none
    found: dict[DataFlow, None] = {}
    for sink in facts.labels.sinks:
        bit = 1 << sink.vulnerability
        if sink.call != NONE and facts.wanted.choosing & bit and sink.call in facts.calls.apis_of:
            result = facts.call_result[sink.call]
            if (sink.value, result) not in made:
                harmless = facts.wanted.all & ~bit
                found[DataFlow(sink.value, result, sink.keys, (), not sink.keys, harmless)] = None
                facts.labels.checks.answered.add((sink.value, result))
    if not found:
        return
    facts.labels.flows += found
    harmless = facts.wanted.all & ~facts.wanted.choosing
    for value, node in dict.fromkeys(facts.resolution.api_values):
        roles = facts.apis[facts.language(value)].roles.get(node)
        if roles is None or facts.op[value] != CALL_OP or not any(each.kind == ANSWER for each in roles.sources):
            continue
        receiver = facts.call_receiver[facts.data[value]]
        if receiver != NONE:  # ``response.json()``; what is read of it is a part
            facts.labels.flows.append(DataFlow(receiver, value, (), (), True, harmless))
