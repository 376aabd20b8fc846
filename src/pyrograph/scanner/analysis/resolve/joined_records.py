"""Records that a call reads together with others: ``event.find({ include: { feed: true } })`` reads ``feed``, too.

Which table a relation leads to stands in a schema, which is no code of the program. Its name says it: it is that of the
table, or the end of the name of one table alone, ``feed`` of ``calendarFeed``, in the singular or the plural. Of 870
relations in the 14 schemas of Prisma among the programs of earlier rounds, this finds the table of 669 and a wrong one
for 22, mostly the table behind one that joins two others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.rules.entries import Port, Recall
from pyrograph.scanner.analysis.numbers import NEW_OP
from pyrograph.scanner.analysis.resolve.constants import definition
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values
from pyrograph.scanner.analysis.resolve.solver import Solver

WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

Key = tuple[str, ...]
Joined = tuple[int, Recall, tuple[int, ...]]  # the call, what it reads, and the keys under which the other record lies


def joined_tables(solver: Solver, recalled: Mapping[Key, Sequence[tuple[int, Recall]]]) -> dict[Key, list[Joined]]:
    """By table: the calls that read its records in records of another one. Linear in the literals of these calls."""
    found: dict[Key, list[Joined]] = {}
    ends: dict[str, dict[Key, list[Key]]] = {}
    for calls in recalled.values():
        for row, flow in calls:
            for path, is_relation in keys_asked(solver, row, flow) if flow.joins else ():
                if flow.table not in ends:
                    ends[flow.table] = ends_of_names(recalled, flow.table)
                name = solver.strings[path[-1]]
                parts = words(name)
                possible = ends[flow.table].get(parts, [])
                exact = [table for table in possible if words(table[-1]) == parts]
                if len(exact or possible) != 1 or not is_relation:
                    continue
                table = (exact or possible)[0]
                under = (*path, UNKNOWN_KEY) if is_plural(name) else path
                found.setdefault(table, []).append((row, flow, under))
    return found


def keys_asked(solver: Solver, row: int, flow: Recall) -> Iterator[tuple[tuple[int, ...], bool]]:
    """The keys of the objects at the ports ``flow.joins``, and of those in them, one in the other as the records lie;
    and whether one is a relation: all at the first port are, at others those that hold an object.
    """
    inner = list(dict.fromkeys(key_at(solver, row, port.path[-1]) for port in flow.joins if port.path))
    work: list[tuple[int, tuple[int, ...], bool]] = []
    for port in flow.joins:
        for value in port_values(solver, row, Port(port.kind, port.position, port.names)):
            held = [definition(solver, value, MAX_NAMES_BEFORE_CONSTANT)]
            for name in port.path:
                held = [each for node in held for each in held_under(solver, node, key_at(solver, row, name))]
            work += [(node, (), port == flow.joins[0]) for node in held]
    seen: set[int] = set()
    for node, path, is_relation in work:  # grows by literals, each of which is looked at once
        if node == NONE or node in seen or solver.op[node] != NEW_OP:
            continue
        seen.add(node)
        for store in solver.accesses.stores_of.get(node, ()):
            key = solver.accesses.store_key[store]
            if key < 0:
                continue
            value = definition(solver, solver.accesses.store_value[store], MAX_NAMES_BEFORE_CONSTANT)
            is_object = value != NONE and solver.op[value] == NEW_OP
            below = (*path, UNKNOWN_KEY) if path and is_plural(solver.strings[path[-1]]) else path
            yield (*below, key), is_relation or is_object
            for further in inner if is_object else ():
                work += [(each, (*below, key), True) for each in held_under(solver, value, further)]


def held_under(solver: Solver, node: int, key: int) -> list[int]:
    """What a literal holds under a key."""
    stores = solver.accesses.stores_of.get(node, ()) if node != NONE else ()
    return [
        definition(solver, solver.accesses.store_value[store], MAX_NAMES_BEFORE_CONSTANT)
        for store in stores
        if solver.accesses.store_key[store] == key
    ]


def ends_of_names(tables: Mapping[Key, object], topic: str) -> dict[Key, list[Key]]:
    """By words that the name of a table ends in: the tables of this topic."""
    found: dict[Key, list[Key]] = {}
    for table in tables:
        if table[0] == topic and len(table) == 2:
            parts = words(table[-1])
            for start in range(len(parts)):
                found.setdefault(parts[start:], []).append(table)
    return found


def words(name: str) -> Key:
    """The words of a name in lower case, the last one in the singular.

    >>> words("calendarFeeds"), words("categories"), words("ADDRESS")
    (('calendar', 'feed'), ('category',), ('address',))
    """
    found = [word.lower() for word in WORD.findall(name)]
    return (*found[:-1], singular(found[-1])) if found else ()


def singular(word: str) -> str:
    """A word without the ending of the plural.

    >>> singular("feeds"), singular("stories"), singular("address")
    ('feed', 'story', 'address')
    """
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def is_plural(name: str) -> bool:
    """Whether a name is that of several: ``feeds``."""
    found = WORD.findall(name)
    return bool(found) and singular(found[-1].lower()) != found[-1].lower()
