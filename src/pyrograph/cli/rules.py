"""``pyrograph rules``: what is looked for, why it matters, and whether the rules' own examples hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from pyrograph.cli.errors import CLEAN, FINDINGS, Refusal, refusing
from pyrograph.cli.infer import infer
from pyrograph.cli.pack_pages import missing_apis, pack_page
from pyrograph.cli.rule_pages import rule_page
from pyrograph.cli.rule_rows import pack_rows, print_table, rule_rows
from pyrograph.model.languages import rule_languages
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.model.words import plural

if TYPE_CHECKING:
    from pyrograph.rules import Rules
    from pyrograph.rules.entries import Example, Pack

FIRST_ENTRIES: Final = 8  # of one section that ``show`` lists without ``--long``

_rule_files = click.option(
    "--rules",
    "paths",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Additional rule file or directory.",
)


@click.group()
def rules() -> None:
    """Show, test and write rules."""


rules.add_command(infer)


@rules.command("list")
@click.option(
    "--language", type=click.Choice(rule_languages()), help="Only this language; TypeScript shares JavaScript's rules."
)
@click.option("--packs", is_flag=True, help="List the models of libraries instead of the rules.")
@click.option("--severity", type=click.Choice(SEVERITIES), help="Only rules of this severity or above.")
@click.option("--cwe", type=int, metavar="NUMBER", help="Only rules about this weakness.")
@click.option("--library", metavar="TEXT", help="Only rules and packs of libraries whose names contain this text.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="[text]")
@_rule_files
def list_rules(
    language: str | None,
    packs: bool,
    severity: str | None,
    cwe: int | None,
    library: str | None,
    form: str,
    paths: tuple[Path, ...],
) -> int:
    """List every rule: its id, severity, main weakness and title."""
    loaded = _load(paths)
    text = (library or "").lower()
    chosen = [
        pack
        for pack in loaded.packs
        if language in (None, pack.language) and text in f"{pack.name} {pack.library}".lower()
    ]
    rows = pack_rows(chosen) if packs else rule_rows(chosen, loaded)
    if not packs:
        least = SEVERITIES.index(severity) if severity else 0
        rows = [
            row
            for row in rows
            for rule in [loaded.vulnerabilities[str(row["id"]).partition("/")[2]]]
            if SEVERITIES.index(rule.severity) >= least and cwe in (None, *rule.cwe)
        ]
    if not rows:
        raise Refusal("no rule matches; omit an option, or see `pyrograph rules list`")
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
    else:
        print_table([[str(cell) for cell in row.values()] for row in rows])
    return CLEAN


@rules.command()
@click.argument("name", metavar="ID")
@click.option(
    "--long", "is_long", is_flag=True, help=f"List all entries, not the first {FIRST_ENTRIES} of each section."
)
@_rule_files
def show(name: str, is_long: bool, paths: tuple[Path, ...]) -> int:
    """Show a rule (python/sql-injection), a vulnerability (sql-injection) or a pack (python/flask)."""
    most = sys.maxsize if is_long else FIRST_ENTRIES
    loaded = _load(paths)
    for pack in loaded.packs:
        if pack.name == name:
            pack_page(pack, most)
            return CLEAN
    rule_page(loaded, name, most, own=bool(paths))
    return CLEAN


@rules.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def test(paths: tuple[Path, ...]) -> int:
    """Run the examples of the rule files in PATHS, or of all built-in packs.

    An example passes if exactly the lines are reported that its comments expect.
    """
    from pyrograph.rules import examples

    loaded = _load(paths)
    count = failures = 0
    for pack in loaded.packs:
        for example in pack.examples:
            if paths and not _is_from(example.origin.file, paths):
                continue
            count += 1
            for trouble in examples.run(example, lambda each: _found(each, loaded), pack.language):
                failures += 1
                click.echo(f"{example.origin.file}:{example.origin.line}: {example.name}: {trouble}")
                number = trouble.removeprefix("line ").partition(":")[0]
                if number.isdigit():
                    click.echo(f"    {number} | {example.code.splitlines()[int(number) - 1].strip()}")
    click.echo(f"{plural(count, 'example')}, {plural(failures, 'difference')}")
    _tell_off(pack for pack in loaded.packs if any(_is_from(each.origin.file, paths) for each in pack.examples))
    return FINDINGS if failures else CLEAN


@rules.command()
@click.argument("name", metavar="LANGUAGE/NAME")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("rules"), help="Where to write it. [rules]")
@click.option("--library", metavar="MODULE", help="The library's name as it is imported. [NAME]")
def new(name: str, folder: Path, library: str | None) -> int:
    """Write the beginning of a pack, with an example that passes: python/shop makes rules/shop.toml.

    Change the names in it to those of your library, then run `pyrograph rules test` on it.
    """
    from pyrograph.rules.template import TEMPLATES, pack_text

    language, _, pack = name.partition("/")
    if language not in rule_languages() or not pack:
        raise Refusal(f"{name!r} is not LANGUAGE/NAME; write, for example, 'python/shop'")
    if language not in TEMPLATES:
        raise Refusal(f"no template of a pack for {language}; docs/rule-language.md says what a pack holds")
    file = folder / f"{pack}.toml"
    if file.exists():
        raise Refusal(f"{file} exists; choose another name, or remove the file")
    with refusing():
        text = pack_text(language, pack, library or pack)
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    click.echo(f"{file}\n\nnext: pyrograph rules test {file}\n      pyrograph scan --rules {folder}")
    return CLEAN


@rules.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
def lint(paths: tuple[Path, ...]) -> int:
    """Report probable mistakes in the rule files in PATHS, or in all built-in packs.

    These are duplicates, entries that another entry without a condition makes pointless, entries that no program can
    match, sinks without sources, and packs without examples.
    """
    from pyrograph.rules.lint import lint as complaints

    loaded = _load(paths)
    found = [
        text
        for text in complaints(loaded.packs, loaded.vulnerabilities)
        if not paths or _is_from(text.rpartition(".toml:")[0] + ".toml", paths)
    ]
    for text in found:
        click.echo(text)
    click.echo(plural(len(found), "complaint"))
    return FINDINGS if found else CLEAN


@rules.command()
def schema() -> int:
    """Print the JSON schema of rule files, for editors that complete and check TOML."""
    from pyrograph.rules.schema import text

    click.echo(text(), nl=False)
    return CLEAN


def _found(example: Example, loaded: Rules) -> list[tuple[int, str, int]]:
    """(line of the sink, vulnerability, line of the source) of what a scan of the example alone finds.

    All kinds are on but ``library``, which makes every parameter of every public function a source. Refuses after an
    internal error: an example that expects nothing would pass.
    """
    from pyrograph import scanner
    from pyrograph.rules import KINDS
    from pyrograph.scanner.options import ScanOptions

    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        file = root / example.file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(example.code, encoding="utf-8")
        options = ScanOptions(
            paths=(file,),
            root=root,
            profile="audit",
            confidence="medium",
            threat_models=frozenset(KINDS) - {"library"},
            libraries=False,
            jobs=1,
            device="cpu",
        )
        report = scanner.scan(options, loaded)
    for problem in report.problems:
        if problem.kind == "internal-error":
            raise Refusal(f"{example.origin.file}:{example.origin.line}: {example.name}: {problem.message}")
    return [
        (finding.end_of(trace).line, finding.vulnerability, trace.steps[0].place.line)
        for finding in report.findings
        for trace in finding.traces
    ]


def _is_from(name: str, paths: tuple[Path, ...]) -> bool:
    """Whether a rule file lies in ``paths``; the names of built-in files are relative to the folder of all of them."""
    from pyrograph.rules.load import BUILT_IN

    files = Path(name).resolve(), BUILT_IN / name
    return any(file.is_relative_to(path.resolve()) for path in paths for file in files)


def _load(paths: tuple[Path, ...]) -> Rules:
    """All rules, entries included that are off in a scan unless it has --unverified."""
    from pyrograph.rules import load_rules

    with refusing():
        return load_rules(None, paths, unverified=True)


def _tell_off(packs: Iterable[Pack]) -> None:
    """Name the entries of these packs that a scan leaves out: the examples use them."""
    from pyrograph.rules.proofs import apis_of_entry, entries_of, spelled_path, split

    chosen = list(packs)
    missing = missing_apis(chosen)
    off = [entry for pack in chosen for entry in entries_of(split(pack, missing)[1])]
    if off:
        names = sorted({spelled_path(api) for entry in off for api in apis_of_entry(entry)} & missing)
        verb = "is" if len(off) == 1 else "are"
        click.echo(f"{len(off)} {'entry' if len(off) == 1 else 'entries'} {verb} off in a scan: {', '.join(names)}")
