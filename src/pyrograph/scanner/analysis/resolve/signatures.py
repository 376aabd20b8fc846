"""The declared types of methods: a type implements an interface if its methods take and return what the interface says.

Names alone say little where every service of a program has ``GetAll`` and ``Update``. Types are compared as texts in
prefix notation, ``map string * example.com/app.User``, because the types of most parameters are no classes of the
program. Two types are different only if no other name can make them the same:

* an alias may be another name of anything, and libraries are not read, so a name counts only if the program declares a
  type of this name in this package, and not as an alias;
* two such names are different types if they are different, or of different packages;
* such a name is no pointer, slice, map or predeclared type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyrograph.ir.codes import ALIAS, NONE, SIDES, TYPES, UNKNOWN_TYPE
from pyrograph.ir.packed import subjects
from pyrograph.scanner.analysis.resolve.resolution import CLASS
from pyrograph.scanner.analysis.resolve.solver import Solver

_PARTS: Final = {"*": 1, "slice_type": 1, "array_type": 1, "chan": 1, "...": 1, "map": 2}  # types that follow each word

Method = tuple[str, str]  # the folder of its file, its types


class Signatures:
    """The table of signatures by class and name, and the types that the program declares."""

    def __init__(self, solver: Solver) -> None:
        self.of: dict[tuple[int, int], list[Method]] = {}  # (class, name) -> its signatures: more in files for systems
        self.declared: dict[str, set[str]] = {}  # name of a type -> folders of packages that declare it
        program, files = solver.program, solver.program.files
        alias = program.string_ids.get(ALIAS, NONE)
        aliases: set[int] = set()
        table = program.tables["signatures"]
        rows = zip(table["owner"].tolist(), table["name"].tolist(), table["types"].tolist(), strict=True)
        for value, name, types in rows:
            owners = subjects(solver.points.states[solver.points.reps[value]], CLASS)
            if name == alias:
                aliases.update(owners)
                continue
            folder = files[int(solver.files.file_of[value])].path.rpartition("/")[0]
            for owner in owners:
                self.of.setdefault((owner, name), []).append((folder, solver.strings[types]))
        owners_table = program.tables["owners"]
        for owner, (value, name) in enumerate(
            zip(owners_table["value"].tolist(), owners_table["name"].tolist(), strict=True)
        ):
            if owner not in aliases and name != NONE:
                folder = files[int(solver.files.file_of[value])].path.rpartition("/")[0]
                self.declared.setdefault(solver.strings[name], set()).add(folder)

    def place(self, folder: str, word: str) -> tuple[str, str] | None:
        """The folder and the name of a declared type of the program; None of any other word."""
        package, dot, name = word.rpartition(".")
        folders = self.declared.get(name) if dot else None
        if not folders:
            return None
        if not package:
            return (folder, name) if folder in folders else None
        found = [each for each in folders if package == each or package.endswith(f"/{each}")]
        return (max(found, key=len), name) if found else None

    def differ(self, one: Method, two: Method) -> bool:
        """Whether two methods cannot have the same type."""
        sides = zip(one[1].split(SIDES), two[1].split(SIDES), strict=True)
        for left, right in sides:
            ours, theirs = left.split(TYPES), right.split(TYPES)
            if len(ours) != len(theirs):
                return True
            for each, other in zip(ours, theirs, strict=True):
                if self._types_differ(one[0], each.split(), two[0], other.split()):
                    return True
        return False

    def _types_differ(self, folder: str, one: list[str], other_folder: str, other: list[str]) -> bool:
        """Whether two types in prefix notation are different. Linear in their words."""
        at = to = 0
        while at < len(one) and to < len(other):
            left, right = one[at], other[to]
            ours, theirs = self.place(folder, left), self.place(other_folder, right)
            if ours is not None or theirs is not None:
                if not (ours == theirs or _may_be_anything(left, ours) or _may_be_anything(right, theirs)):
                    return True
            elif left != right and not _may_be_anything(left, None) and not _may_be_anything(right, None):
                return True
            if left == right or (ours is not None and ours == theirs):
                at, to = at + 1, to + 1
            else:
                at, to = _after(one, at), _after(other, to)
        return (at < len(one)) != (to < len(other))  # one has no type, and the other has


def _may_be_anything(word: str, place: tuple[str, str] | None) -> bool:
    """Whether a word may stand for any type: what is unknown, and a name that may be an alias."""
    return word == UNKNOWN_TYPE or (place is None and "." in word and word != "...")


def _after(words: list[str], at: int) -> int:
    """Where the type that begins at ``at`` ends."""
    open_types = 1
    while open_types and at < len(words):
        open_types += _PARTS.get(words[at], 0) - 1
        at += 1
    return at


def has_signatures(solver: Solver, owner: int, interface: int, names: Iterable[int]) -> bool:
    """Whether the methods of a type may have the types that an interface declares for them."""
    if not len(solver.program.tables["signatures"]["owner"]):
        return True
    signatures = solver.guesses.signatures
    if not isinstance(signatures, Signatures):
        signatures = solver.guesses.signatures = Signatures(solver)
    for name in names:
        asked, given = (_nearest(solver, signatures, each, name) for each in (interface, owner))
        if asked and given and all([signatures.differ(one, two) for one in asked for two in given]):
            return False
    return True


def _nearest(solver: Solver, signatures: Signatures, owner: int, name: int) -> list[Method]:
    """The signatures of a method in the class, or in the nearest of its lineage that declares it."""
    for each in solver.classes.lineage(owner):
        found = signatures.of.get((each, name))
        if found:
            return found
    return []
