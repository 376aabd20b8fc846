"""One input: a directory that goes through the whole pipeline in a forked process, and promises that are compared.

Everything that a scan promises whatever it reads is an exception here where it does not hold: no internal error, the
same bytes from the same files however they are read, problems that name files of the scan.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from pyrograph import report as reports
from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import Rules, load_rules
from pyrograph.rules.kinds import OPTIONAL_KINDS
from pyrograph.scanner import background, pipeline, recovery
from pyrograph.scanner.analysis import lower
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.diagnose import Line, Unanswerable, why
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import analyse_to_labels
from pyrograph.scanner.reduce import Failure, Limits, Program, failures_of, run_forked, write
from pyrograph.scanner.stages import FaultPolicy, NoFiles
from pyrograph.scanner.triage.suppress import apply_suppressions

PROPERTIES = ("again", "jobs", "order", "cache", "explain", "ir")
SECONDS = 20.0  # of CPU that every input has
SECONDS_PER_BYTE = 60 / 1_000_000
MEMORY = 3_500_000_000  # bytes of address space
PATIENCE = 15  # wall-clock seconds for each CPU second: the machine may be busy
COMPARED = ("json", "sarif")


class Broken(Exception):
    """A promise that does not hold; there is a class for each, which distinguishes failures."""


class RunsDiffer(Broken): ...


class JobsDiffer(Broken): ...


class OrdersDiffer(Broken): ...


class CachesDiffer(Broken): ...


class StrangerNamed(Broken): ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How an input is scanned, and further checks."""

    everything: bool = False  # low confidence, all threat models, nothing left out
    block: bool = False  # calls that nobody modelled pass nothing on
    properties: tuple[str, ...] = ()  # of PROPERTIES
    seed: int = 0  # of the lines that ``explain`` is asked about


class Trials:
    """Runs inputs. Making one loads the rules and all modules, so that forked processes need not."""

    def __init__(self, folder: Path) -> None:
        """``folder``: a directory of its own, for what is scanned."""
        self.folder = folder
        self.rules: Rules = load_rules(None, ())
        self._warm()

    def _warm(self) -> None:
        """Import and compile what scans use."""
        code = (
            "from flask import request\nimport os\n\ndef run(x):\n    return os.system(x)\n\nrun(request.args['q'])\n"
        )
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            Path(folder, "app.py").write_text(code, encoding="utf-8")
            for language in ("a.js", "a.ts", "a.tsx", "a.go"):
                Path(folder, language).write_text("x", encoding="utf-8")
            _everything(Path(folder), Settings(everything=True, properties=("explain", "ir")), self.rules)
        recovery.KEEP_ALIVE.clear()

    def failures(
        self, files: Mapping[str, bytes], settings: Settings, *, share: float = 1.0
    ) -> tuple[frozenset[Failure], str]:
        """How a scan of these files fails, and what it wrote on standard error; empty where all promises hold.

        ``share``: of the time that an input has.
        """
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            root = Path(folder, "root")
            root.mkdir()
            write(Program(files), root)
            seconds = share * (SECONDS + SECONDS_PER_BYTE * sum(map(len, files.values())))
            limits = Limits(seconds * PATIENCE, MEMORY, seconds)
            work = partial(_everything, root, settings, self.rules)
            ended = run_forked(work, Path(folder), limits, {"XDG_CACHE_HOME": folder})
            return failures_of(ended, None), ended.said


def _everything(root: Path, settings: Settings, rules: Rules) -> int:
    """In the forked process: scan, render in all formats, compare."""
    root = root.resolve()
    options = ScanOptions(
        paths=(root,),
        root=root,
        jobs=1,
        device="cpu",
        profile="audit" if settings.everything else "default",
        confidence="low" if settings.everything else "medium",
        threat_models=frozenset(OPTIONAL_KINDS) if settings.everything else frozenset(),
        default_excludes=not settings.everything,
        unknown_calls="block" if settings.block else "pass",
    )
    if "verify" in {field.name for field in fields(ScanOptions)}:
        options = replace(options, **{"verify": True})  # type: ignore[arg-type]
    pipeline.cache_folder = lambda: None
    report = _scanned(options, rules)
    _check_problems(report, root)
    expected = _rendered(report)
    _promises(options, rules, settings, expected)
    return 0


