"""Sinks of functions that fill the template which a caller names: ``show("page", title=x)``.

A helper hands the name of a template and the values for it on to the engine. What one caller passes goes to the
template that the same caller names, so that each call of the helper is looked at alone. The sink is the caller's
argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.policy.limits.labels import MAX_PASSED_DEPTH
from pyrograph.rules.entries import Rendering
from pyrograph.scanner.analysis.arguments import Passed
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole, TemplatePlace
from pyrograph.scanner.analysis.label.pages import template_of
from pyrograph.scanner.analysis.label.passed_arguments import Callers
from pyrograph.scanner.analysis.label.template_names import known_names
from pyrograph.scanner.analysis.templates import Write

Keys = tuple[str | None, ...]


def passed_templates(facts: Facts, helpers: Sequence[tuple[int, Rendering, str]]) -> None:
    """Sinks at the calls of helpers; ``helpers``: (call that fills a template, entry, API)."""
    callers = Callers(facts)
    for call, rendering, text in helpers if "xss" in facts.wanted.bits else ():
        name = Passed(template_of(facts, call, rendering), 0, NONE, 0, NONE)
        own = [
            Passed(facts.arg_value[row], facts.arg_position[row], facts.arg_keyword[row], facts.arg_flags[row], row)
            for row in facts.args.of(call)
            if facts.arg_position[row] != RECEIVER
        ]
        follow(facts, callers, call, name, own, rendering, text, MAX_PASSED_DEPTH)


def follow(
    facts: Facts,
    callers: Callers,
    call: int,
    name: Passed,
    arguments: Sequence[Passed],
    rendering: Rendering,
    text: str,
    depth: int,
) -> None:
    """Sinks at the calls of the function around ``call``, and where they name no template yet, further out."""
    file = facts.program.files[int(facts.places.file_of[facts.call_result[call]])].path
    for site in callers.of(facts.call_result[call]):
        named = callers.decided(site, [name])[0]
        decided = callers.decided(site, arguments)
        templates = known_names(facts, named.value) if named.moved else []
        if templates and facts.templates is not None:
            writes = [write for each in templates for write in facts.templates.writes(each, rendering.engine, file)]
            for write in dict.fromkeys(writes):
                for each, path in shown_of(facts, decided, rendering, write.path):
                    add_sink(facts, site, each, path, rendering, write, text)
        elif depth > 1 and named.moved:
            follow(facts, callers, site, named, decided, rendering, text, depth - 1)


def shown_of(facts: Facts, arguments: Sequence[Passed], rendering: Rendering, path: Keys) -> list[tuple[Passed, Keys]]:
    """The arguments of callers in which a template looks for a value, each with the path in it."""
    found: list[tuple[Passed, Keys]] = []
    names = facts.args.passed(arguments, rendering.name) if rendering.name.kind != "this" else []
    for port in rendering.values:
        if port.kind == "this":
            continue
        inside = tuple([key or None for key in port.path])
        for each in facts.args.passed(arguments, port):
            if not each.moved or each.row == NONE or each in names:
                continue
            if port.kind != "all" or each.keyword == NONE:
                found.append((each, inside + path))
            elif path and path[0] == facts.program.strings[each.keyword]:
                found.append((each, path[1:]))
    return found


def add_sink(facts: Facts, site: int, each: Passed, path: Keys, rendering: Rendering, write: Write, text: str) -> None:
    if facts.is_inert(each.value):
        return
    keys = tuple([UNKNOWN_KEY if key is None else facts.program.intern(key) for key in path])
    file = int(facts.program.file_of_value[each.value])
    start, end = int(facts.places.arg_start[each.row]), int(facts.places.arg_end[each.row])
    low = rendering.low or write.guessed
    place = TemplatePlace(write.file, write.start, write.end)
    for bit in facts.wanted.bits["xss"]:
        role = SinkRole(each.value, bit, text, file, start, end, keys, low, write.exact, False, place, site)
        facts.labels.sinks.append(role)
