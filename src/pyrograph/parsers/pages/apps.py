"""Pages whose scripts make a Vue application of their markup: ``new Vue({ el: "#app", data: {...} })``.

The markup around the script is the application's template, so that its expressions are code (``shown``), and their
names are members of the object of options, as in a component that is such an object (``component_options``). The call
that makes the application gives way to the object's name:

    ;()=>{$c($o); ...  ;$html($o.note)   ...  };var $o;
         ($o={ el: "#app", data: { note: "" } });

All of it stands in blanks of the page; what does not fit is left out. One application of a page is read: the first
whose options stand in the call. Time linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.parsers.pages.component_options import Options, heads
from pyrograph.parsers.pages.expressions import put_tokens
from pyrograph.parsers.pages.shown import Markup

_APP: Final = re.compile(
    rb"(?<![\w$.])(?:new[ \t]{1,20}Vue|(?:(?:Vue|PetiteVue)\.)?createApp)[ \t]{0,20}\([ \t]{0,20}(?=\{)"
)
_MADE: Final = re.compile(rb"\$[co]\b")
NAMED: Final = b"($o="
DECLARED: Final = b";var $o;"
END: Final = b"};"


def put_app(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
    """Put the expressions of the page's markup into its ``code``, a text of the page's length whose other bytes are
    blank, if one of its ``scripts`` makes an application.
    """
    if b"v-html" not in page and b"innerHTML" not in page:
        return
    for number, (start, end) in enumerate(scripts):
        made = _APP.search(page, start, end)
        if made is None or not code.startswith(made[0], made.start()) or _MADE.search(page, start, end):
            continue
        before = scripts[number - 1][1] if number else 0
        after = scripts[number + 1][0] if number + 1 < len(scripts) else len(page)
        found = [_put_markup(page, code, at, stop) for at, stop in ((before, start), (end, after))]
        if any(found):
            code[made.start() : made.end()] = NAMED.rjust(len(made[0]))
        return


def _put_markup(page: bytes, code: bytearray, at: int, end: int) -> bool:
    """Put the expressions of ``page[at:end]`` in a function; False, and nothing is put, if there are none, or they do
    not fit.
    """
    kept = bytes(code[at:end])
    options = Options(at, (), frozenset())
    markup = Markup(page, code, at, end, options)
    first = markup.put()
    if first >= 0:
        ways = heads(options, bytes(code[first:end]), markup.bound)[-3:]  # those of a function that is not exported
        if ways[1][2:4] == [b"let{", b"}=$o"]:  # no other members are read
            ways = ways[-1:]
        fits = any(put_tokens(code, way, at, first) for way in ways)
        if fits and put_tokens(code, [END], markup.free, end):
            if not put_tokens(code, [DECLARED], code.find(END, markup.free) + len(END), end):
                put_tokens(code, [DECLARED], at, first)
            return True
        code[at:end] = kept
    return False
