"""Figures about the built-in packs: entries by language and role, found in their libraries, time to load.

python bench/packs.py
"""

from __future__ import annotations

import time

from pyrograph.rules import LANGUAGES, load_rules
from pyrograph.rules.check import ROLES
from pyrograph.rules.proofs import load


def main() -> None:
    load_rules()  # fills the cache
    start = time.process_time()
    rules = load_rules()
    loading = time.process_time() - start
    roles = [role for role in ROLES if role != "parameter_types"]
    head = ["language", "packs", "roots", *roles, "APIs", "found", "not found", "no library"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for language in LANGUAGES:
        packs = [pack for pack in rules.packs if pack.language == language]
        counts = {role: sum(len(getattr(pack, role)) for pack in packs) for role in ROLES}
        counts["types"] += counts["parameter_types"]
        record = load(language)
        found = sum(len(row["verified"]) for row in record.values())
        open_ones = [row for row in record.values() if row["unverified"]]
        away = sum(len(row["unverified"]) for row in open_ones if not row["version"])
        lost = sum(len(row["unverified"]) for row in open_ones if row["version"])
        cells = [language, len(packs), len(record), *(f"{counts[role]:,}" for role in roles)]
        total = found + lost + away
        cells += [f"{total:,}", f"{found:,} ({100 * found / total:.1f} %)", f"{lost:,}", f"{away:,}"]
        print("| " + " | ".join(map(str, cells)) + " |")
    entries = sum(len(getattr(pack, role)) for pack in rules.packs for role in ROLES)
    print(f"\n{len(rules.packs)} packs, {len(rules.vulnerabilities)} vulnerabilities, {entries:,} entries and examples")
    print(f"loading all of them from the cache: {1000 * loading:.0f} ms of CPU time")


if __name__ == "__main__":
    main()
