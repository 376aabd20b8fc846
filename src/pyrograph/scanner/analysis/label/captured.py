"""Captured texts: what a group of a constant pattern captures is one of the group's own texts.

``re.match(r"/item/(\\d+)", x).group(1)`` is a number, whatever else ``x`` holds. What the group admits decides for
which vulnerabilities the captured text is clean, as it does for a text that a condition matches (``admitted``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.parsers import language_of
from pyrograph.parsers.traits import MatchNames
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.admitted import Pattern, captured_groups, matched_mask, pattern_at
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import LOAD_OP


def captured_texts(facts: Facts) -> None:
    """Mark what is read from the results of matches with a constant pattern."""
    inner: dict[int, list[int]] = {}  # representative -> the same in functions that capture it
    for value, outer in facts.flows.captured.items():
        inner.setdefault(facts.rep[outer], []).append(value)
    for call in sorted(facts.calls.apis_of):
        nodes = facts.calls.apis_of[call]
        apis = facts.apis[facts.language(facts.call_result[call])]
        methods = {apis.paths[node][-1] for node in nodes}
        if len(methods) != 1:
            continue
        method = methods.pop()
        names = language_of(facts.language(facts.call_result[call])).match_names
        if method in names.matches or method in names.matched or method in names.listed:
            reads = [(facts.call_result[call], "0")]
            if method in names.matches:
                reads = reads_of_groups(facts, call, names, inner)
            pattern = pattern_of(facts, call, apis.paths[next(iter(nodes))])
            if pattern is None:
                continue
            whole = pattern.is_global and method in names.of_texts
            if whole:
                reads.append((facts.call_result[call], "0"))
            elif method in names.listed:
                reads = listed_groups(facts, call, pattern, names)
            for value, group in reads:  # a global match is a list of all matches
                number = "0" if whole else group
                mask = matched_mask(facts, pattern, "fullmatch", int(number) if number.isdecimal() else number)
                if mask:
                    facts.mark_clean(value, mask)


def pattern_of(facts: Facts, call: int, path: tuple[str, ...]) -> Pattern | None:
    """The constant pattern of a match: the receiver, or the first argument of a function or of a text's own method."""
    language = language_of(facts.language(facts.call_result[call]))
    if not language.pattern_dialect:
        return None
    of_text = path[-1] in language.match_names.of_texts
    receiver = facts.call_receiver[call]
    if INSTANCE in path and not of_text:
        return pattern_at(facts, receiver, call) if receiver != NONE else None
    given = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_position[row] == 0]
    return pattern_at(facts, given[0], call) if given else None


def reads_of_groups(
    facts: Facts, call: int, names: MatchNames, inner: Mapping[int, Sequence[int]]
) -> list[tuple[int, str]]:
    """The values read from the result of a match, also in functions that capture it (``inner``), with the number or the
    name of the group that each of them is.
    """
    results = [facts.rep[facts.call_result[call]]]
    seen = set(results)
    for result in results:  # grows by the same in functions further inside, each once
        further = [facts.rep[each] for each in inner.get(result, ())]
        results += [each for each in dict.fromkeys(further) if each not in seen]
        seen.update(further)
    found: list[tuple[int, str]] = []
    named: list[tuple[int, int]] = []  # objects whose members are groups; what is added to their numbers
    for value in [each for result in results for each in facts.flows.loads_from(result)]:
        key = text_key(facts, value)
        if key == names.groups and key:
            named.append((value, 0))
        elif key is not None:
            found.append((value, key))
    for each in [each for result in results for each in facts.calls.methods_on(result)]:
        method = int(facts.tables["calls"]["name"][each])
        name = facts.program.strings[method] if method >= 0 else ""
        rows = [row for row in facts.args.of(each) if facts.arg_position[row] != RECEIVER]
        if name and name == names.groups:
            named.append((facts.rep[facts.call_result[each]], 1))
        elif name and name == names.group and len(rows) <= 1:
            text = facts.constant(facts.arg_value[rows[0]]) if rows else "0"
            if text is not None:
                found.append((facts.call_result[each], text.removeprefix("'")))
    for obj, first in named:
        for value in facts.flows.loads_from(facts.rep[obj]):
            key = text_key(facts, value)
            if key is not None:
                found.append((value, str(int(key) + first) if key.isdecimal() else key))
    return found


def listed_groups(facts: Facts, call: int, pattern: Pattern, names: MatchNames) -> list[tuple[int, str]]:
    """The list of all matches, with the number of the group that its elements are.

    Where groups are read from a result by a method, a pattern with one group lists what that captured, and one with
    more lists them all.
    """
    number = len(captured_groups(pattern)) if names.group else 0
    return [(facts.call_result[call], str(number))] if number <= 1 else []


def text_key(facts: Facts, value: int) -> str | None:
    """The constant key under which a value was read."""
    key = facts.load_key[facts.data[value]] if facts.op[value] == LOAD_OP else NONE
    return facts.program.strings[key] if key >= 0 else None
