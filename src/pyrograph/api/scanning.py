"""``scan`` and ``diff``: options to a ``ScanOptions``, a report to a ``Result``.

One scan runs at a time in a process: a second thread waits. Between calls nothing is left but the caches on disk.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from pyrograph import userfolder
from pyrograph.api.options import Options, PathLike, existing, names_of, settings_of
from pyrograph.api.result import Result
from pyrograph.model.finding import Report
from pyrograph.parsers import has_languages_from_outside
from pyrograph.scanner.config import Config
from pyrograph.scanner.inputs import read_inputs
from pyrograph.scanner.options import Revisions, ScanOptions
from pyrograph.scanner.report_cache import ReportCache
from pyrograph.scanner.roots import common_directory
from pyrograph.scanner.settings import Settings, options_of, rules_for
from pyrograph.scanner.triage.decisions import Decisions, Hide, decided, decisions

_ONE_AT_A_TIME = threading.RLock()


def scan(*paths: PathLike, changed_since: str | None = None, **options: Unpack[Options]) -> Result:
    """Find untrusted data that reaches dangerous calls.

    Nothing that is scanned is executed or imported. Code that cannot be analysed is a problem of the result and not an
    exception.

    Args:
        paths: Files and directories; the current directory if none is given.
        changed_since: A git revision: only findings that are new since the current branch left it, as ``diff`` has
            them.
        options: See ``Options``.

    Raises:
        TypeError: An unknown option.
        FileNotFoundError: A path is not there.
        ValueError: An option that cannot be used: a configuration, a rule, a baseline, a revision. The message says
            what to do.
        MemoryError: There was not enough. The command line starts again with less; this does not.
    """
    return _run(paths, options, None if changed_since is None else Revisions(changed_since))


def diff(base: str, head: str = "", *paths: PathLike, merge_base: bool = True, **options: Unpack[Options]) -> Result:
    """Find what is new between two states of a program in a git repository; both are analysed as whole programs.

    ``Result.findings`` are the new findings, ``Result.difference`` has the others. docs/diff.md states the rules.

    Args:
        base: The earlier state: a branch, tag or commit.
        head: The later state; the work tree if it is empty.
        paths: Files and directories of the work tree to scan in both states; the current directory if none is given.
        merge_base: Compare with the commit where ``head`` left ``base``, and not with ``base`` itself.
        options: See ``Options``; the same for both states.

    Raises: As ``scan`` does.
    """
    return _run(paths, options, Revisions(base, head, merge_base))


def _run(paths: tuple[PathLike, ...], options: Options, revisions: Revisions | None) -> Result:
    asked = settings_of(paths, options)
    folder = options.get("cache")
    chosen = None if folder is None else Path(folder).absolute()
    if chosen is not None and not userfolder.is_cache(chosen):
        raise ValueError(f"{chosen}: not a cache but a directory with other files; name a new or an empty one")
    with _ONE_AT_A_TIME, userfolder.choosing(chosen, off=options.get("no_cache", False)):
        if revisions is None:
            scan_options, config = options_of(asked)
            held = _decisions(scan_options, config, options)
            return Result(decided(_report(scan_options), held, scan_options))
        return _compared(asked, options, revisions)


def _compared(asked: Settings, options: Options, revisions: Revisions) -> Result:
    from pyrograph.scanner.triage.revisions import states_of

    paths = asked.paths or (Path(),)
    with states_of(revisions, asked.root or common_directory(paths)) as states:
        if revisions.head:
            root = None if asked.root is None else states.place(asked.root)
            asked = replace(asked, paths=tuple(states.place(path) for path in paths), root=root)
        scan_options, config = options_of(asked)
        held = _decisions(scan_options, config, options)

        def compare(report: Report, hide: Hide) -> Report:
            return states.compared(report, scan_options, lambda earlier: hide(_report(earlier)))

        return Result(decided(_report(scan_options), held, scan_options, compare))


def _report(options: ScanOptions) -> Report:
    """The report of a scan before triage, from the cache where nothing changed."""
    from pyrograph import scanner
    from pyrograph.scanner.recovery import KEEP_ALIVE

    inputs = read_inputs(options)
    cache = None
    folder = userfolder.cache_folder()
    if folder is not None and options.dependencies == "packs" and not has_languages_from_outside():
        cache = ReportCache(folder, options, inputs)
        known = cache.read()
        if known is not None:
            return known
    report = scanner.scan(options, partial(rules_for, options), inputs=inputs)
    KEEP_ALIVE.clear()  # a process that goes on needs the memory
    if cache is not None:
        with suppress(MemoryError):
            cache.write(report)
    return report


def _decisions(asked: ScanOptions, config: Config, options: Options) -> Decisions:
    marks, baseline = options.get("triage"), options.get("baseline")
    return decisions(
        asked,
        config,
        require_reason=options.get("require_reason", False),
        hints=names_of(options.get("accept_comment", ())),
        marks=None if marks is None else existing((marks,))[0],
        isolated=options.get("isolated", False),
        baseline=None if baseline is None else Path(baseline),
    )
