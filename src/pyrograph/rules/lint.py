"""What is allowed in rule packs and still likely to be a mistake.

``parse`` refuses what cannot mean anything; this looks at packs that can be read. Each complaint is one line that
begins with file and line. ``python -m pyrograph.rules.lint`` prints those of the built-in packs, which should be none.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence

from pyrograph.rules import examples
from pyrograph.rules.entries import Api, Origin, Pack, Parameters, Propagator, Rendering, Route, Sanitizer, Sink, Source
from pyrograph.rules.load import load_rules
from pyrograph.rules.pack_files import contradictions

Entry = Source | Sink | Sanitizer | Propagator | Rendering | Route


def lint(packs: Sequence[Pack], known: Collection[str]) -> list[str]:
    """All complaints about these packs, by file and line.

    Args:
        packs: All packs of the languages in question: sources may be in one and the sinks in another.
        known: The ids of the vulnerabilities.
    """
    found: list[tuple[str, int, str]] = []
    for pack in packs:
        if not pack.inferred:  # the library's source is what proves it
            found += without_examples(pack, known)
        found += duplicates(pack)
        found += shadowed(pack)
        found += unreachable(pack)
    found += repeated(packs)
    for language in sorted({pack.language for pack in packs}):
        found += of_language([pack for pack in packs if pack.language == language], language)
    return [f"{file}:{line}: {text}" for file, line, text in sorted(set(found))]


def complaint(origin: Origin, text: str) -> tuple[str, int, str]:
    return origin.file, origin.line, text


def first_origin(pack: Pack) -> Origin:
    """Where the pack's first entry stands; for a pack without entries, its name."""
    roles = (pack.sources, pack.sinks, pack.sanitizers, pack.guards, pack.propagators, pack.types, pack.examples)
    origins = [entry.origin for role in (*roles, pack.renderings, pack.routes) for entry in role]
    return min(origins, key=lambda origin: origin.line, default=Origin(pack.name, 1, ""))


def without_examples(pack: Pack, known: Collection[str]) -> list[tuple[str, int, str]]:
    """A pack has an example that is reported and one that is silent, and their comments can be read."""
    found = []
    readable = []
    for example in pack.examples:
        try:
            names = examples.vulnerabilities([example], ("expect", "spurious", "missing"))
        except examples.ExpectationError as error:
            found.append(complaint(example.origin, f"example '{example.name}', {error}"))
            continue
        readable.append(example)
        for name in sorted(names - set(known)):
            found.append(
                complaint(example.origin, f"example '{example.name}' expects the unknown vulnerability '{name}'")
            )
    if not any(map(examples.reported, readable)):
        found.append(complaint(first_origin(pack), "no example is reported; add one with '# expect: <vulnerability>'"))
    if not any(map(examples.silent, readable)):
        found.append(
            complaint(first_origin(pack), "no example without findings; add one that has no finding on any line")
        )
    return found


def meaning(entry: Entry) -> tuple[object, ...]:
    """What the entry says, without where it stands and how sure it is; equal for duplicates."""
    if isinstance(entry, Source):
        return "source", entry.kind, entry.target, entry.fills, entry.conditions
    if isinstance(entry, Sink):
        return "sink", entry.vulnerability, entry.target, entry.ports, entry.assignment, entry.without, entry.conditions
    if isinstance(entry, Sanitizer):
        return "sanitizer", entry.vulnerability, entry.api, entry.ports, entry.assignment, entry.conditions
    if isinstance(entry, Rendering):
        return "rendering", entry.engine, entry.target, entry.name, entry.values, entry.shown, entry.conditions
    if isinstance(entry, Route):
        return "route", entry.api, entry.pattern, entry.conditions
    return "propagator", entry.api, entry.flows, entry.conditions


def subject(entry: Entry) -> tuple[object, ...]:
    """``meaning`` without conditions."""
    return meaning(entry)[:-1]


def entries_of(pack: Pack) -> list[Entry]:
    return [*pack.sources, *pack.sinks, *pack.sanitizers, *pack.propagators, *pack.renderings, *pack.routes]


def duplicates(pack: Pack) -> list[tuple[str, int, str]]:
    """No entry says what another of the pack says; ``~`` makes no difference."""
    found = []
    # repr, because the constants 1 and true are equal and mean different things.
    seen: dict[str, Entry] = {}
    for entry in entries_of(pack):
        other = seen.setdefault(repr(meaning(entry)), entry)
        if other is not entry:
            found.append(complaint(entry.origin, f"'{name_of(entry)}' is a duplicate of line {other.origin.line}"))
    return found


