"""How the work of a scan grows with the size of a shape, counted in calls of functions and not in seconds.

A shape is scanned at sizes n, 2n and 4n in this process. Let c be the number of calls, of Python functions and of
built-in ones. What each scan costs whatever it reads cancels out in ``(c(4n) - c(2n)) / (c(2n) - c(n))``: it is 2 where
the work is linear, a little more where it is n log n, and 4 where it is quadratic. The count is the same on every
machine. Work inside one built-in function is not seen: the union of two sets is one call.

``python -m tools.fuzz.shapes.growth NAME...`` prints the functions whose calls grow fastest.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

from tools.fuzz.shapes import Files, Shape, shapes

from pyrograph.rules import Rules, load_rules
from pyrograph.scanner import scan
from pyrograph.scanner.options import ScanOptions

# Budgets of steps by file or program that questions share: small ones, so that small programs meet them.
BUDGETS = {
    ("pyrograph.parsers.builder.values", "FUNCTION_STEPS"): 5_000,
    ("pyrograph.parsers.builder.values", "FILE_STEPS"): 20_000,
    ("pyrograph.scanner.explain.budget", "MAX_ASKED_STEPS"): 4_000,
    ("pyrograph.scanner.explain.earlier_refusals", "MAX_ASKED_STEPS"): 4_000,
    ("pyrograph.scanner.analysis.label.budget", "MAX_LOOKED_STEPS"): 4_000,
    ("pyrograph.scanner.analysis.label.patterns", "MAX_PATTERN_STEPS"): 100_000,
    ("pyrograph.scanner.analysis.label.admitted", "MAX_COMPARED_STEPS"): 4_000,
    ("pyrograph.scanner.explain.findings", "MAX_WALKED"): 4_000,
}
SUPERLINEAR = 3.0  # growth from which on a shape counts as more than n log n: 2**1.58


def calls_of(files: Files, rules: Rules) -> Counter[str]:
    """Scan these files and count the calls of each function, by its file, line and name."""
    with tempfile.TemporaryDirectory(prefix="pyrograph-growth-") as folder:
        root = Path(folder)
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        options = ScanOptions(paths=(root,), root=root, confidence="low", default_excludes=False, jobs=1, device="cpu")
        profile = cProfile.Profile()
        gc.disable()  # finalizers are calls
        try:
            profile.runcall(scan, options, rules)
        finally:
            gc.enable()
    counts: Counter[str] = Counter()
    for each in profile.getstats():
        code = each.code
        name = code if isinstance(code, str) else f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}"
        counts[name] += each.callcount
    return counts


@contextmanager
def small_budgets() -> Iterator[None]:
    """Set ``BUDGETS`` for a while."""
    with ExitStack() as stack:
        for (module, name), value in BUDGETS.items():
            stack.enter_context(patch.object(import_module(module), name, value))
        yield


def growth(first: int, second: int, third: int) -> float:
    """By how much the work grows, see the module; 2 where it does not grow at all."""
    return (third - second) / (second - first) if second > first else 2.0


def measured(shape: Shape, size: int, rules: Rules) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """The calls of ``shape`` at ``size``, at twice and at four times the size."""
    with small_budgets():
        calls_of(shape.generate(size), rules)  # what is made once by a process: imports, compiled expressions
        one, two, four = (calls_of(shape.generate(factor * size), rules) for factor in (1, 2, 4))
    return one, two, four


def fastest(one: Counter[str], two: Counter[str], four: Counter[str], most: int = 5) -> list[str]:
    """A line for each of the functions that add most to the growth, and of the built-in ones: by how much it grows, its
    calls, its name.
    """
    cost = {each: growth(one[each], two[each], count) * (count - two[each]) for each, count in four.items()}
    by_cost = sorted(cost, key=lambda each: -cost[each])
    first = [each for each in by_cost if each[0] != "<"][:most] + [each for each in by_cost if each[0] == "<"][:most]
    return [f"{growth(one[each], two[each], four[each]):5.1f} {four[each]:>11,} {each}" for each in first]


def main() -> None:
    """Print the growth of the shapes that the command line names, and of their functions."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz.shapes.growth", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="shapes; all if none is named")
    parser.add_argument("--size", type=int, default=60, help="the smallest of the three sizes [60]")
    parser.add_argument("--functions", type=int, default=5, help="functions to print for a shape that grows fast [5]")
    arguments = parser.parse_args()
    known = shapes()
    rules = load_rules(("python", "javascript", "go"))
    for name in arguments.names or known:
        one, two, four = measured(known[name], arguments.size, rules)
        factor = growth(one.total(), two.total(), four.total())
        print(f"{factor:5.1f} {four.total():>11,} {name}", flush=True)
        if factor < SUPERLINEAR and not arguments.names:
            continue
        for line in fastest(one, two, four, arguments.functions):
            print(f"{'':12}{line}", flush=True)


if __name__ == "__main__":
    main()
