"""Settings of all tests: the machine's speed decides nothing, CI tries the same examples every time, and whatever a
test lowers, resolves or scans is verified.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings
from tests import warm

from pyrograph import userfolder
from pyrograph.ir.unit import Unit
from pyrograph.ir.verify import verify as broken_promises
from pyrograph.parsers.frontend import FrontEnd
from pyrograph.scanner import pipeline
from pyrograph.scanner.analysis import resolve, verify
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import solver
from pyrograph.scanner.analysis.templates import Templates
from pyrograph.scanner.clock import StageCheck
from pyrograph.scanner.stages import FaultPolicy

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Test modules are imported after this, and get these functions instead of the plain ones.
_plain_lower, _plain_resolve = FrontEnd.lower, resolve.resolve


def _is_called_by(function: Callable[..., object]) -> bool:
    """Whether ``function`` is below the caller on the stack."""
    code = function.__code__
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def _lower(self: FrontEnd, source: bytes) -> Unit:
    unit = _plain_lower(self, source)
    if not _is_called_by(pipeline.read_sources):  # verifies what it lowers itself: ``clock.verified``
        verify.kept("lower", broken_promises(unit, len(source)))
    return unit


def _resolve(program: Program, apis: dict[str, Apis], templates: Templates | None = None) -> resolve.Resolution:
    if _is_called_by(pipeline.label_program):  # verifies the same itself: ``StageCheck``
        return _plain_resolve(program, apis, templates)
    verify.kept("link", verify.program(program))
    found = _plain_resolve(program, apis, templates)
    verify.kept("resolve", verify.program(program) + verify.resolution(program, found, apis))
    return found


FrontEnd.lower = _lower  # type: ignore[method-assign]
resolve.resolve = _resolve
StageCheck.always = True
warm.remember_rules()
warm.remember_packs()


def _fail(error: BaseException) -> None:
    raise error


pipeline._default_policy = FaultPolicy(on_error=_fail)  # an internal error must not hide as a problem of the report


@pytest.fixture(autouse=True)
def _no_reports_of_earlier_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that changes the program must not get what the program returned before; tests of the cache undo this."""
    monkeypatch.setattr("pyrograph.cli.scan.report_cache_folder", lambda: None)
    yield
    userfolder.choose_default()


@pytest.fixture
def rules_from_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """See ``warm.forget_rules``."""
    warm.forget_rules(monkeypatch)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout the tests run in."""
    return Path(__file__).resolve().parent.parent


# Modules with tests of half a minute and more. They begin first: the last of them would run alone at the end.
LONG = frozenset({"test_binding.py", "test_determinism.py", "test_reduce.py", "test_short_run.py"})

COMPILED = not str(solver.__file__).endswith(".py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out GPU tests unless ``-m`` asks for them, and tests of plain sources where these are compiled; begin with
    the long ones.
    """
    items.sort(key=lambda item: item.path.name not in LONG)
    plain = pytest.mark.skip(reason="changes what is compiled here; tools/check.py runs it on the sources")
    for item in items:
        if COMPILED and item.get_closest_marker("plain"):
            item.add_marker(plain)
    if "gpu" in config.getoption("-m", default=""):
        return
    skip = pytest.mark.skip(reason="needs a GPU; run with -m gpu")
    for item in items:
        if item.get_closest_marker("gpu"):  # not ``item.keywords``, which has the names of folders, too
            item.add_marker(skip)
