"""Schemas with which handlers are registered: what they read from a request was checked before.

``server.route({ handler, options: { validate: { query: Joi.object({ page: Joi.number() }) } } })``. Packs say where
the schema stands and which member of the request it checks (``[type] checks``). It holds for the functions that stand
in the same table, or in the arguments of the same call; where the call makes a function that checks, for those behind
it; where it makes an object that handlers are given to later, ``procedure.input(schema).query(handler)``, for these.
Schemas are values of a library (``schemas``) or literals in the words of JSON Schema. A text in place of the schema
names a field, which the calls of the chain behind check: ``query("page").isInt()``; where the pack says what asks for
their findings (``enforces``), only in programs that name it. Where a schema stands that nobody understands, ``{ schema:
schemas[path] }``, the member that it checks may hold no objects (``behind_schemas``). So it is behind a function of the
program that is given a schema and makes a handler (``schema_wrappers``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_ROUTE_DEPTH, MAX_SCHEMA_CALLS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS
from pyrograph.rules.entries import Port
from pyrograph.rules.json_schema import PROPERTIES, TYPES
from pyrograph.scanner.analysis.api_roles import RouteCheck
from pyrograph.scanner.analysis.label.decorated_fields import is_enforced
from pyrograph.scanner.analysis.label.definitions import one_maker
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.handed_on import HandedOn, Place
from pyrograph.scanner.analysis.label.handler_checks import HandlerChecks, place_of
from pyrograph.scanner.analysis.label.json_words import json_mask, literal_of, members_of, said_type
from pyrograph.scanner.analysis.label.named_lists import named_in_routes
from pyrograph.scanner.analysis.label.passed_elements import Fields
from pyrograph.scanner.analysis.label.passed_requests import pass_on
from pyrograph.scanner.analysis.label.schema_wrappers import Wrappers
from pyrograph.scanner.analysis.label.schemas import clean_fields, cleaned
from pyrograph.scanner.analysis.label.tables import literals
from pyrograph.scanner.analysis.label.text_origins import texts_kept
from pyrograph.scanner.analysis.label.versions import first_version
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


@dataclass(slots=True)
class RouteChecks:
    """What the schemas of a program's routes say of the members of their handlers' parameters."""

    handed: HandedOn
    checked: dict[Place, Fields] = field(default_factory=dict)  # for what the fields of a member are clean
    chained: set[Place] = field(default_factory=set)  # the members that a chain of calls checks
    doubted: set[Place] = field(default_factory=set)  # those whose schema is not understood
    enforced: dict[str, bool] = field(default_factory=dict)  # by pack: whether something asks what its chains found


def route_schemas(facts: Facts) -> HandedOn:
    """Mark the reads of fields that the schemas of all routes of their handler declare to hold no text. The result has
    what they declare of the whole.
    """
    known = RouteChecks(HandedOn(facts))
    wrappers = Wrappers(facts)
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        if roles is not None and roles.schemas.checks:
            read_checks(facts, known, call, roles.schemas.checks)
    add_checked_before(facts, known, wrappers.registrations())
    checked = {place: fields for place, fields in known.checked.items() if fields}
    if checked:
        pass_on(facts, checked, known.handed)
    known.doubted.update(behind_wrappers(facts, wrappers))
    mark_doubted(facts, known.doubted, {key for keys in wrappers.members.values() for key in keys.values()})
    if checked:
        mark_members(facts, checked)
        mark_fields(facts, checked)
    return known.handed


def read_checks(facts: Facts, known: RouteChecks, call: int, checks: Sequence[RouteCheck]) -> None:
    """Add what the schemas in the arguments of one call declare."""
    declared: dict[Place, Fields] = {}  # (table, member) -> fields; none where it has no schema
    for port, member, pack, only in checks:
        key = facts.program.string_ids.get(member, NO_STRING)
        is_only = bool(only) and not any([is_set(facts, option) for option in only[1:]])
        for table, path in tables_at(facts, call, port) if key != NO_STRING else ():
            if text := named_field(facts, table, path):
                if pack not in known.enforced:
                    known.enforced[pack] = is_enforced(facts, pack)
                if known.enforced[pack]:
                    add_chain(facts, known, call, key, text)
                continue
            schema = held_at(facts, table, path)
            fields = declared_fields(facts, schema) if schema != NONE else {}
            declared.setdefault((table, key), {}).update(fields)
            known.handed.declare(table, key, schema, fields, only=is_only)
            if path and is_elsewhere(facts, table, path):
                known.doubted.update((parameter, key) for parameter in handled(facts, call, table))
    for (table, key), fields in declared.items():
        for parameter in handled(facts, call, table):
            known.handed.add(parameter, table, key)
            place = parameter, key
            before = known.checked.get(place)
            if before is None:
                known.checked[place] = dict(fields)
            elif place in known.chained:  # both stand before the handler in one route
                known.checked[place] = before | fields
            else:  # what all routes of the handler declare
                known.checked[place] = {each: before[each] & fields[each] for each in before.keys() & fields}


def is_set(facts: Facts, option: str) -> bool:
    """Whether the program sets an option anywhere: ``options.allowUnknown`` is a key of what stands under a key."""
    stores, holders = facts.tables["stores"], None
    for name in option.split("."):
        rows = np.flatnonzero(stores["key"] == facts.program.string_ids.get(name, NO_STRING))
        if holders is not None:
            rows = rows[among(facts.resolution.representative[stores["object"][rows]], holders)]
        values = stores["value"][rows]
        holders = set(facts.resolution.representative[values[values >= 0]].tolist())
        if not len(rows):
            return False
    return True


def add_chain(facts: Facts, known: RouteChecks, call: int, key: int, text: str) -> None:
    """Add what a chain of calls, which begins at ``call``, proves of the field ``text`` of the member ``key``."""
    for behind, fields in checked_by_chain(facts, call, text):
        for parameter in behind:
            if is_given_once(facts, parameter):
                known.checked[parameter, key] = known.checked.get((parameter, key), {}) | fields
                known.chained.add((parameter, key))
                known.handed.add_open((parameter, key), fields)


def add_checked_before(facts: Facts, known: RouteChecks, registrations: Sequence[int]) -> None:
    """Add what the program's own handlers let through, and may store in the request (``handler_checks``)."""
    checks = HandlerChecks(facts)
    for call in registrations if checks.checked else ():
        for place, each in checks.behind(call):
            declared = declared_fields(facts, each.schema, is_given=each.is_given)
            fields = {path[len(each.within) :]: mask for path, mask in declared.items() if is_below(path, each.within)}
            behind = parameters_of_handlers(facts, call, NONE, place + 1) if fields else ()
            for parameter in behind:
                if place_of(facts, parameter) != each.parameter or not is_given_once(facts, parameter):
                    continue
                where = parameter, each.key
                below = {(*each.path, *path): mask for path, mask in fields.items()}
                known.checked[where] = known.checked.get(where, {}) | below
                if each.path:
                    continue
                if each.is_given or each.within:
                    known.handed.add_open(where, fields)
                else:
                    known.handed.declare(each.schema, each.key, each.schema, fields)
                    known.handed.add(parameter, each.schema, each.key)


