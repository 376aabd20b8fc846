"""Loads that resolution adds are no rows of the program."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import resolved

INTEROP = "var p = interop(require('./index')); function interop(e) { return e && e.__esModule ? e : { default: e } }"


@pytest.mark.parametrize(
    "files",
    [
        {"m.js": "module.exports = require('./m')", "app.js": "require('./m').f()"},
        {
            "m.js": "module.exports = require('./n')",
            "n.js": "module.exports = require('./m')",
            "app.js": "require('./m').f()",
        },
        {
            "that.js": "exports.default = _default",
            "index.js": "module.exports = require('./that').default",
            "app.js": f"{INTEROP}; p.default.x.y(1)",
        },
    ],
)
def test_a_module_may_export_itself(files: dict[str, str]) -> None:
    _, resolution = resolved(files, "javascript")
    assert len(set(resolution.flows.loads)) == len(resolution.flows.loads)


def test_modules_that_export_what_the_next_exports_may_be_many() -> None:
    files = {f"m{i}.js": f"module.exports = require('./m{i + 1}')" for i in range(1500)}
    files |= {"m1500.js": "exports.f = function f() {}", "app.js": "require('./m0').f()"}
    program, resolution = resolved(files, "javascript")
    names = program.tables["functions"]["name"]
    assert [program.strings[names[target.function]] for target in resolution.targets] == ["f"]


def test_resolution_adds_no_rows_to_the_tables_that_others_read() -> None:
    program, _ = resolved({"m.js": "exports.f = () => 1", "app.js": "require('./m').f()"}, "javascript")
    assert len(program.numbers("loads", "key")) == len(program.tables["loads"]["key"])
