"""The state of the language server: documents, folders, settings, and what the client can do.

Handlers run in one event loop and never wait for a scan, but for code lenses: these come with the next result, so that
they do not vanish while somebody types. Texts are synchronised as a whole: lines are split here in one way alone.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from pyrograph import __version__
from pyrograph.lsp.analyst import Analyst, Died, Failed
from pyrograph.lsp.documents import Document, Documents, deepest, is_below, path_of
from pyrograph.lsp.folder import Client, Folder
from pyrograph.lsp.jobs import CommentJob, Insertion
from pyrograph.lsp.positions import Positions
from pyrograph.lsp.progress import Shown
from pyrograph.lsp.settings import SECTION, Settings, read_settings
from pyrograph.model.finding import Finding
from pyrograph.policy.limits.editor import CLIENT_SECONDS


class Server(LanguageServer):
    """The state of the server: documents, folders and what the client can do."""

    def __init__(self) -> None:
        super().__init__("pyrograph", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.documents = Documents()
        self.folders: dict[str, Folder] = {}  # by resolved path
        self.initial: object = None  # settings that came with the first request
        self.asks_reason = False  # the client has the command ``ASK_REASON``
        self.watches = False  # the client says when files change
        self.is_shut_down = False
        self.is_ready = asyncio.Event()  # the folders of the workspace are known
        self.client = Client(
            documents=self.documents,
            analyst=Analyst(),
            turn=asyncio.Lock(),
            encoding=self.encoding,
            publish=self.publish,
            owns=lambda folder, path: self.folder_of(path) is folder,
            progress=lambda title, cancel: Shown(self, title, cancel),
            message=lambda text: self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, text)),
            log=self.log,
            finished=self.refresh_lenses,
        )

    # The client

    def encoding(self) -> str:
        chosen = self.workspace.position_encoding
        return getattr(chosen, "value", chosen) or "utf-16"

    def publish(self, uri: str, found: list[lsp.Diagnostic], version: int | None) -> None:
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def log(self, text: str) -> None:
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, text))

    def refresh_lenses(self) -> None:
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    async def settings_of(self, uri: str | None) -> Settings:
        """The settings of a folder, asked of the client if it can answer; faults are logged."""
        settings, faults = read_settings(self.initial)
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            item = lsp.ConfigurationItem(scope_uri=uri, section=SECTION)
            with suppress(JsonRpcException, TimeoutError):
                asked = self.workspace_configuration_async(lsp.ConfigurationParams([item]))
                given = await asyncio.wait_for(asked, CLIENT_SECONDS)
                settings, more = read_settings(given[0] if given else None, settings)
                faults += more
        for each in faults:
            self.log(each)
        return settings

    # Folders

    async def add_folder(self, uri: str) -> None:
        path = path_of(uri)
        if path is None or not os.path.isdir(path):
            self.log(f"{uri}: not scanned: it is no directory on this machine")
            return
        folder = Folder(path, await self.settings_of(uri), self.client)
        if folder.path not in self.folders:
            self.drop_loose(folder.path)
            self.folders[folder.path] = folder
            folder.touch(0)

    def drop_loose(self, path: str) -> None:
        """Forget loose files that lie in a folder of the workspace now."""
        for each in [each for each in self.folders.values() if each.is_loose and is_below(each.path, path)]:
            self.drop_folder(each.path)

    def drop_folder(self, path: str) -> None:
        folder = self.folders.pop(path, None)
        if folder is not None:
            folder.close()

    async def configure(self) -> None:
        """Ask for the settings of all folders again."""
        for folder in list(self.folders.values()):
            settings = await self.settings_of(None if folder.is_loose else folder.uri_of(folder.path))
            folder.configure(settings)
        self.refresh_lenses()

    def folder_of(self, path: str) -> Folder | None:
        """The folder that a file belongs to: the deepest."""
        found = deepest(path, self.folders)
        return None if found is None else self.folders[found]

    async def folder_for(self, document: Document) -> Folder:
        """The same; for a file outside of all folders, one of the open files of its directory."""
        await self.is_ready.wait()
        folder = self.folder_of(document.path)
        if folder is None:
            settings = await self.settings_of(document.uri)
            directory = os.path.dirname(document.path)
            folder = self.folders.setdefault(directory, Folder(directory, settings, self.client, is_loose=True))
        return folder

    def found(self, uri: str) -> tuple[Document, Folder] | None:
        """A document and its folder."""
        document = self.documents.by_uri.get(uri)
        folder = None if document is None else self.folder_of(document.path)
        return None if document is None or folder is None else (document, folder)

    def finding(self, uri: str, fingerprint: str) -> tuple[Folder, Finding] | None:
        """A finding by the URI of any file of its folder."""
        path = path_of(uri)
        folder = None if path is None else self.folder_of(os.path.realpath(path))
        if folder is None or folder.result is None:
            return None
        finding = folder.result.finding(fingerprint)
        return None if finding is None else (folder, finding)

    # Commands

    async def edit_to_suppress(self, uri: str, fingerprint: str, reason: str) -> lsp.WorkspaceEdit | None:
        """The edit that inserts a suppression comment into a document; None where there is none."""
        at = self.finding(uri, fingerprint)
        if at is None or at[0].result is None:
            return None
        folder, finding = at
        path = at[0].result.absolute(finding.place.path)
        document = self.documents.at(path)
        if document is None or folder.answer(document) is None:
            return None
        version = document.version
        try:
            job = CommentJob(finding.place.path, document.text, finding, reason)
            insertion = await self.client.analyst.run(job)
        except (Died, Failed) as error:
            self.log(f"no place for a comment: {error}")
            return None
        if not isinstance(insertion, Insertion) or document.version != version:
            return None
        text = Positions(document.text, self.encoding())
        where = text.position(text.offset(insertion.line, insertion.column))
        edit = lsp.TextEdit(lsp.Range(where, where), insertion.text)
        return self.edit_of({document.uri: (document.version, [edit])})

    def edit_of(self, changes: Mapping[str, tuple[int | None, Sequence[lsp.TextEdit]]]) -> lsp.WorkspaceEdit:
        """Edits by URI, with the version of a document that the client has open, as the client takes them."""
        workspace = self.client_capabilities.workspace
        can = workspace.workspace_edit if workspace is not None else None
        if can is None or not can.document_changes:
            return lsp.WorkspaceEdit(changes={uri: list(edits) for uri, (_, edits) in changes.items()})
        return lsp.WorkspaceEdit(
            document_changes=[
                lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, version), list(edits))
                for uri, (version, edits) in changes.items()
            ]
        )

    def complain(self, text: str) -> None:
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"pyrograph: {text}"))
