"""Code of a function that runs only where the signature of a message was verified: a webhook's, a queue's.

    if !hmac.Equal(mac.Sum(nil), given) { return errors.New("invalid signature") }

A condition counts if it compares a digest that is made with a key of the configuration, in a function that has the
body of the request; or if it asks for the outcome of a call that packs list (``[type] signed``). Who has the key
composed the message: no outsider chooses what its fields hold, apart from texts that the sender passes on.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.policy.limits.explanation import MAX_DIGEST_ORIGINS, MAX_GUARD_CODE, MAX_GUARD_DEPTH, MAX_GUARD_TEXT
from pyrograph.policy.names.keys import BODIES, COMPARES_DIGESTS, EQUALS, KEYED_DIGESTS, SETTINGS
from pyrograph.scanner.explain.key_holders import KeyHolders
from pyrograph.scanner.explain.key_regions import BY_TRUTH, KeyRegions
from pyrograph.scanner.explain.operator_keys import is_key

OWN: Final = re.compile(r"(?:self|this)\.#?(\w+)")  # a field of the object whose method runs


class SignedRegions(KeyRegions):
    """The blocks of functions that run without a verified message: everything else is ``is_protected``."""

    verifying: frozenset[int] = frozenset()  # states of results of calls that verify: they raise, or are false, if not
    failed: frozenset[int] = frozenset()  # states of errors that calls return, or pass to a callback, if not
    digests: dict[int, bool]  # by representative: ``is_key``

    @classmethod
    def of_messages(cls, regions: KeyRegions, verifying: frozenset[int], failed: frozenset[int]) -> SignedRegions:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(KeyRegions.of(regions).__dict__)
        other.verifying, other.failed = verifying, failed
        other.digests = {}
        return other

    # -- What libraries verify

    def is_gate(self, call: int, depth: int) -> bool:
        if self.is_verified(int(self.program.tables["calls"]["result"][call])):
            return True
        functions = self.functions_of(call)[:MAX_GUARD_DEPTH] if depth < MAX_GUARD_DEPTH else ()
        return any(self.refuses_later(each) for each in functions) or super().is_gate(call, depth)

    def refuses_later(self, function: int) -> bool:
        """Whether a function passes one inside it to a call that verifies, and that one does not go on after an error:
        a promise that is rejected.
        """
        return any(self.is_within(inner, function) for inner in self.told_of_failures)

    def is_within(self, function: int, outer: int) -> bool:
        for _ in range(MAX_GUARD_DEPTH):  # functions stand in earlier ones
            function = int(self.program.tables["functions"]["parent"][function])
            if function in (outer, NONE):
                return function == outer
        return False

    @cached_property
    def told_of_failures(self) -> list[int]:
        """The functions that get the error of a call that verifies, and have a condition on it."""
        table = self.program.tables["conditions"]
        sides = zip(table["function"].tolist(), table["left"].tolist(), strict=True)
        asked = {function for function, left in sides if left != NONE and self.is_failed(left)} if self.failed else ()
        return sorted(asked)

    def is_failed(self, value: int) -> bool:
        return bool(self.failed) and not self.failed.isdisjoint(self.resolution.states_of(value))

    def is_verified(self, value: int) -> bool:
        return bool(self.verifying) and not self.verifying.isdisjoint(self.resolution.states_of(value))

    # -- Conditions

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = (int(table[side][condition]) for side in ("left", "right"))
        if test == Test.TRUTH and self.is_failed(left):
            return 0
        if test == Test.TRUTH and self.is_verified(left):
            return 1
        if test == Test.EQUAL and NONE not in (left, right):
            for one, other in ((left, right), (right, left)):
                if self.is_failed(one) and self.is_absent(other):
                    return 1
        return super()._side_of(condition)

    def is_relayed(self, condition: int) -> bool:
        return False

    def is_comparison(self, value: int) -> bool:
        """Whether a value is the result of a library's call that compares two texts, one of which is such a digest."""
        rep = self.resolution.reps[value]
        code = self.call_text(value) if self.op[rep] == Op.CALL else ""
        if not (EQUALS.search(code) or COMPARES_DIGESTS.search(code)):
            return self.is_verified(value)
        return sum(map(self.is_key, self.given_to(self.data[rep], with_receiver=False))) == 1

    def compares(self, value: int) -> bool:
        if self.is_comparison(value) or self.granted(value) == BY_TRUTH:
            return True
        whole = self.span(value)[1:]
        table = self.program.tables["conditions"]
        return any(
            (table["start"][each], table["end"][each]) == whole and self.implies(each, 1)
            for each in self.conditions_within(value)
        )

    # -- Digests

    def is_key(self, value: int) -> bool:
        """Whether a value is made of a digest of the message, with a key that the operator set."""
        rep = self.resolution.reps[value]
        known = self.digests.get(rep)
        if known is None:
            known = self.digests[rep] = self._is_digest(value)
        return known

    def _is_digest(self, value: int) -> bool:
        work = [value]
        for each in work:  # grows, to the bound
            rep = self.resolution.reps[each]
            if self.op[rep] == Op.CALL and not self.functions_of(self.data[rep]):
                call = self.data[rep]
                if KEYED_DIGESTS.fullmatch(self.texts_of_callee(call)):
                    return self.has_body(int(self.function[rep])) and any(map(self.is_set, self.given_to(call)))
                further = self.given_to(call)
            else:
                further = [origin for origin in self.origins(each) if origin != NONE]
                if self.op[each] == Op.POST:
                    further.append(int(self.program.tables["arguments"]["value"][self.data[each]]))
            work += [each for each in dict.fromkeys(further) if each not in work][
                : max(0, MAX_DIGEST_ORIGINS - len(work))
            ]
        return False

    def has_body(self, function: int) -> bool:
        """Whether the code of a function names the body of a request: the digest is one of the message, and not of a
        part of it, or of a token.
        """
        table = self.program.tables["functions"]
        file = int(self.program.file_of_value[int(table["result"][function])])
        start, end = int(table["start"][function]), int(table["end"][function])
        return BODIES.search(self.texts.text(file, start, end, MAX_GUARD_CODE)) is not None

    def is_set(self, value: int) -> bool:
        """Whether a value is a setting, or a field of the function's own object that is named after a key; also where
        callers pass it.
        """
        work = [value]
        for each in work:  # grows, to the bound
            rep = self.resolution.reps[each]
            for text in {self.texts.text(*self.span(at), MAX_GUARD_TEXT).strip() for at in (each, rep)}:
                own = OWN.fullmatch(text)
                if SETTINGS.fullmatch(text) or (own is not None and is_key(own[1])):
                    return True
            further = [origin for origin in self.origins(each) if origin != NONE]
            if self.op[rep] == Op.PARAMETER:
                further += self.bindings[self.bound.of(rep), 1].tolist()
            elif self.op[rep] == Op.LOAD and self.is_of_receiver(rep):
                return True
            work += [each for each in dict.fromkeys(further) if each not in work][
                : max(0, MAX_DIGEST_ORIGINS - len(work))
            ]
        return False

    def is_of_receiver(self, load: int) -> bool:
        """Whether a value is a field of a method's own object, named after a key."""
        table = self.program.tables["loads"]
        key = int(table["key"][self.data[load]])
        if key < 0 or not is_key(self.program.strings[key]):
            return False
        holder = self.resolution.reps[int(table["object"][self.data[load]])]
        return holder in self.receivers

    @cached_property
    def receivers(self) -> frozenset[int]:
        """The representatives of the parameters that are the object whose method runs."""
        table = self.program.tables["parameters"]
        values = table["value"][table["position"] == RECEIVER]
        return frozenset(self.resolution.representative[values].tolist())


class Signers(KeyHolders):
    """The search for checks in front of a handler, where the check verifies the message."""

    regions: SignedRegions

    @classmethod
    def of_messages(cls, holders: KeyHolders, verifying: frozenset[int], failed: frozenset[int]) -> Signers:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(KeyHolders.of(holders).__dict__)
        other.regions = SignedRegions.of_messages(holders.regions, verifying, failed)
        return other
