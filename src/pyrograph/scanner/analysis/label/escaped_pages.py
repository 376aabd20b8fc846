"""Programs that say of all their templates whether they escape: ``app.jinja_env.autoescape = True``.

Packs name such settings (``escapes_all``) of engines that escape by the suffix of a template. A constant that is stored
there decides for all templates of such an engine; where two differ, or where it is no constant, their suffix does.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.scanner.analysis.label.facts import Facts

TRUTHS: Final = {"true": True, "false": False}


def escaped_pages(facts: Facts) -> None:
    """Tell the templates. Linear in the stores, if a pack of the program's languages names such a setting."""
    if facts.templates is None:
        return
    found: set[bool | None] = set()
    stores = facts.tables["stores"]
    for language, apis in facts.apis.items():
        for node in apis.index.escaping:
            name = facts.program.string_ids.get(apis.paths[node][-1])
            rows = np.flatnonzero(stores["key"] == name).tolist() if name is not None else []
            for row in rows:
                value, holder = int(stores["value"][row]), int(stores["object"][row])
                if value < 0 or facts.language(holder) != language:
                    continue
                nodes = facts.resolution.api_nodes(holder)
                if not any(node in apis.step(each, apis.paths[node][-1]) for each in nodes):
                    continue
                path = facts.program.files[int(facts.program.file_of_value[holder])].path
                if TEST_PATHS.search(path) is None:
                    found.add(TRUTHS.get(facts.constant(value) or ""))
    facts.templates.escapes = found.pop() if len(found) == 1 else None
