"""Libraries of JavaScript: directories with a ``package.json``, and packages in ``node_modules``."""

from __future__ import annotations

import json
from pathlib import Path

from pyrograph.parsers.library import LibrarySource, read_json


def source_at(directory: Path, package: str | None) -> LibrarySource:
    """The package in a directory; without a manifest it is called as the directory is."""
    about = read_json(directory / "package.json")
    name, version = package or str(about.get("name") or directory.name), about.get("version")
    return LibrarySource(
        name=name,
        root=directory,
        paths=(directory,),
        package=name,
        version=version if isinstance(version, str) else "",
        manifests={} if about else {"package.json": json.dumps({"name": name}).encode()},
    )


def installed(package: str, place: Path) -> LibrarySource | None:
    """The package in the ``node_modules`` of a directory; None if it is not there."""
    directory = place / "node_modules" / package
    return source_at(directory, package) if (directory / "package.json").is_file() else None
