"""Sinks by their text: ``db.query("SELECT * FROM t WHERE a = '" + x + "'")``, where nobody knows what ``db`` is.

An object that comes into a function by a parameter, from a container or from a library without a pack has no type. The
text that its method is given says that it is SQL, and that something is put into it says that this is no parameter.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.policy.names.statements import RUNNING_NAMES, STATEMENT
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole


def statement_sinks(facts: Facts) -> None:
    """Add the first arguments, texts of statements with something put into them, of methods of unknown objects.

    Excluded are calls of functions of the program, and of objects that packs describe. Linear in calls.
    """
    bits = facts.wanted.bits.get("sql-injection", ())
    if not bits or not facts.constants.texts:
        return
    tables, strings = facts.tables, facts.program.strings
    bound = {int(site) for site, _ in facts.resolution.targets}
    names: dict[int, bool] = {NONE: False}
    calls = tables["calls"]
    for call, (name, receiver) in enumerate(zip(calls["name"].tolist(), calls["receiver"].tolist(), strict=True)):
        if name not in names:
            names[name] = RUNNING_NAMES.match(strings[name]) is not None
        if not names[name] or receiver == NONE or call in bound or call in facts.calls.apis_of:
            continue
        rows = facts.args.at(call, Port("position", 0))
        if len(rows) != 1 or any([node != EXTERNAL for node in facts.resolution.api_nodes(receiver)]):
            continue
        value = facts.arg_value[rows[0]]
        text = facts.constants.texts.get(value, "")
        if "\0" not in text or not STATEMENT.match(text):
            continue
        file = int(facts.program.file_of_value[value])
        start, end = int(facts.places.start[value]), int(facts.places.end[value])
        for bit in bits:
            low = bit in facts.wanted.low
            facts.labels.sinks.append(SinkRole(value, bit, f"{strings[name]}()", file, start, end, (), low, call=call))
