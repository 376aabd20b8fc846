"""Whether the operator alone logs in: each place that compares a password compares the one of the configuration.

    if form.Email != cfg.User.Email || bcrypt.CompareHashAndPassword(cfg.User.Password, form.Password) != nil { refuse }

Such a program has one account, that of who set it up. What is behind its login runs for them only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_FIXED_STEPS, MAX_GUARD_DEPTH
from pyrograph.policy.names.administrators import WHO
from pyrograph.policy.names.first_accounts import FIXED_PASSWORDS
from pyrograph.policy.names.keys import COMPARES_PASSWORDS, CONNECTIONS, CONVERTS, NEW_PASSWORDS
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.key_regions import KeyRegions
from pyrograph.scanner.explain.operator_keys import is_key
from pyrograph.scanner.explain.sole_objects import SoleObjects

PASSWORD: Final = re.compile(r"(?i)passw|passphrase")
NOT_MADE: Final = (Op.PARAMETER, Op.GLOBAL, Op.CELL, Op.IMPORT, Op.FUNCTION, Op.CLASS)  # may hold anything
# In all texts that log somebody in: passw, passphrase, authenticate, oauth, passport. Two sets of letters come first:
# every text of the program is searched, and a pattern that ignores case from its first letter on takes 7 times as long.
WRITTEN: Final = re.compile(rb"[aopAOP][auAU](?i:(?<=pa)ss(?:w|phrase|port)|(?<=au)thenticate|(?<=oa)uth)")


class OwnerLogin:
    """One answer for the whole program. Linear in the conditions and calls of files that speak of passwords."""

    def __init__(
        self, regions: KeyRegions, sole: SoleObjects, is_own: npt.NDArray[np.bool_], receiving: Sequence[int] = ()
    ) -> None:
        """``is_own``: whether each value stands in a file that is no test. ``receiving``: values that are read of
        requests.
        """
        self.regions = regions
        self.sole = sole
        self.is_own = is_own
        self.received = frozenset(regions.resolution.reps[each] for each in receiving)
        self.program = regions.program
        files = [number for number in range(len(self.program.files)) if regions.texts.has(number, WRITTEN)]
        self.counts = among(self.program.file_of_value, files) & is_own

    def is_only(self) -> bool:
        """Whether there are such places, and at each of them one side is a setting."""
        found = False
        for is_setting in self.comparisons():
            if not is_setting:
                return False
            found = True
        return found

    def comparisons(self) -> Iterator[bool]:
        """For each place that compares a password: whether one side is a setting."""
        regions, tables = self.regions, self.program.tables
        table, calls = tables["conditions"], tables["calls"]
        places = self.counts[tables["functions"]["result"][table["function"]]]
        for condition in np.flatnonzero(places & (table["test"] == int(Test.EQUAL))).tolist():
            code = regions.condition_text(condition)
            sides = [int(table[side][condition]) for side in ("left", "right")]
            if PASSWORD.search(code) is None or NEW_PASSWORDS.search(code) or NONE in sides:
                continue
            if all(regions.op[regions.resolution.reps[each]] != Op.CONST for each in sides):
                yield any(map(regions.is_key, sides)) or sum(map(self.is_fixed, sides)) == 1
        for call in np.flatnonzero(self.counts[calls["result"]]).tolist():
            callee = regions.texts_of_callee(call)
            if regions.functions_of(call) or not COMPARES_PASSWORDS.search(callee):
                continue
            if CONNECTIONS.search(callee) and not regions.given_to(call, with_receiver=False):
                continue
            yield self.is_given_setting(regions.given_to(call), MAX_GUARD_DEPTH)

    def is_given_setting(self, given: Sequence[int], depth: int) -> bool:
        """Whether one of the values that are compared is a setting; or, of what calls of the function around it pass,
        at each of these calls: ``def verify(given, hashed): return bcrypt.checkpw(given, hashed)``.

        ``depth``: of further calls, which falls.
        """
        regions = self.regions
        if any(map(regions.is_key, given)) or sum(map(self.is_fixed, given)) == 1:
            return True
        by_call: dict[int, list[int]] = {}
        for parameter in dict.fromkeys(one for each in given for one in self.parameters_of(each)) if depth else ():
            for call, argument in regions.bindings[regions.bound.of(parameter), :2].tolist():
                by_call.setdefault(call, []).append(argument)
        results = self.program.tables["calls"]["result"]
        sites = [call for call in by_call if call < len(results) and self.is_own[results[call]]]
        return bool(sites) and all(self.is_given_setting(by_call[call], depth - 1) for call in sites)

    def parameters_of(self, value: int) -> list[int]:
        """The parameters that a value is, in this form or another one that a library makes: ``given.encode()``."""
        regions = self.regions
        reps, op = regions.resolution.reps, regions.op
        work, found = [reps[value]], []
        for at in work:  # grows, to the bound
            if op[at] == Op.PARAMETER:
                found.append(at)
            further: list[int] = []
            if op[at] == Op.CALL and not regions.functions_of(regions.data[at]):
                receiver = int(self.program.tables["calls"]["receiver"][regions.data[at]])
                is_method = receiver != NONE and op[reps[receiver]] != Op.IMPORT
                further = [receiver] if is_method else regions.given_to(regions.data[at], with_receiver=False)
            elif op[at] in (Op.PI, Op.PHI, Op.EXPRESSION):
                further = [one for one in regions.origins(at) if one != NONE]
            fresh = dict.fromkeys(reps[one] for one in further)
            work += [one for one in fresh if one not in work][: max(0, MAX_FIXED_STEPS - len(work))]
        return found

    def is_fixed(self, value: int) -> bool:
        """Whether a value is looked up by constants alone, or kept in the one object of its class, so that it is the
        same whoever logs in: ``read("./password.txt").split("=")[1]``.
        """
        regions, tables = self.regions, self.program.tables
        reps, op = regions.resolution.reps, regions.op
        work = [value]
        found = False
        for each in work:  # grows, to the bound
            rep = reps[each]
            if len(work) > MAX_FIXED_STEPS or rep in self.received:
                return False
            further: list[int] = []
            if op[rep] == Op.CONST:
                continue
            if op[rep] == Op.CALL:
                call = regions.data[rep]
                given, receiver = regions.given_to(call, with_receiver=False), int(tables["calls"]["receiver"][call])
                texts = [self.constant(one) for one in given]
                if CONVERTS.fullmatch(regions.texts_of_callee(call)):
                    texts = []  # ``hashed.encode("utf-8")`` looks nothing up
                if texts and all(texts) and FIXED_PASSWORDS.search(" ".join([regions.call_text(rep), *texts])):
                    if not WHO.isdisjoint(words(regions.texts_of_callee(call))):
                        return False
                    found = True
                    continue
                further = given if receiver == NONE or op[reps[receiver]] == Op.IMPORT else [*given, receiver]
            elif op[rep] == Op.LOAD:
                if self.is_kept(regions.data[rep]):
                    found = True
                    continue
                further = [int(tables["loads"]["object"][regions.data[rep]])]
            elif op[rep] not in NOT_MADE:
                further = [one for one in regions.origins(each) if one not in (NONE, each) and reps[one] != rep]
            if not further:
                return False
            work += [one for one in dict.fromkeys(further) if one not in work]
        return found

    def is_kept(self, load: int) -> bool:
        """Whether a load reads the one key that the program keeps: ``server.Options.adminPassword``."""
        table = self.program.tables["loads"]
        key, held = int(table["key"][load]), int(table["object"][load])
        return key >= 0 and is_key(self.program.strings[key]) and self.sole.is_sole(held)

    def constant(self, value: int) -> str:
        """The constant that a value is, or is a name for, as the table of strings has it; "" for others."""
        regions = self.regions
        work = [value]
        for each in work:  # grows by what it is a name for, to the bound
            rep = regions.resolution.reps[each]
            if regions.op[rep] == Op.CONST:
                return self.program.strings[regions.data[rep]]
            further = [one for one in regions.origins(each) if one != NONE and one not in work]
            work += further[: max(0, MAX_GUARD_DEPTH - len(work))]
        return ""
