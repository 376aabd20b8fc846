"""Names by which programs ask where they run: where they are developed or tested, or where they are used."""

from __future__ import annotations

from typing import Final

from pyrograph.policy.late import late

ENVIRONMENT: Final = late(r"""(?i)(?:^|[._"'\[])(?:[a-z]+_?)?env(?:ironment)?(?:_?name)?["'\])]*$""")
"""Code that reads the environment that the program runs in: ``process.env.NODE_ENV``, ``os.Getenv("APP_ENV")``.

Means: where it is compared with a text, ``DEVELOPING`` and ``PRODUCING`` say what that means.
Errs: another setting by such a name that is compared with one of these words.
Measured: two findings of JavaScript in rounds 5 to 9 are behind such a test; both are false.
"""
DEVELOPING: Final = late(r"(?i)^(?:dev|devel|development|test|testing|debug|local|localhost)$")
"""The name of an environment in which a program is developed or tested.

Means: what runs in such an environment only has low confidence.
Errs: a program that is deployed with such a setting.
Measured: see ``ENVIRONMENT``.
"""
PRODUCING: Final = late(r"(?i)^(?:prod|production|release|live)$")
"""The name of the environment in which a program is used.

Means: what runs in other environments only has low confidence.
Errs: as ``DEVELOPING``.
Measured: see ``ENVIRONMENT``.
"""
UNDER_DEVELOPMENT: Final = late(
    r"(?i)^(?:[\w$]+\.)*(?:__dev__|is_?(?:in_?)?(?:dev|development)(?:_?(?:mode|env|environment))?|is_?local_?host"
    r"|is_?local_?(?:mode|env|environment)|dev_?mode)(?:\(\))?$"
    r"""|^(?:[\w$]+\.)*config(?:\.get\(|\[)\W?testing["'](?:,\s*\w+)?[\])]$|^(?:[\w$]+\.)*(?:settings|app|testing)\.testing(?:\(\))?$"""
    r"""|^(?:[\w$]+\.)*env(?:iron)?\W{1,2}(?:get\W{1,2})?(?:pytest_current_test|vitest|jest_worker_id)\W*$"""
)
"""A setting that is true where the program is developed.

Means: what runs only where it is true has low confidence.
Errs: as ``DEVELOPING``. A setting ``debug`` is none: programs are used with it. Nor is a mode of tests: shops take
payments in one.
Measured: see ``ENVIRONMENT``. One finding of round 24 is behind ``app.config["TESTING"]``; it is false.
"""
UNDER_PRODUCTION: Final = late(
    r"(?i)^(?:[\w$]+\.)*is_?(?:in_?)?(?:prod|production)(?:_?(?:mode|env|environment))?(?:\(\))?$"
)
"""The same of a setting that is true where the program is used.

Means: what runs only where it is false has low confidence.
Errs: as ``DEVELOPING``.
Measured: see ``ENVIRONMENT``.
"""
