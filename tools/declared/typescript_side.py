"""Declared types of JavaScript libraries, read by the TypeScript compiler in ``.d.ts`` files of installed packages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path

from tools.declared.facts import Fact
from tools.declared.typescript_facts import described_members, names_in, types_in
from tools.verify_models import facts

from pyrograph.rules.entries import Pack
from pyrograph.rules.load import roots_of

HERE = Path(__file__).resolve().parent


def declared_in(
    packs: Iterable[Pack], modules: str, compiler: str, only: Collection[str]
) -> dict[str, tuple[str, list[Fact]]]:
    """(version, facts) of each root that the packs name and that is installed, or of ``only`` these. Minutes for
    hundreds of packages.
    """
    packs = list(packs)
    roots = set().union(*(roots_of(pack)[0] for pack in packs))
    members = described_members(packs)
    request = {
        "modules": modules,
        "compiler": compiler,
        "roots": sorted(root for root in roots if not only or root in only),
        "types": sorted(types_in(packs)),
        "members": {json.dumps(owner, separators=(",", ":")): sorted(names) for owner, names in members.items()},
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
    names = names_in(packs)
    found: dict[str, tuple[str, list[Fact]]] = {}
    for root, row in json.loads(run.stdout).items():
        facts_of = [names.of((relation, tuple(left), tuple(right))) for relation, left, right in row["facts"]]
        found[root] = row["version"], [each for each in facts_of if each[0] != "alias" or each[1] != each[2]]
    return found
