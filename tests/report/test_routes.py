"""The list of entry points as text and as JSON."""

from __future__ import annotations

import json
from io import StringIO

from pyrograph.model.entry import EntryPoint, Parameter, Surface
from pyrograph.model.place import Place
from pyrograph.report.routes import write_routes_json, write_routes_text

PLACE = Place("app/views.py", 7, 1, 7, 9)
SHOW = Surface(
    EntryPoint("/users/<id>", ("GET", "HEAD"), "show", PLACE, "account", False),
    (Parameter("path", "id"), Parameter("query"), Parameter("query", "q")),
    ("f1",),
)
HOOK = Surface(EntryPoint("", (), "on_\x1b[2Jmessage", PLACE), (), ())


def text(*rows: Surface) -> str:
    stream = StringIO()
    write_routes_text(rows, stream)
    return stream.getvalue()


def test_a_row_has_route_handler_check_and_parameters() -> None:
    heads, row, empty, summary = text(SHOW).splitlines()
    assert heads.split()[:3] == ["method", "route", "handler"]
    for part in ("GET|HEAD", "/users/<id>", "show app/views.py:7", "an account (by name)", "path parameter `id`"):
        assert part in row
    assert row.endswith("path parameter `id`, query parameter `q`")  # the query as a whole says no more
    assert empty == ""
    assert summary == "1 entry point; 0 without a visible check of who calls; 1 with findings"


def test_what_is_not_known_is_a_dash_and_names_are_harmless() -> None:
    row = text(HOOK).splitlines()[1]
    assert row.startswith("any ")
    assert "\\x1b[2J" in row
    assert "\x1b" not in row


def test_no_entry_point_is_said() -> None:
    assert text() == "no entry point found\n"


def test_json_has_all_fields() -> None:
    stream = StringIO()
    write_routes_json([SHOW], stream)
    (row,) = json.loads(stream.getvalue())["entry_points"]
    assert row == {
        "methods": ["GET", "HEAD"],
        "route": "/users/<id>",
        "handler": "show",
        "path": "app/views.py",
        "line": 7,
        "access": "account",
        "access_is_shown": False,
        "parameters": [
            {"where": "path", "name": "id"},
            {"where": "query", "name": ""},
            {"where": "query", "name": "q"},
        ],
        "findings": ["f1"],
    }
