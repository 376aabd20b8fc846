"""Mutation testing of the stages resolve, label and assemble: a sample of mutants, and what the tests say of each.

    pip install cosmic-ray
    python tools/mutate.py --sample 4 --results mutants.jsonl
    python tools/mutate.py --own --sample 4 --results mutants.jsonl
    python tools/mutate.py --table mutants.jsonl

A *mutant* is one module with one operator of cosmic-ray applied at one place: a comparison turned round, a number
changed by one, a ``break`` for a ``continue``. Mutants that change annotations only are left out. From each module the
same number of mutants is drawn, with a fixed seed. Each is run against the test file of the module's name; where that
passes, against the tests of the package and ``tests/test_concepts.py``. What passes these, too, has *survived*: it is
equivalent to the original, it changes whole flows only (``tests/test_flows.py``, which takes minutes, is not run), or a
test is missing. With ``--own``, only the module's own tests run, which takes minutes instead of hours; a run without
``--own`` and with the same results tries the others on what they let pass.

The work is done in a copy of the checkout, one process at a time: about two seconds a mutant that is killed by the
module's own tests, and a minute one that is not. A run that was stopped goes on where it was, with the same file of
results.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STAGES = "src/pyrograph/scanner/analysis"
PACKAGES = ("resolve", "label", "assemble")
COPIED = ("src", "tests", "fixtures", "pyproject.toml", "README.md", "docs", "tools", "bench")
TIMES_AS_LONG = 10  # a mutant's tests may take so many times as long as the original's, and are killed then
PASSED_OWN = "not by own tests"
LEAST = 30.0  # seconds that they may take in any case


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parsed(arguments)
    if options.table:
        print(table(_read(options.table)))
        return 0
    modules = sorted(
        path.relative_to(ROOT)
        for package in options.package or PACKAGES
        for path in (ROOT / STAGES / package).glob("*.py")
        if path.name != "__init__.py" and (not options.module or path.stem in options.module)
    )
    with tempfile.TemporaryDirectory(prefix="pyrograph-mutants-") as folder:
        checkout = Path(folder)
        for name in COPIED:
            source = ROOT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, checkout / name)
        done = _read(options.results) if options.results.exists() else []
        for module in modules:
            try_module(checkout, module, options, finished(done, options.own))
    print(table(_read(options.results)))
    return 0


def try_module(checkout: Path, module: Path, options: argparse.Namespace, done: set[tuple[str, int]]) -> None:
    """Run the sample of one module; each result is written as soon as it is known."""
    path = checkout / module
    original = path.read_text(encoding="utf-8")
    chosen = drawn(original, options.sample, f"{options.seed} {module}")
    own = Path("tests") / module.relative_to("src/pyrograph").parent / f"test_{module.stem}.py"
    steps = [[str(own)], ["tests/test_concepts.py", str(own.parent)]][: 1 if options.own else 2]
    limits: dict[int, float] = {}
    for number, operator, code in chosen:
        if (str(module), number) in done:
            continue
        outcome = PASSED_OWN if options.own else "survived"
        for step, tests in enumerate(steps):
            if step not in limits:
                begin = time.monotonic()
                if not passes(checkout, tests, options.python, 3600.0):
                    sys.exit(f"{module}: {' '.join(tests)} fail without a mutant")
                limits[step] = max(LEAST, TIMES_AS_LONG * (time.monotonic() - begin))
            path.write_text(code, encoding="utf-8")
            try:
                passed = passes(checkout, tests, options.python, limits[step])
            finally:
                path.write_text(original, encoding="utf-8")
            if not passed:
                outcome = ("own tests", "other tests")[step]
                break
        result = {
            "module": str(module), "number": number, "operator": operator, "outcome": outcome,
            "change": difference(original, code),
        }  # fmt: skip
        with options.results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(result) + "\n")
        print(f"{module.stem} {number} {operator}: {outcome}", flush=True)


def finished(results: Sequence[dict[str, Any]], own: bool) -> set[tuple[str, int]]:
    """The mutants that need not run again."""
    return {(each["module"], each["number"]) for each in results if own or each["outcome"] != PASSED_OWN}


def mutants(code: str) -> list[tuple[str, int]]:
    """All places where an operator applies, as (operator, which of its places)."""
    # cosmic-ray is installed by who wants to run this
    from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-not-found]
    from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-not-found]

    nodes = list(ast_nodes(get_ast(code)))
    found = []
    for name in sorted(operator_names()):
        if name.endswith(("_Is", "_IsNot")):  # the same as == for small numbers, None and what is compared here
            continue
        try:
            operator = get_operator(name)()
        except TypeError:  # it wants to know which variable
            continue
        count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        found += [(name, occurrence) for occurrence in range(count)]
    return found


def drawn(code: str, count: int, seed: str) -> list[tuple[int, str, str]]:
    """``count`` mutants of a module, as (number, operator, code); none that differs in annotations only."""
    from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found]
    from cosmic_ray.plugins import get_operator

    found = mutants(code)
    order = list(range(len(found)))
    random.Random(seed).shuffle(order)
    same = bare(code)
    chosen: list[tuple[int, str, str]] = []
    for number in order:
        name, occurrence = found[number]
        mutated = mutate_code(code, get_operator(name)(), occurrence)
        if mutated is not None and bare(mutated) not in (same, ""):
            chosen.append((number, name.rpartition("/")[2], mutated))
        if len(chosen) == count:
            break
    return chosen


def bare(code: str) -> str:
    """The syntax of a module without annotations; "" where there is an error in it."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None))
    return ast.dump(tree)


def passes(checkout: Path, tests: Sequence[str], python: str, limit: float) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        ended = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0


def difference(original: str, code: str) -> str:
    """The first line that differs, before and after, and its number."""
    pairs = zip(original.splitlines(), code.splitlines(), strict=False)
    for line, (before, after) in enumerate(pairs, 1):
        if before != after:
            return f"{line}: {before.strip()} -> {after.strip()}"
    return "lines removed"


def table(results: Sequence[dict[str, Any]]) -> str:
    """How many mutants of each package were killed, and the survivors."""
    lines = [
        "| package | mutants | killed by the module's own tests | by others | survived | not tried with others |",
        "|---|---|---|---|---|---|",
    ]
    for package in PACKAGES:
        counts = Counter(each["outcome"] for each in results if f"/{package}/" in each["module"])
        lines.append(
            f"| {package} | {counts.total():,} | {counts['own tests']:,} | {counts['other tests']:,} "
            f"| {counts['survived']:,} | {counts[PASSED_OWN]:,} |"
        )
    lines += ["", *_survivors(results)]
    return "\n".join(lines)


def _survivors(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    for each in sorted(results, key=lambda e: (e["module"], e["number"])):
        if each["outcome"] in ("survived", PASSED_OWN):
            yield f"{each['module']}:{each['change']}"


def _read(path: Path) -> list[dict[str, Any]]:
    """The last result of each mutant."""
    results = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return list({(each["module"], each["number"]): each for each in results}.values())


def _parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", action="append", choices=PACKAGES, help="only this package; repeatable")
    parser.add_argument("--module", action="append", help="only the module of this name; repeatable")
    parser.add_argument("--sample", type=int, default=4, metavar="N", help="mutants drawn from each module")
    parser.add_argument("--own", action="store_true", help="run the module's own tests only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", default=sys.executable, help="interpreter with the extra dev, for the tests")
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"), help="one JSON object a line")
    parser.add_argument("--table", type=Path, metavar="FILE", help="print the table of a file of results, run nothing")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
