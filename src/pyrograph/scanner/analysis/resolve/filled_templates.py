"""Templates call functions and methods of the program: ``{{lines .Text}}``, ``{{.Body}}``.

The template stands in a file or in a text, so nothing in the code calls ``lines``. Packs say which calls fill a
template (``[template]``, engines ``html-template`` and ``text-template``). Which template such a call fills follows
from the name that it is given; from the texts and names of files in the calls that made what it fills; else any
template of the program may be meant. A function that a template calls is what the program keeps somewhere under its
name, or registers with it: tables of such functions are the only place where names of functions are texts. A field
that is read is a method if classes of the program have one of this name.

What is passed on is a part of the values, in every calling context. Linear in the templates, and in the calls of each
that is filled.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import pairwise
from posixpath import basename, splitext
from typing import TYPE_CHECKING, Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_CANDIDATES, MAX_NAMES_BEFORE_CONSTANT
from pyrograph.policy.limits.templates import MAX_TEMPLATE_CALLS
from pyrograph.rules.entries import Rendering
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, FUNCTION_OP, LOAD_OP
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.template_calls import by_name, expanded
from pyrograph.scanner.analysis.templates import Templates, Write
from pyrograph.scanner.files.classify import TEMPLATES

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Call, Page
    from pyrograph.parsers.templates import Write as PageWrite

ESCAPING: Final = "html-template"
WRITING: Final = "text-template"
OPENING: Final = "{{"
Path = tuple[str | None, ...]


def link_templates(solver: Solver, templates: Templates | None) -> None:
    """Let data flow from what templates are given to the functions and methods that they call with it."""
    filling = list(calls_that_fill(solver)) if templates is not None else []
    if not filling or templates is None:
        return
    for engine in (ESCAPING, WRITING):
        calls = [each for each in filling if each[1].engine == engine]
        pages = templates.pages(engine) if calls else {}
        for text in solver.strings if calls else ():
            if text[:1] == "'" and OPENING in text:
                pages[text] = templates.page_of(text[1:], engine)
        linker = Linker(solver, pages) if calls else None
        for row, rendering in calls:
            if linker is not None:
                linker.fill(row, rendering)


def calls_that_fill(solver: Solver) -> list[tuple[int, Rendering]]:
    found: dict[tuple[int, Rendering], None] = {}
    for row, node in solver.resolution.api_calls:
        roles = solver.apis[solver.files.language_of(solver.calls.result[row])].roles.get(node)
        for rendering in roles.renderings if roles is not None else ():
            if rendering.engine in (ESCAPING, WRITING):
                found[row, rendering] = None
    return list(found)


class Linker:
    def __init__(self, solver: Solver, pages: dict[str, Page]) -> None:
        """``pages`` by the path of a file, or by the text in the program, behind a quote."""
        self.solver = solver
        self.pages = pages
        self.named = by_name(pages)
        self.expanded: dict[
            int, tuple[dict[Call, None], list[tuple[Page, PageWrite]]]
        ] = {}  # by the identity of a page
        self.path_of = {
            id(each): path if path[:1] != "'" else ""
            for path, page in pages.items()
            for each in (page, *(macro.page for macro in page.macros.values()))
        }
        self.called: set[tuple[int, int]] = set()
        self.linked: set[tuple[int, int, Path]] = set()
        names = {call.name for page in self.all_pages() for call in page.calls}
        self.functions = functions_named(solver, names)
        self.methods = methods_named(solver, names)

    def all_pages(self) -> list[Page]:
        return [
            each for page in self.pages.values() for each in (page, *(macro.page for macro in page.macros.values()))
        ]

    def fill(self, row: int, rendering: Rendering) -> None:
        calls: dict[Call, None] = {}
        writes: dict[Write, None] = {}
        pages = self.filled_by(row, rendering)
        for page in pages or self.all_pages():
            known = self.expanded.get(id(page))
            if known is None:
                known = self.expanded[id(page)] = expanded(page, self.named)
            calls.update(known[0])
            for inner, each in known[1]:
                place = self.path_of.get(id(inner), "")
                writes[Write(each.path, place, each.start, each.end, each.exact, each.guessed)] = None
        if rendering.engine == WRITING and pages:
            self.solver.resolution.written[row] = tuple(writes)
        for call in list(calls)[:MAX_TEMPLATE_CALLS]:
            for port in rendering.values:
                inside = tuple([key or None for key in port.path])
                for value in port_values(self.solver, row, port):
                    self.link(row, value, inside, call)

    def filled_by(self, row: int, rendering: Rendering) -> list[Page]:
        """The templates that a call fills; none if it is not known which."""
        solver = self.solver
        values = port_values(solver, row, rendering.name)
        if rendering.name.kind != "this":
            names = [text for value in values if (text := constant(solver, value)) is not None]
            last = basename(names[0]) if names else ""
            return (
                self.named.get(names[0], self.named.get(last, self.named.get(splitext(last)[0], []))) if names else []
            )
        texts = [text for value in values for text in texts_in_making(solver, value)]
        found = [self.pages[f"'{text}"] for text in texts if f"'{text}" in self.pages]
        for text in texts:
            if OPENING not in text and splitext(text)[1].lower() in TEMPLATES:
                found += [page for path, page in self.pages.items() if fnmatchcase(basename(path), basename(text))]
        return found

    def link(self, row: int, value: int, inside: Path, call: Call) -> None:
        """A template that ``value`` fills calls a function, or reads a field that may be a method."""
        solver = self.solver
        language = solver.files.language_of(solver.calls.result[row])
        found = self.functions if call.receiver is None else self.methods
        functions = [
            each
            for each in found.get(call.name, ())
            if solver.files.language_of(solver.functions.result[each]) == language
            and (call.receiver is None or takes(solver, each, len(call.given)))
        ]
        if len(functions) > MAX_CANDIDATES:
            return
        for function in functions:
            if (row, function) not in self.called:
                self.called.add((row, function))
                solver.calls.targets.append((row, function))
            signature = solver.functions.signature(function)
            if call.receiver is not None:
                formal = solver.functions.receiver(function)
                for path in call.receiver if formal != NONE else ():
                    self.move(value, formal, inside + path, ())
            for at, paths in enumerate(call.given):
                parameter = signature.by_position.get(at, signature.vararg)
                put = () if at in signature.by_position else (solver.number(at - signature.end),)
                for path in paths if parameter != NONE else ():
                    self.move(value, solver.functions.param_value[parameter], inside + path, put)

    def move(self, value: int, target: int, path: Path, put: tuple[int, ...]) -> None:
        if (value, target, path) in self.linked:
            return
        self.linked.add((value, target, path))
        keys = tuple([UNKNOWN_KEY if key is None else self.solver.program.intern(key) for key in path])
        self.solver.resolution.moves.append((value, target, keys, put, 0))


def takes(solver: Solver, function: int, given: int) -> bool:
    """Whether a method can be called with so many arguments."""
    signature = solver.functions.signature(function)
    return given == signature.end or (given > signature.end and signature.vararg != NONE)


def texts_in_making(solver: Solver, value: int) -> list[str]:
    """The constant texts in the calls that made a template: ``Must(New("page").Funcs(f).Parse("..."))``.

    The outermost calls come first; bounded by ``MAX_NAMES_BEFORE_CONSTANT`` calls in calls.
    """
    found: list[str] = []
    work = [(value, MAX_NAMES_BEFORE_CONSTANT)]
    while work:
        each, depth = work.pop(0)
        known = definition(solver, each, MAX_NAMES_BEFORE_CONSTANT)
        node = solver.points.reps[each]
        if known == NONE and solver.op[node] == LOAD_OP:  # of several results
            known = solver.points.reps[solver.accesses.load_object[solver.data[node]]]
        if known == NONE:
            continue
        if solver.op[known] == CONST_OP:
            text: str = solver.strings[solver.data[known]]
            if text[:1] == "'":
                found.append(text[1:])
        elif solver.op[known] == CALL_OP and depth:
            row = solver.data[known]
            work += [(solver.calls.arg_value[a], depth - 1) for a in solver.calls.args.of(row)]
    return found


def functions_named(solver: Solver, names: set[str]) -> dict[str, list[int]]:
    """The functions that the program keeps under these names in objects, or passes to a call behind the name."""
    ids = {solver.program.string_ids[name]: name for name in names if name in solver.program.string_ids}
    found: dict[str, list[int]] = {}
    for (_, key), node in solver.points.cells.items():
        if key in ids:
            add_functions(solver, node, found.setdefault(ids[key], []))
    texts = {solver.program.string_ids[f"'{name}"]: name for name in names if f"'{name}" in solver.program.string_ids}
    calls = solver.calls
    for row in range(len(calls.result)) if texts else ():
        given = list(calls.args.of(row))
        for first, second in pairwise(given):
            node = solver.points.reps[calls.arg_value[first]]
            if solver.op[node] == CONST_OP and solver.data[node] in texts:
                other = solver.points.reps[calls.arg_value[second]]
                add_functions(solver, other, found.setdefault(texts[solver.data[node]], []))
    return found


def add_functions(solver: Solver, node: int, found: list[int]) -> None:
    for state in solver.points.states[node]:
        function = state >> KIND_BITS
        if state & KIND == FUNCTION and function not in found:
            found.append(function)


def methods_named(solver: Solver, names: set[str]) -> dict[str, list[int]]:
    """The methods of the program's classes that have these names."""
    ids = {solver.program.string_ids[name]: name for name in names if name in solver.program.string_ids}
    found: dict[str, list[int]] = {}
    for members in solver.classes.members.values():
        for key in members.keys() & ids.keys():
            for value in members[key]:
                function = solver.data[value]
                if solver.op[value] == FUNCTION_OP and function not in found.setdefault(ids[key], []):
                    found[ids[key]].append(function)
    return found
