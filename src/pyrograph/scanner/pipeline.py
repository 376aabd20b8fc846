"""The whole scan on one screen: files to units, units to a program, the labelled program to a graph, hits to
findings.
"""

from __future__ import annotations

import gc
import posixpath
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyrograph.model.finding import Finding, Report, Stage, Statistics
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import CONFIDENCES, SEVERITIES, Confidence, Vulnerability
from pyrograph.rules import DEFAULT_KINDS, Rules, cache
from pyrograph.rules.load import FORK
from pyrograph.scanner.discover import Discovery, discover, read_source, read_text
from pyrograph.scanner.lower import Lowered, lower_files
from pyrograph.scanner.options import ScanOptions, selects

if TYPE_CHECKING:
    from pyrograph.scanner.apis import Apis
    from pyrograph.scanner.explain import Texts
    from pyrograph.scanner.label import Labels
    from pyrograph.scanner.link import Program
    from pyrograph.scanner.resolve import Resolution

_kept: list[object] = []  # what the last scan was made of; freed when the next begins, and most processes end before

Progress = Callable[[str, int, int], None]
RuleLoader = Callable[[Collection[str]], Rules]  # the rules of some languages

MARKERS = (b"pyrograph:", b"nosec", b"nosemgrep")  # texts that hold these may hold suppression comments
MANIFESTS = frozenset({"go.mod", "package.json", "tsconfig.json"})


# Languages whose rules are another's.
RULES_OF = {"typescript": "javascript", "tsx": "javascript"}


def scan(options: ScanOptions, rules: Rules | RuleLoader, progress: Progress | None = None) -> Report:
    """Find flows from a source to a sink that nothing interrupts.

    ``rules`` may be a function that loads them: it is asked for the languages that were found, while other processes
    lower the files, and what it raises ends the scan. Apart from that, never raises for what is scanned: what could
    not be analysed is a problem in the report.

    Raises:
        ValueError: A path lies outside the root, or a threat model is unknown.
    """
    _kept.clear()
    collecting = gc.isenabled()
    # millions of small objects live to the end, and none of them in cycles: collecting would only walk them
    gc.disable()
    try:
        return _scan(options, rules, progress)
    finally:
        if collecting:
            gc.freeze()  # else the next few allocations would start a walk through all that is left
            gc.enable()


@dataclass(frozen=True, slots=True)
class Understood:
    """What is known of the files before anything is searched."""

    found: Discovery
    lowered: Sequence[Lowered]
    problems: list[Problem]
    rules: Rules
    program: Program
    resolution: Resolution
    apis: dict[str, Apis]  # by language
    labels: Labels
    texts: Texts
    read: Mapping[str, bytes]  # the texts that were asked for
    notes: tuple[str, ...]  # what was taken for granted


