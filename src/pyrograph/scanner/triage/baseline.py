"""Baselines: findings that are known, so that only new ones count.

A baseline is a JSON file with one finding a line, sorted, without line numbers: it stays the same while code around a
finding moves, and two branches merge it like text. ``fingerprint`` decides; ``rule`` and ``path`` are for people.
Further keys (``reason``, ``author``, ...) belong to the project and are kept when the file is written again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pyrograph.model.finding import Finding, Report, Suppressed
from pyrograph.model.problem import Problem
from pyrograph.model.refusal import Refusal
from pyrograph.scanner.files.writing import write_atomically

VERSION = 1
_REQUIRED = ("fingerprint", "rule", "path")

Entry = dict[str, Any]


class BaselineError(Refusal, ValueError):
    """A baseline that cannot be read or written; the message names file, trouble and remedy."""


def write_baseline(path: str | os.PathLike[str], report: Report, options: Mapping[str, object] | None = None) -> int:
    """Write the findings of ``report`` as the baseline ``path`` and return how many entries it holds.

    ``options``: what decided which findings are in the report; a scan with others cannot say what is stale.

    Findings that a baseline had hidden stay in it; those hidden by comments do not enter. An existing baseline is
    replaced at once or not at all; of findings that remain, what people added to their lines is kept.

    Raises:
        BaselineError: ``path`` is another kind of file, or cannot be written.
    """
    target = Path(path)
    before = {entry["fingerprint"]: entry for entry in _read(target)["findings"]} if target.exists() else {}
    findings = [*report.findings, *(entry.finding for entry in report.suppressed if entry.by == "baseline")]
    entries = _entries(findings, before)
    _write(target, entries, options)
    return len(entries)


def add_to_baseline(
    path: str | os.PathLike[str], findings: Iterable[Finding], options: Mapping[str, object] | None = None
) -> int:
    """Add findings to the baseline ``path``, which is written if it is not there; returns how many entries it holds.

    All other entries stay, stale ones included, and so do the options of a baseline that is there. ``options``: as
    ``write_baseline`` takes them, for a new one.

    Raises:
        BaselineError: ``path`` is another kind of file, or cannot be written.
    """
    target = Path(path)
    if target.exists():
        document = _read(target)
        before = {entry["fingerprint"]: entry for entry in document["findings"]}
        known = document.get("options")
        options = known if isinstance(known, dict) else None
    else:
        before = {}
    entries = before | _entries(findings, before)
    _write(target, entries, options)
    return len(entries)


def _entries(findings: Iterable[Finding], before: Mapping[str, Entry]) -> dict[str, Entry]:
    """Entries of findings by fingerprint, with what people added to those that were there before."""
    return {
        fingerprint: {**before.get(fingerprint, {}), **_entry(f, fingerprint)}
        for f in findings
        for fingerprint in f.fingerprints
    }


def _write(target: Path, entries: Mapping[str, Entry], options: Mapping[str, object] | None) -> None:
    ordered = sorted(entries.values(), key=lambda entry: (entry["path"], entry["rule"], entry["fingerprint"]))
    lines = ",\n".join(json.dumps(entry) for entry in ordered)
    made = "" if options is None else f'"options": {json.dumps(options)},\n'
    text = f'{{\n"version": {VERSION},\n{made}"findings": [\n{lines}{chr(10) if lines else ""}]\n}}\n'
    _write_atomically(target, text)


def apply_baseline(
    report: Report,
    path: str | os.PathLike[str],
    *,
    scanned: Container[str] | None = None,
    rules: Collection[str] | None = None,
) -> Report:
    """Move the findings that the baseline ``path`` knows into ``suppressed``; entries that match nothing are problems.

    Args:
        report: What the scan found.
        path: The baseline.
        scanned: Paths that were scanned, if not all were: only entries in these can be stale then.
        rules: Ids of the rules that ran, if not all did: only entries of these can be stale then.

    Raises:
        BaselineError: The file is missing, or is no baseline.
    """
    entries = {entry["fingerprint"]: entry for entry in _read(Path(path))["findings"]}
    hidden = [
        Suppressed(finding, "baseline", str(entries[finding.fingerprint].get("reason") or ""))
        for finding in report.findings
        if _is_known(finding, entries)
    ]
    # A finding that a comment hides is still there: its entry is not stale.
    found = [*report.findings, *(entry.finding for entry in report.suppressed)]
    alive = {fingerprint for finding in found for fingerprint in finding.fingerprints}
    stale = [
        Problem(
            "baseline",
            entry["path"],
            0,
            f"{entry['rule']} ({print_}) is in the baseline, but no longer found; --write-baseline removes it",
        )
        for print_, entry in entries.items()
        if print_ not in alive
        and (scanned is None or entry["path"] in scanned)
        and (rules is None or entry["rule"] in rules)
    ]
    return replace(
        report,
        findings=tuple(finding for finding in report.findings if not _is_known(finding, entries)),
        suppressed=(*report.suppressed, *hidden),
        problems=tuple(sorted({*report.problems, *stale})),
    )


def options_of_baseline(path: str | os.PathLike[str]) -> dict[str, object] | None:
    """The ``options`` that a baseline was written with; None if it does not say.

    Raises:
        BaselineError: The file is missing, or is no baseline.
    """
    options = _read(Path(path)).get("options")
    return options if isinstance(options, dict) else None


def _is_known(finding: Finding, entries: Collection[str]) -> bool:
    """Whether all arguments of the finding are known: untrusted data in a further argument of a call is new."""
    return all(fingerprint in entries for fingerprint in finding.fingerprints)


def _entry(finding: Finding, fingerprint: str) -> Entry:
    return {"path": finding.place.path, "rule": finding.rule_id, "fingerprint": fingerprint}


def _read(path: Path) -> dict[str, Any]:
    """The document; its ``findings`` are a list of ``Entry``."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        remedy = "; --write-baseline writes one" if isinstance(error, FileNotFoundError) else ""
        raise BaselineError(f"{path}: cannot read the baseline: {error.strerror or error}{remedy}") from error
    except (ValueError, RecursionError) as error:
        place = f"{path}:{error.lineno}" if isinstance(error, json.JSONDecodeError) else str(path)
        raise BaselineError(
            f"{place}: the baseline is not valid JSON ({error}); if it contains conflict markers of a merge, "
            "keep the lines of both sides"
        ) from error
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError(f'{path}: not a baseline: an object with "version" and "findings" is expected')
    if document.get("version") != VERSION:
        raise BaselineError(
            f"{path}: baseline version {document.get('version')!r} is not {VERSION}; "
            "write it again with --write-baseline"
        )
    for number, entry in enumerate(document["findings"], start=1):
        # Duplicates are legal: merging two branches brings them.
        if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _REQUIRED):
            raise BaselineError(
                f'{path}: finding {number} of the baseline lacks one of the texts "fingerprint", "rule", "path"; '
                "remove its line or write the baseline again with --write-baseline"
            )
    return document


def _write_atomically(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode("ascii"))
    except OSError as error:
        raise BaselineError(f"{path}: cannot write the baseline: {error.strerror or error}") from error
