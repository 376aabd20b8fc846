"""Repositories are scanned in processes of their own: what happens to one is its row, and costs nobody else."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed", reason="needs the extra fleet")
if sys.platform == "win32":
    pytest.skip("the fleet limits processes as POSIX systems can", allow_module_level=True)

from click.testing import CliRunner
from sqlalchemy import select
from tests.fleet.outcomes import done, finding, report, task, write_program

from pyrograph import __version__
from pyrograph.cli import cli
from pyrograph.fleet import cluster as clusters
from pyrograph.fleet import job, process
from pyrograph.fleet.cluster import Cluster, Local, connected
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.fleetfile import Fleet
from pyrograph.fleet.outcome import Outcome, Task
from pyrograph.fleet.run import scan_fleet
from pyrograph.fleet.store import open_store, tables

PYTHON = [sys.executable, "-I", "-S", "-c"]
HERE = Local(threads=2, memory=8 << 30, in_process=True)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_process_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if not os.fork(): open('child', 'w').write(str(os.getpid()))\n"
        "time.sleep(600)"
    )
    monkeypatch.setattr(process, "GRACE", 0.2)
    ended = process.run([*PYTHON, script], seconds=4, memory=1 << 30, folder=tmp_path)
    assert (ended.timed_out, ended.code) == (True, -9)
    child = int((tmp_path / "child").read_text(encoding="ascii"))
    for _ in range(200):  # until the system has taken it away
        if not Path(f"/proc/{child}").exists() or "zombie" in Path(f"/proc/{child}/status").read_text(encoding="ascii"):
            return
        time.sleep(0.05)
    raise AssertionError("the child goes on")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
def test_a_process_has_the_memory_it_was_given_and_no_more(tmp_path: Path) -> None:
    script = "import sys; print('before', file=sys.stderr); bytearray(1 << 30)"
    ended = process.run([*PYTHON, script], seconds=60, memory=256 << 20, folder=tmp_path)
    assert (ended.timed_out, ended.code) == (False, 1)
    assert "MemoryError" in ended.said
    import resource

    started_by = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert 0 < ended.peak_bytes <= max(256 << 20, started_by)


@pytest.mark.parametrize(
    ("script", "status", "reason"),
    [
        (
            "raise SystemExit('pyrograph: first\\npyrograph: x.toml:1: no such rule')",
            "failed",
            "x.toml:1: no such rule",
        ),
        ("import time; time.sleep(600)", "time", "took longer than 1 second; give it more with `time`"),
        (
            "raise MemoryError",
            "memory",
            "ran out of memory: 536,870,912 bytes are too few; give it more with `memory`",
        ),
        ("import os; os.kill(os.getpid(), 9)", "memory", "536,870,912 bytes"),
        ("raise SystemExit('a.so: failed to map segment from shared object')", "memory", "536,870,912 bytes"),
        ("import os; os.kill(os.getpid(), 11)", "failed", "ended with status -11"),
        ("raise SystemExit(7)", "failed", "ended with status 7"),
        ("", "failed", "ended with status 0"),
    ],
)
def test_how_a_scan_ended_is_its_status_and_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, status: str, reason: str
) -> None:
    def instead(_command: object, **settings: Any) -> process.Ended:
        return process.run([*PYTHON, script], **settings)

    monkeypatch.setattr(job, "run", instead)
    seconds = 1 if status == "time" else 600  # a busy machine may need more than one to start a process
    outcome = job.scan(replace(task(), source=str(tmp_path), memory=512 << 20, seconds=seconds))
    assert (outcome.status, outcome.json) == (status, b"")
    assert reason in outcome.reason


@pytest.mark.parametrize(
    ("said", "status"), [("pyrograph: the scan ran out of memory; starting again", "memory"), ("", "failed")]
)
def test_a_scan_that_analysed_nothing_of_what_is_there_is_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, status: str
) -> None:
    left_out = [{"path": "a.py", "kind": "limit", "incomplete": True, "message": "the file was left out"}]

    def instead(command: list[str], **_settings: Any) -> process.Ended:
        Path(command[-3].partition(":")[2]).write_bytes(gzip.decompress(report(problems=left_out, files=0)))
        return process.Ended(0, False, said, 0.1, 1)

    monkeypatch.setattr(job, "run", instead)
    outcome = job.scan(replace(task(), source=str(tmp_path)))
    assert (outcome.status, outcome.json) == (status, b"")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_revisions_and_addresses_are_scanned_as_they_were_committed_and_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_program(tmp_path / "shop")
    (folder / "CODEOWNERS").write_text("*.py @core\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "a")
    (folder / "app.py").write_text("a = 1\n", encoding="utf-8")
    (folder / ".git/hooks/post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/run\n", encoding="utf-8")
    (folder / ".git/hooks/post-checkout").chmod(0o755)
    seen = []

    def instead(command: list[str], **settings: Any) -> process.Ended:
        if "pyrograph" not in command:
            return process.run(command, **settings)
        tree, texts = (
            Path(command[5]),
            [each.partition(":")[2] for each in command if each.startswith(("json:", "html:"))],
        )
        seen.append((tree / "app.py").read_text(encoding="utf-8").startswith("import sqlite3"))
        Path(texts[0]).write_bytes(gzip.decompress(done(finding(1, path="app.py")).json))
        Path(texts[1]).write_bytes(b"<p>")
        return process.Ended(0, False, "", 0.1, 1)

    monkeypatch.setattr(job, "run", instead)
    monkeypatch.setattr("pyrograph.fleet.checkout.run", process.run)
    for source, is_address, revision in (
        (str(folder), False, "main"), (f"file://{folder}", True, "main"), (f"file://{folder}", True, "")
    ):  # fmt: skip
        outcome = job.scan(Task("shop", source, is_address, revision, 2 << 30, 60))
        assert (outcome.status, outcome.reason, len(outcome.commit), outcome.owners) == (
            "done",
            "",
            40,
            {"app.py": "@core"},
        )
    assert seen == [True, True, True]
    for source, is_address, revision, trouble in (
        (str(folder), False, "none", "git knows no such revision"),
        (str(tmp_path / "none"), False, "main", "is not there"),
        (f"file://{folder}", True, "none", "git cannot fetch it: fatal"),
        (f"ext::sh -c touch% {tmp_path}/run", True, "", "not allowed"),
    ):
        outcome = job.scan(Task("shop", source, is_address, revision, 2 << 30, 60))
        assert outcome.status == "failed"
        assert trouble in outcome.reason
    assert not (tmp_path / "run").exists()
    late = process.Ended(-9, True, "", 60.0, 1)
    monkeypatch.setattr("pyrograph.fleet.checkout.run", lambda *_, **__: late)
    outcome = job.scan(Task("shop", f"file://{folder}", True, "", 2 << 30, 60))
    assert outcome.status == "time"
    address = "https://me:it's@example.org/shop.git"
    refused = process.Ended(128, False, f"fatal: unable to access '{address}/': 403", 0.1, 1)
    monkeypatch.setattr("pyrograph.fleet.checkout.run", lambda *_, **__: refused)
    outcome = job.scan(Task("shop", address, True, "", 2 << 30, 60))
    assert outcome.reason.endswith("unable to access 'https://example.org/shop.git/': 403")


def statuses(folder: Path) -> dict[str, tuple[str, str]]:
    with open_store(str(folder / "fleet.db"), writable=False) as store, store.reading() as connection:
        asked = select(tables.repositories.c.name, tables.scans.c.status, tables.scans.c.reason)
        joined = tables.scans.join(tables.revisions).join(tables.repositories)
        return {row.name: (row.status, row.reason) for row in connection.execute(asked.select_from(joined))}


def fleet_of(folder: Path) -> Fleet:
    return Fleet(folder / "fleet.toml", str(folder / "fleet.db"), ())


def test_a_run_that_is_stopped_goes_on_with_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanned: list[str] = []

    class Fake:
        def each(self, tasks: list[Task], models: object, say: object) -> Iterator[tuple[Task, Outcome]]:
            for each in tasks:
                if each.name == stop:
                    raise FleetError("the scheduler is gone")
                scanned.append(each.name)
                yield each, Outcome("time", "late") if each.name == "slow" and not retried else done(finding(1))

    monkeypatch.setattr("pyrograph.fleet.run.connected", lambda where: nullcontext(Fake()))
    tasks = [task(name) for name in ("a", "slow", "b", "c")]
    stop, retried = "b", False
    with open_store(str(tmp_path / "fleet.db"), writable=True) as store:
        with pytest.raises(FleetError, match="scheduler is gone"):
            scan_fleet(fleet_of(tmp_path), tasks, store, HERE)
        stop = ""
        summary = scan_fleet(fleet_of(tmp_path), tasks, store, HERE)
        assert (summary.continued, summary.statuses) == (2, {"done": 2})
        assert scanned == ["a", "slow", "b", "c"]
        retried = True
        assert scan_fleet(fleet_of(tmp_path), tasks, store, HERE, retry=True).run == summary.run
        assert scanned[4:] == ["slow"]
        assert scan_fleet(fleet_of(tmp_path), tasks, store, HERE).run == summary.run + 1
        assert len(scanned) == 9
    assert statuses(tmp_path)["slow"] == ("done", "")


class FakeClient:
    """A scheduler whose workers end under some tasks; futures are done at once."""

    def __init__(self, ends: dict[str, int], memory: float = 100, version: str = __version__) -> None:
        self.ends, self.memory, self.version = ends, memory, version
        self.workers = 1
        self.status = "running"
        self.leaves: dict[str, str] = {}  # tasks whose worker leaves with the result, once -> when
        self.answers: dict[str, object] = {}  # of workers that do not answer with this version
        self.held = self.most = 0
        self.order: list[str] = []

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        resources = {"MEMORY": self.memory} if self.memory else {}
        if not self.workers and self.status == "closed":
            return {}
        return {"workers": {str(number): {"nthreads": 2, "resources": resources} for number in range(self.workers)}}

    def run(self, function: Callable[[], str], workers: list[str], on_error: str) -> dict[str, object]:
        assert on_error == "return"
        return {each: self.answers.get(each, function()) for each in workers}

    def submit(self, scan: object, task: Task, *, key: str, resources: Any, **_: object) -> Any:
        assert resources == ({"MEMORY": task.memory} if self.memory else None)
        self.order.append(task.name)
        self.held += 1
        self.most = max(self.most, self.held)

        def release() -> None:
            self.held -= 1

        from distributed.scheduler import KilledWorker

        self.ends[task.name] = self.ends.get(task.name, 0) - 1
        ended = self.ends[task.name] >= 0
        error = KilledWorker("task", SimpleNamespace(address="a"), 1)  # type: ignore[arg-type]
        status = "error" if ended else "finished"
        leaves = self.leaves.pop(task.name, "")

        def result(timeout: float) -> Outcome:
            assert timeout >= 0
            nonlocal leaves
            if leaves == "during":
                leaves = ""
                raise TimeoutError
            if leaves == "failing":
                future.status = "error"
                raise error
            if leaves == "closed":
                raise CancelledError
            return replace(done(), version=self.version)

        status = "lost" if leaves == "before" else status
        future = SimpleNamespace(
            key=key, status=status, result=result, exception=lambda timeout: error, release=release
        )
        future.add_done_callback = lambda callback: callback(future)
        if leaves == "never":
            future.status, future.add_done_callback = "pending", lambda callback: None
        return future


def test_tasks_are_handed_out_in_order_and_a_few_at_a_time() -> None:
    client = FakeClient({"once": 1, "always": 9})
    tasks = [replace(task(name), memory=10) for name in ("once", "always", *map(str, range(20)))]
    large, small = replace(task("large"), memory=101), replace(task("small"), memory=0)
    found = {each.name: outcome.status for each, outcome in Cluster(client).each([*tasks, large, small])}
    assert len(found) == 24
    assert {name for name, status in found.items() if status != "done"} == {"always", "large"}
    assert (found["always"], found["large"]) == ("lost", "memory")
    assert client.most == 8
    assert client.order[:4] == ["once", "always", "0", "1"]
    assert [each.name for each, _ in Cluster(FakeClient({}, memory=0)).each([large])] == ["large"]


def test_a_run_waits_for_workers_and_sees_those_that_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "WORKER_SECONDS", 0.01)
    monkeypatch.setattr(clusters, "LOOK_SECONDS", 0)
    client, said = FakeClient({}), list[str]()
    client.workers = 0
    tasks = [replace(task(str(number)), memory=10) for number in range(30)]
    with pytest.raises(FleetError, match="no workers; start some"):
        next(Cluster(client).each(tasks, say=said.append))
    assert len(said) == 1
    client.workers = 1
    for _ in Cluster(client).each(tasks):
        client.workers = 2
    assert client.most == 16  # four for each thread


def test_a_worker_that_leaves_with_a_result_costs_this_result_only() -> None:
    client = FakeClient({})
    client.leaves = {"0": "before", "1": "during", "2": "failing"}
    tasks = [replace(task(name), memory=10) for name in "0123"]
    found = [(each.name, outcome.status) for each, outcome in Cluster(client).each(tasks)]
    assert sorted(found) == [(name, "done") for name in "0123"]
    assert sorted(client.order) == ["0", "0", "1", "2", "2", "3"]
    assert client.held == 0


def test_a_scan_that_no_worker_is_large_enough_for_any_more_waits_for_one_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clusters, "WORKER_SECONDS", 0.01)
    monkeypatch.setattr(clusters, "LOOK_SECONDS", 0)
    client, said = FakeClient({}), list[str]()
    client.leaves = {"large": "never", "any": "never"}
    tasks = [replace(task(name), memory=memory) for name, memory in (("large", 50), ("any", 0), ("small", 10))]
    found = {}
    for each, outcome in Cluster(client).each(tasks, say=said.append):
        found[each.name] = outcome.status
        client.memory = 20
    assert found == {"large": "memory", "any": "done", "small": "done"}
    assert said == ["no worker has the memory for 2 scans; waiting up to 0.01 seconds for one"]
    assert client.held == 0


def test_a_scheduler_that_ends_is_gone_whenever_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    client, one = FakeClient({}), [replace(task("shop"), memory=10)]
    client.leaves = {"shop": "closed"}
    with pytest.raises(FleetError, match="scheduler is gone"):
        next(Cluster(client).each(one))
    cluster, client.workers = Cluster(client), 0
    with pytest.raises(FleetError, match="scheduler is gone"):
        next(cluster.each(one, say=lambda message: setattr(client, "status", "closed")))
    client.workers, client.status = 1, "running"

    def closed(*arguments: object, **settings: object) -> None:
        client.status = "closed"
        raise RuntimeError("the client is closed")

    monkeypatch.setattr(client, "submit", closed)
    with pytest.raises(FleetError, match="scheduler is gone"):
        next(cluster.each(one))


def test_a_worker_that_offers_no_number_is_refused() -> None:
    with pytest.raises(FleetError, match="MEMORY = '28e9', which is no number"):
        Cluster(FakeClient({}, memory="28e9"))  # type: ignore[arg-type]


def test_an_outcome_of_another_version_is_not_recorded() -> None:
    cluster = Cluster(FakeClient({}, version="0.0.9"))
    with pytest.raises(FleetError, match=r"workers have pyrograph 0\.0\.9"):
        next(cluster.each([replace(task("shop"), memory=10)]))


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [("0.0.9", r"have pyrograph 0\.0\.9"), (Exception("ModuleNotFoundError"), "have no pyrograph"), (OSError(), "")],
)
def test_workers_that_join_later_are_asked_for_their_version(
    monkeypatch: pytest.MonkeyPatch, answer: object, trouble: str
) -> None:
    monkeypatch.setattr(clusters, "LOOK_SECONDS", 0)
    client = FakeClient({})
    client.answers = {"1": answer}
    outcomes = Cluster(client).each([replace(task(str(number)), memory=10) for number in range(30)])
    next(outcomes)
    client.workers = 2
    with pytest.raises(FleetError, match=trouble) if trouble else nullcontext():
        assert len(list(outcomes)) == 29


def test_a_scheduler_is_named_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"address": "tcp://10.0.0.5:8786"}', encoding="utf-8")
    assert clusters.address_of(str(file)) == clusters.address_of("tcp://10.0.0.5:8786") == "tcp://10.0.0.5:8786"
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(FleetError, match="no file of a scheduler"):
        clusters.address_of(str(file))


def test_the_batch_script_of_the_document_ends_where_its_scheduler_does_not_start(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "fleet.md").read_text(encoding="utf-8")
    (script,) = (each for each in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) if "#SBATCH" in each)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, ending in (
        ("dask", "exit 1"),
        ("srun", "exec sleep 60"),
        ("openssl", ""),
        ("pyrograph", "touch scanned"),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{ending}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "SLURM_CPUS_PER_TASK": "2"}
    ran = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=env, timeout=30, check=False, capture_output=True)
    assert ran.returncode == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["programs", "scheduler.log"]  # no key is left


def test_a_scheduler_that_is_not_there_is_refused() -> None:
    """In a process of its own: Dask leaves the thread of a client that could not connect, and other tests fork."""
    script = (
        "from pyrograph.fleet import cluster\n"
        "cluster.CONNECT_SECONDS = 0.2\n"
        "try:\n"
        "    with cluster.connected('tcp://127.0.0.1:1'): pass\n"
        "except cluster.FleetError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    assert re.search(r"no scheduler answers.*dask scheduler", ran.stdout)


def test_the_findings_of_a_fleet_are_those_of_single_scans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one test with a real scheduler and real scans, over the command line."""
    monkeypatch.setattr("pyrograph.fleet.run.connected", lambda where: connected(replace(where, in_process=True)))
    write_program(tmp_path / "many/shop")
    (tmp_path / "many/empty").mkdir()
    (tmp_path / "many/wrong").mkdir()
    (tmp_path / "many/wrong/pyrograph.toml").write_text("selekt = []\n", encoding="utf-8")
    text = '[[repository]]\ndirectory = "many"\n[[repository]]\npath = "none"\n'
    (tmp_path / "fleet.toml").write_text(text, encoding="utf-8")

    def run(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli, ["fleet", *arguments], standalone_mode=False)
        assert result.exception is None, result.exception
        assert result.return_value == code, result.output
        return result.output

    listed = run("scan", str(tmp_path / "fleet.toml"), "--dry-run")
    assert [line.split("\t")[0] for line in listed.splitlines()] == ["many/empty", "many/shop", "many/wrong", "none"]
    run("scan", str(tmp_path / "fleet.toml"), "--strict", "--workers", "2", code=3)
    found = statuses(tmp_path)
    assert {name: status for name, (status, _) in found.items()} == {
        "many/shop": "done", "many/empty": "done", "many/wrong": "failed", "none": "failed"
    }  # fmt: skip
    assert "pyrograph.toml:1: selekt: unknown key" in found["many/wrong"][1]
    assert "is not there" in found["none"][1]
    listed = run("list", "--store", str(tmp_path / "fleet.db"), "--trouble")
    assert [line.split("\t")[:3] for line in listed.splitlines()] == [
        ["many/wrong", "0", "failed"],
        ["none", "0", "failed"],
    ]

    single = tmp_path / "single.json"
    command = [sys.executable, "-m", "pyrograph", "scan", str(tmp_path / "many/shop"), "--exit-zero"]
    subprocess.run([*command, "--format", f"json:{single}"], check=True, capture_output=True)
    with open_store(str(tmp_path / "fleet.db"), writable=False) as store, store.reading() as connection:
        digests = select(tables.scans.c.json).where(tables.scans.c.lines > 0)
        kept = connection.execute(
            select(tables.reports.c.content).where(tables.reports.c.digest.in_(digests.scalar_subquery()))
        ).scalars()
        assert [gzip.decompress(each) for each in kept] == [single.read_bytes()]
        rows = connection.execute(select(tables.findings)).mappings().all()
    (expected,) = json.loads(single.read_bytes())["findings"]
    assert [{key: row[key] for key in row if key in expected} for row in rows] == [
        {key: expected[key] for key in expected if key in rows[0]}
    ]
    id = expected["fingerprint"][:8]
    store_ = ("--store", str(tmp_path / "fleet.db"))
    assert "marked false" in run("mark", "many/shop", id, "false", "--reason", "a test", *store_)
    listed = run("list", *store_)
    assert "many/shop\t0\tdone" in listed


def test_a_missing_package_and_a_missing_store_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(cli, ["fleet", "list", "--store", str(tmp_path / "none")], standalone_mode=False)
    assert "there is no store" in str(result.exception)
    command = ["fleet", "mark", "shop", "0", "later", "--store", str(tmp_path / "none")]
    assert "there is no store" in str(CliRunner().invoke(cli, command, standalone_mode=False).exception)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("pyrograph.cli.fleet.find_spec", lambda name: None)
    result = CliRunner().invoke(cli, ["fleet", "list"], standalone_mode=False)
    assert "pip install 'pyrograph-scan[fleet]'" in str(result.exception)


def test_the_commands_that_scan_one_directory_import_nothing_of_the_fleet() -> None:
    script = (
        "import sys, pyrograph.cli.scan, pyrograph.api; "
        "print([name for name in sys.modules if name.startswith(('pyrograph.fleet', 'sqlalchemy', 'distributed'))])"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
