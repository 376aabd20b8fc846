"""Formats with a name: what stands before the first hole of a constant that is filled in away from where it is written.

``TEMPLATE = "https://example.org/{}"`` and, elsewhere, ``TEMPLATE.format(x)``: the host is fixed. A front end sees the
text only where the format is written in place, so these are looked up here, after linking. What stands behind the first
hole is not computed here: what fills a hole is harmless if it is after the text before the first one. Where the format
is one constant, ``literals.fill_formats`` knows the text with all its holes. Where it is any element of a list of
constants, each of these is asked: ``for source in SOURCES: get(source.format(x))``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.definitions import definitions, last_elements
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CONST_OP, EXPRESSION_OP, LOAD_OP, POST_OP

CONVERSION_SIGN: Final = "%"  # opens a hole of the formats that functions fill in, see ``literals.fill_formats``
NOTHING: Final = ("null", "undefined")


def harmless_in_formats(facts: Facts) -> None:
    """Mark what fills in a format with a name as harmless after the format's beginning.

    Time O(calls and flows), and for each such format the definitions that it may come from, ``MAX_GUARD_SLICE`` deep.
    """
    for value, written, opening, parts in named_formats(facts):
        shared = facts.wanted.all
        for beginning in beginnings(facts, written, opening):
            inside = facts.harmless_inside(beginning, parts[0]) if len(parts) == 1 else 0
            shared &= facts.harmless_after(beginning) | inside
            if not shared:
                break
        else:
            for part in parts:
                known = facts.labels.harmless_parts.get((part, value), 0)
                facts.labels.harmless_parts[part, value] = known | shared


def named_formats(facts: Facts) -> Iterator[tuple[int, int, str, Sequence[int]]]:
    """Filled in formats: the result, the format, the character that opens a hole, and the values that fill holes."""
    chop, strings, calls = facts.labels.chop, facts.program.strings, facts.tables["calls"]
    for call in np.flatnonzero(chop[calls["result"]] & (calls["name"] >= 0)).tolist():
        result, receiver = facts.call_result[call], facts.call_receiver[call]
        opening = facts.traits_of(result).texts.formats.get(strings[int(calls["name"][call])])
        if opening is not None and receiver != NONE:
            parts = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_value[row] != receiver]
            yield result, receiver, opening, parts
    for value in facts.constants.formatted:  # of a function, ``fmt.Sprintf(source, x)``
        if chop[value] and not facts.constants.texts.get(value, "").strip("\0"):
            given = [(facts.arg_position[row], facts.arg_value[row]) for row in facts.args.of(facts.data[value])]
            parts = [part for at, part in given if at > 0]
            if parts and given[0][0] == 0:
                yield value, given[0][1], CONVERSION_SIGN, parts
    flows = facts.tables["flows"]
    into = flows["target"]
    made = into[chop[into] & (facts.tables["values"]["op"][into] == EXPRESSION_OP)]
    made, counts = np.unique(made, return_counts=True)
    for value in made[(counts == 2) & ~among(made, list(facts.constants.texts))].tolist():
        opening = facts.traits_of(value).texts.formats.get("")
        if opening is not None:
            (written, _), (part, _) = facts.flows.origins_of(value)
            yield value, written, opening, (part,)


def beginnings(facts: Facts, written: int, opening: str) -> list[str]:
    """What a format begins with before its first hole, for each constant that it may be; ``[""]`` if that is not known.

    A value that no untrusted data reaches is left out beside a constant: a configured format replaces a default of the
    same form. Where there is no constant, such a format begins with text that the program chose: ``["\\0"]``.
    """
    found: list[str] = []
    work = [written]
    seen = set(work)
    for _ in range(MAX_GUARD_SLICE):
        level, work = work, []
        for value in level:
            rep = facts.rep[value]
            constant = facts.constant(value) if facts.op[rep] != CONST_OP else facts.constant(rep)
            if constant in NOTHING:  # what it is set to if there is none
                continue
            if constant is not None:
                text, hole, _ = constant.replace(opening * 2, "").partition(opening)
                found.append(text[1:] if text[:1] == "'" and hole else "")
                continue
            before = texts_of_table(facts, value) or [each for each in definitions(facts, rep) if each != NONE]
            if (not before and facts.labels.chop[rep]) or len(before) > MAX_DEFINITIONS:
                return [""]
            work += [each for each in before if each not in seen]
            seen.update(before)
        if not work:
            return found or ["\0"]
    return [""]


def texts_of_table(facts: Facts, value: int) -> list[int]:
    """The elements of a table, ``value`` is any of, where all are constant texts: ``for source in SOURCES``. The state
    of the element itself after a call, which a text does not change, is none of them.
    """
    rep = facts.rep[value]
    if facts.op[rep] != LOAD_OP or rep in facts.flows.heap_in:
        return []
    elements, is_whole = last_elements(facts, facts.load_object[facts.data[rep]], facts.load_key[facts.data[rep]])
    found = [
        each for each in elements if facts.op[each] != POST_OP or facts.rep[facts.arg_value[facts.data[each]]] != rep
    ]
    texts = [facts.constant(each) for each in found]
    return found if is_whole and all(text is not None and text[:1] == "'" for text in texts) else []
