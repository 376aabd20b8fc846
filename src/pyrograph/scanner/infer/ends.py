"""The sources and sinks of an inference: parameters of public functions, and their results and states at exit.

The search is that of a scan. What a function passes on is a weakness of its own, ``PASSED``: its sinks are the results
of all public functions. For other weaknesses these results are sinks only where something cleans for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, ParameterKind
from pyrograph.kernels.arrays import among
from pyrograph.model.languages import rule_syntax_of
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.inference import MAX_FIELDS
from pyrograph.scanner.analysis.label.clean_types import clean_by_type
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole, SourceRole
from pyrograph.scanner.infer.interface import Interface, PublicFunction

PASSED: Final = "passed-on"  # the weakness that stands for "reaches the result"
ARGUMENT: Final = "argument"  # the kind of the sources that parameters are; no rule has it
# A part that nothing reads: it arrives where the value itself does, and not where something is made of the value.
WHOLE: Final = "\0whole"

VULNERABILITY: Final = Vulnerability(PASSED, "", (), "low", 0.1, "low", "", "", harmful=".")


@dataclass(frozen=True, slots=True)
class Start:
    """A source: a parameter, or a part of a receiver."""

    public: PublicFunction
    port: str  # as rules write it: "0|name", "this", "2+"
    part: str | None = None  # of the receiver; None: all of it
    itself: bool = False  # only the value itself counts, nothing that is made of it


@dataclass(frozen=True, slots=True)
class End:
    """A sink of ``PASSED``: the result, or a parameter's state when the function is left."""

    public: PublicFunction
    port: str


@dataclass(slots=True)
class Ends:
    """Adds the roles to the labels, and says what each of them stands for."""

    interface: Interface
    by_source: dict[SourceRole, Start] = field(default_factory=dict)
    by_value: dict[int, End] = field(default_factory=dict)  # value of a sink of ``PASSED``

    def __call__(self, facts: Facts) -> None:
        functions, parameters = facts.tables["functions"], facts.tables["parameters"]
        parts = self._parts(facts)
        for public in self.interface.functions:
            self._sink(facts, int(functions["result"][public.function]), End(public, "ret"))
            rows = facts.functions.parameters_of(public.function)
            for row in rows:
                value, out = int(parameters["value"][row]), int(parameters["out"][row])
                if int(parameters["position"][row]) == RECEIVER:
                    if public.owner:
                        self._receiver(facts, public, value, out, parts)
                    continue
                port = self._port(facts, row, rows)
                if not port or clean_by_type(facts, value):
                    continue
                self._source(facts, Start(public, port), value)
                self._source(facts, Start(public, port, itself=True), value)
                self._sink(facts, out, End(public, port))

    def _receiver(
        self, facts: Facts, public: PublicFunction, value: int, out: int, parts: dict[str, list[str]]
    ) -> None:
        self._sink(facts, out, End(public, "ret" if public.constructs else "this"))
        if public.constructs:
            return
        known = parts.get(public.owner, [])
        whole = SourceRole(value, ARGUMENT, f"{public.api}: this", keyed=True)
        facts.labels.sources.append(whole)
        facts.labels.keys.clean[value] = frozenset(facts.program.intern(name) for name in known)
        self.by_source[whole] = Start(public, "this")
        self._source(facts, Start(public, "this", itself=True), value)
        for name in known[:MAX_FIELDS]:
            self._source(facts, Start(public, "this", name), value)

    def _source(self, facts: Facts, start: Start, value: int) -> None:
        part = WHOLE if start.itself else start.part
        keys = () if part is None else (facts.program.intern(part),)
        role = SourceRole(value, ARGUMENT, f"{start.public.api}: {start.port}", keys=keys)
        facts.labels.sources.append(role)
        self.by_source[role] = start

    def _sink(self, facts: Facts, value: int, end: End) -> None:
        if value == NONE:
            return
        self.by_value[value] = end
        for bit in facts.wanted.bits[PASSED]:
            facts.labels.sinks.append(self.sink(facts, value, bit))

    def sink(self, facts: Facts, value: int, bit: int) -> SinkRole:
        start, end = int(facts.places.start[value]), int(facts.places.end[value])
        return SinkRole(value, bit, PASSED, int(facts.program.file_of_value[value]), start, end, (), low=False)

    def _parts(self, facts: Facts) -> dict[str, list[str]]:
        """Names that methods of each class read from their receivers: its fields and methods."""
        parameters, loads = facts.tables["parameters"], facts.tables["loads"]
        rep = facts.resolution.representative
        receivers = {int(rep[value]) for value in parameters["value"][parameters["position"] == RECEIVER].tolist()}
        rows = np.flatnonzero(among(rep[loads["object"]], receivers) & (loads["key"] >= 0))
        owners = facts.tables["functions"]["owner"]
        functions = facts.function_of[loads["object"][rows]].tolist()
        by_class: dict[int, set[str]] = {}
        by_function: dict[int, set[str]] = {}  # methods that no class declares
        for function, key in zip(functions, loads["key"][rows].tolist(), strict=True):
            owner = int(owners[function])
            names = by_class.setdefault(owner, set()) if owner != NONE else by_function.setdefault(function, set())
            names.add(facts.program.strings[key])
        found: dict[str, set[str]] = {}
        for owner, api in self.interface.classes.items():
            for each in facts.resolution.lineage(owner):
                found.setdefault(api, set()).update(by_class.get(each, ()))
        for public in self.interface.functions:
            if public.owner:
                found.setdefault(public.owner, set()).update(by_function.get(public.function, ()))
        return {api: sorted(names) for api, names in found.items()}

    def _port(self, facts: Facts, row: int, rows: Sequence[int]) -> str:
        """How rules write the argument that arrives at a parameter of ``rows``; "" where they cannot.

        Arguments that a parameter gathers under their keywords are written as all arguments, where that says no more.
        """
        parameters = facts.tables["parameters"]
        kind, position = int(parameters["kind"][row]), int(parameters["position"][row])
        name_id = int(parameters["name"][row])
        name = facts.program.strings[name_id] if name_id != NONE else ""
        if kind == ParameterKind.VARARG:
            return f"{position}+"
        keywords = rule_syntax_of(facts.language(int(parameters["value"][row]))).keyword_arguments
        if kind == ParameterKind.KEYWORD_ONLY:
            return f"{name}=" if keywords else ""
        if kind == ParameterKind.KEYWORDS:
            gathered = (ParameterKind.KEYWORDS, ParameterKind.VARARG, ParameterKind.RECEIVER)
            return "*" if all(int(parameters["kind"][each]) in gathered for each in rows) else ""
        if position < 0:
            return ""
        return f"{position}|{name}" if keywords and name else str(position)


def cleaned_in_part(labels_clean: Iterable[int], everything: int) -> int:
    """The bits that some value is clean for and another is not."""
    found = 0
    for mask in labels_clean:
        if mask & everything != everything:
            found |= mask
    return found & everything
