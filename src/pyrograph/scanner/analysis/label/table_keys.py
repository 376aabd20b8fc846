"""Keys of a table that the program filled: ``fields = {k: v for k, v in body.items() if k in ALLOWED}``.

In languages where a loop over a table gets its keys, what ``for k in fields`` reads may be an element, as long as the
collection may be a list. One that is filled under computed keys and constant names alone, and given to no call that may
change it, is a table: the loop reads these keys, and what it reads is as clean as all of them.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_TABLE_VERSIONS
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.overwritten import cleaned
from pyrograph.scanner.analysis.numbers import CARRY_OP, NEW_OP, PHI_OP, PI_OP, STORE_OP


def table_keys(facts: Facts) -> None:
    """Mark what loops read of such tables. Needs what guards have marked. Time linear in the loads of the chop."""
    loads, overs = facts.tables["loads"], facts.tables["loops"]["over"]
    chosen = (loads["key"] == UNKNOWN_KEY) & facts.guards.between[loads["result"]] & among(loads["object"], overs)
    for row in np.flatnonzero(chosen).tolist():
        result, table = int(loads["result"][row]), int(loads["object"][row])
        if not facts.traits_of(result).table_methods:
            continue
        mask = facts.wanted.all
        keys = keys_of(facts, table)
        for key in keys:
            mask &= cleaned(facts, key)
        if keys and mask:
            facts.mark_clean(result, mask)


def keys_of(facts: Facts, table: int) -> list[int]:
    """The keys under which a table was filled; none for what may be a list, or may hold others."""
    stores, carries, rows = facts.tables["stores"], facts.tables["carries"], shared_blocks(facts).rows
    found: dict[int, None] = {}
    seen, work = {table}, [table]
    for at in work:  # grows, each version once
        row, before = facts.data[at], []
        if rows("captures", "outer", at) or rows("stores", "value", at):
            return []
        if facts.op[at] == STORE_OP:
            key = int(stores["key"][row])
            if key <= FIRST_VALUE_KEY:
                found[key_value(key)] = None
            elif key < 0 or facts.program.strings[key].isdigit():
                return []  # else a name that the program writes: ``fields["size"] = int(fields["size"])``
            before = [int(stores["object"][row])]
        elif facts.op[at] == PI_OP:
            before = [int(facts.tables["pis"]["input"][row])]
        elif facts.op[at] == PHI_OP:
            before = facts.flows.same_as(at)
        elif facts.op[at] == CARRY_OP:
            for each in rows("carries", "value", at):
                before += [int(carries[name][each]) for name in ("initial", "fed") if carries[name][each] >= 0]
        elif facts.op[at] != NEW_OP or facts.flows.same_as(at):
            return []
        if len(seen) > MAX_TABLE_VERSIONS:
            return []
        fresh = [each for each in before if each not in seen]
        seen.update(fresh)
        work += fresh
    return list(found)
