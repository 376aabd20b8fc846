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

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_TEXT, MAX_GUARD_USES
from pyrograph.policy.names.first_accounts import (
    COLLECTS,
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
from pyrograph.policy.names.keys import SETTINGS as SETTING
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.callers import NAMED, SHOWN, UNKNOWN, Callers
from pyrograph.scanner.explain.key_regions import KeyRegions
from pyrograph.scanner.explain.operator_keys import is_key as is_secret
from pyrograph.scanner.explain.regions import Regions

IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")
TEXT: Final = "'"  # the first character of a constant text
KEPT: Final = tuple(int(op) for op in (Op.NEW, Op.STORE, Op.POST, Op.PI))  # versions of a literal
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
    return is_of_accounts(receiver)


def is_of_accounts(receiver: str) -> bool:
    """Whether code names where accounts are kept.

    >>> [is_of_accounts(code) for code in ("this.users", "s.repo.Users", "userSessions", "db")]
    [True, True, False, False]
    """
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
        texts = self.texts_before(value)
        found = {counts(text) for text in texts} - {NONE}
        said = " ".join(texts)
        is_one = any(word in IDENTIFYING for name in IDENTIFIER.findall(said) for word in words(name))
        return found.pop() if len(found) == 1 and not is_one else NONE


class FirstAccounts(Callers):
    """The search for such conditions in front of code."""

    regions: NoAccounts
    made: dict[int, int]  # by what makes an account, the result of a call or a literal: ``shown_by``
    made_in: dict[int, list[int]]  # such values by function
    leading: dict[int, bool]  # by function: ``leads_to_makers``

    @classmethod
    def of_accounts(cls, callers: Callers) -> FirstAccounts:
        """The same program; what both need of it is shared."""
        other = cls.__new__(cls)
        regions = NoAccounts.of_accounts(callers.regions)
        other.__dict__.update(callers.about(regions.question, {}).__dict__)
        other.regions = regions
        other.made, other.made_in, other.leading = {}, {}, {}
        return other

    def is_predicate(self, function: int) -> bool:
        return False

    @property
    def are_single(self) -> bool:
        """Whether there are calls that make accounts, and all run only while there is none, or make the one whose name
        is constant: the operator's. After ``find_makers``.
        """
        return SHOWN in self.made.values() and min(self.made.values()) != UNKNOWN

    def closes(self, function: int) -> bool:
        """Whether a function makes accounts, by what stands in it or by functions that it calls, and only while there
        is none. After ``find_makers``.
        """
        own = self.made_in.get(function, [])
        called = [] if own else self.calls_of_makers(function, MAX_GUARD_DEPTH)
        shown = [self.made[each] for each in own] + [self.evidence_at(each) for each in called]
        return bool(shown) and min(shown) == SHOWN

    def calls_of_makers(self, function: int, depth: int) -> list[int]:
        """The results of the calls in a function of those that make accounts, or that call such, to the bound."""
        results = self.tables["calls"]["result"]
        return [
            int(results[call])
            for call in self.regions.calls_in(function)
            if any(self.leads_to_makers(each, depth) for each in self.regions.functions_of(call))
        ]

    def leads_to_makers(self, function: int, depth: int) -> bool:
        """Whether a function makes accounts, or calls one that does; ``depth``: of further calls, which falls."""
        if function in self.made_in:
            return True
        known = self.leading.get(function)
        if known is None:
            self.leading[function] = False  # while it is asked
            known = self.leading[function] = depth > 0 and bool(self.calls_of_makers(function, depth - 1))
        return known

    def find_makers(self, is_own: npt.NDArray[np.bool_], names: npt.NDArray[np.int64]) -> None:
        """Find what makes accounts, and what each shows.

        ``is_own``: whether each value stands in a file that is no test. ``names``: by call, the string that names what
        it calls, or ``NONE``.

        A call of a function that makes accounts shows what stands in it does. What only such calls call shows what
        they do: ``repository.create(user)`` runs the statement, wherever it is called.
        """
        results = self.tables["calls"]["result"]
        makers = sorted({*(int(results[call]) for call in self.making(is_own, names)), *self.kept(is_own)})
        for value in makers:
            self.made_in.setdefault(int(self.function[value]), []).append(value)
        for value in makers:
            self.made[value] = self.shown_by(value)
        for _ in range(MAX_GUARD_DEPTH):
            for value in makers:
                if self.made[value] == UNKNOWN and self.op[value] == Op.CALL:
                    inside = [self.made_in.get(each, []) for each in self.regions.functions_of(self.data[value])]
                    if inside and all(inside):
                        self.made[value] = min(self.made[each] for own in inside for each in own)
            for value in makers:
                if self.made[value] == UNKNOWN:
                    function = int(self.function[value])
                    sites = self.direct_sites(function)
                    sites = [each for each in sites if is_own[each] and not self.is_unused(int(self.function[each]))]
                    if sites and not self.uses_of(function) and all(each in self.made for each in sites):
                        self.made[value] = min(self.made[each] for each in sites)

    def shown_by(self, value: int) -> int:
        """``SHOWN`` of what runs only while there is no account, and of what makes the account that a setting of the
        operator names; ``NAMED`` of what makes the account of a constant name.
        """
        if self.evidence_at(value) == SHOWN:
            return SHOWN
        fields = self.fields_of(value)
        named = [kept for key, kept in fields if not IDENTIFYING.isdisjoint(words(key)) and not is_secret(key)]
        shown = [NAMED if self.op[self.reps[kept]] == Op.CONST else self.set_by_operator(kept) for kept in named]
        return max(shown) if shown and UNKNOWN not in shown else UNKNOWN

    def set_by_operator(self, value: int, depth: int = MAX_GUARD_DEPTH) -> int:
        """``SHOWN`` of a value that is a setting: ``username=settings.initial_user``; ``UNKNOWN`` of others.

        A parameter is one if all calls of its function pass one; ``depth``: of further calls, which falls.
        """
        regions = self.regions
        if any(SETTING.fullmatch(each.strip()) for each in regions.texts_before(value)):
            return SHOWN
        parameter = self.first_of(value)
        if depth == 0 or self.op[parameter] != Op.PARAMETER:
            return UNKNOWN
        given: list[int] = regions.bindings[regions.bound.of(self.reps[parameter]), 1].tolist()
        return min((self.set_by_operator(each, depth - 1) for each in given[: MAX_GUARD_USES + 1]), default=UNKNOWN)

    def fields_of(self, value: int) -> list[tuple[str, int]]:
        """The fields of the account that a call or a literal makes, with their values, to the bound: of the literals
        and objects that a call is given, and its keywords.
        """
        found: list[tuple[str, int]] = []
        work = [value]
        for at in work:  # grows by calls of classes and by literals, to the bound
            inside: list[tuple[str, int]] = []
            if self.op[at] == Op.CALL:
                keywords, values = self.args.keyword, self.args.value
                rows = self.args.of(self.data[at])
                inside = [(self.strings[keywords[row]] if keywords[row] >= 0 else "", values[row]) for row in rows]
            elif self.op[at] == Op.NEW:
                inside = self.stored_under_names(at)
            found += [(key, value) for key, value in inside if key]
            for part in (self.first_of(part) for _, part in inside):
                is_made = self.op[part] == Op.CALL and subjects(self.resolution.states_of(part), INSTANCE_OF)
                if (is_made or self.op[part] == Op.NEW) and part not in work and len(work) <= MAX_GUARD_USES:
                    work.append(part)
        return found

    def stored_under_names(self, literal: int) -> list[tuple[str, int]]:
        """What the program stores in a literal, by name; but not what calls leave of its fields."""
        stores = self.tables["stores"]
        rows = self.by_object.of(self.reps[literal]).tolist()
        pairs = [(int(stores["key"][row]), int(stores["value"][row])) for row in rows]
        return [(self.strings[key], kept) for key, kept in pairs if min(key, kept) >= 0 and self.op[kept] != Op.POST]

    def making(self, is_own: npt.NDArray[np.bool_], names: npt.NDArray[np.int64]) -> Iterator[int]:
        """The calls that make accounts, ascending. Linear in the calls, and in the constants that they are given."""
        calls, arguments, values = (self.tables[name] for name in ("calls", "arguments", "values"))
        reps = self.resolution.representative[arguments["value"]]
        given = np.flatnonzero(values["op"][reps] == int(Op.CONST))
        constants = values["data"][reps[given]]
        # of the strings of the program, those alone that name a call or are given to one
        texts = {number: self.strings[number] for number in distinct(constants).tolist() if number >= 0}
        written = [
            number
            for number, text in texts.items()
            if text[:1] == TEXT and INSERTS.search(text, 0, MAX_GUARD_TEXT) is not None
        ]
        texts = {number: self.strings[number] for number in distinct(names).tolist() if number >= 0}
        named = [
            number
            for number, text in texts.items()
            if text[:1] != TEXT
            and len(text) <= MAX_GUARD_TEXT
            and (text in COLLECTS or not MAKES.isdisjoint(words(text)))
        ]
        rows = given[among(constants, written)]
        chosen = among(names, named)
        chosen[arguments["call"][rows]] = True
        inserting = set(arguments["call"][rows].tolist())
        for call in np.flatnonzero(chosen & is_own[calls["result"]]).tolist():
            is_maker = call in inserting or self.makes_account(call, self.strings[int(names[call])])
            if is_maker and not self.is_unused(int(self.function[int(calls["result"][call])])):
                yield call

    def kept(self, is_own: npt.NDArray[np.bool_]) -> Iterator[int]:
        """The literals with a secret that are kept under a name that is not constant where accounts are:
        ``self.users[name] = {"password": hash}``. Linear in the stores.
        """
        stores, op = self.tables["stores"], self.tables["values"]["op"]
        reps = self.resolution.representative[stores["value"]]
        rows = np.flatnonzero((stores["key"] < 0) & (stores["value"] >= 0) & among(op[reps], KEPT))
        for row in rows.tolist():
            literal = self.first_of(int(stores["value"][row]))
            if not is_own[literal] or self.op[literal] != Op.NEW or not self.has_secret(literal):
                continue
            on = self.text(self.first_of(int(stores["object"][row])))
            if is_of_accounts(on) and not self.is_unused(int(self.function[literal])):
                yield literal

    def has_secret(self, value: int) -> bool:
        """Whether a value is an object that its function makes, with a field for a secret."""
        at = self.first_of(value)
        return self.op[at] in (Op.CALL, Op.NEW) and any(is_secret(key) for key, _ in self.fields_of(at))

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
        on = self.text(self.first_of(receiver)) if receiver != NONE else ""  # not the call before, on the same object
        if makes(name, on):
            return True
        parts = set(words(name))
        if name in COLLECTS and is_of_accounts(on):
            rows = [row for row in self.args.of(call) if self.args.position[row] != RECEIVER]
            return any(self.has_secret(self.args.value[row]) for row in rows)
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
