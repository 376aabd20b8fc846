"""Fixes on real programs: offered, written, and looked at again by a scan of a process of its own.

    python bench/fixes.py FOLDER... --work DIRECTORY [--options "--confidence low ..."]

Each FOLDER is copied below DIRECTORY. The fixes of all findings that the options report are asked for (``scan
--fixes``) and written (``fix``). Then, independently of the scan that verified them,

* every file that was edited is parsed: Python with ``ast``, JavaScript with ``node --check`` where ``node`` is
  installed, everything with the grammars of the front ends; a file that did not parse before may fail as before;
* the program is scanned anew at low confidence: a finding that was fixed must be gone.

The figures of docs/fixes.md are those of snapshots of

Arksine/moonraker, calzoneman/sync, chihaya/chihaya, cla-assistant/cla-assistant, cnodejs/egg-cnode, cnodejs/nodeclub,
discuitnet/discuit, easy-mock/easy-mock, ehang-io/nps, golang/gddo, gophish/gophish, hackmdio/codimd, hrfee/jfa-go,
iwannay/jiacrontab, janoside/btc-rpc-explorer, jelmer/xandikos, joyent/sdc-cnapi, krateng/maloja,
kubernetes-retired/heapster, miroslavpejic85/mirotalk, mxcube/mxcubeweb, ngoduykhanh/wireguard-ui, nyaadevs/nyaa,
onionshare/onionshare, OpenTTD/eints, OpenUserJS/OpenUserJS.org, osuAkatsuki/bancho.py, ponzu-cms/ponzu,
poseidon/matchbox, tsileo/microblog.pub, tus/tusd, xmidt-org/argus, zone-eu/zone-mta

Prints one line for each program and the sums; DIRECTORY holds ``NAME.diff`` with the edits, for reading, and
``NAME.json`` with what was offered by vulnerability.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pyrograph.parsers import suffixes
from pyrograph.parsers.trees import error_count

Row = dict[str, Any]  # a finding of the JSON report

OPTIONS = "--confidence low --threat-model all --profile audit"
TIME = 600  # seconds for one command


@dataclass(slots=True)
class Outcome:
    """One program."""

    findings: int = 0
    fixes: dict[str, int] = field(default_factory=dict)  # by rule
    files: int = 0
    broken: list[str] = field(default_factory=list)  # files that do not parse and did before
    left: list[str] = field(default_factory=list)  # findings that were fixed and are still found
    trouble: str = ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--options", default=OPTIONS)
    parser.add_argument("--until", type=int, default=sys.maxsize, help="stop after so many fixes")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    sums: collections.Counter[str] = collections.Counter()
    rules: collections.Counter[str] = collections.Counter()
    for folder in arguments.folders:
        outcome = measured(folder, arguments.work, shlex.split(arguments.options))
        offered = sum(outcome.fixes.values())
        text = json.dumps(asdict(outcome), indent=1, sort_keys=True)
        (arguments.work / f"{folder.name}.json").write_text(text + "\n", encoding="utf-8")
        print(
            f"{folder.name}: {outcome.findings} findings, {offered} fixes in {outcome.files} files, "
            f"{len(outcome.broken)} broken, {len(outcome.left)} left {outcome.trouble}",
            flush=True,
        )
        rules.update(outcome.fixes)
        sums.update(
            programs=1,
            with_fixes=bool(offered),
            findings=outcome.findings,
            fixes=offered,
            files=outcome.files,
            broken=len(outcome.broken),
            left=len(outcome.left),
            failed=bool(outcome.trouble),
        )
        if sums["fixes"] >= arguments.until:
            break
    print(dict(sums))
    for rule, count in rules.most_common():
        print(f"{count:>5}  {rule}")


def measured(folder: Path, work: Path, options: Sequence[str]) -> Outcome:
    """Fix a copy of a program, and look at it again."""
    copy = work / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)
    outcome = Outcome()
    try:
        before = _scanned(copy, [*options, "--fixes"])
        found = {each["fingerprint"]: each for each in before["findings"]}
        fixed = {print_: each for print_, each in found.items() if "fix" in each}
        outcome.findings = len(found)
        outcome.fixes = dict(sorted(collections.Counter(each["rule"] for each in fixed.values()).items()))
        if not fixed:
            return outcome
        paths = sorted({one["path"] for each in fixed.values() for one in each["fix"]["replacements"]})
        outcome.files = len(paths)
        texts = {path: (copy / path).read_bytes() for path in paths}
        _run(copy, ["fix", *options])
        (work / f"{folder.name}.diff").write_text(
            "".join(diff_of(path, folder, copy) for path in paths),
            encoding="utf-8",
        )
        outcome.broken = [path for path in paths if is_broken(path, texts[path], (copy / path).read_bytes())]
        # Counted by rule and file: of equal findings in one function, the next one takes the fingerprint.
        expected = _counted(each for print_, each in found.items() if print_ not in fixed)
        after = _counted(_scanned(copy, options)["findings"])
        outcome.left = sorted(f"{rule} {path}" for (rule, path), count in after.items() if count > expected[rule, path])
    except subprocess.TimeoutExpired:
        outcome.trouble = f"took more than {TIME} s"
    except (OSError, ValueError) as error:
        outcome.trouble = str(error)
    return outcome


def diff_of(path: str, before: Path, after: Path) -> str:
    labels = ("--label", f"a/{path}", "--label", f"b/{path}")
    command = ["diff", "-u", *labels, str(before / path), str(after / path)]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")


def _counted(findings: Iterable[Row]) -> collections.Counter[tuple[str, str]]:
    return collections.Counter((each["rule"], each["path"]) for each in findings)


def _scanned(folder: Path, options: Sequence[str]) -> dict[str, list[Row]]:
    ended = _run(folder, ["scan", "--format", "json", "-q", "--exit-zero", *options])
    document: dict[str, list[Row]] = json.loads(ended.stdout)
    return document


def _run(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "pyrograph", *arguments, "--isolated", "--jobs", "1", "--root", ".", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIME,
        check=False,
    )
    if ended.returncode not in (0, 1):
        raise ValueError(f"{arguments[0]} ended with {ended.returncode}: {ended.stderr.strip()[-300:]}")
    return ended


def is_broken(path: str, before: bytes, after: bytes) -> bool:
    """Whether a file parsed before, and does not now, by any parser that is at hand."""
    suffix = Path(path).suffix
    parsers: list[Callable[[bytes], bool]] = []
    if suffix in suffixes():
        language = suffixes()[suffix]
        parsers.append(lambda text: not error_count(text, language))
    if suffix == ".py":
        parsers.append(_is_python)
    if suffix in (".js", ".cjs", ".mjs") and shutil.which("node"):
        parsers.append(lambda text: _is_javascript(text, suffix))
    return any(parses(before) and not parses(after) for parses in parsers)


def _is_python(text: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _is_javascript(text: bytes, suffix: str) -> bool:
    kind = "commonjs" if suffix == ".cjs" or (suffix == ".js" and b"\nimport " not in text) else "module"
    command = ["node", "--check", f"--input-type={kind}", "-"]
    return not subprocess.run(command, input=text, capture_output=True, check=False).returncode


if __name__ == "__main__":
    main()
