"""The languages by name: what reports call them, and how rules write their APIs.

This table stands in the lowest layer because ``report`` and ``rules`` know no front end. Everything else that differs
by language is in the language's package: see ``parsers.language``. A language that is not in ``NAMES`` is added by
``parsers.register``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSyntax:
    """How rules write the APIs of a language, and which of their constructs the language has."""

    builtins: str  # the root of APIs that need no import
    text: str = ""  # the type of texts below it, where a call of a method that an object lacks fails
    root: str  # regular expression of any other root: a module, a package, an import path
    suffix: str  # of the file under which an example is scanned
    decorators: bool = False  # `@api` names functions that are decorated with it
    keyword_arguments: bool = False  # `name=` names an argument
    scopes: bool = False  # a root may begin with "@scope/", which is no decorator
    import_paths: bool = False  # roots are paths: rules leave out their major versions, and match forks by their ends


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageName:
    """One language, or one of several syntaxes of a language: TypeScript is JavaScript with types."""

    id: str  # in rules, configurations and reports: lower case
    title: str  # as people write it
    rules: str | RuleSyntax  # its rules, or the id of the language whose rules hold for it

    @property
    def rule_id(self) -> str:
        """The id of the language whose rules hold."""
        return self.rules if isinstance(self.rules, str) else self.id


NAMES: Final[dict[str, LanguageName]] = {}  # by id; ``add`` fills it


def add(name: LanguageName) -> None:
    """Make a language known to rules and reports; one of the same id is replaced.

    Raises:
        ValueError: Its rules are those of a language that is not known.
    """
    if isinstance(name.rules, str) and name.rules not in NAMES:
        raise ValueError(f"{name.id}: the language {name.rules!r}, whose rules it shares, is not known; add that first")
    NAMES[name.id] = name


def title_of(language: str) -> str | None:
    """The language as people write it, or None where it is not known."""
    name = NAMES.get(language)
    return None if name is None else name.title


def rule_id_of(language: str) -> str:
    """The id of the language whose rules hold for files of ``language``; an unknown one has its own."""
    name = NAMES.get(language)
    return language if name is None else name.rule_id


def rule_languages() -> tuple[str, ...]:
    """The ids of the languages that have rules of their own, in the order in which they were added."""
    return tuple(id for id, name in NAMES.items() if isinstance(name.rules, RuleSyntax))


def rule_syntax_of(language: str) -> RuleSyntax:
    """How rules write the APIs of ``language``, one of ``rule_languages``.

    Raises:
        KeyError: The language is not known.
    """
    rules = NAMES[rule_id_of(language)].rules
    assert isinstance(rules, RuleSyntax)
    return rules


PYTHON: Final = LanguageName(
    id="python",
    title="Python",
    rules=RuleSyntax(
        builtins="builtins",
        text="str",
        root=r"[^\W\d]\w*",
        suffix=".py",
        decorators=True,
        keyword_arguments=True,
    ),
)
JAVASCRIPT: Final = LanguageName(
    id="javascript",
    title="JavaScript",
    rules=RuleSyntax(
        builtins="globalThis",
        text="String",
        root=r"(?:(?:node|bun|cloudflare):)?(?:@[\w.~-]+/)?(?:[\w.~$-]+/)*[\w~$-]+",
        suffix=".js",
        decorators=True,
        scopes=True,
    ),
)
TYPESCRIPT: Final = LanguageName(id="typescript", title="TypeScript", rules="javascript")
TSX: Final = LanguageName(id="tsx", title="TSX", rules="javascript")
SCRIPTS_OF_PAGES: Final = LanguageName(id="page-scripts", title="scripts of pages", rules="javascript")
SCRIPTS_OF_COMPONENTS: Final = LanguageName(id="component-scripts", title="scripts of components", rules="javascript")
GO: Final = LanguageName(
    id="go",
    title="Go",
    rules=RuleSyntax(
        builtins="builtin",
        root=r"(?:[\w.~-]+/)*[\w~-]+(?:\.v\d+(?!\w))?",  # a path may end in ".v2"
        suffix=".go",
        import_paths=True,
    ),
)
for _name in (PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, SCRIPTS_OF_PAGES, SCRIPTS_OF_COMPONENTS, GO):
    add(_name)
