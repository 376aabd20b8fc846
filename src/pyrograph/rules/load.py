"""All rules of a scan: the built-in packs and vulnerabilities, and the user's.

Entries of the built-in packs whose API was not found in its library, by the record that ``proofs.py`` reads, are off
unless they are asked for.

A user's pack adds to the built-in pack of the same name (language and file name), or takes its place with ``replace =
true``. A user's vulnerability has a new id, or takes the place of a built-in one with ``replace = true``. One bad
rule stops the scan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pyrograph import userfolder
from pyrograph.model.languages import rule_languages, rule_syntax_of
from pyrograph.model.vulnerability import PROFILES, Vulnerability
from pyrograph.policy.limits.rules import MAX_VULNERABILITIES
from pyrograph.rules import cache, codec, declared, proofs
from pyrograph.rules.entries import CLEAN_FOR, Api, EntryCondition, Origin, Pack, Parameters, Port, TestOf, TypeFact
from pyrograph.rules.errors import RuleError

FORK = "*/"  # before a repository's name, among the roots of a program: any fork of it
UNKNOWN: Final = "unknown"  # as the root of a type fact: what neither the program nor a pack describes
OF_PACK: Final = ""  # stands for a root: the entry belongs to the other entries of its pack
BUILT_IN = Path(__file__).resolve().parent
# What this process read last, by label: the cache folder and the key of the files, and what they say (never changed).
_REMEMBERED: Final[dict[str, tuple[tuple[Path | None, str], list[_Read]]]] = {}
# What many entries have in common, and the cache keeps once. Entries and flows are distinguished by identity.
SHARED = (Port, TestOf, EntryCondition, Parameters, Origin)


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything the labeller needs to know, checked."""

    packs: tuple[Pack, ...]  # by name
    vulnerabilities: dict[str, Vulnerability]  # by id, in order of the ids
    # ``RootsOfPack`` of each pack, once asked for
    _roots: list[RootsOfPack] = field(default_factory=list, init=False, repr=False, compare=False)

    def for_roots(self, roots: Collection[str]) -> tuple[Pack, ...]:
        """What packs say of the libraries of a program whose imports have these roots.

        An entry matters when its API begins with such a root, or with one that needs no import; so do the entries of
        the types that it names on the right of a colon. All others are left out: which libraries a file of rules
        describes besides that of an entry makes no difference. What the libraries declare of their types comes after
        the packs. Time O(entries).
        """
        wanted = {*roots, *(rule_syntax_of(each).builtins for each in rule_languages()), OF_PACK}
        languages = sorted({pack.language for pack in self.packs})
        types = [each for language in languages for each in declared.packs_of(language, wanted)]
        for each in types:
            wanted |= roots_of(each)[1]
        if not self._roots:
            self._roots.extend(map(roots_of_pack, self.packs))
        waiting = [(known, root) for known in self._roots for root in known.named]
        grown = True
        while grown:  # ``waiting`` gets shorter
            reached = [each for each in waiting if each[0].matters(each[1], wanted)]
            waiting = [each for each in waiting if not each[0].matters(each[1], wanted)]
            for known, root in reached:
                wanted |= known.named[root]
            grown = bool(reached)
        chosen = (part_of(pack, known, wanted) for pack, known in zip(self.packs, self._roots, strict=True))
        return (*(pack for pack in chosen if pack is not None), *types)


@dataclass(frozen=True, slots=True)
class RootsOfPack:
    """The roots of the APIs that a pack describes."""

    of_entries: dict[str, list[str]]  # by the name of each field of a pack that holds entries: the root of each
    named: dict[str, set[str]]  # root -> roots of the types that its entries relate it to
    forked: dict[str, str]  # root -> what stands for a fork of this library among the roots of a program

    def matters(self, root: str, wanted: Collection[str]) -> bool:
        return root in wanted or self.forked.get(root) in wanted


