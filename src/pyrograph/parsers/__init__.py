"""Languages: one package each behind one signature (``parsers.language``), and front ends that turn files into units.

``language_of`` and ``syntaxes`` find what a language decides, ``lower`` turns a file's text into a unit. A front end
and its grammar are imported when a file of its language is met, never before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyrograph.model import languages as names
from pyrograph.parsers.language import Language, Syntax

if TYPE_CHECKING:
    from pyrograph.ir.unit import Unit
    from pyrograph.parsers.frontend import FrontEnd

# Packages with a ``LANGUAGE``; their order is that of suffixes and rules in messages.
PACKAGES: Final = ("pyrograph.parsers.python", "pyrograph.parsers.javascript", "pyrograph.parsers.go")


class Registry:
    """The languages that are known, and where their files' suffixes lead."""

    def __init__(self) -> None:
        self.languages: dict[str, Language] = {}  # by id
        self.syntaxes: dict[str, Syntax] = {}  # by id
        self.of_syntax: dict[str, Language] = {}  # by the id of a syntax
        self.suffixes: dict[str, str] = {}  # suffix -> id of the syntax
        self.pages: dict[str, str] = {}  # suffix of files that may hold scripts -> id of the scripts' syntax
        self.interpreters: dict[str, str] = {}  # interpreter -> id of the syntax
        self.from_outside = False  # whether languages were registered besides ``PACKAGES``

    def add(self, language: Language) -> None:
        """Make a language known; one of the same id is replaced."""
        self.languages[language.name.id] = language
        for syntax in language.syntaxes:
            self.syntaxes[syntax.name.id] = syntax
            self.of_syntax[syntax.name.id] = language
            self.suffixes.update(dict.fromkeys(syntax.suffixes, syntax.name.id))
            if syntax.within is not None:
                self.pages.update(dict.fromkeys(syntax.within.suffixes, syntax.name.id))
            self.interpreters.update(dict.fromkeys(syntax.interpreters, syntax.name.id))


@cache
def _registry() -> Registry:
    found = Registry()
    for package in PACKAGES:
        found.add(import_module(package).LANGUAGE)
    return found


def register(language: Language) -> None:
    """Make a language known to every stage: discovery, rules, analysis and reports.

    For languages outside this package, before the first scan; a process that is spawned rather than forked has to
    register them again.

    Raises:
        ValueError: One of its syntaxes shares the rules of a language that is not known.
    """
    for name in dict.fromkeys((language.name, *(syntax.name for syntax in language.syntaxes))):
        names.add(name)
    _registry().add(language)
    _registry().from_outside = True
    front_end.cache_clear()
    identity.cache_clear()


def has_languages_from_outside() -> bool:
    """Whether anything was registered: then no digest of this package and its grammars says what a scan does."""
    return _registry().from_outside


def languages() -> Mapping[str, Language]:
    """All languages by id."""
    return _registry().languages


def language_of(name: str) -> Language:
    """The language of this id, or the one that has a syntax of this id.

    Raises:
        LookupError: There is none.
    """
    registry = _registry()
    found = registry.languages.get(name) or registry.of_syntax.get(name)
    if found is None:
        raise LookupError(f"unknown language {name!r}; known are {', '.join(registry.syntaxes)}; see parsers.register")
    return found


def syntaxes() -> Mapping[str, Syntax]:
    """All syntaxes by id: what ``lower`` takes."""
    return _registry().syntaxes


def suffixes() -> Mapping[str, str]:
    """Suffixes of files, lower case and with the dot -> id of the syntax."""
    return _registry().suffixes


def page_suffixes() -> Mapping[str, str]:
    """Suffixes of files that may hold scripts, lower case and with the dot -> id of the scripts' syntax."""
    return _registry().pages


def interpreters() -> Mapping[str, str]:
    """Interpreters that "#!" lines name, without versions -> id of the syntax."""
    return _registry().interpreters


def manifests() -> list[str]:
    """Names of the files that say what modules are called, of all languages, sorted."""
    return sorted({name for each in languages().values() for name in each.manifests})