def understand(
    options: ScanOptions, given: Rules | RuleLoader, clock: Clock, *, everywhere: bool = False
) -> Understood | Nothing:
    """The stages up to the labels; ``Nothing`` when no file could be read. Raises as ``scan`` does.

    ``everywhere``: as ``label`` takes it.
    """
    found = discover(options)
    clock("discover")
    ready: list[Rules] = []

    def prepare() -> None:
        languages = {RULES_OF.get(file.language, file.language) for file in found.files}
        ready.append(given if isinstance(given, Rules) else given(sorted(languages)))
        import pyrograph.graph
        import pyrograph.scanner.explain
        import pyrograph.scanner.label  # noqa: F401

    lowered, problems = lower_files(
        found.files,
        jobs=options.jobs,
        markers=MARKERS,
        cache=cache_folder(),
        progress=clock.progress,
        meanwhile=prepare,
    )
    rules = ready[0]
    clock("lower")
    if not lowered:
        return Nothing(found, problems, rules)

    from pyrograph.scanner.apis import Apis
    from pyrograph.scanner.explain import Texts
    from pyrograph.scanner.label import LIBRARY, label
    from pyrograph.scanner.link import link
    from pyrograph.scanner.resolve import resolve
    from pyrograph.scanner.templates import Templates

    program = link([each.file.path for each in lowered], [each.unit for each in lowered], _manifests(options, found))
    clock("link")
    packs = rules.for_roots(_roots(program))
    low = options.confidence == "low"
    languages = sorted({file.language for file in program.files})
    apis = {name: Apis([pack for pack in packs if pack.language == name], low=low) for name in languages}
    resolution = resolve(program, apis)
    clock("resolve")
    wanted = [
        each
        for id, each in rules.vulnerabilities.items()
        if any(selects(options, f"{name}/{id}") for name in languages)
    ]
    kinds = frozenset(DEFAULT_KINDS) | options.threat_models
    templates = Templates(found.templates)
    find = partial(
        label,
        program,
        resolution,
        apis,
        unknown_calls=options.unknown_calls,
        everywhere=everywhere,
        templates=templates,
    )
    labels = find(vulnerabilities=wanted, kinds=kinds)
    notes: tuple[str, ...] = ()
    offered = [each for each in wanted if set(languages) <= set(each.offered)]
    if options.libraries and offered and not labels.sources and LIBRARY not in kinds:
        labels = find(vulnerabilities=offered, kinds={LIBRARY})
        notes = _taken_for_library(labels, offered)
    clock("label")
    problems += templates.problems
    problems += labels.problems
    problems += program.modules.problems
    read = _Reader(
        lowered, found.templates, {each.file.path: each.marked for each in lowered if each.marked is not None}
    )
    texts = Texts(program, read)
    return Understood(found, lowered, problems, rules, program, resolution, apis, labels, texts, read, notes)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No file could be read."""

    found: Discovery
    problems: list[Problem]
    rules: Rules


def _scan(options: ScanOptions, given: Rules | RuleLoader, progress: Progress | None) -> Report:
    clock = Clock(progress)
    known = understand(options, given, clock)
    problems = known.problems
    if isinstance(known, Nothing):
        return _report(options, known.rules, known.found, (), problems, (), clock, Statistics())
    _kept.append(known)

    from pyrograph.graph import collecting
    from pyrograph.scanner.assemble import assemble
    from pyrograph.scanner.explain import explain
    from pyrograph.scanner.search import search

    program, resolution, labels, rules = known.program, known.resolution, known.labels, known.rules
    flow = assemble(program, resolution, labels)
    _kept.append(flow)
    clock("assemble")
    with collecting() as launches:
        hits, num_nodes, num_edges = search(flow, labels, backend=_backend(options), max_depth=options.max_depth)
    _kept.append(hits)
    clock("search")
    findings = explain(
        program,
        resolution,
        labels,
        flow,
        hits,
        rules.vulnerabilities,
        known.texts,
        max_traces=options.max_traces,
        wanted=partial(_is_wanted, options),
    )
    clock("explain")
    for what, count in flow.limits:
        problems.append(Problem("limit", "", 0, f"{count:,} times: {what}"))
    for what, count in resolution.limits():
        problems.append(Problem("limit", "", 0, f"{count:,} times: {what}"))
    calls = program.original[program.tables["calls"]["result"]].tolist()  # a call in a copy is the call it was
    resolved = {each.site for each in resolution.targets} | {call for call, _ in resolution.api_calls}
    statistics = Statistics(
        values=program.num_values,
        flow_edges=flow.num_edges_before,
        calls=len(set(calls)),
        resolved_calls=len({calls[site] for site in resolved if site < len(calls)}),
        sources=sum(int(program.original[each.value]) == each.value for each in labels.sources),
        sinks=sum(int(program.original[each.value]) == each.value for each in labels.sinks),
        graph_nodes=num_nodes,
        graph_edges=num_edges,
        launches=tuple(Stage(f"{one.program} as a {one.how}", one.milliseconds / 1e3) for one in launches),
    )
    report = _report(options, rules, known.found, known.lowered, problems, findings, clock, statistics, known.read)
    return replace(report, notes=known.notes)


def _taken_for_library(labels: Labels, offered: Sequence[Vulnerability]) -> tuple[str, ...]:
    """What the report says of a program that reads nothing untrusted itself."""
    if not labels.sources:
        return ()
    names = ", ".join(sorted(each.id for each in offered))
    return (
        "no code here reads untrusted data, so this is taken for a library: what the functions that it offers are "
        f"called with is untrusted, for {names} alone; --threat-model library looks for everything",
    )


class Clock:
    """Wall-clock seconds of each stage."""

    def __init__(self, progress: Progress | None) -> None:
        self.stages: list[Stage] = []
        self.last = time.perf_counter()
        self.progress = progress

    def __call__(self, name: str) -> None:
        now = time.perf_counter()
        self.stages.append(Stage(name, now - self.last))
        self.last = now
        if self.progress is not None:
            self.progress(name, 1, 1)


class _Reader(dict[str, bytes]):
    """Texts by path, read again when they are asked for; what was asked for goes into the report, for excerpts."""

    def __init__(self, lowered: Sequence[Lowered], templates: Mapping[str, str], contents: dict[str, bytes]) -> None:
        super().__init__(contents)
        self.templates = templates
        self.files = {each.file.path: each.file for each in lowered}

    def get(self, path: str, default: bytes = b"") -> bytes:  # type: ignore[override]
        if path not in self and path in self.files:
            self[path] = read_source(self.files[path])[0] or b""
        elif path not in self and path in self.templates:
            self[path] = read_text(self.templates[path], path)[0] or b""
        return super().get(path, default)


def cache_folder() -> Path | None:
    """Where this user's units are kept: beside the rules; None when the system names no such place."""
    return cache.directory()


