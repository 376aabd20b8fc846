"""Literals in the words of JSON Schema: what they say of the values that they admit.

``{ type: "string", pattern: "^[a-z]+$" }`` as the schema of a field, and the tables that libraries take which write
such schemas, ``Type.String({ enum: SORTS })``. The words stand in ``rules/json_schema.py``.
"""

from __future__ import annotations

from functools import reduce
from operator import and_

from pyrograph.ir.codes import NO_STRING, NONE, Op
from pyrograph.parsers import language_of
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_SCHEMA_CALLS, MAX_SCHEMA_DEPTH
from pyrograph.rules.json_schema import (
    COMPILED,
    EITHER,
    FORMAT,
    ITEMS,
    LIST,
    LISTED,
    NO_FREE_TEXTS,
    NO_TEXTS,
    PATTERN,
    TEXT,
    TYPE,
)
from pyrograph.scanner.analysis.label.admitted import Pattern, matched_mask, pattern_at
from pyrograph.scanner.analysis.label.facts import Facts


def members_of(facts: Facts, table: int) -> dict[int, list[int]]:
    """The representatives of what a literal holds, by key."""
    found: dict[int, list[int]] = {}
    stores = facts.tables["stores"]
    for row in facts.flows.stores_into(literal_of(facts, table)):
        if stores["value"][row] != NONE:
            found.setdefault(int(stores["key"][row]), []).append(facts.rep[int(stores["value"][row])])
    return found


def literal_of(facts: Facts, value: int) -> int:
    """The literal that a name holds, if it holds one only, or a name of another file that does; else ``value``."""
    first = at = facts.rep[value]
    for _ in range(MAX_DEFINITIONS):
        if facts.op[at] == Op.NEW:
            return at
        held = {facts.rep[each] for each in facts.flows.heap_in.get(at, ())} - {at}  # but what a call left of it
        if len(held) != 1:
            break
        at = held.pop()
    return first


def said_type(facts: Facts, members: dict[int, list[int]]) -> str:
    """The type that a literal in JSON Schema with these members states; "" where it states none."""
    stated = members.get(facts.program.string_ids.get(TYPE, NO_STRING), [])
    return (facts.constant(stated[0]) or "").removeprefix("'") if len(stated) == 1 else ""


def json_mask(facts: Facts, schema: int, depth: int = 0, *, is_given: bool, of_text: bool = False) -> int:
    """For what the values are clean that a literal in JSON Schema admits. Its words for texts say nothing of lists and
    objects, which it admits, too, unless the type is that of texts. A list is as clean as its elements, and a value
    that several schemas admit as clean as each of them makes it.

    ``is_given``: by a library, which may not know the formats, and pass over them; a framework knows them. ``of_text``:
    the literal says more of a schema of texts, ``Type.String({ pattern: "^[a-z]+$" })``.
    """
    said: dict[str, int] = {}
    members = members_of(facts, schema)
    for key, values in members.items():
        if key >= 0 and len(values) == 1:
            said[facts.program.strings[key]] = values[0]
    if any(word in said for word in LISTED):
        return facts.wanted.all
    if depth < MAX_SCHEMA_DEPTH:
        for word in EITHER:
            if word in said:
                return any_mask(facts, said[word], depth + 1, is_given=is_given)
        if ITEMS in said and said_type(facts, members) == LIST:
            return literal_mask(facts, said[ITEMS], depth + 1, is_given=is_given)
    if TYPE not in said and not of_text:
        return 0  # formats and patterns are asked of texts alone: a list of any texts passes
    written = {word: (facts.constant(said[word]) or "").removeprefix("'") for word in (TYPE, FORMAT) if word in said}
    is_text = written.get(TYPE) == TEXT or (of_text and TYPE not in said)
    if written.get(TYPE) in NO_TEXTS or (is_text and not is_given and written.get(FORMAT) in NO_FREE_TEXTS):
        return facts.wanted.all
    pattern = facts.constant(said[PATTERN]) if is_text and PATTERN in said else None
    dialect = language_of(facts.language(schema)).pattern_dialect
    compiled = pattern_at(facts, said[COMPILED], NONE) if COMPILED in said else None
    if compiled is not None:
        return matched_mask(facts, compiled, "search")
    text = facts.wanted.of_objects if is_text else 0
    if pattern is None or not dialect:
        return text
    return text | matched_mask(facts, Pattern(pattern.removeprefix("'"), "", dialect, True), "search")


def literal_mask(facts: Facts, schema: int, depth: int, *, is_given: bool) -> int:
    """The same of a literal that may stand elsewhere; 0 where it is none."""
    literal = literal_of(facts, schema)
    is_table = facts.op[literal] == Op.NEW and facts.shape(literal) == "dict"
    return json_mask(facts, literal, depth, is_given=is_given) if is_table else 0


def any_mask(facts: Facts, schemas: int, depth: int, *, is_given: bool) -> int:
    """For what a value is clean that one schema of a list admits; 0 where the list is not known."""
    listed = [value for values in members_of(facts, schemas).values() for value in values]
    if not 0 < len(listed) <= MAX_SCHEMA_CALLS or facts.flows.same_as(literal_of(facts, schemas)):
        return 0
    return reduce(and_, [literal_mask(facts, each, depth, is_given=is_given) for each in listed])
