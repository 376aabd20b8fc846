"""The search for edits with which a scan finds less and nothing new. The scans are functions of the edited text."""

from __future__ import annotations

import pytest

from pyrograph.model.edit import Edit, before, edited, merged
from pyrograph.model.finding import Finding, Step, Trace
from pyrograph.model.place import Place
from pyrograph.rules.entries import EditStep, Origin, Remedy
from pyrograph.scanner.fix.candidates import Candidate
from pyrograph.scanner.fix.propose import _holds
from pyrograph.scanner.fix.site import Files
from pyrograph.scanner.fix.verify import Overlay, verified

TEXT = b"bad(1)\nbad(2)\nbad(3)\n"
FILES = Files({"a.py": TEXT}, {"a.py": "python"})


def finding(line: int, rule: str = "python/x") -> Finding:
    place = Place("a.py", line, 1, line, 4)
    trace = Trace("http", "s", (Step(place, "sink", ""),))
    return Finding(rule, "x", "high", "high", "", place, "", "bad", (trace,), 1, f"{rule}{line}")


def candidate(line: int, text: str) -> Candidate:
    start = 7 * (line - 1)
    remedy = Remedy("x", ("a", "bad"), False, False, (EditStep("call", ("a", text)),), "", Origin("", 1, ""))
    return Candidate(finding(line), remedy, {"a.py": (Edit(start, start + 3, text.encode()),)})


def rescan(overlay: Overlay) -> list[Finding]:
    """A finding for each ``bad``, and one of another rule for each ``odd``."""
    lines = overlay.get("a.py", TEXT).splitlines()
    found = [finding(number) for number, line in enumerate(lines, start=1) if line.startswith(b"bad")]
    return found + [finding(number, "python/y") for number, line in enumerate(lines, start=1) if b"odd" in line]


def kept(*found: list[Candidate]) -> list[tuple[int, str]]:
    result = verified(FILES, found, rescan, "high")
    return sorted((each.finding.place.line, each.remedy.steps[0].api[1]) for each in result.kept)


def test_edits_that_are_right_are_kept_after_one_scan() -> None:
    result = verified(FILES, [[candidate(1, "good")], [candidate(2, "fine")]], rescan, "high")
    assert (len(result.kept), result.scans, result.failed, result.untried) == (2, 2, 0, 0)


def test_an_edit_with_which_the_finding_stays_gives_way_to_the_next() -> None:
    assert kept([candidate(1, "badly"), candidate(1, "good")], [candidate(2, "good")]) == [(1, "good"), (2, "good")]


def test_an_edit_with_which_there_is_a_new_finding_is_found_among_others() -> None:
    assert kept([candidate(1, "good")], [candidate(2, "odd")], [candidate(3, "good")]) == [(1, "good"), (3, "good")]


def test_an_edit_that_does_not_parse_is_not_scanned() -> None:
    assert kept([candidate(1, "good("), candidate(1, "fine")]) == [(1, "fine")]
    assert verified(FILES, [[candidate(1, "(")]], rescan, "high").scans == 0


def test_a_new_finding_that_would_not_be_reported_does_not_count() -> None:
    def low(overlay: Overlay) -> list[Finding]:
        from dataclasses import replace

        return [replace(each, confidence="low") if each.rule_id == "python/y" else each for each in rescan(overlay)]

    assert len(verified(FILES, [[candidate(2, "odd")]], low, "high").kept) == 1
    assert len(verified(FILES, [[candidate(2, "odd")]], low, "low").kept) == 0


def test_scans_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.scanner.fix.verify.MAX_FIX_SCANS", 3)
    wrong = [candidate(1, "badly")] * 9
    result = verified(FILES, [wrong], rescan, "high")
    assert (len(result.kept), result.scans, result.untried) == (0, 3, 1)


def test_edits_are_merged_only_where_they_do_not_contradict_each_other() -> None:
    assert merged([Edit(3, 4), Edit(0, 0, b"import a\n"), Edit(0, 0, b"import b\n"), Edit(3, 4)]) == [
        Edit(0, 0, b"import a\n"),
        Edit(0, 0, b"import b\n"),
        Edit(3, 4),
    ]
    assert merged([Edit(1, 3), Edit(2, 4)]) is None
    assert merged([Edit(1, 1, b"a"), Edit(1, 1, b"b")]) is None


def test_offsets_lead_back_to_the_text_before_the_edits() -> None:
    edits = [Edit(0, 0, b"xx"), Edit(3, 5, b"y")]
    assert edited(b"abcdef", edits) == b"xxabcyf"
    assert [before(edits, at) for at in range(7)] == [(0, 0), (0, 0), (0, 0), (1, 1), (2, 2), (3, 5), (5, 5)]


@pytest.mark.parametrize(
    ("text", "name", "holds"),
    [
        (b'import (\n\t_ "github.com/lib/pq"\n)', "github.com/lib/pq", True),
        (b'import "github.com/jackc/pgx/v5"', "github.com/jackc/pgx", True),
        (b'import "github.com/lib/pqtest"', "github.com/lib/pq", False),
        (b"    import psycopg2.extras", "psycopg2", True),
        (b"from psycopg2 import connect", "psycopg", False),
        (b"x = psycopg2", "psycopg2", False),
    ],
)
def test_a_driver_is_known_by_its_import(text: bytes, name: str, holds: bool) -> None:
    assert _holds([b"", text], name) == holds
