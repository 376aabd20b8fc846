"""Runs inputs for a time or a number of batches, and keeps what failed as small programs.

Hypothesis draws the batches: which files, which of their mutations, which generated programs, how they are scanned. A
failing batch is reduced by the engine of ``pyrograph reduce``. Failures are distinguished by how and where they fail,
so one fault gives one directory however often it is met.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, Protocol

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tools.fuzz.generate import programs
from tools.fuzz.mutate import mutate
from tools.fuzz.seeds import Seed
from tools.fuzz.trial import PROPERTIES, Settings

from pyrograph.scanner.reduce import Failure, Program, Reducer

Kind = Literal["mutated", "generated"]
KINDS: tuple[Kind, ...] = ("mutated", "mutated", "generated")  # rounds, one after the other
ROUND = 20  # batches of one call of Hypothesis: its first ones are small, so a few are too few
SMALLEST_BATCH, LARGEST_BATCH = 20, 150  # files
SHARE = 0.25  # of an input's time that each candidate of the reduction of an endless one has
REDUCING = 600.0  # seconds that the reduction of one failure may take

_AROUND = ("scanner/pipeline", "scanner/reduce", "scanner/analysis/lower", "scanner/isolate")  # of each stage
_FRAME = re.compile(r'File ".*?pyrograph[/\\](\S+)\.py", line \d+,? in (\S+)')


class Runs(Protocol):
    """The part of ``Trials`` that a session uses."""

    def failures(
        self, files: Mapping[str, bytes], settings: Settings, *, share: float = 1.0
    ) -> tuple[frozenset[Failure], str]: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """One input of the pipeline."""

    files: Mapping[str, bytes]
    settings: Settings


@dataclass(slots=True)
class Totals:
    """What a session did."""

    files: int = 0
    bytes: int = 0
    batches: int = 0
    generated: int = 0  # files, of ``files``
    properties: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)  # key -> batches
    seconds: float = 0.0

    def __str__(self) -> str:
        """One line."""
        asked = ", ".join(f"{count} {name}" for name, count in sorted(self.properties.items()))
        return (
            f"{self.files} inputs ({self.generated} generated, {self.bytes / 1e6:.1f} MB) in {self.batches} batches, "
            f"{self.seconds:.0f} s; {asked or 'no properties'}; {len(self.failures)} distinct failures"
            + "".join(f"\n  {count} x {name}" for name, count in sorted(self.failures.items()))
        )


_SETTINGS = st.builds(
    Settings,
    everything=st.booleans(),
    block=st.sampled_from((False, False, False, True)),
    properties=st.sampled_from((*[()] * 14, *[(name,) for name in PROPERTIES], ("explain",), ("ir",))),
    seed=st.integers(0, 1 << 30),
)


@st.composite
def mutated(draw: Any, groups: Sequence[Sequence[Seed]]) -> Batch:
    """Mutated files of some programs, each in a directory of its own."""
    random: Random = draw(st.randoms(use_true_random=True))
    wanted = draw(st.integers(SMALLEST_BATCH, LARGEST_BATCH))
    chosen = [random.choice(groups) for _ in range(max(2, wanted // 4))]
    donors = [seed for group in chosen for seed in group[:12]]
    files: dict[str, bytes] = {}
    number = 0
    while len(files) < wanted:
        group = random.choice(chosen)
        number += 1
        for seed_ in random.sample(group, min(len(group), 12)):
            text = mutate(seed_, donors, random) if random.random() < 0.9 else seed_.text
            files[f"d{number}/{seed_.path}"] = text
    return Batch(files, draw(_SETTINGS))


@st.composite
def generated(draw: Any) -> Batch:
    """A few generated programs."""
    files: dict[str, bytes] = {}
    for number in range(draw(st.integers(1, 3))):
        for path, text in draw(programs()).items():
            files[f"g{number}/{path}"] = text
    return Batch(files, draw(_SETTINGS))


class Session:
    """One sequence of batches, which depends on the seed alone."""

    def __init__(self, seeds: Sequence[Seed], trials: Runs, output: Path | None, seed_: int) -> None:
        """``output``: where failures go; None to keep none."""
        by_group: dict[int, list[Seed]] = {}
        for each in seeds:
            by_group.setdefault(each.group, []).append(each)
        self.groups = list(by_group.values())
        self.trials = trials
        self.output = output
        self.seed = seed_
        self.rounds = 0
        self.totals = Totals()

    def run(self, *, minutes: float | None = None, batches: int | None = None, every: float = 60.0) -> Totals:
        """Until the time is over, or so many batches were run; prints the totals every so many seconds."""
        started = shown = time.monotonic()
        number = 0
        while (minutes is None or time.monotonic() - started < 60 * minutes) and (
            batches is None or self.totals.batches < batches
        ):
            left = ROUND if batches is None else min(ROUND, batches - self.totals.batches)
            self.batches(KINDS[number % len(KINDS)], left)
            number += 1
            self.totals.seconds = time.monotonic() - started
            if time.monotonic() - shown > every:
                shown = time.monotonic()
                print(self.totals, flush=True)
        return self.totals

    def batches(self, kind: Kind, count: int) -> None:
        """Run about so many batches of one kind; Hypothesis makes fewer where it can think of no others."""
        before = self.totals.batches
        self.rounds += 1

        @seed(self.seed * 1_000_003 + self.rounds)
        @settings(
            max_examples=count,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(mutated(self.groups) if kind == "mutated" else generated())
        def one(batch: Batch) -> None:
            self.batch(batch)

        one()
        if self.totals.batches == before:
            raise RuntimeError("Hypothesis made no batch")

    def batch(self, batch: Batch) -> None:
        """Run one batch, and keep how it fails."""
        totals = self.totals
        totals.batches += 1
        totals.files += len(batch.files)
        totals.bytes += sum(map(len, batch.files.values()))
        totals.generated += sum(path.startswith("g") for path in batch.files)
        totals.properties.update(batch.settings.properties)
        failures, said = self.trials.failures(batch.files, batch.settings)
        for failure in sorted(failures):
            key = _key(failure, said)
            totals.failures[key] += 1
            if totals.failures[key] == 1 and self.output is not None:
                print(f"new failure: {key}", flush=True)
                self._keep(key, failure, said, batch)

    def _keep(self, key: str, failure: Failure, said: str, batch: Batch) -> None:
        """Write the failing batch, reduced, unless another session did."""
        assert self.output is not None
        name = re.sub(r"[^\w.-]+", "-", key)[:80] + "-" + hashlib.blake2b(key.encode(), digest_size=3).hexdigest()
        folder = self.output / name
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            return
        details = f"{failure}\n{batch.settings}\n\n{said}"
        (folder / "failure.txt").write_text(details, encoding="utf-8", errors="backslashreplace")
        _write(batch.files, folder / "original")
        small = self.reduced(batch, failure)
        _write(small.files, folder / "reduced")
        print(f"reduced to {len(small.files)} files, {small.size} bytes: {folder / 'reduced'}", flush=True)

    def reduced(self, batch: Batch, failure: Failure) -> Program:
        """A small program that fails in the same way."""
        ends = time.monotonic() + REDUCING
        share = SHARE if failure.kind == "timeout" else 1.0

        def fails(candidate: Program) -> bool:
            if time.monotonic() > ends:
                raise TimeoutError
            return failure in self.trials.failures(candidate.files, batch.settings, share=share)[0]

        reducer = Reducer(Program(batch.files), fails)
        try:
            return reducer.run()
        except TimeoutError:
            return reducer.best


def _key(failure: Failure, said: str) -> str:
    """The key under which failures count as one; without a place in the code, where the process was."""
    if failure.where or failure.kind not in ("timeout", "memory", "signal"):
        return str(failure)
    frames = [f"{path}:{function}" for path, function in _FRAME.findall(said)]
    frames = [frame for frame in frames if not frame.startswith(_AROUND)]
    inner = frames[0] if frames else ""
    if failure.kind == "timeout" and frames:  # the innermost function is an accident; the stage is not
        inner = frames[-1]
        if inner.startswith("parsers/__init__"):
            inner = next((frame.partition(":")[0] for frame in frames if "frontend" not in frame), inner)
    return f"{failure} in {inner}" if inner else str(failure)


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def in_own_directory(output: Path) -> Path:
    """A directory for what is scanned, in memory where the system has such a place."""
    shared = Path("/dev/shm")
    base = shared if shared.is_dir() and os.access(shared, os.W_OK) else output
    base.mkdir(parents=True, exist_ok=True)
    return base
