"""One scan for an editor, in a process of its own: from a job to what the server shows.

The folder is scanned as ``pyrograph scan FOLDER`` does it: the repository is the root, so fingerprints and patterns
mean the same, and the nearest configuration holds. Texts that are not saved stand for the files on the disk. A report
of an earlier scan is used if nothing changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pyrograph.lsp.jobs import Refused, ScanJob, Scanned, digest_of
from pyrograph.lsp.settings import Settings
from pyrograph.model.finding import Report
from pyrograph.model.languages import rule_id_of
from pyrograph.model.refusal import Refusal, refusing
from pyrograph.parsers import has_languages_from_outside, lower, syntaxes
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.analysis.lower import UnitMemory
from pyrograph.scanner.config import Config
from pyrograph.scanner.fix.propose import proposed
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions, narrowing
from pyrograph.scanner.report_cache import ReportCache
from pyrograph.scanner.roots import find_root
from pyrograph.scanner.settings import Settings as Asked
from pyrograph.scanner.settings import options_of as options_by_settings
from pyrograph.scanner.settings import rules_for
from pyrograph.scanner.stages import FaultPolicy
from pyrograph.scanner.triage.decisions import decided, decisions
from pyrograph.userfolder import cache_folder

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Warm:
    """What a worker keeps from one scan to the next."""

    units: dict[str, UnitMemory] = field(default_factory=dict)  # by folder
    rules: dict[tuple[str, ...], Rules] = field(default_factory=dict)  # built-in ones, by languages
    languages: tuple[str, ...] = ()  # of the last scan, where it used built-in rules alone

    def keep(self, left: Left) -> None:
        """Take what a scan in another process leaves, and load the rules and front ends that it used."""
        self.units.setdefault(left.folder, UnitMemory()).keep(left.used, left.fresh)
        if left.languages and left.languages not in self.rules:
            self.rules[left.languages] = load_rules(left.languages)
            for syntax in syntaxes():
                if rule_id_of(syntax) in left.languages:
                    lower(b"", syntax)

    def forget(self, folder: str) -> None:
        """Forget a folder that is not scanned any more."""
        self.units.pop(folder, None)

    def left(self, folder: str) -> Left | None:
        """What a scan in this process leaves; None where its report came from the cache."""
        units = self.units.get(folder)
        return Left(folder, units.used, units.fresh, self.languages) if units is not None and units.used else None


@dataclass(frozen=True, slots=True)
class Left:
    """What a scan leaves for the next one of its folder."""

    folder: str
    used: list[bytes]  # as in ``UnitMemory``
    fresh: list[tuple[bytes, bytes]]
    languages: tuple[str, ...]


def scan_for_editor(job: ScanJob, warm: Warm, progress: Progress, answer: Callable[[Scanned | Refused], None]) -> None:
    """Scan, call ``answer`` once, and write caches after that."""
    try:
        with refusing():
            options, config = options_of(job)
            inputs = read_inputs(options, overlay_of(job, options.root))
        scanned, keep = _scanned(job, options, config, inputs, warm, progress)
    except Refusal as refusal:
        answer(Refused(str(refusal)))
        return
    answer(scanned)
    keep()


def options_of(job: ScanJob) -> tuple[ScanOptions, Config]:
    """The options of a scan: the editor's settings over the project's configuration over the defaults.

    Raises:
        ValueError: The configuration or a setting cannot be used.
        OSError: The folder cannot be read.
    """
    settings = job.settings
    folder = Path(job.folder).resolve(strict=True)
    paths = tuple(Path(each) for each in job.files) or (folder,)
    root = find_root(paths, folder)
    asked = Asked(
        paths=paths,
        root=root,
        profile=settings.profile,
        severity=settings.severity,
        confidence=settings.confidence,
        threat_model=settings.threat_model,
        jobs=settings.jobs,
        device="cpu",  # a device would be started for each scan
    )
    options, config = options_by_settings(asked)
    return replace(options, surface=True), config


def overlay_of(job: ScanJob, root: Path) -> dict[str, str]:
    """The overlay by path relative to the root."""
    start = str(root).rstrip(os.sep) + os.sep
    return {
        path.removeprefix(start).replace(os.sep, "/"): text
        for path, text in job.overlay.items()
        if path.startswith(start)
    }


def _scanned(
    job: ScanJob, options: ScanOptions, config: Config, inputs: Inputs, warm: Warm, progress: Progress
) -> tuple[Scanned, Callable[[], object]]:
    """The result, and what is to be done once it is sent."""
    policy = FaultPolicy(job.isolated_files, job.in_parts)
    load = loader(options, warm)
    baseline = _baseline(job, options.root, config.baseline)
    folder = cache_folder()
    cache: ReportCache | None = None
    # The cache compares templates with the disk, so one that is not saved must not get there.
    if folder and policy == FaultPolicy() and not has_languages_from_outside() and not inputs.templates:
        with refusing():
            cache = ReportCache(folder, options, inputs)
    report = cache.read() if cache is not None else None
    keep: Callable[[], object] = bool  # nothing
    if report is None:
        from pyrograph.scanner.pipeline import scan

        memory = warm.units.setdefault(job.folder, UnitMemory())
        report = scan(options, load, progress, policy, inputs=inputs, memory=memory)
        if cache is not None and not job.overlay:  # else each pause while typing would leave a report there
            keep = partial(cache.write, report)
    files = zip(inputs.found.files, inputs.texts, strict=True)
    digests = {file.path: digest_of(text) for file, (text, _) in files if text is not None}
    digests |= {path: digest_of(text) for path, text in (inputs.templates | dict(report.sources)).items()}
    is_there = baseline.is_file()
    held = decisions(options, replace(config, baseline=None), baseline=baseline if is_there else None)
    report = decided(report, held, options)
    fixes = proposed(report, load(languages_of(inputs)), inputs) if report.findings else {}
    report = _with_texts(replace(report, comments={}, searched={}, pieces={}), inputs)
    return Scanned(str(options.root), report, digests, str(baseline), narrowing(options), fixes), keep


def _with_texts(report: Report, inputs: Inputs) -> Report:
    """The report with the text of each file in which something is shown."""
    shown = {finding.place.path for finding in report.findings}
    shown |= {problem.path for problem in report.problems if problem.kind == "suppression"}
    files = zip(inputs.found.files, inputs.texts, strict=True)
    texts = {file.path: text for file, (text, _) in files if text is not None and file.path in shown}
    return replace(report, sources=texts | dict(report.sources))


def languages_of(inputs: Inputs) -> list[str]:
    """The languages whose rules a scan loads."""
    return sorted({rule_id_of(file.language) for file in inputs.found.files})


def loader(options: ScanOptions, warm: Warm) -> Callable[[Collection[str]], Rules]:
    """Loads rules once, unless the worker has them; remembers which."""
    loaded: dict[tuple[str, ...], Rules] = {}

    def load(languages: Collection[str]) -> Rules:
        wanted = tuple(sorted(languages))
        plain = not options.rule_paths and not options.unverified
        warm.languages = wanted if plain else ()
        known = warm.rules.get(wanted) if plain else None
        if wanted not in loaded:
            with refusing():
                loaded[wanted] = rules_for(options, languages, None if known is None else lambda _: known)
        return loaded[wanted]

    return load


def _baseline(job: ScanJob, root: Path, configured: Path | None = None) -> Path:
    """The baseline of the folder, or else of the root; where neither has one, the place for it in the root.

    The one that the project configures holds if it is there and the user's setting names no other. The command that
    adds a finding makes the file, so a configuration must not choose which one.

    Raises:
        Refusal: The setting leads out of the root.
    """
    name = job.settings.baseline
    places = [Path(os.path.realpath(each / name)) for each in (Path(job.folder), root)]
    if not name or not all(each.is_relative_to(root) for each in places):
        raise Refusal(f"pyrograph.baseline: {name!r} leads out of {root}; name a file inside of it")
    if configured is not None and name == Settings().baseline and configured.is_file():
        return configured
    return next((each for each in places if each.is_file()), places[1])
