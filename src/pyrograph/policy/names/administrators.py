"""Words by which a condition, or a function in front of a handler, asks for an administrator."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

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
        must be by the a an for site super global system server platform instance app application role roles access
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
OTHERWISE: Final = late(
    r"(?:Or(?=[A-Z\d])|_or_)(?:40[134]|"
    r"(?i:fail|throws?|raise|abort|exit|die|forbid|forbidden|reject|unauthori[sz]ed|deny|denied|redirect|error))$"
)
"""The end of a name that says what happens to everybody else: ``requireAdminOr401``, ``require_admin_or_abort``.

Means: the name says the same without it. Others that pass (``is_admin_or_owner``) are no such end.
Errs: as ``ADMINISTRATORS``.
Measured: six false findings of one program of round 31, three of them in a compiled copy.
"""
GUARDED_BY: Final = late(
    r"^(?:(?:Jwt|JWT|Gql|GraphQL|Graphql|Native|Http|Rest|Ws|Rpc|Keycloak|Firebase|OAuth|Oidc|Basic|Bearer|Local)"
    r"(?:Or(?=Jwt|JWT|Gql|GraphQL|Graphql|Native|Http|Rest|Ws|Rpc|Keycloak|Firebase|OAuth|Oidc|Basic|Bearer|Local))?)+"
    r"(?!Or)(?=\w*Guard$)"
)
"""The beginning of a guard's name that says how a user is known: ``JwtAdminGuard``, ``JwtOrNativeAdminGuard``.

Means: the name says the same without it. Others that pass (``JwtOrAdminGuard``) are no such beginning.
Errs: as ``ADMINISTRATORS``.
Measured: three false findings of one program of round 34.
"""
SERVICES: Final = frozenset({"system", "service", "svc", "machine", "m2m"})
"""A word before "role" for what is no person: ``SYSTEM_ROLE``, ``UserRoles.system``.

Means: what asks for such a role, and for no other than those of administrators, lets in programs of the operator only.
Errs: as ``ADMINISTRATORS``.
Measured: ten false findings of one program of round 33.
"""
PEOPLE: Final = frozenset({"customer", "client", "user", "users", "self", "field", "provider"})
"""A word beside which ``SERVICES`` name people: ``CUSTOMER_SERVICE_ROLE``.

Means: a role with such a word is none of a program's.
Errs: as ``ADMINISTRATORS``.
Measured: nothing.
"""
IDENTITIES: Final = frozenset(
    {
        "id",
        "ids",
        "uid",
        "uids",
        "uuid",
        "email",
        "emails",
        "mail",
        "mails",
        "name",
        "names",
        "username",
        "usernames",
        "login",
    }
    | {"account", "accounts", "default", "init", "initial", "first"}
)
"""Words beside which ``ADMINISTRATORS`` name who one of them is: ``ADMIN_ID``, ``settings.ADMIN_EMAILS``.

Means: a condition that compares something of a user (``WHO``) with it asks for an administrator.
Errs: as ``ADMINISTRATORS``.
Measured: one false finding of round 27 (``INIT_ADMIN_USER_ID``).
"""
WHO: Final = frozenset({"user", "users", "me", "session", "principal", "identity", "claims", "auth", "sub", "viewer"})
"""A word of what a program knows of who sends a request: ``g.user.id``, ``session.email``, ``auth.uid``.

Means: with a name of ``IDENTITIES``, that the person is compared, and not a text of the request
(``body.email == ADMIN_EMAIL``, which is how one logs in).
Errs: as ``ADMINISTRATORS``.
Measured: nothing.
"""
PARTS: Final = frozenset(
    {"api", "app", "application", "group", "groups", "handler", "instance", "server", "site", "view"}
)
"""Words of ``ABOUT_USERS`` beside which ``root`` says where a part of the program stands: ``rootGroup``, ``root_view``.

Means: a name of these words and ``root`` alone does not ask for an administrator.
Errs: a check for the system's administrator that is named so is not understood.
Measured: one known vulnerability, ``memos-2`` of ``bench/cves/cases-11.tsv``.
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
ASKS_FOR_ROLES: Final = DEMANDS | {
    "has",
    "have",
    "is",
    "required",
    "checks",
    "ensures",
    "can",
    "restrict",
    "guard",
    "test",
}
"""A word of a function that is given a role and does not come back for others: ``user_has_role(user, Role.ADMIN)``.

Means: code behind the call runs for administrators, if a condition on the role decides in the function whether it comes
back. A function with no such word may refuse names of roles that it does not know: ``create_user(role="admin")``.
Errs: a function that stores a role and has such a word takes what is behind it for the administrators'.
Measured: one false finding of round 38 (``ecotaxa_back``).
"""
CONTINUES: Final = frozenset({"next", "Next", "ServeHTTP", "call_next", "proceed", "handle"})
"""What a middleware calls to let a request through, as a function that it was given or as a method of such an object.

Means: the call has to lie behind the condition, so that the middleware is a check.
Errs: a middleware that goes on in another way is one whose check is not understood.
Measured: nothing.
"""
KEYS: Final = late(r"(?i)(?:api|master|admin)[-_]?(?:key|token)")
"""Code of a condition that asks whether a request brings a key which the operator made: ``if key not in api_keys``.

Means: a check that lets in nobody else but administrators is one for them, with low confidence, since its name does not
say whose keys these are.
Errs: keys that ordinary users make count as well, where a check lets users in by nothing else.
Measured: 15 false findings of one program of round 23.
"""
SENDER: Final = late(
    r"(?i)\b(?:req(?:uest)?|ctx|context|session|g|self)\.user(?:\.(?:_?id|pk|username))?$|\bcurrent_?user(?:\.(?:_?id|pk|username))?$"
)
"""Code of the user who sent a request, or of what identifies them: ``request.user``, ``current_user.id``.

Means: a check that says yes where something equals it lets its owner pass, so that it is none for administrators.
Errs: as ``CONTINUES``. Users who are read otherwise are not recognised, and the check stays one for administrators.
Measured: one known vulnerability of list 28.
"""
REFUSES: Final = late(
    r"(?<!or_)40[134]|(?i:forbid|forbidden|unauthori[sz]ed|denied|deny|abort|redirect|reject|no_?access)"
)
"""What code does that turns a user away.

Means: a side of a condition that contains it refuses, so that a function that is run before a handler is a check.
Errs: a check whose refusal is written otherwise is not understood.
Measured: nothing.
"""
DECIDING: Final = late(
    r"test_func|dispatch(?:_request)?|prepare|initial|before_action|can_?activate|has_(?:object_)?permission|check_permissions?"
    r"|is_accessible|authorize|intercept(?:_service)?",
    re.I,
)
"""A method of a handler's class, or of a class that guards it, that decides whether the handler runs.

Means: if it lets only administrators through, the handler runs for them only.
Errs: as ``CONTINUES``.
Measured: nothing.
"""
INTERCEPTS: Final = late(r"intercept(?:_service)?|can_?activate", re.I)
"""A method of ``DECIDING`` that only classes have which run before the methods of others.

Means: an object of such a class that a server, or a group, is made with is looked at as a check.
Errs: as ``CONTINUES``.
Measured: nothing.
"""
PERMISSIONS: Final = late(r"(?i:permission|guard|authori[sz]|access|role|middleware|decorators)")
"""An attribute of a handler's class that lists who may call it: ``permission_classes = [IsAdminUser]``.

Means: its elements are looked at as checks.
Errs: as ``CONTINUES``.
Measured: nothing.
"""
