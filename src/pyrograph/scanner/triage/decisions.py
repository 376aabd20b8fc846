"""What a project has decided about findings, applied to a report: comments, marks, a baseline, another state.

The command line, the interface for programs and the language server all go through here: what one of them hides, all
hide. The file of marks lies in the scan root, as the project's configuration does, so nobody has to name it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyrograph.model.finding import Report
from pyrograph.scanner.config import Config
from pyrograph.scanner.options import ScanOptions, narrowing
from pyrograph.scanner.roots import common_directory
from pyrograph.scanner.triage.marks import FILE, Mark, apply_marks, read_marks
from pyrograph.scanner.triage.suppress import apply_suppressions

Hide = Callable[[Report], Report]
Compare = Callable[[Report, Hide], Report]  # the second argument hides in the other state's report what this one hides


@dataclass(frozen=True, slots=True)
class Decisions:
    """All that decides which findings count."""

    notes: tuple[str, ...] = ()  # what the configuration hides
    require_reason: bool = False  # suppression comments without a reason suppress nothing
    hints: tuple[str, ...] = ()  # other tools whose comments count
    marks: Mapping[str, Mark] = field(default_factory=dict)  # by fingerprint
    marks_file: str = FILE  # its name, for a note
    baseline: Path | None = None
    writes_baseline: bool = False  # it is written from the report before it is applied


def decisions(
    options: ScanOptions,
    config: Config,
    *,
    require_reason: bool = False,
    hints: tuple[str, ...] = (),
    marks: Path | None = None,
    isolated: bool = False,
    baseline: Path | None = None,
    writes_baseline: bool = False,
) -> Decisions:
    """What holds for a scan: what was asked for over what the project says.

    Args:
        options: Of the scan.
        config: The project's.
        require_reason: Asked for; the configuration can ask for it, too.
        hints: See ``suppression_comments.HINTS``.
        marks: A file of marks; the one in the scan root where none is named.
        isolated: Only a file of marks that is named is read.
        baseline: A baseline; the configuration's where none is named.
        writes_baseline: The baseline is to be written.

    Raises:
        MarksError: The file of marks cannot be read.
    """
    file = options.root / FILE if marks is None else marks.resolve()
    return Decisions(
        config.notes,
        require_reason or config.require_reason,
        hints,
        {} if marks is None and isolated else read_marks(file),
        file.name,
        config.baseline if baseline is None else baseline,
        writes_baseline,
    )


def decided(report: Report, decisions: Decisions, options: ScanOptions, compare: Compare | None = None) -> Report:
    """The report without what is suppressed, marked false, known or unchanged, in entry points, too.

    In this order: a baseline holds no suppressed finding, and both can tell what they no longer match because
    they see the findings of all files, changed or not.

    Args:
        report: What the scan with ``options`` found.
        decisions: What holds.
        options: Of the scan.
        compare: Leaves what is new since another state.

    Raises:
        BaselineError: The baseline cannot be read or written.

    Other errors are those of ``compare``.
    """

    def hide(report: Report) -> Report:
        report = apply_suppressions(report, require_reason=decisions.require_reason, hints=decisions.hints)
        return apply_marks(report, decisions.marks, decisions.marks_file)

    report = hide(report)
    if decisions.baseline is not None:
        from pyrograph.scanner.triage.baseline import apply_baseline, write_baseline

        if decisions.writes_baseline:
            write_baseline(decisions.baseline, report, narrowing(options))
        report = apply_baseline(report, decisions.baseline, scanned=_comparable(options, decisions.baseline))
    if compare is not None:
        report = compare(report, hide)
    return replace(_with_surface(report), notes=(*decisions.notes, *report.notes))


def _with_surface(report: Report) -> Report:
    """The report whose entry points lead to findings that count."""
    counted = {fingerprint for finding in report.findings for fingerprint in finding.fingerprints}
    surface = tuple(
        replace(each, findings=tuple(one for one in each.findings if one in counted)) for each in report.surface
    )
    return replace(report, surface=surface)


@dataclass(frozen=True, slots=True)
class _Below(Container[str]):
    """The paths below what was scanned, also of files that are not there any more."""

    root: Path
    scanned: tuple[Path, ...]

    def __contains__(self, path: object) -> bool:
        place = self.root / str(path)
        return any(place.is_relative_to(each) for each in self.scanned)


def _comparable(options: ScanOptions, baseline: Path) -> Container[str] | None:
    """The paths whose baseline entries are stale when no finding matches them; None for all.

    A scan cannot tell for the files that it did not see, and for none with other options than the baseline was written
    with. A baseline that does not say with which was written with none.
    """
    from pyrograph.scanner.triage.baseline import options_of_baseline

    if (options_of_baseline(baseline) or {}) != narrowing(options):
        return ()
    if common_directory(options.paths) == options.root:
        return None
    return _Below(options.root.resolve(), tuple(map(Path.resolve, options.paths)))
