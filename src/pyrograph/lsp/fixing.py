"""The edit that fixes a finding, for an editor, as ``pyrograph fix`` finds and verifies it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyrograph.lsp.analysis import Warm, languages_of, loader, options_of, overlay_of
from pyrograph.lsp.jobs import Fixed, FixJob, Refused
from pyrograph.model.finding import Report
from pyrograph.model.refusal import Refusal, refusing
from pyrograph.rules import Rules
from pyrograph.scanner.analysis.lower import UnitMemory
from pyrograph.scanner.fix.propose import propose
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.stages import FaultPolicy

Progress = Callable[[str, int, int], None]


def _text(path: Path) -> bytes | None:
    """A file that is no source file, as it is on the disk; None where it is not there any more."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def fix_for_editor(job: FixJob, warm: Warm, progress: Progress) -> Fixed | Refused | None:
    """The verified edit; None where there is none, or where a text is not the one that was scanned.

    Costs two scans of the program or more, as ``propose`` says; units of the last scan are used again.
    """
    from pyrograph.scanner.pipeline import scan

    given = job.scan
    policy = FaultPolicy(given.isolated_files, given.in_parts)
    memory = warm.units.setdefault(given.folder, UnitMemory())

    def rescan(options: ScanOptions, rules: Rules, inputs: Inputs) -> Report:
        return scan(options, rules, progress, policy, inputs=inputs, memory=memory)

    try:
        with refusing():
            options, _ = options_of(given)
            inputs = read_inputs(options, overlay_of(given, options.root))
        now = {file.path: text for file, (text, _) in zip(inputs.found.files, inputs.texts, strict=True)}
        now |= inputs.templates
        root = options.root
        if any((now[path] if path in now else _text(root / path)) != text for path, text in job.report.sources.items()):
            return None
        rules = loader(options, warm)(languages_of(inputs))
        proposal = propose(job.report, options, rules, inputs, rescan)
    except Refusal as refusal:
        return Refused(str(refusal))
    if not proposal.edits:
        return None
    edits = {path: (proposal.texts[path], each) for path, each in proposal.edits.items()}
    return Fixed(edits, sorted({name for each in proposal.fixes.values() for name in each.requires}))
