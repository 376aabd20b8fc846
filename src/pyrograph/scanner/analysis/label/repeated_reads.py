"""A part of a request that is read again after a check: ``if c.Query("by") == "name" { order = c.Query("by") }``; and
an element of a list, ``if (ok(list[i])) { use(list[i]) }``. A language may say which methods read as a subscript does:
``GET["by"] if GET.get("by", "") in COLUMNS else "name"``.

A condition makes versions of variables, and what a call returns is none. So the second call's result is compared with
the first one's here: both read the same object by the same calls with the same constants, and each way to the second
one goes through a side of a condition that proves something of the first one's result, or of one of several such
results: ``list[i] === "a" || list[i] === "b"``.

Assumed: the calls give the same. They are modelled calls that are given a text, as the name of a parameter, and nothing
else, on an object that no modelled call writes to. What a call that reads as a subscript gives for a missing key is
constant, so that the other one reads a constant, too, or nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.ir.packed import key_value
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE, MAX_ROUND_STEPS
from pyrograph.scanner.analysis.conjunctions import Conjunctions, Side
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guard_checks import Check
from pyrograph.scanner.analysis.label.guards import answers_of
from pyrograph.scanner.analysis.label.object_states import unconditional
from pyrograph.scanner.analysis.label.quantifiers import checks_of
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.numbers import (
    BOTH_TEST,
    CALL_OP,
    FUNCTION_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    PARAMETER_OP,
    POST_OP,
)

Reading = tuple[object, ...]  # the same for two calls that read the same
Sides = tuple[Side, ...]


def repeated_reads(facts: Facts) -> None:
    """Mark results of calls, and elements, that read what was checked before. Needs the result of ``guarded_versions``.

    Time linear in the sources and in the conditions; what is read n times is compared with n conditions, to the budget
    of the file.
    """
    results = read_again(facts)
    if not results:
        return
    ways = Ways(facts)
    several: dict[
        int, tuple[list[int], dict[tuple[int, int], int], int]
    ] = {}  # by group: it, its checks, the last read
    for condition, check in checks_in(facts, {int(facts.function_of[value]) for value in results}):
        side = 0 if check.when_false else 1
        for first in [each for each in check.values if each in results]:
            for again in further_reads(facts, results, first):
                if again > first and ways.is_behind(again, ((condition, side),)):
                    facts.mark_clean(again, check.mask)
            for group in results[first]:
                _, checks, last = several.get(id(group), (group, {}, first))
                checks[condition, side] = check.mask
                several[id(group)] = group, checks, max(last, first)
    for group, checks, last in several.values():
        mask = facts.wanted.all
        for each in checks.values():
            mask &= each
        for again in group if len(checks) > 1 and mask else ():
            if again > last and ways.is_behind(again, tuple(checks)):
                facts.mark_clean(again, mask)


def answered_reads(facts: Facts, proven: Callable[[int], int]) -> None:
    """``repeated_reads`` where a function of the program is asked: ``GET["to"] if is_ours(GET.get("to")) else "/"``.

    ``proven``: the mask of a parameter's version at exits, by what its function has checked.
    """
    results = read_again(facts)
    if not results:
        return
    ways = Ways(facts)
    for condition, side, argument, version in answers_of(facts, {int(facts.function_of[value]) for value in results}):
        for again in further_reads(facts, results, facts.rep[argument]):
            if again > argument and ways.is_behind(again, ((condition, side),)):
                facts.mark_clean(again, proven(version))


def further_reads(facts: Facts, results: dict[int, list[list[int]]], rep: int) -> set[int]:
    """All that reads the same as ``rep``: nothing once the file's budget is spent."""
    groups = results.get(rep, ())
    if not groups or not facts.budget.spend(rep, sum(map(len, groups))):
        return set()
    return {each for group in groups for each in group}


def read_again(facts: Facts) -> dict[int, list[list[int]]]:
    """Representatives of what is read several times in one function -> the groups of all that reads the same."""
    results: dict[int, list[list[int]]] = {}
    for group in [*readings(facts), *elements_read_again(facts)]:
        for rep in {facts.rep[value] for value in group}:
            results.setdefault(rep, []).append(group)
    return results


