"""Each module is searched once, however it is exported."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved

from pyrograph.scanner.analysis.resolve import modules, solver


def test_each_module_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    number = 12  # each exports what all others export: 12 ** 5 ways of five steps
    looked: list[int] = []
    files = {
        f"m{i}.js": "".join(f'export * from "./m{j}.js"\n' for j in range(number)) + f"export function f{i}() {{}}\n"
        for i in range(number)
    }
    files["app.js"] = f'import {{ f{number - 1} }} from "./m0.js"\nf{number - 1}()\n'
    whole = modules.stars_of

    def counted(asking: solver.Solver, member: int, language: str, depth: int) -> list[tuple[int, str, int, int]]:
        looked.append(member)
        return whole(asking, member, language, depth)

    monkeypatch.setattr(modules, "stars_of", counted)
    _, resolution = resolved(files, "javascript")
    assert resolution.targets
    assert len(looked) <= 6 * number


@pytest.mark.plain
def test_a_module_that_exports_too_much_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "MAX_STARS", 3)
    files = {f"m{i}.js": f"export function f{i}() {{}}\n" for i in range(5)}
    files["index.js"] = "".join(f'export * from "./m{i}.js"\n' for i in range(5))
    files["app.js"] = 'import { f4 } from "./index.js"\nf4()\n'
    _, resolution = resolved(files, "javascript")
    assert [(path, line) for _, path, line in resolution.reported] == [("index.js", 0)]
    assert not resolution.targets
