"""Scripts that stand in pages of HTML, in templates of such pages, and in components (``<script>`` elements).

``code_of`` makes one text of a language out of a page: all that is no script becomes blanks, so that each byte of a
script keeps its place, and so do the breaks of lines. Tags of template languages in a script are replaced, too: one
that writes a value becomes a name that nothing is assigned to, which is text where it stands in a text; all others
become blanks. Which template language it is does not matter: none of their tags means anything in a script. In
a component, expressions that become markup are code as well (``shown``).

Left out are scripts with an address (``src``), those of other types (JSON, templates), in comments, minified ones, and
releases of libraries. Time linear in the page. Nothing here fails on a broken page.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyrograph.parsers.pages.apps import put_app
from pyrograph.parsers.pages.copies import is_minified, is_release
from pyrograph.parsers.pages.inlined import path_of_literal, path_of_text
from pyrograph.parsers.pages.shown import put_shown
from pyrograph.policy.limits.parsing import MAX_ATTRIBUTE, MAX_BROKEN_TAGS, MAX_TAG_PARTS

_ANY: Final = re.compile(rb"<script[\s>]", re.IGNORECASE)
# What may hold "<script" without one being there, and the element itself.
_OPENING: Final = re.compile(
    rb"(?P<hidden><!--|\{#|\{\{!--|<%--|<%#|\{%-?\s*comment\b)"
    rb"|<(?P<raw>style|textarea|title|xmp)(?=[\s>])|<script(?=[\s>/])",
    re.IGNORECASE,
)
_HIDDEN_ENDS: Final = {
    opening: re.compile(re.escape(end))
    for opening, end in ((b"<!--", b"-->"), (b"{#", b"#}"), (b"{{!--", b"--}}"), (b"<%--", b"--%>"), (b"<%#", b"%>"))
}
_COMMENT_TAG_END: Final = re.compile(rb"\{%-?\s*endcomment\b")
_TAG: Final = re.compile(
    rb"""<script((?:[^>"'<{]{1,%d}+|"[^"]{0,%d}+"|'[^']{0,%d}+'|<%%.{0,200}?%%>|<\?.{0,200}?\?>|\{\{.{0,200}?\}\}"""
    rb"""|[<{"']){0,%d}+)>""" % (MAX_ATTRIBUTE, MAX_ATTRIBUTE, MAX_ATTRIBUTE, MAX_TAG_PARTS),
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE: Final = re.compile(
    rb"""(?<![^\s"'])(:?src|type|lang)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++))""", re.IGNORECASE
)
_ENDS: Final = {
    name: re.compile(rb"</" + name + rb"(?=[\s>/]|\Z)", re.IGNORECASE)
    for name in (b"script", b"style", b"textarea", b"title", b"xmp")
}
_CODE: Final = re.compile(
    rb"(?:(?:text|application)/(?:x-)?(?:java|ecma|j)script(?:1\.[0-5])?(?:\s*;.*)?"
    rb"|module|text/(?:babel|jsx|tsx|ts|typescript))?",
    re.IGNORECASE | re.DOTALL,
)
_TYPED: Final = frozenset({b"ts", b"tsx", b"typescript", b"text/ts", b"text/tsx", b"text/typescript"})
_MARKUP: Final = frozenset({b"tsx", b"jsx", b"text/babel", b"text/jsx", b"text/tsx"})
_BLANKS: Final = bytes(each if each in b"\n\r" else 0x20 for each in range(256))
_NAME: Final = bytes(each if each in b"\n\r" else 0x5F for each in range(256))

# In a script: tags of templates, and what says whether the place is code.
_TOKEN: Final = re.compile(rb"""(\{\{|\{%|\{#|<%|<\?(?:php\b|=))|\\.|(["'`\n])|(//|/\*|\*/)""", re.DOTALL)
_TAG_ENDS: Final = {b"{{": b"}}", b"{%": b"%}", b"{#": b"#}", b"<%": b"%>", b"<?": b"?>"}
_OPENS: Final = re.compile(
    rb"\#?(?:if|unless|for|each|range|with|ifequal|ifnotequal|foreach|while)\b|.*\{\s*$", re.DOTALL
)
_AROUND: Final = re.compile(rb"[\w$\\]")
_CLOSES: Final = re.compile(rb"/|end|\}")
_OTHERWISE: Final = re.compile(rb"\}?\s*(?:else|elif|elsif|elseif)\b|\^")
_CONTROL: Final = re.compile(
    rb"(?:end\w*|if\w*|unless|else\w*|elif|elsif|for\w*|each|range|with\w*|block|define|break|continue|set|macro|call"
    rb"|filter|autoescape|spaceless|load|extends|comment|raw|verbatim|import|from|do|case|switch|assign|capture|while"
    rb"|apply|blocktrans\w*|blocktranslate)\b"
)
_BRACED_CONTROL: Final = re.compile(rb"(?:if|else|end|range|with|define|block|break|continue|each|unless)(?=\s|\Z)")


class Script(NamedTuple):
    """The text of one script: bytes ``start:end`` of its page."""

    start: int
    end: int
    typed: bool  # it has types
    markup: bool  # it has elements of markup, whose braces look like tags of templates


class Code(NamedTuple):
    """The scripts of a page, as one text of the page's length."""

    text: bytes
    typed: bool  # one of them has types
    markup: bool  # one of them has elements of markup


class _Ends:
    """Where parts of a page end. An end that does not come is looked for once: others of its kind need not look."""

    def __init__(self, page: bytes) -> None:
        self.page = page
        self.missing: set[re.Pattern[bytes]] = set()

    def find(self, end: re.Pattern[bytes], at: int) -> re.Match[bytes] | None:
        if end in self.missing:
            return None
        found = end.search(self.page, at)
        if found is None:
            self.missing.add(end)
        return found

    def behind(self, end: re.Pattern[bytes], at: int) -> int:
        """The place behind the end of a part that begins before ``at``; a part without an end does not begin."""
        found = self.find(end, at)
        return at if found is None else found.end()


def scripts_of(page: bytes) -> list[Script]:
    """The scripts that are run and stand in the page, in its order, with those that nobody wrote."""
    found: list[Script] = []
    if _ANY.search(page) is None:
        return found
    ends = _Ends(page)
    at = broken = 0
    while broken < MAX_BROKEN_TAGS and (opening := _OPENING.search(page, at)) is not None:
        at = opening.end()
        if opening["raw"]:
            at = ends.behind(_ENDS[opening["raw"].lower()], at)
        elif opening["hidden"]:
            at = ends.behind(_HIDDEN_ENDS.get(opening["hidden"], _COMMENT_TAG_END), at)
        elif (tag := _TAG.match(page, opening.start())) is None:
            broken += 1
        else:
            end = ends.find(_ENDS[b"script"], tag.end())
            at = len(page) if end is None else end.start()
            script = _script(page, tag, at)
            if script is not None:
                found.append(script)
    return found


def _script(page: bytes, tag: re.Match[bytes], end: int) -> Script | None:
    """The script between a tag and ``end``; None if it is empty, stands elsewhere, or is no code."""
    given = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(tag[1])}
    kind, language = (given.get(name, b"").strip() for name in (b"type", b"lang"))
    if {b"src", b":src"} & given.keys() or tag[1].endswith(b"/") or _CODE.fullmatch(kind) is None:
        return None
    if not page[tag.end() : end].strip():
        return None
    kinds = {kind.lower(), language.lower()}
    return Script(tag.end(), end, bool(kinds & _TYPED), bool(kinds & _MARKUP))


def written_by_hand(page: bytes, scripts: list[Script]) -> list[Script]:
    """Those of a page's scripts that are neither minified nor the release of a library."""
    return [
        each
        for each in scripts
        if not is_minified(page[each.start : each.end]) and not is_release(page[each.start : each.end])
    ]


def code_of(page: bytes, *, tags: bool, shown: bool = False) -> Code:
    """The scripts of a page that somebody wrote. ``tags``: tags of templates may stand in them. ``shown``: so is what
    becomes markup in the page around them (``shown``).
    """
    scripts = written_by_hand(page, scripts_of(page))
    code = bytearray(page.translate(_BLANKS))
    for script in scripts:
        code[script.start : script.end] = page[script.start : script.end]
        _without_marks(code, script)
        if tags and not script.markup:
            _without_tags(page, code, script)
        if script.end < len(page):
            code[script.end] = 0x3B  # ";": the next script does not go on with an expression of this one
    if shown and scripts:
        put_shown(page, code, [(each.start, min(each.end + 1, len(page))) for each in scripts_of(page)])
    elif tags and scripts:
        put_app(page, code, [(each.start, min(each.end + 1, len(page))) for each in scripts_of(page)])
    return Code(bytes(code), any(each.typed for each in scripts), any(each.markup for each in scripts))


def _without_marks(code: bytearray, script: Script) -> None:
    """Old pages hide their scripts from browsers older still: ``<!--`` and ``-->``, or ``<![CDATA[`` and ``]]>``."""
    inner = bytes(code[script.start : script.end])
    start = script.start + len(inner) - len(inner.lstrip())
    if code.startswith(b"<!--", start):
        code[start : start + 4] = b"//  "
    elif code.startswith(b"<![CDATA[", start):
        code[start : start + 9] = b" " * 9
    end = script.start + len(inner.rstrip())
    for mark in (b"-->", b"]]>"):
        line = bytes(code[script.start : end]).rpartition(b"\n")[2]
        if line.strip() == mark:
            code[end - 3 : end] = b"   "


def _without_tags(page: bytes, code: bytearray, script: Script) -> None:
    """Replace the tags of templates in a script."""
    at, stop = script.start, script.end
    quote = b""  # or comment, that is open
    inline: list[bool] = []  # of the open blocks of the template: whether it began where a value is expected
    unclosed: set[bytes] = set()  # marks whose end does not come any more
    while (token := _TOKEN.search(page, at, stop)) is not None:
        at = token.end()
        if token[1]:
            mark = token[1][:2]
            end = page.find(_TAG_ENDS[mark], at, stop) if mark not in unclosed else -1
            if end < 0:
                if token[1].startswith(b"<?"):
                    code[token.start() : stop] = page[token.start() : stop].translate(_BLANKS)
                    return
                unclosed.add(mark)
                continue
            end += 2
            if mark == b"{{" and page[at : at + 1] == b"{" and page[end : end + 1] == b"}":
                end += 1
            _replace(page, code, script, (token.start(), end), quote, inline)
            at = end
        elif token[2] == b"\n":
            quote = quote if quote in (b"`", b"/*") else b""
        elif token[2]:
            if quote in (b"", token[2]):
                quote = b"" if quote else token[2]
        elif token[3] == b"*/":
            quote = b"" if quote == b"/*" else quote
        elif token[3] and not quote:
            quote = token[3]


def _replace(
    page: bytes, code: bytearray, script: Script, place: tuple[int, int], quote: bytes, inline: list[bool]
) -> None:
    """Replace one tag of a template by a name, an operator, or blanks. The name of a literal says where its tag begins,
    so that what fills the template finds it (``analysis/resolve/inlined_data``).
    """
    start, end = place
    tag = page[start:end]
    blank = tag.translate(_BLANKS)
    if quote in (b"//", b"/*"):
        code[start:end] = blank
        return
    mark, inner = tag[:2], tag[2:-2].strip(b"{}-~_+ \t\r\n")
    is_value = _writes(mark, tag[2:3], inner)
    before = bytes(code[max(script.start, start - 200) : start]).rstrip()
    expected = before.endswith((b"=", b"(", b",", b"[", b":", b"?", b"+", b"&", b"|", b"!", b"=>", b"return"))
    if mark == b"{%" and not is_value:
        is_value = expected and bool(inner) and _CONTROL.match(inner) is None
    if is_value:
        code[start:end] = _as_name(tag, in_text=quote in (b'"', b"'"))
        _name_by_place(page, code, place, quote)
        return
    code[start:end] = blank
    if quote or mark == b"{#":
        return
    if _OTHERWISE.match(inner):
        if inline and inline[-1] and before and not before.endswith((b",", b";", b"(", b"[", b":", b"=", b"?")):
            code[start : start + 2] = b"||"
    elif _CLOSES.match(inner):
        if inline:
            inline.pop()
    elif _OPENS.match(inner):
        inline.append(expected)


def _name_by_place(page: bytes, code: bytearray, place: tuple[int, int], quote: bytes) -> None:
    """Name a tag that is a literal, or all of a text, by where it begins: no other tag has this name."""
    start, end = place
    tag = page[start:end]
    if quote in (b'"', b"'"):
        if page[start - 1 : start] != quote or page[end : end + 1] != quote or path_of_text(tag) is None:
            return
        start, end = start - 1, end + 1
    elif quote or path_of_literal(tag) is None:
        return
    name = b"____%x_" % start
    around = page[start - 1 : start] + page[end : end + 1]
    if b"\n" not in tag and len(name) <= end - start and _AROUND.search(around) is None:
        code[start:end] = name.ljust(end - start, b"_")


def _writes(mark: bytes, sign: bytes, inner: bytes) -> bool:
    """Whether a tag writes a value."""
    if mark == b"{{":
        return inner[:1] not in (b"#", b"/", b"!", b"^", b"*", b">") and _BRACED_CONTROL.match(inner) is None
    return sign == b"=" if mark == b"<?" else mark == b"<%" and sign in (b"=", b"-", b"~")


def _as_name(tag: bytes, *, in_text: bool) -> bytes:
    """A name of the tag's length. In a text it goes on over its lines; elsewhere it stands on the first of them."""
    lines = tag.translate(_NAME).splitlines(keepends=True)
    if not in_text:
        return b"".join([lines[0], *(line.translate(_BLANKS) for line in lines[1:])])
    kept = []
    for line in lines:
        text = line.rstrip(b"\r\n")
        kept.append(text[:-1] + b"\\" + line[len(text) :] if text != line and text else line)
    return b"".join(kept)
