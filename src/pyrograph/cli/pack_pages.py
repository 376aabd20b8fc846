"""Pages about a pack as text, ``pyrograph rules show PACK``: its entries, and which of its APIs were found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from pyrograph.cli.rule_pages import show_entries

if TYPE_CHECKING:
    from pyrograph.rules.entries import Origin, Pack


def missing_apis(packs: list[Pack]) -> frozenset[str]:
    """The APIs of these packs that were not found in their libraries."""
    from pyrograph.rules.proofs import unverified

    return frozenset().union(*(unverified(language) for language in {pack.language for pack in packs}))


def count_off(pack: Pack, missing: frozenset[str]) -> int:
    """How many entries of the pack are off unless --unverified is given."""
    from pyrograph.rules.proofs import entries_of, split

    return len(list(entries_of(split(pack, missing)[1])))


def pack_page(pack: Pack, most: int) -> None:
    """Print what a pack knows of its libraries, ``most`` entries of each section, and its examples."""
    click.echo(f"{pack.name}: {pack.library}\n")
    if count := count_off(pack, missing_apis([pack])):
        entries = "1 entry is" if count == 1 else f"{count} entries are"
        click.echo(f"{entries} off unless --unverified is given: their API was not found in its library\n")
    for title, groups in (
        ("Sources", _by_key((source.kind, source.origin) for source in pack.sources)),
        ("Sinks", _by_key((sink.vulnerability, sink.origin) for sink in pack.sinks)),
        ("Sanitizers", _by_key((each.vulnerability, each.origin) for each in pack.sanitizers)),
        ("Guards", _by_key((guard.vulnerability, guard.origin) for guard in pack.guards)),
    ):
        for key, origins in groups.items():
            show_entries(f"{title}: {key}", origins, most)
    show_entries("Propagators", [propagator.origin for propagator in pack.propagators], most)
    for engine, origins in _by_key((each.engine, each.origin) for each in pack.renderings).items():
        show_entries(f"Templates: {engine}", origins, most)
    types = [*(fact.origin for fact in pack.types), *(each.origin for each in pack.parameter_types)]
    show_entries("Types", types, most)
    _show_proofs(pack)
    for example in pack.examples:
        click.echo(f"Example: {example.name}    {example.origin.file}:{example.origin.line}")
        click.echo("".join(f"    {line}\n" for line in example.code.strip().splitlines()))


def _show_proofs(pack: Pack) -> None:
    """In which versions of its libraries the pack's APIs were found, and which were not."""
    from pyrograph.rules.proofs import NOT_YET, apis_of, load, spelled_path

    record = load(pack.language)
    roots: dict[str, set[str]] = {}
    for api in apis_of(pack):
        roots.setdefault(api[0], set()).add(spelled_path(api))
    rows = [(root, names, record[root]) for root, names in sorted(roots.items()) if root in record]
    if not rows:
        return
    click.echo("Found in the libraries")
    for root, names, row in rows:
        found = names & set(row["verified"])
        click.echo(f"  {root}: {len(found)} of {len(names)}" + (f" in {row['version']}" if row["version"] else ""))
        places = [row["elsewhere"][name] for name in names & set(row["elsewhere"])]
        for place in sorted(set(places)):
            click.echo(f"    elsewhere: {places.count(place)} ({place})")
        for name in sorted(names & set(row["unverified"])):
            reason = row["unverified"][name]
            click.echo(f"    on, {reason}: {name}" if reason == NOT_YET else f"    off, not found: {name} ({reason})")
    click.echo()


def _by_key(entries: Iterator[tuple[str, Origin]]) -> dict[str, list[Origin]]:
    groups: dict[str, list[Origin]] = {}
    for key, origin in entries:
        groups.setdefault(key, []).append(origin)
    return dict(sorted(groups.items()))
