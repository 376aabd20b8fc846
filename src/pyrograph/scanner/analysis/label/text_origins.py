"""What a value's text was made from: by calls that pass text on, by reads of members."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CONST_OP,
    EXPRESSION_OP,
    LOAD_OP,
    NEW_OP,
    PHI_OP,
    SAME_FLOW,
)
from pyrograph.scanner.analysis.resolve.resolution import Resolution

MERGES = (PHI_OP, CARRY_OP)
NO_TEXT: Final = ("'", "null", "undefined", "false")  # constants that no list of texts has


def transforming_call(facts: Facts, value: int, steps: tuple[str, ...], parts: list[int] | None = None) -> int:
    """The value of the call from whose result ``value`` was loaded by these steps, or ``NONE``.

    ``parts`` gets the values in between. A check of ``u.Host`` also makes ``u`` clean, where ``parse`` returned
    ``u, err``.
    """
    for step in reversed(steps):
        if facts.op[value] == CALL_OP and step == CALL:
            value = facts.rep[facts.call_callee[facts.data[value]]]
            continue
        if facts.op[value] != LOAD_OP:
            return NONE
        row = facts.data[value]
        key = facts.load_key[row]
        if key < 0 or facts.program.strings[key] != step.strip("[]"):
            return NONE
        value = facts.rep[facts.load_object[row]]
        if parts is not None:
            parts.append(value)
        if value in facts.flows.captured and len(outer := captured_text(facts, value)) == 1:
            value = outer[0]
    return value if facts.op[value] == CALL_OP else NONE


def holder_of(facts: Facts, value: int, steps: tuple[str, ...]) -> list[int]:
    """What lies between ``value`` and the object from which it was loaded by the named ones of these steps, and last
    that object, if no call of its function made it: the parameter ``u`` of a function that tests ``u.Host``. Else
    nothing.
    """
    names = [step for step in steps if step[:1] != "["]
    found: list[int] = []
    for step in reversed(names):
        if facts.op[value] == CALL_OP and step == CALL:
            value = facts.rep[facts.call_callee[facts.data[value]]]
            continue
        key = facts.load_key[facts.data[value]] if facts.op[value] == LOAD_OP else NONE
        if key < 0 or facts.program.strings[key] != step:
            return []
        value = facts.rep[facts.load_object[facts.data[value]]]
        found.append(value)
    return [] if facts.op[value] == CALL_OP else found


def texts_before(facts: Facts, value: int) -> list[int]:
    """Representatives of the arguments from which the call ``value`` made its text, by the propagators of packs."""
    if value in facts.flows.captured:
        return captured_text(facts, value)
    if facts.op[value] in (PHI_OP, EXPRESSION_OP):
        return text_or_none(facts, value)
    if facts.op[value] != CALL_OP:
        return []
    call = facts.data[value]
    apis = facts.apis[facts.language(value)]
    found: dict[int, None] = {}
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                if isinstance(flow, ModelFlow) and flow.target.kind == "ret" and not flow.target.path:
                    for row in facts.args.at(call, flow.origin):
                        found[facts.rep[facts.arg_value[row]]] = None
    return list(found)


def texts_kept(facts: Facts, value: int) -> list[int]:
    """Those of ``texts_before`` of which the call leaves nothing out: a test of what it makes is a test of these."""
    if facts.op[value] != CALL_OP or value in facts.flows.captured:
        return texts_before(facts, value)
    call = facts.data[value]
    apis = facts.apis[facts.language(value)]
    found: dict[int, None] = {}
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        if roles is None or apis.paths[node][-1] in facts.traits_of(value).texts.parts_of_text:
            continue
        for propagator in roles.propagators:
            for flow in propagator.flows:
                if not isinstance(flow, ModelFlow) or flow.target.kind != "ret" or flow.target.path:
                    continue
                if not flow.origin.path and flow.pattern is None:
                    for row in facts.args.at(call, flow.origin):
                        found[facts.rep[facts.arg_value[row]]] = None
    return list(found)


def is_end_of_path(facts: Facts, value: int) -> bool:
    """Whether a modelled call, or a read of an attribute, cuts ``value`` from the end of a path: ``basename(x)``."""
    rep = facts.rep[value]
    names = facts.traits_of(rep).texts.ends_of_path
    apis = facts.apis.get(facts.language(rep))
    if not names or apis is None:
        return False
    for _ in range(MAX_DEFINITIONS):  # ``suffix(x).lower()``
        if facts.op[rep] != CALL_OP:
            break
        if any(apis.paths[node][-1] in names for node in facts.calls.apis_of.get(facts.data[rep], ())):
            return True
        before = texts_kept(facts, rep)
        if len(before) != 1:
            return False
        rep = before[0]
    if facts.op[rep] != LOAD_OP:
        return False
    row = facts.data[rep]
    return reads_end_of_path(facts.program, facts.resolution, row, names) or reads_last_part(facts, row)


def reads_last_part(facts: Facts, row: int) -> bool:
    """Whether a row of loads reads what stands last in a divided path or name: ``splitext(x)[1]``."""
    made = facts.rep[facts.load_object[row]]
    key = int(facts.tables["loads"]["key"][row])
    parts, apis = facts.traits_of(made).texts.last_parts, facts.apis[facts.language(made)]
    return (
        key >= 0
        and facts.op[made] == CALL_OP
        and any(
            facts.program.strings[key] in parts.get(apis.paths[node][-1], ())
            for node in facts.calls.apis_of.get(facts.data[made], ())
        )
    )


def reads_end_of_path(program: Program, resolution: Resolution, row: int, names: frozenset[str]) -> bool:
    """Whether a row of loads reads one of ``names`` of a library's object: ``PurePath(x).suffix``."""
    loads = program.tables["loads"]
    key = int(loads["key"][row])
    return key >= 0 and program.strings[key] in names and bool(resolution.api_nodes(int(loads["object"][row])))


