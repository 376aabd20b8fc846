"""Data that the stages of a scan exchange, and the policy for faults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyrograph.model.entry import Surface
from pyrograph.model.finding import Finding, Statistics, Withheld
from pyrograph.model.problem import Problem
from pyrograph.scanner.files.discover import Discovery
from pyrograph.scanner.options import ScanOptions

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.scanner.analysis.apis import Apis
    from pyrograph.scanner.analysis.label import Labels
    from pyrograph.scanner.analysis.link import Program
    from pyrograph.scanner.analysis.lower import Lowered
    from pyrograph.scanner.analysis.resolve import Resolution
    from pyrograph.scanner.explain import Texts
    from pyrograph.scanner.text_reader import TextReader


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """The policy of a scan for faults.

    ``isolated_files``: an earlier attempt crashed. Each file is lowered in a process of its own, and the whole program
    is first analysed in a child process, so that another crash is seen from outside.
    ``in_parts``: an earlier attempt ran out of memory. The program is analysed in parts, each in a process of its own;
    flows between parts are missed.
    ``on_error``: called with each internal error, for its traceback. An exception that it raises ends the scan.
    """

    isolated_files: bool = False
    in_parts: bool = False
    on_error: Callable[[BaseException], None] | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Input of the whole-program stages: the files of a scan as units, the rules and the manifests."""

    options: ScanOptions
    found: Discovery
    lowered: Sequence[Lowered]
    rules: Rules
    manifests: Mapping[str, bytes]
    templates: dict[str, bytes] = field(default_factory=dict)  # texts of those that were read, by path; grows


@dataclass(frozen=True, slots=True)
class LabelledProgram:
    """Output of the stages up to the labels."""

    found: Discovery
    lowered: Sequence[Lowered]
    problems: list[Problem]
    rules: Rules
    program: Program
    resolution: Resolution
    apis: dict[str, Apis]  # by language
    labels: Labels
    texts: Texts
    read: TextReader  # texts that were read
    notes: tuple[str, ...]  # assumptions that the report states


@dataclass(frozen=True, slots=True)
class NoFiles:
    """No file could be read."""

    found: Discovery
    problems: list[Problem]
    rules: Rules


@dataclass(frozen=True, slots=True)
class Analysis:
    """Output of the whole-program stages for some files; plain data, so that processes can exchange it."""

    findings: Sequence[Finding] = ()
    problems: Sequence[Problem] = ()
    notes: tuple[str, ...] = ()
    statistics: Statistics = field(default_factory=Statistics)  # only the fields that these stages fill
    read: Mapping[str, bytes] = field(default_factory=dict)  # texts that excerpts need, by path
    withheld: Sequence[Withheld] = ()  # by options, then rule
    surface: Sequence[Surface] = ()  # by entry point
    searched: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)  # as ``Report.searched``
    pieces: Mapping[str, Collection[tuple[int, int]]] = field(default_factory=dict)  # as ``Report.pieces``
