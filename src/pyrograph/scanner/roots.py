"""Where the paths of a report begin: the root of a scan, found from the paths that it was given."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pyrograph.parsers import languages


def find_repository(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` (absolute) that holds ``.git`` or ``.hg``, if there is one."""
    for directory in (start, *start.parents):
        if (directory / ".git").exists() or (directory / ".hg").exists():
            return directory
    return None


def common_directory(paths: Sequence[Path]) -> Path:
    """The deepest directory that holds all of ``paths`` (at least one, all of them existing); absolute, resolved."""
    directories = [path if path.is_dir() else path.parent for path in map(Path.resolve, paths)]
    try:
        return Path(os.path.commonpath(directories))
    except ValueError:  # two drives of one Windows machine
        raise ValueError("the paths lie on different drives; scan them one at a time") from None


def find_root(paths: Sequence[Path], current: Path) -> Path:
    """What the paths in a report are relative to, unless the user says otherwise.

    The repository that holds all of ``paths``, because viewers resolve paths against it; without one, the
    ``current`` directory if it holds them all; otherwise their deepest common directory. If that is a package, the
    directory above the outermost one: that is where the imports of its files begin.

    Raises:
        ValueError: The paths have no directory in common.
    """
    common = common_directory(paths)
    repository = find_repository(common)
    if repository is not None:
        return repository
    current = current.resolve()
    root = current if common.is_relative_to(current) else common
    while root != root.parent and any(language.is_package(root) for language in languages().values()):
        root = root.parent
    return root
