"""Sources and clean values: attributes that are read, results of calls, names and declared types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, Op
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.kernels.arrays import among
from pyrograph.parsers import language_of
from pyrograph.rules.entries import (
    Flow,
    Parameters,
    Port,
    Source,
)
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.label.admitted import decoded_mask
from pyrograph.scanner.analysis.label.conditions import (
    holds,
)
from pyrograph.scanner.analysis.label.declared import declared_mask
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow, SourceRole
from pyrograph.scanner.analysis.label.routes import part_of, routed
from pyrograph.scanner.analysis.resolve.resolution import (
    CLASS,
    FUNCTION,
    INSTANCE_OF,
    OBJECT,
)


def roles_of_values(facts: Facts) -> None:
    """Sources and sanitizers that are values: attributes read, results of calls."""
    named_sources(facts)
    for value, node in dict.fromkeys(facts.resolution.api_values):
        apis = facts.apis[facts.language(value)]
        roles = apis.roles.get(node)
        if roles is None:
            continue
        if roles.rooted:
            facts.labels.rooted.add(value)
        if roles.addressed:
            facts.labels.addressed.add(value)
        if roles.csrf_covers:
            facts.labels.csrf_covered.add(value)
        call = facts.data[value] if facts.op[value] == Op.CALL else NONE
        around = int(facts.function_of[value]), apis.paths[node][0]
        facts.conditions.subject = (
            int(facts.tables["loads"]["object"][facts.data[value]]) if facts.op[value] == Op.LOAD else NONE
        )
        for source in roles.sources:
            if source.kind not in facts.wanted.kinds or source.fills is not None:
                continue
            if holds(facts, source.conditions, call, around=around) and not is_local_object(facts, value):
                harmless = facts.wanted.harmless_of(source) | (decoded_mask(facts, call) if call != NONE else 0)
                role = SourceRole(value, source.kind, apis.text(node), source.keyed, harmless)
                if source.routed:
                    role = routed(facts, role, part_of(facts, source, value, call))
                facts.labels.sources.append(role)
        for sanitizer in roles.sanitizers:
            if sanitizer.ports or sanitizer.assignment:
                continue
            if holds(facts, sanitizer.conditions, call, around=around):
                facts.sanitize(value, sanitizer.vulnerability)
        if facts.op[value] == Op.PARAMETER:
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
    if facts.op[facts.rep[facts.conditions.subject]] == Op.NEW:
        return True
    states = (
        facts.resolution.states_of(facts.conditions.subject) if facts.traits_of(value).filled_objects_are_own else ()
    )
    return any(
        s & KIND == OBJECT and s >> KIND_BITS < len(facts.op) and facts.op[s >> KIND_BITS] == Op.NEW for s in states
    )


def named_sources(facts: Facts) -> None:
    """Parameters and literals that are sources by their name or text; attributes that are clean by their name."""
    loads = facts.tables["loads"]
    for language, apis in facts.apis.items():
        strings = facts.program.string_ids
        for name, sanitizers in apis.clean_members.items():
            for row in np.flatnonzero(loads["key"] == strings.get(name, NO_STRING)).tolist():
                value = int(loads["result"][row])
                if facts.language(value) == language:
                    for vulnerability in sanitizers:
                        facts.sanitize(value, vulnerability)
        parameters = facts.tables["parameters"]
        for name, entries in apis.conventions.named.items():
            rows = np.flatnonzero(parameters["name"] == strings.get(name, NO_STRING))
            mark_sources(facts, parameters["value"][rows].tolist(), language, entries, f"parameter {name}")
        for text, entries in apis.conventions.literals.items():
            index = strings.get("'" + text, NO_STRING)
            columns = facts.tables["values"]
            values = np.flatnonzero((columns["op"] == int(Op.CONST)) & (columns["data"] == index)).tolist()
            facts.constants.literal_sources.update(values)
            mark_sources(facts, values, language, entries, f"'{text}'")


def mark_sources(facts: Facts, values: Iterable[int], language: str, entries: Sequence[Source], text: str) -> None:
    for value in values:
        if facts.language(value) == language:
            for entry in entries:
                if entry.kind in facts.wanted.kinds:
                    role = SourceRole(value, entry.kind, text, harmless=facts.wanted.harmless_of(entry))
                    facts.labels.sources.append(role)


def typed_fields(facts: Facts) -> None:
    """Loads of fields whose declared type is clean, from instances of the class that declares them."""
    clean: dict[tuple[int, int], int] = {}  # (class, name) -> mask
    for owner, members in facts.resolution.class_members.items():
        for name, values in members.items():
            fields = [value for value in values if facts.op[value] == Op.FIELD]
            if not fields:
                continue
            mask = facts.wanted.all
            for value in fields:
                mask &= mask_by_type(facts, value)
            for value in values:  # a default value, "f: str = Field(pattern=p)"
                if facts.op[value] != Op.FIELD:
                    mask |= declared_mask(facts, value)
            clean[owner, name] = mask
    names = {name for (_, name), mask in clean.items() if mask}
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], names)).tolist():
        key = int(loads["key"][row])
        owners = [
            s >> KIND_BITS
            for s in facts.resolution.states_of(int(loads["object"][row]))
            if s & KIND in (INSTANCE_OF, CLASS)
        ]
        mask = facts.wanted.all if owners else 0
        for owner in owners:
            mask &= inherited_mask(facts, owner, key, clean)
        if mask:
            facts.mark_clean(int(loads["result"][row]), mask)


def inherited_mask(facts: Facts, owner: int, key: int, clean: dict[tuple[int, int], int]) -> int:
    """For what a field is clean by the nearest class that declares it."""
    for each in facts.resolution.lineage(owner):
        if key in facts.resolution.class_members.get(each, {}):
            return clean.get((each, key), 0)
    return 0


def form_fields(facts: Facts) -> None:
    """The checked data of forms and serializers: ``form.cleaned_data["page"]``.

    Its keys are the fields that the form's class declares. A field with a clean type holds a number, a date, a choice.
    """
    holders: dict[int, set[int]] = {}  # representative of what holds checked data -> classes that declare its fields
    for source in facts.labels.sources:
        value = source.value
        if source.keyed and facts.op[value] in (Op.LOAD, Op.CALL):
            row = facts.data[value]
            obj = facts.load_object[row] if facts.op[value] == Op.LOAD else facts.call_receiver[row]
            owners = set(subjects(facts.resolution.states_of(obj), INSTANCE_OF)) if obj != NONE else set()
            if owners:
                holders.setdefault(facts.rep[value], set()).update(owners)
    if not holders:
        return
    clean = {
        holder: frozenset.intersection(*(clean_keys(facts, owner) for owner in owners))
        for holder, owners in holders.items()
    }
    for source in facts.labels.sources:
        if source.keyed and (known := clean.get(facts.rep[source.value])):
            facts.labels.clean_keys[source.value] = known
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for row in np.flatnonzero(among(objects, holders) & (loads["key"] >= 0)).tolist():
        mask = declared_by_all(facts, holders[int(objects[row])], [int(loads["key"][row])])
        if mask:
            facts.mark_clean(int(loads["result"][row]), mask)
    for holder, owners in holders.items():
        for call in facts.calls.methods_on(holder):
            keys = read_keys(facts, call)
            if keys and (mask := declared_by_all(facts, owners, keys)):
                facts.mark_clean(facts.call_result[call], mask)


def read_fields(facts: Facts) -> None:
    """Sources that are read from declared fields: ``form.page.data``, where the form's class says what a page is."""
    for number, source in enumerate(facts.labels.sources):
        value = source.value
        if facts.op[value] != Op.LOAD:
            continue
        field = facts.rep[facts.load_object[facts.data[value]]]
        if facts.op[field] != Op.LOAD or facts.load_key[facts.data[field]] < 0:
            continue
        owners = subjects(facts.resolution.states_of(facts.load_object[facts.data[field]]), INSTANCE_OF)
        mask = declared_by_all(facts, owners, [facts.load_key[facts.data[field]]]) if owners else 0
        if mask:
            facts.labels.sources[number] = source._replace(harmless=source.harmless | mask)


