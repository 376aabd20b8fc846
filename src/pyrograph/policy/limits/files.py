"""Limits of discovery and configuration: sizes of files and patterns that are read."""

from __future__ import annotations

from typing import Final

# -- Files and configuration -------------------------------------------------------------------------------------------

DEFAULT_MAX_FILE_SIZE: Final = 1_000_000
"""Size of a source file that is read; ``--max-file-size`` sets another. [bytes]

Reason: Parsing time grows with size, and a parse cannot be interrupted.
Lost: The file.
Problem: (not-parsed) not analysed: {} bytes are more than the limit of {}; raise it with --max-file-size
Remedy: Raise the limit, or exclude the file.
"""
MAX_LEADING: Final = 4_000
"""Size of a file beside a folder of build output that may do nothing but lead there. [bytes]

Reason: Such a file names another one, and has a licence above it. Where other code lies beside, that is the program.
Lost: The folder, which is counted among the directories that were left out.
Problem: none: may miss findings.
"""
MAX_IGNORE_FILE: Final = 2_000_000
"""Size of an ignore file. [characters]

Reason: A file of 50,000 patterns has about this size.
Lost: All patterns of the file.
Problem: an ignore file with more than {MAX_IGNORE_FILE} characters is not used; shorten it
Remedy: Make the file shorter.
"""
MAX_WILDCARDS: Final = 40_000
"""Characters of patterns with wildcards that one path is compared with. [characters]

Reason: These patterns are compared one by one. The longest ignore files that people share have a tenth of this.
Lost: The first patterns of the file.
Problem: too many patterns with wildcards: the first {} patterns of {} are not used; use names without wildcards, or
    fewer patterns
Remedy: Use names without wildcards, or fewer patterns.
"""
PATTERN_COST: Final = 20
"""What a pattern counts against ``MAX_WILDCARDS`` beside its length. [characters]

Reason: Judgement: the fixed cost of one comparison.
Lost: See ``MAX_WILDCARDS``.
Problem: none; that of ``MAX_WILDCARDS``.
"""
MAX_PATTERN: Final = 4_096
"""Length of one pattern of an ignore file. [characters]

Reason: No path that a system opens is longer.
Lost: The pattern and those before it.
Problem: none; that of ``MAX_WILDCARDS``.
"""
FOREIGN_NAMES: Final = 0.05
"""Names of a script that the source of the same name beside it does not have, up to which a compiler made the script of
it. [share]

Reason: Judgement: helpers of compilers that are not known by their names. Of the pairs in 180 programs none that holds
    other code is below.
Lost: A script that was changed by hand after it was compiled: only its source is read.
Problem: none: may miss findings.
"""
HEAD_SIZE: Final = 8_192
"""Beginning of a file that decides what it is: text, minified, generated. [bytes]

Reason: Judgement: enough for a comment at the top and for the length of lines.
Lost: A mark that stands later is not seen, and the file is analysed.
Problem: none: may add findings.
"""
MAX_DECLARATIONS: Final = 16_000_000
"""Text of generated files that is read for the types that they declare. [bytes]

Reason: The interfaces of a large program have a tenth of this; all that a generator wrote may be hundreds of megabytes.
Lost: The types that further files declare: their numbers are taken for text.
Problem: none: may add findings.
"""
MARK_REGION: Final = 2_048
"""Beginning of a file in which "generated, do not edit" counts. [bytes]

Reason: The mark stands in the first comment.
Lost: A mark that stands later is not seen, and the file is analysed.
Problem: none: may add findings.
"""
LONG_LINE: Final = 1_000
"""Length of a line from which a file may be minified. [bytes]

Reason: No one writes longer lines of code by hand.
Lost: Nothing: other signs decide, too.
Problem: none: the same findings.
"""
MAX_MARKS: Final = 20_000_000
"""A file of marks that is read. [bytes]

Reason: 100,000 marks with a reason of usual length.
Lost: nothing; the command ends with exit code 2.
Problem: none; standard error has the message.
"""
MAX_REPORT: Final = 500_000_000
"""A JSON report that is read again. [bytes]

Reason: 50,000 findings with paths of usual length; the reader holds all of it.
Lost: nothing; the command ends with exit code 2.
Problem: none; standard error has the message.
"""
MAX_CONFIGURATION: Final = 1_000_000
"""Size of a configuration file. [bytes]

Reason: The file comes from the tree that is scanned and is read before anything else.
Lost: The scan is refused.
Problem: none; an error: the configuration is larger than {MAX_CONFIGURATION} bytes; make it smaller
"""
MAX_KEY_PARTS: Final = 64
"""Parts of a key in a TOML file (``a.b.c``). [parts]

Reason: The standard library's reader takes quadratic time for keys of many parts.
Lost: The file is refused.
Problem: none; an error: a key of more than {MAX_KEY_PARTS} parts
"""
MAX_COMMIT_FILES: Final = 5_000_000
"""Files of a commit that a scan is compared with. [files]

Reason: More than any known repository has; trees that contain each other make a few objects billions of files.
Lost: The comparison is refused.
Problem: none; an error: the commit has more than {MAX_COMMIT_FILES} files
"""
MAX_COMMIT_BYTES: Final = 10_000_000_000
"""Source files, templates and manifests of a commit, together. [bytes]

Reason: They are written to a temporary directory; one object may stand for millions of files.
Lost: The comparison is refused.
Problem: none; an error: the source files of the commit take more than {MAX_COMMIT_BYTES} bytes
"""
