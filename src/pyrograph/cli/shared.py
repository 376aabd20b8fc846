"""Options that commands share: types of values, and what decides which files, rules and configuration are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pyrograph.model.vulnerability import SEVERITIES


class _Lists(click.ParamType[tuple[str, ...]]):
    """Names separated by commas."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(name for name in (part.strip() for part in str(value).split(",")) if name)


def _flatten(
    _context: click.Context, _parameter: click.Parameter, value: tuple[tuple[str, ...], ...]
) -> tuple[str, ...]:
    return tuple(name for names in value for name in names)


_Command = Callable[..., int]


def names(flag: str, metavar: str, help: str) -> Callable[[_Command], _Command]:
    """An option with names separated by commas, repeatable."""
    return click.option(flag, type=_Lists(), multiple=True, callback=_flatten, metavar=metavar, help=help)


EXISTING = click.Path(exists=True, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
SEVERITY = click.Choice(SEVERITIES)
AT_LEAST_ONE = click.IntRange(min=1)


_READING = (
    click.option("--rules", type=EXISTING, multiple=True, help="Additional rule file or directory; repeatable."),
    click.option("--unverified", is_flag=True, help="Also use rule entries whose API was not found in its library."),
    click.option(
        "--include", multiple=True, metavar="PATTERN", help="Scan only files that match; gitignore syntax, repeatable."
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip files and directories that match; gitignore syntax, repeatable.",
    ),
    click.option("--gitignore/--no-gitignore", default=True, help="Obey .gitignore files. [yes]"),
    click.option(
        "--default-excludes/--no-default-excludes",
        default=True,
        help="Skip dependencies, build output, minified and generated files. [yes]",
    ),
    click.option("--max-file-size", type=AT_LEAST_ONE, metavar="BYTES", help="Skip larger files. [1000000]"),
    click.option(
        "--root",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Directory that paths in the report are relative to. [the repository]",
    ),
    click.option("--config", type=FILE, help="Configuration file to use instead of the project's."),
    click.option("--isolated", is_flag=True, help="Ignore the project's configuration and marks."),
    click.option(
        "--cache",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIRECTORY",
        help="Directory for caches. [the user's, see `pyrograph cache info`]",
    ),
    click.option("--no-cache", is_flag=True, help="Neither read nor write a cache."),
    click.option(
        "--dependencies",
        type=click.Choice(["packs", "infer"]),
        default="packs",
        help="Libraries that no pack describes: unknown, or inferred from their source beside the program. [packs]",
    ),
    click.option(
        "--environment",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        multiple=True,
        help="Virtual environment, or directory with one, node_modules or vendor, for --dependencies; repeatable.",
    ),
)


def reading(command: _Command) -> _Command:
    """Add the options that decide which files, rules and configuration are read."""
    for option in reversed(_READING):
        command = option(command)
    return command
