"""True and false findings by what hides them from a default scan: a reason of doubt, or the party.

    python bench/rounds/hidden.py

``hidden.tsv`` has one finding a line, as a scan with low confidence and all callers rated it at commit ``dda6cc1b``:
the findings at the named lines of small programs that were written in pairs (``small``: one vulnerable, one safe),
judged findings of rounds 14 to 20, and known vulnerabilities of lists 8 to 13. Steps, calls, returns and files are
those of its first path.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

PARTS: Final = ("small", "round", "list")


def main() -> None:
    with (Path(__file__).parent / "hidden.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in rows:
        hidden_by = row["doubt"] or ("none" if row["party"] == "remote" else row["party"])
        part = next(part for part in PARTS if row["set"].startswith(part))
        counts[hidden_by][part, row["verdict"]] += 1
    print("| hidden by | small programs | rounds 14 to 20 | known vulnerabilities |\n|---|---|---|---|")
    for hidden_by, found in sorted(counts.items(), key=lambda each: (-each[1].total(), each[0])):
        shares = [f"{found[part, 'true']} of {found[part, 'true'] + found[part, 'false']}" for part in PARTS[:2]]
        print(f"| `{hidden_by}` | {' | '.join(shares)} | {found['list', 'true']} |")


if __name__ == "__main__":
    main()
