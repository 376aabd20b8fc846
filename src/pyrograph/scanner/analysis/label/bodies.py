"""Bodies of requests that the program reads as JSON only: ``app.use(express.json())``.

No form of another site sends such a body: a script that does gets the answer itself, so that no browser shows it as a
page. The sources that packs list under ``bodies`` have the kind ``json`` then.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NO_STRING
from pyrograph.policy.names.requests import FORM_TYPES
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import element, texts_in

JSON: Final = "json"  # the kind of a body that is read as JSON


def json_bodies(facts: Facts) -> None:
    """Change the kind of the sources that are bodies. Linear in the calls, if the program reads a body."""
    if not facts.labels.request.bodies:
        return
    languages = {language for language in facts.apis if reads_json_alone(facts, language)}
    chosen = {value for value in facts.labels.request.bodies if facts.language(value) in languages}
    facts.labels.sources = [
        source._replace(kind=JSON) if source.value in chosen else source for source in facts.labels.sources
    ]


def reads_json_alone(facts: Facts, language: str) -> bool:
    """Whether calls of the program read bodies, and all of them as JSON."""
    apis = facts.apis[language]
    reading = {node for node, roles in apis.roles.items() if roles.reads_json or roles.reads_forms}
    found = False
    for call, nodes in facts.calls.apis_of.items():
        if reading.isdisjoint(nodes) or facts.language(facts.call_result[call]) != language:
            continue
        for node in reading.intersection(nodes):
            roles = apis.roles[node]
            if roles.reads_forms or not all(accepts_json(facts, call, port) for port in roles.reads_json):
                return False
        found = True
    return found


def accepts_json(facts: Facts, call: int, port: Port | None) -> bool:
    """Whether the types of content that stand at ``port`` are known, if there are any, and no form has them."""
    if port is None:
        return True
    given = [facts.arg_value[row] for row in facts.args.at(call, Port(port.kind, port.position, port.names))]
    keys = [facts.program.string_ids.get(name, NO_STRING) for name in port.path]
    stated = [found for each in given if (found := element(facts, each, keys)) >= 0]
    texts = [texts_in(facts, each) for each in stated]
    return all(each and not any(map(FORM_TYPES.search, each)) for each in texts)
