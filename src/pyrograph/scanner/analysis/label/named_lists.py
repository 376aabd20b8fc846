"""Lists of middleware and chains of checks that registrations of handlers name: ``router.post("/", rules, save)``.

The name may be that of another file, and the list may stand within another one, ``[...rules, refuse]``. Each call that
states a route is looked at once, whatever the number of lists.
"""

from __future__ import annotations

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label.definitions import made_where
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.tables import literals


def named_in_routes(facts: Facts, made: int) -> list[tuple[int, int]]:
    """The calls that state routes and are given a list, or what a call made, by a name, maybe that of another file, or
    within a list: ``router.post("/", rules, handler)``, ``[...rules, handler]``. Each with the position.
    """
    known = facts.conditions.schemas.named
    if known is None:
        known = facts.conditions.schemas.named = find_named(facts)
    return known.get(made, [])


def find_named(facts: Facts) -> dict[int, list[tuple[int, int]]]:
    """``named_in_routes`` of all of them. Time O(arguments of the calls that state routes), times ``MAX_TABLES``."""
    found: dict[int, list[tuple[int, int]]] = {}
    for language in sorted(facts.apis):
        stating = {node for node, _ in facts.apis[language].index.routed}
        for call, nodes in facts.calls.apis_of.items() if stating else ():
            if facts.language(facts.call_result[call]) != language or stating.isdisjoint(nodes):
                continue
            for row in facts.args.of(call):
                place, given = facts.arg_position[row], facts.rep[facts.arg_value[row]]
                if place < 0 or facts.op[given] in (Op.CONST, Op.FUNCTION, Op.CALL):
                    continue
                lists = [each for each in literals(facts, given) if facts.shape(each) != "dict"]
                spread = [origin for each in lists for origin in facts.flows.same_as(each)]
                others = [each for origin in spread for each in literals(facts, origin)]
                made = [facts.rep[each] for each in made_where(facts, given)]
                calls = [each for each in made if facts.op[each] == Op.CALL]
                for each in dict.fromkeys([*lists, *others, *calls]):
                    if each != given:
                        found.setdefault(each, []).append((call, place))
    return found
