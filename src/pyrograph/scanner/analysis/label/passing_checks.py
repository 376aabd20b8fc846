"""Where checks of a text pass: a side of a condition, or behind a call that raises or ends otherwise."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, CallFlag, FunctionFlag
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.label.value_uses import Rows
from pyrograph.scanner.analysis.numbers import (
    CELL_OP,
    CONST_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    NEW_OP,
    PARAMETER_OP,
    PI_OP,
    POST_OP,
    STORE_OP,
)
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

# What is the same everywhere, what changes from outside, and what is put together after it is made.
UNSUITED: Final = (CELL_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, NEW_OP, STORE_OP)


class Passing(NamedTuple):
    """Where a check of a value passes: a side of a condition, or behind a call that raises otherwise."""

    condition: int
    side: int
    call: int
    mask: int
    at: int  # a value that stands there
    loop: int = NONE  # behind a loop that was left because nothing was left of what it goes over


def by_mask(passing: list[Passing]) -> list[tuple[int, list[Passing]]]:
    """The bits of all masks, those together that the same checks clear."""
    found: dict[tuple[int, ...], int] = {}
    every = 0
    for each in passing:
        every |= each.mask
    for bit in range(every.bit_length()):
        chosen = tuple([number for number, each in enumerate(passing) if each.mask >> bit & 1])
        if chosen:
            found[chosen] = found.get(chosen, 0) | 1 << bit
    return [(mask, [passing[number] for number in chosen]) for chosen, mask in found.items()]


def checked_roots(
    facts: Facts, versions: Versions, asked: npt.NDArray[np.bool_], stated: Rows
) -> dict[int, list[Passing]]:
    """The texts that something checks, with where the checks pass. ``asked``: (representatives,) those that count."""
    checks = facts.labels.checks
    found: dict[int, dict[tuple[int, int, int, int], Passing]] = {}
    pis = facts.tables["pis"]

    def add(root: int, each: Passing) -> None:
        sides = found.setdefault(root, {})
        side = each.condition, each.side, each.call, each.loop
        known = sides.get(side, each)
        sides[side] = each._replace(mask=known.mask | each.mask, at=max(known.at, each.at))

    candidates = np.array([*facts.labels.clean, *checks.checked_by_call], np.int64)
    candidates = candidates[asked[facts.resolution.representative[candidates]] & facts.labels.chop[candidates]]
    for pi in dict.fromkeys(candidates.tolist()):
        if facts.op[pi] == PI_OP and (mask := versions.behind(pi)):
            row = facts.data[pi]
            side = int(pis["condition"][row]), int(pis["side"][row])
            add(versions.root(pi), Passing(*side, NONE, mask, pi))
    for call, value, mask in raising_calls(facts, versions, asked):
        add(versions.root(value), Passing(NONE, 0, call, mask, facts.call_result[call]))
    for value, passing in checked_values(facts):
        if asked[facts.rep[value]]:
            add(versions.root(value), passing)
    if not found:
        return {}
    changed = changed_values(facts, stated)
    return {
        root: list(sides.values())
        for root, sides in found.items()
        if facts.op[root] not in UNSUITED and not changed[facts.rep[root]]
    }


def checked_values(facts: Facts) -> list[tuple[int, Passing]]:
    """The values that a check was given as parts, each with where the check passes (``guards.parts``)."""
    left = facts.tables["conditions"]["left"]
    found: list[tuple[int, Passing]] = []
    for value, condition, side, call, mask in facts.guards.parts:
        at = int(left[condition]) if call == NONE else facts.call_result[call]
        found.append((value, Passing(condition, side, call, mask, at)))
    over = facts.tables["loops"]["over"]
    for value, loop, mask in facts.guards.looped:
        found.append((value, Passing(NONE, 0, NONE, mask, int(over[loop]), loop)))
    return found


def changed_values(facts: Facts, stated: Rows) -> npt.NDArray[np.bool_]:
    """(values,) By representative, those that something is put into after they were made: these are no texts."""
    filled = np.array([source.value for source in facts.labels.sources], np.int32)
    filled = np.concatenate([stated[:, 1], filled])
    filled = filled[facts.tables["values"]["op"][filled] == POST_OP]
    changed = np.zeros(len(facts.op), np.bool_)
    changed[facts.resolution.representative[filled]] = True
    stores = facts.tables["stores"]
    left = [row for row in np.flatnonzero(stores["key"] == UNKNOWN_KEY).tolist() if is_asked_element(facts, row)]
    objects = np.delete(stores["object"], left)
    changed[facts.resolution.representative[objects]] = True
    return changed


def is_asked_element(facts: Facts, row: int) -> bool:
    """Whether a store puts back an element that was only asked something: ``for c in x: if c.isalnum()``."""
    value, names = int(facts.tables["stores"]["value"][row]), facts.tables["calls"]["name"]
    is_asked = False
    while value != NONE and facts.op[value] in (PI_OP, POST_OP):  # each is made of an earlier value
        if facts.op[value] == PI_OP:
            value = int(facts.tables["pis"]["input"][facts.data[value]])
            continue
        name = int(names[facts.calls.call_of_argument[facts.data[value]]])
        questions = facts.traits_of(value).questions
        asked = "" if name == NONE else facts.program.strings[name]
        if asked not in questions.characters and asked not in questions.tests:
            return False
        is_asked = True
        value = facts.arg_value[facts.data[value]]
    return is_asked and facts.op[value] == LOAD_OP


def raising_calls(facts: Facts, versions: Versions, asked: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """(call, argument, mask) of the calls of the program's functions that return only if their argument passed.

    Only functions that hold a condition are asked, and raise something or call what does not return.
    """
    t, resolution = facts.tables, facts.resolution
    raised = t["functions"]["raised"]
    refuses = np.zeros(len(raised), np.bool_)
    leaving = np.zeros(len(facts.op), np.bool_)
    leaving[t["flows"]["target"]] = True
    refuses[leaving[raised]] = True
    refuses[facts.function_of[[facts.call_result[call] for call in facts.labels.non_returning]]] = True
    asks = np.zeros(len(raised), np.bool_)
    asks[t["conditions"]["function"]] = True
    bindings = resolution.rows("bindings")
    bindings = bindings[asked[resolution.representative[bindings[:, 1]]]]
    chosen = with_parts(facts)[bindings[:, 1]] & (refuses & asks)[facts.function_of[bindings[:, 2]]]
    chosen &= (bindings[:, 0] < len(facts.call_result)) & (bindings[:, 3] == NO_KEY)
    chosen &= bindings[:, 4] == ENTIRE_ARGUMENT
    found: list[tuple[int, int, int]] = []
    for call, argument, formal in bindings[chosen][:, :3].tolist():
        targets = facts.calls.functions_of(call)
        row = facts.data[formal] if facts.op[formal] == PARAMETER_OP else NONE
        if len(targets) != 1 or row == NONE or call not in resolution.fully_resolved or not runs_now(facts, call):
            continue
        out = int(t["parameters"]["out"][row])
        mask = versions.mask(out) if out != NONE else 0
        if mask:
            found.append((call, argument, mask))
    return found


def runs_now(facts: Facts, call: int) -> bool:
    """Whether the called function has returned where the call has."""
    flags = int(facts.tables["calls"]["flags"][call])
    if flags & (CallFlag.DEFERRED | CallFlag.DECORATOR | CallFlag.NEW):
        return False
    kinds = [int(facts.tables["functions"]["flags"][each]) for each in facts.calls.functions_of(call)]
    waits = bool(flags & CallFlag.AWAIT)
    return not any(kind & FunctionFlag.GENERATOR or (kind & FunctionFlag.ASYNC and not waits) for kind in kinds)
