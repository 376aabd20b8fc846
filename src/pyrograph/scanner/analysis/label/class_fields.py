"""Fields that a class declares: clean by their type or declaration, or embedded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import INTERFACE, NONE
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.clean_types import clean_by_type, declared_elements, type_states
from pyrograph.scanner.analysis.label.declared import declared_mask
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow, SourceRole
from pyrograph.scanner.analysis.numbers import CALL_OP, FIELD_OP, LOAD_OP, SUPER_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT

KEY_AND_VALUE: Final = ("key", "value")  # what the type of a table declares: ``dict[K, T]``


def typed_fields(facts: Facts) -> None:
    """Loads of fields whose declared type is clean, from instances of the class that declares them."""
    clean: dict[tuple[int, int], int] = {}  # (class, name) -> mask
    for owner, members in facts.resolution.class_members.items():
        for name, values in members.items():
            if any(facts.op[value] == FIELD_OP for value in values):
                clean[owner, name] = mask_of_values(facts, values)
    names = {name for (_, name), mask in clean.items() if mask}
    loads = facts.tables["loads"]
    interface = facts.program.string_ids.get(INTERFACE, NONE)  # interfaces have no fields
    for row in np.flatnonzero(among(loads["key"], names)).tolist():
        key = int(loads["key"][row])
        owners = [
            s >> KIND_BITS
            for s in facts.resolution.states_of(int(loads["object"][row]))
            if s & KIND in (INSTANCE_OF, CLASS)
        ]
        owners = [owner for owner in owners if interface not in facts.resolution.class_members.get(owner, {})]
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
    holders = form_holders(facts)
    if not holders:
        return
    clean = {
        holder: frozenset.intersection(*(clean_keys(facts, owner) for owner in owners))
        for holder, owners in holders.items()
    }
    for source in facts.labels.sources:
        if source.keyed and (known := clean.get(facts.rep[source.value])):
            facts.labels.keys.clean[source.value] = known
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


def table_fields(facts: Facts) -> None:
    """Fields that each class with a field of this name declares to be a table: ``meta: dict[str, str]``. Whoever sends
    the object chooses the keys of the table, though those of the object are the program's own.
    """
    if not any(source.keyed for source in facts.labels.sources):
        return
    declared: dict[int, bool] = {}
    for members in facts.resolution.class_members.values():
        for name, values in members.items():
            fields = [value for value in values if facts.op[value] == FIELD_OP]
            if fields:
                declared[name] = declared.get(name, True) and any(is_table(facts, value) for value in fields)
    facts.labels.keys.tables = frozenset(name for name, holds in declared.items() if holds)


def is_table(facts: Facts, value: int) -> bool:
    """Whether the type of a declared value is that of a table: it has a key and a value, ``dict[K, T]``, or methods of
    tables.
    """
    apis, methods = facts.apis[facts.language(value)], facts.traits_of(value).table_methods
    types = facts.tables["types"]
    for row in facts.functions.types_of(value):
        made = [state >> KIND_BITS for state in type_states(facts, row) if state & KIND == OBJECT]
        if any(len(declared_elements(facts, each)) == len(KEY_AND_VALUE) for each in made):
            return True
        for node in facts.resolution.api_nodes(int(types["type"][row])):
            instances = [each for node in apis.expand(node) for each in apis.step(node, INSTANCE)]
            if any(apis.step(each, method) for each in instances for method in methods):
                return True
    return False


def form_holders(facts: Facts) -> dict[int, set[int]]:
    """Representative of what holds the checked data of a form -> the classes that declare its fields."""
    holders: dict[int, set[int]] = {}
    for source in facts.labels.sources:
        owners = declaring_classes(facts, source) if source.keyed else set()
        if owners:
            holders.setdefault(facts.rep[source.value], set()).update(owners)
    return holders


def declaring_classes(facts: Facts, source: SourceRole) -> set[int]:
    """The classes that declare the keys of a keyed source: ``form.cleaned_data``, ``super().clean()``, or the parameter
    of ``validate(self, attrs)``.
    """
    if source.owner != NONE:
        return {source.owner}
    op, row = facts.op[source.value], facts.data[source.value]
    if op not in (LOAD_OP, CALL_OP):
        return set()
    obj = facts.load_object[row] if op == LOAD_OP else facts.call_receiver[row]
    if obj != NONE and facts.op[obj] == SUPER_OP:
        return {int(facts.data[obj])}
    return set(subjects(facts.resolution.states_of(obj), INSTANCE_OF)) if obj != NONE else set()


def read_fields(facts: Facts) -> None:
    """Sources that are read from declared fields: ``form.page.data``, where the form's class says what a page is."""
    for number, source in enumerate(facts.labels.sources):
        value = source.value
        if facts.op[value] != LOAD_OP:
            continue
        field = facts.rep[facts.load_object[facts.data[value]]]
        if facts.op[field] != LOAD_OP or facts.load_key[facts.data[field]] < 0:
            continue
        owners = subjects(facts.resolution.states_of(facts.load_object[facts.data[field]]), INSTANCE_OF)
        mask = declared_by_all(facts, owners, [facts.load_key[facts.data[field]]]) if owners else 0
        if mask:
            facts.labels.sources[number] = source._replace(harmless=source.harmless | mask)


