"""Module resolution: relative paths, `paths` and `baseUrl` of tsconfig files, and packages of the tree by their names.

A module is named by the path of its file. The manifests of the directories above the importing file are asked from the
nearest one upwards, so that several projects may lie side by side.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyrograph.model.problem import Problem
from pyrograph.parsers.language import ModuleFile, ModuleNames, prefixes
from pyrograph.policy.limits.resolution import MAX_TRIED

MANIFESTS = ("package.json", "tsconfig.json")
SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")  # tried in this order


class JavaScriptModules(ModuleNames):
    """A module is named by its file's path."""

    def __init__(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> None:
        super().__init__(files, manifests)
        self.by_path = {file.path: file.number for file in files}
        self.roots = _roots(manifests)
        self._roots_by_name: dict[str, list[tuple[int, JavaScriptRoot]]] = {}  # package -> its roots, with their order
        for order, package in enumerate(self.roots.values()):
            if package.name:
                self._roots_by_name.setdefault(package.name, []).append((order, package))
        self._patterns: dict[str, _Patterns] = {}  # of ``paths``, by directory
        self._main: dict[str, int] | None = None
        self.tried = 0  # files that ``paths`` named so far

    def resolve(self, directory: str, module: str, level: int) -> str | None:
        if module.startswith("."):
            return self._relative(posixpath.normpath(posixpath.join(directory, module)))
        while True:
            root = self.roots.get(directory)
            if root is not None:
                found = self._through_root(root, module)
                if found is not None:
                    return found
            if not directory:
                break
            directory = posixpath.dirname(directory)
        named = [each for prefix in prefixes(module) for each in self._roots_by_name.get(prefix, ())]
        for _, root in sorted(named, key=lambda each: each[0]):
            below = module[len(root.name) :].lstrip("/")
            target = posixpath.join(root.directory, below or root.main)
            found = self.file(posixpath.normpath(target)) or self.file(
                posixpath.normpath(posixpath.join(root.directory, "src", below or "index"))
            )
            if found is not None:
                return found
        return None

    def _relative(self, path: str) -> str | None:
        """A file, or the main file of a directory with a package.json, or else the directory's index."""
        found = self.file(path)
        root = self.roots.get(path)
        if root is None or (found is not None and posixpath.dirname(found) != path):
            return found
        return self.file(posixpath.normpath(posixpath.join(path, root.main))) or found

    def _through_root(self, root: JavaScriptRoot, module: str) -> str | None:
        patterns = self._patterns.get(root.directory)
        if patterns is None:
            patterns = self._patterns[root.directory] = _Patterns(root.paths)
        for order in patterns.matching(module):
            pattern, targets = root.paths[order]
            head, star, tail = pattern.partition("*")
            middle = module[len(head) : len(module) - len(tail)] if star else ""
            for target in targets:
                self.tried += 1
                if self.tried > MAX_TRIED:
                    self._report_tried(root)
                    break
                path = posixpath.normpath(posixpath.join(root.directory, root.base, target.replace("*", middle)))
                found = self.file(path)
                if found is not None:
                    return found
        if root.has_base:
            return self.file(posixpath.normpath(posixpath.join(root.directory, root.base, module)))
        return None

    def _report_tried(self, root: JavaScriptRoot) -> None:
        message = (
            f"`paths` names too many files: only {MAX_TRIED:,} were looked up, so some imports are treated as libraries"
        )
        problem = Problem("limit", posixpath.join(root.directory, "tsconfig.json"), 0, message)
        if problem not in self.problems:
            self.problems.append(problem)

    def file(self, path: str) -> str | None:
        """The file that a path without or with a wrong suffix means, as bundlers and compilers look for it."""
        if path in self.by_path:
            return path
        stem, dot, suffix = path.rpartition(".")
        stems = [path, stem] if dot and suffix in ("js", "jsx", "mjs", "cjs") else [path]
        for base in stems:
            for suffix in SUFFIXES:
                if base + suffix in self.by_path:
                    return base + suffix
        for suffix in SUFFIXES:
            index = posixpath.join(path, "index" + suffix)
            if index in self.by_path:
                return index
        return None

    def members(self, module: str) -> Sequence[int]:
        number = self.by_path.get(module)
        return () if number is None else (number,)

    def main_files(self) -> Mapping[str, int]:
        """Directory of a package.json -> the file it calls main, or its index."""
        if self._main is None:
            self._main = {}
            for directory, root in self.roots.items():
                for candidate in (root.main, "index"):
                    path = posixpath.normpath(posixpath.join(directory, candidate)) if candidate else ""
                    file = self.file(path) if path else None
                    if file is not None:
                        self._main[directory] = self.by_path[file]
                        break
        return self._main


class _Patterns:
    """The patterns of one ``paths`` by what stands before and behind their star."""

    def __init__(self, paths: Sequence[tuple[str, Sequence[str]]]) -> None:
        self.exact: dict[str, list[int]] = {}  # pattern -> where it stands
        self.stars: dict[str, dict[str, list[int]]] = {}  # before the star -> behind it -> where they stand
        for order, (pattern, _) in enumerate(paths):
            self.exact.setdefault(pattern, []).append(order)
            head, star, tail = pattern.partition("*")
            if star:
                self.stars.setdefault(head, {}).setdefault(tail, []).append(order)
        self.heads = sorted({len(head) for head in self.stars})
        self.tails = {head: sorted({len(tail) for tail in tails}) for head, tails in self.stars.items()}

    def matching(self, module: str) -> list[int]:
        """The patterns that match, by where they stand, ascending."""
        found = set(self.exact.get(module, ()))
        for length in self.heads:
            if length > len(module):
                break
            tails = self.stars.get(module[:length])
            for end in self.tails[module[:length]] if tails is not None else ():
                if tails is not None and end <= len(module):
                    found.update(tails.get(module[len(module) - end :], ()))
        return sorted(found)


@dataclass(frozen=True, slots=True)
class JavaScriptRoot:
    """The rules for names in a directory's package.json and tsconfig.json."""

    directory: str
    name: str
    main: str
    base: str
    has_base: bool
    paths: tuple[tuple[str, tuple[str, ...]], ...]


def _roots(manifests: Mapping[str, bytes]) -> dict[str, JavaScriptRoot]:
    found: dict[str, JavaScriptRoot] = {}
    directories = sorted({posixpath.dirname(p) for p in manifests if posixpath.basename(p) in MANIFESTS})
    for directory in directories:
        package = _json(manifests.get(posixpath.join(directory, "package.json"), b""))
        options = _json(manifests.get(posixpath.join(directory, "tsconfig.json"), b"")).get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths = options.get("paths")
        main = package.get("main")
        exports = package.get("exports")
        if isinstance(exports, dict) and isinstance(exports.get("."), str):
            main = exports["."]
        elif isinstance(exports, str):
            main = exports
        base = options.get("baseUrl")
        name = package.get("name")
        found[directory] = JavaScriptRoot(
            directory,
            name if isinstance(name, str) else "",
            main if isinstance(main, str) else "index",
            base if isinstance(base, str) else ".",
            isinstance(base, str),
            tuple(
                (pattern, tuple(t for t in targets if isinstance(t, str)))
                for pattern, targets in sorted(paths.items() if isinstance(paths, dict) else ())
                if isinstance(targets, list)
            ),
        )
    return found


def _json(content: bytes) -> dict[str, object]:
    """A JSON object, with the comments and trailing commas that tsconfig files have; anything else is empty."""
    import json
    import re

    text = content.decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except ValueError:
        # each alternative matches wherever it begins, so that the time is linear
        text = re.sub(
            r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)',
            lambda m: m.group(1) or "",
            text,
            flags=re.S,
        )
        text = re.sub(r",(\s*+[}\]])", r"\1", text)
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    except RecursionError:
        return {}
    return document if isinstance(document, dict) else {}
