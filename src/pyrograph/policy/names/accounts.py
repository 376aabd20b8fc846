"""Words by which a condition, or a function in front of a handler, asks for an account; names of registrations."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.policy.late import late

IDENTITY_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        login logins auth authn authentication authenticate session sessions jwt token tokens bearer identity principal
        credentials credential apikey permission permissions perm perms role roles scope scopes privilege privileges
        authorization authorize authorise acl rbac oauth oidc sso
        """,
    )
)
"""A word for what shows who sends a request.

Means: beside one of ``IDENTITY_CHECKS`` it names a check that lets only people with an account through
(``login_required``, ``verifyToken``). In the code of a condition whose one side refuses (``REFUSES_STRANGERS``), it
makes the condition such a check. In a program where visitors cannot make accounts, findings behind it that every
account is trusted with (``entrusted``) are left to ``--threat-model account``.
Errs: a function so named whose code is not seen and that lets anybody through hides true findings from the default
report; the report counts them.
Measured: see ``bench/rounds/round-2.md``, cause "same party"; not by this expression.
"""
USER_WORDS: Final = frozenset({"user", "users", "account", "accounts", "member", "members"})
"""A word for people with an account: ``get_current_user``, ``require_user``.

Means: as ``IDENTITY_WORDS``, but as the name of a check only beside "current", "require" or "required":
``validate_user`` checks what a form sends.
Errs: as ``IDENTITY_WORDS``.
Measured: nothing.
"""
LOGGED_IN: Final = frozenset(
    {
        "authenticated",
        "authed",
        "logged",
        "loggedin",
        "signed",
        "signedin",
        "authorized",
        "protected",
        "protect",
        "private",
    }
)
"""A word that alone says that somebody is logged in: ``authenticated(handler)``, ``protected.get(...)``.

Means: as a check's name, or a group's, as ``IDENTITY_WORDS``.
Errs: as ``IDENTITY_WORDS``.
Measured: nothing.
"""
IDENTITY_CHECKS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        required require requires ensure ensures only must need needs guard guarded check checks verify verifies
        validate validates is has restrict restricted assert enforce middleware valid current authenticate authorize
        authorise
        """,
    )
)
"""A word that makes a name with ``IDENTITY_WORDS`` that of a check.

Means: as ``IDENTITY_WORDS``.
Errs: as ``IDENTITY_WORDS``.
Measured: nothing.
"""
IDENTITY_FILLERS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        the a an for by in with mixin handler view async to of api access http web route routes procedure full read
        write admin jwt request group active verified fresh my me get this any each header bearer basic v1 v2 v
        """,
    )
)
"""Words beside which a check's name still means the same. Others change it: ``optionalAuth``, ``verifyCsrfToken``.

Means: as ``IDENTITY_WORDS``.
Errs: a word that is missing costs a check that is not understood.
Measured: nothing.
"""
IDENTITIES: Final = late(
    r"\b(?:req|request|ctx|context|session|locals|g|state|event)\b\??\.(?:user|userId|user_id|session|account|identity|auth)\b"
    r"|(?i:\bsessions?\b\W{0,3}(?:get\w*)?\W{0,4}(?:user|uid|account|auth|login|logged))"
    r"|(?i:[\"'](?:user|user_?id|username|account|logged_?in|authenticated)[\"'] in \S*session)"
    r"|(?i:is_?authenticated|(?:is_?)?logged_?in\b|is_?auth\b|is_?signed_?in)|\bauthenticated\b"
    r"|\bcurrent_?[uU]ser\b(?!\.\w*(?:id|name)\b)"
)
"""Code of a condition that asks whether the user is known: ``request.user``, ``session["user_id"]``, ``isLoggedIn``.

Means: code behind it, on the side where it is true, runs for people with an account. As ``IDENTITY_WORDS``.
Errs: as ``IDENTITY_WORDS``.
Measured: nothing.
"""
NO_IDENTITY: Final = late(r"(?i)csrf|xsrf|captcha|rate_?limit|optional|anonymous|\bguest|is_?public")
"""Code of a condition that asks something else, though it has a word for a session or a token.

Means: it is no check of who the user is.
Errs: a check in the same condition is not understood.
Measured: nothing.
"""
REFUSES_UNKNOWN: Final = late(
    r"\b401\b|(?i:unauthori[sz]ed|unauthenticated|not_?authenticated|not_?logged_?in|login_?required)"
    r"|(?i:authentication_?(?:failed|required|error))|(?i:log(?:ged)? in session not found)"
)
"""What code does only where it does not know who sends a request.

Means: the condition before it asks for that, whatever its code is.
Errs: a form that answers a wrong password or key so: what is behind it runs for those who know them.
Measured: nothing.
"""
REFUSES_STRANGERS: Final = late(
    r"\b403\b|(?i:forbid|denied|deny\b|reject\b)|(?i:redirect\W.{0,80}(?:log_?in|sign_?in|/auth))"
)
"""The same where the condition before it has a word of ``IDENTITY_WORDS``, ``USER_WORDS`` or ``LOGGED_IN``.

Means: as ``REFUSES_UNKNOWN``.
Errs: as ``REFUSES_UNKNOWN``.
Measured: nothing.
"""
EXEMPTIONS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        path paths url uri endpoint route public exempt exempted whitelist allowlist allowed ignored skip skipped
        disable disabled enable enabled config configured settings setting options mode method electron dev debug
        initialized installed setup noauth authentication unprotected open
        """,
    )
)
"""A word in a condition that lets some requests past a login: by their path, or because a setting switches it off.

