"""Linking: all units become one program with one numbering, and names of modules become files.

Everything here is columnar: units are concatenated table by table and their references moved by offsets. What another
file defines is found by the module resolution of its language (``parsers.language.ModuleNames``), which only looks at
paths and at the few manifest files of the tree.
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
from pyrograph.parsers import language_of
from pyrograph.parsers.language import ModuleFile, ModuleNames
from pyrograph.policy.limits.resolution import MAX_KEPT, MAX_MODULE_NAME

Ints = npt.NDArray[np.int32]
Table = dict[str, Ints]

INTERNED_BELOW = 8  # negative numbers that ``Program.interned`` has one object each for: "none" and the like


@dataclass(frozen=True, slots=True)
class LinkedFile:
    """One file of the program."""

    path: str  # relative to the scan root, "/" separated
    language: str  # the id of its language: TypeScript is JavaScript
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
    original: Ints = field(repr=False)  # of each value: what it is a copy of, or itself (``resolve.cloning``)
    _numbers: dict[tuple[str, str], list[int]] = field(default_factory=dict, repr=False)
    _integers: npt.NDArray[np.object_] = field(
        default_factory=lambda: np.empty(0, object), repr=False
    )  # see ``interned``

    @property
    def num_values(self) -> int:
        return len(self.tables["values"]["op"])

    def numbers(self, table: str, column: str) -> list[int]:
        """A column as a list, to look up rows one by one; made once for all who ask, none of whom changes it."""
        known = self._numbers.get((table, column))
        if known is None:
            known = self._numbers[table, column] = self.interned(self.tables[table][column])
        return known

    def interned(self, column: npt.NDArray[np.integer]) -> list[int]:
        """``column.tolist()`` in which equal numbers are one object, here and in all other lists.

        An ``int`` takes 32 bytes and a reference 8. Of a scan of 600,000 lines, a third of the memory was integers.
        Sharing takes about three times as long as ``tolist``, so that only programs of more than ``MAX_KEPT``
        values do it.
        """
        if self.num_values <= MAX_KEPT:
            plain: list[int] = column.tolist()
            return plain
        size = max(self.num_values, len(self.strings)) + INTERNED_BELOW
        if len(self._integers) < size:
            more = np.arange(len(self._integers) - INTERNED_BELOW, size - INTERNED_BELOW).astype(object)
            self._integers = np.concatenate([self._integers, more])
        inside = (column >= -INTERNED_BELOW) & (column < size - INTERNED_BELOW)
        if inside.all():
            found: list[int] = self._integers[column + INTERNED_BELOW].tolist()
            return found
        numbers = column.astype(object)
        numbers[inside] = self._integers[column[inside] + INTERNED_BELOW]
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

    def names_of_bases(self, rep: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
        """By class, the last name of each base (its number) and the base's representative, as ``rep`` gives it."""
        found: dict[int, list[tuple[int, int]]] = {}
        bases = self.tables["bases"]
        for owner, value in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
            base = int(rep[value])
            name = self.last_name(base)
            if name >= 0:
                found.setdefault(owner, []).append((name, base))
        return found

    def files_imported(self, value: int) -> Sequence[int]:
        """The files of the module that an import names; () for a library, and for a module that is not found."""
        imports, row = self.tables["imports"], int(self.tables["values"]["data"][value])
        file = int(self.file_of_value[value])
        module = self.modules.resolve(file, self.strings[imports["module"][row]], int(imports["level"][row]))
        return self.modules.members(module, self.files[file].language) if module is not None else ()

    def last_name(self, value: int) -> int:
        """The last name (its number) of a member, a class, an import or a global; negative for other values."""
        kind, row = Op(int(self.tables["values"]["op"][value])), int(self.tables["values"]["data"][value])
        table, column = {
            Op.LOAD: ("loads", "key"), Op.CLASS: ("owners", "name"), Op.IMPORT: ("imports", "name"),
        }.get(kind, ("", ""))  # fmt: skip
        if table:
            return int(self.tables[table][column][row])
        return row if kind == Op.GLOBAL else NONE

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

    ``manifests`` are the files of the tree by path that ``Language.manifests`` name. Time and space linear in the
    units.
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
    """Which file (or package) a module's name means, seen from a file: what the file's language says."""

    def __init__(self, files: Sequence[LinkedFile], manifests: Mapping[str, bytes]) -> None:
        self.files = files
        self.of_file = [ModuleFile(number, file.path, file.package) for number, file in enumerate(files)]
        by_language: dict[str, list[ModuleFile]] = {}
        for file, module_file in zip(files, self.of_file, strict=True):
            by_language.setdefault(file.language, []).append(module_file)
        self.by_language: dict[str, ModuleNames] = {
            name: language_of(name).modules(own, manifests) for name, own in by_language.items()
        }
        self._folders = [posixpath.dirname(file.path) for file in files]
        # (language, directory, module, level) -> module: files of one directory mean the same by a name
        self._resolved: dict[tuple[str, str, str, int], str | None] = {}

    @property
    def problems(self) -> list[Problem]:
        """What was left out, of all languages."""
        return [problem for each in self.by_language.values() for problem in each.problems]

    def resolve(self, file: int, module: str, level: int) -> str | None:
        """The program's module that ``module`` names in ``file``, or None: it is a library."""
        if len(module) > MAX_MODULE_NAME:
            return None
        language, directory = self.files[file].language, self._folders[file]
        key = (language, directory, module, level)
        if key not in self._resolved:
            self._resolved[key] = self.by_language[language].resolve(directory, module, level)
        return self._resolved[key]

    def elsewhere(self, file: int, module: str) -> str | None:
        """The program's module that an absolute name, which ``resolve`` does not find, most likely means there."""
        if len(module) > MAX_MODULE_NAME:
            return None
        names = self.by_language[self.files[file].language]
        found = names.elsewhere(self._folders[file], module)
        return found if found is not None and file not in names.members(found) else None

    def members(self, module: str, language: str) -> Sequence[int]:
        """The files whose top-level names are the module's."""
        return self.by_language[language].members(module)

    def submodule(self, module: str, name: str, language: str) -> str | None:
        """The module ``name`` below ``module``, in languages in which that is a member of its package."""
        return self.by_language[language].submodule(module, name)

    def package_of(self, module: str, language: str) -> str:
        """The name under which an import without a name of its own binds ``module``, or ""."""
        return self.by_language[language].package_of(module)

    def folder_of_package(self, file: int) -> str:
        """The nearest folder above a file with a manifest of a package; "" if there is none."""
        return self.by_language[self.files[file].language].folder_of_package(self._folders[file])

    def is_below(self, library: str, version: str, language: str) -> bool:
        """Whether manifests demand a library, and each demands a version below this one."""
        from pyrograph.scanner.analysis.versions import is_below

        demanded = self.by_language[language].requirements(library)
        return bool(demanded) and all(is_below(each, version) for each in demanded)

    def is_worker(self, file: int) -> bool:
        """Whether a file runs as a worker of a content network."""
        return self.by_language[self.files[file].language].is_worker(self._folders[file])


__all__ = ["LinkedFile", "Modules", "Op", "Program", "link"]
