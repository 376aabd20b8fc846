"""Takes user names and passwords out of addresses, before they are shown, logged or stored."""

from __future__ import annotations

import re
from typing import Final

_USER: Final = re.compile(r"([A-Za-z][\w+.-]*://)([^\s/?#'\"]*)@")
_QUERY: Final = re.compile(r"(https?://[^\s?'\"]*)\?[^\s'\"]*", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """``text`` with its addresses as they are without user, password and query; SSH needs the user, who stays.

    >>> without_secrets("fatal: cannot read 'https://me:s@cret@example.org/shop.git?token=1': 403")
    "fatal: cannot read 'https://example.org/shop.git': 403"
    >>> without_secrets("ssh://git:secret@example.org/shop.git"), without_secrets("git@example.org:shop.git")
    ('ssh://git@example.org/shop.git', 'git@example.org:shop.git')
    """
    return _QUERY.sub(r"\1", _USER.sub(_user, text))


def _user(match: re.Match[str]) -> str:
    scheme, user = match[1], match[2].partition(":")[0]
    return f"{scheme}{user}@" if "ssh" in scheme.lower() and user else scheme


__all__ = ["without_secrets"]
