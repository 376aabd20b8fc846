"""SQL statements as far as stored records need them: which columns a placeholder fills, and which ones a query returns.

``INSERT INTO hook (url, port) VALUES (?, ?)`` fills ``url`` with the first parameter; ``SELECT url AS u FROM hook``
returns ``url``, first and as ``u``. It is no parser of SQL: of a statement that it does not understand it says nothing.
A hole in the text (``HOLE``), where the program puts something, may be any name. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

HOLE: Final = "\0"  # in a text that is put together
ANY: Final = ""  # a column, or a parameter, of which it is not known which one it is

TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\[\w+\]"
    r"|%\(\w+\)s|%s|\?\d*|[$:@]\w+|::\w+|[A-Za-z_\0][\w\0]*|\d[\w.]*|.",
    re.DOTALL,
)
PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s|%s|\?(\d*)|[$:@](\w+)")
CREATED: Final = re.compile(
    r"create\s+(?:temp\w*\s+|unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.\"`\[\]]+)\s*\(", re.IGNORECASE
)
ASSIGNMENT: Final = re.compile(r"'?[\s,]*(?:\0[\s,]+)?((?:[\"`\[]?[A-Za-z_]\w*[\"`\]]?|\0)\s*=(?!=))")
NUMBERED: Final = re.compile(r"\$\d*\0?(?!\w)")  # a placeholder whose number the program computes
NO_COLUMN: Final = frozenset(("primary", "foreign", "unique", "check", "constraint", "key", "index", "like", "exclude"))
# words that end a part of a statement
ENDS: Final = frozenset(
    (
        "where",
        "group",
        "order",
        "limit",
        "returning",
        "having",
        "union",
        "offset",
        "for",
        "on",
        "window",
        "intersect",
        "except",
    )
)
JOINS: Final = frozenset(("join", "left", "right", "inner", "outer", "full", "cross", "natural", ",", "using", "on"))
# functions whose result holds the text of their first arguments
KEEPING: Final = frozenset(
    (
        "coalesce",
        "ifnull",
        "nullif",
        "lower",
        "upper",
        "trim",
        "max",
        "min",
        "concat",
        "group_concat",
        "string_agg",
        "substr",
    )
)


class Read(NamedTuple):
    """A column that a query returns."""

    tables: tuple[str, ...]  # those that it may be a column of
    column: str  # ANY: all columns
    name: str  # under which the row holds it
    position: int  # NONE behind a "*"


class Statement(NamedTuple):
    """A statement that keeps records of one table, that returns records, or both."""

    table: str  # of ``kept``
    kept: tuple[
        tuple[str | int, int | str], ...
    ]  # column, or its position in the table; placeholder: its number or name
    read: tuple[Read, ...]
    placeholders: int  # how many the whole text has


def statement(text: str) -> Statement | None:
    """What a text says, or None."""
    tokens = list(tokens_of(text))
    words = [each.lower() for each in tokens]
    if not words or words[0] not in ("insert", "replace", "update", "select", "with", "delete"):
        return None
    if words[0] == "with":
        start = next((at for at in at_depth(words, 0) if words[at] in ("select", "insert", "update")), len(words))
        tokens, words = tokens[start:], words[start:]
        if not words:
            return None
    number, numbers = 0, dict[int, int | str]()
    for at, each in enumerate(tokens):
        if PLACEHOLDER.fullmatch(each):
            numbers[at] = placeholder(each, number)
            number += 1
    kept: list[tuple[str | int, int | str]] = []
    table = ""
    if words[0] in ("insert", "replace") and "into" in words:
        table, kept = inserted(tokens, words, numbers)
    elif words[0] == "update":
        table, kept = updated(tokens, words, numbers)
    read = returned(tokens, words, table)
    return Statement(table, tuple(kept), tuple(read), number)


def tokens_of(text: str) -> Iterator[str]:
    """The words, texts and signs of a statement, without comments and blanks."""
    for match in TOKEN.finditer(text):
        found = match[0]
        if not found.isspace() and not found.startswith(("--", "/*")):
            yield found


def placeholder(text: str, number: int) -> int | str:
    """Which parameter a placeholder stands for: its number, from 0, or its name."""
    match = PLACEHOLDER.fullmatch(text)
    name = match and (match[1] or match[2] or match[3])
    if not name:
        return number
    return int(name) - 1 if name.isdigit() else name


def name_of(token: str) -> str:
    """The name that an identifier means, without quotes, in lower case."""
    return token.strip('"`[]').lower()


def at_depth(words: list[str], start: int) -> Iterator[int]:
    """The places of the words from ``start`` on that stand in no parentheses opened there, up to the closing one."""
    depth = 0
    for at in range(start, len(words)):
        if words[at] == "(":
            depth += 1
        elif words[at] == ")":
            depth -= 1
            if depth < 0:
                return
        elif depth == 0:
            yield at


def group(words: list[str], start: int) -> list[list[int]]:
    """The parts of a list in parentheses, or of one without that begins at ``start``: the places of their words."""
    parts: list[list[int]] = [[]]
    depth = 0
    for at in range(start, len(words)):
        if words[at] == ")" and depth == 0:
            break
        depth += (words[at] == "(") - (words[at] == ")")
        if words[at] == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(at)
    return parts


def named_at(tokens: list[str], at: int) -> tuple[str, int]:
    """The name of a table that begins at a token, without that of its schema; and where it ends."""
    while at + 2 < len(tokens) and tokens[at + 1] == ".":
        at += 2
    return (name_of(tokens[at]) if at < len(tokens) else ""), at + 1


def inserted(
    tokens: list[str], words: list[str], numbers: dict[int, int | str]
) -> tuple[str, list[tuple[str | int, int | str]]]:
    """The table of an INSERT, and what its placeholders fill."""
    table, at = named_at(tokens, words.index("into") + 1)
    columns: list[str | int] = []
    if at < len(words) and words[at] == "(":
        for part in group(words, at + 1):
            columns.append(name_of(tokens[part[0]]) if len(part) == 1 and HOLE not in tokens[part[0]] else ANY)
            at = max(at, *part) if part else at
        at += 2
    kept: list[tuple[str | int, int | str]] = []
    start = next((each for each in range(at, len(words)) if words[each] in ("values", "value", "set")), len(words))
    if words[start : start + 1] == ["set"]:
        return table, assigned(tokens, words, start, numbers)
    while start + 1 < len(words) and words[start + 1] == "(":
        parts = group(words, start + 2)
        for position, part in enumerate(parts):
            column = columns[position] if position < len(columns) else (ANY if columns else position)
            kept += [(ANY if ANY in columns else column, numbers[each]) for each in part if each in numbers]
            if any(HOLE in tokens[each] for each in part):
                kept.append((ANY, ANY))
        last = max((each for part in parts for each in part), default=start + 1)
        start = last + 2
        if words[start : start + 1] != [","]:
            break
    return table, [*kept, *(conflicting(tokens, words, start, numbers))]


def conflicting(
    tokens: list[str], words: list[str], start: int, numbers: dict[int, int | str]
) -> list[tuple[str | int, int | str]]:
    """What placeholders fill behind ``ON CONFLICT DO UPDATE SET``."""
    at = next((each for each in range(start, len(words)) if words[each] == "set"), len(words))
    return assigned(tokens, words, at, numbers)


def updated(
    tokens: list[str], words: list[str], numbers: dict[int, int | str]
) -> tuple[str, list[tuple[str | int, int | str]]]:
    """The table of an UPDATE, and what its placeholders fill."""
    at = 1
    while words[at : at + 1] and words[at] in ("or", "only", "ignore", "abort", "replace", "rollback"):
        at += 1
    table, at = named_at(tokens, at)
    start = next((each for each in range(at, len(words)) if words[each] == "set"), len(words))
    return table, assigned(tokens, words, start, numbers)


def assigned(
    tokens: list[str], words: list[str], start: int, numbers: dict[int, int | str]
) -> list[tuple[str | int, int | str]]:
    """What placeholders fill behind ``SET``."""
    end = next((at for at in at_depth(words, start) if words[at] in ENDS or words[at] == "from"), len(words))
    kept: list[tuple[str | int, int | str]] = []
    for part in group(words[:end], start + 1):
        given = [numbers[at] for at in part if at in numbers]
        equals = next((at for at in part if words[at] == "="), -1)
        if equals < 0:  # ``SET ?`` takes an object with all columns
            kept += [(ANY, each) for each in given] or [(ANY, ANY) for at in part if HOLE in tokens[at]]
            continue
        name = tokens[equals - 1]
        kept += [(ANY if HOLE in name else name_of(name), each) for each in given]
    return kept


def assignments(text: str) -> list[tuple[str, int | str]]:
    """The columns that a part of an ``UPDATE`` assigns, by placeholder: its number or name; none if it is no such text.

    >>> assignments("url = ?, port = coalesce(?, port)"), assignments("name = $\\0"), assignments("a == b")
    ([('url', 0), ('port', 1)], [('name', 0)], [])
    """
    match = ASSIGNMENT.match(text)
    if match is None:
        return []
    tokens = list(tokens_of("set " + NUMBERED.sub("?", text[match.start(1) :])))
    places = [at for at, each in enumerate(tokens) if PLACEHOLDER.fullmatch(each)]
    numbers = {at: placeholder(tokens[at], number) for number, at in enumerate(places)}
    kept = assigned(tokens, [each.lower() for each in tokens], 0, numbers)
    return [(column, parameter) for column, parameter in kept if isinstance(column, str) and parameter != ANY]


def returned(tokens: list[str], words: list[str], table: str) -> list[Read]:
    """The columns that a statement returns."""
    if words[0] == "select":
        start = 1 + (words[1:2] in (["distinct"], ["all"]))
        end = next((at for at in at_depth(words, 0) if words[at] == "from"), len(words))
        tables = tables_read(tokens, words, end)
    else:
        end = len(words)
        start = next((at + 1 for at in at_depth(words, 0) if words[at] == "returning"), end)
        tables = {table: table}
    found: list[Read] = []
    for position, part in enumerate(group(words[:end], start)):
        if part:
            found += items(tokens, words, part, position, tables)
    if any(each.column == ANY for each in found[:-1]) or len(tables) > 1:
        first = next((at for at, each in enumerate(found) if each.column == ANY), len(found))
        found = [each if at <= first else each._replace(position=-1) for at, each in enumerate(found)]
    return found


def tables_read(tokens: list[str], words: list[str], start: int) -> dict[str, str]:
    """The tables that FROM and JOIN name, by the names that the statement has for them."""
    found: dict[str, str] = {}
    wanted = True
    places = list(at_depth(words, start + 1))
    skip = -1
    for at in places:
        word = words[at]
        if at < skip:
            continue
        if word in ENDS and word != "on":
            break
        if word in JOINS:
            wanted = word in ("join", ",")
        elif wanted and (word[:1].isalpha() or word[:1] in '_"`['):
            name, skip = named_at(tokens, at)
            found[name] = name
            alias = skip + (words[skip : skip + 1] == ["as"])
            word = words[alias] if alias < len(words) else ""
            if word[:1].isalpha() and word not in JOINS and word not in ENDS:
                found[name_of(tokens[alias])] = found.pop(name)
                skip = alias + 1
            wanted = False
    return found


def items(tokens: list[str], words: list[str], part: list[int], position: int, tables: dict[str, str]) -> list[Read]:
    """The columns that one item behind SELECT returns."""
    everything = tuple(dict.fromkeys(tables.values()))
    name = ""
    if len(part) > 2 and words[part[-2]] == "as":
        name, part = name_of(tokens[part[-1]]), part[:-2]
    elif len(part) > 1 and words[part[-1]][:1].isalpha() and words[part[-2]] not in (".", "as"):
        name, part = name_of(tokens[part[-1]]), part[:-1]
    part = [at for at in part if not words[at].startswith("::")]
    if words[part[-1]] == "*":
        of = tables.get(name_of(tokens[part[0]])) if len(part) == 3 else None
        return [Read((of,) if of else everything, ANY, "", position)] if len(part) in (1, 3) else []
    if len(part) in (1, 3) and (len(part) == 1 or words[part[1]] == "."):
        column = tokens[part[-1]]
        if HOLE in column:
            return [Read(everything, ANY, "", -1)]
        if not (column[:1].isalpha() or column[:1] in '_"`['):
            return []
        of = tables.get(name_of(tokens[part[0]])) if len(part) == 3 else None
        return [Read((of,) if of else everything, name_of(column), name or name_of(column), position)]
    if len(part) > 3 and words[part[0]] in KEEPING and words[part[1]] == "(":
        inner = [each for each in group(words, part[1] + 1) if len(each) in (1, 3)]
        reads = [read for each in inner for read in items(tokens, words, each, position, tables)]
        return [read._replace(name=name or words[part[0]]) for read in reads if read.column != ANY]
    return []


def columns_of(text: str) -> dict[str, tuple[str, ...]]:
    """The columns of the tables that a text creates, in their order."""
    found: dict[str, tuple[str, ...]] = {}
    for match in CREATED.finditer(text):
        tokens = list(tokens_of(text[match.end() :]))
        words = [each.lower() for each in tokens]
        names = [name_of(tokens[part[0]]) for part in group(words, 0) if part and words[part[0]] not in NO_COLUMN]
        found[name_of(match[1].rpartition(".")[2])] = tuple(names)
    return found
