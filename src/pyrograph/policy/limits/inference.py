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
MAX_LIBRARY_BYTES: Final = 30_000_000
"""Source of a library from which on a scan does not infer its model. [bytes]

Reason: Judgement: a million lines, which take minutes.
Lost: The model: calls of the library stay calls of something unknown.
Problem: a library of more than {MAX_LIBRARY_BYTES} bytes is not read
Remedy: Infer it with `pyrograph rules infer`, which has no such limit, and name the pack with `--rules`.
"""
MAX_INFERRED_CACHES: Final = 4_000
"""Inferred models that are kept between scans. [models]

Reason: Judgement: some programs with 500 packages each.
Lost: Nothing: the least recently written are inferred again.
Problem: none: speed only.
"""
MAX_KEYS: Final = 2
"""Keys of an access path in an inferred entry. [keys]

Reason: Judgement: entries should be readable. A longer path ends in any element.
Lost: Nothing: the entry says more than the library does.
Problem: none: may add findings.
"""
