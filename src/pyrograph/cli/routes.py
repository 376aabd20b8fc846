"""``pyrograph routes``: all entry points of a program."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import click

from pyrograph.cli.attempt import fault_policy, mark_stage
from pyrograph.cli.errors import CLEAN
from pyrograph.cli.given import rules_for
from pyrograph.cli.scan import settings
from pyrograph.cli.shared import reading


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", help="Format. [text]")
@reading
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes. [as many as CPUs may be used]")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def routes(paths: tuple[Path, ...], form: str, **typed: Any) -> int:
    """List the entry points of the program in PATHS: what its routes are, and which function handles each.

    For each: the methods of HTTP, the route with the prefixes of the groups that it is registered in, the handler, what
    code behind it reads of the request, whom a visible check in front asks for (an account, an administrator), and how
    many findings of a scan with default options it leads to. Prefixes in braces are not constant.

    \b
    pyrograph routes src
    pyrograph routes src --format json
    """
    from pyrograph.report.routes import write_routes_json, write_routes_text
    from pyrograph.scanner.pipeline import scan
    from pyrograph.scanner.triage.decisions import decided, decisions

    options, config = settings(paths=paths, **typed)
    options = replace(options, surface=True)
    policy = fault_policy(debug=typed["debug"])
    held = decisions(options, replace(config, baseline=None), isolated=typed["isolated"])
    report = decided(scan(options, partial(rules_for, options), mark_stage, policy), held, options)
    for problem in report.problems:
        if problem.incomplete:
            click.echo(f"pyrograph: {problem.path or 'scan'}: {problem.message}", err=True)
    stream = StringIO()
    if form == "json":
        write_routes_json(report.surface, stream)
    else:
        write_routes_text(report.surface, stream)
    click.echo(stream.getvalue(), nl=False)
    return CLEAN


__all__ = ["routes"]
