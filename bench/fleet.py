"""Does a fleet find what single scans find, what does its scheduler cost, and what survives a fault?

    python bench/fleet.py compare CHECKOUTS --repositories 60 --lines 60000
    python bench/fleet.py faults CHECKOUTS
    python bench/fleet.py store FOLDER --findings 5000000

``compare`` scans repositories below CHECKOUTS one by one with ``pyrograph scan``, then all of them as a fleet with two
workers, nothing cached in both, and compares the JSON reports byte by byte, and the rows of the findings with them. A
scan's overhead is the time of its job without that of the process that scans. ``faults`` runs a small fleet while
something is wrong, and compares the store with that of an undisturbed run. ``store`` writes a store of generated
findings, and measures its size, each page and each query.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from pyrograph.fleet.store import Store, open_store, tables, totals
from pyrograph.fleet.targets import _tree_size
from pyrograph.policy.limits.fleet import LINE_BYTES

COLUMNS = ("rule", "severity", "confidence", "path", "line", "column", "message", "fingerprint", "likeness")


def chosen(checkouts: Path, count: int, lines: int) -> list[Path]:
    """``count`` repositories of at most ``lines`` lines, the largest of these: neither trivial nor endless."""
    sizes = {each: _tree_size(str(each)) // LINE_BYTES for each in sorted(checkouts.iterdir()) if each.is_dir()}
    fitting = sorted((size, each) for each, size in sizes.items() if 0 < size <= lines)
    return [each for _, each in fitting[-count:]]


def write_fleet(folder: Path, repositories: list[Path], *more: str) -> Path:
    file = folder / "fleet.toml"
    tables_ = [f"[[repository]]\npath = {json.dumps(str(each))}\nname = {json.dumps(each.name)}\n" for each in repositories]
    file.write_text("\n".join([*tables_, *more]), encoding="utf-8")
    return file


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(cache)}


def fleet_command(file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "pyrograph", "fleet", "scan", str(file), "--quiet", *options]


def reports(store: Store) -> dict[str, tuple[bytes, Any, list[Any]]]:
    """For each repository its JSON report, the row of its scan, and its findings as tuples of ``COLUMNS``."""
    found = {}
    with store.reading() as connection:
        asked = (
            select(tables.repositories.c.name, tables.scans, tables.reports.c.content)
            .select_from(tables.scans.join(tables.revisions).join(tables.repositories))
            .join(tables.reports, tables.scans.c.json == tables.reports.c.digest)
        )
        for row in connection.execute(asked):
            rows = select(*(tables.findings.c[name] for name in COLUMNS)).where(
                tables.findings.c.revision_id == row.revision_id, tables.findings.c.state == "open"
            )
            found[row.name] = (
                gzip.decompress(row.content),
                row,
                sorted(tuple(each) for each in connection.execute(rows)),
            )
    return found


def compare(checkouts: Path, count: int, lines: int) -> None:
    repositories = chosen(checkouts, count, lines)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        single: dict[str, bytes] = {}
        before = time.perf_counter()
        for each in repositories:
            output = folder / "report.json"
            command = [sys.executable, "-m", "pyrograph", "scan", str(each), "--jobs", "1", "--device", "cpu"]
            command += ["--exit-zero", "--allow-empty", "--no-cache", "--format", f"json:{output}"]
            subprocess.run(command, check=True, capture_output=True)
            single[each.name] = output.read_bytes()
        alone = time.perf_counter() - before
        file = write_fleet(folder, repositories)
        before = time.perf_counter()
        subprocess.run(fleet_command(file, "--workers", "2", "--strict"), check=True, env=environment(folder / "cache"))
        wall = time.perf_counter() - before
        with open_store(str(folder / "fleet.db"), writable=False) as store:
            fleet = reports(store)
        size = sum(each.stat().st_size for each in folder.glob("fleet.db*"))
    same = sum(fleet[name][0] == content for name, content in single.items())
    expected = {
        name: sorted(tuple(each[key] for key in COLUMNS) for each in json.loads(content)["findings"])
        for name, content in single.items()
    }
    rows = sum(fleet[name][2] == found for name, found in expected.items())
    scans = [row for _, row, _ in fleet.values()]
    cpu = sum(row.cpu_seconds for row in scans)
    print(f"{len(repositories)} repositories, {sum(row.lines for row in scans):,} lines, "
          f"{sum(map(len, expected.values())):,} findings")  # fmt: skip
    print(f"reports equal byte by byte: {same} of {len(single)}; rows equal: {rows} of {len(single)}")
    print(f"single scans, one after the other: {alone:.1f} s; fleet: {wall:.1f} s, CPU of its scans {cpu:.1f} s")
    busy = sum(row.seconds for row in scans)
    print(f"wall / (CPU / 2): {wall / (cpu / 2):.2f}; wall / (sum of the jobs' wall time / 2): {wall / (busy / 2):.2f}")
    print(f"overhead for each repository: {(wall - busy / 2) / len(scans) * 1000:.0f} ms; store: {size:,} bytes")
