"""Compares models inferred from libraries with the packs written by hand: precision and recall.

    python bench/infer.py [--language LANGUAGE] [--differences] DIRECTORY...

Each directory holds the source of a library, as a package manager installs it. A *fact* is one of

* a flow: the port of the call that data comes from, the port that it goes to, keys left out;
* a sink: the port and the vulnerability;
* a source: the taint kind of the result.

Compared are facts about public functions of the library that a pack written by hand describes with a flow, a sink, a
source of the result, or with nothing at all ("f:"). Precision is the share of the inferred facts that the packs state,
recall the share of the packs' facts that are inferred. The library itself is inferred without these packs.
A fact of only one side need not be wrong: packs leave out what no program needs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyrograph.rules import load_rules
from pyrograph.rules.entries import Api, Flow, Pack, Parameters, Port
from pyrograph.rules.files import parse
from pyrograph.rules.load import roots_of
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.infer.infer import infer
from pyrograph.scanner.infer.library import installed, library_at

KINDS = ("flow", "sink", "source")
Fact = tuple[str, ...]  # what is said of a call


def port_of(port: Port) -> str:
    """A port without its keys."""
    if port.kind in ("position", "from"):
        return str(port.position)
    return port.names[0] if port.kind == "keyword" else port.kind


def facts_of(pack: Pack) -> Iterator[tuple[Api, Fact]]:
    """The facts of a pack by the API of the call; "nothing" for an entry that states no flow."""
    for propagator in pack.propagators:
        found: list[Fact] = [
            ("flow", port_of(each.origin), port_of(each.target)) for each in propagator.flows if isinstance(each, Flow)
        ]
        for fact in found or [("nothing",)]:
            yield propagator.api, fact
    for sink in pack.sinks:
        if not isinstance(sink.target, Parameters) and not sink.assignment and not sink.low:
            for port in sink.ports:
                yield sink.target, ("sink", port_of(port), sink.vulnerability)
    for source in pack.sources:
        if not isinstance(source.target, Parameters) and "()" in source.target and source.fills is None:
            yield source.target[: source.target.index("()")], ("source", source.kind)


def without(pack: Pack, root: str) -> Pack:
    """A pack without what it says of one library."""

    def kept(api: Api | Parameters) -> bool:
        named = api.api if isinstance(api, Parameters) else api
        return not named or not named[0].startswith(root)

    return replace(
        pack,
        sources=tuple(each for each in pack.sources if kept(each.target)),
        sinks=tuple(each for each in pack.sinks if kept(each.target)),
        sanitizers=tuple(each for each in pack.sanitizers if kept(each.api)),
        propagators=tuple(each for each in pack.propagators if kept(each.api)),
        types=tuple(each for each in pack.types if kept(each.left)),
        parameter_types=tuple(each for each in pack.parameter_types if kept(each.parameters)),
    )


def is_in(fact: Fact, facts: set[Fact]) -> bool:
    """Whether a fact of a pack is among inferred ones; "all" arguments are there where any is."""
    if fact in facts or "all" not in fact:
        return fact in facts
    at = fact.index("all")
    return any(len(each) == len(fact) and each[:at] + each[at + 1 :] == fact[:at] + fact[at + 1 :] for each in facts)


def nodes_of(apis: Apis, api: Api) -> frozenset[int]:
    """The nodes that an API is, by any of its names."""
    nodes = {0}
    for at, step in enumerate(api):
        found = {apis.children[node, step] for node in nodes if (node, step) in apis.children}
        nodes = {each for node in found for each in apis.expand(node)} if at < len(api) - 1 else found
    return frozenset(each for node in nodes for each in apis.expand(node))


def compare(directory: Path, language: str | None, *, differences: bool) -> dict[str, list[int]]:
    """Of each kind: inferred facts, those of the packs, and how many are the same."""
    begin = time.process_time()
    module = directory.stem if directory.is_file() else None  # one file in ``site-packages``
    library = installed(module, [directory.parent], language) if module else library_at(directory, language)
    if library is None:
        raise SystemExit(f"{directory} is no library")
    rules = load_rules([library.language])
    root = library.source.package or directory.name.removesuffix(".py")
    own = [pack for pack in rules.packs if any(each.split("/v")[0].startswith(root) for each in roots_of(pack)[0])]
    others = replace(rules, packs=tuple(without(pack, root) if pack in own else pack for pack in rules.packs))
    found = infer(library, others, jobs=1, cache=None)
    took = time.process_time() - begin
    if found is None:
        return {kind: [0, 0, 0] for kind in KINDS}
    pack = parse(found.text.encode(), "inferred", "inferred").pack
    assert pack is not None
    apis = Apis([*rules.packs, replace(pack, inferred="")], low=False)
    functions = parse(
        f'library = "x"\nlanguage = "{library.language}"\n[proof]\n'.encode()
        + "".join(f'"{each}" = "x"\n' for each in found.functions).encode(),
        "x",
        "x",
    ).pack
    assert functions is not None
    for proof in functions.proofs:
        apis.node(proof.api)
    apis._known.expanded.clear()
    public = [nodes_of(apis, proof.api) for proof in functions.proofs]
    number = {node: at for at, nodes in enumerate(public) for node in nodes}  # node -> public function

    def by_function(packs: list[Pack]) -> dict[int, set[Fact]]:
        facts: dict[int, set[Fact]] = {}
        for each in packs:
            for api, fact in facts_of(each):
                for at in {number[node] for node in nodes_of(apis, api) if node in number}:
                    facts.setdefault(at, set()).add(fact)
        return facts

    written, inferred = by_function(own), by_function([pack])
    counts = {kind: [0, 0, 0] for kind in KINDS}
    for at, facts in sorted(written.items()):
        ours = {fact for fact in inferred.get(at, set())}
        expected = {fact for fact in facts if fact != ("nothing",)}
        if not any(fact[0] in ("flow", "nothing") for fact in facts):  # the pack says nothing about flow
            ours = {fact for fact in ours if fact[0] != "flow"}
        both = {fact for fact in expected if is_in(fact, ours)}
        ours -= {fact for fact in ours if fact not in both and any(is_in(each, {fact}) for each in both)}
        ours |= both
        for kind, count in counts.items():
            for at_, facts_ in enumerate((ours, expected, both)):
                count[at_] += sum(fact[0] == kind for fact in facts_)
        if differences:
            name = apis.text(min(public[at]))
            for fact in sorted(ours ^ expected):
                print(f"  {'inferred' if fact in ours else 'by hand '} {name}: {' '.join(fact)}")
    told = ", ".join(f"{kind}s {shown(count)}" for kind, count in counts.items() if any(count))
    print(
        f"{root}: {told or 'nothing to compare'}; {len(written)} functions, {found.entries} entries, {took:.1f} s",
        flush=True,
    )
    return counts


def shown(count: list[int]) -> str:
    mine, theirs, same = count
    return f"{same} of {mine} inferred and {theirs} by hand"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--language")
    parser.add_argument("--differences", action="store_true", help="print each fact that only one side has")
    given = parser.parse_args()
    rows = [compare(each, given.language, differences=given.differences) for each in given.directories]
    for kind in KINDS:
        mine, theirs, same = (sum(row[kind][at] for row in rows) for at in range(3))
        print(f"{kind}s: precision {same / max(mine, 1):.0%} of {mine}, recall {same / max(theirs, 1):.0%} of {theirs}")


if __name__ == "__main__":
    main()
