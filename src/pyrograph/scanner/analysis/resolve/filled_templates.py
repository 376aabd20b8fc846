"""Templates call functions and methods of the program: ``{{lines .Text}}``, ``{{.Body}}``.

The template stands in a file or in a text, so nothing in the code calls ``lines``. Packs say which calls fill a
template (``[template]``). Which template such a call fills follows from the name that it is given; in Go
(``html-template`` and ``text-template``) also from the texts and names of files in the calls that made what it fills;
else any template of the program may be meant there. Linear in the templates, and in the calls of each that is filled.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from posixpath import basename, splitext
from typing import TYPE_CHECKING, Final

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.policy.limits.templates import MAX_TEMPLATE_CALLS
from pyrograph.rules.entries import Rendering
from pyrograph.scanner.analysis.numbers import CALL_OP, CONST_OP, LOAD_OP, PARAMETER_OP, SAME_FLOW
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.inlined_data import Inlined
from pyrograph.scanner.analysis.resolve.ports import port_values
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.template_functions import TemplateFunctions
from pyrograph.scanner.analysis.template_calls import by_name, expanded
from pyrograph.scanner.analysis.templates import Templates, Write
from pyrograph.scanner.files.classify import TEMPLATES

if TYPE_CHECKING:
    from pyrograph.parsers.templates import Call, Page
    from pyrograph.parsers.templates import Write as PageWrite

ESCAPING: Final = "html-template"
WRITING: Final = "text-template"
OPENING: Final = "{{"


def link_templates(solver: Solver, templates: Templates | None) -> None:
    """Let data flow from what templates are given to the functions and methods that they call with it."""
    filling = list(calls_that_fill(solver)) if templates is not None else []
    if not filling or templates is None:
        return
    inlined = Inlined(solver, templates)
    if inlined.tags:
        link_inlined(solver, templates, filling, inlined)
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
    others = [each for each in filling if each[1].engine not in (ESCAPING, WRITING)]
    fill_pages(solver, [(row, each, calls_of(solver, templates, row, each)) for row, each in others])


def link_inlined(solver: Solver, templates: Templates, filling: list[tuple[int, Rendering]], inlined: Inlined) -> None:
    """Let data flow from what templates are given to their own scripts."""
    for row, rendering in filling:
        if rendering.inline or not rendering.values:
            continue
        near = solver.program.files[int(solver.files.file_of[solver.calls.result[row]])].path
        names = [text for text in texts_of(solver, row, rendering) if text is not None and OPENING not in text]
        found = [templates.find(name[1:] if name[:1] == "'" else name, rendering.engine, near) for name in names]
        for path in dict.fromkeys(found):
            for each in templates.shown_with(path, rendering.engine) if path is not None else ():
                inlined.fill(row, rendering, each)


def texts_of(solver: Solver, row: int, rendering: Rendering) -> list[str | None]:
    """The names or the texts of the templates that a call may fill; None for one that is not constant."""
    port = rendering.name
    return [
        text
        for value in port_values(solver, row, port)
        for text in (texts_in_making(solver, value) if port.kind == "this" else [name_of(solver, value)])
    ]


def calls_of(solver: Solver, templates: Templates, row: int, rendering: Rendering) -> tuple[Call, ...]:
    """What the template calls that a call fills, if its name or its text is constant."""
    texts = texts_of(solver, row, rendering)
    if not texts or texts[0] is None:
        return ()
    if rendering.inline:
        return templates.calls_of(texts[0], rendering.engine)
    file = solver.program.files[int(solver.files.file_of[solver.calls.result[row]])].path
    return templates.calls(texts[0], rendering.engine, file)


def name_of(solver: Solver, value: int) -> str | None:
    """A constant text, or that which is the default of a parameter."""
    node = solver.points.reps[value]
    if solver.op[node] != PARAMETER_OP:
        return constant(solver, value)
    flows = solver.program.tables["flows"]
    defaults = flows["origin"][(flows["target"] == node) & (flows["kind"] == SAME_FLOW)].tolist()
    return constant(solver, defaults[0]) if len(defaults) == 1 else None


def fill_pages(solver: Solver, filled: list[tuple[int, Rendering, tuple[Call, ...]]]) -> None:
    """The same for other engines, whose templates are found by their names: they are given values by name."""
    names = {call.name for _, _, calls in filled for call in calls}
    if not names:
        return
    functions = TemplateFunctions(solver, names)
    for row, rendering, calls in filled:
        for call in calls:
            functions.note_methods(row, call)
        for port in rendering.values:
            inside = tuple([key or None for key in port.path])
            for argument in solver.calls.args.at(row, port):
                keyword = solver.calls.arg_keyword[argument] if port.kind == "all" else NONE
                value = solver.calls.arg_value[argument]
                if keyword == NONE:
                    for call in calls:
                        functions.link(row, call, value, inside)
                    continue
                name = solver.strings[keyword]
                for call in calls:
                    functions.link(row, below(call, name), value, ())


def below(call: Call, name: str) -> Call:
    """A call in a template, in what one of the template's values holds."""
    given = tuple([tuple([path[1:] for path in paths if path[:1] == (name,)]) for paths in call.given])
    receiver = None if call.receiver is None else tuple([path[1:] for path in call.receiver if path[:1] == (name,)])
    return replace(call, given=given, receiver=receiver)


def calls_that_fill(solver: Solver) -> list[tuple[int, Rendering]]:
    found: dict[tuple[int, Rendering], None] = {}
    for row, node in solver.resolution.api_calls:
        roles = solver.apis[solver.files.language_of(solver.calls.result[row])].roles.get(node)
        for rendering in roles.renderings if roles is not None else ():
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
        names = {call.name for page in self.all_pages() for call in page.calls}
        self.functions = TemplateFunctions(solver, names)

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
                writes[Write(each.path, place, each.start, each.end, each.exact, each.guessed, each.called)] = None
        if pages:
            self.solver.resolution.written[row] = tuple(writes)
        for call in list(calls)[:MAX_TEMPLATE_CALLS]:
            for port in rendering.values:
                inside = tuple([key or None for key in port.path])
                for value in port_values(self.solver, row, port):
                    self.functions.link(row, call, value, inside)

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
