"""Same input, same output, byte for byte: whatever the processes, the order of files, the hash seed, the backend."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.scanner.specification import sections
from tests.warm import warm

from pyrograph import graph, report, scanner
from pyrograph.policy.limits.workers import PARALLEL_BYTES
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis import search as search_stage
from pyrograph.scanner.analysis.assemble import FlowGraph
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.options import ScanOptions

FLOWS = Path(__file__).resolve().parent.parent / "fixtures" / "flows"
FORMATS = ("json", "sarif")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every third program of the specification, and text enough that several processes are worth starting."""
    folder = tmp_path_factory.mktemp("corpus")
    size = 0
    for number, section in enumerate(sections(FLOWS)):
        if number % 3:
            continue
        for index, program in enumerate(section.programs()):
            for name, block in program.items():
                file = folder / f"part{number}" / str(index) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                mark = "#" if block.language == "python" else "//"
                filler = f"{mark} {'-' * 76}\n" * 60 if block.language != "text" else ""
                file.write_text(block.code + filler, encoding="utf-8")
                size += len(filler)
    assert size > PARALLEL_BYTES
    return folder


def rendered(corpus: Path, cache: Path, *, jobs: int, seed: str, paths: list[str]) -> dict[str, bytes]:
    """JSON and SARIF of a scan in a fresh process."""
    outputs = {form: cache / f"report.{form}" for form in FORMATS}
    cache.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pyrograph", "scan", *paths, "--root", ".", "--jobs", str(jobs), "--exit-zero"]
    for form, file in outputs.items():
        command += ["--format", f"{form}:{file}"]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONHASHSEED": seed,
        "XDG_CACHE_HOME": str(warm(cache)),
    }
    done = subprocess.run(command, cwd=corpus, env=environment, capture_output=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr.decode()
    return {form: file.read_bytes() for form, file in outputs.items()}


@pytest.fixture(scope="module")
def expected(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process finds with the hash seed 0."""
    return rendered(corpus, tmp_path_factory.mktemp("one"), jobs=1, seed="0", paths=["."])


def test_the_corpus_has_findings_of_every_language(expected: dict[str, bytes]) -> None:
    rules = [finding["rule"] for finding in json.loads(expected["json"])["findings"]]
    assert len(rules) > 100
    assert {rule.partition("/")[0] for rule in rules} == {"python", "javascript", "go"}


def test_processes_the_hash_seed_the_order_of_the_files_and_the_cache_change_nothing(
    corpus: Path, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """Without a cache with two processes; of the units in the cache, and of the report there, with one."""
    paths = sorted((str(path.relative_to(corpus)) for path in corpus.iterdir()), reverse=True)
    cache = tmp_path / "cache"
    for known, jobs, seed in (("nothing", 2, "1"), ("units", 1, "2"), ("the report", 1, "2")):
        assert rendered(corpus, cache, jobs=jobs, seed=seed, paths=paths) == expected, f"{known} in the cache"
        if known == "nothing":
            (kept,) = (cache / "pyrograph" / "reports").iterdir()
            kept.unlink()


def test_the_backend_changes_nothing(
    corpus: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only the search knows the backend: one scan, in which every backend searches the same graph."""
    backends: list[Any] = [name for name, there in graph.available().items() if there and name != "cuda"]
    search = search_stage.search
    results: dict[graph.Backend, tuple[Any, ...]] = {}

    def search_with_each(flow: FlowGraph, labels: Labels, *, backend: graph.Backend, max_depth: int | None) -> Any:
        for name in backends:
            flow.truncated_sinks.clear()
            found = search(flow, labels, backend=name, max_depth=max_depth)
            hits = [(hit.projection.bit, hit[:5], hit.assumed) for hit in found[0]]
            results[name] = hits, found[1:], sorted(flow.truncated_sinks)
        return found

    monkeypatch.setattr(search_stage, "search", search_with_each)
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path)
    found = scanner.scan(ScanOptions(paths=(corpus,), root=corpus.resolve(), jobs=1), load_rules(None, ()))
    assert {"reference", "vectorised"} <= results.keys()
    for name in backends:
        assert results[name] == results["reference"], name
    for form in FORMATS:
        stream = io.StringIO()
        report.render(form, found, stream)
        assert stream.getvalue().encode() == expected[form]
