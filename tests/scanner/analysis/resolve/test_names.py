"""Exports are looked up by file and name."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import resolved


def test_exports_are_those_of_the_file() -> None:
    program, resolution = resolved({"a.py": "def f(): pass\n", "b.py": "f = 1\nf = 2\n"}, "python")
    names = resolution.keep_alive.names
    f = program.string_ids["f"]
    assert [program.file_of_value[value] for value in names.exports_of(0, f)] == [0]
    assert {int(program.file_of_value[value]) for value in names.exports_of(1, f)} == {1}
    assert names.exports_of(0, len(program.strings)) == []
