"""How JavaScript and TypeScript code is edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing.signature import Editing, Imported
from pyrograph.parsers.editing.texts import Hole, Literal, Text, joined, operands
from pyrograph.parsers.editing.tree import Tree


class JavaScriptEditing(Editing):
    """Template strings and additions; names are added to imports that are there."""

    calls = frozenset({"call_expression", "new_expression"})
    members: Mapping[str, str] = {"member_expression": "property"}
    functions = frozenset(
        {
            "function_declaration",
            "function_expression",
            "arrow_function",
            "method_definition",
            "generator_function",
            "generator_function_declaration",
            "program",
        }
    )
    assignments: Mapping[str, tuple[str, str]] = {
        "variable_declarator": ("name", "value"),
        "assignment_expression": ("left", "right"),
    }
    updates = frozenset({"augmented_assignment_expression", "for_in_statement"})
    wrappers = frozenset({"parenthesized_expression"})
    containers = frozenset({"object", "array"})
    pairs = frozenset({"pair"})
    shorthand = "shorthand_property_identifier"
    literals = frozenset({"string", "number", "true", "false", "null"})
    braces = frozenset({"object", "object_pattern", "named_imports", "export_clause"})
    spaced = True
    indentation = "  "
    configuring = (
        *(
            ".prettierrc",
            ".prettierrc.json",
            ".prettierrc.js",
            ".prettierrc.cjs",
            ".prettierrc.yaml",
            ".prettierrc.yml",
        ),
        *("prettier.config.js", "prettier.config.cjs", "prettier.config.mjs", ".prettierrc.toml", "package.json"),
        *(".eslintrc", ".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yaml", ".eslintrc.yml"),
        *("eslint.config.js", "eslint.config.mjs", "biome.json"),
    )
    width = r"[\"']?(?:printWidth|lineWidth)[\"']?\s*[:=]\s*(\d+)"
    tab = r"[\"']?tabWidth[\"']?\s*[:=]\s*(\d+)"
    spacing = r"[\"']?bracketSpacing[\"']?\s*[:=]\s*(true|false)"
    comma = r"[\"']?trailingComma[\"']?\s*[:=]\s*[\"']?(\w+)"
    text_functions = frozenset(
        {
            *("String", "Number", "parseInt", "parseFloat", "decodeURIComponent", "decodeURI", "get", "getItem", "at"),
            *("toString", "trim", "trimStart", "trimEnd", "slice", "substring", "substr", "split", "pop", "shift"),
            *("toLowerCase", "toUpperCase", "toFixed", "URL", "URLSearchParams"),
        }
    )

    def text(self, tree: Tree, node: int) -> Text | None:
        node = self.unwrapped(tree, node)
        kind = tree.kind(node)
        span = (tree.start(node), tree.end(node))
        if kind == "string":
            quote = tree.between(span[0], span[0] + 1)
            return Text(span, (Literal(span[0] + 1, span[1] - 1, span, quote, quote),))
        if kind == "template_string":
            parts: list[Literal | Hole] = []
            at = span[0] + 1
            for each in tree.named(node):
                if tree.kind(each) != "template_substitution":
                    continue
                inner = tree.named(each)
                if len(inner) != 1:
                    return None
                parts.append(Literal(at, tree.start(each), span, "`", "`"))
                code = (tree.start(inner[0]), tree.end(inner[0]))
                parts.append(Hole(code, (tree.start(each), tree.end(each))))
                at = tree.end(each)
            return Text(span, (*parts, Literal(at, span[1] - 1, span, "`", "`")))
        if kind == "binary_expression":
            added = operands(tree, node)
            if len(added) > 1:
                return joined([((tree.start(each), tree.end(each)), self.text(tree, each)) for each in added], span)
        return None

    def composed(self, parts: Sequence[tuple[bool, str]]) -> str | None:
        content = "".join(text for is_code, text in parts if not is_code)
        if any(each in content for each in ("`", "\\", "$", '"')):
            return None
        if not any(is_code for is_code, _ in parts):
            return f'"{content}"'
        return f"`{''.join(f'${{{text}}}' if is_code else text for is_code, text in parts)}`"

    def imported(self, tree: Tree, api: Sequence[str], instead_of: str = "") -> Imported | None:
        """``globalThis`` needs none; of another module, the name joins that of a function of it in its braces."""
        name = api[-1]
        if tuple(api[:-1]) == ("globalThis",):
            return None if _is_bound(tree, name) else Imported(name)
        if not instead_of or tree.has_name(name):
            return None
        for node, kind in enumerate(tree.syntax.kinds):
            bound = kind in ("shorthand_property_identifier_pattern", "import_specifier")
            if bound and tree.source(node) == instead_of:
                return Imported(name, (Edit(tree.end(node), tree.end(node), f", {name}".encode()),))
        return None


def _is_bound(tree: Tree, name: str) -> bool:
    """Whether a file declares a variable, a function, a class, a parameter or an import of this name."""
    syntax = tree.syntax
    places = ("variable_declarator", "function_declaration", "class_declaration", "formal_parameters", "import_clause")
    patterns = ("import_specifier", "required_parameter", "array_pattern", "assignment_pattern")
    for node in range(1, len(syntax.kinds)):
        kind = syntax.kinds[node]
        binds = kind == "shorthand_property_identifier_pattern" or (
            kind in ("identifier", "type_identifier")
            and syntax.fields[node] != "value"
            and syntax.kinds[tree.parent(node)] in (*places, *patterns)
        )
        if binds and tree.source(node) == name:
            return True
    return False


EDITING = JavaScriptEditing()
