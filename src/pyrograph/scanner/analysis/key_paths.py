"""Paths of keys that one text names: ``get(request, "body.items[0].name")``."""

from __future__ import annotations

import re
from typing import Final

PART: Final = re.compile(r"""\[(?:"([^"]*)"|'([^']*)'|([^\]]*))\]|([^.\[\]]+)""")


def keys_of_path(text: str) -> list[str]:
    """The keys that a path names, from the outermost object on.

    >>> keys_of_path("body.items[0].name"), keys_of_path('headers["x-user"]'), keys_of_path("a"), keys_of_path("")
    (['body', 'items', '0', 'name'], ['headers', 'x-user'], ['a'], [])
    """
    return [next((part for part in found if part), "") for found in PART.findall(text)]
