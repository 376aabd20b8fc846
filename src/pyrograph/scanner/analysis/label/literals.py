"""Texts of constants, and the values that literals and constructors put under a key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE, MAX_MADE_MEMBERS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.definitions import choices, objects_before, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    EXPRESSION_OP,
    LOAD_OP,
    NEW_OP,
    SPREAD_KEYWORDS,
)

CONVERSION: Final = re.compile(r"%[-+# 0]*[0-9]*(?:\.[0-9]+)?[%a-zA-Z]")  # of a format, with an argument each
INDEXED: Final = re.compile(r"%[-+# 0-9.*]*\[")  # a conversion that names its argument


def texts_in(facts: Facts, value: int, depth: int = 0) -> list[str]:
    """How a value begins, or the values in a literal: ``{"headers": {"Content-Type": "text/plain"}}``."""
    rep = facts.rep[value]
    if facts.op[rep] == NEW_OP and depth < MAX_GUARD_SLICE:
        rows = facts.flows.stores_into(rep)[:MAX_DEFINITIONS]
        stored = facts.tables["stores"]["value"]
        return [text for row in rows for text in texts_in(facts, int(stored[row]), depth + 1)]
    text = text_of(facts, value, facts.constant(value))
    return [text] if text[:1] != "\0" else []


def text_of(facts: Facts, value: int, constant: str | None) -> str:
    if constant is not None:
        return constant[1:] if constant[:1] == "'" else constant
    rep = facts.rep[value]
    text: str | None = facts.constants.texts.get(value, facts.constants.texts.get(rep))
    if text is None and facts.op[rep] == EXPRESSION_OP and not facts.flows.stores_into(rep):  # a slice stores elements
        origins = facts.flows.origins_of(rep)  # a conversion has one: ``[]byte("text " + x)``
        text = facts.constants.texts.get(origins[0][0]) if len(origins) == 1 else None
    if text is None:
        return "/\0" if facts.is_rooted(value) else "\0"
    return text


def element(facts: Facts, value: int, keys: Sequence[int]) -> int:
    """The value stored under ``keys`` in a literal, or the keyword that an object was made with; or NONE."""
    for key in keys:
        value = stored_under(facts, value, key)
        if value == NONE:
            break
    return value


def stored_under(facts: Facts, value: int, key: int) -> int:
    """The value that an object holds under ``key``, or that its constructor got by this keyword or position; or NONE.

    Looks through merges, parameters, captures and names. If the object is the result of a method without such a
    keyword, its receiver is asked: a template has its environment's settings.
    """
    return _stored_under(facts, value, key, 0, {})


def _stored_under(facts: Facts, value: int, key: int, depth: int, known: dict[tuple[int, int], int]) -> int:
    """``stored_under`` of what lies ``depth`` steps back. ``known``: by object and depth, what was found for this key;
    without it, functions that pass on what hundreds of calls give them would be asked once for each way through them.
    """
    rep = facts.rep[value]
    found = known.get((rep, depth))
    if found is None:
        found = known[rep, depth] = _looked_up(facts, rep, key, depth, known)
    return found


def _looked_up(facts: Facts, rep: int, key: int, depth: int, known: dict[tuple[int, int], int]) -> int:
    found = NONE
    keys = facts.program.numbers("stores", "key")
    for row in facts.flows.stores_into(rep):
        if keys[row] == key:
            found = int(facts.tables["stores"]["value"][row])
    if found == NONE and facts.op[rep] == NEW_OP and depth < MAX_GUARD_SLICE:
        for origin in reversed(facts.flows.same_as(rep)):  # of the tables that are spread into it the last one
            found = _stored_under(facts, origin, key, depth + 1, known)
            if found != NONE:
                break
    if found == NONE and facts.op[rep] == CALL_OP:
        made = facts.args.of(facts.data[rep])
        text = facts.program.strings[key] if key >= 0 else ""
        at = int(text) if text.isdigit() else NONE
        is_modelled = facts.data[rep] in facts.calls.apis_of  # also where the program puts a function in its place
        if at != NONE and not is_modelled and (results := results_of(facts, facts.data[rep])):
            # a function of the program: its first result is not its first argument
            return _common(facts, results, key, depth, known) if depth < MAX_GUARD_SLICE else NONE
        found = next(
            (facts.arg_value[a] for a in made if facts.arg_keyword[a] == key or at == facts.arg_position[a] >= 0), NONE
        )
        maker = facts.call_receiver[facts.data[rep]]
        if found == NONE and maker != NONE and at == NONE and depth < MAX_GUARD_SLICE:
            found = _stored_under(facts, maker, key, depth + 1, known)
    if found == NONE and depth < MAX_GUARD_SLICE:
        found = _first_of_all(facts, objects_before(facts, rep), key, depth, known)
    if found == NONE and facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] >= 0 and depth < MAX_MADE_MEMBERS:
        # a member of an object that was made with it: ``Pages(env=env).env``
        kept = made_with(facts, facts.load_object[facts.data[rep]], facts.load_key[facts.data[rep]])
        found = _stored_under(facts, kept, key, depth + 1, known) if kept != NONE else NONE
    return found


def _common(facts: Facts, values: list[int], key: int, depth: int, known: dict[tuple[int, int], int]) -> int:
    """What all of ``values`` hold under ``key``, if it is the same; or NONE."""
    common = _stored_under(facts, values[0], key, depth + 1, known)
    for value in values[1:]:
        if _stored_under(facts, value, key, depth + 1, known) != common:
            return NONE
    return common


def _first_of_all(facts: Facts, values: list[int], key: int, depth: int, known: dict[tuple[int, int], int]) -> int:
    """What the first of ``values`` holds under ``key``, if all of them hold something; or NONE."""
    first = NONE
    for value in values:
        found = _stored_under(facts, value, key, depth + 1, known)
        if found == NONE:
            return NONE
        if first == NONE:
            first = found
    return first


def made_with(facts: Facts, value: int, key: int) -> int:
    """The keyword ``key`` that the call got which made an object, or NONE: it is not known, or there are several."""
    return _made_with(facts, value, key, 0, {})


def _made_with(facts: Facts, value: int, key: int, depth: int, known: dict[tuple[int, int], int]) -> int:
    """``made_with`` of what lies ``depth`` steps back; ``known`` as in ``_stored_under``."""
    rep = facts.rep[value]
    if facts.op[rep] == CALL_OP:
        rows = facts.args.of(facts.data[rep])
        return next((facts.arg_value[row] for row in rows if facts.arg_keyword[row] == key), NONE)
    if depth >= MAX_MADE_MEMBERS:
        return NONE
    found = known.get((rep, depth))
    if found is None:
        found = NONE
        for origin in objects_before(facts, rep):
            each = _made_with(facts, origin, key, depth + 1, known)
            if each == NONE or found not in (NONE, each):
                found = NONE
                break
            found = each
        known[rep, depth] = found
    return found


def fill_formats(facts: Facts) -> None:
    """Add the texts of calls whose format is a constant with a name, here or in another file.

    A function takes the arguments in order, and a front end gives its call a text of holes only, the first of which is
    the format. The holes of a method of the format may name their arguments: ``PATH.format(url=SITE, name=x)``.
    """
    for value in facts.constants.formatted:
        by_position = {facts.arg_position[row]: facts.arg_value[row] for row in facts.args.of(facts.data[value])}
        written = facts.constant(by_position[0]) if 0 in by_position else None
        if written is None or written[:1] != "'" or INDEXED.search(written):
            continue
        text = CONVERSION.sub(lambda verb: "%" if verb.group() == "%%" else "\0", written[1:])
        if text.strip("\0") and text.count("\0") == sum(position > 0 for position in by_position):
            facts.constants.texts[value] = text
    strings = facts.program.strings
    wanted = {name for traits in facts.places.traits for name in traits.texts.holes}
    names = facts.tables["calls"]["name"]
    keys = {facts.program.string_ids[name] for name in wanted if name in facts.program.string_ids}
    for call in np.flatnonzero(among(names, keys)).tolist() if keys else ():
        result, receiver = facts.call_result[call], facts.call_receiver[call]
        name = strings[int(names[call])]
        pattern = facts.traits_of(result).texts.holes.get(name)
        written = facts.constant(receiver) if pattern is not None and receiver != NONE else None
        if pattern is None or written is None or written[:1] != "'" or result in facts.constants.texts:
            continue
        filled = filled_holes(facts, call, pattern, written[1:], facts.traits_of(result).texts.formats[name])
        if filled is not None:
            facts.constants.texts[result], facts.constants.fillings[result] = filled


def filled_holes(facts: Facts, call: int, pattern: str, written: str, opening: str) -> tuple[str, list[int]] | None:
    """A format with NUL for each hole, and what fills them; None if it has none, one without a known argument, or one
    in another one.
    """
    given: dict[str, int] = {}
    for row in facts.args.of(call):
        position, keyword = facts.arg_position[row], facts.arg_keyword[row]
        if facts.arg_flags[row]:  # a list or a table is spread
            return None
        if keyword == NONE and position == RECEIVER:
            continue
        given[facts.program.strings[keyword] if keyword != NONE else str(position)] = facts.arg_value[row]
    pieces: list[str] = []
    values: list[int] = []
    at = count = 0
    for hole in re.finditer(pattern, written):
        pieces.append(written[at : hole.start()])
        if opening in pieces[-1]:
            return None
        at = hole.end()
        of = hole["of"]
        if of is None:
            pieces.append(hole[0][:1])
            continue
        if not of:
            of = str(count)
            count += 1
        if of not in given:
            return None
        pieces.append("\0")
        values.append(given[of])
    text = "".join([*pieces, written[at:]])
    return (text, values) if values and text.count("\0") == len(values) else None


def least_harmless(facts: Facts, value: int) -> str | None:
    """Of the constants that a value may be, ``c ? "/a/" : "/b/"``, one after which no less does harm than after each
    other; None if there is none, or if it may be a value that is not constant.
    """
    texts = [facts.constant(each) for each in choices(facts, facts.rep[value])]
    masks = {text: facts.harmless_after(text[1:]) for text in texts if text is not None and text[:1] == "'"}
    if any(text not in masks for text in texts):
        return None
    shared = facts.wanted.all
    for mask in masks.values():
        shared &= mask
    return next((text for text, mask in masks.items() if mask == shared), None)


def spread_rows(facts: Facts, call: int, port: Port) -> list[tuple[int, int]]:
    """(row, key) of the tables in which an argument may stand that a call does not name: ``get(**{"url": url})``."""
    tables = [row for row in facts.args.of(call) if facts.arg_flags[row] & SPREAD_KEYWORDS]
    return [(row, facts.program.intern(name)) for row in tables for name in port.names]
