"""Run the GPU tests under NVIDIA's compute-sanitizer.

    python tools/sanitize_gpu.py
    python tools/sanitize_gpu.py --tool racecheck --match test_cuda.py --jobs 1

Needs a CUDA device, ``compute-sanitizer`` (part of the CUDA toolkit), and the packages of the extras ``cuda12`` or
``cuda13`` and ``dev``. The tests are those marked ``gpu``. They run once without a tool, which shows that they pass and
how long each takes, and then, where they passed, once under each tool:

* ``memcheck``: accesses out of bounds or misaligned, kernel faults, CUDA calls that fail;
* ``racecheck``: hazards between threads of one block in shared memory;
* ``initcheck``: device memory that is read, or copied to the host, before it was written;
* ``synccheck``: barriers that not all threads reach, and wrong masks of warp operations.

A *chunk* is one test function with all its parameters (for functions in ``SPLIT``: one parameter), in a process of its
own, so that a slow chunk or a crash costs only itself. Each chunk has a time limit. Several chunks run side by side on
one device. Chunks that compare the free memory of the device run alone. The parameters in ``LARGE`` take minutes under
a tool and are left out there.

compute-sanitizer does not follow CUDA graphs with conditional nodes. Under a tool the host therefore launches the nodes
of each graph one by one (``sanitized.py``). ``--graphs`` leaves the graphs as they are, for versions that follow them.

The table at the end has one line per tool. *Errors* is the sum of the tool's own summaries, *seconds* that of the
chunks' times. Exit code 0: every test ran and passed, and no tool reported anything. Exit code 1 otherwise; the output
of each chunk that failed stands above the table, and ``--logs`` keeps the output of every chunk.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tests/graph", "tests/kernels")
PLAIN = "none"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 12_000  # characters of a failed chunk's report that are printed

# Test functions that compare the free memory of the device before and after; another process would change it.
ALONE = ("test_a_thousand_launches_and_a_hundred_graphs_leave_no_memory_behind",)

# Options of a tool for one test function. memcheck counts a CUDA call that fails as an error; this test asks the driver
# for more memory than there is, and checks that the refusal is handled.
OPTIONS = {
    (
        "memcheck",
        "test_memory_that_runs_out_shrinks_the_chunks_and_is_refused_at_last",
    ): ("--report-api-errors", "no"),
}

# Test functions of many cases, each of which becomes a chunk.
SPLIT = ("test_the_conformance_suite_holds_for_graphs",)

# Test functions that need the driver's graph: they read the times of its event nodes.
GRAPHS = ("test_the_profile_names_every_node_and_counts_its_rounds",)

# Parameters that are left out under a tool, or under any (""): the same kernels run with smaller graphs.
LARGE = {
    ("", "test_every_layout_gives_the_same_hits"): ("1200000",),
    ("", "test_a_wide_frontier_loses_nothing"): ("1000000",),
    ("racecheck", "test_the_device_agrees_with_the_processor"): ("2000000",),
}

_SUMMARY = re.compile(r"(?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)")
_TEST = re.compile(r"^(\S+?::.*) (PASSED|FAILED|ERROR|SKIPPED)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tests of one function."""

    name: str  # file::function or file::function[parameter], as pytest takes it
    tests: int
    left_out: tuple[str, ...] = ()  # parameters that do not run
    seconds: float = 0.0  # without a tool; 0 before it was measured

    @property
    def function(self) -> str:
        """The name of the test function."""
        return self.name.partition("::")[2].partition("[")[0]

    def under(self, tool: str) -> Chunk:
        """The chunk as it runs under a tool."""
        left_out = LARGE.get(("", self.function), ()) + LARGE.get((tool, self.function), ())
        return replace(self, tests=self.tests - len(left_out), left_out=left_out)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a chunk."""

    tool: str
    chunk: Chunk
    passed: int
    seconds: float
    errors: int  # what the tool reported
    problem: str  # why the run is no proof; empty if every test passed and the tool ended with its summary
    report: str  # what the tool and pytest printed

    @property
    def clean(self) -> bool:
        """Every test passed, and the tool reported nothing."""
        return not self.errors and not self.problem


def collected(match: str) -> list[Chunk]:
    """The GPU tests, grouped by function, in pytest's order.

    Raises:
        SystemExit: pytest cannot collect them.
    """
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "--collect-only", "-q", "-p", "no:cacheprovider", *FOLDERS]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"pytest cannot collect the GPU tests:\n{ran.stdout}{ran.stderr}")
    tests: dict[str, int] = {}
    for line in ran.stdout.splitlines():
        if "::" in line:
            function = line.partition("[")[0]
            name = line if function.endswith(SPLIT) else function
            tests[name] = tests.get(name, 0) + 1
    return [Chunk(name, count) for name, count in tests.items() if re.search(match, name)]


@dataclass(frozen=True, slots=True)
class Runner:
    """How chunks are run."""

    sanitizer: str  # path of compute-sanitizer
    folder: Path  # where output goes
    limit: float  # seconds for a chunk under a tool
    end: float  # on ``time.monotonic``: when all chunks must have ended
    graphs: bool  # leave CUDA graphs as they are

    def command(self, tool: str, chunk: Chunk, log: Path) -> list[str]:
        """The command that runs a chunk; ``tool`` may be ``PLAIN``."""
        tests = [sys.executable, "-m", "pytest", "-m", "gpu", "-v", "-p", "no:cacheprovider", chunk.name]
        if tool == PLAIN:
            return tests
        tests += [f"--deselect={chunk.name}[{one}]" for one in chunk.left_out]
        if not self.graphs and chunk.function not in GRAPHS:
            tests += ["-p", "tools.sanitized"]
        options = OPTIONS.get((tool, chunk.function), ())
        return [
            self.sanitizer, "--tool", tool, "--target-processes", "all", "--error-exitcode", "86",
            "--log-file", str(log), *options, *tests,
        ]  # fmt: skip

    def run(self, tool: str, chunk: Chunk) -> Outcome:
        """Run a chunk under a tool, within its limit."""
        began = time.monotonic()
        limit = min(self.limit, self.end - began)
        if limit <= 0:
            return Outcome(tool, chunk, 0, 0.0, 0, "not run: the time is up", "")
        stem = re.sub(r"\W+", "-", f"{tool} {chunk.name.partition('tests/')[2]}")
        log, output = self.folder / f"{stem}.log", self.folder / f"{stem}.out"
        path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
        with output.open("w") as file:
            process = subprocess.Popen(
                self.command(tool, chunk, log), cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, stdout=file,
                stderr=subprocess.STDOUT, start_new_session=True,  # so that the limit ends what a test started, too
            )  # fmt: skip
            try:
                code: int | None = process.wait(limit)
            except subprocess.TimeoutExpired:
                code = None
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        seconds = time.monotonic() - began
        printed = output.read_text(errors="replace")
        told = log.read_text(errors="replace") if log.is_file() else ""
        passed = sum(1 for _, verdict in _TEST.findall(printed) if verdict == "PASSED")
        summaries = _SUMMARY.findall(told)
        errors = sum(int(one or other) for one, other in summaries)
        problem = ""
        if code is None:
            problem = f"stopped after {limit:.0f} s"
        elif passed != chunk.tests:
            problem = f"{chunk.tests - passed} of {chunk.tests} tests did not pass (exit code {code})"
        elif tool != PLAIN and not summaries:
            problem = f"the tool gave no summary (exit code {code})"
        elif code and not errors:
            problem = f"exit code {code}"
        return Outcome(tool, chunk, passed, seconds, errors, problem, f"{told}\n{printed}")


def run_all(runner: Runner, work: Sequence[tuple[str, Chunk]], jobs: int) -> list[Outcome]:
    """Run chunks under tools: the slowest first, those of ``ALONE`` after all others."""
    printing = threading.Lock()

    def one(item: tuple[str, Chunk]) -> Outcome:
        tool, chunk = item
        outcome = runner.run(tool, chunk)
        verdict = "clean" if outcome.clean else f"{outcome.errors} errors {outcome.problem}".rstrip()
        with printing:
            print(f"{tool:>10} {outcome.seconds:6.1f} s  {chunk.name}: {outcome.passed} passed, {verdict}", flush=True)
            if not outcome.clean:
                print(outcome.report[:SHOWN], flush=True)
        return outcome

    waiting = sorted(work, key=lambda item: -item[1].seconds)
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(one, [item for item in waiting if item[1].function not in ALONE]))
    return outcomes + [one(item) for item in waiting if item[1].function in ALONE]


def table(outcomes: Sequence[Outcome], tools: Sequence[str]) -> str:
    """One line per tool."""
    lines = [f"{'tool':>10}  {'errors':>6}  {'tests passed':>12}  {'seconds':>7}  chunks without a result"]
    for tool in tools:
        own = [outcome for outcome in outcomes if outcome.tool == tool]
        passed = f"{sum(outcome.passed for outcome in own)}/{sum(outcome.chunk.tests for outcome in own)}"
        without = "; ".join(f"{outcome.chunk.name}: {outcome.problem}" for outcome in own if outcome.problem)
        errors, seconds = sum(outcome.errors for outcome in own), sum(outcome.seconds for outcome in own)
        lines.append(f"{tool:>10}  {errors:>6}  {passed:>12}  {seconds:>7.0f}  {without or 'none'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", action="append", choices=TOOLS, help="run this tool; repeat for several [all four]")
    parser.add_argument("--match", default="", help="only tests in whose id this regular expression is found")
    parser.add_argument("--jobs", type=int, default=4, help="chunks that run side by side [4]")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a chunk may take under a tool [600]")
    parser.add_argument("--minutes", type=float, default=120, help="when to stop, with what there is [120]")
    parser.add_argument("--graphs", action="store_true", help="leave CUDA graphs as they are")
    parser.add_argument("--logs", type=Path, help="folder for the output of every chunk [a temporary one]")
    given = parser.parse_args()
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        sys.exit("compute-sanitizer is not on the PATH; it is part of the CUDA toolkit (folder bin)")
    end = time.monotonic() + 60 * given.minutes
    chunks = collected(given.match)
    if not chunks:
        sys.exit(f"no GPU test matches {given.match!r}")
    tools = given.tool or TOOLS
    with tempfile.TemporaryDirectory(prefix="sanitize-gpu-") as temporary:
        folder = given.logs or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runner = Runner(sanitizer, folder, given.limit, end, given.graphs)
        outcomes = run_all(runner, [(PLAIN, chunk) for chunk in chunks], given.jobs)
        passed = [replace(outcome.chunk, seconds=outcome.seconds) for outcome in outcomes if outcome.clean]
        outcomes += run_all(runner, [(tool, chunk.under(tool)) for chunk in passed for tool in tools], given.jobs)
    print(f"\n{table(outcomes, (PLAIN, *tools))}")
    return 0 if all(outcome.clean for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
