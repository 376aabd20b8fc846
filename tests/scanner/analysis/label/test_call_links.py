"""What calls bind, also those that a library makes of the functions it is given."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import labelled

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT

RULES = '[propagator]\nflow = ["web.each: call 1(0[])", "web.keep: where 1(0[]) -> ret[]"]\n'
CODE = "import web\ndef g(x):\n    return x\ndef f(a):\n    g(a)\n    web.each(a, g)\n    b = web.keep(a, g)\n"


def test_arrivals_are_arguments_as_they_are_or_their_elements() -> None:
    found = labelled(CODE, RULES)
    links = CallLinks(found.resolution)
    for text, element in (("g(a)", ENTIRE_ARGUMENT), ("web.each(a, g)", UNKNOWN_KEY)):
        arrived = [(found.text(value), part) for value, _, _, part in links.arrivals(found.call(text))]
        assert arrived == [("a", element)]


def test_results_are_what_functions_return_and_elements_what_they_choose() -> None:
    found = labelled(CODE, RULES)
    links = CallLinks(found.resolution)
    results = found.program.numbers("calls", "result")
    assert len(links.results[results[found.call("g(a)")]]) == 1
    ((_, key),) = links.elements[results[found.call("web.keep(a, g)")]]
    assert key == UNKNOWN_KEY
