"""One rule file: from TOML to a pack or a vulnerability.

Reading is strict. An unknown key, kind or vulnerability, an entry that does not follow the language, a blank at the end
of an entry, an API that is sink and sanitizer of one vulnerability: each is a ``RuleError`` with file, line, key,
trouble and remedy. ``parse`` collects all of a file's errors; ``load.py`` puts the files together.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_args

from pyrograph.model.languages import rule_languages, rule_syntax_of
from pyrograph.model.toml import DEEP_KEY
from pyrograph.model.vulnerability import PROFILES, SEVERITIES, UNUSUAL, Aspect, Precision, Vulnerability
from pyrograph.policy.limits.files import MAX_KEY_PARTS
from pyrograph.rules import grammar
from pyrograph.rules.entries import Api, Example, Guard, Origin, Pack, Parameters, Proof, Sanitizer, Sink
from pyrograph.rules.errors import EntryError, RuleError
from pyrograph.rules.grammar_apis import api as grammar_api
from pyrograph.rules.kinds import ENGINES, KIND_GROUPS, KINDS, POSTED, SCRIPTED
from pyrograph.rules.lines import Lines, scan
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
    "addressed": "addressed",
    "csrf_protects": "csrf_protects",
    "csrf_covers": "csrf_covers",
    "prepares": "prepares",
    "separators": "separators",
    "joining": "joining",
    "quoted": "quoted",
    "asks": "asks",
    "validates": "validates",
    "enforces": "enforces",
    "operators": "operators",
    "accounts": "accounts",
    "registering": "registering",
    "admits": "admits",
    "formal": "formal",
    "checks": "checks",
}
VULNERABILITY_KEYS = (
    *("aspect" if each.name == "aspects" else each.name for each in fields(Vulnerability) if each.name != "id"),
    "replace",
)
ASPECT_KEYS = tuple(each.name for each in fields(Aspect) if each.name != "name")
ASPECT = re.compile(r"[a-z]+\.[a-z]+")
SOURCE = re.compile(r"\S*[./#]\S*")
PRECISIONS: tuple[str, ...] = get_args(Precision)
ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one rule file says, and everything that is wrong with it."""

    pack: Pack | None  # None when the file is a vulnerability, or cannot be used at all
    vulnerability: Vulnerability | None
    replace: bool  # whether it takes the place of the built-in of the same name
    errors: tuple[RuleError, ...]  # by line


def parse(data: bytes, file: str, name: str) -> Parsed:
    """Read one rule file; never raises.

    Args:
        data: The file's bytes.
        file: How errors and origins call it.
        name: The file's name without suffix: the second half of a pack's name, the id of a vulnerability.
    """
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        if deep := DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start()) + 1
            trouble = f"a key of more than {MAX_KEY_PARTS} parts"
            return Parsed(None, None, False, (RuleError(file, line, "", trouble, "write shorter ones"),))
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Parsed(None, None, False, (RuleError(file, line, "", "the file is not UTF-8", "save it as UTF-8"),))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        trouble = f"not valid TOML: {error}"
        return Parsed(
            None, None, False, (RuleError(file, line, "", trouble, "see https://toml.io; entries stand in quotes"),)
        )
    except (RecursionError, ValueError):
        trouble = "arrays or tables nested too deeply, or a number of too many digits"
        return Parsed(None, None, False, (RuleError(file, 1, "", trouble, "write flatter or shorter ones"),))
    reader = _File(content, scan(text), file)
    pack = vulnerability = None
    if "cwe" in content or "severity" in content:
        vulnerability = _vulnerability(reader, name)
    else:
        pack = _pack(reader, name)
    errors = sorted(reader.errors, key=lambda error: error.line)
    return Parsed(pack, vulnerability, content.get("replace") is True, tuple(errors))


