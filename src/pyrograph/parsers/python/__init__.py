"""Python: what the analysis asks of the language. The front end is ``syntax``."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pyrograph.model import languages as names
from pyrograph.parsers.language import GENERATED, Export, Language, ModuleFile, ModuleNames, Syntax
from pyrograph.parsers.library import LibrarySource
from pyrograph.parsers.traits import (
    BEYOND,
    DIGITS,
    LETTERS,
    UNDERSCORE,
    ConstructionTraits,
    DispatchTraits,
    MatchNames,
    ModuleTraits,
    QuestionTraits,
    TextTraits,
    Traits,
)


class Python(Language):
    """Python 2 and 3."""

    name = names.PYTHON
    manifests = ("requirements.txt", "pyproject.toml", "Pipfile")
    syntaxes = (
        Syntax(
            name=names.PYTHON,
            front_end="pyrograph.parsers.python.syntax:Python",
            grammar="tree-sitter-python",
            suffixes=(".py", ".pyw"),
            interpreters=("python",),
        ),
    )
    traits = Traits(
        texts=TextTraits(
            length_function="len",
            show_contents=True,
            conversions=frozenset({"decode", "encode"}),
            parts_of_text=frozenset({"basename", "dirname", "get", "group", "max", "min", "next", "pop"}),
            ends_of_path=frozenset({"basename", "name", "stem", "suffix", "suffixes"}),
            last_parts={
                "splitext": frozenset({"1"}),
                "rpartition": frozenset({"2"}),
                "rsplit": frozenset({"1"}),
            },
            formats={"format": "{", "": "%"},
            holes={"format": r"\{\{|\}\}|\{(?P<of>[^{}.\[!:]*)[^{}]*\}"},
            left_operators=("__add__", "__mod__"),
            right_operators=("__radd__",),
            lengths=frozenset({"len"}),
            other_types=r"dict|list|tuple|set|frozenset|int|float|bool|complex",
        ),
        questions=QuestionTraits(
            of_type=frozenset({"isinstance"}),
            tests={
                "startswith": "prefix",
                "is_relative_to": "prefix",
                "relative_to": "prefix",
                "endswith": "suffix",
                "__contains__": "contains",
                "get": "lookup",
                "fullmatch": "match",
                "match": "match",
                "search": "match",
                "compare_digest": "equal",
            },
            containing=frozenset({"__contains__"}),
            whole_parts=frozenset({"is_relative_to", "relative_to"}),
            anchored={"fullmatch": "fullmatch", "match": "match"},
            positions=frozenset({"find", "rfind"}),
            first_positions=frozenset({"find"}),
            counts=frozenset({"count"}),
            quantifiers={"any": 0, "all": 0},
            universal=frozenset({"all"}),
            characters={
                **dict.fromkeys(("isalnum", "isidentifier"), (DIGITS, LETTERS[0], UNDERSCORE, LETTERS[1], *BEYOND)),
                **dict.fromkeys(("isalpha", "islower", "isupper"), (*LETTERS, *BEYOND)),
                **dict.fromkeys(("isdigit", "isdecimal", "isnumeric"), (DIGITS, *BEYOND)),
            },
        ),
        modules=ModuleTraits(
            submodules_are_members=True,
            libraries_are_vendored=True,
            star_imports_bind_names=True,
            main_files=frozenset({"__init__"}),
            packages_have_main_files=True,
        ),
        missing_keys_raise=True,
        empty_is_false=True,
        table_methods=frozenset({"get", "items", "setdefault", "values"}),
        keyed_reads=frozenset({"get"}),
        part_reads=frozenset({"get", "getlist", "pop"}),
        absent_members_raise=True,
        sure_calls=2,  # of 36 findings in 18 programs with more (rounds 1 to 9, bench/confidence.md) none is true
        construction=ConstructionTraits(
            allocators=("__new__",),
            constructors=("__init__",),
            finishers=("__post_init__", "__attrs_post_init__", "model_post_init"),
            text_methods=frozenset({"__str__"}),
            root_exceptions=frozenset({"Exception", "BaseException"}),
            call_methods=("__call__",),
            item_methods=("__getitem__",),
            numbered_records=("typing", "NamedTuple"),
            subclass_hooks=("__init_subclass__",),
            subclass_lists=("__subclasses__",),
        ),
        dispatch=DispatchTraits(
            receiver_is_first_parameter=True,
            methods_are_bound=True,
            receiver_is_instance=True,
            functions_bind_late=True,
        ),
    )
    editing = "pyrograph.parsers.python.editing:EDITING"
    pattern_dialect = "re"
    match_names = MatchNames(
        matches=("match", "fullmatch", "search"), listed=("findall",), group="group", groups="groups"
    )
    library_folders = (".venv", "venv", "env")
    test_patterns = ("test_*.py", "*_test.py", "conftest.py")

    def is_source_name(self, name: str) -> bool:
        return name == "__init__.py"

    def reason_in_name(self, name: str) -> str:
        return GENERATED if name.endswith(("_pb2.py", "_pb2.pyw", "_pb2_grpc.py", "_pb2_grpc.pyw")) else ""

    def declared_encoding(self, text: bytes) -> tuple[str, int] | None:
        from pyrograph.parsers.python.encoding import declared_encoding

        return declared_encoding(text)

    def modules(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> ModuleNames:
        from pyrograph.parsers.python.modules import PythonModules

        return PythonModules(files, manifests)

    def library_path(self, module: str) -> tuple[str, ...]:
        """Modules below a package are its members."""
        return tuple(module.split("."))

    def library_roots(self, module: str) -> Iterable[str]:
        return module, module.partition(".")[0]

    def is_standard(self, root: str) -> bool:
        return root in sys.stdlib_module_names

    def package_of_import(self, module: str) -> str:
        """The outermost package."""
        return module.partition(".")[0]

    def is_package(self, directory: Path) -> bool:
        return (directory / "__init__.py").is_file()

    def is_library(self, directory: Path) -> bool:
        return any((directory / name).is_file() for name in ("pyproject.toml", "setup.py", "__init__.py")) or any(
            directory.glob("*.py")
        )

    def library_at(self, directory: Path, package: str | None) -> LibrarySource | None:
        from pyrograph.parsers.python.installed import source_at

        return source_at(directory, package)

    def installed(self, package: str, place: Path) -> LibrarySource | None:
        from pyrograph.parsers.python.installed import installed

        return installed(package, place)

    def module_api(self, source: LibrarySource, path: str) -> str:
        from pyrograph.parsers.python.installed import module_api

        return module_api(source, path)

    def is_offered(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """A module whose path has no part that begins with an underscore."""
        return not any(part.startswith("_") and part != "__init__.py" for part in file.path.split("/"))

    def offered(self, exports: Iterable[Export]) -> Iterator[Export]:
        return ((name, value) for name, value in exports if not name.startswith("_"))

    def is_public(self, name: str) -> bool:
        return not name.startswith("_") or name in ("__init__", "__call__")


LANGUAGE = Python()
