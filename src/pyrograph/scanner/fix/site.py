"""The syntax that a finding is about: the argument or assignment at its place, and names that hold untrusted data."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from pyrograph.model.finding import Finding, Trace
from pyrograph.model.place import Place
from pyrograph.parsers.editing import Editing, Text, Tree, editing_of
from pyrograph.scanner.fix.form import Form, form_of, spaced
from pyrograph.scanner.fix.project import Project

_PARAMETER: Final = re.compile(r" as `([^`]+)`\Z")  # how a step of a path says which parameter it enters


def _word(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)")


class Lines:
    """Offsets of one text: lines and columns of places, which count code points."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts = [0]
        while (at := text.find(b"\n", self.starts[-1])) >= 0:
            self.starts.append(at + 1)

    def offset(self, line: int, column: int) -> int:
        """The byte at a line and column, both from 1."""
        start = self.starts[min(line, len(self.starts)) - 1]
        end = self.text.find(b"\n", start)
        row = self.text[start : len(self.text) if end < 0 else end].decode("utf-8", "replace")
        return start + len(row[: column - 1].encode("utf-8"))

    def span(self, place: Place) -> tuple[int, int]:
        return self.offset(place.line, place.column), self.offset(place.end_line, place.end_column)

    def place(self, path: str, start: int, end: int) -> Place:
        """The place of a stretch of bytes."""
        return Place(path, *self._position(start), *self._position(end))

    def _position(self, at: int) -> tuple[int, int]:
        line = bisect_right(self.starts, at)
        return line, len(self.text[self.starts[line - 1] : at].decode("utf-8", "replace")) + 1


class Files:
    """The texts of a scan, with their lines and trees as they are asked for."""

    def __init__(self, texts: Mapping[str, bytes], syntaxes: Mapping[str, str], project: Project | None = None) -> None:
        """``texts``: by path, templates included; ``syntaxes``: of the source files."""
        self.texts = texts
        self.project = project or Project(None)
        self._forms: dict[str, Form] = {}
        self.syntaxes = syntaxes
        self._lines: dict[str, Lines] = {}
        self._trees: dict[str, Tree] = {}
        # By path, of each other file: what it imports from the module, and its text where it imports the module.
        self._users: dict[str, list[tuple[bytes, bytes]]] = {}

    def lines(self, path: str) -> Lines:
        if path not in self._lines:
            self._lines[path] = Lines(self.texts[path])
        return self._lines[path]

    def tree(self, path: str) -> Tree:
        if path not in self._trees:
            self._trees[path] = Tree(self.texts[path], self.syntaxes[path])
        return self._trees[path]

    def form(self, path: str) -> Form:
        """How lines are written in a source file."""
        if path not in self._forms:
            editing = self.editing(path)
            assert editing is not None
            self._forms[path] = form_of(self.tree(path), editing, path, self.project)
        return self._forms[path]

    def space(self, path: str) -> str:
        """What stands inside the braces of a source file on one line: a space, or nothing."""
        editing = self.editing(path)
        return " " if editing is not None and spaced(self.tree(path), editing, path, self.project) else ""

    def may_share(self, path: str, name: str) -> bool:
        """Whether another file may get a name from a file: it imports the name or a star from a module that is called
        as the file, or as its directory for ``__init__``, or it imports that module and has the name behind a dot.
        """
        if path not in self._users:
            module = PurePosixPath(path)
            is_package = module.stem == "__init__"
            called = re.escape((module.parent.name if is_package else module.stem).encode())
            relative = rb"|\.+" if is_package else b""
            taken = re.compile(rb"\bfrom\s+(?:[\w.]*\b" + called + relative + rb")\s+import\s+(\([^)]*\)|[^\n]*)")
            word = re.compile(rb"\bimport\b[^\n]*\b" + called + rb"\b")
            users: list[tuple[bytes, bytes]] = []
            for each, text in self.texts.items():
                if each != path and self.syntaxes.get(each) == self.syntaxes[path]:
                    names = b" ".join(match[1] for match in taken.finditer(text))
                    users.append((names, text if word.search(text) else b""))
            self._users[path] = users
        word = _word(name)
        behind = re.compile(rb"\." + re.escape(name.encode()) + rb"\b")
        return any(b"*" in names or word.search(names) or behind.search(text) for names, text in self._users[path])

    def editing(self, path: str) -> Editing | None:
        """How a file is edited; None for a template."""
        return editing_of(self.syntaxes[path]) if path in self.syntaxes else None


