"""Texts that end as the program fixes it or in something random: ``join(root, f"{name}_{uuid4()}")`` names a folder of
which nobody else can have a sibling whose name begins so.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.policy.names.files import RANDOM
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.fixed_endings import before_end
from pyrograph.scanner.analysis.label.literals import text_of


def ends_unlike_others(facts: Facts, value: int) -> bool:
    """Whether a text ends in a constant or in something random in all of its definitions, whoever passes it.

    Looks through the same as ``always_ends_so``, and through what the program keeps in fields of one name; False if
    there are ``MAX_DEFINITIONS`` values or more.
    """
    seen: set[int] = set()
    work, is_fixed = [value], False
    while work:
        at = work.pop()
        rep = facts.rep[at]
        if rep in seen:
            continue
        if len(seen) >= MAX_DEFINITIONS:  # ``seen`` grows
            return False
        seen.add(rep)
        text = text_of(facts, at, facts.constant(at))
        if text[-1:] not in ("", "\0") or is_random(facts, rep):
            is_fixed = True
            continue
        before = [each for each in before_end(facts, at) if facts.rep[each] != rep] if text else []
        if not before and text:
            before = kept_alike(facts, rep)
            if not before:
                return False
        work += before
    return is_fixed  # values that are made of one another alone, or that are empty, have no end that is known


def is_random(facts: Facts, rep: int) -> bool:
    """Whether a value is what a call makes that is named as a maker of random names, or a part or another form of that:
    ``uuid.New().String()``, ``uuid4().hex``.
    """
    for _ in range(MAX_DEFINITIONS):
        if facts.op[rep] == Op.LOAD:
            rep = facts.rep[facts.load_object[facts.data[rep]]]
            continue
        if facts.op[rep] != Op.CALL:
            return False
        call = facts.data[rep]
        if RANDOM.search(name_of(facts, call)) is not None:
            return True
        receiver = int(facts.tables["calls"]["receiver"][call])
        if receiver == NONE or facts.calls.functions_of(call):
            return False
        rep = facts.rep[receiver]
    return False


def name_of(facts: Facts, call: int) -> str:
    """What names a call: the path of the library's function, or the name of what is called."""
    apis = facts.apis.get(facts.language(facts.call_result[call]))
    nodes = facts.calls.apis_of.get(call, ())
    if apis is not None and nodes:
        return " ".join([".".join(apis.paths[node]) for node in nodes])
    name = int(facts.tables["calls"]["name"][call])
    return facts.program.strings[name] if name >= 0 else ""


def kept_alike(facts: Facts, rep: int) -> list[int]:
    """What the program keeps in fields of the name from which a value is read, but for copies of them: the columns of a
    table, for which a record that is looked up has none of the values that were stored.
    """
    if facts.op[rep] != Op.LOAD:
        return []
    key = facts.load_key[facts.data[rep]]
    if key < 0 or facts.program.strings[key][:1] == "[":
        return []
    found = []
    for row in facts.flows.stores_under(key).tolist():
        kept = facts.rep[int(facts.tables["stores"]["value"][row])]
        if facts.op[kept] != Op.LOAD or facts.load_key[facts.data[kept]] != key:
            found.append(kept)
    return found
