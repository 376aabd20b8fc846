"""Sources and clean values: attributes that are read, results of calls, names and declared types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import Parameters, Source
from pyrograph.scanner.analysis.apis import CALL
from pyrograph.scanner.analysis.label.admitted import decoded_mask
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.label.routes import part_of, routed
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP, NEW_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT


def roles_of_values(facts: Facts) -> None:
    """Sources and sanitizers that are values: attributes read, results of calls."""
    named_sources(facts)
    for value, node in dict.fromkeys(facts.resolution.api_values):
        apis = facts.apis[facts.language(value)]
        roles = apis.roles.get(node)
        if roles is None:
            continue
        if roles.rooted:
            facts.labels.request.rooted.add(value)
        if roles.addressed:
            facts.labels.request.addressed.add(value)
        if roles.csrf_covers:
            facts.labels.request.csrf_covered.add(value)
        if roles.body:
            facts.labels.request.bodies.add(value)
        call = facts.data[value] if facts.op[value] == CALL_OP else NONE
        around = int(facts.function_of[value]), apis.paths[node][0]
        facts.conditions.subject = (
            int(facts.tables["loads"]["object"][facts.data[value]]) if facts.op[value] == LOAD_OP else NONE
        )
        for source in roles.sources:
            if source.kind not in facts.wanted.kinds or source.fills is not None:
                continue
            if holds(facts, source.conditions, call, around=around) and not is_local_object(facts, value):
                harmless = facts.wanted.harmless_of(source) | (decoded_mask(facts, call) if call != NONE else 0)
                role = SourceRole(value, source.kind, apis.text(node), source.keyed, harmless)
                if source.routed:
                    role = routed(facts, role, part_of(facts, source, call))
                facts.labels.sources.append(role)
        for sanitizer in roles.sanitizers:
            if sanitizer.ports or sanitizer.assignment:
                continue
            if holds(facts, sanitizer.conditions, call, around=around):
                facts.sanitize(value, sanitizer.vulnerability)
        if facts.op[value] == PARAMETER_OP:
            for entry in roles.functions:
                if not isinstance(entry, Source) or entry.kind not in facts.wanted.kinds:
                    continue
                if isinstance(entry.target, Parameters) and entry.target.by == "type":
                    source_members(facts, value, entry, apis.text(node))


def is_local_object(facts: Facts, value: int) -> bool:
    """Whether a member is read from an object that this function made, which is not input.

    With ``Traits.filled_objects_are_own`` also from one that any function of the program made and filled: a server's
    input is filled by its library.
    """
    if facts.conditions.subject == NONE:
        return False
    if facts.op[facts.rep[facts.conditions.subject]] == NEW_OP:
        return True
    states = (
        facts.resolution.states_of(facts.conditions.subject) if facts.traits_of(value).filled_objects_are_own else ()
    )
    return any(
        s & KIND == OBJECT and s >> KIND_BITS < len(facts.op) and facts.op[s >> KIND_BITS] == NEW_OP for s in states
    )


def named_sources(facts: Facts) -> None:
    """Parameters and literals that are sources by their name or text; attributes that are clean by their name."""
    loads = facts.tables["loads"]
    for language, apis in facts.apis.items():
        strings = facts.program.string_ids
        for name, sanitizers in apis.clean_members.items():
            key = strings.get(name, NO_STRING)
            own = plain_classes_with(facts, key)
            for row in np.flatnonzero(loads["key"] == key).tolist():
                value = int(loads["result"][row])
                if facts.language(value) == language and not is_own_field(facts, int(loads["object"][row]), own):
                    for vulnerability in sanitizers:
                        facts.sanitize(value, vulnerability)
        parameters = facts.tables["parameters"]
        for name, entries in apis.conventions.named.items():
            rows = np.flatnonzero(parameters["name"] == strings.get(name, NO_STRING))
            mark_sources(facts, parameters["value"][rows].tolist(), language, entries, f"parameter {name}")
        for text, entries in apis.conventions.literals.items():
            index = strings.get("'" + text, NO_STRING)
            columns = facts.tables["values"]
            values = np.flatnonzero((columns["op"] == CONST_OP) & (columns["data"] == index)).tolist()
            facts.constants.literal_sources.update(values)
            mark_sources(facts, values, language, entries, f"'{text}'")


def plain_classes_with(facts: Facts, key: int) -> frozenset[int]:
    """The classes of the program in whose objects code stores something under ``key``, and all of whose bases are
    classes of the program: the name means what the program says, ``self.pk = request.args["pk"]``.
    """
    stores, bases = facts.tables["stores"], facts.tables["bases"]
    found: set[int] = set()
    for row in np.flatnonzero(stores["key"] == key).tolist():
        found.update(subjects(facts.resolution.states_of(int(stores["object"][row])), INSTANCE_OF))
    if not found:
        return frozenset()
    outside = {
        int(owner)
        for owner, base in zip(bases["owner"], bases["base"], strict=True)
        if not subjects(facts.resolution.states_of(int(base)), CLASS)
    }
    return frozenset(each for each in found if outside.isdisjoint(facts.functions.lineage(each)))


def is_own_field(facts: Facts, holder: int, own: frozenset[int]) -> bool:
    """Whether a value is an instance of one of the classes ``own``, and of no other."""
    owners = subjects(facts.resolution.states_of(holder), INSTANCE_OF) if own else ()
    return bool(owners) and all([not own.isdisjoint(facts.functions.lineage(each)) for each in owners])


def mark_sources(facts: Facts, values: Iterable[int], language: str, entries: Sequence[Source], text: str) -> None:
    for value in values:
        if facts.language(value) == language:
            for entry in entries:
                if entry.kind in facts.wanted.kinds:
                    role = SourceRole(value, entry.kind, text, harmless=facts.wanted.harmless_of(entry))
                    facts.labels.sources.append(role)


def declares_keys(facts: Facts, value: int) -> bool:
    """Whether the parameter's type is a class of the program: then the program chooses its keys."""
    types = facts.tables["types"]
    declared = [int(types["type"][row]) for row in np.flatnonzero(types["value"] == value).tolist()]
    return any(state & KIND == CLASS for each in declared for state in facts.resolution.states_of(each))