def joined_in(facts: Facts, value: int) -> list[int]:
    """The texts of which the call ``value`` leaves nothing out, if it puts several together: ``urljoin(site, x)``."""
    if facts.op[value] != CALL_OP or len(texts_kept(facts, value)) < 2:
        return []
    return [each for each in kept_from(facts, value) if each != value]


def constants_in(facts: Facts, collection: int) -> list[str]:
    """The constants that a literal holds, texts with their quote; none where it is no literal."""
    rep = facts.rep[collection]
    if facts.op[rep] != NEW_OP:
        return []
    rows = facts.flows.stores_into(rep)[:MAX_DEFINITIONS]
    found = [facts.constant(int(facts.tables["stores"]["value"][row])) for row in rows]
    return [each for each in found if each is not None]


def text_or_none(facts: Facts, value: int) -> list[int]:
    """The text before a default of no text: ``x || ""``, ``x ?? ""``, ``x or ""``, ``x ? host(x) : false``."""
    origins = {facts.rep[origin] for origin in facts.flows.same_as(value)}
    given = [each for each in origins if facts.op[each] != CONST_OP]
    if len(given) != 1 or any(facts.constant(each) not in NO_TEXT for each in origins if each != given[0]):
        return []
    return given


def captured_text(facts: Facts, value: int) -> list[int]:
    """What a captured variable is in the function around, if all its versions there are states of one value."""
    found = [each for each in versions_outside(facts, value) if facts.op[each] not in MERGES]
    return found if len(found) == 1 else []


def versions_outside(facts: Facts, value: int) -> set[int]:
    """Representatives of the versions of a captured variable in the function around, and of the merges of them."""
    outer = facts.flows.captured.get(value)
    if outer is None:
        return set()
    found = {facts.rep[outer]}
    work = list(found)
    while work and len(found) < MAX_DEFINITIONS:  # ``found`` grows
        at = work.pop()
        if facts.op[at] in MERGES:
            fresh = {facts.rep[origin] for origin in facts.flows.same_as(at)} - found
            found |= fresh
            work += sorted(fresh)
    return found


