"""Handlers that functions of the program put into a table one by one: all of them are called."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import targets

from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_STATES
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import resolve

KEPT = {
    "a list": ("[]", "self.table.append(h)", "for each in self.table:\n            each(x)"),
    "under a key": ("{}", "self.table[p] = h", "self.table[p](x)"),
    "in a pair": ("[]", "self.table.append((p, h))", "for q, each in self.table:\n            each(x)"),
    "in a record": ("[]", "self.table.append({'h': h})", "for each in self.table:\n            each['h'](x)"),
    "in an instance": ("[]", "self.table.append(Route(p, h))", "for each in self.table:\n            each.h(x)"),
}


def router(count: int, kept: str) -> str:
    """A router of the program with as many handlers."""
    table, add, run = KEPT[kept]
    handlers = "".join(f"def f{each}(x): pass\n" for each in range(count))
    return (
        f"{handlers}"
        "class Route:\n    def __init__(self, p, h):\n        self.p = p\n        self.h = h\n"
        f"class Router:\n    def __init__(self):\n        self.table = {table}\n"
        f"    def add(self, p, h):\n        {add}\n"
        f"    def run(self, p, x):\n        {run}\n"
        "r = Router()\n" + "".join(f"r.add('/{each}', f{each})\n" for each in range(count))
    )


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("count", [2, MAX_STATES + 1, MAX_HANDLERS])
def test_all_handlers_of_a_router_are_called(count: int, kept: str) -> None:
    code = router(count, kept).encode()
    program = link(["app.py"], [lower(code, "python")], {})
    resolution = resolve(program, {"python": Apis(load_rules(["python"]).for_roots([]), low=False)})
    found = targets(program, resolution, code)
    assert sum(name[:1] == "f" for names in found.values() for name in names) == count
