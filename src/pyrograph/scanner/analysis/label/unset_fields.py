"""Fields that decoders leave as they are: ``Path string `json:"-"` `` behind ``json.Unmarshal(body, &document)``.

The tag of a field names it for each format. A decoder that reads one format still sets fields that are left out in
another one. What the program itself stores in such a field, or another decoder, is as untrusted as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from pyrograph.ir.codes import TAGS, CallFlag
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.flow_graph import MAX_EXCLUDED
from pyrograph.policy.names.keys import TAG_KEYS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import FIELD_OP, IMPORT_OP, POST_OP
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

LEFT_OUT = "'-"
OWN_DECODER = "Unmarshal"  # methods of a type that begin so decode it


def unset_fields(facts: Facts) -> None:
    """Fill ``KnownKeys.unset``. Time linear in decorators, sources and modelled flows."""
    left_out = keys_left_out(facts)
    if not left_out:
        return
    filled = {role.value for role in facts.labels.sources if not role.keys}
    filled.update(flow.target for flow in facts.labels.flows if not flow.put)
    for value in sorted(each for each in filled if facts.op[each] == POST_OP and facts.data[each] >= 0):
        owners = subjects(facts.resolution.states_of(value), INSTANCE_OF)
        if not owners or any(each not in left_out for each in owners):
            continue
        tag_key = key_of_decoder(facts, int(facts.tables["arguments"]["call"][facts.data[value]]))
        names = [frozenset(name for name, keys in left_out[each].items() if tag_key in keys) for each in owners]
        unset = sorted(frozenset.intersection(*names))
        if unset:
            facts.labels.keys.unset[value] = frozenset(unset[:MAX_EXCLUDED])


def keys_left_out(facts: Facts) -> dict[int, dict[int, set[str]]]:
    """By class: its fields that a tag leaves out, each with the keys of the tag that do; of classes that do not decode
    themselves.
    """
    fields: dict[int, set[str]] = {}
    for field, key in tagged_fields(facts):
        fields.setdefault(field, set()).add(key)
    found: dict[int, dict[int, set[str]]] = {}
    strings = facts.program.strings
    for owner, members in facts.resolution.class_members.items() if fields else ():
        of_owner = {name: fields[each] for name, values in members.items() for each in values if each in fields}
        if of_owner and not any(name >= 0 and strings[name].startswith(OWN_DECODER) for name in members):
            found[owner] = of_owner
    return found


def tagged_fields(facts: Facts) -> Iterator[tuple[int, str]]:
    """(field, key) of the tags that leave a field out."""
    imports, first, second = facts.tables["imports"], Port("position", 0), Port("position", 1)
    strings = facts.program.strings
    for row in np.flatnonzero(facts.tables["calls"]["flags"] & int(CallFlag.DECORATOR)).tolist():
        callee = facts.rep[facts.call_callee[row]]
        if facts.op[callee] != IMPORT_OP or strings[int(imports["module"][facts.data[callee]])] != TAGS:
            continue
        words = [facts.constant(facts.arg_value[each]) for each in facts.args.at(row, second)]
        if LEFT_OUT in words:
            for each in facts.args.at(row, first):
                if facts.op[facts.arg_value[each]] == FIELD_OP:
                    yield facts.arg_value[each], strings[int(imports["name"][facts.data[callee]])]


def key_of_decoder(facts: Facts, call: int) -> str:
    """The key of tags that a call of a library reads, or ""."""
    language = facts.language(facts.call_result[call])
    found = {key_named(".".join(facts.apis[language].paths[node])) for node in facts.calls.apis_of.get(call, ())}
    return found.pop() if len(found) == 1 else ""


@cache
def key_named(api: str) -> str:
    return next((key for key, names in TAG_KEYS.items() if names.search(api)), "")
