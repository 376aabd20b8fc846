"""Methods that are read as values keep the object that they are read from: ``work(job.start)``, ``f := t.Get``.

Where the value is made, the object lies in it under a hidden key, as what a closure captures does; where it is called,
the receiver is taken out again. So a call gets the receiver in its own calling context, and what the method returns
goes back to that call.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.analysis.resolve.solver import Solver

RECEIVER_KEY: Final = "\0receiver"  # no member has this name


def link_method_values(solver: Solver) -> None:
    """Fill ``Flows.method_values`` and ``method_receivers``. Linear in the calls."""
    read, functions = solver.accesses.read_methods, solver.functions
    if not read:
        return
    key = solver.program.intern(RECEIVER_KEY)
    flows = solver.resolution.flows
    flows.method_values = [(holder, value, key) for holder, value in dict.fromkeys(read)]
    methods = {
        state >> KIND_BITS
        for _, value in read
        for state in solver.points.states_of(value)
        if state & KIND == FUNCTION and functions.receiver(state >> KIND_BITS) != NONE
    }
    calls = solver.calls
    called = [
        (call, calls.callee[call], function)
        for call, function in calls.targets.array().tolist()
        if function in methods and calls.receiver[call] == NONE and calls.callee[call] != NONE
    ]
    called += [
        (each.site, each.argument, each.function)
        for each in solver.resolution.callbacks
        if each.function in methods and each.argument != NONE
    ]
    flows.method_receivers = [
        (site, value, functions.receiver(function), key) for site, value, function in dict.fromkeys(called)
    ]
