"""What libraries declare of their types: read from their sources, kept by library, and used beside the packs."""

from __future__ import annotations

import json
from pathlib import Path

from tools.declare_types import written
from tools.declared import go_side
from tools.declared.facts import leading

from pyrograph.rules import declared, load_rules
from pyrograph.rules.entries import TypeFact

SHOP = """
package shop

import (
	"context"

	hat "example.com/shop/hats/v2"
)

type Client struct {
	*Base
	Rack  hat.Rack
	inner hat.Rack
}

type Base struct{}

type Opener interface {
	Reader
	Open(
		ctx context.Context,
		name string,
	) (*hat.Hat, error)
}

type Reader interface{ Read() hat.Hat }

type Store[T any] struct{}

func New(name string) (*Client, error) { return nil, nil }
func private() *Client                 { return nil }
func Names() []hat.Hat                 { return nil }

func (b *Base) Hat() *hat.Hat          { return nil }
func (s *Store[T]) Client() *Client    { return nil }
func (b *Base) Count() int             { return 0 }
"""
HATS = """
package hats

type Hat struct{}
type Rack struct{ Top *Hat }
type Label struct{}

func (h *Hat) Label() *Label { return nil }
"""


def sources(folder: Path) -> Path:
    for path, text in (("example.com/shop/shop.go", SHOP), ("example.com/shop/hats/v2/hats.go", HATS)):
        place = folder / path
        place.parent.mkdir(parents=True)
        place.write_text(text)
    return folder


def test_types_of_results_fields_and_embedded_types_are_read(tmp_path: Path) -> None:
    shop, hats = "example.com/shop", "example.com/shop/hats"
    assert set(go_side.declared_in([sources(tmp_path)])) == {
        ("extends", (shop, "Client"), (shop, "Base")),
        ("member", (shop, "Client", "#", "Base"), (shop, "Base")),
        ("member", (shop, "Client", "#", "Rack"), (hats, "Rack")),
        ("extends", (shop, "Opener"), (shop, "Reader")),
        ("returns", (shop, "Opener", "#", "Open", "()"), (hats, "Hat")),
        ("returns", (shop, "Reader", "#", "Read", "()"), (hats, "Hat")),
        ("returns", (shop, "New", "()"), (shop, "Client")),
        ("returns", (shop, "Base", "#", "Hat", "()"), (hats, "Hat")),
        ("returns", (shop, "Store", "#", "Client", "()"), (shop, "Client")),
        ("member", (hats, "Rack", "#", "Top"), (hats, "Hat")),
        ("returns", (hats, "Hat", "#", "Label", "()"), (hats, "Label")),
    }


def test_facts_lead_to_a_described_type_and_are_kept_by_owner(tmp_path: Path) -> None:
    rules = load_rules(["go"], texts=[("hats.toml", "hats", PACK)])
    pack = next(each for each in rules.packs if each.name == "go/hats")
    facts = leading(go_side.declared_in([sources(tmp_path)]), [pack])
    assert (
        "returns",
        ("example.com/shop/hats", "Hat", "#", "Label", "()"),
        ("example.com/shop/hats", "Label"),
    ) not in facts
    assert (
        "returns",
        ("example.com/shop", "New", "()"),
        ("example.com/shop", "Client"),
    ) not in facts  # the pack states it
    content = written("example.com/shop", "1", facts)
    back = declared.pack_of("go", "shop", content)
    assert {(each.relation, each.left, each.right) for each in back.types} == set(facts)
    assert back.inferred == "1"


PACK = b"""
library = "hats"
language = "go"
[sink]
sql-injection = ["example.com/shop/hats.Hat#Wear(0)"]
[type]
returns = ["example.com/shop.New() : example.com/shop.Client"]
"""


def test_packs_of_the_types_that_a_library_declares_are_chosen() -> None:
    chosen = load_rules(["go"]).for_roots({"github.com/gogf/gf/frame/g"})
    assert any(pack.name == "go/declared/github.com+gogf+gf" for pack in chosen)
    roots = {sink.target[0] for pack in chosen for sink in pack.sinks if isinstance(sink.target, tuple)}
    assert "github.com/gogf/gf/database/gdb" in roots  # which the program does not import


def test_each_file_is_named_by_the_index() -> None:
    for folder in declared.FOLDER.iterdir():
        names = {path.stem for path in folder.glob("*.json")} - {"index"}
        for name in names:
            first = fact_of(folder.name, name)
            found = declared.packs_of(folder.name, [first.left[0]])
            assert any(first in pack.types for pack in found)


def fact_of(language: str, name: str) -> TypeFact:
    content = json.loads((declared.FOLDER / language / f"{name}.json").read_bytes())
    return declared.pack_of(language, name, content).types[0]


def test_an_unknown_library_has_no_types() -> None:
    assert declared.packs_of("go", ["example.com/nothing"]) == []
    assert declared.packs_of("cobol", ["example.com/nothing"]) == []
