"""One rule file: from TOML to a pack or a vulnerability.

Reading is strict. An unknown key, kind or vulnerability, an entry that does not follow the language, a blank at the end
of an entry, an API that is sink and sanitizer of one vulnerability: each is a ``RuleError`` with file, line, key,
trouble and remedy. ``parse`` collects all of a file's errors; ``load.py`` puts the files together.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from pyrograph.model.toml import DEEP_KEY
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.files import MAX_KEY_PARTS
from pyrograph.rules.document import RuleFile
from pyrograph.rules.entries import Pack
from pyrograph.rules.errors import RuleError
from pyrograph.rules.lines import scan
from pyrograph.rules.pack_files import pack_of
from pyrograph.rules.vulnerability_files import vulnerability_of


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one rule file says, and everything that is wrong with it."""

    pack: Pack | None  # None when the file is a vulnerability, or cannot be used at all
    vulnerability: Vulnerability | None
    replace: bool  # whether it takes the place of the built-in of the same name
    errors: tuple[RuleError, ...]  # by line


def parse(data: bytes, file: str, name: str) -> Parsed:
    """Read one rule file; never raises.

    Args:
        data: The file's bytes.
        file: How errors and origins call it.
        name: The file's name without suffix: the second half of a pack's name, the id of a vulnerability.
    """
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        if deep := DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start()) + 1
            trouble = f"a key of more than {MAX_KEY_PARTS} parts"
            return Parsed(None, None, False, (RuleError(file, line, "", trouble, "write shorter ones"),))
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Parsed(None, None, False, (RuleError(file, line, "", "the file is not UTF-8", "save it as UTF-8"),))
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        trouble = f"not valid TOML: {error}"
        return Parsed(
            None, None, False, (RuleError(file, line, "", trouble, "see https://toml.io; entries stand in quotes"),)
        )
    except (RecursionError, ValueError):
        trouble = "arrays or tables nested too deeply, or a number of too many digits"
        return Parsed(None, None, False, (RuleError(file, 1, "", trouble, "write flatter or shorter ones"),))
    reader = RuleFile(content, scan(text), file)
    pack = vulnerability = None
    if "cwe" in content or "severity" in content:
        vulnerability = vulnerability_of(reader, name)
    else:
        pack = pack_of(reader, name)
    errors = sorted(reader.errors, key=lambda error: error.line)
    return Parsed(pack, vulnerability, content.get("replace") is True, tuple(errors))
