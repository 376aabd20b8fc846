"""Handlers of the protocol's requests and notifications, each a few lines over ``Server`` and ``Folder``."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import Any

from lsprotocol import types as lsp

from pyrograph.lsp import actions
from pyrograph.lsp.documents import differs_from_disk, is_below, path_of
from pyrograph.lsp.fixes import edit_to_fix
from pyrograph.lsp.hover import hover_text
from pyrograph.lsp.lenses import lenses
from pyrograph.lsp.paths import paths_of
from pyrograph.lsp.positions import Positions, contains, overlap
from pyrograph.lsp.server import Server
from pyrograph.lsp.settings import SECTION
from pyrograph.lsp.watching import is_read, is_watched, may_matter, watchers
from pyrograph.model.finding import Finding
from pyrograph.policy.limits.editor import SETTLE_SECONDS
from pyrograph.scanner.triage.baseline import BaselineError, add_to_baseline

NO_COMMENT = "no suppression comment was inserted: the text has changed, or no comment can stand there"
NO_FINDING = "the finding is not there any more"


def make_server() -> Server:
    """A server with all handlers."""
    server = Server()
    _life(server)
    _texts(server)
    _requests(server)
    _commands(server)
    return server


def _life(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.initial = params.initialization_options
        if isinstance(server.initial, dict):
            server.asks_reason = server.initial.pop("asksForReason", False) is True

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        registrations = []
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            server.watches = True
            options: Any = lsp.DidChangeWatchedFilesRegistrationOptions(watchers())
            registrations.append(lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
        changed = workspace.did_change_configuration if workspace is not None else None
        if changed is not None and changed.dynamic_registration:
            options = lsp.DidChangeConfigurationRegistrationOptions(section=SECTION)
            registrations.append(lsp.Registration("settings", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
        if registrations:
            server.client_register_capability(lsp.RegistrationParams(registrations))
        folders = [folder.uri for folder in server.workspace.folders.values()]
        if not folders and server.workspace.root_uri:
            folders = [server.workspace.root_uri]
        for uri in folders:
            await server.add_folder(uri)
        server.is_ready.set()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for each in params.event.removed:
            if (path := path_of(each.uri)) is not None:
                server.drop_folder(os.path.realpath(path))
        for each in params.event.added:
            await server.add_folder(each.uri)
        for folder in server.folders.values():  # files of one may belong to another now
            folder.touch(0, disk=True)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(params: lsp.DidChangeConfigurationParams) -> None:
        if params.settings:
            given = params.settings
            server.initial = given.get(SECTION, given) if isinstance(given, dict) else given
        await server.configure()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: None) -> None:
        server.is_shut_down = True
        for folder in server.folders.values():
            folder.cancel()
        await server.client.analyst.stop()


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        document = server.documents.open(item.uri, item.text, item.version)
        if document is None or not may_matter(document.path):
            return
        folder = await server.folder_for(document)
        if folder.is_loose:
            folder.touch(0, disk=True)
        elif folder.result is None:
            if differs_from_disk(document):
                folder.touch(0)
        elif folder.result.reads(document) and not folder.result.is_of(document):
            folder.touch(0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        document = server.documents.by_uri.get(params.text_document.uri)
        if document is None:
            return
        text = server.workspace.get_text_document(document.uri).source
        document.change(text, params.text_document.version)
        folder = server.folder_of(document.path)
        if folder is not None and folder.settings.run == "onType" and may_matter(document.path):
            folder.edited(document, folder.settings.debounce)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        if (at := server.found(params.text_document.uri)) is not None:
            document, folder = at
            if may_matter(document.path):
                folder.saved(document, disk=not server.watches)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        document = server.documents.close(params.text_document.uri)
        folder = None if document is None else server.folder_of(document.path)
        if document is None or folder is None:
            return
        if folder.is_loose:
            if any(server.folder_of(each.path) is folder for each in server.documents.by_uri.values()):
                folder.touch(0, disk=True)
            else:
                server.drop_folder(folder.path)
        elif (folder.result is None or folder.result.reads(document)) and differs_from_disk(document):
            folder.touch(0, disk=True)  # what was not saved is gone

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        touched = set()
        for event in params.changes:
            path = path_of(event.uri)
            if path is None or not is_watched(path):
                continue
            path = os.path.realpath(path)
            if event.type == lsp.FileChangeType.Changed and server.documents.at(path) is not None:
                continue  # its text is the editor's
            is_new = event.type == lsp.FileChangeType.Created
            for folder in server.folders.values():
                baseline = folder.result.scanned.baseline if folder.result is not None else None
                if is_below(path, folder.path) and is_read(path, baseline, is_new=is_new):
                    touched.add(folder)
        for folder in touched:
            folder.touch(SETTLE_SECONDS, disk=True)


def _requests(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        at = server.found(params.text_document.uri)
        result = None if at is None else at[1].answer(at[0])
        if at is None or result is None:
            return None
        found = [each for each in result.findings_in(at[0]) if contains(each[1], params.position)]
        if not found:
            return None
        texts = dict.fromkeys(hover_text(finding, result.scanned.report) for finding, _ in found)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(texts)), found[0][1])

    resolve = lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix], resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, resolve)
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        at = server.found(params.text_document.uri)
        result = None if at is None else at[1].answer(at[0])
        if at is None or result is None:
            return []
        document, folder = at
        near = [finding for finding, where in result.findings_in(document) if overlap(where, params.range)]
        return [
            action
            for finding in {each.fingerprint: each for each in near}.values()
            for action in actions.code_actions(
                finding,
                document.uri,
                [each for each in params.context.diagnostics if _means(each, finding)],
                fix=result.scanned.fixes.get(finding.fingerprint),
                reasons=folder.settings.reasons,
                asks=server.asks_reason,
                resolves=_resolves_edits(server.client_capabilities),
                only=params.context.only,
            )
        ]

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def code_action_resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        if (asked := _texts_in(data.get("suppress"), 3)) is not None:
            action.edit = await server.edit_to_suppress(*asked)
            if action.edit is None:
                server.complain(NO_COMMENT)
        elif (asked := _texts_in(data.get("fix"), 2)) is not None:
            action.edit = await edit_to_fix(server, *asked)
        return action

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        at = server.found(params.text_document.uri)
        if at is None or not at[1].settings.code_lens:
            return []
        document, folder = at
        result = await folder.fresh(document)
        if result is None:
            return []
        text = Positions(document.text, result.encoding)
        path = result.relative(document.path)
        wanted = result.finding
        return lenses(result.scanned.report, path, document.uri, text, lambda one: wanted(one) is not None)


def _commands(server: Server) -> None:
    @server.command(actions.SHOW_PATH)
    def show_path(uri: str, fingerprint: str) -> dict[str, Any] | None:
        at = server.finding(uri, fingerprint)
        if at is None or at[0].result is None:
            server.complain(NO_FINDING)
            return None
        result = at[0].result
        return paths_of(at[1], result.scanned.report, result.locate)

    @server.command(actions.FIX)
    async def fix_finding(uri: str, fingerprint: str) -> bool:
        edit = await edit_to_fix(server, uri, fingerprint)
        if edit is None:
            return False
        label = "Fix a finding"
        return (await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, label=label))).applied

    @server.command(actions.SUPPRESS)
    async def suppress_finding(uri: str, fingerprint: str, reason: str) -> bool:
        edit = await server.edit_to_suppress(uri, fingerprint, reason)
        if edit is None:
            server.complain(NO_COMMENT)
            return False
        label = "Suppress a finding"
        return (await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, label=label))).applied

    @server.command(actions.ADD_TO_BASELINE)
    def add(uri: str, fingerprint: str) -> str | None:
        at = server.finding(uri, fingerprint)
        if at is None or at[0].result is None:
            server.complain(NO_FINDING)
            return None
        folder, finding = at
        scanned = at[0].result.scanned
        try:
            add_to_baseline(scanned.baseline, [finding], scanned.narrowing)
        except BaselineError as error:
            server.complain(str(error))
            return None
        folder.touch(0, disk=True)
        return scanned.baseline

    @server.command(actions.RESCAN)
    def rescan() -> None:
        for folder in server.folders.values():
            folder.touch(0, disk=True)


def _means(diagnostic: lsp.Diagnostic, finding: Finding) -> bool:
    return isinstance(diagnostic.data, dict) and diagnostic.data.get("fingerprint") == finding.fingerprint


def _texts_in(given: object, count: int) -> list[str] | None:
    """A list of so many texts, as a client sends it back; else None."""
    fits = isinstance(given, list) and len(given) == count and all(isinstance(each, str) for each in given)
    return given if fits else None  # type: ignore[return-value]


def _resolves_edits(capabilities: lsp.ClientCapabilities) -> bool:
    document = capabilities.text_document
    can = document.code_action if document is not None else None
    return can is not None and can.resolve_support is not None and "edit" in can.resolve_support.properties


def run(reading: int, writing: int, log: str | None = None) -> bool:
    """Serve until the client ends the session or goes away; whether it asked for the end.

    ``reading`` and ``writing`` are file descriptors, ``log`` a file for what the protocol's library and this server
    write.
    """
    logging.basicConfig(
        filename=log, level=logging.INFO if log else logging.ERROR, format="%(asctime)s %(levelname)s %(message)s"
    )
    server = make_server()
    with suppress(BrokenPipeError), open(reading, "rb") as requests, open(writing, "wb") as answers:
        server.start_io(requests, answers)
    return server.is_shut_down
