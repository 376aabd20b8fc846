"""Values that the test of a guard is about: those from which the guard's transform computed the tested operand.

The test ``urlparse(x).netloc in HOSTS`` is about ``x`` by the guard ``in urllib.parse.urlparse(0).netloc``. Where the
branches before a test each computed the operand by the transform, ``p = resolve(x) if c else resolve(join(root, x))``,
the test is about ``p``, and about neither argument, since one of them is not tested. So it is where a function of the
program computed the operand, ``p = located(x)``, that returns nothing but results of the transform, and constants.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, OPEN
from pyrograph.rules.entries import Guard
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.definitions import choices, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.text_origins import (
    captured_text,
    holder_of,
    made_from,
    roots_of,
    transforming_call,
)
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP, PHI_OP


def transform_guards(facts: Facts, operand: int, tests: Tests) -> list[Guard]:
    """The guards whose transform may have computed ``operand``: usually none of hundreds."""
    if not tests.transforms:
        return []
    rep = facts.rep[operand]
    known = facts.guards.transforming.get((rep, id(tests)))
    if known is not None:
        return known
    found: list[Guard] = []
    before = made_from(facts, rep)
    before = [*before, *(each for value in before for merged in merged_texts(facts, value) for each in merged)]
    if any(facts.op[value] in (CALL_OP, LOAD_OP) for value in before):
        for steps, guards in tests.transforms.items():
            if any(transforming_call(facts, at, steps) != NONE or holder_of(facts, at, steps) for at in before):
                found += guards
    facts.guards.transforming[rep, id(tests)] = found
    return found


def guarded_by(facts: Facts, operand: int, guard: Guard, kind: str) -> set[int]:
    """Representatives of the values that a test of ``operand`` makes clean; none if the guard has another transform."""
    if guard.part is not None:
        row = facts.guards.sliced.get(facts.rep[operand], facts.guards.sliced.get(operand, NONE))
        if row == NONE or bounds(facts, row) != guard.part:
            return set()
        return roots_of(facts, int(facts.tables["slices"]["object"][row]), kind)
    if not guard.api:
        return roots_of(facts, operand, kind)
    nodes = facts.guards.nodes_of.get(id(guard))
    if nodes is None:
        apis = facts.apis[facts.language(operand)]
        nodes = facts.guards.nodes_of[id(guard)] = frozenset(apis.expand(apis.node(guard.api)))
    seen: set[int] = set()
    for value in made_from(facts, facts.rep[operand]):
        seen.add(value)
        found = transform_roots(facts, value, guard, nodes)
        if found:
            return seen | found
        merged = merged_texts(facts, value)
        if merged and all([any(transform_roots(facts, at, guard, nodes) for at in texts) for texts in merged]):
            return seen
    return set()


def merged_texts(facts: Facts, value: int) -> list[list[int]]:
    """For each value that a merge may be, it and what it was made from; none of a value that is no merge. The result of
    a function of the program is a merge of what that returns, but for constants.
    """
    inputs: list[int] = []
    if facts.op[value] == PHI_OP:
        inputs = [facts.rep[each] for each in choices(facts, value)]
    elif facts.op[value] == CALL_OP and not facts.calls.apis_of.get(facts.data[value]):
        returned = dict.fromkeys([facts.rep[each] for each in results_of(facts, facts.data[value])])
        inputs = [each for each in returned if facts.op[each] != CONST_OP]
    return [made_from(facts, each) for each in inputs]


def bounds(facts: Facts, row: int) -> tuple[int | None, int | None]:
    start, end = int(facts.tables["slices"]["start"][row]), int(facts.tables["slices"]["end"][row])
    return None if start == OPEN else start, None if end == OPEN else end


def transform_roots(facts: Facts, value: int, guard: Guard, nodes: frozenset[int]) -> set[int]:
    """The values that a guard is about if ``value`` is the result of its transform; else none."""
    parts: list[int] = []
    made = transforming_call(facts, value, guard.steps, parts)
    if made == NONE or guard.port is None:
        holders = holder_of(facts, value, guard.steps)
        apis = facts.apis[facts.language(value)]
        results = {each for node in nodes for of in (CALL, INSTANCE) for each in apis.step(node, of)}
        return set(holders) if holders and not results.isdisjoint(facts.resolution.api_nodes(holders[-1])) else set()
    if guard.conditions and not holds(facts, guard.conditions, last_call(facts, value, guard.steps)):
        return set()
    value, call = made, facts.data[made]
    if nodes.isdisjoint(facts.calls.apis_of.get(call, ())):
        return set()
    roots = {value, *parts}
    for row in facts.args.at(call, guard.port):
        roots |= roots_of(facts, facts.arg_value[row], "eq")
    return roots


def last_call(facts: Facts, value: int, steps: tuple[str, ...]) -> int:
    """The call of a transform that is made last, at which the conditions of its guard are evaluated: that of ``split``
    for ``relpath(x).split("/")[0]``. ``value`` is the result of the transform.
    """
    for step in reversed(steps):
        if step == CALL:
            break
        value = facts.rep[facts.load_object[facts.data[value]]]
        if value in facts.flows.captured and len(outer := captured_text(facts, value)) == 1:
            value = outer[0]
    return facts.data[value]
