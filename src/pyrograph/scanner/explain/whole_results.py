"""Functions that return all of an argument, whatever their conditions say: what they ask decides what stands around it.

``def safe_table(name): return "t_" + name if name[0].isdigit() else name`` is named after cleaning and asks about the
text, and lets each text through. What its replacements prove is known to labelling.

From the values that a function returns, the walk goes back through merges, versions behind conditions, and words that
are put around a text. What is left must be one value: the parameter, or a call of a library that is made of one value
alone, before which the same holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from pyrograph.ir.codes import NONE, Op
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

AROUND: Final = re.compile(r"[\w.\- ]*\x00[\w.\- ]*")  # one hole, and no quote that could hold the text in


class WholeResults:
    def __init__(self, program: Program, resolution: Resolution, labels: Labels, args: Arguments) -> None:
        self.program, self.resolution, self.labels, self.args = program, resolution, labels, args
        self.op, self.data = program.numbers("values", "op"), program.numbers("values", "data")
        self.known: dict[int, bool] = {}

    def returns_all(self, function: int, returned: Iterable[int]) -> bool:
        """Whether each text that the function returns holds all of a parameter. ``returned``: what it returns."""
        if function not in self.known:
            self.known[function] = self._returns_all(returned)
        return self.known[function]

    def _returns_all(self, returned: Iterable[int]) -> bool:
        work = sorted(set(returned))
        seen = set(work)
        left: set[int] = set()  # what the walk does not look through, up to the next call
        while work:  # each value once: it is queued when it is new in ``seen``
            at = work.pop()
            merged = self.merged(at)
            fresh = sorted(set(merged) - seen)
            seen.update(fresh)
            work += fresh
            if not merged:
                left.add(self.resolution.reps[at])
            if work:
                continue
            if len(left) != 1:
                return False
            only = left.pop()
            if self.op[only] == Op.PARAMETER:
                return True
            work = self.made_of(only)
            if not seen.isdisjoint(work):
                return False  # a loop around the call
            seen.update(work)
        return False

    def merged(self, value: int) -> list[int]:
        """What a value is the same as, but for words around it: the inputs of a merge, and the like; else none."""
        op, row = self.op[value], self.data[value]
        tables = self.program.tables
        if op == Op.PI:
            return [int(tables["pis"]["input"][row])]
        if op == Op.POST:
            return [self.args.value[row]]
        if op == Op.STORE:
            return [int(tables["stores"]["object"][row])]
        origins = self.origins(value) if op == Op.PHI or value in self.texts else []
        if op == Op.PHI:
            return origins
        if value in self.texts and AROUND.fullmatch(self.texts[value]) is not None:
            return [each for each in origins if self.op[each] != Op.CONST]
        return []

    def made_of(self, value: int) -> list[int]:
        """What the result of a library's call is made of, if all but one of its operands are constants; else none."""
        if self.op[value] != Op.CALL or self.data[value] not in self.labels.modelled:
            return []
        call = self.data[value]
        receiver = int(self.program.tables["calls"]["receiver"][call])
        given = [self.args.value[row] for row in self.args.of(call)]
        made = {each for each in (receiver, *given) if each != NONE and not self.is_constant(each)}
        return sorted(made) if len(made) == 1 else []

    def is_constant(self, value: int) -> bool:
        return self.op[self.resolution.reps[value]] in (Op.CONST, Op.GLOBAL, Op.IMPORT)

    def origins(self, value: int) -> list[int]:
        flows = self.program.tables["flows"]
        found: list[int] = flows["origin"][self.into.of(value)].tolist()
        return found

    @cached_property
    def into(self) -> RowsByKey:
        """Flows by target."""
        return RowsByKey(self.program.tables["flows"]["target"])

    @cached_property
    def texts(self) -> dict[int, str]:
        """Texts that are put together, by value."""
        texts = self.program.tables["texts"]
        rows = zip(texts["value"].tolist(), texts["text"].tolist(), strict=True)
        return {value: self.program.strings[text] for value, text in rows}
