"""The versions of distributions that requirements.txt, pyproject.toml and Pipfile demand."""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Final

# PEP 508: a name, extras, and the versions; a marker or a comment ends them
REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]{0,99})\s*(?:\[[^\]]*\])?\s*\(?([^;#)@]*)")


def normalized(name: str) -> str:
    """A distribution's name as indexes compare it (PEP 503).

    >>> normalized("Flask_SQLAlchemy")
    'flask-sqlalchemy'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def demanded(manifests: Mapping[str, bytes]) -> dict[str, list[str]]:
    """By the normalised name of a distribution: the versions that each manifest demands. Linear in the manifests."""
    found: dict[str, list[str]] = {}
    for path, content in sorted(manifests.items()):
        read = READERS.get(posixpath.basename(path))
        for distribution, version in read(content.decode("utf-8-sig", "replace")) if read is not None else ():
            found.setdefault(normalized(distribution), []).append(version)
    return found


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        match = REQUIREMENT.match(line)
        if match:
            yield match[1], match[2].strip()


def _tables(text: str) -> Iterator[tuple[str, str]]:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    project, tool = _table(document, "project"), _table(document, "tool")
    listed = project.get("dependencies")
    for each in listed if isinstance(listed, list) else ():
        yield from _lines(str(each))
    for table in (_table(_table(tool, "poetry"), "dependencies"), _table(document, "packages")):
        for name, version in table.items():
            stated = version.get("version") if isinstance(version, dict) else version
            yield name, stated if isinstance(stated, str) else ""


READERS: Final = {"requirements.txt": _lines, "pyproject.toml": _tables, "Pipfile": _tables}


def _table(document: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = document.get(name)
    return found if isinstance(found, dict) else {}
