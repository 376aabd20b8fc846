"""Units as text that people can read and compare.

``listing`` shows what a unit's functions do, in a form in which two files that say the same give the same text,
whatever language they are written in: no spans, no numbers of rows, no value that nothing needs. One line a value, in
the order in which the function's calls, stores into shared variables, results and exits need them:

    function f(x)
      %1 = x
      %2 = call source(%1)
      %3 = phi "a", %2
      %4 = %3 where equal(%3, "b") is false
      return %4

The right-hand sides:

``"a"``, ``5``           a constant, written where it is used
``name``                 a name this unit's functions do not define, written where it is used
``x``                    a parameter's value at entry; ``x or a`` with the default a, ``this`` for the receiver
``capture %1``           what a function captured
``made of a, b``         an expression's result; ``text "<\\0>": a`` when its constant parts are known (``\\0``: a hole)
``phi a, b``             any of these, where control flow merges
``carry a, b``           in a loop header: the value from before the loop, and from the end of an iteration
``a where test is true`` a, where the test is known to hold or not to hold
``call f(a, *b, k=c)``   a call's result; ``call a.m(b)`` for a method
``post a of %1``         the state of a after the call %1
``load a.key``           ``a[?]`` when the key is unknown, ``a[b]`` when it is a value
``store a.key, b``       the state of a after ``a.key = b``

and ``new``, ``function f``, ``class C``, ``import m.n``, ``exception``, ``super a``, ``cell x``, ``field``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pyrograph.ir.codes import (
    ANY_BOUND,
    NONE,
    OPEN,
    RECEIVER,
    UNKNOWN_KEY,
    ArgumentFlag,
    Flow,
    FunctionFlag,
    Op,
    ParameterKind,
    Test,
)
from pyrograph.ir.packed import key_value
from pyrograph.ir.rows import Rows
from pyrograph.ir.schema import ArgumentRow, ParameterRow
from pyrograph.ir.unit import Unit

_INLINE = frozenset({Op.CONST, Op.GLOBAL})
_STARS = {ArgumentFlag.SPREAD: "*", ArgumentFlag.SPREAD_KEYWORDS: "**"}
_PARAMETER_STARS = {ParameterKind.VARARG: "*", ParameterKind.KEYWORDS: "**"}


def listing(unit: Unit, function: str | None = None) -> str:
    """The text of ``unit``, or of its functions called ``function`` and those nested in them; see the module's text.

    Time linear in the unit times the number of its functions. Nothing recurses, however deeply values depend on each
    other.
    """
    return _Listing(unit).text(function)


_BOUNDS = {OPEN: "", ANY_BOUND: "?"}


class _Listing:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.rows = Rows(unit)
        self.values = self.rows.values
        self.flows_into: dict[int, list[tuple[int, int]]] = {}
        for origin, target, kind in self.rows.flows:
            self.flows_into.setdefault(target, []).append((origin, kind))
        self.arguments_of: dict[int, list[ArgumentRow]] = {}
        for row in self.rows.arguments:
            self.arguments_of.setdefault(row.call, []).append(row)
        self.skeletons = {row.value: row.text for row in self.rows.texts}
        self.initial = {row.value: row.initial for row in self.rows.carries}
        self.slices = {row.result: row for row in self.rows.slices}
        self.captured = {row.inner: row.outer for row in self.rows.captures}
        self.names: dict[int, str] = {}
        self.printed: set[int] = set()
        self.lines: list[str] = []

    def text(self, function: str | None) -> str:
        functions = self.rows.functions
        wanted: set[int] = set()
        for index, row in enumerate(functions):
            if function is None or self.string(row.name) == function or row.parent in wanted:
                wanted.add(index)
        for index in sorted(wanted):
            self.function(index)
        return "\n".join(self.lines) + "\n"

    def function(self, index: int) -> None:
        """One function: its head, then what its calls, shared variables, captures and exits need."""
        function_row = self.rows.functions[index]
        name, flags, result, raised = function_row.name, function_row.flags, function_row.result, function_row.raised
        parameters = [row for row in self.rows.parameters if row.function == index]
        shown = [row for row in parameters if row.kind != ParameterKind.RECEIVER]
        head = ", ".join(_PARAMETER_STARS.get(ParameterKind(row.kind), "") + self.parameter(row) for row in shown)
        self.lines.append("module" if flags & FunctionFlag.MODULE else f"function {self.string(name)}({head})")
        calls = [row for row in self.rows.calls if self.values[row.result].function == index]
        for call in sorted(calls):
            self.define([call.result])
        for origin, target, _ in self.rows.flows:
            if self.values[target].op == Op.CELL and self.values[origin].function == index:
                self.say(f"cell {self.string(self.values[target].data)} gets", [origin])
        for inner, outer in self.captured.items():
            if self.values[outer].function == index:
                self.define([outer])
            if self.values[inner].function == index:
                self.define([inner])
        for row in parameters:
            for word, state, shown_as in (
                ("out", row.out, row.value),
                ("true", row.true, row.out),
                ("false", row.false, row.out),
            ):
                if state not in (NONE, row.value, shown_as):
                    self.say(f"{word} {self.parameter(row)} =", [state])
        for word, value in (("return", result), ("raise", raised)):
            joined = [origin for origin, _ in self.flows_into.get(value, ())]
            if joined:
                self.say(word, joined)

    def parameter(self, row: ParameterRow) -> str:
        if row.kind == ParameterKind.RECEIVER:
            return "this"
        return self.string(row.name) if row.name != NONE else f"#{row.position}"

    def say(self, what: str, values: list[int]) -> None:
        self.define(values)
        self.lines.append(f"  {what} {self.operands(values)}")

    def define(self, values: Iterable[int]) -> None:
        """Print the definitions that ``values`` need and that are not printed yet; operands first, but for cycles."""
        stack = [(value, False) for value in reversed(list(values))]
        begun: set[int] = set()
        while stack:
            value, ready = stack.pop()
            if value in self.printed or value == NONE or self.values[value].op in _INLINE:
                continue
            if ready:
                self.printed.add(value)
                right = self.right_hand_side(value)
                self.lines.append(f"  {self.name(value)} = {right}")
            elif value not in begun:
                begun.add(value)
                stack.append((value, True))
                stack += [(each, False) for each in reversed(self.needs(value))]

    def needs(self, value: int) -> list[int]:
        """The values whose names the definition of ``value`` shows."""
        value_row = self.values[value]
        op, function, data = value_row.op, value_row.function, value_row.data
        if op == Op.CALL:
            call_row = self.rows.calls[data]
            callee, receiver = call_row.callee, call_row.receiver
            head = [receiver if receiver != NONE else callee]
            return head + [row.value for row in self.arguments_of.get(data, ()) if row.position != RECEIVER]
        if op == Op.LOAD:
            return [self.rows.loads[data].object, *_key_value(self.rows.loads[data].key)]
        if value in self.slices:
            return [self.slices[value].object]
        if op == Op.STORE:
            store_row = self.rows.stores[data]
            holder, key, stored = store_row.object, store_row.key, store_row.value
            return [holder, *_key_value(key), stored]
        if op == Op.PI:
            pi_row = self.rows.pis[data]
            before, condition = pi_row.input, pi_row.condition
            return [before, self.rows.conditions[condition].left, self.rows.conditions[condition].right]
        if op == Op.POST:
            return [self.rows.arguments[data].value, self.rows.calls[self.rows.arguments[data].call].result]
        if op in (Op.CELL, Op.FUNCTION, Op.CLASS, Op.IMPORT) or value in self.captured:
            return []
        return [origin for origin, _ in self.flows_into.get(value, ()) if self.values[origin].function == function]

    def right_hand_side(self, value: int) -> str:
        value_row = self.values[value]
        op, function, data = value_row.op, value_row.function, value_row.data
        if value in self.captured:
            return f"capture {self.name(self.captured[value])}"
        if op == Op.CALL:
            return self.call(data)
        if op == Op.LOAD:
            load_row = self.rows.loads[data]
            holder, key = load_row.object, load_row.key
            return f"load {self.name(holder)}{self.key(key)}"
        if op == Op.STORE:
            store_row = self.rows.stores[data]
            holder, key, stored = store_row.object, store_row.key, store_row.value
            return f"store {self.name(holder)}{self.key(key)}, {self.name(stored)}"
        if op == Op.PI:
            pi_row = self.rows.pis[data]
            before, condition, side = pi_row.input, pi_row.condition, pi_row.side
            condition_row = self.rows.conditions[condition]
            test, left, right = condition_row.test, condition_row.left, condition_row.right
            tested = self.operands([left] if right == NONE else [left, right])
            return f"{self.name(before)} where {Test(test).name.lower()}({tested}) is {'true' if side else 'false'}"
        if op == Op.POST:
            argument = self.rows.arguments[data]
            return f"post {self.name(argument.value)} of {self.name(self.rows.calls[argument.call].result)}"
        parts = [
            (o, k)
            for o, k in self.flows_into.get(value, ())
            if self.values[o].function == function or op in (Op.PHI, Op.PARAMETER)
        ]
        operands = self.operands([origin for origin, _ in parts])
        if op == Op.PARAMETER:
            return f"{self.parameter(self.rows.parameters[data])}{' or ' + operands if operands else ''}"
        if op == Op.FUNCTION:
            return f"function {self.string(self.rows.functions[data].name)}"
        if op == Op.CLASS:
            return f"class {self.string(self.rows.owners[data].name)}"
        if op == Op.IMPORT:
            import_row = self.rows.imports[data]
            module, name, level = import_row.module, import_row.name, import_row.level
            return f"import {'.' * level}{self.string(module)}" + (f" {self.string(name)}" if name != NONE else "")
        if op == Op.CELL:
            return f"cell {self.string(data)}"
        if value in self.slices:
            piece = self.slices[value]
            start, end = (_BOUNDS.get(bound, str(bound)) for bound in (piece.start, piece.end))
            return f"slice {self.name(piece.object)}[{start}:{end}]"
        if op == Op.EXPRESSION:
            skeleton = self.skeletons.get(value)
            word = "made of" if skeleton is None else f"text {_quoted(self.string(skeleton))}:"
            return f"{word} {operands}".strip() if operands or skeleton is not None else "a truth value"
        derived = any(kind in (Flow.DERIVED, Flow.SHOWN) for _, kind in parts)
        return f"{Op(op).name.lower()}{' made of' if derived else ''} {operands}".strip()

    def call(self, row: int) -> str:
        call_row = self.rows.calls[row]
        callee, receiver, name = call_row.callee, call_row.receiver, call_row.name
        head = self.name(callee) if receiver == NONE else f"{self.name(receiver)}.{self.string(name)}"
        shown = []
        for argument in self.arguments_of.get(row, ()):
            if argument.position == RECEIVER:
                continue
            stars = _STARS.get(ArgumentFlag(argument.flags), "") if argument.flags else ""
            keyword = f"{self.string(argument.keyword)}=" if argument.keyword != NONE else ""
            shown.append(stars + keyword + self.name(argument.value))
        return f"call {head}({', '.join(shown)})"

    def key(self, key: int) -> str:
        if key == UNKNOWN_KEY:
            return "[?]"
        return f".{self.string(key)}" if key >= 0 else f"[{self.name(key_value(key))}]"

    def operands(self, values: Iterable[int]) -> str:
        return ", ".join(self.name(value) for value in values)

    def name(self, value: int) -> str:
        """How ``value`` is written where it is used; values are numbered by first use."""
        if value == NONE:
            return "nothing"
        value_row = self.values[value]
        op, data = value_row.op, value_row.data
        if op == Op.CONST:
            text = self.string(data)
            return _quoted(text[1:]) if text[:1] == "'" else text
        if op == Op.GLOBAL:
            return self.string(data)
        known = self.names.get(value)
        if known is None:
            known = self.names[value] = f"%{len(self.names) + 1}"
        return known

    def string(self, index: int) -> str:
        return self.unit.strings[index] if index != NONE else ""


def _key_value(key: int) -> list[int]:
    return [key_value(key)] if key < UNKNOWN_KEY else []


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\\u0000", "\\0")


__all__ = ["listing"]
