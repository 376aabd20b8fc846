"""A real PostgreSQL for tests, on a free port of this machine, in a directory of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOUND = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) if Path("/usr/lib/postgresql").is_dir() else []
USER = "postgres"


def why_not() -> str:
    """Why no server can be started here; "" where one can."""
    if not FOUND:
        return "no PostgreSQL is installed (Debian: apt-get install postgresql)"
    if os.name == "posix" and os.geteuid() == 0:
        import pwd

        if shutil.which("runuser") is None or USER not in {each.pw_name for each in pwd.getpwall()}:
            return f"PostgreSQL refuses to run as root, and there is no user {USER}"
    return ""


class Server:
    """A server, and its address; it can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"
        self.run("initdb", "-D", "data", "-U", USER, "-A", "trust", "--no-sync")

    def run(self, program: str, *arguments: str) -> None:
        command = [str(FOUND[-1].with_name(program)), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        subprocess.run(command, cwd=self.folder, check=True, stdout=subprocess.DEVNULL, timeout=120)

    def start(self) -> None:
        settings = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", settings, "start")

    def stop(self) -> None:
        self.run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")


@contextmanager
def server() -> Iterator[Server]:
    """A running server with an empty database."""
    folder = Path(tempfile.mkdtemp(prefix="pyrograph-postgres-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        made = Server(folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
