"""Forms that the program refuses from pages of other sites: ``CSRFProtect(app)`` holds for all handlers.

The sources that packs list under ``csrf_covers`` have the kind ``form`` then, as those of frameworks that protect forms
by default have anyway. Handlers that the program exempts keep theirs; if it exempts anything else, all do.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.requests import EXEMPTS
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

FORM: Final = "form"  # the kind of what only the program's own pages send


def protected_forms(facts: Facts) -> None:
    """Change the kind of the sources that stand in forms. Linear in the calls, if a call protects the program."""
    if not facts.labels.request.csrf_covered:
        return
    languages = {language for language in facts.apis if is_protected(facts, language)}
    if not languages:
        return
    exempt = Exempt(facts)
    if exempt.others:
        return
    file_of = facts.program.file_of_value
    covered = {value for value in facts.labels.request.csrf_covered if facts.language(value) in languages}
    kept = {
        value
        for value in covered
        if int(file_of[value]) in exempt.files
        or not exempt.functions.isdisjoint(around(facts, int(facts.function_of[value])))
    }
    forms = covered - kept
    facts.labels.sources = [
        source._replace(kind=FORM) if source.value in forms else source for source in facts.labels.sources
    ]


def is_protected(facts: Facts, language: str) -> bool:
    """Whether a call of the program protects all its forms."""
    protecting = facts.apis[language].index.csrf_protecting
    return bool(protecting) and any(
        not protecting.isdisjoint(nodes) and facts.language(facts.call_result[call]) == language
        for call, nodes in facts.calls.apis_of.items()
    )


class Exempt:
    """What the program exempts from the protection of its forms."""

    def __init__(self, facts: Facts) -> None:
        calls, loads, rep = facts.tables["calls"], facts.tables["loads"], facts.resolution.representative
        matching = [at for at, text in enumerate(facts.program.strings) if EXEMPTS.search(text)]
        members = rep[loads["result"][among(loads["key"], matching)]]
        is_exempting = among(calls["name"], matching) | among(rep[calls["callee"]], members)
        handed_over = set(members.tolist()) - set(rep[calls["callee"][is_exempting]].tolist())
        self.functions: set[int] = set()
        self.files = {int(facts.program.file_of_value[each]) for each in handed_over}  # ``decorators=[csrf.exempt]``
        self.others = False  # whether something else is exempted, such as a router
        for call in is_exempting.nonzero()[0].tolist():
            for row in facts.args.of(call):
                if facts.arg_position[row] != RECEIVER:
                    self.add(facts, facts.arg_value[row])

    def add(self, facts: Facts, value: int) -> None:
        states = facts.resolution.states_of(value)
        functions = subjects(states, FUNCTION)
        self.functions.update(functions)
        is_element = not states and facts.op[facts.rep[value]] == Op.LOAD  # a handler of a table that is not known
        self.others = self.others or not (functions or is_element)


def around(facts: Facts, function: int) -> set[int]:
    """A function and those that it is defined in."""
    found: set[int] = set()
    while function != NONE and function not in found:
        found.add(function)
        function = int(facts.tables["functions"]["parent"][function])
    return found
