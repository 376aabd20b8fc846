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
from pyrograph.fleet.outcome import Model, Outcome, Status, Task
from pyrograph.fleet.process import Ended, run
from pyrograph.model.words import plural
from pyrograph.policy.limits.fleet import COMPRESSION, MAX_FLEET_HTML, MAX_FLEET_REASON

# What is said where there is not enough memory: by the scan, by Python, by the loader of libraries, by OpenBLAS.
_EXHAUSTED: Final = (
    *("ran out of memory", "MemoryError", "failed to map segment", "Cannot allocate memory"),
    "Memory allocation still failed",
)


def scan(task: Task, models: tuple[Model, ...] = ()) -> Outcome:
    """Scan one tree; whatever happens to it is in the outcome, and never an exception.

    ``models``: of the libraries of the fleet; those of its own repository are not used, since it has the source.

    The time is that of the scan plus some 50 ms; this process waits, and needs the memory of the reports.
    """
    started = time.monotonic()
    try:
        with checkout(task, started + task.seconds) as tree:
            return _scanned(task, tree, started, [each.text for each in models if each.repository != task.name])
    except Slow as error:
        return Outcome("time", f"{error} ({plural(task.seconds, 'second')})", version=__version__, seconds=task.seconds)
    except CheckoutError as error:
        return Outcome("failed", short(str(error)), version=__version__, seconds=time.monotonic() - started)
    except (OSError, MemoryError) as error:
        said = f"{type(error).__name__}: {error}"
        return Outcome("failed", short(said), version=__version__, seconds=time.monotonic() - started)


def _scanned(task: Task, tree: Checkout, started: float, models: list[str]) -> Outcome:
    with TemporaryDirectory(prefix="pyrograph-fleet-", ignore_cleanup_errors=True) as made:
        texts = [Path(made, name) for name in ("report.json", "report.html")]
        command = [sys.executable, "-P", "-m", "pyrograph", "scan", str(tree.folder)]
        command += ["--jobs", "1", "--device", "cpu", "--exit-zero", "--allow-empty", *task.options]
        command += _written(models, Path(made, "models"))
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
    if not ended.timed_out and report and (report["complete"] or report["statistics"]["files"]):
        return "done", short("; ".join(line for line in _lines(ended) if "starting again" in line))
    if report and not (ended.timed_out or _exhausted(ended)):
        return "failed", short(f"nothing was analysed: {report['problems'][0]['message']}")
    return ended_as(task, ended)


def ended_as(task: Task, ended: Ended) -> tuple[Status, str]:
    """How a process ended that did not do its work, in a word and in a sentence."""
    if ended.timed_out:
        return "time", f"took longer than {plural(task.seconds, 'second')}; give it more with `time`"
    if _exhausted(ended):
        where = re.search(r"in stage \S+?(?=[;, ]|$)", ended.said)
        trouble = f"ran out of memory {where[0]}" if where else "ran out of memory"
        return "memory", f"{trouble}: {task.memory:,} bytes are too few; give it more with `memory`"
    lines = _lines(ended)
    last = ended.said.strip().rpartition("\n")[2]
    return "failed", short(lines[-1] if lines else last or f"ended with status {ended.code}")


def _exhausted(ended: Ended) -> bool:
    return ended.code == -signal.SIGKILL or any(words in ended.said for words in _EXHAUSTED)


def _lines(ended: Ended) -> list[str]:
    """What pyrograph said itself."""
    return [line.removeprefix("pyrograph: ") for line in ended.said.splitlines() if line.startswith("pyrograph: ")]


def _written(models: list[str], folder: Path) -> list[str]:
    """Write the models as rule files; the options that name them. Order and names do not matter to the report."""
    if not models:
        return []
    folder.mkdir()
    for number, text in enumerate(models):
        (folder / f"model-{number}.toml").write_text(text, encoding="utf-8")
    return ["--rules", str(folder)]


def short(text: str) -> str:
    """One line of at most ``MAX_FLEET_REASON`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_FLEET_REASON else line[: MAX_FLEET_REASON - 1] + "…"
