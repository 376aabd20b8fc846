"""One workspace folder: when it is scanned, and what is known of it.

At most one scan of a folder runs. Each edit stops it (it is stale) and starts the wait for the next one anew, so a
result that is published was made from the texts that the editor has now. A failure leaves no result: nothing is
answered from an older one.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from lsprotocol import types as lsp

from pyrograph.lsp.analyst import Analyst, Died, Failed, Progress
from pyrograph.lsp.documents import Document, Documents, is_below, shown, uri_of
from pyrograph.lsp.jobs import Refused, ScanJob, Scanned
from pyrograph.lsp.result import Result
from pyrograph.lsp.settings import Settings
from pyrograph.model.words import plural


class Shown(Protocol):
    """Progress that a user sees."""

    def report(self, stage: str, done: int, total: int) -> None: ...

    def end(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Client:
    """What a folder needs of the editor."""

    documents: Documents
    analyst: Analyst
    turn: asyncio.Lock  # held by the folder whose scan runs: two at once would only slow down each other
    encoding: Callable[[], str]  # of positions
    publish: Callable[[str, list[lsp.Diagnostic], int | None], None]  # for a URI, with the version of the document
    owns: Callable[[Folder, str], bool]  # whether no folder inside of it holds an absolute path
    progress: Callable[[str, Callable[[], object]], Shown]  # title, what cancels
    message: Callable[[str], None]  # to the user
    log: Callable[[str], None]
    finished: Callable[[], None]  # a scan has a new result


class Folder:
    """A folder, or with ``is_loose`` the open files of a directory that is no folder of the workspace."""

    def __init__(self, path: str, settings: Settings, client: Client, *, is_loose: bool = False) -> None:
        self.given = path  # as the editor names it
        self.path = os.path.realpath(path)
        self.settings = settings
        self.client = client
        self.is_loose = is_loose
        self.result: Result | None = None
        self.job: ScanJob | None = None  # that ``result`` answers
        self.disk_changed = True  # since the last result: files, configuration or settings
        self.scanning: asyncio.Task[None] | None = None
        self.scanned: dict[str, bytes] | None = None  # digests of the editor's texts, by path, that the scan reads
        self.published: dict[str, list[lsp.Diagnostic]] = {}  # by absolute path, without empty ones
        self.complained = ""  # the last message about a scan that failed

    # When to scan

    def touch(self, delay: float, *, disk: bool = False) -> None:
        """Scan in ``delay`` seconds; a scan that runs is stale and stops. ``disk``: more than open texts changed."""
        self.disk_changed = self.disk_changed or disk
        self.cancel()
        if self.settings.enabled:
            self.scanning = asyncio.create_task(self._scan_after(delay))

    def edited(self, document: Document, delay: float) -> None:
        """Scan because of a text in the editor, unless the last scan did not read its file: nothing depends on it."""
        if self.result is None or self.result.reads(document):
            self.touch(delay)

    def saved(self, document: Document, *, disk: bool) -> None:
        """Scan because of a saved text; ``disk``: other files may have changed without a notice of it."""
        if self.result is None or not self.result.reads(document):
            self.touch(0, disk=True)  # a new file, a manifest, a configuration
        elif disk or self._was_cancelled() or not (self.result.is_of(document) or self._is_scanning(document)):
            self.touch(0, disk=disk)

    def _was_cancelled(self) -> bool:
        """Whether files changed since the last result, and no scan waits or runs: the user stopped it."""
        return self.disk_changed and (self.scanning is None or self.scanning.done())

    def _is_scanning(self, document: Document) -> bool:
        """Whether a scan runs that has read this text: what is typed is often saved meanwhile."""
        return self.scanned is not None and self.scanned.get(document.path) == document.digest

    def cancel(self) -> None:
        """Stop the scan that runs or waits."""
        self.scanned = None
        if self.scanning is not None:
            self.scanning.cancel()

    def configure(self, settings: Settings) -> None:
        """Take other settings."""
        if settings == self.settings:
            return
        self.settings = settings
        if not settings.enabled:
            self.cancel()
            self.forget()
        self.touch(0, disk=True)

    def close(self) -> None:
        """The folder leaves the workspace."""
        self.cancel()
        self.forget()
        self.client.analyst.forget(self.path)

    def forget(self) -> None:
        """Have no result, and show none."""
        self.result = None
        self.disk_changed = True
        self._publish({})

    # What is known

    def answer(self, document: Document) -> Result | None:
        """The result, if it was made from this text of the document."""
        return self.result if self.result is not None and self.result.is_of(document) else None

    async def fresh(self, document: Document) -> Result | None:
        """The same, once the scans that wait or run have ended; None where they failed."""
        while (found := self.answer(document)) is None:
            scanning = self.scanning
            if scanning is None or scanning.done():
                return None
            await asyncio.wait({scanning})
        return found

    def uri_of(self, absolute: str) -> str:
        """The URI of a file, as the editor writes it."""
        document = self.client.documents.at(absolute)
        if document is not None:
            return document.uri
        return uri_of(self.given + absolute[len(self.path) :] if is_below(absolute, self.path) else absolute)

    # The scan

    async def _scan_after(self, delay: float) -> None:
        await asyncio.sleep(delay)
        try:
            await self._scan()
            self.scanned = None
        except Exception as error:
            logging.exception("scan of %s", self.path)
            self.scanned = None
            self._failed(_said(error))

    async def _scan(self) -> None:
        async with self.client.turn:
            documents = [each for each in self.client.documents.by_uri.values() if is_below(each.path, self.path)]
            if not self.disk_changed and self.result is not None and self.result.is_of_all(documents):
                return  # all edits were taken back
            files = tuple(each.path for each in documents if os.path.exists(each.path)) if self.is_loose else ()
            if self.is_loose and not files:
                self.forget()
                return
            overlay = self.client.documents.unsaved(self.path)
            self.scanned = {each.path: each.digest for each in documents}
            job = ScanJob(self.path, self.settings, files, overlay)
            progress = self.client.progress(f"pyrograph: {shown(self.path)}", self.cancel)
            try:
                job, answer = await self._careful(job, progress.report)
            finally:
                progress.end()
        if isinstance(answer, Refused):
            self._failed(answer.message)
        elif isinstance(answer, Scanned):
            self.job = job
            self._finished(answer)

    async def _careful(self, job: ScanJob, progress: Progress) -> tuple[ScanJob, object]:
        """A job and its answer; after a crash or without memory, a more careful one's, as ``scan`` does it."""
        while True:
            try:
                return job, await self.client.analyst.run(job, progress)
            except Died as end:
                following = replace(
                    job,
                    isolated_files=job.isolated_files or not end.for_memory,
                    in_parts=job.in_parts or end.for_memory,
                )
                if following == job:
                    raise
                self.client.log(f"{shown(self.path)}: {_said(end)}; starting again more carefully")
                job = following

    def _finished(self, scanned: Scanned) -> None:
        self.result = result = Result(scanned, self.client.encoding(), self.uri_of)
        self.disk_changed = False
        self.complained = ""
        self._publish(result.diagnostics)
        report = scanned.report
        parts = [plural(len(report.findings), "finding"), f"{len(report.suppressed)} suppressed"]
        self.client.log(f"{shown(self.path)}: {', '.join(parts)} in {plural(report.statistics.files, 'file')}")
        for note in report.notes:
            self.client.log(f"{shown(self.path)}: {note}")
        for problem in report.problems:
            if problem.kind == "internal-error":
                self.client.log(f"{problem.path or shown(self.path)}: {problem.message}")
        self.client.finished()

    def _failed(self, message: str) -> None:
        self.forget()
        self.client.log(f"{shown(self.path)}: {message}")
        if message != self.complained:  # once, and not after each edit
            self.complained = message
            self.client.message(f"pyrograph: {shown(self.path)}: {message}")
        self.client.finished()

    def _publish(self, found: Mapping[str, list[lsp.Diagnostic]]) -> None:
        """Show the diagnostics of each file that has some, and clear those of files that have none any more."""
        chosen = {path: each for path, each in found.items() if self.client.owns(self, path)}
        for path in sorted(chosen.keys() | self.published.keys()):
            document = self.client.documents.at(path)
            if document is not None and self.result is not None and not self.result.is_of_all([document]):
                continue  # its text has changed and is not scanned before it is saved
            own = chosen.get(path, [])
            if own == self.published.get(path, []):
                continue
            self.client.publish(self.uri_of(path), own, None if document is None else document.version)
            if own:
                self.published[path] = own
            else:
                del self.published[path]


def _said(error: Exception) -> str:
    report = "this is a fault of pyrograph, not of your code: please report it"
    if isinstance(error, Died):
        where = f" in stage {error.stage}" if error.stage else ""
        what = "ran out of memory" if error.for_memory else f"ended with status {error.status}"
        return f"the analysis {what}{where}; nothing is shown until the next scan; {report}"
    if isinstance(error, OSError):
        return f"cannot start the analysis: {error.strerror or error}"
    name = "" if isinstance(error, Failed) else f"{type(error).__name__}: "
    return f"internal error: {name}{error}; nothing is shown until the next scan; {report}"
