"""Conditions that are handed to a call which raises where they do not hold: ``invariant(SORTS.includes(sort))``.

Packs name such calls of libraries (guards ``asserts``). A function of the program is one if a parameter is true at all
of its normal exits: ``function ensure(ok) { if (!ok) throw ... }``. The condition was evaluated before the call, so its
pis end there, and what it proves holds behind the call only. So it is noted as a check of parts is (``guards.parts``),
and ``checked_parts`` looks at the uses behind. So is a member of an object that a function of the program raises for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_MADE_BEFORE
from pyrograph.rules.entries import Api, Guard
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guards import answered, proofs_of, proofs_of_answer
from pyrograph.scanner.analysis.label.passing_checks import raising_calls, runs_now
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    OUT_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

Proven = dict[int, int]  # representative -> mask of what it is clean for


def asserted_conditions(facts: Facts) -> None:
    """Note in ``guards.parts`` what is proven behind calls that raise where a condition does not hold.

    Time linear in the bindings and the calls of libraries, and in the conditions that such calls get.
    """
    versions = Versions(facts, shared_blocks(facts))
    members_checked(facts, versions)
    rows = sorted({*given_to_libraries(facts), *given_to_functions(facts)})
    if not rows:
        return
    fill_conjunctions(facts)
    asserted = Asserted(facts, versions)
    kept = with_parts(facts)
    for row in rows:
        call = facts.calls.call_of_argument[row]
        for value, mask in asserted.proven_by(row).items():
            if mask and kept[value]:
                facts.guards.parts.append((value, NONE, 0, call, mask))


def members_checked(facts: Facts, versions: Versions) -> None:
    """Note the members of objects that functions of the program were given which raise for what does harm: they may be
    read again, ``check(request.args["name"])`` and then ``open(request.args["name"])``.
    """
    loads = facts.tables["loads"]
    members = np.zeros(len(facts.op), np.bool_)
    members[facts.resolution.representative[loads["result"][loads["key"] >= 0]]] = True
    for call, argument, mask in raising_calls(facts, versions, members):
        facts.guards.parts.append((argument, NONE, 0, call, mask))


def given_to_libraries(facts: Facts) -> Iterator[int]:
    """The arguments that calls of libraries raise for where they are false, by the packs."""
    for language, tests in facts.guards.tests.items():
        wanted: dict[Api, list[Guard]] = {}
        for guard in tests["asserts"].plain if "asserts" in tests else ():
            wanted.setdefault(guard.api, []).append(guard)
        paths = facts.apis[language].paths
        for call, node in dict.fromkeys(facts.resolution.api_calls) if wanted else ():
            if facts.language(facts.call_result[call]) == language:
                for guard in wanted.get(paths[node], ()):
                    if guard.port is not None and holds(facts, guard.conditions, call):
                        yield from facts.args.at(call, guard.port)


def given_to_functions(facts: Facts) -> Iterator[int]:
    """The arguments that functions of the program raise for where they are false."""
    asserting = set(asserting_parameters(facts))
    if not asserting:
        return
    bindings = facts.resolution.rows("bindings")
    chosen = among(bindings[:, 2], asserting) & (bindings[:, 0] < len(facts.call_result))
    chosen &= (bindings[:, 3] == NO_KEY) & (bindings[:, 4] == ENTIRE_ARGUMENT)
    for call, argument, _ in bindings[chosen][:, :3].tolist():
        is_sure = len(facts.calls.functions_of(call)) == 1 and call in facts.resolution.fully_resolved
        if is_sure and runs_now(facts, call):
            yield from (row for row in facts.args.of(call) if facts.arg_value[row] == argument)


def asserting_parameters(facts: Facts) -> Iterator[int]:
    """The parameters that are true wherever their function is left normally."""
    parameters, conditions = facts.tables["parameters"], facts.tables["conditions"]
    left = conditions["left"][conditions["test"] == TRUTH_TEST]
    tested = np.zeros(len(facts.op), np.bool_)
    tested[facts.resolution.representative[left]] = True
    rows = np.flatnonzero(tested[facts.resolution.representative[parameters["value"]]] & (parameters["out"] >= 0))
    for value, out in zip(parameters["value"][rows].tolist(), parameters["out"][rows].tolist(), strict=True):
        flags = int(facts.tables["functions"]["flags"][facts.function_of[value]])
        if not flags & FunctionFlag.NEVER_RETURNS and is_true(facts, value, out):
            yield value


def is_true(facts: Facts, parameter: int, version: int, depth: int = 0) -> bool:
    """Whether a version of a parameter stands only where the parameter is true."""
    pis, conditions = facts.tables["pis"], facts.tables["conditions"]
    while facts.op[version] in (POST_OP, PI_OP):  # as many as a function has statements
        row = facts.data[version]
        if facts.op[version] == POST_OP:
            version = facts.arg_value[row]
            continue
        condition = int(pis["condition"][row])
        is_truth = conditions["test"][condition] == TRUTH_TEST and pis["side"][row] == 1
        if is_truth and facts.rep[int(conditions["left"][condition])] == facts.rep[parameter]:
            return True
        version = int(pis["input"][row])
    if facts.op[version] not in (PHI_OP, OUT_OP) or depth == MAX_MADE_BEFORE:
        return False
    dead = shared_blocks(facts).dead_versions(version)  # "if not ok: abort(400)"
    origins = [origin for origin, _ in facts.flows.origins_of(version) if origin not in dead]
    return bool(origins) and all(is_true(facts, parameter, origin, depth + 1) for origin in origins)


class Asserted:
    """What conditions prove that are handed over as truth values."""

    def __init__(self, facts: Facts, versions: Versions) -> None:
        self.facts = facts
        self.versions = versions
        table = facts.tables["truths"]
        sides = zip(table["condition"].tolist(), table["side"].tolist(), strict=True)
        self.truths = dict(zip(table["argument"].tolist(), sides, strict=True))
        self.bindings: dict[tuple[int, int], list[int]] | None = None

    def proven_by(self, row: int) -> Proven:
        """What holds where an argument is true."""
        if row in self.truths:
            condition, side = self.truths[row]
            return self.proven(condition, side, 0)
        value = self.facts.arg_value[row]
        found = sums((each.values, each.mask) for each in proofs_of_answer(self.facts, value) if each.side)
        return found | self.answer(value, 1)

    def proven(self, condition: int, side: int, depth: int) -> Proven:
        """What holds where a condition has a side: what each of its parts proves, or all alternatives do."""
        facts = self.facts
        parts = facts.guards.conjunctions.get(condition)
        if parts is None:
            left = int(facts.tables["conditions"]["left"][condition])
            proofs = sums((each.values, each.mask) for each in proofs_of(facts, condition) if each.side == side)
            is_truth = facts.tables["conditions"]["test"][condition] == TRUTH_TEST
            return proofs | self.answer(left, side) if is_truth else proofs
        if depth == MAX_MADE_BEFORE:
            return {}
        found = [self.proven(part, wanted if side else 1 - wanted, depth + 1) for part, wanted in parts]
        if side:
            return sums(((value,), mask) for each in found for value, mask in each.items())
        common = set(found[0]).intersection(*found[1:])
        return {value: found[0][value] & found[1][value] for value in sorted(common)}

    def answer(self, value: int, side: int) -> Proven:
        """What holds of the arguments of a function of the program where its result is true or false."""
        facts = self.facts
        call = facts.data[value] if facts.op[value] == CALL_OP else NONE
        is_sure = call != NONE and call in facts.resolution.fully_resolved and facts.calls.functions_of(call)
        if not is_sure or not runs_now(facts, call):
            return {}
        found = answered(facts, call, side, self.formals())
        return sums(((facts.rep[argument],), self.versions.mask(version)) for argument, _, version in found)

    def formals(self) -> dict[tuple[int, int], list[int]]:
        """The parameters that each argument of a call is bound to."""
        if self.bindings is None:
            self.bindings = {}
            for call, argument, parameter in self.facts.resolution.rows("bindings")[:, :3].tolist():
                if self.facts.op[parameter] == PARAMETER_OP:
                    self.bindings.setdefault((call, argument), []).append(parameter)
        return self.bindings


def sums(proofs: Iterable[tuple[Iterable[int], int]]) -> Proven:
    """The masks of each value together."""
    found: Proven = {}
    for values, mask in proofs:
        for value in values:
            found[value] = found.get(value, 0) | mask
    return found
