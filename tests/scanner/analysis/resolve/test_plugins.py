"""Modules of which the name is unknown: those of a folder that have in common what is read of them."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used

from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_CANDIDATES, MAX_STATES, MIN_PLUGINS
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.plugins import folder_of, matches, pattern_of, segments
from pyrograph.scanner.analysis.resolve.solver import Solver

APP = 'const {serve} = require("serve"); module.exports = (x) => serve(require(%s)%s);'


def found(files: dict[str, str], name: str = "x", member: str = ".run") -> set[str]:
    """The functions that ``serve`` gets of the module that is required as ``name``."""
    app = {"app/index.js": APP % (name, member)}
    return used({**app, **files}, "cb serve.serve(0):0", types=[("modules", "globalThis.require(0)")])


def folder(path: str, count: int, code: str = "exports.run = function %s(x) {};") -> dict[str, str]:
    names = [f"{path.replace('/', '_')}{number}" for number in range(count)]
    return {f"{path}/{name}.js": code % name for name in names}


@pytest.mark.parametrize(
    ("code", "member"),
    [
        ("exports.run = function %s(x) {};", ".run"),
        ("module.exports = { run: function %s(x) {} };", ".run"),
        ("module.exports = function %s(x) {};", ""),
    ],
)
def test_a_module_with_an_unknown_name_is_one_of_a_folder_that_has_what_is_read(code: str, member: str) -> None:
    assert found(folder("plugins", MIN_PLUGINS, code), member=member) == {
        f"plugins{each}" for each in range(MIN_PLUGINS)
    }
    assert found(folder("plugins", MIN_PLUGINS - 1, code), member=member) == set()


def test_a_folder_of_which_most_files_do_not_have_it_is_none() -> None:
    files = folder("lib", MIN_PLUGINS)
    others = {f"lib/other{each}.js": "exports.stop = (x) => x;" for each in range(MIN_PLUGINS + 1)}
    assert found({**files, **others}) == set()


def test_files_that_another_one_imports_by_name_are_none_unless_the_pattern_names_the_folder() -> None:
    files = folder("lib", MIN_PLUGINS)
    user = {"main.js": " ".join(f'require("./lib/lib{each}");' for each in range(MIN_PLUGINS))}
    assert found({**files, **user}) == set()
    assert len(found({**files, **user}, "x + '/lib/' + x")) == MIN_PLUGINS
    assert found({**files, **user}, "x + '/other/' + x") == set()


def test_folders_of_one_place_are_one_and_too_many_places_are_none() -> None:
    kinds = {k: v for each in range(MAX_CANDIDATES + 1) for k, v in folder(f"plugins/kind{each}", MIN_PLUGINS).items()}
    places = {k: v for each in range(MAX_CANDIDATES + 1) for k, v in folder(f"lib{each}/jobs", MIN_PLUGINS).items()}
    assert len(found(kinds)) == len(kinds) > MAX_STATES
    assert found(places) == set()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("\0", [""]),
        ("\0.plugins.\0", ["plugins", ""]),
        ("./\0/../\0.js", [""]),
        ("\0/jobs/\0.js", ["jobs", ""]),
        ("\0.models", ["models"]),
    ],
)
def test_a_pattern_begins_at_the_first_constant_part(text: str, parts: list[str]) -> None:
    assert pattern_of(text).split("\0")[1:] == parts


@pytest.mark.parametrize(
    ("parts", "path", "does"),
    [
        (["plugins", ""], "app/plugins/disk.js", True),
        (["plugins", ""], "app/plugins/disk/index.js", True),
        (["plugins", ""], "app/plugins/disk/run.js", False),
        (["plugins", ""], "disk.js", False),
        ([""], "index.js", True),
    ],
)
def test_the_end_of_a_path_matches_a_pattern(parts: list[str], path: str, does: bool) -> None:
    solver = parts_of({path: "exports.run = 1;"})
    assert matches(parts, segments(solver, 0)) == does


def test_a_package_lies_beside_modules() -> None:
    solver = parts_of({"app/plugins/disk/index.js": "", "app/plugins/mail.js": ""})
    assert folder_of(solver, 0) == folder_of(solver, 1) == "app/plugins"


def parts_of(files: dict[str, str]) -> Solver:
    program = link(list(files), [lower(text.encode(), "javascript") for text in files.values()], {})
    return Solver(program, {"javascript": Apis([], low=False)})
