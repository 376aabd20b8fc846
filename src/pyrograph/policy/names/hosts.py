"""Guesses from the texts of functions that refuse hosts: by what they refuse them."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

NAMED_HOSTS: Final = late(
    rb"(?i)\blocal_?host\b|\b127\.|\b169\.254\b|\b192\.168\b|::1\b|\b0\.0\.0\.0\b|private_?(ip|host|addr|net)|"
    rb"(internal|loopback|local|forbidden|blocked|denied)_?(ip|host|addr)"
)
"""A function that refuses hosts which lead inside.

Means: together with the absence of ``LOOKED_UP``: the function refuses names, and any name of another server whose
owner lets it lead inside gets through. It is no check of where a request goes.
Errs: a function that speaks of such hosts for another reason, and checks something else, is no check any more: a false
finding is reported.
Measured: places that readers found in rounds 42 to 46 behind such checks (`swiparr`, `invio`, `kuno`, `enigma-bbs`) are
true, and so are the judged findings of rounds 38 to 46 behind them (`microblog.pub`, `wafrn`); three behind checks that
look the name up or dial what they checked (`pychess-variants`, `pocket-id`, `remark42`) are false.
"""
LOOKED_UP: Final = late(
    rb"(?i)\b(look_?up\w*|resolve\w*|get_?addr_?info|get_?host_?by_?\w+|dns\w*|\w*_?(lookup|resolve)(_?(ip|host|addr)\w*)?)"
    rb"\s*\(|\bdns\.|\bresolver\b"
)
"""A call that looks a name up.

Means: the function that has it is a check of where a request goes.
Errs: ``path.resolve(...)`` in such a function hides a true finding from the default report.
Measured: see ``NAMED_HOSTS``.
"""
LISTED_HOSTS: Final = late(rb"(?i)allow|white_?list|permit|trusted|accepted|known_?host")
"""A list of what is let through.

Means: a function that has one, and refuses hosts by name, is a check unless it comes back for names that nobody listed.
Errs: a comment with such a word hides a true finding from the default report.
Measured: see ``NAMED_HOSTS``.
"""
ADDRESSES_ONLY: Final = late(
    rb"(?i)\bip_(address|interface)\s*\(|\bIPv[46]Address\s*\(|\bipaddr\w*\.parse\s*\(|\bparse_?addr\s*\("
)
"""A call that makes an address of digits, and raises for a name.

Means: a function that has it, and no handler of exceptions (``HANDLED``), lets no name through: it is a check.
Errs: a handler elsewhere, or one around something else in the same function.
Measured: nothing.
"""
HANDLED: Final = late(rb"\btry\b")
"""Where exceptions are handled.

Means: the name for which ``ADDRESSES_ONLY`` raises may get through, so that the function may be no check.
Errs: the handler may refuse the name as well; a false finding is reported.
Measured: nothing.
"""
