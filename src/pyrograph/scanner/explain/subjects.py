"""What the values of one function were made of: the part of ``asking`` that looks at values alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Flow, Op
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import QuestionTraits
from pyrograph.policy.limits.explanation import MAX_ASKED_VALUES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey, rows_of
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.label.text_origins import reads_end_of_path
from pyrograph.scanner.explain.budget import AskingBudget
from pyrograph.scanner.explain.control_flow import ControlFlow

MERGES: Final = (Op.PHI, Op.CARRY, Op.RESULT)
WHOLE: Final = -2  # as the key of a part: all of it
STATES: Final = {Op.PI: ("pis", "input"), Op.POST: ("arguments", "value"), Op.LOAD: ("loads", "object")}

VERSIONS: Final = (Op.PI, Op.POST)
TEXT: Final = "'"  # before a constant text


class Subject(NamedTuple):
    """What may be asked about, in one function."""

    texts: frozenset[int]  # representatives
    parts: frozenset[tuple[int, int]] = frozenset()  # (representative of an object, key): only what lies there

    def __bool__(self) -> bool:
        return bool(self.texts or self.parts)


class Origins:
    """What texts were made of, within one function."""

    def __init__(self, control_flow: ControlFlow, labels: Labels, args: Arguments) -> None:
        self.control_flow = control_flow
        self.labels = labels
        self.args = args
        self.program = control_flow.program
        self.reps = control_flow.resolution.reps
        self.op, self.data = control_flow.op, control_flow.data
        self.budget = AskingBudget(self.program, control_flow.resolution)
        self.origins: dict[tuple[int, frozenset[int]], frozenset[int]] = {}  # ``made_of``
        self.sources: dict[int, tuple[int, ...]] = {}  # ``before``
        self.loaded: dict[tuple[int, int], frozenset[int]] = {}  # ``reads``

    def made_of(self, value: int, without: frozenset[int] = frozenset()) -> frozenset[int]:
        """The representatives of what a value's text was made of, in its own function: parts, objects it was read from,
        arguments of calls that pass text on. Neither ``without`` nor what only these were made of is among them.
        """
        rep = self.reps[value]
        known = self.origins.get((rep, without))
        if known is None:
            found = {rep}
            work = [rep]
            for at in work:  # grows, to the bound
                if len(found) > MAX_ASKED_VALUES:
                    break
                if at in without:
                    continue
                fresh = [each for each in self.before(at) if each not in found]
                found.update(fresh)
                work += fresh
            known = self.origins[rep, without] = frozenset(found - without)
        return known

    def before(self, rep: int) -> tuple[int, ...]:
        """The representatives of what a text was made of in one step, each once."""
        known = self.sources.get(rep)
        if known is None:
            known = self.sources[rep] = tuple(dict.fromkeys(self._before(rep)))
        return known

    def _before(self, rep: int) -> Iterable[int]:
        if self.labels.clean.get(rep, 0) == self.everything:
            return  # a number
        op = self.op[rep]
        if op in (Op.CONST, Op.NEW):
            return
        if op == Op.LOAD and self.is_end_of_path(rep):
            return
        if op in STATES and self.data[rep] >= 0:
            table, column = STATES[Op(op)]
            yield self.reps[int(self.program.tables[table][column][self.data[rep]])]
        flows = self.program.tables["flows"]
        for row in self.control_flow.returned.of(rep)[:MAX_ASKED_VALUES].tolist():  # many closures share a variable
            if flows["kind"][row] != Flow.NUMBER:
                yield self.reps[int(flows["origin"][row])]
        yield from self.passed_on.get(rep, ())[:MAX_ASKED_VALUES]

    @cached_property
    def everything(self) -> int:
        return (1 << len(self.labels.vulnerabilities)) - 1

    def held(self, value: int) -> list[int]:
        """What stands in the literal that a value is, or in those that it is one of."""
        stores, rep = self.program.tables["stores"], self.reps[value]
        reps = [self.reps[each] for each in self.same_as(rep)] if self.op[rep] in MERGES else [rep]
        literals = [each for each in dict.fromkeys(reps) if self.op[each] == Op.NEW]
        found: list[int] = [row for each in literals for row in stores["value"][self.stores.of(each)].tolist()]
        return [each for each in found if each != NONE]

    @cached_property
    def stores(self) -> RowsByKey:
        return RowsByKey(self.control_flow.resolution.representative[self.program.tables["stores"]["object"]])

    @cached_property
    def passed_on(self) -> dict[int, list[int]]:
        """What modelled calls pass on: representatives of origins, by target."""
        found: dict[int, list[int]] = {}
        for flow in self.labels.flows:
            if not self.is_end_of_path(flow.target):
                found.setdefault(self.reps[flow.target], []).append(self.reps[flow.origin])
        return found

    def is_constant(self, value: int) -> bool:
        """Whether a value is a constant, or a collection of constants: what a comparison proves, the guards know."""
        rep = self.reps[value]
        if self.op[rep] in (Op.GLOBAL, Op.IMPORT):
            edges = self.control_flow.resolution.flows.context_free_edges
            stored = {self.reps[edges[row][0]] for row in self.stored.of(rep).tolist()} - {rep}
            return bool(stored) and all(self.op[each] == Op.NEW and self.data[each] >= 1 for each in stored)
        return self.op[rep] == Op.CONST or (self.op[rep] == Op.NEW and self.data[rep] >= 1)

    @cached_property
    def stored(self) -> RowsByKey:
        """The rows of ``context_free_edges`` by what they store into: names of modules, among others."""
        edges = rows_of(self.control_flow.resolution.flows.context_free_edges, 2)
        return RowsByKey(self.control_flow.resolution.representative[edges[:, 1]])

    def is_end_of_path(self, value: int) -> bool:
        """Whether a value was cut from the end of a path, ``filepath.Ext(x)``: a question about it is none about the
        path.
        """
        rep = self.reps[value]
        names = self.ends_of_path[int(self.program.file_of_value[rep])]
        if not names or self.op[rep] not in (Op.CALL, Op.LOAD):
            return False
        if self.op[rep] == Op.CALL:
            return self.data[rep] in self.labels.modelled and self.name_of(self.data[rep]) in names
        return reads_end_of_path(self.program, self.control_flow.resolution, self.data[rep], names)

    @cached_property
    def ends_of_path(self) -> list[frozenset[str]]:
        """By file."""
        return [language_of(file.language).traits.texts.ends_of_path for file in self.program.files]

    def constant(self, value: int) -> str | None:
        value = self.reps[value]
        return self.program.strings[self.data[value]] if self.op[value] == Op.CONST else None

    def tested_calls(self, value: int) -> list[int]:
        """The calls whose result, one of whose results, or a member of whose result ``value`` is."""
        found: list[int] = []
        work = [self.reps[value]]
        for at in work:  # grows, to the bound
            if len(work) > MAX_ASKED_VALUES:
                break
            fresh: list[int] = []
            if self.op[at] == Op.CALL:
                found.append(self.data[at])
            elif self.op[at] in MERGES:
                fresh = [self.reps[each] for each in self.same_as(at)]
            elif self.op[at] in STATES and self.data[at] >= 0:
                table, column = STATES[Op(self.op[at])]
                fresh = [self.reps[int(self.program.tables[table][column][self.data[at]])]]
            work += [each for each in dict.fromkeys(fresh) if each not in work]
        return found

    def same_as(self, value: int) -> list[int]:
        flows = self.program.tables["flows"]
        rows = self.control_flow.returned.of(value)
        found: list[int] = flows["origin"][rows[flows["kind"][rows] == Flow.SAME]].tolist()
        return found

    def loaded_key(self, rep: int) -> int:
        """The key under which a value was loaded; ``UNKNOWN_KEY``: it is a whole object, for all that is known."""
        key = int(self.program.tables["loads"]["key"][self.data[rep]]) if self.op[rep] == Op.LOAD else UNKNOWN_KEY
        return max(key, UNKNOWN_KEY)

    def is_about(self, value: int, subject: Subject) -> bool:
        """Whether a text was made of the subject."""
        made_of = self.made_of(value)
        # what another part of a decoded message says is nothing about the part that the path reads
        opened = made_of.intersection(rep for rep, _ in subject.parts)
        if opened:
            made_of = self.made_of(value, opened)
        return not subject.texts.isdisjoint(made_of) or any(
            not made_of.isdisjoint(self.reads(*each)) for each in subject.parts
        )

    def is_whole(self, value: int, subject: Subject) -> bool:
        """Whether a value is a version of the subject, not a part of it, nor made of it."""
        for _ in range(MAX_ASKED_VALUES):
            if self.reps[value] in subject.texts:
                return True
            op = self.op[value]
            if op not in VERSIONS or self.data[value] < 0:
                break
            table, column = STATES[Op(op)]
            value = int(self.program.tables[table][column][self.data[value]])
        rep = self.reps[value]
        return self.op[rep] in (Op.LOAD, Op.CALL) and any(rep in self.reads(*part) for part in subject.parts)

    def given(self, call: int, subject: Subject) -> dict[int, int]:
        """The arguments of a call, its receiver included, that were made of the subject; the key of the part that it is
        of an argument, or WHOLE.
        """
        found: dict[int, int] = {}
        for row in self.args.of(call):
            value = self.args.value[row]
            if self.is_about(value, subject):
                found[value] = WHOLE
            for rep, key in subject.parts:
                if rep == self.reps[value]:
                    found.setdefault(value, key)
        return found

    def parameters(self, call: int, function: int, given: dict[int, int]) -> Subject:
        """The parameters of ``function`` that a call gives one of these arguments."""
        rows = self.control_flow.resolution.rows("bindings")[self.by_site.of(call)]
        found = [
            (self.reps[parameter], given[argument])
            for argument, parameter in rows[:, 1:3].tolist()
            if argument in given and int(self.control_flow.function[parameter]) == function
        ]
        parts = {(rep, key) for rep, key in found if key != WHOLE}
        parts |= {(copy, key) for rep, key in parts for copy in self.copies.get(rep, ())}
        return Subject(frozenset(rep for rep, key in found if key == WHOLE), frozenset(parts))

    @cached_property
    def copies(self) -> dict[int, list[int]]:
        """By parameter: representatives of what the function makes of it at once, where objects are passed by value."""
        flows, ops = self.program.tables["flows"], self.program.tables["values"]["op"]
        origin, target = flows["origin"], flows["target"]
        rows = (ops[origin] == int(Op.PARAMETER)) & (ops[target] == int(Op.EXPRESSION)) & (flows["kind"] == Flow.SAME)
        found: dict[int, list[int]] = {}
        for parameter, copy in zip(origin[rows].tolist(), target[rows].tolist(), strict=True):
            found.setdefault(self.reps[parameter], []).append(self.reps[copy])
        return found

    @cached_property
    def by_site(self) -> RowsByKey:
        return RowsByKey(self.control_flow.resolution.rows("bindings")[:, 0])

    def reads(self, rep: int, key: int) -> frozenset[int]:
        """Representatives of the reads of one part of an object."""
        known = self.loaded.get((rep, key))
        if known is None:
            loads = self.program.tables["loads"]
            rows = self.by_object.of(rep)
            rows = rows[np.maximum(loads["key"][rows], UNKNOWN_KEY) == key]
            reps = self.control_flow.resolution.representative
            found = frozenset(reps[loads["result"][rows]].tolist())
            known = self.loaded[rep, key] = found.union(self.part_calls.get((rep, key), ()))
        return known

    @cached_property
    def part_reads(self) -> dict[int, tuple[int, int]]:
        """By what a modelled call returns that reads one part of its receiver, ``query.get("a")``: (representative of
        the receiver, key).
        """
        calls, reps = self.program.tables["calls"], self.reps
        names = [language_of(file.language).traits.part_reads for file in self.program.files]
        found: dict[int, tuple[int, int]] = {}
        for result in sorted({flow.target for flow in self.labels.flows if self.op[flow.target] == Op.CALL}):
            call = self.data[result]
            receiver, name = int(calls["receiver"][call]), int(calls["name"][call])
            if receiver == NONE or name == NONE:
                continue
            if self.program.strings[name] not in names[int(self.program.file_of_value[result])]:
                continue
            first = next((row for row in self.args.of(call) if self.args.position[row] == 0), NONE)
            text = self.constant(self.args.value[first]) if first != NONE else None
            if text is not None and text[:1] == TEXT:
                found[result] = reps[receiver], self.program.intern(text[1:])
        return found

    @cached_property
    def part_calls(self) -> dict[tuple[int, int], list[int]]:
        """Representatives of what ``part_reads`` lists, by what is read."""
        found: dict[tuple[int, int], list[int]] = {}
        for result, part in self.part_reads.items():
            found.setdefault(part, []).append(self.reps[result])
        return found

    @cached_property
    def by_object(self) -> RowsByKey:
        return RowsByKey(self.control_flow.resolution.representative[self.program.tables["loads"]["object"]])

    def questions_of(self, call: int) -> QuestionTraits:
        """What the language of a call has for questions about texts."""
        file = int(self.program.file_of_value[self.program.tables["calls"]["result"][call]])
        return self.questions[file]

    @cached_property
    def questions(self) -> list[QuestionTraits]:
        """By file."""
        return [language_of(file.language).traits.questions for file in self.program.files]

    def name_of(self, call: int) -> str:
        """The last part of the callee's name, or ""."""
        callee = self.reps[int(self.program.tables["calls"]["callee"][call])]
        if self.op[callee] == Op.LOAD:
            key = int(self.program.tables["loads"]["key"][self.data[callee]])
        elif self.op[callee] == Op.GLOBAL:
            key = self.data[callee]
        elif self.op[callee] == Op.IMPORT:
            key = int(self.program.tables["imports"]["name"][self.data[callee]])
        else:
            key = NONE
        return self.program.strings[key] if key >= 0 else ""
