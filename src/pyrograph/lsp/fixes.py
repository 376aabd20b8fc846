"""The edit that fixes a finding, as the protocol has it. It is asked of the worker when a user chooses it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace

from lsprotocol import types as lsp

from pyrograph.lsp.analyst import Died, Failed
from pyrograph.lsp.folder import Folder
from pyrograph.lsp.jobs import Fixed, FixJob, Refused, digest_of
from pyrograph.lsp.positions import Positions
from pyrograph.lsp.server import Server
from pyrograph.model.edit import Edit
from pyrograph.model.finding import Finding

NO_FIX = "nothing was edited: a scan of the edited program still finds something there, or a text has changed"


async def edit_to_fix(server: Server, uri: str, fingerprint: str) -> lsp.WorkspaceEdit | None:
    """The verified edit that fixes a finding; None where there is none, which the user is shown.

    ``uri``: of any file of its folder. Waits for scans of the edited program.
    """
    at = server.finding(uri, fingerprint)
    answer = None if at is None else await _asked(server, *at)
    found = None
    if at is not None and isinstance(answer, Fixed):
        found = _edit_of(server, at[0], answer)
        if found is not None and answer.requires:
            text = f"pyrograph: the fix needs {', '.join(answer.requires)}: add it to the program's dependencies"
            server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
    if found is None:
        server.complain(answer.message if isinstance(answer, Refused) else NO_FIX)
    return found


async def _asked(server: Server, folder: Folder, finding: Finding) -> object:
    """The worker's answer; None where it failed."""
    result, job = folder.result, folder.job
    if result is None or job is None:
        return None
    report = replace(result.scanned.report, findings=(finding,), suppressed=(), surface=())
    asked = asyncio.ensure_future(server.client.analyst.run(FixJob(job, report), lambda *stage: shown.report(*stage)))
    shown = server.client.progress(f"pyrograph: fix {finding.vulnerability}", asked.cancel)
    try:
        await asyncio.wait({asked})
        return asked.result()
    except (Died, Failed) as error:
        logging.exception("fix")
        server.log(f"no fix: {error}")
    except asyncio.CancelledError:
        if asked.cancel():  # it runs: the request itself was cancelled
            raise
        return Refused("the fix was stopped")
    finally:
        shown.end()
    return None


def _edit_of(server: Server, folder: Folder, fixed: Fixed) -> lsp.WorkspaceEdit | None:
    """The edits of all files; None where a text that the editor has is another one than was scanned."""
    result = folder.result
    if result is None:
        return None
    changes: dict[str, tuple[int | None, list[lsp.TextEdit]]] = {}
    for path, (text, edits) in fixed.edits.items():
        absolute = result.absolute(path)
        document = server.documents.at(absolute)
        if document is not None and document.digest != digest_of(text):
            return None
        version = None if document is None else document.version
        changes[folder.uri_of(absolute)] = (version, _text_edits(text, edits, server.encoding()))
    return server.edit_of(changes)


def _text_edits(text: bytes, edits: Sequence[Edit], encoding: str) -> list[lsp.TextEdit]:
    positions = Positions(text.decode("utf-8", "replace"), encoding)

    def position(at: int) -> lsp.Position:
        return positions.position(len(text[:at].decode("utf-8", "replace")))

    return [
        lsp.TextEdit(lsp.Range(position(each.start), position(each.end)), each.text.decode("utf-8", "replace"))
        for each in edits
    ]
