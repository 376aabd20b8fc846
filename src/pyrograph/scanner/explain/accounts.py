"""Whether a text of code asks who the user is, so that only people with an account pass: by words.

``policy.names`` has the words, and in which direction they err.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pyrograph.policy.names.accounts import (
    ENVIRONMENT,
    EXEMPT_REQUESTS,
    EXEMPTIONS,
    HANDED_KEYS,
    IDENTITIES,
    IDENTITY_CHECKS,
    IDENTITY_FILLERS,
    IDENTITY_WORDS,
    LOGGED_IN,
    LOGIN_WORDS,
    NO_IDENTITY,
    REFUSES_STRANGERS,
    REFUSES_UNKNOWN,
    REGISTRATION_NAMES,
    REGISTRATION_PATHS,
    RIGHTS,
    SETTINGS,
    USER_WORDS,
)
from pyrograph.scanner.explain import administrators
from pyrograph.scanner.explain.administrators import words

GIVEN: Final = re.compile(r"([\w$]+)\s*\([^()]*\)?")  # a call and what it is given, to the end of shortened code
IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")
API_KEY: Final = re.compile(r"(?i)api_?key")  # one word for ``IDENTITY_WORDS``


@lru_cache(maxsize=4096)
def is_login(name: str) -> bool:
    """Whether an identifier says that a function lets only logged-in users through.

    >>> names = ("login_required", "requireAuth", "JwtAuthGuard", "checkApiAuth", "get_current_user", "validateAPIKey")
    >>> [is_login(name) for name in names]
    [True, True, True, True, True, True]
    >>> names = ("optionalAuth", "verifyCsrfToken", "validate_user", "get_user", "session", "authRouter", "login")
    >>> [is_login(name) for name in names]
    [False, False, False, False, False, False, False]
    """
    parts = set(words(API_KEY.sub("Apikey", name)))
    if not parts <= (IDENTITY_WORDS | USER_WORDS | IDENTITY_CHECKS | IDENTITY_FILLERS | LOGGED_IN):
        return False
    if not parts.isdisjoint(LOGGED_IN):
        return True
    checks = parts & IDENTITY_CHECKS
    return bool(checks and parts & IDENTITY_WORDS) or bool(
        checks & {"require", "required", "current"} & parts and parts & USER_WORDS
    )


def is_group(name: str) -> bool:
    """Whether a name of a group of handlers, or of a builder, says that they are for logged-in users.

    >>> [is_group(name) for name in ("protected", "protectedProcedure", "authGroup", "private_api")]
    [True, True, False, True]
    """
    parts = set(words(name))
    return not parts.isdisjoint(LOGGED_IN) and parts <= (LOGGED_IN | IDENTITY_FILLERS)


@lru_cache(maxsize=4096)
def asks(code: str) -> bool:
    """Whether the code of one condition asks whether the user is known.

    >>> [asks(code) for code in ("current_user.is_authenticated", "!req.user", "session.get('user_id')")]
    [True, True, True]
    >>> [asks(code) for code in ("isAuthenticated(req)", "'user' in session", "request.session.userId")]
    [True, True, True]
    >>> [asks(code) for code in ("user.name", "err != nil", "optionalAuth(req)", "user.is_anonymous", "token")]
    [False, False, False, False, False]
    """
    if NO_IDENTITY.search(code):
        return False
    return IDENTITIES.search(code) is not None or any(is_login(name) for name in IDENTIFIER.findall(code))


@lru_cache(maxsize=4096)
def hints(code: str) -> bool:
    """Whether the code of a condition, or of what it is computed by, is about users, sessions or tokens."""
    return any(
        not (IDENTITY_WORDS | USER_WORDS | LOGGED_IN).isdisjoint(words(name)) for name in IDENTIFIER.findall(code)
    )


@lru_cache(maxsize=4096)
def asks_for_key(code: str) -> bool:
    """Whether the code of a condition asks for a key, which may be somebody else's than the account's, and for nothing
    of a login.

    >>> [asks_for_key(code) for code in ("keys.GetApiKey(given)", "valid_download_key(key)", "share_code is None")]
    [True, True, True]
    >>> asks_for_key("session.key"), asks_for_key("user.api_key == given"), asks_for_key("checkToken(token)")
    (False, False, False)
    """
    found = {word for name in IDENTIFIER.findall(API_KEY.sub("Key", code)) for word in words(name)}
    return not found.isdisjoint(HANDED_KEYS) and found.isdisjoint(LOGIN_WORDS)


def is_owners_login(name: str) -> bool:
    """Whether an identifier says that a function lets only the operator through, who alone logs in.

    >>> is_owners_login("requireAuth"), is_owners_login("validateAPIKey")
    (True, False)
    """
    return is_login(name) and not asks_for_key(name)


def refuses(condition: str, code: str) -> bool:
    """Whether ``code``, which runs on one side of a condition, turns away who is not logged in.

    >>> refuses("err != nil", "http.Error(w, text, http.StatusUnauthorized)"), refuses("!user", "abort(403)")
    (True, True)
    >>> refuses("closed", "abort(403)"), refuses("err.status === 401", "res.redirect('/login')")
    (False, False)
    """
    if NO_IDENTITY.search(condition) or REFUSES_UNKNOWN.search(condition):
        return False
    return REFUSES_UNKNOWN.search(code) is not None or (REFUSES_STRANGERS.search(code) is not None and hints(condition))


def exempts(code: str, side: bool) -> bool:
    """Whether the code of a condition may let some requests past a login where it has ``side``: by their path, or by a
    setting that switches the login off. Where a missing setting does that, nobody logs in by default.

    >>> exempts("config.noAuthentication", True), exempts("config.authEnabled", False), exempts("is_open(path)", False)
    (True, False, True)
    """
    found = {word for name in IDENTIFIER.findall(code) for word in words(name)}
    return not (EXEMPTIONS if side else EXEMPT_REQUESTS).isdisjoint(found)


def confines(condition: str, code: str) -> bool:
    """Whether a condition asks which path a request is for, and ``code`` on its other side turns away all others.

    >>> confines("isAllowed open.some(e => req.path === e.path)", "res.status(403).end()")
    True
    >>> confines("isAllowed users.has(req.user)", "res.status(403).end()"), confines("req.path === '/'", "next()")
    (False, False)
    """
    found = {word for name in IDENTIFIER.findall(condition) for word in words(name)}
    return not found.isdisjoint(EXEMPT_REQUESTS) and REFUSES_STRANGERS.search(code) is not None


def is_setting(code: str) -> bool:
    """Whether the code of a condition, and of what it is computed by, reads how the program is configured.

    >>> is_setting("user os.getenv('APP_USER', '')"), is_setting("session.get('user')")
    (True, False)
    """
    return SETTINGS.search(code) is not None


@lru_cache(maxsize=4096)
def is_about_rights(name: str) -> bool:
    """Whether the name of a function says that it asks which rights a user has.

    >>> [is_about_rights(name) for name in ("hasPermission", "requireRole", "permission_required", "permissions")]
    [True, True, True, False]
    """
    parts = set(words(name))
    return not parts.isdisjoint(RIGHTS) and not parts.isdisjoint(IDENTITY_CHECKS)


@lru_cache(maxsize=4096)
def tells_accounts_apart(code: str) -> bool:
    """Whether the code of a condition asks for an administrator, but for what other functions are given.

    >>> [tells_accounts_apart(code) for code in ("currentUser.isAdmin", "user.has_role('admin')", "create(ROLE_ADMIN)")]
    [True, True, False]
    >>> tells_accounts_apart("process.env.SystemRoot")
    False
    """
    code = ENVIRONMENT.sub("", code)
    return administrators.asks(GIVEN.sub(lambda call: call[0] if is_about_rights(call[1]) else call[1], code))


def registers(text: str) -> bool:
    """Whether a name or a constant of a program says that visitors can make accounts.

    >>> [registers(text) for text in ("/api/auth/register", "signup", "register_user", "/users/{id}/register/")]
    [True, True, True, True]
    >>> [registers(text) for text in ("POST /register", "PUT shop.example/signup", "DELETE /register", "post x/y")]
    [True, True, False, False]
    >>> [registers(text) for text in ("register", "/node/register", "registerHandler", "/login", "create_user")]
    [False, False, False, False, False]
    >>> registers("join w-1/2")
    False
    """
    if "://" in text:  # another server's
        return False
    return (REGISTRATION_PATHS if "/" in text else REGISTRATION_NAMES).search(text) is not None