def source_members(facts: Facts, value: int, entry: Source, text: str) -> None:
    """Sources that are members of a parameter, by the steps of an entry: ``cb app.get(1):0.query``.

    They are the loads of these members, and the part of the parameter itself where it is passed on as a whole.
    """
    assert isinstance(entry.target, Parameters)
    steps = entry.target.steps
    harmless = facts.wanted.harmless_of(entry)
    if not steps:
        facts.labels.sources.append(SourceRole(value, entry.kind, text, harmless=harmless))
        return
    nodes = {facts.rep[value]}
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    found: list[int] = []
    for position, step in enumerate(steps):
        if step == CALL:
            callees = facts.resolution.representative[facts.tables["calls"]["callee"]]
            results = [facts.call_result[c] for c in np.flatnonzero(among(callees, nodes)).tolist()]
        else:
            key = facts.program.string_ids.get(step.strip("[]"), NO_STRING)
            rows = np.flatnonzero(among(objects, nodes) & (loads["key"] == key)).tolist()
            results = [int(loads["result"][row]) for row in rows]
        if position == len(steps) - 1:
            found = results
        nodes = {facts.rep[result] for result in results}
    name = f"{text}.{'.'.join(steps)}"
    for result in found:
        role = SourceRole(result, entry.kind, name, harmless=harmless)
        facts.labels.sources.append(routed(facts, role, "") if entry.routed else role)
    keys = tuple(facts.program.string_ids.get(step.strip("[]"), NO_STRING) for step in steps)
    if CALL not in steps and NO_STRING not in keys and not entry.routed and is_passed_on(facts, facts.rep[value]):
        facts.labels.sources.append(SourceRole(value, entry.kind, name, harmless=harmless, keys=keys))


def is_passed_on(facts: Facts, rep: int) -> bool:
    """Whether a version of ``rep`` is an argument of a call, or a closure captures it, or a modelled method is called
    on it: it is a table that has such methods.
    """
    given = [(call, row) for call in facts.calls.calls_with(rep) for row in facts.args.of(call)]
    return facts.flows.is_captured(rep) or any(
        [
            facts.rep[facts.arg_value[row]] == rep
            and (facts.arg_position[row] != RECEIVER or call in facts.calls.apis_of)
            for call, row in given
        ]
    )