def typed_objects(facts: Facts) -> None:
    """Sources that fill an object of a class all of whose fields hold no text, in languages whose compiler enforces
    types: ``var p struct{ Open *bool }``, then ``c.BindJSON(&p)``. Whatever is read of it later, also under a name that
    the class does not have, is no text of the request.
    """
    known: dict[int, int] = {}  # class -> for what all of its fields are clean
    for number, source in enumerate(facts.labels.sources):
        if not facts.traits_of(source.value).declared_types_hold:
            continue
        states = facts.resolution.states_of(source.value)
        mask = facts.wanted.all if states else 0
        for state in states:
            owner = state >> KIND_BITS if state & KIND == INSTANCE_OF else NONE
            if owner != NONE and owner not in known:
                known[owner] = mask_of_fields(facts, owner)
            mask &= known.get(owner, 0)
        if mask:
            facts.labels.sources[number] = source._replace(harmless=source.harmless | mask)


def mask_of_fields(facts: Facts, owner: int) -> int:
    """For what all fields of a class are clean by their declared types; 0 if it has none, or a base of a library."""
    if facts.functions.extended_by(owner):
        return 0
    mask, is_empty = facts.wanted.all, True
    for each in facts.resolution.lineage(owner):
        for name, values in facts.resolution.class_members.get(each, {}).items():
            if any(facts.op[value] == FIELD_OP for value in values):
                mask, is_empty = mask & declares_clean(facts, each, name), False
    return 0 if is_empty else mask


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
    return mask_of_values(facts, declared_values(facts, owner, key))


def mask_of_values(facts: Facts, values: Sequence[int]) -> int:
    """For what a field is clean by the values that a class has of it: its declared type, and its default value, which
    may say more, ``f: str = Field(pattern=p)``. Without a type, each of the values has to say it.
    """
    typed = [value for value in values if facts.op[value] == FIELD_OP]
    mask = facts.wanted.all if values else 0
    for value in typed or values:
        mask &= mask_by_type(facts, value)
    for value in values if typed else ():
        if facts.op[value] != FIELD_OP:
            mask |= declared_mask(facts, value)
    return mask


def declared_values(facts: Facts, owner: int, key: int) -> Sequence[int]:
    """The values of a field by the nearest class of the lineage that declares it, or by the class that it takes further
    fields from; none if no class does.
    """
    values = member_values(facts, owner, key)
    if not values and (found := declaring_elsewhere(facts, owner)) != NONE:
        values = member_values(facts, found, key)
    return values


def member_values(facts: Facts, owner: int, key: int) -> Sequence[int]:
    """The values of a field by the nearest class of the lineage that declares it."""
    for each in facts.resolution.lineage(owner):
        values = facts.resolution.class_members.get(each, {}).get(key)
        if values:
            return values
    return ()


def declaring_elsewhere(facts: Facts, owner: int) -> int:
    """The class that declares what the body of ``owner`` does not, as its ``Meta.model`` does; NONE if no single one.

    A class that another one names so names no further one.
    """
    apis = facts.apis[facts.language(int(facts.tables["owners"]["value"][owner]))]
    nodes = {each for node in facts.functions.extended_by(owner) for each in apis.expand(node)}
    for port in (port for node in sorted(nodes & apis.roles.keys()) for port in apis.roles[node].schemas.declared_in):
        at = owner
        for step in port.path:
            values = member_values(facts, at, facts.program.string_ids.get(step, NONE)) if at != NONE else ()
            classes = {each for value in values for each in subjects(facts.resolution.states_of(value), CLASS)}
            at = classes.pop() if len(classes) == 1 else NONE
        if at not in (NONE, owner):
            return at
    return NONE


