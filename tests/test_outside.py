"""Faults from outside: signals, killed workers, missing resources, spoiled caches, files that change or are none."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.warm import warm

from pyrograph.cli import progress

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

FLOW = """\
import os
from flask import request

def view():
    os.system(request.args["c"])
"""
FUNCTIONS = "".join(f"def f{number}(a, b):\n    return a + b * {number}\n\n" for number in range(3000))
# As much text for workers, which takes little time to analyse; a grammar is slow with long runs of comments.
PADDING = ("y = 0\n" + f"# {'-' * 76}\n" * 9) * (len(FUNCTIONS) // 710)
HANG = 120  # seconds after which a test gives up

# Shells start background jobs with SIGINT ignored, and so their children.
START = """\
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
{plant}
from pyrograph.__main__ import run
run()
"""
BLOCK = """\
import {module}
def planted(*arguments, **named):
    open({marker!r}, "w").close()
    {deed}
{module}.{name} = planted
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    (project / "good.py").write_text(FLOW, encoding="utf-8")
    return project


def environment(folder: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": str(warm(folder.parent / "cache")),
    }


def start(folder: Path, plant: str = "", *arguments: str, **settings: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", START.format(plant=plant), "scan", ".", "--root", ".", *arguments]
    settings = {"env": environment(folder), **settings}
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True,
        **settings,
    )  # fmt: skip


