"""Schemas: objects that were checked against a table of declared fields, and their fields that hold no text.

``z.object({ page: z.number(), name: z.string() }).parse(query).page`` is a number. A propagator of a pack says which
argument of a call is the schema (``0 => ret as this``); the types of the fields are API types of the schema's library,
which are clean or not like other types.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import reduce
from operator import and_, or_

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, ArgumentFlag, CallFlag, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_SCHEMA_CALLS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.label.class_fields import declares_clean
from pyrograph.scanner.analysis.label.clean_types import clean_classes
from pyrograph.scanner.analysis.label.declared import declaring_calls, named_mask, own_mask
from pyrograph.scanner.analysis.label.definitions import definitions, made_where, one_maker, some_made
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.json_words import json_mask, literal_of, members_of
from pyrograph.scanner.analysis.label.literals import element
from pyrograph.scanner.analysis.label.passed_elements import ElementsPassed, Fields, fields_under
from pyrograph.scanner.analysis.label.tables import literals
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF

READ = Flow(Port("this"), Port("ret"), same=True)  # of a call that returns what was checked before


def schema_fields(facts: Facts, read: Sequence[tuple[int, int]] = ()) -> None:
    """Mark the reads of fields that a schema declares to hold no text: of the results of the calls that check it. Where
    the schema is that of a text, ``z.string().regex(p).safeParse(x).data``, mark what it lets through.

    ``read``: calls that return what a schema made of a part of the request, with the schema.
    """
    holders: dict[int, Fields] = {}  # by representative of a checked object
    below: dict[tuple[int, ...], dict[int, Fields]] = {}  # the same, of objects that hold it under these keys
    texts: dict[tuple[int, ...], dict[int, int]] = {}  # by path: result -> for what a schema makes a text there clean
    elements: dict[int, Fields] = {}  # by representative of a list: what its elements are checked against
    opened: list[tuple[int, tuple[int, ...], set[int]]] = []  # results of checks against schemas known in part
    checks = checking_calls(facts)
    checking = dict(reversed(checks))
    given = [(call, flow, stated_schema(facts, call, flow)) for call, flow in checks]
    for call, flow, value in [*given, *((call, READ, schema) for call, schema in read)]:
        value, below_result = schema_asked(facts, value, checking) if value != NONE else (NONE, ())
        fields = clean_fields(facts, value) or fields_of_class(facts, value) if value != NONE else {}
        if value != NONE and not fields:
            fields = fields_by_methods(facts, value)
        only = flow.only and is_asked(facts, call, flow)
        declared = closed_fields(facts, value, only=only) if value != NONE else None
        if declared is not None:
            facts.conditions.closed[call, flow] = declared
        if flow.target.kind != "ret":
            continue
        result = facts.rep[facts.call_result[call]]
        path = (*facts.keys(call, flow.target.path), *below_result)
        if path == (UNKNOWN_KEY,):  # the values of a table whose keys the schema declares: "this -> ret[] as this"
            path = ()
        if value != NONE and (named := named_beside_others(facts, value)) is not None:
            opened.append((result, path, named))
        if not fields:
            mask = cleaned(facts, value) | mask_of_type(facts, value) if value != NONE else 0
            if value != NONE and not path and (of_element := fields_of_elements(facts, value)):
                elements[result] = of_element if result not in elements else {}
            texts.setdefault(path, {})[result] = mask & texts.get(path, {}).get(result, mask)
        else:
            into = below.setdefault(path, {}) if path else holders
            known = into.get(result)
            into[result] = fields if known is None else {key: mask & known.get(key, 0) for key, mask in fields.items()}
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for path, objects_with in below.items():
        if len(path) == 1:
            for row in np.flatnonzero(among(objects, objects_with) & (loads["key"] == path[0])).tolist():
                holders[facts.rep[int(loads["result"][row])]] = objects_with[int(objects[row])]
    for row in np.flatnonzero(among(objects, elements) & (loads["key"] == UNKNOWN_KEY)).tolist():
        element, fields = int(loads["result"][row]), elements[int(objects[row])]
        if mask := fields.get((), 0):
            facts.mark_clean(element, mask)
        elif parts := {path: clean for path, clean in fields.items() if path}:
            holders[facts.rep[element]] = parts
    for result, mask in texts.pop((), {}).items():
        if result not in holders:
            facts.mark_clean(result, mask)
    for path, results in texts.items():
        if len(path) == 1:
            for row in np.flatnonzero(among(objects, results) & (loads["key"] == path[0])).tolist():
                facts.mark_clean(int(loads["result"][row]), results[int(objects[row])])
    doubt_unknown_fields(facts, opened)
    passed = ElementsPassed(facts)
    while holders:  # the fields of fields next, whose paths are shorter by one
        inner: dict[int, Fields] = {}
        for row in np.flatnonzero(among(objects, holders)).tolist():
            key, result = int(loads["key"][row]), int(loads["result"][row])
            fields = holders[int(objects[row])]
            if mask := fields.get((key,), 0) | fields.get((UNKNOWN_KEY,), 0):
                facts.mark_clean(result, mask)
            if within := {path: under for path, under in fields_under(fields, key).items() if path}:
                inner[facts.rep[result]] = within
        for rep, fields in passed.of(holders).items():
            if mask := fields.pop((), 0):
                facts.mark_clean(rep, mask)
            if fields:
                inner[rep] = fields
        holders = inner


def stated_schema(facts: Facts, call: int, flow: Flow) -> int:
    """What a call has in the place of its schema, or NONE."""
    at = one_maker(facts, facts.call_receiver[call]) if flow.schema_made else call
    if flow.schema is None or at == NONE:
        return NONE
    rows = facts.args.at(at, Port(flow.schema.kind, flow.schema.position, flow.schema.names))
    if not rows and flow.schema == Port("this"):
        return facts.call_receiver[call]
    given = facts.arg_value[rows[0]] if rows else NONE
    return element(facts, given, facts.keys(at, flow.schema.path)) if given != NONE and flow.schema.path else given


def schema_asked(facts: Facts, value: int, checking: Mapping[int, Flow]) -> tuple[int, tuple[int, ...]]:
    """The schema that a function asks which stands in the place of one, and the keys of its result under which it has
    what it checked: ``readBody(event, schema.parse)``, ``readBody(event, (body) => schema.safeParse(body))``. Other
    values are schemas themselves.
    """
    rep = facts.rep[value]
    if facts.op[rep] == Op.LOAD:
        apis = facts.apis[facts.language(value)]
        roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(value)]
        moves = [flow for each in roles if each is not None for made in each.propagators for flow in made.flows]
        flows = [flow for flow in moves if isinstance(flow, Flow) and flow.schema == Port("this")]
        if flows:
            return facts.load_object[facts.data[rep]], facts.keys(NONE, flows[0].target.path)
    functions = subjects(facts.resolution.states_of(value), FUNCTION)
    results = facts.tables["functions"]["result"]
    answers = facts.flows.same_as(int(results[functions[0]])) if len(functions) == 1 else []
    call = facts.data[answers[0]] if len(answers) == 1 and facts.op[answers[0]] == Op.CALL else NONE
    flow = checking.get(call)
    if flow is not None and flow.schema == Port("this"):
        return facts.call_receiver[call], facts.keys(call, flow.target.path)
    return value, ()


def fields_of_elements(facts: Facts, schema: int) -> Fields:
    """The fields that the class of the elements declares, of a type that is read as ``list[Job]``; for what they are
    clean, ``list[int]``, under no keys.
    """
    key = facts.load_key[facts.data[schema]] if facts.op[schema] == Op.LOAD else NONE
    if key > FIRST_VALUE_KEY:
        return {}
    return fields_of_class(facts, key_value(key)) or {(): mask_of_type(facts, key_value(key))}


def checking_calls(facts: Facts) -> list[tuple[int, Flow]]:
    """The calls that check an argument against a schema, with the flow that says so; looked for once."""
    known = facts.conditions.schemas.checking
    if known is not None:
        return known
    found: list[tuple[int, Flow]] = []
    facts.conditions.schemas.checking = found
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            found += [(call, flow) for flow in propagator.flows if isinstance(flow, Flow) and flow.schema is not None]
    return found


def is_asked(facts: Facts, call: int, flow: Flow) -> bool:
    """Whether the program may know that what a call hands on passed its check: the call fails otherwise, or another
    member of its result is read, ``const { error, value } = schema.validate(x)``.
    """
    if flow.target.kind != "ret" or not flow.target.path:
        return True
    read = facts.flows.loads_from(facts.rep[facts.call_result[call]])
    keys = {facts.load_key[facts.data[value]] for value in read if facts.op[value] == Op.LOAD}
    return any(key >= 0 and key not in facts.keys(call, flow.target.path[:1]) for key in keys)


def clean_fields(facts: Facts, schema: int, depth: int = 0, *, is_given: bool = False) -> Fields:
    """For what the fields that a schema declares are clean: in the literals that it was made from, by all calls of a
    chain, ``z.object({...}).extend({...})``. The last declaration of a field counts. Fields of fields are among them.

    ``is_given``: of what the schema is given, not of what it makes of that. Each schema is asked once at each depth, as
    many others may hold it.
    """
    known = facts.conditions.schemas.fields
    asked = schema, depth, is_given
    if asked not in known:
        known[asked] = _clean_fields(facts, schema, depth, is_given=is_given)
    return known[asked]


def _clean_fields(facts: Facts, schema: int, depth: int, *, is_given: bool) -> Fields:
    stores = facts.tables["stores"]
    known: Fields = {}
    declared: set[int] = set()
    work = [schema]
    seen: set[int] = set()
    while work and len(seen) < MAX_SCHEMA_CALLS:
        made = made_where(facts, work.pop())
        rep = facts.rep[made[0]] if len(made) == 1 else NONE
        if rep == NONE or rep in seen or facts.op[rep] != Op.CALL:
            continue
        seen.add(rep)
        call = facts.data[rep]
        if is_given and may_be_lenient(facts, call):
            return {}
        held = elements_of(facts, call)
        if held and UNKNOWN_KEY not in declared:
            declared.add(UNKNOWN_KEY)
            known.update(fields_held(facts, held, depth, is_given=is_given))
        if not is_given and (known_of_parts := fields_of_parts(facts, call, depth)):
            known.update({path: mask for path, mask in known_of_parts.items() if path[0] not in declared})
            declared.update(path[0] for path in known_of_parts)
            continue
        receiver = facts.call_receiver[call]
        if receiver != NONE and receiver not in held:
            work.append(receiver)  # behind what the call is given, which comes later in the chain
        for row in facts.args.of(call):
            if facts.arg_position[row] == RECEIVER or facts.arg_value[row] in held:
                continue
            given = facts.rep[facts.arg_value[row]]
            if facts.op[given] == Op.NEW:
                for store in facts.flows.stores_into(given):
                    key, value = int(stores["key"][store]), int(stores["value"][store])
                    if key in declared or key < 0 or len(known) > MAX_SCHEMA_FIELDS:
                        continue
                    if facts.constant(value) == "true":
                        continue  # the field that was declared before: "schema.pick({ name: true })"
                    declared.add(key)
                    known[key,] = cleaned(facts, value, is_given=is_given)
                    if depth < MAX_SCHEMA_DEPTH and not known[key,]:
                        inner = clean_fields(facts, value, depth + 1, is_given=is_given)
                        known.update({(key, *path): mask for path, mask in inner.items()})
            else:
                work.append(given)
    return {path: mask for path, mask in known.items() if mask}


def fields_of_parts(facts: Facts, call: int, depth: int) -> Fields:
    """The fields of one of several objects: each is clean as in all that declare it, if none of these has others."""
    parts = parts_of(facts, call)
    if not 1 < len(parts) <= MAX_SCHEMA_CALLS or depth >= MAX_SCHEMA_DEPTH:
        return {}
    found: Fields = {}
    for part in parts:
        closed = closed_fields(facts, part, depth + 1)
        if closed is None:
            return {}
        for key, mask in closed.items():
            found[key,] = found.get((key,), mask) & mask
    return found


def elements_of(facts: Facts, call: int) -> list[int]:
    """The schemas of what a list, or a table of any names, holds whose schema a call makes: ``z.array(each)``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    ports = {port for each in roles if each is not None for port in each.schemas.elements}
    return [facts.arg_value[row] for port in ports for row in facts.args.at(call, port)]


