"""Which of the facts that JavaScript libraries declare are kept, and under which names.

Other than in Go, types are reached by functions that a library calls (``transaction(async (trx) => ...)``), packs name
types that a library does not export, and a module may be an object of which others are made (``got.extend()``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tools.declared.facts import Fact, described, owner_of

from pyrograph.rules.entries import Api, Pack, Parameters

OF_TYPES = ("extends", "alias")  # relations of types; the others are of their members


def targets_of(pack: Pack) -> list[Api | Parameters]:
    return [*(source.target for source in pack.sources), *(sink.target for sink in pack.sinks)]


def described_members(packs: Iterable[Pack]) -> dict[Api, set[str]]:
    """The members of each type that are sources or sinks."""
    found: dict[Api, set[str]] = defaultdict(set)
    for pack in packs:
        for each in targets_of(pack):
            target = each.api if isinstance(each, Parameters) else each
            if "#" in target[:-1]:
                found[owner_of(target)].add(target[target.index("#") + 1])
    return found


def calling(packs: Iterable[Pack]) -> set[tuple[Api, str]]:
    """The APIs that call functions with what packs describe, and the place of the parameter."""
    found: set[tuple[Api, str]] = set()
    for pack in packs:
        for each in (*targets_of(pack), *(passed.parameters for passed in pack.parameter_types)):
            if isinstance(each, Parameters) and each.by == "callback":
                found.add((each.api, str(each.which)))
    return found


def modules_in(packs: Iterable[Pack]) -> set[Api]:
    """The modules whose functions are sinks or sources: a call may make another object that has them too."""
    targets = [each for pack in packs for each in targets_of(pack)]
    return {each[:1] for each in targets if not isinstance(each, Parameters) and "#" not in each}


def types_in(packs: Iterable[Pack]) -> set[Api]:
    """The types that the packs name in any way."""
    packs = list(packs)
    found = described(packs) | {owner_of(api) for api, _ in calling(packs)}
    for pack in packs:
        found.update(each.type for each in pack.parameter_types)
        for fact in pack.types:
            if fact.relation in ("returns", "member", *OF_TYPES):
                found |= {fact.right, owner_of(fact.left) or (fact.left if fact.relation in OF_TYPES else ())}
    return {each for each in found if each and "*" not in each[0] and each[-1] != "()"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that packs use for types that have several."""

    others: dict[Api, Api]

    def of(self, fact: Fact) -> Fact:
        relation, left, right = fact
        if relation == "extends":
            left = self.name(left)
        elif relation != "alias" and "#" in left:
            left = self.name(owner_of(left)) + left[left.index("#") :]
        return relation, left, self.name(right)

    def name(self, api: Api) -> Api:
        seen = {api}
        while (other := self.others.get(api)) is not None and other not in seen:
            api = other
            seen.add(api)
        return api


def names_in(packs: Iterable[Pack]) -> Names:
    aliases = [fact for pack in packs for fact in pack.types if fact.relation == "alias"]
    return Names(
        {
            fact.left: fact.right
            for fact in aliases
            if len(fact.left) > 1 and "#" not in fact.left and fact.left[-1] != "()"
        }
    )


def leading(declared: Iterable[Fact], packs: Iterable[Pack], without: Collection[str]) -> list[Fact]:
    """The facts through which a described type is reached, without those that the packs state themselves.

    ``without``: roots whose types do not count, since both what is read from outside and what the program asked for
    itself has them. Time O(facts).
    """
    packs = list(packs)
    stated = {(fact.relation, fact.left) for pack in packs for fact in pack.types}
    passed = calling(packs)
    facts = [
        fact
        for fact in declared
        if fact[:2] not in stated and not (fact[0] == "parameter" and (fact[1][:-2], fact[1][-1]) in passed)
    ]
    by_hand = [(fact.relation, fact.left, fact.right) for pack in packs for fact in pack.types if fact.right]
    into: dict[Api, set[Api]] = defaultdict(set)  # type -> types from whose instances it is reached
    for relation, left, right in (*facts, *by_hand):
        if relation != "class":
            into[right].add(left if relation in OF_TYPES else owner_of(left))
    described_types = described(packs) | {owner_of(api) for api, _ in passed}
    useful = {each for each in described_types if each and each[0] not in without}
    waiting = list(useful)
    while waiting:
        for owner in into[waiting.pop()] - useful - {()}:
            useful.add(owner)
            waiting.append(owner)
    facts = [fact for fact in facts if fact[2] in useful or fact[0] in (*OF_TYPES, "class")]
    made = made_by([*facts, *by_hand]) | described_types
    modules = modules_in(packs)
    held = {right for relation, _, right in (*facts, *by_hand) if relation in ("returns", "member")} | described_types
    again = said_of_bases(facts, described_types)
    return [
        (relation, left, right)
        for relation, left, right in facts
        if relation != "class"
        and (relation, left, right) not in again
        and (right in useful or (relation == "alias" and left[-1] == "()" and right in modules))
        and (relation in OF_TYPES or not owner_of(left) or owner_of(left) in made)
        and left not in (right, (*right, "()"))
        and not (left[-2:] == ("#", "()") and owner_of(left) not in held)
    ]


def made_by(facts: Collection[Fact]) -> set[Api]:
    """The types of what a program gets from functions, members and classes, not only as what it passes itself."""
    after: dict[Api, set[Api]] = defaultdict(set)
    found = {right for relation, _, right in facts if relation == "class"}
    for relation, left, right in facts:
        if relation != "class":
            after[left if relation in OF_TYPES else owner_of(left)].add(right)
    found |= after[()]
    waiting = list(found)
    while waiting:
        for each in after[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return found


def said_of_bases(facts: Collection[Fact], described_types: Collection[Api]) -> set[Fact]:
    """The facts of members of a type that hold for its base, too, or say that both return themselves."""
    bases: dict[Api, list[Api]] = defaultdict(list)
    every = set(facts)
    for relation, left, right in facts:
        if relation == "extends":
            bases[left].append(right)
    found: set[Fact] = set()
    for relation, left, right in facts:
        owner = owner_of(left)
        if relation in ("class", *OF_TYPES) or owner in described_types:
            continue
        for base in bases.get(owner, ()):
            of_base = base + left[len(owner) :]
            if (relation, of_base, right) in every or (right == owner and (relation, of_base, base) in every):
                found.add((relation, left, right))
    return found
