"""The signature of a language: every decision of the scanner that differs by language.

The analysis is written once and asks a ``Language`` wherever languages differ. It never compares a language's name. A
language is one package below ``parsers`` that offers a ``LANGUAGE``, an object of a class that extends ``Language``:

* **traits** (``Traits``, in ``traits``): facts that the analysis asks once a value or once an edge. They are plain
  data, so that compiled code looks them up in a list by file;
* **methods**: decisions that are asked once a file, a module or a name;
* **syntaxes** (``Syntax``): the front ends, by name. They are imported when the first file is lowered; importing a
  signature loads no grammar.

Each default is what a language without the feature answers: the smallest language states its name, its syntax and
nothing else (docs/adding-a-language.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pyrograph.model.languages import LanguageName, rule_syntax_of
from pyrograph.model.problem import Problem
from pyrograph.parsers.library import LibrarySource, quoted
from pyrograph.parsers.traits import MatchNames, Traits

# Why a file is left out by what it holds, worded so that "3 <reason>" reads well.
MINIFIED = "minified files"
GENERATED = "generated files"
COPIES = "copies of released libraries"
COMPILED = "files compiled from files beside them"
OTHER_KIND = "files that are not what their suffix says"

Export = tuple[str, int]  # an exported name and its value


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """Files that are no code, in which scripts stand (``parsers.pages``)."""

    suffixes: tuple[str, ...]  # lower case, with the dot
    tags: bool  # tags of templates may stand in the scripts
    imported: bool  # other files import them; else each is a program of its own
    typed: str = ""  # the id of the syntax of scripts with types; "": they are read as all others
    typed_markup: str = ""  # the same where elements of markup stand in them


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """One way to write a language: a front end, and how its files are recognised."""

    name: LanguageName  # also of the files in configurations and reports
    front_end: str  # "module:class" of a ``parsers.frontend.FrontEnd``; the module is imported when it is needed
    grammar: str = ""  # the distribution of its tree-sitter grammar, whose files are part of the cache's key; "": none
    suffixes: tuple[str, ...] = ()  # of its files, lower case, with the dot
    within: Within | None = None  # the files around it, where it stands in scripts of others
    interpreters: tuple[str, ...] = ()  # that "#!" lines of executable files without a suffix name, without versions


class FieldType(NamedTuple):
    """What a field is declared to be, or the elements of the list that it is."""

    number: bool  # no text can lie in it
    module: str  # of its type, as an import names it; "" for the same module
    name: str  # of its type, or ""


class DeclaredType(NamedTuple):
    """A type as a generated file declares it."""

    number: bool  # its values are numbers
    fields: Mapping[str, FieldType]


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """One file of the program, as module resolution and exports see it."""

    number: int  # in the program
    path: str  # relative to the scan root, "/" separated
    package: str  # the name that its package clause says, or ""


class ModuleNames:
    """Which modules of the program the names of imports mean. This one knows none: every import is a library.

    A module of the program is named by a path, of a file or of a directory; the language decides which.
    """

    def __init__(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> None:
        """``files``: those of the language, in the program's order; ``manifests``: the tree's by path."""
        self.problems: list[Problem] = []

    def resolve(self, directory: str, module: str, level: int) -> str | None:
        """The program's module that ``module`` names in the files of ``directory``, or None: it is a library.

        ``level``: how many directories up a relative import begins, from 1; 0 is an absolute one.
        """
        return None

    def elsewhere(self, directory: str, module: str) -> str | None:
        """The program's module that ``module``, an absolute name that ``resolve`` does not find, most likely names in
        the files of ``directory``: the search path of a program may be set when it runs.
        """
        return None

    def members(self, module: str) -> Sequence[int]:
        """The numbers of the files whose top-level names are the module's."""
        return ()

    def folder(self, directory: str, module: str, folders: Collection[str]) -> str | None:
        """The one of ``folders``, with or without files of the program, that ``module`` names in ``directory``."""
        return None

    def submodule(self, module: str, name: str) -> str | None:
        """The module ``name`` below ``module``, where the language has ``ModuleTraits.submodules_are_members``."""
        return None

    def package_of(self, module: str) -> str:
        """The name under which an import without a name of its own binds the module, or ""."""
        return ""

    def folder_of_package(self, directory: str) -> str:
        """The nearest folder, from ``directory`` on, with a manifest of a package; "" if there is none."""
        return ""

    def requirements(self, library: str) -> Sequence[str]:
        """The versions of a library that manifests of the tree demand, as each writes them."""
        return ()

    def is_worker(self, directory: str) -> bool:
        """Whether the files of ``directory`` run as a worker of a content network, as their configuration says: without
        files of an operator, and without a network that only its operator's machines reach.
        """
        return False


