"""From the command line and the project's configuration to the options of a scan."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrograph import userfolder
from pyrograph.cli.errors import Refusal, complain, refusing
from pyrograph.cli.output import Output
from pyrograph.model.vulnerability import Confidence, Profile, Severity
from pyrograph.scanner.options import Dependencies, Device, ScanOptions, UnknownCalls

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.scanner.config import Config
    from pyrograph.scanner.triage.decisions import Decisions


@dataclass(frozen=True, slots=True)
class Files:
    """Which files, configuration and caches are read."""

    paths: tuple[Path, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    gitignore: bool
    default_excludes: bool
    max_file_size: int | None
    root: Path | None
    config: Path | None
    isolated: bool
    cache: Path | None
    no_cache: bool
    dependencies: Dependencies
    environment: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Display:
    """What is written where."""

    formats: tuple[Output, ...]
    output: Path | None
    color: str
    stats: bool
    quiet: bool
    verbose: bool
    debug: bool
    show_paths: int | None
    category: str | None
    include_suppressed: bool
    fixes: bool


@dataclass(frozen=True, slots=True)
class Triage:
    """Which findings count, and what makes the exit code."""

    baseline: Path | None
    write_baseline: Path | None
    marks: Path | None
    changed_since: str | None
    require_reason: bool
    accept_comment: tuple[str, ...]
    fail_on: Severity | None
    exit_zero: bool
    strict: bool
    allow_empty: bool


@dataclass(frozen=True, slots=True)
class Given:
    """The command line as it was typed; None and empty where an option was not given."""

    files: Files
    display: Display
    triage: Triage
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    profile: Profile | None
    severity: Severity | None
    confidence: Confidence | None
    threat_model: tuple[str, ...]
    rules: tuple[Path, ...]
    unverified: bool
    unknown_calls: UnknownCalls | None
    max_depth: int | None
    max_sources: int | None
    jobs: int | None
    scheduler: str | None
    shared_cache: str | None
    device: Device

    @classmethod
    def typed(cls, options: Mapping[str, Any]) -> Given:
        """From the options by name; each belongs to the one group that has a field of its name."""
        rest = dict(options)

        def of(group: type[Any]) -> Any:
            return group(**{each.name: rest.pop(each.name) for each in fields(group)})

        return cls(of(Files), of(Display), of(Triage), **rest)


def options_of(given: Given) -> tuple[ScanOptions, Config]:
    """The options of a scan: the command line over the project's configuration over the defaults."""
    from pyrograph.scanner import settings

    choose_cache(given.files.cache, off=given.files.no_cache)
    files = given.files
    asked = settings.Settings(
        paths=files.paths,
        root=files.root,
        config=files.config,
        isolated=files.isolated,
        include=files.include,
        exclude=files.exclude,
        gitignore=files.gitignore,
        default_excludes=files.default_excludes,
        max_file_size=files.max_file_size,
        select=given.select,
        ignore=given.ignore,
        profile=given.profile,
        severity=given.severity,
        confidence=given.confidence,
        threat_model=given.threat_model,
        rules=given.rules,
        unverified=given.unverified,
        dependencies=files.dependencies,
        environment=files.environment,
        unknown_calls=given.unknown_calls,
        max_depth=given.max_depth,
        max_sources=given.max_sources,
        jobs=given.jobs,
        device=given.device,
        verify=given.display.debug,
    )
    with refusing():
        options, config = settings.options_of(asked)
    return replace(options, max_traces=max(options.max_traces, given.display.show_paths or 1)), config


def decisions_of(given: Given, options: ScanOptions, config: Config) -> Decisions:
    """What decides which findings of a scan count."""
    from pyrograph.scanner.triage.decisions import decisions

    triage = given.triage
    return decisions(
        options,
        config,
        require_reason=triage.require_reason,
        hints=triage.accept_comment,
        marks=triage.marks,
        isolated=given.files.isolated,
        baseline=triage.write_baseline or triage.baseline,
        writes_baseline=triage.write_baseline is not None,
    )


def choose_cache(folder: Path | None, *, off: bool = False) -> None:
    """Use the folder for caches that the command line names; the user's where it names none."""
    with refusing():
        userfolder.wanted_size()
    if off and folder is not None:
        raise Refusal("--cache and --no-cache contradict each other; give one of them")
    if off:
        userfolder.choose(None)
    elif folder is None:
        userfolder.choose_default()
    else:
        folder = Path(os.path.abspath(folder))
        with refusing(while_doing="cannot use the cache"):
            known = userfolder.is_cache(folder)
        if not known:
            raise Refusal(f"{folder}: not a cache but a directory with other files; name a new or an empty one")
        if not userfolder.is_private(folder):
            complain(f"{folder}: not used as a cache: it is not yours, or others can write to it (chmod go-w)")
        userfolder.choose(folder)


def rules_for(options: ScanOptions, languages: Collection[str]) -> Rules:
    """The rules of some languages; refuses unknown names in select and ignore."""
    from pyrograph.scanner import settings

    with refusing():
        return settings.rules_for(options, languages)
