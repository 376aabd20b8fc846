"""Sinks by their text: ``db.query("SELECT * FROM t WHERE a = '" + x + "'")``, where nobody knows what ``db`` is.

An object that comes into a function by a parameter, from a container or from a library without a pack has no type. The
text that its method is given says that it is a statement, and that something is put into it says that this is no
parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.policy.names.statements import LAST_POSITION, QUERY, RUNNING_NAMES, STATEMENT, TEXT_NAMES
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.written_texts import written_texts
from pyrograph.scanner.analysis.numbers import LOAD_OP, NEW_OP


def statement_sinks(facts: Facts) -> None:
    """Add the arguments, texts of statements with something put into them, of methods of unknown objects.

    Excluded are calls of functions of the program, unless a method hands its text on to a member's method of the same
    name, and calls of objects that packs describe. Linear in calls.
    """
    bits_of = facts.wanted.bits
    kinds = [(STATEMENT, bits_of.get("sql-injection", ())), (QUERY, bits_of.get("query-injection", ()))]
    kinds = [each for each in kinds if each[1]]
    if not kinds or not facts.constants.texts:
        return
    tables, strings = facts.tables, facts.program.strings
    bound = {int(site) for site, _ in facts.resolution.targets}
    known = {call for call, node in facts.resolution.api_calls if (call, node) not in facts.resolution.guessed_calls}
    names: dict[int, bool] = {NONE: False}
    calls = tables["calls"]
    for call, (name, receiver) in enumerate(zip(calls["name"].tolist(), calls["receiver"].tolist(), strict=True)):
        if name not in names:
            names[name] = RUNNING_NAMES.match(strings[name]) is not None
        if not names[name] or receiver == NONE or call in known or (call in bound and not is_handed_on(facts, call)):
            continue
        if any([node != EXTERNAL for node in facts.resolution.api_nodes(receiver)]):
            continue
        for value, start, end in candidates(facts, call):
            texts = [text for text in written_texts(facts, value) if "\0" in text]
            bits = next((bits for pattern, bits in kinds if any([pattern.match(text) for text in texts])), ())
            file, api = int(facts.program.file_of_value[value]), f"{strings[name]}()"
            for bit in bits:
                low = bit in facts.wanted.low
                facts.labels.sinks.append(SinkRole(value, bit, api, file, start, end, (), low, call=call))
            if bits:
                break


def is_handed_on(facts: Facts, call: int) -> bool:
    """Whether a method calls the method of its own name of an object that is a member: ``return d.db.Query(text)``.

    Of such an interface, the program has wrappers, and a library the implementation that runs the text.
    """
    functions, name = facts.tables["functions"], int(facts.tables["calls"]["name"][call])
    function = int(facts.function_of[facts.call_result[call]])
    is_method = int(functions["name"][function]) == name and int(functions["owner"][function]) != NONE
    return is_method and facts.op[facts.rep[facts.call_receiver[call]]] == LOAD_OP


def candidates(facts: Facts, call: int) -> Iterator[tuple[int, int, int]]:
    """Yield the values that may be the text which a call is given, and where they stand in the file: its first
    arguments, arguments with a name, and what a literal among them holds, ``{ text: sql }``.
    """
    strings, stores = facts.program.strings, facts.tables["stores"]
    for row in facts.args.of(call):
        position, keyword = facts.arg_position[row], facts.arg_keyword[row]
        if (
            position == RECEIVER
            or position > LAST_POSITION
            or (keyword >= 0 and not TEXT_NAMES.match(strings[keyword]))
        ):
            continue
        value = facts.arg_value[row]
        rep, first, last = facts.rep[value], int(facts.places.arg_start[row]), int(facts.places.arg_end[row])
        if facts.op[rep] != NEW_OP:
            yield value, first, last
            continue
        for store in facts.flows.stores_into(rep):
            key = int(stores["key"][store])
            if key >= 0 and TEXT_NAMES.match(strings[key]) and stores["value"][store] != NONE:
                held = int(stores["value"][store])
                start, end = int(facts.places.start[held]), int(facts.places.end[held])
                is_inside = first <= start and end <= last  # a merge stands where a variable was assigned
                yield held, start if is_inside else first, end if is_inside else last