def read_keys(facts: Facts, call: int) -> list[int]:
    """The constant keys that a call loads from its receiver, as ``get`` does by its model; [] if it is no such call."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for flow in (flow for each in roles.propagators for flow in each.flows) if roles is not None else ():
            if isinstance(flow, Flow) and flow.origin.kind == "this" and flow.origin.path[:1] == ("$0",):
                names = [facts.constant(facts.arg_value[row]) for row in facts.args.at(call, Port("position", 0))]
                return [facts.program.intern(name.removeprefix("'")) for name in names if name is not None]
    return []


def declared_by_all(facts: Facts, owners: Iterable[int], keys: Iterable[int]) -> int:
    """For what each of these fields is clean in each of the classes."""
    mask = facts.wanted.all
    for owner in owners:
        for key in keys:
            mask &= declares_clean(facts, owner, key)
    return mask


def declares_clean(facts: Facts, owner: int, key: int) -> int:
    """For what the class, or its nearest base with a field of this name, declares it to be clean."""
    for each in facts.resolution.lineage(owner):
        values = facts.resolution.class_members.get(each, {}).get(key)
        if values:
            mask = facts.wanted.all
            for value in values:
                mask &= mask_by_type(facts, value)
            return mask
    return 0


def mask_by_type(facts: Facts, value: int) -> int:
    """For what a declared value is clean, by its type and by what its declaration admits."""
    return facts.wanted.all if clean_by_type(facts, value) else declared_mask(facts, value)


def validated_fields(facts: Facts) -> None:
    """Loads of fields that a decorated method of their class validates; whether the check is sufficient is unknown."""
    tables, states_of = facts.tables, facts.resolution.states_of
    validating = {node for apis in facts.apis.values() for each in apis.checks.validating for node in apis.expand(each)}
    if not validating:
        return
    named = {facts.call_result[call]: call for call, nodes in facts.calls.apis_of.items() if validating & set(nodes)}
    owners, raised = tables["functions"]["owner"], tables["functions"]["raised"]
    throwing = set(tables["flows"]["target"].tolist())
    checks: set[tuple[int, int]] = set()  # (class, name of a field)
    for row in np.flatnonzero(among(tables["calls"]["callee"], named)).tolist():
        functions = [
            s >> KIND_BITS for a in facts.args.of(row) for s in states_of(facts.arg_value[a]) if s & KIND == FUNCTION
        ]
        written = [facts.constant(facts.arg_value[a]) for a in facts.args.of(named[facts.call_callee[row]])]
        keys = [facts.program.intern(text[1:]) for text in written if text is not None and text[:1] == "'"]
        checks |= {(int(owners[f]), key) for f in functions if int(raised[f]) in throwing for key in keys}
    loads = tables["loads"]
    for row in np.flatnonzero(among(loads["key"], {key for _, key in checks})).tolist():
        classes = [s >> KIND_BITS for s in states_of(int(loads["object"][row])) if s & KIND == INSTANCE_OF]
        if any(
            (owner, int(loads["key"][row])) in checks for each in classes for owner in facts.resolution.lineage(each)
        ):
            facts.labels.checks.validated_fields.add(int(loads["result"][row]))


def clean_keys(facts: Facts, owner: int) -> frozenset[int]:
    """The names of the fields of a clean type that a class declares or inherits."""
    names = {name for each in facts.resolution.lineage(owner) for name in facts.resolution.class_members.get(each, {})}
    return frozenset(name for name in names if declares_clean(facts, owner, name) == facts.wanted.all)


def embedded_fields(facts: Facts) -> None:
    """Flow of Go's embedding: ``x.field`` of an embedded type is ``x.Type.field``, where bases are fields.

    A field that neither the type nor an embedded type of the program declares is one of an embedded type that is not
    seen.
    """
    names = facts.tables["owners"]["name"]
    of_parts = any(traits.bases_are_parts for traits in facts.places.traits)
    unseen = unseen_bases(facts) if of_parts else {}
    for row, key in enumerate(facts.load_key) if of_parts else ():
        obj = facts.load_object[row]
        if key < 0 or not facts.traits_of(obj).bases_are_parts:
            continue
        for state in facts.resolution.states_of(obj):
            if state & KIND != INSTANCE_OF or key in facts.resolution.class_members.get(state >> KIND_BITS, {}):
                continue
            bases = facts.resolution.class_bases.get(state >> KIND_BITS, ())
            parts = [int(names[base]) for base in bases if key in facts.resolution.class_members.get(base, {})]
            if not parts and state >> KIND_BITS in unseen:
                inherited = any(
                    key in facts.resolution.class_members.get(each, {})
                    for each in facts.resolution.lineage(state >> KIND_BITS)
                )
                parts = [] if inherited else unseen[state >> KIND_BITS]
            result = int(facts.tables["loads"]["result"][row])
            facts.labels.flows += [DataFlow(obj, result, (part, key), (), derived=False) for part in parts]


def unseen_bases(facts: Facts) -> dict[int, list[int]]:
    """The names of the bases of each class that are no classes of the program."""
    return {
        owner: [name for name, base in named if not subjects(facts.resolution.states_of(base), CLASS)]
        for owner, named in facts.program.names_of_bases(facts.rep).items()
    }


def clean_lengths(facts: Facts) -> None:
    """``x.length`` is a number where the language says so, unless ``x`` is an object of a library with own members."""
    for language, apis in facts.apis.items():
        names = language_of(language).traits.number_members
        keys = {facts.program.string_ids[name] for name in names if name in facts.program.string_ids}
        with_members = {node for node, _ in apis.children} if keys else set()
        for row in np.flatnonzero(among(facts.tables["loads"]["key"], keys)).tolist() if keys else ():
            obj = facts.load_object[row]
            if facts.language(obj) == language and with_members.isdisjoint(facts.resolution.api_nodes(obj)):
                facts.labels.clean[int(facts.tables["loads"]["result"][row])] = facts.wanted.all


def numeric_parameters(facts: Facts) -> None:
    """Parameters with a clean declared type, in languages whose compiler enforces types."""
    if not any(traits.declared_types_hold for traits in facts.places.traits):
        return
    types, parameters = facts.tables["types"], facts.tables["parameters"]
    declared = among(types["value"], parameters["value"])
    for value, type_value in zip(types["value"][declared].tolist(), types["type"][declared].tolist(), strict=True):
        if not facts.traits_of(value).declared_types_hold:
            continue
        apis = facts.apis[facts.language(value)]
        for node in facts.resolution.api_nodes(type_value):
            roles = apis.roles.get(node)
            if roles is not None and roles.clean_type:
                facts.labels.numeric_parameters.add(value)


def clean_by_type(facts: Facts, value: int) -> bool:
    """Whether the value's type, or declared type, can hold no text that an attacker chooses."""
    apis = facts.apis[facts.language(value)]
    for node in facts.resolution.api_nodes(value):
        path = apis.paths[node]
        if path[-1] == INSTANCE:
            roles = apis.roles.get(apis.node(path[:-1]))
            if roles is not None and roles.clean_type:
                return True
    types = facts.tables["types"]
    for row in facts.functions.types_of(value):
        for node in facts.resolution.api_nodes(int(types["type"][row])):
            path = apis.paths[node]
            for each in (node, apis.node(path[:-1])) if path[-1] in (CALL, INSTANCE) else (node,):
                roles = apis.roles.get(each)
                if roles is not None and roles.clean_type:
                    return True
        if any(
            state & KIND == CLASS and state >> KIND_BITS in clean_classes(facts) for state in type_states(facts, row)
        ):
            return True
    return False


