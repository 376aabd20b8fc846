"""Decoders: what was checked, escaped or cut before a text is decoded is unknown again afterwards.

``unquote(basename(x))`` may hold slashes: ``..%2f`` has none before it is decoded. So a flow of a pack that is
``decoding`` gets edges that bypass what cleaned the text before it, within the function: checks, sanitizers, and what
the source never has (a part of a path between slashes). What left few kinds of characters keeps its effect: a text of
letters and digits is the same after decoding. So does a check of how the text begins.

Of a part that is taken out of a text, such as the query of an address, the text before it says nothing, either:
``new URL("http://localhost" + x).searchParams``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow, SourceRole

RAW: Final = "\0<raw>"  # the key of the part of a source that only a decoder brings back; no key of a program begins so


class Origin(NamedTuple):
    """What a value was made from."""

    value: int
    take: tuple[int, ...] = ()  # this part of it
    harmless: int = 0  # mask of what does no harm any more because it came this way


def undo_before_decoding(facts: Facts) -> None:
    """Add edges to the results of decoders from what was cleaned before.

    Time linear in decoders times ``MAX_DEFINITIONS``.
    """
    if not facts.conditions.decodings:
        return
    into = flows_by_target(facts)
    roles: dict[int, list[SourceRole]] = {}
    for role in facts.labels.sources:
        roles.setdefault(role.value, []).append(role)
    raw = facts.program.intern(RAW)
    for flow in dict.fromkeys(facts.conditions.decodings):
        if not flow.put:
            facts.labels.checks.decoded.add(flow.target)
        cleaned, seen = cleaned_before(facts, flow.origin, into, of_part=bool(flow.put))
        for origin in cleaned:
            whole = not (origin.take or flow.take or flow.put)
            harmless = flow.harmless | origin.harmless
            take = origin.take + flow.take
            facts.labels.flows.append(flow._replace(origin=origin.value, take=take, derived=whole, harmless=harmless))
            facts.labels.checks.undone.add((origin.value, flow.target))
        for value in seen:
            limited = [each for each in roles.get(value, ()) if each.harmless | each.unsure and not each.keys]
            limited = [each for each in limited if not each.harmless & facts.wanted.codes]
            facts.labels.sources += [each._replace(harmless=0, unsure=0, keys=(raw,)) for each in limited]
            if limited:
                facts.labels.flows.append(flow._replace(origin=value, take=(raw,), derived=False))
                facts.labels.checks.undone.add((value, flow.target))


def flows_by_target(facts: Facts) -> dict[int, list[DataFlow]]:
    """The flow that packs state, by the value that it goes into."""
    into: dict[int, list[DataFlow]] = {}
    for flow in facts.labels.flows:
        into.setdefault(flow.target, []).append(flow)
    return into


def cleaned_before(
    facts: Facts, value: int, into: dict[int, list[DataFlow]], *, of_part: bool
) -> tuple[list[Origin], list[int]]:
    """What cleaners were applied to on the way to ``value``, and all values on this way, within the function.

    ``of_part``: only a part of it is decoded, so that where something stands in the text before does not count.

    The mask of an origin is all but what the cleaner cleans for, and what checks of a beginning on the way clean for:
    decoding leaves a beginning as it is.
    """
    beginnings = sum(1 << bit for bit in facts.wanted.safe_text)
    found: dict[tuple[int, tuple[int, ...]], int] = {}
    seen = {value: 0}  # mask of what checks of a beginning between it and ``value`` clean for
    work = [value]
    while work and len(seen) < MAX_DEFINITIONS:  # ``seen`` grows, or a mask in it loses a bit
        at = work.pop(0)
        cleaned = facts.labels.clean.get(at, 0)
        if cleaned & facts.wanted.codes:
            continue
        kept = seen[at] | (cleaned & beginnings if facts.op[at] == Op.PI else 0)
        for origin in origins_of(facts, at, into):
            if facts.is_inert(origin.value) or origin.harmless & facts.wanted.codes:
                continue
            is_hole = of_part and facts.op[at] == Op.EXPRESSION
            if undone := facts.wanted.all if is_hole else (cleaned | origin.harmless) & ~kept:
                name = origin.value, origin.take
                found[name] = found.get(name, facts.wanted.all) & ~undone
            before = seen.get(origin.value, NONE)
            if not origin.take and before & kept != before:
                seen[origin.value] = before & kept
                work.append(origin.value)
    return [Origin(*name, harmless) for name, harmless in found.items()], list(seen)


def forget_codes(facts: Facts) -> None:
    """Take the bit of what decoders change from all masks: no later stage knows it. Time linear in the masks."""
    labels, codes = facts.labels, facts.wanted.codes
    labels.clean = {value: mask & ~codes for value, mask in labels.clean.items() if mask & ~codes}
    parts = {part: mask & ~codes for part, mask in labels.harmless_parts.items()}
    labels.harmless_parts = {part: mask for part, mask in parts.items() if mask}
    labels.flows = [
        flow._replace(harmless=flow.harmless & ~codes) if flow.harmless & codes else flow for flow in labels.flows
    ]
    labels.sources = [
        each._replace(harmless=each.harmless & ~codes, unsure=each.unsure & ~codes)
        if (each.harmless | each.unsure) & codes
        else each
        for each in labels.sources
    ]


def origins_of(facts: Facts, value: int, into: dict[int, list[DataFlow]]) -> list[Origin]:
    """What ``value`` was made from in the same function."""
    row = facts.data[value]
    if facts.op[value] == Op.PI:
        return [Origin(int(facts.tables["pis"]["input"][row]))]
    found = [Origin(facts.arg_value[row])] if facts.op[value] == Op.POST else []
    if facts.op[value] == Op.LOAD and facts.load_key[row] >= 0:
        found.append(Origin(facts.load_object[row], (facts.load_key[row],)))
    checked = facts.guards.made_before
    found += [Origin(origin, (), checked.get((origin, value), 0)) for origin, _ in facts.flows.origins_of(value)]
    return found + [
        Origin(flow.origin, flow.take, flow.harmless | checked.get((flow.origin, value), 0))
        for flow in into.get(value, ())
    ]