@dataclass(frozen=True, slots=True)
class Site:
    """What one edit works on."""

    path: str
    tree: Tree
    editing: Editing
    node: int  # the argument, or the assignment, that untrusted data reaches
    call: int | None  # the call whose argument it is
    arguments: tuple[int, ...]  # all arguments of the call, in order
    untrusted: frozenset[str]  # names of variables on the paths
    reads: tuple[int, ...]  # offsets in this file where the paths have a step before the sink
    api: tuple[str, ...] = ()  # the sink, as the rule names it
    sources: tuple[tuple[int, int], ...] = ()  # stretches of this file in which the paths begin
    is_local: bool = True  # whether the paths begin in the function around, and stay in it
    space: str = ""  # inside braces on one line

    @property
    def index(self) -> int:
        """The position of the argument."""
        return next(
            number
            for number, each in enumerate(self.arguments)
            if self.tree.start(each) <= self.tree.start(self.node) < self.tree.end(each)
        )

    def touches(self, start: int, end: int) -> bool:
        """Whether code holds a name on the paths, or a step of them."""
        if any(start <= at < end for at in self.reads):
            return True
        syntax = self.tree.syntax
        node = self.tree.at(start, end)
        if node is None:
            return False
        return any(
            start <= self.tree.start(each)
            and self.tree.end(each) <= end
            and "identifier" in syntax.kinds[each]
            and self.tree.source(each) in self.untrusted
            for each in self.tree.below(node)
        )


def site_of(files: Files, finding: Finding, place: Place, api: tuple[str, ...]) -> Site | None:
    """What stands at a finding's place, or at that of one of its further arguments."""
    editing = files.editing(place.path)
    if editing is None:
        return None
    tree = files.tree(place.path)
    start, end = files.lines(place.path).span(place)
    found = _argument(tree, editing, start)
    if found is None:
        node = tree.at(start, end)
        if node is None:
            return None
        above = tree.parent(node)
        if above >= 0 and tree.kind(above) in editing.assignments and tree.start(above) == start:
            node = above
        call: int | None = None
        arguments: tuple[int, ...] = ()
    else:
        node, call, arguments = found
    names: set[str] = set()
    reads: list[int] = []
    for trace in finding.traces:
        for step in trace.steps[:-1]:
            if step.kind == "call" and (parameter := _PARAMETER.search(step.message)):
                names.add(parameter[1])
            if step.place.path == place.path:
                first, last = files.lines(place.path).span(step.place)
                reads.append(first)
                names |= _bound(tree, editing, first, last)
    spans = files.lines(place.path).span
    begins = [trace.steps[0].place for trace in finding.traces]
    around = _function_around(tree, editing, node)
    is_local = all(
        step.place.path == place.path
        and (at := tree.at(*spans(step.place))) is not None
        and _function_around(tree, editing, at) == around
        for trace in finding.traces
        for step in trace.steps
    )
    return Site(
        place.path,
        tree,
        editing,
        node,
        call,
        arguments,
        frozenset(names),
        tuple(sorted(set(reads))),
        api,
        tuple(spans(each) for each in begins if each.path == place.path),
        is_local,
        files.space(place.path),
    )


def source_nodes(files: Files, trace: Trace) -> tuple[str, int] | None:
    """The file and the expression in which a path begins."""
    place = trace.steps[0].place
    if files.editing(place.path) is None:
        return None
    start, end = files.lines(place.path).span(place)
    node = files.tree(place.path).at(start, end)
    tree = files.tree(place.path)
    return None if node is None or (tree.start(node), tree.end(node)) != (start, end) else (place.path, node)


