"""The texts that the program writes into a value, whichever of its definitions holds and whoever passes it:

    sql = "select * from t"
    if name:
        sql += " where name = '" + name + "'"
    run(sql)

``run`` is given ``select * from t`` and ``select * from t where name = '\\0'``, in which NUL stands for what is not
constant.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.beginnings import first_part
from pyrograph.scanner.analysis.label.definitions import definitions, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import text_of
from pyrograph.scanner.analysis.label.text_origins import texts_kept
from pyrograph.scanner.analysis.numbers import CALL_OP, NEW_OP, PARAMETER_OP


def written_texts(facts: Facts, value: int) -> Iterator[str]:
    """Yield each text that ``value`` may be; NUL stands for a part that is not known.

    Looks through merges, names, attributes, the first part of a text that is put together, what functions return,
    library calls that keep a text, joined lists, and parameters, to the arguments of all calls of the program; at most
    ``MAX_DEFINITIONS`` values, nearest first.
    """
    seen: set[tuple[int, str]] = set()
    work = deque([(value, "")])  # a value, and what the text goes on with behind it
    while work and len(seen) < MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at, rest = work.popleft()
        rep = facts.rep[at]
        text = text_of(facts, at, facts.constant(at))
        before: list[int] = []
        if text == "\0":
            before, text = before_call(facts, rep) if facts.op[rep] == CALL_OP else (before_name(facts, rep), "")
        elif text[:1] == "\0" and (first := whole_first_part(facts, rep, text)) != NONE:
            before, text = [first], text[1:]
        if not before:
            yield (text or "\0") + rest
        for each in before:
            key = (facts.rep[each], text + rest)
            if key not in seen:
                seen.add(key)
                work.append((each, text + rest))


def whole_first_part(facts: Facts, rep: int, text: str) -> int:
    """What fills the hole with which a text begins; or NONE. Of ``x + " " + y``, not ``x + " "``."""
    first = first_part(facts, rep)
    for _ in range(MAX_DEFINITIONS):
        inner = text_of(facts, first, facts.constant(first)) if first != NONE else "\0"
        if inner == "\0" or inner[:1] != "\0" or not text.startswith(inner):
            break
        first = first_part(facts, facts.rep[first])
    return first


def before_name(facts: Facts, rep: int) -> list[int]:
    """The values that a merge, a name, an attribute or a parameter may be."""
    if facts.op[rep] == PARAMETER_OP and rep not in facts.flows.captured:
        return facts.calls.arguments_for(rep)[:MAX_DEFINITIONS]
    return [each for each in definitions(facts, rep) if facts.rep[each] != rep][:MAX_DEFINITIONS]


def before_call(facts: Facts, rep: int) -> tuple[list[int], str]:
    """The texts with which the result of a call may begin, and what follows: NUL if the call puts several together."""
    results = results_of(facts, facts.data[rep])
    if results:
        return results[:MAX_DEFINITIONS], ""
    kept = texts_kept(facts, rep)
    elements = elements_of(facts, kept)  # of a list that is joined; a separator is kept, too
    if elements:
        return elements[:1], " \0" if len(elements) > 1 else ""
    return kept[:1], "\0" if len(kept) > 1 else ""


def elements_of(facts: Facts, values: Iterable[int]) -> list[int]:
    """The elements of those values that are lists, in their order; what is put into them elsewhere comes last."""
    stores = facts.tables["stores"]["value"]
    for each in values:
        lists = literals_of(facts, each)
        rows = [row for made in lists for row in facts.flows.stores_into(made)]
        found = [int(stores[row]) for row in rows if stores[row] != NONE]
        if found:
            return [*found, found[0]] if any([facts.grows(made) for made in lists]) else found
    return []


def literals_of(facts: Facts, rep: int) -> list[int]:
    """The literals that a list may be: through merges and names, at most ``MAX_DEFINITIONS`` values."""
    seen, work = {rep}, [rep]
    found: list[int] = []
    while work and len(seen) < MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at = work.pop()
        if facts.op[at] == NEW_OP:
            found.append(at)
            continue
        before = {facts.rep[each] for each in before_name(facts, at)} - seen
        seen |= before
        work += sorted(before)
    return found
