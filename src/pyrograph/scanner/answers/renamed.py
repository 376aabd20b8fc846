"""Fields that have another name in JSON than in the program that sends it: ``Title string `json:"title"` ``.

A script reads ``note.title`` of what the program keeps as ``note.Title``. A language says how its text writes such
names (``Traits.sent_names``). Each read of such a name in a file of another language is one of the field, too: data
lies there only if an answer brought it. Linear in the texts of the files and the loads.
"""

from __future__ import annotations

from collections.abc import Collection, Container

import numpy as np

from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_SENT_NAMES
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.explain.sent_names import sent_names
from pyrograph.scanner.explain.texts import Texts


def read_renamed(
    program: Program, resolution: Resolution, texts: Texts, languages: Collection[str], serving: Container[int]
) -> None:
    """Add loads of the fields of ``languages``, in files that serve nothing."""
    names = sent_names(program, texts, languages)
    keys = {number: fields for name, fields in names.items() if (number := program.string_ids.get(name)) is not None}
    loads = program.tables["loads"]
    rows = np.flatnonzero(among(loads["key"], list(keys))).tolist() if keys else ()
    for row in rows:
        result = int(loads["result"][row])
        file = int(program.file_of_value[result])
        if file in serving or program.files[file].language in languages:
            continue
        for field in keys[int(loads["key"][row])][:MAX_SENT_NAMES]:
            resolution.flows.loads.append((result, int(loads["object"][row]), program.intern(field)))
