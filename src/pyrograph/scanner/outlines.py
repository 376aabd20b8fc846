"""Edits that no stage sees: the report of a program before such an edit is its report after it.

A stage knows a file by its unit, and by its text only where it asks for the text (``TextReader``). The report
names the texts that were read, pieces that were read of others, and what was searched for. The *outline* of a unit is
what it says without places: its rows but for their spans, and the order of the spans. A comment, a blank line or other
white space changes no outline. Stages compare spans and never measure them. So an edit that changes no outline, no
text that was read, no piece and no answer changes nothing in the report but counts of lines and syntax nodes, and
comments that suppress findings. No place in the report moves: whoever makes a place reads the text.

What is kept of a program is a ``State``. There is one for each program, set of files and options; a scan that runs its
stages replaces it.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

from pyrograph.ir.schema import BYTES, TABLES
from pyrograph.ir.stored import UnitError, load
from pyrograph.ir.unit import Unit
from pyrograph.model.finding import Report
from pyrograph.policy.limits.caches import MAX_EDITED_FILES
from pyrograph.scanner import background
from pyrograph.scanner.analysis.lower import lower_files, unit_key
from pyrograph.scanner.analysis.unit_cache import UnitCache
from pyrograph.scanner.inputs import Inputs

COUNTED = ("lines", "syntax_nodes", "error_nodes", "unhandled_nodes")  # of a unit, summed up in the report


@dataclass(frozen=True, slots=True)
class State:
    """A program whose report is kept."""

    report: str  # key of the report
    units: tuple[str, ...]  # keys of the units of all files in their order, in hex; "" of a file without a text
    read: frozenset[int]  # files whose text a stage read
    searched: tuple[tuple[str, str], ...]  # pattern, and of each file "1" or "0": whether it has it; "-": not asked
    pieces: Mapping[int, tuple[str, tuple[int, ...]]]  # of other files: digest of the pieces, start and end of each

    def encode(self) -> bytes:
        pieces = [[place, *found] for place, found in self.pieces.items()]
        body = [self.report, self.units, sorted(self.read), self.searched, pieces]
        return json.dumps(body, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that no stage sees."""

    report: str  # key of the report before
    units: Mapping[str, Unit]  # of the files that changed, by path, after the edit
    more: Mapping[str, int]  # of each of ``COUNTED``: what the program has more than before


def decoded(body: bytes) -> State | None:
    """What ``State.encode`` wrote; None for anything else."""
    try:
        report, keys, read, searched, pieces = json.loads(body)
        state = State(
            report,
            tuple(keys),
            frozenset(read),
            tuple([(pattern, said) for pattern, said in searched]),
            {place: (digest, tuple(spans)) for place, digest, spans in pieces},
        )
    except (ValueError, TypeError, RecursionError):
        return None
    texts = [report, *state.units, *(each for pair in state.searched for each in pair)]
    texts += [digest for digest, _ in state.pieces.values()]
    numbers = [*state.read, *state.pieces, *(at for _, spans in state.pieces.values() for at in spans)]
    whole = all(isinstance(each, str) for each in texts) and all(isinstance(each, int) for each in numbers)
    in_pairs = all(len(spans) % 2 == 0 for _, spans in state.pieces.values())
    return state if whole and in_pairs and all(len(said) == len(keys) for _, said in state.searched) else None


def unit_keys(inputs: Inputs) -> tuple[str, ...]:
    """Of all files, as a ``State`` has them. Reads all texts once: a millisecond for each half megabyte."""
    files = inputs.found.files
    return tuple(
        "" if text is None else unit_key(text, file.language).hex()
        for file, (text, _) in zip(files, inputs.texts, strict=True)
    )


