"""The names that fields have in JSON, where the program gives them others: ``Title string `json:"title"` ``.

A language says how its text writes such names (``Traits.sent_names``). Linear in the texts of its files.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.explain.texts import Texts


def sent_names(program: Program, texts: Texts, languages: Collection[str]) -> dict[str, list[str]]:
    """By the name in JSON: the fields that have it, where theirs is another."""
    found: dict[str, dict[str, None]] = {}
    for number, file in enumerate(program.files):
        pattern = language_of(file.language).traits.sent_names if file.language in languages else ""
        if not pattern:
            continue
        for match in re.finditer(pattern, texts.content(number).decode("utf-8", "replace")):
            if match["name"] != match["sent"]:
                found.setdefault(match["sent"], {})[match["name"]] = None
    return {name: list(fields) for name, fields in found.items()}
