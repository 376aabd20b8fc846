"""Tables of records: what one request stores in a model, another reads.

``Hook.objects.create(url=...)`` in one handler and ``Hook.objects.get(pk=pk)`` in another concern one table, which no
call joins. Packs say which calls keep a record and which recall one, and what the key of the table is: mostly the class
of the record (``topics`` finds the key). A table has a cell (``Op.CELL``). Data flows into it from all that is kept, by
fields, and from there to all that is recalled, in every calling context: edges are as many as these calls, not their
product. What is recalled is an instance of the class, too; where the key is no class, it is an object, the cell.

Classes whose library writes changed fields back (``[type] records``) keep what is stored in their instances.

A call that may be about more than ``MAX_RECORD_TYPES`` tables (a repository of all models) is left out. Linear in the
calls and in the stores of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pyrograph.ir.codes import NONE, ArgumentFlag
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_EXCLUDED_NAMES, MAX_NAMES_KEPT, MAX_RECORD_TYPES
from pyrograph.policy.names.functions import WHOLE_FORM_CHECKS
from pyrograph.rules.entries import Keep, Port, Recall
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.numbers import CALL_OP
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.converted import FieldKept, Kept, converted, converters
from pyrograph.scanner.analysis.resolve.joined_records import joined_tables
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values, target_values, with_viewed
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, INSTANCE_OF, OBJECT, Move
from pyrograph.scanner.analysis.resolve.solver import Listener, Solver

TYPE: Final = "\0type "  # before the number of a class that is a part of a key

IMPORTED: Final = "\0import "  # before the name of a class that the program does not have

Key = tuple[str, ...]
FieldsKept = dict[int, FieldKept]


@dataclass(frozen=True, slots=True)
class MethodsListener(Listener):
    """A class whose methods get records, in parameters of these names."""

    names: tuple[str, ...]
    made: int  # state of a record

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == CLASS:
            for value in method_parameters(solver, state >> KIND_BITS, self.names):
                solver.points.add(solver.points.reps[value], self.made)


def parameters_at(solver: Solver, value: int, names: Sequence[str]) -> list[int]:
    """The same parameters of the methods of a class that a value is."""
    states = solver.points.states[solver.points.reps[value]]
    owners = dict.fromkeys(state >> KIND_BITS for state in states if state & KIND == CLASS)
    return [each for owner in owners for each in method_parameters(solver, owner, names)]


def method_parameters(solver: Solver, owner: int, names: Sequence[str]) -> list[int]:
    """The parameters of these names of the methods that a class has, or inherits."""
    wanted = {solver.program.string_ids.get(name, NONE) for name in names} - {NONE}
    functions = solver.functions
    own = solver.program.tables["functions"]["owner"]
    rows = [
        row
        for each in solver.classes.lineage(owner)
        for function in np.flatnonzero(own == each).tolist()
        for row in functions.parameters_of.get(function, ())
        if functions.param_name[row] in wanted
    ]
    return [functions.param_value[row] for row in dict.fromkeys(rows)]


def remember(solver: Solver, row: int, flow: Keep | Recall, table: Key) -> None:
    """The call ``row`` keeps records of ``table``, or recalls some: instances of the class that is its key. Or it
    declares its columns.
    """
    if isinstance(flow, Recall) and flow.declares:
        solver.models.declared.setdefault(table, {})[row, flow] = None
        return
    keeping, recalling = solver.models.records.setdefault(table, ({}, {}))
    if isinstance(flow, Keep):
        keeping[row, flow] = None
    elif (row, flow) not in recalling:
        recalling[row, flow] = None
        owner, cell = class_of(table), cell_of(solver, table)
        made = owner << KIND_BITS | INSTANCE_OF if owner != NONE else cell << KIND_BITS | OBJECT
        if cell == NONE:
            return
        for value in port_values(solver, row, flow.target) if flow.methods else ():
            solver.listen(value, MethodsListener(flow.methods, made), row)
        for value in target_values(solver, row, flow.target) if not flow.methods else ():
            node, holder = solver.points.reps[value], value << KIND_BITS | OBJECT
            for key in flow.target.path:  # what is in the holder under a key is the holder itself, as pairs are
                solver.points.add(node, holder)
                node = solver.cell(holder, key_at(solver, row, key))
            solver.points.add(node, made)


def apis_called(solver: Solver) -> dict[int, list[int]]:
    """The library's functions that each call runs; listed once, when the call graph is frozen."""
    found = solver.models.apis_called
    if not found:
        for row, node in solver.resolution.api_calls:
            found.setdefault(row, []).append(node)
    return found


