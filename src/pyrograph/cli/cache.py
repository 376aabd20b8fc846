"""``pyrograph cache``: where results of earlier scans are kept, how much, and how to remove them."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from pyrograph import userfolder
from pyrograph.cli.errors import CLEAN, Refusal, refusing
from pyrograph.cli.given import choose_cache
from pyrograph.model.words import plural
from pyrograph.policy.limits.caches import CACHE_BYTES, REPORT_CACHE_BYTES, STATE_CACHE_BYTES, WHOLE_CACHE_BYTES

# What is kept -> names in the folder, those of former formats included. Nothing else there is counted or removed.
KINDS = {
    "reports": ("reports",),
    "states": ("states",),
    "units": ("units-2.sqlite", "units-2.sqlite-journal", "units.sqlite"),
    "rules": ("rules",),
    "inferred": ("inferred",),
    "kernels": ("kernels", "numba"),
}
BOUNDS = {"reports": REPORT_CACHE_BYTES, "states": STATE_CACHE_BYTES, "units": CACHE_BYTES}  # bytes

_directory = click.option(
    "--cache",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIRECTORY",
    help="Directory for caches. [the user's]",
)


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind of results."""

    what: str
    files: int
    bytes: int
    bound: int | None  # bytes; None where entries are few


@click.group()
def cache() -> None:
    """Show or remove results that are kept between scans."""


@cache.command()
@_directory
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="[text]")
def info(directory: Path | None, form: str) -> int:
    """Show where results are kept, and how much space they take."""
    folder = _folder(directory)
    kept = [_kept(folder, what) for what in KINDS]
    if form == "json":
        click.echo(json.dumps({"directory": str(folder), "kept": [asdict(each) for each in kept]}, indent=2))
        return CLEAN
    click.echo(str(folder))
    for each in kept:
        bound = f" of at most {_size(each.bound)}" if each.bound is not None else ""
        click.echo(f"  {each.what:<8} {plural(each.files, 'file')}, {_size(each.bytes)}{bound}")
    return CLEAN


@cache.command()
@_directory
def clear(directory: Path | None) -> int:
    """Remove all results that are kept. The next scan takes longer and reports the same."""
    folder = _folder(directory)
    before = sum(_kept(folder, what).bytes for what in KINDS)
    with refusing(while_doing="cannot remove the cache"):
        for name in (name for names in KINDS.values() for name in names):
            place = folder / name
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
    click.echo(f"{folder}: {_size(before)} removed")
    return CLEAN


def _folder(directory: Path | None) -> Path:
    choose_cache(directory)
    folder = userfolder.cache_folder()
    if folder is None:
        raise Refusal("there is no directory for caches that only you can write to; name one with --cache")
    return folder


def _kept(folder: Path, what: str) -> Kept:
    sizes = [size for name in KINDS[what] for size in _sizes(folder / name)]
    bound = BOUNDS.get(what)
    return Kept(what, len(sizes), sum(sizes), None if bound is None else userfolder.bound(bound, WHOLE_CACHE_BYTES))


def _sizes(place: Path) -> Iterator[int]:
    """The size of each file at or below ``place``; links are not followed."""
    with suppress(OSError):
        status = os.lstat(place)
        if not stat.S_ISDIR(status.st_mode):
            yield status.st_size
            return
    for directory, _, names in os.walk(place):
        for name in names:
            with suppress(OSError):
                yield os.lstat(os.path.join(directory, name)).st_size


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
