"""The names that a computed key may be: ``row[k]`` behind ``if k in ("name", "title")``, or in a loop over these.

A store under such a key changes the fields of these names and no other one. The key is followed back through its
versions, merges, variables that closures capture, and lists that a function filtered, until

* a condition leaves the texts of a constant collection, or one text;
* it is any element of such a collection, or a constant.

Any other origin may be any name. At most ``MAX_DEFINITIONS`` values are looked at for one key; lowering keeps the
elements of literals with at most ``MAX_CONSTANT_ITEMS``.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from pyrograph.ir.codes import KEYS, NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.label.definitions import elements, is_given_elements
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    EQUAL_TEST,
    IN_TEST,
    LOAD_OP,
    NEW_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)

Names = tuple[str, ...]  # empty: it may be any
ASKING = frozenset({"contains", "lookup"})  # the tests of ``QuestionTraits`` that a collection answers


def stored_names(facts: Facts) -> None:
    """Fill ``KnownKeys.stored`` for the stores into values of the chop."""
    stores = facts.tables["stores"]
    rows = np.flatnonzero((stores["key"] <= FIRST_VALUE_KEY) & facts.labels.chop[stores["object"]])
    for row in rows.tolist():
        names = names_of_key(facts, key_value(int(stores["key"][row])))
        if names:
            facts.labels.keys.stored[row] = tuple([facts.program.intern(name) for name in names])


def names_of_key(facts: Facts, key: int) -> Names:
    """The texts that ``key`` may be; none where it may be any."""
    found: dict[str, None] = {}
    seen = {key}
    work = [key]
    while work:  # what is pushed is new in ``seen``, to the bound
        at = work.pop()
        names = names_here(facts, at)
        if names:
            found.update(dict.fromkeys(names))
            continue
        before = values_before(facts, at)
        if not before or len(seen) > MAX_DEFINITIONS:
            return ()
        work += [each for each in before if each not in seen]
        seen.update(before)
    return tuple(found)


def names_here(facts: Facts, value: int) -> Names:
    """The texts that ``value`` is one of by its own definition."""
    text = facts.constant(value)
    if text is not None:
        return (text[1:],) if text[:1] == "'" else ()
    op = facts.op[value]
    if op == PI_OP:
        return names_behind(facts, facts.data[value], facts.rep[value])
    if op == LOAD_OP:
        row = facts.data[value]
        key = facts.load_key[row]
        if key >= 0:
            return names_in(facts, facts.load_object[row], of_keys=True) if facts.program.strings[key] == KEYS else ()
        return names_in(facts, facts.load_object[row], of_keys=False)
    table = given_from(facts, value)
    return names_in(facts, table, of_keys=False) if table != NONE else ()


def values_before(facts: Facts, value: int) -> list[int]:
    """The values that ``value`` is one of, one step back; none where that is not known."""
    op = facts.op[value]
    if op == PI_OP:
        return [int(facts.tables["pis"]["input"][facts.data[value]])]
    if op == POST_OP:
        return [facts.arg_value[facts.data[value]]]
    if op in (PHI_OP, CARRY_OP):
        return facts.flows.same_as(value)
    if op == PARAMETER_OP and value in facts.flows.captured:
        return [facts.flows.captured[value]]
    if op == LOAD_OP and facts.load_key[facts.data[value]] < 0:
        return kept_elements(facts, facts.load_object[facts.data[value]])
    table = given_from(facts, value)
    return kept_elements(facts, table) if table != NONE else []


def given_from(facts: Facts, value: int) -> int:
    """The one table whose elements libraries give the parameter ``value``, if no call gives it another one; or NONE."""
    if not is_given_elements(facts, value):
        return NONE
    tables = {(facts.rep[table], key < 0) for table, key in facts.calls.elements_for(value)}
    table, is_any = next(iter(tables)) if len(tables) == 1 else (NONE, False)
    return table if is_any else NONE


def kept_elements(facts: Facts, table: int) -> list[int]:
    """The elements that a library's call keeps in its result, as a function of the program leaves them:
    ``keys.filter((key) => NAMES.includes(key))``.
    """
    made = facts.rep[table]
    return facts.flows.returned_elements(made) if facts.op[made] == CALL_OP else []


def names_behind(facts: Facts, row: int, rep: int) -> Names:
    """The texts that one side of a condition leaves of a value; ``row`` is that of its version there."""
    pis, conditions = facts.tables["pis"], facts.tables["conditions"]
    if not pis["side"][row]:
        return ()
    condition = int(pis["condition"][row])
    test, left, right = (int(conditions[name][condition]) for name in ("test", "left", "right"))
    if test == EQUAL_TEST:
        for operand, other in ((left, right), (right, left)):
            text = facts.constant(other) if operand != NONE and other != NONE else None
            if text is not None and text[:1] == "'" and facts.rep[operand] == rep:
                return (text[1:],)
    elif test == IN_TEST and facts.rep[left] == rep:
        return names_in(facts, right, of_keys=True)
    elif test == TRUTH_TEST and facts.op[left] == LOAD_OP:
        load = facts.data[left]
        key = facts.load_key[load]
        if key <= FIRST_VALUE_KEY and facts.rep[key_value(key)] == rep:
            return names_in(facts, facts.load_object[load], of_keys=True)
    elif test == TRUTH_TEST and facts.op[left] == CALL_OP:
        return names_asked(facts, facts.data[left], rep)
    return ()


def names_asked(facts: Facts, call: int, rep: int) -> Names:
    """The texts of the constant collection that a call asks whether it holds a value: ``NAMES.includes(key)``."""
    name = int(facts.tables["calls"]["name"][call])
    tests = facts.traits_of(facts.call_result[call]).questions.tests
    if name < 0 or tests.get(facts.program.strings[name]) not in ASKING or facts.calls.functions_of(call):
        return ()
    rows = [*facts.args.at(call, Port("this")), *facts.args.at(call, Port("from", 0))]
    operands = [facts.arg_value[row] for row in rows]
    for collection, member in pairwise(operands):
        if facts.rep[member] == rep and facts.is_constant_collection(collection):
            return names_in(facts, collection, of_keys=True)
    return ()


def names_of_firsts(facts: Facts, pairs: int) -> Names:
    """The texts that the first of each pair in a list may be: ``[(k, v) for k, v in rows if k in NAMES]``,
    ``rows.filter(([k]) => NAMES.includes(k))``; none where it may be any.
    """
    made = facts.rep[pairs]
    listed = facts.flows.returned_elements(made) if facts.op[made] == CALL_OP else elements(facts, pairs, NONE) or []
    found: dict[str, None] = {}
    for pair in dict.fromkeys([facts.rep[each] for each in listed]) if len(listed) <= MAX_DEFINITIONS else ():
        names = names_of_first(facts, pair)
        if not names:
            return ()
        found.update(dict.fromkeys(names))
    return tuple(found)


def names_of_first(facts: Facts, pair: int) -> Names:
    """The same of one pair: a literal, or the parameter of a function that keeps a pair if it is true of it."""
    first = facts.program.intern("0")
    if facts.op[pair] == NEW_OP:
        stored = facts.tables["stores"]["value"][facts.flows.stores_at(pair, first)].tolist()
        return names_of_key(facts, stored[0]) if len(stored) == 1 else ()
    if facts.op[pair] != PARAMETER_OP:
        return ()
    parts = [each for each in facts.flows.loads_from(pair) if facts.load_key[facts.data[each]] == first]
    found: dict[str, None] = {}
    for answer in facts.flows.same_as(int(facts.tables["functions"]["result"][facts.function_of[pair]])):
        if facts.constant(answer) == "false":
            continue
        asked = [names_asked(facts, facts.data[answer], part) for part in parts] if facts.op[answer] == CALL_OP else []
        names = next((each for each in asked if each), ())
        if not names:
            return ()
        found.update(dict.fromkeys(names))
    return tuple(found)


def names_in(facts: Facts, collection: int, *, of_keys: bool) -> Names:
    """The elements of a constant collection if they are texts. ``of_keys``: of a table, its keys; else a table has
    none, since languages differ in what a loop over one gets.
    """
    asked = facts.rep[collection], of_keys
    known = facts.constants.names.get(asked)
    if known is None:
        known = facts.constants.names[asked] = _names_in(facts, facts.rep[collection], of_keys=of_keys)
    return known


def _names_in(facts: Facts, collection: int, *, of_keys: bool) -> Names:
    stores = facts.tables["stores"]
    found: dict[str, None] = {}
    for literal, is_copied in literals_of(facts, collection) if facts.is_constant_collection(collection) else ():
        values, key_of = stores["value"], stores["key"]
        rows = facts.flows.stores_into(literal)
        rows = [row for row in rows if not facts.is_own_element(int(values[row]), literal)]
        if facts.data[literal] != 1 or not rows:
            return ()  # not all elements are known
        keys = [int(key_of[row]) for row in rows]
        named = [facts.program.strings[key] if key >= 0 else "" for key in keys]
        is_set = all([key == UNKNOWN_KEY for key in keys])
        if not is_set and named != [str(position) for position in range(len(keys))]:
            if not of_keys or is_copied or min(keys) < 0:
                return ()
            found.update(dict.fromkeys(named))
            continue
        texts = [facts.constant(value) if value != NONE else None for value in values[rows].tolist()]
        if not all([each is not None and each[:1] == "'" for each in texts]):
            return ()
        found.update(dict.fromkeys([text[1:] for text in texts if text is not None]))
    return tuple(found)


def literals_of(facts: Facts, collection: int) -> list[tuple[int, bool]]:
    """The literals that a constant collection may be, and whether a call copies their elements: ``new Set([...])``.
    None where one of them is not known, or there are more than ``MAX_DEFINITIONS`` values to look through.
    """
    found: list[tuple[int, bool]] = []
    seen: set[tuple[int, bool]] = {(collection, False)}
    work = [(collection, False)]
    while work:  # what is pushed is new in ``seen``, to the bound
        at, is_copied = work.pop()
        op = facts.op[at]
        if op == NEW_OP:
            if facts.flows.origins_of(at):
                return []  # it is spread into, ``[*BASE, "a"]``
            found.append((at, is_copied))
            continue
        before: list[int] = []
        if op == CALL_OP:
            before, is_copied = copied(facts, facts.data[at]), True
        elif op == PARAMETER_OP and at in facts.flows.captured:
            before = [facts.flows.captured[at]]
        elif op == PARAMETER_OP:
            before = facts.calls.arguments_for(at)
        elif op in NAMED:
            names, others = facts.held(at)
            before = sorted(names | others)
        further = {(facts.rep[each], is_copied) for each in before}
        if not further or len(seen) > MAX_DEFINITIONS:
            return []
        work += sorted(further - seen)
        seen |= further
    return found


def copied(facts: Facts, call: int) -> list[int]:
    """The only argument of a library's call that makes a collection of it: ``frozenset([...])``."""
    rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    if len(rows) != 1 or facts.calls.functions_of(call) or not facts.calls.apis_of.get(call):
        return []
    apis = facts.apis[facts.language(facts.call_result[call])]
    for node in facts.calls.apis_of[call]:
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            if any(isinstance(flow, Flow) and flow.origin.kind == "this" for flow in propagator.flows):
                return []  # ``NAMES.concat(["a"])``
    return [facts.arg_value[rows[0]]]


