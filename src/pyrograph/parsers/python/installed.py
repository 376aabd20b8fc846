"""Libraries of Python: projects, and packages in the ``site-packages`` of virtual environments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pyrograph.parsers.library import LibrarySource, read_text, read_toml

ENVIRONMENTS: Final = (".venv", "venv", "env")
BASES: Final = ("src", "lib", "python")  # directories of a project below which its packages lie


def source_at(directory: Path, package: str | None) -> LibrarySource:
    """The project in a directory, or the package that the directory is."""
    if (directory / "__init__.py").is_file():
        name, version = package or directory.name, _version(directory.parent, directory.name)
        return LibrarySource(name=name, root=directory.parent, paths=(directory,), version=version)
    about = read_toml(directory / "pyproject.toml").get("project")
    project = about if isinstance(about, dict) else {}
    stated = project.get("version")
    return LibrarySource(
        name=str(package or project.get("name") or directory.name),
        root=directory,
        paths=(directory,),
        version=stated if isinstance(stated, str) else "",
    )


def installed(package: str, place: Path) -> LibrarySource | None:
    """The package in an environment of a directory, or in the environment that it is; None if it is not there."""
    if not package.isidentifier():
        return None
    for folder in _site_packages(place):
        for path in (folder / package, folder / f"{package}.py"):
            if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.is_file()):
                version = _version(folder, package)
                return LibrarySource(name=package, root=folder, paths=(path,), version=version)
    return None


def module_api(source: LibrarySource, path: str) -> str:
    """The dotted name of the module that a file is."""
    first = path.partition("/")[0]
    if first in BASES and "/" in path and not (source.root / first / "__init__.py").exists():
        path = posixpath.relpath(path, first)
    return ".".join(part for part in path.rpartition(".")[0].split("/") if part != "__init__")


def _site_packages(place: Path) -> Iterator[Path]:
    if place.name in ("site-packages", "dist-packages"):
        yield place
    for environment in (place, *(place / name for name in ENVIRONMENTS)):
        if (environment / "pyvenv.cfg").is_file():
            yield from sorted((environment / "lib").glob("python*/site-packages"))
            if (environment / "Lib" / "site-packages").is_dir():
                yield environment / "Lib" / "site-packages"


def _version(folder: Path, package: str) -> str:
    """The version of the distribution that has installed a package; "" where that is not known."""
    same = _normal(package)
    candidates = sorted(folder.glob("*.dist-info"))
    for info in candidates:
        name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
        if _normal(name) == same:
            return version
    for info in candidates:
        if package in read_text(info / "top_level.txt").split():
            return info.name.removesuffix(".dist-info").rpartition("-")[2]
    return ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
