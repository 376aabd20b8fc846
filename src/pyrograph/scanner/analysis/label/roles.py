"""Runs the passes of labelling: values first, then calls, functions, assignments, and guards inside the chop."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial

import numpy as np

from pyrograph.ir.packed import pack_state
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.resolution import MAX_PROVING
from pyrograph.scanner.analysis.api_roles import Checks
from pyrograph.scanner.analysis.apis import CALL, Apis
from pyrograph.scanner.analysis.declarations import Declarations
from pyrograph.scanner.analysis.label.asserted import asserted_conditions
from pyrograph.scanner.analysis.label.assignments import assigned_sanitizers, assigned_sinks
from pyrograph.scanner.analysis.label.bodies import json_bodies
from pyrograph.scanner.analysis.label.calls import (
    assumed_edges,
    filled_by_unknown,
    harmless_text_parts,
    quoted_parts,
    roles_at_calls,
    spread_fields,
)
from pyrograph.scanner.analysis.label.captured import captured_texts
from pyrograph.scanner.analysis.label.checked_fields import checked_fields
from pyrograph.scanner.analysis.label.checked_parts import checked_parts
from pyrograph.scanner.analysis.label.chop import Mask, source_sink_chop
from pyrograph.scanner.analysis.label.chosen_answers import chosen_answers
from pyrograph.scanner.analysis.label.chosen_servers import chosen_servers
from pyrograph.scanner.analysis.label.class_fields import (
    embedded_fields,
    form_fields,
    read_fields,
    table_fields,
    typed_fields,
    typed_objects,
)
from pyrograph.scanner.analysis.label.clean_types import clean_class_names, clean_lengths, numeric_parameters
from pyrograph.scanner.analysis.label.connections import checked_connections
from pyrograph.scanner.analysis.label.csrf import protected_forms
from pyrograph.scanner.analysis.label.decoders import forget_codes, undo_before_decoding
from pyrograph.scanner.analysis.label.decorated_fields import decorated_fields
from pyrograph.scanner.analysis.label.described_requests import described_requests
from pyrograph.scanner.analysis.label.escaped_pages import escaped_pages
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.field_functions import functions_of_fields, proven_by_functions
from pyrograph.scanner.analysis.label.field_guards import guard_rereads
from pyrograph.scanner.analysis.label.field_validators import validated_fields
from pyrograph.scanner.analysis.label.form_files import form_files
from pyrograph.scanner.analysis.label.formal import formal_checks
from pyrograph.scanner.analysis.label.formats import harmless_in_formats
from pyrograph.scanner.analysis.label.functions import decorated_parameters, entry_point_roles, public_parameters
from pyrograph.scanner.analysis.label.generated_fields import generated_fields
from pyrograph.scanner.analysis.label.guards import guarded_versions, proofs_of, proofs_of_answer, used_guards
from pyrograph.scanner.analysis.label.kept_characters import kept_characters
from pyrograph.scanner.analysis.label.key_names import stored_names
from pyrograph.scanner.analysis.label.labels import Labels
from pyrograph.scanner.analysis.label.literals import fill_formats
from pyrograph.scanner.analysis.label.made_before import made_before_checks
from pyrograph.scanner.analysis.label.non_returning import non_returning_calls
from pyrograph.scanner.analysis.label.normalisers import (
    sinks_of_normalised,
    undo_before_normalising,
    undo_where_folders_are_made,
)
from pyrograph.scanner.analysis.label.objects import harmless_for_objects
from pyrograph.scanner.analysis.label.operators import sanitizing_operators
from pyrograph.scanner.analysis.label.option_sinks import option_sinks
from pyrograph.scanner.analysis.label.overwritten import overwritten_elements
from pyrograph.scanner.analysis.label.pages import merge_results
from pyrograph.scanner.analysis.label.part_functions import part_functions
from pyrograph.scanner.analysis.label.positions import harmless_positions
from pyrograph.scanner.analysis.label.prototypes import Writes, confirmed_writes, polluting_writes
from pyrograph.scanner.analysis.label.record_fields import record_fields, sanitized_columns
from pyrograph.scanner.analysis.label.removed_characters import removed_characters
from pyrograph.scanner.analysis.label.repeated_reads import captured_reads, repeated_reads
from pyrograph.scanner.analysis.label.reverse_reads import reverse_reads
from pyrograph.scanner.analysis.label.rounds import round_checks
from pyrograph.scanner.analysis.label.route_schemas import route_schemas
from pyrograph.scanner.analysis.label.routes import routed_members
from pyrograph.scanner.analysis.label.schema_checks import raising_checks
from pyrograph.scanner.analysis.label.schema_functions import schema_functions
from pyrograph.scanner.analysis.label.schemas import schema_fields
from pyrograph.scanner.analysis.label.statement_sinks import statement_sinks
from pyrograph.scanner.analysis.label.stored_uploads import stored_uploads
from pyrograph.scanner.analysis.label.table_keys import table_keys
from pyrograph.scanner.analysis.label.telling import (
    choosing_calls,
    formal_functions,
    made_of_parameters,
    telling_functions,
)
from pyrograph.scanner.analysis.label.unset_fields import unset_fields
from pyrograph.scanner.analysis.label.validated_reads import validated_reads
from pyrograph.scanner.analysis.label.values import roles_of_values
from pyrograph.scanner.analysis.label.whole_checks import whole_checks
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import API, Resolution
from pyrograph.scanner.analysis.route_apis import dangerous, default_methods, no_requests, stating_routes
from pyrograph.scanner.analysis.templates import Templates


def label(
    program: Program,
    resolution: Resolution,
    apis: dict[str, Apis],
    *,
    vulnerabilities: Sequence[Vulnerability],
    kinds: Collection[str],
    unknown_calls: str,
    everywhere: bool = False,
    templates: Templates | None = None,
    declarations: Declarations | None = None,
    further: Callable[[Facts], None] | None = None,
    needs_sources: bool = False,
    libraries: Mapping[int, Collection[str]] | None = None,
) -> Labels:
    """Give values their roles.

    Args:
        program: All units.
        resolution: The frozen call graph.
        apis: What the packs say, by language.
        vulnerabilities: Those that are looked for, at most 62; their position is their bit.
        kinds: Taint kinds that are switched on.
        unknown_calls: "pass" or "block": whether unknown callees pass arguments to results.
        everywhere: Whether to label values outside the chop as well: ``explain`` may ask about any value.
        templates: The HTML templates that calls may render; None: what templates write is ignored.
        declarations: What generated files declare of types; None: nothing is known of these.
        further: Adds sources and sinks of its own, before the chop is computed.
        needs_sources: Whether the caller drops the labels if they have no source; checks are not asked then.
        libraries: Of which files public functions get untrusted arguments where ``kinds`` has these, and for which
            vulnerabilities; None: of all, for all.
    """
    facts = Facts(program, resolution, apis, vulnerabilities, kinds, libraries)
    facts.templates = templates
    writes = _sources_and_sinks(facts, vulnerabilities, unknown_calls, declarations)
    if further is not None:
        further(facts)
    if facts.labels.sources or not needs_sources:
        sinks_of_normalised(facts)
        reverse_reads(facts)
        between = source_sink_chop(facts)
        facts.labels.chop = between
        if everywhere:
            facts.labels.chop = facts.guards.between = np.ones(program.num_values, bool)
        _checks_and_flow(facts, unknown_calls, writes, between)
    forget_codes(facts)
    facts.guards.blocks = None  # they refer to the facts, which no collector frees
    found = facts.labels
    _note_access(found, apis)
    found.sources = sorted(set(found.sources))
    found.sinks = sorted(merge_results(found.sinks))
    if program.num_values <= MAX_PROVING:
        found.keep_alive = facts
        found.checks.proofs = cache(partial(proofs_of, facts))  # each finding asks for those of its functions
        found.checks.answers = partial(proofs_of_answer, facts)
    else:
        facts.conditions.excluding = facts.conditions.always_set = (
            None  # they know ``facts``: nothing in a cycle is freed
        )
        program.forget_numbers()
    return found


def answered_to_pages(facts: Facts) -> None:
    """Mark what a script of a page gets from the program's own handlers clean for all that does no harm in browsers."""
    harmless = facts.wanted.all & ~facts.wanted.in_pages
    for _, value in facts.resolution.stored.answers:
        facts.mark_clean(value, harmless)


