"""The check while you work: what a change most likely breaks, in the environment that this Python runs in.

    python tools/check.py --fast

ruff, mypy and import-linter look at everything, with their caches; of the tests, those that are near the files changed
since ``main`` run; subjects of commits since then are measured. ``python tools/check.py`` decides: it runs all of
them, in fresh environments.

A test module is near a changed module if it has its name, imports it, or imports the package that offers it: all
tests that reach a module through any import would be nearly all tests, because the pipeline imports every stage. Of
packs, only those that changed are tried with their examples.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/pyrograph/"
OF_A_PACK = "test_the_examples_of_a_pack_are_reported_as_they_say"  # in EXAMPLES; its parameter is a pack
REPOSITORY = "tests/test_repository.py"
# For any change of the package: one meaning in all languages, the pipeline, and the conventions.
ALWAYS = ("tests/test_concepts.py", REPOSITORY, "tests/scanner/test_pipeline.py")
# Programs with known flows, for what decides which are found.
FLOWS = "tests/test_flows.py"
EXAMPLES = "tests/rules/test_examples.py"
DECIDES_FLOWS = ("ir/", "parsers/", "rules/", "scanner/analysis/", "scanner/explain/", "graph/", "kernels/", "policy/")
MAX_SUBJECT = 72  # characters of a commit's subject: what git and its front ends show in one line
# Tests that take longer than a minute, and check what a small change does not touch.
SLOW = frozenset(
    {"tests/test_faults.py", "tests/test_shapes.py", "tests/fuzz/test_short_run.py", "tests/test_outside.py"}
)


def changed_files(base: str = "main") -> list[str]:
    """Paths that differ from where this branch left ``base``, with those that are not committed or not tracked."""
    start = _git("merge-base", "HEAD", base) or ["HEAD"]
    changed = _git("diff", "--name-only", start[0])
    return sorted({*changed, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*arguments: str) -> list[str]:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.split("\n")[:-1] if ran.returncode == 0 else []


def long_subjects(base: str = "main") -> list[str]:
    """Subjects of the commits since ``base`` that are longer than CONTRIBUTING.md allows."""
    return [subject for subject in _git("log", "--format=%s", f"{base}..HEAD") if len(subject) > MAX_SUBJECT]


def near(changed: Iterable[str], tests: Mapping[str, str]) -> list[str]:
    """The test modules to run for the files ``changed``, in order.

    ``tests``: path -> text of every test module. Paths are relative to the checkout.
    """
    imports = {path: set(_imported(ast.parse(text))) for path, text in tests.items()}
    chosen: set[str] = set()
    for path in changed:
        if path in tests:
            chosen.add(path)
        elif path.startswith("tests/") and path.endswith(".py"):  # a helper: the tests that import it
            chosen |= _importing({_module(path)}, imports)
        elif path.startswith(PACKAGE) and path.endswith(".py"):
            chosen |= _near_module(path.removeprefix(PACKAGE), imports)
        elif path.startswith((PACKAGE, "fixtures/")):
            if path.startswith(f"{PACKAGE}rules/"):  # a pack, a vulnerability or a record: schema, pages, proofs, lint
                chosen |= {test for test in tests if test.startswith("tests/rules/")}
            if _pack(path):
                chosen |= {REPOSITORY} & tests.keys()
            else:
                chosen |= {FLOWS, EXAMPLES, *ALWAYS} & tests.keys()
        elif path.startswith("tools/"):
            chosen |= _importing({_module(path)}, imports)
        elif path.endswith(".md"):
            chosen |= {REPOSITORY} & tests.keys()
    return sorted(chosen - SLOW | ({*changed} & tests.keys()))


def _pack(path: str) -> str:
    """The name of the pack that the file ``path`` is, as in "go/os"; "" for another file."""
    match = re.fullmatch(f"{PACKAGE}rules/((?!vulnerabilities/|verified/)[^/]+/[^/]+)[.]toml", path)
    return match[1] if match else ""


def narrowed(chosen: Iterable[str], changed: Iterable[str]) -> list[str]:
    """``chosen``, with the examples of the changed packs alone where nothing but packs asks for the examples."""
    packs = []
    for path in changed:
        if pack := _pack(path):
            packs.append(pack)
        elif path == EXAMPLES or path.startswith((PACKAGE, "fixtures/")):
            return list(chosen)
    return [
        argument
        for test in chosen
        for argument in ([f"{test}::{OF_A_PACK}[{pack}]" for pack in packs] if packs and test == EXAMPLES else [test])
    ]


def _near_module(path: str, imports: Mapping[str, Set[str]]) -> set[str]:
    """``path``: of a module, relative to the package."""
    module = _module(PACKAGE + path)
    package = module.rpartition(".")[0]
    names = {f"test_{PurePosixPath(path).stem}.py", f"test_{package.rpartition('.')[2]}.py"}
    chosen = {test for test in imports if PurePosixPath(test).name in names}
    chosen |= _importing({module}, imports)
    if package.count(".") >= 2:  # not pyrograph.scanner and its like, which every test imports
        chosen |= _importing({package}, imports)
    chosen |= set(ALWAYS) & imports.keys()
    if path.startswith(DECIDES_FLOWS):
        chosen |= {FLOWS} & imports.keys()
    return chosen


def _importing(modules: Collection[str], imports: Mapping[str, Set[str]]) -> set[str]:
    return {test for test, imported in imports.items() if not imported.isdisjoint(modules)}


def _module(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that a module imports anywhere, and what may be one: ``from package import name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def check() -> int:
    """Run everything and print what failed; 0 if nothing did."""
    began = time.monotonic()
    tests = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py")
    }
    changed = changed_files()
    chosen = narrowed(near(changed, tests), changed)
    python = sys.executable
    commands: dict[str, list[str]] = {
        "ruff check": [python, "-m", "ruff", "check", "--quiet"],
        "ruff format": [python, "-m", "ruff", "format", "--check", "--quiet"],
        "import-linter": [str(Path(python).parent / "lint-imports")],
        "mypy": [python, "-m", "mypy"],
    }
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MYPYPATH": str(ROOT / "src")}
    running = {}
    for name, command in commands.items():
        running[name] = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    failed = []
    if chosen:
        print(f"{len(chosen)} of {len(tests)} test modules: {' '.join(chosen)}", flush=True)
        command = [python, "-m", "pytest", "-q", "-n", "auto", *chosen]
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            failed.append("pytest")
    for name, process in running.items():
        output, _ = process.communicate()
        if process.returncode:
            print(f"\n== {name}\n{output.rstrip()}", flush=True)
            failed.append(name)
    for subject in long_subjects():
        print(f"\n== a commit's subject has more than {MAX_SUBJECT} characters: {subject}", flush=True)
        failed.append("subject")
    print(f"{'failed: ' + ', '.join(failed) if failed else 'passed'} in {time.monotonic() - began:.0f} s")
    print("This was the fast check; `python tools/check.py` is what CI runs.")
    return 1 if failed else 0
