"""Sets of characters for which a condition holds: ``c.isalnum()``, ``c in "/;"``, ``c < "a"``."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.admitted import pattern_at, replaced_characters, replacing_flow, rest_mask
from pyrograph.scanner.analysis.label.definitions import elements, made_where
from pyrograph.scanner.analysis.label.endings import PARENT
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.label.guard_checks import comparison_checks
from pyrograph.scanner.analysis.label.patterns import dialect_named
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    EQUAL_TEST,
    IN_TEST,
    LESS_TEST,
    LOAD_OP,
    OUT_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)

Chars = tuple[tuple[int, int], ...]  # as in ``patterns.charset``

LAST: Final = 0x10FFFF
EVERYTHING: Final[Chars] = ((0, LAST),)
# What a test of the rule language asks of a text and a constant
SHAPES: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "prefix": str.startswith,
    "suffix": str.endswith,
    "contains": str.__contains__,
}


def held(facts: Facts, condition: int, elements_: set[int]) -> Chars:
    """The characters for which a condition on one of ``elements_`` (representatives) holds; () for other conditions."""
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it

    table = facts.tables["conditions"]
    test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
    if test == TRUTH_TEST and facts.op[facts.rep[left]] == CALL_OP:
        return held_by_call(facts, facts.data[facts.rep[left]], elements_)
    if test == IN_TEST and facts.rep[left] in elements_:
        return charset.codes(listed_characters(facts, right) or "".join(constant_texts(facts, right)))
    if test not in (EQUAL_TEST, LESS_TEST):
        return ()
    is_left = facts.rep[left] in elements_
    if not is_left and facts.rep[right] not in elements_:
        return ()
    code = code_of(facts.constant(right if is_left else left))
    if code < 0:
        return ()
    if test == EQUAL_TEST:
        return ((code, code),)
    if is_left:
        return ((0, code - 1),) if code else ()
    return ((code + 1, LAST),)


def held_by_call(facts: Facts, call: int, elements_: set[int]) -> Chars:
    """The characters for which a predicate holds."""
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it
    from pyrograph.scanner.analysis.patterns.texts import single

    given = [facts.arg_value[row] for row in facts.args.of(call)]
    if len(given) == 1 and facts.rep[given[0]] in elements_:
        known = facts.traits_of(facts.call_result[call]).questions.characters
        return next((known[name] for name in facts.methods_called(call) if name in known), ())
    operands = operands_of(facts, call, "contains")
    if len(operands) == 2 and facts.rep[operands[1]] in elements_:
        return charset.codes("".join(constant_texts(facts, operands[0])))
    operands = operands_of(facts, call, "match")
    others = [each for each in operands if facts.rep[each] not in elements_]
    if len(operands) == 2 and len(others) == 1:
        pattern = pattern_at(facts, others[0], call)
        if pattern is not None:
            return single(pattern.text, pattern.flags, dialect_named(pattern.dialect))
    return ()


def before_replacing(facts: Facts, call: int) -> list[tuple[int, int]]:
    """(text, mask) for texts that a predicate tests after characters were removed: ``x.replace("-", "").isalnum()``.

    Where the predicate holds, the text is clean for the mask.
    """
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it

    known = facts.traits_of(facts.call_result[call]).questions.characters
    chars = next((known[name] for name in facts.methods_called(call) if name in known), ())
    given = [facts.rep[facts.arg_value[row]] for row in facts.args.of(call)]
    found: list[tuple[int, int]] = []
    if not chars or len(given) != 1:
        return found
    at = given[0]
    for _ in range(MAX_GUARD_SLICE):
        flow = replacing_flow(facts, facts.data[at]) if facts.op[at] == CALL_OP else None
        if flow is None:
            break
        removed, added = replaced_characters(facts, facts.data[at], flow)
        origins = [facts.rep[facts.arg_value[row]] for row in facts.args.at(facts.data[at], flow.origin)]
        if not removed or added is None or len(origins) != 1:
            break
        chars, at = charset.union([*chars, *removed]), origins[0]
        found.append((at, rest_mask(facts, chars)))
    return found


def absent_mask(facts: Facts, texts: list[str], value: int) -> int:
    """The mask of vulnerabilities for which a text that contains none of ``texts`` is clean."""
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it

    letters = "".join([each for each in texts if len(each) == 1])
    mask = rest_mask(facts, charset.complement(charset.codes(letters))) if letters else 0
    tests = facts.guards.tests.get(facts.language(value), {})
    for text in texts:
        for check in comparison_checks(facts, tests, "contains", value, text):
            mask |= check.mask if check.when_false else 0
    return mask


def characters_at(facts: Facts, version: int, element: int) -> Chars:
    """The characters that an element may be at ``version``, after the conditions that dominate it."""
    from pyrograph.scanner.analysis.patterns import charset  # few programs need it

    ways = facts.flows.same_as(version) if facts.op[version] in (PHI_OP, OUT_OP) else [version]
    found: Chars = ()
    for way in ways[:MAX_DEFINITIONS]:
        chars = EVERYTHING
        for condition, side in dominating(facts, way):
            holds = held(facts, condition, {element})
            if holds:
                chars = intersection(chars, holds if side else charset.complement(holds))
        found = charset.union([*found, *chars])
    return found or EVERYTHING


def texts_without(facts: Facts, version: int, element: int) -> list[int]:
    """The texts that do not contain the element at ``version``: a condition before it tested each of them."""
    found: list[int] = []
    while facts.op[version] in (POST_OP, PI_OP):  # each is made of an earlier value
        row = facts.data[version]
        if facts.op[version] == POST_OP:
            version = facts.arg_value[row]
            continue
        pis, conditions = facts.tables["pis"], facts.tables["conditions"]
        condition = int(pis["condition"][row])
        left = facts.rep[int(conditions["left"][condition])]
        if not pis["side"][row] and conditions["test"][condition] == TRUTH_TEST and facts.op[left] == CALL_OP:
            operands = operands_of(facts, facts.data[left], "contains")
            if len(operands) == 2 and facts.rep[operands[1]] == element:
                found.append(operands[0])
        version = int(pis["input"][row])
    return found


def texts_that_differ(facts: Facts, elements: Container[int], condition: int, side: int) -> frozenset[str]:
    """The texts that an element, one of these representatives, differs from where a single condition has this side."""
    table = facts.tables["conditions"]
    test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
    if side or left == NONE:
        return frozenset()
    if test == TRUTH_TEST and facts.op[facts.rep[left]] == CALL_OP:  # NAMES.has(element)
        operands = operands_of(facts, facts.data[facts.rep[left]], "contains")
        is_element = len(operands) == 2 and facts.rep[operands[1]] in elements
        listed = listed_texts(facts, operands[0]) if is_element else frozenset[str]()
        return listed | texts_of_shape(facts, elements, facts.data[facts.rep[left]])
    if test not in (EQUAL_TEST, IN_TEST):
        return frozenset()
    is_left = facts.rep[left] in elements
    if test == IN_TEST and facts.rep[right] in elements:
        return texts_with(SHAPES["contains"], facts.constant(left))
    if test == IN_TEST:
        return listed_texts(facts, right) if is_left else frozenset()
    other = facts.constant(right if is_left else left)
    if other is None or not (is_left or facts.rep[right] in elements):
        return frozenset()
    text = text_of_constant(other)
    return frozenset() if text is None else frozenset({text})


def texts_of_shape(facts: Facts, elements: Container[int], call: int) -> frozenset[str]:
    """The texts that an element differs from where a predicate is false of it: ``part.startswith(".")``."""
    for kind, has_shape in SHAPES.items():
        operands = operands_of(facts, call, kind)
        if len(operands) == 2 and facts.rep[operands[0]] in elements:
            return texts_with(has_shape, facts.constant(operands[1]))
    return frozenset()


def texts_with(has_shape: Callable[[str, str], bool], constant: str | None) -> frozenset[str]:
    """A constant, and the step to a folder above, of those that begin with it, end with it or contain it."""
    text = None if constant is None else text_of_constant(constant)
    return frozenset(each for each in (text, PARENT) if each is not None and text and has_shape(each, text))


def listed_texts(facts: Facts, collection: int) -> frozenset[str]:
    """The texts of a constant collection; none for a text, whose characters are no elements of it."""
    return frozenset() if facts.constant(collection) is not None else frozenset(constant_texts(facts, collection))


def dominating(facts: Facts, version: int) -> Iterator[tuple[int, int]]:
    """The conditions that dominate a version of a value, the nearest first, and the side on which it stands."""
    pis, at = facts.tables["pis"], version
    while facts.op[at] in (POST_OP, PI_OP):  # each is made of an earlier value
        row = facts.data[at]
        if facts.op[at] == POST_OP:
            at = facts.arg_value[row]
            continue
        yield int(pis["condition"][row]), int(pis["side"][row])
        at = int(pis["input"][row])


def texts_refused(facts: Facts, version: int, element: int) -> frozenset[str]:
    """The texts that an element differs from at ``version``, after the conditions that dominate it."""
    ways = facts.flows.same_as(version) if facts.op[version] in (PHI_OP, OUT_OP) else [version]
    found: list[frozenset[str]] = []
    for way in ways[:MAX_DEFINITIONS]:
        texts = frozenset[str]()
        for condition, side in dominating(facts, way):
            texts |= texts_that_differ(facts, {element}, condition, side)
        found.append(texts)
    return frozenset.intersection(*found) if found and len(ways) <= MAX_DEFINITIONS else frozenset()


def intersection(left: Chars, right: Chars) -> Chars:
    return tuple(
        (max(first, low), min(last, high))
        for first, last in left
        for low, high in right
        if max(first, low) <= min(last, high)
    )


def operands_of(facts: Facts, call: int, kind: str) -> list[int]:
    """The receiver, if it is one of the operands, and the argument of a predicate of this kind; else ()."""
    tests = facts.traits_of(facts.call_result[call]).questions.tests
    if not any(tests.get(name) == kind for name in facts.methods_called(call)):
        return []
    return [facts.arg_value[row] for row in facts.args.of(call)][-2:]


def code_of(constant: str | None) -> int:
    """The code point of a constant character, which some languages write as a number; -1 for other constants."""
    if constant is None:
        return -1
    if constant[:1] == "'":
        return ord(constant[1]) if len(constant) == 2 else -1
    return int(constant) if constant.isdigit() else -1


def listed_characters(facts: Facts, value: int) -> str:
    """The characters that a literal lists as numbers, as the cases of a ``switch`` in Go; "" for others."""
    listed = elements(facts, value, NONE)
    codes = [NONE if each == NONE else code_of(facts.constant(each)) for each in listed or ()]
    return "".join(map(chr, codes)) if codes and min(codes) >= 0 and max(codes) <= LAST else ""


def constant_texts(facts: Facts, value: int) -> list[str]:
    """The characters of a constant text, or the texts of a constant collection; none where it is neither."""
    made = made_where(facts, value)
    text = facts.constant(value)
    if text is None and len(made) == 1:
        text = facts.constant(made[0])
    if text is not None:
        return list(text[1:]) if text[:1] == "'" else []
    if not facts.is_constant_collection(value):
        return []
    rep = facts.rep[made[0] if len(made) == 1 else value]  # const NAMES = new Set([...])
    inside = [facts.arg_value[row] for row in facts.args.of(facts.data[rep])] if facts.op[rep] == CALL_OP else [value]
    held = [elements(facts, one, NONE) for one in inside]
    texts = [
        None if each == NONE else facts.constant(each)
        for one, values in zip(inside, held, strict=True)
        for each in (values if values is not None else [NONE])  # which one cannot tell
        if each == NONE or not is_own(facts, each, one)
    ]
    known = [text_of_constant(each) for each in texts if each is not None]
    return [each for each in known if each is not None] if None not in known and len(known) == len(texts) else []


def is_own(facts: Facts, stored: int, collection: int) -> bool:
    """Whether what is stored into a collection is the state of an element of it after a call that got the element."""
    at = stored
    while facts.op[at] == POST_OP:  # each is made of an earlier value
        at = facts.arg_value[facts.data[at]]
    if at == stored or facts.op[at] != LOAD_OP:
        return False
    holder = facts.load_object[facts.data[at]]
    if facts.rep[holder] == facts.rep[collection]:
        return True
    if facts.op[facts.rep[holder]] not in NAMED:
        return False
    left, right = elements(facts, holder, NONE), elements(facts, collection, NONE)
    return left is not None and right is not None and set(left) == set(right)


def text_of_constant(constant: str) -> str | None:
    """The text that a constant is, or the character that a number stands for where characters are numbers."""
    if constant[:1] == "'":
        return constant[1:]
    return chr(int(constant)) if constant.isdigit() and int(constant) <= LAST else None
