"""Values that are no objects, for vulnerabilities where only an object does harm: an operator of a query.

``objects`` of such a vulnerability lists the keys of objects under which nothing does harm, ``{ $eq: value }``.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import Op
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.label.facts import Facts


def harmless_for_objects(facts: Facts) -> None:
    """Texts that the program puts together, and what it stores under the keys that such a vulnerability lists."""
    for keys, mask in facts.wanted.objects:
        chop = facts.labels.chop
        for value in facts.constants.texts:
            if chop[value]:
                facts.mark_clean(value, mask)
        wanted = {facts.program.string_ids[key] for key in keys if key in facts.program.string_ids}
        stores, harmless = facts.tables["stores"], facts.labels.harmless_parts
        for row in np.flatnonzero(among(stores["key"], wanted)).tolist():
            if facts.op[facts.rep[int(stores["value"][row])]] == Op.NEW:
                continue  # a literal: the same names are operators of expressions, `{ $eq: ["$name", value] }`
            edge = int(stores["value"][row]), int(stores["result"][row])
            harmless[edge] = harmless.get(edge, 0) | mask
