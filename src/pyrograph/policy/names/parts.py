"""Names of the parts of requests: which of them name a thing that the program looks up."""

from __future__ import annotations

import re
from typing import Final

IDENTIFIERS: Final = re.compile(
    r"(?:^|[_.-])(?:(?i:ids?|uuid|guid)|pk)$"  # id, project_id, Content-ID, uuid, pk
    r"|(?<=[a-z0-9])(?:Ids?|IDs?|UUID|Uuid|GUID|Guid)$"  # projectId, userID
)
"""A part of a request that is named as an identifier: ``project_id``, ``uuid``.

Means: the program made it, and looks it up or checks its form before it does anything with it; findings of rules that
list ``identifier`` under ``doubtful`` have medium confidence.
Errs: an identifier that nothing looks up is pasted into a path or an address all the same.
Measured: 3 of 34 judged findings of these rules are true (bench/confidence.md).
"""