def is_below(path: tuple[int, ...], within: tuple[int, ...]) -> bool:
    return path[: len(within)] == within


def mark_doubted(facts: Facts, doubted: set[Place], members: set[int]) -> None:
    """Mark the reads of members that a schema checks which is not understood.

    ``members``: the keys of the members that wrappers check. What is below a member of an object that a handler gets
    counts, ``context.request.body``, and a field of another member does not, ``request.body.query``.
    """
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], {key for _, key in doubted})).tolist() if doubted else ():
        held = first_version(facts, facts.load_object[row])
        if facts.op[held] == Op.LOAD and facts.load_key[facts.data[held]] not in members:
            held = first_version(facts, facts.load_object[facts.data[held]])
        if (facts.rep[held], facts.load_key[row]) in doubted:
            facts.labels.checks.behind_schemas.add(int(loads["result"][row]))


def mark_members(facts: Facts, checked: dict[Place, Fields]) -> None:
    """Mark the reads of members that are clean as a whole."""
    loads = facts.tables["loads"]
    whole = {key for (_, key), fields in checked.items() if () in fields}
    for row in np.flatnonzero(among(loads["key"], whole)).tolist() if whole else ():
        place = facts.rep[first_version(facts, facts.load_object[row])], facts.load_key[row]
        if mask := checked.get(place, {}).get((), 0):
            facts.mark_clean(int(loads["result"][row]), mask)


def mark_fields(facts: Facts, checked: dict[Place, Fields]) -> None:
    """Mark the reads of fields below members: a read is clean for what a schema says of any path that ends there."""
    loads = facts.tables["loads"]
    names = {path[-1] for fields in checked.values() for path in fields if path}
    longest = max(len(path) for fields in checked.values() for path in fields)
    for row in np.flatnonzero(among(loads["key"], names)).tolist():
        keys: tuple[int, ...] = (facts.load_key[row],)
        held = first_version(facts, facts.load_object[row])
        while facts.op[held] == Op.LOAD and len(keys) <= longest:
            request = first_version(facts, facts.load_object[facts.data[held]])
            fields = checked.get((facts.rep[request], facts.load_key[facts.data[held]]), {})
            if mask := fields.get(keys, 0):
                facts.mark_clean(int(loads["result"][row]), mask)
            keys = (facts.load_key[facts.data[held]], *keys)
            held = request


