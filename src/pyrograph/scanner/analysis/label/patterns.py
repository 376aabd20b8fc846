"""Constant regular expressions: their definitions, their flags, and the worst-case time of matching."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyrograph.ir.codes import NONE
from pyrograph.model.problem import Problem
from pyrograph.parsers import language_of
from pyrograph.policy.confidence import LONG_DEGREE
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.policy.limits.patterns import MAX_PATTERN_STEPS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.definitions import some_made
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CONST_OP,
    EXPRESSION_OP,
    FIELD_OP,
    GLOBAL_OP,
    LOAD_OP,
)

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Dialect, Growth, Kind

REPEATED_GROUP: Final = re.compile(r"\)\s*[*+{]")  # a pattern without one is never exponential
LOOP: Final = re.compile(r"[*+]|\{\d*,\}")  # more than there are, where one is escaped or made possessive
LITERAL: Final = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)


def pattern(facts: Facts, value: int) -> str | None:
    """The constant pattern that a compiled regular expression was made from."""
    return compiled(facts, compiling_call(facts, value))


def compiled(facts: Facts, call: int) -> str | None:
    """The constant pattern that a call gets as its first argument, or None."""
    rows = facts.args.at(call, Port("position", 0)) if call != NONE else []
    return facts.constant(facts.arg_value[rows[0]]) if rows else None


def compiling_call(facts: Facts, value: int) -> int:
    """The call that made ``value``, which may lie under a name or be the first of its results; or NONE."""
    rep = facts.rep[value]
    if facts.op[rep] in (GLOBAL_OP, LOAD_OP):  # its name, here or in another package
        origins = {facts.rep[origin] for origin in facts.flows.heap_in.get(rep, ())} - {rep}
        made = {origin for origin in origins if facts.op[origin] not in (GLOBAL_OP, CONST_OP, FIELD_OP)}
        rep = made.pop() if len(made) == 1 else rep
    if facts.op[rep] == LOAD_OP and facts.op[facts.rep[facts.load_object[facts.data[rep]]]] == CALL_OP:
        rep = facts.rep[facts.load_object[facts.data[rep]]]  # the first of a call's results, in Go
    return facts.data[rep] if facts.op[rep] == CALL_OP else NONE


def growth_of(facts: Facts, text: str, flags: str, dialect: Dialect, kind: Kind, *, polynomial: bool) -> Growth:
    """``patterns.growth``, cached, within ``MAX_PATTERN_STEPS`` for a program; further patterns count as linear."""
    from pyrograph.scanner.analysis.patterns import Growth, growth  # few programs need it

    labels = facts.labels
    key = (text, flags, dialect, kind, polynomial)
    if key not in labels.growths.known:
        if labels.growths.steps >= MAX_PATTERN_STEPS:
            message = (
                "analysing the regular expressions of this program takes too many steps; those after the first "
                f"{len(labels.growths.known):,} are treated as harmless"
            )
            problem = Problem("limit", "", 0, message)
            if problem not in labels.problems:
                labels.problems.append(problem)
            return Growth("linear")
        found = growth(text, flags, dialect, kind, polynomial=polynomial)
        labels.growths.known[key] = found
        labels.growths.steps += found.cost
    return labels.growths.known[key]


def takes_long(facts: Facts, value: int, call: int, kind: Kind, *, exponential: bool) -> bool:
    """Whether ``value`` may be a pattern, or compiled from one, whose worst case is exponential, or a polynomial of
    degree ``LONG_DEGREE`` or more (else: any polynomial).

    ``kind``: "match", "fullmatch" or "search", as ``patterns.growth`` has it.
    """
    name = language_of(facts.language(value)).pattern_dialect
    if not name or not dialect_named(name).backtracks:
        return False
    for each in some_made(facts, value)[0]:
        text = facts.constant(each)
        made = NONE if text is not None else compiling_call(facts, each)
        if made != NONE:
            text = compiled(facts, made)
        if text is None:
            continue
        text = text.removeprefix("'")
        if exponential and not REPEATED_GROUP.search(text) and len(LOOP.findall(text)) < LONG_DEGREE - 1:
            continue
        dialect = dialect_named(name)
        if dialect.has_literals:
            written = literal(facts, text, made)
            if written is not None:
                how: Kind = "match" if "y" in written[1] else "search"
                if grows(facts, *written, dialect, how, exponential=exponential):
                    return True
            continue
        flags = flags_at(facts, call if made == NONE else made, dialect)
        # a pattern of several lines may be compiled with flags that come from elsewhere
        ways = [flags, flags + "x"] if dialect.free_spacing and "\n" in text and "x" not in flags else [flags]
        if all(grows(facts, text, each, dialect, kind, exponential=exponential) for each in ways):
            return True
    return False


def grows(facts: Facts, text: str, flags: str, dialect: Dialect, kind: Kind, *, exponential: bool) -> bool:
    """Whether the time of one pattern grows as ``takes_long`` asks."""
    if not exponential:
        return growth_of(facts, text, flags, dialect, kind, polynomial=True).order == "polynomial"
    if REPEATED_GROUP.search(text) and (
        growth_of(facts, text, flags, dialect, kind, polynomial=False).order == "exponential"
    ):
        return True
    if len(LOOP.findall(text)) < LONG_DEGREE - 1:  # a search begins anywhere, which counts as one loop more
        return False
    found = growth_of(facts, text, flags, dialect, kind, polynomial=True)
    return found.order == "polynomial" and found.degree >= LONG_DEGREE


def dialect_named(name: str) -> Dialect:
    """The dialect of this name; see ``Language.pattern_dialect``."""
    from pyrograph.scanner.analysis.patterns import DIALECTS  # few programs need it

    return DIALECTS[name]


def literal(facts: Facts, text: str, made: int) -> tuple[str, str] | None:
    """The pattern and the flags of a literal ``/pattern/flags``, or of a text that the call ``made`` compiles.

    None if the text is no pattern: it is searched for literally.
    """
    if made != NONE:
        rows = facts.args.at(made, Port("position", 1))
        return text, (facts.constant(facts.arg_value[rows[0]]) or "").removeprefix("'") if rows else ""
    found = LITERAL.fullmatch(text)
    return (found[1], found[2]) if found is not None else None


def flags_at(facts: Facts, call: int, dialect: Dialect) -> str:
    """The letters of the flags that a call is given by name, joined or not."""
    if not dialect.flag_names:
        return ""
    found: set[str] = set()
    seen: set[int] = set()
    level = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_position[row] != 0]
    for _ in range(MAX_GUARD_SLICE + 1):  # level by level, each value once: values meet again where paths join
        further: list[int] = []
        for value in level:
            rep = facts.rep[value]
            if rep in seen:
                continue
            seen.add(rep)
            if facts.op[rep] == LOAD_OP:
                key = facts.load_key[facts.data[rep]]
                letter = dialect.flag_names.get(facts.program.strings[key]) if key >= 0 else None
                if letter is not None:
                    found.add(letter)
            if facts.op[rep] == EXPRESSION_OP or facts.op[rep] in NAMED:
                origins = [origin for origin, _ in facts.flows.origins_of(rep)]
                further += origins or list(facts.flows.heap_in.get(rep, ()))
        level = further
    return "".join(sorted(found))
