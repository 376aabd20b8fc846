"""The form of edited code: lines that stay aligned with brackets, and that are no longer than those of the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pyrograph.model.edit import Edit, edited, merged
from pyrograph.parsers.editing import Editing, Tree
from pyrograph.policy.limits.fixes import SHORTEST_LINE, TAB_COLUMNS
from pyrograph.scanner.fix.project import Project

OPEN: Final = {"(": ")", "[": "]", "{": "}"}
_LAST_WORD: Final = re.compile(r"(\w+)\W*\Z")
# What may stand between a statement and a value that is computed in any case, and first.
_ALWAYS: Final = re.compile(
    r"call|argument|assignment|expression_statement|return_statement|await|string|interpolation"
)


@dataclass(frozen=True, slots=True)
class Form:
    """How lines are written in one file."""

    width: int  # columns of the longest line
    tab: int  # columns of a tab
    indentation: str  # of one level
    trailing: bool  # whether a comma ends a list on own lines


def form_of(tree: Tree, editing: Editing, path: str, project: Project) -> Form:
    """The form of a file: as the project configures it, else as the file has it."""

    def configured(pattern: str) -> str | None:
        return project.setting(path, editing.configuring, pattern) if pattern else None

    rows = tree.text.decode("utf-8", "replace").splitlines()
    tab = int(configured(editing.tab) or TAB_COLUMNS)
    width = configured(editing.width)
    longest = max((_columns(row, tab) for row in rows), default=0)
    indents = [row[: len(row) - len(row.lstrip())] for row in rows if row.strip()]
    steps = Counter(
        "\t" if "\t" in second else " " * (len(second) - len(first))
        for first, second in pairwise(indents)
        if len(second) > len(first) and len(second) - len(first) <= 8
    )
    step = steps.most_common(1)[0][0] if steps else editing.indentation
    trailing = editing.trailing
    if trailing is None:
        lists = [each for each in _brackets(tree) if b"\n" in tree.text[each[0] : each[1]]]
        ends = [tree.text[: end - 1].rstrip()[-1:] for start, end in lists if _is_spread(tree, start, end)]
        commas = sum(each == b"," for each in ends)
        said = configured(editing.comma)
        trailing = said != "none" if said and said != "es5" else commas * 2 > len(ends)
    return Form(int(width) if width else max(SHORTEST_LINE, longest), tab, step, trailing)


def spaced(tree: Tree, editing: Editing, path: str, project: Project) -> bool:
    """Whether braces on one line have spaces inside: as most of the file, else as the project configures it."""
    counts = Counter(
        tree.text[tree.start(node) + 1 : tree.start(node) + 2].isspace()
        for node, kind in enumerate(tree.syntax.kinds)
        if kind in editing.braces
        and tree.end(node) - tree.start(node) > 2
        and b"\n" not in tree.text[tree.start(node) : tree.end(node)]
    )
    if counts[True] != counts[False]:
        return counts[True] > counts[False]
    said = project.setting(path, editing.configuring, editing.spacing) if editing.spacing else None
    return said == "true" if said else editing.spaced


def shaped(
    tree: Tree, editing: Editing, syntax: str, form: Form, edits: Sequence[Edit], name: str = ""
) -> list[Edit] | None:
    """The edits, in order, in the form of the file; None where a line would be too long and cannot be broken.

    ``name``: begins the names of values that calls of new functions are bound to, "" where none may be.
    """
    attempts = [list(edits)]
    if name and (bound := _bound(tree, editing, edits, name)) is not None:
        attempts.append(bound)
    for attempt in attempts:
        aligned = merged([*attempt, *_realigned(tree, attempt)])
        if aligned is None:
            continue
        if _fits(tree.text, aligned, form):
            return aligned
        broken = _broken(tree, editing, syntax, form, attempt)
        if broken is not None and _fits(tree.text, broken, form):
            return broken
    return None


def _columns(row: str, tab: int) -> int:
    return len(row.expandtabs(tab))


def _fits(text: bytes, edits: Sequence[Edit], form: Form) -> bool:
    """Whether no line becomes longer than the file's lines may be; a line that was may stay as long as it was."""
    old = text.decode("utf-8", "replace").splitlines()
    new = edited(text, edits).decode("utf-8", "replace").splitlines()
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    limit = max([form.width, *(_columns(row, form.tab) for row in gone)])
    return all(_columns(row, form.tab) <= limit for row in come)


