"""The fields of syntax nodes, as numbers of the grammar, which ``FrontEnd.prepare`` looks up."""

from __future__ import annotations

from typing import ClassVar

from pyrograph.parsers.frontend import FrontEnd


class Fields(FrontEnd):
    """``NAME`` is the number of the field ``name``; a field is declared here before a method asks for it."""

    ALIAS: ClassVar[int]
    ALTERNATIVE: ClassVar[int]
    ARGUMENT: ClassVar[int]
    ARGUMENTS: ClassVar[int]
    ATTRIBUTE: ClassVar[int]
    BODY: ClassVar[int]
    CONDITION: ClassVar[int]
    CONSEQUENCE: ClassVar[int]
    CONSTRUCTOR: ClassVar[int]
    DECLARATION: ClassVar[int]
    FINALIZER: ClassVar[int]
    FUNCTION: ClassVar[int]
    HANDLER: ClassVar[int]
    INCREMENT: ClassVar[int]
    INDEX: ClassVar[int]
    INITIALIZER: ClassVar[int]
    KEY: ClassVar[int]
    KIND: ClassVar[int]
    LABEL: ClassVar[int]
    LEFT: ClassVar[int]
    MODULE: ClassVar[int]
    NAME: ClassVar[int]
    OBJECT: ClassVar[int]
    OPEN_TAG: ClassVar[int]
    OPERATOR: ClassVar[int]
    OPTIONAL_CHAIN: ClassVar[int]
    PARAMETER: ClassVar[int]
    PARAMETERS: ClassVar[int]
    PATTERN: ClassVar[int]
    PROPERTY: ClassVar[int]
    RETURN_TYPE: ClassVar[int]
    RIGHT: ClassVar[int]
    SOURCE: ClassVar[int]
    TYPE: ClassVar[int]
    TYPE_ARGUMENTS: ClassVar[int]
    VALUE: ClassVar[int]
