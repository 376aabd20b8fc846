"""What a value may be: the definitions of variables, attributes and parameters, what tables and lists hold, and what
functions return.

Each function answers a question about one step, except ``made_where``, which follows steps to constants and calls.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CONST_OP,
    FIELD_OP,
    GLOBAL_OP,
    LOAD_OP,
    NEW_OP,
    PARAMETER_OP,
    PHI_OP,
)
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF


def definitions(facts: Facts, rep: int) -> list[int]:
    """The values that a merge, a parameter of a function with one call, a variable or an attribute may be, one step
    back; none for other values, and where it is not known.
    """
    op = facts.op[rep]
    if op in (PHI_OP, CARRY_OP):
        return facts.flows.same_as(rep)
    if rep in facts.flows.captured:
        return [facts.flows.captured[rep]]
    if op == PARAMETER_OP:
        arguments = facts.calls.arguments_for(rep)
        return arguments if len(arguments) == 1 else []
    if op not in NAMED:
        return []
    # functions that read a variable pass it on to one another; what was stored in it is something else
    held = [origin for origin in facts.flows.heap_in.get(rep, ()) if facts.op[facts.rep[origin]] != GLOBAL_OP]
    return held if held or op != LOAD_OP else [attribute(facts, rep)]


def made_where(facts: Facts, value: int) -> list[int]:
    """The constants and calls that ``value`` may be: through merges, attributes, elements of tables, and parameters of
    functions with one call. None are known if there are more than ``MAX_DEFINITIONS`` values to look through: whoever
    asks wants all of them, or the only one.
    """
    found, is_whole = some_made(facts, value)
    return found if is_whole else []


def some_made(facts: Facts, value: int) -> tuple[list[int], bool]:
    """The same among ``MAX_DEFINITIONS`` values, and whether these are all."""
    found: list[int] = []
    seen: set[int] = set()
    work = [value]
    is_whole = True
    while work:
        if len(seen) >= MAX_DEFINITIONS:
            return found, False
        at = work.pop()
        rep = facts.rep[at]
        if rep in seen:
            continue
        seen.add(rep)
        op = facts.op[rep]
        if op == CALL_OP or facts.constant(at) is not None:
            found.append(at)
        elif op == LOAD_OP and rep not in facts.flows.heap_in:
            load = facts.data[rep]
            last, are_all = last_elements(facts, facts.load_object[load], facts.load_key[load])
            is_whole = is_whole and are_all
            work += [*last, attribute(facts, rep)]
        elif is_given_elements(facts, rep):
            tables = facts.calls.elements_for(rep)
            if len(tables) == 1:
                last, are_all = last_elements(facts, *tables[0])
                is_whole = is_whole and are_all
                work += last
        else:
            work += definitions(facts, rep)
    return found, is_whole


def defaults_of(facts: Facts, value: int) -> list[int]:
    """The default of a parameter for which no call of the program has an argument, if the program calls the function at
    all: something else that calls it may pass another one. ``def ok(x, pattern=re.compile("a"))``
    """
    rep = facts.rep[value]
    if not is_given_elements(facts, rep) or facts.calls.elements_for(rep):
        return []
    return facts.flows.same_as(rep) if facts.calls.is_called(int(facts.function_of[rep])) else []


def one_maker(facts: Facts, value: int) -> int:
    """The call that alone makes ``value``, see ``made_where``; or ``NONE``."""
    made = made_where(facts, value)
    rep = facts.rep[made[0]] if len(made) == 1 else NONE
    return facts.data[rep] if rep != NONE and facts.op[rep] == CALL_OP else NONE


def is_given_elements(facts: Facts, rep: int) -> bool:
    """Whether ``rep`` is a parameter for which no call of the program has an argument: a library may give it any."""
    return facts.op[rep] == PARAMETER_OP and rep not in facts.flows.captured and not facts.calls.arguments_for(rep)


def asked_elements(facts: Facts, rep: int) -> list[int]:
    """The elements of the one table about each of which a library asks the function whose parameter ``rep`` is."""
    if not is_given_elements(facts, rep):
        return []
    tables = facts.calls.elements_for(rep)
    return (elements(facts, *tables[0]) or []) if len(tables) == 1 else []


def elements(facts: Facts, table: int, key: int) -> list[int] | None:
    """The values that a table holds under a key, or all its values if the key is not known; None where the file has no
    steps left to tell: they may be any.
    """
    stores, flows = facts.tables["stores"], facts.flows
    if not facts.budget.spend(table, 0):
        return None
    tables = dict.fromkeys([each for group in tables_of(facts, table) for each in group])
    rows = [row for each in tables for row in (flows.stores_into(each) if key < 0 else flows.stores_at(each, key))]
    facts.budget.spend(table, len(tables) + len(rows))
    return [int(stores["value"][row]) for row in rows]


def last_elements(facts: Facts, table: int, key: int) -> tuple[list[int], bool]:
    """The last of ``elements``, with ``MAX_DEFINITIONS`` representatives among them, and whether they are all."""
    stores, flows = facts.tables["stores"], facts.flows
    found: list[int] = []
    reps: set[int] = set()
    seen: set[int] = set()
    steps = 0
    if not facts.budget.spend(table, 0):
        return [], False
    for group in reversed(tables_of(facts, table)):
        for each in reversed(group):
            steps += 1
            if each in seen:
                continue
            seen.add(each)
            rows = flows.stores_into(each) if key < 0 else flows.stores_at(each, key)
            for row in reversed(rows):
                if len(reps) >= MAX_DEFINITIONS:
                    facts.budget.spend(table, steps)
                    return found[::-1], False
                steps += 1
                value = int(stores["value"][row])
                found.append(value)
                reps.add(facts.rep[value])
    facts.budget.spend(table, steps)
    return found[::-1], True


def tables_of(facts: Facts, table: int) -> list[tuple[int, ...]]:
    """Representatives of the tables that a value may be, through names, in groups of those that one name holds; a table
    may stand in several. No name is looked through where ``MAX_DEFINITIONS`` are known.
    """
    groups: list[tuple[int, ...]] = [(facts.rep[table],)]
    known = set(groups[0])
    work = list(groups[0])
    while work and len(known) < MAX_DEFINITIONS:
        at = work.pop()
        if facts.op[at] in NAMED:
            group = facts.flows.held_by(at)
            groups.append(group)
            if len(group) >= MAX_DEFINITIONS:
                break
            work += [each for each in group if each not in known]
            known.update(group)
    return groups


def listed(facts: Facts, value: int) -> list[int]:
    """The values that a literal holds, ``("/", root)``; none if there are more than ``MAX_DEFINITIONS``."""
    rep = facts.rep[value]
    rows = facts.flows.stores_into(rep) if facts.op[rep] == NEW_OP else []
    return [int(facts.tables["stores"]["value"][row]) for row in rows] if len(rows) <= MAX_DEFINITIONS else []


def written_as(facts: Facts, holder: int) -> list[int]:
    """The literals that a variable may hold, through the names of modules and of closures; ``holder`` itself where it
    has no name. At most ``MAX_DEFINITIONS`` values are looked at.
    """
    seen, work = {holder}, [holder]
    found: list[int] = []
    while work and len(seen) <= MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at = work.pop()
        if at in facts.flows.captured:
            before = {facts.rep[facts.flows.captured[at]]}
        else:
            before = {facts.rep[each] for each in facts.flows.heap_in.get(at, ())} if facts.op[at] in NAMED else set()
            if not before:
                found.append(at)
        work += sorted(before - seen)
        seen |= before
    return sorted(found) if not work else []


def choices(facts: Facts, rep: int) -> list[int]:
    """The values that a merge or an element of a constant list may be, or the elements of such a list; none if there
    are more than ``MAX_DEFINITIONS``.
    """
    found: list[int] = []
    if facts.op[rep] == PHI_OP:
        found = facts.flows.same_as(rep)
    else:
        holder = rep
        if facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] < 0:
            holder = facts.rep[facts.load_object[facts.data[rep]]]
        elif is_given_elements(facts, rep):
            tables = facts.calls.elements_for(rep)
            holder = facts.rep[tables[0][0]] if len(tables) == 1 and tables[0][1] < 0 else rep
        stores = facts.tables["stores"]
        is_constant = facts.is_constant_collection(holder)
        rows = (
            [row for each in written_as(facts, holder) for row in facts.flows.stores_into(each)] if is_constant else []
        )
        if not any(stores["key"][row] >= 0 and not facts.program.strings[stores["key"][row]].isdigit() for row in rows):
            found = [int(stores["value"][row]) for row in rows]
    return found if len(found) <= MAX_DEFINITIONS else []


def attribute(facts: Facts, value: int) -> int:
    """The value of the attribute that was loaded, if its class and methods define it once; else ``value``."""
    found = attributes(facts, value)
    return next(iter(found)) if len(found) == 1 else value


def attributes(facts: Facts, value: int) -> frozenset[int]:
    """The values that an attribute, which was loaded, gets by its class and methods; looked for once."""
    rep = facts.rep[value]
    known = facts.constants.attributes.get(rep)
    if known is None:
        known = facts.constants.attributes[rep] = frozenset(_attributes(facts, rep))
    return known


def attributes_among(facts: Facts, value: int, most: int) -> set[int]:
    """``attributes``, of up to ``most`` stores under the key in all classes."""
    return _attributes(facts, facts.rep[value], most)


def _attributes(facts: Facts, rep: int, most: int = MAX_DEFINITIONS) -> set[int]:
    row = facts.data[rep]
    key, read = facts.load_key[row], facts.load_object[row]
    classes = {state >> KIND_BITS for state in facts.resolution.states_of(read) if state & KIND in (CLASS, INSTANCE_OF)}
    if key < 0 or not classes:
        return set()
    related = {each for owner in classes for each in facts.functions.lineage(owner)}
    found: set[int] = set()
    for table, rows, owner in (
        ("members", facts.flows.members_named(key), "owner"),
        ("stores", facts.flows.stores_under(key), "object"),
    ):
        columns = facts.tables[table]
        for at in rows[:most].tolist():
            states = facts.resolution.states_of(int(columns[owner][at]))
            if any(state & KIND in (CLASS, INSTANCE_OF) and state >> KIND_BITS in related for state in states):
                held = int(columns["value"][at])
                if held != NONE and facts.op[held] != FIELD_OP:  # a declaration gives it no value
                    found.add(facts.rep[held])
    found.discard(rep)  # a post-update value is the same object
    return found


def objects_before(facts: Facts, rep: int) -> list[int]:
    """Representatives of the objects that a version may be: those of ``definitions``, and the arguments of all calls
    for a parameter.

    The result of a method of such an object, or its element, counts as the same: ``__enter__`` of a context manager.
    """
    op = facts.op[rep]
    if op == PARAMETER_OP and rep not in facts.flows.captured:
        return facts.calls.arguments_for(rep)
    origins = [facts.rep[origin] for origin in definitions(facts, rep)]
    if op in (PHI_OP, CARRY_OP):
        origins = [origin for origin in origins if origin_of(facts, origin) not in origins]
    elif op in NAMED:
        origins = sorted(origin for origin in origins if facts.op[origin] not in (CONST_OP, FIELD_OP))
    return [origin for origin in dict.fromkeys(origins) if origin != rep]


def origin_of(facts: Facts, rep: int) -> int:
    """The object whose method or element ``rep`` is, or NONE."""
    if facts.op[rep] == CALL_OP and facts.call_receiver[facts.data[rep]] != NONE:
        return facts.rep[facts.call_receiver[facts.data[rep]]]
    return facts.rep[facts.load_object[facts.data[rep]]] if facts.op[rep] == LOAD_OP else NONE


def results_of(facts: Facts, call: int) -> list[int]:
    """The values that the functions of the program return that a call may call."""
    results = facts.tables["functions"]["result"]
    found: list[int] = []
    for function in facts.calls.functions_of(call):
        found += facts.flows.same_as(int(results[function]))
    return found
