"""Whether visitors of a program can make themselves accounts, as far as it shows that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state, subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_STEPS, MAX_GUARD_TEXT, MAX_GUARD_USES
from pyrograph.policy.names.accounts import LOGINS, REGISTRATION_FILES, REGISTRATION_WORDS
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.explain.accounts import is_about_rights, registers, tells_accounts_apart
from pyrograph.scanner.explain.administrators import is_administrators
from pyrograph.scanner.explain.callers import UNKNOWN, Callers
from pyrograph.scanner.explain.first_accounts import FirstAccounts
from pyrograph.scanner.explain.key_regions import KeyRegions
from pyrograph.scanner.explain.owner_login import OwnerLogin
from pyrograph.scanner.explain.sole_objects import SoleObjects

LEVELS: Final = re.compile(rb"(?i)admin|super_?user|staff|operator")  # in all texts that ask for an administrator
TEXT: Final = "'"  # the first character of a constant text


class Accounts:
    """One answer for the whole program, found when it is first asked for. O(names and values)."""

    def __init__(
        self,
        registering: Mapping[str, frozenset[int]],
        names: frozenset[str],
        callers: Sequence[Callers],
        receiving: Sequence[int] = (),
    ) -> None:
        """
        Args:
            registering: By language, the API nodes of packs with which visitors make accounts.
            names: Names of these in texts.
            callers: Those who know which code runs for certain users only, such as administrators.
            receiving: Values that are read of requests.
        """
        self.registering = registering
        self.library_names = names
        self.receiving = receiving
        self.callers = callers
        self.program = callers[0].program
        self.resolution = callers[0].resolution
        self.texts = callers[0].texts

    @cached_property
    def are_open(self) -> bool:
        """Whether visitors can make accounts: a library shows it, or the name of a path, a function or a class."""
        strings = self.program.strings
        of_library, chosen = (np.zeros(len(strings) + 1, np.bool_) for _ in range(2))  # the last: of what has no name
        for number, text in enumerate(strings):
            written = text.removeprefix(TEXT)
            of_library[number] = written in self.library_names and written is not text
            chosen[number] = len(written) <= MAX_GUARD_TEXT and registers(written)
        values, functions, owners = (self.program.tables[name] for name in ("values", "functions", "owners"))
        constants = np.flatnonzero((values["op"] == int(Op.CONST)) & self.is_own)
        if of_library[values["data"][constants]].any() or self.uses_library():
            return True
        if self.is_own[owners["value"][chosen[owners["name"]]]].any():
            return True
        named = np.flatnonzero(chosen[functions["name"]] & (functions["value"] >= 0))
        named = named[self.is_own[functions["value"][named]]].tolist()
        paths = constants[chosen[values["data"][constants]]].tolist()
        handlers = {value: self.handlers(value) for value in paths}
        if any(self.is_open(each) for each in sorted({*named, *chain(*handlers.values())})):
            return True
        known = {int(values["data"][value]) for value in paths if handlers[value]}
        # of a path without a handler nothing shows what is behind it, unless it ends with the path of one
        ends = tuple(text for text in (strings[each].removeprefix(TEXT) for each in known) if text.startswith("/"))
        unknown = [strings[int(values["data"][value])] for value in paths]
        return any(not text.endswith(ends) for text in unknown) or self.answers_registration()

    def answers_registration(self) -> bool:
        """Whether a function that reads requests is named, kept under a key, registered with a text, or in a file, that
        says that visitors make accounts there. Linear in the values that are read of requests.
        """
        strings, functions = self.program.strings, self.program.tables["functions"]
        said = np.zeros(len(strings) + 1, np.bool_)  # the last: of what has no name
        for number, text in enumerate(strings):
            said[number] = REGISTRATION_WORDS.search(text.removeprefix(TEXT)) is not None
        if not said.any() and not any(REGISTRATION_FILES.search(file.path) for file in self.program.files):
            return False
        values = self.program.tables["values"]
        texts = np.flatnonzero((values["op"] == int(Op.CONST)) & self.is_own)
        texts = texts[said[values["data"][texts]]]
        registered = {each for value in texts.tolist() for each in self.handlers(value)}
        function_of = self.callers[0].function
        for function in sorted({int(function_of[value]) for value in self.receiving if self.is_own[value]}):
            path = self.program.files[int(self.program.file_of_value[int(functions["result"][function])])].path
            if (
                function in registered
                or said[functions["name"][function]]
                or said[self.keys_of(function)].any()
                or REGISTRATION_FILES.search(path) is not None
            ) and self.is_open(function):
                return True
        return False

    def keys_of(self, function: int) -> npt.NDArray[np.int64]:
        """The strings that name the fields in which a function, or what a call makes of it, is kept."""
        callers, stores = self.callers[0], self.program.tables["stores"]
        kept = [int(self.program.tables["functions"]["value"][function])]
        for value in kept:  # grows by what calls make of it, to the bound
            if value != NONE and len(kept) <= MAX_GUARD_USES:
                calls = [call for call, _ in callers.arguments_of(value)]
                kept += [int(self.program.tables["calls"]["result"][call]) for call in calls]
        rows = [callers.by_stored.of(callers.reps[each]) for each in kept if each != NONE]
        keys = stores["key"][np.concatenate(rows)].astype(np.int64) if rows else np.zeros(0, np.int64)
        return keys[keys >= 0]  # others are no names

    @cached_property
    def is_own(self) -> npt.NDArray[np.bool_]:
        """(values,) whether a value stands in a file that is no test."""
        tests = [TEST_PATHS.search(file.path) is not None for file in self.program.files]
        return ~np.array(tests, np.bool_)[self.program.file_of_value]

    @cached_property
    def are_equal(self) -> bool:
        """Whether nothing in the program asks which rights an account has: an administrator's, a role, a permission."""
        regions = self.callers[0].regions
        files = {
            number
            for number, file in enumerate(self.program.files)
            if TEST_PATHS.search(file.path) is None and self.texts.has(number, LEVELS)
        }
        functions = self.program.tables["functions"]["result"]
        conditions = self.program.tables["conditions"]["function"]
        chosen = np.flatnonzero(among(self.program.file_of_value[functions[conditions]], sorted(files)))
        if any(tells_accounts_apart(regions.condition_text(each)) for each in chosen.tolist()):
            return False
        return not any(is_about_rights(name) for name in self.called_names())

    @cached_property
    def are_operators(self) -> bool:
        """Whether the operator alone logs in: with the one password that the program compares, and nobody makes
        accounts; or with the one account that is made when there is none.
        """
        regions = KeyRegions.of(self.callers[0].regions)
        sole = SoleObjects(self.callers[0], self.is_own)
        if OwnerLogin(regions, sole, self.is_own, self.receiving).is_only() and not self.are_open:
            return True
        return self.first.are_single and not self.are_open

    @cached_property
    def first(self) -> FirstAccounts:
        """Which code runs only while there is no account."""
        found = FirstAccounts.of_accounts(self.callers[0])
        found.find_makers(self.is_own, self.names_of_calls)
        return found

    @cached_property
    def are_administrators(self) -> bool:
        """Whether whom the program logs in are objects of classes for administrators, and of no others:
        ``login_user(AdminAccount())``, ``login_user(AdminAccount.query.get(number))``. Visitors then make accounts of
        something else, such as of another program. Where it is unknown whom one of the calls logs in, it may be
        anybody.
        """
        calls, owners = self.program.tables["calls"], self.program.tables["owners"]["name"]
        strings = self.program.strings
        wanted = {number for number, text in enumerate(strings) if LOGINS.fullmatch(text)}
        rows = np.flatnonzero(among(self.names_of_calls, sorted(wanted)) & self.is_own[calls["result"]])
        args = self.callers[0].args
        classes: set[str] = set()
        for row in rows.tolist():
            rows_given = [each for each in args.of(row) if args.position[each] != RECEIVER]
            rows_given = [each for each in rows_given if args.keyword[each] < 0] or rows_given
            given = [args.value[each] for each in rows_given]
            known = {each for value in given for each in self.resolution.states_of(value)}
            names = [int(owners[each >> KIND_BITS]) for each in known if each & KIND == INSTANCE_OF]
            if given and not names:  # the account is the first
                names = self.names_of_rows(given[0])
            if given and not names:
                return False
            classes.update(strings[name] if name >= 0 else "" for name in names)
        return bool(classes) and all(map(is_administrators, classes))

    def names_of_rows(self, value: int) -> list[int]:
        """The classes that stand in the look-up which makes a value, ``db.session.get(Account, number)``, and the
        fields of what such look-ups find, ``key.account``: the strings that name them.

        Callees are looked back through, and what they are given, up to a bound.
        """
        callers, tables = self.callers[0], self.program.tables
        found: set[int] = set()
        work = [self.resolution.reps[value]]
        for at in work:  # grows, to the bound
            if len(work) > MAX_GUARD_STEPS:
                return []  # nobody knows what else it is made of
            classes = self.classes_in(at)
            found.update(int(tables["owners"]["name"][each]) for each in classes)
            if classes:
                continue
            op, data = callers.op[at], callers.data[at]
            before = [callers.before(at)]
            if op == Op.CALL:
                before = [int(tables["calls"]["callee"][data])]
                before += [callers.args.value[row] for row in callers.args.of(data)]
            elif op == Op.LOAD:
                before = [int(tables["loads"]["object"][data])]
                if at == work[0] and not self.classes_in(self.resolution.reps[before[0]]):
                    return [int(tables["loads"]["key"][data])] if self.is_found(before[0]) else []
            fresh = dict.fromkeys(self.resolution.reps[each] for each in before if each != NONE)
            work += [each for each in fresh if each not in work]
        return sorted(found)

    def is_found(self, value: int) -> bool:
        """Whether a value, or what it is a part of, is what a call finds: no object that the program makes."""
        callers = self.callers[0]
        for _ in range(MAX_GUARD_STEPS):
            if value == NONE:
                return False
            at = self.resolution.reps[value]
            if callers.op[at] == Op.CALL:
                return all(each & KIND != INSTANCE_OF for each in self.resolution.states_of(at))
            is_part = callers.op[at] == Op.LOAD
            value = int(self.program.tables["loads"]["object"][callers.data[at]]) if is_part else callers.before(at)
        return False

    def classes_in(self, value: int) -> list[int]:
        return subjects(self.resolution.states_of(value), CLASS)

    @cached_property
    def names_of_calls(self) -> npt.NDArray[np.int64]:
        """(calls,) the string that names what is called: of the method, else of the callee; or ``NONE``."""
        names = self.program.tables["calls"]["name"].astype(np.int64)
        return np.where(names >= 0, names, self.names_of_callees)

    @cached_property
    def names_of_callees(self) -> npt.NDArray[np.int64]:
        """(calls,) the string that names the function, the global name or the import that is called; or ``NONE``."""
        tables = self.program.tables
        callees = tables["calls"]["callee"]
        reps = self.resolution.representative[callees]
        ops, data = tables["values"]["op"][reps], tables["values"]["data"][reps]
        names = np.full(len(callees), NONE, np.int64)
        for op, named in ((Op.GLOBAL, None), (Op.FUNCTION, "functions"), (Op.IMPORT, "imports")):
            chosen = (callees >= 0) & (ops == int(op))
            names[chosen] = data[chosen] if named is None else tables[named]["name"][data[chosen]]
        return names

    def called_names(self) -> set[str]:
        """The names of all that is called, but in tests: those of methods, and those of the functions that they are."""
        own = self.is_own[self.program.tables["calls"]["result"]]
        names = np.concatenate([self.names_of_calls[own], self.names_of_callees[own]])
        return {self.program.strings[each] for each in distinct(names).tolist() if each >= 0}

    def handlers(self, path: int) -> list[int]:
        """The functions that calls with a path register, as the constant ``path`` is given to them."""
        callers = self.callers[0]
        calls = [call for call, _ in callers.arguments_of(path)]
        for call in calls:  # grows by the calls of what such a call returns: ``@app.route("/register")``
            made = self.resolution.reps[int(self.program.tables["calls"]["result"][call])]
            calls += [each for each in self.by_callee.of(made).tolist() if each not in calls][:MAX_GUARD_USES]
        work = [(callers.args.value[row], 0) for call in calls for row in callers.args.of(call)]
        found: set[int] = set()
        for value, depth in work:  # grows by what is given to wrappers, to the bound
            states = self.resolution.states_of(value)
            found.update(subjects(states, FUNCTION))
            rep = self.resolution.reps[value]
            if callers.op[rep] == Op.CALL and depth < MAX_GUARD_DEPTH:
                work += [(callers.args.value[row], depth + 1) for row in callers.args.of(callers.data[rep])]
        return sorted(found)

    @cached_property
    def by_callee(self) -> RowsByKey:
        """Calls by what they call."""
        return RowsByKey(self.resolution.representative[self.program.tables["calls"]["callee"]])

    def is_open(self, function: int) -> bool:
        """Whether visitors may call a function, as far as the program shows."""
        if self.first.closes(function):
            return False
        results = self.program.tables["calls"]["result"]
        last = max((int(results[each]) for each in self.callers[0].regions.calls_in(function)), default=NONE)
        return not any(
            callers.evidence(function) != UNKNOWN or (last != NONE and callers.regions.is_protected(last))
            for callers in (*self.callers, self.first)
        )

    def uses_library(self) -> bool:
        """Whether a value is an API of a library with which visitors make accounts."""
        files, file_of_value = self.program.files, self.program.file_of_value
        for language, nodes in self.registering.items():
            wanted = {pack_state(API, each) for each in nodes}
            for value, states in enumerate(self.resolution.states[: self.program.num_values] if wanted else ()):
                # each language has nodes of its own, which count from zero
                if states and not wanted.isdisjoint(states) and files[int(file_of_value[value])].language == language:
                    return True
        return False
