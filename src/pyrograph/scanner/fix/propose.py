"""All fixes of a report: candidates from rules, verified together."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pyrograph.model.edit import Edit, edited, merged
from pyrograph.model.finding import Finding, Report
from pyrograph.model.fix import Fix, Replacement
from pyrograph.rules import Rules
from pyrograph.scanner.fix.candidates import Candidate, Remedies, candidates, unused
from pyrograph.scanner.fix.project import Project
from pyrograph.scanner.fix.site import Files
from pyrograph.scanner.fix.verify import Overlay, Verified, edits_of, verified
from pyrograph.scanner.inputs import Inputs
from pyrograph.scanner.options import ScanOptions

Scan = Callable[[ScanOptions, Rules, Inputs], Report]


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fixes of a report. ``edits`` are those of all fixes together, by path."""

    fixes: dict[str, Fix]  # by the finding's fingerprint
    edits: dict[str, list[Edit]]
    texts: dict[str, bytes]  # of the files in ``edits``, as they were scanned
    result: Verified

    def after(self, path: str) -> bytes:
        """The text of a file with all fixes."""
        return edited(self.texts[path], self.edits[path])


def propose(report: Report, options: ScanOptions, rules: Rules, inputs: Inputs, scan: Scan) -> Proposal:
    """Fixes for the findings of ``report``; what is suppressed or known gets none.

    ``inputs``: what was scanned. ``scan``: runs the whole pipeline. Costs one scan for the findings at low confidence,
    and up to ``MAX_FIX_SCANS`` that verify edits; units of files without edits come from the cache.
    """
    sources = _sources(inputs)
    files, found = _found(report, rules, inputs)

    def rescan(overlay: Overlay) -> Sequence[Finding]:
        texts = tuple(
            (overlay[file.path], problem) if file.path in overlay else (text, problem)
            for file, (text, problem) in zip(inputs.found.files, inputs.texts, strict=True)
        )
        templates = {path: text for path, text in overlay.items() if path not in sources}
        edited_inputs = replace(inputs, texts=texts, templates={**inputs.templates, **templates})
        return scan(replace(options, confidence="low"), rules, edited_inputs).findings

    result = verified(files, found, rescan, options.confidence)
    together = edits_of(result.kept) or {}
    for path, edits in together.items():  # an import that only all edits together make useless
        together[path] = merged([*edits, *unused(files, path, edits)]) or edits
    fixes = {each.finding.fingerprint: _fix(files, each) for each in result.kept}
    return Proposal(fixes, together, {path: files.texts[path] for path in together}, result)


def proposed(report: Report, rules: Rules, inputs: Inputs) -> dict[str, str]:
    """Titles of the edits that rules propose for findings, by fingerprint. No scan has verified them.

    Parses each file that holds such a finding once.
    """
    _, found = _found(report, rules, inputs, tidy=False)
    return {each[0].finding.fingerprint: each[0].title for each in found if each}


def _sources(inputs: Inputs) -> dict[str, bytes]:
    return {file.path: text for file, (text, _) in zip(inputs.found.files, inputs.texts, strict=True) if text}


def _found(report: Report, rules: Rules, inputs: Inputs, *, tidy: bool = True) -> tuple[Files, list[list[Candidate]]]:
    """The texts, and the edits that may fix each finding of the report: none where code for edits fails."""
    sources = _sources(inputs)
    syntaxes = {file.path: file.language for file in inputs.found.files}
    files = Files({**report.sources, **inputs.templates, **sources}, syntaxes, Project(_root(inputs), inputs.manifests))
    entries = [(pack.language, remedy) for pack in rules.packs for remedy in pack.remedies]
    remedies = Remedies(entries, cache(lambda name: _holds(sources.values(), name)))
    found: list[list[Candidate]] = []
    for each in report.findings:
        try:
            found.append(candidates(files, each, remedies.of(each), tidy=tidy))
        except Exception:  # the findings are right without an edit
            logging.exception("edits for %s at %s:%d", each.rule_id, each.place.path, each.place.line)
            found.append([])
    return files, found


def _root(inputs: Inputs) -> str | None:
    """The folder that paths are relative to; None where no file is known by its place below it."""
    ends = ((file.absolute, f"/{file.path}") for file in inputs.found.files)
    return next((absolute.removesuffix(end) for absolute, end in ends if absolute.endswith(end)), None)


def _fix(files: Files, candidate: Candidate) -> Fix:
    replacements = [
        Replacement(files.lines(path).place(path, edit.start, edit.end), edit.text.decode("utf-8", "replace"))
        for path, edits in sorted(candidate.edits.items())
        for edit in edits
    ]
    new = [step.api for step in candidate.remedy.steps if step.operation == "module"]
    texts = [files.texts[path] for path in candidate.edits]
    requires = sorted({api[0] for api in new if not any(_imports(text, api[0]) for text in texts)})
    return Fix(candidate.title, tuple(replacements), tuple(requires))


def _imports(text: bytes, root: str) -> bool:
    return root.encode() in text


def _holds(texts: Iterable[bytes], name: str) -> bool:
    """Whether a file of the program imports a library: its name stands behind ``import`` or ``from``, or in quotes."""
    escaped = re.escape(name.encode())
    pattern = re.compile(rb"\"" + escaped + rb"[\"/]|^[ \t]*(?:import|from)[ \t]+" + escaped + rb"(?![\w])", re.M)
    return any(pattern.search(text) for text in texts)
