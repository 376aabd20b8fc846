"""Which candidates fix their finding: scans of the edited program, in memory.

All edits of a round are made at once. A scan with them must find none of their findings, at any confidence, and nothing
new. A candidate that fails gives way to the next one of its finding; the rest is scanned again. So what is kept was
scanned together, as it is written to disk together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pyrograph.model.edit import Edit, before, edited, merged
from pyrograph.model.finding import Finding
from pyrograph.model.vulnerability import CONFIDENCES, Confidence
from pyrograph.parsers.trees import error_count
from pyrograph.policy.limits.fixes import MAX_FIX_SCANS
from pyrograph.scanner.fix.candidates import Candidate
from pyrograph.scanner.fix.site import Files, Lines

Overlay = Mapping[str, bytes]
Key = tuple[str, str, int]  # rule, path and offset of a finding's place
Rescan = Callable[[Overlay], Sequence[Finding]]  # the findings of the program with other texts, at low confidence


@dataclass(slots=True)
class Verified:
    """What the scans showed."""

    kept: list[Candidate] = field(default_factory=list)
    failed: int = 0  # findings whose candidates all failed
    untried: int = 0  # findings whose candidates were not decided within ``MAX_FIX_SCANS``, or contradict others
    scans: int = 0


def verified(files: Files, found: Sequence[Sequence[Candidate]], rescan: Rescan, lowest: Confidence) -> Verified:
    """The candidates that fix their findings; one for each finding at most.

    ``found``: the candidates of each finding. ``lowest``: new findings below this confidence are not reported, and do
    not count. Takes at most ``MAX_FIX_SCANS`` scans.
    """
    result = Verified()
    waiting = [parsing for each in found if (parsing := [one for one in each if _parses(files, one)])]
    result.failed = sum(1 for each in found if each) - len(waiting)
    if not waiting:
        return result
    original = list(rescan({}))
    result.scans = 1
    largest = len(waiting)
    while waiting and result.scans < MAX_FIX_SCANS:
        group, later = _compatible(result.kept, waiting, largest)
        if not group:
            break
        chosen = [each[0] for each in group]
        edits = edits_of([*result.kept, *chosen])
        assert edits is not None
        after = rescan({path: edited(files.texts[path], own) for path, own in edits.items()})
        result.scans += 1
        left, new = _compared(files, original, after, edits, lowest)
        failing = [each for each in chosen if _key(files, each.finding) in left]
        if not failing and new:
            paths = {path for each in new for path in _paths(each)}
            failing = [each for each in chosen if not paths.isdisjoint(each.edits)]
            if len(failing) > 1 or (not failing and len(group) > 1):
                largest = max(1, len(group) // 2)  # look for the one that is to blame
                waiting = [*group, *later]
                continue
            failing = failing or chosen
        if not failing:
            result.kept += chosen
            waiting = later
            largest = max(largest, len(waiting))
            continue
        rest = [each[1:] if each[0] in failing else each for each in group]
        result.failed += sum(1 for each in rest if not each)
        waiting = [*(each for each in rest if each), *later]
    result.untried = len(waiting)
    return result


def edits_of(chosen: Sequence[Candidate]) -> dict[str, list[Edit]] | None:
    """All edits by path; None where two contradict each other. Imports stay where only their removal would."""
    found: dict[str, list[Edit]] = {}
    untidied: dict[str, list[Edit]] = {}
    for each in chosen:
        for path, edits in each.edits.items():
            found.setdefault(path, []).extend(edits)
            untidied.setdefault(path, []).extend(each.untidied.get(path, edits))
    whole = {path: merged(edits) or merged(untidied[path]) for path, edits in sorted(found.items())}
    return None if None in whole.values() else {path: edits for path, edits in whole.items() if edits is not None}


def _parses(files: Files, candidate: Candidate) -> bool:
    """Whether no file has more syntax errors than before."""
    for path, edits in candidate.edits.items():
        if path in files.syntaxes:
            syntax = files.syntaxes[path]
            if error_count(edited(files.texts[path], edits), syntax) > error_count(files.texts[path], syntax):
                return False
    return True


def _compatible(
    kept: Sequence[Candidate], waiting: Sequence[list[Candidate]], largest: int
) -> tuple[list[list[Candidate]], list[list[Candidate]]]:
    """Those whose first candidates can be made together with what is kept, at most ``largest``; and the others."""
    group: list[list[Candidate]] = []
    later: list[list[Candidate]] = []
    for each in waiting:
        together = [*kept, *(one[0] for one in group), each[0]]
        if len(group) < largest and edits_of(together) is not None:
            group.append(each)
        else:
            later.append(each)
    return group, later


def _compared(
    files: Files,
    original: Sequence[Finding],
    after: Sequence[Finding],
    edits: Mapping[str, Sequence[Edit]],
    lowest: Confidence,
) -> tuple[set[Key], list[Finding]]:
    """The findings of the original scan that are still found, and findings that are new.

    A finding is the same where it has the rule of another one and its place, or a place in text that replaced it.
    """
    known = {fingerprint for each in original for fingerprint in each.fingerprints}
    places: dict[Key, Key] = {}  # of each argument -> of its finding
    for each in original:
        for place in (each.place, *(argument.place for argument in each.arguments)):
            start, _ = files.lines(place.path).span(place)
            places[each.rule_id, place.path, start] = _key(files, each)
    lines = {path: Lines(edited(files.texts[path], own)) for path, own in edits.items()}
    left: set[Key] = set()
    new: list[Finding] = []
    for each in after:
        path = each.place.path
        at = (lines.get(path) or files.lines(path)).offset(each.place.line, each.place.column)
        start, end = before(edits[path], at) if path in edits else (at, at)
        same = places.get((each.rule_id, path, start))
        if same is None and end > start:
            inside = [key for key in sorted(places) if key[:2] == (each.rule_id, path) and start <= key[2] < end]
            same = places[inside[0]] if inside else None
        if same is not None:
            left.add(same)
        elif each.fingerprint not in known and CONFIDENCES.index(each.confidence) >= CONFIDENCES.index(lowest):
            new.append(each)
    return left, new


def _key(files: Files, finding: Finding) -> Key:
    start, _ = files.lines(finding.place.path).span(finding.place)
    return finding.rule_id, finding.place.path, start


def _paths(finding: Finding) -> set[str]:
    return {finding.place.path, *(step.place.path for trace in finding.traces for step in trace.steps)}
