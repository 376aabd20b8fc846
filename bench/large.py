"""Scans whole public programs and measures each scan: CPU time, peak memory, problems, and how time grows with size.

    python bench/large.py scan CHECKOUTS [--results FILE] [--only NAME ...] [--configuration NAME ...] [--again]
    python bench/large.py halves DIRECTORY [--name NAME] [--parts 4] [--results FILE]
    python bench/large.py table FILE
    python bench/large.py fit FILE

``CHECKOUTS`` is a directory with one folder per program, named as in ``PROGRAMS``, or a text file of tab-separated
columns whose first line names them: ``name`` and ``path``, and optionally ``version``. Nothing of a checkout is
executed. ``scan`` runs every program in two configurations, each in a fresh process with an empty cache directory:

* ``default``: no options but ``--root`` and the report format;
* ``everything``: ``--no-default-excludes --confidence low --threat-model all``.

``halves`` scans nested parts of one program: all of it, the first half of its lines in the order of its directories,
the first quarter, and so on. It measures directly what twice as much of the same program costs. The parts are trees of
hard links, in a hidden directory beside ``DIRECTORY`` while they are scanned.

Each scan appends one JSON object to ``FILE`` (default ``large.jsonl``). ``scan`` and ``halves`` skip a program and
configuration that ``FILE`` already has, so that a stopped run continues; ``--again`` takes the row again. Of several
rows of one program and configuration the last one counts. ``table`` prints Markdown, ``fit`` the growth.

How the columns are measured:

* *lines*: line feeds in the files of each language in the tree, vendored and generated files included;
* *files*, *lines read*: what the scan read, from the statistics of its report. Figures per million lines refer to lines
  read, and are only given from ``FEW`` lines on, where start-up no longer dominates;
* *CPU*: user and system time of all processes of the scan. It is the larger of what ``wait4`` reports for the first
  process and the children that it waited for, and of the sum over all processes seen while sampling;
* *wall*: seconds from the start to the end of the first process. On a busy machine only CPU can be compared;
* *peak*: the largest sum, over all processes of the scan, of the proportional set size (PSS) in
  ``/proc/PID/smaps_rollup``, which counts a page shared by n processes 1/n times for each; of the resident set size
  (RSS) where the kernel has no PSS, and the row says so. The processes are sampled every ``PERIOD`` seconds; PSS is
  expensive to read, so it is only read when the sum of RSS, its upper bound, exceeds the peak so far. Peaks shorter
  than the sampling period are missed. 1 GB is 1e9 bytes;
* *internal errors*: problems of kind ``internal-error``, and 1 if the scan left no complete report.

A scan that takes longer than ``--seconds`` (default 600) or more than ``--gigabytes`` (default 16) is aborted with all
its processes and still makes a row; its ``stderr`` ends with the Python stacks at that moment. ``--lock FILE`` holds an
advisory lock on ``FILE`` during each scan, so that several users of one machine take turns. ``--verify`` scans with
``--debug``: the tables that one stage hands to the next are checked, and tracebacks of internal errors are kept. Times
of such rows say nothing about an ordinary scan; keep them in a results file of their own.

Needs Linux (``/proc``).
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import fcntl
import itertools
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

PERIOD = 0.1  # seconds between samples of the processes of a scan
BUSY = 20  # a sample that took t seconds is followed by a pause of at least BUSY * t
FEW = 100_000  # lines read: below, figures per million lines say more about start-up than about the program
FIT_FROM = 50_000  # lines read: smaller scans are left out of the fit, for the same reason
MESSAGES = 40  # limits and internal errors kept per row
LANGUAGES = {
    **dict.fromkeys((".py", ".pyw"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "typescript"),
    ".go": "go",
}
CONFIGURATIONS: dict[str, tuple[str, ...]] = {
    "default": (),
    "everything": ("--no-default-excludes", "--confidence", "low", "--threat-model", "all"),
}

PROGRAMS = {  # folder: (program and where it was published, version)
    "AFFiNE": ("github.com/toeverything/AFFiNE", "10963da706"),
    "angular.js": ("Debian source angular.js", "1.8.3-1+deb12u1"),
    "ansible": ("github.com/ansible/ansible", "c9ac477e53a 2024-10-24"),
    "ansible-collections": ("Debian source ansible", "12.0.0+dfsg-0+deb13u1"),
    "apollo-client": ("github.com/apollographql/apollo-client", "54084bc22 2026-08-14"),
    "argo-cd": ("github.com/argoproj/argo-cd", "37ee0097cf 2026-08-22"),
    "aws-cli": ("github.com/aws/aws-cli", "07c4fe366 2026-07-23"),
    "aws-sdk": ("npm aws-sdk", "2.1693.0"),
    "aws-sdk-go": ("Debian source golang-github-aws-aws-sdk-go", "1.49.0-3"),
    "azure-sdk-go": ("Debian source golang-github-azure-azure-sdk-for-go", "68.0.0-2"),
    "babel": ("github.com/babel/babel", "1da3cfa1a2 2026-08-21"),
    "babylonjs-core": ("npm @babylonjs/core", "9.34.0"),
    "calibre": ("Debian source calibre", "8.5.0+ds-1+deb13u3"),
    "cesium": ("npm cesium", "1.140.0"),
    "ChakraCore": ("github.com/chakra-core/ChakraCore", "36becec43 2025-02-22"),
    "ckeditor5": ("github.com/ckeditor/ckeditor5", "20b0749f8e 2026-08-21"),
    "cpython-lib": ("python.org Lib/", "3.11.7"),
    "CyberChef": ("github.com/gchq/CyberChef", "2e048b02 2026-08-20"),
    "dapr": ("github.com/dapr/dapr", "d8450742ce 2026-08-21"),
    "deno": ("github.com/denoland/deno", "98f9507aff 2026-08-21"),
    "devextreme": ("npm devextreme", "26.1.5"),
    "django": ("Debian source python-django", "3:4.2.28-0+deb13u2"),
    "django-package": ("PyPI Django", "5.2.8"),
    "ember.js": ("github.com/emberjs/ember.js", "f4f8b5d8b2 2026-08-18"),
    "eslint": ("github.com/eslint/eslint", "c27bc926e 2026-08-21"),
    "gitness": ("github.com/harness/gitness", "bbb7bce02a"),
    "go": ("Debian source golang-1.24", "1.24.4-1"),
    "go-ethereum": ("github.com/ethereum/go-ethereum", "02b73d4ea7 2026-08-20"),
    "goalert": ("github.com/target/goalert", "2458b9d749"),
    "gogs": ("github.com/gogs/gogs", "eb1054e54 2026-07-19"),
    "google-api-go": ("Debian source golang-google-api", "0.214.0-3"),
    "googleapis": ("npm googleapis", "178.0.0"),
    "harbor": ("github.com/goharbor/harbor", "c50c7ddd6e 2026-08-21"),
    "homeassistant": ("PyPI homeassistant", "2026.11.0"),
    "hugo": ("Debian source hugo", "0.131.0-1"),
    "incus": ("Debian source incus", "6.0.4-2+deb13u8"),
    "istio": ("github.com/istio/istio", "86c9f01fd73 2026-08-22"),
    "keystonejs": ("github.com/keystonejs/keystone", "da5ac70169 2026-08-20"),
    "kubernetes": ("Debian source kubernetes", "1.20.5+really1.20.2-1.1+deb12u1"),
    "Mayan-EDMS": ("github.com/mayan-edms/Mayan-EDMS", "71788a5196"),
    "medusa": ("github.com/medusajs/medusa", "59e6747800 2024-10-24"),
    "minio": ("github.com/minio/minio", "7aac2a2c5 2026-02-12"),
    "moby": ("github.com/moby/moby", "b985e2313a 2026-08-23"),
    "monaco-editor": ("npm monaco-editor", "0.57.0"),
    "mongo-tools": ("github.com/mongodb/mongo-tools", "8fa3cfc82 2026-08-21"),
    "mozjs": ("Debian source mozjs128", "128.14.0-1~deb13u1"),
    "netbox": ("github.com/netbox-community/netbox", "43fe81f9e 2026-08-22"),
    "neutron": ("Debian source neutron", "2:26.0.3-0+deb13u3"),
    "next": ("npm next", "16.4.6"),
    "nightingale": ("github.com/ccfos/nightingale", "523a8c4802"),
    "node": ("Debian source nodejs", "20.19.2+dfsg-1+deb13u2"),
    "node-babel7": ("Debian source node-babel7", "7.20.15+ds1+~cs214.269.168-8"),
    "NodeBB": ("github.com/NodeBB/NodeBB", "ab329b3b4c 2026-08-22"),
    "nomad": ("github.com/hashicorp/nomad", "aa026cc99c 2026-08-21"),
    "nova": ("github.com/openstack/nova", "00a030403f 2026-08-21"),
    "ol": ("npm ol", "10.11.0"),
    "orchestrator": ("github.com/openark/orchestrator", "730db91f70"),
    "outline": ("github.com/outline/outline", "d77dcdf853 2026-08-22"),
    "pandas": ("Debian source pandas", "2.2.3+dfsg-9"),
    "parse-server": ("github.com/parse-community/parse-server", "7ea2a2953 2024-10-24"),
    "payload": ("github.com/payloadcms/payload", "db7543c212 2026-08-21"),
    "pdf.js": ("github.com/mozilla/pdf.js", "0f26334f9 2026-08-21"),
    "perkeep": ("github.com/perkeep/perkeep", "9cd62b2714"),
    "playwright": ("github.com/microsoft/playwright", "d4e1023f6c 2026-08-21"),
    "prisma": ("github.com/prisma/prisma", "9b75b95503 2026-08-22"),
    "prometheus": ("github.com/prometheus/prometheus", "d15adb9ad7 2026-08-21"),
    "pulumi": ("github.com/pulumi/pulumi", "1b5949891b 2026-08-21"),
    "pyright": ("github.com/microsoft/pyright", "93a6550b2 2026-08-21"),
    "pytorch": ("Debian source pytorch", "2.6.0+dfsg-7"),
    "rclone": ("Debian source rclone", "1.60.1+dfsg-4"),
    "reddit": ("github.com/reddit-archive/reddit", "753b17407e"),
    "sagemath": ("Debian source sagemath", "9.5-6"),
    "salt": ("PyPI salt", "3008.5"),
    "sqlalchemy": ("github.com/sqlalchemy/sqlalchemy", "f35da7e2b9 2026-08-21"),
    "svelte": ("github.com/sveltejs/svelte", "15720b16a5 2026-08-21"),
    "sympy": ("github.com/sympy/sympy", "e950d313a9 2026-08-22"),
    "teable": ("github.com/teableio/teable", "c398cf4e0d"),
    "temporal": ("github.com/temporalio/temporal", "6805caea59 2026-08-21"),
    "terraform": ("github.com/hashicorp/terraform", "883c7221ee 2026-08-21"),
    "theia": ("github.com/eclipse-theia/theia", "c66a381104 2026-08-21"),
    "theia-core": ("npm @theia/core", "1.75.0"),
    "three": ("npm three", "0.187.0"),
    "traefik": ("github.com/traefik/traefik", "fd5a576df2 2026-07-24"),
    "transformers": ("PyPI transformers", "5.23.0"),
    "typeorm": ("github.com/typeorm/typeorm", "281bfba42 2026-07-22"),
    "typescript": ("Debian source node-typescript", "4.8.4+ds1-2"),
    "victoriametrics": ("Debian source victoriametrics", "1.112.0+ds1-2"),
    "wagtail": ("github.com/wagtail/wagtail", "c2ae43b926 2026-08-22"),
    "webpack": ("github.com/webpack/webpack", "bc3e930f7 2026-08-22"),
    "zou": ("github.com/cgwire/zou", "4bf77e6da4"),
}


@dataclass(frozen=True)
class Checkout:
    """One program on disk."""

    name: str
    path: Path
    version: str


@dataclass
class Row:
    """One measured scan. Field names are those of the JSON lines; all sizes are in bytes, all times in seconds."""

    name: str
    version: str
    configuration: str
    part: float = 1.0  # share of the program's lines that was scanned
    commit: str = ""  # of pyrograph
    lines: dict[str, int] = field(default_factory=dict)  # in the tree, by language
    files: int = 0  # read by the scan
    lines_read: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    peak: int = 0
    measure: str = "PSS"  # of memory: PSS or RSS
    findings: int = 0
    problems: dict[str, int] = field(default_factory=dict)  # by kind
    limits: list[str] = field(default_factory=list)  # the first MESSAGES limits and internal errors
    internal_errors: int = 0
    exit: int = 0  # negative: the signal that ended the scan
    stopped: str = ""  # "time" or "memory" if this script aborted the scan
    stderr: str = ""  # its end, if the scan failed

    @property
    def key(self) -> tuple[str, str, float]:
        return self.name, self.configuration, self.part

    @property
    def complete(self) -> bool:
        """Whether the scan ran to its end and wrote a report."""
        return not self.stopped and self.files > 0 and self.exit in (0, 1, 3)


# --- programs -------------------------------------------------------------------------------------------------------


def checkouts(where: Path) -> list[Checkout]:
    """The programs of a directory or of a list file, see the top. A list file's relative paths start at its folder."""
    if where.is_dir():
        return [
            Checkout(path.name, path, PROGRAMS.get(path.name, ("", ""))[1])
            for path in sorted(where.iterdir())
            if path.is_dir() and not path.is_symlink() and not path.name.startswith(".")
        ]
    with where.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [
        Checkout(row["name"], where.parent / row["path"], row.get("version") or PROGRAMS.get(row["name"], ("", ""))[1])
        for row in rows
    ]


