"""The fields of syntax nodes, as numbers of the grammar, which ``FrontEnd.prepare`` looks up."""

from __future__ import annotations

from typing import ClassVar

from pyrograph.parsers.frontend import FrontEnd


class Fields(FrontEnd):
    """``NAME`` is the number of the field ``name``; a field is declared here before a method asks for it."""

    ALIAS: ClassVar[int]
    ALTERNATIVE: ClassVar[int]
    ARGUMENTS: ClassVar[int]
    BODY: ClassVar[int]
    CHANNEL: ClassVar[int]
    COMMUNICATION: ClassVar[int]
    CONDITION: ClassVar[int]
    CONSEQUENCE: ClassVar[int]
    ELEMENT: ClassVar[int]
    END: ClassVar[int]
    FIELD: ClassVar[int]
    FUNCTION: ClassVar[int]
    INDEX: ClassVar[int]
    INITIALIZER: ClassVar[int]
    KEY: ClassVar[int]
    LABEL: ClassVar[int]
    LEFT: ClassVar[int]
    NAME: ClassVar[int]
    OPERAND: ClassVar[int]
    OPERATOR: ClassVar[int]
    PACKAGE: ClassVar[int]
    PARAMETERS: ClassVar[int]
    PATH: ClassVar[int]
    RECEIVER: ClassVar[int]
    RESULT: ClassVar[int]
    RIGHT: ClassVar[int]
    START: ClassVar[int]
    TAG: ClassVar[int]
    TYPE: ClassVar[int]
    TYPE_PARAMETERS: ClassVar[int]
    UPDATE: ClassVar[int]
    VALUE: ClassVar[int]
