"""Each argument of a call arrives at its own parameter and at no other, however the function is defined, exported,
imported and called.

``tests/binding`` generates the cells, one small program each. All cells of a language are one scan. A cell that is
wrong is a limit, and a limit whose cells are right is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

import pytest
from tests.binding import go, javascript, python
from tests.binding.limits import LIMITS
from tests.binding.matrix import Cell, trouble

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

LANGUAGES = {"python": python, "javascript": javascript, "go": go}
SHOWN = 40  # cells that a failure lists


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_argument_arrives_at_its_own_parameter(language: str, tmp_path: Path) -> None:
    module = LANGUAGES[language]
    cells = list(module.cells())
    wrong = wrong_cells(module, cells, language, tmp_path.resolve())
    limits = LIMITS[language]
    named = {cell.name: limit for cell in cells for limit in limits if fnmatchcase(cell.name, limit)}
    unexpected = [f"{name}: {text}" for name, text in wrong.items() if name not in named]
    assert not unexpected, listed("are wrong", unexpected)
    right = [f"{name}: named by {limit!r}" for name, limit in named.items() if name not in wrong]
    assert not right, listed("are right now; correct the limit", right)
    unused = sorted(limits.keys() - set(named.values()))
    assert not unused, f"limits that name no cell, or only cells of limits after them: {unused}"


def wrong_cells(module: ModuleType, cells: list[Cell], language: str, root: Path) -> dict[str, str]:
    """What is wrong with which cells; ``root`` is an empty folder."""
    pack = root / "probe.toml"
    pack.write_text(module.PACK, encoding="utf-8")
    program = root / "program"
    texts: dict[str, str] = dict(module.SHARED)
    owner: dict[str, Cell] = {}
    for cell in cells:
        texts |= cell.files
        owner |= dict.fromkeys(cell.files, cell)
    for path, text in texts.items():
        file = program / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    options = ScanOptions(
        paths=(program,), root=program, confidence="medium", jobs=1, device="cpu", max_traces=len(cells)
    )
    report = scanner.scan(options, load_rules({language}, (pack,)))
    assert not report.problems
    found: dict[str, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault(owner[finding.place.path].name, []).append(finding)
    texts_of = {cell.name: trouble(cell, pairs(found.get(cell.name, ()))) for cell in cells}
    assert len(texts_of) == len(cells), "two cells have one name"
    return {name: text for name, text in texts_of.items() if text}


def pairs(findings: Iterable[Finding]) -> Iterable[tuple[tuple[str, int], tuple[str, int]]]:
    """The places of sources and sinks."""
    for finding in findings:
        for trace in finding.traces:
            source, end = trace.steps[0].place, finding.end_of(trace)
            yield (source.path, source.line), (end.path, end.line)


def listed(what: str, cells: list[str]) -> str:
    more = [f"and {len(cells) - SHOWN} more"] if len(cells) > SHOWN else []
    return "\n".join([f"{len(cells)} cells {what}:", *cells[:SHOWN], *more])


def test_the_mistakes_of_a_cell_are_named() -> None:
    files: Mapping[str, str] = {
        "app.py": "x = source()  # from 0\ny = source()  # from 1\nsink(a)  # to 0\nsink(b)  # to 1"
    }
    cell = Cell("any", files)
    right = [(("app.py", 1), ("app.py", 3)), (("app.py", 2), ("app.py", 4))]
    assert trouble(cell, right) == ""
    assert trouble(cell, right[:1]) == "-1"
    assert trouble(cell, [*right, (("app.py", 1), ("app.py", 4))]) == "0>1"
