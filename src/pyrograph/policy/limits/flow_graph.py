"""Limits of the flow graph: access paths and their expansion."""

from __future__ import annotations

from typing import Final

# -- The flow graph ----------------------------------------------------------------------------------------------------

MAX_PATHS: Final = 16
"""Tainted access paths of one value. [access paths]

Reason: Judgement: nodes are values x access paths. Widened steps count as assumed.
Lost: Further access paths become "some part", then the whole.
Problem: an object has more than {MAX_PATHS} tainted parts; its parts are no longer tracked separately
Remedy: None; findings through such an object have lower confidence.
"""
MAX_NODES: Final = 500_000
"""Nodes (value, access path) from which all further access paths are widened. [nodes]

Reason: Judgement: bounds memory; Django has 489,000 (bench/stages.py).
Lost: All further access paths become the whole.
Problem: none; that of ``MAX_PATHS``.
"""
MAX_PATH: Final = 16
"""Length of an access path. [keys]

Reason: Judgement: a longer one comes from a structure that holds itself.
Lost: Keys at the end: the part becomes everything below its beginning.
Problem: none: may add findings.
"""
MAX_PATHS_BELOW: Final = 4
"""Access paths of one value, before parts of an object that is tainted as a whole are no longer followed apart. [access
paths]

Reason: Judgement.
Lost: The parts' own paths: findings through them are those of the whole.
Problem: none: may add findings.
"""
MAX_REPEATS: Final = 2
"""Occurrences of one key in an access path. [times]

Reason: ``node.next.next.next`` goes on for ever.
Lost: Keys at the end: the part becomes everything below its beginning.
Problem: none: may add findings.
"""
MAX_EXCLUDED: Final = 8
"""Overwritten keys that an access path remembers. [keys]

Reason: Judgement: states of an object multiply with them. One record of round 32 needs 5.
Lost: A further overwritten key counts as tainted.
Problem: none: may add findings.
"""