class Language:
    """One language. Subclasses set the attributes and override what their language decides otherwise."""

    name: LanguageName
    """Its id, its title, and how rules write its APIs."""

    syntaxes: tuple[Syntax, ...]
    """Its front ends. Files of all of them are one program: they import each other and share the rules."""

    traits: Traits = Traits()
    """Decisions that the analysis needs once for each value or edge."""

    pattern_dialect: str = ""
    """The dialect of its regular expressions, one of ``scanner.analysis.patterns.DIALECTS``; "": it is not known."""

    match_names: MatchNames = MatchNames()
    """How its standard library names matches of regular expressions, and what they captured."""

    manifests: tuple[str, ...] = ()
    """Names of the files that say what modules are called, or where they run; they are read in the directories of its
    files and above.
    """

    editing: str = ""
    """The "module:object" of its ``parsers.editing.Editing``; "": fixes are not proposed for it."""

    @property
    def builtins(self) -> str:
        """The root under which rules write what needs no import."""
        return rule_syntax_of(self.name.id).builtins

    # Files

    declaration_suffixes: Mapping[str, str] = {}
    """Ends of the names of files that declare what other files hold -> the reason in the report. They are left out,
    even if generated files are not."""

    def is_source_name(self, name: str) -> bool:
        """Whether a file of this name makes its directory a package of the program, even where the directory has the
        name of build output.
        """
        return False

    def reason_in_name(self, name: str) -> str:
        """Why a file's name says that a program wrote it, or ""."""
        return ""

    def reason_in_head(self, syntax: str, head: bytes) -> str:
        """Why a file's first bytes say that nobody wrote it, or "". Marks of generators are looked for by the scanner.

        ``syntax``: the id of the file's syntax; ``head``: the first 8 KiB.
        """
        return ""

    compiled_suffixes: Mapping[str, tuple[str, ...]] = {}
    """Suffixes of files that a compiler may write beside what it compiles -> the suffixes of that."""

    def is_compiled(self, text: bytes, source: bytes) -> bool:
        """Whether a file is what a compiler made of the one beside it that has one of ``compiled_suffixes``. Time
        linear in the texts.
        """
        return False

    def declared_encoding(self, text: bytes) -> tuple[str, int] | None:
        """The encoding that a file declares, and the line of the declaration from 1; None without one or for UTF-8."""
        return None

    def declared_types(self, text: bytes) -> Mapping[str, DeclaredType]:
        """The types that a generated file declares, where ``Traits.declared_types_hold``. Time linear in the text."""
        return {}

    def is_test_file(self, path: str) -> bool:
        """Whether a file is built for tests only: other files do not see its names."""
        return False

    def is_run_by_hand(self, source: bytes) -> bool:
        """Whether a file says that it belongs to no build: a tool that the developers start themselves."""
        return False

    # Modules

    def modules(self, files: Sequence[ModuleFile], manifests: Mapping[str, bytes]) -> ModuleNames:
        """Module resolution over the files of the language."""
        return ModuleNames(files, manifests)

    def library_path(self, module: str) -> tuple[str, ...]:
        """The root, and the members below it, under which rules write what an import of ``module`` gives."""
        return (module,)

    def library_roots(self, module: str) -> Iterable[str]:
        """Roots of rules that may describe an imported ``module``, to choose the packs that a program needs."""
        return (module,)

    def is_standard(self, root: str) -> bool:
        """Whether ``root`` is the name of a module of the standard library, where libraries are vendored."""
        return False

    def is_installed(self, module: str) -> bool:
        """Whether an absolute import of ``module``, which the program does not have, names an installed library: no
        part of the language, or of what runs it, and no file of the program that is made or named otherwise.
        """
        return not self.is_standard(self.library_path(module)[0])

    def package_of_import(self, module: str) -> str:
        """The name under which the library is installed that an import of ``module`` loads."""
        return module

    def forked(self, module: str) -> str:
        """The last part of a module's path, where a fork of a library keeps it under another owner; else ""."""
        return ""

    # Libraries whose source is at hand

    library_folders: tuple[str, ...] = ()
    """Names of the directories in a program's tree that hold installed libraries."""

    test_patterns: tuple[str, ...] = ()
    """Names of files that hold a library's tests, as gitignore patterns."""

    def is_package(self, directory: Path) -> bool:
        """Whether imports name a directory as a part of the one above it, so that a program begins there."""
        return False

    def is_library(self, directory: Path) -> bool:
        """Whether a directory holds a library of this language, by its manifest or its files."""
        return False

    def library_at(self, directory: Path, package: str | None) -> LibrarySource | None:
        """The library in a directory (absolute), which programs import as ``package``; None if that must be stated."""
        return None

    def installed(self, package: str, place: Path) -> LibrarySource | None:
        """The library that an import of ``package`` loads, if it is installed in ``place`` (absolute): the directory of
        a program, or one that holds installed libraries.
        """
        return None

    def module_api(self, source: LibrarySource, path: str) -> str:
        """The root of the APIs, as rules write it, of what a file of a library exports."""
        return quoted(source.package)

    # What is public

    def is_offered(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """Whether code outside the program may import a file, which is no test, example or tool."""
        return True

    def is_published(self, file: ModuleFile, modules: ModuleNames) -> bool:
        """Whether a file belongs to a package that its manifest gives to a registry: other programs install it."""
        return False

    def offered(self, exports: Iterable[Export]) -> Iterator[Export]:
        """Those of a file's exports that code outside the program may name, with the names it uses."""
        return ((name, value) for name, value in exports if self.is_public(name))

    def is_public(self, name: str) -> bool:
        """Whether code outside the program may use a member of this name."""
        return True


def prefixes(path: str) -> list[str]:
    """The leading parts of a path, shortest first.

    >>> prefixes("a/b/c")
    ['a', 'a/b', 'a/b/c']
    """
    return [path[:at] for at, character in enumerate(path) if character == "/"] + [path]