Means: a check that has such a condition still counts for handlers whose path and name do not stand in its code.
Errs: where the exempted paths are not written there, a handler that needs no login counts as behind one.
Measured: nothing.
"""
EXEMPT_REQUESTS: Final = frozenset({"path", "paths", "url", "uri", "endpoint", "route", "method"})
"""A word of ``EXEMPTIONS`` for what is asked for; the others are about settings.

Means: a condition with one lets some requests past on either side. One about a setting does so where it is true only: a
login that a missing setting switches off is one that nobody needs by default.
Errs: as ``EXEMPTIONS``.
Measured: two of the known vulnerabilities of bench/cves are behind a login that is off unless a password is set.
"""
SETTINGS: Final = late(
    r"(?i)\b(?:os\.)?(?:getenv|environ)\b|process\.env|\b(?:app\.)?(?:config|settings|cfg|conf)\b|\bviper\b"
)
"""Code that reads how the program is configured.

Means: a condition that is true where such a value is there asks for nobody, even if its other side refuses.
Errs: a check that is written so is not understood.
Measured: see ``EXEMPT_REQUESTS``.
"""
ENVIRONMENT: Final = late(r"(?i:process\.env|os\.environ|getenv)[.(\[\w\"']*")
"""A variable of the environment, whose name may have a word of ``ADMINISTRATORS``: ``process.env.SystemRoot``.

Means: a condition that asks for it tells no accounts apart.
Errs: a condition that compares a user with such a variable (``user == os.environ["ADMIN"]``) is not seen where nothing
else in it names an administrator, so that findings move to ``--threat-model account``.
Measured: nothing.
"""
RIGHTS: Final = frozenset({"role", "roles", "permission", "permissions", "perm", "perms", "acl", "rbac", "privilege"})
"""A word for what one account may do and another may not.

Means: where a program calls a function that is named after asking for one (``IDENTITY_CHECKS``), accounts differ, and
being logged in changes nothing about who may call.
Errs: a function about permissions of files leaves findings in the default report that should be behind
``--threat-model account``.
Measured: without it, two more known vulnerabilities of bench/cves are missing from the default report.
"""
LOGINS: Final = late(r"(?i)(?:do_?)?(?:log|sign)_?in(?:_?(?:user|account|admin))?|(?:user_?)?(?:log|sign)_?in")
"""The name of a function that makes its argument the user of the session: ``login_user(account)``, ``req.login(user)``.

