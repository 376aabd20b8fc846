"""The options of ``scan`` and ``diff``: those of the command line, in its words, as keyword arguments."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict, get_args

from pyrograph.api.packs import RulePack
from pyrograph.model.vulnerability import Confidence, Profile, Severity
from pyrograph.scanner.options import Dependencies, Device, UnknownCalls
from pyrograph.scanner.settings import Settings

PathLike = str | os.PathLike[str]
Names = str | Iterable[str]  # one name, or several


class Options(TypedDict, total=False):
    """Options that are left out, or None, leave it to the project's configuration, then to the default.

    Those of the command line that are not here choose what is printed, or make the exit code.
    """

    # Which files are read
    root: PathLike | None  # directory that paths in the result are relative to; the repository
    include: Names  # scan only files that match; gitignore syntax
    exclude: Names  # skip files and directories that match
    gitignore: bool  # obey .gitignore files; True
    default_excludes: bool  # skip dependencies, build output, minified and generated files; True
    max_file_size: int | None  # bytes; larger files are problems
    config: PathLike | None  # configuration file to use instead of the project's
    isolated: bool  # ignore the project's configuration and marks; False
    # What is looked for
    select: Names  # only these rules: "sql-injection" or "python/sql-injection"
    ignore: Names  # not these rules; wins over ``select``
    rules: PathLike | RulePack | Iterable[PathLike | RulePack]  # additional rule files, directories, or packs
    unverified: bool  # also use rule entries whose API was not found in its library; False
    profile: Profile | None  # "default", "audit"
    severity: Severity | None  # lowest to report; "low"
    confidence: Confidence | None  # lowest to report; "high"
    threat_model: Names  # taint kinds and parties to switch on, or "all"
    dependencies: Dependencies  # libraries that no pack describes: "packs", or "infer" from their source
    environment: PathLike | Iterable[PathLike]  # where libraries are installed, for ``dependencies``
    unknown_calls: UnknownCalls | None  # whether they return the taint of their arguments: "pass", "block"
    max_depth: int | None  # longest path to search; no limit
    max_sources: int | None  # sources listed for each finding
    # What counts
    baseline: PathLike | None  # file of known findings, which are suppressed
    triage: PathLike | None  # file of marks; "pyrograph-triage.json" in the root
    require_reason: bool  # suppression comments without a reason suppress nothing; False
    accept_comment: Names  # also accept comments of other tools: "nosec", "nosemgrep"
    # How the work is done
    cache: PathLike | None  # directory for caches; the user's
    no_cache: bool  # neither read nor write a cache; False
    jobs: int  # worker processes; 1, because a program with threads should not be forked
    device: Device  # to search on; "cpu"


_CHOICES = {
    "profile": get_args(Profile),
    "severity": get_args(Severity),
    "confidence": get_args(Confidence),
    "dependencies": get_args(Dependencies),
    "unknown_calls": get_args(UnknownCalls),
    "device": get_args(Device),
}


def settings_of(paths: tuple[PathLike, ...], options: Options) -> Settings:
    """The settings of a scan.

    Raises:
        TypeError: There is no such option.
        ValueError: An option has another value than those that it can have.
        FileNotFoundError: A path is not there.
    """
    if unknown := sorted(options.keys() - Options.__annotations__.keys()):
        raise TypeError(f"unknown option {unknown[0]!r}; known are {', '.join(Options.__annotations__)}")
    for name, choices in _CHOICES.items():
        value = options.get(name)
        if value is not None and value not in choices:
            raise ValueError(f"{name}={value!r} is not a choice; choose one of {', '.join(choices)}")
    for name in ("max_file_size", "max_depth", "max_sources", "jobs"):
        value = options.get(name)
        if value is not None and (not isinstance(value, int) or value < 1):
            raise ValueError(f"{name}={value!r} where a whole number from 1 is wanted")
    rules = options.get("rules", ())
    given = [rules] if isinstance(rules, RulePack | str | os.PathLike) else list(rules)
    root, config = options.get("root"), options.get("config")
    return Settings(
        paths=existing(paths),
        root=None if root is None else existing((root,))[0],
        config=None if config is None else existing((config,))[0],
        isolated=options.get("isolated", False),
        include=names_of(options.get("include", ())),
        exclude=names_of(options.get("exclude", ())),
        gitignore=options.get("gitignore", True),
        default_excludes=options.get("default_excludes", True),
        max_file_size=options.get("max_file_size"),
        select=names_of(options.get("select", ())),
        ignore=names_of(options.get("ignore", ())),
        profile=options.get("profile"),
        severity=options.get("severity"),
        confidence=options.get("confidence"),
        threat_model=names_of(options.get("threat_model", ())),
        rules=existing(each for each in given if not isinstance(each, RulePack)),
        rule_texts=tuple(each.rule_text() for each in given if isinstance(each, RulePack)),
        unverified=options.get("unverified", False),
        dependencies=options.get("dependencies", "packs"),
        environment=existing(_paths(options.get("environment", ()))),
        unknown_calls=options.get("unknown_calls"),
        max_depth=options.get("max_depth"),
        max_sources=options.get("max_sources"),
        jobs=options.get("jobs", 1),
        device=options.get("device", "cpu"),
    )


def names_of(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _paths(paths: PathLike | Iterable[PathLike]) -> list[PathLike]:
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def existing(paths: Iterable[PathLike]) -> tuple[Path, ...]:
    found = tuple(Path(path) for path in paths)
    for path in found:
        if not path.exists():
            raise FileNotFoundError(f"there is no {path}")
    return found
