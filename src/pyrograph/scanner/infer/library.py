"""Where the source of a library lies, what it is called, and which version it has.

A library is a directory that the user names, or an installed package. Nothing is imported, and no tool is started:
names and versions are read from ``pyproject.toml``, ``*.dist-info``, ``package.json``, ``go.mod`` and
``vendor/modules.txt``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pyrograph.scanner.options import ScanOptions

LEFT_OUT: Final = (
    *("node_modules/", "test/", "tests/", "testing/", "testdata/", "examples/", "example/", "docs/", "benchmarks/"),
    *("*_test.go", "*.min.js", "test_*.py", "*.test.js", "*.spec.js", "*.test.ts", "*.spec.ts"),
)
BASES: Final = ("src", "lib", "python")  # directories of a project below which its packages lie


class LibraryError(Exception):
    """There is no such library, or its language is not known; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library whose source is at hand."""

    name: str  # as people write it
    language: str  # of its rules
    root: Path  # paths of its files are relative to it
    paths: tuple[Path, ...]  # its files and directories, below ``root``
    package: str = ""  # the import path of ``root``; "" where directories below it name modules
    version: str = ""  # "" where no manifest states it
    manifests: Mapping[str, bytes] = field(default_factory=dict)  # those that the directory lacks, by path

    def options(self, jobs: int) -> ScanOptions:
        """What reads its files: also build output, because that is what packages of JavaScript hold."""
        return ScanOptions(
            paths=self.paths, root=self.root, exclude=LEFT_OUT, gitignore=False, default_excludes=False, jobs=jobs
        )

    def base_of(self, path: str) -> str | None:
        """The directory below which the module of a file is named; None if no program imports the file."""
        if self.package or self.language != "python":
            return ""
        first = path.partition("/")[0]
        return first if first in BASES and "/" in path and not (self.root / first / "__init__.py").exists() else ""


def library_at(directory: Path, language: str | None = None, package: str | None = None) -> Library:
    """The library in a directory: a project, an installed package, or a module of Go.

    Raises:
        LibraryError: The language cannot be told from the files.
    """
    directory = directory.resolve()
    language = language or _language_of(directory)
    if language == "python":
        return _python(directory, package)
    if language == "javascript":
        about = _json(directory / "package.json")
        name = package or str(about.get("name") or directory.name)
        manifest = {} if about else {"package.json": json.dumps({"name": name}).encode()}
        version = about.get("version")
        return Library(
            name, language, directory, (directory,), name, version if isinstance(version, str) else "", manifest
        )
    module = package or _module_of(directory)
    if not module:
        raise LibraryError(f"{directory} has no go.mod; name its import path with --package")
    manifest = {} if (directory / "go.mod").exists() else {"go.mod": f"module {module}\n".encode()}
    module = re.sub(r"/v\d+$", "", module)
    return Library(module, language, directory, (directory,), module, _go_version(directory, module), manifest)


def installed(
    package: str, places: Sequence[Path], language: str | None = None, go_cache: Path | None = None
) -> Library | None:
    """The installed library that programs import as ``package``, or None.

    Args:
        places: Directories of programs, or virtual environments; the first that has the package counts.
        go_cache: The module cache of Go.
    """
    for place in places:
        if language in (None, "python") and (found := _installed_python(package, place)) is not None:
            return found
        if language in (None, "javascript") and (place / "node_modules" / package / "package.json").is_file():
            return library_at(place / "node_modules" / package, "javascript", package)
        if language in (None, "go") and (place / "vendor" / package).is_dir() and "/" in package:
            return library_at(place / "vendor" / package, "go", package)
    if go_cache is not None and language in (None, "go") and "/" in package:
        escaped = re.sub("[A-Z]", lambda letter: "!" + letter[0].lower(), package)
        versions = sorted(go_cache.glob(f"{escaped}@*"), key=lambda path: _ordered(path.name.rpartition("@")[2]))
        if versions:
            return library_at(versions[-1], "go", package)
    return None


def site_packages(place: Path) -> Iterator[Path]:
    """The directories of installed Python packages of a program, of a virtual environment, or ``place`` itself."""
    if place.name in ("site-packages", "dist-packages"):
        yield place
    for environment in (place, place / ".venv", place / "venv", place / "env"):
        if (environment / "pyvenv.cfg").is_file():
            yield from sorted((environment / "lib").glob("python*/site-packages"))
            if (environment / "Lib" / "site-packages").is_dir():
                yield environment / "Lib" / "site-packages"


def _installed_python(package: str, place: Path) -> Library | None:
    if not package.isidentifier():
        return None
    for folder in site_packages(place):
        for path in (folder / package, folder / f"{package}.py"):
            if (path / "__init__.py").is_file() or (path.suffix == ".py" and path.is_file()):
                return Library(package, "python", folder, (path,), "", _distribution(folder, package))
    return None


def _python(directory: Path, package: str | None) -> Library:
    about = _toml(directory / "pyproject.toml").get("project")
    project = about if isinstance(about, dict) else {}
    version = project.get("version")
    if (directory / "__init__.py").is_file():
        root, name = directory.parent, package or directory.name
        found = _distribution(root, directory.name)
        return Library(name, "python", root, (directory,), "", found)
    name = package or project.get("name") or directory.name
    return Library(str(name), "python", directory, (directory,), "", version if isinstance(version, str) else "")


def _distribution(folder: Path, package: str) -> str:
    """The version of the distribution that has installed a package; "" where that is not known."""
    same = re.sub(r"[-_.]+", "_", package).lower()
    candidates = sorted(folder.glob("*.dist-info"))
    for info in candidates:
        name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
        if re.sub(r"[-_.]+", "_", name).lower() == same:
            return version
    for info in candidates:
        names = info / "top_level.txt"
        if names.is_file() and package in names.read_text(encoding="utf-8", errors="replace").split():
            return info.name.removesuffix(".dist-info").rpartition("-")[2]
    return ""


def _language_of(directory: Path) -> str:
    for name, language in (("package.json", "javascript"), ("go.mod", "go"), ("pyproject.toml", "python")):
        if (directory / name).is_file():
            return language
    for pattern, language in (("*.py", "python"), ("*.go", "go"), ("*.js", "javascript"), ("*.ts", "javascript")):
        if next(directory.glob(pattern), None) or next(directory.glob(f"*/{pattern}"), None):
            return language
    raise LibraryError(f"the language of {directory} is not known; name it with --language")


def _module_of(directory: Path) -> str:
    try:
        text = (directory / "go.mod").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r'(?m)^module\s+"?([^\s"]+)', text)
    return found[1] if found else ""


def _go_version(directory: Path, module: str) -> str:
    """From the directory's name in the module cache, or from ``vendor/modules.txt``."""
    if "@v" in directory.name:
        return directory.name.rpartition("@v")[2]
    for above in directory.parents:
        listed = above / "modules.txt"
        if above.name == "vendor" and listed.is_file():
            text = listed.read_text(encoding="utf-8", errors="replace")
            found = re.search(rf"(?m)^# {re.escape(module)}(?:/v\d+)? v(\S+)", text)
            return found[1] if found else ""
    return ""


def _ordered(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(map(int, re.findall(r"\d+", version.partition("-")[0]))), version


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return {}


__all__ = ["Library", "LibraryError", "installed", "library_at", "site_packages"]
