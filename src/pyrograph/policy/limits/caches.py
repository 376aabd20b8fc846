"""Limits of the caches."""

from __future__ import annotations

from typing import Final

# -- Caches ------------------------------------------------------------------------------------------------------------

CACHE_BYTES: Final = 1_000_000_000
"""Size of the cache of units from which on the units that were not used for longest are removed. [bytes]

Reason: Judgement: the units of 20 million lines.
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
