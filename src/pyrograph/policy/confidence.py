"""Thresholds between high, medium and low confidence; ``scanner.explain.confidence`` applies them.

What is known comes from judged findings of real applications (bench/real). "Ten applications" are those of one
language, listed in bench/real/README.md; each finding was judged once, by one reader. The thresholds were fitted to the
same applications that the figures are from: on others they say less. No figure exists for JavaScript or Python where
none is given.
"""

from __future__ import annotations

from typing import Final

# -- Paths with an assumed step ----------------------------------------------------------------------------------------

MAX_ASSUMED: Final = 2
"""Assumed steps of a path; with more, its confidence is low. [steps]

Judgement without data: each assumed step may be wrong.
"""
MAX_STEPS_ASSUMED: Final = 8
"""All steps of a path with an assumed one; with more, its confidence is low. [steps]

Judgement: what is assumed early must hold for all steps that follow. In ten applications in Python, 235 of 413
findings became low or went; bench/real/README.md lists such paths first among the causes, without a number.
"""
MAX_STEPS_SELDOM: Final = 4
"""Steps of a path from a kind of source that does this harm in few places only (``seldom`` of a vulnerability). [steps]

Judgement without data.
"""

# -- Paths through many functions or files -----------------------------------------------------------------------------

MAX_CALLS_OUT: Final = 4
"""Calls into another file that a path enters. [calls]

Ten applications in Go: of about 60 findings beyond this limit or ``MAX_CALLS``, ten were true. Which of the two limits
they passed was not recorded.
"""
MAX_CALLS: Final = 6
"""Calls that a path enters, where more than one goes into another file. [calls]

See ``MAX_CALLS_OUT``.
"""
MAX_STEPS_APART: Final = 20
"""Steps of a path through several files. [steps]

Of 40 findings with longer paths in ten applications none was true when this limit was set; the language and the
findings are not recorded. In ten applications in JavaScript, 76 false findings had long paths through caches, hooks,
configuration and registries; this limit, and contexts for what closures capture, removed them.
"""

# -- The same where each call is left where it was entered, and no step is assumed -------------------------------------

MAX_CALLS_OUT_EXACT: Final = 8
"""Calls into another file that such a path enters. [calls]

Ten applications in Go: twelve findings pass ``MAX_CALLS`` or ``MAX_STEPS_APART`` on such paths; ten are true, one
unclear, one false (bench/real/verdicts-go.md, seed 11). That is why they have medium confidence. The value of this
limit itself is a judgement.
"""
MAX_STEPS_EXACT: Final = 45
"""Steps of such a path through several files. [steps]

See ``MAX_CALLS_OUT_EXACT``; the value is a judgement.
"""
MAX_STEPS_WITHIN: Final = 80
"""Steps of any path, one through a single file included. [steps]

Judgement without data.
"""

# -- Paths without an assumed step that are medium, not high -----------------------------------------------------------

MAX_STEPS_SURE: Final = 14
"""Steps of a path, in brief (``explain/brief.py``), whose confidence is high. [steps]

Two rounds of unseen programs (bench/confidence.md): of 31 findings with longer paths none is true, 13 of the first
round and 18 of the second. 3 of 84 known vulnerabilities are found on longer paths only. None of the 31 is of data that
an interpreter runs (``executed``), of which four longer paths are known, all true: the limit does not count there.
"""
MAX_STEPS_STORED: Final = 17
"""All steps of a path of high confidence that leads through what an earlier request stored. [steps]

First looks of rounds 42 and 43 (bench/confidence.md): of 39 such findings with more steps, in 12 programs, 5 are true
in 3 of them; of those with fewer 16 of 67. Rounds 38 to 41, where some causes were mended since: 1 of 3. One of 44
places that readers wrote down in rounds 42 and 43 and that are reported lies on such a path. Data that an interpreter
runs (``executed``) is left out: all 10 such findings are of one program.
"""
MAX_FILES_SURE: Final = 3
"""Modules that a path of high confidence goes through, in brief: files, or in Go folders. [modules]

Same programs: none of 23 findings on paths through more files is true (9 and 14); 4 of 84 known vulnerabilities.
"""
MIN_SOURCES_CROWDED: Final = 4
"""Sources of a finding that make its sink a place where data of many handlers ends (``crowded``). [sources]

Rounds 3 to 9 of unseen programs (bench/confidence.md, cross-site scripting): 2 of 15 findings with four or more sources
are true, in 2 of 12 programs; of those with one source 14 of 18 were in the programs that were looked at first.
"""
MAX_RETURNS_SURE: Final = 1
"""Calls whose result a path of high confidence goes through. [calls]

A call that the path enters and leaves in two steps, or that only reads fields, is not counted: it does nothing with
the value. Returns in a row are one: what a repository found, a service returns as it is. How many of the
findings below have such returns is not recorded.
Same programs: none of 55 findings with more is true (32 and 23); 4 of 84 known vulnerabilities.
"""
MAX_STORES_SURE: Final = 1
"""Times that a path of high confidence stores the data in a field, a container or an object. [stores]

Path traversal in rounds 1 to 13 (bench/confidence.md): none of 7 findings with more is true, in 4 programs, where the
name of what is read does not say that it is meant to be a path.
"""

# -- Patterns that backtrack -------------------------------------------------------------------------------------------

LONG_DEGREE: Final = 3
"""Degree of the polynomial from which on the time of a pattern counts as that of an exponential one. [degree]

Of 24 patterns of polynomial time that requests reach in the programs of the lists of vulnerabilities, 23 have degree 2,
and one has degree 3. Readers measured three patterns of that program before any scan (audit-43, `throat`): texts of 4
to 7 kB take 14 to 57 s, and the program accepts 16 kB and more.
"""
