"""The two lines: what on them is untrusted, and what is a sink."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.scanner.analysis.label import SinkRole, SourceRole
from pyrograph.scanner.diagnose.answer import Line, Stop, Unanswerable
from pyrograph.scanner.diagnose.question import Question

# What a line's own values are: what is read, called or made there, not what is only mentioned.
OWN = (Op.PARAMETER, Op.EXPRESSION, Op.CALL, Op.LOAD, Op.NEW, Op.EXCEPTION)
CALLED = re.compile(r"[\w\])]\s*\(")
KEYWORD = re.compile(r"\b(?:if|while|for|switch|return|catch|with|and|or|not|in|def|func|function|elif)\s*\(")
DECLARED = re.compile(
    r"(?:export |default |async |static |public |private |protected |@)*(?:def|func|function|class|type"
    r"|interface|import|from|package|var|const|let)\b|[\])}]"
)


def sources_on(q: Question, at: Line) -> tuple[list[SourceRole] | Stop, str]:
    """The sources of a line, or else all of its own values; and what to say of them."""
    span = q.span(at)
    values = q.on(span)
    known = set(values)
    roles = [role for role in q.labels.sources if role.value in known]
    if roles:
        named = ", ".join(
            f"`{api}` ({kind}{'' if kind in q.kinds else f': only with --threat-model {kind}'})"
            for api, kind in dict.fromkeys((role.api, role.kind) for role in roles)
        )
        return roles, f"source: {named}"
    own = [value for value in values if is_own(q, value)]
    if own:
        what = what_is_called(q, own) or f"`{q.text(own[0])}`"
        note = f"no rule names a source on this line; its values are treated as untrusted: {what}"
        return [SourceRole(value, "http", q.text(value)) for value in own], note
    stop = lifeless(q, span, at)
    return stop, f"no source on this line: {stop.message}"


def is_own(q: Question, value: int) -> bool:
    return bool(q.op[value] in OWN and not (q.op[value] == Op.PARAMETER and q.data[value] == NONE))


def lifeless(q: Question, span: tuple[int, int, int], at: Line) -> Stop:
    """Why nothing on a line is data."""
    number, first, last = span
    place = q.texts.place(number, first, last, one_line=True)
    values = q.on(span)
    constants = [value for value in values if q.op[value] == Op.CONST]
    if constants:
        return Stop("constant", q.place(constants[0]), f"`{q.text(constants[0])}` is a constant")
    text = q.texts.text(number, first, last, 10_000)
    if not values and not is_part(q, span) and not DECLARED.match(text) and CALLED.search(KEYWORD.sub("", text)):
        message = "this line never runs: an enclosing condition is constant, or the code before it does not return"
        return Stop("branch", place, message)
    raise Unanswerable(
        f"{at.path}:{at.line}: no value begins on this line: it reads no field or element, creates no object and calls "
        "nothing; name the line that reads the value, or the call that receives it"
    )


def is_part(q: Question, span: tuple[int, int, int]) -> bool:
    """Whether something goes on here that began before, in the same function: a long text, a chain of calls."""
    number, first, _ = span
    file = q.program.files[number]
    functions = q.tables["functions"]
    in_file = q.program.file_of_value[functions["result"]] == number
    around = in_file & (functions["start"] < first) & (functions["end"] > first)
    innermost = max(functions["start"][around].tolist(), default=-1)
    rows = slice(file.first, file.last)
    begun = (q.start[rows] > innermost) & (q.start[rows] < first) & (q.end[rows] > first)
    return bool((begun & np.isin(q.op[rows], (Op.CONST, Op.CALL, Op.NEW, Op.EXPRESSION, Op.LOAD))).any())


def sinks_on(q: Question, at: Line) -> list[SinkRole] | Stop:
    """The sinks of a line; else, as sinks of no rule, the arguments of its calls or its own values."""
    span = number, first, last = q.span(at)
    values = q.on(span)
    calls = [int(q.data[value]) for value in values if q.op[value] == Op.CALL]
    arguments = q.tables["arguments"]
    within = q.program.file_of_value[q.tables["calls"]["result"][arguments["call"]]] == number
    within &= (arguments["start"] >= first) & (arguments["start"] < last)
    rows = np.flatnonzero(np.isin(arguments["call"], calls) | within)  # of calls that began before, too
    calls = sorted({*calls, *arguments["call"][rows].tolist()})
    spans = set(zip(arguments["start"][rows].tolist(), arguments["end"][rows].tolist(), strict=True))
    roles = [
        role
        for role in q.labels.sinks
        if role.file == number and (first <= role.start < last or (role.start, role.end) in spans)
    ]
    q.others = sorted({q.name(role.vulnerability) for role in roles})
    if q.vulnerability is not None:
        roles = [role for role in roles if q.name(role.vulnerability) == q.vulnerability]
    if roles:
        return roles
    found: dict[int, SinkRole] = {}
    q.possible = sorted({name for call in calls for name in sinks_of(q, call)})
    named = {call: ", ".join(q.apis_of(call)) or q.text(int(q.tables["calls"]["callee"][call])) for call in calls}
    for row in rows.tolist():
        value, start, end = (int(arguments[column][row]) for column in ("value", "start", "end"))
        receiver = int(arguments["position"][row]) == RECEIVER
        if q.op[value] != Op.CONST and not receiver:
            name = named[int(arguments["call"][row])]
            found.setdefault(value, SinkRole(value, q.any, name, number, start, end, (), False))
    if found:
        return list(found.values())
    if len(rows) and any(int(arguments["position"][row]) != RECEIVER for row in rows.tolist()):
        row = next(row for row in rows.tolist() if int(arguments["position"][row]) != RECEIVER)
        start, end = int(arguments["start"][row]), int(arguments["end"][row])
        place = q.texts.place(number, start, end, one_line=True)
        return Stop("constant", place, f"`{q.texts.text(number, start, end)}` is a constant")
    own = [value for value in values if is_own(q, value) or q.op[value] == Op.STORE]
    if own:
        return [SinkRole(v, q.any, q.text(v), number, int(q.start[v]), int(q.end[v]), (), False) for v in own]
    return lifeless(q, span, at)


def sinks_of(q: Question, call: int) -> set[str]:
    """The vulnerabilities that the APIs of a call are sinks for, whatever its arguments."""
    apis = q.known.apis[q.program.files[q.file(int(q.tables["calls"]["result"][call]))].language]
    roles = [apis.roles.get(node) for node in q.nodes_of.get(call, ())]
    return {sink.vulnerability for each in roles if each is not None for sink in each.sinks}


def what_is_called(q: Question, values: Sequence[int]) -> str:
    names = []
    for value in values:
        if q.op[value] == Op.CALL:
            apis = q.apis_of(int(q.data[value]))
            name = apis[0] if apis else q.text(int(q.tables["calls"]["callee"][q.data[value]]))
            names.append(f"`{name}` ({'modelled' if apis else 'not modelled'})")
    return ", ".join(dict.fromkeys(names))
