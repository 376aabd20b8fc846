"""The model of a report: findings with their paths, and the report that holds them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pyrograph.model.check import Check
from pyrograph.model.comment import Comment
from pyrograph.model.entry import WHOLE_REQUEST, EntryPoint, Parameter, Surface
from pyrograph.model.fix import Fix
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Confidence, Severity, Vulnerability

StepKind = Literal["source", "flow", "call", "return", "store", "load", "assumed", "sink"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: where, and what happens there."""

    place: Place
    kind: StepKind
    message: str  # "read from the request", "passed to `f`", "stored in `x.f`", ...
    depth: int = 0  # how many calls deep, from 0: SARIF's nestingLevel
    doubtful: bool = False  # an assumed step that is most likely none: what was asked for comes from elsewhere
    resumed: bool = False  # another request goes on from here, with what an earlier one stored
    inline: bool = False  # a return of a function without a name, which is a part of the code around it


@dataclass(frozen=True, slots=True)
class Trace:
    """A real path of the graph from one source to the sink; first step the source, last the sink."""

    source_kind: str  # taint kind: "http", "cookie", "cli", ...
    source: str  # the API that was matched, as a reader would write it: "flask.request.args"
    steps: tuple[Step, ...]
    argument: int = 0  # where it ends: 0 at the finding's place, n at the n-th of the finding's ``arguments``
    entries: tuple[EntryPoint, ...] = ()  # by which requests reach the source, nearest first; () not known
    parameter: Parameter = WHOLE_REQUEST  # what the source reads of the request
    checks: tuple[Check, ...] = ()  # that are passed wherever the path goes, in its order
    # For which the path is listed: the call of the function with the sink, or of its caller, or the place of a template
    # that writes the data. Its source may be that of another path. None: the nearest path of a source.
    call: Place | None = None

    @property
    def is_written(self) -> bool:
        """Whether the path is listed because it ends at a further place of a template."""
        return self.call is not None and self.call == self.steps[-1].place


@dataclass(frozen=True, slots=True)
class Argument:
    """A further argument that untrusted data reaches: of the same call, or of another one of the same function that one
    check mends as well (``Vulnerability.together``).
    """

    place: Place
    text: str  # as it is written, on one line, shortened
    fingerprint: str  # of the finding that it would be by itself; baselines list it
    likeness: str = ""  # the same


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a finding has less than high confidence."""

    name: str  # "check", "long", ...: one of ``policy.doubts``
    words: str  # the same for a reader, after a colon: "a check on the path is not understood"


@dataclass(frozen=True, slots=True)
class Finding:
    """Untrusted data reaches a dangerous call: one per (rule, call), or (rule, place) where the sink is no argument;
    for some vulnerabilities one per (rule, function, value).
    """

    rule_id: str  # "<language>/<vulnerability>"
    vulnerability: str  # id of the Vulnerability
    severity: Severity
    confidence: Confidence  # "high", or lower where a step of the path was assumed
    message: str
    place: Place  # the sink's argument, on one line
    function: str  # qualified name of the enclosing function, "" at module level
    sink: str  # the API that was matched: "sqlite3.Cursor#execute"
    traces: tuple[Trace, ...]  # those to ``place`` first, nearest source first; at least one
    num_sources: int  # all sources that reach the sink, listed in ``traces`` or not
    fingerprint: str  # stable under edits elsewhere in the file; hex
    arguments: tuple[Argument, ...] = ()  # beside the one at ``place``; by place
    doubt: Doubt | None = None  # of the best path; none with high confidence
    likeness: str = ""  # of code that was moved or formatted anew: equal for equal code of source and sink; hex

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """One for each argument, that of the finding first."""
        return (self.fingerprint, *(argument.fingerprint for argument in self.arguments))

    @property
    def likenesses(self) -> tuple[str, ...]:
        """One for each argument, that of the finding first."""
        return (self.likeness, *(argument.likeness for argument in self.arguments))

    def end_of(self, trace: Trace) -> Place:
        """The place of the argument that ``trace`` leads to."""
        return self.arguments[trace.argument - 1].place if trace.argument else self.place

    @property
    def of_sources(self) -> tuple[Trace, ...]:
        """The nearest path of each source that is listed."""
        return tuple(trace for trace in self.traces if trace.call is None)

    @property
    def of_calls(self) -> tuple[Trace, ...]:
        """The paths of further calls of the function with the sink, and to further places of the template."""
        return tuple(trace for trace in self.traces if trace.call is not None)

    @property
    def trace(self) -> Trace:
        """The path that is shown first: nearest source, shortest path."""
        return self.traces[0]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that is not counted, and why."""

    finding: Finding
    by: Literal["comment", "baseline", "triage"]
    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """Findings of one rule that the options of this scan do not report, and the options that would."""

    rule_id: str
    severity: Severity
    options: tuple[str, ...]  # all of them are needed: ("--profile audit", "--confidence low")
    count: int  # at least 1


