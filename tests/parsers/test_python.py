"""What the Python front end promises, in small programs shown as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.ir.codes import FunctionFlag, ParameterKind
from pyrograph.ir.schema import FunctionRow, ImportRow, ParameterRow
from pyrograph.ir.text import listing
from pyrograph.ir.unit import Unit
from pyrograph.parsers.python.syntax import Python


@pytest.fixture(autouse=True, scope="module")
def _deep_recursion_is_allowed() -> None:
    """A first lowering raises Python's recursion limit, which Hypothesis does not want to happen during a test."""
    lower("")


def lower(source: str) -> Unit:
    return Python().lower(source.encode())


def lines(body: str, parameters: str = "x, y, o") -> list[str]:
    """The text of a function with this body."""
    source = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    return [line.strip() for line in listing(lower(source), "f").splitlines()[1:]]


def used(expression: str, before: str = "") -> str:
    """What ``use`` is called with, its definition written out one level."""
    shown = dict(line.split(" = ", 1) for line in lines(f"{before}\nuse({expression})".strip()) if " = " in line)
    call = next(right for right in shown.values() if right.startswith("call use("))
    argument = call.removeprefix("call use(").removesuffix(")")
    return shown.get(argument, argument)


@pytest.mark.parametrize(
    ("expression", "constant"),
    [
        ("1 + 2 * 3", "7"),
        ("'a' + 'b'", '"ab"'),
        ("'ab' * 2", '"abab"'),
        ("f'a{1}b'", '"a1b"'),
        ("'a' 'b'", '"ab"'),
        ("-5", "-5"),
        ("not True", "false"),
        ("1 < 2", "true"),
        ("'a' if 1 else x", '"a"'),
        ("None", "null"),
    ],
)
def test_constants_are_folded(expression: str, constant: str) -> None:
    assert used(expression) == constant


@pytest.mark.parametrize(
    "expression",
    ["x", "(x)", "x if y else x", "(z := x)", "[x][0]", "{'k': x}['k']", "(x,)[0]", "x or x"],
)
def test_a_value_that_is_only_passed_on_is_the_same_value(expression: str) -> None:
    assert used(expression).split(" where ")[0] in ("x", "%1") or used(expression).startswith("phi %")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'<' + x", "<"),
        ("f'<{x}'", "<"),
        ("'<%s' % x", "<"),
        ("'<{}'.format(x)", "<"),
    ],
)
def test_text_put_together_keeps_its_constant_parts(expression: str, text: str) -> None:
    shown = used(expression)
    assert text in shown or "call" in shown  # ``format`` is a method; its model puts the text together


@pytest.mark.parametrize(
    ("comparison", "is_class_test"),
    [
        ("type(x) == int", True),
        ("type(x.y) is not int", True),
        ("int == type(x)", True),
        ("type(x) not in (int, float)", True),
        ("type(x) == type(y)", False),
        ("type(x) in y", False),
        ("type(x) < y", False),
        ("type(x).__name__ == y", False),
        ("type(x, y, o) == y", False),
        ("x == y", False),
    ],
)
def test_a_comparison_of_the_type_is_a_test_of_the_class(comparison: str, *, is_class_test: bool) -> None:
    shown = listing(lower(f"def f(x, y, o):\n    if {comparison}:\n        g(x)\n"))
    assert ("isinstance" in shown) is is_class_test


def test_a_comprehension_has_names_of_its_own() -> None:
    assert used("x", "[x for x in y]") == "x"


def test_default_values_are_joined_with_what_is_passed() -> None:
    assert any(" = x or %" in line for line in lines("use(x)", "x=g()"))


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        ("a, b", [ParameterKind.NORMAL] * 2),
        ("a, /, b", [ParameterKind.NORMAL] * 2),
        ("a, *b", [ParameterKind.NORMAL, ParameterKind.VARARG]),
        ("a, *, b", [ParameterKind.NORMAL, ParameterKind.KEYWORD_ONLY]),
        ("*a, b, **c", [ParameterKind.VARARG, ParameterKind.KEYWORD_ONLY, ParameterKind.KEYWORDS]),
        ("a: int, b: str = 'x'", [ParameterKind.NORMAL] * 2),
    ],
)
def test_parameters_have_their_kinds(header: str, kinds: list[ParameterKind]) -> None:
    assert [row[4] for row in lower(f"def f({header}): pass").rows(ParameterRow)] == kinds


