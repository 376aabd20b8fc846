"""Every entry of the built-in packs has a record: found in its library, or why not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tools import verify_models
from tools.proofs.go_side import Missing, Sources

from pyrograph.model.languages import rule_languages, rule_syntax_of
from pyrograph.rules import load_rules
from pyrograph.rules.entries import Origin, Pack
from pyrograph.rules.files import parse
from pyrograph.rules.proofs import NOT_YET, apis_of, apis_of_entry, entries_of, load, spelled_path, unverified

REMEDY = "run tools/verify_models.py LANGUAGE --offline now, and with the libraries later: see CONTRIBUTING.md"


def named(language: str, folder: Path) -> Iterator[tuple[str, str]]:
    """(root, API) of everything the packs of a language name."""
    for pack in load_rules({language}, unverified=True, cache_folder=folder).packs:
        for api in apis_of(pack):
            yield api[0], spelled_path(api)


@pytest.mark.parametrize("language", rule_languages())
def test_every_entry_has_a_record(language: str, tmp_path: Path) -> None:
    record = load(language)
    kinds = ("verified", "elsewhere", "unverified")
    known = {(root, name) for root, row in record.items() for kind in kinds for name in row[kind]}
    assert sorted(set(named(language, tmp_path)) - known) == [], REMEDY


@pytest.mark.parametrize("language", rule_languages())
def test_nine_of_ten_entries_were_found_in_their_libraries(language: str, tmp_path: Path) -> None:
    record = load(language)
    names = set(named(language, tmp_path))
    found = [name for root, name in names if root in record and name in record[root]["verified"]]
    assert len(found) >= 0.9 * len(names)


@pytest.mark.parametrize("language", rule_languages())
def test_entries_whose_api_was_found_nowhere_are_off_by_default(language: str, tmp_path: Path) -> None:
    missing = unverified(language)
    by_default = load_rules({language}, cache_folder=tmp_path)
    asked_for = load_rules({language}, unverified=True, cache_folder=tmp_path)
    assert not {spelled_path(api) for pack in by_default.packs for api in apis_of(pack)} & missing
    assert {spelled_path(api) for pack in asked_for.packs for api in apis_of(pack)} >= missing
    for some, every in zip(by_default.packs, asked_for.packs, strict=True):
        off = sum(any(spelled_path(api) in missing for api in apis_of_entry(entry)) for entry in entries_of(every))
        assert len(list(entries_of(every))) - len(list(entries_of(some))) == off


@pytest.mark.parametrize("language", rule_languages())
def test_every_entry_was_looked_for(language: str) -> None:
    waiting = [name for row in load(language).values() for name, why in row["unverified"].items() if why == NOT_YET]
    assert waiting == [], "run tools/verify_models.py LANGUAGE --changed with the libraries: see CONTRIBUTING.md"


@pytest.mark.parametrize("outcome", ["no sources", "not installed", "cannot import shop: ImportError", NOT_YET])
def test_an_entry_without_its_library_was_not_looked_for(outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is on, and the record waits for somebody to look."""
    monkeypatch.setattr(verify_models, "load", lambda language: {})
    result = verify_models.record("go", {"shop": [("shop", "Buy")]}, {"shop": ("", [outcome])})
    assert result["shop"]["unverified"] == {"shop.Buy": NOT_YET}


def test_an_entry_that_its_library_does_not_have_is_recorded_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_models, "load", lambda language: {})
    result = verify_models.record("go", {"shop": [("shop", "Buy")]}, {"shop": ("1.0", ["no 'Buy' in shop"])})
    assert result["shop"]["unverified"] == {"shop.Buy": "no 'Buy' in shop"}


@pytest.mark.parametrize("language", rule_languages())
def test_nothing_of_a_language_itself_is_off(language: str) -> None:
    own = rule_syntax_of(language).builtins
    assert not [name for name in unverified(language) if name.split(".")[0] == own]


@pytest.mark.parametrize("language", rule_languages())
def test_what_was_not_found_has_a_reason_and_what_was_found_a_version(language: str) -> None:
    for root, row in load(language).items():
        assert all(row["unverified"].values()), root
        assert row["version"] or not row["verified"] or root == rule_syntax_of(language).builtins, root


def test_the_apis_of_a_pack_are_those_its_entries_name() -> None:
    text = """
library = "x"
language = "python"
[source]
http = ["a.s", "@a.d:name", "b.C!m:0", "param user", "export '*' f:0", "function (r) of web:0"]
[sink]
xss = ["a.b(0)"]
[sanitizer]
any = ["a.c()"]
[guard]
xss = ["call a.ok(0)", "in a.parse(0).host", "eq"]
[propagator]
flow = ["a.p: 0 -> ret"]
[type]
returns = ["a.c() : a.T"]
clean = ["a.Number"]
parameters = ["cb a.on(0):0 : a.Event"]
"""
    pack = parse(text.encode(), "test.toml", "test").pack
    assert isinstance(pack, Pack)
    names = {"a.s", "a.d", "b.C", "web", "a.b", "a.c()", "a.p", "a.ok", "a.parse().host"}
    names |= {"a.T", "a.Number", "a.on", "a.Event"}
    assert {spelled_path(api) for api in apis_of(pack)} == names
    assert pack.sources[0].origin == Origin("test.toml", 5, "a.s")


GO = """package web

import (
	"net/http"
	other "example.org/v2/base"
)

type Context struct {
	*base.Holder
	Request *http.Request
	Writer, Second string `json:"x"`
}

type (
	Handler interface {
		Serve(c *Context) error
	}
	Alias = Context
)

func (c *Context) Query(key string) (string, bool) {
	return "", true
}

func (c *Context) Self() *Context { return c }

func New() *Context {
	return nil
}

var Default = New()
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("web Context", True),
        ("web Context # Query", True),
        ("web Context # Request", True),
        ("web Context # Second", True),
        ("web Context # Nothing", False),
        ("web Context # Self () Query", True),
        ("web New () Query", True),
        ("web New () Nothing", False),
        ("web Handler # Serve", True),
        ("web Handler # Query", False),
        ("web Alias # Query", True),
        ("web Default", True),
        ("web Nothing", False),
        ("away Context", False),
    ],
)
def test_go_sources_tell_what_there_is(path: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    source = GO.replace("	*base.Holder\n", "")
    (tmp_path / "web" / "web.go").write_text(source)
    sources = Sources([tmp_path], [])
    if found:
        sources.resolve(tuple(path.split()))
    else:
        with pytest.raises(Missing):
            sources.resolve(tuple(path.split()))


def test_members_of_embedded_types_whose_sources_are_away_are_not_denied(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "web.go").write_text(GO)
    assert Sources([tmp_path], []).resolve(("web", "Context", "#", "Something")) == ""
