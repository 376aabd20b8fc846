"""Parts of texts that stand in quotes: ``"f('" + x + "')"``.

A literal of a language, such as the result of ``repr(x)``, is data in code, whatever ``x`` holds. In quotes it is not:
the literal's own quotes end them. Conditions ask for it (``unless ret enclosed``).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_HOLES
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.text_origins import texts_kept
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP

QUOTES: Final = "'\"`"


def enclosed_values(facts: Facts) -> frozenset[int]:
    """Representatives of the values that stand in quotes in some text of the program, also as a part of another part.

    A part that is not constant is taken to leave the quotes as they were. Texts with more than ``MAX_HOLES`` holes
    count as if all their parts stood in quotes. Time O(length of the texts that hold a quote, and their parts).
    """
    parts = parts_of_texts(facts)
    found: set[int] = set()
    for value, text in facts.constants.texts.items():
        if "\0" not in text or not any([quote in text for quote in QUOTES]):
            continue
        leaves = leaves_of(facts, parts, value)
        pieces = text.split("\0")
        if len(leaves) != len(pieces) - 1 or len(leaves) > MAX_HOLES:
            for each in leaves:
                add_with_origins(facts, each, found)
            continue
        quote = ""
        for leaf, piece in zip(leaves, pieces, strict=False):  # the text behind the last hole encloses nothing
            quote = quote_after(piece, quote)
            if quote:
                add_with_origins(facts, leaf, found)
    return frozenset(found)


def add_with_origins(facts: Facts, value: int, found: set[int]) -> None:
    """Add ``value``, and what it is a text of: ``string(data)``, ``text.replace(a, b)``, ``data, err := encode(x)``."""
    work = [facts.rep[value]]
    for _ in range(MAX_DEFINITIONS):
        if not work:
            return
        rep = work.pop()
        if rep in found:
            continue
        found.add(rep)
        if facts.op[rep] == LOAD_OP:
            work.append(facts.rep[facts.load_object[facts.data[rep]]])
        elif facts.op[rep] == CALL_OP:
            receiver = facts.call_receiver[facts.data[rep]]
            work += texts_kept(facts, rep) + ([facts.rep[receiver]] if receiver != NONE else [])
        else:
            origins = facts.flows.origins_of(rep)
            work += [facts.rep[origin] for origin, _ in origins] if len(origins) == 1 else []


def parts_of_texts(facts: Facts) -> dict[int, list[int]]:
    """Each text that is put together -> its parts that are no constants, in their order."""
    flows = facts.tables["flows"]
    rows = np.flatnonzero(among(flows["target"], np.fromiter(facts.constants.texts, np.int64)))
    parts: dict[int, list[int]] = {}
    for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
        if facts.op[origin] != CONST_OP:
            parts.setdefault(target, []).append(origin)
    for value in facts.constants.texts:
        if facts.op[value] == CALL_OP:  # a format that is filled in: an argument a hole
            parts[value] = facts.fillings(value)
    return parts


def leaves_of(facts: Facts, parts: dict[int, list[int]], value: int) -> list[int]:
    """What fills the holes of a text, also in the texts that it is put together of; at most ``MAX_HOLES`` and one."""
    found: list[int] = []
    work = list(reversed(parts.get(value, ())))  # the last is the next
    # parts are values before their text, so this ends
    while work and len(found) <= MAX_HOLES:
        each = work.pop()
        text = facts.constants.texts.get(each)
        if text is None:
            found.append(each)
        else:
            work.extend(reversed(parts.get(each, ())))
    return found


def quote_after(text: str, quote: str) -> str:
    """The quotation mark that is open behind ``text``, if ``quote`` is open before it; empty for none.

    >>> [quote_after(text, "") for text in ("f('", "f('a', ", "f(\\"it's ", "f('it\\\\'s")]
    ["'", '', '"', "'"]
    """
    at = 0
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        at += 1
    return quote