@dataclass(frozen=True, slots=True)
class Stage:
    """Time spent in one stage; never part of JSON or SARIF."""

    name: str
    seconds: float  # wall-clock


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of one scan. Every field but ``stages`` and ``launches`` is a function of the input alone."""

    files: int = 0
    lines: int = 0
    files_by_language: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)  # reason -> number of files left out
    values: int = 0
    flow_edges: int = 0
    calls: int = 0
    resolved_calls: int = 0  # to a function of the program or a modelled API
    sources: int = 0  # (value, API) pairs: a read that matches two names of an API counts twice
    sinks: int = 0
    graph_nodes: int = 0  # of the searched graph, after pruning
    graph_edges: int = 0
    syntax_nodes: int = 0
    error_nodes: int = 0
    unhandled_nodes: int = 0  # lowered as "made of its parts"
    stages: tuple[Stage, ...] = ()
    launches: tuple[Stage, ...] = ()  # programs that a device ran within the search, by its own clock


@dataclass(frozen=True, slots=True)
class Moved:
    """A finding of both states whose code was moved, renamed or formatted anew."""

    finding: Finding
    before: Place


@dataclass(frozen=True, slots=True)
class Difference:
    """What became of the findings of an earlier state; the new ones are ``Report.findings``.

    Each tuple is sorted by place. Suppressed findings are in the last one, if they are new, or in none.
    """

    base: str  # the revision as it was given
    commit: str  # its name, or that of the commit where the later state left it; "" for an empty history
    head: str  # the later revision as it was given; "" for the work tree
    unchanged: tuple[Finding, ...] = ()  # of the later state
    moved: tuple[Moved, ...] = ()
    fixed: tuple[Finding, ...] = ()  # of the earlier state
    new_suppressed: tuple[Finding, ...] = ()  # new, but suppressed
    sources: Mapping[str, bytes] = field(default_factory=dict)  # path -> content in the earlier state, for excerpts

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many findings are unchanged, moved and fixed."""
        return len(self.unchanged), len(self.moved), len(self.fixed)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reporter needs; findings and problems are sorted and unique."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    vulnerabilities: Mapping[str, Vulnerability]  # by id, at least those of the findings
    statistics: Statistics
    suppressed: tuple[Suppressed, ...] = ()
    withheld: tuple[Withheld, ...] = ()  # by options, then rule; rules that were not selected are not counted
    notes: tuple[str, ...] = ()  # what hides findings: configuration used, baselines, excludes
    sources: Mapping[str, bytes] = field(default_factory=dict)  # path -> content, for excerpts
    # What the analysis knows of other texts: pattern -> path -> whether the text has it; path -> spans that were read.
    searched: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    pieces: Mapping[str, Collection[tuple[int, int]]] = field(default_factory=dict)
    comments: Mapping[str, Sequence[Comment]] = field(default_factory=dict)  # path -> those that may suppress findings
    surface: tuple[Surface, ...] = ()  # all entry points, if ``ScanOptions.surface`` asks for them; sorted
    difference: Difference | None = None  # where states were compared: ``findings`` are the new ones then
    fixes: Mapping[str, Fix] = field(default_factory=dict)  # by the finding's fingerprint; none unless asked for
