"""Where versions come from, whatever part of them is asked for."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, Labelled, labelled

from pyrograph.ir.codes import NONE, Op
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.label.field_links import FieldLinks

EACH = '[propagator]\nflow = ["web.each: call 1(0[])"]\n'
FLOWS = '[propagator]\nflow = ["web.pick: 0[a] => ret[b]", "web.fill: 1 => 0[c]"]\n'
NEVER = '[type]\nnever = ["web.fail"]\n'
CODE = """
import web
def g(x):
    return x
async def later(x):
    return x
def f(c):
    a = web.get()
    b = g(a)
    web.each(a, g)
    web.each(a, later)
    web.unknown(a)
    if c:
        d = web.one()
    else:
        d = web.two()
        web.fail(d)
    web.run(d)
    e = web.pick(a)
    web.fill(e, a)
def use():
    h(web.get())
    h([1])
def h(p):
    web.run(p)
"""


def links_of(made: Labelled) -> FieldLinks:
    return FieldLinks(made.facts, CallLinks(made.resolution), Blocks(made.facts))


@pytest.mark.parametrize(
    ("call", "expected"),
    [("g(a)", [(True, False)]), ("web.each(a, g)", [(False, True)]), ("web.each(a, later)", [(False, False)])],
)
def test_exits_are_those_of_the_functions_that_get_the_argument(call: str, expected: list[tuple[bool, bool]]) -> None:
    made = labelled(CODE, RULES + EACH)
    number = made.call(call)
    (row,) = made.facts.args.at(number, Port("position", 0))
    found = links_of(made).exits(number, made.facts.arg_value[row])
    assert [(each.is_whole, each.asks_all) for each in found] == expected
    assert all(each.version != NONE for each in found)


def test_of_an_unknown_call_there_are_no_exits() -> None:
    made = labelled(CODE, RULES)
    number = made.call("web.unknown(a)")
    given = [made.facts.arg_value[row] for row in made.facts.args.of(number)]
    assert given
    assert all(links_of(made).exits(number, each) == [] for each in given)


def test_an_input_from_where_a_call_does_not_return_is_left_out() -> None:
    for rules, expected in ((RULES, ["web.one()", "web.two()"]), (RULES + NEVER, ["web.one()"])):
        made = labelled(CODE, rules)
        phis = [value for value in range(made.program.num_values) if made.facts.op[value] == Op.PHI]
        inputs = [links_of(made).inputs(phi) for phi in phis]
        texts = [sorted({made.text(made.facts.rep[each]) for each in ways}) for ways in inputs]
        assert expected in texts


def test_what_calls_pass_that_no_source_reaches_is_left_out() -> None:
    made = labelled(CODE, RULES)
    parameter = made.facts.rep[made.value("p", Op.PARAMETER)]
    assert [(made.text(value), keys) for value, keys in links_of(made).given(parameter)] == [("web.get()", ())]


def test_flows_of_packs_are_kept_by_where_they_go() -> None:
    made = labelled(CODE, RULES + FLOWS)
    links, ids = links_of(made), made.program.string_ids
    (picked,) = links.into_result(made.call("web.pick(a)"))
    assert (picked.same, picked.origin, picked.target) == (True, (ids["a"],), (ids["b"],))
    assert links.into_arguments(made.call("web.pick(a)")) == []
    (filled,) = links.into_arguments(made.call("web.fill(e, a)"))
    assert filled.target == (ids["c"],)
    assert [made.text(made.facts.arg_value[row]) for row in filled.rows] == ["web.pick(a)"]
