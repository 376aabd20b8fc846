"""Shared by the formats: one order of findings, labels, and lines of source code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from pyrograph.model.finding import Finding, Trace
from pyrograph.model.languages import NAMES
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES, SEVERITIES
from pyrograph.model.words import plural, source_in_words
from pyrograph.report.safe_text import visible


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by place, then rule: the order of formats that programs and error lists read."""
    return sorted(findings, key=lambda f: (f.place, f.rule_id, f.fingerprint))


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by severity and confidence, highest first, then by place: the order of formats for people, and which to
    keep where a format has a limit.
    """
    return sorted(in_order(findings), key=lambda f: (-SEVERITIES.index(f.severity), -CONFIDENCES.index(f.confidence)))


def confidence_label(finding: Finding) -> str:
    """The confidence of a finding and the reason of doubt: "medium confidence: the path is long"."""
    return f"{finding.confidence} confidence" + (f": {finding.doubt.words}" if finding.doubt else "")


def help_for(help: str, rule_id: str) -> str:
    """The Markdown of a vulnerability's help without the sections of languages other than the rule's.

    Sections of level 3 are headed by a language's title; others are kept.

    >>> help_for("## Fix\\n\\n### Python\\n\\na\\n\\n### Go\\n\\nb\\n\\n### Everywhere\\n\\nc", "go/xss")
    '## Fix\\n\\n### Go\\n\\nb\\n\\n### Everywhere\\n\\nc'
    """
    language = rule_id.partition("/")[0]
    others = {name.title for name in NAMES.values() if name.id != language}
    sections = re.split(r"(?m)^(?=#{1,3} )", help)
    return "".join(each for each in sections if each.partition("\n")[0].removeprefix("### ").strip() not in others)


def source_label(trace: Trace) -> str:
    """The source of a path in words, with its API in brackets."""
    return visible(source_in_words(trace.source_kind, trace.source)).replace("`", "")


def request_label(trace: Trace) -> str:
    """By which request data gets to the source, what the source reads of it, and what is checked; "" if not known."""
    if not trace.entries:
        return ""
    first, *others = trace.entries
    further = f"{plural(len(others), 'further entry point')}" if others else ""
    return ", ".join(each for each in (first.name, trace.parameter.words, first.check, further) if each)


class SourceLines:
    """Lines of the scanned files, split and decoded when first asked for.

    Lines end with LF, as in ``Place``; a CR before it is dropped, and so is a byte-order mark at the start of the file.
    What is not UTF-8 decodes to replacement characters.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents
        self._split = lru_cache(maxsize=64)(self._lines_of)
        self.line = lru_cache(maxsize=256)(self._line)

    def _lines_of(self, path: str) -> list[bytes] | None:
        content = self._contents.get(path)
        return None if content is None else content.removeprefix(b"\xef\xbb\xbf").split(b"\n")

    def _line(self, path: str, number: int) -> str | None:
        """Line ``number`` (from 1) without its end, or None when the file or the line is not there."""
        lines = self._split(path)
        if lines is None or not 1 <= number <= len(lines):
            return None
        return lines[number - 1].removesuffix(b"\r").decode("utf-8", "replace")

    def text(self, place: Place) -> str | None:
        """The text of ``place``, which ends with its first line; None when the file or the line is not there."""
        line = self.line(place.path, place.line)
        if line is None:
            return None
        return line[max(0, place.column - 1) : place.end_column - 1 if place.end_line == place.line else len(line)]