def cell_of(solver: Solver, table: Key) -> int:
    """The cell of a table; NONE where too many tables have one."""
    return solver.models.table_cell(table)


def class_of(table: Key) -> int:
    """The class that is the key of a table, or NONE."""
    return int(table[-1].removeprefix(TYPE)) if table[-1].startswith(TYPE) else NONE


def link_records(solver: Solver, views: Iterable[tuple[Key, Kept]] = ()) -> None:
    """Let data flow from what is kept in each table to what is recalled from there.

    ``views``: what tables get without a call; asked for only if some are read.
    """
    known = solver.models.records
    if known:
        apis_called(solver)
    tables_of: dict[tuple[int, Keep | Recall], int] = {}  # how many tables a call may be about
    for calls_of in known.values():
        for each in calls_of:
            for call in each:
                tables_of[call] = tables_of.get(call, 0) + 1
    by_views: dict[Key, list[Kept]] = {}
    if any(recalling for _, recalling in known.values()):
        for table, move in views:
            by_views.setdefault(table, []).append(move)
    recalled = {
        table: [each for each in recalling if tables_of[each] <= MAX_RECORD_TYPES]
        for table, (_, recalling) in known.items()
    }
    joined = joined_tables(solver, recalled)
    stored = stores_into(solver, {class_of(table) for table, calls in recalled.items() if calls} - {NONE})
    known_converters = converters(solver) if any(recalled.values()) else {}
    moves = solver.resolution.flows.moves
    spelled: dict[str, list[int]] = {}
    for table, calls in recalled.items():
        into: list[Kept] = []
        for call in known[table][0]:
            if tables_of[call] <= MAX_RECORD_TYPES:
                into += kept(solver, *call, table)
        into += [*stored.get(class_of(table), ()), *by_views.get(table, ())]
        others = joined.get(table, [])
        if not into or (all(is_handle(flow) for _, flow in calls) and not others):
            continue
        cell = cell_of(solver, table)
        if cell == NONE:
            continue
        declare_columns(solver, cell, table)
        # the first one makes what stands for the table, if any does
        place(solver, cell, table, calls[0][0] if calls else others[0][0])
        for move in converted(solver, cell, class_of(table), into, known_converters):
            origin = declared(solver, without(solver, move), move)
            take = () if origin != move.value else move.take
            moves.append(Move(origin, cell, take, move.put, move.tested))
        names = names_kept(solver, into) if class_of(table) == NONE else []
        spelled = spelled or (spellings(solver) if names else {})
        pairs = [(name, key) for name in names for key in spelled.get(plain(solver.strings[name]), ()) if key != name]
        for row, flow in calls:
            if is_handle(flow):
                continue
            for value in port_values(solver, row, flow.target) if flow.methods else ():
                moves += [Move(cell, each) for each in parameters_at(solver, value, flow.methods)]
            if flow.methods:
                continue
            path = tuple(key_at(solver, row, key) for key in flow.target.path)
            for value in target_values(solver, row, flow.target):
                moves.append(Move(cell, value, put=path))
                moves += [Move(cell, value, (name,), (*path, key)) for name, key in pairs]
        for row, flow, under in others:
            path = (*(key_at(solver, row, key) for key in flow.target.path), *under)
            moves += [Move(cell, value, put=path) for value in target_values(solver, row, flow.target)]


def names_kept(solver: Solver, into: Iterable[Kept]) -> list[int]:
    """The names under which a table without a class holds what is kept: those of the objects, or of what is put there.

    Where a field is declared to be read, ``Text string``, libraries spell it as the type does, not as the table.
    """
    found: dict[int, None] = {}
    for each in into:
        states = solver.points.states[solver.points.reps[each.value]] if not each.put and not each.take else ()
        keys = [key for state in states if state & KIND == OBJECT for key in solver.points.keys_of.get(state, ())]
        found.update(dict.fromkeys(key for key in (*each.put[:1], *keys) if key >= 0))
    return list(found)[:MAX_NAMES_KEPT]


def spellings(solver: Solver) -> dict[str, list[int]]:
    """The names of fields that the program reads, or stores into, by what is left without case and underscores: mappers
    name fields after columns, ``FileName`` after ``file_name``. Linear in loads and stores.
    """
    found: dict[str, list[int]] = {}
    used = {key for table in ("loads", "stores") for key in solver.program.numbers(table, "key") if key >= 0}
    for key in sorted(used):
        found.setdefault(plain(solver.strings[key]), []).append(key)
    return found


