"""Reduces a failing program: first its files, then syntax nodes, then lines, until nothing gets smaller.

* Files and siblings are reduced by delta debugging, the largest subtree first (as in hierarchical delta debugging).
* A node is then replaced by one of its descendants or by something trivial: ``f(x)`` by ``x``, a body by ``pass``.
* A candidate that has more syntax errors than the file had is never tried: a report should show valid code.
* Text that has no grammar (templates, manifests) is reduced by lines and then by words.

Each accepted step makes the program smaller, measured as (number of files, bytes), so the reduction ends. The same
program and the same predicate give the same result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from pyrograph.parsers.trees import Syntax, error_count, parse
from pyrograph.policy.limits.isolation import DESCENDANT_LEVELS, MAX_DESCENDANTS, MAX_WORDS
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.minimal import minimal
from pyrograph.scanner.reduce.program import Edit, Program

Fails = Callable[[Program], bool]

EMPTY = {"block": b"pass", "statement_block": b"{}", "class_body": b"{}", "function_body": b"{}"}
TRIVIAL = (b"0",)  # replaces an expression

_SEPARATOR = re.compile(rb"[ \t]*[,;]?")
_BLANK_LINE_END = re.compile(rb"[ \t]*(?:\r?\n|\Z)")
_WORD = re.compile(rb"[\w$\x80-\xff]+|\s+|.", re.DOTALL)


class Reducer:
    """The state of one reduction. ``best`` is always a program that fails; an exception of ``fails`` leaves it so."""

    def __init__(self, program: Program, fails: Fails, progress: Callable[[str, Reducer], None] | None = None) -> None:
        """``fails(program)`` is taken as true; ``progress`` is called with what was finished."""
        self.best = program
        self.fails = fails
        self.progress = progress
        self.runs = 0  # calls of ``fails``
        self._reported = program  # what ``progress`` saw last
        self._known: dict[bytes, bool] = {program.digest(): True}

    def run(self) -> Program:
        """Reduce until no step makes the program smaller."""
        while True:
            before = self.best
            self._files()
            for path in sorted(self.best.files, key=lambda path: (-len(self.best.files[path]), path)):
                self._file(path)
            if self.best.digest() == before.digest():
                return self.best

    def accepts(self, candidate: Program | None) -> bool:
        """Whether a candidate still fails; if so, it is the best one from now on."""
        if candidate is None or (len(candidate.files), candidate.size) >= (len(self.best.files), self.best.size):
            return False
        return self.adopts(candidate)

    def adopts(self, candidate: Program) -> bool:
        """Whether a candidate of any size still fails; if so, it is the best one from now on. Asks once a program."""
        key = candidate.digest()
        answer = self._known.get(key)
        if answer is None:
            self.runs += 1
            answer = self._known[key] = self.fails(candidate)
        if answer:
            self.best = candidate
        return answer

    def report_progress(self, done: str) -> None:
        if self.progress is not None and self._reported is not self.best:
            self._reported = self.best
            self.progress(done, self)

    # Files

    def _files(self) -> None:
        program = self.best
        pinned = program.pinned()
        free = sorted(program.files.keys() - pinned)
        minimal(free, lambda paths: self.accepts(program.only(paths)))
        self.report_progress("files")

    def _file(self, path: str) -> None:
        language = language_of_name(path)
        size = -1
        while size != len(self.best.files[path]):
            size = len(self.best.files[path])
            if language is not None:
                self._siblings(path, language)
                self._replacements(path, language)
            self._pieces(path, language, self.best.files[path].splitlines(keepends=True))
            words = _WORD.findall(self.best.files[path]) if language is None else []
            if len(words) <= MAX_WORDS:
                self._pieces(path, language, words)
        self.report_progress(path)

    def _valid(self, candidate: Program | None, path: str, language: str | None, errors: int) -> Program | None:
        """The candidate, unless its file has more than so many syntax errors."""
        if candidate is None or language is None or error_count(candidate.files[path], language) <= errors:
            return candidate
        return None

    # Siblings

    def _siblings(self, path: str, language: str) -> None:
        """Delta debugging of the children of each node, the largest first."""
        program = self.best
        text = program.files[path]
        syntax = parse(text, language)
        children = syntax.children()
        cut: dict[int, Edit] = {}  # node -> its removal
        order = [(syntax.starts[0] - syntax.ends[0], 0)]
        while order:
            _, node = heappop(order)
            parts = [child for child in children[node] if syntax.named[child] and syntax.ends[child] > 0]
            if not parts:
                continue
            empty = EMPTY.get(syntax.kinds[node])
            if empty is not None and len(empty) < syntax.ends[node] - syntax.starts[node]:
                whole = Edit(syntax.starts[node], syntax.ends[node], empty)
                candidate = program.edited(path, [*cut.values(), whole])
                if self.accepts(self._valid(candidate, path, language, syntax.errors)):
                    cut[node] = whole
                    continue
            edits = {part: _removal(text, syntax, part) for part in parts}

            def fails(kept: list[int], edits: dict[int, Edit] = edits, cut: dict[int, Edit] = cut) -> bool:
                stay = set(kept)
                removed = [edit for part, edit in edits.items() if part not in stay]
                candidate = program.edited(path, [*cut.values(), *removed])
                return self.accepts(self._valid(candidate, path, language, syntax.errors))

            kept = minimal(parts, fails)
            cut |= {part: edits[part] for part in parts if part not in set(kept)}
            for part in kept:
                heappush(order, (syntax.starts[part] - syntax.ends[part], part))
        self.report_progress(path)

    # Replacements

    def _replacements(self, path: str, language: str) -> None:
        """Replace a node by one of its descendants or by something trivial, the largest first."""
        limit = len(self.best.files[path]) + 1
        while True:
            program = self.best
            text = program.files[path]
            syntax = parse(text, language)
            children = syntax.children()
            order = [
                (start - end, node)
                for node, (start, end, named) in enumerate(zip(syntax.starts, syntax.ends, syntax.named, strict=True))
                if named and node and 1 < end - start <= limit
            ]
            heapify(order)
            found = False
            while order and not found:
                size, node = heappop(order)
                limit = -size
                for edit in _shorter(text, syntax, children, node):
                    candidate = program.edited(path, [edit])
                    if self.accepts(self._valid(candidate, path, language, syntax.errors)):
                        found = True
                        break
            if not found:
                return

    # Lines and words

    def _pieces(self, path: str, language: str | None, pieces: Sequence[bytes]) -> None:
        """Delta debugging of consecutive pieces, which together are the file."""
        program = self.best
        errors = error_count(program.files[path], language) if language is not None else 0
        spans: list[Edit] = []
        at = 0
        for piece in pieces:
            spans.append(Edit(at, at + len(piece)))
            at += len(piece)
        if at != len(program.files[path]):
            return

        def fails(kept: list[Edit]) -> bool:
            stay = set(kept)
            candidate = program.edited(path, [span for span in spans if span not in stay])
            return self.accepts(self._valid(candidate, path, language, errors))

        minimal(spans, fails)


def _removal(text: bytes, syntax: Syntax, node: int) -> Edit:
    """The edit that removes a node with the separator behind it, and its line where nothing else stands there."""
    start, end = syntax.starts[node], syntax.ends[node]
    separator = _SEPARATOR.match(text, end)
    assert separator is not None
    end = max(end, separator.end())
    line = text.rfind(b"\n", 0, start) + 1
    rest = _BLANK_LINE_END.match(text, end)
    if rest is not None and not text[line:start].strip():
        return Edit(line, rest.end())
    return Edit(start, end)


def _shorter(text: bytes, syntax: Syntax, children: list[list[int]], node: int) -> Iterator[Edit]:
    """Replacements of a node that are shorter than it, the shortest of each kind first."""
    start, end = syntax.starts[node], syntax.ends[node]
    for trivial in TRIVIAL:
        if end - start > len(trivial):
            yield Edit(start, end, trivial)
    level: Iterable[int] = [node]
    below: list[int] = []
    for _ in range(DESCENDANT_LEVELS):
        level = [child for parent in level for child in children[parent] if syntax.named[child]]
        below += level
    spans = {(syntax.ends[each] - syntax.starts[each], syntax.starts[each]) for each in below}
    for size, at in sorted(spans)[:MAX_DESCENDANTS]:
        if 0 < size < end - start:
            yield Edit(start, end, _dedented(text, at, at + size, _column(text, start)))


def _column(text: bytes, offset: int) -> int:
    return offset - (text.rfind(b"\n", 0, offset) + 1)


def _dedented(text: bytes, start: int, end: int, column: int) -> bytes:
    """The text from ``start`` to ``end`` as it has to be written from ``column`` on: its further lines moved left."""
    first, *rest = text[start:end].split(b"\n")
    surplus = _column(text, start) - column
    if surplus <= 0:
        return text[start:end]
    return b"\n".join([first, *(line[min(surplus, len(line) - len(line.lstrip())) :] for line in rest)])