class _File:
    """A file's content with the lines of its keys, and the errors found so far."""

    def __init__(self, content: dict[str, Any], lines: Lines, file: str) -> None:
        self.content = content
        self.lines = lines
        self.file = file
        self.errors: list[RuleError] = []

    def wrong(self, path: Sequence[str], trouble: str, remedy: str, line: int | None = None) -> None:
        at = self.lines.key(*path) if line is None else line
        self.errors.append(RuleError(self.file, at, ".".join(path), trouble, remedy))

    def known(self, table: dict[str, Any], keys: Collection[str], *path: str) -> None:
        """Every key of ``table`` is one of ``keys``."""
        for key in table:
            if key not in keys:
                self.wrong((*path, key), f"unknown key '{key}'", suggestion(key, keys))

    def text(self, table: dict[str, Any], key: str, *path: str) -> str:
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        trouble = f"'{key}' is missing" if key not in table else f"'{key}' is not a text or is blank"
        self.wrong((*path, key), trouble, f'write {key} = "..."')
        return ""

    def table(self, key: str) -> dict[str, Any]:
        value = self.content.get(key, {})
        if isinstance(value, dict):
            return value
        self.wrong((key,), f"'{key}' is not a table", f"write [{key}] on a line of its own")
        return {}

    def entries(self, path: tuple[str, str], read: Callable[[str, Origin], list[E]]) -> list[E]:
        """The entries of the list at ``path``, each read by ``read``."""
        values = self.content[path[0]][path[1]]
        if not isinstance(values, list):
            self.wrong(path, "not a list of entries", f'write {path[1]} = ["..."]')
            return []
        if not values:
            self.wrong(path, "the list is empty", "add an entry or remove the key")
        found: list[E] = []
        for index, text in enumerate(values):
            line = self.lines.item(index, *path)
            if not isinstance(text, str):
                self.wrong(path, f"entry {index + 1} is not a text", "put it in quotes", line)
                continue
            try:
                found += read(text, Origin(self.file, line, text))
            except EntryError as error:
                trouble = f"'{error.text}', column {error.column}: {error.trouble}"
                self.wrong(path, trouble, error.remedy, line)
        return found


def suggestion(wrong: str, right: Iterable[str]) -> str:
    """A remedy for a misspelt word: the nearest right one, or all of them."""
    choices = sorted(right)
    near = difflib.get_close_matches(wrong, choices, 1)
    return f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(choices)}"


def _pack(file: _File, name: str) -> Pack | None:
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
    )
    for sanitizer, sink in contradictions(pack.sinks, pack.sanitizers):
        key = ("sanitizer", sanitizer.vulnerability)
        trouble = f"'{sanitizer.origin.text}' is also a sink of {sink.vulnerability} (line {sink.origin.line})"
        file.wrong(key, trouble, "remove one of them, or add a condition to the sink", sanitizer.origin.line)
    return pack


def _proofs(file: _File, language: str) -> tuple[Proof, ...]:
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


def _examples(file: _File, language: str) -> tuple[Example, ...]:
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


