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
``phi a, b``             any of these, where ways of control meet
``carry a, b``           at the head of a loop: what came from before it, and from its end
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

from pyrograph.ir.packed import key_value
from pyrograph.ir.unit import (
    ANY_BOUND,
    COLUMNS,
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
    Unit,
)

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
        self.rows = {name: unit.rows(name) for name in COLUMNS}
        self.values = self.rows["values"]
        self.flows_into: dict[int, list[tuple[int, int]]] = {}
        for origin, target, kind in self.rows["flows"]:
            self.flows_into.setdefault(target, []).append((origin, kind))
        self.arguments_of: dict[int, list[tuple[int, ...]]] = {}
        for row in self.rows["arguments"]:
            self.arguments_of.setdefault(row[0], []).append(row)
        self.skeletons = {row[0]: row[1] for row in self.rows["texts"]}
        self.initial = {row[0]: row[2] for row in self.rows["carries"]}
        self.slices = {row[0]: row[1:] for row in self.rows["slices"]}
        self.captured = {row[1]: row[2] for row in self.rows["captures"]}
        self.names: dict[int, str] = {}
        self.printed: set[int] = set()
        self.lines: list[str] = []

    def text(self, function: str | None) -> str:
        functions = self.rows["functions"]
        wanted: set[int] = set()
        for index, row in enumerate(functions):
            if function is None or self.string(row[1]) == function or row[3] in wanted:
                wanted.add(index)
        for index in sorted(wanted):
            self.function(index)
        return "\n".join(self.lines) + "\n"

    def function(self, index: int) -> None:
        """One function: its head, then what its calls, shared variables, captures and exits need."""
        _, name, _, _, flags, result, raised, _, _ = self.rows["functions"][index]
        parameters = [row for row in self.rows["parameters"] if row[0] == index]
        shown = [row for row in parameters if row[4] != ParameterKind.RECEIVER]
        head = ", ".join(_PARAMETER_STARS.get(ParameterKind(row[4]), "") + self.parameter(row) for row in shown)
        self.lines.append("module" if flags & FunctionFlag.MODULE else f"function {self.string(name)}({head})")
        calls = [row for row in self.rows["calls"] if self.values[row[0]][1] == index]
        for call in sorted(calls):
            self.define([call[0]])
        for origin, target, _ in self.rows["flows"]:
            if self.values[target][0] == Op.CELL and self.values[origin][1] == index:
                self.say(f"cell {self.string(self.values[target][4])} gets", [origin])
        for inner, outer in self.captured.items():
            if self.values[outer][1] == index:
                self.define([outer])
            if self.values[inner][1] == index:
                self.define([inner])
        for row in parameters:
            for word, column in (("out", 5), ("true", 6), ("false", 7)):
                same = row[column] in (NONE, row[1]) or (column > 5 and row[column] == row[5])
                if not same:
                    self.say(f"{word} {self.parameter(row)} =", [row[column]])
        for word, value in (("return", result), ("raise", raised)):
            joined = [origin for origin, _ in self.flows_into.get(value, ())]
            if joined:
                self.say(word, joined)

    def parameter(self, row: tuple[int, ...]) -> str:
        if row[4] == ParameterKind.RECEIVER:
            return "this"
        return self.string(row[2]) if row[2] != NONE else f"#{row[3]}"

    def say(self, what: str, values: list[int]) -> None:
        self.define(values)
        self.lines.append(f"  {what} {self.operands(values)}")

    def define(self, values: Iterable[int]) -> None:
        """Print the definitions that ``values`` need and that are not printed yet; operands first, but for cycles."""
        stack = [(value, False) for value in reversed(list(values))]
        begun: set[int] = set()
        while stack:
            value, ready = stack.pop()
            if value in self.printed or value == NONE or self.values[value][0] in _INLINE:
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
        op, function, _, _, data = self.values[value]
        if op == Op.CALL:
            _, callee, receiver, _, _, _, _ = self.rows["calls"][data]
            head = [receiver if receiver != NONE else callee]
            return head + [row[1] for row in self.arguments_of.get(data, ()) if row[2] != RECEIVER]
        if op == Op.LOAD:
            return [self.rows["loads"][data][1], *_key_value(self.rows["loads"][data][2])]
        if value in self.slices:
            return [self.slices[value][0]]
        if op == Op.STORE:
            _, holder, key, stored = self.rows["stores"][data]
            return [holder, *_key_value(key), stored]
        if op == Op.PI:
            _, before, condition, _ = self.rows["pis"][data]
            return [before, *self.rows["conditions"][condition][2:4]]
        if op == Op.POST:
            return [self.rows["arguments"][data][1], self.rows["calls"][self.rows["arguments"][data][0]][0]]
        if op in (Op.CELL, Op.FUNCTION, Op.CLASS, Op.IMPORT) or value in self.captured:
            return []
        return [origin for origin, _ in self.flows_into.get(value, ()) if self.values[origin][1] == function]

    def right_hand_side(self, value: int) -> str:
        op, function, _, _, data = self.values[value]
        if value in self.captured:
            return f"capture {self.name(self.captured[value])}"
        if op == Op.CALL:
            return self.call(data)
        if op == Op.LOAD:
            _, holder, key = self.rows["loads"][data]
            return f"load {self.name(holder)}{self.key(key)}"
        if op == Op.STORE:
            _, holder, key, stored = self.rows["stores"][data]
            return f"store {self.name(holder)}{self.key(key)}, {self.name(stored)}"
        if op == Op.PI:
            _, before, condition, side = self.rows["pis"][data]
            _, test, left, right, _, _ = self.rows["conditions"][condition]
            tested = self.operands([left] if right == NONE else [left, right])
            return f"{self.name(before)} where {Test(test).name.lower()}({tested}) is {'true' if side else 'false'}"
        if op == Op.POST:
            call, before = self.rows["arguments"][data][:2]
            return f"post {self.name(before)} of {self.name(self.rows['calls'][call][0])}"
        parts = [
            (o, k)
            for o, k in self.flows_into.get(value, ())
            if self.values[o][1] == function or op in (Op.PHI, Op.PARAMETER)
        ]
        operands = self.operands([origin for origin, _ in parts])
        if op == Op.PARAMETER:
            row = self.rows["parameters"][data]
            return f"{self.parameter(row)}{' or ' + operands if operands else ''}"
        if op == Op.FUNCTION:
            return f"function {self.string(self.rows['functions'][data][1])}"
        if op == Op.CLASS:
            return f"class {self.string(self.rows['owners'][data][1])}"
        if op == Op.IMPORT:
            _, module, name, level = self.rows["imports"][data]
            return f"import {'.' * level}{self.string(module)}" + (f" {self.string(name)}" if name != NONE else "")
        if op == Op.CELL:
            return f"cell {self.string(data)}"
        if value in self.slices:
            whole, *bounds = self.slices[value]
            start, end = (_BOUNDS.get(bound, str(bound)) for bound in bounds)
            return f"slice {self.name(whole)}[{start}:{end}]"
        if op == Op.EXPRESSION:
            skeleton = self.skeletons.get(value)
            word = "made of" if skeleton is None else f"text {_quoted(self.string(skeleton))}:"
            return f"{word} {operands}".strip() if operands or skeleton is not None else "a truth value"
        derived = any(kind in (Flow.DERIVED, Flow.SHOWN) for _, kind in parts)
        return f"{Op(op).name.lower()}{' made of' if derived else ''} {operands}".strip()

    def call(self, row: int) -> str:
        _, callee, receiver, name, _, _, _ = self.rows["calls"][row]
        head = self.name(callee) if receiver == NONE else f"{self.name(receiver)}.{self.string(name)}"
        shown = []
        for _, value, position, keyword, flags, _, _, _ in self.arguments_of.get(row, ()):
            if position == RECEIVER:
                continue
            stars = _STARS.get(ArgumentFlag(flags), "") if flags else ""
            shown.append(stars + (f"{self.string(keyword)}=" if keyword != NONE else "") + self.name(value))
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
        op, _, _, _, data = self.values[value]
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
