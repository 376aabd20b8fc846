"""JSON text, as ``json.dump(value, stream, indent=1)`` writes it, in a fifth of the time.

With ``indent``, the standard library encodes in Python and passes every token through a generator for each level it
lies deep. Reports of tens of thousands of findings spend most of their time there.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import Any, Final, TextIO

STREAMED: Final = 3  # outer levels that are written item by item; what lies deeper is one text each


def write_json(value: Any, stream: TextIO) -> None:
    """Write ``value``: dictionaries with text as keys, lists, tuples, text, numbers, truth values and None.

    All text is ASCII with JSON escapes. Recurses as deep as ``value`` nests.

    >>> import sys
    >>> write_json({"a": [1, None], "b": []}, sys.stdout)
    {
     "a": [
      1,
      null
     ],
     "b": []
    }
    """
    _write(value, "\n", STREAMED, stream)


def _write(value: Any, line: str, levels: int, stream: TextIO) -> None:
    """``line``: the line feed and the indentation of ``value``."""
    if not levels or not isinstance(value, dict | list | tuple):
        stream.write(_text(value, line))
        return
    is_dict = isinstance(value, dict)
    opening, closing = "{}" if is_dict else "[]"
    inner = separator = line + " "
    stream.write(opening)
    for item in value.items() if isinstance(value, dict) else value:
        stream.write(separator)
        separator = "," + inner
        if is_dict:
            stream.write(encode_basestring_ascii(item[0]) + ": ")
        _write(item[1] if is_dict else item, inner, levels - 1, stream)
    stream.write(closing if separator is inner else line + closing)


def _text(value: Any, line: str) -> str:
    kind = type(value)
    if kind is str:
        return encode_basestring_ascii(value)
    if kind is int:
        return int.__repr__(value)
    if kind is dict:
        if not value:
            return "{}"
        inner = line + " "
        items = [f"{encode_basestring_ascii(key)}: {_text(each, inner)}" for key, each in value.items()]
        return "{" + inner + ("," + inner).join(items) + line + "}"
    if kind is list or kind is tuple:
        inner = line + " "
        items = [_text(each, inner) for each in value]
        return "[" + inner + ("," + inner).join(items) + line + "]" if items else "[]"
    if value is None or isinstance(value, str | int | float):  # rare: truth values, subclasses
        return json.dumps(value)
    raise TypeError(f"a report cannot hold a {kind.__name__}")