def _vulnerability(file: _File, name: str) -> Vulnerability | None:
    content = file.content
    file.known(content, VULNERABILITY_KEYS)
    if not ID.fullmatch(name):
        file.wrong(
            (),
            f"'{name}' is not a valid id of a vulnerability",
            "name the file in lower case with hyphens: sql-injection.toml",
        )
    title, message, explanation = (file.text(content, key) for key in ("title", "message", "help"))
    cwe = content.get("cwe")
    if not isinstance(cwe, list) or not cwe or not all(type(number) is int and number > 0 for number in cwe):
        file.wrong(("cwe",), "'cwe' is not a list of numbers", "write cwe = [89], the main weakness first")
    for key, choices in (("severity", SEVERITIES), ("precision", PRECISIONS)):
        if content.get(key) not in choices:
            file.wrong((key,), f"'{key}' is not one of {', '.join(choices)}", f'write {key} = "{choices[1]}"')
    profile = content.get("profile", PROFILES[0])
    if profile not in PROFILES:
        file.wrong(
            ("profile",), f"'profile' is not one of {', '.join(PROFILES)}", 'write profile = "audit", or leave it out'
        )
    rating: Any = content.get("security_severity")
    if isinstance(rating, bool) or not isinstance(rating, int | float) or not 0 < rating <= 10:
        trouble = "'security_severity' is not a number from 0.1 to 10.0"
        file.wrong(("security_severity",), trouble, "write security_severity = 7.5")
    switches = {key: content.get(key, False) for key in ("whole", "quoted", "lured", "entrusted", "together")}
    for key, value in switches.items():
        if not isinstance(value, bool):
            file.wrong((key,), f"'{key}' is not a boolean", f"write {key} = true, or leave it out")
    unlikely = content.get("unlikely", [])
    if not isinstance(unlikely, list) or not all(isinstance(each, str) and is_unlikely(each) for each in unlikely):
        trouble = (
            "'unlikely' is not a list of taint kinds, of 'SOURCE', 'SOURCE at SINK', 'far from SINK', 'far' and "
            "'scripted'"
        )
        file.wrong(("unlikely",), trouble, f"write some of {', '.join(KINDS)}, or leave it out")
    seldom = content.get("seldom", [])
    known = (*KINDS, *KIND_GROUPS, POSTED)
    if not isinstance(seldom, list) or not all(isinstance(each, str) and is_seldom(each) for each in seldom):
        trouble = "'seldom' is not a list of taint kinds and of sources"
        file.wrong(("seldom",), trouble, f"write some of {', '.join(known)}, or leave it out")
    objects = _objects(file, content)
    offered = content.get("offered", [])
    if not isinstance(offered, list) or not all(each in rule_languages() for each in offered):
        trouble = "'offered' is not a list of languages"
        file.wrong(("offered",), trouble, f"write some of {', '.join(rule_languages())}, or leave it out")
    for field in set(re.findall(r"\{(\w*)\}", message)) - {"source", "sink"}:
        file.wrong(("message",), f"'{{{field}}}' is not a known placeholder", "use {source} and {sink}")
    patterns = _safe_patterns(file, content)
    aspects = _aspects(file)
    harmful = _harmful(file, content)
    backslash = content.get("backslash", False)
    if not isinstance(backslash, bool):
        file.wrong(("backslash",), "'backslash' is not true or false", "write true, or leave it out")
    if file.errors:
        return None
    return Vulnerability(
        id=name,
        title=title,
        cwe=tuple(content["cwe"]),
        severity=content["severity"],
        security_severity=float(rating),
        precision=content["precision"],
        message=message,
        help=explanation,
        **patterns,
        harmful=harmful,
        backslash=backslash,
        whole=switches["whole"],
        quoted=switches["quoted"],
        lured=switches["lured"],
        entrusted=switches["entrusted"],
        together=switches["together"],
        unlikely=tuple(unlikely),
        seldom=tuple(kind for each in seldom for kind in KIND_GROUPS.get(each, (each,))),
        objects=objects,
        offered=tuple(offered),
        profile=profile,
        aspects=aspects,
    )


def _safe_patterns(file: _File, table: dict[str, Any], *path: str) -> dict[str, str]:
    patterns: dict[str, str] = {key: table.get(key, "") for key in ("safe_text", "safe_rest")}
    for key, pattern in patterns.items():
        try:
            re.compile(pattern)
        except (re.error, TypeError):
            trouble = f"'{key}' is not a regular expression"
            remedy = "write how harmless text begins; \\x00 stands for a part that is not constant"
            file.wrong((*path, key), trouble, remedy)
    return patterns


def _harmful(file: _File, table: dict[str, Any], *path: str, default: str = UNUSUAL) -> str:
    remedy = "write a pattern that is found in every text that does harm"
    return _pattern(file, table, "harmful", remedy, *path, default=default)


def _pattern(file: _File, table: dict[str, Any], key: str, remedy: str, *path: str, default: str = "") -> str:
    pattern = table.get(key, default)
    try:
        re.compile(pattern)
    except (re.error, TypeError):
        file.wrong((*path, key), f"'{key}' is not a regular expression", remedy)
        return default
    return str(pattern)


