"""``pyrograph lsp``: the language server, on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec

import click

from pyrograph.cli.errors import CLEAN, Refusal, complain
from pyrograph.lsp.jobs import ONCE_FLAG, WORKER_FLAG

NO_SHUTDOWN = 1  # as the protocol wants it, where the editor goes away without a word
REMEDY = "install it with: pip install 'pyrograph-scan[lsp]'"


@click.command()
@click.option("--stdio", is_flag=True, help="Accepted because editors pass it: nothing else is spoken.")
@click.option("--log", type=click.Path(dir_okay=False), metavar="FILE", help="Write what the server does to FILE.")
@click.option(WORKER_FLAG, is_flag=True, hidden=True)
@click.option(ONCE_FLAG, is_flag=True, hidden=True)
def lsp(stdio: bool, log: str | None, worker: bool, once: bool) -> int:
    """Run the language server: an editor starts it, and shows findings while code is written.

    It speaks the Language Server Protocol on standard input and output. docs/editors.md says how to set up editors.

    \b
    pip install 'pyrograph-scan[lsp]'
    pyrograph lsp
    """
    if worker:
        from pyrograph.lsp.worker import serve, serve_once

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides
        (serve_once if once else serve)(*_pipes())
        return CLEAN
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise Refusal(f"the language server needs the package pygls, which is not installed; {REMEDY}")
    if sys.stdin.isatty():
        complain("waiting for an editor on standard input; see docs/editors.md; Ctrl-C ends the server")
    from pyrograph.lsp.handlers import run

    return CLEAN if run(*_pipes(), log) else NO_SHUTDOWN


def _pipes() -> tuple[int, int]:
    """Standard input and output for the protocol alone: whatever else writes to standard output writes to the error."""
    reading, writing = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    if sys.platform == "win32":
        import msvcrt

        for each in (reading, writing):  # else line ends would be translated
            msvcrt.setmode(each, os.O_BINARY)
    return reading, writing


__all__ = ["lsp"]
