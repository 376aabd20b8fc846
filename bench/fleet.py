"""Does a fleet find what single scans find, what does its scheduler cost, and what survives a fault?

    python bench/fleet.py compare CHECKOUTS --repositories 60 --lines 60000
    python bench/fleet.py faults CHECKOUTS
    python bench/fleet.py store FOLDER --findings 5000000

``compare`` scans repositories below CHECKOUTS one by one with ``pyrograph scan``, then all of them as a fleet with two
workers, nothing cached in both, and compares the JSON reports byte by byte, and the rows of the findings with them. A
scan's overhead is the time of its job without that of the process that scans. ``faults`` runs a small fleet while
something is wrong, and compares the store with that of an undisturbed run. ``store`` writes a store of generated
findings, and measures its size, each page and each query.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select

from pyrograph.fleet.store import Store, StoreError, open_store, tables, totals
from pyrograph.fleet.targets import _tree_size
from pyrograph.policy.limits.fleet import LINE_BYTES

COLUMNS = ("rule", "severity", "confidence", "path", "line", "column", "message", "fingerprint", "likeness")


def chosen(checkouts: Path, count: int, lines: int) -> list[Path]:
    """``count`` repositories of at most ``lines`` lines, the largest of these: neither trivial nor endless."""
    sizes = {
        each: _tree_size(str(each)) // LINE_BYTES for each in sorted(checkouts.resolve().iterdir()) if each.is_dir()
    }
    fitting = sorted((size, each) for each, size in sizes.items() if 0 < size <= lines)
    return [each for _, each in fitting[-count:]]


def write_fleet(folder: Path, repositories: list[Path], *more: str) -> Path:
    file = folder / "fleet.toml"
    tables_ = [
        f"[[repository]]\npath = {json.dumps(str(each))}\nname = {json.dumps(each.name)}\n" for each in repositories
    ]
    file.write_text("\n".join([*tables_, *more]), encoding="utf-8")
    return file


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "XDG_CACHE_HOME": str(cache)}


def fleet_command(file: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "pyrograph", "fleet", "scan", str(file), "--quiet", *options]


def reports(store: Store) -> dict[str, tuple[bytes, Any, list[Any]]]:
    """For each repository its JSON report, the row of its scan, and its findings as tuples of ``COLUMNS``."""
    found = {}
    with store.reading() as connection:
        asked = (
            select(tables.repositories.c.name, tables.scans, tables.reports.c.content)
            .select_from(tables.scans.join(tables.revisions).join(tables.repositories))
            .join(tables.reports, tables.scans.c.json == tables.reports.c.digest)
        )
        for row in connection.execute(asked):
            rows = select(*(tables.findings.c[name] for name in COLUMNS)).where(
                tables.findings.c.revision_id == row.revision_id, tables.findings.c.state == "open"
            )
            found[row.name] = (
                gzip.decompress(row.content),
                row,
                sorted(tuple(each) for each in connection.execute(rows)),
            )
    return found


def scan_alone(repository: Path, folder: Path) -> tuple[bytes, float, float]:
    """The report of ``pyrograph scan``, and its wall-clock and CPU time; kept in ``folder`` from an earlier call."""
    output, times = folder / f"{repository.name}.json", folder / f"{repository.name}.seconds"
    if not times.exists():
        command = [sys.executable, "-m", "pyrograph", "scan", str(repository), "--jobs", "1", "--device", "cpu"]
        command += ["--exit-zero", "--allow-empty", "--no-cache", "--format", f"json:{output}"]
        before, cpu = time.perf_counter(), cpu_of_children()
        subprocess.run(command, check=True, capture_output=True)
        times.write_text(f"{time.perf_counter() - before} {cpu_of_children() - cpu}", encoding="ascii")
    wall, used = times.read_text(encoding="ascii").split()
    return output.read_bytes(), float(wall), float(used)


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(checkouts: Path, count: int, lines: int, folder: Path) -> None:
    """``folder`` keeps what was done: the command may be stopped, and goes on."""
    repositories = chosen(checkouts, count, lines)
    single = folder / "single"
    single.mkdir(parents=True, exist_ok=True)
    file = write_fleet(folder, repositories)
    times = folder / "fleet.seconds"
    if not times.exists():
        before, cpu = time.perf_counter(), cpu_of_children()
        command = fleet_command(file, "--workers", "2", "--strict")
        subprocess.run(command, check=True, env=environment(folder / "cache"))
        times.write_text(f"{time.perf_counter() - before} {cpu_of_children() - cpu}", encoding="ascii")
    wall, used = map(float, times.read_text(encoding="ascii").split())
    alone = {each.name: scan_alone(each, single) for each in repositories}
    with open_store(str(folder / "fleet.db"), writable=False) as store:
        fleet = reports(store)
    expected = {
        name: sorted(tuple(each[key] for key in COLUMNS) for each in json.loads(content)["findings"])
        for name, (content, _, _) in alone.items()
    }
    scans = [row for _, row, _ in fleet.values()]
    lines_, findings = sum(row.lines for row in scans), sum(map(len, expected.values()))
    print(f"{len(repositories)} repositories, {lines_:,} lines, {findings:,} findings")
    same = sum(fleet[name][0] == content for name, (content, _, _) in alone.items())
    rows = sum(fleet[name][2] == found for name, found in expected.items())
    print(f"reports equal byte by byte: {same} of {len(alone)}; rows equal: {rows} of {len(alone)}")
    scanned = sum(row.cpu_seconds for row in scans)
    print(
        f"CPU of single scans: {sum(each[2] for each in alone.values()):.1f} s; of the fleet's scans: {scanned:.1f} s"
    )
    print(f"the fleet's own CPU for each repository: {(used - scanned) / len(scans) * 1000:.0f} ms")
    busy = sum(row.seconds for row in scans)
    print(
        f"wall-clock: {wall:.1f} s; that of the jobs over two workers: {busy / 2:.1f} s; of single scans, one after "
        f"the other: {sum(each[1] for each in alone.values()):.1f} s"
    )
    print(
        f"largest resident size: {max(row.peak_bytes for row in scans) / 1e6:.0f} MB; "
        f"store: {sum(each.stat().st_size for each in folder.glob('fleet.db*')):,} bytes"
    )


# -- a large store

DAY = tables.DAY
NOW = 20_800 * DAY
PER_REPOSITORY = 500
RULES, OWNERS = 120, 400
SEVERITIES = ("critical", "high", "high", "medium", "medium", "low")


def generated(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Findings of repositories with 500 each: few rules and owners have most, a twentieth is code of others."""
    choose = random.Random(seed)
    weights = [1 / (number + 1) for number in range(RULES)]
    rules = choose.choices(range(RULES), weights, k=count)
    for number, rule in enumerate(rules):
        repository = number // PER_REPOSITORY + 1
        first = NOW - choose.randrange(365) * DAY - choose.randrange(DAY)
        state = choose.choices(("open", "fixed", "dismissed"), (6, 3, 1))[0]
        fixed = choose.randrange(first, NOW) if state == "fixed" else None
        likeness = choose.randrange(count // 100 + 1) if choose.random() < 0.05 else count + number
        yield {
            "revision_id": repository,
            "repository_id": repository,
            "fingerprint": f"{number:032x}",
            "likeness": f"{likeness:032x}",
            "rule": f"{('python', 'javascript', 'go')[rule % 3]}/vulnerability-{rule}",
            "severity": SEVERITIES[rule % len(SEVERITIES)],
            "confidence": "high",
            "path": f"src/package_{number % 40}/module_{number % 977}.py",
            "line": number % 900 + 1,
            "column": 9,
            "message": "Data from the request (`flask.request.args`) reaches a statement in SQL (`Cursor.execute`)",
            "owner": f"@team-{repository % OWNERS}" if repository % 10 else "",
            "state": state,
            "verdict": "",
            "reason": "comment: reviewed" if state == "dismissed" else "",
            "first_seen": first,
            "last_seen": fixed,
            "fixed_at": fixed,
        }


def fill(store: Store, count: int, nights: int = 30) -> None:
    """Write generated findings as a fleet would have recorded them over a year, and the scans of the last nights."""
    trees = -(-count // PER_REPOSITORY)
    indexes = [(each, each.name) for each in tables.findings.indexes]
    with store.engine.begin() as connection:
        for index, _ in indexes:
            index.drop(connection)
        connection.execute(
            insert(tables.runs),
            [{"id": n + 1, "fleet": "/fleet.toml", "started": NOW - (nights - n) * DAY} for n in range(nights)],
        )
        named = [
            {"id": n, "name": f"group-{n % 37}/repository-{n}", "source": f"/src/{n}"} for n in range(1, trees + 1)
        ]
        connection.execute(insert(tables.repositories), named)
        connection.execute(
            insert(tables.revisions),
            [
                {
                    "id": n,
                    "repository_id": n,
                    "name": "",
                    "scanned": NOW - DAY,
                    "scan_id": (nights - 1) * trees + n,
                    "status": "time" if n % 300 == 0 else "done",
                    "html": f"{n:032x}",
                }
                for n in range(1, trees + 1)
            ],
        )
        common = {
            "reason": "",
            "commit": "c0ffee" * 6,
            "version": "0.1.0",
            "cpu_seconds": 9.5,
            "peak_bytes": 300_000_000,
        }
        common |= {"seconds": 10.5, "size": 1_000_000, "files": 300, "lines": 50_000, "complete": True}
        for night in range(nights):
            first = night * trees
            connection.execute(
                insert(tables.scans),
                [
                    {
                        "id": first + n,
                        "run_id": night + 1,
                        "revision_id": n,
                        "at": NOW - (nights - night) * DAY,
                        "status": "time" if n % 300 == 0 else "done",
                        **common,
                    }
                    for n in range(1, trees + 1)
                ],
            )
    change: dict[totals.Key, int] = {}
    likenesses: dict[str, list[int]] = {}
    rows = generated(count)
    while batch := list(itertools.islice(rows, 50_000)):
        for row in batch:
            for key in totals.keys_of(row):
                change[key] = change.get(key, 0) + 1
            if row["state"] == "open" and int(row["likeness"], 16) < count:
                likenesses.setdefault(row["likeness"], []).append(row["repository_id"])
        with store.engine.begin() as connection:  # one transaction for all would need the disk twice
            write_findings(connection, batch)
    with store.engine.begin() as connection:
        totals.add(connection, change)
        spread = [
            {
                "likeness": each,
                "rule": "python/vulnerability-0",
                "repositories": len(set(where)),
                "findings": len(where),
                "day": NOW // DAY - 30,
            }
            for each, where in likenesses.items()
            if len(set(where)) > 1
        ]
        connection.execute(insert(tables.copies), spread)
    for index, _ in indexes:
        with store.engine.begin() as connection:
            index.create(connection)


def write_findings(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Insert rows as fast as the driver can."""
    columns = ", ".join(f'"{name}"' for name in rows[0])
    places = ", ".join("?" * len(rows[0]))
    statement = f"INSERT INTO findings ({columns}) VALUES ({places})"
    connection.exec_driver_sql(statement, [tuple(row.values()) for row in rows])


def requests(store: Store, count: int) -> dict[str, Callable[[], str]]:
    """What readers ask for: each page, lists at random values and places."""
    from pyrograph.fleet.pages import views
    from pyrograph.fleet.pages.links import Links

    links, choose = Links(live=True), random.Random(2)

    def place() -> tuple[int, int]:
        return NOW - choose.randrange(365) * DAY, 0

    def rule() -> str:
        number = min(int(choose.paretovariate(0.7)) - 1, RULES - 1)
        return f"{('python', 'javascript', 'go')[number % 3]}/vulnerability-{number}"

    def owner() -> str:
        return choose.choice(["", f"@team-{choose.randrange(OWNERS)}"])

    def number() -> int:
        return choose.randrange(count // PER_REPOSITORY) + 1

    def page(view: Callable[..., Any], *arguments: Callable[[], Any], **settings: Any) -> Callable[[], str]:
        def answer() -> str:
            with store.reading() as connection:
                return str(view(connection, links, NOW, *(each() for each in arguments), **settings))

        return answer

    def listed(key: str, value: Callable[[], Any], state: str = "open") -> Callable[[], str]:
        def answer() -> str:
            with store.reading() as connection:
                return views.findings(connection, links, NOW, key, value(), state=state, before=place())

        return answer

    def severity() -> str:
        return choose.choice(SEVERITIES)

    return {
        "overview": page(views.overview),
        "new": page(views.new),
        "repositories": page(views.repositories),
        "repositories, later": page(views.repositories, lambda: (choose.randrange(280, 320), number())),
        "repository": page(views.repository, number),
        "rules": page(views.table, lambda: "rules"),
        "owners": page(views.table, lambda: "owners"),
        "ages": page(views.ages),
        "copies": page(views.copies),
        "trouble": page(views.trouble),
        "findings by rule": listed("rule", rule),
        "findings by owner": listed("owner", owner),
        "findings by severity": listed("severity", severity),
        "fixed by severity": listed("severity", severity, "fixed"),
        "findings of code": listed("likeness", lambda: f"{choose.randrange(count // 100):032x}"),
        "findings by repository": listed("repository", number),
    }


def measure_store(folder: Path, count: int, repeats: int = 40, *, cold: bool = False) -> None:
    """``cold``: before each request, the system forgets what it has read of the file."""
    file = folder / f"store-{count}.db"
    is_new = not file.exists()
    with open_store(str(file), writable=True) as store:  # one of an earlier version is brought up to date
        if is_new:
            before = time.perf_counter()
            fill(store, count)
            print(f"written in {time.perf_counter() - before:.0f} s")
    print(f"{count:,} findings, {file.stat().st_size / 1e6:,.0f} MB, {file.stat().st_size / count:.0f} bytes each")
    slowest: list[float] = []
    costliest: list[float] = []
    with open_store(str(file), writable=False) as store:
        for name, answer in requests(store, count).items():
            walls, cpus = [], []
            for _ in range(repeats):
                if cold:
                    store.engine.dispose()
                    with file.open("rb") as opened:
                        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                wall, cpu = time.perf_counter(), time.process_time()
                size = len(answer())
                walls.append(time.perf_counter() - wall)
                cpus.append(time.process_time() - cpu)
            slowest += walls
            costliest += cpus
            print(f"{name:24} wall {p95(walls):6.0f} ms  CPU {p95(cpus):6.0f} ms  {size:,} characters")
    print(f"95th percentile of all: wall {p95(slowest):.0f} ms, CPU {p95(costliest):.0f} ms")


def p95(seconds: list[float]) -> float:
    """The 95th percentile, in ms."""
    return statistics.quantiles(seconds, n=20)[-1] * 1000


# -- faults


def undisturbed(file: Path, env: dict[str, str]) -> None:
    subprocess.run(fleet_command(file, "--workers", "2"), check=True, env=env)


def workers_killed(file: Path, env: dict[str, str]) -> None:
    """The worker's process is killed again and again while it scans."""
    with subprocess.Popen(fleet_command(file, "--workers", "2"), env=env) as running:
        kills = 0
        while running.poll() is None:
            time.sleep(30)
            for pid in children_of(running.pid):
                if "spawn_main" in command_of(pid) and running.poll() is None:
                    os.kill(pid, signal.SIGKILL)
                    kills += 1
        print(f"  {kills} workers were killed; exit code {running.returncode}")


def command_killed(file: Path, env: dict[str, str]) -> None:
    """The command, and the scheduler with it, is killed again and again, and given again."""
    for number in range(1, 100):
        running = subprocess.Popen(fleet_command(file, "--workers", "2"), env=env)
        try:
            code = running.wait(20 + number)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()
            if not is_ended(file):
                continue
            code = 0  # it was killed behind its last result
        print(f"  it was killed {number - 1} times; exit code {code}")
        return


def is_ended(file: Path) -> bool:
    """Whether the store has the end of a run."""
    try:
        with open_store(str(file.with_name("fleet.db")), writable=False) as store, store.reading() as connection:
            return connection.execute(select(tables.runs.c.ended)).scalar() is not None
    except StoreError:  # it is not made yet
        return False


def disk_full(file: Path, env: dict[str, str]) -> None:
    """The store's disk is full for the first part of the run; root mounts a small one."""
    folder = file.parent / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(folder)]
    if subprocess.run(mount, check=False).returncode:
        print("  no small disk could be mounted; not tried")
        undisturbed(file, env)
        return
    try:
        first = [*fleet_command(file, "--workers", "2"), "--store", str(folder / "fleet.db")]
        said = subprocess.run(first, env=env, capture_output=True, text=True, check=False)
        print(f"  exit code {said.returncode}: {said.stderr.strip().splitlines()[-1]}")
        subprocess.run(["mount", "-o", "remount,size=400m", str(folder)], check=True)
        subprocess.run(first, env=env, check=True)
        for each in folder.glob("fleet.db*"):
            shutil.copy(each, file.parent)
    finally:
        subprocess.run(["umount", str(folder)], check=False)


FAULTS: dict[str, Callable[[Path, dict[str, str]], None]] = {
    "undisturbed": undisturbed,
    "workers killed": workers_killed,
    "command killed": command_killed,
    "disk full": disk_full,
}
HANGS = '[[repository]]\npath = "hangs"\ntime = "1 s"\n'  # takes longer than it may
EXHAUSTS = '[[repository]]\npath = "exhausts"\nmemory = "60 MB"\n'


def faults(checkouts: Path, count: int, lines: int, names: list[str]) -> None:
    """Each fault on a fleet of its own, with a repository that takes too long and one that needs too much memory."""
    repositories = chosen(checkouts, count, lines)
    with tempfile.TemporaryDirectory() as made:
        expected: Any = None
        for name in ["undisturbed", *(names or list(FAULTS)[1:])]:
            fault = FAULTS[name]
            folder = Path(made, name.replace(" ", "-"))
            folder.mkdir()
            env = environment(folder / "cache")
            for each in ("hangs", "exhausts"):
                shutil.copytree(repositories[-1], folder / each, symlinks=True)
                (folder / each / "name.py").write_text(f"name = {each!r}\n", encoding="utf-8")  # not in the cache
            print(f"{name}:", flush=True)
            fault(write_fleet(folder, repositories, HANGS, EXHAUSTS), env)
            with open_store(str(folder / "fleet.db"), writable=False) as store:
                found = {key: (content, rows) for key, (content, _, rows) in reports(store).items()}
                with store.reading() as connection:
                    scans = connection.execute(select(tables.scans)).all()
                    columns = tables.findings.c.revision_id, tables.findings.c.fingerprint
                    listed = [tuple(row) for row in connection.execute(select(*columns))]
            expected = expected or found
            statuses = {row.status: sum(each.status == row.status for each in scans) for row in scans}
            twice = len(scans) - len({(row.run_id, row.revision_id) for row in scans}) + len(listed) - len(set(listed))
            same = found == expected
            print(
                f"  {statuses}; reports and rows as undisturbed: {same}; rows that are there twice: {twice}", flush=True
            )


def children_of(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(each) for each in path.read_text(encoding="ascii").split()]
    return found + [each for child in found for each in children_of(child)]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("compare", "faults"):
        command = commands.add_parser(name)
        command.add_argument("checkouts", type=Path, help="directory of checkouts")
        command.add_argument("--repositories", type=int, default=60 if name == "compare" else 6)
        command.add_argument("--lines", type=int, default=60_000, help="largest repository")
    commands.choices["compare"].add_argument("--keep", type=Path, default=Path("fleet-compare"), help="goes on there")
    commands.choices["faults"].add_argument("--fault", action="append", default=[], choices=list(FAULTS)[1:])
    command = commands.add_parser("store")
    command.add_argument("folder", type=Path, help="where the store is written, if it is not there")
    command.add_argument("--findings", type=int, default=5_000_000)
    command.add_argument("--cold", action="store_true", help="each request reads from the disk")
    given = parser.parse_args()
    if given.command == "compare":
        compare(given.checkouts, given.repositories, given.lines, given.keep)
    elif given.command == "faults":
        faults(given.checkouts, given.repositories, given.lines, given.fault)
    else:
        measure_store(given.folder, given.findings, cold=given.cold)


if __name__ == "__main__":
    main()
