"""The edits that may fix a finding, in the order in which they are tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pyrograph.model.edit import Edit, edited, merged
from pyrograph.model.finding import Finding, Trace
from pyrograph.parsers.editing import Tree
from pyrograph.policy.limits.fixes import MAX_TAG
from pyrograph.policy.names.functions import STORED_KEYS
from pyrograph.rules.entries import EditStep, Remedy
from pyrograph.rules.kinds import DEFAULT_KINDS, KINDS_OF_PARTIES, STRUCTURED_KINDS
from pyrograph.rules.proofs import spelled_path
from pyrograph.scanner.fix.form import shaped
from pyrograph.scanner.fix.operations import carried_out, replaced, wrapped
from pyrograph.scanner.fix.site import Files, Site, site_of, source_nodes

# Operations that show markup as text: what a program keeps itself, or gets from its own services, may be markup on
# purpose; what a request brings is not.
MARKUP: Final = frozenset({"assign", "replace"})
# Operations that take a command from the shell, which drops line ends behind a word. Files and streams end with one.
COMMANDS: Final = frozenset({"words", "quote"})
WITH_LINE_ENDS: Final = frozenset({"file", "stdin"})
LOCAL: Final = frozenset(KINDS_OF_PARTIES["local"])  # who chooses this may run commands anyway
# Operations that are better code, whoever chooses the values. The others are for findings that are more than a guess.
HARMLESS: Final = frozenset({"parameters"})
# Operations that keep out what is no text, or show where a text ends: right for a value that a request brings, and
# noise around any other.
STRUCTURE: Final = frozenset({"under"})
LINES: Final = frozenset({"conversion"})
MESSAGES: Final = frozenset({"net"})  # whole messages, which are written on several lines to be read
# Operations that may make another library a dependency: nothing to decide in passing, where no request brings the data.
LIBRARIES: Final = frozenset({"module"})
QUOTED: Final = "quoted_"  # begins the name of a value that is quoted in a line of its own
_NO_MARKUP: Final = frozenset({".js", ".mjs", ".cjs", ".ts", ".css", ".json", ".txt", ".md"})  # suffixes
_CODES: Final = (b"script", b"style")  # elements whose text is code
_DIRECTIVE: Final = re.compile(rb"(?s)\{\{.*?\}\}+|\{%.*?%\}|\{#.*?#\}|<%.*?%>")  # of a template
_TAG: Final = re.compile(  # an open one, and the value in quotes that is open in it
    rb"<(?=[a-zA-Z/\0]|\Z)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)(?:\"([^\"]*)|'([^']*))?\Z"
)
_NAME: Final = re.compile(rb"([^\s\"'<>=/]+)\s*=\s*\Z")  # before the value of an attribute
_CODE: Final = re.compile(rb"(?i)on|[xv]-|ng-|hx-|[@:#*(\[]|style\Z|srcdoc\Z|.*\0")  # such attributes; \0: a directive
_ADDRESS: Final = re.compile(rb"(?i)(?:xlink:)?(?:href|src|action|formaction|data)\Z")
_PLAIN: Final = re.compile(rb"(?i)[\s\0]*(?!(?:javascript|vbscript|data)\s*:)[^\s\0]")  # begins an address of no code
_LINE_END: Final = re.compile(rb"\r?\n")
_MARKUP: Final = re.compile(rb"[\"'`][^\"'`\n]*</?[a-zA-Z]")  # a tag in a text


@dataclass(frozen=True, slots=True)
class Candidate:
    """Edits that may fix one finding."""

    finding: Finding
    remedy: Remedy
    edits: Mapping[str, tuple[Edit, ...]]  # by path; in order, without overlaps
    untidied: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)  # of them, those that keep unused imports

    @property
    def title(self) -> str:
        return "; ".join(filter(None, map(_words_of, self.remedy.steps)))


class Remedies:
    """The ``fix`` entries of a scan's rules by language, vulnerability and API."""

    def __init__(self, entries: Sequence[tuple[str, Remedy]], is_named: Callable[[str], bool]) -> None:
        """``entries``: with the language of their packs. ``is_named``: whether the program holds a text in quotes."""
        self._entries: dict[tuple[str, str, str, bool], list[Remedy]] = {}
        for language, remedy in entries:
            key = (language, remedy.vulnerability, spelled_path(remedy.api), remedy.source)
            self._entries.setdefault(key, []).append(remedy)
        self._is_named = is_named

    def of(self, finding: Finding) -> list[Remedy]:
        """The entries for a finding. Of those with ``if``, none is right where several are."""
        language = finding.rule_id.partition("/")[0]
        found = list(self._entries.get((language, finding.vulnerability, finding.sink, False), ()))
        for source in sorted({trace.source for trace in finding.traces}):
            found += self._entries.get((language, finding.vulnerability, source, True), ())
        named = [each for each in found if each.given and self._is_named(each.given)]
        if len({each.steps for each in named}) > 1:
            named = []
        return [each for each in found if not each.given or each in named]


