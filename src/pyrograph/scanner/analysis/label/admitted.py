"""Texts that a pattern or a replacement lets through: the vulnerabilities for which they are clean, as a mask.

The question is put to the pattern's automaton (``patterns.texts``): may a text that passes hold a match of what the
vulnerability calls ``harmful``?
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.policy.limits.patterns import MAX_COMPARED_STEPS
from pyrograph.rules.entries import Flow, Port
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.definitions import defaults_of, elements, made_where
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.patterns import (
    compiled,
    compiling_call,
    dialect_named,
    flags_at,
    literal,
)

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Kind
    from pyrograph.scanner.analysis.patterns.charset import Chars

REFERENCE: Final = re.compile(r"\\\\?[0-9]|\\g<|\$[0-9&`'<{]")  # to what was matched, in the notation of any language
ESCAPING: Final = re.compile(r"\\(?:\\[01]|\\g<[01]>|\$[01&]|\$\{[01]\})|\\\\(?:\\[01]|\\g<[01]>|\$[01&]|\$\{[01]\})")

TOO_MANY: Final = (
    "telling what the regular expressions of this program admit takes too many steps; tests with those after the first "
    "{} count as proving nothing"
)
PERCENT: Final = 0x25
FIXED_HOST: Final = "https://\0.example.org/"  # what an address begins with whose host lies below a known domain


class Pattern(NamedTuple):
    """A constant regular expression of the program."""

    text: str
    flags: str  # letters
    dialect: str  # its name; compiled code evaluates these types, and few programs need the dialects themselves
    is_global: bool  # a replacement replaces all matches


def pattern_at(facts: Facts, value: int, call: int) -> Pattern | None:
    """The constant pattern that ``value`` is, or was compiled from, as ``call`` uses it; None where it is not known."""
    name = language_of(facts.language(value)).pattern_dialect
    if not name:
        return None
    text, made = facts.constant(value), NONE
    if text is None:
        made = compiling_call(facts, value)
        text = compiled(facts, made)
    if text is None:
        found = made_where(facts, value) or defaults_of(facts, value)
        text = facts.constant(found[0]) if len(found) == 1 else None
        if len(found) == 1 and text is None:
            made = compiling_call(facts, found[0])
            text = compiled(facts, made)
    if text is None or text[:1] != "'":
        return None
    text, dialect = text[1:], dialect_named(name)
    if dialect.has_literals:
        written = literal(facts, text, made)
        return None if written is None else Pattern(*written, name, "g" in written[1])
    return Pattern(text, flags_at(facts, call if made == NONE else made, dialect), name, True)


def matched_mask(facts: Facts, pattern: Pattern, kind: Kind, group: int | str = "") -> int:
    """For what a text is clean that the pattern matches; with ``group``, the text that this group captures."""
    from pyrograph.scanner.analysis.patterns.texts import admitted  # few programs need it

    growths, name = facts.labels.growths, (pattern, kind, group)
    if name in growths.masks:
        return growths.masks[name]
    if not is_within_budget(facts):
        return 0
    mask, harmful = 0, tuple(facts.wanted.harmful)
    found, steps = admitted(pattern.text, pattern.flags, dialect_named(pattern.dialect), kind, harmful, group)
    for each, is_admitted in zip(harmful, found, strict=True):
        if not is_admitted:
            mask |= facts.wanted.harmful[each]
    growths.compared += steps
    mask |= host_mask(facts, pattern, kind, group)
    growths.masks[name] = mask
    return mask


def is_within_budget(facts: Facts) -> bool:
    """Whether a further pattern may be compared with what does harm; if not, it is reported once."""
    growths = facts.labels.growths
    if growths.compared < MAX_COMPARED_STEPS:
        return True
    if not growths.is_cut:
        growths.is_cut = True
        count = len({pattern for pattern, *_ in (*growths.masks, *growths.unmatched)})
        facts.labels.problems.append(Problem("limit", "", 0, TOO_MANY.format(f"{count:,}")))
    return False


def captured_groups(pattern: Pattern) -> list[str]:
    """The names of the groups that a pattern captures, "" for those without."""
    from pyrograph.scanner.analysis.patterns.texts import group_names

    return group_names(pattern.text, dialect_named(pattern.dialect))


def host_mask(facts: Facts, pattern: Pattern, kind: Kind, group: int | str = "") -> int:
    """For what a text is clean that is an address on a domain which the pattern fixes: ``^https://(\\w+\\.)?a\\.org/``."""
    from pyrograph.scanner.analysis.patterns.hosts import fixes_host

    if "//" not in pattern.text and "/\\/" not in pattern.text:
        return 0
    is_fixed = fixes_host(pattern.text, pattern.flags, dialect_named(pattern.dialect), kind, group)
    return facts.harmless_after(FIXED_HOST) if is_fixed else 0