def fields_held(facts: Facts, held: Sequence[int], depth: int, *, is_given: bool) -> Fields:
    """For what elements are clean that one of the schemas ``held`` admits, and their fields, under ``UNKNOWN_KEY``."""
    if depth >= MAX_SCHEMA_DEPTH or len(held) > MAX_SCHEMA_CALLS:
        return {}
    found: Fields = {}
    for number, each in enumerate(held):
        mask = cleaned(facts, each, depth + 1, is_given=is_given)
        fields: Fields = {(): mask} if mask else clean_fields(facts, each, depth + 1, is_given=is_given)
        found = fields if not number else {path: mask & found.get(path, 0) for path, mask in fields.items()}
    return {(UNKNOWN_KEY, *path): mask for path, mask in found.items()}


def closed_fields(facts: Facts, schema: int, depth: int = 0, *, only: bool = False) -> dict[int, int] | None:
    """For what the fields of an object are clean that has no others: its schema lets none through that it does not
    declare (``[type] closed``), or the call that checks does not (``only``). None where the schema may be another one,
    or declares fields that are not known here. A function that is given a schema checks against those of all its calls.
    """
    known = facts.conditions.schemas.closed
    asked = schema, depth, only
    if asked not in known:
        known[asked] = _closed_fields(facts, schema, depth, only=only)
    return known[asked]


