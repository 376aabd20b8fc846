from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sarif_pydantic import Sarif
from tests.report.reports import DB, SQL_INJECTION, empty, hostile, many, realistic, sql_injection

from pyrograph.model.finding import Report, Stage, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.report.line_hashes import LineHashes
from pyrograph.report.sarif import render


def log(report: Report, **settings: Any) -> Any:
    stream = io.StringIO()
    render(report, stream, **settings)
    return json.loads(stream.getvalue())


def run_of(report: Report, **settings: Any) -> Any:
    return log(report, **settings)["runs"][0]


@pytest.mark.parametrize("report", [realistic(), empty(), hostile(), many(120)], ids=str)
@pytest.mark.parametrize("include_suppressed", [False, True])
def test_a_typed_model_of_the_standard_accepts_the_log(report: Report, include_suppressed: bool) -> None:
    parsed = Sarif.model_validate(log(report, include_suppressed=include_suppressed))
    wanted = len(report.findings) + len(report.suppressed) * include_suppressed
    assert len(parsed.runs[0].results or []) == wanted


def test_the_primary_location_is_the_sink_on_one_line() -> None:
    result = run_of(realistic())["results"][0]
    assert [location["physicalLocation"] for location in result["locations"]] == [
        {
            "artifactLocation": {"uri": "app/db.py"},
            "region": {
                "startLine": 9,
                "startColumn": 20,
                "endLine": 9,
                "endColumn": 25,
                "snippet": {"text": "query"},
            },
            "contextRegion": {
                "startLine": 6,
                "endLine": 10,
                "snippet": {"text": "\n".join(DB.decode().splitlines()[5:])},
            },
        }
    ]


def test_every_step_has_the_code_of_its_region() -> None:
    result = run_of(realistic())["results"][0]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    shown = [step["location"]["physicalLocation"]["region"]["snippet"]["text"] for step in steps]
    assert shown == ["request.args", "name", "name", "f\"select * from users where name = '{name}'\"", "query"]
    assert all("contextRegion" not in step["location"]["physicalLocation"] for step in steps)


def test_a_long_line_and_a_missing_file_have_no_snippet() -> None:
    place = Place("app/db.py", 1, 1, 1, 3000)
    report = replace(realistic(), findings=(replace(sql_injection(), place=place),))
    for sources in ({}, {"app/db.py": b"x" * 3000}, {"app/db.py": b""}):
        physical = run_of(replace(report, sources=sources))["results"][0]["locations"][0]["physicalLocation"]
        assert "contextRegion" not in physical or sources["app/db.py"] == b""
        assert physical["region"].get("snippet") is None


def test_the_help_is_that_of_the_language() -> None:
    parts = {"Python": "%s", "JavaScript": "`?`", "Go": "`$1`", "Everywhere": "tables"}
    help = "## How to fix it\n\n" + "".join(f"### {title}\n\nUse {text}.\n\n" for title, text in parts.items())
    vulnerability = replace(SQL_INJECTION, help=help + "## References\n\n- CWE-89\n")
    finding = replace(sql_injection(), rule_id="go/sql-injection")
    report = replace(realistic(), findings=(finding,), vulnerabilities={"sql-injection": vulnerability})
    (rule,) = run_of(report)["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"] == (
        "## How to fix it\n\n### Go\n\nUse `$1`.\n\n### Everywhere\n\nUse tables.\n\n## References\n\n- CWE-89\n"
    )


def test_a_sink_of_several_lines_is_cut_to_its_first() -> None:
    finding = replace(sql_injection(), place=Place("app/db.py", 3, 5, 7, 2))
    region = run_of(replace(realistic(), findings=(finding,)))["results"][0]["locations"][0]["physicalLocation"][
        "region"
    ]
    assert region == {"startLine": 3, "startColumn": 5, "endLine": 3}


def test_paths_become_code_flows_nearest_source_first() -> None:
    result = run_of(realistic())["results"][0]
    first, second = (flow["threadFlows"][0]["locations"] for flow in result["codeFlows"])
    assert [step["kinds"][0] for step in first] == ["source", "call", "taint", "taint", "sink"]
    assert [step["nestingLevel"] for step in first] == [0, 0, 1, 1, 1]
    assert [step["executionOrder"] for step in first] == [1, 2, 3, 4, 5]
    assert [step["importance"] for step in first] == ["essential", "important", "important", "important", "essential"]
    assert second[1]["kinds"] == ["unknown", "taint"]
    assert second[1]["location"]["message"]["text"] == "assumed: `get` may return part of it"


