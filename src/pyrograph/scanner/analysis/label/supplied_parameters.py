"""Parameters that a decorator of the program fills, not the framework: ``return view(**kwargs, user=account())``.

A framework that passes all fields of a request by name calls the wrapper, which passes them on. What the wrapper
passes under a name of its own cannot come from the framework too: a name is passed once. The value that the wrapper
passes flows into the parameter by the call, untrusted or not. A value that is the wrapper's own parameter, or a name
that it reads from the arguments it gathers (``user=kwargs.pop("user")``), is the framework's.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, CallFlag, Op, ParameterKind
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Parameters
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.routes import reads_by_name
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


def supplied_names(facts: Facts, target: Parameters, function: int, registration: int) -> set[int]:
    """The names (strings) of parameters of ``function`` that its decorators fill.

    ``registration``: the call that makes it an entry point. Where this is a decorator, those below it count. Time
    O(decorators * calls of what they decorate).
    """
    if target.which != "*":
        return set()  # the wrapper's parameters may have other names and positions
    found: set[int] = set()
    inner = {function}
    value = facts.rep[int(facts.tables["functions"]["value"][function])]
    for _ in range(MAX_DEFINITIONS):
        call = decorating(facts, value)
        if call == NONE:
            break
        if call == registration:
            return found
        wrappers = set(subjects(facts.resolution.states_of(facts.call_result[call]), FUNCTION))
        if wrappers and wrappers.isdisjoint(inner):
            passed = [passed_names(facts, wrapper, inner) for wrapper in sorted(wrappers)]
            found |= set.intersection(*passed)
        inner |= wrappers
        value = facts.rep[facts.call_result[call]]
    return set() if target.by == "decorator" else found


def decorating(facts: Facts, value: int) -> int:
    """The call of a decorator with what it decorates, ``value``; ``NONE`` if there is none."""
    for call in facts.calls.calls_with(value):
        rows = facts.args.of(call)
        is_decorator = bool(int(facts.tables["calls"]["flags"][call]) & CallFlag.DECORATOR)
        if is_decorator and len(rows) and facts.rep[facts.arg_value[rows[0]]] == value:
            return call
    return NONE


def passed_names(facts: Facts, wrapper: int, inner: set[int]) -> set[int]:
    """The names under which every call of an ``inner`` function in ``wrapper`` passes a value of the wrapper's own."""
    found: set[int] | None = None
    for call in sorted({call for each in inner for call in facts.calls.calls_of(each)}):
        if facts.function_of[facts.call_result[call]] != wrapper:
            continue
        names = {
            facts.args.keyword[row]
            for row in facts.args.of(call)
            if facts.args.keyword[row] != NONE and facts.op[facts.rep[facts.arg_value[row]]] != Op.PARAMETER
        }
        found = names if found is None else found & names
    return {name for name in found if not reads(facts, wrapper, name)} if found else set()


def reads(facts: Facts, wrapper: int, name: int) -> bool:
    """Whether a wrapper may read ``name`` from the arguments that it gathers by name."""
    parameters = facts.tables["parameters"]
    for row in facts.functions.parameters_of(wrapper):
        if parameters["kind"][row] == ParameterKind.KEYWORDS:
            gathered = facts.rep[int(parameters["value"][row])]
            if any(read in ("", facts.program.strings[name]) for read, _ in reads_by_name(facts, gathered)):
                return True
    return False
