"""The loop: states are propagated until nothing changes, then the call graph is frozen."""

from __future__ import annotations

from pyrograph.policy.limits.resolution import MAX_FALLBACK_ROUNDS, MAX_KEPT
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.api_calls import return_given
from pyrograph.scanner.analysis.resolve.assigned_properties import link_assigned_properties, note_replaced_stores
from pyrograph.scanner.analysis.resolve.class_members import link_subscripts
from pyrograph.scanner.analysis.resolve.conventions import (
    entry_points_by_names,
    entry_points_by_types,
    extend_by_names,
)
from pyrograph.scanner.analysis.resolve.cut_receivers import complete_cut_receivers
from pyrograph.scanner.analysis.resolve.directives import listen_to_directives
from pyrograph.scanner.analysis.resolve.entry_points import listen_to_exports
from pyrograph.scanner.analysis.resolve.fallbacks import pass_through_decorators, resolve_by_name, retry_failed_loads
from pyrograph.scanner.analysis.resolve.filled_templates import link_templates
from pyrograph.scanner.analysis.resolve.freeze import freeze
from pyrograph.scanner.analysis.resolve.handed_keys import join_handed_keys
from pyrograph.scanner.analysis.resolve.imports import seed
from pyrograph.scanner.analysis.resolve.kept_reads import read_kept_objects
from pyrograph.scanner.analysis.resolve.loads import link_unknown_keys
from pyrograph.scanner.analysis.resolve.mixins import note_mixed_classes
from pyrograph.scanner.analysis.resolve.option_objects import join_option_objects
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.registrations import entry_points_by_registrations
from pyrograph.scanner.analysis.resolve.related import link_related
from pyrograph.scanner.analysis.resolve.resolution import Resolution
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.subclasses import tell_of_subclasses
from pyrograph.scanner.analysis.resolve.text_methods import listen_to_texts
from pyrograph.scanner.analysis.resolve.topics import join_managers
from pyrograph.scanner.analysis.resolve.unseen_stores import read_unseen_objects
from pyrograph.scanner.analysis.templates import Templates


def resolve(program: Program, apis: dict[str, Apis], templates: Templates | None = None) -> Resolution:
    """Build the call graph. ``apis`` by language; ``templates`` may call functions of the program."""
    solver = Solver(program, apis)
    seed(solver)
    for row, given in sorted(solver.calls.copies.passing.items()):
        return_given(solver, row, given)
    run_to_fixpoint(solver)
    extend_by_names(solver)
    note_mixed_classes(solver)
    listen_to_exports(solver)
    listen_to_directives(solver)
    listen_to_texts(solver)
    for round_ in range(MAX_FALLBACK_ROUNDS):
        before = len(solver.calls.seen_bindings), len(solver.models.seen_calls), solver.points.num_known
        link_unknown_keys(solver)
        run_to_fixpoint(solver)
        retry_failed_loads(solver)
        link_subscripts(solver)
        link_assigned_properties(solver)
        tell_of_subclasses(solver)
        run_to_fixpoint(solver)
        if not round_:
            pass_through_decorators(solver)
            run_to_fixpoint(solver)
        if round_ < 2:  # what is found in the first round may lead to more, and seldom this to yet more
            find_objects_by_name(solver, unseen=round_ == 1)
            join_handed_keys(solver)
            join_managers(solver)
            join_option_objects(solver)
            run_to_fixpoint(solver)
        complete_cut_receivers(solver)
        resolve_by_name(solver, round_)
        run_to_fixpoint(solver)
        if round_ and before == (
            len(solver.calls.seen_bindings),
            len(solver.models.seen_calls),
            solver.points.num_known,
        ):
            break
    handed = entry_points_by_registrations(solver)
    by_types = entry_points_by_types(solver)
    if entry_points_by_names(solver) or by_types or handed:
        run_to_fixpoint(solver)
        retry_failed_loads(solver)
        run_to_fixpoint(solver)
        resolve_by_name(solver, MAX_FALLBACK_ROUNDS)
        run_to_fixpoint(solver)
    link_templates(solver, templates)
    note_replaced_stores(solver)
    freeze(solver)
    if program.num_values <= MAX_KEPT:
        solver.resolution.keep_alive = solver
    return solver.resolution


def find_objects_by_name(solver: Solver, *, unseen: bool) -> None:
    """Find objects that libraries keep, ``unseen`` ones too, and note the calls that this resolves."""
    unknown = [each.row for each in solver.guesses.unresolved if each.row not in solver.calls.known]
    link_related(solver)
    read_kept_objects(solver)
    run_to_fixpoint(solver)
    if unseen:
        read_unseen_objects(solver)
        run_to_fixpoint(solver)
    solver.guesses.calls_by_object.update([row for row in unknown if row in solver.calls.known])
