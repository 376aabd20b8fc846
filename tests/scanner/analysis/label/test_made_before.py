"""What is made of a text before the text is checked; ``fixtures/flows/*/guards.md`` has the flow."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled, vulnerability

from pyrograph.ir.codes import Op

PATHS = RULES.replace('["web.run(0)"]', '["web.run(0)"]\n\n[propagator]\nflow = ["web.join: 0+ -> ret"]')
GUARDS = '\n[guard]\ndanger = ["in"]\n\n[type]\nnever = ["web.stop"]\n'
HANDLER = """
import web
def known(x):
    return x in ("a", "b")
def demand(x):
    if x not in ("a", "b"):
        raise ValueError(x)
def show(x):
    return web.run(x)
def f():
    x, y = web.get(), web.get()
{}
"""


def blocked(body: str) -> set[tuple[str, str]]:
    """The flows that a check blocks for the first vulnerability, in a function with two parts of a request."""
    lines = "\n".join("    " + line for line in body.split("\n"))
    found = labelled(HANDLER.format(lines), PATHS + GUARDS)
    parts = {pair for pair, mask in found.facts.guards.made_before.items() if mask & 1}
    assert parts <= set(found.labels.harmless_parts)
    return set(found.pairs(parts))


@pytest.mark.parametrize(
    "rest",
    [
        'if x not in ("a", "b"):\n    return\nweb.run(d)',
        'if x in ("a", "b"):\n    web.run(d)',
        'if x in ("a", "d") or x in ("b", "c"):\n    web.run(d)\nelif x in ("a", "b"):\n    web.run(d)',
        'if x not in ("a", "b"):\n    web.stop()\nweb.run(d)',
        "if not known(x):\n    return\nweb.run(d)",
        "demand(x)\nweb.run(d)",
        'e = d + ".txt"\nif x not in ("a", "b"):\n    return\nweb.run(e)',
        'if y:\n    d = d + ".txt"\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        'if y:\n    web.log(x)\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        'if x not in ("a", "b"):\n    raise ValueError(x)\nreturn web.run(d)',
        'if x not in ("a", "b"):\n    return\nshow(d)',
        'if x not in ("a", "b"):\n    return\nbox = {"a": d}\nweb.run(box["a"])',
        'if x not in ("a", "b"):\n    return\nreturn lambda: web.run(d)',
    ],
)
def test_what_is_used_behind_the_check_alone_is_as_clean_as_the_checked_text(rest: str) -> None:
    assert blocked(f'd = web.join("base", x)\n{rest}') == {("web.get()", 'web.join("base", x)')}


@pytest.mark.parametrize(
    "rest",
    [
        'web.run(d)\nif x not in ("a", "b"):\n    return',
        'if x not in ("a", "b"):\n    web.run(d)',
        'if x in ("a", "b"):\n    web.log(x)\nweb.run(d)',
        'if y:\n    if x not in ("a", "b"):\n        return\nweb.run(d)',
        'if y not in ("a", "b"):\n    return\nweb.run(d)',
        'if y or x in ("a", "b"):\n    web.run(d)',
        'x = web.get()\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        "try:\n    demand(x)\nexcept ValueError:\n    pass\nweb.run(d)",
        "try:\n    demand(x)\nexcept ValueError:\n    web.run(d)",
        'show(d)\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        'box = {"a": d}\nweb.run(box["a"])\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        'def later():\n    web.run(d)\nlater()\nif x not in ("a", "b"):\n    return\nweb.run(d)',
        "web.run(d)\ndemand(x)",
    ],
)
def test_a_use_where_no_check_has_passed_counts(rest: str) -> None:
    assert blocked(f'd = web.join("base", x)\n{rest}') == set()


def test_other_data_in_the_text_is_not_checked() -> None:
    found = labelled(
        HANDLER.format('    d = web.join(y, x)\n    if x in ("a", "b"):\n        web.run(d)'), PATHS + GUARDS
    )
    (pair,) = found.facts.guards.made_before
    checked = found.facts.arg_value[found.facts.args.of(found.call("web.join(y, x)"))[-1]]
    assert pair == (checked, found.value("web.join(y, x)", Op.CALL))


LOOP = """
last = ""
for x in web.get():
    d = web.join("base", x)
    if x not in ("a", "b"):
        {}
        continue
    web.run({})
"""


@pytest.mark.parametrize(("refused", "used", "clean"), [("pass", "d", True), ("last = d", "last", False)])
def test_the_text_of_an_earlier_iteration_is_not_that_which_was_checked(refused: str, used: str, clean: bool) -> None:
    assert bool(blocked(LOOP.strip().format(refused, used))) is clean


RETURNED = """
import web
def make(x):
    d = web.join("base", x)
    if x not in ("a", "b"):
        {}
    return d
web.run(make(web.get()))
"""


@pytest.mark.parametrize(
    ("refused", "clean"),
    [
        ("raise ValueError(x)", True),
        ("return None", True),
        ('return "x" + "y"', True),
        ("return d", False),
        ('return d + "x"', False),
        ("return", True),
        ("web.log(x)", False),
    ],
)
def test_a_result_counts_as_behind_the_check_if_others_are_returned_elsewhere(refused: str, clean: bool) -> None:
    found = labelled(RETURNED.format(refused), PATHS + GUARDS)
    assert bool(found.facts.guards.made_before) is clean


def test_a_sink_before_the_check_takes_away_its_own_vulnerability_alone() -> None:
    rules = PATHS.replace("[sink]", '[sink]\nthird = ["web.use(0)"]') + GUARDS.replace("danger =", "any =")
    body = '    d = web.join("base", x)\n    web.use(d)\n    if x not in ("a", "b"):\n        return\n    web.run(d)\n'
    kinds = tuple(vulnerability(name) for name in ("danger", "other", "third", "fourth"))
    found = labelled(HANDLER.format(body), rules, vulnerabilities=kinds)
    (mask,) = found.facts.guards.made_before.values()
    assert mask & 0b1111 == 0b1011
