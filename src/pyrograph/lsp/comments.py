"""Where a suppression comment has to stand.

Places and forms are tried, and the parser decides: a comment is inserted only where the front end of the file's
language finds it, where it hides the finding and nothing becomes a syntax error. So a comment never lands in a text of
several lines or behind a continued one, and no table of languages is needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace

from pyrograph.lsp.jobs import CommentJob, Insertion
from pyrograph.model.comment import Comment
from pyrograph.model.finding import Argument, Finding, Report, Statistics
from pyrograph.model.place import Place
from pyrograph.parsers import lower
from pyrograph.policy.limits.editor import MAX_COMMENT_PLACES
from pyrograph.policy.limits.files import HEAD_SIZE
from pyrograph.scanner.files.classify import language_of_head, language_of_name, scripts_of_name
from pyrograph.scanner.triage.suppress import apply_suppressions

FORMS = ("# {}", "// {}", "{{/* {} */}}", "/* {} */")
_INDENTATION = re.compile(r"[ \t]*")


def place_comment(job: CommentJob) -> Insertion | None:
    """The insertion that suppresses the finding, or None where none was found.

    A line of its own above the sink is preferred, then the end of the sink's line, then lines above, nearest first: the
    call or the statement begins there. At most ``MAX_COMMENT_PLACES`` lines are tried, each in a run of the front end
    for each form of comments that the language has, until one fits.
    """
    raw = job.text.encode("utf-8", "replace")
    name = os.path.basename(job.path)
    language = language_of_name(name) or scripts_of_name(name) or language_of_head(raw[:HEAD_SIZE])
    if language is None:
        return None
    lines = job.text.split("\n")
    errors = lower(raw, language).error_nodes
    directive = f"pyrograph: ignore[{job.finding.vulnerability}] {_reason(job.reason)}".rstrip()
    forms = [form.format(directive) for form in FORMS if _is_comment(form.format(directive), language)]
    for insertion in _candidates(lines, job.finding, forms):
        unit = lower(_inserted(lines, insertion).encode("utf-8", "replace"), language)
        comments = [Comment._make(each) for each in unit.comments]
        ours = [each for each in comments if each.line == insertion.line and directive in each.text]
        if ours and unit.error_nodes <= errors and _hides(ours, job.finding, insertion):
            return insertion
    return None


def _reason(text: str) -> str:
    """The reason on one line, without what would end a comment."""
    return " ".join(text.split()).replace("*/", "* /")


def _is_comment(text: str, language: str) -> bool:
    unit = lower(text.encode("utf-8", "replace"), language)
    return bool(unit.comments) and not unit.error_nodes


def _candidates(lines: list[str], finding: Finding, comments: list[str]) -> Iterator[Insertion]:
    sink = min(finding.place.line, len(lines))
    yield from _above(lines, sink, comments)
    code = lines[sink - 1].removesuffix("\r").rstrip(" \t")
    if not code.endswith("\\"):
        yield from (Insertion(sink, len(code) + 1, f"  {comment}") for comment in comments)
    for line in range(sink - 1, max(0, sink - MAX_COMMENT_PLACES), -1):
        yield from _above(lines, line, comments)


def _above(lines: list[str], line: int, comments: list[str]) -> Iterator[Insertion]:
    """Lines of their own above another one, with its indentation and its end.

    None where the line before ends with a backslash and so goes on: parsers accept a comment there, languages do not.
    """
    if line > 1 and lines[line - 2].rstrip().endswith("\\"):
        return
    text = lines[line - 1]
    indentation = _INDENTATION.match(text)
    end = "\r\n" if text.endswith("\r") else "\n"
    for comment in comments:
        yield Insertion(line, 1, f"{indentation[0] if indentation else ''}{comment}{end}")


def _inserted(lines: list[str], insertion: Insertion) -> str:
    at = insertion.line - 1
    changed = lines[at][: insertion.column - 1] + insertion.text + lines[at][insertion.column - 1 :]
    return "\n".join([*lines[:at], changed, *lines[at + 1 :]])


def _hides(comments: list[Comment], finding: Finding, insertion: Insertion) -> bool:
    """Whether the comments suppress the finding in the changed text."""
    moved = _moved(finding, insertion) if insertion.text.endswith("\n") else finding
    report = Report((moved,), (), {}, Statistics(), comments={finding.place.path: comments})
    return not apply_suppressions(report).findings


def _moved(finding: Finding, insertion: Insertion) -> Finding:
    """The finding with its places in the file one line below, from the insertion on."""

    def down(place: Place) -> Place:
        if place.path != finding.place.path or place.line < insertion.line:
            return place
        return replace(place, line=place.line + 1, end_line=place.end_line + 1)

    def argument(each: Argument) -> Argument:
        return replace(each, place=down(each.place))

    return replace(
        finding,
        place=down(finding.place),
        arguments=tuple(map(argument, finding.arguments)),
        traces=tuple(
            replace(
                trace,
                steps=tuple(replace(step, place=down(step.place)) for step in trace.steps),
                call=down(trace.call) if trace.call is not None else None,
            )
            for trace in finding.traces
        ),
    )
