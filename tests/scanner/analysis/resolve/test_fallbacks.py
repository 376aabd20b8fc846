"""Calls that nothing resolved go by the name of the method."""

from __future__ import annotations

from pyrograph.parsers import lower
from pyrograph.scanner.analysis.apis import tries
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import resolve


def test_no_call_goes_from_one_language_to_another() -> None:
    files = {
        "a.py": "def f(o, x):\n    o.run_it(x)\n    o.made(x, 1)\n\nclass B:\n    def made(self, x, y): pass\n",
        "b.js": "class A { run_it(x) { g(x) } }; function f(o, x) { o.made(x, 1) }; function g(x) {}",
    }
    units = [lower(text.encode(), "python" if path == "a.py" else "javascript") for path, text in files.items()]
    program = link(list(files), units, {})
    resolution = resolve(program, tries([], ("python", "javascript"), low=False))
    names = program.tables["functions"]["name"]
    assert sorted(program.strings[names[target.function]] for target in resolution.targets) == ["g", "made"]
