"""Tags of struct fields: ``Name string `json:"name" validate:"required,uuid"` ``.

A tag is a text of ``key:"value"`` pairs. Validators of many libraries write the checks of a field as words with commas
between them.
"""

from __future__ import annotations

import re
from typing import Final

PAIR: Final = re.compile(r'(\w+):"((?:[^"\\]|\\.)*)"')
# Keys behind which checks are listed. Words behind another key are not seen; what a word proves, packs say.
KEYS: Final = ("binding", "validate", "valid")
PIPED: Final = "v"  # behind this, bars stand between checks: ``v:"name@required|in:a,b#missing|bad"``
PATTERN: Final = "regex:"  # a pattern may hold bars: what follows is not read
SCHEMA: Final = ("enum", "format")  # the value behind these is one word: ``enum:"name,date"``
NAMES: Final = ("json", "form", "path", "header")  # checks may stand behind the name of a field, too
CHOICE: Final = "options="  # ``json:"mode,options=fast|slow"``
LEFT_OUT: Final = "-"  # as the name of a field: decoders of this format leave it as it is
DECODED: Final = ("json", "xml", "yaml", "toml", "form", "uri", "header", "query")  # behind these stands a name
DIVE: Final = "dive"
ELEMENTS: Final = (DIVE, "keys")  # the words behind these are about the elements of a field


def checks(tag: str, is_list: bool = False) -> list[tuple[str, str]]:
    """(key, word) of the checks of the whole field that a tag, as it is written, names; "-": it is left out.

    All text of a list lies in its elements: what is checked of these is checked of it.

    >>> checks('`json:"ids,omitempty" validate:"required,oneof=a b,dive,uuid"`')
    [('validate', 'required'), ('validate', 'oneof=a b')]
    >>> checks('`validate:"min=1,dive,uuid"`', is_list=True)
    [('validate', 'min=1'), ('validate', 'uuid')]
    >>> checks('`query:"sort" enum:"name,date"`'), checks('`form:"mode,options=a|b"`')
    ([('enum', 'name,date')], [('form', 'options=a|b')])
    >>> checks('`v:"kind@required|in:a,b#missing|bad"`'), checks('`v:"required|regex:^a|in:b$"`')
    ([('v', 'required'), ('v', 'in:a,b')], [('v', 'required')])
    >>> checks('`json:"-" xml:"-," gorm:"-"`')
    [('json', '-')]
    """
    found: list[tuple[str, str]] = []
    for key, value in PAIR.findall(tag if tag[:1] == "`" else tag[1:-1].replace('\\"', '"')):
        if key in DECODED and value == LEFT_OUT:
            found.append((key, value))
        if key in SCHEMA:
            found.append((key, value))
        if key in NAMES and CHOICE in value:
            found.append((key, value[value.index(CHOICE) :]))
        if key == PIPED:
            found += [(key, word) for word in piped(value)]
        if key not in KEYS:
            continue
        for word in value.split(","):
            if word == DIVE and is_list:
                continue
            if word in ELEMENTS:
                break
            found.append((key, word.strip()))
    return found


def piped(value: str) -> list[str]:
    """The checks between bars, without the name before "@", and without messages, which stand behind "#"."""
    stated = value.split("#")[0]
    name, at, rest = stated.partition("@")
    if at and name.strip().isidentifier():
        stated = rest
    words: list[str] = []
    for word in stated.split("|"):
        if PATTERN in word:
            break
        words.append(word.strip())
    return words