def _sources_and_sinks(
    facts: Facts, vulnerabilities: Sequence[Vulnerability], unknown_calls: str, declarations: Declarations | None
) -> Writes | None:
    """All passes that need no chop: sources, sinks, clean values and flow of models. Returns what may change a
    prototype: ``confirmed_writes`` decides about these when the chop is known.

    The order matters: a pass reads what those before it have labelled.
    """
    fill_formats(facts)
    roles_of_values(facts)
    typed_fields(facts)
    record_fields(facts)
    read_fields(facts)
    decorated_fields(facts)
    schema_fields(facts, validated_reads(facts))
    handed = route_schemas(facts)
    stored_uploads(facts)
    clean_lengths(facts)
    clean_class_names(facts)
    if declarations is not None:
        generated_fields(facts, declarations)
    embedded_fields(facts)
    harmless_positions(facts, vulnerabilities)
    escaped_pages(facts)
    roles_at_calls(facts)
    chosen_answers(facts)
    sanitized_columns(facts)
    if unknown_calls == "pass":
        filled_by_unknown(facts)
    spread_fields(facts)
    captured_texts(facts)
    non_returning_calls(facts)
    entry_point_roles(facts)
    typed_objects(facts)
    form_fields(facts)
    table_fields(facts)
    form_files(facts)
    checked_fields(facts)
    whole_checks(facts)
    functions_of_fields(facts)
    public_parameters(facts)
    routed_members(facts)
    decorated_parameters(facts)
    assigned_sinks(facts)
    statement_sinks(facts)
    option_sinks(facts)
    assigned_sanitizers(facts)
    sanitizing_operators(facts)
    writes = polluting_writes(facts)
    protected_forms(facts)
    json_bodies(facts)
    described_requests(facts)
    answered_to_pages(facts)
    handed.divide()
    return writes


