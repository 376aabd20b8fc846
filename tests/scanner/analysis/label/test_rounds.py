"""Loops that ask the same in each round: what they prove, and what they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence

META = "`$|&;<>(){}[]*?!~#'\\\"\\\\ \\t\\n"
CLEAN = {
    "no metacharacter is in it": f'for c in "{META}":\n    if c in x:\n        return None',
    "each character is a letter or digit": "for c in x:\n    if not c.isalnum():\n        return None",
    "no character is a metacharacter": f'for c in x:\n    if c in "{META}":\n        return None',
    "or an underscore": "for c in x:\n    if not c.isalnum() and c != '_':\n        return None",
    "an exception": f'for c in "{META}":\n    if c in x:\n        raise ValueError("bad")',
}
NOT_CLEAN = {
    "one harmless character": 'for c in "%":\n    if c in x:\n        return None',
    "another text is asked": f'for c in "{META}":\n    if c in NAMES:\n        return None',
    "a part of it is asked": f'y = x[1:]\nfor c in "{META}":\n    if c in y:\n        return None\n    print(x)',
    "the answer changes nothing": f'for c in "{META}":\n    if c in x:\n        print(c)',
    "it goes on for the other answer": f'for c in "{META}":\n    if c not in x:\n        return None',
    "the first character decides": "for c in x:\n    if c.isalnum():\n        break",
    "each character may be anything but one": 'for c in x:\n    if c == "%":\n        return None',
}


@pytest.mark.parametrize("loop", CLEAN.values(), ids=CLEAN)
def test_what_all_rounds_ask_holds_behind_the_loop(loop: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{loop}\n", tmp_path) == ""


@pytest.mark.parametrize("loop", NOT_CLEAN.values(), ids=NOT_CLEAN)
def test_other_loops_prove_nothing(loop: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{loop}\n", tmp_path) != ""