def _closed_fields(facts: Facts, schema: int, depth: int, *, only: bool) -> dict[int, int] | None:
    found: dict[int, int] = {}
    declares = False
    work = [schema]
    seen: set[int] = set()
    while work:
        made = schemas_of(facts, work.pop())
        if not made or len(seen) > MAX_SCHEMA_CALLS:
            return None
        for rep in made:
            if rep in seen:
                continue
            seen.add(rep)
            if facts.op[rep] != Op.CALL or not (is_closed(facts, rep) or (only and is_made_closed(facts, rep))):
                return None
            call = facts.data[rep]
            receiver = facts.call_receiver[call]
            if receiver != NONE and is_object(facts, receiver):
                work.append(receiver)  # the fields of one that lets others through are not known: "loose.strict()"
            for row in facts.args.of(call):
                given = facts.rep[facts.arg_value[row]]
                if facts.arg_position[row] == RECEIVER or facts.constant(facts.arg_value[row]) is not None:
                    continue
                if facts.op[given] == Op.FUNCTION:
                    continue  # declares no field: "refine((value) => ...)"
                declares = True
                if facts.op[given] != Op.NEW:
                    work.append(given)
                elif not declare(facts, given, found, depth, only=only):
                    return None
    return found if declares else None  # "Joi.object()" lets all fields through


