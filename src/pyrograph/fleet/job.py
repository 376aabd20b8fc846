"""What a worker does: bring one tree, scan it in a process of its own, and return the report.

The process runs ``pyrograph scan`` itself: the project's configuration, marks and caches count, and a crash or
exhausted memory first costs another attempt, as everywhere. So the report is, byte for byte, that of a single scan.
"""

from __future__ import annotations

import gzip
import json
import re
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pyrograph import __version__
from pyrograph.fleet.checkout import Checkout, CheckoutError, Slow, checkout
from pyrograph.fleet.outcome import Outcome, Status, Task
from pyrograph.fleet.process import Ended, run
from pyrograph.model.words import plural
from pyrograph.policy.limits.fleet import COMPRESSION, MAX_FLEET_HTML, MAX_FLEET_REASON

# What is said where there is not enough memory: by the scan, by Python, by the loader of libraries, by OpenBLAS.
_EXHAUSTED: Final = (
    *("ran out of memory", "MemoryError", "failed to map segment", "Cannot allocate memory"),
    "Memory allocation still failed",
)


def scan(task: Task) -> Outcome:
    """Scan one tree; whatever happens to it is in the outcome, and never an exception.

    The time is that of the scan plus some 50 ms; this process waits, and needs the memory of the reports.
    """
    started = time.monotonic()
    try:
        with checkout(task, started + task.seconds) as tree:
            return _scanned(task, tree, started)
    except Slow as error:
        return Outcome("time", f"{error} ({plural(task.seconds, 'second')})", version=__version__, seconds=task.seconds)
    except CheckoutError as error:
        return Outcome("failed", _short(str(error)), version=__version__, seconds=time.monotonic() - started)
    except (OSError, MemoryError) as error:
        said = f"{type(error).__name__}: {error}"
        return Outcome("failed", _short(said), version=__version__, seconds=time.monotonic() - started)


def _scanned(task: Task, tree: Checkout, started: float) -> Outcome:
    with TemporaryDirectory(prefix="pyrograph-fleet-", ignore_cleanup_errors=True) as made:
        texts = [Path(made, name) for name in ("report.json", "report.html")]
        command = [sys.executable, "-P", "-m", "pyrograph", "scan", str(tree.folder)]
        command += ["--jobs", "1", "--device", "cpu", "--exit-zero", "--allow-empty", *task.options]
        command += ["--format", f"json:{texts[0]}", "--format", f"html:{texts[1]}"]
        left = max(0.1, started + task.seconds - time.monotonic())
        ended = run(command, seconds=left, memory=task.memory, folder=Path(made))
        report, page = (each.read_bytes() if each.exists() else b"" for each in texts)
    found = json.loads(report) if report and ended.code == 0 else {}
    status, reason = _judged(task, ended, found)
    outcome = Outcome(
        status,
        reason,
        tree.commit,
        __version__,
        round(time.monotonic() - started, 3),
        round(ended.cpu_seconds, 3),
        ended.peak_bytes,
    )
    if status != "done":
        return outcome
    paths = {each["path"] for each in found["findings"]} | {each["finding"]["path"] for each in found["suppressed"]}
    return replace(
        outcome,
        findings=len(found["findings"]),
        json=gzip.compress(report, COMPRESSION, mtime=0),
        html=gzip.compress(page, COMPRESSION, mtime=0) if len(page) <= MAX_FLEET_HTML else b"",
        owners={path: owner for path in sorted(paths) if (owner := tree.owners.of(path))},
    )


def _judged(task: Task, ended: Ended, report: dict[str, Any]) -> tuple[Status, str]:
    """How a scan ended, in a word and in a sentence. ``report``: what it wrote, if it ended well.

    A scan that had to leave out every file is not done: it says nothing of any finding.
    """
    lines = [line.removeprefix("pyrograph: ") for line in ended.said.splitlines() if line.startswith("pyrograph: ")]
    if ended.timed_out:
        return "time", f"took longer than {plural(task.seconds, 'second')}; give it more with `time`"
    if report and (report["complete"] or report["statistics"]["files"]):
        return "done", _short("; ".join(line for line in lines if "starting again" in line))
    if ended.code == -signal.SIGKILL or any(words in ended.said for words in _EXHAUSTED):
        where = re.search(r"in stage \S+?(?=[;, ]|$)", ended.said)
        trouble = f"ran out of memory {where[0]}" if where else "ran out of memory"
        return "memory", f"{trouble}: {task.memory:,} bytes are too few; give it more with `memory`"
    if report:
        return "failed", _short(f"nothing was analysed: {report['problems'][0]['message']}")
    last = ended.said.strip().rpartition("\n")[2]
    return "failed", _short(lines[-1] if lines else last or f"ended with status {ended.code}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_FLEET_REASON else line[: MAX_FLEET_REASON - 1] + "…"