def behind_wrappers(facts: Facts, wrappers: Wrappers) -> set[Place]:
    """The parameters of handlers behind one that is made with a schema (``schema_wrappers``), with the checked members.

    Time O(arguments of the calls that register handlers).
    """
    found: set[Place] = set()
    for call in wrappers.registrations():
        for position, members in wrappers.checked_before(call):
            for parameter in parameters_of_handlers(facts, call, NONE, position + 1):
                if is_given_once(facts, parameter):
                    found.update((parameter, member) for member in members)
    return found


def is_given_once(facts: Facts, parameter: int) -> bool:
    """Whether the function of a parameter is given to one call only, so that what this call says of it holds."""
    made = int(facts.tables["functions"]["value"][int(facts.function_of[parameter])])
    return made != NONE and len(dict.fromkeys(facts.calls.calls_with(facts.rep[made]))) <= 1


def handled(facts: Facts, call: int, table: int) -> list[int]:
    """The representatives of the parameters of the functions for which a schema in ``table`` holds."""
    given = {facts.rep[facts.arg_value[row]] for row in facts.args.of(call)}
    found = parameters_of_handlers(facts, call, NONE if table in given else table)
    if not found and table not in given:  # server.get(path, options, handler)
        found = parameters_of_handlers(facts, call, NONE)
    return found or parameters_behind(facts, facts.call_result[call]) or parameters_in_chain(facts, call)


def named_field(facts: Facts, value: int, path: tuple[str, ...]) -> str:
    """The constant text that stands in place of a schema; "" if there is none."""
    constant = facts.constant(value) if not path and facts.op[value] == Op.CONST else None
    return constant[1:] if constant and constant[0] == "'" else ""


def checked_by_chain(facts: Facts, call: int, text: str) -> list[tuple[list[int], Fields]]:
    """The parameters of the handlers behind each chain of calls that begins at ``call``, and for what it makes the
    field with this name clean.
    """
    path = tuple(facts.program.string_ids.get(name, NO_STRING) for name in text.split("."))
    if NO_STRING in path:
        return []
    found: list[tuple[list[int], Fields]] = []
    for each in chain_from(facts, call):
        if mask := cleaned(facts, facts.call_result[each]):
            found.append((parameters_behind(facts, facts.call_result[each]), {path: mask}))
    return found


def chain_from(facts: Facts, call: int) -> list[int]:
    """A call, and those of methods of what it returned, of what these returned, and so on."""
    found = {call: None}
    level = [call]
    for _ in range(MAX_SCHEMA_CALLS):
        after = [each for made in level for each in facts.calls.methods_on(facts.rep[facts.call_result[made]])]
        level = [each for each in dict.fromkeys(after) if each not in found]
        found.update(dict.fromkeys(level))
    return list(found)


def parameters_in_chain(facts: Facts, call: int) -> list[int]:
    """The representatives of the parameters of the functions that later calls of a chain are given."""
    calls = chain_from(facts, call)[1:]
    return [parameter for each in calls for parameter in parameters_of_handlers(facts, each, NONE)]


def tables_at(facts: Facts, call: int, port: Port) -> list[tuple[int, tuple[str, ...]]]:
    """The values that a schema may stand in, each with the path to it: the argument, or each of its elements."""
    given = [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, Port(port.kind, port.position, port.names))]
    if not port.path:
        return [(each, port.path) for each in given]
    is_list = port.path[0] == ""
    if is_list:  # the members of a table are not its elements
        given = [each for each in given if all(facts.shape(literal) != "dict" for literal in literals(facts, each))]
    found = dict.fromkeys(literal for each in given for literal in literals(facts, each, elements=is_list))
    return [(each, port.path[is_list:]) for each in found if facts.shape(each) != "list"]


def held_at(facts: Facts, table: int, path: tuple[str, ...]) -> int:
    """What literals hold under this path, if each names its key once; or NONE."""
    for name in path:
        found = members_of(facts, table).get(facts.program.string_ids.get(name, NO_STRING), [])
        if len(found) != 1:
            return NONE
        table = found[0]
    return table


def is_elsewhere(facts: Facts, table: int, path: tuple[str, ...]) -> bool:
    """Whether something stands on the way along this path that is no literal, so that what it holds is not known."""
    for name in path[:-1]:
        found = members_of(facts, table).get(facts.program.string_ids.get(name, NO_STRING), [])
        if len(found) != 1:
            return False
        table = literal_of(facts, found[0])
        if facts.op[table] != Op.NEW:
            return facts.op[table] != Op.CONST
    return False


