"""Characters of a text that are used where a condition lets them through: ``if c >= 'a' { out += string(c) }``.

What is put together from such characters alone holds no others. So the versions of the loop's element that stand behind
conditions are marked clean for what a text of these characters is clean for. This is done in languages whose characters
are numbers (``TextTraits.characters_are_numbers``): elsewhere, what is not "/" may be a text of a list that holds
slashes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, Test
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_ROUND_STEPS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.admitted import rest_mask
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.definitions import elements
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.tested_characters import (
    EVERYTHING,
    Chars,
    held,
    intersection,
)


def kept_characters(facts: Facts) -> None:
    """Mark the versions of the elements of loops over texts that conditions leave some characters; and of characters
    that are read by a number, ``for i := 0; i < len(s); i++ { c := s[i] ... }``.

    Time linear in the versions of the functions that hold a loop over a value of the chop, or such a read.
    """
    loops, ops = facts.tables["loops"], facts.tables["values"]["op"]
    over, parts = loops["over"], with_parts(facts)
    chosen = np.flatnonzero(over >= 0)
    chosen = chosen[parts[over[chosen]]]
    found: list[int] = []
    for row in chosen.tolist():
        if facts.traits_of(int(over[row])).texts.characters_are_numbers:
            found += elements_of(facts, int(over[row]), int(loops["function"][row]))
    found += read_by_number(facts, parts)
    if not found:
        return
    merging = np.flatnonzero((ops == int(Op.PI)) | (ops == int(Op.PHI)))
    by_function = RowsByKey(facts.function_of[merging])
    used = used_values(facts)
    for element in dict.fromkeys(found):
        inside = merging[by_function.of(int(facts.function_of[element]))]  # ascending
        versions = inside[inside.searchsorted(element, "right") :][:MAX_ROUND_STEPS]
        for version, chars in characters_behind(facts, element, versions.tolist()).items():
            if chars != EVERYTHING and chars and used[version]:
                facts.mark_clean(version, rest_mask(facts, chars))


def used_values(facts: Facts) -> npt.NDArray[np.bool_]:
    """The values that something else than a version or a merge takes. What one side of ``c == '.' || c == '/'`` leaves
    does no harm by itself: what the merge of both may be counts.
    """
    tables = facts.tables
    ops, flows = tables["values"]["op"], tables["flows"]
    used = np.zeros(len(ops), np.bool_)
    into = ops[flows["target"]]
    used[flows["origin"][(into != int(Op.PI)) & (into != int(Op.PHI)) & (into != int(Op.CARRY))]] = True
    used[tables["arguments"]["value"]] = True
    used[tables["stores"]["value"]] = True
    return used


def read_by_number(facts: Facts, parts: npt.NDArray[np.bool_]) -> list[int]:
    """The loads of an element of a value of the chop, ``parts``, about which a condition asks something."""
    loads, inputs = facts.tables["loads"], facts.tables["pis"]["input"]
    results = loads["result"][(loads["key"] <= UNKNOWN_KEY) & parts[loads["object"]]]
    results = results[among(results, inputs)]
    return [each for each in results.tolist() if facts.traits_of(each).texts.characters_are_numbers]


def elements_of(facts: Facts, over: int, function: int) -> list[int]:
    """The loads of any element of a value in one function."""
    return [
        each
        for each in facts.flows.loads_from(facts.rep[over])
        if facts.op[each] == Op.LOAD
        and facts.load_key[facts.data[each]] == UNKNOWN_KEY
        and int(facts.function_of[each]) == function
    ]


def characters_behind(facts: Facts, element: int, versions: list[int]) -> dict[int, Chars]:
    """The characters that each of these versions and merges, in order, may be, if it is one of the element."""
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it

    pis = facts.tables["pis"]
    known: dict[int, Chars] = {element: EVERYTHING}
    reps = {facts.rep[element]}
    for version in versions:
        if facts.op[version] == Op.PI:
            row = facts.data[version]
            before = before_calls(facts, int(pis["input"][row]))
            if before not in known:
                continue
            condition = int(pis["condition"][row])
            holds = held(facts, condition, reps) if is_exact(facts, condition) else ()
            side = (holds if pis["side"][row] else charset.complement(holds)) if holds else EVERYTHING
            known[version] = intersection(known[before], side)
        else:
            ways = [before_calls(facts, way) for way in facts.flows.same_as(version)]
            if not ways or any(way not in known for way in ways):
                continue
            known[version] = charset.union([part for way in ways for part in known[way]])
        reps.add(facts.rep[version])
    del known[element]
    return known


def before_calls(facts: Facts, value: int) -> int:
    while facts.op[value] == Op.POST:  # a state after a call has a higher number than the argument it is of
        value = facts.arg_value[facts.data[value]]
    return value


def is_exact(facts: Facts, condition: int) -> bool:
    """Whether a condition concerns one character: it compares a number, or asks a function over characters."""
    table = facts.tables["conditions"]
    test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
    if test in (Test.LESS, Test.EQUAL):
        constants = [facts.constant(side) for side in (left, right) if side != NONE]
        return any(each is not None and each.isdigit() for each in constants)
    if test == Test.IN:
        among = [facts.constant(each) for each in elements(facts, right, NONE) or []]
        return bool(among) and all(each is not None and each.isdigit() for each in among)
    if test != Test.TRUTH or facts.op[facts.rep[left]] != Op.CALL:
        return False
    names = facts.methods_called(facts.data[facts.rep[left]])
    questions = facts.traits_of(left).questions
    return any(name in questions.characters or name in questions.of_characters for name in names)
