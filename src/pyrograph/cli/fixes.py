"""The fixes of a report: for ``pyrograph fix``, and for ``pyrograph scan --fixes``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrograph.cli.attempt import mark_stage
from pyrograph.cli.errors import complain
from pyrograph.cli.given import rules_for
from pyrograph.model.finding import Report
from pyrograph.model.languages import rule_id_of
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.stages import FaultPolicy

if TYPE_CHECKING:
    from pyrograph.scanner.fix.propose import Proposal


def fixes_of(report: Report, options: ScanOptions, inputs: Inputs, policy: FaultPolicy) -> Proposal:
    """The verified fixes of a report of ``inputs``."""
    from pyrograph.scanner.fix.propose import propose  # loads parsers

    languages = sorted({rule_id_of(file.language) for file in inputs.found.files})
    rules = rules_for(options, languages)
    return propose(report, options, rules, inputs, partial(scan_inputs, policy=policy))


def with_fixes(report: Report, options: ScanOptions, policy: FaultPolicy) -> Report:
    """The report of ``scan --fixes``. A tree that changed while it was scanned gets no fixes."""
    inputs = read_inputs(options)
    now = {file.path: text for file, (text, _) in zip(inputs.found.files, inputs.texts, strict=True)}
    if any(path in now and now[path] != text for path, text in report.sources.items()):
        complain("no fixes: files changed while they were scanned; run the command again")
        return report
    return replace(report, fixes=fixes_of(report, options, inputs, policy).fixes)


def scan_inputs(options: ScanOptions, rules: Any, inputs: Inputs, policy: FaultPolicy) -> Report:
    """A scan of texts that were read, or edited, before."""
    from pyrograph import scanner

    return scanner.scan(options, rules, mark_stage, policy, inputs=inputs)
