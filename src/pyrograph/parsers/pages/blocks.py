"""The markup of a component of Svelte as code: ``{@html x}``, ``{#each list as x}``, ``<Card text={x} />``, ``$store``.

    {#each notes as note (note.id)}      ;for(var note of notes);
      {@const text = note.text}          ;var text = note.text;
      <p>{@html text}</p>                ;_html(text)
      <Card note={note} {text} />        ;Card({note: note, text,})
    {/each}

Each part stands at its place, in a function behind the script that binds the names, because markup is shown again when
what it reads changes. A loop has no body, so what it binds is known behind it. Where its head does not fit before the
list, it stands behind it, with a name that no component may have: ``;var $=notes;for(var note of $);``. The parameter
of the function holds the properties of the component, which are variables of the script, too:

    ;let $s=$p=>{()=>{ ... };var note=$p.note;};export default $p=>{$s($p);note=$p.note;};

A value that the script derives from others is a function as well: ``$d(()=>  notes)`` for ``$derived(notes)``, and
``;()=>shown = notes`` for ``$: shown = notes``. A store is read under its name with ``$`` before it, which is bound to
the store behind the script. What does not fit into the blanks is left out. Time linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

from pyrograph.parsers.pages.brackets import end_of
from pyrograph.parsers.pages.expressions import is_expression, put_tokens
from pyrograph.policy.limits.parsing import MAX_ATTRIBUTE, MAX_LOOP_TYPES, MAX_PROPERTIES

RAW: Final = b";_html("
FUNCTION: Final = b";()=>{"
SHOWING: Final = (b";let ", b"$s=", b"$p=>{", b"()=>{")  # with properties
DERIVED: Final = b"$d(()=>  "
REACTIVE: Final = b";()=>"
_TAG: Final = re.compile(
    rb"(?P<comment><!--)|<(?P<style>style)(?=[\s>])|\{@html[ \t]|\{(?P<each>#each)[ \t]|\{(?P<const>@const)[ \t]"
    rb"|<(?P<component>[A-Z]\w{0,100})(?=[\s/>])"
)
_STYLE_END: Final = re.compile(rb"</style\s*>", re.IGNORECASE)
_AS: Final = re.compile(rb"\s+as\s+")
_BLANK: Final = re.compile(rb"\s+")
_NAME: Final = re.compile(rb"[a-zA-Z_$][\w$]*", re.ASCII)
_PART: Final = re.compile(
    rb"""(?P<end>/?>)|\s++|\{(?P<spread>\.\.\.)|(?P<short>\{)|(?P<name>[a-zA-Z_][\w]*)(?P<equals>=)(?P<open>\{)"""
    rb"""|[^\s"'<>/={}]++(?:=(?P<value>\{|"[^"{]*+"|'[^'{]*+'|[^\s"'<>{}]++))?|"""
    rb""""[^"{]*+"|'[^'{]*+'|/""",
    re.DOTALL,
)
_IMPORT: Final = re.compile(rb"^\s*import\s+([A-Z]\w*)\s+from\s*['\"][^'\"\n]+\.svelte['\"]", re.MULTILINE)
_PROPERTY: Final = re.compile(rb"\bexport\s+let\s+([a-zA-Z_$][\w$]*)", re.ASCII)
_PROPERTIES: Final = re.compile(
    rb"\blet\s*\{([^{}=]*(?:=[^{}]*)?)\}(?:\s*:[^=;]{1,%d})?\s*=\s*\$props\(" % MAX_ATTRIBUTE
)
_DECLARED: Final = re.compile(rb"\s*([a-zA-Z_][\w$]*)\s*(?::\s*([a-zA-Z_][\w$]*)\s*)?(?:=.*)?", re.ASCII | re.DOTALL)
_STORE: Final = re.compile(
    rb"(?<![\w$.])\$(?!(?:state|derived|props|effect|bindable|inspect|host)\b)([a-zA-Z_]\w*)\b(?!\s*[(:])", re.ASCII
)
_BINDING: Final = re.compile(rb"(?<![\w$.])([a-zA-Z_]\w*)\b", re.ASCII)
_DERIVED: Final = re.compile(
    rb"(?P<rune>(?<![\w$.])\$derived\((?!\s*\{))|^(?:[ \t]{2,}\$:[ \t]|[ \t]\$:[ \t]{2})(?=[\w$]+\s*=[^=]|\{)",
    re.MULTILINE,
)
_DEFAULT: Final = re.compile(rb"\bexport\s+default\b")


def put_blocks(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
    """Put what the markup of a component does into its ``code``, a text of the page's length whose other bytes are
    blank; ``scripts``: where scripts stand.
    """
    if b"{@html" in page or _IMPORT.search(page) is not None:
        Blocks(page, code, scripts).put()


class Blocks:
    """The markup of one component."""

    def __init__(self, page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
        self.page = page
        self.code = code
        self.scripts = sorted(scripts)
        self.number = 0  # of the script that comes next
        self.free = 0  # bytes from here on are blank, up to the next script
        self.tails: list[list[bytes]] = []  # ways to end the function around the markup between two scripts
        self.head = 0, b""  # where the function begins, and the blanks there
        self.given: dict[bytes, bytes] = {}  # variables of properties, by the names of these
        self.components = frozenset(_IMPORT.findall(page))

    def put(self) -> None:
        text = b"\n".join([self.page[start:end] for start, end in self.scripts])
        self.given = {} if _DEFAULT.search(text) is not None else properties(text)
        for start, end in self.scripts:
            put_derived(self.code, start, end)
        self.put_stores(text)
        at = 0
        while (match := _TAG.search(self.page, at)) is not None:
            at = match.end()
            while self.number < len(self.scripts) and self.scripts[self.number][1] <= match.start():
                self.close()
                self.free = max(self.free, self.scripts[self.number][1])
                self.number += 1
            if self.number < len(self.scripts) and self.scripts[self.number][0] <= match.start():
                at = max(at, self.scripts[self.number][1])
            elif match["comment"] or match["style"]:
                at = self.behind(match)
                if at < 0:
                    break
            else:
                at = self.put_tag(match)
        self.close()

    def open(self, end: int) -> None:
        """Begin the function around the markup between two scripts, before ``end``."""
        if self.tails:
            return
        at = max(self.free, end - MAX_ATTRIBUTE)
        before = bytes(self.code[at:end])
        if self.given and put_tokens(self.code, SHOWING, at, end):
            names = list(self.given.items())[:MAX_PROPERTIES]
            bound = [part for name, own in names for part in (b"var ", own, b"=$p.", name + b";")]
            kept = [part for name, own in names for part in (own, b"=$p.", name + b";")]
            first = [b"};", *bound, b"};", b"export default "]
            self.tails = [[*first, b"$p=>{", b"$s($p);", *kept, b"};"], [*first, b"$s;"], [b"}};"]]
            self.given = {}
            self.free = self.code.rfind(SHOWING[-1], at, end) + len(SHOWING[-1])
        elif put_tokens(self.code, [FUNCTION], at, end):
            self.tails = [[b"};"]]
            self.free = self.code.rfind(FUNCTION, at, end) + len(FUNCTION)
        self.head = at, before[: self.free - at]

    def close(self) -> None:
        """End the function."""
        for tail in self.tails:
            if put_tokens(self.code, tail, self.free, self.end()):
                self.free = self.code.rfind(tail[-1], self.free, self.end()) + len(tail[-1])
                break
        else:
            at, before = self.head
            self.code[at : at + len(before)] = before if self.tails else self.code[at : at + len(before)]
        self.tails = []

    def behind(self, match: re.Match[bytes]) -> int:
        if match["comment"]:
            return self.page.find(b"-->", match.end())
        found = _STYLE_END.search(self.page, match.end())
        return -1 if found is None else found.end()

    def put_tag(self, match: re.Match[bytes]) -> int:
        """Put one tag; returns where the search goes on."""
        page, at = self.page, match.end()
        self.open(match.start())
        if match["component"]:
            return self.put_component(match) if match["component"] in self.components else at
        stop = end_of(page, at, min(len(page), at + MAX_ATTRIBUTE))
        if stop < 0:
            return at
        if match["each"]:
            self.put_loop(match.start(), at, stop)
        elif match["const"]:
            if is_expression(page[at:stop]) and self.put_at(at - 5, b";var " + page[at:stop], stop):
                self.code[stop] = 0x3B  # ";"
        elif is_expression(page[at:stop]) and self.put_at(at - len(RAW), RAW + page[at:stop], stop):
            self.code[stop] = 0x29  # ")"
            self.put_semicolon()
        return stop + 1

    def put_semicolon(self) -> None:
        blank = self.code.find(b" ", self.free, self.end())  # before a script that follows: its tag is blank
        if blank >= 0:
            self.code[blank] = 0x3B
            self.free = blank + 1

    def end(self) -> int:
        """Where the blanks end that begin at ``free``."""
        return self.scripts[self.number][0] if self.number < len(self.scripts) else len(self.page)

    def put_at(self, at: int, text: bytes, stop: int) -> bool:
        """Put a text that ends at ``stop``, if it takes the place of blanks."""
        if at < self.free or self.code[at:stop].strip():
            return False
        self.code[at:stop] = text
        self.free = stop + 1
        return True

    def put_loop(self, start: int, at: int, stop: int) -> None:
        """``{#each list as x}``: a loop without a body."""
        page = self.page
        heads = islice(_AS.finditer(page, at, stop), MAX_LOOP_TYPES)
        head = next((each for each in heads if is_expression(page[at : each.start()])), None)
        if head is None:
            return
        bound = self.pattern(head.end(), stop)
        if start < self.free or not bound:
            return
        code = self.code
        if put_tokens(code, [b";for(", b"var ", bound + b" of "], max(self.free, start - MAX_ATTRIBUTE), at):
            code[at : head.start()] = page[at : head.start()]
            self.free = code.find(b"  ", head.start(), stop) + 2  # where "as" stands
            code[self.free - 2 : self.free] = b");"
            return
        following = _TAG.search(page, stop)
        end = min(self.end(), following.start() if following is not None else len(page))
        if put_tokens(code, [b";for(", b"var ", bound + b" of ", b"$);"], head.start(), end):
            code[start : head.start()] = b";var $=" + page[at : head.start()]
            self.free = code.find(b"$);", head.start(), end) + 3

    def pattern(self, at: int, stop: int) -> bytes:
        """The name, or the pattern of names, that a loop binds."""
        page = self.page
        if page[at : at + 1] in (b"{", b"["):
            end = end_of(page, at + 1, stop)
            return _BLANK.sub(b"", page[at : end + 1]) if end > 0 else b""
        name = _NAME.match(page, at, stop)
        return name[0] if name is not None else b""

    def put_component(self, match: re.Match[bytes]) -> int:
        """The element of a component: a call with its properties, ``<Card text={x} />`` as ``Card({text: x})``."""
        page, at = self.page, match.end()
        limit = min(self.end(), at + MAX_ATTRIBUTE)
        kept: list[tuple[int, int, int, bytes]] = []  # (start, where the value begins, its end, what stands before)
        while (part := _PART.match(page, at, limit)) is not None and not part["end"]:
            at = part.end()
            if part["open"] or part["short"] or part["spread"] or part["value"] == b"{":
                stop = end_of(page, at, limit)
                if stop < 0:
                    return match.end()
                if is_expression(page[at:stop]) and part["value"] is None:
                    before = part["name"] + b": " if part["open"] else part["spread"] or b""
                    kept.append((part.start(), at, stop, before.rjust(at - part.start())))
                at = stop + 1
        if part is None:
            return match.end()
        code, first = self.code, max(self.free, match.start() - MAX_ATTRIBUTE)
        if not kept or code[first : part.end()].strip():
            return part.end()
        if not put_tokens(code, [b";" + match["component"], b"(", b"{"], first, kept[0][0]):
            return part.end()
        for start, begin, stop, before in kept:
            code[start:stop] = before + page[begin:stop]
            code[stop] = 0x2C  # ","
        code[kept[-1][2]] = 0x7D  # "}"
        close = code.find(b" ", kept[-1][2] + 1, part.end())  # at the latest where the tag ends
        code[close] = 0x29  # ")"
        self.free = close + 1
        self.put_semicolon()
        return part.end()

    def put_stores(self, text: bytes) -> None:
        """Bind the names under which stores are read, behind the last script."""
        at = self.scripts[-1][1] if self.scripts else 0
        names = dict.fromkeys(_STORE.findall(self.page))
        end = _TAG.search(self.page, at)
        declared = set(_BINDING.findall(text))
        for name in [each for each in names if each in declared][:MAX_PROPERTIES]:
            tokens = [b";var ", b"$" + name, b"=", name + b";"]
            if put_tokens(self.code, tokens, at, end.start() if end is not None else len(self.page)):
                at = self.free = self.code.rfind(name + b";", at) + len(name) + 1


def properties(text: bytes) -> dict[bytes, bytes]:
    """The variables of a script that hold properties, by the names of these."""
    given = {name: name for name in _PROPERTY.findall(text)}
    declared = _PROPERTIES.search(text)
    for each in declared[1].split(b",") if declared is not None else ():
        name = _DECLARED.fullmatch(each)
        if name is not None:
            given[name[1]] = name[2] or name[1]
    return given


def put_derived(code: bytearray, start: int, end: int) -> None:
    """Make functions of what a script makes anew when that changes which it reads."""
    for match in _DERIVED.finditer(bytes(code[start:end])):
        head = DERIVED if match["rune"] else REACTIVE
        at = start + match.end()
        code[at - len(head) : at] = head
