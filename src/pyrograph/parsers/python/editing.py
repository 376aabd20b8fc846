"""How Python code is edited."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing.formats import FIELD, PERCENT, by_field, by_position, formatted
from pyrograph.parsers.editing.signature import Editing, Imported, listed
from pyrograph.parsers.editing.texts import Hole, Literal, Span, Text, joined, operands
from pyrograph.parsers.editing.tree import Tree

_WORD = re.compile(r"\w+")
_ENDED = re.compile(rb"\s*(#.*)?\s*")  # behind a statement that is the last of its line


class PythonEditing(Editing):
    """f-strings, additions, ``%`` and ``str.format``; imports at the top of the file."""

    calls = frozenset({"call"})
    keyword_argument = "keyword_argument"
    members: Mapping[str, str] = {"attribute": "attribute"}
    functions = frozenset({"function_definition", "lambda", "module"})
    assignments: Mapping[str, tuple[str, str]] = {"assignment": ("left", "right")}
    updates = frozenset({"augmented_assignment", "named_expression", "for_statement", "for_in_clause"})
    wrappers = frozenset({"parenthesized_expression"})
    containers = frozenset({"dictionary", "list", "tuple"})
    pairs = frozenset({"pair"})
    literals = frozenset({"string", "integer", "float", "true", "false", "none"})
    braces = frozenset({"dictionary", "set"})
    trailing = True
    declaring = (
        *("*requirements*.txt", "*requirements*.in", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile"),
        *("environment*.y*ml", "constraints*.txt", "base.txt", "common.txt", "main.txt", "prod*.txt", "tox.ini"),
    )
    configuring = ("pyproject.toml", "ruff.toml", ".ruff.toml", ".flake8", "setup.cfg", "tox.ini")
    width = r"(?m)^\s*(?:max[-_])?line[-_]length\s*=\s*(\d+)"

    def text(self, tree: Tree, node: int) -> Text | None:
        node = self.unwrapped(tree, node)
        kind = tree.kind(node)
        span = (tree.start(node), tree.end(node))
        if kind == "string":
            parts = _string(tree, node)
            return None if parts is None else Text(span, parts)
        if kind == "concatenated_string":
            found = [_string(tree, each) for each in tree.named(node)]
            return None if None in found else Text(span, tuple(part for parts in found for part in parts or ()))
        if kind == "binary_operator":
            operator = tree.child(node, "operator")
            if operator is not None and tree.source(operator) == "+":
                added = operands(tree, node)
                return joined([((tree.start(each), tree.end(each)), self.text(tree, each)) for each in added], span)
            if operator is not None and tree.source(operator) == "%":
                return self._percent(tree, node, span)
        if kind == "call":
            return self._format(tree, node, span)
        return None

    def _literals(self, tree: Tree, node: int) -> list[Literal] | None:
        """The literals of a format without holes of its own."""
        text = self.text(tree, node) if tree.kind(node) in ("string", "concatenated_string", *self.wrappers) else None
        if text is None or text.formatted or text.holes:
            return None
        return [part for part in text.parts if isinstance(part, Literal)]

    def _percent(self, tree: Tree, node: int, span: Span) -> Text | None:
        left, right = tree.child(node, "left"), tree.child(node, "right")
        literals = None if left is None else self._literals(tree, left)
        if literals is None or left is None or right is None or tree.kind(right) in ("dictionary", "call"):
            return None  # a call may return a tuple
        values = tree.named(right) if tree.kind(right) == "tuple" else [right]
        if any(tree.kind(each) == "list_splat" for each in values):
            return None
        filled = by_position([(tree.start(each), tree.end(each)) for each in values])
        found = formatted(tree, literals, PERCENT, filled, span, ((tree.end(left), span[1]),), "%")
        return found if found is not None and len(found.holes) == len(values) else None

    def _format(self, tree: Tree, node: int, span: Span) -> Text | None:
        function, arguments = tree.child(node, "function"), tree.child(node, "arguments")
        if function is None or arguments is None or tree.kind(function) != "attribute":
            return None
        receiver, name = tree.child(function, "object"), tree.child(function, "attribute")
        if receiver is None or name is None or tree.source(name) != "format":
            return None
        literals = self._literals(tree, receiver)
        if literals is None:
            return None
        values: list[Span] = []
        named: dict[str, Span] = {}
        for each in tree.named(arguments):
            if tree.kind(each) in ("list_splat", "dictionary_splat"):
                return None
            if tree.kind(each) == self.keyword_argument:
                key, value = tree.child(each, "name"), tree.child(each, "value")
                if key is None or value is None:
                    return None
                named[tree.source(key)] = (tree.start(value), tree.end(value))
            else:
                values.append((tree.start(each), tree.end(each)))
        around = ((tree.end(receiver), span[1]),)
        return formatted(tree, literals, FIELD, by_field(values, named), span, around, "{}")

    def is_supplied(self, library: str) -> bool:
        return library in sys.stdlib_module_names or library == "builtins"

    def bound(self, name: str, value: str) -> str | None:
        return f"{name} = {value}"

    def composed(self, parts: Sequence[tuple[bool, str]]) -> str | None:
        code = "".join(text for is_code, text in parts if is_code)
        content = "".join(text for is_code, text in parts if not is_code)
        quote = "'" if '"' in code else '"'
        if quote in code + content or "\\" in code + content or "{" in content or "}" in content or "\n" in code:
            return None
        if not code:
            return f"{quote}{content}{quote}"
        return f"f{quote}{''.join(f'{{{text}}}' if is_code else text for is_code, text in parts)}{quote}"

    def parameters(self, values: Sequence[str], indent: str, *, is_apart: bool) -> str:
        inside = listed(values, indent, "    ")
        return f", ({inside},)" if inside == values[0] else f", ({inside})"

    def imported(self, tree: Tree, api: Sequence[str], instead_of: str = "") -> Imported | None:
        *path, function = api
        module = ".".join(path)
        if module == "builtins":
            return None if _is_bound(tree, function) else Imported(function)
        for node in tree.named(0):
            bound = _bound_by(tree, node)
            if tree.kind(node) == "import_statement":
                if name := next((name for what, name in bound if what == module), ""):
                    return Imported(f"{name}.{function}")
            elif tree.kind(node) == "import_from_statement":
                source = tree.child(node, "module_name")
                if source is None or tree.source(source) != module:
                    continue
                if name := next((name for what, name in bound if what == function), ""):
                    return Imported(name)
                names = [each for each in tree.children[node] if tree.syntax.fields[each] == "name"]
                if names and not tree.has_name(function):
                    at = tree.end(names[-1])
                    return Imported(function, (Edit(at, at, f", {function}".encode()),))
        new = path[0] if len(path) == 1 else function
        if tree.has_name(new):
            whole = self.imported_module(tree, path) if len(path) > 1 else None
            return None if whole is None else Imported(f"{whole.name}.{function}", whole.edits)
        if len(path) == 1:
            return Imported(f"{module}.{function}", _inserted(tree, "import_statement", f"import {module}"))
        return Imported(function, _inserted(tree, "import_from_statement", f"from {module} import {function}"))

    def imported_module(self, tree: Tree, module: Sequence[str]) -> Imported | None:
        name = ".".join(module)
        for node in tree.named(0):
            if tree.kind(node) == "import_statement" and (name, name) in _bound_by(tree, node):
                return Imported(name)
        if tree.has_name(module[0]):
            return None
        return Imported(name, _inserted(tree, "import_statement", f"import {name}"))

    def unused_imports(self, old: Tree, new: Tree, is_kept: Callable[[str], bool]) -> tuple[Edit, ...]:
        before, now = _used(old), _used(new)
        found: list[Edit | None] = []
        for node in old.named(0):
            if old.kind(node) not in ("import_statement", "import_from_statement"):
                continue
            names = [each for each in old.children[node] if old.syntax.fields[each] == "name"]
            bound = [name.partition(".")[0] for _, name in _bound_by(old, node)]
            gone = [n for n, name in enumerate(bound) if name in before and name not in now and not is_kept(name)]
            if gone and len(gone) == len(names):
                found.append(_without_lines(old, node))
            else:
                found += _without_names(old, names, gone)
        return tuple(each for each in found if each is not None)


def _string(tree: Tree, node: int) -> tuple[Literal | Hole, ...] | None:
    """The parts of one string token; None for bytes."""
    children = tree.children[node]
    if len(children) < 2 or tree.kind(children[0]) != "string_start" or tree.kind(children[-1]) != "string_end":
        return None
    opening, closing = tree.source(children[0]), tree.source(children[-1])
    if "b" in opening.lower():
        return None
    token = (tree.start(node), tree.end(node))
    doubled = "{}" if "f" in opening.lower() else ""
    parts: list[Literal | Hole] = []
    at = tree.end(children[0])
    for each in children[1:-1]:
        if tree.kind(each) != "interpolation":
            continue
        inner = tree.named(each)
        if not inner:
            return None
        parts.append(Literal(at, tree.start(each), token, opening, closing, doubled))
        code = (tree.start(inner[0]), tree.end(inner[0]))
        simple = tree.source(each) == f"{{{tree.source(inner[0])}}}"
        parts.append(Hole(code, (tree.start(each), tree.end(each)), simple=simple))
        at = tree.end(each)
    return (*parts, Literal(at, tree.start(children[-1]), token, opening, closing, doubled))


def _bound_by(tree: Tree, node: int) -> list[tuple[str, str]]:
    """What an import names, and the names that it binds."""
    found = []
    for each in tree.children[node]:
        if tree.syntax.fields[each] != "name":
            continue
        if tree.kind(each) == "aliased_import":
            name, alias = tree.child(each, "name"), tree.child(each, "alias")
            if name is not None and alias is not None:
                found.append((tree.source(name), tree.source(alias)))
        else:
            found.append((tree.source(each), tree.source(each)))
    return found


def _used(tree: Tree) -> set[str]:
    """The names that code and texts outside of imports mention; the member of an object is none."""
    kinds, fields = tree.syntax.kinds, tree.syntax.fields
    within = {inner for node in tree.named(0) if "import" in tree.kind(node) for inner in tree.below(node)}
    found: set[str] = set()
    for node, kind in enumerate(kinds):
        if kind == "identifier" and fields[node] != "attribute" and node not in within:
            found.add(tree.source(node))
        elif kind == "string_content":
            found.update(_WORD.findall(tree.source(node)))
    return found


def _without_lines(tree: Tree, node: int) -> Edit | None:
    """Removes a statement with its lines; None where other code shares them."""
    begin = tree.text.rfind(b"\n", 0, tree.start(node)) + 1
    end = tree.text.find(b"\n", tree.end(node)) + 1 or len(tree.text)
    if tree.text[begin : tree.start(node)].strip() or not _ENDED.fullmatch(tree.text[tree.end(node) : end]):
        return None
    return Edit(tree.start(node), end)


def _without_names(tree: Tree, names: Sequence[int], gone: Sequence[int]) -> list[Edit]:
    """Removes some of the names that an import binds, neighbours at once, with the commas next to them."""
    found: list[Edit] = []
    for _, group in groupby(enumerate(gone), lambda each: each[1] - each[0]):
        run = [number for _, number in group]
        if run[-1] + 1 < len(names):
            found.append(Edit(tree.start(names[run[0]]), tree.start(names[run[-1] + 1])))
        else:
            found.append(Edit(tree.end(names[run[0] - 1]), tree.end(names[run[-1]])))
    return found


def _is_bound(tree: Tree, name: str) -> bool:
    """Whether a file gives a name a meaning of its own: it is assigned, defined, imported or a parameter."""
    kinds, fields = tree.syntax.kinds, tree.syntax.fields
    binding = ("left", "name", "alias")
    around = ("parameters", "lambda_parameters")
    return any(
        kinds[node] == "identifier"
        and (fields[node] in binding or kinds[tree.parent(node)] in around)
        and tree.source(node) == name
        for node in range(1, len(kinds))
    )


def _inserted(tree: Tree, kind: str, line: str) -> tuple[Edit, ...]:
    """The line among the imports at the top of a file: in the section of its kind (the standard library, libraries, the
    program), behind the imports of its form that the alphabet puts before it. A section that is not there follows the
    earlier ones, after an empty line if the file parts its sections so.
    """
    top = _imports(tree)
    if top:
        own = _section(line)
        mine = [each for each in top if _section(tree.source(each)) == own]
        earlier = [each for each in mine if tree.kind(each) == kind and _key(tree.source(each)) < _key(line)]
        if earlier:
            return (_line_after(tree, earlier[-1], line),)
        if mine:
            first = next((each for each in mine if tree.kind(each) == kind), mine[0])
            return (Edit(tree.start(first), tree.start(first), f"{line}\n".encode()),)
        before = [each for each in top if _section(tree.source(each)) < own]
        if before:
            at = top.index(before[-1])
            is_apart = (
                _are_apart(tree, before[-1], top[at + 1]) if at + 1 < len(top) else not _is_followed(tree, top[-1])
            )
            apart = "\n" if is_apart else ""
            return (_line_after(tree, before[-1], line, apart),)
        apart = "\n" if _section(tree.source(top[0])) != own else ""
        return (Edit(tree.start(top[0]), tree.start(top[0]), f"{line}\n{apart}".encode()),)
    futures = [each for each in tree.named(0) if tree.kind(each) == "future_import_statement"]
    first_node = tree.named(0)[:1]
    if futures:
        return (_line_after(tree, futures[-1], line),)
    if first_node and tree.source(first_node[0])[:1] in "\"'r":  # the file's docstring
        inner = tree.named(first_node[0])
        if inner and tree.kind(inner[0]) == "string":
            return (_line_after(tree, first_node[0], line),)
    at = tree.start(first_node[0]) if first_node else 0
    return (Edit(at, at, f"{line}\n".encode()),)


def _imports(tree: Tree) -> list[int]:
    """The imports at the top of a file, up to the first other statement that follows one."""
    found: list[int] = []
    for each in tree.named(0):
        if tree.kind(each) in ("import_statement", "import_from_statement"):
            found.append(each)
        elif found and tree.kind(each) != "comment":
            break
    return found


def _section(line: str) -> int:
    """0: the standard library, 1: a library, 2: the program's own by a relative name."""
    module = line.split()[1]
    return 2 if module.startswith(".") else int(module.partition(".")[0].rstrip(",;") not in sys.stdlib_module_names)


def _are_apart(tree: Tree, first: int, second: int) -> bool:
    """Whether an empty line stands between two statements."""
    return b"\n\n" in tree.text[tree.end(first) : tree.start(second)].replace(b"\r", b"")


def _is_followed(tree: Tree, node: int) -> bool:
    """Whether a comment stands in the line behind a statement: it belongs to the imports."""
    at = tree.text.find(b"\n", tree.end(node)) + 1
    return at > 0 and tree.text[at : at + 1] == b"#"


def _key(line: str) -> str:
    return line.split()[1].lower()


def _line_after(tree: Tree, node: int, line: str, apart: str = "") -> Edit:
    at = tree.text.find(b"\n", tree.end(node)) + 1
    if at == 0:
        return Edit(len(tree.text), len(tree.text), f"\n{apart}{line}\n".encode())
    return Edit(at, at, f"{apart}{line}\n".encode())


EDITING = PythonEditing()
