"""Limits of trials that isolate a fault, and of ``pyrograph reduce``."""

from __future__ import annotations

from typing import Final

# -- Isolation of faults, and reduction --------------------------------------------------------------------------------

TRIAL_BUDGET: Final = 12
"""Files that all trials of a search for a faulty file may analyse, in scans' worth. [scans]

Reason: The search costs a fixed multiple of one scan.
Lost: Files that are not distinguished are left out together.
Problem: none; the file's problem says that it was left out.
"""
TRIAL_FILES: Final = 20
"""What a trial counts at least. [files]

Reason: It forks, and loads rules.
Lost: See ``TRIAL_BUDGET``.
Problem: none; see ``TRIAL_BUDGET``.
"""
MIN_TRIALS: Final = 200
"""Trials of ``TRIAL_FILES`` that a search may always make. [trials]

Reason: Some ten seconds.
Lost: See ``TRIAL_BUDGET``.
Problem: none; see ``TRIAL_BUDGET``.
"""
MAX_ERROR_OUTPUT: Final = 1_000_000
"""Standard error of a run of ``pyrograph reduce`` that is kept, from its end. [bytes]

Reason: The traceback stands at the end.
Lost: What was printed before.
Problem: none: the same findings.
"""
MAX_WORDS: Final = 3_000
"""Words of a text without a grammar that ``pyrograph reduce`` tries one by one. [words]

Reason: Judgement: one run for each.
Lost: Texts of more words are reduced line by line.
Problem: none: the same findings.
"""
MAX_DESCENDANTS: Final = 12
"""Descendants that ``pyrograph reduce`` tries in place of a syntax node. [nodes]

Reason: Judgement: one run for each.
Lost: A smaller program.
Problem: none: the same findings.
"""
DESCENDANT_LEVELS: Final = 3
"""How far below a syntax node these descendants are. [levels]

Reason: Judgement.
Lost: A smaller program.
Problem: none: the same findings.
"""