def outputs(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process prints; one that hangs is ended with its children, and the failure shows what each was doing."""
    try:
        return process.communicate(timeout=HANG)
    except subprocess.TimeoutExpired:
        children = session(process.pid)
        for pid in (process.pid, *children):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            out, err = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            out = err = "somebody outside of the session holds the output open"
        shown = "\n".join(children.values())
        pytest.fail(f"no end within {HANG} s\n{shown}\n{err}\n{out[:1000]}")


def session(leader: int) -> dict[int, str]:
    """Other processes of a session, orphans among them, each with its line of /proc: state, CPU time and memory say
    what hangs.
    """
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            stat = path.read_text(encoding="utf-8", errors="replace").strip()
            if int(stat.rpartition(")")[2].split()[3]) == leader and int(path.parent.name) != leader:
                found[int(path.parent.name)] = stat
    return dict(sorted(found.items()))


def scan(folder: Path, plant: str = "", *arguments: str, **settings: Any) -> tuple[int, dict[str, Any], str]:
    """Exit code, JSON report and what stands on standard error."""
    process = start(folder, plant, "--format", "json", *arguments, **settings)
    out, err = outputs(process)
    assert "Traceback" not in err, err
    return process.returncode, json.loads(out) if out else {}, err


def found(document: dict[str, Any]) -> list[str]:
    return [finding["path"] for finding in document["findings"]]


def problems(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem["kind"], problem["path"]) for problem in document["problems"]]


def wait_for(marker: Path) -> None:
    until = time.monotonic() + HANG
    while not marker.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


def alive(group: int) -> bool:
    """Whether a process group still has a process that is no zombie."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group and fields[0] != "Z":
                return True
    return False


def wait_for_end(group: int) -> None:
    until = time.monotonic() + HANG
    while alive(group):
        assert time.monotonic() < until
        time.sleep(0.02)


# -- signals

STAGES = [
    ("pyrograph.scanner.inputs", "discover"),
    ("pyrograph.scanner.analysis.lower", "lower"),
    ("pyrograph.scanner.analysis.link", "link"),
    ("pyrograph.scanner.analysis.resolve", "resolve"),
    ("pyrograph.scanner.analysis.label", "label"),
    ("pyrograph.scanner.analysis.assemble", "assemble"),
    ("pyrograph.scanner.analysis.search", "search"),
    ("pyrograph.scanner.explain", "explain"),
    ("pyrograph.report.text", "render"),
]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(("module", "name"), STAGES)
def test_a_signal_ends_a_scan_in_any_stage(
    folder: Path, tmp_path: Path, number: signal.Signals, code: int, module: str, name: str
) -> None:
    marker = tmp_path / "here"
    plant = BLOCK.format(module=module, name=name, marker=str(marker), deed="time.sleep(1000)")
    process = start(folder, plant)
    wait_for(marker)
    process.send_signal(number)
    out, err = outputs(process)
    assert (process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert err.count("\n") == 1


def test_a_signal_ends_native_code_that_never_looks_for_one_and_its_workers(folder: Path, tmp_path: Path) -> None:
    for number in range(8):
        (folder / f"long{number}.py").write_text(PADDING + f"x = {number}\n", encoding="utf-8")
    marker = tmp_path / "here"
    plant = BLOCK.format(
        module="pyrograph.scanner.analysis.lower",
        name="lower",
        marker=str(marker),
        deed=f"open({str(tmp_path / 'group')!r}, 'w').write(str(os.getpgid(0))); sum(range(10 ** 12))",
    )
    process = start(folder, plant, "--jobs", "2")
    wait_for(marker)
    wait_for(tmp_path / "group")
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = outputs(process)
    assert process.returncode == 130
    assert "Traceback" not in err
    group = int((tmp_path / "group").read_text())
    assert group != os.getpgid(0)
    wait_for_end(group)


def test_a_report_that_a_signal_cuts_short_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "here"
    plant = BLOCK.format(module="pyrograph.report.sarif", name="render", marker=str(marker), deed="time.sleep(1000)")
    process = start(folder, plant, "--format", f"sarif:{folder / 'out.sarif'}")
    wait_for(marker)
    process.send_signal(signal.SIGTERM)
    outputs(process)
    assert process.returncode == 143
    assert sorted(path.name for path in folder.iterdir()) == ["good.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux alone")
def test_a_scan_whose_parent_is_killed_ends(folder: Path, tmp_path: Path) -> None:
    marker, group = tmp_path / "here", tmp_path / "group"
    plant = BLOCK.format(
        module="pyrograph.scanner.analysis.resolve",
        name="resolve",
        marker=str(marker),
        deed=f"open({str(group)!r}, 'w').write(str(os.getpgid(0))); time.sleep(1000)",
    )
    process = start(folder, plant)
    wait_for(group)
    time.sleep(0.1)
    process.kill()
    outputs(process)
    wait_for_end(int(group.read_text()))


# -- workers


@pytest.mark.parametrize("deed", ["os.kill(os.getpid(), 9)", "os._exit(1)", "raise MemoryError"])
def test_a_worker_that_dies_costs_the_file_it_was_on(folder: Path, deed: str) -> None:
    for number in range(8):
        (folder / f"long{number}.py").write_text(FLOW + PADDING + f"x = {number}\n", encoding="utf-8")
    plant = f"""\
import pyrograph.scanner.analysis.lower as module
original = module.lower
def planted(text, language):
    if bytes(text).endswith(b"x = 5\\n"):
        {deed}
    return original(text, language)
module.lower = planted
"""
    code, document, _ = scan(folder, plant, "--jobs", "2")
    assert code == 1
    assert problems(document) == [("internal-error", "long5.py")]
    assert found(document) == ["good.py", *(f"long{number}.py" for number in range(8) if number != 5)]


def test_workers_end_with_the_process_that_started_them(folder: Path, tmp_path: Path) -> None:
    for number in range(6):
        (folder / f"long{number}.py").write_text(FLOW + PADDING + f"x = {number}\n", encoding="utf-8")
    plant = f"""\
import pyrograph.scanner.analysis.lower as lower
import pyrograph.scanner.analysis.workers as workers
works, over = {str(tmp_path / "works")!r}, {str(tmp_path / "over")!r}
original, following = lower._dumped, workers._next
def dumped(text, language):
    if b"x = 3" in text and not os.path.exists(works):
        open(works, "w").close()
        time.sleep(1000)
    return original(text, language)
def ended(*arguments):
    while not os.path.exists(over):
        if os.path.exists(works):
            open(over, "w").close()
            os._exit(1)
    return following(*arguments)
lower._dumped, workers._next = dumped, ended
"""
    code, document, err = scan(folder, plant, "--jobs", "2")  # the output ends when no process holds it open
    assert "starting again" in err
    assert (code, len(found(document)), problems(document)) == (1, 7, [("limit", "")])  # the second attempt is in parts


# -- resources


def limited(kind: str, amount: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(getattr(resource, kind), (amount, amount))


@pytest.mark.skipif(sys.platform != "linux", reason="limits mean other things elsewhere")
@pytest.mark.parametrize(
    ("kind", "amounts", "padding"),
    [
        ("RLIMIT_AS", (60 << 20, 120 << 20, 250 << 20, 400 << 20, 700 << 20), FUNCTIONS),
        ("RLIMIT_NOFILE", (4, 6, 8, 12, 20, 40), PADDING),
        ("RLIMIT_FSIZE", (0, 1000, 100_000), FUNCTIONS),
    ],
    ids=("RLIMIT_AS", "RLIMIT_NOFILE", "RLIMIT_FSIZE"),
)
def test_a_limit_of_the_system_gives_a_report_or_a_line(
    folder: Path, kind: str, amounts: Sequence[int], padding: str
) -> None:
    for number in range(6):
        (folder / f"long{number}.py").write_text(FLOW + padding + f"x = {number}\n", encoding="utf-8")
    codes = []
    for amount in amounts:
        process = start(folder, "", "--format", "json", "--jobs", "2", preexec_fn=limited(kind, amount))
        out, err = outputs(process)
        codes.append(process.returncode)
        if "Fatal Python error" not in err:  # Python itself could not start
            assert process.returncode != 1 or out, err  # 1 means findings, also where a library ends the process
        if process.returncode in (0, 1) and out:
            document = json.loads(out)
            lost = [path for _, path in problems(document)]
            assert len(found(document)) + len(lost) >= 7
        elif "pyrograph" in err and "Fatal Python error" not in err and "ImportError" not in err:
            assert process.returncode in (2, 130), err  # or Python itself could not start
            assert "Traceback" not in err.rpartition("pyrograph: ")[2]
    assert codes[-1] == 1


# What CPython does where not even 32 bytes can be had for an exception: it computes for ever.
STARVING = """\
import importlib, mmap, resource
from pyrograph.cli.starvation import Starvation
supervise = importlib.import_module("pyrograph.cli.supervise")  # the package has a function of this name
supervise.Starvation = lambda group: Starvation(group, cpu_seconds=0.3)
supervise.WATCH_SECONDS = 0.1
def starve():
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    size = int(open("/proc/self/stat").read().rpartition(")")[2].split()[20])
    filled = mmap.mmap(-1, (limit - size) // mmap.PAGESIZE * mmap.PAGESIZE - (1 << 20))
    while True:
        pass
{plant}
"""
STARVING_STAGE = """\
import pyrograph.scanner.analysis.link as module
original = module.link
def planted(*arguments, **named):
    if not os.path.exists({marker!r}):
        open({marker!r}, "w").close()
        starve()
    return original(*arguments, **named)
module.link = planted
"""
STARVING_WORKER = """\
import pyrograph.scanner.analysis.lower as module
original = module._dumped
def planted(text, language):
    if b"x = 3" in text:
        starve()
    return original(text, language)
module._dumped = planted
"""


def starving(folder: Path, plant: str) -> tuple[int, dict[str, Any], str]:
    """A scan with plenty of memory under a limit, of files that go to workers."""
    for number in range(6):
        (folder / f"long{number}.py").write_text(FLOW + PADDING + f"x = {number}\n", encoding="utf-8")
    return scan(folder, STARVING.format(plant=plant), "--jobs", "2", preexec_fn=limited("RLIMIT_AS", 4 << 30))


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux can tell")
def test_a_stage_that_computes_for_ever_without_memory_is_made_again_in_parts(folder: Path, tmp_path: Path) -> None:
    code, document, err = starving(folder, STARVING_STAGE.format(marker=str(tmp_path / "here")))
    assert "the scan ran out of memory in stage link; starting again in parts" in err
    assert (code, len(found(document))) == (1, 7)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux can tell")
def test_a_worker_that_computes_for_ever_without_memory_costs_its_file(folder: Path) -> None:
    code, document, _ = starving(folder, STARVING_WORKER)
    assert code == 1
    assert problems(document) == [("internal-error", "long3.py")]
    assert len(found(document)) == 6


# A limit on processes (``ulimit -u``) counts threads, too; it does not hold for root, so what it does is planted.
REFUSED = """\
import _thread, threading
def refused(*arguments):
    raise BlockingIOError(11, "Resource temporarily unavailable")
def no_thread(*arguments):
    raise RuntimeError("can't start new thread")
{what}
"""
LIMITED = [
    "os.fork = refused",
    "os.pipe = refused",
    "threading.Thread.start = _thread.start_new_thread = no_thread",
    "os.fork = refused; threading.Thread.start = _thread.start_new_thread = no_thread",
]


@pytest.mark.parametrize("what", LIMITED)
def test_a_user_who_may_start_no_process_or_thread_gets_the_same_report(folder: Path, what: str) -> None:
    for number in range(6):
        (folder / f"long{number}.py").write_text(FLOW + PADDING + f"x = {number}\n", encoding="utf-8")
    plant = REFUSED.format(what=what)
    code, document, err = scan(folder, plant, "--jobs", "2")
    assert (code, len(found(document)), problems(document)) == (1, 7, [])
    assert err == "pyrograph: 7 findings in 7 files\n"
    assert scan(folder, plant, "--jobs", "2") == (code, document, err)  # with what the first left in the cache


def test_an_internal_error_costs_its_file_where_no_process_can_be_started(folder: Path) -> None:
    (folder / "bad.py").write_text(FLOW, encoding="utf-8")
    plant = (
        REFUSED.format(what=LIMITED[-1])
        + """\
import pyrograph.scanner.analysis.link as module
original = module.link
def planted(paths, *rest):
    if "bad.py" in paths:
        raise ZeroDivisionError("planted")
    return original(paths, *rest)
module.link = planted
"""
    )
    code, document, err = scan(folder, plant)
    assert (code, found(document), problems(document)) == (1, ["good.py"], [("internal-error", "bad.py")])
    assert "incomplete: 1 internal error" in err


def test_what_needs_a_process_says_so_where_none_can_be_started(folder: Path) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    plant = (
        REFUSED.format(what=LIMITED[-1])
        + """\
import subprocess
class Refused:
    def __init__(self, *arguments, **named):
        refused()
subprocess.Popen = Refused
"""
    )
    code, document, err = scan(folder, plant, "--changed-since", "HEAD")
    assert (code, document) == (2, {})
    assert err == "pyrograph: git could not be started: Resource temporarily unavailable\n"
    for arguments in (["scan", "."], ["--interesting", "true", "scan", "."]):
        command = [sys.executable, "-c", START.format(plant=plant), "reduce", *arguments]
        done = subprocess.run(
            command, cwd=folder, env=environment(folder), capture_output=True, encoding="utf-8", check=False,
            timeout=HANG,
        )  # fmt: skip
        assert done.returncode == 2
        assert "cannot start a process (see `ulimit -u` and `ulimit -n`): Resource temporarily" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_progress_bar_that_gets_no_thread_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def no_thread(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.progress_bar(wanted=True) as show:
        assert show is not None
        show("lower", 0, 2)
        show("lower", 1, 2)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
@pytest.mark.parametrize("form", ["json", "text", "sarif"])
def test_a_full_disk_is_one_line(folder: Path, form: str) -> None:
    process = start(folder, "", "--format", f"{form}:/dev/full")
    out, err = outputs(process)
    assert (process.returncode, out) == (2, "")
    assert "No space left" in err
    assert "Traceback" not in err
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "pyrograph", "scan", ".", "--root", ".", "--format", form]
        done = subprocess.run(
            command, cwd=folder, env=environment(folder), stdout=full, stderr=subprocess.PIPE, check=False,
            encoding="utf-8", timeout=HANG,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("place", ["/proc/none", "/dev/null/none", "file"])
def test_a_cache_that_cannot_be_written_costs_nothing(folder: Path, place: str) -> None:
    (folder.parent / "file").write_text("", encoding="utf-8")
    home = str(folder.parent / place) if place == "file" else place
    code, document, err = scan(folder, env={**environment(folder), "XDG_CACHE_HOME": home, "HOME": home})
    assert (code, found(document), problems(document), err) == (1, ["good.py"], [], "pyrograph: 1 finding in 1 file\n")


def _units(folder: Path) -> Path:
    return folder.parent / "cache" / "pyrograph" / "units-2.sqlite"


def _change_a_bit(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        for key, unit in connection.execute("select key, unit from units").fetchall():
            middle = len(unit) // 2
            changed = unit[:middle] + bytes([unit[middle] ^ 1]) + unit[middle + 1 :]
            connection.execute("update units set unit = ? where key = ?", (changed, key))
    connection.close()


def _make_other_tables(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("create table units (key integer, unit text, more text)")
        connection.execute("insert into units values (1, 'a', 'b')")
    connection.close()


def _make_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _spoil_rules(path: Path) -> None:
    for file in (path.parent / "rules").iterdir():
        file.write_bytes(b"[" * 100_000)


SPOILED: dict[str, Callable[[Path], object]] = {
    "noise": lambda path: path.write_bytes(os.urandom(50_000)),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "one bit": _change_a_bit,
    "other tables": _make_other_tables,
    "directory": _make_directory,
    "pipe": _make_pipe,
    "rules": _spoil_rules,
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_cache_changes_nothing(folder: Path, spoil: Callable[[Path], object]) -> None:
    first = scan(folder)
    path = _units(folder)
    assert path.is_file()
    assert list((path.parent / "rules").iterdir())
    spoil(path)
    reports = list((path.parent / "reports").iterdir())
    assert reports
    for file in reports:
        file.write_bytes(b"[" * 100_000)
    assert scan(folder) == first
    assert scan(folder) == first


def test_two_scans_share_a_cache(folder: Path) -> None:
    for number in range(6):
        (folder / f"long{number}.py").write_text(FLOW + FUNCTIONS + f"x = {number}\n", encoding="utf-8")
    processes = [start(folder, "", "--format", "json", "--jobs", "2") for _ in range(3)]
    written = {outputs(process)[0] for process in processes}
    assert len(written) == 1
    assert [process.returncode for process in processes] == [1, 1, 1]
    assert scan(folder)[1] == json.loads(written.pop())


# -- files that change, vanish, or are none


def test_a_file_that_vanishes_before_it_is_read_is_reported(folder: Path) -> None:
    (folder / "more.py").write_text(FLOW, encoding="utf-8")
    plant = """\
import pyrograph.scanner.inputs as module
original = module.read_source
def planted(file):
    if file.path == "more.py" and os.path.exists("more.py"):
        os.unlink("more.py")
    return original(file)
module.read_source = planted
"""
    code, document, _ = scan(folder, plant)
    assert (code, found(document), problems(document)) == (1, ["good.py"], [("not-parsed", "more.py")])


def test_a_file_that_becomes_a_pipe_is_reported(folder: Path) -> None:
    (folder / "more.py").write_text(FLOW, encoding="utf-8")
    plant = """\
import pyrograph.scanner.inputs as module
original = module.read_source
def planted(file):
    if file.path == "more.py":
        os.unlink("more.py")
        os.mkfifo("more.py")
    return original(file)
module.read_source = planted
"""
    code, document, _ = scan(folder, plant)
    assert (code, found(document), problems(document)) == (1, ["good.py"], [("not-parsed", "more.py")])


@pytest.mark.parametrize("deed", ["os.unlink('good.py')", "open('good.py', 'w').write('x = 1')"])
def test_the_report_shows_the_text_that_was_analysed(folder: Path, deed: str) -> None:
    expected = scan(folder)
    plant = f"""\
import pyrograph.scanner.analysis.link as module
original = module.link
def planted(*arguments):
    {deed}
    return original(*arguments)
module.link = planted
"""
    assert scan(folder, plant, "--no-cache") == expected


def test_what_is_no_file_is_left_out(folder: Path) -> None:
    for name in ("pipe.py", ".gitignore", ".pyrographignore", "package.json", "go.mod", "page.html", "pyrograph.toml"):
        os.mkfifo(folder / name)
    (folder / "a.js").write_text("f(1)\n", encoding="utf-8")
    (folder / "b.go").write_text("package b\n", encoding="utf-8")
    with socket.socket(socket.AF_UNIX) as listener:
        before = os.getcwd()
        os.chdir(folder)  # names of sockets are short
        try:
            listener.bind("socket.py")
        finally:
            os.chdir(before)
        with suppress(OSError):
            os.mknod(folder / "device.py", 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero, where this user may
        code, document, _ = scan(folder)
    assert (code, found(document), problems(document)) == (1, ["good.py"], [])
    process = subprocess.run(
        [sys.executable, "-m", "pyrograph", "scan", "pipe.py", "good.py", "--root", ".", "--format", "json"],
        cwd=folder, env=environment(folder), capture_output=True, check=False, timeout=HANG,
    )  # fmt: skip
    assert problems(json.loads(process.stdout)) == [("not-parsed", "pipe.py")]
