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
from importlib import import_module

MAX_SECONDS = 20.0  # CPU seconds of one scan, of the process and its children
MAX_BYTES = 1_000_000_000  # peak resident memory of the scan's largest process

Files = Mapping[str, str]  # path relative to the scanned directory -> text
Generate = Callable[[int], Files]


@dataclass(frozen=True, slots=True)
class Shape:
    """One generator and the sizes it is run at."""

    name: str  # the function's name with "-" for "_"
    language: str  # of the file that matters: python, javascript, typescript, tsx, go, template, text
    generate: Generate  # deterministic
    largest: int  # the size for the largest file that is read
    small: int  # a size for the test suite: well under a second
    arguments: tuple[str, ...]  # further arguments of the scan


_SHAPES: dict[str, Shape] = {}


def shape(
    language: str, *, largest: int, small: int = 0, arguments: tuple[str, ...] = ()
) -> Callable[[Generate], Generate]:
    """Register a generator under its name.

    Args:
        language: As in ``Shape``.
        largest: The size of the largest program.
        small: The size in the test suite; a hundredth of the largest, at least 2, if it is not given.
        arguments: Further arguments of ``pyrograph scan``.

    Raises:
        ValueError: Two shapes have one name.
    """

    def register(generate: Generate) -> Generate:
        name = generate.__name__.replace("_", "-")
        if name in _SHAPES:
            raise ValueError(f"two shapes are called {name}")
        _SHAPES[name] = Shape(name, language, generate, largest, small or max(2, largest // 100), arguments)
        return generate

    return register


def shapes() -> dict[str, Shape]:
    """All shapes by name, sorted."""
    for module in sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("__")):
        import_module(f"{__name__}.{module}")
    return dict(sorted(_SHAPES.items()))
