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
        for entry in (*pack.sources, *pack.sinks, *pack.renderings):
            if not isinstance(entry.target, Parameters):
                found.add(owner_of(entry.target))
    return found - {()}


def leading(declared: Iterable[Fact], packs: Iterable[Pack]) -> list[Fact]:
    """The facts through which a described type is reached, without those that the packs state themselves.

    Time O(facts).
    """
    packs = list(packs)
    facts = list(declared)
    stated: set[tuple[str, Api]] = set()
    into: dict[Api, set[Api]] = defaultdict(set)  # type -> types with a member that leads to it
    for pack in packs:
        for fact in pack.types:
            stated.add((fact.relation, fact.left))
            if fact.right:
                into[fact.right].add(
                    owner_of(fact.left) or (fact.left if fact.relation in ("extends", "alias") else ())
                )
    for relation, left, right in facts:
        into[right].add(owner_of(left) or (left if relation in ("extends", "alias") else ()))
    useful = described(packs)
    waiting = list(useful)
    while waiting:
        for owner in into[waiting.pop()] - useful - {()}:
            useful.add(owner)
            waiting.append(owner)
    return [fact for fact in facts if fact[2] in useful and fact[:2] not in stated]
