"""Stops: why the true graph does not go on with what is tainted."""

from __future__ import annotations

import re

import numpy as np

from pyrograph.ir.codes import Op, Test
from pyrograph.scanner.analysis.assemble import AccessPath, Context, Kind
from pyrograph.scanner.analysis.label import SinkRole
from pyrograph.scanner.diagnose.answer import Stop
from pyrograph.scanner.diagnose.question import Question
from pyrograph.scanner.explain.written import is_case


def no_sink(q: Question, role: SinkRole) -> Stop:
    """The data arrives where no rule sees a sink."""
    place = q.texts.place(role.file, role.start, role.end, one_line=True)
    wanted = [v for v in q.possible if q.vulnerability in (None, v)]
    texts = q.tables["texts"]
    rows = np.flatnonzero(np.isin(texts["value"], [role.value, q.resolution.reps[role.value]]))
    for name in wanted:
        pattern = q.known.rules.vulnerabilities[name].safe_text
        if pattern and any(re.match(pattern, q.program.strings[i]) for i in texts["text"][rows].tolist()):
            message = f"`{q.text(role.value)}` begins with a constant text after which data does no harm for {name}"
            return Stop("safe-text", q.place(role.value), message)
    if wanted:
        message = (
            f"the data reaches `{role.api}`, but no rule makes this argument a sink for {', '.join(wanted)}: the rule "
        )
        message += "names another argument, or its condition does not hold"
    else:
        message = f"the data reaches `{role.api}`, but no rule names it as a sink"
        message += f" for {q.vulnerability}" if q.vulnerability is not None else ""
    if others := [name for name in q.others if name not in wanted]:
        message += f"; it is a sink for {', '.join(others)}"
    return Stop("no-sink", place, message)


def not_looked_at(q: Question, end: SinkRole, tainted: list[AccessPath]) -> Stop:
    """The data arrives in the value, but not in what the sink looks at."""
    place = q.texts.place(end.file, end.start, end.end, one_line=True)
    here = q.paths_text(tainted)
    if end.keys:
        wanted = ".".join(q.key_text(key) for key in end.keys)
        return Stop("field", place, f"the sink `{end.api}` uses `{wanted}` of this value; only {here} is untrusted")
    return Stop("field", place, f"the sink `{end.api}` uses the value itself; only {here} is untrusted")


def stopped(q: Question, last: int, following: int, bit: int, tainted: list[AccessPath]) -> Stop:
    """Why the true graph does not go from ``last`` to ``following`` with what is tainted of ``last``."""
    mask = 1 << bit
    labels = q.labels
    if labels.clean.get(following, 0) & mask:
        return cleaned(q, following, bit)
    place, here = q.place(following), f"`{q.text(following)}`"
    named = f" for {q.name(bit)}" if q.name(bit) else ""
    if labels.harmless_parts.get((last, following), 0) & mask:
        return Stop("safe-text", place, f"{here} begins with a constant text after which data does no harm{named}")
    for flow in labels.flows:
        if (flow.origin, flow.target) != (last, following):
            continue
        if codes := [key for key in flow.put if key in labels.encoded.keys]:
            message = f"{q.made_by(following)} encodes the data ({q.key_text(codes[0])}), and nothing decodes it"
            return Stop("encoding", place, f"{message} before the sink")
        if flow.harmless & mask:
            return Stop("sanitizer", place, f"the result of {q.made_by(following)} does no harm{named}")
    if following in labels.checks.checked_by_call:
        site = labels.checks.checked_by_call[following][0]
        call = int(q.tables["calls"]["result"][site])
        return Stop("guard", q.place(call), f"after the test `{q.text(call)}` the data is clean{named}")
    if following in labels.numeric_parameters:
        return Stop("type", place, f"{here} is declared with a type that carries no text")
    if following in labels.deleted_keys:
        return Stop("overwritten", place, f"{q.made_by(following)} removes the data")
    kinds, contexts = true_edges_between(q, last, following)
    if not kinds:
        return not_taken(q, last, following)
    untrusted = q.paths_text(tainted)
    if Kind.KILL in kinds:
        return Stop("overwritten", place, f"{here} overwrites the data; {untrusted} was untrusted")
    if kinds & {Kind.LOAD, Kind.MOVE, Kind.SLICE, Kind.TEXT, Kind.SHOWN_TEXT}:
        return Stop("field", place, f"{here} reads another part; only {untrusted} is untrusted")
    if Kind.IF_WHOLE in kinds:
        message = f"no model describes {q.made_by(following)}, and only {untrusted} of its argument is untrusted"
        return Stop("unknown-call", place, message)
    if contexts & {Context.CALL, Context.RETURN}:
        return Stop("calls", place, f"the data that returns to {here} was passed in by another call")
    return Stop("no-way", place, f"no untrusted data before {here} reaches it")