def state_of(key: str, report: Report, inputs: Inputs) -> State:
    """What is kept of a program whose report has this key."""
    paths = [file.path for file in inputs.found.files]
    read = report.sources.keys() | inputs.templates.keys()
    pieces = {}
    for place, path in enumerate(paths):
        text = inputs.texts[place][0]
        if path not in read and path in report.pieces and text is not None:
            spans = tuple(chain.from_iterable(sorted(report.pieces[path])))
            pieces[place] = (_digest(text, spans), spans)
    answers = {True: "1", False: "0", None: "-"}
    return State(
        key,
        unit_keys(inputs),
        frozenset(place for place, path in enumerate(paths) if path in read),
        tuple(
            (pattern, "".join([answers[known.get(path)] for path in paths]))
            for pattern, known in sorted(report.searched.items())
        ),
        pieces,
    )


def unseen_edit(state: State, inputs: Inputs, folder: Path) -> Edit | None:
    """What was edited since ``state``, a state of the same files; None if a stage may see it, or that is not known.

    The files that changed are lowered, at most ``MAX_EDITED_FILES``. Their units are in the cache in ``folder``
    afterwards: a scan does not lower them again.
    """
    keys = unit_keys(inputs)
    if len(keys) != len(state.units):
        return None
    changed = [index for index, both in enumerate(zip(state.units, keys, strict=True)) if both[0] != both[1]]
    if not 0 < len(changed) <= MAX_EDITED_FILES or not state.read.isdisjoint(changed):
        return None
    if any(
        _is_answered_anew(said[place], pattern, inputs.texts[place][0])
        for pattern, said in state.searched
        for place in changed
    ):
        return None
    former = dict(_cached(folder, [state.units[index] for index in changed]))
    if len(former) != len(changed):
        return None
    files = [inputs.found.files[index] for index in changed]
    lowered, _ = lower_files(files, jobs=1, texts=[inputs.texts[index] for index in changed], cache=folder)
    background.finish()
    units = {each.file.path: each.unit for each in lowered}
    if len(units) != len(changed):
        return None
    more = dict.fromkeys(COUNTED, 0)
    for place, file in enumerate(files):
        before, after = former[place], units[file.path]
        moved = moved_places(before, after)
        if moved is None:
            return None
        digest, spans = state.pieces.get(changed[place], ("", ()))
        if spans and (
            not moved.keys() >= set(spans) or _digest(lowered[place].text, [moved[at] for at in spans]) != digest
        ):
            return None
        for name in COUNTED:
            more[name] += getattr(after, name) - getattr(before, name)
    return Edit(state.report, units, more)


def _digest(text: bytes, spans: Sequence[int]) -> str:
    """Of the pieces of a text between each start and end."""
    digest = hashlib.blake2b(digest_size=16)
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        piece = text[start:end]
        digest.update(b"%d " % len(piece))
        digest.update(piece)
    return digest.hexdigest()


def _is_answered_anew(before: str, pattern: str, text: bytes | None) -> bool:
    """Whether a search that found something (1) or nothing (0) has another answer now."""
    return before in "01" and (re.search(pattern.encode("latin-1"), text or b"") is not None) != (before == "1")


def _cached(folder: Path, keys: list[str]) -> Iterator[tuple[int, Unit]]:
    """(place, unit) of those that the cache has."""
    with suppress(ValueError):  # no hex
        for place, data in UnitCache(folder).read([bytes.fromhex(key) for key in keys]):
            with suppress(UnitError):
                yield place, load(data)


def moved_places(before: Unit, after: Unit) -> dict[int, int] | None:
    """Where each place of a unit is in another one that has the same outline; None if it has not."""
    if (before.language, before.package, before.problems) != (after.language, after.package, after.problems):
        return None
    if before.strings != after.strings:
        return None
    moved: set[tuple[int, int]] = set()
    for name, columns in TABLES.items():
        old, new = before.tables[name], after.tables[name]
        if len(old) != len(new):
            return None
        for place, column in enumerate(columns):
            cells: tuple[array[int], array[int]] = (old[place :: len(columns)], new[place :: len(columns)])
            if column.cells.to == BYTES:
                moved.update(zip(*cells, strict=True))
            elif cells[0] != cells[1]:
                return None
    in_order = all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(sorted(moved)))
    return dict(moved) if in_order else None
