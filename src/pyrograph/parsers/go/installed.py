"""Modules of Go: directories with a ``go.mod``, ``vendor`` directories, and the module cache."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from pyrograph.parsers.library import LibrarySource, quoted, read_text


def source_at(directory: Path, package: str | None) -> LibrarySource | None:
    """The module in a directory; None if neither a ``go.mod`` nor ``package`` says what it is called."""
    text = read_text(directory / "go.mod")
    stated = re.search(r'(?m)^module\s+"?([^\s"]+)', text)
    module = package or (stated[1] if stated else "")
    if not module:
        return None
    return LibrarySource(
        name=module,
        root=directory,
        paths=(directory,),
        package=module,
        version=_version(directory, module),
        manifests={} if text else {"go.mod": f"module {module}\n".encode()},
    )


def installed(package: str, place: Path) -> LibrarySource | None:
    """The module that a package belongs to, in ``vendor`` of a directory or in the module cache that it is."""
    modules = re.findall(r"(?m)^# (\S+) v", read_text(place / "vendor" / "modules.txt"))
    for module in sorted(modules, key=len, reverse=True):
        if (package == module or package.startswith(module + "/")) and (place / "vendor" / module).is_dir():
            return source_at(place / "vendor" / module, module)
    if not (place / "cache" / "download").is_dir():
        return None
    module = package
    while "/" in module:  # ``module`` gets shorter
        escaped = re.sub("[A-Z]", lambda letter: "!" + letter[0].lower(), module)
        versions = sorted(place.glob(f"{escaped}@*"), key=lambda path: _ordered(path.name.rpartition("@")[2]))
        if versions:
            return source_at(versions[-1], module)
        module = module.rpartition("/")[0]
    return None


def module_api(source: LibrarySource, path: str) -> str:
    """The import path of the package that a file belongs to, as rules write it: without major versions."""
    directory = posixpath.dirname(path)
    parts = f"{source.package}/{directory}".rstrip("/").split("/")
    kept = [part for at, part in enumerate(parts) if not (at and part[:1] == "v" and part[1:].isdigit())]
    return quoted("/".join(kept))


def _version(directory: Path, module: str) -> str:
    """From the directory's name in the module cache, or from ``vendor/modules.txt``."""
    if "@v" in directory.name:
        return directory.name.rpartition("@v")[2]
    for above in directory.parents:
        if above.name == "vendor":
            found = re.search(rf"(?m)^# {re.escape(module)} v(\S+)", read_text(above / "modules.txt"))
            return found[1] if found else ""
    return ""


def _ordered(version: str) -> tuple[tuple[int, ...], str]:
    return tuple(map(int, re.findall(r"\d+", version.partition("-")[0]))), version