def regular_files(root: Path) -> Iterator[tuple[Path, str]]:
    """Regular files below ``root``, each with its language or ""; links are not followed."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path, LANGUAGES.get(path.suffix.lower(), "")


def count_lines(path: Path) -> int:
    """Line feeds in a file, as ``wc -l`` counts."""
    return path.read_bytes().count(b"\n")


def lines_by_language(root: Path) -> dict[str, int]:
    """Lines in the whole tree."""
    counts: collections.Counter[str] = collections.Counter()
    for path, language in regular_files(root):
        if language:
            counts[language] += count_lines(path)
    return dict(sorted(counts.items()))


def nested_parts(sizes: Sequence[tuple[str, int]], parts: int) -> list[list[str]]:
    """The first 1/2^(parts-1), ..., 1/2, 1 of the lines of a program, as lists of files, each a prefix of the next.

    ``sizes`` are paths with ``/`` and their lines. Directories are taken in the order of their names, so that packages
    stay together, and the files of a directory come before its subdirectories, so that each part has the manifests that
    hold for it. Every part but the last ends with the first file that reaches its share.
    """
    ordered = sorted(sizes, key=lambda item: _directories_last(item[0]))
    total = sum(lines for _, lines in ordered)
    result = []
    for halvings in range(parts - 1, -1, -1):
        taken, count = 0, 0
        while taken < len(ordered) and count * 2**halvings < total:
            count += ordered[taken][1]
            taken += 1
        result.append([path for path, _ in ordered[: taken if halvings else len(ordered)]])
    return result


def _directories_last(path: str) -> list[tuple[bool, str]]:
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def link_tree(root: Path, paths: Sequence[str], into: Path) -> None:
    """Makes ``into`` a tree of hard links to files of ``root``; of copies on another file system."""
    for path in paths:
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(root / path, target)
        except OSError:
            shutil.copyfile(root / path, target)


# --- one scan -------------------------------------------------------------------------------------------------------


class Watch:
    """Samples the processes of one scan: those of its session and their descendants, and all that ever were one."""

    def __init__(self, leader: int) -> None:
        self.leader = leader
        self.peak = 0  # bytes, sum over the processes
        self.measure = "PSS" if Path("/proc/self/smaps_rollup").exists() else "RSS"
        self._ticks: dict[tuple[int, str], int] = {}  # (process, its start): own CPU time, as last seen

    @property
    def cpu(self) -> float:
        """Seconds of CPU of all processes that were seen, up to the last sample of each."""
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def sample(self) -> list[int]:
        """Updates ``cpu`` and ``peak``; returns the processes."""
        found: dict[int, list[str]] = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError):
                    # fields after the name, which may itself hold blanks and parentheses; see proc(5)
                    found[int(entry)] = (
                        Path("/proc", entry, "stat").read_text(errors="replace").rpartition(")")[2].split()
                    )
        members = {
            pid for pid, values in found.items() if int(values[3]) == self.leader or (pid, values[19]) in self._ticks
        }
        children: dict[int, list[int]] = collections.defaultdict(list)
        for pid, values in found.items():
            children[int(values[1])].append(pid)
        pending = list(members)
        while pending:  # each process enters once
            for child in children[pending.pop()]:
                if child not in members:
                    members.add(child)
                    pending.append(child)
        for pid in members:
            values = found[pid]
            self._ticks[pid, values[19]] = int(values[11]) + int(values[12])
        resident = sum(int(found[pid][21]) for pid in members) * os.sysconf("SC_PAGE_SIZE")
        if resident > self.peak:
            self.peak = max(self.peak, resident if self.measure == "RSS" else sum(map(_pss, members)))
        return sorted(members)


def _pss(pid: int) -> int:
    """Bytes; 0 for a process that has ended."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def measured(command: Sequence[str], row: Row, *, env: dict[str, str], seconds: float, memory: int) -> str:
    """Runs ``command`` in a session of its own, fills in what was measured, and returns its standard error."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=env, start_new_session=True
        )
        watch = Watch(process.pid)
        members: list[int] = []
        try:
            while True:
                began = time.monotonic()
                members = watch.sample()
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if watch.peak > memory or began - start > seconds:
                    row.stopped = "memory" if watch.peak > memory else "time"
                    # Children first: they may be killed when the first process ends. They write their stacks to
                    # standard error.
                    _send([pid for pid in members if pid != process.pid], signal.SIGABRT)
                    time.sleep(2)
                    _send([process.pid], signal.SIGABRT)
                    time.sleep(1)
                    _send(watch.sample(), signal.SIGKILL)
                    _, status, usage = os.wait4(process.pid, 0)
                    break
                time.sleep(max(PERIOD, BUSY * (time.monotonic() - began)))
        finally:  # nothing of a scan outlives it, if this script is interrupted or the scan leaves processes behind
            _send(watch.sample(), signal.SIGKILL)
        row.wall = round(time.monotonic() - start, 2)
        row.exit = process.returncode = os.waitstatus_to_exitcode(status)
        row.cpu = round(max(usage.ru_utime + usage.ru_stime, watch.cpu), 2)
        row.peak, row.measure = watch.peak, watch.measure
        errors.seek(0)
        return errors.read().decode(errors="replace")


def _send(processes: Sequence[int], number: signal.Signals) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def scan(tree: Path, row: Row, options: argparse.Namespace) -> None:
    """Scans ``tree`` in the configuration of ``row`` and fills the row in."""
    with tempfile.TemporaryDirectory(prefix="large-") as scratch, _turn(options.lock):
        report = Path(scratch, "report.json")
        command = [options.python, "-X", "faulthandler", "-m", "pyrograph", "scan", str(tree), "--root", str(tree)]
        command += ["--format", f"json:{report}", *["--debug"] * options.verify, *CONFIGURATIONS[row.configuration]]
        env = {**os.environ, "XDG_CACHE_HOME": str(Path(scratch, "cache"))}
        errors = measured(command, row, env=env, seconds=options.seconds, memory=int(options.gigabytes * 1e9))
        try:
            read_report(json.loads(report.read_bytes()), row)
        except (OSError, ValueError, KeyError):
            row.internal_errors += not row.stopped
    if not row.complete or row.internal_errors:
        row.stderr = errors[-12_000:]


@contextlib.contextmanager
def _turn(lock: Path | None) -> Iterator[None]:
    """Holds an advisory lock, if one is given."""
    if lock is None:
        yield
        return
    with lock.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def read_report(report: dict[str, object], row: Row) -> None:
    """Takes the counts of a JSON report. ``KeyError`` if it is none."""
    statistics, findings, problems = report["statistics"], report["findings"], report["problems"]
    if not (isinstance(statistics, dict) and isinstance(findings, list) and isinstance(problems, list)):
        raise KeyError("statistics, findings, problems")
    row.files, row.lines_read, row.findings = statistics["files"], statistics["lines"], len(findings)
    row.problems = dict(sorted(collections.Counter(problem["kind"] for problem in problems).items()))
    row.internal_errors = row.problems.get("internal-error", 0)
    serious = [problem for problem in problems if problem["kind"] in ("limit", "internal-error")]
    row.limits = [f"{problem['path']}:{problem['line']}: {problem['message']}" for problem in serious[:MESSAGES]]


# --- results --------------------------------------------------------------------------------------------------------


def read_rows(path: Path) -> list[Row]:
    """The rows of a results file, the last one of each program, configuration and part, in the order of first entry.

    A last line that was cut off when a run was killed is left out.
    """
    known = {each.name for each in fields(Row)}
    rows: dict[tuple[str, str, float], Row] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            with contextlib.suppress(ValueError):
                row = Row(**{name: value for name, value in json.loads(line).items() if name in known})
                rows[row.key] = row
    return list(rows.values())


def append_row(path: Path, row: Row) -> None:
    """Adds one row, on a line of its own even if an earlier line was cut off."""
    with path.open("a+b") as stream:
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                stream.write(b"\n")
        stream.write(json.dumps(asdict(row)).encode() + b"\n")


def markdown(rows: Sequence[Row]) -> str:
    """The table, one configuration after the other, smaller programs first."""
    head = (
        "| program | version | lines in the tree | files read | lines read | CPU s | wall s | peak GB "
        "| CPU s per million | GB per million | findings | limits | other problems | internal errors | exit |\n"
        + "|---" * 15
        + "|\n"
    )
    text = []
    for configuration in CONFIGURATIONS:
        chosen = [row for row in rows if row.configuration == configuration]
        if chosen:
            chosen.sort(key=lambda row: (sum(row.lines.values()), row.name, row.part))
            text.append(f"### {configuration}\n\n{head}" + "\n".join(map(_line, chosen)) + "\n")
    return "\n".join(text)


def _line(row: Row) -> str:
    lines = ", ".join(
        f"{name} {count:,}" for name, count in row.lines.items() if count * 100 >= sum(row.lines.values())
    )
    million = row.lines_read / 1e6
    per = [f"{row.cpu / million:.0f}", f"{row.peak / 1e9 / million:.2f}"] if row.lines_read >= FEW else ["", ""]
    others = ", ".join(f"{kind} {n:,}" for kind, n in row.problems.items() if kind not in ("limit", "internal-error"))
    cells = [
        row.name + (f", {row.part:.3g} of it" if row.part != 1 else ""),
        row.version,
        lines,
        f"{row.files:,}",
        f"{row.lines_read:,}",
        f"{row.cpu:.1f}",
        f"{row.wall:.1f}",
        f"{row.peak / 1e9:.2f}" + (" (RSS)" if row.measure == "RSS" else ""),
        *per,
        f"{row.findings:,}",
        f"{row.problems.get('limit', 0):,}",
        others,
        str(row.internal_errors),
        f"{row.exit}, stopped: {row.stopped}" if row.stopped else str(row.exit),
    ]
    return "| " + " | ".join(cells) + " |"


def exponent(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """``(b, a)`` of the least-squares line ``log y = a + b log x``; None for fewer than two different x.

    Twice as large an x goes with 2**b times the y.
    """
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return slope, mean_y - slope * mean_x


def growth(rows: Sequence[Row]) -> str:
    """How CPU time grows with lines read: over all programs, and within each program scanned in parts."""
    text = []
    for configuration in CONFIGURATIONS:
        chosen = [row for row in rows if row.configuration == configuration]
        whole = [row for row in chosen if row.part == 1 and row.complete and row.lines_read >= FIT_FROM]
        fitted = exponent([(row.lines_read, row.cpu) for row in whole])
        if fitted:
            slope, constant = fitted
            text.append(
                f"{configuration}: CPU grows with lines read to the power of {slope:.2f} over {len(whole)} programs of"
                f" {FIT_FROM:,} lines and more; twice the lines take {2**slope:.2f} times as long"
            )
            over = [(row.cpu / math.exp(constant + slope * math.log(row.lines_read)), row.name) for row in whole]
            slow = ", ".join(f"{name} {ratio:.1f}" for ratio, name in sorted(over, reverse=True)[:5])
            text.append(f"  furthest above the fit, times: {slow}")
            if lost := [row.name for row in chosen if row.part == 1 and not row.complete]:
                text.append(f"  not in the fit, because the scan did not end: {', '.join(sorted(lost))}")
        programs: dict[str, list[Row]] = collections.defaultdict(list)
        for row in chosen:
            if row.complete:
                programs[row.name].append(row)
        for name, parts in sorted(programs.items()):
            parts.sort(key=lambda row: row.lines_read)
            fitted = exponent([(row.lines_read, row.cpu) for row in parts])
            if fitted is None or len(parts) < 2:
                continue
            steps = [
                f"{small.lines_read:,} to {large.lines_read:,} lines: {2 ** step[0]:.2f}"
                for small, large in itertools.pairwise(parts)
                if (step := exponent([(small.lines_read, small.cpu), (large.lines_read, large.cpu)]))
            ]
            text.append(f"{configuration}, {name}: twice as large takes {2 ** fitted[0]:.2f} times as long")
            text.append(f"  steps, scaled to twice the lines: {'; '.join(steps)}")
    return "\n".join(text)


# --- commands -------------------------------------------------------------------------------------------------------


def _scan_all(options: argparse.Namespace) -> None:
    """Scan each program that has no row yet."""
    found = checkouts(options.checkouts)
    if options.only:
        if missing := sorted(set(options.only) - {program.name for program in found}):
            raise SystemExit(f"not in {options.checkouts}: {', '.join(missing)}")
        found = [program for program in found if program.name in options.only]
    have = {row.key for row in read_rows(options.results)}
    commit = _commit(options.python)
    for program in found:
        todo = [each for each in options.configuration if options.again or (program.name, each, 1.0) not in have]
        lines = lines_by_language(program.path) if todo else {}
        if not options.smallest <= sum(lines.values()) <= options.largest:
            continue
        for configuration in todo:
            row = Row(program.name, program.version, configuration, commit=commit, lines=lines)
            scan(program.path, row, options)
            append_row(options.results, row)
            print(_line(row), flush=True)


def _scan_halves(options: argparse.Namespace) -> None:
    """Scan nested parts of one program."""
    root = options.directory.resolve()
    name = options.name or root.name
    sizes = [
        (path.relative_to(root).as_posix(), count_lines(path) if language else 0)
        for path, language in regular_files(root)
    ]
    have = {row.key for row in read_rows(options.results)}
    commit = _commit(options.python)
    for halvings, paths in zip(range(options.parts - 1, -1, -1), nested_parts(sizes, options.parts), strict=True):
        todo = [each for each in options.configuration if options.again or (name, each, 0.5**halvings) not in have]
        if not todo:
            continue
        # Beside the checkout, because hard links need the same file system.
        with tempfile.TemporaryDirectory(prefix=".large-", dir=root.parent) as folder:
            tree = Path(folder, name)
            link_tree(root, paths, tree)
            for configuration in todo:
                row = Row(name, PROGRAMS.get(name, ("", ""))[1], configuration, 0.5**halvings, commit)
                row.lines = lines_by_language(tree)
                scan(tree, row, options)
                append_row(options.results, row)
                print(_line(row), flush=True)


def _commit(python: str) -> str:
    """The commit of the pyrograph that ``python`` imports; its version if it is no checkout."""
    code = "import pathlib, pyrograph; print(pyrograph.__version__); print(pathlib.Path(pyrograph.__file__).parent)"
    version, where = subprocess.run(
        [python, "-c", code], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    git = subprocess.run(["git", "-C", where, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return git.stdout.strip() or version


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run one command."""
    parser = argparse.ArgumentParser(description="Scan large programs and measure each scan.")
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = argparse.ArgumentParser(add_help=False)
    measuring.add_argument("--results", type=Path, default=Path("large.jsonl"), help="file to append rows to")
    measuring.add_argument("--configuration", choices=CONFIGURATIONS, nargs="+", default=list(CONFIGURATIONS))
    measuring.add_argument("--again", action="store_true", help="take rows that the file has already once more")
    measuring.add_argument("--seconds", type=float, default=600, help="wall time that a scan may take")
    measuring.add_argument("--gigabytes", type=float, default=16, help="memory that all processes of a scan may take")
    measuring.add_argument("--lock", type=Path, help="file to lock during each scan")
    measuring.add_argument("--verify", action="store_true", help="check the tables between the stages; slower")
    measuring.add_argument("--python", default=sys.executable, help="interpreter that has pyrograph")
    each = commands.add_parser("scan", parents=[measuring], help="scan whole programs")
    each.add_argument("checkouts", type=Path, help="directory of checkouts, or a list of them")
    each.add_argument("--only", nargs="+", default=[], metavar="NAME")
    each.add_argument("--smallest", type=int, default=0, help="lines in the tree, below which a program is skipped")
    each.add_argument("--largest", type=int, default=sys.maxsize, help="lines above which a program is skipped")
    each.set_defaults(run=_scan_all)
    halves = commands.add_parser("halves", parents=[measuring], help="scan nested parts of one program")
    halves.add_argument("directory", type=Path)
    halves.add_argument("--name", help="name in the rows, if it is not the directory's")
    halves.add_argument("--parts", type=int, default=4, help="number of scans, each of half of the next one")
    halves.set_defaults(run=_scan_halves)
    for name, render in (("table", markdown), ("fit", growth)):
        command = commands.add_parser(name)
        command.add_argument("results", type=Path)
        command.set_defaults(run=lambda options, render=render: print(render(read_rows(options.results))))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the scan is ended, too
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # aborted scans leave no core files
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
