"""The operations of a rule's ``fix`` entry, on the syntax at one place. docs/rule-language.md describes them.

Each returns the edits of its file, or None where the code has a form that it cannot rewrite and mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing import Imported, Tree
from pyrograph.parsers.editing.formats import PERCENT
from pyrograph.policy.names.functions import MARKUP_NAMES
from pyrograph.rules.entries import EditStep
from pyrograph.scanner.fix.commands import arranged, quoted, words
from pyrograph.scanner.fix.site import Site, text_of
from pyrograph.scanner.fix.statements import parameters

Edits = list[Edit]
_QUOTE_BEFORE: Final = re.compile(r"(?:\\?[\"']|`)\Z")
_QUOTE_AFTER: Final = re.compile(r"\\?[\"']|`")
_WORD_BEFORE: Final = re.compile(r"(?<!\\)[\w/.@#:-]\Z")  # the letter of an escape is none of a word
_WORD_BEHIND: Final = re.compile(r"[\w/@#-]|[.:][\w%]")
_BEGINS_ELEMENT: Final = re.compile(r"\w*(?:\"\"\"|'''|\"|')\s*<[a-zA-Z]")  # a text that begins an element
_FIELD: Final = re.compile(r"['\"]?\w[\w.]*['\"]?")  # a key that names a field


def carried_out(site: Site, step: EditStep) -> Edits | None:
    """The edits of one operation at a sink."""
    return _OPERATIONS[step.operation](site, step)


def _call(site: Site, step: EditStep) -> Edits | None:
    """Calls another function with the same arguments."""
    if site.call is None:
        return None
    tree = site.tree
    callee = tree.child(site.call, "function")
    if callee is None:
        return None
    field = site.editing.members.get(tree.kind(callee))
    if field is not None and site.api[:-1] == step.api[:-1]:
        name = tree.child(callee, field)
        return None if name is None else [Edit(tree.start(name), tree.end(name), step.api[-1].encode())]
    now = tree.source(callee) if site.api[:-1] == step.api[:-1] else ""
    return _named(site, callee, site.editing.imported(tree, step.api, now))


def _module(site: Site, step: EditStep) -> Edits | None:
    """Calls the function of the same name in another module, which may know other arguments than the first."""
    if site.call is None or len(site.arguments) != 1:
        return None
    if _BEGINS_ELEMENT.match(site.tree.source(site.node)):
        return None  # a document type stands before the first element: the value can declare no entity
    callee = site.tree.child(site.call, "function")
    found = site.editing.imported_module(site.tree, step.api)
    if callee is None or found is None:
        return None
    return _named(site, callee, Imported(f"{found.name}.{site.api[-1]}", found.edits))


def _named(site: Site, callee: int, found: Imported | None) -> Edits | None:
    if found is None:
        return None
    return [Edit(site.tree.start(callee), site.tree.end(callee), found.name.encode()), *found.edits]


def _wrap(site: Site, step: EditStep) -> Edits | None:
    """Calls a function with each untrusted part of an argument; the argument itself may have to be an object."""
    found = site.editing.imported(site.tree, step.api)
    if found is None:
        return None
    parts = list(_parts(site, site.node))
    places = [each for each in parts if each is not None and each != site.node]
    if len(parts) > 1:
        places = [each for each in places if site.touches(site.tree.start(each), site.tree.end(each))]
    edits: Edits = []
    for node in places:
        edits += wrapped(site, node, found.name)
    return [*edits, *found.edits] if edits else None


def _under(site: Site, step: EditStep) -> Edits | None:
    """Puts the untrusted values of an object's fields under a key: ``{ a: x }`` becomes ``{ a: { KEY: x } }``."""
    tree = site.tree
    fields = [each for each in _parts(site, site.node, texts=False) if each is not None and each != site.node]
    whole = list(_parts(site, site.node, texts=False))
    if len(whole) > 1:
        fields = [each for each in fields if site.touches(tree.start(each), tree.end(each))]
    fields = [each for each in fields if not _is_text_of_text(site, each)]
    edits: Edits = []
    for each in fields:
        start, end = tree.start(each), tree.end(each)
        code = tree.source(each)
        name = f"{code}: " if tree.kind(each) == site.editing.shorthand else ""
        edits += [
            Edit(start, start, f"{name}{{{site.space}{step.word}: ".encode()),
            Edit(end, end, f"{site.space}}}".encode()),
        ]
    return edits or None


def _is_text_of_text(site: Site, node: int) -> bool:
    """Whether an expression calls a method that only texts have, and that makes another text of one."""
    tree, editing = site.tree, site.editing
    callee = tree.child(node, "function") if tree.kind(node) in editing.calls else None
    field = editing.members.get(tree.kind(callee)) if callee is not None else None
    name = tree.child(callee, field) if callee is not None and field is not None else None
    return name is not None and tree.source(name) in editing.text_functions


