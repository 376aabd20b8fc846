"""Names of options under which a library that no pack describes is given the address of a server."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

SERVER_OPTIONS: Final = late(
    r"(?i)^(?:(?:server|api|instance|service|root|node|gateway|broker|registry|homeserver|dav|caldav|carddav|rpc"
    r"|proxy|webhook|smtp|imap|ldap|mqtt|redis|remote(?!_?addr))_?(?:url|uri|endpoint|server|host|hostname|addr|address)"
    r"|[a-z]+_?(?:server|api)_?ur[il]|endpoint(?:_?ur[il])?|home_?server|webhook)$"
)
"""The name of an option that says which server a library talks to, whatever function of the library gets it.

Means: untrusted data under it, at a call of a function or a class of an installed library that no pack describes,
decides where requests go (``ssrf``).
Errs: an option that is only stored, shown or compared is none: a false finding.
Measured: of 8 such options in 8 of 112 programs, 7 are servers that the library talks to (bench/confidence.md).
"""
BASE_OPTIONS: Final = late(r"(?i)^(?:[a-z]+_?)?(?:base|target)_?(?:url|uri|endpoint|host)$")
"""The name of an option that says so where the function makes an object (``MAKERS``, or a class is called): programs
also pass the address at which they themselves are reached.

Means: as ``SERVER_OPTIONS``.
Errs: as there.
Measured: in the same 112 programs 2 of 3 where an object is made, and none of 4 elsewhere.
"""
MAKERS: Final = late(r"^(?i:new|create|make|build|init|open|connect|setup)(?:[A-Z_]\w*)?$")
"""The name of a function that makes an object, beside those of ``CLIENTS``: ``createFeed``, ``open_session``.

Means: see ``BASE_OPTIONS``.
Errs: as there.
Measured: as there.
"""
CLIENT_OPTIONS: Final = late(r"(?i)^(?:ur[il]|server|host|hostname|host_?name|addr|address)$")
"""The name of an option that says so where the function makes a client or a connection (``CLIENTS``): records have
fields of such names, too (``Bookmark(url=...)``).

Means: as ``SERVER_OPTIONS``.
Errs: as there.
Measured: in the same 112 programs 7 of 7; of 5 findings of other functions none is true.
"""
CLIENTS: Final = late(
    r"^(?:\w*(?:(?i:client|connection|session|connector|transport|sdk)|API|Api|_api)(?i:_?(?:async|v\d+))?"
    r"|(?i:new|log_?in)|(?i:(?:async_?)?connect|dial)(?:[A-Z_]\w*)?|[A-Z][a-z]*Connect)$"
)
"""The name of a function, or of a class, that makes a client or a connection: ``NewClient``, ``createConnection``,
``connect``, ``New`` of a package.

Means: see ``CLIENT_OPTIONS``.
Errs: as ``SERVER_OPTIONS``; a client of another name (``ImapFlow``) is not found.
Measured: as ``CLIENT_OPTIONS``.
"""
SETTERS: Final = late(r"(?i)^(?:with|set|use)_?(?=\w)")
"""The beginning of the name of a functional option, before the name of the option: ``WithBaseURL(x)``.

Means: as ``SERVER_OPTIONS``, of its first argument, where its result is passed to another call of the same library.
Errs: as there.
Measured: in the same 112 programs 1 of 2.
"""
