"""Checks that no rule describes: their values count as checked, with low confidence."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.policy.names.functions import LOOKUP_NAMES, NEGATIVE_VALIDATOR_NAMES, PATH_TESTS, VALIDATOR_NAMES
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.label.definitions import results_of
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.label.guard_checks import ABSENT, is_constant_element
from pyrograph.scanner.analysis.label.membership import index_call, is_given, shows_presence, unknown_collections
from pyrograph.scanner.analysis.label.own_keys import asks_for_own_key, is_own_key
from pyrograph.scanner.analysis.label.predicate_checks import first_result_of
from pyrograph.scanner.analysis.label.quantifiers import equal_to_some
from pyrograph.scanner.analysis.label.text_origins import asked_of, is_untrusted, kept_from, roots_of
from pyrograph.scanner.analysis.label.unknown_patterns import matched_by_unknown
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    EQUAL_TEST,
    IN_TEST,
    LESS_TEST,
    LOAD_OP,
    NEW_OP,
    STORE_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

FIRST: Final = Port("from", 0)
UNDER_FIRST: Final = Port("this", path=("$0",))


def unverified_values(facts: Facts, test: int, left: int, right: int) -> tuple[Collection[int], Collection[int]]:
    """Representatives that a condition checks in a way that no rule describes: (where it fails, where it holds).

    Such checks are equality with a value that is not constant, membership in a collection that is not constant,
    equality with some element of it that a function looks for, the truth of a call that is named after validation or
    lookup or that queries something external, a match with a pattern that the code does not show, a lookup whose result
    is not null, what a table that is not constant holds under the value as a key, a path that is compared as it is
    written, and a library's validator that returns no error.
    """
    elements = equal_to_some(facts, test, left, right)
    if any(elements):
        return elements
    keys = keys_looked_up(facts, test, left, right)
    if keys:
        return (keys, ()) if test == EQUAL_TEST else ((), keys)
    if test in (EQUAL_TEST, LESS_TEST) and (members := members_by_position(facts, left, right)):
        is_there = shows_presence(facts, test, left, right)
        return (members if is_there is False else ()), (members if is_there else ())
    if test == EQUAL_TEST:
        if facts.constant(right) == "null" and facts.op[facts.rep[left]] == CALL_OP:
            call = facts.data[facts.rep[left]]
            if facts.labels.checks.formal.get(call) == frozenset():
                return (), ()
            if matched := matched_by_unknown(facts, call):
                return matched, ()
            name = called_name(facts, call)
            return (argument_roots(facts, call) if is_lookup(facts, call, name) else ()), refusable(facts, call, name)
        found: set[int] = set()
        for operand, other in ((left, right), (right, left)):
            if facts.constant(other) is not None or is_constant_element(facts, other):
                continue
            if not is_untrusted(facts, other):
                found |= asked_of(facts, operand, "eq")
        return (), found
    if test == IN_TEST:
        # whether a request has a part proves nothing of its name, nor of the part: "if name in request.args"
        if facts.is_constant_collection(right) or is_given(facts, right):
            return (), ()
        return (), {each for each in asked_of(facts, left, "in") if not is_own_key(facts, each, right)}
    if test == TRUTH_TEST and facts.op[facts.rep[left]] == LOAD_OP:
        call = call_with_results(facts, facts.rep[left])
        if matched := matched_by_unknown(facts, first_result_of(facts, facts.rep[left])):
            return (), matched
        given = refusable(facts, call, called_name(facts, call)) if call != NONE else ()
        return given, given  # an error or a boolean: which of them is not known
    if test != TRUTH_TEST or facts.op[facts.rep[left]] != CALL_OP:
        return (), ()
    call = measured_call(facts, facts.data[facts.rep[left]])
    if facts.labels.checks.formal.get(call) == frozenset():
        return (), ()
    members = members_of_unknown(facts, call)
    if members:
        return (), members
    if matched := matched_by_unknown(facts, call):
        return (), matched
    name = called_name(facts, call)
    if name in PATH_TESTS:
        path = facts.call_receiver[call]
        return (), roots_of(facts, path, "eq") if path != NONE and not is_put_together(facts, path) else ()
    checking = VALIDATOR_NAMES.search(name) is not None and not proves_nothing(facts, call)
    if not checking and not is_lookup(facts, call, name) and not is_external_query(facts, call):
        return (), ()
    if NEGATIVE_VALIDATOR_NAMES.search(name):
        return argument_roots(facts, call), ()
    if checking and returns_error(facts, call):
        return (), ()  # where it is true, something is wrong; else, what the function asks is known or looked into
    fails = refusable(facts, call, name) if facts.traits_of(facts.call_result[call]).multiple_results else ()
    return fails, argument_roots(facts, call)


def keys_looked_up(facts: Facts, test: int, left: int, right: int) -> set[int]:
    """The keys under which a table of the program holds something, ``if handlers.get(name)``, or nothing where a
    condition compares that with null. Nothing is proven by a table that comes from the request; and where a missing key
    raises, so that no condition has to be written, by what a call made, which may give something for each key.
    """
    if test != TRUTH_TEST and not (test == EQUAL_TEST and facts.constant(right) in ABSENT):
        return set()
    value = left if facts.op[left] == LOAD_OP else facts.rep[left]
    if facts.op[value] == LOAD_OP:
        key = facts.load_key[facts.data[value]]
        table, given = facts.load_object[facts.data[value]], [] if key > FIRST_VALUE_KEY else [key_value(key)]
        if given and facts.traits_of(value).missing_keys_raise and not is_written_down(facts, table):
            return set()
    elif facts.op[value] == CALL_OP and facts.call_receiver[facts.data[value]] != NONE:
        call = facts.data[value]
        table = facts.call_receiver[call]
        given = [facts.arg_value[row] for row in facts.args.at(call, FIRST)] if is_of_table(facts, call) else []
    else:
        return set()
    if not given or facts.is_constant_collection(table) or is_given(facts, table):
        return set()
    found = {root for each in given for root in roots_of(facts, each, "in")}
    return {root for root in found if not is_own_key(facts, root, table)}


def is_written_down(facts: Facts, table: int) -> bool:
    """Whether a table is a literal of the program, by whatever names it gets here, fields of objects and functions that
    return it included.
    """
    work, seen, roots = [facts.rep[table]], {facts.rep[table]}, set[int]()
    while work and len(seen) < MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at = work.pop()
        names, others = facts.held(at) if facts.op[at] in NAMED else (frozenset[int](), frozenset((at,)))
        made = {each for each in others if facts.op[each] == CALL_OP and facts.data[each] not in facts.calls.apis_of}
        further = {facts.rep[each] for call in made for each in results_of(facts, facts.data[call])}
        if facts.op[at] == LOAD_OP and not names and not others:
            further |= stored_in_field(facts, facts.load_object[facts.data[at]], facts.load_key[facts.data[at]])
        roots |= {each for each in others if each not in made or not results_of(facts, facts.data[each])}
        work += sorted((names | further) - seen)
        seen |= names | others | further
    return bool(roots) and not work and all(facts.op[each] in (NEW_OP, STORE_OP) for each in roots)


def stored_in_field(facts: Facts, holder: int, key: int) -> set[int]:
    """Representatives of what stores put under a key into an object of the classes of ``holder``, by whatever name."""
    stores = facts.tables["stores"]
    classes = set(subjects(facts.resolution.states_of(holder), INSTANCE_OF))
    found: set[int] = set()
    for row in facts.flows.stores_under(key).tolist() if key >= 0 and classes else ():
        value, owner = int(stores["value"][row]), int(stores["object"][row])
        if value != NONE and not classes.isdisjoint(subjects(facts.resolution.states_of(owner), INSTANCE_OF)):
            found.add(facts.rep[value])
    return found


def is_of_table(facts: Facts, call: int) -> bool:
    """Whether a call returns what its receiver holds under its first argument: ``dict.get``, ``Map.get``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    flows = [flow for each in roles if each is not None for made in each.propagators for flow in made.flows]
    return any(isinstance(flow, Flow) and flow.origin == UNDER_FIRST and flow.target.kind == "ret" for flow in flows)


