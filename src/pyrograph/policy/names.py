"""Guesses from names: regular expressions over the names of functions and files.

A name proves nothing. Most guesses lower the confidence of a path; ``CLEANING_FILTERS`` and ``NON_PUBLIC_PATHS`` remove
findings. The text below each says what a match means, in which direction the guess errs, and what was measured. Names
of library APIs are no guesses: they stand in the packs of ``rules``.
"""

from __future__ import annotations

import re
from typing import Final

# -- Functions that check ----------------------------------------------------------------------------------------------

VALIDATOR_NAMES: Final = re.compile(
    r"valid|verif|safe|check|allow|permit|trust|hmac|signature|legal|forbid|block", re.I
)
"""A function whose result says whether its argument is as it should be: ``if is_valid(x)``.

Means: the arguments count as checked on one side of the condition. The path through that side is assumed, and its
confidence low.
Errs: a function so named that checks something else hides a true finding from the default report.
Measured: with ``LOOKUP_NAMES``, and with equality and membership in what is not constant, about 35 findings in ten
applications in Python (bench/real/README.md). How many of them this expression decided, and how many findings it lowers
wrongly, was not measured.
"""
NEGATIVE_VALIDATOR_NAMES: Final = re.compile(r"invalid|unsafe|untrust|disallow|illegal|forbid|block", re.I)
"""A validator that returns true where the argument is *not* as it should be: ``if is_blocked(x)``.

Means: the arguments count as checked where the condition is false, instead of where it is true.
Errs: the wrong side counts as checked.
Measured: nothing.
"""
LOOKUP_NAMES: Final = re.compile(r"^_?(get|find|fetch|look_?up|retrieve|query|by_?|first|one)(?![a-z])")
"""A function of no modelled API that looks something up by its argument: ``if find_user(name) is None``.

Means: an argument for which something was found counts as checked. The path is assumed, and its confidence low.
Errs: as ``VALIDATOR_NAMES``.
Measured: see ``VALIDATOR_NAMES``.
"""
CHECKING_NAMES: Final = re.compile(r"(?i:valid|verif|check|assert|ensure|allow|permit|forbid|exists)")
"""A function of the program that raises unless its argument is right: ``ensure_allowed(x)``.

Means: a path on which such a function received the value, tests something, and raises or has its result used has low
confidence.
Errs: as ``VALIDATOR_NAMES``.
Measured: nothing for this expression alone; see ``VALIDATOR_NAMES``.
"""
CLEANING_NAMES: Final = re.compile(r"(?i:valid|verif|saniti[sz]e|clean|secure|safe)")
"""A function of the program that returns the harmless part of its argument: ``secure_name(x)``.

Means: a path through the result of such a function, where it tests something, has low confidence.
Errs: a cleaner for another kind of harm hides a true finding from the default report.
Measured: nothing.
"""

# -- Unknown callees ---------------------------------------------------------------------------------------------------

DISCARDING_NAMES: Final = re.compile(
    r"_?(?i:escape|sanitize|sanitise|purify|encode|validate|hash|is|has|get|find|fetch|load|lookup|open|stat)(_|$|[A-Z])"
)
"""An unknown function that most likely does not return its argument: it cleans, tests or fetches.

Means: the assumed step through the call is doubtful, and a path with such a step has low confidence.
Errs: an accessor that returns a part of its argument hides a true finding; ``GetName()`` of a parameter is excepted.
Measured: in ten applications in JavaScript, 43 findings had assumed steps through results that are awaited, drawings
and feeds made by libraries, and escaping functions; low confidence and three new models removed them
(bench/real/verdicts-javascript.md). How many this expression decided was not counted.
"""

# -- Who may call ------------------------------------------------------------------------------------------------------

ADMINISTRATORS: Final = frozenset(
    {
        "admin",
        "admins",
        "administrator",
        "administrators",
        "superuser",
        "superusers",
        "superadmin",
        "superadmins",
        "sysadmin",
    }
)
"""A word for those who run the program.

Means: an identifier of these words and of ``ABOUT_USERS`` (``is_admin``, ``AdminAccess``, ``Permission.ADMIN``) asks
for an administrator. A condition on it that decides whether code runs makes the party of what reaches that code
``operator``, and findings of most vulnerabilities are left to ``--threat-model operator``. Where only the name of a
function that guards a handler says so, and its code does not show it, the confidence is low.
Errs: where any visitor can become an administrator, of an organisation of their own for example, true findings are
missing from the default report; the report counts them.
Measured: see ``bench/rounds/round-1.md``, cause "same party"; not by this expression.
"""
STAFF: Final = frozenset({"staff", "operator", "operators", "root"})
"""A word that says the same only beside one of ``ABOUT_USERS`` (``is_staff``) or as a role's name (``"operator"``).

Alone it often means something else: the operator of an expression, the root of a tree.

Means: as ``ADMINISTRATORS``. Owners are none: a visitor owns what they make.
Errs: as ``ADMINISTRATORS``.
Measured: nothing.
"""
ABOUT_USERS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        is has user users current my me require requires required check checks ensure ensures assert verify only
        must be by the a an for site super global system server instance app application role roles access
        permission permissions privilege privileges privileged rights right level guard guards middleware auth
        authenticated authentication authorization authorize authorized authorisation handler mixin view procedure
        session protected protect member members account group allow allowed permit permitted restrict restricted
        can or and test login logged in with api
        """,
    )
)
"""Words beside which ``ADMINISTRATORS`` and ``STAFF`` still mean that somebody is one; with other words they name
something of an administrator's (``admin_url``, ``adminEmail``).

