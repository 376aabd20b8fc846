"""Limits of ``pyrograph fix``."""

from __future__ import annotations

from typing import Final

# -- Fixes -------------------------------------------------------------------------------------------------------------

MAX_FIX_SCANS: Final = 16
"""Scans that verify fixes. [scans]

Reason: Judgement: one scan verifies all fixes that are right; one for each wrong edit of a finding with several, and
half as many edits each time where new findings appear.
Lost: Fixes that were not verified by then are not offered.
Problem: none; `pyrograph fix` says how many findings were not decided.
"""

MAX_TAG: Final = 4096
"""Text before a value of a template in which the tag around it is looked for. [bytes]

Reason: Judgement: tags are shorter.
Lost: A value within a longer tag counts as text of the page: an edit may be offered that escapes too little.
Problem: none.
"""

MAX_PROJECT_FOLDERS: Final = 20_000
"""Folders of the scanned tree that are searched for files which declare libraries or configure formatters. [folders]

Reason: Judgement: far more than a program has beside the libraries that are kept with it.
Lost: A library that only a later folder declares counts as not declared, so its edit is not offered.
Problem: none.
"""

MAX_PROJECT_FILE: Final = 1_000_000
"""Read of a file that declares libraries or configures formatters. [bytes]

Reason: Judgement: people write such files.
Lost: What stands behind counts as not said.
Problem: none.
"""

SHORTEST_LINE: Final = 79
"""Width that lines of each file may have, if no formatter is configured and all its lines are shorter. [columns]

Reason: The oldest style guides that are still in use ask for it.
Lost: A longer line is broken, or its edit is not offered.
Problem: none.
"""

TAB_COLUMNS: Final = 4
"""Columns of a tab, if no formatter is configured. [columns]

Reason: Judgement: what most editors and formatters show.
Lost: A line with tabs may be broken early or late.
Problem: none.
"""
