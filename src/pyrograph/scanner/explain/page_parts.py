"""Parts of a page's path that the name of its file states: ``shop`` of ``pages/[shop]/orders.tsx``.

A router may keep them in one table with the parameters of the query, so that the name decides. It decides only where
all pages that show the code have the part: a component that a page without it imports, too, reads the query there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pyrograph.ir.codes import Op
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.routes import PAGES, PAGES_OF_ALL, SEGMENTS
from pyrograph.scanner.analysis.link import Program


class PageParts:
    """Answers for one program. The first question costs a pass over its imports; each walks up those of a file."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.shown_by: dict[int, frozenset[int]] = {}  # by file: ``pages``

    def is_part(self, value: int, name: str) -> bool:
        """Whether ``name`` is a part of the path of each page that shows the code of ``value``."""
        if name not in self.names:
            return False
        file = int(self.program.file_of_value[value])
        pages = self.shown_by.get(file)
        if pages is None:
            pages = self.shown_by[file] = self.pages(file)
        return bool(pages) and all(name in SEGMENTS.findall(self.program.files[page].path) for page in pages)

    def pages(self, file: int) -> frozenset[int]:
        """The pages that import ``file``, also through others: files in a folder of pages that no file imports."""
        seen, work = {file}, [file]
        found: set[int] = set()
        for at in work:  # grows, each file once
            importing = self.importing.get(at, frozenset())
            if not importing and PAGES.search(self.program.files[at].path):
                found.add(at)
            work += importing - seen
            seen |= importing
        return frozenset(found)

    @cached_property
    def names(self) -> frozenset[str]:
        """All parts that names of files and folders state."""
        return frozenset(name for file in self.program.files for name in SEGMENTS.findall(file.path))

    @cached_property
    def importing(self) -> dict[int, frozenset[int]]:
        """By file, the files that import it."""
        program = self.program
        found: dict[int, set[int]] = {}
        for value in np.flatnonzero(program.tables["values"]["op"] == Op.IMPORT).tolist():
            file = int(program.file_of_value[value])
            path = program.files[file].path
            if TEST_PATHS.search(path) or PAGES_OF_ALL.search(path):
                continue
            for member in program.files_imported(value):
                if member != file:
                    found.setdefault(member, set()).add(file)
        return {file: frozenset(by) for file, by in found.items()}