def members_by_position(facts: Facts, left: int, right: int) -> set[int]:
    """What a comparison looks for in a collection that is not constant, ``client.urls.indexOf(x) >= 0``."""
    _, operands = index_call(facts, left if facts.op[left] == CALL_OP else right)
    if len(operands) < 2 or facts.constant(operands[1]) is not None or facts.is_constant_collection(operands[0]):
        return set()
    return set() if is_given(facts, operands[0]) else asked_of(facts, operands[1], "in")


def members_of_unknown(facts: Facts, call: int) -> set[int]:
    """What a predicate of a pack, where it holds, finds in a collection that is not constant.

    Such a guard asks that the collection is constant, ``slices.Contains(client.Addresses, x)``. Of one that comes from
    the request, nothing is proven.
    """
    found: set[int] = set()
    language = facts.language(facts.call_result[call])
    guards = facts.guards.tests.get(language, {}).get("call")
    paths = [facts.apis[language].paths[node] for node in facts.calls.apis_of.get(call, ())]
    for guard in guards.plain if guards is not None and paths else ():
        if guard.api not in paths or guard.port is None or guard.when_false:
            continue
        collections = unknown_collections(facts, call, guard)
        if collections and not any(is_given(facts, each) for each in collections):
            for row in facts.args.at(call, guard.port):
                found.update(asked_of(facts, facts.arg_value[row], "call"))
    return set() if asks_for_own_key(facts, call, found) else found


