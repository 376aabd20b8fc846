"""What the functions prove that check a field before a framework hands it out: ``validators=[only_letters]``.

``checked_fields`` names these functions for reads from a form's checked data. Here are those of forms whose fields are
objects, ``form.name.data``: each is given the field, and reads the same member of it. What holds of that wherever such
a function comes back without an exception, holds of what the program reads later. A form whose fields are objects
has them before it was asked, too: there the read has to stand where the form's own check has passed.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_FIELD_CHECK_DEPTH
from pyrograph.policy.names.functions import FIELD_CHECK_PREFIXES, FORM_CHECKS, FORM_FAILURES
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.class_fields import declared_values
from pyrograph.scanner.analysis.label.declared import declaring_calls
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guards import proofs_of
from pyrograph.scanner.analysis.label.labels import FieldCheck
from pyrograph.scanner.analysis.label.passing_checks import Passing, by_mask
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions, version_before
from pyrograph.scanner.analysis.label.unchecked_regions import Region
from pyrograph.scanner.analysis.numbers import CALL_OP, LOAD_OP, NEW_OP, PARAMETER_OP, TRUTH_TEST
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF


def functions_of_fields(facts: Facts) -> None:
    """Name in ``guards.asked_forms`` what checks the fields that sources are read from, ``form.name.data``.

    Time linear in the sources, and in what is given to the calls that declare their fields.
    """
    reads: list[tuple[int, int, int]] = []  # what is read, the form, the key of the field
    inside: dict[int, dict[int, set[int]]] = {}  # function -> its parameter -> what sources read of it
    for source in facts.labels.sources:
        if facts.op[source.value] != LOAD_OP:
            continue
        field = facts.rep[facts.load_object[facts.data[source.value]]]
        if facts.op[field] == PARAMETER_OP:
            inside.setdefault(int(facts.function_of[field]), {}).setdefault(field, set()).add(facts.rep[source.value])
        elif facts.op[field] == LOAD_OP and facts.load_key[facts.data[field]] >= 0:
            row = facts.data[field]
            reads.append((source.value, facts.load_object[row], facts.load_key[row]))
    for value, form, key in reads if inside else ():
        by_class: list[list[FieldCheck]] = []
        for owner in sorted(subjects(facts.resolution.states_of(form), INSTANCE_OF)):
            given = [
                FieldCheck(function, tuple(sorted(read)))
                for function in functions_for(facts, owner, key)
                if function != facts.function_of[value] and len(inside.get(function, {})) == 1
                for read in inside[function].values()
            ]
            by_class.append(given)
        if by_class and all(by_class):
            found = tuple(dict.fromkeys(c for each in by_class for c in each))
            facts.guards.asked_forms[value] = form, found


def functions_for(facts: Facts, owner: int, key: int) -> Iterator[int]:
    """The functions of the program that check a field of a class: given where it is declared, or named after it."""
    stores, members = facts.tables["stores"], facts.resolution.class_members
    for declared in declared_values(facts, owner, key):
        for call in declaring_calls(facts, declared):
            for row in facts.args.of(call):
                if facts.arg_position[row] == RECEIVER:
                    continue
                given = facts.rep[facts.arg_value[row]]
                parts = [given]
                if facts.op[given] == NEW_OP:
                    parts = [int(stores["value"][at]) for at in facts.flows.stores_into(given)[:MAX_DEFINITIONS]]
                for part in parts:
                    yield from subjects(facts.resolution.states_of(part), FUNCTION) if part != NONE else ()
    for prefix in FIELD_CHECK_PREFIXES:
        name = facts.program.string_ids.get(prefix + facts.program.strings[key], NONE)
        for each in facts.resolution.lineage(owner):
            for method in members.get(each, {}).get(name, ()):
                yield from subjects(facts.resolution.states_of(method), FUNCTION)


def proven_by_functions(facts: Facts) -> None:
    """Mark reads of fields clean for what the functions prove that check these, where their form was asked.

    Time linear in the conditions and blocks of these functions.
    """
    if facts.guards.asked_forms or facts.labels.checks.field_checks:
        fill_conjunctions(facts)
    for value, (form, checks) in facts.guards.asked_forms.items():
        if is_asked(facts, value, form):
            facts.labels.checks.field_checks[value] = checks
    proofs = FieldProofs(facts)
    for value, checks in facts.labels.checks.field_checks.items():
        mask = 0
        for check in checks:
            mask |= proofs.mask_of(check)
        if mask:
            facts.mark_clean(value, mask)


def is_asked(facts: Facts, read: int, form: int) -> bool:
    """Whether a read of a form's field stands where the form itself said that it is valid."""
    conditions, names = facts.tables["conditions"], facts.tables["calls"]["name"]
    blocks = shared_blocks(facts)
    root = version_before(facts, form)
    passing: list[Passing] = []
    for call in facts.calls.methods_on(facts.rep[root]):
        name = int(names[call])
        if name == NONE or FORM_CHECKS.match(facts.program.strings[name]) is None:
            continue
        result = facts.call_result[call]
        for condition in blocks.rows("conditions", "left", result):
            if conditions["test"][condition] == TRUTH_TEST:
                passing.append(Passing(condition, 1, NONE, facts.wanted.all, result))
    return bool(passing) and not Region(facts, blocks, root, passing).is_outside(read)


