"""Basic blocks: which block a value is made in, and where control goes from it."""

from __future__ import annotations

from bisect import bisect_right

from pyrograph.ir.codes import EXCEPTIONAL, NONE, UNKNOWN_KEY
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CARRY_OP, LOAD_OP, PARAMETER_OP, PHI_OP


class Blocks:
    """The basic blocks of functions, the edges between them, and those in which a call does not return.

    Indexes of whole tables are made when they are first used: most programs have no such loop.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.indexes: dict[tuple[str, str], RowsByKey] = {}
        self.ended: dict[int, set[int]] = {}  # by function
        self.firsts: dict[int, tuple[list[int], list[int]]] = {}  # function -> its blocks, the first value of each
        self.dead: dict[int, list[int]] = {}  # function -> results of calls that do not return
        self.reads: dict[tuple[int, int], set[int]] = {}  # (representative, function) -> ``reads_of_any``
        self.handling: set[int] | None = None  # functions that handle exceptions
        self.ways: dict[int, list[tuple[int, int, int]]] = {}  # a cache of ``edges``
        for call in facts.labels.non_returning:
            result = facts.call_result[call]
            self.dead.setdefault(int(facts.function_of[result]), []).append(result)

    def rows(self, table: str, column: str, key: int) -> list[int]:
        """The rows of a table that have ``key`` in this column."""
        index = self.indexes.get((table, column))
        if index is None:
            index = self.indexes[table, column] = RowsByKey(self.facts.tables[table][column])
        found: list[int] = index.of(key).tolist()
        return found

    def ended_in(self, function: int) -> set[int]:
        """The blocks of a function that a call ends."""
        if function not in self.ended:
            self.ended[function] = {self.block_of(function, value) for value in self.dead.get(function, [])}
        return self.ended[function]

    def block_of(self, function: int, value: int) -> int:
        """The block of a value of this function that stands where it is made: no phi; NONE if it has no blocks."""
        if function not in self.firsts:
            rows = self.rows("blocks", "function", function)
            self.firsts[function] = rows, self.facts.tables["blocks"]["first"][rows].tolist() if rows else []
        rows, firsts = self.firsts[function]
        return rows[max(0, bisect_right(firsts, value) - 1)] if rows else NONE

    def place_of(self, function: int, value: int) -> int:
        """The block of any value of this function; NONE if it is not known, as where handlers join versions."""
        facts = self.facts
        op = facts.op[value]
        rows = self.rows("blocks", "function", function)
        if op == PARAMETER_OP:
            return rows[0] if rows else NONE
        if op == CARRY_OP:
            return int(facts.tables["loops"]["header"][facts.data[value]])
        if op != PHI_OP:
            return self.block_of(function, value)
        rows = self.rows("joins", "value", value)
        if not rows:
            return self.place_in_expression(function, value)
        joined = {int(facts.tables["joins"]["block"][row]) for row in rows}
        after = [{target for target, _, _ in self.edges(block)} for block in joined]
        common = set.intersection(*after) if after else set()
        return common.pop() if len(common) == 1 else NONE

    def place_in_expression(self, function: int, phi: int) -> int:
        """The block of a phi that an expression makes, ``x || "a"``: that of the next value which is no phi; NONE if
        this one begins a block, because the phi may stand before or behind the edge, as where handlers join versions.
        Nor is it known in a function with handlers, to which control does not say that it goes from each block.
        """
        op = self.facts.op
        if self.has_handlers(function):
            return NONE
        following = phi + 1
        while following < len(op) and op[following] == PHI_OP:
            following += 1
        if following == len(op) or self.facts.function_of[following] != function:
            return NONE
        block = self.block_of(function, following)
        return NONE if block == NONE or int(self.facts.tables["blocks"]["first"][block]) > phi else block

    def has_handlers(self, function: int) -> bool:
        """Whether control goes to a handler of exceptions somewhere in a function."""
        if self.handling is None:
            control = self.facts.tables["control"]
            handlers = control["target"][control["side"] == EXCEPTIONAL]
            self.handling = set(self.facts.tables["blocks"]["function"][handlers].tolist())
        return function in self.handling

    def reads_of_any(self, rep: int, function: int) -> set[int]:
        """Representatives of what a function loads from a collection under no certain key; shared by all its loops."""
        known = self.reads.get((rep, function))
        if known is None:
            facts = self.facts
            known = self.reads[rep, function] = {
                each
                for each in facts.flows.loads_from(rep)
                if facts.op[each] == LOAD_OP
                and facts.load_key[facts.data[each]] == UNKNOWN_KEY
                and int(facts.function_of[each]) == function
            }
        return known

    def dead_versions(self, phi: int) -> set[int]:
        """The versions that a phi would take only where a call does not return."""
        joins = self.facts.tables["joins"]
        ended = self.ended_in(int(self.facts.function_of[phi]))
        rows = self.rows("joins", "value", phi) if ended else []
        live = {int(joins["version"][row]) for row in rows if int(joins["block"][row]) not in ended}
        return {int(joins["version"][row]) for row in rows} - live

    def edges(self, block: int) -> list[tuple[int, int, int]]:
        """(target, condition, side) of the ways on from a block."""
        known = self.ways.get(block)
        if known is None:
            control = self.facts.tables["control"]
            rows = self.rows("control", "origin", block)
            columns = [control[name][rows].tolist() for name in ("target", "condition", "side")] if rows else []
            known = self.ways[block] = [edge for edge in zip(*columns, strict=True) if edge[2] != EXCEPTIONAL]
        return known


def shared_blocks(facts: Facts) -> Blocks:
    """The blocks that all chapters behind the chop share: until then, calls may still turn out not to return."""
    known = facts.guards.blocks
    if isinstance(known, Blocks):
        return known
    facts.guards.blocks = made = Blocks(facts)
    return made
