"""Functions of the program in schemas: ``z.string().refine((url) => new URL(url).host === HOST)``.

What the function proves of its parameter where it returns true holds for what the schema lets through. If it asks more
than the rules know (``telling``), what was checked is doubtful, as behind any check that is not understood.
"""

from __future__ import annotations

from typing import NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_SCHEMA_CALLS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.definitions import made_where
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.quantifiers import Asked, proven
from pyrograph.scanner.analysis.label.schemas import checking_calls
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

Path = tuple[int, ...]


class Asking(NamedTuple):
    """What the functions of one schema say of what it lets through."""

    mask: int  # it is clean for these
    is_doubtful: bool


def schema_functions(facts: Facts) -> None:
    """Mark what schemas with functions of the program let through: results of checks, and reads of their fields.

    Time linear in the calls that check and make schemas, times ``MAX_SCHEMA_CALLS``, ``MAX_SCHEMA_DEPTH`` and the
    fields that are found, ``MAX_SCHEMA_FIELDS``.
    """
    asked = AskedFields(facts)
    for call, flow in checking_calls(facts):
        rows = [] if flow.schema is None else facts.args.at(call, flow.schema)
        schema = facts.arg_value[rows[0]] if rows else NONE
        if schema == NONE and flow.schema == Port("this"):
            schema = facts.call_receiver[call]
        if schema == NONE or flow.target.kind != "ret":
            continue
        before = facts.keys(call, flow.target.path)
        result = facts.call_result[call]
        for path, asking in asked.fields(schema).items():
            for value in reads_of(facts, result, (*before, *path)):
                if asking.mask:
                    facts.mark_clean(value, asking.mask)
                if asking.is_doubtful and facts.op[value] == Op.LOAD:
                    facts.labels.checks.validated_fields.add(value)
            if asking.is_doubtful and not (before or path):
                origins = {flow.origin for flow in facts.labels.flows if flow.target == result}
                facts.labels.flows = [flow for flow in facts.labels.flows if flow.target != result]
                facts.labels.assumed += [(origin, result) for origin in sorted(origins)]


def reads_of(facts: Facts, value: int, path: Path) -> list[int]:
    """The values that are read from ``value`` under these keys; itself if there are none."""
    found = [value]
    for key in path:
        loads = [load for each in found for load in facts.flows.loads_from(facts.rep[each])]
        found = [load for load in loads if facts.op[load] == Op.LOAD and facts.load_key[facts.data[load]] == key]
    return found


class AskedFields:
    """What functions in the calls that make schemas ask. Each schema is asked once at each depth: many others may hold
    it.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.known: dict[tuple[int, int], dict[Path, Asking]] = {}  # by schema and how deep it lies
        self.functions: dict[int, Asking] = {}

    def fields(self, schema: int, depth: int = 0) -> dict[Path, Asking]:
        """What the functions ask, by the path from ``schema`` to the field that they are asked about."""
        asked = schema, depth
        if asked not in self.known:
            found = self._fields(schema, depth)
            self.known[asked] = {path: each for path, each in found.items() if each.mask or each.is_doubtful}
        return self.known[asked]

    def _fields(self, schema: int, depth: int) -> dict[Path, Asking]:
        facts = self.facts
        stores = facts.tables["stores"]
        found: dict[Path, Asking] = {}
        work, seen = [schema], set[int]()
        while work and len(seen) < MAX_SCHEMA_CALLS:  # ``seen`` grows
            made = made_where(facts, work.pop())
            rep = facts.rep[made[0]] if len(made) == 1 else NONE
            if rep == NONE or rep in seen or facts.op[rep] != Op.CALL:
                continue
            seen.add(rep)
            call = facts.data[rep]
            if facts.call_receiver[call] != NONE:
                work.append(facts.call_receiver[call])
            for row in facts.args.of(call):
                given = facts.rep[facts.arg_value[row]]
                if facts.arg_position[row] == RECEIVER:
                    continue
                if facts.op[given] == Op.NEW:
                    for store in facts.flows.stores_into(given) if depth < MAX_SCHEMA_DEPTH else ():
                        key = int(stores["key"][store])
                        if key >= 0 and len(found) < MAX_SCHEMA_FIELDS:
                            inner = self.fields(int(stores["value"][store]), depth + 1)
                            _join(found, {(key, *path): asking for path, asking in inner.items()})
                    continue
                functions = [s >> KIND_BITS for s in facts.resolution.states_of(given) if s & KIND == FUNCTION]
                if len(functions) == 1:
                    _join(found, {(): self.said_by(functions[0])})
        return found

    def said_by(self, function: int) -> Asking:
        """What a function says of its first parameter."""
        if function not in self.functions:
            self.functions[function] = asks(self.facts, function)
        return self.functions[function]


def _join(found: dict[Path, Asking], further: dict[Path, Asking]) -> None:
    for path, more in further.items():
        known = found.get(path, Asking(0, False))
        found[path] = Asking(known.mask | more.mask, known.is_doubtful or more.is_doubtful)


def asks(facts: Facts, function: int) -> Asking:
    """What a function says of its first parameter."""
    parameters = facts.tables["parameters"]
    rows = [row for row in facts.functions.parameters_of(function) if int(parameters["position"][row]) == 0]
    if not rows:
        return Asking(0, False)
    value = int(parameters["value"][rows[0]])
    language = facts.language(value)
    about = Asked(facts.guards.tests.get(language, {}), language, facts.rep[value], False)
    mask = proven(facts, int(parameters["true"][rows[0]]), about).get(facts.rep[value], 0)
    return Asking(mask, bool(facts.labels.checks.telling[function]))
