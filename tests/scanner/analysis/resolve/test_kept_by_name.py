"""Which objects of the program lie under which names."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import SUFFIX

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.parsers import lower
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.imports import seed
from pyrograph.scanner.analysis.resolve.kept_by_name import Names, kept_objects, name_of
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.analysis.resolve.solver import Solver


def kept(code: str, language: str, path: str = "app") -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(name, class) of instances that are stored, and of those that a library is given. A name that is no text: "*"."""
    program = link([f"{path}.{SUFFIX[language]}"], [lower(code.encode(), language)], {})
    solver = Solver(program, {program.files[0].language: Apis([], low=False)})
    seed(solver)
    run_to_fixpoint(solver)
    owners = program.tables["owners"]["name"]

    def shown(names: Names) -> set[tuple[str, str]]:
        return {
            (
                text if (text := program.strings[name])[0] != "\0" else "*",
                program.strings[owners[each.state >> KIND_BITS]],
            )
            for (_language, name), found in names.items()
            for each in found
            if each.state & KIND == INSTANCE_OF
        }

    tokens = {name_of(solver, value) for value in range(program.num_values)} - {NONE}
    found = kept_objects(solver, tokens.union(range(len(program.strings))))
    return shown(found.stored), shown(found.given)


@pytest.mark.parametrize(
    ("code", "stored", "given"),
    [
        ("x.a = A()", {("a", "A")}, set()),
        ("x['a'] = A()", {("a", "A")}, set()),
        ("x = {'a': lib.wrap(A)}", {("a", "A")}, set()),
        ("x.a = lib.wrap(A)", set(), set()),  # only where the program makes the object
        ("lib.f(a=A())", set(), {("a", "A")}),
        ("lib.f(a=A)", set(), {("a", "A")}),
        ("lib.f('a', A())", set(), {("a", "A")}),
        ("lib.f('a', lambda: A())", set(), {("a", "A")}),
        ("lib.f(A())", set(), set()),
        ("def f(**k): pass\nf(a=A())", set(), set()),  # a function of the program says what it does
        ("K = lib.Key()\nlib.f(K, A())", set(), {("*", "A")}),
        ("K = lib.Key()\nx[K] = A()", {("*", "A")}, set()),
        ("lib.f(A, to=B)", set(), {("to", "B")}),
        ("class C(lib.C):\n    a = lib.One(A)", set(), {("a", "A")}),
        ("class C(lib.C):\n    def a(self): return A()", set(), set()),
    ],
)
def test_an_object_lies_under_its_name(code: str, stored: set[tuple[str, str]], given: set[tuple[str, str]]) -> None:
    before = "import lib\nclass A:\n    def m(self): pass\nclass B:\n    def m(self): pass\n"
    assert kept(before + code, "python") == (stored, given)
    assert kept(before + code, "python", "tests/app") == (set(), set())


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("lib({ provide: 'a', useClass: A });", {("a", "A")}),
        ("lib({ provide: A, useClass: B });", {("*", "A"), ("*", "B")}),
        ("lib.register('a', { useClass: A });", {("a", "A")}),
        ("lib.bind('a').to(A);", {("a", "A")}),
        ("lib.bind('a', 1).to(A);", set()),
    ],
)
def test_containers_are_told_in_several_ways(code: str, given: set[tuple[str, str]]) -> None:
    before = "import { lib } from 'lib';\nclass A { m() {} }\nclass B { m() {} }\n"
    assert kept(before + code, "typescript")[1] == given
