"""The signature of editing: what differs by language when code is changed.

A language that can be edited has an object of a class that extends ``Editing``; ``Language.editing`` names it. The
attributes are kinds of syntax nodes, as the grammar calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing.texts import Text
from pyrograph.parsers.editing.tree import Tree


@dataclass(frozen=True, slots=True)
class Imported:
    """How code refers to a function of a library, and the edits that import it first."""

    name: str
    edits: tuple[Edit, ...] = ()


def listed(values: Sequence[str], indent: str, unit: str) -> str:
    """The elements of a list in brackets: in a line, or in a line each where one of them takes several."""
    if not any("\n" in each for each in values):
        return ", ".join(values)
    inner = f"\n{indent}\t" if "\t" in indent else f"\n{indent}{unit}"
    return "".join(f"{inner}{each}," for each in values) + f"\n{indent}"


class Editing:
    """How code of one language is edited. Methods return None where they cannot do it right."""

    calls: frozenset[str] = frozenset()
    keyword_argument: str = ""  # a call's argument with a name; fields "name" and "value"
    members: Mapping[str, str] = {}  # kind of a member access -> field of the member's name
    functions: frozenset[str] = frozenset()  # their variables are their own
    assignments: Mapping[str, tuple[str, str]] = {}  # kind -> fields of the variable and of its value
    updates: frozenset[str] = frozenset()  # further nodes that change the variable in their field "left"
    wrappers: frozenset[str] = frozenset()  # nodes around one node that mean nothing: parentheses, lists of one
    containers: frozenset[str] = frozenset()  # literals of lists and objects
    pairs: frozenset[str] = frozenset()  # a key and its value, in the field "value"
    shorthand: str = ""  # a key that is the name of its value
    literals: frozenset[str] = frozenset()  # constant texts without holes
    text_functions: frozenset[str] = frozenset()  # of the language; they make no markup of texts without markup

    adds_texts_only: bool = False  # nothing but text can be added to text

    braces: frozenset[str] = frozenset()  # nodes in braces that have spaces inside all of them, or none of them
    spaced: bool = False  # whether they have, where nothing says it
    trailing: bool | None = None  # whether a comma ends arguments and fields on own lines; None: as the file has it
    indentation: str = "    "  # of one level, where the file shows none
    # Names of files that declare libraries, as patterns; and of files that configure the form of code.
    declaring: tuple[str, ...] = ()
    configuring: tuple[str, ...] = ()
    # Patterns whose first group is what such a file says: columns of a line, of a tab, spaces in braces, a last comma.
    width: str = ""
    tab: str = ""
    spacing: str = ""
    comma: str = ""

    def unwrapped(self, tree: Tree, node: int) -> int:
        """The node within all wrappers; code may have thousands around each other."""
        while tree.kind(node) in self.wrappers and len(named := tree.named(node)) == 1:
            node = named[0]
        return node

    def text(self, tree: Tree, node: int) -> Text | None:
        """The text that an expression puts together; a literal is one, too."""
        return None

    def is_prose(self, tree: Tree, node: int) -> bool:
        """Whether an expression is an error or a whole document, or the text of one, as far as the file says it."""
        return False

    def shows(self, tree: Tree, node: int, value: int) -> bool:
        """Whether an expression is the error of a call that got a value, so that its text may hold that value."""
        return False

    def shows_text(self, tree: Tree, node: int) -> bool:
        """Whether an expression is a text, or something that shows itself as one, as far as the file says it."""
        return False

    def is_supplied(self, library: str) -> bool:
        """Whether each program can import a library without declaring it."""
        return True

    def bound(self, name: str, value: str) -> str | None:
        """A statement that binds a new name to a value, to stand before the one that uses it."""
        return None

    def constant(self, text: str) -> str:
        """A literal for text without quotes and control characters."""
        return f'"{text}"'

    def composed(self, parts: Sequence[tuple[bool, str]]) -> str | None:
        """An expression for (whether it is code, content or code) in a row."""
        return None

    def parameters(self, values: Sequence[str], indent: str, *, is_apart: bool) -> str:
        """Further arguments of a call that are the parameters of a statement; begins with a comma.

        ``indent``: of the line in which the last argument begins. ``is_apart``: whether arguments have own lines.
        """
        return f", [{listed(values, indent, '  ')}]"

    def imported(self, tree: Tree, api: Sequence[str], instead_of: str = "") -> Imported | None:
        """How a file refers to the API (a module's path, and a function). ``instead_of``: how it names another
        function of the module now, or "".
        """
        return None

    def imported_module(self, tree: Tree, module: Sequence[str]) -> Imported | None:
        """How a file refers to a module that no import binds to another name."""
        return None

    def replaced_import(self, tree: Tree, old: str, new: str) -> tuple[Edit, ...]:
        """The edits that make an import of ``old`` one of ``new``."""
        return ()

    def unused_imports(self, old: Tree, new: Tree, is_kept: Callable[[str], bool]) -> tuple[Edit, ...]:
        """The edits of ``old`` that remove imports which it used and ``new`` does not.

        ``is_kept``: whether other files may use a name that this one binds.
        """
        return ()
