"""Which value a library passes to a function of a library."""

from __future__ import annotations

from pyrograph.rules.entries import CallFlow, Port
from pyrograph.scanner.analysis.label.callback_roles import callback_port


def test_a_callback_gets_the_ports_of_the_flow_in_their_order() -> None:
    flow = CallFlow(Port("position", 0), (Port("this", path=("",)), Port("position", 1)), Port("ret", path=("",)))
    assert callback_port(flow, 0) == Port("this", path=("",))
    assert callback_port(flow, 1) == Port("position", 1)
    assert callback_port(flow, 2) is None
