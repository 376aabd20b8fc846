"""The work of a scan grows with the program, counted in calls of functions: see ``tools.fuzz.shapes.growth``.

All shapes take minutes, so one part of them is measured; ``PYROGRAPH_SHAPES=4`` measures another one.
"""

from __future__ import annotations

import os
from zlib import crc32

import pytest
from tools.fuzz.shapes import growth, shapes

from pyrograph.model.finding import Report
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner import scan
from pyrograph.scanner.options import ScanOptions

PARTS = 40
SIZE = 40
SHAPES = shapes()
PART = int(os.environ.get("PYROGRAPH_SHAPES") or 0) % PARTS
CHOSEN = sorted(name for name in SHAPES if crc32(name.encode()) % PARTS == PART)
# Shapes whose work is a product at these sizes, up to a limit of their own that only larger ones meet.
PRODUCTS: dict[str, str] = {
    "ejs-many-names-and-includes": "MAX_HANDED",
    "python-attributes-of-self": "MAX_PATHS",  # each handler fills another attribute of one object
    "ignore-files-in-all-directories": "MAX_WILDCARDS",  # and Python forgets compiled expressions beyond 512
}
# Sizes of shapes whose path gets longer than 80 steps between ``SIZE`` and twice that: what such a path is not asked
# (it has low confidence) is a step in the number of calls, which looks like growth there.
SIZES = {
    "go-call-chain": 100,
    "javascript-call-chain": 100,
    "python-call-chain": 100,
    "python-keyword-forwarding": 100,
}
RULES = load_rules(("python", "javascript", "go"))


@pytest.mark.parametrize("name", [pytest.param(name, id=f"{name}-part{PART}") for name in CHOSEN])
def test_calls_grow_with_the_size_of_a_shape(name: str) -> None:
    one, two, four = growth.measured(SHAPES[name], SIZES.get(name, SIZE), RULES)
    factor = growth.growth(one.total(), two.total(), four.total())
    if name not in PRODUCTS:
        assert factor < growth.SUPERLINEAR, growth.fastest(one, two, four)


def test_work_that_grows_with_the_square_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(options: ScanOptions, rules: Rules) -> Report:
        report = scan(options, rules)
        lines = (options.root / "program.py").read_text(encoding="utf-8").splitlines()
        for line in lines:
            for other in lines:
                line.startswith(other)
        return report

    shape = SHAPES["python-many-functions"]
    plain = [each.total() for each in growth.measured(shape, SIZE, RULES)]
    monkeypatch.setattr(growth, "scan", slow)
    planted = growth.measured(shape, SIZE, RULES)
    assert growth.growth(*plain) < growth.SUPERLINEAR < growth.growth(*[each.total() for each in planted])
    assert any("startswith" in line for line in growth.fastest(*planted))
