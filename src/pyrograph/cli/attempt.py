"""What a command knows of the attempt that it is: how earlier ones ended, whom to notify, and who watches it."""

from __future__ import annotations

from collections.abc import Callable

import click

from pyrograph.cli.errors import complain
from pyrograph.cli.supervise import Attempt
from pyrograph.scanner.stages import FaultPolicy


def this_attempt() -> Attempt:
    """The attempt that the command is."""
    found = click.get_current_context().obj
    return found if isinstance(found, Attempt) else Attempt()


def become(attempt: Attempt) -> None:
    """Be another attempt from now on: in the child that makes it."""
    click.get_current_context().obj = attempt


def mark_stage(name: str, done: int = 0, total: int = 0) -> None:
    """Note a stage that begins, for a message about a crash; serves as the ``progress`` of a scan without a bar."""
    del total
    if not done:
        this_attempt().mark(name)


def on_error(*, debug: bool) -> Callable[[BaseException], None] | None:
    """The action for each internal error, besides the report."""
    return this_attempt().on_error or (_show_traceback if debug else None)


def fault_policy(*, debug: bool) -> FaultPolicy:
    """What a scan does about faults, after what ended earlier attempts."""
    attempt = this_attempt()
    return FaultPolicy(attempt.isolated_files, attempt.in_parts, on_error(debug=debug))


def _show_traceback(error: BaseException) -> None:
    import traceback

    for line in "".join(traceback.format_exception(error)).splitlines():
        complain(line)