def declare_columns(solver: Solver, cell: int, table: Key) -> None:
    """Remember what declares the columns of a table, with the key under which a column has its type, if any."""
    owner = class_of(table)
    record = owner << KIND_BITS | INSTANCE_OF if owner != NONE else cell << KIND_BITS | OBJECT
    for row, flow in solver.models.declared.get(table, ()):
        under = [key_at(solver, row, key) for key in flow.target.path]
        whole = Port(flow.target.kind, flow.target.position, flow.target.names)
        found = solver.resolution.stored.columns.setdefault(record, [])
        found += [(value, under[0] if under else NONE) for value in port_values(solver, row, whole)]


def is_handle(flow: Recall) -> bool:
    """Whether a call returns what stands for a table, a model or a statement, and holds no data: ``-> ret[<rows>]``."""
    return any(key[:1] == "<" for key in flow.target.path)


def without(solver: Solver, move: Kept) -> int:
    """A value that is what is kept without the excluded keys: cells, each of which lacks one more of them."""
    value = move.value
    for key in move.excluded:
        cell = next(solver.models.cells, NONE)
        if cell == NONE:
            break
        put_at(solver, cell, move.value, NONE)
        solver.resolution.flows.kills.append((value, cell, key))
        value = cell
    return value


def declared(solver: Solver, value: int, move: Kept) -> int:
    """A cell for a field whose declaration says what it admits (``label/record_fields.py``), or that a method of its
    form checks together with others (``label/checked_fields.py``); or else ``value``.
    """
    cell = next(solver.models.cells, NONE) if move.declared or move.checking else NONE
    if cell == NONE:
        return value
    put_at(solver, cell, value, NONE)
    solver.resolution.flows.moves.append(Move(value, cell, move.take))
    if move.declared:
        solver.resolution.stored.declared_cells.append((cell, move.declared))
    if move.checking:
        solver.resolution.stored.checked_cells.append((cell, move.checking, move.put[-1]))
    return cell


def declarations(solver: Solver, form: int, record: int, name: int) -> tuple[int, ...]:
    """The calls that declare a field of a form, or else the column of the record, if they say what it admits."""
    for owner in (form, record):
        for each in solver.classes.lineage(owner) if owner != NONE else ():
            values = solver.classes.members.get(each, {}).get(name, ())
            if values:
                return tuple(values) if all(says_what_it_admits(solver, value) for value in values) else ()
    return ()


def says_what_it_admits(solver: Solver, value: int) -> bool:
    """Whether a call that declares a field is one that packs list so, or is given one, alone or in a list."""
    rep = solver.points.reps[value]
    if solver.op[rep] != CALL_OP:
        return False
    args, stores = solver.calls.args, solver.accesses
    given = [solver.points.reps[args.value[each]] for each in args.of(solver.data[rep])]
    given += [solver.points.reps[stores.store_value[row]] for each in given for row in stores.stores_of.get(each, ())]
    apis = solver.apis[solver.files.language_of(value)]
    calls = [solver.data[each] for each in (rep, *given) if solver.op[each] == CALL_OP]
    for call in calls:
        for node in solver.models.apis_called.get(call, ()):
            roles = apis.roles.get(node)
            if roles is not None and (
                roles.schemas.admits or any([args.at(call, port) for port in roles.schemas.choices])
            ):
                return True
    return False


def kept(solver: Solver, row: int, flow: Keep, table: Key) -> list[Kept]:
    """The values that the call ``row`` keeps in a table."""
    args = solver.calls.args
    found: list[Kept] = []
    named = tuple(args.keyword[each] for each in args.of(row) if args.keyword[each] != NONE)
    record = class_of(table)
    fields = fields_kept(solver, row, flow, record)
    for port in flow.kept:
        take = tuple(key_at(solver, row, key) for key in port.path)
        if port.kind in ("this", "ret"):
            for value in port_values(solver, row, port):
                if fields is None:
                    found.append(Kept(value, take))
                else:
                    found += [
                        Kept(value, (*take, name), (name,), (), each.tested, each.declared, checking=each.checking)
                        for name, each in fields.items()
                    ]
            continue
        for each in args.at(row, port):
            if port.under:
                name = key_at(solver, row, port.under)
                put: tuple[int, ...] = (field_meant(solver, record, name),) if name >= 0 else (name,)
            elif port.kind == "all" and args.keyword[each] != NONE:
                put = (args.keyword[each],)
            elif port.kind == "all" and not args.flags[each] & ArgumentFlag.SPREAD_KEYWORDS:
                continue
            else:
                put = ()
            for name, other in renamed(solver, args.value[each], record) if not put and not take else ():
                found.append(Kept(args.value[each], (name,), (other,)))
            is_spread = port.kind == "all" and not put
            found.append(Kept(args.value[each], take, put, named[:MAX_EXCLUDED_NAMES] if is_spread else ()))
    is_made = record << KIND_BITS | INSTANCE_OF in solver.points.states[solver.points.reps[solver.calls.result[row]]]
    return [each._replace(stored=is_made) for each in found] if is_made else found


