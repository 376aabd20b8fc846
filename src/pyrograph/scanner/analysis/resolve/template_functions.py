"""The functions and methods that templates call: found by their names, and given parts of a template's values.

A function that a template calls is what the program keeps somewhere under its name, or registers with it, by a call or
a decorator: templates are the only place where names of such functions are texts. A field that is read is a method if
classes of the program have one of this name.

What is passed on is a part of the values, in the context of the call that fills the template: what a function makes of
it goes to the page, not to other callers of the function. Linear in the calls, the stores and the decorated
functions of the program, once, and in the calls of each template that is filled.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_CANDIDATES
from pyrograph.policy.names.functions import TEMPLATE_CONTEXTS
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, FUNCTION_OP
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, Move
from pyrograph.scanner.analysis.resolve.solver import Solver

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Call

Path = tuple[str | None, ...]
Named = dict[str, dict[int, None]]  # functions by the names that templates call them by
NOTHING: Final[dict[int, None]] = {}


class TemplateFunctions:
    """The functions and the methods of a program that some templates may call."""

    def __init__(self, solver: Solver, names: set[str]) -> None:
        self.solver = solver
        self.called: set[tuple[int, int]] = set()
        self.linked: set[tuple[int, int, Path]] = set()
        self.functions = functions_named(solver, names)
        self.methods = methods_named(solver, names)

    def link(self, row: int, call: Call, value: int, inside: Path) -> None:
        """A template that the call ``row`` fills calls a function, or reads a field that may be a method, with parts of
        what ``value`` holds under ``inside``.
        """
        solver = self.solver
        meant = self.meant(row, call)
        if meant and call.receiver is None:
            solver.resolution.flows.in_templates[row, call.name] = tuple(meant)
        for function in meant:
            if (row, function) not in self.called:
                self.called.add((row, function))
                solver.calls.targets.append((row, function))
            signature = solver.functions.signature(function)
            if call.receiver is not None:
                formal = solver.functions.receiver(function)
                for path in call.receiver if formal != NONE else ():
                    self.move(row, value, formal, inside + path, ())
            first = 1 if call.receiver is None and gets_context(solver, function) else 0
            for at, paths in enumerate(call.given, first):
                parameter = signature.by_position.get(at, signature.vararg)
                put = () if at in signature.by_position else (solver.number(at - signature.end),)
                for path in paths if parameter != NONE else ():
                    self.move(row, value, solver.functions.param_value[parameter], inside + path, put)

    def note_methods(self, row: int, call: Call) -> None:
        """Remember the methods that a template calls with nothing but their receiver, by the paths of their results."""
        for path in call.receiver or () if not call.given else ():
            meant = self.meant(row, call)
            if meant:
                self.solver.resolution.flows.methods_in_templates[row, (*path, call.name)] = tuple(meant)

    def meant(self, row: int, call: Call) -> list[int]:
        """The functions that a call in a template may mean; none if they are too many."""
        solver = self.solver
        language = solver.files.language_of(solver.calls.result[row])
        named = self.functions if call.receiver is None else self.methods
        found = [
            each
            for each in named.get(call.name, NOTHING)
            if solver.files.language_of(solver.functions.result[each]) == language
            and (call.receiver is None or takes(solver, each, len(call.given)))
        ]
        return found if len(found) <= MAX_CANDIDATES else []

    def move(self, row: int, value: int, target: int, path: Path, put: tuple[int, ...]) -> None:
        if (value, target, path) in self.linked:
            return
        self.linked.add((value, target, path))
        keys = tuple([UNKNOWN_KEY if key is None else self.solver.program.intern(key) for key in path])
        self.solver.resolution.flows.moves.append(Move(value, target, keys, put, site=row))


def takes(solver: Solver, function: int, given: int) -> bool:
    """Whether a method can be called with so many arguments."""
    signature = solver.functions.signature(function)
    return given == signature.end or (given > signature.end and signature.vararg != NONE)


def gets_context(solver: Solver, function: int) -> bool:
    """Whether a decorator lets the engine give a function something of its own before the arguments."""
    first = solver.functions.signature(function).by_position.get(0, NONE)
    name = solver.functions.param_name[first] if first != NONE else NONE
    return name != NONE and function in solver.calls.decorated and solver.strings[name] in TEMPLATE_CONTEXTS


def functions_named(solver: Solver, names: set[str]) -> Named:
    """The functions that the program registers under these names, or keeps under them in objects if no engine has a
    function of the name.
    """
    from pyrograph.parsers.templates import words

    found: Named = {}
    ids = solver.program.string_ids
    add_decorated(solver, names, found)
    texts = {ids[f"'{name}"]: name for name in names if f"'{name}" in ids}
    own = words.WITHOUT_BUILT_IN if not words.WITHOUT_BUILT_IN.isdisjoint(solver.files.languages) else frozenset[str]()
    keys = {ids[name]: name for name in names if name in ids and (own or name not in words.BUILT_IN)}
    kept: Named = {}
    calls = solver.calls
    for row in range(len(calls.result)) if texts or keys else ():
        given = list(calls.args.of(row))
        for each in given if keys else ():
            if calls.arg_keyword[each] in keys:
                add_functions(solver, solver.points.reps[calls.arg_value[each]], kept, keys[calls.arg_keyword[each]])
        for first, second in pairwise(given) if texts else ():
            node = solver.points.reps[calls.arg_value[first]]
            if solver.op[node] == CONST_OP and solver.data[node] in texts:
                add_functions(solver, solver.points.reps[calls.arg_value[second]], found, texts[solver.data[node]])
    for (_, key), node in solver.points.cells.items():
        if key in keys:
            add_functions(solver, node, kept, keys[key])
    stored = solver.accesses
    for key, value in zip(stored.store_key, stored.store_value, strict=True) if keys else ():
        if key in keys and value != NONE:
            add_functions(solver, solver.points.reps[value], kept, keys[key])
    for name, functions in kept.items():
        for each in functions:
            is_own = name not in words.BUILT_IN or solver.files.language_of(solver.functions.result[each]) in own
            if is_own:
                found.setdefault(name, {})[each] = None
    return found


def add_functions(solver: Solver, node: int, found: Named, name: str) -> None:
    for state in solver.points.states[node]:
        if state & KIND == FUNCTION:
            found.setdefault(name, {})[state >> KIND_BITS] = None


def add_decorated(solver: Solver, names: set[str], found: Named) -> None:
    """Functions that a library's decorator registers, ``@register.filter``: under their own name, or under a text that
    the decorator is given.
    """
    calls = solver.calls
    for function, rows in calls.decorated.items():
        for row in rows:
            if row in calls.bound:
                continue
            made = calls.callee[row]
            given = list(calls.args.of(solver.data[made])) if made != NONE and solver.op[made] == CALL_OP else []
            nodes = [solver.points.reps[calls.arg_value[each]] for each in given]
            texts = [solver.strings[solver.data[node]] for node in nodes if solver.op[node] == CONST_OP]
            own = [text[1:] for text in texts if text[:1] == "'"] or [solver.strings[solver.functions.name[function]]]
            for name in own:
                if name in names:
                    found.setdefault(name, {})[function] = None


def methods_named(solver: Solver, names: set[str]) -> Named:
    """The methods of the program's classes that have these names, properties among them."""
    ids = {solver.program.string_ids[name]: name for name in names if name in solver.program.string_ids}
    found: Named = {}
    for members in solver.classes.members.values():
        for key in members.keys() & ids.keys():
            for value in members[key]:
                method = solver.undecorated(value)
                if solver.op[method] == FUNCTION_OP:
                    found.setdefault(ids[key], {})[solver.data[method]] = None
    return found
