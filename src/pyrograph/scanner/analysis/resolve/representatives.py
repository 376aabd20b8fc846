"""Representatives: values that are versions of one object, or always the same value, share one node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.resolution import MAX_JOINS
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import CLASS_METHOD, CONSTRUCTOR


def representatives(program: Program) -> npt.NDArray[np.int32]:
    """For each value, the value that it always is another state or version of.

    A state after a store or a call stands for the object's state before; a version under a condition for the version;
    a phi whose inputs have one representative for that one. What a call through ``super`` leaves is the receiver, in
    constructors and class methods: it is more than an instance of the base, or than the base. Pointer jumping,
    O(n log n).
    """
    tables = program.tables
    n = program.num_values
    op = tables["values"]["op"]
    parent = np.arange(n)
    stores, pis, arguments = tables["stores"], tables["pis"], tables["arguments"]
    parent[stores["result"]] = stores["object"]
    parent[pis["value"]] = pis["input"]
    posts = arguments["post"] >= 0
    flows = tables["flows"]
    makes = tables["functions"]["flags"] & (CONSTRUCTOR | CLASS_METHOD) != 0
    views = np.flatnonzero((flows["kind"] == 0) & (op[flows["target"]] == Op.SUPER))
    views = views[makes[tables["values"]["function"][flows["target"][views]]]]
    viewed = np.arange(n)
    viewed[flows["target"][views]] = flows["origin"][views]
    parent[arguments["post"][posts]] = viewed[arguments["value"][posts]]
    _jump(parent, np.flatnonzero(parent != np.arange(n)))
    joins = (op == Op.PHI) | (op == Op.CARRY) | (op == Op.OUT) | (op == Op.RESULT)
    chosen = np.flatnonzero((flows["kind"] == 0) & joins[flows["target"]])
    origin, target = parent[flows["origin"][chosen]], flows["target"][chosen].astype(np.intp)
    function = tables["values"]["function"]
    one = np.empty(n, np.intp)  # of the inputs of a join
    differ = np.empty(n, bool)
    for _ in range(MAX_JOINS):
        other = origin != target
        origin, target = origin[other], target[other]
        one[target] = origin
        differ[target] = False
        differ[target[one[target] != origin]] = True
        single = target[~differ[target]]
        single = single[function[one[single]] == function[single]]
        if not len(single):
            break
        parent[single] = one[single]
        _jump(parent, single)
        left = parent[target] == target
        origin, target = parent[origin[left]], target[left]
    _jump(parent, np.flatnonzero(parent != np.arange(n)))
    return parent.astype(np.int32)


def _jump(parent: npt.NDArray[np.intp], rows: npt.NDArray[np.intp]) -> None:
    """Let ``parent`` of ``rows`` be the end of the chain that begins there; all others are ends, or point to one."""
    for _ in range(len(rows).bit_length() + 1):
        near = parent[rows]
        far = parent[near]
        moved = far != near
        rows = rows[moved]
        if not len(rows):
            break
        parent[rows] = far[moved]
