"""One question: the program, the graphs that are asked, and words for what is found in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pyrograph import graph as engine
from pyrograph.ir.codes import NONE, Op
from pyrograph.model.place import Place
from pyrograph.model.vulnerability import CALLERS, Vulnerability
from pyrograph.policy.limits.explanation import MAX_ROOTS
from pyrograph.scanner.analysis.assemble import AccessPath, Edges, FlowGraph, data_flow, expand
from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.search import Hit, search
from pyrograph.scanner.diagnose.answer import Ints, Line, Reason, Unanswerable
from pyrograph.scanner.explain import Rater, Steps
from pyrograph.scanner.stages import LabelledProgram

ANYWHERE = Vulnerability("", "a sink without a rule", (), "low", 0.1, "low", "{source} reaches {sink}", "")


@dataclass(frozen=True, slots=True)
class RemovedBarrier:
    """Something that passes nothing on, as an edge."""

    reason: Reason
    call: int  # row in calls, or NONE


class Question:
    """The program with everything that is asked of it, made when it is asked for, and words for its values."""

    def __init__(
        self, known: LabelledProgram, vulnerability: str | None, max_depth: int | None, kinds: frozenset[str]
    ) -> None:
        self.known = known
        self.program = known.program
        self.tables = known.program.tables
        self.resolution = known.resolution
        self.texts = known.texts
        self.vulnerability = vulnerability
        self.max_depth = max_depth
        self.kinds = kinds  # taint kinds and parties that the scan has on
        self.backend = engine.for_device("cpu")
        values = self.tables["values"]
        self.op, self.data, self.function = values["op"], values["data"], values["function"]
        self.start, self.end = values["start"], values["end"]
        self.labels = _with_any_sink(known.labels)
        self.any = len(known.labels.vulnerabilities)  # the bit of a sink that no rule knows
        self.gaps: dict[tuple[int, int], RemovedBarrier] = {}
        self.limits: dict[str, None] = {}
        self.others: Sequence[str] = ()  # vulnerabilities that the second line has sinks for
        self.possible: Sequence[str] = ()  # those that its calls can be sinks for, if called with other arguments
        self.columns: list[Ints] | None = None  # of the true edges: origin, target, kind, context

    def name(self, bit: int) -> str:
        return self.labels.vulnerabilities[bit]

    def span(self, at: Line) -> tuple[int, int, int]:
        """(file, first byte, byte behind the last) of a line that holds something."""
        files = {file.path: number for number, file in enumerate(self.program.files)}
        number = files.get(at.path)
        if number is None:
            raise Unanswerable(
                f"{at.path}: was not scanned; add the file or its directory to the paths; `pyrograph scan` lists what "
                "was skipped"
            )
        lines = self.texts.content(number).splitlines(keepends=True)
        if not 1 <= at.line <= len(lines):
            raise Unanswerable(f"{at.path}:{at.line}: the file has {len(lines)} lines; count from 1")
        first = sum(map(len, lines[: at.line - 1]))
        text = lines[at.line - 1].decode("utf-8", "replace").strip()
        if not text or text.startswith(("#", "//")):
            raise Unanswerable(f"{at.path}:{at.line}: the line is empty or a comment; name a line of code")
        return number, first, first + len(lines[at.line - 1])

    def on(self, span: tuple[int, int, int]) -> list[int]:
        """The values that begin in a span, in order."""
        number, first, last = span
        inside = np.flatnonzero(self.program.file_of_value == number)
        chosen = (self.start[inside] >= first) & (self.start[inside] < last) & (self.end[inside] > self.start[inside])
        found: list[int] = inside[chosen].tolist()
        return found

    def ask(
        self, edges: Edges, labels: Labels, seeds: list[SourceRole], ends: list[SinkRole]
    ) -> tuple[FlowGraph, list[Hit]]:
        asked = replace(labels, sources=seeds, sinks=ends)
        flow = expand(self.program, asked, edges)
        hits, _, _ = search(flow, asked, backend=self.backend, max_depth=None)
        return flow, hits

    def rater(self, flow: FlowGraph, labels: Labels, seeds: list[SourceRole], ends: list[SinkRole]) -> Rater:
        asked = replace(labels, sources=seeds, sinks=ends)
        known: Mapping[str, Vulnerability] = {**self.known.rules.vulnerabilities, "": ANYWHERE}
        suspects = [party for party in CALLERS if party in self.kinds]
        return Rater(Steps(self.program, self.resolution, asked, flow, self.texts), known, suspects)

    @cached_property
    def true_edges(self) -> Edges:
        return data_flow(self.program, self.resolution, self.labels)

    @cached_property
    def opened(self) -> Labels:
        """The labels with nothing that holds anything back."""
        return replace(
            self.labels,
            clean={},
            harmless_parts={},
            checks=replace(self.labels.checks, checked_by_call={}),
            non_returning=set(),
            numeric_parameters=set(),
            encoded=replace(self.labels.encoded, keys=set()),
            deleted_keys={},
            flows=[flow._replace(harmless=0) for flow in self.labels.flows],
        )

    @cached_property
    def targets(self) -> set[int]:
        return {target.site for target in self.resolution.targets}

    def apis_of(self, call: int) -> list[str]:
        apis = self.known.apis[self.program.files[self.file(int(self.tables["calls"]["result"][call]))].language]
        return [apis.text(node) for node in self.nodes_of.get(call, ())]

    @cached_property
    def nodes_of(self) -> dict[int, list[int]]:
        """The API nodes that each call may mean."""
        found: dict[int, list[int]] = {}
        for call, node in dict.fromkeys(self.resolution.api_calls):
            found.setdefault(call, []).append(node)
        return found

    def made_by(self, value: int, call: int = NONE) -> str:
        """The call whose result or argument's state ``value`` is, in words."""
        if call == NONE:
            if self.op[value] == Op.CALL:
                call = int(self.data[value])
            elif self.op[value] == Op.POST:
                call = int(self.tables["arguments"]["call"][self.data[value]])
            else:
                return f"`{self.text(value)}`"
        names = self.apis_of(call)
        return f"`{names[0]}`" if names else f"`{self.text(int(self.tables['calls']['callee'][call]))}`"

    def file(self, value: int) -> int:
        return int(self.program.file_of_value[value])

    def place(self, value: int) -> Place:
        return self.texts.place(self.file(value), int(self.start[value]), int(self.end[value]), one_line=True)

    def text(self, value: int) -> str:
        """The text of a value; of a version after tests, that of what was tested: a version's own text is the test."""
        inputs = self.tables["pis"]["input"]
        while self.op[value] == Op.PI and inputs[self.data[value]] < value:  # ``value`` falls
            value = int(inputs[self.data[value]])
        return self.texts.text(self.file(value), int(self.start[value]), int(self.end[value]))

    def key_text(self, key: int) -> str:
        return self.program.strings[key].lstrip("\0") if key >= 0 else "*"

    def paths_text(self, paths: Iterable[AccessPath]) -> str:
        """Paths as a reader would write them; "" for a value as a whole."""
        texts = dict.fromkeys(
            ".".join("*" if isinstance(key, frozenset) else self.key_text(key) for key in path) for path in paths
        )
        named = [f"`{path}`" for path in texts if path]
        return ", ".join(named[:MAX_ROOTS]) if named else "the part that was not overwritten"


def _with_any_sink(labels: Labels) -> Labels:
    """The labels with one more bit, for sinks that no rule knows: clean for it is what is clean for everything."""
    everything = (1 << len(labels.vulnerabilities)) - 1
    more = 1 << len(labels.vulnerabilities)

    def widened(mask: int) -> int:
        return mask | more if mask == everything else mask

    return replace(
        labels,
        vulnerabilities=(*labels.vulnerabilities, ""),
        clean={value: widened(mask) for value, mask in labels.clean.items()},
    )