def parameters_behind(facts: Facts, result: int) -> list[int]:
    """The same of the functions that follow ``result``, or a list that holds it, among the arguments of a call, which
    runs them in this order: ``router.post("/", checked(schema), handler)``.
    """
    made = facts.rep[result]
    stores = facts.tables["stores"]
    objects = [facts.rep[int(stores["object"][row])] for row in facts.flows.stores_of(made)]
    found: list[int] = []
    for each in dict.fromkeys([made, *(each for each in objects if facts.shape(each) == "list")]):
        outer: dict[tuple[int, int], None] = {}  # (call, first position of it among the arguments)
        for call in dict.fromkeys(facts.calls.calls_with(each)):
            rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
            places = [facts.arg_position[row] for row in rows if facts.rep[facts.arg_value[row]] == each]
            if places and min(places) >= 0:
                outer[call, min(places)] = None
        for call, place in (*outer, *named_in_routes(facts, each)):
            found += parameters_of_handlers(facts, call, NONE, place + 1)
    return list(dict.fromkeys(found))


def parameters_of_handlers(facts: Facts, call: int, table: int, first: int = 0) -> list[int]:
    """The representatives of the parameters of the functions in a table, or in all that a call is given from its
    argument ``first`` on.
    """
    work = [(table, 0)]
    if table == NONE:
        rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
        work = [(facts.arg_value[row], 0) for row in rows if facts.arg_position[row] >= first]
    functions: set[int] = set()
    seen: set[tuple[int, int]] = set()  # tables share parts
    while work:  # no deeper than ``MAX_ROUTE_DEPTH``
        value, depth = work.pop()
        functions.update(subjects(facts.resolution.states_of(value), FUNCTION))
        rep = facts.rep[value]
        if depth < MAX_ROUTE_DEPTH and facts.op[rep] == Op.NEW and (rep, depth) not in seen:
            seen.add((rep, depth))
            work += [(each, depth + 1) for held in members_of(facts, value).values() for each in held]
    parameters = facts.tables["parameters"]
    return [
        facts.rep[int(parameters["value"][row])]
        for function in sorted(functions)
        for row in facts.functions.parameters_of(function)
    ]


def declared_fields(facts: Facts, schema: int, depth: int = 0, *, is_given: bool = False) -> Fields:
    """For what the fields of a schema are clean: one of a library, a table of such, or one in JSON Schema.

    ``is_given``: of what the schema is given, not of what it makes of that. Each schema is asked once at each depth, as
    many others may hold it.
    """
    known = facts.conditions.schemas.declared
    asked = schema, depth, is_given
    if asked not in known:
        known[asked] = _declared_fields(facts, schema, depth, is_given=is_given)
    return known[asked]


def _declared_fields(facts: Facts, schema: int, depth: int, *, is_given: bool) -> Fields:
    literal = literal_of(facts, schema)
    if facts.op[literal] != Op.NEW:
        mask = cleaned(facts, schema, is_given=is_given) if not depth else 0
        return clean_fields(facts, schema, is_given=is_given) or ({(): mask} if mask else {})
    members = members_of(facts, literal)
    if not depth and said_type(facts, members) in TYPES and (mask := json_mask(facts, literal, is_given=is_given)):
        return {(): mask}
    properties = members.get(facts.program.string_ids.get(PROPERTIES, NO_STRING), [])
    if len(properties) == 1 and facts.op[literal_of(facts, properties[0])] == Op.NEW:
        members = members_of(facts, properties[0])
    found: Fields = {}
    for at, values in members.items():
        key = at if at >= 0 else named_key(facts, at)
        if len(values) == 1 and key >= 0:
            each = literal_of(facts, values[0])
            if mask := cleaned(facts, each, is_given=is_given):
                found[key,] = mask
            elif depth < MAX_SCHEMA_DEPTH and len(found) <= MAX_SCHEMA_FIELDS:
                inner = declared_fields(facts, values[0], depth + 1, is_given=is_given)
                found.update({(key, *path): mask for path, mask in inner.items()})
    return found


def named_key(facts: Facts, key: int) -> int:
    """The name that a computed key of a schema hands on, ``{Required("name"): str}``; or NONE."""
    call = one_maker(facts, key_value(key)) if key <= FIRST_VALUE_KEY else NONE
    texts = texts_kept(facts, facts.call_result[call]) if call != NONE else []
    name = facts.constant(texts[0]) if len(texts) == 1 else None
    return facts.program.string_ids.get(name[1:], NONE) if name is not None and name[:1] == "'" else NONE
