"""Exit codes, and one way to say on standard error what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

CLEAN = 0
FINDINGS = 1
REFUSED = 2  # usage, rules, configuration, nothing to analyse, internal error
INCOMPLETE = 3  # under --strict
INTERRUPTED = 130  # 128 + SIGINT, as shells say it


def complain(message: str) -> None:
    """Say something on standard error; names of files and rules in it cannot steer the terminal."""
    from pyrograph.report.common import visible

    for line in message.split("\n"):
        click.echo(f"pyrograph: {visible(line)}", err=True)


class Refusal(click.ClickException):
    """Something the user can mend; the message names place, trouble and remedy."""

    def show(self, file: object = None) -> None:
        """Print the message; ``file`` is click's, and always standard error here."""
        complain(self.message)


@contextmanager
def refusing(*, while_doing: str = "") -> Iterator[None]:
    """Turn the errors by which our own functions refuse their input into a ``Refusal``.

    To be put around single calls only: a ``ValueError`` from anywhere else is a fault of ours.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise Refusal(f"{while_doing}: {name}{error.strerror or error}".removeprefix(": ")) from None
    except ValueError as error:
        raise Refusal("\n".join([str(error), *getattr(error, "__notes__", ())])) from None
