"""Names that the server gives to the files that clients send: ``request.payload.file.path``.

Some frameworks store such files where the route asks for it (``payload: { output: "file" }``). Packs say which option
does that, in which member of the request the files are then described, and under which key the name stands
(``[type] uploads``), and which other option may hold in its place. All routes of a handler have to ask for it, and all
that call it; where one does not, the client may send an object with that key. The key of the member itself is a field
that the client names, and no file.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_UPLOAD_PLACES
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.route_schemas import handled, held_at, is_elsewhere, tables_at
from pyrograph.scanner.analysis.label.versions import first_version

Place = tuple[int, int, int]  # the representative of a handler's parameter, the member, the key of the name


def stored_uploads(facts: Facts) -> None:
    """Mark the reads of such names as clean. Time O(calls of modelled APIs + loads), without such routes O(calls)."""
    places = stored_places(facts)
    keys = {key for (_, _, key), is_so in places.items() if is_so}
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


def stored_places(facts: Facts) -> dict[Place, bool]:
    """By parameter of a handler, member and key: whether all routes of the handler store what clients send."""
    found: dict[Place, bool] = {}
    ids = facts.program.string_ids
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        stated: dict[Place, bool] = {}  # with a table in place of the parameter: each may have several such options
        for port, value, member, name, instead in roles.uploads if roles is not None else ():
            keys = ids.get(member, NO_STRING), ids.get(name, NO_STRING)
            for table, path in tables_at(facts, call, port) if NO_STRING not in keys else ():
                held = held_at(facts, table, path)
                is_so = held != NONE and facts.constant(held) == f"'{value}"
                is_so = is_so and not is_overridden(facts, table, (*path[:-1], *instead), value)
                stated[table, *keys] = stated.get((table, *keys), False) or is_so
        for (table, member_key, key), is_so in stated.items():
            for parameter in handled(facts, call, table):
                place = parameter, member_key, key
                found[place] = found.get(place, True) and is_so
    return found


def is_overridden(facts: Facts, table: int, path: tuple[str, ...], value: str) -> bool:
    """Whether the option at ``path``, which holds in place of another one, may be anything but ``value``."""
    held = held_at(facts, table, path)
    return is_elsewhere(facts, table, path) or (held != NONE and facts.constant(held) != f"'{value}")


def is_stored(facts: Facts, places: dict[Place, bool], place: Place) -> bool:
    """Whether a value is a handler's parameter at one of ``places``, and what all calls of the function pass is; or
    the latter alone, if no route has the function. What tests pass is from nobody. Time O(the calls of
    MAX_UPLOAD_PLACES functions).
    """
    work = [place]
    for value, member, key in work:  # grows by what calls pass, to the bound
        is_own = places.get((value, member, key))
        given = facts.calls.arguments_for(value) if facts.op[value] == Op.PARAMETER else []
        given = [each for each in given if not is_in_test(facts, each)]
        if is_own is False or not (is_own or given) or len(work) > MAX_UPLOAD_PLACES:
            return False
        passed = [(facts.rep[first_version(facts, each)], member, key) for each in given]
        work += [each for each in dict.fromkeys(passed) if each not in work]
    return True


def is_in_test(facts: Facts, value: int) -> bool:
    """Whether a test computes ``value``."""
    return TEST_PATHS.search(facts.program.files[facts.places.file_of[value]].path) is not None
