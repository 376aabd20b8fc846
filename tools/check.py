"""Everything that must hold before a change is accepted, in one command that needs Python 3.11 and pip alone.

    python tools/check.py

It works in fresh virtual environments in a temporary directory and leaves the checkout and the environment it is run
in alone. All checks run, so that one run reports everything that is wrong; the test suite comes last, and the few tests
that fail in it run once more, alone. Where npm can run the reference validator of SARIF, it does; elsewhere a line says
that it did not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "fixtures" / "demo"  # what the README scans
SCANNED = (ROOT / "fixtures" / "lines", ROOT / "src" / "pyrograph" / "fleet")  # compiled and plain
SARIF_VALIDATOR = "@microsoft/sarif-multitool@5"

CORE = "core"  # the environment of the plain wheel, without extras
COMPILE, OPTIMIZE = "PYROGRAPH_COMPILE", "PYROGRAPH_OPTIMIZE"  # hatch_build.py explains them

TRIED_ALONE = 3  # tests
MAX_TESTS = 3600  # seconds; three times what CI takes for everything
SARIF_ACCEPTED = frozenset({"SARIF2005"})  # the tool names no web address: it has none yet


class Checks:
    """Runs and prints commands, and remembers those that failed."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.code = 0  # exit code of the last command

    def run(
        self,
        title: str,
        *command: str | Path,
        cwd: Path = ROOT,
        accepted: Sequence[int] = (0,),
        extra: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> bool:
        """``seconds``: after which the command fails; None: it has limits of its own, or needs none."""
        print(f"\n== {title}", flush=True)
        variables = environment() | dict(extra or {})
        line = [str(part) for part in command]
        begun = time.monotonic()
        try:
            code = subprocess.run(line, cwd=cwd, env=variables, check=False, timeout=seconds).returncode
        except subprocess.TimeoutExpired:
            self.fail(f"{title} (no end within {seconds:,} seconds)")
            return False
        print(f"{time.monotonic() - begun:.0f} s", flush=True)
        self.code = code
        if code not in accepted:
            self.fail(f"{title} (exit code {code})")
        return code in accepted

    def fail(self, title: str) -> None:
        print(f"failed: {title}", flush=True)
        self.failed.append(title)


def environment() -> dict[str, str]:
    """The process's environment without what would let the checkout or another environment shine through."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"CI": "1", "HYPOTHESIS_PROFILE": "ci", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def kept_bytecode(folder: Path) -> dict[str, str]:
    """Variables with which Python keeps bytecode below ``folder``, and none in the checkout.

    To compile all tests takes half a minute, which is spent once and not by each worker.
    """
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def install_everything(checks: Checks, python: Path) -> bool:
    """Install the sources with all that checks and tests need.

    pip need not compile thousands of modules: the tests keep the bytecode of those that they import elsewhere.
    """
    pip = (python, "-m", "pip", "install", "--quiet", "--no-compile")
    return checks.run("install", *pip, f"{ROOT}[dev,jit]")


def make_environment(folder: Path) -> Path:
    """A new virtual environment; returns the directory of its commands."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    return folder / ("Scripts" if os.name == "nt" else "bin")


class Beside(NamedTuple):
    """A command that runs on another core while others are checked."""

    title: str
    process: subprocess.Popen[bytes]
    log: Path  # what it prints

    @classmethod
    def begin(
        cls, title: str, command: Sequence[str | Path], cwd: Path, log: Path, extra: Mapping[str, str] | None = None
    ) -> Self:
        line = [str(part) for part in command]
        with log.open("wb") as output:
            variables = environment() | dict(extra or {})
            process = subprocess.Popen(line, cwd=cwd, env=variables, stdout=output, stderr=subprocess.STDOUT)
        return cls(title, process, log)

    def end(self, checks: Checks) -> bool:
        """Wait for it, and print what it printed where it failed; whether it succeeded."""
        print(f"\n== {self.title}", flush=True)
        begun = time.monotonic()
        code = self.process.wait()
        print(f"waited for {time.monotonic() - begun:.0f} s", flush=True)
        if code:
            print(self.log.read_text(encoding="utf-8", errors="replace"))
            checks.fail(f"{self.title} (exit code {code})")
        return not code


def compile_wheel(python: Path, folder: Path) -> Beside:
    """Begin to build the compiled wheel into ``folder/compiled``."""
    target = folder / "compiled"
    command = (python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", target, ROOT)
    return Beside.begin("compile", command, folder, folder / "compiled.log", {COMPILE: "1", OPTIMIZE: "0"})


def check_types(python: Path, folder: Path) -> Beside:
    """Begin to check the types, which takes as long as all other checks of the sources and of the wheel."""
    command = (python, "-m", "mypy", "--cache-dir", os.devnull)
    return Beside.begin("mypy", command, ROOT, folder / "types.log")


def install_compiled(checks: Checks, python: Path, compiling: Beside, folder: Path) -> bool:
    """Wait for the compiled wheel, and install it in place of the plain one."""
    if not compiling.end(checks):
        return False
    (wheel,) = (folder / "compiled").glob("*.whl")
    pip = (python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall")
    is_compiled = "import sys; from pyrograph.cli.doctor import compiled; sys.exit(not compiled())"
    return checks.run("install the compiled wheel", *pip, wheel) and checks.run(
        "the environment of the tests is compiled", python, "-c", is_compiled, cwd=folder
    )


def check_sources(checks: Checks, commands: Path) -> None:
    python = commands / "python"
    checks.run("ruff check", python, "-m", "ruff", "check", "--no-cache")
    checks.run("ruff format", python, "-m", "ruff", "format", "--no-cache", "--check")
    checks.run("import-linter", commands / "lint-imports", "--no-cache")
    checks.run("codespell", commands / "codespell", *tracked_texts())


def tracked_texts() -> list[str]:
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.toml")]
    return sorted(str(path.relative_to(ROOT)) for path in texts)


def check_wheel(checks: Checks, commands: Path, folder: Path) -> Path | None:
    """Build, look into the wheel, install it without extras, and scan with it; returns its commands."""
    dist = folder / "dist"
    # a plain wheel, for every machine; the environment of the tests is compiled
    if not checks.run("build", commands / "python", "-m", "build", "--outdir", dist, extra={COMPILE: "0"}):
        return None
    (wheel,) = dist.glob("*.whl")
    # W102 is a file that the sources do not have: the next check allows the rules alone
    checks.run("contents of the wheel", commands / "check-wheel-contents", "--ignore", "W102", wheel)
    made = [name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("pyrograph/")]
    if strange := [name for name in made if not (ROOT / "src" / name).exists() and "/rules/ahead/" not in name]:
        checks.fail(f"the wheel holds files that the sources do not have: {strange}")
    core = make_environment(folder / CORE)
    if not checks.run("install the core alone", core / "python", "-m", "pip", "install", "--quiet", wheel):
        return None
    checks.run("the core has no Numba", core / "python", "-c", "import numba", accepted=(1,))
    parses = "import sys; from pyrograph.rules import load_rules; load_rules(); sys.exit('tomllib' in sys.modules)"
    without_cache = {"XDG_CACHE_HOME": str(folder / "cache-core")}
    checks.run("the rules of the wheel are read ahead", core / "python", "-c", parses, cwd=folder, extra=without_cache)
    checks.run("the core says what the language server needs", core / "pyrograph", "lsp", accepted=(2,))
    report = folder / "demo.sarif"
    pyrograph = core / "pyrograph"
    if checks.run(
        "scan with the core", pyrograph, "scan", DEMO, "--format", f"sarif:{report}", cwd=folder, accepted=(1,)
    ):
        check_sarif(checks, report, folder)
    return core


def scan_much(commands: Path, folder: Path) -> Beside:
    """Begin to scan programs with many findings and a part of our own sources, with a cache of its own."""
    name = commands.parent.name
    everything = ("--threat-model", "all", "--confidence", "low", "--format", f"json:{folder / name}.json")
    command = (commands / "pyrograph", "scan", *SCANNED, "--root", ROOT, "--isolated", "--exit-zero", "--quiet")
    cache = {"XDG_CACHE_HOME": str(folder / f"cache-{name}")}
    return Beside.begin(f"scan with {name}", (*command, *everything), ROOT, folder / f"scan-{name}.log", cache)


def check_compiled(checks: Checks, commands: Path, folder: Path, plain: Beside) -> None:
    """Compiled modules and plain ones, which ``plain`` scans with, give the same report of three languages."""
    compiled = scan_much(commands, folder)
    if not all([compiled.end(checks), plain.end(checks)]):
        return
    one, other = ((folder / f"{name}.json").read_bytes() for name in (commands.parent.name, CORE))
    if one != other:
        checks.fail("compiled and plain modules give the same report")


def check_sarif(checks: Checks, report: Path, folder: Path) -> None:
    """Let the reference validator read the report of the demonstration."""
    found = json.loads(report.read_text(encoding="utf-8"))["runs"][0]["results"]
    print(f"{len(found)} results in SARIF")
    if not found:
        checks.fail("the demonstration has findings")
    npx = shutil.which("npx")
    if npx is None:
        print("skipped: SARIF validator (no npx)")
        return
    prefix = folder / "npm"
    prefix.mkdir()
    installed = subprocess.run(
        [shutil.which("npm") or "npm", "install", "--prefix", str(prefix), "--no-audit", "--no-fund", SARIF_VALIDATOR],
        cwd=prefix, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    if installed.returncode:
        print("skipped: SARIF validator (npm cannot get it)")
        return
    verdict = folder / "verdict.sarif"
    checks.run(
        "SARIF validator", npx, "--prefix", prefix, "sarif-multitool", "validate", report, "--output", verdict,
        cwd=prefix, accepted=(0, 1),
    )  # fmt: skip
    if not verdict.is_file():
        checks.fail("SARIF validator wrote no verdict")
        return
    for result in json.loads(verdict.read_text(encoding="utf-8-sig"))["runs"][0]["results"]:
        rule = result["ruleId"].partition("/")[0]
        if result.get("level", "warning") in ("error", "warning") and rule not in SARIF_ACCEPTED:
            checks.fail(f"SARIF validator: {result['ruleId']}: {json.dumps(result['message'])}")


def check_plain_tests(checks: Checks, python: Path, folder: Path) -> None:
    """Run the tests that need the sources. All others are collected, too: the workers will find their bytecode."""
    pytest = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "plain")
    variables = kept_bytecode(folder) | {"PYTHONPATH": str(ROOT / "src")}
    checks.run("pytest on the sources", *pytest, seconds=MAX_TESTS, extra=variables)


def check_tests(checks: Checks, python: Path, folder: Path) -> None:
    """Run the whole suite; up to ``TRIED_ALONE`` tests that fail among the others get a second run of their own.

    Many tests start processes with limits of time. What such a test says on a machine that is busy with three of them
    is not what it says alone; a test that fails in both runs fails the check, and the first failure is printed anyway.
    """
    memory = folder / "pytest"
    workers = min((os.cpu_count() or 1) + 1, 4)  # one more than cores: many tests wait for processes
    pytest = (python, "-m", "pytest", "-q")
    spread = ("-n", str(workers), "--dist", "worksteal", "--durations", "30", "-o", f"cache_dir={memory}")
    variables = kept_bytecode(folder)
    if (
        not checks.run("pytest", *pytest, *spread, accepted=(0, 1), seconds=MAX_TESTS, extra=variables)
        or not checks.code
    ):
        return
    last = memory / "v" / "cache" / "lastfailed"
    failed = list(json.loads(last.read_text(encoding="utf-8"))) if last.is_file() else []
    if not 0 < len(failed) <= TRIED_ALONE:
        checks.fail(f"pytest ({len(failed)} tests)")
    else:
        alone = (*pytest, "-p", "no:cacheprovider", *failed)
        checks.run("pytest, what failed among the others", *alone, seconds=MAX_TESTS, extra=variables)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="in this environment: lint, types, and tests near a change")
    if parser.parse_args().fast:
        sys.path.insert(0, str(ROOT))
        from tools import fast

        return fast.check()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="pyrograph-check-") as temporary:
        check_everything(checks, Path(temporary))
    if checks.failed:
        print(f"\nfailed: {'; '.join(checks.failed)}")
    return 1 if checks.failed else 0


def check_everything(checks: Checks, folder: Path) -> None:
    """Run all checks, or those up to an installation that fails. No core is idle before the tests."""
    commands = make_environment(folder / "dev")
    python = commands / "python"
    compiling = compile_wheel(python, folder)  # on another core, while the rest is installed and checked
    if not install_everything(checks, python):
        compiling.process.terminate()
        return
    types = check_types(python, folder)
    check_sources(checks, commands)
    core = check_wheel(checks, commands, folder)
    plain = scan_much(core, folder) if core is not None else None
    check_plain_tests(checks, python, folder)
    types.end(checks)
    if install_compiled(checks, python, compiling, folder):
        if plain is not None:
            check_compiled(checks, commands, folder, plain)
        check_tests(checks, python, folder)
    elif plain is not None:
        plain.end(checks)


if __name__ == "__main__":
    sys.exit(main())