def declare(facts: Facts, table: int, found: dict[int, int], depth: int, *, only: bool = False) -> bool:
    """Add the fields that a literal declares to ``found``; False where they are not all known."""
    if facts.flows.same_as(table):
        return False  # what is spread into it is not known here
    stores = facts.tables["stores"]
    for row in facts.flows.stores_into(table):
        key = int(stores["key"][row])
        if key < 0 or len(found) > MAX_SCHEMA_FIELDS:
            return False
        mask = whole_mask(facts, int(stores["value"][row]), depth, only=only)
        found[key] = found.get(key, mask) & mask
    return True


def schemas_of(facts: Facts, value: int) -> list[int]:
    """The representatives of the calls that made a schema: through names, captures, and parameters by all calls of
    their functions. None where something else may stand there.
    """
    found: dict[int, None] = {}
    seen: set[int] = set()
    work = [facts.rep[value]]
    while work:
        rep = work.pop()
        if rep in seen:
            continue
        seen.add(rep)
        if facts.op[rep] == Op.CALL:
            found[rep] = None
            continue
        if facts.op[rep] == Op.PARAMETER and rep not in facts.flows.captured:
            further = facts.calls.arguments_for(rep)
        else:
            further = definitions(facts, rep)
        if not further or len(seen) > MAX_DEFINITIONS:
            return []
        work += [facts.rep[each] for each in further]
    return list(found)