def roots_of_pack(pack: Pack) -> RootsOfPack:
    """Time O(entries)."""
    targets = {name: [entry.target for entry in getattr(pack, name)] for name in ("sources", "sinks", "renderings")}
    found = {
        name: [root_of(each.api if isinstance(each, Parameters) else each) for each in given]
        for name, given in targets.items()
    }
    for name in ("sanitizers", "propagators", "routes"):
        found[name] = [root_of(entry.api) for entry in getattr(pack, name)]
    found["guards"] = [root_of(guard.api) for guard in pack.guards]
    found["types"] = [root_of_fact(fact) for fact in pack.types]
    found["parameter_types"] = [root_of(each.parameters.api) for each in pack.parameter_types]
    named: dict[str, set[str]] = {}
    for root, fact in zip(found["types"], pack.types, strict=True):
        if fact.right and fact.relation != "folders":
            named.setdefault(root, set()).add(fact.right[0])
    for root, each in zip(found["parameter_types"], pack.parameter_types, strict=True):
        named.setdefault(root, set()).add(each.type[0])
    own = {root for roots in found.values() for root in roots}
    return RootsOfPack(found, named, {root: fork for root in own for fork in forks(pack, [root])})


def part_of(pack: Pack, known: RootsOfPack, wanted: Collection[str]) -> Pack | None:
    """The entries of a pack that matter where these roots do; None if there are none but those about the pack."""
    kept = {root for roots in known.of_entries.values() for root in roots if known.matters(root, wanted)}
    if kept <= {OF_PACK}:
        return None
    changed: dict[str, Any] = {}
    for name, roots in known.of_entries.items():
        entries = [entry for entry, root in zip(getattr(pack, name), roots, strict=True) if root in kept]
        if len(entries) < len(roots):
            changed[name] = tuple(entries)
    return replace(pack, **changed) if changed else pack


def root_of_fact(fact: TypeFact) -> str:
    """The root that a program must import for a type fact to matter.

    What is said of unknown objects, and of types by a pattern, matters with the type on the right. What enforces the
    checks of a pack belongs to all of its entries: they would count as enforced anyway without it.
    """
    if fact.relation == "enforces":
        return OF_PACK
    left = fact.left[0]
    return fact.right[0] if fact.right and (left == UNKNOWN or "*" in left) else root_of(fact.left)


def forks(pack: Pack, roots: Collection[str]) -> set[str]:
    """What stands for a fork of a library of the pack among the roots of a program, where these are import paths."""
    if not rule_syntax_of(pack.language).import_paths:
        return set()
    return {FORK + root.rpartition("/")[2] for root in roots if root.count("/") == 2 and "." in root.partition("/")[0]}


def roots_of(pack: Pack) -> tuple[frozenset[str], frozenset[str]]:
    """The roots of the APIs that the pack describes, and of the types that it relates them to."""
    known = roots_of_pack(pack)
    own = {root for roots in known.of_entries.values() for root in roots}
    return frozenset(own), frozenset().union(*known.named.values())


def root_of(api: Api) -> str:
    """The root that a program must import for the API to matter; patterns and names matter to every program."""
    return api[0] if api and "*" not in api[0] else "builtins"


@dataclass(frozen=True, slots=True)
class _Read:
    """One rule file that has no errors of its own."""

    file: str
    content: Pack | Vulnerability
    replace: bool


def load_rules(
    languages: Collection[str] | None = None,
    paths: Sequence[Path] = (),
    *,
    texts: Sequence[tuple[str, str, bytes]] = (),
    unverified: bool = False,
    cache_folder: Path | None = None,
) -> Rules:
    """Read the built-in rules of some languages, and the user's.

    Args:
        languages: Some of ``model.languages.rule_languages``; None is all. Packs of other languages are left out, the
            user's included.
        paths: Files, or folders searched for ``*.toml`` at any depth. Later files add to earlier ones. Built-in files
            are left out: they are read anyway.
        texts: Further files of the user, as ``user_files`` returns them.
        unverified: Also the entries of built-in packs whose API was not found in its library.
        cache_folder: Where parsed files are kept; None is the user's cache directory.

    Raises:
        RuleError: The first thing that is wrong; its notes say how many more there are.
    """
    wanted = [each for each in rule_languages() if languages is None or each in languages]
    folder = userfolder.cache_folder() if cache_folder is None else cache_folder

    built_in = _read_all("vulnerabilities", _built_in_files("vulnerabilities"), folder)
    for language in wanted:
        built_in += _read_language(language, folder, unverified)
    added = _read_all("user", [*user_files(paths), *texts], folder)

    vulnerabilities = _vulnerabilities(built_in, added)
    packs = _packs(built_in, added, wanted)
    names = {*vulnerabilities, *(aspect.name for each in vulnerabilities.values() for aspect in each.aspects)}
    _stop_at_first(_unknown_vulnerabilities(packs, names))
    return Rules(packs, vulnerabilities)


