"""The result of labelling: what its fields hold by default, and that the schema lists all that hold numbers."""

from __future__ import annotations

from dataclasses import fields

from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.label.labels import NOWHERE, CheckRoles, Encoded, KeptChanges, KnownKeys, Quoted
from pyrograph.scanner.analysis.schema import LABELS

# Fields without numbers of values: names, masks of vulnerabilities, texts, points-to states.
OTHERS = {
    "vulnerabilities", "asking", "quoted", "chop", "problems", "growths", "keep_alive",
}  # fmt: skip


def test_the_schema_has_each_field_that_refers_to_the_program() -> None:
    names = {field.name for kind in (Labels, CheckRoles) for field in fields(kind)}
    names |= {f"quoted_{field.name}" for field in fields(Quoted)} | {
        f"kept_{field.name}" for field in fields(KeptChanges)
    }
    names |= {f"keys_{field.name}" for field in fields(KnownKeys)}
    names |= {f"encoded_{field.name}" for field in fields(Encoded)}
    assert LABELS.keys() <= names
    assert LABELS.keys().isdisjoint(OTHERS)


def test_two_labels_share_nothing() -> None:
    first, second = Labels(("a",)), Labels(("a",))
    first.sources.append(SourceRole(0, "http", "api"))
    first.clean[0] = 1
    first.non_returning.add(1)
    assert (second.sources, second.clean, second.non_returning) == ([], {}, set())


def test_a_sink_counts_all_that_a_value_holds_unless_it_says_otherwise() -> None:
    sink = SinkRole(7, 0, "api", 0, 1, 2, (), False)
    assert (sink.exact, sink.shown, sink.template) == (False, False, NOWHERE)
    assert NOWHERE.path == ""


def test_sources_are_ordered_by_value_first() -> None:
    roles = [SourceRole(2, "a", "a"), SourceRole(1, "b", "b"), SourceRole(1, "a", "b")]
    assert [(role.value, role.kind) for role in sorted(roles)] == [(1, "a"), (1, "b"), (2, "a")]
