"""Limits stand in one place, say what they cost, and the messages that they name are those in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tools.limits import EFFECTS, Limit, limits, render

import pyrograph

ROOT = Path(pyrograph.__file__).parent
DOCUMENT = Path(__file__).parents[2] / "docs" / "limits.md"

# Packages whose numbers are no limits of the analysis: sizes of machine words, devices and memory blocks, on which no
# result depends; what the readers of a report format accept; how tables hold their numbers.
ELSEWHERE = ("policy/", "kernels/", "graph/", "report/", "ir/packed.py", "ir/schema.py", "scanner/analysis/schema.py")
# Numbers that bound nothing, by name.
NO_LIMITS = {
    "codes that rows of tables hold": {
        "API", "BASES", "CALLED", "CALLS", "BINDS", "CALLS_BACK", "CLASS", "EXPORTS", "FUNCTION", "HANDLES",
        "INSTANCE_OF", "KEY", "LIBRARY", "LISTENERS", "LOADS", "MADE_BY", "MEMBER", "MEMBERS", "MODULE", "MOVES",
        "OBJECT", "PASSED", "PASSES", "PROTOTYPE", "CHAINS", "READS", "RECORDS", "MADE", "TAKEN",
        "PUTS", "SENDS", "STORES", "SUBMODULE", "TAKES", "TYPES", "BEFORE", "AFTER", "EXCEPTIONAL", "EXTERNAL",
        "FORWARDED",
    },
    "degrees of evidence": {"UNKNOWN", "NAMED", "SHOWN", "FREE", "DOUBTED", "PROVEN", "NO", "YES", "ASKED"},
    "values that stand for something special": {
        "ANY_BOUND", "ANY_DATA", "ANY_NUMBER", "COMPLETE", "NEVER_COPIED", "NO_END", "NO_FIELD", "OPEN", "UNSTORED",
    },
    "widths of stored numbers": {
        "DIRECTIONS", "FINGERPRINT_SIZE", "_UTF16_WIDTH", "ID_BYTES", "MAX_TAG", "MAX_TRIPS", "NUMBER_BYTES",
        "INTERNED_BELOW",
    },
    "characters and ranges of them": {"EXACT", "LAST", "PERCENT"},
    "versions of stored forms": {"UNIT_VERSION", "VERSION"},
    "exit codes and numbers of the system": {
        "CLEAN", "FINDINGS", "INCOMPLETE", "INTERRUPTED", "NO_SHUTDOWN", "OUT_OF_MEMORY", "REFUSED",
        "_PR_SET_PDEATHSIG", "_WRITABLE_BY_OTHERS",
    },
    "seconds after which files in a cache are old": {"ABANDONED", "DAY"},
    "seconds at the terminal": {"DELAY", "GRACE", "TIMEOUT"},
    "characters of an id that is shown": {"SHORT"},
    "lines that a terminal shows first": {"FIRST_ENTRIES"},
    "sizes from which arrays take less time than plain numbers": {"NARROW_ROUND"},
    "parts and edges that a thing of this kind has": {"CALL_STEPS", "REPOSITORY_PARTS"},
}  # fmt: skip


def is_number(value: ast.expr) -> bool:
    """Whether an expression is a number, or computed from some. Negative ones are sentinels, and bound nothing."""
    match value:
        case ast.Constant():
            return type(value.value) in (int, float)
        case ast.BinOp():
            return is_number(value.left) or is_number(value.right)
        case ast.Call(func=ast.Name(id="range" | "min" | "max" | "int")):
            return any(map(is_number, value.args))
        case _:
            return False


@cache
def parsed() -> dict[str, ast.Module]:
    """The modules of the package, by their files."""
    files = sorted(ROOT.rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def numbers() -> Iterator[tuple[str, str]]:
    """(file, name) of each number with a name in capitals at the top level of a module."""
    for shown, module in parsed().items():
        for statement in module.body:
            targets = [statement.target] if isinstance(statement, ast.AnnAssign) else getattr(statement, "targets", [])
            value = getattr(statement, "value", None)
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper() and value is not None and is_number(value):
                    yield shown, target.id


def test_no_limit_stands_outside_the_policy() -> None:
    allowed = set().union(*NO_LIMITS.values())
    assert [(file, name) for file, name in numbers() if name not in allowed and not file.startswith(ELSEWHERE)] == []


def test_every_number_that_is_allowed_elsewhere_exists() -> None:
    assert set().union(*NO_LIMITS.values()) - {name for _, name in numbers()} == set()


def test_no_two_limits_have_the_same_name() -> None:
    names = [each.name for each in limits()]
    assert sorted(names) == sorted(set(names))


def modules() -> Iterator[ast.Module]:
    """The code outside the policy."""
    for shown, module in parsed().items():
        if not shown.startswith("policy/"):
            yield module


def test_every_limit_is_used() -> None:
    used = {node.id for module in modules() for node in ast.walk(module) if isinstance(node, ast.Name)}
    assert {each.name for each in limits()} - used == set()


def texts() -> Iterator[str]:
    """The texts in the code; what an f-string or ``format`` fills in is ``{}``."""
    for module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.JoinedStr):
                pieces = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
                yield re.sub(r"\{[^{}]*\}", "{}", "".join(pieces))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield re.sub(r"\{[^{}]*\}", "{}", node.value)


@pytest.fixture(scope="module")
def in_code() -> str:
    return "\0".join(texts())


@pytest.mark.parametrize("limit", limits(), ids=lambda each: each.name)
def test_the_message_of_a_limit_is_the_one_in_the_code(limit: Limit, in_code: str) -> None:
    text = limit.problem.partition("an error: ")[2] if not limit.is_reported else limit.problem
    wanted = re.sub(r"\{[^{}]*\}", "{}", text.removeprefix("(not-parsed) "))
    assert wanted in in_code


@pytest.mark.parametrize("limit", limits(), ids=lambda each: each.name)
def test_a_limit_that_is_not_reported_says_in_which_direction_it_errs(limit: Limit) -> None:
    """It is "none: EFFECT", or "none; " and where the reader sees it."""
    if limit.problem.startswith("none: "):
        assert limit.problem.removeprefix("none: ").rstrip(".").startswith((*EFFECTS, "an error: "))
    else:
        assert limit.is_reported or limit.problem.startswith(("none; ", "none."))


def test_the_document_is_made_from_the_limits() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render()
