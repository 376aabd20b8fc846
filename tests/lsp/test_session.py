"""The server as an editor sees it: one process on two pipes, and real scans of tiny programs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from tests.lsp.client import Session, uri

APP = """\
import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/run")
def run():
    os.system('\N{PILE OF POO}' + request.args["c"])
"""
FIXED = APP.replace("os\n", "os\nimport shlex\n", 1).replace('request.args["c"]', 'shlex.quote(request.args["c"])')
CLEAN = APP.replace('request.args["c"]', '"c"')
BOTH = f'{APP}\n\n@app.route("/two")\ndef two():\n    os.system(request.args["d"])\n'
HELPER = "import os\n\n\ndef helper(text):\n    os.system(text)\n"
CALLS_HELPER = APP.replace("import os\n", "from helper import helper\n").replace("os.system(", "helper(")
RULE = "python/command-injection"

Start = Callable[..., Session]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all sessions: reading the rules anew takes longer than a scan."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def start(tmp_path: Path, cache: Path) -> Iterator[Start]:
    """Starts sessions, and ends those that a test leaves."""
    sessions: list[Session] = []

    def make(*folders: Path, **given: Any) -> Session:
        session = Session(*folders, cache=cache, cwd=(folders or (tmp_path,))[0], **given)
        sessions.append(session)
        return session

    yield make
    for each in sessions:
        each.kill()


def program(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def at(session: Session, path: Path, place: dict[str, Any]) -> dict[str, Any]:
    return {"textDocument": {"uri": uri(path)}, "position": place}


def actions(session: Session, path: Path) -> list[dict[str, Any]]:
    (found,) = session.shown(path)
    return session.request(  # type: ignore[no-any-return]
        "textDocument/codeAction",
        {"textDocument": {"uri": uri(path)}, "range": found["range"], "context": {"diagnostics": [found]}},
    )


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """A text after edits of the protocol, whose columns are UTF-16 units."""
    lines = text.splitlines(keepends=True)

    def offset(position: dict[str, int]) -> int:
        line = lines[position["line"]].encode("utf-16-le")[: 2 * position["character"]]
        return len("".join(lines[: position["line"]])) + len(line.decode("utf-16-le"))

    for each in reversed(edits):
        start, end = (offset(each["range"][name]) for name in ("start", "end"))
        text = text[:start] + each["newText"] + text[end:]
    return text


def test_a_day_in_an_editor(start: Start, tmp_path: Path) -> None:
    """One session, because each costs a second: open, look, edit, suppress, save, and leave."""
    folder = program(tmp_path / "p", app=APP, other=APP.replace("/run", "/other"))
    harm = "import pathlib; pathlib.Path(__file__).with_suffix('.ran').touch(); raise SystemExit(9)\n"
    program(folder, numpy=harm, click=harm, sitecustomize=harm, pyrograph=harm)
    app, other = folder / "app.py", folder / "other.py"
    session = start(folder)
    session.open(app)
    session.finished()

    # the whole program, open or not; the column counts UTF-16 units
    assert session.codes(app) == session.codes(other) == [RULE]
    (found,) = session.shown(app)
    line = 9
    start_column = len("    os.system(")
    assert found["range"]["start"] == {"line": line, "character": start_column}
    assert found["range"]["end"] == {"line": line, "character": len("    os.system('xx' + request.args['c']")}
    assert (session.versions[uri(app)], session.versions[uri(other)]) == (1, None)
    assert not list(folder.glob("*.ran")), "modules of the scanned folder were imported"
    kinds = [each["params"]["value"]["kind"] for each in session.seen if each["method"] == "$/progress"]
    assert not kinds or (kinds[0], kinds[-1]) == ("begin", "end")  # none where the scan ended before our answer

    # looking
    hover = session.request("textDocument/hover", at(session, app, found["range"]["start"]))
    assert "Why it matters" in hover["contents"]["value"]
    assert session.request("textDocument/hover", at(session, app, {"line": 0, "character": 0})) is None
    lenses = session.request("textDocument/codeLens", {"textDocument": {"uri": uri(app)}})
    assert [each["command"]["title"] for each in lenses] == ["GET /run · 1 finding"]
    offered = actions(session, app)
    assert offered[0]["title"] == "Fix this command-injection: quote the value with `shlex.quote`"
    assert [each["title"].split(": ")[-1] for each in offered][2:5] == [
        "false positive",
        "the data is trusted",
        "accepted risk",
    ]
    path = session.command(offered[1]["command"]["command"], *offered[1]["command"]["arguments"])
    assert [each["kind"] for each in path["paths"][0]["steps"]] == ["source", "sink"]

    # a text that is not saved is what counts; taken back, it is as before
    session.change(app, CLEAN, 2)
    session.until(lambda: not session.shown(app))
    assert session.request("textDocument/hover", at(session, app, found["range"]["start"])) is None
    session.change(app, BOTH, 3)
    session.until(lambda: len(session.shown(app)) == 2)
    session.change(app, APP, 4)
    session.until(lambda: len(session.shown(app)) == 1)
    assert session.versions[uri(app)] == 4
    assert session.codes(other) == [RULE]

    # fix: the edit is verified, and made by the editor
    fix = actions(session, app)[0]["command"]
    assert session.command(fix["command"], *fix["arguments"]) is True
    (change,) = session.edits[-1]["documentChanges"]
    assert change["textDocument"] == {"uri": uri(app), "version": 4}
    assert edited(APP, change["edits"]) == FIXED

    # suppress: the comment is inserted by the editor, and the finding goes
    arguments = actions(session, app)[2]["command"]["arguments"]
    assert session.command("pyrograph.suppress", *arguments) is True
    (change,) = session.edits[-1]["documentChanges"]
    assert change["textDocument"] == {"uri": uri(app), "version": 4}
    (edit,) = change["edits"]
    assert edit["range"]["start"] == edit["range"]["end"] == {"line": line, "character": 0}
    assert edit["newText"] == "    # pyrograph: ignore[command-injection] false positive\n"
    lines = APP.splitlines(keepends=True)
    session.change(app, "".join([*lines[:line], edit["newText"], *lines[line:]]), 5)
    session.until(lambda: not session.shown(app))

    # an unused comment is shown
    session.change(app, "# pyrograph: ignore[xss] no\n" + CLEAN, 6)
    session.until(lambda: session.codes(app) == ["suppression"])

    # what was not saved goes with the document
    session.close(app)
    session.until(lambda: session.codes(app) == [RULE])

    # the baseline hides the finding of a file that is not open
    (known,) = session.shown(other)
    written = session.command("pyrograph.addToBaseline", uri(other), known["data"]["fingerprint"])
    assert Path(written) == folder / ".pyrograph-baseline.json"
    session.until(lambda: not session.shown(other))
    assert session.codes(app) == [RULE]

    # a file that another program changed
    app.write_text(CLEAN, encoding="utf-8")
    session.watched(app)
    session.until(lambda: not session.shown(app))

    # a configuration that cannot be used is a message, once, and no answer comes from an older result
    (folder / "pyrograph.toml").write_text("colour = 1\n", encoding="utf-8")
    session.watched(folder / "pyrograph.toml", 1)
    session.until(lambda: any(each["method"] == "window/showMessage" for each in session.seen))
    (message,) = [each["params"]["message"] for each in session.seen if each["method"] == "window/showMessage"]
    assert "pyrograph.toml:1: colour: unknown key" in message
    session.end()


def test_several_folders_with_settings_of_their_own(start: Start, tmp_path: Path) -> None:
    """Folders are scanned apart, the deepest shows a file, UTF-8 columns, settings by folder, loose files."""
    outer = program(tmp_path / "outer", app=APP)
    inner = program(outer / "inner", app=APP)
    (inner / "pyrograph.toml").write_text('ignore = ["command-injection"]\n', encoding="utf-8")
    script = program(
        tmp_path / "script", app=APP.replace("import os\n", "import os, sys\n") + "\nos.system(sys.argv[1])\n"
    )
    loose = program(tmp_path / "loose", app=CALLS_HELPER, helper=HELPER)
    configuration = {uri(script): {"threatModel": ["cli"], "nonsense": 1}}
    session = start(outer, inner, script, encodings=["utf-8", "utf-16"], configuration=configuration)
    assert session.capabilities["positionEncoding"] == "utf-8"
    session.finished(3)
    assert session.codes(outer / "app.py") == [RULE]
    assert session.codes(inner / "app.py") == []
    assert len(session.shown(script / "app.py")) == 2
    assert any("pyrograph.nonsense" in each for each in session.logged())
    (found,) = session.shown(outer / "app.py")
    assert found["range"]["end"]["character"] == len("    os.system('xxxx' + request.args['c']")

    # files outside of all folders: those that are open are one program
    session.open(loose / "app.py")
    session.finished(4)
    assert session.codes(loose / "helper.py") == []
    session.open(loose / "helper.py")
    session.until(lambda: session.codes(loose / "helper.py") == [RULE])
    session.close(loose / "app.py")
    session.close(loose / "helper.py")
    session.until(lambda: not session.shown(loose / "helper.py"))

    # a folder that leaves takes its diagnostics along
    event = {"added": [], "removed": [{"uri": uri(inner), "name": "inner"}, {"uri": uri(script), "name": "script"}]}
    session.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    session.until(lambda: not session.shown(script / "app.py"))
    session.until(lambda: session.codes(inner / "app.py") == [RULE])  # shown by the outer one now

    # settings that change
    session.configuration = {uri(outer): {"severity": "critical", "enabled": False}}
    session.notify("workspace/didChangeConfiguration", {"settings": None})
    session.until(lambda: not session.shown(outer / "app.py"))
    session.end()


def test_a_newer_edit_stops_a_scan_and_requests_are_answered_meanwhile(start: Start, tmp_path: Path) -> None:
    folder = program(tmp_path / "p", app=CLEAN, other=APP)
    app, other = folder / "app.py", folder / "other.py"
    resolving = {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}
    session = start(folder, capabilities={"textDocument": resolving, "workspace": {"applyEdit": True}})
    session.open(app)
    session.open(other)
    session.finished()
    (found,) = session.shown(other)
    texts = [BOTH + f"\n\nx = {number}\n" for number in range(20)]
    for version, text in enumerate(texts, start=2):
        session.change(app, text, version)
    assert session.request("textDocument/hover", at(session, other, found["range"]["start"])) is not None
    lenses = session.request("textDocument/codeLens", {"textDocument": {"uri": uri(app)}})
    assert [each["command"]["title"] for each in lenses] == ["GET /run · 1 finding", "GET /two · 1 finding"]
    session.until(lambda: session.versions[uri(app)] == len(texts) + 1)
    assert len(session.shown(app)) == 2

    # a client that asks for the edit of the action that was chosen, and takes no versions
    fix, _, action = actions(session, other)[:3]
    assert "command" not in fix
    assert "edit" not in fix
    ((address, edits),) = session.request("codeAction/resolve", fix)["edit"]["changes"].items()
    assert (address, edited(APP, edits)) == (uri(other), FIXED)
    assert "command" not in action
    resolved = session.request("codeAction/resolve", action)
    ((address, (edit,)),) = resolved["edit"]["changes"].items()
    assert address == uri(other)
    assert edit["newText"] == "    # pyrograph: ignore[command-injection] false positive\n"
    gone = {**fix, "data": {"fix": [uri(other), "no fingerprint"]}}
    assert "edit" not in session.request("codeAction/resolve", gone)
    gone = {**action, "data": {"suppress": [uri(other), "no fingerprint", "x"]}}
    assert "edit" not in session.request("codeAction/resolve", gone)
    said = [each["params"]["message"] for each in session.seen if each["method"] == "window/showMessage"]
    assert all(any(words in each for each in said) for words in ("nothing was edited", "no suppression comment"))

    # a request that waits for a scan can be cancelled
    ended = len(session.logged())
    session.notify("workspace/didChangeConfiguration", {"settings": {"pyrograph": {"debounce": 60_000}}})
    session.until(lambda: len(session.logged()) > ended)
    session.change(app, CLEAN, 99)
    waiting = session.ask("textDocument/codeLens", {"textDocument": {"uri": uri(app)}})
    session.notify("$/cancelRequest", {"id": waiting})
    session.until(lambda: waiting in session.answers)
    assert session.answers[waiting]["error"]["code"] == -32800
    assert len(session.shown(app)) == 2
    session.save(app)  # does not wait for a pause
    session.until(lambda: not session.shown(app))
    session.end()


@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes of the server in /proc")
def test_a_crash_of_the_analysis_is_not_the_end_of_the_server(start: Start, tmp_path: Path) -> None:
    def children(pid: int) -> list[int]:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    folder = program(tmp_path / "p", app=APP)
    session = start(folder, capabilities={"window": {"workDoneProgress": False}})
    session.open(folder / "app.py")
    session.finished()
    (worker,) = children(session.process.pid)
    os.kill(worker, signal.SIGKILL)
    session.change(folder / "app.py", CLEAN, 2)
    session.until(lambda: not session.shown(folder / "app.py"))
    (other,) = children(session.process.pid)
    assert other != worker

    # a server that is killed leaves no process behind
    session.kill()
    while Path(f"/proc/{other}").exists() and "Z" not in Path(f"/proc/{other}/stat").read_text().rpartition(")")[2]:
        pass


def test_without_its_package_the_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.cli import lsp
    from pyrograph.cli.errors import Refusal

    monkeypatch.setattr(lsp, "find_spec", lambda name: None)
    with pytest.raises(Refusal, match=r"pip install 'pyrograph-scan\[lsp\]'"):
        lsp.lsp.callback(False, None, False, False)  # type: ignore[misc]
