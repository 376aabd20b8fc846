"""Requests that lead through code of pages leave from the visitor's own browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import rated

from pyrograph.policy import doubts

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
    confidence, doubt = rated(tmp_path, {"app/page.tsx": PAGE, "preview.tsx": preview, "load.ts": load}, "ssrf")
    assert (doubt == doubts.BROWSER) is is_doubted, doubt
    assert (confidence == "medium") is is_doubted
