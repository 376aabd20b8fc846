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
