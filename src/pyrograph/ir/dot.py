"""A unit's functions as a graph in the DOT language: a box for each line of the listing, an arrow for each operand."""

from __future__ import annotations

import re

from pyrograph.ir.text import listing
from pyrograph.ir.unit import Unit

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r"%\d+")


def dot(unit: Unit, function: str | None = None) -> str:
    """The DOT text of ``unit``, or of its functions called ``function`` and those nested in them; as ``listing``."""
    lines = ["digraph {", "  rankdir=TB", '  node [shape=box fontname="monospace" fontsize=10]']
    arrows: list[str] = []
    number = 0
    is_open = False
    for line in listing(unit, function).splitlines():
        if not line:
            continue
        if not line.startswith(" "):
            lines += ["  }"] * is_open
            is_open = True
            lines += [f"  subgraph cluster_{number} {{", f"    label={_label(line)}"]
            number += 1
            continue
        left, equals, right = line.strip().partition(" = ")
        defines = bool(equals) and _VALUE.fullmatch(left) is not None
        name = left if defines else f"line {number}"
        number += not defines
        lines.append(f"    {_label(name)} [label={_label(line.strip())}]")
        operands = _VALUE.findall(_QUOTED.sub("", right if defines else line))
        back = " [style=dashed]" if right.startswith("carry ") else ""
        arrows += [
            f"  {_label(operand)} -> {_label(name)}{back if at else ''}"
            for at, operand in enumerate(dict.fromkeys(operands))
        ]
    lines += ["  }"] * is_open
    return "\n".join([*lines, *arrows, "}"]) + "\n"


def _label(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