def is_object(facts: Facts, value: int) -> bool:
    """Whether a value is an instance of a library's type, and not the library."""
    apis = facts.apis[facts.language(value)]
    return any(apis.paths[node][-1] == INSTANCE for node in facts.resolution.api_nodes(value))


def is_closed(facts: Facts, schema: int) -> bool:
    """Whether a schema lets no field through that it does not declare, whatever it may be."""
    apis = facts.apis[facts.language(schema)]
    types = [apis.paths[node][:-1] for node in facts.resolution.api_nodes(schema) if apis.paths[node][-1] == INSTANCE]
    kinds = [apis.roles.get(apis.node(each)) for each in types]
    return bool(kinds) and all([roles is not None and roles.schemas.closed_type for roles in kinds])


def is_made_closed(facts: Facts, schema: int) -> bool:
    """Whether the call that made a schema is one behind which the schema declares all fields that a check lets through
    if the check drops the others: ``yup.object({...})``, not ``schema.when(...)``.
    """
    call = facts.data[schema]
    apis = facts.apis[facts.language(schema)]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    return any(each is not None and each.schemas.closed_type for each in roles)


def whole_mask(facts: Facts, schema: int, depth: int, *, only: bool = False) -> int:
    """For what a field is clean with all that it holds: also a list of objects that have no other fields,
    ``z.array(z.object({...})).optional()``.
    """
    known = facts.conditions.schemas.whole
    asked = schema, depth, only
    if asked not in known:
        known[asked] = _whole_mask(facts, schema, depth, only=only)
    return known[asked]


def _whole_mask(facts: Facts, schema: int, depth: int, *, only: bool) -> int:
    mask = cleaned(facts, schema)
    if depth >= MAX_SCHEMA_DEPTH:
        return mask
    within = closed_fields(facts, schema, depth + 1, only=only)
    if within is not None:
        return mask | reduce(and_, within.values(), facts.wanted.all)
    call = one_maker(facts, schema)
    parts = parts_of(facts, call) if call != NONE else []
    if not parts or len(parts) > MAX_SCHEMA_CALLS:
        return mask
    return mask | reduce(and_, [whole_mask(facts, part, depth + 1, only=only) for part in parts])


def named_beside_others(facts: Facts, schema: int) -> set[int] | None:
    """The fields that a schema names, if it has others as well, which are not known here: "id" of ``Joi.object({
    ...given, id: Joi.string() })``. None if it has no others.
    """
    made = made_where(facts, schema)
    rep = facts.rep[made[0]] if len(made) == 1 else NONE
    if rep == NONE or facts.op[rep] != Op.CALL:
        return None
    given = [facts.rep[facts.arg_value[row]] for row in facts.args.of(facts.data[rep])]
    tables = [each for each in given if facts.op[each] == Op.NEW]
    spread = [origin for each in tables for origin in facts.flows.same_as(each)]
    if all(literals(facts, origin) for origin in spread):
        return None
    return {int(facts.tables["stores"]["key"][row]) for each in tables for row in facts.flows.stores_into(each)}


def doubt_unknown_fields(facts: Facts, opened: list[tuple[int, tuple[int, ...], set[int]]]) -> None:
    """Reads of fields that a schema checks in a way that is not known: it does not declare them itself.

    ``opened``: the result of each check, the path to the checked object in it, and the fields that are declared.
    """
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for result, path, declared in opened:
        held = {result}
        for key in path:
            rows = np.flatnonzero(among(objects, held) & (loads["key"] == key))
            held = {facts.rep[int(each)] for each in loads["result"][rows]}
        for row in np.flatnonzero(among(objects, held) & (loads["key"] >= 0)).tolist():
            if int(loads["key"][row]) not in declared:
                facts.labels.checks.validated_fields.add(int(loads["result"][row]))


