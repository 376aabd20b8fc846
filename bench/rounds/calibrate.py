"""The share of true findings by reason of doubt in rounds of first looks, and its cost in known vulnerabilities.

    python bench/rounds/calibrate.py

``paths.tsv`` of this folder has one judged finding a line: round, application, place, rule, verdict, and of its best
path, as the scanner of that round reported it: confidence, kind of source, steps, files, calls, returns (calls whose
result the path goes through), sources (of the finding). ``../cves/paths.tsv`` has one known vulnerability a line with
the same columns of the best path that finds it. Rules of the audit profile are left out.

A reason of doubt is fitted on the first round; the second round and the known vulnerabilities check it.

``paths-3-9.tsv`` has the judged findings of rounds 3 to 9 that the scanner still reported when ``doubtful`` was
introduced (``paths.py`` wrote it; the calls are those in brief). Groups were looked for in the programs of part 1,
dropped or narrowed by those of part 2, and checked with those of part 3, which were scanned last.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

Row = dict[str, str]
AUDIT: Final = frozenset({"log-injection", "trust-boundary", "mass-assignment", "prompt-injection"})
REASONS: Final[dict[str, Callable[[Row], bool]]] = {
    "confidence medium (a step is assumed, or the path is far)": lambda row: row["confidence"] != "high",
    "more than 14 steps": lambda row: int(row["steps"]) > 14,
    "more than 12 steps": lambda row: int(row["steps"]) > 12,
    "more than 11 steps": lambda row: int(row["steps"]) > 11,
    "more than 3 files": lambda row: int(row["files"]) > 3,
    "more than 2 files": lambda row: int(row["files"]) > 2,
    "more than 1 return": lambda row: int(row["returns"]) > 1,
    "more than 3 calls": lambda row: int(row["calls"]) > 3,
    "more than 2 sources": lambda row: int(row["sources"]) > 2,
    "kind `dom`": lambda row: row["kind"] == "dom",
    "kind `header`": lambda row: row["kind"] == "header",
    "kind `upload`": lambda row: row["kind"] == "upload",
    "kind `archive`": lambda row: row["kind"] == "archive",
    "medium, more than 14 steps, 3 files or 1 return": lambda row: (
        row["confidence"] != "high" or int(row["steps"]) > 14 or int(row["files"]) > 3 or int(row["returns"]) > 1
    ),
}
PARTS: Final = ("1", "2", "3")
UPLOADS: Final = ("flask.*", "werkzeug.*", "django.*", "rest_framework.*", "express.*")
OWN_ADDRESSES: Final = (
    *("*#url", "*#URL", "*#URL.RawQuery", "*#URL.Path", "*#path", "*#raw_path", "*#originalUrl", "*#OriginalURL()"),
    *("*#Path()", "*#RequestURI"),
)
FOLDERS: Final = ("*.[mM]kdir*", "*.makedirs", "*.[rR]ead[dD]ir*", "*.listdir", "*.scandir", "*.[wW]alk*", "*[gG]lob")
TAKEN: Final[dict[str, Callable[[Row], bool]]] = {
    "`deep`: more than 2 calls, Python": lambda row: row["rule"].startswith("python/") and int(row["calls"]) > 2,
    "`crowded`: cross-site scripting, 4 sources or more": lambda row: is_of(row, "xss") and int(row["sources"]) >= 4,
    "`rare-source`: cross-site scripting with a field of a body": lambda row: (
        is_of(row, "xss") and is_any(row["source"], ("*#body", "*#request.body"))
    ),
    "`whole-request`: request to the request's own address": lambda row: (
        is_of(row, "ssrf") and row["named"] == "no" and is_any(row["source"], OWN_ADDRESSES)
    ),
    "`rare-source`: path with an upload's name (Django, Flask, Express)": lambda row: (
        is_of(row, "path-traversal") and row["kind"] == "upload" and is_any(row["source"], UPLOADS)
    ),
    "`rare-source`: scripting in the browser by the page's address": lambda row: (
        is_of(row, "dom-xss") and row["kind"] == "dom"
    ),
    "`rare`: CORS headers": lambda row: is_of(row, "cors-misconfiguration"),
    "`rare`: reflection": lambda row: is_of(row, "unsafe-reflection"),
    "`rare-source`: prototype pollution by requests": lambda row: is_of(row, "prototype-pollution"),
}
LEFT: Final[dict[str, Callable[[Row], bool]]] = {
    "more than 3 calls, any other language": lambda row: (
        not row["rule"].startswith("python/") and int(row["calls"]) > 3
    ),
    "path of a call that only lists or makes folders": lambda row: (
        is_of(row, "path-traversal") and is_any(row["sink"], FOLDERS)
    ),
    "path with an upload's name (others)": lambda row: (
        is_of(row, "path-traversal") and row["kind"] == "upload" and not is_any(row["source"], UPLOADS)
    ),
    "request to an address that is no named part of the request": lambda row: (
        is_of(row, "ssrf") and row["named"] == "no" and not is_any(row["source"], OWN_ADDRESSES)
    ),
    "query of a document database with one field": lambda row: is_of(row, "nosql-injection") and row["named"] == "yes",
    "more than 8 steps: paths, requests, pages": lambda row: (
        row["rule"].split("/")[1] in ("path-traversal", "ssrf", "xss") and int(row["steps"]) > 8
    ),
    "template put together": lambda row: is_of(row, "template-injection"),
}


def is_of(row: Row, vulnerability: str) -> bool:
    return row["rule"].split("/")[1] == vulnerability


def is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, each) for each in patterns)


def rows_of(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def share(rows: list[Row]) -> str:
    return f"{sum(row['verdict'] == 'true' for row in rows)} of {len(rows)}"


def main() -> None:
    folder = Path(__file__).parent
    judged = [row for row in rows_of(folder / "paths.tsv") if row["rule"].split("/")[1] not in AUDIT]
    known = rows_of(folder.parent / "cves" / "paths.tsv")
    first, second = ([row for row in judged if row["round"] == number] for number in ("1", "2"))
    print(f"all: round 1 {share(first)}, round 2 {share(second)}; {len(known)} known vulnerabilities\n")
    print("| reason of doubt | true in round 1 | true in round 2 | round 2 without | known vulnerabilities lost |")
    print("|---|---|---|---|---|")
    for name, doubts in REASONS.items():
        kept = [row for row in second if not doubts(row)]
        cells = share(list(filter(doubts, first))), share(list(filter(doubts, second))), share(kept)
        print(f"| {name} | {' | '.join(cells)} | {sum(map(doubts, known))} of {len(known)} |")
    later = [row for row in rows_of(folder / "paths-3-9.tsv") if row["confidence"] == "high"]
    print("\nGroups of rounds 3 to 9: true of all findings (programs with a true one of all)\n")
    print("| group | part 1 | part 2 | part 3 | taken |\n|---|---|---|---|---|")
    for taken, groups in (("yes", TAKEN), ("no", LEFT)):
        for name, is_in in groups.items():
            parts = [[row for row in later if row["part"] == part and is_in(row)] for part in PARTS]
            print(f"| {name} | {' | '.join(map(share_and_programs, parts))} | {taken} |")
    kept = [row for row in later if not any(is_in(row) for is_in in TAKEN.values())]
    print("\n| | before | after |\n|---|---|---|")
    for name, chosen in (
        *((f"part {part}", lambda row, part=part: row["part"] == part) for part in PARTS),
        *((each, lambda row, each=each: row["rule"].startswith(each)) for each in ("python", "javascript", "go")),
        *((each, lambda row, each=each: is_of(row, each)) for each in sorted({r["rule"].split("/")[1] for r in later})),
        ("all", lambda row: True),
    ):
        before, after = list(filter(chosen, later)), list(filter(chosen, kept))
        print(f"| {name} | {share_in_percent(before)} | {share_in_percent(after)} |")


def share_and_programs(rows: list[Row]) -> str:
    programs = {row["application"] for row in rows}
    true = {row["application"] for row in rows if row["verdict"] == "true"}
    return f"{share(rows)} ({len(true)} of {len(programs)})" if rows else "none"


def share_in_percent(rows: list[Row]) -> str:
    true = sum(row["verdict"] == "true" for row in rows)
    return f"{share(rows)}, {100 * true / len(rows):.0f} %" if rows else "none"


if __name__ == "__main__":
    main()