def _aspects(file: _File) -> tuple[Aspect, ...]:
    found: list[Aspect] = []
    for name, table in file.table("aspect").items():
        path = ("aspect", name)
        if not ASPECT.fullmatch(name):
            file.wrong(path, f"'{name}' is not a valid name of an aspect", 'write a group and a name: "path.absolute"')
        if not isinstance(table, dict):
            file.wrong(path, f"'{name}' is not a table", f'write [aspect."{name}"]')
            continue
        file.known(table, ASPECT_KEYS, *path)
        low, medium = (table.get(key, False) for key in ("low", "medium"))
        for key, value in (("low", low), ("medium", medium)):
            if not isinstance(value, bool):
                file.wrong((*path, key), f"'{key}' is not a boolean", f"write {key} = true, or leave it out")
        within = table.get("within", "")
        if not isinstance(within, str) or (within and within not in file.table("aspect")):
            file.wrong((*path, "within"), "'within' names no aspect of this file", 'write within = "path.climb"')
        never = table.get("never", [])
        if not isinstance(never, list) or not all(isinstance(each, str) and each in KINDS for each in never):
            trouble = "'never' is not a list of taint kinds"
            file.wrong((*path, "never"), trouble, f"write some of {', '.join(KINDS)}, or leave it out")
            continue
        objects = _objects(file, table, *path)
        texts = table.get("texts", [])
        if not isinstance(texts, list) or not all(isinstance(each, str) and SOURCE.fullmatch(each) for each in texts):
            trouble = "'texts' is not a list of sources"
            file.wrong((*path, "texts"), trouble, 'write texts = ["koa.Context#query"], or leave it out')
            continue
        patterns = {**_safe_patterns(file, table, *path), "harmful": _harmful(file, table, *path, default="")}
        patterns["prefix"] = _pattern(file, table, "prefix", "write how a prefix that clears it ends", *path)
        found.append(
            Aspect(
                name,
                **patterns,
                never=tuple(never),
                objects=objects,
                texts=tuple(texts),
                low=low,
                medium=medium,
                within=str(within),
            )
        )
    return tuple(found)


def _objects(file: _File, table: dict[str, Any], *path: str) -> tuple[str, ...]:
    objects = table.get("objects", [])
    if not isinstance(objects, list) or not all(isinstance(each, str) and each for each in objects):
        file.wrong((*path, "objects"), "'objects' is not a list of keys", 'write objects = ["$eq"], or leave it out')
        return ()
    return tuple(objects)


def is_unlikely(text: str) -> bool:
    """Whether ``text`` is one of the things that ``unlikely`` may hold: see docs/rule-language.md."""
    return text in (*KINDS, "far", SCRIPTED) or re.fullmatch(r"far from \S+|(?:\S+ at )?\S*[./#]\S*", text) is not None


def is_seldom(text: str) -> bool:
    """Whether ``text`` is one of the things that ``seldom`` may hold: a kind, a group of kinds, or a source."""
    return text in (*KINDS, *KIND_GROUPS, POSTED) or SOURCE.fullmatch(text) is not None


def unknown_vulnerabilities(pack: Pack, known: Collection[str]) -> list[RuleError]:
    """One error for each name that a pack uses for a vulnerability and that is none, at its first entry."""
    errors: dict[tuple[str, str], RuleError] = {}
    roles: tuple[tuple[str, Sequence[Sink | Sanitizer | Guard]], ...] = (
        ("sink", pack.sinks),
        ("sanitizer", pack.sanitizers),
        ("guard", pack.guards),
    )
    for role, found in roles:
        right = {name for name in known if "." not in name} if role == "sink" else {*known, "any"}
        for name in {entry.vulnerability for entry in found} - set(right):
            first = next(entry for entry in found if entry.vulnerability == name)
            remedy = suggestion(name, right)
            if name == "any":
                remedy = "name the vulnerability: 'any' is allowed for sanitizers and guards only"
            trouble = f"unknown vulnerability '{name}'"
            errors[role, name] = RuleError(first.origin.file, first.origin.line, f"{role}.{name}", trouble, remedy)
    return sorted(errors.values(), key=lambda error: error.line)
