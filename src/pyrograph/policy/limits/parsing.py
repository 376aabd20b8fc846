"""Limits of parsing: the steps of the parser, and text that is prepared for it."""

from __future__ import annotations

from typing import Final

# -- Parsing -----------------------------------------------------------------------------------------------------------

PARSE_STEPS: Final = 20_000
"""Progress reports and reads that the parser makes for any text, before it is stopped. [steps]

Reason: See ``PARSE_STEPS_PER_BYTE``.
Lost: The file.
Problem: (not-parsed) not analysed: parsing takes too many steps; exclude the file if it is generated, or split it
Remedy: Exclude the file, or split it.
"""
PARSE_STEPS_PER_BYTE: Final = 0.4
"""Further steps for each byte of the text. [steps]

Reason: Files of the standard libraries and of large packages take at most 80 steps for each thousand bytes.
Lost: The file.
Problem: code that takes too many steps to parse is not read
Remedy: Split the code.
"""
UNBOUNDED_PARSE: Final = 8_000
"""Size of a text up to which the parser's steps are not counted. [bytes]

Reason: Such a text takes four seconds at worst (`/* ` again and again in Go; 55 s at 29,000 bytes). The binding never
frees the pieces that a bounded parse reads: 3 MB for Django, whose files take no more time than with 30,000.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_BLANKED: Final = 4_000
"""Length of the type arguments of a tagged template that are left out before parsing. [bytes]

Reason: Judgement: several screens of an object type.
Lost: The statement, where it is longer and the grammar does not know such arguments.
Problem: none; that of a part that does not parse.
"""
MAX_ATTRIBUTE: Final = 2_000
"""Length of one attribute of a ``<script>`` tag. [bytes]

Reason: Judgement: addresses, hashes and keys that stand there have a tenth of this.
Lost: The script, where a longer attribute holds a ``>``.
Problem: none: may miss findings.
"""
MAX_PROPERTIES: Final = 50
"""Properties of a component that its markup reads. [properties]

Reason: Judgement: components have a dozen.
Lost: What other components give as further properties.
Problem: none: may miss findings.
"""
MAX_LOOP_TYPES: Final = 4
"""Types that the list of a loop in markup is converted to, ``{#each notes as Note[] as note}``. [types]

Reason: Judgement: one is rare.
Lost: The loop, and what its markup shows.
Problem: none: may miss findings.
"""
MAX_BROKEN_TAGS: Final = 100
"""Tags ``<script`` of a page that do not end. [tags]

Reason: Each is looked through up to ``MAX_TAG_PARTS``; a page that somebody wrote has none.
Lost: The scripts behind the last of them.
Problem: none: may miss findings.
"""
MAX_TAG_PARTS: Final = 200
"""Attributes of a ``<script>`` tag, and texts between them. [parts]

Reason: Judgement: the longest tags have a tenth of this. Pages of many tags that do not end would take quadratic time.
Lost: The script.
Problem: none: may miss findings.
"""
PARSE_PIECE: Final = 1_024
"""Piece of text that the parser is given at a time. [bytes]

Reason: Judgement: small enough for going back to be counted.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_STATEMENT_STEPS: Final = 1_000_000
"""Syntax nodes looked at for the statements that suppression comments of one file speak for. [syntax nodes]

Reason: A second. A comment takes as many steps as the tree is deep there, and its statement's own nodes once.
Lost: Further comments speak for one line instead of the whole statement.
Problem: none: may add findings.
"""
MAX_STATEMENT_LINES: Final = 500
"""Lines of one statement that a suppression comment speaks for. [lines]

Reason: Judgement. Each line costs memory for each comment.
Lost: Findings further down in the statement are not suppressed.
Problem: none: may add findings.
"""
