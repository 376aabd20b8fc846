"""Analyses that survive faults: without the files that make a stage fail, and in parts where memory runs out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from pyrograph.model.finding import Statistics, Withheld
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity
from pyrograph.scanner import isolate
from pyrograph.scanner.analysis.lower import Lowered, restored
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.faults import Fault, fault_of, internal_error
from pyrograph.scanner.faulty import find_faulty
from pyrograph.scanner.stages import Analysis, FaultPolicy, Sources

Analyse = Callable[[Sources, Clock], Analysis]

KEEP_ALIVE: list[object] = []  # objects of the last scan; freed when the next begins, and most processes end before


def analyse_without_faulty(
    sources: Sources, clock: Clock, policy: FaultPolicy, run: Analyse
) -> tuple[Analysis, list[Problem]]:
    """Analyse all files; if that fails, without the files that make it fail, which become problems.

    Ends because each iteration leaves out at least one file, or gives up.
    """
    problems: list[Problem] = []
    clock.on_error = policy.on_error

    def trial(lowered: Sequence[Lowered]) -> Fault | None:
        chosen = replace(sources, lowered=lowered, options=replace(sources.options, device="cpu"))

        def quietly(staged: isolate.Staged) -> None:
            run(chosen, Clock(None, staged))

        return isolate.run_isolated(quietly).fault

    while sources.lowered:
        fault: Fault | None = None
        if not policy.isolated_files or (fault := trial(sources.lowered)) is None:
            try:
                return run(sources, clock), problems
            except Exception as error:
                if isinstance(error, (MemoryError, *_refusals())):
                    raise
                clock.failed(error)
                fault = fault_of(clock.stage, error)
        KEEP_ALIVE.clear()
        sources = replace(sources, lowered=restored(sources.lowered))
        found = find_faulty(sources.lowered, trial)
        if not found.faulty and not found.unresolved:  # it fails here, but not in a process of its own
            if sources.options.device == "cpu":
                problems.append(internal_error(fault, "", "nothing was analysed"))
                break
            problems.append(internal_error(fault, "", "the analysis was made again without the device"))
            sources = replace(sources, options=replace(sources.options, device="cpu"))
        for each, why in found.faulty:
            cost = "the file was left out of the analysis; with it, the whole program cannot be analysed"
            problems.append(internal_error(why, each.file.path, cost))
        for each in found.unresolved:
            cost = "the file was left out of the analysis: with it and others, the whole program cannot be analysed"
            problems.append(internal_error(fault, each.file.path, cost))
        left_out = {each.file.path for each, _ in found.faulty} | {each.file.path for each in found.unresolved}
        sources = replace(sources, lowered=[each for each in sources.lowered if each.file.path not in left_out])
    return Analysis(), problems


def analyse_in_parts(
    sources: Sources, clock: Clock, policy: FaultPolicy, run: Analyse
) -> tuple[Analysis, list[Problem]]:
    """Analyse the files in parts of neighbouring files, each in a process of its own, and halve a part that fails."""
    problems: list[Problem] = []
    parts: list[Analysis] = []
    pending = [list(sources.lowered)]
    names: list[str] = []
    while pending:
        lowered = pending.pop()
        if lowered and (len(lowered) < len(sources.lowered) or len(lowered) == 1):  # the whole was tried before
            chosen = replace(sources, lowered=lowered)
            outcome = isolate.run_isolated(partial(_part, chosen, policy, run))
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


def _part(
    sources: Sources, policy: FaultPolicy, run: Analyse, staged: isolate.Staged
) -> tuple[Analysis, list[Problem]]:
    clock = Clock(None, staged)
    analysis, lost = analyse_without_faulty(sources, clock, policy, run)
    return replace(analysis, read=dict(analysis.read)), lost


def _middle(lowered: Sequence[Lowered]) -> int:
    """The index that splits the files into two parts of about the same number of lines."""
    half = sum(each.unit.lines + 1 for each in lowered) / 2
    lines = 0
    for place, each in enumerate(lowered):
        lines += each.unit.lines + 1
        if lines >= half:
            return min(max(place, 1), len(lowered) - 1)
    return 1


def _merged(parts: Sequence[Analysis]) -> Analysis:
    """One analysis for several parts of a program."""
    counted = ("values", "flow_edges", "calls", "resolved_calls", "sources", "sinks", "graph_nodes", "graph_edges")
    return Analysis(
        sorted((each for part in parts for each in part.findings), key=lambda each: (each.place, each.rule_id)),
        [each for part in parts for each in part.problems],
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        Statistics(**{name: sum(getattr(part.statistics, name) for part in parts) for name in counted}),
        {path: text for part in parts for path, text in part.read.items()},
        _added(each for part in parts for each in part.withheld),
        sorted((each for part in parts for each in part.surface), key=lambda each: each.entry),
    )


def _added(withheld: Iterable[Withheld]) -> list[Withheld]:
    counts: Counter[tuple[tuple[str, ...], str, Severity]] = Counter()
    for each in withheld:
        counts[each.options, each.rule_id, each.severity] += each.count
    return [Withheld(rule, severity, options, count) for (options, rule, severity), count in sorted(counts.items())]


def _refusals() -> tuple[type[Exception], ...]:
    """Exceptions with a message for the user, who can mend the cause: not internal errors."""
    from pyrograph.kernels.errors import BackendError

    return (BackendError,)
