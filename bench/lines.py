"""Score scans of small programs whose dangerous calls are labelled, one program in each file.

    python bench/lines.py [python|javascript|go ...] [--missed] [-- OPTIONS OF SCAN ...]

``fixtures/lines/LANGUAGE`` holds the programs and ``cases.tsv``: file, line of the call's statement, whether it is
vulnerable or safe, class, framework, and the idea. A call counts as reported if a finding of any rule stands at its
line or at most ``SPAN`` lines below, and no other label between them. Each file is scanned alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

LINES = Path(__file__).resolve().parent.parent / "fixtures" / "lines"
LANGUAGES = ("python", "javascript", "go")
SPAN = 5  # lines; the arguments of a call

Row = dict[str, str]


def main() -> None:
    """Print, for each language, how many labelled calls a scan reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=LANGUAGES, metavar="LANGUAGE")
    parser.add_argument("--missed", action="store_true", help="list the calls that a scan takes for what they are not")
    known, options = parser.parse_known_args()
    for language in known.languages:
        if language not in LANGUAGES:
            parser.error(f"no programs in {language!r}; there are {', '.join(LANGUAGES)}")
        score(language, [each for each in options if each != "--"], missed=known.missed)


def score(language: str, options: list[str], *, missed: bool) -> None:
    """Scan all programs of a language and print a line, and a line for each wrong label if ``missed``."""
    labels: dict[str, list[Row]] = defaultdict(list)
    with (LINES / language / "cases.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            labels[row["file"]].append(row)
    right = {"vulnerable": [0, 0], "safe": [0, 0]}  # reported, all
    elsewhere = 0
    for name, rows in sorted(labels.items()):
        reported, others = placed(scan(LINES / language / name, options), {int(row["line"]) for row in rows})
        elsewhere += others
        for row in rows:
            found, verdict = int(row["line"]) in reported, row["verdict"]
            right[verdict][0] += found
            right[verdict][1] += 1
            if missed and found != (verdict == "vulnerable"):
                print(f"  {verdict}\t{name}:{row['line']}\t{row['class']}\t{row['framework']}\t{row['idea']}")
    (hit, vulnerable), (wrong, safe) = right["vulnerable"], right["safe"]
    print(
        f"{language}: {hit} of {vulnerable} vulnerable calls reported ({hit / vulnerable:.0%}), "
        f"{wrong} of {safe} safe ones, {elsewhere} findings at other lines"
    )


def scan(program: Path, options: list[str]) -> set[int]:
    """The lines of all findings."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        shutil.copy(program, root)
        command = [
            sys.executable,
            "-m",
            "pyrograph",
            "scan",
            str(root),
            "--root",
            str(root),
            "--isolated",
            "--no-cache",
        ]
        quiet = ["--jobs", "1", "--quiet", "--exit-zero", "--format", "json"]
        done = subprocess.run([*command, *quiet, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{program.name}: the scan ended with {done.returncode}: {done.stderr.strip()}")
    return {int(finding["line"]) for finding in json.loads(done.stdout)["findings"]}


def placed(found: set[int], labelled: set[int]) -> tuple[set[int], int]:
    """The labelled lines that findings belong to, and how many findings belong to none."""
    reported: set[int] = set()
    others = 0
    for line in found:
        before = [label for label in labelled if line - SPAN <= label <= line]
        reported |= {max(before)} if before else set()
        others += not before
    return reported, others


if __name__ == "__main__":
    main()
