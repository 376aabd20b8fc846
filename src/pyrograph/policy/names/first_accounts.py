"""Words by which code makes accounts, and by which it asks whether there is one already."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

PEOPLE: Final = frozenset(
    {"user", "users", "account", "accounts", "admin", "admins", "administrator", "administrators", "superuser", "owner"}
)
"""A word for an account in the name of a function, a table or a class: ``createUser``, ``userRepo``, ``User``.

Means: see ``MAKES`` and ``COUNTS``.
Errs: accounts that are named otherwise are not seen. Where the program makes more of them than the first, findings are
left to ``--threat-model operator``; the report counts them.
Measured: see ``COUNTS``.
"""
MAKES: Final = frozenset(
    {"create", "insert", "add", "register", "signup", "invite", "provision", "upsert", "save", "make"}
)
"""A word of a call that makes an account, beside one of ``PEOPLE``: ``createUser``, ``users.insertOne``,
``db.Create(&user)``.

Means: if each such call runs only where there is no account yet (``COUNTS``, ``UNSET``), the program has one account,
the operator's.
Errs: as ``PEOPLE``.
Measured: see ``COUNTS``.
"""
KEEPS: Final = frozenset({"save", "add"})
"""A word of ``MAKES`` for what also changes an account that there is.

Means: it makes one where its function makes the object that it is given.
Errs: as ``PEOPLE``.
Measured: nothing.
"""
COLLECTS: Final = frozenset({"set", "push", "append", "put", "store"})
"""A call that keeps what it is given in a collection: ``this.users.set(name, account)``, ``users.append(account)``.

Means: as ``MAKES``, if what it is called on is named after accounts, and what it is given is an object that its
function makes, with a field for a secret.
Errs: as ``PEOPLE``.
Measured: 13 judged findings of one program of round 45 (``gsmanager``), all false.
"""
MAKING_FILLERS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        new initial first default local super one many all bulk if needed not exists missing with password record row
        in to into db database async and return returning get or update entity model context ctx
        """,
    )
)
"""Words beside which ``MAKES`` still means the same. Others change it: ``createUserSession``, ``addUserToGroup``.

Means: as ``MAKES``.
Errs: as ``PEOPLE``.
Measured: nothing.
"""
STORES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        repo repository repositories store storage dao dal model models entity entities service svc db collection table
        manager objects crud mapper query schema orm prisma knex auth app core the my self this data local
        """,
    )
)
"""Words of a receiver beside which ``PEOPLE`` names a table of accounts: ``userRepo.Create``, ``prisma.user.create``.

Means: as ``MAKES``; with other words it is a table of something else (``userSessions.create``).
Errs: as ``PEOPLE``.
Measured: see ``COUNTS``.
"""
INSERTS: Final = late(
    r"(?is)\binsert\s+(?:or\s+\w+\s+)?into\s+[\"'`\[]?(?:\w+[\"'`\]]?\.[\"'`\[]?)?(?:\w+_)?(?:users?|accounts?|admins?)\b(?!_)"
)
"""A statement in SQL that makes an account.

Means: as ``MAKES``, for a call that is given it.
Errs: as ``PEOPLE``.
Measured: nothing.
"""
COUNTS: Final = frozenset({"count", "counts", "counted", "len", "length", "total", "number", "num", "size", "amount"})
"""A word for how many accounts there are, beside one of ``PEOPLE``: ``userRepo.Count()``, ``len(users)``.

Means: where it is zero, there is no account. A registration behind that is closed as soon as there is one, so that
visitors cannot make accounts.
Errs: a count of something else with such a name takes an open registration for a closed one.
Measured: eight false findings of two programs of rounds 41 and 42 (``scriberr``, ``cross-seed``). One finding of the
second was judged true for another way than those that were traced, which are the operator's; it goes, too.
"""
EXISTS: Final = frozenset({"has", "have", "any", "exist", "exists", "existing", "exits"})
"""The same for a question that is true where there is one, beside a word in the plural: ``hasUsers()``.

In the singular it often asks for one user: ``userExists(mail)``.

Means: as ``COUNTS``.
Errs: as ``COUNTS``.
Measured: as ``COUNTS``.
"""
MANY: Final = frozenset({"users", "accounts", "admins", "administrators", "admin", "owner", "superuser"})
"""Words of ``PEOPLE`` that ``EXISTS`` may stand beside.

Means: as ``COUNTS``.
Errs: as ``COUNTS``.
Measured: as ``COUNTS``.
"""
FEW: Final = frozenset({"no", "empty", "none", "first", "zero", "without"})
"""A word that turns the answer around: ``noUsers``, ``isFirstUser``.

Means: as ``COUNTS``, where it is true.
Errs: as ``COUNTS``.
Measured: nothing.
"""
UNSET: Final = late(
    r"(?i)^(?:is_?|get_?|check_?)*(?:needs?_?(?:initial_?)?(?:setup|set_?up|onboarding)|(?:setup|set_?up|onboarding)_?(?:required|needed|mode|pending)"
    r"|(?:is_?)?first_?(?:run|boot|start|launch)|(?:not_?|un)(?:initiali[sz]ed|configured))$"
)
"""A name that is true as long as nobody set the program up: ``needsSetup``, ``first_run``.

Means: as ``COUNTS``, where it is true.
Errs: as ``COUNTS``.
Measured: nothing.
"""
SET: Final = late(
    r"(?i)^(?:is_?|get_?|check_?|has_?|been_?)*(?:(?:setup|set_?up|onboarding|installation)_?(?:is_?)?(?:done|complete|completed|finished)"
    r"|(?:already_?)?(?:initiali[sz]ed|set_?up|bootstrapped|onboarded))$"
)
"""A name that is true when somebody set the program up: ``setupDone``, ``is_initialized``.

Means: as ``COUNTS``, where it is false.
Errs: as ``COUNTS``.
Measured: nothing.
"""
IDENTIFYING: Final = frozenset(
    re.findall(
        r"\w+",
        """
        email mail username name id uid uuid login nickname phone handle input body form password hash payload params
        subject sub token
        """,
    )
)
"""A word in the code of a look-up which says that it asks for one account: ``User.count({ where: { email } })``.

Means: it is no question of ``COUNTS``.
Errs: a count whose code has such a word is not understood.
Measured: nothing.
"""
FIXED_PASSWORDS: Final = late(r"(?i)passw|secret|credential|hash|\bpwd?\b|\bauth\b|admin")
"""A word in the code of a look-up of the one password: ``read("./password.txt")``, ``meta.get("admin_hash")``.

Means: if a comparison of passwords is with what such a look-up gives, by constants alone, it compares the same password
whoever logs in. As ``COMPARES_PASSWORDS``.
Errs: a look-up that finds the account by something that no argument shows loses true findings to ``--threat-model
operator``.
Measured: ten false findings of one program of round 42 (``dst-admin-go``).
"""