def checks_in(facts: Facts, functions: set[int]) -> Iterator[tuple[int, Check]]:
    """The conditions of some functions, each with the checks that it is without a second condition."""
    table = facts.tables["conditions"]
    fill_conjunctions(facts)
    for condition in np.flatnonzero(among(table["function"], functions)).tolist():
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if left < 0 or test == BOTH_TEST:
            continue
        language = facts.language(left)
        for check in checks_of(facts, test, left, right, facts.guards.tests.get(language, {}), language):
            if check.conjunct is None:
                yield condition, check


def captured_reads(facts: Facts) -> None:
    """Mark members of captured objects that the function around checked on each way to where it makes the closure.

    ``if r.Host != own { return }; proxy.Director = func(out *http.Request) { out.URL.Host = r.Host }``. Assumed: the
    member is the same when the closure runs, if no store of either function or of one that gets the object, and no
    modelled call writes to the object.

    Time linear in the loads, and in the conditions and blocks of functions around closures that read such members.
    """
    wanted = captured_members(facts)
    if not wanted:
        return
    functions = facts.tables["functions"]
    made: dict[int, list[int]] = {}
    for value in np.flatnonzero(facts.tables["values"]["op"] == FUNCTION_OP).tolist():
        made.setdefault(facts.data[value], []).append(value)
    function_of = facts.tables["conditions"]["function"]
    ways = Ways(facts)
    for condition, check in checks_in(facts, {function for function, _ in wanted}):
        around, side = int(function_of[condition]), 0 if check.when_false else 1
        for first in check.values:
            for again in wanted.get((around, place_of(facts, first, MAX_GUARD_SLICE)), ()):
                closure = int(facts.function_of[again])
                places = [each for each in made.get(closure, ()) if int(facts.function_of[each]) == around]
                if not places or int(functions["parent"][closure]) != around:
                    continue
                if all([ways.is_behind(each, ((condition, side),)) for each in places]):
                    facts.mark_clean(again, check.mask)


def captured_members(facts: Facts) -> dict[tuple[int, Reading], list[int]]:
    """Loads of members of captured objects, by the function that declares the object and the place in it."""
    found: dict[tuple[int, Reading], list[int]] = {}
    written = {facts.rep[flow.target] for flow in facts.labels.flows if facts.op[flow.target] == POST_OP}
    written |= {facts.rep[each] for each in set(facts.tables["stores"]["object"].tolist())}
    work = [rep for rep in written if facts.op[rep] == PARAMETER_OP]
    while work:  # each value once
        further = {facts.rep[each] for each in facts.calls.arguments_for(work.pop())} - written
        written |= further
        work += further
    results = facts.tables["loads"]["result"]
    for value in results[facts.labels.chop[results]].tolist():
        keys: list[int] = []
        rep = value
        while facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] >= 0 and len(keys) < MAX_GUARD_SLICE:
            keys.append(facts.load_key[facts.data[rep]])
            rep = facts.rep[facts.load_object[facts.data[rep]]]
            if rep in written:
                keys.clear()
                break
        outer = facts.flows.captured.get(rep) if keys else None
        if outer is None or facts.rep[outer] in written:
            continue
        place: Reading = ("is", facts.rep[outer])
        for key in reversed(keys):
            place = ("load", key, place)
        found.setdefault((int(facts.function_of[outer]), place), []).append(value)
    return found


def readings(facts: Facts) -> list[list[int]]:
    """The results of calls that read the same in one function, where there are several, and of loads that do."""
    found: dict[Reading, list[int]] = {}
    wanted = {source.value for source in facts.labels.sources} | {flow.target for flow in facts.labels.flows}
    written = {facts.rep[flow.target] for flow in facts.labels.flows if facts.op[flow.target] == POST_OP}
    for value in sorted(wanted):
        if facts.op[value] == CALL_OP and facts.rep[facts.call_receiver[facts.data[value]]] not in written:
            readings_of_call = (
                reading_of(facts, value, MAX_GUARD_SLICE),
                keyed_reading_of(facts, value, MAX_GUARD_SLICE, written),
            )
            for reading in readings_of_call:
                if reading is not None:
                    found.setdefault((int(facts.function_of[value]), reading), []).append(value)
    add_loads(facts, found, written)
    add_shared_members(facts, found, written)
    return [group for group in found.values() if len(group) > 1 and facts.labels.chop[group].any()]


