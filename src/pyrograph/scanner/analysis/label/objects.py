"""Values that are no objects, for vulnerabilities where only an object does harm: an operator of a query.

What the program puts together is a text. So is a value behind ``x.trim()``, which fails if ``x`` is an object of a
request. A value behind ``x.length > 0`` is a text or a list (``emptiness``).

``objects`` of such a vulnerability lists the keys of objects under which nothing does harm, ``{ $eq: value }``. With a
dot, ``$text.$search``, the object stands under the first key itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.kernels.arrays import among
from pyrograph.model.languages import rule_syntax_of
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.facts import Facts

RECEIVED: Final = Port("this")


def harmless_for_objects(facts: Facts) -> None:
    """Texts that are put together, receivers of methods of texts, and what is stored under the keys of ``objects``.

    A parameter is left out: it would make each function that calls such a method one that changes its argument.
    """
    objects, flags, chop = object_mask(facts), facts.tables["calls"]["flags"], facts.labels.chop
    for call, nodes in facts.calls.apis_of.items() if objects else ():
        rows = facts.args.at(call, RECEIVED)
        after = facts.arg_post[rows[0]] if rows else NONE
        if after == NONE or not chop[after] or facts.op[facts.rep[after]] == Op.PARAMETER:
            continue
        if int(flags[call]) & CallFlag.IF_CALLABLE:
            continue  # an object without the method passes
        if all(is_text_method(facts, call, node) for node in nodes):
            facts.mark_clean(after, objects)
    for keys, mask in facts.wanted.objects:
        for value in facts.constants.texts:
            if chop[value]:
                facts.mark_clean(value, mask)
        ids = facts.program.string_ids
        wanted: dict[int, set[int]] = {}  # key -> keys above it, NONE: wherever it stands
        for above, _, key in (each.rpartition(".") for each in keys):
            if key in ids and (not above or above in ids):
                wanted.setdefault(ids[key], set()).add(ids[above] if above else NONE)
        stores, harmless = facts.tables["stores"], facts.labels.harmless_parts
        for row in np.flatnonzero(among(stores["key"], set(wanted))).tolist():
            if facts.op[facts.rep[int(stores["value"][row])]] == Op.NEW:
                continue  # a literal: the same names are operators of expressions, `{ $eq: ["$name", value] }`
            above_it = wanted[int(stores["key"][row])]
            if NONE not in above_it:
                holders = facts.flows.stores_of(int(facts.rep[int(stores["result"][row])]))
                if not holders or any(int(stores["key"][each]) not in above_it for each in holders):
                    continue
            edge = int(stores["value"][row]), int(stores["result"][row])
            harmless[edge] = harmless.get(edge, 0) | mask


def object_mask(facts: Facts) -> int:
    """The vulnerabilities, and aspects of them, that only an object can bring."""
    mask = 0
    for _, each in facts.wanted.objects:
        mask |= each
    return mask


def is_text_method(facts: Facts, call: int, node: int) -> bool:
    """Whether an API is a method of texts."""
    language = facts.language(facts.call_result[call])
    syntax = rule_syntax_of(language)
    return bool(syntax.text) and facts.apis[language].paths[node][:3] == (syntax.builtins, syntax.text, INSTANCE)


def may_be_list(facts: Facts, rep: int) -> bool:
    """Whether a value may do harm as a list of objects: where its elements are read, or it is passed on as a whole, or
    stored under a key that is no name (``{ $or: conditions }``).
    """
    strings = facts.program.strings
    loads = [facts.load_key[facts.data[each]] for each in facts.flows.loads_from(rep) if facts.op[each] == Op.LOAD]
    if any(key < 0 or strings[key].isdigit() for key in loads) or facts.calls.calls_with(rep):
        return True
    stores = facts.tables["stores"]
    keys = stores["key"][facts.flows.stores_of(rep)].tolist()
    return any(not strings[key][:1].isidentifier() for key in keys if key >= 0)
