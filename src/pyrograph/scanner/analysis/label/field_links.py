"""Where the versions of objects come from, whatever part of them is asked for.

``FieldMasks`` asks for each version once for each key below it. What does not depend on the key is looked up here once.
"""

from __future__ import annotations

from typing import NamedTuple

from pyrograph.ir.codes import UNKNOWN_KEY, FunctionFlag
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.label.element_checks import Keys, flows_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.quantifiers import is_quantifier
from pyrograph.scanner.analysis.numbers import PARAMETER_OP, PHI_OP
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


class Exit(NamedTuple):
    """The state in which a function that a call may call leaves an argument, or an element of it."""

    version: int  # of the parameter where the function returns, or NONE
    is_whole: bool  # the parameter is the argument, not an element of it
    asks_all: bool  # the call asks the function about each element, and does not go on before it has answered


class Moved(NamedTuple):
    """A flow of a pack at one call."""

    same: bool  # unchanged
    target: Keys  # below what it goes to
    rows: list[int]  # the arguments that it goes to; none: it goes to the result
    origin: Keys  # below each of ``values``
    values: list[int]


class FieldLinks:
    """Answers are tabled: O(1) for each later question about the same version, call or parameter."""

    def __init__(self, facts: Facts, links: CallLinks, blocks: Blocks) -> None:
        self.facts = facts
        self.links = links
        self.blocks = blocks
        self._inputs: dict[int, list[int]] = {}
        self._exits: dict[tuple[int, int], list[Exit]] = {}
        self._given: dict[int, list[tuple[int, Keys]]] = {}
        self._moved: dict[int, tuple[list[Moved], list[Moved]]] = {}

    def inputs(self, merge: int) -> list[int]:
        """The inputs of a merge, but those from where a call does not return."""
        known = self._inputs.get(merge)
        if known is None:
            known = self.facts.flows.same_as(merge)
            if self.facts.op[merge] == PHI_OP:
                dead = self.blocks.dead_versions(merge)
                known = [each for each in known if each not in dead]
            self._inputs[merge] = known
        return known

    def exits(self, call: int, argument: int) -> list[Exit]:
        """How the functions that are given an argument, or each element of it, leave it; none if some are unknown."""
        known = self._exits.get((call, argument))
        if known is None:
            facts = self.facts
            known = self._exits[call, argument] = []
            if call in facts.resolution.fully_resolved or call in facts.calls.apis_of:
                out = facts.tables["parameters"]["out"]
                for value, formal, key, element in self.links.arrivals(call):
                    is_parameter = facts.op[formal] == PARAMETER_OP and facts.data[formal] >= 0
                    if value == argument and key == NO_KEY and is_parameter:
                        is_whole = element == ENTIRE_ARGUMENT
                        asks_all = not is_whole and self._asks_all(call, formal)
                        known.append(Exit(int(out[facts.data[formal]]), is_whole, asks_all))
        return known

    def _asks_all(self, call: int, formal: int) -> bool:
        flags = int(self.facts.tables["functions"]["flags"][self.facts.function_of[formal]])
        return not is_quantifier(self.facts, call) and not flags & (FunctionFlag.ASYNC | FunctionFlag.GENERATOR)

    def given(self, parameter: int) -> list[tuple[int, Keys]]:
        """What the calls of the program pass to a parameter, with the keys below each. Calls that pass nothing
        untrusted, as those of tests do, are left out if there are others.
        """
        known = self._given.get(parameter)
        if known is None:
            facts = self.facts
            whole: Keys = ()
            known = [(each, whole) for each in facts.calls.arguments_for(parameter)]
            known += [(table, (max(key, UNKNOWN_KEY),)) for table, key in facts.calls.elements_for(parameter)]
            chop = facts.labels.chop
            known = self._given[parameter] = [each for each in known if chop[each[0]]] or known
        return known

    def into_result(self, call: int) -> list[Moved]:
        """The flows of packs into the result of a call."""
        return self._flows(call)[0]

    def into_arguments(self, call: int) -> list[Moved]:
        """The flows of packs into arguments of a call."""
        return self._flows(call)[1]

    def _flows(self, call: int) -> tuple[list[Moved], list[Moved]]:
        known = self._moved.get(call)
        if known is None:
            facts = self.facts
            known = self._moved[call] = ([], [])
            for flow in flows_of(facts, call):
                target, origin = facts.keys(call, flow.target.path), facts.keys(call, flow.origin.path)
                is_result = flow.target.kind == "ret"
                rows = [] if is_result else facts.args.at(call, flow.target)
                values = [facts.arg_value[row] for row in facts.args.at(call, flow.origin)]
                known[0 if is_result else 1].append(Moved(flow.same, target, rows, origin, values))
        return known
