"""How Go code is edited."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing.formats import PERCENT, by_position, formatted
from pyrograph.parsers.editing.signature import Editing
from pyrograph.parsers.editing.texts import Literal, Span, Text, joined, operands
from pyrograph.parsers.editing.tree import Tree
from pyrograph.policy.names.functions import ERROR_NAMES

STRINGS = ("interpreted_string_literal", "raw_string_literal")
TEXTS = ("string", "[]byte")  # types that show themselves as text
WHOLE = (".ReadAll", ".ReadFile")  # functions of the standard library that return a whole document
FORMAT = "fmt.Sprintf"  # the function of the standard library that fills a format

_ENDED = re.compile(rb"[\s;]*(//.*)?\s*")  # behind a node that is the last of its line
_BEHIND = re.compile(rb"[ \t]*;[ \t]*")


class GoEditing(Editing):
    """Additions and formats. An import that nothing needs any more is an error in Go, so it is removed."""

    calls = frozenset({"call_expression"})
    members: Mapping[str, str] = {"selector_expression": "field"}
    functions = frozenset({"function_declaration", "method_declaration", "func_literal", "source_file"})
    assignments: Mapping[str, tuple[str, str]] = {
        "short_var_declaration": ("left", "right"),
        "assignment_statement": ("left", "right"),
    }
    updates = frozenset({"range_clause"})
    wrappers = frozenset({"parenthesized_expression", "expression_list", "literal_element"})
    containers = frozenset({"literal_value", "composite_literal"})
    pairs = frozenset({"keyed_element"})
    adds_texts_only = True
    trailing = True
    indentation = "\t"
    literals = frozenset({*STRINGS, "int_literal", "float_literal", "true", "false", "nil"})

    def text(self, tree: Tree, node: int) -> Text | None:
        node = self.unwrapped(tree, node)
        kind = tree.kind(node)
        span = (tree.start(node), tree.end(node))
        if kind in STRINGS:
            return Text(span, (_literal(tree, node),))
        if kind == "binary_expression":
            added = operands(tree, node)
            if len(added) > 1:
                return joined([((tree.start(each), tree.end(each)), self.text(tree, each)) for each in added], span)
        if kind == "call_expression":
            return self._format(tree, node, span)
        return None

    def _format(self, tree: Tree, node: int, span: Span) -> Text | None:
        function, arguments = tree.child(node, "function"), tree.child(node, "arguments")
        if function is None or arguments is None or tree.source(function) != FORMAT:
            return None
        given = tree.named(arguments)
        if not given or tree.kind(given[0]) not in STRINGS or "..." in tree.source(arguments):
            return None
        filled = by_position([(tree.start(each), tree.end(each)) for each in given[1:]])
        around = ((span[0], tree.start(given[0])), (tree.end(given[0]), span[1]))
        found = formatted(tree, [_literal(tree, given[0])], PERCENT, filled, span, around, "%")
        return found if found is not None and len(found.holes) == len(given) - 1 else None

    def composed(self, parts: Sequence[tuple[bool, str]]) -> str | None:
        content = "".join(text for is_code, text in parts if not is_code)
        if '"' in content or "\\" in content or "\n" in content:
            return None
        return " + ".join(text if is_code else f'"{text}"' for is_code, text in parts)

    def is_prose(self, tree: Tree, node: int) -> bool:
        """The text of an error, a parameter of the type, a variable by its name; what was read to its end."""
        kind = tree.kind(node)
        if kind == "call_expression":
            function, given = tree.child(node, "function"), tree.child(node, "arguments")
            name = "" if function is None else tree.source(function)
            if name == "string" and given is not None and len(tree.named(given)) == 1:
                return self.is_prose(tree, tree.named(given)[0])
            return name.endswith((".Error", ".Err", *WHOLE))
        if kind == "selector_expression":
            field = tree.child(node, "field")
            return field is not None and bool(ERROR_NAMES.fullmatch(tree.source(field)))
        name = tree.source(node)
        return kind == "identifier" and bool(
            ERROR_NAMES.fullmatch(name)
            or _type_of_parameter(tree, node, name) in ("error", "[]byte")
            or _was_read_whole(tree, node, name)
        )

    def shows(self, tree: Tree, node: int, value: int) -> bool:
        """An error that the last assignment before got from a call with the value: its text is mostly about that."""
        if not self.is_prose(tree, node):
            return False
        assigned = _assigned(tree, node, tree.source(node))
        before = [(tree.start(each), call) for each, call in assigned if tree.start(each) < tree.start(node)]
        given = tree.child(max(before)[1], "arguments") if before else None
        return given is not None and tree.source(value) in (tree.source(each) for each in tree.named(given))

    def shows_text(self, tree: Tree, node: int) -> bool:
        """A literal, a conversion to text, or a parameter of a text's type."""
        kind = tree.kind(node)
        if kind in STRINGS:
            return True
        if kind == "call_expression":
            function = tree.child(node, "function")
            name = "" if function is None else tree.source(function)
            return name in ("string", FORMAT) or name.endswith(".String") or name.startswith("strings.")
        if kind != "identifier":
            return False
        return _type_of_parameter(tree, node, tree.source(node)) in TEXTS

    def parameters(self, values: Sequence[str], indent: str, *, is_apart: bool) -> str:
        return ", " + (f",\n{indent}" if is_apart else ", ").join(values)

    def replaced_import(self, tree: Tree, old: str, new: str) -> tuple[Edit, ...]:
        found = [each for path, each in _imports(tree) if path == old]
        if len(found) != 1 or any(path == new for path, _ in _imports(tree)):
            return ()
        node = tree.child(found[0], "path")
        return () if node is None else (Edit(tree.start(node), tree.end(node), f'"{new}"'.encode()),)

    def unused_imports(self, old: Tree, new: Tree, is_kept: Callable[[str], bool]) -> tuple[Edit, ...]:
        edits = []
        before, now = _qualifiers(old), _qualifiers(new)
        left = {path for path, _ in _imports(new)}
        for path, node in _imports(old):
            alias = old.child(node, "name")
            name = old.source(alias) if alias is not None else path.rpartition("/")[2]
            if path in left and name in before and name not in now:
                around = node if old.kind(old.parent(node)) == "import_spec_list" else old.parent(node)
                edits.append(_line(old, around))
        return tuple(edits)


