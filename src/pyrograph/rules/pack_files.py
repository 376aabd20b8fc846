"""A rule file that is a pack: its entries, examples and proofs.

Each entry is read by ``grammar``. An API that is sink and sanitizer of one vulnerability, and the name of an unknown
vulnerability, are errors, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from pyrograph.model.languages import rule_languages, rule_syntax_of
from pyrograph.rules import grammar, grammar_fixes
from pyrograph.rules.document import ID, RuleFile, suggestion
from pyrograph.rules.entries import (
    CLEAN_FOR,
    Api,
    Example,
    Guard,
    Origin,
    Pack,
    Parameters,
    Proof,
    Remedy,
    Sanitizer,
    Sink,
)
from pyrograph.rules.errors import EntryError, RuleError
from pyrograph.rules.grammar_apis import api as grammar_api
from pyrograph.rules.kinds import ENGINES, KINDS
from pyrograph.rules.notations import NOTATIONS
from pyrograph.rules.reader import entries

E = TypeVar("E")
PACK_KEYS = (
    "library",
    "language",
    "replace",
    "inferred",
    "source",
    "sink",
    "sanitizer",
    "guard",
    "propagator",
    "template",
    "route",
    "type",
    "fix",
    "example",
    "proof",
)
PARAMETERS = "parameters"  # the key of [type] that is about parameters
TYPE_RELATIONS = {  # the other keys of [type] -> TypeFact.relation
    "returns": "returns",
    "members": "member",
    "extends": "extends",
    "alias": "alias",
    "builtin": "builtin",
    "clean": "clean",
    "never": "never",
    "rooted": "rooted",
    "described": "described",
    "site_paths": "site_paths",
    "addressed": "addressed",
    "csrf_protects": "csrf_protects",
    "csrf_covers": "csrf_covers",
    "escapes_all": "escapes_all",
    "reads_json": "reads_json",
    "reads_forms": "reads_forms",
    "bodies": "bodies",
    "prepares": "prepares",
    "separators": "separators",
    "parents": "parents",
    "joining": "joining",
    "quoted": "quoted",
    "asks": "asks",
    "channels": "channels",
    "errors": "errors",
    "related": "related",
    "records": "records",
    "sessions": "sessions",
    "closed": "closed",
    "validates": "validates",
    "converts": "converts",
    "enforces": "enforces",
    "typed": "typed",
    "operators": "operators",
    "accounts": "accounts",
    "bearers": "bearers",
    "registering": "registering",
    "exchanges": "exchanges",
    "signed": "signed",
    "lenient": "lenient",
    "admits": "admits",
    "choices": "choices",
    "formal": "formal",
    "either": "either",
    "elements": "elements",
    "declares": "declares",
    "files": "files",
    "declared_in": "declared_in",
    "modules": "modules",
    "checks": "checks",
    "uploads": "uploads",
    "folders": "folders",
    "sealed": "sealed",
    "requests": "requests",
    "answers": "answers",
    "encodes": "encodes",
    "decodes": "decodes",
    "unwraps": "unwraps",
    "setters": "setters",
    "supplied": "supplied",
}


def pack_of(file: RuleFile, name: str) -> Pack | None:
    file.known(file.content, PACK_KEYS)
    library = file.text(file.content, "library")
    language = file.text(file.content, "language")
    if not isinstance(file.content.get("replace", False), bool):
        file.wrong(("replace",), "'replace' is not a boolean", "write replace = true")
    if not ID.fullmatch(name.replace("_", "-").replace(".", "-").lower()):
        file.wrong(
            (), f"'{name}' is not a valid name of a pack", "name the file with letters, digits, '-', '_' and '.'"
        )
    if language not in rule_languages():
        if language:
            file.wrong(("language",), f"unknown language '{language}'", suggestion(language, rule_languages()))
        return None

    def all_of(
        role: str, keys: Collection[str] | None, read: Callable[[str, str, str, Origin], list[E]]
    ) -> tuple[E, ...]:
        """Every entry of a role; ``keys`` are those allowed, None for vulnerabilities, which are checked later."""
        table = file.table(role)
        found: list[E] = []
        for key in table:
            if keys is None or key in keys:
                found += file.entries((role, key), lambda text, origin, key=key: read(key, text, language, origin))  # type: ignore[misc]
        return tuple(found)

    file.known(file.table("source"), KINDS, "source")
    file.known(file.table("propagator"), ("flow",), "propagator")
    file.known(file.table("template"), ENGINES, "template")
    file.known(file.table("route"), NOTATIONS, "route")
    file.known(file.table("type"), (*TYPE_RELATIONS, PARAMETERS), "type")
    inferred = file.text(file.content, "inferred") if "inferred" in file.content else ""
    pack = Pack(
        name=f"{language}/{name}" + (" (inferred)" if inferred else ""),
        language=language,
        library=library,
        sources=all_of("source", KINDS, grammar.sources),
        sinks=all_of("sink", None, grammar.sinks),
        sanitizers=all_of("sanitizer", None, grammar.sanitizers),
        guards=all_of("guard", None, grammar.guards),
        propagators=all_of("propagator", ("flow",), lambda _, *rest: grammar.propagators(*rest)),
        types=all_of("type", TYPE_RELATIONS, lambda key, *rest: grammar.type_facts(TYPE_RELATIONS[key], *rest)),
        renderings=all_of("template", ENGINES, grammar.renderings),
        routes=all_of("route", NOTATIONS, grammar.routes),
        parameter_types=all_of("type", (PARAMETERS,), lambda _, *rest: grammar.parameter_types(*rest)),
        examples=_examples(file, language),
        inferred=inferred,
        proofs=_proofs(file, language),
        remedies=all_of("fix", None, grammar_fixes.remedies),
    )
    for sanitizer, sink in contradictions(pack.sinks, pack.sanitizers):
        key = ("sanitizer", sanitizer.vulnerability)
        trouble = f"'{sanitizer.origin.text}' is also a sink of {sink.vulnerability} (line {sink.origin.line})"
        file.wrong(key, trouble, "remove one of them, or add a condition to the sink", sanitizer.origin.line)
    return pack


def _proofs(file: RuleFile, language: str) -> tuple[Proof, ...]:
    found: list[Proof] = []
    for api, place in file.table("proof").items():
        if not isinstance(place, str) or not place:
            file.wrong(("proof", api), "no place in the library", 'write "api" = "file:line"')
            continue
        try:
            found += [Proof(each, place) for each in entries(api, language, grammar_api)]
        except EntryError as error:
            trouble = f"'{error.text}', column {error.column}: {error.trouble}"
            file.wrong(("proof", api), trouble, error.remedy)
    return tuple(found)


def contradictions(sinks: Iterable[Sink], sanitizers: Iterable[Sanitizer]) -> list[tuple[Sanitizer, Sink]]:
    """Sanitizers whose call is also a sink of the same vulnerability, both without a condition."""
    by_call: dict[tuple[str, Api | Parameters], Sink] = {}
    for sink in sinks:
        if not sink.conditions:
            by_call.setdefault((sink.vulnerability, sink.target), sink)
    found = []
    for sanitizer in sanitizers:
        call = sanitizer.api[:-1] if sanitizer.api[-1] == "()" else sanitizer.api
        other = by_call.get((sanitizer.vulnerability, call))
        if other is not None and other.assignment == sanitizer.assignment and not sanitizer.conditions:
            found.append((sanitizer, other))
    return found


def _examples(file: RuleFile, language: str) -> tuple[Example, ...]:
    tables = file.content.get("example", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        file.wrong(("example",), "'example' is not an array of tables", "write [[example]]")
        return ()
    found: list[Example] = []
    for index, table in enumerate(tables):
        path = ("example", str(index))
        file.known(table, ("name", "code", "file"), *path)
        name = file.text(table, "name", *path)
        code = file.text(table, "code", *path)
        named = table.get("file", f"example{rule_syntax_of(language).suffix}")
        if not isinstance(named, str) or not named or not _is_inside(named):
            trouble = "'file' is not the name of a file below the folder that is scanned"
            file.wrong((*path, "file"), trouble, 'write file = "name.ts", or "app/name.ts"')
            named = f"example{rule_syntax_of(language).suffix}"
        if any(example.name == name for example in found):
            file.wrong((*path, "name"), f"two examples are called '{name}'", "give each example its own name")
        found.append(Example(name, code, named, Origin(file.file, file.lines.key(*path), name)))
    return tuple(found)


def _is_inside(path: str) -> bool:
    """Whether a relative path with forward slashes stays inside its folder."""
    return "\\" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def unknown_vulnerabilities(pack: Pack, known: Collection[str]) -> list[RuleError]:
    """One error for each name that a pack uses for a vulnerability and that is none, at its first entry."""
    errors: dict[tuple[str, str], RuleError] = {}
    roles: tuple[tuple[str, Sequence[Sink | Sanitizer | Guard | Remedy]], ...] = (
        ("sink", pack.sinks),
        ("sanitizer", pack.sanitizers),
        ("guard", pack.guards),
        ("fix", pack.remedies),
    )
    for role, found in roles:
        right = {name for name in known if "." not in name} if role in ("sink", "fix") else {*known, *CLEAN_FOR}
        for name in {entry.vulnerability for entry in found} - set(right):
            first = next(entry for entry in found if entry.vulnerability == name)
            remedy = suggestion(name, right)
            if name in CLEAN_FOR:
                remedy = f"name the vulnerability: '{name}' is allowed for sanitizers and guards only"
            trouble = f"unknown vulnerability '{name}'"
            errors[role, name] = RuleError(first.origin.file, first.origin.line, f"{role}.{name}", trouble, remedy)
    return sorted(errors.values(), key=lambda error: error.line)
