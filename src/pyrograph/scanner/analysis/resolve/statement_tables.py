"""Tables that SQL statements name: what one statement stores in a column, another one returns.

``db.execute("INSERT INTO hook (url) VALUES (?)", (url,))`` and ``db.execute("SELECT url FROM hook")`` concern one
table, as calls of a mapper do (``records``). Packs say with ``execute`` which calls run a statement, where its
parameters stand and where the rows go; ``statements`` reads the text. A table has a cell: data flows into it by
columns, and from there to each row under the name of the column and under its position. Columns of statements that name
none are those that a text of the program creates. Linear in these calls, times the columns that they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_STATEMENT_TABLES
from pyrograph.rules.entries import Execute, Port
from pyrograph.scanner.analysis.resolve.handed_statements import run_handed_statements
from pyrograph.scanner.analysis.resolve.handed_tables import run_handed_tables
from pyrograph.scanner.analysis.resolve.listed_columns import ListedColumns
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values, target_values
from pyrograph.scanner.analysis.resolve.records import cell_of, place, plain, spellings
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, Move
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.statements import ANY, Read, Statement, columns_of, statement

CREATES: Final = re.compile(r"create\s[\w\s]*table\b", re.IGNORECASE)
FIRST_COLUMN: Final = "<column>"  # at the end of a path: the call returns the first column of a row, not the row

Store = tuple[str, str, int, tuple[int, ...]]  # table, column, value, what is taken out of it


def run_statement(solver: Solver, row: int, flow: Execute, key: tuple[str, ...]) -> None:
    """The call ``row`` runs the statement that is the last part of a key."""
    solver.models.statements.known[row, flow, key] = None


def link_statements(solver: Solver) -> None:
    """Let data flow from what statements store in columns to what others return from there."""
    run_handed_statements(solver)
    run_handed_tables(solver)
    calls = solver.models.statements.known
    if not calls:
        return
    known = {key: statement(key[-1]) for _, _, key in calls}
    created = created_columns(solver)
    spelled = spellings(solver)
    stored: dict[tuple[str, str], list[Store]] = {}
    listed = ListedColumns(solver) if any(said and (ANY, ANY) in said.kept for said in known.values()) else None
    for row, flow, key in calls:
        said = known[key]
        if said is not None:
            for store in stores_of(solver, row, flow, said, created, spelled, listed):
                stored.setdefault((key[0], store[0]), []).append(store)
    used: dict[tuple[str, str], int] = {}
    moves = solver.resolution.flows.moves
    for row, flow, key in calls:
        said = known[key]
        for read in said.read if said is not None and flow.target is not None else ():
            if len(read.tables) > MAX_STATEMENT_TABLES:
                continue
            for table in read.tables:
                place_of = key[0], table
                if not any(read.column in (ANY, store[1]) or store[1] == ANY for store in stored.get(place_of, ())):
                    continue
                cell = used[place_of] if place_of in used else cell_of(solver, ("statement", *place_of))
                if cell == NONE:
                    continue
                if place_of not in used:
                    place(solver, cell, ("statement", *place_of), row)
                    used[place_of] = cell
                moves += returned_by(solver, row, flow, read, cell, created.get(table, ()))
                columns = {store[1] for store in stored[place_of]} if read.column == ANY else {read.column}
                moves += fields_of(solver, row, flow, cell, sorted(columns), spelled)
    for place_of, cell in used.items():
        for _, column, value, take in stored[place_of]:
            put = (solver.program.intern(column),) if column != ANY else ()
            if column == ANY and take[-1:] == (UNKNOWN_KEY,):
                put = (UNKNOWN_KEY,)
            moves.append(Move(value, cell, take, put))


def created_columns(solver: Solver) -> dict[str, tuple[str, ...]]:
    """The columns of all tables that texts of the program create. Linear in its texts, once."""
    found: dict[str, tuple[str, ...]] = {}
    for text in tuple(solver.strings):
        if CREATES.search(text):
            found.update(columns_of(text))
    return found


def stores_of(
    solver: Solver,
    row: int,
    flow: Execute,
    said: Statement,
    created: dict[str, tuple[str, ...]],
    spelled: dict[str, list[int]],
    listed: ListedColumns | None,
) -> list[Store]:
    """What the call ``row`` stores, by table and column."""
    found: list[Store] = []
    columns = created.get(said.table, ())
    for column, parameter in said.kept:
        if isinstance(column, int) and column >= len(columns):
            continue
        name = columns[column] if isinstance(column, int) else column
        for value, take in parameters(solver, row, flow, said, parameter):
            filled = listed.filled_by(value) if listed is not None and column == parameter == ANY and take else None
            if filled is not None:
                found += [(said.table, *each) for each in filled]
                continue
            found.append((said.table, name, value, take))
            if column == ANY and take and parameter == 0 and said.placeholders == 1:
                found.append((said.table, name, value, take[:-1]))  # ``SET ?``: the object itself, not a list of it
            if take and isinstance(parameter, str) and parameter != ANY:
                others = [key for key in spelled.get(plain(parameter), ()) if key != take[-1]]
                found += [(said.table, name, value, (*take[:-1], key)) for key in others]
    return found


def parameters(
    solver: Solver, row: int, flow: Execute, said: Statement, parameter: int | str
) -> list[tuple[int, tuple[int, ...]]]:
    """The values that a placeholder stands for, each with the path of what is taken out of it."""
    args = solver.calls.args
    key = UNKNOWN_KEY if parameter == ANY else solver.program.intern(str(parameter))
    found: list[tuple[int, tuple[int, ...]]] = []
    for port in flow.given:
        if port.kind != "from":
            take = (*(key_at(solver, row, each) for each in port.path), key)
            found += [(value, take) for value in port_values(solver, row, Port(port.kind, port.position, port.names))]
            continue
        rows = args.at(row, port)
        single = len(rows) == 1 and (said.placeholders > 1 or not isinstance(parameter, int))
        for each in rows:
            by_name = isinstance(parameter, str) and parameter != ANY  # each holds one under its name
            if args.flags[each] or single or by_name:  # or spread, or a list or an object of all parameters
                found.append((args.value[each], (key,)))
            elif parameter == args.position[each] - port.position or parameter == ANY:
                found.append((args.value[each], ()))
    return found


def returned_by(solver: Solver, row: int, flow: Execute, read: Read, cell: int, columns: tuple[str, ...]) -> list[Move]:
    """The moves of one column, or of all columns, from the cell of a table to the rows that the call returns."""
    intern = solver.program.intern
    assert flow.target is not None
    names = flow.target.path
    path = tuple(key_at(solver, row, key) for key in names if key != FIRST_COLUMN)
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    if names[-1:] == (FIRST_COLUMN,):
        column = read.column or (columns[0] if columns else ANY)
        if read.position == 0 and column != ANY:
            pairs.append(((intern(column),), ()))
    elif read.column == ANY:
        pairs.append(((), ()))
        if read.position >= 0:
            pairs += [((intern(each),), (intern(str(read.position + at)),)) for at, each in enumerate(columns)]
    else:
        pairs.append(((intern(read.column),), (intern(read.name),)))
        if read.position >= 0:
            pairs.append(((intern(read.column),), (intern(str(read.position)),)))
    return [Move(cell, value, take, (*path, *put)) for value in arrivals(solver, row, flow) for take, put in pairs]


def arrivals(solver: Solver, row: int, flow: Execute) -> list[int]:
    """Where the call ``row`` puts rows: its result, an argument, or a parameter of a function that it is given."""
    assert flow.target is not None
    if flow.parameter < 0:
        return target_values(solver, row, flow.target)
    given = port_values(solver, row, replace(flow.target, path=()))
    functions = [
        state >> KIND_BITS for value in given for state in solver.points.states_of(value) if state & KIND == FUNCTION
    ]
    rows = [each for function in functions for each in solver.functions.chosen_parameters(function, flow.parameter)]
    return [solver.functions.param_value[each] for each in rows]


def fields_of(
    solver: Solver, row: int, flow: Execute, cell: int, columns: Iterable[str], spelled: dict[str, list[int]]
) -> list[Move]:
    """The moves of columns to the fields of the object that the call fills, which are named after them."""
    assert flow.target is not None
    if flow.target.path[-1:] == (FIRST_COLUMN,):
        return []
    intern = solver.program.intern
    path = tuple(key_at(solver, row, key) for key in flow.target.path)
    values = arrivals(solver, row, flow)
    return [
        Move(cell, value, (intern(column),), (*path, key))
        for column in columns
        for key in spelled.get(plain(column), ())
        if key != intern(column)
        for value in values
    ]
