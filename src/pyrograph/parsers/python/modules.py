"""Module resolution: a module is a file, or a directory, found from the importing file upwards.

The directory above the outermost package of a file is where its absolute imports begin; then each directory above that,
and `src` below each, so that several projects may lie side by side.

A program that is started in one of its packages imports from there, and one that appends to `sys.path` from another
folder. Modules that are not found otherwise are looked for in the packages around the importing file, and then in
all folders, where only one may have them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from pyrograph.parsers.language import ModuleFile, ModuleNames


class PythonModules(ModuleNames):
    """A module is named by its file's path without the suffix, a package by its directory."""

    def __init__(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> None:
        super().__init__(files, manifests)
        self._manifests = manifests
        self._demanded: dict[str, list[str]] | None = None
        self.by_module: dict[str, int] = {}  # module's path -> its file
        self.directories: set[str] = set()  # that hold a module, at any depth
        self.packages: set[str] = set()  # directories with an __init__.py
        self._above: dict[str, str] = {}  # directory -> the nearest one above it that is no package
        self._beginnings: dict[str, list[str]] | None = None  # name -> modules where absolute imports may begin
        self._absolute: dict[tuple[str, str], str | None] = {}  # (such a directory, module) -> what it means there
        for file in files:
            directory, name = posixpath.split(file.path)
            stem = name.rpartition(".")[0]
            if stem == "__init__":
                self.packages.add(directory)
                self.by_module.setdefault(directory, file.number)
            else:
                self.by_module.setdefault(posixpath.join(directory, stem), file.number)
            while directory not in self.directories:
                self.directories.add(directory)
                directory = posixpath.dirname(directory)

    def requirements(self, library: str) -> Sequence[str]:
        from pyrograph.parsers.python.requirements import demanded, normalized

        if self._demanded is None:
            self._demanded = demanded(self._manifests)
        return self._demanded.get(normalized(library), ())

    def resolve(self, directory: str, module: str, level: int) -> str | None:
        if level:
            for _ in range(level - 1):
                directory = posixpath.dirname(directory)
            below = module.replace(".", "/")
            path = posixpath.normpath(posixpath.join(directory, below)) if below else directory
            return path if path in self.by_module or path in self.directories else None
        above = self._above.get(directory)
        if above is None:
            above = directory
            while above in self.packages and above:
                above = posixpath.dirname(above)
            self._above[directory] = above
        key = (above, module)
        if key not in self._absolute:
            self._absolute[key] = self._find_absolute(above, module)
        return self._absolute[key]

    def _find_absolute(self, directory: str, module: str) -> str | None:
        """The module that ``module`` names below ``directory``, or in the nearest directory above that has it."""
        below = module.replace(".", "/")
        while True:
            for root in (directory, posixpath.join(directory, "src")):
                path = posixpath.join(root, below)
                first = posixpath.join(root, below.partition("/")[0])
                if path in self.by_module or (
                    path in self.directories and (first in self.packages or first in self.directories)
                ):
                    return path
            if not directory:
                return None
            directory = posixpath.dirname(directory)

    def elsewhere(self, directory: str, module: str) -> str | None:
        """The module of this name in the nearest package around ``directory`` that has one, or the only one below a
        directory that is no package. Linear in the modules, once.
        """
        around, path = directory, module.replace(".", "/")
        while around in self.packages:
            below = posixpath.join(around, path)
            if below in self.by_module:
                return below
            around = posixpath.dirname(around) if around else "."
        if self._beginnings is None:
            self._beginnings = {}
            for path in sorted(self.by_module.keys() | self.directories):
                directory, name = posixpath.split(path)
                if directory not in self.packages:
                    self._beginnings.setdefault(name, []).append(path)
        first, dot, rest = module.partition(".")
        below = "/" + rest.replace(".", "/") if dot else ""
        paths = [path + below for path in self._beginnings.get(first, ())]
        found = [path for path in paths if path in self.by_module or path in self.directories]
        return found[0] if len(found) == 1 else None

    def members(self, module: str) -> Sequence[int]:
        number = self.by_module.get(module)
        return () if number is None else (number,)

    def submodule(self, module: str, name: str) -> str | None:
        path = posixpath.join(module, name)
        return path if path in self.by_module or path in self.directories else None
