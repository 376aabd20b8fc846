"""Words by which a program lists what a role may do."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

GRANTS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        permission permissions perm perms scope scopes privilege privileges right rights capability capabilities
        ability abilities grant grants action actions policies authorities authority access
        """,
    )
)
"""A word of a name for a list of what a role may do, beside the role's: ``ADMIN_SCOPES``, ``editorPermissions``.

Means: what stands in lists of administrators, and in none of another role, is granted to them alone. A check that asks
for such a permission is one for administrators.
Errs: where the operator may grant it to others, true findings are left to ``--threat-model operator``; the report
counts them. A list that no name says to be another role's does not count.
Measured: eight false findings of one program of round 40 (``cosmos-server``); its two true ones stay.
"""
NOBODYS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        all every each any known valid supported available sudo dangerous sensitive label labels description
        descriptions dict enum list choices default defaults names map public openapi docs swagger required
        """,
    )
)
"""A word of a list that is no role's: ``ALL_PERMISSIONS``, ``SCOPE_LABELS``.

Means: what stands there is granted to nobody by that.
Errs: a role that is named so leaves true findings to ``--threat-model operator``.
Measured: as ``GRANTS``.
"""
ROLE_KEYS: Final = frozenset({"name", "Name", "role", "Role", "title", "Title", "key", "slug", "code", "id", "ID"})
"""The field of a record by which it says which role it describes: ``{ name: "Admin", permissions: [...] }``.

Means: what its other fields list is what that role may do.
Errs: as ``GRANTS``.
Measured: as ``GRANTS``.
"""
ALTERNATIVES: Final = frozenset(
    {"or", "self", "own", "owner", "owns", "either", "optional", "without", "unless", "not"}
)
"""A word of a check that lets others pass as well: ``checkPermissionsOrSelf``. Endings that say what happens to the
others (``OTHERWISE`` of administrators) are none.

Means: it is no check for administrators, whatever permission it is given.
Errs: a check that is named so is not understood.
Measured: one true finding of round 40 (``cosmos-server``).
"""
LABEL: Final = late(
    r"(?<![\w$.])(?P<name>(?!(?:const|let|var|export|final|static|return|in|of)\b)[A-Za-z_$][\w$.]*|\"[^\"\n]*\"|'[^'\n]*')\s*\]?\s*"
    r"(?::\s*[^=:;{}()\n]*(?==)|\s[^=:;{}()\n]*(?==))?(?::=|=>|=|:)\s*"
    r"(?:(?:new\s+)?&?(?:\[\])?[\w.$]*(?:\[[^\]\n]*\])?[\w.]*\s*\(?\s*)?$"
)
"""The name of a variable, a key or a field before a literal, with a declared type: ``ADMIN: Final[tuple[str]] = (``.

Means: it says whose list the literal is.
Errs: a list that is named otherwise is nobody's.
Measured: as ``GRANTS``.
"""
