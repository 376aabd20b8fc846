"""What text shows of lists and tables that are written where they are used: all that they hold.

``{{ events|safe }}`` with ``events = [{"title": title}]`` writes the title, in a language whose lists and tables show
their contents as text (``TextTraits.show_contents``). Objects of other classes show what their own method makes of
them, so only literals are looked into: what they store, and what modelled methods put into them. Bounded by
``MAX_CONTENT_DEPTH`` literals in one another and ``MAX_CONTENTS`` places.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.policy.limits.labels import MAX_CONTENT_DEPTH, MAX_CONTENTS, MAX_MERGED, MIN_LARGE_LITERAL
from pyrograph.scanner.analysis.label.facts import Facts


def contents(facts: Facts, value: int, keys: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The access paths, below ``keys`` of a value, of what text shows of the literal that lies there."""
    if not facts.traits_of(value).texts.show_contents:
        return []
    held = [value]
    for key in keys:
        held = [each for made in held for at, each in stored(facts, made) if at == key][:MAX_CONTENTS]
    found: dict[tuple[int, ...], None] = {}
    for each in held:
        for path in places(facts, each, MAX_CONTENT_DEPTH):
            if len(found) == MAX_CONTENTS:
                break
            found[path] = None
    return list(found)


def part_of(facts: Facts, value: int, keys: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The value that a large literal got under the first key, and the other keys: a value with many tainted parts, such
    as ``locals()``, is tracked as a whole. ``value`` and ``keys`` themselves where it may have got another one.
    """
    made = facts.rep[value]
    rows = facts.flows.stores_into(made) if keys and facts.op[made] == Op.NEW else []
    if len(rows) < MIN_LARGE_LITERAL or facts.calls.methods_on(made):
        return value, keys
    stores = facts.tables["stores"]
    same = [row for row in rows if int(stores["key"][row]) in (keys[0], UNKNOWN_KEY)]
    if len(same) != 1 or int(stores["key"][same[0]]) != keys[0]:
        return value, keys
    part, before = int(stores["value"][same[0]]), int(stores["object"][same[0]])
    if part == NONE or before >= value or facts.function_of[part] != facts.function_of[value]:
        return value, keys  # it is stored behind the call, or elsewhere
    return part, keys[1:]


def places(facts: Facts, value: int, depth: int) -> Iterator[tuple[int, ...]]:
    """The paths of what a literal holds that is neither constant nor a literal itself."""
    for key, each in stored(facts, value) if depth else ():
        if literals(facts, each):
            yield from [(key, *path) for path in places(facts, each, depth - 1)]
        elif facts.constant(each) is None:
            yield (key,)


def literals(facts: Facts, value: int) -> list[int]:
    """Where the lists and tables were written that a value may be, also behind a loop that fills one and where sides
    of a condition meet; none if it may be something else.
    """
    found: dict[int, None] = {}
    work = [facts.rep[value]]
    for each in work:  # grows, to the bound
        if facts.op[each] == Op.NEW:
            found[each] = None
        elif facts.op[each] in (Op.CARRY, Op.PHI) and len(work) < MAX_MERGED:
            work += [rep for origin in facts.flows.same_as(each) if (rep := merged(facts, origin)) not in work]
        elif facts.op[each] != Op.CARRY:
            return []
    return list(found)


def merged(facts: Facts, value: int) -> int:
    """What a merge joins: a post-update value is the object that a method was called on."""
    for _ in range(MAX_MERGED):
        rep = facts.rep[value]
        if facts.op[rep] != Op.POST:
            return rep
        value = facts.arg_value[facts.data[rep]]
    return facts.rep[value]


def stored(facts: Facts, value: int) -> list[tuple[int, int]]:
    """(key, value) of what is put into a literal, by stores and by modelled methods."""
    made = literals(facts, value)
    if not made:
        return []
    stores = facts.tables["stores"]
    names = dict.fromkeys((*made, facts.rep[value]))
    rows = [row for name in names for row in facts.flows.stores_into(name)][:MAX_CONTENTS]
    found = [(int(stores["key"][row]), int(stores["value"][row])) for row in rows]
    for call in [call for name in names for call in facts.calls.methods_on(name)][:MAX_CONTENTS]:
        for flow in facts.modelled_flows(call):
            if flow.target.kind == "this" and flow.target.path == ("",) and flow.origin.kind not in ("this", "ret"):
                found += [(UNKNOWN_KEY, facts.arg_value[row]) for row in facts.args.at(call, flow.origin)]
    return [(key, each) for key, each in found if each != NONE and (key >= 0 or key == UNKNOWN_KEY)]
