"""``pyrograph diff``: the findings that are new between two states of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pyrograph.cli.given import Given
from pyrograph.cli.scan import run_scan, scan
from pyrograph.scanner.options import Revisions

# Options of ``scan`` that make no sense between two states.
NOT_OURS = frozenset({"paths", "changed_since", "write_baseline"})


def _diff(base: str, head: str | None, merge_base: bool, paths: tuple[Path, ...], **typed: Any) -> int:
    given = Given.typed({**typed, "paths": paths, "changed_since": None, "write_baseline": None})
    return run_scan(given, Revisions(base, head or "", merge_base))


diff = click.Command(
    "diff",
    callback=_diff,
    params=[
        click.Argument(["base"]),
        click.Argument(["head"], required=False),
        click.Option(
            ["--path", "paths"],
            multiple=True,
            type=click.Path(exists=True, path_type=Path),
            help="File or directory to scan; repeatable. [the current directory]",
        ),
        click.Option(
            ["--merge-base/--no-merge-base"],
            default=True,
            help="Compare with the commit where HEAD left BASE, and not with BASE itself. [yes]",
        ),
        *(each for each in scan.params if each.name not in NOT_OURS),
    ],
    help="""Report findings that are new in HEAD since it left BASE; both are branches, tags or commits of git.

    Without HEAD, the work tree is compared: what is committed, staged, changed and not tracked. Both states are
    analysed as whole programs, so a finding is new whatever part of the change causes it. Findings whose code was
    moved, renamed or formatted anew are not new. The exit code is that of a scan in which only new findings count.

    \b
    pyrograph diff main
    pyrograph diff main feature --format markdown:comment.md
    pyrograph diff v1.0 v1.1 --no-merge-base --format json
    """,
)
