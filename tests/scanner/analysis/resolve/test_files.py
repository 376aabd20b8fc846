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
    assert [files.traits_of(value).modules.directory_is_module for value in firsts] == [False, True, True]
    assert files.tests == [False, False, True]
    assert list(files.builtins) == ["python"]


def test_paths_show_tests_of_languages_without_a_rule() -> None:
    paths = ["a.py", "tests/a.py", "test_a.py", "contest/a.py"]
    program = link(paths, [lower(b"x = 1", "python")] * 4, {})
    files = Files(program, ["python"])
    assert files.tests == [False] * 4
    assert files.testing == [False, True, True, False]