def candidates(files: Files, finding: Finding, remedies: Sequence[Remedy], *, tidy: bool = True) -> list[Candidate]:
    """The edits of each entry that can be carried out at all places of the finding.

    ``tidy``: also remove imports that the edits make useless, which parses each edited file for each entry.
    """
    found = []
    for remedy in remedies:
        if not all(_fits(files, finding, step.operation) for step in remedy.steps):
            continue
        if not all(_is_there(files, finding, remedy, step) for step in remedy.steps):
            continue
        by_path = _at_source(files, finding, remedy) if remedy.source else _at_sinks(files, finding, remedy)
        if not by_path:
            continue
        prefix = next((QUOTED for step in remedy.steps if step.operation == "quote"), "")
        whole = {path: _shaped(files, path, edits, prefix) for path, edits in by_path.items()}
        ordered = {path: tuple(edits) for path, edits in whole.items() if edits}
        if len(ordered) == len(by_path):
            found.append(Candidate(finding, remedy, *(_tidy(files, ordered) if tidy else (ordered,))))
    return found


def _is_there(files: Files, finding: Finding, remedy: Remedy, step: EditStep) -> bool:
    """Whether the program has the library that an edit may import, as far as the tree says it."""
    editing = files.editing(finding.place.path)
    if editing is None or not step.api or step.api[0] == remedy.api[0]:
        return True
    library = step.api[0]
    return editing.is_supplied(library) or files.project.declares(library, editing.declaring) is not False


def _shaped(files: Files, path: str, edits: Sequence[Edit], prefix: str) -> list[Edit] | None:
    """The edits in the form of their file."""
    whole = merged(edits)
    editing = files.editing(path)
    if editing is None or whole is None:
        return whole
    return shaped(files.tree(path), editing, files.syntaxes[path], files.form(path), whole, prefix)


def _fits(files: Files, finding: Finding, operation: str) -> bool:
    """Whether an operation means the same for what a program reads from the sources of a finding."""
    kinds = {trace.source_kind for trace in finding.traces}
    if finding.confidence == "low" and operation not in HARMLESS:
        return False
    if operation in MARKUP:
        return kinds <= DEFAULT_KINDS.keys() and not any(_makes_markup(files, trace) for trace in finding.traces)
    if operation in LINES:
        return kinds <= DEFAULT_KINDS.keys() - MESSAGES
    if operation in LIBRARIES:
        return not kinds.isdisjoint(DEFAULT_KINDS)
    if operation in STRUCTURE:
        is_stored = "db" in kinds and any(_reads_key(files, trace) for trace in finding.traces)
        return not kinds.isdisjoint(STRUCTURED_KINDS) and not is_stored
    return operation not in COMMANDS or not (kinds <= LOCAL or kinds & WITH_LINE_ENDS)


def _reads_key(files: Files, trace: Trace) -> bool:
    """Whether the value that arrives is read under the key that a database gives to what it stores."""
    place = trace.steps[-2].place if len(trace.steps) > 1 else trace.steps[-1].place
    if place.path not in files.texts:
        return False
    start, end = files.lines(place.path).span(place)
    text = files.texts[place.path]
    key = STORED_KEYS.match(text, end)  # the place may be that of the object before the dot
    return STORED_KEYS.search(text[start : key.end() if key else end]) is not None


def _makes_markup(files: Files, trace: Trace) -> bool:
    """Whether a step of a path puts markup together, before the last one."""
    for step in trace.steps[:-1]:
        path = step.place.path
        if path in files.texts:
            start, end = (files.lines(path).offset(line, 1) for line in (step.place.line, step.place.end_line + 1))
            if _MARKUP.search(files.texts[path][start : max(start, end)]):
                return True
    return False


def _at_sinks(files: Files, finding: Finding, remedy: Remedy) -> dict[str, list[Edit]] | None:
    if any(step.operation == "replace" for step in remedy.steps):
        return _in_templates(files, finding, remedy.steps)
    found: dict[str, list[Edit]] = {}
    for place in (finding.place, *(argument.place for argument in finding.arguments)):
        if place.path not in files.texts:
            return None
        site = site_of(files, finding, place, remedy.api)
        if site is None or remedy.assignment != (site.call is None):
            return None
        for step in remedy.steps:
            edits = carried_out(site, step)
            if edits is None:
                return None
            found.setdefault(place.path, []).extend(edits)
    return found


