"""Tags that write a value into a script as a literal of it: ``{{ notes|tojson }}``, ``<%- JSON.stringify(notes) %>``.

A script that holds such a literal holds the value: text in it is text again, unescaped. What escapes HTML is left out,
since markup that is made of it shows it as it was; so is what becomes a number.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyrograph.policy.limits.templates import MAX_TEMPLATE_PATH

if TYPE_CHECKING:
    from pyrograph.parsers.templates.page import Path

NAME: Final = rb"[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*+"
TAG: Final = re.compile(
    rb"\{\{\{?-?\s*+(?P<piped>" + NAME + rb")\s*+\|\s*+(?:tojson|to_json|json|json_encode|dump)\b[^|{}]*+"
    rb"(?:\|\s*+(?:safe|raw)\s*+)?-?\}?\}\}"
    rb"|\{\{\{\s*+(?:json|stringify|toJSON|toJson|JSONstringify)\s+(?:this\.)?(?P<helped>" + NAME + rb")\s*+\}\}\}"
    rb"|<%-\s*+JSON\.stringify\(\s*+(?:locals\.)?(?P<made>" + NAME + rb")\s*+(?:,[^%)]*+)?\)(?!\.length)[^%]*+%>"
)
STRING: Final = re.compile(rb"\{\{\s*+(?P<piped>" + NAME + rb")\s*+\|\s*+escapejs\s*+\}\}")
ACTION: Final = re.compile(rb"\{\{-?\s*+(?:json\s++|toJson\s++|toJSON\s++)?\$?(?P<path>(?:\.\w+)++)\s*+-?\}\}")


def path_of_literal(tag: bytes) -> Path | None:
    """The path of the value that a tag writes as a literal; None for other tags.

    >>> path_of_literal(b"{{ page.notes|tojson }}"), path_of_literal(b"{{ .Page.Notes }}")
    (('page', 'notes'), ('Page', 'Notes'))
    >>> path_of_literal(b"{{ notes|length }}"), path_of_literal(b"{{ notes }}")
    (None, None)
    >>> path_of_literal(b"<%- JSON.stringify(notes, null, 2) %>")
    ('notes',)
    """
    match = TAG.fullmatch(tag)
    if match is not None:
        text = match["piped"] or match["helped"] or match["made"]
    elif (match := ACTION.fullmatch(tag)) is not None:
        text = match["path"].strip(b".")
    else:
        return None
    path = tuple(text.decode("ascii", "replace").split("."))
    return path if len(path) <= MAX_TEMPLATE_PATH else None


def path_of_text(tag: bytes) -> Path | None:
    """The same for a tag that is all of a string of a script, escaped for it.

    >>> path_of_text(b"{{ note|escapejs }}"), path_of_text(b"{{ note }}")
    (('note',), None)
    """
    match = STRING.fullmatch(tag)
    return path_of_literal(tag) if match is None else path_of_literal(b"{{%s|tojson}}" % match["piped"])