def field_meant(solver: Solver, owner: int, name: int) -> int:
    """The field of a class that a column is, by its name without case and underscores; else the name itself."""
    wanted = plain(solver.strings[name])
    members = [
        each for of in (solver.classes.lineage(owner) if owner != NONE else ()) for each in members_of(solver, of)
    ]
    meant = [each for each in members if plain(solver.strings[each]) == wanted]
    return name if name in meant or not meant else meant[0]


def plain(name: str) -> str:
    """A name without case and underscores."""
    return name.replace("_", "").lower()


def members_of(solver: Solver, owner: int) -> Iterable[int]:
    return solver.classes.members.get(owner, {})


def renamed(solver: Solver, value: int, owner: int) -> list[tuple[int, int]]:
    """The columns in a table that a call is given, ``{"file_name": name}``, with the fields that they are."""
    states = solver.points.states[solver.points.reps[value]] if owner != NONE else ()
    names = {
        key: None
        for state in states
        if state & KIND == OBJECT
        for key in solver.points.keys_of.get(state, ())
        if key >= 0
    }
    meant = [(name, field_meant(solver, owner, name)) for name in names]
    return [(name, other) for name, other in meant if name != other]


def fields_kept(solver: Solver, row: int, flow: Keep, record: int) -> FieldsKept | None:
    """The names of the fields of a form or a serializer that the call ``row`` keeps in records of a class, whether
    a method of the form checks them, ``clean_url``, and what declares them, if that says what they admit in each form;
    None where it keeps whole records.

    They are those that the form lists or, if it does not list constants, the columns of the class. Fields that the form
    or the class declares to be of a clean type, or to be another record, hold no text.
    """
    if flow.fields is None:
        return None
    forms = [
        state >> KIND_BITS
        for value in with_viewed(solver, port_values(solver, row, flow.fields))
        for state in solver.points.states[solver.points.reps[value]]
        if state & KIND == INSTANCE_OF
    ]
    return fields_of(solver, forms, flow.fields.path, [port.path for port in flow.without], record)


def fields_of(
    solver: Solver, forms: Sequence[int], path: Sequence[str], without: Sequence[Sequence[str]], record: int
) -> FieldsKept:
    """The same for the classes of forms, which list the fields under a path, and others under some more."""
    names, checks = solver.program.intern, solver.strings
    found: FieldsKept = {}
    for form in dict.fromkeys(forms):
        listed = constants_in(solver, form, [names(key) for key in path])
        if listed is None:
            listed = columns(solver, record)
        left_out = [constants_in(solver, form, [names(key) for key in each]) or [] for each in without]
        kept_here = set(listed).difference(*left_out) if left_out else set(listed)
        own = [name for each in solver.classes.lineage(form) for name in solver.classes.members.get(each, {})]
        tested = {checks[name].partition("_")[2] for name in own}
        checking = (form,) if any(checks[name] in WHOLE_FORM_CHECKS for name in own) else ()
        for name in sorted(kept_here):
            if not holds_no_text(solver, form, name) and not holds_no_text(solver, record, name):
                said = declarations(solver, form, record, name)
                is_tested, forms = checks[name] in tested, checking
                if name in found:  # in another form
                    before = found[name]
                    said = (*before.declared, *said) if before.declared and said else ()
                    is_tested = before.tested or is_tested
                    forms = (*before.checking, *forms) if before.checking and forms else ()
                found[name] = FieldKept(is_tested, said, forms)
    return found


def constants_in(solver: Solver, owner: int, names: list[int]) -> list[int] | None:
    """The constants in the list under ``names``, one in the other, in a class; None if it is not one of constants."""
    found: list[int] = []
    values = member_values(solver, owner, names)
    for value in values:
        stores = solver.accesses.stores_of.get(solver.points.reps[value], ())
        texts = [constant(solver, solver.accesses.store_value[store]) for store in stores]
        if not texts or None in texts:
            return None
        found += [solver.program.intern(text) for text in texts if text is not None]
    return found if values else None


