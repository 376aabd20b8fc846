"""The loop: states are propagated until nothing changes, then the call graph is frozen."""

from __future__ import annotations

from pyrograph.policy.limits import MAX_FALLBACK_ROUNDS, MAX_KEPT
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.class_members import subscripts
from pyrograph.scanner.analysis.resolve.conventions import conventions
from pyrograph.scanner.analysis.resolve.entry_points import watch_exports
from pyrograph.scanner.analysis.resolve.fallbacks import fall_back, retry_missed
from pyrograph.scanner.analysis.resolve.freeze import freeze
from pyrograph.scanner.analysis.resolve.imports import seed
from pyrograph.scanner.analysis.resolve.loads import loosen
from pyrograph.scanner.analysis.resolve.propagation import drain
from pyrograph.scanner.analysis.resolve.resolution import Resolution
from pyrograph.scanner.analysis.resolve.solver import Solver


def resolve(program: Program, apis: dict[str, Apis]) -> Resolution:
    """Build the call graph. ``apis`` by language."""
    solver = Solver(program, apis)
    seed(solver)
    drain(solver)
    watch_exports(solver)
    for round_ in range(MAX_FALLBACK_ROUNDS):
        before = len(solver.calls.seen_bindings), len(solver.models.seen_calls), solver.points.num_known
        loosen(solver)
        drain(solver)
        retry_missed(solver)
        subscripts(solver)
        drain(solver)
        fall_back(solver, round_)
        drain(solver)
        if round_ and before == (
            len(solver.calls.seen_bindings),
            len(solver.models.seen_calls),
            solver.points.num_known,
        ):
            break
    if conventions(solver):
        drain(solver)
        retry_missed(solver)
        drain(solver)
        fall_back(solver, MAX_FALLBACK_ROUNDS)
        drain(solver)
    freeze(solver)
    if program.num_values <= MAX_KEPT:
        solver.resolution.workings = solver
    return solver.resolution
