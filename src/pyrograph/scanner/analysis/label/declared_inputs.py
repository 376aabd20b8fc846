"""Inputs that a table declares beside the function that gets them: ``{ inputs: { id: { regex: p } }, fn(inputs) {} }``.

The framework checks a request against the table and hands on what it declares, and nothing else. The words are those
of JSON Schema and of notations like it. A table that is put together elsewhere, in part or as a whole, says nothing.
"""

from __future__ import annotations

from pyrograph.ir.codes import NO_STRING, Op
from pyrograph.scanner.analysis.label.declared_arguments import divided
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.json_words import literal_of, members_of
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.analysis.label.route_schemas import declared_fields, held_at


def input_parts(facts: Facts, role: SourceRole, function: int, member: str) -> list[SourceRole]:
    """``role``, a parameter of ``function`` that holds inputs by name, divided by what the table ``member`` beside the
    function declares of them. First what may hold anything, if there is something such. Time O(declared inputs).
    """
    made = facts.rep[int(facts.tables["functions"]["value"][function])]
    objects = {facts.rep[int(facts.tables["stores"]["object"][row])] for row in facts.flows.stores_of(made)}
    tables = [literal_of(facts, held_at(facts, each, (member,))) for each in objects if has(facts, each, member)]
    if len(tables) != 1 or facts.op[tables[0]] != Op.NEW or facts.flows.same_as(tables[0]):
        return [role]
    masks = dict.fromkeys((key for key in members_of(facts, tables[0]) if key >= 0), 0)
    masks.update({path[0]: mask for path, mask in declared_fields(facts, tables[0]).items() if len(path) == 1})
    return divided(facts, role, masks)


def has(facts: Facts, table: int, member: str) -> bool:
    """Whether a table is a literal that holds one value under the name ``member``."""
    key = facts.program.string_ids.get(member, NO_STRING)
    return facts.op[table] == Op.NEW and key != NO_STRING and len(members_of(facts, table).get(key, ())) == 1
