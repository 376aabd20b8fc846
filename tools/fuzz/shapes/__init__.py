"""Shapes: programs made of one construct repeated or nested, each a way in which a stage could become super-linear.

A shape is a generator ``(size) -> {path: text}`` with a name, a language and two sizes. ``size`` counts what is
repeated or nested, so a shape of twice the size should take about twice the time. ``largest`` is the size whose largest
file comes close to ``DEFAULT_MAX_FILE_SIZE`` without passing it; shapes of many files choose a size that a repository
could have.

The promise: at its largest size a scan takes at most ``MAX_SECONDS`` of CPU and ``MAX_BYTES`` of memory, or stops
earlier at a limit that the report names. ``python -m tools.fuzz.shapes`` measures it.

Every module of this package registers its shapes when it is imported; ``shapes`` imports them all.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module

from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE

MAX_SECONDS = 20.0  # CPU seconds of one scan, of the process and its children
MAX_BYTES = 1_000_000_000  # peak resident memory of the scan's largest process

Files = Mapping[str, str]  # path relative to the scanned directory -> text
Generate = Callable[[int], Files]


@dataclass(frozen=True)
class Shape:
    """One generator and the sizes it is run at."""

    name: str  # words with "-" between them
    language: str  # of the file that matters: python, javascript, typescript, tsx, go, template, text
    generate: Generate  # deterministic
    small: int  # a size for the test suite: well under a second
    arguments: tuple[str, ...]  # further arguments of the scan
    given: int  # the largest size, 0 where the size limit of files says it

    @cached_property
    def largest(self) -> int:
        """The size for the largest file that is read; takes a second where it has to be looked for."""
        return self.given or _fitting(self.generate)


_SHAPES: dict[str, Shape] = {}


def shape(
    language: str, *, largest: int = 0, small: int = 100, arguments: tuple[str, ...] = (), name: str = ""
) -> Callable[[Generate], Generate]:
    """Register a generator under its name.

    Args:
        language: As in ``Shape``.
        largest: The size of the largest program; if it is not given, the size whose largest file just fits
            ``DEFAULT_MAX_FILE_SIZE``.
        small: The size in the test suite.
        arguments: Further arguments of ``pyrograph scan``.
        name: The shape's name; the function's, with "-" for "_", if it is not given.

    Raises:
        ValueError: Two shapes have one name.
    """

    def register(generate: Generate) -> Generate:
        called = name or generate.__name__.replace("_", "-")
        if called in _SHAPES:
            raise ValueError(f"two shapes are called {called}")
        _SHAPES[called] = Shape(called, language, generate, small, arguments, largest)
        return generate

    return register


def _fitting(generate: Generate) -> int:
    """The largest size whose largest file has at most ``DEFAULT_MAX_FILE_SIZE`` bytes, to two digits; at least 10."""
    fits, over = 10, 0
    while not over:
        if _bytes(generate(4 * fits)) > DEFAULT_MAX_FILE_SIZE:
            over = 4 * fits
        else:
            fits *= 4
    while over - fits > max(1, fits // 50):
        middle = (fits + over) // 2
        if _bytes(generate(middle)) > DEFAULT_MAX_FILE_SIZE:
            over = middle
        else:
            fits = middle
    return fits


def _bytes(files: Files) -> int:
    return max(len(text.encode()) for text in files.values())


def shapes() -> dict[str, Shape]:
    """All shapes by name, sorted."""
    for module in sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("__")):
        import_module(f"{__name__}.{module}")
    return dict(sorted(_SHAPES.items()))
