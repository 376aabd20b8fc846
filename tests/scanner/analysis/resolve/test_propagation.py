"""States reach all that they flow to, in an order that chance does not change."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, resolved

from pyrograph.scanner.analysis.resolve import propagation


def test_what_many_use_reaches_each_of_them() -> None:
    users = range(30)
    code = "def f(): pass\n" + "".join(f"def user{number}(): f({number})\n" for number in users)
    assert called(code, "python") == {f"f({number})": ["f"] for number in users}


def test_the_queue_may_be_short(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "class A:\n  def m(self, f): return f(self)\ndef g(x): return x.m(h)\ndef h(y): return y\ng(A()).m(g)\n"
    whole = resolved({"app.py": code}, "python")[1]
    monkeypatch.setattr(propagation, "MAX_DELIVERED", 1)
    short = resolved({"app.py": code}, "python")[1]
    assert (whole.targets, whole.bindings, whole.returns) == (short.targets, short.bindings, short.returns)


def test_resolution_does_not_depend_on_chance() -> None:
    code = "def a(x): return x\ndef b(f): return f(1)\nb(a)\nb(lambda y: y)\n"
    first, second = (resolved({"app.py": code}, "python")[1] for _ in range(2))
    assert (first.targets, first.bindings, first.returns) == (second.targets, second.bindings, second.returns)
