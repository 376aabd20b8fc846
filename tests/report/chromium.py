"""A headless Chromium for tests, driven over a pipe by the DevTools protocol: no driver, no port, no package.

``CHROMIUM`` is None where no browser is installed; ``why_not`` says why none can be started, and tests skip then.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PATIENCE = 120  # seconds without an answer, after which the browser is taken for dead


def why_not() -> str:
    """Why no browser can be started here; "" where one can."""
    if CHROMIUM is None:
        return "no Chromium is installed (Debian: apt-get install chromium)"
    if sys.platform == "win32":
        return "the pipe to the browser needs file descriptors 3 and 4"
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        return "the address space is limited (ulimit -v), and Chromium reserves more"
    return ""


# The browser reads commands from file descriptor 3 and writes answers to 4.
WRAPPER = """
import os, sys
ends = [os.dup(int(end)) for end in sys.argv[1:3]]
while min(ends) < 5:
    ends = [os.dup(end) for end in ends]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class BrowserError(Exception):
    """The browser refused a command, or a script in the page raised."""


class Page:
    """One tab. ``messages`` collects errors of the console, exceptions and violations of the page's policy."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = commands
        self._answers = os.fdopen(answers, "rb", buffering=0, closefd=False)
        self._ids = itertools.count(1)
        self._session: str | None = None
        self._rest = b""
        self.messages: list[str] = []
        self.requests: list[str] = []
        self._loaded = False

    def attach(self) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; events that come before it are kept.

        Raises:
            BrowserError: The browser refused.
        """
        number = next(self._ids)
        message = {"id": number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            piece = self._answers.read(1 << 16) if ready else b""
            if not piece:
                raise BrowserError("the browser ended, or does not answer")
            self._rest += piece
        raw, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(raw)
        params = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.messages.append(str(params["exceptionDetails"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                self.messages.append(params["entry"]["text"])
        return message

    def open(self, address: str) -> None:
        """Load a page and wait until it is loaded."""
        self._loaded = False
        self.send("Page.navigate", url=address)
        while not self._loaded:
            self._read()

    def run(self, script: str) -> Any:
        """The value of an expression in the page, awaited.

        Raises:
            BrowserError: It raised.
        """
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press and release a key: a character, or a name such as ``ArrowDown``."""
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def resize(self, width: int, height: int) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme: str) -> None:
        """``light`` or ``dark``."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])


@contextmanager
def page() -> Iterator[Page]:
    """A tab of a new browser with an empty profile; the browser ends with the block."""
    assert CHROMIUM is not None
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run"]
        options += ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
        process = subprocess.Popen(
            [sys.executable, "-c", WRAPPER, str(from_us), str(to_us), CHROMIUM, *options],
            pass_fds=(from_us, to_us),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        try:
            tab = Page(to_browser, from_browser)
            tab.attach()
            yield tab
        finally:
            process.kill()
            process.wait()
            os.close(to_browser)
            os.close(from_browser)
