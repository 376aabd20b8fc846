"""The share of true findings by what is read of a request and by its way, and what confidence makes of it.

    python bench/confidence_doubts.py [--left]

``rounds/paths-1-13.tsv`` has the judged findings of rounds 1 to 13 that are still reported, with their paths
(``confidence_paths.py`` wrote it, with the scanner of commit ``96a084af``, which had none of these doubts). Groups were
looked for in rounds 1 to 11 and in all rounds; rounds 12 and 13 are printed apart. ``--left``: instead, all groups by
one or two features that look false in rounds 1 to 11 once the doubts are taken, and how they fare in rounds 12 and 13.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.confidence import MAX_STORES_SURE
from pyrograph.policy.names.requests import IDENTIFIERS
from pyrograph.rules import load_rules
from pyrograph.rules.kinds import IDENTIFIER, REPACKED, REQUEST_KINDS, SEVERAL, UNNAMED

Row = dict[str, str]
PARTS: Final = ("1 to 9", "10, 11", "12, 13")
SEEN: Final = 11  # last round of those that groups are looked for in
LEAST: Final = 7  # findings of such a group
KNOWN: Final[dict[str, Vulnerability]] = dict(load_rules(None, ()).vulnerabilities)


def rule_of(row: Row) -> str:
    return row["rule"].split("/")[1]


def is_meant(row: Row) -> bool:
    meant = KNOWN[rule_of(row)].meant
    return bool(meant) and re.search(meant, row["named"]) is not None


def doubt_of(row: Row) -> str:
    """The doubt of this table that a scan has about a finding, as ``explain/ways.py`` asks; "" for none."""
    doubtful = KNOWN[rule_of(row)].doubtful
    if row["kind"] not in REQUEST_KINDS:
        return ""
    if not row["named"] and row["kind"] != "upload" and f"{UNNAMED} *" in doubtful:
        return "whole-request"
    if IDENTIFIER in doubtful and IDENTIFIERS.search(row["named"]):
        return "identifier"
    if SEVERAL in doubtful and row["several"] == "yes" and not is_meant(row):
        return "several"
    is_repacked = REPACKED in doubtful and int(row["stores"]) > MAX_STORES_SURE
    return "repacked" if is_repacked and not is_meant(row) else ""


def part_of(row: Row) -> int:
    number = int(row["round"])
    return 0 if number < 10 else 1 if number <= SEEN else 2


def share(rows: Iterable[Row]) -> str:
    chosen = list(rows)
    true = sum(row["verdict"] == "true" for row in chosen)
    return f"{true} of {len(chosen)}" + (f", {100 * true / len(chosen):.0f} %" if len(chosen) > 20 else "")


def programs(rows: Iterable[Row]) -> str:
    chosen = list(rows)
    all_ = {(row["round"], row["application"]) for row in chosen}
    true = {(row["round"], row["application"]) for row in chosen if row["verdict"] == "true"}
    return f"{len(true)} of {len(all_)}"


def line(name: str, rows: list[Row]) -> None:
    cells = [share(row for row in rows if part_of(row) == part) for part in range(len(PARTS))]
    print(f"| {name} | {' | '.join(cells)} | {programs(rows)} |")


def name_of(row: Row) -> str:
    """What the name of the part that is read says of a finding."""
    if IDENTIFIERS.search(row["named"]):
        return "an identifier"
    if is_meant(row):
        return "the name is meant for it"
    return "another name" if row["named"] else "no name"


def table(rows: list[Row]) -> None:
    print(f"| group | rounds {' | rounds '.join(PARTS)} | programs with a true one |\n|---|---|---|---|---|")
    for rule in ("ssrf", "open-redirect", "path-traversal"):
        own = [row for row in rows if rule_of(row) == rule]
        for name in ("the name is meant for it", "an identifier", "another name", "no name"):
            line(f"`{rule}`: {name}", [row for row in own if name_of(row) == name])
    for doubt in ("whole-request", "identifier", "several", "repacked"):
        line(f"doubt `{doubt}`", [row for row in rows if doubt_of(row) == doubt])
    several = [row for row in rows if doubt_of(row) == "several"]
    for rule in sorted(set(map(rule_of, several))):
        line(f"`several`, {rule}", [row for row in several if rule_of(row) == rule])
    paths = [row for row in rows if rule_of(row) == "path-traversal" and row["several"] == "yes"]
    line("several functions, path traversal (not taken)", [row for row in paths if not is_meant(row)])
    line("before", rows)
    line("after", [row for row in rows if not doubt_of(row)])


def features(row: Row) -> set[str]:
    numbers = {"steps": (5, 8), "calls": (1, 2, 3), "sources": (2, 3), "stores": (1, 2), "functions": (2, 3, 4, 5)}
    found = {f"{name} >= {least}" for name, all_ in numbers.items() for least in all_ if int(row[name]) >= least}
    found |= {f"rule {rule_of(row)}", f"kind {row['kind']}", f"several {row['several']}", row["rule"].split("/")[0]}
    return found | {f"meant {is_meant(row)}", f"named {bool(row['named'])}"}


def left(rows: list[Row]) -> None:
    rest = [(row, features(row)) for row in rows if not doubt_of(row)]
    names = sorted(set().union(*(found for _, found in rest)))
    printed: set[tuple[int, ...]] = set()
    later: list[Row] = []
    for group in (*itertools.combinations(names, 1), *itertools.combinations(names, 2)):
        chosen = [row for row, found in rest if found.issuperset(group)]
        seen = [row for row in chosen if int(row["round"]) <= SEEN]
        true = sum(row["verdict"] == "true" for row in seen)
        identity = tuple(map(id, chosen))
        if len(seen) < LEAST or 4 * true > len(seen) or identity in printed:
            continue
        if len({(row["round"], row["application"]) for row in seen}) < LEAST - 2:
            continue
        printed.add(identity)
        then = [row for row in chosen if int(row["round"]) > SEEN]
        later += then
        print(f"{' and '.join(group)}: {share(seen)}; rounds 12 and 13: {share(then)}")
    print(f"all groups, rounds 12 and 13: {share(later)}")


def main() -> None:
    parser = argparse.ArgumentParser(description="The share of true findings by doubt.")
    parser.add_argument("--left", action="store_true")
    given = parser.parse_args()
    with (Path(__file__).parent / "rounds" / "paths-1-13.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    high = [row for row in rows if row["confidence"] == "high" and row["verdict"] in ("true", "false")]
    if given.left:
        left(high)
    else:
        table(high)


if __name__ == "__main__":
    main()