def add_loads(facts: Facts, found: dict[Reading, list[int]], written: set[int]) -> None:
    """Add to each group of calls that read as a subscript does the loads of the same key."""
    loads = facts.tables["loads"]
    keys = {reading[1] for _, reading in found if isinstance(reading, tuple) and reading[0] == "load"}
    functions = {function for function, _ in found}
    for row in np.flatnonzero(among(loads["key"], keys)).tolist() if keys else ():
        value = int(loads["result"][row])
        function = int(facts.function_of[value])
        if function in functions and facts.rep[facts.load_object[row]] not in written:
            place = function, keyed(facts, facts.load_key[row], facts.load_object[row], MAX_GUARD_SLICE, written)
            if place in found:
                found[place] = sorted([*found[place], value])


def add_shared_members(facts: Facts, found: dict[Reading, list[int]], written: set[int]) -> None:
    """Add the members of what a library or the language shares with all files: ``request.args["by"]``.

    A condition makes versions of variables, and such an object is in none. Nothing of the program stores into it.
    """
    stored = set(facts.resolution.representative[facts.tables["stores"]["object"]].tolist())
    shared: dict[Reading, list[int]] = {}
    loads = facts.tables["loads"]
    wanted = {key for key in loads["key"][facts.labels.chop[loads["result"]]].tolist() if key >= 0}
    for row in np.flatnonzero(among(loads["key"], wanted)).tolist() if wanted else ():
        holder = facts.rep[facts.load_object[row]]
        holders = [holder]
        while facts.op[holder] == LOAD_OP and len(holders) < MAX_GUARD_SLICE:
            holder = facts.rep[facts.load_object[facts.data[holder]]]
            holders.append(holder)
        if facts.op[holder] in (IMPORT_OP, GLOBAL_OP) and written.isdisjoint(holders) and stored.isdisjoint(holders):
            value = int(loads["result"][row])
            place = int(facts.function_of[value]), place_of(facts, value, MAX_GUARD_SLICE)
            shared.setdefault(place, []).append(value)
    found.update({place: sorted({*found.get(place, ()), *values}) for place, values in shared.items()})


def elements_read_again(facts: Facts) -> list[list[int]]:
    """Loads of the same element in one function, where there are several: ``if (ok(list[i])) { use(list[i]) }``.

    Both read one version of the object under one version of the key, but for versions that conditions make. A store
    into the object, a call that may change it, and another round of a loop make another version.
    """
    loads = facts.tables["loads"]
    found: dict[Reading, list[int]] = {}
    for row in np.flatnonzero(loads["key"] < UNKNOWN_KEY).tolist():
        value, key = int(loads["result"][row]), key_value(int(loads["key"][row]))
        place = unconditional(facts, int(loads["object"][row])), unconditional(facts, key)
        found.setdefault((int(facts.function_of[value]), *place), []).append(value)
    return [group for group in found.values() if len(group) > 1 and facts.labels.chop[group].any()]


def reading_of(facts: Facts, value: int, further: int) -> Reading | None:
    """How a modelled call with a constant text reads its result; None where it is given something else."""
    call = facts.data[value]
    nodes = facts.calls.apis_of.get(call, ())
    given = constants_given(facts, call)
    receiver = facts.call_receiver[call]
    if not nodes or receiver == NONE or not given or any(each is None or each[:1] != "'" for each in given):
        return None
    return (tuple(sorted(nodes)), tuple(given), place_of(facts, receiver, further))


def keyed_reading_of(facts: Facts, value: int, further: int, written: set[int]) -> Reading | None:
    """``keyed`` of a modelled call that reads as a subscript does, whose key is a constant text and whose result for a
    missing key is constant; None for other calls.
    """
    call = facts.data[value]
    given, name = constants_given(facts, call), int(facts.tables["calls"]["name"][call])
    is_keyed = name != NONE and facts.program.strings[name] in facts.traits_of(value).keyed_reads
    if not is_keyed or call not in facts.calls.apis_of or not given or any(each is None for each in given):
        return None
    text = given[0] or ""
    key, table = facts.program.intern(text[1:]), facts.call_receiver[call]
    return keyed(facts, key, table, further, written) if text[:1] == "'" and table != NONE else None


def constants_given(facts: Facts, call: int) -> list[str | None]:
    """What a call is given besides its receiver, None for what is not constant."""
    rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    return [facts.constant(facts.arg_value[row]) for row in rows]


