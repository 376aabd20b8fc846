"""Fields of forms that hold files: ``form.cleaned_data["book"]``, where the form declares ``book = FileField()``.

A library checks that such a field is an upload, so a call that takes a path or an open file gets no path. What is in
the file stays untrusted. Packs say which types are files (``[type] files``), which sinks take both
(``unless 0 is file``), and which members of the type are clean (sanitizers of ``FileField#name``). Runs when all
sources are known, and takes sinks back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import Port, Sink
from pyrograph.scanner.analysis.label.class_fields import declared_values, form_holders, read_keys
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.value_types import is_file
from pyrograph.scanner.analysis.numbers import LOAD_OP


def form_files(facts: Facts) -> None:
    """Take back the sinks that get a field of a form that is a file. Time linear in loads, calls on forms and sinks."""
    files = held_files(facts)
    for value, fields in files.items():
        clean_members(facts, value, fields)
    if files:
        facts.labels.sinks = [
            role for role in facts.labels.sinks if facts.rep[role.value] not in files or not takes_files(facts, role)
        ]


def clean_members(facts: Facts, file: int, fields: Iterable[int]) -> None:
    """Mark what is read from a file as clean as packs say of that member of all the fields which declare the file."""
    apis = facts.apis[facts.language(file)]
    for value in facts.flows.loads_from(file):
        key = facts.load_key[facts.data[value]] if facts.op[value] == LOAD_OP else NONE
        if key < 0:
            continue
        name, mask = facts.program.strings[key], facts.wanted.all
        for field in fields:
            nodes = [child for node in facts.resolution.api_nodes(field) for child in apis.step(node, name)]
            cleaned = 0
            for roles in [apis.roles[node] for node in nodes if node in apis.roles]:
                for each in roles.sanitizers:
                    if not each.ports and not each.conditions:
                        cleaned |= facts.wanted.cleaned_by(each.vulnerability)
            mask &= cleaned
        if mask:
            facts.mark_clean(value, mask)


def held_files(facts: Facts) -> dict[int, list[int]]:
    """Representatives of the values that are read from forms under the names of fields that are files, each with what
    declares these fields.
    """
    found: dict[int, list[int]] = {}
    holders = form_holders(facts)
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for row in np.flatnonzero(among(objects, holders) & (loads["key"] >= 0)).tolist():
        fields = files_named(facts, holders[int(objects[row])], [int(loads["key"][row])])
        if fields:
            found.setdefault(facts.rep[int(loads["result"][row])], []).extend(fields)
    for holder, owners in holders.items():
        for call in facts.calls.methods_on(holder):
            keys = read_keys(facts, call)
            fields = files_named(facts, owners, keys) if keys else []
            if fields:
                found.setdefault(facts.rep[facts.call_result[call]], []).extend(fields)
    return found


def files_named(facts: Facts, owners: Iterable[int], keys: Sequence[int]) -> list[int]:
    """What declares these fields of these classes, if all declare all of them to be files; else nothing."""
    declared = [declared_values(facts, owner, key) for owner in owners for key in keys]
    are_files = all(values and all(is_file(facts, value) for value in values) for values in declared)
    return [value for values in declared for value in values] if are_files else []


def takes_files(facts: Facts, role: SinkRole) -> bool:
    """Whether the sinks of the call that may be ``role`` do no harm with a file."""
    if role.call == NONE:
        return False
    sinks = [
        (sink, port)
        for node in facts.calls.apis_of.get(role.call, ())
        if (roles := facts.apis[facts.language(role.value)].roles.get(node)) is not None
        for sink in roles.sinks
        if role.vulnerability in facts.wanted.bits.get(sink.vulnerability, ())
        for port in sink.ports
        if any(facts.arg_value[row] == role.value for row in facts.args.at(role.call, port))
    ]
    return bool(sinks) and all(spares_files(sink, port) for sink, port in sinks)


def spares_files(sink: Sink, port: Port) -> bool:
    """Whether an entry says ``unless 0 is file`` of the argument at ``port``."""
    return any(
        each.unless and len(each.tests) == 1 and each.tests[0].type == "file" and each.tests[0].port == port
        for each in sink.conditions
    )
