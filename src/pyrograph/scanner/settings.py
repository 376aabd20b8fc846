"""From what a user asks and what the project's configuration says to the options of a scan, and to its rules.

The command line and the Python interface both come this way, so a word means the same in both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyrograph.model.languages import rule_languages
from pyrograph.model.vulnerability import Confidence, Profile, Severity
from pyrograph.policy.limits.explanation import DEFAULT_MAX_TRACES
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE
from pyrograph.scanner.config import Config, find_config, load_config
from pyrograph.scanner.machine import available_jobs
from pyrograph.scanner.options import Dependencies, Device, RuleText, ScanOptions, UnknownCalls
from pyrograph.scanner.roots import common_directory, find_repository, find_root
from pyrograph.scanner.selection import searched

if TYPE_CHECKING:
    from pyrograph.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a user asks of a scan; None and empty leave it to the project's configuration, then to the default."""

    paths: tuple[Path, ...] = ()  # the current directory
    root: Path | None = None
    config: Path | None = None  # to use instead of the project's
    isolated: bool = False  # ignore the project's
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    default_excludes: bool = True
    max_file_size: int | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    profile: Profile | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    threat_model: tuple[str, ...] = ()
    rules: tuple[Path, ...] = ()
    rule_texts: tuple[RuleText, ...] = ()
    unverified: bool = False
    dependencies: Dependencies = "packs"
    environment: tuple[Path, ...] = ()
    unknown_calls: UnknownCalls | None = None
    max_depth: int | None = None
    max_sources: int | None = None
    jobs: int | None = None
    device: Device = "auto"
    verify: bool = False


def options_of(asked: Settings) -> tuple[ScanOptions, Config]:
    """The options of a scan: what is asked over the project's configuration over the defaults.

    Raises:
        ValueError: A path outside the root, a configuration that cannot be used, or an unknown threat model.
    """
    paths = asked.paths or (Path(),)
    root = asked.root.resolve() if asked.root else find_root(paths, Path.cwd())
    start = common_directory(paths)
    if not start.is_relative_to(root):
        raise ValueError(f"{start} lies outside the root {root}; name a root that contains it with --root")
    config = Config()
    if asked.config is not None:
        config = load_config(asked.config.resolve(), root, trusted=True)
    elif not asked.isolated:
        top = find_repository(root) or root
        found = find_config(start, top)
        config = load_config(found, top) if found else config
    options = ScanOptions(
        paths=paths,
        root=root,
        include=asked.include or config.include,
        exclude=config.exclude + asked.exclude,
        gitignore=asked.gitignore,
        default_excludes=asked.default_excludes,
        max_file_size=asked.max_file_size or config.max_file_size or DEFAULT_MAX_FILE_SIZE,
        select=asked.select or config.select,
        ignore=config.ignore + asked.ignore,
        profile=asked.profile or config.profile or "default",
        severity=asked.severity or config.severity or "low",
        confidence=asked.confidence or config.confidence or "high",
        threat_models=kinds_of(config.threat_model + asked.threat_model),
        rule_paths=config.rules + tuple(path.resolve() for path in asked.rules),
        rule_texts=asked.rule_texts,
        unverified=asked.unverified or config.unverified,
        dependencies=asked.dependencies,
        environments=tuple(path.resolve() for path in asked.environment),
        max_depth=asked.max_depth or config.max_depth,
        unknown_calls=asked.unknown_calls or config.unknown_calls or "pass",
        max_traces=asked.max_sources or config.max_sources or DEFAULT_MAX_TRACES,
        jobs=asked.jobs or available_jobs(),
        device=asked.device,
        verify=asked.verify,
    )
    return options, config


def kinds_of(names: tuple[str, ...]) -> frozenset[str]:
    """The taint kinds and parties that a threat model switches on.

    Raises:
        ValueError: A name is neither.
    """
    if not names:
        return frozenset()
    from pyrograph.rules.kinds import KINDS, KINDS_OF_PARTIES, OPTIONAL_KINDS, PARTIES

    for name in names:
        if name != "all" and name not in KINDS and name not in PARTIES:
            known = ", ".join((*OPTIONAL_KINDS, *PARTIES))
            raise ValueError(f"unknown taint kind or party {name!r} in the threat model; choose from {known}, all")
    if "all" in names:
        return frozenset((*OPTIONAL_KINDS, "account", "operator"))
    return frozenset(kind for name in names for kind in (name, *KINDS_OF_PARTIES.get(name, ())))


def rules_for(
    options: ScanOptions, languages: Collection[str], load: Callable[[Collection[str]], Rules] | None = None
) -> Rules:
    """The rules of some languages, once every name in select and ignore is known to be one.

    A typing error must not hide findings. ``load`` returns the rules of these languages and options where the caller
    has them already.

    Raises:
        ValueError: An unknown rule, too many of them, or a rule file that cannot be used; notes of the exception have
            further faults.
        OSError: A rule file cannot be read.
    """
    from pyrograph.rules import load_rules

    if load is None:
        load = partial(load_rules, paths=options.rule_paths, texts=options.rule_texts, unverified=options.unverified)
    rules = load(languages)
    for option, name in (
        *(("select", each) for each in options.select),
        *(("ignore", each) for each in options.ignore),
    ):
        language, _, vulnerability = name.rpartition("/")
        if vulnerability not in rules.vulnerabilities or (language and language not in rule_languages()):
            import difflib

            close = difflib.get_close_matches(vulnerability, rules.vulnerabilities, n=1)
            remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
            raise ValueError(
                f"unknown rule {name!r} in --{option} or the key '{option}' of the configuration; {remedy}"
            )
    searched(options, rules.vulnerabilities, languages)
    return rules
