"""Which value a library passes to a function of a library."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.rules import entries
from pyrograph.rules.entries import CallFlow, EntryCondition, Port
from pyrograph.scanner.analysis.borrowed import callback_port
from pyrograph.scanner.analysis.label.callback_roles import passed_conditions, passed_ports


def test_a_callback_gets_the_ports_of_the_flow_in_their_order() -> None:
    flow = CallFlow(Port("position", 0), (Port("this", path=("",)), Port("position", 1)), Port("ret", path=("",)))
    assert callback_port(flow, 0) == Port("this", path=("",))
    assert callback_port(flow, 1) == Port("position", 1)
    assert callback_port(flow, 2) is None


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        ("from", Port("position", 1, ("args",), ("2",))),
        ("position", None),
    ],
)
def test_conditions_are_asked_of_the_call_that_hands_its_arguments_on(arguments: str, asked: Port | None) -> None:
    handed = Port("from", 1) if arguments == "from" else Port("position", 1)
    flow = CallFlow(Port("position", 0), (handed,), Port("ret"))
    test = entries.TestOf(Port("position", 0, ("args",), ("2",)), "==", ("x",))
    found = passed_conditions(flow, (EntryCondition(False, (test,)),))
    assert (found[0].tests[0].port if found else None) == asked
    assert passed_conditions(flow, ()) == ()


def test_a_condition_on_the_receiver_is_asked_of_no_other_call() -> None:
    flow = CallFlow(Port("position", 0), (Port("from", 1),), Port("ret"))
    assert passed_conditions(flow, (EntryCondition(True, (entries.TestOf(Port("this"), "present"),)),)) is None
    keyword = Port("keyword", names=("shell",))
    found = passed_conditions(flow, (EntryCondition(False, (entries.TestOf(keyword, "==", (True,)),)),))
    assert found is not None
    assert found[0].tests[0].port == keyword


def test_all_that_a_callback_gets_is_what_the_call_hands_on() -> None:
    each = Port("position", 1, path=("",))
    flow = CallFlow(Port("position", 0), (each, Port("this")), Port("ret", path=("",)))
    assert passed_ports(flow, Port("all")) == [each]
    assert passed_ports(flow, Port("position", 0)) == [each]
    assert passed_ports(flow, Port("position", 2)) == []
    assert passed_ports(flow, Port("this")) == []


HANDED = """
[source]
http = ["web.get()"]

[sink]
danger = ["web.run(0)"]

[propagator]
flow = ["web.each: call 0(1) -> ret", "web.{entry}"]
"""


@pytest.mark.parametrize(
    ("entry", "flows"),
    [("decode: 0 -> ret", True), ("decode: 0 -> ret[a]", False), ("decode: 0 -> 1", False), ("other: 0 -> ret", False)],
)
def test_data_flows_through_a_function_of_a_library_to_the_result(entry: str, flows: bool) -> None:
    found = labelled("import web\ny = web.each(web.decode, web.get())\n", HANDED.replace("{entry}", entry))
    given = found.value("web.get()")
    assert any(flow.origin == given and not flow.take and not flow.put for flow in found.labels.flows) is flows
