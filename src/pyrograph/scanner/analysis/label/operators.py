"""Texts that an operator of a library's type puts together: ``Markup("<b>%s</b>") % x`` escapes ``x``.

Packs list the methods behind operators as sanitizers, ``markupsafe.Markup#{__add__,__radd__,__mod__}()``, and a
language says which of its methods these are (``TextTraits.left_operators``, ``right_operators``). No call stands there:
the result is made from two operands, neither of which is converted to text first, as each hole of an f-string is. It is
of the same type, ``Markup("<b>") + x + y``.

Linear in the values that are made from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pyrograph.ir.codes import Flow, Op
from pyrograph.kernels.arrays import first_of_equals
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.apis import CALL, Apis
from pyrograph.scanner.analysis.label.facts import Facts

Operands = tuple[int, int]
Types = dict[int, frozenset[int]]  # value -> API nodes that an operator makes it an instance of


def sanitizing_operators(facts: Facts) -> None:
    """Mark the results of operators clean for what packs say of the methods behind these."""
    for language, apis in facts.apis.items():
        texts = language_of(language).traits.texts
        names = {*texts.left_operators, *texts.right_operators}
        if not names or not any(step in names for _, step in apis.children):
            continue
        made: Types = {}
        for value, operands in put_together(facts):
            if facts.language(value) != language:
                continue
            for operand, methods in zip(operands, (texts.left_operators, texts.right_operators), strict=True):
                nodes = made.get(operand) or facts.resolution.api_nodes(operand)
                if clean(facts, apis, value, nodes, methods):
                    made[value] = frozenset(nodes)
                    break


def put_together(facts: Facts) -> Iterator[tuple[int, Operands]]:
    """The values that are made from two others as they are, in their order, with these two."""
    flows, op = facts.tables["flows"], facts.tables["values"]["op"]
    order = np.argsort(flows["target"], kind="stable")
    order = order[op[flows["target"][order]] == Op.EXPRESSION]
    targets, origins, kinds = (flows[each][order] for each in ("target", "origin", "kind"))
    first = first_of_equals(targets)
    counts = np.diff(first, append=len(targets))
    for start in first[counts == 2].tolist():
        if kinds[start] == Flow.DERIVED and kinds[start + 1] == Flow.DERIVED:
            yield int(targets[start]), (int(origins[start]), int(origins[start + 1]))


def clean(facts: Facts, apis: Apis, value: int, nodes: Iterable[int], methods: Iterable[str]) -> bool:
    """Mark a value clean for what the methods of an operand's type clean it for; whether there is such a method."""
    found = False
    for node in nodes:
        for method in methods:
            for child in apis.step(node, method):
                for called in apis.step(child, CALL):
                    roles = apis.roles.get(called)
                    for sanitizer in roles.sanitizers if roles is not None else ():
                        found = True
                        facts.sanitize(value, sanitizer.vulnerability)
    return found
