"""Types and shapes of values: what ``is`` of the rule language holds for."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import applies

TYPES = '[type]\nreturns = ["web.connect() : web.Connection"]\n'


@pytest.mark.parametrize(
    ("condition", "first", "holds"),
    [
        ("when 0 is constant", "'a'", True),
        ("when 0 is constant", "['a']", True),
        ("when 0 is constant", "x", False),
        ("when 0 is number", "5", True),
        ("when 0 is number", "-5", True),
        ("when 0 is number", "'5'", False),
        ("when 0 is number", "'-5'", False),
        ("when 0 is string", "'a'", True),
        ("when 0 is string", "x", True),
        ("when 0 is string", "5", False),
        ("when 0 is string", "[x]", False),
        ("when 0 is string", "{'a': x}", False),
        ("when 0 is string", "lambda: 1", False),
        ("when 0 is list", "[x]", True),
        ("when 0 is list", "{'a': x}", False),
        ("when 0 is dict", "{'a': x}", True),
        ("when 0 is dict", "[x]", False),
        ("when 0 is function", "lambda: 1", True),
        ("when 0 is function", "'a'", False),
        ("when 0 is concatenated", "f'a{x}'", True),
        ("when 0 is concatenated", "'a'", False),
    ],
)
def test_a_value_is_of_a_type(condition: str, first: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({first}, x)\n") is holds


@pytest.mark.parametrize(
    ("first", "holds"), [("web.connect()", True), ("Own()", True), ("web.other()", False), ("'a'", False)]
)
def test_a_type_is_an_api_or_a_class_of_the_program_that_extends_it(first: str, holds: bool) -> None:
    code = f"import web\nclass Own(web.Connection): pass\nx = web.get()\nc = {first}\nweb.run(c, x)\n"
    assert applies("when 0 is web.Connection", code, types=TYPES) is holds


@pytest.mark.parametrize(("body", "holds"), [("return {'a': 1}", True), ("return [1]", False), ("return g()", False)])
def test_a_shape_is_known_through_calls_of_the_program(body: str, holds: bool) -> None:
    code = f"import web\ndef make():\n    {body}\nweb.run(make(), web.get())\n"
    assert applies("when 0 is dict", code) is holds


@pytest.mark.parametrize(
    ("results", "holds"),
    [
        (("{'a': 1}, 400", "{}, 200"), True),
        (("{'a': 1}, 400", "'', 200"), False),
        (("{'a': 1}, 400", "other()"), False),
        (("{'a': 1}, 400", "()"), False),
    ],
)
def test_a_shape_is_known_of_a_part_of_each_literal_that_a_call_returns(results: tuple[str, str], holds: bool) -> None:
    code = "import web\nx = web.get()\ndef make():\n"
    code += f"    if x:\n        return {results[0]}\n    return {results[1]}\n"
    code += "body, status = make()\nweb.run(body, x)\n"
    assert applies("when 0 is dict", code) is holds


def test_null_and_false_have_no_shape_of_their_own() -> None:
    code = "import web\nx = web.get()\no = None\nif x:\n    o = {'a': 1}\nweb.run(o, x)\n"
    assert applies("when 0 is dict", code)
    assert not applies("when 0 is dict", "import web\nweb.run(None, web.get())\n")


@pytest.mark.parametrize(
    ("flow", "holds"),
    [
        ("0 -> ret[]", True),
        ("0 -> ret[]; 0[<keys>] -> ret[<keys>]", True),
        ("0[<keys>] -> ret[<keys>]", False),
        ("0 -> ret[]; 0 -> ret", False),
    ],
)
def test_a_call_that_puts_data_into_elements_and_keys_alone_returns_no_text(flow: str, holds: bool) -> None:
    types = f'[propagator]\nflow = ["web.renamed: {flow}"]\n'
    code = "import web\nx = web.get()\nweb.run(web.renamed(x), x)\n"
    assert applies("when 0 is list", code, types=types) is holds
    assert applies("when 0 is string", code, types=types) is not holds