def wrapped(site: Site, node: int, name: str) -> Edits:
    """Calls ``name`` with an expression."""
    tree = site.tree
    start, end = tree.start(node), tree.end(node)
    if tree.kind(node) == site.editing.shorthand:
        code = tree.source(node)
        return [Edit(start, end, f"{code}: {name}({code})".encode())]
    return [Edit(start, start, f"{name}(".encode()), Edit(end, end, b")")]


def _parts(site: Site, node: int, *, texts: bool = True) -> Iterator[int | None]:
    """The values that an argument is made of: elements of an object, holes of a text, or itself; None for others.

    Without ``texts``, a text is a value as others are.
    """
    tree, editing = site.tree, site.editing
    stack = [node]
    while stack:
        each = stack.pop()
        kind = tree.kind(each)
        if kind in editing.pairs:
            key, value = tree.child(each, "key"), tree.child(each, "value")
            # any other key may ask for a list, or for an object
            if key is not None and value is not None and _FIELD.fullmatch(tree.source(key)):
                stack.append(value)
            else:
                yield None
        elif kind in editing.containers:
            stack += reversed(tree.named(each))
        elif kind in editing.literals:
            continue
        else:
            text = editing.text(tree, each) if texts else None
            if text is None:
                yield each
                continue
            for hole in text.holes:
                inner = tree.at(*hole.code)
                if inner is not None:
                    yield inner


def _quote(site: Site, step: EditStep) -> Edits | None:
    """Quotes the untrusted values of a command for the shell."""
    found = site.editing.imported(site.tree, step.api)
    text = text_of(site, site.node)
    if found is None or text is None:
        return None
    edits = quoted(site, text, found.name)
    return None if edits is None else [*edits, *found.edits]


def _words(site: Site, step: EditStep) -> Edits | None:
    """Passes a command as a list of words."""
    text = site.editing.text(site.tree, site.node)  # a variable may be printed, or mean the text elsewhere
    found = None if text is None else words(site, text)
    code = None if found is None else arranged(found, step.word)
    if text is None or code is None:
        return None
    return [Edit(*text.span, code.encode())]


def _parameters(site: Site, step: EditStep) -> Edits | None:
    """Passes the values of a statement as parameters. The call must have none yet."""
    if site.call is None:
        return None
    tree, editing = site.tree, site.editing
    behind = site.arguments[site.index + 1 :]
    if any(tree.kind(each) not in editing.functions for each in behind):
        return None
    text = text_of(site, site.node)
    found = None if text is None else parameters(tree, editing, text, step.word)
    if found is None:
        return None
    edits, values = found
    argument = site.arguments[site.index]
    if tree.kind(argument) == editing.keyword_argument:
        return None
    at = tree.end(argument)
    indent, is_apart = _own_lines(tree, argument)
    given = editing.parameters(values, indent, is_apart=is_apart).encode()
    if is_apart:
        given = f",\n{indent}".encode() + given[2:]
    ending = next((edit for edit in edits if edit.end == at and edit.start < at), None)
    if ending is not None:  # the text ends where the parameters begin
        edits[edits.index(ending)] = Edit(ending.start, ending.end, ending.text + given)
        return edits
    return [*edits, Edit(at, at, given)]


def _own_lines(tree: Tree, node: int) -> tuple[str, bool]:
    """The indentation of an argument's first line, and whether the argument begins that line and ends one."""
    start, end = tree.start(node), tree.end(node)
    before = tree.between(tree.text.rfind(b"\n", 0, start) + 1, start)
    indent = before[: len(before) - len(before.lstrip())]
    is_ended = tree.text[end : tree.text.find(b"\n", end) + 1].strip() in (b"", b",")
    return indent, is_ended and indent == before


def _drop(site: Site, step: EditStep) -> Edits | None:
    """Leaves out an argument; one without a name only where it is a constant."""
    tree, editing, port = site.tree, site.editing, step.port
    assert port is not None
    chosen = None
    for number, each in enumerate(site.arguments):
        if tree.kind(each) == editing.keyword_argument:
            name = tree.child(each, "name")
            if name is not None and tree.source(name) in port.names:
                chosen = number
        elif number == port.position and (port.names or tree.kind(each) in editing.literals):
            chosen = number
    if chosen is None:
        return [] if port.names else None
    node = site.arguments[chosen]
    if node == site.node:
        return None
    if chosen + 1 < len(site.arguments):
        return [Edit(tree.start(node), tree.start(site.arguments[chosen + 1]))]
    start = tree.end(site.arguments[chosen - 1]) if chosen else tree.start(node)
    return [Edit(start, tree.end(node))]


