"""Calls that render an HTML template: values that the template writes without escaping are sinks."""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.policy.limits.labels import MAX_PASSING_CALLS, MAX_TEMPLATE_ALIASES
from pyrograph.rules.entries import Port, Rendering
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.label.labels import SinkRole, TemplatePlace
from pyrograph.scanner.analysis.label.shown_contents import contents, part_of
from pyrograph.scanner.analysis.label.template_names import members_around, name_of, names_of, owners_of
from pyrograph.scanner.analysis.resolve.filled_templates import ESCAPING, WRITING
from pyrograph.scanner.analysis.templates import Write

EVERYTHING: Final = (Write((), "", 0, 0, exact=False, guessed=False),)  # of a template that is not known


def render(facts: Facts, call: int, rendering: Rendering, text: str) -> bool:
    """Sinks among the arguments of a call that renders a template: the access paths that it writes without escaping.

    Returns whether callers pass some of the values, and name the template: then those are left out.
    """
    if rendering.shown:
        show_later(facts, call, rendering, text)
        return False
    methods = facts.resolution.flows.methods_in_templates
    decided = decided_by_callers(facts, call, rendering)
    if decided and decided.issuperset(values_of(facts, call, rendering)):
        return True  # so that it does not matter how many names there are
    for write in written_by(facts, call, rendering):
        if (call, write.path) in methods and not (write.called or write.guessed or rendering.low):
            results_shown(facts, methods[call, write.path], call, write, text)
        for row, path in shown_by(facts, call, rendering, write.path):
            value = facts.arg_value[row]
            if row not in decided and not facts.is_inert(value):
                place = int(facts.places.arg_start[row]), int(facts.places.arg_end[row])
                add(facts, value, place, path, call, rendering, write, text)
    return bool(decided)


def values_of(facts: Facts, call: int, rendering: Rendering) -> list[int]:
    """The arguments that hold the values of a template, without the receiver."""
    named = facts.args.at(call, rendering.name)
    ports = [port for port in rendering.values if port.kind != "this"]
    return [row for port in ports for row in facts.args.at(call, port) if row not in named]


def decided_by_callers(facts: Facts, call: int, rendering: Rendering) -> frozenset[int]:
    """The arguments with values that callers pass, who name the template, too (``passed_templates``): each caller
    decides which values go to which template. None where all callers name the same.
    """
    template = template_of(facts, call, rendering)
    if rendering.inline or template == NONE or facts.op[facts.rep[template]] != Op.PARAMETER:
        return frozenset()
    given = facts.calls.arguments_for(facts.rep[template])
    handed_on = any(facts.op[facts.rep[each]] == Op.PARAMETER for each in given)
    if not handed_on and len({name_of(facts, each) for each in given}) < 2:
        return frozenset()
    if len(facts.calls.calls_of(int(facts.function_of[facts.call_result[call]]))) > MAX_PASSING_CALLS:
        return frozenset()
    rows = values_of(facts, call, rendering)
    return frozenset([row for row in rows if facts.op[facts.rep[facts.arg_value[row]]] == Op.PARAMETER])


def show_later(facts: Facts, call: int, rendering: Rendering, text: str) -> None:
    """Sinks for what a call keeps for the next page, if a template of the program writes such texts as they are."""
    if "xss" not in facts.wanted.bits or facts.templates is None:
        return
    write = facts.templates.shows(rendering.engine, rendering.shown)
    if write is None:
        return
    place_in_template = TemplatePlace(write.file, write.start, write.end)
    low = rendering.low or write.guessed
    for port in rendering.values:
        for row in facts.args.at(call, port):
            value = facts.arg_value[row]
            if facts.is_inert(value):
                continue
            place = int(facts.places.arg_start[row]), int(facts.places.arg_end[row])
            file = int(facts.program.file_of_value[value])
            for bit in facts.wanted.bits["xss"]:
                sink = SinkRole(value, bit, text, file, *place, (), low, write.exact, False, place_in_template)
                facts.labels.sinks.append(sink)


def fill(facts: Facts, call: int, rendering: Rendering, value: int, text: str) -> None:
    """The same for a returned value, which goes to the template that the function's decorator ``call`` names."""
    for write in written_by(facts, call, rendering) if call != NONE else ():
        add(
            facts,
            value,
            (int(facts.places.start[value]), int(facts.places.end[value])),
            write.path,
            call,
            rendering,
            write,
            text,
        )


def fill_of_class(facts: Facts, function: int, rendering: Rendering, value: int, text: str) -> None:
    """The same for what a method returns: the classes that have it name the templates in their bodies."""
    if "xss" not in facts.wanted.bits or facts.templates is None or not rendering.name.path:
        return
    key = facts.program.string_ids.get(rendering.name.path[0], NONE)
    file = facts.program.files[int(facts.program.file_of_value[value])].path
    place = int(facts.places.start[value]), int(facts.places.end[value])
    writes: dict[Write, None] = {}
    for owner in owners_of(facts, function):
        named = next((m[key] for m in members_around(facts, owner) if m.get(key)), [])
        texts = [facts.constant(each) for each in named[-1:]]
        if texts and texts[0] is not None and texts[0][0] == "'":
            writes.update(dict.fromkeys(facts.templates.writes(texts[0][1:], rendering.engine, file)))
    for write in writes:
        add(facts, value, place, write.path, NONE, rendering, write, text)


