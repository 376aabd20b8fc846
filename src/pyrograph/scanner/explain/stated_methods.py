"""Which methods of HTTP a registering call states: in a keyword, an argument, or a call on what it made.

The one reader of methods: what a report lists for a handler, and whether a link reaches it, come from here.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_TEXT, MAX_GUARD_USES
from pyrograph.policy.routes import METHOD_CONSTANTS, METHOD_FILLERS, METHOD_KEYS, METHODS
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.callers import Callers

HTTP_METHODS: Final = frozenset(each.upper() for each in METHODS)  # as texts that register a handler name them


class StatedMethods:
    """Reads single calls of one program; nothing is kept."""

    def __init__(self, callers: Callers) -> None:
        self.callers = callers
        self.program = callers.program
        self.tables = callers.tables
        self.args = callers.args

    def methods_of(self, call: int) -> frozenset[str]:
        """The methods, in lower case, that a keyword lists, ``@app.route("/like", methods=["POST"])``, that an argument
        names, ``Handle("POST", "/like", like)``, or a call on what the call made,
        ``Handle("/like", like).Methods(http.MethodPost)``; none where a keyword is no literal.
        """
        further = [call, *self.methods_on(int(self.tables["calls"]["result"][call]))]
        return self.in_keywords(call).union(*(self.written_methods(each) for each in further))

    def in_keywords(self, call: int) -> frozenset[str]:
        """What keywords for methods list, whether or not it is a method of HTTP."""
        rows = [row for row in self.args.of(call) if self.is_method_keyword(row)]
        return frozenset(text.lower() for row in rows for text in self.listed(self.args.value[row]) if text)

    def is_method_keyword(self, row: int) -> bool:
        number = self.args.keyword[row]
        return number != NONE and self.callers.strings[number] in METHOD_KEYS

    def methods_on(self, value: int) -> list[int]:
        """The calls of methods of what a call made."""
        arguments = self.tables["arguments"]
        rows = self.callers.by_value.of(self.callers.reps[value])[: MAX_GUARD_USES + 1].tolist()
        return [int(arguments["call"][row]) for row in rows if self.args.position[row] == RECEIVER]

    def written_methods(self, call: int) -> frozenset[str]:
        """The methods of HTTP that are arguments of a call, alone or in a list; none if another one may be meant."""
        found: set[str] = set()
        for row in self.args.of(call):
            if self.args.position[row] == RECEIVER:
                continue
            texts = set(self.listed(self.args.value[row])) or self.joined_methods(row)
            if HTTP_METHODS.isdisjoint(texts):
                continue
            if not texts <= HTTP_METHODS:
                return frozenset()
            found |= {each.lower() for each in texts}
        return frozenset(found)

    def listed(self, value: int) -> list[str]:
        """The texts that a value is, or holds; "" for those that are not constant."""
        rep = self.callers.reps[value]
        if self.callers.op[rep] == Op.NEW:
            return [self.method_text(each) for each in self.callers.stored_in(rep)[:MAX_GUARD_USES]]
        text = self.method_text(rep)
        return [text] if text else []

    def joined_methods(self, row: int) -> set[str]:
        """The methods that an argument joins by an operator: ``Kind.GET | Kind.POST``."""
        arguments = self.tables["arguments"]
        if self.callers.op[self.callers.reps[self.args.value[row]]] != Op.EXPRESSION:
            return set()
        file = int(self.program.file_of_value[self.args.value[row]])
        code = self.callers.texts.text(file, int(arguments["start"][row]), int(arguments["end"][row]), MAX_GUARD_TEXT)
        named = [METHOD_CONSTANTS.match(part.strip().rpartition(".")[2]) for part in code.split("|")]
        found = {(each[1] or each[2]).upper() for each in named if each is not None}
        return found if len(named) > 1 and None not in named else set()

    def method_text(self, value: int) -> str:
        """A constant text, or the method of HTTP that the name of a member says: ``http.MethodPost``; or ""."""
        callers = self.callers
        rep = callers.reps[value]
        if callers.op[rep] != Op.LOAD:
            return callers.constant(rep)
        key = int(self.tables["loads"]["key"][callers.data[rep]])
        named = METHOD_CONSTANTS.match(callers.strings[key]) if key >= 0 else None
        return callers.constant(rep) if named is None else (named[1] or named[2]).upper()

    def in_options(self, function: int) -> frozenset[str]:
        """The methods that a literal lists with which a handler is given to a call:
        ``export default wrapped(handler, { methods: ["POST"] })``.
        """
        stores, strings = self.tables["stores"], self.callers.strings
        found: set[str] = set()
        for call, given in self.callers.uses_of(function)[:MAX_GUARD_USES]:
            for row in self.args.of(call):
                literal = self.callers.reps[self.args.value[row]]
                if row == given or self.callers.op[literal] != Op.NEW:
                    continue
                for each in self.callers.by_object.of(literal)[:MAX_GUARD_USES].tolist():
                    key, value = int(stores["key"][each]), int(stores["value"][each])
                    if key >= 0 and value >= 0 and strings[key] in METHOD_KEYS:
                        found.update(text.lower() for text in self.listed(value))
        return frozenset(found) & METHODS

    def in_decorators(self, function: int) -> frozenset[str]:
        """The methods that decorators of a handler state which register nothing: ``@api_view(["POST"])``,
        ``@require_POST``, ``@views.post``.
        """
        found: set[str] = set()
        work = [(call, 0) for call, _ in self.callers.uses_of(function)]
        for call, depth in work:  # grows by decorators above, to the bound
            calls = self.tables["calls"]
            if not int(calls["flags"][call]) & CallFlag.DECORATOR or depth == MAX_GUARD_DEPTH:
                continue
            callee = self.callers.reps[int(calls["callee"][call])]
            if self.callers.op[callee] == Op.CALL:
                made = self.callers.data[callee]
                found |= (self.in_keywords(made) & METHODS) | self.written_methods(made)
            else:
                parts = set(words(self.callers.name_of(call)))
                found |= parts & METHODS if parts <= METHODS | METHOD_FILLERS else set()
            above = self.callers.arguments_of(int(calls["result"][call]))
            work += [(each, depth + 1) for each, _ in above if each != call]
        return frozenset(found)
