"""Declared types of JavaScript libraries: what the TypeScript compiler reads in ``.d.ts`` files of installed packages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tools.declared.facts import Fact, types_in
from tools.verify_models import facts

from pyrograph.rules.entries import Pack
from pyrograph.rules.load import roots_of

HERE = Path(__file__).resolve().parent


def declared_in(packs: Iterable[Pack], modules: str, compiler: str) -> dict[str, tuple[str, list[Fact]]]:
    """(version, facts) of each root that the packs name and that is installed. Minutes for hundreds of packages."""
    packs = list(packs)
    request = {
        "modules": modules,
        "compiler": compiler,
        "roots": sorted(set().union(*(roots_of(pack)[0] for pack in packs))),
        "types": sorted(types_in(packs)),
        "facts": facts(packs),
    }
    run = subprocess.run(
        ["node", "--max-old-space-size=6000", str(HERE / "typescript_side.mjs")],
        input=json.dumps(request),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=3600,
    )
    return {
        root: (row["version"], [(relation, tuple(left), tuple(right)) for relation, left, right in row["facts"]])
        for root, row in json.loads(run.stdout).items()
    }
