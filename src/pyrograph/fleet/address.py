"""Takes user names and passwords out of addresses, before they are shown, logged or stored."""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"(.*?://)(?:([^/?#]*)@)?(.*)", re.DOTALL)
# In a text, which may be long and a server's: each matches at once where it begins, so that the time is linear.
_USER: Final = re.compile(r"([A-Za-z][\w+.-]{0,30}://)(?:([^\s/?#'\"]*)@)?")
_QUERY: Final = re.compile(r"([A-Za-z][\w+.-]{0,30}://[^\s?'\"]*)(?:\?[^\s'\"]*)?")


def shown(address: str) -> str:
    """The address of a repository without user, password and query; SSH needs the user, who stays.

    Whatever is no address with a scheme stays as it is, and so do the question marks in the path of a file.

    >>> shown("https://me:it's@example.org/shop.git?token=1"), shown("ssh://git:secret@example.org/shop.git")
    ('https://example.org/shop.git', 'ssh://git@example.org/shop.git')
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return address
    place = match[3] if match[1].lower() == "file://" else match[3].partition("?")[0]
    return _user(match) + _USER.sub(_user, place)  # a proxy's address may end with another one


def without_secrets(text: str) -> str:
    """``text`` with its addresses as ``shown`` has them, as far as a text tells where an address ends.

    >>> without_secrets("fatal: cannot read 'https://me:s@cret@example.org/shop.git?token=1': 403")
    "fatal: cannot read 'https://example.org/shop.git': 403"
    >>> without_secrets("ssh://git:secret@example.org/shop.git"), without_secrets("git@example.org:shop.git")
    ('ssh://git@example.org/shop.git', 'git@example.org:shop.git')
    """
    return _QUERY.sub(r"\1", _USER.sub(_user, text))


def _user(match: re.Match[str]) -> str:
    scheme, user = match[1], (match[2] or "").partition(":")[0]
    return f"{scheme}{user}@" if "ssh" in scheme.lower() and user else scheme


__all__ = ["shown", "without_secrets"]
