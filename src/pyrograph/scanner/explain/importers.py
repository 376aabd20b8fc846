"""Which files of a program import which, and which files load others by their folder."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import distinct
from pyrograph.parsers import language_of
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.loading import BY_TEXT, LISTING
from pyrograph.scanner.analysis.link import Program

SEGMENT: Final = re.compile(r"[\\/]+")


class Importers:
    """Answers for one program. The first question costs a pass over its imports."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.paths = [file.path for file in program.files]
        self.is_test = [
            TEST_PATHS.search(file.path) is not None or language_of(file.language).is_test_file(file.path)
            for file in program.files
        ]

    @cached_property
    def of_file(self) -> dict[int, set[int]]:
        """By file: the other files, tests apart, that import its module. Those of packages of many files have none."""
        program, found = self.program, dict[int, set[int]]()
        imports, strings, files = program.tables["imports"], program.strings, program.files_of_values()
        values = program.tables["values"]
        seen: set[tuple[int, int, int, int]] = set()
        for value in np.flatnonzero(values["op"] == int(Op.IMPORT)).tolist():
            row, file = int(values["data"][value]), files[value]
            module, name, level = int(imports["module"][row]), int(imports["name"][row]), int(imports["level"][row])
            language = program.files[file].language
            traits = language_of(language).traits.modules
            if self.is_test[file] or traits.directory_is_module or (file, module, name, level) in seen:
                continue
            seen.add((file, module, name, level))
            target = program.modules.resolve(file, strings[module], level)
            if target is None:
                target = program.modules.elsewhere(file, strings[module])
            if target is None:
                continue
            targets = list(program.modules.members(target, language))
            below = program.modules.submodule(target, strings[name], language) if name >= 0 else None
            if below is not None:
                targets += program.modules.members(below, language)
            for each in targets:
                if each != file:
                    found.setdefault(each, set()).add(file)
        for file, text in self.relative_texts:
            beside = program.modules.resolve(file, text, 0)
            for each in program.modules.members(beside, program.files[file].language) if beside is not None else ():
                if each != file:
                    found.setdefault(each, set()).add(file)
        return found

    @cached_property
    def imports_of(self) -> dict[int, set[int]]:
        """By file: the other files that it imports, as ``of_file`` knows them."""
        found: dict[int, set[int]] = {}
        for file, importers in self.of_file.items():
            for each in importers:
                found.setdefault(each, set()).add(file)
        return found

    @cached_property
    def relative_texts(self) -> list[tuple[int, str]]:
        """Texts that begin as the name of a module beside a file, with the file: ``load("./users")``. No tests."""
        values, strings, files = self.program.tables["values"], self.program.strings, self.program.file_of_value
        rows = np.flatnonzero(values["op"] == int(Op.CONST))
        texts = [each for each in distinct(values["data"][rows]).tolist() if strings[each].startswith(("'./", "'../"))]
        rows = rows[np.isin(values["data"][rows], texts)]
        places = zip(files[rows].tolist(), values["data"][rows].tolist(), strict=True)
        return [(file, strings[text][1:]) for file, text in sorted(set(places)) if not self.is_test[file]]

    def is_listed(self, path: str, language: str, *, inside: bool = True) -> bool:
        """Whether code of a language may load the files of a folder, ``path``, by the folder: it lists folders, and
        stands in this one, unless not ``inside``, or in one around it, or writes a name of it.
        """
        names = set(path.split("/"))
        for file, written in self.listing.items():
            if self.program.files[file].language != language:
                continue
            folder = posixpath.dirname(self.paths[file])
            if not inside and f"{folder}/".startswith(f"{path}/"):
                continue
            if not folder or f"{path}/".startswith(f"{folder}/") or not names.isdisjoint(written):
                return True
        begun = [(self.paths[file], text) for file, text in self.relative_texts if text.endswith("/")]
        around = [posixpath.normpath(posixpath.join(posixpath.dirname(here), text)) for here, text in begun]
        return any(f"{path}/".startswith(f"{each}/") for each in around)  # of ``require("./routes/" + name)``

    @cached_property
    def listing(self) -> dict[int, set[str]]:
        """Files, tests apart, that list folders: the segments of paths that their texts have."""
        program, files = self.program, self.program.file_of_value
        chosen = {int(files[value]) for value in [*self.reading(LISTING), *self.contexts()]}
        found: dict[int, set[str]] = {each: set() for each in chosen if not self.is_test[each]}
        values = program.tables["values"]
        for value in np.flatnonzero(values["op"] == int(Op.CONST)).tolist():
            own = found.get(int(files[value]))
            if own is not None:
                own.update(SEGMENT.split(program.strings[int(values["data"][value])][1:]))
        return found

    def contexts(self) -> list[int]:
        """The values that read ``require.context``, by which a bundler loads the modules of a folder."""
        ids, values, loads = self.program.string_ids, self.program.tables["values"], self.program.tables["loads"]
        rows = np.flatnonzero(values["op"] == int(Op.LOAD))
        rows = rows[loads["key"][values["data"][rows]] == ids.get("context", NONE)]
        objects = loads["object"][values["data"][rows]]
        is_require = (values["op"][objects] == int(Op.GLOBAL)) & (values["data"][objects] == ids.get("require", NONE))
        found: list[int] = rows[is_require].tolist()
        return found

    @cached_property
    def imports_by_text(self) -> bool:
        """Whether code that is no test imports modules whose name is a text."""
        pattern = re.compile("|".join(f"^{each}$" for each in sorted(BY_TEXT)))
        return any(not self.is_test[int(self.program.file_of_value[each])] for each in self.reading(pattern))

    def reading(self, pattern: re.Pattern[str]) -> list[int]:
        """The values that read a name that ``pattern`` finds: a global, a member, or something of a module."""
        tables, strings = self.program.tables, self.program.strings
        values, found = tables["values"], list[int]()
        for op, table, column in (
            (Op.GLOBAL, "", ""),
            (Op.LOAD, "loads", "key"),
            (Op.IMPORT, "imports", "name"),
            (Op.IMPORT, "imports", "module"),
        ):
            rows = np.flatnonzero(values["op"] == int(op))
            names = values["data"][rows]
            if table:
                names = tables[table][column][names]
            chosen = [each for each in distinct(names).tolist() if each >= 0 and pattern.search(strings[each])]
            found += rows[np.isin(names, chosen)].tolist()
        return found


def folders(path: str) -> list[str]:
    """The folders that a file lies in, innermost first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:last]) for last in range(len(parts), 0, -1)]
