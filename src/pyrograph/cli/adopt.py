"""From what a scan found to what a project wants to see: suppressions, marks, a baseline, another state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyrograph.cli.errors import refusing
from pyrograph.cli.given import Given
from pyrograph.model.finding import Report
from pyrograph.scanner.options import ScanOptions, common_directory

if TYPE_CHECKING:
    from pyrograph.scanner.config import Config
    from pyrograph.scanner.triage.marks import Mark

Compare = Callable[[Report, Callable[[Report], Report]], Report]  # the second argument treats the other state's report


def adopted(
    report: Report, given: Given, config: Config, options: ScanOptions, compare: Compare | None = None
) -> Report:
    """The report without what is suppressed, marked false, known or unchanged.

    ``compare``: leaves what is new since another state.

    In this order: a baseline holds no suppressed finding, and both can tell what they no longer match because
    they see the findings of all files, changed or not.
    """
    from pyrograph.scanner.options import narrowing
    from pyrograph.scanner.triage.marks import apply_marks
    from pyrograph.scanner.triage.suppress import apply_suppressions

    require_reason = given.triage.require_reason or config.require_reason
    marks = _marks(given, options)

    def unsuppressed(report: Report) -> Report:
        report = apply_suppressions(report, require_reason=require_reason, hints=given.triage.accept_comment)
        return report if marks is None else apply_marks(report, *marks)

    report = unsuppressed(report)
    if given.triage.write_baseline is not None:
        from pyrograph.scanner.triage.baseline import write_baseline

        with refusing(while_doing="cannot write the baseline"):
            write_baseline(given.triage.write_baseline, report, narrowing(options))
    baseline = given.triage.write_baseline or given.triage.baseline
    if baseline is not None:
        from pyrograph.scanner.triage.baseline import apply_baseline

        with refusing(while_doing="cannot read the baseline"):
            report = apply_baseline(report, baseline, scanned=_comparable(report, given, options, baseline))
    if compare is not None:
        report = compare(report, unsuppressed)
    return replace(report, notes=(*config.notes, *report.notes))


def _marks(given: Given, options: ScanOptions) -> tuple[Mapping[str, Mark], str] | None:
    """The marks that a scan obeys, and the name of their file."""
    from pyrograph.scanner.triage.marks import FILE, read_marks

    if given.triage.marks is None and given.files.isolated:
        return None
    file = given.triage.marks.resolve() if given.triage.marks else options.root / FILE
    with refusing():
        return read_marks(file), file.name


def _comparable(report: Report, given: Given, options: ScanOptions, baseline: Path) -> Collection[str] | None:
    """The paths whose baseline entries are stale when no finding matches them; None for all.

    A scan cannot tell for the files that it did not see, and for none with other options than the baseline was written
    with. A baseline that does not say with which is compared with a scan that has none on the command line.
    """
    from pyrograph.scanner.options import narrowing
    from pyrograph.scanner.triage.baseline import options_of_baseline

    written = options_of_baseline(baseline)
    levels = (given.profile, given.severity, given.confidence, given.max_depth, given.unknown_calls)
    names = (
        given.select,
        given.ignore,
        given.files.include,
        given.files.exclude,
        given.threat_model,
        given.files.max_file_size,
    )
    if any((*levels, *names)) if written is None else written != narrowing(options):
        return ()
    return None if common_directory(given.files.paths or (Path(),)) == options.root else frozenset(report.sources)
