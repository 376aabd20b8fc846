"""A small compiler from programs of kernels, copies and fills to executable CUDA graphs.

    program -> validate -> lower -> schedule -> shapes -> liveness -> buffers -> steps -> build -> instantiate

Everything up to ``steps`` is arithmetic on plain data and runs without a GPU. The regions If, While and For become
conditional nodes, so a loop over the levels of a search is one launch, with no word from the host in between. It knows
nothing of what the kernels are for.

* ``Builder`` writes a program; ``plan`` checks it and works out all numbers; ``to_text`` and ``to_dot`` show them.
* ``compile`` makes an ``Executable``; ``apply`` changes one, at the cost that ``classify`` predicts.
* ``HostLoop`` runs the same program from the host: the reference, on a device, in Numba's simulator, on NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyrograph.kernels.cudagraph.device import toolkit
from pyrograph.kernels.cudagraph.hostloop import HostLoop, Plain
from pyrograph.kernels.cudagraph.instantiate import Binding, Executable, How, bind
from pyrograph.kernels.cudagraph.picture import to_dot, to_text
from pyrograph.kernels.cudagraph.planning import Plan, plan
from pyrograph.kernels.cudagraph.problems import CompileError, Problem, ProgramError
from pyrograph.kernels.cudagraph.profile import NodeTime, Profile
from pyrograph.kernels.cudagraph.program import (
    Block,
    Buffer,
    Builder,
    Copy,
    Cover,
    Fill,
    For,
    If,
    Kernel,
    Launch,
    Pin,
    Program,
    Scalar,
    While,
)
from pyrograph.kernels.cudagraph.shapes import bind as sizes_of
from pyrograph.kernels.cudagraph.steps import Profiling
from pyrograph.kernels.cudagraph.update import Change, Level, Update, apply, classify
from pyrograph.kernels.cudagraph.validate import Limits, validate

__all__ = [
    "Binding",
    "Block",
    "Buffer",
    "Builder",
    "Change",
    "CompileError",
    "Copy",
    "Cover",
    "Executable",
    "Fill",
    "For",
    "HostLoop",
    "How",
    "If",
    "Kernel",
    "Launch",
    "Level",
    "Limits",
    "NodeTime",
    "Pin",
    "Plain",
    "Plan",
    "Problem",
    "Profile",
    "Profiling",
    "Program",
    "ProgramError",
    "Scalar",
    "Update",
    "While",
    "apply",
    "bind",
    "classify",
    "compile",
    "free_memory",
    "plan",
    "sizes_of",
    "to_dot",
    "to_text",
    "validate",
]


def free_memory() -> int:
    """Bytes of the device that may be asked for.

    Raises:
        BackendError: There is no device.
    """
    return toolkit().free_memory()


def compile(
    program: Program, arrays: Mapping[str, Any], *, profiling: Profiling = "off", how: How = "auto", every: int = 1
) -> Executable:
    """Turn a program into something the driver can launch many times.

    Args:
        arrays: A C-contiguous array on the device for each external buffer; kept alive.
        how: "graph"; "stream", where the host launches the nodes; or "auto": a graph, and a stream where the driver
            is too old for loops in graphs or refuses the graph. ``Executable.how`` and ``why`` state which it became.
        every: For a stream, rounds of a loop between two looks at its condition.

    Raises:
        ProgramError: The program is not well formed, or the arrays do not fit it; all problems are listed.
        CompileError: A kernel does not compile.
        LimitError: The arena does not fit the device.
        BackendError: There is no device, or ``how`` asks for a graph and the driver cannot.
    """
    return Executable(program, arrays, profiling=profiling, how=how, every=every)
