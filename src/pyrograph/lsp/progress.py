"""The progress of a scan, where the client shows it; the user may cancel the scan there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from itertools import count

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

STAGES = ("discover", "lower", "infer", "link", "resolve", "label", "assemble", "search", "explain")
_numbers = count(1)


class Shown:
    """One scan in the client's list of work. All methods return at once; a client that does not answer sees nothing."""

    def __init__(self, server: LanguageServer, title: str, cancel: Callable[[], object]) -> None:
        self.server = server
        self.title = title
        self.cancel = cancel
        self.token = f"pyrograph-{next(_numbers)}"
        self.begun = False
        self.task: asyncio.Task[None] | None = None
        window = server.client_capabilities.window
        if window is not None and window.work_done_progress:
            self.task = asyncio.create_task(self._begin())

    async def _begin(self) -> None:
        with suppress(JsonRpcException):  # the client wants none
            await self.server.work_done_progress.create_async(self.token)
            begin = lsp.WorkDoneProgressBegin(self.title, cancellable=True, percentage=0)
            self.server.work_done_progress.begin(self.token, begin)
            self.begun = True
            self.server.work_done_progress.tokens[self.token].add_done_callback(self._cancelled)

    def _cancelled(self, future: object) -> None:
        if getattr(future, "cancelled", bool)():
            self.cancel()

    def report(self, stage: str, done: int, total: int) -> None:
        """Show the stage that runs."""
        if self.begun:
            known = STAGES.index(stage) if stage in STAGES else 0
            percentage = 100 * known // len(STAGES)
            self.server.work_done_progress.report(
                self.token, lsp.WorkDoneProgressReport(cancellable=True, message=stage, percentage=percentage)
            )

    def end(self) -> None:
        """Take it off the list."""
        if self.task is not None and not self.begun:
            self.task.cancel()
        if self.begun:
            self.server.work_done_progress.end(self.token, lsp.WorkDoneProgressEnd())
        self.server.work_done_progress.tokens.pop(self.token, None)
