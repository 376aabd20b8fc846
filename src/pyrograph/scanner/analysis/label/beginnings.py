"""How texts begin, whichever of their definitions holds: ``if not x.startswith("/"): x = "/" + x``."""

from __future__ import annotations

from collections.abc import Collection

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.endings import SEPARATOR, is_separator
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import text_of
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CONST_OP,
    EQUAL_TEST,
    LOAD_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)


def begins_so(facts: Facts, value: int, wanted: Collection[str]) -> bool:
    """Whether a text that is not constant begins with one of ``wanted``, and all that it may be instead do, too.

    Before its first hole the text is one of ``wanted``, or a condition says that it begins so. Constants that it may be
    are nobody's. Looks through merges and the states after calls, at most ``MAX_DEFINITIONS`` values.
    """
    seen: set[int] = set()
    work, found = [value], False
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        if len(seen) > MAX_DEFINITIONS:
            return False
        rep, op = facts.rep[at], facts.op[at]
        text = text_of(facts, at, None)
        if (op == PI_OP and is_prefix_test(facts, at, wanted)) or (text.partition("\0")[0] in wanted and "\0" in text):
            found = True
        elif text != "\0" and text[:1] == "\0" and (first := first_part(facts, rep)) != NONE:
            if SEPARATOR in wanted and is_separator(facts, first):
                found = True
            else:
                work.append(first)
        elif text != "\0":
            return False
        elif op == PI_OP:
            work.append(facts.program.numbers("pis", "input")[facts.data[at]])
        elif op == POST_OP:
            work.append(facts.arg_value[facts.data[at]])
        elif op in (PHI_OP, CARRY_OP):
            before = [each for each in facts.flows.same_as(at) if facts.constant(each) is None]
            if not before:
                return False
            work += before
        else:
            return False
    return found


def is_prefix_test(facts: Facts, pi: int, wanted: Collection[str]) -> bool:
    """Whether the condition of a version says that it begins with one of ``wanted``, or with more than that."""
    row = facts.data[pi]
    condition = facts.program.numbers("pis", "condition")[row]
    test, left, right = (facts.program.numbers("conditions", name)[condition] for name in ("test", "left", "right"))
    if not facts.program.numbers("pis", "side")[row]:
        return False
    if test == EQUAL_TEST:
        for operand, other in ((left, right), (right, left)):
            if first_character_of(facts, operand) == facts.rep[pi] and is_character(facts, other, wanted):
                return True
        return False
    if test != TRUTH_TEST or facts.op[left] != CALL_OP:
        return False
    call = facts.data[left]
    tests = facts.traits_of(left).questions.tests
    if not any(tests.get(name) == "prefix" for name in facts.methods_called(call)):
        return False
    ports = (Port("this"), Port("from", 0))
    operands = [facts.arg_value[row] for port in ports for row in facts.args.at(call, port)]
    return len(operands) == 2 and facts.rep[operands[0]] == facts.rep[pi] and is_text(facts, operands[1], wanted)


def is_text(facts: Facts, value: int, wanted: Collection[str]) -> bool:
    """Whether a value is a constant text that begins with one of ``wanted``."""
    constant = facts.constant(value)
    return constant is not None and constant[:1] == "'" and constant[1:].startswith(tuple(wanted))


def is_character(facts: Facts, value: int, wanted: Collection[str]) -> bool:
    """Whether a value is a constant character that is one of ``wanted``: a text, or its number."""
    constant = facts.constant(value)
    return constant is not None and constant in {form for each in wanted for form in ("'" + each, number_of(each))}


def number_of(text: str) -> str:
    """The constant for which a character stands where characters are numbers; no constant for longer texts."""
    return str(ord(text)) if len(text) == 1 else ""


def first_character_of(facts: Facts, value: int) -> int:
    """The representative of the text whose first character ``value`` is; or NONE."""
    if value == NONE or facts.op[value] != LOAD_OP:
        return NONE
    key = facts.load_key[facts.data[value]]
    if key <= UNKNOWN_KEY or facts.program.strings[key] != "0":
        return NONE
    return facts.rep[facts.load_object[facts.data[value]]]


def first_part(facts: Facts, text: int) -> int:
    """What fills the hole with which a text begins that an operator puts together; or NONE."""
    if facts.op[text] == Op.CALL:
        return NONE
    origins = facts.flows.origins_of(text)
    return origins[0][0] if origins and facts.op[origins[0][0]] != CONST_OP else NONE
