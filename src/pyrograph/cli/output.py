"""Where reports go: standard output, or files that appear whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from pyrograph.cli.errors import Refusal
from pyrograph.model.finding import Report
from pyrograph.report import FORMATS, render
from pyrograph.scanner.files import writing


@dataclass(frozen=True, slots=True)
class Output:
    """One report that was asked for."""

    format: str  # a key of FORMATS
    path: Path | None  # None: standard output


class OutputType(click.ParamType[Output]):
    """``NAME`` or ``NAME:FILE``."""

    name = "format"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NAME[:FILE]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Output:
        if isinstance(value, Output):
            return value
        name, _, path = str(value).partition(":")
        if name not in FORMATS:
            self.fail(f"unknown format {name!r}; choose one of {', '.join(FORMATS)}", param, ctx)
        return Output(name, Path(path) if path else None)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [click.shell_completion.CompletionItem(name) for name in FORMATS if name.startswith(incomplete)]


def check_outputs(outputs: tuple[Output, ...]) -> None:
    """Refuse what would mix two reports or fail only after the scan.

    Raises:
        Refusal: Two reports for one place, or a file whose directory is not there.
    """
    places = [output.path for output in outputs]
    if places.count(None) > 1:
        raise Refusal("two reports for standard output; give all but one a file: --format NAME:FILE")
    for path in places:
        if path is None:
            continue
        if places.count(path) > 1:
            raise Refusal(f"{path}: two reports for one file; give each its own")
        if not path.parent.is_dir():
            raise Refusal(f"{path}: there is no directory {path.parent}; make it, or choose another file")
        if path.is_dir():
            raise Refusal(f"{path}: is a directory; name a file")


def write_reports(
    outputs: tuple[Output, ...], report: Report, *, color: str, quiet: bool, **settings: object
) -> list[tuple[Output, Exception]]:
    """Render every output; files first, so that a reader who closes standard output loses none of them.

    Returns:
        The outputs whose rendering failed, and how: an error in one format does not cost the others.
    """
    failed: list[tuple[Output, Exception]] = []
    for output in sorted(outputs, key=lambda output: output.path is None):
        try:
            _write(output, report, color=color, quiet=quiet, **settings)
        except (Refusal, OSError, MemoryError):
            raise
        except Exception as error:
            failed.append((output, error))
    return failed


def _write(output: Output, report: Report, *, color: str, quiet: bool, **settings: object) -> None:
    if output.path is not None:
        with replacing(output.path) as stream:
            in_file = "always" if color == "always" else "never"
            render(output.format, report, stream, color=in_file, **settings)
    elif not (quiet and FORMATS[output.format].for_people and not report.findings):
        stdout = standard_output(for_people=FORMATS[output.format].for_people)
        try:
            render(output.format, report, stdout, color=color, **settings)
            stdout.flush()
        except BrokenPipeError:
            forget_standard_output()


def standard_output(*, for_people: bool) -> TextIO:
    """Standard output; UTF-8 with plain line ends for programs, in the terminal's own encoding for people."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        if for_people:
            reconfigure(errors="backslashreplace")
        else:
            reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def forget_standard_output() -> None:
    """Go on quietly when the reader of standard output, such as ``head``, has seen enough.

    Python flushes once more when it exits; what is left must not reach the closed pipe.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A stream whose content becomes the file ``path`` in one step, if nothing goes wrong meanwhile.

    What is no regular file (a pipe, ``/dev/stderr``) is written to directly.

    Raises:
        Refusal: The file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8", newline="\n") as plain:
                yield plain
            return
        with writing.replacing(Path(os.path.realpath(path))) as content:
            stream = TextIOWrapper(content, encoding="utf-8", newline="\n")
            yield stream
            stream.detach()  # writes what it holds
    except OSError as error:
        raise Refusal(f"{path}: cannot write the report: {error.strerror or error}; choose another file") from None