def names_host(pattern: Pattern, kind: Kind) -> bool:
    """Whether a text that the pattern matches is the name of a host on a domain which the pattern fixes."""
    from pyrograph.scanner.analysis.patterns import hosts

    return "." in pattern.text and hosts.names_host(pattern.text, pattern.flags, dialect_named(pattern.dialect), kind)


def unmatched_mask(facts: Facts, pattern: Pattern, kind: Kind) -> int:
    """For what a text is clean in which the pattern is not found."""
    from pyrograph.scanner.analysis.patterns import charset
    from pyrograph.scanner.analysis.patterns.texts import lacking, single

    growths = facts.labels.growths
    if (pattern, kind) in growths.unmatched:
        return growths.unmatched[pattern, kind]
    if not is_within_budget(facts):
        return 0
    dialect = dialect_named(pattern.dialect)
    found = single(pattern.text, pattern.flags, dialect) if kind == "search" else ()
    mask = rest_mask(facts, charset.complement(found)) if found else 0
    harmful = tuple([each for each, bits in facts.wanted.refused.items() if bits & ~mask])
    admitted, steps = lacking(pattern.text, pattern.flags, dialect, kind, harmful)
    for each, is_admitted in zip(harmful, admitted, strict=True):
        if not is_admitted:
            mask |= facts.wanted.refused[each]
    growths.compared += steps
    growths.unmatched[pattern, kind] = mask
    return mask


def refused_beginnings(pattern: Pattern, kind: Kind) -> tuple[str, ...]:
    """Texts with which no text begins in which the pattern is not found."""
    from pyrograph.scanner.analysis.patterns.texts import beginnings

    return beginnings(pattern.text, pattern.flags, dialect_named(pattern.dialect), kind)


def leading_mask(facts: Facts, pattern: Pattern, kind: Kind) -> int:
    """For what a text is clean in which the pattern is found, by the text with which it then begins:
    ``^https://example\\.org/``.
    """
    from pyrograph.scanner.analysis.patterns.texts import leading

    texts = leading(pattern.text, pattern.flags, dialect_named(pattern.dialect), kind)
    mask = facts.harmless_after(texts[0]) if texts else 0
    for text in texts[1:]:
        mask &= facts.harmless_after(text)
    return mask | host_mask(facts, pattern, kind)


def rest_mask(facts: Facts, rest: Chars) -> int:
    """For what a text of these characters only is clean."""
    from pyrograph.scanner.analysis.patterns.texts import rest_admits

    mask = 0
    for harmful, bits in facts.wanted.harmful.items():
        if not rest_admits(rest, harmful):
            mask |= bits
    return mask


def replaced_mask(facts: Facts, call: int, flow: Flow) -> int:
    """For what the result of ``call`` is clean, in which all matches of a constant pattern were replaced.

    ``x.replace(/</g, "").replace(/>/g, "")``: the replacements before it in the chain count, too. A replacement with a
    backslash and the match itself escapes it.
    """
    from pyrograph.scanner.analysis.patterns import charset

    steps: list[tuple[Chars, str]] = []  # characters removed, text added; the last call first
    escaped: Chars = ()
    for _ in range(MAX_GUARD_SLICE):
        removed, added = replaced_characters(facts, call, flow)
        if added is None:  # it puts back what it found
            if not steps:
                escaped = escaped_characters(facts, call, flow)
            break
        if not removed:
            break
        steps.append((removed, added))
        origins = [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.origin)]
        if len(origins) != 1 or facts.op[origins[0]] != Op.CALL:
            break
        call = facts.data[origins[0]]
        before = replacing_flow(facts, call)
        if before is None:
            break
        flow = before
    if escaped:
        return rest_mask(facts, charset.complement(escaped)) & facts.wanted.backslash
    if not steps:
        return 0
    return rest_mask(facts, charset.replaced(tuple(reversed(steps))))


