"""Addresses that scripts ask for, and the routes that they match."""

from __future__ import annotations

import pytest

from pyrograph.scanner.answers.addresses import HOLE, NAMED, REST, Path, matched, path_of_address, path_of_route


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/api/notes?sort=title#top", Path(("api", "notes"))),
        ("api//notes/", Path(("api", "notes"))),
        ("../notes", Path(("notes",), is_open=True)),
        ("http://localhost:3000/notes", Path(("notes",))),
        (f"{HOLE}/notes/{HOLE}", Path(("notes", HOLE), is_open=True)),
        (f"/notes{HOLE}", Path(("notes",))),
        (f"/notes/n{HOLE}/text", Path(("notes", HOLE, "text"))),
        (f"https://{HOLE}/notes", Path(("notes",))),
        ("https://api.example.com/notes", None),
        ("//cdn.example.com/notes", None),
        (f"/{HOLE}", None),
        (HOLE, None),
        ("", None),
        (f"{NAMED}notes", None),
    ],
)
def test_the_path_of_an_address(text: str, expected: Path | None) -> None:
    assert path_of_address(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/notes/:id/text", Path(("notes", HOLE, "text"))),
        ("/notes/{id:[0-9]+}", Path(("notes", HOLE))),
        ("/notes/<int:id>/", Path(("notes", HOLE))),
        (r"^notes/(?P<pk>[0-9]+)/text/$", Path(("notes", HOLE, "text"))),
        ("/notes/[id]", Path(("notes", HOLE))),
        ("/files/[...path]", Path(("files", REST))),
        ("/files/*", Path(("files", REST))),
        ("/files/{path...}", Path(("files", REST))),
        ("/{PREFIX}/notes", Path(("notes",), is_open=True)),
        ("/:id", None),
        ("/", None),
    ],
)
def test_the_path_of_a_route(text: str, expected: Path | None) -> None:
    assert path_of_route(text) == expected


@pytest.mark.parametrize(
    ("address", "route", "expected"),
    [
        ("/notes/1", "/notes/:id", (True, True, 1)),
        (f"/notes/{HOLE}", "/notes/:id", (True, True, 1)),
        (f"/notes/{HOLE}", "/notes/all", (True, False, 1)),
        (f"{HOLE}/notes", "/api/notes", (True, True, 1)),
        ("/notes", "/api/notes", (False, True, 1)),
        ("/api/notes", "/{PREFIX}/notes", (True, True, 1)),
        ("/files/a/b", "/files/*", (True, True, 1)),
        ("/notes/1", "/users/:id", None),
        (f"/{HOLE}/{HOLE}/x", "/a/:b/:c", None),
    ],
)
def test_an_address_matches_a_route(address: str, route: str, expected: tuple[bool, bool, int] | None) -> None:
    asked, known = path_of_address(address), path_of_route(route)
    assert asked is not None
    assert known is not None
    found = matched(asked, known)
    assert (None if found is None else tuple(found)) == expected


def test_the_best_match_has_most_parts_that_are_equal() -> None:
    asked = path_of_address("/notes/all")
    one, other = path_of_route("/notes/all"), path_of_route("/notes/:id")
    assert asked is not None
    assert one is not None
    assert other is not None
    first, second = matched(asked, one), matched(asked, other)
    assert first is not None
    assert second is not None
    assert first > second
