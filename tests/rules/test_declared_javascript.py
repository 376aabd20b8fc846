"""Types that JavaScript libraries declare: which facts are kept, how a scan reads them, what the compiler finds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tools.declare_types import written
from tools.declared import typescript_side
from tools.declared.facts import Fact
from tools.declared.typescript_facts import leading, names_in

from pyrograph.rules import declared, load_rules
from pyrograph.rules.entries import Pack, Parameters, Port
from pyrograph.scanner.analysis.apis import Apis

PACK = b"""
library = "shop"
language = "javascript"
[sink]
sql-injection = ["shop.Query#run(0)", "shop.get(0)"]
[type]
returns = ["shop.open() : shop.Query"]
alias = ["shop.OldQuery : shop.Query"]
"""
QUERY, CLIENT = ("shop", "Query"), ("shop", "Client")
KEPT: list[Fact] = [
    ("returns", ("shop", "connect", "()"), CLIENT),
    ("returns", (*CLIENT, "#", "query", "()"), QUERY),
    ("member", (*CLIENT, "#", "all", "()", "[*]"), QUERY),
    ("parameter", (*CLIENT, "#", "within", "1", "0"), QUERY),
    ("extends", ("shop", "Later"), QUERY),
    ("alias", ("shop", "extend", "()"), ("shop",)),
]
LEFT: list[Fact] = [
    ("returns", ("shop", "open", "()"), QUERY),  # the pack says it
    ("returns", (*CLIENT, "#", "label", "()"), ("shop", "Label")),  # leads nowhere
    ("member", ("shop", "Options", "#", "query"), QUERY),  # only the program makes options
    ("class", CLIENT, CLIENT),
]


@pytest.fixture(scope="module")
def pack() -> Pack:
    rules = load_rules(["javascript"], texts=[("shop.toml", "shop", PACK)])
    return next(each for each in rules.packs if each.name == "javascript/shop")


def test_facts_that_lead_to_a_described_type_are_kept(pack: Pack) -> None:
    assert leading([*KEPT, *LEFT], [pack], ()) == KEPT
    assert leading(KEPT, [pack], {"shop"}) == [KEPT[-1]]


def test_types_have_the_names_that_packs_use(pack: Pack) -> None:
    old = ("shop", "OldQuery")
    names = names_in([pack])
    assert names.of(("returns", (*old, "#", "clone", "()"), old)) == ("returns", (*QUERY, "#", "clone", "()"), QUERY)
    assert names.of(("alias", old, QUERY)) == ("alias", old, QUERY)


def test_facts_are_read_as_they_were_written() -> None:
    back = declared.pack_of("javascript", "shop", written("shop", "shop 1.0.0", KEPT))
    assert {(each.relation, each.left, each.right) for each in back.types} == {f for f in KEPT if f[0] != "parameter"}
    [passed] = back.parameter_types
    assert passed.type == QUERY
    assert passed.parameters == Parameters("callback", (*CLIENT, "#", "within"), port=Port("position", 1), which=0)


def test_a_declared_callback_says_nothing_of_unknown_objects_with_such_a_method(pack: Pack) -> None:
    back = declared.pack_of("javascript", "shop", written("shop", "shop 1.0.0", KEPT))
    assert "within" not in Apis([pack, back], low=False).registrations


def test_types_of_further_libraries_are_read_too() -> None:
    chosen = {pack.name for pack in load_rules(["javascript"]).for_roots({"mongoose"})}
    assert {"javascript/declared/mongoose", "javascript/declared/mongodb"} <= chosen


SHOP = """
export interface Query { run(text: string): Promise<void>; }
declare class Base { close(): this; }
export class Client extends Base {
  private secret: Query;
  readonly first: Query;
  query<T>(name: string): Promise<Query | null>;
  all(): Query[];
  within<T>(name: string, work: (query: Query) => Promise<T>): Promise<T>;
  on(event: "query", listener: (query: Query) => void): this;
  static open(): Client;
}
export function connect(): Client;
"""


@pytest.mark.skipif("TYPESCRIPT" not in os.environ, reason="TYPESCRIPT names no folder with the TypeScript compiler")
def test_the_compiler_reads_results_members_bases_and_callbacks(pack: Pack, tmp_path: Path) -> None:
    folder = tmp_path / "node_modules" / "shop"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"name": "shop", "version": "1.0.0", "types": "index.d.ts"}')
    (folder / "index.d.ts").write_text(SHOP)
    found = typescript_side.declared_in([pack], str(folder.parent), os.environ["TYPESCRIPT"], ())
    version, facts = found["shop"]
    assert version == "shop 1.0.0"
    assert set(facts) == {
        ("class", CLIENT, CLIENT),
        ("class", ("shop", "Base"), ("shop", "Base")),
        ("extends", CLIENT, ("shop", "Base")),
        ("member", (*CLIENT, "#", "first"), QUERY),
        ("returns", (*CLIENT, "#", "query", "()"), QUERY),
        ("member", (*CLIENT, "#", "all", "()", "[*]"), QUERY),
        ("parameter", (*CLIENT, "#", "within", "1", "0"), QUERY),
        ("returns", (*CLIENT, "#", "on", "()"), CLIENT),
        ("returns", (*CLIENT, "open", "()"), CLIENT),
        ("returns", ("shop", "connect", "()"), CLIENT),
        ("returns", ("shop", "Base", "#", "close", "()"), ("shop", "Base")),
    }
