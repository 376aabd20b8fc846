"""Which names of a function stand for mappings, by how it uses them: ``changed.items()``, or ``changed[key]`` in a loop
``for key in changed``.

A loop over a mapping gives its keys, over anything else its elements.
"""

from __future__ import annotations

import re

# Nothing is matched in two ways: the time is linear.
COMMENT = re.compile(rb"\\\n|#[^\n]*+")
SPACE = re.compile(rb"\s++(?=[.()\[\]=,])|(?<=[.(\[=,])\s++")
# a name with its members, and those parts of it that constants name
NAMED = rb"""([A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+|\['[\w \-]*+'\]|\["[\w \-]*+"\])*%s)"""
ASKED = re.compile(rb"(?<![\w.])%s\.(?:items|keys|values)\(\)" % (NAMED % b"?"))
LOOP = re.compile(rb"(?<!\w)for\s++([A-Za-z_]\w*+)\s++in\s++%s" % (NAMED % b"+"))
PART = re.compile(rb"(?<![\w.])%s\[([A-Za-z_]\w*+)\]" % (NAMED % b"+"))
# ``isinstance(changed, dict)``: it is one of several things
TYPE_ASKED = re.compile(rb"(?<![\w.])(?:isinstance|hasattr|type|callable)\(%s" % (NAMED % b"+"))
ASSIGNED = re.compile(rb"(?<![\w.])%s(?:[ ]*+:[ \w.,|\[\]]{0,80}+)?=(?!=)" % (NAMED % b"+"))
WORDS = (b"items", b"keys", b"values")
TYPE = re.compile(
    rb"(?:typing\.|t\.|collections\.(?:abc\.)?)?(?:[dD]ict|(?:Mutable)?Mapping|OrderedDict)\b(?:\[[^|]*\])?(?:\s*+\|\s*+None)?"
)


def plain(text: bytes) -> bytes:
    """Code without comments, and without space beside signs.

    >>> plain(b"kept . # why\\n items()")
    b'kept.items()'
    """
    return SPACE.sub(b"", COMMENT.sub(b"", text))


def is_mapping_type(text: str) -> bool:
    """Whether a declared type is that of mappings.

    >>> [is_mapping_type(each) for each in ("dict[str, int]", "Mapping | None", "dict | list[int]", "list[dict]")]
    [True, True, False, False]
    """
    return TYPE.fullmatch(plain(text.encode()).strip()) is not None


class Used:
    """What the body of a function says of its names, read when it is first asked for. Linear in the text."""

    def __init__(self, text: bytes = b"", parameters: dict[str, int] | None = None) -> None:
        """``parameters``: the values of the parameters, by name."""
        self.text = text
        self.parameters = parameters or {}
        self._names: frozenset[str] | None = None

    def mapped(self, name: str, value: int) -> int:
        """``name`` is ``value`` where a loop goes over it: the value that is a mapping, which may be the parameter of
        this name; -1 for none. A name that is assigned twice, or a parameter that is, may be something else.
        """
        names = self.names()
        if not names:
            return -1
        if not name.isidentifier():
            name = plain(name.encode()).decode()
        if name in names:
            return value
        return self.parameters.get(name, -1) if "=" + name in names else -1

    def names(self) -> frozenset[str]:
        """Names that stand for mappings; with an equals sign before it, a parameter that is assigned something else."""
        if self._names is None:
            self._names = self._read()
        return self._names

    def _read(self) -> frozenset[str]:
        text = self.text
        is_asked = any([word in text for word in WORDS])
        if not is_asked and not (b"for" in text and b"[" in text):
            return frozenset()
        text = plain(text)
        used = set(ASKED.findall(text)) if is_asked else set[bytes]()
        parts = set(PART.findall(text))
        used |= {over for each, over in LOOP.findall(text) if (over, each) in parts}
        if not used:
            return frozenset()
        used -= set(TYPE_ASKED.findall(text))
        seen: set[bytes] = set()
        found = {each.decode() for each in used}
        for name in ASSIGNED.findall(text):
            text_ = name.decode()
            if text_ in found and (name in seen or b"." in name or b"[" in name or text_ in self.parameters):
                found.discard(text_)
                if text_ in self.parameters:
                    found.add("=" + text_)
            seen.add(name)
        return frozenset(found)
