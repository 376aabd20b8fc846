"""Methods called on an object, also earlier in a chain and in an enclosing function."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import applies, labelled

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.scanner.analysis.label.object_uses import name_of_key


@pytest.mark.parametrize(
    ("calls", "holds"),
    [
        ("c.use('a')", True),
        ("c.use('b')", False),
        ("c.set('a')", False),
        ("d.use('a')", False),
        ("c.other().use('a')", True),  # what methods return is often the object
        ("web.connect().use('a')", False),
        ("", False),
    ],
)
def test_a_method_was_called_on_the_same_object(calls: str, holds: bool) -> None:
    code = f"import web\nx = web.get()\nc = web.connect()\nd = web.connect()\n{calls}\nweb.run(c, x)\n"
    assert applies("when 0 called use('a')", code) is holds


@pytest.mark.parametrize(("call", "holds"), [("c.whatever('a/b')", True), ("c.whatever('b')", False)])
def test_any_method_with_an_argument_that_begins_so(call: str, holds: bool) -> None:
    code = f"import web\nx = web.get()\nc = web.connect()\n{call}\nweb.run(c, x)\n"
    assert applies("when 0 called any('a')", code) is holds


def test_a_chain_and_a_captured_object_were_called_before() -> None:
    chain = "import web\nx = web.get()\nweb.run(web.connect().use('a'), x)\n"
    assert applies("when 0 called use('a')", chain)
    captured = "import web\nc = web.connect()\nc.use('a')\ndef f():\n    web.run(c, web.get())\n"
    assert applies("when 0 called use('a')", f"def outer():\n{indented(captured)}")


def indented(code: str) -> str:
    return "".join(f"    {line}\n" for line in code.splitlines())


@pytest.mark.parametrize(
    ("made", "holds"),
    [
        ("web.wrap(c)", True),  # the same value by the model
        ("web.wrap(web.wrap(c))", True),
        ("web.pair(c)[0]", True),
        ("web.copy(c)", False),
        ("web.wrap(d)", False),
        ("web.unknown(c)", False),
    ],
)
def test_what_wraps_an_object_was_given_what_that_was_given(made: str, holds: bool) -> None:
    flows = '[propagator]\nflow = ["web.wrap: 0 => ret", "web.pair: 0 => ret[0]", "web.copy: 0 -> ret"]\n'
    code = "import web\nx = web.get()\nc = web.connect()\nd = web.connect()\nc.head().set('a/b')\n"
    code += f"w = {made}\nweb.run(w, x)\n"
    assert applies("when 0 given 'a'", code, types=flows) is holds


def test_the_name_of_a_key_may_be_a_constant_with_a_name() -> None:
    found = labelled("def f(o, x):\n    o['a'], o[TYPE], o[x]\nTYPE = 'b'\n", everywhere=True)
    loads = found.facts.tables["loads"]["key"].tolist()
    assert sorted(name_of_key(found.facts, key) for key in loads) == ["", "a", "b"]
    assert name_of_key(found.facts, UNKNOWN_KEY) == ""