def _assign(site: Site, step: EditStep) -> Edits | None:
    """Assigns the value to another member, unless it is markup."""
    tree, editing = site.tree, site.editing
    if tree.kind(site.node) not in editing.assignments:
        return None
    left, right = (tree.child(site.node, field) for field in editing.assignments[tree.kind(site.node)])
    field = editing.members.get(tree.kind(left)) if left is not None else None
    name = tree.child(left, field) if left is not None and field is not None else None
    if name is None or right is None:
        return None
    values = [right]
    if tree.kind(right) == "identifier":  # what the variable is assigned counts, wherever that is
        variable = tree.source(right)
        for node, kind in enumerate(tree.syntax.kinds):
            if kind in editing.assignments:
                target, value = (tree.child(node, each) for each in editing.assignments[kind])
                if target is not None and value is not None and tree.source(target) == variable:
                    values.append(value)
    code = [tree.source(each) for each in values]
    if any("<" in each or "&" in each or MARKUP_NAMES.search(each) for each in code):
        return None
    if not site.is_local or not all(_makes_text(site, each) for each in values):
        return None  # what a caller or a function makes may be markup
    return [Edit(tree.start(name), tree.end(name), step.word.encode())]


def _makes_text(site: Site, node: int) -> bool:
    """Whether all calls in an expression read what is untrusted, or are functions of the language that keep texts."""
    tree, editing = site.tree, site.editing
    for each in tree.below(node):
        if tree.kind(each) not in editing.calls:
            continue
        if any(start <= tree.start(each) and tree.end(each) <= end for start, end in site.sources):
            continue
        callee = tree.child(each, "function")
        field = editing.members.get(tree.kind(callee)) if callee is not None else None
        name = tree.child(callee, field) if callee is not None and field is not None else callee
        if name is None or tree.source(name) not in editing.text_functions:
            return False
    return True


def _conversion(site: Site, step: EditStep) -> Edits | None:
    """Writes the value in a format by another conversion."""
    tree = site.tree
    if site.editing.is_prose(tree, site.node):
        return None  # in quotes it would be hard to read
    if any(site.editing.shows(tree, each, site.node) for each in site.arguments):
        return None  # the value would be written as it is, too
    for number in range(site.index):
        text = site.editing.text(tree, site.arguments[number])
        if text is None or text.holes or len(text.parts) != 1:
            continue
        literal = text.parts[0]
        content = tree.text[literal.start : literal.end].decode("latin-1")  # type: ignore[union-attr]
        found = [match for match in PERCENT.finditer(content) if match[1] is not None]
        place = site.index - number - 1
        if place >= len(found) or found[place][0] not in ("%s", "%v"):
            return None
        if found[place][0] == "%v" and not site.editing.shows_text(tree, site.node):
            return None  # numbers would be shown as characters
        start, end = found[place].span()
        before, after = _QUOTE_BEFORE.search(content[:start]), _QUOTE_AFTER.match(content[end:])
        if before is not None or after is not None:  # the conversion writes quotes itself
            if before is None or after is None or before[0] != after[0]:
                return None
            start, end = start - len(before[0]), end + len(after[0])
        if content[:start].endswith("[") and content[end:].startswith("]"):
            return None  # brackets show where the value ends
        if _WORD_BEFORE.search(content[:start]) or _WORD_BEHIND.match(content[end:]):
            return None  # quotes in the middle of a word
        at = literal.start  # type: ignore[union-attr]
        return [Edit(at + start, at + end, step.word.encode())]
    return None


def _import(site: Site, step: EditStep) -> Edits | None:
    """Imports another library under the name of the one that the sink belongs to."""
    return list(site.editing.replaced_import(site.tree, site.api[0], ".".join(step.api))) or None


def replaced(text: bytes, start: int, end: int, step: EditStep) -> Edits | None:
    """The match of a pattern in a stretch of text, replaced; None unless there is exactly one. For templates."""
    pattern, new = step.texts
    content = text[start:end].decode("latin-1")
    found = list(re.finditer(pattern, content))
    if len(found) != 1:
        return None
    return [Edit(start + found[0].start(), start + found[0].end(), found[0].expand(new).encode("latin-1"))]


_OPERATIONS: Final[Mapping[str, Callable[[Site, EditStep], Edits | None]]] = {
    "call": _call,
    "module": _module,
    "wrap": _wrap,
    "under": _under,
    "quote": _quote,
    "words": _words,
    "parameters": _parameters,
    "drop": _drop,
    "assign": _assign,
    "conversion": _conversion,
    "import": _import,
}
