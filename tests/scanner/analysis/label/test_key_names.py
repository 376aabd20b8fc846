"""The names that a computed key may be."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.policy.limits.lowering import MAX_CONSTANT_ITEMS
from pyrograph.scanner.analysis.label.key_names import named_paths, names_of_key

NAMES = ("a", "b")
MANY = [f"n{each}" for each in range(MAX_CONSTANT_ITEMS + 1)]  # too many for their constants to be stored


def names(code: str, language: str = "python") -> tuple[str, ...]:
    """The names of the only argument of ``use``."""
    found = labelled(code, language=language)
    facts = found.facts
    call = next(row for row in range(len(facts.call_result)) if found.text(facts.call_callee[row]) == "use")
    return names_of_key(facts, facts.arg_value[facts.args.of(call)[0]])


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("k in NAMES", NAMES),
        ("k in {'a', 'b'}", NAMES),
        ("k in TABLE", ("c",)),
        ("k == 'a'", ("a",)),
        ("k in NAMES and k.islower()", NAMES),
        ("k in NAMES or k == 'd'", (*NAMES, "d")),
        ("k in NAMES or k", ()),
        ("k not in NAMES", ()),
        ("k in MIXED", ()),
        ("k in GROWN", ()),
        (f"k in {MANY}", ()),
        ("k in o", ()),
        ("o in NAMES", ()),
    ],
)
def test_a_condition_leaves_the_texts_of_a_constant_collection(condition: str, found: tuple[str, ...]) -> None:
    code = f"""
NAMES = ['a', 'b']
TABLE = {{'c': 'x'}}
MIXED = ['a', g()]
GROWN = ['a']
def more(x):
    GROWN[x] = x
def f(k, o):
    if {condition}:
        use(k)
"""
    assert set(names(code)) == set(found)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(o):\n    for k in ('a', 'b'):\n        use(k)", NAMES),
        ("N = ['a', 'b']\ndef f(o):\n    for k in N:\n        use(k)", NAMES),
        ("T = {'a': 'x'}\ndef f(o):\n    for k in T:\n        use(k)", ()),
        ("def f(o):\n    for k in o:\n        use(k)", ()),
        ("def f(o, ns):\n    for k in ns:\n        use(k)\ndef h():\n    f(1, ['a', 'b'])", NAMES),
        ("def f(o):\n    k = 'a' if o else 'b'\n    use(k)", NAMES),
        ("def f(o):\n    k = 'a' if o else o\n    use(k)", ()),
        ("def f(o):\n    k = 'a'\n    def h():\n        use(k)", ("a",)),
    ],
)
def test_an_element_of_a_constant_list_is_one_of_its_texts(code: str, found: tuple[str, ...]) -> None:
    assert set(names(code)) == set(found)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("const N = ['a', 'b']; for (const k of N) use(k)", NAMES),
        ("const N = ['a', 'b']; function f(k) { if (N.includes(k)) use(k) }", NAMES),
        ("const T = {a: 1, b: 2}; function f(k) { if (T[k]) use(k) }", NAMES),
        ("const N = ['a', 'b']; function f(k) { if (!N.includes(k)) use(k) }", ()),
        ("const N = ['a', ...g()]; function f(k) { if (N.includes(k)) use(k) }", ()),
        ("function f(k, N) { if (N.includes(k)) use(k) }", ()),
    ],
)
def test_a_method_asks_a_list_or_a_table(code: str, found: tuple[str, ...]) -> None:
    assert set(names(code, "javascript")) == set(found)


def test_a_port_that_an_argument_names_has_a_path_for_each_name() -> None:
    found = labelled("def f(o, x):\n    for k in ('a', 'b'):\n        put(o, k, x)\n    put(o, x, x)\n")
    facts, names_of = found.facts, found.program.strings
    paths = [
        [tuple(names_of[key] if key >= 0 else "" for key in path) for (path,) in named_paths(facts, call, ("$1",))]
        for call in (found.call("put(o, k, x)"), found.call("put(o, x, x)"))
    ]
    assert paths == [[("a",), ("b",)], [("",)]]
