"""Confidence: how likely it is that data takes a path and does harm at its end.

``policy.confidence`` has the thresholds and their evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import Final, NamedTuple

from pyrograph.model.finding import Step, Trace
from pyrograph.model.vulnerability import Confidence, Vulnerability
from pyrograph.model.words import parameter_of
from pyrograph.parsers import language_of
from pyrograph.policy import doubts
from pyrograph.policy.confidence import (
    MAX_ASSUMED,
    MAX_CALLS,
    MAX_CALLS_OUT,
    MAX_CALLS_OUT_EXACT,
    MAX_FILES_SURE,
    MAX_RETURNS_SURE,
    MAX_STEPS_APART,
    MAX_STEPS_ASSUMED,
    MAX_STEPS_EXACT,
    MAX_STEPS_SELDOM,
    MAX_STEPS_STORED,
    MAX_STEPS_SURE,
    MAX_STEPS_WITHIN,
)
from pyrograph.policy.names.files import DEVELOPMENT_PATHS, TEST_PATHS
from pyrograph.rules.kinds import ALL, CUT, FIELD, SEGMENT, UNNAMED
from pyrograph.scanner.analysis.label import SinkRole, SourceRole
from pyrograph.scanner.explain.brief import brief, module_of
from pyrograph.scanner.files.classify import language_of_name

FAR: Final = "far"  # in ``Vulnerability.unlikely``: every long path


class Grade(NamedTuple):
    """How likely a path is, and the reason of doubt that decided (``policy.doubts``); "" where there is none."""

    confidence: Confidence
    doubt: str = ""


def is_unlikely(source: SourceRole, sink: SinkRole, vulnerability: Vulnerability) -> bool:
    """Whether data from such a source seldom does this harm at such a sink."""
    at_sink = {f"{source.api} at {sink.api}", f"{source.kind} at {sink.api}"}
    return not {source.kind, source.api, *at_sink}.isdisjoint(vulnerability.unlikely)


def is_seldom(kind: str, api: str, vulnerability: Vulnerability) -> bool:
    """Whether a source, by its kind or by its API, does this harm in few places only."""
    asked = parameter_of(api)[0]
    return any(each == kind or fnmatchcase(asked, each) for each in vulnerability.seldom)


def is_seldom_whole(kind: str, api: str, vulnerability: Vulnerability) -> bool:
    """The same where no part of what the source reads is named (``unnamed KIND``, ``unnamed SOURCE``)."""
    asked = parameter_of(api)[0]
    wholes = [each.removeprefix(f"{UNNAMED} ") for each in vulnerability.seldom if each.startswith(f"{UNNAMED} ")]
    return any(each == kind or fnmatchcase(asked, each) for each in wholes)


def is_seldom_segment(api: str, vulnerability: Vulnerability) -> bool:
    """The same where a file of the program is named after the part that is read (``segment SOURCE``)."""
    asked = parameter_of(api)[0]
    return any(fnmatchcase(f"{SEGMENT} {asked}", each) for each in vulnerability.seldom)


def is_mostly_for_development(paths: Collection[str]) -> bool:
    """Whether most of ``paths``, the files of a program, are such that users of a program do not run."""
    return 2 * sum(DEVELOPMENT_PATHS.search(path) is not None for path in paths) >= len(paths)


def rate(
    trace: Trace,
    vulnerability: Vulnerability,
    sink: str,
    *,
    is_exact: bool,
    is_unknown: bool = False,
    is_development: bool = False,
    seldom: str = "",
    is_answer: bool = False,
) -> Grade:
    """How likely it is that data takes this path, which passes no check, and does harm at ``sink``.

    ``is_exact``: no step forgets the calling context, and none is assumed. ``is_unknown``: the sink is what a function
    returns to its framework, and an unknown callee made that value. Frameworks also accept response objects, so it may
    be no text. ``is_development``: most files of the program are tests and examples, so they are what is scanned.
    ``seldom``: the reason why this source seldom does this harm; "" for none. ``is_answer``: the sink is what a
    function returns to its framework, which may be no page.
    """
    paths = {step.place.path for step in trace.steps}
    if any(is_test(path) for path in paths) or 0 < sum(TEST_PATHS.search(path) is not None for path in paths) < len(
        paths
    ):
        return Grade("low", doubts.DEVELOPMENT)
    if not is_development and all(DEVELOPMENT_PATHS.search(path) for path in paths):
        return Grade("low", doubts.DEVELOPMENT)
    steps = brief(trace.steps)
    entered = calls_entered(trace.steps)
    if len(entered) > 1 and f"far from {sink}" in vulnerability.unlikely:
        return Grade("low", doubts.FAR)
    if vulnerability.executed:
        entered = calls_open(trace.steps)
    far = is_far(trace.steps, steps, entered)
    if far and not is_exact:
        return Grade("low", doubts.FAR)
    if FAR in vulnerability.unlikely and is_far(trace.steps, trace.steps, entered):
        return Grade("low", doubts.FAR)
    if far and (sum(entered) > MAX_CALLS_OUT_EXACT or len(trace.steps) > MAX_STEPS_EXACT):
        return Grade("low", doubts.FAR)
    if len(trace.steps) > MAX_STEPS_WITHIN:
        return Grade("low", doubts.LONG)
    if is_unknown:
        return Grade("low", doubts.UNKNOWN_RESULT)
    assumed = sum(step.kind == "assumed" for step in trace.steps)
    if seldom:
        return Grade("low" if assumed or len(trace.steps) > MAX_STEPS_SELDOM else "medium", seldom)
    if not assumed:
        ways = [] if vulnerability.executed else requests_of(steps)
        is_long = any(is_long_way(each, shows_stored=vulnerability.lured and at > 0) for at, each in enumerate(ways))
        # stored text does the harm itself, however it was stored
        apart = ways if vulnerability.lured and not is_answer else [steps]
        if not far and not is_long and not vulnerability.executed and any(map(is_deep, apart)):
            return Grade("medium", doubts.DEEP)
        if far or is_long:
            return Grade("medium", doubts.FAR if far else doubts.LONG)
        return Grade("medium", doubts.STORED) if is_far_stored(trace.steps, vulnerability) else Grade("high")
    if assumed > MAX_ASSUMED or len(trace.steps) > MAX_STEPS_ASSUMED or any(step.doubtful for step in trace.steps):
        return Grade("low", doubts.ASSUMED)
    return Grade("medium", doubts.ASSUMED)


def is_long_way(steps: Sequence[Step], *, shows_stored: bool = False) -> bool:
    """Whether what one request runs of a path is more than paths of high confidence have.

    ``shows_stored``: it reads what an earlier request stored, and the text itself does the harm. Calls that hand a row
    on, from a repository to a service and to a handler, refuse nothing then: their results are not counted.
    """
    returns = 0 if shows_stored else sum(step.kind == "return" and not step.inline for step in steps)
    modules = {module_of(step.place.path) for step in steps}
    return len(modules) > MAX_FILES_SURE or returns > MAX_RETURNS_SURE or len(steps) > MAX_STEPS_SURE


def is_far_stored(steps: Sequence[Step], vulnerability: Vulnerability) -> bool:
    """Whether another request uses what one has stored, so far from there that this has shown to do harm seldom."""
    return not vulnerability.executed and len(steps) > MAX_STEPS_STORED and len(requests_of(steps)) > 1


def requests_of(steps: Sequence[Step]) -> list[Sequence[Step]]:
    """The parts of a path that one request runs each: the next one reads what the one before stored."""
    ends = [at for at, step in enumerate(steps) if step.resumed]
    return [steps[start:end] for start, end in zip([0, *ends], [*ends, len(steps)], strict=True)]


def rare(
    source: SourceRole,
    sink: SinkRole,
    vulnerability: Vulnerability,
    *,
    is_sent_by_victim: bool = True,
    is_content: bool = False,
) -> str:
    """Why few findings with this source, or at this sink, are true (``doubtful``); "" for no such reason. A source says
    what a browser can be made to send: this does not matter where the attacker sends it himself. ``is_content``: it is
    what an uploaded file holds, and doubts about an upload are about its name.
    """
    if ALL in vulnerability.doubtful:
        return doubts.RARE
    asked = parameter_of(source.api)[0]
    is_sent_by_victim = is_sent_by_victim and not is_content
    if is_sent_by_victim and any(each == source.kind or fnmatchcase(asked, each) for each in vulnerability.doubtful):
        return doubts.RARE_SOURCE
    if not is_content and any(
        fnmatchcase(f"{asked} at {sink.api}", each) for each in vulnerability.doubtful if " at " in each
    ):
        return doubts.RARE_SOURCE
    if any(fnmatchcase(f"at {sink.api}", each) for each in vulnerability.doubtful):
        return doubts.RARE_SINK
    return ""


def is_doubtful_whole(source: SourceRole, vulnerability: Vulnerability) -> bool:
    """Whether few findings are true where no part of what ``source`` reads is named (``unnamed SOURCE``)."""
    asked = f"{UNNAMED} {parameter_of(source.api)[0]}"
    return any(fnmatchcase(asked, each) for each in vulnerability.doubtful)


def is_doubtful_piece(source: SourceRole, sink: SinkRole, vulnerability: Vulnerability) -> bool:
    """Whether few findings are true where a piece of what ``source`` reads arrives at ``sink`` (``cut SOURCE at
    SINK``).
    """
    asked = f"{CUT} {parameter_of(source.api)[0]} at {sink.api}"
    return any(fnmatchcase(asked, each) for each in vulnerability.doubtful)


def is_doubtful_field(sink: SinkRole, vulnerability: Vulnerability) -> bool:
    """Whether few findings are true where one field of what ``sink`` gets is untrusted (``field at SINK``)."""
    return any(fnmatchcase(f"{FIELD} at {sink.api}", each) for each in vulnerability.doubtful)


def is_deep(steps: Sequence[Step]) -> bool:
    """Whether a path, in brief, enters more calls than the language of its sink lets be sure of."""
    language = language_of_name(steps[-1].place.path)
    most = language_of(language).traits.sure_calls if language is not None else None
    return most is not None and sum(step.kind == "call" for step in steps) > most


def is_far(steps: Sequence[Step], shortened: Sequence[Step], entered: Sequence[bool]) -> bool:
    """Whether a path enters many functions, ``entered``, or is long, ``shortened``, and lies in several files."""
    if sum(entered) > MAX_CALLS_OUT or (sum(entered) > 1 and len(entered) > MAX_CALLS):
        return True
    return len(shortened) > MAX_STEPS_APART and len({step.place.path for step in steps}) > 1


def calls_entered(steps: Sequence[Step]) -> list[bool]:
    """For each call that the steps enter: whether it goes into another file."""
    return [after.place.path != step.place.path for step, after in pairwise(steps) if step.kind == "call"]


def calls_open(steps: Sequence[Step]) -> list[bool]:
    """The same of the calls that are not left before the end of the path: helpers that hand back what they are given,
    converted or completed, say little about what an interpreter runs at the end.
    """
    found: list[tuple[int, bool]] = []  # depth, whether it goes into another file
    for step, after in pairwise(steps):
        if step.kind == "return":
            found = [each for each in found if each[0] < step.depth]
        elif step.kind == "call":
            found.append((step.depth, after.place.path != step.place.path))
    return [is_out for _, is_out in found]


def is_test(path: str) -> bool:
    """Whether a file is built for tests only, by the rules of its language."""
    language = language_of_name(path)
    return language is not None and language_of(language).is_test_file(path)
