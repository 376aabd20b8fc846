"""SARIF 2.1.0, as GitHub code scanning takes it (SARIF is an OASIS standard; section numbers below are its own).

* Addresses are relative URIs, percent-encoded, ``/`` on every system; regions count from 1, in code points.
* The primary location is the sink's argument on one line: a pull request shows an alert only if all its lines changed.
* Regions have the code as ``snippet``, so that viewers need no checkout; the primary one has the lines around it, too.
* ``help`` is that of the finding's language.
* ``codeFlows`` holds the paths, nearest source first, and is absent rather than empty.
* ``partialFingerprints`` holds ``primaryLocationLineHash`` (GitHub's own, so that alerts of other uploads match) and
  ``pyrograph/v1``, which holds no line number.
* ``baselineState`` is there where two states were compared: new, unchanged, updated (moved code) or absent (fixed).
* Limits of the reader are kept here, and what they cost is a notification in the same file.
* No times, no absolute paths, nothing of the machine: equal reports give equal bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TextIO

from pyrograph import __version__
from pyrograph.model.check import Check
from pyrograph.model.finding import Difference, Finding, Report, Step, Suppressed, Trace
from pyrograph.model.fix import Fix
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity, Vulnerability
from pyrograph.model.words import plural
from pyrograph.report.common import SourceLines, help_for, in_order, source_label, worst_first
from pyrograph.report.jsontext import write_json
from pyrograph.report.line_hashes import LineHashes
from pyrograph.report.routes import entry_point, parameter
from pyrograph.report.safe_text import joined, uri, visible
from pyrograph.report.sentences import withheld_lines

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

MAX_RESULTS = 5_000  # GitHub refuses 25,000 and shows 5,000
MAX_LOCATIONS = 1_000  # of one path: GitHub refuses 10,000 and keeps 1,000
MAX_RELATED = 99  # locations of a result: GitHub shows 100, and the primary one is among them
MAX_NOTIFICATIONS = 1_000
MAX_TAGS = 10
MAX_SNIPPET = 1_000  # code points of a line that is shown
CONTEXT_LINES = 3  # above and below the sink

LEVELS: Mapping[Severity, str] = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
PROBLEM_SEVERITIES: Mapping[Severity, str] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "recommendation",
}

# threadFlowLocation.kinds (3.38.8) of each kind of step
KINDS: Mapping[str, list[str]] = {
    "source": ["source", "taint"],
    "sink": ["sink", "taint"],
    "call": ["call", "taint"],
    "return": ["return", "taint"],
    "assumed": ["unknown", "taint"],
}

ABOUT_CONFIGURATION = ("configuration", "suppression", "baseline", "note")


def render(
    report: Report,
    stream: TextIO,
    *,
    prefix: str = "",
    category: str = "pyrograph",
    include_suppressed: bool = False,
    max_results: int = MAX_RESULTS,
    max_locations: int = MAX_LOCATIONS,
) -> None:
    """Write ``report`` as a SARIF log with one run.

    Args:
        report: What to write.
        stream: Where to; all text is ASCII.
        prefix: Folder of the scan root, relative to the repository root: addresses must start at the latter.
        category: Keeps several uploads for one commit apart (``automationDetails.id``); the same in every run.
        include_suppressed: Also write suppressed findings, marked so. GitHub opens alerts for them all the same.
        max_results: At most so many results, the worst ones; the rest is counted in a notification.
        max_locations: At most so many locations of one path: its first and last ones.
    """
    run = _Run(report, prefix, max_locations).document(category, include_suppressed, max_results)
    write_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, stream)
    stream.write("\n")


class _Run:
    """One run in the making: collects what was cut while results are written."""

    def __init__(self, report: Report, prefix: str, max_locations: int) -> None:
        self.report = report
        self.prefix = prefix
        self.max_locations = max(2, max_locations)
        self.lines = SourceLines(report.sources)
        self.shortened = 0  # paths
        self.line_hashes: dict[str, LineHashes] = {}

    def document(self, category: str, include_suppressed: bool, max_results: int) -> dict[str, Any]:
        suppressed: dict[Finding, Suppressed] = {}
        if include_suppressed:
            suppressed = {entry.finding: entry for entry in self.report.suppressed}
        difference = self.report.difference
        states = {} if difference is None else _states(self.report, difference, suppressed)
        others = () if difference is None else (*difference.unchanged, *(each.finding for each in difference.moved))
        absent = () if difference is None else difference.fixed
        found = [*worst_first([*self.report.findings, *suppressed]), *worst_first(others), *worst_first(absent)]
        kept = in_order(found[:max_results])
        rules = {rule_id: index for index, rule_id in enumerate(sorted({f.rule_id for f in kept}))}
        example = {finding.rule_id: finding for finding in kept}
        earlier = (
            self
            if difference is None
            else _Run(replace(self.report, sources=difference.sources), self.prefix, self.max_locations)
        )
        results = []
        for finding in kept:
            state = states.get(finding, "")
            run = earlier if state == "absent" else self
            results.append(run.result(finding, rules, suppressed.get(finding), state))
        if earlier is not self:
            self.shortened += earlier.shortened
        cuts = []
        if len(found) > len(kept):
            cuts.append(
                f"{plural(len(found), 'finding')}; the {len(kept):,} most severe are in this report. Narrow the scan, "
                "raise --severity, or use the json format for all of them."
            )
        if self.shortened:
            cuts.append(
                f"{plural(self.shortened, 'path')} with more than {self.max_locations:,} steps: the middle is left "
                "out. The json format has all steps."
            )
        return {
            "tool": {
                "driver": {
                    "name": "pyrograph",
                    "semanticVersion": __version__,
                    "version": __version__,
                    "rules": [self.rule(example[rule_id]) for rule_id in rules],
                }
            },
            "automationDetails": {"id": category.rstrip("/") + "/"},
            "columnKind": "unicodeCodePoints",
            "invocations": [self.invocation(cuts)],
            "results": results,
        }

    def rule(self, finding: Finding) -> dict[str, Any]:
        vulnerability = self.report.vulnerabilities.get(finding.vulnerability)
        if vulnerability is None:
            return {"id": visible(finding.rule_id), "defaultConfiguration": {"level": LEVELS[finding.severity]}}
        help = help_for(vulnerability.help, finding.rule_id)
        cwes = [f"external/cwe/cwe-{number:03d}" for number in vulnerability.cwe]
        rule: dict[str, Any] = {
            "id": visible(finding.rule_id),
            "name": _pascal_case(vulnerability.id)[:255],
            "shortDescription": {"text": _sentence(vulnerability.title)},
            "fullDescription": {"text": _full_description(vulnerability)},
            "help": {"text": _plain(help), "markdown": help},
            "defaultConfiguration": {"level": LEVELS[vulnerability.severity]},
            "properties": {
                "tags": ["security", *cwes][:MAX_TAGS],
                "precision": vulnerability.precision,
                "security-severity": f"{vulnerability.security_severity:.1f}",
                "problem.severity": PROBLEM_SEVERITIES[vulnerability.severity],
            },
        }
        if vulnerability.cwe:
            rule["helpUri"] = f"https://cwe.mitre.org/data/definitions/{vulnerability.cwe[0]}.html"
        return rule

    def result(
        self, finding: Finding, rules: Mapping[str, int], suppressed: Suppressed | None, state: str = ""
    ) -> dict[str, Any]:
        """``state``: "" where no two states were compared, else as ``_states`` has it."""
        fingerprints = {"pyrograph/v1": finding.fingerprint}
        if line_hash := self.line_hash(finding.place):
            fingerprints["primaryLocationLineHash"] = line_hash
        location = self.location(finding.place, one_line=True, with_context=True)
        if finding.function:
            location["logicalLocations"] = [{"fullyQualifiedName": visible(finding.function), "kind": "function"}]
        result: dict[str, Any] = {
            "ruleId": visible(finding.rule_id),
            "ruleIndex": rules[finding.rule_id],
            "level": LEVELS[finding.severity],
            "message": {"text": _message(finding)},
            "locations": [location],
            "partialFingerprints": fingerprints,
        }
        if state:
            result["baselineState"] = state
        flows = [self.code_flow(trace) for trace in finding.traces if trace.steps]
        if flows:
            result["codeFlows"] = flows
        if related := _linked_sources(finding):
            result["relatedLocations"] = [
                {"id": number, **self.location(trace.steps[0].place), "message": {"text": _text(source_label(trace))}}
                for number, trace in enumerate(related, start=1)
            ]
        if suppressed is not None:
            result["suppressions"] = [_suppression(suppressed)]
        if (fix := self.report.fixes.get(finding.fingerprint)) is not None:
            result["fixes"] = [self.fix(fix)]
        result["properties"] = {
            "confidence": finding.confidence,
            **({"doubt": finding.doubt.words} if finding.doubt else {}),
            "severity": finding.severity,
            "sink": visible(finding.sink),
            "numSources": finding.num_sources,
        }
        if finding.trace.entries:
            result["properties"]["entryPoints"] = [entry_point(each) for each in finding.trace.entries]
            result["properties"]["parameter"] = parameter(finding.trace.parameter)
        if finding.trace.checks:
            result["properties"]["checks"] = [self.check(each) for each in finding.trace.checks]
        return result

    def check(self, check: Check) -> dict[str, Any]:
        """A check in the property bag: a location whose message says what is passed."""
        return {**self.location(check.place), "message": {"text": _text(check.words)}}

    def fix(self, fix: Fix) -> dict[str, Any]:
        """A fix (3.55): the replacements of each file."""
        changes: dict[str, list[dict[str, Any]]] = {}
        for each in fix.replacements:
            place = each.place
            region = {"startLine": place.line, "startColumn": place.column}
            region |= {"endLine": place.end_line, "endColumn": place.end_column}
            replacement: dict[str, Any] = {"deletedRegion": region}
            if each.text:
                replacement["insertedContent"] = {"text": _text(each.text)}
            changes.setdefault(place.path, []).append(replacement)
        return {
            "description": {"text": _text(_sentence(fix.title))},
            "artifactChanges": [
                {"artifactLocation": self.artifact(path), "replacements": own} for path, own in changes.items()
            ],
        }

    def code_flow(self, trace: Trace) -> dict[str, Any]:
        steps = list(enumerate(trace.steps, start=1))
        if len(steps) > self.max_locations:
            first = (self.max_locations + 1) // 2
            steps = steps[:first] + steps[len(steps) - (self.max_locations - first) :]
            self.shortened += 1
        locations = []
        line_before: tuple[str, int] | None = None
        for order, step in steps:
            line = (step.place.path, step.place.line)
            locations.append(
                {
                    "location": {**self.location(step.place), "message": {"text": _text(_step_message(step))}},
                    "kinds": KINDS.get(step.kind, ["taint"]),
                    "nestingLevel": step.depth,
                    "executionOrder": order,
                    "importance": _importance(step, same_line=line == line_before),
                }
            )
            line_before = line
        return {"threadFlows": [{"locations": locations}]}

    def location(self, place: Place, *, one_line: bool = False, with_context: bool = False) -> dict[str, Any]:
        line = max(1, place.line)
        column = max(1, place.column)
        region: dict[str, Any] = {"startLine": line, "startColumn": column}
        if place.end_line == line:
            region |= {"endLine": line, "endColumn": max(column, place.end_column)}
        elif place.end_line > line and not one_line:
            region |= {"endLine": place.end_line, "endColumn": max(1, place.end_column)}
        else:  # without endColumn a region ends with its line (3.30.8)
            region |= {"endLine": line}
        physical: dict[str, Any] = {"artifactLocation": self.artifact(place.path), "region": region}
        if text := self.snippet(place):
            region["snippet"] = {"text": text}
        if with_context and (context := self.context(place.path, line)):
            physical["contextRegion"] = context
        return {"physicalLocation": physical}

    def snippet(self, place: Place) -> str | None:
        """The text of a region of one line. None where it is long: a snippet is the whole text of its region."""
        text = self.lines.text(place) if place.end_line <= place.line else None
        return text if text is not None and len(text) <= MAX_SNIPPET else None

    def context(self, path: str, line: int) -> dict[str, Any] | None:
        """The lines around ``line``; None where one of them is long, as in minified code."""
        first = max(1, line - CONTEXT_LINES)
        found = (self.lines.line(path, number) for number in range(first, line + CONTEXT_LINES + 1))
        texts = [text for text in found if text is not None]
        if first + len(texts) <= line or max(map(len, texts)) > MAX_SNIPPET:
            return None
        if not texts[-1] and len(texts) > 1 and self.lines.line(path, first + len(texts)) is None:
            texts.pop()  # the file ends with a line feed
        return {"startLine": first, "endLine": first + len(texts) - 1, "snippet": {"text": "\n".join(texts)}}

    def artifact(self, path: str) -> dict[str, Any]:
        return {"uri": uri(joined(self.prefix, path))}

    def line_hash(self, place: Place) -> str | None:
        content = self.report.sources.get(place.path)
        if content is None:
            return None  # the upload computes it then
        if place.path not in self.line_hashes:
            self.line_hashes[place.path] = LineHashes(content)
        return self.line_hashes[place.path].of(place.line)

    def invocation(self, cuts: Iterable[str]) -> dict[str, Any]:
        problems = sorted(self.report.problems)
        execution = [self.problem(p) for p in problems if p.kind not in ABOUT_CONFIGURATION]
        configuration = [self.problem(p) for p in problems if p.kind in ABOUT_CONFIGURATION]
        configuration += [_notification("note", "note", note) for note in self.report.notes]
        configuration += [_notification("withheld", "note", line) for line in withheld_lines(self.report)]
        execution = [_notification("report-limit", "warning", cut) for cut in cuts] + _capped(execution)
        invocation: dict[str, Any] = {"executionSuccessful": True}
        if execution:
            invocation["toolExecutionNotifications"] = execution
        if configuration:
            invocation["toolConfigurationNotifications"] = _capped(configuration)
        return invocation

    def problem(self, problem: Problem) -> dict[str, Any]:
        level = "warning" if problem.incomplete or problem.kind == "configuration" else "note"
        notification = _notification(problem.kind, level, problem.message)
        if problem.path:
            location: dict[str, Any] = {"artifactLocation": self.artifact(problem.path)}
            if problem.line >= 1:
                location["region"] = {"startLine": problem.line}
            notification["locations"] = [{"physicalLocation": location}]
        return notification


def _states(report: Report, difference: Difference, suppressed: Iterable[Finding]) -> dict[Finding, str]:
    """``baselineState`` (3.27.24) of each finding: all results of a run have one, or none has."""
    states = dict.fromkeys(suppressed, "unchanged") | dict.fromkeys(difference.new_suppressed, "new")
    states |= dict.fromkeys(difference.fixed, "absent") | dict.fromkeys(difference.unchanged, "unchanged")
    states |= dict.fromkeys((each.finding for each in difference.moved), "updated")
    return states | dict.fromkeys(report.findings, "new")


def _linked_sources(finding: Finding) -> list[Trace]:
    return [trace for trace in finding.of_sources if trace.steps][:MAX_RELATED]


def _message(finding: Finding) -> str:
    """The finding's sentence, which becomes the alert's title, then links to the sources."""
    text = _text(_sentence(finding.message))
    linked = _linked_sources(finding)
    if not linked:
        return text
    # The link's number is the id of a related location; brackets inside a link's text need a backslash (3.11.6).
    links = ", ".join(
        f"[{source_label(t).translate(_LINK_TEXT)}]({number})" for number, t in enumerate(linked, start=1)
    )
    more = finding.num_sources - len(linked)
    return f"{text} Source{'s' if finding.num_sources > 1 else ''}: {links}{f' and {more:,} more' if more > 0 else ''}."


_LINK_TEXT = str.maketrans({"[": r"\[", "]": r"\]", "\\": r"\\"})


def _step_message(step: Step) -> str:
    return f"assumed: {step.message}" if step.kind == "assumed" else step.message


def _importance(step: Step, *, same_line: bool) -> str:
    # Viewers fold what is unimportant: a step within the line that was just shown.
    if step.kind in ("source", "sink"):
        return "essential"
    return "unimportant" if step.kind == "flow" and same_line else "important"


def _suppression(entry: Suppressed) -> dict[str, Any]:
    suppression = {"kind": "inSource" if entry.by == "comment" else "external", "status": "accepted"}
    if entry.reason:
        suppression["justification"] = visible(entry.reason)
    return suppression


def _notification(kind: str, level: str, message: str) -> dict[str, Any]:
    return {"descriptor": {"id": kind}, "level": level, "message": {"text": _text(_sentence(message))}}


def _capped(notifications: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(notifications) <= MAX_NOTIFICATIONS:
        return notifications
    left_out = len(notifications) - MAX_NOTIFICATIONS + 1
    cut = _notification("report-limit", "warning", f"{plural(left_out, 'further notification')} left out.")
    return [*notifications[: MAX_NOTIFICATIONS - 1], cut]


def _text(text: str) -> str:
    """``text`` where SARIF's message syntax must not act: no links, no placeholders (3.11.5, 3.11.6).

    Readers show most messages as they are, so only what would be taken for syntax is changed.
    """
    text = re.sub(r"\[(?=[^\]]*\]\()", r"\\[", visible(text))
    return re.sub(r"\{(\d+)\}", r"{{\1}}", text)


def _sentence(text: str) -> str:
    text = text.strip() or "No description"
    return text if text.endswith((".", "!", "?")) else text + "."


def _full_description(vulnerability: Vulnerability) -> str:
    paragraph = next((p for p in vulnerability.help.split("\n\n") if p.strip() and not p.lstrip().startswith("#")), "")
    text = " ".join(_plain(paragraph).split()) or vulnerability.title
    return _sentence(text if len(text) <= 1_000 else text[:999].rstrip() + "…")


def _plain(markdown: str) -> str:
    """Markdown with the commonest marks taken away, for viewers that show text only."""
    text = re.sub(r"^#+\s*", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"^(```|~~~).*\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]+)\]\((https?://[^)]+)\)", r"\1 (\2)", text)
    return re.sub(r"(\*\*|`)(.+?)\1", r"\2", text).strip() or "No help text."


def _pascal_case(id: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^0-9A-Za-z]+", id)) or "Rule"
