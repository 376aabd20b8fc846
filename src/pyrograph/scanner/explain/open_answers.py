"""Answers of a function about a text that a harmful text gets as well, by a question whose meaning the rules know.

``def is_safe(url): return url.startswith(request.url_root) or url.startswith("/")`` says yes to ``//evil.example``,
whatever its first question proves. Such a function is no check that is not understood.

A function is open for an answer if its versions of the parameter lead from the end back to the beginning through
conditions that guards of the rules know, and that do not clear what is asked for. A condition that is not known may lie
on the way where its other side leads to the same answer, and to no other one: ``a or b`` is true for all for which
``b`` is. A condition that is not about the parameter itself, but about a part of it, is not looked into.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Flow, Op, Test
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


class OpenAnswers:
    def __init__(self, program: Program, resolution: Resolution, labels: Labels, args: Arguments) -> None:
        self.program, self.resolution, self.labels, self.args = program, resolution, labels, args
        self.op, self.data = program.numbers("values", "op"), program.numbers("values", "data")
        self.known: dict[tuple[int, int, int], bool] = {}  # by row of a parameter, answer and bit: ``is_open``

    def harm_along(self, versions: Iterable[int], bit: int) -> int:
        """The bits of the vulnerability of ``bit`` that nothing on a path clears. A hit has one of them only."""
        name = self.labels.vulnerabilities[bit]
        harm = sum(1 << each for each, other in enumerate(self.labels.vulnerabilities) if other == name)
        for each in versions:
            harm &= ~self.labels.clean.get(each, 0)
        return harm

    def lets_through(self, call: int, argument: int, answer: int, mask: int) -> bool:
        """Whether each function that a call may run gives this answer, 0 or 1, to some text that does harm in one of
        these ways. ``argument``: the row of the text.
        """
        rows, functions = self.bound_at(call, argument), self.targets.get(call, [])
        if not rows or len(rows) != len(functions):
            return False
        bits = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
        return any(all(self.is_open(row, answer, bit) for row in rows) for bit in bits)

    def is_open(self, row: int, answer: int, bit: int) -> bool:
        """Whether a function gives an answer to some harmful text in this parameter. Time linear in its versions."""
        name = row, answer, bit
        if name not in self.known:
            parameters = self.program.tables["parameters"]
            end, other = (int(parameters[side][row]) for side in (("true", "false") if answer else ("false", "true")))
            self.known[name] = NONE not in (end, other) and self._is_open(row, end, other, bit)
        return self.known[name]

    def _is_open(self, row: int, end: int, other: int, bit: int) -> bool:
        parameters, pis = self.program.tables["parameters"], self.program.tables["pis"]
        begin, function = int(parameters["value"][row]), int(parameters["function"][row])
        leading, refused = self.before(end), self.before(other)
        versions = leading | refused
        seen_by_versions = {int(pis["condition"][self.data[each]]) for each in versions if self.op[each] == Op.PI}
        if any(each not in seen_by_versions for each in self.conditions.get(function, ())):
            return False
        text = self.resolution.reps[begin]
        work, seen = [(end, False)], {(end, False)}
        while work:  # each version is queued twice at most: behind a question that is known, and without one
            at, is_asked = work.pop()
            if at == begin:
                if is_asked:
                    return True
                continue
            if self.labels.clean.get(at, 0) >> bit & 1:
                continue
            op = self.op[at]
            if op == Op.PI:
                condition, tested = int(pis["condition"][self.data[at]]), int(pis["input"][self.data[at]])
                others = self.sides.get((condition, tested, 1 - int(pis["side"][self.data[at]])), ())
                is_void = bool(others) and all(each in leading and each not in refused for each in others)
                if self.is_known(condition, text):
                    is_asked = True
                elif not is_void:
                    continue
            elif op == Op.POST and not self.only_asks(at):
                continue
            for each in self.inputs(at):
                if (each, is_asked) not in seen:
                    seen.add((each, is_asked))
                    work.append((each, is_asked))
        return False

    def is_known(self, condition: int, text: int) -> bool:
        """Whether a condition compares a text with constants alone, and guards of the rules say what that proves.
        ``text``: its representative.
        """
        if condition not in self.labels.checks.understood:
            return False
        table = self.program.tables["conditions"]
        operands = [int(table[side][condition]) for side in ("left", "right") if table[side][condition] != NONE]
        made = self.resolution.reps[operands[0]] if operands else NONE
        if int(table["test"][condition]) == Test.TRUTH and made != NONE and self.op[made] == Op.CALL:
            operands = [self.args.value[row] for row in self.args.of(self.data[made])]
        asked = [each for each in operands if not self.is_constant(each)]
        return len(asked) == 1 and self.is_of(asked[0], text)

    def is_of(self, value: int, text: int) -> bool:
        """Whether a value is a text, a character of it, or made of it alone by a call: ``url.lower()``, its length."""
        made = self.resolution.reps[value]
        if self.op[made] == Op.CALL:
            given = self.args.of(self.data[made])
            return len(given) == 1 and self.resolution.reps[self.args.value[given[0]]] == text
        if self.op[made] == Op.LOAD:
            loads, row = self.program.tables["loads"], self.data[made]
            key = int(loads["key"][row])
            is_character = key >= 0 and self.program.strings[key].isdigit()
            return is_character and self.resolution.reps[int(loads["object"][row])] == text
        return made == text

    def is_constant(self, value: int) -> bool:
        made = self.resolution.reps[value]
        return self.op[made] == Op.CONST or (self.op[made] == Op.NEW and self.data[made] == 1)

    def only_asks(self, version: int) -> bool:
        """Whether the call behind which this version stands is one of a library that packs describe."""
        call = int(self.program.tables["arguments"]["call"][self.data[version]])
        return call in self.labels.modelled and call not in self.targets

    def before(self, version: int) -> set[int]:
        """A version and those that it is made of."""
        work, seen = [version], {version}
        while work:  # each version is queued once
            for each in self.inputs(work.pop()):
                if each not in seen:
                    seen.add(each)
                    work.append(each)
        return seen

    def inputs(self, version: int) -> list[int]:
        op = self.op[version]
        if op == Op.PI:
            return [int(self.program.tables["pis"]["input"][self.data[version]])]
        if op == Op.POST:
            return [self.args.value[self.data[version]]]
        return self.merged.get(version, []) if op != Op.PARAMETER else []

    @cached_property
    def merged(self) -> dict[int, list[int]]:
        """By version: those that it joins."""
        flows = self.program.tables["flows"]
        ops = self.program.tables["values"]["op"]
        chosen = (flows["kind"] == Flow.SAME) & np.isin(ops[flows["target"]], (Op.PHI, Op.CARRY, Op.OUT))
        found: dict[int, list[int]] = {}
        rows = np.flatnonzero(chosen)
        for origin, target in zip(flows["origin"][rows].tolist(), flows["target"][rows].tolist(), strict=True):
            found.setdefault(target, []).append(origin)
        return found

    @cached_property
    def sides(self) -> dict[tuple[int, int, int], list[int]]:
        """By condition, version before it, and side: the versions behind it."""
        names = ("condition", "input", "side", "value")
        found: dict[tuple[int, int, int], list[int]] = {}
        columns = [self.program.tables["pis"][name].tolist() for name in names]
        for condition, tested, side, value in zip(*columns, strict=True):
            found.setdefault((condition, tested, side), []).append(value)
        return found

    @cached_property
    def conditions(self) -> dict[int, list[int]]:
        """By function: its conditions, but those that are made of others."""
        table = self.program.tables["conditions"]
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero(table["test"] != Test.BOTH).tolist():
            found.setdefault(int(table["function"][row]), []).append(row)
        return found

    @cached_property
    def targets(self) -> dict[int, list[int]]:
        """By call: the functions of the program that it may run."""
        found: dict[int, list[int]] = {}
        for call, function in self.resolution.rows("targets")[:, :2].tolist():
            found.setdefault(call, []).append(function)
        return found

    def bound_at(self, call: int, argument: int) -> list[int]:
        """The rows of the parameters that an argument is bound to as a whole."""
        value, found = self.args.value[argument], []
        for row in self.by_site.of(call).tolist():
            _, given, parameter, key, element = self.bindings[row].tolist()
            if (
                given == value
                and key == NO_KEY
                and element == ENTIRE_ARGUMENT
                and self.op[parameter] == Op.PARAMETER
                and self.data[parameter] != NONE
            ):
                found.append(self.data[parameter])
        return found

    @cached_property
    def bindings(self) -> npt.NDArray[np.int32]:
        return self.resolution.rows("bindings")

    @cached_property
    def by_site(self) -> RowsByKey:
        return RowsByKey(self.bindings[:, 0])
