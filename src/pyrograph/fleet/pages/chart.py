"""Drawings as SVG elements: geometry in attributes, colours in the style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 640.0, 160.0  # units of the drawing; the page scales it


@dataclass(frozen=True, slots=True)
class Trend:
    """A line of open findings, and a bar upwards or downwards for those that came and went in each week."""

    line: str  # points of a polyline
    area: str  # the same, closed at the bottom
    top: int  # the value at the upper edge
    first: int  # day at the left
    last: int  # day at the right


def trend(weeks: Sequence[dict[str, Any]]) -> Trend:
    """``weeks``: as ``queries.trend`` returns them, at least two."""
    top = max(1, *(week["open"] for week in weeks))
    step = WIDTH / (len(weeks) - 1)
    points = [f"{number * step:.1f},{HEIGHT - week['open'] / top * HEIGHT:.1f}" for number, week in enumerate(weeks)]
    line = " ".join(points)
    return Trend(line, f"0,{HEIGHT:g} {line} {WIDTH:g},{HEIGHT:g}", top, weeks[0]["day"], weeks[-1]["day"])


def bars(counts: Sequence[int]) -> list[float]:
    """Lengths of bars for ``counts``, of 100."""
    top = max((1, *counts))
    return [round(count / top * 100, 1) for count in counts]
