"""Labels in one order: values first, then calls, functions, assignments and guards."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from pyrograph.ir.packed import KIND_BITS
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits import MAX_KEPT
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.label.assignments import assigned_sinks, polluting_writes
from pyrograph.scanner.analysis.label.calls import (
    endless_calls,
    parts_of_texts,
    quoted_parts,
    roles_at_calls,
    unknown_callees,
)
from pyrograph.scanner.analysis.label.chop import source_sink_chop
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.functions import decorated_parameters, offered_parameters, roles_by_use
from pyrograph.scanner.analysis.label.guards import guarded_versions
from pyrograph.scanner.analysis.label.labels import Labels
from pyrograph.scanner.analysis.label.rereads import checked_parts
from pyrograph.scanner.analysis.label.values import (
    checked_fields,
    lengths,
    promoted_fields,
    roles_of_values,
    typed_fields,
    typed_numbers,
    validated_fields,
)
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import API, Resolution
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
) -> Labels:
    """Give values their roles.

    Args:
        program: All units.
        resolution: The frozen call graph.
        apis: What the packs say, by language.
        vulnerabilities: Those that are looked for, at most 62; their position is their bit.
        kinds: Taint kinds that are switched on.
        unknown_calls: "pass" or "block": whether unknown callees pass arguments to results.
        everywhere: Whether values that lie on no way from a source to a sink are told of, too: for questions about any.
        templates: The HTML templates that calls may fill; None: nobody looks at what they write.
    """
    facts = Facts(program, resolution, apis, vulnerabilities, kinds)
    facts.templates = templates
    roles_of_values(facts)
    typed_fields(facts)
    checked_fields(facts)
    validated_fields(facts)
    lengths(facts)
    promoted_fields(facts)
    roles_at_calls(facts)
    endless_calls(facts)
    roles_by_use(facts)
    offered_parameters(facts)
    decorated_parameters(facts)
    assigned_sinks(facts)
    polluting_writes(facts)
    facts.labels.chop = np.ones(program.num_values, bool) if everywhere else source_sink_chop(facts)
    guarded_versions(facts)
    checked_parts(facts)
    typed_numbers(facts)
    parts_of_texts(facts)
    quoted_parts(facts)
    if unknown_calls == "pass":
        unknown_callees(facts)
    found = facts.labels
    found.asking = {name: frozenset(node << KIND_BITS | API for node in each.asking) for name, each in apis.items()}
    found.sources = sorted(set(found.sources))
    found.sinks = sorted(set(found.sinks))
    if program.num_values <= MAX_KEPT:
        found.workings = facts
    else:
        program.forget_numbers()
    return found
