"""Marks: verdicts of people on findings, in a file that is reviewed and merged with the code.

The file is JSON with one mark a line, sorted, without line numbers, like a baseline. ``fingerprint`` decides; ``rule``
and ``path`` are for people. A finding has a verdict where all its fingerprints have it: untrusted data in a further
argument, or another path's code, is a finding that nobody has judged. Further keys belong to the project and are kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from pyrograph.model.finding import Finding, Report, Suppressed
from pyrograph.model.refusal import Refusal
from pyrograph.policy.limits.files import MAX_MARKS
from pyrograph.scanner.files.writing import write_atomically

FILE: Final = "pyrograph-triage.json"  # beside the project's configuration
VERSION: Final = 1
Verdict = Literal["true", "false", "later"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_TEXTS: Final = ("path", "rule", "fingerprint", "verdict")


class MarksError(Refusal, ValueError):
    """A file of marks that cannot be read or written; the message names file, trouble and remedy."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The verdict on one finding, or on one argument of it."""

    path: str
    rule: str
    fingerprint: str
    verdict: Verdict
    reason: str = ""  # of "false" always
    others: Mapping[str, Any] = field(default_factory=dict)  # keys of the project


def read_marks(path: str | os.PathLike[str]) -> dict[str, Mark]:
    """The marks by fingerprint; none where there is no file, or a link.

    Raises:
        MarksError: The file cannot be read, or is no file of marks.
    """
    file = Path(path)
    try:
        if file.is_symlink() or not file.is_file():  # it may come from the tree that is scanned
            return {}
        with file.open("rb") as stream:
            content = stream.read(MAX_MARKS + 1)
        if len(content) > MAX_MARKS:
            raise MarksError(f"{file}: more than {MAX_MARKS:,} bytes; remove marks of findings that are gone")
        document = json.loads(content)
    except MarksError:
        raise
    except OSError as error:
        raise MarksError(f"{file}: cannot read the marks: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        place = f"{file}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else str(file)
        remedy = "if it contains conflict markers of a merge, keep the lines of both sides"
        raise MarksError(f"{place}: the marks are not valid JSON ({error}); {remedy}") from error
    if not isinstance(document, dict) or not isinstance(document.get("marks"), list):
        raise MarksError(f'{file}: no file of marks: an object with "version" and "marks" is expected')
    if document.get("version") != VERSION:
        raise MarksError(f"{file}: version {document.get('version')!r} is not {VERSION}; a newer pyrograph wrote it")
    marks = [_mark(entry, number, file) for number, entry in enumerate(document["marks"], start=1)]
    return {mark.fingerprint: mark for mark in marks}


def _mark(entry: Any, number: int, file: Path) -> Mark:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _TEXTS):
        raise MarksError(
            f"{file}: mark {number} lacks one of the texts {', '.join(_TEXTS)}; complete or remove its line"
        )
    verdict, reason = entry["verdict"], entry.get("reason", "")
    if verdict not in VERDICTS:
        raise MarksError(f"{file}: mark {number}: the verdict {verdict!r} is not one of {', '.join(VERDICTS)}")
    if verdict == "false" and (not isinstance(reason, str) or not reason.strip()):
        raise MarksError(f'{file}: mark {number}: a finding is not marked false without a "reason"')
    others = {key: value for key, value in entry.items() if key not in (*_TEXTS, "reason")}
    return Mark(entry["path"], entry["rule"], entry["fingerprint"], verdict, str(reason), others)


def write_marks(path: str | os.PathLike[str], marks: Iterable[Mark]) -> None:
    """Write a file of marks, in one step.

    Raises:
        MarksError: It cannot be written.
    """
    ordered = sorted(marks, key=lambda mark: (mark.path, mark.rule, mark.fingerprint))
    rows = []
    for mark in ordered:
        reason = {"reason": mark.reason} if mark.reason else {}
        row = {"path": mark.path, "rule": mark.rule, "fingerprint": mark.fingerprint, "verdict": mark.verdict}
        rows.append(json.dumps({**row, **reason, **mark.others}))
    lines = ",\n".join(rows)
    text = f'{{\n"version": {VERSION},\n"marks": [\n{lines}{chr(10) if lines else ""}]\n}}\n'
    try:
        write_atomically(Path(path), text.encode("ascii"))
    except OSError as error:
        raise MarksError(f"{path}: cannot write the marks: {error.strerror or error}") from error


def marked(marks: Mapping[str, Mark], finding: Finding, verdict: Verdict, reason: str = "") -> dict[str, Mark]:
    """The marks with a verdict on a finding, for each of its arguments.

    Raises:
        MarksError: ``false`` without a reason.
    """
    if verdict == "false" and not reason.strip():
        raise MarksError("a finding is not marked false without a reason; say why it does no harm")
    found = dict(marks)
    for each in finding.fingerprints:
        others = marks[each].others if each in marks else {}
        found[each] = Mark(finding.place.path, finding.rule_id, each, verdict, " ".join(reason.split()), others)
    return found


def verdict_on(marks: Mapping[str, Mark], finding: Finding) -> Verdict | None:
    """The verdict that all arguments of a finding have; None where there is none, or are several."""
    found = {marks[each].verdict if each in marks else None for each in finding.fingerprints}
    return found.pop() if len(found) == 1 else None


def apply_marks(report: Report, marks: Mapping[str, Mark], shown: str) -> Report:
    """Move the findings that are marked false into ``suppressed``; a note counts them. ``shown``: the file's name."""
    hidden = [each for each in report.findings if verdict_on(marks, each) == "false"]
    if not hidden:
        return report
    found = [Suppressed(each, "triage", marks[each.fingerprint].reason) for each in hidden]
    count = "1 finding" if len(hidden) == 1 else f"{len(hidden):,} findings"
    return replace(
        report,
        findings=tuple(each for each in report.findings if each not in hidden),
        suppressed=(*report.suppressed, *found),
        notes=(*report.notes, f"{shown} marks {count} false"),
    )
