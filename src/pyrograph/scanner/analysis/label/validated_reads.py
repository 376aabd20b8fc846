"""Parts of a request that a handler reads by a call, after a check before it: ``app.post("/", validator("json",
schema), (c) => c.req.valid("json"))``.

The text that names the part is the first argument of both calls. What the second returns is what the schema makes of
the part. A handler that stands in two routes, or behind two checks of one part, is left out.

Linear in the calls of libraries, and in the calls of methods of such a name.
"""

from __future__ import annotations

from pyrograph.ir.codes import NO_STRING, NONE
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.route_schemas import is_given_once, parameters_behind
from pyrograph.scanner.analysis.label.versions import first_version
from pyrograph.scanner.analysis.numbers import LOAD_OP

FIRST = Port("position", 0)


def validated_reads(facts: Facts) -> list[tuple[int, int]]:
    """(call that reads a part, schema that it was checked against)."""
    schemas: dict[tuple[int, int, str], list[int]] = {}  # (parameter, method, part) -> schemas
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        for port, method in roles.schemas.validators if roles is not None else ():
            name, part = facts.program.string_ids.get(method, NO_STRING), named_part(facts, call)
            rows = facts.args.at(call, port)
            if not part or name == NO_STRING or len(rows) != 1:
                continue
            for parameter in dict.fromkeys(parameters_behind(facts, facts.call_result[call])):
                if is_given_once(facts, parameter):
                    schemas.setdefault((parameter, name, part), []).append(facts.arg_value[rows[0]])
    methods = {method for _, method, _ in schemas}
    found: list[tuple[int, int]] = []
    for call, called in enumerate(facts.program.numbers("calls", "name")) if methods else ():
        if called in methods and facts.call_receiver[call] != NONE:
            place = root_of(facts, facts.call_receiver[call]), called, named_part(facts, call)
            if len(known := schemas.get(place, [])) == 1:
                found.append((call, known[0]))
    return found


def named_part(facts: Facts, call: int) -> str:
    """The constant text that is the first argument of a call, or an empty one."""
    rows = facts.args.at(call, FIRST)
    text = facts.constant(facts.arg_value[rows[0]]) if rows else None
    return text[1:] if text is not None and text[:1] == "'" else ""


def root_of(facts: Facts, value: int) -> int:
    """The representative of the object of which ``value`` is a member, or a member of a member, and so on."""
    value = first_version(facts, value)
    while facts.op[value] == LOAD_OP:  # ends: what is read from comes before what is read, but for loops
        held = first_version(facts, facts.load_object[facts.data[value]])
        if held >= value:
            break
        value = held
    return facts.rep[value]
