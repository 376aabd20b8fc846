"""Writes docs/limits.md from ``pyrograph.policy.limits``: python tools/limits.py > docs/limits.md."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

import pyrograph.policy.limits as package

FOLDER: Final = Path(str(package.__file__)).parent
MODULES: Final = tuple(re.findall(r"^\| ``(\w+)`` \|", str(package.__doc__), re.M))  # in the order of the page
FIELDS: Final = ("Reason", "Lost", "Problem", "Remedy")
EFFECTS: Final = (
    "may add findings",
    "may miss findings",
    "may add or miss findings",
    "the same findings",
    "speed only",
)
"""What a limit that is not reported costs, unless it says where else it is shown."""
HEAD: Final = """\
# Limits

Every limit of pyrograph is a constant in `src/pyrograph/policy/limits/`. This page is made from those modules
(`python tools/limits.py`). Only those that name an option can be set. A limit that leaves out files, functions, calls
or paths adds a problem of kind `limit` to the report. With `--strict`, such a scan exits with code 3.

A *limit of precision* leaves out no code, but single values or calls are followed less exactly. Some are reported as
problems of kind `limit`, too ("1 limit of precision reached"), and make the exit code 3 with `--strict`. The others are
not reported: their column "problem" begins with *none* and says in which direction they err: *may add findings*
(something is not recognised as clean), *may miss findings* (something is not recognised as dangerous, or a single link
of a flow is not found), both, *the same findings* (only what is printed changes) or *speed only*. The column "reason"
says what real programs need, where that was measured, and calls the value a judgement where not.

## Messages

In the messages, N is a number or name that the report fills in.
"""


@dataclass(frozen=True)
class Limit:
    """One limit, as its text describes it."""

    section: str
    name: str
    value: object
    what: str  # what it bounds
    unit: str
    reason: str
    lost: str
    problem: str  # the message, with {NAME} for limits and {} for other parts; or "none" and why
    remedy: str  # "" where there is no problem

    @property
    def is_reported(self) -> bool:
        return not self.problem.startswith("none")


def limits() -> list[Limit]:
    """All limits, in the order of the modules and of their texts.

    Raises:
        ValueError: The text of a limit lacks a field, or has one that is unknown.
    """
    return [limit for name in MODULES for limit in limits_of(FOLDER / f"{name}.py")]


def limits_of(source: Path) -> list[Limit]:
    """The limits of one module."""
    text = source.read_text(encoding="utf-8")
    sections = [(text.count("\n", 0, m.start()) + 1, m[1]) for m in re.finditer(r"^# -- (.*?) -+$", text, re.M)]
    body = ast.parse(text).body
    found = []
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)):
            raise ValueError(f"{name} has no text")
        section = [title for line, title in sections if line < statement.lineno][-1]
        found.append(described(section, name, value_of(name, source.stem), str(after.value.value)))
    return found


def value_of(name: str, module: str = "") -> object:
    """The value of a limit, of this module if one is given; None where there is no limit of this name."""
    modules = (import_module(f"{package.__name__}.{each}") for each in ([module] if module else MODULES))
    return next((getattr(module, name) for module in modules if hasattr(module, name)), None)


def described(section: str, name: str, value: object, text: str) -> Limit:
    """The limit ``name`` with the fields of its text."""
    head, _, rest = text.partition("\n\n")
    what = re.fullmatch(r"(.*) \[(.*)\]", " ".join(head.split()))
    pieces = re.split(rf"^({'|'.join(FIELDS)}): ", rest, flags=re.M)
    fields = {key: " ".join(value.split()) for key, value in zip(pieces[1::2], pieces[2::2], strict=True)}
    if what is None or pieces[0].strip() or not {"Reason", "Lost", "Problem"} <= set(fields):
        raise ValueError(f"{name}: a unit in brackets and the fields Reason, Lost and Problem are needed")
    if fields["Problem"].startswith("none") == ("Remedy" in fields):
        raise ValueError(f"{name}: a problem needs a remedy, and only a problem does")
    return Limit(
        section,
        name,
        value,
        what[1],
        what[2],
        fields["Reason"],
        fields["Lost"],
        fields["Problem"],
        fields.get("Remedy", ""),
    )


def message(limit: Limit) -> str:
    """The problem as a reader sees it, with the values of limits filled in."""

    def shown(match: re.Match[str]) -> str:
        value = value_of(match[1]) if match[1] else None
        return number(value) if isinstance(value, int) else "N"

    return re.sub(r"\{(\w*)\}", shown, limit.problem)


def number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def cell(text: str) -> str:
    """The text for a table of Markdown."""
    return text.replace("``", "`").replace("|", r"\|")


def render() -> str:
    """The page."""
    every = limits()
    lines = [HEAD, "| message | what is left out | what to do | limit |", "|---|---|---|---|"]
    for each in every:
        if each.is_reported:
            lines.append(f"| {cell(message(each))} | {cell(each.lost)} | {cell(each.remedy)} | `{each.name}` |")
    for section in dict.fromkeys(each.section for each in every):
        lines += ["", f"## {section}", "", "| limit | value | what it bounds | reason | beyond it | problem |"]
        lines.append("|---|---|---|---|---|---|")
        for each in every:
            if each.section == section:
                problem = "reported" if each.is_reported else message(each)
                value = f"{number(each.value)} {each.unit}"
                row = (f"`{each.name}`", value, each.what, each.reason, each.lost, problem.rstrip("."))
                lines.append(f"| {' | '.join(map(cell, row))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render())
