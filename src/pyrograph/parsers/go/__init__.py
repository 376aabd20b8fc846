"""Go: what the analysis asks of the language. The front end is ``syntax``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pyrograph.model import languages as names
from pyrograph.parsers.language import GENERATED, DeclaredType, Language, ModuleFile, ModuleNames, Syntax
from pyrograph.parsers.library import LibrarySource
from pyrograph.parsers.traits import (
    BEYOND,
    DIGITS,
    LETTERS,
    DispatchTraits,
    MatchNames,
    ModuleTraits,
    QuestionTraits,
    TextTraits,
    Traits,
)

RUN_BY_HAND = re.compile(rb"(?m)^//(?:go:build| ?\+build)[ \t]+ignore[ \t\r]*$")
PACKAGE_CLAUSE = re.compile(rb"(?m)^package ")


class Go(Language):
    """Go with modules, or in a workspace."""

    name = names.GO
    syntaxes = (
        Syntax(
            name=names.GO,
            front_end="pyrograph.parsers.go.syntax:Go",
            grammar="tree-sitter-go",
            suffixes=(".go",),
        ),
    )
    editing = "pyrograph.parsers.go.editing:EDITING"
    pattern_dialect = "re2"
    match_names = MatchNames(
        matches=("FindStringSubmatch", "FindSubmatch"),
        matched=("FindString", "Find"),
        listed=("FindAllString", "FindAll"),
    )
    traits = Traits(
        texts=TextTraits(
            parts_of_text=frozenset({"Base", "Dir", "Ext", "Find", "FindString", "Get", "VolumeName"}),
            ends_of_path=frozenset({"Base", "Ext"}),
            length_function="len",
            characters_are_numbers=True,
            texts_are_indexed=True,
            lengths=frozenset({"len", "RuneCount", "RuneCountInString"}),
            other_types=r"(?:\[\](?!byte|uint8)|map\[|\*|func\().*|bool|u?int\d*|float\d+|error",
        ),
        questions=QuestionTraits(
            tests={
                "HasPrefix": "prefix",
                "HasSuffix": "suffix",
                "Contains": "contains",
                "ContainsRune": "contains",
                "MatchString": "match",
                "Match": "match",
            },
            positions=frozenset({"Index", "LastIndex"}),
            counts=frozenset({"Count"}),
            quantifiers={"ContainsFunc": 1, "IndexFunc": 1},
            characters={
                **dict.fromkeys(("IsLetter", "IsLower", "IsUpper"), (*LETTERS, *BEYOND)),
                **dict.fromkeys(("IsDigit", "IsNumber"), (DIGITS, *BEYOND)),
            },
            of_characters=frozenset({"ContainsRune"}),
        ),
        modules=ModuleTraits(
            directory_is_module=True,
            star_imports_bind_names=True,
            exported_by_case=True,
            decoding_methods=frozenset(
                {"UnmarshalBinary", "UnmarshalJSON", "UnmarshalText", "UnmarshalXML", "UnmarshalYAML"}
            ),
        ),
        entry_functions=frozenset({"main", "init"}),
        program_packages=frozenset({"main"}),
        open_objects=False,
        part_reads=frozenset({"Get"}),
        sent_names=r"""(?m)^[ \t]*(?P<name>[A-Z]\w*)[ \t][^`\n]*`[^`\n]*\bjson:"(?P<sent>[^",]+)""",
        library_types_are_foreign=True,
        filled_objects_are_own=True,
        multiple_results=True,
        declared_types_hold=True,
        dispatch=DispatchTraits(
            receiver_is_first_parameter=True,
            receiver_is_instance=True,
            literals_have_methods=True,
            methods_are_bound=True,
            methods_keep_names=True,
            bases_are_parts=True,
            interfaces_before_names=True,
            accessors=frozenset({"Recv"}),
            accessor_prefix="Get",  # protoc and others generate them; by hand they are named after the field alone
            exact_arity=True,
        ),
    )
    manifests = ("go.mod",)
    library_folders = ("vendor",)
    test_patterns = ("*_test.go",)

    def is_source_name(self, name: str) -> bool:
        """`go/build` is a package."""
        return name.endswith(".go")

    def reason_in_name(self, name: str) -> str:
        return GENERATED if name.endswith((".pb.go", ".pb.gw.go")) else ""

    def declared_types(self, text: bytes) -> Mapping[str, DeclaredType]:
        from pyrograph.parsers.go.declarations import declared_types

        return declared_types(text)

    def is_test_file(self, path: str) -> bool:
        return path.endswith("_test.go")

    def is_run_by_hand(self, source: bytes) -> bool:
        """`//go:build ignore` before the package clause: `go run tool.go`."""
        clause = PACKAGE_CLAUSE.search(source)
        return clause is not None and RUN_BY_HAND.search(source, 0, clause.start()) is not None

    def modules(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> ModuleNames:
        from pyrograph.parsers.go.modules import GoModules

        return GoModules(files, manifests)

    def library_path(self, module: str) -> tuple[str, ...]:
        """Rules leave out major versions: `example.org/a/v2/b` is `example.org/a/b`."""
        return (_without_versions(module),)

    def library_roots(self, module: str) -> Iterable[str]:
        return module, module.partition(".")[0], _without_versions(module)

    def is_installed(self, module: str) -> bool:
        """The path of a module begins with a host; that of a package of the language has no dot there."""
        return "." in module.partition("/")[0]

    def forked(self, module: str) -> str:
        """The repository's name in a path of host, owner and repository.

        >>> LANGUAGE.forked("github.com/gorilla/mux"), LANGUAGE.forked("net/http"), LANGUAGE.forked("github.com/a/b/c")
        ('mux', '', '')
        """
        parts = module.split("/")
        return parts[2] if len(parts) == 3 and "." in parts[0] else ""

    def is_library(self, directory: Path) -> bool:
        return (directory / "go.mod").is_file() or any(directory.glob("*.go"))

    def library_at(self, directory: Path, package: str | None) -> LibrarySource | None:
        from pyrograph.parsers.go.installed import source_at

        return source_at(directory, package)

    def installed(self, package: str, place: Path) -> LibrarySource | None:
        from pyrograph.parsers.go.installed import installed

        return installed(package, place)

    def module_api(self, source: LibrarySource, path: str) -> str:
        from pyrograph.parsers.go.installed import module_api

        return module_api(source, path)

    def is_offered(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """A package that another one may import."""
        return file.package != "main" and "internal" not in file.path.split("/")

    def is_public(self, name: str) -> bool:
        return name[:1].isupper()


def _without_versions(module: str) -> str:
    """An import path without its major versions, which are no first part."""
    parts = module.split("/")
    return "/".join(part for at, part in enumerate(parts) if not (at and part[:1] == "v" and part[1:].isdigit()))


LANGUAGE = Go()
