"""The plain numbers are those of the enumerations."""

from __future__ import annotations

from pyrograph.ir.codes import ArgumentFlag, CallFlag, Flow, FunctionFlag, Op, ParameterKind
from pyrograph.ir.codes import Test as Condition
from pyrograph.scanner.analysis import numbers


def test_each_number_is_that_of_the_member_of_its_name() -> None:
    found = {name: value for name, value in vars(numbers).items() if name.isupper()}
    for name, value in found.items():
        if name.endswith("_OP"):
            assert value == Op[name[:-3]], name
        elif name.endswith("_TEST"):
            assert value == Condition[name[:-5]], name
        elif name.endswith("_FLOW"):
            assert value == Flow[name[:-5]], name
        elif name.endswith("_KIND"):
            assert value == ParameterKind[name[:-5]], name
        else:
            flags = [flag.__members__ for flag in (CallFlag, ArgumentFlag, FunctionFlag)]
            assert value in [members[name] for members in flags if name in members], name
    assert len(found) > 20
