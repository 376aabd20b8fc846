"""Whether a program has one account: whatever makes one runs only while there is none.

    if count, _ := users.Count(ctx); count > 0 { refuse }
    users.Create(ctx, &account)

Such a registration is closed as soon as the operator has set the program up. Where nothing else makes accounts, who
logs in is the operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_GUARD_TEXT
from pyrograph.policy.names.first_accounts import (
    COUNTS,
    EXISTS,
    FEW,
    IDENTIFYING,
    INSERTS,
    KEEPS,
    MAKES,
    MAKING_FILLERS,
    MANY,
    PEOPLE,
    SET,
    STORES,
    UNSET,
)
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.callers import SHOWN, Callers
from pyrograph.scanner.explain.key_regions import KeyRegions
from pyrograph.scanner.explain.regions import Regions

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")
TEXT: Final = "'"  # the first character of a constant text
NOTHING: Final = frozenset({"0", "null", "nil", "undefined", "false"})  # constants: there is no account
SOMETHING: Final = frozenset({"true"})


@lru_cache(maxsize=4096)
def counts(code: str) -> int:
    """The truth of code where there is no account: 0, 1, or ``NONE`` where it does not ask that.

    >>> [counts(code) for code in ("userCount", "h.users.Count(ctx)", "await hasUsers()", "len(users)", "setupDone")]
    [0, 0, 0, 0, 0]
    >>> [counts(code) for code in ("noUsers", "needsSetup()", "isFirstUser")]
    [1, 1, 1]
    >>> [counts(code) for code in ("userExists(mail)", "User.count({ where: { email } })", "users", "count")]
    [-1, -1, -1, -1]
    """
    names = IDENTIFIER.findall(code)
    said = {word for name in names for word in words(name)}
    if not said.isdisjoint(IDENTIFYING):
        return NONE
    if any(map(UNSET.search, names)):
        return 1
    if any(map(SET.search, names)):
        return 0
    if said.isdisjoint(PEOPLE) or said.isdisjoint(COUNTS | EXISTS | FEW):
        return NONE
    if not said.isdisjoint(COUNTS):
        return 0
    if not said.isdisjoint(FEW):
        return 1
    return NONE if said.isdisjoint(MANY) else 0


@lru_cache(maxsize=4096)
def makes(name: str, receiver: str) -> bool:
    """Whether the name of a call, and the code of what it is called on, say that it makes an account.

    >>> makes("createUser", ""), makes("Create", "h.userRepo"), makes("create", "prisma.user")
    (True, True, True)
    >>> makes("insert", "db('user')")
    True
    >>> makes("createUserSession", ""), makes("create", "userSessions"), makes("create", "db"), makes("get", "users")
    (False, False, False, False)
    """
    parts = set(words(name))
    if parts.isdisjoint(MAKES):
        return False
    if not parts <= MAKES | MAKING_FILLERS | PEOPLE:
        return False
    if not parts.isdisjoint(PEOPLE):
        return parts.isdisjoint(KEEPS)
    named = [each for each in map(words, IDENTIFIER.findall(receiver)) if not STORES.issuperset(each)]
    return bool(named) and is_account(named[-1])


def is_account(parts: Sequence[str]) -> bool:
    """Whether the words of a table's name, or a class's, are about accounts."""
    return not PEOPLE.isdisjoint(parts) and all(word in PEOPLE or word in STORES for word in parts)


class NoAccounts(KeyRegions):
    """The blocks of functions that run although there are accounts: everything else is ``is_protected``."""

    @classmethod
    def of_accounts(cls, regions: Regions) -> NoAccounts:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        other.__dict__.update(KeyRegions.of(regions).__dict__)
        return other

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = (int(table[side][condition]) for side in ("left", "right"))
        if test == Test.TRUTH and left != NONE:
            return self.truth(left)
        if NONE in (left, right):
            return NONE
        if test == Test.LESS:
            if self.is_text(left, NOTHING):  # 0 < count
                return self.truth(right)
            known = self.truth(left) if self.is_text(right, frozenset({"1"})) else NONE
            return 1 - known if known != NONE else NONE
        if test != Test.EQUAL:
            return NONE
        for one, other in ((left, right), (right, left)):
            known = self.truth(one)
            if known != NONE and self.is_text(other, NOTHING):
                return 1 - known
            if known != NONE and self.is_text(other, SOMETHING):
                return known
        return NONE

    def truth(self, value: int) -> int:
        """The truth of a value where there is no account; NONE where that is not known."""
        found = {counts(text) for text in self.texts_before(value)} - {NONE}
        said = " ".join(self.texts_before(value))
        is_one = any(word in IDENTIFYING for name in IDENTIFIER.findall(said) for word in words(name))
        return found.pop() if len(found) == 1 and not is_one else NONE


class FirstAccounts(Callers):
    """The search for such conditions in front of code."""

    regions: NoAccounts

    @classmethod
    def of_accounts(cls, callers: Callers) -> FirstAccounts:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        regions = NoAccounts.of_accounts(callers.regions)
        other.__dict__.update(callers.about(regions.question, {}).__dict__)
        other.regions = regions
        return other

    def is_predicate(self, function: int) -> bool:
        return False

    def are_single(self, is_own: npt.NDArray[np.bool_], names: npt.NDArray[np.int64]) -> bool:
        """Whether there are calls that make accounts, and all run only while there is none.

        ``is_own``: whether each value stands in a file that is no test. ``names``: by call, the string that names what
        it calls, or ``NONE``.
        """
        found = False
        for call in self.making(is_own, names):
            if self.evidence_at(int(self.tables["calls"]["result"][call])) != SHOWN:
                return False
            found = True
        return found

    def making(self, is_own: npt.NDArray[np.bool_], names: npt.NDArray[np.int64]) -> Iterator[int]:
        """The calls that make accounts, ascending. Linear in the strings, and in the calls and constants."""
        calls, arguments, values = (self.tables[name] for name in ("calls", "arguments", "values"))
        named, written = [], []
        for number, text in enumerate(self.strings):
            if text[:1] == TEXT:
                if INSERTS.search(text, 0, MAX_GUARD_TEXT) is not None:
                    written.append(number)
            elif len(text) <= MAX_GUARD_TEXT and not MAKES.isdisjoint(words(text)):
                named.append(number)
        reps = self.resolution.representative[arguments["value"]]
        rows = np.flatnonzero((values["op"][reps] == int(Op.CONST)) & among(values["data"][reps], written))
        chosen = among(names, named)
        chosen[arguments["call"][rows]] = True
        inserting = set(arguments["call"][rows].tolist())
        for call in np.flatnonzero(chosen & is_own[calls["result"]]).tolist():
            is_maker = call in inserting or self.makes_account(call, self.strings[int(names[call])])
            if is_maker and not self.is_unused(int(self.function[int(calls["result"][call])])):
                yield call

    def is_unused(self, function: int) -> bool:
        """Whether nothing calls a function of a module or a class, hands it on, or sends it requests."""
        functions = self.tables["functions"]
        parent, made = int(functions["parent"][function]), int(functions["value"][function])
        if parent == NONE or int(functions["parent"][parent]) != NONE or function in self.entered:
            return False
        is_kept = made != NONE and len(self.by_stored.of(self.reps[made])) > 0 and functions["owner"][function] == NONE
        return not (
            is_kept or len(self.callers.of(function)) or self.uses_of(function) or self.listed.get(function, ())
        )

    @cached_property
    def entered(self) -> frozenset[int]:
        """The functions to which requests come."""
        return frozenset(each.function for each in self.resolution.entry_points)

    def makes_account(self, call: int, name: str) -> bool:
        """Whether a call of this name makes an account, by what it is called on, or given."""
        receiver = int(self.tables["calls"]["receiver"][call])
        on = self.text(receiver) if receiver != NONE else ""
        if makes(name, on):
            return True
        parts = set(words(name))
        if not parts <= MAKES | MAKING_FILLERS:
            return False
        given = [self.args.value[row] for row in self.args.of(call)]
        is_new = not parts.isdisjoint(KEEPS)
        return any(self.is_account(each, is_new=is_new) for each in given)

    def is_account(self, value: int, *, is_new: bool) -> bool:
        """Whether a value is an object of a class for accounts; ``is_new``: that its function makes."""
        owners = self.tables["owners"]["name"]
        classes = subjects(self.resolution.states_of(value), INSTANCE_OF)
        names = [self.strings[int(owners[each])] if owners[each] >= 0 else "" for each in classes]
        if not names or not all(is_account(words(name)) for name in names):
            return False  # of several classes: what stores anything
        return not is_new or self.op[self.first_of(value)] in (Op.CALL, Op.NEW)