def _built_in_files(folder: str) -> list[tuple[str, str, bytes]]:
    """(name for errors, name without suffix, bytes) of each file, by name."""
    paths = sorted((BUILT_IN / folder).glob("*.toml"))
    return [(f"{folder}/{path.name}", path.stem, path.read_bytes()) for path in paths]


def user_files(paths: Iterable[Path]) -> list[tuple[str, str, bytes]]:
    """(name for errors, name without suffix, bytes) of each rule file of the user, in order. Raises RuleError."""
    files = []
    for path in paths:
        if not path.exists():
            raise RuleError(str(path), 1, "", "there is no such file or folder", "correct --rules")
        found = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        if not found:
            raise RuleError(str(path), 1, "", "the folder holds no rule file", "add files that end in .toml")
        for file in found:
            if file.resolve().is_relative_to(BUILT_IN):
                continue
            try:
                files.append((file.as_posix(), file.stem, file.read_bytes()))
            except OSError as error:
                trouble = f"the file cannot be read: {error.strerror}"
                raise RuleError(str(file), 1, "", trouble, "make it readable or leave it out") from error
    return files


def _read_all(label: str, files: list[tuple[str, str, bytes]], folder: Path | None) -> list[_Read]:
    """Read the files, or what the cache holds for exactly these bytes."""
    if not files:
        return []
    key = cache.digest((shown, data) for shown, _, data in files)
    read = _cached(folder, label, key)
    if read is None:
        read = _parsed(label, files)
        _keep(folder, label, key, read)
    return read


def _read_language(language: str, folder: Path | None, unverified: bool) -> list[_Read]:
    """The built-in packs of a language; those with entries that are off a second time, with these alone."""
    files = _built_in_files(language)
    record = proofs.FOLDER / f"{language}.json"
    kept = [(shown, data) for shown, _, data in files]
    key = cache.digest([*kept, ("", record.read_bytes() if record.exists() else b"")])
    verified = _cached(folder, language, key)
    others = _cached(folder, f"off-{language}", key) if unverified else []
    if verified is None or others is None:
        missing = proofs.unverified(language)
        verified, others = [], []
        for each in _parsed(language, files):
            on, off = proofs.split(each.content, missing) if isinstance(each.content, Pack) else (each.content, None)
            verified.append(replace(each, content=on))
            if off is not None and any(proofs.entries_of(off)):
                others.append(replace(each, content=off))
        _keep(folder, language, key, verified)
        _keep(folder, f"off-{language}", key, others)
    return verified + others if unverified else verified


def _cached(folder: Path | None, label: str, key: str) -> list[_Read] | None:
    """What files with this key say, where this process or the cache knows it."""
    known = _REMEMBERED.get(label)
    if known is not None and known[0] == (folder, key):
        return list(known[1])
    data = cache.read(folder, label, key)
    if data is None:
        return None
    try:
        read = codec.decode(_Read, data)
    except codec.CodecError:
        return None  # a cache file of another shape: as good as none
    _REMEMBERED[label] = (folder, key), list(read)
    return read


def _keep(folder: Path | None, label: str, key: str, read: Sequence[_Read]) -> None:
    _REMEMBERED[label] = (folder, key), list(read)
    if folder is not None:
        cache.write(folder, label, key, codec.encode(_Read, read, shared=SHARED))


