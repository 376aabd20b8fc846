"""A value has the language of its file."""

from __future__ import annotations

from pyrograph.parsers import lower
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.files import Files


def test_values_have_the_language_and_traits_of_their_file() -> None:
    program = link(["a.py", "c.go", "c_test.go"], [lower(b"x = 1", "python")] + [lower(b"package c", "go")] * 2, {})
    files = Files(program, ["python"])
    firsts = [file.first for file in program.files]
    assert [files.language_of(value) for value in firsts] == ["python", "go", "go"]
    assert [files.traits_of(value).directory_is_module for value in firsts] == [False, True, True]
    assert files.tests == [False, False, True]
    assert list(files.builtins) == ["python"]
