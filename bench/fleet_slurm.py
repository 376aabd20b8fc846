"""Does a fleet run on SLURM as docs/fleet.md says? A SLURM of one node, made for the time of this command.

    python bench/fleet_slurm.py FOLDER DIRECTORY...

FOLDER gets the configuration, logs and stores, and must be empty or new. Each DIRECTORY is a repository. They are
scanned three times: by a cluster on this machine, by the batch script of docs/fleet.md, and on workers that
dask-jobqueue submits, as the program in docs/fleet.md does it. The JSON reports must be equal, byte for byte.

It needs slurmctld, slurmd, sbatch and munged (Debian: ``apt-get install slurmctld slurmd slurm-client munge``), and
the Python package dask-jobqueue. What is missing is named, and the exit code is 0: nothing was tried. No file outside
FOLDER is written, and no other SLURM of this machine is used.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import select

from pyrograph.fleet.store import open_store, tables

DOCUMENT = Path(__file__).parents[1] / "docs" / "fleet.md"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "scancel")
PATIENCE = 60.0  # seconds for a daemon to answer
LONGEST = 540.0  # seconds of one run

CONFIGURATION = """\
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} RealMemory={megabytes} State=UNKNOWN
PartitionName=bench Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def missing() -> list[str]:
    """What this machine has not."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    found = [each for each in PROGRAMS if shutil.which(each, path=path) is None]
    return found + ["dask-jobqueue"] * (importlib.util.find_spec("dask_jobqueue") is None)


def free_ports(count: int) -> list[int]:
    """Ports that nothing listens at now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """A SLURM of one node; the environment in which its commands, and those of dask, find it."""
    for name in ("state", "spool", "log", "munge"):
        (folder / name).mkdir()
    (folder / "munge").chmod(0o755)
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            folder=folder,
            host=socket.gethostname().partition(".")[0],
            user=pwd.getpwuid(os.getuid()).pw_name,
            ports=free_ports(2),
            processors=len(os.sched_getaffinity(0)),
            megabytes=int(memory / (1 << 20) * 0.8),
        ),
        encoding="utf-8",
    )
    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    env = {**os.environ, "PATH": path, "SLURM_CONF": str(configuration)}
    munge = ["munged", "--foreground", "--force", f"--socket={folder}/munge/socket", f"--key-file={key}"]
    munge += [f"--{name}-file={folder}/munge/{name}" for name in ("log", "pid", "seed")]
    running = []
    try:
        with (folder / "log" / "daemons").open("wb") as said:
            for command in (munge, ["slurmctld", "-D"], ["slurmd", "-D"]):
                running.append(subprocess.Popen(command, env=env, stdout=said, stderr=said))
                time.sleep(1)
        until = time.monotonic() + PATIENCE
        while "idle" not in output(["sinfo", "--noheader", "--format=%T"], env):
            if time.monotonic() > until:
                raise SystemExit(f"SLURM does not start; see {folder}/log")
            time.sleep(1)
        yield env
        output(["scancel", "--full", f"--user={pwd.getpwuid(os.getuid()).pw_name}"], env)
        time.sleep(2)
    finally:
        for each in reversed(running):
            each.terminate()
            try:
                each.wait(10)
            except subprocess.TimeoutExpired:
                each.kill()


def output(command: list[str], env: dict[str, str], folder: Path | None = None) -> str:
    said = subprocess.run(
        command,
        env=env,
        cwd=folder,
        timeout=LONGEST,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return said.stdout


def documented(language: str, mark: str) -> str:
    """The block of code in the document that has ``mark`` in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (found,) = (each for each in blocks if mark in each)
    return str(found)


def reports(store: Path) -> dict[str, bytes]:
    """The JSON report of each repository."""
    asked = (
        select(tables.repositories.c.name, tables.reports.c.content)
        .select_from(tables.scans.join(tables.revisions).join(tables.repositories))
        .join(tables.reports, tables.scans.c.json == tables.reports.c.digest)
    )
    with open_store(str(store), writable=False) as opened, opened.reading() as connection:
        return {row.name: gzip.decompress(row.content) for row in connection.execute(asked)}


def small(text: str) -> str:
    """The document's example with what this machine has, instead of what a cluster has."""
    sizes = {"--nodes=4": "--nodes=1", "--cpus-per-task=16": "--cpus-per-task=2", "--mem=64G": "--mem=4G"}
    sizes |= {"MEMORY=60e9": "MEMORY=3e9", "cores=16": "cores=2", '"64GB"': '"4GB"', "jobs=4": "jobs=1"}
    for large, little in sizes.items():
        text = text.replace(large, little)
    return text


def by_batch(folder: Path, env: dict[str, str]) -> str:
    """Submit the batch script, and wait for its end; what it wrote."""
    script = folder / "fleet.sbatch"
    script.write_text(small(documented("sh", "#SBATCH")), encoding="utf-8")
    subprocess.run(["bash", "-n", str(script)], check=True)
    waiting = ["sbatch", "--wait", f"--output={folder}/batch.log", script.name]
    subprocess.run(waiting, cwd=folder, env=env, check=False, timeout=LONGEST)
    return (folder / "batch.log").read_text(encoding="utf-8")


def by_jobqueue(folder: Path, env: dict[str, str]) -> str:
    """Run the program with dask-jobqueue; what it wrote."""
    program = folder / "fleet_slurm.py"
    program.write_text(small(documented("python", "SLURMCluster")), encoding="utf-8")
    return output([sys.executable, program.name], env, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="an empty or new directory on a disk that allows sockets")
    parser.add_argument("repositories", type=Path, nargs="+", help="directories to scan")
    given = parser.parse_args()
    if lacking := missing():
        print(f"not tried; this machine lacks {', '.join(lacking)}")
        return
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        parser.error(f"{folder} is not empty")
    named = [
        f"[[repository]]\npath = {json.dumps(str(each.resolve()))}\nname = {json.dumps(each.name)}\n"
        for each in given.repositories
    ]
    ways = {"local": None, "batch": by_batch, "jobqueue": by_jobqueue}
    for way in ways:
        (folder / way).mkdir()
        (folder / way / "fleet.toml").write_text('memory = "1 GiB"\n' + "\n".join(named), encoding="utf-8")
    local = [sys.executable, "-m", "pyrograph", "fleet", "scan", "fleet.toml", "--quiet", "--strict"]
    subprocess.run(local, cwd=folder / "local", check=True, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
    expected = reports(folder / "local" / "fleet.db")
    with slurm(folder) as env:
        for way, run in ways.items():
            if run is None:
                continue
            before = time.monotonic()
            said = run(folder / way, {**env, "XDG_CACHE_HOME": str(folder / f"cache-{way}")})
            print(f"{way}, {time.monotonic() - before:.0f} s:\n{said}")
            same = reports(folder / way / "fleet.db") == expected
            print(f"{way}: {len(expected)} reports equal, byte for byte: {same}", flush=True)


if __name__ == "__main__":
    main()
