"""The class of an object that no scanned code stores: by its methods, and by its name."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, targets

TYPES = [("members", "web.Request#app : web.App")]
STORE = "class UserStore:\n    def find(self, x): pass\n    def drop(self): pass\n"
OTHERS = "".join(f"class Other{each}:\n    def find(self, x): pass\n" for each in range(5))


def found(code: str, call: str) -> list[str] | None:
    code = f"import web\n{code}\n"
    program, resolution = modelled(code, "python", ["web.get: call 0()"], TYPES)
    return targets(program, resolution, code.encode()).get(call)


@pytest.mark.parametrize("key", ["store", "user_store", "userstore", "userStore"])
def test_the_name_of_a_class_decides_between_several(key: str) -> None:
    code = f"{STORE}{OTHERS}def f(r: web.Request): r.app['{key}'].find(1)\nweb.get(f)"
    assert found(code, f"r.app['{key}'].find(1)") == ["find"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{STORE}def f(r: web.Request): r.app.x.find(1)", ["find"]),  # no other class has such a method
        (f"{STORE}{OTHERS}def f(r: web.Request): r.app.x.find(1)", None),
        (f"{STORE}{OTHERS}def f(r: web.Request): r.app.tore.find(1)", None),  # no word of its name
        (f"{STORE}{STORE.replace('User', 'Job')}def f(r: web.Request): r.app.store.find(1)", None),  # two are called so
        (
            f"{STORE}def f(r: web.Request):\n    s = r.app.store\n    s.copy()\n    s.find(1)",
            None,
        ),
        (f"{STORE}def f(r: web.Request): web.app.x.find(1)", None),  # of the library itself
    ],
)
def test_one_class_alone_is_meant(code: str, expected: list[str] | None) -> None:
    call = code[code.rindex("\n") + 1 :].split()[-1]
    assert found(f"{code}\nweb.get(f)", call) == expected
