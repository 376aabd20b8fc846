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
PATH_TESTS: Final = ("is_relative_to", "relative_to")
"""Methods of paths that compare the beginning as it is written.

Means: the path counts as checked, with low confidence: one that was not resolved may climb behind the beginning.
Errs: a method of this name of something else hides a finding from a scan with default confidence.
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
MOUNTS: Final = re.compile(r"(?i)use|mount|regist|include|add|route|handle|group|plug")
"""What a router is given to so that its handlers are reached.

Means: where calls with such names are given a router, others are not looked at: ``csrf.exempt(router)``.
Errs: a mount with another name, without a check, counts as none.
Measured: nothing.
"""
EXEMPTS: Final = re.compile(r"(?i)exempt")
"""A call that takes a handler out of the protection of all forms: ``csrf.exempt``.

Means: what the handler reads of a form may come from another site. If it is given anything but handlers (a router), no
form of the program counts as protected.
Errs: exemptions from other things (``limiter.exempt``) count as well, so that findings stay.
Measured: nothing.
"""
SHOWS_PAGE: Final = re.compile(
    r"^(?:get|head|all|any|match|view|page|route|path|re_path|url|use|methods?|handle\w*|add_\w+|request)$"
)
"""A method, in lower case, that registers a path for requests that a link makes, among others.

Means: a handler that is registered for posted requests to the same path is reached by a link, too: the page's form
sends what stands in the page's address.
Errs: a page that is registered otherwise is not seen, and what a link does through it has medium confidence.
Measured: none of three redirects in such handlers was true (bench/confidence.md).
"""
CUTS_ROUTE: Final = re.compile(r"(?i)strip|mount|^use$")
"""A call that cuts the route, or a part of it, from the path before the handler reads it: ``http.StripPrefix``.

Means: what such a handler reads as the path of the request does not begin with the text of the route.
Errs: where the call leaves the path as it is, a redirect to the request's own path stays reported.
Measured: nothing.
"""
KEEPS_BEGINNING: Final = re.compile(
    r"(?i:str|string|toString|valueOf|sprintf?|format|concat|join|clean|clone|copy|encode|decode|parse|url|new url"
    r"|append|escapedpath|requesturi|trimsuffix|trimright|trimend|trimspace|trim|rstrip|removesuffix|tolower(?:case)?|lower)"
)
"""A function or method of text whose result begins as the text does, or with other text of the program.

Means: the path of the request keeps its fixed beginning.
Errs: ``strip("/")`` of Python is not among them, and a function of the program by one of these names is looked into.
Measured: nothing.
"""
ADDRESSES: Final = frozenset({"href"})
"""A member of an address that is the address as text.

Means: it goes where the address goes.
Errs: an object that is no address may have such a member.
Measured: nothing.
"""
PATHS_OF_ADDRESSES: Final = frozenset({"pathname"})
"""A member of an address that is its path.

Means: of the address of the request, it begins as the route does.
Errs: as ``ADDRESSES``.
Measured: nothing.
"""
ROUTE_FILE: Final = re.compile(
    r"(?:^|/)(?:routes|app|pages)/(?:\([^/()]*\)/|@[\w-]+/|_[^/]*/)*"
    r"(?:[A-Za-z0-9][\w-]*/|(?!(?:root|layout|index|page|route|default|template|error|middleware)\b)[A-Za-z0-9][\w-]*\.)"
)
"""A file whose path is that of a route which begins with fixed text: ``routes/(app)/admin/[id]/+page.server.ts``.

Means: what a framework calls in it because of its name and of the file's runs for paths that begin so.
Errs: a framework that takes such a folder for something else.
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

