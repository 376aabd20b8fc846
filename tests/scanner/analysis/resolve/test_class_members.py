"""The nearest class of the lineage that has a member hides the others."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import resolved


def test_an_overriding_method_alone_is_called() -> None:
    code = "class B:\n    def m(self): pass\nclass C(B):\n    def m(self): C().m()\n"
    program, resolution = resolved({"app.py": code}, "python")
    owners = program.tables["functions"]["owner"]
    assert {int(owners[t.function]) for t in resolution.targets} == {1}