def keyed(facts: Facts, key: int, table: int, further: int, written: set[int]) -> Reading:
    """What is read under a key: of one version of a variable's table, since programs fill their own; of a table that a
    member holds, as of a request, whatever its version.
    """
    place = place_of(facts, table, further - 1)
    return ("load", key, place if place[0] == "load" else ("version", version_of(facts, table, written)))


def version_of(facts: Facts, value: int, written: set[int]) -> int:
    """``unconditional``, also before modelled calls that do not write to the object: ``table.get("a")``."""
    call_of = facts.tables["arguments"]["call"]
    for _ in range(MAX_DEFINITIONS):
        value = unconditional(facts, value)
        if facts.op[value] != POST_OP or facts.rep[value] in written:
            return value
        row = facts.data[value]
        if not facts.calls.apis_of.get(int(call_of[row])):
            return value
        value = int(facts.arg_value[row])
    return value


def place_of(facts: Facts, value: int, further: int) -> Reading:
    """The object that is read: by the calls without arguments and the loads that lead to it."""
    rep = facts.rep[value]
    if further and facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] >= 0:
        row = facts.data[rep]
        return ("load", facts.load_key[row], place_of(facts, facts.load_object[row], further - 1))
    if further and facts.op[rep] == CALL_OP and facts.call_receiver[facts.data[rep]] != NONE:
        call = facts.data[rep]
        nodes = facts.calls.apis_of.get(call, ())
        if nodes and len(facts.args.of(call)) == 1:
            return ("call", tuple(sorted(nodes)), place_of(facts, facts.call_receiver[call], further - 1))
    return ("is", rep)


def proves_one(conjunctions: Conjunctions, way: Side, sides: Sides) -> bool:
    """Whether one of ``sides`` holds for certain where a condition has a side: one of the parts of a conjunction that
    holds proves it, or each of the parts of one that does not hold, as then either may be the reason.
    """
    known: dict[Side, bool] = {}
    work = [way]
    while work:  # conjunctions are made of conditions before them, and each is answered once
        at = work[-1]
        parts = conjunctions.get(at[0])
        if at in known or at in sides or parts is None:
            known.setdefault(at, at in sides)
            work.pop()
            continue
        asked = [(each, side if at[1] else 1 - side) for each, side in parts]
        missing = [each for each in asked if each not in known]
        if missing:
            work += missing
            continue
        answers = [known[each] for each in asked]
        known[at] = any(answers) if at[1] else all(answers)
        work.pop()
    return known[way]


class Ways:
    """Ways through functions: what control reaches only through one side of a condition.

    Questions about the same sides come one after the other, so the last answer is kept. A function is gone through for
    each question about other sides: the file's budget bounds that.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = shared_blocks(facts)
        # function -> its blocks, and the first value of each
        self.known: dict[int, tuple[Sequence[int], list[int]]] = {}
        self.last: tuple[int, Sides] = (NONE, ())
        self.missing: set[int] | None = None  # blocks that control reaches without these; None: not known

    def is_behind(self, value: int, sides: Sides) -> bool:
        """Whether each way from the beginning of the function to ``value`` goes through one of the sides."""
        function = int(self.facts.function_of[value])
        if function not in self.known:
            blocks = self.blocks.rows("blocks", "function", function)
            self.known[function] = blocks, self.facts.tables["blocks"]["first"][blocks].tolist()
        rows, firsts = self.known[function]
        if not rows:
            return False
        if (function, sides) != self.last:
            self.last = function, sides
            is_paid = self.facts.budget.spend(value, len(rows))
            self.missing = self.without(rows, function, sides) if is_paid else None
        return self.missing is not None and rows[max(0, bisect_right(firsts, value) - 1)] not in self.missing

    def without(self, rows: Sequence[int], function: int, sides: Sides) -> set[int] | None:
        """The blocks that control reaches on ways through none of the sides; None where these are many."""
        ended = self.blocks.ended_in(function)
        seen = {rows[0]}
        work = [rows[0]]
        for at in work:  # grows, each block once
            if len(work) > MAX_ROUND_STEPS:
                return None
            if at in ended:
                continue
            for target, asked, way in self.blocks.edges(at):
                if target not in seen and not proves_one(self.facts.guards.conjunctions, (asked, way), sides):
                    seen.add(target)
                    work.append(target)
        return seen