def _checks_and_flow(facts: Facts, unknown_calls: str, writes: Writes | None, between: Mask) -> None:
    """The passes over the chop: what checks prove, and where text does no harm. The order matters here, too."""
    facts.labels.checks.formal = formal_checks(facts)
    used_guards(facts)
    raising_checks(facts)
    made = made_of_parameters(facts)
    facts.labels.checks.telling, facts.labels.checks.choosing_results = telling_functions(facts, made)
    facts.labels.checks.formal_functions = formal_functions(facts, made)
    facts.labels.checks.choosing = choosing_calls(facts)
    facts.labels.checks.connections = checked_connections(facts)
    guarded_versions(facts)
    facts.labels.checks.chosen_servers = chosen_servers(facts)
    validated_fields(facts)
    schema_functions(facts)
    part_functions(facts)
    round_checks(facts)
    kept_characters(facts)
    removed_characters(facts)
    overwritten_elements(facts)
    table_keys(facts)
    repeated_reads(facts)
    captured_reads(facts)
    guard_rereads(facts)
    numeric_parameters(facts)
    proven_by_functions(facts)
    asserted_conditions(facts)
    checked_parts(facts)
    made_before_checks(facts)
    undo_before_decoding(facts)
    unset_fields(facts)
    confirmed_writes(facts, writes, between)
    harmless_text_parts(facts)
    harmless_in_formats(facts)
    undo_before_normalising(facts)
    undo_where_folders_are_made(facts)
    harmless_for_objects(facts)
    quoted_parts(facts)
    stored_names(facts)
    if unknown_calls == "pass":
        assumed_edges(facts)


def _outcomes(apis: Mapping[str, Apis], listed: Callable[[Checks], list[int]]) -> tuple[frozenset[int], frozenset[int]]:
    """The states of the results of calls, and of errors, that packs list."""
    ends = [
        (node, each.paths[node][-1])
        for each in apis.values()
        for left in listed(each.checks)
        for node in each.expand(left)
    ]
    return (
        frozenset(pack_state(API, node) for node, end in ends if end == CALL),
        frozenset(pack_state(API, node) for node, end in ends if end != CALL),
    )


def _note_access(found: Labels, apis: Mapping[str, Apis]) -> None:
    """What packs say of who may call: ratings read it, and the search does not."""
    found.asking = {
        name: frozenset(pack_state(API, node) for node in each.checks.asking) for name, each in apis.items()
    }
    found.access.operators = {
        name: frozenset(node for left in each.checks.operators for node in each.expand(left))
        for name, each in apis.items()
    }
    found.access.accounts = {
        name: frozenset(node for left in each.checks.accounts for node in each.expand(left))
        for name, each in apis.items()
    }
    found.access.bearers = {
        name: frozenset(node for left in each.checks.bearers for node in each.expand(left))
        for name, each in apis.items()
    }
    found.access.registering = {
        name: frozenset(node for left in each.checks.registering for node in each.expand(left))
        for name, each in apis.items()
    }
    found.access.registering_names = frozenset(name for each in apis.values() for name in each.checks.registering_names)
    found.access.completing, found.access.incomplete = _outcomes(apis, lambda checks: checks.exchanges)
    found.access.verifying, found.access.forged = _outcomes(apis, lambda checks: checks.signed)
    found.access.routes = stating_routes(apis)
    found.access.no_requests = no_requests(apis)
    found.access.dangerous = dangerous(apis)
    found.access.default_methods = default_methods(apis)
