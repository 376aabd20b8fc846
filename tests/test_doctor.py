"""``pyrograph doctor``: what it shows, what it says is missing, and its exit codes."""

from __future__ import annotations

import ctypes
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pyrograph import graph, parsers
from pyrograph.cli import main
from pyrograph.graph import compare
from pyrograph.kernels import probe

NO_DRIVER = probe.Driver("", None, (), "no NVIDIA driver is installed (libcuda.so.1 was not found)")
H200 = probe.Device("NVIDIA H200", (9, 0), 141 << 30)


@pytest.fixture
def without_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with neither driver nor packages for CUDA."""
    machine(monkeypatch, NO_DRIVER, None)


def machine(monkeypatch: pytest.MonkeyPatch, driver: probe.Driver, extra: str | None, without: str = "") -> None:
    """Pretend that this driver and the packages of this extra are there, but for one."""
    packages = {names[extra] for names in probe.COMPONENTS.values()} | {"numba-cuda"} if extra else set()
    monkeypatch.setattr(probe, "driver", lambda: driver)
    monkeypatch.setattr(probe, "installed_version", lambda name: "1.0" if name in packages - {without} else None)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        main(["doctor", *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code, capsys.readouterr().out


def test_all_that_is_needed_is_found_and_all_backends_agree(
    without_cuda: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = run(capsys, "--format", "json")
    lines = {line["what"]: line for line in json.loads(text)}
    assert code == 0
    assert {"pyrograph", "Python", "numpy", "numba", *parsers.syntaxes()} <= set(lines)
    assert all(lines[language]["state"] == "ok" for language in parsers.syntaxes())
    for backend in ("reference", "vectorised", *(["numba"] if graph.available()["numba"] else [])):
        assert lines[f"backend {backend}"]["state"] == "ok"
        assert "as the reference" in lines[f"backend {backend}"]["found"]
    assert all(line["state"] != "broken" for line in lines.values())


@pytest.mark.skipif(graph.available()["cuda"], reason="needs a machine without numba-cuda")
def test_a_device_that_was_asked_for_and_is_not_there_is_an_error_with_remedies(
    without_cuda: None, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = run(capsys)
    assert code == 0
    assert "--  backend cuda" in text
    code, text = run(capsys, "--device", "cuda")
    assert code == 2
    for part in (
        "!!  backend cuda",
        "!!  NVIDIA driver",
        "-> pip install 'pyrograph-scan[cuda13]'",
        "-> install driver",
    ):
        assert part in text
    with pytest.raises(graph.BackendError, match=r"numba-cuda is not installed; .*; no NVIDIA driver is installed"):
        graph.for_device("cuda")


def test_a_backend_that_searches_shows_that_nothing_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(monkeypatch, probe.Driver("580.65.06", (13, 0), (H200,), ""), "cuda13", without="nvidia-nvvm")
    answer = compare.Answer("cuda", 5, 0.1, 0.1, "", missing=False)
    monkeypatch.setattr(compare, "compare", lambda: [answer])
    code, text = run(capsys, "--device", "cuda")
    assert code == 0
    assert "NVVM of the CUDA toolkit is not installed" not in text
    monkeypatch.setattr(compare, "compare", lambda: [replace(answer, missing=True)])
    code, text = run(capsys, "--device", "cuda")
    assert code == 2
    assert "NVVM of the CUDA toolkit is not installed" in text


def test_a_grammar_that_cannot_be_loaded_is_an_error(
    without_cuda: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lower(source: bytes, language: str) -> None:
        if language == "go":
            raise ImportError("undefined symbol")

    monkeypatch.setattr(parsers, "lower", lower)
    code, text = run(capsys)
    assert code == 2
    assert "tree-sitter-go: ImportError: undefined symbol" in text
    assert "-> reinstall it with: pip install --force-reinstall tree-sitter-go" in text


def test_a_backend_that_answers_differently_is_an_error(
    without_cuda: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = graph.bfs

    def wrong(flow: graph.Graph, sources: Any, *, backend: graph.Backend) -> graph.Hits:
        if backend == "numba":
            raise MemoryError("no room")
        return right(flow, sources[:-1] if backend == "vectorised" else sources, backend=backend)

    monkeypatch.setattr(compare, "bfs", wrong)
    code, text = run(capsys)
    assert code == 2
    assert "hits differ from the reference's" in text
    assert "MemoryError: no room" in text
    assert "please report it" in text


def test_what_is_missing_for_cuda_comes_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    new = probe.Driver("580.65.06", (13, 0), (H200,), "")
    machine(monkeypatch, new, "cuda13")
    assert probe.missing() == []
    machine(monkeypatch, new, "cuda13", without="nvidia-nvvm")
    assert probe.missing() == ["NVVM of the CUDA toolkit is not installed; pip install 'pyrograph-scan[cuda13]'"]
    machine(monkeypatch, probe.Driver("550.1", (12, 4), (H200,), ""), "cuda13")
    assert probe.missing() == [
        "the driver runs CUDA 12.4, but cuda13 needs 13.0; update the driver to 580 or newer, "
        "or install 'pyrograph-scan[cuda12]' instead of [cuda13]"
    ]
    machine(monkeypatch, probe.Driver("470.1", (11, 4), (H200,), ""), "cuda12")
    assert probe.missing() == ["the driver runs CUDA 11.4, but cuda12 needs 12.0; update the driver to 525 or newer"]


@pytest.mark.parametrize(
    ("start", "count", "problem"),
    [
        (0, 2, ""),
        (0, 0, "the NVIDIA driver sees no device"),
        (100, 0, "the NVIDIA driver does not start: it sees no device (is CUDA_VISIBLE_DEVICES set?)"),
        (999, 0, "the NVIDIA driver does not start: error 999"),
    ],
)
def test_the_driver_is_asked_through_its_own_library(
    monkeypatch: pytest.MonkeyPatch, start: int, count: int, problem: str
) -> None:
    def put(place: Any, value: object) -> int:
        place._obj.value = value
        return 0

    def name(buffer: Any, _size: int, _device: object) -> int:
        buffer.value = b"NVIDIA H200"
        return 0

    library = SimpleNamespace(
        cuDriverGetVersion=lambda place: put(place, 13010),
        cuInit=lambda _: start,
        cuDeviceGetCount=lambda place: put(place, count),
        cuDeviceGet=lambda place, number: put(place, number),
        cuDeviceGetName=name,
        cuDeviceTotalMem_v2=lambda place, _: put(place, 141 << 30),
        cuDeviceGetAttribute=lambda place, what, _: put(place, {75: 9, 76: 0}[what]),
    )

    def load(file: str) -> Any:
        if "ml" in file:
            raise OSError(file)
        return library

    monkeypatch.setattr(ctypes, "CDLL", load)
    assert probe.driver() == probe.Driver("", (13, 1), (H200,) * count, problem)


def test_no_driver_is_no_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(file: str) -> Any:
        raise OSError(file)

    monkeypatch.setattr(ctypes, "CDLL", load)
    there = probe.driver()
    assert (there.cuda, there.devices) == (None, ())
    assert "no NVIDIA driver is installed" in there.problem


@pytest.mark.skipif(graph.available()["cuda"], reason="needs a machine without numba-cuda")
def test_a_scan_on_a_device_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "app.py").write_text("import os, flask\nos.system(flask.request.args['x'])\n", encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["scan", str(tmp_path), "--device", "cuda"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert "backend 'cuda' cannot run here: the package numba-cuda is not installed" in said
    assert "`pyrograph doctor` shows what was found" in said
    assert "internal error" not in said
