"""Handlers of the program that check a request against a schema for the handlers behind them in a route.

``router.post("/", valid(Joi.object({ name: Joi.string() })), save)``, where ``valid`` is a function of the program, or
of a library that no pack names, and makes the handler that checks. How it reads the schema is not followed. But what a
schema lets through is seldom an object where a text is expected, so the members of the request are ``behind_schemas``:
those that a table of schemas names, ``valid({ body: schema })``, or a text beside the schema, ``valid(schema, "a")``;
all members that packs know to be checked, if nothing names one.
"""

from __future__ import annotations

from pyrograph.ir.codes import NO_STRING, NONE, RECEIVER, Op
from pyrograph.policy.limits.labels import MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS
from pyrograph.rules.entries import Parameters, ParameterType
from pyrograph.rules.json_schema import TYPE, TYPES
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.patterns import compiling_call
from pyrograph.scanner.analysis.label.tables import literals


class Wrappers:
    """What calls that make handlers are given, by language: kept while one program is labelled."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.checked: dict[str, set[str]] = {}  # language -> members of a request that packs know to be checked
        self.members: dict[str, dict[str, int]] = {}  # of these: number of its name, where the program has it
        self.types: dict[str, set[int]] = {}  # language -> the types of which an instance is a schema
        for language, apis in facts.apis.items():
            checked = apis.index.checked_members
            ids = facts.program.string_ids
            self.checked[language] = checked
            self.members[language] = {name: ids[name] for name in sorted(checked) if name in ids}
            self.types[language] = {apis.node(path) for path in apis.index.schema_types}

    def registrations(self) -> list[int]:
        """The calls that are given a function which a framework calls with requests."""
        found: dict[int, None] = {}
        for entry, _, call in self.facts.resolution.entry_points:
            target = entry.parameters if isinstance(entry, ParameterType) else entry.target
            if isinstance(target, Parameters) and target.by == "callback" and call != NONE:
                found[call] = None
        return list(found)

    def checked_before(self, registration: int) -> list[tuple[int, set[int]]]:
        """For each handler of a route that is made with a schema: its position, and the members that it checks."""
        facts = self.facts
        found: list[tuple[int, set[int]]] = []
        if not self.members[facts.language(facts.call_result[registration])]:
            return []
        for row in facts.args.of(registration):
            if facts.arg_position[row] < 0:
                continue
            value = facts.arg_value[row]
            stores = facts.flows.stores_into(facts.rep[value]) if facts.shape(facts.rep[value]) == "list" else ()
            made = [value, *(int(facts.tables["stores"]["value"][store]) for store in stores)]
            calls = dict.fromkeys(call for each in made if each >= 0 and (call := compiling_call(facts, each)) >= 0)
            for call in calls:
                if members := self.members_checked_by(call):
                    found.append((facts.arg_position[row], members))
        return found

    def members_checked_by(self, call: int) -> set[int]:
        """The members of a request that the schemas which ``call`` is given are about."""
        facts = self.facts
        language = facts.language(facts.call_result[call])
        known, roles = self.members[language], facts.apis[language].roles
        if any(node in roles and roles[node].schemas.checks for node in facts.calls.apis_of.get(call, ())):
            return set()  # ``route_schemas`` reads the schema
        given = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
        if any(self.is_schema(each) for each in given):
            texts = {(facts.constant(each) or "").removeprefix("'") for each in given}
            named = self.checked[language] & texts or known.keys()
            return {known[name] for name in known.keys() & named}
        found: set[int] = set()
        stores = facts.tables["stores"]
        for table in (literal for each in given for literal in literals(facts, each)):
            for row in facts.flows.stores_into(table):
                value = int(stores["value"][row])
                if int(stores["key"][row]) in known.values() and value >= 0 and self.declares(value):
                    found.add(int(stores["key"][row]))
        return found

    def is_schema(self, value: int) -> bool:
        types = self.types[self.facts.language(value)]
        return any(node in types for node in self.facts.resolution.api_nodes(value))

    def declares(self, value: int) -> bool:
        """Whether ``value`` is a schema of a library, or a literal in JSON Schema, or put together of such.

        Looks ``MAX_SCHEMA_DEPTH`` levels into it, at ``MAX_SCHEMA_FIELDS`` values at most.
        """
        facts = self.facts
        stores, word = facts.tables["stores"], facts.program.string_ids.get(TYPE, NO_STRING)
        level, seen = [value], {facts.rep[value]}
        for _ in range(MAX_SCHEMA_DEPTH + 1):
            further: dict[int, int] = {}  # by representative
            for each in level:
                if self.is_schema(each):
                    return True
                rep = facts.rep[each]
                held: list[int] = []
                if facts.op[rep] == Op.CALL:
                    held += [facts.arg_value[row] for row in facts.args.of(facts.data[rep])]
                for literal in literals(facts, each) if facts.op[rep] != Op.CALL else ():
                    for row in facts.flows.stores_into(literal):
                        stored = int(stores["value"][row])
                        if int(stores["key"][row]) == word and stored >= 0 and names_type(facts, stored):
                            return True
                        held += [stored] if stored >= 0 else []
                further.update((facts.rep[inner], inner) for inner in held if facts.rep[inner] not in seen)
            seen |= further.keys()
            level = list(further.values())
            if not level or len(seen) > MAX_SCHEMA_FIELDS:
                return False
        return False


def names_type(facts: Facts, value: int) -> bool:
    """Whether a value is the name of a type in JSON Schema, or a list of such."""
    listed = [int(facts.tables["stores"]["value"][row]) for row in facts.flows.stores_into(facts.rep[value])]
    names = [facts.constant(each) if each >= 0 else None for each in listed or [value]]
    return all(name is not None and name[:1] == "'" and name[1:] in TYPES for name in names)
