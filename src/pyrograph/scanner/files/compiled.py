"""Files that a compiler wrote from other files of the scan: a map beside each names those.

A file is left out only if all files that its map names are read: else it is the only text of some code.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pyrograph.parsers import language_of


def compiled(languages: Mapping[str, str], maps: Mapping[str, str], limit: int) -> list[str]:
    """The paths of files that were compiled from others which are read, sorted. O(the sizes of the maps).

    Args:
        languages: The ids of the syntaxes of all files that are read, by path.
        maps: Files whose name is that of another one and a suffix: path -> absolute.
        limit: The size of a map that is read, in bytes.
    """
    sources: dict[str, set[str]] = {}
    for path, absolute in sorted(maps.items()):
        written = os.path.splitext(path)[0]
        if written not in languages:
            continue
        try:
            with open(absolute, "rb") as file:
                text = file.read(limit + 1)
        except OSError:
            continue
        names = language_of(languages[written]).compiled_from(text) if len(text) <= limit else ()
        found = {_inside(path, name) for name in names}
        if found and languages.keys() >= found:
            sources[written] = found
    known = languages.keys() - sources.keys()
    left_out: list[str] = []
    while done := [path for path, names in sources.items() if names <= known]:  # ``sources`` gets smaller
        left_out += done
        known.update(done)  # what one compiler wrote, another one may have read
        for path in done:
            del sources[path]
    return sorted(left_out)


def _inside(path: str, name: str) -> str:
    """The path of the file that ``name`` means in a map at ``path``."""
    return os.path.normpath(os.path.join(os.path.dirname(path), name)).replace(os.sep, "/")
