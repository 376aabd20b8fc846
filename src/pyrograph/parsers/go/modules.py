"""Module resolution: a module is a directory, named by its path below the module path of a go.mod."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pyrograph.parsers.language import ModuleFile, ModuleNames, prefixes

REPOSITORY_PARTS = 3  # host, owner and name: of a repository of GitHub, GitLab, Bitbucket and the like


class GoModules(ModuleNames):
    """A package is named by its directory."""

    def __init__(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> None:
        super().__init__(files, manifests)
        self.by_directory: dict[str, list[ModuleFile]] = {}
        for file in files:
            self.by_directory.setdefault(posixpath.dirname(file.path), []).append(file)
        self.roots = _roots(manifests)
        self._manifests = manifests
        modules = [(root.module, directory) for directory, root in self.roots.items()]
        longest = sorted(modules, key=lambda pair: (-len(pair[0]), pair))
        self._roots_by_module: dict[str, list[tuple[int, str]]] = {}  # module -> its roots, with their order
        for order, (module, root) in enumerate(longest):
            self._roots_by_module.setdefault(module, []).append((order, root))
        self._replaced: dict[str, dict[str, list[tuple[int, str]]]] = {}  # go.mod's directory -> prefix -> targets
        for directory, root_of in self.roots.items():
            by_prefix: dict[str, list[tuple[int, str]]] = {}
            for order, (prefix, target) in enumerate(root_of.replaced):
                by_prefix.setdefault(prefix, []).append((order, target))
            self._replaced[directory] = by_prefix
        self._packages: dict[str, str] = {}  # directory -> the name in its package clauses

    def requirements(self, library: str) -> Sequence[str]:
        """``library``: the path of a module."""
        found = []
        for path, content in sorted(self._manifests.items()):
            if posixpath.basename(path) == "go.mod":
                for line in content.decode("utf-8", "replace").splitlines():
                    words = line.split("//")[0].removeprefix("require ").split()
                    if len(words) == 2 and words[0] == library:
                        found.append(words[1])
        return found

    def resolve(self, directory: str, module: str, level: int) -> str | None:
        """The directory of a package: what the nearest go.mod says, then any other, then the path's own end."""
        return self.folder(directory, module, self.by_directory)

    def folder(self, directory: str, module: str, folders: Collection[str]) -> str | None:
        here = self.folder_of_package(directory)
        nearest = self.roots.get(here)
        if nearest is not None:
            replaced = self._replaced[here]
            targets = [(*each, prefix) for prefix in prefixes(module) for each in replaced.get(prefix, ())]
            for _, target, prefix in sorted(targets):
                found = _below(prefix, posixpath.join(here, target), module, folders)
                if found is not None:
                    return found
            found = _below(nearest.module, here, module, folders)
            if found is not None:
                return found
        roots = [(*each, name) for name in prefixes(module) for each in self._roots_by_module.get(name, ())]
        for _, root, name in sorted(roots):
            found = _below(name, root, module, folders)
            if found is not None:
                return found
        if nearest is not None:
            return None
        if self._is_root(module):
            return ""
        found = _by_end(module, folders)
        return _beside(directory, module, folders) if found is None else found

    def _is_root(self, module: str) -> bool:
        """Without a go.mod: whether an import path means the package in the root of the tree. The path is that of a
        repository, and ends with the name in the package's clauses: ``example.org/jane/shop``, ``package shop``.
        """
        parts = module.split("/")
        return len(parts) == REPOSITORY_PARTS and "." in parts[0] and self.package_of("") == parts[-1]

    def package_of(self, module: str) -> str:
        """The name in the package clauses of a directory, those of tests left out where there are others."""
        known = self._packages.get(module)
        if known is None:
            names = [file.package for file in self.by_directory.get(module, ())]
            known = next((name for name in names if not name.endswith("_test")), names[0] if names else "")
            self._packages[module] = known
        return known

    def folder_of_package(self, directory: str) -> str:
        here = directory
        while here not in self.roots and here:  # gets shorter
            here = posixpath.dirname(here)
        return here

    def members(self, module: str) -> Sequence[int]:
        return [file.number for file in self.by_directory.get(module, ())]


@dataclass(frozen=True, slots=True)
class GoRoot:
    """A go.mod: the module's path, and modules that lie elsewhere in the tree (prefix, relative path)."""

    module: str
    replaced: tuple[tuple[str, str], ...]


def _below(prefix: str, root: str, module: str, folders: Collection[str]) -> str | None:
    """The package ``module`` where ``prefix`` is the module in ``root``."""
    if not prefix or not (module == prefix or module.startswith(prefix + "/")):
        return None
    path = posixpath.normpath(posixpath.join(root, module[len(prefix) :].lstrip("/")))
    path = "" if path == "." else path
    return path if path in folders else None


def _by_end(module: str, folders: Collection[str]) -> str | None:
    """Without a go.mod the tree lies somewhere below a workspace: the import path ends with the package's path.

    A path of one name is believed only below a host (``example.org/x/util``), because libraries of the language
    have such names.
    """
    parts = module.split("/")
    for start in range(1, len(parts)):
        path = "/".join(parts[start:])
        if path in folders and (start < len(parts) - 1 or "." in parts[0]):
            return path
    return None


def _beside(directory: str, module: str, folders: Collection[str]) -> str | None:
    """Without a go.mod, where the repository is a folder of the tree: a package of the importing file's own repository,
    whose root is a folder above the file. Time linear in the depth of the file.
    """
    parts = module.split("/")
    if len(parts) <= REPOSITORY_PARTS or "." not in parts[0]:
        return None
    end, above = "/".join(parts[REPOSITORY_PARTS:]), directory
    while above:  # gets shorter
        path = posixpath.join(above, end)
        if path in folders:
            return path
        above = posixpath.dirname(above)
    return None


def _roots(manifests: Mapping[str, bytes]) -> dict[str, GoRoot]:
    roots = {}
    for path, content in sorted(manifests.items()):
        if posixpath.basename(path) != "go.mod":
            continue
        module = ""
        replaced: list[tuple[str, str]] = []
        block = ""
        for line in content.decode("utf-8", "replace").splitlines():
            words = [word.strip('"') for word in line.split("//")[0].split()]
            if words[-1:] == ["("]:
                block = words[0]
            elif words == [")"]:
                block = ""
            elif len(words) >= 2 and words[0] == "module" and not module:
                module = words[1]
            elif "=>" in words and (block or words[0]) == "replace":
                left = words[0] if block else words[1]
                target = words[words.index("=>") + 1 :][:1]
                if target and target[0].startswith("."):
                    replaced.append((left, target[0]))
        if module:
            roots[posixpath.dirname(path)] = GoRoot(module, tuple(replaced))
    return roots
