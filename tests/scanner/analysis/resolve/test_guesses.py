"""Programs with interfaces are known."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts


def test_programs_with_interfaces_are_known() -> None:
    with_interface = parts("package p\ntype I interface { M() }\n", "go").guesses
    without = parts("package p\ntype T struct{}\n", "go").guesses
    assert with_interface.has_interfaces
    assert not without.has_interfaces
