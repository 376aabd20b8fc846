"""Score scans of small programs whose dangerous calls are labelled.

    python bench/lines.py [python|javascript|go ...] [--applications] [--missed | --doubts] [-- OPTIONS OF SCAN ...]

``fixtures/lines/LANGUAGE`` holds programs of one file and ``cases.tsv``: file, line of the call's statement, whether it
is vulnerable or safe, class, framework, and the idea. ``fixtures/applications/LANGUAGE`` has programs of several files,
a folder each. A call counts as reported if a finding of any rule stands at its line or at most ``SPAN`` lines below,
and no other label between them. Each program is scanned alone.

``--doubts``: instead, with ``--confidence low``, how many vulnerable and safe calls each reason of doubt keeps from a
default scan.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
LANGUAGES = ("python", "javascript", "go")
SPAN = 5  # lines; the arguments of a call

Row = dict[str, str]


def main() -> None:
    """Print, for each language, how many labelled calls a scan reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=LANGUAGES, metavar="LANGUAGE")
    parser.add_argument("--applications", action="store_true", help="programs of several files")
    parser.add_argument("--missed", action="store_true", help="list the calls that a scan takes for what they are not")
    parser.add_argument("--doubts", action="store_true", help="count the calls that each reason of doubt hides")
    ours, options = sys.argv[1:], []
    if "--" in ours:
        at = ours.index("--")
        ours, options = ours[:at], ours[at + 1 :]
    known = parser.parse_args(ours)
    hidden: Counter[tuple[str, str]] | None = Counter() if known.doubts else None
    for language in known.languages:
        if language not in LANGUAGES:
            parser.error(f"no programs in {language!r}; there are {', '.join(LANGUAGES)}")
        folder = FIXTURES / ("applications" if known.applications else "lines") / language
        score(folder, options, missed=known.missed, hidden=hidden)
    if hidden is not None:
        print("| doubt | vulnerable | safe |\n|---|---|---|")
        for doubt in sorted({doubt for doubt, _ in hidden}):
            print(f"| `{doubt}` | {hidden[doubt, 'vulnerable']} | {hidden[doubt, 'safe']} |")


def score(folder: Path, options: list[str], *, missed: bool, hidden: Counter[tuple[str, str]] | None = None) -> None:
    """Scan all programs of a language and print a line, and a line for each wrong label if ``missed``.

    ``hidden`` counts instead the labels, by (reason of doubt, verdict), that no finding without a doubt stands at.
    """
    if hidden is not None:
        options = [*options, "--confidence", "low"]
    programs: dict[str, list[Row]] = defaultdict(list)  # by the first part of the path: a file, or a folder of files
    with (folder / "cases.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            programs[row["file"].partition("/")[0]].append(row)
    right = {"vulnerable": [0, 0], "safe": [0, 0]}  # reported, all
    elsewhere = 0
    for name, rows in sorted(programs.items()):
        labels: dict[str, set[int]] = defaultdict(set)
        for row in rows:
            labels[row["file"]].add(int(row["line"]))
        found = scan(folder / name, options)
        reported: set[tuple[str, int]] = set()
        for path in sorted({*found, *labels}):
            lines, others = placed(set(found[path]), labels[path])
            reported |= {(path, line) for line in lines}
            elsewhere += others
        if hidden is not None:
            for row in rows:
                near = [
                    reasons
                    for line, reasons in found[row["file"]].items()
                    if int(row["line"]) in placed({line}, labels[row["file"]])[0]
                ]
                reasons = set().union(*near)
                hidden.update((reason, row["verdict"]) for reason in reasons if "" not in reasons)
        for row in rows:
            is_found, verdict = (row["file"], int(row["line"])) in reported, row["verdict"]
            right[verdict][0] += is_found
            right[verdict][1] += 1
            if missed and is_found != (verdict == "vulnerable"):
                about = "\t".join(row[column] for column in ("class", "framework", "idea") if column in row)
                print(f"  {verdict}\t{row['file']}:{row['line']}\t{about}")
    if hidden is not None:
        return
    (hit, vulnerable), (wrong, safe) = right["vulnerable"], right["safe"]
    print(
        f"{folder.name}: {hit} of {vulnerable} vulnerable calls reported ({hit / vulnerable:.0%}), "
        f"{wrong} of {safe} safe ones, {elsewhere} findings at other lines"
    )


def scan(program: Path, options: list[str]) -> dict[str, dict[int, set[str]]]:
    """The lines of all findings with their reasons of doubt ("": none), by their file as ``cases.tsv`` names it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        if program.is_dir():
            shutil.copytree(program, root / program.name)
        else:
            shutil.copy(program, root)
        target = str(root / program.name) if program.is_dir() else str(root)
        command = [sys.executable, "-m", "pyrograph", "scan", target, "--root", target, "--isolated", "--no-cache"]
        quiet = ["--jobs", "1", "--quiet", "--exit-zero", "--format", "json"]
        done = subprocess.run([*command, *quiet, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{program.name}: the scan ended with {done.returncode}: {done.stderr.strip()}")
    found: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for finding in json.loads(done.stdout)["findings"]:
        ends = [trace["steps"][-1] for trace in finding["traces"]]  # in a template, another file
        for place in (finding, *(end for end in ends if end["path"] != finding["path"])):
            path = f"{program.name}/{place['path']}" if program.is_dir() else str(place["path"])
            found[path][int(place["line"])].add(str(finding.get("doubt") or ""))
    return found


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
