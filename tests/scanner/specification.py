"""Markdown that specifies: prose, and fenced code with what is expected of it.

A section is what stands under one heading. In it,

* blocks with a file name in the fence (```` ```python app.py ````) are the files of one program;
* every other block is a program of its own, in a file with its language's usual name.

Blocks of a language that has no files here (``text``, ``console``) are prose, unless they are named: then they are
files that the program needs besides its code, such as ``go.mod``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE_NAMES = {"python": "app.py", "javascript": "app.js", "typescript": "app.ts", "tsx": "app.tsx", "go": "main.go"}

SHORT_NAMES = {"py": "python", "js": "javascript", "ts": "typescript"}  # a block of these would be prose

_FENCE = re.compile(r"(`{3,})\s*(\S*)\s*(\S*)\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    language: str  # as the fence says
    name: str  # the file's name in the fence, or ""
    line: int  # of the Markdown file that is line 0 of ``code``
    code: str


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading."""

    path: Path
    title: str
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}: {self.title}"

    def programs(self) -> list[dict[str, Block]]:
        """The programs of this section: blocks by the name of their file."""
        named = {block.name: block for block in self.blocks if block.name}
        alone = [{FILE_NAMES[b.language]: b} for b in self.blocks if not b.name and b.language in FILE_NAMES]
        return ([named] if named else []) + alone


def sections(folder: Path) -> list[Section]:
    """All sections with code of the Markdown files under ``folder``, in order.

    Raises:
        ValueError: A fence is not closed, its language is abbreviated, or two sections of a file have one title.
    """
    found: list[Section] = []
    for path in sorted(folder.rglob("*.md")):
        here = list(_sections(path))
        titles = [section.title for section in here]
        if len(set(titles)) != len(titles):
            twice = next(title for title in titles if titles.count(title) > 1)
            raise ValueError(f"{path}: two sections are called {twice!r}; a test could not name them apart")
        found += here
    return found


def _sections(path: Path) -> Iterator[Section]:
    title, blocks = "", list[Block]()
    fence, start, language, name = "", 0, "", ""
    code: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if fence:
            if line.rstrip() == fence:
                blocks.append(Block(language, name, start, "\n".join(code) + "\n"))
                fence = ""
            else:
                code.append(line)
        elif opening := _FENCE.match(line):
            fence, language, name = opening.groups()
            start, code = number, []
            if not name and language in SHORT_NAMES:
                raise ValueError(f"{path}:{number}: no test runs this block; call it {SHORT_NAMES[language]!r}")
        elif line.startswith("#"):
            if blocks:
                yield Section(path, title, tuple(blocks))
            title, blocks = line.lstrip("#").strip(), []
    if fence:
        raise ValueError(f"{path}:{start}: this fence is not closed")
    if blocks:
        yield Section(path, title, tuple(blocks))
