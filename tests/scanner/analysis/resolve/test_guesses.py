"""Only programs with interfaces have a mark for them."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import NO_STRING


def test_the_mark_of_interfaces() -> None:
    with_interface = parts("package p\ntype I interface { M() }\n", "go").guesses
    without = parts("package p\ntype T struct{}\n", "go").guesses
    assert with_interface.has_interfaces
    assert with_interface.interface_mark >= 0
    assert not without.has_interfaces
    assert without.interface_mark == NO_STRING
