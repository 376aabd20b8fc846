"""Functions that a router calls for a part of the path: ``router.param("id", (req, res, next, id) => ...)``.

The function refuses what it does not like by the way it goes on, which is not looked at. If it has a condition and says
something of the text (``telling``), reads of this part are doubtful, as behind any check that is not understood.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.routes import stated_by
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

FIRST = Port("position", 0)


def part_functions(facts: Facts) -> None:
    """Mark the reads of parts that a function is called for, where all routes that name the part stand in its file.

    Time linear in the calls that state routes, if there is such a function, and in the reads of parts.
    """
    asked = asked_parts(facts)
    if not asked:
        return
    for language in sorted({language for language, _, _ in asked}):
        stating = {node for node, _ in facts.apis[language].index.routed}
        for call, nodes in facts.calls.apis_of.items():
            if stating.isdisjoint(nodes):
                continue
            file = int(facts.program.file_of_value[facts.call_result[call]])
            texts = [text for _, text in stated_by(facts, language, call)]
            asked = {
                each
                for each in asked
                if each[0] != language or each[2] == file or not any(names(text, each[1]) for text in texts)
            }
    for rep, language in facts.conditions.routed_objects.items():
        wanted = {name for of, name, _ in asked if of == language}
        for value in facts.flows.loads_from(rep) if wanted else ():
            key = facts.load_key[facts.data[value]] if facts.op[value] == Op.LOAD else NONE
            if key >= 0 and facts.program.strings[key] in wanted:
                facts.labels.checks.validated_fields.add(value)


def asked_parts(facts: Facts) -> set[tuple[str, str, int]]:
    """(language, name of the part, file) of the functions that say something of a part of the path."""
    found: set[tuple[str, str, int]] = set()
    testing = set(facts.tables["conditions"]["function"].tolist())
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        language = facts.language(facts.call_result[call])
        roles = facts.apis[language].roles.get(node)
        for port in [check.port for check in roles.schemas.checks] if roles is not None else ():
            rows = facts.args.at(call, FIRST)
            text = facts.constant(facts.arg_value[rows[0]]) if rows and not port.path else None
            if text is None or text[:1] != "'":
                continue
            for row in facts.args.at(call, port):
                states = facts.resolution.states_of(facts.arg_value[row])
                functions = [state >> KIND_BITS for state in states if state & KIND == FUNCTION]
                if functions and all(each in testing and facts.labels.checks.telling[each] for each in functions):
                    found.add((language, text[1:], int(facts.program.file_of_value[facts.call_result[call]])))
    return found


def names(route: str, part: str) -> bool:
    """Whether a route names a part, alone or before what is no letter: ``/users/:id/posts``."""
    at = route.find(part)
    while at >= 0:  # ``at`` grows
        before, after = route[at - 1 : at], route[at + len(part) : at + len(part) + 1]
        if before and not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_"):
            return True
        at = route.find(part, at + 1)
    return False
