"""The functions of the program and their parameters."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.parsers.traits import Traits
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import KEYWORDS_KIND, NORMAL_KIND, RECEIVER_KIND, VARARG_KIND
from pyrograph.scanner.analysis.resolve.files import Files
from pyrograph.scanner.analysis.resolve.tables import grouped

RECEIVER_NAME: Final = "this"  # in packs: the receiver of a function that a library calls


def is_bound_late(owner: int, traits: Traits) -> bool:
    """Whether a function that lies in a class gets its receiver as its first argument.

    ``owner``: the class that declares the function as its method, or NONE. Without one, as for a decorator's inner
    function or a lambda, some languages bind the function when it is read from an instance.
    """
    return owner == NONE and traits.dispatch.functions_bind_late


class Signature:
    """The parameters of a function, as rows of the table of parameters, by the ways in which a call names them."""

    def __init__(self) -> None:
        self.receiver = NONE
        self.by_position: dict[int, int] = {}
        self.by_name: dict[int, int] = {}
        self.vararg = NONE
        self.keywords = NONE
        self.end = 0  # the position after the last


class Functions:
    """The tables of functions and parameters as lists, to look rows up one by one. Only the caches change."""

    def __init__(self, program: Program) -> None:
        numbers = program.numbers
        self.string_ids = program.string_ids
        self.flags = numbers("functions", "flags")
        self.result = numbers("functions", "result")
        self.raised = numbers("functions", "raised")
        self.owner = numbers("functions", "owner")
        self.parent = numbers("functions", "parent")
        self.name = numbers("functions", "name")
        self.parameters_of = grouped(program, program.tables["parameters"]["function"])
        self.param_function = numbers("parameters", "function")
        self.param_value = numbers("parameters", "value")
        self.param_name = numbers("parameters", "name")
        self.param_position = numbers("parameters", "position")
        self.param_kind = numbers("parameters", "kind")
        self.param_out = numbers("parameters", "out")
        self.param_true = numbers("parameters", "true")
        self.handed_back: dict[int, int] = {}  # function -> the parameter that it returns, and nothing else; a value
        self.signatures: dict[int, Signature] = {}  # by function: a cache
        self.most_arguments: dict[int, int] = {}  # by function: a cache of ``candidates.accepts``

    def signature(self, function: int) -> Signature:
        """The parameters of a function; made once."""
        known = self.signatures.get(function)
        if known is not None:
            return known
        known = self.signatures[function] = Signature()
        for parameter in self.parameters_of.get(function, ()):
            kind, name = self.param_kind[parameter], self.param_name[parameter]
            if kind == RECEIVER_KIND and known.receiver == NONE:
                known.receiver = parameter
            elif kind == VARARG_KIND:
                known.vararg = parameter
            elif kind == KEYWORDS_KIND:
                known.keywords = parameter
            else:
                if kind == NORMAL_KIND:
                    position = self.param_position[parameter]
                    known.by_position[position] = parameter
                    known.end = max(known.end, position + 1)
                if name != NONE:
                    known.by_name[name] = parameter
        return known

    def receiver(self, function: int) -> int:
        """The value of the receiver, or NONE."""
        parameter = self.signature(function).receiver
        return NONE if parameter == NONE else self.param_value[parameter]

    def receiver_out(self, function: int) -> int:
        """The receiver's object version at exit, or NONE."""
        parameter = self.signature(function).receiver
        return NONE if parameter == NONE else self.param_out[parameter]

    def chosen_parameters(self, function: int, which: int | str, first: int = 0) -> list[int]:
        """Rows of the parameters that ``which`` names: a position, a name, "*" or "this", the receiver.

        The receiver is left out otherwise. Positions count from ``first``.
        """
        if which == RECEIVER_NAME:
            receiver = self.signature(function).receiver
            return [receiver] if receiver != NONE else []
        rows = [p for p in self.parameters_of.get(function, ()) if self.param_kind[p] != RECEIVER_KIND]
        rows = [p for p in rows if self.param_kind[p] != NORMAL_KIND or self.param_position[p] >= first]
        if which == "*":
            return rows
        if isinstance(which, int):
            return [p for p in rows if self.param_position[p] == which + first]
        name = self.string_ids.get(which, NONE)
        return [p for p in rows if self.param_name[p] == name and name != NONE]

    def receivers_of_classes(self, files: Files, reps: list[int]) -> dict[int, int]:
        """The nodes of methods' receivers, and the class of each, in languages whose methods are only called on
        instances of their class.
        """
        found: dict[int, int] = {}
        kinds = np.array(self.param_kind, np.int32)
        for row in np.flatnonzero(kinds == RECEIVER_KIND).tolist():
            function, value = self.param_function[row], self.param_value[row]
            if self.owner[function] != NONE and files.traits_of(value).dispatch.receiver_is_instance:
                found[reps[value]] = self.owner[function]
        return found

    def called_receivers(self, program: Program, reps: list[int]) -> dict[int, list[int]]:
        """By class: the nodes of its methods' receivers that the methods, or closures in them, call. The class is a
        name for a type of functions: ``func (f HandlerFunc) ServeHTTP(...) { f(...) }``.
        """
        captured = dict(zip(program.numbers("captures", "inner"), program.numbers("captures", "outer"), strict=True))
        receivers = {
            reps[self.param_value[row]]: self.owner[self.param_function[row]]
            for row, kind in enumerate(self.param_kind)
            if kind == RECEIVER_KIND
        }
        found: dict[int, list[int]] = {}
        callees = {reps[callee] for callee in program.numbers("calls", "callee")}
        callees |= {reps[captured[each]] for each in callees if each in captured}
        for node in sorted(callees & receivers.keys()):
            if receivers[node] != NONE:
                found.setdefault(receivers[node], []).append(node)
        return found

    def arities(self, files: Files) -> dict[int, int]:
        """By function, in languages whose calls give as many arguments as there are parameters: how many these are,
        without the receiver.
        """
        counts = {
            function: 0 for function, result in enumerate(self.result) if files.traits_of(result).dispatch.exact_arity
        }
        for function, kind in zip(self.param_function, self.param_kind, strict=True):
            if function in counts and kind != RECEIVER_KIND:
                counts[function] += 1
        return counts


def handed_back(program: Program, rep: npt.NDArray[np.int32]) -> dict[int, int]:
    """The functions that return one of their parameters, whatever they do with it, and nothing else: ``return this``,
    ``return store``. O(functions). No generators, and none where a type is declared of the parameter or the result.

    A call of such a function refers to what this call passes, and to nothing that another call does.
    """
    functions, parameters = program.tables["functions"], program.tables["parameters"]
    typed = set(rep[program.tables["types"]["value"]].tolist())
    results = rep[functions["result"]].tolist()
    is_generator = (functions["flags"] & int(FunctionFlag.GENERATOR)).tolist()
    found: dict[int, int] = {}
    for function, value in zip(parameters["function"].tolist(), parameters["value"].tolist(), strict=True):
        if rep[value] == results[function] and results[function] not in typed and not is_generator[function]:
            found[function] = value
    return found