def _literal(tree: Tree, node: int) -> Literal:
    span = (tree.start(node), tree.end(node))
    quote = tree.between(span[0], span[0] + 1)
    return Literal(span[0] + 1, span[1] - 1, span, quote, quote)


def _was_read_whole(tree: Tree, node: int, name: str) -> bool:
    """Whether the function around a variable assigns it what a function in ``WHOLE`` returns."""
    functions = (tree.child(call, "function") for _, call in _assigned(tree, node, name))
    return any(each is not None and tree.source(each).endswith(WHOLE) for each in functions)


def _assigned(tree: Tree, node: int, name: str) -> list[tuple[int, int]]:
    """The assignments to a variable in the function around a node, and what the first value of each is."""
    around = next((each for each in tree.above(node) if tree.kind(each) in EDITING.functions), 0)
    found = []
    for each in tree.below(around):
        if tree.kind(each) in EDITING.assignments:
            left, right = tree.child(each, "left"), tree.child(each, "right")
            if left is not None and right is not None and name in (tree.source(one) for one in tree.named(left)):
                found.append((each, next(iter(tree.named(right)), right)))
    return found


def _type_of_parameter(tree: Tree, node: int, name: str) -> str:
    """The type of the parameter of that name of the innermost function that has one; "" without one."""
    for function in tree.above(node):
        declared = tree.child(function, "parameters")
        for each in () if declared is None else tree.named(declared):
            kind = tree.child(each, "type")
            names = [one for one in tree.named(each) if tree.syntax.fields[one] == "name"]
            if kind is not None and name in map(tree.source, names):
                return tree.source(kind)
    return ""


def _imports(tree: Tree) -> list[tuple[str, int]]:
    """The path of each import, and its node."""
    found = []
    for node, kind in enumerate(tree.syntax.kinds):
        if kind == "import_spec" and (path := tree.child(node, "path")) is not None:
            found.append((tree.source(path)[1:-1], node))
    return found


def _qualifiers(tree: Tree) -> set[str]:
    """The names before the dot of a qualified name."""
    syntax = tree.syntax
    return {
        tree.source(node)
        for node in range(len(syntax.kinds))
        if (syntax.kinds[node] == "identifier" and syntax.fields[node] == "operand")
        or (syntax.kinds[node] == "package_identifier" and syntax.fields[node] == "package")
    }


def _line(tree: Tree, node: int) -> Edit:
    """Removes the lines of a node; where other code shares them, the node and the semicolon behind it."""
    start = tree.text.rfind(b"\n", 0, tree.start(node)) + 1
    end = tree.text.find(b"\n", tree.end(node)) + 1 or len(tree.text)
    if tree.text[start : tree.start(node)].strip() or not _ENDED.fullmatch(tree.text[tree.end(node) : end]):
        behind = _BEHIND.match(tree.text, tree.end(node))
        return Edit(tree.start(node), tree.end(node) if behind is None else behind.end())
    return Edit(start, end)


EDITING = GoEditing()
