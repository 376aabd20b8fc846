"""The whole scan on one screen: files to units, units to a program, the labelled program to a graph, hits to
findings.

An internal error costs what it happened in, and the rest is analysed: a file that a front end fails on, a finding that
cannot be explained, and where a stage over the whole program fails, the files without which it does not
(``isolate``). Each is a problem of kind ``internal-error``.
"""

from __future__ import annotations

import gc
import posixpath
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

from pyrograph.model.comment import Comment
from pyrograph.model.finding import Finding, Report, Stage, Statistics
from pyrograph.model.languages import rule_id_of
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import CONFIDENCES, SEVERITIES, Confidence, Vulnerability
from pyrograph.parsers import language_of, manifests
from pyrograph.policy.limits import MAX_NEAREST
from pyrograph.rules import DEFAULT_KINDS, Rules
from pyrograph.rules.load import FORK
from pyrograph.scanner import isolate
from pyrograph.scanner.analysis.lower import Lowered, lower_files, wait_for_cache
from pyrograph.scanner.faults import Fault, fault_of, internal_error
from pyrograph.scanner.files.discover import Discovery, discover
from pyrograph.scanner.options import ScanOptions, selects
from pyrograph.userfolder import cache_folder as cache_folder  # tests and tools replace it here

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.apis import Apis
    from pyrograph.scanner.analysis.assemble import FlowGraph
    from pyrograph.scanner.analysis.label import Labels
    from pyrograph.scanner.analysis.link import Program
    from pyrograph.scanner.analysis.resolve import Resolution
    from pyrograph.scanner.explain import Texts

_kept: list[object] = []  # what the last scan was made of; freed when the next begins, and most processes end before

Progress = Callable[[str, int, int], None]
RuleLoader = Callable[[Collection[str]], Rules]  # the rules of some languages


@dataclass(frozen=True, slots=True)
class How:
    """How a scan deals with what goes wrong; never what it finds.

    ``guarded``: an earlier try ended the process. Files are lowered in processes of their own, and the whole program is
    analysed in one first, so that another crash is seen from outside.
    ``divided``: an earlier try ran out of memory. The program is analysed in parts, each in a process of its own.
    ``on_error``: is called with each internal error, for its traceback. What it raises ends the scan.
    """

    guarded: bool = False
    divided: bool = False
    on_error: Callable[[BaseException], None] | None = None


_usual = How()  # where a caller does not say; the tests let each internal error end the scan


def scan(
    options: ScanOptions, rules: Rules | RuleLoader, progress: Progress | None = None, how: How | None = None
) -> Report:
    """Find flows from a source to a sink that nothing interrupts.

    ``rules`` may be a function that loads them: it is asked for the languages that were found, while other processes
    lower the files, and what it raises ends the scan. Apart from that, never raises for what is scanned: what could
    not be analysed is a problem in the report.

    Raises:
        ValueError: A path lies outside the root, or a threat model is unknown.
        MemoryError: There was not enough; ``how.divided`` needs less.
    """
    _kept.clear()
    collecting = gc.isenabled()
    # millions of small objects live to the end, and none of them in cycles: collecting would only walk them
    gc.disable()
    try:
        return _scan(options, rules, progress, how or _usual)
    finally:
        if collecting:
            gc.freeze()  # else the next few allocations would start a walk through all that is left
            gc.enable()


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a scan as units, with all that stages over the whole program ask beside them."""

    options: ScanOptions
    found: Discovery
    lowered: Sequence[Lowered]
    rules: Rules
    manifests: Mapping[str, bytes]


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


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the stages over the whole program say of some files; plain data, so that processes can hand it on."""

    findings: Sequence[Finding] = ()
    problems: Sequence[Problem] = ()
    notes: tuple[str, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)  # what these stages count
    read: Mapping[str, bytes] = field(default_factory=dict)  # the texts that excerpts need


