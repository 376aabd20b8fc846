"""Each reason of doubt has words, and docs/internals/confidence.md names it."""

from __future__ import annotations

from pathlib import Path

from pyrograph.policy import doubts

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "confidence.md"


def test_each_reason_has_words_and_stands_in_the_documentation() -> None:
    names = {value for name, value in vars(doubts).items() if name.isupper() and isinstance(value, str)}
    assert names == set(doubts.WORDS)
    page = PAGE.read_text(encoding="utf-8")
    assert not [name for name in sorted(names) if f"`{name}`" not in page]
