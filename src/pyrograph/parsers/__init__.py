"""Front ends: tree-sitter turns a file into syntax, one class per language turns syntax into a unit.

``lower`` is the way in. A grammar is imported when a file of its language is met.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyrograph.ir.unit import Unit
    from pyrograph.parsers.frontend import FrontEnd

GRAMMARS: Final = {
    "python": "tree-sitter-python",
    "javascript": "tree-sitter-javascript",
    "typescript": "tree-sitter-typescript",
    "tsx": "tree-sitter-typescript",
    "go": "tree-sitter-go",
}
FRONT_ENDS: Final = {  # language of a file -> module, class
    "python": ("pyrograph.parsers.python", "Python"),
    "javascript": ("pyrograph.parsers.javascript", "JavaScript"),
    "typescript": ("pyrograph.parsers.javascript", "TypeScript"),
    "tsx": ("pyrograph.parsers.javascript", "Tsx"),
    "go": ("pyrograph.parsers.go", "Go"),
}


def front_end(language: str) -> type[FrontEnd]:
    """The front end's class for a language of ``FRONT_ENDS``."""
    module, name = FRONT_ENDS[language]
    found: type[FrontEnd] = getattr(import_module(module), name)
    return found


@cache
def identity(language: str) -> bytes:
    """A digest of everything that decides what a file of this language lowers to: our code and the installed grammar.

    Units are cached under it, so that a changed front end never meets units of an older one. A grammar is told by the
    names, sizes and times of its files: to read its version takes 20 ms, before any worker can start.
    """
    digest = hashlib.blake2b(language.encode(), digest_size=16)
    for file in sources(language):
        digest.update(hashlib.blake2b(file.read_bytes()).digest())
    for distribution in ("tree-sitter", GRAMMARS[language]):
        found = find_spec(distribution.replace("-", "_"))
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            for file in sorted(path for path in Path(place).iterdir() if path.is_file()):
                status = file.stat()
                digest.update(f"{file.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.digest()


def sources(language: str) -> list[Path]:
    """The files of ours that decide what a file of this language lowers to, in a fixed order."""
    here = Path(__file__).parent
    own = here / FRONT_ENDS[language][0].rpartition(".")[2]
    folders = [file for folder in (here, here / "builder", own) for file in sorted(folder.glob("*.py"))]
    unit = [here.parent / "ir" / name for name in ("codes.py", "packed.py", "schema.py", "unit.py")]
    return [*unit, *(file for file in folders if file != here / "__init__.py")]


def lower(source: bytes, language: str) -> Unit:
    """Lower one file's text (UTF-8). Pure; knows no rule and no other file; never raises on bad input."""
    return front_end(language)().lower(source)