def made_from(facts: Facts, value: int) -> list[int]:
    """``value`` and the texts it was made from, nearest first, at most ``MAX_GUARD_SLICE`` calls back."""
    known = facts.guards.made_from.get(value)
    if known is None:
        known = facts.guards.made_from[value] = steps_back(facts, value, texts_before)
    return known


def kept_from(facts: Facts, value: int) -> list[int]:
    """``value`` and those of ``made_from`` that nothing was left out of: after ``x.strip() == "a"`` something is known
    of ``x``, after ``x.slice(0, 4) === "http"`` or ``row.get("kind") == "a"`` nothing of the whole.
    """
    known = facts.guards.kept_from.get(value)
    if known is None:
        known = facts.guards.kept_from[value] = steps_back(facts, value, texts_kept)
    return known


def steps_back(facts: Facts, value: int, before: Callable[[Facts, int], list[int]]) -> list[int]:
    """``value`` and what ``before`` leads to from it in ``MAX_GUARD_SLICE`` steps, nearest first."""
    found = {value: None}
    level = [value]
    for _ in range(MAX_GUARD_SLICE):
        level = [each for one in level for each in before(facts, one) if each not in found]
        if not level:
            break
        found.update(dict.fromkeys(level))
    return list(found)


def converted(facts: Facts, value: int) -> list[int]:
    """What ``value`` is as another type, ``x.decode()``: the same text; of a merge, what each of its inputs is."""
    op = facts.op[value]
    if op == CALL_OP:
        apis, texts = facts.apis[facts.language(value)], facts.traits_of(value).texts
        paths = [apis.paths[node] for node in facts.calls.apis_of.get(facts.data[value], ())]
        is_conversion = all(INSTANCE in path and path[-1] in texts.conversions for path in paths) and bool(paths)
        return texts_kept(facts, value) if is_conversion and not facts.calls.functions_of(facts.data[value]) else []
    if op != PHI_OP:
        return []
    flows = facts.flows.origins_of(value)
    inputs = {facts.rep[origin] for origin, _ in flows}
    if len(inputs) < 2 or any(kind != SAME_FLOW for _, kind in flows):
        return []
    same = [{each, *(converted(facts, each) if facts.op[each] == CALL_OP else ())} for each in inputs]
    return sorted(set.intersection(*same) - {value})


def roots_of(facts: Facts, operand: int, kind: str) -> set[int]:
    """The tested value, and what it is as another type; for equality, membership and matches also the texts that it is
    all of.
    """
    value = facts.rep[operand]
    found = set(kept_from(facts, value)) if kind in ("eq", "in", "match", "dotted") else {value}
    return found.union(*[converted(facts, each) for each in found])


def asked_of(facts: Facts, operand: int, kind: str) -> set[int]:
    """What a test asks about: the tested value, the texts that it is all of, and the one part of a text that is put
    together of it and constants: ``name + ".md" in os.listdir(folder)``.
    """
    found = roots_of(facts, operand, kind)
    for each in sorted(found):
        if each in facts.constants.texts:
            parts = (
                facts.fillings(each)
                if facts.op[each] == CALL_OP
                else [origin for origin, _ in facts.flows.origins_of(each) if facts.constant(origin) is None]
            )
            if len(parts) == 1:
                found |= roots_of(facts, parts[0], kind)
    return found


def is_untrusted(facts: Facts, value: int) -> bool:
    """Whether a value is a source, or was loaded or made from one within a few steps."""
    sources = facts.guards.untrusted
    for each in made_from(facts, facts.rep[value]):
        at = each
        for _ in range(MAX_GUARD_SLICE):
            if at in sources:
                return True
            if at in facts.flows.captured:
                at = facts.rep[facts.flows.captured[at]]
            elif facts.op[at] == LOAD_OP:
                at = facts.rep[facts.load_object[facts.data[at]]]
            else:
                break
    return False