def _raise(error: BaseException) -> NoReturn:
    raise error


def _scanned(options: ScanOptions, rules: Rules) -> Report:
    report = scanner.scan(options, rules, None, FaultPolicy(on_error=_raise))
    for problem in report.problems:
        if problem.kind == "internal-error":
            raise AssertionError(problem.message)
    return apply_suppressions(report, require_reason=False, hints=("nosec", "nosemgrep"))


def _check_problems(report: Report, root: Path) -> None:
    for problem in report.problems:
        if problem.path and not os.path.lexists(root / problem.path):
            raise StrangerNamed(problem)


def _rendered(report: Report) -> list[str]:
    """All formats; those that are compared first."""
    texts = []
    for form in (*COMPARED, *(each for each in reports.FORMATS if each not in COMPARED)):
        stream = io.StringIO()
        reports.render(form, report, stream, color="always", width=100, max_paths=3, include_suppressed=True)
        texts.append(stream.getvalue())
        stream.getvalue().encode("utf-8")
    return texts[: len(COMPARED)]


def _promises(options: ScanOptions, rules: Rules, settings: Settings, expected: list[str]) -> None:
    def compare(kind: type[Broken], changed: ScanOptions) -> None:
        if _rendered(_scanned(changed, rules)) != expected:
            raise kind

    ask: dict[str, Callable[[], None]] = {
        "again": lambda: compare(RunsDiffer, options),
        "jobs": lambda: _with(lower, "PARALLEL_BYTES", 0, lambda: compare(JobsDiffer, replace(options, jobs=2))),
        "order": lambda: compare(OrdersDiffer, replace(options, paths=_backwards(options.root))),
        "cache": lambda: _with_cache(lambda: compare(CachesDiffer, options)),
        "explain": lambda: _explained(options, rules, settings),
        "ir": lambda: _listed(options.root),
    }
    for name in settings.properties:
        ask[name]()


def _with(module: Any, name: str, value: object, run: Callable[[], None]) -> None:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        run()
    finally:
        setattr(module, name, before)


def _with_cache(run: Callable[[], None]) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        for _ in range(2):  # cold, then warm
            _with(pipeline, "cache_folder", lambda: folder, run)
            background.finish()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _backwards(root: Path) -> tuple[Path, ...]:
    """The directories in a directory, in reverse order; itself where it holds files, too."""
    inner = list(root.iterdir())
    return tuple(sorted(inner, reverse=True)) if all(path.is_dir() for path in inner) else (root,)


def _explained(options: ScanOptions, rules: Rules, settings: Settings) -> None:
    """Ask about a few pairs of lines, some of them where the scan found something."""
    known = analyse_to_labels(
        options.asking_everything(frozenset(OPTIONAL_KINDS)), rules, Clock(None), everywhere=True,
        policy=FaultPolicy(on_error=_raise),
    )  # fmt: skip
    if isinstance(known, NoFiles):
        return
    random = Random(settings.seed)
    places = [(each.file.path, each.unit.lines) for each in known.lowered if each.unit.lines]
    for _ in range(3 if places else 0):
        lines = [Line(path, random.randint(1, count)) for path, count in random.choices(places, k=2)]
        if random.random() < 0.6:
            lines[1] = Line(lines[0].path, random.randint(1, dict(places)[lines[0].path]))
        try:
            why(known, lines[0], lines[1])
        except Unanswerable:
            continue


def _listed(root: Path) -> None:
    """Print every unit, and its loops in the dialect."""
    from pyrograph.ir.dataflow.lower import loop_graphs
    from pyrograph.ir.dataflow.text import printed
    from pyrograph.ir.dot import dot
    from pyrograph.ir.text import listing
    from pyrograph.parsers import lower as lower_text
    from pyrograph.parsers import suffixes

    for path in sorted(root.rglob("*"))[:20]:
        language = suffixes().get(path.suffix.lower())
        if language is not None and path.is_file():
            unit = lower_text(path.read_bytes(), language)
            listing(unit, None)
            dot(unit, None)
            for found in loop_graphs(unit, None):
                printed(found.graph)


def names(failures: Sequence[Failure]) -> str:
    """Failures as one line."""
    return "; ".join(map(str, sorted(failures)))
