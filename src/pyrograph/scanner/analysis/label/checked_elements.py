"""Values that were put into a list for a check of all its elements: ``for x in (p, q): if ".." in x: abort()``.

``[p, q].every(isSane)``, ``check_all([p, q])`` and a loop over the list say something of each element. The values
themselves have no version there. So each is a part of what the check was given, as the fields of what a schema checks
are: ``checked_parts`` looks at its uses behind the check. Lists whose elements have other keys than their positions, or
that something is put into later, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.field_masks import FieldMasks
from pyrograph.scanner.analysis.label.rounds import version_before
from pyrograph.scanner.analysis.label.text_origins import kept_from
from pyrograph.scanner.analysis.numbers import NEW_OP

WHOLE: Final = (UNKNOWN_KEY,)


def checked_elements(facts: Facts, guards: FieldMasks) -> None:
    """Note the elements of lists that conditions, calls and loops ask about, in ``guards.parts`` and ``guards.looped``.

    Time linear in the stores of the program, and in the conditions, calls and loops about such lists.
    """
    lists = dict(lists_of(facts))
    if not lists:
        return
    everything = facts.wanted.all
    sides: dict[tuple[int, int], set[int]] = {}
    for parts in (guards.asked, guards.checked):
        for at, known in parts.items():
            roots = {root for root, above, _ in known if root in lists and above == WHOLE[: len(above)]}
            sides[at] = sides[at] | roots if at in sides else roots
    for (condition, side), roots in sides.items():
        for made in sorted(roots):
            mask = guards.by_condition(condition, side, {made}, WHOLE) & everything
            facts.guards.parts += [(each, condition, side, NONE, mask) for each in lists[made] if mask]
    for made, elements in lists.items():
        for call in facts.calls.calls_with(made):
            mask = passed(facts, guards, call, made) & everything
            facts.guards.parts += [(each, NONE, 0, call, mask) for each in elements if mask]
    over = facts.tables["loops"]["over"]
    for number in np.flatnonzero(over >= 0).tolist():
        elements = lists.get(facts.rep[int(over[number])], [])
        mask = guards.aside(partial(guards.loops.rounds, number, (), guards)) & everything if elements else 0
        facts.guards.looped += [(each, number, mask) for each in elements if mask]
        if mask:
            mark_carried(facts, guards, number, {facts.rep[each] for each in elements}, mask)


def mark_carried(facts: Facts, guards: FieldMasks, number: int, elements: set[int], mask: int) -> None:
    """Mark the versions of the elements that the loop carries: a condition about one is about these."""
    carries = facts.tables["carries"]
    for row in guards.loops.blocks.rows("carries", "loop", number):
        value, initial = int(carries["value"][row]), int(carries["initial"][row])
        is_element = initial >= 0 and facts.rep[version_before(facts, initial)] in elements
        if is_element and not guards.loops.loop(number).is_left_otherwise(value):
            facts.mark_clean(value, mask)


def passed(facts: Facts, guards: FieldMasks, call: int, made: int) -> int:
    """For what the elements of a list are clean where the functions that a call gives it to have returned."""
    if not facts.calls.functions_of(call):
        return 0
    found = guards.everything
    for row in facts.args.of(call):
        value = facts.arg_value[row]
        if facts.rep[value] == made:
            found &= guards.aside(partial(guards.returned, call, value, WHOLE))
    return found


def lists_of(facts: Facts) -> Iterator[tuple[int, list[int]]]:
    """The lists that are written down with untrusted values in them, with what these were kept from."""
    stores = facts.tables["stores"]
    keys, stored = facts.program.numbers("stores", "key"), facts.program.numbers("stores", "value")
    chosen = np.flatnonzero((stores["value"] >= 0) & with_parts(facts)[stores["value"]])
    for made in sorted({facts.rep[each] for each in stores["object"][chosen].tolist()}):
        if facts.op[made] != NEW_OP or facts.flows.same_as(made):
            continue
        rows = facts.flows.stores_into(made)
        if len(rows) > MAX_DEFINITIONS or not all([keys[row] >= 0 for row in rows]):
            continue
        if facts.shape(made) == "list" and not facts.grows(made):
            values = [stored[row] for row in rows if stored[row] >= 0]
            yield made, [each for value in values for each in kept_from(facts, facts.rep[value])]
