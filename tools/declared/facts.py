"""Facts about types, and which of them lead to what the packs describe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pyrograph.rules.entries import Api, Pack, Parameters

Fact = tuple[str, Api, Api]  # relation, left, right


@dataclass(slots=True)
class Declared:
    """What a library declares, in the order of its files."""

    facts: dict[tuple[str, Api], Api] = field(default_factory=dict)  # the first declaration counts

    def add(self, relation: str, left: Api, right: Api) -> None:
        self.facts.setdefault((relation, left), right)

    def __iter__(self) -> Iterator[Fact]:
        return ((relation, left, right) for (relation, left), right in self.facts.items())


def owner_of(api: Api) -> Api:
    """The type whose member an API is; () for a function or a variable of a module."""
    return api[: api.index("#")] if "#" in api else ()


def described(packs: Iterable[Pack]) -> set[Api]:
    """The types that have a source or a sink of their own."""
    found: set[Api] = set()
    for pack in packs:
        targets = [entry.target for role in (pack.sources, pack.sinks, pack.renderings) for entry in role]
        found.update(owner_of(target) for target in targets if not isinstance(target, Parameters))
    return found - {()}


def leading(declared: Iterable[Fact], packs: Iterable[Pack]) -> list[Fact]:
    """The facts through which a described type is reached, without those that the packs state themselves.

    A member that holds a type of another library does not make its owner's instances worth following: a third of all
    structures of a client of some service hold a header or an address.

    Time O(facts).
    """
    packs = list(packs)
    stated = {(fact.relation, fact.left) for pack in packs for fact in pack.types}
    facts = [fact for fact in declared if fact[:2] not in stated]
    into: dict[Api, set[Api]] = defaultdict(set)  # type -> types from whose instances it is reached
    for relation, left, right in [
        *facts,
        *((f.relation, f.left, f.right) for pack in packs for f in pack.types if f.right),
    ]:
        owner = left if relation in ("extends", "alias") else owner_of(left)
        if owner and (relation != "member" or _library(left) == _library(right)):
            into[right].add(owner)
    useful = described(packs)
    waiting = list(useful)
    while waiting:
        for owner in into[waiting.pop()] - useful:
            useful.add(owner)
            waiting.append(owner)
    return [
        (relation, left, right)
        for relation, left, right in facts
        if right in useful and (relation != "member" or owner_of(left) in useful or _library(left) == _library(right))
    ]


def _library(api: Api) -> str:
    """What an API's root begins with: a repository of Go, a package of the other languages."""
    return "/".join(api[0].split("/")[:3]) if "." in api[0].partition("/")[0] else api[0].partition(".")[0]
