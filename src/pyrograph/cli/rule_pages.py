"""Pages about a rule or a pack as text: ``pyrograph rules show ID``, ``pyrograph explain RULE``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import click

from pyrograph.cli.errors import Refusal
from pyrograph.model.vulnerability import SEVERITIES, Vulnerability
from pyrograph.report.common import help_for

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.rules.entries import Origin, Pack

EXPECTATION: Final = re.compile(r"expect: [^\n]*")  # the comment of an example at a line that is reported


def rule_page(loaded: Rules, name: str, most: int, *, own: bool) -> None:
    """Print all about a rule or a vulnerability, with ``most`` entries of each section.

    Raises:
        Refusal: There is none of this name. ``own``: rules of the user's own are loaded.
    """
    vulnerability, packs = _found(loaded, name, own=own)
    _about(vulnerability, packs, name)
    kinds = sorted({source.kind for pack in packs for source in pack.sources})
    click.echo(f"Sources\n  every source of these kinds: {', '.join(kinds)}\n")
    for title, role in (("Sinks", "sinks"), ("Sanitizers", "sanitizers"), ("Guards", "guards")):
        origins = [
            entry.origin
            for pack in packs
            for entry in getattr(pack, role)
            if entry.vulnerability in (vulnerability.id, "any")
        ]
        _show_entries(title, origins, most)


def brief_page(loaded: Rules, name: str, *, own: bool) -> None:
    """Print what a rule or a vulnerability means, an example and what to do, without its entries.

    Raises:
        Refusal: As ``rule_page``.
    """
    vulnerability, packs = _found(loaded, name, own=own)
    _about(vulnerability, packs, name)
    rows = (
        (f"pyrograph rules show {name}", "its sources, sinks, sanitizers and guards"),
        (f"pyrograph scan --select {name}", "its findings only"),
        (f"pyrograph: ignore[{vulnerability.id}] REASON", "in a comment: suppresses a finding on its line"),
    )
    width = max(len(command) for command, _ in rows)
    click.echo("## Next\n")
    for command, what in rows:
        click.echo(f"    {command:{width}}    {what}")


def _found(loaded: Rules, name: str, *, own: bool) -> tuple[Vulnerability, list[Pack]]:
    """The vulnerability of this name, and the packs of its language or all."""
    language, _, vulnerability = name.rpartition("/")
    packs = [pack for pack in loaded.packs if language in ("", pack.language)]
    if vulnerability not in loaded.vulnerabilities or not packs:
        import difflib

        known = [*loaded.vulnerabilities, *(pack.name for pack in loaded.packs)]
        close = difflib.get_close_matches(vulnerability, known, n=1) or difflib.get_close_matches(name, known, n=1)
        remedy = f"did you mean '{close[0]}'?" if close else "see `pyrograph rules list`"
        hint = (
            ""
            if own
            else " For rules of your own, add --rules PATH."
            if close
            else "; for rules of your own, add --rules PATH"
        )
        raise Refusal(f"unknown rule {name!r}; {remedy}{hint}")
    return loaded.vulnerabilities[vulnerability], packs


def _about(vulnerability: Vulnerability, packs: Sequence[Pack], name: str) -> None:
    """Print what is wrong, how it is fixed, and the shortest example of the packs that is reported."""
    click.echo(f"{vulnerability.title} ({vulnerability.id})")
    weaknesses = ", ".join(f"CWE-{number}" for number in vulnerability.cwe)
    level = SEVERITIES.index(vulnerability.severity) + 1
    click.echo(
        f"{weaknesses}; severity {vulnerability.severity} ({level} of {len(SEVERITIES)}), "
        f"score {vulnerability.security_severity}; precision {vulnerability.precision}; "
        f"profile {vulnerability.profile}\n"
    )
    help = help_for(vulnerability.help, name) if "/" in name else vulnerability.help
    click.echo(f"{help.strip()}\n")
    if example := _example(vulnerability.id, packs):
        click.echo("## Example\n")
        click.echo("".join(f"    {line}".rstrip() + "\n" for line in example.splitlines()))


def _example(vulnerability: str, packs: Sequence[Pack]) -> str:
    """The shortest example of the packs of which a line is reported for a vulnerability; or ""."""
    expected = re.compile(rf"expect: {re.escape(vulnerability)}(?![\w-])")
    codes = (each.code.strip() for pack in packs for each in pack.examples if expected.search(each.code))
    found = min(codes, key=lambda code: (code.count("\n"), len(code), code), default="")
    return EXPECTATION.sub("reported", found)


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
            _show_entries(f"{title}: {key}", origins, most)
    _show_entries("Propagators", [propagator.origin for propagator in pack.propagators], most)
    for engine, origins in _by_key((each.engine, each.origin) for each in pack.renderings).items():
        _show_entries(f"Templates: {engine}", origins, most)
    types = [*(fact.origin for fact in pack.types), *(each.origin for each in pack.parameter_types)]
    _show_entries("Types", types, most)
    _show_proofs(pack)
    for example in pack.examples:
        click.echo(f"Example: {example.name}    {example.origin.file}:{example.origin.line}")
        click.echo("".join(f"    {line}\n" for line in example.code.strip().splitlines()))


def _show_proofs(pack: Pack) -> None:
    """In which versions of its libraries the pack's APIs were found, and which were not."""
    from pyrograph.rules.proofs import apis_of, load, spelled_path

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
            click.echo(f"    off, not found: {name} ({row['unverified'][name]})")
    click.echo()


def _by_key(entries: Iterator[tuple[str, Origin]]) -> dict[str, list[Origin]]:
    groups: dict[str, list[Origin]] = {}
    for key, origin in entries:
        groups.setdefault(key, []).append(origin)
    return dict(sorted(groups.items()))


def _show_entries(title: str, origins: list[Origin], most: int) -> None:
    """The first ``most`` entries as they were written, each once: one line of a rule file may stand for many APIs."""
    written = list(dict.fromkeys((origin.file, origin.line, origin.text) for origin in origins))
    if not written:
        return
    click.echo(f"{title} ({len(written)})" if len(written) > 1 else title)
    shown = written if len(written) <= most + 1 else written[:most]  # a line that says "1 more" saves none
    for file, line, text in shown:
        click.echo(f"  {text}    {file}:{line}")
    if len(shown) < len(written):
        click.echo(f"  {len(written) - len(shown)} more; --long lists them")
    click.echo()
