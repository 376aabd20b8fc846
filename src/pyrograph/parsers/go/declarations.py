"""What Go files declare of their types, read without a parse: for generated files, whose bodies are not analysed.

Generators format what they write, so that a declaration begins at the start of a line and a field after one tab. What
stands in another form is not found. Time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pyrograph.parsers.go.syntax.names import NUMERIC, VERSION, VERSION_SUFFIX
from pyrograph.parsers.language import DeclaredType, FieldType

_CHARACTERS: Final = frozenset(("byte", "rune", "uint8", "int32"))  # a list of these is text

_TYPE = re.compile(rb"(?m)^type (\w+) (?:struct \{\n((?:(?!\}).*\n)*)\}|(\w+)(?=[ \t\r]*$|[ \t]*//))")
_FIELD = re.compile(
    rb"(?m)^\t(\w+(?:, \w+)*)[ \t]+((?:\*|\[\w*\]|map\[\w+\])*)(?:(\w+)\.)?(\w+)(?=[ \t\r]*$|[ \t]+[`/])"
)
_IMPORT = re.compile(rb'(?m)^(?:import |\t)(?:([\w.]+) )?"([^"\n]+)"')
_COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/))*+\*/|^[ \t]*//[^\n]*", re.MULTILINE)
_KEY = re.compile(r"map\[(\w+)\]")


def declared_types(text: bytes) -> Mapping[str, DeclaredType]:
    """The types that a file declares, by name.

    >>> text = b'import "time"\\n\\ntype A struct {\\n\\tID *int64 `json:"id"`\\n\\tAt time.Time\\n}\\n'
    >>> declared_types(text)["A"].fields["ID"], declared_types(text)["A"].fields["At"]
    (FieldType(number=True, module='', name=''), FieldType(number=False, module='time', name='Time'))
    """
    text = _COMMENT.sub(b"", text)
    imported = {}
    for alias, module in _IMPORT.findall(text):
        path = module.decode("utf-8", "replace")
        imported[alias.decode() or _package(path)] = path
    found = {}
    for name, body, underlying in _TYPE.findall(text):
        fields = {}
        for names, shape, package, base in _FIELD.findall(body):
            field = _field(shape.decode(), package.decode(), base.decode(), imported)
            fields.update(dict.fromkeys(names.decode().split(", "), field))
        found[name.decode()] = DeclaredType(underlying.decode() in NUMERIC, fields)
    return found


def _field(shape: str, package: str, name: str, imported: Mapping[str, str]) -> FieldType:
    """``shape``: the pointers, lists and maps around a type."""
    if not package and name in NUMERIC:
        is_text = "[" in shape and name in _CHARACTERS
        return FieldType(not is_text and all(key in NUMERIC for key in _KEY.findall(shape)), "", "")
    if package and package not in imported:
        return FieldType(False, "", "")
    return FieldType(False, imported.get(package, ""), "" if "map[" in shape else name)


def _package(module: str) -> str:
    """The name that an import without one of its own has, as a rule."""
    parts = [part for part in module.split("/") if not VERSION.match(part)] or [module]
    return VERSION_SUFFIX.sub("", parts[-1]).removeprefix("go-").replace("-", "_")