def test_the_message_links_the_sources_and_counts_the_others() -> None:
    result = run_of(realistic())["results"][0]
    assert result["message"]["text"] == (
        "Untrusted data from flask.request.args becomes SQL text in sqlite3.Cursor#execute. "
        "Sources: [the request (flask.request.args)](1), [the request (flask.request.form)](2) and 3 more."
    )
    assert [related["id"] for related in result["relatedLocations"]] == [1, 2]


def test_rules_carry_what_code_scanning_sorts_by() -> None:
    driver = run_of(realistic())["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["python/open-redirect", "python/sql-injection"]
    rule = driver["rules"][1]
    assert rule["name"] == "SqlInjection"
    assert rule["properties"] == {
        "tags": ["security", "external/cwe/cwe-089", "external/cwe/cwe-943"],
        "precision": "high",
        "security-severity": "9.8",
        "problem.severity": "error",
    }
    assert rule["defaultConfiguration"] == {"level": "error"}
    assert (
        rule["fullDescription"]["text"]
        == "Text that users choose becomes part of a SQL statement: they change its meaning."
    )
    assert "```" in rule["help"]["markdown"]
    assert "```" not in rule["help"]["text"]
    for result in run_of(realistic())["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_a_rule_without_texts_is_still_a_rule() -> None:
    report = replace(realistic(), vulnerabilities={})
    assert [rule["id"] for rule in run_of(report)["tool"]["driver"]["rules"]] == [
        "python/open-redirect",
        "python/sql-injection",
    ]


def test_fingerprints_hold_ours_and_that_of_the_line() -> None:
    result = run_of(realistic())["results"][0]
    hashes = LineHashes(realistic().sources["app/db.py"])
    assert result["partialFingerprints"] == {
        "pyrograph/v1": sql_injection().fingerprint,
        "primaryLocationLineHash": hashes.of(9),
    }
    without = run_of(replace(realistic(), sources={}))["results"][0]
    assert set(without["partialFingerprints"]) == {"pyrograph/v1"}


# Computed once in the rolling form of the definition (multiply by 37, add the new unit, take away the one that leaves).
VECTORS = [
    (b"", ["c129715d7a2bc9a3:1"]),
    (b"a\n", ["243cbaa4685aab12:1", "c129715d7a2bc9a3:1"]),
    (b"x = 1\nx = 1\n", ["87c133c3324ef59b:1", "8e00d41f0ebba6bf:1", "c129715d7a2bc9a3:1"]),
    (
        "\tvar foo = 'é\U0001f600';\r\nbar()\r".encode(),
        ["509682f4d385beea:1", "e1c8eeed8f7964cf:1", "c129715d7a2bc9a3:1"],
    ),
]


@pytest.mark.parametrize(("content", "expected"), VECTORS)
def test_line_hashes_are_those_of_the_definition(content: bytes, expected: list[str]) -> None:
    hashes = LineHashes(content)
    assert [hashes.of(number) for number in range(1, len(expected) + 1)] == expected


def test_a_single_unit_before_the_end_can_be_checked_on_paper() -> None:
    expected = (ord("a") * 37**99 + 0xFFFF * 37**98) % 2**64
    assert LineHashes(b" \ta").of(1) == f"{expected:x}:1"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "é", "\U0001f600", "x = 1;", "y" * 70, ""])), st.sampled_from(["\n", "\r\n", "\r"])
)
def test_blanks_and_kinds_of_line_ends_do_not_change_a_line_hash(lines: list[str], end: str) -> None:
    plain = LineHashes("\n".join(lines).encode())
    other = LineHashes(end.join(f" {line}\t" for line in lines).encode())
    assert [plain.of(n) for n in range(1, len(lines) + 2)] == [other.of(n) for n in range(1, len(lines) + 2)]


