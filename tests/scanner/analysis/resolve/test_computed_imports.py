"""A module that is imported by a computed name is any whose name has the constant parts of the text."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used

FILES = {f"app/drivers/{name}.js": f"exports.run = function {name}(x) {{}};" for name in ("diskOld", "disk", "mail")}
FILES |= {"other/net.js": "exports.run = function net(x) {};"}


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ('"./drivers/" + x', {"disk", "diskOld", "mail"}),
        ("`./drivers/${x}.js`", {"disk", "diskOld", "mail"}),
        ("`./drivers/m${x}`", {"mail"}),
        ("`./drivers/${x}Old`", {"diskOld"}),
        ('x ? "./drivers/disk" : "./drivers/mail"', {"disk", "mail"}),
        ('path.join(__dirname, "drivers", x)', {"disk", "diskOld", "mail"}),
        ('__dirname + "/drivers/" + x', {"disk", "diskOld", "mail"}),
        ('path.resolve(__dirname, "../other", `${x}.js`)', {"net"}),
        ("`./${x}/${x}`", set()),
        ("x", set()),
    ],
)
def test_the_constant_parts_of_a_name_choose_the_modules(name: str, functions: set[str]) -> None:
    app = f'const {{serve}} = require("serve"); module.exports = (x) => serve(require({name}));'
    files = {"app/index.js": app, **FILES}
    assert used(files, "cb serve.serve(0[run]):0", types=[("modules", "globalThis.require(0)")]) == functions


def test_a_name_that_may_be_more_modules_than_a_value_can_hold_means_none() -> None:
    many = {f"app/drivers/m{number}.js": "exports.run = function f(x) {};" for number in range(9)}
    app = {
        "app/index.js": 'const {serve} = require("serve"); module.exports = (x) => serve(require("./drivers/" + x));'
    }
    found = used({**app, **many}, "cb serve.serve(0[run]):0", types=[("modules", "globalThis.require(0)")])
    assert found == set()
