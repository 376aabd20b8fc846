"""Characters for which conditions hold: sets that predicates, comparisons and membership leave of a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.tested_characters import texts_refused, texts_without


def each_character(condition: str) -> str:
    """A body that leaves the function at the first character for which ``condition`` does not hold."""
    return f"for c in x:\n    if not ({condition}):\n        return None\n"


@pytest.mark.parametrize(
    "condition",
    [
        "c.isalnum()",
        "c.isdigit()",
        "'a' <= c <= 'z'",
        "c in 'abc'",
        "c in ('a', 'b')",
        "c == 'a' or c.isdigit()",
        "c.isalnum() and c != 'a'",
        "re.match('[a-z]', c)",
    ],
)
def test_a_set_without_metacharacters_is_clean(condition: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{each_character(condition)}", tmp_path) == ""


@pytest.mark.parametrize(
    "condition",
    [
        "c >= 'a'",  # "|" is greater than "z"
        "c <= 'z'",
        "c in 'abc;'",
        "c in NAMES + [x]",  # what is in it is not known
        "c == 'a' or c == ';'",
        "c.isalnum() or x",
        "c != 'a'",
        "re.match('[a-z]|;', c)",
    ],
)
def test_a_set_with_a_metacharacter_is_not(condition: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{each_character(condition)}", tmp_path) != ""


def test_characters_removed_before_a_predicate_are_in_the_set(tmp_path: Path) -> None:
    def checked(removed: str) -> str:
        return f"--\nif not x.replace({removed!r}, '').isalnum():\n    return None\n"

    assert confidence(checked("_"), tmp_path) == ""
    assert confidence(checked(";"), tmp_path) != ""


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ("if part == '..':\n            continue\n        use(part)", {".."}),
        ("if part in ('.', '..'):\n            continue\n        use(part)", {".", ".."}),
        ("if part != '..':\n            use(part)", {".."}),
        ("if part == '..':\n            use(part)", set()),
        ("use(part)", set()),
    ],
)
def test_the_texts_that_an_element_differs_from(body: str, texts: set[str]) -> None:
    found = labelled(f"def f(parts):\n    for part in parts:\n        {body}\n", everywhere=True)
    facts = found.facts
    used = facts.arg_value[facts.args.of(found.call("use(part)"))[0]]
    fill_conjunctions(facts)
    assert texts_refused(facts, used, facts.rep[used]) == texts


@pytest.mark.parametrize(
    ("test", "texts"),
    [("x.includes(c)", ["x"]), ("!x.includes(c)", []), ("x.includes('a')", []), ("c.includes(x)", []), ("x", [])],
)
def test_the_texts_in_which_an_element_was_not_found(test: str, texts: list[str]) -> None:
    rules = RULES + '[propagator]\nflow = ["globalThis.String#includes:"]\n[type]\nbuiltin = ["globalThis.String"]\n'
    code = f"function f(x, c) {{\n  if ({test}) return;\n  use(c);\n}}\n"
    found = labelled(code, rules, "javascript", everywhere=True)
    facts = found.facts
    used = facts.arg_value[facts.args.of(found.call("use(c)"))[0]]
    assert found.texts(texts_without(facts, used, facts.rep[used])) == texts