def type_states(facts: Facts, row: int) -> Sequence[int]:
    return facts.resolution.states_of(int(facts.tables["types"]["type"][row]))


def clean_classes(facts: Facts) -> frozenset[int]:
    """Classes of the program that extend a class with a clean type, such as an enumeration."""
    if facts.clean_classes is None:
        found = set()
        bases = facts.tables["bases"]
        for owner, base in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
            apis = facts.apis[facts.language(base)]
            for node in facts.resolution.api_nodes(base):
                roles = apis.roles.get(node)
                if roles is not None and roles.clean_type:
                    found.add(owner)
        extending: dict[int, list[int]] = {}
        for each, of in facts.resolution.class_bases.items():
            for base in of:
                extending.setdefault(base, []).append(each)
        work = sorted(found)
        while work:  # each class is put there once, with ``found``
            for each in extending.get(work.pop(), ()):
                if each not in found:
                    found.add(each)
                    work.append(each)
        facts.clean_classes = frozenset(found)
    return facts.clean_classes


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
        if step == "()":
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
    if "()" not in steps and NO_STRING not in keys and not entry.routed and is_passed_on(facts, facts.rep[value]):
        facts.labels.sources.append(SourceRole(value, entry.kind, name, harmless=harmless, keys=keys))


def is_passed_on(facts: Facts, rep: int) -> bool:
    """Whether a version of ``rep`` is an argument of a call, or a closure captures it."""
    given = [row for call in facts.calls.calls_with(rep) for row in facts.args.of(call)]
    return facts.flows.is_captured(rep) or any(
        [facts.rep[facts.arg_value[row]] == rep and facts.arg_position[row] != RECEIVER for row in given]
    )
