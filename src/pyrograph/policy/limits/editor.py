"""Limits of the language server."""

from __future__ import annotations

from typing import Final

# -- In an editor ------------------------------------------------------------------------------------------------------

DEBOUNCE_SECONDS: Final = 0.5
"""Time without an edit after which an unsaved text is analysed; the setting `debounce` changes it. [s]

Reason: Judgement: people who type pause for less between two keys.
Lost: Nothing.
Problem: none: speed only.
"""
SETTLE_SECONDS: Final = 0.2
"""Time after which files that changed on the disk are analysed. [s]

Reason: Judgement: a checkout of another branch changes many files, which should be one scan.
Lost: Nothing.
Problem: none: speed only.
"""
IDLE_SECONDS: Final = 300.0
"""Time without a scan after which the process that analyses ends and gives its memory back. [s]

Reason: Judgement: long enough for a pause between two edits, short enough for an editor that stays open for days.
Lost: Nothing: the next scan starts the process again, which takes about a second.
Problem: none: speed only.
"""
CLIENT_SECONDS: Final = 10.0
"""Time in which the editor must answer when it is asked for settings. [s]

Reason: Judgement: an editor answers at once, or never.
Lost: Settings of the folder: those that came with the first request hold.
Problem: none: the same findings.
"""
MAX_RELATED: Final = 50
"""Steps of a path that a diagnostic lists; all of them are shown by the command that shows the path. [steps]

Reason: Judgement: editors show this list in a popup.
Lost: Steps in the middle of the list; the first and the last ones are kept.
Problem: none: the same findings.
"""
MAX_SHORT_STEPS: Final = 6
"""Steps of a path that the text at a sink lists. [steps]

Reason: Judgement: the popup must leave room for the explanation.
Lost: Steps in the middle; a line says how many.
Problem: none: the same findings.
"""
MAX_SHORT_CHECKS: Final = 5
"""Checks on a path that the text at a sink lists. [checks]

Reason: Judgement: the popup must leave room for the explanation.
Lost: Those of the functions that the path goes through last; a line says how many.
Problem: none: the same findings.
"""
AROUND: Final = 2
"""Lines shown before and behind the ends of a path in the walk of ``pyrograph triage``. [lines]

Reason: Judgement: a path of ten steps still fits on a screen.
Lost: Other lines around; the editor has them.
Problem: none: the same findings.
"""
MAX_COMMENT_PLACES: Final = 24
"""Lines above a sink at which a suppression comment is tried. [lines]

Reason: Judgement: a call of more lines is rare, and each place is one run of the parser.
Lost: No comment is inserted, and a message says so.
Problem: none: the same findings.
"""
MAX_MESSAGE: Final = 1 << 30
"""Size of a message between the server and the process that analyses. [bytes]

Reason: Far above the report of the largest program that was measured; a larger number is a damaged message.
Lost: The scan fails, and a message says so.
Problem: none; the server says that the analysis ended.
"""