def shadowed(pack: Pack) -> list[tuple[str, int, str]]:
    """No source, sink or sanitizer has a condition that another entry without one makes pointless."""
    bare = {repr(subject(entry)): entry for entry in entries_of(pack) if not entry.conditions and not entry.low}
    found = []
    for entry in entries_of(pack):
        other = bare.get(repr(subject(entry)))
        if entry.conditions and other is not None and not isinstance(entry, Propagator):
            text = f"the condition of '{name_of(entry)}' is pointless: line {other.origin.line} has none"
            found.append(complaint(entry.origin, text))
    return found


def unreachable(pack: Pack) -> list[tuple[str, int, str]]:
    """No entry has conditions that cannot hold together: one port is two constants, a test holds and does not."""
    found = []
    for entry in entries_of(pack):
        asked = [test for condition in entry.conditions if not condition.unless for test in condition.tests]
        refused = [condition.tests for condition in entry.conditions if condition.unless]
        constants: dict[str, set[str]] = {}
        for test in asked:
            if test.operator in ("==", "in"):
                values = {repr(value) for value in test.values}
                constants[repr(test.port)] = constants.get(repr(test.port), values) & values
        contradiction = any(all(test in asked for test in tests) for tests in refused)
        if contradiction or any(not values for values in constants.values()):
            found.append(complaint(entry.origin, f"the conditions of '{name_of(entry)}' never hold together"))
    return found


def repeated(packs: Sequence[Pack]) -> list[tuple[str, int, str]]:
    """No entry of one pack says what an entry of another pack of the language says."""
    seen: dict[tuple[str, str], tuple[Pack, Entry]] = {}
    found = []
    for pack in packs:
        for entry in entries_of(pack):
            first, other = seen.setdefault((pack.language, repr(meaning(entry))), (pack, entry))
            if first is not pack:
                place = f"{other.origin.file}:{other.origin.line}"
                found.append(complaint(entry.origin, f"'{name_of(entry)}' is a duplicate of {place}"))
    return found


def of_language(packs: Sequence[Pack], language: str) -> list[tuple[str, int, str]]:
    """Every vulnerability with sinks has a source and an example; no API of one pack is cleaned by another's."""
    found = []
    sinks = [sink for pack in packs for sink in pack.sinks]
    sources = any(not source.low for pack in packs for source in pack.sources)
    shown = readable_vulnerabilities(packs)
    for name in sorted({sink.vulnerability for sink in sinks if not sink.low}):
        first = min((sink.origin for sink in sinks if sink.vulnerability == name), key=lambda o: (o.file, o.line))
        if not sources:
            found.append(complaint(first, f"{language} has sinks of {name} but no source"))
        if name not in shown:
            found.append(complaint(first, f"{language} has sinks of {name} but no example expects one"))
    for sanitizer, sink in contradictions(sinks, [each for pack in packs for each in pack.sanitizers]):
        text = (
            f"'{sanitizer.origin.text}' is also a sink of {sink.vulnerability} ({sink.origin.file}:{sink.origin.line})"
        )
        found.append(complaint(sanitizer.origin, text))
    return found


def readable_vulnerabilities(packs: Iterable[Pack]) -> set[str]:
    found: set[str] = set()
    for pack in packs:
        for example in pack.examples:
            try:
                found |= examples.vulnerabilities([example])
            except examples.ExpectationError:
                continue  # reported by without_examples
    return found


def name_of(entry: Entry) -> str:
    """The API of an entry as it is written, near enough to be found."""
    target = entry.target if isinstance(entry, Source | Sink | Rendering) else entry.api
    return spelled(target.api if isinstance(target, Parameters) else target)


def spelled(api: Api) -> str:
    """The API as the rule language spells it.

    >>> spelled(("sqlite3", "Cursor", "#", "execute"))
    'sqlite3.Cursor#execute'
    """
    root = api[0]
    if "." in root.rpartition("/")[2]:
        root = f"`{root}`"
    text = "".join(step if step[0] in "#[(" else f".{step}" for step in api[1:])
    return root + text.replace("#.", "#")


if __name__ == "__main__":
    rules = load_rules(unverified=True)
    complaints = lint(rules.packs, rules.vulnerabilities)
    for text in complaints:
        print(text)
    sys.exit(1 if complaints else 0)