def add(
    facts: Facts,
    value: int,
    place: tuple[int, int],
    path: tuple[str | None, ...],
    call: int,
    rendering: Rendering,
    write: Write,
    text: str,
) -> None:
    functions = facts.resolution.flows.in_templates.get((call, write.called), ()) if write.called else ()
    if functions and not rendering.low:
        results_shown(facts, functions, call, write, text)
        return
    keys = tuple([UNKNOWN_KEY if key is None else facts.program.intern(key) for key in path])
    file = int(facts.program.file_of_value[value])
    value, keys = part_of(facts, value, keys)
    low = rendering.low or write.guessed
    place_in_template = TemplatePlace(write.file, write.start, write.end)
    if rendering.inline and not write.file:  # where the template's text is made
        template = template_of(facts, call, rendering)
        path_of_text = facts.program.files[int(facts.program.file_of_value[template])].path
        place_in_template = TemplatePlace(
            path_of_text, int(facts.places.start[template]), int(facts.places.end[template])
        )
    held = contents(facts, value, keys) if write.exact else []
    for bit in facts.wanted.bits["xss"]:
        for below in ((), *held):
            role = SinkRole(value, bit, text, file, *place, (*keys, *below), low, write.exact, False, place_in_template)
            facts.labels.sinks.append(role)


def results_shown(facts: Facts, functions: tuple[int, ...], call: int, write: Write, text: str) -> None:
    """Sinks for what functions and methods of the program return, which a template calls and whose results it writes
    unescaped, ``{{ text|lines|safe }}``, ``{{ post.html|safe }}``: what they are given arrives by the template's call.
    """
    shown_by = ((call, TemplatePlace(write.file, write.start, write.end)),)
    for function in functions:
        for value, _ in facts.flows.origins_of(int(facts.tables["functions"]["result"][function])):
            if facts.is_inert(value):
                continue
            place = (
                int(facts.program.file_of_value[value]),
                int(facts.places.start[value]),
                int(facts.places.end[value]),
            )
            for bit in facts.wanted.bits["xss"]:
                facts.labels.sinks.append(SinkRole(value, bit, text, *place, (), False, shown_by=shown_by))


def merge_results(sinks: list[SinkRole]) -> list[SinkRole]:
    """The sinks, with one for each result that templates write (``results_shown``), whichever calls fill them."""
    merged: dict[SinkRole, dict[tuple[int, TemplatePlace], None]] = {}
    for sink in sinks:
        merged.setdefault(sink._replace(shown_by=()), {}).update(dict.fromkeys(sink.shown_by))
    return [sink._replace(shown_by=tuple(sorted(shown))) for sink, shown in merged.items()]


def written_by(facts: Facts, call: int, rendering: Rendering) -> tuple[Write, ...]:
    """The unescaped writes of the template that a call names by a constant text."""
    if "xss" not in facts.wanted.bits or facts.templates is None:
        return ()
    if rendering.engine == ESCAPING:  # what it writes into code
        return facts.resolution.written.get(call, ())
    if rendering.engine == WRITING:
        return facts.resolution.written.get(call, EVERYTHING)
    template = template_of(facts, call, rendering)
    if template == NONE:
        return ()
    file = facts.program.files[int(facts.places.file_of[facts.call_result[call]])].path
    if rendering.inline:
        text = facts.constant(template)
        return facts.templates.writes_of(text[1:], rendering.engine, file) if text and text[0] == "'" else ()
    names, passed = names_of(facts, template)
    if len(names) == 1:
        return facts.templates.writes(names[0], rendering.engine, file)
    found = [write for name in names for write in facts.templates.writes(name, rendering.engine, file)]
    if not passed:
        return tuple(dict.fromkeys(found))
    # a helper that gets the name as an argument: it is not known which values go to which template
    return tuple([write._replace(guessed=True, called="") for write in dict.fromkeys(found)])


def template_of(facts: Facts, call: int, rendering: Rendering) -> int:
    """The value that names a template, or NONE: the argument; for ``this[0]`` the one that the receiver, or what is
    called, was made with.
    """
    port = rendering.name
    rows = facts.args.at(call, port)
    if port.kind != "this" or port.path[:1] != ("0",):
        return facts.arg_value[rows[0]] if rows else NONE
    made = made_by(facts, facts.arg_value[rows[0]] if rows else facts.call_callee[call])
    if facts.op[made] != Op.CALL:
        return NONE
    rows = facts.args.at(facts.data[made], Port("position", 0))
    return facts.arg_value[rows[0]] if rows else NONE


def made_by(facts: Facts, value: int) -> int:
    """What a value is, through names that are given one thing only."""
    value = facts.rep[value]
    for _ in range(MAX_TEMPLATE_ALIASES):
        if value in facts.flows.captured and facts.op[value] == Op.PARAMETER:
            value = facts.rep[facts.flows.captured[value]]
        elif facts.op[value] in NAMED:
            origins = {facts.rep[origin] for origin in facts.flows.heap_in.get(value, ())} - {value}
            if len(origins) != 1:
                break
            value = origins.pop()
        else:
            break
    return value


def shown_by(
    facts: Facts, call: int, rendering: Rendering, path: tuple[str | None, ...]
) -> list[tuple[int, tuple[str | None, ...]]]:
    """The arguments in which a template looks for a value, each with the path in it."""
    found: list[tuple[int, tuple[str | None, ...]]] = []
    names = facts.args.at(call, rendering.name)
    for port in rendering.values:
        inside = tuple([key or None for key in port.path])
        for row in facts.args.at(call, port):
            keyword = facts.arg_keyword[row]
            if row in names or (port.kind == "all" and facts.arg_position[row] == RECEIVER):
                continue
            if port.kind != "all" or keyword == NONE:
                found.append((row, inside + path))
            elif path and path[0] == facts.program.strings[keyword]:
                found.append((row, path[1:]))
    return found
