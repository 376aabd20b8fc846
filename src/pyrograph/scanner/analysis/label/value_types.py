"""Types and shapes of values, for conditions such as ``0 is list``."""

from __future__ import annotations

from pyrograph.ir.codes import UNKNOWN_KEY, FunctionFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import KEYS_PART, CallFlow, Flow
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.definitions import results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.rows import is_row
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT


def is_type(facts: Facts, value: int, wanted: object) -> bool:
    states = facts.resolution.states_of(value)
    if isinstance(wanted, tuple):
        language = facts.language(value)
        apis = facts.apis.get(language)
        if apis is None:
            return False
        nodes = facts.conditions.type_nodes.get((language, wanted))
        if nodes is None:
            nodes = frozenset((apis.node(wanted), apis.node((*wanted, INSTANCE))))  # the API, or an instance of it
            facts.conditions.type_nodes[language, wanted] = nodes
        return any(
            s >> KIND_BITS in nodes
            if s & KIND == API
            else s & KIND in (INSTANCE_OF, CLASS) and not nodes.isdisjoint(facts.functions.extended_by(s >> KIND_BITS))
            for s in states
        )
    if wanted == "file":
        return is_file(facts, value)
    rep = facts.rep[value]
    op = facts.op[rep]
    constant = facts.constant(value)
    if wanted == "constant":
        return constant is not None or facts.is_constant_collection(value)
    if wanted == "concatenated":
        return value in facts.constants.texts or rep in facts.constants.texts
    if wanted == "function":
        return any(s & KIND in (FUNCTION, CLASS) for s in states)
    if wanted == "number":
        return constant is not None and constant.removeprefix("-")[:1].isdigit()
    if wanted == "string":
        if constant is not None:
            return constant[:1] == "'"
        if op == Op.NEW or any(s & KIND in (FUNCTION, CLASS, INSTANCE_OF) and not is_getter(facts, s) for s in states):
            return False
        if any(s & KIND == OBJECT and s >> KIND_BITS in facts.resolution.stored.foreign_tables for s in states):
            return False  # a record of a class that the program does not have
        if is_row(facts, value):
            return False
        return not has_shape(facts, rep, "list") and not has_shape(facts, rep, "dict")
    if wanted in ("list", "dict"):
        return has_shape(facts, rep, str(wanted))
    if wanted == "mapping":
        return has_shape(facts, rep, "dict", computed=True)
    return False


def is_file(facts: Facts, value: int) -> bool:
    """Whether a value is an open file or an upload, by the types that packs list. ``form_files`` knows further ones."""
    apis = facts.apis.get(facts.language(value))
    if apis is None:
        return False
    for state in facts.resolution.states_of(value):
        if state & KIND == API and apis.is_file(state >> KIND_BITS):
            return True
        if state & KIND == INSTANCE_OF and any(map(apis.is_file, facts.functions.extended_by(state >> KIND_BITS))):
            return True
    return False


def is_getter(facts: Facts, state: int) -> bool:
    """Whether a state is the function of a property: loading the property gives its result."""
    return state & KIND == FUNCTION and bool(
        facts.tables["functions"]["flags"][state >> KIND_BITS] & FunctionFlag.PROPERTY
    )


def has_shape(facts: Facts, value: int, wanted: str, *, computed: bool = False) -> bool:
    """Whether ``value`` is a literal of this shape, wherever it was made: one of several, or returned by a call. One
    without keys that are known is taken for a list. ``computed``: one with keys that the program computes, ``{k: f(k)
    for k in names}``, is a dict, too: for who asks what it is, not what stands in it under which key. There a
    constant text that it may be instead, ``return "", 200``, is nobody's: what others choose stands in the dict.
    """
    first, found = facts.rep[value], False
    work, seen = [first], {first}
    while work:  # what is pushed is new in ``seen``
        rep = work.pop()
        op = facts.op[rep]
        origins: list[int] = []
        if op == Op.NEW:
            shape = facts.shape(rep)
            if shape not in ("", wanted):
                return False
            # one without any keys is taken for a list where no other is there
            found |= shape == wanted or wanted == "list" or (computed and has_computed_keys(facts, rep))
        elif op == Op.CONST:
            if rep == first or not (computed or facts.constant(rep) in ("null", "false")):
                return False
        elif op == Op.CALL and wanted == "list" and makes_elements(facts, facts.data[rep], facts.language(rep)):
            found = True
        else:
            if op in (Op.PHI, Op.CARRY, Op.RESULT, Op.EXPRESSION):
                origins = facts.flows.same_as(rep)
            elif op == Op.CALL:
                results = facts.tables["functions"]["result"]
                origins = [int(results[function]) for function in facts.calls.functions_of(facts.data[rep])]
            elif op in (Op.GLOBAL, Op.IMPORT, Op.LOAD):
                origins = list(facts.flows.heap_in.get(rep, ()))
                if op == Op.LOAD and not origins:
                    origins = parts(facts, rep)
            if not origins:
                return False
        fresh = {facts.rep[origin] for origin in origins} - seen
        seen |= fresh
        work += sorted(fresh)
        if len(seen) > MAX_DEFINITIONS:
            return False
    return found


def parts(facts: Facts, rep: int) -> list[int]:
    """The values that a part may be which is read of a literal, or of what functions of the program return:
    ``body, status = answer()``. None unless each of these is a literal that has the part, at most ``MAX_DEFINITIONS``.
    """
    load = facts.data[rep]
    key = facts.load_key[load]
    found: list[int] = []
    work, seen = [facts.rep[facts.load_object[load]]], set()
    while work and key >= 0:  # what is looked at stands in ``seen`` from then on
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        op = facts.op[at]
        if op == Op.NEW:
            rows = facts.flows.stores_at(at, key)
            if not rows:
                return []
            found += [int(facts.tables["stores"]["value"][row]) for row in rows]
        elif op == Op.CALL and (results := results_of(facts, facts.data[at])):
            work += [facts.rep[each] for each in results]
        elif op == Op.PHI:
            work += [facts.rep[each] for each in facts.flows.same_as(at)]
        else:
            return []
        if len(seen) + len(found) > MAX_DEFINITIONS:
            return []
    return found


def has_computed_keys(facts: Facts, rep: int) -> bool:
    """Whether something is stored into a literal under a value of the program."""
    return any(facts.tables["stores"]["key"][row] < UNKNOWN_KEY for row in facts.flows.stores_into(rep))


def makes_elements(facts: Facts, call: int, language: str) -> bool:
    """Whether all models of a library's call put data only into elements, or keys, of its result: the result is a
    list, or another object.
    """
    found = False
    for node in facts.calls.apis_of.get(call, ()):
        roles = facts.apis[language].roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                target = flow.target if isinstance(flow, Flow | CallFlow) else None
                if target is None or target.kind != "ret":
                    continue
                if target.path[:1] not in (("",), (KEYS_PART,)):
                    return False
                found |= target.path[:1] == ("",)
    return found