def true_edges_between(q: Question, origin: int, target: int) -> tuple[set[int], set[int]]:
    """Kinds and contexts of the true edges between two values."""
    if q.columns is None:
        edges = q.true_edges
        q.columns = [np.concatenate(c) for c in (edges.origin, edges.target, edges.kind, edges.context)]
    origins, targets, kinds, contexts = q.columns
    rows = np.flatnonzero((origins == origin) & (targets == target))
    return set(kinds[rows].tolist()), set(contexts[rows].tolist())


def not_taken(q: Question, last: int, following: int) -> Stop:
    """Why the true graph has no edge where an open one has."""
    gap = q.gaps.get((last, following))
    place, here = q.place(following), f"`{q.text(following)}`"
    if gap is None:
        return Stop("branch", place, "the branch with the data ends in a call that does not return")
    if gap.reason == "comparison":
        return Stop("comparison", place, f"the data only decides {here}; the value is made of something else")
    callee = q.made_by(following, gap.call)
    what = "its result" if q.op[following] == Op.CALL else "its other arguments"
    if gap.reason == "model":
        return Stop("model", place, f"the model of {callee} does not move this to {what}")
    if gap.reason == "function":
        return Stop("function", place, f"{callee} does not move this to {what}")
    if q.op[following] == Op.CALL and known_to_block(q, gap.call, last):
        return Stop("unknown-call", place, f"no model describes {callee}, and --unknown-calls is block")
    message = f"no model describes {callee}, and it is not assumed to move this to {what}; add a propagator"
    return Stop("unknown-call", place, message)


def known_to_block(q: Question, call: int, value: int) -> bool:
    labels = q.labels
    return not (labels.assumed or labels.assumed_if_whole) and call not in q.resolution.external and value >= 0


def cleaned(q: Question, value: int, bit: int) -> Stop:
    """The reason why ``value`` is clean."""
    named = f" for {q.name(bit)}" if q.name(bit) else ""
    op = int(q.op[value])
    if op == Op.PI:
        pis, conditions = q.tables["pis"], q.tables["conditions"]
        row = int(q.data[value])
        condition = int(pis["condition"][row])
        file, start, end = q.file(value), int(conditions["start"][condition]), int(conditions["end"][condition])
        place = q.texts.place(file, start, end, one_line=True)
        holds = "true" if pis["side"][row] else "false"
        test = q.texts.text(file, start, end)
        if is_case(int(conditions["test"][condition]), q.texts.piece(file, start, end)):
            test = f"case {test}"
        left = int(conditions["left"][condition])
        same = q.resolution.reps[left] == q.resolution.reps[int(pis["input"][row])]
        if conditions["test"][condition] == Test.TRUTH and not pis["side"][row] and same:
            return Stop("guard", place, f"`{test}` is false here, and a false value contains no text")
        return Stop("guard", place, f"`{test}` is {holds} here, which makes the data clean{named}")
    if op in (Op.CALL, Op.POST):
        return Stop("sanitizer", q.place(value), f"{q.made_by(value)} makes the data clean{named}")
    if op == Op.LOAD:
        return Stop("type", q.place(value), f"an attacker cannot choose the content of `{q.text(value)}`{named}")
    return Stop("sanitizer", q.place(value), f"`{q.text(value)}` is clean{named}")
