"""Rule packs as Python objects: the tables of a rule file as fields, in the same words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyrograph.scanner.options import RuleText

Table = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePack:
    """What a library does with values, as a rule file says it; docs/rule-language.md defines the entries.

    >>> pack = RulePack(language="python", library="shop", sink={"command-injection": ["shop.run(0)"]})
    >>> print(pack.to_toml(), end="")
    language = "python"
    library = "shop"
    <BLANKLINE>
    [sink]
    "command-injection" = ["shop.run(0)"]
    """

    language: str  # "python", "javascript", "go"
    library: str
    source: Table = field(default_factory=dict)  # taint kind -> entries
    sink: Table = field(default_factory=dict)  # vulnerability -> entries
    sanitizer: Table = field(default_factory=dict)
    guard: Table = field(default_factory=dict)
    propagator: Table = field(default_factory=dict)
    template: Table = field(default_factory=dict)
    route: Table = field(default_factory=dict)
    type: Table = field(default_factory=dict)
    replace: bool = False  # take the place of the built-in pack of the same name, instead of adding to it
    name: str = ""  # second half of the pack's name, as that of a rule file; the library's where it is empty

    def to_toml(self) -> str:
        """The pack as the text of a rule file."""
        lines = [f"language = {_text(self.language)}", f"library = {_text(self.library)}"]
        if self.replace:
            lines.append("replace = true")
        for title in ("source", "sink", "sanitizer", "guard", "propagator", "template", "route", "type"):
            table: Table = getattr(self, title)
            if table:
                lines += ["", f"[{title}]"]
                lines += [f"{_text(key)} = [{', '.join(map(_text, entries))}]" for key, entries in table.items()]
        return "\n".join([*lines, ""])

    def rule_text(self) -> RuleText:
        """The pack as the loader of rules takes it; errors name it ``RulePack(library)``."""
        name = self.name or "-".join(re.findall("[a-z0-9]+", self.library.lower())) or "pack"
        return f"RulePack({self.library})", name, self.to_toml().encode("utf-8", "surrogatepass")


def _text(text: str) -> str:
    """A TOML string: its escapes are those of JSON, and DEL needs one, too."""
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is not a text; a table of a pack holds lists of texts")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
