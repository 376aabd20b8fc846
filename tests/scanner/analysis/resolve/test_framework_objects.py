"""A framework calls the methods of one object after another: what one stores in a field, the next one reads."""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import PAIR_BITS
from pyrograph.parsers import lower
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.analysis.resolve.framework_objects import fields

HANDLER = """\
import tornado.web

class Page(tornado.web.RequestHandler):
    def prepare(self):
        self.name = self.get_argument("name")

    def get(self):
        self.write(self.name)

    def post(self):
        self.helper()

    def helper(self):
        self.seen = 1
"""


def passed_on(code: str) -> set[str]:
    """The methods whose receiver may be an object that another method changed."""
    program = link(["app.py"], [lower(code.encode(), "python")], {})
    packs = load_rules(["python"]).for_roots(["tornado", "pyramid"])
    resolution = resolve(program, {"python": Apis(packs, low=False)})
    functions, parameters = program.tables["functions"], program.tables["parameters"]
    method_of = dict(zip(parameters["value"].tolist(), parameters["function"].tolist(), strict=True))
    targets = {method_of[target] for _, target in resolution.flows.context_free_edges if target in method_of}
    return {program.strings[int(functions["name"][each])] for each in targets}


def test_the_methods_that_a_framework_calls_get_the_object_that_another_one_changed() -> None:
    assert passed_on(HANDLER) >= {"get", "post"}


def test_a_method_that_the_program_calls_gets_its_object_from_the_caller() -> None:
    assert "helper" not in passed_on(HANDLER)


def test_an_object_that_no_framework_makes_is_not_passed_on() -> None:
    assert not passed_on(HANDLER.replace("tornado.web.RequestHandler", "object"))


def test_methods_that_check_the_field_pass_nothing_on() -> None:
    plain = HANDLER.partition("    def post")[0]
    assert "get" in passed_on(plain)
    checked = plain.replace(
        '"name")\n', '"name")\n        if self.name not in ("a", "b"):\n            raise ValueError\n'
    )
    assert "get" not in passed_on(checked)


VIEWS = """\
from pyramid.view import view_config

class Base:
    def __init__(self, request):
        self.params = request.params

class Views(Base):
    @view_config(route_name="a")
    def shown(self):
        return self.params

    def helper(self):
        return self.params
"""


def test_a_method_with_a_route_gets_the_object_that_the_constructor_made() -> None:
    assert passed_on(VIEWS) == {"shown"}


def test_fields_of_different_objects_are_different_pairs() -> None:
    objects, keys = np.array([4, 8, 4, 8, 16], np.int32), np.array([1, 1, 1, 2, UNKNOWN_KEY], np.int32)
    assert fields(objects, keys).tolist() == [4 << PAIR_BITS | 1, 8 << PAIR_BITS | 1, 8 << PAIR_BITS | 2]