@pytest.mark.parametrize(
    ("decorator", "flag"),
    [
        ("@staticmethod", FunctionFlag.STATIC),
        ("@classmethod", FunctionFlag.CLASS_METHOD),
        ("@property", FunctionFlag.PROPERTY),
        ("@functools.cached_property", FunctionFlag.PROPERTY),
        ("", FunctionFlag.METHOD),
    ],
)
def test_methods_have_their_flags(decorator: str, flag: FunctionFlag) -> None:
    unit = lower(f"class C:\n    {decorator}\n    def m(self): pass\n")
    flags = {unit.strings[row[1]]: row[4] for row in unit.rows(FunctionRow)}
    assert flags["m"] & flag


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a", [("a", None, 0)]),
        ("import a.b as c", [("a.b", None, 0)]),
        ("from a import b as c", [("a", "b", 0)]),
        ("from . import a", [("", "a", 1)]),
        ("from ..a.b import c, d", [("a.b", "c", 2), ("a.b", "d", 2)]),
        ("from a import *", [("a", "*", 0)]),
    ],
)
def test_imports_name_module_name_and_level(source: str, expected: list[tuple[str, str | None, int]]) -> None:
    unit = lower(source)
    rows = [(unit.strings[r[1]], None if r[2] < 0 else unit.strings[r[2]], r[3]) for r in unit.rows(ImportRow)]
    assert sorted(set(rows), key=str) == expected


@pytest.mark.parametrize(
    ("literal", "meaning"),
    [
        (r'"a\n\x41"', "a\nA"),
        (r'"a\"b\t"', 'a"b\t'),
        (r"""'a"b\'c\\'""", "a\"b'c\\"),
        (r"""'''a""\"b\\"'''""", 'a"""b\\"'),
        (r'r"a\n\""', r"a\n\""),
        (r'"\N{NO SUCH NAME}"', r"\N{NO SUCH NAME}"),
    ],
)
def test_escapes_in_literals_are_read(literal: str, meaning: str) -> None:
    assert "'" + meaning in lower(f"x = {literal}\n").strings


@pytest.mark.parametrize(
    ("caught", "named"),
    [
        ("ValueError as e", True),
        ("ValueError, e", True),  # Python 2
        ("(ValueError, KeyError), e", True),
        ("ValueError, KeyError", False),  # Python 3.14: two classes
        ("ValueError, errors.e", False),
    ],
)
def test_an_exception_has_the_name_that_its_clause_gives(caught: str, named: bool) -> None:
    shown = lines(f"try:\n    raise ValueError(x)\nexcept {caught}:\n    use(e)")
    assert any(line.startswith("%") and "= call use(%" in line for line in shown) is named, shown


def test_targets_in_a_row_are_bound_from_left_to_right() -> None:
    unit = Python().lower(b"def f(i, o, x):\n    i = o[i] = use(x)\n    return o\n")
    assert "store %3[%2], %2" in listing(unit, "f")  # the key is what ``i`` was bound to before


def test_many_targets_in_a_row_are_bound() -> None:
    unit = Python().lower(b"a = " * 20_000 + b"b\n")
    assert not unit.problems


def test_what_cannot_run_is_not_lowered() -> None:
    for body in ("if False:\n    use(x)", "while 0:\n    use(x)", "return\nuse(x)", "raise x\nuse(x)"):
        assert not any("use" in line for line in lines(body)), body


def test_every_kind_that_is_named_exists_in_the_grammar() -> None:
    grammar = Python.grammar()
    kinds = {grammar.node_kind_for_id(number) for number in range(grammar.node_kind_count)}
    assert Python.handled_kinds() - {"ERROR"} <= kinds


def test_no_kind_with_a_method_is_made_of_its_parts() -> None:
    with_method = {kind for method in vars(Python).values() for kind in getattr(method, "kinds", ())}
    assert not with_method & {*Python.made_of_parts, *Python.ignored}


@pytest.mark.parametrize("source", ["(" * 100_000, "[" * 100_000 + "]" * 100_000, "x = " + "-" * 100_000 + "1"])
def test_depth_ends_nothing(source: str) -> None:
    assert lower(source).lines == 1


def test_a_syntax_error_is_a_problem_and_the_rest_is_lowered() -> None:
    unit = lower("def broken(:\n    pass\n\nuse(1)\n")
    assert unit.problems
    assert "use" in unit.strings


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_any_bytes_give_a_unit(source: bytes) -> None:
    assert Python().lower(source).language == "python"


WORDS = ["def f(x):", "\n  ", "\n", "if", "else:", "x", "=", "(", ")", "[", "for", "in", "lambda", "'a'", "f'{x}'", ":",
         "match", "case", "_", "*", "await", "yield", ",", "class C:", "@", ".", "return", "with",
         "as", "try:"]  # fmt: skip


@pytest.mark.parametrize("source", [": case", "= case"])
def test_a_name_that_is_missing_gives_a_unit(source: str) -> None:
    assert lower(source).problems


@settings(max_examples=150)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_any_words_give_a_unit(words: list[str]) -> None:
    assert lower(" ".join(words)).language == "python"
