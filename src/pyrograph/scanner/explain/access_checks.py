"""Checks: whether an expression, a function or a class lets only the users of a ``Question`` through.

Evidence has three degrees. ``SHOWN``: the code of the check asks for such a user and turns others away, or a pack says
that it does. ``NAMED``: only its name says so. ``UNKNOWN``: neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.explanation import (
    MAX_GUARD_CODE,
    MAX_GUARD_DEPTH,
    MAX_GUARD_STEPS,
    MAX_GUARD_TEXT,
    MAX_GUARD_USES,
)
from pyrograph.policy.names.administrators import CONTINUES, DECIDING, INTERCEPTS, REFUSES, ROLES, SENDER
from pyrograph.policy.names.requests import APART_FROM_REQUESTS
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.explain.accounts import is_login
from pyrograph.scanner.explain.administrators import words
from pyrograph.scanner.explain.asked_handler import AskedHandler, Handler
from pyrograph.scanner.explain.regions import AGREEING, Regions
from pyrograph.scanner.explain.texts import QUOTED
from pyrograph.scanner.explain.uses import NAME, Uses

UNKNOWN: Final = 0
NAMED: Final = 1
SHOWN: Final = 2

ALTERNATIVE: Final = re.compile(r"\bor\b|\|\|")
PARENTHESISED: Final = re.compile(r"\([^()]*\)")
NEGATED: Final = re.compile(r"[~!^]")
CHOICE: Final = re.compile(r"\b(?:if|for|while|switch|match|next)\b")
NAMES: Final = frozenset(
    (Op.LOAD, Op.IMPORT, Op.GLOBAL, Op.CELL, Op.PARAMETER, Op.PHI, Op.PI, Op.POST, Op.FUNCTION, Op.CLASS)
)


class AccessChecks(Uses):
    """Judges checks; answers are kept by function."""

    def __init__(self, regions: Regions, args: Arguments, checks: dict[str, frozenset[int]]) -> None:
        super().__init__(regions, args, checks)
        self.forget()

    def forget(self) -> None:
        """Begin without answers, for another question."""
        self.gates: dict[int, int] = {}
        self.named_texts: dict[int, set[str]] = {}  # by condition: ``texts_in``
        self.exempting: dict[int, list[tuple[int, bool]]] = {}  # by function: ``exemptions``
        self.meant: dict[int, list[frozenset[str]]] = {}  # by check: ``meant_paths``
        self.asked = AskedHandler()
        self.flag_gates: dict[int, bool] = {}  # by parameter: ``gates_where``
        self.handing = 0  # functions that are asked whether they hand requests on, each for the one before
        self.listed_paths: dict[int, Sequence[str]] = {}  # by call: ``given_paths``
        self.written: dict[int, frozenset[str]] = {}  # by check: the texts in its code
        # ``of_all_arguments``, by call and the handler where a check may let that one pass
        self.given_checks: dict[tuple[int, Handler | None], int] = {}

    def of_receiver(self, call: int, depth: int = 0) -> int:
        """Evidence from the object on which ``call`` is made; a later chapter has it."""
        raise NotImplementedError

    def of_callee(self, call: int, depth: int = 0) -> int:
        """Evidence from what is called: ``admin_required(view)``, ``UseGuards(AdminGuard)(controller)``."""
        callee = int(self.tables["calls"]["callee"][call])
        if self.op[self.reps[callee]] == Op.CALL:
            inner = self.data[self.reps[callee]]
            return max(self.of_check(callee, 0), self.of_receiver(inner, depth))
        return self.of_named(self.called(call), self.regions.functions_of(call), self.nodes(callee), callee, depth)

    def of_arguments(self, call: int, but: int) -> int:
        """Evidence from the other arguments of a call."""
        found = UNKNOWN
        for row in self.args.of(call):
            keyword = self.args.keyword[row]
            if keyword >= 0 and APART_FROM_REQUESTS.search(self.strings[keyword]):
                continue
            if row != but and self.args.position[row] != RECEIVER and found < SHOWN:
                found = max(found, self.of_check(self.args.value[row], 0))
        return found

    def of_all_arguments(self, call: int) -> int:
        """The same of all arguments; kept, since each handler asks the groups that it is registered on."""
        return self.asked.once(self.given_checks, call, partial(self.of_arguments, call, NONE))

    def of_check(self, value: int, depth: int, makers: Sequence[int] = ()) -> int:
        """Whether an expression is a check, or is made with one.

        ``makers``: the functions that return it. What they are given is none of their checks: the handler itself, which
        stands for all handlers that ``func get(path, handler) { return router.GET(path, handler) }`` registers.
        """
        if depth > MAX_GUARD_DEPTH:
            return UNKNOWN
        rep = value if self.op[value] == Op.CALL else self.reps[value]
        op = self.op[rep]
        if op == Op.PARAMETER and int(self.function[rep]) in makers:
            return UNKNOWN
        if op == Op.CALL:
            call = self.data[rep]
            functions = self.regions.functions_of(call)
            if functions and self.is_named_in(call):
                return UNKNOWN
            found = self.of_named(self.asking_text(call), functions, self.nodes(rep), rep, depth)
            if found < SHOWN and functions and any(map(self.gates_where, self.regions.set_flags.get(call, ()))):
                found = SHOWN
            for each in subjects(self.resolution.states_of(rep), INSTANCE_OF):
                if self.intercepts(each):
                    found = max(found, self.of_deciding_methods(each))
            for row in self.args.of(call):
                if found < SHOWN and self.args.position[row] != RECEIVER:
                    found = max(found, self.of_check(self.args.value[row], depth + 1, makers))
            return SHOWN if found == NAMED and not functions and self.is_made_of_check(call) else found
        if op == Op.NEW:
            stores = self.stored_in(rep)
            return max((self.of_check(each, depth + 1, makers) for each in stores[:MAX_GUARD_USES]), default=UNKNOWN)
        if op == Op.EXPRESSION:
            return self.of_joined(rep, depth, makers)
        if op not in NAMES:
            return UNKNOWN
        states = self.resolution.states_of(value)
        functions = subjects(states, FUNCTION)
        classes = subjects(states, CLASS)
        code = self.text(value)
        if self.op[value] == Op.FUNCTION:
            code = self.strings[int(self.tables["functions"]["name"][self.data[value]])]
        found = self.of_named(code, functions, self.nodes(value), value, depth)
        for each in classes:
            found = max(found, self.of_guarding_class(each))
        return found

    def gates_where(self, flag: int) -> bool:
        """Whether a parameter of a function that makes checks, where it is true, makes it ask for such users, by itself
        or in a function inside it: ``if admin: handler = admin_only(handler)``.
        """
        if not self.question.trusts_words:
            return False
        known = self.flag_gates.get(flag)
        if known is None:
            self.flag_gates[flag] = False  # while it is asked
            held = [self.reps[flag]]
            for each in held:  # grows by the captures of functions inside one another
                held += [one for one in self.inner.get(each, ()) if one not in held]
            known = self.flag_gates[flag] = any(map(self.asks_where, held))
        return known

    def asks_where(self, flag: int) -> bool:
        """The same of the function in which a flag is tested, or which captures it."""
        regions, results = self.regions, self.tables["calls"]["result"]
        function = int(self.function[flag])
        if regions.demands_flagged([flag], function):
            return True
        behind = {block for each in regions.tested.of(flag).tolist() for block in regions.only_behind(each, 1)}
        asked = [
            call for call in regions.calls_in(function) if behind and regions.block_of(int(results[call])) in behind
        ]
        return any(self.is_gate(each) for call in asked for each in regions.functions_of(call))

    @cached_property
    def inner(self) -> dict[int, list[int]]:
        """By the representative of a variable: what it is in functions that capture it."""
        table = self.tables["captures"]
        found: dict[int, list[int]] = {}
        for outer, inner in zip(table["outer"].tolist(), table["inner"].tolist(), strict=True):
            found.setdefault(self.reps[outer], []).append(self.reps[inner])
        return found

    def is_named_in(self, call: int) -> bool:
        """Whether what makes a check is given the path of the handler that is asked about, in a list of paths:
        ``required(tokens, [prefix + "/login"])``. The check exempts them.
        """
        paths = self.given_paths(call) if self.question.refuses is not None else ()
        if not paths:
            return False
        path, _ = self.asked.look()
        return bool(path) and any(path.endswith(each) or each.endswith(path) for each in paths)

    def given_paths(self, call: int) -> Sequence[str]:
        """The paths in lists that a call is given, also those that begin with something unknown."""
        known = self.listed_paths.get(call)
        if known is None:
            made = [self.made_before(self.args.value[row]) for row in self.args.of(call)]
            lists = [each for each in made if each != NONE and self.op[each] == Op.NEW]
            texts = [text[1:-1].rstrip("*/") for each in lists for text in QUOTED.findall(self.text(each))]
            known = self.listed_paths[call] = [each for each in texts if len(each) > 1 and each[0] == "/"]
        return known

    def is_made_of_check(self, call: int) -> bool:
        """Whether a library's call is given for whom to ask, and a function that asks:
        ``Security(check_scopes, scopes=["providers:write"])``.
        """
        if not self.question.trusts_words or not self.question.asks(self.asking_text(call)):
            return False
        given = [self.args.value[row] for row in self.args.of(call) if self.args.position[row] != RECEIVER]
        functions = {each for value in given for each in subjects(self.resolution.states_of(value), FUNCTION)}
        return any(self.turns_away(each) for each in sorted(functions)[:MAX_GUARD_USES])

    def of_joined(self, value: int, depth: int, makers: Sequence[int] = ()) -> int:
        """Evidence from checks that an operator joins: all of ``A & B`` have to let through, one of ``A | B`` does."""
        code = self.text(value)
        while (outer := PARENTHESISED.sub("", code)) != code:
            code = outer
        known = [self.of_check(each, depth + 1, makers) for each in self.origins(value)[:MAX_GUARD_USES]]
        if len(known) < 2 or NEGATED.search(code):
            return UNKNOWN
        if "|" in code:
            return min(known)
        return max(known) if "&" in code else UNKNOWN

    def of_made(self, functions: Sequence[int], depth: int) -> int:
        """Evidence from what all functions of a check make of others, whatever way they are left:
        ``return applyDecorators(UseGuards(AdminGuard))``, ``return login(admin(handler))``, ``return [login, admin]``.
        """
        if depth >= MAX_GUARD_DEPTH or not functions:
            return UNKNOWN
        results = self.tables["functions"]["result"]
        made = [each for function in functions for each in self.origins(int(results[function])) or [NONE]]
        if any(each == NONE or self.op[self.reps[each]] not in (Op.CALL, Op.NEW) for each in made[:MAX_GUARD_USES]):
            return UNKNOWN
        return min(self.of_check(self.reps[each], depth + 1, functions) for each in made[:MAX_GUARD_USES])

    def of_named(self, code: str, functions: Sequence[int], nodes: Iterable[int], value: int, depth: int = 0) -> int:
        """Evidence from the code that names or calls a check, from its functions and from what packs say of it."""
        language = self.program.files[int(self.program.file_of_value[value])].language
        if not self.checks.get(language, frozenset()).isdisjoint(nodes):
            return SHOWN
        functions = functions[:MAX_GUARD_USES]
        gates = [each for each in functions if self.is_gate(each) and not self.is_exempted(each)]
        if gates:
            return SHOWN if self.question.refuses is not None or not all(map(self.exemptions, gates)) else NAMED
        if (made := self.of_made(functions, depth)) != UNKNOWN:
            return made
        name = NAME.search(code.partition("(")[0])
        question = self.question
        if not (
            (name and question.is_named(name[0])) or (question.trusts_words and "(" in code and question.asks(code))
        ):
            return UNKNOWN
        if not question.trusts_words:
            return UNKNOWN if functions else NAMED
        if "(" not in code and functions and all(map(self.is_named_after_login, functions)):
            return UNKNOWN  # another name for the check of a login: ``export const requireAdmin = requireLogin``
        return SHOWN if any(self.turns_away(each) for each in functions) else NAMED

    def is_named_after_login(self, function: int) -> bool:
        """Whether the name that a function was declared with asks for people with an account, and for nobody else."""
        name = self.strings[int(self.tables["functions"]["name"][function])]
        return is_login(name) and not self.question.is_named(name)

    def of_guarding_class(self, owner: int) -> int:
        """Evidence from a class that is given as a check: a guard, a permission."""
        name = self.strings[int(self.tables["owners"]["name"][owner])]
        lineage = self.resolution.lineage(owner, MAX_GUARD_STEPS)
        found = max((self.of_deciding_methods(each) for each in lineage), default=UNKNOWN)
        return max(found, NAMED if self.question.is_named(name) else UNKNOWN)

    def of_deciding_methods(self, owner: int) -> int:
        """Evidence from the methods of a class that decide whether its others run, and from their decorators."""
        found = UNKNOWN
        for key, values in self.resolution.class_members.get(owner, {}).items():
            if DECIDING.fullmatch(self.strings[key]):
                for value in values:
                    states = self.resolution.states_of(value)
                    if any(self.is_gate(each >> KIND_BITS) for each in states if each & KIND == FUNCTION):
                        return SHOWN
                    if self.op[value] == Op.CALL:
                        found = max(found, self.of_callee(self.data[value]))
        return found

    def intercepts(self, owner: int) -> bool:
        """Whether a class is made to run before the methods of others: an interceptor, a guard.

        A resource whose methods answer requests may decide for whom they do, and says nothing of others.
        """
        return any(INTERCEPTS.fullmatch(self.strings[key]) for key in self.resolution.class_members.get(owner, {}))

    def is_gate(self, function: int) -> bool:
        """Whether a function, or one that it makes, lets only such users through to what it runs before."""
        known = self.gates.get(function)
        if known is None:
            self.gates[function] = False
            known = self.gates[function] = any(
                self.guards(each) or self.hands_on(each)
                for each in self.nest(function)
                if each == function or not self.only_chooses(each)
            )
        return bool(known)

    def only_chooses(self, function: int) -> bool:
        """Whether a function inside another one only answers for calls that this one makes, and nothing depends on what
        these return: ``own = projects.filter(p => p.admins.includes(user))`` chooses rows, and turns nobody away.
        """
        sites = [call for call, _ in self.uses_of(function)]
        if not sites or not self.is_predicate(function):
            return False
        parent = int(self.tables["functions"]["parent"][function])
        results = {self.reps[int(self.tables["calls"]["result"][call])] for call in sites}
        table = self.tables["conditions"]
        decisive = [int(self.tables["functions"]["result"][parent])]
        for condition in self.regions.conditions_in(parent):
            decisive += [int(table[side][condition]) for side in ("left", "right") if table[side][condition] != NONE]
        return results.isdisjoint(self.made_of_all(decisive))

    def made_of_all(self, values: Iterable[int]) -> set[int]:
        """Representatives of values, and of what they are read from, called on or made of, to the bound."""
        work = [self.reps[value] for value in values]
        for at in work:  # grows, to the bound
            further = [self.before(at), *self.origins(at)]
            if self.op[at] == Op.LOAD:
                further.append(int(self.tables["loads"]["object"][self.data[at]]))
            if self.op[at] == Op.CALL:
                further += [self.args.value[row] for row in self.args.of(self.data[at])]
            found = dict.fromkeys(self.reps[value] for value in further if value != NONE)
            work += [value for value in found if value not in work][: max(0, MAX_GUARD_STEPS - len(work))]
        return set(work)

    def is_exempted(self, function: int) -> bool:
        """Whether the code of a check names the handler that is asked about, by its path or by its own name; or names
        other paths as those that it is for.
        """
        exemptions = self.exemptions(function)
        if self.question.refuses is None and not exemptions:
            return False
        if function not in self.written:
            around = [each for inner in self.nest(function) for each in (inner, *self.asked_by(inner))]
            self.written[function] = frozenset(text for each in around for text in self.texts_of(each))
        path, name = self.asked.look()
        if not path and any(self.regions.confines(each, side) for each, _ in exemptions for side in (0, 1)):
            return True  # it may be one of those paths
        texts = self.written[function]
        covered = {text for each, is_covered in exemptions if is_covered for text in self.texts_in(each)}
        if path and covered and not any(f"{path}/".startswith(text.rstrip("*/") + "/") for text in covered):
            return True
        texts -= covered
        meant = self.meant_paths(function)
        if path and any(not any(text in path for text in each) for each in meant):
            return True  # ``if "/api" not in path: return True``
        texts = texts.difference(*meant)
        if any(len(text) > 2 and text in path for each, _ in exemptions for text in self.texts_in(each) - covered):
            return True
        if name and (name in texts or any(text.endswith(f".{name}") for text in texts)):
            return True
        paths = [text.rstrip("*/") for text in texts if text.startswith("/") and len(text) > 1]
        return len(path) > 1 and any(f"{path}/".startswith(each + "/") or each.endswith(path) for each in paths if each)

    def meant_paths(self, function: int) -> list[frozenset[str]]:
        """The texts by which functions that a check asks let all other requests past: by condition, those of which a
        path has one.
        """
        known = self.meant.get(function)
        if known is None:
            asked = [each for inner in self.nest(function) for each in self.asked_by(inner)]
            conditions = [each for inner in dict.fromkeys(asked) for each in self.regions.conditions_in(inner)]
            found = [self.texts_in(each) for each in conditions if self.agrees_with_others(each)]
            known = self.meant[function] = [frozenset(each) for each in found if each]
        return known

    def agrees_with_others(self, condition: int) -> bool:
        """Whether a function says yes, where a condition finds none of its texts in a path, and there alone."""
        side = self.regions.matching_side(condition)
        if side == NONE:
            return False
        result = int(self.tables["functions"]["result"][int(self.tables["conditions"]["function"][condition])])
        agreeing = {
            self.regions.block_of(each) for each in self.origins(result) if self.regions.is_text(each, AGREEING)
        }
        return [not agreeing.isdisjoint(self.regions.only_behind(condition, each)) for each in (side, 1 - side)] == [
            False,
            True,
        ]

    def exemptions(self, function: int) -> list[tuple[int, bool]]:
        """``Regions.exempting`` of a check and the functions inside it."""
        known = self.exempting.get(function)
        if known is None:
            known = self.exempting[function] = [
                each
                for inner in self.nest(function)
                if inner in self.regions.blocks
                for each in self.regions.exempting(inner)
            ]
        return known

    def texts_in(self, condition: int) -> set[str]:
        """The constant texts in the code of a condition, and in the collections that this code names."""
        known = self.named_texts.get(condition)
        if known is None:
            known = {text[1:-1] for text in QUOTED.findall(self.regions.condition_text(condition))}
            for value in self.regions.values_in_text(condition):
                made = self.made_before(value)
                if made != NONE:
                    known.update(map(self.constant, self.collected_in(made)))
            self.named_texts[condition] = known = known - {""}
        return known

    def made_before(self, value: int) -> int:
        """The literal, or the call, that a name stands for, or that it is an element of; NONE if that is not known."""
        work = [value]
        for each in work:  # grows, to the bound
            at = self.reps[each]
            if self.op[at] in (Op.NEW, Op.CALL):
                return at
            further = [self.captured.get(each, NONE), self.before(at), *self.named[self.by_target.of(at), 0].tolist()]
            if self.op[at] == Op.LOAD:
                further.append(int(self.tables["loads"]["object"][self.data[at]]))
            further = [value for value in dict.fromkeys(further) if value != NONE and value not in work]
            work += further[: max(0, MAX_GUARD_STEPS - len(work))]
        return NONE

    def collected_in(self, made: int) -> list[int]:
        """What stands in a literal, or in one that a call is given: ``new Set(["/login"])``."""
        found = self.stored_in(made) if self.op[made] == Op.NEW else []
        if self.op[made] == Op.CALL:
            given = [self.reps[self.args.value[row]] for row in self.args.of(self.data[made])]
            found = [each for literal in given if self.op[literal] == Op.NEW for each in self.stored_in(literal)]
        return found[:MAX_GUARD_USES]

    def asked_by(self, function: int) -> list[int]:
        """The functions whose results the conditions of a function test."""
        table = self.tables["conditions"]
        operands = [
            int(table[side][each]) for each in self.regions.conditions_in(function) for side in ("left", "right")
        ]
        called = [self.reps[each] for each in operands if each != NONE and self.op[self.reps[each]] == Op.CALL]
        sites = [self.data[value] for value in called if not self.continues(self.data[value])]
        return [each for site in sites for each in self.regions.functions_of(site)][:MAX_GUARD_USES]

    def texts_of(self, function: int) -> list[str]:
        """The constant texts in the code of a function, and in the collections that its conditions look into."""
        functions = self.tables["functions"]
        file = int(self.program.file_of_value[int(functions["result"][function])])
        code = self.texts.text(file, int(functions["start"][function]), int(functions["end"][function]), MAX_GUARD_CODE)
        found = [text[1:-1] for text in QUOTED.findall(code)]
        table = self.tables["conditions"]
        for condition in self.regions.conditions_in(function):
            for side in ("left", "right"):
                value = self.reps[int(table[side][condition])] if table[side][condition] != NONE else NONE
                if value != NONE and self.op[value] == Op.NEW:
                    found += [self.constant(each) for each in self.stored_in(value)[:MAX_GUARD_USES]]
        return found

    def guards(self, function: int) -> bool:
        opened = self.regions.open_blocks(function, 0)
        if opened is None:
            return self.is_predicate(function)
        results = self.tables["calls"]["result"]
        going_on = [int(results[call]) for call in self.regions.calls_in(function) if self.continues(call)]
        if going_on and all(self.regions.is_protected(each) for each in going_on):
            return True
        passed = self.regions.lets_pass(function)
        if going_on:
            return all(self.regions.block_of(each) not in passed for each in going_on)
        raising = self.regions.raising.get(function, ())
        if not any(each not in raising and self.regions.is_exit(each) for each in passed):
            return True
        if self.regions.ensures(function, 0) or self.is_predicate(function):
            return True
        return self.question.refuses is None and self.refuses(function) and not self.passes_by_choice(function)

    def hands_on(self, function: int) -> bool:
        """Whether a function hands all requests on to a check, but for those that it exempts by their path, and does
        nothing else with them: ``return required(tokens)(c)``.
        """
        if self.question.refuses is None or self.handing == MAX_GUARD_DEPTH:
            return False
        self.handing += 1
        known = self._hands_on(function)
        self.handing -= 1
        return known

    def _hands_on(self, function: int) -> bool:
        own = {int(self.tables["parameters"]["value"][row]) for row in self.by_owner.of(function).tolist()}
        handed, going_on = [], []
        for call in self.regions.calls_in(function):
            if self.continues(call):
                going_on.append(call)
            elif any(self.first_of(self.args.value[row]) in own for row in self.args.of(call)):
                functions = self.regions.functions_of(call)
                if functions and all(each != function and self.is_gate(each) for each in functions[:MAX_GUARD_USES]):
                    handed.append(call)
        if not handed:
            return False
        results = self.tables["calls"]["result"]
        exempted = {
            block
            for condition in self.regions.conditions_in(function)
            for side in (0, 1)
            if self.regions.may_exempt(condition, side)
            for block in self.regions.only_behind(condition, side)
        }
        return all(self.regions.block_of(int(results[call])) in exempted for call in going_on)

    def passes_by_choice(self, function: int) -> bool:
        """Whether a check lets others pass where it was made for them: ``if role == RoleUser { return }``.

        The role is a parameter of the function that made the check. What that was given where the check is registered
        says for whom it asks.
        """
        opened = self.regions.open_blocks(function, 0) or {}
        for condition in self.regions.conditions_in(function):
            if self.is_chosen(condition):
                for side in (0, 1):
                    for block in self.regions.blocks_behind(condition, side):
                        if block in opened and self.regions.is_exit(block) and not self.regions.texts_in(block):
                            return True
        return False

    def lets_owners_pass(self, function: int, returned: Sequence[int]) -> bool:
        """Whether a function that answers a question for some users also says yes to those who own something:
        ``if project.owner == request.user: return True``.
        """
        if not self.question.trusts_words:
            return False
        opened = self.regions.open_blocks(function, 0) or {}
        owned = {
            block
            for condition in self.regions.conditions_in(function)
            if self.asks_for_owner(condition)
            for block in self.regions.blocks_behind(condition, 1)
            if block in opened
        }
        return any(self.regions.is_text(each, AGREEING) and self.regions.block_of(each) in owned for each in returned)

    def asks_for_owner(self, condition: int) -> bool:
        """Whether a condition compares something with the user who sent the request."""
        table = self.tables["conditions"]
        if table["test"][condition] != Test.EQUAL or self.regions.side_of(condition) != NONE:
            return False
        operands = [int(table[side][condition]) for side in ("left", "right")]
        read = [self.text(each) for each in operands if each != NONE and self.op[self.reps[each]] in (Op.LOAD, Op.CALL)]
        return len(read) == len(operands) and sum(SENDER.search(each) is not None for each in read) == 1

    def is_chosen(self, condition: int) -> bool:
        """Whether a condition compares a parameter of a function around its own."""
        table = self.tables["conditions"]
        if table["test"][condition] not in (Test.EQUAL, Test.IN):
            return False
        operands = [int(table[side][condition]) for side in ("left", "right")]
        outside = [self.captured.get(self.reps[each], NONE) for each in operands if each != NONE]
        return any(each != NONE and self.op[self.reps[each]] == Op.PARAMETER for each in outside)

    def continues(self, call: int) -> bool:
        """Whether a call continues with the request: it calls a parameter (``next()``) or a method of such a name."""
        calls = self.tables["calls"]
        name = int(calls["name"][call])
        if name != NONE:
            return self.strings[name] in CONTINUES
        callee = self.reps[int(calls["callee"][call])]
        return self.op[callee] == Op.PARAMETER

    def refuses(self, function: int) -> bool:
        """Whether a function refuses requests of other users: one of its refusing calls has such words."""
        return any(REFUSES.search(self.call_text(call)) for call in self.regions.refusals(function))

    def is_predicate(self, function: int) -> bool:
        """Whether a short function returns whether the user is one: ``lambda user: user.is_superuser``.

        One that continues with the request is no such question: it may note for later which rights the user has.
        """
        functions = self.tables["functions"]
        result = int(functions["result"][function])
        file = int(self.program.file_of_value[result])
        start, end = int(functions["start"][function]), int(functions["end"][function])
        if end - start > MAX_GUARD_TEXT or result not in self.returning:
            return False
        returned = self.origins(result)
        made = [self.op[self.reps[each]] for each in returned]
        if Op.NEW in made:
            return False  # a list of checks is no answer
        if len(made) > 1 and set(made) == {Op.CALL} and not all(self.question.asks(self.text(e)) for e in returned):
            return False
        inside = self.nest(function)
        if any(self.continues(call) for each in inside for call in self.regions.calls_in(each)):
            return False
        if any(map(self.passes_by_choice, inside)) or self.lets_owners_pass(function, returned):
            return False
        code = self.texts.text(file, start, end, MAX_GUARD_TEXT)
        body = re.split(r"\)\s*(?:->[^:]+)?[:{]|=>|:", code, maxsplit=1)[-1]
        if not self.question.trusts_words:
            if function in self.inside or CHOICE.search(body) or body.count("return") > 1:
                return False
            body = body.rpartition("return")[2]
        return self.question.asks(body) and ALTERNATIVE.search(body) is None

    def turns_away(self, function: int) -> bool:
        """Whether the code of a function that is named after a check checks something of the user: what it asks for,
        or a role that it is given.
        """
        for each in self.nest(function):
            for inner in (each, *self.callees(each)):
                for condition in self.regions.conditions_in(inner):
                    code = self.regions.condition_text(condition)
                    if self.question.asks(code) or any(
                        not ROLES.isdisjoint(words(name)) for name in re.findall(r"[\w$]+", code)
                    ):
                        return True
        return False

    def callees(self, function: int) -> list[int]:
        found = {each for call in self.regions.calls_in(function) for each in self.regions.functions_of(call)}
        return [inner for each in sorted(found)[:MAX_GUARD_USES] for inner in self.nest(each)][:MAX_GUARD_USES]