def columns(solver: Solver, owner: int) -> list[int]:
    """The names of the members of a class that calls declare: ``url = models.CharField()``."""
    if owner == NONE:
        return []
    return [
        name
        for each in solver.classes.lineage(owner)
        for name, values in solver.classes.members.get(each, {}).items()
        if any(solver.op[solver.points.reps[value]] == CALL_OP for value in values)
    ]


def holds_no_text(solver: Solver, owner: int, name: int) -> bool:
    """Whether a class declares a field to be of a clean type, or to be a record of another table."""
    for each in solver.classes.lineage(owner) if owner != NONE else ():
        values = solver.classes.members.get(each, {}).get(name, ())
        for value in values:
            apis, rep = solver.apis[solver.files.language_of(value)], solver.points.reps[value]
            called = solver.models.apis_called.get(solver.data[rep], ()) if solver.op[rep] == CALL_OP else ()
            if any(node in apis.roles and apis.roles[node].is_relation for node in called):
                return True
            for state in solver.points.states[rep]:
                if state & KIND == API and apis.paths[state >> KIND_BITS][-1:] == (INSTANCE,):
                    roles = apis.roles.get(apis.node(apis.paths[state >> KIND_BITS][:-1]))
                    if roles is not None and roles.clean_type:
                        return True
        if values:
            return False
    return False


def member_values(solver: Solver, owner: int, names: list[int]) -> list[int]:
    """What is declared under ``names``, one in the other, in a class."""
    for each in solver.classes.lineage(owner):
        values = solver.classes.members.get(each, {}).get(names[0], [])
        if values and len(names) == 1:
            return values
        for value in values:
            for state in solver.points.states[solver.points.reps[value]]:
                if state & KIND == CLASS:
                    return member_values(solver, state >> KIND_BITS, names[1:])
    return []


def stores_into(solver: Solver, owners: set[int]) -> dict[int, list[Kept]]:
    """What is stored in fields of instances of those classes whose library writes changed fields back."""
    writing = {owner for owner in owners if writes_back(solver, owner)}
    found: dict[int, list[Kept]] = {}
    if not writing:
        return found
    stores = solver.program.tables["stores"]
    rows = np.flatnonzero((stores["key"] >= 0) & (stores["value"] >= 0))
    columns: list[list[int]] = [stores[name][rows].tolist() for name in ("object", "key", "value")]
    for obj, key, value in zip(*columns, strict=True):
        for state in solver.points.states[solver.points.reps[obj]]:
            if state & KIND == INSTANCE_OF and state >> KIND_BITS in writing:
                found.setdefault(state >> KIND_BITS, []).append(Kept(value, (), (key,), stored=True))
    return found


def writes_back(solver: Solver, owner: int) -> bool:
    """Whether a library keeps what is stored in the fields of a class's instances."""
    value = int(solver.program.tables["owners"]["value"][owner])
    apis = solver.apis.get(solver.files.language_of(value))
    return apis is not None and any(
        node in apis.records
        for each in solver.classes.lineage(owner)
        for base in solver.classes.apis.get(each, ())
        for node in apis.expand(base)
    )


def place(solver: Solver, cell: int, table: Key, call: int) -> None:
    """Say what the cell of a table is called, and where it stands: at the class, or at a call that recalls records."""
    owners, owner = solver.program.tables["owners"], class_of(table)
    if owner != NONE:
        put_at(solver, cell, int(owners["value"][owner]), int(owners["name"][owner]))
        solver.resolution.stored.record_classes.add(owner)
    else:
        put_at(solver, cell, solver.calls.result[call], solver.program.intern(table[-1].removeprefix(IMPORTED)))
        if table[-1].startswith(IMPORTED):
            solver.resolution.stored.foreign_tables.add(cell)
    stored = solver.resolution.stored
    stored.tables[cell] = solver.strings[solver.data[cell]]
    stored.records[cell] = owner << KIND_BITS | INSTANCE_OF if owner != NONE else cell << KIND_BITS | OBJECT


def put_at(solver: Solver, cell: int, at: int, name: int) -> None:
    """Reports show the cell where the value ``at`` stands."""
    program = solver.program
    values: Any = program.tables["values"]
    for column in ("function", "start", "end"):
        values[column][cell] = values[column][at]
    if name != NONE:
        values["data"][cell] = solver.data[cell] = name
    program.file_of_value[cell] = solver.files.file_of[cell] = int(solver.files.file_of[at])
    program.original[cell] = program.original[at]