def mask_by_type(facts: Facts, value: int) -> int:
    """For what a declared value is clean, by its type and by what its declaration admits."""
    return facts.wanted.all if clean_by_type(facts, value) else declared_mask(facts, value)


def clean_keys(facts: Facts, owner: int) -> frozenset[int]:
    """The names of the fields of a clean type that a class declares or inherits."""
    names = {name for each in facts.resolution.lineage(owner) for name in facts.resolution.class_members.get(each, {})}
    return frozenset(name for name in names if declares_clean(facts, owner, name) == facts.wanted.all)


def embedded_fields(facts: Facts) -> None:
    """Flow of embedding, where bases are fields (``DispatchTraits.bases_are_parts``): ``x.field`` is ``x.Base.field``,
    read and written, at any depth.

    A field that no class of the program declares is taken for one of a base outside the program.
    """
    if not any(traits.dispatch.bases_are_parts for traits in facts.places.traits):
        return
    unseen, promoted = unseen_bases(facts), Promoted(facts)
    stores, flows = facts.tables["stores"], facts.labels.flows
    results = facts.tables["loads"]["result"]
    for row, key in enumerate(facts.load_key):
        for path in promoted.paths_at(facts.load_object[row], key, unseen):
            flows.append(DataFlow(facts.load_object[row], int(results[row]), (*path, key), (), derived=False))
    keys, objects = facts.program.numbers("stores", "key"), facts.program.numbers("stores", "object")
    for row, value in enumerate(facts.program.numbers("stores", "value")):
        for path in promoted.paths_at(objects[row], keys[row], {}) if value != NONE else ():
            flows.append(DataFlow(value, int(stores["result"][row]), (), (*path, keys[row]), derived=False))


class Promoted:
    """Where the fields of embedded types lie in a class that embeds these."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.names = facts.tables["owners"]["name"]
        self.known: dict[tuple[int, int], list[tuple[int, ...]]] = {}

    def paths_at(self, obj: int, key: int, unseen: Mapping[int, list[int]]) -> list[tuple[int, ...]]:
        """The keys above a field of an object, one list for each class that it may be an instance of and embeds it.

        ``unseen``: the names of bases, by class, that may have fields which no class of the program declares.
        """
        facts = self.facts
        if key < 0 or not facts.traits_of(obj).dispatch.bases_are_parts:
            return []
        found: list[tuple[int, ...]] = []
        for state in facts.resolution.states_of(obj):
            owner = state >> KIND_BITS
            if state & KIND != INSTANCE_OF or key in facts.resolution.class_members.get(owner, {}):
                continue
            paths = self.paths_in(owner, key)
            if not paths and owner in unseen:
                paths = [(name,) for name in unseen[owner]]
            found += [path for path in paths if path not in found]
        return found

    def paths_in(self, owner: int, key: int) -> list[tuple[int, ...]]:
        """The keys above a field that a class promotes: those of the least depth, as Go selects (specification,
        "Selectors").
        """
        known = self.known.get((owner, key))
        if known is None:
            facts, known = self.facts, list[tuple[int, ...]]()
            level: list[tuple[int, tuple[int, ...]]] = [(owner, ())]
            seen = {owner}
            while level and not known:  # each class once
                below: list[tuple[int, tuple[int, ...]]] = []
                for each, path in level:
                    for base in facts.resolution.class_bases.get(each, ()):
                        if base not in seen:
                            seen.add(base)
                            below.append((base, (*path, int(self.names[base]))))
                known = [path for base, path in below if key in facts.resolution.class_members.get(base, {})]
                level = below
            self.known[owner, key] = known
        return known


def unseen_bases(facts: Facts) -> dict[int, list[int]]:
    """The names of the bases of each class that are no classes of the program."""
    return {
        owner: [name for name, base in named if not subjects(facts.resolution.states_of(base), CLASS)]
        for owner, named in facts.program.names_of_bases(facts.rep).items()
    }
