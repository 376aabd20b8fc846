"""Files of the program: what one function writes into a file, another one reads from it.

``fs.writeFile(path.join(dir, "notes.json"), JSON.stringify(notes))`` and ``readFile(FILE)`` concern one file if the
last parts of their paths are the same constant. Packs say with ``file`` in the key of ``keep`` and ``recall`` which
calls write a file, and which ones read one. A function of the program that is given a path, ``load(FILE)``, reads that
file at each of its calls; one that is given a path and something else writes that. What JSON was made of lies in the
file under a hidden key, so that its fields keep their names; calls that decode JSON take it from there. A name that
more than ``MAX_FILE_CALLS`` calls share, ``index.html``, names no file. Linear in these calls, times bounds.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, ArgumentFlag
from pyrograph.policy.limits.resolution import (
    MAX_FILE_CALLS,
    MAX_FILE_FUNCTIONS,
    MAX_FILE_NAMES,
    MAX_FILE_STEPS,
    MAX_NAMES_BEFORE_CONSTANT,
)
from pyrograph.rules.entries import Keep, Port, Recall
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, EXPRESSION_OP, LOAD_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.computed_imports import put_together, same_values
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.handed_statements import Behind
from pyrograph.scanner.analysis.resolve.ports import key_at, port_values, target_values
from pyrograph.scanner.analysis.resolve.records import apis_called, cell_of, put_at
from pyrograph.scanner.analysis.resolve.resolution import Move
from pyrograph.scanner.analysis.resolve.solver import Solver

HOLE: Final = "\0"
JSON: Final = "\0<json>"  # in the cell of a file: what JSON was made of, by fields
TEXT: Final = "\0<text>"  # what was written as it is
ANY_NAME: Final = "*"  # files of one kind, each named by what the program is given: ``notes/*.txt``
SUFFIX: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}")
FOLDER: Final = re.compile(r"[\w \-.]{0,80}")
FILE_NAME: Final = re.compile(r"\w[\w \-.]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}")

Path = tuple[int, ...]


class Kept(NamedTuple):
    """A value lies in a file, taken out of ``take``, under ``put``."""

    value: int
    take: Path
    put: Path


class Read(NamedTuple):
    """What lies in a file under ``take`` arrives at a value, under ``put``."""

    value: int
    take: Path
    put: Path


def link_files(solver: Solver) -> None:
    """Let data flow from what calls write into files to what others read from them."""
    calls = solver.models.file_calls
    if not any(isinstance(flow, Keep) for _, flow in calls) or not any(isinstance(flow, Recall) for _, flow in calls):
        return
    names = Names(solver)
    kept: dict[str, dict[Kept, None]] = {}
    read: dict[str, dict[Read, None]] = {}
    for row, flow in calls:
        for value in port_values(solver, row, flow.key[0].port):
            found = names.of(value)
            for name in found.texts:
                if isinstance(flow, Keep):
                    kept.setdefault(name, {}).update(dict.fromkeys(written(solver, row, flow)))
                else:
                    read.setdefault(name, {}).update(dict.fromkeys(arriving(solver, row, flow)))
            for site, port, text in names.handed(found.parameters):
                if isinstance(flow, Keep):
                    kept.setdefault(text, {}).update(dict.fromkeys(written_by(solver, site, port)))
                else:
                    read.setdefault(text, {}).update(dict.fromkeys(arriving_at(solver, site, port)))
    moves = solver.resolution.flows.moves
    for name, stored in kept.items():
        places = read.get(name, {})
        if not places or max(len(stored), len(places)) > MAX_FILE_CALLS:
            continue
        cell = cell_of(solver, ("file", name))
        if cell == NONE:
            continue
        put_at(solver, cell, next(iter(places)).value, solver.program.intern(name))
        solver.resolution.stored.files[cell] = name
        moves += [Move(each.value, cell, each.take, each.put) for each in stored]
        moves += [Move(cell, each.value, each.take, each.put) for each in places]


def written(solver: Solver, row: int, flow: Keep) -> list[Kept]:
    """What the call ``row`` of a library writes: what it, or another call, makes JSON of, or a text."""
    json, text = solver.program.intern(JSON), solver.program.intern(TEXT)
    found: list[Kept] = []
    for port in flow.kept:
        for value in port_values(solver, row, port):
            made = [value] if is_json(flow) else encoded(solver, value)
            found += [Kept(each, (), (json,)) for each in made] or [Kept(value, (), (text,))]
    return found


def is_json(flow: Keep | Recall) -> bool:
    """Whether a call itself makes JSON, or reads it: ``files[file 0, 'json']``."""
    return len(flow.key) > 1


def encoded(solver: Solver, value: int) -> list[int]:
    """What the call that made a text of JSON was given, if one did."""
    node = solver.points.reps[value]
    same = same_values(solver)
    for _ in range(MAX_FILE_NAMES):  # one of several results, converted, chosen where an error is tested
        if solver.op[node] == LOAD_OP:
            node = solver.points.reps[solver.accesses.load_object[solver.data[node]]]
        elif solver.op[node] not in (CALL_OP, CONST_OP):
            before = [solver.points.reps[each] for each in same.before(node)]
            if len(before) != 1:
                break
            node = before[0]
        else:
            break
    if solver.op[node] != CALL_OP:
        return []
    row, apis = solver.data[node], solver.apis.get(solver.files.language_of(node))
    for api in apis_called(solver).get(row, ()) if apis is not None else ():
        roles = apis.roles.get(api) if apis is not None else None
        if roles is not None and roles.exchanges.encodes:
            return [each for port in roles.exchanges.encodes for each in port_values(solver, row, port)]
    return []


def arriving(solver: Solver, row: int, flow: Recall) -> list[Read]:
    """Where the call ``row`` of a library puts what it reads."""
    path = tuple(key_at(solver, row, key) for key in flow.target.path)
    whole = Port(flow.target.kind, flow.target.position, flow.target.names)
    take = (solver.program.intern(JSON if is_json(flow) else TEXT),)
    return [Read(value, take, path) for value in target_values(solver, row, whole)]


def written_by(solver: Solver, site: int, path: Port) -> list[Kept]:
    """What a call of a function of the program writes that is given a path: its other arguments, as text or JSON."""
    found: list[Kept] = []
    json, text = solver.program.intern(JSON), solver.program.intern(TEXT)
    paths = set(solver.calls.args.at(site, path))
    for each in solver.calls.args.of(site):
        value = solver.calls.arg_value[each]
        is_own = each in paths or solver.calls.args.position[each] == RECEIVER
        if not is_own and solver.op[solver.points.reps[value]] != CONST_OP:
            found += [Kept(value, (), (text,)), Kept(value, (), (json,))]
    return found


def arriving_at(solver: Solver, site: int, path: Port) -> list[Read]:
    """Where a call of a function of the program puts what it reads from a path: its result, one of several results,
    or an object that it is given to fill.
    """
    json, text = solver.program.intern(JSON), solver.program.intern(TEXT)
    result = solver.calls.result[site]
    found = [Read(result, (json,), ()), Read(result, (text,), ())]
    if not solver.files.traits_of(result).declared_types_hold:
        return found
    found += [Read(result, take, (solver.program.intern("0"),)) for take in ((json,), (text,))]
    paths = set(solver.calls.args.at(site, path))
    for each in solver.calls.args.of(site):
        post = solver.calls.arg_post[each]
        if post != NONE and each not in paths and solver.calls.args.position[each] != RECEIVER:
            found.append(Read(post, (json,), ()))
    return found


class Found(NamedTuple):
    texts: list[str]
    parameters: list[int]  # rows of those that the path is


class Names:
    """The names of the files that paths lead to."""

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.behind = Behind(solver)
        self.known: dict[int, Found] = {}
        flows = solver.program.tables["flows"]
        self.rows = RowsByKey(solver.points.rep[flows["target"]])
        self.origin = flows["origin"]
        self.left = 0  # values that may still be looked through for one path
        # what is stored in fields, by the file and the name; once one is asked for
        self.fields: dict[tuple[int, int], list[int]] | None = None
        self.functions: dict[int, list[int]] = {}  # functions of the program that a call runs
        for function, sites in self.behind.sites.items():
            for site in sites:
                self.functions.setdefault(site, []).append(function)

    def of(self, value: int) -> Found:
        """The constant names that a path may end with, and the parameters that it may be; neither if they are many."""
        node = self.solver.points.reps[value]
        known = self.known.get(node)
        if known is None:
            self.left = MAX_FILE_STEPS
            texts: dict[str, None] = {}
            parameters: dict[int, None] = {}
            self.search(node, texts, parameters)
            few = len(texts) <= MAX_FILE_NAMES
            known = self.known[node] = Found(list(texts) if few else [], list(parameters) if few else [])
        return known

    def search(self, node: int, texts: dict[str, None], parameters: dict[int, None]) -> None:
        """Look through what a path was made of, to the bound; the end of a path is the end of its last part."""
        solver, reps = self.solver, self.solver.points.reps
        work = [node]
        for each in work:  # grows by values that are new in it, to the bound
            self.left -= 1
            if self.left < 0:
                return
            text = put_together(solver).get(each)
            if text is None:
                text = constant(solver, each)
            if text is not None:
                name = file_name(text)
                if name is not None:
                    texts[name] = None
                    continue
                if not text.endswith(HOLE):
                    continue
            op = solver.op[each]
            further: list[int] = []
            if op == CALL_OP:
                further = self.part_of_call(solver.data[each])
            elif text is not None or op == EXPRESSION_OP:
                further = self.origin[self.rows.of(each)].tolist()[-1:]
            elif op == PARAMETER_OP and solver.data[each] != NONE:
                parameters[solver.data[each]] = None
                further = self.behind.same.before(each)
            else:
                outer = self.behind.same.outer.get(each)
                further = [outer] if outer is not None else list(self.behind.same.before(each))
                further = further or self.meant(each)
            for one in further:
                if reps[one] not in work:
                    work.append(reps[one])

    def part_of_call(self, row: int) -> list[int]:
        """What a call is made of that may be the end of a path: the result of a function of the program, or of what a
        library is given the last that names a file, or else the last.
        """
        solver = self.solver
        functions = self.functions.get(row, ())
        if functions:
            return [solver.functions.result[each] for each in functions[:MAX_FILE_NAMES]]
        given = [
            solver.calls.arg_value[each]
            for each in solver.calls.args.of(row)
            if not solver.calls.args.flags[each] & (ArgumentFlag.SPREAD | ArgumentFlag.SPREAD_KEYWORDS)
        ]
        receiver = solver.calls.receiver[row]
        if receiver != NONE and receiver not in given:
            given.insert(0, receiver)
        for value in reversed(given):
            text = constant(solver, value)
            if text is None or file_name(text) is not None:
                return [value]
        return []

    def meant(self, node: int) -> list[int]:
        """What a name or a member stands for: its definition, the call of which it is one of several results, or what
        is stored in the field of this name in the same file, ``self.path``.
        """
        solver = self.solver
        found = definition(solver, node, MAX_NAMES_BEFORE_CONSTANT)
        if found not in (NONE, node):
            return [found]
        if solver.op[node] != LOAD_OP:
            return []
        row = solver.data[node]
        key, file = solver.accesses.load_key[row], int(solver.files.file_of[node])
        holder = solver.points.reps[solver.accesses.load_object[row]]
        if solver.op[holder] == CALL_OP:
            return [holder]
        if self.fields is None:
            self.fields = {}
            for at, name in enumerate(solver.accesses.store_key):
                value = solver.accesses.store_value[at]
                if name >= 0 and value >= 0:
                    self.fields.setdefault((int(solver.files.file_of[value]), name), []).append(value)
        stored = self.fields.get((file, key), []) if key >= 0 else []
        return stored if len(stored) <= MAX_FILE_NAMES else []

    def handed(self, parameters: list[int]) -> list[tuple[int, Port, str]]:
        """The calls of functions that give paths to them, where they give them, and the names of the files."""
        found: list[tuple[int, Port, str]] = []
        work = [(each, 0) for each in parameters]
        seen = set(parameters)
        for parameter, depth in work:  # grows by parameters that are new, to a bound of depth
            port = self.behind.port(parameter)
            for site in self.behind.sites.get(self.solver.functions.param_function[parameter], ()):
                for value in port_values(self.solver, site, port):
                    given = self.of(value)
                    found += [(site, port, text) for text in given.texts]
                    for each in given.parameters if depth < MAX_FILE_FUNCTIONS else ():
                        if each not in seen:
                            seen.add(each)
                            work.append((each, depth + 1))
        return found


def file_name(text: str) -> str | None:
    """The name of the file that a path leads to, if its last part is constant, or ends so: ``\\0/notes.json``.

    >>> file_name("\\0/data/notes.json"), file_name("\\0notes.json"), file_name("utf8")
    ('notes.json', 'notes.json', None)
    >>> file_name("\\0.txt"), file_name("\\0/notes/\\0.md"), file_name("\\0/\\0.md")
    ('*.txt', 'notes/*.md', '*.md')
    """
    before, _, last = text.replace("\\", "/").rpartition("/")
    named = last.lstrip(HOLE)
    if named != last and SUFFIX.fullmatch(named) is not None:
        folder = before.rpartition("/")[2].lstrip(HOLE)
        return f"{folder}/{ANY_NAME}{named}".lower().removeprefix("/") if FOLDER.fullmatch(folder) is not None else None
    return named.lower() if FILE_NAME.fullmatch(named) is not None else None