Means: where all objects that are given to such functions are of classes for administrators, or come from look-ups of
these, who is logged in is one, and visitors who register make something else.
Errs: a program that logs in others as well, by a function of another name, loses true findings behind the login to
``--threat-model operator``.
Measured: 14 false findings of one program of round 14.
"""
REGISTRATION_PATHS: Final = late(
    # a method, and a host; else no list of classes of a style, "join mt-1/2"
    r"(?i)^(?:(?:GET|POST|PUT|PATCH|ANY|ALL)\s+(?:[\w-]+\.[\w.-]+(?=/))?|(?=\S*/))(?!/\w+\s)"
    r"\^?/?(?:(?:api|auth\w*|users?|accounts?|members?|customers?|public|rest|v\d+|app|web|portal|site|pages?|identity"
    r"|sessions?|login|\{[^/]*\}|<[^/]*>|\[[^/]*\]|:\w+)/)*"
    r"(?:register|registration|sign[-_]?up|join|create[-_]?account|account/create|accounts?/new|users?/new)/?(?:[?$#.\s]|$)"
)
"""A path of a page or a handler with which visitors make themselves accounts.

Means: every visitor can log in, so that logging in changes nothing about who may call.
Errs: a path that registers something else leaves findings in the default report that should be behind
``--threat-model account``.
Measured: nothing; of the small programs that were hidden in round 22, six of 44 in Go write the method before the path.
"""
REGISTRATION_NAMES: Final = late(
    r"^(?i:(?:\w*[_.])?sign_?ups?(?:_?\w+)?|(?:\w+_)?register_?(?:new_?)?(?:user|account|member|customer)s?(?:_?\w+)?"
    r"|(?:user|account|member)_?(?:registration|register|signup)(?:_?\w+)?|registration_?(?:form|view|page|handler|serializer)"
    r"|registrationform|register_?(?:form|view|page|serializer))$"
)
"""The name of a function, a class or a field about visitors who make themselves accounts.

Means: as ``REGISTRATION_PATHS``.
Errs: as ``REGISTRATION_PATHS``.
Measured: nothing.
"""
REGISTRATION_WORDS: Final = late(r"(?i)^/?(?:register|registration|sign[-_]?up|create[-_]?account)/?$")
"""The name, the key or the route of code that answers a request with which visitors make themselves accounts:
``register: open.mutation(f)``, ``@Post("register")``.

Means: as ``REGISTRATION_PATHS``; of code that answers no request, the word says nothing.
Errs: as ``REGISTRATION_PATHS``.
Measured: of the small programs that were hidden in round 21, one vulnerable one had its registration under such a key.
"""
REGISTRATION_FILES: Final = late(
    r"(?i)(?:^|/)(?:(?:pages|routes|api|functions)/(?:[^/]+/)*(?:[\w-]+\.)*|app/(?:[^/]+/)*)"
    r"(?:register|registration|sign[-_]?up|create[-_]?account)"
    r"(?:/\+?(?:route|page|server|layout|index)[\w.+-]*|(?:\.(?:get|post))?\.\w+)$"
)
"""The path of a file that is a route with which visitors make themselves accounts: ``pages/api/register.ts``,
``app/signup/route.ts``, ``routes/register/+page.server.js``, ``server/api/register.post.ts``.

Means: as ``REGISTRATION_WORDS``, of the code in it that answers requests.
Errs: as ``REGISTRATION_PATHS``.
Measured: of the same programs, one vulnerable one had its registration in such a file.
"""
HANDED_KEYS: Final = frozenset({"key", "keys", "apikey", "apikeys", "code", "pin", "share", "invite", "invitation"})
"""A word in the code of a condition that asks for a key: ``keys.Get(given)``, ``valid_download_key(key)``.

Means: where the operator alone logs in, such a condition is no login: operators make keys for others, who may do less.
Errs: a condition that asks for the operator's own key by such a word keeps false findings.
Measured: two true findings of one program of round 43 (``rdio-scanner``), whose uploaders have keys, stay.
"""
LOGIN_WORDS: Final = frozenset(
    {"user", "users", "session", "sessions", "login", "logged", "jwt", "token", "auth", "authenticated", "cookie"}
)
"""A word beside which a word of ``HANDED_KEYS`` is part of a login: ``session.key``, ``user.api_key``.

Means: as ``HANDED_KEYS``.
Errs: a condition that asks for another's key with such a word counts as the operator's login.
Measured: as ``HANDED_KEYS``.
"""
