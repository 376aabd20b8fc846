"""The current stage of a scan: its time, its progress, and the check of its output."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType

from pyrograph.model.finding import Stage
from pyrograph.model.problem import Problem
from pyrograph.scanner.analysis.lower import Lowered
from pyrograph.scanner.faults import fault_of, internal_error
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.stages import FaultPolicy

Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all


class Clock:
    """Measures wall-clock seconds of each stage, and knows the current stage, for messages about faults."""

    def __init__(self, progress: Progress | None, staged: Callable[[str], None] | None = None) -> None:
        self.stages: list[Stage] = []
        self.stage = ""
        self.last = time.perf_counter()
        self.progress = progress
        self.staged = staged
        self.on_error: Callable[[BaseException], None] | None = None

    def begin(self, name: str) -> None:
        """End the stage that runs and begin another, or none."""
        now = time.perf_counter()
        if self.stage:
            self.stages.append(Stage(self.stage, now - self.last))
        self.last = now
        self.stage = name
        if name and self.progress is not None:
            self.progress(name, 0, 1)
        if name and self.staged is not None:
            self.staged(name)

    def failed(self, error: BaseException) -> None:
        """Report an internal error to ``on_error``."""
        if self.on_error is not None:
            self.on_error(error)


class StageCheck:
    """Verifies the output of a stage, with ``ScanOptions.verify``; a broken promise is an internal error."""

    always = False  # even without the option; the tests set this

    def __init__(self, options: ScanOptions, clock: Clock) -> None:
        self.wanted = options.verify or self.always
        self.clock = clock

    def __call__(self, stage: str, broken: Callable[[ModuleType], list[str]]) -> None:
        """Raises BrokenPromise."""
        if self.wanted:
            from pyrograph.scanner.analysis import verify

            self.clock.begin(f"verify {stage}")
            verify.kept(stage, broken(verify))


def verified(
    lowered: list[Lowered], options: ScanOptions, clock: Clock, policy: FaultPolicy
) -> tuple[list[Lowered], list[Problem]]:
    """Verify the units, with ``ScanOptions.verify``: the valid ones, and a problem for each other one."""
    if not (options.verify or StageCheck.always):
        return lowered, []
    from pyrograph.ir.verify import verify
    from pyrograph.scanner.analysis.verify import kept as keep

    clock.begin("verify lower")
    kept, problems = [], []
    for each in lowered:
        try:
            keep("lower", verify(each.unit, len(each.text)))
            kept.append(each)
        except Exception as error:
            if policy.on_error is not None:
                policy.on_error(error)
            cost = "the file was left out of the analysis"
            problems.append(internal_error(fault_of("verify lower", error), each.file.path, cost))
    return kept, problems
