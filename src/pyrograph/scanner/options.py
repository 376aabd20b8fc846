"""The options of a scan: one frozen value, made by the command line or by a program that calls ``scan``.

Nothing here reads a file or the environment. ``machine`` and ``roots`` are asked once, when the options are made;
``selection`` says which findings the options report.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pyrograph.model.vulnerability import Confidence, Profile, Severity
from pyrograph.policy.limits.explanation import DEFAULT_MAX_TRACES
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE
from pyrograph.scanner.machine import available_jobs

Device = Literal["auto", "cpu", "cuda"]
UnknownCalls = Literal["pass", "block"]
Dependencies = Literal["packs", "infer"]

RuleText = tuple[str, str, bytes]  # the name in errors, the name without suffix, the content of a rule file


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """Everything that decides what a scan reads and finds; not how the result is shown."""

    paths: tuple[Path, ...]  # files and directories, absolute or relative to the current directory; all under root
    root: Path  # absolute and resolved; the paths of findings are relative to it

    include: tuple[str, ...] = ()  # gitignore patterns relative to root; when given, only matching files are scanned
    exclude: tuple[str, ...] = ()  # gitignore patterns relative to root
    gitignore: bool = True  # obey .gitignore files
    default_excludes: bool = True  # leave out dependencies, build output, minified and generated files
    max_file_size: int = DEFAULT_MAX_FILE_SIZE  # bytes; larger files are reported as problems

    select: tuple[str, ...] = ()  # "<language>/<vulnerability>" or "<vulnerability>"; empty means all
    ignore: tuple[str, ...] = ()  # the same; wins over select
    profile: Profile = "default"  # vulnerabilities of a later profile are not reported, unless ``select`` names them
    severity: Severity = "low"  # findings below are not reported
    confidence: Confidence = "high"  # findings below are not reported; "low" also turns on "~" entries
    threat_models: frozenset[str] = frozenset()  # taint kinds that are on besides the default ones
    libraries: bool = True  # take a program without any source for a library, where vulnerabilities say so ("offered")
    rule_paths: tuple[Path, ...] = ()  # further rule files or directories
    rule_texts: tuple[RuleText, ...] = ()  # further rule files, as a program has them
    dependencies: Dependencies = "packs"  # "infer": models of libraries beside the program come from their source
    environments: tuple[Path, ...] = ()  # where libraries are installed, besides the directories of the scanned files
    unverified: bool = False  # use entries of built-in packs whose API was not found in its library, too

    max_depth: int | None = None  # longest path in edges of the searched graph; None means no limit
    unknown_calls: UnknownCalls = "pass"  # whether a call that nobody modelled passes its arguments to its result
    max_traces: int = DEFAULT_MAX_TRACES  # sources listed per finding; the total is always reported

    jobs: int = field(default_factory=available_jobs)  # worker processes, at least 1
    device: Device = "auto"
    surface: bool = False  # list the entry points of the program, too
    verify: bool = False  # check what each stage hands to the next, and end the scan where it is not well formed

    def asking_everything(self, kinds: frozenset[str]) -> ScanOptions:
        """The same with all rules, all taint ``kinds`` and low confidence: what ``explain`` asks."""
        return replace(self, select=(), ignore=(), profile="audit", confidence="low", threat_models=kinds)


@dataclass(frozen=True, slots=True)
class Revisions:
    """Two states of a program in a git repository, for a report of what is new in the later one."""

    base: str  # the earlier state: a branch, tag or commit
    head: str = ""  # the later state: the same; "": the work tree
    merge_base: bool = True  # compare with the commit where ``head`` left ``base``, not with ``base`` itself


NARROWING = (
    *("include", "exclude", "gitignore", "default_excludes", "max_file_size", "select", "ignore", "profile"),
    *("severity", "confidence", "threat_models", "libraries", "unverified", "max_depth", "unknown_calls"),
    "dependencies",
)
"""The options that decide which findings a scan reports, besides its paths and rule files."""


def narrowing(options: ScanOptions) -> dict[str, object]:
    """Those of ``NARROWING`` that differ from the default, as JSON holds them."""
    default = ScanOptions((), Path(), jobs=1)
    found: dict[str, object] = {}
    for name in NARROWING:
        value = getattr(options, name)
        if value != getattr(default, name):
            found[name] = sorted(value) if isinstance(value, tuple | frozenset) else value
    return found
