"""Rule lines that would remove a false finding: a model of the step that is wrong."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.model.finding import Finding, Trace
from pyrograph.model.words import parameter_of

_NAMED: Final = re.compile(r"`([^`]+)`")
_CALLEE: Final = re.compile(r"[\w$.]+(?=\()")
UNKNOWN: Final = "MODULE.FUNCTION"  # stands where no step names the function


def rule_lines(finding: Finding, trace: Trace, number: int, code: str = "") -> str:
    """A rule pack for ``--rules`` that says that a step of a path does not carry the danger on.

    ``number``: the step's place in the path, from 0. ``code``: of the step's line, where the function's name is looked
    for if its message has none. Names are those that reports show: a function of the program's own gets the path of its
    module in front. The last step has no such model: a comment suppresses it.
    """
    step = trace.steps[number]
    language = finding.rule_id.partition("/")[0]
    head = f'library = "this program"\nlanguage = "{language}"\n'
    if number == 0 or step.kind == "source":
        api, parameter = parameter_of(trace.source)
        what = f"{api}()" if not parameter and code.rstrip().endswith(f"{api.rpartition('.')[2]}()") else api
        comment = "# what is read here is trusted"
        return f"{head}\n[sanitizer]  {comment}\n{finding.vulnerability} = [{_quoted(what)}]\n"
    if number == len(trace.steps) - 1:
        return (
            "# The sink does no harm here: write a comment on its line.\n"
            f"# pyrograph: ignore[{finding.vulnerability}] REASON\n"
        )
    name = _function(step.message, code)
    return (
        f"{head}\n[sanitizer]  # what it returns is clean\n{finding.vulnerability} = [{_quoted(name + '()')}]\n"
        f"\n# or: nothing of its arguments is in what it returns\n"
        f"# [propagator]\n# flow = [{_quoted(name + ':')}]\n"
    )


def _function(message: str, code: str) -> str:
    """The function that a step names, or that its code calls."""
    for found in (*_NAMED.findall(message), *_CALLEE.findall(code)):
        name = found.removesuffix("()")
        if re.fullmatch(r"[\w$]+(\.[\w$]+)*", name):
            return name if "." in name else f"MODULE.{name}"
    return UNKNOWN


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
