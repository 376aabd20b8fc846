"""Reports turned into text for people and for programs: one file per format, one function in each.

Every format reads a ``Report`` and nothing else, so two calls with equal reports write equal text. A format's module is
imported when it is first asked for: choosing JSON does not load Rich.

To add a format: one file with ``render(report, stream, *, ...)`` and one line in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TextIO

from pyrograph.model.finding import Report


@dataclass(frozen=True, slots=True)
class Format:
    """Where a format is implemented and which settings it understands."""

    module: str  # file of this package whose ``render`` writes the format
    summary: str  # one line for ``--help``
    settings: frozenset[str] = frozenset()  # keyword arguments of its ``render``
    for_people: bool = False  # otherwise another program reads it


FORMATS: Mapping[str, Format] = {
    "text": Format(
        "text",
        "findings with their paths and code, for a terminal",
        frozenset({"color", "width", "stats", "max_steps", "max_paths", "verbose", "environ"}),
        for_people=True,
    ),
    "json": Format("json", "everything, in the schema of docs/json-schema.md"),
    "sarif": Format(
        "sarif",
        "SARIF 2.1.0, for GitHub code scanning and SARIF viewers",
        frozenset({"prefix", "category", "include_suppressed", "max_results", "max_locations"}),
    ),
    "github": Format("github", "annotations of a GitHub Actions job", frozenset({"prefix", "per_level"})),
    "gitlab-sast": Format(
        "gitlab_sast", "GitLab's SAST report (artifacts:reports:sast)", frozenset({"prefix", "start_time", "end_time"})
    ),
    "gitlab-codequality": Format(
        "gitlab_codequality", "GitLab's Code Quality report (artifacts:reports:codequality)", frozenset({"prefix"})
    ),
    "html": Format("html", "a page to look at: filters, paths as code, pictures; one file that loads nothing"),
    "concise": Format("concise", "one line a finding, for the error lists of editors"),
    "csv": Format("csv", "a table for spreadsheets and databases (RFC 4180)"),
    "junit": Format("junit", "JUnit XML: a failed test for each finding"),
    "markdown": Format("markdown", "a page for a job summary or a comment", frozenset({"max_bytes"}), for_people=True),
}

SETTINGS: frozenset[str] = frozenset().union(*(known.settings for known in FORMATS.values()))


def render(name: str, report: Report, stream: TextIO, **settings: object) -> None:
    """Write ``report`` to ``stream`` in the format ``name``, a key of ``FORMATS``.

    A setting means the same in every format that has it, so one set of settings serves several formats: those that this
    format does not have are left aside. Settings that are None are left to the format's default.

    Raises:
        ValueError: No such format.
        TypeError: A setting that no format has.
    """
    if name not in FORMATS:
        raise ValueError(f"unknown report format {name!r}; choose one of {', '.join(FORMATS)}")
    if unknown := sorted(settings.keys() - SETTINGS):
        raise TypeError(f"no report format has the setting {unknown[0]!r}; known are {', '.join(sorted(SETTINGS))}")
    chosen = FORMATS[name]
    module = import_module(f"pyrograph.report.{chosen.module}")
    module.render(report, stream, **{k: v for k, v in settings.items() if k in chosen.settings and v is not None})
