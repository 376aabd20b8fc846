"""When a folder is scanned, and what is known of it then: with an analysis that answers as a test wants."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from lsprotocol import types as lsp
from tests.lsp.client import PATIENCE
from tests.lsp.findings import finding_at, place_of, report_of

from pyrograph.lsp.analyst import Died
from pyrograph.lsp.documents import Documents, encoded, uri_of
from pyrograph.lsp.folder import Client, Folder
from pyrograph.lsp.jobs import Job, Refused, ScanJob, Scanned, digest_of
from pyrograph.lsp.settings import Settings

TEXT = "run(SINK)\n"


@dataclass
class Fake:
    """An analysis whose answers are in ``answers``; without one it finds the sink wherever it is written."""

    root: Path
    answers: list[Exception | Refused] = field(default_factory=list)
    jobs: list[ScanJob] = field(default_factory=list)
    stopped: int = 0

    async def run(self, job: Job, progress: object = None) -> Scanned | Refused:
        assert isinstance(job, ScanJob)
        self.jobs.append(job)
        try:
            await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        file = str(self.root / "app.py")
        text = job.overlay.get(file) or (self.root / "app.py").read_text(encoding="utf-8")
        found = [finding_at(place_of(text, "SINK"))] if "SINK" in text else []
        report = report_of(*found, sources={"app.py": encoded(text)})
        return Scanned(str(self.root), report, {"app.py": digest_of(encoded(text))}, "", {})

    def forget(self, folder: str) -> None:
        pass


class Silent:
    def report(self, stage: str, done: int, total: int) -> None:
        pass

    def end(self) -> None:
        pass


class Case:
    """A folder with one file, and what its client was told."""

    def __init__(self, root: Path, settings: Settings | None = None) -> None:
        self.file = root / "app.py"
        self.file.write_text(TEXT, encoding="utf-8")
        self.fake = Fake(root)
        self.published: list[tuple[str, int, int | None]] = []  # name, number of diagnostics, version
        self.messages: list[str] = []
        self.documents = Documents()
        client = Client(
            documents=self.documents,
            analyst=self.fake,  # type: ignore[arg-type]
            turn=asyncio.Lock(),
            encoding=lambda: "utf-16",
            publish=self.publish,
            owns=lambda folder, path: True,
            progress=lambda title, cancel: Silent(),
            message=self.messages.append,
            log=lambda text: None,
            finished=lambda: None,
        )
        self.folder = Folder(str(root), settings or Settings(), client)

    def publish(self, uri: str, found: list[lsp.Diagnostic], version: int | None) -> None:
        self.published.append((uri.rpartition("/")[2], len(found), version))

    async def settled(self) -> None:
        while (scanning := self.folder.scanning) is not None and not scanning.done():
            await asyncio.wait({scanning})


def run(case: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(case(), PATIENCE))


def test_a_crash_is_tried_again_with_care_and_is_a_message_once(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        case.folder.touch(0)
        await case.settled()
        assert case.published == [("app.py", 1, None)]

        case.fake.answers = [Died(-11, "resolve"), Died(-11, "resolve")]
        case.folder.touch(0, disk=True)
        await case.settled()
        assert [(job.isolated_files, job.in_parts) for job in case.fake.jobs[1:]] == [(False, False), (True, False)]
        assert case.published[-1] == ("app.py", 0, None), "what is shown was not found by this scan"
        assert case.folder.result is None
        (message,) = case.messages
        assert "status -11 in stage resolve" in message

        case.fake.answers = [Died(-11, "resolve"), Died(-11, "resolve")]
        case.folder.touch(0)
        await case.settled()
        assert len(case.messages) == 1

        case.fake.answers = [Died(99, "label")]
        case.folder.touch(0)
        await case.settled()
        assert (case.fake.jobs[-1].isolated_files, case.fake.jobs[-1].in_parts) == (False, True)
        assert case.published[-1] == ("app.py", 1, None)

    run(work)


def test_a_newer_edit_stops_the_scan_and_only_the_last_text_is_published(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        document = case.documents.open(uri_of(str(case.file)), TEXT, 1)
        assert document is not None
        case.folder.touch(0)
        await asyncio.sleep(0)
        for version in range(2, 5):
            document.change(f"x = {version}\n{TEXT}", version)
            case.folder.edited(document, 0)
            while len(case.fake.jobs) < version - 1:  # it runs
                await asyncio.sleep(0)
        await case.settled()
        assert case.fake.stopped == 2
        assert case.published == [("app.py", 1, 4)]
        assert case.folder.answer(document) is case.folder.result

    run(work)


def test_saving_a_text_that_is_scanned_already_starts_no_other_scan(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        document = case.documents.open(uri_of(str(case.file)), TEXT, 1)
        assert document is not None
        case.folder.touch(0)
        await case.settled()
        document.change(f"x = 1\n{TEXT}", 2)
        case.folder.edited(document, 0)
        while len(case.fake.jobs) < 2:
            await asyncio.sleep(0)
        case.folder.saved(document, disk=False)
        await case.settled()
        assert (len(case.fake.jobs), case.fake.stopped) == (2, 0)
        case.folder.saved(document, disk=False)  # nor when it was scanned
        await case.settled()
        assert len(case.fake.jobs) == 2

        # one that waits for a pause begins at once
        document.change(f"x = 2\n{TEXT}", 3)
        case.folder.edited(document, 600)
        case.folder.saved(document, disk=False)
        await case.settled()
        assert len(case.fake.jobs) == 3

        # one that the user stopped, although only other files had changed
        case.folder.touch(600, disk=True)
        case.folder.cancel()
        await asyncio.sleep(0)
        case.folder.saved(document, disk=False)
        await case.settled()
        assert len(case.fake.jobs) == 4

    run(work)


def test_nothing_is_answered_for_a_text_that_was_not_analysed(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        document = case.documents.open(uri_of(str(case.file)), TEXT, 1)
        assert document is not None
        case.folder.touch(0)
        await case.settled()
        assert case.folder.answer(document) is not None

        document.change("y = 1\n", 2)
        case.folder.edited(document, 0)
        assert case.folder.answer(document) is None
        fresh = await case.folder.fresh(document)
        assert fresh is not None
        assert fresh.is_of(document)

        # taken back before it was scanned: the result holds again, and nothing is scanned
        scans = len(case.fake.jobs)
        document.change("z = 1\n", 3)
        case.folder.edited(document, 0)
        document.change("y = 1\n", 4)
        case.folder.edited(document, 0)
        await case.settled()
        assert len(case.fake.jobs) == scans
        assert case.folder.answer(document) is fresh

        # cancelled by the user: nobody waits for ever
        document.change(TEXT, 5)
        case.folder.edited(document, 60)
        case.folder.cancel()
        assert await case.folder.fresh(document) is None

    run(work)


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_addresses_are_those_of_the_editor(tmp_path: Path) -> None:
    """A workspace may be opened by a link; what is shown must not lead elsewhere."""

    async def work() -> None:
        real, link = tmp_path.resolve() / "real", tmp_path.resolve() / "link"
        real.mkdir()
        link.symlink_to(real, target_is_directory=True)
        case = Case(real)
        case.folder = Folder(str(link), Settings(), case.folder.client)
        assert case.folder.uri_of(str(real / "a b.py")) == uri_of(str(link / "a b.py"))
        case.documents.open(f"file://localhost{real}/app.py", TEXT, 1)
        assert case.folder.uri_of(str(real / "app.py")) == f"file://localhost{real}/app.py"

    run(work)


def test_files_that_are_not_analysed_cost_no_scan_until_they_are_saved(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        notes = tmp_path / "notes.md"
        notes.write_text("a", encoding="utf-8")
        document = case.documents.open(uri_of(str(notes.resolve())), "a", 1)
        assert document is not None
        case.folder.touch(0)
        await case.settled()
        document.change("b", 2)
        case.folder.edited(document, 0)
        await case.settled()
        assert len(case.fake.jobs) == 1
        case.folder.saved(document, disk=False)
        await case.settled()
        assert len(case.fake.jobs) == 2

    run(work)


def test_a_folder_that_is_switched_off_shows_nothing_and_is_not_scanned(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        case.folder.touch(0)
        await case.settled()
        case.folder.configure(replace(Settings(), enabled=False))
        case.folder.touch(0, disk=True)
        await case.settled()
        assert case.published == [("app.py", 1, None), ("app.py", 0, None)]
        assert len(case.fake.jobs) == 1
        case.folder.configure(Settings())
        await case.settled()
        assert case.published[-1] == ("app.py", 1, None)

    run(work)


def test_a_scan_that_is_refused_is_a_message_and_holds_no_result(tmp_path: Path) -> None:
    async def work() -> None:
        case = Case(tmp_path.resolve())
        case.fake.answers = [Refused("pyrograph.toml:1: no")]
        case.folder.touch(0)
        await case.settled()
        assert case.messages == [f"pyrograph: {tmp_path.resolve().name}: pyrograph.toml:1: no"]
        assert case.folder.result is None

    run(work)
