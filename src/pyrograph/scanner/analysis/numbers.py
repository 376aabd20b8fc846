"""Members of the unit's enumerations as plain integers: compiled code compares these at once, a member is looked up
by its name each time.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import ArgumentFlag, CallFlag, Flow, FunctionFlag, Op, ParameterKind, Test

# Kinds of values (``Op``).
CALL_OP: Final = int(Op.CALL)
CARRY_OP: Final = int(Op.CARRY)
CELL_OP: Final = int(Op.CELL)
CLASS_OP: Final = int(Op.CLASS)
CONST_OP: Final = int(Op.CONST)
EXCEPTION_OP: Final = int(Op.EXCEPTION)
EXPRESSION_OP: Final = int(Op.EXPRESSION)
FIELD_OP: Final = int(Op.FIELD)
FUNCTION_OP: Final = int(Op.FUNCTION)
GLOBAL_OP: Final = int(Op.GLOBAL)
IMPORT_OP: Final = int(Op.IMPORT)
LOAD_OP: Final = int(Op.LOAD)
NEW_OP: Final = int(Op.NEW)
OUT_OP: Final = int(Op.OUT)
SUPER_OP: Final = int(Op.SUPER)
PARAMETER_OP: Final = int(Op.PARAMETER)
PHI_OP: Final = int(Op.PHI)
PI_OP: Final = int(Op.PI)
POST_OP: Final = int(Op.POST)
RESULT_OP: Final = int(Op.RESULT)
STORE_OP: Final = int(Op.STORE)

# Kinds of conditions (``Test``).
BOTH_TEST: Final = int(Test.BOTH)
EQUAL_TEST: Final = int(Test.EQUAL)
IN_TEST: Final = int(Test.IN)
IS_TEST: Final = int(Test.IS)
LESS_TEST: Final = int(Test.LESS)
TRUTH_TEST: Final = int(Test.TRUTH)

# Kinds of flows.
SAME_FLOW: Final = int(Flow.SAME)

# Flags of calls and arguments.
DECORATOR: Final = int(CallFlag.DECORATOR)
NEW: Final = int(CallFlag.NEW)
SPREAD: Final = int(ArgumentFlag.SPREAD)
SPREAD_KEYWORDS: Final = int(ArgumentFlag.SPREAD_KEYWORDS)

# Flags of functions.
ASYNC: Final = int(FunctionFlag.ASYNC)
CLASS_METHOD: Final = int(FunctionFlag.CLASS_METHOD)
CONSTRUCTOR: Final = int(FunctionFlag.CONSTRUCTOR)
METHOD: Final = int(FunctionFlag.METHOD)
PROPERTY: Final = int(FunctionFlag.PROPERTY)
STATIC: Final = int(FunctionFlag.STATIC)

# Kinds of parameters.
KEYWORDS_KIND: Final = int(ParameterKind.KEYWORDS)
NORMAL_KIND: Final = int(ParameterKind.NORMAL)
RECEIVER_KIND: Final = int(ParameterKind.RECEIVER)
VARARG_KIND: Final = int(ParameterKind.VARARG)