def named_paths(facts: Facts, call: int, *paths: tuple[str, ...]) -> list[tuple[tuple[int, ...], ...]]:
    """``Facts.keys`` of several paths, once for each key that arguments of the call name where ``[$1+]`` stands: for
    ``pick(x, "a", "b")`` and ``pick(x, ["a", "b"])``, the keys "a" and "b". The same where ``[$1]`` stands and the
    argument may be one of several names: ``for name in ("a", "b"): setattr(x, name, y)``.
    """
    if not any(paths):
        return [tuple([()] * len(paths))]
    counted = next((key for path in paths for key in path if key[0:1] == "$" and key[-1] == "+"), "")
    if counted:
        rows = facts.args.at(call, Port("from", int(counted[1:-1])))
        return with_key(facts, call, paths, counted, listed_names(facts, [facts.arg_value[row] for row in rows]))
    taken = next((key for path in paths for key in path if key[0:1] == "$" and key[1:].isdigit()), "")
    rows = facts.args.at(call, Port("position", int(taken[1:]))) if taken else []
    names = names_of_key(facts, facts.arg_value[rows[0]]) if rows else ()
    return with_key(facts, call, paths, taken, names) or [tuple([facts.keys(call, path) for path in paths])]


def with_key(
    facts: Facts, call: int, paths: tuple[tuple[str, ...], ...], key: str, names: Names
) -> list[tuple[tuple[int, ...], ...]]:
    """The paths once for each name, which stands for ``key``; an empty one is any key."""
    return [
        tuple([facts.keys(call, [name if each == key else each for each in path]) for path in paths]) for name in names
    ]


def listed_names(facts: Facts, values: list[int]) -> Names:
    """The texts that arguments are or list; one that is empty where they may name any."""
    found: dict[str, None] = {}
    for value in values:
        made = facts.rep[value]
        names = names_in(facts, value, of_keys=False)
        if not names:
            stores = facts.flows.stores_into(made) if facts.op[made] == NEW_OP else []
            listed = facts.tables["stores"]["value"][stores].tolist() or [value]
            texts = [facts.constant(each) for each in listed]
            if None in texts:
                return ("",)
            names = tuple([text.removeprefix("'") for text in texts if text])
        found.update(dict.fromkeys(names))
    return tuple(found)
