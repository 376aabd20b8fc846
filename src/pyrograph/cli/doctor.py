"""``pyrograph doctor``: what was found on this machine, what is missing, and whether all backends agree."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass

import click

from pyrograph import __version__
from pyrograph.cli.errors import CLEAN, REFUSED

MARKS = {"ok": "ok", "missing": "--", "broken": "!!"}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at."""

    what: str
    found: str
    state: str  # "ok"; "missing": optional; "broken": has to be repaired
    remedy: str = ""


@click.command()
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    help="Fail unless this device can search. [auto]",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="[text]")
def doctor(device: str, form: str) -> int:
    """Show what pyrograph found on this machine, and compare every backend on a small graph.

    Exit codes: 0 everything that is needed works; 2 something has to be repaired, or --device cannot search here.
    """
    backends = _backends(device)
    runs_cuda = any(line.what == "backend cuda" and line.state == "ok" for line in backends)
    lines = [*_software(), *_languages(), *_cuda(device, runs=runs_cuda), *backends]
    if form == "json":
        click.echo(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        width = max(len(line.what) for line in lines)
        for line in lines:
            click.echo(f"{MARKS[line.state]}  {line.what:<{width}}  {line.found}")
            if line.remedy:
                click.echo(f"    {'':<{width}}  -> {line.remedy}")
    return REFUSED if any(line.state == "broken" for line in lines) else CLEAN


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def compiled() -> bool:
    """Whether the modules that a build compiles where it can were compiled for this Python."""
    from pyrograph.parsers.builder import values

    return not (values.__file__ or "").endswith(".py")


def _software() -> list[Line]:
    lines = [
        Line("pyrograph", __version__, "ok"),
        Line("Python", f"{platform.python_version()} ({sys.executable}), {platform.machine()}", "ok"),
    ]
    for package in ("numpy", "tree-sitter"):
        found = _version(package)
        remedy = "" if found else "reinstall it with: pip install --force-reinstall pyrograph-scan"
        lines.append(Line(package, found or "not installed", "ok" if found else "broken", remedy))
    if compiled():
        lines.append(Line("compiled modules", "lowering, resolution and labelling are compiled", "ok"))
    else:
        remedy = "for speed, with a C compiler: PYROGRAPH_COMPILE=1 pip install --force-reinstall --no-deps ."
        lines.append(Line("compiled modules", "none; plain Python is used", "missing", remedy))
    for package, extra, what in (
        ("pygls", "lsp", "for editors"),
        ("textual", "triage", "for the walk of `pyrograph triage`"),
        ("numba", "jit", "for large programs"),
    ):
        found = _version(package)
        remedy = "" if found else f"{what}: pip install 'pyrograph-scan[{extra}]'"
        lines.append(Line(package, found or "not installed", "ok" if found else "missing", remedy))
    return lines


def _languages() -> list[Line]:
    """Every grammar, and whether its front end lowers one line."""
    from pyrograph.parsers import lower, syntaxes

    lines = []
    for language, syntax in syntaxes().items():
        package = syntax.grammar
        try:
            lower(b"x = 1\n", language)
        except Exception as error:
            remedy = f"reinstall it with: pip install --force-reinstall {package}"
            lines.append(Line(language, f"{package}: {type(error).__name__}: {error}", "broken", remedy))
        else:
            lines.append(Line(language, f"{package} {_version(package)}", "ok"))
    return lines


def _cuda(device: str, *, runs: bool) -> list[Line]:
    """Packages, driver and devices for CUDA; wanting only if ``device`` is ``cuda``.

    ``runs``: The backend has searched. What no package has, such as parts of the toolkit, then comes from the system.
    """
    from pyrograph.kernels import probe

    absent = "broken" if device == "cuda" else "missing"
    lines = []
    package = probe.installed_version("numba-cuda")
    lines.append(Line("numba-cuda", package or "not installed", "ok" if package else absent))
    extra = probe.installed_extra()
    parts = [f"{part} {_version(names[extra])}".strip() for part, names in probe.COMPONENTS.items()] if extra else []
    toolkit = ", ".join(parts) or ("that of the system" if runs else "not installed")
    lines.append(Line("CUDA toolkit", toolkit, "ok" if extra or runs else absent))
    there = probe.driver()
    known = [f"release {there.release}"] if there.release else []
    known += ["CUDA up to {}.{}".format(*there.cuda)] if there.cuda else []
    lines.append(Line("NVIDIA driver", ", ".join(known) or "not found", "ok" if known else absent))
    for number, one in enumerate(there.devices):
        capability = "{}.{}".format(*one.capability)
        lines.append(Line(f"GPU {number}", f"{one.name}, {one.memory / 2**30:.0f} GiB, capability {capability}", "ok"))
    for obstacle in [] if runs else probe.missing():
        what, _, remedy = obstacle.partition("; ")
        lines.append(Line("CUDA", what, absent, remedy))
    return lines


def _backends(device: str) -> list[Line]:
    from pyrograph.graph.compare import NODES, SOURCES, compare

    needed = {"auto": set(), "cpu": set(), "cuda": {"cuda"}}[device]
    lines = []
    for answer in compare():
        what = f"backend {answer.backend}"
        if answer.missing:
            lines.append(Line(what, "cannot run here", "broken" if answer.backend in needed else "missing"))
        elif answer.problem:
            remedy = "please report it with all of this output"
            lines.append(Line(what, answer.problem, "broken", remedy))
        else:
            text = f"{answer.hits:,} hits of {SOURCES} sources in {NODES:,} nodes, as the reference"
            lines.append(Line(what, f"{text}; {answer.second:.4f} s (first time {answer.first:.2f} s)", "ok"))
    return lines