# -- Who has an account ------------------------------------------------------------------------------------------------

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
IDENTITIES: Final = re.compile(
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
NO_IDENTITY: Final = re.compile(r"(?i)csrf|xsrf|captcha|rate_?limit|optional|anonymous|\bguest|is_?public")
"""Code of a condition that asks something else, though it has a word for a session or a token.

Means: it is no check of who the user is.
Errs: a check in the same condition is not understood.
Measured: nothing.
"""
REFUSES_UNKNOWN: Final = re.compile(
    r"\b401\b|(?i:unauthori[sz]ed|unauthenticated|not_?authenticated|not_?logged_?in|login_?required)"
    r"|(?i:authentication_?(?:failed|required|error))|(?i:log(?:ged)? in session not found)"
)
"""What code does only where it does not know who sends a request.

Means: the condition before it asks for that, whatever its code is.
Errs: a form that answers a wrong password or key so: what is behind it runs for those who know them.
Measured: nothing.
"""
REFUSES_STRANGERS: Final = re.compile(
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
SETTINGS: Final = re.compile(
    r"(?i)\b(?:os\.)?(?:getenv|environ)\b|process\.env|\b(?:app\.)?(?:config|settings|cfg|conf)\b|\bviper\b"
)
"""Code that reads how the program is configured.

Means: a condition that is true where such a value is there asks for nobody, even if its other side refuses.
Errs: a check that is written so is not understood.
Measured: see ``EXEMPT_REQUESTS``.
"""
ENVIRONMENT: Final = re.compile(r"(?i:process\.env|os\.environ|getenv)[.(\[\w\"']*")
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
REGISTRATION_PATHS: Final = re.compile(
    r"(?i)^\^?/?(?:(?:api|auth\w*|users?|accounts?|members?|customers?|public|rest|v\d+|app|web|portal|site|pages?|identity"
    r"|sessions?|login|\{[^/]*\}|<[^/]*>|\[[^/]*\]|:\w+)/)*"
    r"(?:register|registration|sign[-_]?up|join|create[-_]?account|account/create|accounts?/new|users?/new)/?(?:[?$#.\s]|$)"
)
"""A path of a page or a handler with which visitors make themselves accounts.

Means: every visitor can log in, so that logging in changes nothing about who may call.
Errs: a path that registers something else leaves findings in the default report that should be behind
``--threat-model account``.
Measured: nothing.
"""
REGISTRATION_NAMES: Final = re.compile(
    r"^(?i:(?:\w*[_.])?sign_?ups?(?:_?\w+)?|(?:\w+_)?register_?(?:new_?)?(?:user|account|member|customer)s?(?:_?\w+)?"
    r"|(?:user|account|member)_?(?:registration|register|signup)(?:_?\w+)?|registration_?(?:form|view|page|handler|serializer)"
    r"|registrationform|register_?(?:form|view|page|serializer))$"
)
"""The name of a function, a class or a field about visitors who make themselves accounts.

Means: as ``REGISTRATION_PATHS``.
Errs: as ``REGISTRATION_PATHS``.
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

TEST_PATHS: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.\w+$"
    r"|(?:^|/)(?:vitest|jest)[.-][^/]*\.[cm]?[jt]sx?$"
)
"""The path of a file that holds tests, or prepares them (``vitest-setup.ts``).

Means: a path between such a file and another one has low confidence: data passes there only while tests run. What such
a file passes to code elsewhere says nothing of the objects and functions that this code gets.
Errs: an application whose own folder is called ``tests`` or ``specs`` has true findings at low confidence.
Measured: in ten applications in Go, 8 findings went through test files (bench/real/verdicts-go.md).
"""
DEVELOPMENT_PATHS: Final = re.compile(
    r"(?:^|/)(?:tests?|testing|testdata|__tests__|specs?|e2e|mocks?|fixtures?|examples?|samples?|demos?"
    r"|dev-?tools?|hack)/"
    r"|(?:^|/)[^/]+\.config\.[cm]?[jt]s$"
)
"""The path of a file that its developers run, not its users: tests, mocks, examples, configuration of build tools,
and programs of the build (``hack`` is their folder in projects around Kubernetes).

Means: a finding whose path lies in such files only has low confidence, unless they are most of the scanned
files and no other file reads untrusted data.
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