def _parsed(label: str, files: list[tuple[str, str, bytes]]) -> list[_Read]:
    # Only now: a scan that finds its rules in the cache needs neither the grammar nor a TOML parser.
    from pyrograph.rules.files import parse

    read: list[_Read] = []
    errors: list[RuleError] = []
    for shown, name, data in files:
        parsed = parse(data, shown, name)
        errors += parsed.errors
        content = parsed.pack or parsed.vulnerability
        if content is not None:
            read.append(_Read(shown, content, parsed.replace))
            if label in rule_languages() and isinstance(content, Pack) and content.language != label:
                trouble = f"a pack for {content.language} among those for {label}"
                errors.append(RuleError(shown, 1, "language", trouble, "move the file or correct the language"))
    _stop_at_first(errors)
    return read


def _stop_at_first(errors: Sequence[RuleError]) -> None:
    if errors:
        if len(errors) > 1:
            errors[0].add_note(f"and {len(errors) - 1} more; 'python -m pyrograph.rules.check FILE...' lists all")
        raise errors[0]


def _vulnerabilities(built_in: Iterable[_Read], added: Iterable[_Read]) -> dict[str, Vulnerability]:
    found = {each.content.id: each.content for each in built_in if isinstance(each.content, Vulnerability)}
    users: dict[str, str] = {}
    for each in added:
        if not isinstance(each.content, Vulnerability):
            continue
        name = each.content.id
        if name in users:
            trouble = f"'{name}' is already defined in {users[name]}"
            raise RuleError(each.file, 1, "", trouble, "remove one of the files")
        if name in found and not each.replace:
            remedy = "rename the file, or write replace = true to take the place of the built-in one"
            raise RuleError(each.file, 1, "", f"there is a built-in vulnerability '{name}'", remedy)
        users[name] = each.file
        found[name] = each.content
        # those of further profiles are left out of a scan that does not report them: ``selection.searched``
        if sum(each.bits for each in found.values() if each.profile == PROFILES[0]) > MAX_VULNERABILITIES:
            trouble = f"more than {MAX_VULNERABILITIES} vulnerabilities and aspects, the built-in ones included"
            raise RuleError(each.file, 1, "", trouble, "use fewer, or merge some")
    return dict(sorted(found.items()))


def _packs(built_in: Iterable[_Read], added: Iterable[_Read], languages: Collection[str]) -> tuple[Pack, ...]:
    found: dict[str, Pack] = {}
    for each in built_in:
        if isinstance(each.content, Pack):
            name = each.content.name
            found[name] = _joined(found[name], each.content) if name in found else each.content
    users = [each for each in added if isinstance(each.content, Pack) and each.content.language in languages]
    for each in users:
        if each.replace:
            found.pop(each.content.name, None)  # type: ignore[union-attr]
    for each in users:
        assert isinstance(each.content, Pack)
        earlier = found.get(each.content.name)
        found[each.content.name] = each.content if earlier is None else _joined(earlier, each.content)
    return tuple(found[name] for name in sorted(found))


def _joined(first: Pack, second: Pack) -> Pack:
    """Both packs' entries under the first one's name and library."""
    return replace(
        first,
        sources=first.sources + second.sources,
        sinks=first.sinks + second.sinks,
        sanitizers=first.sanitizers + second.sanitizers,
        guards=first.guards + second.guards,
        propagators=first.propagators + second.propagators,
        types=first.types + second.types,
        examples=first.examples + second.examples,
        parameter_types=first.parameter_types + second.parameter_types,
        renderings=first.renderings + second.renderings,
        routes=first.routes + second.routes,
        proofs=first.proofs + second.proofs,
        remedies=first.remedies + second.remedies,
    )


def _unknown_vulnerabilities(packs: Iterable[Pack], known: Collection[str]) -> list[RuleError]:
    used = {
        entry.vulnerability
        for pack in packs
        for role in (pack.sinks, pack.sanitizers, pack.guards, pack.remedies)
        for entry in role
    }
    sinks = {sink.vulnerability for pack in packs for sink in pack.sinks}
    sinks |= {remedy.vulnerability for pack in packs for remedy in pack.remedies}
    if used <= {*known, *CLEAN_FOR} and sinks.isdisjoint(CLEAN_FOR) and not any("." in name for name in sinks):
        return []
    from pyrograph.rules.pack_files import unknown_vulnerabilities  # loaded only to word the error

    return [error for pack in packs for error in unknown_vulnerabilities(pack, known)]
