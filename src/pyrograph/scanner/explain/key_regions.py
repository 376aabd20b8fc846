"""Code of a function that runs only for who brings the key that the operator set: another service of theirs.

    if req.headers["x-key"] !== config.get("api.key") { res.sendStatus(403); return }

A condition counts if one of its sides is a setting that is named after a key, by its own code or by the code of what it
was made of. A check that is left out where the setting is missing is none: nobody needs the key by default.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_TEXT, MAX_KEY_ORIGINS
from pyrograph.policy.names.keys import CONVERTS, EQUALS, ERRORS, OTHER_SIDE
from pyrograph.scanner.analysis.columns import RowsByKey, rows_of
from pyrograph.scanner.analysis.resolve.resolution import Ints
from pyrograph.scanner.explain.operator_keys import compares, is_relayed, names_key
from pyrograph.scanner.explain.questions import UNASKED
from pyrograph.scanner.explain.regions import Regions

VERSIONS: Final = (Op.PI, Op.PHI, Op.POST)  # their code is that of what made them: a condition, a call
EQUAL: Final = frozenset({"1", "true"})  # constants by which a function says that a key is equal
FAULTLESS: Final = frozenset({"nil", "null", "undefined"})  # constants that a function returns instead of an error
BY_TRUTH: Final = "truth"  # ``KeyRegions.grants``: a function is true only where a key is equal
BY_ABSENCE: Final = "absence"  # it returns no error only there


class KeyRegions(Regions):
    """The blocks of functions that run without the operator's key: everything else is ``is_protected``."""

    granting: dict[int, str]  # by function: ``grants``
    depth: int  # of functions that say by what they return that a key is equal, each by what the next one returns

    @classmethod
    def of(cls, regions: Regions, depth: int = MAX_GUARD_DEPTH) -> KeyRegions:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(regions.about(UNASKED).__dict__)
        other.__dict__.pop("inside", None)
        other.granting = {}
        other.depth = depth
        return other

    @cached_property
    def inside(self) -> KeyRegions:
        """The same for the bodies of functions whose results a condition asks for."""
        _ = self.arguments, self.outer, self.named_targets  # made once, then shared
        return type(self).of(self, self.depth - 1)

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = (int(table[side][condition]) for side in ("left", "right"))
        if test == Test.TRUTH:
            return 1 if self.is_comparison(left) else {BY_TRUTH: 1, BY_ABSENCE: 0}.get(self.granted(left), NONE)
        if test != Test.EQUAL or NONE in (left, right):
            return NONE
        for one, other in ((left, right), (right, left)):
            if self.is_text(other, FAULTLESS):
                return 1 if self.granted(one) == BY_ABSENCE else NONE
            if self.is_text(other, EQUAL) and (self.is_comparison(one) or self.granted(one) == BY_TRUTH):
                return 1
            if self.op[self.resolution.reps[other]] == Op.CONST:
                return NONE
        keys = [self.is_key(each) for each in (left, right)]
        return 1 if keys[0] != keys[1] and not self.is_relayed(condition) else NONE

    def is_relayed(self, condition: int) -> bool:
        """Whether the code of a condition, or the path of its file, says that the key is that of a relay."""
        function = int(self.program.tables["conditions"]["function"][condition])
        name = int(self.program.tables["functions"]["name"][function])
        file = int(self.program.file_of_value[self.program.tables["functions"]["result"][function]])
        texts = [self.code_of(condition), self.program.files[file].path]
        return any(map(is_relayed, [*texts, self.program.strings[name] if name != NONE else ""]))

    # -- What a value is made of

    def is_key(self, value: int) -> bool:
        """Whether a value is such a setting."""
        found = self.texts_before(value)
        return any(map(names_key, found)) and not any(map(is_relayed, found))

    def texts_before(self, value: int) -> list[str]:
        """The code of a value, and of what it was made of, to the bound."""
        known = self.written.get(value)
        if known is None:
            known = self.written[value] = self._texts_before(value)
        return known

    def _texts_before(self, value: int) -> list[str]:
        work = [value]
        for each in work:  # grows, to the bound
            further = [origin for origin in self.origins(each) if origin != NONE and origin not in work]
            work += dict.fromkeys(further[: max(0, MAX_KEY_ORIGINS - len(work))])
        written = [each for each in work if self.op[each] not in VERSIONS]
        return [self.texts.text(*self.span(each), MAX_GUARD_TEXT) for each in written]

    def origins(self, value: int) -> list[int]:
        """What a name stands for, and what a conversion is given."""
        rep = self.resolution.reps[value]
        op, data = self.op[rep], self.data[rep]
        found = [rep, self.outer.get(value, NONE), self.outer.get(rep, NONE)]
        if op == Op.CALL:
            if self.functions_of(data):
                return found + self.results_of(data)
            return found + (self.given_to(data) if CONVERTS.fullmatch(self.texts_of_callee(data)) else [])
        if op == Op.PI:
            found.append(int(self.program.tables["pis"]["input"][data]))
        made = self.named[self.named_targets.of(rep), 0].tolist()
        made = [each for each in made if self.op[each] != Op.POST]  # states behind calls of a method: the same text
        found += made if len(made) == 1 else []
        if op == Op.LOAD:
            found.append(self.kept_under(int(self.program.tables["loads"]["key"][data])))
        elif op in (Op.EXPRESSION, Op.PHI):
            found += self.program.tables["flows"]["origin"][self.returned.of(rep)].tolist()
        return found

    def kept_under(self, key: int) -> int:
        """The one value that the program keeps in fields of a name; NONE if there are several, or none."""
        rows: list[int] = self.stored_under.of(key).tolist() if key >= 0 else []
        return int(self.program.tables["stores"]["value"][rows[0]]) if len(rows) == 1 else NONE

    def given_to(self, call: int, *, with_receiver: bool = True) -> list[int]:
        table, rows = self.program.tables["arguments"], self.arguments.of(call)
        if not with_receiver:
            rows = rows[table["position"][rows] != RECEIVER]
        found: list[int] = table["value"][rows].tolist()
        return found[:MAX_GUARD_DEPTH]

    def results_of(self, call: int) -> list[int]:
        """What the one function of the program that a call calls returns."""
        functions = self.functions_of(call)
        if len(functions) != 1:
            return []
        return self.returned_by(functions[0])[:MAX_GUARD_DEPTH]

    def returned_by(self, function: int) -> list[int]:
        result = int(self.program.tables["functions"]["result"][function])
        found: list[int] = self.program.tables["flows"]["origin"][self.returned.of(result)].tolist()
        return found

    @cached_property
    def arguments(self) -> RowsByKey:
        """Arguments by call."""
        return RowsByKey(self.program.tables["arguments"]["call"])

    @cached_property
    def outer(self) -> dict[int, int]:
        """By captured variable: what it is in the function around."""
        captures = self.program.tables["captures"]
        return dict(zip(captures["inner"].tolist(), captures["outer"].tolist(), strict=True))

    @cached_property
    def named(self) -> npt.NDArray[np.int32]:
        """(n, 2) origin and target of flow through names and attributes."""
        return rows_of(self.resolution.flows.context_free_edges, 2)

    @cached_property
    def named_targets(self) -> RowsByKey:
        return RowsByKey(self.named[:, 1])

    def texts_of_callee(self, call: int) -> str:
        """The code that names what a call calls."""
        return self.texts.text(*self.span(int(self.program.tables["calls"]["callee"][call])), MAX_GUARD_TEXT)

    # -- Functions that compare

    def is_comparison(self, value: int) -> bool:
        """Whether a value is the result of a library's call that compares two texts, one of which is such a key."""
        rep = self.resolution.reps[value]
        if self.op[rep] != Op.CALL or not EQUALS.search(self.call_text(value)):
            return False
        given = [self.texts_before(each) for each in self.given_to(self.data[rep], with_receiver=False)]
        if any(is_relayed(text) for texts in given for text in texts):
            return False
        return sum(any(map(names_key, texts)) for texts in given) == 1

    def granted(self, value: int) -> str:
        """How a function of the program that returns ``value`` says that a key is equal: ``grants``; "" for others."""
        rep = self.resolution.reps[value]
        functions = self.functions_of(self.data[rep]) if self.op[rep] == Op.CALL else []
        known = {self.grants(each) for each in functions[: MAX_GUARD_DEPTH + 1]}
        return known.pop() if len(known) == 1 and len(functions) <= MAX_GUARD_DEPTH else ""

    def grants(self, function: int) -> str:
        """``BY_TRUTH``, ``BY_ABSENCE``, or "" where what a function returns says nothing of a key."""
        known = self.granting.get(function)
        if known is None:
            known = self.inside._grants(function) if self.depth and function in self.blocks else ""
            self.granting[function] = known
        return known

    def _grants(self, function: int) -> str:
        found: set[str] = set()
        for each in self.versions_of(self.returned_by(function)):
            rep = self.resolution.reps[each]
            if self.is_for_preflights(each):
                continue
            is_protected = self.is_protected(each)
            if self.is_text(each, FAULTLESS):
                found.add(BY_ABSENCE if is_protected else "")
            elif self.is_text(each, EQUAL):
                found.add(BY_TRUTH if is_protected else "")
            elif self.op[rep] in (Op.CALL, Op.EXPRESSION) and self.compares(each):
                found.add(BY_TRUTH)
            elif self.op[rep] not in (Op.CONST, Op.GLOBAL) and not self.is_error(rep):
                found.add("")
        return found.pop() if len(found) == 1 else ""

    def versions_of(self, values: Sequence[int]) -> list[int]:
        """The values, with those that a version joins instead of it, to the bound."""
        work = list(values)
        for each in work:  # grows, to the bound
            if self.op[self.resolution.reps[each]] == Op.PHI:
                further = [origin for origin in self.origins(each) if origin != NONE and origin not in work]
                work += dict.fromkeys(further[: max(0, MAX_KEY_ORIGINS - len(work))])
        return [each for each in work if self.op[self.resolution.reps[each]] != Op.PHI]

    def is_for_preflights(self, value: int) -> bool:
        """Whether a value is computed for requests only by which a browser asks beforehand, and no handler runs."""
        function = int(self.function[value])
        if not any(self.is_preflight(each, 1) for each in self.conditions_in(function)):
            return False
        return self.block_of(value) not in self.reach(function, {}, self.is_preflight)

    def compares(self, value: int) -> bool:
        """Whether a value is the result of a comparison with such a key, or of several, one of which is true."""
        made = self.resolution.reps[value]
        code = self.texts.text(*self.span(made), MAX_GUARD_TEXT)
        if self.is_comparison(value) or compares(code):
            return True
        if self.op[made] != Op.EXPRESSION or OTHER_SIDE.search(code):
            return False
        tests = self.program.tables["conditions"]["test"]
        within = [each for each in self.conditions_within(made) if tests[each] != Test.BOTH]
        return bool(within) and all(self.side_of(each) == 1 for each in within)

    def is_error(self, value: int) -> bool:
        """Whether a returned value is an error that is made there, or one of the program's."""
        return ERRORS.search(self.texts.text(*self.span(value), MAX_GUARD_TEXT)) is not None

    @cached_property
    def bindings(self) -> Ints:
        return self.resolution.rows("bindings")

    @cached_property
    def bound(self) -> RowsByKey:
        """Bindings by the representative of the parameter."""
        return RowsByKey(self.resolution.representative[self.bindings[:, 2]])
