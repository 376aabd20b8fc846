"""Requests that lead through code of pages leave from the visitor's own browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PAGE = """
import { Preview } from '../preview'
export default function Page({ params }) { return <Preview host={params.host} /> }
"""
PREVIEW = """
import { load } from './load'
export function Preview({ host }) { return <button onClick={() => load(host)}>Load</button> }
"""
LOAD = "export const load = (host) => fetch(`https://${host}/status`)\n"
MARK = "'use client'\n"


@pytest.mark.parametrize(
    ("preview", "load", "is_doubted"),
    [
        (PREVIEW, LOAD, False),
        (MARK + PREVIEW, LOAD, True),
        (PREVIEW, MARK + LOAD, True),  # the file of the sink
        ("// 'use client'\n" + PREVIEW, LOAD, False),
    ],
)
def test_a_request_of_a_component_is_no_request_of_the_server(
    tmp_path: Path, preview: str, load: str, is_doubted: bool
) -> None:
    for path, text in {"app/page.tsx": PAGE, "preview.tsx": preview, "load.ts": load}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["javascript"]))
    (finding,) = [each for each in found.findings if each.vulnerability == "ssrf"]
    name = finding.doubt.name if finding.doubt else ""
    assert (name == doubts.BROWSER) is is_doubted, name
    assert (finding.confidence == "medium") is is_doubted
