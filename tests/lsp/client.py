"""A client of the language server over pipes: plain JSON-RPC, with nothing between a test and the protocol."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.warm import warm

PATIENCE = 120  # seconds until a test fails that waits for what never comes

Message = dict[str, Any]


def uri(path: Path) -> str:
    return path.as_uri()


class Session:
    """One server, from ``initialize`` to ``exit``."""

    def __init__(
        self,
        *folders: Path,
        cache: Path,
        cwd: Path,
        settings: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        encodings: Sequence[str] | None = None,
        configuration: Mapping[str, Any] | None = None,  # answers to workspace/configuration, by URI
    ) -> None:
        self.configuration = configuration
        environment = {**os.environ, "XDG_CACHE_HOME": str(warm(cache))}
        environment.pop("PYTHONSAFEPATH", None)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pyrograph", "lsp", "--stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=cwd,
        )  # fmt: skip
        self.received: Queue[Message | None] = Queue()
        self.seen: list[Message] = []  # notifications and requests of the server, in order
        self.diagnostics: dict[str, list[Message]] = {}  # by URI: the last that were published
        self.versions: dict[str, int | None] = {}
        self.edits: list[Message] = []  # that the server asked for
        self.answers: dict[int, Message] = {}
        self.count = 0
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        offered: dict[str, Any] = {
            "workspace": {
                "applyEdit": True,
                "workspaceEdit": {"documentChanges": True},
                "workspaceFolders": True,
                "didChangeWatchedFiles": {"dynamicRegistration": True},
                "configuration": configuration is not None,
            },
            "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
            "window": {"workDoneProgress": True},
        }
        if encodings is not None:
            offered["general"] = {"positionEncodings": list(encodings)}
        offered |= capabilities or {}
        answer = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": offered,
                "initializationOptions": {"debounce": 0, **(settings or {})},
                "workspaceFolders": [{"uri": uri(each), "name": each.name} for each in folders],
            },
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized", {})

    # Messages

    def _read(self) -> None:
        assert self.process.stdout is not None
        stream = self.process.stdout
        while line := stream.readline():
            size = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    size = int(value)
                line = stream.readline()
            self.received.put(json.loads(stream.read(size)))
        self.received.put(None)

    def _write(self, message: Message) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self._write({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> int:
        """Send a request; ``answer`` waits for what it returns."""
        self.count += 1
        self._write({"id": self.count, "method": method, "params": params})
        return self.count

    def answer(self, number: int) -> Any:
        self.until(lambda: number in self.answers)
        message = self.answers[number]
        assert "error" not in message, message
        return message["result"]

    def request(self, method: str, params: Any) -> Any:
        return self.answer(self.ask(method, params))

    def until(self, reached: Callable[[], object]) -> None:
        """Take messages until something holds."""
        while not reached():
            try:
                message = self.received.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"nothing came; seen: {[each.get('method') for each in self.seen]}") from None
            assert message is not None, "the server ended"
            self._take(message)

    def _take(self, message: Message) -> None:
        method = message.get("method")
        if method is None:
            self.answers[message["id"]] = message
            return
        self.seen.append(message)
        params = message.get("params")
        if method == "textDocument/publishDiagnostics":
            assert isinstance(params, dict)
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        if "id" in message:
            self._write({"id": message["id"], "result": self._result(method, params)})

    def _result(self, method: str, params: Any) -> Any:
        if method == "workspace/applyEdit":
            self.edits.append(params["edit"])
            return {"applied": True}
        if method == "workspace/configuration":
            known = self.configuration or {}
            return [known.get(item.get("scopeUri")) for item in params["items"]]
        return None

    # Documents

    def open(self, path: Path, text: str | None = None, version: int = 1) -> str:
        written = path.read_bytes().decode() if text is None else text
        item = {"uri": uri(path), "languageId": path.suffix[1:], "version": version, "text": written}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri(path)

    def change(self, path: Path, text: str, version: int) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri(path), "version": version}, "contentChanges": [{"text": text}]},
        )

    def save(self, path: Path) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri(path)}})

    def close(self, path: Path) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri(path)}})

    def watched(self, path: Path, kind: int = 2) -> None:
        self.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri(path), "type": kind}]})

    def shown(self, path: Path) -> list[Message]:
        return self.diagnostics.get(uri(path), [])

    def codes(self, path: Path) -> list[str]:
        return [each["code"] for each in self.shown(path)]

    def command(self, name: str, *arguments: str) -> Any:
        return self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def logged(self) -> list[str]:
        return [each["params"]["message"] for each in self.seen if each["method"] == "window/logMessage"]

    def finished(self, count: int = 1) -> None:
        """Wait until so many scans have ended since the session began."""
        self.until(lambda: sum(" suppressed in " in each for each in self.logged()) >= count)

    def end(self) -> None:
        """Leave as the protocol wants it; the server must end with 0."""
        if self.process.poll() is None:
            self.request("shutdown", None)
            self.notify("exit", None)
        assert self.process.wait(timeout=PATIENCE) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=PATIENCE)
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "a process that the server started holds its output open"
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
