"""``pyrograph fleet``: many repositories, one store. docs/fleet.md is the reference."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pyrograph.cli.errors import CLEAN, INCOMPLETE, Refusal, complain, refusing
from pyrograph.model.words import plural

if TYPE_CHECKING:
    from pyrograph.fleet.outcome import Outcome, Task
    from pyrograph.fleet.store import Store

NEEDED = ("distributed", "sqlalchemy", "alembic", "jinja2", "starlette", "uvicorn")  # the extra ``fleet``
STORE = "fleet.db"
LOOPBACK = "127.0.0.1"
TOKEN = "PYROGRAPH_FLEET_TOKEN"
SHORTEST = len("0123456789abcdef")  # of a token


class _Fleet(click.Group):
    """A group that says at once which packages are missing."""

    def invoke(self, ctx: click.Context) -> object:
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            raise Refusal(
                f"`pyrograph fleet` needs packages that are not installed ({', '.join(missing)}); "
                "install them with: pip install 'pyrograph-scan[fleet]'"
            )
        if sys.platform == "win32":
            raise Refusal("`pyrograph fleet` limits processes as POSIX systems can; run it in WSL or in a container")
        return super().invoke(ctx)


@click.group(cls=_Fleet, context_settings={"help_option_names": ["-h", "--help"]})
def fleet() -> None:
    """Scan many repositories, keep what was found in one store, and look at it.

    \b
    pyrograph fleet scan fleet.toml             scan what the file names; stop and continue as you like
    pyrograph fleet list                        list repositories: last scan, open findings, trouble
    pyrograph fleet report pages                write static pages of the store
    pyrograph fleet serve                       show the same pages live, on this machine
    pyrograph fleet mark REPOSITORY ID false --reason "..."
    pyrograph fleet export findings.parquet     write all findings as a table

    It needs the extra `fleet`. Exit codes: 0 done; 2 wrong usage, or a store or scheduler that failed; 3 some
    repositories were not scanned, under --strict.
    """


_STORE = click.option("--store", metavar="STORE", help=f"SQLite file, or address of a PostgreSQL database. [{STORE}]")


@fleet.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--store", metavar="STORE", help="Instead of the one that FILE names: a path, or postgresql://...")
@click.option(
    "--scheduler", metavar="ADDRESS", help="Dask scheduler that runs, or its file. [a cluster on this machine]"
)
@click.option("--workers", type=click.IntRange(min=1), help="Scans at a time on this machine. [one for each CPU]")
@click.option("--restart", is_flag=True, help="Begin a new run, even if the last one was stopped.")
@click.option("--retry", is_flag=True, help="Go on with the last run, and scan again what did not succeed in it.")
@click.option("--dry-run", is_flag=True, help="List what FILE names, and scan nothing.")
@click.option("--strict", is_flag=True, help="Exit with 3 if a repository was not scanned.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what did not succeed.")
def scan(
    file: Path,
    store: str | None,
    scheduler: str | None,
    workers: int | None,
    restart: bool,
    retry: bool,
    dry_run: bool,
    strict: bool,
    quiet: bool,
) -> int:
    """Scan the repositories that FILE names, each in a process of its own, and record the findings.

    A run that was stopped goes on when the same command is given again.
    """
    from pyrograph.fleet.cluster import Local, own_memory, own_threads
    from pyrograph.fleet.fleetfile import read_fleet
    from pyrograph.fleet.run import scan_fleet
    from pyrograph.fleet.targets import tasks_of

    if restart and retry:
        raise Refusal("--restart begins a new run, --retry goes on with the last one; give one of them")
    with refusing():
        named = read_fleet(file)
        tasks = tasks_of(named)
    if dry_run:
        for task in tasks:
            click.echo(f"{task.name}{'@' if task.revision else ''}{task.revision}\t{task.place}")
        return CLEAN

    def notify(task: Task, outcome: Outcome, done: int, total: int) -> None:
        if quiet and outcome.status == "done":
            return
        what = plural(outcome.findings, "finding") if outcome.status == "done" else outcome.status
        at = f"@{task.revision}" if task.revision else ""
        reason = f": {outcome.reason}" if outcome.reason else ""
        complain(f"[{done}/{total}] {task.name}{at}: {what}, {outcome.seconds:.1f} s{reason}")

    def notify_library(task: Task, outcome: Outcome) -> None:
        if outcome.status != "done":
            lost = "the others are scanned without its model" if not outcome.models else "a model is missing"
            complain(f"library {task.name}: {outcome.status}: {outcome.reason}; {lost}")
        elif not quiet:
            complain(f"library {task.name}: {plural(len(outcome.models), 'model')}")

    where = scheduler or Local(workers or own_threads(), own_memory())
    with _opened(store or named.store, writable=True) as opened, refusing():
        summary = scan_fleet(
            named,
            tasks,
            opened,
            where,
            afresh=restart,
            retry=retry,
            notify=notify,
            notify_library=notify_library,
            say=complain,
        )
    failed = summary.statuses.total() - summary.statuses["done"]
    parts = [f"run {summary.run}: {plural(summary.statuses['done'], 'tree')} scanned"]
    parts += [f"{summary.continued:,} recorded before"] * bool(summary.continued)
    parts += [f"{failed:,} not scanned"] * bool(failed)
    complain(", ".join(parts) + f"; store: {opened.shown}")
    return INCOMPLETE if (failed or summary.without_model) and strict else CLEAN


@fleet.command("list")
@_STORE
@click.option("--trouble", is_flag=True, help="Only repositories whose last scan did not succeed.")
def list_(store: str | None, trouble: bool) -> int:
    """List the repositories of the store: open findings, the status of the last scan, and its reason."""
    from pyrograph.fleet.store.lists import every_repository
    from pyrograph.report.safe_text import visible

    with _opened(store or STORE, writable=False) as opened, refusing(), opened.reading() as connection:
        for row in every_repository(connection, trouble=trouble):
            at = f"@{row['revision']}" if row["revision"] else ""
            line = f"{row['name']}{at}\t{row['open']}\t{row['status']}\t{row['reason']}"
            click.echo("\t".join(visible(part) for part in line.split("\t")))
    return CLEAN


@fleet.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@_STORE
def report(directory: Path, store: str | None) -> int:
    """Write the pages of the store into DIRECTORY: index.html is the first one."""
    from pyrograph.fleet.pages.site import write_site

    with _opened(store or STORE, writable=False) as opened, refusing(while_doing="cannot write the pages"):
        count = write_site(opened, directory, int(time.time()))
    click.echo(f"{directory / 'index.html'}: {plural(count, 'page')}")
    return CLEAN


@fleet.command()
@click.option("--host", default=LOOPBACK, metavar="ADDRESS", help=f"Address to listen at. [{LOOPBACK}]")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8600, help="Port to listen at; 0 takes a free one. [8600]"
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"File with the token that readers need. [the environment variable {TOKEN}]",
)
@_STORE
def serve(host: str, port: int, token_file: Path | None, store: str | None) -> int:
    """Show the pages of the store live, read-only: to browsers on this machine, to others only with a token.

    Other addresses than this machine's own want a token, and something before them that speaks HTTPS: the token and
    the findings are sent as they are.
    """
    from pyrograph.fleet.pages.server import run

    with refusing(while_doing="cannot read the token"):
        token = token_file.read_text(encoding="utf-8").strip() if token_file else os.environ.get(TOKEN, "").strip()
    if token_file and not token:
        raise Refusal(f"{token_file}: the file is empty; write a token of at least {SHORTEST} characters into it")
    if token and len(token) < SHORTEST:
        raise Refusal(
            f"the token is too short to be secret; take at least {SHORTEST} characters, such as those of "
            "`python -c 'import secrets; print(secrets.token_urlsafe())'`"
        )
    if not token and host not in ("127.0.0.1", "::1", "localhost"):
        raise Refusal(f"{host} is not an address of this machine alone; give a token with --token-file or {TOKEN}")
    with _opened(store or STORE, writable=False) as opened:
        complain(f"http://{f'[{host}]' if ':' in host else host}:{port} shows {opened.shown}; Ctrl-C ends it")
        run(opened, host, port, token)
    return CLEAN


@fleet.command()
@click.argument("repository")
@click.argument("id")
@click.argument("verdict", type=click.Choice(["true", "false", "later", "none"]))
@click.option("--reason", default="", metavar="TEXT", help="Why; a finding is not marked false without one.")
@_STORE
def mark(repository: str, id: str, verdict: str, reason: str, store: str | None) -> int:
    """Mark the finding ID (the beginning of a fingerprint) of REPOSITORY with VERDICT; "none" removes the mark."""
    from pyrograph.fleet.store.marks import mark as change

    with _opened(store or STORE, writable=True, create=False) as opened, refusing():
        count = opened.write(change(repository, id, verdict, " ".join(reason.split()), int(time.time())))
    click.echo(f"marked {verdict}, in {plural(count, 'revision')} of {repository}")
    return CLEAN


@fleet.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_STORE
def export(file: Path, store: str | None) -> int:
    """Write all findings, open and closed, to FILE as a Parquet table (needs the extra `parquet`)."""
    if find_spec("pyarrow") is None:
        raise Refusal(
            "the export needs the package pyarrow, which is not installed; "
            "install it with: pip install 'pyrograph-scan[parquet]'"
        )
    from pyrograph.fleet.store.parquet import write_parquet

    with _opened(store or STORE, writable=False) as opened, refusing():
        count = write_parquet(opened, file)
    click.echo(f"{file}: {plural(count, 'finding')}")
    return CLEAN


@contextmanager
def _opened(address: str, *, writable: bool, create: bool = True) -> Iterator[Store]:
    """The store, open; what it refuses is one line."""
    from pyrograph.fleet.store import open_store

    with refusing():
        opened = open_store(address, writable=writable, create=create)
    with opened:
        yield opened


__all__ = ["fleet"]
