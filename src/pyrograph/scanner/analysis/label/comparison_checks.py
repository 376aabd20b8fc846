"""Comparisons matched with the guards of one kind of test: what one proves of the operand, ``x == "a"``."""

from __future__ import annotations

from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE
from pyrograph.rules.entries import Guard, Port
from pyrograph.scanner.analysis.label.definitions import elements
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guarded_values import guarded_by, transform_guards
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.text_origins import joined_in, made_from
from pyrograph.scanner.analysis.numbers import CALL_OP

ABSENT: Final = ("null", "undefined")


class Check(NamedTuple):
    """What a condition proves if it matches a guard: the values, and what they are clean for."""

    values: set[int]  # representatives
    mask: int  # they are clean for these
    when_false: bool  # clean where the test fails, not where it holds
    conjunct: tuple[int, int] | None  # (joint guard, number of this test): clean only behind all its tests
    is_open: bool = False  # a test of a prefix that leaves what it would clear if the prefix ended in a separator
    is_fixed: bool = False  # this prefix always ends as the program fixes it, or at random
    is_doubt: bool = False  # a check of which it is not known what it lets through: it proves nothing


def comparison_checks(
    facts: Facts, guards: dict[str, Tests], kind: str, operand: int, text: str | None, *, transformed: bool = False
) -> list[Check]:
    """The checks that a comparison of ``operand`` with ``text`` is, by guards of this kind of test.

    ``transformed``: the other operand is not constant; only guards of a part (a host, a folder) apply then.
    """
    if kind not in guards:
        return []
    found: list[Check] = []
    for guard in [*(() if transformed else guards[kind].plain), *transform_guards(facts, operand, guards[kind])]:
        if guard.text is not None and guard.text != text:
            continue
        of_elements = guard.port is not None and guard.port.path and "prefix" in guards
        guarded = (
            beginning_in_common(facts, operand, guard, guards)
            if of_elements
            else guarded_by(facts, operand, guard, kind)
        )
        if guarded:
            found += hidden_left(facts, check_of(facts, guarded, guard), guard, text)
    return found


def hidden_left(facts: Facts, check: Check, guard: Guard, text: str | None) -> list[Check]:
    """``check``, a comparison with ``text``, without what it does not prove of a part that is found empty, and of texts
    that were joined with others before they were taken apart: ``urlparse(urljoin(site, x)).netloc == site.netloc``.

    A guard for nothing but what is hidden says that its own call finds that: ``new URL(x, site).host``.
    """
    hidden = check.mask & facts.wanted.hidden
    if not hidden or not guard.steps:
        return [check]
    finds = hidden == check.mask
    rest = check._replace(mask=check.mask & ~hidden)
    if text is not None and (not text or text in ABSENT) and not finds:
        return [rest]
    own = facts.guards.nodes_of.get(id(guard), frozenset()) if finds else frozenset()
    joining = [each for each in check.values if own.isdisjoint(facts.calls.apis_of.get(_call_of(facts, each), ()))]
    joined = {each for value in joining for each in joined_in(facts, value)} & check.values
    return [check._replace(values=check.values - joined), rest._replace(values=joined)] if joined else [check]


def _call_of(facts: Facts, value: int) -> int:
    return facts.data[value] if facts.op[value] == CALL_OP else NONE


def beginning_in_common(facts: Facts, operand: int, guard: Guard, guards: dict[str, Tests]) -> set[int]:
    """The values of which a comparison of what several have in common proves what a test of their beginning would
    prove: ``commonpath([root, resolve(x)]) == root``.
    """
    found: set[int] = set()
    for made in made_from(facts, facts.rep[operand]):
        call = facts.data[made] if facts.op[made] == CALL_OP else NONE
        paths = [facts.apis[facts.language(made)].paths[node] for node in facts.calls.apis_of.get(call, ())]
        if guard.port is None or guard.api not in paths:
            continue
        for row in facts.args.at(call, Port(guard.port.kind, guard.port.position)):
            for each in elements(facts, facts.arg_value[row], NONE) or []:
                for test in transform_guards(facts, each, guards["prefix"]):
                    if test.vulnerability == guard.vulnerability:
                        found |= guarded_by(facts, each, test, "prefix")
    return found


def check_of(facts: Facts, values: set[int], guard: Guard) -> Check:
    conjunct = facts.guards.conjunct_of.get(id(guard))
    return Check(
        values, 0 if conjunct is not None else facts.wanted.cleaned_by(guard.vulnerability), guard.when_false, conjunct
    )