def fields_of_class(facts: Facts, schema: int, *, is_given: bool = False, given: Container[int] = ()) -> Fields:
    """The same of the fields that the class of a schema declares: ``class Job(Schema): page = fields.Integer()``; the
    schema is an instance of the class, or the class itself. A method whose decorator is lenient changes values first,
    and what an instance is made with may leave fields out, ``Job(only=["page"])``, but for ``given``, rows of
    arguments.
    """
    if is_given and not is_made_whole(facts, schema, given):
        return {}
    states = facts.resolution.states_of(schema)
    owners = subjects(states, INSTANCE_OF) or subjects(states, CLASS)
    if len(owners) != 1:
        return {}
    made, is_whole = some_made(facts, schema) if is_given else ([], True)
    calls = [facts.data[rep] for rep in [facts.rep[each] for each in made] if facts.op[rep] == Op.CALL]
    if not is_whole or any(is_lenient(facts, call) for call in calls):
        return {}
    declared: dict[int, int] = {}
    for each in facts.resolution.lineage(owners[0]):
        if is_given and (has_lenient_method(facts, each) or has_lenient_setting(facts, each)):
            return {}
        for key, values in facts.resolution.class_members.get(each, {}).items():
            if key not in declared:
                is_free = is_given and any(is_declared_lenient(facts, value) for value in values)
                declared[key] = 0 if is_free else declares_clean(facts, owners[0], key)
    return {(key,): mask for key, mask in declared.items() if mask}


def fields_by_methods(facts: Facts, schema: int) -> Fields:
    """The same of the fields that calls of methods of the schema declare, one each: ``parser.add_argument("page",
    type=int)``. A field that is declared several times is clean for what all of the calls say.
    """
    if not facts.apis[facts.language(schema)].checks.declaring:
        return {}
    made = one_maker(facts, schema)
    reps = [facts.rep[schema]] if made == NONE else [facts.rep[facts.call_result[made]], facts.rep[schema]]
    fields: Fields = {}
    for call in dict.fromkeys(call for rep in reps for call in facts.calls.methods_on(rep)):
        apis = facts.apis[facts.language(facts.call_result[call])]
        roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
        for port in (port for each in roles if each is not None for port in each.schemas.declares):
            for name in (facts.constant(facts.arg_value[row]) for row in facts.args.at(call, port)):
                if name is not None and name[:1] == "'" and len(fields) <= MAX_SCHEMA_FIELDS:
                    key = facts.program.intern(name[1:])
                    mask = 0 if is_lenient(facts, call) else own_mask(facts, call)
                    fields[key,] = fields.get((key,), facts.wanted.all) & mask
    return {path: mask for path, mask in fields.items() if mask}


def mask_of_type(facts: Facts, schema: int) -> int:
    """For what a value is clean that was checked against a type: ``TypeAdapter(Annotated[str, Field(pattern=p)])``."""
    if is_declared_lenient(facts, schema):
        return 0
    apis = facts.apis[facts.language(schema)]
    roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(schema)]
    is_clean = any(each is not None and each.clean_type for each in roles)
    owners = subjects(facts.resolution.states_of(schema), CLASS)
    is_clean = is_clean or (bool(owners) and clean_classes(facts).issuperset(owners))
    return (
        facts.wanted.all
        if is_clean
        else reduce(or_, [own_mask(facts, x, is_given=True) for x in declaring_calls(facts, schema)], 0)
    )


def is_made_whole(facts: Facts, schema: int, given: Container[int] = ()) -> bool:
    """Whether a schema is a class, or an instance made without an argument but ``given``, so that it has all fields of
    its class.
    """
    if not subjects(facts.resolution.states_of(schema), INSTANCE_OF):
        return True
    call = one_maker(facts, schema)
    return call != NONE and all(facts.arg_position[row] == RECEIVER or row in given for row in facts.args.of(call))


def is_declared_lenient(facts: Facts, value: int) -> bool:
    """Whether what declares a field says nothing of what is given: ``Annotated[str, BeforeValidator(f)]``."""
    return is_chain_lenient(facts, value) or any(is_lenient(facts, call) for call in declaring_calls(facts, value))


