"""Requests that a handler passes on whole, after a framework checked them against schemas.

``router.get("/", celebrate(schema), wrapped(list))``, where ``wrapped`` makes ``(req, res) => fn(req, res)``: what the
schema says of ``req.query`` holds in ``list``, too, if all calls of ``list`` pass on a request that was checked, and no
library is given ``list`` itself. Calls that nothing is known of are not seen, as everywhere in labelling.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_ROUTE_DEPTH
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.handed_on import HandedOn, Place
from pyrograph.scanner.analysis.label.passed_elements import Fields
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


def pass_on(facts: Facts, checked: dict[Place, Fields], handed: HandedOn) -> None:
    """Add the parameters that get such a request from a function whose parameter is in ``checked``.

    Time O(bindings) for each function that one after the other passes the request on to, up to ``MAX_ROUTE_DEPTH``.
    """
    bindings = facts.resolution.rows("bindings")
    if not len(bindings):
        return
    arguments = facts.resolution.representative[bindings[:, 1]]
    parameters = facts.resolution.representative[bindings[:, 2]]
    is_whole = (bindings[:, 3] < 0) & (bindings[:, 4] < 0)
    begun = {parameter for parameter, _ in (*checked, *handed.masks) if facts.op[parameter] == Op.PARAMETER}
    calls = given_to_libraries(facts, {int(facts.function_of[each]) for each in begun})
    # who is registered twice may be once without a schema
    found = {each for each in begun if len(calls.get(int(facts.function_of[each]), ())) == 1}
    for _ in range(MAX_ROUTE_DEPTH):
        reached = set(parameters[is_whole & among(arguments, found)].tolist()) - found
        rows = np.flatnonzero(among(parameters, reached))
        given: dict[int, set[int]] = {}
        for row in rows.tolist():
            given.setdefault(int(parameters[row]), set()).add(int(arguments[row]) if is_whole[row] else NONE)
        passed = {each: origins for each, origins in given.items() if origins <= found}
        calls = given_to_libraries(facts, {int(facts.function_of[each]) for each in passed})
        passed = {each: origins for each, origins in passed.items() if int(facts.function_of[each]) not in calls}
        if not passed:
            break
        for each, origins in passed.items():
            inherit(each, origins, checked, handed)
        found |= passed.keys()


def given_to_libraries(facts: Facts, functions: set[int]) -> dict[int, set[int]]:
    """For those of ``functions`` that a library may call itself: the calls of it that are given them."""
    found: dict[int, set[int]] = {}
    for call in {call for call, _ in facts.resolution.api_calls} if functions else ():
        for row in facts.args.of(call):
            for each in functions.intersection(subjects(facts.resolution.states_of(facts.arg_value[row]), FUNCTION)):
                found.setdefault(each, set()).add(call)
    return found


def inherit(parameter: int, origins: set[int], checked: dict[Place, Fields], handed: HandedOn) -> None:
    """What the schemas of all ``origins`` say holds for ``parameter``, too."""
    members = {key for origin, key in (*checked, *handed.masks) if origin in origins}
    for key in members:
        known = [checked.get((origin, key), {}) for origin in origins]
        common = {path for path in known[0] if all(path in each for each in known)}
        fields = dict.fromkeys(common, -1)
        for path in common:
            for each in known:
                fields[path] &= each[path]
        if fields:
            checked[parameter, key] = fields
        for origin in origins:
            handed.add_from((parameter, key), (origin, key))
