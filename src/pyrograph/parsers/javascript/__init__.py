"""JavaScript and TypeScript, one language in three syntaxes: what the analysis asks of it.

The front ends are ``syntax``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pyrograph.ir.codes import EXPORTED
from pyrograph.model import languages as names
from pyrograph.parsers.javascript.manifests import MANIFESTS
from pyrograph.parsers.javascript.pages import COMPONENTS, PAGES, is_page
from pyrograph.parsers.language import GENERATED, MINIFIED, Export, Language, ModuleFile, ModuleNames, Syntax, Within
from pyrograph.parsers.library import LibrarySource
from pyrograph.parsers.traits import ConstructionTraits, MatchNames, ModuleTraits, QuestionTraits, TextTraits, Traits


class JavaScript(Language):
    """ECMAScript with the modules of Node and of bundlers; TypeScript adds types, which hold nothing at run time."""

    name = names.JAVASCRIPT
    syntaxes = (
        Syntax(
            name=names.JAVASCRIPT,
            front_end="pyrograph.parsers.javascript.syntax:JavaScript",
            grammar="tree-sitter-javascript",
            suffixes=(".js", ".jsx", ".mjs", ".cjs"),
            interpreters=("node", "nodejs"),
        ),
        Syntax(
            name=names.TYPESCRIPT,
            front_end="pyrograph.parsers.javascript.syntax:TypeScript",
            grammar="tree-sitter-typescript",
            suffixes=(".ts", ".mts", ".cts"),
            interpreters=("deno", "bun"),
        ),
        Syntax(
            name=names.TSX,
            front_end="pyrograph.parsers.javascript.syntax:Tsx",
            grammar="tree-sitter-typescript",
            suffixes=(".tsx",),
        ),
        Syntax(
            name=names.SCRIPTS_OF_PAGES,
            front_end="pyrograph.parsers.javascript.syntax:JavaScript",
            grammar="tree-sitter-javascript",
            within=Within(suffixes=PAGES, tags=True, imported=False, typed="typescript", typed_markup="tsx"),
        ),
        Syntax(
            name=names.SCRIPTS_OF_COMPONENTS,
            front_end="pyrograph.parsers.javascript.syntax:JavaScript",
            grammar="tree-sitter-javascript",
            within=Within(suffixes=COMPONENTS, tags=False, imported=True, typed="typescript", typed_markup="tsx"),
        ),
    )
    traits = Traits(
        texts=TextTraits(
            keeping_beginning=frozenset(
                {"replace", "replaceAll", "slice", "substr", "substring", "toLowerCase", "trimEnd"}
            ),
            ends_of_path=frozenset({"basename", "extname"}),
            last_parts={"parse": frozenset({"base", "ext", "name"})},
            parts_of_text=frozenset(
                {
                    "at",
                    "basename",
                    "charAt",
                    "dirname",
                    "extname",
                    "get",
                    "pop",
                    "shift",
                    "slice",
                    "substr",
                    "substring",
                }
            ),
            lengths=frozenset({"length", "size"}),
            types=frozenset({"string"}),
            other_types=r"object|number|boolean|function|undefined|bigint|symbol",
        ),
        questions=QuestionTraits(
            tests={
                "startsWith": "prefix",
                "endsWith": "suffix",
                "includes": "contains",
                "has": "contains",
                "get": "lookup",
                "match": "match",
                "search": "match",
                "test": "match",
                "exec": "match",
                "timingSafeEqual": "equal",
            },
            given_patterns=frozenset({"match", "search"}),
            positions=frozenset({"indexOf", "lastIndexOf"}),
            first_positions=frozenset({"indexOf"}),
            pattern_positions=frozenset({"search"}),
            quantifiers=dict.fromkeys(
                ("some", "every", "any", "all", "find", "findLast", "findIndex", "findLastIndex"), 0
            ),
            universal=frozenset({"every", "all"}),
        ),
        modules=ModuleTraits(
            module_object="module.exports",
            default_export="default",
            main_files=frozenset({"index"}),
            global_objects=frozenset({"globalThis", "window", "self", "global"}),
            calls_follow_imports=True,
            tools_add_imports=True,
        ),
        failures_stay_in_results=True,
        absent_members_raise=True,
        optional_member="?.",
        left_out_is_nothing=True,
        promise_methods=frozenset({"then", "catch", "finally"}),
        prototypes=True,
        number_members=frozenset({"length"}),
        part_reads=frozenset({"get", "getAll"}),
        class_name=("constructor", "name"),
        construction=ConstructionTraits(
            constructors=("constructor",),
            text_methods=frozenset({"toString"}),
        ),
    )
    editing = "pyrograph.parsers.javascript.editing:EDITING"
    pattern_dialect = "ecmascript"
    match_names = MatchNames(matches=("match", "exec"), of_texts=("match",), groups="groups")
    manifests = MANIFESTS
    library_folders = ("node_modules",)
    test_patterns = ("*.test.*", "*.spec.*")
    declaration_suffixes = dict.fromkeys((".d.ts", ".d.mts", ".d.cts"), "TypeScript declaration files")

    def reason_in_name(self, name: str) -> str:
        if name.endswith((".min.js", ".min.mjs", ".min.cjs")):
            return MINIFIED
        return GENERATED if name.endswith(("_pb.js", "_pb.ts", ".g.ts")) else ""

    def reason_in_head(self, syntax: str, head: bytes) -> str:
        from pyrograph.parsers.javascript.files import reason_in_head

        return reason_in_head(syntax, head)

    compiled_suffixes: Mapping[str, tuple[str, ...]] = {
        ".js": (".ts", ".tsx"),
        ".jsx": (".tsx",),
        ".mjs": (".mts",),
        ".cjs": (".cts",),
    }

    def is_compiled(self, text: bytes, source: bytes) -> bool:
        from pyrograph.parsers.javascript.files import is_compiled

        return is_compiled(text, source)

    def modules(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> ModuleNames:
        from pyrograph.parsers.javascript.modules import JavaScriptModules

        return JavaScriptModules(files, manifests)

    def library_path(self, module: str) -> tuple[str, ...]:
        """`node:fs` is `fs`."""
        return (module.removeprefix("node:"),)

    def library_roots(self, module: str) -> Iterable[str]:
        module = module.removeprefix("node:")
        return module, module.partition(".")[0]

    def is_installed(self, module: str) -> bool:
        """The name of a package, with or without a scope. What has another form is a file (`./a`), an alias of the
        program (`@/a`, `~/a`, `#a`, `$a`) or comes with what runs it (`node:fs`, `bun:sqlite`, `virtual:a`).
        """
        from pyrograph.parsers.javascript.modules import PACKAGE_NAME, RUNTIME_MODULES

        found = PACKAGE_NAME.match(module)
        return found is not None and found[1] not in RUNTIME_MODULES

    def package_of_import(self, module: str) -> str:
        """`@scope/name/sub` is a file of `@scope/name`."""
        return "/".join(module.split("/")[: 2 if module.startswith("@") else 1])

    def is_library(self, directory: Path) -> bool:
        return (directory / "package.json").is_file() or any(directory.glob("*.[jt]s"))

    def library_at(self, directory: Path, package: str | None) -> LibrarySource | None:
        from pyrograph.parsers.javascript.installed import source_at

        return source_at(directory, package)

    def installed(self, package: str, place: Path) -> LibrarySource | None:
        from pyrograph.parsers.javascript.installed import installed

        return installed(package, place)

    def is_offered(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """The files that the nearest package.json offers under its name; every file where none of them offers one."""
        from pyrograph.parsers.javascript.modules import JavaScriptModules

        assert isinstance(modules, JavaScriptModules)
        if is_page(file.path):
            return False
        offered = modules.offered_files()
        directory = posixpath.dirname(file.path)
        while directory not in offered:
            if not directory:
                return True
            directory = posixpath.dirname(directory)
        return file.number in offered[directory]

    def is_published(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """The nearest package.json that names a package lets other programs install it."""
        from pyrograph.parsers.javascript.modules import JavaScriptModules

        assert isinstance(modules, JavaScriptModules)
        root = modules.roots.get(modules.folder_of_package(posixpath.dirname(file.path)))
        return root is not None and root.published

    def offered(self, exports: Iterable[Export]) -> Iterator[Export]:
        """Names that a statement or an assignment exports; the module's own object, and whole others, have none."""
        for name, value in exports:
            if name in (self.traits.modules.module_object, self.traits.modules.default_export, "*"):
                yield "", value
            elif name.startswith(EXPORTED):
                yield name.removeprefix(EXPORTED), value

    def is_public(self, name: str) -> bool:
        return not name.startswith(("_", "#"))


LANGUAGE = JavaScript()
