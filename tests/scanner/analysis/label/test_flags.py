"""Flags that loops set and conditions ask for afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence

EACH = "bad = False\nfor letter in x:\n"
SET = EACH + "    if not letter.isalnum():\n        bad = True\n"
BEGINS_TRUE = "good = True\nfor letter in x:\n    if not letter.isalnum():\n        good = False\n"
PROVEN = {
    "the flag is asked": SET + "if bad:\n    return None",
    "it is asked the other way round": SET + "if not bad:\n    pass\nelse:\n    return None",
    "it begins as true": BEGINS_TRUE + "if not good:\n    return None",
}
UNPROVEN = {
    "nobody asks": SET,
    "the other side": SET + "if not bad:\n    return None",
    "it is as the last letter says": EACH + "    bad = not letter.isalnum()\nif bad:\n    return None",
    "it is taken back": SET + "    else:\n        bad = False\nif bad:\n    return None",
    "some letters are not asked": SET + "    if len(NAMES) > 2:\n        break\nif bad:\n    return None",
    "it is set for another reason": EACH + "    if len(NAMES) > 2:\n        bad = True\nif bad:\n    return None",
}


@pytest.mark.parametrize("loop", PROVEN.values(), ids=PROVEN)
def test_a_flag_that_no_round_has_set_proves_what_the_rounds_asked(loop: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{loop}\n", tmp_path) == ""


@pytest.mark.parametrize("loop", UNPROVEN.values(), ids=UNPROVEN)
def test_otherwise_a_flag_proves_nothing(loop: str, tmp_path: Path) -> None:
    assert confidence(f"--\n{loop}\n", tmp_path) != ""
