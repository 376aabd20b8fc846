"""Limits of the caches."""

from __future__ import annotations

from typing import Final

# -- Caches ------------------------------------------------------------------------------------------------------------

CACHE_BYTES: Final = 1_000_000_000
"""Size of the cache of units from which on the units that were not used for longest are removed. [bytes]

Reason: Judgement: the units of some six million lines, at 170 MB for a million.
Lost: Nothing: the next scan lowers these files.
Problem: none: speed only.
"""
REPORT_CACHE_BYTES: Final = 200_000_000
"""Size of the cache of reports from which on those that were not used for longest are removed. [bytes]

Reason: Judgement: a report with 10 findings takes 150 KB, one with 5,000 takes 40 MB.
Lost: Nothing: the next scan with these files and options analyses again.
Problem: none: speed only.
"""
MAX_KEPT_REPORT: Final = 50_000_000
"""Size of a report from which on it is not kept. [bytes]

Reason: A quarter of the cache, so that one report does not remove all others.
Lost: Nothing: the next scan analyses again.
Problem: none: speed only.
"""
STATE_CACHE_BYTES: Final = 20_000_000
"""Size of the cache of states of programs from which on those that were not used for longest are removed. [bytes]

Reason: A program of 1,000 files takes 35 KB, so this is room for the states of 500 such programs.
Lost: Nothing: the next scan of such a program analyses again.
Problem: none: speed only.
"""
WHOLE_CACHE_BYTES: Final = CACHE_BYTES + REPORT_CACHE_BYTES + STATE_CACHE_BYTES
"""Size of these caches together; ``PYROGRAPH_CACHE_SIZE`` sets another, shared in proportion. [bytes]

Reason: The sum of the three above.
Lost: Nothing: the next scan analyses again.
Problem: none: speed only.
"""
MAX_EDITED_FILES: Final = 16
"""Number of changed files from which on it is not asked whether only places and comments have changed. [files]

Reason: Judgement: to lower them in one process takes a second or two, and an edit of more files is seldom one of
comments alone.
Lost: Nothing: the next scan analyses again.
Problem: none: speed only.
"""
