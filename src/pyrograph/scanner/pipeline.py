"""The whole scan: files to units, units to a program, the labelled program to a graph, hits to findings.

An internal error costs the smallest unit that has a name, and the rest is analysed: a file that a front end fails on, a
finding that cannot be explained, or files without which a whole-program stage does not fail (``recovery``). Each is a
problem of kind ``internal-error``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from pyrograph.model.comment import Comment
from pyrograph.model.finding import Report, Stage, Statistics
from pyrograph.model.languages import rule_id_of
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import CALLERS, Vulnerability
from pyrograph.policy.limits.resolution import MAX_KEPT
from pyrograph.policy.limits.search import MAX_NEAREST
from pyrograph.policy.limits.workers import EARLIER_BLOCKS, MAX_COLLECTED
from pyrograph.rules import DEFAULT_KINDS, Rules
from pyrograph.scanner import background
from pyrograph.scanner.analysis.lower import UnitMemory, lower_files, release
from pyrograph.scanner.clock import Clock, Progress, StageCheck, verified
from pyrograph.scanner.faults import fault_of, internal_error
from pyrograph.scanner.imported import library_roots
from pyrograph.scanner.inputs import Inputs, read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.recovery import KEEP_ALIVE, analyse_in_parts, analyse_without_faulty
from pyrograph.scanner.selection import options_for, searched
from pyrograph.scanner.stages import Analysis, FaultPolicy, LabelledProgram, NoFiles, Sources
from pyrograph.scanner.text_reader import TextReader
from pyrograph.userfolder import cache_folder as cache_folder  # tests and tools replace it here

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.assemble import FlowGraph
    from pyrograph.scanner.analysis.label import Labels
    from pyrograph.scanner.analysis.search import Hit
    from pyrograph.scanner.explain import Texts
    from pyrograph.scanner.explain.explained import Explained
    from pyrograph.scanner.remote import Remote

RuleLoader = Callable[[Collection[str]], Rules]  # the rules of some languages


_kept = 0  # blocks of memory that were left when those of earlier scans were collected last
_repeats = False  # whether this process has scanned before
_default_policy = FaultPolicy()  # the tests replace it: each internal error ends the scan


def scan(
    options: ScanOptions,
    rules: Rules | RuleLoader,
    progress: Progress | None = None,
    policy: FaultPolicy | None = None,
    *,
    inputs: Inputs | None = None,
    memory: UnitMemory | None = None,
    remote: Remote | None = None,
) -> Report:
    """Find flows from a source to a sink that nothing interrupts.

    ``rules`` may be a function that loads the rules of the languages found: it runs while other processes lower the
    files, and its exceptions end the scan. Scanned files never raise: a part that could not be analysed is a problem in
    the report. ``inputs``: what ``read_inputs`` returned for these options, where it was called already. ``memory``:
    units that this process has from earlier scans. ``remote``: other machines that lower files and infer models.

    Raises:
        ValueError: A path lies outside the root, or a threat model is unknown.
        MemoryError: There was not enough; ``policy.in_parts`` needs less.
    """
    KEEP_ALIVE.clear()
    collecting = gc.isenabled()
    if collecting:
        _collect_earlier()
    # millions of small objects live to the end, and none of them in cycles: collecting would only walk them
    gc.disable()
    try:
        report = _scan(options, rules, progress, policy or _default_policy, inputs, memory, remote)
        background.finish()
        return report
    finally:
        if collecting:
            _free_repeated()
            gc.freeze()  # else the next few allocations would start a walk through all that is left
            gc.enable()


def _free_repeated() -> None:
    """Free what a small scan left in cycles, in a process that scans again and again.

    Only the objects of this scan are walked through: all others are frozen, or of an older generation. Else
    ``_collect_earlier`` would walk through the whole process every hundred scans.
    """
    global _repeats
    if _repeats and gc.get_count()[0] <= MAX_COLLECTED:
        KEEP_ALIVE.clear()
        gc.collect(0)
    _repeats = True


def _collect_earlier() -> None:
    """Free what earlier scans of this process left in cycles, whenever it may be half of all there is.

    Time a few milliseconds where there is less: objects are not counted, which would walk through those of all scans.
    Under ``PYTHONMALLOC=malloc``, where blocks are not counted either, always.
    """
    global _kept
    blocks = sys.getallocatedblocks()
    if blocks > 2 * _kept + EARLIER_BLOCKS or not blocks:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _kept = sys.getallocatedblocks()


def read_sources(
    options: ScanOptions,
    given: Rules | RuleLoader,
    clock: Clock,
    policy: FaultPolicy,
    inputs: Inputs | None = None,
    memory: UnitMemory | None = None,
    remote: Remote | None = None,
) -> tuple[Sources, list[Problem]]:
    """Discover and lower the files, and load the rules meanwhile. Raises as ``scan`` does."""
    clock.begin("discover")
    inputs = inputs or read_inputs(options)
    found = inputs.found
    clock.begin("lower")
    ready: list[Rules] = []

    def prepare() -> None:
        languages = {rule_id_of(file.language) for file in found.files}
        ready.append(given if isinstance(given, Rules) else given(sorted(languages)))

    lowered, problems = lower_files(
        found.files,
        jobs=options.jobs,
        texts=inputs.texts,
        cache=cache_folder(),
        memory=memory,
        progress=clock.progress,
        meanwhile=prepare,
        apart=policy.isolated_files,
        on_error=policy.on_error,
        remote=remote,
    )
    lowered, broken = verified(lowered, options, clock, policy)
    problems += broken
    rules = ready[0]
    if options.dependencies == "infer":
        from pyrograph.scanner.infer.dependencies import with_dependencies

        clock.begin("infer")
        rules, further = with_dependencies(options, lowered, rules, cache_folder(), remote)
        problems += further
    return Sources(options, found, lowered, rules, inputs.manifests, inputs.templates), problems


def analyse_to_labels(
    options: ScanOptions,
    given: Rules | RuleLoader,
    clock: Clock,
    *,
    everywhere: bool = False,
    policy: FaultPolicy | None = None,
) -> LabelledProgram | NoFiles:
    """The stages up to the labels; ``NoFiles`` when no file could be read. Raises as ``scan`` does.

    Files without which a stage does not fail are left out, as in a scan. ``everywhere``: as ``label`` takes it.
    """
    policy = policy or FaultPolicy()
    sources, problems = read_sources(options, given, clock, policy)
    found: list[LabelledProgram] = []

    def run(chosen: Sources, clock: Clock) -> Analysis:
        found[:] = [label_program(chosen, clock, everywhere=everywhere)]
        return Analysis()

    _, lost = analyse_without_faulty(sources, clock, policy, run)
    if not found:
        return NoFiles(sources.found, [*problems, *lost], sources.rules)
    found[0].problems[:0] = [*problems, *lost]
    return found[0]


def label_program(sources: Sources, clock: Clock, *, everywhere: bool = False) -> LabelledProgram:
    """Link, resolve and label the units."""
    from pyrograph.scanner.analysis.apis import tries
    from pyrograph.scanner.analysis.declarations import Declarations
    from pyrograph.scanner.analysis.label import LIBRARY, label
    from pyrograph.scanner.analysis.link import link
    from pyrograph.scanner.analysis.resolve import resolve
    from pyrograph.scanner.analysis.templates import Templates
    from pyrograph.scanner.answers import link_answers
    from pyrograph.scanner.explain.texts import Texts
    from pyrograph.scanner.published import pages, published, read_in

    options, rules, lowered = sources.options, sources.rules, sources.lowered
    clock.begin("link")
    program = link([each.file.path for each in lowered], [each.unit for each in lowered], sources.manifests)
    if program.num_values > MAX_KEPT:
        release(lowered)
    check = StageCheck(options, clock)
    check("link", lambda verify: verify.program(program))
    clock.begin("resolve")
    packs = rules.for_roots(library_roots(program))
    low = options.confidence == "low"
    languages = sorted({file.language for file in program.files})
    apis = tries(packs, languages, low=low)
    templates = Templates(sources.found.templates, sources.templates)
    resolution = resolve(program, apis, templates)
    declarations = Declarations(sources.found.declaring, sources.templates)
    read = TextReader(lowered, templates.texts)
    texts = Texts(program, read, sources.found.generated, declarations)
    link_answers(program, resolution, apis, texts)
    check("resolve", lambda verify: verify.program(program) + verify.resolution(program, resolution, apis))
    clock.begin("label")
    high = options.confidence == "high"
    wanted = [_with_aspects(each, low=low, high=high) for each in searched(options, rules.vulnerabilities, languages)]
    kinds = frozenset(DEFAULT_KINDS) | options.threat_models
    find = partial(
        label,
        program,
        resolution,
        apis,
        unknown_calls=options.unknown_calls,
        everywhere=everywhere,
        templates=templates,
        declarations=declarations,
    )
    notes: tuple[str, ...] = ()
    apart = pages([each.file.language for each in lowered])
    code = [number for number in range(len(program.files)) if number not in apart]
    written = {program.files[number].language for number in code}
    offered = [each for each in wanted if written <= set(each.offered)]
    may_be_library = options.libraries and LIBRARY not in kinds and bool(code)
    labels = find(vulnerabilities=wanted, kinds=kinds, needs_sources=may_be_library and bool(offered))
    libraries = published(program, labels, wanted, apart) if may_be_library else {}
    if may_be_library and offered and (len(written) == 1 or not libraries) and read_in(labels, program) <= apart:
        if labels.sources:  # of pages, in which all that is wanted is looked for
            whole = dict.fromkeys(code, frozenset(each.id for each in offered))
            labels = find(vulnerabilities=wanted, kinds={*kinds, LIBRARY}, libraries=whole)
        else:
            labels = find(vulnerabilities=offered, kinds={LIBRARY})
        notes = _taken_for_library(labels, WHOLE_PROGRAM, [each.id for each in offered])
    elif libraries:
        labels = find(vulnerabilities=wanted, kinds={*kinds, LIBRARY}, libraries=libraries)
        notes = _taken_for_library(labels, PACKAGES, set().union(*libraries.values()))
    check("label", lambda verify: verify.labels(program, resolution, labels))
    problems = [*templates.problems, *labels.problems, *program.modules.problems]
    return LabelledProgram(
        sources.found, lowered, problems, rules, program, resolution, apis, labels, texts, read, notes
    )


def _with_aspects(vulnerability: Vulnerability, *, low: bool, high: bool) -> Vulnerability:
    """The aspects that count where confidence must be ``high``, or may be ``low``."""
    aspects = vulnerability.aspects
    kept = tuple([a for a in aspects if not (a.low and not low) and not (a.medium and high)])
    return vulnerability if len(kept) == len(aspects) else replace(vulnerability, aspects=kept)


def _scan(
    options: ScanOptions,
    given: Rules | RuleLoader,
    progress: Progress | None,
    policy: FaultPolicy,
    inputs: Inputs | None,
    memory: UnitMemory | None,
    remote: Remote | None,
) -> Report:
    clock = Clock(progress)
    sources, problems = read_sources(options, given, clock, policy, inputs, memory, remote)
    run = analyse_in_parts if policy.in_parts else analyse_without_faulty
    analysis, lost = run(sources, clock, policy, analyse)
    clock.begin("")
    left_out = {problem.path for problem in lost}
    analysed = replace(sources, lowered=[each for each in sources.lowered if each.file.path not in left_out])
    return _report(analysed, [*problems, *lost], analysis, clock)


def analyse(sources: Sources, clock: Clock) -> Analysis:
    """The stages over the whole program."""
    known = label_program(sources, clock)
    KEEP_ALIVE.append(known)

    from pyrograph.graph import collecting
    from pyrograph.scanner.analysis.assemble import assemble
    from pyrograph.scanner.analysis.search import search

    options = sources.options
    program, resolution, labels = known.program, known.resolution, known.labels
    problems = list(known.problems)
    clock.begin("assemble")
    flow = assemble(program, resolution, labels)
    KEEP_ALIVE.append(flow)
    check = StageCheck(options, clock)
    check("assemble", lambda verify: verify.flow_graph(program, resolution, labels, flow))
    clock.begin("search")
    with collecting() as launches:
        hits, num_nodes, num_edges = search(flow, labels, backend=_backend(options), max_depth=options.max_depth)
    KEEP_ALIVE.append(hits)
    check("search", lambda verify: verify.hits(labels, flow, hits))
    clock.begin("explain")
    explained = _explained(known, flow, hits, options)
    for path, line, error in explained.unexplained:
        clock.failed(error)
        cost = "a finding at this line is missing from the report"
        problems.append(internal_error(fault_of("explain", error), path, cost, line))
    problems += [bound.problem(program) for bound in (*flow.bounds_reached, *resolution.bounds_reached())]
    for (path, line), count in sorted(_overrun(known.texts, labels, flow).items()):
        sinks = f"{count:,} sinks are each" if count > 1 else "a sink is"
        what = f"{sinks} reached from more than {MAX_NEAREST} sources; only the nearest {MAX_NEAREST} are reported"
        problems.append(Problem("limit", path, line, what))
    for what, path, line in resolution.reached.reported:
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
    return Analysis(
        explained.findings,
        problems,
        known.notes,
        statistics,
        known.read,
        explained.withheld,
        explained.surface,
        known.read.searched,
        known.read.pieces,
    )


def _explained(known: LabelledProgram, flow: FlowGraph, hits: Sequence[Hit], options: ScanOptions) -> Explained:
    """The findings, and the entry points if they are wanted; without both, nothing of explanation is imported."""
    if not hits and not options.surface:
        from pyrograph.scanner.explain.explained import Explained

        return Explained([], [], [])
    from pyrograph.scanner.explain import explain

    return explain(
        known.program,
        known.resolution,
        known.labels,
        flow,
        hits,
        known.rules.vulnerabilities,
        known.texts,
        max_traces=options.max_traces,
        suspects=[each for each in CALLERS if each in options.threat_models],
        needed=partial(options_for, options),
        surface=options.surface,
    )


def _overrun(texts: Texts, labels: Labels, flow: FlowGraph) -> dict[tuple[str, int], int]:
    """Of each file with sinks that too many sources reach: its path and the line of the first, and how many there
    are.
    """
    starts: dict[int, set[int]] = {}  # of the sinks of each file; one sink may have several vulnerabilities
    for row in flow.truncated_sinks:
        sink = labels.sinks[row]
        starts.setdefault(sink.file, set()).add(sink.start)
    places = {file: texts.place(file, min(begin), min(begin)) for file, begin in starts.items()}
    return {(places[file].path, places[file].line): len(begin) for file, begin in starts.items()}


WHOLE_PROGRAM: Final = "no code reads untrusted data, so the program is analysed as a library: arguments of its"
PACKAGES: Final = (
    "no code of the published packages reads untrusted data, so they are analysed as libraries: arguments of their"
)


def _taken_for_library(labels: Labels, said: str, offered: Collection[str]) -> tuple[str, ...]:
    """What the report says of code whose callers are untrusted for the vulnerabilities ``offered`` only."""
    from pyrograph.scanner.analysis.label import LIBRARY

    if not any(role.kind == LIBRARY for role in labels.sources):
        return ()
    names = ", ".join(sorted(offered))
    return (f"{said} public functions are untrusted, for {names} only; --threat-model library covers all rules",)


def _backend(options: ScanOptions) -> Backend:
    from pyrograph.graph import for_device

    return for_device(options.device)


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
        withheld=tuple(analysis.withheld),
        surface=tuple(analysis.surface),
        notes=analysis.notes,
        sources=dict(analysis.read),
        searched=analysis.searched,
        pieces=analysis.pieces,
        comments={
            each.file.path: tuple(map(Comment._make, each.unit.comments)) for each in lowered if each.unit.comments
        },
    )


if TYPE_CHECKING:
    from pyrograph.graph import Backend
