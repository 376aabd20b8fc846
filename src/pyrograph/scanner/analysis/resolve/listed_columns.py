"""Columns of an ``UPDATE`` that a program puts together in a list, and the values that it puts into another list.

``fields.push("url = ?"); values.push(url)``, later ``UPDATE hook SET ${fields.join(", ")}`` with ``values``: the text
of the statement names no column, but beside each value stands the text that assigns it. Both stand in one basic block,
as the column is only set where the value is given. Within a block, values and columns go in pairs, in their order; a
value that is put into the list where no column is named fills none: it chooses the row (``WHERE id = ?``). Where the
name of the column is a key of an object, ``for (const [key, value] of Object.entries(changes))``, the fields of the
object go to the columns of their names.

Linear in the blocks in which something is put into such a list.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.policy.limits.resolution import MAX_LISTED_VALUES
from pyrograph.policy.names.functions import CHANGING_METHODS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.numbers import CALL_OP, CARRY_OP, CONST_OP, GLOBAL_OP, LOAD_OP, PI_OP, POST_OP, STORE_OP
from pyrograph.scanner.analysis.resolve.computed_imports import put_together
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.statements import ANY, assignments

VALUE_OF_PAIR: Final = "1"  # the position of the value in a pair of a name and a value

Filled = tuple[str, int, tuple[int, ...]]  # a column, the value that it gets, what is taken out of the value


class ListedColumns:
    """Answers for one program."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        tables = solver.program.tables
        self.flows = RowsByKey(tables["flows"]["target"])
        self.flow_origin = tables["flows"]["origin"]
        self.function = tables["values"]["function"]
        self.call_of_argument = tables["arguments"]["call"]
        self.store_object, self.store_value = tables["stores"]["object"], tables["stores"]["value"]
        self.store_key = tables["stores"]["key"]
        self.pi_input = tables["pis"]["input"]
        self.blocks: dict[int, list[int]] = {}  # by function: the first values of its blocks
        rows = tables["blocks"]
        for function, first in zip(rows["function"].tolist(), rows["first"].tolist(), strict=True):
            self.blocks.setdefault(function, []).append(first)
        self.named: dict[tuple[int, int], list[tuple[int, str, int | str]]] = {}  # ``columns_in`` by function and block

    def filled_by(self, parameters: int) -> list[Filled] | None:
        """What the values of a list of parameters fill, by columns; None if it is not known of any of them."""
        by_block: dict[tuple[int, int], list[tuple[int, int, str]]] = {}
        for at, value, name in self.put_into(parameters):
            by_block.setdefault(self.block_of(at), []).append((at, value, name))
        found: list[Filled] = []
        is_known = False
        for block in sorted(by_block):
            columns = self.columns_in(block)
            pairs = paired(columns, sorted(by_block[block])) if columns else []
            for column, value in pairs:
                is_known = True
                if column != ANY:
                    found.append((column, value, ()))
                else:
                    holder = self.object_of(value)
                    if holder == NONE:
                        return None  # the path to the list may say which column it is
                    found.append((ANY, holder, ()))
        return found if is_known else None

    def put_into(self, value: int) -> list[tuple[int, int, str]]:
        """What is put into a list, or into an object, and where; see ``MAX_LISTED_VALUES``."""
        solver, args = self.solver, self.solver.calls.args
        found: dict[int, tuple[int, int, str]] = {}  # by value: each once
        work, seen = [int(value)], {int(value)}
        for each in work:  # grows by values that are new in ``seen``, to the bound
            op, row = solver.op[each], solver.data[each]
            before: list[int] = []
            if op == POST_OP and row >= 0:
                before.append(args.value[row])
                if args.position[row] == RECEIVER:
                    call = int(self.call_of_argument[row])
                    if self.puts(call):
                        for argument in args.of(call):
                            if args.position[argument] != RECEIVER:
                                at = solver.calls.result[call]
                                found.setdefault(args.value[argument], (at, args.value[argument], ""))
            elif op == STORE_OP:
                before.append(int(self.store_object[row]))
                key, stored = int(self.store_key[row]), int(self.store_value[row])
                if stored != NONE:
                    name = solver.strings[key] if key >= 0 else ""
                    found.setdefault(stored, (each, stored, "" if name.isdigit() else name))
            elif op == PI_OP:
                before.append(int(self.pi_input[row]))
            elif op == CALL_OP:
                given = [args.value[argument] for argument in args.of(row)]
                if self.puts(row):
                    for other in given[1:]:
                        found.setdefault(other, (each, other, ""))
                    given = given[:1]
                before += given
            else:
                before += self.flow_origin[self.flows.of(each)].tolist()
            for other in before:
                if other not in seen and len(work) < MAX_LISTED_VALUES:
                    seen.add(other)
                    work.append(other)
        return list(found.values())

    def puts(self, call: int) -> bool:
        """Whether a call puts something into a container, by the name of what is called."""
        callee = self.solver.calls.callee[call]
        if callee == NONE or self.solver.op[callee] not in (GLOBAL_OP, LOAD_OP):
            return False
        data = self.solver.data[callee]
        if self.solver.op[callee] == LOAD_OP:
            data = self.solver.accesses.load_key[data]
        return data >= 0 and self.solver.strings[data] in CHANGING_METHODS

    def block_of(self, value: int) -> tuple[int, int]:
        """The function of a value, and which of its blocks has the value."""
        function = int(self.function[value])
        return function, max(0, bisect_right(self.blocks.get(function, []), value) - 1)

    def columns_in(self, block: tuple[int, int]) -> list[tuple[int, str, int | str]]:
        """The columns that texts in a block assign a bound value to, by placeholder, in their order."""
        known = self.named.get(block)
        if known is None:
            known = self.named[block] = []
            solver, texts, function = self.solver, put_together(self.solver), block[0]
            firsts = self.blocks.get(function, [])
            start = firsts[block[1]] if firsts else 0
            end = firsts[block[1] + 1] if block[1] + 1 < len(firsts) else len(self.function)
            seen: set[tuple[str, int | str]] = set()
            for value in range(start, end):
                if self.function[value] != function:
                    break
                text = texts.get(solver.points.reps[value])
                if text is None and solver.op[value] == CONST_OP:
                    text = solver.strings[solver.data[value]]
                for column, parameter in assignments(text) if text is not None else ():
                    if (column, parameter) not in seen:  # a text that is put together begins with a constant
                        seen.add((column, parameter))
                        known.append((value, column, parameter))
        return known

    def object_of(self, value: int) -> int:
        """The object of which a value is any field, or NONE."""
        solver = self.solver
        node = value
        for _ in range(MAX_LISTED_VALUES):
            if solver.op[node] != PI_OP:
                break
            node = int(self.pi_input[solver.data[node]])
        if solver.op[node] != LOAD_OP:
            return NONE
        row = solver.data[node]
        key, holder = solver.accesses.load_key[row], solver.accesses.load_object[row]
        if key >= 0 and solver.strings[key] == VALUE_OF_PAIR and solver.op[holder] == LOAD_OP:
            pair = solver.data[holder]
            made = solver.accesses.load_object[pair]
            if solver.accesses.load_key[pair] < 0 and solver.op[made] == CALL_OP:
                given = [solver.calls.args.value[each] for each in solver.calls.args.of(solver.data[made])]
                if len(given) == 1:
                    return given[0]
        return self.before_loop(holder) if key < 0 else NONE

    def before_loop(self, value: int) -> int:
        """The version of an object before the loop that reads its fields: behind it, each may be in any of them."""
        for _ in range(MAX_LISTED_VALUES):
            origins = self.flow_origin[self.flows.of(value)].tolist() if self.solver.op[value] == CARRY_OP else []
            if not origins or min(origins) >= value:
                break
            value = min(origins)
        return value


