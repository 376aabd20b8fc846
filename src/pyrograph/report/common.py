"""Shared by the formats: one order of findings, harmless text, lines of source code, addresses.

Names, messages, paths and code come from the scanned files, which nobody has vetted. Every format for people passes
them through ``visible``; formats for programs escape by their own syntax, and use it where a reader would print text
raw.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final
from urllib.parse import quote

from pyrograph.model.finding import Finding, Report, Trace
from pyrograph.model.languages import NAMES
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CONFIDENCES, SEVERITIES
from pyrograph.model.words import plural, source_in_words

MAX_RULES_NAMED: Final = 6  # rules that a line about other options names


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


def visible(text: str) -> str:
    r"""``text`` with everything that steers a terminal or reorders text written as an escape.

    Control characters (C0, C1), format characters (among them the bidirectional ones, which make code read differently
    from what it does), line and paragraph separators and surrogates become ``\n``, ``\x1b``, ``\u202e``; nothing else
    changes.

    >>> visible("a\x1b[2Jb\u202ec")
    'a\\x1b[2Jb\\u202ec'
    """
    return text if text.isprintable() else "".join(map(_visible_char, text))


def _visible_char(char: str) -> str:
    if char.isprintable() or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return char
    if "\udc80" <= char <= "\udcff":  # a byte of a file name that is not UTF-8, as os.fsdecode gives it
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def without_surrogates(text: str) -> str:
    r"""``text`` as any UTF-8 reader accepts it: lone surrogates become ``\xff`` (file-name bytes) or ``\ud800``."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return "".join(_visible_char(c) if "\ud800" <= c <= "\udfff" else c for c in text)


def joined(prefix: str, path: str) -> str:
    """``path`` under the folder ``prefix``, which says where the scan root lies in the repository; both use ``/``."""
    prefix = prefix.strip("/")
    return f"{prefix}/{path}" if prefix and prefix != "." else path


def uri(path: str) -> str:
    """``path`` as a relative URI: percent-encoded from its bytes, ``/`` kept."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that is no file-name byte: only ever on Windows
        raw = path.encode("utf-8", "surrogatepass")
    return quote(raw, safe="/")


def cut_line(report: Report) -> str:
    """What readers have to know of problems: that code was left out, or that single values were not followed; or ""."""
    left_out = sum(problem.leaves_out for problem in report.problems)
    if left_out:
        return f"Because of {plural(left_out, 'problem')}, something was not analysed."
    if limits := sum(problem.incomplete for problem in report.problems):
        reached = f"{plural(limits, 'limit')} of precision reached"
        return f"All code was analysed; {reached}, so flows through some calls may be missed."
    return ""


def withheld_lines(report: Report) -> list[str]:
    """Findings that other options would add: one line for each combination of options, single options first.

    Each line counts all that a scan with these options adds, also what fewer of them would: ``--confidence low`` adds
    the findings of medium confidence, too. Low confidence lets sinks match by name alone, which this scan did not look
    for, so its counts are estimates.
    """
    lines = []
    for options in sorted({each.options for each in report.withheld}, key=lambda o: (len(o), *map(_nearness, o))):
        counts: Counter[str] = Counter()
        worst = 0
        for each in report.withheld:
            if all(map(partial(_is_given, options), each.options)):
                counts[each.rule_id] += each.count
                worst += each.count if each.severity in ("critical", "high") else 0
        total = counts.total()
        grave = "" if not worst else ", critical or high" if total == 1 else f", {worst:,} of them critical or high"
        if worst == total > 1:
            grave = ", all critical or high"
        rules = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{count:,} {visible(rule)}" for rule, count in rules[:MAX_RULES_NAMED])
        if len(rules) > MAX_RULES_NAMED:
            named += f", {sum(count for _, count in rules[MAX_RULES_NAMED:]):,} others"
        about = "about " if "--confidence low" in options else ""
        lines.append(f"{about}{total:,} more with {visible(' and '.join(options))}{grave}: {named}")
    return lines


def _is_given(options: Sequence[str], option: str) -> bool:
    """Whether a scan with these options does what one option asks for."""
    return option in options or (option == "--confidence medium" and "--confidence low" in options)


def _nearness(option: str) -> tuple[str, int, str]:
    """Sorts options by name; of two levels of confidence, the one that adds less comes first."""
    name, _, value = option.partition(" ")
    return name, CONFIDENCES[::-1].index(value) if value in CONFIDENCES else 0, value


def skipped_line(skipped: Mapping[str, int]) -> str:
    """What a scan left out, by reason; some reasons count directories.

    >>> skipped_line({"minified files": 1, "directories matched by ignore files": 3})
    'left out: 3 directories matched by ignore files, 1 minified file'
    """
    parts = []
    for reason, count in sorted(skipped.items(), key=lambda item: (-item[1], item[0])):
        if count == 1:
            reason = re.sub(r"\b(?:(file)s|(director)ies)\b", lambda m: m[1] or f"{m[2]}y", reason, count=1)
        parts.append(f"{count:,} {visible(reason)}")
    return f"left out: {', '.join(parts)}"


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
