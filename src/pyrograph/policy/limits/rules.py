"""Limits of rule packs: entries, vulnerabilities, cached files."""

from __future__ import annotations

from typing import Final

# -- Rules -------------------------------------------------------------------------------------------------------------

MAX_VULNERABILITIES: Final = 62
"""Vulnerabilities of one scan, each aspect of one counted, the built-in ones included. [vulnerabilities]

Reason: One bit each of a 64-bit mask, and two for the engine.
Lost: The scan does not say how many findings further profiles would add; where those that it reports are too many, it
is refused.
Problem: none; an error: more than {MAX_VULNERABILITIES} vulnerabilities and aspects, the built-in ones included
"""
MAX_BRACE_ENTRIES: Final = 20_000
"""Entries that one string of a pack may stand for. [entries]

Reason: Judgement: braces multiply.
Lost: The pack is refused.
Problem: none; an error: the braces stand for more than {MAX_BRACE_ENTRIES} entries
"""
MAX_NESTED_BRACES: Final = 20
"""Braces within braces of an entry. [levels]

Reason: Judgement.
Lost: The pack is refused.
Problem: none; an error: more than {MAX_NESTED_BRACES} braces are nested
"""
MAX_RULE_CACHES: Final = 8
"""Cache files of compiled rules that are kept for each kind. [files]

Reason: Judgement: versions and projects that one user alternates between.
Lost: Nothing: speed only; the least recently written go first.
Problem: none: speed only.
"""
