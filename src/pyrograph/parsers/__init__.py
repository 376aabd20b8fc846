"""Front ends: tree-sitter turns a file into syntax, one class per language turns syntax into a unit.

``lower`` is the way in. A grammar is imported when a file of its language is met.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyrograph.ir.unit import Unit
    from pyrograph.parsers.frontend import FrontEnd

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


def lower(source: bytes, language: str) -> Unit:
    """Lower one file's text (UTF-8). Pure; knows no rule and no other file; never raises on bad input."""
    return front_end(language)().lower(source)