def decoded_mask(facts: Facts, call: int) -> int:
    """For what the result of ``call`` is clean, decoded or not: ``href.replace(/\\W/g, "")`` replaces matches.

    Decoding an address brings back any character, unless no percent sign is left.
    """
    flow = replacing_flow(facts, call)
    if flow is None or not any(low <= PERCENT <= high for low, high in searched_characters(facts, call, flow)):
        return 0
    return replaced_mask(facts, call, flow)


def replacing_flow(facts: Facts, call: int) -> Flow | None:
    """The flow of a call that replaces all matches, if rules state one for such a call of an API."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                if isinstance(flow, Flow) and flow.pattern is not None and holds(facts, propagator.conditions, call):
                    return flow
    return None


def searched_characters(facts: Facts, call: int, flow: Flow) -> Chars:
    """The characters that ``call`` replaces wherever they stand."""
    from pyrograph.scanner.analysis.patterns import charset
    from pyrograph.scanner.analysis.patterns.texts import single

    rows = facts.args.at(call, flow.pattern) if flow.pattern is not None else []
    value = facts.arg_value[rows[0]] if rows else NONE
    if value == NONE and flow.pattern == Port("this"):
        value = facts.call_receiver[call]
    if value == NONE:
        return ()
    text = facts.constant(value)
    found = None if flow.is_text and text is not None and text[:2] != "'/" else pattern_at(facts, value, call)
    if found is not None:
        return single(found.text, found.flags, dialect_named(found.dialect)) if found.is_global else ()
    if flow.is_text and text is not None and text[:1] == "'" and len(text) == 2:
        return charset.codes(text[1:])
    return ()


def replaced_characters(facts: Facts, call: int, flow: Flow) -> tuple[Chars, str | None]:
    """The characters that ``call`` replaces, and the text that it puts there; None: a part of what it found.

    A replacement that is not constant puts there what it says: that is another flow.
    """
    if flow.is_text and flow.pattern == flow.replacement:
        return paired_characters(facts, call, flow)
    text = replacement(facts, call, flow)
    if text is not None and not flow.is_text and REFERENCE.search(text):
        return (), None
    return searched_characters(facts, call, flow), text or ""


def paired_characters(facts: Facts, call: int, flow: Flow) -> tuple[Chars, str]:
    """The characters that ``call`` replaces, and all that it may put in their place, by the constant pairs that its
    object was made of: ``NewReplacer("<", "", ">", "")``. Nothing where one of them is not constant.
    """
    from pyrograph.scanner.analysis.patterns import charset

    made = [] if flow.pattern is None else object_of(facts, call, flow.pattern)
    if len(made) != 1 or facts.op[facts.rep[made[0]]] != Op.CALL:
        return (), ""
    given: list[int] = []
    for row in facts.args.of(facts.data[facts.rep[made[0]]]):
        value = facts.arg_value[row]
        if not facts.arg_flags[row]:
            given += [value] if facts.arg_position[row] != RECEIVER else []
        elif facts.is_constant_collection(value):
            held = elements(facts, value, NONE)
            if held is None:
                return (), ""
            given += held
    texts = [facts.constant(value) for value in given]
    pairs = [text[1:] for text in texts if text is not None and text[:1] == "'"]
    if len(pairs) != len(texts) or len(pairs) % 2:
        return (), ""
    removed = "".join(each for each in pairs[::2] if len(each) == 1)
    return charset.codes(removed), "".join(pairs[1::2])


def object_of(facts: Facts, call: int, port: Port) -> list[int]:
    """What the argument of ``call`` at a port may have been made by."""
    rows = facts.args.at(call, port)
    value = facts.arg_value[rows[0]] if rows else facts.call_receiver[call]
    return [] if value == NONE else made_where(facts, value)


def escaped_characters(facts: Facts, call: int, flow: Flow) -> Chars:
    """The characters that ``call`` puts a backslash before."""
    text = replacement(facts, call, flow)
    return searched_characters(facts, call, flow) if text is not None and ESCAPING.fullmatch(text) else ()


def replacement(facts: Facts, call: int, flow: Flow) -> str | None:
    """The constant text that ``call`` puts in the place of matches."""
    rows = facts.args.at(call, flow.replacement) if flow.replacement is not None else []
    text = facts.constant(facts.arg_value[rows[0]]) if rows else None
    return text[1:] if text is not None and text[:1] == "'" else None