def read_sources(
    options: ScanOptions, given: Rules | RuleLoader, clock: Clock, how: How
) -> tuple[Sources, list[Problem]]:
    """Discover and lower the files, and load the rules meanwhile. Raises as ``scan`` does."""
    clock.begin("discover")
    found = discover(options)
    clock.begin("lower")
    ready: list[Rules] = []

    def prepare() -> None:
        languages = {rule_id_of(file.language) for file in found.files}
        ready.append(given if isinstance(given, Rules) else given(sorted(languages)))

    lowered, problems = lower_files(
        found.files,
        jobs=options.jobs,
        cache=cache_folder(),
        progress=clock.progress,
        meanwhile=prepare,
        apart=how.guarded,
        on_error=how.on_error,
    )
    lowered, broken = _verified(lowered, options, clock, how)
    problems += broken
    return Sources(options, found, lowered, ready[0], _manifests(options, found) if lowered else {}), problems


def understand(
    options: ScanOptions, given: Rules | RuleLoader, clock: Clock, *, everywhere: bool = False, how: How | None = None
) -> Understood | Nothing:
    """The stages up to the labels; ``Nothing`` when no file could be read. Raises as ``scan`` does.

    Files without which a stage does not fail are left out, as in a scan. ``everywhere``: as ``label`` takes it.
    """
    how = how or How()
    sources, problems = read_sources(options, given, clock, how)
    found: list[Understood] = []

    def run(chosen: Sources, clock: Clock) -> Analysis:
        found[:] = [label_program(chosen, clock, everywhere=everywhere)]
        return Analysis()

    _, lost = _without_faulty(sources, clock, how, run)
    if not found:
        return Nothing(sources.found, [*problems, *lost], sources.rules)
    found[0].problems[:0] = [*problems, *lost]
    return found[0]


