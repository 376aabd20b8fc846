"""Numbers that stand for something in a column: enumerations, and sentinels with one meaning each.

Sentinels are ``Final`` literals, which mypyc puts into compiled code. A name says one thing: where another table means
something else by the same number, that has a name of its own.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, TypeVar

NONE: Final = -1  # no row: of the table that the column refers to, or no such number
NO_STRING: Final = -(1 << 31)  # a text that is looked for and is no string of the program: equals no cell of a column

# Keys of loads and stores that are no strings; those that are values are ``packed.value_key``.
UNKNOWN_KEY: Final = -1

# Strings that are no names of the source.
EXPORTED: Final = "export "  # before names in ``exports`` that a statement exports
KEYS: Final = "\0keys"  # the key under which an object holds its own keys; "any key" does not mean it
RAISED: Final = "\0raised"  # the key under which a promise holds what it was rejected with: no part of its value
DIRECTIVE: Final = "'\0directive "  # a constant's beginning: a statement that is a text alone, such as "use server"
SENT: Final = "\0sent"  # the name of the cell that a channel holds where it is made: anything sent on it, by whomever
INTERFACE: Final = "\0interface"  # a member of types that say which methods there are, and have none themselves
ALIAS: Final = "\0alias"  # the method of a signature which says that the class is another name of a type without one
SIDES: Final = "|"  # in a signature: between the types of the parameters and those of the results
TYPES: Final = ";"  # in a signature: between two types
UNKNOWN_TYPE: Final = "?"  # in a signature: a type of which nothing is known
TAGS: Final = "reflect/tag"  # stands for a package of the decorators that tags of fields are
ANSWERS: Final = "\0answers "  # with a method's name: a member of such a type, declared as what the method returns

RECEIVER: Final = -2  # the position of a call's receiver among its arguments, and of the parameter that it arrives at

EXCEPTIONAL: Final = 2  # the side of a control edge to a handler

OPEN: Final = 1 << 30  # a bound of a slice that is not written: the object's own end
ANY_BOUND: Final = OPEN + 1  # a bound that is not constant


E = TypeVar("E", bound=type[IntEnum])


def direct(enumeration: E) -> E:
    """Members as plain class attributes: Python 3.11 finds them by a slow detour, and front ends ask for them all
    the time.
    """
    for name, member in enumeration.__members__.items():
        type.__setattr__(enumeration, name, member)
    return enumeration


@direct
class Op(IntEnum):
    """The operation that defines a value. ``data`` in parentheses."""

    PARAMETER = 0  # (row in parameters or NONE for a capture)
    CONST = 1  # (string: the constant as ``constant_text`` writes it)
    EXPRESSION = 2  # made from its parts (NONE)
    PHI = 3  # joins versions at a merge (NONE)
    CARRY = 4  # joins initial and fed-back versions at a loop header (loop)
    PI = 5  # a version under a condition (row in pis)
    CALL = 6  # a call's result (row in calls)
    LOAD = 7  # (row in loads)
    STORE = 8  # an object's state after a store (row in stores)
    POST = 9  # an argument's state after a call (row in arguments)
    NEW = 10  # a new container or literal (0, or 1 if all of it is constant, 2 if too many constants to store)
    FUNCTION = 11  # a function value (function)
    CLASS = 12  # a class or type (row in owners)
    IMPORT = 13  # (row in imports)
    GLOBAL = 14  # a name that the unit's functions do not define: module level, package or built in (string)
    RESULT = 15  # joins what a function returns (function)
    RAISED = 16  # joins what a function raises (function)
    OUT = 17  # a parameter's state at exit (row in parameters)
    EXCEPTION = 18  # what a handler catches (NONE)
    FIELD = 19  # a declared field of a type (NONE)
    SUPER = 21  # a receiver seen as an instance of the base classes (row in owners)
    CELL = 20  # a variable that closures write, whatever the time (string: its name)


@direct
class Flow(IntEnum):
    SAME = 0
    DERIVED = 1
    NUMBER = 2  # a number computed from a text: the text is gone, but its author chooses the number
    SHOWN = 3  # text that shows it; of a container, what the language shows of its elements


@direct
class Test(IntEnum):
    """How a condition compares; a negation is kept in the polarity, never here."""

    TRUTH = 0  # left is true
    EQUAL = 1
    IN = 2  # left is a member of right
    LESS = 3  # left is less than right; ``a >= b`` is its negation, ``a > b`` the same with the operands exchanged
    IS = 4  # left is of the type that right names (a class value or a constant text)
    PREFIX = 5  # left starts with right, where a language has an operator for it
    BOTH = 6  # two other conditions (see ``conjunctions``)


@direct
class Operator(IntEnum):
    """The operator that computes a value from its operands."""

    ADD = 0  # of numbers; of texts, one after the other
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3  # what a language's ``/`` does
    FLOOR_DIVIDE = 4  # rounds down
    MODULO = 5  # has the divisor's sign
    REMAINDER = 6  # has the dividend's sign
    POWER = 7
    AND = 8
    OR = 9
    XOR = 10
    SHIFT_LEFT = 11
    SHIFT_RIGHT = 12
    NEGATE = 13
    INVERT = 14


@direct
class CallFlag(IntEnum):
    NEW = 1  # constructor syntax
    AWAIT = 2
    DECORATOR = 4  # applied by decorator syntax
    MULTI = 8  # several results are taken apart (Go)
    DEFERRED = 16  # runs later (go, defer)
    OPTIONAL = 32
    IF_CALLABLE = 64  # not called where there is no such function: ``x.trim?.()``
    WAITED = 128  # something waits for what was made of it: ``p = f(); await p``


@direct
class ArgumentFlag(IntEnum):
    SPREAD = 1  # *args, ...args
    SPREAD_KEYWORDS = 2  # **kwargs


@direct
class FunctionFlag(IntEnum):
    MODULE = 1
    GENERATOR = 2
    ASYNC = 4
    METHOD = 8  # its first parameter (position RECEIVER) is the receiver
    STATIC = 16
    CLASS_METHOD = 32
    PROPERTY = 64
    CONSTRUCTOR = 128
    LAMBDA = 256
    SETTER = 512
    NEVER_RETURNS = 1024  # it has no normal exit
    SHARED_NAMES = 2048  # of a module: other files may define its names, and each is read once for all that use it


@direct
class ParameterKind(IntEnum):
    NORMAL = 0
    VARARG = 1  # *args, ...rest
    KEYWORDS = 2  # **kwargs
    KEYWORD_ONLY = 3
    RECEIVER = 4
