"""``pyrograph rules infer``: the model of a library, from its own source."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pyrograph.cli.errors import CLEAN, Refusal, refusing
from pyrograph.model.languages import rule_languages


@click.command()
@click.argument("target", metavar="PACKAGE|DIRECTORY")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Where to write it. [stdout]")
@click.option("--language", type=click.Choice(rule_languages()), help="Of the library. [as its files say]")
@click.option("--package", metavar="NAME", help="What programs import the library as. [as its manifest says]")
@click.option(
    "--environment",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="Where PACKAGE is installed: a virtual environment, or a directory with one, node_modules or vendor. [.]",
)
@click.option(
    "--rules",
    "paths",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Additional rule file or directory.",
)
def infer(
    target: str,
    output: Path | None,
    language: str | None,
    package: str | None,
    environment: tuple[Path, ...],
    paths: tuple[Path, ...],
) -> int:
    """Write a pack about a library, inferred from its own source, which is read and never run.

    PACKAGE is looked up in virtual environments, node_modules, vendor and the module cache of Go.
    """
    from pyrograph.rules import load_rules
    from pyrograph.scanner.infer.infer import infer as inferred
    from pyrograph.scanner.infer.library import LibraryError, installed, library_at
    from pyrograph.scanner.machine import available_jobs
    from pyrograph.userfolder import cache_folder

    try:
        if Path(target).is_dir():
            library = library_at(Path(target), language, package)
        else:
            places = [each.resolve() for each in environment or (Path(),)]
            found = installed(target, [*places, *go_module_cache()], language)
            if found is None:
                raise Refusal(f"no package {target!r} is installed here; name its directory, or use --environment")
            library = found
    except LibraryError as error:
        raise Refusal(str(error)) from error
    with refusing():
        loaded = load_rules([library.language], paths)
    pack = inferred(library, loaded, jobs=available_jobs(), cache=cache_folder())
    if pack is None:
        raise Refusal(f"{library.source.name} has no public function whose source is at hand")
    if output is None:
        click.echo(pack.text, nl=False)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(pack.text, encoding="utf-8")
        count = f"{pack.entries:,} {'entry' if pack.entries == 1 else 'entries'}"
        click.echo(f"{output}: {count} about {pack.library} {pack.version}\n".rstrip())
    return CLEAN


def go_module_cache() -> list[Path]:
    """Where Go keeps the source of modules, if there is such a directory."""
    folder = os.environ.get("GOMODCACHE", "")
    paths = os.environ.get("GOPATH", "").split(os.pathsep)
    found = Path(folder) if folder else (Path(paths[0]) if paths[0] else Path.home() / "go") / "pkg" / "mod"
    return [found] if found.is_dir() else []


__all__ = ["go_module_cache", "infer"]
