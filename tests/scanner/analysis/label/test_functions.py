"""Entry points: parameters that are sources and results that are sinks, by how a function is used."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.label import LIBRARY


def sources(code: str, entry: str, language: str = "python", *, types: str = "") -> list[str]:
    return labelled(code, f'[source]\nhttp = ["""{entry}"""]\n{types}', language).sources()


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("@web.route", ["a", "b", "more"]),
        ("@web.route:0", ["a"]),
        ("@web.route:b", ["b"]),
        ("@web.route:9", []),
        ("web.View!get", ["key", "kind"]),
        ("web.View!get:0", ["kind"]),
        ("web.View!*", ["key", "kind", "x"]),
        ("web.View!s*:0", ["x"]),
    ],
)
def test_parameters_by_position_name_and_method(entry: str, found: list[str]) -> None:
    code = "import web\n@web.route('/')\ndef f(a, b, *more): pass\n"
    code += "class V(web.View):\n    def get(self, kind, key): pass\n    def set(self, x): pass\n"
    assert sources(code, entry) == found


def test_a_decorated_parameter_asks_what_its_decorator_is_given() -> None:
    code = "import { Part, Number } from 'web';\nclass C {\n"
    code += "  f(@Part('a') a, @Part('b', Number) b, @Part c, @Part('d', new Number()) d) {}\n}\n"
    entry, types = "@web.Part unless 1 is web.Number", '[type]\nclean = ["web.Number"]\n'
    assert sources(code, entry, "javascript", types=types) == ["a", "c"]


def test_a_parameter_with_a_clean_type_is_no_source() -> None:
    code = "import web\n@web.route('/')\ndef f(a: int, b: str): pass\n"
    assert sources(code, "@web.route", types='[type]\nclean = ["builtins.int"]\n') == ["b"]


def test_a_parameter_with_a_class_of_the_program_has_the_programs_keys() -> None:
    found = labelled(
        "import web\nclass C: pass\n@web.route('/')\ndef f(a: C, b): pass\n", '[source]\nhttp = ["@web.route"]\n'
    )
    assert {found.text(role.value): role.keyed for role in found.labels.sources} == {"a": True, "b": False}


def test_a_wrapper_leaves_what_it_passes_on_to_the_function_that_it_wraps() -> None:
    code = """
import functools, web
def logged(f):
    @functools.wraps(f)
    def inner(request, *args, **more):
        return f(request, *args, **more)
    return inner
@web.route("/")
@logged
def view(request, name): pass
"""
    found = sources(code, "@web.route")
    assert "name" in found
    assert not {"args", "more", "*args", "**more"} & set(found)


def test_a_function_under_the_decorators_of_a_registered_one_is_registered() -> None:
    code = "const web = require('web')\nweb.on((request) => 1)\nfunction g(request) {}\nweb.on(g)\n"
    assert sources(code, "cb web.on(0):0", "javascript") == ["request"]
    code = "import web, other\n@other.logged\ndef f(request): pass\nweb.on(f)\n"
    assert sources(code, "cb web.on(0):0") == ["request"]


@pytest.mark.parametrize(
    ("code", "places"),
    [
        ("@web.route('/')\ndef f(x):\n    return x", ["x"]),
        ("@web.route('/')\ndef f(x):\n    if x: return 'a'\n    return x + x", ["x + x"]),
        ("@web.route('/')\ndef f(x):\n    return x, 200", ["(x, 200)"]),
        ("def f(x):\n    return x", []),
        ("@web.other('/')\ndef f(x):\n    return x", []),
    ],
)
def test_each_returned_value_is_a_sink_of_its_own(code: str, places: list[str]) -> None:
    found = labelled(f"import web\n{code}\n", '[sink]\ndanger = ["@web.route:return"]\n')
    assert [place.strip("()") for place in found.sinks()] == [place.strip("()") for place in places]
    assert all(role.exact for role in found.labels.sinks)


def test_a_part_of_what_is_returned_is_a_sink() -> None:
    found = labelled(
        "import web\n@web.route('/')\ndef f(x):\n    return {'a': {'b': x}}\n",
        '[sink]\ndanger = ["@web.route:return[a].b"]\n',
    )
    assert [[found.program.strings[key] for key in sink.keys] for sink in found.labels.sinks] == [["a", "b"]]


def test_a_returned_tuple_is_a_sink_in_its_first_element() -> None:
    rules = '[sink]\ndanger = ["@web.route:return"]\n'
    found = labelled("import web\n@web.route('/')\ndef f(x):\n    return x, 200\n", rules)
    (role,) = found.labels.sinks
    assert [found.program.strings[key] for key in role.keys] == ["0"]


def test_a_decorated_parameter_is_a_source() -> None:
    code = (
        "import { Body, Other } from '@x/web'\nclass C {\n  f(@Body() a: string, @Other() b: string, c: string) {}\n}\n"
    )
    assert sources(code, "@@x/web.Body", "typescript") == ["a"]


def test_the_first_parameter_is_the_receiver_where_functions_bind_late() -> None:
    code = "const web = require('web')\nclass V extends web.View { get(a) {} }\n"
    assert sources(code, "web.View!get:0", "javascript") == ["a"]


def test_parameters_of_public_functions_are_sources_of_a_library_on_demand() -> None:
    code = "exports.f = function (a, b) {}\nfunction hidden(c) {}\n"
    assert labelled(code, RULES, "javascript", kinds=(LIBRARY,)).sources() == ["a", "b"]
    assert labelled(code, RULES, "javascript").sources() == []
