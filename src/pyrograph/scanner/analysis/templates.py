"""HTML templates: the file that a name means, and what it writes unescaped, with all that it includes.

A template is read when the first call that fills it is labelled; a program that fills none costs nothing. Names are
matched with the files that were discovered: nothing else is ever opened.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from pyrograph.model.problem import Problem
from pyrograph.policy.limits.templates import (
    MAX_INCLUDES,
    MAX_NAME_PATHS,
    MAX_TEMPLATE_CALLS,
    MAX_TEMPLATE_DEPTH,
    MAX_TEMPLATE_PATH,
    MAX_TEMPLATE_SIZE,
    MAX_WRITES,
)
from pyrograph.policy.names.files import TEMPLATE_FOLDERS, TEMPLATE_ROOTS
from pyrograph.scanner.files.classify import TEMPLATES
from pyrograph.scanner.files.read import read_text

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Call, Page, Path


KEY: Final = re.compile(r"\[(\w*)\]|([^.\[\]]+)")


class Write(NamedTuple):
    """A part of the values that a template writes as it is."""

    path: tuple[str | None, ...]  # keys from the table of values; None is any element
    file: str
    start: int  # bytes
    end: int
    exact: bool  # it is shown itself, not what it holds
    guessed: bool  # a function that nobody knows was called with it
    called: str = ""  # the name of this function, if it was the only one


class Contents(NamedTuple):
    """A template with all that it includes, in the names of the first."""

    writes: tuple[Write, ...]
    calls: tuple[Call, ...]


class Templates:
    """The templates of one program; ``problems`` grows while they are read."""

    def __init__(self, files: Mapping[str, str], texts: dict[str, bytes] | None = None) -> None:
        """``files``: path -> absolute path, of everything that may be a template. ``texts``: those that are known."""
        self.files = files
        self.problems: list[Problem] = []
        # what the program says of all templates: where their suffix decides otherwise, and where they escape otherwise
        self.escapes_by_suffix: bool | None = None
        self.escapes: bool | None = None
        self.texts = {} if texts is None else texts  # of the templates that were read: what excerpts show
        self._pages: dict[tuple[str, str], Page] = {}  # by path and engine
        self._contents: dict[tuple[str, str], Contents] = {}
        self._found: dict[tuple[str, str, str], str | None] = {}
        self._written: dict[str, list[Write]] = {}  # by engine, what all its templates write
        self._made: dict[tuple[str, str], Page] = {}  # of texts in code, by text and engine

    def tell(self, by_suffix: bool | None, escapes: bool | None) -> None:
        """Say what the program says of all templates: of engines for which their suffix decides, and of those that
        escape unless they are told otherwise. What was read before, for its calls, is read again.
        """
        if (by_suffix, escapes) != (self.escapes_by_suffix, self.escapes):
            self.escapes_by_suffix, self.escapes = by_suffix, escapes
            for read in (self._pages, self._contents, self._written, self._made):
                read.clear()

    def writes(self, name: str, engine: str, near: str) -> tuple[Write, ...]:
        """What the template writes unescaped that code in the file ``near`` calls ``name``; nothing if it is not there.

        Time linear in the template and what it includes, the first time.
        """
        return self.contents(name, engine, near).writes

    def calls(self, name: str, engine: str, near: str) -> tuple[Call, ...]:
        """The functions and methods that the template calls, with what; as ``writes``."""
        return self.contents(name, engine, near).calls

    def contents(self, name: str, engine: str, near: str) -> Contents:
        from pyrograph.parsers.templates import TOLD

        path = self.find(name, engine, near)
        if path is None:
            return Contents((), ())
        if self.escapes_by_suffix is not None and engine in TOLD:
            engine = TOLD[engine][int(self.escapes_by_suffix)]
        key = (path, engine)
        known = self._contents.get(key)
        if known is None:
            calls: dict[Call, None] = {}
            found = self._expanded(path, engine, calls)
            known = self._contents[key] = Contents(tuple(dict.fromkeys(found)), tuple(calls))
        return known

    def calls_of(self, text: str, engine: str) -> tuple[Call, ...]:
        """The functions and methods that a template in a string literal calls."""
        from pyrograph.parsers.templates import dialect_of

        data = text.encode("utf-8", "replace")
        return tuple(self.page_of(text, dialect_of(data) if engine == "any" else engine).calls)

    def writes_of(self, text: str, engine: str, near: str) -> tuple[Write, ...]:
        """Values that a template in a string literal writes unescaped; places are those in the text."""
        from pyrograph.parsers.templates import dialect_of, is_result, read

        data = text.encode("utf-8", "replace")
        if len(data) > MAX_TEMPLATE_SIZE:
            return ()
        page = read(data, dialect_of(data) if engine == "any" else engine, escapes=self.escapes)
        found = [
            Write(each.path, "", each.start, each.end, each.exact, each.guessed, each.called)
            for each in page.writes
            if not is_result(each.path)
        ]
        for each in page.includes:
            if not each.only and not each.names and (path := self.find(each.name, engine, near)) is not None:
                found += self.writes(path, engine, near)
        return tuple(dict.fromkeys(found))

    def shown_with(self, path: str, engine: str) -> list[str]:
        """A template, and those that it includes or extends with the names that it has itself, each once.

        At most ``MAX_INCLUDES``; linear in their texts, the first time.
        """
        found = {path: None}
        work = [path]
        for at in work:  # grows by templates that are new, to the bound
            for each in self._page(at, engine).includes if len(found) < MAX_INCLUDES else ():
                if not each.name or each.macro or each.only or each.names or each.context != ((),):
                    continue
                inner = self._included(each.name, engine, at)
                if inner is not None and inner not in found:
                    found[inner] = None
                    work.append(inner)
        return work

    # Names

    def find(self, name: str, engine: str, near: str) -> str | None:
        """The path of the template: of several, one in a folder for templates whose name begins where such folders are
        searched, nearest to the file ``near``.
        """
        key = (name, engine, posixpath.dirname(near))
        if key not in self._found:
            self._found[key] = self._look(name, engine, near)
        return self._found[key]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """Paths by their last name, with and without its suffix."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            last = posixpath.basename(path)
            for name in (last, posixpath.splitext(last)[0]):
                found.setdefault(name, []).append(path)
        return found

    @cached_property
    def _suffixes(self) -> Counter[str]:
        """How many files have each suffix."""
        return Counter(posixpath.splitext(path)[1] for path in self.files)

    def _look(self, name: str, engine: str, near: str) -> str | None:
        from pyrograph.parsers.templates import DOTTED, READERS

        if engine in DOTTED and "/" not in name:
            name = name.replace(".", "/")
        wanted = posixpath.normpath(name.replace("\\", "/")).lstrip("/")
        while wanted.startswith("../"):
            wanted = wanted[3:]
        found = []
        for path in self._by_name.get(posixpath.basename(wanted), ()):
            stem, suffix = posixpath.splitext(path)
            dialect = TEMPLATES[suffix.lower()]
            if dialect and engine != "any" and READERS.get(dialect) != READERS.get(engine):
                continue
            for end in (path, stem):
                if end == wanted or end.endswith("/" + wanted):
                    found.append((path, end[: len(end) - len(wanted)].rstrip("/"), end is path))
                    break
        if not found:
            return None
        here = posixpath.dirname(near).split("/")

        def rank(candidate: tuple[str, str, bool]) -> tuple[bool, bool, bool, int, int, int, str]:
            path, base, whole = candidate
            folders = base.split("/")
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, folders, strict=False)))
            return (
                TEMPLATE_FOLDERS.isdisjoint(folders),
                folders[-1] not in TEMPLATE_ROOTS,
                not whole,
                -common,
                len(folders),
                -self._suffixes[posixpath.splitext(path)[1]],
                path,
            )

        return min(found, key=rank)[0]

    # What is written

    def pages(self, engine: str) -> dict[str, Page]:
        """All files that may be templates of an engine, by their paths. Linear in their texts, once."""
        from pyrograph.parsers.templates import SETTINGS

        dialects = [TEMPLATES[posixpath.splitext(path)[1].lower()] for path in self.files]
        return {
            path: self._page(path, engine)
            for path, dialect in zip(self.files, dialects, strict=True)
            if dialect in ("", SETTINGS.get(engine, engine))
        }

    def shows(self, engine: str, shown: tuple[str, ...]) -> Write | None:
        """Where a template of the program writes one of these paths of its names as it is, ``messages[].text``.

        The first such place, those without a guess before others. Linear in the texts of all templates, once.
        """
        if engine not in self._written:
            self._written[engine] = [
                Write(each.path, path, each.start, each.end, each.exact, each.guessed, each.called)
                for path, page in sorted(self.pages(engine).items())
                for inner in (page, *(macro.page for macro in page.macros.values()))
                for each in inner.writes
            ]
        paths = {path_of(each) for each in shown}
        found = [each for each in self._written[engine] if each.path in paths]
        return min(found, key=lambda each: each.guessed, default=None)

    def page_of(self, text: str, engine: str) -> Page:
        """The template in a text of the program."""
        from pyrograph.parsers.templates import Page, read

        known = self._made.get((text, engine))
        if known is None:
            data = text.encode("utf-8", "replace")
            known = read(data, engine, escapes=self.escapes) if len(data) <= MAX_TEMPLATE_SIZE else Page()
            self._made[text, engine] = known
        return known

    def _page(self, path: str, engine: str) -> Page:
        from pyrograph.parsers.templates import Page, dialect_of_file, read

        key = (path, engine)
        known = self._pages.get(key)
        if known is not None:
            return known
        page = Page()
        text = self.text(path)
        if text is not None and len(text) > MAX_TEMPLATE_SIZE:
            message = f"a template of {len(text):,} bytes is not read; the limit is {MAX_TEMPLATE_SIZE:,}; split it"
            self._report(Problem("limit", path, 0, message))
        elif text is not None:
            named = TEMPLATES[posixpath.splitext(path)[1].lower()]
            page = read(text, dialect_of_file(path, text, named, engine), escapes=self.escapes)
            for words in sorted(page.cut):
                self._report(Problem("limit", path, 0, f"template: {words}"))
        self._pages[key] = page
        return page

    def text(self, path: str) -> bytes | None:
        """The text of the template; it is read once, so that what is shown is what was analysed."""
        known = self.texts.get(path)
        if known is None:
            known, problem = read_text(self.files[path], path)
            if problem is not None:
                self._report(problem)
            if known is not None:
                self.texts[path] = known
        return known

    def _report(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def _expanded(self, path: str, engine: str, calls: dict[Call, None]) -> list[Write]:
        """The writes of a template and of what it includes, in the names of the first; its ``calls`` are added."""
        from pyrograph.parsers.templates import is_result

        found: list[Write] = []
        everything: Paths = ((),)
        first = (path, "")  # a template, and a macro of it or ""
        work: list[Shown] = [(first, None, everything, (first,))]
        shown_so_far = 0
        while work:
            (at, macro), names, context, around = work.pop()
            shown_so_far += 1
            if shown_so_far > MAX_INCLUDES:
                message = (
                    f"template: it includes more than {MAX_INCLUDES:,} templates, counted each time; "
                    "the others are not analysed"
                )
                self._report(Problem("limit", path, 0, message))
                break
            page = self._page(at, engine)
            page = page.macros[macro].page if macro else page
            for write in page.writes:
                for meant in () if is_result(write.path) else meant_by(write.path, names, context):
                    found.append(Write(meant, at, write.start, write.end, write.exact, write.guessed, write.called))
            for call in page.calls if len(calls) < MAX_TEMPLATE_CALLS else ():
                handed = tuple([self._few(path, paths, names, context) for paths in call.given])
                receiver = None if call.receiver is None else self._few(path, call.receiver, names, context)
                if receiver or any(handed):
                    calls[replace(call, given=handed, receiver=receiver)] = None
            if len(found) > MAX_WRITES:
                self._report(
                    Problem("limit", path, 0, f"template: only the first {MAX_WRITES:,} unescaped values are analysed")
                )
                return found[:MAX_WRITES]
            for each in page.includes:
                inner = self._included(each.name, engine, at) if each.name else at
                if inner is None or (inner, each.macro) in around:
                    continue
                parameters: tuple[str, ...] = ()
                if each.macro:
                    called = self._page(inner, engine).macros.get(each.macro)
                    if called is None:
                        continue
                    parameters = called.parameters
                paths_by_name = {
                    **dict.fromkeys(parameters, ()),
                    **dict(zip(parameters, each.given, strict=False)),
                    **each.names,
                }
                if len(around) >= MAX_TEMPLATE_DEPTH:
                    message = f"template: includes nested more than {MAX_TEMPLATE_DEPTH} levels deep are not analysed"
                    self._report(Problem("limit", path, 0, message))
                    continue
                given = {name: self._few(path, paths, names, context) for name, paths in paths_by_name.items()}
                if names is not None and not each.only:
                    given = {**names, **given}
                outer = () if each.only else self._few(path, each.context, names, context)
                shown = (inner, each.macro)
                work.append((shown, given, outer, (*around, shown)))
        return sorted(found, key=lambda write: (write.file != path, write.file, write.start))

    def _few(self, path: str, paths: Paths, names: Mapping[str, Paths] | None, context: Paths) -> Paths:
        """The paths in the names of the enclosing template, each once; at most ``MAX_NAME_PATHS``."""
        meant = dict.fromkeys(islice((m for each in paths for m in meant_by(each, names, context)), 4 * MAX_NAME_PATHS))
        found = tuple(islice(meant, MAX_NAME_PATHS))
        if len(meant) > MAX_NAME_PATHS:
            message = (
                f"template: a name in an included template stands for more than {MAX_NAME_PATHS} values; the "
                "others are not analysed"
            )
            self._report(Problem("limit", path, 0, message))
        return found

    def _included(self, name: str, engine: str, near: str) -> str | None:
        """An included template: beside the one that names it, else anywhere.

        Engines that look all names up in their folders take one beside it where the name begins with a dot only.
        """
        from pyrograph.parsers.templates import SEARCHED

        named = TEMPLATES[posixpath.splitext(near)[1].lower()]
        if (named if engine == "any" else engine) in SEARCHED and not name.startswith("."):
            return self.find(name, engine, near)
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(near), name))
        for path in (beside, beside + posixpath.splitext(near)[1]):
            if path in self.files:
                return path
        return self.find(name, engine, near)


Paths = tuple["Path", ...]
Template = tuple[str, str]
Shown = tuple[Template, "Mapping[str, Paths] | None", Paths, tuple[Template, ...]]


def path_of(text: str) -> Path:
    """``messages[].text`` or ``read()[][1]`` as a path."""
    return tuple([name or key or None for key, name in KEY.findall(text)])


def meant_by(path: Path, names: Mapping[str, Paths] | None, context: Paths) -> Iterable[Path]:
    """A path of an included template in the names of the including one."""
    if not path:
        return context
    bases = names.get(path[0]) if names is not None and path[0] is not None else None
    if bases is None:
        return [(*base, *path) for base in context if len(base) + len(path) <= MAX_TEMPLATE_PATH]
    return [(*base, *path[1:]) for base in bases if len(base) + len(path) <= MAX_TEMPLATE_PATH]