class FieldProofs:
    """What functions prove of the fields that they check. Each function is asked once at each depth."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = shared_blocks(facts)
        self.known: dict[tuple[FieldCheck, int], int] = {}  # ``mask_of``
        self.given: dict[int, frozenset[int]] = {}  # ``given_to``

    def mask_of(self, check: FieldCheck, depth: int = 0) -> int:
        """For what the checked value is clean wherever the function is left without an exception.

        ``depth``: of the functions that hand the value on, each to the next one.
        """
        known = self.known.get((check, depth))
        if known is None:
            self.known[check, depth] = 0
            known = self.known[check, depth] = self._mask_of(check, depth)
        return known

    def _mask_of(self, check: FieldCheck, depth: int) -> int:
        facts, blocks = self.facts, self.blocks
        conditions, asked = facts.tables["conditions"], set(check.texts)
        parameters = facts.functions.parameters_of(check.function)
        passing: list[Passing] = []
        for condition in blocks.rows("conditions", "function", check.function) if parameters else ():
            left = int(conditions["left"][condition])
            if left == NONE:
                continue
            if conditions["test"][condition] == TRUTH_TEST and facts.rep[left] in asked:
                passing.append(Passing(condition, 0, NONE, facts.wanted.all, left))  # a false value contains no text
            for proof in proofs_of(facts, condition):
                if not asked.isdisjoint(proof.values):
                    passing.append(Passing(condition, proof.side, NONE, proof.mask, left))
        if parameters and depth < MAX_FIELD_CHECK_DEPTH:
            passing += self.handing_on(check, depth + 1)
        if passing:
            passing += [
                Passing(NONE, 0, call, facts.wanted.all, facts.call_result[call])
                for call in failures_told(facts, check.function, parameters[0])
            ]
        mask = 0
        root = int(facts.tables["parameters"]["value"][parameters[0]]) if passing else NONE
        for bits, chosen in by_mask(passing):
            if Region(facts, blocks, root, chosen).leaves_by_raising():
                mask |= bits
        return mask | (self.mask_of_returned(check) if not depth else 0)

    def handing_on(self, check: FieldCheck, depth: int) -> Iterator[Passing]:
        """The calls by which a function hands the value to another one that raises for some: ``check_name(value)``."""
        facts = self.facts
        for text in check.texts:
            for call in dict.fromkeys(facts.calls.calls_with(text)):
                functions = facts.calls.functions_of(call)
                if len(functions) != 1 or facts.function_of[facts.call_result[call]] != check.function:
                    continue
                given = [
                    facts.rep[int(facts.tables["parameters"]["value"][row])]
                    for row in facts.functions.parameters_of(functions[0])
                ]
                given = [each for each in given if text in self.given_to(each)]
                if len(given) == 1 and (mask := self.mask_of(FieldCheck(functions[0], (given[0],)), depth)):
                    yield Passing(NONE, 0, call, mask, facts.call_result[call])

    def given_to(self, parameter: int) -> frozenset[int]:
        """The representatives of what all calls give to a parameter."""
        known = self.given.get(parameter)
        if known is None:
            known = self.given[parameter] = frozenset(
                self.facts.rep[each] for each in self.facts.calls.arguments_for(parameter)
            )
        return known

    def mask_of_returned(self, check: FieldCheck) -> int:
        """For what a field is clean whose method returns what the form is to hold, ``def clean_name(self)``: the result
        of a function that was given the value.
        """
        facts = self.facts
        name = int(facts.tables["functions"]["name"][check.function])
        returned = returned_by(facts, check.function)
        if len(returned) != 1 or facts.op[returned[0]] != CALL_OP:
            return 0
        call = facts.data[returned[0]]
        called = facts.calls.functions_of(call)
        is_given = any(facts.rep[facts.arg_value[row]] in check.texts for row in facts.args.of(call))
        if len(called) != 1 or not is_given or not facts.program.strings[name].startswith(FIELD_CHECK_PREFIXES):
            return 0
        texts = returned_by(facts, called[0])
        return self.mask_of(FieldCheck(called[0], (texts[0],)), 1) if len(texts) == 1 else 0


def returned_by(facts: Facts, function: int) -> list[int]:
    """The representatives of what a function returns, whatever conditions stand before."""
    result = int(facts.tables["functions"]["result"][function])
    found = [facts.rep[version_before(facts, each)] for each in facts.flows.same_as(result)]
    return list(dict.fromkeys(found))[: MAX_DEFINITIONS + 1]


def failures_told(facts: Facts, function: int, first: int) -> Iterator[int]:
    """The calls in a method by which it reports to its own form, the parameter ``first``, that a field is wrong."""
    form = facts.rep[int(facts.tables["parameters"]["value"][first])]
    names = facts.tables["calls"]["name"]
    wanted = {facts.program.string_ids.get(name, NONE) for name in FORM_FAILURES} - {NONE}
    for call in facts.calls.methods_on(form) if wanted else ():
        if int(names[call]) in wanted and facts.function_of[facts.call_result[call]] == function:
            yield call
