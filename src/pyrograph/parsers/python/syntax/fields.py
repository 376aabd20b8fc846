"""The grammar, and its fields as numbers: to look a field up by its name takes longer than to find the child."""

from typing import Final

import tree_sitter_python
from tree_sitter import Language, Node

GRAMMAR: Final = Language(tree_sitter_python.language())


def _field(name: str) -> int:
    number = GRAMMAR.field_id_for_name(name)
    if number is None:
        raise LookupError(
            f"the installed tree-sitter-python has no field {name!r}; install the version that is required"
        )
    return number


ALIAS: Final = _field("alias")
ALTERNATIVE: Final = _field("alternative")
ARGUMENT: Final = _field("argument")
ARGUMENTS: Final = _field("arguments")
ATTRIBUTE: Final = _field("attribute")
BODY: Final = _field("body")
CONDITION: Final = _field("condition")
CONSEQUENCE: Final = _field("consequence")
DEFINITION: Final = _field("definition")
FUNCTION: Final = _field("function")
GUARD: Final = _field("guard")
KEY: Final = _field("key")
LEFT: Final = _field("left")
MODULE_NAME: Final = _field("module_name")
NAME: Final = _field("name")
OBJECT: Final = _field("object")
OPERATOR: Final = _field("operator")
PARAMETERS: Final = _field("parameters")
RETURN_TYPE: Final = _field("return_type")
RIGHT: Final = _field("right")
SUBJECT: Final = _field("subject")
SUBSCRIPT: Final = _field("subscript")
SUPERCLASSES: Final = _field("superclasses")
TYPE: Final = _field("type")
VALUE: Final = _field("value")


def field_of(node: Node, field: int) -> Node:
    """A field that the grammar promises; a broken tree may lack it, and then the node itself stands in."""
    child = node.child_by_field_id(field)
    return node if child is None else child
