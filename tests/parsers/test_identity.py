"""What a cached unit depends on: every file of ours that takes part in lowering, and nothing of another language."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pyrograph
from pyrograph.parsers import identity, sources, syntaxes

LOADED = """
import sys
from pyrograph.parsers import lower
lower(b"", sys.argv[1])
print(*(file for name, module in sys.modules.items() if name.startswith("pyrograph.") and (file := module.__file__)))
"""
ROOT = Path(pyrograph.__file__).parent
STORING = {"ir/stored.py"}  # loaded when a unit is written or read, not while it is made
# Files that say who lowers, not to what, and what is asked after lowering: import-linter keeps front ends from them.
SIGNATURE = re.compile(
    r"(?:ir|policy|policy/limits|policy/names)/__init__\.py|model/\w+\.py|"
    r"parsers/(?:__init__|language|traits|(?:python|javascript|go)/\w+)\.py"
)


@pytest.mark.parametrize("language", syntaxes())
def test_all_files_that_lower_a_language_count_and_no_others(language: str) -> None:
    shown = subprocess.run([sys.executable, "-c", LOADED, language], capture_output=True, text=True, check=True).stdout
    modules = [Path(file).relative_to(ROOT) for file in shown.split()]
    loaded = {file.with_name(file.name.partition(".")[0] + ".py").as_posix() for file in modules}  # some are compiled
    lowering = {file for file in loaded if not SIGNATURE.fullmatch(file)}
    assert {file.relative_to(ROOT).as_posix() for file in sources(language)} == lowering | STORING


def test_languages_differ_in_what_they_depend_on() -> None:
    assert len({identity(language) for language in syntaxes()}) == len(syntaxes())
