"""What a worker does for a library of the fleet: bring its tree, and infer the model that other trees are scanned with.

``pyrograph rules infer`` runs in a process of its own, as a scan does. The model is a rule file: text that executes
nothing, wherever it came from.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pyrograph import __version__
from pyrograph.fleet.checkout import Checkout, CheckoutError, Slow, checkout
from pyrograph.fleet.job import ended_as, short
from pyrograph.fleet.outcome import Model, Outcome, Status, Task
from pyrograph.fleet.process import run
from pyrograph.model.words import plural
from pyrograph.policy.limits.fleet import MAX_FLEET_MODEL


def infer(task: Task) -> Outcome:
    """The models of a tree's libraries; whatever happens is in the outcome, and never an exception.

    The first trouble is its status and reason; the models of the other libraries are in it all the same.
    """
    until = time.monotonic() + task.seconds
    models: list[Model] = []
    troubles: list[tuple[Status, str]] = []
    try:
        with checkout(task, until) as tree:
            for name in task.libraries:
                status, reason, text = _inferred(task, tree, name, until)
                models += [Model(task.name, text)] * bool(text)
                troubles += [(status, reason if name == "." else short(f"{name}: {reason}"))] * (status != "done")
    except Slow as error:
        troubles.append(("time", f"{error} ({plural(task.seconds, 'second')})"))
    except (CheckoutError, OSError, MemoryError) as error:
        troubles.append(("failed", short(str(error) or type(error).__name__)))
    status, reason = troubles[0] if troubles else ("done", "")
    return Outcome(status, reason, version=__version__, models=tuple(models))


def _inferred(task: Task, tree: Checkout, name: str, until: float) -> tuple[Status, str, str]:
    """How the inference of one library ended, why, and its model ("" if there is none)."""
    folder = (tree.folder / name).resolve()
    if not folder.is_dir() or not folder.is_relative_to(tree.folder.resolve()):
        return "failed", "there is no such directory in the tree; correct `library`", ""
    with TemporaryDirectory(prefix="pyrograph-fleet-", ignore_cleanup_errors=True) as made:
        written = Path(made, "model.toml")
        command = [sys.executable, "-P", "-m", "pyrograph", "rules", "infer", str(folder), "-o", str(written)]
        left = max(0.1, until - time.monotonic())
        ended = run(command, seconds=left, memory=task.memory, folder=Path(made))
        if ended.code or not written.is_file():
            return *ended_as(task, ended), ""
        size = written.stat().st_size
        if size > MAX_FLEET_MODEL:
            return "failed", f"its model has {size:,} bytes, more than {MAX_FLEET_MODEL:,}", ""
        return "done", "", written.read_text(encoding="utf-8")


__all__ = ["infer"]
