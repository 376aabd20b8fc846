"""Functions of the program that run a statement about a table which they are given: ``insert(table, row)``.

At the driver's call the name of the table is a parameter, ``INSERT INTO ${table} ...``. It is constant where ``insert``
is called: that call keeps a record of this table, or reads some. A function that writes is given the columns beside the
name, as an object, or as a list of names and one of values; or the statement names them itself, ``UPDATE ${table} SET
label = ? WHERE id = ?``, and says which of its parameters it keeps. A function that hands the name on to such a
function is looked through, too. Linear in the calls of such functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.rules.entries import Execute, Port
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.computed_imports import put_together, spellings, text_nodes
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.handed_statements import Behind
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.statements import ANY, statement

HOLE: Final = "\0"
OPEN_TABLE: Final = re.compile(r"\b(?:into|update|from)\s+[`\"\[]?(?P<hole>\0)[`\"\]]?(?=[\s(]|$)", re.IGNORECASE)
READS: Final = re.compile(r"\s*select\b", re.IGNORECASE)
WRITES: Final = re.compile(r"\s*(?:insert|replace|update)\b", re.IGNORECASE)
TABLE: Final = re.compile(r"[A-Za-z_][\w.]{0,80}")
FIELD: Final = re.compile(r"[A-Za-z_]\w{0,80}")


def names_no_table(text: str) -> bool:
    """Whether the name of the first table of a statement is what the program puts there.

    >>> names_no_table("INSERT INTO \\0 (a) VALUES (?)"), names_no_table("SELECT \\0 FROM notes")
    (True, False)
    """
    return OPEN_TABLE.search(text) is not None


def run_handed_tables(solver: Solver) -> None:
    """Let the callers of functions run the statements about the tables that they name."""
    if not solver.models.statements.open_tables:
        return
    behind, fillings = Behind(solver), Fillings(solver)
    for row, flow, topic, value in solver.models.statements.open_tables:
        for node in text_nodes(solver, value):
            text = put_together(solver)[node]
            match = OPEN_TABLE.search(text)
            found = fillings.of(node) if match is not None else []
            if match is None or len(found) != text.count(HOLE):
                continue
            table = behind.parameter(found[text.count(HOLE, 0, match.start("hole"))])
            is_read = READS.match(text) is not None
            if not is_read and WRITES.match(text) is None:
                continue
            kept = None if is_read else kept_parameters(behind, row, flow, text)
            for site, way, given in sites_of(behind, row, flow, table) if table != NONE else ():
                names = tables_named(solver, given)
                if kept is not None:
                    for name in names:
                        keep(behind, site, way, topic, name, kept)
                    continue
                for name in names:
                    run(solver, site, way, topic, name, behind.port(table), is_read=is_read)
                outer = behind.parameter(given) if not names else NONE
                for further, passed, named in sites_of(behind, site, way, outer) if outer != NONE else ():
                    for name in tables_named(solver, named):
                        if is_read and returns(behind, outer, site):
                            run(solver, further, passed, topic, name, behind.port(outer), is_read=True)
                        else:  # what it keeps is known where the inner function is called
                            run(solver, site, way, topic, name, behind.port(table), is_read=is_read)


def sites_of(behind: Behind, row: int, flow: Execute, parameter: int) -> Iterator[tuple[int, Execute, int]]:
    """The calls of the function that has a parameter, how they run the statement, and what they give for it."""
    port = behind.port(parameter)
    for site, way in behind.callers(row, flow, parameter):
        for given in port_values(behind.solver, site, port):
            yield site, way, given


def tables_named(solver: Solver, value: int) -> list[str]:
    """The names of tables that a value is."""
    names = [each.removeprefix("'") for each in spellings(solver, value)]
    return [each for each in names if TABLE.fullmatch(each)]


def returns(behind: Behind, parameter: int, site: int) -> bool:
    """Whether the function that has a parameter returns what the call ``site`` in it does."""
    solver, reps = behind.solver, behind.solver.points.reps
    result = reps[solver.functions.result[solver.functions.param_function[parameter]]]
    made = reps[solver.calls.result[site]]
    return result == made or made in [reps[each] for each in behind.same.before(result)]


def kept_parameters(behind: Behind, row: int, flow: Execute, text: str) -> list[tuple[str, int, str]] | None:
    """The columns that a statement names and fills, each with the parameter of the function around that fills it, and
    the field of it that does, or ""; None where that is not known of all of them.
    """
    solver, said = behind.solver, statement(text)
    if said is None or not said.kept:
        return None
    args = solver.calls.args
    found: list[tuple[str, int, str]] = []
    for column, number in said.kept:
        if not isinstance(column, str) or column == ANY or not isinstance(number, int):
            return None
        for port in flow.given:
            rows = args.at(row, port)
            if port.kind != "from" or any(args.flags[each] for each in rows) or len(rows) != said.placeholders:
                return None  # a list or an object of all parameters
            for each in rows:
                if args.position[each] - port.position != number:
                    continue
                parameter, field = part_of(behind, args.value[each])
                if parameter != NONE:
                    found.append((column, parameter, field))
                elif not is_made_here(solver, args.value[each]):
                    return None
    return found


def part_of(behind: Behind, value: int) -> tuple[int, str]:
    """The parameter that a value is, or is a field of, with the name of this field."""
    solver = behind.solver
    parameter = behind.parameter(value)
    node = solver.points.reps[value]
    if parameter != NONE or solver.op[node] != LOAD_OP:
        return parameter, ""
    loads = solver.program.tables["loads"]
    key = int(loads["key"][solver.data[node]])
    field = solver.strings[key] if key >= 0 else ""
    return (behind.parameter(int(loads["object"][solver.data[node]])) if FIELD.fullmatch(field) else NONE), field


def is_made_here(solver: Solver, value: int) -> bool:
    """Whether a value is a constant, or what a call gives that is given none of the function's values."""
    node = solver.points.reps[value]
    if solver.op[node] != CALL_OP:
        return solver.op[node] == CONST_OP
    args = solver.calls.args
    given = [args.value[row] for row in args.of(solver.data[node]) if args.position[row] != RECEIVER]
    return all(solver.op[solver.points.reps[each]] == CONST_OP for each in given)


