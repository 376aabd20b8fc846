"""Versions of one text: what calls and conditions leave of a value, and what the checks on the way prove of it.

A condition, and a call that gets the text, make a version of it that is still the same text. So what a check of one
version proves holds for what was made of an earlier one, where only the checked version is used (``made_before``).
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_MADE_BEFORE
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guards import proofs_of
from pyrograph.scanner.analysis.numbers import OUT_OP, PHI_OP, PI_OP, POST_OP


class Versions:
    """What versions are the same text, and what the checks on the way to a version prove of it."""

    def __init__(self, facts: Facts, blocks: Blocks) -> None:
        self.facts, self.blocks = facts, blocks
        self.pi_input = facts.program.numbers("pis", "input")
        self.roots: dict[int, int] = {}
        self.proven: dict[int, int] = {}
        self.changing: dict[int, bool] = {}

    def root(self, value: int, depth: int = 0) -> int:
        """The first version of the same text: before calls, conditions, and where versions of it meet again."""
        facts = self.facts
        chain: list[int] = []
        while value not in self.roots:
            row = facts.data[value]
            if facts.op[value] == PI_OP:
                before = self.pi_input[row]
            elif facts.op[value] == POST_OP and not self.is_changed(facts.calls.call_of_argument[row], depth):
                before = facts.arg_value[row]
            elif facts.op[value] == PHI_OP and depth < MAX_MADE_BEFORE:
                self.roots[value] = value  # what goes round in a circle is a version of its own
                joined = {self.root(origin, depth + 1) for origin, _ in facts.flows.origins_of(value)}
                before = joined.pop() if len(joined) == 1 else value
                del self.roots[value]
            else:
                before = value
            chain.append(value)
            if before == value:
                self.roots[value] = value
            value = before
        first = self.roots[value]
        for each in chain:
            self.roots[each] = first
        return first

    def is_changed(self, call: int, depth: int) -> bool:
        """Whether a function of the program that is called stores into what it is given."""
        return any([self.stores(function, depth) for function in self.facts.calls.functions_of(call)])

    def stores(self, function: int, depth: int) -> bool:
        """Whether a function has another state of one of its parameters where it is left."""
        known = self.changing.get(function)
        if known is None:
            facts, parameters = self.facts, self.facts.tables["parameters"]
            known = self.changing[function] = depth >= MAX_MADE_BEFORE
            for row in self.blocks.rows("parameters", "function", function) if not known else ():
                value, out = int(parameters["value"][row]), int(parameters["out"][row])
                states = facts.flows.origins_of(out) if out != NONE else []
                if any([self.root(origin, depth + 1) != value for origin, _ in states]):
                    known = self.changing[function] = True
        return known

    def mask(self, version: int, depth: int = 0) -> int:
        """What the checks on the way to a version, in its function and those that it asks, clear."""
        known = self.proven.get(version)
        if known is not None:
            return known
        facts = self.facts
        self.proven[version] = 0  # what goes round in a circle proves nothing
        op, row = facts.op[version], facts.data[version]
        found = facts.labels.clean.get(version, 0)
        if depth == MAX_MADE_BEFORE:
            pass
        elif op == PI_OP:
            found |= self.behind(version, depth + 1) | self.mask(self.pi_input[row], depth + 1)
        elif op == POST_OP:
            found |= self.mask(facts.arg_value[row], depth + 1)
        elif op in (PHI_OP, OUT_OP):
            dead = self.blocks.dead_versions(version)  # "else: abort(400)"
            before = [
                self.mask(origin, depth + 1) for origin, _ in facts.flows.origins_of(version) if origin not in dead
            ]
            common = facts.wanted.all if before else 0
            for each in before:
                common &= each
            found |= common
        self.proven[version] = found
        return found

    def behind(self, pi: int, depth: int = 0) -> int:
        """What the condition of a pi clears."""
        facts = self.facts
        found = facts.labels.clean.get(pi, 0)
        asked = facts.labels.checks.checked_by_call.get(pi)
        if asked is not None:
            found |= self.mask(asked[1], depth)
        if not found and not facts.labels.chop[pi]:
            pis, row = facts.tables["pis"], facts.data[pi]
            for proof in proofs_of(facts, int(pis["condition"][row])):
                if proof.side == int(pis["side"][row]) and facts.rep[pi] in proof.values:
                    found |= proof.mask
        return found
