"""The flows that ``fixtures/flows`` specifies are those that a scan with the built-in rules finds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from tests.scanner.specification import Block, Section, sections

from pyrograph import scanner
from pyrograph.rules import Rules, load_rules
from pyrograph.rules.examples import ExpectationError, differences, expectations
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

FLOWS = Path(__file__).resolve().parent.parent / "fixtures" / "flows"
OTHER_FILE = 1_000_000  # added to the lines of a program's second file, twice to those of its third, and so on


@pytest.mark.parametrize("section", sections(FLOWS), ids=str)
def test_a_scan_finds_what_the_comments_say_and_nothing_else(
    section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    told = [
        trouble
        for number, program in enumerate(section.programs())
        for trouble in disagreements(program, section.path, tmp_path / f"program{number}")
    ]
    assert not told, "\n".join(["", *told])


@cache
def built_in_rules() -> Rules:
    return load_rules(None, ())


def disagreements(program: Mapping[str, Block], specification: Path, root: Path) -> list[str]:
    """One line for each way in which a scan of ``program``, written to ``root``, is not what its comments ask for."""
    for name, block in program.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.code, encoding="utf-8")
    root = root.resolve()
    options = ScanOptions(paths=(root,), root=root, profile="audit", confidence="medium", jobs=1, device="cpu")
    report = scanner.scan(options, built_in_rules())
    names = list(program)
    told = [
        f"{specification}:{program[problem.path].line + problem.line}: {problem.message}"
        for problem in report.problems
        if problem.path in program and problem.kind != "limit"
    ]
    for name, block in program.items():
        found = [
            (
                finding.end_of(trace).line,
                finding.vulnerability,
                number_of(step.place.path, step.place.line, name, names),
            )
            for finding in report.findings
            for trace in finding.traces
            for step in trace.steps[:1]
            if finding.place.path == name
        ]
        try:
            expected = expectations(with_numbers(block.code, name, names))
        except ExpectationError as error:
            told.append(f"{specification}: {name}: {error}")
            continue
        for trouble in differences(expected, found):
            line, _, text = trouble.removeprefix("line ").partition(": ")
            told.append(f"{specification}:{block.line + int(line)}: {readable(text, names)}")
    return told


def number_of(file: str, line: int, here: str, names: list[str]) -> int:
    """One number for a line of any of the program's files; lines of ``here`` keep theirs."""
    return line if file == here else line + OTHER_FILE * (1 + names.index(file))


def with_numbers(code: str, here: str, names: list[str]) -> str:
    """``code`` with "from file.py:3" written as "from line N"."""

    def number(place: re.Match[str]) -> str:
        if place[1] not in names:
            raise ExpectationError(f"no file {place[1]!r} in this section")
        return f" from line {number_of(place[1], int(place[2]), here, names)}"

    return re.sub(r"(?<=[a-z]) from (\S+):(\d+)", number, code)


def readable(text: str, names: list[str]) -> str:
    """``text`` with the numbers of ``number_of`` as file and line again."""

    def place(number: re.Match[str]) -> str:
        file, line = divmod(int(number[0]), OTHER_FILE)
        return f"{line} of {names[file - 1]}"

    return re.sub(r"\b\d{7,}\b", place, text)
