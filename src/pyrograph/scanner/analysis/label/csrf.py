"""Forms that the program refuses from pages of other sites: ``CSRFProtect(app)`` holds for all handlers.

The sources that packs list under ``csrf_covers`` have the kind ``form`` then, as those of frameworks that protect forms
by default have anyway. Handlers that the program exempts keep theirs; if it exempts anything else, all do.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.policy.names import EXEMPTS
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

FORM: Final = "form"  # the kind of what only the program's own pages send


def protected_forms(facts: Facts) -> None:
    """Change the kind of the sources that stand in forms. Linear in the calls, if a call protects the program."""
    languages = {language for language, apis in facts.apis.items() if is_protected(facts, language)}
    if not languages:
        return
    exempt = exempted(facts)
    if exempt is None:
        return
    sources = facts.labels.sources
    for at, source in enumerate(sources):
        if facts.language(source.value) in languages and source.value in facts.labels.csrf_covered:
            if exempt.isdisjoint(around(facts, int(facts.function_of[source.value]))):
                sources[at] = source._replace(kind=FORM)


def is_protected(facts: Facts, language: str) -> bool:
    """Whether a call of the program protects all its forms."""
    protecting = {node for node, roles in facts.apis[language].roles.items() if roles.csrf_protects}
    return bool(protecting) and any(
        not protecting.isdisjoint(nodes) and facts.language(facts.call_result[call]) == language
        for call, nodes in facts.calls.apis_of.items()
    )


def exempted(facts: Facts) -> set[int] | None:
    """The functions that the program exempts; None where it exempts something else than functions."""
    calls, loads = facts.tables["calls"], facts.tables["loads"]
    matching = [at for at, text in enumerate(facts.program.strings) if EXEMPTS.search(text)]
    callees = facts.resolution.representative[loads["result"][among(loads["key"], matching)]]
    is_exempting = among(calls["name"], matching) | among(facts.resolution.representative[calls["callee"]], callees)
    found: set[int] = set()
    for call in is_exempting.nonzero()[0].tolist():
        for row in facts.args.of(call):
            if facts.arg_position[row] == RECEIVER:
                continue
            functions = {
                state >> KIND_BITS
                for state in facts.resolution.states_of(facts.arg_value[row])
                if state & KIND == FUNCTION
            }
            if not functions:
                return None
            found |= functions
    return found


def around(facts: Facts, function: int) -> set[int]:
    """A function and those that it is defined in."""
    found: set[int] = set()
    while function != NONE and function not in found:
        found.add(function)
        function = int(facts.tables["functions"]["parent"][function])
    return found
