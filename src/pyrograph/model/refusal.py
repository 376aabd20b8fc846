"""What the user can mend, as one exception: the command line prints it, the language server shows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Refusal(Exception):
    """Something that the user can mend; the message names place, trouble and remedy."""


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
