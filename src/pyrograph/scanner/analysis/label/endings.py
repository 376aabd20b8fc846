"""How texts end: whether the prefix that a path is compared with ends in a separator."""

from __future__ import annotations

import re
from collections import deque

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.api_roles import Roles
from pyrograph.scanner.analysis.label.definitions import definitions, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import text_of

PARENT = ".."
SEPARATOR = "/"  # stands for a text of a library that separates the parts of a path


def ends_so(facts: Facts, value: int, pattern: str) -> bool:
    """Whether the end of a text holds a match of ``pattern``, in one of its definitions.

    One is enough: ``root if root.endswith("/") else root + "/"``. Looks through merges, attributes, parameters, the end
    of text that is put together, results of functions, and calls that keep the end of their last argument; at most
    ``MAX_DEFINITIONS`` values.
    """
    found = re.compile(pattern)
    seen: set[int] = set()
    work = deque([value])  # nearest first: a variable of a module may have a definition for each function that reads it
    while work and len(seen) < MAX_DEFINITIONS:  # ``seen`` grows
        at = work.popleft()
        if at in seen:
            continue
        seen.add(at)
        text = text_of(facts, at, facts.constant(at))
        if text[-1:] != "\0":
            if found.search(text) is not None:
                return True
            continue
        rep = facts.rep[at]
        if found.search(SEPARATOR) is not None and is_separator(facts, at):
            return True
        last = last_part(facts, at)
        if last != NONE:
            work.append(last)
        elif facts.op[rep] == Op.CALL:
            work += results_of(facts, facts.data[rep])
            kept = kept_end(facts, facts.data[rep])
            if kept != NONE:
                if facts.constant(kept) == "'" and found.search(SEPARATOR) is not None:
                    return True  # Python's join(root, "")
                work.append(kept)
        else:
            work += definitions(facts, rep)
    return False


def is_separator(facts: Facts, value: int) -> bool:
    """Whether a value is what a library calls the separator of paths."""
    return any([role.separator for role in roles_of(facts, value)])


def is_parent(facts: Facts, value: int) -> bool:
    """Whether a value is what a library calls the folder above."""
    return any([role.parent for role in roles_of(facts, value)])


def roles_of(facts: Facts, value: int) -> list[Roles]:
    apis = facts.apis.get(facts.language(value))
    roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(value)] if apis is not None else []
    return [role for role in roles if role is not None]


def separated(facts: Facts, value: int) -> str | None:
    """The text that a library's names for parts of paths stand for: ".." for ``os.pardir``, "/" for what converts
    ``os.sep``, and "../" for ``".." + os.sep``; or None.
    """
    if is_parent(facts, value):
        return PARENT
    if is_separator(facts, value):
        return SEPARATOR
    text = text_of(facts, value, None)
    if text[-1:] != "\0" or "\0" in text[:-1]:
        return None
    last = last_part(facts, value)
    return text[:-1] + SEPARATOR if last != NONE and is_separator(facts, last) else None


def before_separator(facts: Facts, text: int) -> int:
    """The value that a text is, but for one separator of paths at its end: ``full`` of ``full + "/"``; or NONE."""
    made = text if text in facts.constants.texts else facts.rep[text]
    written = text_of(facts, text, None) if made in facts.constants.texts else ""
    if facts.op[made] == Op.CALL or written not in ("\0/", "\0\\", "\0\0"):
        return NONE
    parts = [origin for origin, _ in facts.flows.origins_of(made) if facts.op[origin] != Op.CONST]
    if written == "\0\0":
        return parts[0] if len(parts) == 2 and is_separator(facts, parts[1]) else NONE
    return parts[0] if len(parts) == 1 else NONE


def last_part(facts: Facts, text: int) -> int:
    """The value at the end of a text that is put together, which is not constant there; or NONE."""
    rep = facts.rep[text]
    made = text if text in facts.constants.texts else rep
    if made not in facts.constants.texts:
        return NONE
    if facts.op[made] == Op.CALL:
        rows = [row for row in facts.args.of(facts.data[made]) if facts.arg_position[row] > 0]
        return facts.arg_value[rows[-1]] if rows else NONE
    parts = [origin for origin, _ in facts.flows.origins_of(made) if facts.op[origin] != Op.CONST]
    return parts[-1] if parts else NONE


def kept_end(facts: Facts, call: int) -> int:
    """The last argument of a call whose result ends as that argument does; or NONE."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(facts.call_result[call])]
    rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    if not rows or not any(role is not None and role.joining for role in roles):
        return NONE
    return facts.arg_value[rows[-1]]
