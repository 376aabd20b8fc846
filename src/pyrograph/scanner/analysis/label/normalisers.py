"""Parts of file names: ``"report_" + name`` does not climb where the system reads it, and does once it is normalised.

With ``x/../../etc`` as name the system looks for a folder ``report_x``, which there is none. ``path.join`` and
``normpath`` cut ``report_x/..`` by its text. So a part behind such a beginning is harmless, and flows of packs that
are ``normalising`` get edges that bypass this. Edges stay within the function: a text that another function may
normalise counts as harmful from the start.

A folder ``report_x`` is there if the program makes it: ``makedirs(dirname(path))`` makes all folders that are missing.
Where a function does that with a text, or with what is made from it, the part does harm in that text.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_NORMALISED
from pyrograph.scanner.analysis.label.decoders import flows_by_target, origins_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow


def undo_before_normalising(facts: Facts) -> None:
    """Add edges to the results of calls that normalise from what ``safe_end`` made harmless in their arguments.

    Time linear in such calls times ``MAX_DEFINITIONS``.
    """
    if not facts.conditions.ends:
        return
    parts: dict[int, list[tuple[int, int]]] = {}  # text -> (part, mask)
    for (part, text), mask in facts.conditions.ends.items():
        parts.setdefault(text, []).append((part, mask))
    into = flows_by_target(facts)
    for flow in dict.fromkeys(facts.conditions.normalised):
        seen = {flow.origin: 0}  # mask of what was cleaned between it and the call
        work = [flow.origin]
        while work and len(seen) < MAX_DEFINITIONS:  # ``seen`` grows
            at = work.pop(0)
            for part, mask in parts.get(at, ()):
                checked = facts.guards.made_before.get((part, at), 0)
                harmless = (facts.wanted.all & ~mask) | seen[at] | flow.harmless | checked
                if harmless != facts.wanted.all:
                    whole = not (flow.take or flow.put)
                    facts.labels.flows.append(flow._replace(origin=part, derived=whole, harmless=harmless))
            cleaned = seen[at] | facts.labels.clean.get(at, 0)
            for origin in origins_of(facts, at, into):
                if not origin.take and origin.value not in seen and not facts.is_inert(origin.value):
                    seen[origin.value] = cleaned | origin.harmless
                    work.append(origin.value)


def undo_where_folders_are_made(facts: Facts) -> None:
    """Let parts do harm that ``safe_end`` made harmless in a text, if the folders of its path are made.

    So do they in longer texts that this one is a part of. The result of a normalising call has no folder ``report_x``
    any more, so the walk back ends there. Every use of the text counts, also one before the folders are made. Time
    linear in such calls times ``MAX_DEFINITIONS``, and in the parts of texts.
    """
    if not facts.conditions.ends or not facts.conditions.made:
        return
    parts: dict[int, list[int]] = {}  # text -> its parts
    longer: dict[int, list[int]] = {}  # part -> the texts that have it
    for part, text in facts.conditions.ends:
        parts.setdefault(text, []).append(part)
        longer.setdefault(part, []).append(text)
    undone: set[tuple[int, int]] = set()
    for text in texts_of_made_folders(facts):
        work = [(part, text) for part in parts.get(text, ())]
        while work:  # each pair is taken once
            pair = work.pop()
            if pair not in undone:
                undone.add(pair)
                facts.labels.harmless_parts[pair] &= ~facts.conditions.ends[pair]
                work += [(pair[1], outer) for outer in longer.get(pair[1], ())]


def texts_of_made_folders(facts: Facts) -> list[int]:
    """What the paths are made from, in their functions, of which a call makes all folders that are missing.

    A member that is read counts, too: ``path.parent``.
    """
    into = flows_by_target(facts)
    resolved = {flow.target for flow in facts.conditions.normalised}
    found: dict[int, None] = {}
    for made in dict.fromkeys(facts.conditions.made):
        near = {made}
        work = [made]
        while work and len(near) < MAX_DEFINITIONS:  # ``near`` grows
            at = work.pop(0)
            if at in resolved:
                continue
            found[at] = None
            for origin in origins_of(facts, at, into):
                if origin.value not in near and not facts.is_inert(origin.value):
                    near.add(origin.value)
                    work.append(origin.value)
    return list(found)


def sinks_of_normalised(facts: Facts) -> None:
    """Add sinks for what a call refuses, at the results of normalising calls that its argument is made from.

    A call that refuses each text with ``..`` gets none to see in ``join(root, name)``. The walk back looks at
    ``MAX_NORMALISED`` values and what the last of them is made of, in the function and its callers. The result of a
    function that normalises is such a result, too: a sink within that function would count for all of its callers.
    """
    if not facts.conditions.refused:
        return
    into = flows_by_target(facts)
    resolved = {flow.target for flow in facts.conditions.normalised}
    given: dict[int, list[int]] = {}
    for each in facts.resolution.bindings:
        given.setdefault(each.parameter, []).append(each.argument)
    for role in facts.conditions.refused:
        seen = {role.value}
        work = [role.value]
        for at in work:  # grows, to the bound
            if at in resolved or any(is_normalised(facts, each, into, resolved) for each in results_of(facts, at)):
                facts.labels.sinks.append(role._replace(value=at, keys=()))
                continue
            before = [origin.value for origin in origins_of(facts, at, into)]
            before += given.get(at, ()) or facts.flows.heap_in.get(facts.rep[at], ())
            fresh = dict.fromkeys(each for each in before if each not in seen)
            if len(seen) < MAX_NORMALISED:
                seen.update(fresh)
                work += fresh


def is_normalised(facts: Facts, value: int, into: dict[int, list[DataFlow]], resolved: set[int]) -> bool:
    """Whether a value is made from the result of a normalising call, in its function and those that it calls."""
    seen = {value}
    work = [value]
    for at in work:  # grows, to the bound
        if at in resolved:
            return True
        before = [origin.value for origin in origins_of(facts, at, into)] + results_of(facts, at)
        fresh = dict.fromkeys(each for each in before if each not in seen)
        if len(seen) < MAX_NORMALISED:
            seen.update(fresh)
            work += fresh
    return False


def results_of(facts: Facts, value: int) -> list[int]:
    """What functions of the program return where ``value`` is the result of a call of them."""
    if facts.op[value] != Op.CALL:
        return []
    results = facts.tables["functions"]["result"]
    found = [int(results[function]) for function in facts.calls.functions_of(facts.data[value])]
    return [result for result in found if result != NONE]


def is_normalised_elsewhere(facts: Facts, value: int) -> bool:
    """Whether a text is passed, returned or stored to where a function of the program may normalise it."""
    normalising = normalising_functions(facts)
    if not normalising:
        return False
    rep = facts.rep[value]
    for call in facts.calls.calls_with(rep):
        if not normalising.isdisjoint(facts.calls.functions_of(call)):
            return True
    tables = facts.tables
    function = int(facts.function_of[value])
    result = int(tables["functions"]["result"][function])
    is_returned = any(facts.rep[origin] == rep for origin, _ in facts.flows.origins_of(result))
    if is_returned and not normalising.isdisjoint(callers_of(facts, function)):
        return True
    if facts.conditions.stored is None:
        stored = tables["stores"]["value"]
        facts.conditions.stored = frozenset(facts.resolution.representative[stored[stored >= 0]].tolist())
    return rep in facts.conditions.stored


def callers_of(facts: Facts, function: int) -> list[int]:
    """The functions with a call that may call this one."""
    return [int(facts.function_of[facts.call_result[site]]) for site in facts.calls.calls_of(function)]


def normalising_functions(facts: Facts) -> frozenset[int]:
    """The functions that normalise a path, themselves or by what they call. Time linear in the call graph."""
    known = facts.conditions.normalising
    if known is None:
        found = {int(facts.function_of[flow.target]) for flow in facts.conditions.normalised}
        work = sorted(found)
        while work:  # ``found`` grows
            for caller in callers_of(facts, work.pop()):
                if caller != NONE and caller not in found:
                    found.add(caller)
                    work.append(caller)
        known = facts.conditions.normalising = frozenset(found)
    return known