def has_lenient_setting(facts: Facts, owner: int) -> bool:
    """Whether a class that declares its fields by types has a member without one that is lenient: ``model_config =
    ConfigDict(str_strip_whitespace=True)``, or a literal or a class with a member of such a name.
    """
    members = facts.resolution.class_members.get(owner, {})
    if not any(facts.op[value] == Op.FIELD for values in members.values() for value in values):
        return False
    settings = [each for values in members.values() if all(facts.op[v] != Op.FIELD for v in values) for each in values]
    names: set[str] = set()
    for value in settings:
        call = one_maker(facts, value)
        if call != NONE and is_lenient(facts, call):
            return True
        rep = facts.rep[value]
        keys = [int(facts.tables["stores"]["key"][row]) for row in facts.flows.stores_into(rep)]
        for each in subjects(facts.resolution.states_of(value), CLASS):
            keys += facts.resolution.class_members.get(each, {})
        names.update(facts.program.strings[key] for key in keys if key >= 0)
    return any(not names.isdisjoint(apis.lenient_names) for apis in facts.apis.values()) if names else False


def has_lenient_method(facts: Facts, owner: int) -> bool:
    """Whether a decorator of a method of the class is lenient: ``@pre_load``."""
    calls = facts.tables["calls"]
    for function in np.flatnonzero(facts.tables["functions"]["owner"] == owner).tolist():
        made = int(facts.tables["functions"]["value"][function])
        for call in dict.fromkeys(facts.calls.calls_with(facts.rep[made])) if made != NONE else ():
            callee = facts.rep[facts.call_callee[call]]
            maker = facts.data[callee] if facts.op[callee] == Op.CALL else call  # "@pre_load(pass_many=True)"
            if int(calls["flags"][call]) & CallFlag.DECORATOR and (is_lenient(facts, call) or is_lenient(facts, maker)):
                return True
    return False


