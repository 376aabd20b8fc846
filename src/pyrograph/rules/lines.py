"""Where the keys and strings of a TOML document stand, which ``tomllib`` does not tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""
      (?P<string>  \"{3}(?:\\.|[^\\])*?\"{3}"{0,2} | '{3}.*?'{3}'{0,2} | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
    | (?P<comment> \#[^\n]*)
    | (?P<bare>    [A-Za-z0-9_+-][A-Za-z0-9_.:+-]*)
    | (?P<mark>    [][{}=,.\n])
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass
class Lines:
    """Lines, counted from 1, of a document's keys; a table of an array of tables has its number in its path."""

    # ("sink", "xss") or ("example", "0", "code") -> line; the same -> the lines of its strings, in order
    keys: dict[tuple[str, ...], int] = field(default_factory=dict)
    strings: dict[tuple[str, ...], list[int]] = field(default_factory=dict)

    def key(self, *path: str) -> int:
        """Where the key stands, else where the nearest table around it stands, else 1."""
        while path and path not in self.keys:
            path = path[:-1]
        return self.keys.get(path, 1)

    def item(self, index: int, *path: str) -> int:
        """Where string number ``index`` of the array under this key stands."""
        lines = self.strings.get(path, [])
        return lines[index] if index < len(lines) else self.key(*path)


def scan(text: str) -> Lines:
    """Find the lines of ``text``, which must be TOML that ``tomllib`` accepts. Inline tables are not looked into."""
    found = Lines()
    breaks = [match.start() for match in re.finditer("\n", text)]
    table: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    parts: list[str] = []  # of the key or table header being read
    counts: dict[tuple[str, ...], int] = {}  # tables seen of each array of tables
    depth = 0  # open brackets of a value
    header = 0  # brackets that opened a table header: 1 or 2
    in_value = False
    for token in TOKEN.finditer(text):
        kind, value = token.lastgroup, token.group()
        line = bisect_left(breaks, token.start()) + 1
        if kind == "comment":
            continue
        if in_value:
            if value == "[" or value == "{":
                depth += 1
            elif value == "]" or value == "}":
                depth -= 1
            elif value == "\n" and depth == 0:
                in_value = False
            elif kind == "string":
                found.strings.setdefault(key, []).append(line)
        elif value == "[":
            header += 1
        elif value == "]" and header > 0:
            table = tuple(parts)
            if header == 2:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, str(counts[table]))
            found.keys.setdefault(table, line)
            parts, header = [], -1
        elif value == "=":
            key = (*table, *parts)
            found.keys.setdefault(key, line)
            parts, in_value = [], True
        elif value == "\n":
            header = 0
        elif kind == "bare":
            parts += [part for part in value.split(".") if part]
        elif kind == "string":
            parts.append(value[1:-1])
    return found
