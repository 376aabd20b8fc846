"""Outlines of units: equal exactly where two texts differ in nothing but white space and comments."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.parsers import lower
from pyrograph.scanner.outlines import decoded, moved_places

TEXTS = {
    "python": ("import os\n\nNAMES = ['a']\n\n\ndef known(name):\n    return name in NAMES or os.path\n", "#"),
    "javascript": ("const names = ['a'];\nfunction known(name) {\n  return names.includes(name);\n}\n", "//"),
    "go": ("package a\n\nvar names = 1\n\nfunc known(name int) bool {\n\treturn name == names\n}\n", "//"),
}
SEEN = [
    ("names", "others"),
    ("name", "first"),
    ("return", "return !!"),
    ("'a'", "'b'"),
    ("1", "2"),
    ("import os\n\nNAMES = ['a']", "NAMES = ['a']\nimport os\n"),
    ("def known", "def (known"),
]


@settings(max_examples=30)
@given(language=st.sampled_from(sorted(TEXTS)), lines=st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=4))
def test_comments_and_blank_lines_change_no_outline(language: str, lines: list[tuple[int, bool]]) -> None:
    text, mark = TEXTS[language]
    edited = text.split("\n")
    for place, is_blank in lines:
        edited.insert(min(place, len(edited)), "" if is_blank else f"{mark} \u00e4 remark")
    after = "\n".join(edited)
    moved = moved_places(lower(text.encode(), language), lower(after.encode(), language))
    assert moved is not None
    for name in ("known", "names", "NAMES", "name", "return"):
        start = text.find(name)
        if start in moved:
            assert after.encode()[moved[start] :].startswith(name.encode())


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("before", "after"), SEEN)
def test_all_else_changes_the_outline(language: str, before: str, after: str) -> None:
    text, _ = TEXTS[language]
    edited = text.replace(before, after)
    if edited != text:
        assert moved_places(lower(text.encode(), language), lower(edited.encode(), language)) is None


def test_equal_rows_in_another_order_are_another_outline() -> None:
    before, after = lower(b"a = f()\n", "python"), lower(b"a = f()\n", "python")
    values = after.tables["values"]
    assert moved_places(before, after) is not None
    values[2], values[3] = values[3] + 1, values[3]  # starts behind its end
    assert moved_places(before, after) is None


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{",
        b"[1,[],[],[],[]]",
        b'["a",[],[],[["x","1"]],[]]',
        b'["a",[],["b"],[],[]]',
        b'["a",[],[],[],[[0,"d",[1]]]]',
    ],
)
def test_no_other_form_is_a_state(body: bytes) -> None:
    assert decoded(body) is None
