"""Code actions at a finding: fix it, show its path, suppress it with a reason, add it to the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from lsprotocol import types as lsp

from pyrograph.model.finding import Finding

SHOW_PATH: Final = "pyrograph.showPath"  # (uri, fingerprint) -> ``paths_of``
FIX: Final = "pyrograph.fix"  # (uri, fingerprint): edits the files that the fix edits
SUPPRESS: Final = "pyrograph.suppress"  # (uri, fingerprint, reason): edits the document
ADD_TO_BASELINE: Final = "pyrograph.addToBaseline"  # (uri, fingerprint): writes the baseline
RESCAN: Final = "pyrograph.rescan"  # (): scans all folders again
ASK_REASON: Final = "pyrograph.suppressWithReason"  # (uri, fingerprint): a command of the client, which asks for it


def code_actions(
    finding: Finding,
    uri: str,
    diagnostics: Sequence[lsp.Diagnostic],
    *,
    fix: str | None,
    reasons: Iterable[str],
    asks: bool,
    resolves: bool,
    only: Sequence[lsp.CodeActionKind | str] | None,
) -> list[lsp.CodeAction]:
    """The actions for one finding, most likely first.

    Args:
        finding: What they are about.
        uri: The document.
        diagnostics: Those of the request that mean the finding.
        fix: The title of an edit that may fix it; whether it does is verified when it is chosen.
        reasons: Texts that a suppression may give; an action for each.
        asks: The client has a command that asks for a reason: it comes instead.
        resolves: The client asks for the edit of the action that was chosen; else a command makes it.
        only: Kinds that the client wants; None: all.
    """
    if only is not None and not any(_is_kind(lsp.CodeActionKind.QuickFix, each) for each in only):
        return []
    name = finding.vulnerability
    target = [uri, finding.fingerprint]
    found = []
    if fix is not None:
        action = _commanded(f"Fix this {name}: {fix}", FIX, target, diagnostics)
        action.is_preferred = True
        if resolves:
            action.data, action.command = {"fix": target}, None
        found.append(action)
    found.append(_commanded(f"Show the path of this {name}", SHOW_PATH, target, diagnostics))
    if asks:
        found.append(_commanded(f"Suppress this {name}…", ASK_REASON, target, diagnostics))
    else:
        for reason in reasons:
            title = f"Suppress this {name}: {reason}"
            action = _commanded(title, SUPPRESS, [*target, reason], diagnostics)
            if resolves:
                action.data, action.command = {"suppress": [*target, reason]}, None
            found.append(action)
    found.append(_commanded(f"Add this {name} to the baseline", ADD_TO_BASELINE, target, diagnostics))
    return found


def _commanded(
    title: str, command: str, arguments: Sequence[str], diagnostics: Sequence[lsp.Diagnostic]
) -> lsp.CodeAction:
    return lsp.CodeAction(
        title,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=list(diagnostics) or None,
        command=lsp.Command(title, command, arguments=list(arguments)),
    )


def _is_kind(kind: str, wanted: lsp.CodeActionKind | str) -> bool:
    """Whether a kind is the one that is wanted, or one below it."""
    name = wanted.value if isinstance(wanted, lsp.CodeActionKind) else wanted
    return not name or kind == name or kind.startswith(f"{name}.")