Means: as ``ADMINISTRATORS``.
Errs: a word that is missing costs a check that is not understood; one too many takes a setting for a check.
Measured: nothing.
"""
ROLES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        role roles permission permissions perm perms privilege privileges group groups scope scopes claim claims
        authorize authorized authorise authorization auth permit permitted allow allowed restrict restricted access
        can grant granted grants right rights level rank acl rbac policy policies require requires ensure only has
        session guard
        """,
    )
)
"""A word beside which a text names a role: ``role == "admin"``, ``requireRole("admin")``.

Means: texts that are all words of ``ADMINISTRATORS`` or ``STAFF`` ask for an administrator.
Errs: as ``ADMINISTRATORS``.
Measured: nothing.
"""
DEMANDS: Final = frozenset({"require", "requires", "check", "ensure", "assert", "verify", "must", "authorize", "only"})
"""The first word of a function that returns an error, or nothing, where the user is one: ``requireAdmin(r) == nil``.

Means: an equality of its result with nothing holds for administrators.
Errs: the wrong side of the condition counts as theirs.
Measured: nothing.
"""
CONTINUES: Final = frozenset({"next", "Next", "ServeHTTP", "call_next", "proceed", "handle"})
"""What a middleware calls to let a request through, as a function that it was given or as a method of such an object.

Means: the call has to lie behind the condition, so that the middleware is a check.
Errs: a middleware that goes on in another way is one whose check is not understood.
Measured: nothing.
"""
REFUSES: Final = re.compile(
    r"40[134]|(?i:forbid|forbidden|unauthori[sz]ed|denied|deny|abort|redirect|reject|no_?access)"
)
"""What code does that turns a user away.

Means: a side of a condition that contains it refuses, so that a function that is run before a handler is a check.
Errs: a check whose refusal is written otherwise is not understood.
Measured: nothing.
"""
DECIDING: Final = re.compile(
    r"test_func|dispatch|prepare|initial|before_action|can_?activate|has_(?:object_)?permission|check_permissions?"
    r"|is_accessible|authorize",
    re.I,
)
"""A method of a handler's class, or of a class that guards it, that decides whether the handler runs.

Means: if it lets only administrators through, the handler runs for them only.
Errs: as ``CONTINUES``.
Measured: nothing.
"""
PERMISSIONS: Final = re.compile(r"(?i:permission|guard|authori[sz]|access|role|middleware|decorators)")
"""An attribute of a handler's class that lists who may call it: ``permission_classes = [IsAdminUser]``.

Means: its elements are looked at as checks.
Errs: as ``CONTINUES``.
Measured: nothing.
"""

# -- Templates ---------------------------------------------------------------------------------------------------------

CLEANING_FILTERS: Final = re.compile(r"(?i)sanit|purif|(?<!un)escape|strip_?tags|bleach|csrf|nonce")
"""A filter or function of a template whose result is harmless in HTML.

Means: what it returns is not written unescaped. This removes a finding.
Errs: an unknown filter with such a name that does not escape hides a true finding.
Measured: nothing.
"""

# -- Decorators --------------------------------------------------------------------------------------------------------

BINDING_KEYWORDS: Final = frozenset({"bind"})
"""A keyword of a library's decorator that is true where the decorator gives a plain function its first argument:
``@app.task(bind=True)``.

Means: the arguments of calls begin at the second parameter.
Errs: where the keyword means something else, arguments arrive one parameter too late.
Measured: four false findings of one application were shifted arguments (bench/rounds/round-2.md).
"""

# -- Files -------------------------------------------------------------------------------------------------------------

TEST_PATHS: Final = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.\w+$")
"""The path of a file that holds tests.

Means: a path between such a file and another one has low confidence: data passes there only while tests run.
Errs: an application whose own folder is called ``tests`` or ``specs`` has true findings at low confidence.
Measured: in ten applications in Go, 8 findings went through test files (bench/real/verdicts-go.md).
"""
DEVELOPMENT_PATHS: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|specs?|e2e|mocks?|fixtures?|examples?|samples?|demos?)/"
    r"|(?:^|/)[^/]+\.config\.[cm]?[jt]s$"
)
"""The path of a file that its developers run, not its users: tests, mocks, examples, configuration of build tools.

Means: a finding whose path lies in such files only has low confidence, unless they are most of the scanned files.
Errs: a program of its own in such a folder, beside a larger one, has findings at low confidence.
Measured: of 456 findings in two rounds of unseen programs, 6 lie in such files only and all are false; no sink of
the 152 known vulnerabilities does (bench/rounds, bench/cves).
"""
NON_PUBLIC_PATHS: Final = re.compile(
    r"(^|/)(tests?|testing|testdata|__tests__|specs?|examples?|samples?|demos?|docs?|bench(marks?)?|scripts?|tools)/"
    r"|(^|/)(test_[^/]*|[^/]*_test|conftest|setup|[^/]*\.(test|spec|config))\.[a-z]+$"
)
"""The path of a file that a library does not offer to its users.

Means: parameters of its functions are no sources where the program is taken for a library.
Errs: a library that offers functions from such a folder has missed findings.
Measured: nothing.
"""
TEMPLATE_FOLDERS: Final = frozenset(
    {"views", "view", "templates", "template", "tpl", "tmpl", "pages", "layouts", "partials"}
)
"""A folder that holds templates.

Means: where several files fit the name of a template, one below such a folder is taken.
Errs: another template is looked at, so that findings are missed and false ones come.
Measured: nothing.
"""
