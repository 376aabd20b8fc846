"""Copies of libraries: packs hold for them where name and contents are the library's."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import api_calls

from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MIN_NAMES_OF_COPY
from pyrograph.rules import grammar
from pyrograph.rules.entries import Origin, Pack
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import resolve

NAMES = [f"name{each}" for each in range(MIN_NAMES_OF_COPY + 2)]


def calls(files: dict[str, str], library: str = "tiny") -> list[str]:
    """The APIs that a program calls, where a pack knows ``NAMES`` in ``library``."""
    origin = Origin("test.toml", 1, "")
    flows = [each for name in NAMES for each in grammar.propagators(f"{library}.{name}: 0 -> ret", "python", origin)]
    apis = Apis([Pack("python/test", "python", "test", propagators=tuple(flows))], low=False)
    program = link(list(files), [lower(text.encode(), "python") for text in files.values()], {})
    return api_calls(resolve(program, {"python": apis}), "python")


def defining(count: int) -> str:
    return "".join(f"def {name}(x): pass\n" for name in NAMES[:count])


@pytest.mark.parametrize(
    ("place", "imported"),
    [
        ("tiny.py", "from tiny import name0"),
        ("app/tiny.py", "from .tiny import name0"),
        ("tiny/__init__.py", "from tiny import name0"),
    ],
)
def test_packs_hold_for_a_copy(place: str, imported: str) -> None:
    files = {place: defining(len(NAMES)), "app/__init__.py": "", "app/main.py": f"{imported}\nname0(1)\n"}
    assert calls(files) == ["tiny.name0"]


@pytest.mark.parametrize("count", [MIN_NAMES_OF_COPY - 1, len(NAMES) // 2])
def test_a_module_of_the_program_with_the_name_of_a_library_is_no_copy(count: int) -> None:
    assert not calls({"tiny.py": defining(count), "main.py": "from tiny import name0\nname0(1)\n"})


def test_a_name_of_the_standard_library_makes_no_copy() -> None:
    files = {
        "app/__init__.py": "",
        "app/queue.py": defining(len(NAMES)),
        "app/main.py": "from .queue import name0\nname0(1)\n",
    }
    assert not calls(files, "queue")


def test_packs_hold_for_a_module_that_a_copy_makes_while_it_runs() -> None:
    files = {"parts/__init__.py": "", "parts/tiny.py": "", "main.py": "from parts.tiny.moves import name0\nname0(1)\n"}
    assert calls(files, "tiny.moves") == ["tiny.moves.name0"]


def test_packs_do_not_hold_for_an_unknown_module_of_a_package_of_the_program() -> None:
    files = {"parts/__init__.py": "", "parts/tiny.py": "", "main.py": "from parts.tiny.other import name0\nname0(1)\n"}
    assert not calls(files, "tiny.moves")
