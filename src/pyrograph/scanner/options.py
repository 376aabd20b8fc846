"""The options of a scan: one frozen value, made by the command line or by a program that calls ``scan``.

Nothing here reads a file or the environment; what the machine says about itself (``available_jobs``) and where
a scan's root lies (``find_root``) are asked once, when the options are made.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pyrograph.model.vulnerability import (
    CONFIDENCES,
    PROFILES,
    SEVERITIES,
    Confidence,
    Party,
    Profile,
    Severity,
    Vulnerability,
)
from pyrograph.policy.limits.explanation import DEFAULT_MAX_TRACES
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE

Device = Literal["auto", "cpu", "cuda"]
UnknownCalls = Literal["pass", "block"]
Dependencies = Literal["packs", "infer"]


def available_jobs() -> int:
    """How many processes can run at once: the smaller of the CPU affinity and the cgroup's quota, at least 1."""
    return max(1, min(_affinity(), _cgroup_quota(Path("/sys/fs/cgroup"))))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cgroup_quota(mount: Path) -> int:
    """CPUs that the control group under ``mount`` grants, rounded up; a large number where none is set."""
    try:  # version 2: "max 100000" or "150000 100000", in microseconds
        quota, period = (mount / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:  # version 1
            quota = (mount / "cpu" / "cpu.cfs_quota_us").read_text(encoding="ascii").strip()
            period = (mount / "cpu" / "cpu.cfs_period_us").read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return 1 << 16
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return 1 << 16  # "max", or -1 in version 1: no limit
    return -(-int(quota) // int(period))


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


def selects(options: ScanOptions, rule_id: str) -> bool:
    """Whether ``rule_id`` ("<language>/<vulnerability>") is wanted by ``select`` and not refused by ``ignore``.

    >>> options = ScanOptions(paths=(), root=Path(), select=("sql-injection",), ignore=("go/sql-injection",))
    >>> selects(options, "python/sql-injection"), selects(options, "go/sql-injection"), selects(options, "python/xss")
    (True, False, False)
    """
    names = {rule_id, rule_id.partition("/")[2]}
    return (not options.select or not names.isdisjoint(options.select)) and names.isdisjoint(options.ignore)


def options_for(
    options: ScanOptions, rule_id: str, vulnerability: Vulnerability, confidence: Confidence, party: Party = "remote"
) -> tuple[str, ...] | None:
    """What a finding needs that ``options`` do not have: none where it is reported, None where they exclude it.

    A rule that ``select`` names is reported whatever its profile.
    """
    severity = SEVERITIES.index(vulnerability.severity)
    if not selects(options, rule_id) or severity < SEVERITIES.index(options.severity):
        return None
    needed = []
    if not options.select and PROFILES.index(vulnerability.profile) > PROFILES.index(options.profile):
        needed.append(f"--profile {vulnerability.profile}")
    if CONFIDENCES.index(confidence) < CONFIDENCES.index(options.confidence):
        needed.append(f"--confidence {confidence}")
    if party not in ("remote", *options.threat_models):
        needed.append(f"--threat-model {party}")
    return tuple(needed)


def find_repository(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` (absolute) that holds ``.git`` or ``.hg``, if there is one."""
    for directory in (start, *start.parents):
        if (directory / ".git").exists() or (directory / ".hg").exists():
            return directory
    return None


def common_directory(paths: Sequence[Path]) -> Path:
    """The deepest directory that holds all of ``paths`` (at least one, all of them existing); absolute, resolved."""
    directories = [path if path.is_dir() else path.parent for path in map(Path.resolve, paths)]
    try:
        return Path(os.path.commonpath(directories))
    except ValueError:  # two drives of one Windows machine
        raise ValueError("the paths lie on different drives; scan them one at a time") from None


def find_root(paths: Sequence[Path], current: Path) -> Path:
    """What the paths in a report are relative to, unless the user says otherwise.

    The repository that holds all of ``paths``, because viewers resolve paths against it; without one, the
    ``current`` directory if it holds them all; otherwise their deepest common directory.

    Raises:
        ValueError: The paths have no directory in common.
    """
    common = common_directory(paths)
    repository = find_repository(common)
    if repository is not None:
        return repository
    current = current.resolve()
    return current if common.is_relative_to(current) else common
