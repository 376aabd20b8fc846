"""Members are looked up in the order of the language, whatever becomes known first."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from tests.scanner.analysis.resolve.programs import parts, resolved

PLAIN = parts("".join(f"class C{each}: pass\n" for each in range(5)), "python")
CLASSES = {
    "A": "class A:\n    def f(self): pass\n",
    "B": "class B(A): pass\n",
    "C": "class C(A):\n    def f(self): pass\n",
    "D": "class D:\n    def f(self): pass\n",
}


@pytest.mark.parametrize(
    ("bases", "expected"),
    [
        ("D, A", "D"),
        ("A, D", "A"),
        ("B, D", "A"),  # depth first
        ("B, C", "C"),  # a class before what it extends
        ("C, B", "C"),
    ],
)
def test_python_asks_bases_in_the_order_of_their_declaration(bases: str, expected: str) -> None:
    for first in ("A", "D"):
        names = ("ABCD", "DABC")[first == "D"]
        code = "".join(CLASSES[name] for name in names) + f"class E({bases}): pass\nE().f()\n"
        program, resolution = resolved({"app.py": code}, "python")
        owners, functions = program.tables["owners"]["name"], program.tables["functions"]["owner"]
        called = {program.strings[owners[functions[each.function]]] for each in resolution.targets if each.site >= 0}
        assert called == {expected}


def test_bases_keep_the_order_of_each_class_that_declares_them() -> None:
    code = "class P:\n    def f(self): pass\nclass Q:\n    def f(self): pass\n"
    code += "class A(P, Q): pass\nclass B(P): pass\nclass D(A, B): pass\nD().f()\n"
    program, resolution = resolved({"app.py": code}, "python")
    owners, functions = program.tables["owners"]["name"], program.tables["functions"]["owner"]
    called = [program.strings[owners[functions[each.function]]] for each in resolution.targets if each.site >= 0]
    assert called == ["P"]


def test_the_order_is_that_of_python() -> None:
    """All ways in which four classes extend two earlier ones each, or fewer, that Python accepts."""
    choices = [[(), *permutations(range(each), 1), *permutations(range(each), 2)] for each in range(5)]
    for chosen in product(*choices):
        made: list[type] = []
        try:
            for number, bases in enumerate(chosen):
                made.append(type(f"C{number}", tuple(made[each] for each in bases), {}))
        except TypeError:
            continue  # no order
        names = [each.__name__ for each in made[-1].__mro__[:-1]]
        orders = {number: list(bases) for number, bases in enumerate(chosen)}
        assert linearized(orders, 4) == [int(name[1:]) for name in names]


def test_classes_without_an_order_come_before_their_bases() -> None:
    """``class A(P, Q)``, ``class B(Q, P)``, ``class D(A, B)`` is an error in Python, but may be half of a program."""
    assert linearized({0: [], 1: [], 2: [0, 1], 3: [1, 0], 4: [2, 3]}, 4) == [4, 2, 3, 1, 0]


def linearized(bases: dict[int, list[int]], owner: int) -> list[int]:
    classes = PLAIN.classes
    classes.lineages.orders.clear()
    classes.lineages.merges.clear()
    classes.bases.clear()
    classes.bases.update(bases)
    return classes.lineage(owner)


def test_parts_of_an_object_are_asked_by_their_distance() -> None:
    lineages = parts(
        "package p\ntype A struct{ B; C }\ntype B struct{ D }\ntype C struct{}\ntype D struct{}\n", "go"
    ).classes
    assert [lineages.lineage(0)] == [[0]]
    for order in permutations([(0, 1, 0), (0, 2, 1), (1, 3, 2)]):
        classes = parts(
            "package p\ntype A struct{ B; C }\ntype B struct{ D }\ntype C struct{}\ntype D struct{}\n", "go"
        ).classes
        for owner, base, row in order:
            classes.add_base(owner, base, row)
        assert classes.lineage(0) == [0, 1, 2, 3]


def test_a_cycle_ends() -> None:
    classes = parts("class A: pass\nclass B: pass\nclass C: pass\nclass D: pass\n", "python").classes
    for row, (owner, base) in enumerate([(0, 1), (0, 2), (1, 3), (2, 3), (3, 0)]):
        classes.add_base(owner, base, row)
    assert classes.lineage(0) == [0, 1, 2, 3]
    assert classes.lineage_set(0) == {0, 1, 2, 3}
