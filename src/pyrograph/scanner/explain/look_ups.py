"""What calls of libraries ask: a database whether it has a row with a value; and where several results say that they
failed. ``asking`` puts these questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH
from pyrograph.policy.names.questions import ASKING_NAMES, CHANGING_NAMES
from pyrograph.policy.names.statements import CHANGES_ROWS, LOOKS_UP
from pyrograph.scanner.explain.subjects import Origins

TRUTHS: Final = ("true", "false")


def may_ask(asking: Origins, call: int, name: str) -> bool:
    """Whether a call of a library, by its name or by the query that it is given, asks something of the rest."""
    if has_text(asking, call, LOOKS_UP):
        return True
    if CHANGING_NAMES.search(name) or has_text(asking, call, CHANGES_ROWS):
        return False
    return ASKING_NAMES.search(name) is not None


def has_text(asking: Origins, call: int, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(asking.constant(asking.args.value[row]) or "") for row in asking.args.of(call))


def continues(asking: Origins, call: int, is_about: Callable[[int], bool]) -> bool:
    """Whether the receiver of a library's call is made by calls of a library, one of which got what is asked about:
    ``db.QueryRow(text, name).Scan(&row)``, ``users.Where("name = ?", name).First(&user)``.
    """
    receivers = asking.program.tables["calls"]["receiver"]
    for _ in range(MAX_ASKED_DEPTH):
        receiver = asking.reps[int(receivers[call])] if receivers[call] != NONE else NONE
        if receiver == NONE or asking.op[receiver] != Op.CALL:
            return False
        call = asking.data[receiver]
        if asking.control_flow.functions_of(call):
            return False
        if any(is_about(asking.args.value[row]) for row in asking.args.of(call)):
            return True
    return False


def results_in(asking: Origins, value: int) -> list[tuple[int, int]]:
    """(position, result) of what a value holds, if it is several results of a function, for all its returns."""
    stores, rep = asking.program.tables["stores"], asking.reps[value]
    if asking.op[rep] != Op.NEW:
        return []
    rows = asking.stores.of(rep).tolist()
    keys = [int(stores["key"][row]) for row in rows]
    if not all(key >= 0 and asking.program.strings[key].isdigit() for key in keys):
        return []
    positions = [int(asking.program.strings[key]) for key in keys]
    return [
        (at, int(stores["value"][row])) for at, row in zip(positions, rows, strict=True) if stores["value"][row] != NONE
    ]


def is_failure(asking: Origins, condition: int) -> bool:
    """Whether a condition is true where a call failed: it is the truth of the last of several results, which is no
    boolean. ``row, err := find(name); if err != nil``
    """
    table, loads = asking.program.tables["conditions"], asking.program.tables["loads"]
    value = asking.reps[int(table["left"][condition])] if table["left"][condition] != NONE else NONE
    if table["test"][condition] != Test.TRUTH or value == NONE or asking.op[value] != Op.LOAD:
        return False
    call, key = asking.reps[int(loads["object"][asking.data[value]])], int(loads["key"][asking.data[value]])
    if asking.op[call] != Op.CALL or key < 0 or not asking.program.strings[key].isdigit():
        return False
    position = int(asking.program.strings[key])
    if not position:
        return False
    results = asking.program.tables["functions"]["result"]
    for function in asking.control_flow.functions_of(asking.data[call]):
        for value in asking.same_as(int(results[function])):
            for at, result in results_in(asking, value):
                if at > position or (at == position and asking.constant(result) in TRUTHS):
                    return False
    return True
