"""Whether a text of code asks for an administrator: by the words of its identifiers and strings.

``policy.names`` has the words, and in which direction they err.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pyrograph.policy.names.administrators import (
    ABOUT_USERS,
    ADMINISTRATORS,
    DEMANDS,
    GUARDED_BY,
    IDENTITIES,
    OTHERWISE,
    PARTS,
    PEOPLE,
    REFUSES,
    ROLES,
    SERVICES,
    STAFF,
    WHO,
)

TOKEN: Final = re.compile(r"""(?P<text>"[^"]*"|'[^']*'|`[^`]*`)|(?P<member>[.>]\s*)?(?P<name>[A-Za-z_$][\w$]*)""")
WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NAMED: Final = "(?i:" + "|".join(sorted({*ADMINISTRATORS, *STAFF})) + ")"
ROLE: Final = re.compile(rf"[A-Za-z_][\w:.-]*|[A-Za-z_][\w:.-]* {NAMED}|{NAMED} (?i:role|user|account)")  # no sentence
DENIED: Final = re.compile(r"[\w$]+\s*(?:(?<![=!<>:])=(?!=)|:)\s*(?:False|false)\b")  # an argument that asks for nobody
# the key by which code reads the user, of whom a member is asked: ``c.get("user")?.role``, ``session["user"]["role"]``
READ_USER: Final = re.compile(rf"""[\[(]\s*(["'`])(?:{"|".join(sorted(WHO))})\1\s*[\])](?=\s*(?:[!?]?\.|!?\[))""", re.I)
GIVEN_ROLES: Final = re.compile(r"(?P<name>[\w$]+)\s*\(\s*\[?(?P<roles>[^()\[\]{}]+)\]?\s*\)\s*$")


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier in lower case.

    >>> words("isSuperAdmin"), words("operator_role_required"), words("HTTPError")
    (('is', 'super', 'admin'), ('operator', 'role', 'required'), ('http', 'error'))
    """
    return tuple(word.lower() for word in WORD.findall(name))


def is_administrators(name: str) -> bool:
    """Whether an identifier of several words says that somebody is an administrator.

    >>> [is_administrators(name) for name in ("is_admin", "AdminAccess", "isStaff", "admin_url", "admin", "isOwner")]
    [True, True, True, False, False, False]
    >>> [is_administrators(name) for name in ("isRoot", "root_user", "rootGroup", "root_view", "rootAdminGroup")]
    [True, True, False, False, True]
    >>> [is_administrators(name) for name in ("requireAdminOr401", "require_admin_or_abort", "isAdminOrOwner")]
    [True, True, False]
    >>> [is_administrators(name) for name in ("JwtOrNativeAdminGuard", "GqlAdminGuard", "JwtOrAdminGuard")]
    [True, True, False]
    """
    parts = words(GUARDED_BY.sub("", OTHERWISE.sub("", name)))
    if PARTS.issuperset(word for word in parts if word != "root"):
        return False
    named = [word for word in parts if word in ADMINISTRATORS or word in STAFF]
    return bool(named) and len(parts) > len(named) and all(word in ABOUT_USERS for word in parts if word not in named)


def is_role(text: str) -> bool:
    """Whether a text is the name of an administrators' role.

    >>> [is_role(text) for text in ("admin", "ROLE_ADMIN", "System admin", "Admin user", "user", "/admin", "Admin API")]
    [True, True, True, True, False, False, False]
    """
    parts = words(text)
    return bool(
        ROLE.fullmatch(text)
        and not {*ADMINISTRATORS, *STAFF}.isdisjoint(parts)
        and all(word in ADMINISTRATORS or word in STAFF or word in ABOUT_USERS for word in parts)
    )


def is_one_of_them(name: str) -> bool:
    """Whether an identifier says who the administrators are: their numbers, names or addresses.

    >>> [is_one_of_them(name) for name in ("ADMIN_ID", "initAdminUserId", "ADMINS", "admin", "admin_url")]
    [True, True, True, False, False]
    """
    parts = words(name)
    others = [word for word in parts if word not in ADMINISTRATORS]
    return len(others) < len(parts) and (
        all(word in IDENTITIES or word in ABOUT_USERS for word in others)
        if not IDENTITIES.isdisjoint(others)
        else not others and parts[-1][-1] == "s"
    )


def is_service_role(code: str) -> bool:
    """Whether code names the role of a program: ``SYSTEM_ROLE``, ``UserRoles.system``, ``"service-account"``.

    >>> [is_service_role(code) for code in ("COLIN_SVC_ROLE", "Roles.SYSTEM", "'system'", "'service account'")]
    [True, True, True, True]
    >>> [is_service_role(code) for code in ("CUSTOMER_SERVICE_ROLE", "settings.system", "USER_ROLE", "'service desk'")]
    [False, False, False, False]
    """
    name = code.strip()
    parts = words(name)
    if not PEOPLE.isdisjoint(words(name.rpartition(".")[2])):
        return False
    if name[:1] in ("'", '"', "`"):
        return bool(parts) and parts[0] in SERVICES and {"role", "account"}.issuperset(parts[1:])
    owner, _, last = name.rpartition(".")
    if owner:
        return not {"role", "roles"}.isdisjoint(words(owner)) and SERVICES.issuperset(words(last))
    return len(parts) > 1 and parts[-1] in ("role", "roles") and parts[-2] in SERVICES


def asks_for_service(code: str) -> bool:
    """Whether a call asks for roles of programs, or of administrators, and for no others.

    >>> asks_for_service("jwt.requires_roles([SVC_ROLE])"), asks_for_service("has_role('system')")
    (True, True)
    >>> asks_for_service("has_one_of_roles([SYSTEM_ROLE, EDITOR])"), asks_for_service("start(SYSTEM_ROLE)")
    (False, False)
    """
    call = GIVEN_ROLES.search(code)
    if call is None or ROLES.isdisjoint(words(call["name"])):
        return False
    roles = [each for each in call["roles"].split(",") if each.strip()]
    services = [each for each in roles if is_service_role(each)]
    return bool(services) and all(each in services or is_role(each.strip(" '\"").rpartition(".")[2]) for each in roles)


@lru_cache(maxsize=4096)
def asks(code: str) -> bool:
    """Whether code of one condition, or of one expression that guards a handler, asks for an administrator.

    >>> [asks(code) for code in ("user.is_admin", "user.role == 'admin'", "isAuthenticated(Permission.ADMIN)")]
    [True, True, True]
    >>> asks('c.GetString("role") == "admin"'), asks("requireRole('admin', 'staff')")
    (True, True)
    >>> asks("g.user.id == ADMIN_ID"), asks("session.mail in settings['ADMINS']"), asks("body.mail == ADMIN_MAIL")
    (True, True, False)
    >>> [asks(code) for code in ("path == '/admin'", "role in ('admin', 'editor')", "config.admin_url", "!admin")]
    [False, False, False, False]
    >>> asks('c.get("user")?.role !== "admin"'), asks("session['user']['role'] == 'admin'")
    (True, True)
    >>> asks("['user', 'admin'].includes(role)"), asks("session['user'] == 'admin'")
    (False, False)
    >>> asks("enter(request, admin_required=False)"), asks("user.is_admin == False"), asks("enter({ isAdmin: false })")
    (False, True, False)
    """
    if asks_for_service(code):
        return True
    code = READ_USER.sub("", DENIED.sub("", code))
    texts = []
    has_role = is_compared = False
    who: set[str] = set()
    for token in TOKEN.finditer(code):
        text, name = token["text"], token["name"]
        if is_one_of_them(name or text[1:-1]):
            is_compared = True
        elif name is not None:
            who.update(words(name))
        if text is not None:
            texts.append(text[1:-1])
        elif is_administrators(name) or ((token["member"] or name.isupper()) and name.lower() in ADMINISTRATORS):
            return True
        else:
            has_role = has_role or not ROLES.isdisjoint(words(name))
    if is_compared and not WHO.isdisjoint(who):
        return True
    named = [text for text in texts if text and (is_role(text) or ROLES.isdisjoint(words(text)))]
    has_role = has_role or len(named) < len(list(filter(None, texts)))  # ``session["role"] == "admin"``
    if any(is_administrators(text) for text in named if ROLE.fullmatch(text)):
        return True
    return has_role and bool(named) and all(is_role(text) for text in named)


def demands(code: str) -> bool:
    """Whether a call's name says that its result is an error unless the user is one: ``requireAdmin(r)``."""
    name = re.match(r"[\w$.?>()\s-]*?([\w$]+)\s*\(", code)
    return name is not None and words(name[1])[:1] != () and words(name[1])[0] in DEMANDS


def turns_away(condition: str, code: str) -> bool:
    """Whether ``code``, which runs on one side of a condition that asks for an administrator, refuses."""
    return REFUSES.search(code) is not None
