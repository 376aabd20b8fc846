"""What an edit of source code needs to know of a language, and the syntax tree that it works on.

``editing_of`` returns the ``Editing`` that a language's signature names (``Language.editing``). Nothing that lowers a
file imports this package, so that a change here leaves cached units valid.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pyrograph.parsers import language_of
from pyrograph.parsers.editing.signature import Editing, Imported
from pyrograph.parsers.editing.texts import Hole, Literal, Text
from pyrograph.parsers.editing.tree import Tree


@cache
def editing_of(syntax: str) -> Editing | None:
    """How files of a syntax are edited; None where the language does not say."""
    place = language_of(syntax).editing
    if not place:
        return None
    module, name = place.split(":")
    found = getattr(import_module(module), name)
    assert isinstance(found, Editing)
    return found


__all__ = ["Editing", "Hole", "Imported", "Literal", "Text", "Tree", "editing_of"]
