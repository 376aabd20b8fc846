"""Fields of records that hold no text: ``port = models.IntegerField()``, ``port = Column(Integer)``; and fields that
the library sanitizes, ``text = BleachField()``.

A database, or the library before it, turns what is stored there into a number, a date, a UUID, or refuses it. What
else a declaration admits, ``SlugField()``, ``choices=KINDS``, only holds for what a form or a serializer keeps: these
check it, and a record that is written without one is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import INSTANCE, Apis
from pyrograph.scanner.analysis.label.assignments import is_stored_back
from pyrograph.scanner.analysis.label.class_fields import declared_values
from pyrograph.scanner.analysis.label.clean_types import clean_by_type
from pyrograph.scanner.analysis.label.declared import declared_mask
from pyrograph.scanner.analysis.label.definitions import some_made
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.tables import literals
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT

FIRST: Final = Port("position", 0)


def record_fields(facts: Facts) -> None:
    """Mark loads of such fields clean, from instances of classes whose records a table keeps. Linear in the loads."""
    for cell, values in facts.resolution.stored.declared_cells:
        mask = facts.wanted.all
        for value in values:
            mask &= declared_mask(facts, value)
        if mask:
            facts.mark_clean(cell, mask)
    declared_columns(facts)
    answered_columns(facts)
    clean_columns(facts, column_mask)


def sanitized_columns(facts: Facts) -> None:
    """Mark loads of fields whose declaration is a call that packs list as a sanitizer: ``text = BleachField()``. What
    the library keeps there is clean for what the sanitizer is. Runs when the roles of calls are known.
    """
    clean_columns(facts, sanitized_mask)
    written_columns(facts)


def written_columns(facts: Facts) -> None:
    """Drop the places in templates that write such a column, ``{{ event.text|safe }}``, or one without text: no code of
    the program loads it. Linear in the sinks.
    """
    records = facts.resolution.stored.record_classes
    known: dict[tuple[int, int], int] = {}  # (class, name) -> mask

    def is_clean(sink: SinkRole) -> bool:
        owners, key = written_of(facts, sink.value, sink.keys) if sink.template.path else ([], NONE)
        for owner in owners:
            if (owner, key) not in known:
                mask = column_mask(facts, owner, key) | sanitized_mask(facts, owner, key)
                known[owner, key] = mask if owner in records else 0
        return bool(owners) and all([known[owner, key] >> sink.vulnerability & 1 for owner in owners])

    if records:
        facts.labels.sinks[:] = [sink for sink in facts.labels.sinks if not is_clean(sink)]


def written_of(facts: Facts, value: int, keys: Sequence[int]) -> tuple[list[int], int]:
    """The classes of the record in ``value`` of which a template writes a column, by the keys that it reads, and the
    column; no classes where it reads something else.
    """
    cells = facts.resolution.cells
    states: Sequence[int] = facts.resolution.states_of(value)
    for at, key in enumerate(keys):
        owners = [state >> KIND_BITS for state in states if state & KIND == INSTANCE_OF]
        if owners and at == len(keys) - 1:
            return owners, key
        if owners:  # a column that refers to a record of another table, ``{{ event.place.width }}``
            referred = [value for owner in owners[:MAX_DEFINITIONS] for value in declared_values(facts, owner, key)]
            states = list(dict.fromkeys([state for each in referred for state in facts.resolution.states_of(each)]))
            if not any([state & KIND == INSTANCE_OF for state in states]):
                return [], key
            continue
        nodes = dict.fromkeys(
            [
                cells[state, each]
                for state in states[:MAX_DEFINITIONS]
                for each in ((key, UNKNOWN_KEY) if key >= 0 else facts.resolution.cells_of.get(state, ()))
                if (state, each) in cells
            ]
        )
        states = list(dict.fromkeys([state for node in nodes for state in facts.resolution.states[node]]))
    return [], NONE


def clean_columns(facts: Facts, mask_of: Callable[[Facts, int, int], int]) -> None:
    """Mark loads from instances of classes whose records a table keeps clean for ``mask_of`` the class and the name.
    Linear in the loads.
    """
    records = facts.resolution.stored.record_classes
    if not records:
        return
    classes = {each for owner in records for each in facts.resolution.lineage(owner)}
    members = facts.resolution.class_members
    names = {name for owner in classes for name in members.get(owner, ())}
    known: dict[tuple[int, int], int] = {}  # (class, name) -> mask
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], names)).tolist():
        states = facts.resolution.states_of(int(loads["object"][row]))
        owners = [state >> KIND_BITS for state in states if state & KIND in (INSTANCE_OF, CLASS)]
        key = int(loads["key"][row])
        mask = facts.wanted.all if owners else 0
        for owner in owners:
            if (owner, key) not in known:
                known[owner, key] = mask_of(facts, owner, key) if owner in classes else 0
            mask &= known[owner, key]
        if mask:
            facts.mark_clean(int(loads["result"][row]), mask)
        elif owners and all(owner in classes and is_relation(facts, owner, key) for owner in owners):
            facts.labels.relations.add(int(loads["result"][row]))


def declared_columns(facts: Facts) -> None:
    """The same for columns that a call declares, ``sequelize.define("hook", { port: DataTypes.INTEGER })``.

    A table keeps nothing under a key that is no column. An object that is read there is a record of another table:
    ``hook.owner.name`` is no part of what was stored in hooks.
    """
    declared = facts.resolution.stored.columns
    if not declared:
        return
    added = {language: added_columns(apis) for language, apis in facts.apis.items()}
    columns = {state: columns_of(facts, said, added) for state, said in declared.items()}
    clean = {state: {key for key, is_clean in known.items() if is_clean} for state, known in columns.items()}
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], {key for keys in clean.values() for key in keys})).tolist():
        records = records_in(facts, int(loads["object"][row]))
        if records and all(int(loads["key"][row]) in clean.get(state, ()) for state in records):
            facts.mark_clean(int(loads["result"][row]), facts.wanted.all)
    put = added_keys(facts, columns)
    for row in np.flatnonzero(loads["key"] >= 0).tolist():
        outer = facts.rep[int(loads["object"][row])]
        key = facts.load_key[facts.data[outer]] if facts.op[outer] == LOAD_OP else NONE
        records = records_in(facts, facts.load_object[facts.data[outer]]) if key >= 0 else []
        if records and all(
            columns.get(state) and key not in columns[state] and (state, key) not in put for state in records
        ):
            facts.mark_clean(int(loads["result"][row]), facts.wanted.all)


def answered_columns(facts: Facts) -> None:
    """Note which columns of tables hold no text, where a script of a page may read them in an answer: what it gets is
    no record. Linear in the columns.
    """
    stored = facts.resolution.stored
    added = {language: added_columns(apis) for language, apis in facts.apis.items()} if stored.answers else {}
    for cell, state in stored.records.items() if stored.answers else ():
        if state & KIND == INSTANCE_OF:
            owner = state >> KIND_BITS
            members = [facts.resolution.class_members.get(each, {}) for each in facts.resolution.lineage(owner)]
            keys = dict.fromkeys([key for each in members for key in each])
            facts.labels.keys.columns[cell] = {key: bool(column_mask(facts, owner, key)) for key in keys}
        else:
            facts.labels.keys.columns[cell] = columns_of(facts, stored.columns.get(state, []), added)


def records_in(facts: Facts, value: int) -> list[int]:
    """The states of a value that may be records of a table."""
    return [state for state in facts.resolution.states_of(value) if state & KIND in (INSTANCE_OF, OBJECT)]


def added_keys(facts: Facts, columns: Collection[int]) -> set[tuple[int, int]]:
    """Records and keys under which the program itself stores something in them: (state, key)."""
    stores = facts.tables["stores"]
    return {
        (state, int(stores["key"][row]))
        for row in np.flatnonzero(stores["key"] >= 0).tolist()
        for state in facts.resolution.states_of(int(stores["object"][row]))
        if state in columns and not is_stored_back(facts, row)
    }


def columns_of(
    facts: Facts, declared: list[tuple[int, int]], added: dict[str, dict[int, list[str]]]
) -> dict[int, bool]:
    """Key of a column -> whether it holds no text, by all that declares the columns; empty if they are not known.

    ``added``: the columns that libraries add, by language and API (``added_columns``).
    """
    stores = facts.tables["stores"]
    found: dict[int, bool] = {}
    for value, under in declared:
        given = [value]
        makers, is_whole = some_made(facts, value)
        if not is_whole:
            return {}
        for made in makers:  # "new Schema({...})"
            if facts.op[facts.rep[made]] == CALL_OP:
                given += [facts.arg_value[row] for row in facts.args.at(facts.data[facts.rep[made]], FIRST)]
        tables = {table for each in given for table in literals(facts, each)}
        if len(tables) != 1:
            return {}
        clean: dict[int, bool] = {}
        for row in facts.flows.stores_into(tables.pop()):
            types = [int(stores["value"][row])]
            options = literals(facts, types[0]) if under != NONE else []
            if len(options) == 1:
                rows = [each for each in facts.flows.stores_into(options[0]) if int(stores["key"][each]) == under]
                types += [int(stores["value"][each]) for each in rows[-1:]]
            clean[int(stores["key"][row])] = any([is_clean_type(facts, each) for each in types])
        if min(clean, default=NONE) < 0:  # a key that is not constant, or another table that is spread
            return {}
        for made in makers:
            for node in facts.resolution.api_nodes(made):
                names = added[facts.language(made)].get(node, ())
                keys = [facts.program.string_ids[name] for name in names if name in facts.program.string_ids]
                clean = dict.fromkeys(keys, True) | clean
        found.update({key: found.get(key, True) and is_clean for key, is_clean in clean.items()})
    return found


def added_columns(apis: Apis) -> dict[int, list[str]]:
    """The columns without text that a library adds to those of a schema, by the API of the schema: its members of a
    clean type.
    """
    found: dict[int, list[str]] = {}
    for (node, name), child in apis.children.items():
        if apis.paths[node][-1:] == (INSTANCE,) and child in apis.roles and apis.roles[child].clean_type:
            found.setdefault(node, []).append(name)
    return found


def is_clean_type(facts: Facts, value: int) -> bool:
    """Whether a value is a type that holds no text, or an instance of one."""
    apis = facts.apis[facts.language(value)]
    for node in facts.resolution.api_nodes(value):
        path = apis.paths[node]
        roles = apis.roles.get(apis.node(path[:-1]) if path[-1] == INSTANCE else node)
        if roles is not None and roles.clean_type:
            return True
    return False


def column_mask(facts: Facts, owner: int, key: int) -> int:
    """For what a column is clean by the nearest class that declares it."""
    values = declared_values(facts, owner, key)
    is_clean = all([names_clean_type(facts, value) or clean_by_type(facts, value) for value in values])
    return facts.wanted.all if values and is_clean else 0


def sanitized_mask(facts: Facts, owner: int, key: int) -> int:
    """For what the calls make a column clean that declare it in the nearest class that does. Some libraries sanitize
    only what a form keeps: nothing is clean where the program fills the column itself.
    """
    values = declared_values(facts, owner, key)
    is_call = any([facts.op[facts.rep[value]] == CALL_OP for value in values])
    mask = facts.wanted.all if is_call and not is_filled(facts, owner, key) else 0
    for value in values:
        made = facts.rep[value]
        mask &= facts.labels.clean.get(facts.call_result[facts.data[made]], 0) if facts.op[made] == CALL_OP else 0
    return mask


def is_filled(facts: Facts, owner: int, key: int) -> bool:
    """Whether the program fills a column without a form, with something else than a constant: ``event.text = text``,
    ``Event.objects.create(text=text)``, ``create(**values)``. Linear in the stores of this name, and of names that are
    not known, and in what tables keep.
    """
    stores, stored = facts.tables["stores"], facts.resolution.stored
    record = owner << KIND_BITS | INSTANCE_OF
    for row in np.flatnonzero((stores["key"] == key) | (stores["key"] < 0)).tolist():
        value = int(stores["value"][row])
        if (
            record in facts.resolution.states_of(int(stores["object"][row]))
            and (value == NONE or facts.op[facts.rep[value]] != CONST_OP)
            and not is_stored_back(facts, row)
        ):
            return True
    cells = {cell for cell, state in stored.records.items() if state == record}
    by_forms = {each[0] for each in stored.declared_cells} | {each[0] for each in stored.checked_cells}
    for move in facts.resolution.flows.moves if cells else ():
        if move.target not in cells or move.take or move.origin in by_forms:
            continue
        # of a record, "super().save()" included, the stores were asked
        is_self = facts.op[facts.rep[move.origin]] == Op.SUPER
        is_record = not move.put and (is_self or record in facts.resolution.states_of(move.origin))
        is_other = bool(move.put) and move.put[0] != key
        if not is_record and not is_other and facts.op[facts.rep[move.origin]] != CONST_OP:
            return True
    return False


def is_relation(facts: Facts, owner: int, key: int) -> bool:
    """Whether a column refers to a record of another table: what is stored there is that record, or its number."""
    values = declared_values(facts, owner, key)
    calls = [facts.data[facts.rep[value]] for value in values if facts.op[facts.rep[value]] == CALL_OP]
    nodes = [node for call in calls for node in facts.calls.apis_of.get(call, ())]
    apis = facts.apis[facts.language(values[0])] if nodes else None
    return apis is not None and any([node in apis.roles and apis.roles[node].is_relation for node in nodes])


def names_clean_type(facts: Facts, value: int) -> bool:
    """Whether a call that is given a clean type, or an instance of one, made a value: ``Column(Integer)``."""
    made = facts.rep[value]
    if facts.op[made] != CALL_OP:
        return False
    return any(is_clean_type(facts, facts.arg_value[row]) for row in facts.args.of(facts.data[made]))