def _manifests(options: ScanOptions, found: Discovery) -> dict[str, bytes]:
    """The manifest files in the directories of the scanned files and above them, up to the root."""
    directories: set[str] = set()
    for file in found.files:
        if file.language == "python":
            continue
        directory = posixpath.dirname(file.path)
        while directory not in directories:
            directories.add(directory)
            directory = posixpath.dirname(directory)
    manifests = {}
    for directory in sorted(directories):
        for name in sorted(MANIFESTS):
            path = options.root / directory / name
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
                    manifests[posixpath.join(directory, name)] = path.read_bytes()
            except OSError:
                continue
    return manifests


def _roots(program: Program) -> set[str]:
    """The roots of the libraries that the program imports."""
    from pyrograph.scanner.apis import repository

    imports = program.tables["imports"]
    roots: set[str] = set()
    go = any(file.language == "go" for file in program.files)
    for index in sorted(set(imports["module"].tolist())):
        module = program.strings[index].removeprefix("node:")
        roots.add(module)
        roots.add(module.partition(".")[0])
        plain = "/".join(p for i, p in enumerate(module.split("/")) if not (i and p[:1] == "v" and p[1:].isdigit()))
        roots.add(plain)
        if go and (name := repository(plain)):
            roots.add(FORK + name)
    return roots


def _backend(options: ScanOptions) -> Backend:
    from pyrograph.graph import for_device

    return for_device(options.device)


def _is_wanted(options: ScanOptions, rule: str, vulnerability: Vulnerability, confidence: Confidence) -> bool:
    return (
        selects(options, rule)
        and SEVERITIES.index(vulnerability.severity) >= SEVERITIES.index(options.severity)
        and CONFIDENCES.index(confidence) >= CONFIDENCES.index(options.confidence)
    )


def _report(
    options: ScanOptions,
    rules: Rules,
    found: Discovery,
    lowered: Sequence[Lowered],
    problems: Sequence[Problem],
    findings: Sequence[Finding],
    clock: Clock,
    statistics: Statistics,
    sources: Mapping[str, bytes] | None = None,
) -> Report:
    by_language: dict[str, int] = {}
    for each in lowered:
        by_language[each.file.language] = by_language.get(each.file.language, 0) + 1
    statistics = replace(
        statistics,
        files=len(lowered),
        lines=sum(each.unit.lines for each in lowered),
        files_by_language=dict(sorted(by_language.items())),
        skipped=found.skipped,
        syntax_nodes=sum(each.unit.syntax_nodes for each in lowered),
        error_nodes=sum(each.unit.error_nodes for each in lowered),
        unhandled_nodes=sum(each.unit.unhandled_nodes for each in lowered),
        stages=tuple(clock.stages),
    )
    return Report(
        tuple(findings),
        tuple(sorted({*found.problems, *problems})),
        rules.vulnerabilities,
        statistics,
        sources=dict(sources or {}),
    )


if TYPE_CHECKING:
    from pyrograph.graph import Backend