def _brackets(tree: Tree) -> list[tuple[int, int]]:
    """The stretches of all pairs of brackets, both included, outer ones first."""
    found: list[tuple[int, int]] = []
    for node, kind in enumerate(tree.syntax.kinds):
        if kind in OPEN and not tree.syntax.named[node]:
            siblings = tree.children[tree.parent(node)]
            end = next((tree.end(each) for each in reversed(siblings) if tree.kind(each) == OPEN[kind]), None)
            if end is not None and end > tree.start(node):
                found.append((tree.start(node), end))
    return sorted(set(found), key=lambda each: (each[0], -each[1]))


def _is_spread(tree: Tree, start: int, end: int) -> bool:
    """Whether brackets hold something, and what they hold stands on own lines."""
    inside = tree.text[start + 1 : end - 1]
    return bool(inside.strip()) and b"\n" in inside[: len(inside) - len(inside.lstrip())]


def _line_start(text: bytes, at: int) -> int:
    return text.rfind(b"\n", 0, at) + 1


def _realigned(tree: Tree, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Edits that keep lines aligned with the code behind the bracket that they continue."""
    text = tree.text
    brackets = [each for each in _brackets(tree) if b"\n" in text[each[0] : each[1]]]
    moved: dict[int, int] = {}  # start of a line -> columns by which its indentation grows

    def shift(at: int) -> int:
        start = _line_start(text, at)
        inner = [each for each in edits if start <= each.start and each.end <= at and b"\n" not in each.text]
        return moved.get(start, 0) + sum(len(each.text) - (each.end - each.start) for each in inner)

    starts = sorted({at + 1 for start, end in brackets for at in range(start, end) if text[at : at + 1] == b"\n"})
    strings = [
        (tree.start(node), tree.end(node))
        for node, kind in enumerate(tree.syntax.kinds)
        if "string" in kind and "concatenated" not in kind and b"\n" in text[tree.start(node) : tree.end(node)]
    ]
    for start in starts:
        if any(first < start < last for first, last in strings):
            continue
        row = text[start : text.find(b"\n", start)]
        width = len(row) - len(row.lstrip(b" "))
        around = [each for each in brackets if each[0] < start and start + width < each[1]]
        if not row.strip() or not around:
            continue
        opening = around[-1][0]
        line = _line_start(text, opening)
        if opening + 1 - line == width and text[opening + 1 : opening + 2] != b"\n" and (change := shift(opening)):
            moved[start] = change
            yield Edit(start, start, b" " * change) if change > 0 else Edit(start, start - change)


def _statement(tree: Tree, at: int) -> tuple[int, int] | None:
    """The lines that hold the smallest whole lines of code around an offset: from the first to behind the last."""
    text = tree.text
    node = tree.at(at, at + 1)
    for each in () if node is None else (node, *tree.above(node)):
        start, end = _line_start(text, tree.start(each)), tree.end(each)
        ending = text.find(b"\n", end)
        ending = len(text) if ending < 0 else ending
        is_first = not text[start : tree.start(each)].strip()
        kind = tree.kind(each)
        if is_first and ("statement" in kind or "declaration" in kind or "expression" in kind or kind == "assignment"):
            return start, ending
    return None


def _bound(tree: Tree, editing: Editing, edits: Sequence[Edit], prefix: str) -> list[Edit] | None:
    """The edits with calls that they put around values made before the statement, and bound to names."""
    opened = [each for each in edits if each.start == each.end and each.text.endswith(b"(") and b"\n" not in each.text]
    found: list[Edit] = [each for each in edits]
    names: dict[str, str] = {}  # code of the value -> the name
    lines: dict[str, str] = {}
    place = None
    for first in opened:
        node = next(
            (
                node
                for node, start in enumerate(tree.syntax.starts)
                if start == first.start and Edit(tree.end(node), tree.end(node), b")") in found
            ),
            None,
        )
        if node is None:
            return None
        last = Edit(tree.end(node), tree.end(node), b")")
        statement = next((each for each in tree.above(node) if "statement" in tree.kind(each)), None)
        if statement is None or (place is not None and place != tree.start(statement)):
            return None
        between = list(tree.above(node))[: list(tree.above(node)).index(statement) + 1]
        if not all(_ALWAYS.search(tree.kind(each)) for each in between):
            return None
        place = tree.start(statement)
        code = tree.source(node)
        word = _LAST_WORD.search(code)
        name = names.get(code, f"{prefix}{word[1]}" if word else "")
        if not name.isidentifier() or tree.has_name(name) or (code not in names and name in names.values()):
            return None
        names[code] = name
        statement_code = editing.bound(name, f"{first.text.decode()}{code})")
        if statement_code is None:
            return None
        lines[name] = statement_code
        found.remove(first)
        found.remove(last)
        found.append(Edit(tree.start(node), tree.end(node), name.encode()))
    if place is None:
        return None
    start = _line_start(tree.text, place)
    indent = tree.text[start:place]
    if indent.strip():
        return None
    found.append(Edit(start, start, b"".join(indent + each.encode() + b"\n" for each in lines.values())))
    return found


def _broken(tree: Tree, editing: Editing, syntax: str, form: Form, edits: Sequence[Edit]) -> list[Edit] | None:
    """The edits with the object or the call that made a line too long written on several lines."""
    whole = merged(edits)
    if whole is None:
        return None
    new = edited(tree.text, whole)
    old_rows = Counter(tree.text.splitlines())
    for row in Counter(new.splitlines()) - old_rows:
        if _columns(row.decode("utf-8", "replace"), form.tab) <= form.width:
            continue
        at = new.find(row)
        after = Tree(new, syntax)
        for start, end in _breakable(after, editing, at, at + len(row)):
            breaks = _spread(after, form, start, end)
            region = _statement(tree, _before(whole, at + len(row) - len(row.lstrip())))
            if breaks is None or region is None:
                continue
            inside = [each for each in whole if region[0] <= each.start and each.end <= region[1]]
            shift = sum(len(each.text) - (each.end - each.start) for each in whole if each.end <= region[0])
            shift -= sum(len(each.text) - (each.end - each.start) for each in inside if each.end <= region[0])
            grown = sum(len(each.text) - (each.end - each.start) for each in inside)
            first, last = region[0] + shift, region[1] + shift + grown
            if not first <= start < end <= last:
                continue
            code = edited(new[first:last], [Edit(each.start - first, each.end - first, each.text) for each in breaks])
            result = merged([*(each for each in whole if each not in inside), Edit(*region, code)])
            if result is not None and _fits(tree.text, result, form):
                return result
    return None


def _before(edits: Sequence[Edit], at: int) -> int:
    """Where a byte of the edited text stood."""
    shift = 0
    for each in edits:
        if each.start + shift >= at:
            break
        shift += len(each.text) - (each.end - each.start)
    return at - shift


def _breakable(tree: Tree, editing: Editing, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Brackets on one line that may be written on several: of objects that begin it or end a call, and of calls."""
    text = tree.text
    head = start + len(text[start:end]) - len(text[start:end].lstrip())
    kinds = enumerate(tree.syntax.kinds)
    if any("comment" in kind and start <= tree.start(node) < end for node, kind in kinds):
        return  # it may speak of the whole line, to a tool
    pairs = [each for each in _brackets(tree) if start <= each[0] and each[1] <= end and each[1] - each[0] > 2]
    for first, last in pairs:
        behind = text[last:end].strip(b" ")
        if text[first : first + 1] == b"{" and (first == head or re.match(rb"\)+[^,({\[]*\Z", behind)):
            node = tree.at(first, last)
            if node is not None and tree.kind(node) in editing.braces:
                yield first, last
    for first, last in pairs:
        node = tree.at(first, last)
        if node is not None and text[first : first + 1] == b"(" and len(tree.named(node)) > 1:
            call = tree.parent(node)
            is_plain = all(tree.kind(each) not in editing.functions for each in tree.named(node))
            if is_plain and call >= 0 and tree.kind(call) in editing.calls:
                yield first, last


def _spread(tree: Tree, form: Form, start: int, end: int) -> list[Edit] | None:
    """Edits that write what stands in brackets on a line each."""
    node = tree.at(start, end)
    if node is None or any("comment" in tree.kind(each) for each in tree.children[node]):
        return None
    text = tree.text
    row = text[_line_start(text, start) : start]
    indent = row[: len(row) - len(row.lstrip())]
    inner = b"\n" + indent + form.indentation.encode()
    items = tree.named(node)
    found = [Edit(start + 1, tree.start(items[0]), inner)]
    found += [Edit(tree.end(one), tree.start(other), b"," + inner) for one, other in pairwise(items)]
    found.append(Edit(tree.end(items[-1]), end - 1, (b"," if form.trailing else b"") + b"\n" + indent))
    return found
