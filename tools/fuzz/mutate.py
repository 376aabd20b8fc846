"""Mutations of real files: of their syntax trees, their tokens and their bytes.

Everything here is a function of its arguments: the same random generator gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

from tools.fuzz.seeds import Seed

from pyrograph.parsers.trees import Syntax, parse
from pyrograph.scanner.reduce import Edit

MAX_GROWTH = 30_000  # bytes that one mutation may add
MAX_DEPTH = 400  # of what is nested
MAX_EDITS = 5

Edits = list[Edit]
_TAG = re.compile(rb"<%.*?%>|\{\{\{?.*?\}\}\}?|\{%.*?%\}|<[^<>]*>|[^<{]+|.", re.DOTALL)
_BRACKETS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"-", b""), (b"!", b""), (b"f(", b")"), (b"a.b[", b"]"))
_TEXTS = (
    b"", b"__proto__", b"constructor", b"prototype", b"../", b"%s" * 40, b"(a+)+$", b"\\", b"\xff\xfe", b"\x00",
    b"\xf0\x9f\x92\xa9", b"\xed\xa0\x80", b"{}", b"a" * 3000, b"$(x)", b"pyrograph: ignore", b"nosec", b"*",
)  # fmt: skip
_TOKENS = {
    "python": b"def class return yield await async with as for in while else elif try except finally raise import "
    b"lambda global nonlocal del pass break continue match case := -> ** * @ : , = == . ( ) [ ] { } not and or is if "
    b"None True self super() print f'' b'' \"\"\" \\ ; ~ ...",
    "javascript": b"function class return yield await async of for in while do else try catch finally throw import "
    b"from export default new delete this super let const var break continue switch case => ?? ?. ... ** = == === . ( "
    b"[ ] { } ! && || ? : ; , `${ } static get set # extends typeof instanceof void null undefined /x/ get /",
    "go": b"func type struct interface return go defer select chan map for range if else switch case default break "
    b"continue goto fallthrough package import var const := <- = == . ( ) [ ] { } ! && || : ; , * & ... nil iota any "
    b"error string int [] map[string] // /* */ `",
    "": b"{{ }} {{{ }}} {% %} {# #} <% <%= <%- %> <%# {{# {{/ {{> {{& | safe block endblock extends include for endfor "
    b"if endif else set macro raw autoescape #each #if @index this. ../ != #{ !{ - + = ( ) [ ] , : . \" '",
}
_TOKENS["typescript"] = _TOKENS["tsx"] = _TOKENS["javascript"] + b" interface type enum as any < > ! declare readonly |"


def mutate(seed: Seed, donors: Sequence[Seed], random: Random) -> bytes:
    """A text made from ``seed``, with parts of ``donors``: the seed's own language first."""
    text = seed.text
    if random.random() < 0.85:
        text = _apply(text, _structural(seed, donors, random))
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        text = _apply(text, [random.choice(_TOKEN_NOISE)(text, seed.language, random)])
    if random.random() < 0.15:
        text = random.choice(_WHOLE)(text, random)
    return text


def _structural(seed: Seed, donors: Sequence[Seed], random: Random) -> Edits:
    if not seed.language:
        return _tags(seed, donors, random)
    syntax = _tree(seed)
    nodes = [node for node in range(1, len(syntax.kinds)) if syntax.named[node]]
    if not nodes:
        return []
    same = [donor for donor in donors if donor.language == seed.language] or [seed]
    edits: Edits = []
    for _ in range(random.randint(1, MAX_EDITS)):
        edits += random.choice(_OPERATORS)(seed, syntax, random.choice(nodes), random.choice(same), random)
    return edits


@lru_cache(maxsize=4_000)
def _tree(seed: Seed) -> Syntax:
    return parse(seed.text, seed.language)


@lru_cache(maxsize=4_000)
def _by_kind(seed: Seed) -> dict[str, list[int]]:
    """The named nodes of each kind."""
    syntax = _tree(seed)
    found: dict[str, list[int]] = {}
    for node, kind in enumerate(syntax.kinds):
        if syntax.named[node]:
            found.setdefault(kind, []).append(node)
    return found


def _apply(text: bytes, edits: Edits) -> bytes:
    """The text with those edits that do not overlap earlier ones."""
    pieces: list[bytes] = []
    at = 0
    for edit in sorted(edits):
        if edit.start >= at:
            pieces += (text[at : edit.start], edit.text[:MAX_GROWTH])
            at = edit.end
    return b"".join([*pieces, text[at:]])


def _part(seed: Seed, syntax: Syntax, node: int) -> bytes:
    return seed.text[syntax.starts[node] : syntax.ends[node]]


# Syntax nodes


