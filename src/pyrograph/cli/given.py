"""From the command line and the project's configuration to the options of a scan."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrograph import userfolder
from pyrograph.cli.errors import Refusal, complain, refusing
from pyrograph.cli.output import Output
from pyrograph.model.vulnerability import Confidence, Profile, Severity
from pyrograph.policy.limits.explanation import DEFAULT_MAX_TRACES
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE
from pyrograph.scanner.options import Dependencies, Device, ScanOptions, UnknownCalls

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.scanner.config import Config


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
    """Which findings count."""

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
    from pyrograph.scanner.config import Config, find_config, load_config
    from pyrograph.scanner.options import available_jobs, common_directory, find_repository, find_root

    choose_cache(given.files.cache, off=given.files.no_cache)
    paths = given.files.paths or (Path(),)
    with refusing():
        root = given.files.root.resolve() if given.files.root else find_root(paths, Path.cwd())
        start = common_directory(paths)
        if not start.is_relative_to(root):
            raise ValueError(f"{start} lies outside the root {root}; name a root that contains it with --root")
        config = Config()
        if given.files.config is not None:
            config = load_config(given.files.config.resolve(), root, trusted=True)
        elif not given.files.isolated:
            top = find_repository(root) or root
            found = find_config(start, top)
            config = load_config(found, top) if found else config

    options = ScanOptions(
        paths=paths,
        root=root,
        include=given.files.include or config.include,
        exclude=config.exclude + given.files.exclude,
        gitignore=given.files.gitignore,
        default_excludes=given.files.default_excludes,
        max_file_size=given.files.max_file_size or config.max_file_size or DEFAULT_MAX_FILE_SIZE,
        select=given.select or config.select,
        ignore=config.ignore + given.ignore,
        profile=given.profile or config.profile or "default",
        severity=given.severity or config.severity or "low",
        confidence=given.confidence or config.confidence or "high",
        threat_models=kinds_of(config.threat_model + given.threat_model),
        rule_paths=config.rules + tuple(path.resolve() for path in given.rules),
        unverified=given.unverified or config.unverified,
        dependencies=given.files.dependencies,
        environments=tuple(path.resolve() for path in given.files.environment),
        max_depth=given.max_depth or config.max_depth,
        unknown_calls=given.unknown_calls or config.unknown_calls or "pass",
        max_traces=max(given.max_sources or config.max_sources or DEFAULT_MAX_TRACES, given.display.show_paths or 1),
        jobs=given.jobs or available_jobs(),
        device=given.device,
        verify=given.display.debug,
    )
    return options, config


def choose_cache(folder: Path | None, *, off: bool = False) -> None:
    """Use the folder for caches that the command line names; the user's where it names none."""
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


def kinds_of(names: tuple[str, ...]) -> frozenset[str]:
    if not names:
        return frozenset()
    from pyrograph.rules.kinds import KINDS, KINDS_OF_PARTIES, OPTIONAL_KINDS, PARTIES

    for name in names:
        if name != "all" and name not in KINDS and name not in PARTIES:
            known = ", ".join((*OPTIONAL_KINDS, *PARTIES))
            raise Refusal(f"unknown taint kind or party {name!r} in the threat model; choose from {known}, all")
    if "all" in names:
        return frozenset((*OPTIONAL_KINDS, "account", "operator"))
    return frozenset(kind for name in names for kind in (name, *KINDS_OF_PARTIES.get(name, ())))


def rules_for(options: ScanOptions, languages: Collection[str]) -> Rules:
    """The rules of some languages, once every name in select and ignore is known to be one.

    A typing error must not hide findings.
    """
    from pyrograph.model.languages import rule_languages
    from pyrograph.rules import load_rules

    with refusing():
        rules = load_rules(languages, options.rule_paths, unverified=options.unverified)
    for option, name in (
        *(("select", each) for each in options.select),
        *(("ignore", each) for each in options.ignore),
    ):
        language, _, vulnerability = name.rpartition("/")
        if vulnerability not in rules.vulnerabilities or (language and language not in rule_languages()):
            import difflib

            close = difflib.get_close_matches(vulnerability, rules.vulnerabilities, n=1)
            remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
            raise Refusal(f"unknown rule {name!r} in --{option} or the key '{option}' of the configuration; {remedy}")
    return rules
