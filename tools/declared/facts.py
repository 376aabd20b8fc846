"""Facts about types, and which of them lead to what the packs describe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
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
    """The types that have a source or a sink of their own, or call functions that have."""
    found: set[Api] = set()
    for pack in packs:
        for entry in (*pack.sources, *pack.sinks, *pack.renderings):
            if not isinstance(entry.target, Parameters):
                found.add(owner_of(entry.target))
            elif entry.target.by == "callback":
                found.add(owner_of(entry.target.api))
        found.update(owner_of(each.parameters.api) for each in pack.parameter_types if each.parameters.by == "callback")
    return found - {()}


def described_members(packs: Iterable[Pack]) -> dict[Api, set[str]]:
    """The members of each type that are sources or sinks."""
    found: dict[Api, set[str]] = defaultdict(set)
    for pack in packs:
        for entry in (*pack.sources, *pack.sinks):
            target = entry.target.api if isinstance(entry.target, Parameters) else entry.target
            if "#" in target[:-1]:
                found[owner_of(target)].add(target[target.index("#") + 1])
    return found


@dataclass(frozen=True, slots=True)
class Names:
    """The names that packs use for types that have several."""

    others: dict[Api, Api]

    def of(self, fact: Fact) -> Fact:
        relation, left, right = fact
        if relation == "extends":
            return relation, self.name(left), self.name(right)
        if relation == "alias" or "#" not in left:
            return relation, left, self.name(right)
        at = left.index("#")
        return relation, self.name(left[:at]) + left[at:], self.name(right)

    def name(self, api: Api) -> Api:
        seen = {api}
        while (other := self.others.get(api)) is not None and other not in seen:
            api = other
            seen.add(api)
        return api


def canonical(packs: Iterable[Pack]) -> Names:
    return Names(
        {
            fact.left: fact.right
            for pack in packs
            for fact in pack.types
            if fact.relation == "alias" and "#" not in fact.left and fact.left[-1] != "()" and len(fact.left) > 1
        }
    )


def modules_in(packs: Iterable[Pack]) -> set[Api]:
    """The modules with sinks or sources that are functions or values of theirs: others may be made that have them too."""
    targets = [entry.target for pack in packs for entry in (*pack.sources, *pack.sinks)]
    return {each[:1] for each in targets if not isinstance(each, Parameters) and "#" not in each}


def types_in(packs: Iterable[Pack]) -> set[Api]:
    """The types that the packs name in any way."""
    packs = list(packs)
    found = described(packs)
    for pack in packs:
        found.update(each.type for each in pack.parameter_types)
        for fact in pack.types:
            if fact.relation in ("returns", "member", "extends", "alias"):
                found |= {fact.right, owner_of(fact.left) or (fact.left if fact.relation in ("extends", "alias") else ())}
    return {each for each in found if each and "*" not in each[0] and each[-1] != "()"}


def leading(declared: Iterable[Fact], packs: Iterable[Pack], without: Collection[str] = ()) -> list[Fact]:
    """The facts through which a described type is reached, without those that the packs state themselves.

    ``without``: roots whose types do not count, since both what is read from outside and what the program asked for
    itself has them. Time O(facts).
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
    useful = {each for each in described(packs) if each[0] not in without}
    waiting = list(useful)
    while waiting:
        for owner in into[waiting.pop()] - useful - {()}:
            useful.add(owner)
            waiting.append(owner)
    facts = [fact for fact in facts if fact[2] in useful or fact[0] in ("extends", "alias")]
    reached = made_by(facts, packs)
    modules = modules_in(packs)
    held = {right for relation, _, right in facts if relation in ("returns", "member")} | described(packs)
    calling = {
        (each.parameters.api, str(each.parameters.which))
        for pack in packs
        for each in pack.parameter_types
        if each.parameters.by == "callback"
    }
    return [
        fact
        for fact in facts
        if (fact[2] in useful or (fact[0] == "alias" and fact[1][-1] == "()" and fact[2] in modules))
        and fact[:2] not in stated
        and (fact[0] in ("extends", "alias") or not owner_of(fact[1]) or owner_of(fact[1]) in reached)
        and fact[1] not in (fact[2], (*fact[2], "()"))
        and not (fact[1][-2:] == ("#", "()") and owner_of(fact[1]) not in held)
        and not (fact[0] == "parameter" and (fact[1][:-2], fact[1][-1]) in calling)
    ]


def made_by(facts: Collection[Fact], packs: Iterable[Pack]) -> set[Api]:
    """The types of what a program gets from functions, members and classes, not only as what it passes itself."""
    after: dict[Api, set[Api]] = defaultdict(set)
    for relation, left, right in facts:
        if relation in ("extends", "alias"):
            after[left].add(right)
        else:
            after[owner_of(left)].add(right)
    found = {fact.right for pack in packs for fact in pack.types if fact.right} | described(packs) | after[()]
    waiting = list(found)
    while waiting:
        for each in after[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return found
