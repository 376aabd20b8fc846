"""Calls that fill an HTML template: what it writes without escaping it makes the values that it is given sinks."""

from __future__ import annotations

from pyrograph.ir.unit import NONE, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.rules.entries import Port, Rendering
from pyrograph.scanner.label.facts import Facts
from pyrograph.scanner.label.labels import SinkRole, Written


def render(facts: Facts, call: int, rendering: Rendering, text: str) -> None:
    """What a template writes without escaping it makes the values that it is given sinks, in that part."""
    bit = facts.bits.get("xss")
    if bit is None or facts.templates is None:
        return
    names = facts.args.at(call, rendering.name)
    name = facts.constant(name_of(facts, names[0], rendering.name)) if names else None
    if name is None or name[:1] != "'":
        return
    file = facts.program.files[int(facts.file_of[facts.call_result[call]])].path
    for write in facts.templates.writes(name[1:], rendering.engine, file):
        written = Written(write.file, write.start, write.end)
        for row, path in shown_by(facts, call, rendering, names, write.path):
            value = facts.arg_value[row]
            if facts.is_inert(value):
                continue
            place = int(facts.program.file_of_value[value]), int(facts.arg_start[row]), int(facts.arg_end[row])
            keys = tuple([UNKNOWN_KEY if key is None else facts.program.intern(key) for key in path])
            low = rendering.low or write.guessed
            facts.labels.sinks.append(SinkRole(value, bit, text, *place, keys, low, write.exact, False, written))


def name_of(facts: Facts, row: int, port: Port) -> int:
    """The value of a template's name: the argument, or for ``this[0]`` the one that the receiver was made with."""
    value = facts.arg_value[row]
    rep = facts.rep[value]
    if port.kind == "this" and port.path[:1] == ("0",) and facts.op[rep] == Op.CALL:
        made = facts.args.at(facts.data[rep], Port("position", 0))
        return facts.arg_value[made[0]] if made else value
    return value


def shown_by(
    facts: Facts, call: int, rendering: Rendering, names: list[int], path: tuple[str | None, ...]
) -> list[tuple[int, tuple[str | None, ...]]]:
    """The arguments in which a template looks for a value, each with the path in it."""
    found: list[tuple[int, tuple[str | None, ...]]] = []
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