# The modules of ``policy.limits`` on which lowering depends.
LIMITS = ("languages", "lowering", "parsing")


@cache
def front_end(syntax: str) -> type[FrontEnd]:
    """The front end's class for the id of a syntax."""
    module, name = syntaxes()[syntax].front_end.split(":")
    found: type[FrontEnd] = getattr(import_module(module), name)
    return found


@cache
def identity(syntax: str) -> bytes:
    """A digest of everything that decides what a file of this syntax lowers to: our code and the installed grammar.

    Units are cached under it, so that a changed front end never meets units of an older one.
    """
    digest = hashlib.blake2b(syntax.encode(), digest_size=16)
    for file in sources(syntax):
        digest.update(hashlib.blake2b(file.read_bytes()).digest())
    digest.update(grammar(syntax))
    return digest.digest()


def grammar(syntax: str) -> bytes:
    """A digest of the installed tree-sitter and grammar of a syntax."""
    within = syntaxes()[syntax].within
    typed = syntaxes().get(within.typed) if within is not None else None
    others = b"" if typed is None else _installed(typed.grammar)
    return _installed("tree-sitter") + _installed(syntaxes()[syntax].grammar) + others


@cache
def _installed(distribution: str) -> bytes:
    """A digest of a package's own files, by content: times differ in a cache that another machine filled.

    To read the files takes a millisecond for each megabyte; to read the version takes 20, and says less.
    """
    digest = hashlib.blake2b(distribution.encode(), digest_size=16)
    found = find_spec(distribution.replace("-", "_"))
    for place in (found.submodule_search_locations or ()) if found is not None else ():
        for file in sorted(path for path in Path(place).iterdir() if path.is_file()):
            data = file.read_bytes()
            digest.update(f"{file.name} {len(data)}\n".encode())
            digest.update(data)
    return digest.digest()


def sources(syntax: str) -> list[Path]:
    """The files of ours that decide what a file of this syntax lowers to, in a fixed order.

    Of the language's package only the front end counts, the module or package that ``Syntax.front_end`` names: what a
    signature decides is asked after lowering.
    """
    here = Path(__file__).parent
    shared = [file for folder in (here, here / "builder") for file in sorted(folder.glob("*.py"))]
    signature = tuple(here / name for name in ("__init__.py", "language.py", "traits.py"))
    found = find_spec(syntaxes()[syntax].front_end.partition(":")[0])
    own: list[Path] = []
    if found is not None and found.submodule_search_locations:
        own = [file for folder in found.submodule_search_locations for file in sorted(Path(folder).glob("*.py"))]
    elif found is not None and found.origin is not None:
        own = [Path(found.origin)]
    tables = [here.parent / "ir" / name for name in ("codes.py", "packed.py", "schema.py", "stored.py", "unit.py")]
    tables += [here.parent / "policy" / "limits" / f"{name}.py" for name in LIMITS]
    tables += [here.parent / "policy" / name for name in ("late.py", "names/functions.py")]
    within = syntaxes()[syntax].within
    if within is not None:
        own += sorted((here / "pages").glob("*.py"))
        own += [here.parent / "policy" / f"{name}.py" for name in ("limits/files", "limits/templates", "names/markup")]
    return [*tables, *(file for file in shared if file not in signature), *own]


def lower(source: bytes, syntax: str) -> Unit:
    """Lower one file's text (UTF-8). Pure; knows no rule and no other file; never raises on bad input.

    ``syntax``: one of ``syntaxes``.
    """
    source, syntax = code(source, syntax)
    return front_end(syntax)().lower(source)


def code(source: bytes, syntax: str) -> tuple[bytes, str]:
    """The code in a file's text, at its places, and the id of the syntax that it is in: where scripts stand in a page,
    all else is blanks. Of other files it is the text itself.
    """
    within = syntaxes()[syntax].within
    if within is None:
        return source, syntax
    from pyrograph.parsers.pages import code_of

    found = code_of(source, tags=within.tags, shown=within.imported)
    other = within.typed_markup if found.markup else within.typed
    return found.text, other if found.typed and other else syntax