def paired(columns: list[tuple[int, str, int | str]], puts: list[tuple[int, int, str]]) -> list[tuple[str, int]]:
    """Which column each value of one block fills: by name, by order where they are as many, else by what stands before,
    or behind it; where nothing says so, each value may fill each column.
    """
    by_name = {str(parameter): column for _, column, parameter in columns if isinstance(parameter, str)}
    found = [(by_name[name], value) for _, value, name in puts if name in by_name]
    columns = [each for each in columns if isinstance(each[2], int)]
    rest = [(at, value) for at, value, name in puts if not name]
    if not columns or not rest:
        return found
    if len(columns) == len(rest):
        return found + [(column, value) for (_, column, _), (_, value) in zip(columns, rest, strict=True)]
    events = sorted(
        [(at, 0, number) for number, (at, _, _) in enumerate(columns)]
        + [(at, 1, number) for number, (at, _) in enumerate(rest)]
    )
    for wanted in (0, 1):  # the text before the value, or the value before the text
        pairs: list[tuple[int, int]] = []
        waiting: list[int] = []
        for _, kind, number in events:
            if kind == wanted:
                waiting.append(number)
            elif waiting:
                other = waiting.pop(0 if wanted == 0 else -1)
                pairs.append((other, number) if wanted == 0 else (number, other))
        if len(pairs) == len(columns):
            return found + [(columns[column][1], rest[value][1]) for column, value in pairs]
    return found + [(column, value) for _, column, _ in columns for _, value in rest]