def test_equal_lines_far_from_the_end_are_numbered_and_missing_lines_fall_back_to_the_first() -> None:
    hashes = LineHashes(b"    return value\n" * 40)
    value, number = hashes.of(1).split(":")
    assert [hashes.of(n) for n in (2, 3)] == [f"{value}:2", f"{value}:3"]
    assert number == "1"
    assert hashes.of(0) == hashes.of(4_000) == hashes.of(1)


def test_columns_count_code_points() -> None:
    assert run_of(realistic())["columnKind"] == "unicodeCodePoints"


def test_addresses_are_percent_encoded_and_start_at_the_prefix() -> None:
    result = run_of(hostile(), prefix="back end/")["results"][0]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("back%20end/%1B%5B2J")
    assert unquote(uri, errors="surrogateescape") == "back end/" + hostile().findings[0].place.path


def test_names_cannot_form_links_or_placeholders() -> None:
    result = run_of(hostile())["results"][0]
    text = result["message"]["text"]
    assert "\\[x](0){{0}}" in text
    assert "\\[x\\](0)" in text  # within the link to the source
    assert "\x1b" not in text


def test_suppressed_findings_come_only_when_asked_for_and_say_why() -> None:
    assert len(run_of(realistic())["results"]) == 2
    results = run_of(realistic(), include_suppressed=True)["results"]
    assert [result.get("suppressions") for result in results if "suppressions" in result] == [
        [{"kind": "inSource", "status": "accepted", "justification": "only internal targets"}]
    ]


def test_problems_and_notes_are_notifications() -> None:
    invocation = run_of(realistic())["invocations"][0]
    assert invocation["executionSuccessful"] is True
    execution = [(n["descriptor"]["id"], n["level"]) for n in invocation["toolExecutionNotifications"]]
    assert execution == [("limit", "warning"), ("syntax-error", "warning")]
    configuration = [(n["descriptor"]["id"], n["level"]) for n in invocation["toolConfigurationNotifications"]]
    assert configuration == [("suppression", "note"), ("note", "note"), *[("withheld", "note")] * 3]
    assert run_of(empty())["invocations"] == [{"executionSuccessful": True}]


def test_results_over_the_limit_leave_the_worst_and_a_notification() -> None:
    run = run_of(many(5_100))
    assert len(run["results"]) == 5_000
    assert [r["level"] for r in run["results"]].count("note") == 1_175
    assert (
        "5,100 findings; the 5,000 most severe"
        in (run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])
    )


def test_a_path_over_the_limit_keeps_both_ends_and_a_notification() -> None:
    steps = tuple(Step(Place("a.py", n, 1, n, 2), "flow", "on") for n in range(1, 2_001))
    steps = (replace(steps[0], kind="source"), *steps[1:-1], replace(steps[-1], kind="sink"))
    finding = replace(sql_injection(), traces=(Trace("http", "x", steps),))
    run = run_of(replace(realistic(), findings=(finding,)))
    locations = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(locations) == 1_000
    assert [locations[0]["executionOrder"], locations[-1]["executionOrder"]] == [1, 2_000]
    assert "the middle is left out" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


def test_notifications_over_the_limit_are_counted() -> None:
    problems = tuple(Problem("limit", "a.py", n, "cut") for n in range(1_500))
    notifications = run_of(replace(empty(), problems=problems))["invocations"][0]["toolExecutionNotifications"]
    assert len(notifications) == 1_000
    assert notifications[-1]["message"]["text"] == "501 further notifications left out."


def test_a_run_has_a_category() -> None:
    assert run_of(empty())["automationDetails"] == {"id": "pyrograph/"}
    assert run_of(empty(), category="backend/")["automationDetails"] == {"id": "backend/"}


def test_no_list_of_locations_is_empty() -> None:
    finding = replace(sql_injection(), traces=(Trace("http", "x", ()),))
    text = json.dumps(run_of(replace(realistic(), findings=(finding,)))["results"])
    assert "[]" not in text


def test_times_and_order_leave_no_mark() -> None:
    report = realistic()
    other = replace(
        report,
        findings=report.findings[::-1],
        problems=report.problems[::-1],
        statistics=replace(report.statistics, stages=(Stage("lower", 99.0),)),
    )
    assert json.dumps(log(report)) == json.dumps(log(other))