def _cut(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    return [Edit(syntax.starts[node], syntax.ends[node])]


def _duplicate(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node again, behind itself: a statement with its indentation, an expression with a comma."""
    text = _part(seed, syntax, node)
    line = seed.text.rfind(b"\n", 0, syntax.starts[node]) + 1
    before = seed.text[line : syntax.starts[node]]
    between = b"\n" + before if not before.strip() else random.choice((b", ", b" ", b"\n", b"; ", b"."))
    times = random.choice((1, 1, 1, 2, 5, 50))
    times = min(times, MAX_GROWTH // (len(text) + len(between) + 1))
    return [Edit(syntax.ends[node], syntax.ends[node], (between + text) * times)]


def _swap(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """Two nodes of one kind change places."""
    other = random.choice(_by_kind(seed)[syntax.kinds[node]])
    if syntax.starts[other] >= syntax.ends[node] or syntax.ends[other] <= syntax.starts[node]:
        spans = [(syntax.starts[each], syntax.ends[each]) for each in (node, other)]
        texts = _part(seed, syntax, other), _part(seed, syntax, node)
        return [Edit(start, end, text) for (start, end), text in zip(spans, texts, strict=True)]
    return _nest(seed, syntax, node, donor, random)


def _splice(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node becomes one of the same kind from another file."""
    candidates = _by_kind(donor).get(syntax.kinds[node])
    if not candidates:
        return _swap(seed, syntax, node, donor, random)
    text = _part(donor, _tree(donor), random.choice(candidates))
    return [Edit(syntax.starts[node], syntax.ends[node], text)]


def _graft(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node becomes any node of another file."""
    tree = _tree(donor)
    text = _part(donor, tree, random.randrange(len(tree.kinds)))
    return [Edit(syntax.starts[node], syntax.ends[node], text)]


def _insert(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A statement of another file before a node that begins a line."""
    tree = _tree(donor)
    roots = [each for each in range(1, len(tree.kinds)) if tree.parents[each] == 0 and tree.named[each]]
    line = seed.text.rfind(b"\n", 0, syntax.starts[node]) + 1
    indent = seed.text[line : syntax.starts[node]]
    if not roots or indent.strip():
        return _splice(seed, syntax, node, donor, random)
    text = _part(donor, tree, random.choice(roots)).replace(b"\n", b"\n" + indent)
    return [Edit(syntax.starts[node], syntax.starts[node], text + b"\n" + indent)]


def _nest(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node inside a node of the same kind inside itself, again and again."""
    above = syntax.parents[node]
    while above > 0 and syntax.kinds[above] != syntax.kinds[node]:
        above = syntax.parents[above]
    if above <= 0:
        return _hoist(seed, syntax, node, donor, random)
    head = seed.text[syntax.starts[above] : syntax.starts[node]]
    tail = seed.text[syntax.ends[node] : syntax.ends[above]]
    times = min(random.choice((1, 2, 3, 10, MAX_DEPTH)), MAX_GROWTH // (len(head) + len(tail) + 1))
    return [Edit(syntax.starts[node], syntax.ends[node], head * times + _part(seed, syntax, node) + tail * times)]


def _hoist(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node in place of one that holds it."""
    above = node
    for _ in range(random.randint(1, 4)):
        above = max(syntax.parents[above], 0)
    if above == 0:
        return []
    return [Edit(syntax.starts[above], syntax.ends[above], _part(seed, syntax, node))]


def _alias(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """Some identifiers become other ones of the file: makes recursion, aliases and rings."""
    kinds = _by_kind(seed)
    names = [each for kind, nodes in kinds.items() if kind.endswith("identifier") for each in nodes]
    if not names:
        return []
    edits: Edits = []
    for _ in range(random.choice((1, 2, 4, 8))):
        chosen = random.choice(names)
        edits.append(Edit(syntax.starts[chosen], syntax.ends[chosen], _part(seed, syntax, random.choice(names))))
    return edits


def _merge_names(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """All identifiers of one name become another name of the file."""
    kinds = _by_kind(seed)
    names = [each for kind, nodes in kinds.items() if kind.endswith("identifier") for each in nodes]
    if not names:
        return []
    old, new = (_part(seed, syntax, random.choice(names)) for _ in range(2))
    return [Edit(syntax.starts[each], syntax.ends[each], new) for each in names if _part(seed, syntax, each) == old]


def _text(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A text becomes a hostile one, or one of another file."""
    kinds = [kind for kind in _by_kind(seed) if "fragment" in kind or "content" in kind]
    if not kinds:
        return []
    chosen = random.choice(_by_kind(seed)[random.choice(kinds)])
    return [Edit(syntax.starts[chosen], syntax.ends[chosen], random.choice(_TEXTS))]


def _wrap(seed: Seed, syntax: Syntax, node: int, donor: Seed, random: Random) -> Edits:
    """A node inside many brackets."""
    opening, closing = random.choice(_BRACKETS)
    times = random.choice((1, 1, 3, 60, MAX_DEPTH))
    return [Edit(syntax.starts[node], syntax.ends[node], opening * times + _part(seed, syntax, node) + closing * times)]


_OPERATORS: tuple[Callable[[Seed, Syntax, int, Seed, Random], Edits], ...] = (
    _cut, _duplicate, _swap, _splice, _splice, _splice, _graft, _insert, _insert, _nest, _hoist, _alias, _alias,
    _merge_names, _text, _wrap,
)  # fmt: skip


# Templates and manifests, which have no grammar here


def _tags(seed: Seed, donors: Sequence[Seed], random: Random) -> Edits:
    """Tags and stretches of text are cut, swapped, repeated and taken from other templates."""
    spans = [match.span() for match in _TAG.finditer(seed.text)]
    others = [donor for donor in donors if not donor.language] or [seed]
    edits: Edits = []
    for _ in range(random.randint(1, MAX_EDITS) if spans else 0):
        start, end = random.choice(spans)
        other = random.choice(others).text
        parts = _TAG.findall(other) or [b""]
        kind = random.randrange(5)
        if kind == 0:
            edits.append(Edit(start, end))
        elif kind == 1:
            edits.append(Edit(start, end, random.choice(parts)))
        elif kind == 2:
            edits.append(Edit(end, end, random.choice(parts)))
        elif kind == 3:
            text = seed.text[start:end]
            edits.append(Edit(end, end, text * min(random.choice((1, 3, 50)), MAX_GROWTH // (len(text) + 1))))
        else:
            last = random.choice([span for span in spans if span[0] >= start])[1]
            edits.append(Edit(last, last, seed.text[start:last][:MAX_GROWTH]))
    return edits


# Tokens and bytes


def _place(text: bytes, random: Random) -> int:
    return random.randint(0, len(text))


def _token_in(text: bytes, language: str, random: Random) -> Edit:
    at = _place(text, random)
    return Edit(at, at, b" " + random.choice(_TOKENS[language].split()) + b" ")


def _token_instead(text: bytes, language: str, random: Random) -> Edit:
    words = list(re.finditer(rb"\w+|[^\w\s]", text)) if len(text) < MAX_GROWTH else []
    if not words:
        return _token_in(text, language, random)
    chosen = random.choice(words)
    return Edit(chosen.start(), chosen.end(), random.choice(_TOKENS[language].split()))


def _range_out(text: bytes, language: str, random: Random) -> Edit:
    start = _place(text, random)
    return Edit(start, min(len(text), start + random.choice((1, 2, 10, 200))))


def _bytes_in(text: bytes, language: str, random: Random) -> Edit:
    at = _place(text, random)
    return Edit(at, at, random.choice((*_TEXTS, random.randbytes(random.choice((1, 4, 40))))))


def _byte_flip(text: bytes, language: str, random: Random) -> Edit:
    at = random.randrange(max(len(text), 1))
    return Edit(at, min(at + 1, len(text)), bytes([random.randrange(256)]))


_TOKEN_NOISE = (_token_in, _token_instead, _token_instead, _range_out, _bytes_in, _byte_flip)


def _truncated(text: bytes, random: Random) -> bytes:
    return text[: _place(text, random)]


def _crlf(text: bytes, random: Random) -> bytes:
    return text.replace(b"\n", random.choice((b"\r\n", b"\r", b"\r\r\n", b"\x0c\n", b"\xe2\x80\xa8")))


def _bom(text: bytes, random: Random) -> bytes:
    return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"#!/usr/bin/env node\n", b"\x00")) + text


def _invalid(text: bytes, random: Random) -> bytes:
    """Some bytes of the whole file become invalid UTF-8."""
    spoiled = bytearray(text)
    for _ in range(random.choice((1, 5, 50))):
        if spoiled:
            spoiled[random.randrange(len(spoiled))] = random.choice((0x80, 0xC0, 0xF8, 0xFF, 0xED))
    return bytes(spoiled)


def _encoded(text: bytes, random: Random) -> bytes:
    return text.decode("utf-8", "replace").encode(random.choice(("utf-16", "utf-16-le", "latin-1", "utf-7")), "replace")


def _one_line(text: bytes, random: Random) -> bytes:
    return text.replace(b"\n", random.choice((b" ", b";", b"")))


def _shuffled(text: bytes, random: Random) -> bytes:
    lines = text.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


def _repeated(text: bytes, random: Random) -> bytes:
    return text * min(random.choice((2, 4, 16)), max(1, MAX_GROWTH // (len(text) + 1)))


def _deep(text: bytes, random: Random) -> bytes:
    """Brackets that are never closed, or closed after the file."""
    opening, closing = random.choice(_BRACKETS)
    times = random.choice((100, 2_000))
    return opening * times + text + closing * random.choice((0, times))


_WHOLE = (_truncated, _crlf, _bom, _invalid, _encoded, _one_line, _shuffled, _repeated, _deep)