def label_program(sources: Sources, clock: Clock, *, everywhere: bool = False) -> Understood:
    """Link, resolve and label the units."""
    from pyrograph.scanner.analysis.apis import Apis
    from pyrograph.scanner.analysis.label import LIBRARY, label
    from pyrograph.scanner.analysis.link import link
    from pyrograph.scanner.analysis.resolve import resolve
    from pyrograph.scanner.analysis.templates import Templates
    from pyrograph.scanner.explain import Texts

    options, rules, lowered = sources.options, sources.rules, sources.lowered
    clock.begin("link")
    program = link([each.file.path for each in lowered], [each.unit for each in lowered], sources.manifests)
    check = _Check(options, clock)
    check("link", lambda verify: verify.program(program))
    clock.begin("resolve")
    packs = rules.for_roots(_roots(program))
    low = options.confidence == "low"
    languages = sorted({file.language for file in program.files})
    apis = {name: Apis([pack for pack in packs if pack.language == name], low=low) for name in languages}
    resolution = resolve(program, apis)
    check("resolve", lambda verify: verify.program(program) + verify.resolution(program, resolution, apis))
    clock.begin("label")
    wanted = [
        each
        for id, each in rules.vulnerabilities.items()
        if any(selects(options, f"{name}/{id}") for name in languages)
    ]
    kinds = frozenset(DEFAULT_KINDS) | options.threat_models
    templates = Templates(sources.found.templates)
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
    check("label", lambda verify: verify.labels(program, resolution, labels))
    read = _Reader(lowered, templates.texts)
    texts = Texts(program, read)
    problems = [*templates.problems, *labels.problems, *program.modules.problems]
    return Understood(sources.found, lowered, problems, rules, program, resolution, apis, labels, texts, read, notes)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No file could be read."""

    found: Discovery
    problems: list[Problem]
    rules: Rules


def _scan(options: ScanOptions, given: Rules | RuleLoader, progress: Progress | None, how: How) -> Report:
    clock = Clock(progress)
    sources, problems = read_sources(options, given, clock, how)
    run = _in_parts if how.divided else _without_faulty
    analysis, lost = run(sources, clock, how, analyse)
    clock.begin("")
    left_out = {problem.path for problem in lost}
    analysed = replace(sources, lowered=[each for each in sources.lowered if each.file.path not in left_out])
    return _report(analysed, [*problems, *lost], analysis, clock)


def analyse(sources: Sources, clock: Clock) -> Analysis:
    """The stages over the whole program."""
    known = label_program(sources, clock)
    _kept.append(known)

    from pyrograph.graph import collecting
    from pyrograph.scanner.analysis.assemble import assemble
    from pyrograph.scanner.analysis.search import search
    from pyrograph.scanner.explain import explain

    options, rules = sources.options, sources.rules
    program, resolution, labels = known.program, known.resolution, known.labels
    problems = list(known.problems)
    clock.begin("assemble")
    flow = assemble(program, resolution, labels)
    _kept.append(flow)
    check = _Check(options, clock)
    check("assemble", lambda verify: verify.flow_graph(program, resolution, labels, flow))
    clock.begin("search")
    with collecting() as launches:
        hits, num_nodes, num_edges = search(flow, labels, backend=_backend(options), max_depth=options.max_depth)
    _kept.append(hits)
    check("search", lambda verify: verify.hits(labels, flow, hits))
    clock.begin("explain")
    findings, unexplained = explain(
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
    for path, line, error in unexplained:
        clock.failed(error)
        cost = "a finding at this line is missing from the report"
        problems.append(internal_error(fault_of("explain", error), path, cost, line))
    problems += [cut.problem(program) for cut in (*flow.cuts, *resolution.cuts())]
    for (path, line), count in sorted(_overrun(known.texts, labels, flow).items()):
        sinks = f"{count:,} sinks are each" if count > 1 else "a sink is"
        what = f"{sinks} reached from more than {MAX_NEAREST} sources; only the nearest {MAX_NEAREST} are reported"
        problems.append(Problem("limit", path, line, what))
    for what, path, line in resolution.reported:
        problems.append(Problem("limit", path, line, what))
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
    return Analysis(findings, problems, known.notes, statistics, known.read)


Analyse = Callable[[Sources, "Clock"], Analysis]


def _without_faulty(sources: Sources, clock: Clock, how: How, run: Analyse) -> tuple[Analysis, list[Problem]]:
    """Analyse all files; where that fails, without those that make it fail, which become problems.

    Ends because each round leaves out at least one file, or gives up.
    """
    problems: list[Problem] = []
    clock.on_error = how.on_error

    def trial(lowered: Sequence[Lowered]) -> Fault | None:
        chosen = replace(sources, lowered=lowered, options=replace(sources.options, device="cpu"))

        def quietly(staged: isolate.Staged) -> None:
            run(chosen, Clock(None, staged))

        return isolate.attempt(quietly).fault

    while sources.lowered:
        fault: Fault | None = None
        if not how.guarded or (fault := trial(sources.lowered)) is None:
            try:
                return run(sources, clock), problems
            except Exception as error:
                if isinstance(error, (MemoryError, *_refusals())):
                    raise
                clock.failed(error)
                fault = fault_of(clock.stage, error)
        _kept.clear()
        wait_for_cache()
        found = isolate.faulty(sources.lowered, trial)
        if not found.faulty and not found.undecided:  # it fails here, but not in a process of its own
            if sources.options.device == "cpu":
                problems.append(internal_error(fault, "", "nothing was analysed"))
                break
            problems.append(internal_error(fault, "", "the analysis was made again without the device"))
            sources = replace(sources, options=replace(sources.options, device="cpu"))
        for each, why in found.faulty:
            cost = "the file was left out of the analysis; with it, the whole program cannot be analysed"
            problems.append(internal_error(why, each.file.path, cost))
        for each in found.undecided:
            cost = "the file was left out of the analysis: with it and others, the whole program cannot be analysed"
            problems.append(internal_error(fault, each.file.path, cost))
        left_out = {each.file.path for each, _ in found.faulty} | {each.file.path for each in found.undecided}
        sources = replace(sources, lowered=[each for each in sources.lowered if each.file.path not in left_out])
    return Analysis(), problems


def _in_parts(sources: Sources, clock: Clock, how: How, run: Analyse) -> tuple[Analysis, list[Problem]]:
    """Analyse neighbouring files apart from the others, in parts as small as memory asks for."""
    wait_for_cache()
    problems: list[Problem] = []
    parts: list[Analysis] = []
    pending = [list(sources.lowered)]
    names: list[str] = []
    while pending:
        lowered = pending.pop()
        if lowered and (len(lowered) < len(sources.lowered) or len(lowered) == 1):  # the whole was tried before
            chosen = replace(sources, lowered=lowered)
            outcome = isolate.attempt(partial(_part, chosen, how, run))
            if outcome.result is not None:
                analysis, lost = outcome.result
                parts.append(analysis)
                problems += lost
                names.append(lowered[0].file.path)
                continue
            if len(lowered) == 1:
                fault = outcome.fault or Fault("", "", "", "")
                message = f"the file was left out of the analysis: {fault.kind} in stage {fault.stage}"
                problems.append(Problem("limit", lowered[0].file.path, 0, message))
                continue
        middle = _middle(lowered)
        pending += [lowered[middle:], lowered[:middle]]
    if len(parts) > 1:
        shown = ", ".join(names[1:6]) + (", ..." if len(names) > 6 else "")
        message = (
            f"memory ran out: the program was analysed in {len(parts)} parts, and flows from one part to another are "
            f"missed; the parts begin at {names[0]}, {shown}; give the scan more memory, or scan directories separately"
        )
        problems.append(Problem("limit", "", 0, message))
    return _merged(parts), problems


def _part(sources: Sources, how: How, run: Analyse, staged: isolate.Staged) -> tuple[Analysis, list[Problem]]:
    clock = Clock(None, staged)
    analysis, lost = _without_faulty(sources, clock, how, run)
    return replace(analysis, read=dict(analysis.read)), lost


def _middle(lowered: Sequence[Lowered]) -> int:
    """Where two parts of about the same number of lines meet."""
    half = sum(each.unit.lines + 1 for each in lowered) / 2
    lines = 0
    for place, each in enumerate(lowered):
        lines += each.unit.lines + 1
        if lines >= half:
            return min(max(place, 1), len(lowered) - 1)
    return 1


def _merged(parts: Sequence[Analysis]) -> Analysis:
    """What parts of a program say together."""
    counted = ("values", "flow_edges", "calls", "resolved_calls", "sources", "sinks", "graph_nodes", "graph_edges")
    return Analysis(
        sorted((each for part in parts for each in part.findings), key=lambda each: (each.place, each.rule_id)),
        [each for part in parts for each in part.problems],
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        Statistics(**{name: sum(getattr(part.statistics, name) for part in parts) for name in counted}),
        {path: text for part in parts for path, text in part.read.items()},
    )


def _refusals() -> tuple[type[Exception], ...]:
    """Exceptions that say what the user can mend."""
    from pyrograph.kernels.errors import BackendError

    return (BackendError,)


def _overrun(texts: Texts, labels: Labels, flow: FlowGraph) -> dict[tuple[str, int], int]:
    """Of each file with sinks that too many sources reach: its path and the line of the first, and how many there
    are.
    """
    starts: dict[int, set[int]] = {}  # of the sinks of each file; one sink may have several vulnerabilities
    for row in flow.overrun:
        sink = labels.sinks[row]
        starts.setdefault(sink.file, set()).add(sink.start)
    places = {file: texts.place(file, min(begin), min(begin)) for file, begin in starts.items()}
    return {(places[file].path, places[file].line): len(begin) for file, begin in starts.items()}


def _taken_for_library(labels: Labels, offered: Sequence[Vulnerability]) -> tuple[str, ...]:
    """What the report says of a program that reads nothing untrusted itself."""
    if not labels.sources:
        return ()
    names = ", ".join(sorted(each.id for each in offered))
    return (
        "no code reads untrusted data, so the program is analysed as a library: arguments of its public functions are "
        f"untrusted, for {names} only; --threat-model library covers all rules",
    )


class Clock:
    """Wall-clock seconds of each stage, and which stage it is that fails."""

    def __init__(self, progress: Progress | None, staged: Callable[[str], None] | None = None) -> None:
        self.stages: list[Stage] = []
        self.stage = ""
        self.last = time.perf_counter()
        self.progress = progress
        self.staged = staged
        self.on_error: Callable[[BaseException], None] | None = None

    def begin(self, name: str) -> None:
        """End the stage that runs and begin another, or none."""
        now = time.perf_counter()
        if self.stage:
            self.stages.append(Stage(self.stage, now - self.last))
        self.last = now
        self.stage = name
        if name and self.progress is not None:
            self.progress(name, 0, 1)
        if name and self.staged is not None:
            self.staged(name)

    def failed(self, error: BaseException) -> None:
        if self.on_error is not None:
            self.on_error(error)


class _Check:
    """Verifies what a stage made, where that is asked for; a broken promise is an internal error of the stage."""

    always = False  # whoever asks; the tests set this

    def __init__(self, options: ScanOptions, clock: Clock) -> None:
        self.wanted = options.verify or self.always
        self.clock = clock

    def __call__(self, stage: str, broken: Callable[[ModuleType], list[str]]) -> None:
        """Raises BrokenPromise."""
        if self.wanted:
            from pyrograph.scanner.analysis import verify

            self.clock.begin(f"verify {stage}")
            verify.kept(stage, broken(verify))


def _verified(
    lowered: list[Lowered], options: ScanOptions, clock: Clock, how: How
) -> tuple[list[Lowered], list[Problem]]:
    """The units that keep their promises, where that is asked for; a broken one costs its file."""
    if not (options.verify or _Check.always):
        return lowered, []
    from pyrograph.ir.verify import verify
    from pyrograph.scanner.analysis.verify import kept as keep

    clock.begin("verify lower")
    kept, problems = [], []
    for each in lowered:
        try:
            keep("lower", verify(each.unit))
            kept.append(each)
        except Exception as error:
            if how.on_error is not None:
                how.on_error(error)
            cost = "the file was left out of the analysis"
            problems.append(internal_error(fault_of("verify lower", error), each.file.path, cost))
    return kept, problems


class _Reader(dict[str, bytes]):
    """Texts by path, as they were analysed; what was asked for goes into the report, for excerpts."""

    def __init__(self, lowered: Sequence[Lowered], templates: Mapping[str, bytes]) -> None:
        super().__init__()
        self.templates = templates
        self.files = {each.file.path: each for each in lowered}

    def get(self, path: str, default: bytes = b"") -> bytes:  # type: ignore[override]
        if path not in self and path in self.files:
            self[path] = self.files[path].text
        elif path not in self and path in self.templates:
            self[path] = self.templates[path]
        return super().get(path, default)


def _manifests(options: ScanOptions, found: Discovery) -> dict[str, bytes]:
    """The manifest files in the directories of the scanned files and above them, up to the root."""
    directories: set[str] = set()
    for file in found.files:
        if not language_of(file.language).manifests:
            continue
        directory = posixpath.dirname(file.path)
        while directory not in directories:
            directories.add(directory)
            directory = posixpath.dirname(directory)
    found_manifests = {}
    for directory in sorted(directories):
        for name in manifests():
            path = options.root / directory / name
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
                    found_manifests[posixpath.join(directory, name)] = path.read_bytes()
            except OSError:
                continue
    return found_manifests


def _roots(program: Program) -> set[str]:
    """The roots of the libraries that the program imports."""
    languages = [language_of(name) for name in sorted({file.language for file in program.files})]
    roots: set[str] = set()
    for index in set(program.tables["imports"]["module"].tolist()):
        module = program.strings[index]
        for language in languages:
            roots.update(language.library_roots(module))
            if name := language.forked(language.library_path(module)[0]):
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


def _report(sources: Sources, problems: Sequence[Problem], analysis: Analysis, clock: Clock) -> Report:
    lowered, found = sources.lowered, sources.found
    by_language: dict[str, int] = {}
    for each in lowered:
        by_language[each.file.language] = by_language.get(each.file.language, 0) + 1
    statistics = replace(
        analysis.statistics,
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
        tuple(analysis.findings),
        tuple(sorted({*found.problems, *problems, *analysis.problems})),
        sources.rules.vulnerabilities,
        statistics,
        notes=analysis.notes,
        sources=dict(analysis.read),
        comments={
            each.file.path: tuple(map(Comment._make, each.unit.comments)) for each in lowered if each.unit.comments
        },
    )


if TYPE_CHECKING:
    from pyrograph.graph import Backend
