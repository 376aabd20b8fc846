"""Tests of a text's beginning: ``x.startswith(root)``, ``x[:2] == "//"``, ``commonprefix([root, x]) == root``."""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.chosen import is_chosen, names_behind
from pyrograph.scanner.analysis.label.comparison_checks import Check, beginning_in_common, check_of, comparison_checks
from pyrograph.scanner.analysis.label.definitions import listed
from pyrograph.scanner.analysis.label.endings import before_separator, ends_so, separated
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guarded_values import bounds, transform_guards
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.literals import least_harmless, text_of
from pyrograph.scanner.analysis.label.random_endings import ends_unlike_others


def prefix_checks(
    facts: Facts, guards: dict[str, Tests], kind: str, subject: int, other: int, *, parts: bool = False
) -> list[Check]:
    """The checks of ``subject.startsWith(other)`` and its like; ``parts``: whole parts of paths are compared."""
    constant = facts.constant(other)
    text = constant.removeprefix("'") if constant is not None else None
    found = comparison_checks(facts, guards, kind, subject, text)
    if kind == "suffix" and names_behind(facts, other, "."):
        found += domain_checks(facts, guards, subject)
    if kind == "prefix" and not parts:
        found = [open_check(facts, check, other) for check in found]
    if constant is None:
        whole = separated(facts, other)
        texts = [text for text in map(facts.constant, listed(facts, other)) if text is not None and text[:1] == "'"]
        for choice in [*(text[1:] for text in texts), *([] if whole is None else [whole])]:  # none: where it fails
            each = comparison_checks(facts, guards, kind, subject, choice)
            found += [check for check in each if check.when_false and check not in found]
    if kind == "prefix":
        whole_part = before_separator(facts, subject)
        if whole_part != NONE:  # it begins so, or is ``other`` without its last character
            found += prefix_checks(facts, guards, kind, whole_part, other)
        # behind the test the value begins so: what a text before a value proves holds for it
        begins = text_of(facts, other, constant)
        if begins == "\0":
            least = least_harmless(facts, other)
            begins = least[1:] if least is not None else begins
        mask = facts.harmless_after(begins) if begins not in ("", "\0") else 0
        if begins == "\0" and facts.wanted.safe_chosen and is_chosen(facts, other):
            mask |= facts.harmless_after_chosen("")
        if mask:
            found.append(Check({facts.rep[subject]}, mask, False, None))
    return found


def domain_checks(facts: Facts, guards: dict[str, Tests], host: int) -> list[Check]:
    """The checks of a host that ends with a dot and names. Where only equality with such a part proves something, a
    doubt: what takes an address apart may find another host in it than what goes there.
    """
    found = comparison_checks(facts, guards, "subdomain", host, None, transformed=True)
    known = set().union(*(each.values for each in found))
    for each in comparison_checks(facts, guards, "in", host, None, transformed=True):
        if not known >= each.values:
            found.append(each._replace(mask=0, is_doubt=True))
    return found


def open_check(facts: Facts, check: Check, prefix: int) -> Check:
    """``check``, a test of a prefix, without what it proves only if the prefix ends in a separator."""
    if check.when_false or not check.mask:
        return check
    each_of = listed(facts, prefix)
    for pattern, mask in facts.wanted.prefixes.items():
        closed = all([ends_so(facts, each, pattern) for each in each_of or [prefix]])
        if check.mask & mask and not closed:
            fixed = all([ends_unlike_others(facts, each) for each in each_of or [prefix]])
            check = check._replace(mask=check.mask & ~mask, is_open=True, is_fixed=fixed)
    return check


def beginning_checks(facts: Facts, guards: dict[str, Tests], operand: int, other: int) -> list[Check]:
    """The checks of a comparison with a constant as long as the slice of a text's beginning that it is compared with,
    ``x[:2] == "//"``, which is a test of a prefix.
    """
    row = facts.guards.sliced.get(facts.rep[operand], facts.guards.sliced.get(operand, NONE))
    constant = facts.constant(other)
    if row == NONE or constant is None or constant[:1] != "'":
        return []
    start, end = bounds(facts, row)
    if start not in (None, 0) or end != len(constant) - 1 or not end:
        return []
    return prefix_checks(facts, guards, "prefix", int(facts.tables["slices"]["object"][row]), other)


def common_prefix_checks(facts: Facts, guards: dict[str, Tests], operand: int, prefix: int) -> list[Check]:
    """The checks of the characters that several texts have in common, which is a test of a prefix:
    ``commonprefix([root, resolve(x)]) == root``.
    """
    found = []
    for guard in transform_guards(facts, operand, guards["prefix"]) if "prefix" in guards else ():
        if guard.port is not None and guard.port.path:
            guarded = beginning_in_common(facts, operand, guard, guards)
            if guarded:
                found.append(open_check(facts, check_of(facts, guarded, guard), prefix))
    return found
