"""Limits of ``pyrograph rules infer``: what is kept of a library."""

from __future__ import annotations

from typing import Final

# -- Inferred models ---------------------------------------------------------------------------------------------------

MAX_FIELDS: Final = 14
"""Fields of a receiver that are followed separately. [fields]

Reason: A value has 16 access paths of its own (``MAX_PATHS``); two are the receiver itself.
Lost: Flow from further fields, by name, to the results of methods.
Problem: none: may miss findings.
"""
MAX_KEYS: Final = 2
"""Keys of an access path in an inferred entry. [keys]

Reason: Judgement: entries should be readable. A longer path ends in any element.
Lost: Nothing: the entry says more than the library does.
Problem: none: may add findings.
"""
