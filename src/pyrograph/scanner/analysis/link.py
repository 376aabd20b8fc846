"""Linking: all units become one program with one numbering, and names of modules become files.

Everything here is columnar: units are concatenated table by table and their references moved by offsets. What another
file defines is found by three resolvers, one for each ecosystem, which only look at paths and at the few manifest
files of the tree.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.schema import COLUMNS, DATA_REFERENCES, REFERENCES
from pyrograph.ir.unit import Unit
from pyrograph.model.problem import Problem

Ints = npt.NDArray[np.int32]
Table = dict[str, Ints]

MAX_TRIED = 500_000  # files that the targets of ``paths`` name, for all imports of a program: some ten seconds
MAX_NAME = 4_096  # characters of a module's name; no path is longer
SHARED_BELOW = 8  # negative numbers that ``Program.shared`` shares: "none" and the like

JAVASCRIPT_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """One file of the program."""

    path: str  # relative to the scan root, "/" separated
    language: str  # python | javascript | go
    first: int  # its values are first <= v < last
    last: int
    package: str


@dataclass(slots=True)
class Program:
    """All units under one numbering.

    ``tables[name][column]`` is one array over the whole program; what a column refers to is as in ``ir.schema``, with
                             program-wide numbers.
    ``keys`` of loads and stores: string, ``UNKNOWN_KEY``, or ``value_key(v)``.
    """

    tables: dict[str, Table]
    strings: list[str]
    files: tuple[LinkedFile, ...]
    string_ids: dict[str, int]
    file_of_value: Ints = field(repr=False)
    modules: Modules = field(repr=False)
    original: Ints = field(repr=False)  # of each value: what it is a copy of, or itself (``resolve.copies``)
    _numbers: dict[tuple[str, str], list[int]] = field(default_factory=dict, repr=False)
    _integers: npt.NDArray[np.object_] = field(
        default_factory=lambda: np.empty(0, object), repr=False
    )  # see ``shared``

    @property
    def num_values(self) -> int:
        return len(self.tables["values"]["op"])

    def numbers(self, table: str, column: str) -> list[int]:
        """A column as a list, to look up rows one by one; made once for all who ask, none of whom changes it."""
        known = self._numbers.get((table, column))
        if known is None:
            known = self._numbers[table, column] = self.shared(self.tables[table][column])
        return known

    def shared(self, column: npt.NDArray[np.integer]) -> list[int]:
        """``column.tolist()`` in which equal numbers are one object, here and in all other lists.

        An ``int`` takes 32 bytes and a reference 8. Of a scan of 600,000 lines, a third of the memory was integers.
        """
        size = max(self.num_values, len(self.strings)) + SHARED_BELOW
        if len(self._integers) < size:
            more = np.arange(len(self._integers) - SHARED_BELOW, size - SHARED_BELOW).astype(object)
            self._integers = np.concatenate([self._integers, more])
        inside = (column >= -SHARED_BELOW) & (column < size - SHARED_BELOW)
        if inside.all():
            found: list[int] = self._integers[column + SHARED_BELOW].tolist()
            return found
        numbers = column.astype(object)
        numbers[inside] = self._integers[column[inside] + SHARED_BELOW]
        mixed: list[int] = numbers.tolist()
        return mixed

    def files_of_values(self) -> list[int]:
        """``file_of_value`` as a list, as ``numbers`` gives columns."""
        known = self._numbers.get(("values", "file"))
        if known is None:
            known = []
            for number, file in enumerate(self.files):
                known += [number] * (file.last - file.first)
            known += self.file_of_value[len(known) :].tolist()  # of copies
            self._numbers["values", "file"] = known
        return known

    def append(self, tables: Mapping[str, Mapping[str, Sequence[Ints]]], original: Ints) -> None:
        """Put rows behind the tables: copies, of which ``original`` says for each new value what it is a copy of."""
        for name, columns in tables.items():
            for column, parts in columns.items():
                self.tables[name][column] = np.concatenate([self.tables[name][column], *parts])
        self.file_of_value = np.concatenate([self.file_of_value, self.file_of_value[original]])
        self.original = np.concatenate([self.original, original])
        self.forget_numbers()

    def forget_numbers(self) -> None:
        """Free the lists that ``numbers`` made."""
        self._numbers.clear()

    def intern(self, text: str) -> int:
        index = self.string_ids.get(text)
        if index is None:
            index = self.string_ids[text] = len(self.strings)
            self.strings.append(text)
        return index


def link(paths: Sequence[str], units: Sequence[Unit], manifests: Mapping[str, bytes]) -> Program:
    """Join ``units`` (one for each of ``paths``, in that order) into one program.

    ``manifests`` are the ``go.mod``, ``package.json`` and ``tsconfig.json`` files of the tree by path. Time and space
                  linear in the units.
    """
    string_ids: dict[str, int] = {}
    string_map = np.array(
        [string_ids.setdefault(text, len(string_ids)) for unit in units for text in unit.strings], np.int32
    )
    counts = {
        name: np.array([len(unit.tables[name]) // len(columns) for unit in units], np.int64)
        for name, columns in COLUMNS.items()
    }
    lengths = {**counts, "strings": np.array([len(unit.strings) for unit in units], np.int64)}
    offsets = {name: np.concatenate([[0], np.cumsum(length)]).astype(np.int32) for name, length in lengths.items()}

    tables: dict[str, Table] = {}
    for name, columns in COLUMNS.items():
        rows = np.frombuffer(b"".join([unit.tables[name] for unit in units]), np.int32).reshape(-1, len(columns))
        references = REFERENCES.get(name, {})
        bases = {
            reference: np.repeat(offsets[reference][:-1], counts[name])
            for reference in {"values" if each == "key" else each for each in references.values()}
        }
        if "key" in references.values():
            bases["strings"] = np.repeat(offsets["strings"][:-1], counts[name])
        tables[name] = {
            column: _moved(rows[:, position].copy(), references.get(column), bases, string_map)
            for position, column in enumerate(columns)
        }
    file_of_value = np.repeat(np.arange(len(units), dtype=np.int32), counts["values"])
    _move_data(tables["values"], file_of_value, offsets, string_map)
    value_offsets = offsets["values"]
    files = tuple(
        LinkedFile(path, unit.language, int(value_offsets[i]), int(value_offsets[i + 1]), unit.package)
        for i, (path, unit) in enumerate(zip(paths, units, strict=True))
    )
    original = np.arange(len(file_of_value), dtype=np.int32)
    return Program(tables, list(string_ids), files, string_ids, file_of_value, Modules(files, manifests), original)


def _moved(column: Ints, reference: str | None, bases: Mapping[str, Ints], string_map: Ints) -> Ints:
    """A column with its references in program-wide numbers; NONE stays NONE.

    ``bases`` say for each row what its unit's numbers of a table begin with.
    """
    if reference is None or not len(column):
        return column
    if reference == "strings":
        return _through(string_map, column, bases["strings"])
    if reference == "key":
        texts = _through(string_map, column, bases["strings"])
        return np.where(column >= 0, texts, np.where(column == NONE, NONE, column - bases["values"]))
    return np.where(column >= 0, column + bases[reference], column)


def _through(string_map: Ints, column: Ints, base: Ints) -> Ints:
    if not len(string_map):
        return column
    return np.where(column >= 0, string_map[np.where(column >= 0, column + base, 0)], column)


def _move_data(values: Table, file_of_value: Ints, offsets: Mapping[str, Ints], string_map: Ints) -> None:
    """``data`` in program-wide numbers: ``op`` says what of."""
    bases = np.zeros((max(Op) + 1, len(offsets["values"])), np.int32)
    text = np.zeros(max(Op) + 1, bool)
    for kind, reference in DATA_REFERENCES.items():
        bases[kind] = offsets[reference]
        text[kind] = reference == "strings"
    op, data = values["op"], values["data"]
    moved = np.where(data >= 0, data + bases[op, file_of_value], data)
    texts = np.flatnonzero(text[op] & (data >= 0))
    moved[texts] = string_map[moved[texts]]
    values["data"] = moved


class Modules:
    """Which file (or package) a module name means, seen from a file.

    A module of the program is named by a path: of a file without its suffix (Python, JavaScript), or of a directory
    (Go packages, Python packages). Nearest root wins, so that several projects may lie side by side.
    """

    def __init__(self, files: Sequence[LinkedFile], manifests: Mapping[str, bytes]) -> None:
        self.files = files
        self.by_path = {file.path: index for index, file in enumerate(files)}
        self.python: dict[str, int] = {}  # module path -> file
        self.directories: set[str] = set()
        self.packages: set[str] = set()  # directories with an __init__.py
        self.go: dict[str, list[int]] = {}  # directory -> files
        for index, file in enumerate(files):
            directory, name = posixpath.split(file.path)
            if file.language == "python":
                stem = name.rpartition(".")[0]
                if stem == "__init__":
                    self.packages.add(directory)
                    self.python.setdefault(directory, index)
                else:
                    self.python.setdefault(posixpath.join(directory, stem), index)
                while directory not in self.directories:
                    self.directories.add(directory)
                    directory = posixpath.dirname(directory)
            elif (file.language == "go" and not name.endswith("_test.go")) or file.language == "go":
                self.go.setdefault(directory, []).append(index)
        self.go_roots = _go_roots(manifests)
        modules = [(root.module, directory) for directory, root in self.go_roots.items()]
        self._longest_roots = sorted(modules, key=lambda pair: (-len(pair[0]), pair))
        self._go_found: dict[tuple[str, str], str | None] = {}
        self._packages: dict[str, str] = {}  # directory of Go -> the name in its package clauses
        self._roots_by_module: dict[str, list[tuple[int, str]]] = {}  # module -> its roots, with their order
        for order, (module, root) in enumerate(self._longest_roots):
            self._roots_by_module.setdefault(module, []).append((order, root))
        self._replaced: dict[str, dict[str, list[tuple[int, str]]]] = {}  # go.mod's directory -> prefix -> targets
        for directory, root_of in self.go_roots.items():
            by_prefix: dict[str, list[tuple[int, str]]] = {}
            for order, (prefix, target) in enumerate(root_of.replaced):
                by_prefix.setdefault(prefix, []).append((order, target))
            self._replaced[directory] = by_prefix
        self.javascript_roots = _javascript_roots(manifests)
        self._roots_by_name: dict[str, list[tuple[int, JavaScriptRoot]]] = {}
        for order, package in enumerate(self.javascript_roots.values()):
            if package.name:
                self._roots_by_name.setdefault(package.name, []).append((order, package))
        self._patterns: dict[str, _Patterns] = {}  # of ``paths``, by directory
        self.tried = 0  # paths that ``paths`` name
        self.problems: list[Problem] = []
        self._folders = [posixpath.dirname(file.path) for file in files]
        # files of one directory mean the same by a name
        self._resolved: dict[tuple[str, str, str, int], str | None] = {}
        self._above: dict[str, str] = {}  # directory -> the nearest one above it that is no Python package
        self._absolute: dict[tuple[str, str], str | None] = {}  # the same for those below one such directory

    def resolve(self, file: int, module: str, level: int) -> str | None:
        """The program's module that ``module`` names in ``file``, or None: it is a library."""
        if len(module) > MAX_NAME:
            return None
        language, directory = self.files[file].language, self._folders[file]
        key = (language, directory, module, level)
        if key not in self._resolved:
            if language == "python":
                self._resolved[key] = self._python(directory, module, level)
            elif language == "go":
                self._resolved[key] = self._go(file, module)
            else:
                self._resolved[key] = self._javascript(file, module)
        return self._resolved[key]

    def members(self, module: str, language: str) -> list[int]:
        """The files whose top-level names are the module's."""
        if language == "go":
            return self.go.get(module, [])
        if language == "python":
            index = self.python.get(module)
            return [] if index is None else [index]
        index = self.by_path.get(module)
        return [] if index is None else [index]

    def submodule(self, module: str, name: str) -> str | None:
        """``module.name`` where that is a Python module or package."""
        path = posixpath.join(module, name)
        return path if path in self.python or path in self.directories else None

    def _python(self, directory: str, module: str, level: int) -> str | None:
        if level:
            for _ in range(level - 1):
                directory = posixpath.dirname(directory)
            below = module.replace(".", "/")
            path = posixpath.normpath(posixpath.join(directory, below)) if below else directory
            return path if path in self.python or path in self.directories else None
        above = self._above.get(directory)
        if above is None:
            above = directory
            while above in self.packages and above:
                above = posixpath.dirname(above)
            self._above[directory] = above
        key = (above, module)
        if key not in self._absolute:
            self._absolute[key] = self._absolute_python(above, module)
        return self._absolute[key]

    def _absolute_python(self, directory: str, module: str) -> str | None:
        """What ``module`` means below ``directory``, or in the nearest one above where it means something."""
        below = module.replace(".", "/")
        while True:
            for root in (directory, posixpath.join(directory, "src")):
                path = posixpath.join(root, below)
                first = posixpath.join(root, below.partition("/")[0])
                if path in self.python or (
                    path in self.directories and (first in self.packages or first in self.directories)
                ):
                    return path
            if not directory:
                return None
            directory = posixpath.dirname(directory)

    def _javascript(self, file: int, module: str) -> str | None:
        directory = posixpath.dirname(self.files[file].path)
        if module.startswith("."):
            return self.javascript_file(posixpath.normpath(posixpath.join(directory, module)))
        while True:
            root = self.javascript_roots.get(directory)
            if root is not None:
                found = self._through_root(root, module)
                if found is not None:
                    return found
            if not directory:
                break
            directory = posixpath.dirname(directory)
        named = [each for prefix in _prefixes(module) for each in self._roots_by_name.get(prefix, ())]
        for _, root in sorted(named, key=lambda each: each[0]):
            below = module[len(root.name) :].lstrip("/")
            target = posixpath.join(root.directory, below or root.main)
            found = self.javascript_file(posixpath.normpath(target)) or self.javascript_file(
                posixpath.normpath(posixpath.join(root.directory, "src", below or "index"))
            )
            if found is not None:
                return found
        return None

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
                    self._tell_tried(root)
                    break
                path = posixpath.normpath(posixpath.join(root.directory, root.base, target.replace("*", middle)))
                found = self.javascript_file(path)
                if found is not None:
                    return found
        if root.has_base:
            return self.javascript_file(posixpath.normpath(posixpath.join(root.directory, root.base, module)))
        return None

    def _tell_tried(self, root: JavaScriptRoot) -> None:
        message = (
            f"of the files that `paths` name only {MAX_TRIED:,} are looked for; some imports are taken for libraries"
        )
        problem = Problem("limit", posixpath.join(root.directory, "tsconfig.json"), 0, message)
        if problem not in self.problems:
            self.problems.append(problem)

    def javascript_file(self, path: str) -> str | None:
        if path in self.by_path and self.files[self.by_path[path]].language == "javascript":
            return path
        stem, dot, suffix = path.rpartition(".")
        stems = [path, stem] if dot and suffix in ("js", "jsx", "mjs", "cjs") else [path]
        for base in stems:
            for suffix in JAVASCRIPT_SUFFIXES:
                if base + suffix in self.by_path:
                    return base + suffix
        for suffix in JAVASCRIPT_SUFFIXES:
            index = posixpath.join(path, "index" + suffix)
            if index in self.by_path:
                return index
        return None

    def _go(self, file: int, module: str) -> str | None:
        """The directory of a package: what the nearest go.mod says, then any other, then the path's own end."""
        name = self.files[file].path
        directory = posixpath.dirname(name)
        key = (directory, module)
        if key not in self._go_found:
            self._go_found[key] = self._find_go(directory, module)
        return self._go_found[key]

    def _find_go(self, directory: str, module: str) -> str | None:
        here = directory
        while here not in self.go_roots and here:
            here = posixpath.dirname(here)
        nearest = self.go_roots.get(here)
        if nearest is not None:
            replaced = self._replaced[here]
            targets = [(*each, prefix) for prefix in _prefixes(module) for each in replaced.get(prefix, ())]
            for _, target, prefix in sorted(targets):
                found = self._below(prefix, posixpath.join(here, target), module)
                if found is not None:
                    return found
            found = self._below(nearest.module, here, module)
            if found is not None:
                return found
        roots = [(*each, name) for name in _prefixes(module) for each in self._roots_by_module.get(name, ())]
        for _, root, name in sorted(roots):
            found = self._below(name, root, module)
            if found is not None:
                return found
        return self._by_end(module) if nearest is None else None

    def _below(self, prefix: str, root: str, module: str) -> str | None:
        """The package ``module`` where ``prefix`` is the module in ``root``."""
        if not prefix or not (module == prefix or module.startswith(prefix + "/")):
            return None
        path = posixpath.normpath(posixpath.join(root, module[len(prefix) :].lstrip("/")))
        path = "" if path == "." else path
        return path if path in self.go else None

    def _by_end(self, module: str) -> str | None:
        """Without a go.mod the tree lies somewhere below a workspace: the import path ends with the package's path.

        A path of one name is believed only below a host (``example.org/x/util``), because libraries of the language
        have such names.
        """
        parts = module.split("/")
        for start in range(1, len(parts)):
            path = "/".join(parts[start:])
            if path in self.go and (start < len(parts) - 1 or "." in parts[0]):
                return path
        return None

    def package_of(self, directory: str) -> str:
        """The name in the package clauses of a directory, those of tests left out where there are others."""
        known = self._packages.get(directory)
        if known is None:
            names = [self.files[index].package for index in self.go.get(directory, ())]
            known = next((name for name in names if not name.endswith("_test")), names[0] if names else "")
            self._packages[directory] = known
        return known


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


def _prefixes(module: str) -> list[str]:
    """``a``, ``a/b`` and ``a/b/c`` of ``a/b/c``."""
    return [module[:at] for at, character in enumerate(module) if character == "/"] + [module]


@dataclass(frozen=True, slots=True)
class GoRoot:
    """What a go.mod says: the module's path, and modules that lie elsewhere in the tree (prefix, relative path)."""

    module: str
    replaced: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JavaScriptRoot:
    """What a directory's package.json and tsconfig.json say about names."""

    directory: str
    name: str
    main: str
    base: str
    has_base: bool
    paths: tuple[tuple[str, tuple[str, ...]], ...]


def _go_roots(manifests: Mapping[str, bytes]) -> dict[str, GoRoot]:
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


def _javascript_roots(manifests: Mapping[str, bytes]) -> dict[str, JavaScriptRoot]:
    found: dict[str, JavaScriptRoot] = {}
    directories = sorted({posixpath.dirname(p) for p in manifests if posixpath.basename(p) != "go.mod"})
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


__all__ = ["GoRoot", "JavaScriptRoot", "LinkedFile", "Modules", "Op", "Program", "link"]
