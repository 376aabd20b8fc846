"""The words of JSON Schema that say what a text may be: a notation that libraries of several languages read."""

from __future__ import annotations

from typing import Final

PROPERTIES: Final = "properties"  # of an object, by name
TYPE: Final = "type"
TEXT: Final = "string"  # the type of texts
NO_TEXTS: Final = frozenset({"integer", "number", "boolean", "null"})  # types without texts
TYPES: Final = NO_TEXTS | {TEXT, "object", "array"}
LIST: Final = "array"  # the type of lists
ITEMS: Final = "items"  # the schema of each element of a list
EITHER: Final = ("anyOf", "oneOf")  # lists of schemas, of which one admits the value
FORMAT: Final = "format"
NO_FREE_TEXTS: Final = frozenset({"uuid", "date", "time", "date-time", "duration", "ipv4", "ipv6"})
LISTED: Final = ("enum", "const", "isIn", "allowed")  # the texts are written in the schema
PATTERN: Final = "pattern"  # a text that is searched for in the text
COMPILED: Final = "regex"  # the same as a pattern of the language, in notations like JSON Schema
