"""The promises of labels: roles of values that exist, masks of vulnerabilities that are looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from pyrograph.ir.codes import UNKNOWN_KEY, Op
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.schema import FILES, LABELS, MASKS, SITES, VULNERABILITIES
from pyrograph.scanner.analysis.verify.rows import Rows, counts_of


def labels(linked: Program, found: Resolution, roles: Labels) -> list[str]:
    """The broken promises of labels."""
    rows = Rows()
    t, n, strings = linked.tables, linked.num_values, len(linked.strings)
    bits = len(roles.vulnerabilities)
    everything = (1 << bits) - 1
    op = t["values"]["op"]
    rows.say(bits <= 62, f"vulnerabilities: {bits}, and masks have 62 bits")
    quoted = roles.quoted
    rows.say(
        0 <= quoted.harmless <= everything, f"quoted = {quoted.harmless}: of vulnerabilities that are not looked for"
    )
    if not rows.say(roles.chop.shape == (n,) and roles.chop.dtype == bool, "chop: not one truth a value"):
        return rows.broken
    found_rows: dict[str, Collection[tuple[int, ...]]] = {
        "sources": [(source.value,) for source in roles.sources],
        "sinks": [(sink.value, sink.vulnerability, sink.file, sink.start) for sink in roles.sinks],
        "clean": tuple(roles.clean.items()),
        "flows": [(flow.origin, flow.target, flow.harmless) for flow in roles.flows],
        "kept_reads": [(flow.origin, flow.target) for flow in roles.kept.reads],
        "kept_elements": roles.kept.elements,
        "harmless_parts": [(part, text, mask) for (part, text), mask in roles.harmless_parts.items()],
        "assumed": roles.assumed,
        "assumed_if_whole": roles.assumed_if_whole,
        "accessed": roles.accessed,
        "checked_by_call": [(pi, *row) for pi, row in roles.checks.checked_by_call.items()],
        "unverified_guards": tuple(roles.checks.unverified_guards.items()),
        "keys_clean": [(v, key) for v, keys in roles.keys.clean.items() for key in keys],
        "keys_unset": [(v, key) for v, keys in roles.keys.unset.items() for key in keys],
        "keys_stored": [(row, key) for row, keys in roles.keys.stored.items() for key in keys],
        "deleted_keys": tuple(roles.deleted_keys.items()),
        "encoded_json_made": sorted(roles.encoded.json_made),
        "encoded_json_read": sorted(roles.encoded.json_read),
    }
    found_rows["quoted_values"] = [(each,) for each in quoted.values]
    found_rows["validated_fields"] = [(each,) for each in roles.checks.validated_fields]
    found_rows["encoded_keys"] = [(each,) for each in roles.encoded.keys]
    for name in ("non_returning", "numeric_parameters", "modelled"):
        found_rows[name] = [(each,) for each in getattr(roles, name)]
    counts = {
        **counts_of(linked),
        SITES: found.num_sites,
        MASKS: everything + 1,
        VULNERABILITIES: bits,
        FILES: len(linked.files),
    }
    for name, row in LABELS.items():
        rows.table(name, found_rows[name], row, counts)
    masks = np.fromiter(roles.harmless_parts.values(), np.int64, len(roles.harmless_parts))
    rows.hold("harmless_parts", "mask", masks, masks == 0, "does harm to everything")
    _keys(rows, "sinks", [sink.keys for sink in roles.sinks], strings)
    _keys(rows, "flows.take", [flow.take for flow in roles.flows], strings)
    _keys(rows, "flows.put", [flow.put for flow in roles.flows], strings)
    _keys(rows, "kept_reads.take", [flow.take for flow in roles.kept.reads], strings)
    _keys(rows, "kept_reads.put", [flow.put for flow in roles.kept.reads], strings)
    rows.say(roles.sources == sorted(set(roles.sources)), "sources: not sorted, or one stands there twice")
    rows.say(roles.sinks == sorted(set(roles.sinks)), "sinks: not sorted, or one stands there twice")
    if rows.broken:
        return rows.broken
    for name, chosen, kind in (
        ("checked_by_call", roles.checks.checked_by_call, Op.PI),
        ("unverified_guards", roles.checks.unverified_guards, Op.PI),
        ("validated_fields", roles.checks.validated_fields, Op.LOAD),
        ("deleted_keys", roles.deleted_keys, Op.POST),
    ):
        values = np.fromiter(chosen, np.int64, len(chosen))
        rows.hold(name, "value", values, op[values] != kind, f"no {kind.name}")
    shown = np.fromiter(quoted.values, np.int64, len(quoted.values))
    rows.hold("quoted_values", "value", shown, found.representative[shown] != shown, "no representative")
    starts = np.array([(sink.start, sink.end) for sink in roles.sinks], np.int64).reshape(-1, 2)
    rows.hold("sinks", "end", starts[:, 1], starts[:, 1] < starts[:, 0], "before its start")
    checked = np.array([(pi, row[0]) for pi, row in roles.checks.checked_by_call.items()], np.int64).reshape(-1, 2)
    function = t["values"]["function"]
    bad = function[checked[:, 0]] != function[t["calls"]["result"][checked[:, 1]]]
    rows.hold("checked_by_call", "call", checked[:, 1], bad, "in another function than the version")
    return rows.broken


def _keys(rows: Rows, name: str, keys: Iterable[tuple[int, ...]], strings: int) -> None:
    every = np.array([key for each in keys for key in each], np.int64)
    rows.within(name, "key", every, UNKNOWN_KEY, strings)
