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
    IDENTITIES,
    PARTS,
    PEOPLE,
    REFUSES,
    ROLES,
    STAFF,
)

TOKEN: Final = re.compile(r"""(?P<text>"[^"]*"|'[^']*'|`[^`]*`)|(?P<member>[.>]\s*)?(?P<name>[A-Za-z_$][\w$]*)""")
WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
NAMED: Final = "(?i:" + "|".join(sorted({*ADMINISTRATORS, *STAFF})) + ")"
ROLE: Final = re.compile(rf"[A-Za-z_][\w:.-]*|[A-Za-z_][\w:.-]* {NAMED}|{NAMED} (?i:role|user|account)")  # no sentence


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
    """
    parts = words(name)
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


def is_identity(name: str) -> bool:
    """Whether an identifier is a constant that says who the administrators are.

    >>> [is_identity(name) for name in ("ADMIN_ID", "SUPERUSER_EMAILS", "admin_id", "ADMIN_URL", "USER_ID")]
    [True, True, False, False, False]
    """
    parts = words(name)
    return (
        name.isupper()
        and not ADMINISTRATORS.isdisjoint(parts)
        and not IDENTITIES.isdisjoint(parts)
        and all(word in ADMINISTRATORS or word in IDENTITIES for word in parts)
    )


@lru_cache(maxsize=4096)
def asks(code: str) -> bool:
    """Whether code of one condition, or of one expression that guards a handler, asks for an administrator.

    >>> [asks(code) for code in ("user.is_admin", "user.role == 'admin'", "isAuthenticated(Permission.ADMIN)")]
    [True, True, True]
    >>> asks('c.GetString("role") == "admin"'), asks("requireRole('admin', 'staff')")
    (True, True)
    >>> [asks(code) for code in ("path == '/admin'", "role in ('admin', 'editor')", "config.admin_url", "!admin")]
    [False, False, False, False]
    >>> [asks(code) for code in ("req.user.id !== ADMIN_ID", "body.email === ADMIN_EMAIL", "user.id == team.admin_id")]
    [True, False, False]
    """
    texts = []
    has_role = has_identity = has_person = False
    for token in TOKEN.finditer(code):
        text, name = token["text"], token["name"]
        if text is not None:
            texts.append(text[1:-1])
        elif is_administrators(name) or ((token["member"] or name.isupper()) and name.lower() in ADMINISTRATORS):
            return True
        else:
            has_role = has_role or not ROLES.isdisjoint(words(name))
            has_identity = has_identity or is_identity(name)
            has_person = has_person or not (name.isupper() or PEOPLE.isdisjoint(words(name)))
    if has_identity and has_person:
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
