"""The members of ``Op`` and ``Test`` that the builder names, as plain numbers.

Compiled code looks a member of an enumeration up by its name each time it comes past one; these are constants to it.
"""

from typing import Final

from pyrograph.ir.codes import Op, Test

PARAMETER: Final = int(Op.PARAMETER)
CONST: Final = int(Op.CONST)
EXPRESSION: Final = int(Op.EXPRESSION)
PHI: Final = int(Op.PHI)
CARRY: Final = int(Op.CARRY)
PI: Final = int(Op.PI)
CALL: Final = int(Op.CALL)
LOAD: Final = int(Op.LOAD)
STORE: Final = int(Op.STORE)
POST: Final = int(Op.POST)
NEW: Final = int(Op.NEW)
FUNCTION: Final = int(Op.FUNCTION)
CLASS: Final = int(Op.CLASS)
IMPORT: Final = int(Op.IMPORT)
GLOBAL: Final = int(Op.GLOBAL)
RESULT: Final = int(Op.RESULT)
RAISED: Final = int(Op.RAISED)
OUT: Final = int(Op.OUT)
EXCEPTION: Final = int(Op.EXCEPTION)
FIELD: Final = int(Op.FIELD)
SUPER: Final = int(Op.SUPER)
CELL: Final = int(Op.CELL)

TRUTH: Final = int(Test.TRUTH)
EQUAL: Final = int(Test.EQUAL)
LESS: Final = int(Test.LESS)
BOTH: Final = int(Test.BOTH)


def is_place(op: int) -> bool:
    """Whether a value is read from a variable or a field: nothing computes its truth."""
    return op in (LOAD, PARAMETER, CARRY, PHI)


def is_fixed(op: int) -> bool:
    """Whether no call changes the state of a value."""
    return op in (CONST, FUNCTION, CLASS, IMPORT)