def parts_of(facts: Facts, call: int) -> list[int]:
    """The schemas of which a call makes one that lets through what any of them lets through: ``z.union([a, b])``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    found: list[int] = []
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for port in roles.schemas.either if roles is not None else ():
            given = [facts.arg_value[row] for row in facts.args.at(call, Port(port.kind, port.position, port.names))]
            if port.path:
                stores = facts.tables["stores"]["value"]
                given = [int(stores[row]) for each in given for row in facts.flows.stores_into(facts.rep[each])]
            found += given
    return found


def is_lenient(facts: Facts, call: int) -> bool:
    """Whether a call makes a schema that says nothing of what it is given: ``z.preprocess(f, schema)``; or a field that
    says nothing of what is given under its name, ``fields.Integer(data_key="other")``.
    """
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    ports = [port for each in roles if each is not None for port in each.schemas.lenient]
    return any(port is None or has_argument(facts, call, port) for port in ports)


def may_be_lenient(facts: Facts, call: int) -> bool:
    """Whether a call that makes a schema is lenient, or packs say nothing of this method of a schema: neither of what
    type its result is nor what it adds, ``z.uuid().optional().catch("")``.
    """
    if is_lenient(facts, call):
        return True
    receiver = facts.call_receiver[call]
    if receiver == NONE:
        return False
    apis = facts.apis[facts.language(receiver)]
    before = [apis.paths[node] for node in facts.resolution.api_nodes(receiver)]
    libraries = {path[0] for path in before if INSTANCE in path or CALL in path}
    if not libraries:
        made, is_whole = ([], True) if before else some_made(facts, receiver)
        if is_whole and not any(facts.op[facts.rep[each]] == Op.CALL for each in made):
            return False  # no method of a schema, but a function of a module
    for node in facts.calls.apis_of.get(call, ()):
        if apis.paths[node][0] not in libraries:
            continue  # guessed by the method's name
        roles = apis.roles.get(node)
        if roles is not None and (roles.schemas.either or roles.schemas.admits or roles.schemas.formal):
            return False
        if any(apis.paths[each][-1] == INSTANCE for each in apis.step(node, CALL)):
            return False
    return True


def has_argument(facts: Facts, call: int, port: Port) -> bool:
    """Whether a call has an argument at the port, or one that may hold it: ``**options``."""
    flags = facts.args.flags
    spread = any(flags[row] & ArgumentFlag.SPREAD_KEYWORDS for row in facts.args.of(call)) if port.names else False
    return spread or bool(facts.args.at(call, port))


def cleaned(facts: Facts, schema: int, depth: int = 0, *, is_given: bool = False) -> int:
    """For what the schema of a field makes it clean: for all if its type lets no text through, for what a sanitizer of
    its type says; or by the type of a call before it in the chain, if what follows is given constants only,
    ``z.number().min(1).default(1)``. And by the patterns that calls of the chain declare, ``z.string().regex(p)``.

    ``is_given``: what the schema is given, of which no call of the chain may be lenient.
    """
    known = facts.conditions.schemas.masks
    asked = schema, depth, is_given
    if asked not in known:
        known[asked] = _cleaned(facts, schema, depth, is_given=is_given)
    return known[asked]


def _cleaned(facts: Facts, schema: int, depth: int, *, is_given: bool) -> int:
    apis = facts.apis[facts.language(schema)]
    if is_given and is_chain_lenient(facts, schema):
        return 0
    found = 0
    literal = literal_of(facts, schema)
    if facts.op[literal] == Op.NEW:
        return mask_of_literal(facts, literal, depth, is_given=is_given)
    for _ in range(MAX_SCHEMA_CALLS):
        made = made_where(facts, schema)
        if len(made) != 1:
            return found
        for node in facts.resolution.api_nodes(made[0]):
            path = apis.paths[node]
            roles = apis.roles.get(apis.node(path[:-1])) if path[-1] == INSTANCE else None
            if roles is not None and roles.clean_type:
                return facts.wanted.all
            for sanitizer in roles.sanitizers if roles is not None else ():
                found |= facts.wanted.cleaned_by(sanitizer.vulnerability)
        rep = facts.rep[made[0]]
        if facts.op[rep] != Op.CALL:
            return found
        parts = parts_of(facts, facts.data[rep]) if depth < MAX_SCHEMA_DEPTH else []
        if parts:
            masks = [cleaned(facts, part, depth + 1, is_given=is_given) for part in parts[:MAX_SCHEMA_CALLS]]
            return found | (reduce(and_, masks) if len(parts) <= MAX_SCHEMA_CALLS else 0)
        admitted = own_mask(facts, facts.data[rep], is_given=is_given) or (
            0 if is_given else named_mask(facts, facts.data[rep])
        )
        found |= admitted
        given = [facts.arg_value[a] for a in facts.args.of(facts.data[rep]) if facts.arg_position[a] != RECEIVER]
        if not admitted and any(facts.constant(each) is None for each in given):
            return found
        schema = facts.call_receiver[facts.data[rep]]
        if schema == NONE:
            return found
    return found


def mask_of_literal(facts: Facts, schema: int, depth: int, *, is_given: bool) -> int:
    """For what a literal makes a field clean in place of a schema: one in JSON Schema, or a list of schemas, of which
    each admits values.
    """
    if facts.shape(schema) != "list":
        return json_mask(facts, schema, is_given=is_given)
    parts = [value for values in members_of(facts, schema).values() for value in values]
    if not 0 < len(parts) <= MAX_SCHEMA_CALLS or depth >= MAX_SCHEMA_DEPTH or facts.flows.same_as(schema):
        return 0
    return reduce(and_, [cleaned(facts, part, depth + 1, is_given=is_given) for part in parts])


def is_chain_lenient(facts: Facts, schema: int) -> bool:
    """Whether one of the calls that make a schema, or more of them than are looked at, may be lenient."""
    for _ in range(MAX_SCHEMA_CALLS):
        call = one_maker(facts, schema)
        if call == NONE:
            return False
        if may_be_lenient(facts, call) or any(is_lenient_part(facts, row) for row in facts.args.of(call)):
            return True
        schema = facts.call_receiver[call]
        if schema == NONE:
            return False
    return True


def is_lenient_part(facts: Facts, row: int) -> bool:
    """Whether an argument of a call that makes a schema changes values: ``pipe(string(), trim())``, ``All(Strip)``."""
    value = facts.arg_value[row]
    if facts.arg_position[row] == RECEIVER:
        return False
    if facts.op[facts.rep[value]] == Op.CALL:
        return is_lenient(facts, facts.data[facts.rep[value]])
    apis = facts.apis[facts.language(value)]
    roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(value)]
    return any(each is not None and None in each.schemas.lenient for each in roles)
