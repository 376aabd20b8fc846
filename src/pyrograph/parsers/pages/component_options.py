"""Components of Vue that are written as an object of options: ``export default { data() {...}, methods: {...} }``.

The markup of such a component reads members of ``this``, as the functions among its options do. So the object gets a
name, a call takes it as the options of a component, an expression begins with a member of it (``$html($o.note)``),
and the function of the markup (``shown``) binds further names that the markup reads:

    let $o=       { data() {...}, computed: { short() {...} } };
    ;export default function({text,}){$o.text=text;$c($o);let{size,}=$o,short=$o.computed.short.call($o); ... }

Rules say what the call ``$c`` means: it calls the functions of the options on the object. All of it stands in blanks of
the text; what does not fit is left out. Time linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from pyrograph.parsers.pages.brackets import end_of
from pyrograph.policy.limits.parsing import MAX_PROPERTIES

_DEFAULT: Final = re.compile(rb"\bexport default\b(?=\s*(?:\{|(?:[\w$]+\.)?(?:defineComponent|extend)\s*\(\s*\{))")
_MADE: Final = re.compile(rb"\$[co]\b")
_LISTS: Final = re.compile(rb"\b(?P<name>props|computed)\s*:\s*(?:\[|\{)")
_FUNCTION: Final = re.compile(
    rb"(?<![\w$])([a-zA-Z_$][\w$]*+)\s{0,20}(?:\(\s{0,20}\)\s{0,20}\{|:\s{0,20}function\b)", re.ASCII
)
_NAME: Final = re.compile(rb"[a-zA-Z_$][\w$]*", re.ASCII)
_READ: Final = re.compile(rb"(?<![\w$.])[a-zA-Z_$][\w$]*", re.ASCII)
_WORDS: Final = frozenset(
    b"const let var function return export default import from type true false null undefined this new typeof in of for"
    b" if else await async void delete instanceof".split()
)
_FIRST: Final = re.compile(rb"\s*([a-zA-Z_$][\w$]*)", re.ASCII)
EXPORTED: Final = b"export default"
NAMED: Final = b";let $o="
MEMBER: Final = b"$o."
TAKEN: Final = b"$c($o);"


class Options(NamedTuple):
    """The object of options of a component."""

    at: int  # where it is exported: ``export default``
    properties: tuple[bytes, ...]  # what other components give
    computed: frozenset[bytes]  # members that functions make


def options_of(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> Options | None:
    """The options of a component; None if it is written in another way."""
    for start, end in scripts:
        found = _DEFAULT.search(page, start, end)
        if found is None:
            continue
        if _MADE.search(page, start, end) is not None or not code.startswith(found[0], found.start()):
            return None
        properties: dict[bytes, None] = {}
        made: set[bytes] = set()
        place = found.end()
        while (listed := _LISTS.search(page, place, end)) is not None:
            place = listed.end()
            stop = end_of(page, place, end)
            if stop < 0:
                break  # nor is a later one closed
            if listed["name"] == b"props":
                properties.update(dict.fromkeys(_NAME.findall(page, place, stop)))
            else:
                made.update(_FUNCTION.findall(page, place, stop))
            place = stop
        return Options(found.start(), tuple(properties), frozenset(made))
    return None


def put_name(code: bytearray, options: Options) -> None:
    """Give the object a name in ``code``."""
    code[options.at : options.at + len(EXPORTED)] = NAMED.ljust(len(EXPORTED))


def member_at(text: bytes, options: Options, bound: Collection[bytes]) -> int:
    """Where the member of ``this`` begins that an expression is read from, or that a call in it is of; -1 if it
    begins with something else.
    """
    first = _FIRST.match(text)
    if first is None or first[1] in bound or first[1] in _WORDS:
        return -1
    if first[1] in options.computed or first[1] in options.properties:
        return -1
    return first.start(1)


def computed_in(text: bytes, options: Options, bound: Collection[bytes]) -> bytes | None:
    """The name that an expression begins with, if a function of the options makes its value."""
    first = _FIRST.match(text)
    return first[1] if first is not None and first[1] in options.computed and first[1] not in bound else None


def computed(name: bytes) -> list[bytes]:
    """Tokens that bind a name to what a function of the options makes."""
    return [b";var ", name, b"=", MEMBER, b"computed.", name + b".", b"call(", b"$o)"]


def heads(options: Options, markup: bytes, bound: Collection[bytes]) -> list[list[bytes]]:
    """The heads of the function of the markup, as tokens, the most telling first: one of them may fit. ``bound``: names
    that are none of the component's members.
    """
    read = [
        name
        for name in dict.fromkeys(_READ.findall(markup))
        if name not in _WORDS and name not in bound and not name.startswith(b"$")
    ][:MAX_PROPERTIES]
    given = [name for name in options.properties if name not in _WORDS and not name[:1].isupper()][:MAX_PROPERTIES]
    members = [name for name in read if name not in given and name not in options.computed]
    made = [name for name in read if name not in given and name in options.computed]
    taken = [b"let{", *(name + b"," for name in members), b"}=$o"]
    calls = [part for name in made for part in computed(name)]
    shown = [b";export default ", b"function(", b"{", *(name + b"," for name in given), b"}){"]
    kept = [part for name in given for part in (MEMBER + name, b"=", name + b";")]
    return [
        [*shown, *kept, TAKEN, *taken, *calls, b";"],
        [*shown, TAKEN, *taken, *calls, b";"],
        [b";()=>{", TAKEN, *taken, *calls, b";"],
        [b";()=>{", TAKEN, *taken, b";"],
        [b";()=>{", TAKEN],
    ]
