"""Names that the server gives to the files that clients send: ``request.payload.file.path``.

Some frameworks store such files where the route asks for it (``payload: { output: "file" }``). Packs say which option
does that, in which member of the request the files are then described, and under which key the name stands
(``[type] uploads``). All routes of a handler have to ask for it; where one does not, the client may send an object with
that key. The key of the member itself is a field that the client names, and no file.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_ROUTE_DEPTH
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.route_schemas import first_version, handled, held_at, tables_at

Place = tuple[int, int, int]  # the representative of a handler's parameter, the member, the key of the name


def stored_uploads(facts: Facts) -> None:
    """Mark the reads of such names as clean. Time O(calls of modelled APIs + loads), without such routes O(calls)."""
    places = stored_places(facts)
    keys = {key for _, _, key in places}
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], keys)).tolist() if keys else ():
        key, held = facts.load_key[row], first_version(facts, facts.load_object[row])
        is_part = False  # of the member
        # ends: goes back to what was read from, which is made before what is read
        while facts.op[held] == Op.LOAD:
            member, whole = facts.load_key[facts.data[held]], first_version(facts, facts.load_object[facts.data[held]])
            if is_part and is_stored(facts, places, (facts.rep[whole], member, key)):
                facts.mark_clean(int(loads["result"][row]), facts.wanted.all)
                break
            is_part, held = True, whole


def stored_places(facts: Facts) -> set[Place]:
    """Where all routes of the handler with this parameter store what clients send."""
    found: dict[Place, bool] = {}
    ids = facts.program.string_ids
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        stated: dict[Place, bool] = {}  # with a table in place of the parameter: each may have several such options
        for port, value, member, name in roles.uploads if roles is not None else ():
            keys = ids.get(member, NO_STRING), ids.get(name, NO_STRING)
            for table, path in tables_at(facts, call, port) if NO_STRING not in keys else ():
                held = held_at(facts, table, path)
                is_so = held != NONE and facts.constant(held) == f"'{value}"
                stated[table, *keys] = stated.get((table, *keys), False) or is_so
        for (table, member_key, key), is_so in stated.items():
            for parameter in handled(facts, call, table):
                place = parameter, member_key, key
                found[place] = found.get(place, True) and is_so
    return {place for place, is_so in found.items() if is_so}


def is_stored(facts: Facts, places: set[Place], place: Place, depth: int = 0) -> bool:
    """Whether a value is a handler's parameter at one of ``places``, or what all calls of a function pass of these."""
    if place in places:
        return True
    value, member, key = place
    given = facts.calls.arguments_for(value) if depth < MAX_ROUTE_DEPTH and facts.op[value] == Op.PARAMETER else []
    return bool(given) and all(
        is_stored(facts, places, (facts.rep[first_version(facts, each)], member, key), depth + 1) for each in given
    )
