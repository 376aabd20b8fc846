"""A finding says nothing that a graver one of the same argument says already, unless that one is less certain."""

from __future__ import annotations

from dataclasses import replace

from tests.report.reports import sql_injection

from pyrograph.model.vulnerability import Confidence
from pyrograph.rules import load_rules
from pyrograph.scanner.explain.arguments import Reached
from pyrograph.scanner.explain.lesser import without_lesser

KNOWN = load_rules(["python"]).vulnerabilities


def reached(vulnerability: str, sources: frozenset[int], confidence: Confidence = "high") -> Reached:
    rule = f"python/{vulnerability}"
    finding = replace(sql_injection(), rule_id=rule, vulnerability=vulnerability, confidence=confidence)
    return Reached(finding, (rule, "a.py", 1, 2), "x", sources)


def test_what_a_graver_finding_of_the_same_data_includes_is_left_out() -> None:
    both, one = frozenset({1, 2}), frozenset({1})
    graver, lesser = reached("ssrf", both), reached("ssrf-path", one)
    assert without_lesser([graver, lesser], KNOWN) == [graver]
    for apart in (
        [reached("ssrf", one), reached("ssrf-path", both)],  # of other data as well
        [reached("ssrf", both, "medium"), lesser],
        [graver._replace(finding=replace(graver.finding, place=replace(graver.finding.place, line=1))), lesser],
        [reached("xss", both), lesser],
    ):
        assert without_lesser(apart, KNOWN) == apart


def test_what_one_function_reads_is_sent_by_one_client() -> None:
    host = reached("ssrf", frozenset({1}))._replace(readers=frozenset({7}))
    path = reached("ssrf-path", frozenset({2}))._replace(readers=frozenset({7}))
    assert without_lesser([host, path], KNOWN) == [host]
    for elsewhere in (frozenset({7, 8}), frozenset({8}), frozenset[int]()):
        other = path._replace(readers=elsewhere)
        assert without_lesser([host, other], KNOWN) == [host, other]


def test_vulnerabilities_are_part_of_some_that_exist() -> None:
    named = {each for vulnerability in KNOWN.values() for each in vulnerability.part_of}
    assert "ssrf" in named
    assert named <= KNOWN.keys()