def keep(
    behind: Behind, site: int, way: Execute, topic: tuple[str, ...], table: str, kept: list[tuple[str, int, str]]
) -> None:
    """The call ``site`` keeps a record of the table with these columns, of these parameters of what it calls."""
    known, args = behind.solver.models.statements.known, behind.solver.calls.args
    for column, parameter, field in kept:
        for row in args.at(site, behind.port(parameter)):
            given = Port("position" if field else "from", args.position[row])
            text = f"insert into {table} ({column}) values ({':' + field if field else '?'})"
            known[site, replace(way, given=(given,), target=None), (*topic, text)] = None


def run(
    solver: Solver, site: int, way: Execute, topic: tuple[str, ...], table: str, port: Port, *, is_read: bool
) -> None:
    """The call ``site`` keeps a record of the table, or reads all columns of some."""
    if is_read:
        solver.models.statements.known[site, way, (*topic, f"select * from {table}")] = None
        return
    args = solver.calls.args
    rows = [each for each in args.of(site) if args.position[each] != RECEIVER and each not in args.at(site, port)]
    rows = [each for each in rows if solver.op[solver.points.reps[args.value[each]]] != CONST_OP]
    columns = constants_of(solver, args.value[rows[0]]) if rows else []
    if columns and len(rows) > 1:
        marks = ", ".join("?" * len(columns))
        text, row = f"insert into {table} ({', '.join(columns)}) values ({marks})", rows[1]
    elif rows:
        text, row = f"insert into {table} set ?", rows[0]
    else:
        return
    given = Port("position", args.position[row])
    solver.models.statements.known[site, replace(way, given=(given,), target=None), (*topic, text)] = None


def constants_of(solver: Solver, value: int) -> list[str]:
    """The names of columns that a literal lists, by their order; empty if it holds anything else."""
    node = solver.points.reps[value]
    rows = solver.accesses.stores_of.get(node, ()) if solver.op[node] == NEW_OP else ()
    found: list[str] = []
    for at, row in enumerate(rows):
        key, text = solver.accesses.store_key[row], constant(solver, solver.accesses.store_value[row])
        if key < 0 or solver.strings[key] != str(at) or text is None or not TABLE.fullmatch(text):
            return []
        found.append(text)
    return found


class Fillings:
    """What fills the holes of texts."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        flows = solver.program.tables["flows"]
        self.rows = RowsByKey(solver.points.rep[flows["target"]])
        self.origin = flows["origin"]

    def of(self, node: int) -> list[int]:
        """By hole: the value there. Of a text that a call fills, the last arguments; of another one, its parts that are
        not constant, also in the texts that it is put together of. Linear in the parts, which are before their text.
        """
        solver, texts = self.solver, put_together(self.solver)
        if solver.op[node] == CALL_OP:
            args = solver.calls.args
            count = texts[node].count(HOLE)
            given = [args.value[row] for row in args.of(solver.data[node]) if args.position[row] != RECEIVER]
            return given[-count:] if count else []
        found: list[int] = []
        work, seen = [node], {node}
        while work:  # what is pushed is new in ``seen``
            each = work.pop()
            if each != node and (each not in texts or solver.op[each] == CALL_OP):
                found.append(each)
                continue
            parts: list[int] = self.origin[self.rows.of(each)].tolist()
            for part in reversed(parts):
                rep = solver.points.reps[part]
                if solver.op[rep] != CONST_OP and rep not in seen:
                    seen.add(rep)
                    work.append(rep)
        return found
