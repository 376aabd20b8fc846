"""Exit codes, and one way to say on standard error what went wrong."""

from __future__ import annotations

import click

from pyrograph.model.refusal import Refusal, refusing

CLEAN = 0
FINDINGS = 1
REFUSED = 2  # usage, rules, configuration, nothing to analyse, internal error
INCOMPLETE = 3  # under --strict
INTERRUPTED = 130  # 128 + SIGINT, as shells say it


def complain(message: str) -> None:
    """Say something on standard error; names of files and rules in it cannot steer the terminal."""
    from pyrograph.report.safe_text import visible

    for line in message.split("\n"):
        click.echo(f"pyrograph: {visible(line)}", err=True)


__all__ = ["CLEAN", "FINDINGS", "INCOMPLETE", "INTERRUPTED", "REFUSED", "Refusal", "complain", "refusing"]