def _argument(tree: Tree, editing: Editing, start: int) -> tuple[int, int, tuple[int, ...]] | None:
    """The argument that begins at an offset, its call, and all arguments of the call."""
    syntax = tree.syntax
    for node, first in enumerate(syntax.starts):
        if first != start or not syntax.named[node]:
            continue
        holder = tree.parent(node)
        if holder >= 0 and syntax.kinds[holder] == editing.keyword_argument and syntax.fields[node] == "value":
            holder = tree.parent(holder)
        elif holder >= 0 and syntax.fields[holder] != "arguments":
            continue
        call = tree.parent(holder) if holder >= 0 else -1
        if call >= 0 and syntax.kinds[call] in editing.calls and syntax.fields[holder] == "arguments":
            return node, call, tuple(tree.named(holder))
    return None


def _bound(tree: Tree, editing: Editing, start: int, end: int) -> set[str]:
    """The names that a step's value has: the variable that it is, those it is assigned to, or a parameter."""
    node = tree.at(start, end)
    if node is None:
        return set()
    found = {tree.source(node)} if tree.kind(node) == "identifier" else set()
    for each in (node, *tree.above(node)):
        kind = tree.kind(each)
        if kind in editing.functions:
            break
        if kind in editing.assignments:
            left = tree.child(each, editing.assignments[kind][0])
            if left is not None:
                found |= {tree.source(inner) for inner in _assigned(tree, editing, left)}
            break
    return found


def _assigned(tree: Tree, editing: Editing, left: int) -> Iterator[int]:
    """The names that an assignment gives a value: of ``self.name = x`` the member alone."""
    for each in tree.below(left):
        if "identifier" in tree.kind(each):
            member = editing.members.get(tree.kind(tree.parent(each)))
            if member is None or tree.syntax.fields[each] == member:
                yield each


def function_around(site: Site, node: int) -> int:
    """The innermost function around a node; the file where there is none."""
    return _function_around(site.tree, site.editing, node)


def _function_around(tree: Tree, editing: Editing, node: int) -> int:
    return next((each for each in tree.above(node) if tree.kind(each) in editing.functions), 0)


def text_of(site: Site, node: int) -> Text | None:
    """The text that an argument is: as it stands there, or as it was assigned to the variable that stands there.

    The variable has to be assigned once in the function, to be used nowhere else, and no variable of the text may get
    another value between the assignment and the argument.
    """
    tree, editing = site.tree, site.editing
    if tree.kind(node) != "identifier":
        return editing.text(tree, node)
    name = tree.source(node)
    around = function_around(site, node)
    uses = [each for each in tree.below(around) if "identifier" in tree.kind(each) and tree.source(each) == name]
    others = [each for each in uses if each != node]
    if len(others) != 1:
        return None
    assigned = next((each for each in tree.above(others[0]) if tree.kind(each) in editing.assignments), None)
    if assigned is None or tree.end(assigned) > tree.start(node):
        return None
    fields = editing.assignments[tree.kind(assigned)]
    left, right = tree.child(assigned, fields[0]), tree.child(assigned, fields[1])
    if left is None or right is None or tree.source(left) != name or function_around(site, assigned) != around:
        return None
    text = editing.text(tree, right)
    if text is None or _changed_between(site, text, tree.end(assigned), tree.start(node)):
        return None
    return text


def _changed_between(site: Site, text: Text, start: int, end: int) -> bool:
    """Whether code between two offsets gives a variable that the text uses another value."""
    tree, editing = site.tree, site.editing
    used: set[str] = set()
    for hole in text.holes:
        node = tree.at(*hole.code)
        if node is not None:
            used |= {tree.source(each) for each in tree.below(node) if tree.kind(each) == "identifier"}
    for node, kind in enumerate(tree.syntax.kinds):
        if start <= tree.start(node) < end and (kind in editing.assignments or kind in editing.updates):
            field = editing.assignments[kind][0] if kind in editing.assignments else "left"
            left = tree.child(node, field)
            if left is not None and any(tree.source(each) in used for each in tree.below(left)):
                return True
    return False
