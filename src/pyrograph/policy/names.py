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

# -- Templates ---------------------------------------------------------------------------------------------------------

CLEANING_FILTERS: Final = re.compile(r"(?i)sanit|purif|(?<!un)escape|strip_?tags|bleach|csrf|nonce")
"""A filter or function of a template whose result is harmless in HTML.

Means: what it returns is not written unescaped. This removes a finding.
Errs: an unknown filter with such a name that does not escape hides a true finding.
Measured: nothing.
"""

# -- Files -------------------------------------------------------------------------------------------------------------

TEST_PATHS: Final = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)test_[^/]*\.py$|[._-](?:test|spec)\.\w+$")
"""The path of a file that holds tests.

Means: a path between such a file and another one has low confidence: data passes there only while tests run.
Errs: an application whose own folder is called ``tests`` or ``specs`` has true findings at low confidence.
Measured: in ten applications in Go, 8 findings went through test files (bench/real/verdicts-go.md).
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
