"""Conditions of entries: each operator of the rule language, where it holds and where it does not."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

SOURCE = '[source]\nhttp = ["web.get()"]\n'
TYPES = '[type]\nreturns = ["web.connect() : web.Connection"]\n'


def applies(condition: str, code: str, language: str = "python", *, types: str = "") -> bool:
    """Whether ``web.run(1)`` with this condition is a sink somewhere in ``code``."""
    rules = SOURCE + f'[sink]\ndanger = ["""web.run(1) {condition}"""]\n' + types
    return bool(labelled(code, rules, language).labels.sinks)


@pytest.mark.parametrize(
    ("condition", "first", "holds"),
    [
        ("when 0 == 'a'", "'a'", True),
        ("when 0 == 'a'", "'b'", False),
        ("when 0 == 'a'", "x", False),
        ("when 0 == true", "True", True),
        ("when 0 == null", "None", True),
        ("when 0 != 'a'", "'b'", True),
        ("when 0 != 'a'", "'a'", False),
        ("when 0 != 'a'", "x", True),
        ("unless 0 == 'a'", "'a'", False),
        ("unless 0 == 'a'", "x", True),
        ("when 0 in ('a', 'b')", "'b'", True),
        ("when 0 in ('a', 'b')", "'c'", False),
        ("when 0 prefix 'ab'", "'abc'", True),
        ("when 0 prefix 'ab'", "'cab'", False),
        ("when 0 prefix 'ab'", "f'ab{x}'", True),
        ("when 0 prefix ('q', 'ab')", "'abc'", True),
        ("when 0 contains 'b'", "'abc'", True),
        ("when 0 contains 'b'", "'ac'", False),
        ("when 0 contains 'b'", "f'{x}b'", True),
        ("when 0 lacks 'b'", "'ac'", True),
        ("when 0 lacks 'b'", "'abc'", False),
        ("when 0 lacks 'b'", "x", False),
        ("when 0 lacks 'b'", "5", False),
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
        ("when 0[a] == 'b'", "{'a': 'b'}", True),
        ("when 0[a] == 'b'", "{'a': 'c'}", False),
        ("when 0[a] == 'b'", "{'b': 'b'}", False),
        ("when 0[a] present", "{'a': x}", True),
        ("when 0[a] absent", "{'a': x}", False),
        ("when 0 decides", "lambda v: v if v else 1", True),
        ("when 0 decides", "lambda v: v", False),
        ("when 0 backtracks match", r"'(a+)+$'", True),
        ("when 0 backtracks match", r"'a+$'", False),
        ("when 0 slow search", r"'a+$'", True),
        ("when 0 slow match", r"'a+$'", False),
    ],
)
def test_a_test_of_an_argument(condition: str, first: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({first}, x)\n") is holds


@pytest.mark.parametrize(
    ("condition", "arguments", "holds"),
    [
        ("when 2 present", "1, x, 3", True),
        ("when 2 present", "1, x", False),
        ("when 2 absent", "1, x", True),
        ("when shell= == true", "1, x, shell=True", True),
        ("when shell= == true", "1, x", False),
        ("when shell= == null", "1, x", True),
        ("when 0 == 1 and 2 == 3", "1, x, 3", True),
        ("when 0 == 1 and 2 == 3", "1, x, 4", False),
        ("unless 0 == 1 and 2 == 3", "1, x, 4", True),
        ("when 0 == 1 when 2 == 3", "1, x, 4", False),
        ("when 0 == 1 unless 2 == 3", "1, x, 4", True),
    ],
)
def test_tests_of_several_arguments_and_conditions(condition: str, arguments: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({arguments})\n") is holds


@pytest.mark.parametrize(
    ("first", "holds"), [("web.connect()", True), ("Own()", True), ("web.other()", False), ("'a'", False)]
)
def test_a_type_is_an_api_or_a_class_of_the_program_that_extends_it(first: str, holds: bool) -> None:
    code = f"import web\nclass Own(web.Connection): pass\nx = web.get()\nc = {first}\nweb.run(c, x)\n"
    assert applies("when 0 is web.Connection", code, types=TYPES) is holds


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
    ("last", "holds"), [("web.Own(setting='on')", True), ("web.Own(setting='off')", False), ("web.Own()", False)]
)
def test_a_member_of_what_a_call_made_is_its_keyword(last: str, holds: bool) -> None:
    code = f"import web\nx = web.get()\nc = {last}\nweb.run(c, x)\nweb.run(c.child(), x)\n"
    assert applies("when 0[setting] == 'on'", code) is holds


def test_a_member_is_found_through_merges_parameters_and_names() -> None:
    merged = "import web\nx = web.get()\nif x:\n    o = {'a': 'b'}\nelse:\n    o = {'a': 'b', 'c': 1}\nweb.run(o, x)\n"
    assert applies("when 0[a] present", merged)
    assert not applies("when 0[c] present", merged), "one of them lacks it"
    passed = "import web\ndef f(o):\n    web.run(o, web.get())\nf({'a': 'b'})\n"
    assert applies("when 0[a] == 'b'", passed)
    named = "import web\nO = {'a': 'b'}\ndef f():\n    web.run(O, web.get())\n"
    assert applies("when 0[a] == 'b'", named)


@pytest.mark.parametrize(("body", "holds"), [("return {'a': 1}", True), ("return [1]", False), ("return g()", False)])
def test_a_shape_is_known_through_calls_of_the_program(body: str, holds: bool) -> None:
    code = f"import web\ndef make():\n    {body}\nweb.run(make(), web.get())\n"
    assert applies("when 0 is dict", code) is holds


def test_null_and_false_have_no_shape_of_their_own() -> None:
    code = "import web\nx = web.get()\no = None\nif x:\n    o = {'a': 1}\nweb.run(o, x)\n"
    assert applies("when 0 is dict", code)
    assert not applies("when 0 is dict", "import web\nweb.run(None, web.get())\n")


@pytest.mark.parametrize(
    ("first", "holds"), [("'%d: %s'", True), ("'%s: %d'", False), ("'%%d %s'", False), ("x", True)]
)
def test_a_format_converts_the_argument_that_the_sink_is_about(first: str, holds: bool) -> None:
    rules = SOURCE + """[sink]\ndanger = ["web.print(1+) unless 0 converts 's'"]\n"""
    code = f"import web\nx = web.get()\nweb.print({first}, x)\n"
    assert bool(labelled(code, rules).labels.sinks) is holds


@pytest.mark.parametrize(("call", "holds"), [("web.run(f, x)\nf()", True), ("web.run(f, x)", False)])
def test_a_value_is_invoked_somewhere(call: str, holds: bool) -> None:
    assert applies("when 0 invoked", f"import web\nx = web.get()\ndef f(): pass\n{call}\n") is holds


def test_via_asks_all_registrations_of_the_enclosing_function() -> None:
    rules = '[source]\nhttp = ["web.get() when via 0 == \'a\'"]\nroute = ["@web.route"]\n'

    def found(decorators: str) -> bool:
        return bool(labelled(f"import web\n{decorators}def f():\n    web.run(web.get())\n", rules).labels.sources)

    assert found("@web.route('a')\n")
    assert not found("@web.route('b')\n")
    assert not found("@web.route('a')\n@web.route('b')\n")
    assert not found("@other.route('a')\n")
    assert not found("")


def test_the_name_of_a_parameter_stands_in_texts() -> None:
    rules = """[source]\nhttp = ["@web.route unless 0 contains '<int:$name>'"]\n"""
    code = "import web\n@web.route('/<int:a>/<b>')\ndef f(a, b): pass\n"
    assert labelled(code, rules).sources() == ["b"]
