"""The block that a value is made in, and the edges from there on."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import labelled

from pyrograph.ir.codes import NONE, Op
from pyrograph.scanner.analysis.label.blocks import Blocks, shared_blocks

CODE = """
import web
def f(x):
    a = web.get()
    if x:
        b = web.one()
    else:
        c = web.two()
    return web.run(x)
"""


def test_values_of_one_branch_share_a_block_and_edges_lead_on() -> None:
    made = labelled(CODE)
    blocks = Blocks(made.facts)
    before, one, two, after = (made.value(f"web.{name}", Op.CALL) for name in ("get()", "one()", "two()", "run(x)"))
    function = int(made.facts.function_of[before])
    at = {value: blocks.block_of(function, value) for value in (before, one, two, after)}
    assert len(set(at.values())) == 4
    assert NONE not in at.values()
    assert {target for target, _, _ in blocks.edges(at[before])} == {at[one], at[two]}
    assert {side for _, _, side in blocks.edges(at[before])} == {0, 1}
    assert [target for target, _, _ in blocks.edges(at[one])] == [at[after]]
    assert blocks.ended_in(function) == set()


def test_a_function_without_blocks_has_none() -> None:
    assert Blocks(labelled("import web\n").facts).block_of(10**6, 0) == NONE


def test_chapters_behind_the_chop_share_blocks_that_know_which_calls_do_not_return() -> None:
    made = labelled(CODE.replace("c = web.two()", "web.stop()"), '[type]\nnever = ["web.stop"]\n')
    blocks = shared_blocks(made.facts)
    stopped = made.value("web.stop()", Op.CALL)
    function = int(made.facts.function_of[stopped])
    assert blocks is shared_blocks(made.facts)
    assert blocks.ended_in(function) == {blocks.block_of(function, stopped)}


def test_parameters_phis_and_loop_headers_have_a_block_of_their_own() -> None:
    code = """
import web
def f(x):
    if web.one():
        a = web.two()
    else:
        a = web.three()
    web.run(a)
    for each in x:
        a = a + each
    return a
"""
    made = labelled(code)
    blocks, op = Blocks(made.facts), made.facts.op
    function = int(made.facts.function_of[made.value("web.one()", Op.CALL)])
    inside = [value for value in range(made.program.num_values) if made.facts.function_of[value] == function]
    (parameter,) = [value for value in inside if op[value] == Op.PARAMETER]
    phi = next(value for value in inside if op[value] == Op.PHI)
    carry = next(value for value in inside if op[value] == Op.CARRY)
    one, run = (made.value(f"web.{name}", Op.CALL) for name in ("one()", "run(a)"))
    assert blocks.place_of(function, parameter) == blocks.place_of(function, one) == blocks.block_of(function, one)
    assert blocks.place_of(function, phi) == blocks.block_of(function, run)
    assert blocks.place_of(function, carry) == int(made.program.tables["loops"]["header"][made.facts.data[carry]])


def test_a_value_that_an_expression_chooses_is_made_where_the_expression_stands() -> None:
    made = labelled("function f(x) {\n  const y = x || 'a';\n  web.run(y);\n}\n", language="javascript")
    phi, run = made.value("x || 'a'", Op.PHI), made.value("web.run(y)", Op.CALL)
    blocks, function = Blocks(made.facts), int(made.facts.function_of[run])
    assert blocks.place_of(function, phi) == blocks.block_of(function, run)
    assert blocks.place_of(function, made.value("x", Op.PHI)) == NONE, "before the edge, or behind it"