def _at_source(files: Files, finding: Finding, remedy: Remedy) -> dict[str, list[Edit]] | None:
    """Wraps what is read where the paths begin."""
    found: dict[str, list[Edit]] = {}
    for trace in finding.traces:
        if trace.source != spelled_path(remedy.api):
            return None
        place = source_nodes(files, trace)
        if place is None:
            return None
        path, node = place
        editing = files.editing(path)
        assert editing is not None
        tree = files.tree(path)
        for step in remedy.steps:
            name = editing.imported(tree, step.api) if step.operation == "wrap" else None
            if name is None:
                return None
            site = Site(path, tree, editing, node, None, (), frozenset(), ())
            found.setdefault(path, []).extend((*wrapped(site, node, name.name), *name.edits))
    return found


def _in_templates(files: Files, finding: Finding, steps: Sequence[EditStep]) -> dict[str, list[Edit]] | None:
    """Edits the template where each path ends."""
    found: dict[str, list[Edit]] = {}
    for trace in finding.traces:
        place = trace.steps[-1].place
        if place.path not in files.texts or place.path in files.syntaxes:
            return None
        start, end = files.lines(place.path).span(place)
        if _needs_more(place.path, files.texts[place.path][:start]):
            return None
        edits: list[Edit] = []
        for step in steps:
            one = replaced(files.texts[place.path], start, end, step) if step.operation == "replace" else None
            if one is None:
                return None
            edits += one
        found.setdefault(place.path, []).extend(edits)
    return found


def _needs_more(path: str, before: bytes) -> bool:
    """Whether escaped text is not enough where a template writes a value, or is not text there: in a script, a style or
    a file that is no markup; in a tag, unless it continues a value in quotes that is neither code nor an address.
    """
    if not _NO_MARKUP.isdisjoint(PurePosixPath(path.lower()).suffixes):
        return True
    lower = before.lower()
    if any(lower.rfind(b"<" + name) > lower.rfind(b"</" + name) for name in _CODES):
        return True
    tag = _TAG.search(_DIRECTIVE.sub(b"\0", before[-MAX_TAG:]))
    if tag is None:
        return False
    value = tag[2] if tag[2] is not None else tag[3]
    name = _NAME.search(tag[1])
    if value is None or name is None or _CODE.match(name[1]):
        return True
    return _ADDRESS.match(name[1]) is not None and _PLAIN.match(value) is None


def _tidy(
    files: Files, edits: Mapping[str, tuple[Edit, ...]]
) -> tuple[dict[str, tuple[Edit, ...]], dict[str, tuple[Edit, ...]]]:
    """The edits, line ends as the file has them: without imports that they made useless, and with them."""
    found: dict[str, tuple[Edit, ...]] = {}
    untidied: dict[str, tuple[Edit, ...]] = {}
    for path, own in edits.items():
        text = files.texts[path]
        if b"\r\n" in text:
            own = tuple(edit._replace(text=_LINE_END.sub(b"\r\n", edit.text)) for edit in own)
        untidied[path] = own
        found[path] = tuple(merged(_without_gaps(text, own, unused(files, path, own))) or own)
    return found, untidied


def _without_gaps(text: bytes, edits: Sequence[Edit], removed: Sequence[Edit]) -> list[Edit]:
    """All edits; a line that follows a section of which nothing is left begins with no empty line."""
    ends = {each.end for each in removed if text[: each.start].endswith((b"\n\n", b"\r\n\r\n")) or not each.start}
    return [
        each._replace(text=each.text.lstrip(b"\r\n")) if each.start == each.end and each.start in ends else each
        for each in (*edits, *removed)
    ]


def unused(files: Files, path: str, edits: Sequence[Edit]) -> list[Edit]:
    """Edits of the original text that remove the imports which ``edits`` make useless."""
    editing = files.editing(path)
    if editing is None:
        return []
    new = Tree(edited(files.texts[path], edits), files.syntaxes[path])
    return list(editing.unused_imports(files.tree(path), new, lambda name: files.may_share(path, name)))


def _words_of(step: EditStep) -> str:
    """An operation, to people."""
    api = spelled_path(step.api) if step.api else ""
    return {
        "call": f"call `{api}` instead",
        "module": f"use `{api}` instead",
        "wrap": f"pass the value through `{api}`",
        "under": f"compare with the value under `{step.word}`",
        "quote": f"quote the value with `{api}`",
        "parameters": "pass the values as parameters of the statement",
        "words": "pass the command as a list, without a shell",
        "drop": "",
        "assign": f"assign to `{step.word}` instead",
        "conversion": f"write the value with `{step.word}`",
        "replace": "write the value escaped",
        "import": f"import `{api}` instead",
    }[step.operation]
