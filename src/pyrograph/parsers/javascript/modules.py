"""Module resolution: relative paths, what manifests say (``manifests.py``), packages of the tree by name, and customs.

A module is named by the path of its file. The manifests of the directories above the importing file are asked from the
nearest one upwards, so that several projects may lie side by side. Names that no manifest of the tree explains are
looked up as build tools are usually configured: in code, or in files that a framework writes when it builds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from pyrograph.model.problem import Problem
from pyrograph.parsers.javascript.manifests import JavaScriptRoot, Patterns, read_roots, sources_of, worker_folders
from pyrograph.parsers.javascript.pages import is_page
from pyrograph.parsers.language import ModuleFile, ModuleNames, prefixes
from pyrograph.policy.limits.resolution import MAX_TRIED

SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".vue")  # tried in this order

# Beginnings of names that no package can have -> folders of the package in which the rest is looked up, in this order.
CUSTOMS = {
    "@/": ("src", "", "app"),
    "~/": ("app", "src", ""),
    "@@/": ("", "src"),
    "~~/": ("", "src"),
    "$lib/": ("src/lib",),
    "#/": ("src", ""),
}
PACKAGE_NAME = re.compile(r"((?:@[\w.~-]+/)?[A-Za-z0-9][\w.-]*)(?:/|$)")  # a scope is not empty, as that of "@/a" is
RUNTIME_MODULES = frozenset(  # modules of Node that are imported without ``node:``, too
    re.findall(
        r"\w+",
        """
        assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
        events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
        stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib
        """,
    )
)
BARE = ("", "src")  # the same for names without such a beginning, whose first part is no package that is depended on


class JavaScriptModules(ModuleNames):
    """A module is named by its file's path."""

    def __init__(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> None:
        super().__init__(files, manifests)
        self.by_path = {file.path: file.number for file in files if not is_page(file.path)}
        self.roots = read_roots(manifests)
        self._workers = worker_folders(manifests)
        self._roots_by_name: dict[str, list[tuple[int, JavaScriptRoot]]] = {}  # package -> its roots, with their order
        for order, package in enumerate(self.roots.values()):
            if package.name:
                self._roots_by_name.setdefault(package.name, []).append((order, package))
        self._patterns: dict[tuple[str, bool], _Patterns] = {}  # by directory; of ``paths``, or of ``exports``
        self._offered: dict[str, frozenset[int]] | None = None
        self.tried = 0  # files that ``paths`` named so far

    def resolve(self, directory: str, module: str, level: int) -> str | None:
        if module.startswith("."):
            return self._relative(posixpath.normpath(posixpath.join(directory, module)))
        start = directory
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
            found = self._through_patterns(root, root.exports, "./" + below) if below else None
            if found is not None:
                return found
            found = self._of_package(root, below)
            if found is not None:
                return found
        return self._by_custom(start, module)

    def _of_package(self, root: JavaScriptRoot, below: str) -> str | None:
        """A file of a package, or its main one: as it is named, in ``src``, or the source of what is compiled."""
        if below:
            names = (below, f"src/{below}", *sources_of(below))
        else:
            names = (root.main, "src/index", *sources_of(root.main))
        for name in names:
            found = self.file(posixpath.normpath(posixpath.join(root.directory, name)))
            if found is not None:
                return found
        return None

    def _by_custom(self, directory: str, module: str) -> str | None:
        """The file that a name means as build tools are usually configured, in the nearest package that has it."""
        custom = next((each for each in CUSTOMS if module.startswith(each)), "")
        folders = CUSTOMS.get(custom, BARE)
        rest = module[len(custom) :]
        if not custom and ("/" not in module or module[0] in "@#$~/" or ":" in module):
            return None
        is_scanned_alone = bool(custom) and not self._has_package_above(directory)
        while True:
            root = self.roots.get(directory)
            is_package = root is not None and root.is_package
            if is_package or is_scanned_alone:
                if root is not None and not custom and module.partition("/")[0] in root.declared:
                    return None
                for folder in folders:
                    found = self.file(posixpath.normpath(posixpath.join(directory, folder, rest)))
                    if found is not None:
                        return found
            if not directory:
                return None
            directory = posixpath.dirname(directory)

    def _has_package_above(self, directory: str) -> bool:
        """Whether a package.json lies in a directory or above it. None does where a part of a package is scanned."""
        above = {directory[:index] for index, character in enumerate(directory) if character == "/"} | {"", directory}
        return any(root.is_package for each in above if (root := self.roots.get(each)) is not None)

    def folder_of_package(self, directory: str) -> str:
        """The nearest directory with a package.json, from this one on; "" if there is none."""
        while directory and not ((root := self.roots.get(directory)) is not None and root.is_package):
            directory = posixpath.dirname(directory)  # shorter each time
        return directory

    def requirements(self, library: str) -> Sequence[str]:
        return [root.declared[library] for root in self.roots.values() if library in root.declared]

    def is_worker(self, directory: str) -> bool:
        """Whether the nearest package, or the nearest configuration of a worker, is that of a worker."""
        while directory not in self._workers:
            root = self.roots.get(directory)
            if not directory or (root is not None and root.is_package):
                return False
            directory = posixpath.dirname(directory)
        return True

    def _relative(self, path: str) -> str | None:
        """A file, or the main file of a directory with a package.json, or else the directory's index."""
        found = self.file(path)
        root = self.roots.get(path)
        if found is None and root is None:
            return self._uncompiled(path)
        if root is None or (found is not None and posixpath.dirname(found) != path):
            return found
        return self.file(posixpath.normpath(posixpath.join(path, root.main))) or found

    def _uncompiled(self, path: str) -> str | None:
        """The source of a compiled file of the nearest package above: ``require("../dist/cli")`` of a start script."""
        directory = self.folder_of_package(posixpath.dirname(path))
        below = path[len(directory) :].lstrip("/")
        for name in sources_of(below):
            found = self.file(posixpath.normpath(posixpath.join(directory, name)))
            if found is not None:
                return found
        return None

    def _through_root(self, root: JavaScriptRoot, module: str) -> str | None:
        found = self._through_patterns(root, root.paths, module)
        if found is None and root.base is not None:
            found = self.file(posixpath.normpath(posixpath.join(root.base, module)))
        return found

    def _through_patterns(self, root: JavaScriptRoot, paths: Patterns, module: str) -> str | None:
        key = (root.directory, paths is root.exports)
        patterns = self._patterns.get(key)
        if patterns is None:
            patterns = self._patterns[key] = _Patterns(paths)
        for order in patterns.matching(module):
            pattern, targets = paths[order]
            head, star, tail = pattern.partition("*")
            middle = module[len(head) : len(module) - len(tail)] if star else ""
            for target in targets:
                self.tried += 1
                if self.tried > MAX_TRIED:
                    self._report_tried(root)
                    break
                found = self.file(posixpath.normpath(target.replace("*", middle)))
                if found is not None:
                    return found
        return None

    def _report_tried(self, root: JavaScriptRoot) -> None:
        message = (
            f"`paths` or `exports` name too many files: only {MAX_TRIED:,} were looked up; some imports are unknown"
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

    def offered_files(self) -> Mapping[str, frozenset[int]]:
        """Directory of a package.json -> the file that its name means, and those that it exports under names below it.

        Of several builds of one file, the first that is there counts. A directory without such a file is left out.
        """
        if self._offered is None:
            self._offered = {}
            for directory, root in self.roots.items():
                main = next(self._files(directory, (*root.entry, "index")), None)
                further = {file for _, targets in root.exports for file in self._exported(root, targets)}
                if main is not None:
                    further.add(main)
                if further:
                    self._offered[directory] = frozenset(further)
        return self._offered

    def _files(self, directory: str, names: Sequence[str]) -> Iterator[int]:
        for name in names:
            file = self.file(posixpath.normpath(posixpath.join(directory, name))) if name else None
            if file is not None:
                yield self.by_path[file]

    def _exported(self, root: JavaScriptRoot, targets: Sequence[str]) -> Iterator[int]:
        """The first of the files that are there, or all that the first pattern with a star means."""
        for target in targets:
            head, star, tail = posixpath.normpath(target).partition("*")
            if star:
                self.tried += len(self.by_path)
                if self.tried > MAX_TRIED:
                    self._report_tried(root)
                    return
                below = [path for path in self.by_path if path.startswith(head) and path.endswith(tail)]
                found = [self.by_path[path] for path in below]
            else:
                found = list(self._files("", (target,)))[:1]
            if found:
                yield from found
                return


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
