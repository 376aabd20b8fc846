"""Each module is searched once, however it is exported."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import api_calls, modelled, resolved

from pyrograph.policy.limits.resolution import MAX_STAR_DEPTH
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
    assert [(path, line) for _, path, line in resolution.reached.reported] == [("index.js", 0)]
    assert not resolution.targets


def test_star_exports_that_lie_too_far_behind_one_another_are_reported() -> None:
    def exported(count: int) -> dict[str, str]:
        """The last of ``count`` modules, each of which exports all names of the next, defines the name."""
        files = {f"m{i}.js": f'export * from "./m{i + 1}.js"\n' for i in range(count)}
        return {**files, f"m{count}.js": "export function f() {}\n", "app.js": 'import { f } from "./m0.js"\nf()\n'}

    _, near = resolved(exported(MAX_STAR_DEPTH), "javascript")
    assert (list(near.reached.reported), len(near.targets)) == ([], 1)
    _, far = resolved(exported(MAX_STAR_DEPTH + 1), "javascript")
    assert [(path, line) for _, path, line in far.reached.reported] == [(f"m{MAX_STAR_DEPTH}.js", 0)]
    assert not far.targets


@pytest.mark.parametrize(
    "code", ["import lib.a.b\nlib.a.b.f(1)", "from lib.a import b\nb.f(1)", "from lib.a.b import f\nf(1)"]
)
def test_a_module_below_a_library_has_its_own_names(code: str) -> None:
    flows = ["lib.a.b.f: 0 -> ret", "lib.b.f: 0 -> ret", "lib.f: 0 -> ret"]
    assert api_calls(modelled(code, "python", flows)[1], "python") == ["lib.a.b.f"]