def refusable(facts: Facts, call: int, name: str) -> Collection[int]:
    """What a validator of a library that no pack describes is given, where null says that it is right:
    ``err := rules.ValidateName(name)``. Whole records are left out: most often such a call asks for required fields.
    """
    if facts.calls.functions_of(call) or call in facts.calls.apis_of or VALIDATOR_NAMES.search(name) is None:
        return ()
    if NEGATIVE_VALIDATOR_NAMES.search(name) or facts.labels.checks.formal.get(call) == frozenset():
        return ()
    return {each for each in argument_roots(facts, call) if not subjects(facts.resolution.states_of(each), INSTANCE_OF)}


def returns_error(facts: Facts, call: int) -> bool:
    """Whether a call returns null where all is well: of functions of the program, in a language whose errors are
    results.
    """
    functions = facts.calls.functions_of(call)
    return (
        facts.traits_of(facts.call_result[call]).multiple_results
        and bool(functions)
        and all(
            any(facts.constant(each) == "null" for each in facts.flows.same_as(int(result)))
            for result in facts.tables["functions"]["result"][functions]
        )
    )


def call_with_results(facts: Facts, load: int) -> int:
    """The call of several results that one was loaded from, or ``NONE``."""
    made = facts.rep[facts.load_object[facts.data[load]]]
    if facts.op[made] != CALL_OP:
        return NONE
    call = facts.data[made]
    return call if int(facts.tables["calls"]["flags"][call]) & CallFlag.MULTI else NONE


def proves_nothing(facts: Facts, call: int) -> bool:
    """Whether a call is only of functions of the program none of which asks something of a text (``telling``)."""
    functions = facts.calls.functions_of(call)
    return (
        bool(functions)
        and call in facts.resolution.fully_resolved
        and not any(facts.labels.checks.telling[function] for function in functions)
    )


def is_put_together(facts: Facts, path: int) -> bool:
    """Whether a call made a path of several parts as they are written: ``root / name`` still holds each ``..``."""
    made = facts.rep[path]
    call = facts.data[made] if facts.op[made] == CALL_OP else NONE
    apis = facts.apis[facts.language(made)]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    flows = [flow for each in roles if each is not None for given in each.propagators for flow in given.flows]
    into = [flow for flow in flows if isinstance(flow, Flow) and flow.target.kind == "ret"]
    return any(flow.origin.kind != "this" for flow in into) and not any(flow.normalising for flow in into)


def is_external_query(facts: Facts, call: int) -> bool:
    """Whether the type of an argument or of a parameter shows that the call queries something external: a database."""
    asking = facts.apis[facts.language(facts.call_result[call])].checks.asking
    if not asking or call in facts.calls.apis_of:
        return False
    parameters = facts.tables["parameters"]["value"]
    given = [facts.arg_value[row] for row in facts.args.of(call)]
    given += [
        int(parameters[row]) for each in facts.calls.functions_of(call) for row in facts.functions.parameters_of(each)
    ]
    return any(not asking.isdisjoint(facts.resolution.api_nodes(value)) for value in given)


def is_lookup(facts: Facts, call: int, name: str) -> bool:
    """Whether a call that is not modelled is named after lookup; not one that only chooses what runs, nor one of
    functions of the program that ask for a file of this name, which may be any.
    """
    checks, functions = facts.labels.checks, facts.calls.functions_of(call)
    if call in checks.choosing:
        return False
    if functions and call in facts.resolution.fully_resolved and checks.formal_functions.issuperset(functions):
        return False
    return call not in facts.calls.apis_of and LOOKUP_NAMES.search(name) is not None


def argument_roots(facts: Facts, call: int) -> set[int]:
    """Representatives of the arguments of a call, of the texts they were made from, and of those calls' arguments."""
    rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    found = {value for row in rows for value in kept_from(facts, facts.rep[facts.arg_value[row]])}
    for value in tuple(found):
        if facts.op[value] == CALL_OP and facts.calls.functions_of(facts.data[value]):  # a function of the program
            found.update(facts.rep[facts.arg_value[row]] for row in facts.args.of(facts.data[value]))
    return found


def measured_call(facts: Facts, call: int) -> int:
    """The inner call of ``len(matches(x))``, where a library call measures its result; else ``call`` itself."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    rows = facts.args.of(call)
    inner = facts.rep[facts.arg_value[rows[0]]] if len(rows) == 1 else NONE
    silent = roles and all(each is not None and any(not p.flows for p in each.propagators) for each in roles)
    return facts.data[inner] if inner != NONE and silent and facts.op[inner] == CALL_OP else call


def called_name(facts: Facts, call: int) -> str:
    """The last part of the callee's name, or ""."""
    callee = facts.call_callee[call]
    if facts.op[callee] == LOAD_OP:
        name = facts.load_key[facts.data[callee]]
    else:
        functions = facts.calls.functions_of(call)
        name = int(facts.tables["functions"]["name"][functions[0]]) if functions else NONE
    return facts.program.strings[name] if name >= 0 else ""
