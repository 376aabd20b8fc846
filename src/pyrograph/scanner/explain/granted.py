"""Permissions that a program grants to administrators alone, by its own lists of what each role may do.

    ROLES = {"user": ["notes:read"], "admin": ["notes:read", "providers:write"]}

``require("providers:write")`` then asks for an administrator. A permission is the code of an element: a constant text,
or the last name of what is written there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import (
    MAX_GUARD_DEPTH,
    MAX_GUARD_STEPS,
    MAX_GUARD_TEXT,
    MAX_GUARD_USES,
    MAX_ROLE_LISTS,
)
from pyrograph.policy.names.administrators import ADMINISTRATORS, OTHERWISE
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.policy.names.grants import ALTERNATIVES, GRANTS, LABEL, NOBODYS, ROLE_KEYS
from pyrograph.scanner.explain.administrators import TOKEN, is_role, words
from pyrograph.scanner.explain.callers import Callers

NAMED: Final = re.compile(rb"(?i)admin|superuser")  # in each text that names the role
PERMISSION: Final = re.compile(r"[\w.:/*-]{2,}")  # no sentence
ELEMENT: Final = re.compile(r"[A-Za-z_$][\w$.]*")  # a name, or a member
COMPARED: Final = re.compile(r"\(|[=!]=|\bin\b")
CALLED: Final = re.compile(r"([\w$]+)\s*\(")
TEXT: Final = "'"  # the first character of a constant text
OWN: Final = "administrators"
OTHERS: Final = "others"


def role_of(label: str) -> str:
    """Whose list a name says that it is: ``OWN``, ``OTHERS``; "" where it names no role.

    >>> [role_of(label) for label in ("ADMIN", "roles.admin", "USERS_ADMIN_SCOPE", "adminPermissions")]
    ['administrators', 'administrators', 'administrators', 'administrators']
    >>> [role_of(label) for label in ("EDITOR_SCOPES", "GEARS_SCOPE", "ALL_PERMISSIONS", "Permissions", "user")]
    ['others', 'others', '', '', '']
    """
    if is_role(label.rpartition(".")[2]):
        return OWN
    parts = words(label)
    if GRANTS.isdisjoint(parts) or GRANTS.issuperset(parts) or not NOBODYS.isdisjoint(parts):
        return ""
    is_own = any(one in ADMINISTRATORS and other in GRANTS for one, other in pairwise(parts))
    return OWN if is_own else OTHERS


class Granted:
    """The permissions of one program. Linear in the literals of files that name administrators, to a bound."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.program = callers.program
        self.labels: dict[int, str] = {}  # by literal: ``label``

    @cached_property
    def permissions(self) -> tuple[frozenset[str], frozenset[str]]:
        """Those of administrators alone, and all that are granted to others, too."""
        own: set[str] = set()
        others: set[str] = set()
        tables: set[int] = set()
        for literal in self.literals:
            listed = self.elements(literal)
            role = self.role(literal, tables) if listed else ""
            if role:
                (own if role == OWN else others).update(listed)
        for table in sorted(tables):  # the roles beside administrators
            others.update(self.beside(table))
        return frozenset(own - others), frozenset(others)

    @cached_property
    def literals(self) -> list[int]:
        """The literals with elements in files that name administrators and are no tests, ascending."""
        files = [
            number
            for number, file in enumerate(self.program.files)
            if TEST_PATHS.search(file.path) is None and self.callers.texts.has(number, NAMED)
        ]
        ops = self.program.tables["values"]["op"]
        chosen = np.flatnonzero((ops == int(Op.NEW)) & among(self.program.file_of_value, files))
        found: list[int] = chosen[:MAX_ROLE_LISTS].tolist()
        return found

    def elements(self, literal: int) -> list[str]:
        """The permissions that stand in a literal, if it is a list of constants or names."""
        callers = self.callers
        found: list[str] = []
        if callers.is_record(literal):
            return found
        for value in callers.stored_in(literal):
            if callers.op[callers.reps[value]] == Op.NEW or callers.op[value] == Op.CALL:
                return []
            code = callers.text(value).strip()
            text = self.program.strings[callers.data[value]] if callers.op[value] == Op.CONST else ""
            if text.startswith(TEXT) and PERMISSION.fullmatch(text, 1):
                found.append(text[1:])
            elif ELEMENT.fullmatch(code) and not self.varies(value):
                found.append(code.rpartition(".")[2])
            else:
                return []
        return [each for each in found if each]

    def varies(self, value: int) -> bool:
        """Whether a name is another value each time its code runs, or a member of one that is: the variable of a loop
        or a comprehension, ``[x.name for x in rows]``, or a parameter. Such a name is no permission.
        """
        callers, loads = self.callers, self.program.tables["loads"]
        for _ in range(MAX_GUARD_DEPTH + 1):
            value = callers.reps[value]
            if callers.op[value] != Op.LOAD:
                break
            row = callers.data[value]
            if int(loads["key"][row]) < 0:
                return True
            value = int(loads["object"][row])
        return callers.op[value] in (Op.PARAMETER, Op.PHI, Op.CARRY)

    def role(self, literal: int, tables: set[int]) -> str:
        """Whose list a literal is, by its name and those of the literals around it; ``tables``: grows by those in
        which one of administrators stands beside others.
        """
        at = literal
        for _ in range(MAX_GUARD_DEPTH + 1):
            label = self.label(at)
            role = role_of(label) if label else ""
            if not role and at != literal:
                role = self.named_role(at)
            around = self.callers.around(at)
            if role:
                if role == OWN and around:
                    tables.add(around[0])
                return role
            if not around:
                return ""
            at = around[0]
        return ""

    def label(self, literal: int) -> str:
        """The name of the variable, the key or the field that a literal is written into; ""."""
        known = self.labels.get(literal)
        if known is None:
            file, start, _ = self.callers.regions.span(literal)
            before = self.callers.texts.piece(file, max(0, start - MAX_GUARD_TEXT), start).decode("utf-8", "replace")
            found = LABEL.search(before)
            known = self.labels[literal] = found["name"].strip("\"'") if found else ""
        return known

    def named_role(self, record: int) -> str:
        """Whose list a record is, by the field that names the role."""
        callers, stores = self.callers, self.program.tables["stores"]
        for row in callers.by_object.of(record)[:MAX_GUARD_USES].tolist():
            key, value = int(stores["key"][row]), int(stores["value"][row])
            if key >= 0 and value != NONE and callers.strings[key] in ROLE_KEYS:
                text = callers.constant(value)
                if text and is_role(text):
                    return OWN
        return ""

    def beside(self, table: int) -> set[str]:
        """The permissions in the lists of a table whose role is not the administrators'."""
        found: set[str] = set()
        work = [(each, 0) for each in self.inner(table)]
        for literal, depth in work:  # grows by literals inside them, to the bound
            if role_of(self.label(literal)) == OWN or self.named_role(literal) == OWN:
                continue
            found.update(self.elements(literal))
            if depth < MAX_GUARD_DEPTH:
                work += [(each, depth + 1) for each in self.inner(literal)][: max(0, MAX_GUARD_STEPS - len(work))]
        return found

    def inner(self, literal: int) -> list[int]:
        reps = self.callers.reps
        found = [reps[each] for each in self.callers.stored_in(literal)[:MAX_GUARD_USES]]
        return [each for each in dict.fromkeys(found) if self.callers.op[each] == Op.NEW]

    def asks(self, asks: Callable[[str], bool]) -> Callable[[str], bool]:
        """``asks`` of a question, or whether code asks for such a permission, and for no other."""
        own, others = self.permissions
        if not own:
            return asks

        def asking(code: str) -> bool:
            if asks(code):
                return True
            if COMPARED.search(code) is None:
                return False
            if any(not ALTERNATIVES.isdisjoint(words(OTHERWISE.sub("", name))) for name in CALLED.findall(code)):
                return False
            said = [token["text"][1:-1] if token["text"] else token["name"] for token in TOKEN.finditer(code)]
            return not own.isdisjoint(said) and others.isdisjoint(said)

        return asking
